/*
 * test_otlp.c - profiles of OpenTelemetry: answers by hand, the layouts of two releases, damage at
 * every place.
 *
 * The profiles are written here by the schema alone; small.otlp.pb below tests/data/tools has the
 * bytes of one (PERFHOUSE_WRITE=1 writes it anew).
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
#include "support/proto_writer.h"
#include "support/reader.h"
#include "support/test_data.h"

#define FILE_NAME TOOLS "small.otlp.pb"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum
{
	CPU = 1,
	NANOSECONDS,
	MAIN,
	MAIN_FILE,
	SOLVE,
	LIBM,
	THREAD,
	THREAD_NAME,
	RANK,
	ALLOCATED,
	BYTES,
	N_STRINGS
};

static const char *const strings[N_STRINGS] = {"",
											   "cpu",
											   "nanoseconds",
											   "main",
											   "/src/app/main.c",
											   "solve",
											   "/usr/lib/libm.so.6",
											   "thread.id",
											   "thread.name",
											   "mpi.rank",
											   "allocated",
											   "bytes"};

/* What is written where. */
typedef struct Shape
{
	bool is_old;   /* samples of 1.8 */
	bool is_last;  /* the dictionary follows the profiles */
	bool is_dirty; /* a stack that is not there */
} Shape;

/* ---- the dictionary ---- */

static void
put_entry(ProtoWriter *writer, uint32_t table, const uint32_t *fields, const uint64_t *values,
		  size_t n)
{
	proto_open(writer, table);
	for (size_t i = 0; i < n; i++)
		proto_number(writer, fields[i], values[i]);
	proto_close(writer);
}

static void
put_location(ProtoWriter *writer, uint64_t mapping, uint64_t inner, uint64_t outer)
{
	const uint64_t functions[] = {inner, outer};
	proto_open(writer, 2);
	proto_number(writer, 1, mapping);
	proto_number(writer, 2, 0x1000);
	for (size_t i = 0; i < 2 && functions[i] != 0; i++)
	{
		proto_open(writer, 3);
		proto_number(writer, 1, functions[i]);
		proto_number(writer, 2, 17);
		proto_close(writer);
	}
	proto_close(writer);
}

static void
put_attribute(ProtoWriter *writer, uint64_t key, const char *text, uint64_t number)
{
	proto_open(writer, 6);
	proto_number(writer, 1, key);
	proto_open(writer, 2);
	if (text != NULL)
		proto_text(writer, 1, text);
	else
		proto_number(writer, 3, number);
	proto_close(writer);
	proto_close(writer);
}

static void
put_stack(ProtoWriter *writer, const uint64_t *locations, size_t n)
{
	proto_open(writer, 7);
	if (n > 0)
		proto_packed(writer, 1, locations, n);
	proto_close(writer);
}

/* Entry 0 of every table is none. Locations: 1 main, 2 dot inlined into solve, 3 without symbols.
 */
static void
put_dictionary(ProtoWriter *writer)
{
	static const uint32_t function[] = {1, 3, 4}, mapping[] = {4};
	static const uint64_t leaf_first[] = {2, 1}, unknown[] = {3, 1}, top[] = {1};
	proto_open(writer, 2);
	put_entry(writer, 1, NULL, NULL, 0);
	put_entry(writer, 1, mapping, (const uint64_t[]){LIBM}, 1);
	put_location(writer, 0, 0, 0);
	put_location(writer, 0, 1, 0);
	put_location(writer, 1, 3, 2);
	put_location(writer, 1, 0, 0);
	put_entry(writer, 3, NULL, NULL, 0);
	put_entry(writer, 3, function, (const uint64_t[]){MAIN, MAIN_FILE, 3}, 3);
	put_entry(writer, 3, function, (const uint64_t[]){SOLVE, MAIN_FILE, 9}, 3);
	put_entry(writer, 3, function, (const uint64_t[]){LIBM, 0, 0}, 3);
	for (size_t i = 0; i < N_STRINGS; i++)
		proto_text(writer, 5, strings[i]);
	put_attribute(writer, 0, "", 0);
	put_attribute(writer, THREAD, NULL, 7);
	put_attribute(writer, THREAD_NAME, "worker", 0);
	put_attribute(writer, RANK, "3", 0);
	put_stack(writer, NULL, 0);
	put_stack(writer, leaf_first, 2);
	put_stack(writer, unknown, 2);
	put_stack(writer, top, 1);
	proto_close(writer);
}

/* ---- profiles ---- */

