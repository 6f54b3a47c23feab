/*
 * sotto train: a data file becomes a model.
 */
#include "cli.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* One for each feature, or for each class of it. */
static int64_t train_weights(const sotto_model *m)
{
    int64_t classes = sotto_model_classes(m);
    return sotto_model_features(m) * (classes > 2 ? classes : 1);
}

static int64_t train_used(const sotto_model *m)
{
    int64_t used = 0;
    for (int64_t j = 0; j < train_weights(m); j++)
        used += sotto_model_weight(m, j) != 0;
    return used;
}

/* ---- the exact solver: not private, so all may be told ---- */

static void train_json(const sotto_model *m, double objective, double gap,
                       int converged, int64_t dropped)
{
    printf("{\"not_private\": true, \"features\": %lld, \"nonzero\": %lld, "
           "\"objective\": ",
           (long long)sotto_model_features(m), (long long)train_used(m));
    cli_json_number(stdout, objective);
    cli_json_member("gap", gap);
    printf(", \"converged\": %s", converged ? "true" : "false");
    cli_json_dropped(dropped);
    printf("}\n");
}

static void train_wrote(const cli *c, const sotto_model *m)
{
    cli_wrote(sotto_options_get(c->options, "output"));
    fprintf(stderr, ": %s loss, %lld of %lld weights not 0",
            sotto_model_loss(m), (long long)train_used(m),
            (long long)train_weights(m));
}

static void train_not_private(const char *why)
{
    int colours = cli_colours(stderr);
    fprintf(stderr, "\n%sNOT PRIVATE%s: %s\n", colours ? "\x1b[1;31m" : "",
            colours ? "\x1b[0m" : "", why);
}

/* As it was given, or what the exact solver takes else. */
static const char *train_tolerance(const cli *c)
{
    sotto_solver_option o;
    const char *given = sotto_options_get(c->options, "tolerance");
    for (int64_t i = 0; !given && sotto_solver_option_at("exact", i, &o); i++)
        if (!strcmp(o.name, "tolerance"))
            return o.default_value;
    return given;
}

/* Whether the same --l1 and --l2 would be another penalty for auto. */
static int train_penalty_of_fit(const cli *c, const sotto_model *m)
{
    return (sotto_model_setting(m, "l1") > 0 ||
            sotto_model_setting(m, "l2") > 0) &&
           !sotto_options_get(c->options, "penalty-units") &&
           !sotto_options_get(c->options, "box");
}

static void train_certified(const cli *c, const sotto_model *m,
                            double objective, double gap, int converged)
{
    train_wrote(c, m);
    fprintf(stderr, ", objective %s", sotto_number_print(objective, 8).text);
    if (converged && isfinite(gap))
        fprintf(stderr,
                "\n(within %s of its minimum, relative: certified by the "
                "duality gap)",
                train_tolerance(c));
    else if (isfinite(gap))
        fprintf(stderr, "\n(at most %s above its minimum)",
                sotto_number_print_up(gap, 2).text);
    else
        fprintf(stderr, "\n(how far it is from its minimum is not certified: "
                        "there is no finite duality gap)");
    train_not_private("the exact solver adds no noise");
    if (train_penalty_of_fit(c, m))
        fprintf(stderr,
                "sotto: remark: the penalty is in the units of the fit; "
                "--solver auto takes it in units of the columns' spread: to "
                "compare with such a model, give --penalty-units spread\n");
    if (!converged)
        fprintf(stderr,
                "sotto: remark: the tolerance was not reached; the problem "
                "may be too badly scaled for double precision\n");
}

/* ---- private training: the model, its statement, and nothing else ---- */

static void train_remark_model(const cli *c, const sotto_model *m)
{
    sotto_error remark;
    for (int64_t i = 0; sotto_model_remark(m, i, &remark); i++)
        if (!cli_remarked(c, remark.message))
            fprintf(stderr, "sotto: remark: %s\n", remark.message);
}

/* Of several files each has an entry, unless the data set has a name. */
static void train_booked(const cli *c, const sotto_model *m)
{
    sotto_booking booking;
    int each = c->arguments > 1 && sotto_model_booking(m, &booking) &&
               !*booking.dataset;
    if (each)
        fprintf(stderr,
                "the run is booked for each of the %d files ('sotto ledger "
                "list' shows them all); of the one with the most:\n",
                c->arguments);
    cli_print_booking(stderr, "", m);
    cli_remark_counts(c);
}

static void train_private(const cli *c, const sotto_model *m)
{
    double epsilon, delta;
    int is_private = sotto_model_privacy(m, &epsilon, &delta);
    if (cli_flag(c, "json"))
        cli_json_privacy(m);
    if (cli_flag(c, "quiet"))
        return;
    train_wrote(c, m);
    if (is_private) {
        fprintf(stderr, "\nprivate: epsilon %s, delta %s (see 'sotto show')\n",
                sotto_number_print_up(epsilon, 6).text,
                sotto_number_print_up(delta, 6).text);
        cli_print_unit(stderr, "the unit is ", m);
        train_booked(c, m);
        cli_remark_price(c, epsilon, delta);
        train_remark_model(c, m);
    } else
        train_not_private("without noise, or with noise that can be repeated");
}

static void train_tell(const cli *c, const sotto_model *m, int64_t dropped)
{
    double objective, gap;
    int converged;
    if (!sotto_model_certificate(m, &objective, &gap, &converged)) {
        train_private(c, m);
        return;
    }
    if (cli_flag(c, "json"))
        train_json(m, objective, gap, converged, dropped);
    if (!cli_flag(c, "quiet"))
        train_certified(c, m, objective, gap, converged);
}

