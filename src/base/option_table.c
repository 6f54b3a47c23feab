/*
 * The one option table: everything that can be set, with its default, its
 * bounds and its help. The command line is made from it.
 */
#include "choices.h"
#include "option.h"

#include <math.h>
#include <string.h>

#define DECLARING " convert doctor schema train plan audit ledger "
#define PLANNED " train plan audit ledger " /* ledger quote plans a run */
#define TEXT SOTTO_OPTION_TEXT
#define FILE_ SOTTO_OPTION_FILE
#define LIST SOTTO_OPTION_LIST
#define SUM SOTTO_OPTION_SUM
#define CHOICE SOTTO_OPTION_CHOICE
#define INTEGER SOTTO_OPTION_INTEGER
#define NUMBER SOTTO_OPTION_NUMBER
#define FLAG SOTTO_OPTION_FLAG
#define PAIR SOTTO_OPTION_PAIR
#define PROBLEM SOTTO_GROUP_PROBLEM
#define PRIVACY SOTTO_GROUP_PRIVACY
#define DATA SOTTO_GROUP_DATA
#define OUTPUT SOTTO_GROUP_OUTPUT
#define SOLVER SOTTO_GROUP_SOLVER
#define OTHER SOTTO_GROUP_OTHER

#define LOSS_HELP(id, name, target, formula)                                   \
    "; " name " (" LOSS_HELP_##target "): " formula
#define LOSS_HELP_NUMBER "a number"
#define LOSS_HELP_CLASSES "classes"

