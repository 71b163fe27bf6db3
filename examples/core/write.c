/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file of three tensors in one pass: a temperature field, one day after another as
 * a simulation would make them, the days, and where there is land. read.c shows it.
 *
 *   write [weather.hrry]
 */
#include <hry/hry.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAYS = 4, ROWS = 6, COLUMNS = 8 };

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "write: %s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

/* A few words about the file, kept beside the tensors. */
static void add_words(hry_writer *writer)
{
    hry_error err;
    const char title[] = "Temperatures, 2 m above ground";
    const hry_kv words = {.key = "title",
                          .key_length = 5,
                          .tag = HRY_KV_STRING,
                          .bytes = title,
                          .length = strlen(title)};
    const hry_kv number = {
        .key = "missing", .key_length = 7, .tag = HRY_KV_F64, .number.f64 = -999};
    check(hry_writer_add_kv(writer, &words, &err), &err);
    check(hry_writer_add_kv(writer, &number, &err), &err);
}

/* More than memory would hold: begun once, then written piece by piece. */
static void add_temperature(hry_writer *writer)
{
    const uint64_t shape[] = {DAYS, ROWS, COLUMNS};
    float today[ROWS][COLUMNS];
    hry_descriptor d;
    hry_error err;
    check(hry_descriptor_dense(HRY_FLOAT32, 3, shape, &d, &err), &err);
    check(hry_writer_begin(writer, "temperature", &d, &err), &err);
    for (int day = 0; day < DAYS; day++) {
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++)
                today[r][c] = 10.0f + 2.0f * (float)day - (float)r + 0.25f * (float)c;
        check(hry_writer_write(writer, today, sizeof today, &err), &err);
    }
}

/* At once, as most tensors are. */
static void add_days(hry_writer *writer)
{
    const uint64_t shape[] = {DAYS};
    const int32_t days[DAYS] = {20250601, 20250602, 20250603, 20250604};
    const void *buffers[] = {days};
    hry_descriptor d;
    hry_error err;
    check(hry_descriptor_dense(HRY_INT32, 1, shape, &d, &err), &err);
    check(hry_writer_add(writer, "days", &d, buffers, &err), &err);
}

/* Booleans are stored 8 in a byte. */
static void add_land(hry_writer *writer)
{
    const uint64_t shape[] = {ROWS, COLUMNS};
    uint8_t land[ROWS * COLUMNS], packed[ROWS * COLUMNS / 8] = {0};
    const void *buffers[] = {packed};
    hry_descriptor d;
    hry_error err;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        land[i] = i / COLUMNS < i % COLUMNS;
    check(hry_pack(1, land, sizeof land, packed, 0, &err), &err);
    check(hry_descriptor_dense(HRY_BOOL, 2, shape, &d, &err), &err);
    check(hry_writer_add(writer, "land", &d, buffers, &err), &err);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "weather.hrry";
    const hry_writer_options options = {.flags = HRY_FILE_HAS_KV | HRY_FILE_HAS_INDEX_CRC};
    hry_writer *writer;
    hry_error err;
    check(hry_writer_create(path, &options, &writer, &err), &err);
    add_words(writer);
    add_temperature(writer);
    add_days(writer);
    add_land(writer);
    check(hry_writer_finish(writer, &err), &err); /* only now it is a file */
    printf("%s: 3 tensors\n", path);
    return 0;
}
