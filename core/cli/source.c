/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - see source.h. */
#include "source.h"

#include "lengths.h"
#include "members.h"

#include <stdlib.h>
#include <string.h>

/* What a reader may need to know when the library refuses. */
int source_error(const struct source *s, const hry_error *err)
{
    const struct place where = input_place(s->input, &s->what);
    const hry_descriptor *d = &s->what.d;
    if (err->code == HRY_ERR_UNSUPPORTED && d->layout_tag == HRY_BLOCK_PAGED)
        return report_refusal(
            &where,
            "the file does not tell the tokens of each sequence: give them "
            "as --lengths N,N,... (%lu sequences, %llu tokens)",
            (unsigned long)d->fields.paged.num_seqs, (unsigned long long)d->shape[0]);
    if (err->code == HRY_ERR_UNSUPPORTED || err->code == HRY_ERR_ARG)
        return report_refusal(&where, "%s", err->message);
    return report_error(&where, err);
}

static int open_head(struct source *s)
{
    const struct place where = input_place(s->input, &s->what);
    hry_error err;
    if (hry_head_open(s->input->file, s->what.position, NULL, &s->head, &err) != HRY_OK)
        return report_error(&where, &err);
    const int code = members_check(s->input, s->head);
    if (code != EXIT_OK)
        return code;
    return values_open_head(s->head, &s->what.d, &s->slice, &s->values, &err) == HRY_OK
               ? EXIT_OK
               : source_error(s, &err);
}

static int open_tensor(struct source *s, bool raw)
{
    hry_error err;
    hry_status status = data_load(s->input, &s->what, &s->data, &err);
    s->data.tensor.sequence_tokens = s->lengths;
    if (status == HRY_OK)
        status = data_check(&s->data, HRY_STRICT, &err);
    if (status == HRY_OK)
        status = values_open(&s->data.tensor, raw, &s->slice, &s->values, &err);
    return status == HRY_OK ? EXIT_OK : source_error(s, &err);
}

static bool has_dynamic(const hry_descriptor *d)
{
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC)
            return true;
    return false;
}

/* The tensor is described; `part` is what stands in brackets, or NULL. */
static int open_part(const struct reading *how, const char *part, struct source *s)
{
    const hry_descriptor *d = &s->what.d;
    const struct place where = input_place(s->input, &s->what);
    const bool is_head = d->layout_tag == HRY_COMPOSITE;
    hry_error err;
    if (is_head && (how->raw || how->lengths != NULL))
        return report_refusal(&where, "--raw and --lengths are not for composites");
    if (has_dynamic(d))
        return report_refusal(&where, "a size of its shape is not known yet");
    s->slice = slice_all(d->rank, d->shape);
    s->is_part = part != NULL;
    if (part != NULL && slice_parse(part, d->rank, d->shape, &s->slice, &err) != HRY_OK)
        return report_refusal(&where, "%s", err.message);
    const int code = lengths_take(how->lengths, &where, d, &s->lengths);
    if (code != EXIT_OK)
        return code;
    return is_head ? open_head(s) : open_tensor(s, how->raw);
}

static bool has_name(const struct input *input, const char *name)
{
    uint64_t i;
    return input->file == NULL ||
           hry_file_find(input->file, name, strlen(name), &i, NULL) == HRY_OK;
}

/* NAME and what stands in brackets behind it, cut out of `name`; NULL without brackets. */
static char *cut_part(const struct input *input, char *name)
{
    const size_t length = strlen(name);
    char *bracket = strrchr(name, '[');
    if (length == 0 || name[length - 1] != ']' || bracket == NULL || has_name(input, name))
        return NULL;
    name[length - 1] = *bracket = '\0';
    return bracket + 1;
}

int source_open(const struct input *input, const char *name, const struct reading *how,
                struct source *out)
{
    const struct place where = {.file = input->path};
    *out = (struct source){.input = input};
    char *copy = malloc(strlen(name) + 1);
    if (copy == NULL)
        return report_refusal(&where, "no memory for a name");
    strcpy(copy, name);
    const char *part = cut_part(input, copy);
    int code = input_find(input, copy, &out->what);
    if (code == EXIT_OK)
        code = open_part(how, part, out);
    free(copy);
    return code;
}

int source_open_at(const struct input *input, uint64_t position, const struct reading *how,
                   struct source *out)
{
    *out = (struct source){.input = input};
    const int code = input_describe(input, position, &out->what);
    return code == EXIT_OK ? open_part(how, NULL, out) : code;
}

void source_close(struct source *s)
{
    values_close(&s->values);
    hry_head_close(s->head);
    free(s->lengths);
    s->head = NULL;
    s->lengths = NULL;
}

bool source_count(const struct source *s, uint64_t *count)
{
    const struct values *v = &s->values;
    *count = 1;
    for (uint32_t k = 0; k < v->rank; k++)
        if (v->shape[k] == 0) {
            *count = 0;
            return true;
        }
    for (uint32_t k = 0; k < v->rank; k++) {
        if (*count > UINT64_MAX / v->shape[k])
            return false;
        *count *= v->shape[k];
    }
    return true;
}

int source_check_count(const struct source *s, bool force)
{
    static const uint64_t most = (uint64_t)1 << 32;
    const struct place where = input_place(s->input, &s->what);
    uint64_t count;
    if (force || (source_count(s, &count) && count <= most))
        return EXIT_OK;
    return report_refusal(&where,
                          "it has more than %llu values: name a part like [0:10, 0:10], "
                          "or --force it",
                          (unsigned long long)most);
}
