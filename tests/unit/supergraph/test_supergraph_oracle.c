/*
 * test_supergraph_oracle.c - super graphs and layouts against recorded answers on real profiles.
 *
 * The oracles group by base name, do not merge equal siblings, and break ties by the order of the
 * file; so here the nodes have numbers for names until the tree stands. Oracles lie beside the
 * repository; without them the tests skip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/sankey_layout.h"
#include "profile/builder.h"
#include "profile/ops.h"
#include "support/csv.h"
#include "support/supergraph.h"
#include "support/test_data.h"

#define REFSG SHARED "/oracle/supergraph/refsg/"
#define LAYOUT SHARED "/oracle/supergraph/layout/"

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static json_object *
get(json_object *object, const char *key)
{
	json_object *value = NULL;
	if (!json_object_object_get_ex(object, key, &value))
		fail_msg("the oracle has no \"%s\"", key);
	return value;
}

static double
number(json_object *object, const char *key)
{
	return json_object_get_double(get(object, key));
}

static const char *
text(json_object *object, const char *key)
{
	return json_object_get_string(get(object, key));
}

static json_object *
read_json(const char *folder, const char *name)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s%s.json", folder, name);
	json_object *root = json_object_from_file(path);
	if (root == NULL)
		fail_msg("cannot read %s", path);
	return root;
}

/* ---- comparing a graph ---- */

static void
compare_vector(json_object *expected, const double *values, uint32_t n)
{
	assert_int_equal(json_object_array_length(expected), n);
	for (uint32_t c = 0; c < n; c++)
	{
		double value = json_object_get_double(json_object_array_get_idx(expected, c));
		if (!nearly(values[c], value) && fabs(values[c] - value) > 1e-9 * fabs(value))
			fail_msg("column %u: %.17g, not %.17g", c, values[c], value);
	}
}

static void
compare_entries(const PhSupergraph *graph, uint32_t v, json_object *expected)
{
	PhArena arena;
	PhEntryRow *rows;
	uint32_t n;
	ph_arena_init(&arena, &env);
	must(ph_supergraph_entries(&arena, graph, v, 0, false, &rows, &n));
	assert_int_equal(n, json_object_object_length(expected));
	for (uint32_t i = 0; i < n; i++)
		assert_true(nearly(rows[i].inclusive, number(expected, rows[i].function)));
	ph_arena_drop(&arena);
}

static void
compare_graph(const PhSupergraph *graph, json_object *oracle)
{
	json_object *nodes = get(oracle, "nodes"), *edges = get(oracle, "edges");
	double *values = calloc(graph->profile->n_columns, sizeof(*values));
	assert_non_null(values);
	assert_int_equal(graph->n_supernodes, json_object_array_length(nodes));
	assert_int_equal(graph->n_edges, json_object_array_length(edges));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		json_object *node = json_object_array_get_idx(nodes, v);
		assert_string_equal(graph->supernodes[v].name, text(node, "id"));
		assert_int_equal(graph->supernodes[v].level, number(node, "level"));
		assert_int_equal(graph->supernodes[v].n_members, number(node, "members"));
		ph_supergraph_node_vector(graph, v, 0, PH_COST_INCLUSIVE, values);
		compare_vector(get(node, "inc"), values, graph->profile->n_columns);
		ph_supergraph_node_vector(graph, v, 0, PH_COST_OWN, values);
		compare_vector(get(node, "exc"), values, graph->profile->n_columns);
		compare_entries(graph, v, get(node, "entry"));
	}
	for (uint32_t e = 0; e < graph->n_edges; e++)
	{
		json_object *edge = NULL;
		for (size_t i = 0; i < json_object_array_length(edges) && edge == NULL; i++)
		{
			json_object *other = json_object_array_get_idx(edges, i);
			const char *source = graph->supernodes[graph->edges[e].source].name;
			const char *target = graph->supernodes[graph->edges[e].target].name;
			if (strcmp(text(other, "src"), source) == 0 && strcmp(text(other, "dst"), target) == 0)
				edge = other;
		}
		assert_non_null(edge);
		ph_supergraph_edge_vector(graph, e, 0, values);
		compare_vector(get(edge, "weight"), values, graph->profile->n_columns);
	}
	free(values);
}

