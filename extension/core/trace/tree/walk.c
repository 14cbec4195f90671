/*
 * walk.c - the walk over a chunk: time, calls and metrics go to the open call path.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "trace/tree/internal.h"

/* A chunk on its way into the tree. */
typedef struct Walk
{
	PhTraceTree *tree;
	const PhChunk *chunk;
	const PhChunkReader *reader;
	int64_t from, to;
	PhTreeCall *calls; /* open ones, outermost first */
	uint32_t depth;
	int64_t last;			  /* time up to which everything is attributed */
	PhStretch *stretch;		  /* room for the next one; NULL: nobody wants to know */
	bool must_begin;		  /* the calls open at `from` are still to be counted */
	PhTreeCounters *counters; /* NULL: no metrics */
	const PhOperandArrays *extras;
	uint32_t next_extra, next_value;
	PhTeamThread *thread;			/* NULL: no threads */
	uint32_t team_depth, team_fork; /* calls entered at this depth hang below the fork */
	uint32_t launch;				/* the next call that launches something */
	uint32_t launch_at;				/* its ENTER in the chunk; PH_NONE: it is not there */
} Walk;

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

/* Give the time since the last event, as far as it is in the window, to the open call path. */
static inline void
give_time(Walk *walk, int64_t time)
{
	int64_t begin = PH_MAX(walk->last, walk->from);
	int64_t end = PH_MIN(time, walk->to);
	walk->last = time;
	if (walk->depth == 0 || end <= begin)
		return;
	const PhTreeCall *call = &walk->calls[walk->depth - 1];
	walk->tree->cells[call->cell].exclusive += end - begin;
	if (walk->stretch != NULL)
		*walk->stretch++ = (PhStretch){begin, end, call->node};
}

/*
 * Gives the open call at this depth its node and cell, as it overlaps the window. The calls around
 * it must have theirs.
 */
static inline PhStatus
place_call(Walk *walk, uint32_t depth)
{
	PhTreeCall *call = &walk->calls[depth];
	uint32_t parent = depth == 0 ? PH_NONE : call[-1].node;
	if (__builtin_expect(call->fork != PH_NONE, 0))
		PH_TRY(ph_teams_node(walk->tree, call->fork, &parent));
	PH_TRY(ph_tree_child(walk->tree, parent, call->region, &call->node));
	return find_cell(walk->tree, call->node, &call->cell);
}

/*
 * Gives all open calls their nodes and cells, where the window begins, or a chunk within it.
 * visited: the window begins here, so each of them counts as a visit; at the begin of a later chunk
 * they have been counted.
 */
static PhStatus
show_calls(Walk *walk, bool visited)
{
	for (uint32_t i = 0; i < walk->depth; i++)
	{
		PH_TRY(place_call(walk, i));
		walk->tree->cells[walk->calls[i].cell].visits += visited;
	}
	walk->must_begin = false;
	return PH_OK;
}

static inline PhStatus
enter(Walk *walk, uint32_t region, int64_t time)
{
	uint32_t depth = walk->depth++;
	walk->calls[depth] = (PhTreeCall){region, PH_NONE, PH_NONE, PH_NONE, PH_NONE};
	if (__builtin_expect(depth == walk->team_depth, 0))
		walk->calls[depth].fork = walk->team_fork;
	if (time < walk->from || time >= walk->to)
		return PH_OK;
	PH_TRY(place_call(walk, depth));
	walk->tree->cells[walk->calls[depth].cell].visits++;
	return PH_OK;
}

/* ---- launches ---- */

/* Finds the next call of the chunk that launches something. */
static void
expect_launch(Walk *walk)
{
	const PhLaunches *launches = walk->tree->devices.launches;
	walk->launch_at = PH_NONE;
	if (walk->launch >= launches->calls.count)
		return;
	const PhLaunchCall *call = &launches->calls.items[walk->launch];
	if (call->location == walk->chunk->location &&
		call->seq - walk->chunk->first_seq < walk->chunk->n_events)
		walk->launch_at = (uint32_t) (call->seq - walk->chunk->first_seq);
}

static void
begin_launches(Walk *walk)
{
	walk->launch_at = PH_NONE;
	if (walk->tree->devices.launches == NULL)
		return;
	walk->launch = ph_launches_from(walk->tree->devices.launches, walk->chunk->location,
									walk->chunk->first_seq);
	expect_launch(walk);
}

/* The call that was just entered launches something: activities will ask where it is. */
static void
note_launch(Walk *walk)
{
	walk->tree->devices.launch_node[walk->launch++] = walk->calls[walk->depth - 1].node;
	expect_launch(walk);
}

/* ---- records beside calls ---- */

static void
record_metric(Walk *walk, uint32_t metric_class, const uint64_t *values, uint32_t n, int64_t time)
{
	bool counts = walk->depth > 0 && time >= walk->from && time < walk->to;
	uint32_t cell = counts ? walk->calls[walk->depth - 1].cell : PH_NONE;
	ph_tree_record(walk->tree, walk->counters, metric_class, values, n, cell);
}

