/*
 * user_query.c - pictures of what a query of the user gives: a value, or plain rows.
 *
 * The query is the user's own and runs with the user's rights, in a transaction that may only read.
 * It is described first: mistakes are then told with their place in the query, and what it gives
 * can be compared with what the view draws. A value goes back to the server as a parameter of the
 * view's query; rows are asked for with their columns as the view calls them, cast to what it
 * draws.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/user_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/asked_query.h"
#include "drawing/arena_must.h"
#include "queries.h"
#include "request/bind.h"
#include "request/collect.h"

#define MOST_COLUMNS 8
/* Rows of one picture; nobody tells more marks apart. */
#define MOST_BYTES ((size_t) 1 << 30)

/* The query and what it gives. */
typedef struct Asked
{
	PhConnection *connection;
	const PhView *view;
	const PhOptions *options;
	const PhAskedQuery *query;
	PhBoundQuery bound;
	size_t n;
	const char *names[MOST_COLUMNS];
	const char *kinds[MOST_COLUMNS]; /* as query_types.sql has them */
	const char *types[MOST_COLUMNS];
	const char *numbers[MOST_COLUMNS]; /* how SQL makes a number of it; NULL: not at all */
	PhFailure *failure;
} Asked;

/* ---- what views draw ----------------------------------------------------------------------- */

static const char *
kind_text(PhGivenKind kind)
{
	static const char *const texts[] = {"profile", "supergraph", "number", "number, time or text",
										"text"};

	return texts[kind];
}

static bool
is_value(const PhGivenColumn *column)
{
	return column->kind == PH_GIVEN_PROFILE || column->kind == PH_GIVEN_SUPERGRAPH;
}

const char *
ph_given_text(PhArena *arena, const PhGivenColumn *columns)
{
	const char *text = "";

	for (const PhGivenColumn *column = columns; column->name; column++)
	{
		const char *kind = kind_text(column->kind);
		bool is_named = strcmp(column->name, kind) == 0;

		text = ph_need_format(arena, "%s%s%s", text, column == columns ? "" : ", ", column->name);
		if (!is_named || column->optional)
			text = ph_need_format(arena, "%s (%s%s%s)", text, is_named ? "" : kind,
								  is_named || !column->optional ? "" : ", ",
								  column->optional ? "may be left out" : "");
	}
	return text;
}

/* ---- checks -------------------------------------------------------------------------------- */

bool
ph_user_query_given(const PhOptions *options)
{
	return options->query != NULL || ph_option_given(options, "query") ||
		   ph_option_given(options, "query-file");
}

/* The query of a command line, or the one that came otherwise. False: a variable is malformed. */
static bool
asked_query(const PhOptions *options, PhAskedQuery *out)
{
	PhArena *arena = options->arena;
	const char *given;
	size_t at = 0;

	if (options->query != NULL)
	{
		*out = *options->query;
		return true;
	}
	*out = (PhAskedQuery){
		.text = ph_option_text(options, ph_option_given(options, "query") ? "query" : "query-file"),
		.names = ph_need(arena, options->values.n_given + 1, sizeof(char *)),
		.values = ph_need(arena, options->values.n_given + 1, sizeof(char *)),
		.is_of_others = getenv(PH_RESTRICTED) != NULL};
	while ((given = ph_values_next(&options->values, "variable", &at)) != NULL)
		if (!ph_asked_add(arena, out, given))
			return false;
	return true;
}

static bool
is_blank(const char *text)
{
	return text[strspn(text, "; \t\r\n")] == '\0';
}

/* Options that choose among what is stored say nothing of what a query gives. */
static const char *
unused_option(const PhOptions *options)
{
	static const char *const choosing[] = {"run",	 "vs",	  "runs",	  "application", "filter",
										   "levels", "ranks", "group-by", "module-map",	 "aliases"};

	for (size_t i = 0; i < sizeof(choosing) / sizeof(choosing[0]); i++)
		if (ph_option_given(options, choosing[i]))
			return choosing[i];
	return NULL;
}

