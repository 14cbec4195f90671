/*
 * kept.c - see teams.h: copies of chunks that wait, in order by thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "trace/tree/internal.h"

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

PhStatus
ph_teams_keep_chunk(PhTraceTree *tree, PhTeamThread *thread, const PhChunk *chunk, int64_t from,
					int64_t to)
{
	PhWaitingChunk *kept;
	PhBytes *columns[N_COLUMNS];
	PhChunk copy = *chunk;
	size_t size = sizeof(*kept);
	copy.msg = (PhBytes){NULL, 0};
	list_columns(&copy, columns);
	for (int i = 0; i < N_COLUMNS; i++)
		size += columns[i]->size;
	PH_TRY(ph_env_alloc(tree->env, size, 1, (void **) &kept));
	uint8_t *at = (uint8_t *) (kept + 1);
	for (int i = 0; i < N_COLUMNS; i++)
	{
		if (columns[i]->size > 0)
			memcpy(at, columns[i]->data, columns[i]->size);
		columns[i]->data = at;
		at += columns[i]->size;
	}
	*kept = (PhWaitingChunk){.size = size, .from = from, .to = to, .chunk = copy};
	tree->teams.n_waiting += thread->first == NULL;
	*(thread->first == NULL ? &thread->first : &thread->last->next) = kept;
	thread->last = kept;
	return PH_OK;
}

void
ph_teams_drop_chunk(PhTraceTree *tree, PhTeamThread *thread)
{
	PhWaitingChunk *first = thread->first;
	thread->first = first->next;
	tree->teams.n_waiting -= thread->first == NULL;
	ph_env_free(tree->env, first, first->size, 1);
}
