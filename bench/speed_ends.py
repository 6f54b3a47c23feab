"""The sections of docs/speed.md about whole trainings, and the targets that they are held to."""

import machine
from speed_tables import best, mark, seconds, table

SETS = {"electricity": "Electricity", "adult": "Adult", "large": "A large table",
        "sparse": "A sparse table"}
KINDS = {"process": "As a process, from a file:", "call": "As a call, from an array:"}

ENDS = """## From a file or an array to a model

Logistic loss, l2 = 1/n, epsilon 1, delta 1e-6. A process is measured from its start until the model
is there, with imports and reading; a call is measured around `fit` alone. Everything has one thread
where no other number is said. Solvers of sotto have their defaults. scikit-learn and LIBLINEAR are
not private. diffprivlib is told the longest row as if it were known. Errors are those on the rows
that were learned from, medians over the rounds: accuracy, log-loss, and how far the objective is
above its minimum (F/F* - 1). Memory is the peak of the process over the table's size in 4-byte
numbers; a value of a sparse table has 16 bytes, for it is there by rows and by columns, each time
with its place.

The model counts bytes. A question of the statement (`sotto plan --json` lists them) is one pass
over the table of 4-byte numbers, so `auto` reads the table once for each `times`. A batch reads its
share of the rows. A partial derivative reads 4 bytes a row of its column, and 12 of the moved
column and the margins. Before all that the file (or the array) is read once and the table is
written once. Each is divided by the bandwidth of the first cache that holds it: passes = the
questions' bytes / the table's, model = (file + table) / DRAM + passes x table / its level. Sparse
tables have no model, because what a step reads depends on the column that it chose.
"""


def rows_of(case, kind):
    return [row for row in case["rows"] if row["kind"] == kind]


def model_of(case, row):
    """Seconds that the bytes of a row would take; None where they are not known."""
    if not row["reads"]:
        return None
    return machine.model_seconds(row["reads"], best(case), row["threads"])


def row_of(case, row):
    model = model_of(case, row)
    memory = f"{row['peak_bytes'] / row['table_bytes']:.2f}" if row["peak_bytes"] else ""
    threads = f", {row['threads']} threads" if row["threads"] > 1 else ""
    return [row["variant"] + threads + ("" if row["private"] else " (not private)"),
            seconds(row["min"]), seconds(row["median"]), f"{row['ratio']:.2f}",
            f"{row['passes']:.1f}" if row["passes"] else "", seconds(model),
            f"{model / row['min']:.2f}" if model else "", memory, f"{row['accuracy']:.3f}",
            f"{row['log_loss']:.3f}", f"{row['excess']:.2g}"]


HEADS = ["variant", "min s", "median s", "ratio", "passes", "model s", "reached", "memory / table",
         "accuracy", "log-loss", "F/F* - 1"]


def two_threads(case, kind):
    """A sentence on the second thread of `auto`."""
    rows = {row["threads"]: row["min"] for row in rows_of(case, kind)
            if row["variant"] == "sotto auto"}
    if not {1, 2} <= rows.keys():
        return ""
    gain = machine.two_threads_gain(best(case))
    if gain < machine.TWO_THREADS:
        return (f"\nTwo threads of `auto` are not judged: they read {gain:.2f} times what one reads "
                "from memory here.\n")
    return f"\nTwo threads of `auto` are {rows[1] / rows[2]:.2f} times as fast as one.\n"


def set_section(name, case):
    first = case["rows"][0]
    size = first["table_bytes"] / 1e6
    noisy = " The case is noisy." if mark(case) else ""
    parts = [f"### {SETS[name]}: {first['rows']:,} x {first['features']:,}\n",
             f"The table has {size:,.1f} MB.{noisy}\n"]
    for kind, words in KINDS.items():
        rows = [row_of(case, row) for row in rows_of(case, kind)]
        parts.append(f"{words}\n\n{table(HEADS, rows)}{two_threads(case, kind)}")
    return "\n".join(parts)


def section(cases):
    parts = [set_section(name.removeprefix("end-"), case) for name, case in cases.items()
             if name.startswith("end-") and case["rows"]]
    return "\n".join([ENDS, *parts]) if parts else ""


# ---- targets ----


def find(case, variant, kind, threads=1):
    return next((row for row in case["rows"] if row["variant"] == variant and row["kind"] == kind
                 and row["threads"] == threads), None)


def verdict(value, must, aim, less=False):
    """Whether a figure is as good as it must be, and as it should be."""
    def reached(bound):
        return value <= bound if less else value >= bound
    return "met, and the aim" if reached(aim) else "met" if reached(must) else "MISSED"


def target(words, value, must, aim, less=False):
    return [words, f"{value:.2f}", f"{must:g}", f"{aim:g}", verdict(value, must, aim, less)]


def large_targets(case):
    """Of the large table: what the model, threads, memory and scikit-learn say."""
    one = find(case, "sotto auto", "process")
    yield target("`auto`, large table, process: share of the model",
                 model_of(case, one) / one["min"], .5, .7)
    two = find(case, "sotto auto", "process", 2)
    if machine.two_threads_count(best(case)):
        yield target("the same: two threads over one", one["min"] / two["min"], 1.5, 1.7)
    else:
        gain = machine.two_threads_gain(best(case))
        yield ["the same: two threads over one", f"{one['min'] / two['min']:.2f}", "1.5", "1.7",
               f"not judged: two threads read {gain:.2f}x of one"]
    yield target("the same: peak memory over the table", one["peak_bytes"] / one["table_bytes"],
                 1.3, 1.15, less=True)
    for kind in KINDS:
        rival = find(case, "scikit-learn lbfgs", kind)
        ours = find(case, "sotto auto", kind)
        if rival:
            yield target(f"the same as a {kind}: scikit-learn's lbfgs over it",
                         rival["min"] / ours["min"], 1, 1)


def targets_section(cases):
    rows = []
    if cases.get("end-large", {}).get("rows"):
        rows += large_targets(cases["end-large"])
    small = cases.get("end-electricity", {"rows": []})
    rival = find(small, "diffprivlib", "call")
    if rival:
        rows.append(target("`auto`, electricity, call: diffprivlib's over it",
                           rival["min"] / find(small, "sotto auto", "call")["min"], 1, 1))
    if not rows:
        return ""
    return "## Targets\n\n" + table(["what", "measured", "must", "aim", ""], rows)
