/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors made by programs, and what permissive readers keep. */
#include "hry/descriptor.h"

#include "cmocka_all.h"
#include "random_descriptor.h"

#include <string.h>

static void make_matrix(hry_descriptor *d)
{
    hry_error err;
    memset(d, 0xA5, sizeof *d); /* what does not mean anything must not matter */
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 2, (const uint64_t[]){3, 4}, d, &err),
              &err);
}

static void is_refused_at(const hry_descriptor *d, hry_status want, uint64_t offset)
{
    hry_error err;
    uint8_t out[4096];
    size_t length;
    assert_status(want, hry_descriptor_validate(d, &err), &err);
    assert_int_equal(err.offset, offset);
    assert_status(want, hry_descriptor_encode(d, out, sizeof out, &length, &err), &err);
}

static void makes_dense_descriptors(void **state)
{
    (void)state;
    hry_descriptor d;
    hry_error err;
    uint64_t count;
    make_matrix(&d);
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    assert_int_equal(d.buffers[0].byte_size, 48);
    assert_int_equal(d.buffers[0].alignment, 64);
    assert_int_equal(hry_descriptor_size(&d), 61);
    assert_int_equal(hry_descriptor_bits(&d), 32);
    assert_ok(hry_descriptor_count(&d, &count, &err), &err);
    assert_int_equal(count, 12);

    assert_ok(hry_descriptor_dense(HRY_BOOL, 0, NULL, &d, &err), &err);
    assert_int_equal(d.buffers[0].byte_size, 1);
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    const uint64_t huge[] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
    assert_status(HRY_ERR_RANGE, hry_descriptor_dense(HRY_INT8, 2, huge, &d, &err), &err);
    assert_status(HRY_ERR_ARG, hry_descriptor_dense(0x47, 2, huge, &d, &err), &err);
    assert_status(HRY_ERR_ARG, hry_descriptor_dense(HRY_INT8, 65, huge, &d, &err), &err);
    assert_status(HRY_ERR_ARG, hry_descriptor_dense(HRY_INT8, 1, NULL, &d, &err), &err);
}

static void counts_only_what_has_a_size(void **state)
{
    (void)state;
    hry_descriptor d;
    hry_error err;
    uint64_t count = 5;
    const uint64_t dynamic[] = {HRY_DYNAMIC, 4};
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 2, dynamic, &d, &err), &err);
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_descriptor_count(&d, &count, &err), &err);
    assert_int_equal(count, 5);
    d.shape[0] = UINT64_C(1) << 63;
    assert_status(HRY_ERR_RANGE, hry_descriptor_count(&d, &count, &err), &err);
    d.shape[1] = 0;
    assert_ok(hry_descriptor_count(&d, &count, &err), &err);
    assert_int_equal(count, 0);
}

static void names_the_byte_of_the_encoded_form(void **state)
{
    (void)state;
    hry_descriptor good, d;
    make_matrix(&good);

    d = good, d.version_major = 2;
    is_refused_at(&d, HRY_ERR_UNSUPPORTED, 4);
    d = good, d.flags = 0x20;
    is_refused_at(&d, HRY_ERR_CORRUPT, 10);
    d = good, d.type_tag = 0x47;
    is_refused_at(&d, HRY_ERR_UNSUPPORTED, 14);
    d = good, d.layout_tag = 0x0C;
    is_refused_at(&d, HRY_ERR_UNSUPPORTED, 15);
    d = good, d.rank = 65;
    is_refused_at(&d, HRY_ERR_CORRUPT, 16);
    d = good, d.byte_offset = 4;
    is_refused_at(&d, HRY_ERR_CORRUPT, 36);
    d = good, d.buffer_count = 1000;
    is_refused_at(&d, HRY_ERR_CORRUPT, 44);
    d = good, d.shape[1] = 5;
    is_refused_at(&d, HRY_ERR_CORRUPT, 45);
    d = good, d.buffers[0].alignment = 32;
    is_refused_at(&d, HRY_ERR_CORRUPT, 53);
    d = good, d.layout_tag = HRY_COLUMN_MAJOR, d.rank = 0;
    is_refused_at(&d, HRY_ERR_CORRUPT, 15);

    d = good, d.flags = HRY_HAS_SHARD | HRY_HAS_COMPOSITE_MEMBER, d.member_role = 1;
    d.shard.parent_shape[0] = d.shard.parent_shape[1] = 8;
    d.shard.offset[0] = 0, d.shard.offset[1] = 5;
    is_refused_at(&d, HRY_ERR_CORRUPT, 61 + 24);
    d.shard.offset[1] = 4, d.member_role = 7;
    is_refused_at(&d, HRY_ERR_CORRUPT, 61 + 32);
    d = good, d.flags = HRY_HAS_QUANTIZATION, d.quantization.scheme = 0x06;
    is_refused_at(&d, HRY_ERR_UNSUPPORTED, 65);
    d = good, d.opaque = true;
    is_refused_at(&d, HRY_ERR_UNSUPPORTED, HRY_NO_OFFSET);
    assert_int_equal(hry_descriptor_size(&d), 0);
}

