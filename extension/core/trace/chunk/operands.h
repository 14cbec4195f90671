/*
 * operands.h - the operand lists of a chunk as arrays: one set of kinds of one reader;
 * and a chunk that need not be decoded.
 *
 * Private to trace/chunk.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_OPERANDS_H
#define PH_TRACE_CHUNK_OPERANDS_H

#include "trace/chunk/layout.h"

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

/* A chunk as its writer has it. */
typedef struct PhChunkPlain
{
	const uint8_t *kinds;
	const uint32_t *dt, *dt_high; /* dt_high NULL: all steps fit into 32 bits */
	const uint32_t *regions;
	const PhOpenCall *stack; /* at its start */
	uint32_t depth;
	uint32_t counts[PH_EVENT_KIND_COUNT];
	PhOperandArrays operands[PH_SETS];
} PhChunkPlain;

/* Let the reader look at it; the writer is trusted. */
PhStatus ph_chunk_reader_open_plain(PhChunkReader *reader, const PhChunk *chunk,
									const PhChunkPlain *plain) PH_MUST_CHECK;

#endif
