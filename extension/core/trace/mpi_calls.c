/*
 * mpi_calls.c - see mpi_calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/mpi_calls.h"

#include <string.h>

#include "base/letters.h"

#define LONGEST_NAME 32

/* Names without MPI_ and in lower case; a leading i is tried after the name as it stands. */
static const struct
{
	const char *name;
	PhCollective operation;
} collectives[] = {
	{"barrier", PH_COLLECTIVE_BARRIER},
	{"bcast", PH_COLLECTIVE_BCAST},
	{"gather", PH_COLLECTIVE_GATHER},
	{"gatherv", PH_COLLECTIVE_GATHERV},
	{"scatter", PH_COLLECTIVE_SCATTER},
	{"scatterv", PH_COLLECTIVE_SCATTERV},
	{"allgather", PH_COLLECTIVE_ALLGATHER},
	{"allgatherv", PH_COLLECTIVE_ALLGATHERV},
	{"alltoall", PH_COLLECTIVE_ALLTOALL},
	{"alltoallv", PH_COLLECTIVE_ALLTOALLV},
	{"alltoallw", PH_COLLECTIVE_ALLTOALLW},
	{"allreduce", PH_COLLECTIVE_ALLREDUCE},
	{"reduce", PH_COLLECTIVE_REDUCE},
	{"reduce_scatter", PH_COLLECTIVE_REDUCE_SCATTER},
	{"reduce_scatter_block", PH_COLLECTIVE_REDUCE_SCATTER_BLOCK},
	{"scan", PH_COLLECTIVE_SCAN},
	{"exscan", PH_COLLECTIVE_EXSCAN},
	{"win_fence", PH_COLLECTIVE_FENCE},
	{"win_create", PH_COLLECTIVE_CREATE_WINDOW},
	{"win_create_dynamic", PH_COLLECTIVE_CREATE_WINDOW},
	{"win_allocate", PH_COLLECTIVE_CREATE_WINDOW},
	{"win_allocate_shared", PH_COLLECTIVE_CREATE_WINDOW},
	{"win_free", PH_COLLECTIVE_FREE_WINDOW},
};

/* Calls that begin or end epochs have an operation, too. */
static const struct
{
	const char *name;
	uint16_t does;
	uint8_t operation;
} others[] = {
	{"send", PH_MPI_SENDS, 0},
	{"ssend", PH_MPI_SENDS | PH_MPI_SYNCHRONOUS, 0},
	{"bsend", PH_MPI_SENDS | PH_MPI_BUFFERED, 0},
	{"rsend", PH_MPI_SENDS, 0},
	{"isend", PH_MPI_SENDS | PH_MPI_LATER, 0},
	{"issend", PH_MPI_SENDS | PH_MPI_LATER | PH_MPI_SYNCHRONOUS, 0},
	{"ibsend", PH_MPI_SENDS | PH_MPI_LATER | PH_MPI_BUFFERED, 0},
	{"irsend", PH_MPI_SENDS | PH_MPI_LATER, 0},
	{"recv", PH_MPI_RECEIVES, 0},
	{"mrecv", PH_MPI_RECEIVES, 0},
	{"irecv", PH_MPI_RECEIVES | PH_MPI_LATER, 0},
	{"imrecv", PH_MPI_RECEIVES | PH_MPI_LATER, 0},
	{"sendrecv", PH_MPI_SENDS | PH_MPI_RECEIVES, 0},
	{"sendrecv_replace", PH_MPI_SENDS | PH_MPI_RECEIVES, 0},
	{"wait", PH_MPI_COMPLETES, 0},
	{"waitall", PH_MPI_COMPLETES, 0},
	{"waitany", PH_MPI_COMPLETES, 0},
	{"waitsome", PH_MPI_COMPLETES, 0},
	{"test", PH_MPI_COMPLETES, 0},
	{"testall", PH_MPI_COMPLETES, 0},
	{"testany", PH_MPI_COMPLETES, 0},
	{"testsome", PH_MPI_COMPLETES, 0},
	{"init", PH_MPI_STARTS, 0},
	{"init_thread", PH_MPI_STARTS, 0},
	{"finalize", PH_MPI_ENDS, 0},
	{"win_post", PH_MPI_WINDOW, PH_EPOCH_POST},
	{"win_start", PH_MPI_WINDOW, PH_EPOCH_START},
	{"win_complete", PH_MPI_WINDOW, PH_EPOCH_COMPLETE},
	{"win_wait", PH_MPI_WINDOW, PH_EPOCH_WAIT},
	{"win_test", PH_MPI_WINDOW, PH_EPOCH_WAIT},
};

