/* SPDX-License-Identifier: Apache-2.0 */
/* Random selections on both sides, written and read, against an array in memory. */
#include "h5_test.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANK = 4, MOST = 4096 };

typedef struct model {
    hid_t dataset;
    int rank;
    hsize_t dims[MOST_RANK];
    size_t count;
    int32_t values[MOST];
} model;

static uint64_t pick(random_state *seed, uint64_t below)
{
    return random_in(seed, 0, below - 1);
}

static void select_hyperslab(random_state *seed, hid_t space, int rank, const hsize_t *dims,
                             H5S_seloper_t op)
{
    hsize_t start[MOST_RANK], stride[MOST_RANK], count[MOST_RANK], block[MOST_RANK];
    for (int k = 0; k < rank; k++) {
        start[k] = pick(seed, dims[k]);
        const hsize_t room = dims[k] - start[k];
        block[k] = 1 + pick(seed, room < 3 ? room : 3);
        stride[k] = block[k] + pick(seed, 3);
        count[k] = 1 + pick(seed, (room - block[k]) / stride[k] + 1);
    }
    h5(H5Sselect_hyperslab(space, op, start, stride, count, block));
}

static void select_points(random_state *seed, hid_t space, int rank, const hsize_t *dims)
{
    hsize_t points[16 * MOST_RANK];
    bool used[MOST] = {false};
    size_t n = 0;
    for (int tries = 0; tries < 16; tries++) {
        size_t at = 0;
        for (int k = 0; k < rank; k++) {
            points[n * (size_t)rank + (size_t)k] = pick(seed, dims[k]);
            at = at * (size_t)dims[k] + (size_t)points[n * (size_t)rank + (size_t)k];
        }
        n += used[at] ? 0 : 1; /* a point written twice has no one value */
        used[at] = true;
    }
    h5(H5Sselect_elements(space, H5S_SELECT_SET, n, points));
}

/* HDF5 1.14 miscounts some combined hyperslabs, and then fails on them itself. */
static bool counted_right(hid_t space, int rank)
{
    const hssize_t n = H5Sget_select_npoints(space);
    hssize_t sum = 0;
    if (n == 0 || H5Sget_select_type(space) != H5S_SEL_HYPERSLABS)
        return true;
    const hsize_t blocks = (hsize_t)H5Sget_select_hyper_nblocks(space);
    hsize_t *corners = malloc((size_t)blocks * 2 * MOST_RANK * sizeof *corners);
    assert_non_null(corners);
    h5(H5Sget_select_hyper_blocklist(space, 0, blocks, corners));
    for (hsize_t b = 0; b < blocks; b++) {
        const hsize_t *low = corners + b * 2 * (hsize_t)rank, *high = low + rank;
        hssize_t volume = 1;
        for (int k = 0; k < rank; k++)
            volume *= (hssize_t)(high[k] - low[k] + 1);
        sum += volume;
    }
    free(corners);
    return sum == n;
}

static void select_any(random_state *seed, hid_t space, int rank, const hsize_t *dims)
{
    switch (pick(seed, 6)) {
    case 0:
        h5(H5Sselect_all(space));
        break;
    case 1:
        select_points(seed, space, rank, dims);
        break;
    case 2:
        select_hyperslab(seed, space, rank, dims, H5S_SELECT_SET);
        select_hyperslab(seed, space, rank, dims, H5S_SELECT_OR);
        break;
    case 3:
        select_hyperslab(seed, space, rank, dims, H5S_SELECT_SET);
        select_hyperslab(seed, space, rank, dims, H5S_SELECT_XOR);
        break;
    default:
        select_hyperslab(seed, space, rank, dims, H5S_SELECT_SET);
    }
    if (!counted_right(space, rank))
        h5(H5Sselect_all(space));
}

/* The offsets of the selected elements in the order of transfer. */
typedef struct order {
    size_t n;
    size_t at[MOST];
} order;

static herr_t note(void *elem, hid_t type, unsigned rank, const hsize_t *point, void *ctx)
{
    order *o = ctx;
    (void)type;
    (void)rank;
    (void)point;
    o->at[o->n++] = (size_t) * (int32_t *)elem;
    return 0;
}

static void order_of(hid_t space, size_t count, order *out)
{
    static int32_t numbers[MOST];
    for (size_t i = 0; i < count; i++)
        numbers[i] = (int32_t)i;
    out->n = 0;
    if (H5Sget_select_npoints(space) > 0)
        h5(H5Diterate(numbers, H5T_NATIVE_INT32, space, note, out));
}

/* A memory space with as many elements selected as `n`. */
static hid_t memory_space(random_state *seed, hsize_t n, size_t *count)
{
    const hsize_t spread = pick(seed, 2) ? 1 : 2 + pick(seed, 3), start = pick(seed, 3);
    const hsize_t size = start + n * spread + 1;
    const hid_t space = h5(H5Screate_simple(1, &size, NULL));
    if (n == 0)
        h5(H5Sselect_none(space));
    else
        h5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &spread, &n, NULL));
    *count = (size_t)size;
    return space;
}

