/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file: its composites do no harm, and are the same mapped and read. */
#include "hry/composite.h"

#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 4096 /* elements that are looked at */

static hry_file *open_file(const uint8_t *data, size_t size, hry_mode mode, bool map)
{
    hry_io io;
    hry_file *file = NULL;
    const hry_file_options options = {.mode = mode, .map = map};
    must(hry_io_memory(data, size, &io, NULL) == HRY_OK);
    return hry_file_open_io(io, &options, &file, NULL) == HRY_OK ? file : NULL;
}

/* Up to MOST elements from the first on; their number of bytes is 16 each at most. */
static hry_status read_some(const hry_head *head, uint8_t *array)
{
    static const uint64_t origin[HRY_MAX_RANK];
    const hry_head_info info = hry_head_get_info(head);
    uint64_t count[HRY_MAX_RANK], left = MOST;
    for (uint32_t k = info.rank; k > 0; k--) {
        count[k - 1] = info.shape[k - 1] < left ? info.shape[k - 1] : left;
        left = count[k - 1] > 0 ? left / count[k - 1] : left;
    }
    if (info.extension != NULL && info.extension->bit_width > 128)
        return HRY_ERR_UNSUPPORTED;
    return hry_head_read(head, origin, count, array, NULL);
}

static void look_inside(const hry_head *head)
{
    const hry_head_info info = hry_head_get_info(head);
    uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK];
    hry_member member;
    uint32_t number;
    for (uint32_t m = 0; m < info.member_count && m < 100; m++) {
        must(hry_head_member(head, m, &member, NULL) == HRY_OK);
        must(hry_head_member_of(head, member.tensor, &number, NULL) == HRY_OK &&
             number == m);
        if (hry_head_box(head, m, start, size, NULL) == HRY_OK)
            for (uint32_t k = 0; k < info.rank; k++)
                must(start[k] + size[k] <= info.shape[k]);
        if (member.inside != NULL)
            look_inside(member.inside);
    }
}

/* Both are the same bytes. */
static void compare(hry_file *a, hry_file *b)
{
    static uint8_t x[MOST * 16], y[MOST * 16];
    for (uint64_t i = 0; i < hry_file_count(a); i++) {
        hry_head *in_a = NULL, *in_b = NULL;
        const hry_status opened = hry_head_open(a, i, NULL, &in_a, NULL);
        must(hry_head_open(b, i, NULL, &in_b, NULL) == opened);
        if (opened == HRY_OK) {
            memset(x, 0, sizeof x);
            memset(y, 0, sizeof y);
            look_inside(in_a);
            const hry_status status = read_some(in_a, x);
            must(read_some(in_b, y) == status);
            must(status != HRY_OK || memcmp(x, y, sizeof x) == 0);
        }
        hry_head_close(in_a);
        hry_head_close(in_b);
    }
    must(hry_composites_check(a, NULL, NULL, NULL) ==
         hry_composites_check(b, NULL, NULL, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int mode = HRY_STRICT; mode <= HRY_PERMISSIVE; mode++) {
        hry_file *mapped = open_file(data, size, (hry_mode)mode, true);
        hry_file *read = open_file(data, size, (hry_mode)mode, false);
        must((mapped != NULL) == (read != NULL));
        if (mapped != NULL)
            compare(mapped, read);
        hry_file_close(read);
        hry_file_close(mapped);
    }
    return 0;
}
