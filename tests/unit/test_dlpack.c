/* SPDX-License-Identifier: Apache-2.0 */
/* Exchange through DLPack: same elements on both sides, deleters called exactly once. */
#include "hry/dlpack.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static hry_error err;
static int deleted;

static void delete_versioned(hry_dl_versioned *self)
{
    (void)self;
    deleted++;
}

static void delete_old(hry_dl_managed *self)
{
    (void)self;
    deleted++;
}

static _Alignas(64) uint8_t memory[256];

static hry_dl_versioned offer(uint8_t code, uint8_t bits, int32_t rank, int64_t *shape,
                              int64_t *strides)
{
    deleted = 0;
    return (hry_dl_versioned){
        .version = {1, 0},
        .deleter = delete_versioned,
        .tensor = {.data = memory,
                   .device = {.type = HRY_DL_CPU},
                   .rank = rank,
                   .type = {code, bits, 1},
                   .shape = shape,
                   .strides = strides},
    };
}

static void has_the_layout_of_the_c_abi(void **state)
{
    (void)state;
    assert_int_equal(offsetof(hry_dl_tensor, device), 8);
    assert_int_equal(offsetof(hry_dl_tensor, rank), 16);
    assert_int_equal(offsetof(hry_dl_tensor, type), 20);
    assert_int_equal(offsetof(hry_dl_tensor, shape), 24);
    assert_int_equal(offsetof(hry_dl_tensor, strides), 32);
    assert_int_equal(offsetof(hry_dl_tensor, byte_offset), 40);
    assert_int_equal(sizeof(hry_dl_tensor), 48);
    assert_int_equal(offsetof(hry_dl_managed, ctx), 48);
    assert_int_equal(offsetof(hry_dl_managed, deleter), 56);
    assert_int_equal(offsetof(hry_dl_versioned, ctx), 8);
    assert_int_equal(offsetof(hry_dl_versioned, deleter), 16);
    assert_int_equal(offsetof(hry_dl_versioned, flags), 24);
    assert_int_equal(offsetof(hry_dl_versioned, tensor), 32);
}

static void shares_a_row_major_tensor(void **state)
{
    (void)state;
    int64_t shape[] = {3, 4};
    hry_dl_versioned m = offer(HRY_DL_FLOAT, 32, 2, shape, NULL);
    hry_descriptor d;
    hry_shared_buffer *b;
    m.tensor.byte_offset = 16;
    assert_ok(hry_dlpack_import(&m, HRY_DLPACK_NO_COPY, &d, &b, &err), &err);
    assert_ptr_equal(hry_buffer_data(b), memory);
    assert_int_equal(d.type_tag, HRY_FLOAT32);
    assert_int_equal(d.layout_tag, HRY_ROW_MAJOR);
    assert_int_equal(d.byte_offset, 16);
    assert_int_equal(d.buffers[0].byte_size, 16 + 48);
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    assert_int_equal(deleted, 0);
    hry_buffer_free(b);
    assert_int_equal(deleted, 1);
}

static void shares_negative_strides(void **state)
{
    (void)state;
    int64_t shape[] = {3, 4}, strides[] = {-4, 1};
    hry_dl_versioned m = offer(HRY_DL_INT, 16, 2, shape, strides);
    hry_descriptor d;
    hry_shared_buffer *b;
    m.tensor.byte_offset = 16;
    assert_ok(hry_dlpack_import(&m, HRY_DLPACK_NO_COPY, &d, &b, &err), &err);
    assert_int_equal(d.layout_tag, HRY_STRIDED);
    assert_int_equal(d.byte_offset, 16);
    assert_int_equal(d.buffers[0].byte_size, 24);
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    hry_buffer_free(b);
    assert_int_equal(deleted, 1);
}

