/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor_json.h - a descriptor as JSON, every field under the format's name for it. */
#ifndef DESCRIPTOR_JSON_H
#define DESCRIPTOR_JSON_H

#include "hry/descriptor.h"

#include "json.h"

/* The object. `length` is descriptor_length, in BYTES. Sections not present are null. */
void descriptor_json(struct json *j, const hry_descriptor *d, uint32_t length);

/* A list of sizes; a dynamic dimension is "dynamic". */
void shape_json(struct json *j, const char *key, const uint64_t *shape, uint32_t rank);

/* The layout's own fields, as an object. */
void layout_json(struct json *j, const hry_descriptor *d);

#endif
