/*
 * test_cprofile.c - profiles of Python: answers by hand, all versions of marshal, damage.
 *
 * small.pstats below tests/data/profiles is written here (PERFHOUSE_WRITE=1 writes it anew).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/completeness.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SMALL DATA "small.pstats"
#define REAL SHARED "/data/own/profiles/cprofile/demo.pstats"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a writer of marshal ---- */

typedef struct Writer
{
	uint8_t bytes[4096];
	size_t size;
	bool is_old; /* of Python 2: no references, long tuples, interned strings */
} Writer;

static void
put(Writer *writer, const void *bytes, size_t size)
{
	assert_true(size <= sizeof(writer->bytes) - writer->size);
	memcpy(writer->bytes + writer->size, bytes, size);
	writer->size += size;
}

static void
put_tag(Writer *writer, char type, bool flag)
{
	uint8_t tag = (uint8_t) type | (flag && !writer->is_old ? 0x80 : 0);
	put(writer, &tag, 1);
}

static void
put_number(Writer *writer, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
	{
		uint8_t byte = (uint8_t) (value >> (8 * i));
		put(writer, &byte, 1);
	}
}

static void
put_int(Writer *writer, int32_t value)
{
	put_tag(writer, 'i', false);
	put_number(writer, (uint32_t) value, 4);
}

static void
put_float(Writer *writer, double value)
{
	put_tag(writer, 'g', false);
	put(writer, &value, sizeof(value));
}

static void
put_text(Writer *writer, const char *text)
{
	put_tag(writer, writer->is_old ? 's' : 'z', false);
	put_number(writer, strlen(text), writer->is_old ? 4 : 1);
	put(writer, text, strlen(text));
}

static void
put_tuple(Writer *writer, size_t n, bool flag)
{
	put_tag(writer, writer->is_old ? '(' : ')', flag);
	put_number(writer, n, writer->is_old ? 4 : 1);
}

/* The key of a function, whole; new ones have number in the table of references. */
static void
put_key(Writer *writer, const char *file, int32_t line, const char *name)
{
	put_tuple(writer, 3, true);
	put_text(writer, file);
	put_int(writer, line);
	put_text(writer, name);
}

static void
put_reference(Writer *writer, uint32_t number)
{
	put_tag(writer, 'r', false);
	put_number(writer, number, 4);
}

static void
put_costs(Writer *writer, int32_t primitive, int32_t calls, double self, double total)
{
	put_tuple(writer, 5, false);
	put_int(writer, primitive);
	put_int(writer, calls);
	put_float(writer, self);
	put_float(writer, total);
	put_tag(writer, '{', false);
}

static void
put_caller(Writer *writer, int32_t calls, int32_t primitive, double self, double total)
{
	put_tuple(writer, 4, false);
	put_int(writer, calls);
	put_int(writer, primitive);
	put_float(writer, self);
	put_float(writer, total);
}

#define APP "/src/app/app.py"
#define LIB "/src/app/lib.py"
#define LEN "<built-in method builtins.len>"

/* The key of main, of which the first use is the function itself. */
static void
put_main(Writer *writer)
{
	if (writer->is_old)
		put_key(writer, APP, 1, "main");
	else
		put_reference(writer, 0);
}

static void
put_profile(Writer *writer)
{
	put_tag(writer, '{', false);
	put_key(writer, APP, 1, "main");
	put_costs(writer, 1, 1, 1.0, 10.0);
	put_tag(writer, '0', false);
	put_key(writer, APP, 5, "work");
	put_costs(writer, 3, 3, 4.0, 8.0);
	put_main(writer);
	put_caller(writer, 2, 2, 3.0, 6.0);
	put_key(writer, LIB, 7, "helper");
	put_caller(writer, 1, 1, 1.0, 2.0);
	put_tag(writer, '0', false);
	put_key(writer, LIB, 7, "helper");
	put_costs(writer, 2, 2, 0.5, 2.5);
	put_main(writer);
	put_caller(writer, 2, 2, 0.5, 2.5);
	put_tag(writer, '0', false);
	put_key(writer, LIB, 20, "fib");
	put_costs(writer, 1, 5, 2.0, 2.0);
	put_key(writer, APP, 5, "work");
	put_caller(writer, 1, 1, 0.5, 2.0);
	put_key(writer, LIB, 20, "fib");
	put_caller(writer, 4, 1, 1.5, 1.5);
	put_tag(writer, '0', false);
	put_key(writer, "~", 0, LEN);
	put_costs(writer, 8, 8, 0.5, 0.5);
	put_key(writer, APP, 5, "work");
	put_caller(writer, 6, 6, 0.25, 0.25);
	put_tag(writer, '0', false);
	put_tag(writer, '0', false);
}

static void
test_file(void **state)
{
	Writer writer = {0};
	(void) state;
	put_profile(&writer);
	check_generated_file(SMALL, writer.bytes, writer.size);
}

/* ---- answers ---- */

