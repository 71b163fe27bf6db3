/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_mpi_write - how fast is hry_mpi_writer against what else can put the same bytes on
 * disk? In each round every way writes the same 3-D block decomposition once, one after
 * the other, so that a busy machine disturbs all alike. Prints medians and ratios.
 *
 *   mpiexec -n 2 bench_mpi_write [MiB per rank = 64] [rounds = 7] [folder = .]
 *
 * Ways:  hurray    hry_mpi_writer: one member a rank, create to close
 *        slabs     hry_mpi_writer: one tensor, ranks cut the slowest dimension
 *        pwrite    one pwrite a rank at its own aligned place in one file
 *        allocated the same after posix_fallocate of the whole by rank 0
 *        mpi-io    MPI_File_write_at_all of the same places
 *        per-rank  a file for each rank
 */
#include "hry/mpi.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bench {
    int rank, ranks;
    uint64_t shape[3]; /* of doubles: ranks times a cube-like block */
    uint64_t *start, *size;
    int grid[3];
    double *data;
    size_t bytes; /* of this rank's block, the same on all */
    const char *folder;
    char path[512];
} bench;

static void stop(const char *what)
{
    fprintf(stderr, "bench_mpi_write: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(hry_status status, const hry_error *err)
{
    if (status != HRY_OK)
        stop(err->message);
}

static const char *path_of(bench *b, const char *name, int part)
{
    snprintf(b->path, sizeof b->path, "%s/bench_%s_%d", b->folder, name, part);
    return b->path;
}

static void write_all(int fd, const void *bytes, size_t size, off_t offset)
{
    for (const char *at = bytes; size > 0;) {
        const ssize_t done = pwrite(fd, at, size, offset);
        if (done <= 0)
            stop("pwrite");
        at += done;
        offset += done;
        size -= (size_t)done;
    }
}

/* ---- the ways ---- */

static void by_writer(bench *b, const char *name, const int *grid, hry_mpi_shards shards)
{
    hry_error err;
    hry_mpi_writer *w;
    hry_descriptor d;
    uint64_t id;
    const hry_mpi_writer_options options = {.shards = shards};
    const uint32_t cells[3] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
    const hry_mpi_boxes boxes = {
        .count = (uint32_t)b->ranks, .start = b->start, .size = b->size};
    check(hry_mpi_grid(3, b->shape, cells, b->start, b->size, &err), &err);
    check(hry_mpi_writer_create(MPI_COMM_WORLD, path_of(b, name, 0), &options, &w, &err),
          &err);
    check(hry_descriptor_dense(HRY_FLOAT64, 3, b->shape, &d, &err), &err);
    check(hry_mpi_writer_add(w, "field", &d, &boxes, &id, &err), &err);
    check(hry_mpi_writer_write(w, id, b->start + 3 * b->rank, b->size + 3 * b->rank, NULL,
                               b->data, &err),
          &err);
    check(hry_mpi_writer_close(w, &err), &err);
}

static void hurray(bench *b, const char *name)
{
    by_writer(b, name, b->grid, HRY_MPI_SHARDS_ALWAYS);
}

static void slabs(bench *b, const char *name)
{
    const int grid[3] = {b->ranks, 1, 1};
    by_writer(b, name, grid, HRY_MPI_SHARDS_AUTO);
}

static off_t own_place(const bench *b)
{
    return (off_t)b->rank * (off_t)((b->bytes + 4095) / 4096 * 4096);
}

static void shared_file(bench *b, const char *name, bool allocate)
{
    const char *const path = path_of(b, name, 0);
    int fd = -1;
    if (b->rank == 0)
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (allocate && b->rank == 0)
        posix_fallocate(fd, 0, own_place(b) + (off_t)b->bytes * b->ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->rank != 0)
        fd = open(path, O_RDWR);
    if (fd < 0)
        stop(path);
    write_all(fd, b->data, b->bytes, own_place(b));
    close(fd);
}

static void plain(bench *b, const char *name)
{
    shared_file(b, name, false);
}

static void allocated(bench *b, const char *name)
{
    shared_file(b, name, true);
}

static void mpi_io(bench *b, const char *name)
{
    MPI_File file;
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    const MPI_Offset most = 1 << 30;
    if (MPI_File_open(MPI_COMM_WORLD, path_of(b, name, 0), mode, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS)
        stop("MPI_File_open");
    MPI_File_set_size(file, 0);
    for (MPI_Offset done = 0, size = (MPI_Offset)b->bytes; done < size; done += most) {
        const int part = (int)(size - done < most ? size - done : most);
        if (MPI_File_write_at_all(file, own_place(b) + done, (const char *)b->data + done,
                                  part, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            stop("MPI_File_write_at_all");
    }
    MPI_File_close(&file);
}

static void per_rank(bench *b, const char *name)
{
    const char *const path = path_of(b, name, b->rank);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        stop(path);
    write_all(fd, b->data, b->bytes, 0);
    close(fd);
}

static const struct way {
    const char *name;
    void (*write)(bench *b, const char *name);
} ways[] = {
    {"hurray", hurray},       {"slabs", slabs},   {"pwrite", plain},
    {"allocated", allocated}, {"mpi-io", mpi_io}, {"per-rank", per_rank},
};

enum { WAYS = sizeof ways / sizeof *ways };

/* ---- measuring ---- */

/* Seconds until the last rank is done; the files are removed before and after. */
static double measure(bench *b, const struct way *way)
{
    double took, slowest;
    remove(path_of(b, way->name, b->rank));
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    way->write(b, way->name);
    took = MPI_Wtime() - began;
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    remove(path_of(b, way->name, b->rank));
    return slowest;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const bench *b, double *seconds, int rounds)
{
    double best = 0;
    const double total = (double)b->bytes * b->ranks / (1 << 20);
    for (int w = 0; w < WAYS; w++) {
        qsort(seconds + w * rounds, (size_t)rounds, sizeof *seconds, by_size);
        const double median = seconds[w * rounds + rounds / 2];
        if (strcmp(ways[w].name, "pwrite") == 0)
            best = median;
    }
    printf("%d ranks, %.0f MiB in all, %d rounds\n", b->ranks, total, rounds);
    printf("%-10s %12s %10s %18s\n", "way", "median s", "MiB/s", "time : pwrite");
    for (int w = 0; w < WAYS; w++) {
        const double median = seconds[w * rounds + rounds / 2];
        printf("%-10s %12.4f %10.0f %18.2f\n", ways[w].name, median, total / median,
               median / best);
    }
}

static void begin(bench *b, long mebibytes)
{
    const uint64_t rows = (uint64_t)mebibytes * 2; /* of 256 * 256 doubles: half a MiB */
    MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
    b->shape[0] = rows * (uint64_t)b->ranks; /* cuts evenly into slabs and into blocks */
    b->shape[1] = b->shape[2] = 256;
    b->bytes = (size_t)rows << 19;
    b->start = malloc(3 * (size_t)b->ranks * sizeof *b->start);
    b->size = malloc(3 * (size_t)b->ranks * sizeof *b->size);
    b->data = malloc(b->bytes);
    if (b->start == NULL || b->size == NULL || b->data == NULL)
        stop("no memory");
    for (size_t i = 0; i < b->bytes / sizeof *b->data; i++)
        b->data[i] = (double)i + b->rank;
    /* blocks as columns of the slabs' shape, so that both take the same bytes a rank */
    b->grid[0] = 1;
    b->grid[1] = 1;
    b->grid[2] = b->ranks;
}

int main(int argc, char **argv)
{
    bench b = {.folder = argc > 3 ? argv[3] : "."};
    const long mebibytes = argc > 1 ? atol(argv[1]) : 64;
    const int rounds = argc > 2 ? atoi(argv[2]) : 7;
    MPI_Init(&argc, &argv);
    if (mebibytes < 1 || rounds < 1)
        stop("MiB and rounds: at least 1 each");
    begin(&b, mebibytes);
    if (256 % b.ranks != 0)
        stop("a power of two of ranks, at most 256");
    double *const seconds = malloc(WAYS * (size_t)rounds * sizeof *seconds);
    if (seconds == NULL)
        stop("no memory");
    for (int i = 0; i < rounds; i++)
        for (int w = 0; w < WAYS; w++)
            seconds[w * rounds + i] = measure(&b, &ways[w]);
    if (b.rank == 0)
        print(&b, seconds, rounds);
    free(seconds);
    free(b.start);
    free(b.size);
    free(b.data);
    MPI_Finalize();
    return 0;
}
