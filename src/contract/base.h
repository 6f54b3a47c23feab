/*
 * base: what every room uses. Errors of one line, memory that says when it
 * is out, text that grows, and a loop over threads.
 */
#ifndef SOTTO_BASE_H
#define SOTTO_BASE_H

#include <locale.h>
#include <sotto.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __FAST_MATH__
#error "fast-math would remove the integer grid that privacy stands on"
#endif

/*
 * Exports an internal function from libsotto, for libsotto-federate alone. Its
 * name gets a prefix, so that no function of a host takes its place, and
 * src/core.map.in a version that only a libsotto-federate of the same release
 * asks for. It follows the declaration. The rooms of libsotto-federate, which
 * import it, are compiled with CORE_IMPORT.
 */
#ifdef CORE_IMPORT
#define CORE_VISIBILITY "default"
#else
#define CORE_VISIBILITY "protected" /* libsotto itself calls it directly */
#endif
#define CORE_EXPORT(name)                                                      \
    extern __typeof__(name) name __asm__("sottocore_" #name)                   \
        __attribute__((visibility(CORE_VISIBILITY)))

/* ---- errors ---- */

/*
 * Fills *error (which may be NULL) with one line and returns the status, so
 * that `return error_set(...)` is the usual way out. Never pass a value from
 * a record.
 */
sotto_status error_set(sotto_error *error, sotto_status status,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

sotto_status error_memory(sotto_error *error);

/*
 * A name (column, level, file) made safe to print inside one line: control
 * characters become '?', and one that is too long loses its middle.
 */
typedef struct shown {
    char text[160];
} shown;
shown show_name(const char *name);

/*
 * Which of the names there are may have been meant by one that was written
 * wrongly. Start with {.written = name} and try them all; the nearest stays,
 * or none when none is near. Only names that were declared: never what stands
 * in a record.
 */
typedef struct suggestion {
    const char *written;
    const char *found; /* not ended by NUL; NULL: none */
    size_t length;
    int distance;
} suggestion;
void suggest_try(suggestion *n, const char *name, size_t length);

/* "; did you mean \"x\"?" to end a message with, or nothing. */
shown suggest_hint(const suggestion *n);

/* The hint of words in a text, "a|b" or " a b ", or of a list of names. */
shown suggest_word(const char *written, const char *words);
shown suggest_names(const char *written, char *const *names, int64_t count);

/* ---- memory ---- */

/* count * size bytes of zeros, or NULL when out of memory or overflowing. */
void *mem_zeroed(size_t count, size_t size);

/* As realloc for count * size bytes; on failure the old block stays. */
void *mem_resize(void *block, size_t count, size_t size);

void mem_free(void *block);

/* Frees so many texts and the list of them; it may be NULL. */
void mem_free_texts(char **texts, int64_t count);
char *mem_text(const char *text);
char *mem_text_n(const char *text, size_t length);
/* A copy of a list of texts; NULL when out of memory. */
char **mem_texts(char *const *texts, int64_t count);

/*
 * Large, zero-filled, page-aligned memory straight from the system: it takes
 * room only where it has been written, and can be given back in part.
 */
void *mem_map(size_t bytes);
void mem_unmap(void *block, size_t bytes);

/* Addresses without memory behind them, until they are written: also more than
   the machine has. Never in large pages, so that what was written and not yet
   discarded is what it takes. */
void *mem_reserve(size_t bytes);

/* Makes it longer or shorter, perhaps elsewhere, by moving its pages: no
   bytes are copied. On failure the old block stays. */
void *mem_remap(void *block, size_t from, size_t to);

/* Gives back the whole pages inside [block + from, block + to). */
void mem_discard(void *block, size_t from, size_t to);

/* Has the system put zeros in the place of a mapped block in children of this
   process; 0 where it cannot. */
int mem_wiped_on_fork(void *block, size_t bytes);

/* Zeros that the compiler may not remove. */
void mem_wipe(void *block, size_t bytes);

/* Zeros on the part of this thread's stack that functions called from here have
   used: what they left there. */
void mem_wipe_stack(void);

/* As mem_resize of a block of bytes, and what it leaves behind is wiped. */
void *mem_resize_wiped(void *block, size_t from, size_t to);

/* Wipes so much of it, and frees it. */
void mem_free_wiped(void *block, size_t bytes);

/* a * b into *out; 0 on overflow. */
int size_multiply(size_t a, size_t b, size_t *out);

/* ---- text that grows ---- */

typedef struct text_buffer {
    char *data; /* NUL-terminated once something was added */
    size_t length, room;
    int failed;    /* out of memory at some point: data is incomplete */
    int is_secret; /* wiped when it moves and when it is freed */
} text_buffer;

void text_add(text_buffer *t, const char *bytes, size_t length);
void text_put(text_buffer *t, const char *string);
void text_format(text_buffer *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_free(text_buffer *t);

/* The text, which is the caller's to free; NULL when out of memory. */
char *text_take(text_buffer *t);

/* Adds the shortest decimal that reads back as the same bits; x is finite. */
void text_number(text_buffer *t, double x);

/* Adds a string as JSON writes it, in quotes; it must be UTF-8. */
void text_json(text_buffer *t, const char *string);

/* Whether the bytes are well-formed UTF-8 (RFC 3629). */
int text_is_utf8(const char *bytes, size_t length);

/*
 * jansson prints and reads doubles as the locale says, and knows only decimal
 * points of one byte. Between these two calls the locale of this thread, and
 * of no other, is "C".
 */
locale_t locale_plain(void);
void locale_restore(locale_t before);

/* ---- files ---- */

/*
 * A file that appears under its name whole or not at all: written beside it
 * without a name (or, where the file system cannot, under a temporary one),
 * synced and renamed by out_commit. "-" is stdout. A new file has the mode
 * that the umask leaves, one that replaces another has that one's. What kills
 * the program in the instant between the two system calls of a replacement
 * leaves a whole copy, .sotto-XXXXXX, beside the old file.
 */
typedef struct out_file {
    FILE *stream;
    char *path, *temporary;
    int unnamed; /* `temporary` does not exist yet */
    int mode;    /* of a new file, from which the umask is taken off */
    int secret;  /* that mode whatever it replaces */
} out_file;

sotto_status out_open(out_file *out, const char *path, sotto_error *error);

/* The same for a secret: a file that only its owner may read, also where it
   replaces another. Neither stdout nor a device. */
sotto_status out_open_secret(out_file *out, const char *path,
                             sotto_error *error);

/* Writes past the stream's buffer, where a secret would stay; 0: it could
   not. */
int out_write(out_file *out, const void *bytes, size_t size);
sotto_status out_commit(out_file *out, sotto_error *error);
void out_abandon(out_file *out);

/* Abandons it, with a line that says why the system could not write (errno). */
sotto_status out_failed(out_file *out, const char *path, sotto_error *error);

/* Where a link leads, or the path itself: the file that out_open would write.
   NULL when out of memory. */
char *file_follow(const char *path);

/* A new file, whole or not at all, synced. Where the name is taken nothing is
   written, and *taken is set beside the error. */
sotto_status file_create(const char *path, const text_buffer *content,
                         int *taken, sotto_error *error);

/* The same, of this mode less the umask. No copy of the content stays in
   memory: it may be a secret. */
sotto_status file_create_as(const char *path, const text_buffer *content,
                            int mode, int *taken, sotto_error *error);

/* The folder that a file is in, as a name; NULL: out of memory. */
char *file_folder(const char *path);

/* Syncs the folder that a file is in, so that its name outlasts a loss of
   power. */
sotto_status file_sync_folder(const char *path, sotto_error *error);

/* Most bytes of what is read whole: a schema, a model, an event list, an
   agreement, a list of numbers or blocks. What is longer, or never ends, is
   refused. 1 GB holds a model of 40 million weights. */
static const size_t FILE_MOST = (size_t)1 << 30;

/* Whether what is read whole can go on: `part` is text, and what there is of
   it by now, `total`, is at most `most` bytes. */
sotto_status file_check_whole(const char *name, const char *part, size_t size,
                              size_t total, size_t most, sotto_error *error);

/* A whole file that is secret: refused where others can read it, and nothing
   of it stays in memory but what is handed out, which the caller wipes. */
sotto_status file_read_secret(const char *path, size_t most, char **out,
                              size_t *size, sotto_error *error);

/* A whole text of at most `most` bytes, with a NUL behind it; "-" is stdin. It
   is read into memory that leaves no copy behind. */
sotto_status file_read(const char *path, size_t most, char **out, size_t *size,
                       sotto_error *error);

/* ---- files without a name (spill.c) ---- */

/* In a folder, for what does not fit the memory and is a secret: nobody else
   can open it, and it is gone when it is closed. */
typedef struct spill_file {
    int descriptor; /* -1: there is none */
} spill_file;

sotto_status spill_open(spill_file *out, const char *folder, size_t bytes,
                        sotto_error *error);
sotto_status spill_write(const spill_file *s, size_t at, const void *from,
                         size_t size, sotto_error *error);
sotto_status spill_read(const spill_file *s, size_t at, void *to, size_t size,
                        sotto_error *error);
void spill_close(spill_file *s);

/* ---- threads ---- */

/* The number of processors this process may use. */
int thread_limit(void);

/*
 * Runs work(context, worker) on `threads` threads, the caller being worker
 * 0, and returns when all have. When the system gives fewer threads the
 * work is done by those there are: it must share itself out by claiming.
 */
void thread_run(int threads, void (*work)(void *context, int worker),
                void *context);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(error_set);
CORE_EXPORT(error_memory);
CORE_EXPORT(show_name);
CORE_EXPORT(suggest_word);
CORE_EXPORT(mem_zeroed);
CORE_EXPORT(mem_resize);
CORE_EXPORT(mem_free);
CORE_EXPORT(mem_free_texts);
CORE_EXPORT(mem_text);
CORE_EXPORT(mem_text_n);
CORE_EXPORT(mem_wipe);
CORE_EXPORT(mem_free_wiped);
CORE_EXPORT(text_add);
CORE_EXPORT(text_put);
CORE_EXPORT(text_format);
CORE_EXPORT(text_free);
CORE_EXPORT(text_take);
CORE_EXPORT(locale_plain);
CORE_EXPORT(locale_restore);
CORE_EXPORT(file_create);
CORE_EXPORT(file_sync_folder);
CORE_EXPORT(file_read_secret);
CORE_EXPORT(file_read);

#endif
