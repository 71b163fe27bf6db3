/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of composites, one by one and against counting every element. */
#include "hry/composite.h"

#include "cmocka_all.h"
#include "member.h"
#include "tilings.h"

static hry_error err;

static hry_binder *new_binder(hry_mode mode)
{
    hry_binder *b = NULL;
    assert_ok(hry_binder_new(mode, &b, &err), &err);
    return b;
}

/* ---- partitions against counting ---- */

/* The binder's word on a partition of these boxes. */
static hry_status verdict(const tiling *t, hry_error *e)
{
    hry_binder *b = new_binder(HRY_STRICT);
    hry_descriptor head = head_of(HRY_PARTITION, t->count, t->rank, t->shape);
    hry_bound bound;
    hry_status status = hry_binder_add(b, &head, 0, &bound, e);
    for (uint32_t i = 0; status == HRY_OK && i < t->count; i++) {
        const hry_descriptor d =
            member_of(&head, t->start + (size_t)i * t->rank, t->size + (size_t)i * t->rank);
        assert_ok(hry_descriptor_validate(&d, &err), &err);
        status = hry_binder_add(b, &d, 0, &bound, e);
        if (status == HRY_OK) {
            assert_int_equal(bound.number, i);
            assert_int_equal(bound.depth, 1);
            assert_int_equal(bound.closed, i + 1 == t->count);
        }
    }
    if (status == HRY_OK)
        assert_ok(hry_binder_end(b, &err), &err);
    hry_binder_free(b);
    return status;
}

static uint64_t volume_of(const tiling *t)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < t->rank; k++)
        n *= t->shape[k];
    return n;
}

/* How many boxes hold the element at `index`. */
static uint32_t holders(const tiling *t, const uint64_t *index)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        bool inside = true;
        for (uint32_t k = 0; k < t->rank; k++) {
            const size_t at = (size_t)i * t->rank + k;
            inside = inside && index[k] - t->start[at] < t->size[at];
        }
        n += inside;
    }
    return n;
}

static bool tiles(const tiling *t)
{
    const uint64_t n = volume_of(t);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t index[8], left = i;
        for (uint32_t k = t->rank; k-- > 0; left /= t->shape[k])
            index[k] = left % t->shape[k];
        if (holders(t, index) != 1)
            return false;
    }
    return true;
}

/* The element that the message names is in no box, or in several. */
static void message_is_true(const tiling *t, const char *message)
{
    const char *at = strstr(message, "element [");
    uint64_t index[8];
    assert_non_null(at);
    at += strlen("element [");
    for (uint32_t k = 0; k < t->rank; k++) {
        char *end;
        index[k] = strtoull(at, &end, 10);
        assert_int_equal(*end, k + 1 < t->rank ? ',' : ']');
        at = end + 1;
    }
    const uint32_t n = holders(t, index);
    assert_true(strstr(message, "no member") != NULL ? n == 0 : n > 1);
}

/* Make one box other than it was, still inside the shape. */
static void spoil(tiling *t, random_state *r)
{
    const size_t i = (size_t)random_in(r, 0, t->count - 1) * t->rank;
    const size_t j = (size_t)random_in(r, 0, t->count - 1) * t->rank;
    const uint32_t k = (uint32_t)random_in(r, 0, t->rank - 1);
    uint64_t *start = &t->start[i + k], *size = &t->size[i + k];
    switch (random_in(r, 0, 4)) {
    case 0:
        *size -= *size > 0;
        break;
    case 1:
        *start -= *start > 0;
        break;
    case 2:
        *size += *start + *size < t->shape[k];
        break;
    case 3: /* a copy of another one */
        memcpy(t->start + i, t->start + j, t->rank * sizeof *start);
        memcpy(t->size + i, t->size + j, t->rank * sizeof *size);
        break;
    default: /* two change their places */
        for (uint32_t a = 0; a < t->rank; a++) {
            const uint64_t s = t->start[i + a];
            t->start[i + a] = t->start[j + a];
            t->start[j + a] = s;
        }
        for (uint32_t a = 0; a < t->rank; a++)
            if (t->start[i + a] + t->size[i + a] > t->shape[a] ||
                t->start[j + a] + t->size[j + a] > t->shape[a])
                t->size[i + a] = t->size[j + a] = 0;
    }
}

