"""What the command line tests share: running the program, writing files.

The program under test is the environment variable SOTTO, else the one in
build/. Every test runs in a directory of its own, so that the names in
messages are short and the same everywhere.
"""

import contextlib
import decimal
import gzip
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib
from typing import NamedTuple

import model_schema

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(
    os.environ.get("SOTTO") or os.path.join(HERE, "..", "..", "build", "sotto"))

# Exit codes, as in sotto.h.
OK, FAILED, USAGE, DATA, BUDGET, PRIVACY, PEER = range(7)

# A suite that nohup or a shell's & has started ignores some signals, and so would
# the programs that it starts: they ignore what they were told to ignore.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

# Nothing is booked in the ledger of whoever runs the tests; those about ledgers name their own.
os.environ["SOTTO_LEDGER"] = "none"

# Values that tests put into records and that no message may repeat.
SECRETS = ("987654.321", "SECRETWORD", "515253.75")


class Result(NamedTuple):
    code: int
    out: bytes
    err: bytes


def run(args, input=None, cwd=None, env=None, before=None, timeout=300,
        stdout=None):
    """Runs the program; input is bytes, a file, or None for no input."""
    feed = {"stdin": subprocess.DEVNULL}
    if isinstance(input, bytes):
        feed = {"input": input}
    elif input is not None:
        feed = {"stdin": input}
    done = subprocess.run(
        [PROGRAM, *map(os.fsencode, args)], cwd=cwd, env=env,
        preexec_fn=before, timeout=timeout,
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE, **feed)
    return Result(done.returncode, done.stdout or b"", done.stderr)


def released(args, folder):
    """Where a call writes a model or an evaluation, and the one that is there."""
    places = [i + 1 for i, word in enumerate(args) if word in ("-o", "--output")]
    if not places or places[-1] == len(args) or args[0] not in ("train", "federate", "evaluate"):
        return None, {}
    path = os.path.join(os.fsencode(folder), os.fsencode(args[places[-1]]))
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            return path, content if isinstance(content, dict) else {}
    return path, {}


def take_away(args, folder):
    """Removes the private model that the call would have to replace, as a script does."""
    path, content = released(args, folder)
    if content.get("privacy"):
        os.remove(path)


def rounded_up(x, digits=6):
    """A price as people read it: so many digits, never below x."""
    up = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return "%.*g" % (digits, up.create_decimal_from_float(x))


def npy(rows, columns=None, order="C", kind="<f8", version=1, shape=None):
    """The bytes of a .npy file; shape is the text of a shape to claim."""
    columns = len(rows[0]) if rows else columns
    if order == "C":
        values = [v for row in rows for v in row]
    else:
        values = [row[j] for j in range(columns) for row in rows]
    shape = shape or "(%d, %d)" % (len(rows), columns)
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (
        kind, order == "F", shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(head))
    code = {"4": "f", "8": "d"}[kind[-1]]
    return (b"\x93NUMPY" + bytes([version, 0]) + length + head.encode() +
            struct.pack("%s%d%s" % (kind[0], len(values), code), *values))


def schema(columns, **more):
    """The bytes of a schema file."""
    return json.dumps({"sotto_schema": 1, "columns": columns, **more}).encode()


class Case(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="sotto-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(os.fsencode(self.directory), os.fsencode(name))

    def write(self, name, content):
        """Writes a file (text or bytes; .gz is compressed); its name."""
        if isinstance(content, str):
            content = content.encode()
        if name.endswith(".gz") and content[:2] != b"\x1f\x8b":
            content = gzip.compress(content, 1)
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def write_model(self, name, model, change=lambda text: text):
        """A model as sotto would write it, with its checksum; change may edit the text."""
        model = {key: value for key, value in model.items() if key != "checksum"}
        head = (change(json.dumps(model, ensure_ascii=False))[:-1] + ", ").encode()
        return self.write(name, head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))

    def sotto(self, *args, keep=False, **more):
        """Runs the program. What is paid for is never replaced, so a test that trains again has the
        private model taken away that it made before, unless it is to be kept."""
        if not keep:
            take_away(args, self.directory)
        result = run(args, cwd=self.directory, **more)
        if result.code == OK:
            self.check_model(args, released(args, self.directory)[1])
        return result

    def check_model(self, args, model):
        """A model that a test has made is as docs/model.schema.json describes it."""
        if "sotto_model" in model:
            self.assertIsNone(model_schema.fault(model), args)

    def meanwhile(self, records, name, content, *args):
        """Trains on these records, and puts this file there while they are read."""
        with subprocess.Popen([PROGRAM, "train", "-", "--format", "csv", *args, "--progress", "json",
                               "-o", name], cwd=self.directory, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            self.assertEqual(child.stderr.readline(), b'{"stage": "reading"}\n')
            self.write(name, content)
            _, said = child.communicate(records, timeout=300)
        self.assertEqual(child.returncode, OK, said)
        return said

    def spent(self, *args, model="m.json", keep=False):
        """What a run leaves that cannot write its model, for lack of room; it is taken away
        unless it is to be kept."""
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        result = self.sotto(*args, before=no_room)
        self.assertNotEqual(result.code, OK)
        with open(self.path(model + ".spent"), encoding="utf-8") as file:
            said = json.load(file)
        said["shown"] = self.sotto("show", model + ".spent").out.decode()
        if not keep:
            os.remove(self.path(model + ".spent"))
        return said

    def doctor(self, *args, **more):
        """`doctor --json` on good data: what it says, features by name."""
        result = self.sotto("doctor", *args, "--json", **more)
        remarks = [line for line in result.err.splitlines()
                   if b"newlines inside quotes" not in line and b"bad and left out" not in line]
        self.assertEqual((result.code, remarks), (OK, []), args)
        said = json.loads(result.out)
        said["by_name"] = {f["name"]: f for f in said["feature"]}
        self.assertTrue(said["not_for_release"])
        return said

    def read(self, content, *args, name="data.csv", **more):
        """doctor() on this content."""
        return self.doctor(self.write(name, content), *args, **more)

    def feature(self, content, *args, feature="a", **more):
        """(least, mean, most) of one feature of this content."""
        f = self.read(content, *args, **more)["by_name"][feature]
        return f["least"], f["mean"], f["most"]

    def assert_one_line(self, result, code):
        """Nothing but one clean line on stderr; returns it. With --json it
        is an object, with the same line in it."""
        self.assertEqual(result.code, code, result.err)
        self.assertEqual(result.out, b"")
        text = result.err.decode()
        if text.startswith("{"):
            error = json.loads(text)["error"]
            self.assertEqual(error["status"], code)
            text = "sotto: %s\n" % error["message"]
        self.assertRegex(text, r"\Asotto: [^\n]+\n\Z")
        self.assertNotRegex(text[:-1], r"[\x00-\x1f\x7f]")
        return text

    def assert_refused(self, result, code=DATA, file=None, line=None, row=None,
                       column=None, name=None, hint=None):
        """One line that says where and what, and repeats no value."""
        text = self.assert_one_line(result, code)
        for secret in SECRETS:
            self.assertNotIn(secret.lower(), text.lower())
        if file:
            self.assertIn(file, text)
        for word, number in (("line", line), ("row", row), ("column", column)):
            if number:
                self.assertRegex(text, r"\b%s %d\b" % (word, number))
        if name:
            self.assertIn('"%s"' % name, text)
        if hint:
            self.assertIsNotNone(re.search(hint, text, re.I), (hint, text))
        return text
