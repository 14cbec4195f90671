/*
 * query_rows.h - read-only queries whose rows go straight to a function, without a tuple table;
 * statements on a run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_QUERY_ROWS_H
#define PH_SERVER_QUERY_ROWS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/params.h"

#include "base/bytes.h"

/* Gets one row with all its attributes deformed. Its current memory context is reset after it. */
typedef void (*PhRowFunction)(void *user, TupleTableSlot *slot);

/*
 * Run a query under SPI_connect; parameters as $1, $2, …; returns the number of rows. It is planned
 * once a session, under the address of its text, which must be a constant with qualified names.
 */
uint64 ph_query_rows(const char *sql, ParamListInfo parameters, PhRowFunction row, void *user);

/* Under SPI_connect: a statement whose $1 is a run; how many rows it found or changed. */
uint64 ph_execute_with_run(const char *sql, int64 run_id);

/* Parameters: $1 a bigint, and $2 an array or other value when its type is not InvalidOid. */
ParamListInfo ph_query_parameters(int64 first, Oid second_type, Datum second);

/* 42P01 with a hint unless the warehouse tables are there. */
void ph_require_warehouse(void);

static inline bool
ph_slot_is_null(const TupleTableSlot *slot, int attribute)
{
	return slot->tts_isnull[attribute];
}

/* Text attribute in `context`; NULL when null. */
char *ph_slot_text(const TupleTableSlot *slot, int attribute, MemoryContext context);

/* Bytes of an attribute that is wanted, detoasted into the current memory; else none. */
PhBytes ph_slot_bytes(const TupleTableSlot *slot, int attribute, bool wanted);

/* Integer attribute, else this when null. */
int32 ph_slot_smallint(const TupleTableSlot *slot, int attribute, int32 otherwise);
int32 ph_slot_int(const TupleTableSlot *slot, int attribute, int32 otherwise);
int64 ph_slot_bigint(const TupleTableSlot *slot, int attribute, int64 otherwise);

#endif
