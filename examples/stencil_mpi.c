/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A 3-D heat stencil on a grid of processes that writes a checkpoint without HDF5: each
 * rank writes its block, halo left out, straight into a file of its own place; then all
 * read the field back cut into slabs, as a restart on other ranks would.
 *
 *   mpiexec -n 4 stencil_mpi [checkpoint.hrry]
 */
#include "hry/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t shape[3] = {48, 40, 56};
enum { STEPS = 5 };

/* This rank's block, with one element of halo on each side. */
typedef struct field {
    MPI_Comm comm; /* the grid of processes */
    int rank, ranks;
    int grid[3];
    uint64_t start[3], size[3]; /* of the block in the whole */
    uint64_t with_halo[3];
    double *now, *next;
} field;

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "stencil_mpi: %s: %s\n", hry_status_word(status), err->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(uint64_t count, size_t item)
{
    void *const p = calloc(count + 1, item);
    if (p == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static size_t at(const field *f, uint64_t i, uint64_t j, uint64_t k)
{
    return (size_t)((i * f->with_halo[1] + j) * f->with_halo[2] + k);
}

/* The box of every rank in a grid of processes; the caller frees both arrays. */
static hry_mpi_boxes boxes_of(const int *grid, int ranks, uint64_t **start, uint64_t **size)
{
    hry_error err;
    const uint32_t cells[3] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
    *start = allocate(3 * (uint64_t)ranks, sizeof **start);
    *size = allocate(3 * (uint64_t)ranks, sizeof **size);
    check(hry_mpi_grid(3, shape, cells, *start, *size, &err), &err);
    return (hry_mpi_boxes){.count = (uint32_t)ranks, .start = *start, .size = *size};
}

static void begin(field *f)
{
    const int around[3] = {1, 1, 1};
    uint64_t *start, *size;
    *f = (field){0};
    MPI_Comm_size(MPI_COMM_WORLD, &f->ranks);
    MPI_Dims_create(f->ranks, 3, f->grid);
    MPI_Cart_create(MPI_COMM_WORLD, 3, f->grid, around, 0, &f->comm);
    MPI_Comm_rank(f->comm, &f->rank);
    boxes_of(f->grid, f->ranks, &start, &size);
    memcpy(f->start, start + 3 * f->rank, sizeof f->start);
    memcpy(f->size, size + 3 * f->rank, sizeof f->size);
    free(start);
    free(size);
    uint64_t count = 1;
    for (int d = 0; d < 3; d++)
        count *= f->with_halo[d] = f->size[d] + 2;
    f->now = allocate(count, sizeof *f->now);
    f->next = allocate(count, sizeof *f->next);
    for (uint64_t i = 1; i <= f->size[0]; i++)
        for (uint64_t j = 1; j <= f->size[1]; j++)
            for (uint64_t k = 1; k <= f->size[2]; k++)
                f->now[at(f, i, j, k)] =
                    (double)((f->start[0] + i) * (f->start[1] + j) % (f->start[2] + k + 7));
}

/* One face of the block in dimension d, `depth` elements from its low end. */
static MPI_Datatype face(const field *f, int d, uint64_t depth)
{
    int whole[3], part[3], from[3];
    MPI_Datatype type;
    for (int k = 0; k < 3; k++) {
        whole[k] = (int)f->with_halo[k];
        part[k] = k == d ? 1 : (int)f->size[k];
        from[k] = k == d ? (int)depth : 1;
    }
    MPI_Type_create_subarray(3, whole, part, from, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void send_face(const field *f, int d, int step, uint64_t from, uint64_t to)
{
    int source, target;
    MPI_Datatype out = face(f, d, from), in = face(f, d, to);
    MPI_Cart_shift(f->comm, d, step, &source, &target);
    MPI_Sendrecv(f->now, 1, out, target, d, f->now, 1, in, source, d, f->comm,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
}

static void step(field *f)
{
    for (int d = 0; d < 3; d++) {
        send_face(f, d, 1, f->size[d], 0);
        send_face(f, d, -1, 1, f->size[d] + 1);
    }
    for (uint64_t i = 1; i <= f->size[0]; i++)
        for (uint64_t j = 1; j <= f->size[1]; j++)
            for (uint64_t k = 1; k <= f->size[2]; k++)
                f->next[at(f, i, j, k)] =
                    (f->now[at(f, i - 1, j, k)] + f->now[at(f, i + 1, j, k)] +
                     f->now[at(f, i, j - 1, k)] + f->now[at(f, i, j + 1, k)] +
                     f->now[at(f, i, j, k - 1)] + f->now[at(f, i, j, k + 1)]) /
                    6;
    double *const swap = f->now;
    f->now = f->next;
    f->next = swap;
}

static void checkpoint(const field *f, const char *path)
{
    hry_error err;
    hry_descriptor d;
    hry_mpi_writer *w;
    uint64_t id, *start, *size;
    const uint64_t behind_halo[3] = {1, 1, 1};
    const hry_mpi_memory memory = {.shape = f->with_halo, .start = behind_halo};
    const hry_kv steps = {
        .key = "steps", .key_length = 5, .tag = HRY_KV_I64, .number.i64 = STEPS};
    const hry_mpi_boxes boxes = boxes_of(f->grid, f->ranks, &start, &size);

    check(hry_mpi_writer_create(f->comm, path, NULL, &w, &err), &err);
    check(hry_descriptor_dense(HRY_FLOAT64, 3, shape, &d, &err), &err);
    check(hry_mpi_writer_add(w, "temperature", &d, &boxes, &id, &err), &err);
    check(hry_mpi_writer_add_kv(w, &steps, &err), &err);
    check(hry_mpi_writer_write(w, id, f->start, f->size, &memory, f->now, &err), &err);
    check(hry_mpi_writer_close(w, &err), &err);
    free(start);
    free(size);
}

/* A sum that tells values and their places, whatever the order in which they are added. */
static uint64_t fingerprint(uint64_t i, uint64_t j, uint64_t k, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= ((i * shape[1] + j) * shape[2] + k + 1) * 0x9E3779B97F4A7C15u;
    return (bits ^ bits >> 29) * 0xBF58476D1CE4E5B9u;
}

static uint64_t of_all(const field *f, uint64_t mine)
{
    uint64_t sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, f->comm);
    return sum;
}

static uint64_t fingerprint_of_blocks(const field *f)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < f->size[0]; i++)
        for (uint64_t j = 0; j < f->size[1]; j++)
            for (uint64_t k = 0; k < f->size[2]; k++)
                sum += fingerprint(f->start[0] + i, f->start[1] + j, f->start[2] + k,
                                   f->now[at(f, i + 1, j + 1, k + 1)]);
    return of_all(f, sum);
}

/* Read the checkpoint back, the slowest dimension cut among the ranks. */
static uint64_t fingerprint_of_slabs(const field *f, const char *path)
{
    hry_error err;
    hry_mpi_reader *r;
    const int slabs[3] = {f->ranks, 1, 1};
    uint64_t tensor, *starts, *sizes, sum = 0;
    boxes_of(slabs, f->ranks, &starts, &sizes);
    const uint64_t *const start = starts + 3 * f->rank, *const size = sizes + 3 * f->rank;
    double *const slab = allocate(size[0] * size[1] * size[2], sizeof *slab);

    check(hry_mpi_reader_open(f->comm, path, &r, &err), &err);
    check(hry_file_find(hry_mpi_reader_file(r), "temperature", 11, &tensor, &err), &err);
    check(hry_mpi_reader_read(r, tensor, start, size, NULL, slab, &err), &err);
    hry_mpi_reader_close(r);

    const double *value = slab;
    for (uint64_t i = 0; i < size[0]; i++)
        for (uint64_t j = 0; j < size[1]; j++)
            for (uint64_t k = 0; k < size[2]; k++)
                sum += fingerprint(start[0] + i, j, k, *value++);
    free(slab);
    free(starts);
    free(sizes);
    return of_all(f, sum);
}

int main(int argc, char **argv)
{
    field f;
    const char *const path = argc > 1 ? argv[1] : "stencil.hrry";
    MPI_Init(&argc, &argv);
    begin(&f);
    for (int i = 0; i < STEPS; i++)
        step(&f);
    checkpoint(&f, path);
    const uint64_t written = fingerprint_of_blocks(&f);
    const bool same = fingerprint_of_slabs(&f, path) == written;
    if (f.rank == 0)
        printf("%s: %d blocks written, read back as %d slabs: %s\n", path, f.ranks, f.ranks,
               same ? "the same" : "DIFFERENT");
    free(f.now);
    free(f.next);
    MPI_Comm_free(&f.comm);
    MPI_Finalize();
    return same ? 0 : 1;
}
