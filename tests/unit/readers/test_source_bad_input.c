/*
 * test_source_bad_input.c - every class of bad input is an error that says where and what.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/hpctoolkit/hpctoolkit.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
test_caliper_json(void **state)
{
	(void) state;
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_FORMAT, "truncated"},
		{NULL, "[]", PH_ERR_FORMAT, "expected \"{\""},
		{NULL, "{}", PH_ERR_FORMAT, "section \"data\" is missing"},
		{"\"nodes\"", "\"knots\"", PH_ERR_FORMAT, "section \"nodes\" is missing"},
		{"\"note\"", "\"data\"", PH_ERR_FORMAT, "stands twice"},
		{"0.5, null, 0.5 ]", "0.5, null ]", PH_ERR_FORMAT, "input:2:29: a row has fewer values"},
		{"null, 0.5 ]", "null, 0.5, 1 ]", PH_ERR_FORMAT, "a row has more values"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, 3.0, 3, 3.0 ]", PH_ERR_FORMAT, "row refers to node 3"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, 3.0, -1, 3.0 ]", PH_ERR_FORMAT, "row refers to node -1"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, NaN, 1, 3.0 ]", PH_ERR_FORMAT, "finite number"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, Infinity, 1, 3.0 ]", PH_ERR_FORMAT, "finite number"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, 1e999, 1, 3.0 ]", PH_ERR_FORMAT, "finite number"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, \"x\", 1, 3.0 ]", PH_ERR_FORMAT, "finite number"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, 3.0, 1, -3.0 ]", PH_ERR_VALUE, "input:2:"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ -1, 3.0, 1, 3.0 ]", PH_ERR_FORMAT, "out of range"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 99999999999, 3.0, 1, 3.0 ]", PH_ERR_FORMAT, "out of range"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 0.5, 3.0, 1, 3.0 ]", PH_ERR_FORMAT, "whole number"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, 03.0, 1, 3.0 ]", PH_ERR_FORMAT, "finite number"},
		{"[ 1, 3.0, 1, 3.0 ]", "[ 1, 3.0, 1, 3.0 ", PH_ERR_FORMAT, "expected"},
		{"\"parent\": 0", "\"parent\": 9", PH_ERR_FORMAT, "there are only 3 nodes"},
		{"\"parent\": 0", "\"parent\": 2", PH_ERR_FORMAT, "its own ancestor"},
		{"\"parent\": 0", "\"parent\": 1", PH_ERR_FORMAT, "its own ancestor"},
		{"\"parent\": 0", "\"parent\": -4", PH_ERR_FORMAT, "out of range"},
		{"\"label\": \"work\", ", "", PH_ERR_FORMAT, "has no label"},
		{"\"work\"", "\"w\\u0000k\"", PH_ERR_FORMAT, "escape"},
		{"\"work\"", "\"w\\ud800k\"", PH_ERR_FORMAT, "escape"},
		{"\"work\"", "\"w\xff\"", PH_ERR_FORMAT, "UTF-8"},
		{"\"work\"", "\"w\x01\"", PH_ERR_FORMAT, "control character"},
		{"{ \"is_value\": true }, {", "{", PH_ERR_FORMAT, "fewer entries"},
		{"\"columns\": [", "\"columns\": [ \"more\",", PH_ERR_FORMAT, "fewer entries"},
		{"{ \"is_value\": false }", "{ \"is_value\": true }", PH_ERR_VALUE, "call path"},
		{"\"quoted\\\"\"", "\"quoted\\\"\" , }", PH_ERR_FORMAT, "expected"},
		{"\"quoted\\\"\"\n}", "\"quoted\\\"\"\n} x", PH_ERR_FORMAT, "end of the file"},
		{"\"quoted\\\"\"\n}", "\"quoted\\\"\"\n", PH_ERR_FORMAT, "truncated"},
	};
	check_bad_cases(READ_CALIPER_JSON, DATA "small.json", cases, COUNT(cases));
}

static void
test_caliper_cali(void **state)
{
	(void) state;
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_VALUE, "no rows"},
		{NULL, "hello\n", PH_ERR_FORMAT, "input:1:1: expected a record"},
		{"__rec=node,id=51", "__rec=node,id", PH_ERR_FORMAT, "key=value"},
		{"id=51,attr=31", "id=51,attr=77", PH_ERR_FORMAT, "attribute 77 is not defined"},
		{"id=51,attr=31", "id=50,attr=31", PH_ERR_FORMAT, "node 50 is defined twice"},
		{"id=51,attr=31", "id=x,attr=31", PH_ERR_FORMAT, "needs id, attr and data"},
		{"id=51,attr=31", "id=-51,attr=31", PH_ERR_FORMAT, "needs id, attr and data"},
		{"\\\\d,parent=50", "\\\\d,parent=99", PH_ERR_FORMAT, "input:16:1: parent node 99"},
		{"\\\\d,parent=50", "\\\\d,parent=51", PH_ERR_FORMAT, "its own ancestor"},
		{"data=main", "data=main,parent=51", PH_ERR_FORMAT, "its own ancestor"},
		{"ctx,ref=51", "ctx,ref=59", PH_ERR_FORMAT, "node 59 is not defined"},
		{"data=0=0=2", "data=0=0", PH_ERR_FORMAT, "more attributes than values"},
		{"data=0=0=2", "data=0=0=2=3", PH_ERR_FORMAT, "more values than attributes"},
		{"data=0=0=2", "data=0=0=nan", PH_ERR_VALUE, "not a finite number"},
		{"data=0=0=2", "data=0=0=inf", PH_ERR_VALUE, "not a finite number"},
		{"data=0=0=2", "data=0=0=-2", PH_ERR_VALUE, "input:22:1:"},
		{"data=0=0=2", "data=-7=0=2", PH_ERR_FORMAT, "rank, thread or iteration"},
		{"data=0=0=2", "data=0=99999999999=2", PH_ERR_FORMAT, "rank, thread or iteration"},
		{"data=main", "data=ma\xc3", PH_ERR_FORMAT, "UTF-8"},
		{"attr=10,data=276", "attr=10,data=many", PH_ERR_FORMAT, "properties"},
		{"attr=41=42=23,data=0=0=2", "attr=41=42=50,data=0=0=2", PH_ERR_FORMAT, "defines none"},
	};
	check_bad_cases(READ_CALIPER_CALI, DATA "small.cali", cases, COUNT(cases));
}

static void
test_hatchet_json(void **state)
{
	(void) state;
	static const BadCase form_a[] = {
		{NULL, "", PH_ERR_FORMAT, "truncated"},
		{NULL, "{}", PH_ERR_FORMAT, "\"graph\" is missing"},
		{"\"dataframe\":", "\"data\":", PH_ERR_FORMAT, "\"dataframe\" is missing"},
		{"\"1\":{\"data\"", "\"0\":{\"data\"", PH_ERR_FORMAT, "a node id stands twice"},
		{"\"children\":[1,2]", "\"children\":[1,7]", PH_ERR_FORMAT, "a child is not in the graph"},
		{"\"leaf\"},\"children\":[]", "\"leaf\"},\"children\":[0]", PH_ERR_FORMAT, "own ancestor"},
		{"{\"node\":3,", "{\"node\":9,", PH_ERR_FORMAT, "a row's node is not in the graph"},
		{"{\"node\":3,", "{", PH_ERR_FORMAT, "a row names no node"},
		{"\"time\":3}", "\"time\":-3}", PH_ERR_VALUE, "negative"},
		{"\"time\":3}", "\"time\":NaN}", PH_ERR_FORMAT, "expected"},
		{"\"time\":3}", "\"time\":3,\"time\":4}", PH_ERR_FORMAT, "stands twice in one row"},
		{"\"node\":3,\"rank\":0", "\"node\":3,\"rank\":-1", PH_ERR_FORMAT, "no whole number"},
		{"\"graph\":[", "\"graph\":[], \"graph\":[", PH_ERR_FORMAT, "stands twice"},
		{"\"graph\"", "\"profile_mapping\":{}, \"graph\"", PH_ERR_UNSUPPORTED, "Thicket"},
	};
	static const BadCase form_b[] = {
		{NULL, "[]", PH_ERR_FORMAT, "no nodes"},
		{NULL, "[{\"frame\":{\"name\":\"x\"}}]", PH_ERR_VALUE, "metric"},
		{NULL, "[{\"metrics\":{\"time\":1}}]", PH_ERR_FORMAT, "a node has no name"},
		{"\"name\":\"b\"", "\"name\":\"\xfe\"", PH_ERR_FORMAT, "UTF-8"},
		{"\"time\":3.0", "\"time\":-3.0", PH_ERR_VALUE, "negative"},
		{"\"time\":3.0", "\"time\":[3.0", PH_ERR_FORMAT, "expected"},
		{"\"children\":[", "\"children\":7,\"x\":[", PH_ERR_FORMAT, "expected \"[\""},
	};
	check_bad_cases(READ_HATCHET_JSON, DATA "literal-a.json", form_a, COUNT(form_a));
	check_bad_cases(READ_HATCHET_JSON, DATA "literal-b.json", form_b, COUNT(form_b));
}

static void
test_hpctoolkit_xml(void **state)
{
	(void) state;
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_FORMAT, "SecCallPathProfileData"},
		{NULL, "<a/>", PH_ERR_FORMAT, "root element"},
		{"</SecCallPathProfileData>", "", PH_ERR_FORMAT, "invalid XML"},
		{"<!ELEMENT", "<!ENTITY e \"x\"><!ELEMENT", PH_ERR_UNSUPPORTED, "entity"},
		{"n=\"6\"", "n=\"60\"", PH_ERR_FORMAT, "not defined"},
		{"n=\"6\"", "n=\"six\"", PH_ERR_FORMAT, "whole number"},
		{"<Procedure i=\"7\"", "<Procedure i=\"6\"", PH_ERR_FORMAT, "defined twice"},
		{"<L i=\"3\"", "<L i=\"2\"", PH_ERR_FORMAT, "have one id"},
		{"<L i=\"3\"", "<L i=\"0\"", PH_ERR_FORMAT, "begin at 1"},
		{"v=\"60\"", "v=\"nan\"", PH_ERR_VALUE, "finite"},
		{"v=\"60\"", "v=\"-60\"", PH_ERR_VALUE, "negative"},
		{"<S i=", "<X i=", PH_ERR_FORMAT, "input:25:1: unknown element"},
		{"db-id=\"1\"", "db-id=\"2\"", PH_ERR_VALUE, "db-num-metrics"},
		{"n=\"MPI_Send\"", "n=\"MPI\xff\"", PH_ERR_FORMAT, "invalid XML"},
	};
	check_bad_cases(READ_HPCTOOLKIT, DATA "hpctoolkit/experiment.xml", cases, COUNT(cases));
}

/* A metric-db whose byte at offset is changed, or which is cut to size. */
static void
check_db(size_t offset, uint8_t byte, size_t cut, PhStatus expected, const char *message)
{
	PhEnv env;
	PhRunInput run;
	size_t xml_size;
	size_t db_size;
	const char *name = DATA "hpctoolkit/1.small-000000-000-c0a80001-77-0.metric-db";
	char *xml = read_text(DATA "hpctoolkit/experiment.xml", &xml_size);
	char *db = read_text(name, &db_size);
	ph_env_init_malloc(&env);
	db[offset] = (char) byte;
	PhInput xml_input = ph_input_lend("experiment.xml", xml, xml_size);
	PhInput db_input = ph_input_lend(name, db, cut > 0 ? cut : db_size);
	PhStatus status = ph_read_hpctoolkit(&env, &xml_input, &db_input, 1, NULL, &run);
	if (status != expected || strstr(env.error.message, message) == NULL)
		fail_msg("offset %zu: %s \"%s\", expected \"%s\"", offset, ph_status_name(status),
				 env.error.message, message);
	assert_int_equal(env.bytes, 0);
	free(xml);
	free(db);
}

