/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index buffers worked out by hand (format section 3): where each element is in CSR, CSC,
 * CSF, COO and block-paged tensors, and the same matrix in one and the other.
 */
#include "hry/region.h"
#include "hry/transcode.h"

#include "cmocka_all.h"
#include "dense.h"

static hry_error err;

#define INDEX(...) ((const uint64_t[]){__VA_ARGS__})
#define BUFFER(array) ((hry_buffer){.bytes = (array), .size = sizeof(array)})

static void add_index(hry_descriptor *d, uint64_t size)
{
    d->buffers[d->buffer_count++] = (hry_buffer_info){.byte_size = size, .alignment = 64};
}

/* A descriptor that fits the buffers, and a tensor that passes the check. */
static hry_tensor tensor_of(hry_descriptor *d, const hry_buffer *buffers, uint32_t count)
{
    for (uint32_t b = 1; b < count; b++)
        add_index(d, buffers[b].size);
    const hry_tensor t = {.descriptor = d, .buffers = buffers};
    assert_ok(hry_descriptor_validate(d, &err), &err);
    assert_ok(hry_tensor_check(&t, HRY_STRICT, &err), &err);
    return t;
}

static void stored_at(const hry_tensor *t, const uint64_t *index, uint64_t position)
{
    hry_found f;
    assert_ok(hry_element_find(t, t->descriptor->rank, index, &f, &err), &err);
    assert_true(f.stored);
    assert_int_equal(f.position, position);
}

static void not_stored(const hry_tensor *t, const uint64_t *index)
{
    hry_found f;
    assert_ok(hry_element_find(t, t->descriptor->rank, index, &f, &err), &err);
    assert_false(f.stored);
}

/*
 * 10  0  0 20
 *  0  0  0  0
 *  0 30 40  0
 */
static const int16_t matrix[3][4] = {{10, 0, 0, 20}, {0}, {0, 30, 40, 0}};

static void reads_the_matrix(const hry_tensor *t)
{
    int16_t got[3][4];
    assert_ok(hry_region_read(t, INDEX(0, 0), INDEX(3, 4), got, &err), &err);
    assert_memory_equal(got, matrix, sizeof matrix);
}

static void csr_lists_rows(void **state)
{
    (void)state;
    static const int16_t values[] = {10, 20, 30, 40};
    static const uint64_t columns[] = {0, 3, 1, 2}, rows[] = {0, 2, 2, 4};
    const hry_buffer buffers[] = {BUFFER(values), BUFFER(columns), BUFFER(rows)};
    hry_descriptor d = dense(HRY_INT16, HRY_CSR, sizeof values, 2, SHAPE(3, 4));
    d.fields.sparse.nnz = 4;
    const hry_tensor t = tensor_of(&d, buffers, 3);
    stored_at(&t, INDEX(0, 3), 1);
    stored_at(&t, INDEX(2, 2), 3);
    not_stored(&t, INDEX(1, 2));
    not_stored(&t, INDEX(2, 3));
    reads_the_matrix(&t);
}

static void csc_lists_columns(void **state)
{
    (void)state;
    static const int16_t values[] = {10, 30, 40, 20};
    static const uint64_t rows[] = {0, 2, 2, 0}, columns[] = {0, 1, 2, 3, 4};
    const hry_buffer buffers[] = {BUFFER(values), BUFFER(rows), BUFFER(columns)};
    hry_descriptor d = dense(HRY_INT16, HRY_CSC, sizeof values, 2, SHAPE(3, 4));
    d.fields.sparse.nnz = 4;
    const hry_tensor t = tensor_of(&d, buffers, 3);
    stored_at(&t, INDEX(2, 1), 1);
    stored_at(&t, INDEX(0, 3), 3);
    not_stored(&t, INDEX(0, 1));
    reads_the_matrix(&t);
}

static void coo_lists_entries(void **state)
{
    (void)state;
    static const int16_t sorted[] = {10, 20, 30, 40}, any[] = {40, 10, 30, 20};
    static const uint64_t sorted_at[] = {0, 0, 0, 3, 2, 1, 2, 2};
    static const uint64_t any_at[] = {2, 2, 0, 0, 2, 1, 0, 3};
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
        const hry_buffer buffers[] = {is_sorted ? BUFFER(sorted) : BUFFER(any),
                                      is_sorted ? BUFFER(sorted_at) : BUFFER(any_at)};
        hry_descriptor d = dense(HRY_INT16, HRY_COO, sizeof sorted, 2, SHAPE(3, 4));
        d.fields.sparse.nnz = 4;
        d.fields.sparse.is_sorted = is_sorted;
        const hry_tensor t = tensor_of(&d, buffers, 2);
        stored_at(&t, INDEX(2, 2), is_sorted ? 3 : 0);
        not_stored(&t, INDEX(1, 1));
        reads_the_matrix(&t);
    }
}

/*
 * [0,0,1] = 1, [0,2,0] = 2, [0,2,3] = 3, [1,1,2] = 4 in the order of the axes: two planes,
 * in them three rows, in them four entries.
 */
