/*
 * infer.c - see infer.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/infer.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"
#include "trace/internal.h"
#include "trace/windows.h"

#define MOST_OPERATIONS PH_COLLECTIVE_COUNT

/* What one rank lacks, by (rank, operation). */
typedef struct Gap
{
	uint32_t n_calls;	/* without a record */
	uint32_t n_comms;	/* communicators on which it lacks some */
	uint32_t n_lacking; /* on the last of them, */
	uint32_t comm;		/* which is this one */
} Gap;

typedef struct Inference
{
	PhEnv *env;
	PhArena *arena;
	const PhTraceModel *model;
	PhShownCollective *calls;
	uint32_t n_ranks, world;
	uint32_t *order;  /* calls that have a rank, by rank, then in its order */
	uint32_t *starts; /* n_ranks + 1, into order */
	bool has_records;
	Gap *gaps;			 /* by rank * MOST_OPERATIONS + operation */
	uint32_t operations; /* those that may be of all ranks, as bits */
} Inference;

/*
 * The communicator of all ranks, in their order; MPI_COMM_WORLD by its name where several are;
 * PH_NONE: none is defined.
 */
static uint32_t
find_world(const PhTraceModel *model)
{
	uint32_t n_ranks = ph_trace_count_ranks(model), found = PH_NONE;
	for (uint32_t c = 0; c < model->n_communicators && n_ranks > 0; c++)
	{
		const PhTraceCommunicator *comm = &model->communicators[c];
		bool is_world = comm->is_mpi && comm->n_members == n_ranks;
		for (uint32_t i = 0; i < n_ranks && is_world; i++)
			is_world = comm->members[i] == i;
		if (!is_world)
			continue;
		if (comm->name != NULL && strcmp(comm->name, "MPI_COMM_WORLD") == 0)
			return c;
		if (found == PH_NONE)
			found = c;
	}
	return found;
}

static int
compare_calls(const void *context, uint32_t x, uint32_t y)
{
	const PhShownCollective *calls = context, *a = &calls[x], *b = &calls[y];
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->enter != b->enter)
		return a->enter < b->enter ? -1 : 1;
	return x < y ? -1 : x > y;
}

static PhStatus
order_calls(Inference *inference, uint32_t n)
{
	PH_TRY(
		ph_sort_indices(inference->arena, n, compare_calls, inference->calls, &inference->order));
	PH_TRY(PH_NEW(inference->arena, (size_t) inference->n_ranks + 1, &inference->starts));
	for (uint32_t i = 0; i < n; i++)
	{
		inference->has_records |= inference->calls[i].evidence == PH_RECORDED;
		if (inference->calls[i].rank < inference->n_ranks)
			inference->starts[inference->calls[i].rank + 1]++;
	}
	for (uint32_t rank = 0; rank < inference->n_ranks; rank++)
		inference->starts[rank + 1] += inference->starts[rank];
	return PH_OK;
}

/* A call that may be given a communicator. */
static bool
is_open(const PhShownCollective *call)
{
	return call->evidence == PH_UNKNOWN && !call->is_later && call->operation < MOST_OPERATIONS;
}

static Gap *
gap_of(const Inference *inference, uint32_t rank, uint32_t operation)
{
	return &inference->gaps[(size_t) rank * MOST_OPERATIONS + operation];
}

static PhStatus
count_gaps(Inference *inference)
{
	PH_TRY(
		PH_NEW(inference->arena, (size_t) inference->n_ranks * MOST_OPERATIONS, &inference->gaps));
	for (uint32_t i = 0; i < inference->starts[inference->n_ranks]; i++)
	{
		const PhShownCollective *call = &inference->calls[inference->order[i]];
		if (is_open(call))
			gap_of(inference, call->rank, call->operation)->n_calls++;
	}
	return PH_OK;
}

/* ---- communicators on which one rank lacks what others have ---- */

/* Recorded collectives of one function on one communicator. */
typedef struct Kind
{
	uint32_t comm, operation;
} Kind;

/* Its communicator has several members, which are known. */
static bool
has_members(const PhTraceModel *model, uint32_t comm)
{
	return comm < model->n_communicators && model->communicators[comm].n_members > 1 &&
		   (model->communicators[comm].is_mpi || ph_trace_is_window(model, comm));
}

