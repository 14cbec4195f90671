/*
 * anchor.c - anchor.xml of a Cube archive: metrics, regions, the call tree and the system.
 *
 * Of all elements only those in element_names matter; the system tree of old versions (machine,
 * node, process, thread) has the meaning of the new one (systemtreenode, locationgroup, location).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "readers/cube/cube.h"

#define PH_ANCHOR_META 1000					/* attributes of the file; more are passed over */
#define PH_ANCHOR_TEXT ((uint32_t) 1 << 20) /* bytes in one element */

typedef enum Element
{
	IS_OTHER,
	IS_CUBE,
	IS_ATTRIBUTE,
	IS_METRIC,
	IS_UNIQUE_NAME,
	IS_DISPLAY_NAME,
	IS_DATA_TYPE,
	IS_UNIT,
	IS_EXPRESSION,
	IS_REGION,
	IS_NAME,
	IS_MANGLED_NAME,
	IS_PARADIGM,
	IS_ROLE,
	IS_CNODE,
	IS_PARAMETER,
	IS_SYSTEM_NODE,
	IS_CLASS,
	IS_GROUP,
	IS_LOCATION,
	IS_RANK,
	IS_TYPE,
	IS_TOPOLOGY,
	IS_DIMENSION
} Element;

static const struct
{
	const char *name;
	Element element;
} element_names[] = {
	{"cube", IS_CUBE},
	{"attr", IS_ATTRIBUTE},
	{"metric", IS_METRIC},
	{"uniq_name", IS_UNIQUE_NAME},
	{"disp_name", IS_DISPLAY_NAME},
	{"dtype", IS_DATA_TYPE},
	{"uom", IS_UNIT},
	{"expression", IS_EXPRESSION},
	{"cubepl", IS_EXPRESSION},
	{"region", IS_REGION},
	{"name", IS_NAME},
	{"mangled_name", IS_MANGLED_NAME},
	{"paradigm", IS_PARADIGM},
	{"role", IS_ROLE},
	{"cnode", IS_CNODE},
	{"parameter", IS_PARAMETER},
	{"systemtreenode", IS_SYSTEM_NODE},
	{"machine", IS_SYSTEM_NODE},
	{"node", IS_SYSTEM_NODE},
	{"class", IS_CLASS},
	{"locationgroup", IS_GROUP},
	{"process", IS_GROUP},
	{"location", IS_LOCATION},
	{"thread", IS_LOCATION},
	{"rank", IS_RANK},
	{"type", IS_TYPE},
	{"cart", IS_TOPOLOGY},
	{"dim", IS_DIMENSION},
};

/* An open element. */
typedef struct Frame
{
	Element element;
	uint32_t index;	  /* of the metric, region, cnode or location that it is */
	const char *text; /* system nodes and groups: name */
	bool is_node;	  /* system nodes: of class "node" */
	bool is_process;  /* groups */
	int64_t rank;	  /* groups */
	uint32_t group;
} Frame;

typedef struct AnchorReader
{
	PhCube *cube;
	PhXml *xml;
	bool seen_root;
	uint32_t depth, frame_capacity;
	Frame *frames;
	const char *text; /* of the element that ends */
	PhStrings strings;
	const char *topology; /* name of the open one */
} AnchorReader;

static PhStatus
fail(const AnchorReader *reader, PhStatus status, const char *message)
{
	return ph_xml_fail(reader->xml, status, "%s", message);
}

