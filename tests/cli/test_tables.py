#!/usr/bin/python3
"""Tables on a disk: sotto convert, and training on what it writes, also with less memory than the
table has bytes. The model is that of the source, byte by byte, and so is the booking."""

import json
import os
import random
import re
import resource
import stat
import tempfile
import unittest

from common import BUDGET, DATA, FAILED, OK, PRIVACY, PROGRAM, USAGE, Case

SCHEMA = {"sotto_schema": 1, "columns": {
    "who": {"type": "unit"}, "w": {"type": "weight", "bounds": [0, 2]},
    **{f"x{j}": {"type": "number", "bounds": [-1, 1]} for j in range(4)},
    "colour": {"type": "category", "levels": ["red", "blue"], "other": True},
    "t": {"type": "target"}}}
CLASSES = ["a", "b", "c"]
WARDS = 130  # so many columns, that a block of a table has no more than 1024 rows
PRIVATE = ["--epsilon", "1", "--delta", "1e-6"]
SEED = [*PRIVATE, "--insecure-seed", "4", "--quiet"]


def lines(rows, seed=3, wards=0):
    """A header and records of people, in classes. A person's rows are anywhere in the file."""
    draw = random.Random(seed)
    yield "who,w,x0,x1,x2,x3,colour," + ("ward,t\n" if wards else "t\n")
    for i in range(rows):
        x = [draw.uniform(-1, 1) for _ in range(4)]
        yield (f"p{draw.randrange(rows // 2 + 1)},{draw.uniform(0, 2):.3f}," +
               ",".join(f"{v:.6f}" for v in x) + f",{draw.choice(['red', 'blue', 'pink'])}," +
               (f"{i % wards}," if wards else "") + CLASSES[(x[0] > 0) + (x[1] > x[2])] + "\n")


class Tables(Case):
    def setUp(self):
        super().setUp()
        self.own = os.path.join(self.directory, "own.db")

    def make(self, rows=3000, classes=2, wards=0):
        """d.csv with two or three classes, or a number."""
        schema = json.loads(json.dumps(SCHEMA))
        text = "".join(lines(rows, wards=wards))
        if wards:
            schema["columns"]["ward"] = {"type": "category",
                                         "levels": [str(k) for k in range(wards)]}
        if classes == 2:
            schema["columns"]["t"]["classes"] = ["0", "1"]
            text = text.replace(",a\n", ",0\n").replace(",b\n", ",1\n").replace(",c\n", ",1\n")
        elif classes == 3:
            schema["columns"]["t"]["classes"] = CLASSES
        else:
            schema["columns"]["t"]["bounds"] = [-2, 2]
            text = text.replace(",a\n", ",-.5\n").replace(",b\n", ",.25\n").replace(",c\n", ",1\n")
        self.write("s.json", json.dumps(schema))
        self.write("d.csv", text)
        self.loss = ["--loss", "logistic" if classes else "squared"]

    def convert(self, *more, out="d.sotto"):
        done = self.sotto("convert", "d.csv", "--schema", "s.json", *self.loss, "-o", out, *more)
        self.assertEqual(done.code, OK, done.err)
        return done

    def model(self, *args):
        done = self.sotto("train", *args, *self.loss, *SEED, "-o", "m.json")
        self.assertEqual(done.code, OK, done.err)
        with open(self.path("m.json"), "rb") as file:
            return file.read()

    def refused(self, code, hint, *args):
        done = self.sotto(*args)
        self.assertEqual(done.code, code, done.err)
        self.assertIn(hint.encode(), done.err)
        self.assertEqual(done.err.count(b"\n"), 1, done.err)

    def booked(self):
        if not os.path.exists(self.own):
            return {}
        said = self.sotto("ledger", "list", "--ledger", self.own, "--json")
        self.assertEqual(said.code, OK, said.err)
        return {os.path.basename(d["name"]): d["charges"]
                for d in json.loads(said.out)["datasets"]}

    def train_booked(self, *args):
        return self.sotto("train", *args, *self.loss, *PRIVATE, "--rows-per-person", "9", "-o",
                          "m.json", env={**os.environ, "SOTTO_LEDGER": self.own})


