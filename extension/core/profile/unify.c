/*
 * unify.c - union of trees, rows of values on it, provenance of the whole.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/unify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tree.h"
#include "profile/unify_match.h"

/* All regions of all profiles over one string table, and all nodes below each other. */
typedef struct Pool
{
	PhStrings strings;
	PhRegion *regions;
	uint32_t *parent, *region;
	uint32_t n_regions, n_nodes;
} Pool;

static PhStatus
pool_size(PhEnv *env, const PhUnion *whole, Pool *pool)
{
	uint64_t nodes = 0, regions = 0;
	for (uint32_t k = 0; k < whole->n; k++)
	{
		nodes += whole->profiles[k]->n_nodes;
		regions += whole->profiles[k]->n_regions;
	}
	if (nodes >= PH_NONE || regions >= PH_NONE)
		return ph_fail(env, PH_ERR_LIMIT, "%u profiles have too many nodes together", whole->n);
	pool->n_nodes = (uint32_t) nodes;
	pool->n_regions = (uint32_t) regions;
	return PH_OK;
}

static PhStatus
pool_region(Pool *pool, const PhProfile *profile, const PhRegion *from, PhRegion *to)
{
	*to = *from;
	PH_TRY(ph_strings_intern(&pool->strings, profile->strings[from->name], &to->name));
	PH_TRY(ph_strings_intern(&pool->strings, profile->strings[from->library], &to->library));
	PH_TRY(ph_strings_intern(&pool->strings, profile->strings[from->file], &to->file));
	PH_TRY(ph_strings_intern(&pool->strings, profile->strings[from->module], &to->module));
	return ph_strings_intern(&pool->strings, profile->strings[from->paradigm], &to->paradigm);
}

/*
 * Puts the regions and nodes of all profiles one behind the other, each profile's below roots of
 * their own, over one string table: merging equal siblings of that forest gives the union.
 */
static PhStatus
fill_pool(PhArena *scratch, const PhUnion *whole, Pool *pool)
{
	uint32_t node = 0, region = 0;
	PH_TRY(ph_strings_init(&pool->strings, scratch));
	PH_TRY(PH_NEW(scratch, pool->n_regions, &pool->regions));
	PH_TRY(PH_NEW(scratch, pool->n_nodes, &pool->parent));
	PH_TRY(PH_NEW(scratch, pool->n_nodes, &pool->region));
	for (uint32_t k = 0; k < whole->n; k++)
	{
		const PhProfile *profile = whole->profiles[k];
		for (uint32_t i = 0; i < profile->n_regions; i++)
			PH_TRY(pool_region(pool, profile, &profile->regions[i], &pool->regions[region + i]));
		for (uint32_t i = 0; i < profile->n_nodes; i++)
		{
			uint32_t parent = profile->parent[i];
			pool->parent[node + i] = parent == PH_NONE ? PH_NONE : node + parent;
			pool->region[node + i] = region + profile->region[i];
		}
		node += profile->n_nodes;
		region += profile->n_regions;
	}
	return PH_OK;
}

/*
 * The nodes of the profiles by node of the union. The pool has each profile's nodes behind those of
 * the profile before, so they come in the order of profiles.
 */
static PhStatus
list_members(PhUnion *whole, uint32_t n_pool, const uint32_t *node_of)
{
	PhArena *scratch = &whole->maker->scratch;
	uint32_t *items, *profile_of, *first, n = 0;
	PH_TRY(ph_tree_members(scratch, n_pool, node_of, whole->maker->profile->n_nodes,
						   &whole->member_start, &items));
	PH_TRY(PH_NEW(scratch, n_pool, &profile_of));
	PH_TRY(PH_NEW(scratch, whole->n, &first));
	PH_TRY(PH_NEW(scratch, n_pool, &whole->members));
	for (uint32_t k = 0; k < whole->n; k++)
	{
		first[k] = n;
		for (uint32_t i = 0; i < whole->profiles[k]->n_nodes; i++)
			profile_of[n++] = k;
	}
	for (uint32_t i = 0; i < n_pool; i++)
	{
		uint32_t k = profile_of[items[i]];
		whole->members[i] = (PhUnionMember){k, items[i] - first[k]};
	}
	return PH_OK;
}

