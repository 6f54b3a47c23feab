/*
 * The tables of a ledger. Rows are added and never changed: triggers refuse
 * all else. They guard against mistakes; whoever can write the file can drop
 * them, and then the chain says what was changed (verify.c).
 *
 * A later version adds its changes as statements that take a file from the
 * version before it, run in one transaction by the first call that writes, and
 * counts LEDGER_VERSION (the file's user_version) up.
 */
#include "internal.h"

#include <string.h>

typedef struct schema_item {
    const char *name, *sql;
} schema_item;

#define ONLY_GROWS "BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END"
#define GROWS(table)                                                           \
    {table "_update", "CREATE TRIGGER " table                                  \
                      "_update BEFORE UPDATE ON " table " " ONLY_GROWS},       \
    {                                                                          \
        table "_delete", "CREATE TRIGGER " table                               \
                         "_delete BEFORE DELETE ON " table " " ONLY_GROWS      \
    }

/*
 * line: the sums of a part after an entry, and the cap that they keep. So the
 * last line of a part is all that the next charge has to know.
 */
static const schema_item items[] = {
    {"dataset", "CREATE TABLE dataset("
                "number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, "
                "name TEXT NOT NULL, is_path INTEGER NOT NULL, owner TEXT, "
                "adjacency TEXT NOT NULL, unit_column TEXT, "
                "unit_rows INTEGER NOT NULL, part_column TEXT, "
                "public_parts INTEGER NOT NULL, seal TEXT NOT NULL) STRICT"},
    {"dataset_name", "CREATE INDEX dataset_name ON dataset(name)"},
    {"dataset_named", "CREATE UNIQUE INDEX dataset_named ON dataset(name) "
                      "WHERE is_path = 0"},
    {"part", "CREATE TABLE part("
             "number INTEGER PRIMARY KEY, "
             "dataset INTEGER NOT NULL REFERENCES dataset, label TEXT, "
             "UNIQUE(dataset, label)) STRICT"},
    {"entry", "CREATE TABLE entry("
              "number INTEGER PRIMARY KEY, "
              "dataset INTEGER NOT NULL REFERENCES dataset, "
              "position INTEGER NOT NULL, charges INTEGER NOT NULL, "
              "kind TEXT NOT NULL, run TEXT UNIQUE, plan TEXT, who TEXT, "
              "purpose TEXT, square INTEGER NOT NULL, "
              "delta0 INTEGER NOT NULL, draws INTEGER NOT NULL, "
              "cap_epsilon REAL, delta REAL, time TEXT NOT NULL, "
              "head TEXT NOT NULL, seal TEXT NOT NULL, "
              "UNIQUE(dataset, position)) STRICT"},
    {"line", "CREATE TABLE line("
             "part INTEGER NOT NULL REFERENCES part, "
             "entry INTEGER NOT NULL REFERENCES entry, "
             "square INTEGER NOT NULL, delta0 INTEGER NOT NULL, "
             "draws INTEGER NOT NULL, cap_epsilon REAL, "
             "delta REAL NOT NULL, cap_square INTEGER NOT NULL, "
             "cap_delta0 INTEGER NOT NULL, cap_draws INTEGER NOT NULL, "
             "PRIMARY KEY(part, entry)) STRICT, WITHOUT ROWID"},
    {"line_entry", "CREATE INDEX line_entry ON line(entry)"},
    {"finished", "CREATE TABLE finished("
                 "entry INTEGER PRIMARY KEY REFERENCES entry, "
                 "run TEXT NOT NULL) STRICT"},
    GROWS("dataset"),
    GROWS("part"),
    GROWS("entry"),
    GROWS("line"),
    GROWS("finished"),
    /* INSERT OR REPLACE would delete without asking the trigger. */
    {"entry_insert",
     "CREATE TRIGGER entry_insert BEFORE INSERT ON entry WHEN "
     "NEW.number IS NOT 1 + coalesce((SELECT max(number) FROM entry), 0) "
     "OR NEW.position IS NOT 1 + coalesce((SELECT max(position) FROM entry "
     "WHERE dataset = NEW.dataset), 0) "
     "OR EXISTS (SELECT 1 FROM entry WHERE run = NEW.run) " ONLY_GROWS},
    {"line_insert", "CREATE TRIGGER line_insert BEFORE INSERT ON line WHEN "
                    "NEW.entry <= (SELECT max(entry) FROM line WHERE part = "
                    "NEW.part) " ONLY_GROWS},
};
enum { ITEMS = sizeof items / sizeof *items };

static sotto_status schema_number(const ledger_store *s, sotto_error *error)
{
    text_buffer t = {0};
    text_format(&t, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                LEDGER_APPLICATION, LEDGER_VERSION);
    sotto_status status =
        t.failed ? error_memory(error) : ledger_run_sql(s, t.data, error);
    text_free(&t);
    return status;
}

sotto_status ledger_schema_make(const ledger_store *s, sotto_error *error)
{
    sotto_status status = schema_number(s, error);
    for (int i = 0; status == SOTTO_OK && i < ITEMS; i++)
        status = ledger_run_sql(s, items[i].sql, error);
    return status;
}

static const char *schema_sql(const char *name)
{
    for (int i = 0; i < ITEMS; i++)
        if (!strcmp(items[i].name, name))
            return items[i].sql;
    return NULL;
}

static sotto_status schema_refuse(const ledger_store *s, const char *name,
                                  sotto_error *error)
{
    return error_set(error, SOTTO_PRIVACY,
                     "%s: the tables are not those of a ledger: somebody has "
                     "changed or removed \"%s\"",
                     show_name(s->path).text, show_name(name).text);
}

sotto_status ledger_schema_check(const ledger_store *s, sotto_error *error)
{
    int found[ITEMS] = {0};
    sotto_status status = SOTTO_OK;
    ledger_query q = ledger_ask(s, "SELECT name, sql FROM sqlite_schema "
                                   "WHERE name NOT GLOB 'sqlite_*' OR type "
                                   "IN ('trigger', 'view')");
    while (status == SOTTO_OK && ledger_row(&q)) {
        const char *name = ledger_text_at(&q, 0), *sql = ledger_text_at(&q, 1);
        const char *expected = name ? schema_sql(name) : NULL;
        for (int i = 0; i < ITEMS; i++)
            found[i] |= name && !strcmp(items[i].name, name);
        if (!expected || !sql || strcmp(expected, sql))
            status = schema_refuse(s, name ? name : "", error);
    }
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    if (status == SOTTO_OK)
        status = ended;
    for (int i = 0; status == SOTTO_OK && i < ITEMS; i++)
        if (!found[i])
            status = schema_refuse(s, items[i].name, error);
    return status;
}
