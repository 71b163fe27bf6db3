/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A weight matrix in one file as several tensors: the upper half as it is, the lower half
 * quantized to 8 bits with the few large weights kept exact beside it. Any reader sees one
 * float32 matrix, and this one reads a box that lies across both halves.
 *
 *   composite [weights.hrry]
 *
 *     weights              partition of [64, 96]
 *     weights/upper        float32 [32, 96]
 *     weights/lower        overlay of [32, 96]
 *     weights/lower/codes  int8, one scale: the base
 *     weights/lower/large  the weights above 4, sparse: they replace
 */
#include <hry/hry.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 96, HALF = ROWS / 2 };

static const uint64_t whole[2] = {ROWS, COLUMNS}, half[2] = {HALF, COLUMNS};
static const uint64_t below[2] = {HALF, 0};

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "composite: %s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

/* Small numbers, and here and there a large one. */
static float weight(int row, int column)
{
    const int n = (row * 31 + column * 17) % 101;
    return n == 0 ? 50.0f + (float)row : 0.04f * (float)(n - 50);
}

static float matrix[ROWS * COLUMNS];

/* ---- writing ---- */

static void add_head(hry_composer *composer, const char *name, hry_composite composite,
                     const uint64_t *shape, const uint64_t *offset)
{
    hry_descriptor d;
    hry_error err;
    check(hry_head_describe(&composite, HRY_FLOAT32, 2, shape, &d, &err), &err);
    check(hry_composer_add(composer, name, &d, offset, NULL, &err), &err);
}

static void add_tensor(hry_composer *composer, const char *name, const hry_tensor *t)
{
    const void *buffers[HRY_MAX_BUFFERS];
    hry_error err;
    for (uint32_t b = 0; b < t->descriptor->buffer_count; b++)
        buffers[b] = t->buffers[b].bytes;
    check(hry_composer_add(composer, name, t->descriptor, NULL, buffers, &err), &err);
}

/* The lower half without its large weights, in 8 bits. */
static void add_codes(hry_composer *composer)
{
    static float small[HALF * COLUMNS];
    const hry_quantization how = {.scheme = HRY_QUANT_PER_TENSOR, .version = 1};
    hry_quantized *codes;
    hry_error err;
    const float *lower = matrix + HALF * COLUMNS;
    for (int i = 0; i < HALF * COLUMNS; i++)
        small[i] = lower[i] > 4 ? 0 : lower[i];
    check(hry_quantize(small, 2, half, HRY_INT8, &how, &codes, &err), &err);
    add_tensor(composer, "weights/lower/codes", hry_quantized_tensor(codes));
    hry_quantized_free(codes);
}

/* The large ones alone; a sparse tensor keeps what is not zero. */
static void add_large(hry_composer *composer)
{
    static float large[HALF * COLUMNS];
    const hry_descriptor sparse = {.layout_tag = HRY_COO};
    hry_descriptor d;
    hry_transcoded *t;
    hry_error err;
    const float *lower = matrix + HALF * COLUMNS;
    for (int i = 0; i < HALF * COLUMNS; i++)
        large[i] = lower[i] > 4 ? lower[i] : 0;
    check(hry_descriptor_dense(HRY_FLOAT32, 2, half, &d, &err), &err);
    const hry_buffer buffer = {.bytes = large, .size = sizeof large};
    const hry_tensor dense = {.descriptor = &d, .buffers = &buffer};
    check(hry_transcode(&dense, &sparse, 0, &t, &err), &err);
    add_tensor(composer, "weights/lower/large", hry_transcoded_tensor(t));
    hry_transcoded_free(t);
}

static void write_file(const char *path)
{
    const hry_composite partition = {.rule = HRY_PARTITION, .member_count = 2};
    const hry_composite overlay = {
        .rule = HRY_OVERLAY, .combine = HRY_COMBINE_REPLACE, .member_count = 2};
    hry_writer *writer;
    hry_composer *composer;
    hry_descriptor upper;
    hry_error err;
    check(hry_writer_create(path, NULL, &writer, &err), &err);
    check(hry_composer_new(writer, &composer, &err), &err);

    add_head(composer, "weights", partition, whole, NULL);
    check(hry_descriptor_dense(HRY_FLOAT32, 2, half, &upper, &err), &err);
    check(hry_composer_add(composer, "weights/upper", &upper, NULL,
                           (const void *[]){matrix}, &err),
          &err);
    add_head(composer, "weights/lower", overlay, half, below);
    add_codes(composer);
    add_large(composer);

    check(hry_composer_finish(composer, &err), &err); /* an error if members are missing */
    check(hry_writer_finish(writer, &err), &err);
}

/* ---- reading ---- */

static void print_members(const hry_head *head, int indent)
{
    const hry_head_info info = hry_head_get_info(head);
    hry_error err;
    for (uint32_t m = 0; m < info.member_count; m++) {
        hry_member member;
        uint64_t start[2], size[2];
        check(hry_head_member(head, m, &member, &err), &err);
        check(hry_head_box(head, m, start, size, &err), &err);
        printf("%*s%.*s: %u x %u at [%u, %u]\n", indent, "", (int)member.name_length,
               member.name, (unsigned)size[0], (unsigned)size[1], (unsigned)start[0],
               (unsigned)start[1]);
        if (member.inside != NULL)
            print_members(member.inside, indent + 2);
    }
}

static void read_file(const char *path)
{
    const hry_file_options options = {.map = true};
    const uint64_t start[2] = {HALF - 4, 10}, count[2] = {8, 80};
    static float box[8][80];
    hry_file *file;
    hry_head *head;
    hry_error err;
    uint64_t i;
    double worst = 0;
    check(hry_file_open(path, &options, &file, &err), &err);
    check(hry_file_find(file, "weights", 7, &i, &err), &err);
    check(hry_head_open(file, i, NULL, &head, &err), &err);
    print_members(head, 0);
    check(hry_head_read(head, start, count, box, &err), &err);
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 80; c++)
            worst =
                fmax(worst, fabs((double)box[r][c] - (double)weight(HALF - 4 + r, 10 + c)));
    printf("8 rows of 80 across the halves: at most %.4f off\n", worst);
    hry_head_close(head);
    hry_file_close(file);
    if (worst > 0.02) /* a step of the codes is 4 / 255 */
        exit(1);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "weights.hrry";
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            matrix[r * COLUMNS + c] = weight(r, c);
    write_file(path);
    read_file(path);
    return 0;
}
