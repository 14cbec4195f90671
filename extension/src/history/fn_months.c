/*
 * fn_months.c - what a question about months asks of every run: its month, and a hash of what a
 * roll-up depends on. As expressions in SQL they took as long as reading the runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "server/compat.h"

PH_FUNCTION(ph_month_of)
{
	TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
	struct pg_tm tm;
	fsec_t fraction;
	if (TIMESTAMP_IS_NOBEGIN(at))
		PG_RETURN_DATEADT(DATEVAL_NOBEGIN);
	if (TIMESTAMP_IS_NOEND(at))
		PG_RETURN_DATEADT(DATEVAL_NOEND);
	if (timestamp2tm(at, NULL, &tm, &fraction, NULL, NULL) != 0) /* UTC, in which it is stored */
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
	PG_RETURN_DATEADT(date2j(tm.tm_year, tm.tm_mon, 1) - POSTGRES_EPOCH_JDATE);
}

PH_FUNCTION(ph_run_mark)
{
	struct
	{
		int64 run_id;
		int64 loaded_at;
		int32 is_excluded;
		int32 metric_id; /* 0: none */
		int32 n_units;	 /* 0: not known */
		int32 n_hosts;
	} facts = {
		.run_id = PG_GETARG_INT64(0),
		.loaded_at = PG_GETARG_TIMESTAMPTZ(1),
		.is_excluded = PG_GETARG_BOOL(2),
		.metric_id = PG_ARGISNULL(3) ? 0 : PG_GETARG_INT32(3),
		.n_units = PG_ARGISNULL(4) ? 0 : PG_GETARG_INT32(4),
		.n_hosts = PG_GETARG_INT32(5),
	};
	PG_RETURN_INT64((int64) hash_bytes_extended((const unsigned char *) &facts, sizeof(facts), 0));
}
