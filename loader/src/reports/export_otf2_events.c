/*
 * export_otf2_events.c - the events of an archive that is written.
 *
 * Events come ordered by location, so one event writer is open at a time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "readers/otf2/words.h"
#include "reports/export_otf2_internal.h"
#include "system/memory.h"
#include "trace/chunk/device_records.h"

enum EventColumn
{
	LOCATION,
	TIME,
	KIND,
	REGION,
	PEER,
	TAG,
	BYTES,
	COMMUNICATOR,
	REQUEST,
	OPERATION,
	ROOT,
	RECEIVED,
	VALUES
};

/* ---- attributes ---- */

static void
set_attributes(PhOtf2Export *export, const PhOtf2OutStep *step)
{
	OTF2_AttributeList *list = export->attributes;

	if (step == NULL)
		return;
	ph_otf2_export_note(export,
						OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_PHASE, step->phase));
	ph_otf2_export_note(export, OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_STEP, step->step));
	ph_otf2_export_note(export,
						OTF2_AttributeList_AddInt64(list, PH_ATTRIBUTE_LATENESS, step->lateness));
	ph_otf2_export_note(
		export, OTF2_AttributeList_AddInt64(list, PH_ATTRIBUTE_DIFFERENTIAL, step->differential));
}

/* The event of a call of the region at this time: the first that there is, or the last. */
static const PhOtf2OutStep *
find_step(PhOtf2Export *export, int64_t time, uint32_t region, bool last)
{
	const PhOtf2OutStep *found = NULL;

	while (export->step < export->n_steps && (export->steps[export->step].location < export->at ||
											  (export->steps[export->step].location == export->at &&
											   export->steps[export->step].leave < time)))
		export->step++;
	for (size_t i = export->step; i < export->n_steps; i++)
	{
		const PhOtf2OutStep *step = &export->steps[i];

		if (step->location != export->at || step->enter > time)
			break;
		if (step->region == region && (found == NULL || last))
			found = step;
	}
	return found;
}

/* ---- calls ---- */

static int
compare_number(const void *number, const void *region)
{
	int64_t x = *(const int64_t *) number, y = ((const PhOtf2OutRegion *) region)->number;

	return x < y ? -1 : x > y;
}

/* A call's region, a position among the regions; UINT32_MAX: none. */
static uint32_t
region_of(const PhOtf2Export *export, const PhResult *row)
{
	int64_t number = ph_result_int(row, 0, REGION);
	const PhOtf2OutRegion *found = NULL;

	if (export->n_regions > 0 && !ph_result_is_null(row, 0, REGION))
		found =
			bsearch(&number, export->regions, export->n_regions, sizeof(*found), compare_number);
	return found == NULL ? UINT32_MAX : (uint32_t) (found - export->regions);
}

/* "1 2 3" */
static uint32_t
values_of(const PhResult *row, uint64_t values[PH_OTF2_MOST_VALUES])
{
	const char *text = ph_result_text(row, 0, VALUES);
	uint32_t n = 0;

	while (text != NULL && *text != '\0' && n < PH_OTF2_MOST_VALUES)
	{
		char *end;

		values[n++] = (uint64_t) strtoll(text, &end, 10);
		text = end;
	}
	return n;
}

/* Who launched the activity; launches come in the order of ENTERs. */
static void
set_launch(PhOtf2Export *export)
{
	OTF2_AttributeList *list = export->attributes;
	const PhOtf2OutLaunch *launch;

	while (export->launch < export->n_launches &&
		   export->launches[export->launch].location < export->at)
		export->launch++;
	if (export->launch == export->n_launches ||
		export->launches[export->launch].location != export->at)
		return;
	launch = &export->launches[export->launch++];
	if (launch->call_location < 0)
		return;
	ph_otf2_export_note(export, OTF2_AttributeList_AddLocationRef(
									list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_LAUNCH_LOCATION,
									(OTF2_LocationRef) launch->call_location));
	ph_otf2_export_note(
		export, OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_LAUNCH_RECORD,
											 (uint64_t) launch->call_seq));
	ph_otf2_export_note(
		export, OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_LAUNCH_TIME,
											 (uint64_t) launch->t_call));
}

/* What is known of an activity follows its ENTER, and is written with it. */
static void
hold_enter(PhOtf2Export *export, uint32_t region, int64_t time)
{
	set_launch(export);
	export->is_entering = true;
	export->entering = region;
	export->entering_at = (uint64_t) time;
}

static void
write_held(PhOtf2Export *export)
{
	if (!export->is_entering)
		return;
	export->is_entering = false;
	ph_otf2_export_note(export, OTF2_EvtWriter_Enter(export->writer, export->attributes,
													 export->entering_at, export->entering));
}

static void
set_awaited(PhOtf2Export *export, uint64_t location, uint64_t before)
{
	OTF2_AttributeList *list = export->attributes;

	ph_otf2_export_note(export, OTF2_AttributeList_AddLocationRef(
									list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_AWAITED_LOCATION,
									(OTF2_LocationRef) location));
	ph_otf2_export_note(export, OTF2_AttributeList_AddUint64(
									list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_AWAITED_BEFORE, before));
}

