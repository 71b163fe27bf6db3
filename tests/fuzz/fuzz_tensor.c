/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A descriptor and the bytes of its buffers, as in a bare stream: whatever index buffers
 * and parameters say, elements are read, found, written and moved to other layouts without
 * harm; and where hry_tensor_check() finds nothing wrong, all ways agree.
 */
#include "hry/hry.h"

#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 16, MOST = 4096, WIDEST = 32 };

typedef struct input {
    hry_descriptor d;
    hry_buffer buffers[HRY_MAX_BUFFERS];
    hry_tensor t;
} input;

static void free_buffers(input *in)
{
    for (uint32_t b = 0; b < in->d.buffer_count; b++)
        free(in->buffers[b].writable);
}

/* Each buffer has exactly its bytes; those that `data` lacks are 0. */
static bool take_buffers(input *in, const uint8_t *data, size_t size)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < in->d.buffer_count; b++) {
        if (in->d.buffers[b].byte_size > MOST_BYTES - sum)
            return false;
        sum += in->d.buffers[b].byte_size;
    }
    for (uint32_t b = 0; b < in->d.buffer_count; b++) {
        const size_t want = (size_t)in->d.buffers[b].byte_size;
        const size_t n = want < size ? want : size;
        void *bytes = calloc(want > 0 ? want : 1, 1);
        must(bytes != NULL);
        if (n > 0)
            memcpy(bytes, data, n);
        data += n;
        size -= n;
        in->buffers[b] = (hry_buffer){.writable = bytes, .size = want};
    }
    in->t = (hry_tensor){
        .descriptor = &in->d, .buffers = in->buffers, .writable = in->d.buffer_count > 0};
    return true;
}

/* A box of at most MOST elements that begins at the first one, or ends at the last. */
static void choose_box(const hry_descriptor *d, bool at_end, uint64_t *start,
                       uint64_t *count)
{
    uint64_t left = MOST;
    for (uint32_t k = d->rank; k > 0; k--) {
        const uint64_t n = d->shape[k - 1] < left ? d->shape[k - 1] : left;
        count[k - 1] = n;
        start[k - 1] = at_end ? d->shape[k - 1] - n : 0;
        left = n > 0 ? left / n : left;
    }
}

/* Every corner of the box is found, and a stored one has the bytes that were read. */
static void find_corner(const input *in, const uint64_t *start, const uint8_t *read,
                        bool is_good)
{
    hry_found f;
    const uint32_t width = hry_region_element(&in->d);
    const hry_status status = hry_element_find(&in->t, in->d.rank, start, &f, NULL);
    if (!is_good)
        return;
    must(status == HRY_OK);
    if (f.stored && hry_descriptor_bits(&in->d) >= 8) {
        const uint8_t *bytes = in->buffers[0].bytes;
        must(memcmp(bytes + f.place.byte, read, width) == 0);
    }
}

/* What was read may be written back, and then nothing has changed. */
static void write_back(input *in, const uint64_t *start, const uint64_t *count,
                       const uint8_t *read, bool is_good)
{
    const size_t size = (size_t)in->buffers[0].size;
    uint8_t *before = malloc(size > 0 ? size : 1);
    must(before != NULL);
    if (size > 0)
        memcpy(before, in->buffers[0].bytes, size);
    const hry_status status = hry_region_write(&in->t, start, count, read, NULL);
    if (is_good) {
        must(status == HRY_OK);
        must(size == 0 || memcmp(before, in->buffers[0].bytes, size) == 0);
    }
    if (size > 0)
        memcpy(in->buffers[0].writable, before, size);
    free(before);
}

/* The same elements in another layout, where that is possible. */
static void transcode(const input *in, uint8_t layout, const uint64_t *start,
                      const uint64_t *count, const uint8_t *read, size_t size, bool is_good)
{
    static hry_descriptor like;
    static uint8_t again[MOST * WIDEST];
    hry_transcoded *other;
    like.layout_tag = layout;
    if (hry_transcode(&in->t, &like, MOST_BYTES, &other, NULL) != HRY_OK)
        return;
    if (is_good) {
        const hry_tensor *t = hry_transcoded_tensor(other);
        must(hry_descriptor_validate(t->descriptor, NULL) == HRY_OK);
        must(hry_tensor_check(t, HRY_PERMISSIVE, NULL) == HRY_OK);
        must(hry_region_read(t, start, count, again, NULL) == HRY_OK);
        must(memcmp(again, read, size) == 0);
    }
    hry_transcoded_free(other);
}

static void read_box(input *in, bool at_end, bool is_good)
{
    static uint8_t read[MOST * WIDEST];
    static float numbers[MOST];
    static const uint8_t layouts[] = {HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_COO,
                                      HRY_CSR,       HRY_CSC,          HRY_HILBERT};
    uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK], size;
    choose_box(&in->d, at_end, start, count);
    if (hry_region_size(&in->d, count, &size, NULL) != HRY_OK || size > sizeof read)
        return;
    const hry_status status = hry_region_read(&in->t, start, count, read, NULL);
    if (status == HRY_ERR_UNSUPPORTED) /* a private layout, pages of unknown lengths */
        return;
    must(!is_good || status == HRY_OK);
    if (status != HRY_OK)
        return;
    if (size > 0)
        find_corner(in, start, read, is_good);
    write_back(in, start, count, read, is_good);
    if ((in->d.flags & HRY_HAS_QUANTIZATION) != 0)
        must(hry_dequantize(&in->t, start, count, numbers, NULL) == HRY_OK || !is_good);
    for (size_t i = 0; i < sizeof layouts; i++)
        transcode(in, layouts[i], start, count, read, (size_t)size, is_good);
}

static bool is_dynamic(const hry_descriptor *d)
{
    bool found = false;
    for (uint32_t k = 0; k < d->rank; k++)
        found |= d->shape[k] == HRY_DYNAMIC;
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    size_t length;
    if (hry_descriptor_decode(data, size, HRY_STRICT, &in.d, &length, NULL) != HRY_OK ||
        !take_buffers(&in, data + length, size - length))
        return 0;
    const bool is_good = hry_tensor_check(&in.t, HRY_PERMISSIVE, NULL) == HRY_OK;
    must(is_good || hry_tensor_check(&in.t, HRY_STRICT, NULL) != HRY_OK);
    (void)hry_quant_check(&in.t, HRY_STRICT, NULL);
    if (in.d.layout_tag != HRY_COMPOSITE && !is_dynamic(&in.d)) {
        uint64_t elements;
        hry_statistics statistics;
        read_box(&in, false, is_good);
        read_box(&in, true, is_good);
        if (hry_descriptor_count(&in.d, &elements, NULL) == HRY_OK && elements <= MOST)
            (void)hry_statistics_compute(&in.t, &statistics, NULL);
    }
    free_buffers(&in);
    return 0;
}
