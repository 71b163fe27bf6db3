/* SPDX-License-Identifier: Apache-2.0 */
/* checked.h - size arithmetic that says when it overflows. Private to core/src. */
#ifndef HRY_CHECKED_H
#define HRY_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false, and leaves *out alone or unspecified, when the result does not fit.
 */
static inline bool checked_add(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool checked_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool checked_add_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool checked_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Up to the next multiple of `alignment`, a power of two. */
static inline bool checked_align(uint64_t n, uint64_t alignment, uint64_t *out)
{
    uint64_t sum;
    if (!checked_add(n, alignment - 1, &sum))
        return false;
    *out = sum & ~(alignment - 1);
    return true;
}

static inline bool is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Is [offset, offset + size) inside [0, limit)? Cannot overflow. */
static inline bool range_inside(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

/* `count` items of `item` bytes as a size for malloc. */
static inline bool checked_array(uint64_t count, size_t item, size_t *out)
{
    uint64_t n;
    if (!checked_mul(count, item, &n) || n > SIZE_MAX / 2)
        return false;
    *out = (size_t)n;
    return true;
}

#endif
