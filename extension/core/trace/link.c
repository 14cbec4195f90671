/*
 * link.c - links as bytes: three columns of integers, packed together.
 *
 *   location  zigzag difference of (location + 1, none is 0) from that of the link before
 *   seq       zigzag difference from the last link to the same location; matched links only
 *   time      zigzag difference: receive - send; matched links only
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/link.h"
#include <string.h>

#include "base/crc32c.h"
#include "base/min_max.h"
#include "base/table.h"
#include "trace/chunk/codec.h"

/* The columns of one chunk, in scratch memory. */
typedef struct LinkColumns
{
	uint32_t n, n_matched;
	uint64_t *location, *seq, *time;
	uint32_t *low; /* for the codec */
	PhMap known;   /* location -> index into last */
	uint64_t *last;
	uint32_t location_before; /* neighbours are nearly always of one location */
	uint64_t *last_before;
} LinkColumns;

/* For times alone: ordinals are decoded to where times come afterwards. */
static PhStatus
new_time_columns(PhArena *scratch, uint32_t n, LinkColumns *columns)
{
	*columns = (LinkColumns){.n = n, .location_before = PH_NONE};
	PH_TRY(PH_NEW(scratch, n, &columns->location));
	PH_TRY(PH_NEW(scratch, n, &columns->time));
	PH_TRY(PH_NEW(scratch, n, &columns->low));
	columns->seq = columns->time;
	return PH_OK;
}

static PhStatus
new_columns(PhArena *scratch, uint32_t n, LinkColumns *columns)
{
	PH_TRY(new_time_columns(scratch, n, columns));
	PH_TRY(PH_NEW(scratch, n, &columns->seq));
	PH_TRY(PH_NEW(scratch, n, &columns->last));
	ph_map_init(&columns->known, scratch);
	return PH_OK;
}

/* Where the ordinal of the last link to the location is kept; 0 at first. */
static inline PhStatus
last_seq(LinkColumns *columns, uint32_t location, uint64_t **last)
{
	uint32_t *index;
	if (location != columns->location_before)
	{
		PH_TRY(ph_map_enter(&columns->known, location, columns->known.count, &index));
		columns->location_before = location;
		columns->last_before = &columns->last[*index];
	}
	*last = columns->last_before;
	return PH_OK;
}

static PhStatus
split_links(PhEnv *env, const PhLink *links, const int64_t *times, LinkColumns *columns)
{
	uint64_t before = 0;
	for (uint32_t i = 0; i < columns->n; i++)
	{
		uint64_t location = (uint32_t) (links[i].location + 1), *last;
		PH_TRY(ph_env_poll(env));
		columns->location[i] = ph_zigzag(location - before);
		before = location;
		if (links[i].location == PH_NONE)
			continue;
		PH_TRY(last_seq(columns, links[i].location, &last));
		uint32_t at = columns->n_matched++;
		columns->seq[at] = ph_zigzag(links[i].seq - *last);
		columns->time[at] = ph_zigzag((uint64_t) times[i] - (uint64_t) links[i].time);
		*last = links[i].seq;
	}
	return PH_OK;
}

/* Columns behind each other, packed into buffer, then copied to the arena. */
static PhStatus
pack_columns(PhArena *arena, PhArena *scratch, const LinkColumns *columns, PhBuffer *buffer,
			 PhBytes *out)
{
	uint8_t *plain, *copy;
	void *state;
	PhBytes packed;
	PH_TRY(PH_NEW(scratch, 3 * ph_wide_bound(columns->n), &plain));
	PH_TRY(ph_arena_alloc(scratch, 1, ph_pack_state_size(), &state));
	uint8_t *end = ph_wide_encode(columns->location, columns->n, columns->low, plain);
	end = ph_wide_encode(columns->seq, columns->n_matched, columns->low, end);
	end = ph_wide_encode(columns->time, columns->n_matched, columns->low, end);
	PH_TRY(ph_pack(arena->env, plain, (size_t) (end - plain), state, buffer, &packed));
	PH_TRY(PH_NEW(arena, packed.size, &copy));
	memcpy(copy, packed.data, packed.size);
	*out = (PhBytes){copy, packed.size};
	return PH_OK;
}

