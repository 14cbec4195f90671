/*
 * test_cli.c - command lines, help texts, exit codes and JSON of the programs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/json_out.h"

static PhExit
run_nothing(PhArguments *arguments)
{
	return ph_cli_flag(arguments, "dry") ? PH_EXIT_CONFLICT : PH_EXIT_OK;
}

static const char *const colours[] = {"red", "green", NULL};
static const PhParameter options[] = {
	{.name = "dry", .letter = 'n', .help = "only look", .environment = "PH_TEST_DRY"},
	{.name = "set",
	 .letter = 's',
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "K=V",
	 .help = "metadata"},
	{.name = "jobs", .letter = 'j', .type = PH_PARAMETER_INTEGER, .value = "N", .help = "workers"},
	{.name = "share",
	 .type = PH_PARAMETER_NUMBER,
	 .value = "X",
	 .help = "part",
	 .environment = "PH_TEST_SHARE"},
	{.name = "colour", .type = PH_PARAMETER_TEXT, .value = "C", .help = "hue", .choices = colours},
	{0},
};
static const PhCommand load = {.name = "load",
							   .help = "load things",
							   .usage = "PATH... [OPTION]...",
							   .details = ".first line\nEND",
							   .options = options,
							   .min_arguments = 1,
							   .max_arguments = 2,
							   .uses_database = true,
							   .run = run_nothing};
static const PhCommand hand = {.name = "hand",
							   .help = "hand over",
							   .usage = "[PATH]... [OTHER]...",
							   .options = options,
							   .max_arguments = 2,
							   .uses_database = true,
							   .passes_rest = true,
							   .run = run_nothing};
static const PhCommand down = {.name = "down", .help = "stop", .usage = "", .run = run_nothing};
static const PhCommand show = {
	.name = "show", .help = "show", .usage = "RUN", .max_arguments = 1, .run = run_nothing};
static const PhCommand *const commands[] = {&load, &down, &show, &hand, NULL};
static const PhProgram program = {.name = "demo",
								  .summary = "a program",
								  .noun = "command",
								  .usage = "COMMAND [ARGUMENT]...",
								  .commands = commands,
								  .footer = "footer"};

#define PARSE(out, ...) parse(&load, out, (char *[]){__VA_ARGS__, NULL})
#define PARSE_REST(out, ...) parse(&hand, out, (char *[]){__VA_ARGS__, NULL})

static PhExit
parse(const PhCommand *command, PhArguments **out, char **argv)
{
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	*out = NULL;
	return ph_cli_parse(&program, command, argc, argv, out);
}

static void
test_values(void **state)
{
	PhArguments *arguments;
	const char *const *values;

	(void) state;
	assert_int_equal(PARSE_REST(&arguments, "a", "--set", "k=v", "-sx=y", "--jobs=7", "-n", "b",
								"--share", "-0.5", "--", "-c", "--x"),
					 PH_EXIT_OK);
	assert_int_equal(ph_cli_list(arguments, "set", &values), 2);
	assert_string_equal(values[0], "k=v");
	assert_string_equal(values[1], "x=y");
	assert_int_equal(ph_cli_integer(arguments, "jobs", 1), 7);
	assert_true(ph_cli_flag(arguments, "dry"));
	assert_true(ph_cli_number(arguments, "share", 1) == -0.5);
	assert_null(ph_cli_text(arguments, "colour", NULL));
	assert_int_equal(ph_cli_n_arguments(arguments), 2);
	assert_string_equal(ph_cli_argument(arguments, 1), "b");
	assert_null(ph_cli_argument(arguments, 2));
	assert_int_equal(ph_cli_n_rest(arguments), 2);
	assert_string_equal(ph_cli_rest(arguments, 0), "-c");
	assert_null(ph_cli_rest(arguments, 2));
	assert_null(ph_cli_db(arguments));
	ph_cli_free(arguments);
}

/* From a letter on that is not the command's, letters that are partly its included. */
static void
test_rest_begins_by_itself(void **state)
{
	static char *const first[] = {"-c", "-nx", "-x=1"};
	PhArguments *arguments;

	(void) state;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
	{
		assert_int_equal(PARSE_REST(&arguments, "-nj3", first[i], "--dry", "a", "--"), PH_EXIT_OK);
		assert_int_equal(ph_cli_integer(arguments, "jobs", 1), 3);
		assert_int_equal(ph_cli_n_arguments(arguments), 0);
		assert_int_equal(ph_cli_n_rest(arguments), 4);
		assert_string_equal(ph_cli_rest(arguments, 0), first[i]);
		assert_string_equal(ph_cli_rest(arguments, 3), "--");
		ph_cli_free(arguments);
	}
	assert_int_equal(PARSE_REST(&arguments, "--jobs", "x"), PH_EXIT_USAGE);
	assert_int_equal(PARSE_REST(&arguments, "--jobz", "1"), PH_EXIT_USAGE);
	assert_int_equal(PARSE_REST(&arguments, "a", "b", "c"), PH_EXIT_USAGE);
}

