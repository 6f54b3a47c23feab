#!/usr/bin/env python3
"""Scores as `sotto predict --scores MODEL DATA` prints them, without sotto:
read_model.py MODEL.json DATA.csv

For models of files with a header; docs/model.md says what each key means. A row that sotto
would refuse raises a ValueError. Blanks around texts are cut, also inside quotes.
"""
import csv, json, math, re, sys

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


def score(model, row):
    stored, answer, square = [], model["intercept"], 0.0
    for name, rule in model["schema"]["columns"].items():
        read = {"number": number, "category": category}.get(rule["type"])
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
