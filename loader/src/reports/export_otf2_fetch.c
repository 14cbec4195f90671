/*
 * export_otf2_fetch.c - what events of a run refer to, and its logical time, for an archive.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "readers/otf2/words.h"
#include "reports/export_otf2_internal.h"
#include "system/log.h"
#include "system/memory.h"
#include "trace/chunk/device_records.h"
#include "trace/chunk/model.h"

/* Room for one more element of a growing array. */
static void *
add(void **items, size_t *n, size_t size)
{
	if ((*n & (*n - 1)) == 0)
		*items = ph_must_resize(*items, *n == 0 ? 1 : 2 * *n, size);
	memset((char *) *items + *n * size, 0, size);
	return (char *) *items + (*n)++ * size;
}

static void
meet_rank(PhOtf2Export *export, int64_t rank)
{
	if (rank >= 0 && rank < INT32_MAX && (uint32_t) rank >= export->n_ranks)
		export->n_ranks = (uint32_t) rank + 1;
}

static bool
take_run(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;

	if (!ph_result_is_null(row, 0, 0) && ph_result_int(row, 0, 0) >= 0)
		export->epoch = (uint64_t) ph_result_int(row, 0, 0);
	export->n_run_ranks = ph_result_int(row, 0, 1);
	meet_rank(export, export->n_run_ranks - 1);
	export->n_threads = ph_result_int(row, 0, 2);
	export->machine = ph_strdup(ph_result_text(row, 0, 3));
	export->description = ph_strdup(ph_result_text(row, 0, 4));
	export->command = ph_strdup(ph_result_text(row, 0, 5));
	export->clock = ph_strdup(ph_result_text(row, 0, 6));
	return true;
}

static bool
take_location(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutLocation *location =
		add((void **) &export->locations, &export->n_locations, sizeof(*location));

	location->rank = ph_result_int(row, 0, 1);
	location->thread = ph_result_int(row, 0, 2);
	location->name = ph_strdup(ph_result_text(row, 0, 3));
	location->host = ph_strdup(ph_result_text(row, 0, 4));
	location->has_calls = ph_result_bool(row, 0, 5);
	location->has_events = ph_result_bool(row, 0, 6);
	location->is_stream = ph_result_bool(row, 0, 7);
	location->stream = (PhDeviceStream){.device = (int32_t) ph_result_int(row, 0, 8),
										.context = ph_result_int(row, 0, 9),
										.stream = ph_result_int(row, 0, 10),
										.lane = (int32_t) ph_result_int(row, 0, 11)};
	export->has_streams |= location->is_stream;
	meet_rank(export, location->rank);
	return true;
}

/* Numbers of paradigm and role: OTF2 has none for those of devices. */
static void
take_words(PhOtf2OutRegion *region, const char *paradigm, const char *role)
{
	region->paradigm = ph_otf2_paradigm_number(paradigm);
	region->role = ph_otf2_role_number(role);
	if (strcmp(ph_otf2_paradigm_word(region->paradigm), paradigm) != 0 ||
		strcmp(ph_otf2_role_word(region->role), role) != 0)
		region->words = ph_format("%s/%s", paradigm, role);
	if (strcmp(role, PH_ROLE_COPY) == 0 || strcmp(role, PH_ROLE_SET) == 0)
		region->role = OTF2_REGION_ROLE_DATA_TRANSFER;
	else if (strcmp(role, PH_ROLE_KERNEL) == 0 || strcmp(role, PH_ROLE_COLLECTIVE) == 0)
		region->role = OTF2_REGION_ROLE_FUNCTION;
}

static bool
take_region(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutRegion *region = add((void **) &export->regions, &export->n_regions, sizeof(*region));

	region->number = ph_result_int(row, 0, 0);
	region->name = ph_strdup(ph_result_text(row, 0, 1));
	take_words(region, ph_result_text(row, 0, 2), ph_result_text(row, 0, 3));
	region->file = ph_strdup(ph_result_text(row, 0, 4));
	region->line = (uint32_t) ph_result_int(row, 0, 5);
	region->library = ph_strdup(ph_result_text(row, 0, 6));
	return true;
}

static OTF2_Type
type_of(int64_t type)
{
	return type == PH_TRACE_DOUBLE	? OTF2_TYPE_DOUBLE
		   : type == PH_TRACE_INT64 ? OTF2_TYPE_INT64
									: OTF2_TYPE_UINT64;
}

static bool
take_metric(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutMetric *metric = add((void **) &export->metrics, &export->n_metrics, sizeof(*metric));

	metric->metric_class = ph_result_int(row, 0, 0);
	metric->name = ph_strdup(ph_result_text(row, 0, 2));
	metric->unit = ph_strdup(ph_result_text(row, 0, 3));
	metric->type = type_of(ph_result_int(row, 0, 4));
	metric->is_accumulated = ph_result_bool(row, 0, 5);
	metric->scale = strtod(ph_result_text(row, 0, 6), NULL);
	return true;
}