/* counts: by (rank, kind); kinds: of which there are records. */
static PhStatus
count_records(const Inference *inference, PhRecords *kinds, PhMap *counts)
{
	for (uint32_t i = 0; i < inference->starts[inference->n_ranks]; i++)
	{
		const PhShownCollective *call = &inference->calls[inference->order[i]];
		Kind kind = {call->comm, call->operation};
		uint32_t index, *count;
		PH_TRY(ph_env_poll(inference->env));
		if (call->evidence != PH_RECORDED || !has_members(inference->model, call->comm) ||
			call->operation >= MOST_OPERATIONS)
			continue;
		PH_TRY(ph_records_intern(kinds, &kind, &index));
		PH_TRY(ph_map_enter(counts, ph_map_key(call->rank, index), 0, &count));
		++*count;
	}
	return PH_OK;
}

/* The members of a communicator that have fewer collectives of the kind than another. */
static PhStatus
find_lacking(const Inference *inference, uint32_t index, Kind kind, PhMap *counts)
{
	const PhTraceCommunicator *comm = &inference->model->communicators[kind.comm];
	uint32_t most = 0;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < comm->n_members; i++)
		{
			uint32_t *count, rank = comm->members[i];
			PH_TRY(ph_env_poll(inference->env));
			if (rank >= inference->n_ranks)
				continue;
			PH_TRY(ph_map_enter(counts, ph_map_key(rank, index), 0, &count));
			most = PH_MAX(most, *count);
			if (pass == 0 || *count == most)
				continue;
			Gap *gap = gap_of(inference, rank, kind.operation);
			gap->n_comms++;
			gap->n_lacking = most - *count;
			gap->comm = kind.comm;
		}
	return PH_OK;
}

/* Skips the rank's calls from *at on that are not on the communicator. */
static PhStatus
skip_others(const Inference *inference, uint32_t comm, uint32_t rank, uint32_t *at)
{
	for (; *at < inference->starts[rank + 1]; ++*at)
	{
		PH_TRY(ph_env_poll(inference->env));
		if (inference->calls[inference->order[*at]].comm == comm)
			break;
	}
	return PH_OK;
}

/* Do two ranks' collectives on a communicator agree, one by one? */
static PhStatus
compare_ranks(const Inference *inference, uint32_t comm, uint32_t rank, uint32_t other, bool *agree)
{
	const uint32_t *starts = inference->starts;
	*agree = false;
	for (uint32_t i = starts[rank], j = starts[other];; i++, j++)
	{
		PH_TRY(skip_others(inference, comm, rank, &i));
		PH_TRY(skip_others(inference, comm, other, &j));
		if (i == starts[rank + 1] || j == starts[other + 1])
		{
			*agree = i == starts[rank + 1] && j == starts[other + 1];
			return PH_OK;
		}
		if (inference->calls[inference->order[i]].operation !=
			inference->calls[inference->order[j]].operation)
			return PH_OK;
	}
}

/* Give the rank's open calls what they lack on their communicators, or take it back. */
static void
fill_rank(Inference *inference, uint32_t rank, uint32_t comm, bool fill)
{
	for (uint32_t i = inference->starts[rank]; i < inference->starts[rank + 1]; i++)
	{
		PhShownCollective *call = &inference->calls[inference->order[i]];
		if (!fill && call->evidence == PH_INFERRED && call->comm == comm)
		{
			call->evidence = PH_UNKNOWN;
			call->comm = PH_NONE;
		}
		if (!fill || !is_open(call))
			continue;
		const Gap *gap = gap_of(inference, rank, call->operation);
		if (gap->n_comms != 1 || gap->n_lacking != gap->n_calls)
			continue;
		call->comm = gap->comm;
		call->evidence = PH_INFERRED;
	}
}

static bool
lacks_nothing(const Inference *inference, uint32_t comm, uint32_t rank)
{
	for (uint32_t op = 0; op < MOST_OPERATIONS; op++)
	{
		const Gap *gap = gap_of(inference, rank, op);
		if (gap->n_comms != 0 && gap->comm == comm)
			return false;
	}
	return true;
}

