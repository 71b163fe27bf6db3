/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.h - a selection as contiguous runs of elements, in the order HDF5 transfers them.
 * Regular hyperslabs are computed from their parameters; only irregular ones and points go
 * through HDF5's iterator, a thousand runs at a time. All numbers are in ELEMENTS.
 */
#ifndef HVOL_RUNS_H
#define HVOL_RUNS_H

#include "hry/error.h"

#include <hdf5.h>
#include <stdbool.h>

/* One dimension of a regular hyperslab. */
typedef struct hvol_steps {
    uint64_t stride, count, block;
    uint64_t pitch;       /* from one index to the next */
    uint64_t step, index; /* where we are: which block, and where in it */
} hvol_steps;

typedef struct hvol_runs {
    uint64_t total;          /* selected in all */
    uint64_t offset, length; /* what is left of the current run */
    uint64_t cluster_end;    /* runs up to here follow each other closely */
    bool last;               /* nothing behind the current run */
    /* a regular hyperslab: dimensions that are contiguous have been merged */
    uint32_t rank;
    uint64_t origin, row; /* of the first element, and of the current innermost row */
    hvol_steps dim[H5S_MAX_RANK];
    /* anything else: HDF5's iterator, 0 when not used */
    hid_t iterator;
    size_t listed, next;
    hsize_t *offsets; /* owned */
    size_t *lengths;  /* owned */
} hvol_runs;

/*
 * Runs of the selection of `space`, which the caller keeps open; of `count` contiguous
 * elements when `space` is H5S_BLOCK. The first run is ready: length is 0 only when
 * nothing is selected. Ended by hvol_runs_close().
 */
hry_status hvol_runs_open(hid_t space, uint64_t count, hvol_runs *out, hry_error *err);
void hvol_runs_close(hvol_runs *runs);

/* Use `n` <= length elements of the current run, and make the next one ready. */
hry_status hvol_runs_use(hvol_runs *runs, uint64_t n, hry_error *err);

#endif
