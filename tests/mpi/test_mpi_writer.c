/* SPDX-License-Identifier: Apache-2.0 */
/* Files that every rank writes a part of: read back serially, and in other parts. */
#include "mpi_test.h"

enum { MOST = 64 }; /* ranks in these tests */

/* A decomposition over all ranks, and this rank's box of it. */
typedef struct parts {
    uint64_t start[MOST * 3], size[MOST * 3];
    hry_mpi_boxes boxes;
    const uint64_t *my_start, *my_size;
} parts;

static void cut(parts *p, uint32_t rank, const uint64_t *shape, const int *grid)
{
    hry_error err;
    uint32_t cells[3];
    for (uint32_t k = 0; k < rank; k++)
        cells[k] = (uint32_t)grid[k];
    assert_ok(hry_mpi_grid(rank, shape, cells, p->start, p->size, &err), &err);
    p->boxes =
        (hry_mpi_boxes){.count = (uint32_t)ranks, .start = p->start, .size = p->size};
    p->my_start = p->start + (size_t)my_rank * rank;
    p->my_size = p->size + (size_t)my_rank * rank;
}

static uint64_t volume(uint32_t rank, const uint64_t *size)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < rank; k++)
        n *= size[k];
    return n;
}

/* What the element at `index` of a tensor holds: its number in row-major order. */
static int32_t value_at(uint32_t rank, const uint64_t *shape, const uint64_t *index)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < rank; k++)
        n = n * shape[k] + index[k];
    return (int32_t)n + 1000;
}

/* The i-th index of a box, as an index of the whole. */
static void index_in(uint32_t rank, const uint64_t *start, const uint64_t *size, uint64_t i,
                     uint64_t *index)
{
    for (uint32_t k = rank; k-- > 0; i /= size[k])
        index[k] = start[k] + i % size[k];
}

/* A box in memory with `halo` more elements on each side, which hold -1. */
typedef struct block {
    uint64_t shape[3], start[3], count;
    int32_t *data;
} block;

static block block_new(uint32_t rank, const uint64_t *size, uint64_t halo)
{
    block b = {.count = 1};
    for (uint32_t k = 0; k < rank; k++) {
        b.shape[k] = size[k] + 2 * halo;
        b.start[k] = halo;
        b.count *= b.shape[k];
    }
    b.data = malloc(b.count * sizeof *b.data + 1);
    assert_non_null(b.data);
    for (uint64_t i = 0; i < b.count; i++)
        b.data[i] = -1;
    return b;
}

static int32_t *block_at(const block *b, uint32_t rank, const uint64_t *size, uint64_t i)
{
    uint64_t at[3], n = 0;
    index_in(rank, b->start, size, i, at);
    for (uint32_t k = 0; k < rank; k++)
        n = n * b->shape[k] + at[k];
    return &b->data[n];
}

static void write_block(hry_mpi_writer *w, uint64_t id, uint32_t rank,
                        const uint64_t *shape, const parts *p, uint64_t halo)
{
    hry_error err;
    block b = block_new(rank, p->my_size, halo);
    const hry_mpi_memory memory = {.shape = b.shape, .start = b.start};
    const uint64_t count = volume(rank, p->my_size);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index[3];
        index_in(rank, p->my_start, p->my_size, i, index);
        *block_at(&b, rank, p->my_size, i) = value_at(rank, shape, index);
    }
    assert_ok(hry_mpi_writer_write(w, id, p->my_start, p->my_size,
                                   halo > 0 ? &memory : NULL, b.data, &err),
              &err);
    free(b.data);
}

static void read_block(hry_mpi_reader *r, uint64_t i, uint32_t rank, const uint64_t *shape,
                       const parts *p, uint64_t halo)
{
    hry_error err;
    block b = block_new(rank, p->my_size, halo);
    const hry_mpi_memory memory = {.shape = b.shape, .start = b.start};
    const uint64_t count = volume(rank, p->my_size);
    uint64_t kept = 0;
    assert_ok(hry_mpi_reader_read(r, i, p->my_start, p->my_size, halo > 0 ? &memory : NULL,
                                  b.data, &err),
              &err);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t index[3];
        index_in(rank, p->my_start, p->my_size, n, index);
        assert_int_equal(*block_at(&b, rank, p->my_size, n), value_at(rank, shape, index));
    }
    for (uint64_t n = 0; n < b.count; n++)
        kept += b.data[n] == -1;
    assert_int_equal(kept, b.count - count); /* nothing around the box was touched */
    free(b.data);
}

