/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - see input.h. */
#define _DEFAULT_SOURCE /* madvise() */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const struct input *input, const char *what)
{
    const struct place where = {.file = input->path};
    return report_refusal(&where, "%s: %s", what, strerror(errno));
}

/* ---- bytes ---- */

/* Everything that `fd` still has, in a temporary file without a name. */
static FILE *copy_to_temporary(int fd)
{
    char piece[1 << 16];
    FILE *copy = tmpfile();
    if (copy == NULL)
        return NULL;
    for (;;) {
        const ssize_t got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 && fflush(copy) == 0)
            return copy;
        if (got <= 0 || fwrite(piece, 1, (size_t)got, copy) != (size_t)got) {
            const int reason = errno;
            fclose(copy);
            errno = reason;
            return NULL;
        }
    }
}

static int map(struct input *input, int fd)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return refuse(input, "cannot be examined");
    if (about.st_size == 0)
        return EXIT_OK;
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return refuse(input, "cannot be mapped");
    input->bytes = bytes;
    input->size = (size_t)about.st_size;
    return EXIT_OK;
}

static int map_copy(struct input *input, int fd)
{
    FILE *copy = copy_to_temporary(fd);
    if (copy == NULL)
        return refuse(input, "cannot be copied to a temporary file");
    const int code = map(input, fileno(copy));
    fclose(copy);
    return code;
}

