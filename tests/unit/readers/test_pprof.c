/*
 * test_pprof.c - pprof profiles: answers by hand, damage at every place, the wire format.
 *
 * The profile is written here, in the order in which Go writes its fields; small.pprof and
 * small.pb.gz below tests/data/profiles are its bytes (PERFHOUSE_WRITE=1 writes them anew).
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
#include "readers/protobuf.h"
#include "support/csv.h"
#include "support/proto_writer.h"
#include "support/reader.h"
#include "support/test_data.h"

#define PLAIN DATA "small.pprof"
#define GZIP DATA "small.pb.gz"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the profile ---- */

enum
{
	SAMPLES = 1,
	COUNTS,
	CPU,
	NANOSECONDS,
	MAIN,
	MAIN_FILE,
	SOLVE,
	SOLVE_FILE,
	DOT,
	LIBM,
	PROGRAM,
	RANK,
	THREAD,
	IO,
	ONE,
	REQUEST,
	COMMENT,
	N_STRINGS
};

static const char *const strings[N_STRINGS] = {"",
											   "samples",
											   "count",
											   "cpu",
											   "nanoseconds",
											   "main",
											   "/src/app/main.c",
											   "solve",
											   "/src/app/solve.c",
											   "dot",
											   "/usr/lib/libm.so.6",
											   "/home/me/bin/solver",
											   "rank",
											   "thread",
											   "I/O",
											   "1",
											   "request",
											   "made by hand"};

static void
put_type(ProtoWriter *writer, uint32_t field, uint64_t type, uint64_t unit)
{
	proto_open(writer, field);
	proto_number(writer, 1, type);
	proto_number(writer, 2, unit);
	proto_close(writer);
}

static void
put_function(ProtoWriter *writer, uint64_t id, uint64_t name, uint64_t file, uint64_t line)
{
	proto_open(writer, 5);
	proto_number(writer, 1, id);
	proto_number(writer, 2, name);
	proto_number(writer, 4, file);
	proto_number(writer, 5, line);
	proto_close(writer);
}

/* Functions innermost first, 0: none. */
static void
put_location(ProtoWriter *writer, uint64_t id, uint64_t mapping, uint64_t inner, uint64_t outer)
{
	uint64_t functions[] = {inner, outer};
	proto_open(writer, 4);
	proto_number(writer, 1, id);
	proto_number(writer, 2, mapping);
	proto_number(writer, 3, 0xffffffff81402703);
	for (size_t i = 0; i < 2 && functions[i] != 0; i++)
	{
		proto_open(writer, 4);
		proto_number(writer, 1, functions[i]);
		proto_number(writer, 2, 17);
		proto_close(writer);
	}
	proto_close(writer);
}

static void
put_mapping(ProtoWriter *writer, uint64_t id, uint64_t file)
{
	proto_open(writer, 3);
	proto_number(writer, 1, id);
	proto_number(writer, 5, file);
	proto_close(writer);
}

static void
put_label(ProtoWriter *writer, uint64_t key, uint64_t text, uint64_t number)
{
	proto_open(writer, 3);
	proto_number(writer, 1, key);
	if (text != 0)
		proto_number(writer, 2, text);
	if (number != 0)
		proto_number(writer, 3, number);
	proto_close(writer);
}

/* Locations leaf first; labels are the caller's, who closes the sample. */
static void
open_sample(ProtoWriter *writer, const uint64_t *locations, size_t n, uint64_t samples)
{
	uint64_t values[] = {samples, samples * 10};
	proto_open(writer, 2);
	if (n == 1)
		proto_number(writer, 1, locations[0]); /* not packed */
	else if (n > 0)
		proto_packed(writer, 1, locations, n);
	proto_packed(writer, 2, values, 2);
}

static void
put_samples(ProtoWriter *writer)
{
	open_sample(writer, (const uint64_t[]){20, 10}, 2, 3);
	put_label(writer, RANK, 0, 0);
	put_label(writer, THREAD, ONE, 0);
	put_label(writer, REQUEST, 0, 77);
	proto_close(writer);
	open_sample(writer, (const uint64_t[]){30, 20, 10}, 3, 1);
	put_label(writer, RANK, ONE, 0);
	put_label(writer, THREAD, IO, 0);
	proto_close(writer);
	open_sample(writer, NULL, 0, 2);
	proto_close(writer);
	open_sample(writer, (const uint64_t[]){10}, 1, 4);
	put_label(writer, RANK, 0, 0);
	put_label(writer, THREAD, 0, 1);
	proto_close(writer);
}

