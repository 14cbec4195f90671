/*
 * wait_states.c - see wait_states.h: the causes of each call, of which the last one owns its wait.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/wait_states.h"

#include "base/fetch.h"
#include "base/min_max.h"
#include "base/vector.h"
#include "blame/io_waits.h"
#include "blame/window_locks.h"
#include "trace/mpi_calls.h"
#include "trace/waits.h"

/* What a call waited for longest. */
typedef struct CallCause
{
	int64_t release; /* after the call was entered */
	int64_t until;	 /* the wait's end at the latest: of a collective, its own end */
	uint32_t end, awaited, instance;
	uint16_t kind;
	bool is_inferred;
} CallCause;

/* When messages were sent: looking that up takes most of the time. */
typedef enum SendTimes
{
	NOT_SENT,	 /* not looked at */
	SENT_SINCE,	 /* when the call was entered that sent */
	SENT_EXACTLY /* when it did */
} SendTimes;

typedef struct Finder
{
	PhEnv *env;
	const PhSkeleton *skeleton;
	bool tells_partners; /* else nobody asks what the other end did, nor in which order */
	const PhRendezvous *rendezvous;
	const uint32_t *causes; /* by member of a collective */
	PhThreadWaits threads, locks;
	uint32_t at;
	PhIndices cause_of;			/* by call of the location at hand: its cause + 1; 0: it has none */
	PH_VECTOR(CallCause) calls; /* those causes */
	SendTimes sent;				/* of what the location received, as look_ahead had it */
	PH_VECTOR(int64_t) earliest_next; /* by end, and behind the last: see look_ahead */
	PH_VECTOR(int64_t) earliest_same; /* by end that received something */
	int64_t *by_sender;				  /* by location: INT64_MAX, but for those of look_ahead */
	PH_VECTOR(PhWait) waits;
} Finder;

const char *
ph_wait_kind_name(uint32_t kind)
{
	static const char *const names[PH_WAIT_KINDS] = {
		"late sender",	  "wrong order",   "late receiver", "barrier",		"N to N",
		"late broadcast", "early reduce",  "early scan",	"team barrier", "thread join",
		"idle thread",	  "lock",		   "device",		"fence",		"window",
		"late post",	  "late complete", "window lock",	"I/O"};
	return kind < PH_WAIT_KINDS ? names[kind] : "unknown";
}

/* ---- calls ---- */

/* Would the call have waited for this longer than for what is known of it? */
static bool
is_later_cause(const Finder *finder, uint32_t call, int64_t release)
{
	uint32_t known = finder->cause_of.items[call];
	if (known != 0)
		return finder->calls.items[known - 1].release < release;
	return finder->skeleton->locations[finder->at].calls[call].enter < release;
}

static PhStatus
take_cause(Finder *finder, uint32_t call, const CallCause *cause)
{
	uint32_t *known = &finder->cause_of.items[call];
	if (*known == 0)
	{
		PH_TRY(PH_ROOM(finder->env, &finder->calls));
		*known = ++finder->calls.count;
	}
	finder->calls.items[*known - 1] = *cause;
	return PH_OK;
}

/* ---- messages ---- */

static const PhCommEnd *
partner_of(const PhSkeleton *skeleton, const PhCommEnd *end)
{
	return &skeleton->locations[end->partner_location].ends[end->partner];
}

/* When who is at the other end came; epochs are few. */
static int64_t
sender_came(const Finder *finder, uint32_t index)
{
	const PhCommEnd *end = &finder->skeleton->locations[finder->at].ends[index];
	uint32_t call;
	if (!ph_is_of_epoch(end->kind))
		return ph_came(finder->skeleton, finder->at, index);
	return ph_end_entered(&finder->skeleton->locations[end->partner_location],
						  partner_of(finder->skeleton, end), &call);
}

