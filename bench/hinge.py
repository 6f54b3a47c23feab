#!/usr/bin/python3
"""The hinge loss: `--solver auto`, which asks about it with a bend, beside `scd` and the squared hinge.

Every set has columns with declared bounds (the power of two above the largest size) and l2 = 1/n in
the table's units; neighbours differ in a replaced record, delta = 1/n^2. An error is (F - F*)/F* of
the hinge objective itself, on the training rows, with F* of the exact solver. Three tables:

    auto    with an intercept: auto with the hinge, auto with the squared hinge (its accuracy only)
    dual    rows of norm at most 1, no intercept: scd with its defaults, scd by the best of a grid,
            auto with the hinge
    bias    what bends of several widths do to the minimiser, without noise

    hinge.py --build build auto|dual|bias [SET...] [--runs N] [--epsilon E...] [--no-grid]
"""
import argparse
import itertools
import json
import os
import subprocess
import tempfile

import numpy as np

import auto

SETS = ("elec_std", "elec_raw", "adult81", "a9a", "mammography", "waveform", "pendigits")
GRID = {"batch-rate": (.002, .01), "passes": (15, 40, 150), "travel": (.03, .1, .3, 1.)}


def rows_of(name):
    if name in ("mammography", "waveform", "pendigits"):
        x, y = auto.table(f"more/{name}.csv.gz")
        y = y % 2 == 1 if name == "pendigits" else y > 0
        return (x - x.mean(0)) / x.std(0), np.where(y, 1., -1.)
    return auto.real(name)[:2]


class Set:
    """A table in a folder, its schema, and the hinge objective."""

    def __init__(self, folder, build, name, dual):
        self.folder, self.build, self.dual = folder, build, dual
        self.x, self.y = rows_of(name)
        if dual:
            self.x = self.x / np.maximum(1, np.linalg.norm(self.x, axis=1))[:, None] * (1 - 1e-9)
        self.rows, self.features = self.x.shape
        np.save(os.path.join(folder, "rows.npy"), np.column_stack([self.x, self.y]))
        bounds = auto.power_above(abs(self.x).max(0))
        columns = {str(j + 1): {"type": "number", "bounds": [-b, b]}
                   for j, b in enumerate(map(float, bounds))}
        columns[str(self.features + 1)] = {"type": "target"}
        with open(os.path.join(folder, "schema.json"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "columns": columns}, file)
        self.best = self.exact()
        self.least = self.objective(*self.best)

    def objective(self, weights, intercept):
        missing = np.maximum(0, 1 - self.y * (self.x @ weights + intercept))
        return missing.mean() + weights @ weights / (2 * self.rows)

    def accuracy(self, weights, intercept):
        return ((self.x @ weights + intercept > 0) == (self.y > 0)).mean()

    def options(self, loss="hinge"):
        return {"target": str(self.features + 1), "loss": loss, "l2": repr(1 / self.rows),
                "intercept": "no" if self.dual else "yes"}

    def exact(self):
        words = [w for k, v in self.options().items() if k != "intercept" for w in ("--" + k, v)]
        subprocess.run([os.path.join(self.build, "sotto"), "train", "rows.npy", *words,
                        *["--no-intercept"] * self.dual, "--epsilon", "inf", "--quiet", "-o",
                        "m.json"], cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "m.json"), encoding="utf-8") as file:
            model = json.load(file)
        return np.array(model["weights"]), model["intercept"]

    def fits(self, runs, epsilon, loss="hinge", solver="auto", **more):
        options = self.options(loss) | {"epsilon": repr(epsilon), "delta": repr(1 / self.rows**2),
                                        "adjacency": "replace-one", "solver": solver, "threads": "1"}
        if solver == "auto":
            options |= {"schema": "schema.json", "penalty-units": "file"}
        else:
            options |= {"rows": str(self.rows)}
        words = [f"{k}={v}" for k, v in (options | more).items()]
        out = subprocess.run([os.path.join(self.build, "bench", "bench_repeat"), str(runs),
                              "rows.npy", *words], cwd=self.folder, check=True,
                             stdout=subprocess.PIPE).stdout
        return [(w[:-1], w[-1]) for w in np.frombuffer(out).reshape(runs, -1)]

    def judge(self, fits):
        """The mean error, its standard error, and the mean accuracy."""
        errors = [self.objective(*f) / self.least - 1 for f in fits]
        return (np.mean(errors), np.std(errors) / len(errors)**.5,
                np.mean([self.accuracy(*f) for f in fits]))


