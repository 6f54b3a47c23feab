#!/usr/bin/env python3
"""sotto key, train --sign and verify: keys, what is signed, and whose signature it is."""
import json
import os
import re
import shutil
import sys
import unittest
import zlib
from unittest import mock

from common import FAILED, HERE, OK, PRIVACY, USAGE, Case

sys.path.append(os.path.join(HERE, "..", "..", "tools"))
import released  # noqa: E402

PRIVATE = ("--target", "y", "--epsilon", "1", "--delta", "1e-6", "--quiet")


class Signed(Case):
    def setUp(self):
        super().setUp()
        own = mock.patch.dict(os.environ, SOTTO_LEDGER=os.path.join(self.directory, "own.ledger"))
        own.start()
        self.addCleanup(own.stop)
        self.write("d.csv", "a,y\n" + "".join("%d,%d\n" % (i % 7, i % 3) for i in range(300)))
        self.assertEqual(self.sotto("key", "new", "k", "--quiet"), (OK, b"", b""))

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def train(self, *more, name="m.json"):
        result = self.sotto("train", "d.csv", *PRIVATE, "-o", name, *more)
        self.assertEqual(result.code, OK, result.err)
        return json.loads(self.read(name))

    def verify(self, *more, model="m.json"):
        return self.sotto("verify", model, "--key", "k.pub", *more)

    def refused(self, result, code, words):
        self.assertEqual(result.code, code, result.err)
        self.assertIn(words, result.err.decode())
        self.assertEqual(result.err.count(b"\n"), 1)

    def test_keys(self):
        for name, mode, kind in (("k", 0o600, b"secret"), ("k.pub", 0o644, b"public")):
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, mode & ~os.umask(0o022))
            self.assertRegex(self.read(name), b"^sotto-ed25519-%s-1 [0-9a-f]{64}\n$" % kind)
        before = self.read("k")
        self.refused(self.sotto("key", "new", "k"), USAGE, "never replaces one")
        self.assertEqual(self.read("k"), before)
        self.assertEqual(sorted(os.listdir(self.directory)), ["d.csv", "k", "k.pub"])
        result = self.sotto("key", "new", "other")
        self.assertEqual(result.code, OK)
        self.assertIn(b"wrote other.pub: the public key", result.err)
        self.assertNotEqual(self.read("other"), before)
        for args in (("key",), ("key", "new"), ("key", "old", "x"), ("key", "new", "-"),
                     ("key", "new", "")):
            self.refused(self.sotto(*args), USAGE, "")
        self.refused(self.sotto("key", "new", "no/such/folder"), FAILED, "cannot write")

    def test_a_model_is_verified(self):
        model = self.train("--sign", "k")
        key = self.read("k.pub").split()[1].decode()
        self.assertEqual(list(model)[-2:], ["signature", "checksum"])
        self.assertEqual(model["signature"]["key"], key)
        result = self.verify()
        self.assertEqual((result.code, result.err), (OK, b""))
        lines = result.out.decode().splitlines()
        self.assertEqual(lines[0], "signature  by the key " + key[:16])
        self.assertRegex(lines[1], r"^statement  priced again: epsilon \S+, delta 1e-06$")
        self.assertEqual(lines[2:], ["unit       a row, not all rows of a person",
                                     "ledger     not asked (--ledger FILE)"])
        said = json.loads(self.verify("--json").out)
        self.assertEqual(said, {"signed_by": key, "epsilon": model["privacy"]["epsilon"],
                                "delta": 1e-6, "position": None})
        self.assertIn(b"signature  by the key " + key[:16].encode(),
                      self.sotto("show", "m.json").out)

    def test_the_ledger_has_the_run(self):
        """As it stands in the statement; another ledger, or an old copy, has not."""
        own = os.environ["SOTTO_LEDGER"]
        self.train("--sign", "k", name="first.json")
        shutil.copy(own, self.path("old.db"))
        ledger = self.train("--sign", "k")["privacy"]["ledger"]
        said = json.loads(self.verify("--json", "--ledger", own).out)
        self.assertEqual(said["position"], ledger["position"])
        result = self.verify("--ledger", own)
        self.assertEqual(result.code, OK, result.err)
        self.assertEqual(result.out.decode().splitlines()[3],
                         "ledger     %d entries, all right; has the run, at position %d"
                         % (ledger["position"], ledger["position"]))
        self.assertEqual(result.out.decode().splitlines()[4],
                         "cap        none: nothing is promised of all runs together")
        self.assertEqual(self.verify("--ledger", "old.db", model="first.json").code, OK)
        old = self.verify("--ledger", "old.db")
        self.refused(old, PRIVACY, "an older copy of the ledger was put back")
        self.assertIn(b"statement  priced again", old.out)  # what holds is said all the same
        self.assertEqual(self.verify("--ledger", "old.db", "--json").out, b"")
        self.refused(self.verify("--ledger", "none.db"), FAILED, "there is no ledger")
        self.train("--sign", "k", "--ledger", "none")
        self.assertEqual(self.verify().out.decode().splitlines()[3].split(":")[0],
                         "ledger     untracked")
        self.refused(self.verify("--ledger", own), PRIVACY, "untracked")

    def test_a_cap_that_was_raised(self):
        """It holds for the runs before it, too: whoever verifies one is told."""
        named = ("--ledger", "l", "--dataset", "d", "--delta", "1e-6")
        self.assertEqual(self.sotto("ledger", "create", *named, "--epsilon", "3").code, OK)
        self.train("--sign", "k", *named[:4])
        line = "cap        epsilon 3 at delta 1e-06 when it was booked; "
        said = self.verify("--ledger", "l")
        self.assertEqual(said.out.decode().splitlines()[4], line + "not raised since", said.err)
        self.assertEqual(self.sotto("ledger", "raise", *named, "--epsilon", "5").code, OK)
        self.assertEqual(self.verify("--ledger", "l").out.decode().splitlines()[4],
                         line + "raised since, to epsilon 5 at delta 1e-06, for this run, too")

    def test_a_delta_that_was_raised(self):
        named = ("--ledger", "l", "--dataset", "d", "--epsilon", "3")
        self.assertEqual(self.sotto("ledger", "create", *named, "--delta", "1e-6").code, OK)
        self.train("--sign", "k", *named[:4])
        self.assertEqual(self.sotto("ledger", "raise", *named, "--delta", "0.5").code, OK)
        said = self.verify("--ledger", "l").out.decode().splitlines()[4]
        self.assertEqual(said, "cap        epsilon 3 at delta 1e-06 when it was booked; raised "
                               "since, to epsilon 3 at delta 0.5, for this run, too")

    def test_caps_of_parts(self):
        """Each part is told as it is; the statement has what holds for all that were charged."""
        self.write("p.csv", "a,q,y\n" + "".join("%d,%s,%d\n" % (i % 7, "AB"[i % 2], i % 3)
                                                 for i in range(300)))
        named = ("--ledger", "l", "--dataset", "d")
        done = self.sotto("ledger", "create", *named, "--part-column", "q", "--parts", "A,B",
                          "--epsilon", "2", "--delta", "1e-6")
        self.assertEqual(done.code, OK, done.err)
        for part, epsilon, delta in (("B", "7", "1e-6"), ("A", "2", "1e-2")):
            done = self.sotto("ledger", "raise", *named, "--parts", part, "--epsilon", epsilon,
                              "--delta", delta)
            self.assertEqual(done.code, OK, done.err)
        done = self.sotto("train", "p.csv", *PRIVATE, *named, "--parts", "A,B", "--bad-rows", "drop",
                          "--sign", "k", "-o", "m.json")
        self.assertEqual(done.code, OK, done.err)
        stated = json.loads(self.read("m.json"))["privacy"]["ledger"]
        self.assertEqual((stated["cap"], stated["delta"]), (7, .01))
        said = self.verify("--ledger", "l")
        self.assertEqual(said.code, OK, said.err)
        self.assertEqual(said.out.decode().splitlines()[4:],
                         ["cap        epsilon 7 at delta 0.01 when it was booked",
                          "           now epsilon 2 at delta 0.01, of part A",
                          "           now epsilon 7 at delta 1e-06, of part B"])

    def test_what_a_statement_says_of_its_booking(self):
        """Name, cap, total, delta, purpose: each is compared, also by who has no key."""
        named = ("--ledger", "l", "--dataset", "d")
        self.sotto("ledger", "create", *named, "--epsilon", "3", "--delta", "1e-6")
        self.train(*named, "--purpose", "heights")
        self.assertEqual(self.sotto("ledger", "verify", "--ledger", "l", "m.json").code, OK)
        for old, new in ((rb'"cap": [^,]*', b'"cap": 0.01'), (rb'"dataset": "d"', b'"dataset": "e"'),
                         (rb'"spent_epsilon": [^,]*', b'"spent_epsilon": 0.001'),
                         (rb'("spent_epsilon": [^,]*), "purpose": "heights"', rb'\1'),
                         (rb'"purpose": "heights"', b'"purpose": "heights", "owner": "me"')):
            def change(text, old=old, new=new):
                at = text.index(b'"ledger": {')
                changed = re.sub(old, new, text[at:], count=1)
                self.assertNotEqual(changed, text[at:], old)
                return text[:at] + changed
            name = self.forge("f.json", change)
            self.refused(self.sotto("ledger", "verify", "--ledger", "l", name), PRIVACY,
                         "was not booked")

    def test_what_is_refused(self):
        self.train("--sign", "k")
        self.refused(self.sotto("verify", "m.json"), USAGE, "expected --key FILE")
        self.refused(self.sotto("verify", "m.json", "--key", "k"), USAGE, "this is a secret key")
        self.refused(self.sotto("verify", "m.json", "--key", "d.csv"), USAGE, "not a public key")
        self.refused(self.sotto("verify", "m.json", "--key", "none"), FAILED, "cannot read")
        self.sotto("key", "new", "other", "--quiet")
        result = self.sotto("verify", "m.json", "--key", "other.pub")
        self.refused(result, PRIVACY, "signed by another key")
        self.assertEqual(result.out, b"")
        self.train(name="plain.json")
        self.refused(self.verify(model="plain.json"), PRIVACY, "it is not signed")
        result = self.sotto("train", "d.csv", "--target", "y", "--epsilon", "inf", "--quiet",
                            "--sign", "k", "-o", "exact.json")
        self.assertEqual(result.code, OK, result.err)
        self.refused(self.verify(model="exact.json"), PRIVACY, "NOT PRIVATE")

    def forge(self, name, change):
        """Changes the text of m.json, and makes its checksum fit again."""
        text = change(self.read("m.json"))
        head = text[:text.index(b'"checksum"')]
        self.write(name, head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))
        return name

    def test_a_changed_model_is_not_read(self):
        """By no verb: a smaller epsilon, another weight, another signer, half of a signature."""
        model = self.train("--sign", "k")
        self.sotto("key", "new", "other", "--quiet")
        other = self.read("other.pub").split()[1]
        weight = str(model["weights"][0]).encode()
        for n, (old, new) in enumerate((
                (rb'"epsilon": 0.99999', b'"epsilon": 0.89999'), (re.escape(weight), b"12.5"),
                (rb'"unit": "row"', b'"unit": "rows"'), (rb'"key": "[0-9a-f]+"',
                                                         b'"key": "%s"' % other),
                (rb'"ed25519": "[0-9a-f]{4}', b'"ed25519": "0000'),
                (rb'\n  "rows": [0-9.]+,', b""), (rb'"position": \d+', b'"position": 1'))):
            with self.subTest(old):
                forged = self.forge("f%d.json" % n,
                                    lambda text, old=old, new=new: re.sub(old, new, text, count=1))
                self.assertNotEqual(self.read(forged), self.read("m.json"))
                for verb in (("show", forged), ("predict", forged, "d.csv"),
                             ("evaluate", forged, "d.csv"), ("report", forged, "-o", "p.html"),
                             ("export", forged, "--format", "liblinear", "-o", "l"),
                             ("verify", forged, "--key", "k.pub")):
                    result = self.sotto(*verb)
                    self.refused(result, PRIVACY, "the signature does not fit")
                    self.assertEqual(result.out, b"")
        plain = self.forge("plain.json", lambda text: re.sub(rb'"signature".*\n  ', b"", text))
        self.assertEqual(self.sotto("show", plain).code, OK)  # that it was signed is not known
        self.refused(self.verify(model=plain), PRIVACY, "it is not signed")

    def test_a_key_is_tried_first(self):
        """Before a record is read and anything is spent."""
        os.chmod(self.path("k"), 0o640)
        for key, code, words in (("k", PRIVACY, "others can read it"),
                                 ("none", FAILED, "cannot read"), ("k.pub", USAGE, "public key"),
                                 ("d.csv", PRIVACY, "others can read it")):
            with self.subTest(key):
                result = self.sotto("train", "no-such.csv", *PRIVATE, "--sign", key, "-o", "m.json")
                self.refused(result, code, words)
        self.assertEqual(sorted(os.listdir(self.directory)), ["d.csv", "k", "k.pub"])

    def test_without_a_signature_the_bytes_are_the_same(self):
        seed = ("--insecure-seed", "1")
        self.train(*seed, name="plain.json")
        self.train(*seed, "--sign", "k", name="signed.json")
        plain, signed = (re.sub(rb'"checksum".*', b"", self.read(name))
                         for name in ("plain.json", "signed.json"))
        self.assertEqual(re.sub(rb'"signature".*\n  ', b"", signed), plain)

    def test_names_in_all_scripts(self):
        name = "\u00e9\u6f22\U0001f600 'a' <b> \\ / \u007f"
        self.write("d.csv", name + ",y\n" + "".join("%d,%d\n" % (i % 7, i % 3) for i in range(300)))
        self.train("--sign", "k")
        self.assertEqual(self.verify().code, OK)

    def test_every_solver(self):
        """Reading a signed model compares every byte with what it would write."""
        released.write_data(self.directory)
        cases = [case for case in released.training_cases()
                 if case[0].startswith(("train ", "svmlight ", "npy c8", "no bounds", "rows scaled",
                                        "people", "without noise"))
                 and not re.search(r"replace-one$|zero-out$", case[0])]
        signed = 0
        for name, args in cases:
            at = args.index("--insecure-seed") if "--insecure-seed" in args else len(args)
            args = ["s.json" if a == "{out}" else a for a in (*args[:at], *args[at + 2:])]
            with self.subTest(name):
                result = self.sotto(*args, "--sign", "k", "--quiet")
                if result.code == OK:
                    shown = self.sotto("show", "s.json")
                    self.assertIn(b"\nsignature  by the key", shown.out, shown.err)
                    signed += 1
        self.assertGreater(signed, 100)


if __name__ == "__main__":
    unittest.main()
