/* SPDX-License-Identifier: Apache-2.0 */
/* vol_token.c - an object's token is its id: eight bytes, then zeros. */
#include "vol.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

H5O_token_t hvol_token_of(const hvol_node *node)
{
    H5O_token_t token;
    memset(&token, 0, sizeof token);
    memcpy(&token, &node->id, sizeof node->id);
    return token;
}

static uint64_t id_of(const H5O_token_t *token)
{
    uint64_t id;
    memcpy(&id, token, sizeof id);
    return id;
}

herr_t hvol_token_cb_cmp(void *obj, const H5O_token_t *a, const H5O_token_t *b, int *order)
{
    (void)obj;
    const uint64_t x = id_of(a), y = id_of(b);
    *order = (x > y) - (x < y);
    if (*order == 0)
        *order = memcmp(a, b, sizeof *a);
    return 0;
}

herr_t hvol_token_cb_to_str(void *obj, H5I_type_t type, const H5O_token_t *token,
                            char **text)
{
    (void)obj, (void)type;
    *text = H5allocate_memory(24, false);
    if (*text == NULL)
        return -1;
    snprintf(*text, 24, "%" PRIu64, id_of(token));
    return 0;
}

herr_t hvol_token_cb_from_str(void *obj, H5I_type_t type, const char *text,
                              H5O_token_t *token)
{
    uint64_t id;
    (void)obj, (void)type;
    if (sscanf(text, "%" SCNu64, &id) != 1)
        return -1;
    memset(token, 0, sizeof *token);
    memcpy(token, &id, sizeof id);
    return 0;
}
