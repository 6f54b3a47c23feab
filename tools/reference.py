#!/usr/bin/env python3
"""reference.py man|man-federate|man-mpi|bash REFERENCE: the man page of sotto, of
sotto-federate or of sotto-mpi in scdoc's format, or completion for bash, on stdout.

REFERENCE is what `sotto help --json` printed. Verbs and options come from there
and nowhere else: nothing here has to change when one is added.
"""
import json
import re
import shlex
import sys

# Shown when the program has the verb and all the options. A test runs them in
# this order, in the folder that `make demo` leaves.
EXAMPLES = (
    ("Declare what is known about the columns, and fill it in:",
     "sotto schema patients.csv --target readmitted -o template.json"),
    ("See what training would read (not for release):",
     "sotto doctor patients.csv --schema schema.json --loss logistic"),
    ("See what private training would ask, and why, without reading a record:",
     "sotto plan --explain --schema schema.json --rows 20000 "
     "--loss logistic --epsilon 1 --delta 1e-6"),
    ("Train with a privacy budget, and see what is promised:",
     "sotto train patients.csv --schema schema.json --loss logistic "
     "--epsilon 1 --delta 1e-6 -o model.json"),
    ("", "sotto show model.json"),
    ("", "sotto report model.json -o page.html"),
    ("Use the model (not for release):",
     "sotto predict model.json new.csv --proba"),
    ("", "sotto evaluate model.json patients.csv"),
    ("Train exactly, without privacy, to compare:",
     "sotto train patients.csv --schema schema.json --loss logistic "
     "--epsilon inf --l2 0.001 --penalty-units spread -o other.json"),
    ("Price 100 answers with Gaussian noise of 20 times their sensitivity:",
     "sotto account --event 'GAUSS(1/20)*100' --adjacency add-remove "
     "--delta 1e-6"),
    ("Give a data set one budget for all runs, and see what is left of it:",
     "sotto ledger create --ledger team.ledger --dataset patients "
     "--epsilon 3 --delta 1e-6 --unit-column patient"),
    ("", "sotto ledger show --ledger team.ledger"),
    ("Let two parties with different columns find a model, in one process:",
     "sotto federate simulate people.csv --columns parties.json "
     "--epsilon 4 --delta 1e-6 -o together.json"),
    ("Make data to try things on:",
     "sotto generate zipf-heavy --rows 1000 --features 500 -o words.svm"),
)

# Of sotto-mpi, in the same folder.
MPI_EXAMPLES = (
    ("Train one model by two processes:",
     "mpirun -q -n 2 sotto-mpi train patients.csv --schema schema.json --loss logistic "
     "--epsilon 1 --delta 1e-6 -o by-two.json"),
    ("Use it (not for release):",
     "mpirun -q -n 2 sotto-mpi predict by-two.json new.csv --proba"),
)

FEDERATE_EXAMPLES = (
    ("Let two parties with different columns find a model, in one process:",
     "sotto federate simulate people.csv --columns parties.json "
     "--epsilon 4 --delta 1e-6 -o a-model.json"),
)

EXAMPLES_PLACE = """\
These run in the folder build/demo of the source, which *make demo* makes."""

DESCRIPTION = """\
*sotto* is for linear models of records that must not leak: linear and logistic
regression and support vector machines, with differential privacy. The records
come as CSV, svmlight/LIBSVM or NumPy .npy, also gzipped; a file called - is
stdin or stdout.

Options may stand before, between and after the arguments, as *--name* _VALUE_
or *--name=*_VALUE_. Of an option given twice the last value counts, but a list
grows. What follows *--* is an argument, even when it begins with a dash.
*sotto help* _VERB_ and *sotto* _VERB_ *--help* say the same as this page."""

FEDERATE = """\
*sotto-federate* is the part of sotto that trains one model of several parties,
each of which holds other columns about the same people. *sotto federate*
executes it: it lies beside sotto, so that no other verb loads the libraries of
the network. Nobody has to call it by its own name, but it takes the same words."""

MPI = """\
*sotto-mpi* does by several processes on Open MPI, called ranks, what *sotto* does
by one. Each rank reads a share of the rows. The model has the same bits, however
many ranks there are. Every rank must find the files under the same path. The ledger
and the model are on the machine of rank 0, and the run is booked there before any
rank looks at a row. *--threads* and *--memory* are for each rank."""

