/*
 * export_otf2_places.c - nodes, processes and locations of an archive that is written.
 *
 * A location group is a process; its number is its rank. The reader numbers the threads of a
 * process in order of definition, and locations with calls before those without: locations without
 * events stand in where numbers would shift.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "reports/export_otf2_internal.h"
#include "system/memory.h"

typedef struct Places
{
	PhOtf2Definer *definer;
	PhOtf2Export *export;
	OTF2_GlobalDefWriter *out;
	const char **hosts; /* by number of the node, from 1; 0 is the machine */
	uint32_t n_hosts;
	int64_t *n_threads; /* defined so far, by rank */
	uint32_t n_groups;	/* first number that is no rank's, then counts */
	uint32_t metrics;	/* group of locations of no process; UINT32_MAX: none yet */
	size_t first_ranked;
	size_t first_stream; /* of a device: they come last */
	size_t spare;		 /* the next location without events that may stand in */
} Places;

/* ---- nodes ---- */

/* The number of a host's node, which is defined when it is met. */
static uint32_t
find_host(Places *places, const char *host)
{
	PhOtf2Definer *definer = places->definer;

	for (uint32_t i = places->n_hosts; i-- > 0;)
	{
		if (strcmp(places->hosts[i], host) == 0)
			return i + 1;
	}
	places->hosts = ph_must_resize(places->hosts, (size_t) places->n_hosts + 1, sizeof(host));
	places->hosts[places->n_hosts++] = host;
	ph_otf2_export_note(places->export,
						OTF2_GlobalDefWriter_WriteSystemTreeNode(
							places->out, places->n_hosts, ph_otf2_export_string(definer, host),
							ph_otf2_export_string(definer, "node"), 0));
	return places->n_hosts;
}

static void
write_machine(Places *places)
{
	const char *name = places->export->machine;
	uint32_t class_name = ph_otf2_export_string(places->definer, "machine");
	uint32_t text = name[0] == '\0' ? class_name : ph_otf2_export_string(places->definer, name);

	ph_otf2_export_note(places->export,
						OTF2_GlobalDefWriter_WriteSystemTreeNode(places->out, 0, text, class_name,
																 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
}

/* ---- groups and locations ---- */

static void
write_group(Places *places, uint32_t number, uint32_t name, OTF2_LocationGroupType type,
			const char *host, OTF2_LocationGroupRef creator)
{
	ph_otf2_export_note(places->export,
						OTF2_GlobalDefWriter_WriteLocationGroup(places->out, number, name, type,
																find_host(places, host), creator));
}

/* The process of a rank is defined with its first location, and named as it. */
static uint32_t
group_of_rank(Places *places, size_t location, uint32_t rank, uint32_t name, const char *host)
{
	PhOtf2Export *export = places->export;

	if (places->n_threads[rank]++ == 0)
	{
		export->rank_locations[rank] = location;
		write_group(places, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, host,
					OTF2_UNDEFINED_LOCATION_GROUP);
	}
	return rank;
}

/* Locations of metrics have no rank, whatever their group is. */
static uint32_t
group_of_metrics(Places *places)
{
	if (places->metrics == UINT32_MAX)
	{
		places->metrics = places->n_groups++;
		write_group(places, places->metrics, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, "",
					OTF2_UNDEFINED_LOCATION_GROUP);
	}
	return places->metrics;
}

static void
write_location(Places *places, size_t number, int64_t rank, const char *host)
{
	const PhOtf2OutLocation *location = &places->export->locations[number];
	uint32_t name = ph_otf2_export_string(places->definer, location->name);
	OTF2_LocationType type = OTF2_LOCATION_TYPE_CPU_THREAD;
	uint32_t group;

	if (rank >= 0)
		group = group_of_rank(places, number, (uint32_t) rank, name, host);
	else if (location->has_calls && number < places->first_ranked)
	{
		type = OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
		group = places->n_groups++;
		write_group(places, group, name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, host,
					OTF2_UNDEFINED_LOCATION_GROUP);
	}
	else
	{
		type = OTF2_LOCATION_TYPE_METRIC;
		group = group_of_metrics(places);
	}
	ph_otf2_export_note(places->export,
						OTF2_GlobalDefWriter_WriteLocation(places->out, number, name, type,
														   location->n_events, group));
}

/* A location without events for this rank on its host; false: there is none left. */
static bool
write_spare(Places *places, int64_t rank, const char *host)
{
	if (places->spare >= places->first_stream)
		return false;
	write_location(places, places->spare++, rank, host);
	return true;
}

/* ---- streams of devices ---- */

static void
write_property(Places *places, size_t number, const char *name, int64_t value)
{
	ph_otf2_export_note(places->export,
						OTF2_GlobalDefWriter_WriteLocationProperty(
							places->out, number, ph_otf2_export_string(places->definer, name),
							OTF2_TYPE_INT64, (OTF2_AttributeValue){.int64 = value}));
}

/* A rank whose threads recorded nothing has one that stands for them: its number is nobody's. */
static void
need_process(Places *places, const PhOtf2OutLocation *stream)
{
	PhOtf2Export *export = places->export;
	uint64_t number = export->n_locations + (uint64_t) stream->rank;

	if (stream->rank < 0 || places->n_threads[stream->rank] > 0)
		return;
	group_of_rank(places, number, (uint32_t) stream->rank,
				  ph_otf2_export_string(places->definer, ""), stream->host);
	ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteLocation(
									places->out, number, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0,
									(OTF2_LocationGroupRef) stream->rank));
}

static void
write_device(Places *places, const PhOtf2OutLocation *stream)
{
	char *name = ph_format("GPU %d", stream->stream.device);

	need_process(places, stream);
	write_group(places, places->n_groups++, ph_otf2_export_string(places->definer, name),
				OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, stream->host,
				(OTF2_LocationGroupRef) stream->rank);
	free(name);
}

/* Streams of a context, which come one after the other, are a group that their process created. */
static void
write_stream(Places *places, size_t number, bool is_first)
{
	const PhOtf2OutLocation *location = &places->export->locations[number];
	const PhDeviceStream *stream = &location->stream;
	uint32_t name = ph_otf2_export_string(places->definer, location->name);

	if (is_first)
		write_device(places, location);
	ph_otf2_export_note(places->export,
						OTF2_GlobalDefWriter_WriteLocation(
							places->out, number, name, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
							location->n_events, places->n_groups - 1));
	write_property(places, number, PH_OTF2_STREAM_DEVICE, stream->device);
	write_property(places, number, PH_OTF2_STREAM_CONTEXT, stream->context);
	write_property(places, number, PH_OTF2_STREAM_NUMBER, stream->stream);
	write_property(places, number, PH_OTF2_STREAM_LANE, stream->lane);
}

static void
write_streams(Places *places, size_t first)
{
	const PhOtf2OutLocation *locations = places->export->locations;

	for (size_t i = first; i < places->export->n_locations; i++)
		write_stream(places, i,
					 i == first || locations[i].rank != locations[i - 1].rank ||
						 locations[i].stream.device != locations[i - 1].stream.device ||
						 locations[i].stream.context != locations[i - 1].stream.context);
}

/* ---- all of them ---- */

static void
write_with_events(Places *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		const PhOtf2OutLocation *location = &places->export->locations[i];
		int64_t rank = location->rank;

		while (rank >= 0 && places->n_threads[rank] < location->thread)
		{
			if (!write_spare(places, rank, location->host))
				break;
		}
		write_location(places, i, rank, location->host);
	}
}

