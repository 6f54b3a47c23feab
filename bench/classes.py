#!/usr/bin/python3
"""How good private models of more than two classes are.

    bench/classes.py [--build build] [--runs 20] [--epsilon .1 1 3] [--write] [SET...]

Test accuracy, means of the runs with their standard error, of `--solver auto` (add-remove, delta =
1/n^2, l2 = 1/n in units of the fit, n public, bounds = the power of two above the largest size, 80/20
split) beside the exact fit; one-versus-rest, for which each class gets mu / sqrt(K); and gradient
descent that knows the true means and scales and whose steps, step size and clip were tuned on the
test accuracy, without charge. pendigits comes from the data folder, the others are drawn here:
waveform by its published generator (Breiman et al. 1984), clusters of even and of uneven classes.
With --write the table goes into docs/notes/auto.md.
"""
import argparse
import concurrent.futures
import gzip
import json
import math
import os
import re
import subprocess
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("SOTTO_DATA", os.path.join(os.path.dirname(ROOT), "shared", "data"))
PAGE = os.path.join(ROOT, "docs", "notes", "auto.md")
SETS = ("pendigits", "waveform", "even", "uneven")


def waveform(rows=5000):
    """21 points of a mixture of two of three triangles, and 19 columns of noise."""
    draw, at = np.random.default_rng(7), np.arange(1, 22)
    waves = np.array([np.maximum(6 - abs(at - middle), 0) for middle in (7, 15, 11)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    y, part = draw.integers(0, 3, rows), draw.random((rows, 1))
    x = part * waves[pairs[y, 0]] + (1 - part) * waves[pairs[y, 1]]
    return np.column_stack([x + draw.standard_normal((rows, 21)),
                            draw.standard_normal((rows, 19))]), y


def clusters(rows, columns, rates, apart):
    draw, classes = np.random.default_rng(11), len(rates)
    centres = apart * draw.standard_normal((classes, columns))
    y = draw.choice(classes, rows, p=np.array(rates) / sum(rates))
    mix = draw.standard_normal((columns, columns)) / columns ** .5 + np.eye(columns)
    return centres[y] + draw.standard_normal((rows, columns)) @ mix, y


def load(name):
    if name == "pendigits":
        with gzip.open(os.path.join(DATA, "more", "pendigits.csv.gz"), "rt") as file:
            table = np.genfromtxt(file, delimiter=",", skip_header=1)
        return table[:, :-1], table[:, -1].astype(int)
    return {"waveform": waveform, "even": lambda: clusters(6000, 20, [1] * 6, .6),
            "uneven": lambda: clusters(8000, 12, [8, 4, 4, 2, 1, 1, 1, 1], .8)}[name]()


def mu_of(epsilon, delta):
    """The mu of a Gaussian answer that is (epsilon, delta)-private."""
    def phi(x):
        return .5 * math.erfc(-x / math.sqrt(2))
    low, high = 1e-6, 60.
    for _ in range(200):
        mu = (low + high) / 2
        spent = phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)
        low, high = (mu, high) if spent < delta else (low, mu)
    return low


def epsilon_of(mu, delta):
    low, high = 1e-6, 100.
    for _ in range(200):
        epsilon = (low + high) / 2
        low, high = (epsilon, high) if mu_of(epsilon, delta) < mu else (low, epsilon)
    return low


class Problem:
    def __init__(self, folder, build, name):
        x, y = self.data(name)
        order = np.random.default_rng(1000).permutation(len(y))
        cut = int(.8 * len(y))
        self.folder, self.program, self.name = folder, os.path.join(build, "sotto"), name
        self.x, self.y = x[order[:cut]], y[order[:cut]]
        self.xt, self.yt = x[order[cut:]], y[order[cut:]]
        self.classes, self.rows = int(y.max()) + 1, cut
        self.delta, self.l2 = 1 / cut ** 2, 1 / cut
        self.bound = 2. ** np.ceil(np.log2(abs(self.x).max(0)))
        self.put("all", self.y, self.yt, range(self.classes))
        for k in range(self.classes):
            self.put(f"one{k}", np.where(self.y == k, 1, -1), np.where(self.yt == k, 1, -1),
                     (-1, 1))

    def data(self, name):
        return load(name)

    def path(self, name):
        return os.path.join(self.folder, f"{self.name}.{name}")

    def put(self, name, y, yt, classes):
        np.save(self.path(name + ".npy"), np.column_stack([self.x, y]).astype(np.float32))
        np.save(self.path(name + ".t.npy"), np.column_stack([self.xt, yt]).astype(np.float32))
        width = self.x.shape[1] + 1
        columns = {str(j + 1): {"type": "number", "bounds": [-b, b]}
                   for j, b in enumerate(self.bound)}
        columns[str(width)] = {"type": "target", "classes": [str(k) for k in classes]}
        with open(self.path(name + ".json"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "width": width, "columns": columns}, file)

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, text=True,
                              env={**os.environ, "SOTTO_LEDGER": "none"}, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        return done.stdout

    def train(self, name, out, *args):
        self.run("train", self.path(name + ".npy"), "--schema", self.path(name + ".json"),
                 "--loss", "logistic", "--l2", repr(self.l2), "--penalty-units", "fit", "--quiet",
                 "-o", out, *args)

    def right(self, model):
        words = self.run("predict", model, self.path("all.t.npy")).split()
        return float(np.mean(np.array(words, float) == self.yt))

    def exact(self):
        out = self.path("exact.model")
        self.train("all", out, "--epsilon", "inf")
        return self.right(out)

    def private(self, epsilon, seed):
        out = self.path(f"{epsilon}.{seed}.model")
        self.train("all", out, "--epsilon", repr(epsilon), "--delta", repr(self.delta), "--rows",
                   str(self.rows), "--insecure-seed", str(seed))
        found = self.right(out)
        os.remove(out)
        return found

    def one_versus_rest(self, epsilon, seed):
        mu = mu_of(epsilon, self.delta) / math.sqrt(self.classes)
        each, scores = epsilon_of(mu, self.delta), []
        for k in range(self.classes):
            out = self.path(f"{epsilon}.{seed}.{k}.model")
            self.train(f"one{k}", out, "--epsilon", repr(each), "--delta", repr(self.delta),
                       "--rows", str(self.rows), "--insecure-seed", str(1000 * seed + k))
            scores.append([float(word) for word in self.run(
                "predict", out, self.path("all.t.npy"), "--scores").split()])
            os.remove(out)
        return float(np.mean(np.argmax(scores, 0) == self.yt))

    # ---- gradient descent that knows means and scales ----

    def descend(self, mu, rounds, clip, step, seed):
        draw = np.random.default_rng(seed)
        middle, scale = self.x.mean(0), self.x.std(0)
        z = np.column_stack([(self.x - middle) / scale, np.ones(self.rows)])
        zt = np.column_stack([(self.xt - middle) / scale, np.ones(len(self.yt))])
        w, truth = np.zeros((z.shape[1], self.classes)), np.eye(self.classes)[self.y]
        length, total = np.linalg.norm(z, axis=1), 0
        sd = clip / (mu / math.sqrt(rounds)) / self.rows
        for t in range(rounds):
            margin = z @ w
            p = np.exp(margin - margin.max(1, keepdims=True))
            slope = p / p.sum(1, keepdims=True) - truth
            slope *= (clip / np.maximum(np.linalg.norm(slope, axis=1) * length, clip))[:, None]
            w = w - step * (z.T @ slope / self.rows + sd * draw.standard_normal(w.shape))
            total = total + w if t >= rounds // 2 else 0
        return float(np.mean(np.argmax(zt @ total, 1) == self.yt))

    def oracle(self, epsilon, runs):
        """The best setting's mean: tuned on what is reported."""
        mu, found = mu_of(epsilon, self.delta), []
        for rounds in (30, 90, 270):
            for clip in (1, 2, 4):
                for step in (.5, 2, 8):
                    first = np.mean([self.descend(mu, rounds, clip, step, s) for s in range(2)])
                    found.append((first, rounds, clip, step))
        return float(np.mean([self.descend(mu, *max(found)[1:], s) for s in range(runs)]))


def row(problem, runs, epsilons, workers):
    cells = [f"{problem.exact():.3f}"]
    for epsilon in epsilons:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            auto, rest = (np.array(list(pool.map(lambda s, m=m: m(epsilon, s), range(1, runs + 1))))
                          for m in (problem.private, problem.one_versus_rest))
        best = problem.oracle(epsilon, min(runs, 4))
        cells.append(f"{auto.mean():.3f} ({auto.std() / runs ** .5:.3f}) / {rest.mean():.3f} / "
                     f"{best:.3f}")
    shape = f"{problem.rows:,} x {problem.x.shape[1]}, {problem.classes}"
    return f"| {problem.name} {shape} | " + " | ".join(cells) + " |"


def write_table(name, lines, page_path=PAGE):
    """Between the marks of this name in the notes."""
    region = re.compile(rf"(<!-- numbers: {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    with open(page_path, "w", encoding="utf-8") as file:
        file.write(region.sub(lambda m: m[1] + "\n" + "\n".join(lines) + "\n\n" + m[2], page))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[.1, 1, 3])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = ["| set: rows x columns, classes | exact | " + " | ".join(
        f"epsilon {e:g}: auto (se) / one-versus-rest / tuned" for e in args.epsilon) + " |",
             "|---" * (2 + len(args.epsilon)) + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets or SETS:
            problem = Problem(folder, os.path.abspath(args.build), name)
            lines.append(row(problem, args.runs, args.epsilon, args.workers))
            print(lines[-1], flush=True)
    if args.write:
        write_table("classes", lines)


if __name__ == "__main__":
    main()
