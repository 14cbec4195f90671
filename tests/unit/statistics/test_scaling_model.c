/*
 * test_scaling_model.c - models of known laws, leave-one-out against refitting, limits.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "statistics/scaling_model.h"
#include "support/fault_env.h"
#include "support/random_profile.h"

static RandomNumbers numbers = {7};
static PhEnv env;
static PhArena arena;

static const double ranks[] = {8, 27, 64, 125, 216, 343};

#define N_RANKS 6

static double
uniform(void)
{
	return (numbers_below(&numbers, 1000003) + 0.5) / 1000003;
}

static PhScalingModel
model_of(const double *p, const double *y, uint32_t n)
{
	PhScalingModel model;
	if (ph_scaling_model(&arena, p, y, n, &model) != PH_OK)
		fail_msg("%s", env.error.message);
	return model;
}

/* Sums that no constant is part of: what rounding leaves of one is neither fitted nor printed. */
static void
rounding_is_no_term(void **state)
{
	static const struct
	{
		double i, j, coefficient;
		const char *text;
	} laws[] = {{1, 0, 16.125, "16.125 * p"},
				{1, 0, 0.1, "0.1 * p"},
				{2, 0, 1e9 / 3, "3.33333e+08 * p^2"},
				{0, 1, 1e-9 / 7, "1.42857e-10 * log2(p)"},
				{3, 0, 0.7, "0.7 * p^3"},
				{1, 1, -2.3, "-2.3 * p * log2(p)"},
				{-1, 0, 4.1, "4.1 * p^(-1)"}};
	(void) state;
	for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++)
	{
		double y[N_RANKS];
		char text[200];
		for (int i = 0; i < N_RANKS; i++)
			y[i] = laws[k].coefficient * pow(ranks[i], laws[k].i) * pow(log2(ranks[i]), laws[k].j);
		PhScalingModel model = model_of(ranks, y, N_RANKS);
		ph_scaling_model_text(&model, "p", text, sizeof(text));
		assert_string_equal(text, laws[k].text);
		assert_true(model.constant == 0);
		for (int i = 0; i < N_RANKS; i++)
			y[i] = 0.3 + 1e-14 * laws[k].coefficient / fabs(laws[k].coefficient) * i;
		model = model_of(ranks, y, N_RANKS);
		assert_true(model.coefficient == 0);
	}
}

/* A constant that is small, and yet more than rounding, stays. */
static void
small_terms_stay(void **state)
{
	double y[N_RANKS];
	char text[200];
	(void) state;
	for (int i = 0; i < N_RANKS; i++)
		y[i] = 1e-6 + 16.125 * ranks[i];
	PhScalingModel model = model_of(ranks, y, N_RANKS);
	ph_scaling_model_text(&model, "p", text, sizeof(text));
	assert_string_equal(text, "1e-06 + 16.125 * p");
}

static void
recovers_known_laws(void **state)
{
	static const struct
	{
		double i, j;
		const char *text;
	} laws[] = {{1, 0, "3 + 0.5 * p"},
				{0, 1, "3 + 0.5 * log2(p)"},
				{2, 0, "3 + 0.5 * p^2"},
				{1.5, 0, "3 + 0.5 * p^(3/2)"},
				{1, 1, "3 + 0.5 * p * log2(p)"},
				{0, 2, "3 + 0.5 * log2(p)^2"},
				{-1, 0, "3 + 0.5 * p^(-1)"},
				{1.0 / 3, 0, "3 + 0.5 * p^(1/3)"},
				{0.5, 2, "3 + 0.5 * p^(1/2) * log2(p)^2"},
				{1.0 / 3, 2, "3 + 0.5 * p^(1/3) * log2(p)^2"}};
	(void) state;
	for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++)
	{
		double y[N_RANKS];
		char text[200];
		for (uint32_t i = 0; i < N_RANKS; i++)
			y[i] = 3 + 0.5 * pow(ranks[i], laws[k].i) * pow(log2(ranks[i]), laws[k].j);
		PhScalingModel model = model_of(ranks, y, N_RANKS);
		ph_scaling_model_text(&model, "p", text, sizeof(text));
		assert_string_equal(text, laws[k].text);
		assert_true(model.r_squared > 1 - 1e-9 && model.smape < 1e-6);
		assert_true(fabs(model.growth / (y[5] / y[0]) - 1) < 1e-6);
		ph_scaling_caution(&model, "p", text, sizeof(text));
		assert_string_equal(text, "");
	}
}