ENVIRONMENT = """\
*NO_COLOR*
	When it is set and not empty, nothing is printed in colour.

*SOTTO_LEDGER*
	The user's own ledger, where runs are booked unless *--ledger* names
	another one. Else it is sotto/ledger.db in the folder *XDG_STATE_HOME*, or
	in .local/state of *HOME*.

No other variable, and no locale, changes what sotto does."""

PRIVACY = """\
There are two audiences. What goes to stderr, and everything that is called NOT
FOR RELEASE, is for the operator beside the data: it has line numbers and
counts that come from the records. No message quotes a value of a record.

The release is a model file, its report and what *sotto train* prints on
stdout, and nothing else. Of private training it holds only what the privacy budget paid for, and
what was declared without looking at a record. Redirect stdout and stderr to
different places when the former is to be published.

A file is written whole or not at all."""


JSON = """\
Every verb takes *--json*. With exit status 0 stdout is then one object and
nothing else, with the keys listed here; new ones may be added. With another
status the last line of stderr is
{"error": {"status": _NUMBER_, "code": _NAME_, "message": _TEXT_}}, where the
names are those under EXIT STATUS. docs/cli.md says what each key is."""


def man_json(reference):
    yield JSON
    for verb in reference["verbs"]:
        yield f"{bold(verb['name'])}\n\t{escaped(', '.join(verb['json']))}."


def options(reference):
    """Each option and the names of the verbs that take it, without those that
    are for callers of the library."""
    for option in reference["options"]:
        verbs = [verb["name"] for verb in reference["verbs"]
                 if option["name"] in verb["options"]]
        if verbs:
            yield option, verbs


def long_names(option):
    """--name, and --no-name of a flag that is on by itself."""
    return ["--" + option["name"]] + (
        ["--no-" + option["name"]] if option["can_be_off"] else [])


def arguments(verb):
    """The words of the usage, without brackets and dots."""
    return re.sub(r"[\[\].]", "", verb["usage"]).split()


# ---- scdoc ----

def escaped(text):
    """Text in which scdoc sees no mark-up."""
    return re.sub(r"([\\*_])", r"\\\1", text)


def bold(text):
    return f"*{escaped(text)}*"


def prose(text):
    """A paragraph; what stands in quotes becomes bold, and so does a first
    word that would make the line a heading, a list or a table."""
    pieces = re.split(r"(?<!\w)'([^']+)'(?!\w)", " ".join(text.split()))
    if pieces[0].startswith(tuple("#-.;[]|`")):
        pieces[:1] = ["", *re.match(r"(\S+)(.*)", pieces[0]).groups()]
    return "".join(bold(piece) if i % 2 else escaped(piece)
                   for i, piece in enumerate(pieces))


def sentence(text):
    """Prose with a full stop."""
    return prose(text if text.endswith(".") else text + ".")


def usage(verb, program="sotto"):
    """`sotto VERB ARGUMENTS`, the arguments underlined."""
    words = re.sub(r"[^\s\[\]|.]+", lambda word: f"_{escaped(word[0])}_",
                   verb["usage"])
    return " ".join(filter(None, (bold(f"{program} {verb['name']}"), words,
                                  "[_OPTIONS_]")))


def option_head(option):
    """`-o, --output FILE`."""
    names = [bold(name) for name in long_names(option)]
    if option["short"]:
        names.insert(0, bold("-" + option["short"]))
    argument = option["argument"]
    return ", ".join(names) + (f" _{escaped(argument)}_" if argument else "")


def number(x):
    return str(int(x)) if float(x).is_integer() and x < 1e16 else f"{x:g}"


def bounds(option):
    """The bounds in words. A tiny low one is a way to say that 0 is not
    allowed, and a huge high one that the number is finite."""
    low, high = option["low"], option["high"]
    words = []
    if low is not None:
        words.append("above 0" if 0 < low <= 1e-300
                     else f"at least {number(low)}")
    if high is not None and high < 1e300:
        words.append(f"at most {number(high)}")
    return " and ".join(words)


