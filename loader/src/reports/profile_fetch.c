/*
 * profile_fetch.c - a stored run's profile, as the server's perfhouse.profile() makes it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/profile_fetch.h"

#include <stdio.h>
#include <string.h>

#include "profile/flat.h"
#include "queries.h"
#include "system/log.h"

static PhExit
fetch(PhEnv *env, PhConnection *connection, const char *query, int64_t run_id,
	  const PhParam *metric, PhProfile **out)
{
	PhParam params[2] = {ph_param_int(run_id), metric != NULL ? *metric : ph_param_null()};
	PhResult *rows = ph_pq_query_binary(connection, query, params, metric != NULL ? 2 : 1);
	const char *bytes;
	size_t size;
	PhStatus status;
	char what[32];

	snprintf(what, sizeof(what), "run %lld", (long long) run_id);
	if (rows == NULL)
		return ph_pq_log_error(connection, what);
	bytes = ph_result_bytes(rows, 0, 0, &size);
	status = ph_profile_unflatten(env, (const uint8_t *) bytes, size, out);
	ph_result_free(rows);
	if (status == PH_OK)
		return PH_EXIT_OK;
	ph_log_core_error(what, &env->error);
	return ph_exit_from_status(status);
}

PhExit
ph_profile_fetch(PhEnv *env, PhConnection *connection, int64_t run_id, const char *metric,
				 PhProfile **out)
{
	PhParam name = ph_param_text(metric);

	if (metric != NULL && strcmp(metric, PH_ALL_METRICS) == 0)
		return fetch(env, connection, ph_sql_profile_all, run_id, NULL, out);
	return fetch(env, connection, ph_sql_profile_metric, run_id, &name, out);
}

PhExit
ph_profile_fetch_aliased(PhEnv *env, PhConnection *connection, int64_t run_id, const char *metric,
						 PhProfile **out)
{
	PhParam name = ph_param_text(metric);

	if (metric != NULL && strcmp(metric, PH_ALL_METRICS) == 0)
		return fetch(env, connection, ph_sql_profile_compare_all, run_id, NULL, out);
	return fetch(env, connection, ph_sql_profile_compare, run_id, &name, out);
}