static PhStatus
look_at_receive(Finder *finder, uint32_t index)
{
	const PhSkeleton *skeleton = finder->skeleton;
	const PhCommEnd *end = &skeleton->locations[finder->at].ends[index];
	int64_t came = sender_came(finder, index);
	if (!is_later_cause(finder, end->call, came))
		return PH_OK;
	CallCause cause = {.release = came,
					   .until = INT64_MAX,
					   .end = index,
					   .awaited = end->partner_location,
					   .instance = PH_NONE,
					   .kind = (uint16_t) ph_wait_kind_of_receive(end)};
	return take_cause(finder, end->call, &cause);
}

static PhStatus
look_at_send(Finder *finder, uint32_t index)
{
	const PhCommEnd *end = &finder->skeleton->locations[finder->at].ends[index];
	int64_t came = ph_came(finder->skeleton, finder->at, index);
	uint32_t sending = ph_sending_call(end);
	if (came == PH_NO_TIME || sending == PH_NONE ||
		!ph_is_innermost_call(&finder->skeleton->locations[finder->at], sending) ||
		!is_later_cause(finder, sending, came) ||
		!ph_rendezvous_waits_for(finder->rendezvous, finder->at, end, came))
		return PH_OK;
	CallCause cause = {.release = came,
					   .until = INT64_MAX,
					   .end = index,
					   .awaited = end->partner_location,
					   .instance = PH_NONE,
					   .kind = PH_WAIT_LATE_RECEIVER};
	return take_cause(finder, sending, &cause);
}

/* ---- collectives ---- */

PhWaitKind
ph_wait_kind_of_collective(uint32_t operation)
{
	switch (ph_collective_flow(operation))
	{
		case PH_FLOW_FROM_ROOT:
			return PH_WAIT_LATE_BROADCAST;
		case PH_FLOW_TO_ROOT:
			return PH_WAIT_EARLY_REDUCE;
		case PH_FLOW_PREFIX:
			return PH_WAIT_EARLY_SCAN;
		default:
			break;
	}
	if (ph_collective_is_of_window(operation))
		return operation == PH_COLLECTIVE_FENCE ? PH_WAIT_FENCE : PH_WAIT_WINDOW;
	return operation == PH_COLLECTIVE_BARRIER ? PH_WAIT_BARRIER : PH_WAIT_N_TO_N;
}

PhWaitKind
ph_wait_kind_of_receive(const PhCommEnd *end)
{
	if (!ph_is_of_epoch(end->kind))
		return PH_WAIT_LATE_SENDER;
	return end->size == PH_EPOCH_WAIT ? PH_WAIT_LATE_COMPLETE : PH_WAIT_LATE_POST;
}

static PhStatus
look_at_collective(Finder *finder, uint32_t index)
{
	const PhCommEnd *end = &finder->skeleton->locations[finder->at].ends[index];
	const PhCollectiveRows *rows = &finder->skeleton->collectives;
	const PhCollectiveMember *member = &rows->members[end->partner];
	if (finder->causes[end->partner] == PH_NONE)
		return PH_OK;
	const PhCollectiveMember *awaited = &rows->members[finder->causes[end->partner]];
	if (!is_later_cause(finder, end->call, awaited->enter))
		return PH_OK;
	uint32_t operation = rows->instances[member->instance].operation;
	CallCause cause = {.release = awaited->enter,
					   .until = end->time,
					   .end = index,
					   .awaited = awaited->location,
					   .instance = member->instance,
					   .kind = (uint16_t) ph_wait_kind_of_collective(operation),
					   .is_inferred =
						   awaited->evidence == PH_INFERRED || member->evidence == PH_INFERRED};
	return take_cause(finder, end->call, &cause);
}

/* ---- a location ---- */

static bool
is_member(const PhCommEnd *end)
{
	return !ph_is_send(end->kind) && !ph_is_receive(end->kind);
}

