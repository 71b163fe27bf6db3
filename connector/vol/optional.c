/* SPDX-License-Identifier: Apache-2.0 */
/* optional.c - which optional operations there are. */
#include "optional.h"

herr_t hvol_opt_query(void *obj, H5VL_subclass_t subclass, int op, uint64_t *flags)
{
    typedef bool (*question)(int op);
    static const question questions[] = {[H5VL_SUBCLS_FILE] = hvol_opt_file_has,
                                         [H5VL_SUBCLS_GROUP] = hvol_opt_group_has,
                                         [H5VL_SUBCLS_DATASET] = hvol_opt_dataset_has,
                                         [H5VL_SUBCLS_ATTR] = hvol_opt_attr_has,
                                         [H5VL_SUBCLS_OBJECT] = hvol_opt_object_has};
    (void)obj;
    const bool known = HVOL_HAS(questions, (int)subclass) && questions[subclass](op);
    *flags = known ? H5VL_OPT_QUERY_SUPPORTED : 0;
    return 0;
}
