"""Questions to the results that several sections ask."""
import math

from .html import number, table, upward
from .papers import NAMES
from .plan import SCD_SOLVERS
from .solvers import BY_KEY


def label(solver):
    return BY_KEY[solver].label if solver in BY_KEY else SCD_SOLVERS.get(solver, solver)


class Results:
    """Entries that were not refused, by problem, solver and group."""

    def __init__(self, told):
        self.told, self.problems = told, told["problems"]
        self.entries = [e for e in told["entries"] if "mean" in e["result"]]
        self.runs = told["effort"]["final"]

    def all(self, problem, solver, group="passes"):
        found = [e for e in self.entries if e["problem"] == problem and e["solver"] == solver and
                 e["group"] == group]
        return sorted(found, key=lambda e: (e.get("passes", 0), e["epsilon"]))

    def best(self, problem, solver, group="passes"):
        """The number of passes is a setting, too."""
        return min(self.all(problem, solver, group), key=lambda e: e["result"]["mean"],
                   default=None)

    def at(self, problem, solver, passes):
        return next((e for e in self.all(problem, solver) if e.get("passes") == passes), None)

    def tried(self, problem, solver, group="passes"):
        """How many settings a row tried, its numbers of passes among them; None: it was not counted."""
        counts = [e["result"].get("tried") for e in self.all(problem, solver, group)]
        return sum(counts) if counts and None not in counts else None

    def solvers(self, problem, group="passes"):
        return [k for k in BY_KEY if self.all(problem, k, group)]

    def best_of(self, problem, group="passes", only=None):
        """The best that sotto has for replace-one, tuned."""
        keys = [only] if only else [k for k in self.solvers(problem, group) if BY_KEY[k].ours and
                                    k != "auto" and BY_KEY[k].adjacency == "replace-one"]
        found = [self.best(problem, k, group) for k in keys]
        return min((e for e in found if e), key=lambda e: e["result"]["mean"], default=None)


def points(entries, x="passes", what=""):
    """For plots: (x, mean, min, max)."""
    return [(e[x], *(e["result"][what + k] for k in ("mean", "min", "max"))) for e in entries]


def settings(entry):
    """The settings that tuning chose, in a line."""
    words = {**entry["settings"]}
    if "passes" in entry:
        words = {"passes": entry["passes"], **words}
    if "schema" in words:
        share = ".".join(words["schema"].split(".")[1:-1])
        words["schema"] = f"bounds {share} of the largest"
    shown = (str(v) if k == "schema" else f"{k} {number(v) if isinstance(v, float) else v}"
             for k, v in words.items())
    return ", ".join(shown) or "none"


def entry_rows(entries, with_epsilon=False):
    """Rows of the table beneath a plot."""
    out = []
    for e in entries:
        r = e["result"]
        place = number(e["epsilon"]) if with_epsilon else (
            number(e["passes"]) if "passes" in e else "–")
        out.append([label(e["solver"]), place, number(r["mean"]), number(r["std"]),
                    number(r["min"]), number(r["max"]), str(r["runs"]), e["adjacency"],
                    settings(e)])
    return out


HEAD = ["solver", "passes", "mean", "std", "min", "max", "runs", "adjacency", "settings"]


def entry_table(entries, name="", with_epsilon=False):
    head = HEAD if not with_epsilon else ["solver", "ε"] + HEAD[2:]
    return table(head, entry_rows(entries, with_epsilon), name)


def apart(first, second):
    """-1: the first is better, 1: the second is, 0: they cannot be told apart."""
    a, b = first["result"], second["result"]
    error = math.sqrt(a["std"]**2 / a["runs"] + b["std"]**2 / b["runs"])
    # errors of 1e-3 of each other are the same to a reader as well
    if abs(a["mean"] - b["mean"]) <= max(2 * error, 1e-3 * abs(a["mean"])):
        return 0
    return -1 if a["mean"] < b["mean"] else 1


def proven(entry):
    """The price of a paper's own noise, where that is proven to be another one."""
    value = entry["result"].get("proven")
    if value is None:
        return "not covered" if is_literal(entry["solver"]) else f"ε {number(entry['epsilon'])}"
    return f"ε {upward(value):g}" if value < 1e200 else "nothing"


def is_literal(solver):
    return solver in BY_KEY and BY_KEY[solver].literal


def free(solver):
    """What a row is told of the records without paying for it."""
    told = BY_KEY[solver].free
    return "n" if told == "nothing" else f"n, {told}"


def free_of(entry):
    """The same of an entry: a group may be told less."""
    return "n, bounds 0 and 1" if entry["group"] == "public" else free(entry["solver"])


def tried_words(results, problems, solver):
    """Settings that a row tried, over problems."""
    found = [results.tried(p, solver) for p in problems if results.all(p, solver)]
    if not found or None in found:
        return "not counted"
    return number(found[0]) if min(found) == max(found) else f"{min(found)} to {max(found)}"


def name(problem):
    return NAMES.get(problem, problem)