static PhStatus
build_tree(PhUnion *whole)
{
	PhArena *scratch = &whole->maker->scratch;
	Pool pool = {0};
	uint32_t *node_of;
	PH_TRY(pool_size(whole->maker->env, whole, &pool));
	PH_TRY(fill_pool(scratch, whole, &pool));
	PH_TRY(PH_NEW(scratch, pool.n_nodes, &node_of));
	PhTreeInput input = {pool.n_nodes,	 pool.parent,  pool.region,
						 pool.n_regions, pool.regions, pool.strings.text};
	PH_TRY(ph_tree_build(whole->maker, &input, node_of));
	return list_members(whole, pool.n_nodes, node_of);
}

PhStatus
ph_union_begin(PhUnion *whole, PhMaker *maker, uint32_t n, const PhProfile *const *profiles,
			   PhUnionColumns columns)
{
	return ph_union_begin_folded(whole, maker, n, profiles, NULL, columns);
}

PhStatus
ph_union_begin_folded(PhUnion *whole, PhMaker *maker, uint32_t n, const PhProfile *const *profiles,
					  const uint32_t *const *least_index, PhUnionColumns columns)
{
	memset(whole, 0, sizeof(*whole));
	whole->least_index = least_index;
	whole->maker = maker;
	whole->n = n;
	whole->profiles = profiles;
	if (n == 0)
		return ph_fail(maker->env, PH_ERR_VALUE, "there is no profile to combine");
	PH_TRY(ph_match_metrics(whole));
	PH_TRY(build_tree(whole));
	if (columns == PH_UNION_MATCH)
		PH_TRY(ph_match_columns(whole));
	else
		whole->means = true;
	if (whole->means)
		whole->n_columns = 1;
	PH_TRY(PH_NEW(&maker->scratch, whole->n_columns, &whole->quotient));
	return PH_NEW(&maker->scratch, whole->n_columns, &whole->vector);
}

uint32_t
ph_union_node(const PhUnion *whole, uint32_t profile, uint32_t node)
{
	for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
		if (whole->members[i].profile == profile)
			return whole->members[i].node;
	return PH_NONE;
}

static const double *
stored_array(const PhMetric *metric, int array)
{
	const double *arrays[PH_ARRAY_COUNT] = {metric->exclusive, metric->inclusive, metric->absorbed,
											metric->residual};
	return arrays[array];
}

/* vector[column of the union] = value, or back to 0. */
static void
place_values(const PhUnion *whole, uint32_t k, const PhRow *own, const double *values)
{
	const uint32_t *place = whole->place_of + (size_t) k * whole->n_columns;
	for (uint32_t i = 0; i < own->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(own, i);
		for (uint32_t c = 0; c < span.n; c++)
			whole->vector[place[span.first + c]] = values == NULL ? 0 : values[span.cell + c];
	}
}

/* Values of a profile's node in the columns of a row of the union; NULL array: 0. */
static void
array_values(const PhUnion *whole, uint32_t k, const double *array, uint32_t node, const PhRow *row,
			 double *values)
{
	const PhProfile *profile = whole->profiles[k];
	PhRow own = ph_profile_row(profile, node);
	if (array == NULL || own.n == 0)
		memset(values, 0, row->n * sizeof(*values));
	else if (whole->means)
		values[0] = ph_row_total(&own, array) / profile->n_columns;
	else if (whole->place_of != NULL)
	{
		place_values(whole, k, &own, array);
		ph_row_gather(row, whole->vector, values);
		place_values(whole, k, &own, NULL);
	}
	else if (ph_same_columns(row, &own))
		memcpy(values, array + own.cell, own.n * sizeof(*values));
	else
	{
		ph_row_scatter(&own, array, whole->vector);
		ph_row_gather(row, whole->vector, values);
		ph_row_clear(&own, whole->vector);
	}
}

