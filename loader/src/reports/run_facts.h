/*
 * run_facts.h - what is known of a run, as texts by key, and whether runs are of one experiment.
 *
 * Of stored runs the warehouse decides what can be compared (perfhouse.experiment_differences);
 * this is the same rule for runs that were read from files and are in no warehouse. A key is the
 * name of a column of perfhouse.run (n_ranks, cluster, ...) or else of metadata; meta.NAME is
 * always metadata.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_RUN_FACTS_H
#define PH_REPORTS_RUN_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PhFact
{
	char *key;
	char *value;
	bool is_column;
} PhFact;

typedef struct PhFacts
{
	PhFact *items;
	size_t n;
} PhFacts;

/* Value NULL or "": nothing is known, nothing is added. */
void ph_facts_add_column(PhFacts *facts, const char *key, const char *value);
void ph_facts_add_number(PhFacts *facts, const char *key, int64_t value);

/* The members of a JSON object, as columns or as metadata; what is no object adds nothing. */
void ph_facts_add_columns(PhFacts *facts, const char *json);
void ph_facts_add_meta(PhFacts *facts, const char *json);

/* NULL: it is not known. */
const char *ph_facts_get(const PhFacts *facts, const char *key);
void ph_facts_free(PhFacts *facts);

/* The default experiment keys, as perfhouse.default_keys() has them; NULL ends. */
extern const char *const ph_default_keys[];

/*
 * "lulesh, ranks 8, threads 1": application and keys (ended by NULL) of a run for people; the
 * caller frees it. Runs with the same text are of one experiment, unless people set the keys: then
 * a run that does not say all of them is like no other.
 */
char *ph_facts_experiment(const PhFacts *facts, const char *const *keys);

/* Does the run say all of the keys? */
bool ph_facts_are_known(const PhFacts *facts, const char *const *keys);

#endif
