/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - see output.h. */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *path, const char *what)
{
    const struct place where = {.file = path};
    return report_refusal(&where, "%s: %s", what, strerror(errno));
}

/* Devices and pipes are written as they are. */
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static FILE *create_unfinished(struct output *o)
{
    static const char suffix[] = ".XXXXXX";
    o->unfinished = malloc(strlen(o->path) + sizeof suffix);
    if (o->unfinished == NULL)
        return NULL;
    strcpy(o->unfinished, o->path);
    strcat(o->unfinished, suffix);
    const int fd = mkstemp(o->unfinished);
    const mode_t mask = umask(0);
    umask(mask);
    if (fd < 0 || fchmod(fd, 0666 & ~mask) != 0)
        return NULL;
    return fdopen(fd, "wb");
}

int output_open(const char *path, FILE *standard, struct output *o)
{
    *o = (struct output){.out = standard};
    if (path == NULL || strcmp(path, "-") == 0)
        return EXIT_OK;
    o->path = path;
    o->out = is_special(path) ? fopen(path, "wb") : create_unfinished(o);
    if (o->out != NULL)
        return EXIT_OK;
    const int code = refuse(path, "cannot be created");
    free(o->unfinished);
    *o = (struct output){.out = NULL};
    return code;
}

int output_close(struct output *o, int code)
{
    if (o->path == NULL)
        return code;
    errno = 0;
    const bool failed = ferror(o->out) != 0;
    if ((fclose(o->out) != 0 || failed) && code == EXIT_OK)
        code = refuse(o->path, "cannot be written");
    if (o->unfinished != NULL && code == EXIT_OK && rename(o->unfinished, o->path) != 0)
        code = refuse(o->path, "cannot be created");
    if (o->unfinished != NULL && code != EXIT_OK)
        unlink(o->unfinished);
    free(o->unfinished);
    *o = (struct output){.out = NULL};
    return code;
}
