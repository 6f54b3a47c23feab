"""The page with plots, build/bench/report.html: how cost grows, and whole trainings."""

from html import escape

import machine
from experiments import svg
from experiments.html import HEAD, figure, grid, keys, number, style, table
from exponent import exponent
from speed_ends import KINDS, SETS, model_of, rows_of
from speed_tables import lines_of_growth

SIZES = {"rows": "rows", "features": "features", "nonzeros": "non-zeros", "steps": "steps",
         "threads": "threads"}
LOOKS = {"auto": "s-newton"}  # of one colour, and a line that is whole
WHAT = {"min": ("time", "seconds", 1), "peak_bytes": ("memory", "MB", 1e-6)}


def look(solver):
    return LOOKS.get(solver, "s-" + solver)


def power(points):
    found = exponent(points)
    return "" if found is None else f"{found:.2f}"


def growth_figure(size, case, key):
    """One plot: a line for each solver, exponents in its table."""
    name, unit, factor = WHAT[key]
    series, rows = {}, []
    for solver, found in lines_of_growth(case).items():
        points = [(row["at"], row[key] * factor) for row in found]
        series[look(solver)] = [(x, y, y, y) for x, y in points]
        rows.append(f"{solver}: exponent {power(points)}")
        rows += [[solver, f"{x:,}", number(y)] for x, y in points]
    ticks = [(row["at"], str(row["at"])) for row in found] if size == "threads" else None
    plot = svg.lines(f"{name} by {SIZES[size]}", series, {}, SIZES[size], unit, band=False,
                     xticks=ticks)
    powers = ", ".join(f"{solver} {power([(row['at'], row[key]) for row in found])}"
                       for solver, found in lines_of_growth(case).items())
    return figure(plot, f"{name.capitalize()} by {SIZES[size]}",
                  f"exponents over the last decade: {powers}",
                  table(["solver", SIZES[size], unit], rows))


def growth_part(cases):
    found = {name.removeprefix("growth-"): case for name, case in cases.items()
             if name.startswith("growth-")}
    if not found:
        return ""
    solvers = dict.fromkeys(solver for case in found.values() for solver in lines_of_growth(case))
    figures = [growth_figure(size, case, key) for size, case in found.items() for key in WHAT]
    return ("<section id=growth><h2>How cost grows</h2>\n<p>The whole process, with reading. One "
            "size changes, the others stay; both axes are logarithmic.</p>\n" +
            keys([(look(solver), solver) for solver in solvers]) + grid(figures) + "</section>\n")


def end_rows(case, kind):
    for row in rows_of(case, kind):
        model = model_of(case, row)
        memory = row["peak_bytes"] / row["table_bytes"] if row["peak_bytes"] else None
        yield [escape(row["variant"]) + ("" if row["private"] else " (not private)"),
               str(row["threads"]), number(row["min"]), number(row["median"]), number(row["ratio"]),
               number(model), number(model / row["min"] if model else None), number(memory),
               number(row["accuracy"]), number(row["log_loss"]), number(row["excess"])]


def end_part(cases):
    head = ["variant", "threads", "min s", "median s", "ratio", "model s", "reached",
            "memory / table", "accuracy", "log-loss", "F/F* − 1"]
    parts = []
    for name, case in cases.items():
        if name.startswith("end-") and case["rows"]:
            first, short = case["rows"][0], name.removeprefix("end-")
            parts.append(f"<h3>{SETS[short]}: {first['rows']:,} × {first['features']:,}</h3>\n")
            noisy = machine.noise(case)
            parts.append(f'<p class="missed">noisy: {escape(noisy)}</p>\n' if noisy else "")
            parts += [table(head, list(end_rows(case, kind)), f"{short}-{kind}", words, tight=True)
                      for kind, words in KINDS.items()]
    return f"<section id=ends><h2>Whole trainings</h2>\n{''.join(parts)}</section>\n" if parts else ""


def machine_part(about):
    rows = [[level, threads, number(rate), number(about["end"][level]["GB_per_s"][threads])]
            for level in machine.LEVELS
            for threads, rate in about["begin"][level]["GB_per_s"].items()]
    return ("<section id=machine><h2>The machine</h2>\n" +
            f"<p>{escape(about['processor'])}, {about['processors']} processors, commit "
            f"{escape(about['stamp']['commit'])}.</p>\n" +
            table(["level", "threads", "GB/s, begin", "GB/s, end"], rows, "bandwidth") +
            "</section>\n")


def page(about, cases):
    """The whole page: one file, no script, nothing from elsewhere."""
    kind = "A quick run: small sizes, to see that it works." if about["quick"] else "A full run."
    return "".join([
        HEAD.replace("the papers' experiments", "speed"), style(), "</head>\n<body>\n<main>\n",
        f"<h1>Speed</h1>\n<p>From one run of <code>make bench</code>. {kind}</p>\n",
        growth_part(cases), end_part(cases), machine_part(about), "</main>\n</body>\n</html>\n"])
