/*
 * main.c - perfhouse-render: draws pictures of runs; called by `perfhouse render VIEW ...` and
 * `perfhouse serve`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "completion/complete.h"
#include "database/warehouse.h"
#include "drawing/arena_must.h"
#include "request/expression.h"
#include "request/failure.h"
#include "request/fetch.h"
#include "request/user_query.h"
#include "request/view_command.h"
#include "runs/named_run.h"
#include "serve/serve.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/settings.h"

static PhExit
complain(PhExit code, const char *message, const char *hint)
{
	ph_log_error("%s", message);
	if (hint && *hint)
		ph_log_hint("%s", hint);
	return code;
}

/* Half a picture is worth less than none; devices and pipes are left alone. */
static void
remove_file(const char *name)
{
	struct stat status;

	if (stat(name, &status) == 0 && S_ISREG(status.st_mode))
		remove(name);
}

/* Writes the picture to a file, or to stdout for "-". */
static PhExit
write_picture(const char *name, const PhPicture *picture)
{
	bool to_stdout = strcmp(name, "-") == 0;
	FILE *file = to_stdout ? stdout : fopen(name, "wb");
	bool ok = file != NULL;
	int error;

	ok = ok && fwrite(picture->bytes, 1, picture->size, file) == picture->size;
	error = ok ? 0 : errno;
	if (file != NULL && (to_stdout ? fflush(file) : fclose(file)) != 0)
	{
		ok = false;
		error = errno;
	}
	if (ok)
		return PH_EXIT_OK;
	ph_log_write_error(to_stdout ? "standard output" : name, error);
	if (!to_stdout && file != NULL)
		remove_file(name);
	return ph_exit_from_errno(error);
}

static PhExit
draw_picture(const PhView *view, const PhOptions *options, PhFormat format, const PhViewRows *rows)
{
	PhFonts *fonts = ph_fonts_open();
	const char *message = NULL;
	PhPicture picture;
	PhScene scene;
	PhExit code;

	ph_view_draw(view, options, rows, fonts, options->arena, format, &scene);
	if (ph_draw(&scene, format, ph_option_number(options, "scale"), &picture, &message))
	{
		code = write_picture(ph_option_text(options, "output"), &picture);
		free(picture.bytes);
	}
	else
		code = complain(PH_EXIT_UNSUPPORTED, message, NULL);
	ph_fonts_close(fonts);
	return code;
}

/* What the picture shows, as the pages copy it; no database is asked. */
static PhExit
write_sql(const PhView *view, const PhOptions *options)
{
	PhFailure failure;
	const char *text;

	if (!ph_fetch_check(view, options, &failure))
		return ph_failure_log(&failure);
	if (ph_user_query_given(options))
		return complain(PH_EXIT_USAGE, "the picture of a query has no other SQL",
						"Give --run or what else chooses runs.");
	text = ph_need_format(options->arena, "%s;\n", ph_expression(view, options));
	return write_picture(ph_option_text(options, "output"),
						 &(PhPicture){.bytes = (unsigned char *) text, .size = strlen(text)});
}

/* Puts its number in place of a run that is named as the latest one. */
static PhExit
find_run(PhOptions *options, PhGivenText *given, const char *database)
{
	PhConnection *connection = NULL;
	PhExit code = ph_warehouse_open(database, PH_OPEN_READY, &connection);
	int64_t run_id;

	if (code != PH_EXIT_OK)
		return code;
	code = ph_find_named_run(connection, given->text, &run_id);
	if (code == PH_EXIT_OK)
		given->text = ph_need_format(options->arena, "%lld", (long long) run_id);
	ph_pq_close(connection);
	return code;
}

static PhExit
find_runs(PhOptions *options, const char *database)
{
	PhExit code = PH_EXIT_OK;

	for (size_t i = 0; i < options->values.n_given && code == PH_EXIT_OK; i++)
	{
		PhGivenText *given = &options->values.given[i];

		if (given->parameter->may_be_named && ph_word_names_run(given->text))
			code = find_run(options, given, database);
	}
	return code;
}

