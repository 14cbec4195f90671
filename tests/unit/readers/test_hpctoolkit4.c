/*
 * test_hpctoolkit4.c - the reader of HPCToolkit 4 databases: drawn ones against what was drawn.
 *
 * A drawn model says what each context costs itself. The writer (support/hpctoolkit4.h) makes a
 * database of it; the reader must find the same costs, call path by call path. Call paths are made
 * anew here, by the rules of docs/FORMATS.md, with strings and lists.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hpctoolkit4.h"
#include "support/reader.h"

#define MAX_CONTEXTS 80
#define MAX_COSTS 400
#define MAX_PROFILES 6

/* ---- drawn databases ---- */

typedef struct DrawnProfile
{
	H4Identifier identifiers[5];
	uint32_t n_identifiers, n_costs;
	H4Cost costs[MAX_COSTS];
	bool is_stream;
} DrawnProfile;

typedef struct Drawn
{
	uint64_t seed;
	H4Model model;
	H4Metric metrics[5];
	H4Context contexts[MAX_CONTEXTS];
	uint32_t n_profiles;
	DrawnProfile profiles[MAX_PROFILES];
	char *paths[MAX_CONTEXTS]; /* where its cost goes */
	char *hosts[MAX_CONTEXTS]; /* what its callees hang below */
	H4Bytes meta, profile;
} Drawn;

static const char *const module_paths[] = {"/home/of/someone/bin/code", "libm.so.6", "<vmlinux.1>"};
static const char *const module_names[] = {"code", "libm.so.6", "<vmlinux.1>"};
static const char *const file_paths[] = {"/src/a.c", "/src/deep/b.c", "[libm.so.6]"};
static const char *const file_names[] = {"a.c", "b.c", "[libm.so.6]"};
static const H4Function functions[] = {
	{"main", 0, 0, 0x40, 3},
	{"solve(int)", 0, 1, 0x80, 9},
	{"solve(int)", 0, 0, 0x90, 99}, /* of another file */
	{"exp [libm.so.6]", 1, 2, 0x10, 0},
	{NULL, 1, H4_NONE, 0xff, 0},
	{"<gpu kernel>", H4_NONE, H4_NONE, 0, 0},
	{NULL, H4_NONE, H4_NONE, 0, 0},
};

#define COUNT(array) ((uint32_t) (sizeof(array) / sizeof((array)[0])))

static const char *const metric_names[] = {"REALTIME (sec)", "GKER (sec)", "cycles",
										   "GXCOPY:H2D (B)", "GKER:COUNT"};

/* A function below a line, a function, a loop or nothing; rarely one that nothing is known of. */
static void
draw_function(uint64_t *random, H4Context *context)
{
	context->lexical = H4_FUNCTION;
	context->relation = draw_below(random, 3) > 0 ? H4_CALL : H4_INLINED;
	if (draw_below(random, 12) > 0)
		context->function = draw_below(random, COUNT(functions));
}

static void
draw_place(uint64_t *random, H4Context *context, uint8_t lexical)
{
	context->lexical = lexical;
	context->relation = H4_LEXICAL;
	if (lexical == H4_LOOP && draw_below(random, 4) == 0)
	{
		context->module = draw_below(random, COUNT(module_paths));
		context->offset = 16 * draw_below(random, 3);
		return;
	}
	context->file = draw_below(random, COUNT(file_paths));
	context->line = draw_below(random, 4);
}

static void
draw_instruction(uint64_t *random, H4Context *context, uint8_t relation)
{
	context->lexical = H4_INSTRUCTION;
	context->relation = relation;
	context->module = draw_below(random, COUNT(module_paths));
	context->offset = 16 * draw_below(random, 3);
}

/* What is below a context of the tree, other than below an instruction that was left out. */
static void
draw_child(uint64_t *random, const H4Context *parent, H4Context *context)
{
	uint32_t choice = draw_below(random, 10);
	bool is_line = parent->lexical == H4_LINE ||
				   (parent->lexical == H4_INSTRUCTION && parent->relation == H4_LEXICAL);
	if (choice == 0)
		draw_instruction(random, context, H4_CALL);
	else if (choice < 3)
		draw_instruction(random, context, H4_LEXICAL);
	else if (choice < 6 || is_line)
		draw_function(random, context);
	else
		draw_place(random, context, choice < 8 ? H4_LINE : H4_LOOP);
	context->is_elided = context->lexical == H4_INSTRUCTION && context->relation == H4_LEXICAL &&
						 draw_below(random, 3) > 0;
}

