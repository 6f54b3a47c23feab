#!/usr/bin/python3
"""How good the parties' protocol c* is: the loss of many simulated runs beside what it should be.

    bench/federate.py [--data DIR] [--runs 20] [--sets planted california adult81] [--even]
    bench/federate.py --grid [--runs 6] [--rows 1000 10000 100000] [--features 100 1000]

loss = (f(w) - f*) / (f(0) - f*), f half the mean squared error, f* its minimum on the L1 ball of all
columns together: 0 is perfect, 1 no better than w = 0. Data are public, bounds are declared as in the
table of docs/parties.md; radii are taken from the solution of f* (an oracle: rounded to 0.1). Each run has
noise, a sketch and a schedule of its own. planted is made here; the others are read from DIR/california/
california.csv and DIR/adult/adult81.train.csv.gz. Targets: 1.3 times the first measurement plus .03. A
report: a missed target is said, and makes the exit code 1. --grid is for docs/parties.md: planted data of
several sizes, with the default settings.
"""

import argparse
import concurrent.futures
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from files import main_of, run

# epsilon: (T, F, m), loss with private labels, loss with known labels
SETTINGS = {
    "california": {1: ((120, 8, 3000), .52, .36), 4: ((60, 12, 3000), .12, .07),
                   10: ((120, 12, 300), .037, .027)},
    "adult81": {1: ((60, 12, 300), .41, .30), 4: ((120, 12, 3000), .14, .13),
                10: ((120, 12, 3000), .07, .06)},
    "planted": {1: ((120, 12, 300), .49, .093), 4: ((120, 12, 3000), .030, .014),
                10: ((120, 12, 3000), .016, .014)},
}
DELTA = 1e-6
DEFAULTS = (120, 12, 3000)
GRID = (.5, 1, 4, 10)


class Problem:
    """Columns of parties, mapped to [-1, 1] as sotto maps them, and the file they are in."""

    def __init__(self, name, path, columns, bounds, x, target, y, parties, eta, constant=None):
        self.name, self.path, self.columns, self.bounds = name, path, columns, bounds
        self.target, self.parties, self.eta = target, parties, eta  # parties: lists of columns
        self.constant = constant  # (party, value) or None
        self.x, self.y = x, y  # with the constant's column last
        self.gram, self.moment = x.T @ x / len(y), x.T @ y / len(y)
        self.square = float(y @ y / len(y))
        self.best = self.solve()
        self.radii = self.find_radii()

    def value(self, w):
        """Half the mean squared error."""
        return .5 * (self.square - 2 * self.moment @ w + w @ self.gram @ w)

    def solve(self, steps=4000):
        """The minimiser on the L1 ball, by accelerated projected gradients."""
        size = np.linalg.norm(self.gram, 2) * 1.01
        w = z = np.zeros(len(self.moment))
        t = 1.
        for _ in range(steps):
            new = project(z - (self.gram @ z - self.moment) / size, self.eta)
            after = (1 + math.sqrt(1 + 4 * t * t)) / 2
            z, w, t = new + (t - 1) / after * (new - w), new, after
        return w

    def members(self, k):
        """The columns of party k, with the constant's."""
        own = list(self.parties[k])
        return own + [len(self.columns)] if self.constant and self.constant[0] == k else own

    def find_radii(self):
        """As in the first measurement: an oracle, rounded, and never below .15 of the whole."""
        if self.name == "planted":
            return [self.eta / len(self.parties)] * len(self.parties)
        mass = [round(float(np.abs(self.best[self.members(k)]).sum()), 1)
                for k in range(len(self.parties))]
        return [max(.15 * self.eta, m) for m in mass]

    def loss(self, w):
        """Relative to w = 0 and the best."""
        low = self.value(self.best)
        return (self.value(w) - low) / (self.value(0 * w) - low)

    def caps(self, total, even):
        """What each party may show of a total, by its radius or evenly; never more than it has."""
        most = [len(self.members(k)) for k in range(len(self.parties))]
        caps = [1] * len(most)
        while sum(caps) < min(total, sum(most)):
            want = [(1 if even else r) / (c + .5) if c < m else -1
                    for r, c, m in zip(self.radii, caps, most)]
            caps[int(np.argmax(want))] += 1
        return caps

    def agreement(self, setting, known, seed, even, schedule):
        """The file for --columns."""
        rounds, total, buckets = setting
        caps = self.caps(total, even)
        parties = []
        for k, own in enumerate(self.parties):
            columns = {self.columns[j]: {"type": "number", "bounds": self.bounds[j]} for j in own}
            parties.append({"name": f"party{k + 1}", "columns": columns, "radius": self.radii[k],
                            "cap": caps[k]})
            if self.constant and self.constant[0] == k:
                parties[-1]["constant"] = self.constant[1]
        target = {"name": self.target[0], "bounds": self.target[1]}
        if not known:
            target["party"] = "party1"
        return {"sotto_parties": 1, "target": target, "labels": "known" if known else "private",
                "label_rms": self.target[2], "rounds": rounds, "buckets": buckets, "seed": seed,
                "schedule": schedule, "parties": parties}

    def weights(self, model):
        """A model's weights, as the mapped columns have them."""
        half = {c: (b[1] - b[0]) / 2 for c, b in zip(self.columns, self.bounds)}
        centre = {c: (b[1] + b[0]) / 2 for c, b in zip(self.columns, self.bounds)}
        size = (self.target[1][1] - self.target[1][0]) / 2
        raw = dict(zip(model["features"], model["weights"]))
        w = np.array([raw.get(c, 0) * half[c] / size for c in self.columns])
        if self.constant:
            middle = sum(self.target[1]) / 2
            rest = (model["intercept"] - middle) / size
            rest += sum(w[j] * centre[c] / half[c] for j, c in enumerate(self.columns))
            w = np.append(w, rest / self.constant[1])
        return w


