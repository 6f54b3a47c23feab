#!/usr/bin/python3
"""kills.py [KILLS]: a rank of sotto-mpi is killed at 50 places of a training, and at 20 each of a
private evaluation, of one that is not for release, and of a prediction; what holds is counted.

Half of the places and more are calls of Open MPI (hook.c): the first ones, where ranks compare,
plan and wait for the booking, and others up to the last. The others are times. After each kill the
job has to end within a limit, with one line and a code that is not 0; no rank may be left; what it
writes or prints is whole or not there; and the ledger has the charge of a private run if a rank may
have read a record, or if there is a result. mpirun passes lines on, and seldom ends before it has.
Seldom it waits for ever, with no rank left, if one is killed while Open MPI starts. Such a place is
tried once more, which is counted.

Results go to build/mpi-kills.json one by one. A run that was interrupted goes on, as long as the
program is the same.
"""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(os.environ.get("SOTTO") or
                          os.path.join(HERE, "..", "..", "build", "sotto"))
RESULTS = os.path.join(os.path.dirname(PROGRAM), "mpi-kills.json")
RANKS, LIMIT, FIRST = 3, 60, 14  # seconds; calls that are all tried
MPIRUN = ["mpirun", "--oversubscribe", "-q", "-n", str(RANKS)]
if os.geteuid() == 0:
    MPIRUN.insert(1, "--allow-run-as-root")
PRIVATE = ["--epsilon", "1", "--delta", "1e-6", "--quiet", "--ledger", "ledger.db", "--dataset",
           "rows"]
# what is run, what it writes (None: it prints), and whether it is charged
JOBS = {
    "evaluate --epsilon": (["evaluate", "first.json", "rows.csv", *PRIVATE, "-o",
                            "evaluation.json"], "evaluation.json", True),
    "evaluate": (["evaluate", "first.json", "rows.csv", "--json"], None, False),
    "predict": (["predict", "first.json", "rows.csv", "--scores", "-o", "answers.csv"],
                "answers.csv", False),
    "train": (["train", "rows.csv", "--schema", "schema.json", "--loss", "logistic", "--solver",
               "cd", "--passes", "4000", *PRIVATE, "-o", "model.json"], "model.json", True)}
PRINTED = "printed"


def state_of_program():
    digest = hashlib.sha256()
    folder = os.path.dirname(PROGRAM)
    names = [name for name in os.listdir(folder) if name.startswith("libsotto.so.")]
    for name in sorted(names) + ["sotto-mpi"]:
        if os.path.isfile(os.path.join(folder, name)):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(file.read())
    with open(os.path.abspath(__file__), "rb") as file:
        digest.update(file.read())
    return digest.hexdigest()


