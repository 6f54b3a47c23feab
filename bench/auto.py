#!/usr/bin/python3
"""How good `--solver auto` is without tuning: named problems, real sets, loose bounds, odd shapes.

Every problem becomes a table with a schema that declares, for each column and for a numeric target,
the power of two above its largest size; the penalty is meant in the table's own units. All runs are
replace-one with delta = 1/n^2. An error is (F - F*)/F*, with an unpenalised intercept in both.

    auto.py --build build named|development|loose|half|shapes|noise|undeclared [NAME...] [--runs N] [--epsilon E...]
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("SOTTO_DATA") or os.path.join(ROOT, "..", "shared", "data")

# epsilon, the error that was to be reached, and whether it is that of the median
NAMED = {"cal_std": (1, 4.5e-4, 0), "cal_imb": (1, 3e-4, 0), "elec_std": (1, 6e-4, 0),
         "elec_imb": (1, 9e-5, 0), "sparse10": (10, 2e-3, 0), "square": (1, .15, 1),
         "log1": (1, .42, 0), "log2": (1, .09, 0), "mad_l1": (1, 2e-3, 1), "dorothea": (1, .57, 0)}
MORE = {}  # options of all private runs

# what grids tuned without privacy reach with known scales at epsilon .1, 1, 4 (medians)
TUNED = {"cal_std": (.0076, 2.2e-4, 1e-4), "cal_raw": (.102, .082, .033),
         "elec_std": (.0085, 7e-4, 1.06e-4), "elec_raw": (.012, 1.1e-4, 2e-5),
         "a9a": (.171, .022, .0118), "adult81": (.269, .064, .025),
         "melt_std": (.583, .185, .087), "melt_raw": (.925, .289, .131),
         "breast": (1.7, .488, .263), "diabetes": (.73, .358, .145), "log1": (.667, .326, .073),
         "log2": (.437, .078, .047), "mad_l1": (.013, 2e-4, 5.5e-5), "mad_l2": (.184, .143, .091),
         "square": (.763, .201, .0044), "sparse10": (None, .0028, None)}


def power_above(x):
    x = np.asarray(x, float)
    return np.where(x > 0, 2.**np.ceil(np.log2(np.maximum(x, 1e-300))), 1)


class Problem:
    """A table in a folder, its schema, its objective and the best value of that."""

    def __init__(self, folder, name, x, y, loss, l1, l2, test=None, loose=1., undeclared=False,
                 solve=True):
        self.folder, self.name, self.x, self.y = folder, name, np.asarray(x, float), np.asarray(y, float)
        self.loss, self.l1, self.l2, self.test = loss, l1, l2, test
        self.file = name + ".npy"
        self.rows, self.features = self.x.shape
        np.save(os.path.join(folder, name + ".npy"), np.column_stack([self.x, self.y]))
        self.declare(loose, undeclared)
        rate = np.clip((self.y > 0).mean(), 1e-9, 1 - 1e-9)
        self.constant = self.y.mean() if loss == "squared" else np.log(rate / (1 - rate))
        self.zero = self.objective(np.zeros(self.features), self.constant)
        self.best = self.objective(*self.exact()) if solve else None

    def declare(self, loose, undeclared):
        loose = np.broadcast_to(loose, self.features)
        bounds = power_above(abs(self.x).max(0)) * loose
        columns = {str(j + 1): {"type": "number"} | ({} if undeclared else {"bounds": [-b, b]})
                   for j, b in enumerate(map(float, bounds))}
        target = {"type": "target"}
        if self.loss == "squared" and not undeclared:
            reach = float(power_above(abs(self.y).max()) * loose.max())
            target["bounds"] = [-reach, reach]
        self.reach = target.get("bounds", [0, 0])[1]
        columns[str(self.features + 1)] = target
        with open(os.path.join(self.folder, self.name + ".schema"), "w", encoding="utf-8") as file:
            json.dump({"sotto_schema": 1, "columns": columns}, file)

    def objective(self, weights, intercept):
        m = self.x @ weights + intercept
        values = (m - self.y)**2 / 2 if self.loss == "squared" else np.logaddexp(0, -self.y * m)
        return values.mean() + self.l1 * abs(weights).sum() + self.l2 / 2 * (weights @ weights)

    def score(self, weights, intercept):
        x, _ = self.test
        return self.score_of(x @ weights + intercept)

    def score_of(self, m):
        y = self.test[1]
        if self.loss == "squared":
            return 1 - ((m - y)**2).mean() / ((y - y.mean())**2).mean()
        return (np.where(m > 0, 1, -1) == y).mean()

    def new_rows(self):
        np.save(os.path.join(self.folder, "new.npy"), np.column_stack(self.test))
        return "new.npy"

    def options(self):
        return {"target": str(self.features + 1), "loss": self.loss, "l1": repr(self.l1),
                "l2": repr(self.l2)}

    def exact(self):
        words = [w for k, v in self.options().items() for w in ("--" + k, v)]
        subprocess.run([os.path.join(BUILD, "sotto"), "train", self.file, *words,
                        "--epsilon", "inf", "--quiet", "-o", "model.json"], cwd=self.folder,
                       check=True)
        with open(os.path.join(self.folder, "model.json"), encoding="utf-8") as file:
            model = json.load(file)
        weights = np.zeros(self.features)
        if isinstance(model["weights"], dict):
            for j, w in model["weights"].items():
                weights[int(j) - 1] = w
        else:
            weights[:] = model["weights"]
        return weights, model["intercept"]

    def private(self, epsilon):
        return self.options() | {
            "schema": self.name + ".schema", "penalty-units": "file", "epsilon": repr(epsilon),
            "delta": repr(1 / self.rows**2), "adjacency": "replace-one", "solver": "auto"} | MORE

    def fits(self, runs, epsilon, **more):
        """(weights, intercept) of so many private runs, in the table's units."""
        options = self.private(epsilon) | more
        out = subprocess.run([os.path.join(BUILD, "bench", "bench_repeat"), str(runs),
                              self.file, *(f"{k}={v}" for k, v in options.items())],
                             cwd=self.folder, check=True, stdout=subprocess.PIPE).stdout
        return [(w[:-1], w[-1]) for w in np.frombuffer(out).reshape(runs, -1)]

    def errors(self, runs, epsilon, **more):
        values = [self.objective(*f) / self.best - 1 for f in self.fits(runs, epsilon, **more)]
        return np.nan_to_num(values, nan=1e9, posinf=1e9)


