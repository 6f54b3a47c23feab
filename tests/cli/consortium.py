"""Three parties and a coordinator as processes on this machine, for the tests of the federation."""

import copy
import hashlib
import hmac
import http.server
import json
import os
import random
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import unittest

from common import OK, PROGRAM, Case

SEED = "11"
CONFIG = {
    "sotto_parties": 1,
    "target": {"name": "y", "bounds": [0, 10], "party": "bank"},
    "rounds": 20, "buckets": 64, "seed": 5,
    "rows": 300, "epsilon": "inf", "id": "person",
    "patience": 600,
    "coordinator": {"host": "localhost", "port": 0},
    "parties": [
        {"name": "bank", "radius": 1, "cap": 2,
         "columns": {"income": {"type": "number", "bounds": [0, 100]},
                     "debt": {"type": "number", "bounds": [0, 50], "missing": 0}}},
        {"name": "clinic", "radius": 0.5, "cap": 2, "constant": 1,
         "columns": {"ward": {"type": "category", "levels": ["a", "b"]}}},
        {"name": "shop", "radius": 0.5, "cap": 1,
         "columns": {"visits": {"type": "number", "bounds": [0, 20]}}},
    ],
}
PARTIES = ("bank", "clinic", "shop")


HELD = []  # ports that are ours until this process ends


def free_port():
    """Below those that outgoing connections are given. It stays bound, so that no other test gets
    it before a coordinator listens; who sets SO_REUSEADDR, as all servers here do, can still."""
    while True:
        s = socket.socket()
        try:
            s.bind(("0.0.0.0", random.SystemRandom().randrange(20000, 32000)))
        except OSError:
            s.close()
            continue
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        HELD.append(s)
        return s.getsockname()[1]


def table(count=300, seed=2):
    draw = random.Random(seed)
    out = []
    for i in range(count):
        income, debt = draw.uniform(0, 100), draw.uniform(0, 50)
        ward, visits = draw.choice("ab"), draw.randrange(21)
        y = 5 + (income - 50) / 20 - (1 if ward == "a" else 0)
        out.append({"person": f"p{i}", "income": f"{income:.3f}", "debt": f"{debt:.3f}",
                    "ward": ward, "visits": str(visits), "y": f"{y:.3f}"})
    return out


COLUMNS = {"bank": ("person", "income", "debt", "y"), "clinic": ("ward", "person"),
           "shop": ("person", "visits")}


def csv(rows, columns):
    return ",".join(columns) + "\n" + "".join(
        ",".join(r[c] for c in columns) + "\n" for r in rows)


LONG = 300  # seconds after which something hangs; nothing is expected to be as slow


class Process:
    """A role that runs; its stderr goes to a file. With `answers` it stands still after so many
    rounds that it has answered (and a few more, which are on the way), until it may go on: nobody
    reads what it says, and it waits for that. Then nothing depends on who is faster."""

    def __init__(self, case, name, args, answers=None):
        self.case, self.name, self.args, self.answers = case, name, args, answers
        self.stands, self.may_go_on = threading.Event(), threading.Event()
        self.starts = 0
        self.start()

    def start(self):
        self.starts += 1
        self.errors = self.case.path(f"{self.name}.err")
        environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        environment.update(self.case.environment)
        if self.answers is None:
            errors = open(self.errors, "ab")
        else:
            ours, errors = socket.socketpair()
            errors.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # the least there is
            threading.Thread(target=self.listen, args=(ours,), daemon=True).start()
        with errors:
            self.run = subprocess.Popen([PROGRAM, *self.args], cwd=self.case.directory,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=errors, env=environment)

    def listen(self, ours):
        text = b""
        with ours, open(self.errors, "ab", buffering=0) as to:
            while part := ours.recv(4096):
                to.write(part)
                text += part
                if len(re.findall(rb"answered: round [1-9]", text)) >= self.answers:
                    self.stands.set()
                    self.may_go_on.wait()

    def go_on(self):
        self.may_go_on.set()

    def kill(self, how=signal.SIGKILL):
        self.run.send_signal(how)
        self.run.wait()
        self.run.stdout.close()
        self.go_on()

    def end(self, timeout=LONG):
        """Its exit code."""
        try:
            self.out = self.run.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} does not end: {self.said()}") from None
        return self.run.returncode

    def said(self):
        with open(self.errors, encoding="utf-8") as file:
            return file.read()

    def last(self):
        return self.said().splitlines()[-1]


