/*
 * waits.c - see waits.h: which sizes of messages are sent by rendezvous, from how long sends last.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/waits.h"

#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "trace/internal.h"
#include "trace/skeleton_internal.h"

#define N_SIZES 65	 /* of 0, 1, 2 to 3, 4 to 7, … bytes */
#define N_LENGTHS 65 /* the same of ns */

/* How long calls lasted that sent messages of one class and had nothing else to wait for. */
typedef struct SendClass
{
	uint64_t on_time[N_LENGTHS]; /* by length: their receivers were there before */
	uint64_t late[N_LENGTHS];	 /* by how late the receiver came */
	uint64_t lasted[N_LENGTHS];	 /* of these: went on until it came */
	uint64_t n_late;
} SendClass;

struct PhRendezvous
{
	const PhSkeleton *skeleton;
	uint64_t *hosts;				 /* by location */
	bool needs_receiver[2][N_SIZES]; /* of two hosts, of one */
};

typedef struct Counting
{
	PhRendezvous *rendezvous;
	SendClass (*classes)[N_SIZES];
} Counting;

/* What else than a message a call waited for, and the message whose receiver came last. */
typedef struct CallEvidence
{
	uint32_t send;	 /* + 1; 0: none */
	bool is_useless; /* nobody knows until when it had to wait */
	int64_t came;	 /* the receiver of the message */
	int64_t others;	 /* the last sender of those that it received; INT64_MIN: none */
} CallEvidence;

static unsigned
length_class(int64_t length)
{
	return ph_trace_bits(length > 0 ? (uint64_t) length : 0);
}

/* What the function of a call does, as PhMpiDoes. */
static unsigned
does_call(const PhSkeleton *skeleton, uint32_t location, uint32_t call)
{
	uint32_t region = skeleton->locations[location].calls[call].region;
	return region < skeleton->model->n_regions ? skeleton->mpi[region].does : 0;
}

/* When the location came to receive, in which call; PH_NO_TIME: it is not known. */
static int64_t
receiver_came(const PhSkeleton *skeleton, uint32_t at, const PhCommEnd *receive, uint32_t *call)
{
	const PhCommLocation *receiver = &skeleton->locations[at];
	*call = receive->kind == PH_EVENT_IRECV ? receive->other_call : receive->call;
	if (*call == PH_NONE || !ph_is_innermost_call(receiver, *call))
		return PH_NO_TIME;
	/* what a waiting call completes was posted before by one that is not known */
	if (receive->kind != PH_EVENT_IRECV && (does_call(skeleton, at, *call) & PH_MPI_COMPLETES) != 0)
		return PH_NO_TIME;
	return receiver->calls[*call].enter;
}

void
ph_note_came(const PhSkeleton *skeleton, uint32_t location, uint32_t receive)
{
	const PhCommEnd *end = &skeleton->locations[location].ends[receive];
	const PhCommLocation *sender = &skeleton->locations[end->partner_location];
	const PhCommEnd *send = &sender->ends[end->partner];
	uint32_t call;
	skeleton->locations[location].others[receive].came =
		ph_near_time(end->time, ph_end_entered(sender, send, &call));
	sender->others[end->partner].came =
		ph_near_time(send->time, receiver_came(skeleton, location, end, &call));
}

int64_t
ph_look_up_came(const PhSkeleton *skeleton, uint32_t location, uint32_t end)
{
	const PhCommEnd *here = &skeleton->locations[location].ends[end];
	uint32_t call;
	if (here->partner == PH_NONE)
		return PH_NO_TIME;
	const PhCommLocation *there = &skeleton->locations[here->partner_location];
	const PhCommEnd *partner = &there->ends[here->partner];
	if (ph_is_receive(here->kind))
		return ph_end_entered(there, partner, &call);
	return receiver_came(skeleton, here->partner_location, partner, &call);
}

static int64_t
left_at(const PhCommLocation *location, const PhCommEnd *end)
{
	return end->call == PH_NONE ? end->time : location->calls[end->call].leave;
}

