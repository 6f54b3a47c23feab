"""The data sets of the end-to-end bench: files for programs, arrays for libraries, and errors.

Every dense column is divided by the power of two above its largest size, which counts as known, so
that bounds are [-1, 1] for everybody and penalties mean the same. The problem is the mean logistic
loss + l2/2 |w|^2 with l2 = 1/n (scikit-learn: C = 1), with an intercept.
"""

import gzip
import json
import math
import pathlib
import sys

import numpy as np

from files import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import problems  # noqa: E402  (found through the path set above)
sys.path.pop(0)  # numba would take tools/coverage.py for the package coverage

CSV = {"electricity": "electricity/electricity.csv", "adult": "adult/adult81.train.csv.gz"}
NAMES = ("electricity", "adult", "large", "sparse")
SIZES = {"large": (1_000_000, 50), "sparse": (100_000, 100_000)}
QUICK = {"large": (50_000, 50), "sparse": (5_000, 20_000)}
SPARSE_BOUND = 3  # rows have this norm


class Set:
    """A set in its folder, made once: file, schema, and arrays beside them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.about = json.loads((self.folder / "about.json").read_text())
        self.file = self.folder / self.about["file"]
        self.rows, self.features = self.about["rows"], self.about["features"]
        self.sparse = self.about["sparse"]
        self.l2 = 1 / self.rows

    @property
    def bound(self):
        return SPARSE_BOUND if self.sparse else 1

    def options(self):
        """Of sotto, for the problem; penalties are in the units of the fit."""
        target = {} if self.sparse else {"target": "target"}
        if self.file.suffix == ".npy":
            target = {"target": str(self.features + 1)}
        return {**target, "schema": self.folder / "schema.json", "loss": "logistic", "epsilon": 1,
                "delta": 1e-6, "rows": self.rows, "l2": repr(self.l2 / self.bound**2),
                **({"features": self.features} if self.sparse else {})}

    def arrays(self):
        """X and y = -1, 1 in 4-byte floats; X of a sparse set is a matrix of scipy."""
        y = np.load(self.folder / "y.npy")
        if not self.sparse:
            return np.load(self.folder / "x.npy"), y
        import scipy.sparse
        return scipy.sparse.load_npz(self.folder / "x.npz"), y

    def table_bytes(self):
        """4 bytes a value; sparse: and 4 for where it is, by rows and by columns."""
        return 16 * self.about["values"] if self.sparse else 4 * self.about["values"]


# ---- errors ----


def margins(X, weights, intercept):
    return X @ np.asarray(weights, np.float64) + intercept


def errors(X, y, weights, intercept, l2):
    """Accuracy, log-loss and objective on the rows that were learned from."""
    m = margins(X, weights, intercept) * y
    loss = float(np.logaddexp(0, -m).mean())
    return {"accuracy": float((m > 0).mean()), "log_loss": loss,
            "objective": loss + l2 / 2 * float(np.dot(weights, weights))}


def read_model(path, features):
    """Weights and intercept of a model file."""
    model = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    weights = np.zeros(features)
    if isinstance(model["weights"], dict):
        for name, weight in model["weights"].items():
            weights[int(name) - 1] = weight
    else:
        weights[:] = model["weights"]
    return weights, model["intercept"]


# ---- making ----


def read_csv(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="ascii")
    with opened as stream:
        return np.loadtxt(stream, delimiter=",", skiprows=1)


def schema(features, names, target):
    columns = {name: {"type": "number", "bounds": [-1, 1]} for name in names[:features]}
    return {"sotto_schema": 1, "columns": {**columns, target: {"type": "target"}}}


def write_about(folder, file, X, values, sparse):
    (folder / "about.json").write_text(json.dumps(
        {"file": file, "rows": X.shape[0], "features": X.shape[1], "values": int(values),
         "sparse": sparse}))


def put_dense(folder, X, y, as_csv):
    bound = 2.0**np.ceil(np.log2(np.maximum(abs(X).max(0), 1e-30)))
    X = (X / bound).astype(np.float32)
    y = y.astype(np.float32)
    np.save(folder / "x.npy", X)
    np.save(folder / "y.npy", y)
    names = [f"x{j + 1}" if as_csv else str(j + 1) for j in range(X.shape[1])]
    target = "target" if as_csv else str(X.shape[1] + 1)
    (folder / "schema.json").write_text(json.dumps(schema(X.shape[1], names, target)))
    if as_csv:
        import sklearn.datasets
        sklearn.datasets.dump_svmlight_file(X, y, str(folder / "data.svm"), zero_based=False)
        np.savetxt(folder / "data.csv", np.c_[X, y], "%.7g", ",", comments="",
                   header=",".join(names + [target]))
    else:
        np.save(folder / "data.npy", np.c_[X, y])
    write_about(folder, "data.csv" if as_csv else "data.npy", X, X.size, False)


def large(rows, features):
    """Normal columns; classes by a logistic model in which every second column matters."""
    random = np.random.default_rng(1)
    X = random.standard_normal((rows, features), np.float32)
    weights = random.standard_normal(features) * (np.arange(features) % 2) / math.sqrt(features)
    chance = 1 / (1 + np.exp(-2 * (X @ weights.astype(np.float32)) - .3))
    return X, np.where(random.random(rows) < chance, 1, -1)


def put_sparse(folder, sotto, rows, features):
    import scipy.sparse
    import sklearn.datasets
    run([sotto, "generate", "zipf-heavy", "--rows", rows, "--features", features, "--per-row", 100,
         "--quiet", "-o", folder / "data.svm"])
    X, y = sklearn.datasets.load_svmlight_file(str(folder / "data.svm"), n_features=features,
                                               zero_based=False, dtype=np.float32)
    scipy.sparse.save_npz(folder / "x.npz", X, compressed=False)
    np.save(folder / "y.npy", y.astype(np.float32))
    bounds = [-SPARSE_BOUND, SPARSE_BOUND]
    (folder / "schema.json").write_text(json.dumps(
        {"sotto_schema": 1, "default": {"type": "number", "bounds": bounds}, "columns": {}}))
    write_about(folder, "data.svm", X, X.nnz, True)


def make(name, folder, sotto, quick=False):
    """The set, or None where its file is not at hand."""
    folder = pathlib.Path(folder) / (name + ("-quick" if quick else ""))
    if (folder / "about.json").exists():
        return Set(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if name in CSV:
        path = pathlib.Path(problems.find_data_dir() or "") / CSV[name]
        if not path.exists():
            return None
        table = read_csv(path)
        put_dense(folder, table[:, :-1], table[:, -1], True)
    elif name == "large":
        put_dense(folder, *large(*(QUICK if quick else SIZES)[name]), False)
    else:
        put_sparse(folder, sotto, *(QUICK if quick else SIZES)[name])
    return Set(folder)
