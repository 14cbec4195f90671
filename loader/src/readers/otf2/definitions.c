/*
 * definitions.c - callbacks that collect an archive's global definitions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/definitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/input.h"
#include "system/memory.h"
#include "system/utf8_text.h"

static OTF2_CallbackCode
result(PhDefinitions *definitions, PhStatus status)
{
	definitions->n_read++;
	if (status == PH_OK)
		status = ph_env_poll(definitions->archive->env);
	if (status == PH_OK)
		return OTF2_CALLBACK_SUCCESS;
	definitions->status = status;
	return OTF2_CALLBACK_INTERRUPT;
}

/* Append an item to a list of the definitions: the last statement of a callback. */
#define ADD(definitions, list, item)                                                               \
	do                                                                                             \
	{                                                                                              \
		PhDefinitions *into = (definitions);                                                       \
		PhStatus status = PH_OK;                                                                   \
		if (into->list.n == into->list.capacity)                                                   \
			status = ph_grow_in_arena(&into->arena, (void **) &into->list.items, into->list.n,     \
									  &into->list.capacity, sizeof(into->list.items[0]));          \
		if (status == PH_OK)                                                                       \
			into->list.items[into->list.n++] = (item);                                             \
		return result(into, status);                                                               \
	} while (0)

static PhStatus
copy_text(PhDefinitions *definitions, const char *text, char **out)
{
	char *valid;
	PhStatus status;

	if (ph_utf8_valid(text, strlen(text)))
		return ph_arena_strndup(&definitions->archive->arena, text, strlen(text), out);
	valid = ph_text_valid(text);
	status = ph_arena_strndup(&definitions->archive->arena, valid, strlen(valid), out);
	free(valid);
	return status;
}

static PhStatus
copy_array(PhDefinitions *definitions, const void *array, size_t n, size_t size, void *out)
{
	void *copy;

	PH_TRY(ph_arena_alloc(&definitions->arena, n, size, &copy));
	if (n > 0)
		memcpy(copy, array, n * size);
	*(void **) out = copy;
	return PH_OK;
}

/* ---- the clock ---- */

static OTF2_CallbackCode
on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
	PhDefinitions *definitions = user;
	PhOtf2Archive *archive = definitions->archive;

	archive->resolution = resolution;
	archive->global_offset = offset;
	archive->trace_length = length;
	archive->realtime = realtime;
	return result(definitions, PH_OK);
}

/* ---- strings and code ---- */

static OTF2_CallbackCode
on_string(void *user, OTF2_StringRef self, const char *string)
{
	PhDefinitions *definitions = user;
	char *text;

	if (copy_text(definitions, string, &text) != PH_OK)
		return result(definitions, definitions->archive->env->error.status);
	ADD(user, strings, ((PhDefString){.id = self, .text = text}));
}

static OTF2_CallbackCode
on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description,
			 OTF2_Type type)
{
	PhDefinitions *definitions = user;

	(void) description;
	(void) type;
	definitions->archive->has_attributes = true;
	ADD(definitions, attributes, ((PhDefNamed){self, name, 0}));
}

static OTF2_CallbackCode
on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
		  OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
		  OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t line, uint32_t end)
{
	(void) flags;
	(void) end;
	ADD(user, regions,
		((PhDefRegion){self, name, canonical, description, role, paradigm, file, line}));
}

static OTF2_CallbackCode
on_calling_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
				   OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
	(void) place;
	(void) parent;
	ADD(user, contexts, ((PhDefNamed){self, region, 0}));
}

static OTF2_CallbackCode
on_parameter(void *user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
{
	ADD(user, parameters, ((PhDefNamed){self, name, type}));
}

/* ---- the system ---- */

static OTF2_CallbackCode
on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
		OTF2_SystemTreeNodeRef parent)
{
	ADD(user, nodes, ((PhDefNode){self, name, class_name, parent}));
}

static OTF2_CallbackCode
on_group(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
		 OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator)
{
	ADD(user, groups, ((PhDefGroup){self, name, type, node, creator}));
}