/* The same of one of a metric's arrays; of means it need not have them. */
static void
stored_values(const PhUnion *whole, uint32_t k, const PhMetric *metric, int kind, uint32_t node,
			  const PhRow *row, double *values)
{
	static const PhCost costs[PH_ARRAY_COUNT] = {PH_COST_EXCLUSIVE, PH_COST_INCLUSIVE,
												 PH_COST_ABSORBED, PH_COST_RESIDUAL};
	const PhProfile *profile = whole->profiles[k];
	PhRow own = ph_profile_row(profile, node);
	if (own.n > 0 && whole->means)
		values[0] = ph_metric_mean(profile, metric, &own, node, costs[kind]);
	else
		array_values(whole, k, stored_array(metric, kind), node, row, values);
}

static void
ratio_values(const PhUnion *whole, uint32_t k, const PhMetric *ratio, int array, uint32_t node,
			 const PhRow *row, double *values)
{
	const PhProfile *profile = whole->profiles[k];
	const PhMetric *over = &profile->metrics[ratio->numerator];
	const PhMetric *under = &profile->metrics[ratio->denominator];
	stored_values(whole, k, over, array, node, row, values);
	stored_values(whole, k, under, array, node, row, whole->quotient);
	for (uint32_t i = 0; i < row->n; i++)
		values[i] = whole->quotient[i] == 0 ? (double) NAN : values[i] / whole->quotient[i];
}

void
ph_union_values(const PhUnion *whole, uint32_t profile, uint32_t node, uint32_t metric, int array,
				const PhRow *row, double *values)
{
	const PhMetric *m = ph_union_metric(whole, profile, metric);
	double factor = whole->factor_of[(size_t) profile * whole->n_metrics + metric];
	if (row->n == 0)
		return;
	if (node == PH_NONE)
		memset(values, 0, row->n * sizeof(*values));
	else if (m->kind == PH_METRIC_RATIO)
		ratio_values(whole, profile, m, array, node, row, values);
	else
		stored_values(whole, profile, m, array, node, row, values);
	for (uint32_t i = 0; factor != 1 && i < row->n; i++)
		values[i] *= factor;
}

void
ph_union_array_values(const PhUnion *whole, uint32_t profile, uint32_t node, uint32_t metric,
					  const double *array, const PhRow *row, double *values)
{
	double factor = whole->factor_of[(size_t) profile * whole->n_metrics + metric];
	ph_union_counts(whole, profile, node, array, row, values);
	for (uint32_t i = 0; factor != 1 && i < row->n; i++)
		values[i] *= factor;
}

void
ph_union_counts(const PhUnion *whole, uint32_t profile, uint32_t node, const double *counts,
				const PhRow *row, double *values)
{
	if (row->n > 0)
		array_values(whole, profile, counts, node, row, values);
}

void
ph_union_present(const PhUnion *whole, uint32_t profile, uint32_t node, const PhRow *row,
				 bool *present)
{
	const PhProfile *p = whole->profiles[profile];
	size_t first = (size_t) profile * whole->n_columns;
	uint32_t n = 0;
	for (uint32_t i = 0; i < row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(row, i);
		for (uint32_t c = span.first; c < span.first + span.n; c++)
			present[n++] =
				whole->means
					? ph_profile_n_present(p, node) > 0
					: ph_profile_is_present(
						  p, node, whole->place_of != NULL ? whole->column_of[first + c] : c);
	}
}

PhStatus
ph_union_add_presence(const PhUnion *whole, uint32_t profile, uint32_t node, PhPresence *presence,
					  uint32_t union_node)
{
	PhRow row = ph_profile_row(whole->profiles[profile], node);
	if (whole->means)
		return ph_presence_add(presence, union_node, 0, row.n > 0);
	if (whole->place_of == NULL)
		return ph_presence_add_row(presence, union_node, &row);
	const uint32_t *place = whole->place_of + (size_t) profile * whole->n_columns;
	for (uint32_t i = 0; i < row.n_runs; i++)
	{
		PhRowSpan span = ph_row_span(&row, i);
		for (uint32_t c = 0; c < span.n; c++)
			PH_TRY(ph_presence_add(presence, union_node, place[span.first + c], 1));
	}
	return PH_OK;
}