# ---- sets ----

def table(path):
    with (gzip.open if path.endswith(".gz") else open)(os.path.join(DATA, path), "rt") as file:
        file.readline()
        values = np.loadtxt(file, delimiter=",", ndmin=2)
    return values[:, :-1], values[:, -1]


def svmlight(path, features):
    x, y = [], []
    with open(os.path.join(DATA, path), encoding="ascii") as file:
        for line in file:
            words = line.split()
            row = np.zeros(features)
            for word in words[1:]:
                j, v = word.split(":")
                row[int(j) - 1] = float(v)
            x.append(row)
            y.append(float(words[0]))
    return np.array(x), np.array(y)


def divided(x, y):
    order = np.random.RandomState(0).permutation(len(y))
    k = int(.8 * len(y))
    return x[order[:k]], y[order[:k]], x[order[k:]], y[order[k:]]


REAL = {"cal": ("california/california.csv", "squared"),
        "elec": ("electricity/electricity.csv", "logistic"),
        "mad": ("madelon/madelon.csv.gz", "logistic"),
        "melt": ("meltingpoint/meltingpoint.csv.gz", "squared"),
        "breast": ("breast_cancer/breast_cancer.csv", "logistic"),
        "diabetes": ("diabetes/diabetes_raw.csv", "squared")}


