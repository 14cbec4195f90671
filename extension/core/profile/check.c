/*
 * check.c - the structural rules of profile.h, checked one by one.
 *
 * Numbering by first use is what makes equal profiles equal bytes, so it is checked too: each new
 * region or string must have the next number.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "profile/cells.h"
#include "profile/internal.h"

static PhStatus
broken(PhEnv *env, const char *rule, uint32_t where)
{
	return ph_fail(env, PH_ERR_FORMAT, "broken profile: %s (at %u)", rule, where);
}

/* One more use of a number that counts up by first use. */
static bool
use_number(uint32_t number, uint32_t *next)
{
	if (number > *next)
		return false;
	*next += number == *next;
	return true;
}

static PhStatus
check_provenance_strings(PhEnv *env, const PhProfile *profile, uint32_t *next)
{
	const PhProvenance *p = &profile->provenance;
	for (uint32_t i = 0; i < p->n_sources; i++)
		if (!use_number(p->sources[i].label, next))
			return broken(env, "string of a source is not numbered by first use", i);
	for (uint32_t i = 0; i < p->n_notes; i++)
		if (!use_number(p->notes[i], next))
			return broken(env, "string of a note is not numbered by first use", i);
	return PH_OK;
}

static PhStatus
check_string_numbers(PhEnv *env, const PhProfile *profile)
{
	uint32_t next = 1;
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *r = &profile->regions[i];
		if (!use_number(r->name, &next) || !use_number(r->library, &next) ||
			!use_number(r->file, &next) || !use_number(r->module, &next) ||
			!use_number(r->paradigm, &next))
			return broken(env, "string of a region is not numbered by first use", i);
	}
	for (uint32_t i = 0; i < profile->n_columns; i++)
		if (!use_number(profile->columns[i].host, &next) ||
			!use_number(profile->columns[i].name, &next))
			return broken(env, "string of a column is not numbered by first use", i);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		if (!use_number(profile->metrics[i].name, &next) ||
			!use_number(profile->metrics[i].unit, &next))
			return broken(env, "string of a metric is not numbered by first use", i);
	PH_TRY(check_provenance_strings(env, profile, &next));
	return next == profile->n_strings ? PH_OK : broken(env, "string is not used", next);
}

static PhStatus
check_strings(PhEnv *env, PhArena *scratch, const PhProfile *profile)
{
	PhStrings seen;
	if (profile->n_strings == 0 || profile->strings[0][0] != '\0')
		return broken(env, "the first string is not empty", 0);
	PH_TRY(ph_strings_init(&seen, scratch));
	for (uint32_t i = 1; i < profile->n_strings; i++)
	{
		uint32_t index;
		PH_TRY(ph_env_poll(env));
		PH_TRY(ph_strings_intern(&seen, profile->strings[i], &index));
		if (index != i)
			return broken(env, "string occurs twice", i);
	}
	return check_string_numbers(env, profile);
}

static PhStatus
check_regions(PhEnv *env, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *r = &profile->regions[i];
		if (r->kind >= PH_KIND_COUNT)
			return broken(env, "unknown kind of region", i);
		if (r->name == 0)
			return broken(env, "region without a name", i);
		if (r->line < PH_NO_NUMBER)
			return broken(env, "negative line", i);
		if (r->region_id != ph_hash_region(r->kind, profile->strings[r->name],
										   profile->strings[r->library], profile->strings[r->file],
										   r->line))
			return broken(env, "region id is not the hash of its identity", i);
	}
	return PH_OK;
}

/*
 * Pre-order: the first child follows its parent, every other child follows its sibling's subtree.
 * last[p] = the last child of p met so far; slot n_nodes stands for the roots.
 */
static PhStatus
check_place(PhEnv *env, const PhProfile *profile, uint32_t *last, uint32_t node)
{
	uint32_t parent = profile->parent[node];
	uint32_t *before = &last[parent == PH_NONE ? profile->n_nodes : parent];
	uint32_t first = parent == PH_NONE ? 0 : parent + 1;
	if (node != (*before == PH_NONE ? first : profile->subtree_end[*before]))
		return broken(env, "nodes are not in pre-order", node);
	if (*before != PH_NONE && ph_region_compare(profile, ph_profile_region(profile, *before),
												profile, ph_profile_region(profile, node)) >= 0)
		return broken(env, "siblings are not in order or not merged", node);
	*before = node;
	return PH_OK;
}

static PhStatus
check_node(PhEnv *env, const PhProfile *profile, uint32_t node)
{
	uint32_t parent = profile->parent[node];
	if (parent != PH_NONE && parent >= node)
		return broken(env, "parent does not come before its child", node);
	if (profile->depth[node] != (parent == PH_NONE ? 0 : profile->depth[parent] + 1))
		return broken(env, "wrong depth", node);
	uint64_t above = parent == PH_NONE ? 0 : profile->callpath_id[parent];
	if (profile->callpath_id[node] !=
		ph_hash_callpath(above, ph_profile_region(profile, node)->region_id))
		return broken(env, "wrong call path id", node);
	return PH_OK;
}

