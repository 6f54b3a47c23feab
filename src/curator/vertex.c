/*
 * Choices of a vertex of an L1 ball: coordinate j up or down, among those of a
 * public list. Coordinate and sign are one choice among twice as many. A sign
 * without noise of its own would be that of the sum (docs/privacy,
 * "Vertices").
 */
#include "choice.h"

typedef struct vertices {
    const int64_t *among; /* NULL: all */
    int64_t count;
} vertices;

static int64_t vertex_coordinate(const vertices *v, int64_t n)
{
    return v->among ? v->among[n] : n;
}

/* Up is worth -S and down is worth S: both change as much as S does. */
static const int64_t *score_vertices(choice *k, const vertices *v)
{
    for (int64_t n = 0; n < v->count; n++) {
        int64_t slope = choice_slope(k, vertex_coordinate(v, n));
        k->vertex[2 * n] = -slope;
        k->vertex[2 * n + 1] = slope;
    }
    return k->vertex;
}

static const int64_t *vertex_scores(curator *c, const void *what)
{
    const vertices *v = what;
    choice_count(c, v->among, v->count);
    return score_vertices(c->choice, v);
}

/* Where ranks share the rows: the sums of these coordinates side by side. */
static int64_t *own_sums(curator *c, const void *what)
{
    const vertices *v = what;
    choice *k = c->choice;
    choice_count(c, v->among, v->count);
    for (int64_t n = 0; n < v->count; n++)
        k->vertex[n] = k->sum[vertex_coordinate(v, n)];
    return k->vertex;
}

static const int64_t *score_sums(curator *c, const void *what)
{
    const vertices *v = what;
    choice *k = c->choice;
    for (int64_t n = 0; n < v->count; n++)
        k->scored[vertex_coordinate(v, n)] = k->vertex[n];
    return score_vertices(k, v);
}

/* Whether it is a list of coordinates in ascending order. */
static int are_coordinates(const vertices *v, int64_t cells)
{
    if (!v->among)
        return 1;
    for (int64_t n = 0; n < v->count; n++)
        if (v->among[n] < (n ? v->among[n - 1] + 1 : 0) || v->among[n] >= cells)
            return 0;
    return v->count > 0;
}

sotto_status curator_ask_vertex(curator *c, const int64_t *among, int64_t count,
                                int64_t *out, int *sign, sotto_error *error)
{
    sotto_status status = choice_ready(c, error);
    if (status != SOTTO_OK)
        return status;
    vertices v = {among, among ? count : c->choice->cells};
    if (!are_coordinates(&v, c->choice->cells))
        return error_set(error, SOTTO_FAILED,
                         "vertices: expected coordinates in ascending order");
    if (!c->choice->vertex)
        return error_set(error, SOTTO_BUDGET, "refused: no vertex was planned");
    gate_contest q = {.kind = ASK_VERTEX,
                      .count = 2 * (size_t)v.count,
                      .stride = 1,
                      .scores = vertex_scores,
                      .what = &v,
                      .sums = own_sums,
                      .sums_count = (size_t)v.count,
                      .scored = score_sums};
    int64_t winner;
    status = gate_choose(c, &q, &winner, error);
    *out = vertex_coordinate(&v, winner / 2);
    *sign = winner % 2 ? -1 : 1;
    return status;
}
