/*
 * run.c - the profiles of one TAU run: functions, metrics, columns, then the values.
 *
 * All files are read twice: first for the names of functions, metrics and user events, then for
 * the values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/min_max.h"
#include "readers/completeness.h"
#include "readers/tau/tau.h"

/* ---- functions ---- */

static PhStatus
keep_text(PhTauRun *run, PhTauText *text)
{
	uint32_t string;
	PH_TRY(ph_strings_intern_n(&run->strings, text->text, text->size, &string));
	text->text = run->strings.text[string];
	return PH_OK;
}

static PhStatus
new_function(PhTauRun *run, PhTauText step)
{
	PH_TRY(PH_GROW(&run->arena, &run->functions, run->n_functions, &run->function_capacity));
	PhTauFunction function = {.region = PH_NONE};
	ph_tau_parse_name(step, &function.name);
	if (function.name.file.size > 0)
	{
		PhTauText file = function.name.file;
		PH_TRY(keep_text(run, &file));
		PH_TRY(ph_paths_add(&run->paths, file.text, &function.file));
	}
	function.is_program = step.size == 16 && memcmp(step.text, ".TAU application", 16) == 0;
	PH_TRY(keep_text(run, &function.name.name));
	if (strncmp(function.name.name.text, "MPI_", 4) == 0)
	{
		function.library = "MPI";
		function.paradigm = "mpi";
	}
	run->functions[run->n_functions++] = function;
	return PH_OK;
}

/* The step's function, made when new. */
static PhStatus
enter_function(PhTauRun *run, PhTauText step, uint32_t *out)
{
	PH_TRY(ph_strings_intern_n(&run->steps, step.text, step.size, out));
	return *out == run->n_functions ? new_function(run, step) : PH_OK;
}

/* ---- first pass ---- */

/* What the first pass over a file knows. */
typedef struct FirstPass
{
	PhTauRun *run;
	PhTauFile *file;
	PhInput *input;
	bool is_first;		/* its metadata become the run's */
	const char *metric; /* "Metric Name" of the metadata, for headers without one */
} FirstPass;

/* Metadata that other parts of perfhouse look for. */
static PhStatus
note_known(FirstPass *pass, const char *name, const char *value)
{
	PhTauRun *run = pass->run;
	PhMeta *meta = &run->run->meta;
	if (strcmp(name, "UTC Time") == 0)
		return ph_meta_set(run->env, meta, "started_at", value, false);
	if (strcmp(name, "Executable") != 0)
		return PH_OK;
	PhTauText base = {ph_path_base(value), strlen(ph_path_base(value))};
	if (base.size == 0)
		return PH_OK;
	PH_TRY(keep_text(run, &base));
	run->program = base.text;
	return ph_meta_set(run->env, meta, "application", base.text, false);
}

static PhStatus
take_attribute(void *user, const char *name, const char *value)
{
	FirstPass *pass = user;
	PhTauRun *run = pass->run;
	PhTauText text = {value, strlen(value)};
	if (strcmp(name, "Hostname") == 0 && text.size > 0)
	{
		PH_TRY(keep_text(run, &text));
		pass->file->host = text.text;
	}
	if (strcmp(name, "Metric Name") == 0 && text.size > 0)
	{
		PH_TRY(keep_text(run, &text));
		pass->metric = text.text;
		return PH_OK;
	}
	if (!pass->is_first || text.size == 0 || run->run->meta.n_items >= 1000)
		return PH_OK;
	PH_TRY(note_known(pass, name, value));
	return ph_meta_set(run->env, &run->run->meta, name, value, false);
}

