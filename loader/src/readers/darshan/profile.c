/*
 * profile.c - from records to a profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <time.h>

#include "readers/darshan/darshan.h"

/* The first metrics of every run, in this order. */
static const char *const primary[][2] = {{"time", "s"}, {"calls", "count"}, {"bytes", "bytes"}};

static PhStatus
find_metric(PhDarshan *darshan, const PhDarshanPlace *place, uint32_t *out)
{
	PH_TRY(ph_strings_intern(&darshan->metrics, place->metric, out));
	if (--*out < darshan->specs.count)
		return PH_OK;
	PH_TRY(PH_ROOM(&darshan->in.arena, &darshan->specs));
	darshan->specs.items[darshan->specs.count++] =
		(PhMetricSpec){.name = darshan->metrics.text[*out + 1],
					   .unit = place->unit,
					   .kind = place->kind,
					   .combine = place->combine,
					   .given = PH_GIVEN_EXCLUSIVE};
	return PH_OK;
}

PhStatus
ph_darshan_begin(PhDarshan *darshan)
{
	PH_TRY(ph_strings_init(&darshan->metrics, &darshan->in.arena));
	PH_TRY(ph_strings_init(&darshan->names, &darshan->in.arena));
	PH_TRY(ph_strings_init(&darshan->left_out, &darshan->in.arena));
	PH_TRY(ph_builder_new(darshan->in.env, &darshan->in.builder));
	for (size_t i = 0; i < sizeof(primary) / sizeof(primary[0]); i++)
	{
		PhDarshanPlace place = {.unit = primary[i][1]};
		uint32_t metric;
		memcpy(place.metric, primary[i][0], strlen(primary[i][0]) + 1);
		PH_TRY(find_metric(darshan, &place, &metric));
	}
	return PH_OK;
}

/* ---- places ---- */

static PhStatus
intern(PhDarshan *darshan, PhSlice text, const char **out)
{
	uint32_t string;
	PH_TRY(ph_strings_intern_n(&darshan->names, text.text, text.size, &string));
	*out = darshan->names.text[string];
	return PH_OK;
}

static PhStatus
enter(PhDarshan *darshan, uint32_t parent, const PhRegionSpec *spec, uint32_t *node)
{
	uint32_t region;
	PH_TRY(ph_builder_add_region(darshan->in.builder, spec, &region));
	return ph_builder_child(darshan->in.builder, parent, region, node);
}

static PhStatus
enter_named(PhDarshan *darshan, uint32_t parent, const char *name, uint32_t *node)
{
	const PhRegionSpec spec = {
		.kind = PH_KIND_REGION, .name = name, .line = PH_NO_NUMBER, .paradigm = "io"};
	return name == NULL ? PH_OK : enter(darshan, parent, &spec, node);
}

/* The kind of file system, unless a module map says otherwise. */
static PhStatus
enter_file(PhDarshan *darshan, const PhDarshanRecord *record)
{
	const PhReadOptions *options = darshan->in.options;
	PhRegionSpec spec = {.kind = PH_KIND_REGION, .line = PH_NO_NUMBER, .paradigm = "io"};
	const char *name, *file_system, *module = NULL;
	if (record->file.size == 0)
		return PH_OK;
	PH_TRY(intern(darshan, record->file, &name));
	PH_TRY(intern(darshan, record->file_system, &file_system));
	if (options != NULL && options->module_map != NULL)
		module = ph_module_map_apply(options->module_map, name, "", "");
	spec.name = name;
	spec.module = module != NULL && module[0] != '\0' ? module : file_system;
	return enter(darshan, darshan->node, &spec, &darshan->node);
}

static PhStatus
find_column(PhDarshan *darshan, int64_t rank)
{
	const PhColumnSpec spec = {.kind = rank >= 0 ? PH_COLUMN_UNIT : PH_COLUMN_GROUP,
							   .iteration = PH_NO_ITERATION,
							   .rank = rank >= 0 ? (int32_t) rank : PH_NO_NUMBER,
							   .thread = PH_NO_NUMBER,
							   .name = rank >= 0 ? "" : "all ranks together"};
	return ph_builder_add_column(darshan->in.builder, &spec, &darshan->column);
}

static PhStatus
add(PhDarshan *darshan, const PhDarshanValue *value)
{
	PH_TRY(PH_ROOM(&darshan->in.arena, &darshan->values));
	darshan->values.items[darshan->values.count++] = *value;
	return PH_OK;
}

PhStatus
ph_darshan_record(PhDarshan *darshan, const PhDarshanRecord *record)
{
	const char *module;
	uint32_t string;
	darshan->prefix = ph_darshan_prefix(record->module);
	if (darshan->prefix == NULL)
		return ph_strings_intern_n(&darshan->left_out, record->module.text, record->module.size,
								   &string);
	PH_TRY(intern(darshan, record->module, &module));
	PH_TRY(enter_named(darshan, PH_NONE, module, &darshan->node));
	PH_TRY(enter_file(darshan, record));
	PH_TRY(find_column(darshan, record->rank));
	return add(darshan, &(PhDarshanValue){PH_NONE, darshan->node, darshan->column, 0});
}

