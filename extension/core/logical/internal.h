/*
 * internal.h - shared by the files that make a logical model.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_INTERNAL_H
#define PH_LOGICAL_INTERNAL_H

#include "base/table.h"
#include "logical/input.h"

/*
 * What all locations contribute, one behind the other: events, sends, slots (receives in posting
 * order), collective records and calls count through all of them, in the order in which they came.
 * Columns of one kind of rows grow together.
 */
typedef enum PhPartRows
{
	PH_ROWS_EVENT,
	PH_ROWS_END,
	PH_ROWS_SEND,
	PH_ROWS_SLOT,
	PH_ROWS_COLL,
	PH_ROWS_EPOCH,
	PH_ROWS_CALL,
	PH_ROWS_KINDS
} PhPartRows;

typedef enum PhPartColumn
{
	/* by event */
	PH_PART_ENTER,
	PH_PART_EXIT,
	PH_PART_REGION,
	PH_PART_CALLER,
	PH_PART_KIND,
	PH_PART_FLAGS,
	PH_PART_ENDS, /* number of its messages */
	PH_PART_FUNCTION,
	PH_PART_INSIDE,
	PH_PART_BEFORE,
	/* by end: a message of a send, a slot of a receive */
	PH_PART_END,
	/* by send */
	PH_PART_SEND_EVENT,
	PH_PART_SEND_BYTES,
	PH_PART_SEND_PEER,
	PH_PART_SEND_COMM,
	PH_PART_SEND_TAG,
	PH_PART_SEND_TIME,
	/* by slot; its peer is PH_NONE until a receive completes */
	PH_PART_SLOT_BYTES,
	PH_PART_SLOT_PEER,
	PH_PART_SLOT_COMM,
	PH_PART_SLOT_TAG,
	PH_PART_SLOT_TIME,
	/* by collective record */
	PH_PART_COLL_EVENT,
	PH_PART_COLL_OPERATION,
	PH_PART_COLL_COMM,
	PH_PART_COLL_ROOT,
	/* by end of an epoch of a window, in order of events */
	PH_PART_EPOCH_EVENT, /* PH_NONE: it is none */
	PH_PART_EPOCH_PEER,
	PH_PART_EPOCH_WINDOW,
	PH_PART_EPOCH_ROLE,
	PH_PART_EPOCH_PAIR, /* a number that its other end has, too; PH_NONE: that is not recorded */
	PH_PART_EPOCH_TIME,
	/* by call */
	PH_PART_CALL_REGION,
	PH_PART_CALL_PARENT,
	PH_PART_CALL_COMMS,
	PH_PART_CALL_IS_EVENT,
	PH_PART_COLUMNS
} PhPartColumn;

typedef struct PhLogicalColumns
{
	PhEnv *env;
	uint32_t n[PH_ROWS_KINDS], room[PH_ROWS_KINDS];
	double share; /* what there is, of what there will be; 0: not known */
	bool wanted[PH_PART_COLUMNS];
	uint32_t allocated[PH_PART_COLUMNS]; /* elements, at least the room of its kind of rows */
	void *column[PH_PART_COLUMNS];		 /* NULL: not wanted, or there are no rows yet */
} PhLogicalColumns;

#define PH_COLUMN(type, columns, which) ((type *) (columns).column[which])

void ph_columns_init(PhLogicalColumns *columns, PhEnv *env);
/* PH_ERR_LIMIT when there are too many rows. */
PhStatus ph_columns_grow(PhLogicalColumns *columns, PhPartRows rows) PH_MUST_CHECK;
/* Make room for n rows in all, unless there is. */
PhStatus ph_columns_reserve(PhLogicalColumns *columns, PhPartRows rows, uint64_t n) PH_MUST_CHECK;
/* Give back the room that is not used; then nothing may be added. */
PhStatus ph_columns_trim(PhLogicalColumns *columns) PH_MUST_CHECK;
void ph_columns_drop(PhLogicalColumns *columns, PhPartColumn which);
void ph_columns_free(PhLogicalColumns *columns);
/* The kind of rows that a column has, and the bytes of an element. */
PhPartRows ph_column_rows(PhPartColumn which);
uint32_t ph_column_width(PhPartColumn which);

/* A new row of a kind; its elements are to be set. */
static inline PhStatus
ph_columns_add(PhLogicalColumns *columns, PhPartRows rows, uint32_t *out)
{
	if (columns->n[rows] == columns->room[rows])
		PH_TRY(ph_columns_grow(columns, rows));
	*out = columns->n[rows]++;
	return PH_OK;
}

/* The rows of a location. */
typedef struct PhLogicalPart
{
	uint32_t location;
	uint32_t from; /* whose they are: 0 for the input's own columns, i for the i-th other ones */
	uint32_t first[PH_ROWS_KINDS], end[PH_ROWS_KINDS];
} PhLogicalPart;

