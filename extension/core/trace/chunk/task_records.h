/*
 * task_records.h - records by which the events of a task-based program stay in event chunks.
 *
 * A processor of the run time is a location. A serial block is a call whose region is the entry
 * method; PH_EVENT_OTHER with these operations tell the rest of it. Messages are SEND and RECV
 * events whose tag is the message's number at its sender; a message with several receivers is as
 * many SEND events of one tag and time, side by side. Numbers are stored: never renumber.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_TASK_RECORDS_H
#define PH_TRACE_CHUNK_TASK_RECORDS_H

#include "trace/chunk/model.h"

typedef enum PhTaskRecord
{
	PH_RECORD_TASK_BLOCK = 1000, /* behind ENTER: chare, PhBlockFlag bits if any are set */
	PH_RECORD_TASK_PAUSE,		 /* the block stops for one that it calls, and continues */
	PH_RECORD_TASK_RESUME,		 /* the innermost open block goes on: a block of its own */
	PH_RECORD_TASK_CONTINUES,	 /* location, block: the piece that this block goes on with */
	PH_RECORD_TASK_AFTER,		 /* location, block, PhTaskEdgeKind: happened before this block */
	PH_RECORD_TASK_PHASE,		 /* number: the program says that a phase ends */
	PH_RECORD_TASK_END
} PhTaskRecord;

/* Blocks count from 0 within their location: each TASK_BLOCK and each TASK_RESUME is one. */

typedef enum PhBlockFlag
{
	PH_BLOCK_RUNTIME = 1 /* of the run time, whatever its chare */
} PhBlockFlag;

/* "TASK_BLOCK", …; NULL for a number that is none. */
const char *ph_task_record_name(uint32_t operation);

#endif
