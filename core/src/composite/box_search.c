/* SPDX-License-Identifier: Apache-2.0 */
/* box_search.c - boxes that meet a box, and pairs that meet each other. */
#include "box_tree.h"

#include "fail.h"

/* The asked box on the kept axes, like a row; false when it misses the others. */
static bool project(const hry_box_index *x, const uint64_t *start, const uint64_t *size,
                    uint64_t *row)
{
    for (uint32_t k = 0; k < x->rank; k++) {
        const uint64_t room = UINT64_MAX - start[k];
        const uint64_t end = start[k] + (size[k] < room ? size[k] : room);
        row[k] = start[k];
        row[HRY_MAX_RANK + k] = end;
        if (start[k] == end)
            return false;
    }
    for (uint32_t k = 0, kept = 0; k < x->rank; k++) {
        if (kept < x->axes && x->axis[kept] == k)
            kept++;
        else if (x->low[k] >= row[HRY_MAX_RANK + k] || row[k] >= x->high[k])
            return false;
    }
    for (uint32_t k = 0; k < x->axes; k++)
        row[k] = row[x->axis[k]];
    for (uint32_t k = 0; k < x->axes; k++)
        row[x->axes + k] = row[HRY_MAX_RANK + x->axis[k]];
    return true;
}

static hry_status visit_leaf(const hry_box_index *x, const hry_box_node *node,
                             const uint64_t *asked, hry_box_visit visit, void *ctx,
                             hry_error *err)
{
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        if (hry_rows_meet(x, hry_box_row(x, i), asked))
            HRY_TRY(visit(ctx, x->box[i], err));
    return HRY_OK;
}

hry_status hry_box_tree_search(const hry_box_index *x, const uint64_t *start,
                               const uint64_t *size, hry_box_visit visit, void *ctx,
                               uint64_t *tested, hry_error *err)
{
    uint64_t asked[2 * HRY_MAX_RANK];
    uint32_t waiting[HRY_BOX_DEPTH];
    uint32_t depth = 0;
    if (x->filled == 0 || !project(x, start, size, asked))
        return HRY_OK;
    for (uint32_t n = 0;;) {
        const hry_box_node *node = &x->nodes[n];
        ++*tested;
        if (hry_rows_meet(x, hry_box_bounds(x, n), asked)) {
            if (node->right != 0) {
                waiting[depth++] = node->right;
                n++;
                continue;
            }
            *tested += node->count;
            HRY_TRY(visit_leaf(x, node, asked, visit, ctx, err));
        }
        if (depth == 0)
            return HRY_OK;
        n = waiting[--depth];
    }
}

hry_status hry_box_index_search(const hry_box_index *index, const uint64_t *start,
                                const uint64_t *size, hry_box_visit visit, void *ctx,
                                hry_error *err)
{
    uint64_t tested = 0;
    return hry_box_tree_search(index, start, size, visit, ctx, &tested, err);
}

/* Ends the search at the first box, with a status that no caller sees. */
static hry_status take(void *ctx, uint32_t i, hry_error *err)
{
    (void)err;
    *(uint32_t *)ctx = i;
    return HRY_ERR_RANGE;
}

hry_status hry_box_index_find(const hry_box_index *index, const uint64_t *point,
                              uint32_t *i, hry_error *err)
{
    uint64_t one[HRY_MAX_RANK];
    for (uint32_t k = 0; k < index->rank; k++)
        one[k] = 1;
    uint64_t tested = 0;
    if (hry_box_tree_search(index, point, one, take, i, &tested, NULL) == HRY_OK)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "no box holds that element");
    return HRY_OK;
}

/* ---- pairs ---- */

typedef struct pairs {
    const hry_box_index *x;
    uint32_t a, b;
    uint64_t tested;
} pairs;

static bool rows_meet(pairs *p, uint32_t i, uint32_t j)
{
    p->tested++;
    if (!hry_rows_meet(p->x, hry_box_row(p->x, i), hry_box_row(p->x, j)))
        return false;
    const uint32_t a = p->x->box[i], b = p->x->box[j];
    p->a = a < b ? a : b;
    p->b = a < b ? b : a;
    return true;
}

static bool in_leaf(pairs *p, const hry_box_node *leaf)
{
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++)
        for (uint32_t j = leaf->first; j < i; j++)
            if (rows_meet(p, i, j))
                return true;
    return false;
}

static bool between_leaves(pairs *p, const hry_box_node *m, const hry_box_node *n)
{
    for (uint32_t i = m->first; i < m->first + m->count; i++)
        for (uint32_t j = n->first; j < n->first + n->count; j++)
            if (rows_meet(p, i, j))
                return true;
    return false;
}

/* Recursion is at most twice as deep as the tree. */
static bool between(pairs *p, uint32_t m, uint32_t n)
{
    const hry_box_node *a = &p->x->nodes[m], *b = &p->x->nodes[n];
    p->tested++;
    if (!hry_rows_meet(p->x, hry_box_bounds(p->x, m), hry_box_bounds(p->x, n)))
        return false;
    if (a->right == 0 && b->right == 0)
        return between_leaves(p, a, b);
    if (b->right == 0 || (a->right != 0 && a->count >= b->count))
        return between(p, m + 1, n) || between(p, a->right, n);
    return between(p, m, n + 1) || between(p, m, b->right);
}

static bool within(pairs *p, uint32_t n)
{
    const hry_box_node *node = &p->x->nodes[n];
    if (node->right == 0)
        return in_leaf(p, node);
    return within(p, n + 1) || within(p, node->right) || between(p, n + 1, node->right);
}

bool hry_box_tree_overlap(const hry_box_index *x, uint32_t *a, uint32_t *b,
                          uint64_t *tested)
{
    pairs p = {.x = x};
    const bool found = x->filled > 0 && within(&p, 0);
    *tested += p.tested;
    if (found && a != NULL)
        *a = p.a;
    if (found && b != NULL)
        *b = p.b;
    return found;
}

bool hry_box_index_overlap(const hry_box_index *index, uint32_t *a, uint32_t *b)
{
    uint64_t tested = 0;
    return hry_box_tree_overlap(index, a, b, &tested);
}
