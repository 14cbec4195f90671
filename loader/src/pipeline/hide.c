/*
 * hide.c - see hide.h: profiles, definitions of traces, and the run's record.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/hide.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "pipeline/store/copy_table.h"
#include "profile/ops.h"
#include "queries.h"
#include "readers/input.h"
#include "readers/tasks/source.h"

/* ---- profiles ---- */

/* What a region of the profile was before it was hidden, by its identity now. */
static PhStatus
map_regions(PhArena *arena, const PhProfile *profile, const PhCodeNames *names, PhMap *out)
{
	ph_map_init(out, arena);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];
		uint32_t *found;

		PH_TRY(ph_map_enter(out,
							ph_hash_region((PhRegionKind) region->kind, names[i].name,
										   names[i].library, names[i].file, region->line),
							i, &found));
	}
	return PH_OK;
}

/* Paths before they were normalised, in the order of the hidden profile's regions. */
static PhStatus
hide_raw_regions(PhEnv *env, PhArena *arena, const PhHiding *hiding, PhMap *old_regions,
				 const PhProfile *hidden, const PhRawRegion *from, PhRawRegion *to)
{
	for (uint32_t i = 0; i < hidden->n_regions; i++)
	{
		const char *raw;
		uint32_t *old;

		PH_TRY(ph_map_enter(old_regions, hidden->regions[i].region_id, PH_NONE, &old));
		if (*old == PH_NONE)
			return ph_fail(env, PH_ERR_INTERNAL, "a hidden function is of no function");
		to[i].line = from[*old].line;
		raw = from[*old].raw_file;
		if (raw == NULL)
			continue;
		if (hiding->paths)
			PH_TRY(ph_hide_path(arena, hiding->salt, raw, &raw));
		PH_TRY(ph_run_strdup(env, raw, &to[i].raw_file));
	}
	return PH_OK;
}

static PhStatus
rename_raw_regions(PhEnv *env, PhArena *arena, const PhHiding *hiding, const PhCodeNames *names,
				   PhRunInput *input, PhRunInput *hidden)
{
	void *list;
	PhMap old_regions;

	if (input->raw_regions == NULL)
		return PH_OK;
	PH_TRY(ph_env_alloc(env, hidden->profile->n_regions, sizeof(PhRawRegion), &list));
	hidden->raw_regions = list;
	PH_TRY(map_regions(arena, input->profile, names, &old_regions));
	return hide_raw_regions(env, arena, hiding, &old_regions, hidden->profile, input->raw_regions,
							hidden->raw_regions);
}

/* The input's profile and what goes with it change places with hidden ones. */
static void
exchange(PhRunInput *input, PhRunInput *hidden)
{
	PhProfile *profile = input->profile;
	PhRawRegion *raw = input->raw_regions;

	input->profile = hidden->profile;
	input->raw_regions = hidden->raw_regions;
	hidden->profile = profile;
	hidden->raw_regions = raw;
}

static PhStatus
hide_profile(PhEnv *env, PhArena *arena, const PhHiding *hiding, PhRunInput *input)
{
	PhRunInput hidden = {0}; /* for its profile */
	PhCodeNames *regions;
	PhUnitNames *columns;
	PhStatus status;

	if (input->profile == NULL)
		return PH_OK;
	PH_TRY(ph_hide_code(arena, hiding, input->profile, &regions));
	PH_TRY(ph_hide_units(arena, hiding, input->profile, &columns));
	PH_TRY(ph_profile_rename(env, input->profile, regions, columns, &hidden.profile));
	status = rename_raw_regions(env, arena, hiding, regions, input, &hidden);
	if (status == PH_OK)
		exchange(input, &hidden);
	ph_run_input_free(env, &hidden);
	return status;
}

/* ---- traces ---- */

static PhStatus
hide_locations(PhArena *arena, const PhHiding *hiding, PhTraceModel *model)
{
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		PhTraceLocation *location = &model->locations[i];

		if (hiding->hosts)
			PH_TRY(ph_hide_host(arena, hiding->salt, &location->host, &location->name));
		if (hiding->paths)
			PH_TRY(ph_hide_paths(arena, hiding->salt, location->name, &location->name));
	}
	return PH_OK;
}

/* Files of regions are hidden when they are normalised (pipeline/trace/regions.h). */
static PhStatus
hide_definitions(PhArena *arena, const char *salt, PhTraceModel *model)
{
	for (uint32_t i = 0; i < model->n_regions; i++)
		PH_TRY(ph_hide_in_region(arena, salt, &model->regions[i].name, &model->regions[i].library,
								 &(const char *){NULL}));
	for (uint32_t i = 0; i < model->n_communicators; i++)
		PH_TRY(ph_hide_paths(arena, salt, model->communicators[i].name,
							 &model->communicators[i].name));
	for (uint32_t i = 0; i < model->n_metrics; i++)
		PH_TRY(ph_hide_paths(arena, salt, model->metrics[i].name, &model->metrics[i].name));
	return PH_OK;
}

