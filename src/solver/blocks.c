/*
 * The blocks of block-coordinate Frank-Wolfe and how they are drawn: numbers
 * and words of the options, or files of them. Public, all of it.
 */
#include "blocks.h"
#include "number.h"

#include <math.h>
#include <string.h>

int blocks_number(const sotto_options *options, double *out)
{
    return number_whole(option_text(options, OPTION_BLOCKS), out);
}

/* ---- files: words in lines ---- */

/* Calls `each` for every line that has words, with its first word and the
   rest; comments are left out. */
typedef struct lines {
    const sotto_options *options;
    option_id option; /* that names the file */
    const char *path;
    bcfw_blocks *blocks;
    int64_t features;
    int64_t number; /* of the line */
    int64_t *seen;  /* each block's last set, from 1 */
    const char *expected;
} lines;

typedef sotto_status (*take_line)(lines *l, char *first, char **rest,
                                  sotto_error *error);

static sotto_status refuse_line(const lines *l, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "%s: line %lld: expected %s",
                     show_name(l->path).text, (long long)l->number,
                     l->expected);
}

static sotto_status each_line(lines *l, take_line take, sotto_error *error)
{
    char *text = NULL, *rest, *words;
    size_t size;
    sotto_status status =
        option_read(l->options, l->option, &text, &size, error);
    if (status != SOTTO_OK)
        return status;
    rest = text;
    for (char *line; status == SOTTO_OK && (line = strsep(&rest, "\n"));) {
        l->number++;
        line[strcspn(line, "#")] = 0;
        char *first = strtok_r(line, " \t\r", &words);
        if (first)
            status = take(l, first, &words, error);
    }
    mem_free(text);
    return status;
}

/* "7" or "3-9", from 1 to `most`; counted from 0 afterwards. */
static int parse_run(char *word, int64_t most, int64_t *from, int64_t *to)
{
    double a, b;
    char *dash = strchr(word, '-');
    if (dash)
        *dash = 0;
    if (!number_whole(word, &a) || !number_whole(dash ? dash + 1 : word, &b) ||
        a != floor(a) || b != floor(b) || !(a >= 1 && a <= b) ||
        !(b <= (double)most))
        return 0;
    *from = (int64_t)a - 1;
    *to = (int64_t)b - 1;
    return 1;
}

/* ---- blocks ---- */

static bcfw_block *next_block(bcfw_blocks *b)
{
    bcfw_block *more =
        mem_resize(b->block, (size_t)b->domain.blocks + 1, sizeof *b->block);
    if (!more)
        return NULL;
    b->block = more;
    more[b->domain.blocks] = (bcfw_block){0};
    return &more[b->domain.blocks++];
}

/* As far as the options' own numbers go: a step to it is a float. */
static int is_near(double x)
{
    return fabs(x) <= 0x1p100;
}

static int parse_shape(bcfw_block *b, const char *kind, char *size)
{
    char *comma = size ? strchr(size, ',') : NULL;
    if (!size)
        return 0;
    if (!strcmp(kind, "ball"))
        return number_whole(size, &b->radius) && b->radius > 0 &&
               is_near(b->radius);
    if (strcmp(kind, "box") || !comma)
        return 0;
    *comma = 0;
    return number_whole(size, &b->low) && number_whole(comma + 1, &b->high) &&
           b->low <= 0 && b->high >= 0 && b->low < b->high && is_near(b->low) &&
           is_near(b->high);
}

static sotto_status take_block(lines *l, char *kind, char **rest,
                               sotto_error *error)
{
    bcfw_blocks *b = l->blocks;
    int64_t which = b->domain.blocks, from, to;
    bcfw_block *block = next_block(b);
    if (!block)
        return error_memory(error);
    if (!parse_shape(block, kind, strtok_r(NULL, " \t\r", rest)))
        return refuse_line(l, error);
    for (char *w; (w = strtok_r(NULL, " \t\r", rest));) {
        if (!parse_run(w, l->features, &from, &to))
            return refuse_line(l, error);
        for (int64_t j = from; j <= to; j++) {
            if (b->owner[j])
                return refuse_line(l, error);
            b->owner[j] = which + 1;
            block->count++;
        }
    }
    return block->count ? SOTTO_OK : refuse_line(l, error);
}

