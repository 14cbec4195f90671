/*
 * teams.c - see teams.h: paths of forks, teams, who is in which.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "trace/tree/internal.h"

#define FIRST_BYTES 64
#define MOST_RUN_BYTES 15 /* a path of 33 bits and a run of 64 */

void
ph_teams_init(PhTraceTree *tree, const PhTraceModel *model)
{
	PhTreeTeams *teams = &tree->teams;
	ph_map_init(&teams->paths.children, &tree->arena);
	ph_map_init(&teams->team_of, &tree->arena);
	ph_map_init(&teams->thread_of, &tree->arena);
	ph_map_init(&teams->cursor_of, &tree->arena);
	teams->has_threads = model != NULL && ph_trace_has_threads(model);
}

void
ph_teams_free(PhTraceTree *tree)
{
	PhTreeTeams *teams = &tree->teams;
	for (uint32_t i = 0; i < teams->n_teams; i++)
		ph_env_free(tree->env, teams->teams[i].bytes, teams->teams[i].capacity, 1);
	for (uint32_t i = 0; i < teams->n_threads; i++)
	{
		while (teams->threads[i]->first != NULL)
			ph_teams_drop_chunk(tree, teams->threads[i]);
	}
	ph_chunk_reader_free(teams->reader);
}

/* ---- paths ---- */

static PhStatus
add_path(PhTraceTree *tree, uint32_t parent, uint32_t region)
{
	PhForkPaths *paths = &tree->teams.paths;
	if (paths->n >= PH_NONE / 2)
		return ph_fail(tree->env, PH_ERR_LIMIT, "too many call paths fork threads");
	PH_TRY(PH_GROW(&tree->arena, &paths->parent, paths->n, &paths->parent_capacity));
	PH_TRY(PH_GROW(&tree->arena, &paths->region, paths->n, &paths->region_capacity));
	PH_TRY(PH_GROW(&tree->arena, &paths->node, paths->n, &paths->node_capacity));
	paths->parent[paths->n] = parent;
	paths->region[paths->n] = region;
	paths->node[paths->n++] = PH_NONE;
	return PH_OK;
}

PhStatus
ph_teams_path(PhTraceTree *tree, uint32_t parent, uint32_t region, uint32_t *out)
{
	PhForkPaths *paths = &tree->teams.paths;
	uint32_t *path;
	if (paths->n == 0)
		PH_TRY(add_path(tree, PH_NONE, PH_NONE));
	PH_TRY(ph_map_enter(&paths->children, ph_map_key(parent, region), paths->n, &path));
	*out = *path;
	return *path < paths->n ? PH_OK : add_path(tree, parent, region);
}

PhStatus
ph_teams_node(PhTraceTree *tree, uint32_t path, uint32_t *out)
{
	PhForkPaths *paths = &tree->teams.paths;
	uint32_t depth = 0;
	PhIndices chain = {NULL, 0, 0};
	PhStatus status = PH_OK;
	*out = PH_NONE;
	if (path == PH_FORK_ROOT || paths->node[path] != PH_NONE)
	{
		*out = path == PH_FORK_ROOT ? PH_NONE : paths->node[path];
		return PH_OK;
	}
	for (uint32_t at = path; at != PH_FORK_ROOT && paths->node[at] == PH_NONE;
		 at = paths->parent[at])
		depth++;
	PH_TRY(PH_RESERVE(tree->env, &chain, depth));
	for (uint32_t at = path, i = depth; i-- > 0; at = paths->parent[at])
		chain.items[i] = at;
	for (uint32_t i = 0; i < depth && status == PH_OK; i++)
	{
		uint32_t above = paths->parent[chain.items[i]];
		status = ph_tree_child(tree, above == PH_FORK_ROOT ? PH_NONE : paths->node[above],
							   paths->region[chain.items[i]], &paths->node[chain.items[i]]);
	}
	PH_VECTOR_FREE(tree->env, &chain);
	*out = paths->node[path];
	return status;
}

/* ---- teams and their threads ---- */