static void
put_profile(ProtoWriter *writer)
{
	proto_number(writer, 9, 1795230167929700000);
	put_type(writer, 1, SAMPLES, COUNTS);
	put_type(writer, 1, CPU, NANOSECONDS);
	proto_number(writer, 10, 2500000000);
	put_type(writer, 11, CPU, NANOSECONDS);
	proto_number(writer, 12, 10000000);
	put_location(writer, 10, 1, 5, 0);
	put_function(writer, 5, MAIN, MAIN_FILE, 0);
	put_location(writer, 20, 1, 7, 6);
	put_function(writer, 7, DOT, SOLVE_FILE, 0);
	put_function(writer, 6, SOLVE, SOLVE_FILE, 12);
	put_samples(writer);
	put_location(writer, 30, 2, 0, 0);
	put_mapping(writer, 1, PROGRAM);
	put_mapping(writer, 2, LIBM);
	proto_packed(writer, 13, (const uint64_t[]){COMMENT}, 1);
	for (size_t i = 0; i < N_STRINGS; i++)
		proto_text(writer, 6, strings[i]);
}

static void
test_files(void **state)
{
	static ProtoWriter writer;
	size_t size;
	(void) state;
	put_profile(&writer);
	check_generated_file(PLAIN, writer.bytes, writer.size);
	uint8_t *gzip = proto_gzip(&writer, &size);
	check_generated_gzip(GZIP, gzip, size, writer.bytes, writer.size);
	free(gzip);
}

/* ---- answers ---- */

#define DOT_PATH "[\"main\", \"solve\", \"dot\""

static void
check_profile(const PhRunInput *run)
{
	const PhProfile *profile = run->profile;
	assert_int_equal(profile->n_metrics, 2);
	assert_string_equal(profile->strings[profile->metrics[0].name], "cpu");
	assert_string_equal(profile->strings[profile->metrics[0].unit], "nanoseconds");
	assert_int_equal(profile->n_columns, 3);
	assert_int_equal(profile->columns[0].rank, PH_NO_NUMBER);
	assert_int_equal(profile->columns[1].rank, 0);
	assert_int_equal(profile->columns[1].thread, 1);
	assert_int_equal(profile->columns[2].rank, 1);
	assert_string_equal(profile->strings[profile->columns[2].name], "I/O");
	assert_int_equal(profile->n_nodes, 5);
	check_cost(profile, "cpu", "[\"main\"]", 1, 70, 40);
	check_cost(profile, "samples", "[\"main\"]", 1, 7, 4);
	check_cost(profile, "cpu", "[\"main\", \"solve\"]", 1, 30, 0);
	check_cost(profile, "cpu", DOT_PATH "]", 1, 30, 30);
	check_cost(profile, "cpu", DOT_PATH ", \"libm.so.6\"]", 2, 10, 10);
	check_cost(profile, "samples", "[\"[unknown]\"]", 0, 2, 2);
	const PhRegion *solve = ph_profile_region(profile, find_node(profile, "[\"main\", \"solve\"]"));
	assert_string_equal(profile->strings[solve->library], "solver");
	assert_string_equal(profile->strings[solve->file], "solve.c");
	assert_int_equal(solve->line, 12);
}

static void
check_metadata(const PhMeta *meta)
{
	assert_string_equal(ph_meta_get(meta, "started_at"), "1795230167.929700000");
	assert_string_equal(ph_meta_get(meta, "pprof.duration"), "2.500000000");
	assert_string_equal(ph_meta_get(meta, "pprof.period"), "10000000");
	assert_string_equal(ph_meta_get(meta, "pprof.period_type"), "cpu (nanoseconds)");
	assert_string_equal(ph_meta_get(meta, "pprof.comment.1"), "made by hand");
	assert_string_equal(ph_meta_get(meta, "application"), "solver");
}

static void
test_read(void **state)
{
	static const struct
	{
		const char *path;
		PhCompleteness completeness;
	} files[] = {{PLAIN, PH_COMPLETENESS_UNKNOWN}, {GZIP, PH_COMPLETENESS_COMPLETE}};
	(void) state;
	for (size_t i = 0; i < COUNT(files); i++)
	{
		PhEnv env;
		PhRunInput run;
		must_read(&env, files[i].path, &run);
		check_profile(&run);
		check_metadata(&run.meta);
		assert_int_equal(ph_run_completeness(&ph_reader_pprof, &run), files[i].completeness);
		done(&env, &run);
	}
}

/* The default type is primary; without one the last is. */
static void
test_default_type(void **state)
{
	static ProtoWriter writer;
	PhEnv env;
	PhRunInput run;
	(void) state;
	put_profile(&writer);
	proto_number(&writer, 14, SAMPLES);
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_PPROF, writer.bytes, writer.size, &run), PH_OK);
	assert_string_equal(run.profile->strings[run.profile->metrics[0].name], "samples");
	check_cost(run.profile, "cpu", "[\"main\"]", 1, 70, 40);
	done(&env, &run);
}

