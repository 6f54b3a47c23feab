/*
 * sotto: differentially private linear models.
 *
 * This header is all of libsotto, to be read from top to bottom.
 *
 *   1  Status and errors     how every call says what went wrong
 *   2  Options               one table: names, defaults, bounds, help
 *   3  Data                  a file of records -> a table in memory
 *   4  Schema                what the columns are, declared beforehand
 *   5  Fit                   a table -> a model
 *   6  Model                 its weights; writing and reading it
 *   7  Prediction            a model and another file -> answers
 *   8  Synthetic data        sets to try things on
 *   9  Accounting            what a list of noisy answers costs
 *  10  Ledger                one budget for a data set, over all runs
 *  11  Ranks                 one fit by several processes, with the same bits
 *  12  Audit                 whether what is promised is so
 *
 * Parties that hold different columns of the same rows have a library and a
 * header of their own: sotto_federate.h.
 *
 * Conventions. A call that can fail returns a status and fills the caller's
 * sotto_error, which may be NULL and is left alone on success. `T **out` is
 * yours to free, and NULL after a failure; a `const T *` that is returned is
 * borrowed from the object it came from. Indices must be in range. Sizes are
 * 64-bit. The library never prints and never exits. It aborts in one case:
 * the system gives no random bits, so that there can be no noise. It keeps no
 * global state: two threads may use two different objects at the same time.
 *
 * The library changes nothing that belongs to the whole process: not the
 * umask, signal handlers, the folder, the environment, the locale, or what
 * happens at a fork. What the program `sotto` does beyond that a host does
 * itself, if it wants it: making itself undumpable (PR_SET_DUMPABLE), so that
 * no core file has records in it, ending on signals, and ignoring SIGXFSZ, so
 * that a full disk is an error.
 *
 * The locale that a host has chosen changes no result: numbers are printed
 * and read with a point. Only why the system refused a file, where a message
 * says it, is in the host's language.
 *
 * Licence: Apache-2.0.
 */
#ifndef SOTTO_H
#define SOTTO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SOTTO_API __attribute__((visibility("default")))
#define SOTTO_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SOTTO_API
#define SOTTO_MUST_CHECK
#endif

#define SOTTO_VERSION "0.1.0"

/* The version of the library that is running (the macro: of this header). */
SOTTO_API const char *sotto_version(void);

/* ------------------------------------------------------------------------
 * 1  Status and errors
 *
 * The numbers are also the exit codes of the program `sotto`.
 */
typedef enum sotto_status {
    SOTTO_OK = 0,
    SOTTO_FAILED = 1,  /* the machine: files, memory, disk */
    SOTTO_USAGE = 2,   /* the call: an option, a name, a combination */
    SOTTO_DATA = 3,    /* the records: a bad row, a missing column */
    SOTTO_BUDGET = 4,  /* refused: the privacy budget does not allow it */
    SOTTO_PRIVACY = 5, /* refused: a declaration that private training needs,
                          or a statement of privacy that is not so */
    SOTTO_PEER = 6,    /* another party: connection or authentication */
    SOTTO_INTERRUPTED = 130 /* the caller said stop */
} sotto_status;

/*
 * One line for people, without a trailing newline. It says where (file,
 * line, column), what was expected and what to do; it never quotes a value
 * from a record. It is meant for the operator beside the data: line numbers
 * depend on the records, so it is not for release.
 */
typedef struct sotto_error {
    sotto_status status;
    char message[480];
} sotto_error;

/*
 * A number as text, and back: the same in every locale. `digits` is from 1 to
 * 17 and counts as in printf's %.*g; `decimals` is from 0 to 9, as in %.*f.
 *
 *     printf("%s\n", sotto_number_print(x, 6).text);
 *
 * An epsilon or a delta that people read is printed by print_up: what is
 * printed is never below x. What may still be spent is printed by print_down:
 * never above x. `end` is for the upper or the lower end of an interval: away
 * from its middle, to the second digit of its error. `exact` is the shortest
 * of 15 to 17 digits that reads back as the same bits. parse takes a text that
 * is one decimal number or inf, and returns 1; otherwise 0, and *out has no
 * meaning.
 */
typedef struct sotto_number {
    char text[32];
} sotto_number;

SOTTO_API sotto_number sotto_number_print(double x, int digits);
SOTTO_API sotto_number sotto_number_print_up(double x, int digits);
SOTTO_API sotto_number sotto_number_print_down(double x, int digits);
SOTTO_API sotto_number sotto_number_end(double x, double error, int up);
SOTTO_API sotto_number sotto_number_fixed(double x, int decimals);
SOTTO_API sotto_number sotto_number_exact(double x);
SOTTO_API int sotto_number_parse(const char *text, double *out);

/*
 * Whether this build, on this machine, does what its proofs suppose: check i,
 * without a record and in tenths of a second. *name says what was checked, and
 * is NULL past the last. SOTTO_FAILED: it does not, and nothing should be
 * trained with it. A sampler that is right fails less than once in 10^12 times.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_self_test(int64_t i,
                                                        const char **name,
                                                        sotto_error *error);

/* The instructions that loops over rows use here: "avx512", "avx2", ... */
SOTTO_API const char *sotto_instruction_set(void);

/* ------------------------------------------------------------------------
 * 2  Options
 *
 * Everything that can be set has one entry in one table. The command line,
 * its help and other languages are made from the same table.
 */
typedef enum sotto_option_kind {
    SOTTO_OPTION_TEXT,    /* any text */
    SOTTO_OPTION_FILE,    /* a path; "-" is stdin or stdout */
    SOTTO_OPTION_LIST,    /* names separated by commas; setting it adds */
    SOTTO_OPTION_SUM,     /* terms; setting it adds one more, with a + */
    SOTTO_OPTION_CHOICE,  /* one of `choices` */
    SOTTO_OPTION_INTEGER, /* a whole number within [low, high] */
    SOTTO_OPTION_NUMBER,  /* a number within [low, high] */
    SOTTO_OPTION_PAIR,    /* two numbers "LO,HI", the lower first */
    SOTTO_OPTION_FLAG     /* present or not: "yes" or "no" */
} sotto_option_kind;

/* What an option is about, for help. */
typedef enum sotto_option_group {
    SOTTO_GROUP_PROBLEM, /* what is learned */
    SOTTO_GROUP_PRIVACY, /* what is promised, and to whom */
    SOTTO_GROUP_DATA,    /* how files are read */
    SOTTO_GROUP_OUTPUT,  /* what is written, and how it runs */
    SOTTO_GROUP_SOLVER,  /* solvers say what it means (sotto_solver_at) */
    SOTTO_GROUP_OTHER    /* something of other verbs */
} sotto_option_group;

typedef struct sotto_option {
    const char *name; /* "target"; on the command line --target */
    sotto_option_kind kind;
    sotto_option_group group;
    const char *argument; /* how help calls its argument; NULL for a flag */
    const char *default_value; /* as text, or NULL: not set */
    double low, high;          /* bounds, both included */
    const char *choices;       /* "a|b|c", or NULL */
    const char *verbs; /* " doctor schema ": who takes it; none: library */
    const char *help;  /* one sentence */
} sotto_option;

