/*
 * model.c - from an archive's definitions to the trace model.
 *
 * Ranks are positions in MPI's group of locations (COMM_LOCATIONS); communicators name members by
 * position in it. Archives without that group number their processes in order of definition.
 * Locations are numbered by rank and thread, as the columns of a profile are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "readers/measured_region.h"
#include "readers/otf2/making.h"
#include "readers/otf2/words.h"

/* ---- regions ---- */

/* What an export of ours says of paradigms and roles that OTF2 has no numbers for: "cuda/kernel".
 */
static PhStatus
take_words(PhOtf2Making *making, const PhDefRegion *region, PhMeasuredRegion *measured)
{
	const char *text = ph_otf2_string(making->definitions, region->description);
	const char *slash;
	char *paradigm;

	if (strncmp(text, PH_OTF2_REGION_WORDS, strlen(PH_OTF2_REGION_WORDS)) != 0)
		return PH_OK;
	text += strlen(PH_OTF2_REGION_WORDS);
	slash = strchr(text, '/');
	if (slash == NULL)
		return PH_OK;
	PH_TRY(ph_arena_strndup(making->arena, text, (size_t) (slash - text), &paradigm));
	measured->paradigm = paradigm;
	measured->role = slash + 1;
	return PH_OK;
}

static PhStatus
make_region(PhOtf2Making *making, const PhDefRegion *region, PhTraceRegion *out)
{
	const PhDefinitions *definitions = making->definitions;
	PhMeasuredRegion measured = {
		.name = ph_otf2_string(definitions, region->name),
		.canonical = ph_otf2_string(definitions, region->canonical),
		.source = ph_otf2_string(definitions, region->file),
		.paradigm = ph_otf2_paradigm_word(region->paradigm),
		.role = ph_otf2_role_word(region->role),
		.line = region->line,
	};
	char library[PH_LIBRARY_MAX];
	PhRegionSpec spec;
	char *copy;

	PH_TRY(take_words(making, region, &measured));
	if (region->name != OTF2_UNDEFINED_STRING &&
		ph_otf2_find(&definitions->archive->string_ids, region->name) == PH_NONE)
		return ph_otf2_wrong(making, "region", region->id, "string", region->name);
	ph_measured_region_spec(&measured, library, &spec);
	PH_TRY(ph_arena_strndup(making->arena, spec.library, strlen(spec.library), &copy));
	*out = (PhTraceRegion){
		.kind = spec.kind,
		.name = spec.name,
		.file = ph_measured_source_is_file(measured.source) ? measured.source : "",
		.library = copy,
		.line = spec.line,
		.paradigm = measured.paradigm,
		.role = measured.role,
	};
	return PH_OK;
}

static PhStatus
make_regions(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t n = definitions->regions.n;

	PH_TRY(PH_NEW(making->arena, (size_t) n + PH_OTF2_COPIES, &making->model->regions));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(make_region(making, &definitions->regions.items[i], &making->model->regions[i]));
	making->model->n_regions = n;
	return PH_OK;
}

static PhStatus
make_contexts(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t n = definitions->contexts.n;
	uint32_t *regions;

	PH_TRY(PH_NEW(making->arena, n, &regions));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDefNamed *context = &definitions->contexts.items[i];

		regions[i] = ph_otf2_find(&making->archive->region_ids, context->name);
		if (regions[i] == PH_NONE)
			return ph_otf2_wrong(making, "calling context", context->id, "region", context->name);
	}
	making->archive->context_regions = regions;
	return PH_OK;
}

/* ---- ranks and locations ---- */

/* The group whose order makes the ranks: MPI's, else that of another library of processes. */
static const PhDefMembers *
find_world(const PhDefinitions *definitions)
{
	const PhDefMembers *world = NULL;

	for (uint32_t i = 0; i < definitions->members.n; i++)
	{
		const PhDefMembers *group = &definitions->members.items[i];

		if (group->type != OTF2_GROUP_TYPE_COMM_LOCATIONS ||
			!ph_otf2_is_of_processes(group->paradigm))
			continue;
		if (world == NULL ||
			(group->paradigm == OTF2_PARADIGM_MPI && world->paradigm != OTF2_PARADIGM_MPI))
			world = group;
	}
	return world;
}

