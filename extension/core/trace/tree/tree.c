/*
 * tree.c - see tree.h: nodes, cells and the walk over a chunk.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/internal.h"

#include <string.h>

#define FIRST_NODES 256
#define N_NODE_ARRAYS 5
/* More than any machine runs: a damaged number must not cost memory. */
#define MOST_LOCATIONS (1u << 24)

/*
 * An open call. node and cell (of the node in the location at hand) are known once the call is in
 * the window. above: the fork path that it hangs below, where a thread team began; PH_NONE: it
 * hangs below the call around it. path: its own fork path; PH_NONE: nobody has forked below it yet.
 */
typedef struct PathStep
{
	uint32_t region, node, cell, above, path;
} PathStep;

/* A chunk on its way into the tree. */
typedef struct Walk
{
	PhTraceTree *tree;
	const PhChunk *chunk;
	const PhChunkReader *reader;
	int64_t from, to;
	PathStep *path;
	uint32_t depth;
	int64_t last;			  /* time up to which everything is attributed */
	bool must_begin;		  /* the calls open at `from` are still to be counted */
	PhTreeCounters *counters; /* NULL: no metrics */
	const PhOperandArrays *extras;
	uint32_t next_extra, next_value;
	PhTeamThread *thread;			 /* NULL: no threads */
	uint32_t team_depth, team_above; /* calls entered at this depth hang below the fork */
} Walk;

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
	ph_env_free(env, tree->parent, tree->node_capacity, sizeof(*tree->parent));
	ph_env_free(env, tree->region, tree->node_capacity, sizeof(*tree->region));
	ph_env_free(env, tree->last_child, tree->node_capacity, sizeof(*tree->last_child));
	ph_env_free(env, tree->follower, tree->node_capacity, sizeof(*tree->follower));
	ph_env_free(env, tree->cell_of, tree->node_capacity, sizeof(*tree->cell_of));
	ph_env_free(env, tree->cells, tree->cell_capacity, sizeof(*tree->cells));
	ph_env_free(env, tree->growth, (size_t) tree->cell_capacity * tree->n_metrics, sizeof(double));
	ph_env_free(env, tree->has_calls, tree->n_has_calls, sizeof(*tree->has_calls));
	ph_buffer_free(env, &tree->path);
	ph_buffer_free(env, &tree->merged);
	ph_arena_drop(&tree->arena);
	ph_env_free(env, tree, 1, sizeof(*tree));
}

uint32_t
ph_trace_tree_wants(const PhTraceTree *tree)
{
	return tree->n_metrics > 0 || tree->teams.may_be ? PH_WANT_CALLS | PH_WANT_EXTRA
													 : PH_WANT_CALLS;
}

void
ph_trace_tree_feed(const PhTraceTree *tree, int64_t *from, int64_t *to)
{
	if (!tree->teams.may_be)
		return;
	*from = INT64_MIN;
	*to = INT64_MAX;
}

/* ---- nodes and cells ---- */

/* All or none: an array that grew although a later one could not is freed with the old size. */
static PhStatus
grow_nodes(PhTraceTree *tree)
{
	uint32_t old = tree->node_capacity, capacity = old == 0 ? FIRST_NODES : 2 * old;
	uint32_t **arrays[N_NODE_ARRAYS] = {&tree->parent, &tree->region, &tree->last_child,
										&tree->follower, &tree->cell_of};
	void *grown[N_NODE_ARRAYS] = {NULL};
	PhStatus status = PH_OK;
	if (tree->n_nodes >= PH_NONE / 2)
		return ph_fail(tree->env, PH_ERR_LIMIT, "too many call paths");
	for (int i = 0; i < N_NODE_ARRAYS && status == PH_OK; i++)
		status = ph_env_alloc(tree->env, capacity, sizeof(uint32_t), &grown[i]);
	for (int i = 0; i < N_NODE_ARRAYS; i++)
	{
		if (status != PH_OK)
		{
			ph_env_free(tree->env, grown[i], capacity, sizeof(uint32_t));
			continue;
		}
		if (old > 0)
			memcpy(grown[i], *arrays[i], old * sizeof(uint32_t));
		ph_env_free(tree->env, *arrays[i], old, sizeof(uint32_t));
		*arrays[i] = grown[i];
	}
	tree->node_capacity = status == PH_OK ? capacity : old;
	return status;
}