def option_facts(option, verbs):
    """Choices, bounds, default and verbs, a sentence each."""
    facts = []
    if option["choices"]:
        facts.append("One of " + ", ".join(map(bold, option["choices"])) + ".")
    if option["kind"] == "list":
        facts.append("Names separated by commas; may be given again.")
    if bounds(option):
        kind = "A whole number" if option["kind"] == "integer" else "A number"
        facts.append(f"{kind}, {bounds(option)}.")
    if option["default"] is not None:
        facts.append(f"Default: {bold(option['default'])}.")
    facts.append("Taken by " + ", ".join(map(bold, verbs)) + ".")
    return " ".join(facts)


def man_verb(verb, sets, own):
    blocks = [sentence(verb["summary"])]
    if verb["detail"]:
        blocks.append(prose(verb["detail"]))
    if "SET" in arguments(verb):
        blocks += [f"{bold(s['name'])}: {sentence(s['help'])}" for s in sets]
    names = [name for name in verb["options"] if name not in own]
    if names:
        more = " Each solver has more: see SOLVERS." if len(names) < len(verb["options"]) else ""
        blocks.append("Options: " + ", ".join(bold("--" + n) for n in names) + "." + more)
    return "\n".join([usage(verb), "\n\n".join("\t" + b for b in blocks)])


def solver_options(reference):
    """The names of options whose meaning is a solver's."""
    return {option["name"] for solver in reference["solvers"] for option in solver["options"]}


def solver_option(option, named):
    """One line of a solver: the option, what it means there, its default."""
    default = option["default"]
    text = option["meaning"] + (f" (default: {default})" if default else "")
    return f"\t{option_head(named[option['name']])}: {sentence(text)}"


def man_solver(solver, named):
    heads = [f"{bold('--solver ' + solver['name'])}\n\t{sentence(solver['summary'])}"]
    for paper in (False, True):
        own = [solver_option(o, named) for o in solver["options"] if o["for_comparison"] == paper]
        heads += ["\tFor comparison with the paper:"] * bool(own and paper) + own
    return "\n\n".join(heads)


def man_solvers(reference):
    """Every solver with its options; those for comparison with the papers are the last."""
    named = {option["name"]: option for option in reference["options"]}
    yield "A solver takes the options that are listed with it, and refuses those of other solvers."
    for paper in (False, True):
        if paper:
            yield "## For comparison with the papers"
        for solver in reference["solvers"]:
            if solver["for_comparison"] == paper:
                yield man_solver(solver, named)


def man_options(reference, of=()):
    """Each option that is no solver's; of=: those of these verbs alone."""
    own = solver_options(reference)
    for option, verbs in options(reference):
        verbs = [verb for verb in verbs if not of or verb in of]
        if option["name"] in own or not verbs:
            continue
        yield (f"{option_head(option)}\n\t{sentence(option['help'])}\n\n"
               f"\t{option_facts(option, verbs)}")
    yield "*-h*, *--help*\n\tSay how to use the verb. Taken by every verb."


def is_possible(command, verbs):
    """Whether the program has the example's verb and options."""
    program = next(w for w in shlex.split(command) if w.startswith("sotto"))
    name, *words = shlex.split(command.partition(program)[2])
    options = {word[2:] for word in words if word.startswith("--")}
    return name in verbs and options <= set(verbs[name]["options"])


def man_examples(reference, examples=EXAMPLES):
    verbs = {verb["name"]: verb for verb in reference["verbs"]}
    for words, command in examples:
        if is_possible(command, verbs):
            yield "\n\n".join(filter(None, (escaped(words),
                                           f"```\n{command}\n```")))


def man_exits(reference):
    for e in reference["exit_codes"]:
        yield f"*{e['code']}* ({e['name']})\n\t{sentence(e['help'])}"


def man_federate(reference):
    """The page of sotto-federate: the one verb that it is for."""
    verb = next(v for v in reference["verbs"] if v["name"] == "federate")
    parts = [
        f"sotto-federate(1) \"sotto {reference['sotto']}\" \"sotto\"",
        "# NAME", "sotto-federate - private linear models of parties with different columns",
        "# SYNOPSIS", usage(verb),
        "# DESCRIPTION", FEDERATE, prose(verb["detail"]),
        "# OPTIONS", *man_options(reference, [verb["name"]]),
        "# EXIT STATUS", *man_exits(reference),
        "# EXAMPLES", EXAMPLES_PLACE, *man_examples(reference, FEDERATE_EXAMPLES),
        "# SEE ALSO", "*sotto*(1); docs/federation.md and docs/parties.md of the source.",
    ]
    return "\n\n".join(parts) + "\n"