static bool
take_parameter(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	int64_t number = ph_result_int(row, 0, 0);

	const char *type = ph_result_text(row, 0, 2);

	while ((int64_t) export->n_parameters <= number)
		add((void **) &export->parameters, &export->n_parameters, sizeof(PhOtf2OutParameter));
	free(export->parameters[number].name);
	export->parameters[number].name = ph_strdup(ph_result_text(row, 0, 1));
	export->parameters[number].type = strcmp(type, PH_OTF2_PARAMETER_TEXT) == 0 ? OTF2_TYPE_STRING
									  : strcmp(type, PH_OTF2_PARAMETER_SIGNED) == 0
										  ? OTF2_TYPE_INT64
										  : OTF2_TYPE_UINT64;
	return true;
}

static bool
take_text(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2References *references = &export->references;
	PhOtf2Text *text = add((void **) &references->texts, &references->n_texts, sizeof(*text));

	text->number = (uint32_t) ph_result_int(row, 0, 0);
	text->text = ph_strdup(ph_result_text(row, 0, 1));
	return true;
}

/* Configurations follow the texts that events have, and 0, which is no text. */
static bool
take_configuration(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2References *references = &export->references;
	size_t n = references->n_texts;
	uint32_t number = n == 0 ? 1 : references->texts[n - 1].number + 1;
	PhOtf2Text *text = add((void **) &references->texts, &references->n_texts, sizeof(*text));

	if (ph_result_int(row, 0, 0) == 0)
		export->first_configuration = number;
	text->number = number;
	text->text = ph_strdup(ph_result_text(row, 0, 1));
	return true;
}

static bool
take_launch(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutLaunch *launch =
		add((void **) &export->launches, &export->n_launches, sizeof(*launch));

	launch->location = (int32_t) ph_result_int(row, 0, 0);
	launch->call_location = ph_result_is_null(row, 0, 1) ? -1 : (int32_t) ph_result_int(row, 0, 1);
	launch->call_seq = ph_result_int(row, 0, 2);
	launch->t_call = ph_result_int(row, 0, 3);
	return true;
}

/* The communicator with this number; those before it that do not exist are without members. */
static PhOtf2OutComm *
find_comm(PhOtf2Export *export, int64_t number)
{
	while ((int64_t) export->n_comms <= number)
		add((void **) &export->comms, &export->n_comms, sizeof(PhOtf2OutComm));
	return &export->comms[number];
}

static bool
take_member(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutComm *comm = find_comm(export, ph_result_int(row, 0, 0));

	if (comm->name == NULL)
	{
		comm->name = ph_strdup(ph_result_text(row, 0, 1));
		comm->is_mpi = ph_result_bool(row, 0, 2);
		comm->parent = ph_result_int(row, 0, 3);
		comm->members = ph_must_alloc((size_t) ph_result_int(row, 0, 4) + 1, sizeof(int64_t));
	}
	if (ph_result_is_null(row, 0, 5))
		return true;
	comm->members[comm->n_members++] = ph_result_int(row, 0, 5);
	meet_rank(export, ph_result_int(row, 0, 5));
	return true;
}

static bool
take_window(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;

	if (!ph_result_is_null(row, 0, 0))
		export->first_window = (uint32_t) ph_result_int(row, 0, 0);
	return true;
}

static int
compare_name(const void *name, const void *region)
{
	return strcmp(name, (*(const PhOtf2OutRegion *const *) region)->name);
}

/* Position of the first region of this name; UINT32_MAX: none. */
static uint32_t
region_of_name(const PhOtf2Export *export, const char *name)
{
	const PhOtf2OutRegion *const *found = NULL;

	if (export->n_regions > 0)
		found =
			bsearch(name, export->names, export->n_regions, sizeof(*export->names), compare_name);
	return found == NULL ? UINT32_MAX : (*found)->same;
}

static bool
take_step(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	PhOtf2OutStep *step = add((void **) &export->steps, &export->n_steps, sizeof(*step));
	const char *region = ph_result_text(row, 0, 1);

	*step = (PhOtf2OutStep){
		.location = ph_result_int(row, 0, 0),
		.region = region != NULL ? region_of_name(export, region) : UINT32_MAX,
		.enter = ph_result_int(row, 0, 2),
		.leave = ph_result_int(row, 0, 3),
		.phase = (uint32_t) ph_result_int(row, 0, 4),
		.step = (uint32_t) ph_result_int(row, 0, 5),
		.lateness = ph_result_int(row, 0, 6),
		.differential = ph_result_int(row, 0, 7),
	};
	return true;
}

/* ---- what follows from the rows ---- */

/* By name, then by number: regions are ordered by number. */
static int
compare_names(const void *x, const void *y)
{
	const PhOtf2OutRegion *a = *(const PhOtf2OutRegion *const *) x;
	const PhOtf2OutRegion *b = *(const PhOtf2OutRegion *const *) y;
	int by_name = strcmp(a->name, b->name);

	return by_name != 0 ? by_name : (a > b) - (a < b);
}

