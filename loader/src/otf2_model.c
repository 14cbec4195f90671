/*
 * otf2_model.c - from an archive's definitions to the trace model.
 *
 * Ranks are positions in MPI's group of locations (COMM_LOCATIONS); communicators name members by
 * position in it. Archives without that group number their processes in order of definition.
 * Locations are numbered by rank and thread, as the columns of a profile are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measured_region.h"
#include "otf2_definitions.h"

/* Word of a paradigm, as Score-P's profiles have it. */
static const char *const paradigms[] = {
	[OTF2_PARADIGM_UNKNOWN] = "",
	[OTF2_PARADIGM_USER] = "user",
	[OTF2_PARADIGM_COMPILER] = "compiler",
	[OTF2_PARADIGM_OPENMP] = "openmp",
	[OTF2_PARADIGM_MPI] = "mpi",
	[OTF2_PARADIGM_CUDA] = "cuda",
	[OTF2_PARADIGM_MEASUREMENT_SYSTEM] = "measurement",
	[OTF2_PARADIGM_PTHREAD] = "pthread",
	[OTF2_PARADIGM_HMPP] = "hmpp",
	[OTF2_PARADIGM_OMPSS] = "ompss",
	[OTF2_PARADIGM_HARDWARE] = "hardware",
	[OTF2_PARADIGM_GASPI] = "gaspi",
	[OTF2_PARADIGM_UPC] = "upc",
	[OTF2_PARADIGM_SHMEM] = "shmem",
	[OTF2_PARADIGM_WINTHREAD] = "winthread",
	[OTF2_PARADIGM_QTTHREAD] = "qtthread",
	[OTF2_PARADIGM_ACETHREAD] = "acethread",
	[OTF2_PARADIGM_TBBTHREAD] = "tbbthread",
	[OTF2_PARADIGM_OPENACC] = "openacc",
	[OTF2_PARADIGM_OPENCL] = "opencl",
	[OTF2_PARADIGM_MTAPI] = "mtapi",
	[OTF2_PARADIGM_SAMPLING] = "sampling",
	[OTF2_PARADIGM_NONE] = "",
	[OTF2_PARADIGM_HIP] = "hip",
	[OTF2_PARADIGM_KOKKOS] = "kokkos",
};

static const char *const roles[] = {
	"",
	"function",
	"wrapper",
	"loop",
	"code",
	"parallel",
	"sections",
	"section",
	"workshare",
	"single",
	"single sblock",
	"master",
	"critical",
	"critical sblock",
	"atomic",
	"barrier",
	"implicit barrier",
	"flush",
	"ordered",
	"ordered sblock",
	"task",
	"task create",
	"task wait",
	"coll one2all",
	"coll all2one",
	"coll all2all",
	"coll other",
	"file io",
	"point2point",
	"rma",
	"data transfer",
	"artificial",
	"thread create",
	"thread wait",
	"task untied",
	"allocate",
	"deallocate",
	"reallocate",
	"file io metadata",
};

/* What the steps below share. */
typedef struct Making
{
	const PhDefinitions *definitions;
	PhOtf2Archive *archive;
	PhArena *arena; /* the archive's */
	PhTraceModel *model;
	PhMap locations;		  /* positions by the archive's number */
	int32_t *group_ranks;	  /* by position of the location group */
	const uint32_t **members; /* world ranks by position of the group, NULL: not made yet */
} Making;

static PhStatus
wrong(const Making *making, const char *what, uint64_t id, const char *refers, uint64_t to)
{
	return ph_fail(making->archive->env, PH_ERR_FORMAT,
				   "%s: global definitions: %s %" PRIu64 " refers to %s %" PRIu64
				   ", which is not defined",
				   making->archive->anchor, what, id, refers, to);
}

static const char *
word(const char *const *words, size_t n, uint32_t number)
{
	return number < n && words[number] != NULL ? words[number] : "";
}
#define WORD(words, number) word(words, sizeof(words) / sizeof((words)[0]), number)

/* ---- regions ---- */

