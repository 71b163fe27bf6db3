/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding any bytes: no crash, and what is accepted keeps the header's promises. */
#include "hry/descriptor.h"

#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Strictly read, it is valid and, but for a newer minor's tail, its own encoding. */
static void check_accepted(const hry_descriptor *d, const uint8_t *data, size_t length)
{
    const size_t encoded = hry_descriptor_size(d);
    size_t written = 0;
    must(hry_descriptor_validate(d, NULL) == HRY_OK);
    must(encoded > 0 && encoded <= length);
    uint8_t *out = malloc(encoded);
    must(out != NULL);
    must(hry_descriptor_encode(d, out, encoded, &written, NULL) == HRY_OK);
    must(written == encoded);
    if (d->version_minor == 0)
        must(encoded == length && memcmp(out, data, length) == 0);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hry_descriptor d;
    hry_error err = {.offset = HRY_NO_OFFSET};
    size_t length = 0;
    uint64_t count = 0;
    const hry_status strict =
        hry_descriptor_decode(data, size, HRY_STRICT, &d, &length, &err);
    if (strict == HRY_OK)
        check_accepted(&d, data, length);
    else
        must(err.code == strict && err.offset <= size && err.message[0] != '\0');

    const hry_status permissive =
        hry_descriptor_decode(data, size, HRY_PERMISSIVE, &d, &length, NULL);
    must(strict != HRY_OK || permissive == HRY_OK);
    if (permissive == HRY_OK) {
        must(length <= size && d.rank <= HRY_MAX_RANK && d.buffer_count <= HRY_MAX_BUFFERS);
        (void)hry_descriptor_count(&d, &count, NULL);
    }
    return 0;
}
