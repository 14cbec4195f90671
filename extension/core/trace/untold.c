/*
 * untold.c - see untold.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/untold.h"

#include "trace/internal.h"

/* The calls of one function. */
typedef struct FunctionCalls
{
	uint64_t n;
	bool is_told; /* a record of what it does was in one of them */
} FunctionCalls;

/* The outermost open call of a location that sends or receives. */
typedef struct OpenCall
{
	uint32_t depth; /* calls open in it, itself counted; 0: there is none */
	uint32_t region;
} OpenCall;

#define TOLD_BY_RECORDS (PH_MPI_SENDS | PH_MPI_RECEIVES | PH_MPI_WINDOW)

struct PhUntold
{
	PhEnv *env;
	const PhTraceModel *model;
	PhMpiCall *mpi;			  /* by region */
	FunctionCalls *functions; /* by region */
	OpenCall *open;			  /* by location */
	bool any;				  /* functions that send or receive */
	bool has_receives;
};

PhStatus
ph_untold_new(PhArena *arena, const PhTraceModel *model, PhUntold **out)
{
	PhUntold *untold;
	PH_TRY(PH_NEW(arena, 1, &untold));
	untold->env = arena->env;
	untold->model = model;
	PH_TRY(PH_NEW(arena, model->n_regions, &untold->mpi));
	PH_TRY(PH_NEW(arena, model->n_regions, &untold->functions));
	PH_TRY(PH_NEW(arena, model->n_locations, &untold->open));
	for (uint32_t i = 0; i < model->n_regions && model->regions != NULL; i++)
	{
		untold->mpi[i] = ph_mpi_call(&model->regions[i]);
		untold->any |= (untold->mpi[i].does & TOLD_BY_RECORDS) != 0;
	}
	*out = untold;
	return PH_OK;
}

static void
enter_call(PhUntold *untold, OpenCall *open, uint32_t region)
{
	if (open->depth > 0)
	{
		open->depth++;
		return;
	}
	if (region >= untold->model->n_regions || (untold->mpi[region].does & TOLD_BY_RECORDS) == 0)
		return;
	untold->functions[region].n++;
	*open = (OpenCall){1, region};
}

static void
pass_record(PhUntold *untold, const OpenCall *open, uint32_t kind)
{
	bool is_send = kind == PH_EVENT_SEND || kind == PH_EVENT_ISEND;
	bool is_receive = kind == PH_EVENT_RECV || kind == PH_EVENT_IRECV;
	untold->has_receives |= is_receive;
	if (open->depth == 0)
		return;
	bool is_of_window = (untold->mpi[open->region].does & PH_MPI_WINDOW) != 0;
	if (is_of_window ? kind == PH_EVENT_RMA
					 : is_send || is_receive || kind == PH_EVENT_IRECV_REQUEST)
		untold->functions[open->region].is_told = true;
}

PhStatus
ph_untold_add_chunk(PhUntold *untold, const PhChunk *chunk, const PhChunkReader *reader)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const uint32_t *region = ph_chunk_enter_regions(reader);
	PH_TRY(ph_trace_check_location(untold->env, untold->model, chunk->location));
	OpenCall *open = &untold->open[chunk->location];
	for (uint32_t i = 0; i < chunk->n_events && untold->any; i++)
	{
		PH_TRY(ph_env_poll(untold->env));
		if (kinds[i] == PH_EVENT_ENTER)
			enter_call(untold, open, *region++);
		else if (kinds[i] != PH_EVENT_LEAVE)
			pass_record(untold, open, kinds[i]);
		else if (open->depth > 0)
			open->depth--;
	}
	return PH_OK;
}

PhUntoldCalls
ph_untold_count(const PhUntold *untold)
{
	PhUntoldCalls calls = {0, 0, 0};
	for (uint32_t i = 0; i < untold->model->n_regions; i++)
	{
		unsigned does = untold->mpi[i].does;
		if (untold->functions[i].is_told)
			continue;
		if ((does & PH_MPI_WINDOW) != 0)
			calls.epochs += untold->functions[i].n;
		if ((does & PH_MPI_SENDS) != 0)
			calls.sends += untold->functions[i].n;
		if ((does & PH_MPI_RECEIVES) != 0 && ((does & PH_MPI_LATER) == 0 || !untold->has_receives))
			calls.receives += untold->functions[i].n;
	}
	return calls;
}
