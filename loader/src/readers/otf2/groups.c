/*
 * groups.c - communicators by world ranks, windows, and metric classes of an archive.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "readers/otf2/making.h"

PhStatus
ph_otf2_wrong(const PhOtf2Making *making, const char *what, uint64_t id, const char *refers,
			  uint64_t to)
{
	return ph_fail(making->archive->env, PH_ERR_FORMAT,
				   "%s: global definitions: %s %" PRIu64 " refers to %s %" PRIu64
				   ", which is not defined",
				   making->archive->anchor, what, id, refers, to);
}

PhStatus
ph_otf2_find_location(PhOtf2Making *making, uint64_t id, uint32_t *out)
{
	uint32_t *position;

	PH_TRY(ph_map_enter(&making->locations, id, PH_NONE, &position));
	*out = *position;
	return PH_OK;
}

bool
ph_otf2_is_of_processes(uint32_t paradigm)
{
	return paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_GASPI ||
		   paradigm == OTF2_PARADIGM_SHMEM || paradigm == OTF2_PARADIGM_UPC;
}

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
member_location(const PhOtf2Making *making, const PhDefMembers *group, uint32_t member,
				uint64_t *out)
{
	const PhDefMembers *locations;

	*out = group->members[member];
	if (group->type != OTF2_GROUP_TYPE_COMM_GROUP ||
		(group->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0)
		return PH_OK;
	locations = find_comm_locations(making->definitions, group->paradigm);
	if (locations == NULL || *out >= locations->n_members)
		return ph_otf2_wrong(making, "group", group->id, "communication location", *out);
	*out = locations->members[*out];
	return PH_OK;
}

/* The rank of a location's process; PH_NONE: it is not defined, or of none. */
static PhStatus
find_rank(PhOtf2Making *making, uint64_t id, uint32_t *out)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t location;
	uint32_t group;

	*out = PH_NONE;
	PH_TRY(ph_otf2_find_location(making, id, &location));
	if (location == PH_NONE)
		return PH_OK;
	group = ph_otf2_find(&definitions->group_ids, definitions->locations.items[location].group);
	if (making->group_ranks[group] != PH_NO_NUMBER)
		*out = (uint32_t) making->group_ranks[group];
	return PH_OK;
}

/* World ranks of a group's members; made once. */
static PhStatus
world_ranks(PhOtf2Making *making, uint32_t position, const uint32_t **out)
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

/* Which members are streams. */
static PhStatus
find_devices(PhOtf2Making *making, const PhDefMembers *group, const bool **out)
{
	bool *on_device;

	PH_TRY(PH_NEW(making->arena, group->n_members, &on_device));
	for (uint32_t i = 0; i < group->n_members; i++)
	{
		uint32_t location;
		uint64_t id;

		PH_TRY(member_location(making, group, i, &id));
		PH_TRY(ph_otf2_find_location(making, id, &location));
		on_device[i] = location != PH_NONE &&
					   ph_otf2_is_stream(making, &making->definitions->locations.items[location]);
	}
	*out = on_device;
	return PH_OK;
}

/* Both groups of an inter-communicator in one array. */
static PhStatus
join_groups(PhOtf2Making *making, const PhOtf2Comm *comm, PhTraceCommunicator *out)
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
make_comm(PhOtf2Making *making, const PhDefComm *def, PhOtf2Comm *comm, PhTraceCommunicator *out)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t group = ph_otf2_find(&definitions->members_ids, def->group);
	uint32_t second = ph_otf2_find(&definitions->members_ids, def->second_group);
	const PhDefMembers *members;

	if (group == PH_NONE)
		return ph_otf2_wrong(making, "communicator", def->id, "group", def->group);
	members = &definitions->members.items[group];
	*comm = (PhOtf2Comm){.n_members = members->n_members,
						 .is_self = members->type == OTF2_GROUP_TYPE_COMM_SELF,
						 .is_inter = def->is_inter};
	comm->is_plain = !comm->is_self && !comm->is_inter;
	PH_TRY(world_ranks(making, group, &comm->members));
	if (making->has_streams && !ph_otf2_is_of_processes(members->paradigm))
		PH_TRY(find_devices(making, members, &comm->on_device));
	*out = (PhTraceCommunicator){
		.name = ph_otf2_string(definitions, def->name),
		.parent = ph_otf2_find(&making->archive->comm_ids, def->parent),
		.is_mpi = ph_otf2_is_of_processes(members->paradigm),
		.n_members = comm->n_members,
		.members = comm->members,
	};
	if (!def->is_inter)
		return PH_OK;
	if (second == PH_NONE)
		return ph_otf2_wrong(making, "communicator", def->id, "group", def->second_group);
	comm->n_remote = definitions->members.items[second].n_members;
	PH_TRY(world_ranks(making, second, &comm->remote));
	return join_groups(making, comm, out);
}

