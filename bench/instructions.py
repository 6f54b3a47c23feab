#!/usr/bin/python3
"""How many instructions it takes to read a byte, or to solve for it: a measure that does not
depend on the machine's load, so that what becomes slower is noticed.

Makes small files, always the same, and under callgrind reads each with one thread, or solves an
exact problem on it, counting inside sotto_table_read or exact_solve alone; also a pass of the
kernel of private training, by byte of a table in memory, one whole `sotto train`, and each kind of
question in it, by value of the table (train_count.py). It compares them with instructions.json
beside this file. Losses without logarithms are solved for: those of the C library differ from
processor to processor. More than 3 % above what is recorded there fails (exit status 1), and so
does a row that is not recorded, or recorded and gone. The counts depend on the compiler and the C
library, so those made with others are shown but not judged. --write records what was measured.

For information the same is done with LIBLINEAR's reader, where it is installed.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import train_count
from files import BenchError, add_program_options, find_programs, generate, main_of, run

RECORD = pathlib.Path(__file__).with_name("instructions.json")
TOLERANCE = 0.03
SPREAD = 0.001  # repeated counts must agree so well, or they are no measure
LIBLINEAR_TARGET = 5  # it should take at least so many times our instructions

# The C library chooses its memcpy and memchr by the processor; these choices are made the same
# everywhere, or another processor would change the counts by more than the tolerance.
SAME_EVERYWHERE = "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX_Fast_Unaligned_Load,-ERMS"


@dataclasses.dataclass
class Case:
    """A file to make, and how to read it or what to solve on it."""

    name: str
    data: str  # the name of the set
    ending: str
    rows: int
    features: int
    options: list
    solve: bool = False


CASES = [
    Case("svmlight, rows", "zipf-heavy", "svm", 2000, 200000, ["layout", "rows"]),
    Case("svmlight, rows and columns", "zipf-heavy", "svm", 2000, 200000, []),
    Case("csv", "sparse-lasso", "csv", 5000, 50, ["target", "target"]),
    Case("npy", "sparse-lasso", "npy", 8000, 50, ["target", "51"]),
    Case("exact, dense, l1", "sparse-lasso", "csv", 5000, 50,
         ["target", "target", "loss", "squared", "l1", "0.01", "intercept", "1"], True),
    Case("exact, sparse, l1", "zipf-heavy", "svm", 2000, 200000,
         ["loss", "squared-hinge", "l1", "0.002"], True),
    Case("exact, sparse, l2", "zipf-heavy", "svm", 2000, 200000,
         ["loss", "squared-hinge", "l2", "0.01"], True),
]


# One pass of coordinate descent by the kernel of this instruction set: (loss, rows, columns). The
# table's bytes are 4 for a value.
KERNELS = [("squared", 4096, 8), ("logistic", 4096, 8)]
KERNEL_SET = "avx2"


# ---- counting ----


def find_valgrind():
    """The path of valgrind, without which nothing can be counted."""
    program = shutil.which("valgrind")
    if program is None:
        raise BenchError("there is no valgrind; Debian: valgrind")
    return program


def callgrind(command, directory, function=None, tunables=""):
    """The instructions of a command, or of one function in it, and the finished process."""
    profile = directory / "callgrind.out"
    profile.unlink(missing_ok=True)
    words = [find_valgrind(), "--tool=callgrind", f"--callgrind-out-file={profile}"]
    if function:
        words.append(f"--toggle-collect={function}")
    done = subprocess.run(words + [str(word) for word in command], capture_output=True,
                          text=True, check=False, env={**os.environ, "GLIBC_TUNABLES": tunables})
    total = re.search(r"^totals: (\d+)$", profile.read_text(encoding="utf-8", errors="replace"),
                      re.MULTILINE) if profile.exists() else None
    if total is None or int(total[1]) == 0:
        lines = done.stderr.strip().splitlines()
        raise BenchError(f"callgrind counted nothing: {lines[-1] if lines else 'no message'}")
    return int(total[1]), done


def count_case(case, bench_read, path, directory):
    """The instructions per byte of the case's file."""
    if case.solve:
        program, function = bench_read.parent.parent / "tests" / "exact_cli", "exact_solve"
        command = [program, path, "threads", 1, "quiet", 1, *case.options]
    else:
        program, function = bench_read, "sotto_table_read"
        command = [program, path, 1, "threads", 1, *case.options]
    count, done = callgrind(command, directory, function, SAME_EVERYWHERE)
    if done.returncode != 0:
        raise BenchError(f"{case.name}: {program.name} failed")
    return count / path.stat().st_size


