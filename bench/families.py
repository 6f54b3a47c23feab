#!/usr/bin/python3
"""Families of generated tables with one knob each: how `auto` fares as a table gets harder.

    families.py knobs  [NAME...] [--build build] [--runs N] [--quick] [--out FILE]
    families.py bounds [NAME...] [--build build] [--runs N] [--out FILE] [--data DIR]
    families.py few    [NAME...] [--build build] [--runs N] [--out FILE] [--data DIR]

`knobs` turns one knob of a table of 10,000 rows and 10 columns, and keeps what it finds in FILE
(BUILD/reproduce/families.json): run again after an interruption, it goes on. `bounds` is about the
real sets in DIR (SOTTO_DATA/more): bounds as they should be, ten times too loose on half of the
columns, on all, on all and the target, and none declared. `few` takes 500 and 2,000 rows of those sets
at epsilon .1 and .3: F of `auto`, which has to buy their number, over F of a constant that knows it and
has the whole budget for one sum.

add-remove, delta = 1/n^2, l2 = 1/n, bounds = the power of two above the largest size. The penalty is
that of `spread`: F has l2/2 sum (w_j sd_j)^2 with the true standard deviations. An error is
(F - F*)/F* on the rows of the training, the mean over runs with the seeds 1, 2, ...: anybody gets the
same numbers, and none of it is private.
"""
import argparse
import gzip
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EPSILONS = (.3, 1., 3.)
RUNS, QUICK_RUNS, TINY_RUNS = 40, 4, 2         # of each point
BASE = {"n": 10000, "p": 10, "tail": 0, "separation": 2., "rate": .5, "twin": 0, "signal": 1.,
        "loose": 1., "on": "all"}
TAILS = (2.2, 2.5, 3, 4, 8, 30)
WIDTHS = (2, 5, 10, 25, 60, 150)
LOOSE = (1, 3, 10, 30, 100, 0)          # 0: none declared

# name: (loss, what is turned, its values, what else is not as in BASE)
KNOBS = {
    "tail-squared": ("squared", "tail", TAILS, {}),
    "tail-logistic": ("logistic", "tail", TAILS, {}),
    "separation": ("logistic", "separation", (.5, 1, 2, 4, 8, 16), {}),
    "rate": ("logistic", "rate", (.5, .2, .1, .05, .02, .01), {}),
    "width-squared": ("squared", "p", WIDTHS, {}),
    "width-logistic": ("logistic", "p", WIDTHS, {}),
    "twin": ("squared", "twin", (1, .3, .1, .03, .01, .003), {}),
    "signal": ("squared", "signal", (.01, .1, 1, 10, 100, 1000), {}),
    "loose-half": ("squared", "loose", LOOSE, {"on": "half"}),
    "loose-all": ("squared", "loose", LOOSE, {"on": "all and target"}),
    "loose-logistic": ("logistic", "loose", LOOSE, {"on": "half"}),
}
# What else can be had without tuning and with the same knowledge. Its penalty would count in units of
# the bounds, which is another model where bounds are wide, so it has none: at l2 = 1/n F* without a
# penalty is hardly another one. Both ask for the columns' mean squares, because steps that follow from
# bounds are far too short. They need declared bounds.
RIVALS = {"gd": {"solver": "gd", "smoothness": "private"},
          "ssp": {"solver": "ssp", "smoothness": "private"}}
TINY = {"names": ("tail-squared", "rate", "loose-half"), "values": 3, "rows": 400}


def power_above(x):
    return 2.**np.ceil(np.log2(np.maximum(x, 1e-30)))


# ---- tables ----

def student(rng, shape, freedom):
    """Normal draws, or heavy-tailed ones."""
    z = rng.standard_normal(shape)
    square = rng.chisquare(freedom or 1, shape)
    return z / np.sqrt(square / freedom) if freedom else z


def classes(rng, margin, rate):
    """Draws of -1 and 1 with this share of 1."""
    low, high = -1e4, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        many = (1 / (1 + np.exp(-np.clip(margin + middle, -700, 700)))).mean() > rate
        low, high = (low, middle) if many else (middle, high)
    chance = 1 / (1 + np.exp(-np.clip(margin + low, -700, 700)))
    return np.where(rng.random(len(margin)) < chance, 1., -1.)


