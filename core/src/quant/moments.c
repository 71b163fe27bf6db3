/* SPDX-License-Identifier: Apache-2.0 */
/* moments.c - see moments.h. Sums run in four lanes, which a compiler keeps in vectors. */
#include "moments.h"

#include <math.h>

#define LANES 4

static double sum(const double *values, size_t count)
{
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += values[i + l];
    for (; i < count; i++)
        lane[0] += values[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double sum_of_squares(const double *values, size_t count, double mean)
{
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const double off = values[i + l] - mean;
            lane[l] += off * off;
        }
    for (; i < count; i++)
        lane[0] += (values[i] - mean) * (values[i] - mean);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static uint64_t non_zeros(const double *values, size_t count)
{
    uint64_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += values[i] != 0;
    return n;
}

static void range(const double *values, size_t count, double *min, double *max)
{
    double low[LANES], high[LANES];
    for (size_t l = 0; l < LANES; l++)
        low[l] = high[l] = values[0];
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            low[l] = values[i + l] < low[l] ? values[i + l] : low[l];
            high[l] = values[i + l] > high[l] ? values[i + l] : high[l];
        }
    for (; i < count; i++) {
        low[0] = values[i] < low[0] ? values[i] : low[0];
        high[0] = values[i] > high[0] ? values[i] : high[0];
    }
    for (size_t l = 1; l < LANES; l++) {
        low[0] = low[l] < low[0] ? low[l] : low[0];
        high[0] = high[l] > high[0] ? high[l] : high[0];
    }
    *min = low[0];
    *max = high[0];
}

static void find_special(hry_moments *m, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        m->has_nan |= isnan(values[i]) != 0;
        m->has_inf |= isinf(values[i]) != 0;
    }
}

void hry_moments_add(hry_moments *m, const double *values, size_t count)
{
    double low, high;
    if (count == 0)
        return;
    range(values, count, &low, &high);
    const double before = (double)m->count, here = (double)count, all = before + here;
    const double total = sum(values, count), mean = total / here;
    if (!isfinite(total)) /* a special value, or finite ones too large to add */
        find_special(m, values, count);
    const double off = mean - m->mean;
    m->squares += sum_of_squares(values, count, mean) + off * off * before * here / all;
    m->mean += off * here / all;
    m->min = m->count == 0 || low < m->min ? low : m->min;
    m->max = m->count == 0 || high > m->max ? high : m->max;
    m->count += count;
    m->nnz += non_zeros(values, count);
}

void hry_moments_add_pairs(hry_moments *m, const double *parts, size_t count,
                           double *nonzero)
{
    find_special(m, parts, 2 * count);
    for (size_t i = 0; i < count; i++)
        nonzero[i] = parts[2 * i] != 0 || parts[2 * i + 1] != 0;
    m->count += count;
    m->nnz += non_zeros(nonzero, count);
}

void hry_groups_add(hry_groups *g, const double *values, size_t count, bool ends)
{
    size_t i = 0;
    while (i < count && g->most < g->m) {
        const uint64_t left = g->m - g->at;
        const size_t n = left < count - i ? (size_t)left : count - i;
        g->now += non_zeros(values + i, n);
        g->at += n;
        i += n;
        g->most = g->now > g->most ? g->now : g->most;
        if (g->at == g->m)
            g->at = g->now = 0;
    }
    if (ends)
        g->at = g->now = 0;
}