static void
check_profile(const PhProfile *profile)
{
	assert_int_equal(profile->n_nodes, 7);
	assert_string_equal(profile->strings[profile->metrics[0].name], "time");
	check_cost(profile, "time", "[\"main\"]", 0, 8.0, 1.0);
	check_cost(profile, "time", "[\"main\", \"work\"]", 0, 5.5, 3.0);
	check_cost(profile, "time", "[\"main\", \"helper\"]", 0, 1.5, 0.5);
	check_cost(profile, "time", "[\"main\", \"helper\", \"work\"]", 0, 1.0, 1.0);
	check_cost(profile, "time", "[\"main\", \"work\", \"fib\"]", 0, 2.0, 0.5);
	check_cost(profile, "time", "[\"main\", \"work\", \"fib\", \"fib\"]", 0, 1.5, 1.5);
	check_cost(profile, "time", "[\"main\", \"work\", \"" LEN "\"]", 0, 0.5, 0.5);
	check_cost(profile, "calls", "[\"main\", \"work\", \"fib\"]", 0, 5, 1);
	check_cost(profile, "primitive calls", "[\"main\", \"work\", \"fib\"]", 0, 1, 1);
	check_cost(profile, "time (inclusive)", "[\"main\", \"work\"]", 0, 8.0, 8.0);
	check_cost(profile, "time (inclusive)", "[\"main\", \"helper\", \"work\"]", 0, 2.0, 2.0);
	const PhRegion *fib =
		ph_profile_region(profile, find_node(profile, "[\"main\", \"work\", \"fib\"]"));
	assert_string_equal(profile->strings[fib->file], "lib.py");
	assert_int_equal(fib->line, 20);
}

