"""Instructions of one whole `sotto train`, and of the questions of several, by callgrind.

One thread, one seed, the AVX2 kernels: callgrind knows no AVX-512. Nothing is named here but how the
curator's calls begin (`curator_ask_`, `curator_tell_`): what each of them took, with all that it
called, is divided by its calls and by the values of the table. So loops below them may change their
names, and a new question becomes a new row.
"""

import dataclasses
import json
import re

from files import generate

BOUND = 4
CALLS = re.compile(r"curator_(ask|tell)_\w+$")
LEAST_SHARE = .01  # of the whole run; what takes less is no row


@dataclasses.dataclass
class Training:
    """A generated set and how to learn from it."""

    name: str
    data: str
    rows: int
    features: int
    options: list
    whole: bool = False  # the whole run is a row, too

    @property
    def file(self):
        return f"{self.data}-{self.rows}.npy"


TRAININGS = [
    Training("train", "log1", 20000, 20, ["--loss", "logistic"], whole=True),
    Training("train, select", "log1", 2000, 50, ["--loss", "logistic", "--path", "select"]),
    Training("train, wide", "log1", 2000, 50, ["--loss", "logistic", "--path", "wide"]),
    Training("train, squared", "square", 5000, 20, ["--loss", "squared"]),
    Training("gd", "log1", 5000, 20, ["--loss", "logistic", "--solver", "gd", "--steps", 20]),
    Training("ssp", "square", 5000, 20, ["--loss", "squared", "--solver", "ssp"]),
]


def make(training, sotto, directory):
    """(the file, its schema)."""
    target, numeric = {"type": "target"}, "squared" in training.options
    columns = {str(training.features + 1): {**target, "bounds": [-16, 16]} if numeric else target}
    schema = directory / "train.schema.json"
    schema.write_text(json.dumps({
        "sotto_schema": 1, "default": {"type": "number", "bounds": [-BOUND, BOUND]},
        "columns": columns}), encoding="utf-8")
    return generate(sotto, directory / training.file, training.data, training.rows,
                    training.features), schema


def command(training, sotto, directory):
    path, schema = make(training, sotto, directory)
    return [sotto, "train", path, "--schema", schema, "--target", training.features + 1,
            "--epsilon", 1, "--delta", 1e-6, "--rows", training.rows, "--threads", 1, "--isa", "avx2",
            "--insecure-seed", 1, "--ledger", "none", "--quiet", "-o", directory / "model.json",
            *training.options]


def calls_of(profile):
    """{function: [how often it was called, instructions in it and below]}, of the functions that
    count, from the text of a profile. A name is written out once, as "(7) name", and is "(7)" from
    then on; a call is a line "cfn=", a line "calls=" and a line that ends with its cost."""
    names, found, called, times = {}, {}, None, None
    for line in profile.splitlines():
        if times is not None:
            if CALLS.match(called):
                one = found.setdefault(called, [0, 0])
                one[0] += times
                one[1] += int(line.split()[-1])
            times = None
        elif line.startswith(("fn=", "cfn=")):
            number, _, name = line.partition("=")[2].partition(" ")
            called = names.setdefault(number, name.split("'")[0])
        elif line.startswith("calls="):
            times = int(line[6:].split()[0])
    return found


def rows_of(training, profile, total):
    """{row: {"instructions_per_value": for one value of the table, at each call}}, and the whole."""
    values = training.rows * training.features
    rows = {f"{training.name}, {name.removeprefix('curator_')}":
            {"instructions_per_value": round(cost / (times * values), 4)}
            for name, (times, cost) in sorted(calls_of(profile).items())
            if cost >= LEAST_SHARE * total}
    return ({f"{training.name}, whole run": {"instructions": total}} if training.whole else {}) | rows
