/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - see members.h. */
#include "members.h"

#include "data.h"

static int check_one(const struct input *input, uint64_t tensor)
{
    struct described what;
    struct data data;
    hry_error err;
    const int code = input_describe(input, tensor, &what);
    if (code != EXIT_OK)
        return code;
    hry_status status = data_load(input, &what, &data, &err);
    if (status == HRY_OK)
        status = data_check(&data, input_mode(input), &err);
    const struct place where = input_place(input, &what);
    return status == HRY_OK ? EXIT_OK : report_error(&where, &err);
}

/* As many calls deep as heads are inside one another, eight at most. */
int members_check(const struct input *input, const hry_head *head)
{
    const uint32_t count = hry_head_get_info(head).member_count;
    int code = EXIT_OK;
    hry_member member;
    for (uint32_t i = 0; i < count && code == EXIT_OK; i++) {
        if (hry_head_member(head, i, &member, NULL) != HRY_OK)
            continue;
        code = member.inside != NULL ? members_check(input, member.inside)
                                     : check_one(input, member.tensor);
    }
    return code;
}
