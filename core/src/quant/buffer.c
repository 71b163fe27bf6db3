/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c - shared memory with a count of owners (hry/buffer.h). */
#include "hry/buffer.h"

#include "checked.h"
#include "fail.h"

#include <stdatomic.h>
#include <stdlib.h>

struct hry_shared_buffer {
    atomic_size_t owners; /* >= 1 while the buffer lives */
    void *data;
    uint64_t size;
    uint32_t alignment;
    bool read_only;
    hry_release release;
    void *ctx;
};

static void release_own(void *ctx, void *data)
{
    (void)ctx;
    free(data);
}

static hry_status check_alignment(uint32_t *alignment, hry_error *err)
{
    if (*alignment == 0)
        *alignment = HRY_BUFFER_ALIGNMENT;
    if (!is_power_of_two(*alignment) || *alignment < HRY_BUFFER_ALIGNMENT)
        return HRY_FAIL(err, HRY_ERR_ARG, "alignment %u: a power of two >= %d needed",
                        *alignment, HRY_BUFFER_ALIGNMENT);
    return HRY_OK;
}

hry_status hry_buffer_wrap(void *data, uint64_t size, const hry_wrap *how,
                           hry_shared_buffer **out, hry_error *err)
{
    uint32_t alignment = how->alignment;
    HRY_TRY(check_alignment(&alignment, err));
    if (data == NULL && size > 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "no address for %llu bytes",
                        (unsigned long long)size);
    if ((uintptr_t)data % alignment != 0)
        return HRY_FAIL(err, HRY_ERR_RANGE, "address %p: alignment to %u bytes needed",
                        data, alignment);
    hry_shared_buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a buffer handle");
    *buffer = (hry_shared_buffer){.data = data,
                                  .size = size,
                                  .alignment = alignment,
                                  .read_only = how->read_only,
                                  .release = how->release,
                                  .ctx = how->ctx};
    atomic_init(&buffer->owners, 1);
    *out = buffer;
    return HRY_OK;
}

hry_status hry_buffer_new(uint64_t size, uint32_t alignment, hry_shared_buffer **out,
                          hry_error *err)
{
    void *data = NULL;
    uint64_t rounded;
    HRY_TRY(check_alignment(&alignment, err));
    if (!checked_align(size, alignment, &rounded) || rounded > SIZE_MAX / 2)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a buffer of %llu bytes",
                        (unsigned long long)size);
    if (size > 0)
        data = aligned_alloc(alignment, (size_t)rounded);
    if (size > 0 && data == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a buffer of %llu bytes",
                        (unsigned long long)size);
    const hry_wrap how = {.alignment = alignment, .release = release_own};
    const hry_status status = hry_buffer_wrap(data, size, &how, out, err);
    if (status != HRY_OK)
        free(data);
    return status;
}

hry_shared_buffer *hry_buffer_share(hry_shared_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->owners, 1, memory_order_relaxed);
    return buffer;
}

void hry_buffer_free(hry_shared_buffer *buffer)
{
    if (buffer == NULL)
        return;
    /* What this owner wrote is released; the last one acquires what all others wrote. */
    if (atomic_fetch_sub_explicit(&buffer->owners, 1, memory_order_acq_rel) != 1)
        return;
    if (buffer->release != NULL)
        buffer->release(buffer->ctx, buffer->data);
    free(buffer);
}

const void *hry_buffer_data(const hry_shared_buffer *buffer)
{
    return buffer->data;
}

void *hry_buffer_edit(hry_shared_buffer *buffer)
{
    return buffer->read_only ? NULL : buffer->data;
}

uint64_t hry_buffer_size(const hry_shared_buffer *buffer)
{
    return buffer->size;
}

uint32_t hry_buffer_alignment(const hry_shared_buffer *buffer)
{
    return buffer->alignment;
}

hry_buffer hry_buffer_view(const hry_shared_buffer *buffer)
{
    return (hry_buffer){.bytes = buffer->data, .size = buffer->size};
}

hry_buffer_info hry_buffer_describe(const hry_shared_buffer *buffer)
{
    return (hry_buffer_info){.byte_size = buffer->size, .alignment = buffer->alignment};
}
