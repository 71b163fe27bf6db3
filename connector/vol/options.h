/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the connector string: HDF5_VOL_CONNECTOR="hurray key=value;key=value". */
#ifndef HVOL_OPTIONS_H
#define HVOL_OPTIONS_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

/* HDF5's "VOL info" of this connector. */
typedef struct hvol_options {
    bool signature; /* begin new files so that HDF5's auto-detection finds them */
    bool mpiio;     /* parallel files through MPI-IO, not through POSIX calls */
} hvol_options;

hvol_options hvol_options_default(void);

/* Defaults changed by "key=value;key=value". HRY_ERR_ARG names the bad key or value. */
hry_status hvol_options_parse(const char *text, hvol_options *out, hry_error *err);

/* The text that gives `options`, as snprintf() does. */
size_t hvol_options_print(const hvol_options *options, char *buffer, size_t size);

#endif