static PhStatus
find_child(PhTraceTree *tree, uint32_t parent, uint32_t region, uint32_t *out)
{
	uint32_t *node;
	if (tree->n_nodes == tree->node_capacity)
		PH_TRY(grow_nodes(tree));
	PH_TRY(ph_map_enter(&tree->children, ph_map_key(parent, region), tree->n_nodes, &node));
	*out = *node;
	if (*node < tree->n_nodes)
		return PH_OK;
	tree->parent[*node] = parent;
	tree->region[*node] = region;
	tree->last_child[*node] = tree->follower[*node] = tree->cell_of[*node] = PH_NONE;
	tree->n_nodes++;
	return PH_OK;
}

/*
 * The child of a node with this region, made when new. Programs repeat their calls in loops, so the
 * child that was looked up last is tried first, then the sibling that was looked up after that one
 * the last time; only then the table is asked. Both guesses are updated.
 */
PhStatus
ph_tree_child(PhTraceTree *tree, uint32_t parent, uint32_t region, uint32_t *out)
{
	uint32_t last = parent == PH_NONE ? tree->last_root : tree->last_child[parent];
	uint32_t node = last;
	if (last != PH_NONE && tree->region[last] != region)
		node = tree->follower[last];
	if (node == PH_NONE || tree->region[node] != region)
		PH_TRY(find_child(tree, parent, region, &node));
	if (last != PH_NONE && last != node)
		tree->follower[last] = node;
	*(parent == PH_NONE ? &tree->last_root : &tree->last_child[parent]) = node;
	*out = node;
	return PH_OK;
}

static PhStatus
grow_cells(PhTraceTree *tree)
{
	uint32_t old = tree->cell_capacity, capacity = old == 0 ? FIRST_NODES : 2 * old;
	void *cells, *growth = NULL;
	if (old >= PH_NONE / 2)
		return ph_fail(tree->env, PH_ERR_LIMIT, "too many call paths in too many locations");
	PH_TRY(ph_env_alloc(tree->env, capacity, sizeof(PhTreeCell), &cells));
	size_t n_growth = (size_t) capacity * tree->n_metrics;
	PhStatus status = ph_env_alloc(tree->env, n_growth, sizeof(double), &growth);
	if (status != PH_OK)
	{
		ph_env_free(tree->env, cells, capacity, sizeof(PhTreeCell));
		return status;
	}
	if (old > 0)
	{
		memcpy(cells, tree->cells, old * sizeof(PhTreeCell));
		memcpy(growth, tree->growth, (size_t) old * tree->n_metrics * sizeof(double));
	}
	ph_env_free(tree->env, tree->cells, old, sizeof(PhTreeCell));
	ph_env_free(tree->env, tree->growth, (size_t) old * tree->n_metrics, sizeof(double));
	tree->cells = cells;
	tree->growth = growth;
	tree->cell_capacity = capacity;
	return PH_OK;
}

/* Remember that a location has calls. */
static PhStatus
mark_location(PhTraceTree *tree, uint32_t location)
{
	uint32_t n = tree->n_has_calls == 0 ? FIRST_NODES : tree->n_has_calls;
	if (location >= MOST_LOCATIONS)
		return ph_fail(tree->env, PH_ERR_LIMIT, "location %u is beyond the %u that are supported",
					   location, MOST_LOCATIONS);
	while (n <= location)
		n *= 2;
	if (n > tree->n_has_calls)
	{
		PH_TRY(ph_env_resize(tree->env, (void **) &tree->has_calls, tree->n_has_calls, n,
							 sizeof(bool)));
		memset(tree->has_calls + tree->n_has_calls, 0, n - tree->n_has_calls);
		tree->n_has_calls = n;
	}
	tree->has_calls[location] = true;
	return PH_OK;
}

