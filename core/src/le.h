/* SPDX-License-Identifier: Apache-2.0 */
/* le.h - the host's order to little-endian and back. Private to core/src. */
#ifndef HRY_LE_H
#define HRY_LE_H

#include <stdint.h>

/*
 * So that the first n bytes of the result in memory are the n low bytes of `v`, lowest
 * first; and, applied to n such bytes followed by zeros, back again.
 */
static inline uint64_t le64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}

#endif
