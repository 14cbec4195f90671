/*
 * layout.h - how the columns of a chunk are laid out: what writer and reader share.
 *
 *   dt      wide integers: time since the event before (ph_wide_encode)
 *   kind    a byte each
 *   region  integers, one for each ENTER
 *   stack   depth, then for each open call, outermost first: region, enter and seq as differences
 *           from the call around it, time in finished callees; base-128 numbers, lowest digits
 * first msg     operands of kinds SEND … NB_COLLECTIVE_COMPLETE, extra: of the kinds after. One
 * list of wide integers for each PhOperandList, in that order; an event is in those lists that
 *           its kind has operands for; lists without events are left out. Every kind of extra has
 *           an operation and values, if none
 *
 * Every column is packed (ph_pack). Operands are stored so that usual ones are small: see
 * PhOperandList. Private to trace/chunk.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_LAYOUT_H
#define PH_TRACE_CHUNK_LAYOUT_H

#include <string.h>

#include "trace/chunk/codec.h"

typedef enum PhOperandList
{
	PH_LIST_PEER, /* + 1, so that none is 0; communicator and root too */
	PH_LIST_COMM,
	PH_LIST_TAG, /* zigzag */
	PH_LIST_BYTES,
	PH_LIST_RECEIVED,
	PH_LIST_REQUEST, /* zigzag difference from the request before in the list */
	PH_LIST_OPERATION,
	PH_LIST_ROOT,
	PH_LIST_N_VALUES,
	PH_LIST_VALUES, /* zigzag differences from what PhGuess says */
	PH_LISTS
} PhOperandList;

/* The operand that decides whether a kind is in a column. */
static inline uint32_t
ph_list_operand(uint32_t list)
{
	static const uint16_t operands[PH_LISTS] = {
		PH_OPERAND_PEER,	 PH_OPERAND_COMM,	 PH_OPERAND_TAG,	   PH_OPERAND_BYTES,
		PH_OPERAND_RECEIVED, PH_OPERAND_REQUEST, PH_OPERAND_OPERATION, PH_OPERAND_ROOT,
		PH_OPERAND_VALUES,	 PH_OPERAND_VALUES};
	return operands[list];
}

/* Which operand columns a kind belongs to. */
typedef enum PhOperandSet
{
	PH_SET_MESSAGES,
	PH_SET_EXTRAS,
	PH_SETS
} PhOperandSet;

static inline PhOperandSet
ph_kind_set(uint32_t kind)
{
	return kind <= PH_EVENT_NB_COLLECTIVE_COMPLETE ? PH_SET_MESSAGES : PH_SET_EXTRAS;
}

/* SEND ISEND RECV IRECV: the kinds that n_message counts. */
static inline bool
ph_kind_is_message(uint32_t kind)
{
	return kind == PH_EVENT_SEND || kind == PH_EVENT_RECV || kind == PH_EVENT_ISEND ||
		   kind == PH_EVENT_IRECV;
}

/* The last values by member of the last records by operation: what a counter was before. */
#define PH_GUESS_SLOTS 16
#define PH_GUESS_MEMBERS 16
typedef struct PhGuess
{
	uint64_t last[PH_GUESS_SLOTS][PH_GUESS_MEMBERS];
	uint64_t none; /* stays 0: nothing to go by */
} PhGuess;

static inline uint64_t *
ph_guess(PhGuess *guess, uint32_t operation, uint32_t member)
{
	guess->none = 0;
	if (member >= PH_GUESS_MEMBERS)
		return &guess->none;
	return &guess->last[operation % PH_GUESS_SLOTS][member];
}

#endif
