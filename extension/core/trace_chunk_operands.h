/*
 * trace_chunk_operands.h - the operand lists of a chunk as arrays: one set of kinds of one reader.
 *
 * Private to trace_chunk*.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_OPERANDS_H
#define PH_TRACE_CHUNK_OPERANDS_H

#include "trace_chunk_layout.h"

/* Buffers are kept from chunk to chunk. */
typedef struct PhOperandLists
{
	PhOperandArrays arrays;
	bool is_read;
	uint32_t next[PH_LISTS]; /* the cursor's */
	PhBuffer lists[PH_LISTS], plain, scratch;
	PhGuess guess;
} PhOperandLists;

/* counts: events by kind. PH_ERR_FORMAT when the packed lists are not those of the kinds. */
PhStatus ph_operands_decode(PhEnv *env, PhOperandLists *lists, PhOperandSet set,
							const uint32_t *counts, PhBytes packed) PH_MUST_CHECK;

/* Set the operands of the next event, whose kind is set. */
void ph_operands_next(PhOperandLists *lists, PhEvent *event);

void ph_operands_free(PhEnv *env, PhOperandLists *lists);

#endif
