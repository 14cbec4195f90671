/*
 * run_record.h - from a run's metadata to the columns of perfhouse.run and its meta document.
 *
 * Precedence, key by key: what people gave (pipeline/given.h), then what the file says, then the
 * environment of the loading process (batch system and CI variables). Everything lands in
 * the meta document; well-known keys are promoted to columns besides.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_RUN_RECORD_H
#define PH_PIPELINE_STORE_RUN_RECORD_H

#include "readers/source.h"

typedef const char *(*PhGetenv)(const char *name);

/* Strings are NULL when unknown; all belong to the record. */
typedef struct PhRunRecord
{
	char *application;
	char *title;
	char *commit_id;
	char *branch;
	char *started_at; /* "2026-11-21 04:00:00.000000+00" */
	char *user_name;
	char *cluster;
	char *source; /* what the user named */
	char *meta;	  /* JSON object text */
	PhArena arena;
} PhRunRecord;

/*
 * path: what the user named, for the default title. set: may be NULL. environment: NULL means that
 * the environment does not describe this run.
 */
PhStatus ph_run_record_make(PhEnv *env, const PhRunInput *input, const char *path,
							const PhMeta *set, PhGetenv environment,
							PhRunRecord *out) PH_MUST_CHECK;
void ph_run_record_free(PhRunRecord *record);

/* Names of the variables of the environment that it asks for; NULL ends. */
const char *const *ph_run_record_variables(void);

/*
 * A point in time as PostgreSQL reads it, in UTC, from seconds since 1970, ISO 8601 (without a
 * zone: UTC) or the form of asctime. False when text is none of these.
 */
bool ph_parse_time(const char *text, char *out, size_t size);

/* True when text is a number by JSON's grammar. */
bool ph_is_json_number(const char *text);

#endif
