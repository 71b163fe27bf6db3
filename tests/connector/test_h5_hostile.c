/* SPDX-License-Identifier: Apache-2.0 */
/* Files cut off, flipped or made up: a value or an error that says where, never harm. */
/* alarm() and truncate() are POSIX. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "h5_test.h"

#include "hry/crc32c.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TRAILER = 40,
    CATALOG_CRC = 12, /* in a catalog */
    CATALOG_HEADER = 24,
    MOST = 1 << 20, /* bytes of one dataset that are read */
#if defined __SANITIZE_ADDRESS__
    SANITIZED = 1, /* slow: fewer tries, and memory that only looks used */
#else
    SANITIZED = 0,
#endif
    TRIES = SANITIZED ? 1 : 2 /* flips of one byte */
};

static uint8_t *sample; /* a good file */
static bool offsets_wanted, leaks_known;
static size_t size;

/* ---- a file with something of everything ---- */

static void add_chunked(hid_t file, const char *name, bool deflate)
{
    const hsize_t dims[2] = {6, 10}, chunk[2] = {4, 4};
    int values[60];
    const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));
    h5(H5Pset_chunk(dcpl, 2, chunk));
    if (deflate)
        h5(H5Pset_deflate(dcpl, 6));
    for (int i = 0; i < 60; i++)
        values[i] = i / 7;
    const hid_t dataset = h5_dataset(file, name, H5T_STD_I32LE, 2, dims, NULL, dcpl);
    h5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    h5(H5Dclose(dataset));
    h5(H5Pclose(dcpl));
}

static void add_zeros(hid_t file, const char *name)
{
    const hsize_t n = 1500;
    const int zeros[1500] = {0};
    const hid_t dataset = h5_dataset(file, name, H5T_NATIVE_INT, 1, &n, NULL, H5P_DEFAULT);
    h5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros));
    h5(H5Dclose(dataset));
}

static void add_words(hid_t file, const char *name)
{
    const char *const words[3] = {"some", "", "words of different length"};
    const hsize_t three = 3;
    const hid_t type = h5(H5Tcopy(H5T_C_S1)), space = h5(H5Screate_simple(1, &three, NULL));
    h5(H5Tset_size(type, H5T_VARIABLE));
    hid_t id = h5_dataset(file, name, type, 1, &three, NULL, H5P_DEFAULT);
    h5(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words));
    h5(H5Dclose(id));
    id = h5(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Awrite(id, type, words));
    h5(H5Aclose(id));
    h5(H5Sclose(space));
    h5(H5Tclose(type));
}

static void add_records(hid_t file)
{
    const hsize_t n = 4;
    const hid_t type = h5(H5Tcreate(H5T_COMPOUND, 16));
    h5(H5Tinsert(type, "i", 0, H5T_NATIVE_INT));
    h5(H5Tinsert(type, "x", 8, H5T_NATIVE_DOUBLE));
    h5(H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Dclose(h5_dataset(file, "records", type, 1, &n, NULL, H5P_DEFAULT)));
    h5(H5Tclose(type));
}

