/*
 * test_scaling_view.c - scaling pictures: ticks, common spans, models in words, clean pictures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scene.h"
#include "views/history/scaling.h"

static void
random_scaling(Studio *studio, uint32_t n_panels, uint32_t n_numbers)
{
	studio_row(studio, "runs", "{\"n\":%u,\"application\":\"random\",\"commits\":1,\"without\":0}",
			   n_numbers);
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"s\"}");
	studio_row(
		studio, "choice",
		"{\"candidates\":99,\"parameter\":\"n_ranks\",\"cost\":\"inclusive\",\"scaling\":\"%s\"}",
		rand() % 2 ? "weak" : "strong");
	for (uint32_t p = 1; p <= n_panels; p++)
	{
		double level = pow(10, rand() % 9 - 6) * (1 + rand() % 9);
		double exponent = (rand() % 9 - 4) / 2.0;

		studio_row(
			studio, "models",
			"{\"panel\":%u,\"path\":\"main/work/function_with_a_long_name_%d\",\"model\":\"%g "
			"+ %g * p^(%d/2) * log2(p)\",\"constant\":%g,\"coefficient\":%g,\"exponent\":%g,"
			"\"log_exponent\":1,\"r_squared\":0.9,\"smape\":3.2,\"growth\":2}",
			p, rand() % 100, level, level / 10, (int) (exponent * 2), level, level / 10, exponent);
		for (uint32_t i = 0; i < n_numbers; i++)
			studio_row(studio, "points",
					   "{\"panel\":%u,\"parameter\":%u,\"value\":%g,\"speedup\":1,"
					   "\"efficiency\":0.5}",
					   p, 1u << i, rand() % 20 ? level * (1 + rand() % 100 / 100.0) : 0.0);
	}
}

static void
pictures_are_clean(void **state)
{
	(void) state;
	srand(11);
	for (int round = 0; round < 40; round++)
	{
		uint32_t n = 1 + (uint32_t) rand() % 18;
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		random_scaling(&studio, n, 1 + (uint32_t) rand() % 14);
		studio_draw(&studio, "scaling", round % 3 ? "" : "--width 640", &scene);
		scene_check(&scene);
		assert_int_equal(scene_count(&scene, "panel"), n);
		studio_close(&studio);
	}
}

static void
ticks_are_round_and_inside(void **state)
{
	(void) state;
	srand(12);
	for (int i_round = 0; i_round < 5000; i_round++)
	{
		double low = pow(10, (rand() % 2000 - 1000) / 100.0);
		double high = low * pow(10, 0.35 + (rand() % 1000) / 80.0);
		uint32_t most = 2 + (uint32_t) rand() % 7;
		double ticks[8];
		uint32_t n = ph_log_ticks(low, high, ticks, most);

		assert_true(n >= 1 && n <= most);
		for (uint32_t i = 0; i < n; i++)
		{
			double mantissa = ticks[i] / pow(10, floor(log10(ticks[i]) + 1e-9));

			assert_true(ticks[i] >= low * (1 - 1e-9) && ticks[i] <= high * (1 + 1e-9));
			assert_true(i == 0 || ticks[i] > ticks[i - 1]);
			assert_true(fabs(mantissa * 10 - round(mantissa * 10)) < 1e-6);
		}
	}
}

/* Every point is inside its panel's axis; panels that do not need far more have one span. */
static void
spans_are_equal(void **state)
{
	(void) state;
	srand(13);
	for (int round = 0; round < 500; round++)
	{
		Studio studio;
		PhScaling scaling;
		uint32_t n_own;
		double span = 0;

		studio_open(&studio);
		random_scaling(&studio, 1 + (uint32_t) rand() % 9, 1 + (uint32_t) rand() % 6);
		ph_scaling_read(&studio.arena, &studio.rows, &scaling);
		n_own = ph_scaling_scales(&studio.arena, &scaling);
		for (uint32_t i = 0; i < scaling.n; i++)
		{
			const PhScalingPanel *panel = &scaling.panels[i];

			n_own -= panel->own_span;
			for (uint32_t k = 0; k < panel->n; k++)
				assert_true(panel->points[k].value <= 0 || (panel->points[k].value > panel->low &&
															panel->points[k].value < panel->high));
			if (panel->own_span)
				continue;
			assert_true(span == 0 || fabs(log10(panel->high / panel->low) - span) < 1e-9);
			span = log10(panel->high / panel->low);
		}
		assert_int_equal(n_own, 0);
		studio_close(&studio);
	}
}

static void
models_are_said_in_words(void **state)
{
	PhScaling scaling = {.unit_name = "s", .n_numbers = 5, .parameter = "ranks"};
	PhScalingPanel panel = {
		.model = {.constant = 2, .coefficient = 3, .exponent = 0.75, .log_exponent = 2},
		.model_text = "2 + 3 * p^(3/4) * log2(p)^2"};
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_string_equal(ph_scaling_words(&studio.arena, &scaling, &panel),
						"grows like p^(3/4) \xc2\xb7 log\xe2\x82\x82\xc2\xb2(p)");
	assert_float_equal(ph_scaling_model_at(&panel.model, 16), 2 + 3 * 8 * 16, 1e-9);
	panel.caution = "too few sizes: 3, a model needs 4";
	assert_string_equal(ph_scaling_words(&studio.arena, &scaling, &panel),
						"no model: too few sizes: 3, a model needs 4");
	panel.caution = "2 other models are as good";
	panel.model.coefficient = -3;
	panel.model.log_exponent = 0;
	panel.model.exponent = 1;
	panel.model_text = "2 - 3 * p";
	assert_string_equal(ph_scaling_words(&studio.arena, &scaling, &panel), "falls like p");
	panel.model.exponent = -1;
	panel.model_text = "2 - 3 * p^(-1)";
	assert_string_equal(ph_scaling_words(&studio.arena, &scaling, &panel),
						"tends to 2 s like p^(-1)");
	panel.model.coefficient = 0;
	assert_string_equal(ph_scaling_words(&studio.arena, &scaling, &panel), "constant");
	scaling.n_numbers = 3;
	assert_string_equal(ph_scaling_words(&studio.arena, &scaling, &panel),
						"no model from 3 numbers, it needs 4");
	panel.base = 8;
	panel.base_value = 4;
	assert_float_equal(ph_scaling_ideal_at(&scaling, &panel, 32), 1, 1e-12);
	scaling.weak = true;
	assert_float_equal(ph_scaling_ideal_at(&scaling, &panel, 32), 4, 1e-12);
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_are_clean),
		cmocka_unit_test(ticks_are_round_and_inside),
		cmocka_unit_test(spans_are_equal),
		cmocka_unit_test(models_are_said_in_words),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