def generated(loss, **turned):
    """A table of the families: columns that hang together, weights of all sizes."""
    k = BASE | turned
    n, p = int(k["n"]), int(k["p"])
    rng = np.random.default_rng([7, n, p])
    mixing = rng.standard_normal((p, p)) / np.sqrt(p) + np.eye(p)
    x = student(rng, (n, p), k["tail"]) @ mixing + rng.standard_normal(p)
    if k["twin"]:
        half = p // 2
        x[:, half:2 * half] = x[:, :half] + k["twin"] * x[:, :half].std(0) * rng.standard_normal((n, half))
    margin = (x - x.mean(0)) / x.std(0) @ rng.standard_normal(p)
    margin /= margin.std()
    if loss == "squared":
        y = margin * math.sqrt(k["signal"]) + student(rng, n, k["tail"]) + 1
    else:
        y = classes(rng, k["separation"] * margin, k["rate"])
    return x, y


def real(data, name):
    """Four fifths of a real set."""
    with gzip.open(os.path.join(data, name + ".csv.gz"), "rt") as file:
        values = np.loadtxt(file, delimiter=",", skiprows=1)
    if name == "pendigits":             # the file has ten classes
        values[:, -1] = np.where(values[:, -1] % 2 == 1, 1, -1)
    rows = np.random.default_rng(1000).permutation(len(values))[:int(.8 * len(values))]
    loss = "squared" if name in ("house8L", "puma32H", "elevators", "kin8nm") else "logistic"
    reach = abs(values).max(0)
    return loss, values[rows, :-1], values[rows, -1], reach


# ---- the objective, and its minimum ----

