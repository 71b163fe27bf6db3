/* SPDX-License-Identifier: Apache-2.0 */
/* vol_error.c - the bridge from hry_error to HDF5's error stack. */
#include "vol.h"

#include <inttypes.h>

static hid_t error_class = H5I_INVALID_HID;

herr_t hvol_error_init(void)
{
    error_class = H5Eregister_class("Hurray", "hurray HDF5 connector", HRY_VERSION);
    return error_class < 0 ? -1 : 0;
}

void hvol_error_term(void)
{
    if (error_class >= 0)
        H5Eunregister_class(error_class);
    error_class = H5I_INVALID_HID;
}

void hvol_push(const char *file, const char *func, unsigned line, hid_t major, hid_t minor,
               const hry_error *err)
{
    const hid_t cls = error_class >= 0 ? error_class : H5E_ERR_CLS;
    if (err->offset == HRY_NO_OFFSET)
        H5Epush2(H5E_DEFAULT, file, func, line, cls, major, minor, "%s: %s",
                 hry_status_word(err->code), err->message);
    else
        H5Epush2(H5E_DEFAULT, file, func, line, cls, major, minor,
                 "%s at byte %" PRIu64 ": %s", hry_status_word(err->code), err->offset,
                 err->message);
}

herr_t hvol_unsupported(const char *func, const char *what, int op)
{
    const hid_t cls = error_class >= 0 ? error_class : H5E_ERR_CLS;
    H5Epush2(H5E_DEFAULT, __FILE__, func, __LINE__, cls, H5E_VOL, H5E_UNSUPPORTED,
             "%s %d is not supported by the hurray connector", what, op);
    return -1;
}
