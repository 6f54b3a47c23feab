/*
 * What a build can be asked about itself, without a record: whether its noise
 * has its law, its prices are right, and its loops give the same bits for each
 * instruction set that this processor has.
 */
#include "account.h"
#include "kernel.h"
#include "noise.h"

#include <string.h>

/* ---- loops ---- */

enum { ROWS = 128, WIDTH = 7 };

/* Some rows in told coordinates, of all sizes, and a point. */
typedef struct check_rows {
    float value[ROWS * WIDTH], length[ROWS], margin[ROWS], at[WIDTH];
} check_rows __attribute__((aligned(64)));

static void rows_make(check_rows *r)
{
    uint64_t state = 1;
    for (int i = 0; i < ROWS * WIDTH; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        r->value[i] = (float)((double)(int64_t)state * 0x1p-62);
    }
    for (int j = 0; j < WIDTH; j++)
        r->at[j] = (float)(j - 3) / 3;
}

static void rows_ask(const kernel *k, loss_kind kind, int64_t *out)
{
    check_rows r = {0};
    rows_make(&r);
    kernel_rows rows = {.rows = ROWS,
                        .padded = ROWS,
                        .margin = r.margin,
                        .loss = kind,
                        .delta = 1};
    kernel_kept kept = {
        .width = WIDTH, .value = r.value, .length = r.length, .at = r.at};
    k->kept_lengths(&kept, 0, ROWS);
    k->kept_gradient(&rows, &kept, 0x1p20f, 0, ROWS, out);
}

static sotto_status loops_check(sotto_error *error)
{
#define CHECK_LOSS(id, ...) LOSS_##id,
    static const loss_kind losses[] = {LOSS_ALL_LIST(CHECK_LOSS)};
#undef CHECK_LOSS
    static const kernel_isa sets[] = {KERNEL_AVX2, KERNEL_AVX512};
    kernel_mode mode = kernel_enter();
    int same = 1;
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        int64_t plain[WIDTH] = {0};
        rows_ask(kernel_get(KERNEL_SCALAR), losses[l], plain);
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
            int64_t sum[WIDTH] = {0};
            if (!kernel_get(sets[s]))
                continue;
            rows_ask(kernel_get(sets[s]), losses[l], sum);
            same &= !memcmp(sum, plain, sizeof sum);
        }
    }
    kernel_leave(mode);
    return same ? SOTTO_OK
                : error_set(error, SOTTO_FAILED,
                            "loops over rows: instruction sets differ: do not "
                            "train with this build");
}

/* ---- all checks, one after the other ---- */

static const char *loops_name(size_t i)
{
    return i == 0 ? "the same bits from each instruction set" : NULL;
}

static sotto_status loops_check_at(size_t i, sotto_error *error)
{
    (void)i;
    return loops_check(error);
}

static const struct {
    const char *(*name)(size_t i);
    sotto_status (*check)(size_t i, sotto_error *error);
} rooms[] = {{noise_check_name, noise_check},
             {account_check_name, account_check},
             {loops_name, loops_check_at}};

sotto_status sotto_self_test(int64_t i, const char **name, sotto_error *error)
{
    size_t at = i < 0 ? SIZE_MAX : (size_t)i;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        size_t count = 0;
        while (rooms[k].name(count))
            count++;
        if (at < count) {
            *name = rooms[k].name(at);
            return rooms[k].check(at, error);
        }
        at -= count;
    }
    *name = NULL;
    return SOTTO_OK;
}

const char *sotto_instruction_set(void)
{
    return kernel_get(KERNEL_AUTO)->name;
}