/* Every stored tensor under `name`, by the core's reader alone. */
static void check_serially(const char *path, const char *name, uint32_t rank,
                           const uint64_t *shape, uint64_t want_members)
{
    hry_error err;
    hry_file *file;
    hry_entry e;
    hry_descriptor d;
    uint64_t offset, members = 0, elements = 0;
    const size_t length = strlen(name);
    assert_ok(hry_file_open(path, NULL, &file, &err), &err);
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        assert_ok(hry_file_entry(file, i, &e, &err), &err);
        if (e.name_length < length || memcmp(e.name, name, length) != 0)
            continue;
        assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
        if (d.layout_tag == HRY_COMPOSITE) {
            assert_int_equal(d.fields.composite.member_count, want_members);
            continue;
        }
        members++;
        const uint64_t zero[3] = {0};
        const uint64_t *start = d.flags & HRY_HAS_SHARD ? d.shard.offset : zero;
        const uint64_t count = volume(rank, d.shape);
        assert_ok(hry_file_buffer(file, i, &d, 0, &offset, &err), &err);
        assert_int_equal(offset % 4096, 0);
        for (uint64_t n = 0; n < count; n++, elements++) {
            uint64_t index[3];
            int32_t got;
            index_in(rank, start, d.shape, n, index);
            assert_ok(hry_file_read(file, offset + n * sizeof got, &got, sizeof got, &err),
                      &err);
            assert_int_equal(got, value_at(rank, shape, index));
        }
    }
    assert_int_equal(members, want_members == 0 ? 1 : want_members);
    assert_int_equal(elements, volume(rank, shape));
    hry_file_close(file);
}

static hry_mpi_writer *create(const char *name, const hry_mpi_writer_options *options)
{
    hry_error err;
    hry_mpi_writer *w;
    assert_ok(hry_mpi_writer_create(MPI_COMM_WORLD, test_path(name), options, &w, &err),
              &err);
    return w;
}

static uint64_t add(hry_mpi_writer *w, const char *name, uint32_t rank,
                    const uint64_t *shape, const hry_mpi_boxes *boxes)
{
    hry_error err;
    hry_descriptor d;
    uint64_t id;
    assert_ok(hry_descriptor_dense(HRY_INT32, rank, shape, &d, &err), &err);
    assert_ok(hry_mpi_writer_add(w, name, &d, boxes, &id, &err), &err);
    return id;
}

static uint64_t find(hry_mpi_reader *r, const char *name)
{
    hry_error err;
    uint64_t i;
    assert_ok(hry_file_find(hry_mpi_reader_file(r), name, strlen(name), &i, &err), &err);
    return i;
}

/* Write under one grid, check serially on rank 0, read under another grid. */
static void round_trip(uint32_t rank, const uint64_t *shape, const int *grid,
                       const int *other, uint64_t halo,
                       const hry_mpi_writer_options *options, uint64_t want_members)
{
    hry_error err;
    parts p;
    hry_mpi_reader *r;
    cut(&p, rank, shape, grid);
    hry_mpi_writer *w = create("trip", options);
    const uint64_t first = add(w, "a/first", rank, shape, &p.boxes);
    const uint64_t second = add(w, "second", rank, shape, NULL);
    write_block(w, second, rank, shape, &p, halo);
    write_block(w, first, rank, shape, &p, halo);
    assert_ok(hry_mpi_writer_close(w, &err), &err);

    if (my_rank == 0) {
        check_serially(test_path("trip"), "a/first", rank, shape, want_members);
        check_serially(test_path("trip"), "second", rank, shape, 0);
    }
    cut(&p, rank, shape, other);
    assert_ok(hry_mpi_reader_open(MPI_COMM_WORLD, test_path("trip"), &r, &err), &err);
    read_block(r, find(r, "a/first"), rank, shape, &p, halo);
    read_block(r, find(r, "second"), rank, shape, &p, halo);
    read_block(r, find(r, "a/first"), rank, shape, &p, 0);
    hry_mpi_reader_close(r);
    test_remove("trip");
}

static void writes_slabs_of_a_vector(void **state)
{
    (void)state;
    const uint64_t shape[1] = {100003};
    round_trip(1, shape, &ranks, &ranks, 0, NULL, 0);
    round_trip(1, shape, &ranks, &ranks, 3, NULL, 0);
}

static void writes_blocks_of_a_matrix(void **state)
{
    (void)state;
    const uint64_t shape[2] = {57, 131};
    const int columns[2] = {1, ranks}, rows[2] = {ranks, 1};
    const uint64_t members = ranks == 1 ? 0 : (uint64_t)ranks;
    round_trip(2, shape, columns, rows, 0, NULL, members);
    round_trip(2, shape, columns, columns, 2, NULL, members);
    round_trip(2, shape, rows, columns, 0, NULL, 0);
}