def count_repeatedly(case, bench_read, path, directory, times):
    """The count, after making sure that it is the same each time."""
    counts = [count_case(case, bench_read, path, directory) for _ in range(times)]
    spread = max(counts) / min(counts) - 1
    if spread > SPREAD:
        raise BenchError(f"{case.name}: repeated counts differ by {spread:.2%}: "
                         "expected the same to 0.1 %")
    return counts[0]


def count_liblinear(program, path, directory):
    """LIBLINEAR's instructions per byte: its program ends after reading, because it refuses the
    parameter; what the same takes for a file of one line is subtracted."""
    def count(file):
        total, done = callgrind([program, "-e", "-1", file, os.devnull], directory)
        if done.returncode != 1 or "eps" not in done.stderr:
            raise BenchError("liblinear-train did not stop at its eps")
        return total
    line = directory / "line.svm"
    line.write_text("1 1:1\n", encoding="ascii")
    return (count(path) - count(line)) / path.stat().st_size


def count_train(training, sotto, directory):
    """The rows of a training; None where this machine cannot count it (no AVX2)."""
    try:
        total, done = callgrind(train_count.command(training, sotto, directory), directory,
                                tunables=SAME_EVERYWHERE)
    except BenchError:
        return None
    if done.returncode != 0:
        return None
    profile = (directory / "callgrind.out").read_text(encoding="utf-8", errors="replace")
    return train_count.rows_of(training, profile, total)


def count_kernel(loss, rows, columns, bench_read, directory):
    """The instructions per byte of the table that one pass takes; None without AVX2."""
    program = bench_read.with_name("bench_kernel")
    try:
        count, done = callgrind([program, "count", KERNEL_SET, loss, rows, columns], directory,
                                "bench_pass", SAME_EVERYWHERE)
    except BenchError:
        return None
    return count / (4 * rows * columns) if done.returncode == 0 else None


# ---- what a count belongs to ----


def compiler_of(bench_read):
    """The compiler, the C library and the machine: with others the counts are others."""
    library = " ".join(platform.libc_ver())
    return f"{run([bench_read, '--compiler']).strip()}, {library}, {platform.machine()}"


