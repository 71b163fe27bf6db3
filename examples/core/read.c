/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows what is in any file: its words, its tensors, and of each the first elements as
 * numbers, whatever the layout and the type.
 *
 *   read [weather.hrry]
 */
#include <hry/hry.h>

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 8, WIDEST = 16 /* BYTES of an element */ };

static void check(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "read: %s: %s\n", hry_status_word(status), err->message);
    exit(1);
}

static void print_words(const hry_file *file)
{
    hry_error err;
    for (uint32_t i = 0; i < hry_file_kv_count(file); i++) {
        hry_kv kv;
        check(hry_file_kv(file, i, &kv, &err), &err);
        printf("%.*s: ", (int)kv.key_length, kv.key);
        if (kv.tag == HRY_KV_STRING)
            printf("%.*s\n", (int)kv.length, (const char *)kv.bytes);
        else if (kv.tag == HRY_KV_F64)
            printf("%g\n", kv.number.f64);
        else
            printf("(a value of kind %d)\n", kv.tag);
    }
}

/* The first elements of the last dimension, at the start of all others. */
static void print_elements(hry_file *file, uint64_t i, const hry_descriptor *d)
{
    static const uint64_t start[HRY_MAX_RANK];
    const bool is_quantized = (d->flags & HRY_HAS_QUANTIZATION) != 0;
    const hry_type type = is_quantized ? hry_type_builtin(HRY_FLOAT32) : hry_type_of(d);
    unsigned char elements[SHOWN * WIDEST];
    double numbers[SHOWN * 2]; /* of complex elements both parts */
    uint64_t count[HRY_MAX_RANK];
    size_t shown = 1;
    hry_error err;
    for (uint32_t k = 0; k < d->rank; k++) {
        const uint64_t most = k + 1 < d->rank ? 1 : SHOWN;
        count[k] = d->shape[k] < most ? d->shape[k] : most;
        shown *= (size_t)count[k];
    }
    hry_status status = hry_plain_read(file, i, start, count, elements, &err);
    if (status == HRY_OK)
        status = hry_to_double(type, elements, numbers, shown, &err);
    if (status != HRY_OK) { /* a composite head, or a layout of somebody else's */
        printf("    %s\n", err.message);
        return;
    }
    printf("   ");
    for (size_t n = 0; n < shown; n++)
        printf(" %.9g", numbers[n]);
    printf("\n");
}

static void print_tensor(hry_file *file, uint64_t i)
{
    hry_descriptor d;
    hry_entry entry;
    hry_error err;
    check(hry_file_entry(file, i, &entry, &err), &err);
    check(hry_file_descriptor(file, i, &d, &err), &err);
    printf("%.*s: %s %s [", (int)entry.name_length, entry.name, hry_type_name(d.type_tag),
           hry_layout_name(d.layout_tag));
    for (uint32_t k = 0; k < d.rank; k++)
        printf("%s%llu", k > 0 ? ", " : "", (unsigned long long)d.shape[k]);
    printf("]\n");
    print_elements(file, i, &d);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "weather.hrry";
    const hry_file_options options = {.map = true};
    hry_file *file;
    hry_error err;
    check(hry_file_open(path, &options, &file, &err), &err);
    print_words(file);
    for (uint64_t i = 0; i < hry_file_count(file); i++)
        print_tensor(file, i);
    hry_file_close(file);
    return 0;
}
