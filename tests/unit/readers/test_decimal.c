/*
 * test_decimal.c - decimals are read as strtod reads them, to the bit; everything else is left to
 * it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/decimal.h"

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t
take(const char *text, double *out)
{
	return ph_take_decimal((const uint8_t *) text, strlen(text), out);
}

static void
must_be_exact(const char *text)
{
	double value = 0.0;
	double right = strtod(text, NULL);
	assert_int_equal(take(text, &value), strlen(text));
	assert_memory_equal(&value, &right, sizeof(value));
}

static void
random_decimals_are_exact(void **state)
{
	(void) state;
	uint64_t random = 88172645463325252U;
	char text[64];
	for (int i = 0; i < 100000; i++)
	{
		uint64_t digits = next(&random) >> (12 + next(&random) % 52); /* below 2^52 */
		int fraction = (int) (next(&random) % 12);
		uint64_t power = 1;
		for (int k = 0; k < fraction; k++)
			power *= 10;
		snprintf(text, sizeof(text), fraction == 0 ? "%s%llu" : "%s%llu.%0*llu",
				 next(&random) % 2 == 0 ? "" : "-", (unsigned long long) (digits / power), fraction,
				 (unsigned long long) (digits % power));
		must_be_exact(text);
	}
}

static void
limits_are_exact(void **state)
{
	(void) state;
	static const char *const texts[] = {"0",
										"-0",
										"0.0",
										"9007199254740992",
										"0.9007199254740992",
										"-0.00000000000000001",
										"90071992.54740992",
										"10.50"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		must_be_exact(texts[i]);
}

static void
others_are_left_alone(void **state)
{
	(void) state;
	static const char *const texts[] = {"",
										"-",
										".5",
										"1.",
										"01",
										"-.1",
										"nan",
										"+1",
										" 1",
										"9007199254740993",
										"0.000000000000000001",
										"18446744073709551617",
										"1.0000000000000000000000000000000000001"};
	double value;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(take(texts[i], &value), 0);
	assert_int_equal(take("1.5e3", &value), 3);
	assert_int_equal(take("7,8", &value), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_decimals_are_exact),
		cmocka_unit_test(limits_are_exact),
		cmocka_unit_test(others_are_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
