/*
 * score.c - see score.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 0.02
#define MOST_UP 2

typedef enum Grade
{
	GRADE_RIGHT,
	GRADE_UNKNOWN,
	GRADE_SHAPE,
	GRADE_CAUSE,
	GRADE_PATH,
	GRADE_UNITS
} Grade;

static bool
is_near_ancestor(const Case *made, uint32_t node, uint32_t of)
{
	for (int up = 0; up <= MOST_UP && of != PH_NONE; up++, of = made->nodes[of].parent)
		if (node == of)
			return true;
	return false;
}

static Grade
grade(const Case *made, const PhExplained *explained)
{
	const Answer *answer = &made->answer;
	const PhFinding *first = explained->findings;

	if (explained->n_findings == 0 || first->cause == PH_CAUSE_UNKNOWN)
		return GRADE_UNKNOWN;
	if (first->shape != answer->shape)
		return GRADE_SHAPE;
	if (first->cause != answer->cause)
		return GRADE_CAUSE;
	if (!is_near_ancestor(made, first->node, answer->node))
		return GRADE_PATH;
	if (first->n_places != answer->n_places ||
		memcmp(first->places, answer->places, answer->n_places * sizeof(*answer->places)) != 0)
		return GRADE_UNITS;
	return GRADE_RIGHT;
}

static void
tell(const Case *made, const PhExplained *explained, Grade got)
{
	static const char *const grades[] = {"right", "unknown", "shape", "cause", "path", "units"};

	printf("# %s: %s (%.3f) second %s; %u units; answer %s, %s, %s, %u places\n", grades[got],
		   planted_name(made->planted), made->effect, planted_name(made->second),
		   made->cube.n_units, ph_shape_name(made->answer.shape),
		   ph_cause_name(made->answer.cause, false), made->nodes[made->answer.node].name,
		   made->answer.n_places);
	for (uint32_t i = 0; i < explained->n_findings; i++)
	{
		const PhFinding *finding = &explained->findings[i];

		printf("#    %s, %s, %s, %u places, share %.3f, score %.1f, noise %.3f\n",
			   ph_shape_name(finding->shape), ph_cause_name(finding->cause, finding->effect < 0),
			   made->nodes[finding->node].name, finding->n_places, finding->share, finding->score,
			   explained->noise);
	}
}

void
score_explained(const Case *made, bool tells, Tally *tally)
{
	PhEnv env;
	PhArena arena;
	PhExplained explained = {0};
	Grade got;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	if (ph_explain(&arena, &made->cube, MARGIN, &explained) != PH_OK)
	{
		fprintf(stderr, "causes: %s\n", env.error.message);
		exit(1);
	}
	got = made->planted == PLANTED_NOTHING ? (explained.n_findings == 0 ? GRADE_RIGHT : GRADE_SHAPE)
										   : grade(made, &explained);
	tally->n++;
	tally->of[made->planted]++;
	tally->right_of[made->planted] += got == GRADE_RIGHT;
	tally->n_right += got == GRADE_RIGHT;
	tally->n_unknown += got == GRADE_UNKNOWN;
	tally->n_wrong += got > GRADE_UNKNOWN;
	tally->wrong_shape += got == GRADE_SHAPE;
	tally->wrong_cause += got == GRADE_CAUSE;
	tally->wrong_path += got == GRADE_PATH;
	tally->wrong_units += got == GRADE_UNITS;
	if (tells && got != GRADE_RIGHT)
		tell(made, &explained, got);
	ph_arena_drop(&arena);
}

static double
share(uint32_t part, uint32_t whole)
{
	return whole == 0 ? 0 : 100.0 * part / whole;
}

void
score_print(double variation, const Tally *planted, const Tally *unchanged)
{
	int percent = (int) (100 * variation + 0.5);

	printf("cases %d\t%u\n", percent, planted->n);
	printf("right %d\t%.2f\n", percent, share(planted->n_right, planted->n));
	printf("unknown %d\t%.2f\n", percent, share(planted->n_unknown, planted->n));
	printf("wrong %d\t%.2f\n", percent, share(planted->n_wrong, planted->n));
	printf("wrong shape %d\t%u\nwrong cause %d\t%u\nwrong path %d\t%u\nwrong units %d\t%u\n",
		   percent, planted->wrong_shape, percent, planted->wrong_cause, percent,
		   planted->wrong_path, percent, planted->wrong_units);
	for (int kind = 1; kind < PLANTED_COUNT; kind++)
		printf("right %d %s\t%.1f\n", percent, planted_name((Planted) kind),
			   share(planted->right_of[kind], planted->of[kind]));
	printf("found in unchanged pairs %d\t%.2f\n", percent,
		   share(unchanged->n - unchanged->n_right, unchanged->n));
}