static int make_sample(void **state)
{
    (void)state;
    offsets_wanted = !h5_known("errors of the catalog have no offset");
    leaks_known = h5_known("an object whose type cannot be decoded leaks its handle");
    const hid_t file = h5_create("sample.h5");
    const hid_t space = h5(H5Screate(H5S_SCALAR));
    h5(H5Gclose(h5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    h5_put_ints(file, "g/small", 10);
    add_zeros(file, "large");
    add_chunked(file, "tiles", false);
    add_chunked(file, "packed", true);
    add_words(file, "words");
    add_records(file);
    h5(H5Aclose(
        h5(H5Acreate2(file, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT))));
    h5(H5Lcreate_soft("/g/small", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_external("other.h5", "/x", file, "external", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_hard(file, "g/small", file, "hard", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Sclose(space));
    h5(H5Fclose(file));
    sample = h5_slurp("sample.h5", &size);
    h5_spill("m.h5", sample, size);
    return 0;
}

static int free_sample(void **state)
{
    (void)state;
    free(sample);
    return 0;
}

/* ---- a program that looks at everything ---- */

static void read_all(hid_t id, bool attribute)
{
    const hid_t type = attribute ? H5Aget_type(id) : H5Dget_type(id);
    const hid_t space = attribute ? H5Aget_space(id) : H5Dget_space(id);
    const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const size_t each = type < 0 ? 0 : H5Tget_size(type);

    if (n >= 0 && each > 0 && (size_t)n <= MOST / each) {
        void *values = calloc((size_t)n + 1, each);
        assert_non_null(values);
        const herr_t status =
            attribute ? H5Aread(id, type, values)
                      : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        if (status >= 0)
            H5Treclaim(type, space, H5P_DEFAULT, values);
        free(values);
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
}

static herr_t read_attr(hid_t where, const char *name, const H5A_info_t *info, void *unused)
{
    (void)info;
    (void)unused;
    const hid_t id = H5Aopen(where, name, H5P_DEFAULT);
    if (id >= 0) {
        read_all(id, true);
        H5Aclose(id);
    }
    return 0;
}

static herr_t read_object(hid_t where, const char *name, const H5O_info2_t *info,
                          void *unused)
{
    (void)unused;
    const hid_t id = H5Oopen(where, name, H5P_DEFAULT);
    if (id < 0)
        return 0;
    H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, read_attr, NULL);
    if (info->type == H5O_TYPE_DATASET) {
        read_all(id, false);
        const hid_t dcpl = H5Dget_create_plist(id);
        if (dcpl >= 0)
            H5Pclose(dcpl);
    }
    H5Oclose(id);
    return 0;
}

/* Is the file opened? What it holds is read in any case. */
static bool look(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return false;
    H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, read_object, NULL, H5O_INFO_BASIC);
    H5Lvisit2(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, NULL);
    H5Fclose(file);
    return true;
}

/* Refused with an error of ours, which is not that memory ran out. */
static void assert_explained(const char *what, size_t n)
{
    const char *text = h5_error();
    if (strstr(text, "hvol_") == NULL || strstr(text, "no memory") != NULL ||
        (offsets_wanted && strstr(text, " at byte ") == NULL))
        h5_fail("%s %zu: the error says\n%s", what, n, text);
}

/* ---- many of them, in processes that may crash, hang or run out of memory ---- */

typedef struct job {
    const char *what;
    size_t count;          /* of tries */
    void (*one)(size_t n); /* prepares and looks at the n-th */
    size_t from, to;       /* of one process */
} job;

static volatile size_t *progress; /* shared: the try that runs */

static void do_some(const void *arg)
{
    const job *j = arg;
    const struct rlimit cores = {0, 0};
    const struct rlimit memory = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &cores);
    for (*progress = j->from; *progress < j->to; ++*progress) {
        alarm(10);
        j->one(*progress);
    }
    alarm(0);
    if (leaks_known)
        _exit(0);
}

static void run(job j)
{
    int status, bad = 0;
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    for (j.from = 0; j.from < j.count; j.from = *progress) {
        j.to = j.count - j.from < 1000 ? j.count : j.from + 1000;
        status = h5_in_child(do_some, &j);
        if (status == 0)
            continue;
        print_error("%s %zu ended the program with %d\n", j.what, *progress, status);
        bad++;
        ++*progress; /* see what else there is */
        assert_in_range(bad, 1, 20);
    }
    munmap((void *)progress, sizeof *progress);
    assert_int_equal(bad, 0);
}

/* ---- what is done to the file ---- */

static void put(size_t at, const void *bytes, size_t n)
{
    const int fd = open("m.h5", O_WRONLY);
    if (fd < 0 || pwrite(fd, bytes, n, (off_t)at) != (ssize_t)n)
        h5_fail("cannot write m.h5");
    close(fd);
}

static void cut_one(size_t n)
{
    if (truncate("m.h5", (off_t)(size - 1 - n)) != 0)
        h5_fail("cannot cut m.h5");
    if (look("m.h5"))
        h5_fail("the first %zu bytes of %zu were opened", size - 1 - n, size);
    assert_explained("cut", n);
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    run((job){.what = "cut", .count = size, .one = cut_one});
    h5_spill("m.h5", sample, size);
}

static size_t *places; /* where a flip may matter: zeros in the middle of zeros do not */
static size_t place_count;

/* Places outside from..to. */
static void find_places(size_t from, size_t to)
{
    size_t zeros = 0;
    places = malloc(size * sizeof *places);
    assert_non_null(places);
    place_count = 0;
    for (size_t at = 0; at < size; at++) {
        zeros = sample[at] == 0 ? zeros + 1 : 0;
        if (zeros < 12 && (at < from || at >= to))
            places[place_count++] = at;
    }
}

/* One bit and all of them by turns. */
static size_t flipped(size_t n, uint8_t *value)
{
    const size_t at = places[n / TRIES];
    *value = sample[at] ^ (uint8_t)(n % 2 != 0 ? 0xFF : 1u << at % 8);
    return at;
}

static void flip_one(size_t n)
{
    uint8_t value;
    const size_t at = flipped(n, &value);
    put(at, &value, 1);
    const bool opened = look("m.h5");
    put(at, sample + at, 1);
    if (!opened)
        assert_explained("flip at", at);
}

static void every_flip_gives_a_file_or_an_error(void **state)
{
    (void)state;
    find_places(size, size);
    run((job){.what = "flip", .count = TRIES * place_count, .one = flip_one});
    free(places);
}

static uint64_t number(size_t at)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | sample[at + (size_t)i];
    return v;
}

static void set_number(uint8_t *to, uint64_t v, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

static size_t catalog(void)
{
    for (size_t at = 0; at + CATALOG_HEADER < size; at++)
        if (memcmp(sample + at, "HRYHDF5C", 8) == 0)
            return at;
    fail_msg("the sample has no catalog");
    return 0;
}

/* Checksums that agree with whatever a file has become. */
static void repair(uint8_t *bytes)
{
    const size_t at = catalog(), index = (size_t)number(size - TRAILER);
    set_number(bytes + at + CATALOG_CRC,
               hry_crc32c(0, bytes + at + CATALOG_HEADER, (size_t)number(at + 16)), 4);
    set_number(bytes + size - TRAILER + 28,
               hry_crc32c(0, bytes + index, (size_t)number(size - TRAILER + 8)), 4);
}

/* The same where checksums agree, so that what is behind them is reached. */
static void repaired_one(size_t n)
{
    uint8_t value, *bytes = malloc(size);
    const size_t at = flipped(n, &value);
    memcpy(bytes, sample, size);
    bytes[at] = value;
    repair(bytes);
    put(0, bytes, size);
    if (!look("m.h5"))
        assert_explained("flip under checksums at", at);
    free(bytes);
}

/* The end of the blobs of the catalog: what HDF5 encoded and will decode. */
static size_t blobs_end(size_t begin)
{
    size_t at = begin + 4;
    for (uint64_t left = number(begin) & UINT32_MAX; left > 0; left--)
        at += 4 + (size_t)(number(at) & UINT32_MAX);
    return at;
}

static void every_flip_under_right_checksums_as_well(void **state)
{
    (void)state;
    const size_t blobs = catalog() + CATALOG_HEADER + 20;
    if (h5_known("HDF5's decoders of types and property lists trust their input"))
        find_places(blobs, blobs_end(blobs));
    else
        find_places(size, size);
    run((job){.what = "repaired flip", .count = TRIES * place_count, .one = repaired_one});
    free(places);
    h5_spill("m.h5", sample, size);
}

/* A field set to a value; the error names it. */
typedef struct edit {
    const char *what;
    size_t at;
    uint64_t value;
    size_t width;
    const char *says;
} edit;

static void edit_one(const edit *e)
{
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, sample, size);
    set_number(bytes + e->at, e->value, e->width);
    if (e->at < (size_t)number(size - TRAILER) + 8)
        repair(bytes);
    h5_spill("m.h5", bytes, size);
    free(bytes);
    if (look("m.h5"))
        fail_msg("%s: was opened", e->what);
    assert_explained(e->what, e->at);
    if (strstr(h5_error(), e->says) == NULL)
        fail_msg("%s: the error does not name %s:\n%s", e->what, e->says, h5_error());
}

static void impossible_fields_are_named(void **state)
{
    (void)state;
    const size_t end = size - TRAILER, index = (size_t)number(end), c = catalog();
    const uint64_t huge = UINT64_C(1) << 60;
    const edit edits[] = {
        {"another magic", 0, 'X', 1, "magic"},
        {"version 2", 8, 2, 1, "version"},
        {"unknown flag", 12, 0xFF, 1, "flag"},
        {"alignment 0", 16, 0, 4, "alignment"},
        {"alignment 3000", 16, 3000, 4, "alignment"},
        {"alignment 2^31", 16, UINT64_C(1) << 31, 4, "alignment"},
        {"first descriptor in the header", 20, 8, 8, "first_descriptor"},
        {"index count 2^60", index, huge, 8, "count"},
        {"index offset 2^60", end, huge, 8, "index"},
        {"index over the header", end, 0, 8, "index"},
        {"index over the trailer", end, end - 8, 8, "index"},
        {"index length 2^60", end + 8, huge, 8, "index"},
        {"key-values over the index", end + 16, index, 8, "key_length"},
        {"key-values 2^32 long", end + 24, UINT32_MAX, 4, "kv"},
        {"trailer magic", end + 36, 'X', 1, "HRRY"},
        {"catalog magic", c, 'X', 1, "catalog"},
        {"catalog version", c + 8, 77, 4, "catalog"},
        {"catalog length 2^60", c + 16, huge, 8, "catalog"},
        {"root group 2^60", c + 32, huge, 8, "catalog"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        edit_one(&edits[i]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_flip_gives_a_file_or_an_error),
        cmocka_unit_test(every_flip_under_right_checksums_as_well),
        cmocka_unit_test(impossible_fields_are_named),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, make_sample, free_sample));
}
