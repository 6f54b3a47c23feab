#!/usr/bin/python3
"""Write the named problems on which sotto's accuracy is measured.

A named problem is a table together with a loss and a penalty, fixed so that an error measured
today can be compared with one measured next year, and with the errors that the papers on private
coordinate descent print. The objective, with means over the records and no intercept, is

    F(w) = mean_i loss(x_i'w, y_i) + l1 |w|_1 + l2/2 |w|^2

The papers use the whole square (x'w - y)^2; sotto uses half of it. The two ask for the same w when
l1 and l2 halve as well, and F* then halves; relative errors do not change. The description of a
problem gives both readings. Logistic loss is the same in both.

    problems.py --list
    problems.py -o DIR                          all problems whose data are at hand
    problems.py square log1 -o DIR [--data DATADIR]

Each problem becomes DIR/NAME.npy, one array with the target as last column, and DIR/NAME.json,
its description. Needs NumPy only. The synthetic problems need no data; for the others the data
directory is --data, else the environment's SOTTO_DATA, else ../shared/data beside the repository.
"""
import argparse
import dataclasses
import gzip
import json
import os
import sys
import zlib

import numpy as np

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class DataError(Exception):
    """A set cannot be used; the message is one line that says which and why."""


class MissingData(DataError):
    """A set is not in the data directory; the message says where to get it."""


@dataclasses.dataclass(frozen=True)
class Source:
    """A real set: its file below the data directory, its shape without the target, its origin."""
    file: str
    n: int
    p: int
    origin: str


SOURCES = {
    "california": Source(
        "california/california.csv", 20640, 8,
        "scikit-learn fetch_california_housing, as CSV with a header, target last"),
    "electricity": Source(
        "electricity/electricity.csv", 45312, 8,
        "OpenML data set 151 (electricity), as CSV with a header, target last, UP=1 DOWN=-1"),
    "madelon": Source(
        "madelon/madelon.csv.gz", 2600, 500,
        "UCI Madelon (NIPS 2003), train then valid, as gzipped CSV with a header, target last"),
    "dorothea": Source(
        "dorothea/dorothea.p88119.train.svm.gz", 800, 88119,
        "UCI Dorothea (NIPS 2003), train without its empty columns, as gzipped svmlight"),
    "meltingpoint": Source(
        "meltingpoint/meltingpoint.csv.gz", 4401, 202,
        "MeltingPoint of the R package QSARdata (CRAN), as gzipped CSV with a header, target last"),
}


# Reading the sets

def find_data_dir(explicit=None):
    """The data directory, or None when there is none to look in."""
    chosen = explicit or os.environ.get("SOTTO_DATA")
    if chosen:
        return chosen
    beside = os.path.join(os.path.dirname(REPOSITORY), "shared", "data")
    return beside if os.path.isdir(beside) else None


def open_text(path):
    """Open a text file, gzipped or not."""
    opener = gzip.open if path.endswith(".gz") else open
    return opener(path, "rt", encoding="ascii")


def read_csv(file, source):
    """The table in a CSV file with a header and the target last."""
    return np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2)


def read_svmlight(file, source):
    """The table in an svmlight file, dense, with the target moved to the end.

    Fortran order and float32: solvers walk through the columns, and at 800 x 88119 a float64
    table would take half a gigabyte for values that are all 0 or 1.
    """
    table = np.zeros((source.n, source.p + 1), np.float32, order="F")
    rows = 0
    for line in file:
        label, *pairs = line.split()
        fields = np.array(" ".join(pairs).replace(":", " ").split(), float).reshape(-1, 2)
        columns = fields[:, 0].astype(np.int64)
        if rows == source.n or columns.min(initial=1) < 1 or columns.max(initial=1) > source.p:
            raise ValueError(f"line {rows + 1} lies outside {source.n} x {source.p}")
        table[rows, columns - 1] = fields[:, 1]
        table[rows, -1] = float(label)
        rows += 1
    return table[:rows]


def read_set(name, data_dir):
    """The table of a real set, target last, checked against its known shape."""
    source = SOURCES[name]
    path = os.path.join(data_dir, source.file) if data_dir else source.file
    if not data_dir or not os.path.isfile(path):
        where = "" if data_dir else " (no data directory: give --data or set SOTTO_DATA)"
        raise MissingData(f"set {name} is missing: no file {path}{where}; "
                          f"public source: {source.origin}")
    read = read_svmlight if ".svm" in source.file else read_csv
    try:
        with open_text(path) as file:
            table = read(file, source)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = " ".join(str(error).split())      # one line
        raise DataError(f"set {name} cannot be read from {path}: {reason}") from error
    if table.shape != (source.n, source.p + 1):
        raise DataError(f"set {name}: {path} holds {table.shape[0]} records of "
                        f"{table.shape[1] - 1} features, not {source.n} of {source.p}")
    return table


