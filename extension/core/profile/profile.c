/*
 * profile.c - getters of a profile, orders of regions and columns, labels.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "profile/cells.h"
#include "profile/internal.h"

static double
metric_cell(const PhMetric *metric, size_t cell, PhCost cost)
{
	double absorbed = metric->absorbed == NULL ? 0 : metric->absorbed[cell];
	double residual = metric->residual == NULL ? 0 : metric->residual[cell];
	switch (cost)
	{
		case PH_COST_INCLUSIVE:
			return metric->inclusive[cell];
		case PH_COST_EXCLUSIVE:
			return metric->exclusive[cell];
		case PH_COST_ABSORBED:
			return absorbed;
		case PH_COST_RESIDUAL:
			return residual;
		case PH_COST_OWN:
			break;
	}
	return metric->exclusive[cell] + absorbed + residual;
}

/* A quotient; undefined (NaN) when the denominator is 0. */
static double
divide(double numerator, double denominator)
{
	return denominator == 0 ? NAN : numerator / denominator;
}

double
ph_profile_value(const PhProfile *profile, uint32_t metric, size_t cell, PhCost cost)
{
	const PhMetric *m = &profile->metrics[metric];
	if (m->kind != PH_METRIC_RATIO)
		return metric_cell(m, cell, cost);
	return divide(metric_cell(&profile->metrics[m->numerator], cell, cost),
				  metric_cell(&profile->metrics[m->denominator], cell, cost));
}

double
ph_profile_cell(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column,
				PhCost cost)
{
	size_t cell = ph_profile_find_cell(profile, node, column);
	return cell == PH_NO_CELL ? 0 : ph_profile_value(profile, metric, cell, cost);
}

double
ph_metric_mean(const PhProfile *profile, const PhMetric *metric, const PhRow *row, uint32_t node,
			   PhCost cost)
{
	const double *means[] = {metric->mean_inclusive, metric->mean_exclusive, NULL,
							 metric->mean_residual};
	const double *values[] = {metric->inclusive, metric->exclusive, metric->absorbed,
							  metric->residual};
	if (values[cost] != NULL)
		return ph_row_total(row, values[cost]) / profile->n_columns;
	return means[cost] != NULL ? means[cost][node] : 0;
}

static double
stored_mean(const PhProfile *profile, const PhMetric *metric, uint32_t node, PhCost cost)
{
	PhRow row = ph_profile_row(profile, node);
	if (profile->n_columns == 0)
		return 0;
	if (cost != PH_COST_OWN)
		return ph_metric_mean(profile, metric, &row, node, cost);
	return ph_metric_mean(profile, metric, &row, node, PH_COST_EXCLUSIVE) +
		   ph_metric_mean(profile, metric, &row, node, PH_COST_ABSORBED) +
		   ph_metric_mean(profile, metric, &row, node, PH_COST_RESIDUAL);
}

double
ph_profile_mean(const PhProfile *profile, uint32_t metric, uint32_t node, PhCost cost)
{
	const PhMetric *m = &profile->metrics[metric];
	if (m->kind != PH_METRIC_RATIO)
		return stored_mean(profile, m, node, cost);
	return divide(stored_mean(profile, &profile->metrics[m->numerator], node, cost),
				  stored_mean(profile, &profile->metrics[m->denominator], node, cost));
}

bool
ph_profile_is_rolled_up(const PhProfile *profile)
{
	for (uint32_t c = 0; c < profile->n_columns; c++)
		if (profile->columns[c].kind == PH_COLUMN_MEAN)
			return true;
	return false;
}

double
ph_profile_total(const PhProfile *profile, uint32_t metric)
{
	const PhMetric *m = &profile->metrics[metric];
	double total = 0, numerator = 0, denominator = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
	{
		if (m->kind != PH_METRIC_RATIO)
		{
			total += stored_mean(profile, m, node, PH_COST_INCLUSIVE);
			continue;
		}
		numerator += stored_mean(profile, &profile->metrics[m->numerator], node, PH_COST_INCLUSIVE);
		denominator +=
			stored_mean(profile, &profile->metrics[m->denominator], node, PH_COST_INCLUSIVE);
	}
	return m->kind == PH_METRIC_RATIO ? divide(numerator, denominator) : total;
}

double
ph_profile_residual(const PhProfile *profile, uint32_t metric)
{
	const PhMetric *m = &profile->metrics[metric];
	double sum = 0;
	bool has_residual = m->residual != NULL || m->mean_residual != NULL;
	for (uint32_t node = 0; has_residual && node < profile->n_nodes; node++)
		sum += stored_mean(profile, m, node, PH_COST_RESIDUAL);
	return sum;
}

typedef enum NameMatch
{
	MATCH_EXACT,
	MATCH_ANY_CASE,
	MATCH_PREFIX,
	MATCH_PREFIX_ANY_CASE,
	MATCH_COUNT
} NameMatch;

