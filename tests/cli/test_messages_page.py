"""docs/messages.md: every message of the source, each once, with its exit code, a cause
and a remedy; and what the program says is found there.
"""

import os
import re
import sys
import unittest

from common import DATA, FAILED, HERE, OK, PRIVACY, USAGE, Case, schema

sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
import messages  # noqa: E402

with open(messages.PAGE, encoding="utf-8") as file:
    PAGE = file.read()

SOURCE = r'''
sotto_status thing_check(const char *name, sotto_error *error)
{
    /* error_set(error, SOTTO_DATA, "not this one") */
    if (!name)
        return error_set(error, SOTTO_DATA,
                         "%s: expected \"%.*s\" and %d%% of " LIST("a") "it",
                         name, 3, name, 5);
    error_set(remark, SOTTO_OK, "all is well: %s",
              name ? "expected nothing at all" : "");
    return error_set(error, SOTTO_PRIVACY, given ? "no, not here" : "nor there");
}

static sotto_status fault(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED, "%s: %s", "a", what);
}

sotto_status caller(sotto_error *error)
{
    const char *expected = "expected two words";
    cli_refuse(error, "the claim is broken");
    error->status = SOTTO_PRIVACY;
    snprintf(line, sizeof line, "this is no message of an error");
    return fault("the disk is very full", error);
}
'''


class Source(unittest.TestCase):
    """What is found in a source."""

    def test_kinds(self):
        text = messages.without_comments(SOURCE.replace('LIST("a")', "LIST(A)"))
        self.assertEqual(sorted(messages.of_file(text, {})), sorted([
            ("3", '…: expected "…" and …% of …it'), ("5", "no, not here"), ("5", "nor there"),
            ("1", "the disk is very full"), ("5", "the claim is broken"),
            ("-", "expected two words")]))


class Page(unittest.TestCase):
    def test_complete_and_true(self):
        self.assertEqual(list(messages.faults(PAGE)), [])
        self.assertGreater(len(messages.on_page(PAGE)), 700)

    def test_a_fault_is_noticed(self):
        rows = re.findall(r"^\| [\d/-]+ \| `.+` \|\n", PAGE, re.M)
        self.assertEqual(len(rows), len(messages.on_page(PAGE)))
        row = next(r for r in rows if "the claim is broken" in r)
        for changed, said in ((PAGE.replace(row, ""), "missing: " + row.strip()),
                              (PAGE.replace(row, row + row), "listed twice: "),
                              (PAGE.replace(row, row + "| 2 | `the moon is full` |\n"),
                               "no source says: the moon is full"),
                              (PAGE.replace(row, row.replace("| 5", "| 3")),
                               "its status is 5: ")):
            with self.subTest(said):
                found = list(messages.faults(changed))
                self.assertEqual(len(found), 1)
                self.assertIn(said, found[0])

    def test_cause_and_remedy(self):
        """Of each section that has a table, and no table is elsewhere."""
        sections = re.split(r"^### ", PAGE, flags=re.M)
        self.assertNotIn("\n| ", sections[0])
        for section in sections[1:]:
            with self.subTest(section.partition("\n")[0]):
                self.assertRegex(section, r"\A.+\n\n\*Cause\.\* \S[^|]+\n\n\*Remedy\.\* \S[^|]+"
                                 r"\n\n\| code \| message \|\n\|---\|---\|\n\| ")


def rows_for(message):
    """The codes of the rows that may be this message, or a part of it that is filled in."""
    found = []
    for text, status in messages.on_page(PAGE):
        pattern = ".*".join(map(re.escape, text.split("…")))
        literal = len(text.replace("…", "").strip(": "))
        if literal > 8 and re.search(pattern, message):
            found.append((literal, status))
    return [status for _, status in sorted(found, reverse=True)]


class Said(Case):
    """What people meet, by the program itself."""

    COLUMNS = {"age": {"type": "number", "bounds": [0, 120]},
               "y": {"type": "target", "classes": ["0", "1"]}}

    def setUp(self):
        super().setUp()
        self.write("d.csv", "age,y\n" + "30,0\n40,1\n" * 20)
        self.write("bad.csv", "age,y\nold,0\n")
        self.write("few.csv", "age,y\n1\n")
        self.write("s.json", schema(self.COLUMNS))
        self.write("odd.json", schema({"age": {"type": "nummer"}}))
        self.write("x.json", "{}")
        trained = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "logistic",
                             "--epsilon", "1", "--delta", "1e-6", "-o", "m.json")
        self.assertEqual(trained.code, OK, trained.err)

    def test_found(self):
        train = ("--schema", "s.json", "--loss", "logistic", "-o", "n.json")
        private = (*train, "--epsilon", "1", "--delta", "1e-6")
        for code, *args in (
                (USAGE, "trian"), (USAGE, "train", "d.csv", "--epsilom", "1"),
                (USAGE, "predict", "m.json"), (USAGE, "train", "d.csv", "--loss", "logit"),
                (PRIVACY, "train", "d.csv", *train), (USAGE, "train", "d.csv", *private[:-4]
                                                      , "--epsilon", "0", "--delta", "1e-6"),
                (PRIVACY, "train", "d.csv", *train, "--epsilon", "1"),
                (DATA, "train", "bad.csv", *private), (DATA, "train", "few.csv", *private),
                (FAILED, "train", "nosuch.csv", *private),
                (USAGE, "train", "d.csv", "--schema", "odd.json", *private[2:]),
                (USAGE, "train", "d.csv", *private, "-o", "m.json"),
                (USAGE, "train", "d.csv", *private, "-o", "d.csv"),
                (USAGE, "train", "d.csv", *private, "--solver", "gd", "--path", "dense"),
                (PRIVACY, "train", "d.csv", *private, "--solver", "exact"),
                (USAGE, "evaluate", "x.json", "d.csv"),
                (DATA, "predict", "m.json", "bad.csv"),
                (USAGE, "ledger", "show", "--ledger", "none"),
                (USAGE, "account", "--event", "GAUSS(1)"),
                (USAGE, "export", "m.json")):
            with self.subTest(args):
                result = self.sotto(*args, keep=True)
                message = self.assert_one_line(result, code)
                rows = rows_for(message)
                self.assertTrue(rows, message)
                self.assertIn(rows[0], (str(code), "-"), message)


if __name__ == "__main__":
    unittest.main()
