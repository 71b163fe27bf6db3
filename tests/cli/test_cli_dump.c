/* SPDX-License-Identifier: Apache-2.0 */
/* dump on files that other implementations wrote: every value is as told. */
#include "cmocka_all.h"
#include "manifest.h"
#include "tool.h"

#include "hry/hry.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tensor of the manifest, and how to ask for it. */
struct tensor {
    const cJSON *told, *descriptor;
    const char *name;
    char path[512], lengths[64];
};

/* A NUL in a name is given as `hurray ls` shows it. */
static void tensor_of(const cJSON *file, const cJSON *told, struct tensor *t)
{
    *t = (struct tensor){.told = told, .descriptor = json_field(told, "descriptor")};
    vector_path("interop", json_text(file, "file"), t->path);
    t->name = json_text(told, "name");
    if (strcmp(t->name, "nul") == 0)
        t->name = "nul\\x00inside";
    const cJSON *tokens;
    if (!json_has(told, "sequence_tokens"))
        return;
    cJSON_ArrayForEach(tokens, json_field(told, "sequence_tokens"))
        snprintf(t->lengths + strlen(t->lengths), sizeof t->lengths - strlen(t->lengths),
                 "%s%.0f", *t->lengths != '\0' ? "," : "", tokens->valuedouble);
}

/* Options may be NULL. */
static struct tool_run dump(const struct tensor *t, const char *first, const char *second)
{
    const char *arguments[9] = {"dump"};
    size_t n = 1;
    if (first != NULL)
        arguments[n++] = first;
    if (second != NULL)
        arguments[n++] = second;
    if (json_has(t->told, "sequence_tokens")) {
        arguments[n++] = "--lengths";
        arguments[n++] = t->lengths;
    }
    arguments[n++] = t->path;
    arguments[n++] = "--";
    arguments[n++] = t->name;
    return tool_run(NULL, 0, arguments);
}

static void for_each_tensor(void (*f)(const struct tensor *t))
{
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *told;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        cJSON_ArrayForEach(told, json_field(file, "tensors"))
        {
            struct tensor t;
            tensor_of(file, told, &t);
            f(&t);
        }
    }
    cJSON_Delete(root);
}

/* ---- values ---- */

/* What is null there is not exactly a double: see float128_gives_its_bits_back(). */
static void values_agree(const struct tensor *t, const cJSON *got)
{
    const cJSON *told, *value = json_field(got, "values")->child;
    size_t i = 0;
    cJSON_ArrayForEach(told, json_field(t->told, "values"))
    {
        char where[640];
        snprintf(where, sizeof where, "%s %.40s, value %zu", t->path, t->name, i++);
        if (!cJSON_IsNull(told))
            json_has_all(told, value, where);
        value = value != NULL ? value->next : NULL;
    }
    assert_null(value);
}

static void json_has_the_values(const struct tensor *t)
{
    if (!json_has(t->told, "values"))
        return;
    struct tool_run run = dump(t, "--json", NULL);
    if (run.code != 0)
        fail_msg("%s %.40s: %d, %.300s", t->path, t->name, run.code, run.err);
    cJSON *got = tool_json(&run);
    json_has_all(json_field(t->told, "name"), json_field(got, "name"), t->path);
    json_has_all(json_field(t->descriptor, "type"), json_field(got, "type"), t->path);
    json_has_all(json_field(t->descriptor, "shape"), json_field(got, "shape"), t->path);
    values_agree(t, got);
    cJSON_Delete(got);
    tool_free(&run);
}

static void values_are_as_told(void **state)
{
    (void)state;
    for_each_tensor(json_has_the_values);
}

/* ---- codes ---- */

/* A code of the manifest, most significant digit first, as a number of the type. */
static double number_of_code(const char *code, hry_type type)
{
    uint8_t bytes[16] = {0};
    double value;
    const size_t length = strlen(code);
    for (size_t i = 0; i < length; i++) {
        const char digit[] = {code[length - 1 - i], '\0'};
        bytes[i / 2] |= (uint8_t)(strtoul(digit, NULL, 16) << i % 2 * 4);
    }
    assert_int_equal(hry_to_double(type, bytes, &value, 1, NULL), HRY_OK);
    return value;
}

