/*
 * source.c - reader of Cube profiles (.cubex) as Score-P and Scalasca write them.
 *
 * One file is one run. A Score-P experiment directory with profile.cubex and without a trace is
 * one run, too: its scorep.cfg becomes metadata.
 *
 * Parameters of a cnode split call paths of the program's own regions ("solve (n=5)"); those that
 * the tool puts on calls into libraries do not, as a trace knows no such paths.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/cube/source.h"
#include "readers/completeness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/cube/cube.h"
#include "readers/experiment_folder.h"
#include "system/memory.h"

#define PH_CUBE_HEAD 512 /* a tar header; the first member's bytes follow */

/* ---- first pass ---- */

/* The metric's id when the name is "NUMBER.suffix". */
static bool
parse_member_name(const char *name, const char *suffix, uint64_t *id)
{
	size_t digits = strspn(name, "0123456789");
	int64_t number;
	if (digits == 0 || digits > 9 || strcmp(name + digits, suffix) != 0 ||
		!ph_parse_int64(name, digits, &number))
		return false;
	*id = (uint64_t) number;
	return true;
}

/* The record of a metric's members, made when new. */
static PhStatus
find_index(PhCube *cube, uint64_t id, PhCubeIndex **out)
{
	uint32_t *entry;
	PH_TRY(ph_map_enter(&cube->member_of, id, cube->n_indices, &entry));
	if (*entry == cube->n_indices)
	{
		PH_TRY(PH_GROW(&cube->arena, &cube->indices, cube->n_indices, &cube->index_capacity));
		cube->indices[cube->n_indices++] = (PhCubeIndex){.id = id};
	}
	*out = &cube->indices[*entry];
	return PH_OK;
}

static PhStatus
keep_index(PhCubeMember *member, PhCubeIndex *index)
{
	size_t got;
	if (index->has_index)
		return ph_cube_fail(member, PH_ERR_FORMAT, 0, "the archive has two of these");
	index->has_index = true;
	do
	{
		if (index->capacity - index->size < 1024)
		{
			void *bytes = index->bytes;
			PH_TRY(
				ph_grow_in_arena(&member->cube->arena, &bytes, index->size, &index->capacity, 1));
			index->bytes = bytes;
			got = 1;
			continue;
		}
		PH_TRY(
			ph_cube_read(member, index->bytes + index->size, index->capacity - index->size, &got));
		index->size += (uint32_t) got;
	} while (got > 0);
	return PH_OK;
}

/* A metric whose values are all zero needs no room. Compressed ones are taken to have some. */
static PhStatus
find_values(PhCubeMember *member, PhCubeIndex *index)
{
	uint8_t *bytes = member->cube->chunk;
	size_t got;
	PH_TRY(ph_cube_read(member, bytes, PH_CUBE_MARK, &got));
	index->is_plain = got == PH_CUBE_MARK && memcmp(bytes, "CUBEX.DATA", PH_CUBE_MARK) == 0;
	index->has_values = !index->is_plain;
	while (!index->has_values && got > 0)
	{
		PH_TRY(ph_cube_read(member, bytes, PH_CUBE_CHUNK, &got));
		index->has_values = got > 0 && (bytes[0] != 0 || memcmp(bytes, bytes + 1, got - 1) != 0);
	}
	return PH_OK;
}

static PhStatus
collect_member(PhCubeMember *member)
{
	uint64_t id;
	PhCubeIndex *index;
	if (strcmp(member->name, "anchor.xml") == 0)
		return ph_cube_read_anchor(member);
	bool is_index = parse_member_name(member->name, ".index", &id);
	if (!is_index && !parse_member_name(member->name, ".data", &id))
		return PH_OK;
	PH_TRY(find_index(member->cube, id, &index));
	if (is_index)
		return keep_index(member, index);
	if (index->has_data)
		return ph_cube_fail(member, PH_ERR_FORMAT, 0, "the archive has two of these");
	index->has_data = true;
	index->data_size = member->size;
	return find_values(member, index);
}

