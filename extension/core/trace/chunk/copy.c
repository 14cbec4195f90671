/*
 * copy.c - the bytes of a chunk's columns one after the other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/chunk.h"

#define N_COLUMNS 6

static void
list_columns(PhChunk *chunk, PhBytes *columns[N_COLUMNS])
{
	columns[0] = &chunk->stack;
	columns[1] = &chunk->dt;
	columns[2] = &chunk->kind;
	columns[3] = &chunk->region;
	columns[4] = &chunk->msg;
	columns[5] = &chunk->extra;
}

size_t
ph_chunk_column_bytes(const PhChunk *chunk)
{
	return chunk->stack.size + chunk->dt.size + chunk->kind.size + chunk->region.size +
		   chunk->msg.size + chunk->extra.size;
}

void
ph_chunk_copy_columns(PhChunk *chunk, uint8_t *room)
{
	PhBytes *columns[N_COLUMNS];
	list_columns(chunk, columns);
	for (int i = 0; i < N_COLUMNS; i++)
	{
		if (columns[i]->size > 0)
			memcpy(room, columns[i]->data, columns[i]->size);
		columns[i]->data = room;
		room += columns[i]->size;
	}
}
