/*
 * test_numbers.c - packed vectors come back bit by bit, small where they are decimals, and bytes
 * that are none are refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stored/loops.h"

#define MOST 1500

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double
unit(uint64_t *state)
{
	return (double) (next(state) >> 11) / 9007199254740992.0;
}

typedef double (*Make)(uint64_t *state, size_t i);

static double
make_zero(uint64_t *state, size_t i)
{
	(void) state;
	(void) i;
	return 0;
}

static double
make_printed(uint64_t *state, size_t i)
{
	char text[40];
	(void) i;
	snprintf(text, sizeof(text), "%.6f", unit(state));
	return strtod(text, NULL);
}

static double
make_scaled(uint64_t *state, size_t i)
{
	(void) i;
	return (double) (next(state) % 1000000) * 1e-6;
}

/* Microseconds with decimals, in seconds. */
static double
make_converted(uint64_t *state, size_t i)
{
	return make_printed(state, i) / 1e6;
}

static double
make_count(uint64_t *state, size_t i)
{
	(void) i;
	return (double) (1000000 + next(state) % 4096);
}

static double
make_outliers(uint64_t *state, size_t i)
{
	return i % 100 == 7 ? 1e9 * unit(state) : make_count(state, i);
}

static double
make_idle(uint64_t *state, size_t i)
{
	return i % 9 == 0 ? 0 : make_count(state, i);
}

static double
make_real(uint64_t *state, size_t i)
{
	(void) i;
	return unit(state);
}

static double
make_any_bits(uint64_t *state, size_t i)
{
	uint64_t bits = next(state);
	double value;
	(void) i;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double
make_odd(uint64_t *state, size_t i)
{
	static const double odd[] = {
		-0.0,	0.0, NAN,	INFINITY,			-INFINITY, DBL_MAX, -DBL_MAX,  DBL_MIN,
		5e-324, 0.1, 1e300, 9007199254740993.0, -1,		   1e-18,	123456.75, 1e22};
	(void) i;
	return odd[next(state) % (sizeof(odd) / sizeof(odd[0]))];
}

static double
make_negative(uint64_t *state, size_t i)
{
	return make_printed(state, i) - 0.5;
}

static const struct
{
	const char *name;
	Make make;
	double most; /* bytes a number of a long vector */
} kinds[] = {
	{"zero", make_zero, 0.01},		   {"converted", make_converted, 2.51},
	{"printed", make_printed, 2.51},   {"scaled", make_scaled, 2.51},
	{"counts", make_count, 1.51},	   {"outliers", make_outliers, 1.7},
	{"idle", make_idle, 2.7},		   {"real", make_real, 7.6},
	{"any bits", make_any_bits, 8.01}, {"odd", make_odd, 8.2},
	{"negative", make_negative, 8.01},
};

/* Bytes that were needed; the numbers are the same bits. */
static size_t
there_and_back(const double *values, size_t n, PhNumberForm *form)
{
	static uint64_t scratch[MOST];
	static double back[MOST];
	size_t bound = ph_numbers_bound(n);
	uint8_t *bytes = malloc(bound);
	PhNumberForm found = {9, 9, 9};
	assert_non_null(bytes);
	size_t size = (size_t) (ph_numbers_pack(values, n, scratch, form, bytes) - bytes);
	assert_true(size <= bound);
	uint8_t *exact = malloc(size); /* so that a sanitizer sees reads past the end */
	assert_non_null(exact);
	memcpy(exact, bytes, size);
	PhByteReader reader = {exact, exact, exact + size, false};
	memset(back, 0x55, sizeof(back));
	ph_numbers_unpack(&reader, n, back, &found);
	assert_false(reader.bad);
	assert_ptr_equal(reader.at, reader.end);
	if (n > 0)
		assert_memory_equal(back, values, n * sizeof(double));
	assert_int_equal(found.mode, form->mode);
	free(exact);
	free(bytes);
	return size;
}

static void
every_vector_comes_back(void **unused)
{
	static const size_t lengths[] = {0,	  1,   2,	3,	 4,	  7,   8,	 63,  64,
									 255, 256, 257, 300, 511, 513, 1024, MOST};
	double values[MOST];
	(void) unused;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++)
		{
			uint64_t state = 88172645463325252u + k * 977 + l;
			size_t n = lengths[l];
			for (size_t i = 0; i < n; i++)
				values[i] = kinds[k].make(&state, i);
			PhNumberForm form = {0};
			size_t size = there_and_back(values, n, &form);
			if (n == MOST && (double) size > kinds[k].most * (double) n)
				fail_msg("%s: %zu bytes for %zu numbers", kinds[k].name, size, n);
		}
}

