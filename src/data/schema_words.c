/*
 * What the readers of schemas share: lists of words, the faults that are
 * gathered, and how declarations are freed.
 */
#include "json.h"
#include "schema.h"

#include <string.h>

sotto_status schema_note(schema *s, sotto_status status, sotto_error *error)
{
    if (!s->faults || (status != SOTTO_USAGE && status != SOTTO_DATA))
        return status;
    text_put(&s->faults->lines, error->message);
    text_put(&s->faults->lines, "\n");
    if (!s->faults->count++ || status == SOTTO_USAGE)
        s->faults->status = status;
    return s->faults->lines.failed ? error_memory(error) : SOTTO_OK;
}

void column_free(column *c)
{
    mem_free(c->name);
    mem_free(c->format);
    mem_free_texts(c->level, c->levels);
    mem_free_texts(c->class_name, c->classes);
    *c = (column){0};
}

int column_level_is(const column *c, int64_t level, const char *name)
{
    size_t length = strlen(c->name);
    return !strncmp(name, c->name, length) && name[length] == '=' &&
           !strcmp(name + length + 1, c->level[level]);
}

void schema_free(schema *s)
{
    for (int64_t i = 0; i < s->columns; i++)
        column_free(&s->column[i]);
    mem_free(s->column);
    column_free(&s->default_column);
    mem_free_texts(s->missing, s->missing_words);
    *s = (schema){0};
}

/* How many words a JSON list begins with that are different, non-empty strings.
   (When memory runs out a repeated word is not noticed; copying the list fails
   then.) */
static size_t schema_good_words(const json_t *list)
{
    json_t *seen = json_object();
    size_t i = 0;
    for (; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || !*word || json_object_get(seen, word))
            break;
        json_object_set_new(seen, word, json_true());
    }
    json_decref(seen);
    return i;
}

int schema_is_words(const json_t *list)
{
    size_t size = json_array_size(list);
    return size > 0 && schema_good_words(list) == size;
}

shown schema_bad_word(const json_t *list)
{
    shown what = {""};
    size_t place = schema_good_words(list);
    const char *word = json_string_value(json_array_get(list, place));
    if (word && *word)
        snprintf(what.text, sizeof what.text, "; \"%.100s\" is there twice",
                 show_name(word).text);
    else if (place < json_array_size(list))
        snprintf(what.text, sizeof what.text,
                 "; number %zu of them is no word in quotes", place + 1);
    return what;
}

int schema_copy_words(const json_t *list, char ***out, int64_t *count)
{
    size_t size = json_array_size(list);
    *out = mem_zeroed(size, sizeof **out);
    *count = *out ? (int64_t)size : 0;
    for (size_t i = 0; *out && i < size; i++) {
        (*out)[i] = mem_text(json_string_value(json_array_get(list, i)));
        if (!(*out)[i])
            return 0;
    }
    return *out != NULL;
}

json_t *schema_list_words(char *const *words, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_append(&list, json_string(words[i]));
    return list;
}
