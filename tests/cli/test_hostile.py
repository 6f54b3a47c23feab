#!/usr/bin/python3
"""Surroundings that mean no good: signals, files that change or never end, too little memory."""

import errno
import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest
import zlib

from common import DATA, FAILED, OK, PROGRAM, USAGE, Case, Result, npy, schema

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Process(Case):
    """The program in the middle of its work: it waits for a pipe that the test holds."""

    def start(self, *args, **more):
        process = subprocess.Popen([PROGRAM, *args], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                                   **more)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()

    def pipe(self, process, name):
        """The other end of a pipe, once the program has opened it; it must not end before."""
        pipe = None
        while pipe is None and process.poll() is None:
            try:
                pipe = os.open(self.path(name), os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                time.sleep(.01)
        if pipe is None:
            self.fail(process.stderr.read())
        os.set_blocking(pipe, True)
        return open(pipe, "wb", buffering=0)

    def reading(self, **more):
        """It has begun to read d.csv; the process, and the other end of the pipe."""
        os.mkfifo(self.path("d.csv"))
        process = self.start("train", "d.csv", "--target", "t", "--loss", "squared", "--epsilon",
                             "inf", "--progress", "json", "-o", "m.json", **more)
        data = open(self.path("d.csv"), "wb", buffering=0)
        self.addCleanup(data.close)
        data.write(b"a,t\n1,2\n")
        self.assertIn(b"reading", process.stderr.readline())
        return process, data


class Signals(Process):
    """One line, and 128 + the number of the signal; no file is left."""

    def assert_ended(self, process, number):
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (128 + number, b""))
        self.assertEqual(err.splitlines()[-1], b"sotto: interrupted")
        self.assertNotIn(b"", err.splitlines())
        self.assertEqual([n for n in os.listdir(self.directory)
                          if n.startswith(".") or n == "m.json"], [])

    def test_while_it_reads(self):
        for number in ENDING:
            with self.subTest(number):
                process, _ = self.reading()
                process.send_signal(number)
                self.assert_ended(process, number)
                os.remove(self.path("d.csv"))

    def test_while_it_solves(self):
        made = self.sotto("generate", "zipf-heavy", "--rows", "20000", "--features", "20000", "-o",
                          "hard.svm")
        self.assertEqual(made.code, OK)
        for number in ENDING:
            with self.subTest(number):
                process = self.start("train", "hard.svm", "--loss", "hinge", "--epsilon", "inf",
                                     "--l2", "1e-6", "--tolerance", "1e-15", "--progress", "json",
                                     "-o", "m.json")
                while b"solving" not in process.stderr.readline():
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                self.assert_ended(process, number)

    def test_those_that_are_ignored_stay_so(self):
        """As after nohup: the run goes on."""
        def ignore():
            for number in ENDING:
                signal.signal(number, signal.SIG_IGN)
        process, data = self.reading(preexec_fn=ignore)
        for number in ENDING:
            process.send_signal(number)
        data.write(b"3,4\n5,7\n")
        data.close()
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, OK, err)
        self.assertTrue(os.path.exists(self.path("m.json")))


class Dump(Process):
    """The program's memory holds records: no core file, and nobody but root looks into it."""

    def program(self):
        """Where a user without rights can run it."""
        os.chmod(self.directory, 0o777)
        shutil.copy(PROGRAM, self.path("sotto"))
        library = os.path.join(os.path.dirname(PROGRAM), "libsotto.so.0")
        if os.path.exists(library):
            shutil.copy(library, self.path("libsotto.so.0"))
        return self.path("sotto")

    def test_undumpable(self):
        def nobody():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
        program = self.program()
        os.mkfifo(self.path("d.csv"))
        process = self.start("doctor", "d.csv", executable=program, preexec_fn=nobody,
                             env={**os.environ, "LD_LIBRARY_PATH": self.directory})
        data = open(self.path("d.csv"), "wb", buffering=0)  # once it opens the other end
        self.addCleanup(data.close)
        self.assertEqual(os.stat(f"/proc/{process.pid}/mem").st_uid, 0)
        process.send_signal(signal.SIGQUIT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGQUIT)
        self.assertEqual([n for n in os.listdir(self.directory) if n.startswith("core")], [])

    def test_files_are_written_all_the_same(self):
        """A file without a name is named by way of /proc/self, which is root's by now."""
        def nobody():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            os.umask(0o027)
        program = self.program()
        process = self.start("generate", "sparse-lasso", "--rows", "5", "--features", "3", "-o",
                             "a.csv", executable=program, preexec_fn=nobody,
                             env={**os.environ, "LD_LIBRARY_PATH": self.directory})
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, OK, err)
        self.assertEqual(os.stat(self.path("a.csv")).st_mode & 0o777, 0o640)
        self.assertEqual([n for n in os.listdir(self.directory) if n.startswith(".")], [])


LIMIT = 1 << 30  # of what is read whole
RECORD = 1 << 28  # of one record


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))


