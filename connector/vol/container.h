/* SPDX-License-Identifier: Apache-2.0 */
/* container.h - what container.c needs of the medium a file lies on: POSIX or MPI. */
#ifndef HVOL_CONTAINER_H
#define HVOL_CONTAINER_H

#include "vol.h"

/* A file of the operating system opened as a FAPL says, by one process or by many. */
typedef struct hvol_medium {
    hry_io io;
    const hvol_group_ops *group; /* NULL: this process alone */
    void *group_ctx;
    uint32_t rank, ranks;
} hvol_medium;

/* `flags` are HRY_IO_; collective when the FAPL is for MPI (medium.c). */
hry_status hvol_medium_open(const char *path, unsigned flags, hid_t fapl,
                            const hvol_options *options, hvol_medium *out, hry_error *err);

/* Delete a Hurray file, and nothing else; collective when the FAPL is for MPI. */
hry_status hvol_medium_delete(const char *path, hid_t fapl, hry_error *err);

/* Hand the group to the store that has the io. */
void hvol_medium_attach(const hvol_medium *medium, hvol_store *store);

#endif
