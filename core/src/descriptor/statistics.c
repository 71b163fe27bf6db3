/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - the statistics section, 72 advisory bytes (format section 1). */
#include "layout/layout.h"
#include "sections.h"
#include "wire.h"

/* Bytes from the start of the section. */
enum { AT_MASK = 0, AT_NNZ = 8, AT_SPARSITY = 16, AT_STDDEV = 56, AT_NM_N = 64, SIZE = 72 };

enum { KNOWN_MASK = 0x3F };

size_t hry_statistics_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_statistics_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                 hry_error *err)
{
    hry_statistics *s = &d->statistics;
    s->computed_mask = cur_u32(c);
    HRY_TRY(wire_zeros(c, 4, "statistics", err));
    s->nnz = cur_u64(c);
    s->sparsity_ratio = cur_f64(c);
    s->min = cur_f64(c);
    s->max = cur_f64(c);
    s->abs_max = cur_f64(c);
    s->mean = cur_f64(c);
    s->stddev = cur_f64(c);
    s->nm_n = cur_u8(c);
    s->nm_m = cur_u8(c);
    HRY_TRY(wire_bool(c, mode, "statistics.has_nan", &s->has_nan, err));
    HRY_TRY(wire_bool(c, mode, "statistics.has_inf", &s->has_inf, err));
    return wire_zeros(c, 4, "statistics", err);
}

void hry_statistics_encode(const hry_descriptor *d, hry_builder *b)
{
    const hry_statistics *s = &d->statistics;
    bld_u32(b, s->computed_mask);
    bld_u32(b, 0);
    bld_u64(b, s->nnz);
    bld_f64(b, s->sparsity_ratio);
    bld_f64(b, s->min);
    bld_f64(b, s->max);
    bld_f64(b, s->abs_max);
    bld_f64(b, s->mean);
    bld_f64(b, s->stddev);
    bld_u8(b, s->nm_n);
    bld_u8(b, s->nm_m);
    bld_u8(b, s->has_nan);
    bld_u8(b, s->has_inf);
    bld_u32(b, 0);
}

/* What the mask does not name may hold anything. */
hry_status hry_statistics_check(const hry_descriptor *d, const hry_places *p,
                                hry_error *err)
{
    const hry_statistics *s = &d->statistics;
    const uint32_t mask = s->computed_mask;
    const size_t at = p->section[HRY_SECTION_STATISTICS];
    if ((mask & ~(uint32_t)KNOWN_MASK) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_MASK,
                           "computed_mask is 0x%08x, reserved bits must be 0",
                           (unsigned)mask);
    if ((mask & HRY_STAT_NNZ) != 0 && hry_layout_by_tag(d->layout_tag)->is_sparse &&
        s->nnz != d->fields.sparse.nnz)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_NNZ,
                           "statistics.nnz is %llu, the layout has %llu",
                           (unsigned long long)s->nnz,
                           (unsigned long long)d->fields.sparse.nnz);
    if ((mask & HRY_STAT_SPARSITY) != 0 &&
        !(s->sparsity_ratio >= 0 && s->sparsity_ratio <= 1))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_SPARSITY,
                           "sparsity_ratio is %g, must be 0 to 1", s->sparsity_ratio);
    if ((mask & HRY_STAT_MOMENTS) != 0 && s->stddev < 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_STDDEV,
                           "stddev is %g, must not be negative", s->stddev);
    if ((mask & HRY_STAT_NM) != 0 && s->nm_n > s->nm_m)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_NM_N,
                           "nm_n is %u, must not be above nm_m %u", s->nm_n, s->nm_m);
    return HRY_OK;
}
