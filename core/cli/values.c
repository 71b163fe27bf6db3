/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - see values.h. */
#include "values.h"

#include "number.h"

#include "hry/quant.h"
#include "hry/region.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hry_status refuse(hry_error *err, const char *format, const char *what)
{
    err->code = HRY_ERR_UNSUPPORTED;
    err->offset = HRY_NO_OFFSET;
    snprintf(err->message, sizeof err->message, format, what);
    return err->code;
}

static enum value_kind kind_of(hry_type type)
{
    static const enum value_kind kinds[] = {
        [HRY_CLASS_FLOAT] = VALUE_REAL,      [HRY_CLASS_INT] = VALUE_SIGNED,
        [HRY_CLASS_UINT] = VALUE_UNSIGNED,   [HRY_CLASS_BOOL] = VALUE_BOOL,
        [HRY_CLASS_COMPLEX] = VALUE_COMPLEX,
    };
    const hry_extension_type *e = type.extension;
    if (e != NULL)
        return e->is_float ? VALUE_REAL : e->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
    return type.tag == HRY_FLOAT128 ? VALUE_WIDE : kinds[hry_dtype_by_tag(type.tag)->cls];
}

/* The type whose array value_json() and the like look into. */
static uint8_t number_type(enum value_kind kind)
{
    return kind == VALUE_SIGNED ? HRY_INT64 : HRY_UINT64;
}

/* Does the library convert this type to numbers? */
static hry_status check_type(const struct values *v, hry_error *err)
{
    double none;
    if (v->kind == VALUE_WIDE || hry_to_double(v->type, &none, &none, 0, NULL) == HRY_OK)
        return HRY_OK;
    return refuse(err, "%s: this private type is too wide to be numbers here", "values");
}

/* The rest of opening: `out` knows where its elements come from, and of what type. */
static hry_status prepare(struct values *out, const hry_descriptor *d,
                          const struct slice *slice, hry_error *err)
{
    out->slice = slice;
    out->rank = slice->kept_rank;
    out->shape = slice->kept;
    out->kind = kind_of(out->type);
    const hry_status status = check_type(out, err);
    if (status != HRY_OK)
        return status;
    out->element = out->is_dequantized ? sizeof(float) : hry_region_element(d);
    out->read = calloc(VALUES_PIECE, out->element);
    out->numbers = calloc(VALUES_PIECE, 2 * sizeof(double));
    out->scratch = calloc(VALUES_PIECE, SLICE_SPREAD * out->element);
    if (out->read != NULL && out->numbers != NULL && out->scratch != NULL)
        return HRY_OK;
    values_close(out);
    refuse(err, "no memory for %s", "values");
    return err->code = HRY_ERR_NOMEM;
}

hry_status values_open(const hry_tensor *tensor, bool raw, const struct slice *slice,
                       struct values *out, hry_error *err)
{
    const hry_descriptor *d = tensor->descriptor;
    *out = (struct values){.tensor = tensor};
    if (d->opaque || d->layout_tag >= 0xF0)
        return refuse(err, "%s: only its owner knows this layout", "values");
    out->is_dequantized = (d->flags & HRY_HAS_QUANTIZATION) != 0 && !raw;
    out->type = out->is_dequantized ? hry_type_builtin(HRY_FLOAT32) : hry_type_of(d);
    return prepare(out, d, slice, err);
}

hry_status values_open_head(const hry_head *head, const hry_descriptor *d,
                            const struct slice *slice, struct values *out, hry_error *err)
{
    *out = (struct values){.head = head, .type = hry_type_of(d)};
    if (hry_head_get_info(head).rule == HRY_GROUP)
        return refuse(err, "%s: a group has none of its own, its members have", "values");
    return prepare(out, d, slice, err);
}

void values_close(struct values *v)
{
    free(v->read);
    free(v->numbers);
    free(v->scratch);
    v->read = v->numbers = v->scratch = NULL;
}

/* A slice_reader: elements of a box of the whole array. */
static hry_status read_elements(void *ctx, const struct box *box, void *dst, hry_error *err)
{
    const struct values *v = ctx;
    if (v->head != NULL)
        return hry_head_read(v->head, box->start, box->count, dst, err);
    if (v->is_dequantized)
        return hry_dequantize(v->tensor, box->start, box->count, dst, err);
    return hry_region_read(v->tensor, box->start, box->count, dst, err);
}

hry_status values_fetch(struct values *v, const struct box *box, hry_error *err)
{
    return slice_read(v->slice, box, v->element, read_elements, v, v->scratch, v->read,
                      err);
}

hry_status values_numbers(struct values *v, size_t count, hry_error *err)
{
    if (v->kind == VALUE_WIDE)
        return HRY_OK;
    if (v->kind == VALUE_REAL || v->kind == VALUE_COMPLEX)
        return hry_to_double(v->type, v->read, v->numbers, count, err);
    return hry_convert(v->type, v->read, hry_type_builtin(number_type(v->kind)), v->numbers,
                       count, err);
}

hry_status values_read(struct values *v, const struct box *box, hry_error *err)
{
    const hry_status status = values_fetch(v, box, err);
    return status == HRY_OK ? values_numbers(v, (size_t)box_size(box, v->rank), err)
                            : status;
}

/* ---- one element ---- */

static void real_json(double value, char out[DECIMAL_TEXT])
{
    char digits[NUMBER_SIZE];
    number_of_double(value, digits);
    sprintf(out, number_is_finite(digits) ? "%s" : "\"%s\"", digits);
}

void value_json(const struct values *v, size_t i, char out[VALUE_TEXT])
{
    const double *reals = v->numbers;
    char re[DECIMAL_TEXT], im[DECIMAL_TEXT];
    struct decimal wide;
    switch (v->kind) {
    case VALUE_REAL:
        real_json(reals[i], out);
        return;
    case VALUE_COMPLEX:
        real_json(reals[2 * i], re);
        real_json(reals[2 * i + 1], im);
        sprintf(out, "[%s, %s]", re, im);
        return;
    case VALUE_WIDE:
        wide = decimal_of_float128((const uint8_t *)v->read + 16 * i);
        decimal_json(&wide, out);
        return;
    default:
        value_integer(v, i, out);
    }
}

struct decimal value_decimal(const struct values *v, size_t i, int part)
{
    const double *reals = v->numbers;
    if (v->kind == VALUE_WIDE)
        return decimal_of_float128((const uint8_t *)v->read + 16 * i);
    if (v->kind == VALUE_REAL)
        return decimal_of(reals[i], v->type);
    const uint8_t type = v->type.tag == HRY_COMPLEX64 ? HRY_FLOAT32 : HRY_FLOAT64;
    return decimal_of(reals[2 * i + (size_t)part], hry_type_builtin(type));
}

void value_integer(const struct values *v, size_t i, char out[VALUE_TEXT])
{
    if (v->kind == VALUE_SIGNED)
        sprintf(out, "%" PRId64, ((const int64_t *)v->numbers)[i]);
    else
        sprintf(out, "%" PRIu64, ((const uint64_t *)v->numbers)[i]);
}
