/*
 * The law of the sum of all losses, in one transform.
 *
 * The masses are tilted by exp(tilt * loss) first, so that the transform's
 * error is small beside the delta that is asked for and not only beside 1
 * (Lemma A7). What wraps around is added, never lost: mass above the window
 * is charged by Chernoff's bound, mass below it adds nothing (Lemma A4).
 */
#include "internal.h"

#include <math.h>

#define PLD_VANISHED 1e-250 /* what underflows, beside 1 */

/* The pair of one event, not wider than three windows. */
static sotto_status pld_pair(pair_law *law, const merged_event *e, int add,
                             const pld_layout *layout, sotto_error *error)
{
    double width = layout->top - layout->bottom;
    pair_window w = {layout->step, 0, 0};
    pair_extent(e, add, layout->tail, &w.low, &w.high);
    w.low = fmax(w.low, fmin(layout->bottom, 0) - width);
    w.high = fmin(w.high, fmin(fmax(layout->top, 0) + width, 700));
    w.low = fmin(w.low, w.high);
    return pair_make(law, e, add, w, error);
}

/* Largest absolute loss of the pair. */
static double pld_reach(const pair_law *law)
{
    double low = fabs((double)law->low);
    double high = fabs((double)(law->low + law->cells));
    return fmax(low, high) * law->step;
}

/* ln sum mass exp(tilt loss); the tilted masses go to `out` when given. */
static double pld_tilt(const pair_law *law, double tilt, double *out)
{
    double sum = 0, carry = 0;
    for (int64_t i = 0; i < law->cells; i++) {
        double loss = (double)(law->low + i) * law->step;
        double x = law->mass[i] > 0 ? law->mass[i] * exp(tilt * loss) : 0;
        double y = x - carry, next = sum + y;
        carry = (next - sum) - y;
        sum = next;
        if (out)
            out[i] = x;
    }
    return log(sum);
}

/* What a composition accumulates. */
typedef struct pld_work {
    fft f;
    fft_product product;
    double *re, *im;
    double log_scale, top_bound; /* sums of count * ln M at both tilts */
    double growth;               /* relative: sum of count * theta */
    double forward, smallest;    /* 2-norm errors, least 2-norm */
    double counts;
    double highest; /* largest loss there can be, in cells */
} pld_work;

/* Folds the tilted masses into even and odd entries. Returns the 2-norm. */
static double pld_fold(pld_work *w, const pair_law *law, const double *tilted,
                       double log_total)
{
    int64_t n = w->f.length, at = law->low % n;
    double scale = exp(-log_total), squares = 0;
    at = at < 0 ? at + n : at;
    for (int64_t i = 0; i < n / 2; i++)
        w->re[i] = w->im[i] = 0;
    for (int64_t i = 0; i < law->cells; i++) {
        double *to = at & 1 ? w->im : w->re;
        to[at / 2] += tilted[i] * scale;
        at = at + 1 == n ? 0 : at + 1;
    }
    for (int64_t i = 0; i < n / 2; i++)
        squares += w->re[i] * w->re[i] + w->im[i] * w->im[i];
    return sqrt(squares);
}

/* One event into the product; the constants are those of Lemma A7. */
static sotto_status pld_compose(pld *out, pld_work *w, const merged_event *e,
                                const pair_law *law, const pld_layout *layout,
                                sotto_error *error)
{
    double *tilted = mem_zeroed((size_t)law->cells, sizeof *tilted);
    if (!tilted)
        return error_memory(error);
    double total = pld_tilt(law, layout->tilt, tilted), count = e->count;
    double theta = ROUNDOFF * (64 + 4 * (layout->tilt + 1) * pld_reach(law));
    double norm = pld_fold(w, law, tilted, total);
    mem_free(tilted);
    w->log_scale += count * total;
    w->top_bound +=
        count * (pld_tilt(law, layout->top_tilt, NULL) +
                 ROUNDOFF * (64 + 4 * layout->top_tilt * pld_reach(law)));
    w->growth += count * (theta + 4 * ROUNDOFF * fabs(total));
    double one = fft_error(&w->f) * norm;
    w->growth += count * one * sqrt((double)w->f.length);
    w->forward += count * one;
    w->smallest = fmin(w->smallest, norm);
    w->counts += count;
    out->infinite += count * law->infinite;
    out->shift += count * law->shift;
    int64_t last = law->cells - 1;
    while (last > 0 && !(law->mass[last] > 0))
        last--;
    w->highest += count * (double)(law->low + last);
    fft_multiply(&w->f, w->re, w->im, count, &w->product);
    return SOTTO_OK;
}

