/* SPDX-License-Identifier: Apache-2.0 */
/* must.h - what a fuzz target claims: said and ended when it does not hold. */
#ifndef HRY_FUZZ_MUST_H
#define HRY_FUZZ_MUST_H

#include <stdio.h>
#include <stdlib.h>

#define must(held)                                                                         \
    do {                                                                                   \
        if (!(held)) {                                                                     \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #held);             \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

#endif
