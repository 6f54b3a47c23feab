"""Files that earlier releases wrote are still read, with the same results.

tests/golden has a folder for each set of formats; tools/make_golden.py wrote it,
once. docs/compatibility.md promises what is tested here.
"""

import glob
import json
import os
import shutil
import unittest

from common import OK, USAGE, Case, run

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")


class Golden(Case):
    def each(self):
        """A copy of each release's folder: reading a ledger may touch its file."""
        folders = sorted(glob.glob(os.path.join(GOLDEN, "*")))
        self.assertTrue(folders)
        for folder in folders:
            copy = os.path.join(self.directory, os.path.basename(folder))
            shutil.copytree(folder, copy)
            for name in ("budget.ledger", "table.sotto"):
                os.chmod(os.path.join(copy, name), 0o600)
            yield copy

    def fine(self, folder, *words):
        done = run(words, cwd=folder)
        self.assertEqual(done.code, OK, done.err)
        return done.out.decode()

    def test_model(self):
        for folder in self.each():
            with open(os.path.join(folder, "predicted.txt")) as file:
                self.assertEqual(self.fine(folder, "predict", "model.json", "records.csv",
                                           "--proba"), file.read())
            self.assertIn("epsilon 0.99", self.fine(folder, "show", "model.json"))
            self.fine(folder, "report", "model.json", "evaluation.json", "-o", "page.html")

    def test_evaluation(self):
        for folder in self.each():
            self.assertIn("accuracy", self.fine(folder, "show", "evaluation.json"))

    def test_statement_and_signature(self):
        for folder in self.each():
            said = self.fine(folder, "verify", "model.json", "--key", "signer.pub", "--ledger",
                             "budget.ledger")
            self.assertIn("signature", said)
            with open(os.path.join(folder, "model.json")) as file:
                text = file.read()
            with open(os.path.join(folder, "other.json"), "w") as file:
                file.write(text.replace('"intercept": ', '"intercept": 1'))
            self.assertNotEqual(run(["verify", "other.json", "--key", "signer.pub"],
                                    cwd=folder).code, OK)

    def test_ledger(self):
        for folder in self.each():
            self.fine(folder, "ledger", "verify", "--ledger", "budget.ledger")
            told = json.loads(self.fine(folder, "ledger", "export", "--ledger", "budget.ledger",
                                        "--format", "json", "-o", "-"))
            self.assertEqual(told["sotto_ledger"], 1)
            self.assertIn("golden", json.dumps(told))
            self.fine(folder, "train", "records.csv", "--schema", "schema.json", "--loss",
                      "logistic", "--ledger", "budget.ledger", "--dataset", "golden",
                      "--rows-per-person", "2", "--epsilon", ".5", "--delta", "1e-6", "-o",
                      "next.json")

    def test_schema(self):
        for folder in self.each():
            self.fine(folder, "schema", "--check", "schema.json", "records.csv")

    def test_table(self):
        """The same model as from the records today: what is stored has kept its meaning."""
        for folder in self.each():
            made = {}
            for data in (["table.sotto"], ["records.csv", "--schema", "schema.json"]):
                out = data[0] + ".json"
                self.fine(folder, "train", *data, "--loss", "logistic", "--epsilon", "1",
                          "--delta", "1e-6", "--rows-per-person", "2", "--solver", "gd",
                          "--insecure-seed", "1", "--ledger", "none", "-o", out)
                with open(os.path.join(folder, out)) as file:
                    made[data[0]] = json.load(file)["weights"]
            self.assertEqual(made["table.sotto"], made["records.csv"])

    def test_a_newer_version_is_refused(self):
        for folder in self.each():
            for name, key in (("model.json", "sotto_model"), ("evaluation.json",
                                                              "sotto_evaluation")):
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                self.assertIn(f'"{key}": 1', text)
                with open(os.path.join(folder, "newer.json"), "w") as file:
                    file.write(text.replace(f'"{key}": 1', f'"{key}": 99', 1))
                self.assert_refused(run(["show", "newer.json"], cwd=folder), USAGE, hint="version")


if __name__ == "__main__":
    unittest.main()
