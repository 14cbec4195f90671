/*
 * copy_table.c - see copy_table.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/copy_table.h"

bool
ph_copy_to_server(void *user, const char *bytes, size_t size)
{
	return ph_pq_copy_put(user, bytes, size);
}

PhStatus
ph_refused(PhEnv *env, const PhConnection *db)
{
	return ph_fail_hint(env, PH_ERR_INTERNAL, db->error.hint, "%s", db->error.message);
}

PhStatus
ph_copy_table(PhEnv *env, PhConnection *db, const char *sql, PhCopyRows put, const void *rows)
{
	PhStatus status;
	const char *why;
	PhCopy copy;

	if (!ph_pq_copy_begin(db, sql))
		return ph_refused(env, db);
	ph_copy_init(&copy, env, ph_copy_to_server, db);
	status = put(env, &copy, rows);
	if (!ph_copy_finish(&copy) && status == PH_OK)
		status = copy.status;
	why = status == PH_OK && !copy.failed ? NULL : "the loader gave up";
	if (!ph_pq_copy_end(db, why, NULL) && status == PH_OK)
		status = ph_refused(env, db);
	return status;
}
