/*
 * read.h - all events of a trace, read by several threads: into chunks, chunks into the
 * database, and what is made of them on the way: call tree, messages, counts.
 *
 * Processes are shared out one by one, or locations when those are too few. Each thread has a
 * cursor of its own and, unless nothing is to be stored, a connection with a COPY that is open
 * while it works. Memory: a chunk a thread, the call tree, some bytes a message, some more for
 * logical time; where locations are shared out, the compressed chunks of threads that are read
 * before those that forked them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_READ_H
#define PH_PIPELINE_TRACE_READ_H

#include "blame/cost_finder.h"
#include "database/pq.h"
#include "logical/input.h"
#include "pipeline/trace/launches.h"
#include "pipeline/trace/tiles.h"
#include "readers/trace_source.h"
#include "trace/link.h"
#include "trace/tree/tree.h"

/* The receives of one chunk that has some: where their links go. */
typedef struct PhChunkReceives
{
	uint32_t chunk_no, n;
	int64_t *times; /* when they completed, in event order */
} PhChunkReceives;

/* Those of a location. */
typedef struct PhReceives
{
	uint32_t n_chunks, chunk_capacity;
	PhChunkReceives *chunks;
	uint32_t n; /* in all of them */
} PhReceives;

typedef struct PhTraceReadOptions
{
	PhTraceSource *source;
	uint32_t n_threads;			/* 1: the calling thread does it */
	PhConnection **connections; /* by thread, each in a transaction; NULL: nothing is stored */
	int64_t run_id;
	bool with_steps; /* collect communication events for logical time; not of sources with links */
	bool with_blame; /* collect what tells who waited and who caused it */
	PhTraceTiles *tiles; /* what gets all chunks for the pyramid; NULL: there is to be none */
	PhInterruptFunction interrupt;					 /* with user */
	void (*progress)(void *user, uint32_t location); /* it is read; from any thread; may be NULL */
	void *user;
} PhTraceReadOptions;

typedef struct PhTraceRead
{
	PhEnv *env;
	PhTraceCounts counts;
	uint64_t n_events, n_collectives, open_calls;
	PhMatchCounts matches; /* after ph_trace_read_match */
	PhTraceTree *tree;
	PhMatcher *matcher;
	PhLogicalInput *logical; /* NULL: none was asked for, or no_steps says why it is gone */
	PhEnv *steps_env;		 /* its own: nothing else works with it */
	char no_steps[512];
	bool links_are_stored; /* and so the matcher is not needed any more */
	PhCostFinder *blame;   /* likewise, and no_blame */
	char no_blame[512];
	PhTreeCosts costs[PH_UNIT_COST_KINDS]; /* by node of tree, after ph_trace_read_blame */
	uint32_t n_costs;					   /* 0: nothing communicates, or they are not known */
	PhReceives *receives;				   /* by location */
	PhLaunches launches;
	PhLaunchChunks *launched; /* by location */
	struct PhTraceThread *threads;
	uint32_t n_threads;
	PhArena arena;
} PhTraceRead;

/*
 * Read everything; *out is to be freed, also after a failure. When a connection failed, its error
 * is in *refused (NULL: none did).
 */
PhStatus ph_trace_read(PhEnv *env, const PhTraceReadOptions *options, PhTraceRead *out,
					   const PhConnection **refused) PH_MUST_CHECK;

/* Match the messages, unless the source knows; then the matcher has links. */
PhStatus ph_trace_read_match(PhTraceRead *read, const PhTraceSource *source) PH_MUST_CHECK;

/* The links of a location's receives, in event order; they may lie in arena. */
PhStatus ph_trace_read_links(const PhTraceRead *read, const PhTraceSource *source, PhArena *arena,
							 uint32_t location, const PhLink **links, uint64_t *n) PH_MUST_CHECK;

/*
 * The communication events of all locations, once the messages are matched; uses them up.
 * read->logical must be there. Works with steps_env, and reads the matcher: another thread may do
 * so while nothing else changes that.
 */
PhStatus ph_trace_read_logical(PhTraceRead *read, PhLogicalModel *out) PH_MUST_CHECK;

/* Give links back once they are stored and nobody reads them: what follows wants the memory. */
void ph_trace_read_drop_stored_links(PhTraceRead *read);

/*
 * Waits and what caused them (costs), once the messages are matched; uses up what was collected.
 * What goes wrong is in no_blame; not PH_OK for an interrupt, and where the call tree fails, which
 * gets the calls here.
 */
PhStatus ph_trace_read_blame(PhTraceRead *read, const PhTraceSource *source,
							 const uint64_t *region_ids) PH_MUST_CHECK;

void ph_trace_read_free(PhTraceRead *read);

#endif
