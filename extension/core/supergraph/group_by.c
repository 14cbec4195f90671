/*
 * group_by.c - the words for levels by which nodes are grouped.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "supergraph/group_by.h"

#include <string.h>

#include "base/text.h"

const char *const ph_group_by_names[PH_GROUP_COUNT + 1] = {
	[PH_GROUP_MODULE] = "module",	  [PH_GROUP_LIBRARY] = "library", [PH_GROUP_FILE] = "file",
	[PH_GROUP_FUNCTION] = "function", [PH_GROUP_KIND] = "kind",		  [PH_GROUP_NODE] = "node",
	[PH_GROUP_PARADIGM] = "paradigm"};

PhStatus
ph_group_by_parse(PhEnv *env, const char *text, PhGroupBy *out)
{
	const char *word = strcmp(text, "name") == 0 ? "function" : text;

	for (int by = 0; by < PH_GROUP_COUNT; by++)
		if (strcmp(ph_group_by_names[by], word) == 0)
		{
			*out = (PhGroupBy) by;
			return PH_OK;
		}
	return ph_fail_hint(env, PH_ERR_VALUE,
						"Group by paradigm, module, library, file, function, kind or node.",
						"cannot group by \"%.*s\"", ph_text_fit(text, 100), text);
}

const char *
ph_group_by_name(PhGroupBy by)
{
	return ph_group_by_names[by < PH_GROUP_COUNT ? by : PH_GROUP_MODULE];
}