static bool
name_matches(const char *metric, const char *name, NameMatch how)
{
	size_t length = strlen(name);
	switch (how)
	{
		case MATCH_EXACT:
			return strcmp(metric, name) == 0;
		case MATCH_ANY_CASE:
			return strcasecmp(metric, name) == 0;
		case MATCH_PREFIX:
			return strncmp(metric, name, length) == 0;
		case MATCH_PREFIX_ANY_CASE:
		case MATCH_COUNT:
			break;
	}
	return strncasecmp(metric, name, length) == 0;
}

uint32_t
ph_profile_find_metric(const PhProfile *profile, const char *name)
{
	for (int how = 0; how < MATCH_COUNT; how++)
	{
		uint32_t found = PH_NONE, n_found = 0;
		for (uint32_t i = 0; i < profile->n_metrics; i++)
		{
			if (!name_matches(profile->strings[profile->metrics[i].name], name, (NameMatch) how))
				continue;
			found = i;
			n_found++;
		}
		if (n_found == 1)
			return found;
	}
	return PH_NONE;
}

static int
compare_text(const PhProfile *a, PhString x, const PhProfile *b, PhString y)
{
	return strcmp(a->strings[x], b->strings[y]);
}

static int
compare_i64(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

int
ph_region_compare(const PhProfile *a, const PhRegion *x, const PhProfile *b, const PhRegion *y)
{
	int order = compare_i64(x->kind, y->kind);
	if (order == 0)
		order = compare_text(a, x->name, b, y->name);
	if (order == 0)
		order = compare_text(a, x->library, b, y->library);
	if (order == 0)
		order = compare_text(a, x->file, b, y->file);
	if (order == 0 && ph_kind_has_line(x->kind))
		order = compare_i64(x->line, y->line);
	return order;
}

int
ph_column_compare(const PhProfile *a, const PhColumn *x, const PhProfile *b, const PhColumn *y)
{
	int order = compare_i64(x->run_id, y->run_id);
	if (order == 0)
		order = compare_i64(x->rank, y->rank);
	if (order == 0)
		order = compare_i64(x->thread, y->thread);
	if (order == 0)
		order = compare_i64(x->iteration, y->iteration);
	if (order == 0)
		order = compare_text(a, x->name, b, y->name);
	if (order == 0)
		order = compare_text(a, x->host, b, y->host);
	return order != 0 ? order : compare_i64(x->kind, y->kind);
}

/* Where and whether a label's next part goes. */
typedef struct Label
{
	char *text;
	size_t size, used;
} Label;

static void
label_part(Label *label, const char *what, int64_t number)
{
	if (label->used >= label->size)
		return;
	int length = snprintf(label->text + label->used, label->size - label->used, "%s%s %" PRId64,
						  label->used > 0 ? " " : "", what, number);
	label->used += length > 0 ? (size_t) length : 0;
}

void
ph_column_label(const PhProfile *profile, uint32_t column, char *out, size_t size)
{
	const PhColumn *c = &profile->columns[column];
	Label label = {out, size, 0};
	if (size == 0)
		return;
	out[0] = '\0';
	if (c->name != 0)
	{
		snprintf(out, size, "%s", profile->strings[c->name]);
		return;
	}
	if (c->rank != PH_NO_NUMBER)
		label_part(&label, "rank", c->rank);
	if (c->thread != PH_NO_NUMBER)
		label_part(&label, "thread", c->thread);
	if (label.used == 0 && c->run_id != 0)
		label_part(&label, "run", c->run_id);
	if (c->iteration != PH_NO_ITERATION)
		label_part(&label, "iteration", c->iteration);
	if (label.used == 0 && c->host != 0)
		snprintf(out, size, "%s", profile->strings[c->host]);
	else if (label.used == 0)
		label_part(&label, "column", column);
}

void
ph_profile_free(PhEnv *env, PhProfile *profile)
{
	if (profile == NULL)
		return;
	/* nesting is at most two deep: unfiltered has operands, operands have nothing */
	ph_profile_free(env, profile->before);
	ph_profile_free(env, profile->after);
	ph_profile_free(env, profile->unfiltered);
	profile->arena.env = env;
	ph_arena_drop(&profile->arena);
	ph_env_free(env, profile, 1, sizeof(*profile));
}

const char *
ph_kind_name(uint8_t kind)
{
	static const char *const names[PH_KIND_COUNT] = {"function", "region", "loop", "statement",
													 "root"};
	return kind < PH_KIND_COUNT ? names[kind] : "unknown";
}

const char *
ph_region_module(const PhProfile *profile, const PhRegion *region)
{
	const char *module = ph_profile_string(profile, region->module);
	if (module[0] != '\0')
		return module;
	const char *library = ph_profile_string(profile, region->library);
	const char *slash = strrchr(library, '/');
	return slash != NULL ? slash + 1 : library;
}
