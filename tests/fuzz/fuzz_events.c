/* libFuzzer: event lists, as plans and as JSON; what is read prints and reads
   back to itself. */
#include "account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_again(const account_list *list)
{
    text_buffer text = {0}, second = {0};
    account_list back;
    account_print(list, &text);
    if (account_parse(&back, text.data, NULL, NAN, list->adjacency, NULL))
        abort();
    account_print(&back, &second);
    if (strcmp(text.data, second.data))
        abort();
    text_free(&text);
    text_free(&second);
    account_free(&back);
}

/* As JSON a list keeps its order and its draws, too. */
static void fuzz_json_again(const account_list *list)
{
    text_buffer text = {0}, second = {0};
    account_list back;
    account_json(list, &text);
    if (account_from_json(&back, text.data, text.length, "json", NULL))
        abort();
    account_json(&back, &second);
    if (strcmp(text.data, second.data) || back.ordered != list->ordered)
        abort();
    text_free(&text);
    text_free(&second);
    account_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    account_list list;
    char *text = mem_text_n((const char *)bytes, size);
    if (text &&
        !account_parse(&list, text, "T=3,q=.5", 2, ACCOUNT_ADD_REMOVE, NULL)) {
        fuzz_again(&list);
        account_free(&list);
    }
    mem_free(text);
    if (!account_from_json(&list, (const char *)bytes, size, "json", NULL)) {
        fuzz_again(&list);
        fuzz_json_again(&list);
        account_free(&list);
    }
    return 0;
}
