/*
 * sentence.c - see sentence.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/short_name.h"
#include "base/str.h"
#include "base/unit.h"

#define RANGES_SHOWN 6
#define PATH_DEPTH 256 /* levels that are shown; deeper paths begin with "…" */

/* ---- places ---- */

/* Number of a place for people: an iteration, a rank, or, where there are none, a thread. */
static int64_t
number_of(const PhExplainCube *cube, const PhFinding *finding, uint32_t at)
{
	uint32_t place = finding->places[at];

	if (finding->shape == PH_SHAPE_SOME_ITERATIONS)
		return cube->steps[place];
	if (cube->units[place].rank >= 0)
		return cube->units[place].rank;
	return cube->units[place].thread >= 0 ? cube->units[place].thread : (int64_t) place;
}

static bool
has_rank(const PhExplainCube *cube, const PhFinding *finding)
{
	return finding->shape != PH_SHAPE_SOME_ITERATIONS && cube->units[finding->places[0]].rank >= 0;
}

static int32_t
thread_of(const PhExplainCube *cube, const PhFinding *finding, uint32_t at)
{
	return finding->shape == PH_SHAPE_SOME_ITERATIONS ? -1
													  : cube->units[finding->places[at]].thread;
}

/* Whether threads must be named: not all units are the only one of their rank. */
static bool
has_threads(const PhExplainCube *cube)
{
	for (uint32_t unit = 0; unit < cube->n_units; unit++)
		if (cube->units[unit].thread > 0)
			return true;
	return false;
}

static const char *
word_of(const PhExplainCube *cube, const PhFinding *finding)
{
	bool is_one = finding->n_places == 1;

	if (finding->shape == PH_SHAPE_SOME_ITERATIONS)
		return is_one ? "iteration" : "iterations";
	if (has_rank(cube, finding))
		return is_one ? "rank" : "ranks";
	if (thread_of(cube, finding, 0) >= 0)
		return is_one ? "thread" : "threads";
	return is_one ? "unit" : "units";
}

static PhStatus
put_single(PhStr *text, const PhExplainCube *cube, const PhFinding *finding, uint32_t at)
{
	PH_TRY(ph_str_printf(text, "%s%" PRId64, at == 0 ? " " : ", ", number_of(cube, finding, at)));
	return ph_str_printf(text, " thread %d", thread_of(cube, finding, at));
}

/* Neighbours as ranges; what is behind the last one that is shown is counted. */
static PhStatus
put_ranges(PhStr *text, const PhExplainCube *cube, const PhFinding *finding)
{
	uint32_t shown = 0;

	for (uint32_t at = 0; at < finding->n_places; shown++)
	{
		uint32_t end = at + 1;
		int64_t first = number_of(cube, finding, at);

		if (shown == RANGES_SHOWN)
			return ph_str_printf(text, " and %u more", finding->n_places - at);
		while (end < finding->n_places && number_of(cube, finding, end) == first + (end - at))
			end++;
		PH_TRY(ph_str_printf(text, "%s%" PRId64, at == 0 ? " " : ", ", first));
		if (end - at > 1)
			PH_TRY(ph_str_printf(text, "-%" PRId64, first + (end - at) - 1));
		at = end;
	}
	return PH_OK;
}

PhStatus
ph_finding_places(PhArena *arena, const PhExplainCube *cube, const PhFinding *finding, char **out)
{
	PhStr text;

	ph_str_init(&text, arena);
	if (finding->n_places > 0)
		PH_TRY(ph_str_append(&text, word_of(cube, finding)));
	if (finding->n_places > 0 && has_rank(cube, finding) && has_threads(cube))
	{
		for (uint32_t at = 0; at < finding->n_places && at < RANGES_SHOWN; at++)
			PH_TRY(put_single(&text, cube, finding, at));
		if (finding->n_places > RANGES_SHOWN)
			PH_TRY(ph_str_printf(&text, " and %u more", finding->n_places - RANGES_SHOWN));
	}
	else
		PH_TRY(put_ranges(&text, cube, finding));
	return ph_str_take(&text, out);
}

PhStatus
ph_finding_path(PhArena *arena, const PhExplainCube *cube, uint32_t node, char **out)
{
	uint32_t chain[PATH_DEPTH], n = 0;
	PhStr text;

	ph_str_init(&text, arena);
	for (; node != PH_NONE && n < PATH_DEPTH; node = cube->nodes[node].parent)
		chain[n++] = node;
	if (node != PH_NONE)
		PH_TRY(ph_str_append(&text, "…/"));
	while (n-- > 0)
		PH_TRY(ph_str_printf(&text, "%s%s", cube->nodes[chain[n]].name, n > 0 ? "/" : ""));
	return ph_str_take(&text, out);
}

/* ---- sentences ---- */

static PhStatus
put_amount(PhStr *text, double value, const char *unit)
{
	double factor;
	const char *readable = ph_unit_readable(unit, fabs(value), &factor);

	return ph_str_printf(text, readable[0] == '\0' ? "%.3g%s" : "%.3g %s", fabs(value) * factor,
						 readable);
}

