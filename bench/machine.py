"""What the machine gives: its read bandwidth, and what that makes of a number of bytes.

bench_bandwidth measures; a case of `make bench` has what it said before and after. From the two
follow whether the case counts as noisy, whether two threads could be faster at all, and the model
time: bytes over bandwidth.
"""

import os

from files import run

LEVELS = ("L1", "L2", "L3", "DRAM")
NOISY = 0.15        # bandwidth before and after may differ by so much
BUSY = 0.5          # others may have so many processors' worth of work, on average
TWO_THREADS = 1.6   # two threads must read so many times what one reads, or they are not judged


# ---- measuring ----


def parse(text):
    """The lines of bench_bandwidth as {"L1": {"bytes": ..., "GB_per_s": {"1": ...}}, ...}; bytes
    are what one thread read over."""
    found = {}
    for line in text.splitlines():
        level, threads, size, _, _, rate = line.split("\t")
        one = found.setdefault(level, {"bytes": int(size), "GB_per_s": {}})
        one["GB_per_s"][threads] = float(rate)
    return found


def measure(program, seconds, threads):
    """The bandwidth now."""
    return parse(run([program, seconds, threads]))


def load():
    """How much work there is, of this bench and of others, averaged over a minute."""
    return round(os.getloadavg()[0], 2)


# ---- judging ----


def rate(bandwidth, level, threads=1):
    """GB/s of a level; with threads that were not measured, that of the next fewer."""
    rates = bandwidth[level]["GB_per_s"]
    return rates[str(max(int(t) for t in rates if int(t) <= threads))]


def change(before, after):
    """(the largest relative difference between two measurements of memory, its level)."""
    differences = []
    for level in ("L3", "DRAM"):
        one, other = rate(before, level), rate(after, level)
        differences.append((max(one, other) / min(one, other) - 1, level))
    return max(differences)


def noise(case):
    """Why a case is noisy, in a few words; empty where it is not."""
    differs, level = change(case["before"], case["after"])
    words = [f"{level} bandwidth differs by {differs:.0%}"] if differs > NOISY else []
    if case["others"] > BUSY:
        words.append(f"others used {case['others']:.1f} processors")
    return ", ".join(words)


def faster(before, after):
    """The greater of two measurements, level by level: models are made from it."""
    return {level: {"bytes": one["bytes"], "GB_per_s": {
        threads: max(gigabytes, after[level]["GB_per_s"][threads])
        for threads, gigabytes in one["GB_per_s"].items()}} for level, one in before.items()}


def two_threads_gain(bandwidth):
    """How many times what one thread reads from memory two of them read."""
    rates = bandwidth["DRAM"]["GB_per_s"]
    return rates["2"] / rates["1"] if "2" in rates else 1.0


def two_threads_count(bandwidth):
    """Whether a ratio of two threads to one says anything."""
    return two_threads_gain(bandwidth) >= TWO_THREADS


# ---- the model ----


def level_of(size, bandwidth):
    """The first cache that a table of so many bytes fits into. One thread reads half of it in
    bench_bandwidth."""
    for level in LEVELS[:-1]:
        if size <= 2 * bandwidth[level]["bytes"]:
            return level
    return LEVELS[-1]


def seconds(size, bandwidth, level, threads=1):
    """Bytes over bandwidth."""
    return size / (1e9 * rate(bandwidth, level, threads))


def question_reads(question, rows, features):
    """What one answer reads of a dense table of 4-byte values: [(bytes, bytes of what they are in)].

    A partial derivative (cd, gcd) reads its column from the table; the column that has just moved
    and the margins, which it also writes, are three vectors that were used a moment ago. A batch
    reads its part of the table. Any other question is one pass over the table.
    """
    table = 4 * rows * features
    if question["question"] == "partial":
        return [(4 * rows, table), (12 * rows, 12 * rows)]
    return [(table * question.get("rate", 1), table)]


def reads(from_bytes, questions, rows, features):
    """What a whole training reads, as question_reads has it: the file or array once and the table
    written once, both in memory, and then what every question reads."""
    found = {None: from_bytes + 4 * rows * features}
    for question in questions:
        for size, within in question_reads(question, rows, features):
            found[within] = found.get(within, 0) + question["times"] * size
    return [(size, within) for within, size in found.items()]


def passes(questions, rows, features):
    """What all questions read, in tables."""
    return sum(size for size, _ in reads(0, questions, rows, features)[1:]) / (4 * rows * features)


def model_seconds(what, bandwidth, threads=1):
    """Bytes over bandwidth, each from the first cache that holds what they are in."""
    return sum(seconds(size, bandwidth, level_of(within, bandwidth) if within else "DRAM", threads)
               for size, within in what)
