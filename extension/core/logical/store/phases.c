/*
 * phases.c - see phases.h.
 *
 *   first step (zigzag difference from the phase before), last step from the first, numbers of
 *   events and locations, leap (zigzag difference); greatest lateness, first enter (difference from
 *   the phase before) and last leave (from it) as frames; pattern, reason, reasons, functions;
 *   numbers of followers, followers (zigzag difference from the phase's own number); number of
 *   names, their lengths, the names; identities: of each phase which, their number, the identities
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/store/phases.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/min_max.h"
#include "base/table.h"
#include "logical/pattern.h"
#include "logical/store/groups.h"

#define PHASE_COLUMNS 23
#define MOST_PHASES (1 << 16)
#define MOST_NAME_BYTES ((size_t) 64 << 20)
#define MOST_FOLLOWERS (1 << 20)

uint32_t
ph_phase_chunk_crc(const PhPhaseChunk *chunk)
{
	uint32_t crc = ph_crc32c_add_number(0, chunk->first_phase);
	return ph_crc32c_add_bytes(ph_crc32c_add_number(crc, chunk->n_phases), chunk->packed);
}

/* ---- packing ---- */

struct PhPhasePacker
{
	PhEnv *env;
	const PhLogical *logical;
	PhPhaseLister *lister;
	PhLogicalCodec *codec;
	uint32_t next;
	PhArena arena; /* of the row */
};

PhStatus
ph_phase_packer_new(PhEnv *env, const PhLogicalMetrics *metrics, const PhTraceModel *trace,
					bool compat, PhPhasePacker **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhPhasePacker), &memory));
	PhPhasePacker *packer = memory;
	packer->env = env;
	packer->logical = metrics->logical;
	ph_arena_init(&packer->arena, env);
	PhStatus status = ph_phase_lister_new(env, metrics, trace, compat, &packer->lister);
	if (status == PH_OK)
		status = ph_logical_codec_new(env, &packer->codec);
	if (status == PH_OK)
		*out = packer;
	else
		ph_phase_packer_free(packer);
	return status;
}

void
ph_phase_packer_free(PhPhasePacker *packer)
{
	if (packer == NULL)
		return;
	PhEnv *env = packer->env;
	ph_phase_lister_free(packer->lister);
	ph_logical_codec_free(packer->codec);
	ph_arena_drop(&packer->arena);
	ph_env_free(env, packer, 1, sizeof(PhPhasePacker));
}

/* Columns of the lister, as they are written. */
typedef struct PhaseRow
{
	PhPhaseNumbers *numbers;
	uint32_t n_followers;
	uint32_t n_names;
	uint32_t *names;   /* by phase: of those of the row */
	const char **name; /* of the row */
	size_t name_bytes;
	uint32_t n_identities;
	uint32_t *identities; /* by phase: of those of the row */
	uint64_t *identity;	  /* of the row */
} PhaseRow;

/* Each identity once. */
static PhStatus
gather_identities(PhPhasePacker *packer, uint32_t n, PhaseRow *row)
{
	PhMap known;
	PH_TRY(PH_NEW(&packer->arena, n, &row->identities));
	PH_TRY(PH_NEW(&packer->arena, n, &row->identity));
	ph_map_init(&known, &packer->arena);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t *place;
		PH_TRY(ph_map_enter(&known, row->numbers[i].identity, known.count, &place));
		row->identities[i] = *place;
		if (*place == row->n_identities)
			row->identity[row->n_identities++] = row->numbers[i].identity;
	}
	return PH_OK;
}

/* The numbers of phases from packer->next on, and which names they have. */
static PhStatus
gather_row(PhPhasePacker *packer, uint32_t n, PhaseRow *row)
{
	PhMap known;
	PH_TRY(PH_NEW(&packer->arena, n, &row->numbers));
	PH_TRY(PH_NEW(&packer->arena, n, &row->names));
	PH_TRY(PH_NEW(&packer->arena, n, &row->name));
	ph_map_init(&known, &packer->arena);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t *place;
		PH_TRY(ph_env_poll(packer->env));
		PH_TRY(ph_phase_lister_numbers(packer->lister, packer->next + i, &row->numbers[i]));
		PH_TRY(ph_map_enter(&known, row->numbers[i].names, known.count, &place));
		row->names[i] = *place;
		if (*place < row->n_names)
			continue;
		row->name[row->n_names] = ph_phase_lister_names(packer->lister, row->numbers[i].names);
		row->name_bytes += strlen(row->name[row->n_names++]);
	}
	row->n_followers =
		packer->logical->first_edge[packer->next + n] - packer->logical->first_edge[packer->next];
	return gather_identities(packer, n, row);
}

