/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A weight matrix in every quantization scheme: how small it gets and how far off it is.
 * Then one of them is read back from the file, a few rows only, as float32.
 *
 *   quantized [quantized.hrry]
 */
#include <hry/hry.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 256 };

static const uint64_t shape[2] = {ROWS, COLUMNS};
static float weights[ROWS][COLUMNS];

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "quantized: %s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

/* Rows of different size, as in a trained network. */
static void make_weights(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            weights[r][c] = sinf((float)(r * 7 + c)) * 0.02f * (float)(r + 1);
}

static void add(hry_writer *writer, const char *name, uint8_t type, hry_quantization how)
{
    const void *buffers[HRY_MAX_BUFFERS];
    hry_quantized *q;
    hry_error err;
    uint64_t bytes = 0;
    how.version = 1;
    check(hry_quantize(&weights[0][0], 2, shape, type, &how, &q, &err), &err);
    const hry_tensor *t = hry_quantized_tensor(q); /* codes and parameters */
    for (uint32_t b = 0; b < t->descriptor->buffer_count; b++) {
        buffers[b] = t->buffers[b].bytes;
        bytes += t->buffers[b].size;
    }
    const hry_quantize_error off = hry_quantized_error(q);
    printf("%-18s %6llu bytes, %4.1f bits a weight, off by %.5f at most, %.5f RMS\n", name,
           (unsigned long long)bytes, 8.0 * (double)bytes / (ROWS * COLUMNS), off.max_abs,
           off.rms);
    check(hry_writer_add(writer, name, t->descriptor, buffers, &err), &err);
    hry_quantized_free(q);
}

static void write_file(const char *path)
{
    const hry_quantization per_tensor = {.scheme = HRY_QUANT_PER_TENSOR};
    const hry_quantization per_row = {
        .scheme = HRY_QUANT_PER_CHANNEL, .flags = HRY_QUANT_SYMMETRIC, .axis = 0};
    const hry_quantization per_block = {
        .scheme = HRY_QUANT_PER_BLOCK, .axis = 1, .block = 32, .scale_type = HRY_FLOAT16};
    const hry_quantization nf4 = {.scheme = HRY_QUANT_NF4, .axis = 1, .block = 64};
    const hry_quantization mxfp = {.scheme = HRY_QUANT_MXFP, .axis = 1, .block = 32};
    hry_writer *writer;
    hry_error err;
    check(hry_writer_create(path, NULL, &writer, &err), &err);
    add(writer, "int8/tensor", HRY_INT8, per_tensor);
    add(writer, "int8/row", HRY_INT8, per_row);
    add(writer, "uint4/block", HRY_UINT4, per_block);
    add(writer, "nf4", HRY_UINT4, nf4);
    add(writer, "mxfp8", HRY_FLOAT8_E4M3, mxfp);
    add(writer, "mxfp4", HRY_FLOAT4_E2M1, mxfp);
    check(hry_writer_finish(writer, &err), &err);
}

/* A box of it comes as float32, whatever it is stored as. */
static double read_rows(const char *path, const char *name, size_t length)
{
    const uint64_t start[2] = {40, 0}, count[2] = {4, COLUMNS};
    static float rows[4][COLUMNS];
    hry_file *file;
    hry_error err;
    uint64_t i;
    double worst = 0;
    check(hry_file_open(path, NULL, &file, &err), &err);
    check(hry_file_find(file, name, length, &i, &err), &err);
    check(hry_plain_read(file, i, start, count, rows, &err), &err);
    hry_file_close(file);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < COLUMNS; c++)
            worst = fmax(worst, fabs((double)rows[r][c] - (double)weights[40 + r][c]));
    return worst;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "quantized.hrry";
    make_weights();
    write_file(path);
    const double worst = read_rows(path, "int8/row", 8);
    printf("rows 40 to 43 of int8/row: off by %.5f at most\n", worst);
    return worst < 0.9 / 127 ? 0 : 1; /* a weight is at most 0.88 there */
}
