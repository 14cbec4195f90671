/*
 * extension_builds.h - the versions of the extension that this program knows; generated from sql/
 * by tests/lib/embed-builds.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_EXTENSION_BUILDS_H
#define PH_DATABASE_EXTENSION_BUILDS_H

#include <stddef.h>

typedef struct PhExtensionBuild
{
	const char *version;
	const char *build;	 /* what its perfhouse_build() says */
	const char *renewal; /* SQL that brings any other build of the version up to this one */
} PhExtensionBuild;

/* Releases in their order, then this program's own. */
extern const PhExtensionBuild ph_extension_builds[];
extern const size_t ph_n_extension_builds;

/* Views and functions that releases made beside the extension: "VIEW perfhouse.event", a line each.
 */
extern const char ph_released_definitions[];

/* Files of sql/schema that releases applied: "010-views"; NULL ends them. */
extern const char *const ph_released_files[];

#endif
