/*
 * query_rows.c - queries through SPI with a receiver of our own.
 *
 * A receiver gets each row in the executor's slot: nothing is copied that is not wanted, and memory
 * does not grow with the number of rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "server/compat.h"
#include "server/query_rows.h"

#define WAREHOUSE_SCHEMA "perfhouse"

typedef struct RowReceiver
{
	DestReceiver base;
	PhRowFunction row;
	void *user;
	MemoryContext scratch;
	uint64 count;
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *receiver)
{
	RowReceiver *self = (RowReceiver *) receiver;
	CHECK_FOR_INTERRUPTS();
	slot_getallattrs(slot);
	MemoryContext old = MemoryContextSwitchTo(self->scratch);
	self->row(self->user, slot);
	self->count++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(self->scratch);
	return true;
}

static void
start_receiver(DestReceiver *receiver, int operation, TupleDesc description)
{
}

static void
end_receiver(DestReceiver *receiver)
{
}

typedef struct PlannedQuery
{
	const char *sql; /* key: the address of a constant */
	SPIPlanPtr plan;
} PlannedQuery;

static SPIPlanPtr
make_plan(const char *sql, ParamListInfo parameters)
{
	int n = parameters->numParams;
	Oid *types = palloc(sizeof(Oid) * (Size) Max(n, 1));
	for (int i = 0; i < n; i++)
		types[i] = parameters->params[i].ptype;
	SPIPlanPtr plan = SPI_prepare(sql, n, types);
	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "query failed: %s", SPI_result_code_string(SPI_result));
	pfree(types);
	return plan;
}

/*
 * Planning takes several times as long as the small queries that a run's profile is read by, so
 * each is planned once a session; the server makes plans anew when tables or rights change.
 */
static SPIPlanPtr
plan_of(const char *sql, ParamListInfo parameters)
{
	static HTAB *plans = NULL;
	bool found;
	if (plans == NULL)
	{
		HASHCTL control = {.keysize = sizeof(const char *), .entrysize = sizeof(PlannedQuery)};
		plans = hash_create("perfhouse plans", 64, &control, HASH_ELEM | HASH_BLOBS);
	}
	PlannedQuery *cached = hash_search(plans, &sql, HASH_FIND, NULL);
	if (cached != NULL)
		return cached->plan;
	SPIPlanPtr plan = make_plan(sql, parameters);
	cached = hash_search(plans, &sql, HASH_ENTER, &found);
	cached->plan = plan;
	return plan;
}

uint64
ph_query_rows(const char *sql, ParamListInfo parameters, PhRowFunction row, void *user)
{
	RowReceiver receiver = {
		.base = {receive_row, start_receiver, end_receiver, end_receiver, DestNone},
		.row = row,
		.user = user,
		.scratch =
			AllocSetContextCreate(CurrentMemoryContext, "perfhouse row", ALLOCSET_DEFAULT_SIZES)};
	SPIExecuteOptions options = {.params = parameters, .read_only = true, .dest = &receiver.base};
	int result = SPI_execute_plan_extended(plan_of(sql, parameters), &options);
	/* what SPI says of a select whose rows went to another receiver */
	if (result != SPI_OK_UTILITY)
		elog(ERROR, "query failed: %s", SPI_result_code_string(result));
	MemoryContextDelete(receiver.scratch);
	return receiver.count;
}

uint64
ph_execute_with_run(const char *sql, int64 run_id)
{
	Oid type = INT8OID;
	Datum run = Int64GetDatum(run_id);
	int result = SPI_execute_with_args(sql, 1, &type, &run, NULL, false, 0);
	if (result < 0)
		elog(ERROR, "a statement on a run failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

ParamListInfo
ph_query_parameters(int64 first, Oid second_type, Datum second)
{
	bool has_second = OidIsValid(second_type);
	ParamListInfo parameters = makeParamList(has_second ? 2 : 1);
	parameters->params[0] = (ParamExternData){
		.value = Int64GetDatum(first), .pflags = PARAM_FLAG_CONST, .ptype = INT8OID};
	if (has_second)
		parameters->params[1] =
			(ParamExternData){.value = second, .pflags = PARAM_FLAG_CONST, .ptype = second_type};
	return parameters;
}

void
ph_require_warehouse(void)
{
	static const char *const tables[] = {"run", "metric", "location", "call_tree", "value_block"};
	Oid schema = get_namespace_oid(WAREHOUSE_SCHEMA, true);
	for (int i = 0; i < (int) lengthof(tables); i++)
		if (!OidIsValid(schema) || !OidIsValid(get_relname_relid(tables[i], schema)))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("the warehouse table %s.%s is missing", WAREHOUSE_SCHEMA, tables[i]),
					 errhint("Run \"perfhouse init\" on this database to create the "
							 "warehouse tables.")));
}

char *
ph_slot_text(const TupleTableSlot *slot, int attribute, MemoryContext context)
{
	if (slot->tts_isnull[attribute])
		return NULL;
	char *value = TextDatumGetCString(slot->tts_values[attribute]);
	return MemoryContextStrdup(context, value);
}

PhBytes
ph_slot_bytes(const TupleTableSlot *slot, int attribute, bool wanted)
{
	if (!wanted || slot->tts_isnull[attribute])
		return (PhBytes){NULL, 0};
	struct varlena *value = PG_DETOAST_DATUM_PACKED(slot->tts_values[attribute]);
	return (PhBytes){(const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

int32
ph_slot_smallint(const TupleTableSlot *slot, int attribute, int32 otherwise)
{
	return slot->tts_isnull[attribute] ? otherwise : DatumGetInt16(slot->tts_values[attribute]);
}

int32
ph_slot_int(const TupleTableSlot *slot, int attribute, int32 otherwise)
{
	return slot->tts_isnull[attribute] ? otherwise : DatumGetInt32(slot->tts_values[attribute]);
}

int64
ph_slot_bigint(const TupleTableSlot *slot, int attribute, int64 otherwise)
{
	return slot->tts_isnull[attribute] ? otherwise : DatumGetInt64(slot->tts_values[attribute]);
}