class Same(Tables):
    def same(self, classes, *more):
        self.make(classes=classes)
        self.convert()
        source = self.model("d.csv", "--schema", "s.json", *more)
        self.assertEqual(self.model("d.sotto", *more), source)
        return source

    def test_coordinates_and_rows(self):
        """Solvers that need the rows in memory, and persons with several rows."""
        for more in (["--solver", "cd"], ["--solver", "gcd"],
                     ["--solver", "scd", "--no-intercept", "--l2", "1", "--rows", "3000"],
                     ["--solver", "fw", "--radius", "2", "--intercept-radius", "1"]):
            with self.subTest(more=more):
                self.same(2, "--rows-per-person", "2", *more)

    def least(self, *more):
        """The least memory that the table needs: then a window is one block."""
        done = self.sotto("train", "d.sotto", *self.loss, *SEED, "-o", "m.json", *more,
                          "--memory", "1M")
        self.assertEqual(done.code, USAGE, done.err)
        return re.search(rb"so many columns need at least (\d+M)", done.err)[1].decode()

    def make_windows(self, classes=2):
        """d.sotto with three blocks: a block has no more than a mebibyte."""
        self.make(classes=classes, wards=WARDS)
        self.convert()
        self.assertGreater(os.path.getsize(self.path("d.sotto")), 1 << 20)

    def same_by_windows(self, *more):
        """In memory, and by windows of 1024 rows by one thread and by three."""
        source = self.model("d.csv", "--schema", "s.json", *more)
        self.assertEqual(self.model("d.sotto", *more), source)
        for threads in "1", "3":
            by = [*more, "--threads", threads]
            self.assertEqual(self.model("d.sotto", *by, "--memory", self.least(*by)), source)

    def test_on_the_disk(self):
        """Three windows, of all solvers that go by rows."""
        for classes, cases in (
                (2, (["--path", "dense"], ["--solver", "newton"],
                     ["--solver", "gd", "--steps", "4"],
                     ["--solver", "svrg", "--rounds", "2"])),
                (3, (["--path", "dense"],)),
                (0, (["--path", "dense"], ["--solver", "ssp"], ["--path", "intercept"]))):
            self.make_windows(classes)
            for more in cases:
                with self.subTest(classes=classes, more=more):
                    self.same_by_windows("--rows-per-person", "3", *more)

    def test_batches_of_people_on_the_disk(self):
        """A batch lists rows person by person, and windows come in the order of rows."""
        self.make_windows()
        for steps, rate in ("20", ".05"), ("4", ".5"):
            with self.subTest(rate=rate):
                self.same_by_windows("--rows-per-person", "3", "--solver", "sgd", "--steps",
                                     steps, "--batch-rate", rate)

    def test_bounds_that_are_bought(self):
        """Counts of columns, clamped where bounds were told."""
        self.make(wards=WARDS)
        with open(self.path("s.json")) as file:
            schema = json.load(file)
        for j in range(4):
            del schema["columns"][f"x{j}"]["bounds"]
        self.write("s.json", json.dumps(schema))
        self.convert()
        for more in [], ["--rows", "3000"], ["--solver", "newton"]:
            with self.subTest(more=more):
                self.same_by_windows(*(more if "newton" in more else ["--path", "dense", *more]))

    def test_sparse(self):
        self.sotto("generate", "zipf-heavy", "--rows", "500", "--features", "300", "-o", "z.svm")
        done = self.sotto("convert", "z.svm", "--features", "300", "--loss", "logistic", "-o",
                          "z.sotto")
        self.assertEqual(done.code, OK, done.err)
        self.loss = ["--loss", "hinge"]  # any that is of classes
        self.assertEqual(self.model("z.sotto"), self.model("z.svm", "--features", "300"))
        self.refused(USAGE, "a sparse table must be in memory", "train", "z.sotto", *self.loss,
                     *SEED, "--memory", "1G", "-o", "m.json")


