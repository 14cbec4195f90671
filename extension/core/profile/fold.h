/*
 * fold.h - sums and ensembles of more profiles than fit into memory: what came so far as one
 * profile.
 *
 * A partial sum is exact: beside the rounded value of every cell it has what rounding lost, in as
 * many arrays as are needed (two doubles hold most sums). So the result has the same bits whatever
 * was folded together when, and as ph_profile_sum has of all profiles at once. Its size depends on
 * the union of the trees and not on the number of profiles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_FOLD_H
#define PH_PROFILE_FOLD_H

#include "profile/profile.h"
#include "profile/unify.h"

#define PH_MOST_RESTS 43 /* all bits of doubles; see PhExactSum */

/* Beside one of a metric's arrays, cell by cell; NULL: zeros. */
typedef struct PhFolded
{
	uint32_t n_rests;
	double *rests[PH_MOST_RESTS]; /* added to the values: the exact sum */
	double *counts;				  /* of metrics that are no flow: values that are not NaN */
} PhFolded;

/* Everything dies with the profile. */
typedef struct PhPartial
{
	PhProfile *profile;	   /* NULL: of no profiles */
	uint32_t n;			   /* profiles in it */
	uint32_t *least_index; /* [metric]: the least that it has in any of them, for the order */
	PhFolded *folded;	   /* [metric * PH_ARRAY_COUNT + array]; NULL: of an ensemble */
} PhPartial;

/* What is added up: partial sums (those of no profiles do not count), then profiles. */
typedef struct PhSummands
{
	uint32_t n_partials;
	const PhPartial *partials;
	uint32_t n_profiles;
	const PhProfile *const *profiles;
} PhSummands;

/*
 * The exact sum of all. columns: of partials and of this sum; PH_UNION_MATCH leaves out->profile
 * NULL when the columns are not the same, and only sums of means can go on.
 */
PhStatus ph_profile_fold(PhEnv *env, const PhSummands *in, PhUnionColumns columns,
						 PhPartial *out) PH_MUST_CHECK;

/* Sum or mean of all, rounded; *out is NULL as with ph_profile_fold. */
PhStatus ph_profile_fold_end(PhEnv *env, const PhSummands *in, PhUnionColumns columns, bool mean,
							 PhProfile **out) PH_MUST_CHECK;

/*
 * An ensemble with the columns of more profiles behind those that it has (before->profile NULL:
 * none). is_last: as ph_profile_ensemble gives it of all; n may be 0 then.
 */
PhStatus ph_ensemble_fold(PhEnv *env, const PhPartial *before, uint32_t n,
						  const PhProfile *const *profiles, const char *const *labels, bool is_last,
						  PhPartial *out) PH_MUST_CHECK;

/* A partial sum of something, no ensemble, as bytes for another process. */
PhStatus ph_partial_flat_size(PhEnv *env, const PhPartial *partial, size_t *out) PH_MUST_CHECK;
PhStatus ph_partial_flatten(PhEnv *env, const PhPartial *partial, uint8_t *out) PH_MUST_CHECK;
PhStatus ph_partial_unflatten(PhEnv *env, const uint8_t *bytes, size_t size,
							  PhPartial *out) PH_MUST_CHECK;

#endif
