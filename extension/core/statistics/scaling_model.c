/*
 * scaling_model.c - least squares of each hypothesis, leave-one-out errors from the leverages.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/scaling_model.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

/* A smaller gain than this over the constant is no growth. */
#define LEAST_GAIN 0.1
/*
 * Of a sum, a term smaller than this beside the greatest is what rounding left: of 16.125 p the
 * constant came out as 3e-14. Some thousand times the precision of doubles, which sums of squares
 * of p^3 log2(p)^2 over a range of 10^6 keep, and less than any measurement can tell.
 */
#define ROUNDING 1e-12

/* p^(numerator / denominator) * log2(p)^log */
typedef struct Term
{
	int numerator, denominator, log;
} Term;

/* Extra-P's for one parameter, then the falling ones of strong scaling; simple ones first. */
static const Term terms[] = {
	{1, 1, 0},	{0, 1, 1},	{2, 1, 0},	{1, 2, 0},	{1, 1, 1},	{0, 1, 2},	{3, 1, 0},	{3, 2, 0},
	{1, 3, 0},	{2, 3, 0},	{1, 4, 0},	{3, 4, 0},	{4, 5, 0},	{5, 4, 0},	{4, 3, 0},	{5, 3, 0},
	{7, 4, 0},	{9, 4, 0},	{7, 3, 0},	{5, 2, 0},	{8, 3, 0},	{11, 4, 0}, {1, 4, 1},	{1, 3, 1},
	{1, 2, 1},	{2, 3, 1},	{3, 4, 1},	{5, 4, 1},	{4, 3, 1},	{3, 2, 1},	{2, 1, 1},	{5, 2, 1},
	{3, 1, 1},	{1, 4, 2},	{1, 3, 2},	{1, 2, 2},	{2, 3, 2},	{3, 4, 2},	{1, 1, 2},	{3, 2, 2},
	{2, 1, 2},	{5, 2, 2},	{-1, 1, 0}, {-1, 2, 0}, {-1, 3, 0}, {-2, 3, 0}, {-1, 4, 0}, {-3, 4, 0},
	{-3, 2, 0}, {-2, 1, 0}, {-1, 1, 1}, {-1, 2, 1}};

#define N_TERMS (sizeof(terms) / sizeof(terms[0]))

typedef struct Line
{
	double constant, slope;
	double error; /* sum of squared leave-one-out errors; infinite when a point decides alone */
} Line;

static double
term_value(const Term *term, double p)
{
	double power = pow(p, (double) term->numerator / term->denominator);
	return term->log == 0 ? power : power * pow(log2(p), term->log);
}

static double
mean_of(const double *values, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

static Line
fit_constant(const double *y, uint32_t n)
{
	Line line = {.constant = mean_of(y, n)};
	for (uint32_t i = 0; i < n; i++)
	{
		double left_out = (y[i] - line.constant) / (1 - 1.0 / n);
		line.error += n > 1 ? left_out * left_out : 0;
	}
	return line;
}

/* A constant or a slope that is nothing beside the other over these points is 0. */
static void
drop_rounding(Line *line, const double *x, double mean_y, uint32_t n)
{
	double low = x[0], high = x[0], greatest;
	for (uint32_t i = 1; i < n; i++)
	{
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	greatest = fabs(line->slope) * fmax(fabs(low), fabs(high));
	if (fabs(line->constant) <= ROUNDING * greatest)
		line->constant = 0;
	if (fabs(line->slope) * (high - low) <= ROUNDING * fabs(line->constant))
		*line = (Line){.constant = mean_y, .error = line->error};
}

/*
 * Least squares y = constant + slope x. error: the sum of squared errors when each point is
 * predicted by the line through the others, which is its residual over 1 - leverage; infinite when
 * a point decides the line alone, or all x are equal.
 */
static Line
fit_line(const double *x, const double *y, uint32_t n)
{
	double mean_x = mean_of(x, n), mean_y = mean_of(y, n), xx = 0, xy = 0;
	Line line = {.error = INFINITY};
	for (uint32_t i = 0; i < n; i++)
	{
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
	}
	if (!(xx > 0) || !isfinite(xx))
		return line;
	line.slope = xy / xx;
	line.constant = mean_y - line.slope * mean_x;
	drop_rounding(&line, x, mean_y, n);
	line.error = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		double leverage = 1.0 / n + (x[i] - mean_x) * (x[i] - mean_x) / xx;
		double left_out = (y[i] - line.constant - line.slope * x[i]) / (1 - leverage);
		line.error += 1 - leverage > 1e-9 ? left_out * left_out : (double) INFINITY;
	}
	return line;
}

/* Known pairs; the number of different parameters. */
static PhStatus
keep_pairs(PhEnv *env, const double *parameters, const double *values, uint32_t n, double *p,
		   double *y, uint32_t *kept, uint32_t *n_distinct)
{
	*kept = *n_distinct = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (!isfinite(parameters[i]) || !isfinite(values[i]))
			continue;
		if (!(parameters[i] > 0))
			return ph_fail(env, PH_ERR_VALUE,
						   "a parameter of a scaling model must be positive, not %g",
						   parameters[i]);
		bool is_new = true;
		for (uint32_t k = 0; k < *kept && is_new; k++)
			is_new = p[k] != parameters[i];
		p[*kept] = parameters[i];
		y[(*kept)++] = values[i];
		*n_distinct += is_new;
	}
	return PH_OK;
}

