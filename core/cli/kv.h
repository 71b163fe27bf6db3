/* SPDX-License-Identifier: Apache-2.0 */
/* kv.h - key-value entries of a file, as JSON and for people. */
#ifndef KV_H
#define KV_H

#include "hry/kv.h"

#include "json.h"
#include "table.h"

/* {"key", "type", "value"}: bytes in hex, arrays as "array of ...". */
void kv_json(struct json *j, const hry_kv *kv);

/* The columns that kv_text() fills, and one row of them. Long values are cut short. */
extern const struct table_column kv_columns[3];
void kv_text(struct table *t, const hry_kv *kv);

#endif