PhStatus
ph_links_encode(PhArena *arena, const PhLink *links, const int64_t *receive_times, uint32_t n,
				PhBytes *out)
{
	PhArena scratch;
	LinkColumns columns;
	PhBuffer buffer = {NULL, 0};
	ph_arena_init(&scratch, arena->env);
	PhStatus status = new_columns(&scratch, n, &columns);
	if (status == PH_OK)
		status = split_links(arena->env, links, receive_times, &columns);
	if (status == PH_OK)
		status = pack_columns(arena, &scratch, &columns, &buffer, out);
	ph_buffer_free(arena->env, &buffer);
	ph_arena_drop(&scratch);
	return status;
}

static PhStatus
bad_links(PhEnv *env, uint32_t n)
{
	return ph_fail(env, PH_ERR_FORMAT, "the links of a chunk with %u receives do not decode", n);
}

/* Undo the differences of locations, and count the links that have one. */
static PhStatus
read_locations(PhEnv *env, LinkColumns *columns)
{
	uint64_t before = 0;
	for (uint32_t i = 0; i < columns->n; i++)
	{
		before += ph_unzigzag(columns->location[i]);
		if (before > PH_NONE)
			return bad_links(env, columns->n);
		columns->location[i] = before;
		columns->n_matched += before != 0;
	}
	return PH_OK;
}

static PhStatus
unpack_columns(PhArena *scratch, PhBytes bytes, PhBuffer *buffer, LinkColumns *columns)
{
	PhEnv *env = scratch->env;
	uint32_t n = columns->n;
	PhBytes plain;
	PH_TRY(ph_unpack(env, bytes, 3 * ph_wide_bound(n), buffer, &plain));
	const uint8_t *at = plain.data, *end = plain.data + plain.size;
	at = ph_wide_decode(at, end, n, columns->low, columns->location);
	if (at == NULL)
		return bad_links(env, n);
	PH_TRY(read_locations(env, columns));
	at = ph_wide_decode(at, end, columns->n_matched, columns->low, columns->seq);
	if (at != NULL)
		at = ph_wide_decode(at, end, columns->n_matched, columns->low, columns->time);
	return at == end ? PH_OK : bad_links(env, n);
}

static PhStatus
join_links(PhArena *arena, LinkColumns *columns, const int64_t *times, const PhLink **out)
{
	PhLink *links;
	uint32_t at = 0;
	PH_TRY(PH_NEW(arena, columns->n, &links));
	PH_TRY(ph_env_poll(arena->env)); /* a chunk has few enough */
	for (uint32_t i = 0; i < columns->n; i++)
	{
		uint64_t *last;
		links[i] = (PhLink){(uint32_t) columns->location[i] - 1, 0, PH_NO_TIME};
		if (columns->location[i] == 0)
			continue;
		PH_TRY(last_seq(columns, links[i].location, &last));
		*last += ph_unzigzag(columns->seq[at]);
		links[i].seq = *last;
		links[i].time = (int64_t) ((uint64_t) times[i] - ph_unzigzag(columns->time[at++]));
	}
	*out = links;
	return PH_OK;
}

PhStatus
ph_links_decode(PhArena *arena, PhBytes bytes, const int64_t *receive_times, uint32_t n,
				const PhLink **out)
{
	PhArena scratch;
	LinkColumns columns;
	PhBuffer buffer = {NULL, 0};
	ph_arena_init(&scratch, arena->env);
	PhStatus status = new_columns(&scratch, n, &columns);
	if (status == PH_OK)
		status = unpack_columns(&scratch, bytes, &buffer, &columns);
	if (status == PH_OK)
		status = join_links(arena, &columns, receive_times, out);
	ph_buffer_free(arena->env, &buffer);
	ph_arena_drop(&scratch);
	return status;
}

