/*
 * launches.c - what exports of ours keep of activities beside their times: who launched them, their
 * bytes, and how kernels were launched.
 *
 * OTF2 knows no launches: they are attributes of the ENTERs of streams.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/otf2/events.h"
#include "readers/otf2/making.h"
#include "trace/chunk/device_records.h"

/* A location's number in the archive, and its position. */
typedef struct PhOtf2Place
{
	uint64_t id;
	uint32_t position;
} PhOtf2Place;

/* ---- definitions ---- */

static int
compare_places(const void *x, const void *y)
{
	const PhOtf2Place *a = x;
	const PhOtf2Place *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

static PhStatus
make_places(PhOtf2Making *making)
{
	const PhTraceModel *model = making->model;
	PhOtf2Place *places;

	PH_TRY(PH_NEW(making->arena, model->n_locations, &places));
	for (uint32_t i = 0; i < model->n_locations; i++)
		places[i] = (PhOtf2Place){model->locations[i].source_id, i};
	qsort(places, model->n_locations, sizeof(*places), compare_places);
	making->archive->places = places;
	return PH_OK;
}

static bool
read_configuration(const char *text, PhLaunchConfiguration *out)
{
	char more;

	return sscanf(text, PH_OTF2_CONFIGURATION_FORMAT, &out->grid[0], &out->grid[1], &out->grid[2],
				  &out->block[0], &out->block[1], &out->block[2], &out->registers,
				  &out->static_memory, &out->dynamic_memory, &more) == 9;
}

/* Texts that are one, in order of definition. */
static PhStatus
make_configurations(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	PhLaunchConfiguration *items;
	uint32_t n = 0, *numbers;

	PH_TRY(PH_NEW(making->arena, definitions->strings.n, &numbers));
	for (uint32_t i = 0; i < definitions->strings.n; i++)
	{
		PhLaunchConfiguration ignored;

		if (read_configuration(definitions->strings.items[i].text, &ignored))
			numbers[i] = ++n;
	}
	PH_TRY(PH_NEW(making->arena, n, &items));
	for (uint32_t i = 0; i < definitions->strings.n; i++)
	{
		if (numbers[i] > 0)
			(void) read_configuration(definitions->strings.items[i].text, &items[numbers[i] - 1]);
	}
	making->archive->configurations = numbers;
	making->model->configurations = items;
	making->model->n_configurations = n;
	return PH_OK;
}

PhStatus
ph_otf2_make_activities(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t *ids = making->archive->activity_attributes;

	for (uint32_t a = 0; a < PH_OTF2_ACTIVITY_ATTRIBUTES; a++)
	{
		ids[a] = PH_NONE;
		for (uint32_t i = 0; i < definitions->attributes.n && making->has_streams; i++)
		{
			const PhDefNamed *attribute = &definitions->attributes.items[i];

			if (strcmp(ph_otf2_string(definitions, attribute->name),
					   ph_otf2_activity_attributes[a]) == 0)
				ids[a] = attribute->id;
		}
	}
	if (ids[PH_OTF2_LAUNCH_LOCATION] != PH_NONE || ids[PH_OTF2_AWAITED_LOCATION] != PH_NONE)
		PH_TRY(make_places(making));
	return ids[PH_OTF2_CONFIGURATION] == PH_NONE ? PH_OK : make_configurations(making);
}

/* ---- an activity ---- */

/* The number of a configuration and 1; 0: none is told. */
static uint32_t
configuration_of(const PhOtf2Archive *archive, const OTF2_AttributeList *attributes)
{
	uint32_t id = archive->activity_attributes[PH_OTF2_CONFIGURATION];
	OTF2_StringRef text = OTF2_UNDEFINED_STRING;
	uint32_t position;

	if (id == PH_NONE || OTF2_AttributeList_GetStringRef(attributes, id, &text) != OTF2_SUCCESS)
		return 0;
	position = ph_otf2_find(&archive->string_ids, text);
	return position == PH_NONE ? 0 : archive->configurations[position];
}

/* The number of a collective's communicator and 1; 0: none is told. */
static uint32_t
communicator_of(const PhOtf2Archive *archive, const OTF2_AttributeList *attributes)
{
	uint32_t id = archive->activity_attributes[PH_OTF2_COMMUNICATOR];
	OTF2_CommRef communicator;

	if (id == PH_NONE ||
		OTF2_AttributeList_GetCommRef(attributes, id, &communicator) != OTF2_SUCCESS)
		return 0;
	return ph_otf2_find(&archive->comm_ids, communicator) + 1;
}

/* False: it has none, or one of another type. */
static bool
read_number(const PhOtf2Archive *archive, const OTF2_AttributeList *attributes,
			PhOtf2ActivityAttribute attribute, uint64_t *out)
{
	uint32_t id = archive->activity_attributes[attribute];

	return id != PH_NONE && OTF2_AttributeList_GetUint64(attributes, id, out) == OTF2_SUCCESS;
}

static uint32_t
find_place(const PhOtf2Archive *archive, uint64_t id)
{
	PhOtf2Place key = {.id = id};
	const PhOtf2Place *found = bsearch(&key, archive->places, archive->source.model.n_locations,
									   sizeof(key), compare_places);

	return found == NULL ? PH_NONE : found->position;
}

/* What the activity waited for on another stream, as values of its record; false: nothing. */
static bool
set_awaited(const PhOtf2Archive *archive, const OTF2_AttributeList *attributes, uint64_t *values)
{
	const PhTraceModel *model = &archive->source.model;
	uint32_t id = archive->activity_attributes[PH_OTF2_AWAITED_LOCATION];
	OTF2_LocationRef place;
	uint64_t before;

	if (id == PH_NONE ||
		OTF2_AttributeList_GetLocationRef(attributes, id, &place) != OTF2_SUCCESS ||
		!read_number(archive, attributes, PH_OTF2_AWAITED_BEFORE, &before))
		return false;
	uint32_t location = find_place(archive, place);

	if (location == PH_NONE || !ph_location_is_stream(&model->locations[location]) ||
		before > INT64_MAX / 2)
		return false;
	values[PH_ACTIVITY_AWAITED] = (uint64_t) location + 1;
	values[PH_ACTIVITY_AWAITED_BEFORE] = before;
	return true;
}

PhStatus
ph_otf2_write_activity(PhOtf2Cursor *cursor, const OTF2_AttributeList *attributes, int64_t time)
{
	uint64_t values[PH_ACTIVITY_VALUES] = {0};
	PhEvent record = {.time = time,
					  .kind = PH_EVENT_OTHER,
					  .region = PH_NONE,
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE,
					  .operation = PH_RECORD_ACTIVITY,
					  .values = values};

	(void) read_number(cursor->archive, attributes, PH_OTF2_BYTES, &values[PH_ACTIVITY_BYTES]);
	values[PH_ACTIVITY_CONFIGURATION] = configuration_of(cursor->archive, attributes);
	values[PH_ACTIVITY_COMMUNICATOR] = communicator_of(cursor->archive, attributes);
	(void) read_number(cursor->archive, attributes, PH_OTF2_OPERATION,
					   &values[PH_ACTIVITY_OPERATION]);
	cursor->counts.stream_waits += set_awaited(cursor->archive, attributes, values);
	record.n_values = ph_activity_n_values(values);
	if (record.n_values == 0)
		return PH_OK;
	cursor->counts.events[PH_EVENT_OTHER]++;
	return ph_chunk_writer_event(cursor->writer, &record);
}

/* ---- launches ---- */

/* The time of an event of another location; cheap when they are asked for in order. */
static int64_t
time_of(PhOtf2Cursor *cursor, uint32_t location, uint64_t seq, uint64_t ticks)
{
	PhOtf2Links *links = cursor->links;
	int64_t time = ph_ticks_ns(&cursor->ticks, ticks);

	if (time == PH_TICKS_OUT_OF_RANGE)
		return PH_NO_TIME;
	time -= cursor->origin;
	if (!cursor->has_logical)
		return time;
	if (links->location != location || seq < links->seq)
		links->clock = ph_clock_cursor(cursor->archive->logical, location);
	links->location = location;
	links->seq = seq;
	return ph_clock_time(&links->clock, seq, time);
}

PhStatus
ph_otf2_add_launch(PhOtf2Cursor *cursor, const OTF2_AttributeList *attributes, int64_t time)
{
	const PhOtf2Archive *archive = cursor->archive;
	const PhTraceModel *model = &archive->source.model;
	uint32_t id = archive->activity_attributes[PH_OTF2_LAUNCH_LOCATION];
	PhLink link = {PH_NONE, 0, PH_NO_TIME};
	OTF2_LocationRef place;
	uint64_t seq, ticks;

	if (OTF2_AttributeList_GetLocationRef(attributes, id, &place) == OTF2_SUCCESS &&
		read_number(archive, attributes, PH_OTF2_LAUNCH_RECORD, &seq) &&
		read_number(archive, attributes, PH_OTF2_LAUNCH_TIME, &ticks))
	{
		uint32_t location = find_place(archive, place);

		if (location != PH_NONE && !ph_location_is_stream(&model->locations[location]) &&
			seq < model->locations[location].n_events)
			link = (PhLink){location, seq, time_of(cursor, location, seq, ticks)};
		if (link.time == PH_NO_TIME)
			link = (PhLink){PH_NONE, 0, PH_NO_TIME};
	}
	cursor->links->counts.activities++;
	cursor->links->counts.unmatched += link.location == PH_NONE;
	cursor->links->counts.reversed += link.location != PH_NONE && link.time > time;
	PH_TRY(PH_ROOM(cursor->links->arena, &cursor->links->list));
	cursor->links->list.items[cursor->links->list.count++] = link;
	return PH_OK;
}