/* delta at each grid point, from the right: D(j-1) = (1 - e^-h) S(j-1) +
   e^-h D(j), S the mass at j and above. */
static void pld_curve(pld *p)
{
    double sum = 0, d = 0, fall = exp(-p->step), rest = -expm1(-p->step);
    double up = 1 + 8 * LIBM_ULPS * ROUNDOFF;
    for (int64_t j = p->cells - 1; j >= 0; j--) {
        d = (rest * sum + fall * d) * up; /* sum: mass above j */
        p->curve[j] = d;
        sum += p->mass[j] * up;
    }
}

/* Masses from the transform back to the window, untilted. */
static void pld_untilt(pld *out, const pld_work *w, const pld_layout *layout)
{
    int64_t n = w->f.length, at = out->low % n;
    at = at < 0 ? at + n : at;
    for (int64_t j = 0; j < n; j++) {
        double x = at & 1 ? w->im[at / 2] : w->re[at / 2];
        double loss = (double)(out->low + j) * out->step;
        double k = out->log_scale - layout->tilt * loss;
        out->mass[j] = x > 0 ? x * exp(k) : 0;
        at = at + 1 == n ? 0 : at + 1;
    }
}

static void pld_finish(pld *out, pld_work *w, const pld_layout *layout)
{
    double reach = fmax(fabs(layout->bottom), fabs(layout->top));
    double growth = w->growth + 1e-12 +
                    8 * ROUNDOFF * (fabs(w->log_scale) + layout->tilt * reach);
    out->tilt = layout->tilt;
    out->log_scale = w->log_scale + growth;
    out->error =
        exp(growth) *
            (w->forward + (fft_error(&w->f) + 4 * ROUNDOFF * (w->counts + 8)) *
                              w->smallest) +
        PLD_VANISHED;
    fft_back(&w->f, &w->product, w->re, w->im);
    pld_untilt(out, w, layout);
    double edge = (double)(out->low + out->cells) * out->step;
    double over = w->top_bound - layout->top_tilt * edge;
    over += 8 * ROUNDOFF * (fabs(w->top_bound) + layout->top_tilt * reach);
    if (w->highest >= (double)(out->low + out->cells))
        out->infinite += exp(fmin(over, 0));
    pld_curve(out);
}

static sotto_status pld_room(pld *out, pld_work *w, const pld_layout *layout,
                             sotto_error *error)
{
    size_t n = (size_t)layout->length;
    sotto_status status = fft_make(&w->f, layout->length, error);
    if (status != SOTTO_OK)
        return status;
    w->product.re = mem_zeroed(n, sizeof(double));
    w->product.im = mem_zeroed(n, sizeof(double));
    w->re = mem_zeroed(n / 2, sizeof(double));
    w->im = mem_zeroed(n / 2, sizeof(double));
    out->mass = mem_zeroed(n, sizeof(double));
    out->curve = mem_zeroed(n, sizeof(double));
    if (!w->product.re || !w->product.im || !w->re || !w->im || !out->mass ||
        !out->curve)
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        w->product.re[i] = 1;
    return SOTTO_OK;
}

static void pld_work_free(pld_work *w)
{
    fft_free(&w->f);
    mem_free(w->product.re);
    mem_free(w->product.im);
    mem_free(w->re);
    mem_free(w->im);
}

static sotto_status pld_composed(pld *out, const merged_event *event,
                                 int64_t events, int add, pld_layout *layout,
                                 sotto_error *error)
{
    pld_work w = {.smallest = INFINITY};
    out->step = layout->step;
    out->low = (int64_t)floor(layout->bottom / layout->step);
    out->cells = layout->length;
    sotto_status status = pld_room(out, &w, layout, error);
    for (int64_t i = 0; i < events && status == SOTTO_OK; i++) {
        pair_law law;
        status = pld_pair(&law, &event[i], add, layout, error);
        if (status != SOTTO_OK)
            break;
        status = pld_compose(out, &w, &event[i], &law, layout, error);
        pair_free(&law);
    }
    if (status == SOTTO_OK)
        pld_finish(out, &w, layout);
    pld_work_free(&w);
    return status;
}

/* One event is its own sum. */
static sotto_status pld_plain(pld *out, const merged_event *event, int add,
                              const pld_layout *layout, sotto_error *error)
{
    pair_law law;
    pair_window w = {0, 0, 0};
    pair_extent(event, add, layout->tail, &w.low, &w.high);
    w.high = fmin(w.high, fmax(layout->top, 0) + 750);
    w.step = fmin(layout->step, (w.high - w.low) / 4096);
    w.step = fmax(w.step, (w.high - w.low) / (double)PLD_MOST);
    sotto_status status = pair_make(&law, event, add, w, error);
    if (status != SOTTO_OK)
        return status;
    *out = (pld){.step = law.step,
                 .low = law.low,
                 .cells = law.cells,
                 .mass = law.mass,
                 .infinite = law.infinite,
                 .shift = law.shift};
    out->curve = mem_zeroed((size_t)out->cells, sizeof *out->curve);
    if (!out->curve)
        return error_memory(error);
    pld_curve(out);
    return SOTTO_OK;
}

