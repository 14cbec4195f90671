/*
 * tools.c - the tools that agents call.
 *
 * A tool is a query with named parameters; the two that are more take SQL or draw. Every call is a
 * session of its own that may only read, as perfhouse_reader where that role can be taken, and
 * whose statements end after PH_MCP_TIMEOUT_MS. SQL of agents is never run as a superuser.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "mcp/tools.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database/asked_query.h"
#include "database/warehouse.h"
#include "mcp/picture.h"
#include "queries.h"
#include "system/memory.h"

typedef enum Type
{
	TYPE_INTEGER,
	TYPE_TEXT
} Type;

typedef struct Argument
{
	const char *name; /* NULL ends them */
	Type type;
	bool required;
	const char *fallback; /* NULL: SQL null */
	const char *about;
} Argument;

#define MOST_ARGUMENTS 6

typedef struct Tool
{
	const char *name, *about;
	const PhQuery *query; /* NULL: the argument query, or a picture */
	Argument arguments[MOST_ARGUMENTS];
} Tool;

#define RUN                                                                                        \
	{                                                                                              \
		"run", TYPE_INTEGER, true, NULL, "number of a run, as the tool runs lists them"            \
	}
#define LIMIT(n)                                                                                   \
	{                                                                                              \
		"limit", TYPE_INTEGER, false, n, "at most so many rows, default " n                        \
	}

static const Tool tools[] = {
	{"runs",
	 "Lists runs of parallel programs in the warehouse, the newest first, with their total cost.",
	 &ph_query_mcp_runs,
	 {{"application", TYPE_TEXT, false, NULL, "only of this application"},
	  {"filter", TYPE_TEXT, false, NULL,
	   "condition, such as \"n_ranks = 64 AND NOT tag = 'broken'\""},
	  LIMIT("20")}},
	{"explain",
	 "Says why a run takes the time it takes, or, with vs, why it takes another time than that "
	 "run: sentences, most important first, each with the SQL of its figures. Start here.",
	 &ph_query_mcp_explain,
	 {RUN, {"vs", TYPE_INTEGER, false, NULL, "the run to compare it with: the one before"}}},
	{"compare",
	 "Own costs of functions in two runs, the largest change first (means over ranks).",
	 &ph_query_mcp_compare,
	 {{"a", TYPE_INTEGER, true, NULL, "the run before"},
	  {"b", TYPE_INTEGER, true, NULL, "the run after"},
	  LIMIT("15")}},
	{"profile",
	 "The flat profile of a run: where its time goes (means over ranks).",
	 &ph_query_mcp_profile,
	 {RUN,
	  {"by", TYPE_TEXT, false, "function",
	   "what a row is: function, module, library, file, paradigm, kind or node"},
	  {"metric", TYPE_TEXT, false, NULL, "default: the run's primary time metric"},
	  LIMIT("15")}},
	{"waits",
	 "Where processes of a run with an event trace waited for others, in seconds over all ranks, "
	 "and which call path and rank caused it.",
	 &ph_query_mcp_waits,
	 {RUN, LIMIT("15")}},
	{"query",
	 "Runs one read-only SQL query (PostgreSQL). Names of schema perfhouse need no schema: tables "
	 "run_overview, region_summary; functions profile(run), nodes(profile), flat(profile), "
	 "column_values(profile), events(run), messages(run); help('word') finds others with an "
	 "example.",
	 NULL,
	 {{"sql", TYPE_TEXT, true, NULL, "a single SELECT"}}},
	{"picture",
	 "Draws a picture (PNG): of a run (flame, sankey, timeline, histogram, processes, ...) or of a "
	 "query (line, bar, scatter, heatmap, or a profile or super graph).",
	 NULL,
	 {{"view", TYPE_TEXT, true, NULL, "flame, sankey, timeline, line, bar, ..."},
	  {"run", TYPE_INTEGER, false, NULL, "the run to draw"},
	  {"vs", TYPE_INTEGER, false, NULL, "of views of two runs: the other one"},
	  {"query", TYPE_TEXT, false, NULL, "SQL whose rows or value to draw instead"}}}};

#define N_TOOLS (sizeof(tools) / sizeof(tools[0]))

/* ---- the list ------------------------------------------------------------------------------ */

static void
put_argument(PhJsonOut *json, const Argument *argument)
{
	ph_json_open_object(json, argument->name);
	ph_json_put_text(json, "type", argument->type == TYPE_INTEGER ? "integer" : "string");
	ph_json_put_text(json, "description", argument->about);
	ph_json_close(json);
}