def digest(path):
    """Tells whether a file is still the one that was measured."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def measure(sotto, bench_read, directory, times):
    """What instructions.json holds, measured now."""
    compiler = compiler_of(bench_read)
    measured = {}
    for case in CASES:
        path = generate(sotto, directory / f"{case.data}.{case.ending}", case.data, case.rows,
                        case.features)
        count = count_repeatedly(case, bench_read, path, directory, times)
        measured[case.name] = {"instructions_per_byte": round(count, 4), "compiler": compiler,
                               "file": digest(path)}
    for loss, rows, columns in KERNELS:
        count = count_kernel(loss, rows, columns, bench_read, directory)
        name = f"kernel, {loss}, {KERNEL_SET}"
        if count is None:
            print(f"skipped: {name} (this machine cannot count it)")
            continue
        measured[name] = {"instructions_per_byte": round(count, 4), "compiler": compiler,
                          "file": f"{rows} x {columns}"}
    return {**measured, **measure_train(sotto, directory, compiler)}


def measure_train(sotto, directory, compiler):
    """The rows of whole trainings."""
    measured = {}
    for training in train_count.TRAININGS:
        counted = count_train(training, sotto, directory)
        if counted is None:
            print(f"skipped: {training.name} (this machine cannot count it)")
            continue
        file = digest(directory / training.file)
        measured |= {name: {**count, "compiler": compiler, "file": file}
                     for name, count in counted.items()}
    return measured


# ---- comparing ----


def load_record():
    """What was recorded; empty when nothing was."""
    if not RECORD.exists():
        return {}
    return json.loads(RECORD.read_text(encoding="utf-8"))


def count_of(row):
    """The figure of a row, per byte, per value or of the whole."""
    return next(value for key, value in row.items() if key.startswith("instructions"))


def judge(now, recorded):
    """(whether it fails, a word on it) for one case."""
    if recorded is None:
        return True, "FAILED: not recorded; run with --write"
    if now["compiler"] != recorded["compiler"]:
        return False, f"not judged: recorded with {recorded['compiler']}"
    if now["file"] != recorded["file"]:
        return True, "FAILED: sotto generate makes another file now; run with --write"
    change = count_of(now) / count_of(recorded) - 1
    if change > TOLERANCE:
        return True, f"FAILED: {change:+.1%}, allowed is {TOLERANCE:+.0%}"
    if change < -TOLERANCE:
        return False, f"{change:+.1%}: better; record it with --write"
    return False, f"{change:+.1%}"


def gone(measured, record):
    """Rows of trainings that are recorded and were not found, where trainings were counted."""
    counted = "train, whole run" in measured
    return [name for name, row in record.items()
            if counted and "instructions_per_byte" not in row and name not in measured]


def compare(measured, record, judging):
    """Prints each case beside its record; whether all are well, if that is to be judged."""
    well = True
    print(f"compiled with {next(iter(measured.values()))['compiler']}")
    print(f"{'instructions per byte, value':32}{'now':>18}{'recorded':>18}")
    for name, now in measured.items():
        recorded = record.get(name)
        failed, word = judge(now, recorded) if judging else (False, "")
        before = f"{count_of(recorded):,.3f}" if recorded else "-"
        print(f"{name:32}{count_of(now):18,.3f}{before:>18}  {word}".rstrip())
        well = well and not failed
    for name in gone(measured, record) if judging else []:
        print(f"{name:32}{'-':>18}  FAILED: recorded, and there is no such question; run with --write")
        well = False
    return well


def tell_liblinear(measured, directory):
    """LIBLINEAR's count beside ours, as information."""
    program = shutil.which("liblinear-train")
    if program is None:
        print("skipped: LIBLINEAR (there is no liblinear-train; Debian: liblinear-tools)")
        return
    case = CASES[0]
    count = count_liblinear(program, directory / f"{case.data}.{case.ending}", directory)
    ratio = count / measured[case.name]["instructions_per_byte"]
    print(f"{'LIBLINEAR':32}{count:18,.3f}{'':15}  {ratio:.1f}x ours; the target, at least "
          f"{LIBLINEAR_TARGET}x, is {'met' if ratio >= LIBLINEAR_TARGET else 'MISSED'}")


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description="instructions per byte or value, compared with instructions.json")
    add_program_options(parser)
    parser.add_argument("--write", action="store_true", help="record what is measured now")
    parser.add_argument("--repeat", type=int, default=1, metavar="N",
                        help="count so often and require equal counts [default: 1]")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat: expected at least 1")
    return arguments


def main():
    """Measures, then compares or records."""
    arguments = parse_arguments()
    sotto, bench_read = find_programs(arguments)
    with tempfile.TemporaryDirectory(prefix="sotto-bench-") as name:
        directory = pathlib.Path(name)
        measured = measure(sotto, bench_read, directory, arguments.repeat)
        well = compare(measured, load_record(), not arguments.write)
        tell_liblinear(measured, directory)
    if arguments.write:
        RECORD.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
        print(f"recorded in {RECORD.name}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main_of(main))
