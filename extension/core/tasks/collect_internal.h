/*
 * collect_internal.h - what is collected of a trace of tasks before its tables are filled.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_COLLECT_INTERNAL_H
#define PH_TASKS_COLLECT_INTERNAL_H

#include "tasks/collect.h"
#include "trace/internal.h"

#define PH_TASK_MOST (UINT32_MAX / 8)

/* A piece of a serial block, or what stands for one around an event outside. */
typedef struct PhTaskPiece
{
	uint32_t processor, entry, chare; /* PH_NONE: unknown */
	uint32_t continues;
	uint32_t ordinal; /* PH_NONE: outside of blocks */
	uint32_t first_event, n_events;
	uint32_t head, tail; /* events in the tables; after filling */
	bool is_runtime;
	bool has_head, has_tail; /* events that dependencies need are to be made */
	int64_t begin, end;
	uint64_t seq;
} PhTaskPiece;

typedef struct PhTaskEvent
{
	int64_t time;
	uint64_t bytes, seq;
	uint64_t peer_seq; /* of a receive: its send */
	uint32_t peer;	   /* location of it; PH_NONE: unknown */
	uint32_t piece;
	uint32_t n_records; /* of a send: one a receiver */
	int32_t tag;
	uint32_t row; /* in the tables; after filling */
	uint8_t kind; /* PhTaskKind */
} PhTaskEvent;

/* The piece runs after a block, or goes on with it. */
typedef struct PhTaskDependency
{
	uint32_t piece;
	uint32_t location, block;
	bool continues;
	uint8_t kind; /* PhTaskEdgeKind */
} PhTaskDependency;

typedef struct PhTaskIdle
{
	uint32_t processor;
	int64_t begin, end;
} PhTaskIdle;

/* A call that is open. */
typedef struct PhTaskFrame
{
	uint32_t region;
	uint32_t piece; /* PH_NONE: not a block */
	bool is_paused;
	bool goes_on; /* without a record, when the block within ends */
	int64_t enter;
	uint64_t seq;
} PhTaskFrame;

/* A location's part of events and blocks. */
typedef struct PhTaskSpan
{
	uint32_t first_event, n_events, first_block, n_blocks;
} PhTaskSpan;

struct PhTaskCollector
{
	PhEnv *env;
	const PhTraceModel *model;
	const PhTaskDefinitions *definitions;
	uint32_t location; /* PH_NONE: none yet */
	uint64_t seq;
	int64_t last_time;
	PhTaskSpan *spans; /* by location */
	uint32_t n_pieces, piece_room;
	PhTaskPiece *pieces;
	uint32_t n_events, event_room;
	PhTaskEvent *events;
	uint32_t n_blocks, block_room;
	uint32_t *blocks; /* pieces of blocks, by location and ordinal */
	uint32_t n_dependencies, dependency_room;
	PhTaskDependency *dependencies;
	uint32_t n_idles, idle_room;
	PhTaskIdle *idles;
	uint32_t depth, stack_room;
	PhTaskFrame *stack;
};

/* Nothing more is added. */
void ph_task_collector_end(PhTaskCollector *collector);

#endif