static void partitions_are_what_counting_says(void **state)
{
    (void)state;
    random_state r = {.s = 11};
    uint32_t good = 0, bad = 0;
    for (int n = 0; n < 2000; n++) {
        const uint32_t rank = (uint32_t)random_in(&r, 1, 4);
        uint64_t shape[4];
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = random_in(&r, 1, 7);
        tiling t = tiling_random(&r, rank, shape, (uint32_t)random_in(&r, 1, 40));
        tiling_shuffle(&t, &r);
        for (uint64_t times = random_in(&r, 0, 2); times > 0; times--)
            spoil(&t, &r);
        hry_error e = {.message = ""};
        const hry_status status = verdict(&t, &e);
        const bool want = tiles(&t);
        if ((status == HRY_OK) != want)
            fail_msg("case %d: %s: %s", n, want ? "refused" : "accepted", e.message);
        if (!want) {
            assert_int_equal(status, HRY_ERR_CORRUPT);
            message_is_true(&t, e.message);
        }
        good += want;
        bad += !want;
        tiling_free(&t);
    }
    assert_true(good > 500 && bad > 500);
}

static void a_hundred_thousand_members_and_a_gap_among_them(void **state)
{
    (void)state;
    random_state r = {.s = 12};
    tiling t = tiling_random(&r, 3, (const uint64_t[]){512, 512, 512}, 100000);
    tiling_shuffle(&t, &r);
    assert_ok(verdict(&t, &err), &err);
    t.size[3 * 4321 + 1]--;
    assert_status(HRY_ERR_CORRUPT, verdict(&t, &err), &err);
    message_is_true(&t, err.message);
    t.size[3 * 4321 + 1] += 2;
    if (t.start[3 * 4321 + 1] + t.size[3 * 4321 + 1] > 512)
        t.start[3 * 4321 + 1]--;
    assert_status(HRY_ERR_CORRUPT, verdict(&t, &err), &err);
    message_is_true(&t, err.message);
    tiling_free(&t);
}

static void volumes_near_2_to_the_64_are_exact(void **state)
{
    (void)state;
    const uint64_t whole = UINT64_C(1) << 32, half = UINT64_C(1) << 31;
    const uint64_t shape[2] = {whole, whole - 1}, origin[2] = {0, 0};
    /* Zero strides make such a tensor small. */
    const struct {
        uint64_t start[2], size[2];
    } boxes[3] = {{{0, 0}, {half, whole - 1}},
                  {{half, 0}, {half, half}},
                  {{half, half}, {half, half - 1}}};
    hry_binder *b = new_binder(HRY_STRICT);
    hry_descriptor head = head_of(HRY_PARTITION, 3, 2, shape);
    hry_bound bound;
    assert_ok(hry_binder_add(b, &head, 0, &bound, &err), &err);
    for (int i = 0; i < 3; i++) {
        hry_descriptor d = member_of(&head, origin, (const uint64_t[]){1, 1});
        d.layout_tag = HRY_STRIDED;
        d.fields.strides[0] = d.fields.strides[1] = 0;
        memcpy(d.shape, boxes[i].size, sizeof boxes[i].size);
        memcpy(d.shard.offset, boxes[i].start, sizeof boxes[i].start);
        assert_ok(hry_descriptor_validate(&d, &err), &err);
        assert_ok(hry_binder_add(b, &d, 0, &bound, &err), &err);
    }
    assert_int_equal(bound.closed, 1);
    head.shape[1] = whole;
    assert_status(HRY_ERR_CORRUPT, hry_binder_add(b, &head, 100, &bound, &err), &err);
    assert_int_equal(err.offset, 120);
    hry_binder_free(b);
}

/* ---- one rule at a time ---- */

static const uint64_t at_0[1] = {0}, at_4[1] = {4};
static const uint64_t four[1] = {4}, six[1] = {6}, ten[1] = {10};

/* A partition of [10] whose second member is `d`: where it is refused, 0 when it is not. */
static uint64_t refused_second(const hry_descriptor *head, const hry_descriptor *d,
                               hry_mode mode)
{
    hry_binder *b = new_binder(mode);
    const hry_descriptor first = member_of(head, at_0, four);
    assert_ok(hry_binder_add(b, head, 0, NULL, &err), &err);
    assert_ok(hry_binder_add(b, &first, 0, NULL, &err), &err);
    const hry_status status = hry_binder_add(b, d, 1000, NULL, &err);
    if (status != HRY_OK)
        assert_status(HRY_ERR_ARG, hry_binder_add(b, d, 0, NULL, NULL), &err);
    hry_binder_free(b);
    return status == HRY_OK ? 0 : err.offset;
}