class Consortium(Case):
    """A folder with an agreement, keys, and each party's data."""

    def setUp(self):
        super().setUp()
        self.running = []
        self.environment = {}
        self.hashes = {}
        self.addCleanup(self.stop)
        self.rows = table()
        self.agree()
        for name in PARTIES:
            self.write(f"{name}.csv", csv(self.rows, COLUMNS[name]))

    def stop(self):
        for process in self.running:
            if process.run.poll() is None:
                process.kill()
            elif process.run.stdout and not process.run.stdout.closed:
                process.run.stdout.close()

    def agree(self, change=None, keys="keys"):
        config = copy.deepcopy(CONFIG)
        config["coordinator"]["port"] = free_port()
        if change:
            change(config)
        self.write(f"draft-{keys}.json", json.dumps(config))
        made = self.sotto("federate", "keygen", f"draft-{keys}.json", "-o", keys, "--quiet")
        self.assertEqual((made.code, made.err), (OK, b""))
        self.config = f"{keys}/config.json"

    def hash(self, config=None):
        text = self.bytes_of(config or self.config)
        if text not in self.hashes:
            self.hashes[text] = self.hash_now(config)
        return self.hashes[text]

    def hash_now(self, config=None):
        said = self.sotto("federate", "config", config or self.config, "--quiet")
        self.assertEqual((said.code, said.err), (OK, b""))
        self.assertRegex(said.out.decode(), r"\A[0-9a-f]{64}\n\Z")
        return said.out.decode().strip()

    def json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def log(self, state):
        with open(self.path(f"{state}/log"), encoding="utf-8") as file:
            return file.read()

    def process(self, name, *args, answers=None):
        process = Process(self, name, args, answers)
        self.running.append(process)
        return process

    def serve(self, *more, keys="keys/coordinator", config=None, state="state-coordinator",
              wait=True):
        process = self.process("coordinator", "federate", "serve", config or self.config,
                               "--keys", keys, "--state", state, "-o", "coordinator.json", *more)
        end = time.monotonic() + LONG
        while wait and "listening" not in process.said() and process.run.poll() is None:
            self.assertLess(time.monotonic(), end)
            time.sleep(.02)
        return process

    def join(self, name, *more, keys=None, config=None, data=None, state=None, seed=SEED,
             accept=None, answers=None):
        seeded = ["--insecure-seed", seed] if seed else []
        return self.process(
            name, "federate", "join", config or self.config, "--accept",
            accept or self.hash(config), "--data", data or f"{name}.csv", "--keys",
            keys or f"keys/{name}", "--state", state or f"state-{name}", "-o", f"{name}.json",
            *seeded, *more, answers=answers)

    def everybody(self, **more):
        return [self.serve()] + [self.join(name, **more) for name in PARTIES]

    def simulated(self):
        """The model that simulate finds with the same seed."""
        config = self.json(self.config)
        names = ("person", "income", "debt", "ward", "visits", "y")
        self.write("all.csv", csv(self.rows, names))
        done = self.sotto("federate", "simulate", "all.csv", "--columns", self.config,
                          "--epsilon", str(config["epsilon"]), *(
                              ["--delta", repr(config["delta"])] if "delta" in config else []),
                          "--insecure-seed", SEED, "-o",
                          "simulated.json", "--json", "--quiet")
        self.assertEqual(done.code, OK, done.err)
        with open(self.path("simulated.json"), "rb") as file:
            return file.read()

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def wait_for(self, process, pattern):
        """Until it has said something like this."""
        end = time.monotonic() + LONG
        while not re.search(pattern, process.said()):
            self.assertIsNone(process.run.poll(), process.said())
            self.assertLess(time.monotonic(), end, process.said())
            time.sleep(.01)

    def assert_ended(self, processes):
        for process in processes:
            self.assertEqual(process.end(), OK, process.name + ": " + process.said())

    def assert_line(self, process, code, pattern):
        """Ends with this code and one clean line, which the log of a party has, too."""
        self.assertEqual(process.end(), code, process.said())
        self.assertRegex(process.last(), r"\Asotto: [^\x00-\x1f\x7f]+\Z")
        self.assertIsNotNone(re.search(pattern, process.last()), process.said())


