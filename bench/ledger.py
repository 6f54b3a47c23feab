#!/usr/bin/python3
"""What bookings cost beside pricing all runs as one list, per solver.

    bench/ledger.py [--build build] [--write]

Each solver plans a run of epsilon 1 and delta 1e-6. Then: what epsilon 1, 10 and 100 such runs come
to at delta 1e-6, priced as one list that was fixed beforehand, and as bookings, with delta0 = delta/10
divided evenly between the runs. Draws of noise are left out of both. --write puts the table into
docs/notes/ledger.md, where nobody types a number.
"""
import argparse
import json
import os
import re
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "notes", "ledger.md")
REGION = re.compile(r"(<!-- numbers: ledger -->\n).*?(<!-- end of numbers -->)", re.DOTALL)
DELTA, RUNS = 1e-6, (1, 10, 100)
SIZE = ["--rows", "2000", "--features", "20", "--undeclared", "rows"]
PENALTY = ["--no-intercept", "--l2", "0.1"]

# name, options of the plan; or name, events as they are
PLANS = [("auto", []), ("newton", []), ("gd", []), ("cd", []), ("ssp", ["--loss", "squared"]),
         ("output", PENALTY), ("objective", PENALTY), ("sgd", []),
         ("sgd", ["--adjacency", "replace-one"]), ("scd", PENALTY), ("svrg", []), ("gcd", []),
         ("gcd", ["--steps", "50"]), ("fw", ["--radius", "10", "--no-intercept"]),
         ("bcfw", ["--radius", "10", "--no-intercept", "--blocks", "5"])]
EVENTS = [("samples with noise below 1", "10000*SUBSAMPLED_GAUSS(0.001, 0.57)"),
          ("choices known by their moments", "ZCDP(0.02435577555780924)")]


class Bench:
    def __init__(self, build):
        self.sotto = os.path.join(build, "sotto")
        self.booking = subprocess.Popen([os.path.join(build, "tests", "booking_cli")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, *words):
        out = subprocess.run([self.sotto, *words, "--json"], capture_output=True, text=True,
                             check=False)
        told = json.loads(out.stdout or out.stderr)
        if "error" in told:
            raise SystemExit(f"{' '.join(words)}: {told['error']['message']}")
        return told

    def ask(self, *words):
        self.booking.stdin.write("\t".join(map(str, words)) + "\n")
        self.booking.stdin.flush()
        line = self.booking.stdout.readline()
        if line.startswith("refused"):
            raise SystemExit(f"{words}: {line}")
        return [float(word) for word in line.split()]

    def plan(self, solver, options):
        loss = [] if "--loss" in options else ["--loss", "logistic"]
        return self.run("plan", "--solver", solver, "--epsilon", "1", "--delta", repr(DELTA), *SIZE,
                        *loss, *options)

    def listed(self, events, adjacency, order, runs):
        """epsilon of so many runs as one list."""
        return self.run("account", "--event", " + ".join([events]*runs), "--adjacency", adjacency,
                        "--delta", repr(DELTA), *(["--in-order"] if order else []))["epsilon"]

    def booked(self, events, adjacency, order, runs, kept):
        """epsilon of so many bookings, this much of delta being kept for all their delta0, and the
        seconds for one booking."""
        start = time.perf_counter()
        mu, _ = self.ask("book", adjacency, int(order), repr(kept/runs), events)
        seconds = time.perf_counter() - start
        return self.ask("epsilon", repr(runs*mu*mu), repr(kept), 0, repr(DELTA))[0], seconds


def event(q, adjacency):
    kind = q["event"]
    if kind == "SUBSAMPLED":  # a level of one record
        suffix = "@add-remove" if adjacency == "replace-one" else ""
        return f"SUBSAMPLED_GAUSS({q['rate']!r}, {1/q['mu']!r}){suffix}"
    level = next(q[name] for name in ("mu", "eta", "epsilon", "rho") if name in q)
    return f"{kind}({level!r})"


def events(statement):
    """The questions of a statement as the accountant is told them."""
    terms, turn = [], []
    for q in statement["questions"]:
        turn.append(event(q, statement["adjacency"]))
        if not q.get("in_turn_with_next"):
            terms.append(f"{q['times']}*({' + '.join(turn)})")
            turn = []
    return " + ".join(terms), statement["adjacency"], statement["order"] == "given"


def row(bench, name, told, kept=DELTA/10):
    cells, slowest = [name], 0
    for runs in RUNS:
        listed = bench.listed(*told, runs)
        booked, seconds = bench.booked(*told, runs, kept)
        slowest = max(slowest, seconds)
        cells.append(f"{listed:.3f} / {booked:.3f}")
    print(" | ".join(cells), f"| {slowest:.2f} s", flush=True)
    return cells


def table(bench):
    rows = []
    for solver, options in PLANS:
        shown = [o for o in options if o in ("--adjacency", "replace-one", "--steps", "50")]
        name = f"`{solver}`" + (f", `{' '.join(shown)}`" if shown else "")
        rows.append(row(bench, name, events(bench.plan(solver, options))))
        if solver == "auto":
            rows.append(row(bench, "`auto`, D0 = 0", events(bench.plan(solver, options)), 0))
    for name, plan in EVENTS:
        rows.append(row(bench, name, (plan, "add-remove", False)))
    head = ["run", *(f"{runs} run{'s' if runs > 1 else ''}" for runs in RUNS)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"]*len(head), *rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    made = table(Bench(arguments.build))
    if arguments.write:
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(REGION.sub(lambda m: m[1] + made + "\n" + m[2], text))
    else:
        print(made)


if __name__ == "__main__":
    main()
