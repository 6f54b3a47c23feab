#!/usr/bin/python3
"""sotto federate over a network: the same bits as simulate, what is refused, and who may die."""

import hashlib
import http.client
import json
import os
import pathlib
import random
import socket
import ssl
import struct
import subprocess
import time
import unittest

from common import BUDGET, DATA, FAILED, OK, PEER, PRIVACY, PROGRAM, USAGE
from consortium import (AGREED, COLUMNS, COMPARED, MODEL, PARTIES, SEALS, START, TAG, TAGS, VECTOR,
                        VERTEX, Consortium, Impostor, LONG, context_of, csv, main, message, messages_in,
                        seals, tags)


def budgeted(config):
    config.update(epsilon=2, delta=1e-6)


class Runs(Consortium):
    def setUp(self):
        super().setUp()
        self.agree(budgeted, "paid")

    def serve(self, *more, keys="paid/coordinator", **others):
        return super().serve(*more, keys=keys, **others)

    def join(self, name, *more, keys=None, **others):
        return super().join(name, *more, keys=keys or f"paid/{name}", **others)

    def test_same_bits_as_simulate(self):
        """Four processes; every model is that of simulate, byte for byte."""
        self.assert_ended(self.everybody())
        right = self.simulated()
        for name in ("coordinator", *PARTIES):
            self.assertEqual(self.bytes_of(f"{name}.json"), right, name)
        self.assertTrue(self.json("bank.json")["not_private"])
        for name in PARTIES:
            self.assertIn("from %s: an answer" % name, self.log("state-coordinator"))
            self.assertIn("answered: round", self.log(f"state-{name}"))
            said = json.loads(self.sotto("federate", "status", self.config, "--state",
                                         f"state-{name}", "--json").out)
            (party,) = said["parties"]
            self.assertEqual((party["stage"], party["vertices"]), ("over", party["turns"]))
            self.assertEqual(party["messages"], party["turns"] + 5)
        # no value of a record, and no id, is in a log
        for name in ("coordinator", *PARTIES):
            text = self.log(f"state-{name}")
            for row in self.rows[:20]:
                self.assertNotIn(row["income"], text)
                self.assertNotIn(row["person"] + " ", text)

    def test_private(self):
        """Real noise: the statement of the agreement, the same model for all."""
        self.assert_ended(self.everybody(seed=None))
        right = self.bytes_of("coordinator.json")
        for name in PARTIES:
            self.assertEqual(self.bytes_of(f"{name}.json"), right)
        privacy = self.json("bank.json")["privacy"]
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertEqual(privacy["session"], self.hash())
        text = self.sotto("federate", "status", self.config, "--state", "state-coordinator").out
        self.assertIn(b"party shop: over", text)

    def test_one_seed_is_enough_to_be_not_private(self):
        """A party that can repeat its noise says so, and all models know it."""
        processes = [self.serve(), self.join("bank")]
        processes += [self.join(name, seed=None) for name in PARTIES[1:]]
        self.assert_ended(processes)
        for name in ("coordinator", *PARTIES):
            self.assertTrue(self.json(f"{name}.json").get("not_private"), name)

    def test_a_slow_party_is_waited_for(self):
        """shop stands still for a while: nobody turns in circles, and no bit is another."""
        def used():
            times = [pathlib.Path(f"/proc/{p.run.pid}/stat").read_text("ascii").split()[13:15]
                     for p in (coordinator, bank)]
            return sum(int(t) for pair in times for t in pair) / os.sysconf("SC_CLK_TCK")
        self.agree(lambda c: c.update(epsilon=2, delta=1e-6, rounds=300), "long")
        coordinator = self.serve(keys="long/coordinator")
        bank, clinic = (self.join(name, keys=f"long/{name}") for name in PARTIES[:2])
        shop = self.join("shop", keys="long/shop", answers=1)
        self.assertTrue(shop.stands.wait(LONG))
        time.sleep(1)  # the rest comes to the point where it waits
        before, began = used(), time.monotonic()
        time.sleep(3)
        self.assertLess(used() - before, .3 * (time.monotonic() - began))
        self.assertIsNone(coordinator.run.poll())
        shop.go_on()
        self.assert_ended([coordinator, bank, clinic, shop])
        self.assertEqual(self.bytes_of("coordinator.json"), self.simulated())

    def test_who_is_gone_is_passed_over(self):
        """shop answers its first turns and dies for good; all others end."""
        def skip(config):
            config.update(absent="skip", patience=30, rounds=100)
        self.agree(skip, keys="skipping")
        folders = {name: f"skipping/{name}" for name in PARTIES}
        coordinator = self.serve(keys="skipping/coordinator")
        others = [self.join(name, keys=folders[name]) for name in PARTIES[:2]]
        shop = self.join("shop", keys=folders["shop"], answers=1)
        self.assertTrue(shop.stands.wait(LONG))
        shop.kill()
        self.assert_ended([coordinator, *others])
        self.assertIn("shop is silent, and is skipped", self.log("state-coordinator"))
        self.assertEqual(self.bytes_of("bank.json"), self.bytes_of("coordinator.json"))

    def test_who_is_gone_ends_it(self):
        self.agree(lambda c: c.update(patience=1), keys="ending")
        coordinator = self.serve(keys="ending/coordinator")
        self.assert_line(coordinator, PEER, "party bank has been silent for 1 s")


