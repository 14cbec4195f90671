/*
 * stored_facts.c - what the warehouse knows of stored runs, for run_facts.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/stored_facts.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "system/memory.h"
#include "system/paths.h"

#define KEY_SEPARATOR "\x1f" /* as the query has it */

static char **
split_keys(const char *list)
{
	char **keys = ph_must_alloc(strlen(list) + 2, sizeof(*keys));
	size_t n = 0;

	while (*list != '\0')
	{
		size_t length = strcspn(list, KEY_SEPARATOR);

		keys[n++] = ph_strndup(list, length);
		list += length + (list[length] != '\0');
	}
	return keys;
}

static void
add_texts(PhStoredFacts *facts, const char *columns, const char *meta, const char *keys)
{
	ph_facts_add_columns(&facts->facts, columns);
	ph_facts_add_meta(&facts->facts, meta);
	facts->keys = split_keys(keys != NULL ? keys : "");
}

PhExit
ph_stored_facts_fetch(PhConnection *connection, const int64_t *runs, size_t n_runs,
					  PhStoredFacts **out, size_t *n)
{
	char *list = ph_array_int(runs, n_runs);
	PhParam param = ph_param_text(list);
	PhResult *rows = ph_pq_query(connection, ph_sql_compare_facts, &param, 1);

	*out = NULL;
	*n = 0;
	free(list);
	if (rows == NULL)
		return ph_pq_log_error(connection, "what is known of runs");
	*out = ph_must_alloc(ph_result_count(rows) + 1, sizeof(**out));
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		PhStoredFacts *facts = &(*out)[(*n)++];

		facts->run_id = ph_result_int(rows, row, ph_result_field(rows, "run_id"));
		add_texts(facts, ph_result_text(rows, row, ph_result_field(rows, "columns")),
				  ph_result_text(rows, row, ph_result_field(rows, "meta")),
				  ph_result_text(rows, row, ph_result_field(rows, "keys")));
		facts->is_declared = ph_result_bool(rows, row, ph_result_field(rows, "is_declared"));
	}
	ph_result_free(rows);
	return PH_EXIT_OK;
}

/* A member that is a text; "": there is none. */
static const char *
text_of(json_object *object, const char *name)
{
	json_object *member = NULL;

	if (!json_object_object_get_ex(object, name, &member) ||
		!json_object_is_type(member, json_type_string))
		return "";
	return json_object_get_string(member);
}

PhStatus
ph_stored_facts_read(PhEnv *env, const char *path, PhStoredFacts **out)
{
	char *text = ph_path_read_text(path);
	json_object *object = text != NULL ? json_tokener_parse(text) : NULL;
	json_object *is_declared = NULL;

	*out = ph_must_alloc(1, sizeof(**out));
	if (text == NULL)
		return ph_fail(env, PH_ERR_UNREADABLE, "%s: %s", path, strerror(errno));
	free(text);
	if (!json_object_is_type(object, json_type_object))
	{
		json_object_put(object);
		return ph_fail(env, PH_ERR_FORMAT, "%s: not what perfhouse bundle notes of a run", path);
	}
	add_texts(*out, text_of(object, "columns"), text_of(object, "meta"), text_of(object, "keys"));
	if (json_object_object_get_ex(object, "is_declared", &is_declared))
		(*out)->is_declared = json_object_get_boolean(is_declared);
	json_object_put(object);
	return PH_OK;
}

void
ph_stored_facts_free(PhStoredFacts *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		ph_facts_free(&facts[i].facts);
		for (char **key = facts[i].keys; key != NULL && *key != NULL; key++)
			free(*key);
		free(facts[i].keys);
	}
	free(facts);
}
