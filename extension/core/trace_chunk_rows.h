/*
 * trace_chunk_rows.h - the operand lists of a chunk as rows: one kind set of one reader.
 *
 * Private to trace_chunk*.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_ROWS_H
#define PH_TRACE_CHUNK_ROWS_H

#include "trace_chunk_layout.h"

/* Buffers are kept from chunk to chunk. */
typedef struct PhRowsBuffer
{
	PhEventRows rows;
	uint32_t counts[PH_EVENT_KIND_COUNT]; /* rows by kind */
	PhBuffer block, values, list, plain, scratch;
	PhGuess guess;
} PhRowsBuffer;

/* Rows of the kinds of a set; PH_ERR_FORMAT when the packed lists are not those of the kinds. */
PhStatus ph_rows_decode(PhEnv *env, PhRowsBuffer *buffer, PhOperandSet set, const uint8_t *kinds,
						uint32_t n_events, PhBytes packed) PH_MUST_CHECK;
void ph_rows_free(PhEnv *env, PhRowsBuffer *buffer);

#endif