/* Rows of several columns, which follow each other when they are gathered. */
typedef struct PhGathering
{
	PhLogicalColumns *columns; /* the input's own, which take all rows in */
	PhLogicalColumns *others;  /* n_others, empty afterwards */
	uint32_t n_others;
	const PhLogicalPart *parts;
	const uint32_t *order;			/* of the parts to take */
	uint32_t n;						/* of them */
	uint32_t *start[PH_ROWS_KINDS]; /* n + 1: where their rows go */
} PhGathering;

/* Numbers of parts in order of timelines: rank, thread, location. */
PhStatus ph_logical_order_parts(PhArena *temporary, const PhTraceModel *trace,
								const PhLogicalPart *parts, uint32_t n_parts,
								uint32_t **out) PH_MUST_CHECK;
/* Set start, in temporary. */
PhStatus ph_gathering_find_starts(PhGathering *gathering, PhArena *temporary) PH_MUST_CHECK;
/* Put the rows behind each other, column by column: memory peaks at one column more. */
PhStatus ph_gathering_run(const PhGathering *gathering) PH_MUST_CHECK;

/* What the input knows of a region. */
typedef enum PhRegionFlag
{
	PH_REGION_MPI = 1,
	PH_REGION_ISEND = 2,
	PH_REGION_WAITALL = 4,	/* Waitall, Testall */
	PH_REGION_FUNCTION = 8, /* options.phase_function */
	PH_REGION_COLLECTIVE = 16,
	PH_REGION_LATER = 32, /* a collective that another call completes */
	PH_REGION_EPOCH = 64  /* it begins or ends an epoch of a window */
} PhRegionFlag;

/* Calls of the location that completed non-blocking sends without being events, in leave order. */
typedef struct PhWaitMark
{
	uint32_t n_events; /* events of the location before it */
	bool is_waitall;
	int64_t enter, exit;
} PhWaitMark;

/*
 * Set PH_COMM_WAITED where an event from `first` on is in one wait group with the one before.
 * complete: by event from there, when the last of its sends completed, PH_NO_TIME: not recorded, as
 * for all events behind n_complete of them.
 */
PhStatus ph_logical_mark_waits(const PhLogicalOptions *options, PhLogicalColumns *columns,
							   uint32_t first, const int64_t *complete, uint32_t n_complete,
							   const PhWaitMark *marks, uint32_t n_marks,
							   const uint8_t *region_flags) PH_MUST_CHECK;

/* Everything of all locations in order of timelines. */
typedef struct PhLogicalJoin
{
	PhLogicalModel *model;
	const PhTraceModel *trace;
	const PhLogicalOptions *options;
	PhLogicalColumns *columns; /* what the model does not own, which are the arrays below */
	uint32_t n_sends, n_slots, n_colls;
	uint32_t *first_send, *first_slot, *first_coll; /* n_timelines + 1 */
	/* by send; times are only known where ranks have several timelines */
	uint32_t *send_peer, *send_comm;
	int64_t *send_time;
	/* by slot; PH_NONE for a peer: nothing was received */
	uint32_t *slot_peer, *slot_comm, *slot_tag;
	uint64_t *slot_bytes;
	int64_t *slot_time;
	uint32_t *slot_message; /* takes the place of slot_peer when that is done with */
	/* by collective record */
	uint32_t *coll_event, *coll_operation, *coll_comm, *coll_root;
	/* by end of an epoch */
	uint32_t n_epochs;
	uint32_t *epoch_event, *epoch_pair;
} PhLogicalJoin;

/*
 * Columns to model and join. What the model keeps moves there; the rest stays with the columns,
 * which must outlive the join. temporary holds where timelines start.
 */
PhStatus ph_logical_join(PhArena *temporary, const PhTraceModel *trace,
						 const PhLogicalOptions *options, PhLogicalColumns *columns,
						 const PhLogicalPart *parts, uint32_t n_parts, PhLogicalModel *model,
						 PhLogicalJoin *out) PH_MUST_CHECK;
/* Fill slot_message by matching sends and receives. */
PhStatus ph_logical_match(PhLogicalJoin *join) PH_MUST_CHECK;
/* Fill slot_message from a matcher's links: slots are in order of completion. */
PhStatus ph_logical_take_links(PhLogicalJoin *join, const PhMatcher *matcher) PH_MUST_CHECK;
/* From slot_message fill the model's messages; gives the columns of messages back. */
PhStatus ph_logical_write_messages(PhLogicalJoin *join) PH_MUST_CHECK;
/* Then epochs of windows become messages of their own, without bytes. */
PhStatus ph_logical_add_epochs(PhLogicalJoin *join) PH_MUST_CHECK;
/* Fill the model's collectives. */
PhStatus ph_logical_collect(PhLogicalJoin *join) PH_MUST_CHECK;

/* The timelines of one rank: [first, next) from join's model, which is ordered by rank. */
uint32_t ph_logical_rank_end(const PhLogicalModel *model, uint32_t first);

/* Bring ids[0..n) into order of (times[id], id); only needed where timelines share a rank. */
PhStatus ph_logical_by_time(PhEnv *env, uint32_t *ids, uint32_t n,
							const int64_t *times) PH_MUST_CHECK;

#endif
