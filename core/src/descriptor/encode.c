/* SPDX-License-Identifier: Apache-2.0 */
/* encode.c - a descriptor to bytes, and its validation (format section 1). */
#include "layout/layout.h"
#include "quant/quant.h"
#include "sections.h"

static hry_status validate(const hry_descriptor *d, hry_places *places, hry_error *err)
{
    if (d->opaque)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "the descriptor is opaque: its type, layout or scheme is unknown");
    HRY_TRY(hry_fixed_header_check(d, HRY_STRICT, err));
    *places = hry_places_of(d);
    HRY_TRY(hry_parts_check(d, places, err));
    if (places->end > UINT32_MAX)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LENGTH,
                           "descriptor_length is %zu, must fit 32 bits", places->end);
    return HRY_OK;
}

hry_status hry_descriptor_validate(const hry_descriptor *d, hry_error *err)
{
    hry_places places;
    if (d == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "a descriptor is needed");
    return validate(d, &places, err);
}

static bool has_unknown_scheme(const hry_descriptor *d)
{
    return (d->flags & HRY_HAS_QUANTIZATION) != 0 &&
           hry_scheme_by_tag(d->quantization.scheme) == NULL;
}

size_t hry_descriptor_size(const hry_descriptor *d)
{
    if (d == NULL || d->opaque || d->rank > HRY_MAX_RANK ||
        hry_layout_by_tag(d->layout_tag) == NULL || has_unknown_scheme(d))
        return 0;
    return hry_places_of(d).end;
}

hry_status hry_descriptor_encode(const hry_descriptor *d, void *out, size_t size,
                                 size_t *length, hry_error *err)
{
    hry_places places;
    if (d == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "a descriptor and a place for it are needed");
    HRY_TRY(validate(d, &places, err));
    if (size < places.end)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%zu bytes given, the descriptor takes %zu",
                        size, places.end);

    /* The caller's memory is all the room there is, and proven to be enough. */
    hry_builder b = {.data = out, .capacity = places.end};
    const hry_layout *layout = hry_layout_by_tag(d->layout_tag);
    hry_fixed_header_encode(d, (uint32_t)places.end, &b);
    hry_shape_encode(d, &b);
    if (layout->encode != NULL)
        layout->encode(d, &b);
    hry_buffers_encode(d, &b);
    for (int i = 0; i < HRY_SECTION_COUNT; i++)
        if ((d->flags & hry_sections[i].flag) != 0)
            hry_sections[i].encode(d, &b);
    if (length != NULL)
        *length = b.size;
    return HRY_OK;
}
