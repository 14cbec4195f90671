/*
 * metadata.c - what an archive says about its run beside events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/input.h"
#include "readers/measured_region.h"
#include "readers/otf2/definitions.h"
#include "readers/otf2/words.h"
#include "system/utf8_text.h"

#define MOST_PROPERTIES 256 /* of processes and nodes; what all of them say alike is one */

typedef struct Describing
{
	PhEnv *env;
	const PhDefinitions *definitions;
	PhMeta *meta;
} Describing;

static PhStatus
set(Describing *describing, const char *key, const char *value, bool is_number)
{
	char *valid;
	PhStatus status;

	if (value == NULL || value[0] == '\0')
		return PH_OK;
	if (ph_utf8_valid(value, strlen(value)))
		return ph_meta_set(describing->env, describing->meta, key, value, is_number);
	valid = ph_text_valid(value);
	status = ph_meta_set(describing->env, describing->meta, key, valid, false);
	free(valid);
	return status;
}

static PhStatus
set_number(Describing *describing, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return set(describing, key, text, true);
}

/* ---- the anchor ---- */

typedef OTF2_ErrorCode (*GetText)(OTF2_Reader *reader, char **text);

static PhStatus
set_text(Describing *describing, OTF2_Reader *reader, const char *key, GetText get)
{
	char *text = NULL;
	PhStatus status = PH_OK;

	if (get(reader, &text) == OTF2_SUCCESS)
		status = set(describing, key, text, false);
	free(text);
	return status;
}

/* "OTF2::MPI_COMMUNICATION_COMPLETE" and the tool's own ones. */
static PhStatus
set_property(Describing *describing, OTF2_Reader *reader, const char *name)
{
	char *value = NULL;
	char key[256];
	PhStatus status = PH_OK;

	snprintf(key, sizeof(key), "otf2.property.%s", name);
	if (ph_utf8_valid(key, strlen(key)) &&
		OTF2_Reader_GetProperty(reader, name, &value) == OTF2_SUCCESS)
		status = set(describing, key, value, false);
	free(value);
	return status;
}

static PhStatus
set_properties(Describing *describing, OTF2_Reader *reader)
{
	char **names = NULL;
	uint32_t n = 0;
	PhStatus status = PH_OK;

	if (OTF2_Reader_GetPropertyNames(reader, &n, &names) != OTF2_SUCCESS)
		return PH_OK;
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
		status = set_property(describing, reader, names[i]);
	free(names);
	return status;
}

static PhStatus
set_anchor(Describing *describing, OTF2_Reader *reader)
{
	uint8_t major;
	uint8_t minor;
	uint8_t bugfix;
	uint64_t trace_id;
	char text[32];

	PH_TRY(set_text(describing, reader, "otf2.creator", OTF2_Reader_GetCreator));
	PH_TRY(set_text(describing, reader, "otf2.description", OTF2_Reader_GetDescription));
	PH_TRY(set_text(describing, reader, "machine", OTF2_Reader_GetMachineName));
	if (OTF2_Reader_GetVersion(reader, &major, &minor, &bugfix) == OTF2_SUCCESS)
	{
		snprintf(text, sizeof(text), "%u.%u.%u", major, minor, bugfix);
		PH_TRY(set(describing, "otf2.version", text, false));
	}
	if (OTF2_Reader_GetTraceId(reader, &trace_id) == OTF2_SUCCESS)
	{
		snprintf(text, sizeof(text), "%016" PRIx64, trace_id);
		PH_TRY(set(describing, "otf2.trace_id", text, false));
	}
	return set_properties(describing, reader);
}

/* ---- definitions ---- */

static PhStatus
set_clock(Describing *describing)
{
	const PhOtf2Archive *archive = describing->definitions->archive;

	PH_TRY(set_number(describing, "otf2.ticks_per_second", archive->resolution));
	PH_TRY(set_number(describing, "otf2.global_offset", archive->global_offset));
	return set_number(describing, "otf2.trace_length", archive->trace_length);
}

/* The region that stands for the program names it. */
static PhStatus
set_program(Describing *describing)
{
	const PhDefinitions *definitions = describing->definitions;
	const PhTraceModel *model = &definitions->archive->source.model;

	for (uint32_t i = 0; i < definitions->regions.n; i++)
	{
		const PhDefRegion *region = &definitions->regions.items[i];
		PhMeasuredRegion measured = {
			.canonical = ph_otf2_string(definitions, region->canonical),
			.paradigm = model->regions[i].paradigm,
			.role = model->regions[i].role,
		};
		const char *command;
		size_t length;

		if (!ph_measured_program(&measured, &command, &length))
			continue;
		PH_TRY(set(describing, "application", model->regions[i].library, false));
		return set(describing, "command", command, false);
	}
	return PH_OK;
}

