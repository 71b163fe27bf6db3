/* SPDX-License-Identifier: Apache-2.0 */
/* transcode.c - a tensor in another layout: what to keep, and which way to go. */
#include "transcode.h"

#include "address/map.h"
#include "checked.h"
#include "fail.h"
#include "hry/region.h"
#include "layout/extent.h"
#include "layout/layout.h"
#include "region/entries.h"
#include "slabs.h"

#include <stdlib.h>
#include <string.h>

#define SLAB_BYTES (1 << 20)

const hry_tensor *hry_transcoded_tensor(const hry_transcoded *t)
{
    return &t->tensor;
}

void hry_transcoded_free(hry_transcoded *t)
{
    if (t == NULL)
        return;
    for (uint32_t b = 0; b < HRY_MAX_BUFFERS; b++)
        free(t->buffers[b].writable);
    free(t);
}

static uint32_t layout_buffers(const hry_descriptor *d)
{
    return hry_layout_buffers(hry_layout_by_tag(d->layout_tag), d->rank);
}

/* Moves a parameter buffer's number from the source's table to the result's. */
static uint32_t renumber(uint32_t b, const hry_descriptor *from, const hry_descriptor *to)
{
    return b == HRY_NO_BUFFER ? b : b - layout_buffers(from) + layout_buffers(to);
}

static bool is_known(const hry_descriptor *d)
{
    return !d->opaque &&
           (hry_layout_is_dense(d->layout_tag) || hry_layout_is_sparse(d->layout_tag) ||
            d->layout_tag == HRY_BLOCK_PAGED);
}

static hry_status check_sections(const hry_descriptor *from, const hry_descriptor *like,
                                 hry_error *err)
{
    const bool in_blocks = (from->flags & HRY_HAS_QUANTIZATION) != 0 &&
                           from->quantization.scheme > HRY_QUANT_PER_CHANNEL;
    if (!is_known(from) || !is_known(like))
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "layout 0x%02x to layout 0x%02x",
                        (unsigned)from->layout_tag, (unsigned)like->layout_tag);
    if (in_blocks &&
        !(hry_layout_is_dense(from->layout_tag) && hry_layout_is_dense(like->layout_tag)))
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "quantization scheme %u between layouts 0x%02x and 0x%02x",
                        (unsigned)from->quantization.scheme, (unsigned)from->layout_tag,
                        (unsigned)like->layout_tag);
    if ((from->flags & hry_layout_by_tag(like->layout_tag)->forbidden_flags) != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "the tensor has a section that layout 0x%02x cannot have",
                        (unsigned)like->layout_tag);
    return HRY_OK;
}

/* Everything of the result but what depends on sizes. */
static hry_status describe(const hry_descriptor *from, const hry_descriptor *like,
                           hry_descriptor *d, hry_error *err)
{
    *d = *from;
    d->layout_tag = like->layout_tag;
    d->fields = like->fields;
    d->byte_offset = 0;
    const uint32_t own = layout_buffers(d);
    if ((d->flags & HRY_HAS_QUANTIZATION) != 0) {
        d->quantization.scale_buffer = renumber(from->quantization.scale_buffer, from, d);
        d->quantization.zero_buffer = renumber(from->quantization.zero_buffer, from, d);
    }
    const uint32_t parameters = from->buffer_count - layout_buffers(from);
    if (own + parameters > HRY_MAX_BUFFERS)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%u buffers", (unsigned)(own + parameters));
    d->buffer_count = own + parameters;
    memset(d->buffers, 0, sizeof d->buffers);
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const uint32_t there = b - own + layout_buffers(from);
        d->buffers[b].alignment = 64;
        if (b >= own)
            d->buffers[b].byte_size = from->buffers[there].byte_size;
    }
    return HRY_OK;
}

static hry_status copy_parameters(hry_transcoded *t, const hry_tensor *src, hry_error *err)
{
    const uint32_t own = layout_buffers(&t->d);
    for (uint32_t b = own; b < t->d.buffer_count; b++) {
        const hry_buffer *from = &src->buffers[b - own + layout_buffers(src->descriptor)];
        const uint64_t size = t->d.buffers[b].byte_size;
        if (from->size < size)
            return HRY_FAIL(err, HRY_ERR_TRUNCATED,
                            "a parameter buffer of %llu bytes, its handle says %llu",
                            (unsigned long long)from->size, (unsigned long long)size);
        if (size > 0)
            memcpy(t->buffers[b].writable, from->bytes, (size_t)size);
    }
    return HRY_OK;
}

hry_status hry_transcoded_allocate(hry_transcoded *t, const hry_tensor *src, uint64_t limit,
                                   hry_error *err)
{
    uint64_t total = 0;
    for (uint32_t b = 0; b < t->d.buffer_count; b++)
        if (!checked_add(total, t->d.buffers[b].byte_size, &total))
            total = UINT64_MAX;
    if (total == UINT64_MAX || (limit > 0 && total > limit))
        return HRY_FAIL(err, HRY_ERR_RANGE, "the result has %llu bytes, %llu are allowed",
                        (unsigned long long)total, (unsigned long long)limit);
    HRY_TRY(hry_descriptor_validate(&t->d, err));
    for (uint32_t b = 0; b < t->d.buffer_count; b++) {
        const uint64_t size = t->d.buffers[b].byte_size;
        void *bytes = NULL;
        size_t n;
        if (size > 0 && (!checked_array(size, 1, &n) || (bytes = calloc(1, n)) == NULL))
            return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a buffer of %llu bytes",
                            (unsigned long long)size);
        t->buffers[b] = (hry_buffer){.writable = bytes, .size = size};
    }
    return copy_parameters(t, src, err);
}

