"""The solvers that are compared: a line each, and the grids that they are tuned on.

A solver says which options are fixed, what one pass over the data is for it, which settings are
tuned, and what it knows for free. One that is added here shows up in every table and figure whose
problems it can do.

The grid is the same for every row, a paper's or ours: 13 clips around a typical size of what is
clipped, 10 steps, and the number of passes. All that a row has beside these stands at one value,
but where it has no clip or no step: then the setting that it has in its place is tuned.
"""
import dataclasses

from .tuning import SMALL_STEPS, STEPS, Axis, Study

DPCD = ("cal_std", "cal_imb", "elec_std", "elec_imb", "sparse10")
IMBALANCED = ("cal_imb", "elec_imb")
DPGCD = ("log1", "log2", "meltingpoint", "mad_l1", "square", "cal_std", "dorothea")
NAMED = ("cal_std", "cal_imb", "elec_std", "elec_imb", "sparse10", "square", "log1", "log2",
         "mad_l1", "meltingpoint", "dorothea")
SCD_TASKS = ("ridge_california", "logistic_a9a", "svm_adult81")

# Passes over the data: p steps of DP-CD, n records of DP-SGD, one step of DP-GCD.
PASSES_DPCD = (2, 5, 10, 20, 50)
PASSES_SMALL = (.001, .01, .1, 1, 2, 3, 5, 10, 20)
PASSES_SMALL_QUICK = (.01, .1, 1, 5)
STEPS_GREEDY = (1, 2, 4, 7, 10, 15, 20)
STEPS_GREEDY_QUICK = (1, 2, 4, 7, 15)


@dataclasses.dataclass(frozen=True)
class Solver:
    """What is compared under one name."""
    key: str
    label: str
    about: str
    words: dict
    axes: object                        # function of a problem and whether it is quick
    can: object                         # function of a problem
    passes: object = None               # function of a problem and whether it is quick
    by_pass: object = None              # function of a problem and passes: more options
    adjacency: str = "replace-one"
    kind: str = "given"                 # how the problem is read: given, auto, mapped
    ours: bool = True                   # what sotto would be used as; else a paper's own way
    cost: float = 1.                    # of a run, beside others
    free: str = ""                      # what it is told of the records without paying, beside n
    literal: bool = False               # as its paper prints it: NOT PRIVATE


def looked(quick):
    """Which of a grid's clips and steps are looked at first: every so many."""
    return 3 if quick else 2


def clips(size, quick):
    return Axis.around(size, -6, 6, looked(quick))


def steps(quick, beta=1., values=tuple(STEPS)):
    """The papers' ten; of solvers that move all weights at once they are gamma / beta."""
    begin = looked(quick) // 3
    return Axis([float(f"{g / beta:.4g}") for g in values],
                list(range(begin, len(values), looked(quick))))


def dense(p):
    return not p.sparse


def cd_axes(p, quick, size="cd"):
    return {"clip": clips(p.clip[size], quick), "step-size": steps(quick)}


def gcd_axes(p, quick):
    return cd_axes(p, quick, "gcd")


def sgd_axes(p, quick, plain):
    return {"clip": clips(p.clip["plain" if plain else "gd"], quick),
            "step-size": steps(quick, p.beta["plain" if plain else "scaled"])}


def single_axes(p, quick):
    """Steps on single rows are smaller, in the papers too."""
    return {"clip": clips(p.clip["plain"], quick),
            "step-size": steps(quick, p.beta["plain"], tuple(SMALL_STEPS))}


def minimiser_axes(p, quick):
    """How long rows may be, and how much more L2 penalty than the problem has."""
    slope = p.clip["gcd"] * (1 if p.loss == "squared" else .5)
    least = max(p.l2, 1e-6)
    return {"norm-bound": clips(p.clip["plain"] / slope, quick),
            "l2": Axis.of(*(float(f"{least * 3**k:.4g}") for k in range(10)), coarse=[0, 3, 6, 9])}


def few(p):
    """The minimiser is found anew in each run, inside of the curator."""
    return not p.sparse and p.features <= 120