/* A member of the communicator that lacks nothing on it; PH_NONE: each lacks something. */
static PhStatus
find_whole(const Inference *inference, uint32_t comm, uint32_t *whole)
{
	const PhTraceCommunicator *members = &inference->model->communicators[comm];
	*whole = PH_NONE;
	for (uint32_t i = 0; i < members->n_members && *whole == PH_NONE; i++)
	{
		uint32_t rank = members->members[i];
		PH_TRY(ph_env_poll(inference->env));
		if (rank < inference->n_ranks && lacks_nothing(inference, comm, rank))
			*whole = rank;
	}
	return PH_OK;
}

/* What was given to ranks must be in the order of somebody who recorded all. */
static PhStatus
check_filled(Inference *inference, uint32_t rank)
{
	for (uint32_t op = 0; op < MOST_OPERATIONS; op++)
	{
		const Gap *gap = gap_of(inference, rank, op);
		uint32_t whole;
		bool agree = false;
		if (gap->n_comms != 1 || gap->n_calls == 0)
			continue;
		PH_TRY(find_whole(inference, gap->comm, &whole));
		if (whole != PH_NONE)
			PH_TRY(compare_ranks(inference, gap->comm, rank, whole, &agree));
		if (!agree)
			fill_rank(inference, rank, gap->comm, false);
	}
	return PH_OK;
}

static PhStatus
fill_gaps(Inference *inference)
{
	PhRecords kinds;
	PhMap counts;
	ph_records_init(&kinds, inference->arena, sizeof(Kind));
	ph_map_init(&counts, inference->arena);
	PH_TRY(count_records(inference, &kinds, &counts));
	for (uint32_t i = 0; i < kinds.count; i++)
		PH_TRY(find_lacking(inference, i, ((const Kind *) (const void *) kinds.bytes)[i], &counts));
	for (uint32_t rank = 0; rank < inference->n_ranks; rank++)
	{
		PH_TRY(ph_env_poll(inference->env));
		fill_rank(inference, rank, PH_NONE, true);
	}
	for (uint32_t rank = 0; rank < inference->n_ranks; rank++)
		PH_TRY(check_filled(inference, rank));
	return PH_OK;
}

/* ---- collectives of all ranks ---- */

/* Functions that every rank called without a record equally often, lacking none elsewhere. */
static void
find_equal(Inference *inference)
{
	for (uint32_t op = 0; op < MOST_OPERATIONS && inference->n_ranks > 0; op++)
	{
		uint32_t n = gap_of(inference, 0, op)->n_calls;
		bool is_equal = n > 0;
		for (uint32_t rank = 0; rank < inference->n_ranks && is_equal; rank++)
		{
			const Gap *gap = gap_of(inference, rank, op);
			is_equal = gap->n_calls == n && gap->n_comms == 0;
		}
		if (is_equal)
			inference->operations |= 1u << op;
	}
}

static bool
may_be_of_all(const Inference *inference, const PhShownCollective *call)
{
	return is_open(call) && (inference->operations >> call->operation & 1u) != 0;
}

/* The rank's next collective of all ranks from *at on, recorded or supposed; NULL: it was the last.
 */
static PhShownCollective *
next_of_all(const Inference *inference, uint32_t rank, uint32_t *at)
{
	while (*at < inference->starts[rank + 1])
	{
		PhShownCollective *call = &inference->calls[inference->order[(*at)++]];
		bool is_known = call->evidence != PH_UNKNOWN && inference->world != PH_NONE &&
						call->comm == inference->world;
		if (is_known || may_be_of_all(inference, call))
			return call;
	}
	return NULL;
}

/* Rule out the functions that two ranks called in different orders; all where records disagree. */
static void
rule_out(Inference *inference, const PhShownCollective *a, const PhShownCollective *b)
{
	uint32_t before = inference->operations;
	if (a != NULL && a->evidence == PH_UNKNOWN)
		inference->operations &= ~(1u << a->operation);
	if (b != NULL && b->evidence == PH_UNKNOWN)
		inference->operations &= ~(1u << b->operation);
	if (inference->operations == before)
		inference->operations = 0;
}

/* Do all ranks call in the order of the first one? Else what disagrees is ruled out. */
static PhStatus
check_order(Inference *inference, bool *agrees)
{
	*agrees = true;
	for (uint32_t rank = 1; rank < inference->n_ranks && *agrees; rank++)
	{
		uint32_t i = inference->starts[0], j = inference->starts[rank];
		const PhShownCollective *a, *b;
		do
		{
			PH_TRY(ph_env_poll(inference->env));
			a = next_of_all(inference, 0, &i);
			b = next_of_all(inference, rank, &j);
			if (a == NULL && b == NULL)
				break;
			*agrees = a != NULL && b != NULL && a->operation == b->operation;
		} while (*agrees);
		if (!*agrees)
			rule_out(inference, a, b);
	}
	return PH_OK;
}

