#!/usr/bin/python3
"""released.py --check|--write BUILD: what sotto releases, as hashes.

Every solver, loss, penalty, adjacency, storage and format is run with a fixed
seed: models, predictions, statements, the parties' messages, and the prices of
a few hundred lists. tests/released.json has a hash of each. A refactoring changes
none of them: --check compares and names those that differ. A change that is
meant to alter released bytes writes the file anew (--write), and its commit
says why.

Messages and help are not here: a case that is refused is kept by its exit
code. Hashes are those of x86-64; other machines' libm may differ.
"""

import concurrent.futures
import gzip
import hashlib
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEPT = os.path.join(ROOT, "tests", "released.json")

SOLVERS = ("auto", "newton", "cd", "gcd", "gd", "sgd", "scd", "scd-paper", "scd-seq",
           "scd-primal", "fw", "bcfw", "ssp", "svrg", "output", "objective", "exact")
LOSSES = ("squared", "logistic", "hinge", "squared-hinge", "huber")
ADJACENCIES = ("add-remove", "replace-one", "zero-out")
PENALTIES = {"none": (), "l1": ("--l1", "0.01"), "l2": ("--l2", "0.05"),
             "elastic": ("--l1", "0.01", "--l2", "0.05"), "box": ("--box", "-0.5,0.7")}
CLASSES = ("logistic", "hinge", "squared-hinge")
BUDGET = ("--epsilon", "2", "--delta", "1e-6")
REPLACE = ("--adjacency", "replace-one")
SEED = ("--insecure-seed", "7")
# What some solvers do not start without; a case's own options come first.
DUAL = {"--l2": "0.05", "--no-intercept": None}
NEEDS = {"scd": DUAL, "scd-primal": DUAL, "scd-paper": {**DUAL, "--rows": "400"},
         "scd-seq": {**DUAL, "--rows": "400", "--adjacency": "replace-one"},
         "fw": {"--radius": "2", "--intercept-radius": "1"},
         "bcfw": {"--blocks": "2", "--radius": "1", "--intercept-radius": "1"},
         "output": {**DUAL, "--rows": "400"},
         "objective": {**DUAL, "--rows": "400"}}


# ---- data, the same everywhere ----

def records(count=400, features=6, seed=3):
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        x = [round(draw.random() * 2 - 1, 4) for _ in range(features)]
        y = round(max(-1, min(1, .5 * x[0] - .3 * x[1] + .2 * (draw.random() - .5))), 4)
        rows.append((i % 150, x, y, "yes" if y > .02 else "no", round(draw.random(), 3)))
    return rows


def csv(rows, target):
    names = [f"x{j + 1}" for j in range(len(rows[0][1]))]
    lines = [",".join(["who", *names, "y", "w"])]
    for who, x, number, word, weight in rows:
        y = word if target == "class" else number
        lines.append(",".join(map(str, [f"p{who}", *x, y, weight])))
    return ("\n".join(lines) + "\n").encode()


def svmlight(rows, target):
    lines = []
    for _, x, number, word, _ in rows:
        y = (1 if word == "yes" else -1) if target == "class" else number
        entries = " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if abs(v) > .4)
        lines.append(f"{y} {entries}")
    return ("\n".join(lines) + "\n").encode()


def npy(rows, kind, fortran, target):
    table = [[*x, (1 if word == "yes" else -1) if target == "class" else number]
             for _, x, number, word, _ in rows]
    values = [v for row in (zip(*table) if fortran else table) for v in row]
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }" % (
        kind, fortran, len(table), len(table[0]))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    code = {"4": "f", "8": "d"}[kind[-1]]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
            struct.pack(f"<{len(values)}{code}", *values))


def schema(features, target, bounds=True, who="drop", weights=False, last="y"):
    number = {"type": "number"}
    if bounds:
        number["bounds"] = [-1, 1]
    columns = {f"x{j + 1}": dict(number) for j in range(features)}
    if bounds and features > 2:
        columns["x2"] = {"type": "number", "bounds": [-2, 3], "missing": .5}
    columns[last] = {"type": "target"}
    if target == "class":
        columns[last]["classes"] = ["no", "yes"]
    elif bounds:
        columns[last]["bounds"] = [-1, 1]
    columns["who"] = {"type": who}
    columns["w"] = {"type": "weight", "bounds": [0, 1]} if weights else {"type": "drop"}
    return json.dumps({"sotto_schema": 1, "columns": columns}).encode()