def cd_passes(p, quick):
    if p.name in DPCD:
        return PASSES_DPCD
    return PASSES_SMALL_QUICK if quick else PASSES_SMALL


def cd_steps(p, passes):
    return {"steps": max(1, round(passes * p.features))}


def greedy_passes(p, quick):
    return STEPS_GREEDY_QUICK if quick else STEPS_GREEDY


def sgd_passes(p, quick):
    return PASSES_DPCD if p.name in DPCD else (1, 5, 20) if quick else (.1, 1, 2, 5, 10, 20)


def single_passes(p, quick):
    """A step for each row of each pass: most of a quick run's time."""
    if p.name in DPCD:
        return PASSES_DPCD[::2] if quick else PASSES_DPCD
    return (.01, .1, 1, 5) if quick else PASSES_SMALL


def single_steps(p, passes):
    return {"batch-rate": repr(1 / p.rows), "steps": max(1, round(passes * p.rows))}


def as_steps(p, passes):
    return {"steps": passes}


def row_steps(p, passes):
    return {"passes": max(1, round(passes))}


def given(p):
    return {"smoothness": p.name + ".M"}


GREEDY = {"gs-s": "GS-s", "gs-r": "GS-r", "gs-q": "GS-q"}

CONSTANTS, SMOOTH = "M<sub>j</sub>", "smoothness of all weights together"
BATCH = .1               # of the rows, where batches are large


def is_greedy(p):
    return p.name not in ("cal_imb", "elec_std", "elec_imb")