# Making the tables

def standardise(features):
    """Columns with mean 0 and population standard deviation 1; a constant column becomes 0.

    Constancy is judged on the values, since the rounded deviation of a constant can be non-zero.
    """
    constant = features.min(axis=0) == features.max(axis=0)
    scale = np.where(constant, 1.0, features.std(axis=0))
    return np.where(constant, 0.0, (features - features.mean(axis=0)) / scale)


def join(features, target):
    """One C-ordered float64 table with the target as last column."""
    return np.ascontiguousarray(np.column_stack([features, target]), dtype=np.float64)


def raw(set_name):
    """Maker of the table as it is."""
    return lambda data_dir: read_set(set_name, data_dir)


def standard(set_name, centre):
    """Maker of the table with standardised features.

    A centred target stands in for the intercept that the objective lacks; its unit stays.
    """
    def make_table(data_dir):
        table = read_set(set_name, data_dir)
        target = table[:, -1]
        return join(standardise(table[:, :-1]), target - target.mean() if centre else target)
    return make_table


def sparse_regression(data_dir):
    """Gaussian columns of which 10 matter. The order of the draws defines the problem."""
    random = np.random.RandomState(15)
    features = random.randn(1000, 1000)
    values = random.rand(10)                       # drawn before their places
    weights = np.zeros(1000)
    weights[random.choice(1000, 10, False)] = values
    return join(features, features @ weights + 0.1 * random.randn(1000))


def lognormal_classes(sigma):
    """Maker of a table with two classes whose true weights are log-normal, so nearly sparse."""
    def make_table(data_dir):
        random = np.random.RandomState(10 + sigma)
        features = random.randn(1000, 100)
        weights = random.lognormal(0, sigma, 100)
        return join(features, np.sign(features @ weights + random.randn(1000)))
    return make_table


# The problems

@dataclasses.dataclass(frozen=True)
class Problem:
    """What defines a problem and what is known of it, in the whole-square reading.

    f_star and zero_error are text: the digits that were printed, which say how exact they are.
    zero_error is (F(0) - F*) / F*. None where nothing was printed.
    """
    table: object                   # function of the data directory
    n: int
    p: int
    loss: str                       # "squared" or "logistic"
    about: str
    l1: float = 0.0
    l2: float = 0.0
    f_star: str = None
    zero_error: str = None
    nonzeros: int = None
    epsilon: float = 1.0            # as in the papers; delta is 1/n^2


PROBLEMS = {
    "cal_std": Problem(
        standard("california", centre=True), 20640, 8, "squared", l1=0.2,
        f_star="0.8387", zero_error="0.5876", nonzeros=3,
        about="LASSO on California housing, standardised, target (100k$) centred"),
    "cal_stdU": Problem(
        standard("california", centre=False), 20640, 8, "squared", l1=0.2,
        f_star="5.118", zero_error="0.0963", nonzeros=3,
        about="LASSO on California housing, standardised, target (100k$) not centred"),
    "cal_imb": Problem(
        raw("california"), 20640, 8, "squared", l1=1.0, f_star="1.032", zero_error="4.434",
        about="LASSO on California housing, raw columns of very different scale"),
    "elec_std": Problem(
        standard("electricity", centre=False), 45312, 8, "logistic", l2=1 / 45312,
        f_star="0.5102", zero_error="0.3586",
        about="Logistic regression on Electricity, standardised"),
    "elec_imb": Problem(
        raw("electricity"), 45312, 8, "logistic", l2=1 / 45312,
        f_star="0.5569", zero_error="0.2447",
        about="Logistic regression on Electricity, raw columns"),
    "sparse10": Problem(
        sparse_regression, 1000, 1000, "squared", l1=0.525, epsilon=10.0,
        f_star="2.010", zero_error="0.75510", nonzeros=7,
        about="LASSO on Gaussian columns, 10 of 1000 matter, large epsilon"),
    "square": Problem(
        sparse_regression, 1000, 1000, "squared", l1=0.525,
        f_star="2.010", zero_error="0.75510", nonzeros=7,
        about="LASSO on the table of sparse10, epsilon 1"),
    "log1": Problem(
        lognormal_classes(1), 1000, 100, "logistic", l2=0.1, f_star="0.417", zero_error="0.664",
        about="Logistic regression, log-normal weights with sigma 1"),
    "log1_.01": Problem(
        lognormal_classes(1), 1000, 100, "logistic", l2=0.01,
        about="log1 with a ten times smaller penalty"),
    "log2": Problem(
        lognormal_classes(2), 1000, 100, "logistic", l2=0.1, f_star="0.419", zero_error="0.653",
        about="Logistic regression, log-normal weights with sigma 2"),
    "log2_.01": Problem(
        lognormal_classes(2), 1000, 100, "logistic", l2=0.01,
        about="log2 with a ten times smaller penalty"),
    "mad_l1": Problem(
        standard("madelon", centre=False), 2600, 500, "logistic", l1=0.05,
        f_star="0.6852", zero_error="0.01157", nonzeros=3,
        about="L1 logistic regression on Madelon, standardised"),
    "dorothea": Problem(
        raw("dorothea"), 800, 88119, "logistic", l1=0.01,
        f_star="0.3887", zero_error="0.7834", nonzeros=72,
        about="L1 logistic regression on Dorothea, 0/1 columns, far more columns than records"),
    "meltingpoint": Problem(
        standard("meltingpoint", centre=True), 4401, 202, "squared", l2=0.1,
        about="Ridge regression on MeltingPoint, standardised, target (deg C) centred"),
}