bool
ph_user_query_check(const PhView *view, const PhOptions *options, PhFailure *failure)
{
	PhArena *arena = options->arena;
	const char *unused = unused_option(options);
	PhAskedQuery query;

	if (options->query == NULL && ph_option_given(options, "query") &&
		ph_option_given(options, "query-file"))
		return ph_fail_fetch(failure, PH_EXIT_USAGE, "two queries are given",
							 "Use one of --query and --query-file.");
	if (view->given == NULL)
		return ph_fail_fetch(failure, PH_EXIT_USAGE,
							 ph_need_format(arena, "%s draws runs, and no query", view->name),
							 "Rows are drawn by line, bar, scatter, heatmap (matrices, too) and "
							 "timeline; \"perfhouse "
							 "render --list\" tells what views draw.");
	if (unused != NULL)
		return ph_fail_fetch(failure, PH_EXIT_USAGE,
							 ph_need_format(arena, "option --%s does not go with a query", unused),
							 "Say it in SQL, such as profile(7), filter(profile(7), 0.01) or "
							 "supergraph(profile(7), 'file').");
	if (!asked_query(options, &query))
		return ph_fail_fetch(failure, PH_EXIT_USAGE, "a variable is given without a value",
							 "Give name=value, such as --variable run=7.");
	if (is_blank(query.text))
		return ph_fail_fetch(
			failure, PH_EXIT_USAGE, "the query is empty",
			ph_need_format(arena, "%s draws: %s.", view->name, ph_given_text(arena, view->given)));
	return true;
}

static bool
is_value_kind(const char *kind)
{
	return strcmp(kind, "profile") == 0 || strcmp(kind, "supergraph") == 0;
}

/* What may have been meant. */
static const char *
hint_of(const Asked *asked)
{
	const PhGivenColumn *column = asked->view->given;

	if (asked->n == 0 || !is_value(column))
		return "";
	/* of too many columns nothing is known */
	if (asked->kinds[0] == NULL || !is_value_kind(asked->kinds[0]))
		return " Rows are drawn by line, bar, scatter, heatmap and timeline.";
	return column->kind == PH_GIVEN_SUPERGRAPH && strcmp(asked->kinds[0], "profile") == 0
			   ? " supergraph(p, 'module') makes one of a profile."
			   : "";
}

static bool
refuse(Asked *asked, const char *message)
{
	PhArena *arena = asked->options->arena;

	return ph_fail_fetch(
		asked->failure, PH_EXIT_USAGE,
		ph_need_format(arena, "%s cannot draw this query: %s", asked->view->name, message),
		ph_need_format(arena, "It draws: %s.%s", ph_given_text(arena, asked->view->given),
					   hint_of(asked)));
}

static bool
fits(const Asked *asked, const PhGivenColumn *column, size_t i)
{
	switch (column->kind)
	{
		case PH_GIVEN_PROFILE:
		case PH_GIVEN_SUPERGRAPH:
			return strcmp(asked->kinds[i], kind_text(column->kind)) == 0;
		case PH_GIVEN_NUMBER:
			return asked->numbers[i] != NULL && strcmp(asked->kinds[i], "time") != 0;
		default:
			return !is_value_kind(asked->kinds[i]);
	}
}

static bool
check_columns(Asked *asked)
{
	PhArena *arena = asked->options->arena;
	const PhGivenColumn *column = asked->view->given;
	size_t i = 0;

	for (; column->name && i < asked->n; column++, i++)
		if (!fits(asked, column, i))
			return refuse(asked, ph_need_format(arena, "column %zu, \"%s\", is of type %s", i + 1,
												asked->names[i], asked->types[i]));
	if (i < asked->n)
		return refuse(asked, ph_need_format(arena, "it has %zu columns", asked->n));
	if (column->name && !column->optional)
		return refuse(asked,
					  ph_need_format(arena, "it has no column %zu, %s", i + 1, column->name));
	return true;
}

/* ---- describing ---------------------------------------------------------------------------- */

static bool
fail_query(Asked *asked)
{
	return ph_fail_query(asked->connection, NULL, asked->options, asked->failure);
}

static PhParam
types_param(void *user, const char *name)
{
	(void) name;
	return ph_param_text(user);
}