/* Ranks that recorded nothing, threads that did neither, and what is left. */
static void
write_without_events(Places *places)
{
	const PhOtf2Export *export = places->export;

	for (uint32_t rank = 0; rank < export->n_ranks; rank++)
	{
		if (places->n_threads[rank] == 0)
			write_spare(places, rank, "");
	}
	while (export->n_ranks > 0 && places->n_threads[0] < export->n_threads)
	{
		if (!write_spare(places, 0, ""))
			break;
	}
	while (write_spare(places, -1, ""))
		;
}

/* The group whose order makes the ranks; ranks without a location have the number that none has. */
static void
write_process_group(Places *places)
{
	PhOtf2Export *export = places->export;

	ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteGroup(
									places->out, places->definer->n_groups++, 0,
									OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
									OTF2_GROUP_FLAG_NONE, export->n_ranks, export->rank_locations));
}

/* Locations up to the last one with events, and the first that has a rank. */
static size_t
count_with_events(Places *places)
{
	const PhOtf2Export *export = places->export;
	size_t n = 0;

	places->first_ranked = export->n_locations;
	places->first_stream = export->n_locations;
	while (places->first_stream > 0 && export->locations[places->first_stream - 1].is_stream)
		places->first_stream--;
	for (size_t i = places->first_stream; i-- > 0;)
	{
		if (export->locations[i].has_events && n == 0)
			n = i + 1;
		if (export->locations[i].rank >= 0)
			places->first_ranked = i;
	}
	return n;
}

void
ph_otf2_export_places(PhOtf2Definer *definer)
{
	PhOtf2Export *export = definer->export;
	Places places = {.definer = definer,
					 .export = export,
					 .out = definer->out,
					 .n_groups = export->n_ranks,
					 .metrics = UINT32_MAX};
	size_t n = count_with_events(&places);

	places.spare = n;
	places.n_threads = ph_must_alloc((size_t) export->n_ranks + 1, sizeof(*places.n_threads));
	export->rank_locations =
		ph_must_alloc((size_t) export->n_ranks + 1, sizeof(*export->rank_locations));
	for (uint32_t rank = 0; rank < export->n_ranks; rank++)
		export->rank_locations[rank] = OTF2_UNDEFINED_LOCATION;
	write_machine(&places);
	write_with_events(&places, n);
	write_without_events(&places);
	write_streams(&places, places.first_stream);
	write_process_group(&places);
	free(places.n_threads);
	free(places.hosts);
}
