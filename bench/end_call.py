#!/usr/bin/python3
"""One fit by one library, in a process of its own, for bench/end.py.

    end_call.py LIBRARY FOLDER [SOLVER THREADS SEED]

Prints a JSON object: the seconds of the fit call, what the machine's clock (monotonic) said when it
had ended, and the errors of the model. Rivals read the set's file as one does with them; sotto gets
arrays. A first fit on a few rows is not counted: it loads what a library loads late. With - for the
folder it only loads the library, and fails where that cannot be done.
"""

import json
import pathlib
import sys
import time
import warnings

import numpy as np

import end_sets

FEW = 200  # rows of the first fit


class Sotto:
    """The Python package, from an array."""

    def __init__(self, which, solver, threads, seed):
        import sotto_dp as dp
        self.model = dp.LogisticRegression(
            epsilon=1, delta=1e-6, rows=which.rows, l2=which.l2 / which.bound**2, classes=[-1, 1],
            schema=dp.Schema(others=dp.Number(-which.bound, which.bound)), solver=solver,
            threads=int(threads), insecure_seed=int(seed),
            penalty_units="fit" if solver == "auto" else None)

    def fit(self, X, y):
        self.model.fit(X, y)

    def found(self):
        return self.model.coef_[0], float(self.model.intercept_[0])


class Scikit(Sotto):
    """lbfgs, scikit-learn's default; not private."""

    def __init__(self, which):
        from sklearn.linear_model import LogisticRegression
        self.model = LogisticRegression(C=1.0, max_iter=1000)


class Diffprivlib(Sotto):
    """The longest row counts as known, in its favour."""

    def __init__(self, which):
        from diffprivlib.models import LogisticRegression
        X, _ = which.arrays()
        norm = float(np.sqrt(np.einsum("ij,ij->i", X, X).max()))
        self.model = LogisticRegression(epsilon=1, C=1.0, data_norm=norm * (1 + 1e-6), max_iter=1000)


class Liblinear:
    """Its own library, with a column of ones for the intercept, which it penalises; not private.
    Turning an array into its nodes is not counted."""

    per_row = 1.0  # C

    def __init__(self, which):
        import exact
        self.solver = exact.Liblinear(0)

    def prepare(self, X, y):
        import scipy.sparse
        ones = np.ones((X.shape[0], 1), np.float32)
        self.X = scipy.sparse.hstack([X, ones]).tocsr() if scipy.sparse.issparse(X) else np.c_[X, ones]
        self.y = y
        self.solver.prepare(self)

    def fit(self, X, y):
        _, self.weights = self.solver.run(self, .01)

    def found(self):
        return self.weights[:-1], float(self.weights[-1])


class Opacus:
    """DP-SGD on a linear model, with sotto's defaults of sgd for batches and passes; of a million
    rows one pass, because its loader takes rows one by one."""

    RATE, PASSES, LARGE = .02, 10, 500_000

    def __init__(self, which):
        import torch
        torch.manual_seed(1)
        torch.set_num_threads(1)
        self.torch, self.features = torch, which.features

    def fit(self, X, y):
        torch = self.torch
        from opacus import PrivacyEngine
        data = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
        module = torch.nn.Linear(self.features, 1)
        passes = 1 if len(y) > self.LARGE else self.PASSES
        module, optimizer, loader = PrivacyEngine().make_private_with_epsilon(
            module=module, optimizer=torch.optim.SGD(module.parameters(), lr=2.0),
            data_loader=torch.utils.data.DataLoader(data, batch_size=int(self.RATE * len(y))),
            target_epsilon=1, target_delta=1e-6, epochs=passes, max_grad_norm=1.0)
        for _ in range(passes):
            for rows, labels in loader:
                optimizer.zero_grad()
                torch.nn.functional.softplus(-labels * module(rows)[:, 0]).mean().backward()
                optimizer.step()
        self.module = module._module

    def found(self):
        return (self.module.weight.detach().numpy()[0].astype(np.float64),
                float(self.module.bias.detach()[0]))


LIBRARIES = {"sotto": Sotto, "scikit-learn lbfgs": Scikit, "diffprivlib": Diffprivlib,
             "LIBLINEAR": Liblinear, "Opacus": Opacus}


def read(which):
    """The set's file, by the readers that come with the rivals."""
    if which.sparse:
        from sklearn.datasets import load_svmlight_file
        return load_svmlight_file(str(which.file), n_features=which.features, zero_based=False,
                                  dtype=np.float32)
    if which.file.suffix == ".npy":
        table = np.load(which.file)
    else:
        import pandas
        table = pandas.read_csv(which.file, dtype=np.float32).to_numpy()
    return np.ascontiguousarray(table[:, :-1]), np.ascontiguousarray(table[:, -1])


def few(X, y):
    """Rows of both classes."""
    at = np.r_[np.flatnonzero(y > 0)[:FEW // 2], np.flatnonzero(y < 0)[:FEW // 2]]
    return X[at], y[at]


def main():
    library, folder, *more = sys.argv[1:]
    warnings.simplefilter("ignore")
    if folder == "-":
        LIBRARIES[library](None)
        return
    which = end_sets.Set(pathlib.Path(folder))
    solver = LIBRARIES[library](which, *more)
    X, y = which.arrays() if library in ("sotto", "LIBLINEAR") else read(which)
    for some in (few(X, y), (X, y)):
        if hasattr(solver, "prepare"):
            solver.prepare(*some)
        began = time.perf_counter()
        solver.fit(*some)
        seconds = time.perf_counter() - began
    ended = time.monotonic()
    weights, intercept = solver.found()
    print(json.dumps({"seconds": seconds, "ended": ended,
                      **end_sets.errors(X, y, weights, intercept, which.l2)}))


if __name__ == "__main__":
    main()
