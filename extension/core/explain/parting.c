/*
 * parting.c - see parting.h.
 *
 * Ranks that are slow for two reasons are one group by their times when both cost about as much.
 * What parts them is what was counted, and that a slow machine slows all of its ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/parting.h"

#include "explain/cause.h"

/* Hosts that drawn ranks would fill for no reason: who does as much work as before is on a slow
 * machine more likely than drawn; where work was not counted it may as well be uneven. */
#define MOST_WHOLE_OF_SLOW 0.5
#define MOST_WHOLE_OF_UNKNOWN 0.05

/* Those who are in and marked, or in and not marked. */
typedef struct Part
{
	double *changes;
	uint32_t n;
	double median;
} Part;

static PhStatus
measure_part(PhArena *arena, const PhSearch *search, const PhExplainCandidate *candidate,
			 const bool *marks, bool wanted, Part *out)
{
	const PhExplainAxis *axis = search->axis;
	const double *change = axis->change + (size_t) candidate->node * axis->n_places;

	*out = (Part){0};
	PH_TRY(PH_NEW(arena, axis->n_places, &out->changes));
	for (uint32_t unit = 0; unit < axis->n_places; unit++)
		if (candidate->is_in[unit] && marks[unit] == wanted)
			out->changes[out->n++] = change[unit];
	out->median = ph_explain_median(out->changes, out->n);
	return PH_OK;
}

/* Keep the part that took longer, of equal ones the larger. */
static PhStatus
keep_larger(PhArena *arena, const PhSearch *search, const bool *marks,
			PhExplainCandidate *candidate)
{
	Part parts[2];
	bool kept;

	PH_TRY(measure_part(arena, search, candidate, marks, false, &parts[0]));
	PH_TRY(measure_part(arena, search, candidate, marks, true, &parts[1]));
	if (parts[0].n == 0 || parts[1].n == 0)
		return PH_OK;
	kept = parts[0].median != parts[1].median ? parts[1].median > parts[0].median
											  : parts[1].n > parts[0].n;
	for (uint32_t unit = 0; unit < search->axis->n_places; unit++)
		candidate->is_in[unit] = candidate->is_in[unit] && marks[unit] == kept;
	return ph_candidate_measure(arena, search, candidate);
}

PhStatus
ph_candidate_part(PhArena *arena, const PhSearch *search, const PhExplainCube *cube,
				  PhExplainKind kind, PhExplainCandidate *candidate)
{
	PhGrowth growth = {kind, candidate->contrast * candidate->n_in, candidate->is_in, 0};
	PhFinding finding = {.node = candidate->node};
	bool *marks;

	PH_TRY(PH_NEW(arena, cube->n_units, &marks));
	PH_TRY(ph_explain_units_with_more(arena, cube, search->axis->is_after, &growth, candidate->node,
									  marks));
	PH_TRY(keep_larger(arena, search, marks, candidate));
	growth.amount = candidate->contrast * candidate->n_in;
	finding.node = candidate->node;
	PH_TRY(ph_explain_cause(arena, cube, search->axis->is_after, &growth, &finding));
	if (finding.cause == PH_CAUSE_MORE_WORK)
		return PH_OK;
	PH_TRY(ph_units_on_whole_hosts(arena, search->hosts,
								   finding.cause == PH_CAUSE_UNKNOWN ? MOST_WHOLE_OF_UNKNOWN
																	 : MOST_WHOLE_OF_SLOW,
								   candidate->is_in, marks));
	return keep_larger(arena, search, marks, candidate);
}
