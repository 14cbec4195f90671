/*
 * fn_explain.c - why runs take longer than others, as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/lsyscache.h"

#include "explain/from_profiles.h"
#include "explain/known.h"
#include "explain/sentence.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "server/rowio.h"

typedef struct Sides
{
	PhScratch *scratch;
	uint32 n;
	const PhProfile **profiles; /* side A, then side B */
	bool *is_after;
	const char *unit;
	PhExplainCube cube;
	PhExplained explained;
} Sides;

static ArrayType *
arg_profiles(FunctionCallInfo fcinfo, int argument)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("profiles to explain come in arrays of one dimension without nulls")));
	return array;
}

/* Append the profiles of one side. */
static void
take_side(Sides *sides, ArrayType *array, bool is_after)
{
	Oid type = ARR_ELEMTYPE(array);
	Datum *values;
	int16 length;
	bool by_value;
	char align;
	int n;
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &values, NULL, &n);
	for (int i = 0; i < n; i++)
	{
		sides->profiles[sides->n] = ph_value_of(values[i], PH_VALUE_PROFILE)->profile;
		sides->is_after[sides->n++] = is_after;
	}
}

/* Arguments from 3 on: call paths, how far they scatter, how well that is known. */
static void
take_known(FunctionCallInfo fcinfo, Sides *sides)
{
	int n;
	uint32 n_spreads, n_degrees;
	char **paths = ph_arg_texts(fcinfo, 3, &n);
	double *spreads = ph_arg_numbers(fcinfo, 4, &n_spreads);
	double *degrees = ph_arg_numbers(fcinfo, 5, &n_degrees);
	PhArena *arena = &sides->scratch->arena;
	PhKnownPath *known;
	if (n_spreads != (uint32) n || n_degrees != (uint32) n)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("what is known of call paths has a spread and degrees of freedom for each")));
	PH_CHECK(arena->env, PH_NEW(arena, n, &known));
	for (int i = 0; i < n; i++)
		known[i] = (PhKnownPath){paths[i], {spreads[i], degrees[i]}};
	PH_CHECK(arena->env, ph_explain_know(arena, (uint32) n, known, &sides->cube));
}

/* Arguments: profiles of A and of B, margin, what is known. */
static void
explain_sides(FunctionCallInfo fcinfo, Sides *sides)
{
	ArrayType *a = arg_profiles(fcinfo, 0);
	ArrayType *b = arg_profiles(fcinfo, 1);
	int n = ArrayGetNItems(ARR_NDIM(a), ARR_DIMS(a)) + ArrayGetNItems(ARR_NDIM(b), ARR_DIMS(b));
	PhScratch *scratch = ph_scratch_begin();
	double margin = PG_GETARG_FLOAT8(2);
	if (!(margin >= 0 && margin < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a margin is a share from 0 to below 1")));
	*sides = (Sides){.scratch = scratch};
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &sides->profiles));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &sides->is_after));
	take_side(sides, a, false);
	take_side(sides, b, true);
	PH_CHECK(&scratch->env, ph_explain_cube(&scratch->arena, sides->n, sides->profiles,
											sides->is_after, &sides->cube));
	take_known(fcinfo, sides);
	PH_CHECK(&scratch->env, ph_explain(&scratch->arena, &sides->cube, margin, &sides->explained));
	sides->unit = ph_profile_string(sides->profiles[0], sides->profiles[0]->metrics[0].unit);
}

/* The first row: the runs as a whole. */
static void
put_whole(PhRows *rows, Sides *sides)
{
	static const char *const none[] = {"shape", "cause",	 "path",  "units",	   "shared",
									   "work",	"work_kind", "score", "confidence"};
	const PhRepeatTest *total = &sides->explained.total;
	char *sentence;
	PH_CHECK(&sides->scratch->env, ph_explained_sentence(&sides->scratch->arena, &sides->explained,
														 sides->unit, &sentence));
	ph_rows_int(rows, "finding", 0);
	ph_rows_text(rows, "verdict", ph_verdict_name(total->verdict));
	ph_rows_number(rows, "effect", total->difference);
	ph_rows_number(rows, "share", total->relative);
	ph_rows_number(rows, "noise", sides->explained.noise);
	for (size_t i = 0; i < lengthof(none); i++)
		ph_rows_null(rows, none[i]);
	ph_rows_text(rows, "sentence", sentence);
	ph_rows_put(rows);
}

static void
put_finding(PhRows *rows, Sides *sides, uint32 index)
{
	const PhFinding *finding = &sides->explained.findings[index];
	PhArena *arena = &sides->scratch->arena;
	char *places, *path, *sentence;
	PH_CHECK(arena->env, ph_finding_places(arena, &sides->cube, finding, &places));
	PH_CHECK(arena->env, ph_finding_path(arena, &sides->cube, finding->node, &path));
	PH_CHECK(arena->env, ph_finding_sentence(arena, &sides->cube, finding, sides->unit, &sentence));
	ph_rows_int(rows, "finding", (int32) index + 1);
	ph_rows_null(rows, "verdict");
	ph_rows_number(rows, "effect", finding->effect);
	ph_rows_number(rows, "share", finding->share);
	ph_rows_null(rows, "noise");
	ph_rows_text(rows, "shape", ph_shape_name(finding->shape));
	ph_rows_text(rows, "cause", ph_cause_name(finding->cause, finding->effect < 0));
	ph_rows_text(rows, "path", path);
	ph_rows_name(rows, "units", places);
	ph_rows_name(rows, "shared", ph_shared_name(finding->shared));
	ph_rows_number(rows, "work", finding->work);
	ph_rows_text(rows, "work_kind",
				 finding->work_kind == PH_WORK_COUNT ? NULL : ph_work_name(finding->work_kind));
	ph_rows_number(rows, "score", finding->score);
	ph_rows_text(rows, "confidence", ph_confidence_name(finding->confidence));
	ph_rows_text(rows, "sentence", sentence);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_explain_profiles)
{
	PhRows rows;
	Sides sides;
	ph_rows_begin(&rows, fcinfo);
	explain_sides(fcinfo, &sides);
	put_whole(&rows, &sides);
	for (uint32 i = 0; i < sides.explained.n_findings; i++)
		put_finding(&rows, &sides, i);
	ph_scratch_end(sides.scratch);
	return (Datum) 0;
}