static PhStatus
check_nodes(PhEnv *env, PhArena *scratch, const PhProfile *profile)
{
	uint32_t *last, next_region = 0;
	PH_TRY(PH_NEW(scratch, (size_t) profile->n_nodes + 1, &last));
	memset(last, 0xff, ((size_t) profile->n_nodes + 1) * sizeof(*last));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(env));
		if (!use_number(profile->region[node], &next_region))
			return broken(env, "regions are not numbered by first use", node);
		PH_TRY(check_node(env, profile, node));
		PH_TRY(check_place(env, profile, last, node));
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t end = last[node] == PH_NONE ? node + 1 : profile->subtree_end[last[node]];
		if (profile->subtree_end[node] != end)
			return broken(env, "wrong end of a subtree", node);
	}
	if (next_region != profile->n_regions)
		return broken(env, "region is not used", next_region);
	return profile->n_nodes > 0 ? PH_OK : broken(env, "no nodes", 0);
}

static PhStatus
check_columns(PhEnv *env, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];
		if (column->kind >= PH_COLUMN_KIND_COUNT)
			return broken(env, "unknown kind of column", i);
		if (column->rank < PH_NO_NUMBER || column->thread < PH_NO_NUMBER)
			return broken(env, "negative rank or thread", i);
	}
	return PH_OK;
}

/* A row's runs ascend, leave gaps between each other, and count its cells. */
static PhStatus
check_runs(PhEnv *env, const PhProfile *profile, uint32_t node)
{
	uint64_t end = 0, n = 0;
	for (uint32_t i = profile->first_run[node]; i < profile->first_run[node + 1]; i++)
	{
		const PhColumnRun *run = &profile->runs[i];
		bool touches = i > profile->first_run[node] && run->first <= end;
		if (run->n == 0 || run->first < end || touches)
			return broken(env, "columns of a node are not in order or not joined", node);
		end = (uint64_t) run->first + run->n;
		if (end > profile->n_columns)
			return broken(env, "a node is in columns that do not exist", node);
		if (run->before != n)
			return broken(env, "wrong number of cells before a run", node);
		n += run->n;
	}
	if (profile->first_cell[node + 1] - profile->first_cell[node] != n)
		return broken(env, "wrong number of cells of a node", node);
	return PH_OK;
}

static PhStatus
check_row_within_parent(PhEnv *env, const PhProfile *profile, uint32_t node)
{
	PhRow row = ph_profile_row(profile, node);
	PhRow above = ph_profile_row(profile, profile->parent[node]);
	uint32_t at = 0;
	for (uint32_t i = 0; i < row.n_runs; i++)
	{
		PhRowSpan span = ph_row_span(&row, i);
		at = ph_row_find_run(&above, at, span.first);
		if (at == above.n_runs)
			return broken(env, "a node is in a column that its parent is not in", node);
		PhRowSpan there = ph_row_span(&above, at);
		if (there.first > span.first ||
			(uint64_t) there.first + there.n < (uint64_t) span.first + span.n)
			return broken(env, "a node is in a column that its parent is not in", node);
	}
	return PH_OK;
}

/* The lists of cells, which a dense profile does not have. */
static PhStatus
check_cells(PhEnv *env, const PhProfile *profile)
{
	if (profile->first_cell == NULL)
		return PH_OK;
	if (profile->first_cell[0] != 0 || profile->first_run[0] != 0)
		return broken(env, "the first row does not begin at 0", 0);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(env));
		if (profile->first_run[node + 1] < profile->first_run[node] ||
			profile->first_cell[node + 1] < profile->first_cell[node])
			return broken(env, "rows are not in the order of nodes", node);
		PH_TRY(check_runs(env, profile, node));
		if (profile->parent[node] != PH_NONE)
			PH_TRY(check_row_within_parent(env, profile, node));
	}
	if (ph_profile_cells(profile) == (size_t) profile->n_nodes * profile->n_columns)
		return broken(env, "cells are listed although all are there", 0);
	return PH_OK;
}

/* Finite for flow; a value metric may be undefined (NaN). */
static PhStatus
check_values(PhEnv *env, const PhProfile *profile, const double *values, bool may_be_nan)
{
	if (values == NULL)
		return PH_OK;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRow row = ph_profile_row(profile, node);
		PH_TRY(ph_env_poll(env));
		for (size_t cell = row.cell; cell < row.cell + row.n; cell++)
			if (isinf(values[cell]) || (isnan(values[cell]) && !may_be_nan))
				return broken(env, "a value is not finite", node);
	}
	return PH_OK;
}

