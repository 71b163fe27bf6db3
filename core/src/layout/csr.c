/* SPDX-License-Identifier: Apache-2.0 */
/* csr.c - compressed rows (CSR) or columns (CSC) of a matrix (format section 3). */
#include "descriptor/wire.h"
#include "layout.h"
#include "sparse.h"

enum { VALUES, INDICES, POINTERS };
enum { RESERVED = 8, SIZE = 16 };

size_t hry_csr_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_csr_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err)
{
    (void)mode;
    d->fields.sparse.nnz = cur_u64(c);
    return wire_zeros(c, RESERVED, "compressed rows or columns", err);
}

void hry_csr_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u64(b, d->fields.sparse.nnz);
    bld_zeros(b, RESERVED);
}

hry_status hry_csr_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const uint64_t lines = d->shape[d->layout_tag == HRY_CSR ? 0 : 1];
    HRY_TRY(hry_check_nnz(d, p, INDICES, 1, err));
    if (lines == HRY_DYNAMIC)
        return HRY_OK;
    return hry_check_entries(d, p, POINTERS, lines + 1, HRY_INDEX_SIZE, err);
}
