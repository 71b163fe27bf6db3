/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - see text.h. */
#include "text.h"

#include "hry/descriptor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct text *t, size_t more)
{
    if (t->failed || more < t->capacity - t->size)
        return !t->failed;
    size_t capacity = t->capacity < 64 ? 64 : t->capacity;
    while (capacity - t->size <= more && capacity <= SIZE_MAX / 4)
        capacity *= 2;
    char *bytes = capacity - t->size > more ? realloc(t->bytes, capacity) : NULL;
    if (bytes == NULL) {
        t->failed = true;
        return false;
    }
    t->bytes = bytes;
    t->capacity = capacity;
    return true;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    if (!reserve(t, 32)) /* most things are short */
        return;
    va_start(args, format);
    const int size = vsnprintf(t->bytes + t->size, t->capacity - t->size, format, args);
    va_end(args);
    if (size >= 0 && (size_t)size < t->capacity - t->size) {
        t->size += (size_t)size;
        return;
    }
    if (size < 0 || !reserve(t, (size_t)size))
        return;
    va_start(args, format);
    vsnprintf(t->bytes + t->size, t->capacity - t->size, format, args);
    va_end(args);
    t->size += (size_t)size;
}

/* No overlong forms, no surrogates, nothing beyond U+10FFFF. */
static bool is_allowed(uint32_t point, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return point >= least[length] && point <= 0x10FFFF &&
           !(point >= 0xD800 && point <= 0xDFFF);
}

/* Of a first byte and the low six bits of those that follow. */
static uint32_t point_of(const uint8_t *bytes, size_t length)
{
    uint32_t point = length == 1 ? bytes[0] : bytes[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (bytes[i] & 0x3F);
    return point;
}

size_t text_utf8_length(const uint8_t *bytes, size_t size)
{
    const uint8_t first = bytes[0];
    if (first < 0x80)
        return 1;
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    return is_allowed(point_of(bytes, length), length) ? length : 0;
}

static void add_bytes(struct text *t, const uint8_t *bytes, size_t size)
{
    if (size == 0 || !reserve(t, size))
        return;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
}

static size_t count_plain(const uint8_t *bytes, size_t size)
{
    size_t n = 0;
    while (n < size && bytes[n] >= 0x20 && bytes[n] < 0x7F)
        n++;
    return n;
}

void text_add_foreign(struct text *t, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size;) {
        const size_t plain = count_plain(from + i, size - i);
        add_bytes(t, from + i, plain);
        i += plain;
        if (i == size)
            return;
        const size_t length = text_utf8_length(from + i, size - i);
        const bool is_control = from[i] < 0x20 || from[i] == 0x7F ||
                                (length == 2 && from[i] == 0xC2 && from[i + 1] < 0xA0);
        if (length > 0 && !is_control)
            add_bytes(t, from + i, length);
        else if (from[i] == '\n')
            text_add(t, "\\n");
        else if (from[i] == '\t')
            text_add(t, "\\t");
        else
            for (size_t k = 0; k < (length > 0 ? length : 1); k++)
                text_add(t, "\\x%02x", from[i + k]);
        i += length > 0 ? length : 1;
    }
}

void text_add_size(struct text *t, uint64_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    double value = (double)size;
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    text_add(t, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

void text_add_shape(struct text *t, const uint64_t *shape, uint32_t rank)
{
    text_add(t, "[");
    for (uint32_t k = 0; k < rank; k++) {
        if (k > 0)
            text_add(t, ", ");
        if (shape[k] == HRY_DYNAMIC)
            text_add(t, "?");
        else
            text_add(t, "%llu", (unsigned long long)shape[k]);
    }
    text_add(t, "]");
}

const char *text_string(const struct text *t)
{
    return t->bytes != NULL ? t->bytes : "";
}

void text_clear(struct text *t)
{
    t->size = 0;
    if (t->bytes != NULL)
        t->bytes[0] = '\0';
}

void text_free(struct text *t)
{
    free(t->bytes);
    *t = (struct text){0};
}

/* Ranges of code points that take no column, or two; all others take one. */
static const struct {
    uint32_t first, last;
    uint8_t columns;
} widths[] = {
    {0x300, 0x36F, 0},     {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},
    {0x2E80, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},
    {0xFE00, 0xFE0F, 0},   {0xFE30, 0xFE6F, 2},   {0xFEFF, 0xFEFF, 0},
    {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},   {0x1F300, 0x1F64F, 2},
    {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2},
};

static size_t columns_of(uint32_t point)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (point >= widths[i].first && point <= widths[i].last)
            return widths[i].columns;
    return 1;
}

size_t text_width(const char *string)
{
    const uint8_t *bytes = (const uint8_t *)string;
    size_t left = strlen(string), width = 0;
    while (left > 0) {
        const size_t length = text_utf8_length(bytes, left);
        width += length <= 1 ? 1 : columns_of(point_of(bytes, length));
        bytes += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    return width;
}
