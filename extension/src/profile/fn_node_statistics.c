/*
 * fn_node_statistics.c - per node over columns (ranks, or the runs of an ensemble): moments,
 * quartiles and outliers; models, speed-up and efficiency over a parameter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/cells.h"
#include "profile/names.h"
#include "profile/node_path.h"
#include "profile/rolled_up.h"
#include "profile/stored_values.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "statistics/distribution.h"
#include "statistics/scaling_model.h"
#include "statistics/vector_stats.h"

/* A node's cells in the columns that have it; which columns those are. */
typedef struct NodeCells
{
	uint32 n;
	double *values;
	uint32 *columns;
} NodeCells;

static NodeCells
cells_new(uint32 n_columns)
{
	NodeCells cells = {0};
	cells.values = palloc_extended(sizeof(double) * Max(n_columns, 1), MCXT_ALLOC_HUGE);
	cells.columns = palloc_extended(sizeof(uint32) * Max(n_columns, 1), MCXT_ALLOC_HUGE);
	return cells;
}

/* The array of values that a cost of a metric is; NULL: there is none. */
static const double *
array_of_cost(const PhMetric *metric, PhCost cost)
{
	if (metric->kind == PH_METRIC_RATIO)
		return NULL;
	return cost == PH_COST_INCLUSIVE   ? metric->inclusive
		   : cost == PH_COST_EXCLUSIVE ? metric->exclusive
									   : NULL;
}

/* False: something is no number. */
static bool
cells_copy(NodeCells *cells, const double *values, PhRowSpan span)
{
	bool has_nan = false;
	for (uint32 i = 0; i < span.n; i++)
		has_nan |= isnan(values[i]);
	if (has_nan)
		return false;
	memcpy(cells->values + cells->n, values, sizeof(double) * span.n);
	for (uint32 i = 0; i < span.n; i++)
		cells->columns[cells->n + i] = span.first + i;
	cells->n += span.n;
	return true;
}

static void
cells_read(NodeCells *cells, const PhProfile *profile, uint32 metric, uint32 node, PhCost cost)
{
	const double *values = array_of_cost(&profile->metrics[metric], cost);
	PhRowWalk walk = ph_row_walk(profile, node);
	cells->n = 0;
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		if (values != NULL && cells_copy(cells, values + span.cell, span))
			continue;
		for (uint32 i = 0; i < span.n; i++)
		{
			double value = ph_profile_value(profile, metric, span.cell + i, cost);
			if (isnan(value))
				continue;
			cells->values[cells->n] = value;
			cells->columns[cells->n++] = span.first + i;
		}
	}
}

static void
put_node(PhRows *rows, const PhProfile *profile, uint32 node, StringInfo path)
{
	ph_rows_int(rows, "node", (int32) node);
	ph_rows_name(rows, "name", ph_profile_string(profile, ph_profile_region(profile, node)->name));
	ph_rows_text(rows, "path", ph_node_path(profile, node, path));
}

/* What is told of a node. */
typedef struct NodeStatistics
{
	uint32 n, n_outliers;
	double mean, sd, min, lower_quartile, median, upper_quartile, max;
	uint32 *outliers; /* columns */
} NodeStatistics;

/* Statistics of nodes as they come, in whatever order. */
typedef struct Statistics
{
	uint32 metric;
	PhCost cost;
	NodeCells cells;
	PhScratch *scratch;
	NodeStatistics *of_node;
} Statistics;

static void
take_statistics(void *user, uint32 node, const PhProfile *one)
{
	Statistics *found = user;
	NodeStatistics *out = &found->of_node[node];
	PhScratch *scratch = ph_scratch_begin();
	PhVectorStats stats;
	PhBox box;
	cells_read(&found->cells, one, found->metric, 0, found->cost);
	ph_vector_moments(found->cells.values, found->cells.n, &stats);
	PH_CHECK(&scratch->env, ph_box(&scratch->arena, found->cells.values, found->cells.n, &box));
	*out = (NodeStatistics){.n = found->cells.n,
							.n_outliers = box.n_outliers,
							.mean = stats.mean,
							.sd = stats.sd,
							.min = stats.min,
							.lower_quartile = box.lower_quartile,
							.median = box.median,
							.upper_quartile = box.upper_quartile,
							.max = stats.max};
	if (box.n_outliers > 0)
		PH_CHECK(&found->scratch->env,
				 PH_NEW(&found->scratch->arena, box.n_outliers, &out->outliers));
	for (uint32 i = 0; i < box.n_outliers; i++)
		out->outliers[i] = found->cells.columns[box.outliers[i]];
	ph_scratch_end(scratch);
}

