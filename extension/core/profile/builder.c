/*
 * builder.c - what a reader tells: metrics, columns, regions, nodes, provenance.
 *
 * Strings, regions and columns are interned as they come; nodes stay raw until finish.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/builder.h"

#include <string.h>

#include "base/text.h"
#include "profile/builder_internal.h"

PhStatus
ph_builder_new(PhEnv *env, PhProfileBuilder **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhProfileBuilder), &memory));
	PhProfileBuilder *builder = memory;
	builder->env = env;
	ph_arena_init(&builder->arena, env);
	ph_records_init(&builder->regions, &builder->arena, sizeof(PhRegion));
	ph_records_init(&builder->columns, &builder->arena, sizeof(PhColumn));
	ph_map_init(&builder->children, &builder->arena);
	PhStatus status = ph_strings_init(&builder->strings, &builder->arena);
	if (status != PH_OK)
	{
		ph_builder_free(builder);
		return status;
	}
	*out = builder;
	return PH_OK;
}

void
ph_builder_free(PhProfileBuilder *builder)
{
	if (builder == NULL)
		return;
	PhEnv *env = builder->env;
	ph_builder_free_cells(builder);
	ph_env_free(env, builder->parent, builder->parent_capacity, sizeof(uint32_t));
	ph_env_free(env, builder->region, builder->region_capacity, sizeof(uint32_t));
	ph_arena_drop(&builder->arena);
	ph_env_free(env, builder, 1, sizeof(*builder));
}

static PhStatus
intern_text(PhProfileBuilder *builder, const char *what, const char *text, PhString *out)
{
	size_t length = text == NULL ? 0 : strlen(text);
	PH_TRY(ph_check_text(builder->env, what, text, length));
	return ph_strings_intern_n(&builder->strings, length == 0 ? "" : text, length, out);
}

static PhStatus
check_metric_spec(PhProfileBuilder *builder, const PhMetricSpec *spec)
{
	const PhProfile *draft = &builder->draft;
	if (builder->cells_capacity > 0)
		return ph_fail(builder->env, PH_ERR_VALUE, "metric \"%.*s\" comes after the first value",
					   ph_text_fit(spec->name, 100), spec->name);
	if (spec->name == NULL || spec->name[0] == '\0')
		return ph_fail(builder->env, PH_ERR_VALUE, "metric %u has no name", draft->n_metrics);
	if ((uint32_t) spec->kind >= PH_METRIC_KIND_COUNT ||
		(uint32_t) spec->combine >= PH_COMBINE_COUNT)
		return ph_fail(builder->env, PH_ERR_VALUE, "metric \"%.*s\" is of an unknown kind",
					   ph_text_fit(spec->name, 100), spec->name);
	if (spec->kind == PH_METRIC_RATIO &&
		(spec->numerator >= draft->n_metrics || spec->denominator >= draft->n_metrics ||
		 draft->metrics[spec->numerator].kind == PH_METRIC_RATIO ||
		 draft->metrics[spec->denominator].kind == PH_METRIC_RATIO))
		return ph_fail(builder->env, PH_ERR_VALUE,
					   "ratio \"%.*s\" is not one of two metrics that were added before",
					   ph_text_fit(spec->name, 100), spec->name);
	return PH_OK;
}

PhStatus
ph_builder_add_metric(PhProfileBuilder *builder, const PhMetricSpec *spec, uint32_t *out)
{
	PhProfile *draft = &builder->draft;
	PhMetric metric = {0};
	PH_TRY(check_metric_spec(builder, spec));
	PH_TRY(intern_text(builder, "metric name", spec->name, &metric.name));
	PH_TRY(intern_text(builder, "unit", spec->unit, &metric.unit));
	for (uint32_t i = 0; i < draft->n_metrics; i++)
		if (draft->metrics[i].name == metric.name)
			return ph_fail(builder->env, PH_ERR_CONFLICT, "metric \"%.*s\" occurs twice",
						   ph_text_fit(spec->name, 100), spec->name);
	PH_TRY(PH_GROW(&builder->arena, &draft->metrics, draft->n_metrics, &builder->metric_capacity));
	PH_TRY(PH_GROW(&builder->arena, &builder->given, draft->n_metrics, &builder->given_capacity));
	metric.kind = (uint8_t) spec->kind;
	metric.combine = (uint8_t) spec->combine;
	metric.is_signed = spec->may_be_negative;
	metric.numerator = spec->kind == PH_METRIC_RATIO ? spec->numerator : 0;
	metric.denominator = spec->kind == PH_METRIC_RATIO ? spec->denominator : 0;
	builder->given[draft->n_metrics] = spec->given;
	draft->metrics[draft->n_metrics] = metric;
	*out = draft->n_metrics++;
	return PH_OK;
}

PhStatus
ph_builder_add_column(PhProfileBuilder *builder, const PhColumnSpec *spec, uint32_t *out)
{
	PhColumn column;
	memset(&column, 0, sizeof(column)); /* padding too: columns are compared as bytes */
	if ((uint32_t) spec->kind >= PH_COLUMN_KIND_COUNT)
		return ph_fail(builder->env, PH_ERR_VALUE, "column of unknown kind %d", (int) spec->kind);
	column.run_id = spec->run_id;
	column.iteration = spec->iteration;
	column.rank = spec->rank < 0 ? PH_NO_NUMBER : spec->rank;
	column.thread = spec->thread < 0 ? PH_NO_NUMBER : spec->thread;
	column.kind = (uint8_t) spec->kind;
	PH_TRY(intern_text(builder, "host", spec->host, &column.host));
	PH_TRY(intern_text(builder, "column name", spec->name, &column.name));
	return ph_records_intern(&builder->columns, &column, out);
}

