"""What is run: every problem with every solver that can do it, and the figures that need more."""
from .solvers import BY_KEY, NAMED, SCD_TASKS, SOLVERS, Maker, clips, greedy_passes, steps
from .tuning import Axis, Study

EPSILONS = (.1, .3, 1, 3, 10)
EPSILON_PROBLEMS = ("cal_std", "elec_imb", "log2", "square", "mad_l1")
EPSILON_SOLVERS = ("cd", "gcd", "gd", "auto")
SCD_EPSILONS = (.1, .5, 1, 2)
SCD_SOLVERS = {"scd": "DP-SCD", "scd-paper": "DP-SCD, paper's", "scd-seq": "SeqDP-SCD",
               "sgd": "DP-SGD"}
SCD_RATES = (.0005, .001, .002, .005, .01, .02, .05, .1, .3)
SCD_RATES_QUICK = (.001, .003, .01, .03, .1, .3)
SCD_CLIPS = (.02, .05, .1, .25, .5, 1)


def named_studies(problems, maker):
    """Relative error over passes, on the named problems."""
    out = []
    for name in (n for n in NAMED if n in problems):
        for s in SOLVERS:
            if s.can(problems[name]):
                out += maker.over_passes(problems[name], s, "passes")
    return out


def public_dorothea(problems, maker):
    """dorothea without M_j: all constants are what the bounds 0 and 1 say."""
    if "dorothea" not in problems:
        return []
    p = problems["dorothea"]
    return [maker.study(p, BY_KEY["gcd"], "public", passes,
                        more={"smoothness": p.name + ".public.M"})
            for passes in greedy_passes(p, maker.quick)]


def epsilon_studies(problems, maker):
    """Privacy and utility: the same, tuned at each epsilon."""
    passes = {"cd": lambda p: Axis.of(*(max(1, round(f * p.features)) for f in (.02, .2, 2, 10, 40)),
                                      coarse=[1, 2, 3]),
              "gcd": lambda p: Axis.of(1, 2, 4, 8, 14, 20, coarse=[1, 4]),
              "gd": lambda p: Axis.of(5, 15, 40, 100, coarse=[1, 3])}
    out = []
    for name in EPSILON_PROBLEMS:
        for key in EPSILON_SOLVERS if name in problems else ():
            p, s = problems[name], BY_KEY[key]
            for epsilon in EPSILONS:
                axes = None
                if key in passes:
                    axes = {**s.axes(p, True), "steps": passes[key](p)}
                out.append(maker.study(p, s, "epsilon", epsilon=epsilon, axes=axes))
    return out


def scd_adjacency(key):
    """Blocks that take turns go by a row's place, which another row's absence would change."""
    return "zero-out" if key == "scd-seq" else "add-remove"


def scd_words(p, key, rate=None):
    words = {**p.words(), "solver": key, "intercept": "no", "threads": 1,
             "adjacency": scd_adjacency(key), "rows": p.rows, "delta": repr(p.delta)}
    if key == "sgd":
        return words | {"smoothness": p.name + ".ones", "average": .5}
    return words | ({"batch-rate": rate} if rate else {})


def scd_axes(p, key, quick):
    """The same for all; only DP-SGD has a step."""
    shared = {"clip": clips(p.clip["plain"] if key == "sgd" else .25, quick),
              "batch-rate": Axis.of(.005, .02, .1, coarse=[1]), "passes": Axis.of(5, 15, coarse=[1])}
    return shared | ({"step-size": steps(quick, p.beta["plain"])} if key == "sgd" else {})


def scd_studies(problems, quick):
    """DP-SCD's Figure 1 (over epsilon) and Figure 3 (batches and clips)."""
    out = []
    for name in SCD_TASKS:
        for key in SCD_SOLVERS if name in problems else ():
            p = problems[name]
            for epsilon in SCD_EPSILONS:
                out.append(Study(name, key, name, p.file,
                                 scd_words(p, key) | {"epsilon": f"{epsilon:g}"},
                                 scd_axes(p, key, quick), "scd-epsilon", None, epsilon,
                                 scd_adjacency(key), runs=20 if quick else None, cost=.05))
    if "ridge_california" in problems:
        p = problems["ridge_california"]
        for rate in SCD_RATES_QUICK if quick else SCD_RATES:
            for clip in SCD_CLIPS:
                out.append(Study(p.name, "scd", p.name, p.file, scd_words(p, "scd", rate) |
                                 {"epsilon": "1", "clip": clip, "passes": 15}, {},
                                 f"scd-batch {rate:g} {clip:g}", None, 1., "add-remove",
                                 runs=10 if quick else 50, cost=.03))
    return out


def everything(problems, quick, weights):
    maker = Maker(quick, weights)
    return (named_studies(problems, maker) + public_dorothea(problems, maker) +
            epsilon_studies(problems, maker) + scd_studies(problems, quick))
