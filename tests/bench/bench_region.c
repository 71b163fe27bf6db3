/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_region.c - tensors of every dense layout, whole ones and boxes of them, copied to
 * and from a row-major array: GB/s of array bytes, and how many times a memcpy of the same
 * bytes that takes. Asserts nothing.
 */
#include "hry/region.h"

#include "clock.h"

#include <string.h>

enum { SIDE = 4096, BOX_AT = 501, BOX_SIDE = 3001, REPEATS = 5 };

static void set_tiles(hry_descriptor *d, uint64_t side, uint8_t inner)
{
    d->layout_tag = HRY_TILED;
    d->fields.tiled.depth = 1;
    d->fields.tiled.level[0] = (hry_tile_level){
        .tile_shape = {side, side}, .outer = HRY_ROW_MAJOR, .inner = inner};
}

static void tiles_64(hry_descriptor *d)
{
    set_tiles(d, 64, HRY_ROW_MAJOR);
}

static void tiles_64_columns(hry_descriptor *d)
{
    set_tiles(d, 64, HRY_COLUMN_MAJOR);
}

static void tiles_4(hry_descriptor *d)
{
    set_tiles(d, 4, HRY_ROW_MAJOR);
}

static void tiles_64_8(hry_descriptor *d)
{
    set_tiles(d, 64, HRY_TILED);
    d->fields.tiled.depth = 2;
    d->fields.tiled.level[1] = (hry_tile_level){
        .tile_shape = {8, 8}, .outer = HRY_ROW_MAJOR, .inner = HRY_ROW_MAJOR};
}

static void column_major(hry_descriptor *d)
{
    d->layout_tag = HRY_COLUMN_MAJOR;
}

static void every_second(hry_descriptor *d)
{
    d->layout_tag = HRY_STRIDED;
    d->fields.strides[0] = 2 * SIDE;
    d->fields.strides[1] = 2;
}

static void mirrored(hry_descriptor *d)
{
    d->layout_tag = HRY_STRIDED;
    d->byte_offset = (uint64_t)SIDE * (SIDE - 1) * hry_region_element(d);
    d->fields.strides[0] = -SIDE;
    d->fields.strides[1] = 1;
}

static void morton(hry_descriptor *d)
{
    d->layout_tag = HRY_MORTON;
    d->fields.morton_bits[0] = d->fields.morton_bits[1] = 12;
}

static void hilbert(hry_descriptor *d)
{
    d->layout_tag = HRY_HILBERT;
    d->fields.hilbert_order = 12;
}

static void row_major(hry_descriptor *d)
{
    d->layout_tag = HRY_ROW_MAJOR;
}

static const struct {
    const char *name;
    uint8_t type;
    void (*set)(hry_descriptor *d);
    bool box; /* BOX_SIDE by BOX_SIDE from [BOX_AT, BOX_AT] on */
} cases[] = {
    {"float32 row-major", HRY_FLOAT32, row_major, false},
    {"float32 rows mirrored", HRY_FLOAT32, mirrored, false},
    {"float32 every second", HRY_FLOAT32, every_second, false},
    {"uint8 column-major", HRY_UINT8, column_major, false},
    {"float16 column-major", HRY_FLOAT16, column_major, false},
    {"float32 column-major", HRY_FLOAT32, column_major, false},
    {"float64 column-major", HRY_FLOAT64, column_major, false},
    {"float32 tiles 64x64", HRY_FLOAT32, tiles_64, false},
    {"float32 tiles 64x64, columns", HRY_FLOAT32, tiles_64_columns, false},
    {"float32 tiles 4x4", HRY_FLOAT32, tiles_4, false},
    {"float32 tiles 64x64 of 8x8", HRY_FLOAT32, tiles_64_8, false},
    {"float32 Morton", HRY_FLOAT32, morton, false},
    {"float64 Morton", HRY_FLOAT64, morton, false},
    {"float32 Hilbert", HRY_FLOAT32, hilbert, false},
    {"bool row-major", HRY_BOOL, row_major, false},
    {"uint2 row-major", HRY_UINT2, row_major, false},
    {"uint4 row-major", HRY_UINT4, row_major, false},
    {"float6 row-major", HRY_FLOAT6_E2M3, row_major, false},
    {"uint4 column-major", HRY_UINT4, column_major, false},
    {"uint4 tiles 64x64", HRY_UINT4, tiles_64, false},
    {"box of float32 row-major", HRY_FLOAT32, row_major, true},
    {"box of float32 column-major", HRY_FLOAT32, column_major, true},
    {"box of float32 tiles 64x64", HRY_FLOAT32, tiles_64, true},
    {"box of float32 Morton", HRY_FLOAT32, morton, true},
    {"box of float32 Hilbert", HRY_FLOAT32, hilbert, true},
    {"box of uint4 row-major", HRY_UINT4, row_major, true},
};

typedef enum way { COPY, READ, WRITE } way;

static double best_of(way how, const hry_tensor *t, bool box, uint8_t *array, size_t size)
{
    const uint64_t at = box ? BOX_AT : 0, side = box ? BOX_SIDE : SIDE;
    const uint64_t start[2] = {at, at}, shape[2] = {side, side};
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        hry_status status = HRY_OK;
        const double began = now();
        if (how == COPY)
            memcpy(array, t->buffers[0].bytes, size);
        else if (how == READ)
            status = hry_region_read(t, start, shape, array, NULL);
        else
            status = hry_region_write(t, start, shape, array, NULL);
        const double took = now() - began;
        if (status != HRY_OK)
            return 0;
        best = took < best ? took : best;
    }
    return best;
}

int main(void)
{
    const size_t most = (size_t)SIDE * SIDE * 16;
    uint8_t *storage = room(most);
    uint8_t *array = room(most);
    memset(storage, 1, most);
    memset(array, 1, most);
    printf("%-30s %8s %8s %8s %8s\n", "", "read", "write", "read/", "write/");
    printf("%-30s %8s %8s %8s %8s\n", "", "GB/s", "GB/s", "memcpy", "memcpy");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hry_descriptor d = {.type_tag = cases[i].type,
                            .rank = 2,
                            .shape = {SIDE, SIDE},
                            .buffer_count = 1,
                            .buffers = {{.byte_size = most}}};
        const hry_buffer buffer = {.writable = storage, .size = most};
        const hry_tensor t = {.descriptor = &d, .buffers = &buffer, .writable = true};
        cases[i].set(&d);
        const bool box = cases[i].box;
        const size_t side = box ? BOX_SIDE : SIDE;
        const size_t size = side * side * hry_region_element(&d);
        const double copy = best_of(COPY, &t, box, array, size);
        const double get = best_of(READ, &t, box, array, size);
        const double put = best_of(WRITE, &t, box, array, size);
        printf("%-30s %8.2f %8.2f %8.2f %8.2f\n", cases[i].name, (double)size / get / 1e9,
               (double)size / put / 1e9, get / copy, put / copy);
    }
    free(storage);
    free(array);
    return 0;
}
