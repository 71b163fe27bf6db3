/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors encoded, and decoded with every check, in ns; and how many times a memcpy of
 * the encoded bytes that takes, and a copy of the struct in memory.
 */
#include "hry/descriptor.h"

#include "clock.h"

#include <string.h>

enum { ROUNDS = 200000, REPEATS = 5, ROOM = 8192 };

static hry_error err;

static void dense(hry_descriptor *d)
{
    or_die(hry_descriptor_dense(HRY_FLOAT32, 2, (const uint64_t[]){3, 4}, d, &err), &err);
}

static void scalar(hry_descriptor *d)
{
    or_die(hry_descriptor_dense(HRY_FLOAT64, 0, NULL, d, &err), &err);
}

static void rank_8(hry_descriptor *d)
{
    const uint64_t shape[8] = {2, 3, 4, 5, 6, 7, 8, 9};
    or_die(hry_descriptor_dense(HRY_FLOAT32, 8, shape, d, &err), &err);
}

static void tiled(hry_descriptor *d)
{
    or_die(hry_descriptor_dense(HRY_FLOAT32, 3, (const uint64_t[]){64, 64, 64}, d, &err),
           &err);
    d->layout_tag = HRY_TILED;
    d->fields.tiled.depth = 2;
    for (int l = 0; l < 2; l++) {
        hry_tile_level *level = &d->fields.tiled.level[l];
        level->outer = HRY_ROW_MAJOR;
        level->inner = l == 0 ? HRY_TILED : HRY_ROW_MAJOR;
        for (int k = 0; k < 3; k++)
            level->tile_shape[k] = l == 0 ? 16 : 4;
    }
}

/* 1000 entries in 10 planes of 10 rows each: values, then positions and coordinates. */
static void csf(hry_descriptor *d)
{
    const uint64_t sizes[7] = {4000, 16, 80, 88, 800, 808, 8000};
    or_die(hry_descriptor_dense(HRY_FLOAT32, 3, (const uint64_t[]){100, 100, 100}, d, &err),
           &err);
    d->layout_tag = HRY_CSF;
    d->fields.sparse.nnz = 1000;
    d->buffer_count = 7;
    for (uint32_t b = 0; b < 7; b++)
        d->buffers[b] = (hry_buffer_info){.byte_size = sizes[b], .alignment = 64};
    for (uint32_t k = 0; k < 3; k++)
        d->fields.sparse.mode_order[k] = k;
}

/* A quantized shard with statistics: all common sections. */
static void sections(hry_descriptor *d)
{
    or_die(hry_descriptor_dense(HRY_INT8, 2, (const uint64_t[]){1024, 1024}, d, &err),
           &err);
    d->flags = HRY_HAS_QUANTIZATION | HRY_HAS_SHARD | HRY_HAS_STATISTICS;
    d->quantization = (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL,
                                         .version = 1,
                                         .flags = HRY_QUANT_SYMMETRIC,
                                         .scale_buffer = 1,
                                         .zero_buffer = HRY_NO_BUFFER,
                                         .scale_type = HRY_FLOAT32};
    d->buffer_count = 2;
    d->buffers[1] = (hry_buffer_info){.byte_size = 4096, .alignment = 64};
    d->shard = (hry_shard){.parent_shape = {4096, 4096}, .offset = {1024, 2048}};
    d->statistics = (hry_statistics){
        .computed_mask = HRY_STAT_RANGE, .min = -1, .max = 1, .abs_max = 1};
}

static const struct {
    const char *name;
    void (*make)(hry_descriptor *d);
} cases[] = {
    {"scalar", scalar},        {"float32 [3, 4]", dense}, {"rank 8", rank_8},
    {"tiles in tiles", tiled}, {"CSF, 7 buffers", csf},   {"quantized shard", sections},
};

typedef enum way { ENCODE, DECODE, BYTES, STRUCT } way;

/* ns of one, the best of some. */
static double best_of(way how, const hry_descriptor *d, uint8_t *bytes, size_t length)
{
    static hry_descriptor out;
    static uint8_t copy[ROOM];
    double best = 1e9;
    size_t n;
    for (int i = 0; i < REPEATS; i++) {
        const double began = now();
        for (int r = 0; r < ROUNDS; r++) {
            if (how == ENCODE)
                or_die(hry_descriptor_encode(d, bytes, ROOM, &n, &err), &err);
            else if (how == DECODE)
                or_die(hry_descriptor_decode(bytes, length, HRY_STRICT, &out, &n, &err),
                       &err);
            else if (how == BYTES)
                memcpy(copy, bytes, length);
            else
                out = *d;
            __asm__ volatile("" : : "r"(copy), "r"(&out) : "memory");
        }
        const double took = (now() - began) * 1e9 / ROUNDS;
        best = took < best ? took : best;
    }
    return best;
}

int main(void)
{
    static hry_descriptor d;
    static uint8_t bytes[ROOM];
    printf("%-18s %6s %9s %9s %9s %9s %9s %9s\n", "", "bytes", "encode ns", "decode ns",
           "memcpy ns", "encode/", "decode/", "decode/");
    printf("%-18s %6s %9s %9s %9s %9s %9s %9s\n", "", "", "", "", "", "memcpy", "memcpy",
           "struct=");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t length;
        memset(&d, 0, sizeof d);
        cases[c].make(&d);
        or_die(hry_descriptor_encode(&d, bytes, sizeof bytes, &length, &err), &err);
        const double encode = best_of(ENCODE, &d, bytes, length);
        const double decode = best_of(DECODE, &d, bytes, length);
        const double copy = best_of(BYTES, &d, bytes, length);
        const double assign = best_of(STRUCT, &d, bytes, length);
        printf("%-18s %6zu %9.0f %9.0f %9.1f %9.1f %9.1f %9.2f\n", cases[c].name, length,
               encode, decode, copy, encode / copy, decode / copy, decode / assign);
    }
    return 0;
}