static void refuses_wild_tile_levels(void **state)
{
    (void)state;
    static hry_descriptor d;
    hry_error err;
    make_matrix(&d);
    d.layout_tag = HRY_TILED;
    d.fields.tiled = (hry_tiled){.depth = 1};
    d.fields.tiled.level[0] = (hry_tile_level){
        .tile_shape = {3, 4}, .outer = HRY_ROW_MAJOR, .inner = HRY_COLUMN_MAJOR};
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    d.fields.tiled.level[0].inner = HRY_TILED;
    is_refused_at(&d, HRY_ERR_CORRUPT, 44 + 17);
    d.fields.tiled.depth = 0;
    is_refused_at(&d, HRY_ERR_CORRUPT, 44);
    d.fields.tiled.depth = UINT32_MAX;
    is_refused_at(&d, HRY_ERR_CORRUPT, 44);
}

/* The unused half of 6-bit and sub-byte strides, and overflow in every tiled product. */
static void bounds_every_element(void **state)
{
    (void)state;
    static hry_descriptor d;
    hry_error err;
    make_matrix(&d);
    d.layout_tag = HRY_STRIDED;
    d.type_tag = HRY_UINT4;
    d.fields.strides[0] = 4, d.fields.strides[1] = -1;
    d.byte_offset = 2, d.buffers[0].byte_size = 7;
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    d.buffers[0].byte_size = 6; /* offsets -3 to 8: bytes 0 to 6 */
    is_refused_at(&d, HRY_ERR_CORRUPT, 60 + 1);
    d.buffers[0].byte_size = 48, d.byte_offset = 1;
    is_refused_at(&d, HRY_ERR_CORRUPT, 36);

    d.fields.strides[0] = INT64_MIN / 2, d.fields.strides[1] = 1; /* reaches INT64_MIN */
    is_refused_at(&d, HRY_ERR_CORRUPT, 44);

    d.layout_tag = HRY_TILED;
    d.fields.tiled = (hry_tiled){.depth = 2};
    for (int i = 0; i < 2; i++)
        d.fields.tiled.level[i] =
            (hry_tile_level){.tile_shape = {UINT64_C(1) << 40, UINT64_C(1) << 40},
                             .outer = HRY_ROW_MAJOR,
                             .inner = i == 0 ? HRY_TILED : HRY_ROW_MAJOR};
    is_refused_at(&d, HRY_ERR_CORRUPT, 44);
}

/* Encodes the matrix, changes one byte, and reads it permissively. */
static hry_status reread(const hry_descriptor *d, size_t at, uint8_t byte, hry_mode mode,
                         hry_descriptor *out, hry_error *err)
{
    static uint8_t bytes[4096];
    size_t length;
    assert_ok(hry_descriptor_encode(d, bytes, sizeof bytes, &length, err), err);
    bytes[at] = byte;
    return hry_descriptor_decode(bytes, length, mode, out, NULL, err);
}

static void keeps_unknown_types_and_layouts_when_permissive(void **state)
{
    (void)state;
    static const size_t places[] = {14, 15};
    hry_descriptor good, d;
    hry_error err;
    make_matrix(&good);
    for (int i = 0; i < 2; i++) {
        assert_status(HRY_ERR_UNSUPPORTED,
                      reread(&good, places[i], 0x80, HRY_STRICT, &d, &err), &err);
        assert_ok(reread(&good, places[i], 0x80, HRY_PERMISSIVE, &d, &err), &err);
        assert_true(d.opaque);
        assert_int_equal(d.shape[1], 4);
        assert_int_equal(d.buffer_count, 0);
        assert_int_equal(hry_descriptor_size(&d), 0);
        assert_status(HRY_ERR_CORRUPT,
                      reread(&good, places[i], 0xFF, HRY_PERMISSIVE, &d, &err), &err);
    }
}