static OTF2_CallbackCode
on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
			uint64_t n_events, OTF2_LocationGroupRef group)
{
	ADD(user, locations, ((PhDefLocation){self, n_events, name, type, group}));
}

static void
set_value(PhDefProperty *property, OTF2_Type type, OTF2_AttributeValue value)
{
	property->text = OTF2_UNDEFINED_STRING;
	if (type == OTF2_TYPE_STRING)
		property->text = value.stringRef;
	else if (type == OTF2_TYPE_DOUBLE)
		snprintf(property->value, sizeof(property->value), "%.17g", value.float64);
	else if (type == OTF2_TYPE_FLOAT)
		snprintf(property->value, sizeof(property->value), "%.9g", (double) value.float32);
	else if (type == OTF2_TYPE_INT64)
		snprintf(property->value, sizeof(property->value), "%" PRId64, value.int64);
	else if (type == OTF2_TYPE_UINT8)
		snprintf(property->value, sizeof(property->value), "%u", value.uint8);
	else if (type == OTF2_TYPE_UINT16)
		snprintf(property->value, sizeof(property->value), "%u", value.uint16);
	else if (type == OTF2_TYPE_UINT32)
		snprintf(property->value, sizeof(property->value), "%" PRIu32, value.uint32);
	else if (type == OTF2_TYPE_INT32)
		snprintf(property->value, sizeof(property->value), "%" PRId32, value.int32);
	else
		snprintf(property->value, sizeof(property->value), "%" PRIu64, value.uint64);
}

static OTF2_CallbackCode
on_node_property(void *user, OTF2_SystemTreeNodeRef node, OTF2_StringRef name, OTF2_Type type,
				 OTF2_AttributeValue value)
{
	PhDefProperty property = {.owner = node, .name = name};

	set_value(&property, type, value);
	ADD(user, node_properties, property);
}

static OTF2_CallbackCode
on_group_property(void *user, OTF2_LocationGroupRef group, OTF2_StringRef name, OTF2_Type type,
				  OTF2_AttributeValue value)
{
	PhDefProperty property = {.owner = group, .name = name};

	set_value(&property, type, value);
	ADD(user, group_properties, property);
}

static OTF2_CallbackCode
on_location_property(void *user, OTF2_LocationRef location, OTF2_StringRef name, OTF2_Type type,
					 OTF2_AttributeValue value)
{
	PhDefinitions *definitions = user;

	if (type != OTF2_TYPE_INT64)
		return result(definitions, PH_OK);
	ADD(definitions, location_properties, ((PhDefPlace){location, name, value.int64}));
}

/* ---- communication ---- */

static OTF2_CallbackCode
on_members(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
		   OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
	PhDefinitions *definitions = user;
	PhDefMembers group = {self, name, type, paradigm, flags, n, NULL};

	if (copy_array(definitions, members, n, sizeof(*members), &group.members) != PH_OK)
		return result(definitions, definitions->archive->env->error.status);
	ADD(definitions, members, group);
}

static OTF2_CallbackCode
on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
		OTF2_CommRef parent, OTF2_CommFlag flags)
{
	(void) flags;
	ADD(user, comms, ((PhDefComm){self, name, group, OTF2_UNDEFINED_GROUP, parent, false}));
}

static OTF2_CallbackCode
on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a,
			  OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag flags)
{
	(void) flags;
	ADD(user, comms, ((PhDefComm){self, name, group_a, group_b, common, true}));
}

static OTF2_CallbackCode
on_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
		  OTF2_RmaWinFlag flags)
{
	(void) flags;
	ADD(user, windows, ((PhDefWindow){self, name, comm}));
}

static OTF2_CallbackCode
on_dimension(void *user, OTF2_CartDimensionRef self, OTF2_StringRef name, uint32_t size,
			 OTF2_CartPeriodicity periodicity)
{
	(void) periodicity;
	ADD(user, dimensions, ((PhDefNamed){self, name, size}));
}