int64_t
ph_parted(const PhSkeleton *skeleton, uint32_t location, uint32_t end)
{
	const PhCommLocation *here = &skeleton->locations[location];
	const PhCommEnd *here_end = &here->ends[end];
	int64_t parted;
	if (here->others != NULL && ph_is_kept(here_end, here->others[end].parted, &parted))
		return parted;
	const PhCommLocation *there = &skeleton->locations[here_end->partner_location];
	int64_t left = left_at(here, here_end);
	int64_t other_left = left_at(there, &there->ends[here_end->partner]);
	return PH_MIN(left, other_left);
}

bool
ph_receiver_came(const PhSkeleton *skeleton, uint32_t at, const PhCommEnd *send,
				 PhReceiverCame *out)
{
	out->sending = ph_sending_call(send);
	if (send->partner == PH_NONE || out->sending == PH_NONE ||
		!ph_is_innermost_call(&skeleton->locations[at], out->sending))
		return false;
	const PhCommLocation *receiver = &skeleton->locations[send->partner_location];
	out->time =
		receiver_came(skeleton, send->partner_location, &receiver->ends[send->partner], &out->call);
	return out->time != PH_NO_TIME;
}

/* ---- evidence ---- */

static bool
is_one_host(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send)
{
	return rendezvous->hosts[at] == rendezvous->hosts[send->partner_location];
}

static void
look_at_send(const PhCommLocation *location, uint32_t index, int64_t came, CallEvidence *calls)
{
	uint32_t sending = ph_sending_call(&location->ends[index]);
	if (sending == PH_NONE)
		return;
	CallEvidence *evidence = &calls[sending];
	if (came == PH_NO_TIME || !ph_is_innermost_call(location, sending))
		evidence->is_useless = true;
	else if (evidence->send == 0 || evidence->came < came)
	{
		evidence->send = index + 1;
		evidence->came = came;
	}
}

static void
look_at_receive(const PhCommEnd *receive, int64_t came, CallEvidence *calls)
{
	CallEvidence *evidence = &calls[receive->call];
	if (receive->partner == PH_NONE)
		evidence->is_useless = true;
	else
		evidence->others = PH_MAX(evidence->others, came);
}

static PhStatus
collect_evidence(const PhSkeleton *skeleton, uint32_t at, CallEvidence *calls)
{
	const PhCommLocation *location = &skeleton->locations[at];
	for (uint32_t i = 0; i < location->n_calls; i++)
		calls[i].others = INT64_MIN;
	for (uint32_t i = 0; i < location->n_ends; i++)
	{
		const PhCommEnd *end = &location->ends[i];
		PH_TRY(ph_env_poll_at(skeleton->env, i));
		if (ph_is_send(end->kind) && !ph_is_of_epoch(end->kind))
			look_at_send(location, i, ph_came(skeleton, at, i), calls);
		else if (end->call != PH_NONE && ph_is_message_receive(end))
			look_at_receive(end, ph_came(skeleton, at, i), calls);
		else if (end->call != PH_NONE)
			calls[end->call].is_useless = true;
	}
	return PH_OK;
}

static void
count_call(Counting *counting, uint32_t at, const PhCommCall *call, const CallEvidence *evidence)
{
	const PhCommEnd *send = &counting->rendezvous->skeleton->locations[at].ends[evidence->send - 1];
	SendClass *class = &counting->classes[is_one_host(counting->rendezvous, at, send)][send->size];
	if (evidence->came <= call->enter && evidence->others == INT64_MIN)
		class->on_time[length_class(call->leave - call->enter)]++;
	if (evidence->came <= call->enter || evidence->came <= evidence->others)
		return;
	unsigned length = length_class(evidence->came - call->enter);
	class->late[length]++;
	class->n_late++;
	class->lasted[length] += evidence->came < call->leave;
}

