/*
 * xml.c - experiment.xml of HPCToolkit version 3, in one pass.
 *
 * Levels: PF and Pr (procedure frames, inlined procedures) become functions, L loops, S
 * statements; C (call site) carries no name, so calls of one function from several lines of its
 * caller are one node. Loops and statements take file and library of what surrounds them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/xml.h"

#define PH_XML_CHUNK ((size_t) 256 << 10)

/* A table that gives short names to long ones: id -> string. */
typedef struct NameTable
{
	PhMap index; /* into PhStrings, or into PhSourcePaths for files */
} NameTable;

/* An open element of the tree. */
typedef struct Frame
{
	uint32_t node; /* builder's, PH_NONE above the roots */
	uint32_t file; /* index into paths */
	const char *library;
	bool counts; /* M elements below belong to node */
} Frame;

typedef struct XmlReader
{
	PhHpcExperiment *experiment;
	PhInput *input;
	PhXml *xml;
	PhStrings names;
	NameTable procedures, files, modules;
	bool in_tree, seen_root, seen_tree;
	uint32_t depth, frames_capacity;
	Frame *frames;
} XmlReader;

static PhStatus
fail(XmlReader *reader, PhStatus status, const char *message)
{
	return ph_xml_fail(reader->xml, status, "%s", message);
}

/* A whole number that an element must have. */
static PhStatus
number_attribute(XmlReader *reader, const char **attributes, const char *name, int64_t *out)
{
	char message[96];
	const char *text = ph_xml_attribute(attributes, name);
	if (text != NULL && ph_parse_int64(text, strlen(text), out) && *out >= 0)
		return PH_OK;
	snprintf(message, sizeof(message), "attribute \"%s\" is missing or no whole number", name);
	return fail(reader, PH_ERR_FORMAT, message);
}

/* ---- tables of the header ---- */

static PhStatus
add_name(XmlReader *reader, NameTable *table, const char **attributes)
{
	int64_t id;
	uint32_t string;
	uint32_t *entry;
	const char *name = ph_xml_attribute(attributes, "n");
	PH_TRY(number_attribute(reader, attributes, "i", &id));
	if (name == NULL)
		return fail(reader, PH_ERR_FORMAT, "attribute \"n\" is missing");
	char *library;
	if (table == &reader->modules && name[0] == '/')
	{
		PH_TRY(ph_path_normalise(&reader->experiment->arena, name, &library));
		name = library;
	}
	if (table == &reader->files)
		PH_TRY(ph_paths_add(&reader->experiment->paths, name, &string));
	else
		PH_TRY(ph_strings_intern(&reader->names, name, &string));
	PH_TRY(ph_map_enter(&table->index, (uint64_t) id, string, &entry));
	if (*entry != string)
		return fail(reader, PH_ERR_FORMAT, "an id is defined twice in one table");
	return PH_OK;
}

/* String index for a reference; 0 (the empty string) when the attribute is missing. */
static PhStatus
find_name(XmlReader *reader, NameTable *table, const char **attributes, const char *key,
		  uint32_t *out)
{
	int64_t id;
	uint32_t *entry;
	const char *text = ph_xml_attribute(attributes, key);
	*out = 0;
	if (text == NULL)
		return PH_OK;
	PH_TRY(number_attribute(reader, attributes, key, &id));
	PH_TRY(ph_map_enter(&table->index, (uint64_t) id, PH_NONE, &entry));
	if (*entry == PH_NONE)
	{
		char message[96];
		snprintf(message, sizeof(message), "%s=\"%.20s\" refers to a name that is not defined", key,
				 text);
		return fail(reader, PH_ERR_FORMAT, message);
	}
	*out = *entry;
	return PH_OK;
}

