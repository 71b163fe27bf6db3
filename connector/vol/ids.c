/* SPDX-License-Identifier: Apache-2.0 */
/* ids.c - the identifiers that a program has open. */
#include "vol.h"

#include <stdlib.h>

static herr_t take_id(hid_t id, void *data)
{
    hvol_id_search *search = data;
    if ((search->type == H5I_DATATYPE && H5Tcommitted(id) <= 0) || !hvol_is_ours(id))
        return 0;
    const hvol_object *object = H5VLobject(id);
    if (object == NULL || object->file != search->file ||
        (search->opening != 0 && object->opening != search->opening))
        return 0;
    if (search->ids != NULL && search->count >= search->max)
        return 0;
    if (search->ids != NULL)
        search->ids[search->count] = id;
    search->count++;
    return 0;
}

void hvol_find_ids(hvol_id_search *search, unsigned types)
{
    static const struct {
        unsigned flag;
        H5I_type_t type;
    } kinds[] = {{H5F_OBJ_FILE, H5I_FILE},
                 {H5F_OBJ_DATASET, H5I_DATASET},
                 {H5F_OBJ_GROUP, H5I_GROUP},
                 {H5F_OBJ_DATATYPE, H5I_DATATYPE},
                 {H5F_OBJ_ATTR, H5I_ATTR}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((types & kinds[i].flag) != 0) {
            search->type = kinds[i].type;
            H5Iiterate(kinds[i].type, take_id, search);
        }
}

void hvol_close_ids(const hvol_object *file)
{
    enum { AT_A_TIME = 64, OBJECTS = H5F_OBJ_ALL & ~H5F_OBJ_FILE };
    hid_t ids[AT_A_TIME];
    for (;;) {
        hvol_id_search search = {
            .file = file->file, .opening = file->opening, .max = AT_A_TIME, .ids = ids};
        hvol_find_ids(&search, OBJECTS);
        for (size_t i = 0; i < search.count; i++)
            while (H5Iis_valid(ids[i]) > 0 && H5Idec_ref(ids[i]) > 0)
                continue;
        if (search.count < AT_A_TIME)
            return;
    }
}