static void
every_width_comes_back(void **unused)
{
	double values[MOST];
	(void) unused;
	for (uint32_t width = 0; width <= 64; width++)
	{
		uint64_t state = 4711 + width;
		for (size_t i = 0; i < MOST; i++)
		{
			uint64_t bits = 0x3ff0000000000000u;
			bits += width == 0 ? 0 : next(&state) >> (64 - width);
			memcpy(&values[i], &bits, sizeof(bits));
		}
		PhNumberForm form = {0};
		there_and_back(values, MOST, &form);
		there_and_back(values, 256 + width, &form);
	}
}

/* A form that is handed on never makes a vector wrong. */
static void
hints_are_only_hints(void **unused)
{
	double values[200];
	uint64_t state = 99;
	PhNumberForm form = {0};
	(void) unused;
	for (uint32_t round = 0; round < 500; round++)
	{
		Make make = kinds[next(&state) % (sizeof(kinds) / sizeof(kinds[0]))].make;
		for (size_t i = 0; i < 200; i++)
			values[i] = make(&state, i);
		there_and_back(values, next(&state) % 201, &form);
	}
}

static void
rounding_finds_decimals(void **unused)
{
	(void) unused;
	PhNumberForm over = {PH_NUMBER_OVER, 6, 0}, times = {PH_NUMBER_TIMES, 6, 0};
	PhNumberForm scaled = {PH_NUMBER_SCALED, 2, 6};
	assert_true(ph_number_round(over, 0.1 + 0.2) == 0.3);
	assert_true(ph_number_round(times, 3.0000000004) == 3000000 * 1e-6);
	assert_true(ph_number_round(over, -2.5000000001) == -2.5);
	assert_true(ph_number_round(over, 1e300) == 1e300);
	assert_true(ph_number_round(scaled, 12.340001e-6) == 12.34 / 1e6);
	assert_true(ph_number_round((PhNumberForm){0}, 0.1 + 0.2) == 0.1 + 0.2);
}

/* Whatever the bytes: no read past the end (sanitizers), and cut ones are bad. */
static void
damaged_bytes_are_refused(void **unused)
{
	static uint64_t scratch[300];
	double values[300], back[300];
	uint8_t bytes[32 + 8 * 300];
	PhNumberForm form = {0};
	uint64_t state = 5;
	(void) unused;
	for (size_t i = 0; i < 300; i++)
		values[i] = make_outliers(&state, i);
	size_t size = (size_t) (ph_numbers_pack(values, 300, scratch, &form, bytes) - bytes);
	for (size_t cut = 0; cut < size; cut++)
	{
		uint8_t *part = malloc(cut + 1);
		assert_non_null(part);
		memcpy(part, bytes, cut);
		PhByteReader reader = {part, part, part + cut, false};
		ph_numbers_unpack(&reader, 300, back, &form);
		assert_true(reader.bad);
		free(part);
	}
	for (uint32_t round = 0; round < 20000; round++)
	{
		uint8_t *changed = malloc(size);
		assert_non_null(changed);
		memcpy(changed, bytes, size);
		changed[next(&state) % (round % 2 ? size : 24)] = (uint8_t) next(&state);
		PhByteReader reader = {changed, changed, changed + size, false};
		ph_numbers_unpack(&reader, 300, back, &form);
		free(changed);
	}
}

/* An exponent beyond the powers of ten, a scale of a form that has none or the reverse: refused. */
static void
forms_that_are_none_are_refused(void **unused)
{
	static const double values[] = {0.25, 1.5, 2.75, 3.25};
	uint64_t scratch[4];
	double back[4];
	uint8_t bytes[64];
	PhNumberForm form = {0};
	(void) unused;
	uint8_t *end = ph_numbers_pack(values, 4, scratch, &form, bytes);
	assert_int_not_equal(form.mode, PH_NUMBER_BITS);
	for (uint32_t mode = PH_NUMBER_TIMES; mode <= PH_NUMBER_SCALED; mode++)
		for (uint32_t byte = 0; byte < 256; byte++)
		{
			uint32_t exponent = byte % 32, scale = byte / 32;
			bytes[0] = (uint8_t) mode;
			bytes[1] = (uint8_t) byte;
			PhByteReader reader = {bytes, bytes, end, false};
			ph_numbers_unpack(&reader, 4, back, &form);
			assert_true(reader.bad == (exponent > PH_NUMBER_EXPONENT_MAX || scale > 4 ||
									   (scale > 0) != (mode == PH_NUMBER_SCALED)));
		}
}