static void step(random_state *seed, model *m)
{
    static order file, memory;
    static int32_t buffer[MOST * 5 + 8];
    size_t size;
    const hid_t space = h5(H5Dget_space(m->dataset));

    select_any(seed, space, m->rank, m->dims);
    const hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    const hid_t mspace = memory_space(seed, n, &size);
    const bool writing = pick(seed, 2);
    order_of(space, m->count, &file);
    if (size > MOST)
        goto out; /* order_of() cannot count that far */
    order_of(mspace, size, &memory);
    assert_int_equal(file.n, memory.n);
    for (size_t i = 0; i < size; i++)
        buffer[i] = writing ? (int32_t)random_next(seed) : -1;
    if (writing) {
        h5(H5Dwrite(m->dataset, H5T_NATIVE_INT32, mspace, space, H5P_DEFAULT, buffer));
        for (size_t i = 0; i < file.n; i++)
            m->values[file.at[i]] = buffer[memory.at[i]];
        goto out;
    }
    h5(H5Dread(m->dataset, H5T_NATIVE_INT32, mspace, space, H5P_DEFAULT, buffer));
    for (size_t i = 0; i < file.n; i++) {
        assert_int_equal(buffer[memory.at[i]], m->values[file.at[i]]);
        buffer[memory.at[i]] = -1;
    }
    for (size_t i = 0; i < size; i++)
        assert_int_equal(buffer[i], -1); /* nothing beside the selection was touched */
out:
    h5(H5Sclose(mspace));
    h5(H5Sclose(space));
}

static void make(random_state *seed, hid_t file, model *m, const char *name, hid_t type,
                 bool chunked)
{
    const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));
    hsize_t chunk[MOST_RANK];

    memset(m, 0, sizeof *m);
    m->rank = (int)(1 + pick(seed, MOST_RANK));
    m->count = 1;
    for (int k = 0; k < m->rank; k++) {
        m->dims[k] = 1 + pick(seed, m->rank == 1 ? 900 : m->rank == 2 ? 30 : 7);
        chunk[k] = 1 + pick(seed, m->dims[k]);
        m->count *= (size_t)m->dims[k];
    }
    if (chunked) {
        h5(H5Pset_chunk(dcpl, m->rank, chunk));
        if (pick(seed, 2))
            h5(H5Pset_shuffle(dcpl));
    }
    m->dataset = h5_dataset(file, name, type, m->rank, m->dims, NULL, dcpl);
    h5(H5Pclose(dcpl));
}

static void check(const model *m)
{
    static int32_t values[MOST];
    h5(H5Dread(m->dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    assert_memory_equal(values, m->values, m->count * sizeof values[0]);
}

static void run(hid_t type, bool chunked)
{
    static model m;
    for (uint64_t round = 1; round <= 200; round++) {
        random_state seed = {round};
        char name[] = "select.h5";
        hid_t file = h5_create(name);
        make(&seed, file, &m, "d", type, chunked);
        for (int i = 0; i < 20; i++)
            step(&seed, &m);
        check(&m);
        h5(H5Dclose(m.dataset));
        h5(H5Fclose(file));
        file = h5_open(name);
        m.dataset = h5(H5Dopen2(file, "d", H5P_DEFAULT));
        check(&m);
        for (int i = 0; i < 10; i++)
            step(&seed, &m);
        check(&m);
        h5(H5Dclose(m.dataset));
        h5(H5Fclose(file));
    }
}

static void contiguous(void **state)
{
    (void)state;
    run(H5T_NATIVE_INT32, false);
}

static void contiguous_with_conversion(void **state)
{
    (void)state;
    run(H5T_STD_I64BE, false);
}

static void chunked(void **state)
{
    (void)state;
    run(H5T_NATIVE_INT32, true);
}

static void chunked_with_conversion(void **state)
{
    (void)state;
    run(H5T_STD_I32BE, true);
}

static void what_does_not_match_is_refused(void **state)
{
    (void)state;
    const hid_t file = h5_create("mismatch.h5");
    const hsize_t ten = 10, five = 5, eight = 8, four = 4;
    const hid_t dataset = h5_dataset(file, "d", H5T_NATIVE_INT, 1, &ten, NULL, H5P_DEFAULT);
    const hid_t memory = h5(H5Screate_simple(1, &five, NULL));
    const hid_t space = h5(H5Dget_space(dataset));
    int values[10] = {0};

    h5_fails(H5Dread(dataset, H5T_NATIVE_INT, memory, H5S_ALL, H5P_DEFAULT, values), "");
    h5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &eight, NULL, &four, NULL));
    h5_fails(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, space, H5P_DEFAULT, values), "");
    h5_fails(H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values), "");
    h5(H5Sclose(space));
    h5(H5Sclose(memory));
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous),
        cmocka_unit_test(contiguous_with_conversion),
        cmocka_unit_test(chunked),
        cmocka_unit_test(chunked_with_conversion),
        cmocka_unit_test(what_does_not_match_is_refused),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