/* The i-th option, or NULL past the end. */
SOTTO_API const sotto_option *sotto_option_at(int64_t i);

/* The option of that name, or NULL. */
SOTTO_API const sotto_option *sotto_option_named(const char *name);

/*
 * The solvers, and the options that each of them uses: what an option means,
 * and what it is where it is not given, as it is written or in words; NULL:
 * it is not set. `for_comparison` is for comparison with a paper: there are
 * better ones to use. 1, or 0 past the end.
 */
typedef struct sotto_solver {
    const char *name, *summary;
    int for_comparison;
} sotto_solver;

typedef struct sotto_solver_option {
    const char *name, *default_value, *meaning;
    int for_comparison;
} sotto_solver_option;

SOTTO_API int sotto_solver_at(int64_t i, sotto_solver *out);
SOTTO_API int sotto_solver_option_at(const char *solver, int64_t i,
                                     sotto_solver_option *out);

/* The one of these names that somebody may have meant who wrote another, for
   "did you mean"; NULL when none is near. */
SOTTO_API const char *sotto_nearest(const char *written,
                                    const char *const *names, int64_t count);

/* A set of values, all at their defaults. */
typedef struct sotto_options sotto_options;

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_options_new(sotto_options **out,
                                                          sotto_error *error);
SOTTO_API void sotto_options_free(sotto_options *options);

/* Sets one value from its text, after checking it. What is set on a list is
   added to it; a name with a comma in it cannot be, but a schema can have it.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_options_set(sotto_options *options, const char *name, const char *value,
                  sotto_error *error);

/* Sets an option that may name a file to read (schema, smoothness, blocks,
   sampling; for a federation columns) to the text that such a file would have:
   nothing is read from a disk, and messages say the option's name where they
   would say the file's. Other options are refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_options_set_content(sotto_options *options, const char *name,
                          const char *text, sotto_error *error);

/* The text of a value, or of the content that was given in a file's place, or
   NULL when it is not set and has no default. */
SOTTO_API const char *sotto_options_get(const sotto_options *options,
                                        const char *name);

/* ------------------------------------------------------------------------
 * 3  Data
 *
 * Readers for CSV (RFC 4180, with a header), svmlight/LIBSVM (1-based) and
 * NumPy .npy, each also gzipped or from stdin ("-"). Every value is mapped
 * by what was declared about its column, on its own: the table's row i is a
 * function of record i and of public declarations, and of nothing else.
 *
 *   target     the column to learn; --classes and the loss say how to read
 *              it; two classes become -1 and +1
 *   schema     declared bounds, levels and missing-value policies; a bounded
 *              column is clamped and mapped to [-1, 1]
 *   bad-rows   "stop" (SOTTO_DATA with the line) or "drop" (as if absent)
 *   epsilon    finite: nothing of the table's shape may come from the rows
 *
 * sotto_option_at lists all options. Those that no verb takes are for callers
 * of the library only, as precision, layout and keep-ids.
 *
 * A file that is written to while it is read is refused with SOTTO_DATA. One
 * that is replaced under its name is read as it was. A record of CSV or
 * svmlight has at most 256 MB. All else that is read (schemas, models, lists
 * of events or of numbers, agreements of parties) is text of at most 1 GB.
 */
typedef struct sotto_table sotto_table;

SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_table_read(sotto_table **out, const char *path,
                 const sotto_options *options, sotto_error *error);

/*
 * Several files of CSV as one table: the rows of the first, then those of the
 * second, and so on. All are opened, and their headers compared, before a row
 * is looked at; another header (SOTTO_DATA), another format, stdin or the same
 * file twice (SOTTO_USAGE) is refused. Messages name the file of a line.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_table_read_files(
    sotto_table **out, const char *const *paths, int64_t count,
    const sotto_options *options, sotto_error *error);

/*
 * Columns in the caller's memory, as another way to have records. A list of
 * columns copies nothing and looks at nothing: the memory belongs to the
 * caller and must stay as it is until a table was made of the list. All columns
 * have the same number of rows. Their names and types, and how many there are,
 * are public; their values are records, and so is everything that was made
 * from them (the list of levels that comes with a dictionary is never used).
 * docs/embedding.md shows how it is used.
 *
 * A value goes through the same maps as a field of a file: the same values
 * give the same table, bit for bit. NaN and infinities are missing values. A
 * text is read as a field of CSV without quotes is: blanks around it do not
 * count. Where a column needs text (a category, a class by name, a person, a
 * part), a whole number is its digits, another number the shortest text that
 * reads back as the same double; true and false are 1 and 0. The options
 * about files (format, no-header, delimiter, decimal, thousands) are refused,
 * and features where it is not the number that sparse features have.
 */
typedef struct sotto_columns sotto_columns;

typedef enum sotto_element {
    SOTTO_F32,
    SOTTO_F64,
    SOTTO_I8,
    SOTTO_I16,
    SOTTO_I32,
    SOTTO_I64,
    SOTTO_U8,
    SOTTO_U16,
    SOTTO_U32,
    SOTTO_U64,
    SOTTO_BOOL /* one byte; not 0 is 1 */
} sotto_element;

/* An empty list of columns with so many rows. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_columns_new(sotto_columns **out,
                                                          int64_t rows,
                                                          sotto_error *error);

/* Frees the list, not what it lists; NULL is fine. */
SOTTO_API void sotto_columns_free(sotto_columns *columns);

/* One column of numbers: that of row i is at `values` + i * stride bytes,
   aligned or not. Strides may be 0 or negative. `missing`: NULL, or a byte for
   each row; not 0: there is no value, and none is looked at. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_columns_add(sotto_columns *columns, const char *name, const void *values,
                  sotto_element type, int64_t stride, const uint8_t *missing,
                  sotto_error *error);

/* The columns of an array: the element (i, j) is at `values` + i * row_stride
   + j * column_stride bytes. Without names they are called 1, 2, ... as those
   of a .npy file; an array alone is known by its places, as one is. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_columns_add_array(
    sotto_columns *columns, const char *const *names_or_null, int64_t count,
    const void *values, sotto_element type, int64_t row_stride,
    int64_t column_stride, sotto_error *error);

/* One column of text, in UTF-8: that of row i is bytes[offsets[i]] up to
   bytes[offsets[i + 1]]. Offsets that decrease are refused (SOTTO_USAGE) when
   a table is made; a text with a NUL byte makes a bad row. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_columns_add_texts(
    sotto_columns *columns, const char *name, const char *bytes,
    const int64_t *offsets, const uint8_t *missing, sotto_error *error);

/*
 * Features that are mostly 0, by row (CSR) or by column (CSC): group g has
 * the entries from start[g] to start[g + 1], each with its index (from 0 on)
 * and its value. `by_column`: groups are columns. start_type and index_type
 * are SOTTO_I32 or SOTTO_I64. The features are numbered, as those of svmlight
 * are (the first is called 1). An index that is there twice in a row, or above
 * the features, makes it a bad row, as does a value that is missing; the order
 * within a row does not matter. Starts that decrease, and rows of CSC that do
 * not exist, are refused (SOTTO_USAGE). Beside it the list has only columns
 * that are no features: target, weight, person, part.
 */
