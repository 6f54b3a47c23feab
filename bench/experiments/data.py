"""The problems as files that bench_reproduce reads, with what is public about them."""
import dataclasses
import json
import os
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "bench")]
import dual_table  # noqa: E402
import problems as named  # noqa: E402

CURVATURE = {"squared": 1., "logistic": .25, "hinge": 1.}
# Not known exactly; a hair below would be refused as 0.
LEAST_CONSTANT = {"dorothea": .01}

# Of the generated tables so many rows and columns: what tests run on.
TINY = {"square": (300, 12), "log1": (400, 8)}

WHERE = {"adult": "UCI Adult (81 columns: the encoding of the DP-SCD authors), as gzipped CSV with a "
                  "header, target last",
         "a9a": "LIBSVM a9a and a9a.t, as svmlight"}


@dataclasses.dataclass
class Problem:
    """A table, an objective, a budget, and sizes that grids are built around."""
    name: str
    about: str
    loss: str
    l1: float
    l2: float
    rows: int
    features: int
    file: str
    epsilon: float = 1.
    delta: float = 0.
    test: str = ""
    sparse: bool = False
    clip: dict = dataclasses.field(default_factory=dict)   # typical sizes, by solver
    beta: dict = dataclasses.field(default_factory=dict)   # smoothness of all weights together

    def words(self):
        which = {"features": self.features} if self.sparse else {"target": self.features + 1}
        return {**which, "loss": self.loss, "l1": repr(self.l1), "l2": repr(self.l2)}


def power_above(x):
    return 2.**np.ceil(np.log2(np.maximum(x, 1e-300)))


def write_schema(path, bounds, target=None):
    columns = {str(j + 1): {"type": "number", "bounds": [-b, b]}
               for j, b in enumerate(map(float, bounds))}
    columns[str(len(columns) + 1)] = {"type": "target"} | (
        {"bounds": [-float(target), float(target)]} if target else {})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"sotto_schema": 1, "columns": columns}, file)


def top_eigenvalue(x, steps=30):
    """Of x'x / n, by the power method from a fixed start."""
    v = np.random.RandomState(0).randn(x.shape[1])
    size = 0.
    for _ in range(steps):
        v = x.T @ (x @ (v / np.linalg.norm(v))) / len(x)
        size = np.linalg.norm(v)
    return float(size)