static PhStatus
put_units(PhStr *text, const PhExplainCube *cube, const PhFinding *finding)
{
	char *places;

	if (finding->n_places == 0)
		return PH_OK;
	PH_TRY(ph_finding_places(text->arena, cube, finding, &places));
	PH_TRY(ph_str_printf(text, finding->shape == PH_SHAPE_SOME_ITERATIONS ? " in %s" : " on %s",
						 places));
	switch (finding->shared)
	{
		case PH_SHARED_HOST:
			return ph_str_printf(text, " (all of host %s%s)", cube->units[finding->places[0]].host,
								 strcmp(cube->units[finding->places[0]].host,
										cube->units[finding->places[finding->n_places - 1]].host) ==
										 0
									 ? ""
									 : " and others");
		case PH_SHARED_EVEN_RANKS:
			return ph_str_append(text, " (all even ranks)");
		case PH_SHARED_ODD_RANKS:
			return ph_str_append(text, " (all odd ranks)");
		default:
			return PH_OK;
	}
}

#define TIMES 3 /* "29.5 times as many", but "27 % more" */

/* What was done, and what follows from it. */
static PhStatus
put_cause(PhStr *text, const PhFinding *finding)
{
	static const char *const kinds[PH_CAUSE_COUNT] = {
		"",
		"the same work",
		"in calls that wait",
		"not in waiting for a slower rank",
		"in reading and writing",
		"on the device",
		"nothing is recorded of how much was done there"};
	double more = finding->work - 1;

	if (finding->cause == PH_CAUSE_MORE_WORK && isinf(finding->work))
		return ph_str_printf(text, ": it was not there before");
	if (finding->cause == PH_CAUSE_MORE_WORK && finding->work >= TIMES)
		return ph_str_printf(text, ": %.3g times as many %s", finding->work,
							 ph_work_name(finding->work_kind));
	if (finding->cause == PH_CAUSE_MORE_WORK)
		return ph_str_printf(text, ": %.3g %% %s %s", 100 * fabs(more), more > 0 ? "more" : "fewer",
							 ph_work_name(finding->work_kind));
	PH_TRY(ph_str_printf(text, ": %s", kinds[finding->cause]));
	if (isnan(finding->work) || finding->cause == PH_CAUSE_UNKNOWN)
		return PH_OK;
	return ph_str_printf(text, " (%s: %+.1f %%)", ph_work_name(finding->work_kind), 100 * more);
}

PhStatus
ph_finding_sentence(PhArena *arena, const PhExplainCube *cube, const PhFinding *finding,
					const char *unit, char **out)
{
	bool is_faster = finding->effect < 0;
	char *path, *words;
	PhStr text;

	ph_str_init(&text, arena);
	PH_TRY(ph_finding_path(arena, cube, finding->node, &path));
	PH_TRY(PH_NEW(arena, 2 * strlen(path) + 1, &words));
	words[ph_without_parameters(words, ph_demangled(path, strlen(path), words), words)] = '\0';
	PH_TRY(ph_str_printf(&text, "%s takes ", words));
	PH_TRY(put_amount(&text, finding->effect, unit));
	PH_TRY(ph_str_printf(&text, " %s (%.1f %% of the run)", is_faster ? "less" : "more",
						 100 * fabs(finding->share)));
	PH_TRY(put_units(&text, cube, finding));
	if (finding->n_alike > 0)
		PH_TRY(ph_str_printf(&text, ", in %u call paths of these names", finding->n_alike + 1));
	PH_TRY(ph_str_printf(&text, ", %s", ph_cause_name(finding->cause, is_faster)));
	PH_TRY(put_cause(&text, finding));
	PH_TRY(ph_str_append(&text, "."));
	return ph_str_take(&text, out);
}

static PhStatus
put_more_runs(PhStr *text, const PhRepeatTest *test)
{
	if (test->verdict != PH_VERDICT_UNKNOWN)
		return PH_OK;
	if (isnan(test->low) || test->repeats_needed == PH_MIN_REPEATS)
		return ph_str_printf(text,
							 " %zu and %zu runs are too few to tell a change of the whole from "
							 "noise: %d on each side are the least.",
							 test->n_a, test->n_b, PH_MIN_REPEATS);
	if (test->repeats_needed == SIZE_MAX)
		return ph_str_append(text, " More runs alone will hardly settle it.");
	return ph_str_printf(text, " About %zu runs on each side would settle it.",
						 test->repeats_needed);
}

PhStatus
ph_explained_sentence(PhArena *arena, const PhExplained *explained, const char *unit, char **out)
{
	const PhRepeatTest *test = &explained->total;
	PhStr text;

	ph_str_init(&text, arena);
	if (test->verdict == PH_VERDICT_UNKNOWN)
		PH_TRY(ph_str_append(&text, "Whether the runs differ is not known: "));
	else
		PH_TRY(ph_str_printf(&text, "The runs are %s: ",
							 test->verdict == PH_VERDICT_SAME ? "as fast as before"
															  : ph_verdict_name(test->verdict)));
	PH_TRY(put_amount(&text, test->mean_b, unit));
	PH_TRY(ph_str_append(&text, " against "));
	PH_TRY(put_amount(&text, test->mean_a, unit));
	PH_TRY(ph_str_printf(&text, " (%+.1f %%)", 100 * test->relative));
	if (!isnan(explained->noise))
		PH_TRY(ph_str_printf(&text, ", where single runs vary by %.1f %%", 100 * explained->noise));
	PH_TRY(ph_str_append(&text, "."));
	PH_TRY(put_more_runs(&text, test));
	return ph_str_take(&text, out);
}
