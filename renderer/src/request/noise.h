/*
 * noise.h - what is known of how runs of an experiment vary: which changes are more than that.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_NOISE_H
#define PH_REQUEST_NOISE_H

#include "drawing/page.h"
#include "request/rows.h"

typedef struct PhNoiseRows
{
	const PhTable *names; /* NULL: nothing is known, and every change counts */
	double whole;		  /* by how much single runs vary, as a share */
	double factor;		  /* how many times that two runs differ for certain */
	double least;		  /* share of the whole below which nothing is known of functions */
} PhNoiseRows;

/* Section "noise" with columns name (null: the whole), relative, factor and least_share. */
PhNoiseRows ph_noise_read(const PhViewRows *rows);

/*
 * May a change be noise? Of the function of that name, or of what the whole's noise is asked for
 * (no function's name); whole: what all of the run costs, in the same unit. O(names).
 */
bool ph_noise_explains(const PhNoiseRows *noise, const char *name, double before, double after,
					   double whole);

/* Says in the caption what has no colour, and why; nothing when nothing is known. */
void ph_noise_note(PhArena *arena, PhPage *page, const PhNoiseRows *noise);

#endif