static PhStatus
make_region(Making *making, const PhDefRegion *region, PhTraceRegion *out)
{
	const PhDefinitions *definitions = making->definitions;
	PhMeasuredRegion measured = {
		.name = ph_otf2_string(definitions, region->name),
		.canonical = ph_otf2_string(definitions, region->canonical),
		.source = ph_otf2_string(definitions, region->file),
		.paradigm = WORD(paradigms, region->paradigm),
		.role = WORD(roles, region->role),
		.line = region->line,
	};
	char library[PH_LIBRARY_MAX];
	PhRegionSpec spec;
	char *copy;

	if (region->name != OTF2_UNDEFINED_STRING &&
		ph_otf2_find(&definitions->string_ids, region->name) == PH_NONE)
		return wrong(making, "region", region->id, "string", region->name);
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
make_regions(Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t n = definitions->regions.n;

	PH_TRY(PH_NEW(making->arena, n, &making->model->regions));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(make_region(making, &definitions->regions.items[i], &making->model->regions[i]));
	making->model->n_regions = n;
	return PH_OK;
}

static PhStatus
make_contexts(Making *making)
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
			return wrong(making, "calling context", context->id, "region", context->name);
	}
	making->archive->context_regions = regions;
	return PH_OK;
}

/* ---- ranks and locations ---- */

/* Position of a location's number; PH_NONE: not defined. */
static PhStatus
find_location(Making *making, uint64_t id, uint32_t *out)
{
	uint32_t *position;

	PH_TRY(ph_map_enter(&making->locations, id, PH_NONE, &position));
	*out = *position;
	return PH_OK;
}

static bool
is_of_processes(uint32_t paradigm)
{
	return paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_GASPI ||
		   paradigm == OTF2_PARADIGM_SHMEM || paradigm == OTF2_PARADIGM_UPC;
}

/* The group whose order makes the ranks: MPI's, else that of another library of processes. */
static const PhDefMembers *
find_world(const PhDefinitions *definitions)
{
	const PhDefMembers *world = NULL;

	for (uint32_t i = 0; i < definitions->members.n; i++)
	{
		const PhDefMembers *group = &definitions->members.items[i];

		if (group->type != OTF2_GROUP_TYPE_COMM_LOCATIONS || !is_of_processes(group->paradigm))
			continue;
		if (world == NULL ||
			(group->paradigm == OTF2_PARADIGM_MPI && world->paradigm != OTF2_PARADIGM_MPI))
			world = group;
	}
	return world;
}

static PhStatus
rank_by_world(Making *making, const PhDefMembers *world)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t rank = 0; rank < world->n_members; rank++)
	{
		uint32_t location;
		uint32_t group;

		PH_TRY(find_location(making, world->members[rank], &location));
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
rank_by_order(Making *making)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t i = 0; i < definitions->groups.n; i++)
	{
		if (definitions->groups.items[i].type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
			making->group_ranks[i] = (int32_t) making->model->n_ranks++;
	}
}

/* Accelerators are of the process that drives them. */
static void
rank_accelerators(Making *making)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t i = 0; i < definitions->groups.n; i++)
	{
		const PhDefGroup *group = &definitions->groups.items[i];
		uint32_t creator = ph_otf2_find(&definitions->group_ids, group->creator);

		if (group->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR && creator != PH_NONE)
			making->group_ranks[i] = making->group_ranks[creator];
	}
}

static PhStatus
make_ranks(Making *making)
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
	rank_accelerators(making);
	return PH_OK;
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
enter_locations(Making *making)
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
			return wrong(making, "location", location->id, "location group", location->group);
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
	bool is_last;
} Placed;

/* The order of a profile's columns: a location's number is that of its column. */
static int
compare_placed(const void *x, const void *y)
{
	const Placed *a = x;
	const Placed *b = y;

	if (a->is_last != b->is_last)
		return a->is_last ? 1 : -1;
	if (a->location.rank != b->location.rank)
		return a->location.rank < b->location.rank ? -1 : 1;
	return (a->location.thread > b->location.thread) - (a->location.thread < b->location.thread);
}

/* Ranks and threads of all locations; threads count in the order of definitions. */
static PhStatus
place_locations(Making *making, Placed **out)
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
			.thread = rank == PH_NO_NUMBER ? n_unranked++ : n_threads[rank]++,
			.kind = PH_COLUMN_UNIT,
			.name = ph_otf2_string(definitions, location->name),
			.host = find_host(definitions, group),
			.n_events = location->n_events,
		};
	}
	*out = placed;
	return PH_OK;
}

static PhStatus
make_locations(Making *making)
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
		if (rank >= 0 && model->rank_location[rank] == PH_NONE)
			model->rank_location[rank] = i;
	}
	model->n_locations = n;
	return PH_OK;
}