/* Where --rows is public, a delta that is too large is said before the run is
   booked. A schema that is a pipe can be read only once. */
static int train_remark_early(const cli *c)
{
    const char *rows = sotto_options_get(c->options, "rows");
    const char *delta = sotto_options_get(c->options, "delta");
    const char *schema = sotto_options_get(c->options, "schema");
    struct stat about;
    if (!rows || !delta || !(cli_number(rows) * cli_number(delta) > 1) ||
        (schema && (stat(schema, &about) || !S_ISREG(about.st_mode))))
        return 0;
    cli_remark_options(c);
    return 1;
}

static sotto_status train_fit(const cli *c, sotto_model **model,
                              int64_t *dropped, sotto_error *error)
{
    cli_progress progress;
    sotto_table *table = NULL;
    int said = train_remark_early(c);
    progress_begin(&progress, c);
    progress_stage(&progress, "reading");
    sotto_status status = sotto_fit_read_files(&table, c->argument,
                                               c->arguments, c->options, error);
    if (status == SOTTO_OK) {
        sotto_progress_callback callback = {.call = progress_show,
                                            .context = &progress};
        progress_end(&progress);
        cli_remarks(c, table);
        cli_remark_dropped(c, table, sotto_table_rows(table));
        *dropped = sotto_table_dropped(table);
        cli_remark_more(c, table, said);
        progress_stage(&progress, "solving");
        status = sotto_fit(model, &table, c->options, &callback, error);
    }
    progress_end(&progress);
    return status;
}

/* None was there before the run. One that has come since is replaced, and has
   been paid for all the same. */
typedef struct train_old {
    int is_private;
    double epsilon, delta;
} train_old;

/* What stands where the model is to go; nothing of a pipe or a terminal. */
static train_old train_look_at_old(const cli *c, const char *output)
{
    train_old old = {0};
    sotto_model *model = NULL;
    sotto_error ignored;
    struct stat status;
    if (sotto_options_get(c->options, "delta") && strcmp(output, "-") &&
        !stat(output, &status) && S_ISREG(status.st_mode) &&
        sotto_model_read(&model, output, &ignored) == SOTTO_OK)
        old.is_private = sotto_model_privacy(model, &old.epsilon, &old.delta);
    sotto_model_free(model);
    return old;
}

/* A ledger has counted it. */
static void train_remark_replaced(const cli *c, const train_old *old,
                                  const sotto_model *m)
{
    sotto_booking booking;
    if (old->is_private && !sotto_model_booking(m, &booking) &&
        !cli_flag(c, "quiet"))
        fprintf(stderr,
                "sotto: remark: the model that was replaced cost epsilon %s "
                "at delta %s; both count\n",
                sotto_number_print_up(old->epsilon, 6).text,
                sotto_number_print_up(old->delta, 6).text);
}

/* What would fail after privacy is spent, tried before it. */
static sotto_status train_check_key(const cli *c, sotto_error *error)
{
    const char *key = sotto_options_get(c->options, "sign");
    return key ? sotto_key_check(key, error) : SOTTO_OK;
}

/* A key that is gone by now is no reason to lose a model that is paid for. */
static sotto_status train_sign(const cli *c, sotto_model *model,
                               sotto_error *error)
{
    const char *key = sotto_options_get(c->options, "sign");
    sotto_error why;
    sotto_status status = key ? sotto_model_sign(model, key, &why) : SOTTO_OK;
    if (status != SOTTO_OK) {
        cli_refuse(error, "the model is written without a signature: %.400s",
                   why.message);
        error->status = status;
    }
    return status;
}

/* At a rank that is not the first: reads and answers, and writes nothing. */
static sotto_status train_follow(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_table *table = NULL;
    if (cli_flag(c, "dry-run") || c->arguments == 0)
        return SOTTO_OK;
    sotto_status status = sotto_fit_read_files(&table, c->argument,
                                               c->arguments, c->options, error);
    if (status == SOTTO_OK)
        status = sotto_fit(&model, &table, c->options, NULL, error);
    sotto_model_free(model);
    return status;
}

sotto_status cli_train(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    int64_t dropped = -1;
    const char *output = sotto_options_get(c->options, "output");
    if (!cli_ranks_is_root())
        return train_follow(c, error);
    if (cli_flag(c, "dry-run"))
        return cli_plan(c, error);
    if (c->arguments == 0)
        return cli_refuse(error, "usage: sotto train DATA... [OPTIONS]");
    sotto_status status = cli_set_ledger(c, c->argument[0], error);
    if (status == SOTTO_OK)
        status = sotto_fit_check(c->options, error);
    if (status == SOTTO_OK)
        status = cli_check_release(c, error);
    if (status == SOTTO_OK)
        status = cli_json_check(c, error);
    if (status == SOTTO_OK)
        status = train_check_key(c, error);
    if (status == SOTTO_OK)
        status = train_fit(c, &model, &dropped, error);
    train_old old = {0};
    sotto_status signing = SOTTO_OK;
    if (status == SOTTO_OK) {
        old = train_look_at_old(c, output);
        signing = train_sign(c, model, error);
        status = cli_write_model(c, model, error);
    }
    if (status == SOTTO_OK)
        train_remark_replaced(c, &old, model);
    if (status == SOTTO_OK && sotto_model_statement(model))
        status = sotto_fit_settle(model, output, error);
    if (status == SOTTO_OK)
        train_tell(c, model, dropped);
    sotto_model_free(model);
    return status == SOTTO_OK ? signing : status;
}
