/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusing.h - memory that is refused at the n-th request. For programs linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc; include it once.
 */
#ifndef REFUSING_H
#define REFUSING_H

#include "hry/error.h"

#include "cmocka_all.h"

#include <stdbool.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long refuse_after = -1; /* requests that are still granted; negative: all */

static bool refuse_now(void)
{
    if (refuse_after == 0)
        return true;
    refuse_after -= refuse_after > 0;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return refuse_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse_now() ? NULL : __real_realloc(old, size);
}

typedef hry_status refuse_work(void *ctx, hry_error *err);

/* Run `work` with its n-th request refused, for every n until it has no more: how many. */
static inline long refuse_each(refuse_work *work, void *ctx)
{
    long n = 0;
    hry_status status = HRY_ERR_NOMEM;
    for (; status != HRY_OK; n++) {
        hry_error err = {.message = ""};
        refuse_after = n;
        status = work(ctx, &err);
        const bool used = refuse_after == 0;
        refuse_after = -1;
        if (status != HRY_OK) {
            assert_true(used);
            assert_int_equal(status, HRY_ERR_NOMEM);
            assert_int_equal(err.code, HRY_ERR_NOMEM);
        }
    }
    return n;
}

#endif
