/*
 * export_otf2_definitions.c - the global definitions of an archive that is written.
 *
 * Groups: 0 the locations of the processes, then one a communicator. A location group is a process;
 * its number is its rank.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "reports/export_otf2_internal.h"
#include "system/memory.h"

typedef struct DefinitionWriter
{
	PhOtf2Export *export;
	OTF2_GlobalDefWriter *out;
	uint32_t n_strings;
} DefinitionWriter;

static uint32_t
write_string(DefinitionWriter *writer, const char *text)
{
	ph_otf2_export_note(
		writer->export,
		OTF2_GlobalDefWriter_WriteString(writer->out, writer->n_strings, text != NULL ? text : ""));
	return writer->n_strings++;
}

static void
write_attributes(DefinitionWriter *writer)
{
	static const struct
	{
		const char *name, *what;
		OTF2_Type type;
	} attributes[PH_OTF2_ATTRIBUTES] = {
		{"phase", "number of the phase in logical time", OTF2_TYPE_UINT64},
		{"step", "logical time", OTF2_TYPE_UINT64},
		{"lateness", "ns behind the first of phase and step", OTF2_TYPE_INT64},
		{"differential lateness", "ns of lateness that arose here", OTF2_TYPE_INT64}};

	for (uint32_t i = 0; i < PH_OTF2_ATTRIBUTES; i++)
	{
		uint32_t name = write_string(writer, attributes[i].name);
		uint32_t what = write_string(writer, attributes[i].what);

		ph_otf2_export_note(writer->export, OTF2_GlobalDefWriter_WriteAttribute(
												writer->out, i, name, what, attributes[i].type));
	}
}

static void
write_regions(DefinitionWriter *writer)
{
	const PhOtf2Export *export = writer->export;

	for (uint32_t i = 0; i < export->n_regions; i++)
	{
		const PhOtf2OutRegion *region = &export->regions[i];
		uint32_t name = write_string(writer, region->name);
		uint32_t file = write_string(writer, region->file);

		ph_otf2_export_note(writer->export,
							OTF2_GlobalDefWriter_WriteRegion(
								writer->out, i, name, name, 0, OTF2_REGION_ROLE_FUNCTION,
								region->paradigm, OTF2_REGION_FLAG_NONE, file, region->line, 0));
	}
}

/* Processes and their locations; the first location of a process gives its name. */
static void
write_locations(DefinitionWriter *writer, bool *is_defined)
{
	PhOtf2Export *export = writer->export;
	uint32_t machine = write_string(writer, "machine");

	ph_otf2_export_note(export,
						OTF2_GlobalDefWriter_WriteSystemTreeNode(writer->out, 0, machine, machine,
																 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (size_t i = 0; i < export->n_locations; i++)
	{
		const PhOtf2OutLocation *location = &export->locations[i];
		uint32_t rank = (uint32_t) location->rank;
		uint32_t name = write_string(writer, location->name);

		if (!is_defined[rank])
			ph_otf2_export_note(
				export, OTF2_GlobalDefWriter_WriteLocationGroup(writer->out, rank, name,
																OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
																OTF2_UNDEFINED_LOCATION_GROUP));
		is_defined[rank] = true;
		ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteLocation(
										writer->out, (uint64_t) location->id, name,
										OTF2_LOCATION_TYPE_CPU_THREAD, location->n_events, rank));
	}
}

/* By rank, its first location; ranks without one have the number that no location has. */
static void
write_process_group(DefinitionWriter *writer)
{
	PhOtf2Export *export = writer->export;
	uint64_t *members = ph_must_alloc((size_t) export->n_ranks + 1, sizeof(*members));

	for (uint32_t r = 0; r < export->n_ranks; r++)
		members[r] = OTF2_UNDEFINED_LOCATION;
	for (size_t i = export->n_locations; i-- > 0;)
		members[export->locations[i].rank] = (uint64_t) export->locations[i].id;
	ph_otf2_export_note(
		export, OTF2_GlobalDefWriter_WriteGroup(writer->out, 0, write_string(writer, ""),
												OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
												OTF2_GROUP_FLAG_NONE, export->n_ranks, members));
	free(members);
}

/* One without members is every process's own. */
static void
write_comms(DefinitionWriter *writer)
{
	PhOtf2Export *export = writer->export;

	for (uint32_t i = 0; i < export->n_comms; i++)
	{
		const PhOtf2OutComm *comm = &export->comms[i];
		uint32_t name = write_string(writer, comm->name);
		OTF2_GroupType type =
			comm->n_members > 0 ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_SELF;
		uint32_t parent = comm->parent >= 0 && comm->parent < (int64_t) i ? (uint32_t) comm->parent
																		  : OTF2_UNDEFINED_COMM;

		ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteGroup(
										writer->out, i + 1, name, type, OTF2_PARADIGM_MPI,
										OTF2_GROUP_FLAG_NONE, comm->n_members, comm->members));
		ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteComm(writer->out, i, name, i + 1,
																   parent, OTF2_COMM_FLAG_NONE));
	}
}

void
ph_otf2_export_definitions(PhOtf2Export *export)
{
	DefinitionWriter writer = {.export = export,
							   .out = OTF2_Archive_GetGlobalDefWriter(export->archive)};
	bool *is_defined = ph_must_alloc((size_t) export->n_ranks + 1, sizeof(bool));

	if (writer.out == NULL)
		ph_otf2_export_note(export, OTF2_ERROR_INVALID);
	else
	{
		ph_otf2_export_note(export, OTF2_GlobalDefWriter_WriteClockProperties(
										writer.out, 1000000000, 0, (uint64_t) export->last_time + 1,
										OTF2_UNDEFINED_TIMESTAMP));
		write_string(&writer, "");
		write_attributes(&writer);
		write_regions(&writer);
		write_locations(&writer, is_defined);
		write_process_group(&writer);
		write_comms(&writer);
		ph_otf2_export_note(export, OTF2_Archive_CloseGlobalDefWriter(export->archive, writer.out));
	}
	free(is_defined);
}
