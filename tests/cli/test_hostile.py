#!/usr/bin/python3
"""Surroundings that mean no good: signals, files that change or never end, too little memory."""

import os
import shutil
import signal
import subprocess
import unittest

from common import OK, PROGRAM, Case

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


if __name__ == "__main__":
    unittest.main()
