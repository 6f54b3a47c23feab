#!/usr/bin/env python3
"""Installs into an empty folder, builds a program against it, uninstalls.

The program sees nothing but what was installed: sotto.h, the libraries and
the pkg-config file.
"""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(ROOT, "build"))
CC = os.environ.get("CC", "cc").split()

PROGRAM = r"""
#include <sotto.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sotto_options *options;
    sotto_table *table;
    sotto_error error;
    if (argc != 2 || sotto_options_new(&options, &error) ||
        sotto_table_read(&table, argv[1], options, &error))
        return 1;
    printf("%s %lld\n", sotto_version(), (long long)sotto_table_rows(table));
    sotto_table_free(table);
    sotto_options_free(options);
    return 0;
}
"""


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
            if name.endswith("sotto.pc"):
                self.pkgconfig = os.path.join(self.root, os.path.dirname(name))
        self.source = os.path.join(self.folder.name, "program.c")
        self.data = os.path.join(self.folder.name, "a.csv")
        with open(self.source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with open(self.data, "w", encoding="utf-8") as file:
            file.write("x\n1\n2\n")

    def flags(self, *which):
        environment = dict(os.environ, PKG_CONFIG_PATH=self.pkgconfig,
                           PKG_CONFIG_SYSROOT_DIR=self.root)
        words = run(["pkg-config", *which, "sotto"], env=environment).split()
        # system libraries were not installed under the folder
        return [w for w in words if not (w.startswith("-I" + self.root) and
                                         not os.path.exists(w[2:]))]

    def libdir(self):
        return os.path.dirname(self.pkgconfig)

    def build(self, flags):
        program = os.path.join(self.folder.name, "program")
        sanitizers = ["-fsanitize=address,undefined"] if self.is_sanitized() else []
        run(CC + [self.source, "-o", program] + sanitizers + flags)
        environment = dict(os.environ, LD_LIBRARY_PATH=self.libdir())
        return run([program, self.data], env=environment)

    def is_sanitized(self):
        return "__asan" in run(["nm", "-D", os.path.join(BUILD, "libsotto.so")])

    def test_shared(self):
        out = self.build(self.flags("--cflags", "--libs"))
        self.assertRegex(out, r"^\d+\.\d+\.\d+ 2$")

    def test_static(self):
        flags = self.flags("--cflags") + [os.path.join(self.libdir(), "libsotto.a"),
                                          "-lsodium", "-ljansson", "-lz", "-lpthread", "-lm"]
        self.assertRegex(self.build(flags), r"^\d+\.\d+\.\d+ 2$")

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
        program = next(os.path.join(self.root, name) for name in files_in(self.root)
                       if name.endswith("bin/sotto"))
        self.assertIn("sotto", run([program, "version"]))


if __name__ == "__main__":
    unittest.main()
