/*
 * check.c - rows of logical time compared with each other, and its chunks decoded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "logical/check.h"
#include "logical/phase_blocks.h"
#include "logical/reader.h"
#include "server/query_rows.h"

static const char exists_sql[] =
	"SELECT FROM perfhouse.logical WHERE run_id = $1"
	" UNION ALL (SELECT FROM perfhouse.logical_chunk WHERE run_id = $1 LIMIT 1)"
	" UNION ALL (SELECT FROM perfhouse.phase_block WHERE run_id = $1 LIMIT 1)"
	" UNION ALL (SELECT FROM perfhouse.phase_chunk WHERE run_id = $1 LIMIT 1)";

/* Queries that return what is wrong, or null. */
static const char *const counts_sql[] = {
	"SELECT CASE WHEN NOT EXISTS (SELECT FROM perfhouse.logical WHERE run_id = $1)"
	" THEN 'there is no row in perfhouse.logical' END",
	"SELECT format('chunk %s of location %s does not follow the one before it', chunk_no,"
	" location_id) FROM (SELECT location_id, chunk_no, chunk_no <> row_number() OVER w - 1"
	" OR first_seq <> coalesce(sum(n_events) OVER (PARTITION BY location_id ORDER BY chunk_no"
	" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS is_bad"
	" FROM perfhouse.logical_chunk WHERE run_id = $1"
	" WINDOW w AS (PARTITION BY location_id ORDER BY chunk_no)) c"
	" WHERE is_bad ORDER BY location_id, chunk_no LIMIT 1",
	"SELECT CASE WHEN l.n_events <> c.n_events"
	" THEN format('the row counts %s events, the chunks have %s', l.n_events, c.n_events)"
	" WHEN l.last_step <> c.last_step THEN format('the last step is %s in the row, %s in the"
	" chunks', l.last_step, c.last_step)"
	" END FROM perfhouse.logical l,"
	" (SELECT coalesce(sum(n_events), 0) AS n_events, coalesce(max(step_last), -1) AS last_step"
	" FROM perfhouse.logical_chunk WHERE run_id = $1) c WHERE l.run_id = $1"};

/* Phases of tasks, and what the row says of phases. */
static const char phases_sql[] =
	"SELECT l.n_phases, l.n_events, p.n_phases, p.n_events FROM perfhouse.logical l,"
	" (SELECT count(n) AS n_phases, coalesce(sum(n), 0)::int8 AS n_events"
	" FROM perfhouse.phase_chunk, unnest(n_events) n WHERE run_id = $1) p WHERE l.run_id = $1";

static const char chunks_sql[] = "SELECT " PH_LOGICAL_COLUMNS " FROM perfhouse.logical_chunk"
								 " WHERE run_id = $1 ORDER BY location_id, chunk_no";

typedef struct Checking
{
	MemoryContext context;
	PhScratch *scratch;
	PhLogicalCodec *codec;
	char *finding;			  /* the first */
	int64 n_phases, n_events; /* in blocks */
} Checking;

static void
receive_detail(void *user, TupleTableSlot *slot)
{
	Checking *checking = user;
	if (checking->finding == NULL)
		checking->finding = ph_slot_text(slot, 0, checking->context);
}

static void
receive_chunk(void *user, TupleTableSlot *slot)
{
	Checking *checking = user;
	PhLogicalChunk chunk;
	PhLogicalBlock block;
	const char *why = NULL;
	if (checking->finding != NULL)
		return;
	ph_logical_slot_chunk(slot, PH_LOGICAL_WANT_ALL, &chunk);
	bool has_sum = !ph_slot_is_null(slot, PH_SLOT(logical_chunk, crc));
	if (!has_sum && chunk.format >= PH_LOGICAL_BLOCK_FORMAT)
		why = "there is no checksum";
	else if (has_sum &&
			 ph_slot_bigint(slot, PH_SLOT(logical_chunk, crc), 0) != ph_logical_chunk_crc(&chunk))
		why = "the checksum is of another row";
	else if (ph_logical_decode_block(checking->codec, &chunk, PH_LOGICAL_WANT_ALL, &block) != PH_OK)
		why = checking->scratch->env.error.message;
	if (why == NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(checking->context);
	checking->finding =
		psprintf("chunk %u of location %u: %s", chunk.chunk_no, chunk.location, why);
	MemoryContextSwitchTo(old);
}

static void
receive_phases(void *user, TupleTableSlot *slot)
{
	Checking *checking = user;
	int64 said = ph_slot_int(slot, 0, 0), said_events = ph_slot_bigint(slot, 1, 0);
	int64 n = checking->n_phases + ph_slot_bigint(slot, 2, 0);
	int64 n_events = checking->n_events + ph_slot_bigint(slot, 3, 0);
	if (checking->finding != NULL || (said == n && said_events == n_events))
		return;
	MemoryContext old = MemoryContextSwitchTo(checking->context);
	checking->finding = psprintf("the row counts " INT64_FORMAT " phases of " INT64_FORMAT
								 " events, there are " INT64_FORMAT " of " INT64_FORMAT,
								 said, said_events, n, n_events);
	MemoryContextSwitchTo(old);
}

static void
receive_nothing(void *user, TupleTableSlot *slot)
{
}

bool
ph_run_has_logical(int64 run_id)
{
	return ph_query_rows(exists_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0),
						 receive_nothing, NULL) > 0;
}

char *
ph_check_logical(int64 run_id)
{
	Checking checking = {.context = CurrentMemoryContext};
	ParamListInfo run = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	for (int i = 0; i < (int) lengthof(counts_sql); i++)
		ph_query_rows(counts_sql[i], run, receive_detail, &checking);
	if (checking.finding != NULL)
		return checking.finding;
	checking.scratch = ph_scratch_begin();
	checking.finding =
		ph_check_phase_blocks(run_id, checking.scratch, &checking.n_phases, &checking.n_events);
	ph_query_rows(phases_sql, run, receive_phases, &checking);
	PH_CHECK(&checking.scratch->env, ph_logical_codec_new(&checking.scratch->env, &checking.codec));
	ph_query_rows(chunks_sql, run, receive_chunk, &checking);
	ph_scratch_end(checking.scratch);
	return checking.finding;
}