PARTIES = {
    "sotto_parties": 1,
    "target": {"name": "y", "bounds": [-1, 1], "party": "bank"},
    "rounds": 30, "buckets": 64, "seed": 5,
    "parties": [
        {"name": "bank", "radius": 1, "cap": 2,
         "columns": {"x1": {"type": "number", "bounds": [-1, 1]},
                     "x2": {"type": "number", "bounds": [-2, 3], "missing": 0}}},
        {"name": "clinic", "radius": .5, "cap": 2, "constant": 1,
         "columns": {"x3": {"type": "number", "bounds": [-1, 1]}}}]}


def parties():
    """(name, agreement, more options)"""
    known = json.loads(json.dumps(PARTIES))
    known["labels"] = "known"
    known["target"].pop("party")
    schedule = dict(PARTIES, schedule="uniform", split=[.2, .35, .45])
    yield "private labels", PARTIES, BUDGET
    yield "known labels", known, BUDGET
    yield "split", schedule, BUDGET
    yield "much budget", PARTIES, ("--epsilon", "10", "--delta", "1e-8")


def write_data(folder):
    small = records()
    for target in ("class", "number"):
        content = {f"{target}.csv": csv(small, target),
                   f"{target}.csv.gz": gzip.compress(csv(small, target), 1),
                   f"{target}.svm": svmlight(small, target),
                   f"{target}-c8.npy": npy(small, "<f8", False, target),
                   f"{target}-f8.npy": npy(small, "<f8", True, target),
                   f"{target}-c4.npy": npy(small, "<f4", False, target),
                   f"{target}-wide.csv": csv(records(120, 150, 9), target),
                   f"{target}.json": schema(6, target),
                   f"{target}-unbounded.json": schema(6, target, bounds=False),
                   f"{target}-people.json": schema(6, target, who="unit"),
                   f"{target}-weighted.json": schema(6, target, weights=True),
                   f"{target}-wide.json": schema(150, target)}
        for name, text in content.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
    with open(os.path.join(folder, "smoothness.txt"), "w", encoding="utf-8") as file:
        file.write("".join(f"{.3 + .1 * j}\n" for j in range(7)))
    for name, agreement, _ in parties():
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(agreement, file)


# ---- cases: a name and a command; {out} is a file that it writes ----

def of(loss):
    """The file and what has to be said of it."""
    target = "class" if loss in CLASSES else "number"
    return target, (f"{target}.csv", "--schema", f"{target}.json", "--loss", loss)


def needs(solver, given):
    """What the solver needs and the options that are given do not say."""
    pairs = NEEDS.get(solver, {}).items()
    return [word for pair in pairs if pair[0] not in given for word in pair if word]


def train(solver, loss, *more, data=None):
    if (solver, loss) == ("output", "squared") and "--clip" not in more:
        more = (*more, "--clip", "1")
    if (solver, loss) == ("sgd", "hinge"):
        more = (*more, "--clip", "1", "--smoothness", "smoothness.txt")
    private = BUDGET if solver != "exact" and "--epsilon" not in more else ()
    seed = SEED if solver != "exact" else ()
    return ("train", *(data or of(loss)[1]), "--solver", solver, *private,
            *needs(solver, more), *seed, *more, "-o", "{out}")


