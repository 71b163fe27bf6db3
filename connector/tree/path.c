/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - walking a path through groups and soft links. */
#include "fail.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/* The next component of *path, and what is behind it; length 0 at the end. */
static size_t next_component(const char **path, const char **rest)
{
    const char *p = *path;
    for (;;) {
        while (*p == '/')
            p++;
        if (p[0] != '.' || (p[1] != '/' && p[1] != '\0'))
            break;
        p++; /* "." is where we are */
    }
    const size_t length = strcspn(p, "/");
    *path = p;
    *rest = p + length;
    return length;
}

/* Is there another component in `rest`? */
static bool more(const char *rest)
{
    const char *after;
    return next_component(&rest, &after) > 0;
}

/* Continue behind a soft link: its value, then `rest`. */
static hry_status splice(hvol_found *at, const hvol_link *link, const char *rest,
                         const char **path, hry_error *err)
{
    const size_t value = strlen(link->value), size = value + strlen(rest) + 2;
    char *joined = malloc(size);
    if (joined == NULL)
        return HRY_NO_MEMORY(err, size);
    memcpy(joined, link->value, value);
    joined[value] = '/';
    memcpy(joined + value + 1, rest, size - value - 1);
    free(at->buffer);
    at->buffer = joined;
    *path = joined;
    return HRY_OK;
}

static hry_status not_a_group(const char *name, size_t length, hry_error *err)
{
    return HRY_FAIL(err, HRY_ERR_NOTFOUND, "'%.*s' is not a group", (int)length, name);
}

/* A slash behind the last component names a group, as "a/" does; ends the walk. */
static hry_status step(hvol_tree *tree, hvol_node **here, const char **path, unsigned flags,
                       unsigned *soft_left, hvol_found *at, bool *done, hry_error *err)
{
    const char *rest;
    const size_t length = next_component(path, &rest);
    if (length == 0) {
        at->node = *here;
        *done = true;
        return HRY_OK;
    }
    if ((*here)->kind != HVOL_GROUP)
        return not_a_group(*path, length, err);
    const bool last = !more(rest);
    hvol_link *link = hvol_link_find(*here, *path, length);
    at->group = *here;
    at->link = link;
    at->name = *path;
    at->name_length = length;
    *done = last;
    if (link == NULL)
        return last ? HRY_OK
                    : HRY_FAIL(err, HRY_ERR_NOTFOUND, "no link '%.*s'", (int)length, *path);
    if (last && (flags & HVOL_NO_FOLLOW) != 0)
        return HRY_OK;
    if (link->kind == HVOL_LINK_HARD) {
        *here = link->target;
        at->node = last || link->target->mounted ? link->target : NULL;
        at->foreign = link->target->mounted;
        at->rest = rest;
        *done = last || at->foreign;
        *path = rest;
        return HRY_OK;
    }
    if (link->kind == HVOL_LINK_SOFT) {
        if ((*soft_left)-- == 0)
            return HRY_FAIL(err, HRY_ERR_RANGE, "too many soft links at '%.*s'",
                            (int)length, *path);
        if (((const char *)link->value)[0] == '/')
            *here = tree->root;
        *done = false;
        return splice(at, link, rest, path, err);
    }
    at->foreign = true;
    at->rest = rest;
    *done = true;
    return HRY_OK;
}

hry_status hvol_walk(hvol_tree *tree, hvol_node *start, const char *path, unsigned flags,
                     unsigned *links_left, hvol_found *out, hry_error *err)
{
    hvol_node *here = path[0] == '/' ? tree->root : start;
    bool done = false;
    *out = (hvol_found){.rest = ""};
    while (!done) {
        const hry_status status =
            step(tree, &here, &path, flags, links_left, out, &done, err);
        if (status != HRY_OK) {
            hvol_found_clear(out);
            return status;
        }
    }
    return HRY_OK;
}

void hvol_found_clear(hvol_found *found)
{
    free(found->buffer);
    *found = (hvol_found){0};
}
