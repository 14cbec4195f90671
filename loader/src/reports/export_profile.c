/*
 * export_profile.c - a profile in formats that other tools read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "cli/json_out.h"
#include "profile/cells.h"
#include "profile/rows/rows.h"
#include "system/memory.h"

#define INCLUSIVE " (inc)"
#define RESIDUAL " (residual)"

static const char *const kind_names[] = {"function", "region", "loop", "statement", "root"};

/* Shortest of 15 to 17 digits that reads back as the same number. */
static void
put_number(FILE *out, double value)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(isfinite(value) ? text : "null", out);
}

/* ---- folded ---- */

/* Microseconds per unit of a time; 1 for other units. */
static double
microseconds(const char *unit)
{
	double factor;

	return ph_unit_factor(unit, "us", &factor) ? factor : 1;
}

/* Semicolons separate frames and line ends separate stacks: neither may be in a name. */
static void
put_frame(FILE *out, const char *name)
{
	for (; *name != '\0'; name++)
		putc(*name == ';' ? ':' : (unsigned char) *name < ' ' ? ' ' : *name, out);
}

static void
put_stack(FILE *out, const PhProfile *profile, uint32_t node, uint32_t *stack)
{
	uint32_t depth = 0;

	for (uint32_t at = node; at != PH_NONE; at = profile->parent[at])
		stack[depth++] = at;
	while (depth > 0)
	{
		put_frame(out, ph_profile_node_name(profile, stack[--depth]));
		if (depth > 0)
			putc(';', out);
	}
}

/* Each line's value with what the lines before it lost to rounding; lines of 0 are left out. */
static void
put_stacks(FILE *out, const PhProfile *profile, double factor, const PhFlameRow *rows,
		   uint32_t n_rows)
{
	uint32_t *stack = ph_must_alloc((size_t) profile->n_nodes + 1, sizeof(*stack));
	double owed = 0;

	for (uint32_t i = 0; i < n_rows; i++)
	{
		double value = rows[i].self * factor + owed;
		double steps = value < 10 ? 1000 : 1; /* three decimals of small ones */
		double shown = round(value * steps) / steps;

		if (rows[i].node == PH_NONE || rows[i].self <= 0)
			continue;
		owed = value - shown;
		if (shown <= 0)
			continue;
		put_stack(out, profile, rows[i].node, stack);
		fprintf(out, " %.*f\n", steps > 1 ? 3 : 0, shown);
	}
	free(stack);
}

PhStatus
ph_export_folded(PhEnv *env, FILE *out, const PhProfile *profile, uint32_t metric)
{
	double factor = microseconds(ph_profile_string(profile, profile->metrics[metric].unit));
	PhFlameRow *rows;
	uint32_t n_rows;
	uint64_t n_clamped;
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_rows_flame(&arena, profile, metric, &rows, &n_rows, &n_clamped);
	if (status == PH_OK)
		put_stacks(out, profile, factor * profile->n_columns, rows, n_rows);
	ph_arena_drop(&arena);
	return status;
}

/* ---- JSON ---- */

/* A member that is left out when there is nothing to tell. */
static void
write_known(PhJsonOut *json, const char *key, const char *text)
{
	if (text[0] != '\0')
		ph_json_put_text(json, key, text);
}

static void
write_graph_node(PhJsonOut *json, const PhProfile *profile, uint32_t node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	char key[16];

	snprintf(key, sizeof(key), "%u", node);
	ph_json_open_object(json, key);
	ph_json_open_object(json, "data");
	ph_json_put_text(json, "name", ph_profile_string(profile, region->name));
	write_known(json, "type", kind_names[region->kind]);
	write_known(json, "module", ph_profile_string(profile, region->library));
	write_known(json, "file", ph_profile_string(profile, region->file));
	if (region->line != PH_NO_NUMBER)
		ph_json_put_integer(json, "line", region->line);
	ph_json_close(json);
	ph_json_open_array(json, "children");
	for (uint32_t child = node + 1; child < profile->subtree_end[node];
		 child = profile->subtree_end[child])
		ph_json_put_integer(json, NULL, child);
	ph_json_close(json);
	ph_json_close(json);
}

/* An object for each tree, in it a node a line. */
static void
write_graph(PhJsonOut *json, const PhProfile *profile)
{
	ph_json_open_array(json, "graph");
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		ph_json_new_line(json);
		if (profile->parent[node] == PH_NONE)
			ph_json_open_object(json, NULL);
		write_graph_node(json, profile, node);
		if (node + 1 == profile->n_nodes || profile->parent[node + 1] == PH_NONE)
			ph_json_close(json);
	}
	ph_json_close(json);
	ph_json_new_line(json);
}

