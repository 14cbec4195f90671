/*
 * score.h - how good answers are.
 *
 * Right: shape, cause and exactly the units or iterations that were planted, and the call path or
 * an ancestor at most two levels up. Only the first finding counts. No finding, or one whose cause
 * is unknown, is "unknown"; everything else is wrong.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef BENCH_CAUSES_SCORE_H
#define BENCH_CAUSES_SCORE_H

#include "cases.h"

typedef struct Tally
{
	uint32_t n, n_right, n_unknown, n_wrong;
	uint32_t wrong_shape, wrong_cause, wrong_path, wrong_units; /* the first that is wrong */
	uint32_t of[PLANTED_COUNT], right_of[PLANTED_COUNT];
} Tally;

/* Explain a case with the project's rules; tells: print cases that are not right. */
void score_explained(const Case *made, bool tells, Tally *tally);

/* Rows of one variation: cases with a cause, and pairs without one. */
void score_print(double variation, const Tally *planted, const Tally *unchanged);

/* Judge a file of answers; 0 when it could be read. */
int score_files(const char *answers, const char *given);

#endif
