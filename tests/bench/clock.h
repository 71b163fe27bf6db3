/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - what a benchmark measures with. */
#ifndef HRY_BENCH_CLOCK_H
#define HRY_BENCH_CLOCK_H

#include "hry/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds, from some point on. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void or_die(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "%s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

static inline void *room(size_t size)
{
    void *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(1);
    }
    return bytes;
}

#endif