static bool
has_values(const PhProfile *profile, uint32_t metric)
{
	return profile->metrics[metric].kind != PH_METRIC_RATIO;
}

static const char *
metric_name(const PhProfile *profile, uint32_t metric)
{
	return ph_profile_string(profile, profile->metrics[metric].name);
}

/* Names of one cost of all metrics, by metric; one allocation. */
static char **
cost_names(const PhProfile *profile, const char *suffix)
{
	size_t size = profile->n_metrics * sizeof(char *) + 1;
	char **names;
	char *at;

	for (uint32_t m = 0; m < profile->n_metrics; m++)
		size += strlen(metric_name(profile, m)) + strlen(suffix) + 1;
	names = ph_must_alloc(1, size);
	at = (char *) (names + profile->n_metrics);
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		names[m] = at;
		at = stpcpy(stpcpy(at, metric_name(profile, m)), suffix) + 1;
	}
	return names;
}

/* Names of the costs besides exclusive ones. */
typedef struct CostNames
{
	char **inclusive;
	char **residual;
} CostNames;

static void
write_row(PhJsonOut *json, const PhProfile *profile, uint32_t node, uint32_t column, size_t cell,
		  const CostNames *names)
{
	const PhColumn *unit = &profile->columns[column];

	ph_json_new_line(json);
	ph_json_open_object(json, NULL);
	ph_json_put_integer(json, "node", node);
	if (unit->rank != PH_NO_NUMBER)
		ph_json_put_integer(json, "rank", unit->rank);
	if (unit->thread != PH_NO_NUMBER)
		ph_json_put_integer(json, "thread", unit->thread);
	ph_json_put_text(json, "name", ph_profile_node_name(profile, node));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		if (!has_values(profile, m))
			continue;
		ph_json_put_number(json, names->inclusive[m],
						   ph_profile_value(profile, m, cell, PH_COST_INCLUSIVE));
		ph_json_put_number(json, metric_name(profile, m),
						   ph_profile_value(profile, m, cell, PH_COST_EXCLUSIVE));
		if (profile->metrics[m].residual != NULL)
			ph_json_put_number(json, names->residual[m],
							   ph_profile_value(profile, m, cell, PH_COST_RESIDUAL));
	}
	ph_json_close(json);
}

static void
write_dataframe(PhJsonOut *json, const PhProfile *profile, const CostNames *names)
{
	ph_json_open_array(json, "dataframe");
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);

		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
				write_row(json, profile, node, span.first + i, span.cell + i, names);
	}
	ph_json_close(json);
	ph_json_new_line(json);
}

static void
write_metric_names(PhJsonOut *json, const PhProfile *profile, char *const *inclusive)
{
	ph_json_open_array(json, "inclusive_metrics");
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (has_values(profile, m))
			ph_json_put_text(json, NULL, inclusive[m]);
	ph_json_close(json);
	ph_json_new_line(json);
	ph_json_open_array(json, "exclusive_metrics");
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (has_values(profile, m))
			ph_json_put_text(json, NULL, metric_name(profile, m));
	ph_json_close(json);
	ph_json_new_line(json);
	ph_json_open_object(json, "metric_units");
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (has_values(profile, m))
			ph_json_put_text(json, metric_name(profile, m),
							 ph_profile_string(profile, profile->metrics[m].unit));
	ph_json_close(json);
}

static void
write_indices(PhJsonOut *json, const PhProfile *profile)
{
	ph_json_open_array(json, "dataframe_indices");
	ph_json_put_text(json, NULL, "node");
	if (profile->n_columns > 0 && profile->columns[0].rank != PH_NO_NUMBER)
		ph_json_put_text(json, NULL, "rank");
	if (profile->n_columns > 0 && profile->columns[0].thread != PH_NO_NUMBER)
		ph_json_put_text(json, NULL, "thread");
	ph_json_close(json);
	ph_json_new_line(json);
}

void
ph_export_json(FILE *out, const PhProfile *profile)
{
	CostNames names = {cost_names(profile, INCLUSIVE), cost_names(profile, RESIDUAL)};
	PhJsonOut json;

	ph_json_begin(&json, out);
	ph_json_open_object(&json, NULL);
	write_graph(&json, profile);
	write_indices(&json, profile);
	write_dataframe(&json, profile, &names);
	write_metric_names(&json, profile, names.inclusive);
	ph_json_close(&json);
	(void) ph_json_done_line(&json); /* the caller asks the stream */
	free(names.inclusive);
	free(names.residual);
}