def man_mpi(reference):
    """The page of sotto-mpi: the verbs that every rank runs."""
    verbs = [verb for verb in reference["verbs"] if verb["by_ranks"]]
    parts = [
        f"sotto-mpi(1) \"sotto {reference['sotto']}\" \"sotto\"",
        "# NAME", "sotto-mpi - differentially private linear models by several processes",
        "# SYNOPSIS",
        "\n\n".join("*mpirun -q -n* _RANKS_ " + usage(verb, "sotto-mpi") for verb in verbs),
        "# DESCRIPTION", MPI,
        "# VERBS",
        *(f"{bold(verb['name'])}\n\t{sentence(verb['summary'])}" for verb in verbs),
        "Other verbs are for one process, and *sotto* has them.",
        "# OPTIONS", *man_options(reference, [verb["name"] for verb in verbs]),
        "Each solver has more, which SOLVERS of *sotto*(1) lists. Solvers that are for "
        "comparison with papers are for one process.",
        "# EXIT STATUS", *man_exits(reference),
        "# EXAMPLES", EXAMPLES_PLACE, *man_examples(reference, MPI_EXAMPLES),
        "# SEE ALSO", "*sotto*(1), *mpirun*(1); docs/ranks.md of the source.",
    ]
    return "\n\n".join(parts) + "\n"


def man(reference):
    """The page in scdoc's format."""
    sets = reference["sets"]
    parts = [
        f"sotto(1) \"sotto {reference['sotto']}\" \"sotto\"",
        "# NAME", "sotto - differentially private linear models",
        "# SYNOPSIS", "*sotto* _VERB_ [_ARGUMENTS_] [_OPTIONS_]",
        "# DESCRIPTION", DESCRIPTION,
        "# VERBS", *(man_verb(verb, sets, solver_options(reference))
                    for verb in reference["verbs"]),
        "# OPTIONS", *man_options(reference),
        "# SOLVERS", *man_solvers(reference),
        "# EXIT STATUS",
        *man_exits(reference),
        "# JSON", *man_json(reference),
        "# ENVIRONMENT", ENVIRONMENT,
        "# FILES AND PRIVACY", PRIVACY,
        "# EXAMPLES", EXAMPLES_PLACE, *man_examples(reference),
        "# SEE ALSO",
        "README.md, docs/solvers.md, docs/schema.md and docs/privacy/ of "
        "the source; sotto.h and sotto_federate.h for the libraries; "
        "*sotto-federate*(1) and *sotto-mpi*(1), where they are installed.",
    ]
    return "\n\n".join(parts) + "\n"


# ---- bash ----

BASH = r"""# Completion of sotto for bash.
# Made by tools/reference.py from `sotto help --json`; not to be edited.

# Offers those of the words that begin as $cur does, and no file names.
_sotto_offer() {
    local word quoted
    compopt +o default
    for word; do
        if [[ $word == "$cur"* ]]; then
            printf -v quoted %q "$word"
            COMPREPLY+=("$quoted")
        fi
    done
}

# The verbs.
_sotto_verbs() {
    _sotto_offer @VERBS@
}

# The options of $verb; those of $solver alone, where it is on the line.
_sotto_options() {
    case "$verb $solver" in
    @OPTIONS@
    *) _sotto_offer ;;
    esac
}

# Whether the value of option $1 may be the next word.
_sotto_has_value() {
    case $1 in
    @FLAGS@ | *=*) return 1 ;;
    esac
}

# The values of $option. Nothing offered: readline completes a file name.
_sotto_value() {
    case $option in
    @VALUES@
    *) _sotto_offer ;;
    esac
}

# What may be argument $count, from 0, of $verb.
_sotto_argument() {
    case "$verb $count" in
    @ARGUMENTS@
    *) _sotto_options ;;
    esac
}

_sotto() {
    local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}
    local option='' only='' solver='' count=0 i word
    COMPREPLY=()
    # bash makes three words of --name=value
    if [[ $cur == = ]]; then cur=''; fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = ]]; then
            if ((++i < COMP_CWORD)); then
                if [[ $option == --solver ]]; then solver=${COMP_WORDS[i]}; fi
                option=''
            fi
        elif [[ $option ]]; then
            if [[ $option == --solver ]]; then solver=$word; fi
            option=''
        elif [[ $only || $word != -?* ]]; then
            ((++count))
        elif [[ $word == -- ]]; then
            only=yes
        elif [[ ${COMP_WORDS[i + 1]} == = ]] || _sotto_has_value "$word"; then
            option=$word
        fi
    done
    if ((COMP_CWORD < 2)); then
        if [[ $cur == -* ]]; then
            _sotto_offer --help --version
        else
            _sotto_verbs
        fi
    elif [[ $option ]]; then
        _sotto_value
    elif [[ ! $only && $cur == -* ]]; then
        _sotto_options
    else
        _sotto_argument
    fi
}

complete -o default -F _sotto sotto
"""