static OTF2_CallbackCode
on_topology(void *user, OTF2_CartTopologyRef self, OTF2_StringRef name, OTF2_CommRef comm,
			uint8_t n, const OTF2_CartDimensionRef *dimensions)
{
	PhDefinitions *definitions = user;
	PhDefTopology topology = {self, name, comm, n, NULL};

	if (copy_array(definitions, dimensions, n, sizeof(*dimensions), &topology.dimensions) != PH_OK)
		return result(definitions, definitions->archive->env->error.status);
	ADD(definitions, topologies, topology);
}

/* ---- metrics ---- */

static OTF2_CallbackCode
on_metric_member(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
				 OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
				 OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
	(void) description;
	(void) type;
	ADD(user, metric_members, ((PhDefMember){self, name, unit, mode, value_type, base, exponent}));
}

static OTF2_CallbackCode
on_metric_class(void *user, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *members,
				OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
	PhDefinitions *definitions = user;
	PhDefMetric metric = {.id = self, .n_members = n};

	(void) occurrence;
	(void) kind;
	if (copy_array(definitions, members, n, sizeof(*members), &metric.members) != PH_OK)
		return result(definitions, definitions->archive->env->error.status);
	ADD(definitions, metrics, metric);
}

static OTF2_CallbackCode
on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef of_class,
				   OTF2_LocationRef recorder, OTF2_MetricScope scope_kind, uint64_t scope)
{
	(void) recorder;
	(void) scope_kind;
	(void) scope;
	ADD(user, metrics, ((PhDefMetric){.id = self, .of_class = of_class, .is_instance = true}));
}

/* ---- all of them ---- */

#define SET(record, function)                                                                      \
	OTF2_GlobalDefReaderCallbacks_Set##record##Callback(callbacks, function)

/* The callbacks of ph_otf2_definitions_read, for tests; user is the PhDefinitions. */
static void
otf2_set_definition_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks)
{
	SET(ClockProperties, on_clock);
	SET(String, on_string);
	SET(Attribute, on_attribute);
	SET(Region, on_region);
	SET(CallingContext, on_calling_context);
	SET(Parameter, on_parameter);
	SET(SystemTreeNode, on_node);
	SET(LocationGroup, on_group);
	SET(Location, on_location);
	SET(SystemTreeNodeProperty, on_node_property);
	SET(LocationGroupProperty, on_group_property);
	SET(LocationProperty, on_location_property);
	SET(Group, on_members);
	SET(Comm, on_comm);
	SET(InterComm, on_inter_comm);
	SET(RmaWin, on_window);
	SET(CartDimension, on_dimension);
	SET(CartTopology, on_topology);
	SET(MetricMember, on_metric_member);
	SET(MetricClass, on_metric_class);
	SET(MetricInstance, on_metric_instance);
}

/* ---- positions ---- */

/* Positions of the items of a list by their member id. */
#define INDEX(definitions, list, what, out)                                                        \
	do                                                                                             \
	{                                                                                              \
		uint32_t *ids;                                                                             \
		PH_TRY(PH_NEW(&(definitions)->arena, (definitions)->list.n, &ids));                        \
		for (uint32_t i = 0; i < (definitions)->list.n; i++)                                       \
			ids[i] = (definitions)->list.items[i].id;                                              \
		PH_TRY(ph_otf2_ids_make(&(definitions)->archive->arena, ids, (definitions)->list.n, what,  \
								(out)));                                                           \
	} while (0)

/* Events may refer to any of them. */
static PhStatus
keep_strings(PhDefinitions *definitions)
{
	PhOtf2Archive *archive = definitions->archive;
	uint32_t n = definitions->strings.n;

	PH_TRY(PH_NEW(&archive->arena, n, &archive->strings));
	PH_TRY(PH_NEW(&archive->arena, n, &archive->is_used));
	for (uint32_t i = 0; i < n; i++)
		archive->strings[i] = (PhTraceText){.number = definitions->strings.items[i].id,
											.text = definitions->strings.items[i].text};
	archive->n_strings = n;
	return PH_OK;
}

static int
compare_properties(const void *x, const void *y)
{
	const PhDefPlace *a = x;
	const PhDefPlace *b = y;

	return (a->location > b->location) - (a->location < b->location);
}

static void
sort_properties(PhDefinitions *definitions)
{
	if (definitions->location_properties.n > 1)
		qsort(definitions->location_properties.items, definitions->location_properties.n,
			  sizeof(PhDefPlace), compare_properties);
}

