/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation refused in turn while elements are read, written, checked, counted,
 * quantized and moved to other layouts: HRY_ERR_NOMEM, nothing leaked, nothing half done.
 */
#include "hry/hry.h"

#include "dense.h"
#include "refusing.h"

#include <string.h>

enum { ROWS = 64, COLUMNS = 64, COUNT = ROWS * COLUMNS };

static float values[COUNT];
static hry_descriptor plain; /* of them, row-major */
static hry_buffer plain_buffer = {.bytes = values, .size = sizeof values};
static hry_tensor tensor = {.descriptor = &plain, .buffers = &plain_buffer};
static const uint64_t origin[3];

static int make_values(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++)
        values[i] = i % 3 == 0 ? 0 : (float)(i % 17) - 8;
    return hry_descriptor_dense(HRY_FLOAT32, 2, SHAPE(ROWS, COLUMNS), &plain, NULL) !=
           HRY_OK;
}

/* To the layout and back to rows, boxes of it, and its check and statistics. */
static hry_status go_through(void *ctx, hry_error *err)
{
    static const hry_descriptor rows = {.layout_tag = HRY_ROW_MAJOR};
    static float array[COUNT];
    hry_transcoded *there = NULL, *back = NULL;
    hry_statistics s;
    hry_status status = hry_transcode(&tensor, ctx, 0, &there, err);
    const hry_tensor *t = status == HRY_OK ? hry_transcoded_tensor(there) : NULL;
    const uint64_t *shape = plain.shape;
    if (status == HRY_OK)
        status = hry_tensor_check(t, HRY_STRICT, err);
    if (status == HRY_OK)
        status = hry_region_read(t, origin, shape, array, err);
    if (status == HRY_OK)
        status = hry_region_write(t, origin, shape, array, err);
    if (status == HRY_OK)
        status = hry_statistics_compute(t, &s, err);
    if (status == HRY_OK)
        status = hry_transcode(t, &rows, 0, &back, err);
    if (status == HRY_OK)
        assert_memory_equal(hry_transcoded_tensor(back)->buffers[0].bytes, values,
                            sizeof values);
    hry_transcoded_free(there);
    hry_transcoded_free(back);
    return status;
}

static void every_layout_survives_refused_memory(void **state)
{
    (void)state;
    hry_descriptor like[] = {
        {.layout_tag = HRY_COLUMN_MAJOR},
        {.layout_tag = HRY_STRIDED, .fields.strides = {-COLUMNS, 1}},
        {.layout_tag = HRY_TILED},
        {.layout_tag = HRY_MORTON, .fields.morton_bits = {6, 6}},
        {.layout_tag = HRY_HILBERT, .fields.hilbert_order = 6},
        {.layout_tag = HRY_COO},
        {.layout_tag = HRY_CSR},
        {.layout_tag = HRY_CSC},
    };
    like[2].fields.tiled.depth = 1;
    like[2].fields.tiled.level[0] = (hry_tile_level){
        .tile_shape = {8, 8}, .outer = HRY_ROW_MAJOR, .inner = HRY_COLUMN_MAJOR};
    for (size_t i = 0; i < sizeof like / sizeof *like; i++)
        assert_true(refuse_each(go_through, &like[i]) > 3);
}

static void deep_layouts_survive_refused_memory(void **state)
{
    (void)state;
    const hry_descriptor matrix = plain;
    hry_descriptor like[] = {
        {.layout_tag = HRY_CSF, .fields.sparse.mode_order = {2, 0, 1}},
        {.layout_tag = HRY_BLOCK_PAGED,
         .fields.paged = {.page_size = 4, .layer = UINT32_MAX}},
    };
    assert_int_equal(
        hry_descriptor_dense(HRY_FLOAT32, 3, SHAPE(ROWS, 8, COLUMNS / 8), &plain, NULL),
        HRY_OK);
    for (size_t i = 0; i < sizeof like / sizeof *like; i++)
        assert_true(refuse_each(go_through, &like[i]) > 3);
    plain = matrix;
}

