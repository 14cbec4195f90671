/*
 * args.h - arguments of SQL functions as the core wants them: names to indices, arrays to marks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_ARGS_H
#define PH_SERVER_ARGS_H

#include "postgres.h"

#include "fmgr.h"

#include "profile/profile.h"
#include "supergraph/supergraph.h"

/* Text argument as a C string; NULL when it is null. */
char *ph_arg_text(FunctionCallInfo fcinfo, int argument);

/* Text argument, else this one when it is null. */
const char *ph_arg_text_or(FunctionCallInfo fcinfo, int argument, const char *otherwise);

/* Bigint argument, else this one when it is null. */
int64 ph_arg_bigint_or(FunctionCallInfo fcinfo, int argument, int64 otherwise);

/* Index of the metric that an argument names; null: the primary one. PH002 when unknown. */
uint32 ph_arg_metric(FunctionCallInfo fcinfo, int argument, const PhProfile *profile);
uint32 ph_find_metric(const PhProfile *profile, const char *name);

/* Index of the tree node that an int4 argument numbers. PH002 when there is none. */
uint32 ph_arg_node(FunctionCallInfo fcinfo, int argument, const PhProfile *profile);

/* Index of the supernode that a text argument names. PH002 when there is none. */
uint32 ph_arg_supernode(FunctionCallInfo fcinfo, int argument, const PhSupergraph *graph);

/* "inclusive", "exclusive", "absorbed" or "own"; null: inclusive. 22023 otherwise. */
PhCost ph_arg_cost(FunctionCallInfo fcinfo, int argument);

/* Elements of an int4[] argument: one dimension, no nulls. */
int32 *ph_arg_ints(FunctionCallInfo fcinfo, int argument, int *count);

/* Elements of a text[] argument: one dimension, no nulls. */
char **ph_arg_texts(FunctionCallInfo fcinfo, int argument, int *count);

/* Marks for the columns that an int4[] argument selects, by location or by rank. */
bool *ph_arg_columns(FunctionCallInfo fcinfo, int argument, const PhProfile *profile);
bool *ph_arg_rank_columns(FunctionCallInfo fcinfo, int argument, const PhProfile *profile);
void ph_refuse_no_columns(void); /* ends the call */

#endif
