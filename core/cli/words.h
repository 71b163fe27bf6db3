/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - what the numbers in a descriptor are called. */
#ifndef WORDS_H
#define WORDS_H

#include "hry/descriptor.h"

#include "text.h"

/* NULL where the number has no name, as private ones have not. */
const char *word_of_device(uint8_t device);
const char *word_of_memory(uint8_t memory_class);
const char *word_of_sync(uint8_t sync_mode);
const char *word_of_scheme(uint8_t scheme);
const char *word_of_rule(uint8_t rule);
const char *word_of_combine(uint8_t combine);
const char *word_of_role(uint8_t role);
const char *word_of_kv_role(uint8_t kv_role);
const char *word_of_kv(uint8_t tag);
const char *word_of_flag(unsigned bit);      /* of a descriptor, HRY_HAS_... */
const char *word_of_statistic(unsigned bit); /* HRY_STAT_... */
const char *word_of_file_flag(unsigned bit);

/* "float32", "private_f0", or "0x99" for what is unknown. */
void words_add_type(struct text *t, uint8_t type_tag);
/* The same for layouts: "row_major", "private_f1". */
void words_add_layout(struct text *t, uint8_t layout_tag);

/* Names of the set bits, in brackets: "[quantization, shard]". */
void words_add_bits(struct text *t, uint32_t bits, const char *(*word)(unsigned bit));

#endif