static PhStatus
look_at_end(Finder *finder, uint32_t index)
{
	const PhCommLocation *location = &finder->skeleton->locations[finder->at];
	const PhCommEnd *end = &location->ends[index];
	if (ph_is_send(end->kind))
		return look_at_send(finder, index);
	if (end->call == PH_NONE || !ph_is_innermost_call(location, end->call))
		return PH_OK;
	if (is_member(end))
		return look_at_collective(finder, index);
	return end->partner == PH_NONE ? PH_OK : look_at_receive(finder, index);
}

/* Ends of one call; those of others lie before and behind them. */
static uint32_t
first_of_call(const PhCommLocation *location, uint32_t end)
{
	uint32_t call = location->ends[end].call;
	while (end > 0 && location->ends[end - 1].call == call)
		end--;
	return end;
}

/* When the message of a receive was sent, or earlier; INT64_MAX: nobody knows, or it is none. */
static int64_t
sent_at(const Finder *finder, uint32_t index)
{
	const PhCommEnd *end = &finder->skeleton->locations[finder->at].ends[index];
	if (!ph_is_message_receive(end) || end->partner == PH_NONE)
		return INT64_MAX;
	return finder->sent == SENT_EXACTLY ? partner_of(finder->skeleton, end)->time
										: ph_came(finder->skeleton, finder->at, index);
}

/*
 * By end, backwards: the earliest send of what is received from there on until this location sends
 * or is in a collective; and, of what later calls receive from the same sender as this end.
 */
static PhStatus
look_ahead(Finder *finder, SendTimes sent_times)
{
	const PhCommLocation *location = &finder->skeleton->locations[finder->at];
	int64_t *earliest_next = finder->earliest_next.items;
	finder->sent = sent_times;
	earliest_next[location->n_ends] = INT64_MAX;
	for (uint32_t behind = location->n_ends; behind > 0;)
	{
		uint32_t first = first_of_call(location, behind - 1);
		PH_TRY(ph_env_poll(finder->env));
		for (uint32_t i = first; i < behind; i++)
			if (sent_at(finder, i) != INT64_MAX)
				finder->earliest_same.items[i] =
					finder->by_sender[location->ends[i].partner_location];
		for (uint32_t i = behind; i-- > first;)
		{
			const PhCommEnd *end = &location->ends[i];
			int64_t sent = sent_at(finder, i);
			earliest_next[i] =
				ph_is_message_receive(end) ? PH_MIN(earliest_next[i + 1], sent) : INT64_MAX;
			if (sent != INT64_MAX)
				finder->by_sender[end->partner_location] =
					PH_MIN(finder->by_sender[end->partner_location], sent);
		}
		behind = first;
	}
	for (uint32_t i = 0; i < location->n_ends; i++)
		if (sent_at(finder, i) != INT64_MAX)
			finder->by_sender[location->ends[i].partner_location] = INT64_MAX;
	return PH_OK;
}

/*
 * Was a message sent before the wait's that the victim could have received in its place? Of the
 * same sender any that a later call receives; of others those that it receives before it sends or
 * is in a collective: what comes after that may depend on the message that was waited for, as in
 * an exchange of which one neighbour is an iteration ahead.
 */
static bool
could_receive_another(const Finder *finder, const PhWait *wait)
{
	const PhCommLocation *location = &finder->skeleton->locations[finder->at];
	int64_t sent = partner_of(finder->skeleton, &location->ends[wait->end])->time;
	uint32_t next = wait->end + 1;
	while (next < location->n_ends && location->ends[next].call == wait->call)
		next++;
	return finder->earliest_next.items[next] < sent ||
		   finder->earliest_same.items[wait->end] < sent;
}