/* ---- CSV ---- */

static void
put_csv_text(FILE *out, const char *text)
{
	if (strpbrk(text, ",\"\n\r") == NULL)
	{
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text != '\0'; text++)
	{
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void
put_csv_number(FILE *out, int64_t number, int64_t none)
{
	putc(',', out);
	if (number != none)
		fprintf(out, "%lld", (long long) number);
}

static void
put_csv_name(FILE *out, const char *metric, const char *suffix)
{
	char *text = ph_format("%s%s", metric, suffix);

	putc(',', out);
	put_csv_text(out, text);
	free(text);
}

static void
put_csv_header(FILE *out, const PhProfile *profile)
{
	fputs("node,parent,depth,callpath_id,name,kind,library,file,line,column,rank,thread,host", out);
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		const char *name = ph_profile_string(profile, profile->metrics[m].name);

		put_csv_name(out, name, INCLUSIVE);
		put_csv_name(out, name, "");
		if (profile->metrics[m].residual != NULL)
			put_csv_name(out, name, RESIDUAL);
	}
	putc('\n', out);
}

static void
put_csv_node(FILE *out, const PhProfile *profile, uint32_t node)
{
	const PhRegion *region = ph_profile_region(profile, node);

	fprintf(out, "%u", node);
	put_csv_number(out, profile->parent[node], PH_NONE);
	fprintf(out, ",%u,%lld,", profile->depth[node],
			(long long) (int64_t) profile->callpath_id[node]);
	put_csv_text(out, ph_profile_string(profile, region->name));
	fprintf(out, ",%s,", kind_names[region->kind]);
	put_csv_text(out, ph_profile_string(profile, region->library));
	putc(',', out);
	put_csv_text(out, ph_profile_string(profile, region->file));
	put_csv_number(out, region->line, PH_NO_NUMBER);
}

static void
put_csv_cells(FILE *out, const PhProfile *profile, uint32_t column, size_t cell)
{
	const PhColumn *unit = &profile->columns[column];

	put_csv_number(out, column, -1);
	put_csv_number(out, unit->rank, PH_NO_NUMBER);
	put_csv_number(out, unit->thread, PH_NO_NUMBER);
	putc(',', out);
	put_csv_text(out, ph_profile_string(profile, unit->host));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		putc(',', out);
		put_number(out, ph_profile_value(profile, m, cell, PH_COST_INCLUSIVE));
		putc(',', out);
		put_number(out, ph_profile_value(profile, m, cell, PH_COST_EXCLUSIVE));
		if (profile->metrics[m].residual == NULL)
			continue;
		putc(',', out);
		put_number(out, ph_profile_value(profile, m, cell, PH_COST_RESIDUAL));
	}
	putc('\n', out);
}

void
ph_export_csv(FILE *out, const PhProfile *profile)
{
	put_csv_header(out, profile);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);

		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
			{
				put_csv_node(out, profile, node);
				put_csv_cells(out, profile, span.first + i, span.cell + i);
			}
	}
}

/* ---- Graphviz ---- */

static void
put_dot_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char) *text < ' ' ? ' ' : *text, out);
	}
}

void
ph_export_dot(FILE *out, const PhProfile *profile, uint32_t metric)
{
	const char *unit = ph_profile_string(profile, profile->metrics[metric].unit);
	double total = ph_profile_total(profile, metric);

	fputs("digraph profile {\n\trankdir=LR;\n\tnode [shape=box, style=filled];\n", out);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		double inclusive = ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE);
		double own = ph_profile_mean(profile, metric, node, PH_COST_EXCLUSIVE);
		double share = total > 0 && own > 0 ? own / total : 0;

		fprintf(out, "\tn%u [label=\"", node);
		put_dot_text(out, ph_profile_node_name(profile, node));
		fprintf(out, "\\n%.4g %s (own %.4g", inclusive, unit, own);
		if (profile->metrics[metric].residual != NULL)
			fprintf(out, ", residual %.4g",
					ph_profile_mean(profile, metric, node, PH_COST_RESIDUAL));
		fprintf(out, ")\", fillcolor=\"0.05 %.3f 1.0\"];\n", share > 1 ? 1.0 : share);
		if (profile->parent[node] != PH_NONE)
			fprintf(out, "\tn%u -> n%u;\n", profile->parent[node], node);
	}
	fputs("}\n", out);
}