class Agreements(Consortium):
    def test_config(self):
        """The hash is that of the file: of every byte of it."""
        first = self.hash()
        text = self.bytes_of(self.config)
        self.assertEqual(hashlib.sha256(text).hexdigest(), first)
        config = self.json(self.config)
        self.write("other.json", text + b"\n")
        self.assertNotEqual(self.hash("other.json"), first)
        for change in (lambda c: c.update(rows=301), lambda c: c.update(epsilon=2, delta=1e-6),
                       lambda c: c.update(patience=61), lambda c: c.update(spent={"epsilon": 1}),
                       lambda c: c["coordinator"].update(port=1),
                       lambda c: c["parties"][0].update(key="0" * 64)):
            other = json.loads(json.dumps(config))
            change(other)
            self.write("other.json", json.dumps(other))
            self.assertNotEqual(self.hash("other.json"), first)
        said = json.loads(self.sotto("federate", "config", self.config, "--json").out)
        self.assertEqual(said["hash"], first)
        self.assertEqual([p["name"] for p in said["parties"]], list(PARTIES))

    def test_what_is_missing(self):
        config = {**self.json(self.config), "epsilon": 2, "delta": 1e-6}
        for key, words in (("rows", "rows"), ("epsilon", "epsilon"), ("delta", "delta"),
                           ("id", "id"), ("coordinator", "coordinator")):
            self.write("less.json", json.dumps({k: v for k, v in config.items() if k != key}))
            line = self.assert_one_line(self.sotto("federate", "config", "less.json"), USAGE)
            self.assertIn(words, line)
        for key, value in (("authority", "12"), ("absent", "maybe"), ("patience", 0), ("id", "y"),
                           ("coordinator", {"host": "a b"}), ("spent", 3), ("rows", 1.5)):
            self.write("bad.json", json.dumps({**config, key: value}))
            self.assert_one_line(self.sotto("federate", "config", "bad.json"), USAGE)

    def test_keygen_overwrites_nothing(self):
        line = self.assert_one_line(
            self.sotto("federate", "keygen", "draft-keys.json", "-o", "keys"), FAILED)
        self.assertIn("keys", line)
        for name in PARTIES:
            for file in ("key.pem", "consortium.secret"):
                mode = os.stat(self.path(f"keys/{name}/{file}")).st_mode & 0o777
                self.assertEqual(mode, 0o600)
        self.assertFalse(os.path.exists(self.path("keys/coordinator/consortium.secret")))

    def test_secrets_that_others_can_read(self):
        for file in ("key.pem", "consortium.secret"):
            os.chmod(self.path(f"keys/bank/{file}"), 0o640)
            self.assert_line(self.join("bank"), PRIVACY, "others can read it")
            os.chmod(self.path(f"keys/bank/{file}"), 0o600)

    def test_one_byte(self):
        """A party with another agreement, be it a blank: its own hash, and the coordinator's
        word."""
        self.write("other.json", self.bytes_of(self.config).replace(b":", b": ", 1))
        self.assert_line(self.join("bank", config="other.json", accept=self.hash()), PEER,
                         "another agreement")
        coordinator = self.serve()
        self.assert_line(self.join("bank", config="other.json"), PEER, "another agreement")
        self.assertIn("another agreement", self.log("state-coordinator"))
        coordinator.kill()