def training_cases():
    for solver, loss, adjacency in itertools.product(SOLVERS, LOSSES, ADJACENCIES):
        if solver == "exact" and adjacency != "add-remove":
            continue
        more = ("--adjacency", adjacency) if solver != "exact" else ()
        yield f"train {solver} {loss} {adjacency}", train(solver, loss, *more)
    for solver, penalty in itertools.product(SOLVERS, PENALTIES):
        for loss in ("squared", "logistic"):
            yield f"penalty {solver} {loss} {penalty}", train(solver, loss, *PENALTIES[penalty])
    for solver in SOLVERS:
        yield f"people {solver}", train(
            solver, "squared", "--rows-per-person", "2",
            data=("number.csv", "--schema", "number-people.json", "--loss", "squared"))
        yield f"weights {solver}", train(
            solver, "logistic",
            data=("class.csv", "--schema", "class-weighted.json", "--loss", "logistic"))
        yield f"rows declared {solver}", train(solver, "huber", "--rows", "400")
        yield f"without noise {solver}", train(solver, "logistic", "--epsilon", "inf")
        yield f"no bounds {solver}", train(
            solver, "squared",
            data=("number.csv", "--schema", "number-unbounded.json", "--loss", "squared"))
        yield f"rows scaled {solver}", train(
            solver, "logistic", "--undeclared", "rows",
            data=("class.csv", "--schema", "class-unbounded.json", "--loss", "logistic"))
        yield f"wide {solver}", train(
            solver, "squared",
            data=("number-wide.csv", "--schema", "number-wide.json", "--loss", "squared"))
        yield f"large epsilon {solver}", train(solver, "squared", "--epsilon", "9", "--delta", "1e-9")
    yield from storage_cases()
    yield from option_cases()


def storage_cases():
    for solver, target in itertools.product(SOLVERS, ("class", "number")):
        loss = "logistic" if target == "class" else "squared"
        sparse = (f"{target}.svm", "--features", "6", "--loss", loss)
        yield f"svmlight {solver} {loss}", train(solver, loss, "--smoothness", "smoothness.txt",
                                                 data=sparse)
        yield f"svmlight plain {solver} {loss}", train(solver, loss, data=sparse)
        for form in ("c8", "f8", "c4"):
            yield f"npy {form} {solver} {loss}", train(
                solver, loss, "--undeclared", "rows",
                data=(f"{target}-{form}.npy", "--target", "7", "--loss", loss))
    for solver in SOLVERS:
        yield f"gzip {solver}", train(
            solver, "squared", data=("number.csv.gz", "--schema", "number.json", "--loss", "squared"))
        yield f"scalar one thread {solver}", train(solver, "logistic", "--isa", "scalar",
                                                   "--threads", "1")


def option_cases():
    """Settings that only some solvers have."""
    for solver, more in (
            ("cd", ("--rounds", "3", "--steps", "20", "--order", "uniform")),
            ("cd", ("--order", "cyclic", "--average", "0", "--clip", "0.7")),
            ("cd", ("--calibration", "rdp", *REPLACE)), ("cd", ("--calibration", "theorem", "--epsilon", "0.9", "--delta", "1e-6", *REPLACE)),
            ("cd", ("--calibration", "paper", *REPLACE)), ("gcd", ("--calibration", "paper", "--steps", "9", *REPLACE)),
            ("gcd", ("--calibration", "theorem", "--epsilon", "0.9", "--delta", "1e-6",
                     "--steps", "9", *REPLACE)),
            ("gcd", ("--rule", "gs-s", "--steps", "12")), ("gcd", ("--rule", "gs-r", "--steps", "12")),
            ("gcd", ("--rule", "gs-q", "--steps", "12", "--selection-share", "0.3")),
            ("gd", ("--steps", "15", "--momentum", "0.5", "--decay", "0.1", "--average", "0.2")),
            ("gd", ("--step-size", "0.3", "--clip", "0.5", "--smoothness", "private:0.2")),
            ("sgd", ("--steps", "40", "--batch-rate", "0.1", "--momentum", "0.3")),
            ("sgd", ("--passes", "3", "--batch-rate", "1")),
            ("svrg", ("--rounds", "3", "--steps", "8", "--difference-clip", "0.2")),
            ("scd", ("--passes", "4", "--batch-rate", "0.05", "--norm-bound", "0.8")),
            ("scd", ("--steps", "30", "--average", "0.3", "--clip", "0.2")),
            ("scd-seq", ("--batch-rate", "0.1", "--passes", "2")),
            ("fw", ("--steps", "11", "--clip", "0.6")), ("fw", ("--rows", "400")),
            ("bcfw", ("--steps", "11", "--sampling", "all")),
            ("bcfw", ("--steps", "11", "--sampling", "nice:2", "--candidates", "2")),
            ("auto", ("--path", "dense")), ("auto", ("--path", "select")),
            ("auto", ("--path", "wide")), ("auto", ("--path", "intercept")),
            ("auto", ("--penalty-units", "file", "--l2", "0.05")),
            ("ssp", ("--clip", "1.5")), ("output", ("--norm-bound", "0.9")),
            ("objective", ("--norm-bound", "0.9"))):
        for loss in ("squared", "logistic"):
            yield f"options {solver} {loss} {' '.join(more)}", train(solver, loss, *more)