PhStatus
ph_builder_add_region(PhProfileBuilder *builder, const PhRegionSpec *spec, uint32_t *out)
{
	PhRegion region;
	memset(&region, 0, sizeof(region));
	if (spec->name == NULL || spec->name[0] == '\0')
		return ph_fail(builder->env, PH_ERR_VALUE, "region without a name");
	if ((uint32_t) spec->kind >= PH_KIND_COUNT)
		return ph_fail(builder->env, PH_ERR_VALUE, "region \"%.*s\" is of unknown kind %d",
					   ph_text_fit(spec->name, 100), spec->name, (int) spec->kind);
	region.kind = (uint8_t) spec->kind;
	region.line = spec->line < 0 ? PH_NO_NUMBER : spec->line;
	PH_TRY(intern_text(builder, "region name", spec->name, &region.name));
	PH_TRY(intern_text(builder, "library", spec->library, &region.library));
	PH_TRY(intern_text(builder, "file", spec->file, &region.file));
	PH_TRY(intern_text(builder, "module", spec->module, &region.module));
	PH_TRY(intern_text(builder, "paradigm", spec->paradigm, &region.paradigm));
	return ph_records_intern(&builder->regions, &region, out);
}

static PhStatus
check_link(PhProfileBuilder *builder, uint32_t parent, uint32_t region)
{
	if (parent != PH_NONE && parent >= builder->n_nodes)
		return ph_fail(builder->env, PH_ERR_VALUE, "parent %u does not exist among %u nodes",
					   parent, builder->n_nodes);
	if (region >= builder->regions.count)
		return ph_fail(builder->env, PH_ERR_VALUE, "region %u does not exist among %u", region,
					   builder->regions.count);
	return PH_OK;
}

static PhStatus
append_node(PhProfileBuilder *builder, uint32_t parent, uint32_t region)
{
	uint32_t n = builder->n_nodes;
	if (n >= PH_NONE / 4)
		return ph_fail(builder->env, PH_ERR_LIMIT, "more than %u nodes", n);
	PH_TRY(PH_GROW(builder->env, &builder->parent, n, &builder->parent_capacity));
	PH_TRY(PH_GROW(builder->env, &builder->region, n, &builder->region_capacity));
	builder->parent[builder->n_nodes] = parent;
	builder->region[builder->n_nodes++] = region;
	return PH_OK;
}

PhStatus
ph_builder_add_node(PhProfileBuilder *builder, uint32_t parent, uint32_t region, uint32_t *out)
{
	uint32_t *known;
	PH_TRY(check_link(builder, parent, region));
	PH_TRY(ph_map_enter(&builder->children, ph_map_key(parent, region), builder->n_nodes, &known));
	PH_TRY(append_node(builder, parent, region));
	*out = builder->n_nodes - 1;
	return PH_OK;
}

PhStatus
ph_builder_child(PhProfileBuilder *builder, uint32_t parent, uint32_t region, uint32_t *out)
{
	uint32_t *known, node = builder->n_nodes;
	PH_TRY(check_link(builder, parent, region));
	PH_TRY(ph_map_enter(&builder->children, ph_map_key(parent, region), node, &known));
	/* an entry may be of a node that could not be added, or that set_parent took away */
	if (*known < node && builder->parent[*known] == parent)
	{
		*out = *known;
		return PH_OK;
	}
	PH_TRY(append_node(builder, parent, region));
	*known = node;
	*out = node;
	return PH_OK;
}

PhStatus
ph_builder_set_parent(PhProfileBuilder *builder, uint32_t node, uint32_t parent)
{
	if (node >= builder->n_nodes)
		return ph_fail(builder->env, PH_ERR_VALUE, "node %u does not exist among %u nodes", node,
					   builder->n_nodes);
	PH_TRY(check_link(builder, parent, builder->region[node]));
	builder->parent[node] = parent;
	return PH_OK;
}

PhStatus
ph_builder_add_source(PhProfileBuilder *builder, int64_t run_id, const char *label)
{
	PhProvenance *p = &builder->draft.provenance;
	PhSource source = {.run_id = run_id};
	PH_TRY(intern_text(builder, "source label", label, &source.label));
	PH_TRY(PH_GROW(&builder->arena, &p->sources, p->n_sources, &builder->source_capacity));
	p->sources[p->n_sources++] = source;
	return PH_OK;
}

PhStatus
ph_builder_add_note(PhProfileBuilder *builder, const char *note)
{
	PhProvenance *p = &builder->draft.provenance;
	PhString text;
	PH_TRY(intern_text(builder, "note", note, &text));
	PH_TRY(PH_GROW(&builder->arena, &p->notes, p->n_notes, &builder->note_capacity));
	p->notes[p->n_notes++] = text;
	return PH_OK;
}

void
ph_builder_set_missing_columns(PhProfileBuilder *builder, uint32_t count)
{
	builder->draft.provenance.missing_columns = count;
}
