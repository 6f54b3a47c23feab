#!/usr/bin/python3
"""How many files of src/ does it take to add something?

For each recipe of CONTRIBUTING.md this counts the files of src/ whose code
(comments left out) names an example that is there already: what names the
example would have to name the next one, too.

    tools/touched.py            counts, with the files
    tools/touched.py --check    fails where a limit is exceeded
    tools/touched.py --at REV   counts in a commit
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# recipe: (example, what names it in code, files apart, the most files that it
# may take). Files apart use the example and are another recipe's: the solver
# that asks the question, the synthetic sets that are written in the format.
# A loss is counted without its parameter, which is an option; a format
# without messages, which tell of all files whose columns have numbers.
RECIPES = {
    "question": ("ASK_DIFFERENCE",
                 r"ASK_DIFFERENCE|ask_difference|batch difference",
                 r"/svrg\.c|/use_svrg\.c", 4),
    "mechanism": ("ASK_LAPLACE", r"ASK_LAPLACE|ACCOUNT_LAPLACE|noise_laplace",
                  r"src/noise/|src/account/", None),
    "solver": ("svrg", r"svrg|SVRG", None, 3),
    "loss": ("huber", r"HUBER(?!_DELTA)|huber(?![-_]delta)", None, 6),
    "format": ("svmlight", r"svmlight_|_svmlight|SVMLIGHT|ROW\(svmlight",
               r"/generate\.c", 3),
    "option": ("--batch-rate", r"\"batch-rate\"|BATCH_RATE", None, None),
}


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, text=True,
                          capture_output=True).stdout


def sources(at):
    """path -> text of every C file of src/, as it is or in a commit."""
    if at:
        paths = git("ls-tree", "-r", "--name-only", at, "src").split()
        return {p: git("show", f"{at}:{p}") for p in paths
                if p.endswith((".c", ".h"))}
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, ROOT)] = file.read()
    return found


def code_of(text):
    """C without comments. What looks like one inside a string stays."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*")',
                  lambda m: m[1] or " ", text, flags=re.S)


def touched(files, names, apart):
    return sorted(path for path, code in files.items()
                  if re.search(names, code) and
                  not (apart and re.search(apart, path)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--at", metavar="REV", help="a commit to count in")
    parser.add_argument("--check", action="store_true")
    wants = parser.parse_args()
    files = {p: code_of(t) for p, t in sources(wants.at).items()}
    too_many = False
    for recipe, (example, names, apart, most) in RECIPES.items():
        found = touched(files, names, apart)
        over = most is not None and len(found) > most
        too_many |= over
        limit = f", at most {most}" if most is not None else ""
        print(f"{recipe} ({example}): {len(found)} files{limit}"
              f"{': TOO MANY' if over else ''}")
        for path in found:
            print(f"    {path}")
    return 1 if wants.check and too_many else 0


if __name__ == "__main__":
    sys.exit(main())