sotto_status pld_make(pld *out, const merged_event *event, int64_t events,
                      double gauss, double ranges, int add, pld_aim aim,
                      sotto_error *error)
{
    pld_layout layout;
    *out = (pld){0};
    merged_event *all = mem_zeroed((size_t)events + 1, sizeof *all);
    if (!all)
        return error_memory(error);
    for (int64_t i = 0; i < events; i++)
        all[i] = event[i];
    if (gauss > 0) {
        double mu = sqrt(gauss) * (1 + 4 * ROUNDOFF);
        all[events++] =
            (merged_event){.kind = ACCOUNT_GAUSS, .a = mu, .count = 1};
    }
    sotto_status status =
        pld_decide(&layout, all, events, gauss, ranges, add, aim, error);
    if (status == SOTTO_OK)
        pld_limit(&layout, all, events, add);
    if (status == SOTTO_OK && !(isfinite(layout.step) && layout.step > 0))
        status = error_set(error, SOTTO_DATA, "no grid fits these events");
    if (status == SOTTO_OK)
        status = layout.plain
                     ? pld_plain(out, all, add, &layout, error)
                     : pld_composed(out, all, events, add, &layout, error);
    mem_free(all);
    if (status != SOTTO_OK)
        pld_free(out);
    return status;
}

void pld_free(pld *p)
{
    mem_free(p->mass);
    mem_free(p->curve);
    *p = (pld){0};
}

/* The 2-norm of exp(log_scale - tilt z) (1 - e^(epsilon - z))_+ over the
   grid: sum <= integral / step + largest, and <= cells * largest. */
static double pld_weight_norm(const pld *p, double epsilon)
{
    double t = p->tilt, most = 1;
    if (t > 0)
        most = exp(t * log(t) - (t + 1) * log1p(t));
    double square = (double)p->cells * most * most;
    if (t > 0)
        square =
            fmin(square, 2 / (2 * t * (2 * t + 1) * (2 * t + 2)) / p->step +
                             most * most);
    return sqrt(square) * exp(p->log_scale - t * epsilon) * (1 + 1e-9);
}

static double pld_delta_alone(const pld *p, double epsilon)
{
    double at = epsilon / p->step - (double)p->low, cell = floor(at);
    if (!(cell >= 0))
        return 1;
    double d = 0;
    if (cell < (double)p->cells - 1) { /* beyond: infinite mass only */
        int64_t j = (int64_t)cell;
        double over = (at - cell) * p->step;
        double w = expm1(over) / expm1(p->step);
        d = (1 - w) * p->curve[j] + w * p->curve[j + 1];
    }
    d += p->infinite;
    if (p->error > 0)
        d += p->error * pld_weight_norm(p, epsilon);
    return d;
}

/* Against a profile: losses so low that it is at its last value are charged
   that value once, whatever the transform says about them. */
static double pld_delta_with(const pld *p, const profile *h, double epsilon)
{
    double sum = 0, squares = 0;
    double reach = (double)h->half * h->step + h->shift;
    double first = floor((epsilon - reach) / p->step) - (double)p->low - 1;
    int64_t j = first > 0 ? (int64_t)fmin(first, (double)p->cells) : 0;
    double below = j > 0 || p->error > 0
                       ? profile_at(h, epsilon - (double)(p->low + j) * p->step)
                       : 0;
    for (; j < p->cells; j++) {
        double z = (double)(p->low + j) * p->step;
        if (p->mass[j] == 0 && p->error == 0)
            continue;
        double v = profile_at(h, epsilon - z);
        double w = p->error > 0 ? v * exp(p->log_scale - p->tilt * z) : 0;
        sum += p->mass[j] * v;
        squares += w * w;
    }
    sum *= 1 + ROUNDOFF * (double)p->cells;
    return sum + below + p->infinite + p->error * sqrt(squares);
}

double pld_delta(const pld *p, const profile *h, double epsilon)
{
    epsilon -= p->shift + 4 * ROUNDOFF * fabs(epsilon);
    int alone = !h || !h->value;
    return fmin(1, alone ? pld_delta_alone(p, epsilon)
                         : pld_delta_with(p, h, epsilon));
}