static uint32_t
draw_parent(uint64_t *random, const Drawn *drawn, uint32_t n)
{
	uint32_t parent = draw_below(random, n);
	while (drawn->contexts[parent].is_elided)
		parent--;
	return draw_below(random, 15) == 0 ? H4_NONE : parent;
}

/* Ids neither dense nor in order. */
static void
draw_ids(uint64_t *random, Drawn *drawn)
{
	uint32_t n = drawn->model.n_contexts;
	for (uint32_t i = 0; i < n; i++)
		drawn->contexts[i].id = 3 * i + 1;
	for (uint32_t i = n; i-- > 1;)
	{
		uint32_t other = draw_below(random, i + 1), id = drawn->contexts[i].id;
		drawn->contexts[i].id = drawn->contexts[other].id;
		drawn->contexts[other].id = id;
	}
}

static void
draw_contexts(uint64_t *random, Drawn *drawn)
{
	drawn->model.n_contexts = 1 + draw_below(random, MAX_CONTEXTS - 1);
	for (uint32_t i = 0; i < drawn->model.n_contexts; i++)
	{
		H4Context *context = &drawn->contexts[i];
		uint32_t parent = i == 0 ? H4_NONE : draw_parent(random, drawn, i);
		*context =
			(H4Context){.parent = parent, .function = H4_NONE, .file = H4_NONE, .module = H4_NONE};
		if (parent != H4_NONE)
			draw_child(random, &drawn->contexts[parent], context);
		else if (drawn->model.is_draft)
			draw_function(random, context);
		else
			*context =
				(H4Context){.parent = H4_NONE,
							.relation = H4_CALL,
							.lexical = H4_ENTRY,
							.function = H4_NONE,
							.file = H4_NONE,
							.module = H4_NONE,
							.name = draw_below(random, 2) ? "main thread" : "application thread"};
	}
	draw_ids(random, drawn);
}

static void
draw_profile(uint64_t *random, Drawn *drawn, uint32_t number)
{
	DrawnProfile *profile = &drawn->profiles[number];
	uint32_t n = 0;
	profile->is_stream = draw_below(random, 4) == 0;
	profile->identifiers[n++] = (H4Identifier){H4_NODE, 0x7f0101};
	profile->identifiers[n++] = (H4Identifier){H4_RANK, number / 2};
	if (profile->is_stream)
	{
		profile->identifiers[n++] = (H4Identifier){H4_GPUCONTEXT, 1};
		profile->identifiers[n++] = (H4Identifier){H4_GPUSTREAM, 7 + number % 2};
	}
	else if (draw_below(random, 3) > 0)
		profile->identifiers[n++] = (H4Identifier){H4_THREAD, draw_below(random, 2)};
	profile->n_identifiers = n;
	profile->n_costs = draw_below(random, profile->is_stream ? 2 : MAX_COSTS);
	for (uint32_t i = 0; i < profile->n_costs; i++)
		profile->costs[i] = (H4Cost){.context = draw_below(random, drawn->model.n_contexts),
									 .metric = draw_below(random, drawn->model.n_metrics),
									 .own = (1 + draw_below(random, 1000)) / 8.0};
}

static void
draw_metrics(uint64_t *random, Drawn *drawn)
{
	drawn->model.n_metrics = 1 + draw_below(random, COUNT(metric_names));
	for (uint32_t i = 0; i < drawn->model.n_metrics; i++)
		drawn->metrics[i] = (H4Metric){metric_names[i], i == 0 ? 7 | 8 * draw_below(random, 2)
															   : draw_below(random, 16)};
}

static void
write_drawn(Drawn *drawn)
{
	H4Profiles *profiles = h4_begin_profiles(&drawn->model);
	for (uint32_t i = 0; i < drawn->n_profiles; i++)
		h4_add_profile(profiles, drawn->profiles[i].identifiers, drawn->profiles[i].n_identifiers,
					   drawn->profiles[i].costs, drawn->profiles[i].n_costs);
	drawn->profile = h4_end_profiles(profiles);
	drawn->meta = h4_write_meta(&drawn->model);
}

