/*
 * meta_text.c - see meta_text.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/meta_text.h"

#include <string.h>

#include "pipeline/store/run_record.h"

PhStatus
ph_meta_put_text(PhEnv *env, PhMeta *meta, const char *key, const char *value)
{
	static const char *const texts[] = {"commit", "commit_id", "branch",  "application", "title",
										"user",	  "cluster",   "project", NULL};
	bool is_text = false;

	for (size_t i = 0; texts[i] != NULL; i++)
		is_text |= strcmp(texts[i], key) == 0;
	return ph_meta_set(env, meta, key, value, !is_text && ph_is_json_number(value));
}
