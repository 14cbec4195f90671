/*
 * kinds.h - what the own time of a call path is spent on, by names and paradigms.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_KINDS_H
#define PH_EXPLAIN_KINDS_H

#include "explain/explain.h"

/* Set kind and part of a node that has its name; paradigm: "mpi", "openmp", …, "": unknown. */
void ph_explain_classify(PhExplainNode *node, const char *paradigm);

#endif
