/*
 * source.c - reader of pyinstrument's JSON: a tree of sampled frames with inclusive times.
 *
 * It is walked twice: for the files, whose common folder is cut off, and for the frames. What is
 * called [self] is its parent's own time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "readers/json_tree.h"
#include "readers/reading.h"
#include "readers/source_paths.h"

typedef struct PyReader
{
	PhReading in;
	PhJsonScan json;
	PhStrings strings;
	PhSourcePaths paths;
	size_t root_at; /* of the outermost frame; 0: there is none */
	uint32_t metric, column;
	bool has_files; /* the second walk */

	/* the frame that is read */
	const char *function;
	uint32_t file; /* in paths */
	int32_t line;
	double time;
} PyReader;

static PhStatus
take_text(PyReader *reader, const char **out)
{
	PhJsonText text;
	uint32_t string;
	char *copy;
	PH_TRY(ph_json_string(&reader->json, &text));
	if (!text.escaped)
	{
		if (!ph_utf8_valid(text.text, text.size))
			return ph_json_fail(&reader->json, "a name is not valid UTF-8");
		PH_TRY(ph_strings_intern_n(&reader->strings, text.text, text.size, &string));
		*out = reader->strings.text[string];
		return PH_OK;
	}
	PH_TRY(ph_json_unescape(&reader->json, &reader->in.arena, &text, &copy));
	*out = copy;
	return PH_OK;
}

/* ---- a frame ---- */

static void
begin_frame(void *context)
{
	PyReader *reader = context;
	reader->function = NULL;
	reader->file = 0;
	reader->line = PH_NO_NUMBER;
	reader->time = NAN;
}

static PhStatus
take_line(PyReader *reader)
{
	int64_t line;
	PH_TRY(ph_json_int(&reader->json, &line));
	if (line > 0 && line <= INT32_MAX)
		reader->line = (int32_t) line;
	return PH_OK;
}

static PhStatus
take_file(PyReader *reader)
{
	const char *file;
	PH_TRY(take_text(reader, &file));
	return ph_paths_add(&reader->paths, file, &reader->file);
}

static PhStatus
take_member(void *context, const PhJsonText *key)
{
	PyReader *reader = context;
	bool is_null = ph_json_peek(&reader->json) == 'n';
	if (!is_null && ph_json_is(key, "function"))
		return take_text(reader, &reader->function);
	if (!is_null && ph_json_is(key, "file_path_short"))
		return take_file(reader);
	if (!is_null && ph_json_is(key, "line_no"))
		return take_line(reader);
	if (ph_json_is(key, "time"))
		return ph_json_number(&reader->json, &reader->time);
	return ph_json_skip(&reader->json);
}

static PhStatus
add_frame(PyReader *reader, uint32_t parent, uint32_t *node)
{
	const PhReadOptions *options = reader->in.options;
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION,
						 .name = reader->function,
						 .file = reader->paths.normal[reader->file],
						 .line = reader->line};
	uint32_t region;
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file, "");
	PH_TRY(ph_builder_add_region(reader->in.builder, &spec, &region));
	PH_TRY(ph_builder_child(reader->in.builder, parent, region, node));
	return ph_builder_add_value(reader->in.builder, reader->metric, *node, reader->column,
								PH_COST_INCLUSIVE, reader->time);
}

static PhStatus
settle_frame(void *context, size_t at, uint32_t parent, uint32_t *node)
{
	PyReader *reader = context;
	*node = parent;
	if (reader->function == NULL || reader->function[0] == '\0' || isnan(reader->time))
		return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_FORMAT, at,
							 "a frame has no function or no time before its children");
	if (reader->time < 0)
		return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_FORMAT, at,
							 "a time is negative");
	if (!reader->has_files || (parent != PH_NONE && strcmp(reader->function, "[self]") == 0))
		return PH_OK;
	return add_frame(reader, parent, node);
}

static PhStatus
walk_frames(PyReader *reader)
{
	PhJsonTree tree = {reader, begin_frame, take_member, settle_frame};
	reader->json.at = reader->root_at;
	return ph_json_tree_walk(&reader->json, &tree, PH_NONE);
}

/* ---- what is around the frames ---- */

static PhStatus
note(PyReader *reader, const PhJsonText *key)
{
	static const struct
	{
		const char *key, *name;
	} names[] = {{"start_time", "started_at"},
				 {"duration", "pyinstrument.duration"},
				 {"cpu_time", "pyinstrument.cpu_time"},
				 {"sample_count", "pyinstrument.samples"},
				 {"program", "application"},
				 {"target_description", "pyinstrument.target"}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		char *value;
		bool is_number;
		if (!ph_json_is(key, names[i].key))
			continue;
		PH_TRY(ph_json_scalar(&reader->json, &reader->in.arena, &value, &is_number));
		if (value == NULL || value[0] == '\0')
			return PH_OK;
		return ph_meta_set(reader->in.env, &reader->in.run->meta, names[i].name, value, is_number);
	}
	return ph_json_skip(&reader->json);
}

static PhStatus
take_outer(void *context, const PhJsonText *key)
{
	PyReader *reader = context;
	if (!ph_json_is(key, "root_frame") || ph_json_peek(&reader->json) != '{')
		return note(reader, key);
	reader->root_at = reader->json.at;
	return ph_json_skip(&reader->json);
}

static PhStatus
read_layout(PyReader *reader)
{
	PH_TRY(ph_json_members(&reader->json, take_outer, reader));
	return ph_json_end(&reader->json);
}

static PhStatus
make_builder(PyReader *reader)
{
	PhMetricSpec metric = {
		.name = "time", .unit = "s", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_INCLUSIVE};
	PhColumnSpec column = {.kind = PH_COLUMN_UNIT,
						   .iteration = PH_NO_ITERATION,
						   .rank = PH_NO_NUMBER,
						   .thread = PH_NO_NUMBER};
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(ph_builder_add_metric(reader->in.builder, &metric, &reader->metric));
	return ph_builder_add_column(reader->in.builder, &column, &reader->column);
}

static PhStatus
read_all(void *context)
{
	PyReader *reader = context;
	const PhReadOptions *options = reader->in.options;
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	PH_TRY(ph_paths_init(&reader->paths, &reader->in.arena,
						 options != NULL ? options->source_root : NULL));
	PH_TRY(read_layout(reader));
	if (reader->root_at == 0)
		return ph_fail(reader->in.env, PH_ERR_VALUE, "%s: it has no frames: nothing was sampled",
					   reader->in.input->path);
	PH_TRY(walk_frames(reader));
	PH_TRY(ph_paths_finish(&reader->paths));
	reader->has_files = true;
	PH_TRY(make_builder(reader));
	PH_TRY(walk_frames(reader));
	PH_TRY(ph_builder_finish(reader->in.builder, &reader->in.run->profile));
	return ph_paths_raw_regions(&reader->paths, reader->in.env, reader->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	PyReader reader = {.in = {.env = env, .input = input, .options = options, .run = out},
					   .json = {env, input, 0}};
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* An object with the names of a session and of a frame near its begin. */
static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char *const names[] = {"\"root_frame\"", "\"sample_count\"", "\"start_time\"",
										NULL};
	(void) path;
	return ph_json_head_has(head, size, names);
}

const PhReader ph_reader_pyinstrument = {
	.name = "pyinstrument",
	.description = "pyinstrument's JSON",
	.mark = "JSON with root_frame, sample_count and start_time",
	.proof = "the object ends",
	.detect_file = detect,
	.read_file = read_file,
};