static Drawn *
draw(uint64_t seed)
{
	uint64_t random = seed;
	Drawn *drawn = calloc(1, sizeof(*drawn));
	drawn->seed = seed;
	drawn->model = (H4Model){.is_draft = draw_below(&random, 3) == 0,
							 .title = "drawn",
							 .n_modules = COUNT(module_paths),
							 .n_files = COUNT(file_paths),
							 .n_functions = COUNT(functions),
							 .modules = module_paths,
							 .files = file_paths,
							 .functions = functions,
							 .metrics = drawn->metrics,
							 .contexts = drawn->contexts};
	drawn->model.wider = drawn->model.is_draft ? 0 : 8 * draw_below(&random, 3);
	drawn->n_profiles = 1 + draw_below(&random, MAX_PROFILES);
	draw_metrics(&random, drawn);
	draw_contexts(&random, drawn);
	for (uint32_t i = 0; i < drawn->n_profiles; i++)
		draw_profile(&random, drawn, i);
	write_drawn(drawn);
	return drawn;
}

static void
free_drawn(Drawn *drawn)
{
	for (uint32_t i = 0; i < drawn->model.n_contexts; i++)
	{
		free(drawn->paths[i]);
		free(drawn->hosts[i]);
	}
	free(drawn->meta.data);
	free(drawn->profile.data);
	free(drawn);
}

/* ---- call paths ---- */

static char *
text(const char *format, ...)
{
	char *out;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&out, format, arguments) < 0)
		abort();
	va_end(arguments);
	return out;
}

/* "kind|name|file|line" */
static char *
step_of(const H4Context *context)
{
	const H4Function *function =
		context->function == H4_NONE ? NULL : &functions[context->function];
	const char *prefix = context->lexical == H4_LOOP ? "Loop@" : "";
	if (context->lexical == H4_ENTRY)
		return text("function|%s||-", context->name);
	if (context->lexical == H4_INSTRUCTION)
		return text("function|%s+0x%x||-", module_names[context->module],
					(unsigned) context->offset);
	if (context->lexical != H4_FUNCTION && context->file == H4_NONE)
		return text("loop|%s%s+0x%x||-", prefix, module_names[context->module],
					(unsigned) context->offset);
	if (context->lexical != H4_FUNCTION)
		return text("%s|%s%s:%u|%s|%d", context->lexical == H4_LOOP ? "loop" : "statement", prefix,
					file_names[context->file], context->line, file_paths[context->file],
					context->line > 0 ? (int) context->line : -1);
	const char *file =
		function == NULL || function->file == H4_NONE ? "" : file_paths[function->file];
	if (function != NULL && function->name != NULL)
		return text("function|%s|%s|-", function->name, file);
	if (function != NULL && function->module != H4_NONE)
		return text("function|%s+0x%x|%s|-", module_names[function->module],
					(unsigned) function->offset, file);
	return text("function|<unknown function>||-");
}

static void
make_paths(Drawn *drawn)
{
	for (uint32_t i = 0; i < drawn->model.n_contexts; i++)
	{
		const H4Context *context = &drawn->contexts[i];
		const char *above = context->parent == H4_NONE ? "" : drawn->hosts[context->parent];
		bool is_part = context->lexical == H4_INSTRUCTION && context->relation == H4_LEXICAL;
		char *step = step_of(context);
		drawn->paths[i] =
			is_part ? strdup(drawn->paths[context->parent]) : text("%s/%s", above, step);
		drawn->hosts[i] = strdup(is_part || context->lexical == H4_LINE ? above : drawn->paths[i]);
		free(step);
	}
}

static char *
path_of_node(const PhProfile *profile, uint32_t node)
{
	char *path = strdup("");
	for (uint32_t at = node; at != PH_NONE; at = profile->parent[at])
	{
		const PhRegion *region = ph_profile_region(profile, at);
		char line[16] = "-";
		if (region->kind == PH_KIND_STATEMENT ||
			(region->kind == PH_KIND_LOOP && region->file != 0))
			snprintf(line, sizeof(line), "%d", region->line);
		char *longer =
			text("/%s|%s|%s|%s%s", ph_kind_name(region->kind), ph_profile_node_name(profile, at),
				 ph_profile_string(profile, region->file), line, path);
		free(path);
		path = longer;
	}
	return path;
}

/* ---- expectations ---- */

/* Streams have columns only where they have values. */
static bool
is_column(const Drawn *drawn, const DrawnProfile *profile)
{
	bool has_values = false;
	for (uint32_t i = 0; i < profile->n_costs; i++)
		has_values |= drawn->metrics[profile->costs[i].metric].scopes != 0;
	return has_values || !profile->is_stream;
}

static int64_t
identifier(const DrawnProfile *profile, uint8_t kind)
{
	for (uint32_t i = 0; i < profile->n_identifiers; i++)
		if (profile->identifiers[i].kind == kind)
			return (int64_t) profile->identifiers[i].number;
	return PH_NO_NUMBER;
}

