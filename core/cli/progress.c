/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40 };

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Not over values that scroll by on the same terminal. */
struct progress progress_of(uint64_t total)
{
    const bool is_wanted = isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) == 0;
    const double began = is_wanted ? now() : 0;
    return (struct progress){total, began, began + 0.4, is_wanted, false};
}

void progress_show(struct progress *p, uint64_t done)
{
    if (!p->is_wanted || p->total == 0)
        return;
    const double time = now();
    if (time < p->shown + 0.1)
        return;
    const double part = (double)done / (double)p->total;
    const int filled = (int)(part * WIDTH);
    p->shown = time;
    p->is_drawn = true;
    fprintf(stderr, "\r[%.*s%*s] %3.0f%%, %.0f s left ", filled,
            "========================================", WIDTH - filled, "", 100 * part,
            part > 0 ? (time - p->began) * (1 - part) / part : 0.0);
}

void progress_end(struct progress *p)
{
    if (p->is_drawn)
        fprintf(stderr, "\r%*s\r", WIDTH + 30, "");
    p->is_drawn = false;
}
