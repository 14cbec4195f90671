/*
 * counters.h - what a counter of Darshan says: of which operation on the file, in which metric.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_DARSHAN_COUNTERS_H
#define PH_READERS_DARSHAN_COUNTERS_H

#include "profile/parts.h"
#include "readers/slice.h"

#define PH_DARSHAN_NAME_MAX 48 /* bytes of a metric's name, with its NUL */

/* Of each metric; counts over size classes and the like are told apart by their names. */
typedef struct PhDarshanPlace
{
	const char *group;	   /* "read"; NULL: the file itself */
	const char *operation; /* below the group: "collective read"; NULL: the group itself */
	char metric[PH_DARSHAN_NAME_MAX];
	const char *unit;
	PhMetricKind kind;
	PhCombine combine; /* of PH_METRIC_VALUE */
} PhDarshanPlace;

/* Where counters of such a module begin: "POSIX_"; NULL: it has none that are read. */
const char *ph_darshan_prefix(PhSlice module);

/* name: without its prefix. False: it is a property, not a cost. */
bool ph_darshan_place(PhSlice name, PhDarshanPlace *out);

#endif