class Endless(Process):
    """What is read whole has a limit, and text has no NUL bytes: one line, soon."""

    def setUp(self):
        super().setUp()
        self.write("d.csv", "a,b,t\n1,2,0\n3,4,1\n")
        self.write("s.json", schema({"a": {"type": "number", "bounds": [0, 5]},
                                     "b": {"type": "number", "bounds": [0, 5]},
                                     "t": {"type": "target", "classes": ["0", "1"]}}))

    def ways(self, file):
        """Each kind of file that is read whole."""
        os.symlink(file, self.path("x.spent"))
        private = ("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon", "1",
                   "--delta", "1e-6", "-o", "m.json", "--solver")
        yield "model", ("show", file)
        yield "model", ("predict", file, "d.csv")
        yield "model", ("evaluate", file, "d.csv")
        yield "model", ("export", file, "--format", "liblinear", "-o", "e.txt")
        yield "model", ("export", file, "--format", "sql", "-o", "e.sql")
        yield "model", ("report", file, "-o", "r.html")
        yield "schema", ("doctor", "d.csv", "--schema", file)
        yield "events", ("account", "--events", file, "--adjacency", "add-remove", "--delta", ".1")
        yield "smoothness", (*private, "cd", "--smoothness", file)
        yield "blocks", (*private, "bcfw", "--no-intercept", "--steps", "5", "--rows", "10",
                         "--blocks", file)
        yield "sampling", (*private, "bcfw", "--no-intercept", "--radius", "1", "--steps", "5",
                           "--rows", "10", "--blocks", "2", "--sampling", file)
        yield "parties", ("federate", "simulate", "d.csv", "--columns", file, "-o", "f.json",
                          "--epsilon", "1", "--delta", "1e-6")
        yield "agreement", ("federate", "config", file)
        yield "spent", ("show", "x.spent")

    def assert_refused(self, result, code, said):
        self.assertEqual((result.code, result.out), (code, b""), result.err)
        self.assertRegex(result.err, rb"\Asotto: [^\n]*" + said + rb"[^\n]*\n\Z")

    def test_zeros(self):
        for kind, args in self.ways("/dev/zero"):
            with self.subTest(kind, verb=args[0]):
                self.assert_refused(self.sotto(*args, before=little_memory), USAGE, b"NUL byte")

    def test_huge_files(self):
        """The size is looked at first."""
        with open(self.path("huge"), "wb") as file:
            file.truncate(LIMIT + 1)
        for kind, args in self.ways("huge"):
            with self.subTest(kind, verb=args[0]):
                self.assert_refused(self.sotto(*args, before=little_memory), USAGE,
                                    b"at most %d bytes" % LIMIT)

    def test_pipes_without_end(self):
        """Memory that runs out ends it: it does not read on."""
        for kind, args in self.ways("pipe"):
            with self.subTest(kind, verb=args[0]):
                os.mkfifo(self.path("pipe"))
                process = self.start(*args, preexec_fn=little_memory)
                with self.assertRaises(BrokenPipeError), self.pipe(process, "pipe") as pipe:
                    while True:
                        pipe.write(b" " * 65536)
                out, err = process.communicate(timeout=60)
                self.assert_refused(Result(process.returncode, out, err), FAILED,
                                    b"out of memory")
                os.remove(self.path("pipe"))

    def test_gzip_without_end(self):
        """A schema may be compressed: little becomes much."""
        blanks = gzip.compress(b" " * (1 << 24))
        self.write("s.json.gz", blanks * ((LIMIT >> 24) + 1))
        args = "doctor", "d.csv", "--schema", "s.json.gz"
        self.assert_refused(self.sotto(*args), USAGE, b"at most %d bytes" % LIMIT)
        self.assert_refused(self.sotto(*args, before=little_memory), FAILED, b"out of memory")

    def test_records(self):
        """A record has a limit, of svmlight as of CSV."""
        for ending, head in ((".svm", b"1"), (".csv", b'a,t\n"'), (".csv", b"")):
            name = "long" + ending
            with open(self.path(name), "wb") as file:
                file.write(head)
                file.truncate(RECORD + (1 << 24))
            for args in ((name,), ("-", "--format", {".svm": "svmlight", ".csv": "csv"}[ending])):
                with self.subTest(args), open(self.path(name), "rb") as data:
                    result = self.sotto("doctor", *args, input=data)
                    self.assert_refused(result, DATA, b"a record is longer than 256 MB")

    def test_long_lines_are_bad_rows(self):
        """Where bad rows are dropped, one that is too long is dropped as well."""
        for name, head, row in (("long.svm", b"", b"1 1:2\n"), ("long.csv", b"a,t\n", b"2,1\n")):
            expected = None
            for length in (0, 9, RECORD, RECORD + (1 << 21)):
                with open(self.path(name), "wb") as file:
                    file.write(head + row * 3 + b"x" * min(length, 5))
                    file.seek(max(length - 5, 0), os.SEEK_CUR)
                    file.write(b"\n" + row * 2)
                more = ("--features", "1") if name == "long.svm" else ("--target", "t")
                result = self.sotto("doctor", name, "--bad-rows", "drop", "--json",
                                    "--epsilon=1", *more)
                self.assertEqual(result.code, OK, result.err)
                expected = expected or result.out
                self.assertEqual(result.out, expected, length)


