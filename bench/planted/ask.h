/*
 * ask.h - a setup's runs as profiles, explained by perfhouse; answers and what is true as JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PLANTED_ASK_H
#define PLANTED_ASK_H

#include <stdio.h>

#include "simulate.h"

/* A line {"case": number, "findings": [...]}: what the README asks of tools. */
PhStatus answer_case(PhArena *arena, const Setup *setup, uint32_t number, const Run *runs,
					 FILE *out) PH_MUST_CHECK;

/* A line of what is true: what was planted, and which answers are right. */
PhStatus write_truth(PhArena *arena, const Setup *setup, uint32_t number, FILE *out) PH_MUST_CHECK;

/* A run as CSV: path, rank, thread, host, iteration and the metrics that are recorded. */
PhStatus write_run(PhArena *arena, const Setup *setup, const Run *run, bool is_first_side,
				   FILE *out) PH_MUST_CHECK;

#endif
