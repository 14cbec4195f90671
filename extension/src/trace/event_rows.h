/*
 * event_rows.h - events of a chunk as rows, for the whole run's function and the view's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_EVENT_ROWS_H
#define PH_TRACE_EVENT_ROWS_H

#include "server/rowio.h"
#include "trace/chunk/chunk.h"

/* Texts that many rows share, made once; in the memory that is current at ph_event_texts_init. */
typedef struct PhEventTexts
{
	MemoryContext context;
	Datum kinds[PH_EVENT_KIND_COUNT];
	Datum collectives[PH_COLLECTIVE_COUNT];
} PhEventTexts;

void ph_event_texts_init(PhEventTexts *texts);

/* The name of its record: ENTER, MPI_ISEND, …. */
void ph_rows_event_kind(PhRows *rows, PhEventTexts *texts, const PhEvent *event);

/* Collectives: barrier, allreduce, …; MEASUREMENT: on, off; null otherwise. */
void ph_rows_event_operation(PhRows *rows, PhEventTexts *texts, const PhEvent *event);

/* An operand that the event's kind may not have; null then, as for PH_NONE. */
void ph_rows_event_index(PhRows *rows, const char *name, const PhEvent *event, PhOperandBit operand,
						 uint32 value);
void ph_rows_event_number(PhRows *rows, const char *name, const PhEvent *event,
						  PhOperandBit operand, uint64 value);

/* peer, tag, bytes, communicator. */
void ph_rows_event_message(PhRows *rows, const PhEvent *event);

/* Calls around the event, the one that it enters or leaves not counted; null: outside of all. */
void ph_rows_event_depth(PhRows *rows, const PhEvent *event, PhChunkReader *reader);

#endif
