/*
 * export_profile.c - a profile in formats that other tools read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static double
sum_over_columns(const PhProfile *profile, uint32_t metric, uint32_t node, PhCost cost)
{
	return ph_profile_mean(profile, metric, node, cost) * profile->n_columns;
}

/* ---- folded ---- */

/* Microseconds per unit of a time; 1 for other units. */
static double
microseconds(const char *unit)
{
	static const struct
	{
		const char *unit;
		double factor;
	} units[] = {{"s", 1e6},	{"sec", 1e6}, {"seconds", 1e6}, {"ms", 1e3},
				 {"msec", 1e3}, {"ns", 1e-3}, {"nsec", 1e-3}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (strcasecmp(unit, units[i].unit) == 0)
			return units[i].factor;
	}
	return 1;
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

void
ph_export_folded(FILE *out, const PhProfile *profile, uint32_t metric)
{
	double factor = microseconds(ph_profile_string(profile, profile->metrics[metric].unit));
	uint32_t *stack = calloc((size_t) profile->n_nodes + 1, sizeof(*stack));

	for (uint32_t node = 0; node < profile->n_nodes && stack != NULL; node++)
	{
		double value = sum_over_columns(profile, metric, node, PH_COST_OWN) * factor;

		if (!(value > 0))
			continue;
		put_stack(out, profile, node, stack);
		fprintf(out, " %.*f\n", value < 10 ? 3 : 0, value);
	}
	free(stack);
}

/* ---- JSON ---- */

static void
put_json_text(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++)
	{
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char) *text < ' ')
			fprintf(out, "\\u%04x", (unsigned) (unsigned char) *text);
		else
			putc(*text, out);
	}
	putc('"', out);
}

static void
put_member(FILE *out, const char *key, const char *text)
{
	if (text[0] == '\0')
		return;
	putc(',', out);
	put_json_text(out, key);
	putc(':', out);
	put_json_text(out, text);
}

static void
put_graph_node(FILE *out, const PhProfile *profile, uint32_t node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	const char *separator = "";

	fprintf(out, "\"%u\":{\"data\":{\"name\":", node);
	put_json_text(out, ph_profile_string(profile, region->name));
	put_member(out, "type", kind_names[region->kind]);
	put_member(out, "module", ph_profile_string(profile, region->library));
	put_member(out, "file", ph_profile_string(profile, region->file));
	if (region->line != PH_NO_NUMBER)
		fprintf(out, ",\"line\":%d", region->line);
	fputs("},\"children\":[", out);
	for (uint32_t child = node + 1; child < profile->subtree_end[node];
		 child = profile->subtree_end[child])
	{
		fprintf(out, "%s%u", separator, child);
		separator = ",";
	}
	fputs("]}", out);
}

static void
put_graph(FILE *out, const PhProfile *profile)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		bool is_root = profile->parent[node] == PH_NONE;

		if (is_root)
			fputs(node == 0 ? "{" : ",\n{", out);
		else
			fputs(",\n", out);
		put_graph_node(out, profile, node);
		if (node + 1 == profile->n_nodes || profile->parent[node + 1] == PH_NONE)
			putc('}', out);
	}
}

static bool
has_values(const PhProfile *profile, uint32_t metric)
{
	return profile->metrics[metric].kind != PH_METRIC_RATIO;
}

static void
put_json_values(FILE *out, const PhProfile *profile, uint32_t node, uint32_t column)
{
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		const char *name = ph_profile_string(profile, profile->metrics[m].name);
		size_t length = strlen(name) + sizeof(" (inc)");
		char *inclusive = has_values(profile, m) ? malloc(length) : NULL;

		if (inclusive == NULL)
			continue;
		snprintf(inclusive, length, "%s (inc)", name);
		putc(',', out);
		put_json_text(out, inclusive);
		putc(':', out);
		put_number(out, ph_profile_cell(profile, m, node, column, PH_COST_INCLUSIVE));
		putc(',', out);
		put_json_text(out, name);
		putc(':', out);
		put_number(out, ph_profile_cell(profile, m, node, column, PH_COST_EXCLUSIVE));
		free(inclusive);
	}
}

