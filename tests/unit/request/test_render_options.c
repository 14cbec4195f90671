/*
 * test_render_options.c - options of `perfhouse render`.
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

#include "request/bind.h"
#include "request/view_command.h"
#include "supergraph/group_by.h"
#include "support/scene.h"

static PhArguments *given;
static PhProblem problem;

/* Arguments end with NULL. The format is checked, too. */
static bool
parse(Studio *studio, PhOptions *options, const char *view, const char *const *arguments,
	  PhFormat *format)
{
	const PhProgram *program = ph_render_program(NULL);
	char *argv[20];
	int argc = 0;

	for (; arguments[argc]; argc++)
		argv[argc] = ph_need_copy(&studio->arena, arguments[argc]);
	given = ph_cli_read(program, ph_cli_find(program, view), argc, argv, &problem);
	return given != NULL &&
		   ph_options_init(options, &studio->arena, ph_cli_values(given), &problem) &&
		   ph_option_format(options, format, &problem);
}

/* What a query that names one parameter is sent. */
static const char *
sent(const PhOptions *options, const char *view, const char *name)
{
	static PhParam params[PH_PQ_MAX_PARAMS];
	const char *const names[] = {name, NULL};
	PhQuery query = {"", names};

	assert_int_equal(ph_bind(&query, ph_view_find(view), options, params), 1);
	return params[0].bytes != NULL ? params[0].bytes : params[0].own;
}

static void
all_forms_are_understood(void **state)
{
	static const char *const arguments[] = {
		"--run",	 "1",		"--group-by=file", "-f0.01",		 "--split-entry",
		"a=b\\,c,d", "--drill", "x=file",		   "--split-caller", "libc=2",
		"-o",		 "out.PNG", "--ranks",		   "0-2,7",			 "--color",
		"exclusive", NULL};
	PhOptions options;
	PhFormat format;
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_true(parse(&studio, &options, "sankey", arguments, &format));
	assert_string_equal(sent(&options, "sankey", "run"), "1");
	assert_string_equal(sent(&options, "sankey", "group_by"), "file");
	assert_true(strtod(sent(&options, "sankey", "filter"), NULL) == 0.01);
	assert_string_equal(sent(&options, "sankey", "ranks"), "{0,1,2,7}");
	assert_string_equal(sent(&options, "sankey", "bins"), "20");
	assert_int_equal(format, PH_FORMAT_PNG);
	assert_string_equal(sent(&options, "sankey", "refinement"),
						"[{\"op\":\"split-entry\",\"node\":\"a\",\"functions\":[\"b,c\",\"d\"]},"
						"{\"op\":\"drill\",\"node\":\"x\",\"level\":\"file\",\"functions\":[]},"
						"{\"op\":\"split-caller\",\"node\":\"libc=2\",\"functions\":[]}]");
	ph_cli_free(given);
	studio_close(&studio);
}

/* Everything that the core groups by may be asked for. */
static void
all_groupings_are_taken(void **state)
{
	(void) state;
	for (const char *const *name = ph_group_by_names; *name; name++)
	{
		const char *const arguments[] = {"--group-by", *name, "-oa.svg", NULL};
		PhOptions options;
		PhFormat format;
		Studio studio;

		studio_open(&studio);
		assert_true(parse(&studio, &options, "sankey", arguments, &format));
		assert_string_equal(sent(&options, "sankey", "group_by"), *name);
		ph_cli_free(given);
		studio_close(&studio);
	}
}