uint32_t
ph_otf2_first_property(const PhDefinitions *definitions, uint64_t location)
{
	uint32_t low = 0, high = definitions->location_properties.n;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (definitions->location_properties.items[middle].location < location)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static PhStatus
index_lists(PhDefinitions *definitions)
{
	PhOtf2Archive *archive = definitions->archive;

	INDEX(definitions, strings, "string", &archive->string_ids);
	INDEX(definitions, nodes, "system tree node", &definitions->node_ids);
	INDEX(definitions, groups, "location group", &definitions->group_ids);
	INDEX(definitions, members, "group", &definitions->members_ids);
	INDEX(definitions, metric_members, "metric member", &definitions->member_ids);
	INDEX(definitions, dimensions, "dimension", &definitions->dimension_ids);
	INDEX(definitions, regions, "region", &archive->region_ids);
	INDEX(definitions, comms, "communicator", &archive->comm_ids);
	INDEX(definitions, windows, "window", &archive->window_ids);
	INDEX(definitions, metrics, "metric", &archive->metric_ids);
	INDEX(definitions, parameters, "parameter", &archive->parameter_ids);
	INDEX(definitions, contexts, "calling context", &archive->context_ids);
	sort_properties(definitions);
	return keep_strings(definitions);
}

/* Positions of strings, nodes, … by their numbers, when everything is read. */
static PhStatus
otf2_definitions_index(PhDefinitions *definitions)
{
	PhEnv *env = definitions->archive->env;
	PhStatus status = index_lists(definitions);
	char what[PH_ERROR_MAX];

	if (status != PH_ERR_FORMAT)
		return status;
	snprintf(what, sizeof(what), "%s", env->error.message);
	return ph_fail(env, status, "%s: global definitions: %s", definitions->archive->anchor, what);
}

static PhStatus
read_with(PhDefinitions *definitions, OTF2_Reader *reader, OTF2_GlobalDefReader *def_reader,
		  OTF2_GlobalDefReaderCallbacks *callbacks)
{
	PhEnv *env = definitions->archive->env;
	const char *anchor = definitions->archive->anchor;
	uint64_t n_declared = 0;
	uint64_t n_read = 0;
	OTF2_ErrorCode code;

	otf2_set_definition_callbacks(callbacks);
	code = OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &n_declared);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, def_reader, callbacks, definitions);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_ReadAllGlobalDefinitions(reader, def_reader, &n_read);
	if (definitions->status != PH_OK)
		return definitions->status;
	if (code != OTF2_SUCCESS)
		return ph_otf2_fail(env, anchor, code, "cannot read global definition %" PRIu64,
							definitions->n_read);
	if (n_read < n_declared)
		return ph_fail(env, PH_ERR_FORMAT,
					   "%s: its .def file holds %" PRIu64 " of %" PRIu64 " global definitions",
					   anchor, n_read, n_declared);
	return PH_OK;
}

PhStatus
ph_otf2_definitions_read(PhDefinitions *definitions, OTF2_Reader *reader)
{
	PhEnv *env = definitions->archive->env;
	const char *anchor = definitions->archive->anchor;
	OTF2_GlobalDefReader *def_reader = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks;
	PhStatus status;

	if (def_reader == NULL)
		return ph_otf2_fail(env, anchor, OTF2_ERROR_INTEGRITY_FAULT,
							"cannot read its global definitions");
	callbacks = OTF2_GlobalDefReaderCallbacks_New();
	if (callbacks == NULL)
		status = ph_fail_memory(env, "OTF2");
	else
		status = read_with(definitions, reader, def_reader, callbacks);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	OTF2_Reader_CloseGlobalDefReader(reader, def_reader);
	return status == PH_OK ? otf2_definitions_index(definitions) : status;
}

const char *
ph_otf2_string(const PhDefinitions *definitions, uint32_t id)
{
	uint32_t position = ph_otf2_find(&definitions->archive->string_ids, id);

	return position == PH_NONE ? "" : definitions->strings.items[position].text;
}
