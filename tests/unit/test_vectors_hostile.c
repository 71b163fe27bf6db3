/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every good file of the vectors cut off anywhere and with bits changed: refused, or read
 * to the last element without harm.
 *
 *   test_vectors_hostile [all]      all bits of every byte; otherwise one of each byte
 */
#include "hry/hry.h"

#include "cmocka_all.h"
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, WIDEST = 16, PADDING = 24 };

static bool all_bits;
static uint8_t *bytes; /* of the file at hand */
static size_t size;

/* Elements from the first on, MOST of them, along the last axes. */
static void first_box(const hry_descriptor *d, uint64_t *count)
{
    uint64_t left = MOST;
    for (uint32_t k = d->rank; k > 0; k--) {
        count[k - 1] = d->shape[k - 1] < left ? d->shape[k - 1] : left;
        left = count[k - 1] > 0 ? left / count[k - 1] : left;
    }
}

static void read_composite(hry_file *file, uint64_t i, const uint64_t *count)
{
    static const uint64_t origin[HRY_MAX_RANK];
    static uint8_t elements[MOST * WIDEST];
    hry_head *head = NULL;
    if (hry_head_open(file, i, NULL, &head, NULL) == HRY_OK)
        (void)hry_head_read(head, origin, count, elements, NULL);
    hry_head_close(head);
}

static void read_plain(hry_file *file, uint64_t i, const hry_descriptor *d,
                       const uint64_t *count)
{
    static const uint64_t origin[HRY_MAX_RANK];
    static uint8_t elements[MOST * WIDEST];
    hry_buffer buffers[HRY_MAX_BUFFERS];
    hry_error err;
    uint64_t offset;
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        buffers[b] = (hry_buffer){.size = d->buffers[b].byte_size};
        if (hry_file_buffer(file, i, d, b, &offset, NULL) != HRY_OK)
            return;
        assert_ok(hry_file_view(file, offset, buffers[b].size, &buffers[b].bytes, &err),
                  &err);
    }
    const hry_tensor t = {.descriptor = d, .buffers = buffers};
    (void)hry_tensor_check(&t, HRY_STRICT, NULL);
    (void)hry_quant_check(&t, HRY_STRICT, NULL);
    if (hry_region_element(d) <= WIDEST)
        (void)hry_plain_read(file, i, origin, count, elements, NULL);
}

static bool open_bytes(hry_mode mode, size_t length, hry_file **file)
{
    hry_io io;
    hry_error err = {.message = ""};
    const hry_file_options options = {.mode = mode, .map = true};
    assert_ok(hry_io_memory(bytes, length, &io, &err), &err);
    const hry_status status = hry_file_open_io(io, &options, file, &err);
    assert_true(status == HRY_OK || err.message[0] != '\0');
    return status == HRY_OK;
}

static void read_all(hry_mode mode)
{
    static hry_descriptor d;
    hry_file *file;
    if (!open_bytes(mode, size, &file))
        return;
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        uint64_t count[HRY_MAX_RANK];
        if (hry_file_descriptor(file, i, &d, NULL) != HRY_OK || d.opaque)
            continue;
        first_box(&d, count);
        if (d.layout_tag == HRY_COMPOSITE)
            read_composite(file, i, count);
        else
            read_plain(file, i, &d, count);
    }
    hry_file_close(file);
}

/* In the middle of padding one byte is as good as the next. */
static bool is_padding(size_t at)
{
    static const uint8_t zero[2 * PADDING];
    return at >= PADDING && size - at > PADDING &&
           memcmp(bytes + at - PADDING, zero, sizeof zero) == 0;
}

static void change_bits(void)
{
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            if (is_padding(at) || (!all_bits && (int)(at % 8) != bit))
                continue;
            bytes[at] ^= (uint8_t)(1 << bit);
            read_all(HRY_STRICT);
            if (all_bits)
                read_all(HRY_PERMISSIVE);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
}

static void cut_off(const char *name)
{
    for (size_t length = 0; length < size; length++) {
        hry_file *file;
        if (is_padding(length))
            continue;
        if (open_bytes(HRY_STRICT, length, &file) ||
            open_bytes(HRY_PERMISSIVE, length, &file))
            fail_msg("%s: %zu bytes of it are taken for a file", name, length);
    }
}

static void for_each_file(void (*work)(const char *name))
{
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *entry;
    size_t files = 0;
    cJSON_ArrayForEach(entry, manifest_list(root, "good_files"))
    {
        const char *name = json_text(entry, "file");
        bytes = vector_read("interop", name, &size);
        if (size <= 1 << 17) {
            work(name);
            files++;
        }
        free(bytes);
    }
    cJSON_Delete(root);
    assert_true(files > 160);
}

static void change_one(const char *name)
{
    (void)name;
    change_bits();
}

static void no_part_of_a_file_is_a_file(void **state)
{
    (void)state;
    for_each_file(cut_off);
}

static void changed_bits_do_no_harm(void **state)
{
    (void)state;
    for_each_file(change_one);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_part_of_a_file_is_a_file),
        cmocka_unit_test(changed_bits_do_no_harm),
    };
    all_bits = argc > 1 && strcmp(argv[1], "all") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