/* ---- definitions ---- */

/* Values of a row stand in order of the locations' ids when these count from 0. */
static PhStatus
order_locations(PhCube *cube)
{
	PhCubeLocation *ordered;
	bool *met;
	PH_TRY(PH_NEW(&cube->arena, cube->n_locations, &ordered));
	PH_TRY(PH_NEW(&cube->arena, cube->n_locations, &met));
	for (uint32_t i = 0; i < cube->n_locations; i++)
	{
		uint64_t id = cube->locations[i].id;
		if (id >= cube->n_locations || met[id])
			return PH_OK;
		met[id] = true;
		ordered[id] = cube->locations[i];
	}
	cube->locations = ordered;
	return PH_OK;
}

/* True when some process has several threads. */
static PhStatus
find_threads(PhCube *cube, bool *threaded)
{
	bool *met;
	PH_TRY(PH_NEW(&cube->arena, cube->n_groups, &met));
	*threaded = false;
	for (uint32_t i = 0; i < cube->n_locations; i++)
	{
		const PhCubeLocation *location = &cube->locations[i];
		*threaded |= location->is_cpu && met[location->group];
		met[location->group] |= location->is_cpu;
	}
	return PH_OK;
}

static PhStatus
add_columns(PhCube *cube)
{
	bool threaded;
	PH_TRY(order_locations(cube));
	PH_TRY(find_threads(cube, &threaded));
	PH_TRY(PH_NEW(&cube->arena, cube->n_locations, &cube->columns));
	for (uint32_t i = 0; i < cube->n_locations; i++)
	{
		const PhCubeLocation *location = &cube->locations[i];
		PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
							 .iteration = PH_NO_ITERATION,
							 .rank = (int32_t) location->rank,
							 .thread = threaded ? (int32_t) location->thread : PH_NO_NUMBER,
							 .host = location->host,
							 .name = location->is_cpu ? NULL : location->name};
		PH_TRY(ph_builder_add_column(cube->builder, &spec, &cube->columns[i]));
		if (cube->columns[i] == i)
			continue;
		char name[64]; /* a second location with these coordinates */
		snprintf(name, sizeof(name), "location %llu", (unsigned long long) location->id);
		spec.name = name;
		PH_TRY(ph_builder_add_column(cube->builder, &spec, &cube->columns[i]));
	}
	return PH_OK;
}

/* Name of a cnode: its region's, with the parameters of the program's own regions. */
static const char *
cnode_name(const PhCubeRegion *region, const char *parameters, const char *name, char *room,
		   size_t size)
{
	const char *paradigm = region->text.paradigm;
	bool own = paradigm == NULL || strcasecmp(paradigm, "user") == 0 ||
			   strcasecmp(paradigm, "compiler") == 0;
	if (parameters == NULL || !own)
		return name;
	int length = snprintf(room, size, "%s (%s)", name, parameters);
	return length > 0 && (size_t) length < size ? room : name;
}

static PhStatus
add_region(PhCube *cube, const PhCubeRegion *region, const char *parameters, uint32_t *out)
{
	char library[PH_LIBRARY_MAX];
	char room[2048];
	PhRegionSpec spec;
	const PhReadOptions *options = cube->options;
	ph_measured_region_spec(&region->text, library, &spec);
	spec.name = cnode_name(region, parameters, spec.name, room, sizeof(room));
	spec.file = cube->paths.normal[region->file];
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file, spec.library);
	return ph_builder_add_region(cube->builder, &spec, out);
}

