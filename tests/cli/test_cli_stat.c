/* SPDX-License-Identifier: Apache-2.0 */
/* stat on files that other implementations wrote: statistics are those of the values told,
 * and every byte of a file has its use. */
#include "cmocka_all.h"
#include "manifest.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the values of the manifest amount to; means of large numbers by long double. */
struct wanted {
    uint64_t count, zeros, nans, infinities, finite;
    long double min, max, mean, deviation;
};

static double number_of(const cJSON *value)
{
    return cJSON_IsString(value) ? strtod(value->valuestring, NULL) : value->valuedouble;
}

static struct wanted wanted_of(const cJSON *values)
{
    struct wanted w = {.min = INFINITY, .max = -INFINITY};
    const cJSON *value;
    long double sum = 0, squares = 0;
    cJSON_ArrayForEach(value, values)
    {
        const double x = number_of(value);
        w.count++;
        w.zeros += x == 0;
        w.nans += isnan(x) != 0;
        w.infinities += isinf(x) != 0;
        if (!isfinite(x))
            continue;
        w.finite++;
        sum += x;
        w.min = fminl(w.min, x);
        w.max = fmaxl(w.max, x);
    }
    w.mean = w.finite > 0 ? sum / (long double)w.finite : 0;
    cJSON_ArrayForEach(value, values)
    {
        const long double d = number_of(value) - w.mean;
        squares += isfinite(number_of(value)) ? d * d : 0;
    }
    w.deviation = w.finite > 0 ? sqrtl(squares / (long double)w.finite) : 0;
    return w;
}

static void is_near(const cJSON *got, const char *field, long double want,
                    long double scale, const char *where)
{
    const double value = number_of(json_field(got, field));
    if (fabsl(value - want) > 1e-9L * (fabsl(scale) + 1e-300L) && value != (double)want)
        fail_msg("%s: %s is %.17g, want %.17Lg", where, field, value, want);
}

static void check_histogram(const cJSON *got, const struct wanted *w)
{
    const cJSON *h = json_field(got, "histogram"), *edges = json_field(h, "edges");
    const cJSON *count;
    const int bins = cJSON_GetArraySize(edges) - 1;
    uint64_t sum = 0;
    assert_in_range(bins, 1, 16);
    cJSON_ArrayForEach(count, json_field(h, "counts")) sum += (uint64_t)count->valuedouble;
    assert_int_equal(sum, w->finite);
    assert_true(number_of(edges->child) <= w->min);
    const double last = number_of(cJSON_GetArrayItem(edges, bins));
    assert_true(last > w->max || isinf(last));
}

static void agrees(const cJSON *got, const cJSON *values, const char *where)
{
    const struct wanted w = wanted_of(values);
    assert_int_equal(json_u64(got, "elements"), w.count);
    assert_int_equal(json_u64(got, "zeros"), w.zeros);
    assert_int_equal(json_u64(got, "nan"), w.nans);
    assert_int_equal(json_u64(got, "infinite"), w.infinities);
    if (w.finite == 0)
        return;
    const long double scale = fmaxl(fabsl(w.min), fabsl(w.max));
    is_near(got, "min", w.min, 0, where);
    is_near(got, "max", w.max, 0, where);
    if (scale > 1e150L) /* its squares are no doubles */
        return;
    is_near(got, "mean", w.mean, scale, where);
    is_near(got, "stddev", w.deviation, scale, where);
    check_histogram(got, &w);
}

/* Values that are all told, and no pairs. */
static int is_plain(const cJSON *told)
{
    const cJSON *value;
    if (!json_has(told, "values") || json_has(told, "sequence_tokens"))
        return 0;
    cJSON_ArrayForEach(value,
                       json_field(told, "values")) if (cJSON_IsNull(value) ||
                                                       cJSON_IsArray(value)) return 0;
    return 1;
}

static void statistics_are_those_of_the_values(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *told;
    size_t count = 0;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        cJSON_ArrayForEach(told, json_field(file, "tensors"))
        {
            char path[512];
            const char *name = json_text(told, "name");
            if (!is_plain(told) || strcmp(name, "nul") == 0)
                continue;
            vector_path("interop", json_text(file, "file"), path);
            struct tool_run run = TOOL("stat", "--json", path, "--", name);
            if (run.code != 0)
                fail_msg("%s %s: %s", path, name, run.err);
            cJSON *got = tool_json(&run);
            agrees(got->child, json_field(told, "values"), path);
            cJSON_Delete(got);
            tool_free(&run);
            count++;
        }
    }
    assert_true(count > 200);
    cJSON_Delete(root);
}

/* ---- space ---- */

static uint64_t space_sum(const cJSON *got)
{
    const cJSON *use;
    uint64_t sum = 0;
    cJSON_ArrayForEach(use, json_field(got, "space")) sum += (uint64_t)use->valuedouble;
    return sum;
}

static void every_byte_has_its_use(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        char path[512];
        vector_path("interop", json_text(file, "file"), path);
        struct tool_run run = TOOL("stat", "--json", path);
        assert_int_equal(run.code, 0);
        cJSON *got = tool_json(&run);
        assert_int_equal(space_sum(got), json_u64(file, "size"));
        assert_int_equal(json_u64(json_field(got, "space"), "header_and_trailer"), 104);
        cJSON_Delete(got);
        tool_free(&run);
    }
    cJSON_Delete(root);
}

static void text_has_bars_and_tables(void **state)
{
    (void)state;
    char path[512], mixed[512];
    vector_path("interop", "sparse_csr_basic.hrry", path);
    vector_path("interop", "composite_partition_mixed_layouts.hrry", mixed);
    struct tool_run one = TOOL("stat", path, "x", "-b", "3");
    assert_string_equal(one.out, "x  float32 [4, 5]\n"
                                 "elements  20\n"
                                 "zeros     15 (75%)\n"
                                 "min       0\n"
                                 "max       5\n"
                                 "mean      0.75\n"
                                 "stddev    1.47901995\n"
                                 "  [0, 2)  ######################################## 16\n"
                                 "  [2, 4)  #####                                    2\n"
                                 "  [4, 6)  #####                                    2\n");
    struct tool_run many = TOOL("stat", mixed, "m.c*", "m[0:4, 0:2]");
    assert_non_null(
        strstr(many.out, "\nm.coo        12    23    42   32.5  6.72062   0.0% "));
    assert_non_null(
        strstr(many.out, "\nm             8    -3  15.5   6.25  6.71286   0.0% "));
    struct tool_run none = TOOL("stat", mixed, "n*");
    assert_int_equal(none.code, 2);
    tool_free(&one);
    tool_free(&many);
    tool_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_those_of_the_values),
        cmocka_unit_test(every_byte_has_its_use),
        cmocka_unit_test(text_has_bars_and_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
