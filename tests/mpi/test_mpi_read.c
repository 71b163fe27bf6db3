/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions that another implementation wrote, read in parts by several ranks. */
#include "manifest.h"
#include "mpi_test.h"

enum { MOST = 4096 }; /* elements of the largest of these tensors */

static const cJSON *entry_of(const cJSON *root, const char *file)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, manifest_list(root, "good_files"))
    {
        if (strcmp(json_text(entry, "file"), file) == 0)
            return entry;
    }
    fail_msg("%s: not in the manifest", file);
    return NULL;
}

/* Rows [from, to) of tensor `i`, of int16, against the manifest's values. */
static void check_rows(hry_mpi_reader *r, uint64_t i, const cJSON *values, uint64_t from,
                       uint64_t to)
{
    hry_error err;
    hry_descriptor d;
    uint64_t start[HRY_MAX_RANK] = {from}, size[HRY_MAX_RANK], row = 1;
    int16_t data[MOST];
    assert_ok(hry_file_descriptor(hry_mpi_reader_file(r), i, &d, &err), &err);
    for (uint32_t k = 1; k < d.rank; k++)
        row *= size[k] = d.shape[k];
    size[0] = to - from;
    assert_true(row * (to - from) <= MOST);
    assert_ok(hry_mpi_reader_read(r, i, start, size, NULL, data, &err), &err);
    for (uint64_t n = 0; n < row * (to - from); n++)
        assert_int_equal(data[n],
                         json_i64_of(cJSON_GetArrayItem(values, (int)(from * row + n))));
}

static void reads_partitions_of_others_in_any_parts(void **state)
{
    (void)state;
    static const char *const files[] = {"composite_partition_many.hrry",
                                        "composite_partition_zero_members.hrry"};
    cJSON *const root = manifest_load("interop/manifest.json");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        hry_error err;
        hry_descriptor d;
        hry_mpi_reader *r;
        char path[512];
        const cJSON *const tensor =
            cJSON_GetArrayItem(json_field(entry_of(root, files[f]), "tensors"), 0);
        const cJSON *const values = json_field(tensor, "values");
        vector_path("interop", files[f], path);
        assert_ok(hry_mpi_reader_open(MPI_COMM_WORLD, path, &r, &err), &err);
        assert_ok(hry_file_descriptor(hry_mpi_reader_file(r), 0, &d, &err), &err);
        const uint64_t n = (uint64_t)ranks, me = (uint64_t)my_rank;
        check_rows(r, 0, values, d.shape[0] * me / n, d.shape[0] * (me + 1) / n);
        check_rows(r, 0, values, 0, d.shape[0]);
        hry_mpi_reader_close(r);
    }
    cJSON_Delete(root);
}

static void refuses_members_it_cannot_read(void **state)
{
    (void)state;
    static const char *const files[] = {
        "composite_partition_1d.hrry", "composite_partition_mixed_layouts.hrry",
        "composite_partition_nested.hrry", "composite_partition_quantized_members.hrry",
        "composite_partition_with_overlay_member.hrry"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        hry_error err;
        hry_mpi_reader *r;
        char path[512];
        double data[1];
        const uint64_t zero[3] = {0}, one[3] = {1, 1, 1};
        vector_path("interop", files[f], path);
        assert_ok(hry_mpi_reader_open(MPI_COMM_WORLD, path, &r, &err), &err);
        assert_status(HRY_ERR_UNSUPPORTED,
                      hry_mpi_reader_read(r, 0, zero, one, NULL, data, &err), &err);
        hry_mpi_reader_close(r);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_partitions_of_others_in_any_parts),
    cmocka_unit_test(refuses_members_it_cannot_read),
};

MPI_TEST_MAIN(tests)