/* An integer of each phase, as a difference from that of the phase before. */
static void
write_ascending(PhGroupWriter *writer, const uint32_t *numbers, uint32_t n)
{
	uint64_t before = 0;
	for (uint32_t i = 0; i < n; before = numbers[i++])
		writer->wide[i] = ph_zigzag(numbers[i] - before);
	ph_group_write(writer, n);
}

static void
write_structure(PhGroupWriter *writer, const PhLogical *logical, uint32_t first, uint32_t n)
{
	write_ascending(writer, (const uint32_t *) logical->first_step + first, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] =
			(uint32_t) (logical->last_step_of[first + i] - logical->first_step[first + i]);
	ph_group_write(writer, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = logical->n_events_of[first + i];
	ph_group_write(writer, n);
	write_ascending(writer, logical->leap + first, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = logical->reason[first + i];
	ph_group_write(writer, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = logical->reasons[first + i];
	ph_group_write(writer, n);
}

static void
write_numbers(PhGroupWriter *writer, const PhaseRow *row, uint32_t n)
{
	uint64_t before = 0;
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = row->numbers[i].n_locations;
	ph_group_write(writer, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = row->numbers[i].pattern;
	ph_group_write(writer, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = row->names[i];
	ph_group_write(writer, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = (uint64_t) row->numbers[i].max_lateness;
	ph_group_write_frames(writer, writer->wide, n);
	for (uint32_t i = 0; i < n; before = (uint64_t) row->numbers[i++].t_first)
		writer->wide[i] = (uint64_t) row->numbers[i].t_first - before;
	ph_group_write_frames(writer, writer->wide, n);
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = (uint64_t) row->numbers[i].t_last - (uint64_t) row->numbers[i].t_first;
	ph_group_write_frames(writer, writer->wide, n);
}

static void
write_followers(PhGroupWriter *writer, const PhLogical *logical, uint32_t first, uint32_t n)
{
	uint32_t n_followers = 0;
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = logical->first_edge[first + i + 1] - logical->first_edge[first + i];
	ph_group_write(writer, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = logical->first_edge[first + i]; e < logical->first_edge[first + i + 1];
			 e++)
			writer->wide[n_followers++] =
				ph_zigzag((uint64_t) logical->edge_target[e] - (first + i));
	ph_group_write(writer, n_followers);
}

static void
write_names(PhGroupWriter *writer, const PhaseRow *row)
{
	writer->wide[0] = row->n_names;
	ph_group_write(writer, 1);
	for (uint32_t i = 0; i < row->n_names; i++)
		writer->wide[i] = strlen(row->name[i]);
	ph_group_write(writer, row->n_names);
	PhByteWriter bytes = {writer->at};
	for (uint32_t i = 0; i < row->n_names; i++)
		ph_put_bytes(&bytes, row->name[i], strlen(row->name[i]));
	writer->at = bytes.at;
}

static void
write_identities(PhGroupWriter *writer, const PhaseRow *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = row->identities[i];
	ph_group_write(writer, n);
	writer->wide[0] = row->n_identities;
	ph_group_write(writer, 1);
	ph_group_write_frames(writer, row->identity, row->n_identities);
}

static PhStatus
pack_row(PhPhasePacker *packer, uint32_t n, PhBytes *out)
{
	PhaseRow row = {0};
	PhGroupWriter writer;
	PH_TRY(gather_row(packer, n, &row));
	if (row.name_bytes > MOST_NAME_BYTES || row.n_followers > MOST_FOLLOWERS)
		return ph_fail(packer->env, PH_ERR_LIMIT, "phases have %zu bytes of names, %u followers",
					   row.name_bytes, row.n_followers);
	size_t most = PH_MAX(n, row.n_followers) + row.name_bytes / PHASE_COLUMNS;
	PH_TRY(ph_group_begin(packer->codec, most, PHASE_COLUMNS, &writer));
	write_structure(&writer, packer->logical, packer->next, n);
	write_numbers(&writer, &row, n);
	write_followers(&writer, packer->logical, packer->next, n);
	write_names(&writer, &row);
	write_identities(&writer, &row, n);
	return ph_group_end(&writer, 0, out);
}

PhStatus
ph_phase_packer_next(PhPhasePacker *packer, PhPhaseChunk *out, bool *done)
{
	uint32_t n = PH_MIN(packer->logical->n_phases - packer->next, PH_PHASES_OF_ROW);
	*done = n == 0;
	if (n == 0)
		return PH_OK;
	PhStatus status = pack_row(packer, n, &out->packed);
	/* phases with very many followers or names get rows of their own */
	while (status == PH_ERR_LIMIT && n > 1)
	{
		ph_arena_drop(&packer->arena);
		status = pack_row(packer, n /= 2, &out->packed);
	}
	ph_arena_drop(&packer->arena);
	out->first_phase = packer->next;
	out->n_phases = n;
	packer->next += n;
	return status;
}

/* ---- unpacking ---- */

static PhStatus
make_phases(PhArena *arena, uint32_t n, PhStoredPhases *out)
{
	uint32_t **const numbers[] = {&out->first_step,	 &out->last_step, &out->n_events,
								  &out->n_locations, &out->leap,	  &out->pattern,
								  &out->reason,		 &out->reasons,	  &out->names};
	int64_t **const times[] = {&out->max_lateness, &out->t_first, &out->t_last};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		PH_TRY(PH_NEW(arena, n, numbers[i]));
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		PH_TRY(PH_NEW(arena, n, times[i]));
	PH_TRY(PH_NEW(arena, n, &out->identity));
	return PH_NEW(arena, (size_t) n + 1, &out->first_follower);
}

static void
read_plain(PhGroupReader *reader, uint32_t *numbers, uint32_t n)
{
	ph_group_read(reader, n);
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = (uint32_t) reader->wide[i];
}

static void
read_ascending(PhGroupReader *reader, uint32_t *numbers, uint32_t n)
{
	uint64_t before = 0;
	ph_group_read(reader, n);
	for (uint32_t i = 0; i < n; i++)
		before = numbers[i] = (uint32_t) (before + ph_unzigzag(reader->wide[i]));
}

static void
read_columns(PhGroupReader *reader, PhStoredPhases *out)
{
	uint64_t before = 0;
	uint32_t n = out->n;
	read_ascending(reader, out->first_step, n);
	read_plain(reader, out->last_step, n);
	for (uint32_t i = 0; i < n; i++)
		out->last_step[i] += out->first_step[i];
	read_plain(reader, out->n_events, n);
	read_ascending(reader, out->leap, n);
	read_plain(reader, out->reason, n);
	read_plain(reader, out->reasons, n);
	read_plain(reader, out->n_locations, n);
	read_plain(reader, out->pattern, n);
	read_plain(reader, out->names, n);
	ph_group_read_frames(reader, (uint64_t *) out->max_lateness, n);
	ph_group_read_frames(reader, (uint64_t *) out->t_first, n);
	ph_group_read_frames(reader, (uint64_t *) out->t_last, n);
	for (uint32_t i = 0; i < n; i++)
	{
		before += (uint64_t) out->t_first[i];
		out->t_first[i] = (int64_t) before;
		out->t_last[i] = (int64_t) (before + (uint64_t) out->t_last[i]);
	}
}

static PhStatus
read_followers(PhArena *arena, PhGroupReader *reader, PhStoredPhases *out)
{
	uint64_t n = 0;
	ph_group_read(reader, out->n);
	for (uint32_t i = 0; i < out->n; i++)
	{
		n += reader->wide[i];
		if (n > MOST_FOLLOWERS)
			return ph_group_bad(arena->env, "followers");
		out->first_follower[i + 1] = (uint32_t) n;
	}
	PH_TRY(PH_NEW(arena, n, &out->followers));
	PH_TRY(ph_logical_reserve_column(reader->codec, n));
	reader->wide = (uint64_t *) (void *) reader->codec->wide.data;
	ph_group_read(reader, n);
	for (uint32_t i = 0; i < out->n; i++)
		for (uint32_t f = out->first_follower[i]; f < out->first_follower[i + 1]; f++)
			out->followers[f] = out->first + i + (uint32_t) ph_unzigzag(reader->wide[f]);
	return PH_OK;
}

static PhStatus
read_names(PhArena *arena, PhGroupReader *reader, PhStoredPhases *out)
{
	ph_group_read(reader, 1);
	if (reader->wide[0] > out->n)
		return ph_group_bad(arena->env, "names");
	out->n_names = (uint32_t) reader->wide[0];
	PH_TRY(PH_NEW(arena, out->n_names, &out->name));
	ph_group_read(reader, out->n_names);
	for (uint32_t i = 0; i < out->n_names && reader->at != NULL; i++)
	{
		uint64_t length = reader->wide[i];
		char *name;
		if (length > (size_t) (reader->end - reader->at) ||
			memchr(reader->at, 0, (size_t) length) != NULL)
			return ph_group_bad(arena->env, "names");
		PH_TRY(ph_arena_strndup(arena, (const char *) reader->at, (size_t) length, &name));
		out->name[i] = name;
		reader->at += length;
	}
	return PH_OK;
}

/* Rows that were stored before there were identities end here. */
static PhStatus
read_identities(PhArena *arena, PhGroupReader *reader, PhStoredPhases *out)
{
	uint32_t *which;
	uint64_t *identity;
	if (reader->at == reader->end)
		return PH_OK;
	PH_TRY(PH_NEW(arena, out->n, &which));
	read_plain(reader, which, out->n);
	ph_group_read(reader, 1);
	uint64_t n = reader->wide[0];
	if (n > out->n)
		return ph_group_bad(arena->env, "identities");
	PH_TRY(PH_NEW(arena, n, &identity));
	ph_group_read_frames(reader, identity, n);
	for (uint32_t i = 0; i < out->n; i++)
	{
		if (which[i] >= n)
			return ph_group_bad(arena->env, "identities");
		out->identity[i] = identity[which[i]];
	}
	return PH_OK;
}

static bool
phases_are_sound(const PhStoredPhases *phases)
{
	for (uint32_t i = 0; i < phases->n; i++)
		if (phases->pattern[i] >= PH_PATTERNS || phases->reason[i] >= PH_MERGE_REASONS ||
			phases->reasons[i] >> (PH_MERGE_REASONS - 1) != 0 ||
			phases->names[i] >= phases->n_names || phases->first_step[i] > phases->last_step[i] ||
			phases->last_step[i] > INT32_MAX)
			return false;
	return true;
}

PhStatus
ph_phases_unpack(PhArena *arena, PhLogicalCodec *codec, const PhPhaseChunk *chunk,
				 PhStoredPhases *out)
{
	PhGroupReader reader;
	size_t most = MOST_FOLLOWERS + MOST_NAME_BYTES / PHASE_COLUMNS;
	*out = (PhStoredPhases){.first = chunk->first_phase, .n = chunk->n_phases};
	if (chunk->n_phases > MOST_PHASES || chunk->n_phases / 256 > chunk->packed.size)
		return ph_group_bad(arena->env, "numbers");
	PH_TRY(make_phases(arena, out->n, out));
	PH_TRY(ph_group_open_up_to(codec, chunk->packed, PH_MAX(out->n, 1),
							   PHASE_COLUMNS * ph_wide_bound(most), &reader));
	read_columns(&reader, out);
	PH_TRY(read_followers(arena, &reader, out));
	PH_TRY(read_names(arena, &reader, out));
	PH_TRY(read_identities(arena, &reader, out));
	PH_TRY(ph_group_close(&reader, "phases"));
	return phases_are_sound(out) ? PH_OK : ph_group_bad(arena->env, "phases");
}