typedef struct sotto_sparse {
    int by_column;
    int64_t features;
    const void *start, *index, *values;
    sotto_element start_type, index_type, value_type;
} sotto_sparse;

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_columns_add_sparse(
    sotto_columns *columns, const sotto_sparse *entries, sotto_error *error);

/*
 * Columns that arrive by an Arrow C stream (struct ArrowArrayStream, of
 * Arrow's C stream interface; one that was released is refused). It is taken
 * over, whatever the status: moved, so that the caller's structure is marked
 * as released. Its schema is asked for here, its batches when a table is made:
 * not before a run is booked. Integers, floats, booleans, texts (utf8,
 * large_utf8, utf8_view) and dictionaries of texts are read; another type is
 * refused with its format, unless the option drop names the column. A row that
 * is null has no value in any column. Where the producer fails, the status is
 * SOTTO_FAILED, and what it says is not told: it may quote a record. A list
 * with a stream has nothing else, and makes one table.
 */
struct ArrowArrayStream;
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_columns_stream(
    sotto_columns **out, struct ArrowArrayStream *stream, sotto_error *error);

/* As sotto_table_read. Messages name the columns, and rows from 1 on. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_table_from(sotto_table **out, sotto_columns *columns,
                 const sotto_options *options, sotto_error *error);

/* Wipes and frees; NULL is fine. */
SOTTO_API void sotto_table_free(sotto_table *table);

SOTTO_API int64_t sotto_table_rows(const sotto_table *table);

/*
 * How many bad rows bad-rows=drop has left out (but records longer than
 * 256 MB); NOT FOR RELEASE. -1 where they are not counted: with bad-rows=stop,
 * with a finite epsilon, where parts are read, and where bad rows keep their
 * place.
 */
SOTTO_API int64_t sotto_table_dropped(const sotto_table *table);
SOTTO_API int64_t sotto_table_features(const sotto_table *table);

/*
 * Whose each row is: rows of one person share a number; NOT FOR RELEASE. Writes
 * sotto_table_rows numbers. Returns 0, and writes nothing, where no column says
 * it.
 */
SOTTO_API int sotto_table_people(const sotto_table *table, double *out);

/* Stored entries: rows * features when dense. */
SOTTO_API int64_t sotto_table_entries(const sotto_table *table);
SOTTO_API int sotto_table_is_sparse(const sotto_table *table);

/*
 * The name of feature j; a category's is "column=level". Where the file has
 * no names they are 1, 2, ..., written into the caller's buffer.
 */
SOTTO_API const char *sotto_table_feature_name(const sotto_table *table,
                                               int64_t j, char buffer[24]);

/*
 * Hands out the id of each row, in order: what the unit column has, where the
 * option keep-ids was set. Returns how many different ones there are; -1:
 * none were kept. Ids are records. Forgetting them leaves the table as it
 * would be without that column.
 */
typedef void (*sotto_id_taker)(void *context, const char *bytes, size_t size);
SOTTO_API int64_t sotto_table_ids(const sotto_table *table, sotto_id_taker take,
                                  void *context);
SOTTO_API void sotto_table_forget_ids(sotto_table *table);

/*
 * The affine map of feature j: stored = (raw - centre) / half, with centre 0
 * and half 1 when nothing was declared.
 */
SOTTO_API void sotto_table_feature_map(const sotto_table *table, int64_t j,
                                       double *centre, double *half);

/* The declared bounds of feature j, in raw units: 1 when there are any. */
SOTTO_API int sotto_table_feature_bounds(const sotto_table *table, int64_t j,
                                         double *low, double *high);

/* Copies feature j, undone to raw units, into out[0 .. rows-1]. */
SOTTO_API void sotto_table_feature(const sotto_table *table, int64_t j,
                                   double *out);

/*
 * The target in raw units (-1/+1 for two classes), or the row weights:
 * 1 when copied to out, 0 when the table has none.
 */
SOTTO_API int sotto_table_target(const sotto_table *table, double *out);
SOTTO_API int sotto_table_weights(const sotto_table *table, double *out);

/* How many classes the target has (0: it is a number), and the name of class
   0 (-1 of two), 1 (+1), 2, ...; NULL when there is no such class. */
SOTTO_API int64_t sotto_table_classes(const sotto_table *table);
SOTTO_API const char *sotto_table_class(const sotto_table *table, int which);

/* The i-th remark for the operator (not for release), or NULL. */
SOTTO_API const char *sotto_table_warning(const sotto_table *table, int64_t i);

/* ------------------------------------------------------------------------
 * 4  Schema
 *
 * A JSON file that declares the columns. This writes a template to fill in,
 * from the header of the data file alone: no row is looked at.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_template(char **out, const char *path,
                      const sotto_options *options, sotto_error *error);

/* The same from names and types of columns in memory. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_template_from(char **out, const sotto_columns *columns,
                           const sotto_options *options, sotto_error *error);

/*
 * Everything that is wrong with a schema, one line each: *out is the lines, and
 * the status SOTTO_USAGE, or SOTTO_DATA where the schema is right and the
 * header of `data` does not fit it (data may be NULL). With SOTTO_OK nothing is
 * wrong, and *out has a line for each thing that is still to be declared, or is
 * NULL, as it is where something else failed. No record is read.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_check(char **out, const char *schema, const char *data,
                   const sotto_options *options, sotto_error *error);

/* Frees a text that this library returned through `char **`. */
SOTTO_API void sotto_text_free(char *text);

/* Writes text to a file, whole or not at all; "-" is stdout. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_text_write(const char *path,
                                                         const char *text,
                                                         sotto_error *error);

/* The same of what `print` writes to the stream. Where its status is not
   SOTTO_OK there is no file. */
