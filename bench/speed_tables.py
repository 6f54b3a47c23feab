"""The sections of docs/speed.md: each makes Markdown of the rows of some cases, or nothing."""

import json
import pathlib

import machine
from exponent import exponent


def table(head, rows):
    """A table of Markdown; cells are ready."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def seconds(value):
    """Three digits, for people; nothing where there is none."""
    return "" if value is None else f"{value:.3g}"


def mark(case):
    """A word behind the name of a case that does not count for much."""
    return "noisy" if machine.noise(case) else ""


def best(case):
    """The bandwidth that models of this case are made of."""
    return machine.faster(case["before"], case["after"])


def rows_of(cases, key):
    """(case, row) for each row that has the key, in the order of the cases."""
    return [(case, row) for case in cases.values() for row in case["rows"] if key in row]


# ---- the machine ----

MACHINE = """## The machine

{processor}, {processors} processors, commit `{commit}`. What is read by each cache level, at the
beginning and at the end of the run; each thread reads memory of its own.
"""


def machine_section(about, cases):
    rows = [[level, threads, f"{rate:.1f}", f"{about['end'][level]['GB_per_s'][threads]:.1f}"]
            for level in machine.LEVELS
            for threads, rate in about["begin"][level]["GB_per_s"].items()]
    told = MACHINE.format(commit=about["stamp"]["commit"], **about)
    return (f"{told}\n{table(['level', 'threads', 'GB/s, begin', 'GB/s, end'], rows)}\n"
            f"{said_of_noise(about, cases)}")


def said_of_noise(about, cases):
    """Whether the run is noisy, and which cases are."""
    differs, level = machine.change(about["begin"], about["end"])
    load = f"The load\naverage was {about['load_begin']:g} and {about['load_end']:g}."
    word = "**This run is noisy**" if differs > machine.NOISY else "The run is quiet"
    lines = [f"{word}: {level} differs by {differs:.0%} between beginning and end. {load}"]
    noisy = [(name, machine.noise(case)) for name, case in cases.items() if machine.noise(case)]
    if noisy:
        lines.append("\nCases during which the bandwidth changed by more than 15 %, or others had "
                     "more than half\na processor:\n")
        lines += [f"- {name}: {why}" for name, why in noisy]
    return "\n".join(lines) + "\n"


# ---- growth ----

GROWTH = """## How cost grows

`sotto train`, one thread, the whole process with reading. One size changes over up to three decades
and the others stay. The exponents are slopes of the last decade on a plot of logarithms:
`build/bench/report.html` has the plots.
"""


def lines_of_growth(case):
    """By solver: the points of a size."""
    found = {}
    for row in case["rows"]:
        found.setdefault(row["solver"], []).append(row)
    return found


def growth_row(size, solver, points, word):
    first, last = points[0], points[-1]
    powers = [exponent([(row["at"], row[key]) for row in points]) for key in ("min", "peak_bytes")]
    return [size, solver, f"{first['at']:,} to {last['at']:,}", seconds(first["min"]),
            seconds(last["min"]), "" if powers[0] is None else f"{powers[0]:.2f}",
            f"{first['peak_bytes'] / 1e6:.1f}", f"{last['peak_bytes'] / 1e6:.1f}",
            "" if powers[1] is None else f"{powers[1]:.2f}", word]


def growth_word(size, case):
    """Of threads it is also said whether they could be faster."""
    words = [mark(case)]
    if size == "threads" and not machine.two_threads_count(best(case)):
        words.append(f"not judged: two threads read {machine.two_threads_gain(best(case)):.2f}x "
                     "of one")
    return ", ".join(word for word in words if word)


def growth_section(cases):
    rows = []
    for name, case in cases.items():
        if name.startswith("growth-"):
            size = name.removeprefix("growth-")
            rows += [growth_row(size, solver, points, growth_word(size, case))
                     for solver, points in lines_of_growth(case).items()]
    head = ["size", "solver", "from, to", "s, first", "s, last", "exponent", "MB, first", "MB, last",
            "exponent", ""]
    return f"{GROWTH}\n{table(head, rows)}" if rows else ""


# ---- reading ----

READING = """## Reading

