/*
 * run_facts.c - what is known of a run, as texts by key, and whether runs are of one experiment.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/run_facts.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/memory.h"

const char *const ph_default_keys[] = {"n_ranks", "n_threads",	  "n_hosts", "cluster",
									   "problem", "problem_size", "input",	 NULL};

static void
add_fact(PhFacts *facts, const char *key, const char *value, bool is_column)
{
	if (value == NULL || value[0] == '\0')
		return;
	facts->items = ph_must_resize(facts->items, facts->n + 1, sizeof(*facts->items));
	facts->items[facts->n++] = (PhFact){ph_strdup(key), ph_strdup(value), is_column};
}

void
ph_facts_add_column(PhFacts *facts, const char *key, const char *value)
{
	add_fact(facts, key, value, true);
}

void
ph_facts_add_number(PhFacts *facts, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_fact(facts, key, text, true);
}

static void
add_members(PhFacts *facts, const char *json, bool are_columns)
{
	json_object *document = json != NULL ? json_tokener_parse(json) : NULL;

	if (json_object_is_type(document, json_type_object))
	{
		json_object_object_foreach(document, key, value)
		{
			add_fact(facts, key, value != NULL ? json_object_get_string(value) : NULL, are_columns);
		}
	}
	json_object_put(document);
}

void
ph_facts_add_columns(PhFacts *facts, const char *json)
{
	add_members(facts, json, true);
}

void
ph_facts_add_meta(PhFacts *facts, const char *json)
{
	add_members(facts, json, false);
}

const char *
ph_facts_get(const PhFacts *facts, const char *key)
{
	static const char prefix[] = "meta.";
	bool is_meta = strncmp(key, prefix, strlen(prefix)) == 0;
	const char *found = NULL;

	for (size_t i = 0; i < facts->n; i++)
	{
		const PhFact *fact = &facts->items[i];

		if (strcmp(fact->key, is_meta ? key + strlen(prefix) : key) != 0 ||
			(is_meta && fact->is_column))
			continue;
		if (fact->is_column)
			return fact->value;
		found = fact->value;
	}
	return found;
}

void
ph_facts_free(PhFacts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
	{
		free(facts->items[i].key);
		free(facts->items[i].value);
	}
	free(facts->items);
	*facts = (PhFacts){0};
}

/* As perfhouse_internal.experiment_text() calls them. */
static const char *
key_for_people(const char *key)
{
	return strcmp(key, "n_ranks") == 0	   ? "ranks"
		   : strcmp(key, "n_threads") == 0 ? "threads"
		   : strcmp(key, "n_hosts") == 0   ? "nodes"
										   : key;
}

char *
ph_facts_experiment(const PhFacts *facts, const char *const *keys)
{
	const char *application = ph_facts_get(facts, "application");
	char *text = ph_strdup(application != NULL ? application : "unknown application");

	for (; *keys != NULL; keys++)
	{
		const char *value = ph_facts_get(facts, *keys);
		char *longer;

		if (value == NULL)
			continue;
		longer = ph_format("%s, %s %s", text, key_for_people(*keys), value);
		free(text);
		text = longer;
	}
	return text;
}

bool
ph_facts_are_known(const PhFacts *facts, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		if (ph_facts_get(facts, *keys) == NULL)
			return false;
	return true;
}