class Place:
    """A folder with records and a ledger, where one job runs at a time."""

    def __init__(self, folder):
        self.folder = folder
        chance = random.Random(3)
        with open(self.path("rows.csv"), "w", encoding="utf-8") as file:
            file.write("a,b,c,d,y\n")
            for _ in range(60000):
                x = [chance.uniform(-1, 1) for _ in range(4)]
                file.write(",".join(f"{v:.6f}" for v in x) + f",{int(x[0] > x[1])}\n")
        columns = {name: {"type": "number", "bounds": [-1, 1]} for name in "abcd"}
        columns["y"] = {"type": "target", "classes": ["0", "1"]}
        with open(self.path("schema.json"), "w", encoding="utf-8") as file:
            json.dump({"sotto_schema": 1, "columns": columns}, file)
        self.sotto("ledger", "create", "--ledger", "ledger.db", "--dataset", "rows", "--epsilon",
                   "inf", "--delta", "1e-2")
        self.sotto("train", "rows.csv", "--schema", "schema.json", "--loss", "logistic",
                   "--epsilon", "1", "--delta", "1e-6", "--ledger", "none", "--quiet", "-o",
                   "first.json")
        self.usual_result = {}
        self.hook = self.path("hook.so")
        subprocess.run(["mpicc", "-shared", "-fPIC", "-O1", "-o", self.hook,
                        os.path.join(HERE, "hook.c"), "-ldl"], check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def sotto(self, *args):
        return subprocess.run([PROGRAM, *args], cwd=self.folder, check=True, capture_output=True,
                              text=True).stdout

    def charges(self):
        one, = json.loads(self.sotto("ledger", "list", "--ledger", "ledger.db",
                                     "--json"))["datasets"]
        return one["charges"]

    def take(self, name):
        """Whether there was such a file, which is then gone."""
        there = os.path.exists(self.path(name))
        if there:
            os.remove(self.path(name))
        return there

    def start(self, job, rank, at):
        environment = dict(os.environ, KILL_RANK=str(rank), KILL_AT=str(at),
                           KILL_READ=self.path("read"), KILL_DONE=self.path("done"),
                           KILL_CALLS=self.path("calls"))
        with open(self.path(PRINTED), "wb") as out:
            return subprocess.Popen(MPIRUN + ["-x", f"LD_PRELOAD={self.hook}", PROGRAM + "-mpi"] +
                                    JOBS[job][0], cwd=self.folder, env=environment,
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                    text=True)

    def result(self, job):
        """What it wrote or printed, which is then gone; None: nothing."""
        name = JOBS[job][1] or PRINTED
        if not os.path.exists(self.path(name)):
            return None
        with open(self.path(name), "rb") as file:
            found = file.read()
        os.remove(self.path(name))
        return found or (b"" if JOBS[job][1] else None)

    def is_whole(self, job, found):
        """Private results differ from run to run by their noise; others are those of one process.
        """
        if not JOBS[job][2]:
            return found == self.usual_result[job]
        try:
            return "privacy" in json.loads(found)
        except ValueError:
            return False

    def usual(self, job):
        """How long a run takes, and how many calls of Open MPI the last rank makes."""
        begun = time.monotonic()
        started = self.start(job, 0, 0)
        told = started.communicate(timeout=10 * LIMIT)[1]
        found = self.result(job)
        if started.returncode or not found or not self.take("read"):
            sys.exit(f"kills: a run without a kill failed: {told}")
        self.usual_result[job] = found
        if not JOBS[job][2]:
            arguments = [word for word in JOBS[job][0] if word not in ("-o", JOBS[job][1])]
            if self.sotto(*arguments).encode() != found:
                sys.exit(f"kills: {job}: not what one process says")
        with open(self.path("calls"), encoding="utf-8") as file:
            return time.monotonic() - begun, int(file.read().split()[0])

    def kill(self, what, rank, at, seconds):
        """One kill, by the number of a call or after some seconds; what came of it."""
        for name in ("read", "done", JOBS[what][1] or PRINTED):
            self.take(name)
        before, files = self.charges(), set(os.listdir(self.folder))
        job = self.start(what, rank, at or 0)
        pids, struck = [], False
        if seconds is not None:
            while job.poll() is None and len(ranks_of(job.pid)) < RANKS:
                time.sleep(.01)
            time.sleep(seconds)
            pids = ranks_of(job.pid)
            struck = len(pids) == RANKS
            if struck:
                os.kill(pids[rank], signal.SIGKILL)
        begun = time.monotonic()
        while job.poll() is None and time.monotonic() - begun < LIMIT:
            pids = ranks_of(job.pid) or pids
            time.sleep(.02)
        ended = job.poll() is not None
        hung = not ended and any(map(is_running, pids))
        if not ended:
            for pid in filter(is_running, pids):
                os.kill(pid, signal.SIGKILL)
            job.kill()
        while any(map(is_running, pids)) and time.monotonic() - begun < LIMIT:
            time.sleep(.02)
        told = job.communicate()[1].splitlines()
        struck |= self.take("done")
        found = self.result(what)
        read = self.take("read")
        left = sorted(set(os.listdir(self.folder)) - files - {"calls", PRINTED})
        return {"job": what, "rank": rank, "call": at, "seconds": seconds, "struck": struck,
                "ended": ended, "hung": hung, "took": round(time.monotonic() - begun, 2),
                "code": job.returncode, "lines": told,
                "left": sum(map(is_running, pids)), "charges": self.charges() - before,
                "read": read, "result": found is not None, "files": left,
                "whole": found is None or self.is_whole(what, found)}


def ranks_of(pid):
    """The processes of a job, by their rank: mpirun starts them in that order."""
    done = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,comm="], capture_output=True,
                          text=True, check=False)
    return sorted(int(line.split()[0]) for line in done.stdout.splitlines()
                  if line.split()[1] == "sotto-mpi")


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            name, state = file.read().rsplit(")", 1)
            return "(sotto-mpi" in name and state.split()[0] != "Z"  # nobody waits for it
    except OSError:
        return False


