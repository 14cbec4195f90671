/*
 * query.c - perfhouse query: queries with names, which perfhouse serve has as pages.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/given_query.h"
#include "commands/print_rows.h"
#include "commands/verbs.h"
#include "queries.h"
#include "reports/query_panels.h"
#include "system/log.h"
#include "texts.h"

static const PhParameter query_options[] = {
	PH_OPTIONS_QUERY("add: one SELECT, with :name or :'name' where a parameter's value goes"),
	{.name = "variable",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "NAME=VALUE",
	 .help = "add: value of :NAME when none is given; parameters without one must be given"},
	{.name = "title",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TEXT",
	 .help = "add: of its page and panel; default: the name"},
	{.name = "about", .type = PH_PARAMETER_TEXT, .value = "TEXT", .help = "add: what it tells"},
	{.name = "view",
	 .type = PH_PARAMETER_TEXT,
	 .value = "VIEW",
	 .help = "add: the view that draws it, such as bar (\"perfhouse render --list\")"},
	{.name = "replace", .help = "add: in place of the query of that name"},
	{.name = "json", .help = "list: print one JSON object a line"},
	{.name = NULL}};

/* ---- list, show, remove ---------------------------------------------------------------------- */

static PhExit
list(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"name",	   "title", "view",
										 "parameters", "owner", "saved_at"};
	bool json = ph_cli_flag(arguments, "json");
	PhResult *rows = ph_pq_query(connection, ph_sql_query_list, NULL, 0);

	if (rows == NULL)
		return ph_pq_log_error(connection, "query");
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), json);
	if (!json)
		printf("(%zu quer%s)\n", ph_result_count(rows), ph_result_count(rows) == 1 ? "y" : "ies");
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhParam
name_param(void *user, const char *name)
{
	(void) name;
	return ph_param_text(ph_cli_argument(user, 1));
}

/* The rows of a query about the named one, which is missing when there is none. */
static PhExit
ask_named(PhConnection *connection, const PhArguments *arguments, const PhQuery *query,
		  PhResult **rows)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(query->names, name_param, (void *) arguments, params);

	*rows = ph_pq_query(connection, query->sql, params, n);
	if (*rows == NULL)
		return ph_pq_log_error(connection, "query");
	if (ph_result_count(*rows) > 0)
		return PH_EXIT_OK;
	ph_log_error("no query is saved as \"%s\"", ph_cli_argument(arguments, 1));
	ph_log_hint("perfhouse query lists them.");
	ph_result_free(*rows);
	return PH_EXIT_NOT_FOUND;
}

