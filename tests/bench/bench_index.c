/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of 1,000 to 100,000 tensors: opening one, finding by name, reading descriptors.
 * Baselines, in the same run and on the same names: reading the bytes from the index to the
 * end of the file into memory and a CRC-32C of them; bsearch() of a sorted array of
 * strings; a pread() of each descriptor.
 *
 *   bench_index [FOLDER]      default: the current one
 */
#include "hry/hry.h"

#include "clock.h"
#include "random.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 7, FINDS = 100000, NAME = 32 };

static hry_error err;

static void name_of(uint64_t i, char name[NAME])
{
    snprintf(name, NAME, "layers/%05u/part_%02u", (unsigned)(i / 16), (unsigned)(i % 16));
}

static void write_file(const char *path, uint64_t count, uint32_t flags)
{
    const hry_writer_options options = {.flags = flags | HRY_FILE_HAS_INDEX_CRC,
                                        .tensor_count_hint = count};
    const uint64_t shape[2] = {0, 16}; /* no data: the index alone counts */
    hry_writer *writer;
    hry_descriptor d;
    char name[NAME];
    or_die(hry_descriptor_dense(HRY_FLOAT32, 2, shape, &d, &err), &err);
    or_die(hry_writer_create(path, &options, &writer, &err), &err);
    for (uint64_t i = 0; i < count; i++) {
        name_of(i, name);
        or_die(hry_writer_add(writer, name, &d, NULL, &err), &err);
    }
    or_die(hry_writer_finish(writer, &err), &err);
}

static double time_open(const char *path, bool map)
{
    const hry_file_options options = {.map = map};
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        hry_file *file;
        const double began = now();
        or_die(hry_file_open(path, &options, &file, &err), &err);
        hry_file_close(file);
        const double took = now() - began;
        best = took < best ? took : best;
    }
    return best;
}

/* The index as bytes: what any reader that checks it must do at least. */
static double time_bytes(const char *path, const hry_file_info *info)
{
    const size_t size = (size_t)info->index_length;
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        const double began = now();
        const int fd = open(path, O_RDONLY);
        void *bytes = room(size);
        if (fd < 0 || pread(fd, bytes, size, (off_t)info->index_offset) != (ssize_t)size ||
            hry_crc32c(0, bytes, size) != info->index_crc)
            exit(1);
        free(bytes);
        close(fd);
        const double took = now() - began;
        best = took < best ? took : best;
    }
    return best;
}

static double time_find(const hry_file *file, uint64_t count)
{
    random_state r = {.s = 1};
    char name[NAME];
    uint64_t i;
    const double began = now();
    for (int n = 0; n < FINDS; n++) {
        name_of(random_in(&r, 0, count - 1), name);
        or_die(hry_file_find(file, name, strlen(name), &i, &err), &err);
    }
    return (now() - began) / FINDS;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static double time_bsearch(uint64_t count)
{
    random_state r = {.s = 1};
    char(*names)[NAME] = room((size_t)count * NAME);
    char name[NAME];
    for (uint64_t i = 0; i < count; i++)
        name_of(i, names[i]);
    const double began = now();
    for (int n = 0; n < FINDS; n++) {
        name_of(random_in(&r, 0, count - 1), name);
        if (bsearch(name, names, (size_t)count, NAME, compare) == NULL)
            exit(1);
    }
    const double took = (now() - began) / FINDS;
    free(names);
    return took;
}

static double time_descriptors(hry_file *file, uint64_t count)
{
    static hry_descriptor d;
    random_state r = {.s = 2};
    const double began = now();
    for (int n = 0; n < FINDS; n++)
        or_die(hry_file_descriptor(file, random_in(&r, 0, count - 1), &d, &err), &err);
    return (now() - began) / FINDS;
}

static double time_pread(const char *path, const hry_file *file, uint64_t count)
{
    random_state r = {.s = 2};
    uint8_t bytes[256];
    hry_entry e;
    const int fd = open(path, O_RDONLY);
    const double began = now();
    for (int n = 0; n < FINDS; n++) {
        or_die(hry_file_entry(file, random_in(&r, 0, count - 1), &e, &err), &err);
        if (pread(fd, bytes, e.descriptor_length, (off_t)e.descriptor_offset) < 0)
            exit(1);
    }
    const double took = (now() - began) / FINDS;
    close(fd);
    return took;
}

static void measure(const char *path, uint64_t count, uint32_t flags)
{
    hry_file *file;
    write_file(path, count, flags);
    or_die(hry_file_open(path, NULL, &file, &err), &err);
    const double bytes = time_bytes(path, hry_file_get_info(file));
    const double opened = time_open(path, false), mapped = time_open(path, true);
    const double find = time_find(file, count), search = time_bsearch(count);
    const double describe = time_descriptors(file, count);
    const double pread = time_pread(path, file, count);
    printf("%8u %-8s %8.3f %8.3f %8.3f %6.1f %8.0f %8.0f %6.2f %8.0f %8.0f %6.2f\n",
           (unsigned)count, flags != 0 ? "sorted" : "as added", opened * 1e3, mapped * 1e3,
           bytes * 1e3, opened / bytes, find * 1e9, search * 1e9, find / search,
           describe * 1e9, pread * 1e9, describe / pread);
    hry_file_close(file);
}

int main(int argc, char **argv)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/bench_index.hrry", argc > 1 ? argv[1] : ".");
    printf("%8s %-8s %8s %8s %8s %6s %8s %8s %6s %8s %8s %6s\n", "tensors", "index",
           "open ms", "mapped", "bytes ms", "open/", "find ns", "bsearch", "find/",
           "descr ns", "pread ns", "descr/");
    for (uint64_t count = 1000; count <= 100000; count *= 10) {
        measure(path, count, 0);
        measure(path, count, HRY_FILE_SORTED_INDEX);
    }
    remove(path);
    return 0;
}
