/*
 * All memory goes through here, with overflow checks; the test of running
 * out replaces the system's calls at link time and fails each one in turn.
 */
#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int size_multiply(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

void *mem_zeroed(size_t count, size_t size)
{
    /* calloc checks the product; one byte at least, so NULL means failure */
    return calloc(count ? count : 1, size ? size : 1);
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(count, size, &bytes))
        return NULL;
    return realloc(block, bytes ? bytes : 1);
}

void mem_free(void *block)
{
    free(block);
}

void mem_free_texts(char **texts, int64_t count)
{
    for (int64_t i = 0; texts && i < count; i++)
        mem_free(texts[i]);
    mem_free(texts);
}

char *mem_text_n(const char *string, size_t length)
{
    char *copy = mem_zeroed(length + 1, 1);
    if (copy)
        memcpy(copy, string, length);
    return copy;
}

char *mem_text(const char *string)
{
    return mem_text_n(string, strlen(string));
}

char **mem_texts(char *const *texts, int64_t count)
{
    char **copy = mem_zeroed((size_t)count, sizeof *copy);
    for (int64_t i = 0; copy && i < count; i++) {
        copy[i] = mem_text(texts[i]);
        if (!copy[i]) {
            mem_free_texts(copy, count);
            return NULL;
        }
    }
    return copy;
}

/* Large pages where the system gives them: fewer faults, fewer misses. */
static void mem_wish_large(void *block, size_t bytes)
{
    if (bytes >= (size_t)1 << 22)
        madvise(block, bytes, MADV_HUGEPAGE);
}

void *mem_map(size_t bytes)
{
    void *block = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    mem_wish_large(block, bytes);
    return block;
}

void *mem_reserve(size_t bytes)
{
    void *block = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    madvise(block, bytes, MADV_NOHUGEPAGE);
    return block;
}

void mem_unmap(void *block, size_t bytes)
{
    if (block)
        munmap(block, bytes ? bytes : 1);
}

void *mem_remap(void *block, size_t from, size_t to)
{
    if (!block)
        return mem_map(to);
    void *moved = mremap(block, from ? from : 1, to ? to : 1, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    mem_wish_large(moved, to);
    return moved;
}

void mem_discard(void *block, size_t from, size_t to)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t first = (from + page - 1) / page * page;
    size_t last = to / page * page;
    if (first < last)
        madvise((char *)block + first, last - first, MADV_DONTNEED);
}

/* Some emulators say yes to any advice, also to one that does not exist. */
int mem_wiped_on_fork(void *block, size_t bytes)
{
    return madvise(block, bytes, -1) != 0 &&
           madvise(block, bytes, MADV_WIPEONFORK) == 0;
}

void mem_wipe(void *block, size_t bytes)
{
    if (block)
        explicit_bzero(block, bytes);
}

/* More than the deepest of the loops over records: kept_map of src/kernel has
   rows of 256 KiB. */
enum { STACK_WIPED = 384 << 10 };

__attribute__((noinline)) void mem_wipe_stack(void)
{
    char room[STACK_WIPED];
    explicit_bzero(room, sizeof room);
}

void *mem_resize_wiped(void *block, size_t from, size_t to)
{
    void *moved = mem_zeroed(to, 1);
    if (moved && block) {
        memcpy(moved, block, from < to ? from : to);
        mem_free_wiped(block, from);
    }
    return moved;
}

void mem_free_wiped(void *block, size_t bytes)
{
    mem_wipe(block, bytes);
    mem_free(block);
}

void sotto_text_free(char *string)
{
    mem_free(string);
}