static PhStatus
add_metric(XmlReader *reader, const char **attributes, bool is_db)
{
	PhHpcExperiment *experiment = reader->experiment;
	const char *name = ph_xml_attribute(attributes, "n");
	const char *type = ph_xml_attribute(attributes, "t");
	int64_t db_id = 0;
	int64_t n_db = 0;
	if (experiment->n_metrics == PH_HPC_MAX_METRICS)
		return fail(reader, PH_ERR_LIMIT, "more than 1024 metrics");
	PhHpcMetric *metric = &experiment->metrics[experiment->n_metrics];
	memset(metric, 0, sizeof(*metric));
	PH_TRY(number_attribute(reader, attributes, "i", &metric->id));
	if (name == NULL)
		return fail(reader, PH_ERR_FORMAT, "a metric has no name");
	if (is_db)
	{
		PH_TRY(number_attribute(reader, attributes, "db-id", &db_id));
		PH_TRY(number_attribute(reader, attributes, "db-num-metrics", &n_db));
		if (n_db > PH_HPC_MAX_METRICS || db_id >= n_db)
			return fail(reader, PH_ERR_VALUE, "db-id is not below db-num-metrics");
		if (experiment->db_num_metrics != 0 && experiment->db_num_metrics != n_db)
			return fail(reader, PH_ERR_VALUE, "metrics disagree about db-num-metrics");
		experiment->db_num_metrics = (uint32_t) n_db;
	}
	metric->is_db = is_db;
	metric->db_id = (uint32_t) db_id;
	metric->inclusive = type == NULL || strcmp(type, "exclusive") != 0;
	PH_TRY(ph_hpc_name_metric(experiment, name, metric));
	experiment->n_metrics++;
	return PH_OK;
}

/* The header is complete: metrics and paths can be settled. */
static PhStatus
begin_tree(XmlReader *reader)
{
	PhHpcExperiment *experiment = reader->experiment;
	if (reader->seen_tree)
		return fail(reader, PH_ERR_FORMAT, "a second SecCallPathProfileData");
	reader->in_tree = true;
	reader->seen_tree = true;
	PH_TRY(ph_paths_finish(&experiment->paths));
	PH_TRY(ph_hpc_add_metrics(experiment));
	if (experiment->use_db)
		return PH_OK;
	PhColumnSpec spec = {.kind = PH_COLUMN_GROUP,
						 .iteration = PH_NO_ITERATION,
						 .rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER,
						 .name = "sum over all threads"};
	return ph_builder_add_column(experiment->builder, &spec, &experiment->summary_column);
}

/* ---- the tree ---- */

static PhStatus
push_frame(XmlReader *reader, const Frame *frame)
{
	PH_TRY(PH_GROW(&reader->experiment->arena, &reader->frames, reader->depth,
				   &reader->frames_capacity));
	reader->frames[reader->depth++] = *frame;
	return PH_OK;
}

static Frame
top_frame(const XmlReader *reader)
{
	Frame none = {PH_NONE, 0, "", false};
	return reader->depth > 0 ? reader->frames[reader->depth - 1] : none;
}

/* First number of a line range "12" or "12-30"; 0: unknown. */
static int32_t
first_line(const char **attributes)
{
	const char *text = ph_xml_attribute(attributes, "l");
	int64_t line;
	if (text == NULL || !ph_parse_int64(text, strcspn(text, "-"), &line) || line < 0 ||
		line > INT32_MAX)
		return 0;
	return (int32_t) line;
}

static PhStatus
add_region(XmlReader *reader, PhRegionKind kind, const char *name, int32_t line, Frame *frame)
{
	PhHpcExperiment *experiment = reader->experiment;
	const char *file = experiment->paths.normal[frame->file];
	PhRegionSpec spec = {.kind = kind,
						 .name = name,
						 .library = frame->library,
						 .file = file,
						 .line = line > 0 ? line : PH_NO_NUMBER};
	const PhReadOptions *options = experiment->options;
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, name, file, frame->library);
	uint32_t region;
	PH_TRY(ph_builder_add_region(experiment->builder, &spec, &region));
	PH_TRY(ph_builder_child(experiment->builder, frame->node, region, &frame->node));
	frame->counts = true;
	return PH_OK;
}

