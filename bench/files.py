"""What the benchmarks share: where the programs are, how files are made and lines written."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


class BenchError(Exception):
    """The benchmark cannot go on; the message is one line for the user."""


def add_program_options(parser):
    """Adds --build, --sotto and --bench-read."""
    parser.add_argument("--build", metavar="DIR", default="build",
                        help="the build that both programs are taken from [default: build]")
    parser.add_argument("--sotto", metavar="PROGRAM", help="the sotto program")
    parser.add_argument("--bench-read", metavar="PROGRAM", help="the bench_read program")


def find_programs(arguments):
    """The paths of sotto and bench_read, checked to be there."""
    build = pathlib.Path(arguments.build)
    sotto = pathlib.Path(arguments.sotto or build / "sotto")
    bench_read = pathlib.Path(arguments.bench_read or build / "bench" / "bench_read")
    for program in (sotto, bench_read):
        if not program.is_file():
            raise BenchError(f"{program}: not there; build it, or say where it is with --build")
    return sotto.resolve(), bench_read.resolve()


def run(command, **options):
    """Runs a command that must succeed and returns what it printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise BenchError(f"{pathlib.Path(command[0]).name} failed: "
                         f"{lines[-1] if lines else 'it said nothing'}")
    return done.stdout


def generate(sotto, path, name, rows, features, per_row=None):
    """Makes a data set in the format that the path says; a file that is there is used again."""
    if not path.exists():
        words = ["--per-row", per_row] if per_row else []
        run([sotto, "generate", name, "--rows", rows, "--features", features, "--seed", 0, *words,
             "--quiet", "--output", path])
    return path


def run_measured(build, command, environment):
    """Runs a command that must succeed: (what it printed, its seconds, its peak memory in bytes,
    when it began by the monotonic clock). bench_peak starts it, because a Python with numpy is
    larger than many of the processes that are measured."""
    with tempfile.NamedTemporaryFile("r", prefix="sotto-bench-") as told:
        began = time.monotonic()
        said = run([pathlib.Path(build) / "bench" / "bench_peak", told.name, *command],
                   env={**os.environ, **environment})
        seconds, peak = told.read().split()
    return said, float(seconds), int(peak), began


def rival_python(build):
    """The Python that has what tools/rivals.sh installed; Debian's where PyPI could not be
    reached."""
    rivals = pathlib.Path(build).resolve() / "rivals"
    there = list(rivals.glob("lib/python3*/site-packages/sklearn"))
    return str(rivals / "bin" / "python") if there else "/usr/bin/python3"


def can_import(python, statement, name):
    """Whether a Python has a rival; says that it is skipped where not."""
    done = subprocess.run([python, "-c", statement], capture_output=True, check=False)
    if done.returncode:
        print(f"skipped: {name} ('{statement}' fails; tools/rivals.sh installs what PyPI has)")
    return done.returncode == 0


def append_json(path, rows):
    """One JSON object a line, behind those that are there."""
    with open(path, "a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def main_of(work):
    """Runs work() and turns a BenchError into one line and exit status 2."""
    try:
        return work()
    except BenchError as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 2
