/*
 * fn_unit.c - what units mean.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "base/unit.h"
#include "server/args.h"
#include "server/compat.h"

PH_FUNCTION(ph_unit_dimension)
{
	PhUnitMeaning meaning;
	if (!ph_unit_meaning(ph_arg_text(fcinfo, 0), &meaning))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(meaning.dimension));
}

PH_FUNCTION(ph_unit_factor_of)
{
	const char *unit = ph_arg_text(fcinfo, 0);
	const char *to = ph_arg_text(fcinfo, 1);
	PhUnitMeaning meaning;
	double factor;
	if (unit == NULL)
		PG_RETURN_NULL();
	bool is_known = ph_unit_meaning(unit, &meaning);
	if (to == NULL && is_known)
		PG_RETURN_FLOAT8(meaning.factor);
	if (to == NULL || !ph_unit_factor(unit, to, &factor))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(factor);
}
