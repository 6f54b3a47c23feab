/*
 * The verbs of the program: a row for each, from which help, man page and
 * completion are made.
 */
#include "cli.h"

#include <string.h>

const verb cli_verbs[] = {
    {"train", "[DATA]...", "learn a model from a data file",
     "With a finite --epsilon and a --delta the model is differentially "
     "private and has a statement of what is promised; --solver auto, the "
     "default, chooses all else. With --epsilon inf the exact solver minimises "
     "mean loss + l1 |w|_1 + l2/2 |w|_2^2: NOT PRIVATE. Training maps bounded "
     "columns to [-1, 1], the units of the fit (penalties: --penalty-units); "
     "weights are for values as they are.",
     0, CLI_ANY_NUMBER, cli_train,
     "not_private privacy features nonzero objective gap converged "
     "rows_dropped",
     "sotto train patients.csv --schema schema.json --loss logistic \\\n"
     "      --epsilon 1 --delta 1e-6 -o model.json"},
    {"plan", "", "say what private training would ask and cost",
     "Reads no record: --rows and --features say how large the data are (rows "
     "that are used, of a person at most --rows-per-person); "
     "--schema says more, as which bounds are declared and which would be "
     "bought, at what part of the budget (--explain). "
     "Prints the statement that the model would have if 'sotto train' is given "
     "the same --rows: every question with its noise, and epsilon for a range "
     "of deltas. Without --rows training asks for the number of rows as well, "
     "where it is private. With --paper NAME nothing is planned: it says what "
     "a paper's theorems promise of the error, for constants by --set "
     "(docs/howto/theorems.md).",
     0, 0, cli_plan,
     "guarantee epsilon delta adjacency unit rows_per_person "
     "rows_per_person_is membership rows smoothness questions order "
     "draws proven_by curve randomness not_covered sotto explanation papers "
     "paper title constants theorems",
     "sotto plan --paper dp-cd --epsilon 1 --delta 1e-6 \\\n"
     "      --set n=10000,p=10,L=2,R=3"},
    {"audit", "", "check the promise by training on invented neighbours",
     "Reads no record, books nothing, leaves no model. Takes the options that "
     "'sotto train' is to get, and invents from them and from --schema pairs "
     "of data sets that differ in one record, or one person: saturated, empty, "
     "at the kink of the loss, of a level that nobody else has. Trains on "
     "both, --trials times each with fresh noise, and tries to tell them apart "
     "by the answers and by the model. One half of the trainings chooses the "
     "test, the other certifies what it shows: the epsilon that is lost at "
     "least, at 95 % confidence, beside the claim, and what so many trainings "
     "can find at all. Exit code 5 where the claim is broken, which a program "
     "that keeps it hears less than once in ten million audits. --deep: the "
     "answers of one training are replayed to both neighbours; every released "
     "byte must agree, and every sum stay within its sensitivity.",
     0, 0, cli_audit,
     "epsilon delta mu broken pairs tried pair by held hits alarms "
     "certified_mu "
     "certified_epsilon certified_any expected_mu found_from neighbours "
     "questions differing moved question",
     "sotto audit --schema schema.json --loss logistic --epsilon 1 \\\n"
     "      --delta 1e-6 --trials 10000"},
    {"predict", "MODEL DATA...", "apply a model to the rows of a data file",
     "One answer per line: the class or the number; with --bad-rows drop an "
     "empty line for a bad row; of three classes and more scores and "
     "probabilities are CSV with the classes as its header. Columns are "
     "matched by name, in any order; the target may be there or not. The "
     "answers are as sensitive as the rows.",
     2, CLI_ANY_NUMBER, cli_predict, "not_for_release classes answers", ""},
    {"evaluate", "MODEL DATA...", "say how good a model is on a data file",
     "The objective, and accuracy, AUC and log-loss for classes (of three and "
     "more the mean AUC of each against the others, and which are taken for "
     "which), or mean squared error and R2. These numbers are as sensitive as "
     "the rows: NOT FOR RELEASE. With --epsilon E --delta D -o FILE the rows "
     "are private data: the numbers have noise, intervals and a statement of "
     "privacy, and may be published as a private model may. The run is booked "
     "before a row is read. A test file is a data set of its own. Where people "
     "are in the training file too, give --dataset NAME, the data set that has "
     "both: otherwise their two prices are not added up.",
     2, CLI_ANY_NUMBER, cli_evaluate,
     "not_for_release rows rows_dropped objective accuracy auc log_loss mse r2 "
     "classes "
     "confusion sotto_evaluation not_private model loss numbers by_class "
     "scores "
     "roc calibration privacy checksum",
     "sotto evaluate model.json test.csv --epsilon 1 --delta 1e-6 -o "
     "evaluation.json"},
    {"show", "MODEL", "print a model for people",
     "What it was learned with, and its largest weights.", 1, 1, cli_show,
     "not_private privacy loss huber_delta l1 l2 box_low box_high "
     "radius scaled_rows classes features nonzero intercept "
     "intercept_interval weights "
     "finished epsilon delta adjacency unit plan",
     ""},
    {"report", "FILE...", "make a page about models, for people",
     "Writes one HTML file to -o FILE, without scripts and with nothing loaded "
     "from elsewhere. First what the data protection officer files: the "
     "promise in one sentence, whose data, what for, what all runs have spent, "
     "who signed. Then the epsilon for every delta, what was asked and what "
     "each question cost, and the weights with their intervals, or why there "
     "is none. Models that are NOT PRIVATE say so loudly. An evaluation that "
     "was made with --epsilon stands beside its "
     "model, with the ROC and calibration curves. No record is read. Of any "
     "number of models; what they cost "
     "together comes first, where their promises are about the same unit and "
     "adjacency.",
     1, CLI_ANY_NUMBER, cli_report, "output", ""},
    {"export", "MODEL", "write a model as another program's file",
     "--format liblinear: what liblinear-predict reads. Classes that are not "
     "whole numbers become 1 and -1, or 1, 2, 3, ...; bounds and missing "
     "values are not carried over. Of a multinomial model it has the labels "
     "only: 'liblinear-predict -b 1' refuses. --format sql: one SELECT with "
     "what predict "
     "would answer for each row of a table, for SQLite and PostgreSQL; bounds, "
     "levels and missing values are in it.",
     1, 1, cli_export, "output", ""},
    {"doctor", "[DATA]...",
     "read a data file as training would, and say what is in it",
     "Without DATA it checks the program itself, in about a second: that noise "
     "has its law, prices are right, and all instruction sets that this "
     "processor has give the same bits. With DATA it is for the operator "
     "beside the data: what it prints depends on the "
     "records and is NOT FOR RELEASE. Reads the formats that --format lists, "
     "also gzipped; - is stdin. Exit code 3 and one line with file, line and "
     "column when a row is bad.",
     0, CLI_ANY_NUMBER, cli_doctor,
     "sotto instruction_set federation checks not_for_release file files rows "
     "features entries sparse rows_dropped "
     "target_mean "
     "weight_mean people classes class_rows features_listed feature",
     ""},
    {"convert", "DATA...", "write a data file as a table that is read at once",
     "Reads DATA as private training would, and writes -o TABLE.sotto: the "
     "rows as training has them in memory. 'sotto train TABLE.sotto' then "
     "parses nothing and makes a model of the same bits; --memory trains on a "
     "table that is larger than the memory. Runs on the table are booked under "
     "what DATA would be booked under: its path, or --dataset. The loss says "
     "whether the target is a number or one of classes. The table is as "
     "sensitive as the records, and only its owner may read it "
     "(docs/tables.md).",
     1, CLI_ANY_NUMBER, cli_convert, "output",
     "sotto convert patients.csv --schema schema.json --loss logistic \\\n"
     "      -o patients.sotto"},
    {"schema", "FILE [DATA]",
     "write a schema to fill in, from the header of a data file",
     "No row is looked at. Declare for each column of FILE its type (number, "
     "category, date, boolean, target, weight, unit, drop), its bounds or "
     "levels, and what "
     "a missing value becomes; give the schema to the other verbs as "
     "--schema. What options say already is filled in, and what --schema "
     "says of columns. With --check FILE is a schema: prints all that is "
     "wrong with it, a line for each, and what of DATA's header does not fit "
     "it; the exit code is then 2, or 3 where only the header does not fit.",
     1, 2, cli_schema,
     "sotto_schema missing_values default columns output faults open", ""},
    {"generate", "[SET]", "make a synthetic data set",
     "The format follows the ending of the file's name (.csv), or --format. "
     "The same name, sizes and seed give the same file.",
     0, 1, cli_generate, "output sets", ""},
    {"key", "new FILE", "make a pair of keys, to sign models by",
     "The secret key goes to FILE, which its owner alone may read: 'sotto "
     "train --sign FILE' signs by it. The public key goes to FILE.pub, for "
     "those who check: 'sotto verify --key FILE.pub'. Ed25519. A key never "
     "replaces a file.",
     2, 2, cli_key, "output", ""},
    {"verify", "MODEL", "check who signed a model, and what its statement says",
     "Says line by line what holds: the model with its statement is what the "
     "owner of --key has signed; its questions, priced again, cost no more "
     "than it says; --ledger FILE has the run, as the statement says. Exit "
     "code 5 and one line where something does not. No record is read.",
     1, 1, cli_verify, "signed_by epsilon delta position", ""},
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
     0, 0, cli_account,
     "z repeated_epsilon guess events adjacency epsilon delta method "
     "note curve papers multiplier name formula guarantee",
     ""},
    {"federate", "ROLE FILE",
     "let parties that hold different columns of the same rows find a model",
     "ROLE is simulate, config, keygen, serve, join or status. simulate DATA: "
     "all roles in one process, for experiments. Each party reads "
     "its "
     "own columns of DATA, as --columns FILE says, which also has everything "
     "else that the parties agree upon: bounds, radii, rounds, caps "
     "(docs/parties.md). A party's own noise protects its records, whatever "
     "the others do: it sends a noisy sketch of a column, once, and noisy "
     "choices, and counts them itself. "
     "Says first what is to be expected: good, or experimental; and at the "
     "end what a whole row and each party's part of it cost, and how many "
     "bytes were sent. The squared loss; weights of party k within its "
     "radius, in the L1 norm. Over a network (docs/federation.md): CONFIG is "
     "what all have agreed upon. config prints its hash, which the parties "
     "compare; keygen makes certificates and the parties' secret for a trial, "
     "in a new folder -o; serve is the coordinator, who holds no data; join "
     "is a party, with its file --data, that connects to it; status says how "
     "far the run of a --state folder is. Any of them may be killed at any "
     "time, and goes on when it is started again. A party books all that it "
     "may be asked in its own --ledger before it reads a record or connects, "
     "once; simulate books a whole row.",
     2, 2, cli_federate,
     "not_private privacy expected epsilon delta labels rounds cap "
     "buckets parties uplink_bytes uplink_bytes_paper downlink_bytes "
     "messages transcript hash rows coordinator absent patience "
     "spent_epsilon spent_delta role output",
     ""},
    {"ledger", "ACTION [MODEL...]",
     "keep one budget for a data set, over all runs",
     "ACTION is create, raise, list, show, history, quote, verify, export or "
     "backup. create: makes a data set with a cap of --epsilon at --delta, "
     "which all runs together keep, also where each is chosen after the "
     "answers "
     "of those before; inf: no cap. It is for rows, or for people "
     "(--unit-column, "
     "--rows-per-person); with --part-column and --parts each part has the "
     "cap. "
     "raise: a larger cap, which then holds for all runs before it, too. list: "
     "a line for each data set. show: what is spent and left, the latest runs, "
     "and what would still fit. history: all entries, 50 on a page. quote: "
     "what "
     "a run would be booked as and whether it fits; nothing is booked. The run "
     "is a list of events as 'sotto account' takes it, or a training as 'sotto "
     "plan' takes it. verify: every chain and every sum, and for each MODEL "
     "the "
     "entry that its statement names. export: -o FILE that ends in .json, .csv "
     "or .html. backup: a whole copy to -o FILE, made while others go on "
     "writing. What a ledger says is NOT FOR RELEASE: whether a run finished "
     "may depend on the records (docs/ledger.md).",
     1, CLI_ANY_NUMBER, cli_ledger,
     "not_for_release ledger datasets dataset page pages entries runs fits "
     "how_many mu delta0 draws spent_before spent_after delta cap_epsilon "
     "left_epsilon checked models output",
     "sotto ledger create --ledger team.ledger --dataset patients \\\n"
     "      --epsilon 3 --delta 1e-6 --unit-column patient"},
    {"version", "", "print the version", "", 0, 0, cli_version, "sotto", ""},
    {"help", "[VERB]", "say how to use sotto, or one of its verbs",
     "With --json, and no verb: everything there is to say, for programs.", 0,
     1, cli_help, "sotto verbs options solvers exit_codes sets", ""},
    {0}};

const verb *cli_find_verb(const char *name)
{
    for (const verb *v = cli_verbs; v->name; v++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

int cli_is_by_ranks(const verb *v)
{
    return v->run == cli_train || v->run == cli_evaluate ||
           v->run == cli_predict;
}

int cli_takes(const verb *v, const sotto_option *o)
{
    char word[32];
    snprintf(word, sizeof word, " %s ", v->name);
    return strstr(o->verbs, word) != NULL;
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
