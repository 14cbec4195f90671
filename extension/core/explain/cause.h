/*
 * cause.h - whether more was done, or the same took longer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_CAUSE_H
#define PH_EXPLAIN_CAUSE_H

#include "explain/explain.h"

/* Where the time of a finding grew. */
typedef struct PhGrowth
{
	PhExplainKind kind; /* of the call paths */
	double amount;		/* of all units, or of those that are in, together */
	const bool *is_in;	/* by unit; NULL: all of them */
	double usual; /* by what factor time grew everywhere else: so much more work is no cause; 0:
					 unknown */
} PhGrowth;

/* Whether `work` times as much work explains half of what took longer by amount, in logarithms. */
bool ph_work_explains(double work, double before, double amount);

/*
 * Fill a finding's cause, work and work_kind. More work is a cause when it explains half of the
 * growth of time; of single units the work that the others have more, too, is no cause.
 */
PhStatus ph_explain_cause(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
						  const PhGrowth *growth, PhFinding *finding) PH_MUST_CHECK;

/*
 * Which of the units of a finding (growth->is_in) have more work, by what a unit of them took
 * longer in the middle. false everywhere where nothing counts work.
 */
PhStatus ph_explain_units_with_more(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
									const PhGrowth *growth, uint32_t node,
									bool *has_more) PH_MUST_CHECK;

#endif