/* clang-format off */
static const sotto_option option_table[OPTION_COUNT] = {
    [OPTION_TARGET] = {"target", TEXT, PROBLEM, "NAME", NULL, 0, 0, NULL,
        DECLARING,
        "the column to learn (.npy: its number, from 1)"},
    [OPTION_LOSS] = {"loss", CHOICE, PROBLEM, "LOSS", "squared", 0, 0,
        CHOICE_TEXT(LOSS_LIST), " convert doctor train plan audit ledger ",
        "of margin m = x'w + b, target y" LOSS_LIST(LOSS_HELP)},
    [OPTION_CLASSES] = {"classes", LIST, PROBLEM, "A,B,...", NULL, 0, 0, NULL, DECLARING,
        "the classes, of two negative first; not for 0/1, -1/+1"},
    [OPTION_MULTICLASS] = {"multiclass", CHOICE, PROBLEM, "WORD", NULL, 0, 0,
        "multinomial|one-versus-rest", PLANNED,
        "three or more classes"},
    [OPTION_EPSILON] = {"epsilon", NUMBER, PRIVACY, "E", NULL, 1e-300, INFINITY, NULL,
        " doctor train plan audit evaluate account federate ledger ",
        "the privacy budget; inf: NOT PRIVATE"},
    [OPTION_SOLVER] = {"solver", CHOICE, SOLVER, "NAME", NULL, 0, 0,
        CHOICE_TEXT(SOLVER_LIST), " train plan audit help ledger ",
        "how to train; auto is the default with a finite --epsilon, exact "
        "with --epsilon inf"},
    [OPTION_ROWS_PER_PERSON] = {"rows-per-person", INTEGER, PRIVACY, "K", "1", 1,
        1048576, NULL, PLANNED "evaluate ",
        "rows used and protected per person"},
    [OPTION_CLIP] = {"clip", NUMBER, SOLVER, "C", NULL, 1e-25, INFINITY, NULL,
        PLANNED,
        "how far a record may go"},
    [OPTION_DIFFERENCE_CLIP] = {"difference-clip", NUMBER, SOLVER, "C", NULL, 1e-25, 1e25,
        NULL, PLANNED,
        "how far a record's gradient may differ from that at the anchor"},
    [OPTION_PASSES] = {"passes", INTEGER, SOLVER, "N", NULL, 1, 1e9, NULL, PLANNED,
        "how often each row, or each coordinate, takes part"},
    [OPTION_ROUNDS] = {"rounds", INTEGER, SOLVER, "T", NULL, 1, 1e9, NULL, PLANNED,
        "how many rounds"},
    [OPTION_STEPS] = {"steps", INTEGER, SOLVER, "K", NULL, 1, 1e9, NULL, PLANNED,
        "how many steps"},
    [OPTION_STEP_SIZE] = {"step-size", NUMBER, SOLVER, "X", NULL, 0x1p-100, 0x1p100,
        NULL, PLANNED,
        "how long steps are"},
    [OPTION_ORDER] = {"order", CHOICE, SOLVER, "HOW", NULL, 0, 0,
        "uniform|permuted|cyclic", PLANNED,
        "which coordinate is next; public"},
    [OPTION_SMOOTHNESS] = {"smoothness", TEXT, SOLVER, "HOW", NULL, 0, 0, NULL,
        PLANNED,
        "where the constants M_j come from"},
    [OPTION_CALIBRATION] = {"calibration", CHOICE, SOLVER, "HOW", NULL, 0, 0,
        "exact|rdp|theorem|paper", PLANNED,
        "the noise, for comparison with the formulas of the solver's "
        "paper"},
    [OPTION_AVERAGE] = {"average", NUMBER, SOLVER, "SHARE", NULL, 0, 1, NULL,
        PLANNED,
        "the last part of the steps that is averaged; 0: none"},
    [OPTION_BATCH_RATE] = {"batch-rate", NUMBER, SOLVER, "Q", NULL, 0x1p-40, 1, NULL,
        PLANNED,
        "the part of the rows that is in a batch"},
    [OPTION_MOMENTUM] = {"momentum", NUMBER, SOLVER, "X", NULL, 0, 0.999, NULL,
        PLANNED,
        "how far to look ahead along the last move"},
    [OPTION_DECAY] = {"decay", NUMBER, SOLVER, "X", NULL, 0, 0x1p100, NULL,
        PLANNED,
        "how fast steps become shorter"},
    [OPTION_RULE] = {"rule", CHOICE, SOLVER, "NAME", NULL, 0, 0,
        "untruncated|gs-s|gs-r|gs-q", PLANNED,
        "what makes a coordinate worth choosing"},
    [OPTION_SELECTION_SHARE] = {"selection-share", NUMBER, SOLVER, "SHARE", NULL,
        0.001, 0.999, NULL, PLANNED,
        "the part of the budget for choosing coordinates"},
    [OPTION_NORM_BOUND] = {"norm-bound", NUMBER, SOLVER, "R", NULL, 0x1p-40, INFINITY,
        NULL, PLANNED,
        "how long a row may be; longer ones are shortened"},
    [OPTION_RADIUS] = {"radius", NUMBER, SOLVER, "R", NULL, 0x1p-100, 0x1p100, NULL,
        PLANNED,
        "the L1 ball that the weights stay in, in the units of the fit"},
    [OPTION_INTERCEPT_RADIUS] = {"intercept-radius", NUMBER, SOLVER, "B", NULL,
        0x1p-100, 0x1p100, NULL, PLANNED,
        "how far the intercept may be from 0, in the units of the fit"},
    [OPTION_BLOCKS] = {"blocks", TEXT, SOLVER, "HOW", NULL, 0, 0, NULL, PLANNED,
        "the blocks of the features"},
    [OPTION_SAMPLING] = {"sampling", TEXT, SOLVER, "HOW", NULL, 0, 0, NULL,
        PLANNED,
        "which blocks move in a step; public"},
    [OPTION_CANDIDATES] = {"candidates", INTEGER, SOLVER, "TAU", NULL, 1, 2147483647,
        NULL, PLANNED,
        "among how many of its features a ball chooses in a step"},
    [OPTION_ISA] = {"isa", CHOICE, OUTPUT, "NAME", "auto", 0, 0,
        "auto|scalar|avx2|avx512", " train ",
        "instructions"},
    [OPTION_INSECURE_SEED] = {"insecure-seed", INTEGER, PRIVACY, "N", NULL, 0,
        9007199254740992.0, NULL, " train evaluate federate ",
        "noise that anybody can repeat: NOT PRIVATE, for tests"},
    [OPTION_UNIT_COLUMN] = {"unit-column", TEXT, PRIVACY, "NAME", NULL, 0, 0, NULL,
        DECLARING "evaluate ", "the column that says whose row it is"},
    [OPTION_DRY_RUN] = {"dry-run", FLAG, OUTPUT, NULL, NULL, 0, 0, NULL, " train ",
        "do as 'sotto plan' does: read no record"},
    [OPTION_L1] = {"l1", NUMBER, PROBLEM, "X", "0", 0, 1e300, NULL, PLANNED,
        "L1 penalty: X times the sum of |weights|"},
    [OPTION_L2] = {"l2", NUMBER, PROBLEM, "X", "0", 0, 1e300, NULL, PLANNED,
        "L2 penalty: X/2 times the sum of squares"},
    [OPTION_PENALTY_UNITS] = {"penalty-units", CHOICE, SOLVER, "WORD", NULL, 0, 0,
        "spread|fit|file", " train ",
        "the weights that --l1 and --l2 penalise: of columns divided by their "
        "spread, of the fit, or of the file's own units"},
    [OPTION_PATH] = {"path", CHOICE, SOLVER, "WORD", NULL, 0, 0,
        "dense|select|wide|intercept", PLANNED,
        "which way auto goes"},
    [OPTION_UNDECLARED] = {"undeclared", CHOICE, PRIVACY, "WORD", "bounds", 0, 0,
        "bounds|rows", " convert" PLANNED,
        "features without bounds: bounds estimated privately, or rows of one "
        "length"},
    [OPTION_EXPLAIN] = {"explain", FLAG, OUTPUT, NULL, NULL, 0, 0, NULL, " plan ",
        "say in words what would be asked, and why, instead of the "
        "statement; of solvers that decide something by themselves"},
    [OPTION_BOX] = {"box", PAIR, PROBLEM, "LO,HI", NULL, -INFINITY, INFINITY, NULL,
        PLANNED,
        "weights from LO to HI (or inf), in units of the fit"},
    [OPTION_INTERCEPT] = {"intercept", FLAG, PROBLEM, NULL, "yes", 0, 0, NULL,
        PLANNED,
        "learn an intercept, not penalised"},
    [OPTION_HUBER_DELTA] = {"huber-delta", NUMBER, PROBLEM, "X", "1.35", 1e-300,
        1e300, NULL, PLANNED,
        "where huber's tangents begin"},
    [OPTION_TOLERANCE] = {"tolerance", NUMBER, SOLVER, "X", NULL, 1e-15, 1, NULL,
        " train ",
        "how close to the minimum the exact solver stops"},
    [OPTION_SCHEMA] = {"schema", FILE_, DATA, "FILE", NULL, 0, 0, NULL, DECLARING,
        "types and bounds of columns (see 'sotto schema')"},
    [OPTION_CHECK] = {"check", FLAG, DATA, NULL, NULL, 0, 0, NULL, " schema ",
        "say all that is wrong with the schema, and with the header of DATA"},
    [OPTION_WEIGHTS] = {"weights", TEXT, DATA, "NAME", NULL, 0, 0, NULL, DECLARING,
        "the column with the weight of each row; needs a bound"},
    [OPTION_WEIGHT_BOUND] = {"weight-bound", NUMBER, DATA, "B", NULL, 1e-300,
        0x1.fffffep127, NULL, DECLARING,
        "the largest weight; larger ones are clamped to it"},
    [OPTION_DROP] = {"drop", LIST, DATA, "NAMES", NULL, 0, 0, NULL,
        " convert doctor schema train plan audit predict evaluate ledger ", "columns to leave out (CSV, .npy)"},
    [OPTION_ONLY] = {"only", LIST, DATA, "NAMES", NULL, 0, 0, NULL,
        DECLARING,
        "leave out every feature but these (CSV, .npy)"},
    [OPTION_BAD_ROWS] = {"bad-rows", CHOICE, DATA, "WHAT", "stop", 0, 0,
        "stop|drop", " convert doctor train predict evaluate ",
        "a bad row stops the run, or is absent (its prediction empty; a "
        "record is a line)"},
    [OPTION_FORMAT] = {"format", CHOICE, DATA, "FORMAT", NULL, 0, 0,
        CHOICE_TEXT(ALL_FORMATS_LIST),
        " convert doctor schema generate train plan audit predict evaluate export federate ledger ",
        "of the file"},
    [OPTION_NO_HEADER] = {"no-header", LIST, DATA, "NAMES", NULL, 0, 0, NULL,
        " convert doctor schema train predict evaluate ",
        "of CSV: line 1 is a record; its columns, or how many"},
    [OPTION_DELIMITER] = {"delimiter", TEXT, DATA, "CHAR", NULL, 0, 0, NULL,
        " convert doctor schema train predict evaluate federate ",
        "what separates CSV fields, or tab (default: a comma)"},
    [OPTION_DECIMAL] = {"decimal", CHOICE, DATA, "MARK", "point", 0, 0,
        "point|comma", " convert doctor train predict evaluate ",
        "the decimal mark of CSV"},
    [OPTION_THOUSANDS] = {"thousands", CHOICE, DATA, "MARK", NULL, 0, 0,
        "comma|point|space|apostrophe", " convert doctor train predict evaluate ",
        "of CSV numbers"},
    [OPTION_FEATURES] = {"features", INTEGER, DATA, "P", NULL, 1, 2147483647, NULL,
        " convert doctor generate train plan audit ledger ",
        "how many features (needed for private svmlight)"},
    [OPTION_ROWS] = {"rows", INTEGER, PRIVACY, "N", NULL, 1, 1e15, NULL,
        " generate train plan audit evaluate ledger ",
        "how many rows are used, if public; generate: to make"},
    [OPTION_PER_ROW] = {"per-row", INTEGER, OTHER, "K", "100", 1, 1e6, NULL,
        " generate ",
        "words drawn for each row of a zipf set (repeats are merged)"},
    [OPTION_SEED] = {"seed", INTEGER, OTHER, "S", "0", 0, 9007199254740992.0, NULL,
        " generate ", "which of the sets of that name to make"},
    [OPTION_OUTPUT] = {"output", FILE_, OUTPUT, "FILE", NULL, 0, 0, NULL,
        " convert generate schema train predict evaluate report export federate ledger ",
        "where to write (-o FILE; - is stdout)"},
    [OPTION_PROBA] = {"proba", FLAG, OTHER, NULL, NULL, 0, 0, NULL, " predict ",
        "print the probability of the positive class, or of all (loss logistic)"},
    [OPTION_SCORES] = {"scores", FLAG, OTHER, NULL, NULL, 0, 0, NULL, " predict ",
        "print x'w + b instead of a class"},
    [OPTION_THREADS] = {"threads", INTEGER, OUTPUT, "N", "0", 0, 256, NULL,
        " convert doctor train audit predict evaluate federate ",
        "threads (0: as many as processors)"},
    [OPTION_MEMORY] = {"memory", TEXT, OUTPUT, "SIZE", NULL, 0, 0, NULL, " train ",
        "most to use; a table's rows stay on disk"},
    [OPTION_PRECISION] = {"precision", CHOICE, OTHER, "WORD", NULL, 0, 0,
        "float|double", "",
        "how a table is held (default: double for the exact solver, else "
        "float)"},
    [OPTION_LAYOUT] = {"layout", CHOICE, OTHER, "WORD", "both", 0, 0,
        "both|rows", "",
        "whether a sparse table is held by rows and by columns, or by rows "
        "alone (enough to predict)"},
    [OPTION_DECLARED] = {"declared", TEXT, OTHER, "JSON", NULL, 0, 0, NULL, "",
        "the columns as a model knows them: set by sotto_table_read_for"},
    [OPTION_LABELLED] = {"labelled", FLAG, OTHER, NULL, "yes", 0, 0, NULL, "",
        "whether the target is read with the columns of a model"},
    [OPTION_PROGRESS] = {"progress", CHOICE, OUTPUT, "HOW", "auto", 0, 0,
        "auto|bar|json|none", " train audit federate ",
        "shown on stderr"},
    [OPTION_EVENT] = {"event", SUM, OTHER, "PLAN", NULL, 0, 0, NULL, " account ledger ",
        "events to price: GAUSS(mu), LAPLACE(e), PURE(e), "
        "SUBSAMPLED_GAUSS(q, sigma), RANGE(eta), ZCDP(rho), SHOWN(mu, p), times counts, as "
        "'GAUSS(0.05)*1000'; may be given again"},
    [OPTION_EVENTS] = {"events", FILE_, OTHER, "FILE", NULL, 0, 0, NULL, " account ledger ",
        "events from a JSON file, as --save wrote it"},
    [OPTION_CALIBRATE] = {"calibrate", TEXT, OTHER, "PLAN", NULL, 0, 0, NULL,
        " account ",
        "find the smallest z for which the plan costs --epsilon and --delta: "
        "'T*(RANGE(2/z)+GAUSS(1/z))'"},
    [OPTION_SET] = {"set", LIST, OTHER, "NAME=X", NULL, 0, 0, NULL,
        " account plan ledger ",
        "the value of a name in a plan: T=100; may be given again; plan "
        "--paper: a constant of the paper's theorems"},
    [OPTION_ADJACENCY] = {"adjacency", CHOICE, PRIVACY, "HOW", NULL, 0, 0,
        CHOICE_TEXT(ADJACENCY_LIST), " account train plan audit evaluate ledger ",
        "neighbours have a record more (train's default), another, "
        "or a blank one; zero-out: "
        SOTTO_ZERO_OUT},
    [OPTION_IN_ORDER] = {"in-order", FLAG, OTHER, NULL, NULL, 0, 0, NULL,
        " account ledger ",
        "the events happen in the order of the list, fixed in advance; "
        "cheaper when there are RANGE events; with --events and --event, those "
        "of --event follow those of the file, which must have an order"},
    [OPTION_DELTA] = {"delta", NUMBER, PRIVACY, "D", NULL, 0, 0x1.fffffffffffffp-1,
        NULL, " account train plan audit evaluate federate ledger ",
        "the probability with which epsilon may fail"},
    [OPTION_DRAWS] = {"draws", NUMBER, OTHER, "N", "0", 0, 1e18, NULL, " account ledger ",
        "noise draws, each within 2^-80 of its law, to charge to delta; with "
        "--events and --event, those of --event: they add up"},
    [OPTION_CURVE] = {"curve", FLAG, OTHER, NULL, NULL, 0, 0, NULL, " account ",
        "print delta for a range of epsilons"},
    [OPTION_REPEAT] = {"repeat", NUMBER, OTHER, "K", NULL, 0, 1e9, NULL, " account ",
        "the price of K runs on average, K secret and geometric, of which "
        "the best is released"},
    [OPTION_PAPER] = {"paper", TEXT, OTHER, "NAME", NULL, 0, 0, NULL, " account plan ",
        "account: the multiplier that a paper's formula sets, for comparison, "
        "T and q by --set; plan: what a paper's theorems say of the error, "
        "for constants by --set; 'list' names them"},
    [OPTION_SAVE] = {"save", FILE_, OTHER, "FILE", NULL, 0, 0, NULL, " account ",
        "write the events as JSON"},
    [OPTION_COLUMNS] = {"columns", FILE_, OTHER, "FILE", NULL, 0, 0, NULL,
        " federate ",
        "which columns each party has, with their bounds, and what the parties "
        "have agreed upon (docs/parties.md)"},
    [OPTION_KEYS] = {"keys", FILE_, OTHER, "FOLDER", NULL, 0, 0, NULL, " federate ",
        "authority.pem, certificate.pem and key.pem of this organisation, and "
        "the parties' consortium.secret (serve, join)"},
    [OPTION_STATE] = {"state", FILE_, OTHER, "FOLDER", NULL, 0, 0, NULL, " federate ",
        "where every message is kept before it is sent, so that any process "
        "may die and come back; made where it is not there (serve, join)"},
    [OPTION_ACCEPT] = {"accept", TEXT, OTHER, "HASH", NULL, 0, 0, NULL, " federate ",
        "the agreement's hash, compared with the other parties by another "
        "way: what 'sotto federate config' prints (join)"},
    [OPTION_DATA] = {"data", FILE_, OTHER, "FILE", NULL, 0, 0, NULL, " federate ",
        "the party's own columns and the ids of the rows (join)"},
    [OPTION_KEEP_IDS] = {"keep-ids", FLAG, OTHER, NULL, NULL, 0, 0, NULL, "",
        "keep the texts of the unit column"},
    [OPTION_SCHEMA_TEXT] = {"schema-text", TEXT, OTHER, "JSON", NULL, 0, 0, NULL, "",
        "a schema as the file of one has it"},
    [OPTION_LEDGER] = {"ledger", FILE_, PRIVACY, "FILE", NULL, 0, 0, NULL,
        " train evaluate ledger verify federate ",
        "where runs are booked, or none (default: your own)"},
    [OPTION_DATASET] = {"dataset", TEXT, PRIVACY, "NAME", NULL, 0, 0, NULL,
        " convert train evaluate ledger federate ",
        "what a run is booked under (default: the file's path)"},
    [OPTION_DATASET_PATH] = {"dataset-path", FILE_, OTHER, "PATH", NULL, 0, 0, NULL, "",
        "the canonical path of the records, where no data set is named"},
    [OPTION_PARTS] = {"parts", LIST, PRIVACY, "VALUES", NULL, 0, 0, NULL,
        " train evaluate ledger ",
        "the parts of the data set that are read and charged"},
    [OPTION_PART_COLUMN] = {"part-column", TEXT, OTHER, "NAME", NULL, 0, 0, NULL,
        " ledger ",
        "the column that says which part a row belongs to (create)"},
    [OPTION_PUBLIC_PARTS] = {"public-parts", FLAG, OTHER, NULL, NULL, 0, 0, NULL,
        " ledger ",
        "the part that a record belongs to is public and never changes: needed "
        "for parts with replace-one and zero-out (create)"},
    [OPTION_OWNER] = {"owner", TEXT, OTHER, "TEXT", NULL, 0, 0, NULL, " ledger ",
        "who answers for the data set (create)"},
    [OPTION_PURPOSE] = {"purpose", TEXT, PRIVACY, "TEXT", NULL, 0, 0, NULL,
        " train evaluate federate ",
        "what the model is for: in ledger and statement"},
    [OPTION_WHO] = {"who", TEXT, OTHER, "NAME", NULL, 0, 0, NULL, "",
        "who trains, for the ledger"},
    [OPTION_PREPARED] = {"prepared", CHOICE, OTHER, "WORD", "here", 0, 0,
        "here|elsewhere", "",
        "whether all that was done to the columns was done here, row by row; "
        "elsewhere: the statement says that it is not covered"},
    [OPTION_SIGN] = {"sign", FILE_, OUTPUT, "KEY", NULL, 0, 0, NULL, " train ",
        "sign the model by the key that 'sotto key new' made"},
    [OPTION_KEY] = {"key", FILE_, OTHER, "FILE", NULL, 0, 0, NULL, " verify ",
        "the public key of whoever signed the model; it must be given (for one "
        "that is not signed there are 'sotto show' and 'sotto ledger "
        "verify')"},
    [OPTION_RUNS] = {"runs", INTEGER, OTHER, "N", "1", 1, 1e9, NULL, " ledger ",
        "how many such runs, one after the other (quote)"},
    [OPTION_PAGE] = {"page", INTEGER, OTHER, "N", "1", 1, 1e12, NULL, " ledger ",
        "which page of the history; 1 is the latest"},
    [OPTION_TRIALS] = {"trials", INTEGER, OTHER, "N", "1000", 1, 1e7, NULL, " audit ",
        "trainings on each of two neighbours, half of them to choose a test; "
        "with --deep: how many neighbours"},
    [OPTION_DEEP] = {"deep", FLAG, OTHER, NULL, NULL, 0, 0, NULL, " audit ",
        "replay answers to neighbours: every released byte must agree, and "
        "every sum stay within its sensitivity"},
    [OPTION_JSON] = {"json", FLAG, OUTPUT, NULL, NULL, 0, 0, NULL,
        " convert doctor schema generate train plan audit predict evaluate show report export "
        "key verify account federate ledger version help ",
        "print JSON, errors too (docs/cli.md lists the keys)"},
    [OPTION_QUIET] = {"quiet", FLAG, OUTPUT, NULL, NULL, 0, 0, NULL,
        " convert doctor generate schema train plan predict evaluate report export "
        "key federate ledger ",
        "print no remarks, only results and errors"},
};
/* clang-format on */

const sotto_option *sotto_option_at(int64_t i)
{
    return i >= 0 && i < OPTION_COUNT ? &option_table[i] : NULL;
}

const sotto_option *sotto_option_named(const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!strcmp(option_table[i].name, name))
            return &option_table[i];
    return NULL;
}