class Convert(Tables):
    def test_what_it_writes(self):
        self.make()
        self.convert() # others may read what was there
        os.chmod(self.path("d.sotto"), 0o644)
        done = self.convert()
        self.assertIn(b"as sensitive as the records", done.err)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("d.sotto")).st_mode), 0o600)
        self.assertEqual(json.loads(self.convert("--json", "--quiet").out), {"output": "d.sotto"})
        self.assertEqual(sorted(os.listdir(self.directory)), ["d.csv", "d.sotto", "s.json"])

    def test_doctor(self):
        self.make()
        self.convert()
        done = self.sotto("doctor", "d.sotto", "--json")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(json.loads(done.out)["rows"], 3000)

    def test_refused(self):
        self.make()
        here = ["convert", "d.csv", "--schema", "s.json", *self.loss]
        self.refused(USAGE, "expected -o FILE", *here)
        self.refused(USAGE, "expected the name of a file", *here, "-o", "-")
        self.refused(USAGE, "expected the name of a file", *here, "-o", "/dev/null")
        self.refused(FAILED, "-o", *here, "-o", "nowhere/d.sotto")
        self.refused(PRIVACY, "stdin and pipes have no path", "convert", "-", *self.loss, "-o", "d.sotto")
        self.refused(USAGE, "no column is the target", "convert", "d.csv", "-o", "d.sotto")
        with open(self.path("s.json")) as file:
            schema = json.load(file)
        schema["columns"]["colour"] = {"type": "category", "levels": "private"}
        self.write("s.json", json.dumps(schema))
        self.refused(USAGE, 'column "colour": levels that nobody declared', *here, "-o", "d.sotto")
        self.assertFalse(os.path.exists(self.path("d.sotto")))
        self.write("d.csv", "".join(lines(20)) + "p,1,SECRETWORD,1,1,1,red,0\n")
        self.make_schema_again()
        self.refused(DATA, "line 22", *here, "-o", "d.sotto")
        self.assertFalse(os.path.exists(self.path("d.sotto")))

    def make_schema_again(self):
        schema = json.loads(json.dumps(SCHEMA))
        schema["columns"]["t"]["classes"] = CLASSES
        self.write("s.json", json.dumps(schema))

    def test_a_full_disk(self):
        """Nothing stays, and what was there is what it was."""
        self.make()
        self.convert()
        with open(self.path("d.sotto"), "rb") as file:
            before = file.read()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        done = self.sotto("convert", "d.csv", "--schema", "s.json", *self.loss, "-o", "d.sotto",
                          before=limit)
        self.assertEqual(done.code, FAILED, done.err)
        self.assertIn(b"a file beside the table cannot be written to: File too large", done.err)
        self.assertEqual(done.err.count(b"\n"), 1)
        with open(self.path("d.sotto"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.directory)), ["d.csv", "d.sotto", "s.json"])


class Booked(Tables):
    def test_runs_add_up(self):
        """On the source and on its table, wherever that is by now."""
        self.make()
        self.convert()
        os.makedirs(self.path("else"))
        os.rename(self.path("d.sotto"), self.path("else/t.sotto"))
        self.assertEqual(self.train_booked("d.csv", "--schema", "s.json").code, OK)
        done = self.train_booked("else/t.sotto")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn(b"(2 so far)", done.err)
        done = self.train_booked("else/t.sotto", "--memory", "40M")
        self.assertIn(b"(3 so far)", done.err)
        self.assertEqual(self.booked(), {"d.csv": 3})

    def test_several_sources(self):
        self.make(classes=3)
        text = list(lines(40))
        self.write("d.csv", "".join(text[:20]))
        self.write("e.csv", text[0] + "".join(text[20:]))
        done = self.sotto("convert", "d.csv", "e.csv", "--schema", "s.json", *self.loss, "-o",
                          "d.sotto")
        self.assertEqual(done.code, OK, done.err)
        done = self.train_booked("d.sotto", "--path", "intercept")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.booked(), {"d.csv": 1, "e.csv": 1})

    def test_a_named_data_set(self):
        self.make()
        self.convert("--dataset", "patients")
        self.refused(PRIVACY, 'are data set "patients", not "others": expected', "train", "d.sotto", *self.loss,
                     *PRIVATE, "-o", "m.json", "--ledger", self.own, "--dataset", "others")
        done = self.train_booked("d.sotto")
        self.assertEqual(done.code, PRIVACY, done.err)
        self.assertIn(b'expected --ledger FILE --dataset "patients"', done.err)
        self.assertEqual(self.booked(), {})
        made = self.sotto("ledger", "create", "--ledger", self.own, "--dataset", "patients",
                          "--epsilon", "1.3", "--delta", "1e-6", "--unit-column", "who",
                          "--rows-per-person", "9")
        self.assertEqual(made.code, OK, made.err)
        both = ["--ledger", self.own, "--dataset", "patients"]
        self.assertEqual(self.train_booked("d.csv", "--schema", "s.json", *both).code, OK)
        done = self.train_booked("d.sotto", *both)
        self.assertEqual(done.code, BUDGET, done.err)  # one cap for both

    def test_damage_and_charges(self):
        """A table that is cut costs nothing; one with a bad block is charged, as it was read."""
        self.make()
        self.convert()
        with open(self.path("d.sotto"), "rb") as file:
            table = file.read()
        self.write("d.sotto", table[:-1])
        done = self.train_booked("d.sotto")
        self.assertEqual(done.code, DATA, done.err)
        self.assertEqual(self.booked(), {})
        for more in [], ["--memory", "40M"]:
            self.write("d.sotto", table[:-40] + bytes([table[-40] ^ 1]) + table[-39:])
            done = self.train_booked("d.sotto", *more)
            self.assertEqual(done.code, DATA, done.err)
            self.assertIn(b"a checksum does not fit", done.err)
            self.assertIn(b"stays charged", done.err)
        self.assertEqual(self.booked(), {"d.csv": 2})