PhStatus
ph_tree_add_cell(PhTraceTree *tree, uint32_t node, uint32_t location, uint32_t *out)
{
	if (tree->n_cells == tree->cell_capacity)
		PH_TRY(grow_cells(tree));
	PH_TRY(mark_location(tree, location));
	*out = tree->n_cells++;
	tree->cells[*out] = (PhTreeCell){node, location, 0, 0};
	return PH_OK;
}

/* The node's cell in the location at hand. */
static inline PhStatus
find_cell(PhTraceTree *tree, uint32_t node, uint32_t *out)
{
	uint32_t cell = tree->cell_of[node];
	if (cell >= tree->first_cell && cell < tree->n_cells && tree->cells[cell].node == node)
	{
		*out = cell;
		return PH_OK;
	}
	PH_TRY(ph_tree_add_cell(tree, node, tree->location, out));
	tree->cell_of[node] = *out;
	return PH_OK;
}

/* ---- the walk ---- */

/* Give the time since the last event, as far as it is in the window, to the open call path. */
static inline void
pass(Walk *walk, int64_t time)
{
	int64_t begin = walk->last > walk->from ? walk->last : walk->from;
	int64_t end = time < walk->to ? time : walk->to;
	if (walk->depth > 0 && end > begin)
		walk->tree->cells[walk->path[walk->depth - 1].cell].exclusive += end - begin;
	walk->last = time;
}

/*
 * Gives the open call at this depth its node and cell, as it overlaps the window. The calls around
 * it must have theirs.
 */
static inline PhStatus
show(Walk *walk, uint32_t depth)
{
	PathStep *step = &walk->path[depth];
	uint32_t parent = depth == 0 ? PH_NONE : step[-1].node;
	if (__builtin_expect(step->above != PH_NONE, 0))
		PH_TRY(ph_teams_node(walk->tree, step->above, &parent));
	PH_TRY(ph_tree_child(walk->tree, parent, step->region, &step->node));
	return find_cell(walk->tree, step->node, &step->cell);
}

/*
 * Gives all open calls their nodes and cells, where the window begins, or a chunk within it.
 * visited: the window begins here, so each of them counts as a visit; at the begin of a later chunk
 * they have been counted.
 */
static PhStatus
show_path(Walk *walk, bool visited)
{
	for (uint32_t i = 0; i < walk->depth; i++)
	{
		PH_TRY(show(walk, i));
		walk->tree->cells[walk->path[i].cell].visits += visited;
	}
	walk->must_begin = false;
	return PH_OK;
}

static inline PhStatus
enter(Walk *walk, uint32_t region, int64_t time)
{
	uint32_t depth = walk->depth++;
	walk->path[depth] = (PathStep){region, PH_NONE, PH_NONE, PH_NONE, PH_NONE};
	if (__builtin_expect(depth == walk->team_depth, 0))
		walk->path[depth].above = walk->team_above;
	if (time < walk->from || time >= walk->to)
		return PH_OK;
	PH_TRY(show(walk, depth));
	walk->tree->cells[walk->path[depth].cell].visits++;
	return PH_OK;
}

/* ---- records beside calls ---- */

static void
record_metric(Walk *walk, uint32_t metric_class, const uint64_t *values, uint32_t n, int64_t time)
{
	bool counts = walk->depth > 0 && time >= walk->from && time < walk->to;
	uint32_t cell = counts ? walk->path[walk->depth - 1].cell : PH_NONE;
	ph_tree_record(walk->tree, walk->counters, metric_class, values, n, cell);
}