PhStatus
ph_darshan_count(PhDarshan *darshan, PhSlice name, double value)
{
	if (darshan->prefix == NULL || !ph_slice_begins(name, darshan->prefix))
		return PH_OK;
	return ph_darshan_cost(darshan, ph_slice_behind(name, strlen(darshan->prefix)), value);
}

PhStatus
ph_darshan_cost(PhDarshan *darshan, PhSlice name, double value)
{
	PhDarshanPlace place;
	PhDarshanValue cell = {.node = darshan->node, .column = darshan->column, .value = value};
	if (!(value > 0) || !ph_darshan_place(name, &place))
		return PH_OK;
	PH_TRY(enter_named(darshan, cell.node, place.group, &cell.node));
	PH_TRY(enter_named(darshan, cell.node, place.operation, &cell.node));
	PH_TRY(find_metric(darshan, &place, &cell.metric));
	return add(darshan, &cell);
}

/* ---- the job ---- */

static PhStatus
set(PhDarshan *darshan, const char *key, const char *value, bool is_number)
{
	return ph_meta_set(darshan->in.env, &darshan->in.run->meta, key, value, is_number);
}

static PhStatus
note_time(PhDarshan *darshan, const char *key, double seconds)
{
	time_t time;
	struct tm parts;
	char text[64];
	if (!(seconds > 0) || seconds > 253402300799.0)
		return PH_OK;
	time = (time_t) seconds;
	if (gmtime_r(&time, &parts) == NULL)
		return PH_OK;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return set(darshan, key, text, false);
}

/* The program without its folder and its arguments. */
static PhStatus
note_program(PhDarshan *darshan, PhSlice command)
{
	char *text;
	PhSlice program = ph_slice_base(ph_slice_first(command, ph_slice_word(command)));
	PH_TRY(ph_arena_strndup(&darshan->in.arena, program.text, program.size, &text));
	return program.size == 0 ? PH_OK : set(darshan, "application", text, false);
}

PhStatus
ph_darshan_note(PhDarshan *darshan, PhSlice key, PhSlice value)
{
	static const char prefix[] = "darshan.";
	char *text, *name;
	double number;
	bool is_number = ph_parse_number(value.text, value.size, &number);
	PH_TRY(ph_arena_strndup(&darshan->in.arena, value.text, value.size, &text));
	PH_TRY(PH_NEW(&darshan->in.arena, key.size + sizeof(prefix), &name));
	memcpy(name, prefix, sizeof(prefix) - 1);
	memcpy(name + sizeof(prefix) - 1, key.text, key.size);
	name[sizeof(prefix) - 1 + key.size] = '\0';
	if (ph_slice_is(key, "exe"))
		PH_TRY(note_program(darshan, value));
	else if (ph_slice_is(key, "start_time") && is_number)
		return note_time(darshan, "started_at", number);
	else if (ph_slice_is(key, "nprocs") && number >= 1 && number <= INT32_MAX)
		darshan->in.run->n_ranks = (int32_t) number;
	return set(darshan, name, text, is_number);
}

PhStatus
ph_darshan_warn_partial(PhDarshan *darshan, const char *module)
{
	return ph_run_warn(darshan->in.env, darshan->in.run,
					   "module %s ran out of memory while it measured: it has not all files",
					   module);
}

/* ---- all ---- */

static PhStatus
warn_left_out(PhDarshan *darshan)
{
	for (uint32_t i = 1; i < darshan->left_out.count; i++)
		PH_TRY(ph_run_warn(darshan->in.env, darshan->in.run, "what module %s counted is left out",
						   darshan->left_out.text[i]));
	return PH_OK;
}

PhStatus
ph_darshan_finish(PhDarshan *darshan)
{
	uint32_t metric;
	for (uint32_t i = 0; i < darshan->specs.count; i++)
		PH_TRY(ph_builder_add_metric(darshan->in.builder, &darshan->specs.items[i], &metric));
	for (uint32_t i = 0; i < darshan->values.count; i++)
	{
		const PhDarshanValue *value = &darshan->values.items[i];
		PH_TRY(ph_env_poll(darshan->in.env));
		if (value->metric == PH_NONE)
			PH_TRY(ph_builder_mark_present(darshan->in.builder, value->node, value->column));
		else
			PH_TRY(ph_builder_add_value(darshan->in.builder, value->metric, value->node,
										value->column, PH_COST_EXCLUSIVE, value->value));
	}
	return warn_left_out(darshan);
}
