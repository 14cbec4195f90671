/*
 * thread_marks.c - see thread_marks.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/thread_marks.h"

#include <string.h>

#include "base/min_max.h"

/* MPI_Barrier has the role of a barrier, too, but synchronises processes. */
static bool
is_team_barrier(const PhTraceRegion *region)
{
	return region->role != NULL && region->paradigm != NULL &&
		   strcmp(region->paradigm, "mpi") != 0 &&
		   (strcmp(region->role, "barrier") == 0 || strcmp(region->role, "implicit barrier") == 0);
}

/* A critical section, or a function of the threads' library; loops and teams do other things. */
static bool
takes_lock(const PhTraceRegion *region)
{
	if (region->role == NULL || region->paradigm == NULL)
		return false;
	if (strcmp(region->role, "critical") == 0)
		return true;
	return (strcmp(region->paradigm, "openmp") == 0 || strcmp(region->paradigm, "pthread") == 0) &&
		   (strcmp(region->role, "function") == 0 || strcmp(region->role, "wrapper") == 0);
}

PhStatus
ph_thread_regions(PhEnv *env, const PhTraceModel *model, uint8_t **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, model->n_regions, sizeof(uint8_t), &memory));
	*out = memory;
	for (uint32_t i = 0; i < model->n_regions && model->regions != NULL; i++)
		(*out)[i] = (uint8_t) ((is_team_barrier(&model->regions[i]) ? PH_REGION_TEAM_BARRIER : 0) |
							   (takes_lock(&model->regions[i]) ? PH_REGION_LOCK : 0));
	return PH_OK;
}

static bool
is_mark(uint32_t operation, uint32_t n_values, PhThreadMarkKind *kind)
{
	switch (operation)
	{
		case PH_RECORD_OMP_FORK:
		case PH_RECORD_THREAD_FORK:
			*kind = PH_MARK_FORK;
			return true;
		case PH_RECORD_OMP_JOIN:
		case PH_RECORD_THREAD_JOIN:
			*kind = PH_MARK_JOIN;
			return true;
		case PH_RECORD_THREAD_TEAM_BEGIN:
			*kind = PH_MARK_TEAM_BEGIN;
			return n_values > 0;
		case PH_RECORD_THREAD_TEAM_END:
			*kind = PH_MARK_TEAM_END;
			return n_values > 0;
		case PH_RECORD_OMP_ACQUIRE_LOCK:
		case PH_RECORD_THREAD_ACQUIRE_LOCK:
			*kind = PH_MARK_ACQUIRE;
			return n_values >= 2;
		case PH_RECORD_OMP_RELEASE_LOCK:
		case PH_RECORD_THREAD_RELEASE_LOCK:
			*kind = PH_MARK_RELEASE;
			return n_values >= 2;
		default:
			return false;
	}
}

/* Since when the thread did nothing but what ends now; where nothing tells it: now. */
static int64_t
left_alone_since(const PhThreadMarks *marks, const PhEvent *event, const PhOpenCall *call)
{
	int64_t since = marks->last_time;
	if (call != NULL)
		since = PH_MAX(since, call->enter);
	return since == PH_NO_TIME ? event->time : since;
}

/* Records of OpenMP have the lock and its order, those of all paradigms the paradigm before. */
static void
note_lock(PhThreadMark *mark, const PhEvent *event)
{
	uint32_t n = event->n_values;
	mark->paradigm = n > 2 ? (uint32_t) event->values[0] : PH_NONE;
	mark->id = (uint32_t) event->values[n > 2 ? 1 : 0];
	mark->order = (uint32_t) event->values[n > 2 ? 2 : 1];
}

static PhStatus
add_mark(PhEnv *env, PhThreadMarks *marks, PhThreadMarkKind kind, uint64_t seq,
		 const PhEvent *event, const PhOpenCall *call, bool in_lock_call)
{
	PhThreadMark mark = {.since = left_alone_since(marks, event, call),
						 .time = event->time,
						 .seq = call == NULL ? seq : call->seq,
						 .region = call == NULL ? PH_NONE : call->region,
						 .id = event->n_values > 0 ? (uint32_t) event->values[0] : PH_NONE,
						 .kind = kind};
	if ((kind == PH_MARK_TEAM_BEGIN && call != NULL) || (kind == PH_MARK_ACQUIRE && !in_lock_call))
		mark.since = mark.time;
	if (kind == PH_MARK_ACQUIRE || kind == PH_MARK_RELEASE)
		note_lock(&mark, event);
	PH_TRY(PH_ROOM(env, &marks->marks));
	marks->marks.items[marks->marks.count++] = mark;
	return PH_OK;
}

PhStatus
ph_thread_marks_add(PhEnv *env, PhThreadMarks *marks, const uint8_t *regions, uint32_t n_regions,
					uint64_t seq, const PhEvent *event, const PhOpenCall *call)
{
	PhThreadMarkKind kind = PH_MARK_BARRIER;
	bool ends = event->kind == PH_EVENT_LEAVE;
	uint8_t region = call != NULL && call->region < n_regions ? regions[call->region] : 0;
	bool counts = ends && (region & PH_REGION_TEAM_BARRIER) != 0;
	if (event->kind == PH_EVENT_THREAD)
		counts = is_mark(event->operation, event->n_values, &kind);
	if (counts)
		PH_TRY(add_mark(env, marks, kind, seq, event, call, (region & PH_REGION_LOCK) != 0));
	if (counts || ends)
		marks->last_time = event->time;
	return PH_OK;
}
