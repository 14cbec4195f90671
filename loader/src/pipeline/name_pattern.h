/*
 * name_pattern.h - metadata in names of files: "lulesh-{commit}-n{ranks}-{repeat}.cali".
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_NAME_PATTERN_H
#define PH_PIPELINE_NAME_PATTERN_H

#include "readers/source.h"

typedef struct PhNamePattern PhNamePattern;

/*
 * {key} stands for one or more characters, * for any, neither for a slash; what comes first takes
 * most. A pattern with slashes is compared with as many of the last folders, too. PH_ERR_VALUE:
 * it is no pattern, and why.
 */
PhStatus ph_name_pattern_make(PhEnv *env, const char *text, PhNamePattern **out) PH_MUST_CHECK;
void ph_name_pattern_free(PhNamePattern *pattern);

/* Adds what path says; *fits: whether it has the pattern's form. */
PhStatus ph_name_pattern_apply(PhEnv *env, const PhNamePattern *pattern, const char *path,
							   PhMeta *meta, bool *fits) PH_MUST_CHECK;

#endif
