/*
 * teams.h - thread teams in the call tree of a trace: what hangs below which fork.
 *
 * A thread that begins a team right after it forked is the team's master; all others are workers.
 * The worker's j-th beginning of a team belongs to the master's j-th. So a team keeps the paths of
 * its forks in order, as runs of small numbers: one or two bytes a fork, less when forks repeat. A
 * worker keeps how far it is. Chunks of workers that come before those of their master wait as
 * they are, compressed. Private to trace/tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TREE_TEAMS_H
#define PH_TRACE_TREE_TEAMS_H

#include "base/table.h"
#include "trace/chunk/chunk.h"

/* The path at a fork outside of all calls. */
#define PH_FORK_ROOT 0

/* Call paths at which somebody forked, and those around them; a parent before its children. */
typedef struct PhForkPaths
{
	uint32_t n, parent_capacity, region_capacity, node_capacity;
	uint32_t *parent, *region;
	uint32_t *node; /* of the tree; PH_NONE: nothing hangs there yet */
	PhMap children; /* (parent, region) to path */
} PhForkPaths;

/* The forks of a team in order: runs in bytes, and the last run. */
typedef struct PhForkedTeam
{
	uint32_t master; /* location */
	uint64_t n;		 /* forks */
	uint64_t total;	 /* with those in chunks that wait, once everything was added */
	uint8_t *bytes;
	size_t n_bytes, capacity;
	uint32_t last; /* path of the last run */
	uint64_t run;
} PhForkedTeam;

/* How far a thread is in the forks of a team. */
typedef struct PhTeamCursor
{
	uint32_t thread, team;
	size_t offset; /* of the run at hand */
	uint64_t used; /* of that run */
	uint64_t done;
	uint64_t wanted; /* while a chunk is looked through, which stamp tells */
	uint32_t stamp;
	bool may_lack; /* forks that are not known need not be waited for */
	bool is_lost;  /* a fork was missing: those that follow cannot be told */
} PhTeamCursor;

/* A team that a thread is in. Calls entered at depth hang below the fork path; PH_NONE: none do. */
typedef struct PhOpenTeam
{
	uint32_t team, depth, fork;
} PhOpenTeam;

/* An open call that hangs below a fork path. */
typedef struct PhForkedCall
{
	uint32_t depth, fork;
} PhForkedCall;

/* A chunk that waits, with its bytes behind it. */
typedef struct PhWaitingChunk
{
	struct PhWaitingChunk *next;
	size_t size; /* of all */
	int64_t from, to;
	PhChunk chunk;
} PhWaitingChunk;

/* A location's part in teams, after its last chunk. */
typedef struct PhTeamThread
{
	uint32_t index, location;
	uint32_t pending_fork; /* path of the fork whose team has not begun; PH_NONE */
	uint32_t n_open, open_capacity, n_forked_calls, forked_call_capacity;
	PhOpenTeam *open;
	PhForkedCall *forked_calls;
	PhWaitingChunk *first, *last;
	uint32_t wait_team; /* what the first one waits for */
	uint64_t wait_n;	/* forks of it */
} PhTeamThread;

typedef struct PhTreeTeams
{
	bool has_threads; /* the trace has threads */
	PhForkPaths paths;
	PhMap team_of; /* communicator to team */
	uint32_t n_teams, team_capacity;
	PhForkedTeam *teams;
	PhMap thread_of; /* location to thread */
	uint32_t n_threads, thread_capacity, n_waiting;
	PhTeamThread **threads;
	PhMap cursor_of; /* (thread, team) to cursor */
	uint32_t n_cursors, cursor_capacity, stamp;
	PhTeamCursor *cursors;
	PhChunkReader *reader; /* of chunks that waited */
} PhTreeTeams;

struct PhTraceTree;

void ph_teams_init(struct PhTraceTree *tree, const PhTraceModel *model);
void ph_teams_free(struct PhTraceTree *tree);

/* The path of a call with this region below a path, made when new. */
PhStatus ph_teams_path(struct PhTraceTree *tree, uint32_t parent, uint32_t region,
					   uint32_t *out) PH_MUST_CHECK;

/* The tree's node of a path, made when new; PH_NONE of PH_FORK_ROOT. */
PhStatus ph_teams_node(struct PhTraceTree *tree, uint32_t path, uint32_t *out) PH_MUST_CHECK;

PhStatus ph_teams_thread(struct PhTraceTree *tree, uint32_t location,
						 PhTeamThread **out) PH_MUST_CHECK;
PhStatus ph_teams_team(struct PhTraceTree *tree, uint64_t communicator,
					   uint32_t *out) PH_MUST_CHECK;

/* Valid until the next call. */
PhStatus ph_teams_cursor(struct PhTraceTree *tree, uint32_t thread, uint32_t team,
						 PhTeamCursor **out) PH_MUST_CHECK;

/* A thread begins or ends a team while depth calls are open. */
PhStatus ph_teams_begin(struct PhTraceTree *tree, PhTeamThread *thread, uint64_t communicator,
						uint32_t depth) PH_MUST_CHECK;
PhStatus ph_teams_end(struct PhTraceTree *tree, PhTeamThread *thread,
					  uint64_t communicator) PH_MUST_CHECK;

/* Remember an open call that hangs below a path. */
PhStatus ph_teams_hang(struct PhTraceTree *tree, PhTeamThread *thread, uint32_t depth,
					   uint32_t fork) PH_MUST_CHECK;

/* Take over the forks that another tree knows, and the chunks that wait there. */
PhStatus ph_teams_merge(struct PhTraceTree *tree, struct PhTraceTree *other) PH_MUST_CHECK;

/* Keep a chunk for later when it, or one before it, needs forks that are not known yet. */
PhStatus ph_teams_wait(struct PhTraceTree *tree, PhTeamThread *thread, const PhChunk *chunk,
					   const PhChunkReader *reader, int64_t from, int64_t to,
					   bool *waits) PH_MUST_CHECK;

/* A copy behind those that wait. */
PhStatus ph_teams_keep_chunk(struct PhTraceTree *tree, PhTeamThread *thread, const PhChunk *chunk,
							 int64_t from, int64_t to) PH_MUST_CHECK;
void ph_teams_drop_chunk(struct PhTraceTree *tree, PhTeamThread *thread);

/* Add the chunks that no longer need to wait. */
PhStatus ph_teams_resume(struct PhTraceTree *tree) PH_MUST_CHECK;

#endif