def quoted(words):
    return " ".join(map(shlex.quote, words))


def option_names(option):
    """--name, and -n where there is one, as patterns of a case."""
    names = long_names(option)
    if option["short"]:
        names.append("-" + option["short"])
    return " | ".join(map(shlex.quote, names))


def bash_options(reference):
    """The options of each verb, and of each solver with a verb that takes one."""
    named = {option["name"]: long_names(option)
             for option in reference["options"]}
    of_solvers = solver_options(reference)

    def offer(place, options):
        names = [name for option in options for name in named[option]]
        return f"{place}) _sotto_offer {quoted([*names, '--help'])} ;;"

    for verb in reference["verbs"]:
        for solver in reference["solvers"] if of_solvers & set(verb["options"]) else ():
            own = {option["name"] for option in solver["options"]}
            yield offer(shlex.quote(f"{verb['name']} {solver['name']}"),
                        [o for o in verb["options"] if o in own or o not in of_solvers])
        yield offer(shlex.quote(verb["name"] + " ") + "*", verb["options"])


def bash_flags(reference):
    """What takes no value but behind an equals sign."""
    flags = [option_names(option) for option, _ in options(reference)
             if option["kind"] == "flag"]
    return " | ".join([*flags, "--help", "-h"])


def bash_values(reference):
    """What can follow an option, where that is known."""
    for option, _ in options(reference):
        words = option["choices"]
        if option["kind"] == "flag":
            words = ["yes", "no"]
        if words:
            yield f"{option_names(option)}) _sotto_offer {quoted(words)} ;;"
        elif option["kind"] == "file":
            yield f"{option_names(option)}) ;;"


def bash_arguments(reference):
    """An argument is a verb, a set or else a file."""
    sets = quoted(s["name"] for s in reference["sets"])
    action = {"VERB": "_sotto_verbs ", "SET": f"_sotto_offer {sets} "}
    for verb in reference["verbs"]:
        words = arguments(verb)
        for i, word in enumerate(words[:verb["most"]]):
            place = shlex.quote(f"{verb['name']} {i}")
            yield f"{place}) {action.get(word, '')};;"
        if words and (verb["most"] or 2**30) > len(words): # the last may be repeated
            place = shlex.quote(verb["name"] + " ") + "*"
            yield f"{place}) {action.get(words[-1], '')};;"


def bash(reference):
    """The completion file."""
    parts = {
        "VERBS": quoted(verb["name"] for verb in reference["verbs"]),
        "OPTIONS": "\n    ".join(bash_options(reference)),
        "FLAGS": bash_flags(reference),
        "VALUES": "\n    ".join(bash_values(reference)),
        "ARGUMENTS": "\n    ".join(bash_arguments(reference)),
    }
    return re.sub("@([A-Z]+)@", lambda match: parts[match[1]], BASH)


def main():
    writers = {"man": man, "man-federate": man_federate, "man-mpi": man_mpi, "bash": bash}
    if len(sys.argv) != 3 or sys.argv[1] not in writers:
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") as file:
        sys.stdout.write(writers[sys.argv[1]](json.load(file)))


if __name__ == "__main__":
    main()
