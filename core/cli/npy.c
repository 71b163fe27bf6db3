/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c - see npy.h. */
#include "npy.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    uint8_t type;
    const char *name; /* without the byte order */
} types[] = {
    {HRY_FLOAT16, "f2"},   {HRY_FLOAT32, "f4"},     {HRY_FLOAT64, "f8"}, {HRY_INT8, "i1"},
    {HRY_INT16, "i2"},     {HRY_INT32, "i4"},       {HRY_INT64, "i8"},   {HRY_UINT8, "u1"},
    {HRY_UINT16, "u2"},    {HRY_UINT32, "u4"},      {HRY_UINT64, "u8"},  {HRY_BOOL, "b1"},
    {HRY_COMPLEX64, "c8"}, {HRY_COMPLEX128, "c16"},
};
enum { TYPES = sizeof types / sizeof *types };

static const char *name_of(uint8_t type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type)
            return types[i].name;
    return NULL;
}

uint8_t npy_type(hry_type type)
{
    const hry_extension_type *e = type.extension;
    if (e != NULL)
        return e->is_float ? HRY_FLOAT64 : e->is_signed ? HRY_INT64 : HRY_UINT64;
    if (name_of(type.tag) != NULL)
        return type.tag;
    switch (hry_dtype_by_tag(type.tag)->cls) {
    case HRY_CLASS_INT:
        return HRY_INT8;
    case HRY_CLASS_UINT:
        return HRY_UINT8;
    default:
        return type.tag == HRY_FLOAT128 ? HRY_FLOAT64 : HRY_FLOAT32;
    }
}

size_t npy_header(uint8_t type, uint32_t rank, const uint64_t *shape, char out[NPY_HEADER])
{
    const bool is_byte = hry_dtype_by_tag(type)->bits <= 8;
    char *text = out + 10;
    int n = sprintf(text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                    is_byte ? '|' : '<', name_of(type));
    for (uint32_t k = 0; k < rank; k++)
        n += sprintf(text + n, "%s%llu", k > 0 ? ", " : "", (unsigned long long)shape[k]);
    n += sprintf(text + n, "%s), }", rank == 1 ? "," : "");
    while ((10 + n + 1) % 64 != 0)
        text[n++] = ' ';
    text[n++] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(n & 0xff);
    out[9] = (char)(n >> 8);
    return (size_t)n + 10;
}

/* ---- reading ---- */

static hry_status refuse(hry_error *err, hry_status code, size_t at, const char *what)
{
    err->code = code;
    err->offset = at;
    snprintf(err->message, sizeof err->message, "npy: %s", what);
    return code;
}

/* What follows "'key':", blanks skipped; NULL when it is not there. */
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (at == NULL)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool parse_type(const char *text, struct npy *out)
{
    if (*text != '\'' || strchr("<>|=", text[1]) == NULL)
        return false;
    out->is_big_endian = text[1] == '>';
    for (size_t i = 0; i < TYPES; i++) {
        const size_t length = strlen(types[i].name);
        if (strncmp(text + 2, types[i].name, length) == 0 && text[2 + length] == '\'') {
            out->type = types[i].type;
            return true;
        }
    }
    return false;
}

static bool parse_shape(const char *text, struct npy *out)
{
    if (*text++ != '(')
        return false;
    for (out->rank = 0;; text++) {
        char *end;
        text += strspn(text, " ");
        if (*text == ')')
            return true;
        if (*text < '0' || *text > '9' || out->rank == HRY_MAX_RANK)
            return false;
        out->shape[out->rank++] = strtoull(text, &end, 10);
        text = end + strspn(end, " L");
        if (*text == ')')
            return true;
        if (*text != ',')
            return false;
    }
}

static hry_status parse_text(const char *text, size_t begin, struct npy *out,
                             hry_error *err)
{
    const char *type = value_of(text, "'descr'"), *shape = value_of(text, "'shape'"),
               *order = value_of(text, "'fortran_order'");
    if (type == NULL || shape == NULL || order == NULL || !parse_shape(shape, out))
        return refuse(err, HRY_ERR_CORRUPT, begin, "no header with descr, shape and order");
    out->is_column_major = strncmp(order, "True", 4) == 0;
    if (!parse_type(type, out))
        return refuse(err, HRY_ERR_UNSUPPORTED, begin + (size_t)(type - text),
                      "only arrays of plain numbers and truth values can be taken");
    return HRY_OK;
}

hry_status npy_parse(const void *bytes, size_t size, struct npy *out, hry_error *err)
{
    const uint8_t *b = bytes;
    *out = (struct npy){.rank = 0};
    if (size < 12 || memcmp(b, "\x93NUMPY", 6) != 0 || b[6] < 1 || b[6] > 3)
        return refuse(err, HRY_ERR_CORRUPT, 0, "it begins otherwise than a .npy file");
    const size_t begin = b[6] == 1 ? 10 : 12;
    size_t length = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1)
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (length > size - begin)
        return refuse(err, HRY_ERR_TRUNCATED, 8, "the header is cut off");
    char *text = malloc(length + 1);
    if (text == NULL)
        return refuse(err, HRY_ERR_NOMEM, 8, "no memory for the header");
    memcpy(text, b + begin, length);
    text[length] = '\0';
    const hry_status status = parse_text(text, begin, out, err);
    free(text);
    out->length = begin + length;
    return status;
}
