/*
 * fn_options.c - the options of logical time with their defaults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "logical/options.h"
#include "logical/store/store.h"
#include "server/compat.h"

PH_FUNCTION(ph_logical_options)
{
	PhLogicalRequest request;
	ph_logical_request_read(PG_GETARG_JSONB_P(0), PG_GETARG_BOOL(1), &request);
	PG_RETURN_DATUM(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(ph_logical_request_text(&request))));
}

PH_FUNCTION(ph_logical_version)
{
	PG_RETURN_INT32(PH_LOGICAL_VERSION);
}
