/* SPDX-License-Identifier: Apache-2.0 */
/* Every tensor that other implementations wrote, asked for by name from a server of its
 * file: it comes as it is in the file, composites with all members. */
#include "hry/hry.h"

#include "conversation.h"
#include "manifest.h"

static hry_file *open_vector(const char *name)
{
    hry_file_options options = {.map = true};
    char path[512];
    hry_error err;
    hry_file *file;
    if (strcmp(name, "file_private_layout_f1.hrry") == 0)
        options.mode = HRY_PERMISSIVE;
    vector_path("interop", name, path);
    assert_ok(hry_file_open(path, &options, &file, &err), &err);
    return file;
}

static void is_tensor_of(const came_tensor *t, hry_file *file, uint64_t row)
{
    hry_error err;
    hry_descriptor d;
    hry_entry e;
    const void *view;
    size_t at = 0, length;
    assert_ok(hry_file_entry(file, row, &e, &err), &err);
    assert_ok(hry_file_descriptor(file, row, &d, &err), &err);
    uint8_t *own = malloc(e.descriptor_length);
    assert_non_null(own);
    assert_ok(hry_descriptor_encode(&t->d, own, e.descriptor_length, &length, &err), &err);
    assert_int_equal(length, e.descriptor_length);
    assert_ok(hry_file_view(file, e.descriptor_offset, length, &view, &err), &err);
    assert_memory_equal(own, view, length);
    free(own);
    for (uint32_t b = 0; b < d.buffer_count; b++) {
        uint64_t offset;
        const size_t size = (size_t)d.buffers[b].byte_size;
        if (size == 0)
            continue;
        assert_ok(hry_file_buffer(file, row, &d, b, &offset, &err), &err);
        assert_ok(hry_file_view(file, offset, size, &view, &err), &err);
        assert_true(t->data.size - at >= size);
        assert_memory_equal(t->data.data + at, view, size);
        at += size;
    }
    assert_int_equal(at, t->data.size);
}

/* All tensors of the file, one after the other, over one connection. */
static unsigned ask_for_all(hry_file *file)
{
    hry_error err;
    hry_store store;
    hry_order *order;
    unsigned composites = 0;
    conversation c = {.step = 10000};
    assert_ok(hry_order_new(file, &order, &err), &err);
    assert_ok(hry_file_store_open(file, &store, &err), &err);
    conversation_begin(&c, store, NULL, NULL);
    for (uint64_t place = 0; place < hry_order_count(order); place++) {
        hry_entry e;
        assert_ok(hry_file_entry(file, hry_order_tensor(order, place), &e, &err), &err);
        const hry_request r = {.key = {e.name, e.name_length}};
        assert_ok(hry_client_request(c.client, &r, &err), &err);
        came_free(&c.came);
        talk(&c);
        assert_int_equal(c.came.done, 1);
        for (size_t i = 0; i < c.came.count; i++)
            is_tensor_of(&c.came.tensors[i], file, hry_order_tensor(order, place + i));
        composites += c.came.count > 1;
        assert_true(c.came.count == 1 || c.came.tensors[0].d.layout_tag == HRY_COMPOSITE);
    }
    conversation_end(&c);
    hry_file_store_close(&store);
    hry_order_free(order);
    return composites;
}

static void every_good_tensor_comes_as_it_is_in_its_file(void **state)
{
    (void)state;
    unsigned composites = 0;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
    {
        const char *name = json_text(told, "file");
        if (strcmp(name, "file_private_layout_f1.hrry") == 0)
            continue;
        hry_file *file = open_vector(name);
        composites += ask_for_all(file);
        hry_file_close(file);
    }
    assert_true(composites > 20);
    cJSON_Delete(root);
}

/* A private layout travels to those who want it; others give up. */
static void private_layouts_are_for_those_who_know_them(void **state)
{
    (void)state;
    hry_error err;
    hry_store store;
    hry_entry e;
    hry_file *file = open_vector("file_private_layout_f1.hrry");
    conversation c = {.step = 1000};
    hry_descriptor d = {.layout_tag = 0};
    uint64_t row = 0;
    for (; d.layout_tag < 0xF0; row++)
        assert_ok(hry_file_descriptor(file, row, &d, &err), &err);
    assert_ok(hry_file_entry(file, --row, &e, &err), &err);
    assert_ok(hry_file_store_open(file, &store, &err), &err);
    const hry_request r = {.key = {e.name, e.name_length}};
    for (int mode = HRY_STRICT; mode <= HRY_PERMISSIVE; mode++) {
        const hry_session_options options = {.mode = (hry_mode)mode};
        conversation_begin(&c, store, NULL, &options);
        assert_ok(hry_client_request(c.client, &r, &err), &err);
        talk(&c);
        assert_int_equal(c.came.done, mode == HRY_PERMISSIVE);
        assert_int_equal(c.came.status,
                         mode == HRY_PERMISSIVE ? HRY_OK : HRY_ERR_UNSUPPORTED);
        if (mode == HRY_PERMISSIVE)
            is_tensor_of(&c.came.tensors[0], file, row);
        conversation_end(&c);
    }
    hry_file_store_close(&store);
    hry_file_close(file);
}

/* Composites that break a rule are not served to the end. */
static void every_bad_composite_is_refused(void **state)
{
    (void)state;
    unsigned tried = 0;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "bad"))
    {
        const char *name = json_text(told, "file"), *tensor;
        hry_error err;
        hry_store store;
        if (strcmp(json_text(told, "stage"), "composite") != 0 ||
            strcmp(name, "bad/bad_partition_quantized_type_mismatch.hrry") == 0)
            continue;
        tensor = json_text(told, "tensor");
        hry_file *file = open_vector(name);
        conversation c = {.step = 1000};
        assert_ok(hry_file_store_open(file, &store, &err), &err);
        conversation_begin(&c, store, NULL, NULL);
        ask(&c, tensor, NULL);
        assert_int_equal(c.came.refused, 1);
        assert_int_equal(c.came.done, 0);
        conversation_end(&c);
        hry_file_store_close(&store);
        hry_file_close(file);
        tried++;
    }
    assert_int_equal(tried, 16);
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_good_tensor_comes_as_it_is_in_its_file),
        cmocka_unit_test(private_layouts_are_for_those_who_know_them),
        cmocka_unit_test(every_bad_composite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