static void
put_sample(ProtoWriter *writer, const Shape *shape, uint64_t stack, const uint64_t *attributes,
		   size_t n_attributes, const uint64_t *values, size_t n_values)
{
	proto_open(writer, 2);
	proto_number(writer, 1, stack);
	if (n_attributes > 0)
		proto_packed(writer, shape->is_old ? 3 : 2, attributes, n_attributes);
	if (n_values > 0)
		proto_packed(writer, shape->is_old ? 2 : 4, values, n_values);
	else
		for (uint64_t i = 0; i < 5; i++)
			proto_fixed64(writer, 5, 1700000000000000000 + i);
	proto_close(writer);
}

static void
open_profile(ProtoWriter *writer, uint64_t type, uint64_t unit, uint64_t begin)
{
	proto_open(writer, 2);
	proto_open(writer, 1);
	proto_number(writer, 1, type);
	proto_number(writer, 2, unit);
	proto_close(writer);
	proto_fixed64(writer, 3, begin);
	proto_number(writer, 4, 2000000000);
}

static void
put_resource_text(ProtoWriter *writer, const char *key, const char *value)
{
	proto_open(writer, 1);
	proto_text(writer, 1, key);
	proto_open(writer, 2);
	proto_text(writer, 1, value);
	proto_close(writer);
	proto_close(writer);
}

static void
put_resource(ProtoWriter *writer, const char *service, uint64_t pid)
{
	proto_open(writer, 1);
	put_resource_text(writer, "service.name", service);
	put_resource_text(writer, "host.name", "node1");
	proto_open(writer, 1);
	proto_text(writer, 1, "process.pid");
	proto_open(writer, 2);
	proto_number(writer, 3, pid);
	proto_close(writer);
	proto_close(writer);
	proto_close(writer);
}

static void
put_profiles(ProtoWriter *writer, const Shape *shape)
{
	static const uint64_t worker[] = {1, 2}, ranked[] = {3}, two[] = {1000, 2000}, one[] = {500};
	proto_open(writer, 1);
	put_resource(writer, "solver", 42);
	proto_open(writer, 2);
	open_profile(writer, CPU, NANOSECONDS, 1700000000000000000);
	put_sample(writer, shape, shape->is_dirty ? 9 : 1, worker, 2, two, 2);
	put_sample(writer, shape, 2, worker, 2, one, 1);
	put_sample(writer, shape, 3, ranked, 1, one, 1);
	proto_close(writer);
	open_profile(writer, ALLOCATED, BYTES, 1700000001000000000);
	put_sample(writer, shape, 1, worker, 2, NULL, 0);
	proto_close(writer);
	proto_close(writer);
	proto_close(writer);
	proto_open(writer, 1);
	put_resource(writer, "other", 43);
	proto_open(writer, 2);
	open_profile(writer, CPU, NANOSECONDS, 1700000003000000000);
	put_sample(writer, shape, 3, NULL, 0, one, 1);
	proto_close(writer);
	proto_close(writer);
	proto_close(writer);
}

static void
write_profile(ProtoWriter *writer, const Shape *shape)
{
	*writer = (ProtoWriter){.size = 0};
	if (!shape->is_last)
		put_dictionary(writer);
	put_profiles(writer, shape);
	if (shape->is_last)
		put_dictionary(writer);
}

/* ---- reading ---- */

/* Columns: process 43, thread 7 of process 42, rank 3; in the order of profiles. */
static void
check_profile(const PhRunInput *run)
{
	const PhProfile *profile = run->profile;
	static const char solve[] = "[\"main\", \"solve\", \"/usr/lib/libm.so.6\"]";
	uint32_t worker = PH_NONE, ranked = PH_NONE, other = PH_NONE;
	assert_int_equal(profile->n_columns, 3);
	for (uint32_t i = 0; i < 3; i++)
	{
		const PhColumn *column = &profile->columns[i];
		if (column->thread == 7)
			worker = i;
		else if (column->rank == 3)
			ranked = i;
		else
			other = i;
		assert_string_equal(profile->strings[column->host], "node1");
	}
	assert_string_equal(profile->strings[profile->columns[worker].name], "worker");
	assert_string_equal(profile->strings[profile->columns[other].name], "process 43");
	check_cost(profile, "cpu", solve, worker, 3000, 3000);
	check_cost(profile, "cpu", "[\"main\"]", worker, 3500, 0);
	check_cost(profile, "cpu", "[\"main\", \"libm.so.6\"]", worker, 500, 500);
	check_cost(profile, "cpu", "[\"main\"]", ranked, 500, 500);
	check_cost(profile, "cpu", "[\"main\"]", other, 500, 500);
	check_cost(profile, "allocated", solve, worker, 5, 5);
	assert_string_equal(ph_meta_get(&run->meta, "application"), "solver");
	assert_string_equal(ph_meta_get(&run->meta, "otlp.process.pid"), "42");
	assert_string_equal(ph_meta_get(&run->meta, "started_at"), "1700000000.000000000");
	assert_string_equal(ph_meta_get(&run->meta, "otlp.duration"), "5.000000000");
}

