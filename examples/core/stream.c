/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors through a pipe, no file anywhere:
 *
 *   stream send | stream receive
 *
 * The sender makes frames of a film; the receiver knows of them what their descriptors say.
 * A stream that is cut off inside a frame is an error.
 */
#include <hry/hry.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 5, SIDE = 32 };

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "stream: %s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

/* ---- sending ---- */

static hry_status to_output(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    (void)ctx;
    if (fwrite(bytes, 1, size, stdout) == size)
        return HRY_OK;
    *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "nobody reads"};
    return HRY_ERR_IO;
}

static void send_frames(void)
{
    const uint64_t shape[] = {SIDE, SIDE};
    static uint8_t frame[SIDE][SIDE];
    const void *buffers[] = {frame};
    hry_stream_writer *writer;
    hry_descriptor d;
    hry_error err;
    check(hry_descriptor_dense(HRY_UINT8, 2, shape, &d, &err), &err);
    check(hry_stream_writer_new(to_output, NULL, NULL, &writer, &err), &err);
    for (int f = 0; f < FRAMES; f++) {
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++)
                frame[r][c] = (uint8_t)(8 * f + r + c);
        check(hry_stream_writer_add(writer, &d, buffers, &err), &err);
    }
    check(hry_stream_writer_finish(writer, &err), &err);
    if (fflush(stdout) != 0)
        exit(1);
}

/* ---- receiving ---- */

static hry_status from_input(void *ctx, void *dst, size_t size, size_t *got, hry_error *err)
{
    (void)ctx;
    *got = fread(dst, 1, size, stdin);
    if (*got > 0 || !ferror(stdin))
        return HRY_OK;
    *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "standard input cannot be read"};
    return HRY_ERR_IO;
}

/* Piece by piece: a frame need not fit into memory. */
static double mean_of_rest(hry_stream_reader *reader)
{
    uint8_t piece[300];
    size_t got = sizeof piece;
    double sum = 0, count = 0;
    hry_error err;
    while (got == sizeof piece) {
        check(hry_stream_reader_read(reader, piece, sizeof piece, &got, &err), &err);
        for (size_t i = 0; i < got; i++)
            sum += piece[i];
        count += (double)got;
    }
    return sum / count;
}

static int receive_frames(void)
{
    const hry_source source = {.read = from_input};
    const hry_stream_options options = {.data_limit = 1 << 20}; /* senders may lie */
    hry_stream_reader *reader;
    static hry_descriptor d;
    hry_error err;
    int frames = 0;
    check(hry_stream_reader_new(source, &options, &reader, &err), &err);
    for (bool found = true;; frames++) {
        check(hry_stream_reader_next(reader, &d, &found, &err), &err);
        if (!found)
            break;
        if (d.type_tag != HRY_UINT8 || d.layout_tag != HRY_ROW_MAJOR || d.rank != 2) {
            fprintf(stderr, "stream: %s of rank %u is no picture\n",
                    hry_type_name(d.type_tag), (unsigned)d.rank);
            exit(1);
        }
        printf("frame %d: %llu x %llu, mean %.1f\n", frames, (unsigned long long)d.shape[0],
               (unsigned long long)d.shape[1], mean_of_rest(reader));
    }
    hry_stream_reader_free(reader);
    return frames == FRAMES ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "receive") == 0)
        return receive_frames();
    if (argc != 2 || strcmp(argv[1], "send") != 0) {
        fprintf(stderr, "use: stream send | stream receive\n");
        return 2;
    }
    send_frames();
    return 0;
}