static PhExit
render(const PhView *view, const PhArguments *arguments, PhArena *arena)
{
	const char *message = NULL;
	const char *hint = NULL;
	PhProblem problem;
	PhOptions options;
	PhFormat format;
	PhViewRows rows;
	PhExit code;

	if (!ph_options_init(&options, arena, ph_cli_values(arguments), &problem))
		return complain(PH_EXIT_USAGE, problem.message, problem.hint);
	code = find_runs(&options, ph_cli_db(arguments));
	if (code != PH_EXIT_OK)
		return code;
	view = ph_view_asked(view, &options);
	if (ph_option_is_sql(&options))
		return write_sql(view, &options);
	if (!ph_option_format(&options, &format, &problem))
		return complain(PH_EXIT_USAGE, problem.message, problem.hint);
	if (view->check && !ph_user_query_given(&options) && !view->check(&options, &message, &hint))
		return complain(PH_EXIT_USAGE, message, hint);
	ph_rows_init(&rows, arena);
	code = ph_fetch(view, &options, ph_cli_db(arguments), &rows);
	if (code == PH_EXIT_OK)
		code = draw_picture(view, &options, format, &rows);
	return code;
}

static PhExit
run_view(PhArguments *arguments)
{
	const PhView *view = ph_view_find(ph_cli_command(arguments)->name);
	PhEnv env;
	PhArena arena;
	PhExit code;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	code = render(view, arguments, &arena);
	ph_arena_drop(&arena);
	return code;
}

/* perfhouse-render complete WORD...: of `perfhouse serve` and `perfhouse bundle` when that is the
 * first word, else of `perfhouse render`. */
static PhExit
complete(int argc, char **argv)
{
	int at = 1 + ph_cli_command_index(argc - 1, argv + 1);
	bool serves =
		at < argc - 1 && (strcmp(argv[at], "serve") == 0 || strcmp(argv[at], "bundle") == 0);

	ph_complete(serves ? ph_serve_program() : ph_render_program(run_view),
				(const char *const *) argv + 2, (size_t) argc - 2);
	return PH_EXIT_OK;
}

/* perfhouse render --list: what each view draws. */
static PhExit
list_views(void)
{
	PhEnv env;
	PhArena arena;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (const PhView *const *view = ph_views; *view != NULL; view++)
	{
		const PhGivenColumn *given =
			(*view)->of_run != NULL ? (*view)->of_run->given : (*view)->given;
		const char *runs = (*view)->query == NULL	 ? ""
						   : (*view)->of_run != NULL ? "runs, or the iterations of one"
						   : (*view)->many_runs		 ? "runs"
						   : (*view)->options != NULL && strstr((*view)->options, " vs") != NULL
							   ? "two runs"
							   : "a run";

		printf("%-23s %s%s%s\n", (*view)->name, runs,
			   given != NULL && *runs != '\0' ? ", or of a query: " : "",
			   given != NULL ? ph_given_text(&arena, given) : "");
	}
	ph_arena_drop(&arena);
	return PH_EXIT_OK;
}

/* "-f NAME.sql" is --query-file: no share and no condition on runs ends so. */
static void
spell_query_files(int argc, char **argv)
{
	static char option[] = "--query-file";

	for (int i = 1; i + 1 < argc; i++)
	{
		size_t length = strlen(argv[i + 1]);

		if (strcmp(argv[i], "-f") == 0 && length > 4 &&
			strcmp(argv[i + 1] + length - 4, ".sql") == 0)
			argv[i] = option;
	}
}

int
main(int argc, char **argv)
{
	ph_log_init("perfhouse-render");
	ph_settings_read();
	if (argc > 1 && strcmp(argv[1], "complete") == 0)
		return complete(argc, argv);
	ph_interrupt_install();
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_views();
	if (argc > 1 && (strcmp(argv[1], "serve") == 0 || strcmp(argv[1], "bundle") == 0))
		return ph_serve_main(argc - 1, argv + 1);
	spell_query_files(argc, argv);
	return ph_cli_main(ph_render_program(run_view), argc, argv);
}