static int load(struct input *input)
{
    const bool is_stdin = strcmp(input->path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (fd < 0)
        return refuse(input, "cannot be opened");
    int code;
    if (fstat(fd, &about) != 0)
        code = refuse(input, "cannot be examined");
    else if (S_ISREG(about.st_mode) && (!is_stdin || lseek(fd, 0, SEEK_CUR) == 0))
        code = map(input, fd);
    else
        code = map_copy(input, fd);
    if (!is_stdin)
        close(fd);
    return code;
}

/* ---- what they are ---- */

hry_mode input_mode(const struct input *input)
{
    return input->way == INPUT_PERMISSIVE ? HRY_PERMISSIVE : HRY_STRICT;
}

static int open_file(struct input *input)
{
    const struct place where = {.file = input->path};
    const hry_file_options options = {.mode = input_mode(input), .map = true};
    hry_error err;
    hry_io io;
    if (hry_io_memory(input->bytes, input->size, &io, &err) != HRY_OK ||
        hry_file_open_io(io, &options, &input->file, &err) != HRY_OK)
        return report_error(&where, &err);
    return EXIT_OK;
}

/* A file starts HRRYFILE and ends HRRY, a descriptor starts HRRY and its version. What has
 * only one end of a file is a damaged file. */
static bool looks_like_file(const struct input *input)
{
    const size_t size = input->size;
    const size_t least = HRY_FILE_HEADER_SIZE + HRY_FILE_TRAILER_SIZE;
    return (size >= 5 && memcmp(input->bytes, "HRRYF", 5) == 0) ||
           (size >= least && memcmp(input->bytes + size - 4, "HRRY", 4) == 0);
}

int input_open(const char *path, enum input_way way, struct input *input)
{
    const struct place where = {.file = path};
    *input = (struct input){.path = path, .way = way};
    const int code = load(input);
    if (code != EXIT_OK)
        return code;
    if (looks_like_file(input))
        return open_file(input);
    if (input->size >= 4 && memcmp(input->bytes, "HRRY", 4) == 0)
        return EXIT_OK;
    hry_error err = {.code = HRY_ERR_CORRUPT, .offset = 0};
    snprintf(err.message, sizeof err.message,
             "magic: a Hurray file starts HRRYFILE and a descriptor HRRY, this %s",
             input->size == 0 ? "is empty" : "does not");
    return report_error(&where, &err);
}

void input_release(const struct input *input)
{
#ifdef MADV_DONTNEED
    if (input->bytes != NULL)
        madvise((void *)(uintptr_t)input->bytes, input->size, MADV_DONTNEED);
#else
    (void)input;
#endif
}

void input_close(struct input *input)
{
    hry_file_close(input->file);
    if (input->bytes != NULL)
        munmap((void *)(uintptr_t)input->bytes, input->size);
    *input = (struct input){0};
}

/* ---- descriptors ---- */

uint64_t input_count(const struct input *input)
{
    return input->file != NULL ? hry_file_count(input->file) : 1;
}

struct place input_place(const struct input *input, const struct described *what)
{
    return (struct place){.file = input->path,
                          .name = what->in_file ? what->entry.name : NULL,
                          .name_length = what->entry.name_length};
}

static int describe_alone(const struct input *input, struct described *out)
{
    const struct place where = {.file = input->path};
    hry_error err;
    size_t length;
    hry_status status = hry_descriptor_decode(input->bytes, input->size, input_mode(input),
                                              &out->d, &length, &err);
    if (status == HRY_ERR_UNSUPPORTED && input->way == INPUT_INSPECT)
        status = hry_descriptor_decode(input->bytes, input->size, HRY_PERMISSIVE, &out->d,
                                       &length, &err);
    if (status != HRY_OK)
        return report_error(&where, &err);
    out->entry.descriptor_length = (uint32_t)length;
    if (length == input->size)
        return EXIT_OK;
    err.code = HRY_ERR_CORRUPT;
    err.offset = length;
    snprintf(err.message, sizeof err.message,
             "descriptor_length: %zu, but %zu bytes are there", length, input->size);
    return report_error(&where, &err);
}

/* Again, of what a strict reader does not know: its index row has been checked. */
static hry_status describe_unknown(const struct input *input, struct described *out,
                                   hry_error *err)
{
    const void *bytes;
    const hry_status status = hry_file_view(input->file, out->entry.descriptor_offset,
                                            out->entry.descriptor_length, &bytes, err);
    if (status != HRY_OK)
        return status;
    return hry_descriptor_decode(bytes, out->entry.descriptor_length, HRY_PERMISSIVE,
                                 &out->d, NULL, err);
}

int input_describe(const struct input *input, uint64_t i, struct described *out)
{
    out->position = i;
    out->entry = (hry_entry){0};
    out->in_file = input->file != NULL;
    if (!out->in_file)
        return describe_alone(input, out);
    hry_error err;
    hry_status status = hry_file_entry(input->file, i, &out->entry, &err);
    if (status == HRY_OK)
        status = hry_file_descriptor(input->file, i, &out->d, &err);
    if (status == HRY_ERR_UNSUPPORTED && input->way == INPUT_INSPECT)
        status = describe_unknown(input, out, &err);
    const struct place where = input_place(input, out);
    return status == HRY_OK ? EXIT_OK : report_error(&where, &err);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The name whose listing is `shown`, in `out` of as many bytes; returns its length. */
static size_t unescape(const char *shown, char *out)
{
    size_t length = 0;
    while (*shown != '\0') {
        const bool is_hex = strncmp(shown, "\\x", 2) == 0 && hex_value(shown[2]) >= 0 &&
                            hex_value(shown[3]) >= 0;
        if (is_hex) {
            out[length++] = (char)(hex_value(shown[2]) << 4 | hex_value(shown[3]));
            shown += 4;
        } else if (strncmp(shown, "\\n", 2) == 0 || strncmp(shown, "\\t", 2) == 0) {
            out[length++] = shown[1] == 'n' ? '\n' : '\t';
            shown += 2;
        } else {
            out[length++] = *shown++;
        }
    }
    return length;
}

/* By the name itself, else as `hurray ls` shows it. */
static hry_status find_position(const hry_file *file, const char *name, uint64_t *i,
                                hry_error *err)
{
    hry_status status = hry_file_find(file, name, strlen(name), i, err);
    if (status != HRY_ERR_NOTFOUND || strchr(name, '\\') == NULL)
        return status;
    char *plain = malloc(strlen(name) + 1);
    if (plain == NULL)
        return status;
    status = hry_file_find(file, plain, unescape(name, plain), i, err);
    free(plain);
    return status;
}

int input_find(const struct input *input, const char *name, struct described *out)
{
    const struct place where = {.file = input->path};
    hry_error err;
    uint64_t i;
    if (input->file == NULL) {
        const int code = input_describe(input, 0, out);
        return code != EXIT_OK
                   ? code
                   : report_refusal(&where, "holds one descriptor, without name or data");
    }
    if (find_position(input->file, name, &i, &err) != HRY_OK)
        return report_refusal(&where, "no tensor named '%s' ('hurray ls -a' lists them)",
                              name);
    return input_describe(input, i, out);
}