static void
test_layouts(void **state)
{
	static ProtoWriter writer;
	(void) state;
	for (int i = 0; i < 8; i++)
	{
		const Shape shape = {.is_old = (i & 1) != 0, .is_last = (i & 2) != 0};
		PhEnv env;
		PhRunInput run;
		size_t size;
		write_profile(&writer, &shape);
		uint8_t *gzip = proto_gzip(&writer, &size);
		const bool is_gzip = (i & 4) != 0;
		ph_env_init_malloc(&env);
		assert_int_equal(read_bytes(&env, READ_OTLP, is_gzip ? gzip : writer.bytes,
									is_gzip ? size : writer.size, &run),
						 PH_OK);
		check_profile(&run);
		assert_int_equal(ph_run_completeness(&ph_reader_otlp, &run),
						 is_gzip ? PH_COMPLETENESS_COMPLETE : PH_COMPLETENESS_UNKNOWN);
		done(&env, &run);
		free(gzip);
	}
}

/* By path: it is taken for what it is. */
static void
test_file(void **state)
{
	static ProtoWriter writer;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_profile(&writer, &(const Shape){.is_last = true});
	check_generated_file(FILE_NAME, writer.bytes, writer.size);
	must_read(&env, FILE_NAME, &run);
	check_profile(&run);
	done(&env, &run);
}

/* Also where the dictionary comes first, and where nothing is said of the resource. */
static void
test_detection(void **state)
{
	static ProtoWriter writer;
	static const char text[] = "\nThis is text, and no message at all: (1) 2";
	(void) state;
	write_profile(&writer, &(const Shape){.is_last = false});
	assert_true(ph_reader_otlp.detect_file("", writer.bytes, 200));
	assert_false(ph_reader_pprof.detect_file("", writer.bytes, writer.size));
	write_profile(&writer, &(const Shape){.is_last = true});
	assert_true(ph_reader_otlp.detect_file("", writer.bytes, 60));
	assert_false(ph_reader_pprof.detect_file("", writer.bytes, writer.size));
	writer = (ProtoWriter){.size = 0};
	proto_open(&writer, 1);
	proto_open(&writer, 2);
	open_profile(&writer, CPU, NANOSECONDS, 1);
	proto_close(&writer);
	proto_close(&writer);
	proto_close(&writer);
	assert_true(ph_reader_otlp.detect_file("", writer.bytes, writer.size));
	assert_false(ph_reader_otlp.detect_file("", (const uint8_t *) text, sizeof(text)));
}

static void
test_errors(void **state)
{
	static ProtoWriter writer;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_profile(&writer, &(const Shape){.is_dirty = true});
	ph_env_init_malloc(&env);
	check_error(&env, read_bytes(&env, READ_OTLP, writer.bytes, writer.size, &run), PH_ERR_FORMAT,
				"the stack of a sample is not there", "stack");
	writer = (ProtoWriter){.size = 0};
	put_profiles(&writer, &(const Shape){.is_old = false});
	check_error(&env, read_bytes(&env, READ_OTLP, writer.bytes, writer.size, &run), PH_ERR_FORMAT,
				"it has no dictionary", "dictionary");
	put_profiles(&writer, &(const Shape){.is_old = true});
	put_dictionary(&writer);
	check_error(&env, read_bytes(&env, READ_OTLP, writer.bytes, writer.size, &run), PH_ERR_FORMAT,
				"of two releases of the schema", "layouts");
}

/* Any byte may be any other, and any may be the last: an error or a sound profile. */
static void
test_damage(void **state)
{
	static ProtoWriter writer;
	uint64_t random = 20260102;
	(void) state;
	for (int i = 0; i < 20000; i++)
	{
		PhEnv env;
		PhRunInput run;
		if (i % 4 == 0)
			write_profile(&writer, &(const Shape){.is_old = i % 8 == 0, .is_last = i % 3 == 0});
		if (i % 5 == 0)
			writer.size = draw_below(&random, (uint32_t) writer.size) + 1;
		writer.bytes[draw_below(&random, (uint32_t) writer.size)] =
			(uint8_t) draw_below(&random, 256);
		ph_env_init_malloc(&env);
		if (read_bytes(&env, READ_OTLP, writer.bytes, writer.size, &run) == PH_OK)
		{
			assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
			ph_run_input_free(&env, &run);
		}
		assert_int_equal(env.bytes, 0);
	}
}

static void
test_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_OTLP, FILE_NAME);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	  cmocka_unit_test(test_file),
		cmocka_unit_test(test_detection), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_damage),	  cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