/* ---- what is refused ---- */

/* Something wrong behind a good profile. */
typedef struct BadField
{
	void (*put)(ProtoWriter *writer);
	PhStatus status;
	const char *message;
} BadField;

static void
put_location_again(ProtoWriter *writer)
{
	put_location(writer, 10, 1, 5, 0);
}

static void
put_location_without_id(ProtoWriter *writer)
{
	put_location(writer, 0, 1, 5, 0);
}

static void
put_unknown_mapping(ProtoWriter *writer)
{
	put_location(writer, 40, 9, 5, 0);
}

static void
put_unknown_function(ProtoWriter *writer)
{
	put_location(writer, 40, 1, 99, 0);
}

static void
put_unknown_name(ProtoWriter *writer)
{
	put_function(writer, 9, N_STRINGS, 0, 0);
	put_location(writer, 40, 1, 9, 0);
}

static void
put_unknown_file(ProtoWriter *writer)
{
	put_function(writer, 9, MAIN, (uint64_t) -1, 0);
}

static void
put_unknown_location(ProtoWriter *writer)
{
	open_sample(writer, (const uint64_t[]){50}, 1, 1);
	proto_close(writer);
}

static void
put_few_values(ProtoWriter *writer)
{
	proto_open(writer, 2);
	proto_number(writer, 2, 1);
	proto_close(writer);
}

static void
put_many_values(ProtoWriter *writer)
{
	open_sample(writer, NULL, 0, 1);
	proto_number(writer, 2, 1);
	proto_close(writer);
}

static void
put_negative(ProtoWriter *writer)
{
	open_sample(writer, NULL, 0, (uint64_t) -1);
	proto_close(writer);
}

static void
put_bad_rank(ProtoWriter *writer)
{
	open_sample(writer, NULL, 0, 1);
	put_label(writer, RANK, IO, 0);
	proto_close(writer);
}

static void
put_bad_thread(ProtoWriter *writer)
{
	open_sample(writer, NULL, 0, 1);
	put_label(writer, THREAD, 0, (uint64_t) 1 << 40);
	proto_close(writer);
}

static void
put_bad_label(ProtoWriter *writer)
{
	open_sample(writer, NULL, 0, 1);
	put_label(writer, N_STRINGS, 0, 0);
	proto_close(writer);
}

static void
put_bad_packed(ProtoWriter *writer)
{
	proto_open(writer, 2);
	proto_text(writer, 1, "\x8a");
	proto_close(writer);
}

static void
put_bad_text(ProtoWriter *writer)
{
	proto_text(writer, 6, "caf\xe9");
}

static void
put_number_for_text(ProtoWriter *writer)
{
	proto_number(writer, 6, 5);
}

static void
put_type_again(ProtoWriter *writer)
{
	put_type(writer, 1, CPU, COUNTS);
}

static void
put_group(ProtoWriter *writer)
{
	proto_varint(writer, 7 << 3 | 3);
}

static void
put_long_varint(ProtoWriter *writer)
{
	proto_text(writer, 15, "");
	memset(writer->bytes + writer->size - 1, 0xff, 11);
	writer->size += 10;
}

static void
test_bad_fields(void **state)
{
	static const BadField cases[] = {
		{put_location_again, PH_ERR_FORMAT, "id 10 stands twice"},
		{put_location_without_id, PH_ERR_FORMAT, "an id is 0 or missing"},
		{put_unknown_mapping, PH_ERR_FORMAT, "mapping 9 of a location is not there"},
		{put_unknown_function, PH_ERR_FORMAT, "function 99 of a location is not there"},
		{put_unknown_name, PH_ERR_FORMAT, "the name of a function is string 18 of 18"},
		{put_unknown_file, PH_ERR_FORMAT, "the file of a function is string -1 of 18"},
		{put_unknown_location, PH_ERR_FORMAT, "location 50 of a sample is not there"},
		{put_few_values, PH_ERR_FORMAT, "a sample has fewer values than there are types"},
		{put_many_values, PH_ERR_FORMAT, "a sample has more values than there are types"},
		{put_negative, PH_ERR_VALUE, "a value is negative"},
		{put_bad_rank, PH_ERR_FORMAT, "the rank of a sample is no number"},
		{put_bad_thread, PH_ERR_FORMAT, "the thread of a sample is out of range"},
		{put_bad_label, PH_ERR_FORMAT, "a label of a sample is damaged"},
		{put_bad_packed, PH_ERR_FORMAT, "the locations of a sample are damaged"},
		{put_bad_text, PH_ERR_FORMAT, "a string is not valid UTF-8"},
		{put_number_for_text, PH_ERR_FORMAT, "a string is a number"},
		{put_type_again, PH_ERR_FORMAT, "two types of samples are named \"cpu\""},
		{put_group, PH_ERR_FORMAT, "it ends within a field"},
		{put_long_varint, PH_ERR_FORMAT, "byte 401: "},
	};
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		static ProtoWriter writer;
		PhEnv env;
		PhRunInput run;
		char what[32];
		memset(&writer, 0, sizeof(writer));
		put_profile(&writer);
		cases[i].put(&writer);
		ph_env_init_malloc(&env);
		snprintf(what, sizeof(what), "case %zu", i);
		PhStatus status = read_bytes(&env, READ_PPROF, writer.bytes, writer.size, &run);
		check_error(&env, status, cases[i].status, cases[i].message, what);
	}
}