def project(v, radius):
    """Onto the L1 ball."""
    if np.abs(v).sum() <= radius:
        return v
    u = np.sort(np.abs(v))[::-1]
    c = np.cumsum(u)
    k = np.nonzero(u * np.arange(1, len(u) + 1) > c - radius)[0][-1]
    return np.sign(v) * np.maximum(np.abs(v) - (c[k] - radius) / (k + 1), 0)


def mapped(raw, bounds):
    """Clamped and mapped to [-1, 1]."""
    low, high = bounds
    return np.clip((raw - (low + high) / 2) / ((high - low) / 2), -1, 1)


def planted(folder, rows=100000, features=100, parties=5):
    """Features of -1 and 1, ten coefficients of 0.3, noise of 0.5, |y| at most 3."""
    random = np.random.default_rng(0)
    x = (random.integers(0, 2, (rows, features)) * 2 - 1).astype(np.float32)
    split = np.array_split(np.arange(features), parties)
    w = np.zeros(features)
    for t in range(10):
        w[split[t % parties][1 + 3 * (t // parties)]] = .3 if t % 3 else -.3
    y = np.clip(x @ w + .5 * random.standard_normal(rows), -3, 3)
    path = folder / "planted.npy"
    np.save(path, np.column_stack([x, y]).astype(np.float32))
    names = [str(j + 1) for j in range(features)]
    return Problem("planted", path, names, [[-1, 1]] * features, x.astype(float),
                   (str(features + 1), [-3, 3], 1 / 3), y / 3, [list(p) for p in split],
                   float(np.abs(w).sum()) / 3)


def california(data, folder):
    """Three parties; bounds from centre and half-width."""
    path = data / "california" / "california.csv"
    with open(path, encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    raw = np.genfromtxt(path, delimiter=",", skip_header=1)
    centre = (4, 30, 5.5, 1.1, 1500, 3, 35.5, -119.5)
    half = (4, 22, 3, .3, 1500, 2, 4, 4)
    bounds = [[c - h, c + h] for c, h in zip(centre, half)]
    x = np.column_stack([mapped(raw[:, j], bounds[j]) for j in range(8)] +
                        [np.full(len(raw), .5)])
    return Problem("california", path, names[:8], bounds, x, (names[8], [-1, 5], 1),
                   mapped(raw[:, 8], [-1, 5]), [[0, 1, 2], [3, 4, 5], [6, 7]], 2, (0, .5))


def adult81(data, folder):
    """Three equal runs of columns, the constant at the end of the last."""
    with gzip.open(data / "adult" / "adult81.train.csv.gz", "rt") as file:
        names = file.readline().strip().split(",")
        raw = np.genfromtxt(file, delimiter=",")
    bounds = [[-2, 78], [4, 16], [-20000, 20000], [-2500, 2500], [0, 80]]
    bounds += [[-1, 1]] * (raw.shape[1] - 1 - len(bounds))
    path = folder / "adult81.npy" # read many times
    np.save(path, raw)
    x = np.column_stack([mapped(raw[:, j], b) for j, b in enumerate(bounds)] +
                        [np.ones(len(raw))])
    split = [list(p) for p in np.array_split(np.arange(x.shape[1]), 3)]
    split[2].remove(x.shape[1] - 1)
    numbers = [str(j + 1) for j in range(len(bounds))]
    return Problem("adult81", path, numbers, bounds, x, (str(len(bounds) + 1), [-1, 1], 1),
                   raw[:, -1], split, 4, (2, 1))


def simulate(sotto, problem, epsilon, known, seed, arguments, folder):
    """One run: its loss, and what the program said of it."""
    setting = DEFAULTS if arguments.grid else SETTINGS[problem.name][epsilon][0]
    name = f"{problem.name}-{epsilon}-{known}-{seed}"
    agreement = folder / (name + ".json")
    agreement.write_text(json.dumps(problem.agreement(setting, known, seed, arguments.even,
                                                       arguments.schedule)))
    model = folder / (name + ".model")
    said = json.loads(run([sotto, "federate", "simulate", problem.path, "--columns", agreement,
                           "--epsilon", epsilon, "--delta", DELTA, "--insecure-seed", seed,
                           "--threads", 1, "--quiet", "--json", "-o", model]))
    loss = problem.loss(problem.weights(json.loads(model.read_text())))
    model.unlink()
    return loss, said


def report(sotto, problem, epsilon, known, arguments, folder):
    """One line of the table; whether it is as it should be."""
    (rounds, total, buckets), *first = SETTINGS[problem.name][epsilon]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = list(pool.map(lambda seed: simulate(sotto, problem, epsilon, known, seed,
                                                   arguments, folder),
                             range(1, arguments.runs + 1)))
    losses = np.array([loss for loss, _ in runs])
    said = runs[0][1]
    limit = 1.3 * first[known] + .03
    fine = losses.mean() <= limit
    error = losses.std(ddof=1) / math.sqrt(len(losses)) if len(losses) > 1 else math.nan
    caps = "+".join(str(p["cap"]) for p in said["parties"])
    uplink = np.mean([s["uplink_bytes"] for _, s in runs])
    print(f"{problem.name:10} {epsilon:4} {'known' if known else 'private':8} {rounds:4} {caps:12} "
          f"{buckets:5} {losses.mean():7.3f} +-{error:6.3f} {first[known]:7.3f} {limit:7.3f} "
          f"{said['expected']:13} {uplink / 1e3:8.1f} {said['uplink_bytes_paper'] / 1e3:9.1f} "
          f"{'' if fine else 'MISSED'}", flush=True)
    return fine


def central(repeat, problem, epsilon, arguments, folder):
    """Private Frank-Wolfe by one who holds all columns: the mean loss, with the usual steps."""
    path = folder / f"{problem.name}-central.npy"
    if not path.exists():
        np.save(path, np.column_stack([problem.x, problem.y]).astype(np.float32))
    features = problem.x.shape[1]
    command = [repeat, arguments.runs, path, f"target={features + 1}", "loss=squared",
               "intercept=no", "solver=fw", f"radius={problem.eta!r}", f"epsilon={epsilon}",
               f"delta={DELTA}", "adjacency=zero-out", "steps=100", "clip=1"]
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE)
    found = np.frombuffer(done.stdout).reshape(arguments.runs, -1)[:, :-1]
    losses = np.array([problem.loss(w) for w in found])
    print(f"{problem.name:10} {epsilon:4} all columns in one hand: Frank-Wolfe {losses.mean():7.3f} "
          f"+-{losses.std(ddof=1) / math.sqrt(len(losses)):6.3f}", flush=True)


def grid(sotto, arguments, folder):
    """Losses for sizes of planted data: private labels, then known ones."""
    print("    rows features  labels   " + "  ".join(f"epsilon {e:<4}" for e in GRID))
    for features in arguments.features:
        for rows in arguments.rows:
            problem = planted(folder, rows, features)
            for known in (0, 1):
                losses = [np.mean([simulate(sotto, problem, epsilon, known, seed, arguments,
                                            folder)[0] for seed in range(1, arguments.runs + 1)])
                          for epsilon in GRID]
                print(f"{rows:8} {features:8}  {'known' if known else 'private':8} " +
                      "  ".join(f"{loss:12.3f}" for loss in losses), flush=True)
            problem.path.unlink()


def work():
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", metavar="DIR")
    parser.add_argument("--data", metavar="DIR", type=pathlib.Path,
                        help="where california/ and adult/ are")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--sets", nargs="+", choices=sorted(SETTINGS))
    parser.add_argument("--epsilons", nargs="+", type=int, default=[1, 4, 10])
    parser.add_argument("--even", action="store_true",
                        help="an even split of F over the parties, not by their radii")
    parser.add_argument("--central", action="store_true",
                        help="only Frank-Wolfe on all columns in one hand")
    parser.add_argument("--schedule", choices=["uniform", "permuted"], default="uniform")
    parser.add_argument("--grid", action="store_true", help="planted data of several sizes")
    parser.add_argument("--rows", nargs="+", type=int, default=[1000, 10000, 100000])
    parser.add_argument("--features", nargs="+", type=int, default=[100, 1000])
    arguments = parser.parse_args()
    sotto = pathlib.Path(arguments.build).resolve() / "sotto"
    sets = arguments.sets or (sorted(SETTINGS) if arguments.data else ["planted"])
    fine = True
    if arguments.grid:
        with tempfile.TemporaryDirectory() as folder:
            grid(sotto, arguments, pathlib.Path(folder))
        return 0
    print("set         eps labels      T caps             m    loss   error   first   limit "
          "expected       kB up  paper's kB")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in sets:
            problem = planted(folder) if name == "planted" else \
                globals()[name](arguments.data, folder)
            for epsilon in arguments.epsilons:
                for known in () if arguments.central else (0, 1):
                    fine &= report(sotto, problem, epsilon, known, arguments, folder)
                central(sotto.parent / "bench" / "bench_repeat", problem, epsilon, arguments, folder)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main_of(work))