static void copies_what_is_not_aligned(void **state)
{
    (void)state;
    int64_t shape[] = {2, 3}, strides[] = {1, 2};
    hry_dl_versioned m = offer(HRY_DL_INT, 16, 2, shape, strides);
    hry_descriptor d;
    hry_shared_buffer *b;
    const int16_t column_major[] = {1, 4, 2, 5, 3, 6}, row_major[] = {1, 2, 3, 4, 5, 6};
    memcpy(memory + 8, column_major, sizeof column_major);
    m.tensor.data = memory + 8;
    assert_status(HRY_ERR_ARG, hry_dlpack_import(&m, HRY_DLPACK_NO_COPY, &d, &b, &err),
                  &err);
    assert_int_equal(deleted, 0);
    assert_ok(hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    assert_int_equal(deleted, 1);
    assert_int_equal(d.layout_tag, HRY_ROW_MAJOR);
    assert_int_equal(d.buffers[0].byte_size, sizeof row_major);
    assert_memory_equal(hry_buffer_data(b), row_major, sizeof row_major);
    hry_buffer_free(b);
    assert_int_equal(deleted, 1);
}

static void packs_and_unpacks_bool(void **state)
{
    (void)state;
    int64_t shape[] = {3, 3};
    hry_dl_versioned m = offer(HRY_DL_BOOL, 8, 2, shape, NULL);
    const uint8_t bytes[] = {1, 0, 1, 1, 0, 0, 0, 2, 1},
                  want[] = {1, 0, 1, 1, 0, 0, 0, 1, 1};
    hry_descriptor d;
    hry_shared_buffer *b;
    memcpy(memory, bytes, sizeof bytes);
    assert_ok(hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    assert_int_equal(d.type_tag, HRY_BOOL);
    const uint8_t packed[] = {0x8D, 0x01};
    assert_memory_equal(hry_buffer_data(b), packed, 2);

    hry_dl_versioned *back;
    assert_ok(hry_dlpack_export(&d, b, &back, &err), &err);
    hry_buffer_free(b);
    assert_int_equal(back->flags, HRY_DL_IS_COPIED);
    assert_int_equal(back->tensor.type.bits, 8);
    assert_memory_equal(back->tensor.data, want, sizeof want);
    back->deleter(back);
}

static void packs_padded_nibbles(void **state)
{
    (void)state;
    int64_t shape[] = {3};
    hry_dl_versioned m = offer(HRY_DL_UINT, 4, 1, shape, NULL);
    const uint8_t bytes[] = {5, 12, 3}, packed[] = {0xC5, 0x03};
    hry_descriptor d;
    hry_shared_buffer *b;
    memcpy(memory, bytes, sizeof bytes);
    m.flags = HRY_DL_SUBBYTE_PADDED;
    assert_ok(hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    assert_int_equal(d.type_tag, HRY_UINT4);
    assert_memory_equal(hry_buffer_data(b), packed, 2);
    hry_buffer_free(b);
}

static void refuses_what_it_cannot_take(void **state)
{
    (void)state;
    int64_t shape[] = {3, 4}, strides[] = {INT64_MAX, 1}, negative[] = {-1, 4},
            far[] = {4, 1};
    int64_t huge[] = {INT64_MAX, 4};
    hry_descriptor d;
    hry_shared_buffer *b;
    hry_dl_versioned m = offer(HRY_DL_FLOAT, 32, 2, shape, NULL);
    m.version.major = 2;
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 2, shape, NULL);
    m.tensor.device.type = 2;
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(9, 8, 2, shape, NULL); /* float8_e4m3b11fnuz */
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 2, shape, NULL);
    m.tensor.type.lanes = 4;
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 2, shape, strides);
    assert_status(HRY_ERR_RANGE, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 2, negative, NULL);
    assert_status(HRY_ERR_ARG, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 2, huge, NULL);
    assert_status(HRY_ERR_RANGE, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 65, shape, NULL);
    assert_status(HRY_ERR_RANGE, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_INT, 4, 2, far, far);
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    m = offer(HRY_DL_FLOAT, 32, 2, shape, NULL);
    m.tensor.data = NULL;
    assert_status(HRY_ERR_ARG, hry_dlpack_import(&m, 0, &d, &b, &err), &err);
    assert_int_equal(deleted, 0);
}

static void takes_empty_and_scalar_tensors(void **state)
{
    (void)state;
    int64_t shape[] = {3, 0};
    hry_descriptor d;
    hry_shared_buffer *b;
    hry_dl_versioned m = offer(HRY_DL_COMPLEX, 64, 2, shape, NULL);
    m.tensor.data = NULL;
    assert_ok(hry_dlpack_import(&m, HRY_DLPACK_NO_COPY, &d, &b, &err), &err);
    assert_int_equal(hry_buffer_size(b), 0);
    hry_buffer_free(b);
    assert_int_equal(deleted, 1);
    hry_dl_managed old = {.tensor = m.tensor, .deleter = delete_old};
    old.tensor.data = memory;
    old.tensor.rank = 0;
    assert_ok(hry_dlpack_import_old(&old, HRY_DLPACK_NO_COPY, &d, &b, &err), &err);
    assert_int_equal(d.type_tag, HRY_COMPLEX64);
    assert_int_equal(d.rank, 0);
    assert_int_equal(hry_buffer_size(b), 8);
    hry_buffer_free(b);
    assert_int_equal(deleted, 2);
}