def auto_table(s, name, runs, epsilons):
    for epsilon in epsilons:
        error, se, right = s.judge(s.fits(runs, epsilon))
        squared = s.judge(s.fits(runs, epsilon, loss="squared-hinge"))[2]
        rate = min((s.y > 0).mean(), (s.y < 0).mean())
        print(f"| {name} | {epsilon:g} | {2 * rate / s.least - 1:.3f} | {error:.5f} ({se:.5f}) "
              f"| {right:.4f} | {squared:.4f} | {s.accuracy(*s.best):.4f} |", flush=True)


def tuned(s, epsilon, runs):
    """The best of the grid by two runs each, judged by fresh ones. Travel is clip x passes."""
    best = np.inf, {}
    for rate, passes, travel in itertools.product(*GRID.values()):
        more = {"batch-rate": rate, "passes": passes, "clip": travel / passes}
        error = s.judge(s.fits(2, epsilon, solver="scd", **more))[0]
        if error < best[0]:
            best = error, more
    return s.judge(s.fits(runs, epsilon, solver="scd", **best[1])), best[1]


def dual_table(s, name, runs, epsilons, grid):
    for epsilon in epsilons:
        ours, scd = s.judge(s.fits(runs, epsilon)), s.judge(s.fits(runs, epsilon, solver="scd"))
        best, more = tuned(s, epsilon, runs) if grid else ((np.nan,) * 3, {})
        print(f"| {name} | {epsilon:g} | {scd[0]:.4f} ({scd[1]:.4f}) | {best[0]:.4f} | {ours[0]:.5f} "
              f"| {scd[2]:.4f} | {best[2]:.4f} | {ours[2]:.4f} | {more}", flush=True)


def bent(s, width):
    """The minimiser of the objective with a bend of this width, without noise."""
    from scipy.optimize import minimize  # which no other table needs
    x = np.column_stack([s.x, np.ones(s.rows)]) * s.y[:, None]
    l2 = np.append(np.full(s.features, 1 / s.rows), 0)

    def objective(w):
        gap = 1 - x @ w
        part = np.clip(gap / width + .5, 0, 1)
        values = np.where(part < 1, part**2 * width / 2, gap)
        return values.mean() + l2 @ w**2 / 2, l2 * w - part @ x / s.rows

    found = minimize(objective, np.append(*s.best), jac=True, method="L-BFGS-B",
                     options={"maxiter": 5000, "maxfun": 6000, "ftol": 1e-13, "gtol": 1e-9,
                              "maxcor": 30}).x
    return found[:-1], found[-1]


def bias_table(s, name):
    errors = (s.objective(*bent(s, width)) / s.least - 1 for width in (2, 1, .5, .25))
    print(f"| {name} | " + " | ".join(f"{error:.4f}" for error in errors) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(auto.ROOT, "build"))
    parser.add_argument("table", choices=("auto", "dual", "bias"))
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[.3, 1., 3.])
    parser.add_argument("--no-grid", action="store_true")
    args = parser.parse_args()
    for name in args.sets:
        with tempfile.TemporaryDirectory() as folder:
            s = Set(folder, os.path.abspath(args.build), name, args.table == "dual")
            if args.table == "bias":
                bias_table(s, name)
            elif args.table == "auto":
                auto_table(s, name, args.runs, args.epsilon)
            else:
                dual_table(s, name, args.runs, args.epsilon, not args.no_grid)


if __name__ == "__main__":
    main()