static hry_type type_of(const struct tensor *t, hry_extension_type *e)
{
    hry_type type = {(uint8_t)json_u64(t->descriptor, "type_tag"), NULL};
    if (!json_has(t->descriptor, "extension_type"))
        return type;
    const cJSON *told = json_field(t->descriptor, "extension_type");
    *e = (hry_extension_type){
        .bit_width = (uint32_t)json_u64(told, "bit_width"),
        .packing = (uint8_t)json_u64(told, "packing"),
        .is_float = json_u64(told, "is_float") != 0,
        .is_signed = json_u64(told, "is_signed") != 0,
        .sign_bits = (uint8_t)json_u64(told, "sign_bits"),
        .exponent_bits = (uint8_t)json_u64(told, "exponent_bits"),
        .mantissa_bits = (uint8_t)json_u64(told, "mantissa_bits"),
        .exponent_bias = (uint32_t)json_u64(told, "exponent_bias"),
        .has_nan = json_u64(told, "has_nan") != 0,
        .has_inf = json_u64(told, "has_inf") != 0,
    };
    type.extension = e;
    return type;
}

/* Private types have no values in the manifest, and quantized ones others than codes. */
static void raw_has_the_codes(const struct tensor *t)
{
    hry_extension_type e;
    const bool is_quantized = json_has(t->descriptor, "quantization");
    const hry_type type = type_of(t, &e);
    if (!json_has(t->told, "bits") || !(is_quantized || type.extension != NULL))
        return;
    struct tool_run run = dump(t, "--json", "--raw");
    if (run.code != 0)
        fail_msg("%s %.40s: %d, %.300s", t->path, t->name, run.code, run.err);
    cJSON *got = tool_json(&run);
    const cJSON *code, *value = json_field(got, "values")->child;
    cJSON_ArrayForEach(code, json_field(t->told, "bits"))
    {
        const double want = number_of_code(code->valuestring, type);
        if (json_real_of(value) != want && want == want)
            fail_msg("%s %s: %s is %g, got %g", t->path, t->name, code->valuestring, want,
                     json_real_of(value));
        value = value->next;
    }
    assert_null(value);
    cJSON_Delete(got);
    tool_free(&run);
}

static void raw_values_are_the_codes(void **state)
{
    (void)state;
    for_each_tensor(raw_has_the_codes);
}

/* ---- float128 ---- */

#if defined(__HAVE_FLOAT128) && __HAVE_FLOAT128 && !defined(__clang__)
__extension__ typedef _Float128 quad;
quad strtof128(const char *text, char **end); /* of glibc, whatever it shows */

static void is_code(const char *text, const char *code)
{
    uint64_t got[2];
    char hex[40];
    const quad value = strtof128(text, NULL);
    memcpy(got, &value, sizeof got);
    snprintf(hex, sizeof hex, "%016llx%016llx", (unsigned long long)got[1],
             (unsigned long long)got[0]);
    if (strcmp(hex, code) != 0)
        fail_msg("%s is %s, want %s", text, hex, code);
}

static void float128_gives_its_bits_back(void **state)
{
    (void)state;
    static const char *const codes[] = {
        "4000921fb54442d18469898cc51701b8", "3ffd5555555555555555555555555555",
        "7ffeffffffffffffffffffffffffffff", "00000000000000000000000000000001",
        "00010000000000000000000000000000"};
    char path[512];
    vector_path("interop", "type_float128.hrry", path);
    struct tool_run run = TOOL("dump", "--json", path, "patterns");
    const char *at = strstr(run.out, "\"values\": [");
    assert_non_null(at);
    for (size_t i = 0; i < 9; i++) {
        at += strcspn(at, "[,") + 1;
        if (i >= 4)
            is_code(at, codes[i - 4]);
    }
    tool_free(&run);
}
#else
static void float128_gives_its_bits_back(void **state)
{
    (void)state;
    skip();
}
#endif

/* ---- pieces ---- */

/* A file of one int32 tensor whose elements count up. */
static void write_counting(const char *path, uint32_t rank, const uint64_t *shape)
{
    hry_descriptor d;
    hry_writer *w;
    hry_error err;
    uint64_t count;
    assert_ok(hry_descriptor_dense(HRY_INT32, rank, shape, &d, &err), &err);
    assert_ok(hry_descriptor_count(&d, &count, &err), &err);
    int32_t *values = calloc(count, sizeof *values);
    assert_non_null(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int32_t)i;
    assert_ok(hry_writer_create(path, NULL, &w, &err), &err);
    assert_ok(hry_writer_add(w, "n", &d, (const void *const[]){values}, &err), &err);
    assert_ok(hry_writer_finish(w, &err), &err);
    free(values);
}