static bool
are_threaded(const Drawn *drawn)
{
	bool threaded = false;
	for (uint32_t i = 0; i < drawn->n_profiles; i++)
		threaded |=
			is_column(drawn, &drawn->profiles[i]) && identifier(&drawn->profiles[i], H4_THREAD) > 0;
	return threaded;
}

/* "rank 0 thread 1 GPUCONTEXT 1 GPUSTREAM 7": what tells a column. */
static char *
coordinates_of(const Drawn *drawn, const DrawnProfile *profile)
{
	int thread = are_threaded(drawn) ? (int) identifier(profile, H4_THREAD) : PH_NO_NUMBER;
	char *stream = profile->is_stream
					   ? text("GPUCONTEXT 1 GPUSTREAM %d", (int) identifier(profile, H4_GPUSTREAM))
					   : strdup("");
	char *out = text("rank %d thread %d %s", (int) identifier(profile, H4_RANK), thread, stream);
	free(stream);
	return out;
}

/* The same of a profile, whose name has its number when another had its coordinates before. */
static char *
name_of(const Drawn *drawn, uint32_t number)
{
	const DrawnProfile *profile = &drawn->profiles[number];
	char *name = coordinates_of(drawn, profile);
	bool is_second = false;
	for (uint32_t i = 0; i < number; i++)
	{
		char *other = coordinates_of(drawn, &drawn->profiles[i]);
		is_second |= is_column(drawn, &drawn->profiles[i]) && strcmp(name, other) == 0;
		free(other);
	}
	if (!is_second)
		return name;
	char *longer = text("%s%sprofile %u", name, profile->is_stream ? " " : "", number + 1);
	free(name);
	return longer;
}

static uint32_t
column_of(const Drawn *drawn, const PhProfile *profile, uint32_t number)
{
	char *wanted = name_of(drawn, number);
	uint32_t found = PH_NONE;
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];
		char *name = text("rank %d thread %d %s", column->rank, column->thread,
						  ph_profile_string(profile, column->name));
		if (strcmp(name, wanted) == 0)
			found = i;
		free(name);
	}
	if (found == PH_NONE)
		fail_msg("no column %s", wanted);
	free(wanted);
	return found;
}

/* Whether a metric of the profile is this one of the file or a sum that has it. */
static bool
is_part_of(const char *part, const char *metric)
{
	if (strcmp(metric, "gpu time") == 0)
		return strcmp(part, "GKER (sec)") == 0;
	if (strcmp(metric, "gpu kernels") == 0)
		return strcmp(part, "GKER:COUNT") == 0;
	if (strcmp(metric, "gpu copy bytes") == 0)
		return strcmp(part, "GXCOPY:H2D (B)") == 0;
	return strcmp(part, metric) == 0;
}

/* Instructions that are not in the tree cost nothing where only what contexts do alone is told. */
static bool
is_told(const Drawn *drawn, const H4Cost *cost)
{
	unsigned scopes = drawn->metrics[cost->metric].scopes;
	if (scopes & (H4_HAS_EXECUTION | H4_HAS_FUNCTION))
		return true;
	return (scopes & H4_HAS_POINT) && !drawn->contexts[cost->context].is_elided;
}

/* What a path costs itself. */
static double
expected_own(const Drawn *drawn, uint32_t number, const char *metric, const char *path)
{
	const DrawnProfile *profile = &drawn->profiles[number];
	double sum = 0;
	for (uint32_t i = 0; i < profile->n_costs; i++)
		if (is_told(drawn, &profile->costs[i]) &&
			is_part_of(drawn->metrics[profile->costs[i].metric].name, metric) &&
			strcmp(drawn->paths[profile->costs[i].context], path) == 0)
			sum += profile->costs[i].own;
	return sum;
}

/* ---- comparison ---- */

static void
check_nodes(const Drawn *drawn, char **paths, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(paths[i], paths[k]);
	for (uint32_t i = 0; i < drawn->model.n_contexts; i++)
	{
		bool found = drawn->contexts[i].is_elided;
		for (uint32_t k = 0; k < n; k++)
			found |= strcmp(drawn->paths[i], paths[k]) == 0;
		if (!found)
			fail_msg("no node %s", drawn->paths[i]);
	}
	for (uint32_t k = 0; k < n; k++)
	{
		bool found = false;
		for (uint32_t i = 0; i < drawn->model.n_contexts; i++)
			found |= strcmp(drawn->paths[i], paths[k]) == 0;
		if (!found)
			fail_msg("node %s was not drawn", paths[k]);
	}
}