static void
put_schema(PhJsonOut *json, const Tool *tool)
{
	ph_json_open_object(json, "inputSchema");
	ph_json_put_text(json, "type", "object");
	ph_json_open_object(json, "properties");
	for (const Argument *argument = tool->arguments; argument->name != NULL; argument++)
		put_argument(json, argument);
	ph_json_close(json);
	ph_json_open_array(json, "required");
	for (const Argument *argument = tool->arguments; argument->name != NULL; argument++)
		if (argument->required)
			ph_json_put_text(json, NULL, argument->name);
	ph_json_close(json);
	ph_json_put_bool(json, "additionalProperties", false);
	ph_json_close(json);
}

void
ph_mcp_put_tools(PhJsonOut *json)
{
	ph_json_open_array(json, "tools");
	for (size_t i = 0; i < N_TOOLS; i++)
	{
		ph_json_open_object(json, NULL);
		ph_json_put_text(json, "name", tools[i].name);
		ph_json_put_text(json, "description", tools[i].about);
		put_schema(json, &tools[i]);
		ph_json_open_object(json, "annotations");
		ph_json_put_bool(json, "readOnlyHint", true);
		ph_json_close(json);
		ph_json_close(json);
	}
	ph_json_close(json);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* A call: the tool, what it was given, and where to. */
typedef struct Call
{
	const Tool *tool;
	json_object *arguments; /* NULL: none */
	const char *db;
	PhMcpAnswer *answer;
} Call;

static const Argument *
find_argument(const Tool *tool, const char *name)
{
	for (const Argument *argument = tool->arguments; argument->name != NULL; argument++)
		if (strcmp(argument->name, name) == 0)
			return argument;
	return NULL;
}

/* What was given under a name; NULL: nothing, or null. */
static json_object *
given(const Call *call, const char *name)
{
	json_object *value = NULL;

	if (call->arguments != NULL)
		json_object_object_get_ex(call->arguments, name, &value);
	return value;
}

/* json-c gives the nearest number that it can hold of those that it cannot. */
static bool
is_integer(json_object *value)
{
	int64_t number = json_object_get_int64(value);

	return json_object_is_type(value, json_type_int) && number != INT64_MAX && number != INT64_MIN;
}

static bool
check_value(const Call *call, const Argument *argument)
{
	json_object *value = given(call, argument->name);
	bool is_right = value == NULL ? !argument->required
					: argument->type == TYPE_INTEGER
						? is_integer(value)
						: json_object_is_type(value, json_type_string) &&
							  strlen(json_object_get_string(value)) ==
								  (size_t) json_object_get_string_len(value);

	if (!is_right)
		ph_mcp_answer_error(call->answer, "argument \"%s\" of %s must be given as %s: %s",
							argument->name, call->tool->name,
							argument->type == TYPE_INTEGER ? "an integer" : "text",
							argument->about);
	return is_right;
}

static bool
check_arguments(const Call *call)
{
	if (call->arguments != NULL)
	{
		json_object_object_foreach(call->arguments, name, value)
		{
			(void) value;
			if (find_argument(call->tool, name) == NULL)
			{
				ph_mcp_answer_error(call->answer, "%s has no argument \"%.100s\"", call->tool->name,
									name);
				return false;
			}
		}
	}
	for (const Argument *argument = call->tool->arguments; argument->name != NULL; argument++)
		if (!check_value(call, argument))
			return false;
	return true;
}

static PhParam
param_of(void *user, const char *name)
{
	const Call *call = user;
	const Argument *argument = find_argument(call->tool, name);
	json_object *value = given(call, name);

	if (argument == NULL)
		abort();
	if (value == NULL)
		return argument->fallback == NULL ? ph_param_null()
			   : argument->type == TYPE_INTEGER
				   ? ph_param_int(strtoll(argument->fallback, NULL, 10))
				   : ph_param_text(argument->fallback);
	return argument->type == TYPE_INTEGER ? ph_param_int(json_object_get_int64(value))
										  : ph_param_text(json_object_get_string(value));
}

/* False: the answer says what is wrong. */
static bool
open_warehouse(const Call *call, PhConnection **connection)
{
	if (ph_warehouse_open(call->db, PH_OPEN_READY, connection) != PH_EXIT_OK)
	{
		ph_mcp_answer_error(call->answer,
							"the warehouse cannot be opened: see the log of the server");
		return false;
	}
	if (ph_asked_restrict(*connection, "perfhouse mcp", PH_MCP_TIMEOUT_MS))
		return true;
	ph_mcp_answer_error(call->answer, "%s", (*connection)->error.message);
	ph_pq_close(*connection);
	return false;
}

/* A query with its parameters, and as people have it. */
typedef struct Question
{
	const char *sql;
	const PhParam *params;
	int n;
	const char *shown;
} Question;

/* The rows of a query whose columns these are. */
static void
answer_rows(const Call *call, PhConnection *connection, const Question *question,
			const PhResult *columns)
{
	char *sql = ph_mcp_rows_query(columns, question->sql);
	PhMcpRows *rows = ph_mcp_rows_begin(columns, question->shown);
	bool ok = ph_pq_stream(connection, sql, question->params, question->n, ph_mcp_rows_add, rows);

	if (!ph_mcp_rows_end(rows, !ok, call->answer))
		ph_mcp_answer_refusal(call->answer, &connection->error, question->shown);
	free(sql);
}

/* columns: NULL: the query is wrong. They are freed. */
static void
answer_columns(const Call *call, PhConnection *connection, const Question *question,
			   PhResult *columns)
{
	if (columns == NULL)
		ph_mcp_answer_refusal(call->answer, &connection->error, question->shown);
	else if (ph_result_n_fields(columns) == 0)
		ph_mcp_answer_error(call->answer, "the query gives no rows: give one SELECT\nSQL: %.1000s",
							question->shown);
	else
		answer_rows(call, connection, question, columns);
	ph_result_free(columns);
}

static void
call_own(const Call *call, PhConnection *connection)
{
	const char *sql = call->tool->query->sql;
	PhAskedQuery asked = {.is_of_others = false};
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(call->tool->query->names, param_of, (void *) call, params);
	char *shown = ph_asked_shown(sql, params, n);
	Question question = {sql, params, n, shown != NULL ? shown : ""};

	if (ph_asked_begin(connection, &asked))
		answer_columns(call, connection, &question, ph_pq_columns(connection, sql, params, n));
	else
		ph_mcp_answer_error(call->answer, "%s", connection->error.message);
	ph_asked_end(connection, &asked);
	free(shown);
}

static void
call_query(const Call *call, PhConnection *connection, const char *sql)
{
	PhAskedQuery asked = {.text = sql, .is_of_others = true};
	PhBoundQuery bound;
	PhEnv env;
	PhArena arena;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	if (ph_asked_bind(connection, &arena, &asked, &bound) && ph_asked_begin(connection, &asked))
	{
		PhResult *columns = ph_asked_columns(connection, &asked, &bound);
		Question question = {bound.sql, bound.params, bound.n, sql};

		answer_columns(call, connection, &question, columns);
	}
	else
		ph_mcp_answer_refusal(call->answer, &connection->error, sql);
	ph_asked_end(connection, &asked);
	ph_arena_drop(&arena);
}

static const char *
text_of(const Call *call, const char *name)
{
	json_object *value = given(call, name);

	return value != NULL ? json_object_get_string(value) : NULL;
}

static void
call_picture(const Call *call)
{
	PhMcpPicture picture = {.view = text_of(call, "view"),
							.run = text_of(call, "run"),
							.vs = text_of(call, "vs"),
							.query = text_of(call, "query"),
							.db = call->db};

	ph_mcp_draw(&picture, call->answer);
}

static void
call_database(const Call *call)
{
	PhConnection *connection;

	if (!open_warehouse(call, &connection))
		return;
	if (call->tool->query != NULL)
		call_own(call, connection);
	else
		call_query(call, connection, text_of(call, "sql"));
	ph_pq_close(connection);
}

bool
ph_mcp_call(const char *name, json_object *arguments, const char *db, PhMcpAnswer *answer)
{
	Call call = {.arguments = arguments, .db = db, .answer = answer};

	for (size_t i = 0; i < N_TOOLS; i++)
		if (strcmp(tools[i].name, name) == 0)
			call.tool = &tools[i];
	if (call.tool == NULL)
		return false;
	if (!check_arguments(&call))
		return true;
	if (strcmp(name, "picture") == 0)
		call_picture(&call);
	else
		call_database(&call);
	return true;
}
