/*
 * trace.c - perfhouse trace: what the events of a run tell, a page for each question.
 *
 * A question is a query, the options that it takes and how its columns are shown.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text_table.h"
#include "commands/commands.h"
#include "commands/part.h"
#include "commands/shared_options.h"
#include "queries.h"
#include "reports/report_print.h"
#include "runs/named_run.h"
#include "texts.h"

#define ROWS_SHOWN 20

typedef enum ShownAs
{
	SHOWN_TEXT,
	SHOWN_PATH, /* its end, where it is too long */
	SHOWN_NUMBER,
	SHOWN_TIME, /* ns in the query */
	SHOWN_SHARE
} ShownAs;

typedef struct ShownColumn
{
	const char *field; /* NULL ends */
	const char *title;
	ShownAs as;
	size_t width; /* 0: any */
} ShownColumn;

typedef struct Question
{
	const char *name;
	const char *query;
	const char *const *parameters; /* of the query: "run", or an option's name; NULL ends */
	const char *title;
	const char *nothing; /* what no rows mean; NULL: nothing is said then */
	const ShownColumn *columns;
	const struct Question *beside; /* asked, too; NULL: nothing */
} Question;

static const ShownColumn wait_columns[] = {{"ns", "waited", SHOWN_TIME, 0},
										   {"share", "share", SHOWN_SHARE, 0},
										   {"kind", "kind", SHOWN_TEXT, 20},
										   {"region", "in", SHOWN_TEXT, 24},
										   {"n_waits", "waits", SHOWN_NUMBER, 0},
										   {"n_ranks", "ranks", SHOWN_NUMBER, 0},
										   {"origin_path", "caused by", SHOWN_PATH, 60},
										   {"origin_rank", "most by rank", SHOWN_NUMBER, 0},
										   {"of_rank", "its part", SHOWN_SHARE, 0},
										   {NULL, NULL, SHOWN_TEXT, 0}};

static const ShownColumn path_columns[] = {
	{"ns", "on the path", SHOWN_TIME, 0},	{"share", "share", SHOWN_SHARE, 0},
	{"rank", "rank", SHOWN_NUMBER, 0},		{"region", "mostly in", SHOWN_TEXT, 40},
	{"n_stays", "stays", SHOWN_NUMBER, 0},	{"compute", "compute", SHOWN_TIME, 0},
	{"message", "messages", SHOWN_TIME, 0}, {"collective", "collectives", SHOWN_TIME, 0},
	{"waiting", "waiting", SHOWN_TIME, 0},	{NULL, NULL, SHOWN_TEXT, 0}};

static const ShownColumn efficiency_columns[] = {
	{"part", "of", SHOWN_PATH, 32},
	{"ns", "time", SHOWN_TIME, 0},
	{"ranks", "ranks", SHOWN_NUMBER, 0},
	{"parallel", "parallel", SHOWN_SHARE, 0},
	{"load_balance", "load balance", SHOWN_SHARE, 0},
	{"communication", "communication", SHOWN_SHARE, 0},
	{"serialisation", "serialisation", SHOWN_SHARE, 0},
	{"transfer", "transfer", SHOWN_SHARE, 0},
	{"threads", "threads", SHOWN_SHARE, 0},
	{"thread_load_balance", "thread balance", SHOWN_SHARE, 0},
	{"thread_serialisation", "thread serialisation", SHOWN_SHARE, 0},
	{NULL, NULL, SHOWN_TEXT, 0}};

static const ShownColumn device_columns[] = {{"part", "of", SHOWN_TEXT, 0},
											 {"ns", "time", SHOWN_TIME, 0},
											 {"devices", "devices", SHOWN_NUMBER, 0},
											 {"parallel", "parallel", SHOWN_SHARE, 0},
											 {"load_balance", "load balance", SHOWN_SHARE, 0},
											 {"communication", "communication", SHOWN_SHARE, 0},
											 {"orchestration", "orchestration", SHOWN_SHARE, 0},
											 {"offload", "host outside of calls", SHOWN_SHARE, 0},
											 {NULL, NULL, SHOWN_TEXT, 0}};

