#!/usr/bin/env python3
"""Installs into an empty folder and builds the examples against it.

They see nothing but what was installed: the headers, the libraries and
the pkg-config files. The command is the one that docs/embedding.md prints.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(ROOT, "build"))
CC = os.environ.get("CC", "cc").split()

EXAMPLES = os.path.join(ROOT, "examples")
LIBRARIES = ["-lsqlite3", "-lsodium", "-ljansson", "-lz", "-lpthread", "-lm"]

AGREE = """
#include <sotto_federate.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char hash[65], *text;
    sotto_error error = {SOTTO_OK, ""};
    if (argc < 2 || sotto_federation_describe(argv[1], 0, hash, &text, &error) != SOTTO_OK) {
        fprintf(stderr, "%s\\n", error.message);
        return 1;
    }
    sotto_text_free(text);
    return printf("%s\\n", hash) < 0;
}
"""
AGREEMENT = {
    "sotto_parties": 1, "target": {"name": "t", "bounds": [-1, 1], "party": "a"}, "rounds": 4,
    "buckets": 4, "rows": 2, "epsilon": 1, "delta": 1e-6, "id": "i", "coordinator": {"host": "h"},
    "parties": [{"name": "a", "radius": 1, "cap": 1,
                 "columns": {"x": {"type": "number", "bounds": [-1, 1]}}}]}


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def files_in(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, _, names in os.walk(folder) for name in names)


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.join(self.folder.name, "root")
        run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", self.root])
        for name in files_in(self.root):
            if name.endswith("/sotto.pc"):
                self.pkgconfig = os.path.join(self.root, os.path.dirname(name))
        run([os.path.join(ROOT, "tools", "patients.py"), self.folder.name])
        self.data, self.schema, self.new, self.model = (
            os.path.join(self.folder.name, name)
            for name in ("patients.csv", "schema.json", "new.csv", "model.json"))

    def flags(self, *which, package="sotto"):
        environment = dict(os.environ, PKG_CONFIG_PATH=self.pkgconfig,
                           PKG_CONFIG_SYSROOT_DIR=self.root)
        words = run(["pkg-config", *which, package], env=environment).split()
        # system libraries were not installed under the folder
        return [w for w in words if not (w.startswith("-I" + self.root) and
                                         not os.path.exists(w[2:]))]

    def libdir(self):
        return os.path.dirname(self.pkgconfig)

    def example(self, name, flags, *arguments, folder=EXAMPLES):
        """What an example prints, built with nothing but these flags."""
        program = os.path.join(self.folder.name, name)
        sanitizers = ["-fsanitize=address,undefined"] if self.is_sanitized() else []
        run(CC + ["-Wall", "-Wextra", "-Werror", os.path.join(folder, name + ".c"),
                  "-o", program] + sanitizers + flags)
        environment = dict(os.environ, LD_LIBRARY_PATH=self.libdir())
        return run([program, *arguments], env=environment)

    def check_private(self):
        """The model has a statement for the budget of the example, and nothing is left open."""
        with open(self.model, encoding="utf-8") as file:
            model = json.load(file)
        self.assertNotIn("not_private", model)
        self.assertLessEqual(model["privacy"]["epsilon"], 1)
        self.assertGreater(model["privacy"]["epsilon"], .99)
        self.assertEqual(model["privacy"]["delta"], 1e-6)
        self.assertFalse(os.path.exists(self.model + ".spent"))

    def check_examples(self, flags):
        """Of three patients the second is readmitted: with a probability near .9, so that noise
        does not turn it."""
        self.assertEqual(self.example("fit", flags, self.data, self.schema, self.model),
                         f"wrote {self.model}\n")
        self.check_private()
        answers = self.example("predict", flags, self.model, self.new).split()
        self.assertEqual([float(a) for a in answers], [-1, 1, -1])
        self.assertEqual(self.example("columns", flags), "larger doses help\n")

    def test_command_of_the_page(self):
        """It compiles the example as it is printed there."""
        with open(os.path.join(ROOT, "docs", "embedding.md"), encoding="utf-8") as file:
            command, = re.findall(r"^```sh\n(cc examples/.*)\n```$", file.read(), re.M)
        self.assertIn("$(pkg-config ", command)
        place = os.path.join(self.folder.name, "place")
        os.mkdir(place)
        os.symlink(EXAMPLES, os.path.join(place, "examples"))
        environment = dict(os.environ, LD_LIBRARY_PATH=self.libdir(),
                           PKG_CONFIG_PATH=self.pkgconfig, PKG_CONFIG_SYSROOT_DIR=self.root)
        run(["bash", "-ec", command], cwd=place, env=environment)
        run([os.path.join(place, "fit"), self.data, self.schema, self.model], env=environment)
        self.check_private()

    def is_sanitized(self):
        return "__asan" in run(["nm", "-D", os.path.join(BUILD, "libsotto.so")])

    def test_shared(self):
        self.check_examples(self.flags("--cflags", "--libs"))

    def test_static(self):
        self.check_examples(self.flags("--cflags") + [
            os.path.join(self.libdir(), "libsotto.a"), *LIBRARIES])

    def check_federation(self, flags):
        """It describes what parties agree upon, and the core frees the text."""
        source = os.path.join(self.folder.name, "agree.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(AGREE)
        agreement = os.path.join(self.folder.name, "agreement.json")
        with open(agreement, "w", encoding="utf-8") as file:
            json.dump(AGREEMENT, file)
        with open(agreement, "rb") as file:
            expected = hashlib.sha256(file.read()).hexdigest()
        self.assertEqual(self.example("agree", flags, agreement, folder=self.folder.name),
                         expected + "\n")

    def test_shared_federation(self):
        self.check_federation(self.flags("--cflags", "--libs", package="sotto-federate"))

    def test_static_federation(self):
        with open(os.path.join(self.pkgconfig, "sotto-federate.pc"), encoding="utf-8") as file:
            network = ["-lmicrohttpd", "-lcurl", "-lgnutls"] if "gnutls" in file.read() else []
        self.check_federation(self.flags("--cflags") + [
            os.path.join(self.libdir(), f"lib{name}.a") for name in ("sotto-federate", "sotto")] +
            network + LIBRARIES)

    def test_examples_are_short(self):
        for name in os.listdir(EXAMPLES):
            if not name.endswith(".c"):  # those in Python: python/tests/test_examples.py
                continue
            with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
                body = file.read().split("*/", 1)[1].strip().splitlines()
            self.assertLessEqual(len(body), 32, name)

    def test_header_is_cplusplus_too(self):
        header = os.path.join(self.root, "usr/local/include/sotto.h")
        if not os.path.exists(header):
            header = next(os.path.join(self.root, name) for name in files_in(self.root)
                          if name.endswith("sotto.h"))
        try:
            run(["g++", "-fsyntax-only", "-Wall", "-Werror", "-x", "c++", header])
        except FileNotFoundError:
            self.skipTest("no C++ compiler")

    def test_program_finds_its_library(self):
        self.assertIn("sotto", run([self.installed("bin/sotto"), "version"]))

    def federate(self, program):
        return subprocess.run([program, "federate", "config", "/nowhere"], check=False,
                              capture_output=True, text=True)

    def test_program_finds_the_federation(self):
        """Through a link, too; and says so where it was not installed."""
        program = self.installed("bin/sotto")
        link = os.path.join(self.folder.name, "link")
        os.symlink(program, link)
        for path in (program, link):
            done = self.federate(path)
            self.assertEqual((done.returncode, "/nowhere" in done.stderr), (1, True), done.stderr)
        os.remove(program + "-federate")
        done = self.federate(program)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot run sotto-federate", done.stderr)

    def installed(self, ending):
        """The one installed file of that path."""
        found = [name for name in files_in(self.root) if name.endswith(ending)]
        self.assertEqual(len(found), 1, ending)
        return os.path.join(self.root, found[0])

    def test_completion(self):
        script = self.installed("share/bash-completion/completions/sotto")
        self.assertIn("-F _sotto sotto",
                      run(["bash", "-c", 'source "$1"; complete -p sotto', "bash", script]))

    def test_man_pages(self):
        if not shutil.which("scdoc"):
            self.skipTest("no scdoc (apt install scdoc)")
        for name in ("sotto", "sotto-federate"):
            with open(self.installed(f"share/man/man1/{name}.1"), encoding="utf-8") as file:
                self.assertRegex(file.read(), rf'(?m)^\.TH "{name}" "1"')


if __name__ == "__main__":
    unittest.main()
