/*
 * upkeep.c - see upkeep.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "commands/upkeep.h"
#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"

const PhUpkeepTask ph_upkeep_convert = {
	.label = "converting", .list_sql = ph_sql_upkeep_old_runs, .sql = ph_sql_upkeep_convert};
const PhUpkeepTask ph_upkeep_remake = {
	.label = "computing anew", .list_sql = ph_sql_upkeep_stale, .sql = ph_sql_upkeep_remake};
const PhUpkeepTask ph_upkeep_pyramids = {.label = "making pyramids",
										 .list_sql = ph_sql_upkeep_stale_pyramids,
										 .sql = ph_sql_upkeep_remake};
const PhUpkeepTask ph_upkeep_blame = {.label = "finding causes of waits",
									  .list_sql = ph_sql_upkeep_stale_blame,
									  .sql = ph_sql_upkeep_remake};
const PhUpkeepTask ph_upkeep_efficiencies = {.label = "computing efficiencies",
											 .list_sql = ph_sql_upkeep_stale_efficiency,
											 .sql = ph_sql_upkeep_remake};

static PhExit
do_run(PhConnection *connection, const PhUpkeepTask *task, int64_t run_id)
{
	PhParam run = ph_param_int(run_id);
	if (ph_pq_execute(connection, task->sql, &run, 1))
		return PH_EXIT_OK;
	char *what = ph_format("%s run %lld", task->label, (long long) run_id);
	PhExit code = ph_pq_log_error(connection, what);
	free(what);
	return code;
}

PhExit
ph_upkeep(PhConnection *connection, const PhUpkeepTask *task, PhUpkeepCount *count)
{
	PhResult *rows = ph_pq_query(connection, task->list_sql, NULL, 0);
	PhProgress progress;
	*count = (PhUpkeepCount){0};
	if (rows == NULL)
		return ph_pq_log_error(connection, task->label);
	count->n_found = ph_result_count(rows);
	ph_progress_start(&progress, task->label, count->n_found);
	for (size_t row = 0; row < count->n_found && !ph_interrupted(); row++)
	{
		PhExit code = do_run(connection, task, ph_result_int(rows, row, 0));
		count->n_done += code == PH_EXIT_OK;
		count->failure = count->failure == PH_EXIT_OK ? code : count->failure;
		ph_progress_update(&progress, row + 1);
	}
	ph_progress_end(&progress);
	ph_result_free(rows);
	return ph_interrupted() ? PH_EXIT_INTERRUPTED : PH_EXIT_OK;
}
