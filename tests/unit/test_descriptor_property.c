/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every descriptor, on the vectors and on seeded random ones. */
#include "hry/descriptor.h"

#include "cmocka_all.h"
#include "manifest.h"
#include "random_descriptor.h"

#include <stdlib.h>
#include <string.h>

/* Decodes from memory of exactly `size` bytes, so that a sanitizer sees every overrun. */
static hry_status decode_exact(const uint8_t *bytes, size_t size, hry_mode mode,
                               hry_descriptor *d, size_t *length, hry_error *err)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    *err = (hry_error){.offset = HRY_NO_OFFSET};
    const hry_status status = hry_descriptor_decode(exact, size, mode, d, length, err);
    if (status == HRY_OK && d->layout_tag >= 0xF0 && !d->opaque)
        d->fields.extension.bytes = bytes + (d->fields.extension.bytes - exact);
    free(exact);
    return status;
}

/* A value that encodes to its bytes again, or an error that names a byte. */
static void gives_value_or_error(const uint8_t *bytes, size_t size, hry_mode mode)
{
    static hry_descriptor d;
    static uint8_t again[8192];
    hry_error err;
    size_t length, written;
    const hry_status status = decode_exact(bytes, size, mode, &d, &length, &err);
    if (status != HRY_OK) {
        assert_true(status == HRY_ERR_CORRUPT || status == HRY_ERR_UNSUPPORTED ||
                    status == HRY_ERR_TRUNCATED);
        assert_true(err.offset < size);
        assert_true(err.message[0] != '\0');
        return;
    }
    assert_true(length <= size);
    if (mode == HRY_STRICT && d.version_minor == 0) {
        assert_ok(hry_descriptor_encode(&d, again, sizeof again, &written, &err), &err);
        assert_int_equal(written, length);
        assert_memory_equal(again, bytes, length);
    }
}

static void every_prefix_is_truncated(const uint8_t *bytes, size_t size)
{
    static hry_descriptor d;
    hry_error err;
    size_t length;
    for (size_t n = 0; n < size; n++)
        assert_status(HRY_ERR_TRUNCATED,
                      decode_exact(bytes, n, HRY_PERMISSIVE, &d, &length, &err), &err);
}

static void every_flip_gives_value_or_error(const uint8_t *bytes, size_t size)
{
    uint8_t *flipped = malloc(size);
    assert_non_null(flipped);
    memcpy(flipped, bytes, size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
        gives_value_or_error(flipped, size, HRY_STRICT);
        gives_value_or_error(flipped, size, HRY_PERMISSIVE);
        flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(flipped);
}

static void on_every_vector(void (*check)(const uint8_t *bytes, size_t size))
{
    static const struct {
        const char *folder, *list;
    } sources[] = {{"golden", "descriptors"}, {"interop", "good_descriptors"}};
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/manifest.json", sources[i].folder);
        cJSON *root = manifest_load(path);
        const cJSON *entry;
        cJSON_ArrayForEach(entry, manifest_list(root, sources[i].list))
        {
            size_t size;
            uint8_t *bytes =
                vector_read(sources[i].folder, json_text(entry, "file"), &size);
            if (size < 2000) /* the long one is the same 255 times over */
                check(bytes, size);
            free(bytes);
        }
        cJSON_Delete(root);
    }
}

static void refuses_every_prefix_as_truncated(void **state)
{
    (void)state;
    on_every_vector(every_prefix_is_truncated);
}

static void survives_every_bit_flip(void **state)
{
    (void)state;
    on_every_vector(every_flip_gives_value_or_error);
}

static const uint8_t layouts[] = {
    HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_STRIDED, HRY_TILED, HRY_MORTON,
    HRY_COO,       HRY_CSR,          HRY_CSC,     HRY_CSF,   HRY_BLOCK_PAGED,
    HRY_COMPOSITE, HRY_HILBERT,      0xF0,        0xFE};

static void round_trips(const hry_descriptor *d, hry_mode mode)
{
    static uint8_t first[16384], second[16384];
    static hry_descriptor back;
    hry_error err;
    size_t length, again, read;
    assert_ok(hry_descriptor_encode(d, first, sizeof first, &length, &err), &err);
    assert_int_equal(hry_descriptor_size(d), length);
    assert_ok(hry_descriptor_decode(first, sizeof first, mode, &back, &read, &err), &err);
    assert_int_equal(read, length);
    assert_int_equal(back.flags, d->flags);
    assert_int_equal(back.rank, d->rank);
    assert_int_equal(back.buffer_count, d->buffer_count);
    assert_false(back.opaque);
    assert_memory_equal(back.shape, d->shape, d->rank * sizeof *d->shape);
    assert_ok(hry_descriptor_encode(&back, second, sizeof second, &again, &err), &err);
    assert_int_equal(again, length);
    assert_memory_equal(first, second, length);
    assert_status(HRY_ERR_RANGE, hry_descriptor_encode(d, second, length - 1, &again, &err),
                  &err);
}

static void decodes_what_it_encodes(void **state)
{
    (void)state;
    static hry_descriptor d;
    uint64_t seed = 20240607;
    for (size_t l = 0; l < sizeof layouts; l++)
        for (int i = 0; i < 300; i++) {
            random_descriptor(&seed, layouts[l], &d);
            round_trips(&d, layouts[l] >= 0xF0 ? HRY_PERMISSIVE : HRY_STRICT);
        }
}

static void allows_dynamic_sizes_where_nothing_depends_on_them(void **state)
{
    (void)state;
    static hry_descriptor d;
    static const uint8_t may[] = {HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_STRIDED, HRY_TILED,
                                  HRY_MORTON,    HRY_COO,          HRY_CSR,     HRY_CSC,
                                  HRY_CSF,       HRY_BLOCK_PAGED,  HRY_HILBERT};
    uint64_t seed = 7;
    for (size_t l = 0; l < sizeof may; l++)
        for (int i = 0; i < 100; i++) {
            do
                random_descriptor(&seed, may[l], &d);
            while (d.rank == 0 || (d.flags & (HRY_HAS_SHARD | HRY_HAS_QUANTIZATION)) != 0);
            d.shape[random_below(&seed, d.rank)] = HRY_DYNAMIC;
            round_trips(&d, HRY_STRICT);
        }
}

static void survives_random_damage(void **state)
{
    (void)state;
    static hry_descriptor d;
    static uint8_t bytes[16384];
    hry_error err;
    uint64_t seed = 99;
    for (size_t l = 0; l < sizeof layouts; l++)
        for (int i = 0; i < 200; i++) {
            size_t length;
            random_descriptor(&seed, layouts[l], &d);
            assert_ok(hry_descriptor_encode(&d, bytes, sizeof bytes, &length, &err), &err);
            for (int hits = 1 + (int)random_below(&seed, 3); hits > 0; hits--)
                bytes[random_below(&seed, length)] = (uint8_t)random_next(&seed);
            gives_value_or_error(bytes, length, HRY_STRICT);
            gives_value_or_error(bytes, length, HRY_PERMISSIVE);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_every_prefix_as_truncated),
        cmocka_unit_test(survives_every_bit_flip),
        cmocka_unit_test(decodes_what_it_encodes),
        cmocka_unit_test(allows_dynamic_sizes_where_nothing_depends_on_them),
        cmocka_unit_test(survives_random_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
