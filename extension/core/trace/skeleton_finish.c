/*
 * skeleton_finish.c - calls in their order, and the two ends of each message joined.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/fetch.h"
#include "base/sort.h"
#include "trace/internal.h"
#include "trace/skeleton_internal.h"
#include "trace/waits.h"

/* ---- calls ---- */

static int
compare_calls(const void *context, uint32_t x, uint32_t y)
{
	const PhCommCall *calls = context;
	return calls[x].seq < calls[y].seq ? -1 : calls[x].seq > calls[y].seq;
}

static PhStatus
reorder_calls(PhSkeleton *skeleton, PhArena *arena, PhCommLocation *location)
{
	uint32_t *order, *place;
	PhCommCall *sorted;
	PH_TRY(ph_sort_indices(arena, location->n_calls, compare_calls, location->calls, &order));
	PH_TRY(PH_NEW(arena, location->n_calls, &place));
	PH_TRY(PH_NEW(arena, location->n_calls, &sorted));
	for (uint32_t i = 0; i < location->n_calls; i++)
	{
		place[order[i]] = i;
		sorted[i] = location->calls[order[i]];
	}
	memcpy(location->calls, sorted, location->n_calls * sizeof(*sorted));
	for (uint32_t i = 0; i < location->n_ends; i++)
	{
		PhCommEnd *end = &location->ends[i];
		end->call = end->call == PH_NONE ? PH_NONE : place[end->call];
		end->other_call = end->other_call == PH_NONE ? PH_NONE : place[end->other_call];
		if (!ph_is_send(end->kind) && !ph_is_receive(end->kind))
			ph_collectives_tell_call(skeleton->collecting, end->partner, end->call);
	}
	return PH_OK;
}

/* Close what was not left; calls by seq: a call may communicate only after those in it have. */
static PhStatus
finish_calls(PhSkeleton *skeleton, PhCommLocation *location)
{
	PhArena arena;
	PhStatus status = PH_OK;
	bool sorted = true;
	if (location->main_from == PH_NO_TIME)
		location->main_from = location->first_time;
	if (location->main_to == PH_NO_TIME)
		location->main_to = location->last_time;
	for (uint32_t i = 0; i < location->n_calls; i++)
	{
		PH_TRY(ph_env_poll_at(skeleton->env, i));
		if (location->calls[i].leave == PH_NO_TIME)
			location->calls[i].leave = location->last_time;
		sorted = sorted && (i == 0 || compare_calls(location->calls, i - 1, i) < 0);
	}
	if (location->io.count > 0 && location->io.items[location->io.count - 1].leave == PH_NO_TIME)
		location->io.items[location->io.count - 1].leave = location->last_time;
	ph_arena_init(&arena, skeleton->env);
	if (!sorted)
		status = reorder_calls(skeleton, &arena, location);
	ph_arena_drop(&arena);
	return status;
}

/* ---- messages ---- */

/*
 * Narrows the range of a search down by steps of doubling length from where the end was expected
 * (galloping).
 */
static void
narrow_down(const PhCommEnd *ends, uint32_t expected, uint64_t seq, uint32_t *low, uint32_t *high)
{
	uint64_t stride = 1;
	if (ends[expected].seq < seq)
	{
		*low = expected + 1;
		for (; stride <= *high - *low && ends[*low + stride - 1].seq < seq; stride *= 2)
			*low += (uint32_t) stride;
		if (stride <= *high - *low)
			*high = *low + (uint32_t) stride - 1;
		return;
	}
	*high = expected;
	for (; stride <= *high && ends[*high - stride].seq >= seq; stride *= 2)
		*high -= (uint32_t) stride;
	if (stride <= *high)
		*low = *high - (uint32_t) stride + 1;
}

#define STRIDES_AHEAD 4

/*
 * Programs repeat themselves: the end that is looked for next is likely as far behind this one as
 * this one is behind the last, and so is its call. Begins to read those of some rounds later.
 */
