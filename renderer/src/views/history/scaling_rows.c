/*
 * scaling_rows.c - measured costs and their models, from rows; the scales of many panels.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/select.h"
#include "drawing/arena_must.h"
#include "views/history/scaling.h"

#define LEAST_DECADES 0.3
#define FAR_SPAN 3.0
#define MOST_TICKS 64

static int
compare_numbers(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}

static void
read_model(const PhTable *table, uint32_t row, PhScalingPanel *panel)
{
	const char *path = ph_table_text(table, row, "path");

	panel->path = path ? path : "";
	panel->leaf = ph_table_text(table, row, "leaf");
	panel->model_text = ph_table_text(table, row, "model");
	panel->caution = ph_table_text(table, row, "caution");
	panel->alternatives = ph_table_text(table, row, "as_good");
	panel->model = (PhScalingModel){.constant = ph_table_number(table, row, "constant"),
									.coefficient = ph_table_number(table, row, "coefficient"),
									.exponent = ph_table_number(table, row, "exponent"),
									.log_exponent = ph_table_number(table, row, "log_exponent"),
									.r_squared = ph_table_number(table, row, "r_squared"),
									.smape = ph_table_number(table, row, "smape"),
									.growth = ph_table_number(table, row, "growth")};
}

static void
read_points(PhArena *arena, const PhTable *table, const char *number, PhScalingPanel *panel)
{
	uint32_t n = ph_rows_count(table);
	double sum = 0;
	uint32_t n_base = 0;

	panel->points = ph_need(arena, n, sizeof(PhScalingPoint));
	for (uint32_t i = 0; i < n; i++)
	{
		const char *of = ph_table_text(table, i, "panel");
		PhScalingPoint point = {.parameter = ph_table_number(table, i, "parameter"),
								.value = ph_table_number(table, i, "value"),
								.speedup = ph_table_number(table, i, "speedup"),
								.efficiency = ph_table_number(table, i, "efficiency")};

		if (of && strcmp(of, number) == 0 && point.parameter > 0 && !isnan(point.value))
			panel->points[panel->n++] = point;
	}
	panel->base = panel->n > 0 ? panel->points[0].parameter : NAN;
	for (uint32_t i = 0; i < panel->n; i++)
		panel->base = fmin(panel->base, panel->points[i].parameter);
	for (uint32_t i = 0; i < panel->n; i++)
		if (panel->points[i].parameter == panel->base)
		{
			sum += panel->points[i].value;
			n_base++;
		}
	panel->base_value = n_base > 0 ? sum / n_base : NAN;
}

static void
read_numbers(PhArena *arena, const PhTable *table, PhScaling *out)
{
	uint32_t n = ph_rows_count(table);

	out->numbers = ph_need(arena, n, sizeof(double));
	for (uint32_t i = 0; i < n; i++)
	{
		double number = ph_table_number(table, i, "parameter");

		if (number > 0)
			out->numbers[out->n_numbers++] = number;
	}
	qsort(out->numbers, out->n_numbers, sizeof(double), compare_numbers);
	n = 0;
	for (uint32_t i = 0; i < out->n_numbers; i++)
		if (n == 0 || out->numbers[i] != out->numbers[n - 1])
			out->numbers[n++] = out->numbers[i];
	out->n_numbers = n;
}

static const char *
parameter_name(const char *key)
{
	if (key == NULL || strcmp(key, "n_ranks") == 0)
		return "ranks";
	return strcmp(key, "n_threads") == 0 ? "threads" : key;
}

void
ph_scaling_read(PhArena *arena, const PhViewRows *rows, PhScaling *out)
{
	const PhTable *models = ph_rows_table(rows, "models");
	const PhTable *points = ph_rows_table(rows, "points");
	const PhTable *choice = ph_rows_table(rows, "choice");
	const char *kind = ph_table_text(choice, 0, "scaling");
	uint32_t n = ph_rows_count(models);

	memset(out, 0, sizeof(*out));
	out->weak = kind && strcmp(kind, "weak") == 0;
	out->judged = kind != NULL;
	out->parameter = parameter_name(ph_table_text(choice, 0, "parameter"));
	out->unit_name = ph_table_text(ph_rows_table(rows, "metric"), 0, "unit");
	out->panels = ph_need(arena, n, sizeof(PhScalingPanel));
	read_numbers(arena, points, out);
	for (uint32_t i = 0; i < n; i++)
	{
		const char *number = ph_table_text(models, i, "panel");

		if (number == NULL)
			continue;
		read_model(models, i, &out->panels[out->n]);
		read_points(arena, points, number, &out->panels[out->n++]);
	}
}

double
ph_scaling_model_at(const PhScalingModel *model, double parameter)
{
	if (model->coefficient == 0)
		return model->constant;
	return model->constant + model->coefficient * pow(parameter, model->exponent) *
								 pow(log2(parameter), model->log_exponent);
}

double
ph_scaling_ideal_at(const PhScaling *scaling, const PhScalingPanel *panel, double parameter)
{
	return scaling->weak ? panel->base_value : panel->base_value * panel->base / parameter;
}

static void
widen(PhScalingPanel *panel, double value)
{
	if (!(value > 0) || isinf(value))
		return;
	panel->low = fmin(panel->low, value);
	panel->high = fmax(panel->high, value);
}

/* Decades that a panel's values take; 0 without any. */
static double
measure(PhScalingPanel *panel)
{
	panel->low = INFINITY;
	panel->high = 0;
	for (uint32_t k = 0; k < panel->n; k++)
		widen(panel, panel->points[k].value);
	panel->nothing = !(panel->high > 0);
	return panel->nothing ? 0 : log10(panel->high / panel->low);
}

