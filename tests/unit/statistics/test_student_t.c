/*
 * test_student_t.c - Student's t and the incomplete beta function, against exact forms and
 * integrals.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics/student_t.h"
#include "support/series.h"

/* Exact forms of 1, 2 and 4 degrees; tails far out from the leading term. */
static void
tails_of_student_are_exact(void **state)
{
	(void) state;
	for (double t = 0.01; t < 1e6; t *= 1.7)
	{
		assert_ratio(ph_student_two_sided(t, 1), 2 * atan(1 / t) / M_PI, 1e-9);
		double two = 2 / (sqrt(2 + t * t) * (t + sqrt(2 + t * t)));
		assert_ratio(ph_student_two_sided(-t, 2), two, 1e-9);
	}
	assert_ratio(ph_student_two_sided(2.7764451051977987, 4), 0.05, 1e-9);
	assert_ratio(ph_student_two_sided(1.9599639845400545, 1e9), 0.05, 1e-6);
	assert_ratio(ph_student_two_sided(1.9599639845400545, INFINITY), 0.05, 1e-9);
	assert_true(ph_student_two_sided(0, 5) == 1);
	assert_true(ph_student_two_sided(INFINITY, 5) == 0);
	assert_true(isnan(ph_student_two_sided((double) NAN, 5)));
	assert_true(isnan(ph_student_two_sided(1, 0)));
}

static void
quantiles_invert_tails(void **state)
{
	(void) state;
	for (double degrees = 0.5; degrees < 1e4; degrees *= 1.9)
		for (double p = 1e-30; p <= 1; p *= 31)
			assert_ratio(ph_student_two_sided(ph_student_two_sided_quantile(p, degrees), degrees),
						 p, 1e-8);
}

/* I_x(a, b) against the integral by Simpson's rule. */
static void
incomplete_beta_is_the_integral(void **state)
{
	(void) state;
	for (uint32_t k = 0; k < 200; k++)
	{
		double a = 3 + random_uniform() * 30, b = 3 + random_uniform() * 30, x = random_uniform(),
			   sum = 0;
		enum
		{
			STEPS = 4000
		};
		double constant = exp(lgamma(a + b) - lgamma(a) - lgamma(b));
		for (int i = 0; i <= STEPS; i++)
		{
			double at = x * i / STEPS;
			sum += pow(at, a - 1) * pow(1 - at, b - 1) *
				   (i == 0 || i == STEPS ? 1
					: i % 2 == 1		 ? 4
										 : 2);
		}
		double expected = constant * sum * x / STEPS / 3;
		assert_true(fabs(ph_incomplete_beta(x, a, b) - expected) < 1e-6);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tails_of_student_are_exact),
		cmocka_unit_test(quantiles_invert_tails),
		cmocka_unit_test(incomplete_beta_is_the_integral),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
