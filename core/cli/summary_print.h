/* SPDX-License-Identifier: Apache-2.0 */
/* summary_print.h - the statistics of tensors: one with its histogram, many as a table, or
 * as JSON. */
#ifndef SUMMARY_PRINT_H
#define SUMMARY_PRINT_H

#include "command.h"
#include "json.h"
#include "summary.h"
#include "table.h"

void summary_text(const struct invocation *in, const struct source *s,
                  const struct summary *sum);

extern const struct table_column summary_columns[9];
void summary_row(struct table *t, const struct source *s, const struct summary *sum);

void summary_json(struct json *j, const struct source *s, const struct summary *sum);

#endif
