/*
 * launches.c - see launches.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/launches.h"

#include "base/min_max.h"

#include <string.h>

void
ph_span_launches_init(PhSpanLaunches *launches, PhEnv *env)
{
	*launches = (PhSpanLaunches){.env = env};
	ph_arena_init(&launches->open, env);
}

static void
forget_scopes(PhSpanLaunches *launches)
{
	for (uint32_t i = 0; i < launches->call_of.count; i++)
		ph_correlations_free(&launches->call_of.items[i]);
	memset(&launches->call_of, 0, sizeof(launches->call_of));
	ph_arena_drop(&launches->open);
}

void
ph_span_launches_free(PhSpanLaunches *launches)
{
	PH_VECTOR_FREE(launches->env, &launches->calls);
	PH_VECTOR_FREE(launches->env, &launches->extras);
	PH_VECTOR_FREE(launches->env, &launches->activities);
	PH_VECTOR_FREE(launches->env, &launches->waits);
	forget_scopes(launches);
}

/* The calls of a scope by correlation. */
static PhStatus
find_scope(PhSpanLaunches *launches, uint32_t scope, PhCorrelations **out)
{
	while (launches->call_of.count <= scope - launches->first_scope)
	{
		PH_TRY(PH_ROOM(&launches->open, &launches->call_of));
		ph_correlations_init(&launches->call_of.items[launches->call_of.count++], &launches->open);
	}
	*out = &launches->call_of.items[scope - launches->first_scope];
	return PH_OK;
}

static PhStatus
keep_extra(PhSpanLaunches *launches, const PhSpanExtra *extra, uint32_t *out)
{
	*out = 0;
	if (extra->bytes == 0 && extra->configuration == 0)
		return PH_OK;
	PH_TRY(PH_ROOM(launches->env, &launches->extras));
	launches->extras.items[launches->extras.count++] = *extra;
	*out = launches->extras.count;
	return PH_OK;
}

PhStatus
ph_span_launches_call(PhSpanLaunches *launches, uint32_t scope, uint64_t correlation,
					  const PhSpanExtra *extra, uint32_t *detail)
{
	PhSpanLaunch call = {.track = PH_NONE};
	PhCorrelations *calls;

	if (correlation == 0)
		return PH_OK;
	PH_TRY(find_scope(launches, scope, &calls));
	PH_TRY(PH_ROOM(launches->env, &launches->calls));
	PH_TRY(ph_correlations_enter(calls, correlation, launches->calls.count + 1, detail));
	if (*detail <= launches->calls.count)
		return PH_OK;
	PH_TRY(keep_extra(launches, extra, &call.extra));
	launches->calls.items[launches->calls.count++] = call;
	return PH_OK;
}

static uint32_t
configuration_of(const PhSpanExtra *extra)
{
	return extra->configuration > PH_MOST_SPAN_CONFIGURATIONS
			   ? 0
			   : extra->configuration & PH_MOST_SPAN_CONFIGURATIONS;
}

PhStatus
ph_span_launches_activity(PhSpanLaunches *launches, uint32_t scope, uint64_t correlation,
						  const PhSpanExtra *known, uint32_t *detail)
{
	PH_TRY(PH_ROOM(launches->env, &launches->activities));
	launches->activities.items[launches->activities.count++] =
		(PhSpanActivity){.launch = correlation,
						 .bytes = PH_MIN(known->bytes, PH_MOST_SPAN_BYTES),
						 .communicator = known->communicator,
						 .configuration = configuration_of(known),
						 .operation = known->operation & 63,
						 .scope = scope};
	*detail = launches->activities.count;
	return PH_OK;
}

static PhStatus
match_activity(PhSpanLaunches *launches, PhSpanActivity *activity)
{
	PhCorrelations *calls;
	uint32_t launch = 0;

	PH_TRY(ph_env_poll(launches->env));
	if (activity->launch != 0)
	{
		PH_TRY(find_scope(launches, activity->scope, &calls));
		PH_TRY(ph_correlations_enter(calls, activity->launch, 0, &launch));
	}
	activity->launch = launch;
	activity->scope = 0;
	launches->counts.unmatched += launch == 0;
	uint32_t extra = launch == 0 ? 0 : launches->calls.items[launch - 1].extra;

	if (extra != 0 && activity->bytes == 0 && activity->configuration == 0)
	{
		activity->bytes = PH_MIN(launches->extras.items[extra - 1].bytes, PH_MOST_SPAN_BYTES);
		activity->configuration = configuration_of(&launches->extras.items[extra - 1]);
	}
	return PH_OK;
}

PhStatus
ph_span_launches_wait(PhSpanLaunches *launches, const PhSpanWait *wait)
{
	PH_TRY(PH_ROOM(launches->env, &launches->waits));
	launches->waits.items[launches->waits.count++] = *wait;
	return PH_OK;
}

static PhStatus
match_wait(PhSpanLaunches *launches, PhSpanWait *wait)
{
	PhCorrelations *calls;
	uint32_t waits, records;

	PH_TRY(ph_env_poll(launches->env));
	PH_TRY(find_scope(launches, wait->scope, &calls));
	PH_TRY(ph_correlations_enter(calls, wait->wait, 0, &waits));
	PH_TRY(ph_correlations_enter(calls, wait->record, 0, &records));
	wait->wait = waits;
	wait->record = records;
	return PH_OK;
}

PhStatus
ph_span_launches_match(PhSpanLaunches *launches)
{
	for (uint32_t i = launches->n_matched; i < launches->activities.count; i++)
		PH_TRY(match_activity(launches, &launches->activities.items[i]));
	launches->n_matched = launches->activities.count;
	for (; launches->n_matched_waits < launches->waits.count; launches->n_matched_waits++)
		PH_TRY(match_wait(launches, &launches->waits.items[launches->n_matched_waits]));
	launches->counts.activities = launches->activities.count;
	launches->first_scope += launches->call_of.count;
	forget_scopes(launches);
	return PH_OK;
}

void
ph_span_launches_place(PhSpanLaunches *launches, const PhSpanRow *call, uint64_t seq)
{
	PhSpanLaunch *launch = &launches->calls.items[call->detail - 1];

	if (launch->track != PH_NONE && call->begin >= launch->begin)
		return;
	launch->track = call->track;
	launch->seq = seq;
	launch->begin = call->begin;
}

const PhSpanActivity *
ph_span_launches_check(PhSpanLaunches *launches, const PhSpanRow *activity)
{
	const PhSpanLaunch *call = ph_span_launched_by(launches, activity);

	launches->counts.reversed += call != NULL && activity->begin < call->begin;
	return &launches->activities.items[activity->detail - 1];
}