class Table:
    """A table in a file, its schema, and its objective with the penalty in units of spread."""

    def __init__(self, folder, name, loss, x, y, reach=None):
        values = np.column_stack([x, y]).astype(np.float32)
        self.folder, self.name, self.loss = folder, name, loss
        np.save(self.path(".npy"), values)
        self.x, self.y = values[:, :-1].astype(float), values[:, -1].astype(float)
        self.bounds = power_above(abs(values).max(0) if reach is None else reach).astype(float)
        self.rows, self.features = self.x.shape
        self.l2, self.sd = 1 / self.rows, self.x.std(0)
        self.best = self.objective(*self.exact())
        rate = (self.y > 0).mean()
        start = self.y.mean() if loss == "squared" else math.log(rate / (1 - rate))
        self.constant = self.error(np.zeros(self.features), start)

    def path(self, ending):
        return os.path.join(self.folder, self.name + ending)

    def declare(self, factor, on):
        """The schema with bounds so many times too loose; 0: none."""
        b = self.bounds.copy()
        if factor and on == "half":
            chosen = np.random.default_rng(5).permutation(self.features)[:self.features // 2]
            b[chosen] *= factor
        elif factor:
            b[:-1 if on == "all" else None] *= factor
        columns = {str(j + 1): {"type": "number"} for j in range(self.features)}
        columns[str(self.features + 1)] = {"type": "target"}
        if self.loss == "logistic":
            columns[str(self.features + 1)]["classes"] = ["-1", "1"]
        for j in range(self.features + (self.loss == "squared") if factor else 0):
            columns[str(j + 1)]["bounds"] = [-b[j], b[j]]
        with open(self.path(".schema"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "width": self.features + 1, "columns": columns}, file)
        return self

    def value(self, margin):
        return ((margin - self.y)**2 / 2 if self.loss == "squared" else
                np.logaddexp(0, -self.y * margin)).mean()

    def objective(self, weights, intercept):
        scaled = weights * self.sd
        return self.value(self.x @ weights + intercept) + self.l2 / 2 * (scaled @ scaled)

    def error(self, weights, intercept):
        return self.objective(weights, intercept) / self.best - 1

    def exact(self):
        """Newton's method on standardised columns, which the penalty is about."""
        sd, mean = np.where(self.sd > 0, self.sd, 1), self.x.mean(0)
        z = np.column_stack([(self.x - mean) / sd, np.ones(self.rows)])
        ridge = np.append(np.full(self.features, self.l2), 0)
        v, value = np.zeros(self.features + 1), np.inf
        whole = lambda u: self.value(z @ u) + (ridge * u) @ u / 2
        while True:
            m = z @ v
            if self.loss == "squared":
                slope, bend = m - self.y, np.ones(self.rows)
            else:
                q = 1 / (1 + np.exp(np.clip(self.y * m, -700, 700)))
                slope, bend = -self.y * q, q * (1 - q)
            gradient = z.T @ slope / self.rows + ridge * v
            matrix = (z * bend[:, None]).T @ z / self.rows + np.diag(ridge)
            move, step = np.linalg.lstsq(matrix, gradient, rcond=None)[0], 1.
            while whole(v - step * move) > value and step > 1e-9:
                step /= 2
            v = v - step * move
            if not whole(v) < value * (1 - 1e-13):
                break
            value = whole(v)
        weights = v[:-1] / sd
        return weights, v[-1] - weights @ mean

    def errors(self, program, runs, epsilon, more):
        """Of the runs with the seeds 1, 2, ..."""
        words = {"schema": self.path(".schema"), "target": self.features + 1, "loss": self.loss,
                 "epsilon": epsilon, "delta": repr(1 / self.rows**2), "adjacency": "add-remove",
                 "threads": 1, "insecure-seed": 1} | more
        done = subprocess.run([program, str(runs), self.path(".npy")] +
                              [f"{k}={v}" for k, v in words.items()], capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"families: {self.name}: {done.stderr.decode()}")
        return [self.error(w[:-1], w[-1]) for w in np.frombuffer(done.stdout).reshape(runs, -1)]


def summary(errors):
    """The mean, and its standard error."""
    return [float(f"{np.mean(errors):.4g}"), float(f"{np.std(errors) / len(errors)**.5:.2g}")]


# ---- knobs ----

def point(pool, program, folder, knob, value, runs, rows=None):
    """One table: the errors of all solvers at all epsilons, [mean, standard error] each."""
    loss, what, _, more = KNOBS[knob]
    turned = more | {what: value} | ({"n": rows} if rows else {})
    t = Table(folder, knob, loss, *generated(loss, **turned))
    t.declare(turned.get("loose", 1), turned.get("on", "all"))
    ways = {"auto": {"l2": repr(t.l2)}, "auto-public": {"l2": repr(t.l2), "rows": t.rows}}
    if turned.get("loose", 1):
        ways |= {k: v for k, v in RIVALS.items() if loss == "squared" or k != "ssp"}
    found = {w: [pool.submit(t.errors, program, runs, e, v) for e in EPSILONS] for w, v in ways.items()}
    return {"knob": knob, "value": value, "rows": t.rows, "features": t.features,
            "constant": float(f"{t.constant:.4g}"),
            "errors": {w: [summary(f.result()) for f in v] for w, v in found.items()}}


def identity(program, runs, tiny):
    """What is found is of a build and of a number of runs."""
    with open(program, "rb") as file:
        return {"program": hashlib.sha256(file.read()).hexdigest()[:16], "runs": runs, "tiny": tiny}


def kept(path, wanted=None):
    """(points that are there, runs of each); those of another build are not taken."""
    try:
        with open(path, encoding="ascii") as file:
            told = json.load(file)
    except FileNotFoundError:
        return [], 0
    if wanted and told["stamp"] != wanted:
        print(f"families: {path} is of another build or number of runs: begun anew", file=sys.stderr)
        return [], 0
    return told["points"], told["stamp"]["runs"]


def planned(names, tiny):
    """(knob, value) of every point."""
    for name in names or (TINY["names"] if tiny else KNOBS):
        values = KNOBS[name][2]
        for value in values[::-1][:TINY["values"]] if tiny else values:
            yield name, value


def measure(build, path, runs, names=None, tiny=False, threads=2):
    """Runs what is not in the file yet, and returns what the page is made of."""
    program = os.path.join(build, "bench", "bench_repeat")
    told = {"stamp": identity(program, runs, tiny)}
    told["points"], _ = kept(path, told["stamp"])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(threads) as pool:
        for knob, value in planned(names, tiny):
            if any((p["knob"], p["value"]) == (knob, value) for p in told["points"]):
                continue
            told["points"].append(point(pool, program, folder, knob, value, runs,
                                        TINY["rows"] if tiny else None))
            write_whole(path, told)
            print(f"families: {knob} {value:g}: " + line(told["points"][-1]), file=sys.stderr)
    return for_page(told["points"], runs)


def line(p):
    return f"constant {p['constant']:.3g}, " + ", ".join(
        f"{w} {' '.join(f'{m:.3g}' for m, _ in v)}" for w, v in p["errors"].items())


def for_page(points, runs):
    order = {(knob, value): i for i, (knob, value) in enumerate(planned(None, False))}
    return {"runs": runs, "epsilons": EPSILONS,
            "points": sorted(points, key=lambda p: order[p["knob"], p["value"]])}


# ---- real sets, and bounds that are too loose ----

SETS = ("house8L", "puma32H", "elevators", "kin8nm", "mammography", "waveform", "credit-g", "pendigits")
LOOSENED = {"tight": (1, "all"), "half": (10, "half"), "all": (10, "all"),
            "all and target": (10, "all and target"), "none": (0, "all")}


def clamped(a, t):
    """Errors of the models themselves, which cut values at the bounds that they have bought: F on rows
    that were cut so, with the spread of such columns."""
    words = ["--schema", t.path(".schema"), "--target", str(t.features + 1), "--loss", t.loss,
             "--epsilon", str(a.epsilon), "--delta", repr(1 / t.rows**2), "--adjacency", "add-remove",
             "--threads", "1", "--l2", repr(t.l2), "--ledger", "none", "--quiet"]
    for seed in range(1, a.runs + 1):
        model = t.path(f".{seed}.json")
        subprocess.run([os.path.join(a.build, "sotto"), "train", t.path(".npy"), *words, "-o", model,
                        "--insecure-seed", str(seed)], check=True)
        with open(model, encoding="utf-8") as file:
            told = json.load(file)
        x, weights = np.zeros_like(t.x), np.zeros(t.features)
        for name, weight in zip(told["features"], told["weights"], strict=True):
            j = int(name) - 1
            weights[j] = weight
            x[:, j] = np.clip(t.x[:, j], *told["schema"]["columns"][name]["bounds"])
        scaled = weights * x.std(0)
        value = t.value(x @ weights + told["intercept"]) + t.l2 / 2 * (scaled @ scaled)
        yield value / t.best - 1


def bounds(a, program, folder):
    out, worst, ways = {}, {}, list(LOOSENED)[1:] + ["none, clamped"]
    print(f"{'':12} constant  tight (error)  " + "".join(f"{w:>18}  " for w in ways))
    for name in a.names or SETS:
        loss, x, y, reach = real(a.data, name)
        t = Table(folder, name, loss, x, y, reach)
        found = out[name] = {"constant": t.constant}
        for way, (factor, on) in LOOSENED.items():
            if way != "all and target" or loss == "squared":
                t.declare(factor, on)
                found[way] = summary(t.errors(program, a.runs, a.epsilon, {"l2": repr(t.l2)}))
        found["none, clamped"] = summary(list(clamped(a, t)))
        tight = found["tight"]
        ratios = {w: found[w][0] / tight[0] for w in ways if w in found}
        for way, ratio in ratios.items():
            worst[way] = max(worst.get(way, (-math.inf, "")), (ratio, name))
        print(f"{name:12} {t.constant:8.3g}  {tight[0]:.3g} ({tight[1]:.1g})".ljust(38) + "".join(
            f"{found[w][0]:9.3g} ({ratios[w]:5.2f}x)  " if w in found else f"{'-':>18}  "
            for w in ways), flush=True)
    for way, (ratio, name) in worst.items():
        print(f"{way}: worst {ratio:.2f} ({name})")
    told = {"epsilon": a.epsilon, "runs": a.runs, "sets": out}
    write_whole(a.out or os.path.join(a.build, "reproduce", "bounds.json"), told)


# ---- few rows ----

FEW_ROWS, FEW_EPSILONS, FEW_RUNS = (500, 2000), (.1, .3), 200


def gaussian_sd(epsilon, delta):
    """The noise of a sum of sensitivity 1: the least that is (epsilon, delta)-private."""
    phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2
    low, high = 1e-3, 1e3               # mu = 1 / sd
    for _ in range(200):
        mu = math.sqrt(low * high)
        spent = phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)
        low, high = (low, mu) if spent > delta else (mu, high)
    return 1 / low