class Rows(Consortium):
    def refused(self, rows):
        """All but bank have the usual rows: nobody sends more than a tag."""
        self.write("bank.csv", csv(rows, COLUMNS["bank"]))
        coordinator = self.serve()
        parties = [self.join(name) for name in PARTIES]
        for party in parties:
            self.assert_line(party, PEER, "does not have the same ids")
            self.assertIn("does not have the same ids", self.log(f"state-{party.name}"))
        coordinator.kill()
        said = json.loads(self.sotto("federate", "status", self.config, "--state",
                                     "state-coordinator", "--json").out)
        for party in said["parties"]:
            self.assertEqual((party["messages"], party["epsilon"]), (1, 0))

    def test_another_order(self):
        rows = list(self.rows)
        rows[3], rows[4] = rows[4], rows[3]
        self.refused(rows)

    def test_another_person(self):
        self.refused(self.rows[:-1] + [{**self.rows[-1], "person": "nobody"}])

    def test_twice(self):
        self.write("bank.csv", csv(self.rows[:-1] + [self.rows[0]], COLUMNS["bank"]))
        self.assert_line(self.join("bank"), DATA, "an id is there twice")
        self.assertIn("twice", self.log("state-bank"))

    def test_another_number(self):
        self.write("bank.csv", csv(self.rows[:-1], COLUMNS["bank"]))
        self.assert_line(self.join("bank"), DATA, "another number of rows")

    def test_another_secret(self):
        self.write("keys/bank/consortium.secret", "0" * 64 + "\n")
        self.refused(self.rows)


class States(Consortium):
    def test_changed_data(self):
        self.assert_ended(self.everybody())
        rows = self.rows[:-1] + [{**self.rows[-1], "debt": "1"}]
        self.write("bank.csv", csv(rows, COLUMNS["bank"]))
        self.assert_line(self.join("bank"), BUDGET, "the state of other data")
        self.assert_line(self.join("clinic", seed="12"), BUDGET, "the state of other data")
        self.assert_line(self.join("clinic", state="state-shop"), BUDGET, "another role or party")

    def test_comes_back_when_all_is_over(self):
        """What was kept is enough for the model, with nobody there."""
        self.assert_ended(self.everybody())
        right = self.bytes_of("bank.json")
        os.remove(self.path("bank.json"))
        self.assert_ended([self.join("bank")])
        self.assertEqual(self.bytes_of("bank.json"), right)

    def test_damage(self):
        """A record that is cut short is dropped; a flipped bit is not forgiven."""
        self.assert_ended(self.everybody())
        whole = self.bytes_of("state-bank/messages")
        status = ("federate", "status", self.config, "--state", "state-bank")
        for at in random.Random(4).sample(range(len(whole)), 60):
            self.write("state-bank/messages", whole[:at] + bytes([whole[at] ^ 4]) +
                       whole[at + 1:])
            self.assert_one_line(self.sotto(*status), BUDGET)
        self.write("state-bank/messages", whole[:-5])
        self.assertEqual(self.sotto(*status).code, OK)

    def test_two_at_once(self):
        coordinator = self.serve()
        first = self.join("bank")
        self.wait_for(coordinator, "from bank: its rows' tag")
        self.assert_line(self.join("bank"), FAILED, "another process")
        first.kill()
        coordinator.kill()

    def test_full_disk(self):
        """One line, nothing sent that is not kept; with room again it goes on."""
        import resource

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
        coordinator = self.serve()
        others = [self.join(name) for name in PARTIES[1:]]
        result = self.sotto(*self.join_words("bank"), before=no_room)
        self.assertEqual(result.code, FAILED, result.err)
        self.assertIn(b"cannot write", result.err.splitlines()[-1])
        coordinator.kill()
        bank = self.join("bank")
        result = self.sotto("federate", "serve", self.config, "--keys", "keys/coordinator",
                            "--state", "state-coordinator", "-o", "coordinator.json", "--quiet",
                            before=no_room)
        self.assertEqual(result.code, FAILED, result.err)
        self.assertIn(b"cannot write", result.err.splitlines()[-1])
        self.assert_ended([self.serve(), bank, *others])
        self.assertEqual(self.bytes_of("bank.json"), self.simulated())

    def join_words(self, name):
        return ("federate", "join", self.config, "--accept", self.hash(), "--data",
                f"{name}.csv", "--keys", f"keys/{name}", "--state", f"state-{name}", "-o",
                f"{name}.json", "--insecure-seed", "11", "--quiet")