static void
test_metric_db(void **state)
{
	(void) state;
	check_db(0, 'h', 0, PH_ERR_FORMAT, "not a metric-db");
	check_db(0, 'H', 20, PH_ERR_FORMAT, "truncated");
	check_db(0, 'H', 100, PH_ERR_FORMAT, "truncated or damaged");
	check_db(24, 0x7f, 0, PH_ERR_FORMAT, "do not fit a file");
	check_db(24, 0xff, 0, PH_ERR_FORMAT, "do not fit a file");
	check_db(31, 6, 0, PH_ERR_FORMAT, "do not fit a file");
	check_db(48, 0xc0, 0, PH_ERR_VALUE, "offset 48");
}

static void
test_wrong_endian(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	size_t xml_size;
	char *xml = read_text(DATA "hpctoolkit/experiment.xml", &xml_size);
	uint8_t db[32 + 9 * 2 * 8] = "HPCPROF-metricdb__00.10b";
	db[24] = 9;
	db[28] = 2;
	ph_env_init_malloc(&env);
	PhInput xml_input = ph_input_lend("experiment.xml", xml, xml_size);
	PhInput db_input = ph_input_lend("1.x-000000-000-h-1-0.metric-db", db, sizeof(db));
	assert_int_equal(ph_read_hpctoolkit(&env, &xml_input, &db_input, 1, NULL, &run), PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "big-endian"));
	db_input.path = "nonsense.metric-db";
	assert_int_equal(ph_read_hpctoolkit(&env, &xml_input, &db_input, 1, NULL, &run), PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "tells no rank"));
	free(xml);
}