/* Logical time names regions; several may have one name. */
static void
sort_names(PhOtf2Export *export)
{
	size_t n = export->n_regions;
	const PhOtf2OutRegion **names = ph_must_alloc(n + 1, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = &export->regions[i];
	qsort(names, n, sizeof(*names), compare_names);
	for (size_t i = 0; i < n; i++)
	{
		size_t position = (size_t) (names[i] - export->regions);
		bool is_first = i == 0 || strcmp(names[i]->name, names[i - 1]->name) != 0;

		export->regions[position].same = is_first ? (uint32_t) position : names[i - 1]->same;
	}
	export->names = names;
}

static void
find_first_group(PhOtf2Export *export)
{
	export->first_group = 1;
	for (uint32_t i = 0; i < export->n_comms && i < export->first_window; i++)
	{
		if (!export->comms[i].is_mpi)
			export->first_group = 2;
	}
}

/* Classes count from 0; one without members has no rows. */
static void
find_classes(PhOtf2Export *export)
{
	size_t n = export->n_metrics;
	size_t at = 0;

	export->n_classes = n == 0 ? 0 : (size_t) export->metrics[n - 1].metric_class + 1;
	export->classes = ph_must_alloc(export->n_classes + 1, sizeof(*export->classes));
	for (size_t c = 0; c <= export->n_classes; c++)
	{
		while (at < n && export->metrics[at].metric_class < (int64_t) c)
			at++;
		export->classes[c] = at;
	}
}

static bool
has_events(const PhOtf2Export *export)
{
	for (size_t i = 0; i < export->n_locations; i++)
	{
		if (export->locations[i].has_events)
			return true;
	}
	return false;
}

static PhExit
no_trace(const PhOtf2Export *export)
{
	ph_log_error("run %" PRId64 " does not exist or has no trace with events", export->run_id);
	ph_log_hint("\"perfhouse runs\" lists the runs.");
	return PH_EXIT_NOT_FOUND;
}

typedef struct Part
{
	const char *sql;
	bool (*each)(void *user, const PhResult *row);
} Part;

static bool
fetch(PhOtf2Export *export, const Part *parts, size_t n)
{
	PhParam run_id = ph_param_int(export->run_id);

	for (size_t i = 0; i < n; i++)
	{
		if (!ph_pq_stream(export->connection, parts[i].sql, &run_id, 1, parts[i].each, export))
			return false;
	}
	return true;
}

PhExit
ph_otf2_export_fetch(PhOtf2Export *export)
{
	static const Part definitions[] = {
		{ph_sql_export_otf2_locations, take_location},
		{ph_sql_export_otf2_run, take_run},
		{ph_sql_export_otf2_regions, take_region},
		{ph_sql_export_otf2_metrics, take_metric},
		{ph_sql_export_otf2_parameters, take_parameter},
		{ph_sql_export_otf2_texts, take_text},
		{ph_sql_export_otf2_configurations, take_configuration},
		{ph_sql_export_otf2_communicators, take_member},
		{ph_sql_export_otf2_windows, take_window},
	};
	static const Part steps[] = {{ph_sql_export_otf2_steps, take_step},
								 {ph_sql_export_otf2_launches, take_launch}};

	export->epoch = OTF2_UNDEFINED_TIMESTAMP;
	export->first_window = UINT32_MAX;
	if (!fetch(export, definitions, sizeof(definitions) / sizeof(definitions[0])))
		return ph_pq_log_error(export->connection, "export");
	if (!has_events(export))
		return no_trace(export);
	sort_names(export);
	find_classes(export);
	find_first_group(export);
	if (!fetch(export, steps, export->has_streams ? 2 : 1))
		return ph_pq_log_error(export->connection, "export");
	return PH_EXIT_OK;
}

void
ph_otf2_export_free(PhOtf2Export *export)
{
	for (size_t i = 0; i < export->n_locations; i++)
	{
		free(export->locations[i].name);
		free(export->locations[i].host);
	}
	for (size_t i = 0; i < export->n_regions; i++)
	{
		free(export->regions[i].name);
		free(export->regions[i].file);
		free(export->regions[i].library);
		free(export->regions[i].words);
	}
	for (size_t i = 0; i < export->n_metrics; i++)
	{
		free(export->metrics[i].name);
		free(export->metrics[i].unit);
	}
	for (size_t i = 0; i < export->n_parameters; i++)
		free(export->parameters[i].name);
	for (size_t i = 0; i < export->references.n_texts; i++)
		free(export->references.texts[i].text);
	for (size_t i = 0; i < export->n_comms; i++)
	{
		free(export->comms[i].name);
		free(export->comms[i].members);
		free(export->comms[i].rank_of);
	}
	free(export->locations);
	free(export->regions);
	free(export->comms);
	free(export->metrics);
	free(export->classes);
	free(export->rank_locations);
	free(export->parameters);
	free(export->names);
	free(export->references.texts);
	free(export->references.strings);
	free(export->steps);
	free(export->launches);
	free(export->clock);
	free(export->machine);
	free(export->description);
	free(export->command);
}