static PhProfileBuilder *
new_builder(PhGiven given)
{
	PhProfileBuilder *builder;
	PhMetricSpec metric = {.name = "time", .unit = "us", .given = given};
	uint32_t index;
	must(ph_builder_new(&env, &builder));
	must(ph_builder_add_metric(builder, &metric, &index));
	return builder;
}

static uint32_t
add_column(PhProfileBuilder *builder, int32_t rank, int32_t thread)
{
	PhColumnSpec column = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, rank, thread, NULL, NULL};
	uint32_t index;
	must(ph_builder_add_column(builder, &column, &index));
	return index;
}

static PhProfile *
finish(PhProfileBuilder *builder)
{
	PhProfile *profile;
	must(ph_builder_finish(builder, &profile));
	ph_builder_free(builder);
	return profile;
}

/* ---- literals: two ranks, the second half as dear again ---- */

static void
add_literal(PhProfileBuilder *builder, json_object *node, uint32_t parent, int32_t *line)
{
	json_object *metrics = get(node, "metrics"), *children = NULL;
	PhRegionSpec spec = {PH_KIND_LOOP,
						 text(get(node, "frame"), "name"),
						 text(metrics, "module"),
						 NULL,
						 NULL,
						 (*line)++,
						 NULL};
	uint32_t region, index;
	must(ph_builder_add_region(builder, &spec, &region));
	must(ph_builder_add_node(builder, parent, region, &index));
	must(ph_builder_add_value(builder, 0, index, 0, PH_COST_EXCLUSIVE, number(metrics, "time")));
	must(ph_builder_add_value(builder, 0, index, 1, PH_COST_EXCLUSIVE,
							  1.5 * number(metrics, "time")));
	json_object_object_get_ex(node, "children", &children);
	for (size_t i = 0; children != NULL && i < json_object_array_length(children); i++)
		add_literal(builder, json_object_array_get_idx(children, i), index, line);
}

static void
test_literals(void **state)
{
	static const char *const names[] = {"table1", "cyc", "diamond", "rec"};
	(void) state;
	skip_without_shared();
	json_object *all = read_json(SHARED "/oracle/supergraph/", "callflow_literals");
	for (size_t i = 0; i < 4; i++)
	{
		char file[64];
		PhSupergraph *graph;
		PhProfileBuilder *builder = new_builder(PH_GIVEN_EXCLUSIVE);
		json_object *roots = get(all, names[i]);
		int32_t line = 1;
		add_column(builder, 0, PH_NO_NUMBER);
		add_column(builder, 1, PH_NO_NUMBER);
		for (size_t k = 0; k < json_object_array_length(roots); k++)
			add_literal(builder, json_object_array_get_idx(roots, k), PH_NONE, &line);
		must(ph_supergraph_build(&env, finish(builder), PH_GROUP_MODULE, NULL, &graph));
		snprintf(file, sizeof(file), "lit-%s", names[i]);
		json_object *oracle = read_json(REFSG, file);
		compare_graph(graph, oracle);
		json_object_put(oracle);
		ph_supergraph_free(&env, graph);
	}
	json_object_put(all);
}

/* ---- profiles of HPCToolkit as Hatchet read them ---- */