class Openssl(Consortium):
    """Certificates that keygen would not make."""

    def certificate(self, name, days=("20200101000000Z", "20300101000000Z"), purpose="clientAuth",
                    key=None, authority="keys/authority"):
        """A folder `name` with one from our authority; `key`: a key file to use again."""
        os.makedirs(self.path(name), exist_ok=True)
        self.write(f"{name}/ca.cnf", "[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\n"
                   "new_certs_dir=.\npolicy=p\ndefault_md=default\nunique_subject=no\n"
                   "x509_extensions=x\n[p]\ncommonName=supplied\n[x]\n"
                   f"subjectAltName=DNS:localhost\nextendedKeyUsage={purpose}\n")
        self.write(f"{name}/index", "")
        self.write(f"{name}/serial", "7001\n")
        folder, up = self.path(name).decode(), f"{self.directory}/"
        if key:
            with open(self.path(key), "rb") as file:
                self.write(f"{name}/key.pem", file.read())
        else:
            self.openssl(folder, "genpkey", "-algorithm", "ed25519", "-out", "key.pem")
        with open(self.path(f"{authority}/authority.pem"), "rb") as file:
            self.write(f"{name}/authority.pem", file.read())
        self.openssl(folder, "req", "-new", "-key", "key.pem", "-subj", "/CN=x", "-out", "r.pem")
        self.openssl(folder, "ca", "-batch", "-notext", "-config", "ca.cnf", "-in", "r.pem",
                     "-cert", f"{up}{authority}/authority.pem", "-keyfile",
                     f"{up}{authority}/key.pem", "-startdate", days[0], "-enddate", days[1],
                     "-out", "certificate.pem")
        os.chmod(self.path(f"{name}/key.pem"), 0o600)
        return folder

    @staticmethod
    def openssl(folder, *args):
        subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)


EXPIRED = ("20200101000000Z", "20210101000000Z")