/*
 * The fork path of the open calls, made where it is not known. Fork paths are numbered apart from
 * the tree's nodes, because a master's forks must be known also where the tree has no node, before
 * the window.
 */
static PhStatus
find_fork_path(Walk *walk, uint32_t *out)
{
	uint32_t known = walk->depth;
	*out = PH_FORK_ROOT;
	if (walk->depth == walk->team_depth && walk->team_fork != PH_NONE)
	{
		*out = walk->team_fork;
		return PH_OK;
	}
	while (known > 0 && walk->calls[known - 1].own_path == PH_NONE)
		known--;
	if (known > 0)
		*out = walk->calls[known - 1].own_path;
	for (uint32_t i = known; i < walk->depth; i++)
	{
		PhTreeCall *call = &walk->calls[i];
		PH_TRY(ph_teams_path(walk->tree, call->fork == PH_NONE ? *out : call->fork, call->region,
							 &call->own_path));
		*out = call->own_path;
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
	walk->team_depth = walk->team_fork = PH_NONE;
	if (thread == NULL || thread->n_open == 0)
		return;
	walk->team_depth = thread->open[thread->n_open - 1].depth;
	walk->team_fork = thread->open[thread->n_open - 1].fork;
}

static PhStatus
record_thread(Walk *walk, uint32_t operation, const uint64_t *values, uint32_t n, int64_t time)
{
	PhTeamThread *thread = walk->thread;
	if (operation == PH_RECORD_THREAD_FORK)
		return find_fork_path(walk, &thread->pending_fork);
	if (operation == PH_RECORD_THREAD_JOIN)
		thread->pending_fork = PH_NONE;
	/* what a worker does after the window is of no interest */
	bool begins = time < walk->to || thread->pending_fork != PH_NONE;
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
			PH_TRY(show_calls(walk, true));
		if (kinds[i] == PH_EVENT_ENTER)
		{
			give_time(walk, time);
			PH_TRY(enter(walk, *regions++, time));
			if (__builtin_expect(i == walk->launch_at, 0))
				note_launch(walk);
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
		{
			give_time(walk, time);
			walk->depth--;
		}
		else if (has_records && kinds[i] >= PH_EVENT_METRIC)
			PH_TRY(record(walk, kinds[i], time));
	}
	give_time(walk, walk->chunk->t_last);
	return PH_OK;
}

/* An event ends one stretch at most, and so does the chunk. */
static PhStatus
begin_stretches(Walk *walk)
{
	PhTraceTree *tree = walk->tree;
	if (tree->watch == NULL)
		return PH_OK;
	PH_TRY(PH_RESERVE(tree->env, &tree->stretches, (size_t) walk->chunk->n_events + 1));
	walk->stretch = tree->stretches.items;
	return PH_OK;
}

static PhStatus
tell_stretches(const Walk *walk)
{
	const PhTraceTree *tree = walk->tree;
	if (walk->stretch == NULL)
		return PH_OK;
	return tree->watch(tree->watch_user, tree->location, tree->stretches.items,
					   (uint32_t) (walk->stretch - tree->stretches.items));
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
	for (uint32_t i = 0; i < thread->n_forked_calls; i++)
	{
		if (thread->forked_calls[i].depth < walk->depth)
			walk->calls[thread->forked_calls[i].depth].fork = thread->forked_calls[i].fork;
	}
	return PH_OK;
}

static PhStatus
keep_team(Walk *walk)
{
	walk->thread->n_forked_calls = 0;
	for (uint32_t i = 0; i < walk->depth; i++)
	{
		if (walk->calls[i].fork != PH_NONE)
			PH_TRY(ph_teams_hang(walk->tree, walk->thread, i, walk->calls[i].fork));
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
	PH_TRY(PH_RESERVE(tree->env, &tree->open_calls, most));
	walk->calls = tree->open_calls.items;
	for (uint32_t i = 0; i < depth; i++)
		walk->calls[i] = (PhTreeCall){stack[i].region, PH_NONE, PH_NONE, PH_NONE, PH_NONE};
	walk->depth = depth;
	if (tree->teams.has_threads)
		PH_TRY(start_team(walk));
	if (tree->n_metrics > 0)
		PH_TRY(ph_tree_find_counters(tree, tree->location, &walk->counters));
	walk->last = walk->chunk->t_prev;
	walk->must_begin = walk->chunk->t_prev < walk->from;
	/* after the window only metrics are of interest */
	if (walk->must_begin || walk->chunk->t_prev >= walk->to)
		return PH_OK;
	return show_calls(walk, false);
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
				 .team_fork = PH_NONE};
	if (chunk->location != tree->location)
	{
		tree->location = chunk->location;
		tree->first_cell = tree->n_cells;
	}
	PH_TRY(start_walk(&walk));
	PH_TRY(begin_stretches(&walk));
	begin_launches(&walk);
	PH_TRY(walk_events(&walk));
	PH_TRY(tell_stretches(&walk));
	return walk.thread == NULL ? PH_OK : keep_team(&walk);
}
