/*
 * fn_readable.c - values with their units as sentences have them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "base/unit.h"
#include "server/args.h"
#include "server/compat.h"

PH_FUNCTION(ph_readable);
Datum
ph_readable(PG_FUNCTION_ARGS)
{
	double value = PG_GETARG_FLOAT8(0), factor;
	const char *unit = ph_unit_readable(ph_arg_text(fcinfo, 1), fabs(value), &factor);

	/* three digits that count; "1e+03" of larger numbers is for machines */
	double shown = value * factor;
	PG_RETURN_TEXT_P(cstring_to_text(psprintf(fabs(shown) >= 1000 ? "%.0f%s%s" : "%.3g%s%s", shown,
											  unit[0] == '\0' ? "" : " ", unit)));
}
