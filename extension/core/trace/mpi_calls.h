/*
 * mpi_calls.h - what a call of MPI does, from the function's name.
 *
 * For traces whose source records calls but not what they communicated. Names as C and Fortran
 * bindings and measurement tools write them: MPI_Bcast, MPI_BCAST, mpi_bcast_, PMPI_Bcast,
 * MPI_Bcast_c, MPI_Bcast().
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_MPI_CALLS_H
#define PH_TRACE_MPI_CALLS_H

#include "trace/chunk/model.h"

/* What a call does, as bits. */
typedef enum PhMpiDoes
{
	PH_MPI_COLLECTIVE = 1,
	PH_MPI_SENDS = 2,
	PH_MPI_RECEIVES = 4,
	PH_MPI_LATER = 8,		  /* it only begins that: another call completes it */
	PH_MPI_COMPLETES = 16,	  /* what other calls began */
	PH_MPI_STARTS = 32,		  /* MPI itself: MPI_Init */
	PH_MPI_ENDS = 64,		  /* MPI itself: MPI_Finalize */
	PH_MPI_SYNCHRONOUS = 128, /* it sends, and ends only when the receiver has come */
	PH_MPI_BUFFERED = 256,	  /* it sends, and never waits for the receiver */
	PH_MPI_WINDOW = 512		  /* it begins or ends an epoch of a window with some of its members */
} PhMpiDoes;

/* Who opens his memory to others (exposure) posts and waits, who uses it starts and completes. */
typedef enum PhEpochCall
{
	PH_EPOCH_POST,
	PH_EPOCH_START,
	PH_EPOCH_COMPLETE,
	PH_EPOCH_WAIT
} PhEpochCall;

typedef struct PhMpiCall
{
	uint16_t does;	   /* PhMpiDoes; 0: none of these */
	uint8_t operation; /* PhCollective of collectives, PhEpochCall of PH_MPI_WINDOW */
} PhMpiCall;

PhMpiCall ph_mpi_call(const PhTraceRegion *region);

/*
 * By region of a model what its calls do, in memory of env: model->n_regions elements, which the
 * caller frees. *any: the bits that some region has.
 */
PhStatus ph_mpi_calls(PhEnv *env, const PhTraceModel *model, PhMpiCall **out,
					  uint32_t *any) PH_MUST_CHECK;

/* How members of a collective depend on each other. */
typedef enum PhCollectiveFlow
{
	PH_FLOW_ALL,	   /* everybody waits for everybody */
	PH_FLOW_FROM_ROOT, /* everybody waits for the root */
	PH_FLOW_TO_ROOT,   /* the root waits for everybody */
	PH_FLOW_PREFIX,	   /* each waits for those of lower rank in the communicator */
	PH_FLOW_NONE
} PhCollectiveFlow;

PhCollectiveFlow ph_collective_flow(uint32_t operation);

#endif
