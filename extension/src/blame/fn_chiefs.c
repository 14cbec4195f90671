/*
 * fn_chiefs.c - who stands out among numbers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "blame/chiefs.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"

/* Positions from 1 on. */
PH_FUNCTION(ph_chiefs_of_amounts)
{
	uint32 n, n_chiefs, found = 0;
	double *amounts = ph_arg_numbers(fcinfo, 0, &n);
	PhScratch *scratch = ph_scratch_begin();
	bool *is_chief;
	for (uint32 i = 0; i < n; i++)
		if (!(amounts[i] >= 0)) /* nulls are NaN */
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("amounts are numbers of 0 or more")));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &is_chief));
	PH_CHECK(&scratch->env, ph_chiefs(&scratch->arena, n, amounts, is_chief, &n_chiefs));
	Datum *places = palloc(sizeof(Datum) * Max(n_chiefs, 1));
	for (uint32 i = 0; i < n; i++)
		if (is_chief[i])
			places[found++] = Int32GetDatum((int32) i + 1);
	ph_scratch_end(scratch);
	if (n_chiefs == 0)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(
		construct_array(places, (int) n_chiefs, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}