def faults_of(one):
    """What does not hold; nothing: all is well."""
    faults = []
    if one["hung"] or one["left"]:
        faults.append("a rank was left")
    elif not one["ended"]:
        faults.append("mpirun was left")
    charged = JOBS[one["job"]][2]
    if one["charges"] not in ((0, 1) if charged else (0,)):
        faults.append(f"charged {one['charges']} times")
    if charged and (one["read"] or one["result"]) and one["charges"] != 1:
        faults.append("read or released without a charge")
    if not one["whole"]:
        faults.append("a part of a result")
    if one["struck"] and not one["result"]:
        if one["code"] == 0:
            faults.append("the code is 0")
        # by time the kill may come before Open MPI has started all ranks
        least = 1 if one["charges"] or one["read"] or one["call"] else 0
        if not least <= len(one["lines"]) <= 1:
            faults.append(f"{len(one['lines'])} lines")
    return faults


def places(kills, seconds, calls):
    """Ranks and calls, then ranks and times. Of a job with few calls most places are calls, from
    the first to the last; of one with many, half of them: the first ones, then some up to the
    last."""
    chance = random.Random(29)
    few = calls <= 10 * kills
    by_call = kills * 4 // 5 if few else kills // 2
    if few:
        numbers = [1 + i * (calls - 1) // (by_call - 1) for i in range(by_call)]
    else:
        numbers = [i + 1 if i < FIRST else int(FIRST * (calls / FIRST) ** chance.random())
                   for i in range(by_call)]
    out = [(chance.randrange(RANKS), number, None) for number in numbers]
    while len(out) < kills:
        part = (len(out) - by_call + .5) / (kills - by_call)
        out.append((chance.randrange(RANKS), None, round(part * .8 * seconds, 3)))
    return out


def read(state):
    try:
        with open(RESULTS, encoding="utf-8") as file:
            known = json.load(file)
        if known["state"] == state:
            return known
    except (OSError, ValueError, KeyError):
        pass
    return {"state": state, "ranks": RANKS, "kills": []}


def write(known):
    with open(RESULTS + ".new", "w", encoding="utf-8") as file:
        json.dump(known, file, indent=1)
    os.replace(RESULTS + ".new", RESULTS)


def work(here, known, job, kills):
    """What is left of one kind of job."""
    done = [one for one in known["kills"] if one["job"] == job]
    if len(done) >= kills:
        return
    seconds, calls = here.usual(job)
    for place in places(kills, seconds, calls)[len(done):]:
        one = here.kill(job, *place)
        one["faults"] = faults_of(one)
        for fault in (["0 lines"], ["mpirun was left", "0 lines"], ["mpirun was left"]):
            if one["faults"] == fault:  # what mpirun may do by itself
                one = dict(here.kill(job, *place), before=fault)
                one["faults"] = faults_of(one)
                break
        known["kills"].append(one)
        write(known)
        if one["faults"]:
            print(f"kills: {one}", file=sys.stderr)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    known = read(state_of_program())
    folder = tempfile.mkdtemp(prefix="sotto-kills-")
    try:
        here = Place(folder)
        for job in JOBS:
            work(here, known, job, kills if job == "train" else max(5, kills * 2 // 5))
    finally:
        shutil.rmtree(folder)
    for job in JOBS:
        done = [one for one in known["kills"] if one["job"] == job]
        count = {key: sum(bool(one[key]) for one in done)
                 for key in ("struck", "charges", "read", "result", "faults")}
        again = [one["before"] for one in done if "before" in one]
        print(f"{job}: {len(done)} places: {count['struck']} kills, {count['charges']} runs "
              f"charged, {count['read']} had read, {count['result']} had a result, the slowest "
              f"took {max(one['took'] for one in done)} s; {len(again)} done again {again}; "
              f"{sum(len(one['files']) for one in done)} other files left; {count['faults']} with "
              "faults")
    return 1 if any(one["faults"] for one in known["kills"]) else 0


if __name__ == "__main__":
    sys.exit(main())
