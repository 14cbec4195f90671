/*
 * replayed.c - see replayed.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/replayed.h"

#include <string.h>

void
replayed_name_regions(CommTrace *trace)
{
	static PhTraceRegion regions[COMM_REGIONS];
	static const char *const names[COMM_REGIONS] = {
		"main",		 "solve",	 "other",		"MPI_Send", "MPI_Recv",		"MPI_Isend",
		"MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Test", "MPI_Allreduce"};
	for (uint32_t i = 0; i < COMM_REGIONS; i++)
	{
		regions[i].name = names[i];
		regions[i].file = regions[i].library = regions[i].role = "";
		regions[i].paradigm = i >= COMM_SEND ? "mpi" : "user";
	}
	trace->model.regions = regions;
	trace->model.n_regions = COMM_REGIONS;
}

uint32_t
replayed_caller(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	uint32_t depth = 0;
	while (seq-- > 0)
	{
		PhEventKind kind = trace->events[at][seq].kind;
		if (kind == PH_EVENT_LEAVE)
			depth++;
		else if (kind == PH_EVENT_ENTER && depth-- == 0)
			return seq;
	}
	return PH_NONE;
}

PhStatus
replayed_take_event(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
					const PhOpenCall *call)
{
	const Replayed *replayed = user;
	PhOpenCall calls[64];
	uint32_t depth = 0, at = (uint32_t) seq;
	(void) call;
	if (event->kind == PH_EVENT_ENTER)
	{
		/* innermost first, then turned round */
		for (; at != PH_NONE && depth < 64; at = replayed_caller(replayed->trace, location, at))
			calls[depth++].region = replayed->trace->events[location][at].region;
		for (uint32_t i = 0; i < depth / 2; i++)
		{
			PhOpenCall other = calls[i];
			calls[i] = calls[depth - 1 - i];
			calls[depth - 1 - i] = other;
		}
	}
	return ph_spans_add_event(replayed->spans, location, event, calls, depth);
}

PhStatus
replayed_build(PhEnv *env, const CommTrace *trace, uint64_t seed, int64_t from, int64_t to,
			   Replayed *out)
{
	*out = (Replayed){.trace = trace};
	ph_arena_init(&out->arena, env);
	PH_TRY(skeleton_of(env, trace, seed, &out->skeleton));
	return ph_replay_program(&out->arena, out->skeleton, from, to, &out->program);
}

PhStatus
replayed_read_spans(PhEnv *env, Replayed *replayed, const char *const *paths, uint32_t n,
					uint32_t *targets)
{
	bool found;
	PH_TRY(ph_spans_new(env, &replayed->trace->model, &replayed->spans));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(ph_spans_want_path(replayed->spans, paths[i], &targets[i], &found));
	for (uint32_t at = 0; at < replayed->trace->model.n_locations; at++)
		PH_TRY(comm_visit(replayed->trace, at, replayed_take_event, replayed));
	ph_spans_finish(replayed->spans);
	return PH_OK;
}

void
replayed_free(Replayed *replayed)
{
	ph_spans_free(replayed->spans);
	ph_skeleton_free(replayed->skeleton);
	ph_arena_drop(&replayed->arena);
}
