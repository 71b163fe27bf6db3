/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c - what the sparse layouts check alike (format section 3). */
#include "sparse.h"

hry_status hry_check_entries(const hry_descriptor *d, const hry_places *p, uint32_t i,
                             uint64_t count, uint32_t item, hry_error *err)
{
    uint64_t needed;
    if (checked_mul(count, item, &needed) && d->buffers[i].byte_size == needed)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_buffer(p, i),
                       "buffer[%u].byte_size is %llu, must hold %llu entries of %u bytes",
                       (unsigned)i, (unsigned long long)d->buffers[i].byte_size,
                       (unsigned long long)count, (unsigned)item);
}

hry_status hry_check_nnz(const hry_descriptor *d, const hry_places *p, uint32_t i,
                         uint32_t per_entry, hry_error *err)
{
    const uint64_t nnz = d->fields.sparse.nnz;
    const uint64_t values = hry_packed_size(nnz, hry_descriptor_bits(d));
    uint64_t count, index;
    if (!checked_mul(nnz, (uint64_t)HRY_INDEX_SIZE * per_entry, &index) ||
        values == UINT64_MAX ||
        (values > d->buffers[0].byte_size && index != d->buffers[i].byte_size))
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, p->fields,
            "nnz is %llu, buffers of %llu and %llu bytes do not hold as many",
            (unsigned long long)nnz, (unsigned long long)d->buffers[0].byte_size,
            (unsigned long long)d->buffers[i].byte_size);
    if (!hry_is_dynamic(d) && hry_product(d->shape, d->rank, &count) && nnz > count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields,
                           "nnz is %llu, the tensor has %llu elements",
                           (unsigned long long)nnz, (unsigned long long)count);
    if (values > d->buffers[0].byte_size)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_buffer(p, 0),
                           "buffer[0].byte_size is %llu, nnz %llu needs %llu",
                           (unsigned long long)d->buffers[0].byte_size,
                           (unsigned long long)nnz, (unsigned long long)values);
    return hry_check_entries(d, p, i, nnz * per_entry, HRY_INDEX_SIZE, err);
}
