"""Generated families with one knob each: how the error of auto goes with it."""
from . import svg
from .html import figure, grid, keys, number, plus_minus, table

NONE_AT = 400            # where "none declared" stands on an axis of how loose bounds are

# knob: its title, its loss, the axis, what it is
TOLD = {
    "tail-squared": ("Heavy tails", "squared", "degrees of freedom", "Columns and the noise of the target follow Student's t "
                     "distribution. Few degrees of freedom are heavy tails: a few rows lie very far out. At 30 all is nearly "
                     "normal."),
    "tail-logistic": ("Heavy tails", "logistic", "degrees of freedom", "The same for columns, with classes for a target."),
    "separation": ("Separated classes", "logistic", "standard deviation of the true margin", "How sure the class is. At 0.5 a row "
                   "hardly tells it, at 16 nearly every row does: the minimum F* goes to 0, and errors are relative to it."),
    "rate": ("A rare class", "logistic", "share of the rare class", "At the right half of the rows, at the left one in a hundred."),
    "width-squared": ("Many columns", "squared", "columns p, of n = 10,000 rows", "Each column adds noise, and takes budget from "
                      "the others."),
    "width-logistic": ("Many columns", "logistic", "columns p, of n = 10,000 rows", "The same with classes."),
    "twin": ("Nearly equal columns", "squared", "difference of twins, in standard deviations", "Half of the columns copy the other "
             "half, up to a difference. At the left twins can hardly be told apart, but then it hardly matters which of them has "
             "the weight."),
    "signal": ("Signal and noise", "squared", "variance of signal / of noise", "How much of the target the columns explain. At the "
               "right nearly all: F* is small, and errors are relative to it."),
    "loose-half": ("Loose bounds on half of the columns", "squared", "times too loose", "Somebody declares bounds that are too wide. "
                   "The last point has none declared at all, and auto buys them."),
    "loose-all": ("Loose bounds on all columns and the target", "squared", "times too loose", "As before, everywhere alike."),
    "loose-logistic": ("Loose bounds on half of the columns", "logistic", "times too loose", "As before, with classes."),
}
SOLVERS = {"auto": "auto", "auto-public": "auto, n public", "gd": "DP-GD, untuned",
           "ssp": "sufficient statistics, untuned"}


def place(p):
    return p["value"] or NONE_AT


def words(p):
    """A value of a knob, for people."""
    if p["knob"].startswith("loose"):
        return f"{p['value']:g}x" if p["value"] else "none declared"
    return f"{p['value']:g}"


def ticks(points):
    """Those of the points, without words that would stand on each other."""
    scale = svg.frame([place(p) for p in points], [1, 1], True, True)[0]
    out = []
    for p in sorted(points, key=place):
        text = words(p) if p["value"] else "none"
        if not out or scale(place(p)) - scale(out[-1][0]) > 4 + 3.5 * (len(text) + len(out[-1][1])):
            out.append((place(p), text))
    return out


def drawn(points, epsilons):
    """The lines; what is not declared is a point by itself."""
    series = {}

    def add(key, found):
        on_line = [(place(p), m, m, m) for p, m in found if p["value"]]
        alone = [(place(p), m, m, m) for p, m in found if not p["value"]]
        for name, some in ((key, on_line), (key + " alone", alone)):
            if some:
                series[name] = some
    add("s-constant", [(p, p["constant"]) for p in points])
    one = epsilons.index(1)
    add("s-untuned", [(p, p["errors"]["gd"][one][0]) for p in points if "gd" in p["errors"]])
    for i in range(len(epsilons)):
        add(f"l-{i}", [(p, p["errors"]["auto"][i][0]) for p in points])
    return series