static Csv
read_table(const char *profile, const char *table)
{
	char path[1024];
	snprintf(path, sizeof(path), SHARED "/oracle/hatchet/%s/%s.csv", profile, table);
	Csv csv = csv_read(path);
	assert_non_null(csv.cells);
	return csv;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* A profile whose nodes are called by their number, which keeps them in the order of the file. */
typedef struct Numbered
{
	Csv nodes, values;
	size_t *row_of; /* per node: its last row of values */
	PhProfile *profile;
} Numbered;

static const char *
attribute(const Numbered *from, size_t id, const char *column)
{
	return csv_cell(&from->values, from->row_of[id], csv_column(&from->values, column));
}

static void
add_nodes(PhProfileBuilder *builder, const Numbered *from, const char *label)
{
	size_t parent_at = csv_column(&from->nodes, "parents");
	for (size_t i = 0; i < from->nodes.n_rows; i++)
	{
		char name[24];
		snprintf(name, sizeof(name), "%08u", (unsigned) i);
		PhRegionSpec spec = {
			PH_KIND_FUNCTION, name, base_name(attribute(from, i, label)), NULL, NULL,
			PH_NO_NUMBER,	  NULL};
		uint32_t region, node;
		must(ph_builder_add_region(builder, &spec, &region));
		must(ph_builder_add_node(builder, PH_NONE, region, &node));
		assert_int_equal(node, i);
	}
	for (size_t i = 0; i < from->nodes.n_rows; i++)
	{
		const char *parent = csv_cell(&from->nodes, i, parent_at);
		if (parent[0] != '\0')
			must(ph_builder_set_parent(builder, (uint32_t) i, (uint32_t) atol(parent)));
	}
}

static void
read_profile(const char *name, const char *label, Numbered *out)
{
	out->nodes = read_table(name, "nodes");
	out->values = read_table(name, "metrics");
	out->row_of = calloc(out->nodes.n_rows, sizeof(*out->row_of));
	assert_non_null(out->row_of);
	PhProfileBuilder *builder = new_builder(PH_GIVEN_INCLUSIVE);
	const Csv *values = &out->values;
	size_t rank_at = csv_column(values, "rank"), thread_at = csv_column(values, "thread");
	size_t cost_at = csv_column(values, "time (inc)"), id_at = csv_column(values, "id");
	for (size_t row = 0; row < values->n_rows; row++)
		out->row_of[atol(csv_cell(values, row, id_at))] = row;
	add_nodes(builder, out, label);
	for (size_t row = 0; row < values->n_rows; row++)
	{
		int32_t rank = atoi(csv_cell(values, row, rank_at));
		int32_t thread = thread_at == SIZE_MAX ? 0 : atoi(csv_cell(values, row, thread_at));
		must(ph_builder_add_value(builder, 0, (uint32_t) atol(csv_cell(values, row, id_at)),
								  add_column(builder, rank, thread), PH_COST_INCLUSIVE,
								  strtod(csv_cell(values, row, cost_at), NULL)));
	}
	out->profile = finish(builder);
}

static const char *
real_name(const Numbered *from, const PhProfile *profile, uint32_t node)
{
	return attribute(from, (size_t) atol(ph_profile_node_name(profile, node)), "name");
}

/* Recursion-safe total of the function of a node. */
static double
function_total(const Numbered *from, uint32_t node)
{
	const PhProfile *profile = from->profile;
	const char *name = real_name(from, profile, node);
	double total = 0;
	for (uint32_t other = 0; other < profile->n_nodes; other++)
	{
		bool outermost = strcmp(real_name(from, profile, other), name) == 0;
		uint32_t above = profile->parent[other];
		for (; outermost && above != PH_NONE; above = profile->parent[above])
			outermost = strcmp(real_name(from, profile, above), name) != 0;
		total += outermost ? ph_profile_mean(profile, 0, other, PH_COST_INCLUSIVE) : 0;
	}
	return total;
}

static PhProfile *
filter(const Numbered *from, double share)
{
	PhProfile *out;
	double least = share * ph_profile_total(from->profile, 0);
	bool *keep = calloc(from->profile->n_nodes, sizeof(*keep));
	assert_non_null(keep);
	for (uint32_t node = 0; node < from->profile->n_nodes; node++)
		keep[node] = share <= 0 || function_total(from, node) >= least;
	must(ph_profile_splice(&env, from->profile, keep, "test", &out));
	free(keep);
	return out;
}

/* Give the nodes their real names; their order stays that of the file. */
static void
rename_nodes(const Numbered *from, PhProfile *profile)
{
	const char **strings = calloc(profile->n_strings + profile->n_nodes, sizeof(*strings));
	const char **kept;
	uint32_t n = profile->n_strings;
	assert_non_null(strings);
	memcpy(strings, profile->strings, n * sizeof(*strings));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		char *name;
		uint32_t known = profile->n_strings;
		const char *real = real_name(from, profile, node);
		while (known < n && strcmp(strings[known], real) != 0)
			known++;
		if (known == n)
		{
			must(ph_arena_strndup(&profile->arena, real, strlen(real), &name));
			strings[n++] = name;
		}
		profile->regions[profile->region[node]].name = known;
	}
	must(PH_NEW(&profile->arena, n, &kept));
	memcpy(kept, strings, n * sizeof(*strings));
	profile->strings = kept;
	profile->n_strings = n;
	free(strings);
}