static sotto_status read_blocks(bcfw_blocks *b, const sotto_options *options,
                                int64_t features, sotto_error *error)
{
    const char *path = option_text(options, OPTION_BLOCKS);
    lines l = {.options = options,
               .option = OPTION_BLOCKS,
               .path = path,
               .blocks = b,
               .features = features,
               .expected = "'ball RADIUS FEATURES' or 'box LO,HI FEATURES' "
                           "with 0 in the box, features as 1 or 3-9, each in "
                           "one block"};
    sotto_status status = each_line(&l, take_block, error);
    for (int64_t j = 0; j < features && status == SOTTO_OK; j++)
        if (!b->owner[j])
            status =
                error_set(error, SOTTO_USAGE, "%s: feature %lld is in no block",
                          show_name(path).text, (long long)j + 1);
    return status;
}

/* Runs of features that are as even as they can be. */
static sotto_status even_blocks(bcfw_blocks *b, const sotto_options *options,
                                double many, int64_t features,
                                sotto_error *error)
{
    bcfw_block shape = {0};
    if (many != floor(many) || !(many >= 1 && many <= (double)features))
        return error_set(error, SOTTO_USAGE,
                         "--blocks: expected a file or a whole number from 1 "
                         "to the number of features");
    if (option_given(options, OPTION_RADIUS))
        shape.radius = option_number(options, OPTION_RADIUS);
    else
        option_pair(options, OPTION_BOX, &shape.low, &shape.high);
    for (int64_t i = 0; i < (int64_t)many; i++) {
        bcfw_block *block = next_block(b);
        if (!block)
            return error_memory(error);
        *block = shape;
    }
    for (int64_t i = 0; i < b->domain.blocks; i++) {
        int64_t from = (int64_t)((__int128)i * features / b->domain.blocks);
        int64_t to = (int64_t)((__int128)(i + 1) * features / b->domain.blocks);
        for (int64_t j = from; j < to; j++)
            b->owner[j] = i + 1;
        b->block[i].count = to - from;
    }
    return SOTTO_OK;
}

/* Each block's coordinates in ascending order, one block after another. */
static sotto_status list_coordinates(bcfw_blocks *b, int64_t features,
                                     sotto_error *error)
{
    size_t blocks = (size_t)b->domain.blocks;
    int64_t *place = mem_zeroed(blocks + 1, sizeof *place);
    b->coordinate = mem_zeroed((size_t)features, sizeof *b->coordinate);
    if (!place || !b->coordinate) {
        mem_free(place);
        return error_memory(error);
    }
    for (size_t i = 0; i < blocks; i++) {
        b->block[i].coordinate = b->coordinate + place[i];
        place[i + 1] = place[i] + b->block[i].count;
    }
    for (int64_t j = 0; j < features; j++)
        b->coordinate[place[b->owner[j] - 1]++] = j;
    mem_free(place);
    b->domain.block = b->block;
    return SOTTO_OK;
}

/* ---- samplings ---- */

static int add_set(bcfw_sampling *s, double probability)
{
    size_t sets = (size_t)s->sets;
    double *p = mem_resize(s->probability, sets + 1, sizeof *p);
    if (p)
        s->probability = p;
    int64_t *start = mem_resize(s->start, sets + 2, sizeof *start);
    if (start)
        s->start = start;
    if (!p || !start)
        return 0;
    p[sets] = probability;
    start[sets + 1] = sets ? start[sets] : 0;
    start[0] = 0;
    s->sets++;
    return 1;
}

static int add_to_set(bcfw_sampling *s, int64_t block)
{
    int64_t *end = &s->start[s->sets];
    int64_t *more = mem_resize(s->block, (size_t)*end + 1, sizeof *more);
    if (!more)
        return 0;
    s->block = more;
    more[(*end)++] = block;
    return 1;
}

static sotto_status take_set(lines *l, char *first, char **rest,
                             sotto_error *error)
{
    bcfw_sampling *s = &l->blocks->sampling;
    double p;
    int64_t from, to;
    if (!number_whole(first, &p) || !(p >= 0 && p <= 1))
        return refuse_line(l, error);
    if (!add_set(s, p))
        return error_memory(error);
    for (char *w; (w = strtok_r(NULL, " \t\r", rest));) {
        if (!parse_run(w, l->blocks->domain.blocks, &from, &to))
            return refuse_line(l, error);
        for (int64_t i = from; i <= to; i++) {
            if (l->seen[i] == s->sets)
                return refuse_line(l, error);
            if (!add_to_set(s, i))
                return error_memory(error);
            l->seen[i] = s->sets;
            s->chance[i] += p;
        }
    }
    return SOTTO_OK;
}