def plan_cases():
    """The statements that models would have."""
    for solver, adjacency, epsilon in itertools.product(SOLVERS[:-1], ADJACENCIES, ("0.3", "4")):
        loss = "logistic" if solver == "objective" else "squared"
        for rows in ((), ("--rows", "2000")):
            given = ("--adjacency", adjacency, *rows)
            yield f"plan {solver} {adjacency} {epsilon} {' '.join(rows)}", (
                "plan", "--features", "12", "--loss", loss, "--solver", solver, "--epsilon", epsilon,
                "--delta", "1e-6", *given, *needs(solver, given))
    for solver in SOLVERS[:-1]:
        yield f"plan people {solver}", (
            "plan", "--schema", "number-people.json", "--loss", "squared", "--solver", solver,
            "--rows-per-person", "3", *BUDGET, *needs(solver, ()))


def price_cases():
    """Lists of every kind of event, priced by every method."""
    draw = random.Random(11)

    def number(low, high):
        return f"{low * (high / low) ** draw.random():.4g}"

    def event(sampled=True):
        return draw.choice((lambda: f"GAUSS({number(.005, .5)})",
                            lambda: f"LAPLACE({number(.005, .3)})",
                            lambda: f"PURE({number(.005, .2)})",
                            lambda: (f"SUBSAMPLED_GAUSS({number(.01, .6)},{number(.8, 6)})" if sampled
                                     else f"GAUSS({number(.01, .1)})"),
                            lambda: f"RANGE({number(.01, .4)})",
                            lambda: f"ZCDP({number(.001, .1)})"))()

    for n in range(240):
        adjacency = ADJACENCIES[n % 3]
        text = "+".join(f"{draw.randint(1, 40)}*{event(n % 3 != 1)}" for _ in range(draw.randint(1, 4)))
        if n % 4 == 0:
            text = f"{draw.randint(2, 9)}*({text})"
        asked = ("--delta", number(1e-9, 1e-3)) if n % 2 else ("--epsilon", number(.1, 5))
        order = ("--in-order",) if n % 5 < 2 else ()
        draws = ("--draws", "100000") if n % 7 == 0 else ()
        yield f"price {n}", ("account", "--event", text, "--adjacency", adjacency, *asked, *order,
                             *draws, "--json")
        if n % 3 == 1 and n < 40:
            yield f"sampled pair {n}", (
                "account", "--event", f"{n}*SUBSAMPLED_GAUSS(.05,{number(1, 5)})@add-remove",
                "--adjacency", "replace-one", *asked, "--json")
    for n, (text, epsilon) in enumerate(itertools.product(
            ("T*GAUSS(1/z)", "T*(RANGE(2/z)+GAUSS(1/z))", "T*SUBSAMPLED_GAUSS(0.05,z)",
             "GAUSS(0.1)+T*LAPLACE(1/z)", "T*PURE(1/z)+ZCDP(1/z/z)"), (".2", "1", "4"))):
        yield f"calibrate {n}", ("account", "--calibrate", text, "--set", "T=50", "--epsilon", epsilon,
                                 "--delta", "1e-6", "--adjacency", ADJACENCIES[n % 3], "--json")
    for n in range(12):
        sampled = n % 3 != 1
        yield f"curve {n}", ("account", "--event", f"{n + 1}*{event(sampled)}+{event(sampled)}",
                             "--delta", "1e-6",
                             "--adjacency", ADJACENCIES[n % 3], "--curve", "--json")
        yield f"repeat {n}", ("account", "--event", f"{n + 1}*{event(sampled)}", "--delta", "1e-6",
                              "--adjacency", ADJACENCIES[n % 3], "--repeat", "5", "--json")