/* Tensors larger than what is in memory at once, cut along every axis. */
static void pieces_follow_each_other(void **state)
{
    (void)state;
    static const uint64_t shapes[][4] = {{40000},    {16384},      {3, 20000},
                                         {20000, 3}, {5, 7, 3001}, {2, 2, 2, 16385}};
    char path[] = "/tmp/hurray_cli_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        uint32_t rank = 0;
        while (rank < 4 && shapes[s][rank] > 0)
            rank++;
        write_counting(path, rank, shapes[s]);
        struct tool_run run = TOOL("dump", "--json", path, "n");
        assert_int_equal(run.code, 0);
        cJSON *got = tool_json(&run);
        const cJSON *value;
        int next = 0;
        cJSON_ArrayForEach(value, json_field(got, "values"))
            assert_int_equal(value->valueint, next++);
        uint64_t count = 1;
        for (uint32_t k = 0; k < rank; k++)
            count *= shapes[s][k];
        assert_int_equal(next, count);
        cJSON_Delete(got);
        tool_free(&run);
    }
    unlink(path);
}

/* ---- text, and what cannot be dumped ---- */

static void prints(const char *file, const char *name, const char *want)
{
    char path[512];
    vector_path("interop", file, path);
    struct tool_run run = TOOL("dump", path, name);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.out, want);
    tool_free(&run);
}

static void text_is_like_numpys(void **state)
{
    (void)state;
    prints("type_float16.hrry", "grid",
           "grid  float16 [3, 5]\n"
           "[[-3.  -2.5 -2.  -1.5 -1. ]\n"
           " [-0.5  0.   0.5  1.   1.5]\n"
           " [ 2.   2.5  3.   3.5  4. ]]\n");
    prints("type_float16.hrry", "patterns",
           "patterns  float16 [16]\n"
           "[ 0.000e+00 -0.000e+00  6.000e-08  6.100e-05  6.104e-05  3.333e-01\n"
           "  1.000e+00 -1.000e+00  3.140e+00  6.550e+04 -6.550e+04        inf\n"
           "       -inf        nan        nan        nan]\n");
    prints("type_bool.hrry", "grid",
           "grid  bool [3, 5]\n"
           "[[ True False False False False]\n"
           " [False False  True  True  True]\n"
           " [False False False False False]]\n");
    prints("shape_scalar_quantized_int8.hrry", "x", "x  int8 [], dequantized\n-25.75\n");
    prints("shape_empty_row_major.hrry", "x", "x  float32 [0, 4]\n[]\n");
    /* 2^60 elements over one: only what is shown is read. */
    prints("shape_large_dims_one_element.hrry", "x",
           "x  float32 [1099511627776, 1048576]\n"
           "[[2.5 2.5 2.5 ... 2.5 2.5 2.5]\n"
           " [2.5 2.5 2.5 ... 2.5 2.5 2.5]\n"
           " [2.5 2.5 2.5 ... 2.5 2.5 2.5]\n"
           " ...\n"
           " [2.5 2.5 2.5 ... 2.5 2.5 2.5]\n"
           " [2.5 2.5 2.5 ... 2.5 2.5 2.5]\n"
           " [2.5 2.5 2.5 ... 2.5 2.5 2.5]]\n");
}

static void every_tensor_prints_as_text(const struct tensor *t)
{
    if (!json_has(t->told, "values"))
        return;
    struct tool_run run = dump(t, NULL, NULL);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.err, "");
    for (const char *line = run.out; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        assert_true(line == end || end[-1] != ' ');
        assert_true(line == run.out || end - line <= 79);
        line = end + 1;
    }
    tool_free(&run);
}

static void text_fits_lines(void **state)
{
    (void)state;
    for_each_tensor(every_tensor_prints_as_text);
}

static void fails_with(int code, const char *says, struct tool_run run)
{
    if (run.code != code || strstr(run.err, says) == NULL)
        fail_msg("want %d and '%s', got %d, %s", code, says, run.code, run.err);
    assert_string_equal(run.out, "");
    tool_free(&run);
}

