/*
 * wait.c - see teams.h: chunks of workers that came before their master's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/internal.h"

/* ---- what a chunk needs ---- */

/*
 * A pass over the thread records of a chunk that calls `begin` for each THREAD_TEAM_BEGIN, until
 * that sets `stops`.
 */
typedef struct Look
{
	PhTraceTree *tree;
	PhTeamThread *thread;
	int64_t to; /* of the window */
	bool has_forked;
	bool is_after; /* the window */
	bool stops;
	PhStatus (*begin)(struct Look *look, uint32_t team);
} Look;

/* A worker begins a team: is the fork known? */
static PhStatus
find_fork(Look *look, uint32_t team)
{
	PhTeamCursor *cursor;
	PhTreeTeams *teams = &look->tree->teams;
	if (look->has_forked || look->is_after)
		return PH_OK;
	PH_TRY(ph_teams_cursor(look->tree, look->thread->index, team, &cursor));
	if (cursor->stamp != teams->stamp)
		cursor->wanted = cursor->done;
	cursor->stamp = teams->stamp;
	cursor->wanted++;
	if (cursor->may_lack || cursor->is_lost || cursor->wanted <= teams->teams[team].n)
		return PH_OK;
	look->stops = true;
	look->thread->wait_team = team;
	look->thread->wait_n = cursor->wanted;
	return PH_OK;
}

/* A master begins a team: its fork will be known. */
static PhStatus
count_fork(Look *look, uint32_t team)
{
	look->tree->teams.teams[team].total += look->has_forked;
	return PH_OK;
}

static PhStatus
look_at(Look *look, uint32_t operation, const uint64_t *values, uint32_t n_values)
{
	uint32_t team;
	if (operation == PH_RECORD_THREAD_FORK)
		look->has_forked = true;
	else if (operation == PH_RECORD_THREAD_JOIN)
		look->has_forked = false;
	else if (operation == PH_RECORD_THREAD_TEAM_BEGIN && n_values > 0)
	{
		PH_TRY(ph_teams_team(look->tree, values[0], &team));
		PH_TRY(look->begin(look, team));
		look->has_forked = false;
	}
	return PH_OK;
}

static PhStatus
look_through(Look *look, const PhChunkReader *reader)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	uint32_t extra = 0, value = 0;
	if (ph_chunk_count(reader, PH_EVENT_THREAD) == 0)
		return PH_OK;
	for (uint32_t i = 0; i < ph_chunk_n_events(reader) && !look->stops; i++)
	{
		if (kinds[i] < PH_EVENT_METRIC)
			continue;
		look->is_after = times[i] >= look->to;
		if (kinds[i] == PH_EVENT_THREAD)
			PH_TRY(look_at(look, extras->operation[extra], extras->values + value,
						   extras->n_values[extra]));
		value += extras->n_values[extra++];
	}
	return PH_OK;
}

/* Does the chunk need a fork that is not known yet? */
static PhStatus
needs_fork(PhTraceTree *tree, PhTeamThread *thread, const PhChunkReader *reader, int64_t to,
		   bool *out)
{
	Look look = {.tree = tree,
				 .thread = thread,
				 .to = to,
				 .has_forked = thread->pending_fork != PH_NONE,
				 .begin = find_fork};
	tree->teams.stamp++;
	PH_TRY(look_through(&look, reader));
	*out = look.stops;
	return PH_OK;
}

PhStatus
ph_teams_wait(PhTraceTree *tree, PhTeamThread *thread, const PhChunk *chunk,
			  const PhChunkReader *reader, int64_t from, int64_t to, bool *waits)
{
	*waits = thread->first != NULL;
	if (!*waits)
		PH_TRY(needs_fork(tree, thread, reader, to, waits));
	return *waits ? ph_teams_keep_chunk(tree, thread, chunk, from, to) : PH_OK;
}

/* ---- going on ---- */

static PhStatus
open_waiting(PhTraceTree *tree, const PhWaitingChunk *waiting)
{
	PhTreeTeams *teams = &tree->teams;
	if (teams->reader == NULL)
		PH_TRY(ph_chunk_reader_new(tree->env, &teams->reader));
	return ph_chunk_reader_open(teams->reader, &waiting->chunk, ph_tree_wants(tree));
}