/*
 * The fork path of the open calls, made where it is not known. Fork paths are numbered apart from
 * the tree's nodes, because a master's forks must be known also where the tree has no node, before
 * the window.
 */
static PhStatus
find_path(Walk *walk, uint32_t *out)
{
	uint32_t known = walk->depth;
	*out = PH_FORK_ROOT;
	if (walk->depth == walk->team_depth && walk->team_above != PH_NONE)
	{
		*out = walk->team_above;
		return PH_OK;
	}
	while (known > 0 && walk->path[known - 1].path == PH_NONE)
		known--;
	if (known > 0)
		*out = walk->path[known - 1].path;
	for (uint32_t i = known; i < walk->depth; i++)
	{
		PathStep *step = &walk->path[i];
		PH_TRY(ph_teams_path(walk->tree, step->above == PH_NONE ? *out : step->above, step->region,
							 &step->path));
		*out = step->path;
	}
	return PH_OK;
}

/*
 * Takes the innermost team that the thread is in: calls entered at its depth hang below its fork.
 */
static void
set_team(Walk *walk)
{
	const PhTeamThread *thread = walk->thread;
	walk->team_depth = walk->team_above = PH_NONE;
	if (thread == NULL || thread->n_open == 0)
		return;
	walk->team_depth = thread->open[thread->n_open - 1].depth;
	walk->team_above = thread->open[thread->n_open - 1].above;
}

static PhStatus
record_thread(Walk *walk, uint32_t operation, const uint64_t *values, uint32_t n, int64_t time)
{
	PhTeamThread *thread = walk->thread;
	if (operation == PH_RECORD_THREAD_FORK)
		return find_path(walk, &thread->forked);
	if (operation == PH_RECORD_THREAD_JOIN)
		thread->forked = PH_NONE;
	/* what a worker does after the window is of no interest */
	bool begins = time < walk->to || thread->forked != PH_NONE;
	if (operation == PH_RECORD_THREAD_TEAM_BEGIN && n > 0 && begins)
		PH_TRY(ph_teams_begin(walk->tree, thread, values[0], walk->depth));
	if (operation == PH_RECORD_THREAD_TEAM_END && n > 0)
		PH_TRY(ph_teams_end(walk->tree, thread, values[0]));
	set_team(walk);
	return PH_OK;
}

static PhStatus
record(Walk *walk, uint8_t kind, int64_t time)
{
	uint32_t extra = walk->next_extra++, n = walk->extras->n_values[extra];
	uint32_t operation = walk->extras->operation[extra];
	const uint64_t *values = n == 0 ? NULL : walk->extras->values + walk->next_value;
	walk->next_value += n;
	if (kind == PH_EVENT_METRIC && walk->counters != NULL)
		record_metric(walk, operation, values, n, time);
	if (kind == PH_EVENT_THREAD && walk->thread != NULL)
		return record_thread(walk, operation, values, n, time);
	return PH_OK;
}

/* ---- a chunk ---- */

/*
 * Adds a chunk's events: every stretch between two of them goes to the open call path, calls that
 * are entered in the window to their nodes, records to metrics and teams.
 */