Files in the page cache; in svmlight, *rows* is what the rivals make, too. The model reads the
file's bytes once; of .npy the table is written as well.
"""


def reading_row(case, row, base):
    bandwidth, size = best(case), row["file_bytes"] * (2 if row["case"] == "npy" else 1)
    ours = row["variant"].startswith("sotto")
    threads = 2 if "all threads" in row["variant"] else 1
    model = machine.seconds(size, bandwidth, "DRAM", threads) if ours else None
    target = row.get("target")
    return [row["case"], row["variant"], f"{row['min']:.3f}", f"{row['median']:.3f}",
            f"{row['MB_per_s']:.0f}", f"{row['ratio']:.2f}", f"{target:g}x" if target else "",
            seconds(model), f"{model / row['min']:.2f}" if model else "",
            two_threads_word(case, row, base) if threads == 2 and ours else mark(case)]


def two_threads_word(case, row, base):
    """What the second thread gained, where that can be said at all."""
    bandwidth = best(case)
    if not machine.two_threads_count(bandwidth):
        return (f"threads not judged: two read {machine.two_threads_gain(bandwidth):.2f}x of one")
    return f"{base / row['min']:.2f}x of one thread"


def reading_section(cases):
    if "read" not in cases:
        return ""
    case, rows = cases["read"], []
    for row in case["rows"]:
        single = row["variant"].replace("all threads", "1 thread")
        base = next((r["min"] for r in case["rows"] if r["case"] == row["case"] and
                     r["variant"] == single), row["min"])
        rows.append(reading_row(case, row, base))
    head = ["format", "variant", "min s", "median s", "MB/s", "ratio", "target", "model s",
            "reached", ""]
    return f"{READING}\n{table(head, rows)}"


# ---- the exact solver ----

EXACT = """## Exact solver

Seconds until the objective is within 1e-6 of the optimum (relative), data in memory, no intercept,
one thread. Each solver runs at the loosest of the tolerances 0.1, 0.01, ... 1e-8 whose answer is
good enough; *certified* is sotto at 1e-6, where it proves as much itself. What is counted of
LIBLINEAR with l1 includes turning rows into columns, which sotto does when it reads; without it
is a line of its own. How often the table is read follows from the data, so there is no model.
"""


def exact_section(cases):
    rows = []
    for case, row in rows_of(cases, "problem"):
        took = ["not reached", "", ""] if row["seconds"] is None else [
            f"{row['seconds']:.4f}", f"{row['ratio']:.2f}", f"{row['tolerance']:g}"]
        rows.append([row["problem"], row["variant"], *took, mark(case)])
    return (f"{EXACT}\n{table(['problem', 'solver', 'seconds', 'ratio', 'tolerance', ''], rows)}"
            if rows else "")


# ---- kernels ----

KERNELS = """## Private training: the kernels

One pass of coordinate descent over all columns, dense, one thread: nanoseconds for one record and
coordinate, by problem and rows x columns. *sotto* is the kernel with clip, integer grid and exact
noise, for the best instruction set of the machine; *any processor* is the same without choosing
one. Eigen's are the loops one writes with it in doubles, compiled with -O3, noise by the C++
library: the literal loop over elements, and array expressions. The targets: from 20,000 rows on,
clip, grid and noise cost at most 1.12 of the kernel without them, and the literal loop takes 6
times as long as sotto (squared), 15 times (logistic). The model: 4 bytes of the column from where
the table fits, and 12 of what was used a moment ago (the moved column, the margins read and
written) from where three vectors fit.
"""

THREADS = """Two threads share the rows from 16,384 on; below that one does all. The speed of two
over that of one, the mean of windows in turn and the best windows, as the machine was (target: 1.4
at 45,312 rows and 1.8 at 1,000,000, in the best windows, which are those in which nobody else
wanted a processor), and while another process did nothing but hold the second processor (target:
the mean never below 0.8).
"""


def kernel_model(case, name, variant):
    """Nanoseconds for a value, of sotto's own variants; None of others."""
    threads = {"sotto": 1, "sotto, 2 threads": 2}.get(variant)
    if threads is None:
        return None
    rows, columns = (int(word) for word in name.split(", ")[1].split(" x "))
    what = machine.question_reads({"question": "partial"}, rows, columns)
    return machine.model_seconds(what, best(case), threads) / rows * 1e9


def kernel_row(case, row):
    model = kernel_model(case, row["kernel"], row["variant"])
    return [row["kernel"], row["variant"], f"{row['min_ns']:.3f}", f"{row['ratio']:.2f}",
            f"{model:.3f}" if model else "", f"{model / row['min_ns']:.2f}" if model else "",
            mark(case)]


def kernel_section(cases):
    rows = [kernel_row(case, row) for case, row in rows_of(cases, "kernel")]
    if not rows:
        return ""
    head = ["problem", "variant", "ns", "ratio", "model ns", "reached", ""]
    text = f"{KERNELS}\n{table(head, rows)}\n"
    shared = [(case, row) for case, row in rows_of(cases, "threads") if "others" in row]
    judged = [[row["threads"], row["others"], f"{row['mean']:.2f}", f"{row['best']:.2f}",
               "" if machine.two_threads_count(best(case)) or "taken" in row["others"] else
               f"not judged: two threads read {machine.two_threads_gain(best(case)):.2f}x of one"]
              for case, row in shared]
    return text + (f"{THREADS}\n{table(['problem', 'others', 'mean', 'best', ''], judged)}"
                   if judged else "")


