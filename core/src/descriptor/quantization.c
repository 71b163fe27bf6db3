/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantization.c - the frame of the quantization section (format sections 1 and 5): its
 * length and the scheme's header. The rest belongs to the scheme.
 */
#include "quant/quant.h"
#include "sections.h"

enum { VERSION = 1 };

size_t hry_quantization_size(const hry_descriptor *d)
{
    const hry_scheme *scheme = hry_scheme_by_tag(d->quantization.scheme);
    return 4 + (scheme != NULL ? scheme->size : d->quantization.length);
}

static hry_status check_header(const hry_quantization *q, size_t at, hry_error *err)
{
    const hry_scheme *scheme = hry_scheme_by_tag(q->scheme);
    if (q->scheme == 0x00 || q->scheme == 0xFF)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_SCHEME,
                           "quantization.scheme 0x%02x is invalid", q->scheme);
    if (scheme == NULL)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at + HRY_QUANT_AT_SCHEME,
                           "quantization.scheme 0x%02x is unknown", q->scheme);
    if (q->version != VERSION)
        return HRY_FAIL_AT(err, q->version == 0 ? HRY_ERR_CORRUPT : HRY_ERR_UNSUPPORTED,
                           at + HRY_QUANT_AT_VERSION,
                           "quantization.version is %u, this build reads %d", q->version,
                           VERSION);
    if ((q->flags & ~scheme->flags) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_FLAGS,
                           "quantization.flags are 0x%04x, %s allows 0x%04x", q->flags,
                           scheme->name, scheme->flags);
    return HRY_OK;
}

/* Only what a reader can step over without knowing it: its whole body is kept. */
static hry_status keep_unknown(hry_cursor *c, size_t at, hry_mode mode, hry_descriptor *d,
                               hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    if (mode == HRY_STRICT || q->scheme == 0x00 || q->scheme == 0xFF)
        return check_header(q, at, err);
    cur_take(c, q->length - HRY_QUANT_HEADER_SIZE);
    d->opaque = true;
    return HRY_OK;
}

hry_status hry_quantization_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                   hry_error *err)
{
    hry_quantization *q = &d->quantization;
    const size_t at = c->pos;
    q->length = cur_u32(c);
    HRY_TRY(cur_ok(c, "quantization length", err));
    if (q->length > cur_left(c) || q->length < HRY_QUANT_HEADER_SIZE)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at,
                           "quantization length is %u, must be %d to the %zu bytes left",
                           (unsigned)q->length, HRY_QUANT_HEADER_SIZE, cur_left(c));
    q->bytes = c->data + c->pos;
    q->scheme = cur_u8(c);
    q->version = cur_u8(c);
    q->flags = cur_u16(c);
    const hry_scheme *scheme = hry_scheme_by_tag(q->scheme);
    if (scheme == NULL)
        return keep_unknown(c, at, mode, d, err);
    HRY_TRY(check_header(q, at, err));
    if (q->length != scheme->size)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at,
                           "quantization length is %u, %s takes %u", (unsigned)q->length,
                           scheme->name, (unsigned)scheme->size);
    return scheme->decode(c, q, err);
}

void hry_quantization_encode(const hry_descriptor *d, hry_builder *b)
{
    const hry_quantization *q = &d->quantization;
    const hry_scheme *scheme = hry_scheme_by_tag(q->scheme);
    bld_u32(b, scheme->size);
    bld_u8(b, q->scheme);
    bld_u8(b, q->version);
    bld_u16(b, q->flags);
    scheme->encode(q, b);
}

hry_status hry_quantization_check(const hry_descriptor *d, const hry_places *p,
                                  hry_error *err)
{
    if (d->opaque) /* permissive: nothing is known of it */
        return HRY_OK;
    const size_t at = p->section[HRY_SECTION_QUANTIZATION];
    HRY_TRY(check_header(&d->quantization, at, err));
    const hry_scheme *scheme = hry_scheme_by_tag(d->quantization.scheme);
    if (!hry_scheme_stores(scheme, d->type_tag))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_TYPE,
                           "type_tag is %s, %s does not store it",
                           hry_type_name(d->type_tag), scheme->name);
    return scheme->check(d, p, at, err);
}
