/* SPDX-License-Identifier: Apache-2.0 */
/* ls_tree.c - see ls_tree.h. */
#include "ls_tree.h"

#include "ls_rows.h"

enum { DEPTH = 64 }; /* what is deeper is shown with its path */

/* What stands before a name: for each level around it, whether that goes on below. */
struct indent {
    uint32_t depth;
    bool goes_on[DEPTH + 1];
};

static void add_indent(const struct tree *t, const struct indent *indent)
{
    for (uint32_t k = 1; k <= indent->depth; k++) {
        const bool is_own = k == indent->depth;
        const char *drawn = is_own ? (indent->goes_on[k] ? "├── " : "└── ")
                                   : (indent->goes_on[k] ? "│   " : "    ");
        text_add(table_cell(t->table), "%s", t->has_lines ? drawn : "  ");
    }
}

/* Leaves that a row stands for. */
struct span {
    uint64_t count, size, members;
};

static struct span span_of(const struct listing *l, uint64_t i, uint64_t end)
{
    struct span s = {.count = end - i};
    for (; i < end; i++) {
        s.size += l->leaves[i].size;
        s.members += l->leaves[i].is_member;
    }
    return s;
}

static void begin_row(const struct tree *t, const struct indent *indent,
                      const struct leaf *leaf, size_t from, size_t part, const char *end)
{
    add_indent(t, indent);
    if (part == 0 && *end == '\0')
        text_add(table_cell(t->table), "''");
    text_add(table_cell(t->table), "%.*s%s", (int)part, leaf->path + from, end);
}

/* All leaves at this very path, then what is below. Returns where that begins. */
static uint64_t add_tensors(const struct tree *t, struct indent *indent, uint64_t i,
                            uint64_t end, size_t from, size_t part)
{
    const struct leaf *leaves = t->listing->leaves;
    struct described what;
    uint64_t below = i;
    while (below < end && leaves[below].length == from + part)
        below++;
    const struct span inside = span_of(t->listing, below, end);
    for (; i < below; i++)
        if (input_describe(t->input, leaves[i].position, &what) == EXIT_OK) {
            begin_row(t, indent, &leaves[i], from, part, "");
            ls_add_tensor(t->table, &what, inside.size, t->details);
        }
    return below;
}

static void add_level(const struct tree *t, struct indent *indent, uint64_t i, uint64_t end,
                      size_t from);

/* The leaves from i to end share this part of their path. */
static void add_part(const struct tree *t, struct indent *indent, uint64_t i, uint64_t end,
                     size_t from, size_t part)
{
    const struct leaf *leaf = &t->listing->leaves[i];
    const uint64_t below = add_tensors(t, indent, i, end, from, part);
    const struct span inside = span_of(t->listing, below, end);
    const bool is_group = below == i || (!t->is_recursive && inside.members < inside.count);
    if (below == end)
        return;
    if (is_group) {
        begin_row(t, indent, leaf, from, part, "/");
        ls_add_group(t->table, inside.count, inside.size, t->details);
    }
    if (t->is_recursive)
        add_level(t, indent, below, end, from + part + 1);
}

/* At most DEPTH calls deep. */
static void add_level(const struct tree *t, struct indent *indent, uint64_t i, uint64_t end,
                      size_t from)
{
    indent->depth++;
    while (i < end) {
        const struct leaf *leaf = &t->listing->leaves[i];
        const size_t part =
            indent->depth < DEPTH ? listing_part(leaf, from) : leaf->length - from;
        const uint64_t next = listing_below(t->listing, i, end, from + part);
        indent->goes_on[indent->depth] = next < end;
        add_part(t, indent, i, next, from, part);
        i = next;
    }
    indent->depth--;
}

/* The outermost level has no lines before it. */
void ls_tree(const struct tree *t, uint64_t i, uint64_t end, size_t from)
{
    struct indent indent = {.depth = 0};
    while (i < end) {
        const size_t part = listing_part(&t->listing->leaves[i], from);
        const uint64_t next = listing_below(t->listing, i, end, from + part);
        add_part(t, &indent, i, next, from, part);
        i = next;
    }
}
