/*
 * phase_blocks.c - see phase_blocks.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "logical/phase_blocks.h"
#include "server/query_rows.h"

static const char exists_sql[] = "SELECT FROM perfhouse.phase_block WHERE run_id = $1 LIMIT 1";

static const char blocks_sql[] = "SELECT " PH_SELECT(
	phase_block, "") " FROM perfhouse.phase_block WHERE run_id = $1 AND ($2 < 0"
					 " OR first_phase <= $2 AND first_phase + n_phases > $2) ORDER BY first_phase";

typedef struct PhaseStream
{
	PhScratch *scratch;
	PhLogicalCodec *codec;
	PhPhasesFunction function;
	void *user;
	bool is_done; /* what is left is not decoded */
	/* of a check */
	MemoryContext context;
	char *finding;
	int64 n_phases, n_events;
} PhaseStream;

static void
slot_chunk(const TupleTableSlot *slot, PhPhaseChunk *chunk)
{
	chunk->first_phase = (uint32) ph_slot_int(slot, PH_SLOT(phase_block, first_phase), 0);
	chunk->n_phases = (uint32) ph_slot_int(slot, PH_SLOT(phase_block, n_phases), 0);
	chunk->packed = ph_slot_bytes(slot, PH_SLOT(phase_block, packed), true);
}

static void
receive_nothing(void *user, TupleTableSlot *slot)
{
}

static void
receive_block(void *user, TupleTableSlot *slot)
{
	PhaseStream *stream = user;
	PhEnv *env = &stream->scratch->env;
	PhPhaseChunk chunk;
	PhStoredPhases phases;
	PhArena arena;
	if (stream->is_done)
		return;
	slot_chunk(slot, &chunk);
	if (ph_slot_bigint(slot, PH_SLOT(phase_block, crc), -1) != ph_phase_chunk_crc(&chunk))
		ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
						errmsg("phases from %u on are damaged: the checksum is of another row",
							   chunk.first_phase),
						errhint("Assign the run's logical steps anew.")));
	ph_arena_init(&arena, env);
	PH_CHECK(env, ph_phases_unpack(&arena, stream->codec, &chunk, &phases));
	stream->is_done = !stream->function(stream->user, &phases);
	ph_arena_drop(&arena);
}

bool
ph_phase_blocks(int64 run_id, PhScratch *scratch, int32 phase, PhPhasesFunction function,
				void *user)
{
	PhaseStream stream = {.scratch = scratch, .function = function, .user = user};
	ParamListInfo parameters = ph_query_parameters(run_id, INT4OID, Int32GetDatum(phase));
	if (ph_query_rows(exists_sql, parameters, receive_nothing, NULL) == 0)
		return false;
	PH_CHECK(&scratch->env, ph_logical_codec_new(&scratch->env, &stream.codec));
	ph_query_rows(blocks_sql, parameters, receive_block, &stream);
	ph_logical_codec_free(stream.codec);
	return true;
}

/* ---- checks ---- */

static const char *
wrong_with_block(PhaseStream *stream, const TupleTableSlot *slot)
{
	PhEnv *env = &stream->scratch->env;
	PhPhaseChunk chunk;
	PhStoredPhases phases;
	PhArena arena;
	slot_chunk(slot, &chunk);
	if (ph_slot_bigint(slot, PH_SLOT(phase_block, crc), -1) != ph_phase_chunk_crc(&chunk))
		return "the checksum is of another row";
	if (chunk.first_phase != stream->n_phases)
		return "they do not follow those before";
	ph_arena_init(&arena, env);
	bool is_sound = ph_phases_unpack(&arena, stream->codec, &chunk, &phases) == PH_OK;
	for (uint32 i = 0; is_sound && i < phases.n; i++)
		stream->n_events += phases.n_events[i];
	stream->n_phases += chunk.n_phases;
	ph_arena_drop(&arena);
	return is_sound ? NULL : env->error.message;
}

static void
check_block(void *user, TupleTableSlot *slot)
{
	PhaseStream *stream = user;
	if (stream->finding != NULL)
		return;
	const char *why = wrong_with_block(stream, slot);
	if (why == NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(stream->context);
	stream->finding = psprintf("phases from %d on: %s",
							   ph_slot_int(slot, PH_SLOT(phase_block, first_phase), 0), why);
	MemoryContextSwitchTo(old);
}

char *
ph_check_phase_blocks(int64 run_id, PhScratch *scratch, int64 *n_phases, int64 *n_events)
{
	PhaseStream stream = {.scratch = scratch, .context = CurrentMemoryContext};
	PH_CHECK(&scratch->env, ph_logical_codec_new(&scratch->env, &stream.codec));
	ph_query_rows(blocks_sql, ph_query_parameters(run_id, INT4OID, Int32GetDatum(-1)), check_block,
				  &stream);
	ph_logical_codec_free(stream.codec);
	*n_phases = stream.n_phases;
	*n_events = stream.n_events;
	return stream.finding;
}