/* lines: each term's. The best term, or N_TERMS for none better than the constant. */
static size_t
choose_term(const double *p, const double *y, double *x, uint32_t n, const Line *constant,
			Line lines[N_TERMS])
{
	size_t chosen = N_TERMS;
	for (size_t t = 0; t < N_TERMS; t++)
	{
		for (uint32_t i = 0; i < n; i++)
			x[i] = term_value(&terms[t], p[i]);
		lines[t] = fit_line(x, y, n);
		double limit = chosen == N_TERMS ? constant->error * (1 - LEAST_GAIN)
										 : lines[chosen].error * (1 - 1e-9);
		if (lines[t].error < limit && lines[t].slope != 0)
			chosen = t;
	}
	return chosen;
}

/* In the order of their errors; terms come in theirs, so that of equals the simpler is first. */
static void
keep_alternative(PhScalingModel *model, const PhScalingAlternative *found)
{
	uint32_t at = model->n_alternatives++;
	for (; at > 0 && model->alternatives[at - 1].cross_validation > found->cross_validation; at--)
		model->alternatives[at] = model->alternatives[at - 1];
	model->alternatives[at] = *found;
}

/*
 * The hypotheses that predict left-out points as well as the chosen one (N_TERMS: the constant).
 * Of the constant, the simplest, these are only the ones that predict better, if too little to be
 * preferred. A prediction without error, as of a law without noise, has none.
 */
static void
find_alternatives(PhScalingModel *model, const Line lines[N_TERMS], size_t chosen,
				  const Line *constant)
{
	double limit = (chosen < N_TERMS ? PH_SCALING_EQUAL : 1) * model->cross_validation;
	double scale = 1e-9 * model->constant_validation;
	if (model->cross_validation <= scale)
		return;
	if (chosen < N_TERMS && model->constant_validation <= limit)
		keep_alternative(model,
						 &(PhScalingAlternative){.constant = constant->constant,
												 .cross_validation = model->constant_validation});
	for (size_t t = 0; t < N_TERMS; t++)
	{
		PhScalingAlternative found = {lines[t].constant, lines[t].slope,
									  (double) terms[t].numerator / terms[t].denominator,
									  terms[t].log, sqrt(lines[t].error / model->n)};
		if (t != chosen && found.cross_validation <= limit && found.coefficient != 0)
			keep_alternative(model, &found);
	}
}

static double
predict(const PhScalingModel *model, double p)
{
	if (model->coefficient == 0)
		return model->constant;
	double log = model->log_exponent == 0 ? 1 : pow(log2(p), model->log_exponent);
	return model->constant + model->coefficient * pow(p, model->exponent) * log;
}

/*
 * Fills in how well the model explains the points (r squared, symmetric mean percentage error) and
 * how much it grows from the least parameter to the greatest.
 */
static void
judge(PhScalingModel *model, const double *p, const double *y)
{
	double mean = mean_of(y, model->n), squares = 0, errors = 0, relative = 0;
	double smallest = p[0], largest = p[0];
	for (uint32_t i = 0; i < model->n; i++)
	{
		double error = predict(model, p[i]) - y[i];
		double size = fabs(predict(model, p[i])) + fabs(y[i]);
		squares += (y[i] - mean) * (y[i] - mean);
		errors += error * error;
		relative += size > 0 ? 200 * fabs(error) / size : 0;
		smallest = fmin(smallest, p[i]);
		largest = fmax(largest, p[i]);
	}
	model->r_squared = squares > 0 ? fmax(1 - errors / squares, 0) : 0;
	model->smape = relative / model->n;
	model->growth = predict(model, largest) / predict(model, smallest);
}

#define RANGE_STEPS 256

/*
 * Where the model is below 0 within the range of the parameters though nothing was measured below
 * 0: at the parameters, and at steps between them on a logarithmic scale, since a curve may dip
 * between two of them. NaN for nowhere.
 */
static double
find_negative(const PhScalingModel *model, const double *p, const double *y)
{
	double smallest = p[0], largest = p[0], found = (double) NAN;
	for (uint32_t i = 0; i < model->n; i++)
	{
		if (y[i] < 0)
			return (double) NAN;
		smallest = fmin(smallest, p[i]);
		largest = fmax(largest, p[i]);
		if (predict(model, p[i]) < 0)
			found = fmin(found, p[i]);
	}
	for (uint32_t step = 0; step <= RANGE_STEPS; step++)
	{
		double at = smallest * pow(largest / smallest, (double) step / RANGE_STEPS);
		if (predict(model, at) < 0)
			return fmin(found, at);
	}
	return found;
}