/* Proper: every block can be drawn. */
static sotto_status read_sampling(bcfw_blocks *b, const sotto_options *options,
                                  sotto_error *error)
{
    const char *path = option_text(options, OPTION_SAMPLING);
    lines l = {.options = options,
               .option = OPTION_SAMPLING,
               .path = path,
               .blocks = b,
               .expected = "'PROBABILITY BLOCKS', blocks as 1 or 3-9, each "
                           "once"};
    double sum = 0;
    size_t blocks = (size_t)b->domain.blocks;
    b->sampling.kind = BCFW_GIVEN;
    b->sampling.chance = mem_zeroed(blocks, sizeof(double));
    l.seen = mem_zeroed(blocks, sizeof *l.seen);
    sotto_status status = l.seen && b->sampling.chance
                              ? each_line(&l, take_set, error)
                              : error_memory(error);
    mem_free(l.seen);
    if (status != SOTTO_OK)
        return status;
    for (int64_t k = 0; k < b->sampling.sets; k++)
        sum += b->sampling.probability[k];
    if (!(fabs(sum - 1) <= 1e-9))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected probabilities that add up to 1",
                         show_name(path).text);
    if (!(bcfw_least(&b->domain, &b->sampling) > 0))
        return error_set(error, SOTTO_USAGE,
                         "%s: a block is never drawn; expected each in a set "
                         "with a probability above 0",
                         show_name(path).text);
    return SOTTO_OK;
}

/* The blocks of the smallest party: even runs. */
static int64_t least_party(const bcfw_blocks *b, double parties)
{
    return (int64_t)floor((double)b->domain.blocks / parties);
}

/* "nice:3", "distributed:5,2": tau of all, or of each of five parties'. */
static sotto_status parse_sampling(bcfw_blocks *b, const char *how,
                                   sotto_error *error)
{
    bcfw_sampling *s = &b->sampling;
    double parties = 1, tau, blocks = (double)b->domain.blocks;
    const char *number = strchr(how, ':') + 1;
    char first[32] = "1";
    s->kind = how[0] == 'n' ? BCFW_NICE : BCFW_DISTRIBUTED;
    if (s->kind == BCFW_DISTRIBUTED) {
        size_t length = strcspn(number, ",");
        snprintf(first, sizeof first, "%.*s", (int)length, number);
        number += length + (number[length] != 0);
    }
    if (!number_whole(first, &parties) || !number_whole(number, &tau) ||
        parties != floor(parties) || tau != floor(tau) ||
        !(parties >= 1 && parties <= blocks) ||
        !(tau >= 1 && tau <= (double)least_party(b, parties)))
        return error_set(error, SOTTO_USAGE,
                         "--sampling: expected nice:TAU or "
                         "distributed:K,TAU, K parties of the %lld blocks, "
                         "TAU of what the smallest has",
                         (long long)b->domain.blocks);
    s->parties = (int64_t)parties;
    s->tau = (int64_t)tau;
    return SOTTO_OK;
}

static sotto_status find_sampling(bcfw_blocks *b, const solver_run *r,
                                  sotto_error *error)
{
    const char *how = solver_text(r->options, r->solver, OPTION_SAMPLING);
    b->sampling.kind = !strcmp(how, "serial") ? BCFW_SERIAL : BCFW_ALL;
    if (!strcmp(how, "all") || !strcmp(how, "serial"))
        return SOTTO_OK;
    if (!strncmp(how, "nice:", 5) || !strncmp(how, "distributed:", 12))
        return parse_sampling(b, how, error);
    return read_sampling(b, r->options, error);
}

/* ---- both ---- */

sotto_status blocks_read(bcfw_blocks *b, const solver_run *r,
                         sotto_error *error)
{
    double many;
    int64_t features = r->facts.features;
    *b = (bcfw_blocks){.owner = mem_zeroed((size_t)features, sizeof *b->owner)};
    if (!b->owner)
        return error_memory(error);
    sotto_status status =
        blocks_number(r->options, &many)
            ? even_blocks(b, r->options, many, features, error)
            : read_blocks(b, r->options, features, error);
    if (status == SOTTO_OK)
        status = list_coordinates(b, features, error);
    b->domain.intercept = frank_wolfe_intercept(r);
    return status == SOTTO_OK ? find_sampling(b, r, error) : status;
}

void blocks_free(bcfw_blocks *b)
{
    mem_free(b->owner);
    mem_free(b->coordinate);
    mem_free(b->block);
    mem_free(b->sampling.probability);
    mem_free(b->sampling.start);
    mem_free(b->sampling.block);
    mem_free(b->sampling.chance);
    *b = (bcfw_blocks){0};
}