static void csf_is_a_tree(void **state)
{
    (void)state;
    static const int8_t values[] = {1, 2, 3, 4};
    static const uint64_t pos_0[] = {0, 2}, crd_0[] = {0, 1};
    static const uint64_t pos_1[] = {0, 2, 3}, crd_1[] = {0, 2, 1};
    static const uint64_t pos_2[] = {0, 1, 3, 4}, crd_2[] = {1, 0, 3, 2};
    const hry_buffer buffers[] = {BUFFER(values), BUFFER(pos_0), BUFFER(crd_0),
                                  BUFFER(pos_1),  BUFFER(crd_1), BUFFER(pos_2),
                                  BUFFER(crd_2)};
    hry_descriptor d = dense(HRY_INT8, HRY_CSF, sizeof values, 3, SHAPE(2, 3, 4));
    d.fields.sparse.nnz = 4;
    for (uint32_t k = 0; k < 3; k++)
        d.fields.sparse.mode_order[k] = k;
    const hry_tensor t = tensor_of(&d, buffers, 7);
    stored_at(&t, INDEX(0, 0, 1), 0);
    stored_at(&t, INDEX(0, 2, 3), 2);
    stored_at(&t, INDEX(1, 1, 2), 3);
    not_stored(&t, INDEX(0, 1, 0));
    not_stored(&t, INDEX(1, 1, 1));
    int8_t row[4];
    assert_ok(hry_region_read(&t, INDEX(0, 2, 0), INDEX(1, 1, 4), row, &err), &err);
    assert_memory_equal(row, ((const int8_t[]){2, 0, 0, 3}), 4);
}

static void csf_of_nothing_has_ends(void **state)
{
    (void)state;
    static const uint64_t pos_0[] = {0, 0}, pos_1[] = {0};
    const hry_buffer none = {0};
    const hry_buffer buffers[] = {none, BUFFER(pos_0), none, BUFFER(pos_1),
                                  none, BUFFER(pos_1), none};
    hry_descriptor d = dense(HRY_INT8, HRY_CSF, 0, 3, SHAPE(2, 3, 4));
    for (uint32_t k = 0; k < 3; k++)
        d.fields.sparse.mode_order[k] = 2 - k;
    const hry_tensor t = tensor_of(&d, buffers, 7);
    not_stored(&t, INDEX(1, 2, 3));
}

/*
 * Two sequences of 5 and 3 tokens on pages of 4: pages 2 and 0, and page 2 again (a shared
 * prefix would look so). Element (s, t, h, d) is at ((page 4 + t % 4) 2 + h) 3 + d.
 */
static void pages_are_found_through_the_table(void **state)
{
    (void)state;
    static uint8_t pool[3 * 4 * 2 * 3];
    static const uint32_t table[] = {2, 0, 2}, seq_ptr[] = {0, 2, 3};
    const uint64_t tokens[] = {5, 3};
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)i;
    const hry_buffer buffers[] = {BUFFER(pool), BUFFER(table), BUFFER(seq_ptr)};
    hry_descriptor d = dense(HRY_UINT8, HRY_BLOCK_PAGED, sizeof pool, 3, SHAPE(8, 2, 3));
    d.fields.paged = (hry_block_paged){
        .page_size = 4, .num_pages = 3, .num_seqs = 2, .layer = UINT32_MAX};
    hry_tensor t = tensor_of(&d, buffers, 3);
    t.sequence_tokens = tokens;
    stored_at(&t, INDEX(0, 0, 0), 2 * 4 * 6); /* first of page 2 */
    stored_at(&t, INDEX(3, 1, 2), 2 * 4 * 6 + 3 * 6 + 5);
    stored_at(&t, INDEX(4, 0, 1), 1);         /* page 0 */
    stored_at(&t, INDEX(5, 0, 0), 2 * 4 * 6); /* of the second sequence */
    hry_found f;
    assert_ok(hry_paged_find(&t, 1, INDEX(2, 1, 0), &f, &err), &err);
    assert_int_equal(f.position, 2 * 4 * 6 + 2 * 6 + 3);
    uint8_t column[8];
    assert_ok(hry_region_read(&t, INDEX(0, 1, 2), INDEX(8, 1, 1), column, &err), &err);
    assert_memory_equal(column, ((const uint8_t[]){53, 59, 65, 71, 5, 53, 59, 65}), 8);
}

/* The free slots of one sequence are free wherever they are; of two nobody can say. */
static void tokens_of_one_sequence_are_told(void **state)
{
    (void)state;
    static const uint8_t pool[3 * 4];
    static const uint32_t table[] = {0, 1, 2}, one[] = {0, 3}, two[] = {0, 2, 3};
    uint64_t tokens[2];
    for (uint32_t seqs = 1; seqs <= 2; seqs++) {
        const hry_buffer buffers[] = {BUFFER(pool), BUFFER(table),
                                      seqs == 1 ? BUFFER(one) : BUFFER(two)};
        hry_descriptor d =
            dense(HRY_UINT8, HRY_BLOCK_PAGED, sizeof pool, 3, SHAPE(5, 1, 1));
        d.fields.paged = (hry_block_paged){
            .page_size = 4, .num_pages = 3, .num_seqs = seqs, .layer = UINT32_MAX};
        const hry_tensor t = tensor_of(&d, buffers, 3);
        const hry_status status = hry_paged_tokens(&t, tokens, &err);
        assert_int_equal(status, seqs == 1 ? HRY_OK : HRY_ERR_UNSUPPORTED);
        assert_true(seqs == 2 || tokens[0] == 5);
        d.shape[0] = 13; /* more than there are slots */
        assert_int_equal(hry_tensor_check(&t, HRY_STRICT, &err), HRY_ERR_CORRUPT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csr_lists_rows),
        cmocka_unit_test(csc_lists_columns),
        cmocka_unit_test(coo_lists_entries),
        cmocka_unit_test(csf_is_a_tree),
        cmocka_unit_test(csf_of_nothing_has_ends),
        cmocka_unit_test(pages_are_found_through_the_table),
        cmocka_unit_test(tokens_of_one_sequence_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