/* Every byte changed in every bit: an error or a sound profile, and nothing left. */
static void
test_changed_bits(void **state)
{
	static ProtoWriter writer;
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
		if (read_bytes(&env, READ_PPROF, copy, writer.size, &run) == PH_OK)
		{
			assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
			ph_run_input_free(&env, &run);
		}
		assert_int_equal(env.bytes, 0);
		free(copy);
	}
}

/* The last string is a comment's: without it there is a reference to nothing. */
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
	check_unproven_cuts(READ_PPROF, PLAIN, is_no_boundary);
	check_unproven_cuts(READ_PPROF, GZIP, is_no_boundary);
}

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_PPROF, PLAIN);
	fail_every_allocation_of(READ_PPROF, GZIP);
}

static void
test_detection(void **state)
{
	static ProtoWriter writer;
	static const char *const others[] = {"\n\n0123456789", "\n\x04\x0a\x02\x08\x01", "\x0a", "",
										 "{}"};
	(void) state;
	put_profile(&writer);
	for (size_t size = 24; size <= writer.size; size++)
		assert_true(ph_reader_pprof.detect_file("a", writer.bytes, size));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(
			ph_reader_pprof.detect_file("a", (const uint8_t *) others[i], strlen(others[i])));
}

/* ---- wire format ---- */

static void
test_varints(void **state)
{
	static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
	static ProtoWriter writer;
	PhProtoField field;
	uint64_t number;
	bool bad = false;
	(void) state;
	proto_packed(&writer, 536870911, numbers, COUNT(numbers));
	proto_fixed64(&writer, 1, 0x0123456789abcdef);
	PhProto message = ph_proto_open(writer.bytes, writer.size);
	assert_true(ph_proto_next(&message, &field));
	assert_int_equal(field.number, 536870911);
	for (size_t i = 0; i < COUNT(numbers); i++)
	{
		assert_true(ph_proto_take_number(&field, &number, &bad));
		assert_true(number == numbers[i]);
	}
	assert_false(ph_proto_take_number(&field, &number, &bad));
	assert_false(bad);
	assert_true(ph_proto_next(&message, &field));
	assert_true(field.value == 0x0123456789abcdef);
	assert_false(ph_proto_take_number(&field, &number, &bad));
	assert_true(bad); /* a fixed number where a varint has to be */
	assert_false(ph_proto_next(&message, &field));
	assert_false(message.bad);
}

static void
test_bad_wire(void **state)
{
	static const struct
	{
		const char *bytes;
		size_t size;
	} cases[] = {
		{"\x00", 1},											  /* field 0 */
		{"\x08", 1},											  /* no number */
		{"\x08\x80", 2},										  /* cut */
		{"\x0b", 1},											  /* a group */
		{"\x0c", 1},											  /* its end */
		{"\x0e", 1},											  /* no such kind */
		{"\x09\1\2\3\4\5\6\7", 8},								  /* cut */
		{"\x0d\1\2\3", 4},										  /* cut */
		{"\x0a\x02\x01", 3},									  /* cut */
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},	  /* longer than anything */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11},	  /* 65 bits */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12}, /* 11 bytes */
		{"\x80\x80\x80\x80\x80\x01\x01", 7},					  /* number of the field */
	};
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		uint8_t *copy = malloc(cases[i].size);
		PhProtoField field;
		memcpy(copy, cases[i].bytes, cases[i].size);
		PhProto message = ph_proto_open(copy, cases[i].size);
		assert_false(ph_proto_next(&message, &field));
		assert_true(message.bad);
		free(copy);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),		 cmocka_unit_test(test_read),
		cmocka_unit_test(test_default_type), cmocka_unit_test(test_bad_fields),
		cmocka_unit_test(test_changed_bits), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_no_memory),	 cmocka_unit_test(test_detection),
		cmocka_unit_test(test_varints),		 cmocka_unit_test(test_bad_wire),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
