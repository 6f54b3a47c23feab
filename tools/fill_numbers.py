#!/usr/bin/python3
"""Writes the numbers of one run of `make reproduce` into docs/reproduce.md.

    fill_numbers.py RESULTS            and keeps RESULTS as docs/reproduce.json
    fill_numbers.py --check RESULTS    changes nothing; fails where a document says something else

A region that is filled stands between <!-- numbers: NAME --> and <!-- end of numbers -->. Nobody
types a number there.
"""
import json
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))
DOCUMENTS = (os.path.join("docs", "reproduce.md"),)
KEPT = os.path.join("docs", "reproduce.json")
REGION = re.compile(r"(<!-- numbers: ([a-z-]+) -->\n).*?(<!-- end of numbers -->)", re.DOTALL)


OLDER = """This run is older than what is said above. Some of sotto's rows had finer grids and more settings
than the papers' rows, and settings from earlier searches competed in them. Settings were not
counted. DP-GCD was not run by the letter, nor DP-SGD on single rows. DP-CD with the paper's noise
went through the coordinates in a permuted order."""


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    return "\n".join([row(head), row(["---"] * len(head)), *map(row, rows)])


def plain(words):
    """Without the page's marks."""
    return words.replace("<sub>", "_").replace("</sub>", "")


def remark(results):
    """What a run that is older than the one grid has otherwise."""
    if all("tried" in e["result"] for e in results.entries):
        return ""
    return "\n\n" + OLDER


def place(results):
    """DP-GCD by the letter beside noise on the score, and DP-SGD on single rows beside batches."""
    from experiments.papers import DPGCD_SUPPORT
    from experiments.solvers import NAMED
    from experiments.views import label, name, proven
    from experiments.html import number
    keys = ("gcd-literal-gs-r", "gcd-paper-gs-r", "gcd", "sgd-single", "sgd-paper")
    rows = []
    for problem in (p for p in NAMED if p in results.problems):
        found = [results.best(problem, k) for k in keys]
        if not (found[0] or found[3]):
            continue
        cells = [number(e["result"]["mean"]) if e else "–" for e in found]
        said = DPGCD_SUPPORT.get(problem)
        rows.append([name(problem), number(said["gcd"][2]) if said else "–", cells[0],
                     proven(found[0]) if found[0] else "–", *cells[1:]])
    if not rows:
        return "The last run does not have these rows."
    return table(["problem", "DP-GCD, printed", label(keys[0]), "what is proven of it",
                  *(label(k) for k in keys[1:])], rows)


def families(told):
    """The generated families at epsilon 1."""
    from experiments.knobs import summary_rows
    return f"{told['families']['runs']} runs of each point.\n\n" + table(
        ["family", "loss", "knob", "its values", "`auto`", "DP-GD, untuned", "best constant"],
        summary_rows(told["families"]))


def regions(told):
    """What stands in each region."""
    from experiments import bounds
    from experiments.html import number
    from experiments.overview import target_rows
    from experiments.papers import PAPERS_BEST
    from experiments.solvers import BY_KEY, NAMED
    from experiments.coverage import rows as coverage
    from experiments.views import Results, free, free_of, label, name, settings, tried_words
    results = Results(told)
    targets = [t for t in target_rows(results) if t["entry"]]
    short, long = [], []
    for t in targets:
        e, auto, paper = t["entry"], t["auto"], PAPERS_BEST.get(t["problem"])
        title = name(t["problem"]) + (f", {t['words']}" if t["words"] else "")
        cells = [title, f"{number(e['result']['mean'])} ({label(e['solver'])})",
                 number(auto["result"]["mean"]) if auto and not t["only"] else "–",
                 f"{number(paper[0])} ({paper[1]})" if paper and not t["only"] else "–"]
        if not t["only"]:
            short.append([*cells[:2], plain(free_of(e)), *cells[2:]])
        long.append([title, label(e["solver"]), f"{number(e['result']['mean'])} ± "
                     f"{number(e['result']['std'])}", number(t["target"]),
                     "met" if t["met"] else "missed", *cells[2:], settings(e)])
    problems = [p for p in NAMED if p in results.problems]
    matrix = [[label(k), plain(free(k)), tried_words(results, problems, k), BY_KEY[k].adjacency] +
              [number(results.best(p, k)["result"]["mean"]) if results.best(p, k) else "–"
               for p in problems] for k in BY_KEY if any(results.best(p, k) for p in problems)]
    run = (f"{'Quick grids' if told['quick'] else 'The full grids'}, {results.runs} runs of each entry, "
           f"{len(results.entries)} entries; {sum(t['met'] for t in targets)} of {len(targets)} targets are met."
           + remark(results))
    return {"families": families(told),
            "reached": table(["problem", "sotto, tuned as the papers tune", "it knows for free",
                              "`auto`, untuned, bounds = next power of two above the largest value",
                              "papers, tuned; n and M_j for free"], short),
            "bounds": "\n".join(textwrap.wrap(bounds.WORDS, 100)) + "\n\n" + table(bounds.HEAD, bounds.rows(results)),
            "run": run, "place": place(results),
            "targets": table(["problem", "solver", "mean ± std", "target", "", "`auto`",
                              "papers' best", "settings"], long),
            "all": table(["solver", "knows for free", "settings tried", "adjacency"] +
                         [name(p) for p in problems], matrix),
            "coverage": table(["paper", "item", "what it shows", "status", "why"], coverage(results))}


def filled(text, values):
    """The text with its regions filled; one that nobody fills is an error."""
    def fill(found):
        if found[2] not in values:
            raise SystemExit(f"fill_numbers: no such region: {found[2]}")
        return found[1] + values[found[2]] + "\n" + found[3]
    return REGION.sub(fill, text)


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    if len(words) != 1:
        sys.exit("usage: fill_numbers.py [--check] RESULTS")
    with open(words[0], encoding="utf-8") as file:
        source = file.read()
    values, wrong = regions(json.loads(source)), []
    for name in DOCUMENTS:
        path = os.path.join(ROOT, name)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = filled(before, values)
        if "--check" in sys.argv:
            wrong += [name] if after != before else []
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)
    if wrong:
        sys.exit(f"fill_numbers: {', '.join(wrong)}: not the numbers of {words[0]}; run "
                 f"tools/fill_numbers.py {words[0]}")
    if "--check" not in sys.argv:
        with open(os.path.join(ROOT, KEPT), "w", encoding="utf-8") as file:
            file.write(source)


if __name__ == "__main__":
    main()