PhResult *
ph_query_types(PhConnection *connection, PhArena *arena, const PhResult *columns)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	const char *types = "";
	int n;

	for (size_t i = 0; i < ph_result_n_fields(columns); i++)
		types =
			ph_need_format(arena, "%s%s%u", types, i > 0 ? "," : "", ph_result_type(columns, i));
	types = ph_need_format(arena, "{%s}", types);
	n = ph_pq_bind(ph_query_render_query_types.names, types_param, (void *) types, params);
	return ph_pq_query(connection, ph_query_render_query_types.sql, params, n);
}

static bool
read_types(Asked *asked, const PhResult *columns)
{
	PhArena *arena = asked->options->arena;
	PhResult *rows = ph_query_types(asked->connection, arena, columns);

	if (rows == NULL)
		return fail_query(asked);
	for (size_t i = 0; i < asked->n; i++)
	{
		asked->names[i] = ph_need_copy(arena, ph_result_field_name(columns, i));
		asked->kinds[i] = ph_need_copy(arena, ph_result_text(rows, i, 0));
		asked->types[i] = ph_need_copy(arena, ph_result_text(rows, i, 1));
		asked->numbers[i] = ph_need_copy(arena, ph_result_text(rows, i, 2));
	}
	ph_result_free(rows);
	return true;
}

static bool
check_number(Asked *asked)
{
	if (asked->n == 0)
		return refuse(asked, "it gives no rows");
	if (asked->n > MOST_COLUMNS)
		return refuse(asked, ph_need_format(asked->options->arena, "it has %zu columns", asked->n));
	return true;
}

/* What the query would give, and whether that can be drawn. */
static bool
describe(Asked *asked)
{
	PhResult *columns = ph_asked_columns(asked->connection, asked->query, &asked->bound);
	bool ok;

	if (columns == NULL)
		return fail_query(asked);
	ph_need_hold(columns, (void (*)(void *)) ph_result_free);
	asked->n = ph_result_n_fields(columns);
	ok = check_number(asked) && read_types(asked, columns) && check_columns(asked);
	ph_need_let_go();
	return ok;
}

/* ---- values -------------------------------------------------------------------------------- */

/* The one row of the query; NULL: *failure says why. */
static PhResult *
read_row(Asked *asked)
{
	PhResult *row = ph_pq_query_binary(asked->connection, asked->bound.sql, asked->bound.params,
									   asked->bound.n);
	size_t n;

	if (row == NULL)
	{
		fail_query(asked);
		return NULL;
	}
	n = ph_result_count(row);
	if (n == 1)
	{
		for (size_t i = 0; i < asked->n; i++)
			if (ph_result_is_null(row, 0, i))
				n = 0;
		if (n == 1)
			return row;
		refuse(asked, "it gives null");
	}
	else
		refuse(asked, n == 0 ? "it gives no row" : "it gives more than one row");
	ph_result_free(row);
	return NULL;
}

static bool
draw_values(Asked *asked, PhViewRows *rows)
{
	PhOptions options = *asked->options;
	PhParam params[PH_PQ_MAX_PARAMS];
	PhParam given[2] = {0};
	PhResult *row = read_row(asked);
	PhStatement statement;
	bool ok;

	if (row == NULL)
		return false;
	for (size_t i = 0; i < asked->n; i++)
	{
		size_t size;

		given[i] = (PhParam){.bytes = ph_result_bytes(row, 0, i, &size),
							 .binary = true,
							 .type = ph_result_type(row, i)};
		given[i].length = (int) size;
	}
	options.given = given;
	statement = (PhStatement){asked->view->query->sql, params,
							  ph_bind(asked->view->query, asked->view, &options, params), 0};
	ph_need_hold(row, (void (*)(void *)) ph_result_free);
	ok = ph_collect(asked->connection, asked->view, &options, &statement, rows, asked->failure);
	ph_need_let_go();
	return ok;
}

/* ---- plain rows ---------------------------------------------------------------------------- */

static bool
is_number(const Asked *asked, const PhGivenColumn *column, size_t i)
{
	return column->kind != PH_GIVEN_TEXT && asked->numbers[i] != NULL;
}

