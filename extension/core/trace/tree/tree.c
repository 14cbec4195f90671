/*
 * tree.c - see tree.h: a tree is made, fed and freed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/internal.h"

PhStatus
ph_trace_tree_new(PhEnv *env, const PhTraceModel *model, PhTraceTree **out)
{
	PhTraceTree *tree;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*tree), (void **) &tree));
	tree->env = env;
	ph_arena_init(&tree->arena, env);
	ph_map_init(&tree->children, &tree->arena);
	ph_map_init(&tree->counter_of, &tree->arena);
	ph_teams_init(tree, model);
	tree->location = tree->last_root = PH_NONE;
	PhStatus status = model == NULL ? PH_OK : ph_tree_add_metrics(tree, model);
	if (status == PH_OK && model != NULL)
		status = ph_tree_devices_init(tree, model);
	if (status == PH_OK)
		*out = tree;
	else
		ph_trace_tree_free(tree);
	return status;
}

void
ph_trace_tree_free(PhTraceTree *tree)
{
	if (tree == NULL)
		return;
	PhEnv *env = tree->env;
	ph_teams_free(tree);
	ph_tree_devices_free(tree);
	ph_env_free(env, tree->parent, tree->node_capacity, sizeof(*tree->parent));
	ph_env_free(env, tree->region, tree->node_capacity, sizeof(*tree->region));
	ph_env_free(env, tree->last_child, tree->node_capacity, sizeof(*tree->last_child));
	ph_env_free(env, tree->follower, tree->node_capacity, sizeof(*tree->follower));
	ph_env_free(env, tree->cell_of, tree->node_capacity, sizeof(*tree->cell_of));
	ph_env_free(env, tree->cells, tree->cell_capacity, sizeof(*tree->cells));
	ph_env_free(env, tree->growth, (size_t) tree->cell_capacity * tree->n_metrics, sizeof(double));
	ph_env_free(env, tree->has_calls, tree->n_has_calls, sizeof(*tree->has_calls));
	PH_VECTOR_FREE(env, &tree->open_calls);
	PH_VECTOR_FREE(env, &tree->stretches);
	PH_VECTOR_FREE(env, &tree->merged);
	ph_arena_drop(&tree->arena);
	ph_env_free(env, tree, 1, sizeof(*tree));
}

void
ph_trace_tree_watch(PhTraceTree *tree, PhTreeWatch watch, void *user)
{
	tree->watch = watch;
	tree->watch_user = user;
}

uint32_t
ph_trace_tree_wants(const PhTraceTree *tree)
{
	return ph_tree_wants(tree);
}

void
ph_trace_tree_feed(const PhTraceTree *tree, int64_t *from, int64_t *to)
{
	if (!tree->teams.has_threads)
		return;
	*from = INT64_MIN;
	*to = INT64_MAX;
}

PhStatus
ph_trace_tree_add_chunk(PhTraceTree *tree, const PhChunk *chunk, const PhChunkReader *reader,
						int64_t from, int64_t to)
{
	PhTeamThread *thread;
	bool waits = false;
	if (from >= to)
		return PH_OK;
	if (ph_tree_is_stream(tree, chunk->location))
		return ph_trace_tree_add_activities(tree, chunk, reader, NULL, from, to);
	if (ph_tree_wants(tree) != PH_WANT_CALLS && ph_chunk_extras(reader) == NULL)
		return ph_fail(tree->env, PH_ERR_INTERNAL, "a chunk was opened without its metrics");
	if (tree->teams.has_threads)
	{
		if (chunk->location != tree->location)
			PH_TRY(ph_teams_resume(tree));
		PH_TRY(ph_teams_thread(tree, chunk->location, &thread));
		PH_TRY(ph_teams_wait(tree, thread, chunk, reader, from, to, &waits));
	}
	return waits ? PH_OK : ph_tree_walk(tree, chunk, reader, from, to);
}
