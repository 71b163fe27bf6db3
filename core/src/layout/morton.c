/* SPDX-License-Identifier: Apache-2.0 */
/* morton.c - Z-order: interleaved index bits (format section 3, decision 12). */
#include "extent.h"
#include "layout.h"

size_t hry_morton_size(const hry_descriptor *d)
{
    return (size_t)4 * d->rank;
}

hry_status hry_morton_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                             hry_error *err)
{
    (void)mode;
    for (uint32_t k = 0; k < d->rank; k++)
        d->fields.morton_bits[k] = cur_u32(c);
    return cur_ok(c, "morton_bits", err);
}

void hry_morton_encode(const hry_descriptor *d, hry_builder *b)
{
    for (uint32_t k = 0; k < d->rank; k++)
        bld_u32(b, d->fields.morton_bits[k]);
}

static hry_status check_dim(const hry_descriptor *d, const hry_places *p, uint32_t k,
                            hry_error *err)
{
    const uint32_t bits = d->fields.morton_bits[k];
    if (bits == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields + (size_t)4 * k,
                           "morton_bits[%u] is 0, must be positive", (unsigned)k);
    if (d->shape[k] != HRY_DYNAMIC && bits < 64 && d->shape[k] > UINT64_C(1) << bits)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                           "shape[%u] is %llu, above 2^%u of its morton_bits", (unsigned)k,
                           (unsigned long long)d->shape[k], (unsigned)bits);
    return HRY_OK;
}

/* The code of the last element, which is the largest; false when it passes 63 bits. */
static bool largest_code(const hry_descriptor *d, uint64_t *out)
{
    uint64_t code = 0;
    for (uint32_t k = 0; k < d->rank; k++)
        for (uint64_t last = d->shape[k] - 1, bit = k; last != 0;
             last >>= 1, bit += d->rank) {
            if ((last & 1) == 0)
                continue;
            if (bit >= 63)
                return false;
            code |= UINT64_C(1) << bit;
        }
    *out = code;
    return true;
}

/* The one to blame when codes leave the 2^sum elements. */
static uint32_t fewest_bits(const hry_descriptor *d)
{
    uint32_t fewest = 0;
    for (uint32_t k = 1; k < d->rank; k++)
        if (d->fields.morton_bits[k] < d->fields.morton_bits[fewest])
            fewest = k;
    return fewest;
}

hry_status hry_morton_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    uint64_t sum = 0, largest;
    for (uint32_t k = 0; k < d->rank; k++) {
        HRY_TRY(check_dim(d, p, k, err));
        sum += d->fields.morton_bits[k];
    }
    if (hry_is_dynamic(d) || hry_is_empty(d))
        return HRY_OK;
    if (sum > 63)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields,
                           "morton_bits add up to %llu, 2^63 elements are the most",
                           (unsigned long long)sum);
    if (!largest_code(d, &largest) || largest >= UINT64_C(1) << sum) {
        const uint32_t k = fewest_bits(d);
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields + (size_t)4 * k,
                           "morton_bits[%u] is %u: codes pass the 2^%llu elements of the "
                           "buffer",
                           (unsigned)k, (unsigned)d->fields.morton_bits[k],
                           (unsigned long long)sum);
    }
    return hry_check_packed(d, p, UINT64_C(1) << sum, err);
}
