/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - see transfer.h. */
#include "transfer.h"

#include "fail.h"
#include "filter.h"
#include "gather.h"
#include "le.h"

#include <stdlib.h>
#include <string.h>

enum { STAGING = 4 << 20 }; /* BYTES gathered or converted at a time */

/* One H5Dread or H5Dwrite. */
typedef struct transfer {
    hvol_file_side side;
    hvol_runs file, mem;
    hvol_runs behind; /* a second pass over what a conversion overwrites in part */
    const hvol_type *type;
    hid_t mem_type, mem_space, file_space, dxpl;
    hid_t own_mem_type;         /* made for this transfer: < 0, or to be closed */
    size_t file_size, mem_size; /* of an element, in BYTES */
    bool converts;
    uint8_t *staging, *background; /* owned */
    uint64_t batch, done;          /* ELEMENTS that fit staging, and moved so far */
} transfer;

static hry_status open_file_runs(const transfer *t, hvol_runs *out, hry_error *err)
{
    const hvol_space *own = &t->side.node->u.dataset.space;
    const hid_t file_space = t->file_space;
    if (file_space == H5S_PLIST)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "selections in a transfer property list");
    if (file_space == H5S_ALL) {
        uint64_t count;
        HRY_TRY(hvol_space_count(own, &count, err));
        return hvol_runs_open(H5S_BLOCK, count, out, err);
    }
    hvol_space given;
    HRY_TRY(hvol_space_from(file_space, &given, err));
    bool same = given.rank == own->rank;
    for (uint32_t i = 0; i < given.rank && same; i++)
        same = given.dims[i] == own->dims[i];
    if (!same || H5Sselect_valid(file_space) <= 0)
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "file dataspace or its selection does not fit the dataset");
    return hvol_runs_open(file_space, 0, out, err);
}

static hry_status open_mem_runs(const transfer *t, hvol_runs *out, hry_error *err)
{
    if (t->mem_space == H5S_BLOCK || (t->mem_space == H5S_ALL && t->file_space == H5S_ALL))
        return hvol_runs_open(H5S_BLOCK, t->file.total, out, err);
    const hid_t space = t->mem_space == H5S_ALL ? t->file_space : t->mem_space;
    if (H5Sselect_valid(space) <= 0)
        return HRY_FAIL(err, HRY_ERR_RANGE, "memory selection is outside its dataspace");
    return hvol_runs_open(space, 0, out, err);
}

static hry_status make_staging(transfer *t, hry_error *err)
{
    const size_t wide = t->file_size > t->mem_size ? t->file_size : t->mem_size;
    t->batch = STAGING / wide == 0 ? 1 : STAGING / wide;
    if (t->batch > t->file.total)
        t->batch = t->file.total;
    t->staging = malloc((size_t)t->batch * wide);
    if (t->staging == NULL)
        return HRY_NO_MEMORY(err, t->batch * wide);
    if (t->converts && t->type->needs_background) {
        t->background = malloc((size_t)t->batch * wide);
        if (t->background == NULL)
            return HRY_NO_MEMORY(err, t->batch * wide);
    }
    return HRY_OK;
}

static hry_status begin(transfer *t, hvol_tree *tree, hvol_node *node, hid_t mem_type,
                        hid_t mem_space, hid_t file_space, hid_t dxpl, const void *buf,
                        hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    *t = (transfer){.side = {.tree = tree, .node = node},
                    .mem_type = mem_type,
                    .own_mem_type = H5I_INVALID_HID,
                    .mem_space = mem_space,
                    .file_space = file_space,
                    .dxpl = dxpl};
    HRY_TRY(hvol_type_of_plain(tree, ds, err));
    HRY_TRY(hvol_type_of(ds->type, &t->type, err));
    HRY_TRY(hvol_filter_ready(node, err));
    HRY_TRY(open_file_runs(t, &t->file, err));
    HRY_TRY(open_mem_runs(t, &t->mem, err));
    if (buf == NULL && t->file.total > 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "no buffer for %llu elements",
                        (unsigned long long)t->file.total);
    if (t->mem.total != t->file.total)
        return HRY_FAIL(
            err, HRY_ERR_ARG, "%llu elements selected in memory, %llu in the file",
            (unsigned long long)t->mem.total, (unsigned long long)t->file.total);
    if (t->type->old_references)
        t->mem_type = t->own_mem_type = hvol_without_old_references(mem_type);
    const htri_t same = H5Tequal(t->mem_type, t->type->stored);
    if (same < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "memory datatype is not readable");
    t->converts = !same;
    t->file_size = (size_t)t->type->element.size;
    t->mem_size = H5Tget_size(mem_type);
    return HRY_OK;
}

static hry_status end(transfer *t, hry_status status, hry_error *err)
{
    status = hvol_file_side_end(&t->side, status, err);
    hvol_runs_close(&t->file);
    hvol_runs_close(&t->mem);
    hvol_runs_close(&t->behind);
    free(t->staging);
    free(t->background);
    if (t->own_mem_type >= 0)
        H5Tclose(t->own_mem_type);
    return status;
}

/* Is the memory side one block from here on? */
static bool mem_is_block(const transfer *t)
{
    return t->mem.last && t->mem.length == t->mem.total;
}

static hry_status convert(transfer *t, hid_t from, hid_t to, uint64_t n, hry_error *err)
{
    hvol_tree *tree = t->side.tree;
    tree->heap = t->side.node->u.dataset.heap;
    tree->heap_store = tree->store;
    const herr_t converted =
        H5Tconvert(from, to, (size_t)n, t->staging, t->background, t->dxpl);
    tree->heap = NULL;
    if (converted < 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "no conversion between the memory datatype and the dataset's");
    return HRY_OK;
}