static void what_cannot_be_dumped_is_said(void **state)
{
    (void)state;
    char paged[512], plain[512], group[512], foreign[512], alone[512], bad[512], gap[512],
        torn[512];
    vector_path("interop", "paged_partial_pages_inside.hrry", paged);
    vector_path("interop", "type_bool.hrry", plain);
    vector_path("interop", "composite_group_unlike.hrry", group);
    vector_path("interop", "file_private_layout_f1.hrry", foreign);
    vector_path("interop", "desc_scalar.bin", alone);
    vector_path("interop", "bad/bad_data_coo_duplicate.hrry", bad);
    vector_path("interop", "bad/bad_partition_gap.hrry", gap);
    vector_path("interop", "bad/bad_torn_partition.hrry", torn);
    fails_with(2, "--lengths", TOOL("dump", paged, "x"));
    fails_with(2, "3 numbers for 2", TOOL("dump", "--lengths", "6,2,1", paged, "x"));
    fails_with(2, "no list", TOOL("dump", "--lengths", "6,x", paged, "x"));
    fails_with(2, "no list", TOOL("dump", "--lengths=6,", paged, "x"));
    fails_with(2, "block-paged", TOOL("dump", "--lengths", "1", plain, "grid"));
    fails_with(2, "no tensor named 'y'", TOOL("dump", plain, "y"));
    fails_with(2, "group", TOOL("dump", "--json", group, "g"));
    fails_with(2, "not for composites", TOOL("dump", "--raw", group, "g"));
    fails_with(1, "gap", TOOL("dump", "--json", gap, "w"));
    fails_with(1, "torn", TOOL("dump", torn, "w"));
    fails_with(1, "private layout", TOOL("dump", foreign, "opaque"));
    fails_with(2, "one descriptor", TOOL("dump", alone, "x"));
    fails_with(1, "byte 8208", TOOL("dump", "--json", bad, "x"));
}

/* ---- parts ---- */

/* grid of type_float16.hrry is -3, -2.5, ... in rows of 5. */
static void part_is(const char *slice, const char *want)
{
    char path[512], name[64];
    vector_path("interop", "type_float16.hrry", path);
    snprintf(name, sizeof name, "grid%s", slice);
    struct tool_run run = TOOL("dump", "-f", "csv", path, name);
    if (run.code != 0 || strcmp(run.out, want) != 0)
        fail_msg("%s: %d, %s%s", slice, run.code, run.out, run.err);
    tool_free(&run);
}

static void slices_are_as_in_numpy(void **state)
{
    (void)state;
    part_is("[1, 2]", "0.5\n");
    part_is("[-1]", "2.0\n2.5\n3.0\n3.5\n4.0\n");
    part_is("[..., 0]", "-3.0\n-0.5\n2.0\n");
    part_is("[::2, ::-2]", "-1.0,-2.0,-3.0\n4.0,3.0,2.0\n");
    part_is("[0:1, 3:100]", "-1.5,-1.0\n");
    part_is("[:, -4:-2]", "-2.5,-2.0\n0.0,0.5\n2.5,3.0\n");
    part_is("[1:1]", "");
    part_is("[2, 4:1:-1]", "4.0\n3.5\n3.0\n");
    part_is("[...]",
            "-3.0,-2.5,-2.0,-1.5,-1.0\n-0.5,0.0,0.5,1.0,1.5\n2.0,2.5,3.0,3.5,4.0\n");
}

static void slices_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"grid[3]", "outside axis 0"},  {"grid[0, -6]", "outside axis 1"},
        {"grid[::0]", "must not be 0"}, {"grid[a]", "no index"},
        {"grid[1 2]", "no index"},      {"grid[0,0,0]", "more indices than the 2 axes"},
        {"grid[..., ...]", "no index"}, {"grid[99999999999999999999]", "no index"},
    };
    char path[512];
    vector_path("interop", "type_float16.hrry", path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fails_with(2, bad[i][1], TOOL("dump", "--json", path, bad[i][0]));
}

