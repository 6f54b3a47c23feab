#!/usr/bin/python3
"""Comparisons of the papers on the papers' problems: runs them, and writes a report.

    reproduce.py [--quick] [--runs N] [--data DIR] [--only NAME,...] [--build build] [--out DIR]

Which of their figures and tables are there, the report says (experiments/coverage.py).

Writes DIR/results.json and DIR/report.html (DIR: BUILD/reproduce). What was found is kept in
DIR/cells.jsonl, of generated families (families.py) in DIR/families.json, as it comes: run again
after an interruption, it goes on from there. Everything is
tuned without privacy, as the papers do, but for `auto`. The noise comes from fixed seeds, so the
numbers are the same everywhere; nothing of this is private.
"""
import argparse
import dataclasses
import hashlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import families  # noqa: E402
from experiments import accountants, bounds, plan, tuning  # noqa: E402
from experiments.data import ROOT, Maker, named  # noqa: E402
from experiments.engine import Engine, Log, finished, short  # noqa: E402
from experiments.html import upward  # noqa: E402
from experiments.page import write_page  # noqa: E402
from experiments.solvers import BY_KEY, NAMED, SCD_TASKS  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--out")
    parser.add_argument("--data")
    parser.add_argument("--quick", action="store_true", help="coarser grids and fewer runs")
    parser.add_argument("--runs", type=int, help="of each entry (100; quick: 25)")
    parser.add_argument("--only", help="these problems")
    parser.add_argument("--solvers", help="these solvers, on the named problems")
    parser.add_argument("--tiny", action="store_true", help="small tables, hardly tuned: for tests")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--trust", action="store_true",
                        help="go on with results that another build has made")
    parser.add_argument("--so-far", action="store_true",
                        help="run nothing, and write the page of what there is")
    parser.add_argument("--families", action="store_true",
                        help="only run the generated families, and put them into results.json")
    parser.add_argument("--bounds", action="store_true",
                        help="only compute the theorems' bounds, and put them into results.json")
    parser.add_argument("--page", action="store_true",
                        help="only write the page anew, from results.json")
    a = parser.parse_args()
    a.build = os.path.abspath(a.build)
    a.out = os.path.abspath(a.out or os.path.join(a.build, "reproduce"))
    return a


def chosen(words, known, what):
    """Names with commas between them; all without."""
    names = words.split(",") if words else known
    for name in names:
        if name not in known:
            sys.exit(f"reproduce: no such {what}: {name}; there are {', '.join(known)}")
    return names


def made_problems(a, maker):
    """(problems by name, a line for each that is missing)."""
    names = chosen(a.only, NAMED + SCD_TASKS, "problem")
    made, missing = {}, []
    for name in names:
        try:
            made[name] = maker.task(name) if name in SCD_TASKS else maker.make(name)
        except named.DataError as error:
            missing.append(f"{name} is left out: {error}")
            print("reproduce: " + missing[-1], file=sys.stderr)
    return made, missing


def open_problems(engine, problems):
    """The minimisers: of each problem, and with an intercept."""
    for p in problems.values():
        words = {**p.words(), "epsilon": "inf"}
        engine.problem(p.name, p.file, p.test, {**words, "intercept": "no"})
        if p.name in SCD_TASKS:
            continue
        engine.problem(p.name + "~intercept", p.file, "", {**words, "intercept": "yes"})


def described(p, engine):
    told = engine.problems[p.name]
    return {"about": p.about, "loss": p.loss, "rows": p.rows, "features": p.features, "l1": p.l1,
            "l2": p.l2, "epsilon": p.epsilon, "delta": short(p.delta), "best": short(told["best"]),
            "zero": short(told["zero"]), "quality": told.get("quality"),
            "clips": {k: short(v) for k, v in p.clip.items()}, "beta": p.beta,
            "weights": [float(f"{w:.3g}") for w in sorted(told["weights"], reverse=True)]}


UNSHOWN = ("seconds_std", "median")       # kept in cells.jsonl


