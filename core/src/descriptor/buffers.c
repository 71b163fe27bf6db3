/* SPDX-License-Identifier: Apache-2.0 */
/* buffers.c - the buffer table of a descriptor (format section 1). */
#include "checked.h"
#include "layout/layout.h"
#include "quant/quant.h"
#include "sections.h"
#include "wire.h"

/* Bytes from the start of a handle. */
enum { AT_ALIGNMENT = 8, AT_DEVICE = 12, AT_SYNC_MODE = 13, AT_MEMORY_CLASS = 14 };

enum { CPU, CUDA, ROCM, METAL, VULKAN, WEBGPU, HEXAGON, LEVEL_ZERO, OPENCL, DEVICE_COUNT };
enum {
    STANDARD = 1 << 0,
    HOST_PINNED = 1 << 1,
    UNIFIED = 1 << 2,
    PEER = 1 << 3,
    ALL_BUT_PEER = STANDARD | HOST_PINNED | UNIFIED,
    ALL = ALL_BUT_PEER | PEER
};

/* Memory classes a device can have. */
static const uint8_t classes_of[DEVICE_COUNT] = {
    [CPU] = ALL_BUT_PEER,     [CUDA] = ALL,       [ROCM] = ALL,
    [METAL] = ALL_BUT_PEER,   [VULKAN] = ALL,     [WEBGPU] = STANDARD,
    [HEXAGON] = ALL_BUT_PEER, [LEVEL_ZERO] = ALL, [OPENCL] = ALL_BUT_PEER,
};

enum { MIN_ALIGNMENT = 64, SYNC_MODE_COUNT = 3, CLASS_COUNT = 4 };

hry_status hry_buffers_decode(hry_cursor *c, hry_descriptor *d, hry_error *err)
{
    d->buffer_count = cur_u8(c);
    HRY_TRY(cur_ok(c, "buffer_count", err));
    for (uint32_t i = 0; i < d->buffer_count; i++) {
        hry_buffer_info *b = &d->buffers[i];
        b->byte_size = cur_u64(c);
        b->alignment = cur_u32(c);
        b->device = cur_u8(c);
        b->sync_mode = cur_u8(c);
        b->memory_class = cur_u8(c);
        HRY_TRY(wire_zeros(c, 1, "buffer handle", err));
    }
    return HRY_OK;
}

void hry_buffers_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u8(b, (uint8_t)d->buffer_count);
    for (uint32_t i = 0; i < d->buffer_count; i++) {
        const hry_buffer_info *info = &d->buffers[i];
        bld_u64(b, info->byte_size);
        bld_u32(b, info->alignment);
        bld_u8(b, info->device);
        bld_u8(b, info->sync_mode);
        bld_u8(b, info->memory_class);
        bld_u8(b, 0);
    }
}

static hry_status check_count(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const hry_layout *layout = hry_layout_by_tag(d->layout_tag);
    const uint32_t own = hry_layout_buffers(layout, d->rank);
    const uint32_t needed = own + hry_quant_buffers(d);
    const bool may_have_more = layout->more_buffers || d->opaque;
    if (d->buffer_count > HRY_MAX_BUFFERS || d->buffer_count < needed ||
        (d->buffer_count > needed && !may_have_more))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->table,
                           "buffer_count is %u, %s of rank %u needs %u and its "
                           "quantization %u",
                           (unsigned)d->buffer_count, layout->name, (unsigned)d->rank,
                           (unsigned)own, (unsigned)(needed - own));
    return HRY_OK;
}

static hry_status check_alignment(const hry_buffer_info *b, uint32_t i, size_t at,
                                  hry_error *err)
{
    const uint32_t needed = b->byte_size > 0 ? MIN_ALIGNMENT : 1;
    if (is_power_of_two(b->alignment) && b->alignment >= needed)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_ALIGNMENT,
                       "buffer[%u].alignment is %u, must be a power of two of at least %u",
                       (unsigned)i, (unsigned)b->alignment, (unsigned)needed);
}

static bool is_private(uint8_t tag)
{
    return tag >= 0xF0 && tag <= 0xFE;
}

static bool class_fits_device(uint8_t class, uint8_t device)
{
    if (is_private(device))
        return class == 0 || is_private(class);
    return class < CLASS_COUNT && (classes_of[device] & 1u << class) != 0;
}

static hry_status check_device(const hry_buffer_info *b, uint32_t i, size_t at,
                               hry_error *err)
{
    if (b->device >= DEVICE_COUNT && !is_private(b->device))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_DEVICE,
                           "buffer[%u].device_tag 0x%02x is invalid or reserved",
                           (unsigned)i, b->device);
    if (b->sync_mode >= SYNC_MODE_COUNT || (b->device == CPU && b->sync_mode != 0))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_SYNC_MODE,
                           "buffer[%u].sync_mode is %u, must be %s", (unsigned)i,
                           b->sync_mode, b->device == CPU ? "0 on a CPU" : "0, 1 or 2");
    if (!class_fits_device(b->memory_class, b->device))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_MEMORY_CLASS,
                           "buffer[%u].memory_class 0x%02x does not exist on device 0x%02x",
                           (unsigned)i, b->memory_class, b->device);
    return HRY_OK;
}

static hry_status check_same_place(const hry_buffer_info *b, const hry_buffer_info *first,
                                   uint32_t i, size_t at, hry_error *err)
{
    if (b->device != first->device)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_DEVICE,
                           "buffer[%u].device_tag is 0x%02x, buffer[0] has 0x%02x",
                           (unsigned)i, b->device, first->device);
    if (b->memory_class != first->memory_class)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_MEMORY_CLASS,
                           "buffer[%u].memory_class is 0x%02x, buffer[0] has 0x%02x",
                           (unsigned)i, b->memory_class, first->memory_class);
    return HRY_OK;
}

static hry_status check_byte_offset(const hry_descriptor *d, const hry_places *p,
                                    hry_error *err)
{
    const bool must_be_zero = hry_layout_by_tag(d->layout_tag)->no_byte_offset;
    const uint64_t limit = must_be_zero ? 0 : d->buffers[0].byte_size;
    if (d->byte_offset <= limit)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->byte_offset,
                       "byte_offset is %llu, %s allows at most %llu",
                       (unsigned long long)d->byte_offset, hry_layout_name(d->layout_tag),
                       (unsigned long long)limit);
}

hry_status hry_buffers_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    HRY_TRY(check_count(d, p, err));
    for (uint32_t i = 0; i < d->buffer_count; i++) {
        const hry_buffer_info *b = &d->buffers[i];
        const size_t at = hry_place_of_buffer(p, i);
        HRY_TRY(check_alignment(b, i, at, err));
        HRY_TRY(check_device(b, i, at, err));
        HRY_TRY(check_same_place(b, &d->buffers[0], i, at, err));
    }
    return check_byte_offset(d, p, err);
}