static PhStatus
begin_procedure(XmlReader *reader, const char **attributes, Frame *frame)
{
	uint32_t string;
	PH_TRY(find_name(reader, &reader->modules, attributes, "lm", &string));
	if (string != 0)
		frame->library = reader->names.text[string];
	PH_TRY(find_name(reader, &reader->files, attributes, "f", &string));
	if (string != 0)
		frame->file = string;
	PH_TRY(find_name(reader, &reader->procedures, attributes, "n", &string));
	const char *name = string != 0 ? reader->names.text[string] : "<unknown procedure>";
	return add_region(reader, PH_KIND_FUNCTION, name, first_line(attributes), frame);
}

/* A loop or statement is named by its place: "Loop@file:line", "file:line". */
static PhStatus
begin_place(XmlReader *reader, PhRegionKind kind, const char **attributes, Frame *frame)
{
	uint32_t string;
	char name[512];
	PH_TRY(find_name(reader, &reader->files, attributes, "f", &string));
	if (string != 0)
		frame->file = string;
	int32_t line = first_line(attributes);
	snprintf(name, sizeof(name), "%s%.480s:%d", kind == PH_KIND_LOOP ? "Loop@" : "",
			 ph_path_base(reader->experiment->paths.normal[frame->file]), line);
	while (!ph_utf8_valid(name, strlen(name)) && name[0] != '\0')
		name[strlen(name) - 1] = '\0'; /* cut in the middle of a character */
	return add_region(reader, kind, name, line, frame);
}

/* Remember which row of the metric-dbs belongs to the node. */
static PhStatus
remember_id(XmlReader *reader, const char **attributes, uint32_t node)
{
	PhHpcExperiment *experiment = reader->experiment;
	int64_t id;
	uint32_t *entry;
	if (ph_xml_attribute(attributes, "i") == NULL && !experiment->use_db)
		return PH_OK;
	PH_TRY(number_attribute(reader, attributes, "i", &id));
	uint32_t before = experiment->nodes.count;
	PH_TRY(ph_map_enter(&experiment->nodes, (uint64_t) id, node, &entry));
	if (experiment->nodes.count == before)
		return fail(reader, PH_ERR_FORMAT, "two nodes of the tree have one id");
	if (id == 0)
		return fail(reader, PH_ERR_FORMAT, "node ids begin at 1");
	experiment->max_id = PH_MAX(id, experiment->max_id);
	return PH_OK;
}

/* A summary value of the node that surrounds it. */
static PhStatus
add_summary(XmlReader *reader, const char **attributes)
{
	PhHpcExperiment *experiment = reader->experiment;
	Frame frame = top_frame(reader);
	int64_t id;
	double value;
	if (experiment->use_db || !frame.counts)
		return PH_OK;
	PH_TRY(number_attribute(reader, attributes, "n", &id));
	const char *text = ph_xml_attribute(attributes, "v");
	if (text == NULL || !ph_parse_number(text, strlen(text), &value))
		return fail(reader, PH_ERR_VALUE, "a metric value is not a finite number");
	if (value < 0)
		return fail(reader, PH_ERR_VALUE, "a metric value is negative");
	for (uint32_t i = 0; i < experiment->n_metrics; i++)
	{
		const PhHpcMetric *metric = &experiment->metrics[i];
		if (metric->is_db || metric->id != id || metric->metric == PH_NONE)
			continue;
		return ph_builder_add_value(experiment->builder, metric->metric, frame.node,
									experiment->summary_column, metric->cost, value);
	}
	return PH_OK;
}

static PhStatus
begin_in_tree(XmlReader *reader, const char *name, const char **attributes)
{
	if (strcmp(name, "M") == 0)
		return add_summary(reader, attributes);
	Frame frame = top_frame(reader);
	frame.counts = false;
	if (strcmp(name, "PF") == 0 || strcmp(name, "Pr") == 0)
		PH_TRY(begin_procedure(reader, attributes, &frame));
	else if (strcmp(name, "L") == 0)
		PH_TRY(begin_place(reader, PH_KIND_LOOP, attributes, &frame));
	else if (strcmp(name, "S") == 0)
		PH_TRY(begin_place(reader, PH_KIND_STATEMENT, attributes, &frame));
	else if (strcmp(name, "C") != 0)
		return fail(reader, PH_ERR_FORMAT, "unknown element in the tree");
	if (frame.counts)
		PH_TRY(remember_id(reader, attributes, frame.node));
	return push_frame(reader, &frame);
}

