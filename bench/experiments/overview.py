"""What is reached, by what, at which epsilon, how fast, and with which accountant."""
from . import svg
from .html import figure, grid, keys, number, spread, table
from .papers import PAPERS_BEST, TARGETS
from .plan import EPSILON_PROBLEMS, EPSILON_SOLVERS
from .solvers import BY_KEY, NAMED
from .views import entry_table, free, free_of, label, name, points, proven, settings, tried_words


def target_rows(results):
    """What tools and tests use too: each target, the best entry, and whether it is met."""
    out = []
    for problem, group, target, words, only in TARGETS:
        e = problem in results.problems and results.best_of(problem, group, only)
        auto = problem in results.problems and results.best(problem, "auto")
        out.append({"problem": problem, "words": words, "target": target, "entry": e or None,
                    "auto": auto or None, "only": only,
                    "met": bool(e) and e["result"]["mean"] <= target})
    return out


def targets(results):
    rows = []
    for t in target_rows(results):
        e, auto = t["entry"], t["auto"]
        paper = PAPERS_BEST.get(t["problem"])
        if not e:
            continue
        rows.append([name(t["problem"]) + (f", {t['words']}" if t["words"] else ""),
                     spread(e["result"]), number(t["target"]),
                     ("met", "met") if t["met"] else ("missed", "missed"),
                     (f"{label(e['solver'])}<small>{settings(e)}</small>", "text"),
                     (free_of(e), "text"), str(e["result"]["runs"]),
                     spread(auto["result"]) if auto and not t["only"] else "–",
                     (f"{number(paper[0])} ({paper[1]})" if paper and not t["only"] else "–", "said")])
    met, tried = (sum(t["met"] for t in target_rows(results)),
                  sum(t["entry"] is not None for t in target_rows(results)))
    return (f"<p><b>{met} of {tried}</b> targets are met. Mean ± standard deviation of the relative error, "
            "(F − F*) / F*, for replace-one, δ = 1/n².</p>" +
            table(["problem", "reached", "target", "", "best of sotto, tuned", "it knows for free", "runs",
                   "auto, untuned", "papers' best, tuned"], rows, "targets") +
            "<p class=soft><i>auto</i> is untuned: it knows n, and bounds that are the next power of two above the largest "
            "value. The papers' rows know n and the true smoothness.</p>")


def knows(results, problems):
    """What each row is told without paying for it, and how many settings it tried."""
    rows = []
    for key, s in BY_KEY.items():
        found = [e for e in (results.best(p, key) for p in problems) if e]
        if found:
            prices = "; ".join(f"{name(e['problem'])} {proven(e)}" for e in found
                               ) if s.literal and found[0]["result"].get("proven") else (
                "not covered by the accountant" if s.literal else "as claimed" if s.ours else
                "priced beside its figures")
            rows.append([label(key), (free(key), "text"), s.adjacency,
                         tried_words(results, problems, key), (prices, "text")])
    return ("<h3>What each row knows for free, and how much it was tuned</h3><p class=soft>Every tuned row has the same grid: 13 "
            "clips, 10 steps, and numbers of passes; what else a solver has stands at one value, its default "
            "unless the row says otherwise. A row without a clip or "
            "a step has the setting that takes its place. All grids are built around the true sizes of the problem, which is "
            "knowledge, too. Settings tried are those that were looked at on one problem, over all passes.</p>" +
            table(["solver", "knows for free", "adjacency", "settings tried", "what is proven"], rows,
                  "knows", left=5))


def matrix(results):
    """Every solver on every problem, at its best number of passes."""
    problems = [p for p in NAMED if p in results.problems]
    rows = []
    for key in BY_KEY:
        found = [results.best(p, key) for p in problems]
        if any(found):
            least = [min((results.best(p, k)["result"]["mean"] for k in results.solvers(p)
                          if not BY_KEY[k].literal), default=0) for p in problems]
            rows.append([label(key) + ("" if BY_KEY[key].adjacency == "replace-one" else " †")] + [
                (number(e["result"]["mean"]), "best" if e["result"]["mean"] == low else "") if e
                else "–" for e, low in zip(found, least)])
    zero = ["all weights 0"] + [number(results.problems[p]["zero"]) for p in problems]
    notes = "".join(f"<li><b>{s.label}</b>: {s.about}.</li>" for s in BY_KEY.values()
                    if any(results.best(p, s.key) for p in problems))
    return ("<section id=all><h2>Every solver on every problem</h2><p class=soft>Mean relative error at the best number of "
            f"passes, {results.runs} runs. Bold: the least of a column. <i>auto</i> has an intercept and is compared with "
            "the optimum that has one. DP-CD with private constants is on the problem in units of its bounds. Adjacency is "
            "replace-one, but add-remove in rows with a †: that asks less, and they are no fair rivals. Rows “as printed” and "
            "“single rows” are NOT PRIVATE as their papers claim.</p>" +
            table(["solver"] + [name(p) for p in problems], rows + [zero], "matrix", tight=True) +
            knows(results, problems) +
            f"<details><summary>what the solvers are</summary><ul>{notes}</ul></details></section>\n")