/* Whether no profile lacks a cell: then none of the union is absent from all of them. */
static bool
is_full(const PhUnion *whole)
{
	for (uint32_t k = 0; k < whole->n; k++)
		if (whole->profiles[k]->first_cell != NULL || whole->profiles[k]->n_columns == 0)
			return false;
	return true;
}

PhStatus
ph_union_set_cells(PhUnion *whole)
{
	PhMaker *maker = whole->maker;
	PhPresence presence;
	if (is_full(whole))
		return PH_OK;
	ph_presence_init(&presence, &maker->scratch);
	for (uint32_t node = 0; node < maker->profile->n_nodes; node++)
		for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
		{
			const PhUnionMember *member = &whole->members[i];
			PH_TRY(ph_env_poll(maker->env));
			PH_TRY(ph_union_add_presence(whole, member->profile, member->node, &presence, node));
		}
	return ph_profile_set_cells(maker->profile, &presence);
}

bool
ph_union_has_array(const PhUnion *whole, uint32_t metric, int array)
{
	for (uint32_t k = 0; k < whole->n; k++)
	{
		const PhMetric *m = ph_union_metric(whole, k, metric);
		if (array < PH_ARRAY_ABSORBED || stored_array(m, array) != NULL ||
			(array == PH_ARRAY_RESIDUAL && m->mean_residual != NULL))
			return true;
	}
	return false;
}

static PhStatus
take_unit(PhMaker *maker, const char *unit, PhUnionUnits units, PhString *out)
{
	char product[128];
	if (units == PH_UNITS_SAME || unit[0] == '\0')
		return ph_strings_intern(&maker->strings, unit, out);
	int length = ph_text_fit(unit, 60);
	snprintf(product, sizeof(product), "%.*s*%.*s", length, unit, length, unit);
	return ph_strings_intern(&maker->strings, units == PH_UNITS_PRODUCT ? product : "", out);
}

PhStatus
ph_union_metrics(PhUnion *whole, PhUnionUnits units)
{
	PhMaker *maker = whole->maker;
	PhProfile *profile = maker->profile;
	PH_TRY(PH_NEW(&profile->arena, whole->n_metrics, &profile->metrics));
	profile->n_metrics = whole->n_metrics;
	for (uint32_t i = 0; i < whole->n_metrics; i++)
	{
		const PhMetric *old = ph_union_metric(whole, 0, i);
		PhMetric *metric = &profile->metrics[i];
		metric->kind = old->kind;
		metric->combine = old->combine;
		for (uint32_t k = 0; k < whole->n; k++)
			metric->is_signed |= ph_union_metric(whole, k, i)->is_signed;
		for (uint32_t other = 0; old->kind == PH_METRIC_RATIO && other < whole->n_metrics; other++)
		{
			if (whole->metric_of[other] == old->numerator)
				metric->numerator = other;
			if (whole->metric_of[other] == old->denominator)
				metric->denominator = other;
		}
		const char *const *strings = whole->profiles[0]->strings;
		PH_TRY(ph_strings_intern(&maker->strings, strings[old->name], &metric->name));
		PH_TRY(take_unit(maker, whole->unit_of[i], units, &metric->unit));
	}
	return PH_OK;
}

PhStatus
ph_union_marks(PhUnion *whole, uint32_t before, uint32_t after)
{
	PhProfile *profile = whole->maker->profile;
	PH_TRY(PH_NEW(&profile->arena, profile->n_nodes, &profile->diff_status));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		if (ph_union_node(whole, before, node) == PH_NONE)
			profile->diff_status[node] = PH_DIFF_ONLY_AFTER;
		if (ph_union_node(whole, after, node) == PH_NONE)
			profile->diff_status[node] = PH_DIFF_ONLY_BEFORE;
	}
	return PH_OK;
}

/* Strings and numbers of all provenances, over one table. */
typedef struct Origins
{
	PhStrings strings;
	PhRecords sources; /* PhSource */
	PhRecords notes;   /* PhString */
} Origins;

