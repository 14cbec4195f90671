/*
 * test_source_cube_bad.c - damaged Cube archives are errors that say where and what.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/cube/source.h"
#include "support/csv.h"
#include "support/cube.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/test_data.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const CubeForm plain = {0};

static void
test_bad_anchor(void **state)
{
	(void) state;
	static const struct
	{
		const char *from, *to;
		PhStatus status;
		const char *message;
	} cases[] = {
		{"<cube version", "<cub version", PH_ERR_FORMAT, "input: anchor.xml:2:1: the root element"},
		{"</cube>", "", PH_ERR_FORMAT, "invalid XML"},
		{"<cube version", "<!DOCTYPE cube [<!ENTITY a \"b\">]><cube version", PH_ERR_UNSUPPORTED,
		 "entity declarations"},
		{"<metric id=\"1\"", "<metric id=\"0\"", PH_ERR_FORMAT, "an id is defined twice"},
		{"<metric id=\"1\"", "<metric id=\"-1\"", PH_ERR_FORMAT, "no whole number"},
		{"<metric id=\"1\"", "<metric", PH_ERR_FORMAT, "anchor.xml:6:1: attribute \"id\""},
		{"<metric id=\"1\"", "<metric id=\"2\"", PH_ERR_FORMAT, "metric 1 is not defined"},
		{"calleeId=\"2\"", "calleeId=\"77\"", PH_ERR_FORMAT, "calls region 77"},
		{"<cnode id=\"101\"", "<cnode id=\"100\"", PH_ERR_FORMAT, "an id is defined twice"},
		{"<cnode id=\"101\"", "<cnode id=\"99999999999\"", PH_ERR_FORMAT, "no whole number"},
		{"<rank>1</rank>", "<rank>x</rank>", PH_ERR_FORMAT, "a rank is no whole number"},
		{"<rank>1</rank>", "<rank>99999999999</rank>", PH_ERR_FORMAT, "a rank is no whole number"},
		{"<name>f1</name>", "<name>f\xff</name>", PH_ERR_FORMAT, "invalid XML"},
		{"<system>", "<system><location Id=\"9\"/>", PH_ERR_FORMAT, "not in a location group"},
		{"<uniq_name>time<", "<uniq_name>visits<", PH_ERR_CONFLICT, "occurs twice"},
		{"</cube>", "</cube><cube/>", PH_ERR_FORMAT, "invalid XML"},
		{"<program>", "<program><parameter parkey=\"a\" parvalue=\"b\"/>", PH_ERR_FORMAT,
		 "a parameter has no cnode"},
		{"<system>",
		 "<system><locationgroup Id=\"7\"><rank>0</rank><type>process</type><location "
		 "Id=\"7\"><rank>3</rank></location></locationgroup>",
		 PH_ERR_FORMAT, "0.data: offset 10: 64 bytes of data are not 4 rows of 3 locations"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhEnv env;
		PhRunInput run;
		PhStatus status = cube_read_changed(&env, cases[i].from, cases[i].to, NULL, &run);
		check_error(&env, status, cases[i].status, cases[i].message, cases[i].to);
	}
}

static void
check_parts(const CubeForm *form, const CubeParts *parts, PhStatus expected, const char *message)
{
	PhEnv env;
	PhRunInput run;
	size_t size;
	CubeTable table = cube_small_table();
	uint8_t *bytes = cube_archive_of(&table, form, parts, &size);
	ph_env_init_malloc(&env);
	check_error(&env, cube_read(&env, bytes, size, &run), expected, message, message);
	free(bytes);
}

static void
test_missing_members(void **state)
{
	(void) state;
	const CubeParts no_anchor = {.without_anchor = true};
	const CubeParts no_index = {.without_index = true};
	const CubeParts no_data = {.without_data = true};
	check_parts(&plain, &no_anchor, PH_ERR_FORMAT, "the archive has no anchor.xml");
	check_parts(&plain, &no_index, PH_ERR_FORMAT, "0.index is missing");
	check_parts(&plain, &no_data, PH_ERR_FORMAT, "0.data is missing");
}

/* One byte of an index or data member changed, or the member cut. */
typedef struct ByteCase
{
	size_t offset;
	uint8_t byte;
	size_t cut; /* 0: whole */
	PhStatus status;
	const char *message;
} ByteCase;

