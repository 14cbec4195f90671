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
 * Builds the union's tree, and for each profile old_of: by node of the union, its own node, PH_NONE
 * where it has none.
 */
static PhStatus
build_tree(PhUnion *whole)
{
	PhArena *scratch = &whole->maker->scratch;
	Pool pool = {0};
	uint32_t *node_of, first = 0;
	PH_TRY(pool_size(whole->maker->env, whole, &pool));
	PH_TRY(fill_pool(scratch, whole, &pool));
	PH_TRY(PH_NEW(scratch, pool.n_nodes, &node_of));
	PhTreeInput input = {pool.n_nodes,	 pool.parent,  pool.region,
						 pool.n_regions, pool.regions, pool.strings.text};
	PH_TRY(ph_tree_build(whole->maker, &input, node_of));
	PH_TRY(PH_NEW(scratch, whole->n, &whole->old_of));
	for (uint32_t k = 0; k < whole->n; k++)
	{
		uint32_t n_union = whole->maker->profile->n_nodes;
		PH_TRY(PH_NEW(scratch, n_union, &whole->old_of[k]));
		memset(whole->old_of[k], 0xff, n_union * sizeof(uint32_t));
		for (uint32_t i = 0; i < whole->profiles[k]->n_nodes; i++)
			whole->old_of[k][node_of[first + i]] = i;
		first += whole->profiles[k]->n_nodes;
	}
	return PH_OK;
}

PhStatus
ph_union_begin(PhUnion *whole, PhMaker *maker, uint32_t n, const PhProfile *const *profiles,
			   PhUnionColumns columns)
{
	memset(whole, 0, sizeof(*whole));
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
	return PH_OK;
}

static const double *
stored_array(const PhMetric *metric, int array)
{
	const double *arrays[PH_ARRAY_COUNT] = {metric->exclusive, metric->inclusive, metric->absorbed,
											metric->residual};
	return arrays[array];
}

/* One stored value in a column of the union; NULL array: 0. */
static double
stored_value(const PhUnion *whole, uint32_t k, const double *values, uint32_t old, uint32_t column)
{
	uint32_t width = whole->profiles[k]->n_columns;
	if (values == NULL || width == 0)
		return 0;
	values += (size_t) old * width;
	if (!whole->means)
		return values[whole->column_of[(size_t) k * whole->n_columns + column]];
	return ph_row_sum(values, width) / width;
}

static void
stored_row(const PhUnion *whole, uint32_t k, const double *values, uint32_t old, double *row)
{
	for (uint32_t i = 0; i < whole->n_columns; i++)
		row[i] = stored_value(whole, k, values, old, i);
}

static void
ratio_row(const PhUnion *whole, uint32_t k, const PhMetric *ratio, int array, uint32_t old,
		  double *row)
{
	const PhProfile *profile = whole->profiles[k];
	const double *over = stored_array(&profile->metrics[ratio->numerator], array);
	const double *under = stored_array(&profile->metrics[ratio->denominator], array);
	for (uint32_t i = 0; i < whole->n_columns; i++)
	{
		double denominator = stored_value(whole, k, under, old, i);
		row[i] = denominator == 0 ? NAN : stored_value(whole, k, over, old, i) / denominator;
	}
}

void
ph_union_row(const PhUnion *whole, uint32_t profile, uint32_t metric, int array, uint32_t node,
			 double *row)
{
	const PhMetric *m = ph_union_metric(whole, profile, metric);
	double factor = whole->factor_of[(size_t) profile * whole->n_metrics + metric];
	uint32_t old = whole->old_of[profile][node];
	if (old == PH_NONE)
		memset(row, 0, whole->n_columns * sizeof(double));
	else if (m->kind == PH_METRIC_RATIO)
		ratio_row(whole, profile, m, array, old, row);
	else
		stored_row(whole, profile, stored_array(m, array), old, row);
	for (uint32_t i = 0; factor != 1 && i < whole->n_columns; i++)
		row[i] *= factor;
}

bool
ph_union_is_present(const PhUnion *whole, uint32_t profile, uint32_t node, uint32_t column)
{
	const PhProfile *p = whole->profiles[profile];
	uint32_t old = whole->old_of[profile][node];
	if (old == PH_NONE)
		return false;
	if (whole->means)
		return ph_profile_n_present(p, old) > 0;
	return ph_profile_is_present(p, old,
								 whole->column_of[(size_t) profile * whole->n_columns + column]);
}

bool
ph_union_is_full(const PhUnion *whole)
{
	for (uint32_t k = 0; k < whole->n; k++)
		if (whole->profiles[k]->present != NULL || whole->profiles[k]->n_columns == 0)
			return false;
	return true;
}

bool
ph_union_has_array(const PhUnion *whole, uint32_t metric, int array)
{
	for (uint32_t k = 0; k < whole->n; k++)
		if (array < PH_ARRAY_ABSORBED ||
			stored_array(ph_union_metric(whole, k, metric), array) != NULL)
			return true;
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
		if (whole->old_of[before][node] == PH_NONE)
			profile->diff_status[node] = PH_DIFF_ONLY_AFTER;
		if (whole->old_of[after][node] == PH_NONE)
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
