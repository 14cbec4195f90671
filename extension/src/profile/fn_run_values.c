/*
 * fn_run_values.c - values of a stored run as rows: all of a metric, or one node's; and what a load
 * stores of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/run_blocks.h"
#include "profile/run_tables.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "stored/node_values.h"
#include "stored/summaries.h"

/* One row's two vectors on the way: absent columns are null. */
typedef struct Vectors
{
	Datum inclusive[PH_BLOCK_COLUMNS];
	Datum exclusive[PH_BLOCK_COLUMNS];
	bool is_null[PH_BLOCK_COLUMNS];
	uint32 n_columns; /* of the profile */
	uint32 block;	  /* PH_NONE: none is on the way */
} Vectors;

static Datum
array_of(Datum *values, bool *is_null, uint32 n)
{
	int size = (int) n;
	int first = 1;
	return PointerGetDatum(construct_md_array(values, is_null, 1, &size, &first, FLOAT8OID,
											  sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
put_vectors(PhRows *rows, Vectors *vectors, uint64 callpath_id)
{
	if (vectors->block == PH_NONE)
		return;
	uint32 first = vectors->block * PH_BLOCK_COLUMNS;
	uint32 n = Min(vectors->n_columns - first, PH_BLOCK_COLUMNS);
	ph_rows_bigint(rows, "callpath_id", (int64) callpath_id);
	ph_rows_int(rows, "block", (int32) vectors->block);
	ph_rows_datum(rows, "inclusive", array_of(vectors->inclusive, vectors->is_null, n));
	ph_rows_datum(rows, "exclusive", array_of(vectors->exclusive, vectors->is_null, n));
	ph_rows_put(rows);
	vectors->block = PH_NONE;
}

static void
add_cell(PhRows *rows, Vectors *vectors, uint64 callpath_id, uint32 column, double inclusive,
		 double exclusive)
{
	uint32 block = column / PH_BLOCK_COLUMNS;
	uint32 at = column % PH_BLOCK_COLUMNS;
	if (block != vectors->block)
	{
		put_vectors(rows, vectors, callpath_id);
		memset(vectors->is_null, true, sizeof(vectors->is_null));
		vectors->block = block;
	}
	vectors->inclusive[at] = Float8GetDatum(inclusive);
	vectors->exclusive[at] = Float8GetDatum(exclusive);
	vectors->is_null[at] = false;
}

static void
put_node(PhRows *rows, const PhProfile *profile, const PhMetric *metric, uint32 node,
		 Vectors *vectors)
{
	PhRowWalk walk = ph_row_walk(profile, node);
	CHECK_FOR_INTERRUPTS();
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32 i = 0; i < span.n; i++)
			add_cell(rows, vectors, profile->callpath_id[node], span.first + i,
					 metric->inclusive[span.cell + i], metric->exclusive[span.cell + i]);
	put_vectors(rows, vectors, profile->callpath_id[node]);
}

/* All of one metric of a run, as its tables have it. */
static const PhProfile *
read_metric(int64 run_id, char *name, uint32 *metric)
{
	PhRunRequest request = {.run_id = run_id,
							.n_metrics = 1,
							.metrics = &name,
							.all_ranks = true,
							.keep_iterations = true,
							.in_any_state = true,
							.as_stored = true};
	const PhProfile *profile = ph_run_read(&request)->profile;
	*metric = ph_find_metric(profile, name);
	return profile;
}

/* In the order of the tree; a metric of ratios has none. */
PH_FUNCTION(ph_run_values)
{
	uint32 m;
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile =
		read_metric(PG_GETARG_INT64(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &m);
	const PhMetric *metric = &profile->metrics[m];
	Vectors *vectors = palloc(sizeof(Vectors));
	vectors->n_columns = profile->n_columns;
	vectors->block = PH_NONE;
	for (uint32 node = 0; node < profile->n_nodes && metric->kind != PH_METRIC_RATIO; node++)
		put_node(&rows, profile, metric, node, vectors);
	return (Datum) 0;
}

/* ---- one node ---- */

#define KEPT_BLOCKS 4 /* a node's children are often in the same or the next block */

typedef struct KeptBlock
{
	bool is_used;
	uint32 number, stripe;
	struct varlena *bytes; /* NULL: it is not stored */
	PhStoredBlock open;
} KeptBlock;

typedef struct NodeReader
{
	PhScratch *scratch;
	int64 run_id;
	int32 metric_id;
	bool has_run, has_metric, is_in_blocks;
	uint32 n_columns;
	PhMetricKind kind;
	bool is_signed;
	PhProfile tree; /* its shape */
	KeptBlock kept[KEPT_BLOCKS];
	uint32 next; /* to be replaced */
} NodeReader;

static const char place_sql[] =
	"SELECT r.storage::int4, r.rolled_up_at IS NOT NULL, r.n_columns, m.kind::int4, m.is_signed, "
	"t.tree,"
	" t.crc FROM perfhouse.run r LEFT JOIN perfhouse.metric m ON m.metric_id = $2"
	" AND m.metric_id = ANY (r.metric_ids) LEFT JOIN perfhouse.call_tree t ON t.tree_id = r.tree_id"
	" WHERE r.run_id = $1 AND r.state = 'ready'";
static const char block_sql[] = "SELECT bytes FROM perfhouse.value_block WHERE run_id = $1"
								" AND metric_id = ($2)[1] AND stripe = ($2)[2] AND block = ($2)[3]";

static void
receive_place(void *user, TupleTableSlot *slot)
{
	NodeReader *reader = user;
	reader->has_run = true;
	reader->is_in_blocks = ph_slot_int(slot, 0, 1) == PH_STORAGE_BLOCKS &&
						   !DatumGetBool(slot->tts_values[1]) && !ph_slot_is_null(slot, 5);
	reader->has_metric = !ph_slot_is_null(slot, 3);
	reader->kind = (PhMetricKind) ph_slot_int(slot, 3, PH_METRIC_FLOW);
	reader->is_signed = reader->has_metric && DatumGetBool(slot->tts_values[4]);
	reader->n_columns = (uint32) Max(ph_slot_int(slot, 2, 0), 0);
	if (!reader->is_in_blocks)
		return;
	PhBytes tree = ph_stored_tree(slot, 5, 6);
	PH_CHECK(&reader->scratch->env, ph_profile_unflatten_shape(&reader->scratch->arena, tree.data,
															   tree.size, &reader->tree));
}

static void
receive_bytes(void *user, TupleTableSlot *slot)
{
	NodeReader *reader = user;
	MemoryContext old = MemoryContextSwitchTo(reader->scratch->context);
	reader->kept[reader->next].bytes = PG_DETOAST_DATUM_COPY(slot->tts_values[0]);
	MemoryContextSwitchTo(old);
}

static KeptBlock *
find_kept(NodeReader *reader, uint32 number, uint32 stripe)
{
	for (uint32 i = 0; i < KEPT_BLOCKS; i++)
	{
		KeptBlock *kept = &reader->kept[i];
		if (kept->is_used && kept->number == number && kept->stripe == stripe)
			return kept;
	}
	return NULL;
}

static void
read_block(NodeReader *reader, KeptBlock *kept)
{
	Datum place[3] = {Int32GetDatum(reader->metric_id), Int32GetDatum((int32) kept->stripe),
					  Int32GetDatum((int32) kept->number)};
	ArrayType *array = construct_array(place, 3, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	ph_query_rows(block_sql,
				  ph_query_parameters(reader->run_id, INT4ARRAYOID, PointerGetDatum(array)),
				  receive_bytes, reader);
	if (kept->bytes == NULL)
		return;
	PhBytes bytes = {(const uint8_t *) VARDATA(kept->bytes), VARSIZE(kept->bytes) - VARHDRSZ};
	PH_CHECK(&reader->scratch->env, ph_block_open(&reader->scratch->env, bytes, &kept->open));
}

/* What a node of ph_node_values follows from is in few blocks, of which some are asked for again.
 */
static PhStatus
fetch_block(void *user, uint32_t number, uint32_t stripe, const PhStoredBlock **out)
{
	NodeReader *reader = user;
	KeptBlock *kept = find_kept(reader, number, stripe);
	if (kept == NULL)
	{
		kept = &reader->kept[reader->next];
		if (kept->bytes != NULL)
			pfree(kept->bytes);
		kept->bytes = NULL;
		kept->is_used = true;
		kept->number = number;
		kept->stripe = stripe;
		read_block(reader, kept);
		reader->next = (reader->next + 1) % KEPT_BLOCKS;
	}
	*out = kept->bytes == NULL ? NULL : &kept->open;
	return PH_OK;
}

static void
put_cells(PhRows *rows, const NodeReader *reader, const double *inclusive, const double *exclusive,
		  const bool *present)
{
	for (uint32 c = 0; c < reader->n_columns; c++)
	{
		if (!present[c])
			continue;
		ph_rows_int(rows, "location_id", (int32) c);
		ph_rows_number(rows, "inclusive", inclusive[c]);
		ph_rows_number(rows, "exclusive", exclusive[c]);
		ph_rows_put(rows);
	}
}

static void
refuse_place(const NodeReader *reader, int32 node)
{
	if (!reader->has_run)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("there is no run " INT64_FORMAT, reader->run_id),
						errhint("perfhouse runs lists them; in SQL run_overview.")));
	if (!reader->is_in_blocks)
		ereport(ERROR,
				(errcode(PH_ERRCODE_UNSUPPORTED),
				 errmsg("values of run " INT64_FORMAT " are not in blocks", reader->run_id)));
	if (!reader->has_metric)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("run " INT64_FORMAT " has no metric %d",
													   reader->run_id, reader->metric_id)));
	if (node < 0 || (uint32) node >= reader->tree.n_nodes)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("run " INT64_FORMAT " has no node %d", reader->run_id, node)));
}