static void keeps_unknown_schemes_when_permissive(void **state)
{
    (void)state;
    hry_descriptor good, d;
    hry_error err;
    make_matrix(&good);
    good.type_tag = HRY_INT8;
    good.flags = HRY_HAS_QUANTIZATION;
    good.quantization = (hry_quantization){
        .scheme = HRY_QUANT_PER_TENSOR, .version = 1, .scale = 1, .zero_point = 0};
    assert_status(HRY_ERR_UNSUPPORTED, reread(&good, 65, 0x41, HRY_STRICT, &d, &err), &err);
    assert_ok(reread(&good, 65, 0x41, HRY_PERMISSIVE, &d, &err), &err);
    assert_true(d.opaque);
    assert_int_equal(d.quantization.length, 16);
    assert_int_equal(d.quantization.bytes[0], 0x41);
    assert_int_equal(d.buffers[0].byte_size, 48);
    assert_int_equal(hry_descriptor_size(&d), 0);
}

static void reads_any_true_when_permissive(void **state)
{
    (void)state;
    static hry_descriptor good, d;
    hry_error err;
    uint64_t seed = 3;
    do
        random_descriptor(&seed, HRY_COO, &good);
    while (good.fields.sparse.is_sorted);
    const size_t at = 28 + (size_t)8 * good.rank + 8;
    assert_status(HRY_ERR_CORRUPT, reread(&good, at, 2, HRY_STRICT, &d, &err), &err);
    assert_int_equal(err.offset, at);
    assert_ok(reread(&good, at, 2, HRY_PERMISSIVE, &d, &err), &err);
    assert_true(d.fields.sparse.is_sorted);
}

static void reads_column_major_scalars_when_permissive(void **state)
{
    (void)state;
    hry_descriptor good, d;
    hry_error err;
    assert_ok(hry_descriptor_dense(HRY_FLOAT64, 0, NULL, &good, &err), &err);
    for (uint8_t tag = HRY_COLUMN_MAJOR; tag <= HRY_STRIDED; tag++) {
        assert_status(HRY_ERR_CORRUPT, reread(&good, 15, tag, HRY_STRICT, &d, &err), &err);
        assert_ok(reread(&good, 15, tag, HRY_PERMISSIVE, &d, &err), &err);
        assert_int_equal(d.layout_tag, tag);
    }
    assert_status(HRY_ERR_CORRUPT, reread(&good, 15, HRY_TILED, HRY_PERMISSIVE, &d, &err),
                  &err);
}

static void writes_nothing_unless_it_succeeds(void **state)
{
    (void)state;
    static hry_descriptor good, d, before;
    hry_error err;
    make_matrix(&good);
    memset(&d, 0x5A, sizeof d);
    memcpy(&before, &d, sizeof d);
    assert_status(HRY_ERR_CORRUPT, reread(&good, 53, 1, HRY_STRICT, &d, &err), &err);
    assert_memory_equal(&before, &d, sizeof d);
}

static void names_layouts_and_types(void **state)
{
    (void)state;
    unsigned named = 0;
    for (unsigned tag = 0; tag < 0xF0; tag++) {
        const char *name = hry_layout_name((uint8_t)tag);
        if (name == NULL)
            continue;
        named++;
        assert_int_equal(hry_layout_tag(name), tag);
    }
    assert_int_equal(named, 12);
    assert_string_equal(hry_layout_name(HRY_BLOCK_PAGED), "block_paged");
    assert_string_equal(hry_layout_name(0xF3), "private");
    assert_null(hry_layout_name(0xFF));
    assert_int_equal(hry_layout_tag("private"), 0);
    assert_int_equal(hry_layout_tag(NULL), 0);
    assert_string_equal(hry_type_name(HRY_INT4), "int4");
    assert_string_equal(hry_type_name(0xF9), "private");
    assert_string_equal(hry_type_name(0x47), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_dense_descriptors),
        cmocka_unit_test(counts_only_what_has_a_size),
        cmocka_unit_test(names_the_byte_of_the_encoded_form),
        cmocka_unit_test(refuses_wild_tile_levels),
        cmocka_unit_test(bounds_every_element),
        cmocka_unit_test(keeps_unknown_types_and_layouts_when_permissive),
        cmocka_unit_test(keeps_unknown_schemes_when_permissive),
        cmocka_unit_test(reads_any_true_when_permissive),
        cmocka_unit_test(reads_column_major_scalars_when_permissive),
        cmocka_unit_test(writes_nothing_unless_it_succeeds),
        cmocka_unit_test(names_layouts_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