PhStatus
ph_teams_team(PhTraceTree *tree, uint64_t communicator, uint32_t *out)
{
	PhTreeTeams *teams = &tree->teams;
	uint32_t *team;
	PH_TRY(PH_GROW(&tree->arena, &teams->teams, teams->n_teams, &teams->team_capacity));
	PH_TRY(ph_map_enter(&teams->team_of, communicator, teams->n_teams, &team));
	*out = *team;
	if (*team == teams->n_teams)
		teams->teams[teams->n_teams++] = (PhForkedTeam){.master = PH_NONE};
	return PH_OK;
}

PhStatus
ph_teams_thread(PhTraceTree *tree, uint32_t location, PhTeamThread **out)
{
	PhTreeTeams *teams = &tree->teams;
	uint32_t *index;
	PH_TRY(PH_GROW(&tree->arena, &teams->threads, teams->n_threads, &teams->thread_capacity));
	PH_TRY(ph_map_enter(&teams->thread_of, location, teams->n_threads, &index));
	uint32_t found = *index;
	if (found == teams->n_threads)
	{
		PH_TRY(PH_NEW(&tree->arena, 1, &teams->threads[found]));
		*teams->threads[found] =
			(PhTeamThread){.index = found, .location = location, .pending_fork = PH_NONE};
		teams->n_threads++;
	}
	*out = teams->threads[found];
	return PH_OK;
}

PhStatus
ph_teams_cursor(PhTraceTree *tree, uint32_t thread, uint32_t team, PhTeamCursor **out)
{
	PhTreeTeams *teams = &tree->teams;
	uint32_t *index;
	PH_TRY(PH_GROW(&tree->arena, &teams->cursors, teams->n_cursors, &teams->cursor_capacity));
	PH_TRY(ph_map_enter(&teams->cursor_of, ph_map_key(thread, team), teams->n_cursors, &index));
	*out = &teams->cursors[*index];
	if (*index == teams->n_cursors)
		teams->cursors[teams->n_cursors++] = (PhTeamCursor){.thread = thread, .team = team};
	return PH_OK;
}

/* ---- forks in order ---- */

static uint8_t *
put_number(uint8_t *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*out++ = (uint8_t) (number | 0x80);
	*out++ = (uint8_t) number;
	return out;
}

static const uint8_t *
get_number(const uint8_t *in, uint64_t *number)
{
	*number = 0;
	for (uint32_t shift = 0;; shift += 7)
	{
		*number |= (uint64_t) (*in & 0x7f) << shift;
		if ((*in++ & 0x80) == 0)
			return in;
	}
}

/* The last run is over: a path, and how often when that is not once. */
static PhStatus
end_run(PhTraceTree *tree, PhForkedTeam *team)
{
	if (team->capacity - team->n_bytes < MOST_RUN_BYTES)
	{
		size_t capacity = team->capacity == 0 ? FIRST_BYTES : 2 * team->capacity;
		PH_TRY(ph_env_resize(tree->env, (void **) &team->bytes, team->capacity, capacity, 1));
		team->capacity = capacity;
	}
	uint8_t *end = put_number(team->bytes + team->n_bytes,
							  (uint64_t) team->last << 1 | (team->run > 1 ? 1 : 0));
	if (team->run > 1)
		end = put_number(end, team->run);
	team->n_bytes = (size_t) (end - team->bytes);
	return PH_OK;
}

static PhStatus
add_forks(PhTraceTree *tree, PhForkedTeam *team, uint32_t path, uint64_t n)
{
	if (team->run == 0 || team->last != path)
	{
		if (team->run > 0)
			PH_TRY(end_run(tree, team));
		team->last = path;
		team->run = 0;
	}
	team->run += n;
	team->n += n;
	return PH_OK;
}

/* A team has one master: of several that say so, the first location. */
static bool
is_master(PhTraceTree *tree, uint32_t team, uint32_t location)
{
	PhTreeTeams *teams = &tree->teams;
	PhForkedTeam *its = &teams->teams[team];
	if (location >= its->master)
		return location == its->master;
	for (uint32_t i = 0; its->n > 0 && i < teams->n_cursors; i++)
		teams->cursors[i].is_lost |= teams->cursors[i].team == team;
	its->n = its->run = 0;
	its->n_bytes = 0;
	its->master = location;
	return true;
}

