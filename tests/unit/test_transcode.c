/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of the interop files in every other layout: the same elements, and index
 * buffers that pass all checks.
 */
#include "hry/region.h"
#include "hry/transcode.h"

#include "dense.h"
#include "opened.h"

static const uint64_t origin[HRY_MAX_RANK] = {0};
static hry_error err;

static uint8_t *read_all(const hry_tensor *t, uint64_t *size)
{
    assert_ok(hry_region_size(t->descriptor, t->descriptor->shape, size, &err), &err);
    uint8_t *array = malloc((size_t)*size + 1);
    assert_non_null(array);
    assert_ok(hry_region_read(t, origin, t->descriptor->shape, array, &err), &err);
    return array;
}

static uint32_t bits_for(uint64_t size)
{
    uint32_t bits = 1;
    while (UINT64_C(1) << bits < size)
        bits++;
    return bits;
}

static void like_strided(hry_descriptor *like)
{
    int64_t step = 1;
    for (uint32_t k = 0; k < like->rank; k++) { /* first axis fastest, every other back */
        like->fields.strides[k] = k % 2 == 0 ? -step : step;
        step *= (int64_t)like->shape[k] + 1;
    }
}

static void like_tiled(hry_descriptor *like)
{
    hry_tiled *t = &like->fields.tiled;
    t->depth = 2;
    t->level[0].outer = HRY_COLUMN_MAJOR;
    t->level[0].inner = HRY_TILED;
    t->level[1].outer = t->level[1].inner = HRY_ROW_MAJOR;
    for (uint32_t k = 0; k < like->rank; k++) {
        t->level[0].tile_shape[k] = 4;
        t->level[1].tile_shape[k] = 2;
    }
}

static void like_curve(hry_descriptor *like)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < like->rank; k++)
        most = bits_for(like->shape[k]) > most ? bits_for(like->shape[k]) : most;
    if (like->layout_tag == HRY_HILBERT) {
        like->fields.hilbert_order = most;
        return;
    }
    for (uint32_t k = 0; k < like->rank; k++)
        like->fields.morton_bits[k] = most;
}

/* Fields for `tag`; false where the shape cannot have that layout. */
static bool make_like(const hry_descriptor *d, uint8_t tag, hry_descriptor *like)
{
    memset(like, 0, sizeof *like);
    like->layout_tag = tag;
    like->rank = d->rank;
    memcpy(like->shape, d->shape, sizeof like->shape);
    if (tag == HRY_STRIDED)
        like_strided(like);
    if (tag == HRY_TILED)
        like_tiled(like);
    if (tag == HRY_MORTON || tag == HRY_HILBERT)
        like_curve(like);
    for (uint32_t k = 0; tag == HRY_CSF && k < d->rank; k++)
        like->fields.sparse.mode_order[k] = (k + 1) % d->rank;
    if (tag == HRY_BLOCK_PAGED)
        like->fields.paged = (hry_block_paged){.page_size = 4, .layer = UINT32_MAX};
    for (uint32_t k = 0; tag == HRY_HILBERT && k < d->rank; k++)
        if (d->shape[k] != UINT64_C(1) << like->fields.hilbert_order)
            return false;
    const uint32_t ranks[] = {[HRY_CSR] = 2, [HRY_CSC] = 2, [HRY_BLOCK_PAGED] = 3};
    const uint32_t want = tag <= HRY_BLOCK_PAGED ? ranks[tag] : 0;
    if ((tag == HRY_CSF && d->rank < 3) || (tag == HRY_HILBERT && d->rank < 2))
        return false;
    return d->rank == 0 ? tag == HRY_ROW_MAJOR : want == 0 || d->rank == want;
}

static bool becomes(const opened *o, uint8_t tag, const uint8_t *want, uint64_t size,
                    const char *file)
{
    hry_descriptor like;
    hry_transcoded *result;
    uint64_t got_size;
    if (!make_like(&o->d, tag, &like))
        return false;
    const hry_status status = hry_transcode(&o->t, &like, 1 << 24, &result, &err);
    if (status == HRY_ERR_UNSUPPORTED)
        return false;
    if (status != HRY_OK)
        fail_msg("%s to layout 0x%02x: %s", file, tag, err.message);
    const hry_tensor *t = hry_transcoded_tensor(result);
    assert_int_equal(t->descriptor->layout_tag, tag);
    assert_ok(hry_descriptor_validate(t->descriptor, &err), &err);
    assert_ok(hry_tensor_check(t, HRY_STRICT, &err), &err);
    uint8_t *got = read_all(t, &got_size);
    assert_int_equal(got_size, size);
    if (memcmp(got, want, size) != 0)
        fail_msg("%s in layout 0x%02x: other elements", file, tag);
    free(got);
    hry_transcoded_free(result);
    return true;
}

static const uint8_t tags[] = {HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_STRIDED,    HRY_TILED,
                               HRY_MORTON,    HRY_HILBERT,      HRY_COO,        HRY_CSR,
                               HRY_CSC,       HRY_CSF,          HRY_BLOCK_PAGED};