static void
compare_splits(const PhSupergraph *graph, const char *file)
{
	static const char *const kinds[] = {"split_entry", "split_callers"};
	for (int kind = 0; kind < 2; kind++)
	{
		char name[160];
		PhSupergraph *split;
		snprintf(name, sizeof(name), "%s-%s", file, kinds[kind]);
		json_object *oracle = read_json(REFSG, name);
		uint32_t node = ph_supergraph_find(graph, text(oracle, "node"));
		assert_int_not_equal(node, PH_NONE);
		if (kind == 0)
			must(ph_supergraph_split_entry(&env, graph, node, 0, NULL, &split));
		else
			must(ph_supergraph_split_caller(&env, graph, node, false, &split));
		compare_graph(split, oracle);
		json_object_put(oracle);
		ph_supergraph_free(&env, split);
	}
}

static void
compare_case(const char *name, const char *label, const char *share)
{
	char file[128];
	Numbered numbered;
	PhSupergraph *graph;
	read_profile(name, label, &numbered);
	PhProfile *filtered = filter(&numbered, strtod(share, NULL));
	rename_nodes(&numbered, filtered);
	must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
	snprintf(file, sizeof(file), "%s-%s-%s", name, label, share);
	json_object *oracle = read_json(REFSG, file);
	compare_graph(graph, oracle);
	json_object_put(oracle);
	if (strcmp(share, "0.001") == 0)
		compare_splits(graph, file);
	ph_supergraph_free(&env, graph);
	ph_profile_free(&env, numbered.profile);
	csv_free(&numbered.nodes);
	csv_free(&numbered.values);
	free(numbered.row_of);
}

static void
test_allgather(void **state)
{
	(void) state;
	skip_without_shared();
	compare_case("hpctoolkit-allgather", "module", "0");
	compare_case("hpctoolkit-allgather", "module", "0.001");
	compare_case("hpctoolkit-allgather", "file", "0.001");
}

static void
test_cpi(void **state)
{
	static const char *const shares[] = {"0", "0.001", "0.01", "0.1"};
	(void) state;
	skip_without_shared();
	for (int i = 0; i < 4; i++)
		compare_case("hpctoolkit-cpi", "module", shares[i]);
}

/* ---- layouts ---- */

typedef struct Diagram
{
	uint32_t n_nodes, n_edges;
	PhLayoutNode nodes[100];
	PhLayoutEdge edges[200];
	json_object *oracle, *boxes, *bands;
} Diagram;

