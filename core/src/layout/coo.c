/* SPDX-License-Identifier: Apache-2.0 */
/* coo.c - values and their index tuples (format section 3). */
#include "descriptor/wire.h"
#include "layout.h"
#include "sparse.h"

enum { RESERVED = 7, SIZE = 16 };

size_t hry_coo_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_coo_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err)
{
    d->fields.sparse.nnz = cur_u64(c);
    HRY_TRY(wire_bool(c, mode, "is_sorted", &d->fields.sparse.is_sorted, err));
    return wire_zeros(c, RESERVED, "coo", err);
}

void hry_coo_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u64(b, d->fields.sparse.nnz);
    bld_u8(b, d->fields.sparse.is_sorted);
    bld_zeros(b, RESERVED);
}

hry_status hry_coo_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    return hry_check_nnz(d, p, 1, d->rank, err);
}
