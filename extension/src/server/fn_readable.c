/*
 * fn_readable.c - values with their units and names of functions as sentences have them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "base/short_name.h"
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

PH_FUNCTION(ph_short_name);
Datum
ph_short_name(PG_FUNCTION_ARGS)
{
	text *name = PG_GETARG_TEXT_PP(0);
	size_t length = VARSIZE_ANY_EXHDR(name);
	text *out = palloc(VARHDRSZ + 2 * length);
	size_t n = ph_demangled(VARDATA_ANY(name), length, VARDATA(out));

	SET_VARSIZE(out, VARHDRSZ + ph_without_parameters(VARDATA(out), n, VARDATA(out)));
	PG_RETURN_TEXT_P(out);
}
