/*
 * group_by.c - the words for levels and kinds by which nodes are grouped, and a region's module.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "profile/rows.h"

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

const char *
ph_kind_name(uint8_t kind)
{
	static const char *const names[PH_KIND_COUNT] = {"function", "region", "loop", "statement",
													 "root"};
	return kind < PH_KIND_COUNT ? names[kind] : "unknown";
}

const char *
ph_region_module(const PhProfile *profile, const PhRegion *region)
{
	const char *module = ph_profile_string(profile, region->module);
	if (module[0] != '\0')
		return module;
	const char *library = ph_profile_string(profile, region->library);
	const char *slash = strrchr(library, '/');
	return slash != NULL ? slash + 1 : library;
}