typedef sotto_status (*sotto_printer)(void *context, FILE *to,
                                      sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_file_write(const char *path,
                                                         sotto_printer print,
                                                         void *context,
                                                         sotto_error *error);

/* ------------------------------------------------------------------------
 * 5  Fit
 *
 * Finds w and b that make
 *
 *   F(w, b) = mean of loss(x_i'w + b, y_i) + l1 |w|_1 + l2/2 |w|_2^2
 *
 * small, in the units the table is stored in (bounded columns in [-1, 1]);
 * the penalty in those that penalty-units says (docs/schema.md).
 * The mean is weighted where rows have weights; b is not penalised. The help
 * of the option loss has the formula of each loss.
 *
 *   loss, huber-delta, l1, l2, penalty-units, box, intercept    the problem
 *   epsilon, delta     finite: private training. The model then has a
 *              statement of what is promised (docs/privacy)
 *   adjacency, unit-column, rows-per-person        to whom it is promised
 *   solver     how to train privately. The solver "auto" is the default and
 *              has nothing to tune; docs/solvers.md says what the others need
 *   epsilon    inf: the solver "exact", whose models are NOT PRIVATE
 *   tolerance  how close to the minimum that one stops
 *   prepared   "elsewhere" where the caller had worked on the columns before:
 *              the statement then says that this is not covered
 */
typedef struct sotto_model sotto_model;

/* How far a fit is. For the operator: the gap depends on the records. What
   private training tells is made of its plan and of released answers. */
typedef struct sotto_progress {
    double share;      /* of the work, from 0 to 1, as far as can be told */
    double gap;        /* how far F may be from its minimum, relative to it; NaN
                          where it is not known, as in private training */
    const char *stage; /* what it is about: "bounds", "rounds", ... */
    int64_t round, total; /* of this stage, from 1; 0: it is not counted, or
                             not known how many there are */
} sotto_progress;

/*
 * `call` is called now and then during a fit; an answer other than 0 stops it.
 * `remark`, where it is not NULL, gets what sotto_table_warning and
 * sotto_fit_remark would say, a line at a time, when the fit begins: for the
 * operator, not for release. Either may be NULL.
 */
typedef struct sotto_progress_callback {
    int (*call)(void *context, const sotto_progress *progress);
    void *context;
    void (*remark)(void *context, const char *line);
} sotto_progress_callback;

/* Whether these options make a fit: what can be refused before a record is
   read. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_fit_check(const sotto_options *options, sotto_error *error);

/*
 * What a private fit with these options would ask, with which noise, and
 * what it would cost: the statement its model would have. No record is read;
 * the options rows and features say how large the data are, or the option
 * schema what columns there are.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_fit_plan(char **out, const sotto_options *options, sotto_error *error);

/*
 * What the theorems of a paper say of the error, for constants that are known:
 * the option paper names it ("list": all papers, with their theorems and
 * constants), set has the constants, epsilon and delta the budget. Text for
 * people, or with the option json an object. No record is read, and nothing of
 * a private fit depends on it.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_theorems(char **out, const sotto_options *options, sotto_error *error);

/*
 * The i-th remark about these options, from 0 on, in remark->message; 0: there
 * is none. `table` may be NULL: then the schema, if there is one, says whether
 * rows belong to people. Public: it is not about any record.
 */
SOTTO_API int sotto_fit_remark(const sotto_options *options,
                               const sotto_table *table, int64_t i,
                               sotto_error *remark);

/*
 * Takes the table over: it is wiped and freed, and *table is NULL, whatever
 * the status. `callback` may be NULL; a fit that it stops is SOTTO_INTERRUPTED.
 * SOTTO_DATA, with one line, where no minimiser exists.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_fit(sotto_model **out, sotto_table **table, const sotto_options *options,
          const sotto_progress_callback *callback, sotto_error *error);

/*
 * Reads a file for a fit with these options: as sotto_table_read does, but
 * where the option ledger names a file, the run is planned and booked there
 * before the first row is looked at: how reading ends may depend on the rows.
 * SOTTO_BUDGET, with what is spent, asked and left, where a cap does not
 * allow it. Where a ledger is named, sotto_fit takes a table from this call
 * only, once, with the same options and in the same process.
 *
 *   ledger     a file, or "none"; not set: nothing is booked, and the
 *              statement says "untracked"
 *   dataset    its name there; or dataset-path, the file's canonical path
 *   parts      which parts of the data set are read and charged
 *   purpose, who    in words, for the ledger; the statement has the purpose
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_fit_read(sotto_table **out, const char *path,
               const sotto_options *options, sotto_error *error);

/*
 * The same for several files, as sotto_table_read_files reads them. By the
 * option dataset the run is booked once. By dataset-path, that of the first
 * file, it is booked for each file, under the canonical path of each, before a
 * row of any is looked at. Where one of them cannot be booked, those before it
 * stay charged. The model's booking is that of the file with the largest
 * total, and sotto_fit_settle settles all of them.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_fit_read_files(sotto_table **out, const char *const *paths, int64_t count,
                     const sotto_options *options, sotto_error *error);

/*
 * Reads files as for a private fit, and writes what training needs of them as
 * one table on a disk: sotto_fit_read reads it without parsing, to a model of
 * the same bits, and books runs under what the files would be booked under,
 * their paths or the option dataset. No record leaves but to `output`, which
 * only its owner may read: it is as sensitive as the records. The option loss
 * says whether the target is a number or one of classes. A remark goes to the
 * callback, which may be NULL; its `call` is not called.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_table_convert(
    const char *const *paths, int64_t count, const char *output,
    const sotto_options *options, const sotto_progress_callback *callback,
    sotto_error *error);

/* The same for columns in memory: the option dataset names what is booked.
   Nothing behind a pointer of the list is looked at before that. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_fit_from(sotto_table **out, sotto_columns *columns,
               const sotto_options *options, sotto_error *error);

/* ------------------------------------------------------------------------
 * 6  Model
 *
 * Weights in the units of the file, the declarations that its columns were
 * read with, and what is known about privacy. As a file it is JSON with
 * doubles that read back as the same bits, and a checksum. A file is written
 * whole or not at all.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_read(sotto_model **out,
                                                         const char *path,
                                                         sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_write(
    const sotto_model *model, const char *path, sotto_error *error);

/* The same as text: what the file has, byte for byte. The caller frees it by
   sotto_text_free. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_text(char **out, const sotto_model *model, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_parse(sotto_model **out,
                                                          const char *text,
                                                          sotto_error *error);
SOTTO_API void sotto_model_free(sotto_model *model);

/*
 * The statement of privacy, as JSON: what is promised to whom, at what price,
 * every question with its noise, and what is not covered. NULL: the model is
 * NOT PRIVATE. And the two numbers of it: 1, or 0 where there is none. What
 * was read from a file is what the file claims: see sotto_model_check.
 */
SOTTO_API const char *sotto_model_statement(const sotto_model *model);
SOTTO_API int sotto_model_privacy(const sotto_model *model, double *epsilon,
                                  double *delta);

/*
 * Whose promise it is, in words: a row, or a person with the column that
 * tells people apart and how many rows of each are used. The caller frees it
 * by sotto_text_free. SOTTO_PRIVACY where there is no statement.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_unit(char **out, const sotto_model *model, sotto_error *error);

/*
 * The i-th remark that a private model has to make about itself, from 0 on,
 * in remark->message; 0: there is none. That it learned nothing, as far as its
 * own numbers tell, and what would be needed; that delta is above 1 / rows,
 * where rows were declared or estimated. It is made of the model alone, so it
 * may go where the model goes.
 */
SOTTO_API int sotto_model_remark(const sotto_model *model, int64_t i,
                                 sotto_error *remark);

/*
 * Prices the questions that the statement lists again. Reading a model checks
 * that epsilon and delta are numbers; this checks that no promise, of the
 * curve neither, is below what the questions cost, and that no fault is known
 * of the version that made it: SOTTO_PRIVACY, with one line. Call it before
 * anybody is shown a statement; sotto_report and sotto_model_export do so. A
 * model that is NOT PRIVATE promises nothing and passes.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_check(const sotto_model *model, sotto_error *error);

/* The loss by its name, and one of the numbers "l1", "l2", "box-low",
   "box-high", "radius" (infinite without a box or an L1 ball), "huber-delta",
   "scaled-rows" (1: features without bounds are divided by their common
   length in each row; else 0) and "penalty-units" (2: l1 and l2 are about
   weights of columns divided by their spread, 1: in the units of the file, 0:
   of the fit; NaN: an old model does not say) and "rows" (declared or estimated
   privately; NaN: neither); NaN for others. */
SOTTO_API const char *sotto_model_loss(const sotto_model *model);
SOTTO_API double sotto_model_setting(const sotto_model *model,
                                     const char *name);

/* The features, their weights, and the intercept. */
SOTTO_API int64_t sotto_model_features(const sotto_model *model);
SOTTO_API const char *sotto_model_feature_name(const sotto_model *model,
                                               int64_t j, char buffer[24]);
SOTTO_API double sotto_model_weight(const sotto_model *model, int64_t j);
SOTTO_API double sotto_model_intercept(const sotto_model *model);

/* The standard deviation of the last noise that entered the weight of feature
   j, before the penalty: NaN where none did or where it is not known. It is
   not how far the weight is from the truth. */
SOTTO_API double sotto_model_noise(const sotto_model *model, int64_t j);

/*
 * How far the weight of feature j, or for j = features the intercept, may be
 * from that of the minimiser of the same penalised loss on the population that
 * the rows are a sample of: noise and sampling together. The intervals are for
 * one weight each. 0: there is none, and `none` says why; the numbers are NaN.
 * With three classes and more there is none.
 */
typedef struct sotto_interval {
    double centre, error; /* standard error */
    double moved; /* centre less the weight: 0 but of levels that add up to the
                     intercept's column, where rows do not tell what these
                     weights have in common, and the penalty does */
    double at_90[2], at_95[2]; /* from, to: 90 and 95 % */
    const char *none; /* "no interval: " and this; NULL: there is one */
} sotto_interval;
SOTTO_API int sotto_model_interval(const sotto_model *model, int64_t j,
                                   sotto_interval *out);

/* All of them at once, into out[0 .. features-1]. */
SOTTO_API void sotto_model_weights(const sotto_model *model, double *out);
SOTTO_API void sotto_model_noises(const sotto_model *model, double *out);

/* How many classes there are (0: it predicts a number), and the name of class
   0 (-1 of two), 1 (+1), 2, ...; NULL when there is no such class. */
SOTTO_API int64_t sotto_model_classes(const sotto_model *model);
SOTTO_API const char *sotto_model_class(const sotto_model *model, int which);

/*
 * With three classes and more each of them has weights, noises and an
 * intercept; the calls above that have no class are about class 0 (and those
 * of feature j about class k where j is k * features further). With fewer
 * every k has the model's own. one_versus_rest: each class was learned against
 * all others; else all of them at once, by the multinomial loss.
 */
SOTTO_API void sotto_model_class_weights(const sotto_model *model, int64_t k,
                                         double *out);
SOTTO_API void sotto_model_class_noises(const sotto_model *model, int64_t k,
                                        double *out);
SOTTO_API double sotto_model_class_intercept(const sotto_model *model,
                                             int64_t k);
SOTTO_API int sotto_model_one_versus_rest(const sotto_model *model);

/*
 * What was certified when the exact solver made this model: F of its weights,
 * the gap (F is at most that far above its minimum; NaN where no bound
 * exists) and whether the tolerance was reached. 0 for a model that was read
 * from a file, which does not have it.
 */
SOTTO_API int sotto_model_certificate(const sotto_model *model,
                                      double *objective, double *gap,
                                      int *converged);

/*
 * Where its run was booked, as the statement says: 1, or 0: it is untracked.
 * spent_epsilon is what all runs on the data set, up to this one, amount to:
 * a cap of (spent_epsilon, delta) would have let them through.
 */
typedef struct sotto_booking {
    char dataset[161];  /* by the name that its owner gave; "": it has none */
    char head[65];      /* of the ledger's chain */
    int64_t position;   /* in it */
    double cap_epsilon; /* 0: no cap */
    double delta, spent_epsilon;
} sotto_booking;

SOTTO_API int sotto_model_booking(const sotto_model *model, sotto_booking *out);

/*
 * The model is where it belongs: its run is marked as finished.
 *
 * A run that no ledger knows of writes what it may spend to OUTPUT.spent
 * before it asks its first question, where the option output names a file;
 * where that is a link, beside the file that it leads to. It appears whole or
 * not at all. Then settle removes it; a run that was killed leaves it, and it
 * stands in the way of another run until somebody has looked at it. spent_text
 * says what it may have spent, in words or as JSON.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_fit_settle(
    const sotto_model *model, const char *output, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_spent_text(char **out,
                                                         const char *path,
                                                         int as_json,
                                                         sotto_error *error);

/*
 * Signatures (Ed25519). key_new makes a pair: the secret key in FILE, which
 * only its owner may read, and the public one in FILE.pub. sign signs the
 * model with its statement; the file then has the signature. Reading a model
 * refuses a signature that is wrong; verify also says whose it is:
 * SOTTO_PRIVACY where it is not that key's, or where there is none.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_key_new(const char *path,
                                                      sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_sign(sotto_model *model,
                                                         const char *key,
                                                         sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_verify(
    const sotto_model *model, const char *public_key, sotto_error *error);

/* The same with the key files' text. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_sign_with(
    sotto_model *model, const char *key_text, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_verify_with(
    const sotto_model *model, const char *public_key_text, sotto_error *error);

/* Whether FILE is a secret key that can sign: to be asked before long work. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_key_check(const char *path,
                                                        sotto_error *error);

/* The public key that a model is signed by, 64 digits of hex; NULL: none.
   Anybody can sign: whose key it is, only verify says. */
SOTTO_API const char *sotto_model_signer(const sotto_model *model);

/*
 * A page about models, for people: one HTML file without scripts, with nothing
 * loaded from elsewhere. name[i] is what the page calls model[i]. What it
 * says comes from the models: no record is read.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_report(char **out, const sotto_model *const *model,
             const char *const *name, int64_t count, sotto_error *error);

/* The same with evaluations: each stands beside the model that it is of.
   SOTTO_USAGE where one is of none of them. */
struct sotto_evaluation;
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_report_evaluated(
    char **out, const sotto_model *const *model, const char *const *name,
    int64_t count, const struct sotto_evaluation *const *evaluation,
    const char *const *evaluation_name, int64_t evaluations,
    sotto_error *error);

/* The model as another program's file: format "liblinear", or "sql" for one
   SELECT with the answers for a table called records. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_export(char **out, const sotto_model *model, const char *format,
                   sotto_error *error);

/* ------------------------------------------------------------------------
 * 7  Prediction
 *
 * Answers about rows are as sensitive as the rows.
 *
 * Reads a file for a model: columns are matched by name, in any order, and
 * mapped as when the model was made. The target is read when `labelled`;
 * otherwise it may be there or not. Of the options, bad-rows, drop, format,
 * no-header, delimiter, decimal, thousands and threads are used.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_table_read_for(
    sotto_table **out, const sotto_model *model, int labelled, const char *path,
    const sotto_options *options, sotto_error *error);

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_table_read_files_for(
    sotto_table **out, const sotto_model *model, int labelled,
    const char *const *paths, int64_t count, const sotto_options *options,
    sotto_error *error);

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_table_from_for(
    sotto_table **out, const sotto_model *model, int labelled,
    sotto_columns *columns, const sotto_options *options, sotto_error *error);

typedef enum sotto_answer {
    SOTTO_ANSWER_VALUE, /* the number; for two classes -1 or +1; for more the
                           index of the class */
    SOTTO_ANSWER_SCORE, /* x'w + b */
    SOTTO_ANSWER_PROBA  /* of class 1, where the loss is logistic */
} sotto_answer;

