/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sparse matrix: put into a file row by row (CSR), multiplied by a vector from the mapped
 * file without a copy, asked for single elements, and spread out to a plain array.
 *
 *   sparse [laplace.hrry]
 */
#include <hry/hry.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, MOST = 3 * N };

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "sparse: %s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

/* -1, 2, -1 along the diagonal: values, their columns, and where each row begins. */
static void write_file(const char *path)
{
    static double values[MOST];
    static uint64_t columns[MOST], rows[N + 1];
    const void *buffers[] = {values, columns, rows};
    uint64_t nnz = 0;
    for (uint64_t r = 0; r < N; r++) {
        for (uint64_t c = r > 0 ? r - 1 : 0; c < N && c <= r + 1; c++) {
            values[nnz] = r == c ? 2 : -1;
            columns[nnz++] = c;
        }
        rows[r + 1] = nnz;
    }

    hry_descriptor d = {.version_major = 1,
                        .type_tag = HRY_FLOAT64,
                        .layout_tag = HRY_CSR,
                        .rank = 2,
                        .shape = {N, N},
                        .fields.sparse.nnz = nnz,
                        .buffer_count = 3};
    const uint64_t sizes[] = {nnz * sizeof *values, nnz * sizeof *columns, sizeof rows};
    for (int b = 0; b < 3; b++)
        d.buffers[b] =
            (hry_buffer_info){.byte_size = sizes[b], .alignment = HRY_DEFAULT_ALIGNMENT};

    hry_writer *writer;
    hry_error err;
    check(hry_writer_create(path, NULL, &writer, &err), &err);
    check(hry_writer_add(writer, "laplace", &d, buffers, &err), &err);
    check(hry_writer_finish(writer, &err), &err);
}

/* The tensor of that name, with its buffers where the file is mapped. */
static hry_tensor map_tensor(hry_file *file, const char *name, size_t length,
                             hry_descriptor *d, hry_buffer buffers[HRY_MAX_BUFFERS])
{
    hry_error err;
    uint64_t i, offset;
    check(hry_file_find(file, name, length, &i, &err), &err);
    check(hry_file_descriptor(file, i, d, &err), &err);
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        buffers[b].size = d->buffers[b].byte_size;
        check(hry_file_buffer(file, i, d, b, &offset, &err), &err);
        check(hry_file_view(file, offset, buffers[b].size, &buffers[b].bytes, &err), &err);
    }
    const hry_tensor t = {.descriptor = d, .buffers = buffers};
    check(hry_tensor_check(&t, HRY_STRICT, &err), &err); /* whoever wrote it */
    return t;
}

/* Buffers are aligned in the file, so they are arrays as they are (little-endian). */
static double multiply(const hry_tensor *t, const double *x, double *y)
{
    const double *values = t->buffers[0].bytes;
    const uint64_t *columns = t->buffers[1].bytes, *rows = t->buffers[2].bytes;
    double sum = 0;
    for (uint64_t r = 0; r < N; r++) {
        y[r] = 0;
        for (uint64_t e = rows[r]; e < rows[r + 1]; e++)
            y[r] += values[e] * x[columns[e]];
        sum += y[r];
    }
    return sum;
}

int main(int argc, char **argv)
{
    static double x[N], y[N], block[5][5];
    const char *path = argc > 1 ? argv[1] : "laplace.hrry";
    const hry_file_options options = {.map = true};
    const uint64_t at[2] = {10, 11}, beside[2] = {10, 500};
    const uint64_t start[2] = {0, 0}, count[2] = {5, 5};
    static hry_buffer buffers[HRY_MAX_BUFFERS];
    static hry_descriptor d;
    hry_file *file;
    hry_found found, none;
    hry_error err;

    write_file(path);
    check(hry_file_open(path, &options, &file, &err), &err);
    const hry_tensor t = map_tensor(file, "laplace", 7, &d, buffers);

    for (int i = 0; i < N; i++)
        x[i] = i; /* linear: its second differences are 0, but for the ends */
    const double sum = multiply(&t, x, y);
    printf("%llu entries; sum of the product %g, its last %g\n",
           (unsigned long long)d.fields.sparse.nnz, sum, y[N - 1]);

    check(hry_element_find(&t, 2, at, &found, &err), &err);
    check(hry_element_find(&t, 2, beside, &none, &err), &err);
    printf("[10, 11] is entry %llu, [10, 500] is %s\n", (unsigned long long)found.position,
           none.stored ? "stored" : "zero");

    check(hry_region_read(&t, start, count, block, &err), &err);
    for (int r = 0; r < 5; r++)
        printf("%4g %4g %4g %4g %4g\n", block[r][0], block[r][1], block[r][2], block[r][3],
               block[r][4]);
    hry_file_close(file);
    return sum == N - 1 && block[1][2] == -1 && !none.stored ? 0 : 1;
}
