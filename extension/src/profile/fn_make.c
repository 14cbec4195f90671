/*
 * fn_make.c - the SQL functions profile(run, …).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "profile/run_reader.h"
#include "server/args.h"
#include "server/compat.h"

PH_FUNCTION(ph_profile_of_run)
{
	PhRunRequest request = {.run_id = PG_GETARG_INT64(0),
							.with_visits = true,
							.all_ranks = true,
							.may_be_packed = true};
	PG_RETURN_PH_VALUE(ph_run_read(&request));
}

/* What profile(run, metric, …) and profile(run, metrics, …) have in common. */
static Datum
read_request(FunctionCallInfo fcinfo, PhRunRequest *request)
{
	request->run_id = PG_GETARG_INT64(0);
	request->may_be_packed = true;
	request->all_ranks = PG_ARGISNULL(2);
	if (!request->all_ranks)
		request->ranks = ph_arg_ints(fcinfo, 2, &request->n_ranks);
	request->keep_iterations = !PG_ARGISNULL(3) && PG_GETARG_BOOL(3);
	PG_RETURN_PH_VALUE(ph_run_read(request));
}

PH_FUNCTION(ph_profile_of_run_metric)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	char *metric = ph_arg_text(fcinfo, 1);
	PhRunRequest request = {.n_metrics = metric != NULL ? 1 : 0, .metrics = &metric};
	return read_request(fcinfo, &request);
}

PH_FUNCTION(ph_profile_of_run_metrics)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PhRunRequest request = {.all_metrics = PG_ARGISNULL(1)};
	if (!request.all_metrics)
		request.metrics = ph_arg_texts(fcinfo, 1, &request.n_metrics);
	return read_request(fcinfo, &request);
}

PH_FUNCTION(ph_mean_profile_of_run)
{
	PhRunRequest request = {.run_id = PG_GETARG_INT64(0), .all_ranks = true, .means = true};
	request.metrics = ph_arg_texts(fcinfo, 1, &request.n_metrics);
	PG_RETURN_PH_VALUE(ph_run_read(&request));
}

PH_FUNCTION(ph_calls_metric)
{
	const char *name = ph_run_name_calls(PG_GETARG_INT64(0));
	if (name == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(name));
}
