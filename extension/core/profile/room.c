/*
 * room.c - the tree alone, and a tree with room for values (profile(run) in the server).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/builder_internal.h"
#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/tree.h"

PhStatus
ph_profile_skeleton(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = ph_tree_copy(&maker, profile);
	return ph_maker_end(&maker, status, out);
}

static PhStatus
take_column(PhMaker *maker, const PhColumnSpec *spec, PhColumn *column)
{
	column->run_id = spec->run_id;
	column->iteration = spec->iteration;
	column->rank = spec->rank < 0 ? PH_NO_NUMBER : spec->rank;
	column->thread = spec->thread < 0 ? PH_NO_NUMBER : spec->thread;
	column->kind = (uint8_t) spec->kind;
	PH_TRY(ph_strings_intern(&maker->strings, spec->host, &column->host));
	return ph_strings_intern(&maker->strings, spec->name, &column->name);
}

static PhStatus
take_metric(PhMaker *maker, const PhMetricSpec *spec, PhMetric *metric)
{
	bool is_ratio = spec->kind == PH_METRIC_RATIO;
	metric->kind = (uint8_t) spec->kind;
	metric->combine = (uint8_t) spec->combine;
	metric->is_signed = spec->may_be_negative;
	metric->numerator = is_ratio ? spec->numerator : 0;
	metric->denominator = is_ratio ? spec->denominator : 0;
	PH_TRY(ph_strings_intern(&maker->strings, spec->name, &metric->name));
	return ph_strings_intern(&maker->strings, spec->unit, &metric->unit);
}

static PhStatus
take_all(PhMaker *maker, const PhProfile *skeleton, uint32_t n_columns, const PhColumnSpec *columns,
		 uint32_t n_metrics, const PhMetricSpec *metrics)
{
	PhProfile *profile = maker->profile;
	PH_TRY(ph_tree_copy(maker, skeleton));
	PH_TRY(PH_NEW(&profile->arena, n_columns, &profile->columns));
	PH_TRY(PH_NEW(&profile->arena, n_metrics, &profile->metrics));
	profile->n_columns = n_columns;
	profile->n_metrics = n_metrics;
	for (uint32_t i = 0; i < n_columns; i++)
		PH_TRY(take_column(maker, &columns[i], &profile->columns[i]));
	for (uint32_t i = 0; i < n_metrics; i++)
		PH_TRY(take_metric(maker, &metrics[i], &profile->metrics[i]));
	return PH_OK;
}

static PhStatus
make_room(PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		if (profile->metrics[i].kind != PH_METRIC_RATIO)
			PH_TRY(ph_metric_make_room(profile, &profile->metrics[i]));
	return PH_OK;
}

PhStatus
ph_profile_make_unset_room(PhProfile *profile)
{
	size_t cells = ph_profile_cells(profile);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (metric->kind == PH_METRIC_RATIO)
			continue;
		PH_TRY(ph_arena_alloc_unset(&profile->arena, cells, sizeof(*metric->exclusive),
									(void **) &metric->exclusive));
		PH_TRY(ph_arena_alloc_unset(&profile->arena, cells, sizeof(*metric->inclusive),
									(void **) &metric->inclusive));
	}
	return PH_OK;
}

PhStatus
ph_profile_with_cells(PhEnv *env, const PhProfile *skeleton, uint32_t n_columns,
					  const struct PhColumnSpec *columns, uint32_t n_metrics,
					  const struct PhMetricSpec *metrics, const PhPresence *presence,
					  PhProfile **out)
{
	PhMaker maker;
	PhProfile *profile = NULL;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = take_all(&maker, skeleton, n_columns, columns, n_metrics, metrics);
	PH_TRY(ph_maker_end(&maker, status, &profile));
	if (presence != NULL)
		status = ph_profile_set_cells(profile, presence);
	if (status == PH_OK)
		*out = profile;
	else
		ph_profile_free(env, profile);
	return status;
}

PhStatus
ph_profile_with_room(PhEnv *env, const PhProfile *skeleton, uint32_t n_columns,
					 const struct PhColumnSpec *columns, uint32_t n_metrics,
					 const struct PhMetricSpec *metrics, const PhPresence *presence,
					 PhProfile **out)
{
	PhProfile *profile = NULL;
	PH_TRY(ph_profile_with_cells(env, skeleton, n_columns, columns, n_metrics, metrics, presence,
								 &profile));
	/* only now: ph_maker_end checks every value there is, for which a profile of zeroes has no need
	 */
	PhStatus status = make_room(profile);
	if (status == PH_OK)
		*out = profile;
	else
		ph_profile_free(env, profile);
	return status;
}
