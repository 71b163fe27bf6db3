/* SPDX-License-Identifier: Apache-2.0 */
/* hry/api.h - what the shared library exports, and its version. */
#ifndef HRY_API_H
#define HRY_API_H

#define HRY_VERSION_MAJOR 0
#define HRY_VERSION_MINOR 1
#define HRY_VERSION_PATCH 0
#define HRY_VERSION "0.1.0"

#if defined(__GNUC__)
#define HRY_API __attribute__((visibility("default")))
#else
#define HRY_API
#endif

#ifdef __cplusplus
#define HRY_BEGIN extern "C" {
#define HRY_END }
#else
#define HRY_BEGIN
#define HRY_END
#endif

#endif
