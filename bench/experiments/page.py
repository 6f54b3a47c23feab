"""The report."""
from html import escape

from . import bounds, coverage, dpcd, dpgcd, dpscd, knobs, overview
from .html import HEAD, style
from .views import Results, label, name


def left_out(results):
    """What was not run, and why."""
    lines = [escape(m) for m in results.told["missing"]]
    if any("tried" not in e["result"] for e in results.entries):
        lines.append("This run is older than the one grid for every row: settings were not counted, and settings from earlier "
                     "searches competed in some of sotto's rows")
    refused = {}
    for e in results.told["entries"]:
        if "failed" in e["result"]:
            refused.setdefault((e["solver"], e["result"]["failed"]), []).append(e["problem"])
    lines += [f"{label(s)} on {', '.join(sorted(set(map(name, p))))}: refused ({escape(why)})"
              for (s, why), p in refused.items()]
    if not lines:
        return ""
    return ('<div class="card"><b>Left out</b><ul>' + "".join(f"<li>{m}</li>" for m in lines) +
            "</ul></div>\n")


def method(results):
    effort = results.told["effort"]
    grid = "thinned out for the quick run" if results.told["quick"] else "every second value at first"
    return f"""<section id="how"><h2>How it was done</h2>
<ul>
<li><b>Problems.</b> Squared loss is half the square here and the whole square in the papers: penalties are halved, relative errors
are the same. No intercept, but for <i>auto</i>. The papers do not print all penalties; California raw (l1 = 1) and log1, log2
(l2 = 0.1) are guesses.</li>
<li><b>Tuning is not private.</b> As in the papers, settings are chosen by looking at errors without paying for it: on one grid for
every row, the papers' and ours, {grid}; {effort['coarse']} runs at each point, up to {effort['moves']} moves to a better neighbour with
{effort['refine']}, the best {effort['best']} again with {effort['check']}, and then {effort['final']} runs with fresh noise, which
are what is reported. Frank-Wolfe's radius is that of the optimum. <i>auto</i> is not tuned at all: it is told n, and bounds that are
the next power of two above the largest value.</li>
<li><b>Batches.</b> sotto's batches are drawn by secret coins (Poisson), a tenth of the rows. The papers' DP-SGD draws one row at a time:
that is the row “single rows”. The accountant covers coins only, so that row's promise is not proven.</li>
<li><b>Orders and averages.</b> DP-CD goes through a new random order in each pass and averages the last half; “paper's noise” draws
coordinates independently and takes the last iterate, as printed. DP-SGD and DP-GD average the last 70 %; rows of the papers do not.</li>
<li><b>An L2 penalty</b> belongs to the smooth part of the objective in “as printed” (Algorithm 1), to the proximal step elsewhere.</li>
<li><b>Smoothness constants</b> are given, as in the papers, unless it is said that they are bought.</li>
<li><b>Adjacency.</b> replace-one wherever a row does not say otherwise. Batches that are drawn in secret are priced for add-remove
in the papers; under replace-one a record then counts as two.</li>
<li><b>Noise</b> is from fixed seeds: whoever runs this gets the same numbers. That makes none of it private.</li>
<li><b>Standard deviations</b> are those of the runs, not of the mean.</li>
</ul></section>
"""


def intro(results):
    kind = "quick run: coarse grids" if results.told["quick"] else "full run"
    families = '<a href="#families">Harder tables</a>' if knobs.points(results) else ""
    beside = '<a href="#bounds">Bounds</a>' if results.told.get("bounds") else ""
    return f"""<h1>The papers' experiments, reproduced</h1>
<p>sotto trains linear models under differential privacy. Here its solvers and those of three papers are run on the papers' own problems,
beside the numbers that the papers print. <a href="#coverage">A table</a> says which of their figures and tables are reproduced,
and which are not. Less is better: the relative error is how far the objective lies above its minimum without
privacy.</p>
<p class="soft">{kind}, {results.runs} runs of each entry; {len(results.entries)} entries on {len(results.problems)} problems. Settings were tuned
without privacy, as the papers do, except for <i>auto</i>.</p>
<nav><a href="#reached">What is reached</a><a href="#coverage">Figures and tables</a><a href="#dp-cd">DP-CD</a><a href="#dp-gcd">DP-GCD</a><a href="#dp-scd">DP-SCD</a>
<a href="#all">All solvers</a><a href="#epsilon">Privacy and utility</a>{families}<a href="#accountants">Accountants</a>{beside}<a href="#speed">Speed</a>
<a href="#how">How</a></nav>
"""


def write_page(told):
    results = Results(told)
    parts = [HEAD, style(), "</head>\n<body>\n<main>\n", intro(results), left_out(results),
             "<section id=reached><h2>What is reached</h2>", overview.targets(results),
             "</section>\n", coverage.section(results), dpcd.section(results), dpgcd.section(results),
             dpscd.section(results), overview.matrix(results), overview.epsilons(results),
             knobs.section(results), overview.accountants(results), bounds.section(results),
             overview.speed(results), method(results),
             "</main>\n</body>\n</html>\n"]
    return "".join(parts)
