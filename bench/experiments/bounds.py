"""Each theorem's bound beside what was measured, where its constants can be known.

The bounds are those of `sotto plan --paper`. Their constants come from the data, without privacy: largest
values, mean squares, the optimum. DP-CD and DP-GCD need a bound of the slope, which the squared loss has not
(the papers clip it); so they are about the logistic loss here.
"""
import json
import math
import os
import subprocess

import numpy as np

from .html import number, table
from .views import label, name

# A paper's theorem, the solver that has its paper's noise, and the constants that are taken from the data.
ROWS = (("dp-cd", "Theorem 3.3, convex", "cd-paper", "L R"),
        ("dp-cd", "Theorem 3.3, strongly convex", "cd-paper", "L mu gap"),
        ("dp-gcd", "Theorem 4.4, convex", "gcd-paper-gs-r", "L M R"),
        ("dp-gcd", "Theorem 4.4, strongly convex", "gcd-paper-gs-r", "L M mu1 gap"))
# 1 / the largest curvature of a loss
SMOOTH = {"squared": 1, "logistic": 4}
DUAL = ("dp-scd", "Theorem 2, the error", "scd-paper", "")


def objective(p, x, y, weights):
    loss = np.logaddexp(0, -y * (x @ weights)).mean()
    return float(loss + p.l1 * abs(weights).sum() + p.l2 / 2 * (weights @ weights))


def cd_constants(p, x, weights, gap):
    """The penalty is apart: psi of the paper, with its prox."""
    smooth = .25 * (x**2).mean(0)
    slope = abs(x).max(0)
    used = smooth > 0                              # a column of zeros never moves
    known = {"L": float(np.sqrt((slope[used]**2 / smooth[used]).sum())),
             "R": math.sqrt(max(gap, float(smooth @ weights**2))), "gap": gap}
    return known | ({"mu": p.l2 / float(smooth.max())} if p.l2 else {})


def gcd_constants(p, x, gap):
    """The penalty is part of the smooth objective, and no part of what a record changes."""
    if p.l1 or not p.l2:
        return None
    smooth = .25 * (x**2).mean(0) + p.l2
    total = float(smooth.sum())
    return {"L": float(abs(x).max()), "M": float(smooth.min()), "gap": gap,
            "R": math.sqrt(total * 2 * gap / p.l2), "mu1": p.l2 / total}