class Clients(Openssl):
    """Who comes to the coordinator."""

    def post(self, context, body=b"x", path="/v1/word", method="POST"):
        c = http.client.HTTPSConnection("localhost", self.json(self.config)["coordinator"]["port"],
                                        context=context, timeout=LONG)
        c.request(method, path, body)
        answer = c.getresponse()
        text = answer.read()
        c.close()
        return answer.status, text

    def assert_refused(self, context, words, **more):
        code, text = self.post(context, **more)
        self.assertEqual(code, 403)
        self.assertIn(words, text.decode())
        self.assertIn(words, self.log("state-coordinator"))

    def test_certificates(self):
        self.agree(keys="strangers")
        strangers = self.path("strangers/bank").decode()
        self.config = "keys/config.json"
        coordinator = self.serve()
        self.assert_refused(context_of("", False), "no certificate")
        self.assert_refused(context_of(strangers), "another authority")
        self.assert_refused(context_of(self.certificate("old", EXPIRED, key="keys/bank/key.pem")),
                            "has expired")
        self.assert_refused(context_of(self.path("keys/coordinator").decode()), "another role")
        self.assert_refused(context_of(self.certificate("who")), "no party's")
        self.assert_refused(
            context_of(self.certificate("server", purpose="serverAuth", key="keys/bank/key.pem")),
            "another role")
        old = context_of(self.path("keys/bank").decode())
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        with self.assertRaises(ssl.SSLError):
            self.post(old)
        coordinator.kill()

    def test_messages(self):
        """Random bytes, too many, in another's name, again, out of turn; then all goes on."""
        coordinator = self.serve()
        session = bytes.fromhex(self.hash())
        bank = context_of(self.path("keys/bank").decode())
        draw = random.Random(9)
        good = message(session, TAG, sender=1, fields=[b"t" * 32, [0]])
        for body, words in (
                (b"", "damaged"), (draw.randbytes(100), "damaged"), (draw.randbytes(900), "damaged"),
                (good[:-1], "damaged"), (good[:50] + b"\1" + good[51:], "damaged"),
                (message(b"\0" * 32, TAG, sender=1, fields=[b"t" * 32, [0]]), "another agreement"),
                (message(session, TAG, sender=2, fields=[b"t" * 32, [0]]), "another party's name"),
                (message(session, TAG, sender=1, fields=[b"t" * 31, [0]]), "not a tag"),
                (message(session, TAG, sender=1, fields=[b"t" * 32, [2]]), "not a tag"),
                (message(session, AGREED, sender=1), "out of turn"),
                (message(session, VERTEX, sender=1, round_=1, fields=[[0, 1]]), "before all")):
            code, text = self.post(bank, body)
            self.assertEqual(code, 409, (words, text))
            self.assertIn(words, text.decode())
            self.assertIn(words, self.log("state-coordinator"))
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.post(bank, b"x" * 100000)
        self.assertIn("too many bytes", self.log("state-coordinator"))
        self.assertEqual(self.post(bank, path="/")[0], 404)
        self.assertEqual(self.post(bank, b"", method="GET")[0], 404)
        parties = [self.join(name) for name in PARTIES]
        self.assert_ended([coordinator, *parties])
        self.assertEqual(self.bytes_of("coordinator.json"), self.simulated())

    def test_replayed(self):
        """An old answer in a later round, from a party that should know better."""
        self.agree(lambda c: c.update(rounds=100), "long")
        coordinator = self.serve(keys="long/coordinator")
        session = bytes.fromhex(self.hash())
        parties = [self.join(name, keys=f"long/{name}", answers=3 if name == "shop" else None)
                   for name in PARTIES]
        self.assertTrue(parties[2].stands.wait(LONG))
        self.wait_for(coordinator, "from bank: an answer, round [1-9]")
        parties[0].kill()
        said = [m for m in messages_in(self.bytes_of("state-bank/messages"))
                if m[12:20] == struct.pack("<II", VERTEX, 1)]
        bank = context_of(self.path("long/bank").decode())
        (round_,) = struct.unpack("<Q", said[0][24:32])
        old = next(messages_in(self.bytes_of("state-bank/messages")))  # its tag
        code, text = self.post(bank, old)
        self.assertEqual(code, 409)
        self.assertIn(b"a replay, or the state folder is an old copy", text)
        self.assertIn("old copy", self.log("state-coordinator"))
        self.assertIn(self.post(bank, said[-1])[0], (200, 204))  # the last word again
        changed = message(session, VERTEX, sender=1, round_=round_, fields=[[1, -1]])
        code, text = self.post(bank, changed)
        self.assertEqual(code, 409)
        self.assertIn(b"refused", text)
        self.assertRegex(self.log("state-coordinator"), r"bank at [0-9.]+: (server: )?refused")
        parties[0].start()
        parties[2].go_on()
        self.assert_ended([coordinator, *parties])
        self.assertEqual(self.bytes_of("coordinator.json"), self.simulated())


    def test_a_port_is_one_coordinators(self):
        first = self.serve()
        self.assert_line(self.serve(state="state-second", wait=False), FAILED, "cannot listen")
        first.kill()

    def test_connections_that_never_come_to_an_end(self):
        """With a party's own certificate: a body of which a byte comes now and then, and
        one half of which never comes. The run goes on beside them."""
        coordinator = self.serve()
        port = self.json(self.config)["coordinator"]["port"]
        context = context_of(self.path("keys/shop").decode())
        held = [context.wrap_socket(socket.create_connection(("localhost", port), timeout=LONG))
                for _ in range(2)]
        for connection in held:
            connection.sendall(b"POST /v1/word HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Length: 100000\r\n\r\nsotto")
        parties = [self.join(name) for name in PARTIES]
        while any(p.run.poll() is None for p in (coordinator, *parties)):
            try:
                held[0].sendall(b".")
            except OSError:  # it was told to go
                pass
            time.sleep(.05)
        self.assert_ended([coordinator, *parties])
        for connection in held:
            connection.close()

    def test_strangers_keep_nobody_out(self):
        """450 idle strangers from ten addresses, some of them after a handshake; more come with
        every line of the log. The parties' run has the same bits."""
        coordinator = self.serve()
        crowd = Crowd(self.json(self.config)["coordinator"]["port"], 450)
        self.addCleanup(crowd.go)
        crowd.come(450)
        processes = [coordinator, *(self.join(name) for name in PARTIES)]
        lines = 0
        while any(p.run.poll() is None for p in processes):
            now = coordinator.said().count("\nfrom ")
            if now > lines and not crowd.come(10):
                break  # nobody listens any more
            lines = now
            time.sleep(.01)
        self.assert_ended(processes)
        self.assertEqual(self.bytes_of("coordinator.json"), self.simulated())
        self.assertIn("has to make room for another stranger", self.log("state-coordinator"))

    def test_requests_that_trickle(self):
        """A byte now and then: a stranger who never ends the handshake, one who is refused and
        goes on talking, and a party whose request never comes to an end. All are shut, since
        there is a time for the whole, and a party that comes properly is heard."""
        self.agree(lambda c: c.update(patience=3600), "patient")
        coordinator = self.serve(keys="patient/coordinator")
        port = self.json(self.config)["coordinator"]["port"]
        post = b"POST /v1/word HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\n"
        stranger = socket.create_connection(("localhost", port), timeout=LONG)
        stranger.sendall(b"\x16\x03\x01\x20\x00")
        nobody = context_of("", False).wrap_socket(
            socket.create_connection(("localhost", port), timeout=LONG))
        nobody.sendall(post)
        shop = context_of(self.path("patient/shop").decode()).wrap_socket(
            socket.create_connection(("localhost", port), timeout=LONG))
        shop.sendall(post)
        left = {"stranger": stranger, "nobody": nobody, "shop": shop}
        self.addCleanup(lambda: [c.close() for c in (stranger, nobody, shop)])
        end = time.monotonic() + 600  # it would go on for ever
        while left:
            self.assertLess(time.monotonic(), end, f"never shut: {list(left)}")
            left = {name: c for name, c in left.items() if not self.is_shut(c)}
            time.sleep(.2)
        log = self.log("state-coordinator")
        while "its request took too long" not in log and time.monotonic() < end:
            time.sleep(.2)  # it is shut first, and written down then
            log = self.log("state-coordinator")
        self.assertEqual(log.count("did not say in time who it is"), 2, log)
        self.assertEqual(log.count("its request took too long"), 1, log)
        parties = [self.join(name, keys=f"patient/{name}") for name in PARTIES]
        self.assert_ended([coordinator, *parties])

    @staticmethod
    def is_shut(connection):
        """Whether the other side has ended it; says one byte otherwise."""
        connection.settimeout(.01)
        try:
            connection.sendall(b"\0")
            return not connection.recv(1000)
        except (TimeoutError, ssl.SSLWantReadError):
            return False
        except OSError:
            pass
        # with OpenSSL 3.5 a broken connection's error is told of the next one, too: the socket
        # itself knows
        try:
            while socket.socket.recv(connection, 1000, socket.MSG_DONTWAIT):
                pass
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True

    def test_a_party_has_a_few_connections(self):
        """The newest count: one that hangs must not keep its owner out."""
        coordinator = self.serve()
        port = self.json(self.config)["coordinator"]["port"]
        context = context_of(self.path("keys/shop").decode())
        held = []
        self.addCleanup(lambda: [c.close() for c in held])
        for i in range(20):
            held.append(context.wrap_socket(
                socket.create_connection(("localhost", port), timeout=LONG)))
            held[-1].sendall(b"POST /v1/word HTTP/1.1\r\nHost: localhost\r\n"
                             b"Content-Length: 4000\r\n\r\nsotto")
            if i >= 4:  # four of them may stay
                self.wait_for(coordinator, f"(?s)(newer connections.*){{{i - 3}}}|took too long")
        parties = [self.join(name) for name in PARTIES]
        self.assert_ended([coordinator, *parties])