static PhStatus
enter_metric(FirstPass *pass, const char *name)
{
	PhTauRun *run = pass->run;
	for (uint32_t i = 0; i < run->n_metrics; i++)
		if (strcmp(run->metrics[i].name, name) == 0)
		{
			pass->file->metric = i;
			return PH_OK;
		}
	if (run->n_metrics == PH_TAU_MAX_METRICS)
		return ph_fail(run->env, PH_ERR_LIMIT, "%s: more than %d metrics", pass->input->path,
					   PH_TAU_MAX_METRICS);
	pass->file->metric = run->n_metrics;
	run->metrics[run->n_metrics++] = (PhTauMetric){.name = name, .metric = PH_NONE};
	return PH_OK;
}

static PhStatus
take_begin(void *user, PhTauText metric, PhTauText metadata)
{
	FirstPass *pass = user;
	if (metadata.size > 0)
		PH_TRY(ph_tau_metadata(pass->run->env, pass->input, metadata, take_attribute, pass));
	if (metric.size > 0)
	{
		PH_TRY(keep_text(pass->run, &metric));
		pass->metric = metric.text;
	}
	return enter_metric(pass, pass->metric != NULL ? pass->metric : "TIME");
}

/* All steps of a path; a flat row's groups are those of its function. */
static PhStatus
take_row(void *user, const PhTauRow *row)
{
	FirstPass *pass = user;
	PhTauRun *run = pass->run;
	PhTauText path = row->name;
	PhTauText step;
	uint32_t index = 0;
	uint32_t n_steps = 0;
	while (ph_tau_next_step(&path, &step))
	{
		if (step.size == 0)
			return ph_input_fail(run->env, pass->input, PH_ERR_FORMAT, row->offset,
								 "a step of the path has no name");
		if (++n_steps > PH_TAU_MAX_DEPTH)
			return ph_input_fail(run->env, pass->input, PH_ERR_LIMIT, row->offset,
								 "the path has more than %d steps", PH_TAU_MAX_DEPTH);
		PH_TRY(enter_function(run, step, &index));
	}
	if (n_steps > 1)
	{
		run->any_path |= run->functions[index].name.step == PH_TAU_TIMER;
		return PH_OK;
	}
	PhTauFunction *function = &run->functions[index];
	if (function->library == NULL)
		function->library = ph_tau_library(row->groups);
	if (function->paradigm == NULL)
		function->paradigm = ph_tau_paradigm(row->groups);
	function->is_phase |=
		ph_tau_has_group(row->groups, "TAU_PHASE") || ph_tau_has_group(row->groups, "TAU_USER");
	return PH_OK;
}

static PhStatus
take_event(void *user, const PhTauEvent *event)
{
	FirstPass *pass = user;
	uint32_t index;
	if (event->name.size > 200)
		return ph_input_fail(pass->run->env, pass->input, PH_ERR_LIMIT, event->offset,
							 "the name of a user event is longer than 200 bytes");
	return ph_strings_intern_n(&pass->run->event_names, event->name.text, event->name.size, &index);
}

static PhStatus
scan_first(PhTauRun *run, PhTauFile *file, bool is_first)
{
	PhInput input = file->input;
	FirstPass pass = {.run = run, .file = file, .input = &input, .is_first = is_first};
	PhTauVisitor visitor = {&pass, take_begin, take_row, take_event};
	if (file->input.data == NULL)
		PH_TRY(ph_input_open(run->env, file->input.path, &input));
	PhStatus status = ph_tau_scan(run->env, &input, &visitor);
	if (file->input.data == NULL)
		ph_input_close(&input);
	return status;
}

/* ---- metrics ---- */

static bool
is_time(const char *name)
{
	return strstr(name, "TIME") != NULL || strstr(name, "LINUX_TIMERS") != NULL ||
		   strstr(name, "WALL_CLOCK") != NULL;
}

/* TIME first, then other clocks, then counters, by name. */
static int
compare_metrics(const void *a, const void *b)
{
	const char *x = ((const PhTauMetric *) a)->name;
	const char *y = ((const PhTauMetric *) b)->name;
	int rank_x = strcmp(x, "TIME") == 0 ? 0 : is_time(x) ? 1 : 2;
	int rank_y = strcmp(y, "TIME") == 0 ? 0 : is_time(y) ? 1 : 2;
	return rank_x != rank_y ? rank_x - rank_y : strcmp(x, y);
}