/* Every tensor backwards and with strides, against the same values in order. */
static void parts_are_parts(const struct tensor *t)
{
    static const char *const slices[] = {"[::-1]", "[..., ::-3]", "[..., ::11]", "[1::2]"};
    static const int64_t steps[] = {-1, -3, 11, 2};
    if (!json_has(t->told, "values") || json_field(t->descriptor, "shape")->child == NULL)
        return;
    const cJSON *values = json_field(t->told, "values"),
                *shape = json_field(t->descriptor, "shape");
    const int count = cJSON_GetArraySize(values);
    if (cJSON_GetArraySize(shape) != 1 || count == 0)
        return; /* of one axis, where the wanted index is plain */
    for (size_t i = 0; i < 4; i++) {
        static char name[70000]; /* the longest name there is, and more */
        struct tensor part = *t;
        snprintf(name, sizeof name, "%s%s", t->name, slices[i]);
        part.name = name;
        struct tool_run run = dump(&part, "--json", NULL);
        if (run.code != 0)
            fail_msg("%s %s: %s", t->path, name, run.err);
        cJSON *got = tool_json(&run);
        const cJSON *value;
        int64_t at = steps[i] < 0 ? count - 1 : i == 3;
        cJSON_ArrayForEach(value, json_field(got, "values"))
        {
            const cJSON *told = cJSON_GetArrayItem(values, (int)at);
            if (!cJSON_IsNull(told))
                json_has_all(told, value, t->path);
            at += steps[i];
        }
        assert_true(at < 0 || at >= count);
        cJSON_Delete(got);
        tool_free(&run);
    }
}

static void every_line_in_parts(void **state)
{
    (void)state;
    for_each_tensor(parts_are_parts);
}

/* ---- formats ---- */

static void npy_is_as_numpy_writes_it(void **state)
{
    (void)state;
    static const char want[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f2', 'fortran_order': False, "
        "'shape': (3, 5), }";
    char path[512], out[] = "/tmp/hurray_npy_XXXXXX";
    vector_path("interop", "type_float16.hrry", path);
    struct tool_run run = TOOL("dump", "-f", "npy", path, "grid");
    assert_int_equal(run.out_size, 128 + 15 * 2);
    assert_memory_equal(run.out, want, sizeof want - 1);
    assert_memory_equal(run.out + 126, " \n\x00\xc2\x00\xc1", 6);
    const int fd = mkstemp(out);
    assert_true(fd >= 0);
    struct tool_run raw = TOOL("dump", "-f", "raw", "-o", out, path, "grid");
    assert_int_equal(raw.code, 0);
    char bytes[64];
    assert_int_equal(read(fd, bytes, sizeof bytes), 0); /* another file took the name */
    close(fd);
    FILE *f = fopen(out, "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), 30);
    assert_memory_equal(bytes, run.out + 128, 30);
    fclose(f);
    unlink(out);
    tool_free(&run);
    tool_free(&raw);
}

static void endless_output_is_refused(void **state)
{
    (void)state;
    char path[512];
    vector_path("interop", "shape_large_dims_one_element.hrry", path);
    fails_with(2, "--force", TOOL("dump", "--json", path, "x"));
    fails_with(2, "4294967296", TOOL("dump", "-f", "raw", path, "x"));
    struct tool_run part = TOOL("dump", "-f", "csv", path, "x[::549755813888, -1]");
    assert_string_equal(part.out, "2.5\n2.5\n");
    tool_free(&part);
}

/* The same through a pipe. */
static void standard_input_is_a_file(void **state)
{
    (void)state;
    char path[512], bytes[20000];
    vector_path("interop", "type_float16.hrry", path);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct tool_run piped =
        tool_run(bytes, size, (const char *const[]){"dump", "--json", "-", "grid", NULL});
    struct tool_run opened = TOOL("dump", "--json", path, "grid");
    assert_int_equal(piped.code, 0);
    assert_string_equal(piped.out, opened.out);
    tool_free(&piped);
    tool_free(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_as_told),
        cmocka_unit_test(raw_values_are_the_codes),
        cmocka_unit_test(float128_gives_its_bits_back),
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(text_is_like_numpys),
        cmocka_unit_test(text_fits_lines),
        cmocka_unit_test(what_cannot_be_dumped_is_said),
        cmocka_unit_test(slices_are_as_in_numpy),
        cmocka_unit_test(slices_that_are_none_are_refused),
        cmocka_unit_test(every_line_in_parts),
        cmocka_unit_test(npy_is_as_numpy_writes_it),
        cmocka_unit_test(endless_output_is_refused),
        cmocka_unit_test(standard_input_is_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