static void
varints_are_checked(void **unused)
{
	static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
	uint8_t bytes[16];
	(void) unused;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
	{
		PhByteWriter writer = {bytes};
		ph_put_varint(&writer, numbers[i]);
		PhByteReader reader = {bytes, bytes, writer.at, false};
		assert_true(ph_get_varint(&reader) == numbers[i]);
		assert_false(reader.bad);
	}
	memset(bytes, 0xff, sizeof(bytes));
	PhByteReader endless = {bytes, bytes, bytes + sizeof(bytes), false};
	ph_get_varint(&endless);
	assert_true(endless.bad);
}

/* Vectors of any length and mask, and forms of every kind, against one number after the other. */
static void
rounds_vectors_as_numbers(void **context)
{
	static const PhNumberForm forms[] = {{PH_NUMBER_BITS, 0, 0},   {PH_NUMBER_TIMES, 6, 0},
										 {PH_NUMBER_OVER, 0, 0},   {PH_NUMBER_OVER, 6, 0},
										 {PH_NUMBER_SCALED, 3, 6}, {PH_NUMBER_OVER, 18, 0}};
	uint64_t state = 7;
	(void) context;
	for (uint32_t round = 0; round < 3000; round++)
	{
		PhNumberForm form = forms[next(&state) % (sizeof(forms) / sizeof(*forms))];
		double values[70], wanted[70];
		uint8_t mask[9];
		size_t n = next(&state) % 70;
		bool has_mask = next(&state) % 3 != 0;
		for (size_t i = 0; i < sizeof(mask); i++)
			mask[i] = (uint8_t) next(&state);
		for (size_t i = 0; i < n; i++)
		{
			double size = pow(10, (double) (next(&state) % 30) - 12);
			values[i] = (unit(&state) - 0.3) * size;
			bool is_chosen = !has_mask || (mask[i / 8] >> (i % 8) & 1) != 0;
			wanted[i] = is_chosen ? ph_number_round(form, values[i]) : values[i];
		}
		ph_loop_round(form, has_mask ? mask : NULL, n, values);
		for (size_t i = 0; i < n; i++)
			assert_memory_equal(&values[i], &wanted[i], sizeof(*values));
	}
}

/* As the definitions say it, cell by cell. */
static void
subtracts_and_finds_residuals(void **context)
{
	uint64_t state = 11;
	(void) context;
	for (uint32_t round = 0; round < 3000; round++)
	{
		double a[40], b[40], c[40], to[40], rest[40];
		size_t n = next(&state) % 40;
		bool is_signed = next(&state) % 2 != 0, is_cut = false, is_found = false;
		bool wanted_cut = false, wanted_found = false;
		for (size_t i = 0; i < n; i++)
		{
			a[i] = next(&state) % 4 == 0 ? 0 : unit(&state);
			b[i] = next(&state) % 4 == 0 ? a[i] : unit(&state);
			c[i] = next(&state) % 3 == 0 ? a[i] - b[i] : next(&state) % 2 == 0 ? 1e-12 : 1e-3;
		}
		ph_loop_subtract(is_signed, a, b, n, to, &is_cut);
		ph_loop_residual(a, b, c, n, rest, &is_found);
		for (size_t i = 0; i < n; i++)
		{
			bool is_below = a[i] < b[i] && !is_signed;
			double largest = fmax(fmax(fabs(a[i]), fabs(b[i])), fabs(c[i]));
			double left = a[i] - b[i] - c[i];
			left = fabs(left) > 1e-9 * largest ? left : 0;
			assert_true(to[i] == (is_below ? 0 : a[i] - b[i]));
			assert_true(rest[i] == left);
			wanted_cut |= is_below;
			wanted_found |= left != 0;
		}
		assert_int_equal(is_cut, wanted_cut);
		assert_int_equal(is_found, wanted_found);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_vectors_as_numbers),
		cmocka_unit_test(subtracts_and_finds_residuals),
		cmocka_unit_test(every_vector_comes_back),
		cmocka_unit_test(every_width_comes_back),
		cmocka_unit_test(hints_are_only_hints),
		cmocka_unit_test(rounding_finds_decimals),
		cmocka_unit_test(damaged_bytes_are_refused),
		cmocka_unit_test(forms_that_are_none_are_refused),
		cmocka_unit_test(varints_are_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