# ---- messages, written anew from docs/parties.md ----

(START, READY, LABELS, VECTOR, VERTEX, MODEL, TAKEN, TAG, TAGS, AGREED, SEALS,
 COMPARED) = range(1, 13)


def message(session, kind, to=0, sender=0, round_=0, fields=()):
    """A message as bytes; a field is bytes, or a list of int or of float."""
    out = b"sottomsg" + struct.pack("<IIIIQ", 1, kind, sender, to, round_) + session
    out += struct.pack("<I", len(fields))
    for field in fields:
        if isinstance(field, bytes):
            out += struct.pack("<IQ", 1, len(field)) + field
        else:
            whole = all(isinstance(x, int) for x in field)
            out += struct.pack("<IQ", 2 if whole else 4, len(field))
            out += struct.pack(f"<{len(field)}{'q' if whole else 'd'}", *field)
    return out + hashlib.sha256(out).digest()


def messages_in(text):
    """The messages that are somewhere in these bytes."""
    at = text.find(b"sottomsg")
    while at >= 0:
        end = at + 68
        for _ in range(struct.unpack("<I", text[at + 64:end])[0]):
            kind, count = struct.unpack("<IQ", text[end:end + 12])
            end += 12 + count * (1 if kind == 1 else 8)
        yield text[at:end + 32]
        at = text.find(b"sottomsg", end + 32)


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), "sha256").digest()


def number(x):
    return struct.pack("<Q", x)


def tags(secret, session, ids, parties, private):
    """What each party sends of the same rows."""
    purpose = b"sotto rows" if private else b"sotto rows, noise can be repeated"
    key = mac(secret, purpose + b"\0", session)
    return [mac(key, number(k + 1), number(len(ids)), *(number(len(i)) + i for i in ids))
            for k in range(parties)]


def seals(secret, session, weights, parties):
    """What each party sends of this model."""
    key = mac(secret, b"sotto model\0", session)
    return [mac(key, number(k + 1), struct.pack(f"<{len(weights)}d", *weights))
            for k in range(parties)]


def main(path, workers=4):
    """Runs the tests of a file; all of them some at a time, for most of them wait."""
    if len(sys.argv) > 1:
        unittest.main()
        return
    def names(suite):
        return [n for t in suite for n in (names(t) if isinstance(t, unittest.TestSuite) else
                                           [t.id().removeprefix("__main__.")])]
    every = names(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    runs = [subprocess.Popen([sys.executable, path, *every[i::workers]]) for i in range(workers)]
    sys.exit(max(abs(r.wait()) for r in runs))


# ---- strangers ----

def context_of(folder, certificate=None, server=False):
    """TLS with these files; a client believes anybody."""
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    c.check_hostname = False
    c.verify_mode = ssl.CERT_NONE
    if certificate is not False:
        c.load_cert_chain(os.path.join(folder, certificate or "certificate.pem"),
                          os.path.join(folder, "key.pem"))
    return c


class Impostor:
    """A coordinator of our own: answers each request with what its script makes of it."""

    def meet(self, script):
        self.script = script
        self.heard = []

    def __init__(self, case, port, context):
        impostor = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                impostor.heard.append(body)
                code, answer = impostor.script(body)
                self.send_response(code)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass

            def get_request(self):
                plain, address = self.socket.accept()
                plain.settimeout(LONG)
                return context.wrap_socket(plain, server_side=True,
                                           do_handshake_on_connect=False), address

        self.server = Server(("127.0.0.1", port), Handler)
        thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        thread.start()
        case.addCleanup(self.server.server_close)
        case.addCleanup(self.server.shutdown)