uint32_t
ph_scaling_scales(PhArena *arena, PhScaling *scaling)
{
	double *spans = ph_need(arena, scaling->n, sizeof(double));
	double span = LEAST_DECADES;
	uint32_t n_own = 0;
	double most;

	for (uint32_t i = 0; i < scaling->n; i++)
		spans[i] = measure(&scaling->panels[i]);
	most = fmax(scaling->n > 0 ? FAR_SPAN * ph_quantile(spans, scaling->n, 0.5) : 0, span);
	for (uint32_t i = 0; i < scaling->n; i++)
	{
		double own = measure(&scaling->panels[i]);

		scaling->panels[i].own_span = own > most;
		n_own += scaling->panels[i].own_span;
		span = own > most ? span : fmax(span, own);
	}
	for (uint32_t i = 0; i < scaling->n; i++)
	{
		PhScalingPanel *panel = &scaling->panels[i];
		double decades = panel->own_span ? log10(panel->high / panel->low) : span;
		double middle = panel->nothing ? 0 : (log10(panel->low) + log10(panel->high)) / 2;

		panel->low = pow(10, middle - 0.58 * decades);
		panel->high = pow(10, middle + 0.58 * decades);
	}
	return n_own;
}

/* "p^(3/4) · log₂(p)" from the server's model text, which has exponents as fractions. */
static const char *
term_text(PhArena *arena, const PhScalingPanel *panel)
{
	const char *text = panel->model_text ? panel->model_text : "";
	const char *power = strstr(text, "p^");
	const char *log = strstr(text, "log2(p)");
	const char *end = power ? strchr(power, ' ') : NULL;
	const char *first = "";

	if (power)
		first =
			ph_need_format(arena, "%.*s", (int) (end ? end - power : (long) strlen(power)), power);
	else if (panel->model.exponent == 1)
		first = "p";
	if (log == NULL)
		return first;
	return ph_need_format(arena, "%s%slog\xe2\x82\x82%s(p)", first, *first ? " \xc2\xb7 " : "",
						  panel->model.log_exponent == 2 ? "\xc2\xb2" : "");
}

const char *
ph_scaling_words(PhArena *arena, const PhScaling *scaling, const PhScalingPanel *panel)
{
	const PhScalingModel *model = &panel->model;
	const char *term = term_text(arena, panel);

	if (scaling->n_numbers < PH_SCALING_MIN_POINTS)
		return ph_need_format(arena, "no model from %u numbers, it needs %d", scaling->n_numbers,
							  PH_SCALING_MIN_POINTS);
	if (panel->caution && strncmp(panel->caution, "too few", strlen("too few")) == 0)
		return ph_need_format(arena, "no model: %s", panel->caution);
	if (isnan(model->constant))
		return "no model";
	if (model->coefficient == 0 || *term == '\0')
		return "constant";
	if (model->exponent < 0)
		return ph_need_format(arena, "tends to %s like %s",
							  ph_value(arena, scaling->unit_name, model->constant), term);
	return ph_need_format(arena, "%s like %s", model->coefficient > 0 ? "grows" : "falls", term);
}

/* Steps of a decade from coarse to fine; 0 ends. */
static const double steps[][12] = {
	{1, 0}, {1, 2, 5, 0}, {1, 1.5, 2, 3, 5, 7, 0}, {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 0}};

/* Ticks of one fineness in [low, high]; counts all, keeps the first most. */
static uint32_t
list_ticks(double low, double high, const double *step, double *ticks, uint32_t most)
{
	uint32_t n = 0;

	for (double exponent = floor(log10(low)); exponent <= log10(high); exponent++)
		for (uint32_t i = 0; step[i] > 0; i++)
		{
			double tick = step[i] * pow(10, exponent);

			if (tick < low || tick > high)
				continue;
			if (n < most)
				ticks[n] = tick;
			n++;
		}
	return n;
}

uint32_t
ph_log_ticks(double low, double high, double *ticks, uint32_t most)
{
	uint32_t n = list_ticks(low, high, steps[0], ticks, most);

	if (n > most)
	{
		/* powers of 10^k: every decade would be too many */
		double apart = ceil((log10(high) - log10(low)) / (most > 1 ? most - 1 : 1));

		n = 0;
		for (double exponent = ceil(log10(low)); exponent <= log10(high) && n < most;
			 exponent += apart)
			ticks[n++] = pow(10, exponent);
		return n;
	}
	for (uint32_t fine = 1; fine < sizeof(steps) / sizeof(steps[0]); fine++)
	{
		double finer[MOST_TICKS];
		uint32_t n_finer =
			list_ticks(low, high, steps[fine], finer, most < MOST_TICKS ? most : MOST_TICKS);

		if (n_finer > most || n_finer > MOST_TICKS)
			break;
		n = n_finer;
		memcpy(ticks, finer, n * sizeof(*ticks));
	}
	return n;
}
