/*
 * classes.c - see classes.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tiles/classes.h"

#include <string.h>
#include <strings.h>

#include "trace/mpi_calls.h"

static const char *const device_paradigms[] = {"cuda", "hip", "opencl", "openacc", NULL};
static const char *const communication_paradigms[] = {"mpi", "shmem", "gaspi", "upc", NULL};
static const char *const waiting_roles[] = {
	"barrier", "implicit barrier", "task wait", "thread wait", "idle", NULL};
static const char *const communication_roles[] = {
	"point2point", "coll one2all", "coll all2one",	"coll all2all",
	"coll other",  "rma",		   "data transfer", NULL};
/* Of functions whose source says no paradigm. */
static const char *const device_names[] = {"cuda", "hip", "hsa_", "nccl", "rccl", NULL};

static bool
is_one_of(const char *word, const char *const *words)
{
	while (*words != NULL && strcmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

static bool
begins_with(const char *name, const char *const *words)
{
	while (*words != NULL && strncmp(name, *words, strlen(*words)) != 0)
		words++;
	return *words != NULL;
}

static bool
is_waiting(const PhTraceRegion *region, PhMpiCall call)
{
	return is_one_of(region->role, waiting_roles) || strcmp(region->name, "Idle") == 0 ||
		   (call.does & PH_MPI_COMPLETES) != 0 ||
		   ((call.does & (PH_MPI_COLLECTIVE | PH_MPI_LATER)) == PH_MPI_COLLECTIVE &&
			call.operation == PH_COLLECTIVE_BARRIER);
}

static bool
is_file_access(const PhTraceRegion *region)
{
	return strncmp(region->role, "file io", strlen("file io")) == 0 ||
		   strncasecmp(region->name, "mpi_file_", strlen("mpi_file_")) == 0;
}

static bool
is_communication(const PhTraceRegion *region, PhMpiCall call)
{
	return !is_file_access(region) &&
		   (call.does != 0 || is_one_of(region->paradigm, communication_paradigms) ||
			is_one_of(region->role, communication_roles) ||
			strncasecmp(region->name, "mpi_", strlen("mpi_")) == 0);
}

static PhActivity
activity_of(const PhTraceRegion *region)
{
	PhMpiCall call = ph_mpi_call(region);
	if (is_waiting(region, call))
		return PH_ACTIVITY_WAITING;
	if (is_communication(region, call))
		return PH_ACTIVITY_COMMUNICATION;
	if (is_one_of(region->paradigm, device_paradigms) ||
		(region->paradigm[0] == '\0' && begins_with(region->name, device_names)))
		return PH_ACTIVITY_DEVICE;
	return PH_ACTIVITY_COMPUTE;
}

PhStatus
ph_region_activities(PhArena *arena, const PhTraceModel *model, uint8_t **out)
{
	PH_TRY(PH_NEW(arena, (size_t) model->n_regions + 1, out));
	for (uint32_t i = 0; i < model->n_regions; i++)
		(*out)[i] = (uint8_t) activity_of(&model->regions[i]);
	return PH_OK;
}