static PhStatus
count_location(Counting *counting, PhArena *scratch, uint32_t at)
{
	const PhSkeleton *skeleton = counting->rendezvous->skeleton;
	const PhCommLocation *location = &skeleton->locations[at];
	CallEvidence *calls;
	PH_TRY(PH_NEW(scratch, location->n_calls, &calls));
	PH_TRY(collect_evidence(skeleton, at, calls));
	for (uint32_t i = 0; i < location->n_calls; i++)
	{
		PH_TRY(ph_env_poll_at(scratch->env, i));
		if (calls[i].send != 0 && !calls[i].is_useless)
			count_call(counting, at, &location->calls[i], &calls[i]);
	}
	return PH_OK;
}

/* ---- verdicts ---- */

/* The lengths that nine in ten are not longer than, and none is. */
static void
find_usual(const uint64_t *lengths, int *most, int *all)
{
	uint64_t n = 0, sum = 0;
	*most = *all = -1;
	for (int i = 0; i < N_LENGTHS; i++)
		n += lengths[i];
	for (int i = 0; i < N_LENGTHS; i++)
	{
		if (lengths[i] == 0)
			continue;
		*most = sum * 10 < n * 9 ? i : *most;
		*all = i;
		sum += lengths[i];
	}
}

static bool
is_rendezvous(const SendClass *class)
{
	uint64_t late = 0, lasted = 0;
	int most, all, latest = -1;
	if (class->n_late == 0)
		return false;
	find_usual(class->on_time, &most, &all);
	for (int i = most + 1; i < N_LENGTHS; i++)
	{
		late += class->late[i];
		lasted += class->lasted[i];
		latest = class->late[i] > 0 ? i : latest;
	}
	return late > 0 && lasted * 10 >= late * 9 && (late > 1 || latest > all);
}

static PhStatus
find_classes(PhRendezvous *rendezvous, PhArena *scratch)
{
	Counting counting = {.rendezvous = rendezvous};
	PH_TRY(PH_NEW(scratch, 2, &counting.classes));
	for (uint32_t at = 0; at < rendezvous->skeleton->n_locations; at++)
	{
		PhArena of_location;
		ph_arena_init(&of_location, scratch->env);
		PhStatus status = count_location(&counting, &of_location, at);
		ph_arena_drop(&of_location);
		PH_TRY(status);
	}
	for (int one_host = 0; one_host < 2; one_host++)
		for (int size = 0; size < N_SIZES; size++)
			rendezvous->needs_receiver[one_host][size] =
				is_rendezvous(&counting.classes[one_host][size]);
	return PH_OK;
}

PhStatus
ph_rendezvous_find(PhArena *arena, const PhSkeleton *skeleton, const PhRendezvous **out)
{
	PhRendezvous *rendezvous;
	PhArena scratch;
	PH_TRY(PH_NEW(arena, 1, &rendezvous));
	PH_TRY(PH_NEW(arena, skeleton->n_locations, &rendezvous->hosts));
	rendezvous->skeleton = skeleton;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
	{
		const char *host = skeleton->model->locations[at].host;
		rendezvous->hosts[at] = host == NULL ? 0 : ph_hash_bytes(host, strlen(host));
	}
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_classes(rendezvous, &scratch);
	ph_arena_drop(&scratch);
	*out = rendezvous;
	return status;
}

bool
ph_rendezvous_needs_receiver(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send)
{
	PhReceiverCame came;
	return !ph_is_of_epoch(send->kind) && ph_receiver_came(rendezvous->skeleton, at, send, &came) &&
		   ph_rendezvous_waits_for(rendezvous, at, send, came.time);
}

bool
ph_rendezvous_waits_for(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send,
						int64_t came)
{
	const PhSkeleton *skeleton = rendezvous->skeleton;
	if (came >= skeleton->locations[at].calls[ph_sending_call(send)].leave)
		return false;
	unsigned does = send->call == PH_NONE ? 0 : does_call(skeleton, at, send->call);
	if ((does & (PH_MPI_SYNCHRONOUS | PH_MPI_BUFFERED)) != 0)
		return (does & PH_MPI_SYNCHRONOUS) != 0;
	return rendezvous->needs_receiver[is_one_host(rendezvous, at, send)][send->size];
}
