/*
 * group_by.c - the words for levels by which nodes are grouped.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "supergraph/group_by.h"

#include <string.h>

PhStatus
ph_group_by_parse(PhEnv *env, const char *text, PhGroupBy *out)
{
	static const struct
	{
		const char *word;
		PhGroupBy by;
	} words[] = {
		{"paradigm", PH_GROUP_PARADIGM}, {"module", PH_GROUP_MODULE},
		{"library", PH_GROUP_LIBRARY},	 {"file", PH_GROUP_FILE},
		{"function", PH_GROUP_FUNCTION}, {"name", PH_GROUP_FUNCTION},
		{"kind", PH_GROUP_KIND},		 {"node", PH_GROUP_NODE},
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, text) == 0)
		{
			*out = words[i].by;
			return PH_OK;
		}
	return ph_fail_hint(env, PH_ERR_VALUE,
						"Group by paradigm, module, library, file, function, kind or node.",
						"cannot group by \"%.100s\"", text);
}