/* Add a thread's first chunk, unless it still needs to wait. */
static PhStatus
resume_chunk(PhTraceTree *tree, PhTeamThread *thread, bool *waits)
{
	const PhWaitingChunk *first = thread->first;
	*waits = tree->teams.teams[thread->wait_team].n < thread->wait_n;
	if (*waits)
		return PH_OK;
	PH_TRY(open_waiting(tree, first));
	PH_TRY(needs_fork(tree, thread, tree->teams.reader, first->to, waits));
	if (*waits)
		return PH_OK;
	PH_TRY(ph_tree_walk(tree, &first->chunk, tree->teams.reader, first->from, first->to));
	ph_teams_drop_chunk(tree, thread);
	/* the next one has not been looked through */
	thread->wait_n = 0;
	return PH_OK;
}

static PhStatus
resume_thread(PhTraceTree *tree, PhTeamThread *thread, bool *has_moved)
{
	bool waits = false;
	while (thread->first != NULL && !waits)
	{
		PH_TRY(resume_chunk(tree, thread, &waits));
		*has_moved |= !waits;
	}
	return PH_OK;
}

/*
 * Adds what need not wait any longer. A chunk that is added may contain forks that other threads'
 * chunks wait for (the master of one team may be a worker of another), so all threads are tried
 * until none moves.
 */
PhStatus
ph_teams_resume(PhTraceTree *tree)
{
	PhTreeTeams *teams = &tree->teams;
	for (bool has_moved = true; has_moved && teams->n_waiting > 0;)
	{
		has_moved = false;
		for (uint32_t i = 0; i < teams->n_threads; i++)
			PH_TRY(resume_thread(tree, teams->threads[i], &has_moved));
	}
	return PH_OK;
}

/* ---- forks that are nowhere ---- */

/* All forks there will be, by team. */
static PhStatus
count_forks(PhTraceTree *tree)
{
	PhTreeTeams *teams = &tree->teams;
	for (uint32_t i = 0; i < teams->n_teams; i++)
		teams->teams[i].total = teams->teams[i].n;
	for (uint32_t i = 0; i < teams->n_threads; i++)
	{
		PhTeamThread *thread = teams->threads[i];
		Look look = {.tree = tree,
					 .thread = thread,
					 .has_forked = thread->pending_fork != PH_NONE,
					 .begin = count_fork};
		for (const PhWaitingChunk *at = thread->first; at != NULL; at = at->next)
		{
			PH_TRY(open_waiting(tree, at));
			PH_TRY(look_through(&look, teams->reader));
		}
	}
	return PH_OK;
}

/*
 * The thread that shall go on without its fork: the first location that waits for more forks than
 * there will ever be; when there is none, all wait for each other, and it is the first location
 * that waits.
 */
static PhTeamThread *
choose_thread(const PhTreeTeams *teams)
{
	PhTeamThread *chosen = NULL;
	bool is_hopeless = false;
	for (uint32_t i = 0; i < teams->n_threads; i++)
	{
		PhTeamThread *thread = teams->threads[i];
		bool is_too = thread->wait_n > teams->teams[thread->wait_team].total;
		if (thread->first == NULL || is_too < is_hopeless)
			continue;
		if (chosen == NULL || is_too > is_hopeless || thread->location < chosen->location)
			chosen = thread;
		is_hopeless = is_too;
	}
	return chosen;
}

PhStatus
ph_trace_tree_settle(PhTraceTree *tree)
{
	PhTreeTeams *teams = &tree->teams;
	PH_TRY(ph_teams_resume(tree));
	if (teams->n_waiting > 0)
		PH_TRY(count_forks(tree));
	while (teams->n_waiting > 0)
	{
		PhTeamCursor *cursor;
		PhTeamThread *thread = choose_thread(teams);
		PH_TRY(ph_teams_cursor(tree, thread->index, thread->wait_team, &cursor));
		cursor->may_lack = true;
		thread->wait_n = 0;
		PH_TRY(ph_teams_resume(tree));
	}
	return ph_tree_devices_settle(tree);
}