def synthetic(name):
    r, test = np.random.RandomState(15), np.random.RandomState(99)
    if name in ("square", "sparse10"):
        x, w = r.randn(1000, 1000), np.zeros(1000)
        w[r.choice(1000, 10, False)] = r.rand(10)
        y = x @ w + .1 * r.randn(1000)
        xt = test.randn(4000, 1000)
        return x, y, "squared", .525, 0., (xt, xt @ w + .1 * test.randn(4000))
    sigma = int(name[3])
    r = np.random.RandomState(10 + sigma)
    x, w = r.randn(1000, 100), r.lognormal(0, sigma, 100)
    y = np.sign(x @ w + r.randn(1000))
    xt = test.randn(4000, 100)
    return x, y, "logistic", 0., .1, (xt, np.sign(xt @ w + test.randn(4000)))


def real(name):
    base = name.split("_")[0]
    standard = name.endswith("_std") or base == "mad"
    if name == "a9a":
        loss, (x, y) = "logistic", svmlight("a9a/a9a.svm", 123)
        xt, yt = svmlight("a9a/a9a.t.svm", 123)
    elif name == "adult81":
        loss, (x, y) = "logistic", table("adult/adult81.train.csv.gz")
        xt, yt = table("adult/adult81.test.csv")
    else:
        path, loss = REAL[base]
        x, y, xt, yt = divided(*table(path))
    if loss == "squared":
        unit = power_above(abs(y).max()) / 2
        y, yt = y / unit, yt / unit
    keep = x.std(0) > 0
    x, xt = x[:, keep], xt[:, keep]
    if standard:
        m, s = x.mean(0), x.std(0)
        x, xt = (x - m) / s, (xt - m) / s
    elif not name.endswith("_file"):
        c = power_above(abs(x).max(0))
        x, xt = x / c, xt / c
    if name == "cal_std":
        y, yt = y * 4, yt * 4
    l1 = {"cal_std": .2, "mad_l1": .05}.get(name, 0.)
    l2 = {"cal_std": 0., "mad_l1": 0., "mad_l2": .1, "melt_std": .1}.get(name, 1 / len(y))
    return x, y, loss, l1, l2, (xt, yt)


def development(folder, name, **more):
    made = (synthetic(name) if name[:3] in ("squ", "spa", "log") else
            words(name) if name in WORDS else real(name))
    x, y, loss, l1, l2, test = made
    half = 2 if loss == "squared" else 1  # the penalties are those of the whole square
    return Problem(folder, name, x, y, loss, l1 / half, l2 / half, test, **more)


def named(folder, name, **more):
    short = name
    made = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "problems.py"), short, "-o",
                           folder], capture_output=True, text=True, check=False)
    if made.returncode:
        raise SystemExit(made.stderr)
    with open(os.path.join(folder, short + ".json"), encoding="utf-8") as file:
        described = json.load(file)
    values = np.load(os.path.join(folder, short + ".npy"))
    penalty = described["half_square"]
    return Problem(folder, name, values[:, :-1], values[:, -1], described["loss"], penalty["l1"],
                   penalty["l2"], **more)


class Sparse(Problem):
    """A named problem of 0/1 columns, as svmlight with declared bounds."""

    def __init__(self, folder, name):
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "problems.py"), name, "-o",
                        folder], check=True)
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            described = json.load(file)
        values = np.load(os.path.join(folder, name + ".npy"), mmap_mode="r")
        self.folder, self.name, self.loss = folder, name, described["loss"]
        self.x, self.y = np.array(values[:, :-1]), np.array(values[:, -1], float)
        self.l1, self.l2 = described["half_square"]["l1"], described["half_square"]["l2"]
        self.rows, self.features = self.x.shape
        with open(os.path.join(folder, name + ".svm"), "w", encoding="ascii") as file:
            for row, y in zip(self.x, self.y):
                words = (f"{j + 1}:{row[j]:g}" for j in np.flatnonzero(row))
                file.write(f"{y:g} {' '.join(words)}\n")
        with open(os.path.join(folder, name + ".schema"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "default": {"type": "number", "bounds": [0, 1]},
                       "columns": {}}, file)
        self.file = name + ".svm"
        rate = (self.y > 0).mean()
        self.zero = self.objective(np.zeros(self.features), np.log(rate / (1 - rate)))
        self.best = self.objective(*self.exact())

    def objective(self, weights, intercept):
        chosen = np.flatnonzero(weights)
        m = self.x[:, chosen].astype(float) @ weights[chosen] + intercept
        return np.logaddexp(0, -self.y * m).mean() + self.l1 * abs(weights).sum()

    def options(self):
        return {"features": str(self.features), "loss": self.loss, "l1": repr(self.l1)}


