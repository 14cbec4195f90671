/*
 * gathered.h - what metrics' names tell beyond their values: which one counts calls, and which hold
 * the minimum, maximum and average over ranks of a file that was aggregated over them.
 *
 * Caliper writes such families as "Total time", "Min time/rank", "Max time/rank", "Avg time/rank",
 * "Calls (total)", "Calls/rank (max)", or, without aliases, as chains of operators:
 * "max#sum#time.duration". Minima and maxima within a rank ("max#time.duration") are none.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_GATHERED_H
#define PH_PROFILE_GATHERED_H

#include "profile/profile.h"

#define PH_FAMILY_MAX 64 /* bytes of a family's name with its end; longer names have none */

/* What of a family a metric is; those after PH_PART_TOTAL are over ranks. */
typedef enum PhFamilyPart
{
	PH_PART_TOTAL,
	PH_PART_MIN,
	PH_PART_MAX,
	PH_PART_MEAN
} PhFamilyPart;

/* The family that a metric's name belongs to: "time" of "Max time/rank"; "" when it has none. */
PhFamilyPart ph_metric_family(const char *name, char family[PH_FAMILY_MAX]);

/*
 * How good a name is for the number of calls, 0 best; PH_NONE: it does not count them. Caliper's
 * "count" does not: it is that of snapshots, which the calls below a region add to.
 */
uint32_t ph_names_calls(const char *name);

/* The flow metric that counts calls, or PH_NONE. */
uint32_t ph_profile_visits(const PhProfile *profile);

/* Indices of a family's metrics over ranks, PH_NONE where the profile lacks one. */
typedef struct PhGathered
{
	uint32_t min, max, mean;
	uint32_t n_ranks; /* that the column stands for; 0: unknown */
} PhGathered;

/* How columns that stand for several ranks are named. */
#define PH_GATHERED_COLUMN "mean of %u ranks"

/*
 * Whether the profile is one column for several ranks and has the maximum and the average over them
 * of the metric (or of its family).
 */
bool ph_profile_gathered(const PhProfile *profile, uint32_t metric, PhGathered *out);

/* What a file says of a node over the ranks that it was aggregated over. */
typedef struct PhOverRanks
{
	double min, mean, max; /* min is NaN where the file has none */
	double lost;		   /* (max - mean) * ranks; NaN where their number is unknown */
} PhOverRanks;

PhOverRanks ph_over_ranks(const PhProfile *profile, const PhGathered *gathered, uint32_t node);

#endif
