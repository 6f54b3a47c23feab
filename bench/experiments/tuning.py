"""Tuning as the papers do it: without privacy, for the least mean error. Its cost is not in epsilon.

Every row has the same grid (solvers.py): that of the papers' appendices, thinned out: a coarse look at all of it, then steps
to the better neighbour on the fine grid, then the best few again with fresh noise. What is reported
is trained anew with noise that tuning has not seen.
"""
import dataclasses
import hashlib
import itertools

import numpy as np

RATIO = 10**(10 / 49)      # np.logspace(-4, 6, 50): the thresholds of DP-GCD's Table 2
STEPS = [float(f"{s:.3g}") for s in np.logspace(-2, 1, 10)]      # and the steps
SMALL_STEPS = [float(f"{s:.3g}") for s in np.logspace(-6, 0, 10)]      # of single rows


@dataclasses.dataclass
class Axis:
    """The values of a setting, and which of them are looked at first."""
    values: list
    coarse: list

    @staticmethod
    def around(size, low=-5, high=6, every=3):
        """Thresholds around a typical size."""
        values = [float(f"{size * RATIO**i:.4g}") for i in range(low, high + 1)]
        return Axis(values, list(range(0, len(values), every)))

    @staticmethod
    def of(*values, coarse=None):
        return Axis(list(values), list(range(len(values))) if coarse is None else coarse)


@dataclasses.dataclass
class Effort:
    """How many runs each look takes."""
    coarse: int
    refine: int
    moves: int
    check: int
    best: int
    final: int


QUICK = Effort(coarse=2, refine=3, moves=3, check=8, best=3, final=25)
TINY = Effort(coarse=1, refine=1, moves=1, check=1, best=1, final=2)
FULL = Effort(coarse=5, refine=5, moves=5, check=20, best=5, final=100)


@dataclasses.dataclass
class Study:
    """A solver on a problem, perhaps with so many passes; its settings are to be found."""
    problem: str
    solver: str
    judge: str              # the problem that it is judged by
    file: str
    words: dict             # options that are fixed
    axes: dict              # name: Axis
    group: str              # which table or figure it is for
    passes: float = None
    epsilon: float = 1.
    adjacency: str = "replace-one"
    runs: int = None        # of the final look, if not the usual number
    cost: float = .01       # seconds that a run may take, roughly

    def key(self):
        passes = "" if self.passes is None else f" passes {self.passes:g}"
        return f"{self.group}: {self.solver} on {self.problem}, epsilon {self.epsilon:g}{passes}"

    def expected(self, effort):
        """Seconds that it may take."""
        if not self.axes:
            return (self.runs or effort.final) * self.cost + .3
        cells = np.prod([len(a.coarse) for a in self.axes.values()])
        looks = cells * effort.coarse + 2 * len(self.axes) * effort.refine * effort.moves
        return (looks + effort.check * effort.best +
                (self.runs or effort.final)) * self.cost + 1


@dataclasses.dataclass
class Cell:
    """Settings, so many runs, and where the noise starts."""
    study: Study
    settings: dict
    runs: int
    stage: str

    def words(self):
        words = {**self.study.words, **self.settings}
        last = {k: words.pop(k) for k in ("literal",) if k in words}
        return [f"{k}={v}" for k, v in {**words, **last}.items()]

    def identity(self):
        return "|".join([self.stage, str(self.runs), self.study.judge, self.study.key(),
                         self.study.file, *self.words()])

    def seed(self):
        """Shared by all settings of a look: they are compared under the same noise."""
        text = f"{self.stage} {self.study.key()}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


def score(result):
    """The mean error; what ran away or was refused is worse than anything."""
    return result["mean"] if "mean" in result else float("inf")


def at(study, index):
    return {name: axis.values[i] for (name, axis), i in zip(study.axes.items(), index)}


def around(study, index):
    """The neighbours on the fine grid, one setting changed at a time, and the middle."""
    near = [index]
    for k, axis in enumerate(study.axes.values()):
        for i in (index[k] - 1, index[k] + 1):
            if 0 <= i < len(axis.values):
                near.append(index[:k] + (i,) + index[k + 1:])
    return near


def tune(study, effort):
    """A generator: yields lists of cells, is sent their results; returns (settings, result).

    The result says how many settings were tried.
    """
    if not study.axes:
        (result,) = yield [Cell(study, {}, study.runs or effort.final, "final")]
        return {}, {**result, "tried": 1}
    seen = {}

    def look(indices, runs, stage):
        results = yield [Cell(study, at(study, i), runs, stage) for i in indices]
        for i, result in zip(indices, results):
            seen[i] = (runs, score(result), result)
        return min(indices, key=lambda i: seen[i][1])

    first = list(itertools.product(*(a.coarse for a in study.axes.values())))
    best = yield from look(first, effort.coarse, "coarse")
    if not np.isfinite(seen[best][1]):
        return at(study, best), {**seen[best][2], "tried": len(seen)}  # all refused: a message
    for move in range(effort.moves):
        better = yield from look(around(study, best), effort.refine, f"refine {move}")
        if better == best:
            break
        best = better
    kept = sorted(seen, key=lambda i: (-(seen[i][0] > effort.coarse), seen[i][1]))[:effort.best]
    last = [at(study, i) for i in kept]
    results = yield [Cell(study, settings, effort.check, "check") for settings in last]
    best = last[min(range(len(last)), key=lambda i: score(results[i]))]
    (result,) = yield [Cell(study, best, study.runs or effort.final, "final")]
    return best, {**result, "tried": len(seen)}