static void
read_node(PhRows *rows, NodeReader *reader, int32 node)
{
	PhScratch *scratch = reader->scratch;
	uint32 n = reader->n_columns;
	double *inclusive = MemoryContextAllocHuge(scratch->context, sizeof(double) * n);
	double *exclusive = MemoryContextAllocHuge(scratch->context, sizeof(double) * n);
	bool *present = MemoryContextAllocHuge(scratch->context, sizeof(bool) * n);
	memset(present, 0, sizeof(bool) * n);
	PhNodeRequest request = {.tree = &reader->tree,
							 .node = (uint32) node,
							 .n_columns = n,
							 .is_flow = reader->kind == PH_METRIC_FLOW,
							 .is_signed = reader->is_signed,
							 .fetch = fetch_block,
							 .user = reader};
	PH_CHECK(&scratch->env,
			 ph_node_values(&scratch->arena, &request, exclusive, inclusive, present));
	put_cells(rows, reader, inclusive, exclusive, present);
}

/* Of a run whose values are in blocks. */
PH_FUNCTION(ph_node_row)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	ph_require_warehouse();
	NodeReader *reader = palloc0(sizeof(NodeReader));
	reader->scratch = ph_scratch_begin();
	reader->run_id = PG_GETARG_INT64(0);
	reader->metric_id = PG_GETARG_INT32(1);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ph_query_rows(place_sql,
				  ph_query_parameters(reader->run_id, INT4OID, Int32GetDatum(reader->metric_id)),
				  receive_place, reader);
	refuse_place(reader, PG_GETARG_INT32(2));
	read_node(&rows, reader, PG_GETARG_INT32(2));
	SPI_finish();
	ph_scratch_end(reader->scratch);
	return (Datum) 0;
}

