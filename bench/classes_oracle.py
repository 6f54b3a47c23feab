#!/usr/bin/python3
"""Private models of more than two classes beside gradient descent that is told everything.

    bench/classes_oracle.py [--build build] [--runs 20] [--epsilon .1 1 3] [--write] [SET...]

The problem is the one that `auto` solves, with the same penalty (l2 = 1/n in units of the fit). The
oracle is DP-GD on the weights of all classes together: it knows the true means and scales, spends
nothing on them, and its rounds (30 to 810), clip and step are the best of 48. They are chosen twice:
by the training objective, which is what a fit is for, and by the test accuracy that is shown. Both
look at the records without charge, so nobody can have them. The sets are those of bench/classes.py.
Results are kept in a file, --keep, so that a run that was interrupted goes on. With --write the table
goes into docs/notes/auto.md.
"""
import argparse
import json
import math
import os
import tempfile

import numpy as np

from classes import ROOT, SETS, Problem, mu_of, write_table

ROUNDS, CLIPS, STEPS = (30, 90, 270, 810), (.5, 1, 2, 4), (.5, 2, 8)
TUNING_SEEDS = 1


class Oracle:
    """The penalised problem in columns of mean 0 and deviation 1."""

    def __init__(self, problem):
        middle, scale = problem.x.mean(0), problem.x.std(0)
        self.rows, self.classes, self.delta = problem.rows, problem.classes, problem.delta
        self.z, self.zt = (np.column_stack([(x - middle) / scale, np.ones(len(x))]).astype(np.float32)
                           for x in (problem.x, problem.xt))
        self.y, self.yt = problem.y, problem.yt
        self.length = np.linalg.norm(self.z, axis=1)
        # a weight of the fit is that of a column over its bound
        self.l2 = np.append(problem.l2 * (problem.bound / scale) ** 2, 0).astype(np.float32)

    def descend(self, mu, rounds, clip, step, seed):
        """The mean of the last half of the rounds: d x K."""
        draw, d = np.random.default_rng([7, seed]), self.z.shape[1]
        w, total = (np.zeros((d, self.classes), np.float32) for _ in range(2))
        shrink, across = (1 / (1 + step * self.l2))[:, None], np.ascontiguousarray(self.z.T)
        sd, at = np.float32(clip / (mu / math.sqrt(rounds)) / self.rows), np.arange(self.rows)
        for t in range(rounds):
            slope = w.T @ across  # K x n: sums over classes are then sums of rows
            slope -= slope.max(0)
            np.exp(slope, out=slope)
            slope /= slope.sum(0)
            slope[self.y, at] -= 1
            far = np.sqrt((slope * slope).sum(0)) * self.length
            slope *= clip / np.maximum(far, np.float32(clip))
            gradient = (slope @ self.z).T / np.float32(self.rows)
            w = shrink * (w - np.float32(step) * (
                gradient + sd * draw.standard_normal(w.shape, np.float32)))
            if t >= rounds // 2:
                total += w
        return total / (rounds - rounds // 2)

    def objective(self, w):
        margin = (self.z @ w).astype(float)
        most = margin.max(1)
        loss = np.log(np.exp(margin - most[:, None]).sum(1)) + most - margin[np.arange(self.rows), self.y]
        found = loss.mean() + .5 * float((self.l2[:, None] * w.astype(float) ** 2).sum())
        return found if math.isfinite(found) else math.inf

    def accuracy(self, w):
        return float(np.mean(np.argmax(self.zt @ w, 1) == self.yt))

    def tune(self, epsilon):
        """[objective, accuracy, rounds, clip, step] of every setting."""
        mu, found = mu_of(epsilon, self.delta), []
        for rounds in ROUNDS:
            for clip in CLIPS:
                for step in STEPS:
                    w = [self.descend(mu, rounds, clip, step, s) for s in range(TUNING_SEEDS)]
                    found.append([float(np.mean([self.objective(v) for v in w])),
                                  float(np.mean([self.accuracy(v) for v in w])), rounds, clip, step])
        return found

    def runs(self, epsilon, setting, count):
        mu = mu_of(epsilon, self.delta)
        return [self.accuracy(self.descend(mu, *setting, 100 + s)) for s in range(count)]


class Kept:
    """Results by name, in a file."""

    def __init__(self, path):
        self.path, self.found = path, {}
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                self.found = json.load(file)

    def get(self, name, make):
        if name not in self.found:
            self.found[name] = make()
            with open(self.path + ".new", "w", encoding="ascii") as file:
                json.dump(self.found, file)
            os.replace(self.path + ".new", self.path)
            print(name, flush=True)
        return self.found[name]


def cell(problem, oracle, kept, epsilon, runs):
    name = f"{problem.name} {epsilon:g} "
    tuned = kept.get(name + "tuned", lambda: oracle.tune(epsilon))
    best = {"objective": min(tuned, key=lambda f: f[0])[2:], "accuracy": max(tuned, key=lambda f: f[1])[2:]}
    ours = {by: kept.get(name + by, lambda s=s: oracle.runs(epsilon, s, runs)) for by, s in best.items()}
    auto = kept.get(name + "auto", lambda: [problem.private(epsilon, s + 1) for s in range(runs)])
    rounds = best["objective"][0]
    return (f"{np.mean(auto):.3f} ({np.std(auto) / len(auto) ** .5:.3f}) / "
            f"{np.mean(ours['objective']):.3f} (T {rounds}) / {np.mean(ours['accuracy']):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--keep", default=os.path.join(ROOT, "build", "classes_oracle.json"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[.1, 1, 3])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    kept = Kept(args.keep)
    lines = ["| set | exact | " + " | ".join(
        f"epsilon {e:g}: auto (se) / oracle by objective / by accuracy" for e in args.epsilon) + " |",
             "|---" * (2 + len(args.epsilon)) + "|"]
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets or SETS:
            problem = Problem(folder, os.path.abspath(args.build), name)
            oracle = Oracle(problem)
            cells = [cell(problem, oracle, kept, e, args.runs) for e in args.epsilon]
            exact = kept.get(f"{name} exact", problem.exact)
            lines.append(f"| {name} | {exact:.3f} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    if args.write:
        write_table("oracle", lines)


if __name__ == "__main__":
    main()