static void
read_diagram(const char *name, Diagram *d)
{
	d->oracle = read_json(LAYOUT, name);
	d->boxes = get(d->oracle, "nodes");
	d->bands = get(d->oracle, "edges");
	json_object *chains = get(d->oracle, "chains");
	size_t band = 0;
	d->n_nodes = d->n_edges = 0;
	for (size_t i = 0; i < json_object_array_length(d->boxes); i++)
	{
		json_object *box = json_object_array_get_idx(d->boxes, i);
		if (!json_object_get_boolean(get(box, "dummy")))
			d->nodes[d->n_nodes++] = (PhLayoutNode){
				text(box, "name"), (uint32_t) number(box, "level"), number(box, "value"), NAN};
	}
	for (size_t i = 0; i < json_object_array_length(chains); i++)
	{
		json_object *chain = json_object_array_get_idx(chains, i);
		size_t n = json_object_array_length(chain);
		PhLayoutEdge *edge = &d->edges[d->n_edges++];
		edge->source = (uint32_t) json_object_get_int(json_object_array_get_idx(chain, 0));
		edge->target = (uint32_t) json_object_get_int(json_object_array_get_idx(chain, n - 1));
		edge->weight = number(json_object_array_get_idx(d->bands, band), "w");
		band += n - 1;
	}
}

static void
compare_layout(const char *name)
{
	static Diagram d;
	PhArena arena;
	PhLayout layout;
	PhLayoutOptions options = ph_layout_defaults(1000, 600);
	ph_arena_init(&arena, &env);
	read_diagram(name, &d);
	must(ph_layout_sankey(&arena, d.nodes, d.n_nodes, d.edges, d.n_edges, &options, &layout));
	assert_int_equal(layout.n_boxes, json_object_array_length(d.boxes));
	assert_int_equal(layout.n_bands, json_object_array_length(d.bands));
	double start = number(d.oracle, "crossings_first"), most = number(d.oracle, "crossings");
	assert_true(fabs(layout.crossings_first - start) <= 1e-9 * start);
	assert_true(fabs(layout.crossings - most) <= 1e-9 * (start + 1));
	assert_true(nearly(layout.scale, number(d.oracle, "scale")));
	assert_true(nearly(layout.width, number(d.oracle, "W")));
	json_object *history = get(d.oracle, "objective");
	assert_int_equal(layout.n_sweeps + 1, json_object_array_length(history));
	for (uint32_t i = 0; i <= layout.n_sweeps; i++)
	{
		double value = json_object_get_double(json_object_array_get_idx(history, i));
		assert_true(fabs(layout.objective[i] - value) <= 1e-6 * (1 + value));
	}
	for (uint32_t i = 0; i < layout.n_boxes; i++)
	{
		json_object *box = json_object_array_get_idx(d.boxes, i);
		assert_int_equal(layout.boxes[i].order, number(box, "order"));
		assert_true(fabs(layout.boxes[i].x - number(box, "x")) < 1e-6);
		assert_true(fabs(layout.boxes[i].y - number(box, "y")) < 1e-4);
		assert_true(fabs(layout.boxes[i].height - number(box, "h")) < 1e-6);
	}
	for (uint32_t i = 0; i < layout.n_bands; i++)
	{
		json_object *band = json_object_array_get_idx(d.bands, i);
		assert_int_equal(layout.bands[i].source, number(band, "src"));
		assert_true(fabs(layout.bands[i].y0 - number(band, "y0")) < 1e-4);
		assert_true(fabs(layout.bands[i].y1 - number(band, "y1")) < 1e-4);
		assert_true(fabs(layout.bands[i].thickness - number(band, "t")) < 1e-6);
	}
	json_object_put(d.oracle);
	ph_arena_drop(&arena);
}

static void
test_layouts(void **state)
{
	(void) state;
	skip_without_shared();
	compare_layout("lit-cyc");
	compare_layout("hpctoolkit-allgather-module-0.001");
	compare_layout("hpctoolkit-allgather-file-0.01");
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_allgather),
		cmocka_unit_test(test_cpi),
		cmocka_unit_test(test_layouts),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
