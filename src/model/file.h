/*
 * The model file, as its writer and its reader know it:
 *
 *   {
 *     "sotto_model": 1,
 *     ...,
 *     "signature": {"key": "...", "ed25519": "..."},
 *     "checksum": "crc32:89abcdef"
 *   }
 *
 * The checksum is the CRC-32 of all bytes before the word "checksum" and its
 * quote. It is for accidents: a copy that was cut, a hand that slipped. The
 * signature, where there is one, is for those who mean it (signature.c).
 */
#ifndef SOTTO_MODEL_FILE_H
#define SOTTO_MODEL_FILE_H

#include "json.h"
#include "model.h"

#include <zlib.h>

#define MODEL_CHECKSUM "\"checksum\": \"crc32:"

/* MODEL_CHECKSUM and what follows it, for a file that begins so. */
static inline void model_tail(char out[48], const char *bytes, size_t size)
{
    unsigned long sum = crc32_z(0, (const unsigned char *)bytes, size);
    snprintf(out, 48, MODEL_CHECKSUM "%08lx\"\n}\n", sum);
}

/* All that stands before the signature, or before the checksum of a model that
   has none. */
sotto_status model_put_body(const sotto_model *m, text_buffer *t,
                            sotto_error *error);

/* Its line, or nothing. */
void model_put_signature(text_buffer *t, const sotto_model *m);

/* 0: it is not as it must be. */
int model_read_signature(sotto_model *m, const json_t *root);

/* Whether the signature of a model, if it has one, is that of the file, which
   has these bytes. */
sotto_status model_check_signature(const sotto_model *m, const char *name,
                                   const char *bytes, size_t size,
                                   sotto_error *error);

/* Whether the checksum fits the bytes that have it. */
sotto_status model_check_sum(const char *name, const char *bytes, size_t size,
                             sotto_error *error);

/* The part of the file about standard errors, of a model that has some, or
   reasons why not. NULL when out of memory. And read back: 0: it is not as it
   must be; -1: out of memory. */
json_t *model_intervals(const sotto_model *m);
int model_read_intervals(sotto_model *m, const json_t *root);

sotto_status model_refuse(const char *name, const char *what,
                          sotto_error *error);

/* The model of a file that is whole (model_read.c). */
sotto_status model_read_parts(sotto_model **out, const char *name, json_t *root,
                              sotto_error *error);

#endif