SOLVERS = [
    Solver("cd-paper", "DP-CD, paper's noise", "DP-CD with the noise of its paper (eq. 18), coordinates drawn "
           "independently, last iterate",
           {"solver": "cd", "calibration": "paper", "average": 0, "order": "uniform"}, cd_axes,
           lambda p: True, cd_passes, cd_steps, ours=False, free=CONSTANTS),
    Solver("cd", "DP-CD", "DP-CD with exact accounting, a new random order in each pass, average of the last half",
           {"solver": "cd", "average": .5}, cd_axes, lambda p: True, cd_passes, cd_steps, free=CONSTANTS),
    Solver("cd-private", "DP-CD, private constants", "DP-CD that buys the smoothness constants with a part of the "
           "budget, from bounds of twice the largest values",
           {"solver": "cd", "smoothness": "private", "penalty-units": "file", "average": .5},
           lambda p, q: cd_axes(p, q, "bounds"), lambda p: p.name in IMBALANCED,
           cd_passes, lambda p, t: cd_steps(p, t) | {"schema": p.name + ".bounds.schema"},
           kind="mapped", free="bounds: twice the true maxima"),
    *(Solver(f"gcd-literal-{rule}", f"DP-GCD {name}, as printed", f"Algorithms 1 and 2 of the paper, rule {name}, by "
             "the letter: noise of eq. 2 on every partial derivative, inside of the rule. NOT PRIVATE as claimed",
             {"solver": "gcd", "calibration": "paper", "rule": rule, "literal": "yes"}, gcd_axes,
             # without an L1 penalty the three are one
             lambda p, rule=rule: is_greedy(p) and (p.l1 > 0 or rule == "gs-r"), greedy_passes,
             as_steps, ours=False, free=CONSTANTS, literal=True) for rule, name in GREEDY.items()),
    *(Solver(f"gcd-paper-{rule}", f"DP-GCD {name}, paper's noise", f"DP-GCD, rule {name}, with noise of the paper's "
             "size (eq. 2) on the score, where it can be priced",
             {"solver": "gcd", "calibration": "paper", "rule": rule}, gcd_axes,
             is_greedy, greedy_passes, as_steps, ours=False, free=CONSTANTS)
      for rule, name in GREEDY.items()),
    *(Solver(f"gcd-{rule}", f"DP-GCD {name}", f"DP-GCD, rule {name}, with exact accounting",
             {"solver": "gcd", "rule": rule}, gcd_axes,
             lambda p: p.l1 > 0 and p.name != "cal_imb", greedy_passes, as_steps, free=CONSTANTS)
      for rule, name in GREEDY.items()),
    Solver("gcd", "DP-GCD untruncated", "DP-GCD, scores that may be negative, with exact accounting",
           {"solver": "gcd", "rule": "untruncated"}, gcd_axes, lambda p: True, greedy_passes,
           as_steps, free=CONSTANTS),
    Solver("sgd-single", "DP-SGD, single rows", "DP-SGD as the papers run it: each step draws one row, last iterate; "
           "noise as for secret coins of rate 1/n. Drawing exactly one row is not what that price covers",
           {"solver": "sgd", "average": 0, "literal": "yes"}, single_axes,
           lambda p: not p.sparse, single_passes, single_steps, adjacency="add-remove", ours=False,
           cost=8, free=SMOOTH, literal=True),
    Solver("sgd-paper", "DP-SGD in batches, add-remove", "DP-SGD with one clip and one step size for all columns, "
           "batches of a tenth of the rows, last iterate, and the adjacency under which the papers price it",
           {"solver": "sgd", "average": 0, "batch-rate": BATCH}, lambda p, q: sgd_axes(p, q, True),
           lambda p: not p.sparse, sgd_passes, row_steps, adjacency="add-remove", ours=False, cost=3,
           free=SMOOTH),
    Solver("sgd", "DP-SGD", "DP-SGD in units of the columns' scales, batches of a tenth of the rows, average of the "
           "last 70 %, priced as the others are",
           {"solver": "sgd", "average": .7, "batch-rate": BATCH}, lambda p, q: sgd_axes(p, q, False),
           lambda p: not p.sparse, sgd_passes, row_steps, cost=3, free=f"{CONSTANTS}, {SMOOTH}"),
    Solver("gd", "DP-GD", "gradients of all rows, one clip in units of the columns' scales, average of the "
           "last 70 %", {"solver": "gd", "average": .7}, lambda p, q: sgd_axes(p, q, False),
           dense, lambda p, q: (5, 10, 30, 100) if q else (2, 5, 10, 20, 30, 50, 100, 200), as_steps,
           free=f"{CONSTANTS}, {SMOOTH}"),
    Solver("scd", "DP-SCD", "dual coordinate descent by secret batches, the dual hidden",
           {"solver": "scd", "norm-bound": "inf"},
           lambda p, q: {"clip": clips(p.clip["scd"], q),
                         "batch-rate": Axis.of(.005, .02, .1, coarse=[1])},
           lambda p: p.l1 == 0 and p.name.startswith("elec"),
           lambda p, q: (2, 10, 30) if q else PASSES_DPCD, row_steps, adjacency="add-remove", cost=3,
           free="nothing"),
    Solver("fw", "Frank-Wolfe", "private Frank-Wolfe in the L1 ball of the optimum: its radius is an oracle's",
           {"solver": "fw"}, lambda p, q: {"clip": clips(p.clip["coordinate"], q)},
           lambda p: p.l1 > 0 and p.name != "cal_imb",
           lambda p, q: (1, 4, 15, 40, 80) if q else (1, 2, 4, 8, 15, 30, 50, 80), as_steps,
           free="radius of the optimum"),
    Solver("ssp", "Sufficient statistics", "second moments, asked once, then the exact solver on them",
           {"solver": "ssp"}, lambda p, q: {"clip": clips(p.clip["row"], q)},
           lambda p: p.loss == "squared" and p.features <= 300, free=CONSTANTS),
    Solver("svrg", "DP-SVRG", "anchors with a gradient of all rows, then batches of differences",
           {"solver": "svrg"}, lambda p, q: sgd_axes(p, q, False),
           lambda p: p.name in ("cal_std", "cal_imb", "elec_std", "elec_imb", "log1", "log2"),
           adjacency="add-remove", cost=3, free=f"{CONSTANTS}, {SMOOTH}"),
    Solver("output", "Output perturbation", "the minimiser with noise on it; the L2 penalty that it is trained "
           "with is tuned, too", {"solver": "output"},
           lambda p, q: {**minimiser_axes(p, q), **({} if p.loss != "squared" else {
               "clip": Axis.around(p.clip["coordinate"], -3, 3, 3)})}, few, free="nothing"),
    Solver("objective", "Objective perturbation", "the minimiser of an objective with a random linear part; the L2 "
           "penalty that it is trained with is tuned, too", {"solver": "objective"},
           minimiser_axes, lambda p: few(p) and p.loss == "logistic" and p.l1 == 0, free="nothing"),
    Solver("newton", "Newton, bounds tuned", "sotto's Newton method with declared bounds that were tuned; "
           "scales, matrix and clip are bought",
           {"solver": "newton", "penalty-units": "file"},
           lambda p, q: {"schema": Axis.of(*(f"{p.name}.{b:g}.schema" for b in (1, .5, .25, .125)))},
           lambda p: dense(p) and p.features <= 300, kind="mapped",
           free="bounds: a tuned share of the true maxima"),
    Solver("select", "Selection, bounds tuned", "sotto's selection of a few features and Newton on them, with "
           "declared bounds that were tuned",
           {"solver": "auto", "path": "select", "penalty-units": "file"},
           lambda p, q: {"schema": Axis.of(*(f"{p.name}.{b:g}.schema" for b in (1, .5, .25, .125)))},
           lambda p: dense(p) and p.features >= 100, kind="mapped", cost=3,
           free="bounds: a tuned share of the true maxima"),
    Solver("auto", "auto, untuned", "nothing tuned: bounds of powers of two are declared, scales and all else "
           "are bought with the same budget; with an intercept, as its rivals in the same column",
           {"solver": "auto", "penalty-units": "file"}, lambda p, q: {}, lambda p: True, kind="auto",
           cost=3, free="bounds: the next power of two above the largest value"),
]
BY_KEY = {s.key: s for s in SOLVERS}