static PhStatus
rank_by_world(PhOtf2Making *making, const PhDefMembers *world)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t rank = 0; rank < world->n_members; rank++)
	{
		uint32_t location;
		uint32_t group;

		PH_TRY(ph_otf2_find_location(making, world->members[rank], &location));
		if (location == PH_NONE)
			continue;
		group = ph_otf2_find(&definitions->group_ids, definitions->locations.items[location].group);
		if (making->group_ranks[group] == PH_NO_NUMBER)
			making->group_ranks[group] = (int32_t) rank;
	}
	making->model->n_ranks = world->n_members;
	return PH_OK;
}

static void
rank_by_order(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t i = 0; i < definitions->groups.n; i++)
	{
		if (definitions->groups.items[i].type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
			making->group_ranks[i] = (int32_t) making->model->n_ranks++;
	}
}

/* Accelerators are of the process that drives them, and numbered within it. */
static PhStatus
rank_accelerators(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	int32_t *n_devices;

	PH_TRY(PH_NEW(making->arena, making->model->n_ranks, &n_devices));
	PH_TRY(PH_NEW(making->arena, definitions->groups.n, &making->group_devices));
	for (uint32_t i = 0; i < definitions->groups.n; i++)
	{
		const PhDefGroup *group = &definitions->groups.items[i];
		uint32_t creator = ph_otf2_find(&definitions->group_ids, group->creator);

		if (group->type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR || creator == PH_NONE)
			continue;
		making->group_ranks[i] = making->group_ranks[creator];
		if (making->group_ranks[i] != PH_NO_NUMBER)
			making->group_devices[i] = n_devices[making->group_ranks[i]]++;
	}
	return PH_OK;
}

static PhStatus
make_ranks(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	const PhDefMembers *world = find_world(definitions);

	PH_TRY(PH_NEW(making->arena, definitions->groups.n, &making->group_ranks));
	for (uint32_t i = 0; i < definitions->groups.n; i++)
		making->group_ranks[i] = PH_NO_NUMBER;
	if (world != NULL && world->n_members > INT32_MAX / 2)
		return ph_fail(making->archive->env, PH_ERR_LIMIT, "%s: %u ranks are too many",
					   making->archive->anchor, world->n_members);
	if (world != NULL)
		PH_TRY(rank_by_world(making, world));
	else
		rank_by_order(making);
	return rank_accelerators(making);
}

/* The node of a process: the nearest one of class "node" above it, else the nearest. */
static const char *
find_host(const PhDefinitions *definitions, uint32_t group)
{
	uint32_t first = ph_otf2_find(&definitions->node_ids, definitions->groups.items[group].node);
	uint32_t node = first;

	for (uint32_t step = 0; node != PH_NONE && step <= definitions->nodes.n; step++)
	{
		const PhDefNode *at = &definitions->nodes.items[node];

		if (strcmp(ph_otf2_string(definitions, at->class_name), "node") == 0)
			return ph_otf2_string(definitions, at->name);
		node = ph_otf2_find(&definitions->node_ids, at->parent);
	}
	return first == PH_NONE ? ""
							: ph_otf2_string(definitions, definitions->nodes.items[first].name);
}

static PhStatus
enter_locations(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t i = 0; i < definitions->locations.n; i++)
	{
		const PhDefLocation *location = &definitions->locations.items[i];
		uint32_t *position;

		PH_TRY(ph_map_enter(&making->locations, location->id, i, &position));
		if (*position != i)
			return ph_fail(making->archive->env, PH_ERR_FORMAT,
						   "%s: global definitions: location %" PRIu64 " is defined twice",
						   making->archive->anchor, location->id);
		if (ph_otf2_find(&definitions->group_ids, location->group) == PH_NONE)
			return ph_otf2_wrong(making, "location", location->id, "location group",
								 location->group);
	}
	return PH_OK;
}

/* Locations without a number of calls of their own come last. */
static bool
has_calls(const PhDefLocation *location)
{
	return location->type != OTF2_LOCATION_TYPE_METRIC && location->n_events > 0;
}

typedef struct Placed
{
	PhTraceLocation location;
	bool is_last; /* of threads */
} Placed;

static int
compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_streams(const PhTraceLocation *a, const PhTraceLocation *b)
{
	if (a->stream.device != b->stream.device)
		return compare_numbers(a->stream.device, b->stream.device);
	if (a->stream.context != b->stream.context)
		return compare_numbers(a->stream.context, b->stream.context);
	if (a->stream.stream != b->stream.stream)
		return compare_numbers(a->stream.stream, b->stream.stream);
	return compare_numbers((int64_t) a->source_id, (int64_t) b->source_id);
}