static void writes_blocks_of_a_volume(void **state)
{
    (void)state;
    const uint64_t shape[3] = {13, 40, 37};
    int grid[3] = {0, 0, 0}, other[3] = {1, 1, ranks};
    const hry_mpi_writer_options always = {.shards = HRY_MPI_SHARDS_ALWAYS};
    const hry_mpi_writer_options never = {.shards = HRY_MPI_SHARDS_NEVER, .sync = true};
    MPI_Dims_create(ranks, 3, grid);
    round_trip(3, shape, grid, other, 1, &always, (uint64_t)ranks);
    round_trip(3, shape, other, grid, 0, &always, (uint64_t)ranks);
    round_trip(3, shape, grid, other, 0, &never, 0);
}

static void writes_large_rows_without_a_buffer(void **state)
{
    (void)state;
    const uint64_t shape[2] = {6, 80000};
    const int columns[2] = {1, ranks}, rows[2] = {ranks, 1};
    const hry_mpi_writer_options never = {.shards = HRY_MPI_SHARDS_NEVER};
    round_trip(2, shape, columns, rows, 1, &never, 0);
}

static void leaves_ranks_without_elements_out(void **state)
{
    (void)state;
    const uint64_t shape[2] = {2, 5};
    const int rows[2] = {ranks, 1}, columns[2] = {1, ranks};
    const hry_mpi_writer_options always = {.shards = HRY_MPI_SHARDS_ALWAYS};
    round_trip(2, shape, rows, columns, 0, &always, ranks < 2 ? 1 : 2);
    const uint64_t nothing[2] = {0, 5};
    round_trip(2, nothing, rows, columns, 1, &always, 0);
}

static void writes_by_mpi_io_too(void **state)
{
    (void)state;
    const uint64_t shape[2] = {57, 131};
    const int columns[2] = {1, ranks}, rows[2] = {ranks, 1};
    const hry_mpi_writer_options options = {.mpiio = true,
                                            .info = MPI_INFO_NULL,
                                            .alignment = 65536,
                                            .shards = HRY_MPI_SHARDS_ALWAYS};
    round_trip(2, shape, columns, rows, 0, &options, (uint64_t)ranks);
}

static void writes_narrow_types_in_whole_boxes(void **state)
{
    (void)state;
    hry_error err;
    hry_descriptor d;
    parts p;
    uint64_t id;
    const uint64_t shape[2] = {3, 5 * (uint64_t)ranks};
    const int columns[2] = {1, ranks};
    const hry_mpi_writer_options always = {.shards = HRY_MPI_SHARDS_ALWAYS};
    const uint8_t bits[2] = {(uint8_t)(0x50 + my_rank), 0x7F}; /* 15 elements of one bit */
    uint8_t back[2] = {0, 0};
    cut(&p, 2, shape, columns);
    hry_mpi_writer *w = create("bits", &always);
    assert_ok(hry_descriptor_dense(HRY_BOOL, 2, shape, &d, &err), &err);
    assert_ok(hry_mpi_writer_add(w, "mask", &d, &p.boxes, &id, &err), &err);
    assert_ok(hry_mpi_writer_write(w, id, p.my_start, p.my_size, NULL, bits, &err), &err);
    assert_ok(hry_mpi_writer_close(w, &err), &err);

    hry_mpi_reader *r;
    assert_ok(hry_mpi_reader_open(MPI_COMM_WORLD, test_path("bits"), &r, &err), &err);
    assert_ok(
        hry_mpi_reader_read(r, find(r, "mask"), p.my_start, p.my_size, NULL, back, &err),
        &err);
    assert_memory_equal(back, bits, 2);
    const uint64_t one[2] = {1, 1};
    assert_status(HRY_ERR_UNSUPPORTED,
                  hry_mpi_reader_read(r, find(r, "mask"), one, one, NULL, back, &err),
                  &err);
    hry_mpi_reader_close(r);
    test_remove("bits");
}

static void writes_scalars_and_key_values(void **state)
{
    (void)state;
    hry_error err;
    hry_kv kv = {.key = "step", .key_length = 4, .tag = HRY_KV_I64, .number.i64 = 42}, got;
    const int32_t scalar = 7;
    int32_t back = 0;
    hry_mpi_reader *r;
    hry_mpi_writer *w = create("scalar", NULL);
    const uint64_t id = add(w, "s", 0, NULL, NULL);
    assert_ok(hry_mpi_writer_add_kv(w, &kv, &err), &err);
    if (my_rank == ranks - 1)
        assert_ok(hry_mpi_writer_write(w, id, NULL, NULL, NULL, &scalar, &err), &err);
    assert_ok(hry_mpi_writer_close(w, &err), &err);
    assert_ok(hry_mpi_reader_open(MPI_COMM_WORLD, test_path("scalar"), &r, &err), &err);
    assert_ok(hry_mpi_reader_read(r, 0, NULL, NULL, NULL, &back, &err), &err);
    assert_int_equal(back, 7);
    assert_ok(hry_file_kv_find(hry_mpi_reader_file(r), "step", &got, &err), &err);
    assert_int_equal(got.number.i64, 42);
    hry_mpi_reader_close(r);
    test_remove("scalar");
}

