#!/usr/bin/env python3
"""Data frames of all kinds, sparse matrices: the same values, the same bits."""

import importlib
import unittest

from common import BUDGET, Case, dp, main, np, problem

from sotto_dp._sparse import compressed

SCHEMA = {"age": dp.Number(0, 120, missing=40), "visits": dp.Number(0, 20),
          "sex": dp.Category(["f", "m"], missing="none"), "smokes": dp.Number(0, 1)}


def have(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


pandas, polars, pyarrow, duckdb, sparse = map(
    have, ("pandas", "polars", "pyarrow", "duckdb", "scipy.sparse"))


def columns(rng, rows):
    """Columns of records as lists, with missing values as None."""
    def some(values, share):
        return [None if missing else value
                for value, missing in zip(values, rng.random(rows) < share)]
    return {
        "age": some(rng.integers(0, 120, rows).tolist(), 0.1),
        "visits": rng.integers(0, 20, rows).tolist(),
        "sex": some(rng.choice(["f", "m"], rows).tolist(), 0.1),
        "smokes": (rng.random(rows) < 0.3).tolist(),
        "readmitted": rng.choice(["no", "yes"], rows).tolist(),
    }


def frames(data):
    """The same columns as every kind of frame that is installed."""
    if pandas is not None:
        plain = pandas.DataFrame(data)
        yield "pandas", plain
        yield "pandas, nullable", plain.convert_dtypes()
        yield "pandas, categories", plain.astype({"sex": "category", "readmitted": "category"})
        yield "pandas, another index", plain.set_axis(range(5, 5 + len(plain)))
    if polars is not None:
        yield "polars", polars.DataFrame(data)
        yield "polars, categories", polars.DataFrame(data).with_columns(
            polars.col("sex").cast(polars.Categorical))
    if pyarrow is not None:
        table = pyarrow.table(data)
        yield "pyarrow", table
        yield "pyarrow, chunks", pyarrow.concat_tables(
            [table.slice(0, 7), table.slice(7, 0), table.slice(7)])
        yield "pyarrow, dictionaries", table.set_column(
            2, "sex", table["sex"].dictionary_encode())
    if duckdb is not None and pyarrow is not None:
        given = pyarrow.table(data)  # noqa: F841, duckdb finds it by its name
        yield "duckdb", duckdb.sql("select * from given")


class Frames(Case):
    def model(self, seed=3, **more):
        return dp.LogisticRegression(**BUDGET, schema=dp.Schema(**SCHEMA), insecure_seed=seed,
                                     classes=["no", "yes"], **more)

    def as_file(self, data):
        """The model of the same records from a CSV file, by the program."""
        from common import program
        with open(self.file("data.csv"), "w", encoding="utf-8") as file:
            file.write(",".join(data) + "\n")
            for row in zip(*data.values()):
                file.write(",".join("" if v is None else str(int(v) if isinstance(v, bool) else v)
                                    for v in row) + "\n")
        with open(self.file("schema.json"), "w", encoding="utf-8") as file:
            file.write(dp.Schema(**SCHEMA, readmitted=dp.Target()).json_text())
        program("train", "data.csv", "--schema", "schema.json", "--loss", "logistic",
                "--classes", "no,yes", "--epsilon", 1, "--delta", 1e-6, "--insecure-seed", 3,
                "-o", "model.json", "--quiet", cwd=self.folder)
        with open(self.file("model.json"), encoding="utf-8") as file:
            return file.read()

    def test_every_kind_gives_the_bits_of_a_file(self):
        for seed in range(3):
            data = columns(np.random.default_rng(seed), 200 + seed)
            expected = self.as_file(data)
            kinds = 0
            for name, frame in frames(data):
                with self.subTest(frame=name, seed=seed):
                    model = self.model().fit(frame, target="readmitted")
                    self.assertEqual(model._model.text(), expected)
                    self.assertEqual(list(model.feature_names_in_), list(SCHEMA))
                    self.assertEqual(model.n_features_in_, 4)
                kinds += 1
        if kinds == 0:
            self.skipTest("no data frames are installed")

    def test_y_apart(self):
        data = columns(np.random.default_rng(5), 200)
        expected = self.as_file(data)
        for name, frame in frames(data):
            if name == "duckdb":
                continue
            y = frame["readmitted"]
            names = [each for each in data if each != "readmitted"]
            X = frame.select(names) if hasattr(frame, "select") else frame[names]
            with self.subTest(frame=name):
                model = self.model().fit(X, y)
                named = model._model.text().replace('"target": {', '"readmitted": {')
                self.assertEqual(named.split('"checksum"')[0], expected.split('"checksum"')[0])
                self.assertGreaterEqual(model.score(X, y), 0)

    def test_predictions_match_columns_by_name(self):
        data = columns(np.random.default_rng(6), 100)
        for name, frame in frames(data):
            model = self.model().fit(frame, target="readmitted")
            expected = model.predict_proba(frame)
            names = ["sex", "smokes", "visits", "age"]
            with self.subTest(frame=name):
                if hasattr(frame, "iloc"):
                    other = frame[names]
                elif name == "duckdb":
                    other = frame.select(*names)
                else:
                    other = frame.select(names)
                self.assertTrue(np.array_equal(model.predict_proba(other), expected))
                if not name.startswith("duckdb"):
                    less = frame[names[:3]] if hasattr(frame, "iloc") else frame.select(names[:3])
                    self.refused(dp.DataError, 'no column "age"', model.predict, less)

    def test_labels_of_a_frame_are_data(self):
        data = columns(np.random.default_rng(7), 50)
        for name, frame in frames(data):
            model = dp.LogisticRegression(**BUDGET, schema=dp.Schema(**SCHEMA))
            with self.subTest(frame=name):
                self.refused((dp.PrivacyError, dp.DataError), "classes", model.fit, frame,
                             target="readmitted")

    def test_types_that_are_none(self):
        if pandas is None:
            self.skipTest("no pandas")
        df = pandas.DataFrame({"a": [1.0, 2.0], "when": pandas.to_datetime(["2020", "2021"]),
                               "y": [0, 1]})
        self.refused(dp.DataError, 'column "when": expected numbers or texts',
                     dp.LogisticRegression(**BUDGET).fit, df, target="y")
        twice = pandas.DataFrame(np.zeros((3, 2)), columns=["a", "a"])
        self.refused(dp.DataError, "different names", dp.LinearRegression(**BUDGET).fit, twice,
                     [0, 1, 2])


@unittest.skipIf(sparse is None, "no scipy")
class Sparse(Case):
    def test_formats_and_index_types(self):
        rng = np.random.default_rng(0)
        made = sparse.random(300, 8, 0.3, format="csr", random_state=1)
        y = rng.integers(0, 2, 300)
        texts = set()
        for kind in ("csr", "csc", "coo", "lil"):
            for index in (np.int32, np.int64):
                X = made.asformat(kind)
                if kind in ("csr", "csc"):
                    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
                model = dp.LogisticRegression(**BUDGET, insecure_seed=2).fit(X, y)
                texts.add(model._model.text())
        self.assertEqual(len(texts), 1)

    def test_an_entry_twice_makes_its_row_bad_and_no_other(self):
        """scipy's sum of the two would depend on whether another row is sorted."""
        values = [1e17, 4, -1e17, 4, 1e17, -1e17, 4.0]
        plain = (np.arange(300) % 3, np.arange(300) % 2 + 1.0)  # one entry a row
        y = np.arange(300) % 2
        without = sparse.csr_matrix((plain[1], plain[0], np.arange(301)), shape=(300, 40))
        expected = dp.LogisticRegression(**BUDGET, insecure_seed=2).fit(without, y)
        rows = np.concatenate([np.arange(300), [300] * 7, [301, 301]])
        labels = np.append(y, [0, 0])
        for other in ([1, 2], [2, 1]):
            cols = np.concatenate([plain[0], [5] * 7, other])
            data = np.concatenate([plain[1], values, [1.0, 1.0]])
            X = sparse.coo_matrix((data, (rows, cols)), shape=(302, 40))
            start = np.append(np.arange(301), [307, 309])
            by_row = sparse.csr_matrix((data, cols, start), shape=X.shape)
            by_column = sparse.csc_matrix(X.shape)
            order = np.argsort(cols, kind="stable")
            by_column.data, by_column.indices = data[order], rows[order]
            by_column.indptr = np.searchsorted(cols[order], np.arange(41))
            for made in (X, by_row, by_column):
                self.refused(dp.DataError, "row", dp.LogisticRegression(**BUDGET).fit, made,
                             labels)
                kept = compressed(made).tocsr()
                self.assertEqual(kept[300].data.tolist(), values)  # neither sorted nor added
                self.assertEqual(kept[301].indices.tolist(),
                                 sorted(other) if made is by_column else other)
                dropped = dp.LogisticRegression(**BUDGET, insecure_seed=2, bad_rows="drop").fit(
                    made[:301] if made.format == "csr" else by_row[:301], labels[:301])
                self.assertEqual(dropped.coef_.tobytes(), expected.coef_.tobytes())

    def test_entries_keep_their_order(self):
        rng = np.random.default_rng(3)
        for _ in range(50):
            row, col = rng.integers(0, 9, 60), rng.integers(0, 4, 60)
            data = rng.normal(size=60)
            whole = compressed(sparse.coo_matrix((data, (row, col)), shape=(9, 4)))
            keep = row != 5
            less = compressed(sparse.coo_matrix((data[keep], (row[keep], col[keep])),
                                                shape=(9, 4)))
            for i in set(range(9)) - {5}:
                self.assertEqual(whole[i].data.tobytes(), less[i].data.tobytes())
                self.assertEqual(whole[i].data.tolist(), data[row == i].tolist())

    def test_dense_and_sparse_answer_alike(self):
        made = sparse.random(300, 5, 0.5, format="csr", random_state=1)
        y = np.arange(300) % 2
        for fitted, asked in ((made, made.toarray()), (made.toarray(), made)):
            model = dp.LogisticRegression(**BUDGET).fit(fitted, y)
            self.assertTrue(np.array_equal(model.decision_function(fitted),
                                           model.decision_function(asked)))


class BadRows(Case):
    """With bad_rows="drop" an answer is about the row in its place, or is none."""

    def compare(self, model, X, good, some):
        """Answers for all of X against those for its good rows alone."""
        bad = ~good
        model.bad_rows = None
        self.refused(dp.DataError, "row", model.predict, X)
        alone = model.predict(some)
        scores = model.decision_function(some) if hasattr(model, "classes_") else alone
        model.bad_rows = "drop"
        answers = model.predict(X)
        self.assertEqual(len(answers), len(good))
        self.assertTrue(np.array_equal(answers[good].astype(alone.dtype), alone))
        if not hasattr(model, "classes_"):
            self.assertTrue(np.isnan(answers[bad]).all())
            return
        self.assertEqual(answers.dtype, object)
        self.assertEqual(set(answers[bad]), {None})
        self.assertEqual(model.predict(some).dtype, model.classes_.dtype)
        found = model.decision_function(X)
        self.assertTrue(np.isnan(found[bad]).all() and np.array_equal(found[good], scores))
        proba = model.predict_proba(X)
        self.assertEqual(proba.shape, (len(good), 2))
        self.assertTrue(np.isnan(proba[bad]).all() and not np.isnan(proba[good]).any())

    def test_arrays(self):
        X, y = problem(rows=600)
        bad = np.arange(600) % 7 == 3
        holes = X.copy()
        holes[bad, 1] = np.nan
        holes[5, 0] = np.inf
        bad[5] = True
        for made in (holes, np.asfortranarray(holes), holes.astype(np.float32), holes.tolist()):
            some = np.asarray(made)[~bad]
            self.compare(dp.LogisticRegression(**BUDGET).fit(X, y), made, ~bad, some)
            self.compare(dp.LinearRegression(**BUDGET).fit(X, y), made, ~bad, some)
        # bad rows do not count in a score
        for kind in (dp.LogisticRegression, dp.LinearRegression):
            model = kind(**BUDGET, bad_rows="drop").fit(X, y)
            weight = np.arange(600) % 3 + 1.0
            self.assertAlmostEqual(model.score(holes, y), model.score(X[~bad], y[~bad]), 12)
            self.assertAlmostEqual(model.score(holes, y, weight),
                                   model.score(X[~bad], y[~bad], weight[~bad]), 12)

    @unittest.skipIf(sparse is None, "no scipy")
    def test_sparse(self):
        X = sparse.random(300, 5, 0.5, format="csr", random_state=1)
        holes = X.copy()
        bad = np.zeros(300, bool)
        for row in range(2, 300, 11):
            if holes.indptr[row] < holes.indptr[row + 1]:
                holes.data[holes.indptr[row]] = np.nan
                bad[row] = True
        model = dp.LogisticRegression(**BUDGET).fit(X, np.arange(300) % 2)
        for made in (holes, holes.tocsc()):
            self.compare(model, made, ~bad, X[~bad])

    def test_frames_and_other(self):
        """A level that nobody declared: a bad row, or the level "other"."""
        rng = np.random.default_rng(4)
        data = columns(rng, 400)
        new = dict(data, sex=[rng.choice(["f", "m", "x"]) for _ in range(400)],
                   visits=[float(v) for v in data["visits"]])
        bad = np.array([sex == "x" for sex in new["sex"]])
        for (name, train), (_, asked), (_, some) in zip(
                frames(data), frames(new),
                frames({key: [v for v, b in zip(value, bad) if not b]
                        for key, value in new.items()})):
            if "categories" in name or "dictionaries" in name:
                continue  # their columns have another type in `new`
            with self.subTest(name):
                model = dp.LogisticRegression(
                    **BUDGET, schema=dp.Schema(**SCHEMA), classes=["no", "yes"])
                model.fit(train, target="readmitted")
                self.compare(model, asked, ~bad, some)
                declared = dp.Schema(**{**SCHEMA, "sex": dp.Category(
                    ["f", "m"], missing="none", other=True)})
                model = dp.LogisticRegression(**BUDGET, schema=declared, classes=["no", "yes"])
                model.fit(asked, target="readmitted")
                self.assertIn("sex=other", list(model.coef_names_))
                answers = model.predict(asked)
                model.save(self.fresh("m.json"))
                again = dp.LogisticRegression.load(self.file("m.json"))
                self.assertTrue(np.array_equal(again.predict(asked), answers))

    def test_private_levels(self):
        """Found in the records, whatever they are in; a dictionary's own list has no say."""
        rng = np.random.default_rng(4)
        data = columns(rng, 4000)
        data["sex"] = [str(rng.choice(["f", "m"])) for _ in range(3999)] + ["zz"]
        declared = dp.Schema(**{**SCHEMA, "sex": dp.Category("private", missing="none")})
        for name, train in frames(data):
            with self.subTest(name):
                model = dp.LogisticRegression(**BUDGET, schema=declared, classes=["no", "yes"])
                model.fit(train, target="readmitted")
                found = [n for n in model.coef_names_ if n.startswith("sex=")]
                self.assertEqual(found, ["sex=f", "sex=m", "sex=other"])
                answers = model.predict(train)
                model.save(self.fresh("m.json"))
                again = dp.LogisticRegression.load(self.file("m.json"))
                self.assertTrue(np.array_equal(again.predict(train), answers))


if __name__ == "__main__":
    main()
