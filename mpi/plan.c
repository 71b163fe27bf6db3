/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - where everything lies in a file that many ranks write. */
#include "plan.h"
#include "box.h"
#include "hash.h"
#include "hry/file.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Bytes a partition member's name adds at most: "/." and ten digits. */
enum { SUFFIX = 12 };

hry_status hry_plan_begin(uint32_t alignment, hry_plan *out, hry_error *err)
{
    if (alignment < 4096 || alignment > 2097152 || (alignment & (alignment - 1)) != 0)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "alignment %u: a power of two in 4096..2097152 needed", alignment);
    *out = (hry_plan){.alignment = alignment,
                      .end = HRY_FILE_HEADER_SIZE,
                      .hash = HRY_HASH_SEED ^ alignment};
    return HRY_OK;
}

static void release(hry_plan_tensor *t)
{
    free(t->name);
    free(t->parts);
    free(t->numbers);
    free(t->descriptor);
}

void hry_plan_end(hry_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        release(&plan->tensors[i]);
    free(plan->tensors);
    *plan = (hry_plan){0};
}

/* ---- what can be added ---- */

static hry_status check_descriptor(const hry_descriptor *d, hry_error *err)
{
    const uint32_t refused = HRY_HAS_SHARD | HRY_HAS_COMPOSITE_MEMBER;
    if (d->opaque || d->layout_tag != HRY_ROW_MAJOR)
        return HRY_FAIL(err, HRY_ERR_ARG, "layout 0x%02X: row-major needed", d->layout_tag);
    if (d->buffer_count != 1 || d->byte_offset != 0)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "%u buffers, byte_offset %llu: one buffer and 0 needed",
                        d->buffer_count, (unsigned long long)d->byte_offset);
    if (d->flags & refused)
        return HRY_FAIL(err, HRY_ERR_ARG, "flags 0x%X: a shard or member section",
                        d->flags);
    HRY_TRY(hry_descriptor_validate(d, err));
    const uint32_t bits = hry_descriptor_bits(d);
    if (bits > 8 && bits % 8 != 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "type of %u bits: whole bytes needed", bits);
    uint64_t count;
    return hry_descriptor_count(d, &count, err);
}

static hry_status check_partition(const hry_descriptor *d, hry_error *err)
{
    if (d->flags & (HRY_HAS_QUANTIZATION | HRY_HAS_STATISTICS))
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "flags 0x%X: quantization or statistics of a partition", d->flags);
    return HRY_OK;
}

static bool all_runs(const hry_mpi_boxes *boxes, uint32_t rank, const uint64_t *shape)
{
    for (uint32_t i = 0; i < boxes->count; i++) {
        const uint64_t *size = boxes->size + (size_t)i * rank;
        uint64_t count;
        if ((!hry_box_count(rank, size, &count) || count > 0) &&
            !hry_box_is_run(rank, size, shape))
            return false;
    }
    return true;
}

/* Boxes that become members; 0 when the tensor stays one. */
static hry_status choose(const hry_descriptor *d, const hry_mpi_boxes *boxes, int shards,
                         uint32_t *members, hry_error *err)
{
    uint64_t count = 0;
    *members = 0;
    if (boxes == NULL || d->rank == 0)
        return HRY_OK;
    HRY_TRY(hry_mpi_boxes_check(boxes, d->rank, d->shape, err));
    if (shards == HRY_PLAN_NEVER ||
        (shards == HRY_PLAN_AUTO && all_runs(boxes, d->rank, d->shape)))
        return HRY_OK;
    for (uint32_t i = 0; i < boxes->count; i++) {
        hry_box_count(d->rank, boxes->size + (size_t)i * d->rank, &count);
        *members += count > 0;
    }
    return *members > 0 ? check_partition(d, err) : HRY_OK;
}

/* ---- descriptors ---- */

static void into_head(hry_descriptor *d, uint32_t members)
{
    d->layout_tag = HRY_COMPOSITE;
    d->buffer_count = 0;
    d->fields.composite = (hry_composite){.rule = HRY_PARTITION, .member_count = members};
}

