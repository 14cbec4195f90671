/*
 * io_calls.c - see io_calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/io_calls.h"

#include <string.h>
#include <strings.h>

static bool
does_io(const PhTraceRegion *region)
{
	static const char of_mpi[] = "MPI_File_";
	const char *name = region->name == NULL ? "" : region->name;
	if (region->role != NULL && strncmp(region->role, "file io", strlen("file io")) == 0)
		return true;
	if (name[0] == 'P' || name[0] == 'p')
		name++;
	return strncasecmp(name, of_mpi, strlen(of_mpi)) == 0;
}

PhStatus
ph_io_regions(PhEnv *env, const PhTraceModel *model, bool **out)
{
	bool any = false;
	void *memory;
	*out = NULL;
	for (uint32_t i = 0; i < model->n_regions && !any; i++)
		any = does_io(&model->regions[i]);
	if (!any)
		return PH_OK;
	PH_TRY(ph_env_alloc(env, model->n_regions, sizeof(bool), &memory));
	*out = memory;
	for (uint32_t i = 0; i < model->n_regions; i++)
		(*out)[i] = does_io(&model->regions[i]);
	return PH_OK;
}

PhStatus
ph_io_calls_add(PhEnv *env, PhIoCalls *calls, bool is_enter, int64_t time, const PhOpenCall *call)
{
	PhIoCall *last = calls->count == 0 ? NULL : &calls->items[calls->count - 1];
	bool is_open = last != NULL && last->leave == PH_NO_TIME;
	if (is_open && !is_enter && last->seq == call->seq)
		last->leave = time;
	if (is_open || !is_enter)
		return PH_OK;
	PH_TRY(PH_ROOM(env, calls));
	calls->items[calls->count++] = (PhIoCall){call->enter, PH_NO_TIME, call->seq, call->region};
	return PH_OK;
}
