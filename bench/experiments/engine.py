"""One process of bench_reproduce, kept busy; what it answers is on the disk before it is used."""
import json
import os
import queue
import subprocess
import sys
import threading
import time

import numpy as np

from .html import upward
from .tuning import tune

AHEAD = 64       # cells that wait in the process


def short(x):
    """Six digits are more than noise leaves."""
    return float(f"{x:.6g}")


def reduced(answer):
    """What of a cell's runs is kept."""
    if "failed" in answer:
        return {"failed": answer["failed"]}
    error = np.minimum(np.array(answer["error"]), 1e9)
    out = {"runs": len(error), "mean": short(error.mean()), "std": short(error.std()),
           "min": short(error.min()), "median": short(np.median(error)),
           "max": short(error.max()), "right": short(np.mean(answer["right"])),
           "wrong": short(np.mean(answer["wrong"])), "seconds": short(np.mean(answer["seconds"])),
           "seconds_std": short(np.std(answer["seconds"]))}
    if "quality" in answer:
        out["quality"] = short(np.mean(answer["quality"]))
        out["quality_std"] = short(np.std(answer["quality"]))
        out["quality_min"] = short(np.min(answer["quality"]))
        out["quality_max"] = short(np.max(answer["quality"]))
    if "proven" in answer:
        out["proven"] = upward(answer["proven"], 6)
    return out


class Log:
    """Results that are there already, one line each; a line that was cut off is forgotten."""

    def __init__(self, path, stamp, trust=False):
        self.path, self.known = path, {}
        lines = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")[:-1]       # the last one, if it is whole, is ""
        if lines and (trust or self.parsed(lines[0]) == {"stamp": stamp}):
            for line in lines[1:]:
                entry = self.parsed(line)
                if entry:
                    self.known[entry["id"]] = entry["result"]
        elif lines:
            print("reproduce: made by another build or for other data: begun anew",
                  file=sys.stderr)
        fresh = path + ".new"
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(json.dumps({"stamp": stamp}) + "\n")
            for name, result in self.known.items():
                file.write(json.dumps({"id": name, "result": result}) + "\n")
        os.replace(fresh, path)
        self.file = open(path, "a", encoding="utf-8")

    @staticmethod
    def parsed(line):
        try:
            return json.loads(line)
        except ValueError:
            return None

    def add(self, name, result):
        self.known[name] = result
        self.file.write(json.dumps({"id": name, "result": result}) + "\n")
        self.file.flush()


class Progress:
    """A bar, and how long it may still take; a line now and then where nobody watches."""

    def __init__(self, total, out=sys.stderr):
        self.total, self.done, self.begun, self.out = max(total, 1e-9), 0., time.time(), out
        self.fresh = 0.       # of `done`, what was not on the disk already
        self.said, self.every = 0., .2 if out.isatty() else 30.

    def add(self, amount, fresh):
        self.done += amount
        self.fresh += amount if fresh else 0

    def show(self, what="", last=False):
        now = time.time()
        if not last and now - self.said < self.every:
            return
        self.said = now
        share = min(self.done / self.total, 1)
        spent = now - self.begun
        left = ""
        if self.fresh > .02 * self.total or self.fresh and spent > 20:
            seconds = spent * (self.total - self.done) / self.fresh
            left = "done" if last else (f"about {seconds / 60:.0f} min left" if seconds > 90 else
                                        f"about {max(seconds, 0):.0f} s left")
        bar = "#" * int(24 * share) + "-" * (24 - int(24 * share))
        line = f"[{bar}] {100 * share:3.0f} %  {left:20} {what[:44]:44}"
        print("\r" + line if self.out.isatty() else line, end="" if self.out.isatty() and not last
              else "\n", file=self.out, flush=True)


class Engine:
    """Sends cells, keeps results, and drives studies until all of them are through."""

    def __init__(self, program, folder, log, threads):
        self.log = log
        self.process = subprocess.Popen([program, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, cwd=folder)
        self.answers, self.waiting, self.problems = queue.Queue(), {}, {}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.answers.put(json.loads(line))
        self.answers.put(None)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.log.file.close()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.file.close()

    def say(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def answer(self):
        got = self.answers.get()
        if got is None:
            raise SystemExit("reproduce: bench_reproduce ended early")
        return got

    def problem(self, name, file, test, words):
        """What the exact solver says of a problem."""
        self.say("problem", name, file, test, *(f"{k}={v}" for k, v in words.items()))
        got = self.answer()
        if "failed" in got:
            raise SystemExit(f"reproduce: {name}: {got['failed']}")
        self.problems[name] = got
        return got

    def send(self, cell, back):
        self.say("cell", cell.study.judge, cell.identity(), cell.study.file, cell.runs,
                 cell.seed(), *cell.words())
        self.waiting[cell.identity()] = back

    # studies

    def run(self, studies, effort, out=sys.stderr):
        """[(study, settings, result)] of all of them, in their order."""
        runs = [Running(i, s, effort) for i, s in enumerate(studies)]
        progress = Progress(sum(r.expected for r in runs), out)
        results, ready, following = {}, [], iter(runs)
        while len(results) < len(runs):
            while len(self.waiting) < AHEAD:
                running = ready.pop(0) if ready else next(following, None)
                if running is None:
                    break
                self.advance(running, results, ready, progress)
            if self.waiting:
                self.take(ready, progress)
        progress.show(last=True)
        return [(r.study, *results[r.number]) for r in runs]

    def advance(self, running, results, ready, progress):
        """Sends the next cells of a study, or keeps what it came to."""
        try:
            cells = running.next()
        except StopIteration as end:
            results[running.number] = end.value
            progress.add(*running.rest())
            return
        running.cells, running.got = cells, {}
        for cell in cells:
            name = cell.identity()
            if name in self.log.known:
                running.got[name] = self.log.known[name]
            elif name not in self.waiting:
                running.fresh = True
                self.send(cell, running)
        if running.is_complete():
            ready.append(running)

    def take(self, ready, progress):
        got = self.answer()
        running = self.waiting.pop(got["id"])
        result = reduced(got)
        self.log.add(got["id"], result)
        running.got[got["id"]] = result
        progress.add(*running.part(result))
        progress.show(running.study.key())
        if running.is_complete():
            ready.insert(0, running)


def finished(studies, effort, known):
    """[(study, settings, result)] of those that the log has all of."""
    out = []
    for study in studies:
        steps = tune(study, effort)
        try:
            cells = next(steps)
            while all(c.identity() in known for c in cells):
                cells = steps.send([known[c.identity()] for c in cells])
        except StopIteration as end:
            out.append((study, *end.value))
    return out


class Running:
    """A study on its way."""

    def __init__(self, number, study, effort):
        self.number, self.study, self.steps = number, study, tune(study, effort)
        self.expected, self.counted = study.expected(effort), 0.
        self.cells, self.got, self.fresh = None, {}, False

    def is_complete(self):
        return len(self.got) == len({c.identity() for c in self.cells})

    def next(self):
        if self.cells is None:
            return next(self.steps)
        return self.steps.send([self.got[c.identity()] for c in self.cells])

    def part(self, result):
        """What a cell is of the work that was expected."""
        amount = min(result.get("runs", 1) * self.study.cost, self.expected - self.counted)
        self.counted += amount
        return amount, True

    def rest(self):
        return self.expected - self.counted, self.fresh
