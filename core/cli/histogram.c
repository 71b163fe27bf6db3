/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c - see histogram.h. */
#include "histogram.h"

#include <math.h>
#include <string.h>

enum { EXPONENT_LEAST = -1074 };

static void set_exponent(struct histogram *h, int exponent)
{
    h->exponent = exponent;
    h->scale = exponent > -1000 && exponent < 1000 ? ldexp(1, -exponent) : 0;
}

struct histogram histogram_of(size_t most)
{
    struct histogram h = {.most = most};
    set_exponent(&h, EXPONENT_LEAST);
    return h;
}

/* Largest integer not above value * 2^-exponent; more than 2^52 for what is too large. */
static double index_of(const struct histogram *h, double value)
{
    return floor(h->scale != 0 ? value * h->scale : ldexp(value, -h->exponent));
}

static int64_t half(int64_t i)
{
    return i >= 0 ? i / 2 : -((1 - i) / 2);
}

/* Bins twice as wide. */
static void coarsen(struct histogram *h)
{
    const int64_t first = half(h->first);
    uint64_t counts[HISTOGRAM_MOST] = {0};
    size_t bins = 0;
    for (size_t i = 0; i < h->bins; i++) {
        const size_t to = (size_t)(half(h->first + (int64_t)i) - first);
        counts[to] += h->counts[i];
        bins = to + 1;
    }
    memcpy(h->counts, counts, sizeof counts);
    h->first = first;
    h->bins = bins;
    set_exponent(h, h->exponent + 1);
}

/* Is the index within what the bins can come to span? */
static int fits(const struct histogram *h, double index)
{
    if (fabs(index) > 4503599627370496.0) /* 2^52 */
        return 0;
    if (h->bins == 0)
        return 1;
    const double low = fmin((double)h->first, index);
    const double high = fmax((double)(h->first + (int64_t)h->bins - 1), index);
    return high - low < (double)h->most;
}

void histogram_add(struct histogram *h, double value, uint64_t count)
{
    double index = index_of(h, value);
    while (!fits(h, index)) {
        coarsen(h);
        index = index_of(h, value);
    }
    const int64_t i = (int64_t)index;
    if (h->bins == 0)
        h->first = i;
    if (i < h->first) {
        const size_t more = (size_t)(h->first - i);
        memmove(h->counts + more, h->counts, h->bins * sizeof *h->counts);
        memset(h->counts, 0, more * sizeof *h->counts);
        h->first = i;
        h->bins += more;
    }
    const size_t at = (size_t)(i - h->first);
    h->bins = at >= h->bins ? at + 1 : h->bins;
    h->counts[at] += count;
}

double histogram_edge(const struct histogram *h, size_t i)
{
    return ldexp((double)(h->first + (int64_t)i), h->exponent);
}
