/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - see options.h; docs/options.md is for users. */
#include "options.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>

/* One key: a choice between two words, the second one means true. */
static const struct option {
    const char *key, *off, *on;
    size_t offset;
    bool otherwise; /* when not given */
} table[] = {
    {"signature", "off", "on", offsetof(hvol_options, signature), true},
    {"io", "posix", "mpiio", offsetof(hvol_options, mpiio), false},
};
enum { OPTIONS = sizeof table / sizeof *table };

static bool *value_of(hvol_options *options, const struct option *o)
{
    return (bool *)(void *)((char *)options + o->offset);
}

hvol_options hvol_options_default(void)
{
    hvol_options options;
    memset(&options, 0, sizeof options);
    for (size_t i = 0; i < OPTIONS; i++)
        *value_of(&options, &table[i]) = table[i].otherwise;
    return options;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static hry_status parse_one(const char *text, size_t length, hvol_options *options,
                            hry_error *err)
{
    const char *equals = memchr(text, '=', length);
    const size_t key = equals == NULL ? length : (size_t)(equals - text);
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *o = &table[i];
        if (!is_word(text, key, o->key))
            continue;
        const size_t n = equals == NULL ? 0 : length - key - 1;
        const bool on = equals != NULL && is_word(equals + 1, n, o->on);
        if (!on && (equals == NULL || !is_word(equals + 1, n, o->off)))
            return HRY_FAIL(err, HRY_ERR_ARG,
                            "connector option '%s' is %s or %s, not '%.*s'", o->key, o->off,
                            o->on, (int)n, equals == NULL ? "" : equals + 1);
        *value_of(options, o) = on;
        return HRY_OK;
    }
    return HRY_FAIL(err, HRY_ERR_ARG, "connector option '%.*s' is not known", (int)key,
                    text);
}

hry_status hvol_options_parse(const char *text, hvol_options *out, hry_error *err)
{
    static const char space[] = "; \t";
    hvol_options options = hvol_options_default();
    text += strspn(text, space);
    while (*text != '\0') {
        const size_t length = strcspn(text, space);
        HRY_TRY(parse_one(text, length, &options, err));
        text += length;
        text += strspn(text, space);
    }
    *out = options;
    return HRY_OK;
}

size_t hvol_options_print(const hvol_options *options, char *buffer, size_t size)
{
    hvol_options copy = *options;
    size_t length = 0;
    for (size_t i = 0; i < OPTIONS; i++) {
        const int n = snprintf(length < size ? buffer + length : NULL,
                               length < size ? size - length : 0, "%s%s=%s",
                               i == 0 ? "" : ";", table[i].key,
                               *value_of(&copy, &table[i]) ? table[i].on : table[i].off);
        length += n > 0 ? (size_t)n : 0;
    }
    return length;
}
