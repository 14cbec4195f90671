/*
 * kept.c - see teams.h: copies of chunks that wait, in order by thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/internal.h"

PhStatus
ph_teams_keep_chunk(PhTraceTree *tree, PhTeamThread *thread, const PhChunk *chunk, int64_t from,
					int64_t to)
{
	PhWaitingChunk *kept;
	PhChunk copy = *chunk;
	copy.msg = (PhBytes){NULL, 0};
	size_t size = sizeof(*kept) + ph_chunk_column_bytes(&copy);
	PH_TRY(ph_env_alloc(tree->env, size, 1, (void **) &kept));
	ph_chunk_copy_columns(&copy, (uint8_t *) (kept + 1));
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