static void
check_equal_cost(const Drawn *drawn, const char *metric, const char *path, double cost,
				 double expected)
{
	if (cost != expected)
		fail_msg("seed %llu: %s of %s is %g, not %g", (unsigned long long) drawn->seed, metric,
				 path, cost, expected);
}

/* Exclusive and inclusive costs of one metric in one column; adds the latter to costs[node]. */
static void
check_metric(const Drawn *drawn, const PhProfile *profile, char **paths, uint32_t number,
			 uint32_t metric, double *costs)
{
	const char *name = ph_profile_string(profile, profile->metrics[metric].name);
	uint32_t column = column_of(drawn, profile, number);
	double *inclusive = calloc(profile->n_nodes, sizeof(double));
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		double own = expected_own(drawn, number, name, paths[node]);
		check_equal_cost(drawn, name, paths[node],
						 ph_profile_cell(profile, metric, node, column, PH_COST_EXCLUSIVE), own);
		inclusive[node] += own;
		check_equal_cost(drawn, name, paths[node],
						 ph_profile_cell(profile, metric, node, column, PH_COST_INCLUSIVE),
						 inclusive[node]);
		if (profile->parent[node] != PH_NONE)
			inclusive[profile->parent[node]] += inclusive[node];
		costs[node] += inclusive[node];
	}
	free(inclusive);
}

/* Nodes are where something below them costs something, and nowhere else. */
static void
check_values(const Drawn *drawn, const PhProfile *profile, char **paths)
{
	uint32_t n_columns = 0;
	for (uint32_t i = 0; i < drawn->n_profiles; i++)
	{
		double *costs = calloc(profile->n_nodes, sizeof(double));
		if (!is_column(drawn, &drawn->profiles[i]))
		{
			free(costs);
			continue;
		}
		n_columns++;
		for (uint32_t metric = 0; metric < profile->n_metrics; metric++)
			check_metric(drawn, profile, paths, i, metric, costs);
		uint32_t column = column_of(drawn, profile, i);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
			assert_int_equal(ph_profile_is_present(profile, node, column), costs[node] > 0);
		free(costs);
	}
	assert_int_equal(profile->n_columns, n_columns);
}

/* All metrics with a value are there, others are not. */
static void
check_metrics(const Drawn *drawn, const PhProfile *profile)
{
	for (uint32_t metric = 0; metric < drawn->model.n_metrics; metric++)
	{
		bool has_value = false;
		for (uint32_t i = 0; i < drawn->n_profiles; i++)
			for (uint32_t k = 0; k < drawn->profiles[i].n_costs; k++)
				has_value |= drawn->profiles[i].costs[k].metric == metric &&
							 drawn->metrics[metric].scopes & 7;
		bool found = false;
		for (uint32_t i = 0; i < profile->n_metrics; i++)
			found |= strcmp(ph_profile_string(profile, profile->metrics[i].name),
							drawn->metrics[metric].name) == 0;
		assert_int_equal(found, has_value);
	}
}

static bool
has_columns_and_costs(const Drawn *drawn)
{
	bool has_column = false, has_cost = false;
	for (uint32_t i = 0; i < drawn->n_profiles; i++)
	{
		has_column |= is_column(drawn, &drawn->profiles[i]);
		for (uint32_t k = 0; k < drawn->profiles[i].n_costs; k++)
			has_cost |= (drawn->metrics[drawn->profiles[i].costs[k].metric].scopes & 7) != 0;
	}
	return has_column && has_cost;
}

static void
check_drawn(Drawn *drawn)
{
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	make_paths(drawn);
	PhStatus status = h4_read(&env, &drawn->meta, &drawn->profile, &run);
	if (!has_columns_and_costs(drawn))
	{
		check_error(&env, status, PH_ERR_VALUE, "no ", "nothing measured");
		return;
	}
	if (status != PH_OK)
		fail_msg("%s", env.error.message);
	assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
	assert_int_equal(run.n_warnings, 0);
	char **paths = calloc(run.profile->n_nodes, sizeof(char *));
	for (uint32_t i = 0; i < run.profile->n_nodes; i++)
		paths[i] = path_of_node(run.profile, i);
	check_nodes(drawn, paths, run.profile->n_nodes);
	check_metrics(drawn, run.profile);
	check_values(drawn, run.profile, paths);
	for (uint32_t i = 0; i < run.profile->n_nodes; i++)
		free(paths[i]);
	free(paths);
	done(&env, &run);
}

static void
test_drawn(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 200; seed++)
	{
		Drawn *drawn = draw(seed);
		check_drawn(drawn);
		free_drawn(drawn);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drawn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