/* Windows follow the communicators, with the members of theirs. */
static PhStatus
make_window(PhOtf2Making *making, const PhDefWindow *window, uint32_t position)
{
	PhTraceModel *model = making->model;
	uint32_t comm = ph_otf2_find(&making->archive->comm_ids, window->comm);

	if (comm == PH_NONE)
		return ph_otf2_wrong(making, "window", window->id, "communicator", window->comm);
	making->archive->comms[position] = making->archive->comms[comm];
	model->communicators[position] = model->communicators[comm];
	model->communicators[position].name = ph_otf2_string(making->definitions, window->name);
	model->communicators[position].parent = comm;
	model->communicators[position].is_mpi = false;
	return PH_OK;
}

/* ---- groups that epochs of windows are with ---- */

/* Of which processes, for records to refer to. */
static bool
is_of_epochs(const PhDefMembers *group)
{
	return group->type == OTF2_GROUP_TYPE_COMM_GROUP && ph_otf2_is_of_processes(group->paradigm);
}

/* By group: the first communicator of it or, in archives with windows, one that is made. */
static PhStatus
number_groups(PhOtf2Making *making, uint32_t *n_made)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t *comms;

	PH_TRY(PH_NEW(making->arena, definitions->members.n, &comms));
	for (uint32_t i = 0; i < definitions->members.n; i++)
		comms[i] = PH_NONE;
	for (uint32_t i = definitions->comms.n; i-- > 0;)
	{
		uint32_t group = ph_otf2_find(&definitions->members_ids, definitions->comms.items[i].group);

		if (group != PH_NONE && !definitions->comms.items[i].is_inter)
			comms[group] = i;
	}
	*n_made = 0;
	for (uint32_t i = 0; i < definitions->members.n && definitions->windows.n > 0; i++)
	{
		if (comms[i] == PH_NONE && is_of_epochs(&definitions->members.items[i]))
			comms[i] = definitions->comms.n + (*n_made)++;
	}
	making->archive->group_ids = definitions->members_ids;
	making->archive->group_comms = comms;
	return PH_OK;
}

static PhStatus
make_groups(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;

	for (uint32_t i = 0; i < definitions->members.n; i++)
	{
		uint32_t comm = making->archive->group_comms[i];
		const PhDefMembers *group = &definitions->members.items[i];
		PhDefComm def = {.name = group->name, .group = group->id, .parent = OTF2_UNDEFINED_COMM};

		if (comm != PH_NONE && comm >= definitions->comms.n)
			PH_TRY(make_comm(making, &def, &making->archive->comms[comm],
							 &making->model->communicators[comm]));
	}
	return PH_OK;
}

PhStatus
ph_otf2_make_communicators(PhOtf2Making *making)
{
	const PhDefinitions *definitions = making->definitions;
	uint32_t n_comms = definitions->comms.n, n_groups;

	PH_TRY(number_groups(making, &n_groups));
	uint32_t first_window = n_comms + n_groups;
	uint32_t n = first_window + definitions->windows.n;
	making->archive->first_window = first_window;
	PH_TRY(PH_NEW(making->arena, definitions->members.n, &making->members));
	PH_TRY(PH_NEW(making->arena, n, &making->archive->comms));
	PH_TRY(PH_NEW(making->arena, n, &making->model->communicators));
	for (uint32_t i = 0; i < n_comms; i++)
		PH_TRY(make_comm(making, &definitions->comms.items[i], &making->archive->comms[i],
						 &making->model->communicators[i]));
	PH_TRY(make_groups(making));
	for (uint32_t i = 0; i < definitions->windows.n; i++)
		PH_TRY(make_window(making, &definitions->windows.items[i], first_window + i));
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
make_classes(PhOtf2Making *making)
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
				return ph_otf2_wrong(making, "metric class", def->id, "metric member",
									 def->members[m]);
			model->metrics[model->n_metrics] =
				make_metric(definitions, &definitions->metric_members.items[member]);
			model->metrics[model->n_metrics].metric_class = number;
			model->metrics[model->n_metrics++].member = m;
		}
		number++;
	}
	return PH_OK;
}

PhStatus
ph_otf2_make_metrics(PhOtf2Making *making)
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
			return ph_otf2_wrong(making, "metric instance", def->id, "metric class", def->of_class);
		archive->metrics[i] = archive->metrics[of_class];
	}
	return PH_OK;
}