def make(name, data_dir=None):
    """The table of a problem, target last; raises DataError when its set cannot be had."""
    return PROBLEMS[name].table(data_dir)


def describe(name):
    """The description of a problem as it goes into its JSON file."""
    problem = PROBLEMS[name]
    f_star = problem.f_star and float(problem.f_star)
    half = 0.5 if problem.loss == "squared" else 1.0
    return {
        "name": name,
        "description": problem.about,
        "loss": problem.loss,
        "n": problem.n,
        "p": problem.p,
        "whole_square": {"l1": problem.l1, "l2": problem.l2, "f_star": f_star},
        "half_square": {"l1": problem.l1 * half, "l2": problem.l2 * half,
                        "f_star": f_star and f_star * half},
        "zero_error": problem.zero_error and float(problem.zero_error),
        "printed": {"f_star": problem.f_star, "zero_error": problem.zero_error},
        "nonzeros": problem.nonzeros,
        "epsilon": problem.epsilon,
        "delta": 1 / problem.n ** 2,
    }


# Writing

def write_whole(path, write):
    """Let write(file) fill the file at path so that a reader never sees a part of it."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            write(file)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def save(name, table, out_dir):
    """Write a problem's table and then its description; returns the path of the table."""
    path = os.path.join(out_dir, name + ".npy")
    text = json.dumps(describe(name), indent=2) + "\n"
    write_whole(path, lambda file: np.save(file, table, allow_pickle=False))
    write_whole(os.path.join(out_dir, name + ".json"), lambda file: file.write(text.encode()))
    return path


def print_list():
    """One line for each problem: enough to choose from."""
    for name, problem in PROBLEMS.items():
        penalty = f"l1={problem.l1:g}" if problem.l1 else f"l2={problem.l2:g}"
        shape = f"{problem.n} x {problem.p}"
        print(f"{name:<13}{shape:<13}{problem.loss:<10}{penalty:<15}{problem.about}")


def chosen_names(parser, given):
    """The names to write, without repetition, and the set of those that were asked for by name."""
    unknown = [name for name in given if name != "all" and name not in PROBLEMS]
    if unknown:
        parser.error(f"no problem is called {unknown[0]}; --list shows the names")
    explicit = dict.fromkeys(name for name in given if name != "all")
    everything = PROBLEMS if not given or "all" in given else {}
    return list(dict.fromkeys([*explicit, *everything])), set(explicit)


def main(arguments=None):
    """Command line: 0 written (or skipped, unless named), 1 something failed, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        description="Write the named problems as NumPy arrays with the target as last column.")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="problems to write (default: all whose data are at hand)")
    parser.add_argument("-o", "--output", metavar="DIR", help="directory to write to")
    parser.add_argument("--data", metavar="DATADIR",
                        help="directory of the real sets (default: SOTTO_DATA, ../shared/data)")
    parser.add_argument("--list", action="store_true", help="show the problems and stop")
    options = parser.parse_args(arguments)
    if options.list:
        print_list()
        return 0
    names, explicit = chosen_names(parser, options.names)
    if not options.output:
        parser.error("-o DIR is needed")
    data_dir = find_data_dir(options.data)
    failed = False
    for name in names:
        try:
            os.makedirs(options.output, exist_ok=True)
            save(name, make(name, data_dir), options.output)
        except (DataError, OSError) as error:
            skip = isinstance(error, MissingData) and name not in explicit
            print(f"problems: {name}{' skipped' if skip else ''}: {error}", file=sys.stderr)
            failed = failed or not skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