static void
check_bytes(const CubeForm *form, bool is_index, const ByteCase *bad)
{
	size_t size;
	CubeTable table = cube_small_table();
	uint8_t *good =
		is_index ? cube_index(&table, form, 0, &size) : cube_data(&table, form, 0, &size);
	CubeParts parts = {0};
	assert_true(bad->offset < size);
	good[bad->offset] = bad->byte;
	size = bad->cut > 0 ? bad->cut : size;
	if (is_index)
	{
		parts.index = good;
		parts.index_size = size;
	}
	else
	{
		parts.data = good;
		parts.data_size = size;
	}
	check_parts(form, &parts, bad->status, bad->message);
	free(good);
}

static void
test_bad_index(void **state)
{
	(void) state;
	static const ByteCase cases[] = {
		{0, 'c', 0, PH_ERR_FORMAT, "0.index: not an index"},
		{0, 'C', 12, PH_ERR_FORMAT, "0.index: not an index"},
		{0, 'C', 19, PH_ERR_UNSUPPORTED, "neither sparse nor dense"},
		{0, 'C', 30, PH_ERR_FORMAT, "offset 18: 4 rows do not fit"},
		{11, 7, 0, PH_ERR_FORMAT, "offset 11"},
		{15, 1, 0, PH_ERR_UNSUPPORTED, "offset 15: unknown version"},
		{17, 2, 0, PH_ERR_UNSUPPORTED, "neither sparse nor dense"},
		{18, 200, 0, PH_ERR_FORMAT, "200 rows do not fit"},
		{21, 0xff, 0, PH_ERR_FORMAT, "rows do not fit"},
		{26, 99, 0, PH_ERR_FORMAT, "offset 26: position 99 is beyond the call tree"},
		{26, 0, 0, PH_ERR_FORMAT, "offset 26: position 0 does not ascend"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		check_bytes(&plain, true, &cases[i]);
}

static void
test_bad_data(void **state)
{
	(void) state;
	static const ByteCase cases[] = {
		{0, 'c', 0, PH_ERR_FORMAT, "0.data: offset 0: not data"},
		{0, 'C', 5, PH_ERR_FORMAT, "0.data: offset 5: the member ends here"},
		{0, 'C', 10, PH_ERR_FORMAT, "0 bytes of data are not 4 rows"},
		{0, 'C', 70, PH_ERR_FORMAT, "60 bytes of data are not 4 rows of 2 locations"},
	};
	static const CubeForm packed = {.is_compressed = true};
	static const ByteCase packed_cases[] = {
		{9, 'B', 0, PH_ERR_FORMAT, "not data"},
		{11, 9, 0, PH_ERR_FORMAT, "9 blocks do not fit"},
		{18, 0x80, 0, PH_ERR_FORMAT, "blocks do not fit"},
		{27, 1, 0, PH_ERR_FORMAT, "block 0 does not follow"},
		{35, 200, 0, PH_ERR_FORMAT, "block 0 does not follow"},
		{19, 1, 0, PH_ERR_FORMAT, "block 0 begins at another row"},
		{67, 0, 0, PH_ERR_FORMAT, "compressed data is damaged: incorrect header check"},
		{11, 1, 0, PH_ERR_FORMAT, "damaged"},
		{0, 'Z', 80, PH_ERR_FORMAT, "the member ends here"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		check_bytes(&plain, false, &cases[i]);
	for (size_t i = 0; i < COUNT(packed_cases); i++)
		check_bytes(&packed, false, &packed_cases[i]);
}

/* NaN, infinity and negative numbers in the doubles of metric 0. */
static void
test_bad_values(void **state)
{
	(void) state;
	static const double values[] = {NAN, INFINITY, -1};
	static const char *const messages[] = {"is not finite", "is not finite", "is negative"};
	for (size_t i = 0; i < 3; i++)
	{
		PhEnv env;
		PhRunInput run;
		uint8_t data[10 + 64] = "CUBEX.DATA";
		memcpy(data + 10 + 16, &values[i], 8);
		CubeParts parts = {.data = data, .data_size = sizeof(data)};
		PhStatus status = cube_read_changed(&env, "<dtype>UINT64<", "<dtype>DOUBLE<", &parts, &run);
		check_error(&env, status, PH_ERR_VALUE, messages[i], "value");
		assert_non_null(strstr(env.error.message, "0.data: offset 26: metric \"visits\""));
	}
}

static void
test_no_values(void **state)
{
	(void) state;
	CubeTable table = cube_small_table();
	PhEnv env;
	PhRunInput run;
	size_t size;
	memset(table.visits, 0, sizeof(table.visits));
	memset(table.inclusive, 0, sizeof(table.inclusive));
	uint8_t *bytes = cube_archive(&table, &plain, &size);
	ph_env_init_malloc(&env);
	check_error(&env, cube_read(&env, bytes, size, &run), PH_ERR_VALUE, "no metric has values",
				"zeros");
	free(bytes);
}

/* Cut off anywhere before the end mark: an error. */
static void
test_truncation(void **state)
{
	(void) state;
	CubeTable table = cube_small_table();
	size_t size;
	for (uint32_t draw = 0; draw < 16; draw += 4)
	{
		CubeForm form = {.is_compressed = (draw & 4) != 0, .anchor_first = (draw & 8) != 0};
		uint8_t *bytes = cube_archive(&table, &form, &size);
		for (size_t cut = 0; cut < size - 1024; cut += 13)
		{
			PhEnv env;
			PhRunInput run;
			uint8_t *copy = malloc(cut); /* its exact size, so that reading over shows */
			memcpy(copy, bytes, cut);
			ph_env_init_malloc(&env);
			bool complete = size - 1024 - cut < 512 && form.anchor_first; /* only padding is lost */
			PhStatus status = cube_read(&env, copy, cut, &run);
			if (status == PH_OK && !complete)
				fail_msg("%zu of %zu bytes are accepted", cut, size);
			if (status == PH_OK)
				ph_run_input_free(&env, &run);
			assert_int_equal(env.bytes, 0);
			free(copy);
		}
		free(bytes);
	}
}

static PhStatus
read_cube(PhEnv *env, const ReaderInput *input, PhRunInput *run)
{
	return cube_read(env, input->bytes, input->size, run);
}

static void
test_no_memory(void **state)
{
	(void) state;
	CubeTable table = cube_small_table();
	CubeForm form = {.is_compressed = true};
	size_t size;
	uint8_t *bytes = cube_archive(&table, &form, &size);
	ReaderInput input = {.bytes = bytes, .size = size};
	fail_every_allocation(read_cube, &input);
	free(bytes);
}

static void
test_malformed_tar(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	ph_env_init_malloc(&env);
	assert_int_equal(
		read_path(&env, SHARED "/data/own/profiles/scorep/lulesh-8-zlib-malformed-tar.cubex", &run),
		PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "Damaged tar archive"));
	assert_non_null(strstr(env.error.hint, "CUBEW_ZLIB_COMPRESSION"));
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_anchor),	  cmocka_unit_test(test_missing_members),
		cmocka_unit_test(test_bad_index),	  cmocka_unit_test(test_bad_data),
		cmocka_unit_test(test_bad_values),	  cmocka_unit_test(test_no_values),
		cmocka_unit_test(test_truncation),	  cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_malformed_tar),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
