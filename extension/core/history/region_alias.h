/*
 * region_alias.h - regions that count as others: renamed functions, moved files, newer libraries.
 *
 * A rule says which regions it is about and what they count as. The first rule that matches and
 * changes something is applied, and then the next one to the result, until none is left: a
 * function that was renamed twice ends at its last name. Rules that go in a circle are an error.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HISTORY_REGION_ALIAS_H
#define PH_HISTORY_REGION_ALIAS_H

#include "profile/profile.h"

/* NULL in a condition: any; in a target: stays. "" in library and file: none. */
typedef struct PhAlias
{
	const char *name, *library, *file; /* conditions, of which there is one at least */
	bool is_pattern; /* they are regular expressions (base/regex_match.h), else the whole text */
	const char *to_name, *to_library, *to_file; /* targets, of which there is one at least */
} PhAlias;

/* The parts of a region's identity that rules can change. Never NULL; "": none. */
typedef struct PhRegionNames
{
	const char *name, *library, *file;
} PhRegionNames;

typedef struct PhAliases PhAliases;

/*
 * Check and keep the rules; texts are copied into the arena. PH_ERR_VALUE names the rule that has
 * no condition or no target, an empty name as target, or a wrong pattern.
 */
PhStatus ph_aliases_new(PhArena *arena, uint32_t n, const PhAlias *rules,
						PhAliases **out) PH_MUST_CHECK;

/* What a region counts as. PH_ERR_VALUE when the rules go in a circle. O(rules^2) at worst. */
PhStatus ph_aliases_apply(PhEnv *env, const PhAliases *aliases, PhRegionNames *names) PH_MUST_CHECK;

/*
 * The profile with every region named as the rules say: siblings that become equal are one node
 * whose costs add up, so totals and the cost of every subtree stay. Module and paradigm stay. A
 * note says which regions were renamed; without any the result is a copy. Doing it again changes
 * nothing.
 */
PhStatus ph_profile_apply_aliases(PhEnv *env, const PhProfile *profile, const PhAliases *aliases,
								  PhProfile **out) PH_MUST_CHECK;

#endif
