/* SPDX-License-Identifier: Apache-2.0 */
/* footer.h - what the writer asks a footer beyond hry/writer.h. Private to core/src. */
#ifndef HRY_FOOTER_H
#define HRY_FOOTER_H

#include "hry/writer.h"

/* Has a tensor of that name been added? */
bool hry_footer_has(const hry_footer *footer, const char *name, size_t length);

#endif
