/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - the one table of layouts (format section 3), indexed by tag. */
#include "layout.h"

#define DENSE .rank_min = 1, .rank_max = HRY_MAX_RANK, .buffers = 1
#define SPARSE .is_sparse = true, .no_byte_offset = true
#define CODEC(layout)                                                                      \
    .decode = hry_##layout##_decode, .encode = hry_##layout##_encode,                      \
    .size = hry_##layout##_size, .check = hry_##layout##_check

/* clang-format off */
static const hry_layout layouts[] = {
    [HRY_ROW_MAJOR] = {.name = "row_major", .rank_max = HRY_MAX_RANK, .buffers = 1,
                       .check = hry_dense_check},
    [HRY_COLUMN_MAJOR] = {.name = "column_major", DENSE, .reads_scalar = true,
                          .check = hry_dense_check},
    [HRY_STRIDED] = {.name = "strided", DENSE, .reads_scalar = true, CODEC(strided)},
    [HRY_TILED] = {.name = "tiled", DENSE, CODEC(tiled)},
    [HRY_MORTON] = {.name = "morton", DENSE, CODEC(morton)},
    [HRY_COO] = {.name = "coo", .rank_min = 1, .rank_max = HRY_MAX_RANK, .buffers = 2, SPARSE,
                 CODEC(coo)},
    [HRY_CSR] = {.name = "csr", .rank_min = 2, .rank_max = 2, .buffers = 3, SPARSE,
                 CODEC(csr)},
    [HRY_CSC] = {.name = "csc", .rank_min = 2, .rank_max = 2, .buffers = 3, SPARSE,
                 CODEC(csr)},
    [HRY_CSF] = {.name = "csf", .rank_min = 3, .rank_max = HRY_MAX_RANK,
                 .buffers = 1, .buffers_per_rank = 2, SPARSE,
                 .forbidden_flags = HRY_HAS_SHARD, CODEC(csf)},
    [HRY_BLOCK_PAGED] = {.name = "block_paged", .rank_min = 3, .rank_max = 3, .buffers = 3,
                         .no_byte_offset = true, .forbidden_flags = HRY_HAS_SHARD,
                         CODEC(block_paged)},
    [HRY_COMPOSITE] = {.name = "composite", .rank_max = HRY_MAX_RANK, .no_byte_offset = true,
                       .forbidden_flags = HRY_HAS_QUANTIZATION | HRY_HAS_COMPOSITE_MEMBER,
                       CODEC(composite)},
    [HRY_HILBERT] = {.name = "hilbert", .rank_min = 2, .rank_max = HRY_MAX_RANK, .buffers = 1,
                     CODEC(hilbert)},
};

static const hry_layout private_layout = {
    .name = "private", .rank_max = HRY_MAX_RANK, .buffers = 1, .more_buffers = true,
    CODEC(private_layout)};
/* clang-format on */

const hry_layout *hry_layout_by_tag(uint8_t tag)
{
    if (tag < sizeof layouts / sizeof *layouts)
        return layouts[tag].name != NULL ? &layouts[tag] : NULL;
    return tag >= 0xF0 && tag <= 0xFE ? &private_layout : NULL;
}

const char *hry_layout_name(uint8_t layout_tag)
{
    const hry_layout *layout = hry_layout_by_tag(layout_tag);
    return layout != NULL ? layout->name : NULL;
}

uint8_t hry_layout_tag(const char *name)
{
    for (uint8_t tag = 0; name != NULL && tag < sizeof layouts / sizeof *layouts; tag++)
        if (layouts[tag].name != NULL && strcmp(layouts[tag].name, name) == 0)
            return tag;
    return 0;
}
