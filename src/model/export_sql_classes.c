/*
 * A model of more than two classes as SQL, in steps, each of which is computed
 * once for a row:
 *
 *   WITH sotto_scored AS MATERIALIZED (SELECT scores, r.* FROM records AS r),
 *        sotto_ranked AS MATERIALIZED (SELECT the best of them, ...),
 *        sotto_shared AS MATERIALIZED (SELECT the sum of their parts, ...)
 *   SELECT label, probabilities, t.* FROM sotto_shared AS t;
 *
 * A database that merged the steps would write each score into each place that
 * uses it: with ten classes millions of terms.
 */
#include "declared.h"
#include "export.h"

#include <stdio.h>

/* The largest: no class before k is, so it is compared with those after it.
   Of equal ones it is the first, as in `predict`. */
static void sql_best(text_buffer *t, const sotto_model *m)
{
    text_put(t, "    CASE");
    for (int64_t k = 0; k < m->classes; k++) {
        text_put(t, k ? "\n      WHEN " : " WHEN ");
        for (int64_t i = k + 1; i < m->classes; i++)
            text_format(t, "s.sotto_score_%lld >= s.sotto_score_%lld%s",
                        (long long)k + 1, (long long)i + 1,
                        i + 1 < m->classes ? " AND " : "");
        if (k + 1 == m->classes)
            text_format(t, "s.sotto_score_%lld IS NOT NULL", (long long)k + 1);
        text_format(t, " THEN s.sotto_score_%lld", (long long)k + 1);
    }
    text_put(t, " END AS sotto_best,\n");
}

static void sql_label(text_buffer *t, const sotto_model *m)
{
    text_put(t, "  CASE t.sotto_best");
    for (int64_t k = 0; k < m->classes; k++) {
        text_format(t, " WHEN t.sotto_score_%lld THEN ", (long long)k + 1);
        declared_sql_text(t, m->class_name[k]);
    }
    text_put(t, " END AS sotto_label,\n");
}

/* What class k has of the sum of all, of the row called `row`: as
   fit/predict.c has it, without overflow. */
static void sql_part(text_buffer *t, const sotto_model *m, const char *row,
                     int64_t k)
{
    char score[64], best[64] = "";
    snprintf(score, sizeof score, "%s.sotto_score_%lld", row, (long long)k + 1);
    if (!m->one_versus_rest)
        snprintf(best, sizeof best, " - %s.sotto_best", row);
    text_format(t, "CASE WHEN %s%s < %d.0 THEN 0.0 ", score, best,
                SQL_LEAST_EXPONENT);
    if (!m->one_versus_rest)
        text_format(t, "ELSE EXP(%s%s) END", score, best);
    else
        text_format(t,
                    "WHEN %s > %d.0 THEN 1.0 WHEN %s > 0.0 THEN 1.0 / (1.0 + "
                    "EXP(-%s)) ELSE EXP(%s) / (1.0 + EXP(%s)) END",
                    score, -SQL_LEAST_EXPONENT, score, score, score, score);
}

static void sql_total(text_buffer *t, const sotto_model *m)
{
    text_put(t, "    ");
    for (int64_t k = 0; k < m->classes; k++) {
        text_put(t, k ? "\n      + " : "");
        sql_part(t, m, "s", k);
    }
    text_put(t, " AS sotto_total,\n");
}

static void sql_probabilities(text_buffer *t, const sotto_model *m)
{
    for (int64_t k = 0; k < m->classes; k++) {
        text_put(t, "  CASE WHEN t.sotto_total > 0.0 THEN (");
        sql_part(t, m, "t", k);
        text_put(t, ") / t.sotto_total WHEN t.sotto_total = 0.0 THEN ");
        declared_sql_number(t, 1 / (double)m->classes);
        text_format(t, " END AS sotto_probability_%lld,\n", (long long)k + 1);
    }
}

sotto_status export_sql_classes(text_buffer *t, const sotto_model *m,
                                sotto_error *error)
{
    char name[64];
    sotto_status status = SOTTO_OK;
    text_put(t, "WITH sotto_scored AS MATERIALIZED (SELECT\n");
    for (int64_t k = 0; status == SOTTO_OK && k < m->classes; k++) {
        snprintf(name, sizeof name, "sotto_score_%lld", (long long)k + 1);
        status = sql_sum(t, m, k, name, error);
    }
    text_put(t, "    r.*\n  FROM records AS r),\n"
                "sotto_ranked AS MATERIALIZED (SELECT\n");
    sql_best(t, m);
    text_put(t, "    s.*\n  FROM sotto_scored AS s),\n"
                "sotto_shared AS MATERIALIZED (SELECT\n");
    if (loss_has_log_odds(m->loss.kind))
        sql_total(t, m);
    text_put(t, "    s.*\n  FROM sotto_ranked AS s)\nSELECT\n");
    sql_label(t, m);
    if (loss_has_log_odds(m->loss.kind))
        sql_probabilities(t, m);
    text_put(t, "  t.*\nFROM sotto_shared AS t;\n");
    return status;
}