# ---- greedy steps, noise, prices ----

GREEDY = """## Greedy coordinate descent

Sparse: 100,000 rows, 1,000 steps at epsilon 1, beside a straightforward one in doubles that
computes the whole gradient and draws noise for every feature in each step. Ratios are of means over
all steps; the second is without the first step, which counts all sums. Times are of the processor.
"""

DENSE = """Dense: one whole gradient and choice, nanoseconds for one record and column. The target:
Eigen's loop takes 4 times as long. The model reads the table once.
"""


def greedy_section(cases):
    both = rows_of(cases, "greedy")
    if not both:
        return ""
    rows = [[f"zipf-{row['head']}", f"{row['features']:,}", f"{row['mean'] * 1e6:.0f}",
             f"{row['median'] * 1e6:.0f}", f"{row['plain'] * 1e3:.1f}", f"{row['ratio']:.0f}",
             f"{row['ratio_without_first']:.0f}", f"{row['target']}x", mark(case)]
            for case, row in both if row["greedy"] == "sparse"]
    head = ["words", "features", "mean us", "median us", "plain ms", "ratio", "without first",
            "target", ""]
    dense = [line for case, row in both if row["greedy"] == "dense"
             for line in dense_rows(case, row)]
    return (f"{GREEDY}\n{table(head, rows)}\n{DENSE}\n"
            f"{table(['rows x columns', 'variant', 'ns', 'ratio', 'model ns', 'reached'], dense)}")


def dense_rows(case, row):
    size = 4 * row["rows"] * row["columns"]
    model = machine.model_seconds([(size, size)], best(case)) / (size / 4) * 1e9
    for name, taken in row["ns"].items():
        ours = name == "sotto"
        yield [f"{row['rows']} x {row['columns']}", name, f"{taken:.3f}",
               f"{row['ratios'][name]:.2f}", f"{model:.3f}" if ours else "",
               f"{model / taken:.2f}" if ours else ""]


NOISE = """## Noise

Nanoseconds for one draw, and the share of the speed of raw words of ChaCha20.
"""


def noise_section(cases):
    rows = [[row["noise"], f"{row['min'] * 1e9:.2f}", f"{row['share']:.3f}",
             f"{row['target']:g}" if row["target"] else "", mark(case)]
            for case, row in rows_of(cases, "noise") if row["share"]]
    return f"{NOISE}\n{table(['noise', 'ns', 'share', 'target', ''], rows)}" if rows else ""


PRICES = """## Prices

Epsilon of long compositions, called as libraries, beside Google's dp-accounting at an interval of
1e-4; the errors are distances to its price at a tenth of that interval.
"""


def prices_section(cases):
    rows = [[row["price"], f"{row['min'] * 1e3:.1f}", *rival_price(row), mark(case)]
            for case, row in rows_of(cases, "price")]
    head = ["composition", "ms", "error", "dp-accounting ms", "its error", "ratio", "target", ""]
    return f"{PRICES}\n{table(head, rows)}" if rows else ""


def rival_price(row):
    if "ratio" not in row:
        return ["", "", "", "", ""]
    return [f"{row['error']:.1e}", f"{row['rival_min'] * 1e3:.1f}", f"{row['rival_error']:.1e}",
            f"{row['ratio']:.1f}", f"{row['target']}x"]


# ---- the rest ----


def instructions_section():
    """What bench/instructions.json has, which is recorded elsewhere."""
    path = pathlib.Path(__file__).with_name("instructions.json")
    recorded = json.loads(path.read_text(encoding="utf-8"))
    rows = []
    for name, case in recorded.items():
        key = next(key for key in case if key.startswith("instructions"))
        per = key.removeprefix("instructions").replace("_per_", "")
        rows.append([name, f"{case[key]:,.2f}" if per else f"{case[key]:,}", per or "run"])
    return ("## By callgrind\n\nThe same on any machine with the same compiler; "
            "`make bench-instructions` fails at +3 %.\n\n" +
            table(["what", "instructions", "per"], rows))


def skipped_section(cases):
    lines = dict.fromkeys(line for case in cases.values() for line in case["skipped"])
    return "## Skipped\n\n" + "\n".join(f"- {line}" for line in lines) + "\n" if lines else ""
