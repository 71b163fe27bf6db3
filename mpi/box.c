/* SPDX-License-Identifier: Apache-2.0 */
/* box.c - arithmetic on boxes of row-major arrays. */
#include "box.h"

#include "hry/tiling.h"
#include "report.h"

bool hry_box_count(uint32_t rank, const uint64_t *size, uint64_t *count)
{
    uint64_t n = 1;
    bool fits = true;
    for (uint32_t k = 0; k < rank; k++) {
        if (size[k] == 0) {
            *count = 0;
            return true;
        }
        fits = !__builtin_mul_overflow(n, size[k], &n) && fits;
    }
    *count = n;
    return fits;
}

bool hry_box_inside(uint32_t rank, const uint64_t *start, const uint64_t *size,
                    const uint64_t *shape)
{
    for (uint32_t k = 0; k < rank; k++)
        if (start[k] > shape[k] || size[k] > shape[k] - start[k])
            return false;
    return true;
}

bool hry_box_is_run(uint32_t rank, const uint64_t *size, const uint64_t *shape)
{
    uint32_t k = 0;
    while (k < rank && size[k] == 1)
        k++;
    for (k++; k < rank; k++)
        if (size[k] != shape[k])
            return false;
    return true;
}

bool hry_box_intersect(uint32_t rank, const uint64_t *start, const uint64_t *size,
                       const uint64_t *other, const uint64_t *other_size,
                       uint64_t *out_start, uint64_t *out_size)
{
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t end = start[k] + size[k], other_end = other[k] + other_size[k];
        const uint64_t low = start[k] > other[k] ? start[k] : other[k];
        const uint64_t high = end < other_end ? end : other_end;
        if (low >= high)
            return false;
        out_start[k] = low;
        out_size[k] = high - low;
    }
    return true;
}

bool hry_box_holds(uint32_t rank, const uint64_t *outer, const uint64_t *outer_size,
                   const uint64_t *start, const uint64_t *size)
{
    for (uint32_t k = 0; k < rank; k++)
        if (start[k] < outer[k] || start[k] + size[k] > outer[k] + outer_size[k])
            return false;
    return true;
}

hry_status hry_box_check(uint32_t rank, const uint64_t *start, const uint64_t *size,
                         const uint64_t *shape, hry_box_place memory, bool *empty,
                         hry_error *err)
{
    uint64_t count;
    for (uint32_t k = 0; k < rank; k++)
        if (start[k] > shape[k] || size[k] > shape[k] - start[k])
            return HRY_FAIL(
                err, HRY_ERR_RANGE,
                "dimension %u: %llu elements from %llu on leave the %llu of the "
                "tensor",
                k, (unsigned long long)size[k], (unsigned long long)start[k],
                (unsigned long long)shape[k]);
    hry_box_count(rank, size, &count);
    *empty = count == 0;
    if (*empty)
        return HRY_OK;
    if (!hry_box_inside(rank, memory.start, size, memory.shape))
        return HRY_FAIL(err, HRY_ERR_RANGE, "memory: the box leaves its array");
    if (!hry_box_count(rank, memory.shape, &count) || count > UINT64_MAX / 16)
        return HRY_FAIL(err, HRY_ERR_RANGE, "memory: the array is beyond 64 bits");
    return HRY_OK;
}

hry_status hry_mpi_boxes_check(const hry_mpi_boxes *boxes, uint32_t rank,
                               const uint64_t *shape, hry_error *err)
{
    return hry_boxes_tile(boxes->start, boxes->size, boxes->count, rank, shape, err);
}

hry_status hry_mpi_grid(uint32_t rank, const uint64_t *shape, const uint32_t *grid,
                        uint64_t *start, uint64_t *size, hry_error *err)
{
    uint64_t cells = 1;
    if (rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %u: at most %d", rank, HRY_MAX_RANK);
    for (uint32_t k = 0; k < rank; k++) {
        if (grid[k] == 0)
            return HRY_FAIL(err, HRY_ERR_ARG, "grid[%u]: 0 parts, at least 1 needed", k);
        cells *= grid[k];
        if (cells > UINT32_MAX)
            return HRY_FAIL(err, HRY_ERR_RANGE, "grid: more than %u cells", UINT32_MAX);
    }
    for (uint64_t cell = 0; cell < cells; cell++) {
        uint64_t rest = cell;
        for (uint32_t k = rank; k-- > 0; rest /= grid[k]) {
            const uint64_t part = rest % grid[k], even = shape[k] / grid[k];
            const uint64_t longer = shape[k] % grid[k]; /* parts with one element more */
            start[cell * rank + k] = part * even + (part < longer ? part : longer);
            size[cell * rank + k] = even + (part < longer ? 1 : 0);
        }
    }
    return HRY_OK;
}

void hry_box_runs_begin(hry_box_runs *runs, uint32_t rank, const uint64_t *size,
                        hry_box_place a, hry_box_place b)
{
    uint64_t step_a = 1, step_b = 1;
    bool whole = true; /* the run so far spans all inner dimensions of both arrays */
    uint32_t at = HRY_MAX_RANK;
    runs->length = runs->left = 1;
    runs->a = runs->b = 0;
    for (uint32_t k = rank; k-- > 0;) {
        runs->a += a.start[k] * step_a;
        runs->b += b.start[k] * step_b;
        if (whole) {
            runs->length *= size[k];
        } else if (size[k] != 1) {
            at--;
            runs->left *= size[k];
            runs->count[at] = size[k];
            runs->index[at] = 0;
            runs->step_a[at] = step_a;
            runs->step_b[at] = step_b;
        }
        whole = whole && size[k] == a.shape[k] && size[k] == b.shape[k];
        step_a *= a.shape[k];
        step_b *= b.shape[k];
    }
    runs->loops = HRY_MAX_RANK - at;
    if (runs->length == 0)
        runs->left = 0;
}

void hry_box_runs_next(hry_box_runs *runs)
{
    if (--runs->left == 0)
        return;
    for (uint32_t k = HRY_MAX_RANK; k-- > HRY_MAX_RANK - runs->loops;) {
        runs->a += runs->step_a[k];
        runs->b += runs->step_b[k];
        if (++runs->index[k] < runs->count[k])
            return;
        runs->a -= runs->count[k] * runs->step_a[k];
        runs->b -= runs->count[k] * runs->step_b[k];
        runs->index[k] = 0;
    }
}
