/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor_text.h - a descriptor for people: where each field is, its value, its meaning.
 */
#ifndef DESCRIPTOR_TEXT_H
#define DESCRIPTOR_TEXT_H

#include "hry/descriptor.h"

#include "table.h"

/* The columns that descriptor_text() fills. */
extern const struct table_column descriptor_columns[4];

/*
 * Rows for the descriptor. `start` is where it begins in its file and `length` its
 * descriptor_length, in BYTES; buffer_offsets, or NULL, where its buffers begin there.
 */
void descriptor_text(struct table *t, const hry_descriptor *d, uint64_t start,
                     uint32_t length, const uint64_t *buffer_offsets);

/* A row: byte, field and value, which stays open: more may be added to it. After a
 * table_next() the meaning is added, and table_next() again ends the row. */
void descriptor_row(struct table *t, uint64_t byte, const char *field, const char *format,
                    ...) TEXT_PRINTF(4, 5);

/* Rows for the layout's own fields, which begin at `byte`. */
void layout_text(struct table *t, const hry_descriptor *d, uint64_t byte);

#endif
