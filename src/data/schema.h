/*
 * schema: what is declared about the columns of a file.
 */
#ifndef SOTTO_SCHEMA_H
#define SOTTO_SCHEMA_H

#include "choices.h"
#include "data.h"

/* The roles of columns: what a schema calls them, and which keys it may give
   for a column of that role. */
#define COLUMN_LIST(ROW)                                                       \
    ROW(NUMBER, "number", " type bounds missing " SCHEMA_BOUGHT " ")           \
    ROW(CATEGORY, "category", " type levels other missing ")                   \
    ROW(DATE, "date", " type format since bounds as missing ")                 \
    ROW(BOOLEAN, "boolean", " type true false missing ")                       \
    ROW(TARGET, "target", " type bounds classes ")                             \
    ROW(WEIGHT, "weight", " type bounds ")                                     \
    ROW(UNIT, "unit", " type ")                                                \
    ROW(DROP, "drop", " type ")

/* "levels": this word, and not a list: nobody declared them. They are asked
   for when a model is trained (Lemma C27). */
#define SCHEMA_PRIVATE "private"

/* With "other": true a category has a level of this name, behind those that it
   lists. A text that is none of these becomes it. */
#define SCHEMA_OTHER "other"

#define COLUMN_ROLE(id, ...) COLUMN_##id,
typedef enum column_role {
    COLUMN_LIST(COLUMN_ROLE) /* ends with DROP */
    COLUMN_PART /* says which part a row belongs to: by option alone */
} column_role;
#undef COLUMN_ROLE

/* What a date becomes: the days since some day, a number; its weekday and its
   month, which have a level for each. */
typedef enum date_part {
    DATE_DAYS = 1,
    DATE_WEEKDAY = 2,
    DATE_MONTH = 4
} date_part;

/* What a missing value becomes. */
typedef enum column_missing {
    MISSING_REFUSE, /* the row is bad */
    MISSING_FILL,   /* `fill` (a number, a date's days, a boolean's 0 or 1) or
                       `fill_level` (a category) */
    MISSING_NONE    /* a category of which no level holds */
} column_missing;

typedef struct column {
    char *name;
    column_role role;
    int64_t place;   /* where the schema lists it, in features */
    int64_t feature; /* the first feature it fills */
    int plain;       /* a number with a decimal point alone, none of which
                        means a missing value */
    int bounded;
    double low, high;    /* declared, raw units */
    double centre, half; /* mapped = (raw - centre) / half */
    column_missing missing;
    double fill;        /* raw units */
    int64_t fill_level; /* index into level */
    char **level;       /* of a category; of parts: those that are read; of a
                           date: its weekdays and months, where it has them; of
                           a boolean: the words for true, then those for false */
    int64_t levels;
    int other; /* the last level is SCHEMA_OTHER: what no other level names */
    int has_levels;      /* a list of them is declared, be it empty */
    int asks_levels;     /* they are asked for: until then `other` is the only
                            one */
    int64_t slot;        /* among such columns */
    char *format;        /* of a date: how it is written (date.h) */
    int64_t since;       /* the day that it is counted from, since 1970-01-01 */
    unsigned date_parts; /* what it becomes: a bit for each date_part */
    int64_t truths;      /* so many words mean true */
    char **class_name;   /* of a target */
    int64_t classes;     /* 0: not declared */
    int classes_open;    /* null, as a template has them: to be filled in */
} column;

/* How many of the column's features are numbers: these come first, and have its
   name. Each of the others is a level, and called NAME=LEVEL. */
static inline int64_t column_numbers(const column *c)
{
    switch (c->role) {
    case COLUMN_NUMBER:
    case COLUMN_BOOLEAN: /* 0 or 1 */
        return 1;
    case COLUMN_DATE:
        return c->date_parts & DATE_DAYS;
    case COLUMN_CATEGORY:
    case COLUMN_TARGET:
    case COLUMN_WEIGHT:
    case COLUMN_UNIT:
    case COLUMN_DROP:
    case COLUMN_PART:
        break;
    }
    return 0;
}

/* How many features the column fills. */
static inline int64_t column_features(const column *c)
{
    switch (c->role) {
    case COLUMN_NUMBER:
    case COLUMN_BOOLEAN:
        return 1;
    case COLUMN_CATEGORY:
    case COLUMN_DATE:
        return column_numbers(c) + c->levels;
    case COLUMN_TARGET:
    case COLUMN_WEIGHT:
    case COLUMN_UNIT:
    case COLUMN_DROP:
    case COLUMN_PART:
        break;
    }
    return 0;
}

/* Whether the column is read as texts, which a file of numbers has not. */
static inline int column_is_text(const column *c)
{
    return c->role == COLUMN_CATEGORY || c->role == COLUMN_DATE ||
           c->role == COLUMN_BOOLEAN || c->role == COLUMN_UNIT;
}

/* Whether the level b of the column, a feature called NAME=b, has this name. */
int column_level_is(const column *c, int64_t level, const char *name);

/* All that is wrong with a schema, one line each. */
typedef struct schema_faults {
    text_buffer lines;
    text_buffer open; /* what is not declared yet, though nothing is wrong */
    int64_t count;
    sotto_status status; /* SOTTO_USAGE, or SOTTO_DATA where the schema itself
                            is right and a file is not as it says */
} schema_faults;

/* Declarations as they stand in a schema file. */
typedef struct schema {
    column *column;
    int64_t columns;
    int has_default; /* for columns that are not listed */
    column default_column;
    char **missing; /* words that mean a missing value */
    int64_t missing_words;
    int64_t width;         /* how many columns a .npy file has; 0: not said */
    int is_model;          /* what a model declares: see plan_schema */
    schema_faults *faults; /* NULL: reading ends with the first */
} schema;

/* Adds a refusal (SOTTO_USAGE, SOTTO_DATA) to the faults that are gathered, and
   says that reading may go on; without such a list it gives the status back. */
sotto_status schema_note(schema *s, sotto_status status, sotto_error *error);

sotto_status schema_load(schema *out, const char *path, sotto_error *error);

/* The same, but what is wrong goes to `faults`; the schema has what could be
   understood. A file that is no JSON is still refused. */
sotto_status schema_load_all(schema *out, const char *path,
                             schema_faults *faults, sotto_error *error);

/* From memory; `name` is for messages. */
sotto_status schema_parse(schema *out, const char *name, const char *bytes,
                          size_t size, sotto_error *error);

/* From JSON that was read already. */
struct json_t;
sotto_status schema_from_json(schema *out, const char *name,
                              struct json_t *root, sotto_error *error);

void schema_free(schema *s);
void column_free(column *c);

/* ---- schema_words.c ---- */

/* Whether this is a JSON list of different, non-empty strings. */
int schema_is_words(const struct json_t *list);

/* Behind a message about a list that is none: the word that is there twice, or
   the place of what is no word. */
shown schema_bad_word(const struct json_t *list);

/* Copies such a list; 0 when out of memory. */
int schema_copy_words(const struct json_t *list, char ***out, int64_t *count);

/* The words as a list of JSON; NULL when out of memory. */
struct json_t *schema_list_words(char *const *words, int64_t count);

/* ---- schema_write.c ---- */

struct column_plan;

/* Adds a column as a schema declares it. */
void schema_put_column(text_buffer *t, const column *c);

/* The plan as a schema that reads another file in the same way; NULL when
   out of memory. */
struct sotto_table;
char *schema_of_plan(const struct column_plan *p, const struct sotto_table *t);

#endif
