/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.h - the test vectors and what their manifest.json says about them.
 *
 * A manifest is a cJSON tree: walk its lists ("good_files", "good_descriptors", "bad")
 * with cJSON_ArrayForEach(entry, manifest_list(root, "bad")) and read fields with the
 * functions below. What a test needs and does not find fails the test.
 */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/* `path` below tests/vectors, such as "interop/manifest.json". End with cJSON_Delete(). */
cJSON *manifest_load(const char *path);

/* The list of that name; empty (NULL elements) is an error. */
const cJSON *manifest_list(const cJSON *root, const char *name);

/* Field `name` of an object; fails the test when it is missing. */
const cJSON *json_field(const cJSON *object, const char *name);

/* Is the field there, and not null? */
bool json_has(const cJSON *object, const char *name);

/* A string. Borrowed from the tree. */
const char *json_text(const cJSON *object, const char *name);

/* An integer: a number, a decimal string beyond 2^53, or "dynamic" (UINT64_MAX). */
uint64_t json_u64(const cJSON *object, const char *name);
int64_t json_i64(const cJSON *object, const char *name);
/* The same for an element of a list. */
uint64_t json_u64_of(const cJSON *number);
int64_t json_i64_of(const cJSON *number);

/* A number, or "nan", "inf", "-inf". */
double json_real_of(const cJSON *number);

/*
 * The whole file `path` below tests/vectors/`folder`, with *size bytes, in memory to be
 * freed; never NULL.
 */
uint8_t *vector_read(const char *folder, const char *path, size_t *size);

/* Its path on disk, in `out` of 512 bytes. */
void vector_path(const char *folder, const char *path, char out[512]);

#endif
