#!/usr/bin/python3
"""The whole bench: every measurement, one after the other, and the page about them.

    bench/bench.py [--build BUILD] [--quick] [--only NAME,...]

What a case found is BUILD/bench/CASE.json (quick: BUILD/bench-quick/CASE.json): its rows, the
machine's bandwidth before and after it, and what others did meanwhile. A case that is there for the
same commit and the same library is not run again, so an interrupted bench goes on. In the end
bench/speed.py writes the page and the report from these files; docs/speed.md when all are there.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import machine
from files import BenchError, main_of, rival_python, run

HERE = pathlib.Path(__file__).resolve().parent
BANDWIDTH_SECONDS = .1   # for each level and number of threads, around each case
LONGER = .5              # at the beginning and at the end
SYSTEM = "/usr/bin/python3"


@dataclasses.dataclass
class Case:
    """A script with its words; `quick` are those of a quick run, `rival` says which Python."""

    name: str
    words: list
    quick: list
    rival: bool = False


def exact(name, prefix, quick=None):
    return Case("exact-" + name, ["exact.py", "--rounds", "3", prefix],
                ["exact.py", "--rounds", "1", prefix] if quick else [], rival=True)


CASES = [
    *(Case("end-" + name, ["end.py", name], ["end.py", "--quick", name])
      for name in ("electricity", "adult", "large", "sparse")),
    *(Case("growth-" + name, ["growth.py", name], ["growth.py", "--quick", "--rounds", "1", name])
      for name in ("rows", "features", "nonzeros", "steps", "threads")),
    Case("read", ["read.py", "--rounds", "5"], ["read.py", "--rounds", "2", "--part", "10"]),
    exact("electricity", "electricity", quick=True),
    exact("a9a", "a9a"),
    exact("dorothea", "dorothea"),
    exact("sparse-l1", "zipf 1e5 x 1e5, logistic, l1"),
    exact("sparse-l2", "zipf 1e5 x 1e5, logistic, l2"),
    exact("sparse-lasso", "zipf 1e5 x 1e5, squared"),
    exact("large", "large"),
    Case("kernel", ["kernel.py", "--share", "0.5"], ["kernel.py", "--share", "0.1", "--quick"]),
    Case("gcd", ["gcd.py"], ["gcd.py", "--quick"]),
    Case("noise", ["noise.py"], ["noise.py", "--rounds", "5"]),
    Case("account", ["account.py"], ["account.py"], rival=True),
]


# ---- what a result belongs to ----


def commit_of():
    """The commit, or "unknown" outside of a repository."""
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=12", "HEAD"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def stamp_of(build):
    """The commit, and the library as it was built: a change that is not committed counts."""
    library = hashlib.sha256((build / "libsotto.so").read_bytes()).hexdigest()[:16]
    return {"commit": commit_of(), "library": library}


def is_done(path, stamp):
    """Whether the case was measured for this stamp."""
    if not path.exists():
        return False
    return json.loads(path.read_text(encoding="utf-8"))["stamp"] == stamp


def is_complete(folder, stamp):
    """Whether every case is there: docs/speed.md is written from all of them, or not at all."""
    return all(is_done(folder / (case.name + ".json"), stamp) for case in CASES)


def write_whole(path, value):
    """Never half a file."""
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    os.replace(new, path)


# ---- the machine ----


def bandwidth(build, seconds):
    return machine.measure(build / "bench" / "bench_bandwidth", seconds,
                           min(2, len(os.sched_getaffinity(0))))


def processor():
    """Its name, as Linux has it."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def processor_seconds():
    """(of all processes since the start of the machine, of this one and its children)."""
    first = pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
    user, nice, system, _, _, irq, softirq, steal = map(int, first[1:9])
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return busy, sum(os.times()[:4])


def used_by_others(before, after, seconds):
    """How many processors' worth of work others did, on average."""
    return max(0.0, (after[0] - before[0] - (after[1] - before[1])) / max(seconds, 1e-9))


# ---- running ----


def run_script(case, build, quick, path):
    """Runs the case's script, shows what it prints, and gives (its rows, lines of what it skipped)."""
    script, *more = case.quick if quick else case.words
    python = rival_python(build) if case.rival else SYSTEM
    path.unlink(missing_ok=True)
    skipped = []
    with subprocess.Popen([python, HERE / script, "--build", build, "--json", path, *more],
                          stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}) as child:
        for line in child.stdout:
            print("  " + line, end="", flush=True)
            if line.startswith("skipped: "):
                skipped.append(line.removeprefix("skipped: ").strip())
    if child.returncode:
        raise BenchError(f"{script} ended with status {child.returncode}")
    rows = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [json.loads(row) for row in rows], skipped


def run_case(case, build, quick, folder, stamp):
    """Measures a case between two measurements of the machine, and keeps what was found."""
    before, load = bandwidth(build, BANDWIDTH_SECONDS), machine.load()
    used, began = processor_seconds(), time.monotonic()
    rows, skipped = run_script(case, build, quick, folder / "rows.new")
    seconds = time.monotonic() - began
    others = used_by_others(used, processor_seconds(), seconds)
    found = {"case": case.name, "stamp": stamp, "quick": quick, "seconds": round(seconds, 1),
             "before": before, "after": bandwidth(build, BANDWIDTH_SECONDS), "load_before": load,
             "load_after": machine.load(), "others": round(others, 2), "skipped": skipped,
             "rows": rows}
    write_whole(folder / (case.name + ".json"), found)
    word = machine.noise(found)
    print(f"{case.name}: {seconds:.0f} s{', NOISY: ' + word if word else ''}", flush=True)


def run_cases(cases, build, quick, folder, stamp):
    """Runs those that are not done; a quick run has fewer."""
    for case in cases:
        if quick and not case.quick:
            continue
        if is_done(folder / (case.name + ".json"), stamp):
            print(f"{case.name}: done before, for this commit")
        else:
            print(case.name, flush=True)
            run_case(case, build, quick, folder, stamp)


def chosen(names):
    """The cases of these names, and of those that begin with them; all without."""
    if not names:
        return CASES
    found = [case for case in CASES if case.name.startswith(tuple(names.split(",")))]
    if not found:
        raise BenchError(f"no such case; there are {', '.join(case.name for case in CASES)}")
    return found


def main():
    parser = argparse.ArgumentParser(description="the whole bench")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--only", help="these cases, or those whose names begin so")
    given = parser.parse_args()
    build = given.build.resolve()
    folder = build / ("bench-quick" if given.quick else "bench") / "cases"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = stamp_of(build)
    about = {"case": "machine", "stamp": stamp, "quick": given.quick, "processor": processor(),
             "processors": len(os.sched_getaffinity(0)), "begin": bandwidth(build, LONGER),
             "load_begin": machine.load()}
    run_cases(chosen(given.only), build, given.quick, folder, stamp)
    write_whole(folder / "machine.json", {**about, "end": bandwidth(build, LONGER),
                                          "load_end": machine.load()})
    whole = not given.quick and is_complete(folder, stamp)
    print(run([SYSTEM, HERE / "speed.py", folder, *(("--write",) if whole else ())]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))
