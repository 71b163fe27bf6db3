/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - the test vectors and what their manifest.json says about them. */
#include "manifest.h"

#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void vector_path(const char *folder, const char *path, char out[512])
{
    snprintf(out, 512, "%s/vectors/%s/%s", HRY_TEST_DATA, folder, path);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("cannot open %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long end = ftell(f);
    assert_true(end >= 0);
    rewind(f);
    uint8_t *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)end, f), (size_t)end);
    fclose(f);
    bytes[end] = 0; /* so that text is a string */
    *size = (size_t)end;
    return bytes;
}

uint8_t *vector_read(const char *folder, const char *path, size_t *size)
{
    char full[512];
    vector_path(folder, path, full);
    return read_file(full, size);
}

cJSON *manifest_load(const char *path)
{
    size_t size;
    uint8_t *text = vector_read(".", path, &size);
    cJSON *root = cJSON_ParseWithLength((const char *)text, size);
    free(text);
    if (root == NULL)
        fail_msg("%s is no JSON", path);
    return root;
}

const cJSON *manifest_list(const cJSON *root, const char *name)
{
    const cJSON *list = json_field(root, name);
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) == 0)
        fail_msg("manifest: %s is no list, or empty", name);
    return list;
}

const cJSON *json_field(const cJSON *object, const char *name)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    if (field == NULL)
        fail_msg("manifest: no field %s", name);
    return field;
}

bool json_has(const cJSON *object, const char *name)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    return field != NULL && !cJSON_IsNull(field);
}

const char *json_text(const cJSON *object, const char *name)
{
    const cJSON *field = json_field(object, name);
    if (!cJSON_IsString(field))
        fail_msg("manifest: %s is no string", name);
    return field->valuestring;
}

uint64_t json_u64_of(const cJSON *number)
{
    if (cJSON_IsString(number))
        return strcmp(number->valuestring, "dynamic") == 0
                   ? UINT64_MAX
                   : strtoull(number->valuestring, NULL, 10);
    if (cJSON_IsBool(number))
        return cJSON_IsTrue(number) ? 1 : 0;
    assert_true(cJSON_IsNumber(number));
    return (uint64_t)number->valuedouble;
}

int64_t json_i64_of(const cJSON *number)
{
    if (cJSON_IsString(number))
        return strtoll(number->valuestring, NULL, 10);
    assert_true(cJSON_IsNumber(number));
    return (int64_t)number->valuedouble;
}

uint64_t json_u64(const cJSON *object, const char *name)
{
    return json_u64_of(json_field(object, name));
}

int64_t json_i64(const cJSON *object, const char *name)
{
    return json_i64_of(json_field(object, name));
}

double json_real_of(const cJSON *number)
{
    if (cJSON_IsNumber(number))
        return number->valuedouble;
    assert_true(cJSON_IsString(number));
    const char *text = number->valuestring;
    return strcmp(text, "nan") == 0 ? NAN : strcmp(text, "inf") == 0 ? INFINITY : -INFINITY;
}