static void
put_row(FILE *out, const PhProfile *profile, uint32_t node, uint32_t column)
{
	const PhColumn *unit = &profile->columns[column];

	fprintf(out, "{\"node\":%u", node);
	if (unit->rank != PH_NO_NUMBER)
		fprintf(out, ",\"rank\":%d", unit->rank);
	if (unit->thread != PH_NO_NUMBER)
		fprintf(out, ",\"thread\":%d", unit->thread);
	fputs(",\"name\":", out);
	put_json_text(out, ph_profile_node_name(profile, node));
	put_json_values(out, profile, node, column);
	putc('}', out);
}

static void
put_metric_names(FILE *out, const PhProfile *profile, const char *suffix)
{
	const char *separator = "";

	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		const char *name = ph_profile_string(profile, profile->metrics[m].name);
		size_t length = strlen(name) + strlen(suffix) + 1;
		char *text = has_values(profile, m) ? malloc(length) : NULL;

		if (text == NULL)
			continue;
		snprintf(text, length, "%s%s", name, suffix);
		fputs(separator, out);
		put_json_text(out, text);
		separator = ",";
		free(text);
	}
}

void
ph_export_json(FILE *out, const PhProfile *profile)
{
	const char *separator = "";
	bool has_rank = profile->n_columns > 0 && profile->columns[0].rank != PH_NO_NUMBER;
	bool has_thread = profile->n_columns > 0 && profile->columns[0].thread != PH_NO_NUMBER;

	fputs("{\"graph\":[\n", out);
	put_graph(out, profile);
	fprintf(out, "],\n\"dataframe_indices\":[\"node\"%s%s],\n\"dataframe\":[\n",
			has_rank ? ",\"rank\"" : "", has_thread ? ",\"thread\"" : "");
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		for (uint32_t column = 0; column < profile->n_columns; column++)
		{
			if (!ph_profile_is_present(profile, node, column))
				continue;
			fputs(separator, out);
			put_row(out, profile, node, column);
			separator = ",\n";
		}
	}
	fputs("],\n\"inclusive_metrics\":[", out);
	put_metric_names(out, profile, " (inc)");
	fputs("],\n\"exclusive_metrics\":[", out);
	put_metric_names(out, profile, "");
	fputs("]}\n", out);
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
put_csv_header(FILE *out, const PhProfile *profile)
{
	fputs("node,parent,depth,callpath_id,name,kind,library,file,line,column,rank,thread,host", out);
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		const char *name = ph_profile_string(profile, profile->metrics[m].name);

		for (int inclusive = 1; inclusive >= 0; inclusive--)
		{
			char text[256];

			snprintf(text, sizeof(text), "%s%s", name, inclusive ? " (inc)" : "");
			putc(',', out);
			put_csv_text(out, text);
		}
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
put_csv_cells(FILE *out, const PhProfile *profile, uint32_t node, uint32_t column)
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
		put_number(out, ph_profile_cell(profile, m, node, column, PH_COST_INCLUSIVE));
		putc(',', out);
		put_number(out, ph_profile_cell(profile, m, node, column, PH_COST_EXCLUSIVE));
	}
	putc('\n', out);
}

void
ph_export_csv(FILE *out, const PhProfile *profile)
{
	put_csv_header(out, profile);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		for (uint32_t column = 0; column < profile->n_columns; column++)
		{
			if (!ph_profile_is_present(profile, node, column))
				continue;
			put_csv_node(out, profile, node);
			put_csv_cells(out, profile, node, column);
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
		double own = ph_profile_mean(profile, metric, node, PH_COST_OWN);
		double share = total > 0 && own > 0 ? own / total : 0;

		fprintf(out, "\tn%u [label=\"", node);
		put_dot_text(out, ph_profile_node_name(profile, node));
		fprintf(out, "\\n%.4g %s (own %.4g)\", fillcolor=\"0.05 %.3f 1.0\"];\n", inclusive, unit,
				own, share > 1 ? 1.0 : share);
		if (profile->parent[node] != PH_NONE)
			fprintf(out, "\tn%u -> n%u;\n", profile->parent[node], node);
	}
	fputs("}\n", out);
}