static PhStatus
add_nodes(PhCube *cube)
{
	for (uint32_t i = 0; i < cube->n_nodes; i++)
	{
		PhCubeNode *node = &cube->nodes[i];
		uint32_t *index;
		uint32_t region;
		PH_TRY(ph_env_poll(cube->env));
		PH_TRY(ph_map_enter(&cube->region_of, node->callee, PH_NONE, &index));
		if (*index == PH_NONE)
			return ph_fail(cube->env, PH_ERR_FORMAT,
						   "%s: anchor.xml: cnode %llu calls region %llu, which is not defined",
						   cube->input->path, (unsigned long long) node->id,
						   (unsigned long long) node->callee);
		PH_TRY(add_region(cube, &cube->regions[*index], node->parameters, &region));
		uint32_t parent = node->parent == PH_NONE ? PH_NONE : cube->nodes[node->parent].node;
		PH_TRY(ph_builder_child(cube->builder, parent, region, &node->node));
	}
	return PH_OK;
}

/* "application" and "command" from the region that stands for the program. */
static PhStatus
add_program(PhCube *cube)
{
	for (uint32_t i = 0; i < cube->n_regions; i++)
	{
		char library[PH_LIBRARY_MAX];
		PhRegionSpec spec;
		const char *command;
		size_t length;
		const PhMeasuredRegion *region = &cube->regions[i].text;
		if (!ph_measured_program(region, &command, &length))
			continue;
		ph_measured_region_spec(region, library, &spec);
		PhMeta *meta = &cube->run->meta;
		PH_TRY(ph_meta_set(cube->env, meta, "application", library, false));
		return ph_meta_set(cube->env, meta, "command", command, false);
	}
	return PH_OK;
}

static PhStatus
check_definitions(const PhCube *cube)
{
	const char *missing = !cube->has_anchor		   ? "anchor.xml"
						  : cube->n_nodes == 0	   ? "call tree"
						  : cube->n_locations == 0 ? "location"
												   : NULL;
	if (missing == NULL)
		return PH_OK;
	return ph_fail_hint(cube->env, PH_ERR_FORMAT,
						"The file is incomplete or was not written by Score-P, Scalasca or Cube.",
						"%s: the archive has no %s", cube->input->path, missing);
}

/* ---- second pass ---- */

static PhStatus
read_member(PhCubeMember *member)
{
	PhCube *cube = member->cube;
	uint64_t id;
	uint32_t *entry;
	if (!parse_member_name(member->name, ".data", &id))
		return PH_OK;
	PH_TRY(ph_map_enter(&cube->metric_of, id, PH_NONE, &entry));
	if (*entry == PH_NONE || cube->metrics[*entry].part[PH_CUBE_SUM] == PH_NONE)
		return PH_OK;
	return ph_cube_read_data(member, &cube->metrics[*entry]);
}

/* ---- whole ---- */

#define TAR_BLOCK 512
#define TAR_END (2 * TAR_BLOCK) /* bytes of zeros that end an archive */
#define TAR_SIZE_AT 124 /* in a member's header: its size, in octal or, of huge ones, in binary */
#define TAR_SIZE_LENGTH 12

/* Where members end: at a block that begins with 0, or at the end of the file or behind it. */
static size_t
end_of_members(const PhInput *input)
{
	size_t at = 0;
	while (at <= input->size && input->size - at >= TAR_BLOCK && input->data[at] != 0)
	{
		const uint8_t *header = (const uint8_t *) input->data + at;
		uint64_t size = 0;
		bool is_octal = (header[TAR_SIZE_AT] & 0x80) == 0;
		for (size_t i = TAR_SIZE_AT; i < TAR_SIZE_AT + TAR_SIZE_LENGTH; i++)
			if (!is_octal)
				size = size << 8 | (i > TAR_SIZE_AT ? header[i] : header[i] & 0x7f);
			else if (header[i] >= '0' && header[i] <= '7')
				size = 8 * size + (header[i] - '0');
		if (size > input->size)
			return SIZE_MAX;
		at += TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	}
	return at;
}

/*
 * Libarchive takes a file that ends between two members for a whole one. The mark is looked for
 * where it belongs: members may end with zeros, too.
 */