/* ---- what the loader stores, of any profile ---- */

static void
put_blocks(PhRows *rows, PhScratch *scratch, const PhProfile *profile, PhBlockWriter *writer,
		   uint32 m, uint32 stripe)
{
	uint32_t block;
	PhBytes bytes;
	ph_block_writer_start(writer, m, stripe);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		PH_CHECK(&scratch->env, ph_block_writer_next(writer, &block, &bytes));
		if (block == PH_NONE)
			return;
		if (bytes.size == 0)
			continue;
		if (bytes.size > MaxAllocSize - VARHDRSZ)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("a block of values is too large to be stored")));
		bytea *copy = palloc(bytes.size + VARHDRSZ);
		SET_VARSIZE(copy, bytes.size + VARHDRSZ);
		memcpy(VARDATA(copy), bytes.data, bytes.size);
		ph_rows_text(rows, "metric", ph_profile_string(profile, profile->metrics[m].name));
		ph_rows_int(rows, "stripe", (int32) stripe);
		ph_rows_int(rows, "block", (int32) block);
		ph_rows_datum(rows, "bytes", PointerGetDatum(copy));
		ph_rows_put(rows);
	}
}

/* Of one metric, or of all (PH_NONE). */
static void
put_values(PhRows *rows, const PhProfile *profile, uint32 of_metric)
{
	PhBlockWriter *writer;
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_block_writer_new(&scratch->arena, profile, &writer));
	for (uint32 m = 0; m < profile->n_metrics; m++)
		for (uint32 stripe = 0; stripe < ph_n_stripes(profile->n_columns); stripe++)
			if (profile->metrics[m].kind != PH_METRIC_RATIO &&
				(of_metric == PH_NONE || m == of_metric))
				put_blocks(rows, scratch, profile, writer, m, stripe);
	ph_block_writer_end(writer);
	ph_scratch_end(scratch);
}