class Changed(Process):
    """A data file that somebody writes to while it is read. The schema is a pipe: the program has
    opened the data by then, and waits until the test has changed them."""

    ROWS = 300000

    def setUp(self):
        super().setUp()
        rows = [(i % 7, i % 2) for i in range(self.ROWS)]
        text = "a,t\n" + "".join("%d,%d\n" % row for row in rows)
        self.files = {
            "d.csv": (text.encode(), "t"), "d.csv.gz": (gzip.compress(text.encode(), 0), "t"),
            "d.svm": ("".join("%d 1:%d\n" % row[::-1] for row in rows).encode(), None),
            "d.npy": (npy(rows), "2")}

    def doctor_while(self, name, change):
        content, target = self.files[name]
        with open(self.path(name), "wb") as file:
            file.write(content)
        os.utime(self.path(name), (1e9, 1e9))  # a change is later, however coarse the clock
        if not os.path.exists(self.path("s.json")):
            os.mkfifo(self.path("s.json"))
        names = {"d.svm": "1", "d.npy": "1"}
        declared = {names.get(name, "a"): {"type": "number", "bounds": [0, 9]}}
        process = self.start("doctor", name, "--schema", "s.json", "--json",
                             *(["--target", target] if target else ["--features", "1"]))
        with self.pipe(process, "s.json") as pipe:
            change(self.path(name))
            pipe.write(schema(declared))
        out, err = process.communicate(timeout=60)
        return Result(process.returncode, out, err)

    def assert_told(self, change):
        for name in self.files:
            with self.subTest(name):
                result = self.doctor_while(name, change)
                self.assertEqual((result.code, result.out), (DATA, b""), result.err)
                self.assertEqual(json.loads(result.err)["error"]["message"],
                                 f"{name}: the file has changed while it was read; expected one "
                                 "that nobody writes to: read a copy")

    def test_shorter(self):
        for size in (0, 4096, 1 << 20):
            self.assert_told(lambda path, size=size: os.truncate(path, size))

    def test_longer(self):
        def append(path):
            with open(path, "ab") as file:
                file.write(b"1,1\n")
        self.assert_told(append)

    def test_written_over(self):
        def write(path):
            with open(path, "r+b") as file:
                file.seek(1 << 20)
                file.write(file.read(4))
        self.assert_told(write)

    def test_replaced(self):
        """The file that was opened is the one that is read."""
        def replace(path):
            with open(path + b".new", "wb") as file:
                file.write(b"nothing")
            os.rename(path + b".new", path)
        for name in self.files:
            with self.subTest(name):
                result = self.doctor_while(name, replace)
                self.assertEqual(result.code, OK, result.err)
                self.assertEqual(json.loads(result.out)["rows"], self.ROWS)


class Scores(Case):
    """Never nan or inf as an answer: a row whose score is beyond all doubles is refused."""

    def model(self, loss):
        """A model that somebody has given a weight of 1e300."""
        self.write("d.csv", "a,b,t\n" + "".join("%d,%d,%d\n" % (i % 5, i % 3, i % 5 > 1)
                                               for i in range(60)))
        result = self.sotto("train", "d.csv", "--target", "t", "--loss", loss, "--l2", ".1",
                            "--epsilon", "inf", "-o", "m.json", "--quiet")
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), "rb") as file:
            head = file.read().split(b'"checksum"')[0]
        head, count = re.subn(rb'("weights": \[\s*)[^,]*,', rb"\g<1>1e300,", head)
        self.assertEqual(count, 1)
        self.write("m.json", head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))

    def test_refused(self):
        for loss, ways in (("squared", ((), ("--scores",), ("--json",))),
                           ("logistic", ((), ("--scores",), ("--proba",), ("--json",)))):
            self.model(loss)
            self.write("big.csv", "a,b\n1,1\n1e30,1\n-1e38,2\n")
            for more in ways:
                with self.subTest(loss, more=more):
                    result = self.sotto("predict", "m.json", "big.csv", *more)
                    self.assertEqual((result.code, result.out), (DATA, b""), result.err)
                    self.assertRegex(result.err, rb"\A[^\n]*row 2: its score is too large[^\n]*\n\Z")
            result = self.sotto("predict", "m.json", "big.csv", "-o", "p.txt")
            self.assertEqual(result.code, DATA)
            self.assertFalse(os.path.exists(self.path("p.txt")))
            self.write("fine.csv", "a,b\n1,1\n1e7,1\n")
            result = self.sotto("predict", "m.json", "fine.csv", "--scores")
            self.assertEqual(result.code, OK, result.err)
            self.assertNotRegex(result.out, rb"nan|inf")


if __name__ == "__main__":
    unittest.main()
