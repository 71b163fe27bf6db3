/* SPDX-License-Identifier: Apache-2.0 */
/* mapping.c - mmap of a file's descriptor; memory needs none. */
#include "io/mapping.h"

#include "fail.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static hry_status map_descriptor(int fd, uint64_t size, hry_mapping *out, hry_error *err)
{
    if (size > SIZE_MAX / 2)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "%llu bytes are too many to map",
                        (unsigned long long)size);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return HRY_FAIL(err, HRY_ERR_IO, "mmap of %llu bytes: %s", (unsigned long long)size,
                        strerror(errno));
    *out = (hry_mapping){.bytes = bytes, .size = (size_t)size, .owned = true};
    return HRY_OK;
}

hry_status hry_map(const hry_io *io, uint64_t size, hry_mapping *out, hry_error *err)
{
    const int fd = hry_io_descriptor(io);
    if (fd >= 0)
        return map_descriptor(fd, size, out, err);
    const uint8_t *bytes = hry_io_memory_bytes(io);
    if (bytes == NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "this medium cannot be mapped");
    *out = (hry_mapping){.bytes = bytes, .size = (size_t)size};
    return HRY_OK;
}

void hry_unmap(hry_mapping *mapping)
{
    if (mapping->owned)
        munmap((void *)(uintptr_t)mapping->bytes, mapping->size);
    *mapping = (hry_mapping){0};
}
