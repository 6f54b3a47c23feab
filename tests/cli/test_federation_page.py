#!/usr/bin/python3
"""docs/federation.md: three organisations set it up with its commands, as they are printed."""

import json
import os
import re
import socket
import subprocess
import tempfile
import unittest

from common import PROGRAM

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PORT = 7443


def port_is_free(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return not s.connect_ex(("127.0.0.1", port)) == 0


class Page(unittest.TestCase):
    def test_commands(self):
        with open(os.path.join(ROOT, "docs", "federation.md"), encoding="utf-8") as file:
            script = "\n".join(re.findall(r"```sh\n(.*?)```", file.read(), re.S))
        self.assertGreater(script.count("sotto federate"), 7)
        if not port_is_free(PORT):  # somebody else's: the one thing that is changed
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                script = script.replace(str(PORT), str(s.getsockname()[1]))
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
                                  timeout=200, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"(?m)^[0-9a-f]{64}$")
            self.assertIn("party clinic: over; ", done.stdout)
            self.assertIn("its part has cost epsilon", done.stdout)
            with open(os.path.join(work, "clinic", "model.json"), encoding="utf-8") as file:
                privacy = json.load(file)["privacy"]
            self.assertLessEqual(privacy["epsilon"], 4)
            self.assertGreater(privacy["epsilon"], 3.9)


if __name__ == "__main__":
    unittest.main()
