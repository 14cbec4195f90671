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

PhExit
ph_profile_fetch(PhEnv *env, PhConnection *connection, int64_t run_id, const PhProfilePart *part,
				 PhProfile **out)
{
	bool is_all = part->metric != NULL && strcmp(part->metric, PH_ALL_METRICS) == 0;
	PhParam params[7] = {ph_param_int(run_id),
						 ph_param_bool(part->is_aliased),
						 ph_param_text(part->metric),
						 ph_param_text(part->ranks),
						 ph_param_text(part->within),
						 part->from,
						 part->to};
	PhResult *rows = ph_pq_query_binary(
		connection, is_all ? ph_sql_profile_all : ph_sql_profile_part, params, is_all ? 2 : 7);
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
