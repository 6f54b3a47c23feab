#!/usr/bin/python3
"""python_reference.py PACKAGE: docs/python-api.md, on stdout, from the package's docstrings.

PACKAGE is the folder that sotto_dp is in, build/python. What a name is for stands in its docstring
and nowhere else; a test compares the page with it.
"""
import inspect
import re
import sys
import textwrap

WIDTH = 100
HEAD = """\
# Python, name by name

*Reference, for people who know what they want to call; [python.md](python.md) shows how.*

`tools/python_reference.py` writes this page from the docstrings of `sotto_dp`. What every estimator
has is listed once, under `LogisticRegression`.
"""
# heading, names in the order in which people meet them
GROUPS = (
    ("Estimators", ("LogisticRegression", "LinearRegression", "LinearSVC", "HuberRegressor")),
    ("Plans, models and evaluations", ("Plan", "load", "Evaluation", "Estimate", "Progress")),
    ("Budgets", ("Ledger", "Dataset", "Entry", "Quote")),
    ("Declarations", ("Schema", "Number", "Category", "Boolean", "Date", "Person", "Target",
                      "Weight", "Drop", "Column")),
    ("Pipelines", ("check", "make_pipeline", "Finding")),
    ("Errors and warnings", ("SottoError", "UsageError", "DataError", "BudgetError",
                             "PrivacyError", "SottoWarning", "NotPrivateWarning",
                             "RemarkWarning", "UntrackedWarning")),
)


def filled(text, first="", rest=""):
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=first,
                         subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def plain(text):
    """Docstrings are no Markdown: names in quotes of theirs become code, stars stay stars."""
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([*_|<\[])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def paragraphs(lines):
    """Text and examples: a list of (is_code, lines)."""
    block, out = [], []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            out.append((block[0].lstrip().startswith(">>>") or
                        (block[0].startswith("    ") and not out[-1:] == []), block))
            block = []
    return out


def prose(lines, indent=""):
    out = []
    for is_code, block in paragraphs(lines):
        if is_code:
            code = textwrap.dedent("\n".join(block)).split("\n")
            out.append("\n".join(indent + line for line in ["```python", *code, "```"]))
        else:
            out.append(filled(plain(" ".join(block)), indent, indent))
    return "\n\n".join(out)


def entries(lines, named):
    """`name : type`, or a type alone, and what is indented below it."""
    out = []
    for line in lines:
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            out.append((name, kind, []))
        elif out:
            out[-1][2].append(line[4:])
    items = []
    for name, kind, text in out:
        head = (", ".join(f"`{one.strip()}`" for one in name.split(",")) if named
                else plain(name))
        head += f" ({plain(kind)})" if kind else ""
        body = plain(" ".join(" ".join(text).split()))
        items.append(filled(f"{head}: {body}" if body else head, "- ", "  "))
    return "\n".join(items)


def documented(text):
    """A docstring in numpydoc's form."""
    lines = text.split("\n")
    marks = [i for i in range(1, len(lines)) if lines[i] and set(lines[i]) == {"-"}
             and len(lines[i]) >= 3]
    parts = [prose(lines[:marks[0] - 1] if marks else lines)]
    for mark, after in zip(marks, [*marks[1:], len(lines) + 1]):
        body = lines[mark + 1:after - 1]
        title = lines[mark - 1]
        parts.append(f"*{title}*")
        parts.append(prose(body) if title in ("Examples", "Notes")
                     else entries(body, title in ("Parameters", "Attributes", "Raises")))
    return "\n\n".join(part for part in parts if part)


def signature(name, value):
    try:
        shown = inspect.signature(value)
    except ValueError:
        return name
    kept = [one.replace(annotation=inspect.Parameter.empty)
            for key, one in shown.parameters.items() if key not in ("self", "cls")]
    text = str(shown.replace(parameters=kept, return_annotation=inspect.Signature.empty))
    lines = textwrap.wrap(name + text, WIDTH - 4, subsequent_indent=" " * (len(name) + 1),
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def own_members(cls, known):
    """Methods and properties with a docstring that were not listed yet."""
    for name, value in sorted(inspect.getmembers(cls)):
        wanted = inspect.isfunction(value) or inspect.ismethod(value) or isinstance(value, property)
        if name.startswith("_") or not wanted or not inspect.getdoc(value):
            continue
        if not (getattr(value, "__module__", None) or
                value.fget.__module__).startswith("sotto_dp"):
            continue
        text = inspect.getdoc(value)
        if (name, text) not in known:
            known.add((name, text))
            yield name, value, text


def described(package, name, known):
    value = getattr(package, name)
    is_plain = not inspect.isclass(value) or issubclass(value, Exception)
    yield f"### {name}"
    if not (inspect.isclass(value) and issubclass(value, Exception)):
        yield "```python\n" + signature(name, value) + "\n```"
    yield documented(inspect.getdoc(value) or "")
    for member, found, text in own_members(value, known) if not is_plain else ():
        yield f"#### {name}.{member}"
        if not isinstance(found, property):
            yield "```python\n" + signature(member, found) + "\n```"
        yield documented(text)


def page(package):
    listed = [name for _, names in GROUPS for name in names]
    if sorted(listed) != sorted(package.__all__):
        sys.exit("python_reference: GROUPS and __all__ differ: "
                 f"{sorted(set(listed) ^ set(package.__all__))}")
    known, parts = set(), [HEAD.rstrip()]
    for heading, names in GROUPS:
        parts.append(f"## {heading}")
        for name in names:
            parts.extend(described(package, name, known))
    return "\n\n".join(part for part in parts if part) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import sotto_dp
    sys.stdout.write(page(sotto_dp))