static PhStatus
hide_tasks(PhArena *arena, const char *salt, PhTaskSource *tasks)
{
	for (uint32_t i = 0; i < tasks->n_types; i++)
		PH_TRY(ph_hide_paths(arena, salt, tasks->types[i].name, &tasks->types[i].name));
	for (uint32_t i = 0; i < tasks->n_entries; i++)
		PH_TRY(ph_hide_paths(arena, salt, tasks->entries[i].name, &tasks->entries[i].name));
	for (uint32_t i = 0; i < tasks->n_chares; i++)
		if (tasks->chares[i].name != NULL)
			PH_TRY(ph_hide_paths(arena, salt, tasks->chares[i].name, &tasks->chares[i].name));
	return PH_OK;
}

static PhStatus
hide_trace(PhArena *arena, const PhHiding *hiding, PhTraceSource *trace)
{
	PH_TRY(hide_locations(arena, hiding, &trace->model));
	if (!hiding->paths)
		return PH_OK;
	PH_TRY(hide_definitions(arena, hiding->salt, &trace->model));
	return trace->tasks == NULL ? PH_OK : hide_tasks(arena, hiding->salt, trace->tasks);
}

/* What was measured beside the trace is found by its names in the trace's profile. */
static PhStatus
hide_beside(PhEnv *env, PhArena *arena, const PhHiding *hiding, PhRunInput *input)
{
	PhRunInput beside = {.profile = input->beside};
	PhStatus status = hide_profile(env, arena, hiding, &beside);

	input->beside = beside.profile;
	return status;
}

PhStatus
ph_hide_input(PhEnv *env, PhArena *arena, const PhHiding *hiding, PhRunInput *input)
{
	if (!hiding->hosts && !hiding->paths)
		return PH_OK;
	PH_TRY(hide_profile(env, arena, hiding, input));
	PH_TRY(hide_beside(env, arena, hiding, input));
	return input->trace == NULL ? PH_OK : hide_trace(arena, hiding, input->trace);
}

/* ---- the record ---- */

static PhStatus
note_host(PhStrings *hosts, const char *host)
{
	uint32_t number;

	return host == NULL ? PH_OK : ph_strings_intern(hosts, host, &number);
}

/* SQL's text[] of the hosts that the input names, malloc'ed. */
static PhStatus
list_hosts(PhArena *arena, const PhRunInput *input, char **out)
{
	PhStrings hosts; /* the first one is empty */

	PH_TRY(ph_strings_init(&hosts, arena));
	for (uint32_t i = 0; input->profile != NULL && i < input->profile->n_columns; i++)
		PH_TRY(
			note_host(&hosts, ph_profile_string(input->profile, input->profile->columns[i].host)));
	for (uint32_t i = 0; input->trace != NULL && i < input->trace->model.n_locations; i++)
		PH_TRY(note_host(&hosts, input->trace->model.locations[i].host));
	*out = ph_array_text(hosts.text + 1, hosts.count - 1);
	return PH_OK;
}

static PhStatus
take_text(PhRunRecord *record, const PhResult *rows, size_t field, char **to)
{
	const char *text = ph_result_text(rows, 0, field);

	*to = NULL;
	return text == NULL ? PH_OK : ph_arena_strndup(&record->arena, text, strlen(text), to);
}

/* Columns of load/hide.sql. */
static PhStatus
take_record(PhEnv *env, const PhResult *rows, PhRunInput *input, PhRunRecord *record)
{
	char **const texts[] = {&record->application, &record->title,  &record->branch,
							&record->user_name,	  &record->source, &record->meta};
	const size_t n_texts = sizeof(texts) / sizeof(texts[0]);

	for (size_t i = 0; i < n_texts; i++)
		PH_TRY(take_text(record, rows, i, texts[i]));
	for (size_t i = 0; i < input->n_missing && i < ph_result_count(rows); i++)
	{
		char *sentence;

		PH_TRY(ph_run_strdup(env, ph_result_text(rows, i, n_texts), &sentence));
		ph_env_free(env, input->missing[i], strlen(input->missing[i]) + 1, 1);
		input->missing[i] = sentence;
	}
	return PH_OK;
}

PhStatus
ph_hide_record(PhEnv *env, PhConnection *db, const PhHiding *hiding, PhRunInput *input,
			   PhRunRecord *record)
{
	char *hosts, *missing = ph_array_text((const char *const *) input->missing, input->n_missing);
	PhStatus status = list_hosts(&record->arena, input, &hosts);
	PhResult *rows = NULL;

	if (status == PH_OK)
	{
		PhParam params[] = {ph_param_text(record->application),
							ph_param_text(record->title),
							ph_param_text(record->branch),
							ph_param_text(record->user_name),
							ph_param_text(record->source),
							ph_param_text(record->meta),
							ph_param_text(missing),
							ph_param_text(hiding->what),
							ph_param_text(hiding->salt),
							ph_param_text(hosts)};

		rows = ph_pq_query(db, ph_sql_load_hide, params, 10);
		free(hosts);
		status = rows == NULL ? ph_refused(env, db) : take_record(env, rows, input, record);
	}
	ph_result_free(rows);
	free(missing);
	return status;
}