static void
test_read(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	check_profile(run.profile);
	assert_int_equal(ph_run_completeness(&ph_reader_cprofile, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

static void
test_python_2(void **state)
{
	Writer writer = {.is_old = true};
	PhEnv env;
	PhRunInput run;
	(void) state;
	put_profile(&writer);
	assert_true(ph_reader_cprofile.detect_file("a", writer.bytes, writer.size));
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_CPROFILE, writer.bytes, writer.size, &run), PH_OK);
	check_profile(run.profile);
	done(&env, &run);
}

/* Numbers as text, long ones, interned strings, callers with calls alone. */
static void
test_old_kinds(void **state)
{
	static const char bytes[] = "{(\3\0\0\0t\1\0\0\0xi\1\0\0\0t\1\0\0\0f(\5\0\0\0l\1\0\0\0\2\0"
								"l\2\0\0\0\1\0\1\0"
								"f\0031.5I\2\0\0\0\0\0\0\0{"
								"(\3\0\0\0R\0\0\0\0i\2\0\0\0R\1\0\0\0i\7\0\0\0000"
								"0";
	PhEnv env;
	PhRunInput run;
	(void) state;
	ph_env_init_malloc(&env);
	if (read_bytes(&env, READ_CPROFILE, bytes, sizeof(bytes) - 1, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	check_cost(run.profile, "time", "[\"f\", \"f\"]", 0, 1.5, 1.5);
	check_cost(run.profile, "primitive calls", "[\"f\", \"f\"]", 0, 2, 2);
	check_cost(run.profile, "calls", "[\"f\", \"f\"]", 0, 32769, 32769);
	check_cost(run.profile, "time (inclusive)", "[\"f\", \"f\"]", 0, 2, 2);
	done(&env, &run);
}

/* What python3 -m pstats says of the file. */
static void
test_real(void **state)
{
	PhEnv env;
	PhRunInput run;
	double calls = 0, primitive = 0, time = 0, fib = 0;
	(void) state;
	skip_without_shared();
	must_read(&env, REAL, &run);
	const PhProfile *profile = run.profile;
	for (uint32_t i = 0; i < profile->n_nodes; i++)
	{
		double self =
			ph_profile_cell(profile, find_metric(profile, "time"), i, 0, PH_COST_EXCLUSIVE);
		time += self;
		calls += ph_profile_cell(profile, find_metric(profile, "calls"), i, 0, PH_COST_EXCLUSIVE);
		primitive += ph_profile_cell(profile, find_metric(profile, "primitive calls"), i, 0,
									 PH_COST_EXCLUSIVE);
		if (strcmp(ph_profile_node_name(profile, i), "fib") == 0)
			fib += self;
	}
	assert_true(calls == 9163 && primitive == 5771);
	assert_true(fabs(time - 0.043069190999999965) < 1e-12 && fabs(fib - 0.025250186) < 1e-12);
	done(&env, &run);
}

/* ---- damage ---- */

static void
check_bad(const char *bytes, size_t size, PhStatus expected, const char *message)
{
	PhEnv env;
	PhRunInput run;
	uint8_t *copy = malloc(size);
	memcpy(copy, bytes, size);
	ph_env_init_malloc(&env);
	PhStatus status = read_bytes(&env, READ_CPROFILE, copy, size, &run);
	check_error(&env, status, expected, message, message);
	free(copy);
}

#define BAD(bytes, message) check_bad(bytes, sizeof(bytes) - 1, PH_ERR_FORMAT, message)
#define KEY "\x29\3z\1xi\1\0\0\0z\1f"
#define ZERO "i\0\0\0\0"

static void
test_bad_values(void **state)
{
	(void) state;
	BAD("", "truncated");
	BAD("N", "a profile is a dictionary");
	BAD("\xe3\0\0\0\0", "byte 0: a kind of value that profiles do not have"); /* code */
	BAD("0", "no dictionary ends here");
	BAD("{00", "something follows the value");
	BAD("{N0", "a key has no value");
	BAD("{r\0\0\0\0", "byte 1: a reference to nothing");
	BAD("\xfbr\0\0\0\0N0", "byte 1: a value is within itself");
	BAD("(\xff\xff\xff\x7fN", "more items than there are bytes");
	BAD("((\1\0\0\0", "more items than there are bytes");
	BAD("(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0"
		"(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0(\1\0\0\0N",
		"nested too deeply");
	BAD("l\x41\0\0\0", "a number is too long");
	BAD("f\3abc", "a number is damaged");
	BAD("z\5abc", "truncated");
	BAD("{NN0", "byte 1: a function is no tuple");
	BAD("{\x29\2NN" ZERO "0", "byte 1: a function is no tuple");
	BAD("{\x29\3z\1xNz\1f" ZERO "0", "byte 6: a line is no number");
	BAD("{\x29\3Ni\1\0\0\0z\1f" ZERO "0", "byte 3: a name is no text");
	BAD("{\x29\3z\1\xffi\1\0\0\0z\1f" ZERO "0", "byte 3: a name is no text, or not valid UTF-8");
	BAD("{" KEY ZERO "0", "byte 14: what a function cost is no tuple of five");
	BAD("{" KEY "\x29\5" ZERO ZERO ZERO ZERO "N0", "callers are no dictionary");
	BAD("{" KEY "\x29\5" ZERO ZERO "N" ZERO "{00", "calls or time are no number");
	BAD("{" KEY "\x29\5" ZERO ZERO "i\xff\xff\xff\xff" ZERO "{00", "or negative");
	BAD("{" KEY "\x29\5" ZERO ZERO "g\0\0\0\0\0\0\xf8\x7f" ZERO "{00", "no number");
	BAD("{" KEY "\x29\5" ZERO ZERO ZERO ZERO "{" KEY "N00", "no tuple of four numbers");
	BAD("{" KEY "\x29\5" ZERO ZERO ZERO ZERO "{NN00", "a function is no tuple");
	check_bad("{0", 2, PH_ERR_VALUE, "");
}

/* pyinstrument's profiles of samples have -1 for all calls: there are no metrics of calls. */
static void
test_sampled(void **state)
{
	static const char text[] = "{" KEY "\x29\5i\xff\xff\xff\xffi\xff\xff\xff\xff" ZERO ZERO "{00";
	PhEnv env;
	PhRunInput run;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_CPROFILE, text, sizeof(text) - 1, &run), PH_OK);
	assert_int_equal(run.profile->n_metrics, 2);
	assert_int_equal(ph_profile_find_metric(run.profile, "calls"), PH_NONE);
	assert_int_equal(find_metric(run.profile, "time"), 0);
	done(&env, &run);
}

static bool
is_no_boundary(const char *text, size_t cut)
{
	(void) text;
	(void) cut;
	return false;
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_CPROFILE, SMALL, is_no_boundary);
}

/* Every bit changed: an error or a sound profile, and nothing left. */
static void
test_changed_bits(void **state)
{
	Writer writer = {0};
	(void) state;
	put_profile(&writer);
	for (size_t i = 0; i < 8 * writer.size; i++)
	{
		PhEnv env;
		PhRunInput run;
		uint8_t *copy = malloc(writer.size);
		memcpy(copy, writer.bytes, writer.size);
		copy[i / 8] ^= (uint8_t) (1 << i % 8);
		ph_env_init_malloc(&env);
		if (read_bytes(&env, READ_CPROFILE, copy, writer.size, &run) == PH_OK)
		{
			assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
			ph_run_input_free(&env, &run);
		}
		assert_int_equal(env.bytes, 0);
		free(copy);
	}
}

static void
test_detection(void **state)
{
	static const char *const others[] = {"{\"a\": [1, 2]}", "{))))))))", "", "{", "[1,2,3,4,5]"};
	(void) state;
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(
			ph_reader_cprofile.detect_file("a", (const uint8_t *) others[i], strlen(others[i])));
}

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_CPROFILE, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),		 cmocka_unit_test(test_read),
		cmocka_unit_test(test_python_2),	 cmocka_unit_test(test_old_kinds),
		cmocka_unit_test(test_real),		 cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_sampled),		 cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_changed_bits), cmocka_unit_test(test_detection),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
