/*
 * given.h - metadata that people give for single runs: in names of files, beside them, in a list.
 *
 * Of one key the later of these wins: what --set-from-name finds in the file's name, the sidecar
 * NAME.meta.json, the line of the manifest, --set (with --commit and --branch). All of it wins over
 * what the file itself says, and that over the environment (run_record.h).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_GIVEN_H
#define PH_PIPELINE_GIVEN_H

#include "pipeline/manifest.h"
#include "pipeline/name_pattern.h"

typedef struct PhGivenMeta
{
	const PhNamePattern *names; /* NULL: none */
	const PhManifest *manifest; /* NULL: none */
	const PhMeta *set;			/* may be NULL */
} PhGivenMeta;

/*
 * What is given for the run at path, into an empty meta, which is the caller's also after a
 * failure. *warning, malloc'ed, or NULL: what did not fit.
 */
PhStatus ph_given_collect(PhEnv *env, const PhGivenMeta *given, const char *path, PhMeta *meta,
						  char **warning) PH_MUST_CHECK;

/* The sidecar of the input at path, whether it is there or not: of run.cali that is
 * run.cali.meta.json, and run.meta.json where there is no such file. The caller frees it. */
char *ph_sidecar_of(const char *path);

#endif