def party_cases():
    for name, _, more in parties():
        yield f"federate {name}", ("federate", "simulate", "number.csv", "--columns",
                                   f"{name}.json", *more, *SEED, "--json", "-o", "{out}")
    for name in ("number", "class"):
        yield f"schema {name}", ("schema", f"{name}.csv", "--target", "y", "-o", "{out}")
    for shape in ("sparse-lasso", "square", "log1", "log2", "zipf-heavy", "zipf-flat"):
        yield f"generate {shape}", ("generate", shape, "--rows", "50", "--features", "8",
                                    "-o", "{out}.csv")


def use_cases(model, loss):
    """What is made of a model that was trained."""
    data = of(loss)[1][0]
    yield "predict", ("predict", model, data)
    yield "scores", ("predict", model, data, "--scores")
    if loss == "logistic":
        yield "proba", ("predict", model, data, "--proba")
    yield "evaluate", ("evaluate", model, data, "--json", "--quiet")
    yield "liblinear", ("export", model, "--format", "liblinear", "-o", "-")


# ---- running ----

class Runner:
    def __init__(self, build, folder):
        self.program = os.path.abspath(os.path.join(build, "sotto"))
        self.folder = folder

    def run(self, command, out):
        words = [word.replace("{out}", out) for word in command]
        done = subprocess.run([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=600,
                              env=dict(os.environ, LC_ALL="C"))
        return done.returncode, done.stdout

    def digest(self, case):
        name, command = case
        out = hashlib.sha256(name.encode()).hexdigest()[:16] + ".json"
        code, said = self.run(command, out)
        if code:
            return name, {"": f"exit {code}"}
        result = {}
        written = [entry for entry in (out, out + ".csv") if os.path.exists(self.path(entry))]
        for entry in written:
            with open(self.path(entry), "rb") as file:
                result[""] = sha(file.read())
        if not written or name.startswith("federate"):
            result["said"] = sha(said.replace(out.encode(), b"OUT"))
        if name.startswith("train "):
            for use, what in use_cases(out, name.split()[2]):
                code, said = self.run(what, "")
                result[use] = sha(said) if code == 0 else f"exit {code}"
        for entry in written:
            os.remove(self.path(entry))
        return name, result

    def path(self, name):
        return os.path.join(self.folder, name)


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


def all_hashes(build):
    cases = [*training_cases(), *plan_cases(), *price_cases(), *party_cases()]
    hashes = {}
    with tempfile.TemporaryDirectory(prefix="sotto-released-") as folder:
        write_data(folder)
        runner = Runner(build, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, result in pool.map(runner.digest, cases):
                for part, value in result.items():
                    hashes[f"{name}: {part}" if part else name] = value
    return hashes


def compare(hashes):
    with open(KEPT, encoding="utf-8") as file:
        kept = json.load(file)
    names = sorted(set(kept) | set(hashes))
    different = [name for name in names if kept.get(name) != hashes.get(name)]
    for name in different[:20]:
        print(f"differs: {name}: {kept.get(name, 'was not there')}, now "
              f"{hashes.get(name, 'is not there')}")
    print(f"{len(names) - len(different)} of {len(names)} are the same")
    return 1 if different else 0


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("--check", "--write"):
        sys.exit(__doc__.splitlines()[0])
    hashes = all_hashes(sys.argv[2])
    if sys.argv[1] == "--check":
        sys.exit(compare(hashes))
    with open(KEPT, "w", encoding="utf-8") as file:
        json.dump(hashes, file, indent=0, sort_keys=True)
        file.write("\n")
    refused = sum(value.startswith("exit") for value in hashes.values())
    print(f"{len(hashes)} hashes, {refused} of them of cases that are refused")


if __name__ == "__main__":
    main()