/* ---- communicators ---- */

static const PhDefMembers *
find_comm_locations(const PhDefinitions *definitions, uint32_t paradigm)
{
	for (uint32_t i = 0; i < definitions->members.n; i++)
	{
		const PhDefMembers *group = &definitions->members.items[i];

		if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == paradigm)
			return group;
	}
	return NULL;
}

/* The number of the location that a member of a group stands for. */
static PhStatus
member_location(const Making *making, const PhDefMembers *group, uint32_t member, uint64_t *out)
{
	const PhDefMembers *locations;

	*out = group->members[member];
	if (group->type != OTF2_GROUP_TYPE_COMM_GROUP ||
		(group->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0)
		return PH_OK;
	locations = find_comm_locations(making->definitions, group->paradigm);
	if (locations == NULL || *out >= locations->n_members)
		return wrong(making, "group", group->id, "communication location", *out);
	*out = locations->members[*out];
	return PH_OK;
}

/* The rank of a location's process; PH_NONE: it is not defined, or of none. */
static PhStatus
find_rank(Making *making, uint64_t id, uint32_t *out)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t location;
	uint32_t group;

	*out = PH_NONE;
	PH_TRY(find_location(making, id, &location));
	if (location == PH_NONE)
		return PH_OK;
	group = ph_otf2_find(&definitions->group_ids, definitions->locations.items[location].group);
	if (making->group_ranks[group] != PH_NO_NUMBER)
		*out = (uint32_t) making->group_ranks[group];
	return PH_OK;
}

/* World ranks of a group's members; made once. */
static PhStatus
world_ranks(Making *making, uint32_t position, const uint32_t **out)
{
	const PhDefMembers *group = &making->definitions->members.items[position];
	uint32_t *ranks;

	*out = making->members[position];
	if (*out != NULL)
		return PH_OK;
	PH_TRY(PH_NEW(making->arena, group->n_members, &ranks));
	for (uint32_t i = 0; i < group->n_members; i++)
	{
		uint64_t id;

		PH_TRY(ph_env_poll(making->archive->env));
		PH_TRY(member_location(making, group, i, &id));
		PH_TRY(find_rank(making, id, &ranks[i]));
	}
	making->members[position] = *out = ranks;
	return PH_OK;
}

/* Both groups of an inter-communicator in one array. */
static PhStatus
join_groups(Making *making, const PhOtf2Comm *comm, PhTraceCommunicator *out)
{
	uint32_t *members;

	PH_TRY(PH_NEW(making->arena, (size_t) comm->n_members + comm->n_remote, &members));
	memcpy(members, comm->members, comm->n_members * sizeof(*members));
	memcpy(members + comm->n_members, comm->remote, comm->n_remote * sizeof(*members));
	out->members = members;
	out->n_members = comm->n_members + comm->n_remote;
	return PH_OK;
}

static PhStatus
make_comm(Making *making, const PhDefComm *def, PhOtf2Comm *comm, PhTraceCommunicator *out)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t group = ph_otf2_find(&definitions->members_ids, def->group);
	uint32_t second = ph_otf2_find(&definitions->members_ids, def->second_group);
	const PhDefMembers *members;

	if (group == PH_NONE)
		return wrong(making, "communicator", def->id, "group", def->group);
	members = &definitions->members.items[group];
	*comm = (PhOtf2Comm){.n_members = members->n_members,
						 .is_self = members->type == OTF2_GROUP_TYPE_COMM_SELF,
						 .is_inter = def->is_inter};
	comm->is_plain = !comm->is_self && !comm->is_inter;
	PH_TRY(world_ranks(making, group, &comm->members));
	*out = (PhTraceCommunicator){
		.name = ph_otf2_string(definitions, def->name),
		.parent = ph_otf2_find(&making->archive->comm_ids, def->parent),
		.is_mpi = is_of_processes(members->paradigm),
		.n_members = comm->n_members,
		.members = comm->members,
	};
	if (!def->is_inter)
		return PH_OK;
	if (second == PH_NONE)
		return wrong(making, "communicator", def->id, "group", def->second_group);
	comm->n_remote = definitions->members.items[second].n_members;
	PH_TRY(world_ranks(making, second, &comm->remote));
	return join_groups(making, comm, out);
}