static void a_member_needs_box_and_type_of_its_head(void **state)
{
    (void)state;
    const hry_descriptor head = head_of(HRY_PARTITION, 2, 1, ten);
    const hry_descriptor good = member_of(&head, at_4, six);
    hry_descriptor d = good;
    assert_int_equal(refused_second(&head, &d, HRY_STRICT), 0);
    d.flags = 0;
    assert_int_equal(refused_second(&head, &d, HRY_STRICT), 1010);
    d = good;
    d.rank = 2;
    d.shape[1] = d.shard.parent_shape[1] = 1;
    d.shard.offset[1] = 0;
    assert_int_equal(refused_second(&head, &d, HRY_STRICT), 1016);
    d = good;
    d.type_tag = HRY_INT32;
    assert_int_equal(refused_second(&head, &d, HRY_STRICT), 1014);
    d = good;
    d.flags |= HRY_HAS_COMPOSITE_MEMBER;
    assert_int_equal(refused_second(&head, &d, HRY_STRICT), 1010);
    d = good;
    d.opaque = true;
    assert_int_equal(refused_second(&head, &d, HRY_PERMISSIVE), 1014);
    assert_int_equal(err.code, HRY_ERR_UNSUPPORTED);
}

static void quantized_members_become_floats(void **state)
{
    (void)state;
    hry_descriptor head = head_of(HRY_PARTITION, 2, 1, ten), first;
    hry_descriptor d = member_of(&head, at_4, six);
    d.type_tag = HRY_INT8;
    d.flags |= HRY_HAS_QUANTIZATION;
    d.quantization =
        (hry_quantization){.scheme = HRY_QUANT_PER_TENSOR, .version = 1, .scale = 1};
    assert_int_equal(refused_second(&head, &d, HRY_STRICT), 0);
    hry_binder *b = new_binder(HRY_STRICT);
    head.type_tag = HRY_INT8;
    first = member_of(&head, at_0, four);
    first.type_tag = HRY_INT8;
    assert_ok(hry_binder_add(b, &head, 0, NULL, &err), &err);
    assert_ok(hry_binder_add(b, &first, 0, NULL, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_binder_add(b, &d, 0, NULL, &err), &err);
    assert_int_equal(err.offset, 10);
    hry_binder_free(b);
}

static void private_types_are_the_same_when_described_the_same(void **state)
{
    (void)state;
    hry_descriptor head = head_of(HRY_PARTITION, 1, 1, ten);
    head.type_tag = 0xF1;
    head.flags |= HRY_HAS_EXTENSION_TYPE;
    head.extension_type = (hry_extension_type){.bit_width = 16, .packing = 1};
    hry_descriptor d = member_of(&head, at_0, ten);
    d.type_tag = 0xF1;
    d.flags |= HRY_HAS_EXTENSION_TYPE;
    d.extension_type = head.extension_type;
    for (int n = 0; n < 2; n++) {
        hry_binder *b = new_binder(HRY_STRICT);
        assert_ok(hry_binder_add(b, &head, 0, NULL, &err), &err);
        assert_status(n == 0 ? HRY_OK : HRY_ERR_CORRUPT,
                      hry_binder_add(b, &d, 0, NULL, &err), &err);
        hry_binder_free(b);
        d.extension_type.is_signed = true;
    }
}

static void an_overlay_needs_a_base_first_and_roles(void **state)
{
    (void)state;
    const hry_descriptor head = head_of(HRY_OVERLAY, 3, 1, ten);
    const hry_descriptor base = role_of(&head, HRY_ROLE_BASE, at_0, ten);
    const hry_descriptor small = role_of(&head, HRY_ROLE_BASE, at_4, six);
    const hry_descriptor fix = role_of(&head, HRY_ROLE_CORRECTION, at_4, six);
    hry_descriptor plain = member_of(&head, at_0, ten);
    const hry_descriptor *const bad[][3] = {
        {&fix}, {&small}, {&plain}, {&base, &base}, {&base, &fix, &plain}};
    const uint64_t where[] = {37 + 16 + 16, 20, 10, 37 + 16 + 16, 10};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        hry_binder *b = new_binder(HRY_STRICT);
        hry_status status = HRY_OK;
        assert_ok(hry_binder_add(b, &head, 0, NULL, &err), &err);
        for (int i = 0; i < 3 && status == HRY_OK && bad[n][i] != NULL; i++)
            status = hry_binder_add(b, bad[n][i], 0, NULL, &err);
        assert_int_equal(status, HRY_ERR_CORRUPT);
        assert_int_equal(err.offset, where[n]);
        hry_binder_free(b);
    }
    hry_binder *b = new_binder(HRY_STRICT);
    hry_bound bound;
    assert_ok(hry_binder_add(b, &head, 0, NULL, &err), &err);
    assert_ok(hry_binder_add(b, &base, 0, NULL, &err), &err);
    assert_ok(hry_binder_add(b, &fix, 0, NULL, &err), &err);
    assert_status(HRY_ERR_TRUNCATED, hry_binder_end(b, &err), &err);
    assert_ok(hry_binder_add(b, &fix, 0, &bound, &err), &err);
    assert_int_equal(bound.closed, 1);
    assert_ok(hry_binder_end(b, &err), &err);
    hry_binder_free(b);
}