class Crowd:
    """Strangers who connect and say nothing; the oldest leave when there are too many."""

    def __init__(self, port, most):
        self.port, self.most = port, most
        self.held, self.came = [], 0

    def come(self, count):
        """Whether there is somebody to come to."""
        for _ in range(count):
            self.came += 1
            try:
                one = socket.create_connection(
                    ("127.0.0.1", self.port), timeout=LONG,
                    source_address=(f"127.0.0.{self.came % 10 + 1}", 0))
            except ConnectionRefusedError:
                return False
            if self.came % 9 == 0:  # a handshake, and not a word
                try:
                    one = context_of("", False).wrap_socket(one)
                except OSError:  # it was too slow, and had to make room
                    pass
            self.held.append(one)
        while len(self.held) > self.most:
            self.held.pop(0).close()
        return True

    def go(self):
        for one in self.held:
            one.close()


class Meeting(Openssl):
    def meet(self, folder, words, script=None, config=None, state="state-bank"):
        """bank meets a coordinator with these files, and ends with these words."""
        port = self.json(config or self.config)["coordinator"]["port"]
        script = script or (lambda body: (204, b""))
        if not hasattr(self, "impostor"):
            self.impostor = Impostor(self, port, context_of(folder, server=True))
        self.impostor.meet(script)
        party = self.join("bank", config=config, state=state)
        self.assert_line(party, PEER, words)
        self.assertRegex(self.log(state), words)
        return self.impostor.heard


SOCKETS = os.path.join(os.environ.get("SOTTO_BUILD", os.path.dirname(PROGRAM)), "tests",
                       "sockets.so")