/* An unsorted list of entries is sorted to find what is there twice. */
static hry_status check_unsorted(void *ctx, hry_error *err)
{
    static const uint64_t indices[] = {3, 1, 0, 2, 1, 1};
    static const float entries[] = {1, 2, 3};
    static const hry_buffer buffers[] = {{.bytes = entries, .size = sizeof entries},
                                         {.bytes = indices, .size = sizeof indices}};
    float array[16];
    (void)ctx;
    hry_descriptor d = dense(HRY_FLOAT32, HRY_COO, sizeof entries, 2, SHAPE(4, 4));
    d.fields.sparse.nnz = 3;
    d.buffer_count = 2;
    d.buffers[1] = (hry_buffer_info){.byte_size = sizeof indices, .alignment = 64};
    const hry_tensor t = {.descriptor = &d, .buffers = buffers};
    const hry_status status = hry_tensor_check(&t, HRY_STRICT, err);
    return status != HRY_OK ? status : hry_region_read(&t, origin, SHAPE(4, 4), array, err);
}

static void unsorted_entries_survive_refused_memory(void **state)
{
    (void)state;
    assert_true(refuse_each(check_unsorted, NULL) > 1);
}

typedef struct scheme {
    uint8_t type;
    hry_quantization how;
} scheme;

static hry_status quantize(void *ctx, hry_error *err)
{
    const scheme *s = ctx;
    static float back[COUNT];
    hry_quantized *q = NULL;
    hry_statistics statistics;
    hry_status status = hry_quantize(values, 2, plain.shape, s->type, &s->how, &q, err);
    if (status == HRY_OK)
        status = hry_quant_check(hry_quantized_tensor(q), HRY_STRICT, err);
    if (status == HRY_OK)
        status = hry_dequantize(hry_quantized_tensor(q), origin, plain.shape, back, err);
    if (status == HRY_OK)
        status = hry_statistics_compute(hry_quantized_tensor(q), &statistics, err);
    hry_quantized_free(q);
    return status;
}

static void every_scheme_survives_refused_memory(void **state)
{
    (void)state;
    scheme schemes[] = {
        {HRY_INT8, {.scheme = HRY_QUANT_PER_TENSOR}},
        {HRY_INT4, {.scheme = HRY_QUANT_PER_CHANNEL}},
        {HRY_UINT4,
         {.scheme = HRY_QUANT_PER_BLOCK,
          .axis = 1,
          .block = 32,
          .scale_type = HRY_FLOAT16}},
        {HRY_UINT4, {.scheme = HRY_QUANT_NF4, .axis = 1, .block = 32}},
        {HRY_FLOAT6_E3M2, {.scheme = HRY_QUANT_MXFP, .axis = 1, .block = 32}},
    };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        schemes[i].how.version = 1;
        assert_true(refuse_each(quantize, &schemes[i]) > 2);
    }
}

/* Out through DLPack and in again, shared and copied. */
static hry_status exchange(void *ctx, hry_error *err)
{
    const uint8_t type = *(const uint8_t *)ctx;
    hry_shared_buffer *buffer = NULL, *again = NULL;
    hry_dl_versioned *out = NULL;
    hry_descriptor d, back;
    hry_status status = hry_descriptor_dense(type, 1, SHAPE(100), &d, err);
    if (status == HRY_OK)
        status = hry_buffer_new(d.buffers[0].byte_size, 64, &buffer, err);
    if (status == HRY_OK) {
        memset(hry_buffer_edit(buffer), 0, (size_t)hry_buffer_size(buffer));
        status = hry_dlpack_export(&d, buffer, &out, err);
    }
    if (status == HRY_OK) {
        status = hry_dlpack_import(out, 0, &back, &again, err);
        if (status != HRY_OK)
            out->deleter(out);
    }
    hry_buffer_free(again);
    hry_buffer_free(buffer);
    return status;
}

static void exchange_survives_refused_memory(void **state)
{
    (void)state;
    uint8_t types[] = {HRY_FLOAT32, HRY_BOOL};
    for (size_t i = 0; i < sizeof types; i++)
        assert_true(refuse_each(exchange, &types[i]) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_survives_refused_memory),
        cmocka_unit_test(deep_layouts_survive_refused_memory),
        cmocka_unit_test(unsorted_entries_survive_refused_memory),
        cmocka_unit_test(every_scheme_survives_refused_memory),
        cmocka_unit_test(exchange_survives_refused_memory),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}