static void
fetch_next(const PhCommLocation *location, uint32_t found, uint32_t stride)
{
	uint64_t next = found + STRIDES_AHEAD * (uint64_t) stride;
	if (next >= location->n_ends)
		return;
	uint32_t call = location->ends[found].call, last = location->ends[found - stride].call;
	ph_fetch(&location->ends[next]);
	if (location->others != NULL)
		ph_fetch(&location->others[next]);
	if (last < call && call != PH_NONE &&
		STRIDES_AHEAD * (uint64_t) (call - last) < location->n_calls - call)
		ph_fetch_bytes(&location->calls[call + STRIDES_AHEAD * (call - last)],
					   2 * sizeof(PhCommCall));
}

/* Index of the end with this ordinal; ends are in that order, and most are looked for in it. */
static uint32_t
find_end(PhCommLocation *location, uint64_t seq)
{
	uint32_t low = 0, high = location->n_ends, last = location->found;
	uint32_t expected = location->stride < high - last ? last + location->stride : last;
	if (high == 0)
		return PH_NONE;
	if (location->ends[expected].seq == seq)
		low = expected;
	else
	{
		narrow_down(location->ends, expected, seq, &low, &high);
		while (low < high)
		{
			uint32_t middle = low + (high - low) / 2;
			if (location->ends[middle].seq < seq)
				low = middle + 1;
			else
				high = middle;
		}
	}
	if (low >= location->n_ends || location->ends[low].seq != seq)
		return PH_NONE;
	location->found = low;
	location->stride = low > last ? low - last : 0;
	if (location->stride > 0)
		fetch_next(location, low, location->stride);
	return low;
}

/*
 * Makes a receive and the send that its link names partners of each other. A link to what is no
 * send, or to one that has a receive, is PH_ERR_FORMAT, as links come from stored bytes. Counts
 * messages and those received before they were sent.
 */
static PhStatus
join_receive(PhSkeleton *skeleton, uint32_t location, uint32_t index, uint64_t send_seq)
{
	PhCommEnd *receive = &skeleton->locations[location].ends[index];
	uint32_t from = receive->partner_location, sent = PH_NONE;
	if (from < skeleton->n_locations)
		sent = find_end(&skeleton->locations[from], send_seq);
	PhCommEnd *send = sent == PH_NONE ? NULL : &skeleton->locations[from].ends[sent];
	if (send == NULL || !ph_is_send(send->kind) || ph_is_of_epoch(send->kind) ||
		send->partner != PH_NONE)
		return ph_fail(skeleton->env, PH_ERR_FORMAT,
					   "event %llu of location %u is linked to event %llu of location %u, which "
					   "is no send or was received before",
					   (unsigned long long) receive->seq, location, (unsigned long long) send_seq,
					   from);
	ph_skeleton_join_ends(skeleton, from, sent, location, index);
	if ((skeleton->keeps & PH_KEEP_CAME) != 0)
		ph_note_came(skeleton, location, index);
	skeleton->counts.messages++;
	int64_t reversal = send->time - receive->time;
	skeleton->counts.reversed += reversal > 0;
	if (reversal > skeleton->counts.worst_reversal)
		skeleton->counts.worst_reversal = reversal;
	return PH_OK;
}

static PhStatus
join_location(PhSkeleton *skeleton, uint32_t location)
{
	PhCommLocation *place = &skeleton->locations[location];
	uint32_t next = 0;
	for (uint32_t i = 0; i < place->n_ends; i++)
	{
		PH_TRY(ph_env_poll_at(skeleton->env, i));
		if (!ph_is_message_receive(&place->ends[i]))
			continue;
		uint64_t send_seq = place->send_seqs[next++];
		if (place->ends[i].partner_location != PH_NONE)
			PH_TRY(join_receive(skeleton, location, i, send_seq));
		else
			skeleton->counts.unmatched_receives++;
	}
	ph_skeleton_free_links(skeleton->env, place);
	return PH_OK;
}

/* ---- all ---- */