class Broken(Meeting):
    """Connections that break."""

    def test_sigpipe_is_never_raised_nor_touched(self):
        """Whatever the network writes to a socket cannot raise SIGPIPE, and nobody changes what
        that signal does: a host program may have a use for it."""
        self.environment = {"LD_PRELOAD": SOCKETS, "SOTTO_SOCKETS": self.path("writes").decode()}
        self.assert_ended(self.everybody())
        self.assertEqual(self.bytes_of("coordinator.json"), self.simulated())
        # somebody else's certificate: a second handshake finds the words for it
        self.agree(keys="strangers")
        self.config = "keys/config.json"
        self.meet(self.path("strangers/coordinator").decode(), "another authority",
                  state="state-other")
        with open(self.path("writes"), encoding="utf-8") as file:
            seen = [line.rsplit(" ", 1) for line in file.read().splitlines()]
        self.assertEqual([what for what, _ in seen], ["sends seen:"] * 5, seen)
        self.assertGreater(min(int(count) for _, count in seen), 0)


class Coordinators(Meeting):
    """Whom a party comes to."""

    def test_another_authority(self):
        self.agree(keys="strangers")
        self.config = "keys/config.json"
        heard = self.meet(self.path("strangers/coordinator").decode(),
                          "refused: a certificate from another authority$")
        self.assertEqual(heard, [])

    def test_expired(self):
        folder = self.certificate("old", EXPIRED, "serverAuth", "keys/coordinator/key.pem")
        self.assertEqual(self.meet(folder, "refused: a certificate that has expired$"), [])

    def test_not_yet(self):
        folder = self.certificate("new", ("21200101000000Z", "21210101000000Z"), "serverAuth",
                                  "keys/coordinator/key.pem")
        self.assertEqual(self.meet(folder, "refused: a certificate that is not valid yet$"), [])

    def test_another_host(self):
        config = self.json(self.config)
        config["coordinator"]["host"] = "127.0.0.1"
        self.write("moved.json", json.dumps(config))
        heard = self.meet(self.path("keys/coordinator").decode(), "another host name",
                          config="moved.json")
        self.assertEqual(heard, [])

    def test_another_role(self):
        """From our authority, for this host, and not the coordinator's."""
        folder = self.certificate("other", purpose="serverAuth")
        self.assertEqual(self.meet(folder, "another role"), [])

    def test_own_certificate(self):
        self.agree(keys="strangers")
        self.config = "keys/config.json"
        self.assert_line(self.join("bank", keys="strangers/bank"), PEER, "not the authority")
        self.assert_line(self.join("bank", keys=self.certificate("who")), PEER, "no party's")
        self.assert_line(self.join("bank", keys=self.path("keys/coordinator").decode()), PEER,
                         "no party's")
        self.assert_line(self.serve(keys="keys/bank", wait=False), PEER, "not the coordinator's")


