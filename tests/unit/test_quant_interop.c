/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized tensors that another implementation wrote: the same float32, bit for bit. */
#include "hry/quant.h"

#include "opened.h"

#include <math.h>

static const uint64_t start[HRY_MAX_RANK] = {0};
static hry_error err;

static void gives_the_values(opened *o, const cJSON *told, const char *file)
{
    uint64_t count, tokens[64], i = 0;
    const cJSON *item;
    assert_ok(hry_descriptor_count(&o->d, &count, &err), &err);
    if (json_has(told, "sequence_tokens")) {
        cJSON_ArrayForEach(item, json_field(told, "sequence_tokens")) tokens[i++] =
            json_u64_of(item);
        o->t.sequence_tokens = tokens;
    }
    float *got = malloc((size_t)count * sizeof *got + 1);
    assert_non_null(got);
    assert_ok(hry_quant_check(&o->t, HRY_STRICT, &err), &err);
    assert_ok(hry_dequantize(&o->t, start, o->d.shape, got, &err), &err);
    i = 0;
    cJSON_ArrayForEach(item, json_field(told, "values"))
    {
        const float want = (float)json_real_of(item);
        if (!(got[i] == want) && !(isnan(got[i]) && isnan(want)))
            fail_msg("%s element %u: want %a, got %a", file, (unsigned)i, (double)want,
                     (double)got[i]);
        i++;
    }
    assert_int_equal(i, count);
    free(got);
}

static void dequantizes_every_good_file(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *tensor;
    size_t seen = 0;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
        cJSON_ArrayForEach(tensor, json_field(file, "tensors"))
    {
        if (!json_has(json_field(tensor, "descriptor"), "quantization"))
            continue;
        opened o;
        opened_read(&o, json_text(file, "file"), json_text(tensor, "name"));
        gives_the_values(&o, tensor, json_text(file, "file"));
        opened_free(&o);
        seen++;
    }
    assert_true(seen >= 40);
    cJSON_Delete(root);
}

static void finds_bad_parameters_at_their_byte(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t buffer;
    } cases[] = {
        {"bad/bad_data_mxfp_scale_ff.hrry", 1},
        {"bad/bad_data_channel_scale_zero.hrry", 1},
        {"bad/bad_data_channel_scale_nan.hrry", 1},
        {"bad/bad_data_channel_zero_point_out_of_range.hrry", 2},
        {"bad/bad_data_block_scale_inf.hrry", 1},
        {"bad/bad_data_nf4_scale_negative.hrry", 1},
    };
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *bad;
    size_t seen = 0;
    cJSON_ArrayForEach(
        bad, manifest_list(root, "bad")) for (size_t c = 0;
                                              c < sizeof cases / sizeof *cases; c++)
    {
        if (strcmp(json_text(bad, "file"), cases[c].file) != 0)
            continue;
        opened o;
        opened_read(&o, cases[c].file, json_text(bad, "tensor"));
        assert_status(HRY_ERR_CORRUPT, hry_quant_check(&o.t, HRY_STRICT, &err), &err);
        assert_int_equal(o.offsets[cases[c].buffer] + err.offset, json_u64(bad, "offset"));
        assert_non_null(strstr(err.message, json_text(bad, "field")));
        opened_free(&o);
        seen++;
    }
    assert_int_equal(seen, sizeof cases / sizeof *cases);
    cJSON_Delete(root);
}

static void permissive_takes_the_scale_byte_0(void **state)
{
    (void)state;
    opened o;
    float got[64];
    opened_read(&o, "quant_mxfp_fp8_e4m3_last.hrry", "x");
    uint8_t *scales = o.buffers[1].writable, *codes = o.buffers[0].writable;
    scales[0] = 0;
    codes[0] = 0x38; /* 1 */
    assert_status(HRY_ERR_CORRUPT, hry_quant_check(&o.t, HRY_STRICT, &err), &err);
    assert_ok(hry_quant_check(&o.t, HRY_PERMISSIVE, &err), &err);
    assert_ok(hry_dequantize(&o.t, start, o.d.shape, got, &err), &err);
    assert_true(got[0] == 0x1p-127f);
    opened_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dequantizes_every_good_file),
        cmocka_unit_test(finds_bad_parameters_at_their_byte),
        cmocka_unit_test(permissive_takes_the_scale_byte_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