class Memory(Tables):
    def test_refused(self):
        self.make()
        self.convert()
        train = ["train", "d.sotto", *self.loss, *SEED, "-o", "m.json"]
        self.refused(USAGE, "--memory: expected a size", *train, "--memory", "much")
        self.refused(USAGE, "--memory: expected a size", *train, "--memory", "-1G")
        self.refused(USAGE, "--memory: expected a size", *train, "--memory", "G")
        self.refused(USAGE, "which needs the rows in memory; it is for: auto, newton, gd", *train,
                     "--memory", "1G", "--solver", "cd")
        self.refused(USAGE, "give --path dense", *train, "--memory", "1G", "--path", "select")
        self.refused(USAGE, "--memory is for tables", "train", "d.csv", "--schema", "s.json",
                     *self.loss, *SEED, "-o", "m.json", "--memory", "1G")

    def test_how_many_rows_is_not_told(self):
        """What is too small by its columns is refused before the run is booked. What is too small
        by its rows is not: their number is a secret."""
        self.make()
        self.convert()
        train = ["train", "d.sotto", *self.loss, *SEED, "-o", "m.json", "--memory"]
        done = self.sotto(*train, "1M")
        self.assertEqual(done.code, USAGE, done.err)
        least = re.search(rb"so many columns need at least (\d+)M", done.err)[1].decode()
        self.assertEqual(self.sotto(*train, f"{int(least) - 1}M").code, USAGE)
        self.assertEqual(self.sotto(*train, f"{least}M").code, OK)
        self.assertEqual(self.train_booked("d.sotto", "--memory", "1M").code, USAGE)
        self.assertEqual(self.booked(), {})
        with open(self.path("d.csv"), encoding="utf-8") as file:
            head, *rows = file.read().splitlines()
        self.write("d.csv", "\n".join([head, *rows * 200]) + "\n")
        self.convert()
        self.assertEqual(self.sotto(*train, f"{least}M").code, OK)

    def test_refused_before_it_is_booked(self):
        self.make()
        self.convert()
        done = self.train_booked("d.sotto", "--memory", "1G", "--solver", "gcd")
        self.assertEqual(done.code, USAGE, done.err)
        self.assertEqual(self.booked(), {})

    def test_no_room_on_the_disk(self):
        """What is kept of the rows needs as much again."""
        self.make()
        self.convert()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        done = self.sotto("train", "d.sotto", *self.loss, *SEED, "-o", "m.json", "--memory", "1G",
                          before=limit)
        self.assertEqual(done.code, FAILED, done.err)
        self.assertIn(b"has no room on the disk", done.err)
        self.assertEqual(done.err.count(b"\n"), 1)

    def test_peak(self):
        """300 MB of columns in 90 MB, of which 35 MB are what stays of each row: to write them as a
        table, and to train on it."""
        rows, features, memory = 750000, 100, 90 << 20
        with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
            def sotto(*args):
                pid = os.fork()
                if pid == 0:
                    null = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(null, 1), os.dup2(null, 2)
                    os.chdir(folder)
                    os.execv(PROGRAM, [PROGRAM, *args])
                _, status, usage = os.wait4(pid, 0)
                self.assertEqual(status, 0, args)
                return usage.ru_maxrss * 1024

            write_npy(os.path.join(folder, "x.npy"), rows, features)
            peak = sotto("convert", "x.npy", "--target", str(features + 1), "-o", "x.sotto")
            self.assertLess(peak, memory)
            os.unlink(os.path.join(folder, "x.npy"))
            whole = sotto("train", "x.sotto", *SEED, "-o", "a.json")
            peak = sotto("train", "x.sotto", *SEED, "--memory", "90M", "-o", "b.json")
            self.assertGreater(whole, rows * features * 4)
            self.assertLess(peak, memory)
            with open(os.path.join(folder, "a.json"), "rb") as a, \
                    open(os.path.join(folder, "b.json"), "rb") as b:
                self.assertEqual(a.read(), b.read())
            self.assertEqual(sorted(os.listdir(folder)), ["a.json", "b.json", "x.sotto"])


def write_npy(path, rows, features):
    """Random bits as floats from 1 to 2, less than a second for what csv would take a minute."""
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, features + 1)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    piece = 10000
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        draw = random.Random(1)
        for at in range(0, rows, piece):
            count = min(piece, rows - at) * (features + 1)
            words = bytearray(draw.randbytes(4 * count))
            words[3::4] = b"\x3f" * count
            words[2::4] = bytes(b | 0x80 for b in words[2::4])
            file.write(words)


if __name__ == "__main__":
    unittest.main()