PH_FUNCTION(ph_value_blocks)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	put_values(&rows, ph_arg_profile(fcinfo, 0), PH_NONE);
	return (Datum) 0;
}

PH_FUNCTION(ph_run_value_blocks)
{
	uint32 metric;
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile =
		read_metric(PG_GETARG_INT64(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &metric);
	put_values(&rows, profile, metric);
	return (Datum) 0;
}

/* ---- the summaries that a load stores beside them ---- */

typedef struct Summariser
{
	PhRows rows;
	PhScratch *scratch;
	const PhProfile *profile;
	uint32 metric;
	PhUnits units;
} Summariser;

/* Reads what the function was called for; false: a metric of this kind has no such summaries. */
static bool
begin_summaries(FunctionCallInfo fcinfo, bool (*has_any)(const PhMetric *), Summariser *out)
{
	ph_rows_begin(&out->rows, fcinfo);
	out->profile =
		read_metric(PG_GETARG_INT64(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &out->metric);
	if (!has_any(&out->profile->metrics[out->metric]))
		return false;
	out->scratch = ph_scratch_begin();
	PH_CHECK(&out->scratch->env, ph_units_find(&out->scratch->arena, out->profile, &out->units));
	return true;
}

static bool
is_no_ratio(const PhMetric *metric)
{
	return metric->kind != PH_METRIC_RATIO;
}

static bool
is_flow(const PhMetric *metric)
{
	return metric->kind == PH_METRIC_FLOW;
}

PH_FUNCTION(ph_run_summary_blocks)
{
	Summariser s;
	PhUnitVectors vectors;
	uint8_t *bytes = palloc(VARHDRSZ + PH_SUMMARY_BLOCK_BOUND);
	size_t size;
	if (!begin_summaries(fcinfo, is_no_ratio, &s))
		return (Datum) 0;
	PH_CHECK(&s.scratch->env, ph_unit_vectors_new(&s.scratch->arena, &s.units, &vectors));
	for (uint32 block = 0; block < ph_n_summary_blocks(s.profile); block++)
	{
		PH_CHECK(&s.scratch->env,
				 ph_summary_block_make(s.profile, &s.units, s.metric, block, &vectors,
									   (uint8_t *) VARDATA(bytes), &size));
		if (size == 0)
			continue;
		SET_VARSIZE(bytes, VARHDRSZ + size);
		ph_rows_int(&s.rows, "block", (int32) block);
		ph_rows_datum(&s.rows, "bytes", PointerGetDatum(bytes));
		ph_rows_put(&s.rows);
	}
	ph_scratch_end(s.scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_run_region_summaries)
{
	Summariser s;
	PhRegionSummary *regions;
	uint32_t n;
	if (!begin_summaries(fcinfo, is_flow, &s))
		return (Datum) 0;
	PH_CHECK(&s.scratch->env,
			 ph_region_summaries(&s.scratch->arena, s.profile, &s.units, s.metric, &regions, &n));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_bigint(&s.rows, "region_id", regions[i].region_id);
		ph_rows_int(&s.rows, "n_nodes", (int32) regions[i].n_nodes);
		ph_rows_number(&s.rows, "inclusive", regions[i].inclusive);
		ph_rows_number(&s.rows, "exclusive", regions[i].exclusive);
		ph_rows_number(&s.rows, "min", regions[i].min);
		ph_rows_number(&s.rows, "max", regions[i].max);
		ph_rows_put(&s.rows);
	}
	ph_scratch_end(s.scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_summaries_version)
{
	PG_RETURN_INT32(PH_SUMMARIES_VERSION);
}