class Maker:
    """Writes the files of problems into a folder."""

    def __init__(self, folder, data_dir, tiny=False):
        self.folder, self.data_dir, self.tiny = folder, data_dir, tiny
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name):
        """A named problem; raises named.DataError with a line where its set is missing."""
        described = named.describe(name)
        table = named.make(name, self.data_dir)
        if self.tiny and name in TINY:
            rows, columns = TINY[name]
            best = np.argsort(-abs(table[:, :-1].T @ table[:, -1]))[:columns]
            table = table[:rows, np.append(best, table.shape[1] - 1)]
            described["delta"] = 1 / len(table)**2
        half = described["half_square"]
        return self.problem(name, described["description"], table[:, :-1], table[:, -1],
                            described["loss"], half["l1"], half["l2"],
                            epsilon=described["epsilon"], delta=described["delta"])

    def problem(self, name, about, x, y, loss, l1, l2, epsilon=1., delta=None, test=None):
        """From arrays: also what tests generate."""
        rows, features = x.shape
        p = Problem(name, about, loss, l1, l2, rows, features, name + ".npy", epsilon,
                    delta or 1 / rows**2, sparse=features > 5000)
        if p.sparse:
            p.file = name + ".svm"
            self.write_svmlight(p.file, x, y)
        else:
            np.save(self.path(p.file), np.column_stack([x, y]))
        if test is not None:
            p.test = name + ".test.npy"
            np.save(self.path(p.test), np.column_stack(test))
        self.measure(p, x, y)
        return p

    def write_svmlight(self, name, x, y):
        with open(self.path(name), "w", encoding="ascii") as file:
            for row, target in zip(x, y):
                words = " ".join(f"{j + 1}:{row[j]:g}" for j in np.flatnonzero(row))
                file.write(f"{target:g} {words}\n")

    def measure(self, p, x, y):
        """Constants, and typical sizes: public in the papers, and here for the grids only."""
        k = CURVATURE[p.loss]
        squares = (x.astype(np.float64)**2).mean(0)
        moments = np.maximum(k * squares, LEAST_CONSTANT.get(p.name, 1e-12 * squares.max()))
        np.savetxt(self.path(p.name + ".M"), moments, fmt="%.17g")
        np.savetxt(self.path(p.name + ".ones"), np.ones(p.features), fmt="%g")
        slope = float(np.sqrt((y.astype(float)**2).mean())) if p.loss == "squared" else .5
        norm = float(np.sqrt(squares.sum()))
        p.clip = {"cd": slope * norm, "gcd": slope / k**.5, "gd": slope * (p.features / k)**.5,
                  "plain": slope * norm, "coordinate": slope * float(np.sqrt(squares.max())),
                  "row": (p.features + slope**2)**.5, "difference": slope * (p.features / k)**.5,
                  "scd": .25, "bounds": slope * norm}
        if not p.sparse:
            p.beta = {"plain": k * top_eigenvalue(x),
                      "scaled": k * top_eigenvalue(x / np.sqrt(moments))}
            self.write_bounds(p, x, y)
        else:
            p.beta = {"plain": k * squares.sum(), "scaled": float(p.features)}
            self.write_sparse_bounds(p)

    def write_bounds(self, p, x, y):
        largest = abs(x).max(0)
        largest = np.where(largest > 0, largest, 1)
        reach = abs(y).max() if p.loss == "squared" else None
        write_schema(self.path(p.name + ".auto.schema"), power_above(largest),
                     reach and power_above(reach))
        for share in (1, .5, .25, .125):
            write_schema(self.path(f"{p.name}.{share:g}.schema"), share * largest,
                         reach and max(share, .5) * reach)
        # DP-CD-P: a crude bound, twice the largest value; columns are mapped by it
        bound = 2 * largest
        write_schema(self.path(p.name + ".bounds.schema"), bound)
        rms = np.sqrt((x.astype(float)**2).mean(0))
        slope = p.clip["gcd"] * CURVATURE[p.loss]**.5
        p.clip["bounds"] = slope * float(np.linalg.norm(rms / bound))

    def write_sparse_bounds(self, p):
        for name in (".auto.schema", ".bounds.schema"):
            with open(self.path(p.name + name), "w", encoding="ascii") as file:
                json.dump({"sotto_schema": 1, "default": {"type": "number", "bounds": [0, 1]},
                           "columns": {}}, file)
        np.savetxt(self.path(p.name + ".public.M"), np.full(p.features, CURVATURE[p.loss]))

    # DP-SCD's tasks

    def task(self, name):
        """Ridge, logistic regression or an SVM with rows of norm at most 1, and rows to test on."""
        reader, loss, l2 = {"ridge_california": (dual_table.california, "squared", 1e-2),
                            "logistic_a9a": (dual_table.a9a, "logistic", 1e-3),
                            "svm_adult81": (dual_table.adult, "hinge", 1e-3)}[name]
        source = {"california": named.SOURCES["california"].origin, **WHERE}
        which = name.split("_")[1].replace("81", "")
        try:
            (x, y), (test_x, test_y) = reader(self.data_dir or "")
        except OSError as error:
            raise named.MissingData(f"set {which} is missing: no file {error.filename}; public "
                                    f"source: {source[which]}") from error
        about = {"ridge_california": "Ridge regression on California housing",
                 "logistic_a9a": "Logistic regression on a9a",
                 "svm_adult81": "SVM on Adult (81 columns)"}[name]
        x, test_x = dual_table.shortened(x), dual_table.shortened(test_x)
        return self.problem(name, about + ", rows of norm at most 1", x, y, loss, 0., l2,
                            delta=1e-3, test=(test_x, test_y))
