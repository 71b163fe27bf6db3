/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - what is worth knowing of a tensor at a glance. */
#ifndef NOTES_H
#define NOTES_H

#include "hry/descriptor.h"

#include "text.h"

/*
 * Quantization, shard, composite, device and the like, joined by "; ". Short: in a few
 * words; else with their numbers.
 */
void notes_add(struct text *t, const hry_descriptor *d, bool is_short);

/* Bytes of all buffers together; UINT64_MAX when they do not fit. */
uint64_t notes_total_size(const hry_descriptor *d);

#endif