/* The run at an offset: path, length, where the next one is. */
static uint32_t
run_at(const PhForkedTeam *team, size_t offset, uint64_t *run, size_t *next)
{
	uint64_t number;
	*next = offset;
	*run = team->run;
	if (offset == team->n_bytes)
		return team->last;
	const uint8_t *end = get_number(team->bytes + offset, &number);
	*run = 1;
	if ((number & 1) != 0)
		end = get_number(end, run);
	*next = (size_t) (end - team->bytes);
	return (uint32_t) (number >> 1);
}

/* The path of the next fork; PH_NONE when it is missing. */
static uint32_t
next_fork(const PhForkedTeam *team, PhTeamCursor *cursor)
{
	uint64_t run;
	size_t next;
	cursor->is_lost |= cursor->done++ >= team->n;
	if (cursor->is_lost)
		return PH_NONE;
	uint32_t path = run_at(team, cursor->offset, &run, &next);
	if (cursor->used == run)
	{
		cursor->offset = next;
		cursor->used = 0;
		path = run_at(team, cursor->offset, &run, &next);
	}
	cursor->used++;
	return path;
}

/* ---- who is in which ---- */

PhStatus
ph_teams_begin(PhTraceTree *tree, PhTeamThread *thread, uint64_t communicator, uint32_t depth)
{
	uint32_t team, path = PH_NONE;
	PH_TRY(ph_teams_team(tree, communicator, &team));
	PhForkedTeam *its = &tree->teams.teams[team];
	PhOpenTeam open = {team, PH_NONE, PH_NONE};
	if (thread->pending_fork != PH_NONE && is_master(tree, team, thread->location))
		PH_TRY(add_forks(tree, its, thread->pending_fork, 1));
	else if (thread->pending_fork == PH_NONE)
	{
		PhTeamCursor *cursor;
		PH_TRY(ph_teams_cursor(tree, thread->index, team, &cursor));
		path = next_fork(its, cursor);
	}
	thread->pending_fork = PH_NONE;
	if (path != PH_NONE)
		open = (PhOpenTeam){team, depth, path};
	else if (thread->n_open > 0)
	{
		/* as in the team around it */
		open.depth = thread->open[thread->n_open - 1].depth;
		open.fork = thread->open[thread->n_open - 1].fork;
	}
	PH_TRY(PH_GROW(&tree->arena, &thread->open, thread->n_open, &thread->open_capacity));
	thread->open[thread->n_open++] = open;
	return PH_OK;
}

PhStatus
ph_teams_end(PhTraceTree *tree, PhTeamThread *thread, uint64_t communicator)
{
	uint32_t team, n = thread->n_open;
	PH_TRY(ph_teams_team(tree, communicator, &team));
	while (n > 0 && thread->open[n - 1].team != team)
		n--;
	if (n > 0)
		thread->n_open = n - 1;
	return PH_OK;
}

PhStatus
ph_teams_hang(PhTraceTree *tree, PhTeamThread *thread, uint32_t depth, uint32_t fork)
{
	PH_TRY(PH_GROW(&tree->arena, &thread->forked_calls, thread->n_forked_calls,
				   &thread->forked_call_capacity));
	thread->forked_calls[thread->n_forked_calls++] = (PhForkedCall){depth, fork};
	return PH_OK;
}

/* ---- trees of threads ---- */

static PhStatus
merge_team(PhTraceTree *tree, const PhForkedTeam *from, uint32_t team, const uint32_t *path_of)
{
	uint64_t run;
	size_t offset = 0, next;
	PhForkedTeam *its = &tree->teams.teams[team];
	if (from->n == 0 || !is_master(tree, team, from->master))
		return PH_OK;
	for (uint64_t n = 0; n < from->n; n += run)
	{
		uint32_t path = run_at(from, offset, &run, &next);
		PH_TRY(add_forks(tree, its, path_of[path], run));
		PH_TRY(ph_env_poll(tree->env));
		offset = next;
	}
	return PH_OK;
}

static PhStatus
merge_paths(PhTraceTree *tree, const PhForkPaths *from, uint32_t *path_of)
{
	for (uint32_t i = 1; i < from->n; i++)
	{
		PH_TRY(ph_teams_path(tree, path_of[from->parent[i]], from->region[i], &path_of[i]));
		PH_TRY(ph_env_poll(tree->env));
	}
	return PH_OK;
}

