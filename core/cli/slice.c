/* SPDX-License-Identifier: Apache-2.0 */
/* slice.c - see slice.h. */
#include "slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slice slice_all(uint32_t rank, const uint64_t *shape)
{
    struct slice s = {.rank = rank, .kept_rank = rank};
    for (uint32_t k = 0; k < rank; k++) {
        s.count[k] = s.kept[k] = shape[k];
        s.step[k] = 1;
    }
    return s;
}

/* ---- reading the text ---- */

static hry_status refuse(hry_error *err, hry_status code, const char *format,
                         const char *text, unsigned long axis, uint64_t size)
{
    err->code = code;
    err->offset = HRY_NO_OFFSET;
    snprintf(err->message, sizeof err->message, format, (int)strcspn(text, ",]"), text,
             axis, (unsigned long long)size);
    return code;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* A number, if one is there: then *at goes behind it and *is_given is set. */
static bool number(const char **at, int64_t *out, bool *is_given)
{
    char *end;
    *at = skip_blanks(*at);
    *is_given = **at == '-' || (**at >= '0' && **at <= '9');
    if (!*is_given)
        return true;
    errno = 0;
    *out = strtoll(*at, &end, 10);
    const bool ok = errno == 0 && end != *at && end[-1] != '-';
    *at = skip_blanks(end);
    return ok;
}

/* One part: an index or up to three numbers with colons between them. */
struct part {
    int64_t number[3]; /* begin, end, step */
    bool is_given[3];
    bool is_range;
};

static bool read_part(const char **at, struct part *p)
{
    *p = (struct part){.is_range = false};
    if (!number(at, &p->number[0], &p->is_given[0]))
        return false;
    for (int i = 1; i < 3 && **at == ':'; i++) {
        p->is_range = true;
        ++*at;
        if (!number(at, &p->number[i], &p->is_given[i]))
            return false;
    }
    return (p->is_range || p->is_given[0]) && (**at == ',' || **at == '\0');
}

/* A bound of a range, cut to [low, high], which are at least -1 and at most `size`. */
static int64_t bound(const struct part *p, int i, int64_t missing, int64_t size,
                     int64_t low, int64_t high)
{
    int64_t n = p->number[i];
    if (!p->is_given[i])
        return missing;
    if (n < 0)
        n += size;
    return n < low ? low : n > high ? high : n;
}

static bool take_range(struct slice *s, uint32_t k, const struct part *p, int64_t size)
{
    const int64_t step = p->is_given[2] ? p->number[2] : 1;
    if (step == 0 || step == INT64_MIN)
        return false;
    const bool up = step > 0;
    const int64_t low = up ? 0 : -1, high = up ? size : size - 1;
    const int64_t begin = bound(p, 0, up ? 0 : size - 1, size, low, high);
    const int64_t end = bound(p, 1, up ? size : -1, size, low, high);
    const int64_t length = up ? end - begin : begin - end;
    const int64_t stride = up ? step : -step;
    s->start[k] = (uint64_t)begin;
    s->step[k] = step;
    s->count[k] = length <= 0 ? 0 : (uint64_t)((length - 1) / stride + 1);
    return true;
}

static hry_status take_part(struct slice *s, uint32_t k, const struct part *p,
                            const char *text, uint64_t size, hry_error *err)
{
    if (size > INT64_MAX)
        return refuse(err, HRY_ERR_RANGE, "'%.*s': axis %lu has %llu elements, too many",
                      text, k, size);
    if (p->is_range)
        return take_range(s, k, p, (int64_t)size)
                   ? HRY_OK
                   : refuse(err, HRY_ERR_ARG, "'%.*s': a step on axis %lu must not be 0",
                            text, k, size);
    const int64_t i = p->number[0] < 0 ? p->number[0] + (int64_t)size : p->number[0];
    if (i < 0 || (uint64_t)i >= size)
        return refuse(err, HRY_ERR_RANGE, "index %.*s is outside axis %lu, which has %llu",
                      text, k, size);
    s->start[k] = (uint64_t)i;
    s->count[k] = 1;
    s->dropped[k] = true;
    return HRY_OK;
}

/* Parts in the text, "..." not counted. */
static uint32_t count_parts(const char *text)
{
    uint32_t count = *skip_blanks(text) != '\0';
    const char *dots = strstr(text, "...");
    for (; *text != '\0'; text++)
        count += *text == ',' && *skip_blanks(text + 1) != '\0';
    return count - (dots != NULL && count > 0);
}

static void keep_axes(struct slice *s)
{
    s->kept_rank = 0;
    for (uint32_t k = 0; k < s->rank; k++)
        if (!s->dropped[k])
            s->kept[s->kept_rank++] = s->count[k];
}

hry_status slice_parse(const char *text, uint32_t rank, const uint64_t *shape,
                       struct slice *out, hry_error *err)
{
    const uint32_t parts = count_parts(text);
    const char *at = skip_blanks(text);
    uint32_t k = 0;
    bool has_dots = false;
    *out = slice_all(rank, shape);
    if (parts > rank)
        return refuse(err, HRY_ERR_ARG, "'%.*s...': more indices than the %lu axes", text,
                      rank, 0);
    while (*at != '\0') {
        struct part p;
        bool ok = true;
        const char *begin = at = skip_blanks(at);
        if (strncmp(at, "...", 3) == 0 && !has_dots) {
            has_dots = true;
            k += rank - parts;
            at = skip_blanks(at + 3);
        } else {
            ok = k < rank && read_part(&at, &p);
            const hry_status status =
                ok ? take_part(out, k, &p, begin, shape[k], err) : HRY_OK;
            if (status != HRY_OK)
                return status;
            k++;
        }
        if (!ok || (*at != ',' && *at != '\0'))
            return refuse(err, HRY_ERR_ARG,
                          "'%.*s' (axis %lu) is no index like 3, 0:10, ::2 or ...", begin,
                          k, 0);
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    keep_axes(out);
    return HRY_OK;
}

/* ---- reading elements ---- */

/* A box of the selection as boxes of the array, which are read one after another. */
struct plan {
    const struct slice *s;
    uint64_t first[HRY_MAX_RANK]; /* of the selection, on each axis of the array  */
    uint64_t count[HRY_MAX_RANK]; /* of the selection                             */
    bool is_span[HRY_MAX_RANK];   /* read from first to last, else one by one     */
    struct box box;               /* what is read                                 */
    size_t size;
    uint64_t into[HRY_MAX_RANK]; /* distance in dst, in ELEMENTS                  */
};

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? (uint64_t)-step : (uint64_t)step;
}

static void plan_axes(struct plan *p, const struct slice *s, const struct box *box)
{
    uint64_t room = SLICE_SPREAD, inner = 1;
    uint32_t kept = s->kept_rank;
    p->s = s;
    for (uint32_t k = s->rank; k-- > 0;) {
        const bool dropped = s->dropped[k];
        if (!dropped)
            kept--;
        p->first[k] = dropped ? 0 : box->start[kept];
        p->count[k] = dropped ? 1 : box->count[kept];
        p->into[k] = inner;
        inner *= p->count[k];
        const uint64_t spread = p->count[k] > 1 ? magnitude(s->step[k]) : 1;
        p->is_span[k] = spread <= room;
        if (p->is_span[k])
            room /= spread;
        p->box.count[k] = p->is_span[k] ? (p->count[k] - 1) * spread + 1 : 1;
    }
}

/* Index of the array for index i of the selection, on axis k. */
static uint64_t source_index(const struct plan *p, uint32_t k, uint64_t i)
{
    return p->s->start[k] + (uint64_t)p->s->step[k] * (p->first[k] + i);
}

static void place(struct plan *p, uint32_t k, uint64_t i)
{
    const bool ends_low = p->is_span[k] && p->s->step[k] < 0;
    p->box.start[k] = source_index(p, k, ends_low ? p->count[k] - 1 : i);
}

/* From what was read to dst: axis k of the box, of which `from` is the first element. As
 * many calls deep as there are axes. */
static void scatter(const struct plan *p, uint32_t k, const uint8_t *from, uint8_t *to)
{
    const bool is_run = k + 1 == p->s->rank && p->is_span[k] && p->s->step[k] == 1;
    if (k == p->s->rank || is_run) {
        memcpy(to, from, is_run ? p->count[k] * p->size : p->size);
        return;
    }
    uint64_t inner = p->size;
    for (uint32_t j = k + 1; j < p->s->rank; j++)
        inner *= p->box.count[j];
    const uint64_t n = p->is_span[k] ? p->count[k] : 1;
    const uint64_t spread = n > 1 ? magnitude(p->s->step[k]) : 1;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = p->s->step[k] < 0 ? n - 1 - i : i;
        scatter(p, k + 1, from + at * spread * inner, to + i * p->into[k] * p->size);
    }
}

