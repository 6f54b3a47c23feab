"""What the two benchmarks of reading share: where the programs are, and how files are made."""

import pathlib
import subprocess
import sys


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


def generate(sotto, path, name, rows, features):
    """Makes a data set in the format that the path says; a file that is there is used again."""
    if not path.exists():
        run([sotto, "generate", name, "--rows", rows, "--features", features, "--seed", 0,
             "--quiet", "--output", path])
    return path


def main_of(work):
    """Runs work() and turns a BenchError into one line and exit status 2."""
    try:
        return work()
    except BenchError as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 2
