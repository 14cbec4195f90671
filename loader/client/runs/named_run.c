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
#include "system/memory.h"

const char *const ph_named_runs[] = {PH_LATEST, NULL};

bool
ph_names_run(const char *word)
{
	const char *filter = ph_latest_filter(word);
	char *checked = NULL;
	int64_t number;
	bool ok;

	if (filter == NULL)
		return ph_word_names_run(word) || ph_cli_parse_run(word, &number);
	ok = filter[0] == '\0' || ph_filter_of_word(filter, &checked) == PH_EXIT_OK;
	free(checked);
	return ok;
}

/* The run that was loaded last: that query finds of these runs, which are told in a message. */
static PhExit
find_last(PhConnection *connection, const char *query, const PhParam *params, int n_params,
		  const char *which, int64_t *out)
{
	PhResult *rows = ph_pq_query(connection, query, params, n_params);
	PhExit code = PH_EXIT_OK;

	if (rows == NULL)
		return ph_pq_log_error(connection, "the latest run");
	if (ph_result_count(rows) == 1)
		*out = ph_result_int(rows, 0, 0);
	else
	{
		ph_log_error("there is no run%s", which);
		ph_log_hint(which[0] == '\0' ? "perfhouse load FOLDER loads some."
									 : "perfhouse runs lists them.");
		code = PH_EXIT_NOT_FOUND;
	}
	ph_result_free(rows);
	return code;
}

static PhExit
find_latest(PhConnection *connection, const char *filter, int64_t *out)
{
	PhParam param = ph_param_text(filter);

	return find_last(connection, ph_sql_runs_latest, &param, 1,
					 filter == NULL ? "" : " that the filter selects", out);
}

/* APPLICATION@COMMIT: applications may have an @, hashes have none. */
static PhExit
find_of_commit(PhConnection *connection, const char *word, int64_t *out)
{
	const char *commit = strrchr(word, '@') + 1;
	char *application = ph_format("%.*s", (int) (commit - 1 - word), word);
	PhParam params[2] = {ph_param_text(application), ph_param_text(commit)};
	char *which = ph_format(" of %s at commit %s", application, commit);
	PhExit code = find_last(connection, ph_sql_runs_latest_of_commit, params, 2, which, out);

	free(which);
	free(application);
	return code;
}

PhExit
ph_find_named_run(PhConnection *connection, const char *word, int64_t *out)
{
	const char *filter = ph_latest_filter(word);
	char *checked = NULL;
	PhExit code = PH_EXIT_OK;

	if (filter == NULL && ph_word_names_run(word))
		return find_of_commit(connection, word, out);
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

bool
ph_names_runs(const char *word)
{
	return word[0] != '\0' && strspn(word, "0123456789,") == strlen(word);
}

int64_t *
ph_run_numbers(const char *word, size_t *n)
{
	int64_t *numbers = ph_must_alloc(strlen(word) + 1, sizeof(*numbers));
	bool ok = true;

	*n = 0;
	do
	{
		size_t size = strcspn(word, ",");
		char *number = ph_strndup(word, size);

		ok = ph_cli_parse_run(number, &numbers[(*n)++]);
		free(number);
		word += size + (word[size] == ',');
	} while (ok && *word != '\0');
	if (ok)
		return numbers;
	free(numbers);
	return NULL;
}
