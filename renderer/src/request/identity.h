/*
 * identity.h - what pictures call the runs and metrics that they show, from rows that all views
 * have alike.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_IDENTITY_H
#define PH_REQUEST_IDENTITY_H

#include "request/rows.h"

/* "run 3 (lulesh) · 8 ranks · time, mean over ranks"; section: "run" or "run_b". */
const char *ph_run_identity(PhArena *arena, const PhViewRows *rows, const char *section,
							const char *reduction);
/* The same of two runs: "A: run 3 ... B: run 4 ...". */
const char *ph_compared_identity(PhArena *arena, const PhViewRows *rows);
/* The query of the user that the picture is of, on one line; NULL: it is of runs. It stands in both
 * of the above then. */
const char *ph_query_shown(const PhViewRows *rows);
/* Short name of a run: "run 3 (lulesh)". */
const char *ph_run_name(PhArena *arena, const PhViewRows *rows, const char *section);
/* What a run counts as ranks: "rank", or "processor" in runs of tasks. */
const char *ph_rank_word(const PhViewRows *rows, const char *section);
/* What the columns of a run's profile are: "rank", "thread", "processor"; "column" where that is
 * not known, or where iterations are columns of their own. */
const char *ph_column_word(const PhViewRows *rows, const char *section);
/* A reduction that ends in "column" or "columns" with that word instead. */
const char *ph_reduction_text(PhArena *arena, const PhViewRows *rows, const char *section,
							  const char *reduction);
/* Unit and name of the i-th metric; unit NULL when unknown. */
const char *ph_metric_unit(const PhViewRows *rows, uint32_t i);
/* Name without its unit in brackets: "CPUTIME" of "CPUTIME (usec)". */
const char *ph_metric_name(PhArena *arena, const PhViewRows *rows, uint32_t i);
/* Text of a section "caption", or NULL. */
const char *ph_caption_text(const PhViewRows *rows, const char *section);

#endif