static PhStatus
check_end(const PhCube *cube)
{
	static const uint8_t zeros[TAR_END];
	const PhInput *input = cube->input;
	bool is_gzip = input->size >= 2 && input->data[0] == 0x1f && input->data[1] == 0x8b;
	size_t end = is_gzip ? 0 : end_of_members(input);
	if (is_gzip || (end <= input->size && input->size - end >= TAR_END &&
					memcmp(input->data + end, zeros, TAR_END) == 0))
		return PH_OK;
	return ph_run_missing(cube->env, cube->run, "the archive %s has no end mark",
						  ph_path_base(input->path));
}

static PhStatus
read_all(PhCube *cube)
{
	const char *root = cube->options != NULL ? cube->options->source_root : NULL;
	PH_TRY(ph_paths_init(&cube->paths, &cube->arena, root));
	ph_map_init(&cube->metric_of, &cube->arena);
	ph_map_init(&cube->region_of, &cube->arena);
	ph_map_init(&cube->node_of, &cube->arena);
	ph_map_init(&cube->member_of, &cube->arena);
	PH_TRY(PH_NEW(&cube->arena, PH_CUBE_CHUNK, &cube->chunk));
	PH_TRY(PH_NEW(&cube->arena, PH_CUBE_CHUNK, &cube->compressed));
	PH_TRY(ph_builder_new(cube->env, &cube->builder));
	PH_TRY(ph_cube_pass(cube, collect_member));
	PH_TRY(check_end(cube));
	PH_TRY(check_definitions(cube));
	PH_TRY(ph_paths_finish(&cube->paths));
	PH_TRY(ph_cube_wide_order(cube));
	PH_TRY(ph_cube_settle_indices(cube));
	PH_TRY(ph_cube_add_metrics(cube));
	PH_TRY(add_columns(cube));
	PH_TRY(add_nodes(cube));
	PH_TRY(add_program(cube));
	PH_TRY(ph_cube_pass(cube, read_member));
	PH_TRY(ph_builder_finish(cube->builder, &cube->run->profile));
	return ph_paths_raw_regions(&cube->paths, cube->env, cube->run);
}

PhStatus
ph_read_cube(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	*out = ph_run_input_new();
	PhCube cube = {.env = env, .input = input, .options = options, .run = out};
	ph_arena_init(&cube.arena, env);
	PhStatus status = read_all(&cube);
	ph_builder_free(cube.builder);
	ph_arena_drop(&cube.arena);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

PhStatus
ph_read_cube_file(PhEnv *env, const char *path, const PhReadOptions *options, PhRunInput *out)
{
	PhInput input;
	PH_TRY(ph_input_open(env, path, &input));
	PhStatus status = ph_read_cube(env, &input, options, out);
	ph_input_close(&input);
	return status;
}

/* One line "SCOREP_NAME=value". */
static PhStatus
add_setting(PhEnv *env, const char *line, size_t length, PhRunInput *run)
{
	char text[1024];
	if (length >= sizeof(text) || length < 7 || memcmp(line, "SCOREP_", 7) != 0 ||
		!ph_utf8_valid(line, length))
		return PH_OK;
	memcpy(text, line, length);
	text[length] = '\0';
	char *equals = strchr(text, '=');
	if (equals == NULL || equals[1] == '\0')
		return PH_OK;
	*equals = '\0';
	char *value = equals + 1;
	size_t n = strlen(value);
	if (n >= 2 && strchr("'\"", value[0]) != NULL && value[n - 1] == value[0])
	{
		value[n - 1] = '\0';
		value++;
	}
	return value[0] != '\0' ? ph_meta_set(env, &run->meta, text, value, false) : PH_OK;
}

PhStatus
ph_read_scorep_settings(PhEnv *env, const PhInput *input, PhRunInput *run)
{
	const char *at = (const char *) input->data;
	const char *end = at + input->size;
	for (int lines = 0; at < end && lines < 1000; lines++)
	{
		const char *stop = memchr(at, '\n', (size_t) (end - at));
		stop = stop != NULL ? stop : end;
		PH_TRY(add_setting(env, at, (size_t) (stop - at), run));
		at = stop + 1;
	}
	if (input->size > 0 && input->data[input->size - 1] != '\n')
		return ph_run_missing(env, run, "scorep.cfg ends within a line");
	return PH_OK;
}

/* ---- files ---- */

static bool
is_cube_member(const uint8_t *header, size_t size)
{
	char name[101];
	uint64_t id;
	memcpy(name, header, 100);
	name[100] = '\0';
	const char *base = strncmp(name, "./", 2) == 0 ? name + 2 : name;
	const uint8_t *bytes = header + PH_CUBE_HEAD;
	size_t n = size - PH_CUBE_HEAD;
	if (strcmp(base, "anchor.xml") == 0)
		return n >= 5 && (memcmp(bytes, "<?xml", 5) == 0 || (bytes[0] == 0x1f && bytes[1] == 0x8b));
	if (!parse_member_name(base, ".data", &id) && !parse_member_name(base, ".index", &id))
		return false;
	return n >= 11 && (memcmp(bytes, "CUBEX.", 6) == 0 || memcmp(bytes, "ZCUBEX.", 7) == 0);
}

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	bool named = ph_has_suffix(path, ".cubex");
	if (size > PH_CUBE_HEAD && is_cube_member(head, size))
		return true;
	bool is_tar = size >= PH_CUBE_HEAD && memcmp(head + 257, "ustar", 5) == 0;
	bool is_gzip = size >= 2 && head[0] == 0x1f && head[1] == 0x8b;
	return named && (is_tar || is_gzip);
}

