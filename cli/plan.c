/*
 * sotto plan: what private training would ask and cost, from public
 * quantities alone.
 */
#include "cli.h"

sotto_status cli_plan(const cli *c, sotto_error *error)
{
    char *text;
    sotto_status status = sotto_fit_plan(&text, c->options, error);
    if (status == SOTTO_OK)
        printf("%s\n", text);
    sotto_text_free(text);
    return status;
}