static void
put_outliers(PhRows *rows, const PhProfile *profile, const NodeStatistics *node)
{
	const char **labels = palloc(sizeof(char *) * Max(node->n_outliers, 1));
	char label[PH_COLUMN_LABEL_MAX];
	for (uint32 i = 0; i < node->n_outliers; i++)
	{
		ph_column_label(profile, node->outliers[i], label, sizeof(label));
		labels[i] = pstrdup(label);
	}
	ph_rows_texts(rows, "outliers", labels, (int) node->n_outliers);
}

static void
put_statistics(PhRows *rows, const PhProfile *profile, const NodeStatistics *node)
{
	double range = node->upper_quartile - node->lower_quartile;
	ph_rows_int(rows, "n", (int32) node->n);
	ph_rows_number(rows, "mean", node->mean);
	ph_rows_number(rows, "sd", node->sd);
	ph_rows_number(rows, "min", node->min);
	ph_rows_number(rows, "lower_quartile", node->lower_quartile);
	ph_rows_number(rows, "median", node->median);
	ph_rows_number(rows, "upper_quartile", node->upper_quartile);
	ph_rows_number(rows, "max", node->max);
	ph_rows_number(rows, "lower_fence", node->lower_quartile - 1.5 * range);
	ph_rows_number(rows, "upper_fence", node->upper_quartile + 1.5 * range);
	put_outliers(rows, profile, node);
}

PH_FUNCTION(ph_node_statistics)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhValue *value = ph_arg_as_it_is(fcinfo, 0, PH_VALUE_PROFILE);
	const PhProfile *profile = value->profile;
	ph_require_units(profile);
	Statistics found = {.cost = ph_arg_cost(fcinfo, 1),
						.metric = ph_arg_metric(fcinfo, 2, profile),
						.cells = cells_new(profile->n_columns),
						.scratch = ph_scratch_begin()};
	StringInfoData path;
	initStringInfo(&path);
	found.of_node = MemoryContextAllocHuge(found.scratch->context,
										   sizeof(NodeStatistics) * Max(profile->n_nodes, 1));
	ph_value_each_node(value, found.metric, take_statistics, &found);
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		put_node(&rows, profile, node, &path);
		put_statistics(&rows, profile, &found.of_node[node]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(found.scratch);
	return (Datum) 0;
}

/* Every column's label as a number. */
static double *
column_parameters(const PhProfile *profile)
{
	double *parameters =
		palloc_extended(sizeof(double) * Max(profile->n_columns, 1), MCXT_ALLOC_HUGE);
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		char label[PH_COLUMN_LABEL_MAX];
		char *end;
		ph_column_label(profile, c, label, sizeof(label));
		parameters[c] = strtod(label, &end);
		if (end == label || *end != '\0' || !isfinite(parameters[c]) || !(parameters[c] > 0))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is no value of a parameter", label),
				 errhint("Label the runs with positive numbers, as in ensemble(profile(run_id), "
						 "n_ranks::text).")));
	}
	return parameters;
}

/* What the models that are as good look like. */
static void
put_alternatives(PhRows *rows, const PhScalingModel *model, const char *name)
{
	static char formulas[PH_SCALING_MOST_ALTERNATIVES][256];
	const char *texts[PH_SCALING_MOST_ALTERNATIVES];
	for (uint32 i = 0; i < model->n_alternatives; i++)
	{
		ph_scaling_alternative_text(&model->alternatives[i], name, formulas[i],
									sizeof(formulas[i]));
		texts[i] = formulas[i];
	}
	ph_rows_texts(rows, "alternatives", texts, (int) model->n_alternatives);
}

/* Columns that the function has had since 0.2.0. */
static void
put_doubts(PhRows *rows, const PhScalingModel *model, const char *name)
{
	char caution[256];
	ph_scaling_caution(model, name, caution, sizeof(caution));
	ph_rows_int(rows, "n_numbers", (int32) model->n_distinct);
	put_alternatives(rows, model, name);
	ph_rows_number(rows, "negative_at", model->negative_at);
	ph_rows_text(rows, "caution", caution[0] == '\0' ? NULL : caution);
}

