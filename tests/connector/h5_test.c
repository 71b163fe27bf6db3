/* SPDX-License-Identifier: Apache-2.0 */
/* ftw.h and mkdtemp() are POSIX with extensions. */
#define _GNU_SOURCE
#include "h5_test.h"

#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512];
static bool native;
static bool in_child;
static char text[16384];

void h5_begin(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");

    native = argc > 1 && strcmp(argv[1], "native") == 0;
    snprintf(folder, sizeof folder, "%s/hurray-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        exit(2);
    }
    setenv("HDF5_PLUGIN_PATH", HVOL_PLUGINS, 1);
    if (native)
        unsetenv("HDF5_VOL_CONNECTOR");
    else
        setenv("HDF5_VOL_CONNECTOR", "hurray", 1);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    /* HDF5 falls back on native when it cannot load a connector, and says nothing. */
    if (!native && H5VLis_connector_registered_by_name("hurray") <= 0) {
        fprintf(stderr, "the connector was not loaded from %s\n", HVOL_PLUGINS);
        exit(2);
    }
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s;
    (void)kind;
    (void)where;
    return remove(path);
}

int h5_end(int failed)
{
    if (chdir("/") == 0)
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}

bool h5_is_native(void)
{
    return native;
}

bool h5_known(const char *what)
{
    if (native || getenv("HURRAY_KNOWN") != NULL)
        return false;
    print_message("known: %s\n", what);
    return true;
}

static herr_t add_line(unsigned n, const H5E_error2_t *e, void *unused)
{
    const size_t used = strlen(text);

    (void)n;
    (void)unused;
    snprintf(text + used, sizeof text - used, "%s: %s\n", e->func_name, e->desc);
    return 0;
}

const char *h5_error(void)
{
    text[0] = '\0';
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, add_line, NULL);
    return text;
}

void h5_fail_at(const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vprint_error(format, args);
    va_end(args);
    print_error("\n");
    if (!in_child)
        _fail(file, line);
    print_error("%s:%d: failed in a child\n", file, line);
    _exit(3);
}

hid_t h5_checked(hid_t result, const char *call, const char *file, int line)
{
    if (result < 0)
        h5_fail_at(file, line, "%s failed:\n%s", call, h5_error());
    return result;
}

void h5_refused(hid_t result, const char *want, const char *call, const char *file,
                int line)
{
    if (result >= 0)
        h5_fail_at(file, line, "%s was to fail", call);
    if (!native && strstr(h5_error(), want) == NULL)
        h5_fail_at(file, line, "%s was to say '%s', but said:\n%s", call, want, text);
}

hid_t h5_create(const char *path)
{
    return h5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

hid_t h5_open(const char *path)
{
    return h5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
}

hid_t h5_dataset(hid_t where, const char *name, hid_t type, int rank, const hsize_t *dims,
                 const hsize_t *max, hid_t dcpl)
{
    const hid_t space =
        h5(rank > 0 ? H5Screate_simple(rank, dims, max) : H5Screate(H5S_SCALAR));
    const hid_t dataset =
        h5(H5Dcreate2(where, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    h5(H5Sclose(space));
    return dataset;
}

void h5_put_ints(hid_t where, const char *name, hsize_t count)
{
    const hid_t dataset =
        h5_dataset(where, name, H5T_NATIVE_INT, 1, &count, NULL, H5P_DEFAULT);
    int *values = malloc((size_t)count * sizeof *values);

    assert_non_null(values);
    for (hsize_t i = 0; i < count; i++)
        values[i] = (int)i;
    h5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    free(values);
    h5(H5Dclose(dataset));
}

void h5_assert_ints(hid_t where, const char *name, hsize_t count, int base)
{
    const hid_t dataset = h5(H5Dopen2(where, name, H5P_DEFAULT));
    int *values = malloc((size_t)count * sizeof *values);

    assert_non_null(values);
    h5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (hsize_t i = 0; i < count; i++)
        assert_int_equal(values[i], (int)i + base);
    free(values);
    h5(H5Dclose(dataset));
}

uint8_t *h5_slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes;
    long end;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    end = ftell(f);
    assert_true(end >= 0);
    rewind(f);
    bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, f);
    assert_int_equal(*size, end);
    fclose(f);
    return bytes;
}

void h5_spill(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

int h5_in_child(void (*child)(const void *arg), const void *arg)
{
    int status = 0;
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        in_child = true;
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the next test */
        signal(SIGABRT, SIG_DFL);
        child(arg);
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
