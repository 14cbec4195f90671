/*
 * definitions.h - the global definitions of an archive as they stand in its file.
 *
 * References are numbers of the archive still; readers/otf2/model.c resolves them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_OTF2_DEFINITIONS_H
#define PH_READERS_OTF2_DEFINITIONS_H

#include "readers/otf2/archive.h"

typedef struct PhDefRegion
{
	uint32_t id, name, canonical, description, role, paradigm, file, line;
} PhDefRegion;

typedef struct PhDefNode
{
	uint32_t id, name, class_name, parent;
} PhDefNode;

typedef struct PhDefGroup /* of locations */
{
	uint32_t id, name, type, node, creator;
} PhDefGroup;

typedef struct PhDefLocation
{
	uint64_t id, n_events;
	uint32_t name, type, group;
} PhDefLocation;

typedef struct PhDefMembers /* OTF2 calls it GROUP */
{
	uint32_t id, name, type, paradigm, flags, n_members;
	const uint64_t *members;
} PhDefMembers;

typedef struct PhDefComm
{
	uint32_t id, name, group, second_group, parent; /* second: inter-communicators only */
	bool is_inter;
} PhDefComm;

typedef struct PhDefWindow
{
	uint32_t id, name, comm;
} PhDefWindow;

typedef struct PhDefMember /* of metric classes */
{
	uint32_t id, name, unit, mode, type, base;
	int64_t exponent;
} PhDefMember;

typedef struct PhDefMetric /* a class, or an instance of one */
{
	uint32_t id, of_class, n_members;
	const uint32_t *members;
	bool is_instance;
} PhDefMetric;

typedef struct PhDefNamed /* parameters, dimensions, calling contexts, attributes */
{
	uint32_t id, name, value;
} PhDefNamed;

typedef struct PhDefTopology
{
	uint32_t id, name, comm, n_dimensions;
	const uint32_t *dimensions;
} PhDefTopology;

typedef struct PhDefProperty /* of a location group or a system tree node */
{
	uint32_t owner, name;
	char value[48]; /* numbers, or "" and: */
	uint32_t text;	/* a string */
} PhDefProperty;

typedef struct PhDefPlace /* a property of a location that is a number */
{
	uint64_t location;
	uint32_t name;
	int64_t value;
} PhDefPlace;

typedef struct PhDefString
{
	uint32_t id;
	const char *text;
} PhDefString;

#define PH_DEF_LIST(Type)                                                                          \
	struct                                                                                         \
	{                                                                                              \
		Type *items;                                                                               \
		uint32_t n, capacity;                                                                      \
	}

typedef struct PhDefinitions
{
	PhOtf2Archive *archive;
	PhArena arena; /* theirs: dropped when the model is made */
	PhStatus status;
	uint64_t n_read; /* definitions so far: where it failed */
	PH_DEF_LIST(PhDefString) strings;
	PH_DEF_LIST(PhDefRegion) regions;
	PH_DEF_LIST(PhDefNode) nodes;
	PH_DEF_LIST(PhDefGroup) groups;
	PH_DEF_LIST(PhDefLocation) locations;
	PH_DEF_LIST(PhDefMembers) members;
	PH_DEF_LIST(PhDefComm) comms;
	PH_DEF_LIST(PhDefWindow) windows;
	PH_DEF_LIST(PhDefMember) metric_members;
	PH_DEF_LIST(PhDefMetric) metrics;
	PH_DEF_LIST(PhDefNamed) parameters, dimensions, contexts, attributes;
	PH_DEF_LIST(PhDefTopology) topologies;
	PH_DEF_LIST(PhDefProperty) node_properties, group_properties;
	PH_DEF_LIST(PhDefPlace) location_properties;
	PhOtf2Ids node_ids, group_ids, members_ids, member_ids, dimension_ids;
} PhDefinitions;

/* Read all of them; libotf2's reader is open. */
PhStatus ph_otf2_definitions_read(PhDefinitions *definitions, OTF2_Reader *reader) PH_MUST_CHECK;

/* The first property of a location, by number; behind all: it has none. */
uint32_t ph_otf2_first_property(const PhDefinitions *definitions, uint64_t location);

/* Text of a string's number, "": undefined. */
const char *ph_otf2_string(const PhDefinitions *definitions, uint32_t id);

/* The archive's model, and what its events refer to, from the definitions. */
PhStatus ph_otf2_model_make(const PhDefinitions *definitions) PH_MUST_CHECK;

/* The run's metadata from anchor and definitions. */
PhStatus ph_otf2_metadata(const PhDefinitions *definitions, OTF2_Reader *reader,
						  PhRunInput *run) PH_MUST_CHECK;

#endif