/* Cut off anywhere: an error, or, where only whole lines are lost, a profile. */
static void
test_truncation(void **state)
{
	(void) state;
	static const struct
	{
		ReaderKind reader;
		const char *file;
	} files[] = {{READ_CALIPER_JSON, DATA "small.json"},
				 {READ_CALIPER_CALI, DATA "small.cali"},
				 {READ_HATCHET_JSON, DATA "literal-a.json"},
				 {READ_HATCHET_JSON, DATA "literal-b.json"},
				 {READ_HPCTOOLKIT, DATA "hpctoolkit/experiment.xml"}};
	for (size_t i = 0; i < COUNT(files); i++)
	{
		size_t size;
		char *text = read_text(files[i].file, &size);
		while (text[size - 1] == '\n')
			size--;
		for (size_t cut = 0; cut < size; cut++)
		{
			PhEnv env;
			PhRunInput run;
			ph_env_init_malloc(&env);
			char *copy = malloc(cut); /* its exact size, so that reading over shows */
			memcpy(copy, text, cut);
			PhStatus status = read_bytes(&env, files[i].reader, copy, cut, &run);
			if (status == PH_OK && files[i].reader != READ_CALIPER_CALI)
				fail_msg("%s: %zu bytes are accepted", files[i].file, cut);
			if (status == PH_OK && run.n_missing == 0)
				fail_msg("%s: %zu bytes are taken for the whole", files[i].file, cut);
			if (status == PH_OK)
				ph_run_input_free(&env, &run);
			assert_int_equal(env.bytes, 0);
			free(copy);
		}
		free(text);
	}
}

/* JSON nested without end is refused before it hurts. */
static void
test_deep_nesting(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	size_t n = 3000000;
	char *text = malloc(n);
	ph_env_init_malloc(&env);
	memset(text, '[', n);
	memcpy(text, "{\"x\":", 5);
	assert_int_equal(read_bytes(&env, READ_CALIPER_JSON, text, n, &run), PH_ERR_LIMIT);
	memcpy(text, "{\"data\":", 8);
	assert_int_equal(read_bytes(&env, READ_CALIPER_JSON, text, n, &run), PH_ERR_FORMAT);
	assert_int_equal(env.bytes, 0);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caliper_json), cmocka_unit_test(test_caliper_cali),
		cmocka_unit_test(test_hatchet_json), cmocka_unit_test(test_hpctoolkit_xml),
		cmocka_unit_test(test_metric_db),	 cmocka_unit_test(test_wrong_endian),
		cmocka_unit_test(test_truncation),	 cmocka_unit_test(test_deep_nesting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
