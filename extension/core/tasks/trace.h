/*
 * trace.h - a trace of a task-based program as struct of arrays: what a reader fills.
 *
 * Entities own data and have timelines in logical time: application chares (array elements, single
 * chares), and one entity a processor that stands for all runtime chares there. Work is done in
 * serial blocks, executions of one entry method that nothing interrupts; blocks send and receive.
 * One send may have many receives; a receive has at most one send. Times are ns since the run's
 * first event.
 *
 * Filling: ph_task_trace_init, ph_task_add row by row in any order of tables, then
 * ph_task_trace_finish, which checks everything and brings rows into normal order, so that the
 * result does not depend on the order in which processors were read. Only these orders matter:
 * blocks of one processor are added in order of its log, events of one block in program order (the
 * receive that started it first).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_TRACE_H
#define PH_TASKS_TRACE_H

#include "trace/chunk/model.h"

#define PH_TASK_DIMENSIONS 6
#define PH_NO_SERIAL (-1)

typedef enum PhTaskKind
{
	PH_TASK_SEND,
	PH_TASK_RECEIVE
} PhTaskKind;

typedef enum PhTaskEntryFlag
{
	PH_ENTRY_SERIAL = 1, /* a serial of Structured Dagger (…_serial_N, …_atomic_N, labelled) */
	PH_ENTRY_SDAG = 2,	 /* the run time's part of it (SDAG_RTS) */
	PH_ENTRY_REDUCTION = 4,	  /* takes part in a reduction (addContribution, RecvMsg) */
	PH_ENTRY_CONSTRUCTOR = 8, /* makes a chare */
	PH_ENTRY_OF_RUNTIME = 16  /* what calls it is the run time, known or not (CkReductionMsg) */
} PhTaskEntryFlag;

typedef enum PhTaskEdgeKind
{
	PH_EDGE_DECLARED, /* the log or the user says so */
	PH_EDGE_INFERRED  /* the reader concluded it (as the contributions to a reduction) */
} PhTaskEdgeKind;

typedef enum PhTaskTable
{
	PH_TASK_TYPES,
	PH_TASK_ENTRIES,
	PH_TASK_PROCESSORS,
	PH_TASK_ENTITIES,
	PH_TASK_BLOCKS,
	PH_TASK_EVENTS,
	PH_TASK_IDLES,
	PH_TASK_EDGES,
	PH_TASK_TABLES
} PhTaskTable;

#define PH_TASK_COLUMNS 35 /* of all tables */

typedef struct PhTaskTrace
{
	PhEnv *env;
	PhArena names;
	uint32_t count[PH_TASK_TABLES], capacity[PH_TASK_TABLES];
	size_t room[PH_TASK_COLUMNS]; /* by column: elements allocated */
	uint32_t tick; /* ns; how long an event takes in compat (Projections: 1000); at least 1 */
	bool is_finished;

	/* by chare type */
	const char **type_name;
	int32_t *type_dimensions; /* of its array index; < 1: not an array */

	/* by entry method */
	const char **entry_name; /* without its chare, as in the log: "recvGhost(int it)" */
	uint32_t *entry_type;
	int32_t *entry_serial; /* N of …_serial_N, PH_NO_SERIAL; a labelled serial is numbered at the
							* finish: one more than the serial of its type before it */
	uint8_t *entry_flags;  /* PhTaskEntryFlag bits */

	/* by processor; normal order: by number */
	int32_t *processor_number;	 /* PE; no two alike */
	const char **processor_name; /* host or other label; NULL: none */

	/* by entity; normal order: applications' by (type, collection, index, the first one
	 * fastest), then runtimes' by
	 * processor */
	const char **entity_name;	 /* NULL: told by type and index */
	uint32_t *entity_type;		 /* PH_NONE: a processor's runtime chares */
	uint32_t *entity_collection; /* array of chares it belongs to; PH_NONE: none, or unknown */
	uint8_t *entity_dimensions;	 /* how many of the index count; 0: no index */
	int32_t (*entity_index)[PH_TASK_DIMENSIONS];
	uint8_t *entity_is_runtime;
	uint32_t *entity_processor; /* where it was seen first (its own for runtimes) */

	/* by serial block: one uninterrupted piece; normal order: by processor, then as added */
	uint32_t *block_entity, *block_processor;
	uint32_t *block_entry;			  /* PH_NONE: unknown */
	int64_t *block_begin, *block_end; /* begin <= end; begins of a processor do not decrease */
	uint32_t *block_continues;	 /* the piece before, when this one is reopened; PH_NONE: none */
	uint32_t *block_reduction;	 /* equal numbers: one reduction; PH_NONE: unknown */
	uint32_t *block_first_event; /* + 1; made by the finish */

	/* by event; normal order: by block, then as added */
	uint32_t *event_block;	 /* events outside any block get a block of their own, of no length */
	uint8_t *event_kind;	 /* PhTaskKind */
	int64_t *event_time;	 /* within its block's begin and end, not decreasing in the block */
	uint32_t *event_length;	 /* ns a send took; 0: unknown */
	uint32_t *event_partner; /* of a receive: its send; PH_NONE: unknown. Of a send: PH_NONE */
	uint64_t *event_bytes;

	/* by idle interval; normal order: by processor, then begin */
	uint32_t *idle_processor;
	int64_t *idle_begin, *idle_end; /* begin <= end */

	/* by dependency beyond messages and blocks: from happened before to; normal order: by to, from
	 */
	uint32_t *edge_from, *edge_to; /* events */
	uint8_t *edge_kind;			   /* PhTaskEdgeKind */
} PhTaskTrace;

void ph_task_trace_init(PhTaskTrace *trace, PhEnv *env);
void ph_task_trace_free(PhTaskTrace *trace);

/*
 * A new row of a table, all columns zero; the caller sets every column (none is PH_NONE, not 0).
 * Pointers to columns hold until the next row of that table.
 */
PhStatus ph_task_add(PhTaskTrace *trace, PhTaskTable table, uint32_t *out) PH_MUST_CHECK;

/* Room for n rows in all, to grow once. */
PhStatus ph_task_reserve(PhTaskTrace *trace, PhTaskTable table, uint32_t n) PH_MUST_CHECK;

/* A copy of a name that lives as long as the trace. */
PhStatus ph_task_name(PhTaskTrace *trace, const char *text, size_t length,
					  const char **out) PH_MUST_CHECK;

/* What an entry's name says: its flags, and the number of a serial in *serial. */
uint32_t ph_task_entry_flags(const char *name, int32_t *serial);

/* Is it a serial with a label, as charmc names it: the chare's name, "_", the label, no "("? */
bool ph_task_is_labelled_serial(const char *type, const char *name);

/* By old id; NULL: not wanted. */
typedef struct PhTaskRenumbering
{
	uint32_t *new_entity, *new_block, *new_event;
} PhTaskRenumbering;

/*
 * Check all references and times (PH_ERR_VALUE names table, row and rule), number serials, bring
 * rows into normal order, drop spare room. Ids change. new_entity, new_block and new_event, where
 * not NULL, have room for a number by old id and get the new ones. An event with a time outside its
 * block is an error: readers repair, and report what they repaired.
 */
PhStatus ph_task_trace_finish(PhTaskTrace *trace, const PhTaskRenumbering *out) PH_MUST_CHECK;

/* Bytes the columns take. */
size_t ph_task_trace_bytes(const PhTaskTrace *trace);

#endif
