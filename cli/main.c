/*
 * sotto: the program. Finds the verb, sets the options, runs it; the exit
 * code is the status.
 */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

const verb cli_verbs[] = {
    {"train", "[DATA]", "learn a model from a data file",
     "With a finite --epsilon and a --delta the model is differentially "
     "private, and has a statement that says what is promised; --solver auto, "
     "the default, chooses all else. With --epsilon inf the exact solver finds "
     "the minimiser of mean loss + l1 |w|_1 + l2/2 |w|_2^2: NOT PRIVATE. "
     "Bounded columns are in [-1, 1] there, the units of the fit; the model "
     "has "
     "weights for the values as they are.",
     0, 1, cli_train,
     "sotto train patients.csv --schema schema.json --loss logistic \\\n"
     "      --epsilon 1 --delta 1e-6 -o model.json"},
    {"plan", "", "say what private training would ask and cost",
     "Reads no record: --rows and --features say how large the data are; "
     "--schema says more, as which bounds are declared and which would be "
     "bought, at what part of the budget (--explain). "
     "Prints the statement that the model would have: every question with its "
     "noise, and epsilon for a range of deltas.",
     0, 0, cli_plan, ""},
    {"predict", "MODEL DATA", "apply a model to the rows of a data file",
     "One answer per line: the class or the number. Columns are matched by "
     "name, in any order; the target may be there or not. The answers are as "
     "sensitive as the rows.",
     2, 2, cli_predict, ""},
    {"evaluate", "MODEL DATA", "say how good a model is on a data file",
     "The objective, and accuracy, AUC and log-loss for two classes, or mean "
     "squared error and R2. These numbers are as sensitive as the rows: not "
     "for release.",
     2, 2, cli_evaluate, ""},
    {"show", "MODEL", "print a model for people",
     "What it was learned with, and its largest weights.", 1, 1, cli_show, ""},
    {"report", "MODEL...", "make a page about models, for people",
     "Writes one HTML file to -o FILE, without scripts and with nothing loaded "
     "from elsewhere: what is promised in plain words, the epsilon for every "
     "delta, what was asked and what each question cost, the weights with the "
     "standard deviation of the last noise that entered each of them, and what "
     "to tell the data protection officer. Models that are NOT PRIVATE say so "
     "loudly. No record is read. Of any number of models; what they cost "
     "together comes first, where their promises are about the same unit and "
     "adjacency.",
     1, CLI_ANY_NUMBER, cli_report, ""},
    {"export", "MODEL", "write a model as another program's file",
     "--format liblinear: what liblinear-predict reads. Classes that are not "
     "whole numbers become 1 and -1; bounds and missing values are not "
     "carried over.",
     1, 1, cli_export, ""},
    {"doctor", "DATA",
     "read a data file as training would, and say what is in it",
     "For the operator beside the data: what it prints depends on the "
     "records and is NOT FOR RELEASE. Reads CSV, svmlight and .npy, also "
     "gzipped; - is stdin. Exit code 3 and one line with file, line and "
     "column when a row is bad.",
     1, 1, cli_doctor, ""},
    {"schema", "DATA",
     "write a schema to fill in, from the header of a data file",
     "No row is looked at. Declare for each column its type (number, "
     "category, target, weight, unit, drop), its bounds or levels, and what "
     "a missing value becomes; give the file to the other verbs as --schema.",
     1, 1, cli_schema, ""},
    {"generate", "[SET]", "make a synthetic data set",
     "The format follows the file's name: .csv, .svm or .npy. The same name, "
     "sizes and seed give the same file.",
     0, 1, cli_generate, ""},
    {"account", "",
     "say what a list of noisy answers costs, or how much "
     "noise they need",
     "Adjacency says what two data sets differ in that nobody must be able to "
     "tell apart: with add-remove one has a record that the other has not, "
     "with replace-one a record is another one, with zero-out a record is "
     "blanked: " SOTTO_ZERO_OUT
     ". Being able to hide less is cheaper: a price without its "
     "adjacency means nothing. What an epsilon means: somebody who knows all "
     "but one record guesses whether it is in, at even odds; at best (1 + "
     "delta(0))/2 of the guesses are right, which is printed as 'guess'. "
     "With --epsilon prints the smallest delta, with --delta the smallest "
     "epsilon.",
     0, 0, cli_account, ""},
    {"federate", "ROLE FILE",
     "let parties that hold different columns of the same rows find a model",
     "ROLE is simulate, config, keygen, serve, join or status. simulate DATA: "
     "all roles in one process, for experiments. Each party reads "
     "its "
     "own columns of DATA, as --columns FILE says, which also has everything "
     "else that the parties agree upon: bounds, radii, rounds, caps "
     "(docs/parties.md). Nobody needs to trust anybody: a party sends a noisy "
     "sketch of a column, once, and noisy choices, and counts them itself. "
     "Says first what is to be expected: good, or experimental; and at the "
     "end what a whole row and each party's part of it cost, and how many "
     "bytes were sent. The squared loss; weights of party k within its "
     "radius, in the L1 norm. Over a network (docs/federation.md): CONFIG is "
     "what all have agreed upon. config prints its hash, which the parties "
     "compare; keygen makes certificates and the parties' secret for a trial, "
     "in a new folder -o; serve is the coordinator, who holds no data; join "
     "is a party, with its file --data, that connects to it; status says how "
     "far the run of a --state folder is. Any of them may be killed at any "
     "time, and goes on when it is started again.",
     2, 2, cli_federate, ""},
    {"version", "", "print the version", "", 0, 0, cli_version, ""},
    {"help", "[VERB]", "say how to use sotto, or one of its verbs",
     "With --json, and no verb: everything there is to say, for programs.", 0,
     1, cli_help, ""},
    {0}};

