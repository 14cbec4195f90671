/*
 * copy.c - perfhouse copy: runs from one warehouse to another.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/redact.h"
#include "commands/shared_options.h"
#include "database/warehouse.h"
#include "queries.h"
#include "runs/filters.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/utf8_text.h"
#include "texts.h"
#include "transfer/transfer.h"

#define MOST_RUNS 100		/* of a batch */
#define MOST_VALUES 5000000 /* of a batch of several runs */

static const PhParameter copy_options[] = {
	{.name = "to",
	 .letter = 't',
	 .type = PH_PARAMETER_TEXT,
	 .least = 1,
	 .value = "CONNINFO",
	 .help = "the warehouse that gets the runs; embedded: the embedded one"},
	PH_OPTION_REDACT(NULL),
	PH_OPTION_SALT,
	{.name = "dry-run", .letter = 'n', .help = "say how many runs there are to copy"},
	{.name = "json", .help = "print one JSON object a run"},
	{.name = NULL}};

/* The runs that are meant, with about how many values each has. */
typedef struct Chosen
{
	int64_t *runs, *sizes;
	size_t n;
} Chosen;

/* ---- options ---- */

/* "run_id IN (3, 5)" of the arguments that are numbers, joined to the filter; NULL: none. */
static char *
add_numbers(const PhArguments *arguments, char *filter, size_t *n)
{
	char *list = NULL, *all;

	*n = 0;
	for (size_t i = 0; i < ph_cli_n_arguments(arguments); i++)
	{
		const char *word = ph_cli_argument(arguments, i);
		char *before = list;

		if (!ph_is_run_number(word))
			continue;
		list = ph_format("%s%s%s", before != NULL ? before : "", before != NULL ? ", " : "", word);
		free(before);
		(*n)++;
	}
	if (list == NULL)
		return filter;
	all = ph_format("run_id IN (%s)%s%s", list, filter != NULL ? " AND " : "",
					filter != NULL ? filter : "");
	free(list);
	free(filter);
	return all;
}

/* ---- which runs ---- */

static PhExit
check_numbers(const PhArguments *arguments, const Chosen *chosen)
{
	for (size_t i = 0; i < ph_cli_n_arguments(arguments); i++)
	{
		const char *word = ph_cli_argument(arguments, i);
		size_t r = 0;

		if (!ph_is_run_number(word))
			continue;
		while (r < chosen->n && chosen->runs[r] != strtoll(word, NULL, 10))
			r++;
		if (r == chosen->n)
		{
			ph_log_error("there is no run %s", word);
			ph_log_hint("perfhouse runs lists them.");
			return PH_EXIT_NOT_FOUND;
		}
	}
	return PH_EXIT_OK;
}

static PhExit
choose(PhConnection *from, const PhArguments *arguments, Chosen *out)
{
	size_t n_numbers;
	char *filter;
	PhExit code = ph_join_filters(arguments, ph_is_run_number, &filter);
	PhResult *rows;

	if (code != PH_EXIT_OK)
	{
		free(filter);
		return code;
	}
	bool has_filter = filter != NULL;
	filter = add_numbers(arguments, filter, &n_numbers);
	PhParam param = ph_param_text(filter);
	rows = ph_pq_query(from, ph_sql_copy_choose, &param, 1);
	free(filter);
	if (rows == NULL)
		return ph_pq_log_error(from, "runs");
	out->n = ph_result_count(rows);
	out->runs = ph_must_alloc(out->n + 1, sizeof(*out->runs));
	out->sizes = ph_must_alloc(out->n + 1, sizeof(*out->sizes));
	for (size_t i = 0; i < out->n; i++)
	{
		out->runs[i] = ph_result_int(rows, i, 0);
		out->sizes[i] = ph_result_int(rows, i, 1);
	}
	ph_result_free(rows);
	return has_filter ? PH_EXIT_OK : check_numbers(arguments, out);
}

/* ---- copying ---- */