static PhExit
show_query(PhConnection *connection, const PhArguments *arguments)
{
	PhResult *rows;
	PhExit code = ask_named(connection, arguments, &ph_query_query_find, &rows);

	if (code != PH_EXIT_OK)
		return code;
	puts(ph_result_text(rows, 0, 0));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
remove_query(PhConnection *connection, const PhArguments *arguments)
{
	PhResult *rows;
	PhExit code = ask_named(connection, arguments, &ph_query_query_remove, &rows);

	if (code != PH_EXIT_OK)
		return code;
	printf("query %s removed\n", ph_result_text(rows, 0, 0));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

/* ---- add ------------------------------------------------------------------------------------- */

/* What is saved. */
typedef struct Saved
{
	const PhArguments *arguments;
	const PhAskedQuery *asked;
	PhSqlNumbered numbered;
	char *names, *types, *defaults; /* array literals */
} Saved;

/* What addresses of pages and pictures say already. */
static bool
is_reserved(const char *name)
{
	static const char *const words[] = {"palette",	  "theme", "title", "width",   "height",
										"everything", "scale", "token", "version", "limit"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

/* As addresses have it, and the table's check. */
static bool
is_a_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	return strlen(name) <= 63 && *name != '\0' && strchr(letters, *name) != NULL &&
		   name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0';
}

static PhExit
check_names(const Saved *saved)
{
	const char *name = ph_cli_argument(saved->arguments, 1);

	if (!is_a_name(name))
	{
		ph_log_error("a query cannot be called \"%s\"", name);
		ph_log_hint("Names are parts of addresses: a-z, 0-9, _ and -, 63 at most, beginning with a "
					"letter or digit. --title may be anything.");
		return PH_EXIT_USAGE;
	}
	for (uint32_t i = 0; i < saved->numbered.n; i++)
		if (is_reserved(saved->numbered.names[i]))
		{
			ph_log_error("a parameter cannot be called %s", saved->numbered.names[i]);
			ph_log_hint(
				"The addresses of its page and pictures use palette, theme, title, width, height, "
				"everything, scale, token, version and limit for themselves.");
			return PH_EXIT_USAGE;
		}
	return PH_EXIT_OK;
}

/* Defaults are given as values; the last counts. */
static const char *
default_of(const Saved *saved, const char *name)
{
	for (size_t i = saved->asked->n; i > 0; i--)
		if (strcmp(saved->asked->names[i - 1], name) == 0)
			return saved->asked->values[i - 1];
	return NULL;
}

/* The types that the server deduces; an error says what is wrong with the query. */
static PhExit
find_types(PhConnection *connection, Saved *saved)
{
	const char *defaults[PH_SQL_MOST_VARIABLES];
	int64_t types[PH_SQL_MOST_VARIABLES];
	PhBoundQuery bound = {.sql = saved->numbered.sql, .n = (int) saved->numbered.n};
	uint32_t n = saved->numbered.n;
	PhResult *columns = NULL;
	size_t n_columns;

	for (uint32_t i = 0; i < n; i++)
	{
		defaults[i] = default_of(saved, saved->numbered.names[i]);
		bound.params[i] = ph_param_text(defaults[i]);
	}
	if (ph_asked_begin(connection, saved->asked))
		columns = ph_asked_columns(connection, saved->asked, &bound);
	ph_asked_end(connection, saved->asked);
	if (columns == NULL)
		return ph_pq_log_error(connection, NULL);
	for (uint32_t i = 0; i < n; i++)
		types[i] = ph_result_param_type(columns, i);
	n_columns = ph_result_n_fields(columns);
	if (n_columns == 0)
		ph_log_error("the query gives no rows");
	ph_result_free(columns);
	saved->names = ph_array_text((const char *const *) saved->numbered.names, n);
	saved->types = ph_array_int(types, n);
	saved->defaults = ph_array_text(defaults, n);
	return n_columns > 0 ? PH_EXIT_OK : PH_EXIT_USAGE;
}

static PhParam
saved_param(void *user, const char *name)
{
	const Saved *saved = user;

	if (strcmp(name, "name") == 0)
		return ph_param_text(ph_cli_argument(saved->arguments, 1));
	if (strcmp(name, "sql") == 0)
		return ph_param_text(saved->asked->text);
	if (strcmp(name, "names") == 0)
		return ph_param_text(saved->names);
	if (strcmp(name, "types") == 0)
		return ph_param_text(saved->types);
	if (strcmp(name, "defaults") == 0)
		return ph_param_text(saved->defaults);
	if (strcmp(name, "replace") == 0)
		return ph_param_bool(ph_cli_flag(saved->arguments, "replace"));
	return ph_option_param(saved->arguments, name);
}

static PhExit
insert(PhConnection *connection, Saved *saved)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(ph_query_query_add.names, saved_param, saved, params);
	PhResult *rows = ph_pq_query(connection, ph_query_query_add.sql, params, n);

	if (rows == NULL)
		return ph_pq_log_error(connection, "query");
	if (ph_result_count(rows) == 0)
	{
		ph_log_error("a query is saved as \"%s\" already", ph_cli_argument(saved->arguments, 1));
		ph_log_hint("--replace puts this one in its place.");
		ph_result_free(rows);
		return PH_EXIT_CONFLICT;
	}
	printf("query %s: /q/%s%s%s\n", ph_result_text(rows, 0, 0), ph_result_text(rows, 0, 0),
		   ph_result_is_null(rows, 0, 1) ? "" : ", parameters ",
		   ph_result_is_null(rows, 0, 1) ? "" : ph_result_text(rows, 0, 1));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
add_text(PhConnection *connection, const PhArguments *arguments, PhArena *arena,
		 const PhAskedQuery *asked)
{
	Saved saved = {.arguments = arguments, .asked = asked};
	PhExit code;

	if (ph_sql_number(arena, asked->text, &saved.numbered) != PH_OK)
	{
		ph_log_core_error("query", &arena->env->error);
		return PH_EXIT_USAGE;
	}
	code = check_names(&saved);
	if (code == PH_EXIT_OK)
		code = find_types(connection, &saved);
	if (code == PH_EXIT_OK)
		code = insert(connection, &saved);
	free(saved.names);
	free(saved.types);
	free(saved.defaults);
	return code;
}

static PhExit
add(PhConnection *connection, const PhArguments *arguments)
{
	PhAskedQuery asked;
	PhArena arena;
	PhExit code;
	PhEnv env;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	code = ph_given_query(arguments, &arena, &asked);
	if (code == PH_EXIT_OK && asked.text == NULL)
	{
		ph_log_error("add needs --query SQL or --query-file FILE");
		code = PH_EXIT_USAGE;
	}
	if (code == PH_EXIT_OK)
		code = add_text(connection, arguments, &arena, &asked);
	ph_arena_drop(&arena);
	return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static PhExit
panels(PhConnection *connection, const PhArguments *arguments)
{
	(void) arguments;
	return ph_query_panels(connection, stdout);
}

static const PhVerb verbs[] = {{"list", 0, 0, "no arguments", list},
							   {"add", 1, 1, "a name", add},
							   {"show", 1, 1, "a name", show_query},
							   {"remove", 1, 1, "a name", remove_query},
							   {"dashboard", 0, 0, "no arguments", panels}};

static PhExit
cmd_query(PhArguments *arguments)
{
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
}

static const char *const query_actions[] = {"list", "add", "show", "remove", "dashboard", NULL};
static const PhParameter query_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = query_actions},
	{.name = "name", .type = PH_PARAMETER_TEXT, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_query = {
	.name = "query",
	.help = "saved queries: pages, data and panels of your own",
	.usage = "[list | add NAME | show NAME | remove NAME | dashboard] [OPTION]...",
	.details = ph_help_query,
	.options = query_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = query_arguments,
	.run = cmd_query,
};