/* No message was sent before its call was entered: mostly that tells enough. */
static PhStatus
is_wrong_order(Finder *finder, const PhWait *wait, bool *out)
{
	uint32_t n = finder->skeleton->locations[finder->at].n_ends;
	PH_TRY(PH_RESERVE(finder->env, &finder->earliest_next, (size_t) n + 1));
	PH_TRY(PH_RESERVE(finder->env, &finder->earliest_same, n));
	if (finder->sent == NOT_SENT)
		PH_TRY(look_ahead(finder, SENT_SINCE));
	*out = could_receive_another(finder, wait);
	if (!*out || finder->sent == SENT_EXACTLY)
		return PH_OK;
	PH_TRY(look_ahead(finder, SENT_EXACTLY));
	*out = could_receive_another(finder, wait);
	return PH_OK;
}

/* The call that ended the wait; PH_NONE: none that communicates. */
static uint32_t
releasing_call(const Finder *finder, const PhWait *wait)
{
	const PhSkeleton *skeleton = finder->skeleton;
	const PhCommEnd *end = &skeleton->locations[finder->at].ends[wait->end];
	const PhCollectiveRows *rows = &skeleton->collectives;
	PhReceiverCame came = {.call = PH_NONE};
	if (ph_is_receive(end->kind))
		ph_end_entered(&skeleton->locations[wait->awaited], partner_of(skeleton, end), &came.call);
	else if (ph_is_send(end->kind))
		ph_receiver_came(skeleton, finder->at, end, &came);
	else if (rows->members[finder->causes[end->partner]].is_blocking)
		came.call = rows->members[finder->causes[end->partner]].call;
	return came.call;
}

static uint32_t
awaited_region(const Finder *finder, const PhWait *wait)
{
	uint32_t call = releasing_call(finder, wait);
	return call == PH_NONE ? PH_NONE
						   : finder->skeleton->locations[wait->awaited].calls[call].region;
}

static PhStatus
add_wait(Finder *finder, uint32_t index, const CallCause *cause)
{
	const PhCommCall *call = &finder->skeleton->locations[finder->at].calls[index];
	int64_t to = PH_MIN(PH_MIN(cause->release, cause->until), call->leave);
	if (to <= call->enter)
		return PH_OK;
	PhWait wait = {.from = call->enter,
				   .to = to,
				   .release = cause->release,
				   .victim = finder->at,
				   .awaited = cause->awaited,
				   .call = index,
				   .end = cause->end,
				   .region = call->region,
				   .seq = call->seq,
				   .instance = cause->instance,
				   .kind = cause->kind,
				   .is_inferred = cause->is_inferred};
	PH_TRY(PH_ROOM(finder->env, &finder->waits));
	finder->waits.items[finder->waits.count++] = wait;
	return PH_OK;
}

/* Other ends lie anywhere in memory: begin to read the one of a wait, or the call that it is in. */
static void
fetch_partner(const Finder *finder, const PhWait *wait, bool is_end_here)
{
	const PhCommEnd *end = &finder->skeleton->locations[finder->at].ends[wait->end];
	if (is_member(end))
		return;
	const PhCommLocation *other = &finder->skeleton->locations[wait->awaited];
	const PhCommEnd *partner = &other->ends[end->partner];
	if (!is_end_here)
		ph_fetch(partner);
	else if (partner->call != PH_NONE)
		ph_fetch_bytes(&other->calls[partner->call], 2 * sizeof(PhCommCall));
}

/* What only the other end tells of the waits from the first one on. */
static PhStatus
look_at_partners(Finder *finder, uint32_t first)
{
	for (uint32_t i = first; i < finder->waits.count; i++)
	{
		PhWait *wait = &finder->waits.items[i];
		bool is_wrong = false;
		if (i + 2 * PH_FETCH_AHEAD < finder->waits.count)
			fetch_partner(finder, wait + 2 * PH_FETCH_AHEAD, false);
		if (i + PH_FETCH_AHEAD < finder->waits.count)
			fetch_partner(finder, wait + PH_FETCH_AHEAD, true);
		wait->awaited_region = awaited_region(finder, wait);
		if (wait->kind == PH_WAIT_LATE_SENDER)
			PH_TRY(is_wrong_order(finder, wait, &is_wrong));
		if (is_wrong)
			wait->kind = PH_WAIT_WRONG_ORDER;
	}
	return PH_OK;
}

