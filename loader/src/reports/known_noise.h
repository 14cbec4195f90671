/*
 * known_noise.h - how far runs of a stored run's experiment scatter, as loads keep it up to date.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_KNOWN_NOISE_H
#define PH_REPORTS_KNOWN_NOISE_H

#include "database/pq.h"

typedef struct PhKnownNoise
{
	char *metric;			/* the experiment's primary one, of which it is known */
	double spread, degrees; /* as a share of the level; how well it is known */
	int64_t n_runs;			/* 0: nothing is known */
} PhKnownNoise;

/* metric: the one that it is asked for; NULL: the primary one. false: the query failed. */
bool ph_known_noise_fetch(PhConnection *connection, int64_t run, const char *metric,
						  PhKnownNoise *out);
void ph_known_noise_free(PhKnownNoise *noise);

#endif
