"""The solvers that are compared: a line each, and the grids that they are tuned on.

A solver says which options are fixed, what one pass over the data is for it, and which settings
are tuned. One that is added here shows up in every table and figure whose problems it can do.
"""
import dataclasses

from .tuning import FINE_STEPS, STEPS, Axis, Study

DPCD = ("cal_std", "cal_imb", "elec_std", "elec_imb", "sparse10")
IMBALANCED = ("cal_imb", "elec_imb")
DPGCD = ("log1", "log2", "meltingpoint", "mad_l1", "square", "cal_std", "dorothea")
NAMED = ("cal_std", "cal_imb", "elec_std", "elec_imb", "sparse10", "square", "log1", "log2",
         "mad_l1", "meltingpoint", "dorothea")
SCD_TASKS = ("ridge_california", "logistic_a9a", "svm_adult81")

# Passes over the data: p steps of DP-CD, n records of DP-SGD, one step of DP-GCD.
PASSES_DPCD = (2, 5, 10, 20, 50)
PASSES_SMALL = (.001, .01, .1, 1, 2, 5, 10, 20)
PASSES_SMALL_QUICK = (.01, .1, 1, 5)
STEPS_GREEDY = (1, 2, 4, 7, 10, 15, 20)
STEPS_GREEDY_QUICK = (1, 2, 4, 7, 15)
STEPS_OURS = (1, 2, 4, 6, 8, 10, 14, 20)
STEPS_OURS_QUICK = (1, 2, 4, 8, 14, 20)


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


def step_axis(coarse, fine=False):
    """The papers' step sizes, and for sotto's own variants those between them."""
    values = FINE_STEPS if fine else STEPS
    return Axis(values, [values.index(s) for s in coarse])


def scaled_steps(beta):
    """Step sizes of DP-SGD and DP-GD are gamma / beta."""
    values = [float(f"{g / beta:.4g}") for g in (.01, .02, .05, .1, .2, .5, 1, 2, 4)]
    return Axis(values, [1, 4, 6])


def dense(p):
    return not p.sparse


def every(quick):
    return 3 if quick else 2


def cd_axes(p, quick, size="cd", fine=False):
    return {"clip": Axis.around(p.clip[size], -6, 6, every(quick)),
            "step-size": step_axis((.1, .464, 2.15) if quick else (.0464, .215, 1, 4.64), fine)}


def averaged(axes, values=(0, .5)):
    return {**axes, "average": Axis.of(*values, coarse=[len(values) - 1])}


def gcd_axes(p, quick, fine=False):
    return {"clip": Axis.around(p.clip["gcd"], -4, 6, every(quick)),
            "step-size": step_axis((1, 2.15) if quick else (.464, 1, 2.15, 4.64), fine)}


def shared(p, quick):
    return {**gcd_axes(p, quick, True),
            "selection-share": Axis.of(.3, .5, .7, .85, coarse=[2])}


def sgd_axes(p, quick, plain):
    # a coin for each row of each batch: small batches take long
    rates = Axis.of(1 / 64, .1) if quick else Axis.of(.002, 1 / 64, .1, coarse=[1])
    return {"clip": Axis.around(p.clip["plain" if plain else "gd"], -6, 3, every(quick)),
            "step-size": scaled_steps(p.beta["plain" if plain else "scaled"]),
            "batch-rate": rates}


