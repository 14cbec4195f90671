/*
 * named_run.c - see named_run.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "runs/named_run.h"

#include <stdlib.h>
#include <string.h>

#include "database/warehouse.h"
#include "queries.h"
#include "runs/filters.h"
#include "system/log.h"

const char *const ph_named_runs[] = {PH_LATEST, NULL};

bool
ph_names_run(const char *word)
{
	const char *filter = ph_latest_filter(word);
	char *checked = NULL;
	int64_t number;
	bool ok;

	if (filter == NULL)
		return ph_cli_parse_run(word, &number);
	ok = filter[0] == '\0' || ph_filter_of_word(filter, &checked) == PH_EXIT_OK;
	free(checked);
	return ok;
}

static PhExit
find_latest(PhConnection *connection, const char *filter, int64_t *out)
{
	PhParam param = ph_param_text(filter);
	PhResult *rows = ph_pq_query(connection, ph_sql_runs_latest, &param, 1);
	PhExit code = PH_EXIT_OK;

	if (rows == NULL)
		return ph_pq_log_error(connection, PH_LATEST);
	if (ph_result_count(rows) == 1)
		*out = ph_result_int(rows, 0, 0);
	else
	{
		ph_log_error(filter == NULL ? "there is no run"
									: "there is no run that the filter selects");
		ph_log_hint(filter == NULL ? "perfhouse load FOLDER loads some."
								   : "perfhouse runs lists them.");
		code = PH_EXIT_NOT_FOUND;
	}
	ph_result_free(rows);
	return code;
}

PhExit
ph_find_named_run(PhConnection *connection, const char *word, int64_t *out)
{
	const char *filter = ph_latest_filter(word);
	char *checked = NULL;
	PhExit code = PH_EXIT_OK;

	if (filter == NULL)
		return ph_cli_parse_run(word, out) ? PH_EXIT_OK : PH_EXIT_USAGE;
	if (filter[0] != '\0')
		code = ph_filter_of_word(filter, &checked);
	if (code == PH_EXIT_OK)
		code = find_latest(connection, checked, out);
	free(checked);
	return code;
}

PhExit
ph_open_run(const PhArguments *arguments, PhConnection **connection, int64_t *run_id)
{
	const char *word = ph_cli_argument(arguments, 0);
	PhExit code;

	if (!ph_names_run(word))
		return PH_EXIT_USAGE;
	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, connection);
	if (code != PH_EXIT_OK)
		return code;
	code = ph_find_named_run(*connection, word, run_id);
	if (code != PH_EXIT_OK)
		ph_pq_close(*connection);
	return code;
}