# ---- odd shapes ----

def shape(name, rows, seed=1):
    r = np.random.RandomState(seed)
    x, loss = r.randn(rows, 10), "squared"
    if name == "p > n":
        x = r.randn(rows, rows + rows // 5)
    elif name == "constant columns":
        x[:, 5:] = 3
    elif name == "a column of 1e6":
        x[:, 0] *= 1e6
    elif name == "heavy tails":
        x = r.standard_t(2, (rows, 10))
    elif name == "duplicated columns":
        x = np.repeat(x[:, :5], 4, axis=1)
    elif name == "rare features":
        x = (r.rand(rows, 30) < .01).astype(float)
    w = np.zeros(x.shape[1])
    w[:5] = 1
    m = (x / np.maximum(x.std(0), 1e-9) * (x.std(0) > 0)) @ w
    y = m + r.randn(rows)
    if name == "targets far from 0":
        y += 1000
    if name in ("99 % one class", "rare features", "heavy tails of classes"):
        loss = "logistic"
        cut = np.quantile(y, .99 if name.startswith("99") else .5)
        y = np.where(y > cut, 1., -1.)
    return x, y, loss


SHAPES = ["constant columns", "a column of 1e6", "heavy tails", "99 % one class", "p > n",
          "duplicated columns", "rare features", "targets far from 0"]


def middle(problem):
    """The objective of w = 0 with the intercept in the middle of the target's interval."""
    return problem.objective(np.zeros(problem.features), 0.)


def shapes(folder, wanted, runs, epsilons):
    for name in wanted or SHAPES:
        for rows, epsilon, most in ((5000, 1., 1.1), (50, 1., 1.5), (5000, .1, 1.5)):
            if epsilons and epsilon not in epsilons:
                continue
            x, y, loss = shape(name, rows)
            p = Problem(folder, "shape", x, y, loss, 0., 1 / rows, solve=False)
            values = [p.objective(*f) for f in p.fits(runs, epsilon)]
            rival = p.zero if most == 1.1 else middle(p)
            ratio = np.median(values) / rival
            print(f"{name:20} n {rows:5} epsilon {epsilon:<4} median / {'constant' if most == 1.1 else 'zero'} "
                  f"{ratio:.4f} (p90 {np.quantile(values, .9) / rival:.3f}), target {most}: "
                  f"{'met' if ratio <= most else 'MISSED'}", flush=True)


# ---- tables ----

def named_table(folder, wanted, runs, epsilons):
    for name in wanted or NAMED:
        usual, target, median = NAMED[name]
        p = (Sparse if name == "dorothea" else named)(folder, name)
        for epsilon in epsilons or [usual]:
            e = p.errors(runs, float(epsilon))
            value = np.median(e) if median else e.mean()
            print(f"{name:9} epsilon {epsilon:<4} mean {e.mean():.3g} (se {e.std() / runs**.5:.1g}) "
                  f"median {np.median(e):.3g} p90 {np.quantile(e, .9):.3g} zero {p.zero / p.best - 1:.3g}"
                  f", target {target} for the {'median' if median else 'mean'}: "
                  f"{'met' if value <= target else 'MISSED'}", flush=True)


def development_table(folder, wanted, runs, epsilons, **more):
    ratios = {}
    for name in wanted or TUNED:
        p = development(folder, name, **more)
        for epsilon in epsilons or [.1, 1., 4.]:
            used = epsilon * 10 if name == "sparse10" else epsilon
            if used > 20:  # the noise's draws would cost more than delta
                continue
            fits = p.fits(runs, used)
            e = np.nan_to_num([p.objective(*f) / p.best - 1 for f in fits], nan=1e9, posinf=1e9)
            tuned = dict(zip((.1, 1., 4.), TUNED[name])).get(epsilon)
            ratio = np.median(e) / tuned if tuned else float("nan")
            ratios.setdefault(epsilon, []).append((ratio, name))
            zero = p.zero / p.best - 1
            print(f"{name:9} {p.rows} x {p.features} epsilon {used:<4} mean {e.mean():.3g} median "
                  f"{np.median(e):.3g} p90 {np.quantile(e, .9):.3g} zero {zero:.3g}"
                  f"{' WORSE THAN ZERO' if np.median(e) > zero else ''}, tuned {tuned}, ratio "
                  f"{ratio:.2f}, test {np.median([p.score(*f) for f in fits]):.3f}", flush=True)
    for epsilon, pairs in ratios.items():
        pairs = [q for q in pairs if q[0] == q[0]]
        if pairs:
            print(f"epsilon {epsilon}: median ratio {np.median([q[0] for q in pairs]):.2f}, worst "
                  f"{max(pairs)[0]:.2f} ({max(pairs)[1]})")


def noise_table(folder, wanted, runs, epsilons):
    """A column of pure noise more."""
    for name in wanted or ["cal_std", "elec_std"]:
        p = named(folder, name)
        epsilon = (epsilons or [1.])[0]
        x = np.column_stack([p.x, np.random.RandomState(7).randn(p.rows)])
        q = Problem(folder, name + "_noise", x, p.y, p.loss, p.l1, p.l2)
        one, two = np.median(p.errors(runs, epsilon)), np.median(q.errors(runs, epsilon))
        print(f"{name:9} median {one:.3g}, with a column of noise {two:.3g}: {two / one - 1:+.0%}, "
              f"target 30 %: {'met' if two <= 1.3 * one else 'MISSED'}", flush=True)


def loose_table(folder, wanted, runs, epsilons, half):
    most = 3 if half else 1.3
    for name in wanted or TUNED:
        epsilon = (epsilons or [1.])[0] * (10 if name == "sparse10" else 1)
        p = development(folder, name)
        tight = np.median(p.errors(runs, epsilon))
        loose = np.where(np.arange(p.features) % 2, 8., 1.) if half else np.full(p.features, 8.)
        loose = loose * np.where(loose > 1, 1.25, 1)
        p.declare(loose, False)
        wide = np.median(p.errors(runs, epsilon))
        print(f"{name:9} epsilon {epsilon} median {tight:.3g}, bounds 10x too loose on "
              f"{'half of' if half else 'all'} columns {wide:.3g}: {wide / tight:.2f}x, target {most}: "
              f"{'met' if wide <= most * tight else 'MISSED'}", flush=True)


# ---- columns that nobody declared ----

UNDECLARED = ["cal_file", "elec_file", "a9a", "adult81", "breast_file", "diabetes_file", "melt_std",
              "melt_raw", "melt_file", "log1", "log2", "mad_l1", "mad_l2", "square", "sparse10",
              "dorothea"]


WORDS = ["share_few", "share_many", "count_few", "count_many"]


def words(name):
    """Counts of words in texts of very different lengths; the class follows the shares of 40 words or
    their counts: scaled rows are made for the first, and lose what the second tells by its size."""
    rows, features = (20000, 300) if name.endswith("few") else (5000, 2000)
    r = np.random.RandomState(3)
    often = (np.arange(features) + 10)**-1.1
    length = np.maximum(r.lognormal(4, 1, 2 * rows), 5)
    x = r.poisson(length[:, None] * often / often.sum()).astype(float)
    w = np.zeros(features)
    w[r.choice(features // 3, 40, False)] = r.randn(40)
    m = x @ w
    if name.startswith("share"):
        m = m / np.maximum(x.sum(1), 1)
    m = 3 * (m - np.median(m)) / m.std()
    y = np.where(r.rand(2 * rows) < 1 / (1 + np.exp(-m)), 1., -1.)
    return x[:rows], y[:rows], "logistic", 0., 1 / rows, (x[rows:], y[rows:])


class Dorothea(Problem):
    """Four fifths of the set as svmlight, of which nothing is declared; the rest is the test."""

    def __init__(self, folder):
        path = os.path.join(DATA, "dorothea", "dorothea.p88119.train.svm.gz")
        with gzip.open(path, "rt") as file:
            lines = np.array(file.read().splitlines())
        order = np.random.RandomState(0).permutation(len(lines))
        self.folder, self.name, self.file, self.loss = folder, "dorothea", "dorothea.svm", "logistic"
        self.rows, self.features, self.l1, self.l2 = int(.8 * len(lines)), 88119, .01, 0.
        with open(os.path.join(folder, self.file), "w", encoding="ascii") as file:
            file.write("\n".join(lines[order[:self.rows]]) + "\n")
        with open(os.path.join(folder, "dorothea.schema"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "columns": {}}, file)
        self.x = self.dense(lines[order[:self.rows]])[0]
        self.test = self.dense(lines[order[self.rows:]])
        self.lines = lines[order[self.rows:]]

    def new_rows(self):
        with open(os.path.join(self.folder, "new.svm"), "w", encoding="ascii") as file:
            file.write("\n".join(self.lines) + "\n")
        return "new.svm"

    def dense(self, lines):
        x, y = np.zeros((len(lines), self.features), np.float32), np.zeros(len(lines))
        for i, line in enumerate(lines):
            label, *pairs = line.split()
            y[i] = float(label)
            x[i, [int(pair.split(":")[0]) - 1 for pair in pairs]] = 1
        return x, y

    def score_of(self, m):
        """The area under the curve: nine tenths are of one class."""
        y = self.test[1]
        more = m[y > 0][:, None] - m[y < 0]
        return ((more > 0) + (more == 0) / 2).mean()

    def options(self):
        return {"features": str(self.features), "loss": self.loss, "l1": repr(self.l1)}


TEXTS = ["texts_share", "texts_count"]


class Texts(Problem):
    """Sparse counts of 54,877 words in 20,000 texts of very different lengths, as svmlight, of which
    nothing is declared. The class follows 300 of the first 2000 words: their counts, or these divided by the
    root of the text's length, as rows of one length have them by and large."""

    def __init__(self, folder, name):
        self.folder, self.name, self.file, self.loss = folder, name, name + ".svm", "logistic"
        self.rows, self.features, self.l1, self.l2 = 20000, 54877, 0., 0.
        r, count = np.random.RandomState(3), self.rows + 5000
        often = np.cumsum((np.arange(self.features) + 10)**-1.1)
        length = np.maximum(r.lognormal(4, 1, count), 5).astype(int)
        w = np.zeros(self.features)
        w[r.choice(2000, 300, False)] = r.randn(300)
        texts, m, self.square = [], np.zeros(count), 0.
        for i in range(count):
            word, times = np.unique(np.searchsorted(often, r.rand(length[i]) * often[-1]),
                                    return_counts=True)
            m[i] = w[word] @ times / (length[i]**.5 if name == "texts_share" else 1)
            self.square += float(times @ times) / count
            texts.append(" ".join(f"{j + 1}:{k}" for j, k in zip(word, times)))
        m = 8 * (m - np.median(m)) / m.std()
        y = np.where(r.rand(count) < 1 / (1 + np.exp(-m)), 1, -1)
        self.lines = [f"{y[i]} {texts[i]}" for i in range(count)]
        self.y, self.lines, lines = y[self.rows:], self.lines[self.rows:], self.lines[:self.rows]
        with open(os.path.join(folder, self.file), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        with open(os.path.join(folder, name + ".schema"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "columns": {}}, file)
        print(f"{name}: the larger class has {max((self.y > 0).mean(), (self.y < 0).mean()):.3f}, the best "
              f"answer {((m[self.rows:] > 0) == (self.y > 0)).mean():.3f}")

    def new_rows(self):
        with open(os.path.join(self.folder, "new.svm"), "w", encoding="ascii") as file:
            file.write("\n".join(self.lines) + "\n")
        return "new.svm"

    def score_of(self, m):
        return ((m > 0) == (self.y > 0)).mean()

    def options(self):
        return {"features": str(self.features), "loss": self.loss}


def predicted(problem, runs, epsilon, **more):
    """Margins of the test rows in so many runs of the program, which does to them what training did."""
    def sotto(*words):
        subprocess.run([os.path.join(BUILD, "sotto"), *words, "--quiet"], cwd=problem.folder, check=True)
    options = problem.private(epsilon) | more
    settings = [f"--{k}={v}" for k, v in options.items() if k != "solver"]
    rows = problem.new_rows()
    for _ in range(runs):
        sotto("train", problem.file, "--ledger", "none", *settings, "-o", "new.json")
        sotto("predict", "new.json", rows, "--scores", "-o", "new.txt")
        yield np.loadtxt(os.path.join(problem.folder, "new.txt"))
        for name in ("new.json", "new.txt"):
            os.remove(os.path.join(problem.folder, name))


def undeclared_table(folder, wanted, runs, epsilons):
    """Test accuracy, R2 or (dorothea) area under the curve with bought bounds and with scaled rows. They
    are different models, so penalties have three forms: those that weigh as much on rows of the mean
    length, which nobody knows; the same numbers for both; none."""
    for name in wanted or UNDECLARED + WORDS + TEXTS:
        p = (Dorothea(folder) if name == "dorothea" else Texts(folder, name) if name in TEXTS else
             development(folder, name, undeclared=True, solve=False))
        square = p.square if name in TEXTS else float((p.x * p.x).sum(1).mean())
        none = {"l1": "0", "l2": "0"}
        like = {"l1": repr(p.l1 / square**.5), "l2": repr(p.l2 / square)}
        for epsilon in epsilons or [1.]:
            used = epsilon * 10 if name == "sparse10" else epsilon
            print(f"{name:13} {p.rows} x {p.features} epsilon {used:<4}", end="")
            ways = (("bought", "bounds", {}), ("rows", "rows", like), ("same penalties", "rows", {}),
                    ("none: bought", "bounds", none), ("rows", "rows", none))
            for what, way, more in ways if p.l1 + p.l2 > 0 else ways[:2]:
                got = [p.score_of(m) for m in predicted(p, runs, used, undeclared=way, **more)]
                print(f", {what} {np.median(got):.3f} ({np.quantile(got, .1):.3f})", end="")
            print(flush=True)


def main():
    global BUILD
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["named", "development", "loose", "half", "shapes", "noise",
                                         "undeclared"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default="build")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, action="append")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    a = parser.parse_args()
    BUILD = os.path.abspath(a.build)
    MORE.update(word.split("=", 1) for word in a.set)
    with tempfile.TemporaryDirectory() as folder:
        if a.what == "named":
            named_table(folder, a.names, a.runs, a.epsilon)
        elif a.what == "development":
            development_table(folder, a.names, a.runs, a.epsilon)
        elif a.what == "noise":
            noise_table(folder, a.names, a.runs, a.epsilon)
        elif a.what == "undeclared":
            undeclared_table(folder, a.names, a.runs, a.epsilon)
        elif a.what == "shapes":
            shapes(folder, a.names, a.runs, a.epsilon)
        else:
            loose_table(folder, a.names, a.runs, a.epsilon, a.what == "half")


if __name__ == "__main__":
    main()