PhStatus
ph_scaling_model(PhArena *arena, const double *parameters, const double *values, uint32_t n,
				 PhScalingModel *out)
{
	double *p, *y, *x, nan = (double) NAN;
	PhScalingModel model = {0, nan, nan, nan, nan, nan, nan, nan, nan, nan, .negative_at = nan};
	PH_TRY(PH_NEW(arena, n, &p));
	PH_TRY(PH_NEW(arena, n, &y));
	PH_TRY(PH_NEW(arena, n, &x));
	PH_TRY(keep_pairs(arena->env, parameters, values, n, p, y, &model.n, &model.n_distinct));
	if (model.n > 0)
	{
		Line lines[N_TERMS], constant = fit_constant(y, model.n);
		bool has_model = model.n_distinct >= PH_SCALING_MIN_POINTS;
		size_t chosen =
			has_model ? choose_term(p, y, x, model.n, &constant, lines) : (size_t) N_TERMS;
		const Term *term = chosen < N_TERMS ? &terms[chosen] : NULL;
		Line best = term == NULL ? constant : lines[chosen];
		model.constant = best.constant;
		model.coefficient = best.slope;
		model.exponent = term == NULL ? 0 : (double) term->numerator / term->denominator;
		model.log_exponent = term == NULL ? 0 : term->log;
		model.cross_validation = sqrt(best.error / model.n);
		model.constant_validation = sqrt(constant.error / model.n);
		judge(&model, p, y);
		if (has_model)
		{
			find_alternatives(&model, lines, chosen, &constant);
			model.negative_at = find_negative(&model, p, y);
		}
	}
	*out = model;
	return PH_OK;
}

/* An exponent as its fraction. */
static void
exponent_text(double exponent, char *out, size_t size)
{
	for (size_t t = 0; t < N_TERMS; t++)
	{
		if ((double) terms[t].numerator / terms[t].denominator != exponent)
			continue;
		if (terms[t].denominator == 1)
			snprintf(out, size, terms[t].numerator < 0 ? "^(%d)" : "^%d", terms[t].numerator);
		else
			snprintf(out, size, "^(%d/%d)", terms[t].numerator, terms[t].denominator);
		return;
	}
	snprintf(out, size, "^%g", exponent);
}

void
ph_scaling_model_text(const PhScalingModel *model, const char *parameter, char *out, size_t size)
{
	char power[64] = "", log[96] = "", constant[48] = "";
	if (model->coefficient == 0 || isnan(model->coefficient))
	{
		snprintf(out, size, "%.6g", model->constant);
		return;
	}
	if (model->log_exponent != 0)
		snprintf(log, sizeof(log), " * log2(%.*s)%s", ph_text_fit(parameter, 60), parameter,
				 model->log_exponent == 2 ? "^2" : "");
	if (model->exponent != 0 && model->exponent != 1)
		exponent_text(model->exponent, power, sizeof(power));
	if (model->constant != 0)
		snprintf(constant, sizeof(constant), "%.6g %c ", model->constant,
				 model->coefficient < 0 ? '-' : '+');
	else if (model->coefficient < 0)
		snprintf(constant, sizeof(constant), "-");
	snprintf(out, size, "%s%.6g%s%.*s%s%s", constant, fabs(model->coefficient),
			 model->exponent != 0 ? " * " : "",
			 ph_text_fit(model->exponent != 0 ? parameter : "", 60),
			 model->exponent != 0 ? parameter : "", power, log);
}

void
ph_scaling_alternative_text(const PhScalingAlternative *alternative, const char *parameter,
							char *out, size_t size)
{
	PhScalingModel model = {.constant = alternative->constant,
							.coefficient = alternative->coefficient,
							.exponent = alternative->exponent,
							.log_exponent = alternative->log_exponent};
	ph_scaling_model_text(&model, parameter, out, size);
}

void
ph_scaling_caution(const PhScalingModel *model, const char *parameter, char *out, size_t size)
{
	int length = 0;
	out[0] = '\0';
	if (model->n_distinct < PH_SCALING_MIN_POINTS)
	{
		snprintf(out, size, "too few sizes: %u, a model needs %d", model->n_distinct,
				 PH_SCALING_MIN_POINTS);
		return;
	}
	if (!isnan(model->negative_at))
		length = snprintf(out, size, "negative at %.*s %.6g", ph_text_fit(parameter, 60), parameter,
						  model->negative_at);
	if (model->n_alternatives > 0 && length >= 0 && (size_t) length < size)
		snprintf(out + length, size - (size_t) length, "%s%u other model%s as good",
				 length > 0 ? "; " : "", model->n_alternatives,
				 model->n_alternatives == 1 ? " is" : "s are");
}
