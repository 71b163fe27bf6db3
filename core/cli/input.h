/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - what a command reads: a Hurray file, or the bytes of one descriptor. A path, or
 * "-" for standard input. The bytes are mapped, so that a large file needs no memory; what
 * cannot be mapped (a pipe) is first copied to a temporary file.
 */
#ifndef INPUT_H
#define INPUT_H

#include "hry/file.h"

#include "report.h"

/* How to take what this build does not know. */
enum input_way {
    INPUT_STRICT,     /* refuse it                                                   */
    INPUT_PERMISSIVE, /* as the format lets a permissive reader                      */
    INPUT_INSPECT     /* refuse what is wrong, but show what is merely not known     */
};

struct input {
    const char *path; /* as given */
    const uint8_t *bytes;
    size_t size;
    hry_file *file; /* NULL: the input is one descriptor */
    enum input_way way;
};

/* Errors are reported; returns an exit code. `input` is to be closed in any case. */
int input_open(const char *path, enum input_way way, struct input *input);

/* The library's word for it. */
hry_mode input_mode(const struct input *input);
void input_close(struct input *input);

/* Bytes looked at so far need not stay in memory: those still wanted come back by
 * themselves. For programs that go through a file larger than memory. */
void input_release(const struct input *input);

/* A descriptor with what it belongs to. */
struct described {
    hry_entry entry; /* of the index; zeros when the input is one descriptor */
    uint64_t position;
    bool in_file;
    hry_descriptor d;
};

/* How many descriptors the input has. */
uint64_t input_count(const struct input *input);

/* The i-th descriptor. Errors are reported; returns an exit code. */
int input_describe(const struct input *input, uint64_t i, struct described *out);

/* The same, found by its name or by what `hurray ls` shows for it (\n, \x00). */
int input_find(const struct input *input, const char *name, struct described *out);

/* Where an error about it is. */
struct place input_place(const struct input *input, const struct described *what);

#endif
