/*
 * fn_labels.c - what runs say of their regions: as rows, and of one region at a time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "server/compat.h"
#include "server/pgenv.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "stored/region_labels.h"

/* In the database's encoding; NULL when it is empty. */
static const char *
label_text(const char *utf8)
{
	size_t length = strlen(utf8);
	return length == 0 ? NULL : pg_any_to_server(utf8, (int) length, PG_UTF8);
}

PH_FUNCTION(ph_label_rows)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	PhBytes rest = {(const uint8 *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)};
	PhScratch *scratch = ph_scratch_begin();
	PhRegionLabel label;
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	while (rest.size > 0)
	{
		PH_CHECK(&scratch->env, ph_region_label_take(&scratch->env, &rest, &label));
		ph_rows_bigint(&rows, "region_id", label.region_id);
		ph_rows_int(&rows, "local_id", label.local_id);
		ph_rows_known(&rows, "line", label.line);
		ph_rows_text(&rows, "module", label_text(label.module));
		ph_rows_text(&rows, "raw_file", label_text(label.raw_file));
		ph_rows_text(&rows, "paradigm", label_text(label.paradigm));
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/*
 * ---- one thing that a run says of a region
 *
 * Queries ask for one region after the other, run after run, and most runs share their labels: each
 * set is read once a query, and of its regions only what is asked for is kept.
 */

/* More than this, and what is kept is forgotten. */
#define KEPT_BYTES ((Size) 64 << 20)

typedef enum Wanted
{
	WANT_MODULE,
	WANT_PARADIGM,
	WANT_LINE
} Wanted;

typedef struct SetKey
{
	int64 id; /* of the labels, or of the run that has rows of its own */
	int64 is_run;
} SetKey;

typedef struct LabelSet
{
	SetKey key;
	bool is_complete; /* false: an error ended its reading */
	uint32 n, room;
	int64 *regions; /* in order */
	Datum *values;
} LabelSet;

typedef struct KeptSets
{
	Wanted wanted;
	MemoryContext context;
	HTAB *sets;
	LabelSet *last; /* that was asked; NULL: none */
	Size bytes;
} KeptSets;

typedef struct SetReading
{
	KeptSets *kept;
	LabelSet *set;
} SetReading;

static void
begin_keeping(KeptSets *kept, MemoryContext parent)
{
	HASHCTL control = {.keysize = sizeof(SetKey), .entrysize = sizeof(LabelSet)};
	kept->context = AllocSetContextCreate(parent, "perfhouse labels", ALLOCSET_DEFAULT_SIZES);
	control.hcxt = kept->context;
	kept->sets =
		hash_create("perfhouse labels", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	kept->last = NULL;
	kept->bytes = 0;
}

static KeptSets *
kept_sets(FunctionCallInfo fcinfo, Wanted wanted)
{
	KeptSets *kept = fcinfo->flinfo->fn_extra;
	if (kept == NULL)
	{
		kept = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(KeptSets));
		kept->wanted = wanted;
		begin_keeping(kept, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = kept;
	}
	else if (kept->bytes > KEPT_BYTES)
	{
		MemoryContextDelete(kept->context);
		begin_keeping(kept, fcinfo->flinfo->fn_mcxt);
	}
	return kept;
}

static void *
resized(KeptSets *kept, void *array, Size size)
{
	return array == NULL ? MemoryContextAllocHuge(kept->context, size) : repalloc_huge(array, size);
}

static void
add_value(KeptSets *kept, LabelSet *set, int64 region_id, Datum value)
{
	if (set->n == set->room)
	{
		set->room = Max(16, set->room * 2);
		set->regions = resized(kept, set->regions, sizeof(int64) * set->room);
		set->values = resized(kept, set->values, sizeof(Datum) * set->room);
		kept->bytes += (sizeof(int64) + sizeof(Datum)) * (set->room - set->n);
	}
	set->regions[set->n] = region_id;
	set->values[set->n++] = value;
}

/* Neighbours often have the same text: they share it. */
static void
add_text(KeptSets *kept, LabelSet *set, int64 region_id, const char *label)
{
	Size length = strlen(label);
	text *same = set->n == 0 ? NULL : DatumGetTextPP(set->values[set->n - 1]);
	if (same == NULL || VARSIZE(same) - VARHDRSZ != length ||
		memcmp(VARDATA(same), label, length) != 0)
	{
		MemoryContext old = MemoryContextSwitchTo(kept->context);
		same = cstring_to_text_with_len(label, (int) length);
		MemoryContextSwitchTo(old);
		kept->bytes += length + VARHDRSZ;
	}
	add_value(kept, set, region_id, PointerGetDatum(same));
}

/* Texts NULL and line PH_NO_NUMBER: it says none. */
static void
add_label(const SetReading *reading, int64 region_id, const char *module, const char *paradigm,
		  int32 line)
{
	const char *label = reading->kept->wanted == WANT_MODULE ? module : paradigm;
	if (reading->kept->wanted == WANT_LINE && line != PH_NO_NUMBER)
		add_value(reading->kept, reading->set, region_id, Int32GetDatum(line));
	if (reading->kept->wanted != WANT_LINE && label != NULL)
		add_text(reading->kept, reading->set, region_id, label);
}

static void
receive_labels(void *user, TupleTableSlot *slot)
{
	PhBytes rest = ph_slot_bytes(slot, 0, true);
	PhRegionLabel label;
	PhEnv env;
	ph_pgenv_init(&env, CurrentMemoryContext);
	while (rest.size > 0)
	{
		PH_CHECK(&env, ph_region_label_take(&env, &rest, &label));
		add_label(user, label.region_id, label_text(label.module), label_text(label.paradigm),
				  label.line);
	}
}

static void
receive_row(void *user, TupleTableSlot *slot)
{
	add_label(user, ph_slot_bigint(slot, 0, 0), ph_slot_text(slot, 1, CurrentMemoryContext),
			  ph_slot_text(slot, 2, CurrentMemoryContext), ph_slot_int(slot, 3, PH_NO_NUMBER));
}

static void
read_set(KeptSets *kept, LabelSet *set)
{
	static const char labels_sql[] =
		"SELECT labels FROM perfhouse.label_data WHERE labels_id OPERATOR(pg_catalog.=) $1";
	static const char rows_sql[] =
		"SELECT region_id, module, paradigm, line FROM perfhouse.run_region_1"
		" WHERE run_id OPERATOR(pg_catalog.=) $1 ORDER BY 1";
	SetReading reading = {kept, set};
	SPI_connect();
	ParamListInfo parameters = ph_query_parameters(set->key.id, InvalidOid, (Datum) 0);
	if (set->key.is_run)
		ph_query_rows(rows_sql, parameters, receive_row, &reading);
	else
		ph_query_rows(labels_sql, parameters, receive_labels, &reading);
	SPI_finish();
	set->is_complete = true;
}

/* Of the run and the labels_id, which is null where the run has rows of its own, in the call. */
static const LabelSet *
set_of(FunctionCallInfo fcinfo, Wanted wanted)
{
	bool is_run = PG_ARGISNULL(1);
	SetKey key = {is_run ? PG_GETARG_INT64(0) : PG_GETARG_INT64(1), is_run};
	KeptSets *kept = kept_sets(fcinfo, wanted);
	LabelSet *set = kept->last;
	bool found;
	if (set != NULL && set->key.id == key.id && set->key.is_run == key.is_run)
		return set;
	set = hash_search(kept->sets, &key, HASH_ENTER, &found);
	if (!found || !set->is_complete)
	{
		*set = (LabelSet){.key = key};
		kept->bytes += sizeof(LabelSet);
		read_set(kept, set);
	}
	kept->last = set;
	return set;
}

static int
compare_regions(const void *x, const void *y)
{
	int64 a = *(const int64 *) x;
	int64 b = *(const int64 *) y;
	return (a > b) - (a < b);
}

static Datum
label_of(FunctionCallInfo fcinfo, Wanted wanted)
{
	if (PG_ARGISNULL(2) || (PG_ARGISNULL(0) && PG_ARGISNULL(1)))
		PG_RETURN_NULL();
	int64 region = PG_GETARG_INT64(2);
	const LabelSet *set = set_of(fcinfo, wanted);
	const int64 *found =
		set->n == 0 ? NULL : bsearch(&region, set->regions, set->n, sizeof(int64), compare_regions);
	if (found == NULL)
		PG_RETURN_NULL();
	return set->values[found - set->regions];
}

PH_FUNCTION(ph_module_of)
{
	return label_of(fcinfo, WANT_MODULE);
}

PH_FUNCTION(ph_line_of)
{
	return label_of(fcinfo, WANT_LINE);
}

PH_FUNCTION(ph_paradigm_of)
{
	return label_of(fcinfo, WANT_PARADIGM);
}