/* What a view leaves to itself, and flags that take something away. */
static void
views_have_defaults(void **state)
{
	static const char *const cases[][4] = {
		{"sankey", "-f0.002", "filter", "0.002"},
		{"flame", NULL, "filter", "0"},
		{"cct", "-f0.25", "filter", "0.25"},
		{"metric", NULL, "cost", "exclusive"},
		{"box", NULL, "cost", "inclusive"},
		{"function-arcs", NULL, "top", "60"},
		{"function-arcs", "--function=f", "node", "f"},
		{"logical", NULL, "messages", "t"},
		{"logical", "--no-messages", "messages", "f"},
		{"logical", NULL, "aggregates", "f"},
		{"logical", "--aggregates", "aggregates", "t"},
		{"logical-clusters", NULL, "aggregates", "t"},
		{"logical-clusters", "--no-aggregates", "aggregates", "f"},
		{"logical", NULL, "step_metric", "lateness"},
		{"logical", "--color=differential", "step_metric", "differential_lateness"},
		{"timeline", "--metric=PAPI_TOT_CYC", "step_color", ""},
		{"timeline", "--from=2us", "from", "2000"},
		{"history", "--filter=tag = 'x'", "run_filter", "tag = 'x'"},
		{"sankey-diff", "--vs=ensemble", "vs", "ensemble"},
		{"history", "--path=a/\"b\"", "paths", "[\"a/\\\"b\\\"\"]"},
		{"flame", NULL, "metric", ""},
		{"sankey", NULL, "levels", "13"},
		{"sankey", "--width=700", "levels", "7"},
		{"sankey", "--levels=4", "levels", "4"},
		{"sankey", "-f0.01", "levels", "13"},
		{"sankey", "-f0", "levels", "0"},
		{"sankey", "--everything", "levels", "0"},
		{"histogram", NULL, "levels", ""}, /* as many as a graph of usual width */
		{"histogram", "--levels=4", "levels", "4"},
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const char *const arguments[] = {"-oa.svg", cases[i][1], NULL};
		PhOptions options;
		PhFormat format;
		Studio studio;

		studio_open(&studio);
		assert_true(parse(&studio, &options, cases[i][0], arguments, &format));
		if (strcmp(cases[i][2], "filter") == 0)
			assert_true(strtod(sent(&options, cases[i][0], "filter"), NULL) ==
						strtod(cases[i][3], NULL));
		else
			assert_string_equal(sent(&options, cases[i][0], cases[i][2]), cases[i][3]);
		ph_cli_free(given);
		studio_close(&studio);
	}
}

static void
mistakes_are_explained(void **state)
{
	static const char *const cases[][6] = {
		{"--run", "one", "-oa.svg", NULL, NULL, "invalid value \"one\" of option --run"},
		{"--filter", "2", "-oa.svg", NULL, NULL, "invalid value \"2\" of option --filter"},
		{"--filter", "nan", "-oa.svg", NULL, NULL, "invalid value \"nan\" of option --filter"},
		{"--ranks", "3-1", "-oa.svg", NULL, NULL, "invalid value \"3-1\" of option --ranks"},
		{"--ranks", "1,,2", "-oa.svg", NULL, NULL, "invalid value \"1,,2\" of option --ranks"},
		{"--nonsense", "-oa.svg", NULL, NULL, NULL, "unknown option or argument \"--nonsense\""},
		{"stray", "-oa.svg", NULL, NULL, NULL, "unknown option or argument \"stray\""},
		{"--bins", "3", "--help=yes", NULL, NULL, "unknown option or argument \"--help=yes\""},
		{"--order", "host", "-oa.svg", NULL, NULL, "unknown option or argument \"--order\""},
		{"--drill", "node", "-oa.svg", NULL, NULL, "invalid value \"node\" of option --drill"},
		{"--group-by", "shape", "-oa.svg", NULL, NULL,
		 "invalid value \"shape\" of option --group-by"},
		{"--module-map", "/nowhere/map", "-oa.svg", NULL, NULL,
		 "/nowhere/map: No such file or directory"},
		{"-o", "picture.gif", NULL, NULL, NULL,
		 "cannot tell the type of picture from \"picture.gif\""},
		{"-o", "-", NULL, NULL, NULL, "cannot tell the type of picture from \"-\""},
		{"--run", "1", NULL, NULL, NULL, "no picture to write"},
		{"--run", NULL, NULL, NULL, NULL, "option --run needs a value"},
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhOptions options;
		PhFormat format;
		Studio studio;

		studio_open(&studio);
		assert_false(parse(&studio, &options, "sankey", cases[i], &format));
		assert_string_equal(problem.message, cases[i][5]);
		assert_true(problem.hint[0] != '\0');
		ph_cli_free(given);
		studio_close(&studio);
	}
}

