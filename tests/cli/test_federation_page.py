#!/usr/bin/python3
"""docs/federation.md: three organisations set it up with its commands, as they are printed."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from common import PROGRAM
from consortium import free_port

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PORT = "7443"


class Page(unittest.TestCase):
    def test_commands(self):
        with open(os.path.join(ROOT, "docs", "federation.md"), encoding="utf-8") as file:
            script = "\n".join(re.findall(r"```sh\n(.*?)```", file.read(), re.S))
        self.assertGreater(script.count("sotto federate"), 7)
        self.assertIn(PORT, script)
        script = script.replace(PORT, str(free_port()))  # the one thing that is changed
        with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
            os.mkdir(os.path.join(folder, "bin"))
            os.symlink(PROGRAM, os.path.join(folder, "bin", "sotto"))
            environment = {k: v for k, v in os.environ.items()
                           if not k.lower().endswith("_proxy")}
            environment["PATH"] = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
            work = os.path.join(folder, "work")
            os.mkdir(work)
            done = subprocess.run(["bash", "-euc", script], cwd=work, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=800, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"(?m)^[0-9a-f]{64}$")
            self.assertIn("party clinic: over; ", done.stdout)
            self.assertIn("its part has cost epsilon", done.stdout)
            self.assertIn("income, with the clinic", done.stdout)
            with open(os.path.join(work, "clinic", "model.json"), encoding="utf-8") as file:
                privacy = json.load(file)["privacy"]
            self.assertLessEqual(privacy["epsilon"], 4)
            self.assertGreater(privacy["epsilon"], 3.9)

    def test_times(self):
        """The page has the numbers of the code."""
        with open(os.path.join(ROOT, "src", "net", "limits.h"), encoding="utf-8") as file:
            code = dict(re.findall(r"NET_([A-Z_]+) = (\d+)", file.read()))
        with open(os.path.join(ROOT, "docs", "federation.md"), encoding="utf-8") as file:
            page = file.read()
        table = re.findall(r"(?m)^\| `([a-z]+)` \| (\d+) \|", page)
        self.assertEqual(len(table), 5)
        for name, seconds in table:
            self.assertEqual(code.pop(name.upper()), seconds, name)
        words = " ".join(page.split())
        self.assertIn(f"one second more for each {code.pop('BYTES')} bytes", words)
        self.assertIn(f"Strangers can have {code.pop('STRANGERS')} connections at a time, "
                      f"each party {code.pop('OF_PARTY')}.", words)
        self.assertEqual(code, {})


if __name__ == "__main__":
    unittest.main()