static void every_tensor_keeps_its_elements_in_every_layout(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *tensor, *item;
    size_t seen[256] = {0};
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
        cJSON_ArrayForEach(tensor, json_field(file, "tensors"))
    {
        const char *name = json_text(file, "file");
        const uint64_t tag = json_u64(json_field(tensor, "descriptor"), "layout_tag");
        if (strncmp(name, "file_", 5) == 0 || strstr(name, "partition_many") != NULL ||
            tag == HRY_COMPOSITE || tag >= 0xF0 || json_has(tensor, "values_everywhere"))
            continue;
        opened o;
        uint64_t size, tokens[64], n = 0;
        opened_read(&o, name, json_text(tensor, "name"));
        if (json_has(tensor, "sequence_tokens")) {
            cJSON_ArrayForEach(item, json_field(tensor, "sequence_tokens")) tokens[n++] =
                json_u64_of(item);
            o.t.sequence_tokens = tokens;
        }
        uint8_t *want = read_all(&o.t, &size);
        for (size_t i = 0; i < sizeof tags; i++)
            seen[tags[i]] += becomes(&o, tags[i], want, size, name);
        free(want);
        opened_free(&o);
    }
    for (size_t i = 0; i < sizeof tags; i++)
        assert_true(seen[tags[i]] >= 3);
    cJSON_Delete(root);
}

static void sparse_results_are_as_small_as_they_should(void **state)
{
    (void)state;
    const int32_t values[12] = {0, 7, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0};
    const hry_descriptor d = dense(HRY_INT32, HRY_ROW_MAJOR, sizeof values, 2, SHAPE(3, 4));
    const hry_buffer buffer = {.bytes = values, .size = sizeof values};
    const hry_tensor src = {.descriptor = &d, .buffers = &buffer};
    hry_transcoded *t;
    hry_descriptor like = {.layout_tag = HRY_CSR};
    assert_ok(hry_transcode(&src, &like, 0, &t, &err), &err);
    const hry_tensor *csr = hry_transcoded_tensor(t);
    assert_int_equal(csr->descriptor->fields.sparse.nnz, 3);
    assert_memory_equal(csr->buffers[0].bytes, ((const int32_t[]){7, 5, 6}), 12);
    assert_memory_equal(csr->buffers[1].bytes, SHAPE(1, 0, 2), 24);
    assert_memory_equal(csr->buffers[2].bytes, SHAPE(0, 1, 1, 3), 32);
    hry_transcoded_free(t);
    like.layout_tag = HRY_CSC;
    assert_ok(hry_transcode(&src, &like, 0, &t, &err), &err);
    const hry_tensor *csc = hry_transcoded_tensor(t);
    assert_memory_equal(csc->buffers[0].bytes, ((const int32_t[]){5, 7, 6}), 12);
    assert_memory_equal(csc->buffers[2].bytes, SHAPE(0, 1, 2, 3, 3), 40);
    hry_transcoded_free(t);
}

static void the_limit_stops_enormous_results(void **state)
{
    (void)state;
    const uint64_t indices[2] = {1, 2};
    const uint64_t value = 1;
    hry_descriptor d =
        dense(HRY_UINT64, HRY_COO, 8, 2, SHAPE(UINT64_C(1) << 30, UINT64_C(1) << 30));
    d.buffer_count = 2;
    d.buffers[1] = (hry_buffer_info){.byte_size = 16, .alignment = 64};
    d.fields.sparse.nnz = 1;
    d.fields.sparse.is_sorted = true;
    const hry_buffer buffers[2] = {{.bytes = &value, .size = 8},
                                   {.bytes = indices, .size = 16}};
    const hry_tensor src = {.descriptor = &d, .buffers = buffers};
    hry_transcoded *t;
    hry_descriptor like = {.layout_tag = HRY_ROW_MAJOR};
    assert_status(HRY_ERR_RANGE, hry_transcode(&src, &like, 1 << 20, &t, &err), &err);
    like.layout_tag = HRY_CSR;
    assert_status(HRY_ERR_RANGE, hry_transcode(&src, &like, 1 << 20, &t, &err), &err);
    like.layout_tag = HRY_COMPOSITE;
    assert_status(HRY_ERR_UNSUPPORTED, hry_transcode(&src, &like, 0, &t, &err), &err);
    like.layout_tag = HRY_STRIDED;
    assert_status(HRY_ERR_ARG, hry_transcode(&src, &like, 0, &t, &err), &err);
}

/* One zero, repeated by strides of 0: to look at each copy would take hours. */
static void the_limit_stops_enormous_sources(void **state)
{
    (void)state;
    const uint8_t zero = 0;
    hry_descriptor d =
        dense(HRY_UINT8, HRY_STRIDED, 1, 2, SHAPE(UINT64_C(1) << 30, UINT64_C(1) << 30));
    const hry_buffer buffer = {.bytes = &zero, .size = 1};
    const hry_tensor src = {.descriptor = &d, .buffers = &buffer};
    hry_transcoded *t;
    hry_descriptor like = {.layout_tag = HRY_COO};
    assert_status(HRY_ERR_RANGE, hry_transcode(&src, &like, 1 << 20, &t, &err), &err);
    like.layout_tag = HRY_STRIDED;
    like.fields.strides[0] = like.fields.strides[1] = 1;
    assert_status(HRY_ERR_RANGE, hry_transcode(&src, &like, 1 << 20, &t, &err), &err);
    d.shape[0] = d.shape[1] = 4;
    like.layout_tag = HRY_COO;
    assert_ok(hry_transcode(&src, &like, 1 << 20, &t, &err), &err);
    hry_transcoded_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tensor_keeps_its_elements_in_every_layout),
        cmocka_unit_test(sparse_results_are_as_small_as_they_should),
        cmocka_unit_test(the_limit_stops_enormous_results),
        cmocka_unit_test(the_limit_stops_enormous_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
