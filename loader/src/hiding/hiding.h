/*
 * hiding.h - what is hidden of runs that are loaded or copied, and the pseudonyms in its place.
 *
 * The warehouse has the rules for metadata (054-copies.sql); here are those for what goes by COPY
 * and for what functions are known by. Equal texts have equal pseudonyms wherever the salt is the
 * same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HIDING_HIDING_H
#define PH_HIDING_HIDING_H

#include "base/arena.h"
#include "profile/ops.h"

typedef struct PhHiding
{
	const char *what; /* SQL's text[] of users, hosts, paths and commands; "{}": nothing */
	const char *salt;
	bool is_any, hosts, paths;
} PhHiding;

/* A path without its private folder; as it is when there is none. Texts are the arena's. */
PhStatus ph_hide_path(PhArena *arena, const char *salt, const char *path,
					  const char **out) PH_MUST_CHECK;

/* The same of every path in a text. */
PhStatus ph_hide_paths(PhArena *arena, const char *salt, const char *text,
					   const char **out) PH_MUST_CHECK;

/* Paths in what a region is known by; library and file may be NULL. */
PhStatus ph_hide_in_region(PhArena *arena, const char *salt, const char **name,
						   const char **library, const char **file) PH_MUST_CHECK;

/* A host, and where the name of what runs on it tells it; both may be NULL. */
PhStatus ph_hide_host(PhArena *arena, const char *salt, const char **host,
					  const char **name) PH_MUST_CHECK;

/* Names of a profile's regions and columns, one of each, as they are where nothing of theirs is
 * hidden. */
PhStatus ph_hide_code(PhArena *arena, const PhHiding *hiding, const PhProfile *profile,
					  PhCodeNames **out) PH_MUST_CHECK;
PhStatus ph_hide_units(PhArena *arena, const PhHiding *hiding, const PhProfile *profile,
					   PhUnitNames **out) PH_MUST_CHECK;

#endif