/* Order the metrics and let the files refer to the new order. */
static PhStatus
sort_metrics(PhTauRun *run)
{
	const char *names[PH_TAU_MAX_METRICS] = {NULL};
	for (uint32_t i = 0; i < run->n_metrics; i++)
		names[i] = run->metrics[i].name;
	qsort(run->metrics, run->n_metrics, sizeof(PhTauMetric), compare_metrics);
	for (size_t i = 0; i < run->n_files; i++)
	{
		const char *name = names[run->files[i].metric];
		for (uint32_t j = 0; j < run->n_metrics; j++)
			if (run->metrics[j].name == name)
				run->files[i].metric = j;
	}
	return PH_OK;
}

static PhStatus
add_metrics(PhTauRun *run)
{
	PH_TRY(sort_metrics(run));
	for (uint32_t i = 0; i < run->n_metrics; i++)
	{
		const char *name = run->metrics[i].name;
		PhMetricSpec spec = {.name = strcmp(name, "TIME") == 0 ? "time" : name,
							 .unit = is_time(name) ? "us" : "count",
							 .kind = PH_METRIC_FLOW,
							 .given = PH_GIVEN_BOTH};
		PH_TRY(ph_builder_add_metric(run->builder, &spec, &run->metrics[i].metric));
	}
	PhMetricSpec calls = {
		.name = "calls", .unit = "count", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	PH_TRY(ph_builder_add_metric(run->builder, &calls, &run->calls));
	calls.name = "subrs";
	PH_TRY(ph_builder_add_metric(run->builder, &calls, &run->children));
	run->flat_inclusive = PH_NONE;
	if (run->any_path)
		return PH_OK;
	char name[256];
	snprintf(name, sizeof(name), "%s (inclusive)",
			 strcmp(run->metrics[0].name, "TIME") == 0 ? "time" : run->metrics[0].name);
	PhMetricSpec flat = {.name = name,
						 .unit = is_time(run->metrics[0].name) ? "us" : "count",
						 .kind = PH_METRIC_VALUE,
						 .combine = PH_COMBINE_SUM,
						 .given = PH_GIVEN_EXCLUSIVE};
	return ph_builder_add_metric(run->builder, &flat, &run->flat_inclusive);
}

static PhStatus
add_event_metric(PhTauRun *run, PhTauEventMetric *event)
{
	char name[256];
	bool bytes =
		strncmp(event->name, "Message size", 12) == 0 || strcasestr(event->name, "bytes") != NULL;
	PhMetricSpec spec = {.name = event->name,
						 .unit = bytes ? "bytes" : "",
						 .kind = PH_METRIC_FLOW,
						 .given = PH_GIVEN_EXCLUSIVE};
	PH_TRY(ph_builder_add_metric(run->builder, &spec, &event->sum));
	spec.name = name;
	spec.kind = PH_METRIC_VALUE;
	spec.combine = PH_COMBINE_MIN;
	spec.may_be_negative = true;
	snprintf(name, sizeof(name), "%s (min)", event->name);
	PH_TRY(ph_builder_add_metric(run->builder, &spec, &event->min));
	spec.combine = PH_COMBINE_MAX;
	snprintf(name, sizeof(name), "%s (max)", event->name);
	PH_TRY(ph_builder_add_metric(run->builder, &spec, &event->max));
	spec.kind = PH_METRIC_FLOW;
	spec.may_be_negative = false;
	spec.unit = "count";
	snprintf(name, sizeof(name), "%s (count)", event->name);
	return ph_builder_add_metric(run->builder, &spec, &event->count);
}

static int
compare_events(const void *a, const void *b)
{
	const PhTauEventMetric *const *x = a;
	const PhTauEventMetric *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* The first events in byte order become metrics. */
static PhStatus
add_event_metrics(PhTauRun *run)
{
	PhTauEventMetric **order;
	run->n_events = run->event_names.count;
	PH_TRY(PH_NEW(&run->arena, run->n_events, &run->events));
	PH_TRY(PH_NEW(&run->arena, run->n_events, &order));
	for (uint32_t i = 1; i < run->n_events; i++)
	{
		run->events[i] =
			(PhTauEventMetric){.name = run->event_names.text[i], .sum = PH_NONE, .count = PH_NONE};
		order[i - 1] = &run->events[i];
	}
	uint32_t n = run->n_events - 1;
	qsort(order, n, sizeof(*order), compare_events);
	for (uint32_t i = 0; i < n && i < PH_TAU_MAX_EVENTS; i++)
		PH_TRY(add_event_metric(run, order[i]));
	if (n <= PH_TAU_MAX_EVENTS)
		return PH_OK;
	return ph_run_warn(run->env, run->run, "%u of %u user events are left out, from \"%s\" on.",
					   n - PH_TAU_MAX_EVENTS, n, order[PH_TAU_MAX_EVENTS]->name);
}

/* ---- columns ---- */

static int
compare_files(const void *a, const void *b)
{
	const PhTauFile *x = a;
	const PhTauFile *y = b;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return strcmp(x->input.path, y->input.path);
}

/* Processes that lie between others and have no file. */
static PhStatus
count_missing(PhTauRun *run)
{
	PhMap nodes;
	uint32_t *entry;
	int32_t most = 0;
	ph_map_init(&nodes, &run->arena);
	for (size_t i = 0; i < run->n_files; i++)
	{
		PH_TRY(ph_map_enter(&nodes, (uint64_t) run->files[i].node, 0, &entry));
		most = PH_MAX(run->files[i].node, most);
	}
	if ((uint32_t) most + 1 == nodes.count || run->n_files == 1)
		return PH_OK;
	uint32_t missing = (uint32_t) most + 1 - nodes.count;
	ph_builder_set_missing_columns(run->builder, missing);
	return ph_run_missing(run->env, run->run, "%u of %u ranks have no profile", missing,
						  (uint32_t) most + 1);
}

/* Several metrics: each column should have a file of each. */
static PhStatus
check_metrics_complete(PhTauRun *run, uint32_t n_columns)
{
	if (run->n_files == (size_t) n_columns * run->n_metrics)
		return PH_OK;
	return ph_run_missing(
		run->env, run->run,
		"there are %zu profiles for %u metrics of %u threads: some threads lack some metrics",
		run->n_files, run->n_metrics, n_columns);
}

static PhStatus
add_column(PhTauRun *run, PhTauFile *file, bool threaded)
{
	char name[32];
	snprintf(name, sizeof(name), "context %d", file->context);
	PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = file->node,
						 .thread = threaded ? file->thread : PH_NO_NUMBER,
						 .host = file->host,
						 .name = file->context != 0 ? name : NULL};
	return ph_builder_add_column(run->builder, &spec, &file->column);
}

static PhStatus
add_columns(PhTauRun *run)
{
	PhMap used; /* column and metric */
	uint32_t *entry;
	uint32_t n_columns = 0;
	bool threaded = false;
	ph_map_init(&used, &run->arena);
	for (size_t i = 0; i < run->n_files; i++)
		threaded |= run->files[i].thread != 0;
	qsort(run->files, run->n_files, sizeof(PhTauFile), compare_files);
	for (size_t i = 0; i < run->n_files; i++)
	{
		PhTauFile *file = &run->files[i];
		uint32_t before = used.count;
		PH_TRY(add_column(run, file, threaded));
		PH_TRY(ph_map_enter(&used, ph_map_key(file->column, file->metric), 0, &entry));
		if (used.count == before)
			return ph_fail_hint(run->env, PH_ERR_CONFLICT, "Keep the files of one run apart.",
								"%s: a second profile of rank %d, context %d, thread %d",
								file->input.path, file->node, file->context, file->thread);
		file->has_counts = file->column == n_columns;
		n_columns += file->has_counts;
	}
	PH_TRY(count_missing(run));
	return check_metrics_complete(run, n_columns);
}

/* ---- whole ---- */

static PhStatus
make_files(PhTauRun *run, const PhInput *inputs, size_t n_files)
{
	if (n_files == 0)
		return ph_fail(run->env, PH_ERR_VALUE, "a TAU run without profiles");
	PH_TRY(PH_NEW(&run->arena, n_files, &run->files));
	run->n_files = n_files;
	for (size_t i = 0; i < n_files; i++)
	{
		PhTauFile *file = &run->files[i];
		file->input = inputs[i];
		if (!ph_tau_parse_path(inputs[i].path, &file->node, &file->context, &file->thread))
			return ph_fail_hint(run->env, PH_ERR_FORMAT,
								"Profiles are named profile.NODE.CONTEXT.THREAD.",
								"%s: the file's name tells no rank and thread", inputs[i].path);
	}
	return PH_OK;
}

static PhStatus
first_pass(PhTauRun *run)
{
	for (size_t i = 0; i < run->n_files; i++)
		PH_TRY(scan_first(run, &run->files[i], i == 0));
	PH_TRY(ph_paths_finish(&run->paths));
	PH_TRY(add_metrics(run));
	PH_TRY(add_event_metrics(run));
	return add_columns(run);
}

static PhStatus
second_pass(PhTauRun *run)
{
	for (size_t i = 0; i < run->n_files; i++)
		PH_TRY(ph_tau_read_file(run, &run->files[i]));
	if (run->any_cut)
		PH_TRY(ph_builder_add_note(
			run->builder, "TAU cut call paths at TAU_CALLPATH_DEPTH: some begin in the "
						  "middle of a stack, inclusive values are sums of what is below"));
	if (!run->any_path)
		PH_TRY(ph_builder_add_note(run->builder,
								   "flat TAU profile: no call paths, so inclusive values of "
								   "functions are a metric of their own"));
	if (run->n_disagreeing > 0)
		PH_TRY(ph_run_warn(run->env, run->run,
						   "%u flat values are smaller than the call paths that make them up.",
						   run->n_disagreeing));
	PH_TRY(ph_builder_finish(run->builder, &run->run->profile));
	return ph_paths_raw_regions(&run->paths, run->env, run->run);
}

static PhStatus
read_all(PhTauRun *run, const PhInput *inputs, size_t n_files)
{
	const char *root = run->options != NULL ? run->options->source_root : NULL;
	PH_TRY(ph_paths_init(&run->paths, &run->arena, root));
	PH_TRY(ph_strings_init(&run->strings, &run->arena));
	PH_TRY(ph_strings_init(&run->steps, &run->arena));
	PH_TRY(ph_strings_init(&run->event_names, &run->arena));
	PH_TRY(ph_builder_new(run->env, &run->builder));
	PH_TRY(make_files(run, inputs, n_files));
	PH_TRY(new_function(run, (PhTauText){"", 0})); /* index 0 is the empty string */
	PH_TRY(first_pass(run));
	return second_pass(run);
}

PhStatus
ph_read_tau(PhEnv *env, const PhInput *inputs, size_t n_files, const PhReadOptions *options,
			PhRunInput *out)
{
	*out = ph_run_input_new();
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhTauRun), &memory));
	PhTauRun *run = memory;
	run->env = env;
	run->options = options;
	run->run = out;
	ph_arena_init(&run->arena, env);
	PhStatus status = read_all(run, inputs, n_files);
	ph_builder_free(run->builder);
	ph_arena_drop(&run->arena);
	ph_env_free(env, run, 1, sizeof(PhTauRun));
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}