#define RECEIVES (1u << PH_EVENT_RECV | 1u << PH_EVENT_IRECV)
#define ENTERS (1u << PH_EVENT_ENTER)

/* The times of a chunk's events of some kinds (bits), n of them. */
static PhStatus
times_of_kinds(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader, uint32_t wanted,
			   const int64_t **times, uint32_t *n)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *all = ph_chunk_times(reader);
	int64_t *found;
	uint32_t count = 0;
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		count += wanted >> kind & 1 ? ph_chunk_count(reader, kind) : 0;
	PH_TRY(PH_NEW(arena, (size_t) count + 1, &found));
	*n = count;
	*times = found;
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		*found = all[i]; /* there is room for one more, so that nothing has to be guessed */
		found += wanted >> kinds[i] & 1;
	}
	return PH_OK;
}

static PhStatus
links_of_kinds(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader, uint32_t wanted,
			   PhBytes bytes, const PhLink **links, uint32_t *n)
{
	const int64_t *times;
	PhLink *none;
	PH_TRY(times_of_kinds(arena, chunk, reader, wanted, &times, n));
	if (bytes.size > 0)
		return ph_links_decode(arena, bytes, times, *n, links);
	PH_TRY(PH_NEW(arena, *n, &none));
	for (uint32_t i = 0; i < *n; i++)
		none[i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
	*links = none;
	return PH_OK;
}

PhStatus
ph_links_of_chunk(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader, PhBytes bytes,
				  const PhLink **links, uint32_t *n)
{
	return links_of_kinds(arena, chunk, reader, RECEIVES, bytes, links, n);
}

PhStatus
ph_launches_of_chunk(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader,
					 PhBytes bytes, const PhLink **links, uint32_t *n)
{
	return links_of_kinds(arena, chunk, reader, ENTERS, bytes, links, n);
}

static void
join_delays(const LinkColumns *columns, int64_t *delays)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < columns->n; i++)
	{
		bool is_known = columns->location[i] != 0;
		delays[i] = is_known ? (int64_t) ph_unzigzag(columns->time[at]) : PH_NO_TIME;
		at += is_known;
	}
}

PhStatus
ph_launch_delays(PhArena *arena, PhBytes bytes, uint32_t n, const int64_t **out)
{
	PhArena scratch;
	LinkColumns columns;
	PhBuffer buffer = {NULL, 0};
	int64_t *delays;
	PH_TRY(PH_NEW(arena, n, &delays));
	*out = delays;
	for (uint32_t i = 0; i < n && bytes.size == 0; i++)
		delays[i] = PH_NO_TIME;
	if (bytes.size == 0)
		return PH_OK;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = new_time_columns(&scratch, n, &columns);
	if (status == PH_OK)
		status = unpack_columns(&scratch, bytes, &buffer, &columns);
	if (status == PH_OK)
		join_delays(&columns, delays);
	ph_buffer_free(arena->env, &buffer);
	ph_arena_drop(&scratch);
	return status;
}

void
ph_links_span(const PhLink *links, uint32_t n, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t i = 0; i < n; i++)
	{
		if (links[i].location == PH_NONE)
			continue;
		*first = PH_MIN(links[i].time, *first);
		*last = PH_MAX(links[i].time, *last);
	}
}

uint32_t
ph_link_chunk_crc(const PhLinkChunk *chunk)
{
	uint32_t crc = ph_crc32c_add_number(0, chunk->location);
	crc = ph_crc32c_add_number(crc, chunk->chunk_no);
	crc = ph_crc32c_add_number(crc, chunk->n_links);
	crc = ph_crc32c_add_number(crc, (uint64_t) chunk->send_min);
	crc = ph_crc32c_add_number(crc, (uint64_t) chunk->send_max);
	return ph_crc32c_add_bytes(crc, chunk->links);
}
