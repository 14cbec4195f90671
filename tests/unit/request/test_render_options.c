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

#include "support/scene.h"

/* Arguments end with NULL. */
static bool
parse(Studio *studio, PhOptions *options, const char *view, const char **message,
	  const char *const *arguments)
{
	char *argv[20];
	const char *hint = NULL;
	int argc = 0;

	for (; arguments[argc]; argc++)
		argv[argc] = ph_need_copy(&studio->arena, arguments[argc]);
	return ph_options_parse(options, &studio->arena, ph_view_find(view)->options, argc, argv,
							message, &hint);
}

static void
all_forms_are_understood(void **state)
{
	static const char *const arguments[] = {
		"--run",	 "1",		"--group-by=file", "-f0.01",		 "--split-entry",
		"a=b\\,c,d", "--drill", "x=file",		   "--split-caller", "libc=2",
		"-o",		 "out.PNG", "--ranks",		   "0-2,7",			 "--color",
		"exclusive", NULL};
	const char *message = NULL;
	PhOptions options;
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_true(parse(&studio, &options, "sankey", &message, arguments));
	assert_string_equal(options.run, "1");
	assert_string_equal(options.group_by, "file");
	assert_true(options.filter == 0.01);
	assert_string_equal(options.ranks, "{0,1,2,7}");
	assert_int_equal(options.format, PH_FORMAT_PNG);
	assert_int_equal(options.n_steps, 3);
	assert_int_equal(options.steps[0].kind, PH_SPLIT_ENTRY);
	assert_int_equal(options.steps[0].n_functions, 2);
	assert_string_equal(options.steps[0].functions[0], "b,c");
	assert_string_equal(options.steps[0].functions[1], "d");
	assert_string_equal(options.steps[1].level, "file");
	assert_string_equal(options.steps[2].node, "libc=2");
	studio_close(&studio);
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
		const char *message = NULL;
		PhOptions options;
		Studio studio;

		studio_open(&studio);
		assert_false(parse(&studio, &options, "sankey", &message, cases[i]));
		assert_string_equal(message, cases[i][5]);
		studio_close(&studio);
	}
}

static void
type_decides_for_stdout(void **state)
{
	static const char *const arguments[] = {"-o", "-", "--type", "pdf", NULL};
	const char *message = NULL;
	PhOptions options;
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_true(parse(&studio, &options, "flame", &message, arguments));
	assert_int_equal(options.format, PH_FORMAT_PDF);
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
		const char *message = NULL;
		PhOptions options;
		Studio studio;

		studio_open(&studio);
		assert_int_equal(parse(&studio, &options, "logical", &message, arguments), i < 5);
		if (i < 5)
		{
			assert_string_equal(options.step_from, cases[i][1]);
			assert_string_equal(options.step_to, cases[i][2]);
			assert_string_equal(options.range, "5000000");
		}
		else
			assert_non_null(strstr(message, "of option --steps"));
		studio_close(&studio);
	}
}

static void
random_rank_lists_do_no_harm(void **state)
{
	static const char letters[] = "0123456789,--, x";

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
		list = ph_ranks_parse(&studio.arena, text);
		assert_true(list == NULL || (list[0] == '{' && list[strlen(list) - 1] == '}'));
		ph_arena_drop(&studio.arena);
	}
}

/* Every option that a view names exists. */
static void
views_name_real_options(void **state)
{
	(void) state;
	for (const PhView *const *view = ph_views; *view; view++)
	{
		char *words = strdup((*view)->options);

		for (char *save = NULL, *word = strtok_r(words, " ", &save); word;
			 word = strtok_r(NULL, " ", &save))
		{
			char *text = NULL;
			size_t size = 0;
			FILE *file = open_memstream(&text, &size);
			char wanted[64];

			ph_options_help(file, word);
			fclose(file);
			snprintf(wanted, sizeof(wanted), " --%s", word);
			if (strstr(text, wanted) == NULL)
				fail_msg("%s: no option --%s", (*view)->name, word);
			free(text);
		}
		free(words);
		assert_true(strlen((*view)->query->sql) > 0);
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
		cmocka_unit_test(views_name_real_options),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