def seconds_of(p):
    """What reading the table and judging the weights takes, roughly, and a pass or two."""
    return 30e-3 if p.sparse else 2e-3 + 12e-9 * p.rows * p.features


UNSCALED = ("fw", "scd", "scd-paper", "scd-seq", "output", "objective")


class Maker:
    """Studies of a problem, for a table or a figure."""

    def __init__(self, quick, weights):
        self.quick, self.weights = quick, weights     # |w*|_1 by the problem's name

    def judge(self, p, kind):
        return p.name + "~intercept" if kind == "auto" else p.name

    def words(self, p, s):
        words = {**p.words(), "intercept": "no", "threads": 1, "adjacency": s.adjacency,
                 "rows": p.rows}
        if s.kind == "auto":
            words |= {"intercept": "yes", "schema": p.name + ".auto.schema"}
        elif s.kind == "given" and s.words["solver"] not in UNSCALED:
            words["smoothness"] = p.name + (".ones" if s.key in ("sgd-paper", "sgd-single") else ".M")
        if s.words["solver"] == "fw":
            del words["l1"], words["l2"]
            words["radius"] = f"{self.weights[p.name]:.10g}"
        return words | s.words

    def study(self, p, s, group, passes=None, epsilon=None, more=None, axes=None, runs=None):
        epsilon = epsilon or p.epsilon
        words = self.words(p, s) | {"epsilon": f"{epsilon:g}", "delta": repr(p.delta)}
        cost = s.cost
        if passes is not None:
            words |= s.by_pass(p, passes)
            cost *= 1 + (passes / 15 if s.key in ("sgd", "sgd-paper", "scd", "gd") else 0)
        seconds = seconds_of(p) * cost
        if s.key == "sgd-single":
            seconds = seconds_of(p) + 10e-9 * words["steps"] * p.features
        return Study(p.name, s.key, self.judge(p, s.kind), p.file, words | (more or {}),
                     s.axes(p, self.quick) if axes is None else axes, group, passes, epsilon,
                     s.adjacency, runs, seconds)

    def over_passes(self, p, s, group):
        if s.passes is None:
            return [self.study(p, s, group)]
        return [self.study(p, s, group, passes) for passes in s.passes(p, self.quick)]