/* What starting waits for may be awaited by completing, as a receive that was only posted. */
static uint32_t
epoch_holds(const PhCommEnd *end)
{
	if (end->kind == PH_COMM_SIGNAL)
		return PH_HOLDS_SEND;
	return end->partner == PH_NONE ? PH_HOLDS_POSTED_RECEIVE : PH_HOLDS_RECEIVE;
}

static uint32_t
collective_holds(const PhSkeleton *skeleton, const PhCommEnd *end)
{
	PhEvidence evidence = skeleton->collectives.members[end->partner].evidence;
	if (evidence == PH_UNKNOWN)
		return PH_HOLDS_UNKNOWN_COLLECTIVE;
	return PH_HOLDS_COLLECTIVE | (evidence == PH_INFERRED ? PH_HOLDS_INFERRED : 0);
}

/* What each call holds, now that it is known which ends have partners. */
static PhStatus
mark_calls(PhSkeleton *skeleton, PhCommLocation *location)
{
	void *marks;
	PH_TRY(ph_env_alloc(skeleton->env, location->n_calls, sizeof(uint8_t), &marks));
	location->holds = marks;
	for (uint32_t i = 0; i < location->n_ends; i++)
	{
		const PhCommEnd *end = &location->ends[i];
		uint32_t holds;
		PH_TRY(ph_env_poll_at(skeleton->env, i));
		if (ph_is_of_epoch(end->kind))
			holds = epoch_holds(end);
		else if (ph_is_send(end->kind))
		{
			holds = PH_HOLDS_SEND;
			skeleton->counts.unmatched_sends += end->partner == PH_NONE;
		}
		else if (ph_is_receive(end->kind))
			holds = end->partner == PH_NONE ? PH_HOLDS_UNMATCHED_RECEIVE : PH_HOLDS_RECEIVE;
		else
			holds = collective_holds(skeleton, end);
		if (end->call != PH_NONE)
			location->holds[end->call] |= (uint8_t) holds;
		if (end->other_call != PH_NONE)
			location->holds[end->other_call] |=
				ph_is_send(end->kind) ? PH_HOLDS_COMPLETED_SEND : PH_HOLDS_POSTED_RECEIVE;
	}
	return PH_OK;
}

void
ph_skeleton_keep(PhSkeleton *skeleton, uint32_t what)
{
	skeleton->keeps |= what;
}

static PhStatus
begin_others(PhSkeleton *skeleton, PhCommLocation *location)
{
	void *others = NULL;
	PH_TRY(ph_env_resize(skeleton->env, &others, 0, location->n_ends, sizeof(*location->others)));
	location->others = others;
	for (uint32_t i = 0; i < location->n_ends; i++)
		location->others[i] = (PhOtherTimes){PH_TIME_UNKNOWN, PH_TIME_UNKNOWN};
	return PH_OK;
}

PhStatus
ph_skeleton_finish(PhSkeleton *skeleton)
{
	if (skeleton->finished)
		return ph_fail(skeleton->env, PH_ERR_VALUE, "a skeleton is finished twice");
	skeleton->finished = true;
	ph_skeleton_free_requests(skeleton);
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		PH_TRY(ph_skeleton_fit(skeleton, &skeleton->locations[i]));
		PH_TRY(finish_calls(skeleton, &skeleton->locations[i]));
		if ((skeleton->keeps & PH_KEEP_CAME) != 0)
			PH_TRY(begin_others(skeleton, &skeleton->locations[i]));
	}
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
		PH_TRY(join_location(skeleton, i));
	if (skeleton->has_windows)
		PH_TRY(ph_skeleton_join_epochs(skeleton));
	PH_TRY(ph_collectives_group(skeleton->collecting, &skeleton->collectives));
	for (uint32_t i = 0; i < skeleton->n_locations && (skeleton->keeps & PH_KEEP_HOLDS) != 0; i++)
		PH_TRY(mark_calls(skeleton, &skeleton->locations[i]));
	return PH_OK;
}