static void
print_copied(void *user, int64_t run, int64_t number, const char *label)
{
	char *line = ph_text_line(label);

	if (*(const bool *) user)
		printf("{\"from\": %lld, \"run_id\": %lld}\n", (long long) run, (long long) number);
	else
		printf("run %lld is run %lld there: %s\n", (long long) run, (long long) number,
			   line != NULL ? line : "");
	free(line);
}

/* How many from first on make a batch. */
static size_t
batch_length(const Chosen *chosen, size_t first)
{
	int64_t size = chosen->sizes[first];
	size_t n = 1;

	while (n < MOST_RUNS && first + n < chosen->n && size + chosen->sizes[first + n] <= MOST_VALUES)
		size += chosen->sizes[first + n++];
	return n;
}

static PhExit
copy_chosen(const PhTransferPlan *plan, const Chosen *chosen, bool json)
{
	PhTransfer *transfer = ph_transfer_new(plan);
	PhTransferCounts counts;
	PhExit code = PH_EXIT_OK;

	for (size_t first = 0, n; first < chosen->n && code == PH_EXIT_OK; first += n)
	{
		n = batch_length(chosen, first);
		code = ph_transfer_runs(transfer, chosen->runs + first, n);
		fflush(stdout);
	}
	if (code == PH_EXIT_OK)
		code = ph_transfer_finish(transfer);
	counts = ph_transfer_counts(transfer);
	ph_transfer_free(transfer);
	if (!json)
		printf("%zu run%s copied, %zu %s there already\n", counts.copied,
			   counts.copied == 1 ? "" : "s", counts.present, counts.present == 1 ? "was" : "were");
	if (code != PH_EXIT_OK)
		ph_log_hint("The same command goes on where this one ended.");
	return code;
}

/* Sessions that keep dictionary rows from being removed meanwhile. */
static PhExit
open_target(const PhArguments *arguments, PhConnection **to)
{
	PhExit code = ph_warehouse_open(ph_cli_text(arguments, "to", NULL), PH_OPEN_READY, to);

	if (code == PH_EXIT_OK && !ph_pq_execute(*to, ph_sql_load_mark, NULL, 0))
	{
		code = ph_pq_log_error(*to, "copy");
		ph_pq_close(*to);
	}
	return code;
}

static PhExit
copy_between(PhConnection *from, PhArguments *arguments, const Chosen *chosen)
{
	bool json = ph_cli_flag(arguments, "json");
	char *origin = ph_pq_describe(from);
	PhTransferPlan plan = {.from = from, .copied = print_copied, .user = &json};
	PhExit code = ph_redact_parse(arguments, &plan.hiding);

	if (code == PH_EXIT_OK)
		code = open_target(arguments, &plan.to);
	if (code == PH_EXIT_OK)
	{
		plan.origin = plan.hiding.is_any ? "another warehouse" : origin;
		code = copy_chosen(&plan, chosen, json);
		ph_pq_close(plan.to);
	}
	ph_redact_free(&plan.hiding);
	free(origin);
	return code;
}

static PhExit
cmd_copy(PhArguments *arguments)
{
	Chosen chosen = {NULL, NULL, 0};
	PhConnection *from;
	PhExit code;

	if (!ph_cli_given(arguments, "to"))
		return ph_cli_usage_error(arguments, "say --to: the warehouse that gets the runs");
	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &from);
	if (code != PH_EXIT_OK)
		return code;
	code = choose(from, arguments, &chosen);
	if (code == PH_EXIT_OK && ph_cli_flag(arguments, "dry-run"))
		printf("%zu run%s to copy\n", chosen.n, chosen.n == 1 ? "" : "s");
	else if (code == PH_EXIT_OK)
		code = copy_between(from, arguments, &chosen);
	free(chosen.runs);
	free(chosen.sizes);
	ph_pq_close(from);
	return code;
}

static const PhParameter copy_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_RUNS, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_copy = {
	.name = "copy",
	.help = "copy runs into another warehouse",
	.usage = "[RUN | FILTER]... --to CONNINFO [OPTION]...",
	.details = ph_help_copy,
	.options = copy_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = copy_arguments,
	.run = cmd_copy,
};