const verb *cli_find_verb(const char *name)
{
    for (const verb *v = cli_verbs; v->name; v++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

int cli_takes(const verb *v, const sotto_option *o)
{
    char word[32];
    snprintf(word, sizeof word, " %s ", v->name);
    return strstr(o->verbs, word) != NULL;
}

void cli_remarks(const cli *c, const sotto_table *t)
{
    for (int64_t i = 0; !cli_flag(c, "quiet") && sotto_table_warning(t, i); i++)
        fprintf(stderr, "sotto: remark: %s\n", sotto_table_warning(t, i));
}

int cli_colours(FILE *to)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(to)) && !(no_color && *no_color);
}

/* Whether the output is there and is this input; "-" is stdin. */
static int cli_is_input(const char *output, const char *input)
{
    struct stat first, second;
    int is_stdin = input && !strcmp(input, "-");
    return input && !stat(output, &first) && S_ISREG(first.st_mode) &&
           !(is_stdin ? fstat(0, &second) : stat(input, &second)) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The folder that a file is in. */
static void cli_folder(const char *path, char out[4096])
{
    char *real = realpath(path, NULL); /* where a link leads */
    snprintf(out, 4096, "%s", real ? real : path);
    free(real);
    char *slash = strrchr(out, '/');
    if (slash)
        slash[slash == out] = 0;
    else
        snprintf(out, 4096, ".");
}

sotto_status cli_check_output(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    const char *plan = sotto_options_get(c->options, "schema");
    char folder[4096];
    struct stat status;
    if (!output)
        return cli_refuse(error, "expected -o FILE (- is stdout)");
    int is_input = cli_is_input(output, plan);
    for (int i = 0; i < c->arguments; i++)
        is_input |= cli_is_input(output, c->argument[i]);
    if (is_input)
        return cli_refuse(error, "-o: this is a file to be read; expected "
                                 "another name");
    int there = !stat(output, &status);
    if (!strcmp(output, "-") || !strncmp(output, "/dev/", 5) ||
        (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return SOTTO_OK;
    cli_folder(output, folder);
    if ((there && S_ISDIR(status.st_mode)) ||
        output[strlen(output) - 1] == '/' || access(folder, W_OK | X_OK)) {
        error->status = SOTTO_FAILED;
        snprintf(error->message, sizeof error->message,
                 "-o: expected the name of a file, in a folder that is there "
                 "and can be written to");
        return SOTTO_FAILED;
    }
    return SOTTO_OK;
}

const char *cli_short(const sotto_option *o)
{
    return strcmp(o->name, "output") ? NULL : "o";
}

int cli_flag(const cli *c, const char *name)
{
    const char *value = sotto_options_get(c->options, name);
    return value && !strcmp(value, "yes");
}

int cli_print_name(FILE *to, const char *name, int most)
{
    size_t length = strlen(name);
    int cut = length > (size_t)most;
    if (cut) {
        length = (size_t)most - 2;
        while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--; /* not inside a UTF-8 sequence */
    }
    int width = 2 * cut;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        width += (c & 0xc0) != 0x80;
        unsigned char next = (unsigned char)name[i + 1];
        int control = c < 32 || c == 127 || /* U+0080 to U+009F: two bytes */
                      (c == 0xc2 && next >= 0x80 && next <= 0x9f);
        putc(control ? '?' : c, to);
    }
    fputs(cut ? ".." : "", to);
    return width;
}

void cli_wrote(const char *path)
{
    fprintf(stderr, "wrote ");
    cli_print_name(stderr, path, 1000);
}

void cli_print_unit(FILE *to, const char *label, const sotto_model *m)
{
    char *unit;
    sotto_error error;
    sotto_status status = sotto_model_unit(&unit, m, &error);
    fprintf(to, "%s%s\n", label, status == SOTTO_OK ? unit : error.message);
    sotto_text_free(unit);
}

double cli_number(const char *text)
{
    char first[64] = "";
    double x;
    size_t length = strcspn(text, ", }\n");
    if (length < sizeof first)
        memcpy(first, text, length);
    return sotto_number_parse(first, &x) ? x : NAN;
}

sotto_status cli_memory(sotto_error *error)
{
    error->status = SOTTO_FAILED;
    snprintf(error->message, sizeof error->message, "out of memory");
    return SOTTO_FAILED;
}

sotto_status cli_version(const cli *c, sotto_error *error)
{
    (void)error;
    if (cli_flag(c, "json"))
        printf("{\"sotto\": \"%s\"}\n", sotto_version());
    else
        printf("sotto %s\n", sotto_version());
    return SOTTO_OK;
}

sotto_status cli_refuse(sotto_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = SOTTO_USAGE;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return SOTTO_USAGE;
}

int cli_can_be_off(const sotto_option *o)
{
    return o->kind == SOTTO_OPTION_FLAG && o->default_value &&
           !strcmp(o->default_value, "yes");
}

/* The option that --no-NAME says no to. */
static const sotto_option *cli_negated(const char *name)
{
    const sotto_option *o =
        strncmp(name, "no-", 3) ? NULL : sotto_option_named(name + 3);
    return o && cli_can_be_off(o) ? o : NULL;
}

enum { CLI_MOST_OPTIONS = 128 };

/* One that other verbs take, or that nobody takes: which was meant? */
static sotto_status cli_refuse_option(const verb *v, const sotto_option *o,
                                      const char *name, sotto_error *error)
{
    const char *names[CLI_MOST_OPTIONS];
    int64_t count = 0;
    if (o && strcmp(o->verbs, ""))
        return cli_refuse(error,
                          "'sotto %s' has no option --%s, which goes with%.*s; "
                          "see 'sotto help %s'",
                          v->name, name, (int)strlen(o->verbs) - 1, o->verbs,
                          v->name);
    for (int64_t i = 0; sotto_option_at(i) && count < CLI_MOST_OPTIONS; i++)
        if (cli_takes(v, sotto_option_at(i)))
            names[count++] = sotto_option_at(i)->name;
    const char *meant = sotto_nearest(name, names, count);
    return cli_refuse(
        error, "'sotto %s' has no option --%s%s%s%s; see 'sotto help %s'",
        v->name, name, meant ? " (did you mean --" : "", meant ? meant : "",
        meant ? "?)" : "", v->name);
}

/* --name VALUE, --name=VALUE, --flag, --no-flag, -o VALUE; *i moves over the
   value. */
static sotto_status cli_option(cli *c, const verb *v, char **argv, int *i,
                               sotto_error *error)
{
    char name[48];
    const char *word = strcmp(argv[*i], "-o") ? argv[*i] + 2 : "output";
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    if (length >= sizeof name || argv[*i][0] != '-' ||
        (argv[*i][1] != '-' && strcmp(argv[*i], "-o")))
        return cli_refuse(
            error, "options are written --name; see 'sotto help %s'", v->name);
    for (size_t k = 0; k < length; k++)
        name[k] = word[k] > 32 && word[k] < 127 ? word[k] : '?';
    name[length] = 0;
    const sotto_option *no = cli_negated(name);
    const sotto_option *o = no ? no : sotto_option_named(name);
    if (!o || !cli_takes(v, o))
        return cli_refuse_option(v, o, name, error);
    if (no && value)
        return cli_refuse(error, "--%s takes no value", name);
    if (o->kind == SOTTO_OPTION_FLAG)
        value = value ? value : no ? "no" : "yes";
    else if (!value)
        value = argv[++*i];
    if (!value)
        return cli_refuse(error, "--%s: expected %s after it", name,
                          o->choices ? o->choices : o->argument);
    return sotto_options_set(c->options, o->name, value, error);
}

static sotto_status cli_parse(cli *c, const verb *v, char **argv,
                              sotto_error *error)
{
    int only_arguments = 0;
    for (int i = 0; argv[i]; i++) {
        sotto_status status = SOTTO_OK;
        if (!only_arguments && !strcmp(argv[i], "--"))
            only_arguments = 1;
        else if (!only_arguments &&
                 (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))) {
            c->wants_help = 1;
            return SOTTO_OK;
        } else if (!only_arguments && argv[i][0] == '-' && argv[i][1])
            status = cli_option(c, v, argv, &i, error);
        else if (c->arguments < v->most)
            c->argument[c->arguments++] = argv[i];
        else
            status = cli_refuse(error, "usage: sotto %s %s [OPTIONS]", v->name,
                                v->usage);
        if (status != SOTTO_OK)
            return status;
    }
    if (c->arguments < v->least)
        return cli_refuse(error, "usage: sotto %s %s [OPTIONS]", v->name,
                          v->usage);
    return SOTTO_OK;
}

enum { CLI_VERBS = sizeof cli_verbs / sizeof *cli_verbs - 1 };

sotto_status cli_refuse_verb(const char *name, sotto_error *error)
{
    char shown[24];
    size_t i = 0;
    for (; name[i] && i < sizeof shown - 1; i++)
        shown[i] = name[i] > 32 && name[i] < 127 ? name[i] : '?';
    shown[i] = 0;
    const char *names[CLI_VERBS];
    for (int k = 0; k < CLI_VERBS; k++)
        names[k] = cli_verbs[k].name;
    const char *meant = sotto_nearest(name, names, CLI_VERBS);
    return cli_refuse(error, "there is no verb '%s'%s%s%s; see 'sotto help'",
                      shown, meant ? " (did you mean " : "", meant ? meant : "",
                      meant ? "?)" : "");
}

static sotto_status cli_run(int argc, char **argv, sotto_error *error)
{
    cli c = {.words = argv};
    const char *name = argc > 1 ? argv[1] : "help";
    if (!strcmp(name, "--version"))
        name = "version";
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    const verb *v = cli_find_verb(name);
    if (!v)
        return cli_refuse_verb(name, error);
    c.argument = calloc((size_t)argc + 1, sizeof *c.argument);
    sotto_status status =
        c.argument ? sotto_options_new(&c.options, error) : cli_memory(error);
    if (status == SOTTO_OK)
        status = cli_parse(&c, v, argv + (argc > 1 ? 2 : 1), error);
    if (status == SOTTO_OK && c.wants_help) {
        c.argument[0] = v->name;
        c.arguments = 1;
        v = cli_find_verb("help");
    }
    if (status == SOTTO_OK)
        status = v->run(&c, error);
    sotto_options_free(c.options);
    free(c.argument);
    return status;
}

int main(int argc, char **argv)
{
    sotto_error error = {SOTTO_OK, ""};
    prctl(PR_SET_DUMPABLE, 0); /* no core file with records in it */
    signal(SIGXFSZ, SIG_IGN);  /* a full disk is told by write, not a signal */
    progress_catch_interrupts();
    sotto_status status = cli_run(argc, argv, &error);
    if (status == SOTTO_OK && (fflush(stdout) || ferror(stdout))) {
        status = error.status = SOTTO_FAILED;
        snprintf(error.message, sizeof error.message, "cannot write to stdout");
    }
    if (status != SOTTO_OK && cli_json_asked(argv))
        cli_json_error(status, error.message);
    else if (status != SOTTO_OK)
        fprintf(stderr, "sotto: %s\n", error.message);
    return (int)status;
}