static void writes_a_file_without_tensors(void **state)
{
    (void)state;
    hry_error err;
    hry_mpi_reader *r;
    hry_mpi_writer *w = create("empty", NULL);
    assert_ok(hry_mpi_writer_close(w, &err), &err);
    assert_ok(hry_mpi_reader_open(MPI_COMM_WORLD, test_path("empty"), &r, &err), &err);
    assert_int_equal(hry_file_count(hry_mpi_reader_file(r)), 0);
    hry_mpi_reader_close(r);
    test_remove("empty");
}

static void fails_everywhere_when_ranks_add_different_tensors(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    const uint64_t shape[1] = {my_rank == 1 ? 5 : 4};
    if (ranks == 1)
        skip();
    hry_mpi_writer *w = create("differ", NULL);
    add(w, "x", 1, shape, NULL);
    assert_status(HRY_ERR_ARG, hry_mpi_writer_close(w, &err), &err);
    assert_memory_equal(err.message, "rank 1: ", 8);
    assert_true(hry_file_open(test_path("differ"), NULL, &file, &err) != HRY_OK);
    test_remove("differ");
}

static void fails_everywhere_when_one_write_failed(void **state)
{
    (void)state;
    hry_error err;
    char want[32];
    const uint64_t shape[1] = {4}, start[1] = {3}, size[1] = {2};
    const int32_t data[2] = {1, 2};
    hry_mpi_writer *w = create("outside", NULL);
    const uint64_t id = add(w, "x", 1, shape, NULL);
    if (my_rank == ranks - 1) {
        assert_status(HRY_ERR_RANGE,
                      hry_mpi_writer_write(w, id, start, size, NULL, data, &err), &err);
        assert_status(HRY_ERR_RANGE,
                      hry_mpi_writer_write(w, id + 1, start, size, NULL, data, &err), &err);
    }
    assert_status(HRY_ERR_RANGE, hry_mpi_writer_close(w, &err), &err);
    snprintf(want, sizeof want, "rank %d: dimension 0", ranks - 1);
    assert_memory_equal(err.message, want, strlen(want));
    test_remove("outside");
}

static void refuses_the_same_name_twice_at_close(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t shape[1] = {4};
    hry_mpi_writer *w = create("twice", NULL);
    add(w, "x", 1, shape, NULL);
    add(w, "x", 1, shape, NULL);
    assert_status(HRY_ERR_ARG, hry_mpi_writer_close(w, &err), &err);
    w = create("twice", NULL);
    hry_mpi_writer_abandon(w);
    hry_mpi_writer_abandon(NULL);
    test_remove("twice");
}

static void refuses_to_open_what_is_no_file_of_ours(void **state)
{
    (void)state;
    hry_error err;
    hry_mpi_reader *r;
    assert_status(HRY_ERR_IO,
                  hry_mpi_reader_open(MPI_COMM_WORLD, test_path("none"), &r, &err), &err);
    if (my_rank == 0) {
        FILE *f = fopen(test_path("text"), "w");
        assert_non_null(f);
        for (int i = 0; i < 100; i++)
            fputs("not a tensor\n", f);
        fclose(f);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    assert_status(HRY_ERR_CORRUPT,
                  hry_mpi_reader_open(MPI_COMM_WORLD, test_path("text"), &r, &err), &err);
    assert_memory_equal(err.message, "rank 0: ", 8);
    test_remove("text");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(writes_slabs_of_a_vector),
    cmocka_unit_test(writes_blocks_of_a_matrix),
    cmocka_unit_test(writes_blocks_of_a_volume),
    cmocka_unit_test(writes_large_rows_without_a_buffer),
    cmocka_unit_test(leaves_ranks_without_elements_out),
    cmocka_unit_test(writes_by_mpi_io_too),
    cmocka_unit_test(writes_narrow_types_in_whole_boxes),
    cmocka_unit_test(writes_scalars_and_key_values),
    cmocka_unit_test(writes_a_file_without_tensors),
    cmocka_unit_test(fails_everywhere_when_ranks_add_different_tensors),
    cmocka_unit_test(fails_everywhere_when_one_write_failed),
    cmocka_unit_test(refuses_the_same_name_twice_at_close),
    cmocka_unit_test(refuses_to_open_what_is_no_file_of_ours),
};

MPI_TEST_MAIN(tests)
