"""Whether two runs printed the same but for noise, as a page shows and as it is now."""

import math
import re

NUMBER = r"[+-]?[\d.]+(?:e[+-]\d+)?"
# What an answer, a probability or a measure of quality may differ by, between
# two runs with fresh noise: more than 15 standard deviations (200 runs).
NOISE = .05


def without_noise(text):
    """The text with weights by their names: their order and values differ between runs. So does
    which of them has an interval, or why none has; and in one run of some hundred noise is so large
    that a remark says that no weight stands out of it. So do the digest of messages, and how many
    are sent; keys; and in a ledger ids, dates, and who trains."""
    weight = re.compile(rf"^  (\S+) +{NUMBER}(?:  (?:{NUMBER} to {NUMBER}|no interval))?"
                        r"(?: +[█░]*)?$")
    text = re.sub(r"^intervals  .*\n(?: {11}.*\n)*|^no interval: .*\n", "", text, flags=re.M)
    text = re.sub(r"^sotto: remark: no weight of the model stands out of its noise.*\n?", "", text,
                  flags=re.M)
    lines = [line.rstrip() for line in text.splitlines()]
    names = iter(sorted(weight.match(line)[1] for line in lines
                        if weight.match(line)))
    lines = [next(names) if weight.match(line) else line for line in lines]
    text = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", "\n".join(lines))
    text = re.sub(r"\b[0-9a-f]{32}\b", "ID", text)
    text = re.sub(r"(by the key) [0-9a-f]{16}\b", r"\1 KEY", text)
    text = re.sub(r"^( +\d+  )\d+-\d+-\d+ \d+:\d+  \S+", r"\1WHEN WHO", text,
                  flags=re.M)
    text = re.sub(r"\b\d{4}-\d\d-\d\d\b", "DATE", text)
    return re.sub(r"\b\d+ (bytes|messages)", r"N \1", text)


def is_close(x, y):
    """Words are equal. A number differs by noise, or in digits that are not
    there for certain."""
    if x == y:
        return True
    x, y = x.rstrip(","), y.rstrip(",")
    if not (re.fullmatch(NUMBER, x) and re.fullmatch(NUMBER, y)):
        return False
    x, y = float(x), float(y)
    return math.isclose(x, y, rel_tol=1e-3) or (
        max(abs(x), abs(y)) < 1 and min(x, y) > 0 and abs(x - y) < NOISE)


def same(ours, printed):
    a, b = without_noise(ours).split(), without_noise(printed).split()
    return len(a) == len(b) and all(map(is_close, a, b))
