/*
 * sotto schema: writes a schema to fill in, from the header of a data file, or
 * says what is wrong with one.
 */
#include "cli.h"

#include <string.h>
#include <sys/stat.h>

static void schema_hint(const char *output)
{
    cli_wrote(output);
    fprintf(stderr,
            ": fill in what is known without looking at the records\n"
            "  number    \"bounds\": [0, 120], \"missing\": 40\n"
            "  category  \"levels\": [\"f\", \"m\"], \"missing\": \"none\", "
            "\"other\": true\n"
            "            (or \"levels\": \"private\": found by training, for a "
            "part of its budget)\n"
            "  date      \"bounds\": [\"2015-01-01\", \"2024-12-31\"], "
            "\"format\": \"%%d.%%m.%%Y\"\n"
            "  boolean   \"missing\": false\n"
            "  target    \"classes\": [\"no\", \"yes\"] or \"bounds\"\n"
            "  weight    \"bounds\": [0, 10];  unit, drop: nothing\n");
}

/* ["...", ...] of lines. */
static void schema_print_lines(char *lines)
{
    printf("[");
    for (char *line = strtok(lines, "\n"), *first = line; line;
         line = strtok(NULL, "\n")) {
        fputs(line == first ? "" : ", ", stdout);
        cli_json_text(stdout, line);
    }
    printf("]");
}

static void schema_print_json(char *faults, char *open)
{
    printf("{\"faults\": ");
    schema_print_lines(faults);
    printf(", \"open\": ");
    schema_print_lines(open);
    printf("}\n");
}

static void schema_remark_open(char *lines)
{
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(stderr, "sotto: remark: still open: %s\n", line);
}

/* What is still to be filled in is no fault; remarks name it. */
static void schema_print_right(const cli *c, char *open)
{
    char none[] = "";
    if (cli_flag(c, "json"))
        schema_print_json(none, open);
    else if (!cli_flag(c, "quiet")) {
        printf("no fault\n");
        schema_remark_open(open);
    }
}

/* What is wrong goes to stdout: it is what was asked for. */
static sotto_status schema_check(const cli *c, sotto_error *error)
{
    const char *schema = c->argument[0];
    const char *data = c->arguments > 1 ? c->argument[1] : NULL;
    char none[] = "", *lines = NULL;
    if (sotto_options_get(c->options, "output"))
        return cli_refuse(error, "--check writes no file: expected no -o");
    if (sotto_options_get(c->options, "schema"))
        return cli_refuse(error, "--check takes the schema as its argument: "
                                 "expected no --schema");
    if (data && !strcmp(schema, "-") && !strcmp(data, "-"))
        return cli_refuse(error, "SCHEMA and DATA cannot both be stdin");
    sotto_status status =
        sotto_schema_check(&lines, schema, data, c->options, error);
    if (status == SOTTO_OK)
        schema_print_right(c, lines ? lines : none);
    else if (lines && cli_flag(c, "json"))
        schema_print_json(lines, none);
    else if (lines)
        fputs(lines, stdout);
    sotto_text_free(lines);
    return status;
}

sotto_status cli_schema(const cli *c, sotto_error *error)
{
    char *template;
    const char *output = sotto_options_get(c->options, "output");
    /* -o must not overwrite a schema that was filled in, nor the data */
    int is_file = output && strcmp(output, "-");
    struct stat status_of;
    if (cli_flag(c, "check"))
        return schema_check(c, error);
    if (c->arguments > 1)
        return cli_refuse(error, "usage: sotto schema DATA [OPTIONS], or sotto "
                                 "schema --check SCHEMA [DATA]");
    if (is_file && !stat(output, &status_of) && S_ISREG(status_of.st_mode))
        return cli_refuse(error, "-o: the file exists; remove it, or give "
                                 "another name");
    sotto_status status =
        sotto_schema_template(&template, c->argument[0], c->options, error);
    if (status != SOTTO_OK)
        return status;
    status = sotto_text_write(output ? output : "-", template, error);
    sotto_text_free(template);
    if (status == SOTTO_OK && is_file && cli_flag(c, "json"))
        cli_json_output(output);
    if (status == SOTTO_OK && is_file && !cli_flag(c, "quiet"))
        schema_hint(output);
    return status;
}