/* y = constant + slope x by least squares over all points but one; its error at that one. */
static double
left_out_error(const double *x, const double *y, uint32_t n, uint32_t out)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, m = n - 1;
	for (uint32_t i = 0; i < n; i++)
	{
		sx += i == out ? 0 : x[i];
		sy += i == out ? 0 : y[i];
		sxx += i == out ? 0 : x[i] * x[i];
		sxy += i == out ? 0 : x[i] * y[i];
	}
	double slope = (m * sxy - sx * sy) / (m * sxx - sx * sx);
	return y[out] - (sy - slope * sx) / m - slope * x[out];
}

static double
error_of(double exponent, double log_exponent, const double *y)
{
	double x[N_RANKS], sum = 0;
	for (uint32_t i = 0; i < N_RANKS; i++)
		x[i] = pow(ranks[i], exponent) * pow(log2(ranks[i]), log_exponent);
	for (uint32_t i = 0; i < N_RANKS; i++)
		sum += pow(left_out_error(x, y, N_RANKS, i), 2);
	return sqrt(sum / N_RANKS);
}

/*
 * Every alternative predicts as well as it says, and none that does is left out: of a noisy linear
 * growth, tried against refitting with some hypotheses that are close to it and some that are not.
 */
static void
lists_models_that_are_as_good(void **state)
{
	static const double tried[][2] = {{1, 0},	 {0.8, 0}, {1.25, 0}, {0.75, 0},
									  {0.75, 1}, {1, 1},   {2, 0},	  {0, 1},
									  {0.5, 0},	 {0.5, 2}, {-1, 0},	  {2.0 / 3, 1}};
	uint32_t n_found = 0;
	(void) state;
	for (uint32_t round = 0; round < 300; round++)
	{
		double y[N_RANKS];
		for (uint32_t i = 0; i < N_RANKS; i++)
			y[i] = (100 + ranks[i]) * (1 + 0.1 * uniform());
		PhScalingModel model = model_of(ranks, y, N_RANKS);
		double limit = PH_SCALING_EQUAL * model.cross_validation;
		for (uint32_t k = 0; k < model.n_alternatives; k++)
		{
			const PhScalingAlternative *other = &model.alternatives[k];
			assert_true(other->cross_validation <= limit);
			assert_true(k == 0 || other->cross_validation >= other[-1].cross_validation);
			assert_true(other->exponent != model.exponent ||
						other->log_exponent != model.log_exponent);
			if (other->coefficient != 0)
				assert_true(fabs(other->cross_validation -
								 error_of(other->exponent, other->log_exponent, y)) < 1e-6 * limit);
		}
		for (size_t t = 0; t < sizeof(tried) / sizeof(tried[0]) && model.coefficient != 0; t++)
		{
			bool is_listed = tried[t][0] == model.exponent && tried[t][1] == model.log_exponent;
			for (uint32_t k = 0; k < model.n_alternatives; k++)
				is_listed |= fabs(model.alternatives[k].exponent - tried[t][0]) < 1e-12 &&
							 model.alternatives[k].log_exponent == tried[t][1];
			if (error_of(tried[t][0], tried[t][1], y) < limit * (1 - 1e-9))
				assert_true(is_listed);
		}
		n_found += model.n_alternatives > 0;
		ph_arena_drop(&arena);
	}
	assert_in_range(n_found, 30, 300);
}

static void
says_where_it_is_negative(void **state)
{
	const double p[] = {1, 2, 4, 8, 16, 32}, falls[] = {10, 6, 3.4, 1.5, 0.1, 0.05};
	const double signed_values[] = {10, 6, 3, 0, -3, -6};
	char text[100];
	(void) state;
	PhScalingModel model = model_of(p, falls, 6);
	bool is_negative = false;
	for (double at = 1; at <= 32; at *= 1.01)
		is_negative |= model.constant + model.coefficient * pow(at, model.exponent) *
											pow(log2(at), model.log_exponent) <
					   0;
	assert_true(is_negative && model.negative_at > 1 && model.negative_at <= 32);
	ph_scaling_caution(&model, "p", text, sizeof(text));
	assert_non_null(strstr(text, "negative at p "));
	assert_true(isnan(model_of(p, signed_values, 6).negative_at));
}