def constants(t, epsilon, runs):
    """F of private constants: the sum of the target with noise, over the true number of rows."""
    reach = t.bounds[-1] if t.loss == "squared" else 1.
    noise = np.random.default_rng(11).standard_normal(runs) * gaussian_sd(epsilon, 1 / t.rows**2)
    for mean in np.clip(t.y.sum() / t.rows + reach * noise / t.rows, -reach, reach):
        if t.loss == "logistic":
            rate = np.clip((1 + mean) / 2, 1 / t.rows, 1 - 1 / t.rows)
            mean = math.log(rate / (1 - rate))
        yield t.objective(np.zeros(t.features), mean)


def few(a, program, folder):
    out, worst = [], {"mean": (0, ""), "worst": (0, "")}
    for name in a.names or SETS:
        loss, x, y, reach = real(a.data, name)
        for rows in FEW_ROWS:
            if rows > len(x):
                continue
            t = Table(folder, name, loss, x[:rows], y[:rows], reach).declare(1, "all")
            for epsilon in FEW_EPSILONS:
                errors = t.errors(program, a.runs, epsilon, {"l2": repr(t.l2)})
                mine = (1 + np.array(errors)) * t.best
                rival = np.array(list(constants(t, epsilon, a.runs)))
                found = {"set": name, "rows": rows, "epsilon": epsilon,
                         "mean": mine.mean() / rival.mean(), "worst": mine.max() / rival.max()}
                out.append(found)
                for what in worst:
                    worst[what] = max(worst[what], (found[what], f"{name}, {rows}, {epsilon}"))
                print(f"{name:12} n {rows:5} epsilon {epsilon:<4} mean {found['mean']:.3f} "
                      f"worst {found['worst']:.3f}", flush=True)
    for what, (ratio, where) in worst.items():
        print(f"{what} over {what}: {ratio:.3f} ({where})")
    write_whole(a.out or os.path.join(a.build, "reproduce", "few.json"), {"runs": a.runs, "rows": out})


def write_whole(path, told):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".new", "w", encoding="ascii") as file:
        json.dump(told, file, separators=(",", ":"))
        file.write("\n")
    os.replace(path + ".new", path)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["knobs", "bounds", "few"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--quick", action="store_true", help="few runs")
    parser.add_argument("--epsilon", type=float, default=1., help="of bounds")
    parser.add_argument("--out")
    parser.add_argument("--data", default=os.path.join(
        os.environ.get("SOTTO_DATA") or os.path.join(ROOT, "..", "shared", "data"), "more"))
    a = parser.parse_args()
    a.build = os.path.abspath(a.build)
    usual = {"knobs": RUNS, "bounds": 20, "few": FEW_RUNS}[a.what]
    a.runs = a.runs or (QUICK_RUNS if a.quick else usual)
    return a


def main():
    a = arguments()
    if a.what == "knobs":
        path = a.out or os.path.join(a.build, "reproduce", "families.json")
        measure(a.build, path, a.runs, a.names)
        return
    with tempfile.TemporaryDirectory() as folder:
        {"bounds": bounds, "few": few}[a.what](a, os.path.join(a.build, "bench", "bench_repeat"), folder)


if __name__ == "__main__":
    main()
