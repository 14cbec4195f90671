/*
 * pq_permission.c - see pq_permission.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/pq_permission.h"

#include <stdio.h>
#include <string.h>

typedef struct Right
{
	const char *object; /* as the server names it; the first that fits wins */
	const char *what;
	const char *role;
} Right;

static const Right rights[] = {
	{"schema perfhouse", "read the warehouse", "perfhouse_reader"},
	{"table schema_version", "read more than the views guest_...", "perfhouse_reader"},
	{"function drop_run", "load or remove runs", "perfhouse_loader"},
	{"function roll_up_run", "roll runs up", "perfhouse_loader"},
	{"function drop_trace_events", "drop the events of runs", "perfhouse_loader"},
	{"function apply_retention", "roll runs up", "perfhouse_loader"},
	{"function set_retention", "change retention policies", "perfhouse_admin"},
	{"table retention_policy", "change retention policies", "perfhouse_admin"},
	{"function grant_project", "say whose a project is", "perfhouse_admin"},
	{"function revoke_project", "say whose a project is", "perfhouse_admin"},
	{"procedure enable_projects", "change row-level security", NULL},
	{"procedure disable_projects", "change row-level security", NULL},
	{"function update_regressions", "search for regressions", "perfhouse_loader"},
	{"function set_regression", "decide about regressions", "perfhouse_loader"},
	{"table commit", "store commits", "perfhouse_loader"},
	{"procedure apply_grants", "give rights", NULL},
	{"table run", "load or change runs", "perfhouse_loader"},
	{"function ", "change the warehouse", "perfhouse_loader"},
	{"table ", "change the warehouse", "perfhouse_loader"},
	{"sequence ", "change the warehouse", "perfhouse_loader"},
};

static const Right *
find_right(const char *message)
{
	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++)
	{
		const char *found = strstr(message, rights[i].object);
		size_t length = strlen(rights[i].object);

		/* a whole word, unless it stands for all of its kind */
		if (found != NULL && (rights[i].object[length - 1] == ' ' || found[length] == '\0'))
			return &rights[i];
	}
	return NULL;
}

void
ph_pq_explain_permission(const char *user, char *message, size_t message_size, char *hint,
						 size_t hint_size)
{
	const Right *right =
		strncmp(message, "permission denied", 17) == 0 ? find_right(message) : NULL;
	char said[512];

	snprintf(said, sizeof(said), "%s", message);
	if (strstr(message, "violates row-level security policy") != NULL)
	{
		snprintf(message, message_size, "user \"%s\" is no member of that project (%s)", user,
				 said);
		snprintf(hint, hint_size, "perfhouse projects lists yours; load --set project=NAME.");
		return;
	}
	if (right == NULL)
	{
		snprintf(hint, hint_size,
				 "Let an administrator grant perfhouse_reader, perfhouse_loader "
				 "or perfhouse_admin to this user.");
		return;
	}
	snprintf(message, message_size, "user \"%s\" may not %s (%s)", user, right->what, said);
	if (right->role == NULL)
		snprintf(hint, hint_size, "Only the owner of the warehouse may: use his login.");
	else
		snprintf(hint, hint_size, "The role %s may; let an administrator run: GRANT %s TO \"%s\".",
				 right->role, right->role, user);
}
