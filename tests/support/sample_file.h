/* SPDX-License-Identifier: Apache-2.0 */
/* sample_file.h - a small file with what a file can have, for tests that break it. */
#ifndef SAMPLE_FILE_H
#define SAMPLE_FILE_H

#include "hry/hry.h"

#include "bytes.h"

#define SAMPLE_TRY(expr)                                                                   \
    do {                                                                                   \
        if (status == HRY_OK)                                                              \
            status = (expr);                                                               \
    } while (0)

static inline hry_kv sample_text(const char *key, const char *text)
{
    return (hry_kv){.key = key,
                    .key_length = (uint16_t)strlen(key),
                    .tag = HRY_KV_STRING,
                    .bytes = text,
                    .length = strlen(text)};
}

static inline hry_status sample_kv(hry_writer *w, hry_error *err)
{
    static const uint8_t words[] = {3, 0, 0, 0, 'o', 'n', 'e', 3, 0, 0, 0, 't', 'w', 'o'};
    static const uint8_t flags[] = {1, 0, 1};
    const hry_kv kv[] = {
        sample_text("text", "\xC3\xA9t\xC3\xA9"),
        {.key = "i64", .key_length = 3, .tag = HRY_KV_I64, .number.i64 = INT64_MIN},
        {.key = "u64", .key_length = 3, .tag = HRY_KV_U64, .number.u64 = UINT64_MAX},
        {.key = "f64", .key_length = 3, .tag = HRY_KV_F64, .number.f64 = 0.5},
        {.key = "yes", .key_length = 3, .tag = HRY_KV_BOOL, .number.boolean = true},
        {.key = "raw",
         .key_length = 3,
         .tag = HRY_KV_BYTES,
         .bytes = "\0\xFF",
         .length = 2},
        {.key = "words",
         .key_length = 5,
         .tag = HRY_KV_ARRAY,
         .element_tag = HRY_KV_STRING,
         .count = 2,
         .bytes = words,
         .length = sizeof words},
        {.key = "flags",
         .key_length = 5,
         .tag = HRY_KV_ARRAY,
         .element_tag = HRY_KV_BOOL,
         .count = 3,
         .bytes = flags,
         .length = sizeof flags},
    };
    hry_status status = HRY_OK;
    for (size_t i = 0; i < sizeof kv / sizeof *kv; i++)
        SAMPLE_TRY(hry_writer_add_kv(w, &kv[i], err));
    return status;
}

/* A COO tensor [3] with one entry: two buffers. */
static inline hry_descriptor sample_coo(void)
{
    const uint64_t shape[] = {3};
    hry_descriptor d;
    hry_descriptor_dense(HRY_FLOAT32, 1, shape, &d, NULL);
    d.layout_tag = HRY_COO;
    d.fields.sparse.nnz = 1;
    d.fields.sparse.is_sorted = true;
    d.buffer_count = 2;
    d.buffers[1] = d.buffers[0];
    d.buffers[0].byte_size = 4;
    d.buffers[1].byte_size = 8;
    return d;
}

/* A group with one member. */
static inline hry_descriptor sample_head(void)
{
    hry_descriptor d;
    hry_descriptor_dense(HRY_FLOAT32, 0, NULL, &d, NULL);
    d.layout_tag = HRY_COMPOSITE;
    d.buffer_count = 0;
    d.fields.composite =
        (hry_composite){.rule = HRY_GROUP, .combine = HRY_COMBINE_NONE, .member_count = 1};
    return d;
}

/*
 * Tensors "dense" float32 [2] = 1, 2; "group" with the member "group/member" int8 [3] =
 * 1, 2, 3; "empty" int8 [0]; "coo" float32 [3] = 0, 7, 0.
 */
static inline hry_status sample_tensors(hry_writer *w, hry_error *err)
{
    static const float one_two[] = {1, 2}, seven[] = {7};
    static const uint64_t where[] = {1}, n2[] = {2}, n3[] = {3}, n0[] = {0};
    hry_descriptor d, coo = sample_coo(), head = sample_head();
    hry_status status = hry_descriptor_dense(HRY_FLOAT32, 1, n2, &d, err);
    SAMPLE_TRY(hry_writer_add(w, "dense", &d, (const void *[]){one_two}, err));
    SAMPLE_TRY(hry_writer_add(w, "group", &head, NULL, err));
    SAMPLE_TRY(hry_descriptor_dense(HRY_INT8, 1, n3, &d, err));
    SAMPLE_TRY(hry_writer_add(w, "group/member", &d, (const void *[]){"\1\2\3"}, err));
    SAMPLE_TRY(hry_descriptor_dense(HRY_INT8, 1, n0, &d, err));
    SAMPLE_TRY(hry_writer_add(w, "empty", &d, NULL, err));
    SAMPLE_TRY(hry_writer_add(w, "coo", &coo, (const void *[]){seven, where}, err));
    return status;
}

static inline hry_status sample_write(hry_sink sink, void *ctx, uint32_t flags,
                                      hry_error *err)
{
    hry_writer *w;
    const hry_writer_options options = {.flags = flags};
    hry_status status = hry_writer_new(sink, ctx, &options, &w, err);
    if (status != HRY_OK)
        return status;
    SAMPLE_TRY(sample_tensors(w, err));
    SAMPLE_TRY(sample_kv(w, err));
    if (status == HRY_OK)
        return hry_writer_finish(w, err);
    hry_writer_abandon(w);
    return status;
}

/* Look at everything that opened: for tests that care that it does no harm. */
static inline void sample_visit(hry_file *file)
{
    hry_descriptor d;
    hry_entry e;
    hry_kv kv, element;
    uint64_t at, found;
    uint8_t data[4096];
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        if (hry_file_entry(file, i, &e, NULL) == HRY_OK)
            hry_file_find(file, e.name, e.name_length, &found, NULL);
        if (hry_file_descriptor(file, i, &d, NULL) != HRY_OK || d.opaque)
            continue;
        for (uint32_t b = 0; b < d.buffer_count; b++)
            if (hry_file_buffer(file, i, &d, b, &at, NULL) == HRY_OK &&
                d.buffers[b].byte_size <= sizeof data)
                hry_file_read(file, at, data, (size_t)d.buffers[b].byte_size, NULL);
    }
    for (uint32_t i = 0; i < hry_file_kv_count(file); i++)
        if (hry_file_kv(file, i, &kv, NULL) == HRY_OK && kv.tag == HRY_KV_ARRAY)
            for (uint32_t k = 0; k < kv.count && k < 100; k++)
                hry_kv_element(&kv, k, &element, NULL);
    hry_file_check_canonical(file, NULL);
}

#endif
