#!/usr/bin/env python3
"""Python and the program give the same model, bit for bit, for one seed."""

import csv
import json

from common import LOSSES, Case, dp, main, np, program

SEED = 12


def numbers(rng, rows, width, kind):
    """An array of some type; whole numbers where it has only those."""
    if kind == "b1":
        return rng.random((rows, width)) < 0.5
    if kind[0] in "iu":
        return rng.integers(0, 100, (rows, width)).astype(kind)
    return rng.normal(0, 1, (rows, width)).astype(kind)


def strided(rng, X):
    """The same values with other strides."""
    how = rng.integers(5)
    if how == 0:
        return np.asfortranarray(X)
    if how == 1:
        return np.repeat(X, 2, axis=0)[::2]
    if how == 2:
        return np.ascontiguousarray(X[::-1])[::-1]
    if how == 3:
        return np.ascontiguousarray(X[:, ::-1])[:, ::-1]
    return X


class Bits(Case):
    def write(self, X, y, names):
        """The records as CSV, with all digits."""
        with open(self.file("data.csv"), "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow([*names, "target"])
            for row, label in zip(X, y):
                out.writerow([*(repr(float(v)) if X.dtype.kind == "f" else int(v)
                                for v in row), label])

    def by_program(self, loss, *more):
        program("train", "data.csv", "--target", "target", "--loss", loss, "--epsilon", 1,
                "--delta", 1e-6, "--insecure-seed", SEED, "-o", "model.json", "--quiet", *more,
                cwd=self.folder)
        with open(self.file("model.json"), encoding="utf-8") as file:
            return file.read()

    def test_arrays_of_any_type_and_strides(self):
        rng = np.random.default_rng(1)
        for i, kind in enumerate(["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8",
                                  "b1"] * 2):
            loss = list(LOSSES)[i % 4]
            width = int(rng.integers(1, 5))
            X = strided(rng, numbers(rng, 300, width, kind))
            y = (rng.random(300) < 0.5).astype(int) if i % 4 < 2 else rng.normal(0, 1, 300)
            names = [str(j + 1) for j in range(width)]
            self.write(X, y, names)
            classes = [] if i % 4 > 1 else ["--classes", "0,1"]
            expected = self.by_program(loss, *classes)
            model = LOSSES[loss](epsilon=1, delta=1e-6, insecure_seed=SEED).fit(X, y)
            with self.subTest(kind=kind, loss=loss):
                self.assertEqual(model._model.text(), expected)
                self.answers(model, X)

    def answers(self, model, X):
        program("predict", "model.json", "data.csv", "-o", "answers.txt", "--quiet",
                cwd=self.folder)
        with open(self.file("answers.txt"), encoding="utf-8") as file:
            expected = [float(line) for line in file]
        self.assertEqual(model.predict(X).astype(float).tolist(), expected)

    def test_weights_people_and_schema(self):
        rng = np.random.default_rng(2)
        X = rng.normal(0, 1, (400, 2))
        y, weight = rng.normal(0, 1, 400), rng.uniform(0, 2, 400)
        person = rng.integers(0, 150, 400)
        with open(self.file("data.csv"), "w", encoding="utf-8") as file:
            file.write("1,2,target,weight,person\n")
            for row in zip(*X.T, y, weight, person):
                file.write(",".join(repr(v.item()) for v in row) + "\n")
        expected = self.by_program("squared", "--weights", "weight", "--weight-bound", 1.5,
                                   "--unit-column", "person", "--rows-per-person", 2)
        model = dp.LinearRegression(epsilon=1, delta=1e-6, insecure_seed=SEED, weight_bound=1.5,
                                    rows_per_person=2)
        model.fit(X, y, weight, person=person)
        self.assertEqual(model._model.text(), expected)

    def test_settings_are_those_of_the_command_line(self):
        rng = np.random.default_rng(3)
        X, y = rng.uniform(-1, 1, (300, 2)), rng.normal(0, 1, 300)
        self.write(X, y, ["1", "2"])
        expected = self.by_program(
            "squared", "--solver", "gd", "--undeclared", "rows", "--steps", 7, "--l1", 0.01,
            "--box", "-1,1", "--no-intercept", "--clip", 0.5)
        model = dp.LinearRegression(
            epsilon=1, delta=1e-6, insecure_seed=SEED, solver="gd", undeclared="rows", steps=7,
            l1=0.01, box=(-1, 1), fit_intercept=False, clip=0.5).fit(X, y)
        self.assertEqual(model._model.text(), expected)

    def test_exact(self):
        rng = np.random.default_rng(4)
        X, y = rng.uniform(-1, 1, (200, 3)), rng.normal(0, 1, 200)
        self.write(X, y, ["1", "2", "3"])
        program("train", "data.csv", "--target", "target", "--epsilon", "inf", "-o", "model.json",
                "--quiet", cwd=self.folder)
        model = dp.LinearRegression(epsilon=float("inf")).fit(X, y)
        with open(self.file("model.json"), encoding="utf-8") as file:
            self.assertEqual(model.coef_.tolist(), json.load(file)["weights"])
        self.assertIsNone(model.privacy_)
        self.assertIsNone(model.statement_)


if __name__ == "__main__":
    main()