static const char *
row_limit(const Asked *asked)
{
	return asked->query->most_rows == 0
			   ? ""
			   : ph_need_format(asked->options->arena, " LIMIT %zu", asked->query->most_rows);
}

/* As much of a text as a label can be long. */
#define LABEL "left(%s::text, 1000)"

/* The query with the columns that the view draws. */
static const char *
row_query(const Asked *asked)
{
	PhArena *arena = asked->options->arena;
	const char *names = "";
	const char *columns = "";

	for (size_t i = 0; i < asked->n; i++)
	{
		const PhGivenColumn *column = &asked->view->given[i];
		const char *comma = i > 0 ? ", " : "";
		const char *name = ph_need_format(arena, "c%zu", i + 1);
		const char *cast = is_number(asked, column, i) ? asked->numbers[i] : LABEL;
		int before = (int) (strstr(cast, "%s") - cast);

		names = ph_need_format(arena, "%s%s%s", names, comma, name);
		columns = ph_need_format(arena, "%s%s%.*s%s%s AS %s", columns, comma, before, cast, name,
								 cast + before + 2, column->name);
	}
	return ph_need_format(arena,
						  "WITH asked (%s) AS MATERIALIZED (\n%s\n)\n"
						  "SELECT 'given', row_to_json(g)::text FROM (SELECT %s FROM asked%s) g",
						  names, asked->bound.sql, columns, row_limit(asked));
}

static bool
draw_rows(Asked *asked, PhViewRows *rows)
{
	PhStatement statement = {.sql = row_query(asked),
							 .params = asked->bound.params,
							 .n_params = asked->bound.n,
							 .most_bytes = MOST_BYTES};

	return ph_collect(asked->connection, asked->view, asked->options, &statement, rows,
					  asked->failure);
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Arrays for query_columns.sql. */
typedef struct Described
{
	const Asked *asked;
	char *columns, *names, *kinds;
} Described;

static PhParam
described_value(void *user, const char *name)
{
	const Described *described = user;

	if (strcmp(name, "query") == 0)
		return ph_param_text(described->asked->query->text);
	if (strcmp(name, "columns") == 0)
		return ph_param_text(described->columns);
	return ph_param_text(strcmp(name, "names") == 0 ? described->names : described->kinds);
}

/* What the picture says of the query. */
static bool
add_description(Asked *asked, PhViewRows *rows)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	const char *columns[MOST_COLUMNS];
	const char *kinds[MOST_COLUMNS];
	Described described = {.asked = asked};
	PhStatement statement = {.sql = ph_query_render_query_columns.sql, .params = params};
	bool ok;

	for (size_t i = 0; i < asked->n; i++)
	{
		columns[i] = asked->view->given[i].name;
		kinds[i] = asked->view->given[i].kind == PH_GIVEN_TEXT ? "text" : asked->kinds[i];
	}
	described.columns = ph_array_text(columns, asked->n);
	described.names = ph_array_text(asked->names, asked->n);
	described.kinds = ph_array_text(kinds, asked->n);
	statement.n_params =
		ph_pq_bind(ph_query_render_query_columns.names, described_value, &described, params);
	ok = ph_collect(asked->connection, asked->view, asked->options, &statement, rows,
					asked->failure);
	free(described.columns);
	free(described.names);
	free(described.kinds);
	return ok;
}

static bool
ask(Asked *asked, PhViewRows *rows)
{
	return describe(asked) && add_description(asked, rows) &&
		   (is_value(asked->view->given) ? draw_values(asked, rows) : draw_rows(asked, rows));
}

bool
ph_user_query_rows(PhConnection *connection, const PhView *view, const PhOptions *options,
				   PhViewRows *rows, PhFailure *failure)
{
	PhAskedQuery query;
	Asked asked = {.connection = connection,
				   .view = view,
				   .options = options,
				   .query = &query,
				   .failure = failure};
	bool ok;

	(void) asked_query(options, &query); /* which was checked */
	ok = ph_asked_bind(connection, options->arena, &query, &asked.bound) &&
				 ph_asked_begin(connection, &query)
			 ? ask(&asked, rows)
			 : fail_query(&asked);
	ph_asked_end(connection, &query);
	return ok;
}
