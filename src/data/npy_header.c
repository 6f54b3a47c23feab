/*
 * The header of a .npy file: a Python dictionary, written by NumPy.
 */
#include "npy.h"

#include <string.h>

enum { NPY_MOST_COLUMNS = 1 << 20 };

static sotto_status npy_error(const source *s, const char *expected,
                              sotto_error *error)
{
    return error_set(error, SOTTO_DATA, "%s: expected %s",
                     show_name(source_name(s)).text, expected);
}

/* The text of the value of 'key', or NULL. */
static const char *npy_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, " :");
}

/* Reads a length; -1 when there is none, or when it is above 2^50. */
static int64_t npy_length(const char **s)
{
    int64_t value = 0;
    if (**s < '0' || **s > '9')
        return -1;
    for (; **s >= '0' && **s <= '9'; ++*s) {
        value = value * 10 + (**s - '0');
        if (value > ((int64_t)1 << 50))
            return -1;
    }
    *s += strspn(*s, ", ");
    return value;
}

static int npy_shape(const char *s, npy_array *a)
{
    if (!s || *s++ != '(')
        return 0;
    a->rows = npy_length(&s);
    a->columns = npy_length(&s);
    return a->rows >= 0 && a->columns >= 0 && *s == ')';
}

static sotto_status npy_parse_header(const source *s, const char *header,
                                     npy_array *a, sotto_error *error)
{
    const char *type = npy_value(header, "'descr'");
    const char *order = npy_value(header, "'fortran_order'");
    if (!type || (strncmp(type, "'<f4'", 5) && strncmp(type, "'<f8'", 5)))
        return npy_error(s,
                         "an array of float32 or float64 (little-endian); "
                         "convert it with astype",
                         error);
    a->element = (size_t)(type[3] - '0');
    if (!order || (strncmp(order, "True", 4) && strncmp(order, "False", 5)))
        return npy_error(s, "'fortran_order' in the .npy header", error);
    a->by_column = *order == 'T';
    if (!npy_shape(npy_value(header, "'shape'"), a))
        return npy_error(s, "a two-dimensional array", error);
    if (a->columns > NPY_MOST_COLUMNS)
        return npy_error(s, "at most 1048576 columns", error);
    return SOTTO_OK;
}

sotto_status npy_cut_off(const source *s, sotto_error *error)
{
    return npy_error(s, "more bytes: the .npy file is cut off", error);
}

sotto_status npy_take(source *s, void *to, size_t size, sotto_error *error)
{
    size_t got;
    sotto_status status = source_take(s, to, size, &got, error);
    if (status == SOTTO_OK && got < size)
        return npy_cut_off(s, error);
    return status;
}

sotto_status npy_header(source *s, npy_array *a, sotto_error *error)
{
    unsigned char start[12] = {0};
    sotto_status status = npy_take(s, start, 10, error);
    if (status != SOTTO_OK)
        return status;
    if (memcmp(start, "\x93NUMPY", 6) || start[6] < 1 || start[6] > 3)
        return npy_error(s, "a .npy file of version 1, 2 or 3", error);
    size_t length = start[8] + 256u * start[9];
    if (start[6] > 1) { /* a header length of four bytes */
        status = npy_take(s, start + 10, 2, error);
        length += 65536u * start[10] + 16777216u * (size_t)start[11];
    }
    if (status == SOTTO_OK && length > (1 << 20))
        return npy_error(s, "a .npy header of at most 1 MB", error);
    if (status != SOTTO_OK)
        return status;
    char *header = mem_zeroed(length + 1, 1);
    if (!header)
        return error_memory(error);
    status = npy_take(s, header, length, error);
    if (status == SOTTO_OK)
        status = npy_parse_header(s, header, a, error);
    mem_free(header);
    if (status == SOTTO_OK && a->rows && a->columns && source_left(s) >= 0 &&
        source_left(s) / a->rows / a->columns < (int64_t)a->element)
        return npy_cut_off(s, error);
    return status;
}

sotto_status npy_names(file_header *h, int64_t columns, sotto_error *error)
{
    *h = (file_header){.name = mem_zeroed((size_t)columns, sizeof *h->name)};
    for (; h->name && h->count < columns; h->count++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)h->count + 1);
        h->name[h->count] = mem_text(name);
        if (!h->name[h->count])
            header_free(h);
    }
    return h->name ? SOTTO_OK : error_memory(error);
}

sotto_status npy_header_names(source *s, const sotto_options *options,
                              file_header *out, sotto_error *error)
{
    npy_array a;
    (void)options;
    sotto_status status = npy_header(s, &a, error);
    return status == SOTTO_OK ? npy_names(out, a.columns, error) : status;
}