static void
test_last_value_wins_and_letters_join(void **state)
{
	PhArguments *arguments;

	(void) state;
	assert_int_equal(PARSE(&arguments, "-nj3", "a", "-j", "4", "-d", "dbname=x"), PH_EXIT_OK);
	assert_true(ph_cli_flag(arguments, "dry"));
	assert_int_equal(ph_cli_integer(arguments, "jobs", 1), 4);
	assert_string_equal(ph_cli_db(arguments), "dbname=x");
	ph_cli_free(arguments);
}

static void
test_refusals(void **state)
{
	PhArguments *arguments;

	(void) state;
	assert_int_equal(PARSE(&arguments, "a", "--jobz", "1"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "-x"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--jobs"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--jobs", "3.5"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--jobs", ""), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--jobs", "99999999999999999999"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--share", "nan"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--share", "1x"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--dry=1"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "--colour", "blue"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "--dry"), PH_EXIT_USAGE);
	assert_int_equal(PARSE(&arguments, "a", "b", "c"), PH_EXIT_USAGE);
}

static void
test_help_needs_no_arguments(void **state)
{
	PhArguments *arguments;

	(void) state;
	assert_int_equal(PARSE(&arguments, "--help"), PH_EXIT_OK);
	assert_true(ph_cli_flag(arguments, "help"));
	ph_cli_free(arguments);
}

static void
test_environment_twins(void **state)
{
	PhArguments *arguments;

	(void) state;
	setenv("PH_TEST_SHARE", "0.25", 1);
	setenv("PH_TEST_DRY", "0", 1);
	assert_int_equal(PARSE(&arguments, "a"), PH_EXIT_OK);
	assert_true(ph_cli_number(arguments, "share", 1) == 0.25);
	assert_false(ph_cli_flag(arguments, "dry"));
	ph_cli_free(arguments);
	assert_int_equal(PARSE(&arguments, "a", "--share", "2"), PH_EXIT_OK);
	assert_true(ph_cli_number(arguments, "share", 1) == 2);
	ph_cli_free(arguments);
	setenv("PH_TEST_SHARE", "much", 1);
	assert_int_equal(PARSE(&arguments, "a"), PH_EXIT_USAGE);
	unsetenv("PH_TEST_SHARE");
	setenv("PH_TEST_DRY", "yes", 1);
	assert_int_equal(PARSE(&arguments, "a"), PH_EXIT_OK);
	assert_true(ph_cli_flag(arguments, "dry"));
	ph_cli_free(arguments);
	unsetenv("PH_TEST_DRY");
}

static void
test_main(void **state)
{
	char *unknown[] = {"demo", "lod", NULL};
	char *dry[] = {"demo", "load", "x", "--dry", NULL};
	char *nothing[] = {"demo", NULL};
	char *before[] = {"demo", "--db", "load", "-q", "load", "x", "-n", NULL};
	char *only_options[] = {"demo", "-d", NULL};

	(void) state;
	assert_int_equal(ph_cli_main(&program, 2, unknown), PH_EXIT_USAGE);
	assert_int_equal(ph_cli_main(&program, 4, dry), PH_EXIT_CONFLICT);
	assert_int_equal(ph_cli_main(&program, 1, nothing), PH_EXIT_USAGE);
	assert_int_equal(ph_cli_main(&program, 7, before), PH_EXIT_CONFLICT);
	assert_int_equal(ph_cli_main(&program, 2, only_options), PH_EXIT_USAGE);
}

/* Words that look like options are arguments after "--", unless another program takes them. */
static void
test_words_after_dashes(void **state)
{
	char *argv[] = {"--", "-x.cali", NULL};
	PhArguments *arguments = NULL;

	(void) state;
	assert_int_equal(ph_cli_parse(&program, &show, 2, argv, &arguments), PH_EXIT_OK);
	assert_int_equal(ph_cli_n_rest(arguments), 0);
	assert_string_equal(ph_cli_argument(arguments, 0), "-x.cali");
	ph_cli_free(arguments);
}

static void
test_nearest(void **state)
{
	const char *const names[] = {"load", "down", "doctor"};

	(void) state;
	assert_string_equal(ph_nearest_word("loed", names, 3), "load");
	assert_string_equal(ph_nearest_word("docter", names, 3), "doctor");
	assert_null(ph_nearest_word("xyzzy", names, 3));
	assert_null(ph_nearest_word("", names, 0));
}

static void
test_run_ids(void **state)
{
	int64_t run = 0;

	(void) state;
	assert_true(ph_cli_parse_run("17", &run));
	assert_int_equal(run, 17);
	assert_false(ph_cli_parse_run("0", &run));
	assert_false(ph_cli_parse_run("-3", &run));
	assert_false(ph_cli_parse_run("1e3", &run));
	assert_false(ph_cli_parse_run("", &run));
	assert_int_equal(run, 17);
}

/* What a printer prints; malloc'ed. */
static char *
printed(void (*print)(FILE *, const void *), const void *argument)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	print(stream, argument);
	fclose(stream);
	return text;
}

static void
print_help(FILE *stream, const void *command)
{
	if (command != NULL)
		ph_cli_print_command_help(stream, &program, command);
	else
		ph_cli_print_program_help(stream, &program);
}

static void
print_man(FILE *stream, const void *ignored)
{
	(void) ignored;
	ph_cli_print_program_manual(stream, &program);
}

static void
test_help_text(void **state)
{
	char *text = printed(print_help, &load);

	(void) state;
	assert_non_null(strstr(text, "Usage: demo load PATH... [OPTION]...\n"));
	assert_non_null(strstr(text, "  -s, --set K=V               metadata; may be repeated\n"));
	assert_non_null(strstr(text, "[$PH_TEST_SHARE]"));
	assert_non_null(strstr(text, "one of red, green"));
	assert_non_null(strstr(text, "--db CONNINFO"));
	free(text);
	text = printed(print_help, NULL);
	assert_non_null(strstr(text, "  load  load things\n"));
	assert_non_null(strstr(text, "footer"));
	free(text);
}

static void
test_man_page(void **state)
{
	char *text = printed(print_man, NULL);

	(void) state;
	assert_non_null(strstr(text, ".SS \"load PATH... [OPTION]...\"\n"));
	assert_non_null(strstr(text, "\\&.first line"));
	assert_non_null(strstr(text, "\\fB\\-j\\fR, \\fB\\-\\-jobs\\fR \\fIN\\fR\n"));
	assert_non_null(strstr(text, ".B 130\ninterrupted\n"));
	free(text);
}

static void
test_exit_codes(void **state)
{
	(void) state;
	assert_int_equal(ph_exit_from_status(PH_OK), PH_EXIT_OK);
	assert_int_equal(ph_exit_from_status(PH_ERR_FORMAT), PH_EXIT_INPUT);
	assert_int_equal(ph_exit_from_status(PH_ERR_INTERNAL), PH_EXIT_INTERNAL);
	assert_int_equal(ph_exit_from_sqlstate("53100"), PH_EXIT_DISK_FULL);
	assert_int_equal(ph_exit_from_sqlstate("53200"), PH_EXIT_MEMORY);
	assert_int_equal(ph_exit_from_sqlstate("42501"), PH_EXIT_PERMISSION);
	assert_int_equal(ph_exit_from_sqlstate("57014"), PH_EXIT_INTERRUPTED);
	assert_int_equal(ph_exit_from_sqlstate("57P01"), PH_EXIT_UNREACHABLE);
	assert_int_equal(ph_exit_from_sqlstate("PH002"), PH_EXIT_NOT_FOUND);
	assert_int_equal(ph_exit_from_sqlstate("22012"), PH_EXIT_ERROR);
	assert_int_equal(ph_exit_from_sqlstate(""), PH_EXIT_UNREACHABLE);
	assert_int_equal(ph_exit_from_errno(ENOSPC), PH_EXIT_DISK_FULL);
	assert_int_equal(ph_exit_from_errno(EACCES), PH_EXIT_UNREADABLE);
	assert_string_equal(ph_exit_meaning((PhExit) 99), "unknown");
}

static void
write_sample(FILE *stream, const void *ignored)
{
	PhJsonOut json;

	(void) ignored;
	ph_json_begin(&json, stream);
	ph_json_open_object(&json, NULL);
	ph_json_put_text(&json, "text", "a\"\xFF/\n\x01\x7F");
	ph_json_put_integer(&json, "int", INT64_MIN);
	ph_json_put_number(&json, "tenth", 0.1);
	ph_json_put_number(&json, "third", 1.0 / 3);
	ph_json_put_number(&json, "nan", NAN);
	ph_json_put_bool(&json, "yes", true);
	ph_json_put_text(&json, "none", NULL);
	ph_json_put_raw(&json, "meta", "{\"k\":[1]}");
	ph_json_open_array(&json, "list");
	ph_json_put_text(&json, NULL, "x");
	ph_json_new_line(&json);
	ph_json_open_object(&json, NULL);
	ph_json_close(&json);
	ph_json_close(&json);
	ph_json_close(&json);
	assert_true(ph_json_done_line(&json));
}

static void
test_json(void **state)
{
	char *text = printed(write_sample, NULL);

	(void) state;
	assert_string_equal(text, "{\"text\":\"a\\\"\xEF\xBF\xBD/\\n\\u0001\\u007f\","
							  "\"int\":-9223372036854775808,\"tenth\":0.1,"
							  "\"third\":0.3333333333333333,\"nan\":null,\"yes\":true,"
							  "\"none\":null,\"meta\":{\"k\":[1]},\"list\":[\"x\",\n{}]}\n");
	free(text);
}

/* What would be no JSON fails, and what follows is not written. */
static void
test_json_faults(void **state)
{
	static const char *const faults[] = {"o1", "a", "ok", "ak1]", "o}1", "o", "}", "", "11"};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	PhJsonOut json;

	(void) state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
	{
		const char *key = NULL;

		ph_json_begin(&json, stream);
		for (const char *step = faults[i]; *step != '\0'; step++)
		{
			if (*step == 'o')
				ph_json_open_object(&json, NULL);
			else if (*step == 'a')
				ph_json_open_array(&json, NULL);
			else if (*step == 'k')
				key = "key";
			else if (*step == '1')
				ph_json_put_integer(&json, key, 1);
			else
				ph_json_close(&json);
		}
		assert_false(ph_json_done_line(&json));
	}
	ph_json_begin(&json, stream);
	for (size_t depth = 0; depth <= PH_JSON_MOST_DEPTH; depth++)
		ph_json_open_array(&json, NULL);
	for (size_t depth = 0; depth <= PH_JSON_MOST_DEPTH; depth++)
		ph_json_close(&json);
	assert_false(ph_json_done_line(&json));
	fclose(stream);
	free(text);
}
int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_rest_begins_by_itself),
		cmocka_unit_test(test_last_value_wins_and_letters_join),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_help_needs_no_arguments),
		cmocka_unit_test(test_environment_twins),
		cmocka_unit_test(test_main),
		cmocka_unit_test(test_words_after_dashes),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_run_ids),
		cmocka_unit_test(test_help_text),
		cmocka_unit_test(test_man_page),
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