/* A Score-P experiment without a trace. */
static bool
detect_directory(const char *path)
{
	char *directory = ph_format("%s/", path);
	bool found = ph_folder_has_file(directory, "profile.cubex") &&
				 ph_folder_has_file(directory, "scorep.cfg") &&
				 !ph_folder_has_file(directory, "traces.otf2");
	free(directory);
	return found;
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	(void) env;
	PH_TRY(ph_experiment_add(experiment, "%s/profile.cubex", path));
	return ph_experiment_add(experiment, "%s/scorep.cfg", path);
}

static PhStatus
read_settings_file(PhEnv *env, const char *path, PhRunInput *run)
{
	struct stat status;
	PhInput input;
	if (stat(path, &status) == 0 && status.st_size == 0)
		return PH_OK;
	PH_TRY(ph_input_open(env, path, &input));
	PhStatus result = ph_read_scorep_settings(env, &input, run);
	ph_input_close(&input);
	return result;
}

/* profile.cubex says little: an experiment is known by its directory. */
static PhStatus
propose_title(PhEnv *env, const char *path, PhRunInput *run)
{
	const char *base = ph_path_base(path);
	if (strcmp(base, "profile.cubex") != 0 || base - path < 2)
		return PH_OK;
	const char *end = base - 1;
	const char *start = end;
	while (start > path && start[-1] != '/')
		start--;
	char name[256];
	snprintf(name, sizeof(name), "%.*s", (int) (end - start < 255 ? end - start : 255), start);
	if (name[0] == '\0' || name[0] == '.' || !ph_utf8_valid(name, strlen(name)))
		return PH_OK;
	return ph_run_strdup(env, name, &run->title);
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PH_TRY(ph_read_cube_file(env, experiment->files[0], options, out));
	PhStatus status = propose_title(env, experiment->files[0], out);
	if (status == PH_OK && experiment->n_files > 1)
		status = read_settings_file(env, experiment->files[1], out);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

const PhReader ph_reader_cube = {
	.name = "cube",
	.description = "Cube profile of Score-P or Scalasca (.cubex)",
	.mark = "a tar archive whose first member is of Cube, or named *.cubex; folders: profile.cubex "
			"and scorep.cfg, no traces.otf2",
	.proof = "the archive ends with its end mark, its members have the sizes that it declares",
	.detect_file = detect_file,
	.detect_directory = detect_directory,
	.list_files = list_files,
	.read = read_experiment,
};