static const ShownColumn opportunity_columns[] = {{"gain_ns", "gain", SHOWN_TIME, 0},
												  {"share", "share", SHOWN_SHARE, 0},
												  {"predicted_ns", "predicted", SHOWN_TIME, 0},
												  {"change", "change", SHOWN_TEXT, 120},
												  {NULL, NULL, SHOWN_TEXT, 0}};

static const char *const all_parameters[] = {"run", "from", "to", "ranks", "within", "limit", NULL};
static const char *const window_parameters[] = {"run", "from", "to", "within", "limit", NULL};
static const char *const run_parameters[] = {"run", "limit", NULL};

static const Question device_efficiency = {
	"efficiency",
	ph_sql_trace_devices,
	window_parameters,
	"How well devices are used (parallel = load balance x communication x orchestration)",
	NULL,
	device_columns,
	NULL};

static const Question questions[] = {
	{"waits", ph_sql_trace_waits, all_parameters,
	 "Waits by kind, call and what caused most of them", "nobody waited", wait_columns, NULL},
	{"path", ph_sql_trace_path, all_parameters,
	 "Critical path by rank and the call that took most of each stay",
	 "nothing of the critical path is there", path_columns, NULL},
	{"opportunities", ph_sql_trace_opportunities, run_parameters,
	 "Single changes that would make the run shortest", "no change would make it shorter",
	 opportunity_columns, NULL},
	{"efficiency", ph_sql_trace_efficiency, window_parameters,
	 "How well processes are used (parallel = load balance x communication, that = serialisation x "
	 "transfer)",
	 "the window is empty", efficiency_columns, &device_efficiency},
};

#define N_QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static const char *const question_names[] = {"waits", "path", "opportunities", "efficiency", NULL};

static const PhParameter trace_options[] = {
	PH_OPTION_TIME("from", "start of the window since the first event: 0.1s, 250us, 5ms"),
	PH_OPTION_TIME("to", "end of the window"),
	PH_OPTION_WITHIN(
		"of waits, those within calls of REGION; of the path, stays mostly in it; of efficiency, "
		"each call of it"),
	PH_OPTION_RANKS("these ranks only, such as 0-3,8: those that waited, or that the path is on"),
	{.name = "limit",
	 .letter = 'n',
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .least = 1,
	 .most = 1000000,
	 .help = "at most N rows (default 20)"},
	{.name = "json", .help = "print one JSON object a row"},
	{.name = NULL}};

/* The last names of a call path that fit; the last one in any case. */
static const char *
end_of_path(const char *path, size_t width)
{
	const char *slash;

	while (strlen(path) > width && (slash = strchr(path, '/')) != NULL)
		path = slash + 1;
	return path;
}

static const char *
shown_cell(const PhResult *rows, size_t row, const ShownColumn *column)
{
	const char *text = ph_result_text(rows, row, ph_result_field(rows, column->field));

	if (text != NULL && column->as == SHOWN_PATH)
		return end_of_path(text, column->width);
	if (text == NULL || column->as == SHOWN_TEXT || column->as == SHOWN_NUMBER)
		return text;
	return column->as == SHOWN_TIME ? ph_show_value(strtod(text, NULL) * 1e-9, "s")
									: ph_show_share(strtod(text, NULL));
}

static void
print_answer(const PhResult *rows, const Question *question)
{
	PhTextTable *table;

	if (ph_result_count(rows) == 0 && question->nothing == NULL)
		return;
	table = ph_table_new();
	printf("%s\n", question->title);
	for (const ShownColumn *column = question->columns; column->field != NULL; column++)
		ph_table_column(table, column->title,
						column->as == SHOWN_TEXT || column->as == SHOWN_PATH ? PH_ALIGN_LEFT
																			 : PH_ALIGN_RIGHT,
						column->width);
	for (size_t row = 0; row < ph_result_count(rows); row++)
		for (const ShownColumn *column = question->columns; column->field != NULL; column++)
			ph_table_cell(table, shown_cell(rows, row, column));
	if (ph_result_count(rows) > 0)
		ph_table_print(table, stdout, 2);
	else
		printf("  %s\n", question->nothing);
	ph_table_free(table);
}

