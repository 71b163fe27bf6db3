/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - see words.h. */
#include "words.h"

#include "hry/file.h"

#define WORD_OF(table, i) ((i) < sizeof(table) / sizeof *(table) ? (table)[i] : NULL)

const char *word_of_device(uint8_t device)
{
    static const char *const words[] = {"CPU",     "CUDA",       "ROCm",
                                        "Metal",   "Vulkan",     "WebGPU",
                                        "Hexagon", "Level Zero", "OpenCL"};
    return WORD_OF(words, device);
}

const char *word_of_memory(uint8_t memory_class)
{
    static const char *const words[] = {"standard", "host-pinned", "unified", "peer"};
    return WORD_OF(words, memory_class);
}

const char *word_of_sync(uint8_t sync_mode)
{
    static const char *const words[] = {"producer-synced", "event", "consumer-stream"};
    return WORD_OF(words, sync_mode);
}

const char *word_of_scheme(uint8_t scheme)
{
    static const char *const words[] = {
        [HRY_QUANT_PER_TENSOR] = "per_tensor_affine",
        [HRY_QUANT_PER_CHANNEL] = "per_channel_affine",
        [HRY_QUANT_PER_BLOCK] = "per_block_affine",
        [HRY_QUANT_NF4] = "nf4",
        [HRY_QUANT_MXFP] = "mxfp",
    };
    return WORD_OF(words, scheme);
}

const char *word_of_rule(uint8_t rule)
{
    static const char *const words[] = {
        [HRY_PARTITION] = "partition", [HRY_OVERLAY] = "overlay", [HRY_GROUP] = "group"};
    return WORD_OF(words, rule);
}

const char *word_of_combine(uint8_t combine)
{
    static const char *const words[] = {
        [HRY_COMBINE_REPLACE] = "replace", [HRY_COMBINE_ADD] = "add"};
    return WORD_OF(words, combine);
}

const char *word_of_role(uint8_t role)
{
    static const char *const words[] = {
        [HRY_ROLE_CORRECTION] = "correction", [HRY_ROLE_BASE] = "base"};
    return WORD_OF(words, role);
}

const char *word_of_kv_role(uint8_t kv_role)
{
    static const char *const words[] = {"key", "value", "generic"};
    return WORD_OF(words, kv_role);
}

const char *word_of_kv(uint8_t tag)
{
    static const char *const words[] = {
        [HRY_KV_STRING] = "string", [HRY_KV_I64] = "int64", [HRY_KV_U64] = "uint64",
        [HRY_KV_F64] = "float64",   [HRY_KV_BOOL] = "bool", [HRY_KV_BYTES] = "bytes",
        [HRY_KV_ARRAY] = "array",
    };
    return WORD_OF(words, tag);
}

const char *word_of_flag(unsigned bit)
{
    static const char *const words[] = {"quantization", "shard", "extension type",
                                        "statistics", "composite member"};
    return WORD_OF(words, bit);
}

const char *word_of_statistic(unsigned bit)
{
    static const char *const words[] = {"nnz",         "sparsity", "range",
                                        "mean/stddev", "N:M",      "nan/inf"};
    return WORD_OF(words, bit);
}

const char *word_of_file_flag(unsigned bit)
{
    static const char *const words[] = {"key-values", "sorted index", "index CRC-32C"};
    return WORD_OF(words, bit);
}

static void add_tag(struct text *t, uint8_t tag, const char *name)
{
    if (tag >= 0xF0 && tag <= 0xFE)
        text_add(t, "private_%02x", tag);
    else if (name == NULL || *name == '?')
        text_add(t, "0x%02x", tag);
    else
        text_add(t, "%s", name);
}

void words_add_type(struct text *t, uint8_t type_tag)
{
    add_tag(t, type_tag, hry_type_name(type_tag));
}

void words_add_layout(struct text *t, uint8_t layout_tag)
{
    add_tag(t, layout_tag, hry_layout_name(layout_tag));
}

void words_add_bits(struct text *t, uint32_t bits, const char *(*word)(unsigned bit))
{
    const char *before = "";
    text_add(t, "[");
    for (unsigned bit = 0; bit < 32; bit++) {
        if ((bits >> bit & 1) == 0)
            continue;
        const char *name = word(bit);
        if (name != NULL)
            text_add(t, "%s%s", before, name);
        else
            text_add(t, "%sbit %u", before, bit);
        before = ", ";
    }
    text_add(t, "]");
}