static void
type_decides_for_stdout(void **state)
{
	static const char *const arguments[] = {"-o", "-", "--type", "pdf", NULL};
	PhOptions options;
	PhFormat format;
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_true(parse(&studio, &options, "flame", arguments, &format));
	assert_int_equal(format, PH_FORMAT_PDF);
	ph_cli_free(given);
	studio_close(&studio);
}

/* Steps are given with both ends, and kept as a half-open window. */
static void
steps_and_ranges_are_understood(void **state)
{
	static const char *const cases[][3] = {{"0-40", "0", "41"},
										   {"12", "12", "13"},
										   {"-7", "0", "8"},
										   {"100-", "100", "2000000001"},
										   {"3-3", "3", "4"}};
	static const char *const bad[] = {"-", "", "4-3", "a", "1-2-3", "1,2", "--1", "99999999999"};

	(void) state;
	for (size_t i = 0; i < 5 + sizeof(bad) / sizeof(bad[0]); i++)
	{
		const char *text = i < 5 ? cases[i][0] : bad[i - 5];
		const char *const arguments[] = {"--range", "5ms", "-oa.svg", "--steps", text, NULL};
		PhOptions options;
		PhFormat format;
		Studio studio;
		double ns = 0;

		studio_open(&studio);
		assert_int_equal(parse(&studio, &options, "logical", arguments, &format), i < 5);
		if (i < 5)
		{
			assert_string_equal(sent(&options, "logical", "step_from"), cases[i][1]);
			assert_string_equal(sent(&options, "logical", "step_to"), cases[i][2]);
			assert_true(ph_option_range(&options, &ns) && ns == 5000000);
		}
		else
			assert_non_null(strstr(problem.message, "of option --steps"));
		ph_cli_free(given);
		studio_close(&studio);
	}
}

static void
random_rank_lists_do_no_harm(void **state)
{
	static const char letters[] = "0123456789,--, x";
	static const PhParameter ranks = {.name = "ranks", .type = PH_PARAMETER_INTEGERS};

	(void) state;
	srand(17);
	for (int round = 0; round < 3000; round++)
	{
		char text[12];
		const char *list;
		Studio studio;

		for (size_t i = 0; i + 1 < sizeof(text); i++)
			text[i] = letters[(size_t) rand() % (sizeof(letters) - 1)];
		text[rand() % sizeof(text)] = '\0';
		text[sizeof(text) - 1] = '\0';
		if (strlen(text) > 7)
			text[7] = '\0'; /* keeps ranges short */
		ph_env_init_malloc(&studio.env);
		ph_arena_init(&studio.arena, &studio.env);
		list = ph_parameter_accepts(&ranks, text) ? ph_integers_array(&studio.arena, text) : NULL;
		assert_true(list == NULL || (list[0] == '{' && list[strlen(list) - 1] == '}'));
		ph_arena_drop(&studio.arena);
	}
}

/* Every parameter that a view names is declared (else the table aborts), and every name of its
 * query is one. Views of plain rows have no query of their own. */
static void
queries_name_what_views_take(void **state)
{
	(void) state;
	for (const PhView *const *view = ph_views; *view; view++)
	{
		const char *const arguments[] = {"-oa.svg", NULL};
		PhParam params[PH_PQ_MAX_PARAMS];
		PhOptions options;
		PhFormat format;
		Studio studio;

		if ((*view)->query == NULL)
			continue;
		studio_open(&studio);
		assert_true(strlen((*view)->query->sql) > 0);
		assert_true(parse(&studio, &options, (*view)->name, arguments, &format));
		assert_true(ph_bind((*view)->query, *view, &options, params) > 0);
		ph_cli_free(given);
		studio_close(&studio);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_understood),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(type_decides_for_stdout),
		cmocka_unit_test(steps_and_ranges_are_understood),
		cmocka_unit_test(random_rank_lists_do_no_harm),
		cmocka_unit_test(all_groupings_are_taken),
		cmocka_unit_test(views_have_defaults),
		cmocka_unit_test(queries_name_what_views_take),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