static void into_member(hry_descriptor *d, uint32_t bits, const uint64_t *start,
                        const uint64_t *size)
{
    uint64_t count = 0;
    const size_t bytes = d->rank * sizeof *d->shape;
    hry_box_count(d->rank, size, &count);
    d->flags |= HRY_HAS_SHARD;
    memcpy(d->shard.parent_shape, d->shape, bytes);
    memcpy(d->shard.offset, start, bytes);
    memcpy(d->shape, size, bytes);
    d->buffers[0].byte_size = hry_packed_size(count, bits);
}

static hry_status given(const hry_plan_tensor *t, hry_descriptor *out, hry_error *err)
{
    return hry_descriptor_decode(t->descriptor, t->descriptor_length, HRY_STRICT, out, NULL,
                                 err);
}

hry_status hry_plan_head(const hry_plan_tensor *t, hry_descriptor *out, hry_error *err)
{
    HRY_TRY(given(t, out, err));
    into_head(out, t->part_count);
    return HRY_OK;
}

hry_status hry_plan_part_descriptor(const hry_plan *plan, const hry_plan_tensor *t,
                                    uint32_t i, hry_descriptor *out, hry_error *err)
{
    HRY_TRY(given(t, out, err));
    out->buffers[0].alignment = plan->alignment;
    if (t->head_length > 0)
        into_member(out, t->bits, t->parts[i].start, t->parts[i].size);
    return HRY_OK;
}

/* ---- placing ---- */

/* `size` bytes at the first multiple of `alignment` from *end on; *end moves past them. */
static bool take(uint64_t *end, uint64_t alignment, uint64_t size, uint64_t *at)
{
    uint64_t up;
    if (__builtin_add_overflow(*end, alignment - 1, &up))
        return false;
    *at = up & ~(alignment - 1);
    return !__builtin_add_overflow(*at, size, end);
}

/* Format section 6: a head without padding; each part's descriptor, then its data. */
static hry_status place(const hry_plan *plan, hry_plan_tensor *t, uint64_t *end,
                        hry_error *err)
{
    uint64_t after;
    bool fits = true;
    if (t->head_length > 0)
        fits = take(end, 8, t->head_length, &t->head_offset);
    for (uint32_t i = 0; fits && i < t->part_count; i++) {
        hry_plan_part *const p = &t->parts[i];
        fits = take(end, 8, t->part_length, &p->descriptor_offset) &&
               take(end, plan->alignment, p->data_length, &p->data_offset);
    }
    fits = fits && take(end, 8, 0, &after) && after <= INT64_MAX;
    if (!fits)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%s: the file would pass 2^63 bytes", t->name);
    *end = after;
    return HRY_OK;
}

static void fill_parts(hry_plan_tensor *t, const hry_mpi_boxes *boxes)
{
    const size_t rank = t->rank;
    uint64_t *at = t->numbers + rank; /* numbers: the shape, then start and size a part */
    for (uint32_t i = 0, n = 0; n < t->part_count; i++) {
        uint64_t count = 0;
        hry_box_count(t->rank, boxes->size + i * rank, &count);
        if (count == 0)
            continue;
        memcpy(at, boxes->start + i * rank, rank * sizeof *at);
        memcpy(at + rank, boxes->size + i * rank, rank * sizeof *at);
        t->parts[n++] = (hry_plan_part){.data_length = hry_packed_size(count, t->bits),
                                        .start = at,
                                        .size = at + rank,
                                        .box = i};
        at += 2 * rank;
    }
}

static hry_status allocate(hry_plan_tensor *t, const char *name, hry_error *err)
{
    const size_t rank = t->rank;
    t->name = malloc(t->name_length + 1);
    t->parts = calloc(t->part_count, sizeof *t->parts);
    t->numbers = calloc(1 + rank + 2 * rank * t->part_count, sizeof *t->numbers);
    t->descriptor = malloc(t->descriptor_length);
    if (t->name == NULL || t->parts == NULL || t->numbers == NULL || t->descriptor == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "%s: no memory to plan %u parts", name,
                        t->part_count);
    memcpy(t->name, name, t->name_length + 1);
    t->shape = t->numbers;
    return HRY_OK;
}