/* Answers for all rows of a table into out[0 .. rows-1]; SOTTO_DATA where the
   score of a row is too large for a double. With three classes and more scores
   and probabilities are answered by sotto_predict_classes. Where the table was
   read for a model, without labels and with bad-rows "drop", a bad row keeps
   its place, and its answer is NaN; so is one whose score is too large. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_predict(double *out,
                                                      const sotto_model *model,
                                                      const sotto_table *table,
                                                      sotto_answer what,
                                                      sotto_error *error);

/* With three classes and more: scores or probabilities of all of them, that of
   class k in row i at out[i * classes + k]. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_predict_classes(
    double *out, const sotto_model *model, const sotto_table *table,
    sotto_answer what, sotto_error *error);

/*
 * The same in pieces of whole rows, in the order of the file: of each row one
 * answer, or scores and probabilities of all classes, where there are three and
 * more. Where ranks share the rows, rank 0 gets the answers of all of them, a
 * piece at a time, and the other ranks get no call. The first call is made when
 * all ranks have all answers. Another status than SOTTO_OK ends it.
 */
typedef sotto_status (*sotto_answer_taker)(void *context, const double *answers,
                                           int64_t rows, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_predict_in_order(
    const sotto_model *model, const sotto_table *table, sotto_answer what,
    sotto_answer_taker take, void *context, sotto_error *error);

/* How good a model is on labelled rows; NaN where something has no value.
   Rows count by their weights, where they have some. Where ranks share the
   rows, rank 0 has it of all of them; the others have their number. */
typedef struct sotto_quality {
    int64_t rows;
    double objective; /* F as it was minimised: the penalty in the units that
                         training used; NaN where an old model does not say */
    double accuracy;  /* classes */
    double auc;       /* classes: area under the ROC curve; with three and more
                         the mean over classes, each against the others */
    double log_loss;  /* classes, logistic */
    double mse, r2;   /* a number */
} sotto_quality;

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluate(sotto_quality *out,
                                                       const sotto_model *model,
                                                       const sotto_table *table,
                                                       sotto_error *error);

/* With classes: how much of the rows' weight (without weights: how many rows)
   is of class a and was predicted as class b, at out[a * classes + b]. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_confusion(double *out, const sotto_model *model, const sotto_table *table,
                sotto_error *error);

/*
 * Private evaluation: the same, as numbers that may be published. The rows are
 * read as private data. All questions are planned, priced together, and booked
 * before a row is looked at, as those of a fit are. Of the options, those of
 * sotto_table_read_for are used, and epsilon, delta, adjacency, unit-column,
 * rows-per-person, rows, output, and those of a ledger (sotto_fit_read).
 *
 * An evaluation is a file as a model is: JSON with a checksum, its statement of
 * privacy, and nothing that is exact. What sotto_model_statement, _check and
 * _privacy say of a model, these say of an evaluation. settle is to be called
 * when it is where it belongs.
 */
typedef struct sotto_evaluation sotto_evaluation;

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluation_make(
    sotto_evaluation **out, const sotto_model *model, const char *const *paths,
    int64_t count, const sotto_options *options, sotto_error *error);

/* The same of columns in memory. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluation_from(
    sotto_evaluation **out, const sotto_model *model, sotto_columns *columns,
    const sotto_options *options, sotto_error *error);

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluation_settle(
    const sotto_evaluation *evaluation, const char *output, sotto_error *error);

/* A file that is one or the other: an evaluation if it says so, else a model;
   the other one is NULL. It is opened once, so it may be a pipe. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_release_read(sotto_model **model, sotto_evaluation **evaluation,
                   const char *path, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluation_parse(
    sotto_evaluation **out, const char *text, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluation_text(
    char **out, const sotto_evaluation *evaluation, sotto_error *error);
SOTTO_API void sotto_evaluation_free(sotto_evaluation *evaluation);

SOTTO_API const char *
sotto_evaluation_statement(const sotto_evaluation *evaluation);
SOTTO_API int sotto_evaluation_privacy(const sotto_evaluation *evaluation,
                                       double *epsilon, double *delta);
SOTTO_API int sotto_evaluation_booking(const sotto_evaluation *evaluation,
                                       sotto_booking *out);
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_evaluation_check(const sotto_evaluation *evaluation, sotto_error *error);

/* Whether it is of this model. */
SOTTO_API int sotto_evaluation_is_of(const sotto_evaluation *evaluation,
                                     const sotto_model *model);

/*
 * One of "rows", "accuracy", "auc", "log_loss", "mse", "mae" and "r2", with its
 * standard error and the intervals that cover it with 90 and 95 %: noise and
 * the choice of the rows together. 1; 0: there is no such number, or the noise
 * is too large to tell it.
 */
typedef struct sotto_estimate {
    double value, sd;
    double low_90, high_90, low_95, high_95;
} sotto_estimate;

SOTTO_API int sotto_evaluation_number(const sotto_evaluation *evaluation,
                                      const char *name, sotto_estimate *out);

/* All of it for people, as lines. The caller frees it by sotto_text_free. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_evaluation_words(
    char **out, const sotto_evaluation *evaluation, sotto_error *error);

/* ------------------------------------------------------------------------
 * 8  Synthetic data
 *
 * Writes the set `name` to `path` (.csv, .svm or .npy, or by the option
 * format): sizes by the options rows, features, per-row and seed. The same
 * call gives the same file. The file is written whole or not at all.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_generate(const char *name, const char *path, const sotto_options *options,
               sotto_error *error);

/* The name of the i-th set and what it is, or NULL past the end. */
SOTTO_API const char *sotto_generate_name(int64_t i);
SOTTO_API const char *sotto_generate_help(int64_t i);

/* ------------------------------------------------------------------------
 * 9  Accounting
 *
 * A list of events has a privacy price: (epsilon, delta). An event is
 *
 *   GAUSS(mu)                    Gaussian noise; mu = sensitivity / sd
 *   LAPLACE(e)                   Laplace noise; e = sensitivity / scale
 *   PURE(e)                      anything e-differentially private
 *   SUBSAMPLED_GAUSS(q, sigma)   Gaussian noise on a Poisson sample; sigma =
 *                                sd / what one record adds at most
 *   RANGE(eta)                   a selection of bounded range, as by Gumbel
 *                                noise of scale b: eta = 2 sensitivity / b
 *   ZCDP(rho)                    anything rho-zero-concentrated private
 *   SHOWN(mu, p)                 noisy counts, of which large ones are shown
 *
 * and a plan is a sum of events, perhaps times whole numbers, perhaps in
 * parentheses: "100*(RANGE(0.1) + GAUSS(0.05))". Numbers may be written with
 * + - * / ( ) sqrt() and with names that `settings` gives: "T=100,K=2".
 *
 * adjacency: what two data sets differ in, "add-remove" (one has a record
 * that the other has not), "replace-one" (a record is another one) or
 * "zero-out" (a record is blanked, see SOTTO_ZERO_OUT). An event that was
 * priced for another adjacency is written GAUSS(0.05)@add-remove; a sample
 * that is asked about for replace-one always is.
 *
 * No price is below the truth; it is the smallest of what the methods prove.
 */
/* What a blanked record is: in help, statements and reports. */
#define SOTTO_ZERO_OUT                                                         \
    "the record adds nothing to any sum, the intercept's and the target's "    \
    "too, while it stays known that there is a row; a row of zeros is not "    \
    "blank: against one the factor is 2, as with replace-one"

typedef struct sotto_events sotto_events;

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_events_plan(sotto_events **out,
                                                          const char *plan,
                                                          const char *settings,
                                                          const char *adjacency,
                                                          sotto_error *error);

/* A list as JSON, from a file ("-": stdin) or to a text. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_events_read(sotto_events **out,
                                                          const char *path,
                                                          sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_events_parse(sotto_events **out,
                                                           const char *json,
                                                           sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_json(char **out, const sotto_events *events, sotto_error *error);

/* The events that a statement of privacy lists: that of a model, or what
   sotto_fit_plan gives. It is checked as sotto_model_check does. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_events_stated(
    sotto_events **out, const char *statement, sotto_error *error);

/* The list as a plan; reads back to the same bits. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_text(char **out, const sotto_events *events, sotto_error *error);
SOTTO_API void sotto_events_free(sotto_events *events);

/*
 * Adds the second list at the end of the first; draws add up. `follows` says
 * that all events of the second happen after those of the first: then both
 * lists must be in order (see below), and the joined list is. Otherwise it is
 * priced for any order. On a failure the first list is as it was.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_append(sotto_events *events, const sotto_events *more, int follows,
                    sotto_error *error);

/* Asks about another adjacency; events keep the one they were priced for. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_events_ask(sotto_events *events,
                                                         const char *adjacency,
                                                         sotto_error *error);

/* Whether the events happen in the order of the list, fixed in advance. */
SOTTO_API void sotto_events_in_order(sotto_events *events, int given);

/* The number of noise draws, each within 2^-80 of its law: charged. The
   larger of this and what the list has already counts. */
SOTTO_API void sotto_events_draws(sotto_events *events, double draws);

typedef struct sotto_price {
    double epsilon, delta;
    const char *method; /* how it was proven */
    const char *note;   /* NULL, or what could not be done and why */
} sotto_price;

SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_epsilon(const sotto_events *events, double delta, sotto_price *out,
                     sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_delta(const sotto_events *events, double epsilon, sotto_price *out,
                   sotto_error *error);

/*
 * The price when the list is run K times and only the best run is released;
 * K is secret, with this mean: "geometric" or "logarithmic".
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_repeated(const sotto_events *events, const char *law, double mean,
                      double delta, double *epsilon, sotto_error *error);

/*
 * The smallest z for which a plan with the name z in it costs at most
 * (epsilon, delta); the list at that z, and its price.
 */
typedef struct sotto_calibration {
    const char *plan, *settings, *adjacency;
    int in_order;
    double draws;
    double epsilon, delta;
} sotto_calibration;

SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_events_calibrate(sotto_events **out, const sotto_calibration *target,
                       double *z, sotto_price *price, sotto_error *error);

/* The papers' own formulas: the i-th, or NULL past the end. */
typedef struct sotto_paper {
    const char *name, *formula, *guarantee;
} sotto_paper;

SOTTO_API const sotto_paper *sotto_paper_at(int64_t i);

/* The multiplier it sets for T steps (and sampling rate q). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_paper_multiplier(
    const char *name, double steps, double rate, double epsilon, double delta,
    double *out, sotto_error *error);

/* ------------------------------------------------------------------------
 * 10  Ledger
 *
 * A ledger is a file with the budgets of data sets. Every private run is
 * booked in it before its first question, and nothing is ever taken back. A
 * data set has one unit and one adjacency, and perhaps a cap (epsilon,
 * delta): then all runs together keep it, also where somebody chooses each
 * run after having seen the answers of those before (docs/privacy/ledger.md).
 */
typedef struct sotto_ledger sotto_ledger;

/* The path of the user's own ledger: what SOTTO_LEDGER says ("none": there is
   none), or sotto/ledger.db in the folder XDG_STATE_HOME, or in
   ~/.local/state, which are made where they are not there. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_own(char **out,
                                                         sotto_error *error);

/* Opens a ledger that is there. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_open(sotto_ledger **out,
                                                          const char *path,
                                                          sotto_error *error);
SOTTO_API void sotto_ledger_close(sotto_ledger *ledger);

/*
 * Makes a data set, and the ledger where there is none. Of the options:
 * dataset and owner; epsilon and delta, the cap; adjacency, unit-column and
 * rows-per-person; part-column, parts and public-parts, where each part has
 * the cap for itself.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_create(
    const char *path, const sotto_options *options, sotto_error *error);

/* Raises the cap of a data set, or of the parts that are named: it now holds
   for all that was before it, too. Of the options: dataset, parts, epsilon
   and delta, who. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_raise(
    sotto_ledger *ledger, const sotto_options *options, sotto_error *error);

/* A data set, or one of its parts. Texts are borrowed during the call. */
typedef struct sotto_dataset {
    const char *name;  /* that its owner gave, or the file's path */
    int is_path;       /* made by the first run on a file, without a cap */
    const char *id;    /* random, made with it */
    const char *owner; /* or NULL */
    const char *unit;  /* in words */
    const char *adjacency;
    const char *part;    /* NULL: it has none */
    const char *created; /* "2026-11-17" */
    int has_cap;
    double cap_epsilon, delta;
    double spent_epsilon;  /* what a cap that is spent by now would promise at
                              this delta; rounded up */
    double share;          /* of the cap that is spent, 0 to 1; NaN: no cap */
    double left_epsilon;   /* what one more run of Gaussian answers may cost
                              at this delta; rounded down; NaN: no cap */
    double more_like_last; /* how many runs like the last would fit; NaN:
                              there was none, or no cap */
    int64_t charges;       /* runs that were booked */
    int64_t unfinished;    /* of them not marked as finished */
    int64_t position;      /* of the last entry in the chain */
    const char *head;      /* of the chain */
} sotto_dataset;

/* An answer other than 0 ends the walk. */
typedef int (*sotto_dataset_taker)(void *context, const sotto_dataset *dataset);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_datasets(
    sotto_ledger *ledger, const char *name_or_null, sotto_dataset_taker take,
    void *context, sotto_error *error);

/* An entry in the chain of a data set. */
typedef struct sotto_entry {
    int64_t position;         /* from 1 on */
    const char *kind;         /* "created", "raised" or "charge" */
    const char *time;         /* "2026-11-17 09:30:12", UTC; not in the chain */
    const char *who;          /* or NULL */
    const char *purpose;      /* or NULL */
    const char *parts;        /* separated by commas; NULL: none */
    const char *run;          /* of a charge: its random id; else NULL */
    const char *plan;         /* of a charge: its events; else NULL */
    double mu, delta0, draws; /* of a charge */
    int finished;             /* of a charge; not in the chain */
    double cap_epsilon, delta; /* of the others; 0: no cap */
    const char *head;          /* of the chain, with this entry */
} sotto_entry;

/* The entries of a data set, latest first: `most` of them after leaving out
   the first `skip`. */
typedef int (*sotto_entry_taker)(void *context, const sotto_entry *entry);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_entries(
    sotto_ledger *ledger, const char *dataset, int64_t skip, int64_t most,
    sotto_entry_taker take, void *context, sotto_error *error);

/* What runs would be booked as, and whether they fit; nothing is booked. */
typedef struct sotto_quote {
    double mu, delta0, draws; /* of one run */
    int fits;                 /* all of them */
    int64_t how_many;         /* fit; INT64_MAX: there is no cap */
    double spent_before, spent_after, delta; /* epsilon of all, rounded up */
    double cap_epsilon;                      /* 0: no cap */
    double left_epsilon;                     /* now: see sotto_dataset */
} sotto_quote;

/* Of the options: dataset, parts, runs. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_quote(
    sotto_quote *out, sotto_ledger *ledger, const sotto_options *options,
    const sotto_events *run, sotto_error *error);

/* The events of a private fit with these options, as sotto_fit_plan plans
   it. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_fit_events(
    sotto_events **out, const sotto_options *options, sotto_error *error);

/*
 * Checks the database, every chain and every sum from the beginning. On
 * SOTTO_PRIVACY the message names the first bad entry. *entries: how many
 * were looked at.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_verify(sotto_ledger *ledger, int64_t *entries, sotto_error *error);

/* Finds the entry that a statement of privacy names, and checks that its head
   and its charge are the same. SOTTO_PRIVACY where the ledger does not have
   it, as when an old copy was put back. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_find(sotto_ledger *ledger,
                                                          const char *statement,
                                                          int64_t *position,
                                                          sotto_error *error);

/* The ledger, or one data set of it, as "json" or "csv". */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_export(
    char **out, sotto_ledger *ledger, const char *dataset_or_null,
    const char *format, sotto_error *error);

/* The same as a page for people: one HTML file without scripts, with nothing
   loaded from elsewhere. It says whether sotto_ledger_verify found the ledger
   right. Like the ledger it is not for release: whether a run finished may
   depend on the records. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_page(char **out, sotto_ledger *ledger, const char *dataset_or_null,
                  sotto_error *error);

/* A whole copy, made while others go on writing. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_backup(sotto_ledger *ledger, const char *path, sotto_error *error);

/* ------------------------------------------------------------------------
 * 11  Ranks
 *
 * Several processes, or threads, make one fit: each reads its share of the
 * rows, and all make the same calls with the same options. Rank 0 is the root:
 * it alone draws noise, books the run and gets a model with a statement. The
 * model is the same as that of one process, bit for bit (docs/ranks.md). So are
 * evaluations and predictions (sotto_evaluation_make, sotto_table_read_for).
 *
 * The library knows no network. Whoever has one gives these calls. They are
 * made by all ranks in the same order, with the same sizes. What they carry is
 * as sensitive as the records. Each returns 0, or something else when a rank
 * cannot be reached any more.
 */
typedef struct sotto_rank_calls {
    int rank, ranks; /* this one, from 0 on; how many there are */
    void *context;
    /* the largest of all ranks' numbers, place by place, to all ranks */
    int (*most)(void *context, uint64_t *values, size_t count);
    /* the sums over all ranks: to all of them, or to the root alone; elsewhere
       the values are then left as they are */
    int (*sum)(void *context, int64_t *values, size_t count, int to_all);
    /* the bytes that rank `from` has, to all ranks */
    int (*share)(void *context, int from, void *bytes, size_t size);
    /* to each rank r out_size[r] bytes, one after the other in `out`, and from
       each in_size[r] bytes */
    int (*exchange)(void *context, const void *out, const size_t *out_size,
                    void *in, const size_t *in_size);
} sotto_rank_calls;

/* A group of ranks, as this rank sees it. */
typedef struct sotto_ranks sotto_ranks;

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ranks_open(
    sotto_ranks **out, const sotto_rank_calls *calls, sotto_error *error);
SOTTO_API void sotto_ranks_close(sotto_ranks *ranks);

/* Fits with these options are made by these ranks, which stay the caller's.
   NULL: by this process alone. */
SOTTO_API void sotto_options_set_ranks(sotto_options *options,
                                       sotto_ranks *ranks);

/*
 * Ends what the ranks do together: each says how it went, and all get the same
 * status. Where ranks have failed it is that of the first of them, with its
 * message. A rank that has failed calls this instead of whatever it would have
 * called; then the others fail in what they are about. So no rank waits.
 */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ranks_agree(sotto_ranks *ranks,
                                                          sotto_status mine,
                                                          sotto_error *error);

/* ------------------------------------------------------------------------
 * 12  Audit
 *
 * Trains many times, with fresh noise, on two neighbours that are invented from
 * what options and schema declare, and tries to tell which it was. No record is
 * read, nothing is booked, no model is left. A test is chosen on one half of
 * the trainings and certified on the other (docs/privacy/audit.md).
 *
 *   trials     trainings on each neighbour
 *   deep       instead: answers of one training are replayed to that many pairs
 *              of neighbours; nothing that is released may differ, no sum may
 *              move further than its noise was made for
 */
typedef struct sotto_audit_result {
    double epsilon, delta; /* the claim: as the plan is priced */
    double mu;             /* of Gaussian noise that is told as well */
    int broken;            /* the claim is not true; wrong at most once in
                              ten million audits */

    /* not deep */
    int64_t pairs;       /* of neighbours that were tried, */
    int64_t tried;       /* by so many trainings on each */
    int gaussian;        /* all noise is Gaussian, and none is of samples */
    char pair[80];       /* the one that is told best, in words */
    int by_model;        /* by its model; else by the answers */
    int64_t held;        /* trainings on each neighbour that were held out */
    int64_t hits;        /* of the second told, and */
    int64_t alarms;      /* of the first taken for it */
    double certified_mu; /* at least, at 95 %; as an epsilon at delta: both */
    double certified_epsilon; /* mean something where noise is Gaussian */
    double certified_any;     /* epsilon, whatever the noise is */
    double expected_mu;       /* would be certified of noise as claimed */
    double found_from; /* a mu so many times the claim is found, as a rule */

    /* deep */
    int64_t neighbours; /* pairs of them */
    int64_t questions;  /* that were asked in all */
    int64_t differing;  /* pairs of which something was not as it must be, */
    char fault[160];    /* in words, of the first */
    double moved;       /* the most that a sum moved, of what it may */
    char question[40];  /* that it answers */
} sotto_audit_result;

SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_audit(sotto_audit_result *out, const sotto_options *options,
            const sotto_progress_callback *callback, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