def seen(points, epsilons):
    """What the plot shows, in a sentence or two."""
    one = epsilons.index(1)
    error = [p["errors"]["auto"][one][0] for p in points]
    out = f"At ε = 1 auto has {number(error[0])} at {words(points[0])} and {number(error[-1])} at {words(points[-1])}"
    if points[0]["knob"].startswith("loose"):
        worst = max(range(len(points)), key=error.__getitem__)
        out += f"; the worst, at {words(points[worst])}, is {number(error[worst] / error[0])} times the first. "
    else:
        out += f"; the best constant {number(points[0]['constant'])} and {number(points[-1]['constant'])}. "
    bad = [f"{words(p)} (ε = {e:g})" for p in points for e, (m, _) in zip(epsilons, p["errors"]["auto"])
           if m > p["constant"]]
    out += (f"It is worse than the best constant at {', '.join(bad)}." if bad else
            "It is better than the best constant everywhere.")
    behind = [words(p) for p in points if "gd" in p["errors"] and
              p["errors"]["gd"][one][0] < p["errors"]["auto"][one][0]]
    return out + (f" Untuned DP-GD is better than auto at {', '.join(behind)} (ε = 1)." if behind else "")


def numbers(knob, points, epsilons):
    rows = []
    for p in points:
        rows.append([words(p), "best constant"] + [number(p["constant"])] * len(epsilons))
        rows += [["", SOLVERS[s]] + [plus_minus(*v) for v in p["errors"][s]]
                 for s in SOLVERS if s in p["errors"]]
    head = [TOLD[knob][2], "solver"] + [f"ε = {e:g}" for e in epsilons]
    return table(head, rows, "knob-" + knob, left=2)


def of_knob(told, knob):
    return [p for p in told["points"] if p["knob"] == knob]


def plot(told, knob):
    title, loss, axis, about = TOLD[knob]
    points, epsilons = of_knob(told, knob), list(told["epsilons"])
    drawing = svg.lines(f"relative error over {axis}: {title}, {loss} loss", drawn(points, epsilons), {},
                        axis, "relative error", band=False, xticks=ticks(points))
    return figure(f"{drawing}<p>{about} {seen(points, epsilons)}</p>", title, f"{loss} loss",
                  numbers(knob, points, epsilons))


def points(results):
    """A run of some problems alone has none."""
    return results.told.get("families", {}).get("points", [])


def section(results):
    if not points(results):
        return ""
    told = results.told["families"]
    lines = [(f"l-{i}", f"auto, ε = {e:g}") for i, e in enumerate(told["epsilons"])]
    shown = keys(lines + [("s-untuned", "DP-GD, untuned, ε = 1"), ("s-constant", "the best constant")])
    figures = [plot(told, knob) for knob in TOLD if of_knob(told, knob)]
    first = told["points"][0]
    return (f"""<section id=families><h2>Harder and harder tables</h2>
<p>No real set says why a solver fails on it. These tables are generated, and have one knob each. All other knobs stand at the same
place: {first['rows']:,} rows, 10 columns that hang together, normal noise of the same size as the signal (of classes: a margin of
standard deviation 2, half of the rows in each), bounds at the next power of two.</p>
<p class=soft>add-remove, δ = 1/n², l2 = 1/n in units of the columns' true spread; the mean relative error of {told['runs']} runs,
in the tables ± its standard error. The number of rows is bought; tables also have <i>auto</i> with a public one. DP-GD and
sufficient statistics have declared bounds, mean squares of columns that they ask for, no penalty, and no setting that was tuned. The best constant is not private.</p>""" + shown + grid(figures) + "</section>\n")


def summary_rows(told):
    """For documents: every knob, from its first to its last value, at epsilon 1."""
    one, rows = list(told["epsilons"]).index(1), []
    for knob, (title, loss, axis, _) in TOLD.items():
        points = of_knob(told, knob)
        if points:
            rows.append([title, loss, axis] + [" / ".join(column) for column in (
                [words(p) for p in points], [number(p["errors"]["auto"][one][0]) for p in points],
                [number(p["errors"]["gd"][one][0]) if "gd" in p["errors"] else "–" for p in points],
                [number(p["constant"]) for p in points])])
    return rows