/* Is the whole buffer the row-major array of whole bytes that a region is? */
static const uint8_t *as_array(const hry_tensor *t)
{
    const hry_descriptor *d = t->descriptor;
    if (d->layout_tag != HRY_ROW_MAJOR || hry_descriptor_bits(d) < 8)
        return NULL;
    uint64_t need;
    for (uint32_t k = 0; k < d->rank; k++)
        if (hry_stored_dim(d, k) != d->shape[k])
            return NULL;
    if (hry_region_size(d, d->shape, &need, NULL) != HRY_OK ||
        !range_inside(d->byte_offset, need, t->buffers[0].size))
        return NULL;
    return (const uint8_t *)t->buffers[0].bytes + d->byte_offset;
}

static hry_status copy_slabs(const hry_tensor *src, const hry_tensor *dst, hry_error *err)
{
    const hry_descriptor *d = src->descriptor;
    const uint32_t element = hry_region_element(d);
    hry_slabs s;
    const uint64_t limit = element < SLAB_BYTES ? SLAB_BYTES / element : 1;
    if (!slabs_first(&s, d->rank, d->shape, limit))
        return HRY_OK;
    void *array = malloc((size_t)s.size * element);
    if (array == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu elements",
                        (unsigned long long)s.size);
    hry_status status;
    do {
        status = hry_region_read(src, s.start, s.count, array, err);
        if (status == HRY_OK)
            status = hry_region_write(dst, s.start, s.count, array, err);
    } while (status == HRY_OK && slabs_next(&s));
    free(array);
    return status;
}

static hry_status copy_elements(const hry_tensor *src, const hry_tensor *dst,
                                hry_error *err)
{
    static const uint64_t origin[HRY_MAX_RANK];
    const uint64_t *shape = src->descriptor->shape;
    if (hry_is_empty(src->descriptor))
        return HRY_OK;
    if (as_array(dst) != NULL)
        return hry_region_read(
            src, origin, shape,
            (uint8_t *)dst->buffers[0].writable + dst->descriptor->byte_offset, err);
    if (as_array(src) != NULL)
        return hry_region_write(dst, origin, shape, as_array(src), err);
    return copy_slabs(src, dst, err);
}

/* One sequence: its pages in order. */
static void fill_page_table(hry_transcoded *t)
{
    const hry_block_paged *f = &t->d.fields.paged;
    const size_t width = f->index_type == 0 ? 4 : 8;
    uint8_t *table = t->buffers[1].writable;
    for (uint64_t page = 0; page < f->num_pages; page++)
        memcpy(table + page * width, &page, width);
    memcpy((uint8_t *)t->buffers[2].writable + width, &f->num_pages, width);
}

/* A few bytes may be enormously many elements where these share storage. */
static hry_status check_work(const hry_descriptor *from, uint64_t limit, hry_error *err)
{
    uint64_t count;
    HRY_TRY(hry_descriptor_count(from, &count, err));
    const uint64_t size = hry_packed_size(count, hry_descriptor_bits(from));
    if (limit > 0 && size > limit && size > from->buffers[0].byte_size)
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "%llu elements in a buffer of %llu bytes, %llu bytes are allowed",
                        (unsigned long long)count,
                        (unsigned long long)from->buffers[0].byte_size,
                        (unsigned long long)limit);
    return HRY_OK;
}

static hry_status fill(hry_transcoded *t, const hry_tensor *src, uint64_t limit,
                       hry_error *err)
{
    const bool from_sparse = hry_layout_is_sparse(src->descriptor->layout_tag);
    const bool to_sparse = hry_layout_is_sparse(t->d.layout_tag);
    const bool to_dense = hry_layout_is_dense(t->d.layout_tag);
    if (!from_sparse)
        HRY_TRY(check_work(src->descriptor, limit, err));
    if (!to_sparse) {
        HRY_TRY(to_dense ? hry_plan_dense(&t->d, err) : hry_plan_paged(&t->d, err));
        HRY_TRY(hry_transcoded_allocate(t, src, limit, err));
        if (!to_dense)
            fill_page_table(t);
        if (!from_sparse || !to_dense)
            return copy_elements(src, &t->tensor, err);
    }
    hry_entry_set set;
    hry_status status = hry_entry_set_collect(src, &set, err);
    if (status == HRY_OK)
        status = to_sparse ? hry_entry_set_build(&set, t, src, limit, err)
                           : hry_entry_set_scatter(&set, t, err);
    hry_entry_set_free(&set);
    return status;
}

hry_status hry_transcode(const hry_tensor *src, const hry_descriptor *like, uint64_t limit,
                         hry_transcoded **out, hry_error *err)
{
    const hry_descriptor *from = src->descriptor;
    HRY_TRY(check_sections(from, like, err));
    for (uint32_t k = 0; k < from->rank; k++)
        if (from->shape[k] == HRY_DYNAMIC)
            return HRY_FAIL(err, HRY_ERR_RANGE, "dimension %u is dynamic", (unsigned)k);
    hry_transcoded *t = calloc(1, sizeof *t);
    if (t == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a tensor");
    t->tensor = (hry_tensor){.descriptor = &t->d, .buffers = t->buffers, .writable = true};
    hry_status status = describe(from, like, &t->d, err);
    if (status == HRY_OK)
        status = fill(t, src, limit, err);
    if (status == HRY_OK)
        *out = t;
    else
        hry_transcoded_free(t);
    return status;
}
