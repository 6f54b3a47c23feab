"""DP-CD's Tables 2 and 3 and its Figures 1 to 3."""
from . import svg
from .html import figure, grid, keys, number, plus_minus, spread, table, verdict
from .papers import DPCD_ERRORS, DPCD_SECONDS, PASSES
from .views import apart, entry_table, label, name, points

SHOWN = ("cd-paper", "cd", "cd-private", "sgd-single", "sgd-paper", "sgd", "gd", "scd", "auto")
ROWS = (("DP-CD", "cd", ("cd-paper", "cd")), ("DP-SGD", "sgd", ("sgd-single", "sgd-paper", "sgd")))


def passes_figure(results, problem, shown):
    """Relative error over passes: min, mean and max of the runs."""
    series, levels, all_entries = {}, {}, []
    for key in shown:
        entries = results.all(problem, key)
        all_entries += entries
        if entries and "passes" in entries[0]:
            series["s-" + key] = points(entries)
        elif entries:
            levels["s-" + key] = entries[0]["result"]["mean"]
    if not series:
        return ""
    p = results.problems[problem]
    more = f"n = {p['rows']}, p = {p['features']}, ε = {p['epsilon']:g}"
    plot = svg.lines(f"relative error over passes, {name(problem)}", series, levels,
                     "passes over the data", "relative error")
    return figure(plot, name(problem), more, entry_table(all_entries, f"passes-{problem}"))


def shown_keys(results, problems, shown):
    used = [k for k in shown if any(results.all(p, k) for p in problems)]
    return keys([("s-" + k, label(k)) for k in used])


def cells(entries, what):
    """A row of Table 2 or 3; the best is marked."""
    values = [e and e["result"] for e in entries]
    least = min((v[what] for v in values if v), default=None)
    out = []
    for v in values:
        shown = "–" if not v else spread(v) if what == "mean" else number(v["seconds"])
        best = v and what == "mean" and v[what] == least
        out.append((shown, "best" if best else ""))
    return out


def printed_table(results, printed, what, id_):
    rows = []
    for problem, said in printed.items():
        if problem not in results.problems:
            continue
        rows.append(name(problem))
        for title, key, solvers in ROWS:
            rows.append([(f"{title}, as printed", "said"), ("–", "said")] +
                        [(plus_minus(m, s) if what == "mean" else number(m), "said")
                         for m, s in said[key]])
            for solver in solvers:
                entries = [results.at(problem, solver, t) for t in PASSES]
                if any(entries):
                    one = next(e for e in entries if e)
                    rows.append([label(solver), one["adjacency"]] + cells(entries, what))
    return table(["algorithm", "adjacency"] + [f"{t} passes" for t in PASSES], rows, id_, left=2)


def reason(results, problem):
    """Why DP-SGD in batches can be ahead of DP-CD here."""
    cd, fair = results.best(problem, "cd-paper"), results.best(problem, "sgd")
    text = ("These batches are a large part of the rows, where the paper takes single rows, and they are priced for "
            "add-remove, where a record counts half of what it counts for replace-one.")
    if cd and fair:
        text += (f" Priced as DP-CD is, DP-SGD comes to {number(fair['result']['mean'])}"
                 f" ({'still ahead: batches do that' if apart(fair, cd) < 0 else 'and is ahead no more'}).")
    return text


SGD = ("sgd-single", "sgd-paper")


def rivals_of(results, problem, ours):
    """DP-SGD as the papers run it, and in batches: those that are there; those that are not behind."""
    found = [r for r in (results.best(problem, k) for k in SGD) if r]
    return found, [r for r in found if apart(ours, r) >= 0]


def change(ahead):
    """Whether it is large batches that change the order of methods."""
    return [r["solver"] for r in ahead] == ["sgd-paper"]


def order(results):
    """DP-CD is ahead of DP-SGD on every problem of Table 2."""
    out, good = [], []
    for problem in DPCD_ERRORS:
        cd = results.best(problem, "cd-paper")
        found, ahead = rivals_of(results, problem, cd) if cd else ([], [])
        if not found:
            continue
        numbers = "; ".join(f"{label(e['solver'])} {number(e['result']['mean'])}" for e in [cd, *found])
        if not ahead:
            good.append(f"{name(problem)} ({numbers})")
        elif change(ahead) and len(found) == 2:
            out.append(verdict(True, f"<b>{name(problem)}: as in the paper with single rows; large batches change the "
                                     f"order</b> ({numbers}). {reason(results, problem)}"))
        else:
            how = "cannot be told apart from" if apart(cd, ahead[0]) == 0 else "is behind"
            out.append(verdict(False, f"<b>{name(problem)}: not as in the paper.</b> DP-CD {how} "
                                      f"{label(ahead[0]['solver'])} ({numbers})." +
                               (f" {reason(results, problem)}" if change(ahead[-1:]) else "")))
    if good:
        out.insert(0, verdict(True, "<b>As in the paper, DP-CD is ahead of DP-SGD</b> on " +
                              "; ".join(good) + "."))
    return "".join(out)


def private_constants(results):
    """DP-CD-P stays ahead of DP-SGD."""
    out = []
    for problem in ("elec_imb", "cal_imb"):
        p = results.best(problem, "cd-private")
        found, ahead = rivals_of(results, problem, p) if p else ([], [])
        if found:
            out.append(verdict(not ahead, f"<b>{name(problem)}:</b> with constants that are bought, DP-CD comes to "
                               f"{number(p['result']['mean'])}; " + "; ".join(
                                   f"{label(e['solver'])} {number(e['result']['mean'])}" for e in found) + "."))
    return "".join(out)


def speed(results):
    out = []
    for key in SGD:
        pairs = [(results.at(p, key, t), results.at(p, "cd-paper", t))
                 for p in DPCD_SECONDS for t in PASSES]
        ratios = sorted(a["result"]["seconds"] / b["result"]["seconds"] for a, b in pairs if a and b)
        if ratios:
            middle = ratios[len(ratios) // 2]
            out.append(verdict(middle > 1, f"For the same number of passes {label(key)} takes {middle:.2g} times as long as "
                               f"DP-CD (median; {ratios[0]:.2g} to {ratios[-1]:.2g})."))
    return "".join(out) + ("<p>The paper: DP-SGD takes about 5 times as long, with single rows. Seconds are those of one "
                           "core, for the solver alone; the paper's are of a laptop of 2020.</p>" if out else "")


def section(results):
    problems = [p for p in DPCD_ERRORS if p in results.problems]
    if not problems:
        return ""
    figures = grid(passes_figure(results, p, SHOWN) for p in problems)
    return f"""<section id="dp-cd"><h2>DP-CD: coordinates one at a time</h2>
<p class="soft">Mangold, Bellet, Salmon, Tommasi: Differentially Private Coordinate Descent for Composite
Empirical Risk Minimization, ICML 2022.</p>
<h3>Does the order hold?</h3>
{order(results)}{private_constants(results)}
<h3>Figures 1 and 2: relative error over passes</h3>
<p class="soft">Each point is its own number of passes with all of the budget, tuned by itself: mean of
{results.runs} runs, and the band from the best to the worst. The dotted line is <i>auto</i>.</p>
{shown_keys(results, problems, SHOWN)}{figures}
<h3>Table 2: relative error by passes</h3>
{printed_table(results, DPCD_ERRORS, "mean", "dpcd-2")}
<p class="soft">Mean ± standard deviation of {results.runs} runs (the paper: 5). Bold: the least of a row.</p>
<h3>Table 3: seconds</h3>
{speed(results)}
{printed_table(results, DPCD_SECONDS, "seconds", "dpcd-3")}
</section>
"""