/* Everything about the tensor but its place. On failure the caller releases it. */
static hry_status describe(const hry_descriptor *d, const char *name,
                           const hry_mpi_boxes *boxes, uint32_t members, hry_plan_tensor *t,
                           hry_error *err)
{
    *t = (hry_plan_tensor){.name_length = strlen(name),
                           .rank = d->rank,
                           .bits = hry_descriptor_bits(d),
                           .part_count = members > 0 ? members : 1,
                           .descriptor_length = hry_descriptor_size(d)};
    HRY_TRY(allocate(t, name, err));
    HRY_TRY(hry_descriptor_encode(d, t->descriptor, t->descriptor_length,
                                  &t->descriptor_length, err));
    memcpy(t->numbers, d->shape, d->rank * sizeof *d->shape);
    if (members > 0) {
        hry_descriptor changed = *d;
        into_head(&changed, members);
        t->head_length = (uint32_t)hry_descriptor_size(&changed);
        fill_parts(t, boxes);
        changed = *d;
        into_member(&changed, t->bits, t->parts[0].start, t->parts[0].size);
        t->part_length = (uint32_t)hry_descriptor_size(&changed);
    } else { /* start: the zeros after the shape */
        t->parts[0] = (hry_plan_part){.data_length = d->buffers[0].byte_size,
                                      .start = t->numbers + t->rank,
                                      .size = t->shape};
        t->part_length = (uint32_t)t->descriptor_length;
    }
    return HRY_OK;
}

static void mix(hry_plan *plan, const hry_plan_tensor *t)
{
    const size_t numbers = (1 + 2 * (size_t)t->part_count) * t->rank;
    uint64_t hash = hry_hash(plan->hash, t->name, t->name_length + 1);
    hash = hry_hash(hash, t->descriptor, t->descriptor_length);
    hash = hry_hash(hash, &t->head_length, sizeof t->head_length);
    plan->hash = hry_hash(hash, t->numbers, numbers * sizeof *t->numbers);
}

static hry_status reserve(hry_plan *plan, hry_error *err)
{
    if (plan->count < plan->capacity)
        return HRY_OK;
    const size_t capacity = plan->capacity == 0 ? 16 : plan->capacity * 2;
    hry_plan_tensor *grown = realloc(plan->tensors, capacity * sizeof *grown);
    if (grown == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "plan: no memory for %zu tensors", capacity);
    plan->tensors = grown;
    plan->capacity = capacity;
    return HRY_OK;
}

hry_status hry_plan_add(hry_plan *plan, const char *name, const hry_descriptor *d,
                        const hry_mpi_boxes *boxes, int shards, hry_error *err)
{
    const size_t length = strlen(name);
    uint32_t members;
    if (length == 0 || length > UINT16_MAX - SUFFIX)
        return HRY_FAIL(err, HRY_ERR_ARG, "name: %zu bytes, 1..%d needed", length,
                        UINT16_MAX - SUFFIX);
    HRY_TRY(check_descriptor(d, err));
    HRY_TRY(choose(d, boxes, shards, &members, err));
    HRY_TRY(reserve(plan, err));

    hry_plan_tensor *const t = &plan->tensors[plan->count];
    uint64_t end = plan->end;
    hry_status status = describe(d, name, boxes, members, t, err);
    if (status == HRY_OK)
        status = place(plan, t, &end, err);
    if (status != HRY_OK) {
        release(t);
        return status;
    }
    mix(plan, t);
    plan->end = end;
    plan->count++;
    return HRY_OK;
}

const hry_plan_part *hry_plan_find(const hry_plan_tensor *t, uint32_t box)
{
    uint32_t low = 0, high = t->part_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->parts[middle].box < box)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->part_count && t->parts[low].box == box ? &t->parts[low] : NULL;
}