/* The error of the chosen model, with every point left out and the line fitted again. */
static double
slow_validation(const PhScalingModel *model, const double *p, const double *y, uint32_t n)
{
	double sum = 0;
	for (uint32_t out = 0; out < n; out++)
	{
		double sx = 0, sy = 0, sxx = 0, sxy = 0, m = n - 1;
		for (uint32_t i = 0; i < n; i++)
		{
			double x = pow(p[i], model->exponent) * pow(log2(p[i]), model->log_exponent);
			sx += i == out ? 0 : x;
			sy += i == out ? 0 : y[i];
			sxx += i == out ? 0 : x * x;
			sxy += i == out ? 0 : x * y[i];
		}
		double slope = model->coefficient == 0 ? 0 : (m * sxy - sx * sy) / (m * sxx - sx * sx);
		double x = pow(p[out], model->exponent) * pow(log2(p[out]), model->log_exponent);
		double error = y[out] - (sy - slope * sx) / m - slope * x;
		sum += error * error;
	}
	return sqrt(sum / n);
}

static void
validates_as_refitting_does(void **state)
{
	uint32_t n_growing = 0;
	(void) state;
	for (uint32_t round = 0; round < 2000; round++)
	{
		double p[12], y[12];
		uint32_t n = 4 + numbers_below(&numbers, 9);
		for (uint32_t i = 0; i < n; i++)
		{
			p[i] = 2 << numbers_below(&numbers, 8);
			y[i] = 10 + (round % 2) * p[i] + uniform();
		}
		PhScalingModel model = model_of(p, y, n);
		double expected = slow_validation(&model, p, y, n);
		assert_true(fabs(model.cross_validation - expected) <= 1e-6 * (1 + expected));
		assert_true(model.cross_validation <= model.constant_validation);
		n_growing += model.coefficient != 0;
		ph_arena_drop(&arena);
	}
	assert_in_range(n_growing, 800, 1700);
}

static void
calls_noise_constant(void **state)
{
	uint32_t constant = 0;
	(void) state;
	for (uint32_t round = 0; round < 500; round++)
	{
		double p[30], y[30];
		for (uint32_t i = 0; i < 30; i++)
		{
			p[i] = ranks[i % N_RANKS];
			y[i] = 5 + 0.1 * uniform();
		}
		constant += model_of(p, y, 30).coefficient == 0;
		ph_arena_drop(&arena);
	}
	assert_true(constant > 400);
}

#define E10 "éééééééééé"

static void
knows_its_limits(void **state)
{
	const double few[] = {1, 2, 3}, y[] = {1, 2, 3}, bad[] = {1, 2, 0};
	PhScalingModel model = model_of(few, y, 3);
	char text[100];
	(void) state;
	assert_true(model.coefficient == 0 && model.constant == 2 && model.n == 3);
	ph_scaling_model_text(&model, "n", text, sizeof(text));
	assert_string_equal(text, "2");
	ph_scaling_caution(&model, "n", text, sizeof(text));
	assert_string_equal(text, "too few sizes: 3, a model needs 4");
	assert_true(model.n_alternatives == 0 && isnan(model.negative_at));
	/* a parameter's name is cut between characters */
	model = (PhScalingModel){.coefficient = 2, .exponent = 1};
	ph_scaling_model_text(&model, "x" E10 E10 E10, text, sizeof(text));
	assert_string_equal(text, "2 * x" E10 E10 "ééééééééé");
	assert_true(isnan(model_of(few, y, 0).constant));
	assert_int_equal(ph_scaling_model(&arena, bad, y, 3, &model), PH_ERR_VALUE);
}

static PhStatus
fit(PhEnv *fault, void *user)
{
	PhArena own;
	PhScalingModel model;
	ph_arena_init(&own, fault);
	PhStatus status = ph_scaling_model(&own, ranks, user, N_RANKS, &model);
	ph_arena_drop(&own);
	return status;
}

static void
survives_faults(void **state)
{
	double y[N_RANKS] = {1, 2, 3, 4, 5, 6};
	(void) state;
	assert_string_equal(fault_env_try_allocations(fit, y, 0), "");
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	return 0;
}

static int
tear_down(void **state)
{
	(void) state;
	ph_arena_drop(&arena);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rounding_is_no_term, set_up, tear_down),
		cmocka_unit_test_setup_teardown(small_terms_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(recovers_known_laws, set_up, tear_down),
		cmocka_unit_test_setup_teardown(validates_as_refitting_does, set_up, tear_down),
		cmocka_unit_test_setup_teardown(calls_noise_constant, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists_models_that_are_as_good, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_where_it_is_negative, set_up, tear_down),
		cmocka_unit_test_setup_teardown(knows_its_limits, set_up, tear_down),
		cmocka_unit_test(survives_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
