/*
 * event_rows.c - the columns of an event.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "trace/event_rows.h"

void
ph_event_texts_init(PhEventTexts *texts)
{
	memset(texts, 0, sizeof(*texts));
	texts->context = CurrentMemoryContext;
}

/* The text of a slot, made when it is first wanted. */
static Datum
shared_text(PhEventTexts *texts, Datum *slot, const char *word)
{
	if (*slot == (Datum) 0)
	{
		MemoryContext old = MemoryContextSwitchTo(texts->context);
		*slot = CStringGetTextDatum(word);
		MemoryContextSwitchTo(old);
	}
	return *slot;
}

void
ph_rows_event_kind(PhRows *rows, PhEventTexts *texts, const PhEvent *event)
{
	const char *name = ph_event_name(event->kind, event->operation);
	bool has_one_name = event->kind < PH_EVENT_RMA;
	if (has_one_name)
		ph_rows_datum(rows, "kind", shared_text(texts, &texts->kinds[event->kind], name));
	else
		ph_rows_text(rows, "kind", name);
}

void
ph_rows_event_operation(PhRows *rows, PhEventTexts *texts, const PhEvent *event)
{
	bool is_collective =
		event->kind == PH_EVENT_COLLECTIVE_END || event->kind == PH_EVENT_NB_COLLECTIVE_COMPLETE;
	if (is_collective && event->operation < PH_COLLECTIVE_COUNT)
		ph_rows_datum(rows, "operation",
					  shared_text(texts, &texts->collectives[event->operation],
								  ph_collective_name(event->operation)));
	else if (is_collective)
		ph_rows_text(rows, "operation", ph_collective_name(event->operation));
	else if (event->kind == PH_EVENT_MEASUREMENT)
		ph_rows_text(rows, "operation", event->operation == 1 ? "on" : "off");
	else
		ph_rows_null(rows, "operation");
}

static bool
has_operand(const PhEvent *event, PhOperandBit operand)
{
	return (ph_event_operands(event->kind) & operand) != 0;
}

void
ph_rows_event_index(PhRows *rows, const char *name, const PhEvent *event, PhOperandBit operand,
					uint32 value)
{
	ph_rows_index(rows, name, has_operand(event, operand) ? value : PH_NONE);
}

void
ph_rows_event_number(PhRows *rows, const char *name, const PhEvent *event, PhOperandBit operand,
					 uint64 value)
{
	if (has_operand(event, operand))
		ph_rows_bigint(rows, name, (int64) value);
	else
		ph_rows_null(rows, name);
}

void
ph_rows_event_message(PhRows *rows, const PhEvent *event)
{
	ph_rows_event_index(rows, "peer", event, PH_OPERAND_PEER, event->peer);
	if (has_operand(event, PH_OPERAND_TAG))
		ph_rows_int(rows, "tag", event->tag);
	else
		ph_rows_null(rows, "tag");
	ph_rows_event_number(rows, "bytes", event, PH_OPERAND_BYTES, event->bytes);
	ph_rows_event_index(rows, "communicator", event, PH_OPERAND_COMM, event->comm);
}

void
ph_rows_event_depth(PhRows *rows, const PhEvent *event, PhChunkReader *reader)
{
	uint32 open;
	(void) ph_chunk_open_calls(reader, &open);
	if (event->kind == PH_EVENT_LEAVE)
		ph_rows_int(rows, "depth", (int32) open);
	else if (open == 0)
		ph_rows_null(rows, "depth");
	else
		ph_rows_int(rows, "depth", (int32) open - 1);
}
