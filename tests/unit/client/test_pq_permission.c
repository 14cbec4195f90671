/*
 * test_pq_permission.c - refused rights in people's words.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "database/pq_permission.h"

static void
check(const char *said, const char *message, const char *hint)
{
	char text[256], advice[256] = "";
	snprintf(text, sizeof(text), "%s", said);
	ph_pq_explain_permission("alice", text, sizeof(text), advice, sizeof(advice));
	assert_string_equal(text, message);
	assert_non_null(strstr(advice, hint));
}

static void
names_the_role(void **state)
{
	(void) state;
	check("permission denied for schema perfhouse",
		  "user \"alice\" may not read the warehouse (permission denied for schema perfhouse)",
		  "GRANT perfhouse_reader TO \"alice\"");
	check("permission denied for function drop_run",
		  "user \"alice\" may not load or remove runs (permission denied for function drop_run)",
		  "GRANT perfhouse_loader TO \"alice\"");
	check("permission denied for table retention_policy",
		  "user \"alice\" may not change retention policies (permission denied for table "
		  "retention_policy)",
		  "GRANT perfhouse_admin TO \"alice\"");
	check("permission denied for table run_region",
		  "user \"alice\" may not change the warehouse (permission denied for table run_region)",
		  "perfhouse_loader");
	check("permission denied for procedure apply_grants",
		  "user \"alice\" may not give rights (permission denied for procedure apply_grants)",
		  "owner");
	check("permission denied for procedure enable_projects",
		  "user \"alice\" may not change row-level security (permission denied for procedure "
		  "enable_projects)",
		  "owner");
	check("new row violates row-level security policy for table \"run\"",
		  "user \"alice\" is no member of that project (new row violates row-level security policy "
		  "for table \"run\")",
		  "--set project=");
	check("must be owner of table run", "must be owner of table run", "administrator");
}

/* Long messages are cut, not overrun. */
static void
stays_within_its_room(void **state)
{
	(void) state;
	char text[24] = "permission denied for f", hint[8];
	ph_pq_explain_permission("a", text, sizeof(text), hint, sizeof(hint));
	assert_int_equal(strlen(hint), 7);
	memcpy(text, "permission denied for", 22);
	ph_pq_explain_permission("someone with a long name", text, sizeof(text), hint, sizeof(hint));
	assert_true(strlen(text) < sizeof(text));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_role),
		cmocka_unit_test(stays_within_its_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
