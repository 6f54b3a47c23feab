#!/usr/bin/python3
"""How fast noise is drawn, as a share of the raw words of ChaCha20 in the same run.

bench_noise does every variant once a round, in rotated order; the minima of one run can be
compared with each other, and with nothing else. This is a report: a missed target is said
clearly but is not a failure.

A second table has what one selection among many scores costs: by noise for every score, and from
buckets, when all scores are counted first, when they are not, when they are all alike (the worst
case), and what one change of a score costs, without and with a move to another bucket.
"""

import argparse
import collections
import os
import pathlib
import statistics
import sys

from files import BenchError, append_json, main_of, run

RAW = "ChaCha20"
TARGETS = {"Gumbel": .45, "Laplace": .10, "Gaussian": .06}
SELECTION = "selection/"
SLOWEST_BUCKETS = 20e-6  # seconds a selection among a million scores may take


def measure(program, rounds):
    """The seconds per item of each variant, by round."""
    seconds = collections.defaultdict(list)
    for line in run([program, rounds]).splitlines():
        name, value = line.split()
        seconds[name].append(float(value))
    return seconds


def verdict(name, share):
    """Whether the target is met, in a word."""
    if name not in TARGETS:
        return ""
    return f"{TARGETS[name]:g}: {'met' if share >= TARGETS[name] else 'MISSED'}"


def print_shares(seconds, shares):
    """Each kind of noise beside raw words."""
    print(f"{'noise':16}{'min ns':>9}{'median ns':>11}{'share':>8}  target")
    for name, values in seconds.items():
        print(f"{name:16}{min(values) * 1e9:9.2f}{statistics.median(values) * 1e9:11.2f}"
              f"{shares[name]:8.3f}  {verdict(name, shares[name])}")


def print_selections(seconds):
    """Microseconds of a selection by number of scores."""
    least = collections.defaultdict(dict)
    for name, values in seconds.items():
        _, count, variant = name.split("/")
        least[int(count)][variant] = min(values) * 1e6
    variants = list(least[max(least)])
    print(f"\n{'scores':>8}" + "".join(f"{name + ' us':>18}" for name in variants))
    for count, row in sorted(least.items()):
        print(f"{count:8}" + "".join(f"{row[name]:18.4f}" for name in variants))
    slowest = least[max(least)]["buckets-alike"] * 1e-6
    print(f"a selection of {max(least)} takes at most {SLOWEST_BUCKETS * 1e6:g} us: "
          f"{'met' if slowest <= SLOWEST_BUCKETS else 'MISSED'}")


def rows_of(seconds, shares):
    """One JSON object for each variant."""
    for name, values in seconds.items():
        yield {"noise": name, "min": min(values), "median": statistics.median(values),
               "share": shares.get(name), "target": TARGETS.get(name), "rounds": len(values),
               "load_average": round(os.getloadavg()[0], 2)}


def main():
    """Measures and reports."""
    parser = argparse.ArgumentParser(description="how fast noise is drawn")
    parser.add_argument("--build", metavar="DIR", default="build",
                        help="the build that bench_noise is taken from [default: build]")
    parser.add_argument("--rounds", type=int, default=40, metavar="R",
                        help="how often each variant runs [default: 40]")
    parser.add_argument("--json", metavar="FILE", help="add one JSON line per variant")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.build) / "bench" / "bench_noise"
    if not program.is_file():
        raise BenchError(f"{program}: not there; build it, or say where it is with --build")
    seconds = measure(program.resolve(), arguments.rounds)
    noise = {name: values for name, values in seconds.items() if not name.startswith(SELECTION)}
    shares = {name: round(min(noise[RAW]) / min(values), 3) for name, values in noise.items()}
    print_shares(noise, shares)
    print_selections({name: seconds[name] for name in seconds if name not in noise})
    print(f"load average {os.getloadavg()[0]:.2f}")
    if arguments.json:
        append_json(arguments.json, rows_of(seconds, shares))
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))
