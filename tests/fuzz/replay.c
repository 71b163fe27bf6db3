/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - runs a fuzz target over every file of the folders on the command line, so that
 * any compiler can replay a corpus.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly as much memory as the file has bytes, for the sanitizers. */
static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    const long end = ftell(f);
    const size_t size = end < 0 ? 0 : (size_t)end;
    rewind(f);
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    const int failed = bytes == NULL || fread(bytes, 1, size, f) != size;
    fclose(f);
    if (!failed)
        LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return failed;
}

static int replay_folder(const char *folder, unsigned *count)
{
    DIR *dir = opendir(folder);
    int failed = dir == NULL;
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        char path[1024];
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || (dot != NULL && strcmp(dot, ".json") == 0))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        DIR *inner = opendir(path);
        if (inner != NULL) { /* only the files of a folder are its corpus */
            closedir(inner);
            continue;
        }
        failed |= replay_file(path);
        ++*count;
    }
    if (dir != NULL)
        closedir(dir);
    return failed;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay_folder(argv[i], &count);
    printf("%u inputs\n", count);
    return failed || count == 0;
}