static int
compare_sources(const void *context, uint32_t x, uint32_t y)
{
	const Origins *origins = context;
	const PhSource *sources = (const PhSource *) (void *) origins->sources.bytes;
	if (sources[x].run_id != sources[y].run_id)
		return sources[x].run_id < sources[y].run_id ? -1 : 1;
	return strcmp(origins->strings.text[sources[x].label], origins->strings.text[sources[y].label]);
}

static int
compare_notes(const void *context, uint32_t x, uint32_t y)
{
	const Origins *origins = context;
	const PhString *notes = (const PhString *) (void *) origins->notes.bytes;
	return strcmp(origins->strings.text[notes[x]], origins->strings.text[notes[y]]);
}

static PhStatus
collect_origins(const PhUnion *whole, Origins *origins)
{
	for (uint32_t k = 0; k < whole->n; k++)
	{
		const PhProfile *profile = whole->profiles[k];
		const PhProvenance *p = &profile->provenance;
		uint32_t index;
		for (uint32_t i = 0; i < p->n_sources; i++)
		{
			PhSource source;
			memset(&source, 0, sizeof(source));
			source.run_id = p->sources[i].run_id;
			PH_TRY(ph_strings_intern(&origins->strings, profile->strings[p->sources[i].label],
									 &source.label));
			PH_TRY(ph_records_intern(&origins->sources, &source, &index));
		}
		for (uint32_t i = 0; i < p->n_notes; i++)
		{
			PhString note;
			PH_TRY(ph_strings_intern(&origins->strings, profile->strings[p->notes[i]], &note));
			PH_TRY(ph_records_intern(&origins->notes, &note, &index));
		}
	}
	return PH_OK;
}

static PhStatus
write_origins(PhUnion *whole, const Origins *origins, bool sorted, const char *note)
{
	PhMaker *maker = whole->maker;
	PhProvenance *p = &maker->profile->provenance;
	const PhSource *sources = (const PhSource *) (void *) origins->sources.bytes;
	const PhString *notes = (const PhString *) (void *) origins->notes.bytes;
	uint32_t *order;
	p->n_sources = origins->sources.count;
	p->n_notes = origins->notes.count + (note != NULL);
	PH_TRY(PH_NEW(&maker->profile->arena, p->n_sources, &p->sources));
	PH_TRY(PH_NEW(&maker->profile->arena, p->n_notes, &p->notes));
	PH_TRY(ph_sort_indices(&maker->scratch, p->n_sources, compare_sources, origins, &order));
	for (uint32_t i = 0; i < p->n_sources; i++)
	{
		const PhSource *source = &sources[sorted ? order[i] : i];
		p->sources[i].run_id = source->run_id;
		PH_TRY(ph_strings_intern(&maker->strings, origins->strings.text[source->label],
								 &p->sources[i].label));
	}
	PH_TRY(ph_sort_indices(&maker->scratch, origins->notes.count, compare_notes, origins, &order));
	for (uint32_t i = 0; i < origins->notes.count; i++)
		PH_TRY(ph_strings_intern(
			&maker->strings, origins->strings.text[notes[sorted ? order[i] : i]], &p->notes[i]));
	return note == NULL ? PH_OK
						: ph_strings_intern(&maker->strings, note, &p->notes[origins->notes.count]);
}

PhStatus
ph_union_provenance(PhUnion *whole, bool sorted, const char *note)
{
	PhProvenance *p = &whole->maker->profile->provenance;
	Origins origins;
	ph_records_init(&origins.sources, &whole->maker->scratch, sizeof(PhSource));
	ph_records_init(&origins.notes, &whole->maker->scratch, sizeof(PhString));
	PH_TRY(ph_strings_init(&origins.strings, &whole->maker->scratch));
	PH_TRY(collect_origins(whole, &origins));
	for (uint32_t k = 0; k < whole->n; k++)
	{
		const PhProvenance *old = &whole->profiles[k]->provenance;
		p->residual_cells += old->residual_cells;
		p->missing_columns += old->missing_columns;
		p->share_filtered = fmax(p->share_filtered, old->share_filtered);
	}
	return write_origins(whole, &origins, sorted, note);
}