static PhStatus
find_at_location(Finder *finder)
{
	const PhCommLocation *location = &finder->skeleton->locations[finder->at];
	uint32_t first = finder->waits.count;
	PH_TRY(PH_RESERVE(finder->env, &finder->cause_of, location->n_calls));
	finder->calls.count = 0;
	finder->sent = NOT_SENT;
	for (uint32_t i = 0; i < location->n_calls; i++)
		finder->cause_of.items[i] = 0;
	for (uint32_t i = 0; i < location->n_ends; i++)
	{
		PH_TRY(ph_env_poll_at(finder->env, i));
		PH_TRY(look_at_end(finder, i));
	}
	for (uint32_t i = 0; i < location->n_calls; i++)
	{
		PH_TRY(ph_env_poll_at(finder->env, i));
		if (finder->cause_of.items[i] != 0)
			PH_TRY(add_wait(finder, i, &finder->calls.items[finder->cause_of.items[i] - 1]));
	}
	return finder->tells_partners ? look_at_partners(finder, first) : PH_OK;
}

/* ---- threads and locks ---- */

/* Puts others, which are by time, between the location's waits, which begin at `first`. */
static PhStatus
merge_waits(Finder *finder, const PhWait *others, uint32_t left, uint32_t first)
{
	uint32_t own = finder->waits.count, to = own + left;
	for (uint32_t i = 0; i < left; i++)
	{
		PH_TRY(PH_ROOM(finder->env, &finder->waits));
		finder->waits.count++;
	}
	PhWait *waits = finder->waits.items;
	while (left > 0)
	{
		const PhWait *other = &others[left - 1];
		bool is_own = own > first && waits[own - 1].from > other->from;
		waits[--to] = is_own ? waits[--own] : *other;
		left -= !is_own;
	}
	return PH_OK;
}

/*
 * Waits among threads, or for locks of windows. Of one that begins in another (a team works within
 * a call of MPI) only the rest counts, so that no ns does twice.
 */
static PhStatus
merge_others(Finder *finder, const PhThreadWaits *others, uint32_t first)
{
	uint32_t begin = others->first[finder->at];
	PH_TRY(
		merge_waits(finder, others->waits + begin, others->first[finder->at + 1] - begin, first));
	PhWait *waits = finder->waits.items;
	uint32_t end = finder->waits.count;
	finder->waits.count = first;
	for (uint32_t i = first; i < end; i++)
	{
		PhWait wait = waits[i];
		if (ph_wait_has_interval(&wait) && finder->waits.count > first)
			wait.from = PH_MAX(wait.from, waits[finder->waits.count - 1].to);
		if (wait.from < wait.to)
			waits[finder->waits.count++] = wait;
	}
	return PH_OK;
}

/* For files, in what is left of the calls for these. */
static PhStatus
add_io(Finder *finder, uint32_t first)
{
	PhArena scratch;
	PhIoWaits io;
	ph_arena_init(&scratch, finder->env);
	PhStatus status =
		ph_io_waits_find(&scratch, finder->skeleton, finder->at, finder->waits.items + first,
						 finder->waits.count - first, &io);
	if (status == PH_OK)
		status = merge_waits(finder, io.waits, io.n, first);
	ph_arena_drop(&scratch);
	return status;
}

