/*
 * message_cursor.c - steps over the calls of a chunk to its messages and collectives.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/internal.h"

PhMessageCursor
ph_message_cursor(const PhChunkReader *reader)
{
	return (PhMessageCursor){.kinds = ph_chunk_kinds(reader),
							 .times = ph_chunk_times(reader),
							 .operands = ph_chunk_messages(reader),
							 .n = ph_chunk_n_events(reader)};
}

/* The operands that the kind has; as PhOperandArrays keeps them, one array each. */
static void
take_operands(PhMessageCursor *cursor, uint32_t has, PhEvent *event)
{
	const PhOperandArrays *from = cursor->operands;
	if ((has & PH_OPERAND_PEER) != 0)
		event->peer = from->peer[cursor->n_peers++];
	if ((has & PH_OPERAND_COMM) != 0)
		event->comm = from->comm[cursor->n_comms++];
	if ((has & PH_OPERAND_TAG) != 0)
		event->tag = from->tag[cursor->n_tags++];
	if ((has & PH_OPERAND_BYTES) != 0)
		event->bytes = from->bytes[cursor->n_bytes++];
	if ((has & PH_OPERAND_REQUEST) != 0)
		event->request = from->request[cursor->n_requests++];
	if ((has & PH_OPERAND_OPERATION) == 0)
		return;
	event->operation = from->operation[cursor->n_operations++];
	event->root = from->root[cursor->n_roots++];
	event->bytes_received = from->bytes_received[cursor->n_received++];
}

void
ph_message_at(PhMessageCursor *cursor, uint32_t index, PhEvent *event)
{
	*event = (PhEvent){.time = cursor->times[index],
					   .kind = cursor->kinds[index],
					   .region = PH_NONE,
					   .peer = PH_NONE,
					   .comm = PH_NONE,
					   .root = PH_NONE};
	take_operands(cursor, ph_event_operands(event->kind), event);
}

bool
ph_message_next(PhMessageCursor *cursor, PhEvent *event, uint32_t *index)
{
	do
	{
		cursor->at = ph_skip_calls(cursor->kinds, cursor->at, cursor->n);
		if (cursor->at == cursor->n)
			return false;
	} while (cursor->kinds[cursor->at++] > PH_EVENT_NB_COLLECTIVE_COMPLETE);
	*index = cursor->at - 1;
	ph_message_at(cursor, *index, event);
	return true;
}