def epsilons(results):
    figures, used = [], set()
    for problem in EPSILON_PROBLEMS:
        if problem not in results.problems:
            continue
        entries = {k: results.all(problem, k, "epsilon") for k in EPSILON_SOLVERS}
        entries = {k: v for k, v in entries.items() if v}
        if not entries:
            continue
        used |= set(entries)
        series = {"s-" + k: points(v, "epsilon") for k, v in entries.items()}
        ticks = [(e, f"{e:g}") for e in sorted({e["epsilon"] for v in entries.values() for e in v})]
        plot = svg.lines(f"relative error over epsilon, {name(problem)}", series, {}, "ε",
                         "relative error", xticks=ticks)
        figures.append(figure(plot, name(problem), f"δ = 1/n², n = {results.problems[problem]['rows']}",
                              entry_table([e for v in entries.values() for e in v],
                                          f"epsilon-{problem}", True)))
    if not figures:
        return ""
    shown = keys([("s-" + k, label(k)) for k in EPSILON_SOLVERS if k in used])
    return ("<section id=epsilon><h2>Privacy and utility</h2><p class=soft>Tuned anew at each ε, but for <i>auto</i>; "
            "replace-one; from the best to the worst of the runs. On coarser grids than above, so that a point at ε = 1 "
            f"can lie a little higher than there.</p>{shown}{grid(figures)}</section>\n")


def accountants(results):
    told = results.told["accountants"]
    figures = []
    for kind, words in (("DP-CD", "T partial derivatives"), ("DP-GCD", "T choices and releases; noise of a release"),
                        ("DP-SCD", "T batches of 1 % of the rows")):
        mine = [a for a in told if a["kind"] == kind]
        if not mine:
            continue
        series = {f"l-{i}": [(t, z, z, z) for t, z in a["values"]] for i, a in enumerate(mine)}
        plot = svg.lines(f"noise multipliers, {kind}", series, {}, "T", "noise, in sensitivities",
                         band=False)
        steps = sorted({t for a in mine for t, _ in a["values"]})
        rows = [[a["name"], a["adjacency"]] + [number(dict(map(tuple, a["values"])).get(t))
                                               for t in steps] for a in mine]
        figures.append(figure(
            keys([(f"l-{i}", a["name"]) for i, a in enumerate(mine)]) + plot, kind, words,
            table(["accountant", "adjacency"] + [f"T = {t}" for t in steps], rows,
                  f"account-{kind}", left=2)))
    return ("<section id=accountants><h2>Accountants side by side</h2><p class=soft>The standard deviation of the noise that "
            "each asks for, in units of the sensitivity, for ε = 1 and δ = 10⁻⁶. Less is better. DP-GCD's own formulas "
            "are not proven as they stand (a choice costs twice what they take it for).</p>" +
            grid(figures) + "</section>\n")


def speed(results):
    """Seconds and errors, each solver at its best."""
    figures = []
    for problem in NAMED:
        if problem not in results.problems:
            continue
        found = [results.best(problem, k) for k in results.solvers(problem)
                 if not k.startswith("gcd-")]
        dots = [("s-" + e["solver"], label(e["solver"]), max(e["result"]["seconds"], 1e-5),
                 max(e["result"]["mean"], 1e-7)) for e in found]
        if not dots:
            continue
        plot = svg.scatter(f"seconds and relative error, {name(problem)}", dots,
                           "seconds of one core", "relative error")
        rows = [[label(e["solver"]), number(e["result"]["seconds"]), number(e["result"]["mean"]),
                 str(e["result"]["runs"]), e["adjacency"]] for e in found]
        figures.append(figure(plot, name(problem), "down and left is better",
                              table(["solver", "seconds", "error", "runs", "adjacency"], rows,
                                    f"speed-{problem}")))
    return ("<section id=speed><h2>Speed next to utility</h2><p class=soft>One run at the settings with the least error, "
            "without reading the file and without pricing the plan.</p>" + grid(figures) +
            "</section>\n")