/* Waits outside of calls that communicate, and the intervals of all of them. */
static PhStatus
find_others(Finder *finder, PhArena *arena, const PhWaitInterval **out)
{
	PhWaitInterval *intervals;
	if (finder->skeleton->thread_regions != NULL)
		PH_TRY(ph_thread_waits_find(arena, finder->skeleton, &finder->threads));
	*out = finder->threads.intervals;
	if (!finder->skeleton->has_windows)
		return PH_OK;
	uint32_t n = finder->threads.n;
	PH_TRY(ph_window_lock_waits_find(arena, finder->skeleton, n, &finder->locks));
	if (finder->locks.n > PH_NONE - n)
		return ph_fail(arena->env, PH_ERR_LIMIT, "too many waits");
	PH_TRY(PH_NEW(arena, (size_t) n + finder->locks.n, &intervals));
	for (uint32_t i = 0; i < n; i++)
		intervals[i] = finder->threads.intervals[i];
	for (uint32_t i = 0; i < finder->locks.n; i++)
		intervals[n + i] = finder->locks.intervals[i];
	*out = intervals;
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
find_all(Finder *finder, uint32_t *first)
{
	PhStatus status = PH_OK;
	for (uint32_t at = 0; at < finder->skeleton->n_locations && status == PH_OK; at++)
	{
		finder->at = at;
		first[at] = finder->waits.count;
		status = find_at_location(finder);
		if (status == PH_OK && finder->threads.n > 0)
			status = merge_others(finder, &finder->threads, first[at]);
		if (status == PH_OK && finder->locks.n > 0)
			status = merge_others(finder, &finder->locks, first[at]);
		if (status == PH_OK && finder->skeleton->locations[at].io.count > 0)
			status = add_io(finder, first[at]);
	}
	first[finder->skeleton->n_locations] = finder->waits.count;
	return status;
}

static PhStatus
prepare(Finder *finder, PhArena *scratch)
{
	uint32_t *causes;
	PH_TRY(ph_collective_causes(scratch, finder->skeleton, &causes));
	finder->causes = causes;
	PH_TRY(PH_NEW(scratch, finder->skeleton->n_locations, &finder->by_sender));
	for (uint32_t i = 0; i < finder->skeleton->n_locations; i++)
		finder->by_sender[i] = INT64_MAX;
	return ph_rendezvous_find(scratch, finder->skeleton, &finder->rendezvous);
}

static PhStatus
find_waits(PhArena *arena, const PhSkeleton *skeleton, bool tells_partners, PhWaitStates *out)
{
	Finder finder = {.env = arena->env, .skeleton = skeleton, .tells_partners = tells_partners};
	PhArena scratch;
	uint32_t *first;
	PhWait *waits = NULL;
	const PhWaitInterval *intervals = NULL;
	PH_TRY(PH_NEW(arena, (size_t) skeleton->n_locations + 1, &first));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = prepare(&finder, &scratch);
	if (status == PH_OK)
		status = find_others(&finder, arena, &intervals);
	if (status == PH_OK)
		status = find_all(&finder, first);
	if (status == PH_OK)
		status = PH_NEW_UNSET(arena, finder.waits.count, &waits);
	for (uint32_t i = 0; i < finder.waits.count && status == PH_OK; i++)
		waits[i] = finder.waits.items[i];
	*out = (PhWaitStates){.intervals = intervals,
						  .n_intervals = finder.threads.n + finder.locks.n,
						  .n = finder.waits.count,
						  .n_locations = skeleton->n_locations,
						  .waits = waits,
						  .first = first};
	PH_VECTOR_FREE(arena->env, &finder.waits);
	PH_VECTOR_FREE(arena->env, &finder.cause_of);
	PH_VECTOR_FREE(arena->env, &finder.calls);
	PH_VECTOR_FREE(arena->env, &finder.earliest_next);
	PH_VECTOR_FREE(arena->env, &finder.earliest_same);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_wait_states_find(PhArena *arena, const PhSkeleton *skeleton, PhWaitStates *out)
{
	return find_waits(arena, skeleton, true, out);
}

PhStatus
ph_wait_times_find(PhArena *arena, const PhSkeleton *skeleton, PhWaitStates *out)
{
	return find_waits(arena, skeleton, false, out);
}