static PhStatus
walk_events(Walk *walk)
{
	const uint8_t *kinds = ph_chunk_kinds(walk->reader);
	const int64_t *times = ph_chunk_times(walk->reader);
	const uint32_t *regions = ph_chunk_enter_regions(walk->reader);
	bool has_records = walk->counters != NULL || walk->thread != NULL;
	for (uint32_t i = 0; i < walk->chunk->n_events; i++)
	{
		int64_t time = times[i];
		if (walk->must_begin && time >= walk->from)
			PH_TRY(show_path(walk, true));
		if (kinds[i] == PH_EVENT_ENTER)
		{
			pass(walk, time);
			PH_TRY(enter(walk, *regions++, time));
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
		{
			pass(walk, time);
			walk->depth--;
		}
		else if (has_records && kinds[i] >= PH_EVENT_METRIC)
			PH_TRY(record(walk, kinds[i], time));
	}
	pass(walk, walk->chunk->t_last);
	return PH_OK;
}

/*
 * A chunk's stack says which calls are open, but not which of them hang below forks: that is kept
 * with the thread from the end of its chunk before.
 */
static PhStatus
start_team(Walk *walk)
{
	PhTeamThread *thread;
	PH_TRY(ph_teams_thread(walk->tree, walk->chunk->location, &thread));
	walk->thread = thread;
	set_team(walk);
	for (uint32_t i = 0; i < thread->n_hung; i++)
	{
		if (thread->hung[i].depth < walk->depth)
			walk->path[thread->hung[i].depth].above = thread->hung[i].above;
	}
	return PH_OK;
}

static PhStatus
keep_team(Walk *walk)
{
	walk->thread->n_hung = 0;
	for (uint32_t i = 0; i < walk->depth; i++)
	{
		if (walk->path[i].above != PH_NONE)
			PH_TRY(ph_teams_hang(walk->tree, walk->thread, i, walk->path[i].above));
	}
	return PH_OK;
}

static PhStatus
start_walk(Walk *walk)
{
	uint32_t depth;
	PhTraceTree *tree = walk->tree;
	const PhOpenCall *stack = ph_chunk_stack(walk->reader, &depth);
	size_t most = (size_t) depth + walk->chunk->n_enter + 1;
	PH_TRY(ph_buffer_reserve(tree->env, &tree->path, most * sizeof(PathStep)));
	walk->path = (PathStep *) (void *) tree->path.data;
	for (uint32_t i = 0; i < depth; i++)
		walk->path[i] = (PathStep){stack[i].region, PH_NONE, PH_NONE, PH_NONE, PH_NONE};
	walk->depth = depth;
	if (tree->teams.may_be)
		PH_TRY(start_team(walk));
	if (tree->n_metrics > 0)
		PH_TRY(ph_tree_find_counters(tree, tree->location, &walk->counters));
	walk->last = walk->chunk->t_prev;
	walk->must_begin = walk->chunk->t_prev < walk->from;
	/* after the window only metrics are of interest */
	if (walk->must_begin || walk->chunk->t_prev >= walk->to)
		return PH_OK;
	return show_path(walk, false);
}

PhStatus
ph_tree_walk(PhTraceTree *tree, const PhChunk *chunk, const PhChunkReader *reader, int64_t from,
			 int64_t to)
{
	Walk walk = {.tree = tree,
				 .chunk = chunk,
				 .reader = reader,
				 .from = from,
				 .to = to,
				 .extras = ph_chunk_extras(reader),
				 .team_depth = PH_NONE,
				 .team_above = PH_NONE};
	if (chunk->location != tree->location)
	{
		tree->location = chunk->location;
		tree->first_cell = tree->n_cells;
	}
	PH_TRY(start_walk(&walk));
	PH_TRY(walk_events(&walk));
	return walk.thread == NULL ? PH_OK : keep_team(&walk);
}

PhStatus
ph_trace_tree_add_chunk(PhTraceTree *tree, const PhChunk *chunk, const PhChunkReader *reader,
						int64_t from, int64_t to)
{
	PhTeamThread *thread;
	bool waits = false;
	if (from >= to)
		return PH_OK;
	if (ph_trace_tree_wants(tree) != PH_WANT_CALLS && ph_chunk_extras(reader) == NULL)
		return ph_fail(tree->env, PH_ERR_INTERNAL, "a chunk was opened without its metrics");
	if (tree->teams.may_be)
	{
		if (chunk->location != tree->location)
			PH_TRY(ph_teams_resume(tree));
		PH_TRY(ph_teams_thread(tree, chunk->location, &thread));
		PH_TRY(ph_teams_wait(tree, thread, chunk, reader, from, to, &waits));
	}
	return waits ? PH_OK : ph_tree_walk(tree, chunk, reader, from, to);
}