class Evil(Meeting):
    """A coordinator with the right certificate that asks what it must not. It is given all
    parties' tags, which only the parties can make."""

    def script(self, *requests):
        """Goes through the tags and the start, and then asks these."""
        session = bytes.fromhex(self.hash())
        with open(self.path("keys/bank/consortium.secret"), encoding="utf-8") as file:
            secret = bytes.fromhex(file.read().strip())
        ids = [row["person"].encode() for row in self.rows]
        all_tags = tags(secret, session, ids, 3, 0)
        first = [message(session, TAGS, to=1, fields=[b"".join(all_tags), [0, 0, 0]]),
                 message(session, START, to=1)]
        left = [r if isinstance(r, tuple) else (200, r) for r in (*first, *requests)]
        return lambda body: left.pop(0) if left else (204, b"")

    def model(self, *weights):
        return message(bytes.fromhex(self.hash()), MODEL, to=1, round_=21, fields=[list(weights)])

    def seals(self, weights, flags=(1, 1, 1)):
        """All parties' digests of this model; bank's is that of zeros."""
        session = bytes.fromhex(self.hash())
        with open(self.path("keys/bank/consortium.secret"), encoding="utf-8") as file:
            secret = bytes.fromhex(file.read().strip())
        made = [seals(secret, session, [0.] * 6, 3)[0], *seals(secret, session, weights, 3)[1:]]
        return message(session, SEALS, to=1, fields=[b"".join(made), list(flags)])

    def turn(self, party):
        """Rounds whose turn is that party's: from what an honest run has logged."""
        if not hasattr(self, "turns"):
            self.assert_ended(self.everybody())
            with open(self.path("state-coordinator/log"), encoding="utf-8") as file:
                lines = [line.split() for line in file if " of 20, " in line]
            self.turns = {}
            for words in lines:
                self.turns.setdefault(words[2].rstrip(":"), set()).add(int(words[4]))
            for name in PARTIES:
                os.rename(self.path(f"state-{name}"), self.path(f"old-{name}"))
        return sorted(self.turns[party])

    def vector(self, round_, numbers=None, to=1):
        return message(bytes.fromhex(self.hash()), VECTOR, to=to, round_=round_,
                       fields=[numbers or [.25] * 64])

    def ask(self, words, *requests, state="state-bank"):
        folder = self.path("keys/coordinator").decode()
        return self.meet(folder, words, self.script(*requests), state=state)

    def test_out_of_turn(self):
        self.ask("another party's turn", self.vector(self.turn("clinic")[0]))

    def test_beyond_the_last_round(self):
        self.ask("another party's turn", self.vector(21))

    def test_two_vectors_in_one_round(self):
        """The second is refused, and nothing of it is answered."""
        own = self.turn("bank")[0]
        heard = self.ask("answered, or skipped", self.vector(own), self.vector(own),
                         self.vector(own, [.5] * 64))
        self.assertEqual(heard[-1], heard[-2])  # the same request has the same answer

    def test_another_partys_vector(self):
        self.ask("another party", self.vector(self.turn("clinic")[0], to=2))

    def test_back_in_time(self):
        own = self.turn("bank")
        self.ask("answered, or skipped", self.vector(own[1]), self.vector(own[0]))

    def test_start_again(self):
        session = bytes.fromhex(self.hash())
        self.ask("begun already", message(session, START, to=1, fields=[b"again"]))

    def test_after_the_end(self):
        model = message(bytes.fromhex(self.hash()), MODEL, to=1, round_=21, fields=[[0.] * 6])
        self.ask("has ended", model, self.vector(self.turn("bank")[0]))

    def test_another_model(self):
        """Its own weights are what its answers make; all parties have the same."""
        zeros = [0.] * 6
        for i, (words, requests) in enumerate((
                ("not what its answers make", [self.model(.5, 0., 0., 0., 0., 0.)]),
                ("clinic does not have the same model",
                 [self.model(*zeros), self.seals([0., 0., 1., 0., 0., 0.])]),
                ("shop does not have the same model",
                 [self.model(*zeros), self.seals(zeros, (1, 1, 0))]),
                ("no model that all parties have", [self.model(*zeros), (410, b"")]),
                ("not the digests", [self.seals(zeros)]))):
            with self.subTest(words):
                self.ask(words, *requests, state=f"state-{i}")
                self.assertFalse(os.path.exists(self.path("bank.json")))

    def test_same_model(self):
        """The same questions with the right digests: compared, and over."""
        impostor = Impostor(self, self.json(self.config)["coordinator"]["port"],
                            context_of(self.path("keys/coordinator").decode(), server=True))
        impostor.meet(self.script(self.model(*[0.] * 6), self.seals([0.] * 6), (410, b"")))
        self.assert_ended([self.join("bank")])
        self.assertEqual(impostor.heard[-1], message(bytes.fromhex(self.hash()), COMPARED,
                                                     sender=1))
        self.assertIn("all parties have the same model", self.log("state-bank"))

    def test_the_same_for_ever(self):
        """A question again and again has the same answer, and not as fast as it can be asked."""
        again = self.vector(self.turn("bank")[0])
        began = time.monotonic()
        heard = self.ask("elsewhere", *[again] * 7, (302, b"elsewhere"))
        self.assertEqual(len(set(heard[-7:])), 1)
        self.assertGreater(time.monotonic() - began, 2)

    def test_what_is_no_question(self):
        session = bytes.fromhex(self.hash())
        for i, (words, request) in enumerate((
                ("another length", self.vector(5, [.5] * 63)),
                ("not a model", message(session, MODEL, to=1, round_=21, fields=[[0.] * 5])),
                ("not a model", message(session, MODEL, to=1, round_=21,
                                        fields=[[float("nan")] * 6])),
                ("not for parties", message(session, 77, to=1)),
                ("another agreement", message(b"\1" * 32, START, to=1)),
                ("damaged", random.Random(3).randbytes(700)),
                ("more bytes than any message", b"x" * 100000))):
            with self.subTest(words):
                self.ask(words, request, state=f"state-{i}")

    def test_before_rows_agree(self):
        session = bytes.fromhex(self.hash())
        folder = self.path("keys/coordinator").decode()
        heard = self.meet(folder, "before all have agreed",
                          lambda body: (200, message(session, START, to=1)))
        self.assertEqual(len(heard), 1)


if __name__ == "__main__":
    main(__file__)