static void
put_model(PhRows *rows, const NodeCells *cells, const double *parameters, const char *name,
		  bool with_doubts)
{
	PhScratch *scratch = ph_scratch_begin();
	double *p = palloc_extended(sizeof(double) * Max(cells->n, 1), MCXT_ALLOC_HUGE);
	PhScalingModel model;
	char formula[256];
	for (uint32 i = 0; i < cells->n; i++)
		p[i] = parameters[cells->columns[i]];
	PH_CHECK(&scratch->env, ph_scaling_model(&scratch->arena, p, cells->values, cells->n, &model));
	bool has_model = model.n_distinct >= PH_SCALING_MIN_POINTS;
	ph_scaling_model_text(&model, name, formula, sizeof(formula));
	ph_rows_text(rows, "model", has_model ? formula : NULL);
	ph_rows_number(rows, "constant", model.constant);
	ph_rows_number(rows, "coefficient", has_model ? model.coefficient : NAN);
	ph_rows_number(rows, "exponent", has_model ? model.exponent : NAN);
	ph_rows_number(rows, "log_exponent", has_model ? model.log_exponent : NAN);
	ph_rows_number(rows, "growth", has_model ? model.growth : NAN);
	ph_rows_number(rows, "r_squared", has_model ? model.r_squared : NAN);
	ph_rows_number(rows, "smape", has_model ? model.smape : NAN);
	ph_rows_number(rows, "cross_validation", has_model ? model.cross_validation : NAN);
	ph_rows_number(rows, "constant_validation", has_model ? model.constant_validation : NAN);
	ph_rows_int(rows, "n", (int32) model.n);
	if (with_doubts)
		put_doubts(rows, &model, name);
	pfree(p);
	ph_scratch_end(scratch);
}

static void
put_models(FunctionCallInfo fcinfo, bool with_doubts)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	const char *name = ph_arg_text_or(fcinfo, 1, "p");
	PhCost cost = ph_arg_cost(fcinfo, 2);
	uint32 metric = ph_arg_metric(fcinfo, 3, profile);
	const double *parameters = column_parameters(profile);
	NodeCells cells = cells_new(profile->n_columns);
	StringInfoData path;
	initStringInfo(&path);
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		cells_read(&cells, profile, metric, node, cost);
		put_node(&rows, profile, node, &path);
		put_model(&rows, &cells, parameters, name, with_doubts);
		ph_rows_put(&rows);
	}
}

PH_FUNCTION(ph_scaling_models)
{
	put_models(fcinfo, true);
	return (Datum) 0;
}

/* As the function was declared in 0.1.0. */
PH_FUNCTION(ph_scaling_model_rows)
{
	put_models(fcinfo, false);
	return (Datum) 0;
}

/* Columns of the smallest parameter that have the node: their mean is the base. */
static double
base_value(const NodeCells *cells, const double *parameters, double *base)
{
	double sum = 0;
	uint32 n = 0;
	*base = INFINITY;
	for (uint32 i = 0; i < cells->n; i++)
		*base = Min(*base, parameters[cells->columns[i]]);
	for (uint32 i = 0; i < cells->n; i++)
		if (parameters[cells->columns[i]] == *base)
		{
			sum += cells->values[i];
			n++;
		}
	return sum / n;
}

static bool
arg_is_weak(FunctionCallInfo fcinfo, int argument)
{
	const char *kind = ph_arg_text_or(fcinfo, argument, "strong");
	if (strcmp(kind, "strong") != 0 && strcmp(kind, "weak") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unknown kind \"%s\" of scaling", kind),
						errhint("The kinds are strong and weak.")));
	return strcmp(kind, "weak") == 0;
}

PH_FUNCTION(ph_speedup)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	bool is_weak = arg_is_weak(fcinfo, 1);
	PhCost cost = ph_arg_cost(fcinfo, 2);
	uint32 metric = ph_arg_metric(fcinfo, 3, profile);
	const double *parameters = column_parameters(profile);
	NodeCells cells = cells_new(profile->n_columns);
	StringInfoData path;
	initStringInfo(&path);
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		double base;
		cells_read(&cells, profile, metric, node, cost);
		double first = base_value(&cells, parameters, &base);
		for (uint32 i = 0; i < cells.n; i++)
		{
			double p = parameters[cells.columns[i]];
			double speedup = cells.values[i] != 0 ? first / cells.values[i] : (double) NAN;
			put_node(&rows, profile, node, &path);
			ph_rows_number(&rows, "parameter", p);
			ph_rows_number(&rows, "value", cells.values[i]);
			ph_rows_number(&rows, "speedup", is_weak ? speedup * p / base : speedup);
			ph_rows_number(&rows, "efficiency", is_weak ? speedup : speedup * base / p);
			ph_rows_put(&rows);
		}
	}
	return (Datum) 0;
}
