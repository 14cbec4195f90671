/*
 * search.c - see search.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/utf8_text.h"

void
ph_new_runs_add(PhNewRuns *runs, const PhLoad *load)
{
	runs->ids = ph_must_resize(runs->ids, runs->n + load->n_jobs + 1, sizeof(*runs->ids));
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		PhOutcome outcome = load->jobs[i].outcome;

		if (outcome == PH_OUTCOME_LOADED || outcome == PH_OUTCOME_REPLACED ||
			outcome == PH_OUTCOME_APPENDED)
			runs->ids[runs->n++] = load->jobs[i].stored_id;
	}
}

void
ph_new_runs_free(PhNewRuns *runs)
{
	free(runs->ids);
	*runs = (PhNewRuns){0};
}

/* Columns of regressions-update.sql. */
enum
{
	C_ID,
	C_APPLICATION,
	C_PATH,
	C_COMMIT,
	C_EVENT
};

static void
print_json(const PhResult *rows, size_t row)
{
	PhJsonOut line, *json = &line;

	ph_json_begin(json, stdout);
	ph_json_open_object(json, NULL);
	ph_json_put_integer(json, "regression_id", ph_result_int(rows, row, C_ID));
	ph_json_put_text(json, "event", ph_result_text(rows, row, C_EVENT));
	ph_json_put_text(json, "application", ph_result_text(rows, row, C_APPLICATION));
	ph_json_put_text(json, "path", ph_result_text(rows, row, C_PATH));
	ph_json_put_text(json, "commit_id", ph_result_text(rows, row, C_COMMIT));
	ph_json_close(json);
	(void) ph_json_done_line(json);
}

static void
print_line(const PhResult *rows, size_t row)
{
	const char *commit = ph_result_text(rows, row, C_COMMIT);

	char *application = ph_text_line(ph_result_text(rows, row, C_APPLICATION));
	char *path = ph_text_line(ph_result_text(rows, row, C_PATH));

	printf("regression %s %s: %s %s%s%.9s\n", ph_result_text(rows, row, C_ID),
		   ph_result_text(rows, row, C_EVENT), application, path, commit != NULL ? " at " : "",
		   commit != NULL ? commit : "");
	free(application);
	free(path);
}

static bool
search_application(PhConnection *db, const char *application, bool json)
{
	PhParam param = ph_param_text(application);
	PhResult *rows = ph_pq_query(db, ph_sql_regressions_update, &param, 1);

	if (rows == NULL)
		return false;
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		if (json)
			print_json(rows, row);
		else
			print_line(rows, row);
	}
	ph_result_free(rows);
	return true;
}

/* Of all applications of the runs, with commits or not. */
static void
refresh_noise(PhConnection *db, const char *runs)
{
	PhParam param = ph_param_text(runs);

	if (ph_pq_execute(db, ph_sql_load_refresh_noise, &param, 1) || ph_interrupted())
		return;
	ph_log_warning("noise was not brought up to date: %s", db->error.message);
	ph_log_hint("SELECT refresh_noise() does so, and says what is wrong.");
}

void
ph_new_runs_search(PhNewRuns *runs, PhConnection *db, bool json)
{
	char *list = runs->n > 0 ? ph_array_int(runs->ids, runs->n) : NULL;
	PhParam param = ph_param_text(list);
	PhResult *rows = list == NULL ? NULL : ph_pq_query(db, ph_sql_load_applications, &param, 1);
	bool ok = list == NULL || rows != NULL;

	if (list != NULL && ok)
		refresh_noise(db, list);
	for (size_t row = 0; rows != NULL && row < ph_result_count(rows) && ok && !ph_interrupted();
		 row++)
		ok = search_application(db, ph_result_text(rows, row, 0), json);
	if (!ok && !ph_interrupted())
	{
		ph_log_warning("regressions were not searched for: %s", db->error.message);
		ph_log_hint("perfhouse regressions searches, and says what is wrong.");
	}
	fflush(stdout);
	ph_result_free(rows);
	free(list);
	runs->n = 0;
}
