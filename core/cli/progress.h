/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - a bar on standard error for work that takes long, when that is a terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    uint64_t total;
    double began, shown; /* seconds */
    bool is_wanted, is_drawn;
};

/* Of `total` steps; nothing is drawn before half a second has gone. */
struct progress progress_of(uint64_t total);
void progress_show(struct progress *p, uint64_t done);

/* Wipes the bar. */
void progress_end(struct progress *p);

#endif