static void bool_has_no_sum(void **state)
{
    (void)state;
    hry_descriptor head = head_of(HRY_OVERLAY, 1, 1, ten);
    head.type_tag = HRY_BOOL;
    head.fields.composite.combine = HRY_COMBINE_ADD;
    for (int n = 0; n < 2; n++) {
        hry_binder *b = new_binder(n == 0 ? HRY_STRICT : HRY_PERMISSIVE);
        assert_status(n == 0 ? HRY_ERR_UNSUPPORTED : HRY_OK,
                      hry_binder_add(b, &head, 0, NULL, &err), &err);
        hry_binder_free(b);
    }
}

static void a_group_takes_anything_but_roles(void **state)
{
    (void)state;
    const hry_descriptor head = head_of(HRY_GROUP, 3, 1, ten);
    const hry_descriptor other = head_of(HRY_PARTITION, 1, 1, six);
    hry_descriptor d = member_of(&other, at_4, (const uint64_t[]){2});
    hry_binder *b = new_binder(HRY_STRICT);
    hry_bound bound;
    assert_ok(hry_binder_add(b, &head, 0, NULL, &err), &err);
    assert_ok(hry_binder_add(b, &d, 0, NULL, &err), &err);
    d.type_tag = HRY_INT32;
    d.flags = 0;
    assert_ok(hry_binder_add(b, &d, 0, NULL, &err), &err);
    d.flags = HRY_HAS_COMPOSITE_MEMBER;
    assert_status(HRY_ERR_CORRUPT, hry_binder_add(b, &d, 0, NULL, &err), &err);
    hry_binder_free(b);
    const hry_descriptor empty = head_of(HRY_GROUP, 0, 1, ten);
    b = new_binder(HRY_STRICT);
    assert_ok(hry_binder_add(b, &empty, 0, &bound, &err), &err);
    assert_true(bound.is_head && bound.closed == 1 && bound.depth == 0);
    hry_binder_free(b);
}

static void a_group_is_no_part_of_a_partition(void **state)
{
    (void)state;
    const hry_descriptor head = head_of(HRY_PARTITION, 2, 1, ten);
    hry_descriptor group = head_of(HRY_GROUP, 1, 1, six);
    shard_into(&group, &head, at_4);
    assert_int_equal(refused_second(&head, &group, HRY_STRICT), 1036);
    assert_int_equal(err.code, HRY_ERR_UNSUPPORTED);
    assert_int_equal(refused_second(&head, &group, HRY_PERMISSIVE), 0);
}

/* The last member of all closes every head at once. */
static void nested_heads_close_together(void **state)
{
    (void)state;
    hry_descriptor head = head_of(HRY_PARTITION, 1, 1, ten);
    const hry_descriptor member = member_of(&head, at_0, ten);
    for (uint32_t depth = 1; depth <= 9; depth++) {
        hry_binder *b = new_binder(HRY_STRICT);
        hry_bound bound = {0};
        hry_status status = HRY_OK;
        head.flags = 0;
        for (uint32_t i = 0; i < depth && status == HRY_OK; i++) {
            status = hry_binder_add(b, &head, 0, &bound, &err);
            assert_true(status != HRY_OK || (bound.depth == i && bound.closed == 0));
            shard_into(&head, &head, at_0);
        }
        assert_int_equal(status, depth <= 8 ? HRY_OK : HRY_ERR_CORRUPT);
        if (depth <= 8) {
            assert_ok(hry_binder_add(b, &member, 0, &bound, &err), &err);
            assert_int_equal(bound.depth, depth);
            assert_int_equal(bound.closed, depth);
        } else {
            assert_int_equal(err.offset, 15);
        }
        hry_binder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_what_counting_says),
        cmocka_unit_test(a_hundred_thousand_members_and_a_gap_among_them),
        cmocka_unit_test(volumes_near_2_to_the_64_are_exact),
        cmocka_unit_test(a_member_needs_box_and_type_of_its_head),
        cmocka_unit_test(quantized_members_become_floats),
        cmocka_unit_test(private_types_are_the_same_when_described_the_same),
        cmocka_unit_test(an_overlay_needs_a_base_first_and_roles),
        cmocka_unit_test(bool_has_no_sum),
        cmocka_unit_test(a_group_takes_anything_but_roles),
        cmocka_unit_test(a_group_is_no_part_of_a_partition),
        cmocka_unit_test(nested_heads_close_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