static PhStatus
check_metric_kind(PhEnv *env, const PhProfile *profile, uint32_t index)
{
	const PhMetric *m = &profile->metrics[index];
	if (m->kind >= PH_METRIC_KIND_COUNT || m->combine >= PH_COMBINE_COUNT || m->is_signed > 1)
		return broken(env, "unknown kind of metric", index);
	if (m->name == 0)
		return broken(env, "metric without a name", index);
	if (m->kind != PH_METRIC_RATIO)
		return m->exclusive != NULL && m->inclusive != NULL
				   ? PH_OK
				   : broken(env, "metric without values", index);
	if (m->exclusive != NULL || m->inclusive != NULL || m->absorbed != NULL || m->residual != NULL)
		return broken(env, "ratio with values of its own", index);
	if (m->numerator >= profile->n_metrics || m->denominator >= profile->n_metrics ||
		profile->metrics[m->numerator].kind == PH_METRIC_RATIO ||
		profile->metrics[m->denominator].kind == PH_METRIC_RATIO)
		return broken(env, "ratio of metrics that do not exist", index);
	return PH_OK;
}

static PhStatus
check_metrics(PhEnv *env, PhArena *scratch, const PhProfile *profile)
{
	bool *named;
	PH_TRY(PH_NEW(scratch, profile->n_strings, &named));
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		const PhMetric *m = &profile->metrics[i];
		bool may_be_nan = m->kind == PH_METRIC_VALUE;
		PH_TRY(check_metric_kind(env, profile, i));
		if (named[m->name])
			return broken(env, "two metrics have the same name", i);
		named[m->name] = true;
		PH_TRY(check_values(env, profile, m->exclusive, may_be_nan));
		PH_TRY(check_values(env, profile, m->inclusive, may_be_nan));
		PH_TRY(check_values(env, profile, m->absorbed, may_be_nan));
		PH_TRY(check_values(env, profile, m->residual, may_be_nan));
	}
	return PH_OK;
}

static PhStatus
check_one(PhEnv *env, PhArena *scratch, const PhProfile *profile)
{
	PH_TRY(check_strings(env, scratch, profile));
	PH_TRY(check_regions(env, profile));
	PH_TRY(check_nodes(env, scratch, profile));
	PH_TRY(check_columns(env, profile));
	PH_TRY(check_cells(env, profile));
	PH_TRY(check_metrics(env, scratch, profile));
	double share = profile->provenance.share_filtered;
	if (!(share >= 0 && share <= 1))
		return broken(env, "filtered share is not between 0 and 1", 0);
	for (uint32_t i = 0; profile->diff_status != NULL && i < profile->n_nodes; i++)
		if (profile->diff_status[i] > PH_DIFF_ONLY_AFTER)
			return broken(env, "unknown mark of a difference", i);
	return PH_OK;
}

static PhStatus
check_alone(PhEnv *env, const PhProfile *profile)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = check_one(env, &scratch, profile);
	ph_arena_drop(&scratch);
	return status;
}

/* Operands of a difference have the difference's tree, metrics and columns, and nest no further. */
static PhStatus
check_operand(PhEnv *env, const PhProfile *profile, const PhProfile *operand)
{
	if (operand == NULL)
		return PH_OK;
	if (operand->before != NULL || operand->after != NULL || operand->unfiltered != NULL)
		return broken(env, "operand of a difference has operands", 0);
	if (operand->n_nodes != profile->n_nodes || operand->n_columns != profile->n_columns ||
		operand->n_metrics != profile->n_metrics ||
		memcmp(operand->callpath_id, profile->callpath_id,
			   profile->n_nodes * sizeof(*profile->callpath_id)) != 0)
		return broken(env, "operand of a difference has another shape", 0);
	return check_alone(env, operand);
}

static PhStatus
check_with_operands(PhEnv *env, const PhProfile *profile)
{
	PH_TRY(check_alone(env, profile));
	if ((profile->before == NULL) != (profile->after == NULL))
		return broken(env, "difference with one operand", 0);
	PH_TRY(check_operand(env, profile, profile->before));
	return check_operand(env, profile, profile->after);
}

PhStatus
ph_profile_check(PhEnv *env, const PhProfile *profile)
{
	const PhProfile *whole = profile->unfiltered;
	PH_TRY(check_with_operands(env, profile));
	if (whole == NULL)
		return PH_OK;
	if (whole->unfiltered != NULL)
		return broken(env, "unfiltered profile of an unfiltered profile", 0);
	if (whole->n_columns != profile->n_columns || whole->n_metrics != profile->n_metrics)
		return broken(env, "unfiltered profile has other columns or metrics", 0);
	return check_with_operands(env, whole);
}