/* ---- elements ---- */

static PhStatus
begin_root(XmlReader *reader, const char *name)
{
	reader->seen_root = true;
	if (strcmp(name, "HPCToolkitExperiment") != 0)
		return fail(reader, PH_ERR_FORMAT, "the root element is not HPCToolkitExperiment");
	return PH_OK;
}

static PhStatus
begin_in_header(XmlReader *reader, const char *name, const char **attributes)
{
	PhHpcExperiment *experiment = reader->experiment;
	const char *title = ph_xml_attribute(attributes, "n");
	if (strcmp(name, "Procedure") == 0)
		return add_name(reader, &reader->procedures, attributes);
	if (strcmp(name, "File") == 0)
		return add_name(reader, &reader->files, attributes);
	if (strcmp(name, "LoadModule") == 0)
		return add_name(reader, &reader->modules, attributes);
	if (strcmp(name, "Metric") == 0 || strcmp(name, "MetricDB") == 0)
		return add_metric(reader, attributes, name[6] != '\0');
	if (strcmp(name, "SecCallPathProfileData") == 0)
		return begin_tree(reader);
	if (strcmp(name, "Header") == 0 && title != NULL && title[0] != '\0')
		return ph_meta_set(experiment->env, &experiment->run->meta, "application", title, false);
	return PH_OK;
}

static PhStatus
begin_element(void *user, PhXml *xml, const char *name, const char **attributes)
{
	XmlReader *reader = user;
	(void) xml;
	if (!reader->seen_root)
		return begin_root(reader, name);
	if (reader->in_tree)
		return begin_in_tree(reader, name, attributes);
	return begin_in_header(reader, name, attributes);
}

static PhStatus
end_element(void *user, PhXml *xml, const char *name, char *text)
{
	XmlReader *reader = user;
	(void) xml;
	(void) text;
	if (!reader->in_tree || strcmp(name, "M") == 0)
		return PH_OK;
	if (reader->depth > 0)
		reader->depth--;
	else
		reader->in_tree = false;
	return PH_OK;
}

static PhStatus
parse(XmlReader *reader)
{
	const PhInput *input = reader->input;
	for (size_t at = 0; at < input->size;)
	{
		size_t chunk = input->size - at < PH_XML_CHUNK ? input->size - at : PH_XML_CHUNK;
		PH_TRY(ph_xml_push(reader->xml, input->data + at, chunk));
		at += chunk;
		ph_input_passed(reader->input, at, reader->experiment->options);
	}
	if (input->size > 0)
		PH_TRY(ph_xml_finish(reader->xml));
	if (!reader->seen_tree)
		return fail(reader, PH_ERR_FORMAT, "there is no SecCallPathProfileData");
	return PH_OK;
}

PhStatus
ph_hpc_read_xml(PhHpcExperiment *experiment, PhInput *xml)
{
	XmlReader reader = {.experiment = experiment, .input = xml};
	PhXmlPlace place = {.name = xml->path};
	PhXmlHandler handler = {.user = &reader, .begin = begin_element, .end = end_element};
	PH_TRY(ph_strings_init(&reader.names, &experiment->arena));
	ph_map_init(&reader.procedures.index, &experiment->arena);
	ph_map_init(&reader.files.index, &experiment->arena);
	ph_map_init(&reader.modules.index, &experiment->arena);
	PH_TRY(ph_xml_new(experiment->env, &place, &handler, &reader.xml));
	PhStatus status = parse(&reader);
	ph_xml_free(reader.xml);
	return status;
}