/* When the k-th collective of all was entered by the last and left by the first. */
typedef struct Meeting
{
	int64_t last_enter, first_leave;
	uint32_t operation;
	bool is_supposed;
} Meeting;

static PhStatus
find_meetings(const Inference *inference, Meeting **out, uint32_t *n)
{
	uint32_t at = inference->starts[0];
	Meeting *meetings;
	*n = 0;
	while (next_of_all(inference, 0, &at) != NULL)
		++*n;
	PH_TRY(PH_NEW(inference->arena, *n, &meetings));
	for (uint32_t rank = 0; rank < inference->n_ranks; rank++)
	{
		at = inference->starts[rank];
		for (uint32_t k = 0; k < *n; k++)
		{
			const PhShownCollective *call = next_of_all(inference, rank, &at);
			Meeting *meeting = &meetings[k];
			PH_TRY(ph_env_poll(inference->env));
			if (call == NULL)
				break;
			if (rank == 0)
				*meeting = (Meeting){INT64_MIN, INT64_MAX, call->operation, false};
			meeting->last_enter = PH_MAX(meeting->last_enter, call->enter);
			meeting->first_leave = PH_MIN(meeting->first_leave, call->leave);
			meeting->is_supposed |= call->evidence == PH_UNKNOWN;
		}
	}
	*out = meetings;
	return PH_OK;
}

/*
 * Rule out functions in which everybody waits for everybody, but somebody had left before another
 * came. Clocks that differ may make that of one in ten.
 */
static PhStatus
check_times(Inference *inference)
{
	uint32_t n, n_all[MOST_OPERATIONS] = {0}, n_impossible[MOST_OPERATIONS] = {0};
	Meeting *meetings = NULL;
	PH_TRY(find_meetings(inference, &meetings, &n));
	for (uint32_t k = 0; k < n; k++)
	{
		const Meeting *meeting = &meetings[k];
		if (!meeting->is_supposed || ph_collective_flow(meeting->operation) != PH_FLOW_ALL)
			continue;
		n_all[meeting->operation]++;
		n_impossible[meeting->operation] += meeting->first_leave < meeting->last_enter;
	}
	for (uint32_t op = 0; op < MOST_OPERATIONS; op++)
		if (n_impossible[op] > n_all[op] / 10)
			inference->operations &= ~(1u << op);
	return PH_OK;
}

static PhStatus
infer_of_all(Inference *inference)
{
	bool agrees = false;
	find_equal(inference);
	while (inference->operations != 0 && !agrees)
		PH_TRY(check_order(inference, &agrees));
	if (inference->operations != 0)
		PH_TRY(check_times(inference));
	for (uint32_t i = 0; i < inference->starts[inference->n_ranks]; i++)
	{
		PhShownCollective *call = &inference->calls[inference->order[i]];
		if (!may_be_of_all(inference, call))
			continue;
		call->evidence = PH_INFERRED;
		call->comm = inference->world;
	}
	return PH_OK;
}

static PhStatus
infer(Inference *inference, uint32_t n)
{
	PH_TRY(order_calls(inference, n));
	PH_TRY(count_gaps(inference));
	if (inference->has_records)
		PH_TRY(fill_gaps(inference));
	return infer_of_all(inference);
}

PhStatus
ph_infer_collectives(PhEnv *env, const PhTraceModel *model, PhShownCollective *calls, uint32_t n)
{
	PhArena arena;
	Inference inference = {.env = env, .arena = &arena, .model = model, .calls = calls};
	bool any = false;
	for (uint32_t i = 0; i < n; i++)
		any = any || is_open(&calls[i]);
	if (!any)
		return PH_OK;
	inference.n_ranks = ph_trace_count_ranks(model);
	if (inference.n_ranks > model->n_locations) /* nothing was recorded of some ranks */
		return PH_OK;
	inference.world = find_world(model);
	ph_arena_init(&arena, env);
	PhStatus status = infer(&inference, n);
	ph_arena_drop(&arena);
	return status;
}
