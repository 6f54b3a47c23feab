#!/usr/bin/env python3
"""The README's first screen: what it prints is what `make fresh` runs, and
those commands build the product and nothing else.
"""
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(ROOT, "build"))


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          cwd=ROOT, **more).stdout


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


class FirstScreen(unittest.TestCase):
    def test_fresh_runs_what_the_readme_prints(self):
        screen = read("README.md").split("\n## ")[0]
        printed = re.findall(r"^    (make [a-z-]+)", screen, re.M)
        self.assertEqual(printed, ["make demo", "make test"])
        self.assertEqual(output("tools/fresh.sh", "--commands").splitlines(), printed)

    def test_fresh_names_no_mirror(self):
        for name in ("tools/fresh.sh", "tools/setup.sh", "Makefile", ".ci/run"):
            self.assertNotRegex(read(name), r"https?://", name)

    def test_ci_runs_the_tests_in_a_fresh_system(self):
        """And nowhere else: once."""
        script = re.sub(r"#.*", "", read(".ci/run"))
        self.assertIn("make fresh", script)
        self.assertNotRegex(script, r"make test\b(?!-)")

    def test_make_builds_the_product_only(self):
        rule = re.search(r"^all:.*\n((?:\t.*\n)+)", read("Makefile"), re.M)[1]
        self.assertEqual(rule.split(), ["ninja", "-C", "$(BUILD)", "product"])
        product = re.findall(r"^    \|? ?(\S+)", output(
            "ninja", "-C", BUILD, "-t", "query", "product"), re.M)
        self.assertLessEqual({"sotto", "sotto-federate", "libsotto.a",
                              "libsotto-federate.a", "cli/sotto.1"}, set(product))
        made = product + output("ninja", "-C", BUILD, "-t", "inputs",
                                "product").splitlines()
        self.assertEqual([name for name in made
                          if re.match(r"(\.\./)?(tests|bench)/", name)], [])

    def test_warnings_are_no_errors_for_a_user(self):
        self.assertNotIn("werror", read("meson.build"))
        self.assertIn("-Dwerror=true", output("make", "-n", "-B", "WERROR=1", "BUILD=no"))
        self.assertNotIn("werror", output("make", "-n", "-B", "BUILD=no",
                                          env={"PATH": os.environ["PATH"]}))


if __name__ == "__main__":
    unittest.main()
