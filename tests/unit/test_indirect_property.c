/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes of sparse and paged tensors: for random types, shapes, elements and boxes, what is
 * read, found and written agrees with the plain array.
 */
#include "cmocka_all.h"
#include "dense.h"
#include "random.h"

#include "hry/pack.h"
#include "hry/region.h"
#include "hry/transcode.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400, BOXES = 6, SIDE = 9, MOST = SIDE * SIDE * SIDE * SIDE, WIDEST = 16 };

static hry_error err;
static random_state r = {.s = 7};

/* The plain array, one element in whole bytes after another. */
typedef struct array {
    hry_descriptor d; /* row-major */
    uint32_t width;   /* of an element, in BYTES */
    uint64_t count;
    uint8_t bytes[MOST * WIDEST];
    uint8_t packed[MOST * WIDEST]; /* as stored */
} array;

static array a;
static uint8_t box_bytes[MOST * WIDEST], got[MOST * WIDEST];
static const uint64_t origin[4];

static void random_element(uint8_t *out)
{
    const uint32_t bits = hry_descriptor_bits(&a.d);
    for (uint32_t i = 0; i < a.width; i++)
        out[i] = (uint8_t)random_next(&r);
    if (bits < 8)
        out[0] &= (uint8_t)((1u << bits) - 1);
    out[0] |= 1; /* is stored */
}

static void make_array(void)
{
    static const uint8_t types[] = {HRY_BOOL,    HRY_UINT2,       HRY_INT4,
                                    HRY_INT8,    HRY_FLOAT6_E2M3, HRY_INT16,
                                    HRY_FLOAT32, HRY_COMPLEX128};
    const uint32_t rank = (uint32_t)random_in(&r, 1, 4);
    const uint8_t type = types[random_in(&r, 0, sizeof types - 1)];
    const uint64_t density = random_in(&r, 0, 4);
    uint64_t shape[4];
    for (uint32_t k = 0; k < rank; k++)
        shape[k] = random_in(&r, 1, SIDE);
    assert_ok(hry_descriptor_dense(type, rank, shape, &a.d, &err), &err);
    assert_ok(hry_descriptor_count(&a.d, &a.count, &err), &err);
    a.width = hry_region_element(&a.d);
    memset(a.bytes, 0, sizeof a.bytes);
    memset(a.packed, 0, sizeof a.packed);
    for (uint64_t i = 0; i < a.count; i++)
        if (random_in(&r, 0, 3) < density)
            random_element(a.bytes + i * a.width);
    const hry_buffer buffer = {.writable = a.packed, .size = sizeof a.packed};
    const hry_tensor t = {.descriptor = &a.d, .buffers = &buffer, .writable = true};
    assert_ok(hry_region_write(&t, origin, shape, a.bytes, &err), &err);
}

static uint64_t flat(const uint64_t *index)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < a.d.rank; k++)
        at = at * a.d.shape[k] + index[k];
    return at;
}

/* Visits the indices of a box in row-major order; false after the last. */
static bool next_in_box(uint64_t *index, const uint64_t *start, const uint64_t *count)
{
    for (uint32_t k = a.d.rank; k-- > 0; index[k] = start[k])
        if (++index[k] < start[k] + count[k])
            return true;
    return false;
}

static uint64_t random_box(uint64_t *start, uint64_t *count)
{
    uint64_t elements = 1;
    for (uint32_t k = 0; k < a.d.rank; k++) {
        start[k] = random_in(&r, 0, a.d.shape[k] - 1);
        count[k] = random_in(&r, 1, a.d.shape[k] - start[k]);
        elements *= count[k];
    }
    return elements;
}

/* Between the array and box_bytes. */
static void copy_box(const uint64_t *start, const uint64_t *count, bool into_array)
{
    uint64_t index[4];
    uint8_t *at = box_bytes;
    memcpy(index, start, sizeof index);
    do {
        uint8_t *element = a.bytes + flat(index) * a.width;
        memcpy(into_array ? element : at, into_array ? at : element, a.width);
        at += a.width;
    } while (next_in_box(index, start, count));
}

static bool is_zero(const uint8_t *element)
{
    static const uint8_t zero[WIDEST];
    return memcmp(element, zero, a.width) == 0;
}

static void reads_boxes(const hry_tensor *t)
{
    uint64_t start[4] = {0}, count[4] = {0};
    for (int i = 0; i < BOXES; i++) {
        const uint64_t elements = random_box(start, count);
        copy_box(start, count, false);
        assert_ok(hry_region_read(t, start, count, got, &err), &err);
        assert_memory_equal(got, box_bytes, elements * a.width);
    }
}

static void finds_elements(const hry_tensor *t)
{
    const bool is_paged = t->descriptor->layout_tag == HRY_BLOCK_PAGED;
    uint64_t index[4] = {0};
    uint8_t code;
    do {
        const uint8_t *want = a.bytes + flat(index) * a.width;
        hry_found f;
        assert_ok(hry_element_find(t, a.d.rank, index, &f, &err), &err);
        assert_int_equal(f.stored, is_paged || !is_zero(want));
        if (!f.stored)
            continue;
        const uint32_t bits = hry_descriptor_bits(&a.d);
        if (bits >= 8) {
            assert_memory_equal((const uint8_t *)t->buffers[0].bytes + f.place.byte, want,
                                a.width);
            continue;
        }
        assert_ok(hry_unpack(bits, t->buffers[0].bytes, f.position, &code, 1, &err), &err);
        assert_int_equal(code, *want);
    } while (next_in_box(index, origin, a.d.shape));
}