static void
write_activity(PhOtf2Export *export, const PhResult *row)
{
	OTF2_AttributeList *list = export->attributes;
	uint64_t values[PH_OTF2_MOST_VALUES];
	uint32_t n = values_of(row, values);

	if (n > PH_ACTIVITY_BYTES && values[PH_ACTIVITY_BYTES] > 0)
		ph_otf2_export_note(
			export, OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_BYTES,
												 values[PH_ACTIVITY_BYTES]));
	if (n > PH_ACTIVITY_CONFIGURATION && values[PH_ACTIVITY_CONFIGURATION] > 0)
		ph_otf2_export_note(export, OTF2_AttributeList_AddStringRef(
										list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_CONFIGURATION,
										export->first_configuration +
											(uint32_t) values[PH_ACTIVITY_CONFIGURATION] - 1));
	if (n > PH_ACTIVITY_COMMUNICATOR && values[PH_ACTIVITY_COMMUNICATOR] > 0)
		ph_otf2_export_note(export, OTF2_AttributeList_AddCommRef(
										list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_COMMUNICATOR,
										(uint32_t) values[PH_ACTIVITY_COMMUNICATOR] - 1));
	if (n > PH_ACTIVITY_OPERATION && values[PH_ACTIVITY_OPERATION] > 0)
		ph_otf2_export_note(
			export, OTF2_AttributeList_AddUint64(list, PH_ATTRIBUTE_ACTIVITY + PH_OTF2_OPERATION,
												 values[PH_ACTIVITY_OPERATION]));
	if (n > PH_ACTIVITY_AWAITED && values[PH_ACTIVITY_AWAITED] > 0)
		set_awaited(export, values[PH_ACTIVITY_AWAITED] - 1,
					n > PH_ACTIVITY_AWAITED_BEFORE ? values[PH_ACTIVITY_AWAITED_BEFORE] : 0);
	write_held(export);
}

static void
write_call(PhOtf2Export *export, const PhResult *row, bool is_enter)
{
	uint32_t region = region_of(export, row);
	uint32_t same = region == UINT32_MAX ? UINT32_MAX : export->regions[region].same;
	int64_t time = ph_result_int(row, 0, TIME);
	OTF2_AttributeList *attributes = export->attributes;

	set_attributes(export, find_step(export, time, same, !is_enter));
	if (is_enter && export->location->is_stream)
		hold_enter(export, region, time);
	else if (is_enter)
		ph_otf2_export_note(
			export, OTF2_EvtWriter_Enter(export->writer, attributes, (uint64_t) time, region));
	else
		ph_otf2_export_note(
			export, OTF2_EvtWriter_Leave(export->writer, attributes, (uint64_t) time, region));
}

/* ---- other events ---- */

static void
number_ranks(PhOtf2OutComm *comm, uint32_t n_ranks)
{
	comm->rank_of = ph_must_alloc((size_t) n_ranks + 1, sizeof(uint32_t));
	for (uint32_t rank = 0; rank < n_ranks; rank++)
		comm->rank_of[rank] = UINT32_MAX;
	for (uint32_t i = comm->n_members; i-- > 0;)
	{
		if (comm->members[i] >= 0 && comm->members[i] < n_ranks)
			comm->rank_of[comm->members[i]] = i;
	}
}

/*
 * A world rank's rank in the communicator; of those that every process has for itself, 0. Unknown
 * ranks are UINT32_MAX, which is a rank of no communicator.
 */
static uint32_t
rank_in(PhOtf2Export *export, uint32_t number, const PhResult *row, int column)
{
	int64_t world = ph_result_int(row, 0, (size_t) column);
	PhOtf2OutComm *comm;

	if (ph_result_is_null(row, 0, (size_t) column) || world < 0 || world >= export->n_ranks)
		return UINT32_MAX;
	if (number >= export->n_comms)
		return (uint32_t) world;
	comm = &export->comms[number];
	if (comm->n_members == 0)
		return 0;
	if (comm->rank_of == NULL)
		number_ranks(comm, export->n_ranks);
	return comm->rank_of[world];
}

/*
 * Messages and collectives of formats without communicators get one of all ranks: OTF2 has none
 * without.
 */
static uint32_t
comm_of(PhOtf2Export *export, const PhResult *row, const char *kind)
{
	bool is_message = !ph_result_is_null(row, 0, TAG);
	bool is_collective =
		strstr(kind, "COLLECTIVE") != NULL && !ph_result_is_null(row, 0, OPERATION);

	if (!ph_result_is_null(row, 0, COMMUNICATOR))
		return (uint32_t) ph_result_int(row, 0, COMMUNICATOR);
	if ((!is_message && !is_collective) || strncmp(kind, "RMA_", 4) == 0)
		return UINT32_MAX;
	export->needs_world = true;
	return (uint32_t) export->n_comms;
}

/* Of a class's members; what a record has beyond them is of unknown type. */
static void
types_of(const PhOtf2Export *export, uint32_t number, OTF2_Type types[UINT8_MAX])
{
	size_t first = number < export->n_classes ? export->classes[number] : 0;
	size_t n = number < export->n_classes ? export->classes[number + 1] - first : 0;

	for (size_t i = 0; i < UINT8_MAX; i++)
		types[i] = i < n ? export->metrics[first + i].type : OTF2_TYPE_UINT64;
}

