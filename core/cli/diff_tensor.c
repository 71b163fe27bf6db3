/* SPDX-License-Identifier: Apache-2.0 */
/* diff_tensor.c - see diff_tensor.h. */
#include "diff_tensor.h"

#include "notes.h"
#include "words.h"

#include <string.h>

/* One field of both as text, reported where they differ. */
static void compare_field(struct diff_report *r, const struct described *a,
                          const struct described *b, const char *field,
                          void (*add)(struct text *t, const hry_descriptor *d))
{
    struct text x = {0}, y = {0};
    add(&x, &a->d);
    add(&y, &b->d);
    if (strcmp(text_string(&x), text_string(&y)) != 0)
        diff_report_field(r, a->entry.name, a->entry.name_length, field, text_string(&x),
                          text_string(&y));
    text_free(&x);
    text_free(&y);
}

static void add_type(struct text *t, const hry_descriptor *d)
{
    words_add_type(t, d->type_tag);
}

static void add_shape(struct text *t, const hry_descriptor *d)
{
    text_add_shape(t, d->shape, d->rank);
}

static void add_layout(struct text *t, const hry_descriptor *d)
{
    words_add_layout(t, d->layout_tag);
}

static void add_notes(struct text *t, const hry_descriptor *d)
{
    notes_add(t, d, false);
}

static void compare_structure(const struct comparing *c, const struct described *a,
                              const struct described *b, struct diff_report *r)
{
    compare_field(r, a, b, "type", add_type);
    compare_field(r, a, b, "shape", add_shape);
    if (!c->structure)
        return;
    compare_field(r, a, b, "layout", add_layout);
    compare_field(r, a, b, "notes", add_notes);
}

/* Has it elements that are numbers here? Else only its bytes can be compared. */
static bool has_numbers(const hry_descriptor *d)
{
    return !d->opaque && d->layout_tag < 0xF0 && d->layout_tag != HRY_BLOCK_PAGED;
}

static bool is_group(const hry_descriptor *d)
{
    return d->layout_tag == HRY_COMPOSITE && !d->opaque &&
           d->fields.composite.rule != HRY_PARTITION &&
           d->fields.composite.rule != HRY_OVERLAY;
}

static bool same_bytes(const struct input *a, uint64_t at_a, uint64_t size_a,
                       const struct input *b, uint64_t at_b, uint64_t size_b)
{
    const void *x, *y;
    return size_a == size_b &&
           (size_a == 0 || (hry_file_view(a->file, at_a, size_a, &x, NULL) == HRY_OK &&
                            hry_file_view(b->file, at_b, size_b, &y, NULL) == HRY_OK &&
                            memcmp(x, y, size_a) == 0));
}

/* Descriptor and data as they are stored. */
static void compare_bytes(const struct input *a, const struct described *x,
                          const struct input *b, const struct described *y,
                          struct diff_report *r)
{
    const hry_entry *e = &x->entry, *f = &y->entry;
    if (!same_bytes(a, e->descriptor_offset, e->descriptor_length, b, f->descriptor_offset,
                    f->descriptor_length) ||
        !same_bytes(a, e->data_offset, e->data_length, b, f->data_offset, f->data_length))
        diff_report_field(r, e->name, e->name_length, "bytes", "stored",
                          "stored otherwise");
}

static bool same_shape(const struct source *a, const struct source *b)
{
    const size_t size = a->values.rank * sizeof *a->values.shape;
    return a->values.rank == b->values.rank &&
           memcmp(a->values.shape, b->values.shape, size) == 0;
}

static int compare_sources(const struct comparing *c, struct source *a, struct source *b,
                           struct diff_report *r)
{
    struct difference d;
    if (!same_shape(a, b)) { /* parts: whole ones have been told */
        if (a->is_part || b->is_part) {
            struct text x = {0}, y = {0};
            text_add_shape(&x, a->values.shape, a->values.rank);
            text_add_shape(&y, b->values.shape, b->values.rank);
            diff_report_field(r, a->what.entry.name, a->what.entry.name_length, "part",
                              text_string(&x), text_string(&y));
            text_free(&x);
            text_free(&y);
        }
        return EXIT_OK;
    }
    int code = source_check_count(a, c->force);
    if (code == EXIT_OK)
        code = diff_values(a, b, &c->tolerance, c->limit, &d);
    if (code == EXIT_OK && d.count > 0)
        diff_report_values(r, a, &d);
    return code;
}

int diff_tensors(const struct comparing *c, const struct input *a, const char *name_a,
                 const struct input *b, const char *name_b, struct diff_report *r)
{
    struct source x = {.input = a}, y = {.input = b};
    int code = source_open(a, name_a, &c->how, &x);
    if (code == EXIT_OK)
        code = source_open(b, name_b, &c->how, &y);
    if (code == EXIT_OK && !x.is_part && !y.is_part)
        compare_structure(c, &x.what, &y.what, r);
    if (code == EXIT_OK && !c->structure)
        code = compare_sources(c, &x, &y, r);
    source_close(&x);
    source_close(&y);
    return code;
}

int diff_tensors_at(const struct comparing *c, const struct input *a, uint64_t at_a,
                    const struct input *b, uint64_t at_b, struct diff_report *r)
{
    struct source x = {.input = a}, y = {.input = b};
    int code = input_describe(a, at_a, &x.what);
    if (code == EXIT_OK)
        code = input_describe(b, at_b, &y.what);
    if (code != EXIT_OK)
        return code;
    compare_structure(c, &x.what, &y.what, r);
    if (c->structure || is_group(&x.what.d) || is_group(&y.what.d))
        return EXIT_OK;
    if (!has_numbers(&x.what.d) || !has_numbers(&y.what.d)) {
        compare_bytes(a, &x.what, b, &y.what, r);
        return EXIT_OK;
    }
    code = source_open_at(a, at_a, &c->how, &x);
    if (code == EXIT_OK)
        code = source_open_at(b, at_b, &c->how, &y);
    if (code == EXIT_OK)
        code = compare_sources(c, &x, &y, r);
    source_close(&x);
    source_close(&y);
    return code;
}
