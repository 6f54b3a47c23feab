#!/usr/bin/env python3
"""Peak memory while a file is loaded: at most 1.5 times the final table.

Measured from outside, as the high-water mark of the process, on tables large enough that the program's own few megabytes
do not matter.
"""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(ROOT, "build"))
SOTTO = os.environ.get("SOTTO", os.path.join(BUILD, "sotto"))
BENCH_READ = os.path.join(BUILD, "bench", "bench_read")
BASE_BYTES = 12 << 20  # the program, its libraries (most of it for TLS), and pieces in flight


def peak_bytes(command, stdin=None):
    """The largest resident set of a child process."""
    pid = os.fork()
    if pid == 0:
        with open(os.devnull, "wb") as null:
            os.dup2(null.fileno(), 1)
        if stdin:
            os.dup2(os.open(stdin, os.O_RDONLY), 0)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{command}: status {status}")
    return usage.ru_maxrss * 1024


class LoadMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.csv = cls.make("sparse-lasso", "a.csv", 150000, 60)
        cls.wide = cls.make("sparse-lasso", "wide.csv", 700, 12000)
        cls.svm = cls.make("zipf-flat", "a.svm", 40000, 50000)
        cls.npy = cls.make("sparse-lasso", "a.npy", 150000, 60)
        cls.zipped = cls.csv + ".gz"
        subprocess.run(f"gzip -1 -c {cls.csv} > {cls.zipped}", shell=True, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def make(cls, name, file, rows, features):
        path = os.path.join(cls.folder.name, file)
        subprocess.run([SOTTO, "generate", name, "--rows", str(rows), "--features",
                        str(features), "--quiet", "-o", path], check=True)
        return path

    def check(self, path, table_bytes, *settings, stdin=None):
        peak = peak_bytes([BENCH_READ, "-" if stdin else path, "1", *settings], stdin)
        self.assertLess(peak - BASE_BYTES, 1.5 * table_bytes,
                        f"{os.path.basename(path)}: {peak / table_bytes:.2f} times the table")

    def test_csv(self):
        for threads in "1", "2":
            self.check(self.csv, 150000 * 61 * 4, "threads", threads)

    def test_csv_gzipped(self):
        self.check(self.zipped, 150000 * 61 * 4, "threads", "2")

    def test_csv_from_stdin(self):
        self.check(self.csv, 150000 * 61 * 4, "format", "csv", stdin=self.csv)

    def test_wide_csv(self):
        self.check(self.wide, 700 * 12000 * 4, "threads", "1")

    def test_svmlight(self):
        with open(self.svm, "rb") as file:
            entries = sum(line.count(b":") for line in file)
        self.check(self.svm, entries * 16, "threads", "2")

    def test_npy(self):
        self.check(self.npy, 150000 * 61 * 4)


if __name__ == "__main__":
    unittest.main()