static void
write_record(PhOtf2Export *export, const PhResult *row, const char *kind)
{
	uint64_t values[PH_OTF2_MOST_VALUES];
	OTF2_Type types[UINT8_MAX];
	OTF2_ErrorCode code = OTF2_SUCCESS;
	uint32_t comm = comm_of(export, row, kind);
	PhOtf2OutEvent event = {
		.kind = kind,
		.time = (uint64_t) ph_result_int(row, 0, TIME),
		.comm = comm,
		.peer = rank_in(export, comm, row, PEER),
		.root = ph_result_is_null(row, 0, ROOT) ? OTF2_COLLECTIVE_ROOT_NONE
												: rank_in(export, comm, row, ROOT),
		.tag = (uint32_t) ph_result_int(row, 0, TAG),
		.bytes = (uint64_t) ph_result_int(row, 0, BYTES),
		.received = (uint64_t) ph_result_int(row, 0, RECEIVED),
		.request = (uint64_t) ph_result_int(row, 0, REQUEST),
		.operation = (uint32_t) ph_result_int(row, 0, OPERATION),
		.n_values = values_of(row, values),
		.values = values,
		.types = types,
	};

	if (strncmp(kind, "RMA_", 4) == 0 && comm >= export->first_window)
		event.comm = comm - export->first_window;
	if (strcmp(kind, "RMA_GROUP_SYNC") == 0) /* groups are numbered anew */
		values[1] = event.n_values > 2 && values[2] < export->first_window
						? export->first_group + values[2]
						: OTF2_UNDEFINED_GROUP;
	if (strcmp(kind, "METRIC") == 0)
		types_of(export, event.operation, types);
	else if (strcmp(kind, "PARAMETER") == 0)
		types[0] = event.operation < export->n_parameters ? export->parameters[event.operation].type
														  : OTF2_TYPE_UINT64;
	if (!ph_otf2_export_record(export->writer, &event, &export->references, &code))
		export->n_unknown++;
	ph_otf2_export_note(export, code);
}

static void
write_event(PhOtf2Export *export, const PhResult *row)
{
	const char *kind = ph_result_text(row, 0, KIND);

	if (export->is_entering && strcmp(kind, "ACTIVITY") == 0)
	{
		write_activity(export, row);
		return;
	}
	write_held(export);
	if (strcmp(kind, "ENTER") == 0 || strcmp(kind, "LEAVE") == 0)
		write_call(export, row, kind[0] == 'E');
	else
		write_record(export, row, kind);
}

/* ---- locations ---- */

static void
end_location(PhOtf2Export *export)
{
	if (export->writer == NULL)
		return;
	write_held(export);
	ph_otf2_export_note(
		export, OTF2_EvtWriter_GetNumberOfEvents(export->writer, &export->location->n_events));
	ph_otf2_export_note(export, OTF2_Archive_CloseEvtWriter(export->archive, export->writer));
	export->writer = NULL;
}

static void
begin_location(PhOtf2Export *export, int64_t number)
{
	export->at = number;
	export->location = &export->locations[number];
	export->writer = OTF2_Archive_GetEvtWriter(export->archive, (uint64_t) number);
	if (export->writer == NULL)
		ph_otf2_export_note(export, OTF2_ERROR_INVALID);
}

static bool
take_event(void *user, const PhResult *row)
{
	PhOtf2Export *export = user;
	int64_t number = ph_result_int(row, 0, LOCATION);

	if (number < 0 || number >= (int64_t) export->n_locations)
		return true;
	if (export->at != number)
	{
		end_location(export);
		begin_location(export, number);
	}
	if (export->writer != NULL)
		write_event(export, row);
	if (ph_result_int(row, 0, TIME) > export->last_time)
		export->last_time = ph_result_int(row, 0, TIME);
	return export->error == OTF2_SUCCESS;
}

/* Locations without events have files all the same. */
static void
write_empty_locations(PhOtf2Export *export)
{
	for (size_t i = 0; i < export->n_locations; i++)
	{
		if (export->locations[i].has_events)
			continue;
		begin_location(export, (int64_t) i);
		end_location(export);
	}
}

PhExit
ph_otf2_export_events(PhOtf2Export *export)
{
	PhParam run_id = ph_param_int(export->run_id);

	ph_otf2_export_note(export, OTF2_Archive_OpenEvtFiles(export->archive));
	export->at = -1;
	export->attributes = OTF2_AttributeList_New();
	bool streamed =
		ph_pq_stream(export->connection, ph_sql_export_otf2_events, &run_id, 1, take_event, export);
	end_location(export);
	write_empty_locations(export);
	OTF2_AttributeList_Delete(export->attributes);
	ph_otf2_export_note(export, OTF2_Archive_CloseEvtFiles(export->archive));
	if (!streamed && export->connection->error.code != PH_EXIT_OK)
		return ph_pq_log_error(export->connection, "export");
	return PH_EXIT_OK;
}