/* HDF5 makes room for a sequence before it asks for it: its length must be one that the
 * heap can have. */
static hry_status check_pairs(const transfer *t, uint64_t n, hry_error *err)
{
    const hvol_heap *heap = t->side.node->u.dataset.heap;
    if (heap == NULL || t->type->element.type_tag != HRY_UINT64)
        return HRY_OK;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t count;
        memcpy(&count, t->staging + i * t->file_size, sizeof count);
        if (le64(count) > heap->size)
            return HRY_FAIL(err, HRY_ERR_CORRUPT,
                            "variable-length element of %u values, the heap has %llu bytes",
                            count, (unsigned long long)heap->size);
    }
    return HRY_OK;
}

static uint64_t next_batch(const transfer *t)
{
    return t->file.total - t->done < t->batch ? t->file.total - t->done : t->batch;
}

static hry_status read_batch(transfer *t, uint64_t n, void *buf, hry_error *err)
{
    HRY_TRY(hvol_file_gather(&t->side, &t->file, n, t->file_size, t->staging, err));
    if (t->converts) {
        if (t->background != NULL)
            HRY_TRY(hvol_mem_gather(&t->behind, buf, n, t->mem_size, t->background, err));
        HRY_TRY(check_pairs(t, n, err));
        HRY_TRY(convert(t, t->type->stored, t->mem_type, n, err));
    }
    return hvol_mem_scatter(&t->mem, buf, n, t->mem_size, t->staging, err);
}

static hry_status read_all(transfer *t, void *buf, hry_error *err)
{
    if (!t->converts && mem_is_block(t))
        return hvol_file_gather(&t->side, &t->file, t->file.total, t->file_size,
                                (uint8_t *)buf + t->mem.offset * t->mem_size, err);
    HRY_TRY(make_staging(t, err));
    if (t->background != NULL)
        HRY_TRY(open_mem_runs(t, &t->behind, err));
    for (uint64_t n; (n = next_batch(t)) > 0; t->done += n)
        HRY_TRY(read_batch(t, n, buf, err));
    return HRY_OK;
}

hry_status hvol_transfer_read(hvol_tree *tree, hvol_node *node, hid_t mem_type,
                              hid_t mem_space, hid_t file_space, hid_t dxpl, void *buf,
                              hry_error *err)
{
    transfer t;
    hry_status status =
        begin(&t, tree, node, mem_type, mem_space, file_space, dxpl, buf, err);
    if (status == HRY_OK && t.file.total > 0)
        status = read_all(&t, buf, err);
    return end(&t, status, err);
}

static hry_status write_batch(transfer *t, uint64_t n, const void *buf, hry_error *err)
{
    HRY_TRY(hvol_mem_gather(&t->mem, buf, n, t->mem_size, t->staging, err));
    if (t->converts) {
        if (t->background != NULL)
            HRY_TRY(hvol_file_gather(&t->side, &t->behind, n, t->file_size, t->background,
                                     err));
        HRY_TRY(convert(t, t->mem_type, t->type->stored, n, err));
    }
    return hvol_file_scatter(&t->side, &t->file, n, t->file_size, t->staging, err);
}

/* Old values are of no use where all of them are replaced. */
static hry_status ready_heap(const transfer *t, hvol_coverage coverage, hry_error *err)
{
    if (t->side.tree->store->ranks > 1)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "variable-length data cannot be written by several ranks");
    if (coverage == HVOL_ALL && !t->type->needs_background)
        HRY_TRY(hvol_heap_clear(t->side.node->u.dataset.heap, t->side.tree->store, err));
    t->side.tree->dirty = true;
    return HRY_OK;
}

static hry_status write_all(transfer *t, const void *buf, hry_error *err)
{
    hvol_dataset *ds = &t->side.node->u.dataset;
    uint64_t count;
    HRY_TRY(hvol_space_count(&ds->space, &count, err));
    hvol_coverage coverage = t->file.total >= count / 16 ? HVOL_MUCH : HVOL_SOME;
    if (t->file.last && t->file.length == count) /* one run, all of it */
        coverage = HVOL_ALL;
    HRY_TRY(hvol_data_allocate(t->side.tree, t->side.node, coverage, err));
    if (ds->heap != NULL)
        HRY_TRY(ready_heap(t, coverage, err));
    if (!t->converts && mem_is_block(t))
        return hvol_file_scatter(&t->side, &t->file, t->file.total, t->file_size,
                                 (const uint8_t *)buf + t->mem.offset * t->mem_size, err);
    HRY_TRY(make_staging(t, err));
    if (t->background != NULL)
        HRY_TRY(open_file_runs(t, &t->behind, err));
    for (uint64_t n; (n = next_batch(t)) > 0; t->done += n)
        HRY_TRY(write_batch(t, n, buf, err));
    return HRY_OK;
}

hry_status hvol_transfer_write(hvol_tree *tree, hvol_node *node, hid_t mem_type,
                               hid_t mem_space, hid_t file_space, hid_t dxpl,
                               const void *buf, hry_error *err)
{
    transfer t;
    hry_status status =
        begin(&t, tree, node, mem_type, mem_space, file_space, dxpl, buf, err);
    if (status == HRY_OK && t.file.total > 0)
        status = write_all(&t, buf, err);
    status = end(&t, status, err);
    if (node->u.dataset.chunks != NULL)
        node->u.dataset.chunks->overwriting = false;
    return status;
}