/* One box in the order of the array. */
static bool is_plain(const struct plan *p)
{
    for (uint32_t k = 0; k < p->s->rank; k++)
        if (p->count[k] > 1 && p->s->step[k] != 1)
            return false;
    return true;
}

hry_status slice_read(const struct slice *s, const struct box *box, size_t size,
                      slice_reader read, void *ctx, void *scratch, void *dst,
                      hry_error *err)
{
    struct plan p = {.size = size};
    uint64_t at[HRY_MAX_RANK] = {0};
    plan_axes(&p, s, box);
    for (uint32_t k = 0; k < s->rank; k++) {
        if (p.count[k] == 0)
            return HRY_OK;
        place(&p, k, 0);
    }
    if (is_plain(&p))
        return read(ctx, &p.box, dst, err);
    for (;;) {
        uint64_t to = 0;
        for (uint32_t k = 0; k < s->rank; k++)
            to += at[k] * p.into[k];
        const hry_status status = read(ctx, &p.box, scratch, err);
        if (status != HRY_OK)
            return status;
        scatter(&p, 0, scratch, (uint8_t *)dst + to * size);
        uint32_t k = s->rank;
        while (k-- > 0) { /* the next one of those read one by one */
            at[k] = p.is_span[k] || at[k] + 1 == p.count[k] ? 0 : at[k] + 1;
            place(&p, k, at[k]);
            if (at[k] != 0)
                break;
        }
        if (k == UINT32_MAX)
            return HRY_OK;
    }
}