/* A property by its name; what another process says differently is left to it. */
static PhStatus
set_owned(Describing *describing, const char *prefix, const PhDefProperty *property)
{
	const PhDefinitions *definitions = describing->definitions;
	const char *name = ph_otf2_string(definitions, property->name);
	const char *text = ph_otf2_string(definitions, property->text);
	char key[256];

	snprintf(key, sizeof(key), "%s.%s", prefix, name);
	if (name[0] == '\0' || !ph_utf8_valid(key, strlen(key)) ||
		ph_meta_get(describing->meta, key) != NULL)
		return PH_OK;
	return set(describing, key, property->value[0] != '\0' ? property->value : text, false);
}

static PhStatus
set_owned_properties(Describing *describing)
{
	const PhDefinitions *definitions = describing->definitions;

	for (uint32_t i = 0; i < definitions->node_properties.n && i < MOST_PROPERTIES; i++)
		PH_TRY(set_owned(describing, "otf2.node", &definitions->node_properties.items[i]));
	for (uint32_t i = 0; i < definitions->group_properties.n && i < MOST_PROPERTIES; i++)
		PH_TRY(set_owned(describing, "otf2.process", &definitions->group_properties.items[i]));
	return PH_OK;
}

/*
 * Whose ranks have coordinates, by its number in the trace. MPI numbers the ranks of a Cartesian
 * communicator by their coordinates, the last one fastest, so that these need not be kept.
 */
static PhStatus
set_topology_communicator(Describing *describing, const PhDefTopology *topology, uint32_t number)
{
	uint32_t comm = ph_otf2_find(&describing->definitions->archive->comm_ids, topology->comm);
	char key[64];
	char value[16];

	if (comm == PH_NONE)
		return PH_OK;
	snprintf(key, sizeof(key), "otf2.topology.%u.communicator", number);
	snprintf(value, sizeof(value), "%u", comm);
	return set(describing, key, value, true);
}

/* "Process 6 x Thread 1" */
static PhStatus
set_topology(Describing *describing, const PhDefTopology *topology, uint32_t number)
{
	const PhDefinitions *definitions = describing->definitions;
	const char *name = ph_otf2_string(definitions, topology->name);
	char key[256];
	char value[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < topology->n_dimensions && used < sizeof(value); i++)
	{
		uint32_t position = ph_otf2_find(&definitions->dimension_ids, topology->dimensions[i]);
		const PhDefNamed *dimension;

		if (position == PH_NONE)
			continue;
		dimension = &definitions->dimensions.items[position];
		used +=
			(size_t) snprintf(value + used, sizeof(value) - used, "%s%s %u", used > 0 ? " x " : "",
							  ph_otf2_string(definitions, dimension->name), dimension->value);
	}
	snprintf(key, sizeof(key), "otf2.topology.%u%s%s", number, name[0] == '\0' ? "" : " ", name);
	PH_TRY(ph_utf8_valid(key, strlen(key)) ? set(describing, key, value, false) : PH_OK);
	return set_topology_communicator(describing, topology, number);
}

/* Of what its values are; NULL: unsigned numbers. */
static const char *
type_of_parameter(uint32_t type)
{
	return type == OTF2_PARAMETER_TYPE_STRING  ? PH_OTF2_PARAMETER_TEXT
		   : type == OTF2_PARAMETER_TYPE_INT64 ? PH_OTF2_PARAMETER_SIGNED
											   : NULL;
}

/* Events refer to parameters by these numbers. */
static PhStatus
set_parameters(Describing *describing)
{
	const PhDefinitions *definitions = describing->definitions;

	for (uint32_t i = 0; i < definitions->parameters.n && i < MOST_PROPERTIES; i++)
	{
		const PhDefNamed *parameter = &definitions->parameters.items[i];
		const char *type = type_of_parameter(parameter->value);
		char key[48];

		snprintf(key, sizeof(key), "otf2.parameter.%u", i);
		PH_TRY(set(describing, key, ph_otf2_string(definitions, parameter->name), false));
		snprintf(key, sizeof(key), "otf2.parameter.%u.type", i);
		if (type != NULL)
			PH_TRY(set(describing, key, type, false));
	}
	return PH_OK;
}

PhStatus
ph_otf2_metadata(const PhDefinitions *definitions, OTF2_Reader *reader, PhRunInput *run)
{
	Describing describing = {definitions->archive->env, definitions, &run->meta};

	PH_TRY(set_anchor(&describing, reader));
	PH_TRY(set_clock(&describing));
	PH_TRY(set_program(&describing));
	PH_TRY(set_owned_properties(&describing));
	for (uint32_t i = 0; i < definitions->topologies.n && i < MOST_PROPERTIES; i++)
		PH_TRY(set_topology(&describing, &definitions->topologies.items[i], i));
	return set_parameters(&describing);
}
