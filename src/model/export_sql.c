/*
 * The model as one SELECT of SQL: the answers of 'sotto predict' as columns
 * beside those of the table. What a column of the table becomes is written by
 * data/declared_sql.c.
 *
 *   SELECT label, probability, t.*
 *   FROM (SELECT the score, r.* FROM records AS r) AS t;
 *
 * Of more than two classes there are more steps: export_sql_classes.c.
 *
 * Our columns stand before the table's: where it has one of that name already,
 * SQLite takes the first, and PostgreSQL refuses.
 */
#include "declared.h"
#include "export.h"

#include <math.h>
#include <string.h>

/* Scores beyond might not fit a double. */
#define SQL_MOST_SCORE 1e300

static void sql_head(text_buffer *t, const sotto_model *m)
{
    text_format(t,
                "-- A linear model: its answers for the table \"records\". "
                "Write your table's name\n"
                "-- %s. What 'sotto predict' would refuse has "
                "the score NULL.\n"
                "-- Written by sotto %s.\n",
                m->classes > 2 ? "after FROM in the first SELECT"
                               : "after the last FROM",
                sotto_version());
    if (m->statement)
        text_format(t,
                    "-- The model was learned with epsilon %s, delta %s: its "
                    "file has the statement.\n",
                    sotto_number_print_up(m->epsilon, 6).text,
                    sotto_number_print_up(m->delta, 6).text);
    else
        text_put(t, "-- NOT PRIVATE: the model may tell about the records that "
                    "it was learned from.\n");
    text_put(t, "-- Answers are as sensitive as the rows that they are "
                "about.\n");
}

/* ---- what is made of the score ---- */

static void sql_label(text_buffer *t, const sotto_model *m)
{
    text_put(t, "  CASE WHEN t.sotto_score > 0.0 THEN ");
    declared_sql_text(t, m->class_name[1]);
    text_put(t, " WHEN t.sotto_score <= 0.0 THEN ");
    declared_sql_text(t, m->class_name[0]);
    text_put(t, " END AS sotto_label,\n");
}

/* 1 / (1 + exp(-score)) without overflow, as fit/predict.c has it. */
static void sql_probability(text_buffer *t)
{
    text_format(t,
                "  CASE WHEN t.sotto_score > %d.0 THEN 1.0\n"
                "       WHEN t.sotto_score > 0.0 THEN 1.0 / (1.0 + "
                "EXP(-t.sotto_score))\n"
                "       WHEN t.sotto_score >= %d.0 THEN EXP(t.sotto_score) / "
                "(1.0 + EXP(t.sotto_score))\n"
                "       WHEN t.sotto_score < 0.0 THEN 0.0\n"
                "  END AS sotto_probability,\n",
                -SQL_LEAST_EXPONENT, SQL_LEAST_EXPONENT);
}

/* ---- the score ---- */

/* x'w + b, as a column. */
sotto_status sql_sum(text_buffer *t, const sotto_model *m, int64_t k,
                     const char *name, sotto_error *error)
{
    int many = m->classes > 2;
    double intercept = many ? m->class_intercept[k] : m->intercept, reach;
    declared_features f = {m->name, m->weight + (many ? k * m->features : 0),
                           m->features};
    text_put(t, "    CAST(");
    declared_sql_number(t, intercept);
    text_put(t, " AS DOUBLE PRECISION) + ");
    sotto_status status =
        declared_sql(t, m->schema, DECLARED_SCORE, &f, &reach, error);
    text_format(t, " AS %s,\n", name);
    if (status == SOTTO_OK && !(reach + fabs(intercept) <= SQL_MOST_SCORE))
        status = error_set(error, SOTTO_USAGE,
                           "the weights of the model are so large that a score "
                           "might not fit a double; expected weights of a "
                           "moderate size");
    return status;
}

/* A model that shortens rows: the score before that, and how long the row is,
   and a layer that makes the score of them. */
static sotto_status sql_shortened(text_buffer *t, const sotto_model *m,
                                  sotto_error *error)
{
    declared_features f = {m->name, m->weight, m->features};
    double reach;
    text_put(t, "    CASE WHEN SQRT(s.sotto_square) > ");
    declared_sql_number(t, m->norm_bound);
    text_put(t, " THEN ");
    declared_sql_number(t, m->norm_centre);
    text_put(t, " + (s.sotto_sum - ");
    declared_sql_number(t, m->norm_centre);
    text_put(t, ") * (");
    declared_sql_number(t, m->norm_bound);
    text_put(t, " / SQRT(s.sotto_square)) ELSE s.sotto_sum END AS "
                "sotto_score,\n    s.*\n  FROM (SELECT\n");
    sotto_status status = sql_sum(t, m, 0, "sotto_sum", error);
    if (status != SOTTO_OK)
        return status;
    text_put(t, "    CAST(0.0 AS DOUBLE PRECISION) + ");
    status = declared_sql(t, m->schema, DECLARED_SQUARE, &f, &reach, error);
    text_put(t, " AS sotto_square,\n    r.*\n  FROM records AS r) AS s");
    return status;
}

static sotto_status sql_score(text_buffer *t, const sotto_model *m,
                              sotto_error *error)
{
    if (isfinite(m->norm_bound))
        return sql_shortened(t, m, error);
    sotto_status status = sql_sum(t, m, 0, "sotto_score", error);
    text_put(t, "    r.*\n  FROM records AS r");
    return status;
}

/* ---- all of it ---- */

static sotto_status sql_check(const sotto_model *m, sotto_error *error)
{
    if (!m->name)
        return error_set(error, SOTTO_USAGE,
                         "the features of the model have numbers, and columns "
                         "of a table of SQL have names; expected a model of a "
                         "file with a header");
    if (m->classes > SQL_MOST_CLASSES)
        return error_set(error, SOTTO_USAGE,
                         "--format sql writes models of up to %d classes; this "
                         "one has %lld",
                         SQL_MOST_CLASSES, (long long)m->classes);
    if (m->classes > 2 && isfinite(m->norm_bound))
        return error_set(error, SOTTO_USAGE,
                         "--format sql writes models that shorten rows for a "
                         "number or two classes; this one has %lld",
                         (long long)m->classes);
    if (m->scales_rows)
        return error_set(error, SOTTO_USAGE,
                         "the model divides features by the length of their "
                         "row in single precision, which SQL cannot: expected "
                         "a model of --undeclared bounds");
    return SOTTO_OK;
}

sotto_status export_sql(text_buffer *t, const sotto_model *m,
                        sotto_error *error)
{
    sotto_status status = sql_check(m, error);
    if (status != SOTTO_OK)
        return status;
    sql_head(t, m);
    if (m->classes > 2)
        return export_sql_classes(t, m, error);
    text_put(t, "SELECT\n");
    if (m->classes) {
        sql_label(t, m);
        if (loss_has_log_odds(m->loss.kind))
            sql_probability(t);
    }
    text_put(t, "  t.*\nFROM (SELECT\n");
    status = sql_score(t, m, error);
    text_put(t, ") AS t;\n");
    return status;
}
