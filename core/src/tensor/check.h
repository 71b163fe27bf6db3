/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what each layout's index buffers must obey. Private to core/src. */
#ifndef HRY_CHECK_H
#define HRY_CHECK_H

#include "hry/tensor.h"

/* Buffers are as large as their handles say. */
hry_status hry_check_coo(const hry_tensor *t, hry_error *err);
hry_status hry_check_csr(const hry_tensor *t, hry_error *err);
hry_status hry_check_csc(const hry_tensor *t, hry_error *err);
hry_status hry_check_csf(const hry_tensor *t, hry_error *err);
hry_status hry_check_paged(const hry_tensor *t, hry_error *err);

/* Codes that are no numbers, and bits that belong to no element. */
hry_status hry_check_values(const hry_tensor *t, hry_mode mode, hry_error *err);

#endif