/* What a query is asked with. */
typedef struct Asked
{
	const PhArguments *arguments;
	int64_t run_id;
	const char *ranks; /* array literal; NULL: all */
} Asked;

static PhParam
param_named(void *user, const char *name)
{
	const Asked *asked = user;

	if (strcmp(name, "run") == 0)
		return ph_param_int(asked->run_id);
	if (strcmp(name, "ranks") == 0)
		return ph_param_text(asked->ranks);
	if (strcmp(name, "limit") == 0)
		return ph_param_int(ph_cli_integer(asked->arguments, name, ROWS_SHOWN));
	if (strcmp(name, "within") == 0)
		return ph_param_text(ph_cli_text(asked->arguments, name, NULL));
	return ph_option_time(asked->arguments, name);
}

/* Options that the question does not know would be passed over silently. */
static PhExit
refuse_others(const PhArguments *arguments, const Question *question)
{
	for (const char *const *name = all_parameters + 1; *name != NULL; name++)
	{
		bool is_known = false;

		for (const char *const *known = question->parameters; *known != NULL; known++)
			is_known |= strcmp(*known, *name) == 0;
		if (!is_known && ph_cli_given(arguments, *name))
			return ph_cli_usage_error(arguments, "--%s does not go with %s", *name, question->name);
	}
	return PH_EXIT_OK;
}

static PhExit
answer_question(PhConnection *connection, const PhArguments *arguments, int64_t run_id,
				const Question *question)
{
	char *ranks = ph_cli_integers(arguments, "ranks");
	Asked asked = {arguments, run_id, ranks};
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(question->parameters, param_named, &asked, params);
	PhResult *rows = ph_pq_query(connection, question->query, params, n);

	free(ranks);
	if (rows == NULL)
		return ph_pq_log_error(connection, "trace");
	for (size_t row = 0; row < ph_result_count(rows) && ph_cli_flag(arguments, "json"); row++)
		puts(ph_result_text(rows, row, ph_result_field(rows, "json")));
	if (!ph_cli_flag(arguments, "json"))
		print_answer(rows, question);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
cmd_trace(PhArguments *arguments)
{
	const char *asked = ph_cli_argument(arguments, 1);
	const Question *question = NULL;
	PhConnection *connection;
	int64_t run_id;
	PhExit code;

	for (size_t i = 0; i < N_QUESTIONS; i++)
		if (strcmp(questions[i].name, asked) == 0)
			question = &questions[i];
	if (question == NULL)
		return ph_cli_usage_error(arguments, "%s is none of what a trace can be asked for", asked);
	code = refuse_others(arguments, question);
	if (code != PH_EXIT_OK)
		return code;
	code = ph_open_run(arguments, &connection, &run_id);
	if (code != PH_EXIT_OK)
		return code;
	code = answer_question(connection, arguments, run_id, question);
	if (code == PH_EXIT_OK && question->beside != NULL)
		code = answer_question(connection, arguments, run_id, question->beside);
	ph_pq_close(connection);
	return code;
}

static const PhParameter trace_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .choices = ph_named_runs, .offer = PH_OFFER_RUNS},
	{.name = "what", .type = PH_PARAMETER_TEXT, .choices = question_names},
	{.name = NULL}};

const PhCommand ph_command_trace = {
	.name = "trace",
	.help = "what a run's events tell: waits, critical path, opportunities, efficiency",
	.usage = "RUN waits|path|opportunities|efficiency [OPTION]...",
	.details = ph_help_trace,
	.options = trace_options,
	.min_arguments = 2,
	.max_arguments = 2,
	.uses_database = true,
	.arguments = trace_arguments,
	.run = cmd_trace,
};
