"""Schema.template: from names and types of columns alone."""

import unittest

from common import have, np
from test_schema import refused

from sotto_dp.schema import Category, Drop, Number, Schema

SECRET = "zyzzyva"

pd, pl, pa = map(have, ("pandas", "polars", "pyarrow"))


class Template(unittest.TestCase):
    WANTED = "Schema(i=Number(), f=Number(), s=Category(...), c=Category(...), b=Number(0, 1), " \
             "t=Drop(), y=Target())"

    def frame(self, level=SECRET):
        return pd.DataFrame({
            "i": [1], "f": [1.5], "s": [level], "c": pd.Categorical([level]), "b": [True],
            "t": pd.to_datetime(["2020-01-01"]), "y": [0]})

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_pandas(self):
        self.assertEqual(repr(Schema.template(self.frame(), target="y")), self.WANTED)

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_person(self):
        self.assertEqual(repr(Schema.template(self.frame(), target="y", person="s")),
                         self.WANTED.replace("s=Category(...)", "s=Person()"))
        for person, target, words in (("y", "y", "two columns"), ("who", "y", "no column")):
            with self.assertRaisesRegex(ValueError, words):
                Schema.template(self.frame(), target=target, person=person)

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_values_are_not_looked_at(self):
        class Closed:
            """A table whose values cannot be had."""
            columns = self.frame().columns
            dtypes = self.frame().dtypes

        self.assertEqual(Schema.template(Closed()), Schema.template(self.frame("other")))
        self.assertEqual(Schema.template(self.frame().iloc[:0]), Schema.template(self.frame()))

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_more_types_of_pandas(self):
        for kind, column in [("Int64", Number()), ("boolean", Number(0, 1)), ("UInt8", Number()),
                             ("string", Category(...)), ("Sparse[float]", Number()),
                             ("interval[int64]", Drop()), ("timedelta64[ns]", Drop())]:
            frame = pd.DataFrame({"x": pd.Series([], dtype=kind)})
            self.assertEqual(Schema.template(frame), Schema(x=column), kind)

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_names(self):
        numbered = pd.DataFrame([[1.0, 2.0]])
        self.assertEqual(list(Schema.template(numbered).columns), ["1", "2"])
        mixed = pd.DataFrame([[1.0, 2.0]], columns=["a", 1])
        twice = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
        for frame in (mixed, twice):
            self.assertIsNotNone(refused(lambda: Schema.template(frame)))
        self.assertIsNotNone(refused(lambda: Schema.template(numbered, target="y")))

    @unittest.skipUnless(pl and pd, "polars is not installed")
    def test_polars(self):
        frame = pl.DataFrame({
            "i": [1], "f": [1.5], "s": ["x"], "c": pl.Series([SECRET], dtype=pl.Enum([SECRET])),
            "b": [True], "t": pl.Series([0], dtype=pl.Datetime), "y": [0]})
        self.assertEqual(repr(Schema.template(frame, target="y")), self.WANTED)

    @unittest.skipUnless(pa and pd, "pyarrow is not installed")
    def test_arrow(self):
        table = pa.Table.from_pandas(self.frame())
        for data in (table, table.schema, table.to_batches()[0], table.to_reader()):
            self.assertEqual(repr(Schema.template(data, target="y")), self.WANTED)

    def test_arrays(self):
        self.assertEqual(Schema.template(np.zeros((5, 2))), Schema({"1": Number(), "2": Number()}))
        for data in (np.zeros(3), 3, "d.csv", [[1, 2]]):
            self.assertIsNotNone(refused(lambda: Schema.template(data)))

    def test_cannot_be_used_before_it_is_filled_in(self):
        line = refused(Schema(sex=Category(...)).json_text)
        self.assertIn('column "sex": expected its levels', line)


if __name__ == "__main__":
    unittest.main()