/* New elements where some are stored; the array follows. */
static void writes_boxes(const hry_tensor *t)
{
    uint64_t start[4] = {0}, count[4] = {0};
    for (int i = 0; i < BOXES; i++) {
        const uint64_t elements = random_box(start, count);
        copy_box(start, count, false);
        for (uint64_t e = 0; e < elements; e++)
            if (!is_zero(box_bytes + e * a.width))
                random_element(box_bytes + e * a.width);
        copy_box(start, count, true);
        assert_ok(hry_region_write(t, start, count, box_bytes, &err), &err);
        assert_ok(hry_region_read(t, origin, a.d.shape, got, &err), &err);
        assert_memory_equal(got, a.bytes, a.count * a.width);
    }
}

/* What has no place is not written, and nothing else of that box is. */
static void keeps_its_structure(const hry_tensor *t)
{
    uint64_t i = 0;
    while (i < a.count && !is_zero(a.bytes + i * a.width))
        i++;
    if (i == a.count || t->descriptor->layout_tag == HRY_BLOCK_PAGED)
        return;
    memcpy(box_bytes, a.bytes, a.count * a.width);
    for (uint64_t e = 0; e < a.count; e++)
        if (e == i || !is_zero(box_bytes + e * a.width))
            random_element(box_bytes + e * a.width);
    assert_int_equal(hry_region_write(t, origin, a.d.shape, box_bytes, &err),
                     HRY_ERR_UNSUPPORTED);
    assert_ok(hry_region_read(t, origin, a.d.shape, got, &err), &err);
    assert_memory_equal(got, a.bytes, a.count * a.width);
}

/* The entries in any order, not marked as sorted. */
static void shuffle(const hry_tensor *t, hry_descriptor *d)
{
    const uint32_t row = a.d.rank * 8;
    uint8_t *values = t->buffers[0].writable, *indices = t->buffers[1].writable;
    uint8_t kept[64];
    d->fields.sparse.is_sorted = false;
    for (uint64_t n = d->fields.sparse.nnz; n > 1; n--) {
        const uint64_t other = random_in(&r, 0, n - 1);
        memcpy(kept, values + (n - 1) * a.width, a.width);
        memmove(values + (n - 1) * a.width, values + other * a.width, a.width);
        memcpy(values + other * a.width, kept, a.width);
        memcpy(kept, indices + (n - 1) * row, row);
        memmove(indices + (n - 1) * row, indices + other * row, row);
        memcpy(indices + other * row, kept, row);
    }
}

static void check_tensor(const hry_tensor *t)
{
    assert_ok(hry_tensor_check(t, HRY_STRICT, &err), &err);
    reads_boxes(t);
    finds_elements(t);
    writes_boxes(t);
    keeps_its_structure(t);
}

static void check_layout(const hry_descriptor *like)
{
    const hry_buffer buffer = {.bytes = a.packed, .size = sizeof a.packed};
    const hry_tensor from = {.descriptor = &a.d, .buffers = &buffer};
    static uint8_t kept[MOST * WIDEST];
    hry_transcoded *made;
    memcpy(kept, a.bytes, sizeof kept);
    assert_ok(hry_transcode(&from, like, 0, &made, &err), &err);
    const hry_tensor *t = hry_transcoded_tensor(made);
    check_tensor(t);
    if (like->layout_tag == HRY_COO && hry_descriptor_bits(&a.d) >= 8) {
        hry_descriptor d = *t->descriptor;
        hry_tensor any_order = *t;
        shuffle(t, &d);
        any_order.descriptor = &d;
        check_tensor(&any_order);
    }
    hry_transcoded_free(made);
    memcpy(a.bytes, kept, sizeof kept);
}

static void boxes_agree_with_the_array(void **state)
{
    (void)state;
    static const uint8_t layouts[] = {HRY_COO, HRY_CSR, HRY_CSC, HRY_CSF, HRY_BLOCK_PAGED};
    int seen[256] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        make_array();
        for (size_t i = 0; i < sizeof layouts; i++) {
            hry_descriptor like = {.layout_tag = layouts[i]};
            const bool is_matrix = layouts[i] == HRY_CSR || layouts[i] == HRY_CSC;
            if ((is_matrix && a.d.rank != 2) || (layouts[i] == HRY_CSF && a.d.rank < 3) ||
                (layouts[i] == HRY_BLOCK_PAGED && a.d.rank != 3))
                continue;
            if (layouts[i] == HRY_BLOCK_PAGED)
                like.fields.paged = (hry_block_paged){
                    .page_size = (uint32_t)random_in(&r, 1, 4), .layer = UINT32_MAX};
            for (uint32_t k = 0; layouts[i] == HRY_CSF && k < a.d.rank; k++)
                like.fields.sparse.mode_order[k] = (k + (uint32_t)round) % a.d.rank;
            check_layout(&like);
            seen[layouts[i]]++;
        }
    }
    for (size_t i = 0; i < sizeof layouts; i++)
        assert_true(seen[layouts[i]] > ROUNDS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_agree_with_the_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
