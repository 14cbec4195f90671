/*
 * store.c - memory for events of logical time, and what their columns tell of each other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/crc32c.h"
#include "logical/store/internal.h"

PhStatus
ph_logical_codec_new(PhEnv *env, PhLogicalCodec **out)
{
	void *codec;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhLogicalCodec), &codec));
	((PhLogicalCodec *) codec)->env = env;
	*out = codec;
	return PH_OK;
}

void
ph_logical_codec_free(PhLogicalCodec *codec)
{
	if (codec == NULL)
		return;
	ph_buffer_free(codec->env, &codec->room);
	ph_buffer_free(codec->env, &codec->plain);
	for (int group = 0; group < GROUPS; group++)
		ph_buffer_free(codec->env, &codec->packed[group]);
	ph_buffer_free(codec->env, &codec->wide);
	ph_buffer_free(codec->env, &codec->low);
	ph_buffer_free(codec->env, &codec->members);
	ph_buffer_free(codec->env, &codec->spare);
	ph_buffer_free(codec->env, &codec->sides);
	ph_buffer_free(codec->env, &codec->state);
	ph_env_free(codec->env, codec, 1, sizeof(PhLogicalCodec));
}

/* ---- room ---- */

/* Hands out parts of the room; the widest come first, so all are aligned. */
static void *
carve(uint8_t **at, size_t n, size_t width)
{
	void *part = *at;
	*at += n * width;
	return part;
}

static void
carve_wide(uint8_t **at, uint32_t want, bool counters, PhLogicalEvents *out)
{
	size_t n = out->n_events;
	out->enter = carve(at, n, 8);
	out->leave = carve(at, n, 8);
	for (int m = 0; m < PH_LOGICAL_METRICS && (want & PH_LOGICAL_WANT_METRICS) != 0; m++)
	{
		out->value[m] = carve(at, n, 8);
		out->aggregate[m] = carve(at, n, 8);
	}
	for (int c = 0; c < PH_LOGICAL_COUNTERS && counters; c++)
		out->counter[c] = carve(at, n, 8);
	if ((want & PH_LOGICAL_WANT_TASKS) != 0)
	{
		out->share = carve(at, n, 8);
		out->idle = carve(at, n, 8);
		out->imbalance = carve(at, n, 8);
	}
	if ((want & PH_LOGICAL_WANT_ENDS) != 0)
		out->bytes = carve(at, out->n_ends, 8);
}

static void
carve_narrow(uint8_t **at, uint32_t want, PhLogicalEvents *out)
{
	size_t n = out->n_events;
	uint32_t **const places[] = {&out->kind,	&out->flags, &out->region,
								 &out->ends_of, &out->phase, &out->step};
	uint32_t **const causes[] = {&out->earliest_location, &out->binding_location,
								 &out->binding_seq};
	uint32_t **const ends[] = {&out->peer_location, &out->peer_seq, &out->peer_step};
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		*places[i] = carve(at, n, 4);
	if ((want & PH_LOGICAL_WANT_METRICS) != 0)
		out->n_peers = carve(at, n, 4);
	for (size_t i = 0; i < 3 && (want & PH_LOGICAL_WANT_CAUSES) != 0; i++)
		*causes[i] = carve(at, n, 4);
	if ((want & PH_LOGICAL_WANT_TASKS) != 0)
	{
		out->processor = carve(at, n, 4);
		out->block = carve(at, n, 4);
	}
	if ((want & PH_LOGICAL_WANT_ENDS) == 0)
		return;
	for (size_t i = 0; i < 3; i++)
		*ends[i] = carve(at, out->n_ends, 4);
	out->tag = carve(at, out->n_ends, 4);
}

PhStatus
ph_logical_make_room(PhLogicalCodec *codec, uint32_t want, bool counters, PhLogicalEvents *out)
{
	size_t n = out->n_events, n_ends = out->n_ends;
	size_t wide = 2 + 2 * PH_LOGICAL_METRICS + PH_LOGICAL_COUNTERS + 3;
	size_t narrow = 6 + 1 + CAUSE_COLUMNS + 2;
	PH_TRY(ph_buffer_reserve(codec->env, &codec->room,
							 n * (8 * wide + 4 * narrow) + n_ends * (8 + 4 * 4) + 1));
	uint8_t *at = codec->room.data;
	carve_wide(&at, want, counters, out);
	carve_narrow(&at, want, out);
	return PH_OK;
}

PhStatus
ph_logical_reserve_column(PhLogicalCodec *codec, size_t n)
{
	PH_TRY(ph_buffer_reserve(codec->env, &codec->wide, n * 8 + 8));
	return ph_buffer_reserve(codec->env, &codec->low, n * 4 + 4 * 4);
}

PhStatus
ph_logical_room(PhLogicalCodec *codec, uint32_t n_events, uint32_t n_ends, bool counters,
				PhLogicalEvents *out)
{
	memset(out, 0, sizeof(*out));
	out->n_events = n_events;
	out->n_ends = n_ends;
	PH_TRY(
		ph_logical_make_room(codec, PH_LOGICAL_WANT_ALL & ~PH_LOGICAL_WANT_TASKS, counters, out));
	memset(codec->room.data, 0, codec->room.capacity);
	return PH_OK;
}

uint32_t
ph_logical_chunk_crc(const PhLogicalChunk *chunk)
{
	const uint64_t numbers[] = {
		chunk->location,		   chunk->n_members,		chunk->chunk_no,
		(uint64_t) chunk->format,  chunk->n_events,			chunk->n_ends,
		chunk->first_seq,		   chunk->step_first,		chunk->step_last,
		(uint64_t) chunk->t_first, (uint64_t) chunk->t_last};
	const PhBytes groups[] = {chunk->places, chunk->metrics,  chunk->causes,
							  chunk->ends,	 chunk->counters, chunk->tasks};
	uint32_t crc = 0;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		crc = ph_crc32c_add_number(crc, numbers[i]);
	for (int group = 0; group < GROUPS; group++)
		crc = ph_crc32c_add_bytes(crc, groups[group]);
	return crc;
}

int64_t *
ph_logical_metric_column(const PhLogicalEvents *events, int column, PhLogicalMetric *metric,
						 bool *is_aggregate)
{
	*metric = (PhLogicalMetric) (column / 2);
	*is_aggregate = column % 2 != 0;
	return (*is_aggregate ? events->aggregate : events->value)[*metric];
}
