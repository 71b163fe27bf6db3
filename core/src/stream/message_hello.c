/* SPDX-License-Identifier: Apache-2.0 */
/* message_hello.c - who can do what: hellos and lists of layouts (format section 7). */
#include "stream/message_parts.h"

enum { FIXED = 16, AT_CAPABILITIES = HRY_MESSAGE_HEADER_SIZE + 8, CAPABILITIES = 0xF };

static bool is_private(uint8_t tag)
{
    return tag >= 0xF0 && tag <= 0xFE;
}

/* ---- layouts ---- */

/* The entry ahead; a private one may end before its own bytes do: then false. */
static bool take_entry(hry_cursor *c, hry_layout_entry *out)
{
    *out = (hry_layout_entry){.tag = cur_u8(c)};
    if (is_private(out->tag)) {
        out->length = cur_u16(c);
        out->bytes = cur_take(c, out->length);
    }
    return c->short_by == 0;
}

bool hry_layout_list_next(hry_layout_list *rest, hry_layout_entry *out)
{
    hry_cursor c = cur_over(rest->bytes, rest->size);
    if (rest->count == 0 || !take_entry(&c, out))
        return false;
    rest->bytes += c.pos;
    rest->size -= (uint32_t)c.pos;
    rest->count--;
    return true;
}

void hry_msg_layout_list_decode(hry_cursor *c, hry_layout_list *list)
{
    hry_layout_entry entry;
    *list = (hry_layout_list){.count = cur_u16(c)};
    const size_t start = c->pos;
    list->bytes = c->data + start;
    for (uint16_t i = 0; i < list->count && take_entry(c, &entry); i++)
        continue;
    list->size = (uint32_t)(c->pos - start);
}

void hry_msg_layout_list_encode(const hry_layout_list *list, hry_builder *b)
{
    bld_u16(b, list->count);
    bld_bytes(b, list->bytes, list->size);
}

hry_status hry_msg_layout_list_check(const hry_layout_list *list, hry_error *err)
{
    hry_layout_list rest = *list;
    hry_layout_entry entry;
    while (hry_layout_list_next(&rest, &entry))
        continue;
    if (rest.count > 0 || rest.size > 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "layouts: %u bytes are not %u entries",
                        (unsigned)list->size, (unsigned)list->count);
    return HRY_OK;
}

/* ---- hellos ---- */

static void take_tags(hry_cursor *c, hry_tag_list *list)
{
    list->count = cur_u16(c);
    list->tags = cur_take(c, list->count);
}

static void put_tags(const hry_tag_list *list, hry_builder *b)
{
    bld_u16(b, list->count);
    bld_bytes(b, list->tags, list->count);
}

hry_status hry_msg_hello_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    hry_hello *hello = &m->hello;
    (void)err;
    hello->protocol = cur_u32(c);
    hello->max_message = cur_u32(c);
    hello->capabilities = cur_u64(c);
    hry_msg_layout_list_decode(c, &hello->layouts);
    take_tags(c, &hello->devices);
    hello->memory_classes = (hry_tag_list){.count = 0};
    if (cur_left(c) > 0) /* older peers know nothing of memory classes */
        take_tags(c, &hello->memory_classes);
    if (hello->protocol > HRY_PROTOCOL_VERSION && c->short_by == 0) {
        hello->capabilities &= CAPABILITIES;
        cur_take(c, cur_left(c)); /* what newer peers may add */
    }
    return HRY_OK;
}

hry_status hry_msg_hello_check(const hry_message *m, hry_error *err)
{
    const uint64_t can = m->hello.capabilities;
    if ((can & ~(uint64_t)CAPABILITIES) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, AT_CAPABILITIES,
                           "capability_flags are 0x%llx, reserved bits must be 0",
                           (unsigned long long)can);
    if ((can & HRY_CAN_GPUDIRECT) != 0 && (can & HRY_CAN_RDMA) == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, AT_CAPABILITIES,
                           "capability_flags are 0x%llx: GPUDirect implies RDMA",
                           (unsigned long long)can);
    return hry_msg_layout_list_check(&m->hello.layouts, err);
}

void hry_msg_hello_encode(const hry_message *m, hry_builder *b)
{
    const hry_hello *hello = &m->hello;
    bld_u32(b, hello->protocol);
    bld_u32(b, hello->max_message);
    bld_u64(b, hello->capabilities);
    hry_msg_layout_list_encode(&hello->layouts, b);
    put_tags(&hello->devices, b);
    put_tags(&hello->memory_classes, b);
}

uint64_t hry_msg_hello_size(const hry_message *m)
{
    const hry_hello *hello = &m->hello;
    return FIXED + 2 + (uint64_t)hello->layouts.size + 2 + hello->devices.count + 2 +
           hello->memory_classes.count;
}