static void every_type_comes_back(void **state)
{
    (void)state;
    const uint64_t shape[] = {4};
    size_t exchanged = 0;
    const hry_dtype *t;
    for (size_t i = 0; (t = hry_dtype_at(i)) != NULL; i++) {
        hry_descriptor d, back;
        hry_shared_buffer *b, *c;
        hry_dl_versioned *m;
        assert_ok(hry_descriptor_dense(t->tag, 1, shape, &d, &err), &err);
        assert_ok(hry_buffer_new(d.buffers[0].byte_size, 0, &b, &err), &err);
        memset(hry_buffer_edit(b), 0, (size_t)d.buffers[0].byte_size);
        const hry_status status = hry_dlpack_export(&d, b, &m, &err);
        hry_buffer_free(b);
        if (t->bits == 6) {
            assert_int_equal(status, HRY_ERR_UNSUPPORTED);
            continue;
        }
        assert_int_equal(status, HRY_OK);
        assert_ok(hry_dlpack_import(m, 0, &back, &c, &err), &err);
        assert_int_equal(back.type_tag, t->tag);
        assert_int_equal(hry_buffer_size(c), d.buffers[0].byte_size);
        hry_buffer_free(c);
        exchanged++;
    }
    assert_int_equal(exchanged, 24);
}

static void exports_strides_of_every_dense_layout(void **state)
{
    (void)state;
    const uint64_t shape[] = {2, 3};
    hry_descriptor d;
    hry_shared_buffer *b;
    hry_dl_managed *m;
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 2, shape, &d, &err), &err);
    assert_ok(hry_buffer_new(24, 0, &b, &err), &err);
    assert_ok(hry_dlpack_export_old(&d, b, &m, &err), &err);
    assert_int_equal(m->tensor.strides[0], 3);
    assert_int_equal(m->tensor.strides[1], 1);
    m->deleter(m);
    d.layout_tag = HRY_COLUMN_MAJOR;
    assert_ok(hry_dlpack_export_old(&d, b, &m, &err), &err);
    assert_int_equal(m->tensor.strides[0], 1);
    assert_int_equal(m->tensor.strides[1], 2);
    m->deleter(m);
    d.layout_tag = HRY_STRIDED;
    d.byte_offset = 20;
    d.fields.strides[0] = -3;
    d.fields.strides[1] = -1;
    assert_ok(hry_dlpack_export_old(&d, b, &m, &err), &err);
    assert_int_equal(m->tensor.strides[0], -3);
    assert_int_equal(m->tensor.byte_offset, 20);
    m->deleter(m);
    hry_buffer_free(b);
}

static void refuses_to_export_what_dlpack_cannot_say(void **state)
{
    (void)state;
    const uint64_t shape[] = {2, 3};
    hry_descriptor d;
    hry_shared_buffer *b;
    hry_dl_versioned *m;
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 2, shape, &d, &err), &err);
    assert_ok(hry_buffer_new(24, 0, &b, &err), &err);
    d.layout_tag = HRY_MORTON;
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_export(&d, b, &m, &err), &err);
    d.layout_tag = HRY_ROW_MAJOR;
    d.flags = HRY_HAS_QUANTIZATION;
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_export(&d, b, &m, &err), &err);
    d.flags = 0;
    d.buffers[0].device = 1;
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_export(&d, b, &m, &err), &err);
    d.buffers[0].device = 0;
    d.byte_offset = 4;
    assert_status(HRY_ERR_RANGE, hry_dlpack_export(&d, b, &m, &err), &err);
    d.byte_offset = 0;
    d.layout_tag = HRY_STRIDED;
    d.fields.strides[0] = -1;
    d.fields.strides[1] = 1;
    assert_status(HRY_ERR_RANGE, hry_dlpack_export(&d, b, &m, &err), &err);
    d.shape[0] = HRY_DYNAMIC;
    assert_status(HRY_ERR_RANGE, hry_dlpack_export(&d, b, &m, &err), &err);
    hry_buffer_free(b);
}

static void read_only_needs_the_versioned_struct(void **state)
{
    (void)state;
    const uint64_t shape[] = {2, 3};
    const hry_wrap how = {.read_only = true};
    hry_descriptor d;
    hry_shared_buffer *b;
    hry_dl_versioned *m;
    hry_dl_managed *old;
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 2, shape, &d, &err), &err);
    assert_ok(hry_buffer_wrap(memory, 24, &how, &b, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_dlpack_export_old(&d, b, &old, &err), &err);
    assert_ok(hry_dlpack_export(&d, b, &m, &err), &err);
    assert_int_equal(m->flags, HRY_DL_READ_ONLY);
    hry_buffer_free(b);
    assert_ok(hry_dlpack_import(m, HRY_DLPACK_NO_COPY, &d, &b, &err), &err);
    assert_null(hry_buffer_edit(b));
    hry_buffer_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_layout_of_the_c_abi),
        cmocka_unit_test(shares_a_row_major_tensor),
        cmocka_unit_test(shares_negative_strides),
        cmocka_unit_test(copies_what_is_not_aligned),
        cmocka_unit_test(packs_and_unpacks_bool),
        cmocka_unit_test(packs_padded_nibbles),
        cmocka_unit_test(refuses_what_it_cannot_take),
        cmocka_unit_test(takes_empty_and_scalar_tensors),
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(exports_strides_of_every_dense_layout),
        cmocka_unit_test(refuses_to_export_what_dlpack_cannot_say),
        cmocka_unit_test(read_only_needs_the_versioned_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
