/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_dequant.c - how fast quantized matrices become float32, next to a plain copy of
 * as many bytes of float32. Prints one line for each scheme; asserts nothing.
 */
#include "hry/quant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 4096, COLUMNS = 4096, REPEATS = 5 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* GB/s of float32 written, the best of some. */
static double best_of(const hry_tensor *t, const float *from, float *to)
{
    static const uint64_t start[2] = {0, 0}, shape[2] = {ROWS, COLUMNS};
    const double bytes = (double)ROWS * COLUMNS * sizeof *to;
    double best = 0;
    for (int i = 0; i < REPEATS; i++) {
        const double began = now();
        if (t == NULL)
            memcpy(to, from, (size_t)bytes);
        else if (hry_dequantize(t, start, shape, to, NULL) != HRY_OK)
            return 0;
        const double rate = bytes / (now() - began) / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

static const struct {
    const char *name;
    uint8_t type;
    hry_quantization how;
} cases[] = {
    {"int8 per-tensor", HRY_INT8, {.scheme = HRY_QUANT_PER_TENSOR}},
    {"int16 per-tensor", HRY_INT16, {.scheme = HRY_QUANT_PER_TENSOR}},
    {"int8 per-channel, rows", HRY_INT8, {.scheme = HRY_QUANT_PER_CHANNEL}},
    {"int8 per-channel, columns", HRY_INT8, {.scheme = HRY_QUANT_PER_CHANNEL, .axis = 1}},
    {"int4 per-channel, rows", HRY_INT4, {.scheme = HRY_QUANT_PER_CHANNEL}},
    {"int8 blocks of 32",
     HRY_INT8,
     {.scheme = HRY_QUANT_PER_BLOCK, .axis = 1, .block = 32, .scale_type = HRY_FLOAT16}},
    {"int4 blocks of 32",
     HRY_INT4,
     {.scheme = HRY_QUANT_PER_BLOCK, .axis = 1, .block = 32, .scale_type = HRY_FLOAT16}},
    {"int8 blocks of 32, down",
     HRY_INT8,
     {.scheme = HRY_QUANT_PER_BLOCK, .axis = 0, .block = 32, .scale_type = HRY_FLOAT16}},
    {"uint2 blocks of 16",
     HRY_UINT2,
     {.scheme = HRY_QUANT_PER_BLOCK, .axis = 1, .block = 16, .scale_type = HRY_FLOAT32}},
    {"NF4 blocks of 64", HRY_UINT4, {.scheme = HRY_QUANT_NF4, .axis = 1, .block = 64}},
    {"MXFP4", HRY_FLOAT4_E2M1, {.scheme = HRY_QUANT_MXFP, .axis = 1, .block = 32}},
    {"MXFP6", HRY_FLOAT6_E3M2, {.scheme = HRY_QUANT_MXFP, .axis = 1, .block = 32}},
    {"MXFP8", HRY_FLOAT8_E4M3, {.scheme = HRY_QUANT_MXFP, .axis = 1, .block = 32}},
};

int main(void)
{
    const uint64_t shape[2] = {ROWS, COLUMNS};
    const size_t count = (size_t)ROWS * COLUMNS;
    float *values = malloc(count * sizeof *values), *back = malloc(count * sizeof *back);
    if (values == NULL || back == NULL)
        return 1;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(i * 2654435761u % 2001) / 1000.0f - 1.0f;
    memset(back, 1, count * sizeof *back);
    const double copy = best_of(NULL, values, back);
    printf("%-28s %6.2f GB/s\n", "copy of float32", copy);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hry_quantized *q;
        hry_error err;
        const double began = now();
        if (hry_quantize(values, 2, shape, cases[c].type, &cases[c].how, &q, &err) !=
            HRY_OK) {
            fprintf(stderr, "%s: %s\n", cases[c].name, err.message);
            return 1;
        }
        const double made = now() - began;
        const double rate = best_of(hry_quantized_tensor(q), NULL, back);
        printf("%-28s %6.2f GB/s of float32, %3.0f%% of a copy (quantized at %.2f GB/s)\n",
               cases[c].name, rate, 100 * rate / copy,
               (double)(count * sizeof *values) / made / 1e9);
        hry_quantized_free(q);
    }
    free(values);
    free(back);
    return 0;
}