def minimiser_axes(p, quick):
    """How long rows may be, and how much more L2 penalty than the problem has."""
    slope = p.clip["gcd"] * (1 if p.loss == "squared" else .5)
    least = max(p.l2, 1e-6)
    return {"norm-bound": Axis.around(p.clip["plain"] / slope, -4, 3, 2 if quick else 1),
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


def as_steps(p, passes):
    return {"steps": passes}


def row_steps(p, passes):
    return {"passes": max(1, round(passes))}


def given(p):
    return {"smoothness": p.name + ".M"}


GREEDY = {"gs-s": "GS-s", "gs-r": "GS-r", "gs-q": "GS-q"}

SOLVERS = [
    Solver("cd-paper", "DP-CD, paper's noise", "DP-CD with the noise of its paper (eq. 18), last iterate",
           {"solver": "cd", "calibration": "paper", "average": 0}, cd_axes, lambda p: True,
           cd_passes, cd_steps, ours=False),
    Solver("cd", "DP-CD", "DP-CD with exact accounting, last iterate or an average",
           {"solver": "cd"}, lambda p, q: averaged(cd_axes(p, q, fine=True)), lambda p: True, cd_passes,
           cd_steps),
    Solver("cd-private", "DP-CD, private constants", "DP-CD that buys the smoothness constants with a part of the "
           "budget, from bounds of twice the largest values",
           {"solver": "cd", "smoothness": "private", "penalty-units": "file"},
           lambda p, q: averaged(cd_axes(p, q, "bounds", fine=True)), lambda p: p.name in IMBALANCED,
           cd_passes, lambda p, t: cd_steps(p, t) | {"schema": p.name + ".bounds.schema"},
           kind="mapped"),
    *(Solver(f"gcd-paper-{rule}", f"DP-GCD {name}, paper's noise", f"DP-GCD, rule {name}, with the noise of "
             "its paper (eq. 2)", {"solver": "gcd", "calibration": "paper", "rule": rule}, gcd_axes,
             lambda p: p.name not in ("cal_imb", "elec_std", "elec_imb"), greedy_passes, as_steps,
             ours=False) for rule, name in GREEDY.items()),
    *(Solver(f"gcd-{rule}", f"DP-GCD {name}", f"DP-GCD, rule {name}, with exact accounting",
             {"solver": "gcd", "rule": rule},
             lambda p, q: {**shared(p, q), "steps": Axis.of(1, 2, 4, 7, 10, 14, 20, coarse=[1, 4])},
             lambda p: p.l1 > 0 and p.name != "cal_imb") for rule, name in GREEDY.items()),
    Solver("gcd", "DP-GCD untruncated", "DP-GCD, scores that may be negative, with exact accounting",
           {"solver": "gcd", "rule": "untruncated"}, shared, lambda p: True,
           lambda p, q: STEPS_OURS_QUICK if q else STEPS_OURS, as_steps),
    Solver("sgd-paper", "DP-SGD, add-remove", "DP-SGD with one clip and one step size for all columns and "
           "the adjacency under which the papers price it",
           {"solver": "sgd", "average": 0}, lambda p, q: sgd_axes(p, q, True),
           lambda p: not p.sparse, sgd_passes, row_steps, adjacency="add-remove", ours=False, cost=3),
    Solver("sgd", "DP-SGD", "DP-SGD in units of the columns' scales, average of the last 70 %, priced as "
           "the others are",
           {"solver": "sgd", "average": .7}, lambda p, q: sgd_axes(p, q, False),
           lambda p: not p.sparse, sgd_passes, row_steps, cost=3),
    Solver("gd", "DP-GD", "gradients of all rows, one clip in units of the columns' scales, average of the "
           "last 70 %", {"solver": "gd", "average": .7},
           lambda p, q: {"clip": Axis.around(p.clip["gd"], -6, 5, every(q)),
                         "step-size": scaled_steps(p.beta["scaled"]),
                         "momentum": Axis.of(0, .9, coarse=[0])},
           dense, lambda p, q: (5, 10, 30, 100) if q else (2, 5, 10, 20, 30, 50, 100, 200), as_steps),
    Solver("scd", "DP-SCD", "dual coordinate descent by secret batches, the dual hidden",
           {"solver": "scd", "norm-bound": "inf"},
           lambda p, q: {"clip": Axis.around(p.clip["scd"], -4, 4, every(q)),
                         "batch-rate": Axis.of(.005, .02, .1, coarse=[1])},
           lambda p: p.l1 == 0 and p.name.startswith("elec"),
           lambda p, q: (2, 10, 30) if q else PASSES_DPCD, row_steps, adjacency="add-remove", cost=3),
    Solver("fw", "Frank-Wolfe", "private Frank-Wolfe in the L1 ball of the optimum: its radius is an oracle's",
           {"solver": "fw"},
           lambda p, q: {"clip": Axis.around(p.clip["coordinate"], -6, 3, every(q))},
           lambda p: p.l1 > 0 and p.name != "cal_imb",
           lambda p, q: (1, 4, 15, 40, 80) if q else (1, 2, 4, 8, 15, 30, 50, 80), as_steps),
    Solver("ssp", "Sufficient statistics", "second moments, asked once, then the exact solver on them",
           {"solver": "ssp"}, lambda p, q: {"clip": Axis.around(p.clip["row"], -4, 6, 2)},
           lambda p: p.loss == "squared" and p.features <= 300, ours=True),
    Solver("svrg", "DP-SVRG", "anchors with a gradient of all rows, then batches of differences",
           {"solver": "svrg"},
           lambda p, q: {"clip": Axis.around(p.clip["gd"], -3, 4, every(q)),
                         "difference-clip": Axis.around(p.clip["gd"], -8, 1, every(q)),
                         "step-size": scaled_steps(p.beta["scaled"]),
                         "rounds": Axis.of(2, 4, 8, coarse=[1]),
                         "batch-rate": Axis.of(.05, .2, coarse=[1])},
           lambda p: p.name in ("cal_std", "cal_imb", "elec_std", "elec_imb", "log1", "log2"),
           adjacency="add-remove", cost=3),
    Solver("output", "Output perturbation", "the minimiser with noise on it; the L2 penalty that it is trained "
           "with is tuned, too", {"solver": "output"},
           lambda p, q: {**minimiser_axes(p, q), **({} if p.loss != "squared" else {
               "clip": Axis.around(p.clip["coordinate"], -3, 3, 3)})}, lambda p: few(p)),
    Solver("objective", "Objective perturbation", "the minimiser of an objective with a random linear part; the L2 "
           "penalty that it is trained with is tuned, too", {"solver": "objective"},
           minimiser_axes, lambda p: few(p) and p.loss == "logistic" and p.l1 == 0),
    Solver("newton", "Newton, bounds tuned", "sotto's Newton method with declared bounds that were tuned; "
           "scales, matrix and clip are bought",
           {"solver": "newton", "penalty-units": "file"},
           lambda p, q: {"schema": Axis.of(*(f"{p.name}.{b:g}.schema" for b in (1, .5, .25, .125)))},
           lambda p: dense(p) and p.features <= 300, kind="mapped"),
    Solver("select", "Selection, bounds tuned", "sotto's selection of a few features and Newton on them, with "
           "declared bounds that were tuned",
           {"solver": "auto", "path": "select", "penalty-units": "file"},
           lambda p, q: {"schema": Axis.of(*(f"{p.name}.{b:g}.schema" for b in (1, .5, .25, .125)))},
           lambda p: dense(p) and p.features >= 100, kind="mapped", cost=3),
    Solver("auto", "auto, untuned", "nothing tuned: bounds of powers of two are declared, scales and all else "
           "are bought with the same budget; with an intercept, as its rivals in the same column",
           {"solver": "auto", "penalty-units": "file"}, lambda p, q: {}, lambda p: True, kind="auto",
           cost=3),
]
BY_KEY = {s.key: s for s in SOLVERS}

# What finer grids have found before (half square): they compete with the best of this one.
KNOWN = {
    ("cd", "cal_std", 20): {"clip": 12.9, "step-size": .3, "average": .5},
    ("cd", "cal_imb", 50): {"clip": 6950, "step-size": .46, "average": 0},
    ("cd", "elec_std", 50): {"clip": 3.52, "step-size": 1, "average": .5},
    ("cd", "elec_imb", 50): {"clip": 7.62, "step-size": 2.15, "average": .5},
    ("gcd", "square", 8): {"clip": 2.4, "step-size": 1.6, "selection-share": .7},
    ("gcd", "sparse10", 14): {"clip": 4.26, "step-size": 1, "selection-share": .3},
    ("gcd", "log1", 14): {"clip": .67, "step-size": 2.15, "selection-share": .7},
    ("gcd", "log2", 4): {"clip": .67, "step-size": 2.15, "selection-share": .85},
    ("gcd", "mad_l1", 1): {"clip": .78, "step-size": 2.15, "selection-share": .5},
    ("gcd", "dorothea", 2): {"clip": 1.2, "step-size": 2.15, "selection-share": .8},
    ("gd", "cal_std", 30): {"clip": 7.78, "step-size": .49, "momentum": 0},
    ("gd", "elec_std", 100): {"clip": 6.25, "step-size": .82, "momentum": 0},
    ("fw", "mad_l1", 4): {"clip": .2}, ("fw", "sparse10", 80): {"clip": .3},
    ("svrg", "cal_std", None): {"rounds": 8, "batch-rate": .2, "clip": 4, "difference-clip": .5,
                                "step-size": .3},
}


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
            words["smoothness"] = p.name + (".ones" if s.key == "sgd-paper" else ".M")
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
        known = KNOWN.get((s.key, p.name, passes))
        return Study(p.name, s.key, self.judge(p, s.kind), p.file, words | (more or {}),
                     s.axes(p, self.quick) if axes is None else axes, group, passes, epsilon,
                     s.adjacency, [known] if known and axes is None else [], runs,
                     seconds_of(p) * cost)

    def over_passes(self, p, s, group):
        if s.passes is None:
            return [self.study(p, s, group)]
        return [self.study(p, s, group, passes) for passes in s.passes(p, self.quick)]
