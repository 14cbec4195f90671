/*
 * fn_imbalance.c - regions whose time is spread unevenly over locations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/names.h"
#include "trace/region_profile.h"
#include "trace/sql.h"

static const char profiles_sql[] =
	"SELECT c.location_id, perfhouse_internal.region_profile(" PH_CHUNK_COLUMNS ", NULL, NULL)"
	" FROM perfhouse.trace_chunk c WHERE c.run_id = $1 GROUP BY c.location_id";

/* Exclusive time of one region in one location. */
typedef struct Load
{
	uint32 region, location;
	int64 exclusive;
} Load;

typedef struct Loads
{
	PhTraceRun *trace;
	const uint32 *names; /* first region of the name, by region */
	PhRegionProfile *profile;
	uint32 n_locations; /* that have calls */
	Size n, capacity;
	Load *loads;
} Loads;

/* One region's loads, summed up. */
typedef struct Imbalance
{
	uint32 region;
	const Load *loads; /* by exclusive descending, then location */
	uint32 n;
	double mean;
} Imbalance;

static void
add_load(Loads *all, const PhRegionTotals *totals, uint32 location)
{
	if (totals->region >= all->trace->model.n_regions)
		ph_trace_refuse(all->trace, "a call is of a region that does not exist");
	if (all->n == all->capacity)
	{
		all->capacity = all->capacity * 2 + 1024;
		all->loads = repalloc_huge(all->loads, sizeof(Load) * all->capacity);
	}
	all->loads[all->n++] = (Load){all->names[totals->region], location, totals->exclusive};
}

static void
receive_profile(void *user, TupleTableSlot *slot)
{
	Loads *all = user;
	const PhEnv *env = &all->trace->scratch->env;
	const PhRegionTotals *totals = NULL;
	uint32 n = 0;
	bytea *value = PG_DETOAST_DATUM_PACKED(slot->tts_values[1]);
	PhBytes bytes = {(const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	ph_region_profile_reset(all->profile);
	PH_CHECK(env, ph_region_profile_add_bytes(all->profile, bytes));
	PH_CHECK(env, ph_region_profile_rows(all->profile, &totals, &n));
	for (uint32 i = 0; i < n; i++)
		add_load(all, &totals[i], (uint32) ph_slot_int(slot, 0, 0));
	all->n_locations += n > 0;
}

static int
compare_places(const void *a, const void *b)
{
	const Load *x = a;
	const Load *y = b;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return x->location < y->location ? -1 : x->location > y->location;
}

static int
compare_loads(const void *a, const void *b)
{
	const Load *x = a;
	const Load *y = b;
	if (x->exclusive != y->exclusive)
		return x->exclusive > y->exclusive ? -1 : 1;
	return x->location < y->location ? -1 : x->location > y->location;
}

static int
compare_imbalances(const void *a, const void *b, void *arg)
{
	const Imbalance *x = a;
	const Imbalance *y = b;
	const PhTraceRun *trace = arg;
	if (x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	return strcmp(trace->model.regions[x->region].name, trace->model.regions[y->region].name);
}

/* Regions of one name become one; their loads of one location, too. */
static void
merge_loads(Loads *all)
{
	Size n = 0;
	qsort(all->loads, all->n, sizeof(Load), compare_places);
	for (Size i = 0; i < all->n; i++)
	{
		if (n > 0 && compare_places(&all->loads[n - 1], &all->loads[i]) == 0)
			all->loads[n - 1].exclusive += all->loads[i].exclusive;
		else
			all->loads[n++] = all->loads[i];
	}
	all->n = n;
}

static Imbalance *
find_imbalances(Loads *all, uint32 *n)
{
	Imbalance *found = MemoryContextAllocHuge(
		all->trace->scratch->context, sizeof(Imbalance) * (all->trace->model.n_regions + 1));
	*n = 0;
	for (Size first = 0, end; first < all->n; first = end)
	{
		double sum = 0;
		for (end = first; end < all->n && all->loads[end].region == all->loads[first].region; end++)
			sum += (double) all->loads[end].exclusive;
		qsort(all->loads + first, end - first, sizeof(Load), compare_loads);
		found[(*n)++] = (Imbalance){all->loads[first].region, all->loads + first,
									(uint32) (end - first), sum / all->n_locations};
	}
	qsort_arg(found, *n, sizeof(Imbalance), compare_imbalances, all->trace);
	return found;
}

static void
put_imbalance(PhRows *rows, const PhTraceRun *trace, const Imbalance *one, uint32 top)
{
	double max = (double) one->loads[0].exclusive;
	uint32 n = Min(top, one->n);
	int32 *ranks = MemoryContextAlloc(rows->scratch, sizeof(int32) * (n + 1));
	int32 *locations = MemoryContextAlloc(rows->scratch, sizeof(int32) * (n + 1));
	for (uint32 i = 0; i < n; i++)
	{
		locations[i] = (int32) one->loads[i].location;
		ranks[i] = trace->model.locations[locations[i]].rank;
	}
	ph_rows_text(rows, "region", trace->model.regions[one->region].name);
	ph_rows_number(rows, "mean", one->mean);
	ph_rows_number(rows, "max", max);
	ph_rows_number(rows, "imbalance_ratio", one->mean > 0 ? max / one->mean : NAN);
	ph_rows_number(rows, "imbalance_excess", one->mean > 0 ? max / one->mean - 1 : NAN);
	ph_rows_ints(rows, "top_ranks", ranks, (int) n);
	ph_rows_ints(rows, "top_locations", locations, (int) n);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_load_imbalance)
{
	PhRows rows;
	uint32 n;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	int32 top = PG_ARGISNULL(1) ? 1 : PG_GETARG_INT32(1);
	if (top < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of ranks must not be negative")));
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	Loads all = {.trace = trace,
				 .names = ph_trace_regions_by_name(trace),
				 .loads = MemoryContextAlloc(trace->scratch->context, 1)};
	PH_CHECK(&trace->scratch->env, ph_region_profile_new(&trace->scratch->env, &all.profile));
	ph_query_rows(profiles_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_profile, &all);
	merge_loads(&all);
	const Imbalance *found = find_imbalances(&all, &n);
	for (uint32 i = 0; i < n; i++)
		put_imbalance(&rows, trace, &found[i], (uint32) top);
	ph_trace_end(trace);
	return (Datum) 0;
}