def theorems(sotto, paper, constants, p):
    """What `sotto plan --paper` says, by theorem; a line where it says nothing at all."""
    words = ",".join(f"{k}={v!r}" for k, v in constants.items())
    done = subprocess.run([sotto, "plan", "--paper", paper, "--epsilon", f"{p.epsilon:g}", "--delta",
                           repr(p.delta), "--set", words, "--json"], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        return json.loads(done.stderr)["error"]["message"]
    return {t["theorem"]: t for t in json.loads(done.stdout)["theorems"]}


def optimum(sotto, folder, p):
    """The weights that minimise the objective."""
    path = os.path.join(folder, p.name + ".optimum.json")
    words = [w for k, v in p.words().items() for w in ("--" + k, str(v))]
    subprocess.run([sotto, "train", os.path.join(folder, p.file), *words, "--epsilon", "inf",
                    "--no-intercept", "--quiet", "-o", path], check=True, capture_output=True)
    with open(path, encoding="utf-8") as file:
        return np.array(json.load(file)["weights"], dtype=float)


def starts_too_near(theorem, bound, constants):
    """Theorem 4.4, convex, assumes that the start's error is at least the second term of its bound."""
    first = 8 * constants["R"]**2 / bound["T"] if theorem == "Theorem 4.4, convex" else bound["error"]
    return bound["error"] - first > constants["gap"]


def of_theorem(row, said, p, best, constants):
    """A line of the results: the least bound, relative to the optimum."""
    paper, theorem, solver, used = row
    found = {"problem": p.name, "paper": paper, "theorem": theorem, "solver": solver,
             "constants": {k: float(f"{constants[k]:.4g}") for k in used.split() if k in constants}}
    if isinstance(said, str):
        return found | {"says_nothing": said}
    bounds = next(t["bounds"] for k, t in said.items() if k.startswith(theorem + ":"))
    least = min(bounds, key=lambda b: b["error"], default=None)
    if least is None:
        return None
    return found | {"error": least["error"] / best, "steps": least.get("K", least.get("T")),
                    "outside": starts_too_near(theorem, least, constants)}


def of_problem(sotto, folder, p, described):
    """A line for each theorem that is about this problem."""
    if p.test and p.loss in SMOOTH:               # a task of the DP-SCD paper
        constants = {"n": p.rows, "L": max(1, round(.02 * p.rows)), "lambda": p.l2,
                     "mu": SMOOTH[p.loss]}
        said = theorems(sotto, DUAL[0], constants, p)
        return [of_theorem(DUAL, said, p, described["best"], constants)]
    if p.loss != "logistic" or p.test or p.sparse:
        return []
    both = np.load(os.path.join(folder, p.file)).astype(np.float64)
    x, y = both[:, :-1], both[:, -1]
    weights = optimum(sotto, folder, p)
    best = objective(p, x, y, weights)
    if abs(best / described["best"] - 1) > 1e-4:
        raise AssertionError(f"{p.name}: the optimum is {best}, not {described['best']}")
    gap = objective(p, x, y, 0 * weights) - best
    sizes = {"n": p.rows, "p": p.features}
    known = {"dp-cd": cd_constants(p, x, weights, gap), "dp-gcd": gcd_constants(p, x, gap)}
    told = {k: theorems(sotto, k, sizes | c, p) for k, c in known.items() if c}
    found = [of_theorem(row, told[row[0]], p, best, known[row[0]]) for row in ROWS if row[0] in told]
    return [f for f in found if f]


def measure(sotto, folder, problems, described):
    return [line for p in problems.values()
            for line in of_problem(sotto, folder, p, described[p.name])]


# ---- the table ----

HEAD = ["problem", "theorem", "bound", "with steps", "all weights 0", "measured", "solver",
        "times too large", "constants from the data"]


def up(x):
    """Three digits, not below x."""
    unit = 10.**(math.floor(math.log10(x)) - 2)
    return number(math.ceil(x / unit) * unit)


def measured(results, b):
    """The least error at the bound's epsilon; DP-SCD's tasks are a group of their own."""
    group = "scd-epsilon" if b["solver"] == DUAL[2] else "passes"
    found = [e for e in results.all(b["problem"], b["solver"], group)
             if e["epsilon"] == results.problems[b["problem"]]["epsilon"]]
    return min(found, key=lambda e: e["result"]["mean"], default=None)


def rows(results):
    """Bounds are rounded up. Cells of a bound that says nothing are dashes."""
    out = []
    for b in results.told.get("bounds", []):
        e = measured(results, b)
        mean = e["result"]["mean"] if e else None
        silent = "says_nothing" in b
        out.append([name(b["problem"]), f"{b['paper']}, {b['theorem']}" +
                    (" (its assumption on the start does not hold)" if b.get("outside") else ""),
                    "says nothing" if silent else up(b["error"]),
                    "–" if silent else str(b["steps"]),
                    number(results.problems[b["problem"]]["zero"]),
                    number(mean) if mean else "–", label(b["solver"]),
                    number(b["error"] / mean) if mean and not silent else "–",
                    ", ".join(f"{k} {number(v)}" for k, v in b["constants"].items()) or "none"])
    return out


WORDS = ("The relative error that a theorem promises at its best number of steps, beside the least that was measured with "
         "the paper's noise. Bounds come from `sotto plan --paper`. Their constants are taken from the data, without "
         "privacy: L, M and mu from largest values and mean squares, gap and R from the optimum (dp-gcd: R from gap and "
         "the penalty). A bound above the error of all weights 0 says less than the start. Measured runs clip, and are "
         "tuned; the theorems do neither.")


def section(results):
    found = rows(results)
    if not found:
        return ""
    words = WORDS.replace("`sotto plan --paper`", "<code>sotto plan --paper</code>")
    return (f"<section id=bounds><h2>Bounds and errors</h2><p class=soft>{words}</p>" +
            table(HEAD, found, "bounds", left=2) + "</section>\n")