/* What a location's later chunks need, and the chunks. */
static PhStatus
move_thread(PhTraceTree *tree, PhTraceTree *other, PhTeamThread *from, const uint32_t *path_of,
			const uint32_t *team_of, uint32_t *thread_of)
{
	PhTeamThread *thread;
	PH_TRY(ph_teams_thread(tree, from->location, &thread));
	*thread_of = thread->index;
	thread->pending_fork = from->pending_fork == PH_NONE ? PH_NONE : path_of[from->pending_fork];
	thread->wait_team = team_of[from->wait_team];
	thread->wait_n = from->wait_n;
	for (uint32_t i = 0; i < from->n_forked_calls; i++)
		PH_TRY(ph_teams_hang(tree, thread, from->forked_calls[i].depth,
							 path_of[from->forked_calls[i].fork]));
	PH_TRY(PH_NEW(&tree->arena, from->n_open, &thread->open));
	for (uint32_t i = 0; i < from->n_open; i++)
	{
		const PhOpenTeam *open = &from->open[i];
		thread->open[i] = (PhOpenTeam){team_of[open->team], open->depth,
									   open->fork == PH_NONE ? PH_NONE : path_of[open->fork]};
	}
	thread->n_open = thread->open_capacity = from->n_open;
	for (; from->first != NULL; ph_teams_drop_chunk(other, from))
		PH_TRY(ph_teams_keep_chunk(tree, thread, &from->first->chunk, from->first->from,
								   from->first->to));
	return ph_tree_move_counters(tree, other, from->location);
}

/*
 * A cursor is a place within the runs of its team's forks, and the merged team's runs may be cut
 * elsewhere. So the cursor is moved on by as many forks as it had passed, instead of being copied.
 */
static PhStatus
move_cursor(PhTraceTree *tree, const PhTeamCursor *from, uint32_t thread, uint32_t team)
{
	PhTeamCursor *cursor;
	PH_TRY(ph_teams_cursor(tree, thread, team, &cursor));
	const PhForkedTeam *its = &tree->teams.teams[team];
	uint64_t most = PH_MIN(from->done, its->n);
	while (cursor->done < most)
		(void) next_fork(its, cursor);
	cursor->done = from->done;
	cursor->is_lost = from->is_lost || from->done > its->n;
	return PH_OK;
}

static PhStatus
merge_maps(PhTraceTree *tree, PhTraceTree *other, uint32_t *path_of, uint32_t *team_of,
		   uint32_t *thread_of)
{
	const PhTreeTeams *from = &other->teams;
	PH_TRY(merge_paths(tree, &from->paths, path_of));
	for (uint32_t i = 0; i < from->team_of.count; i++)
	{
		uint32_t team = from->team_of.values[i];
		PH_TRY(ph_teams_team(tree, from->team_of.keys[i], &team_of[team]));
		PH_TRY(merge_team(tree, &from->teams[team], team_of[team], path_of));
	}
	for (uint32_t i = 0; i < from->n_threads; i++)
	{
		thread_of[i] = PH_NONE;
		if (from->threads[i]->first != NULL)
			PH_TRY(move_thread(tree, other, from->threads[i], path_of, team_of, &thread_of[i]));
	}
	for (uint32_t i = 0; i < from->n_cursors; i++)
	{
		const PhTeamCursor *cursor = &from->cursors[i];
		if (thread_of[cursor->thread] != PH_NONE)
			PH_TRY(move_cursor(tree, cursor, thread_of[cursor->thread], team_of[cursor->team]));
	}
	return PH_OK;
}

PhStatus
ph_teams_merge(PhTraceTree *tree, PhTraceTree *other)
{
	PhArena scratch;
	uint32_t *path_of, *team_of, *thread_of;
	const PhTreeTeams *from = &other->teams;
	ph_arena_init(&scratch, tree->env);
	PhStatus status = PH_NEW(&scratch, (size_t) from->paths.n + 1, &path_of);
	if (status == PH_OK)
		status = PH_NEW(&scratch, (size_t) from->n_teams + 1, &team_of);
	if (status == PH_OK)
		status = PH_NEW(&scratch, (size_t) from->n_threads + 1, &thread_of);
	if (status == PH_OK)
		status = merge_maps(tree, other, path_of, team_of, thread_of);
	ph_arena_drop(&scratch);
	return status;
}