def rounded(value):
    """Four digits are more than noise leaves, and than the page shows."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def kept(key, value):
    """Prices are rounded up."""
    return upward(value, 4) if key == "proven" else rounded(value)


def entry(study, settings, result):
    unshown = UNSHOWN + (() if float(study.words.get("l1", 1)) > 0 else ("right", "wrong"))
    out = {"problem": study.problem, "solver": study.solver, "group": study.group,
           "epsilon": study.epsilon, "adjacency": study.adjacency, "settings": settings,
           "result": {k: kept(k, v) for k, v in result.items() if k not in unshown}}
    return out | ({"passes": study.passes} if study.passes is not None else {})


def stamp(a, problems):
    """Results are of a build, of data."""
    with open(os.path.join(a.build, "bench", "bench_reproduce"), "rb") as file:
        program = hashlib.sha256(file.read()).hexdigest()[:16]
    sizes = [f"{p.name} {p.rows}x{p.features} {p.clip['plain']:.10g}" for p in problems.values()]
    return {"program": program, "data": hashlib.sha256(" ".join(sizes).encode()).hexdigest()[:16]}


def run(a, effort):
    wanted = chosen(a.solvers, list(BY_KEY) + list(plan.SCD_SOLVERS), "solver")
    folder = os.path.join(a.out, "data")
    problems, missing = made_problems(a, Maker(folder, named.find_data_dir(a.data), a.tiny))
    log = Log(os.path.join(a.out, "cells.jsonl"), stamp(a, problems), a.trust)
    engine = Engine(os.path.join(a.build, "bench", "bench_reproduce"), folder, log, a.threads)
    try:
        open_problems(engine, problems)
        weights = {n: sum(engine.problems[n]["weights"]) for n in problems}
        studies = plan.everything(problems, a.quick, weights)
        studies = [s for s in studies if s.solver in wanted]
        if a.so_far:
            found = finished(studies, effort, log.known)
            if len(found) < len(studies):
                missing.append(f"{len(studies) - len(found)} of {len(studies)} entries: not run yet")
        else:
            found = engine.run(studies, effort)
    except BaseException:
        engine.stop()
        raise
    engine.close()
    return {"quick": a.quick, "effort": dataclasses.asdict(effort), "missing": missing,
            "problems": {n: described(p, engine) for n, p in problems.items()},
            "entries": [entry(*f) for f in found],
            "accountants": accountants.table(os.path.join(a.build, "sotto"), a.tiny),
            "families": run_families(a),
            "bounds": bounds.measure(os.path.join(a.build, "sotto"), folder, problems,
                                     {n: described(p, engine) for n, p in problems.items()})}


def run_bounds(a, told):
    """The theorems' bounds for the problems of results that are there."""
    folder = os.path.join(a.out, "data")
    a.only = ",".join(told["problems"])
    problems, missing = made_problems(a, Maker(folder, named.find_data_dir(a.data), a.tiny))
    if missing:
        sys.exit("reproduce: the bounds need the data of all problems that there are results of")
    return bounds.measure(os.path.join(a.build, "sotto"), folder, problems, told["problems"])


def run_families(a):
    """Some problems or solvers alone, or the page of what there is, need no new ones."""
    path = os.path.join(a.out, "families.json")
    runs = a.runs or (families.TINY_RUNS if a.tiny else families.QUICK_RUNS if a.quick else families.RUNS)
    if a.families or not (a.only or a.solvers or a.so_far):
        return families.measure(a.build, path, runs, tiny=a.tiny, threads=a.threads)
    return families.for_page(*families.kept(path))


def write_whole(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def main():
    a = arguments()
    os.makedirs(a.out, exist_ok=True)
    results = os.path.join(a.out, "results.json")
    if a.page or a.families or a.bounds:
        with open(results, encoding="utf-8") as file:
            told = json.load(file)
        if a.families:
            told["families"] = run_families(a)
        if a.bounds:
            told["bounds"] = run_bounds(a, told)
        if a.families or a.bounds:
            write_whole(results, json.dumps(told, separators=(",", ":")) + "\n")
    else:
        effort = dataclasses.replace(tuning.TINY if a.tiny else tuning.QUICK if a.quick else
                                     tuning.FULL)
        a.quick |= a.tiny
        effort.final = a.runs or effort.final
        begun = time.time()
        told = run(a, effort)
        print(f"reproduce: {len(told['entries'])} entries in {(time.time() - begun) / 60:.1f} min",
              file=sys.stderr)
        write_whole(results, json.dumps(told, separators=(",", ":")) + "\n")
    write_whole(os.path.join(a.out, "report.html"), write_page(told))
    print(f"wrote {os.path.join(a.out, 'report.html')} and {results}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nreproduce: interrupted; run it again to go on")