/* Windows follow the communicators, with the members of theirs. */
static PhStatus
make_window(Making *making, const PhDefWindow *window, uint32_t position)
{
	PhTraceModel *model = making->model;
	uint32_t comm = ph_otf2_find(&making->archive->comm_ids, window->comm);

	if (comm == PH_NONE)
		return wrong(making, "window", window->id, "communicator", window->comm);
	making->archive->comms[position] = making->archive->comms[comm];
	model->communicators[position] = model->communicators[comm];
	model->communicators[position].name = ph_otf2_string(making->definitions, window->name);
	model->communicators[position].parent = comm;
	model->communicators[position].is_mpi = false;
	return PH_OK;
}

static PhStatus
make_communicators(Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t n_comms = definitions->comms.n;
	uint32_t n = n_comms + definitions->windows.n;

	PH_TRY(PH_NEW(making->arena, definitions->members.n, &making->members));
	PH_TRY(PH_NEW(making->arena, n, &making->archive->comms));
	PH_TRY(PH_NEW(making->arena, n, &making->model->communicators));
	for (uint32_t i = 0; i < n_comms; i++)
		PH_TRY(make_comm(making, &definitions->comms.items[i], &making->archive->comms[i],
						 &making->model->communicators[i]));
	for (uint32_t i = 0; i < definitions->windows.n; i++)
		PH_TRY(make_window(making, &definitions->windows.items[i], n_comms + i));
	making->model->n_communicators = n;
	return PH_OK;
}

/* ---- metrics ---- */

static double
scale_of(const PhDefMember *member)
{
	double exponent = (double) member->exponent;

	if (exponent < -300 || exponent > 300)
		return 1;
	return member->base == OTF2_BASE_BINARY ? exp2(exponent) : pow(10, exponent);
}

static PhTraceMetric
make_metric(const PhDefinitions *definitions, const PhDefMember *member)
{
	return (PhTraceMetric){
		.name = ph_otf2_string(definitions, member->name),
		.unit = ph_otf2_string(definitions, member->unit),
		.type = member->type == OTF2_TYPE_DOUBLE  ? PH_TRACE_DOUBLE
				: member->type == OTF2_TYPE_INT64 ? PH_TRACE_INT64
												  : PH_TRACE_UINT64,
		.is_accumulated = member->mode == OTF2_METRIC_ACCUMULATED_START,
		.scale = scale_of(member),
	};
}

static PhStatus
make_classes(Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	PhTraceModel *model = making->model;
	uint32_t number = 0;

	for (uint32_t i = 0; i < definitions->metrics.n; i++)
	{
		const PhDefMetric *def = &definitions->metrics.items[i];

		if (def->is_instance)
			continue;
		making->archive->metrics[i] = (PhOtf2MetricClass){number, def->n_members};
		for (uint32_t m = 0; m < def->n_members; m++)
		{
			uint32_t member = ph_otf2_find(&definitions->member_ids, def->members[m]);

			if (member == PH_NONE)
				return wrong(making, "metric class", def->id, "metric member", def->members[m]);
			model->metrics[model->n_metrics] =
				make_metric(definitions, &definitions->metric_members.items[member]);
			model->metrics[model->n_metrics].metric_class = number;
			model->metrics[model->n_metrics++].member = m;
		}
		number++;
	}
	return PH_OK;
}

static PhStatus
make_metrics(Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	PhOtf2Archive *archive = making->archive;
	size_t n = 0;

	for (uint32_t i = 0; i < definitions->metrics.n; i++)
		n += definitions->metrics.items[i].n_members;
	PH_TRY(PH_NEW(making->arena, n, &making->model->metrics));
	PH_TRY(PH_NEW(making->arena, definitions->metrics.n, &archive->metrics));
	PH_TRY(make_classes(making));
	for (uint32_t i = 0; i < definitions->metrics.n; i++)
	{
		const PhDefMetric *def = &definitions->metrics.items[i];
		uint32_t of_class = ph_otf2_find(&archive->metric_ids, def->of_class);

		if (!def->is_instance)
			continue;
		if (of_class == PH_NONE || definitions->metrics.items[of_class].is_instance)
			return wrong(making, "metric instance", def->id, "metric class", def->of_class);
		archive->metrics[i] = archive->metrics[of_class];
	}
	return PH_OK;
}

PhStatus
ph_otf2_model_make(const PhDefinitions *definitions)
{
	PhOtf2Archive *archive = definitions->archive;
	Making making = {
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
	PH_TRY(make_communicators(&making));
	return make_metrics(&making);
}