/* The order of a profile's columns: a location's number is that of its column. */
static int
compare_placed(const void *x, const void *y)
{
	const Placed *a = x;
	const Placed *b = y;

	if (ph_location_is_stream(&a->location) != ph_location_is_stream(&b->location))
		return ph_location_is_stream(&a->location) ? 1 : -1;
	if (a->is_last != b->is_last)
		return a->is_last ? 1 : -1;
	if (a->location.rank != b->location.rank)
		return a->location.rank < b->location.rank ? -1 : 1;
	if (ph_location_is_stream(&a->location))
		return compare_streams(&a->location, &b->location);
	return compare_numbers(a->location.thread, b->location.thread);
}

static void
place_stream(PhOtf2Making *making, const PhDefLocation *location, Placed *placed)
{
	placed->is_last = false;
	placed->location.kind = PH_COLUMN_STREAM;
	placed->location.thread = PH_NO_NUMBER;
	placed->location.stream = ph_otf2_stream(making, location);
	making->has_streams = true;
}

/* Ranks and threads of all locations; threads count in the order of definitions. */
static PhStatus
place_locations(PhOtf2Making *making, Placed **out)
{
	const PhDefinitions *definitions = making->definitions;
	int32_t n_unranked = 0;
	int32_t *n_threads;
	Placed *placed;

	PH_TRY(PH_NEW(making->arena, definitions->locations.n, &placed));
	PH_TRY(PH_NEW(making->arena, making->model->n_ranks, &n_threads));
	for (uint32_t i = 0; i < definitions->locations.n; i++)
	{
		const PhDefLocation *location = &definitions->locations.items[i];
		uint32_t group = ph_otf2_find(&definitions->group_ids, location->group);
		int32_t rank = making->group_ranks[group];

		if (location->type == OTF2_LOCATION_TYPE_METRIC)
			rank = PH_NO_NUMBER;
		placed[i].is_last = !has_calls(location);
		placed[i].location = (PhTraceLocation){
			.source_id = location->id,
			.rank = rank,
			.kind = PH_COLUMN_UNIT,
			.name = ph_otf2_string(definitions, location->name),
			.host = find_host(definitions, group),
			.n_events = location->n_events,
		};
		if (ph_otf2_is_stream(making, location))
			place_stream(making, location, &placed[i]);
		else
			placed[i].location.thread = rank == PH_NO_NUMBER ? n_unranked++ : n_threads[rank]++;
	}
	*out = placed;
	return PH_OK;
}

static PhStatus
make_locations(PhOtf2Making *making)
{
	PhTraceModel *model = making->model;
	uint32_t n = making->definitions->locations.n;
	Placed *placed;

	PH_TRY(place_locations(making, &placed));
	qsort(placed, n, sizeof(*placed), compare_placed);
	PH_TRY(PH_NEW(making->arena, n, &model->locations));
	PH_TRY(PH_NEW(making->arena, model->n_ranks, &model->rank_location));
	for (uint32_t rank = 0; rank < model->n_ranks; rank++)
		model->rank_location[rank] = PH_NONE;
	for (uint32_t i = 0; i < n; i++)
	{
		int32_t rank = placed[i].location.rank;

		model->locations[i] = placed[i].location;
		if (rank >= 0 && model->rank_location[rank] == PH_NONE &&
			!ph_location_is_stream(&model->locations[i]))
			model->rank_location[rank] = i;
	}
	model->n_locations = n;
	return PH_OK;
}

PhStatus
ph_otf2_model_make(const PhDefinitions *definitions)
{
	PhOtf2Archive *archive = definitions->archive;
	PhOtf2Making making = {
		.definitions = definitions,
		.archive = archive,
		.arena = &archive->arena,
		.model = &archive->source.model,
	};

	if (definitions->locations.n != archive->n_declared_locations)
		return ph_fail(archive->env, PH_ERR_FORMAT,
					   "%s: says that there are %" PRIu64 " locations, but %u are defined",
					   archive->anchor, archive->n_declared_locations, definitions->locations.n);
	ph_map_init(&making.locations, &archive->arena);
	PH_TRY(make_regions(&making));
	PH_TRY(make_contexts(&making));
	PH_TRY(enter_locations(&making));
	PH_TRY(make_ranks(&making));
	PH_TRY(make_locations(&making));
	PH_TRY(ph_otf2_make_copies(&making));
	PH_TRY(ph_otf2_make_activities(&making));
	PH_TRY(ph_otf2_make_communicators(&making));
	return ph_otf2_make_metrics(&making);
}