static const char *
attribute(const char **attributes, const char *name)
{
	for (; attributes[0] != NULL; attributes += 2)
		if (strcasecmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static PhStatus
id_attribute(const AnchorReader *reader, const char **attributes, const char *name, uint64_t *out)
{
	char message[96];
	int64_t id;
	const char *text = attribute(attributes, name);
	if (text != NULL && ph_parse_int64(text, strlen(text), &id) && id >= 0 && id <= UINT32_MAX)
	{
		*out = (uint64_t) id;
		return PH_OK;
	}
	snprintf(message, sizeof(message), "attribute \"%s\" is missing or no whole number from 0 on",
			 name);
	return fail(reader, PH_ERR_FORMAT, message);
}

static PhStatus
keep_text(AnchorReader *reader, const char *text, const char **out)
{
	uint32_t string;
	PH_TRY(ph_strings_intern(&reader->strings, text, &string));
	*out = reader->strings.text[string];
	return PH_OK;
}

/* Enter an id that must be new. */
static PhStatus
enter_id(const AnchorReader *reader, PhMap *map, uint64_t id, uint32_t index)
{
	uint32_t *entry;
	uint32_t before = map->count;
	PH_TRY(ph_map_enter(map, id, index, &entry));
	return map->count > before ? PH_OK : fail(reader, PH_ERR_FORMAT, "an id is defined twice");
}

/* ---- definitions ---- */

static PhCubeLayout
layout_of(const char *type)
{
	if (type == NULL || strcasecmp(type, "INCLUSIVE") == 0)
		return PH_CUBE_INCLUSIVE;
	if (strcasecmp(type, "EXCLUSIVE") == 0)
		return PH_CUBE_EXCLUSIVE;
	return strcasecmp(type, "SIMPLE") == 0 ? PH_CUBE_SIMPLE : PH_CUBE_DERIVED;
}

static PhStatus
begin_metric(AnchorReader *reader, const char **attributes, Frame *frame)
{
	PhCube *cube = reader->cube;
	PhCubeMetric metric = {.name = "", .unit = "", .type_name = "DOUBLE", .expression = ""};
	metric.layout = layout_of(attribute(attributes, "type"));
	for (int i = 0; i < PH_CUBE_PARTS; i++)
		metric.part[i] = PH_NONE;
	PH_TRY(id_attribute(reader, attributes, "id", &metric.id));
	PH_TRY(PH_GROW(&cube->arena, &cube->metrics, cube->n_metrics, &cube->metric_capacity));
	PH_TRY(enter_id(reader, &cube->metric_of, metric.id, cube->n_metrics));
	frame->index = cube->n_metrics;
	cube->metrics[cube->n_metrics++] = metric;
	return PH_OK;
}

static PhStatus
begin_region(AnchorReader *reader, const char **attributes, Frame *frame)
{
	PhCube *cube = reader->cube;
	PhCubeRegion region = {.text = {.name = ""}};
	const char *source = attribute(attributes, "mod");
	const char *begin = attribute(attributes, "begin");
	PH_TRY(id_attribute(reader, attributes, "id", &region.id));
	PH_TRY(keep_text(reader, source != NULL ? source : "", &region.text.source));
	if (begin == NULL || !ph_parse_int64(begin, strlen(begin), &region.text.line))
		region.text.line = PH_NO_NUMBER;
	if (ph_measured_source_is_file(region.text.source))
		PH_TRY(ph_paths_add(&cube->paths, region.text.source, &region.file));
	PH_TRY(PH_GROW(&cube->arena, &cube->regions, cube->n_regions, &cube->region_capacity));
	PH_TRY(enter_id(reader, &cube->region_of, region.id, cube->n_regions));
	frame->index = cube->n_regions;
	cube->regions[cube->n_regions++] = region;
	return PH_OK;
}

static PhStatus
begin_cnode(AnchorReader *reader, const char **attributes, Frame *frame)
{
	PhCube *cube = reader->cube;
	const Frame *above = reader->depth > 0 ? &reader->frames[reader->depth - 1] : NULL;
	PhCubeNode node = {.parent = PH_NONE};
	if (above != NULL && above->element == IS_CNODE)
		node.parent = above->index;
	PH_TRY(id_attribute(reader, attributes, "id", &node.id));
	PH_TRY(id_attribute(reader, attributes, "calleeId", &node.callee));
	PH_TRY(PH_GROW(&cube->arena, &cube->nodes, cube->n_nodes, &cube->node_capacity));
	PH_TRY(enter_id(reader, &cube->node_of, node.id, cube->n_nodes));
	frame->index = cube->n_nodes;
	cube->nodes[cube->n_nodes++] = node;
	return PH_OK;
}

/* "key=value", after what other parameters of the cnode say. */
static PhStatus
add_parameter(AnchorReader *reader, const char **attributes)
{
	const Frame *above = &reader->frames[reader->depth - 1];
	const char *key = attribute(attributes, "parkey");
	const char *value = attribute(attributes, "parvalue");
	if (above->element != IS_CNODE || key == NULL || value == NULL)
		return fail(reader, PH_ERR_FORMAT, "a parameter has no cnode, key or value");
	PhCubeNode *node = &reader->cube->nodes[above->index];
	char text[512];
	int length =
		snprintf(text, sizeof(text), "%s%s%s=%s", node->parameters != NULL ? node->parameters : "",
				 node->parameters != NULL ? ", " : "", key, value);
	if (length >= (int) sizeof(text))
		return fail(reader, PH_ERR_LIMIT, "the parameters of a cnode are longer than 511 bytes");
	return keep_text(reader, text, &node->parameters);
}

/* The innermost open system node or group; NULL: none. */
static const Frame *
enclosing(const AnchorReader *reader, Element element)
{
	for (uint32_t i = reader->depth; i > 0; i--)
		if (reader->frames[i - 1].element == element)
			return &reader->frames[i - 1];
	return NULL;
}

/* The name of the node that surrounds a location: of class "node", else the innermost. */
static const char *
host_name(const AnchorReader *reader)
{
	const Frame *best = enclosing(reader, IS_SYSTEM_NODE);
	for (uint32_t i = reader->depth; i > 0; i--)
		if (reader->frames[i - 1].element == IS_SYSTEM_NODE && reader->frames[i - 1].is_node)
		{
			best = &reader->frames[i - 1];
			break;
		}
	const char *name = best != NULL && best->text != NULL ? best->text : "";
	return strncmp(name, "node ", 5) == 0 ? name + 5 : name;
}

static PhStatus
begin_location(AnchorReader *reader, const char **attributes, Frame *frame)
{
	PhCube *cube = reader->cube;
	const Frame *group = enclosing(reader, IS_GROUP);
	PhCubeLocation location = {.thread = PH_NO_NUMBER, .name = "", .is_cpu = true};
	PH_TRY(id_attribute(reader, attributes, "Id", &location.id));
	if (group == NULL)
		return fail(reader, PH_ERR_FORMAT, "a location is not in a location group");
	location.rank = group->is_process ? group->rank : PH_NO_NUMBER;
	location.is_cpu = group->is_process;
	location.group = group->group;
	location.host = host_name(reader);
	PH_TRY(PH_GROW(&cube->arena, &cube->locations, cube->n_locations, &cube->location_capacity));
	frame->index = cube->n_locations;
	cube->locations[cube->n_locations++] = location;
	return PH_OK;
}

/* "topology:NAME" = "8 x 1", one dimension after the other. */
static PhStatus
add_dimension(AnchorReader *reader, const char **attributes)
{
	PhRunInput *run = reader->cube->run;
	const char *size = attribute(attributes, "size");
	const char *periodic = attribute(attributes, "periodic");
	char key[128];
	char value[256];
	if (size == NULL || reader->topology == NULL || run->meta.n_items >= PH_ANCHOR_META)
		return PH_OK;
	snprintf(key, sizeof(key), "topology:%.100s", reader->topology);
	if (!ph_utf8_valid(key, strlen(key)))
		return PH_OK;
	const char *before = ph_meta_get(&run->meta, key);
	snprintf(value, sizeof(value), "%.200s%s%.20s%s", before != NULL ? before : "",
			 before != NULL ? " x " : "", size,
			 periodic != NULL && strcmp(periodic, "true") == 0 ? " (periodic)" : "");
	if (!ph_utf8_valid(value, strlen(value)))
		return PH_OK;
	return ph_meta_set(reader->cube->env, &run->meta, key, value, false);
}

/* Attributes of the whole file: "Creator", "Cube Version", ... */
static PhStatus
add_attribute(AnchorReader *reader, const char **attributes)
{
	const char *key = attribute(attributes, "key");
	const char *value = attribute(attributes, "value");
	PhMeta *meta = &reader->cube->run->meta;
	if (reader->depth != 1 || key == NULL || value == NULL || key[0] == '\0' ||
		meta->n_items >= PH_ANCHOR_META)
		return PH_OK;
	return ph_meta_set(reader->cube->env, meta, key, value, false);
}

/* ---- elements ---- */

static Element
find_element(const char *name)
{
	for (size_t i = 0; i < sizeof(element_names) / sizeof(element_names[0]); i++)
		if (strcmp(element_names[i].name, name) == 0)
			return element_names[i].element;
	return IS_OTHER;
}

static PhStatus
begin_definition(AnchorReader *reader, const char *name, const char **attributes, Frame *frame)
{
	switch (frame->element)
	{
		case IS_METRIC:
			return begin_metric(reader, attributes, frame);
		case IS_REGION:
			return begin_region(reader, attributes, frame);
		case IS_CNODE:
			return begin_cnode(reader, attributes, frame);
		case IS_PARAMETER:
			return add_parameter(reader, attributes);
		case IS_LOCATION:
			return begin_location(reader, attributes, frame);
		case IS_ATTRIBUTE:
			return add_attribute(reader, attributes);
		case IS_SYSTEM_NODE:
			frame->is_node = strcmp(name, "node") == 0;
			return PH_OK;
		case IS_GROUP:
			frame->is_process = true;
			frame->rank = PH_NO_NUMBER;
			frame->group = reader->cube->n_groups++;
			return PH_OK;
		case IS_TOPOLOGY:
			return keep_text(reader,
							 attribute(attributes, "name") != NULL ? attribute(attributes, "name")
																   : "unnamed",
							 &reader->topology);
		case IS_DIMENSION:
			return add_dimension(reader, attributes);
		default:
			return PH_OK;
	}
}

static PhStatus
begin(void *user, PhXml *xml, const char *name, const char **attributes)
{
	AnchorReader *reader = user;
	reader->xml = xml;
	Frame frame = {.element = find_element(name)};
	if (!reader->seen_root && frame.element != IS_CUBE)
		return fail(reader, PH_ERR_FORMAT, "the root element is not cube");
	reader->seen_root = true;
	PH_TRY(begin_definition(reader, name, attributes, &frame));
	PH_TRY(PH_GROW(&reader->cube->arena, &reader->frames, reader->depth, &reader->frame_capacity));
	reader->frames[reader->depth++] = frame;
	return PH_OK;
}

static PhStatus
end_in_metric(AnchorReader *reader, PhCubeMetric *metric, Element element)
{
	switch (element)
	{
		case IS_UNIQUE_NAME:
			return keep_text(reader, reader->text, &metric->name);
		case IS_DISPLAY_NAME:
			return metric->name[0] != '\0' ? PH_OK : keep_text(reader, reader->text, &metric->name);
		case IS_DATA_TYPE:
			return keep_text(reader, reader->text, &metric->type_name);
		case IS_UNIT:
			return keep_text(reader, reader->text, &metric->unit);
		case IS_EXPRESSION:
			return keep_text(reader, reader->text, &metric->expression);
		default:
			return PH_OK;
	}
}

static PhStatus
end_in_region(AnchorReader *reader, PhMeasuredRegion *region, Element element)
{
	switch (element)
	{
		case IS_NAME:
			return keep_text(reader, reader->text, &region->name);
		case IS_MANGLED_NAME:
			return keep_text(reader, reader->text, &region->canonical);
		case IS_PARADIGM:
			return keep_text(reader, reader->text, &region->paradigm);
		case IS_ROLE:
			return keep_text(reader, reader->text, &region->role);
		default:
			return PH_OK;
	}
}

static PhStatus
read_rank(const AnchorReader *reader, int64_t *out)
{
	if (ph_parse_int64(reader->text, strlen(reader->text), out) && *out >= -1 && *out <= INT32_MAX)
		return PH_OK;
	return fail(reader, PH_ERR_FORMAT, "a rank is no whole number");
}

static PhStatus
end_in_group(AnchorReader *reader, Frame *group, Element element)
{
	if (element == IS_RANK)
		return read_rank(reader, &group->rank);
	if (element == IS_TYPE)
		group->is_process = strcasecmp(reader->text, "process") == 0;
	return element == IS_NAME ? keep_text(reader, reader->text, &group->text) : PH_OK;
}

static PhStatus
end_in_location(AnchorReader *reader, PhCubeLocation *location, Element element)
{
	if (element == IS_RANK)
		return read_rank(reader, &location->thread);
	if (element == IS_TYPE && strcasecmp(reader->text, "thread") != 0 &&
		strcasecmp(reader->text, "cpu thread") != 0)
		location->is_cpu = false;
	return element == IS_NAME ? keep_text(reader, reader->text, &location->name) : PH_OK;
}

static PhStatus
end_in_system_node(AnchorReader *reader, Frame *node, Element element)
{
	if (element == IS_CLASS)
		node->is_node = strcasecmp(reader->text, "node") == 0;
	return element == IS_NAME ? keep_text(reader, reader->text, &node->text) : PH_OK;
}

/* The text of the element that ends goes to what surrounds it. */
static PhStatus
end(void *user, PhXml *xml, const char *name, char *text)
{
	AnchorReader *reader = user;
	PhCube *cube = reader->cube;
	(void) name;
	ph_xml_trim(text);
	reader->xml = xml;
	reader->text = text;
	Element element = reader->frames[--reader->depth].element;
	if (reader->depth == 0)
		return PH_OK;
	Frame *above = &reader->frames[reader->depth - 1];
	switch (above->element)
	{
		case IS_METRIC:
			return end_in_metric(reader, &cube->metrics[above->index], element);
		case IS_REGION:
			return end_in_region(reader, &cube->regions[above->index].text, element);
		case IS_GROUP:
			return end_in_group(reader, above, element);
		case IS_LOCATION:
			return end_in_location(reader, &cube->locations[above->index], element);
		case IS_SYSTEM_NODE:
			return end_in_system_node(reader, above, element);
		default:
			return PH_OK;
	}
}

PhStatus
ph_cube_read_anchor(PhCubeMember *member)
{
	PhCube *cube = member->cube;
	AnchorReader reader = {.cube = cube};
	PhXmlHandler handler = {&reader, begin, end, PH_ANCHOR_TEXT, false};
	if (cube->has_anchor)
		return ph_cube_fail(member, PH_ERR_FORMAT, 0, "the archive has two of these");
	cube->has_anchor = true;
	PH_TRY(ph_strings_init(&reader.strings, &cube->arena));
	return ph_cube_parse_xml(member, &handler);
}
