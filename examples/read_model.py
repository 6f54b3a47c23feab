#!/usr/bin/env python3
"""Scores as `sotto predict --scores MODEL DATA` prints them, without sotto:
read_model.py MODEL.json DATA.csv

For models of files with a header; docs/model.md says what each key means. A row that sotto
would refuse raises a ValueError. Blanks around texts are cut, also inside quotes.
"""
import csv, datetime, json, math, re, sys

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
LARGEST = float.fromhex("0x1.fffffefffffffp127")  # what fits a float without bounds


def number(rule, text, words):
    bounded = rule.get("bounds") is not None
    low, high = rule["bounds"] if bounded else (-LARGEST, LARGEST)
    centre, half = (low / 2 + high / 2, high / 2 - low / 2) if bounded else (0.0, 1.0)
    missing = text in words or re.fullmatch("[+-]?(nan|inf|infinity)|", text, re.I)
    if not missing and not NUMBER.fullmatch(text):
        raise ValueError("expected a number")
    if missing or float(text) in [float(word) for word in words if NUMBER.fullmatch(word)] or (
            not bounded and abs(float(text)) > LARGEST):
        text = rule.get("missing") if rule.get("missing") is not None else "no rule"
    x = (min(max(float(text), low), high) - centre) / half
    return [(min(max(x, -1.0), 1.0) if bounded else x, centre, half)]


def category(rule, text, words):
    level = rule.get("missing") if text in ("", *words) else text
    levels = rule["levels"] + ["other"] * rule.get("other", False)
    if level == text and level not in levels and "other" in levels[len(rule["levels"]):]:
        level = "other"
    if level not in levels and (level != "none" or text == level):
        raise ValueError("expected one of the levels that the model has")
    return [(float(level == known), 0.0, 1.0) for known in levels]


def scaled(x, low, high):
    """A value between declared bounds, as number() has it."""
    centre, half = low / 2 + high / 2, high / 2 - low / 2
    return (min(max((min(max(x, low), high) - centre) / half, -1.0), 1.0), centre, half)


def date(rule, text, words):
    form, text = rule.get("format", "%Y-%m-%d"), rule.get("missing") if text in ("", *words) else text
    if text == rule.get("missing"):  # which is written as ISO 8601 has it
        form = "%Y-%m-%d"
    pattern = re.sub("%([YmdHMS])", lambda m: f"(?P<{m[1]}>[0-9]{{{4 if m[1] == 'Y' else 2}}})",
                     re.escape(form.replace("%%", "\0"))).replace(re.escape("\0"), "%")
    fields = re.fullmatch(pattern, text or "")
    if not fields:
        raise ValueError("expected a date")
    part = {letter: int(digits) for letter, digits in fields.groupdict().items()}
    when = datetime.datetime(part["Y"], part["m"], part["d"], part.get("H", 0), part.get("M", 0),
                             part.get("S", 0))  # a ValueError where there is no such day
    stored, parts = [], rule.get("as", ["days"])
    if "days" in parts:
        low, high = map(datetime.datetime.fromisoformat, rule["bounds"])
        since = datetime.datetime.fromisoformat(rule.get("since", rule["bounds"][0]))
        stored = [scaled(*((day - since) / datetime.timedelta(1) for day in (when, low, high)))]
    for name, count, which in (("weekday", 7, when.weekday()), ("month", 12, when.month - 1)):
        if name in parts:
            stored += [(float(k == which), 0.0, 1.0) for k in range(count)]
    return stored


def boolean(rule, text, words):
    if text in ("", *words):
        value = rule.get("missing")
    else:
        value = text in rule["true"] or (False if text in rule["false"] else None)
    if value is None:
        raise ValueError("expected a word that means true or false")
    return [scaled(float(value), 0.0, 1.0)]


def score(model, row):
    stored, answer, square = [], model["intercept"], 0.0
    for name, rule in model["schema"]["columns"].items():
        read = {"number": number, "category": category, "date": date,
                "boolean": boolean}.get(rule["type"])
        if read:  # the other columns are no features
            words = model["schema"].get("missing_values", [])
            stored += read(rule, row[name].strip(" \t"), words)
    for weight, (x, centre, half) in zip(model["weights"], stored, strict=True):
        answer, square = answer + weight * (x * half + centre), square + x * x
    norm = model.get("row_norm", {"bound": math.inf})
    if math.sqrt(square) > norm["bound"]:
        answer = norm["centre"] + (answer - norm["centre"]) * (norm["bound"] / math.sqrt(square))
    return answer


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    if (model["sotto_model"] != 1 or "undeclared" in model or "strategy" in model
            or isinstance(model["features"], int)):
        sys.exit("expected a model of version 1, of a number or two classes, of columns with names, "
                 "of --undeclared bounds")
    with open(sys.argv[2], encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            print(repr(score(model, row)))