/* The function's name in lower case without MPI_ and what bindings append; false: it is not MPI's.
 */
static bool
bare_name(const char *name, char *out)
{
	size_t n = 0;
	if (*name == 'P' || *name == 'p')
		name++;
	for (const char *prefix = "mpi_"; *prefix != '\0'; prefix++, name++)
		if (ph_lower(*name) != *prefix)
			return false;
	for (; ph_is_letter(*name) || *name == '_'; name++)
	{
		if (n == LONGEST_NAME)
			return false;
		out[n++] = ph_lower(*name);
	}
	while (n > 0 && out[n - 1] == '_')
		n--;
	if (n > 2 && out[n - 1] == 'c' && out[n - 2] == '_')
		n -= 2;
	out[n] = '\0';
	return *name == '\0' || *name == '(' || *name == ' ';
}

static bool
find_collective(const char *name, uint8_t *operation)
{
	for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
		if (strcmp(name, collectives[i].name) == 0)
		{
			*operation = (uint8_t) collectives[i].operation;
			return true;
		}
	return false;
}

PhMpiCall
ph_mpi_call(const PhTraceRegion *region)
{
	char name[LONGEST_NAME + 1];
	PhMpiCall call = {0, 0};
	if (region->name == NULL || !bare_name(region->name, name))
		return call;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(name, others[i].name) == 0)
			call = (PhMpiCall){others[i].does, others[i].operation};
	if (call.does != 0)
		return call;
	if (find_collective(name, &call.operation))
		call.does = PH_MPI_COLLECTIVE;
	else if (name[0] == 'i' && find_collective(name + 1, &call.operation))
		call.does = PH_MPI_COLLECTIVE | PH_MPI_LATER;
	return call;
}

PhStatus
ph_mpi_calls(PhEnv *env, const PhTraceModel *model, PhMpiCall **out, uint32_t *any)
{
	void *memory;
	*any = 0;
	PH_TRY(ph_env_alloc(env, model->n_regions, sizeof(PhMpiCall), &memory));
	*out = memory;
	for (uint32_t i = 0; i < model->n_regions && model->regions != NULL; i++)
	{
		(*out)[i] = ph_mpi_call(&model->regions[i]);
		*any |= (*out)[i].does;
	}
	return PH_OK;
}

PhCollectiveFlow
ph_collective_flow(uint32_t operation)
{
	switch (operation)
	{
		case PH_COLLECTIVE_BARRIER:
		case PH_COLLECTIVE_ALLGATHER:
		case PH_COLLECTIVE_ALLGATHERV:
		case PH_COLLECTIVE_ALLTOALL:
		case PH_COLLECTIVE_ALLTOALLV:
		case PH_COLLECTIVE_ALLTOALLW:
		case PH_COLLECTIVE_ALLREDUCE:
		case PH_COLLECTIVE_REDUCE_SCATTER:
		case PH_COLLECTIVE_REDUCE_SCATTER_BLOCK:
		case PH_COLLECTIVE_FENCE:
		case PH_COLLECTIVE_CREATE_WINDOW:
		case PH_COLLECTIVE_FREE_WINDOW:
			return PH_FLOW_ALL;
		case PH_COLLECTIVE_BCAST:
		case PH_COLLECTIVE_SCATTER:
		case PH_COLLECTIVE_SCATTERV:
			return PH_FLOW_FROM_ROOT;
		case PH_COLLECTIVE_REDUCE:
		case PH_COLLECTIVE_GATHER:
		case PH_COLLECTIVE_GATHERV:
			return PH_FLOW_TO_ROOT;
		case PH_COLLECTIVE_SCAN:
		case PH_COLLECTIVE_EXSCAN:
			return PH_FLOW_PREFIX;
		default:
			return PH_FLOW_NONE;
	}
}
