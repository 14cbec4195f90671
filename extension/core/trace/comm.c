/*
 * comm.c - keys of communication tallies, and answers from their sorted rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/comm.h"

#include "base/table.h"
#include "trace/internal.h"
#include "trace/skeleton.h"

PhTimeBins
ph_bins_all(void)
{
	return (PhTimeBins){INT64_MIN, INT64_MAX, 1};
}

/* a * b / c; of what fits into 64 bits without the division of 128, which takes five times as long.
 */
static uint64_t
share_of(uint64_t a, uint64_t b, uint64_t c)
{
	__extension__ typedef unsigned __int128 Wide;
	uint64_t product;
	if (!__builtin_mul_overflow(a, b, &product))
		return product / c;
	return (uint64_t) ((Wide) a * b / c);
}

int64_t
ph_bin_start(const PhTimeBins *bins, uint32_t bin)
{
	uint64_t width = (uint64_t) bins->to - (uint64_t) bins->from;
	return (int64_t) ((uint64_t) bins->from + share_of(width, bin, bins->n));
}

/* The last bin that starts at or before the time: starts are rounded down, so look one further. */
uint32_t
ph_bin_of(const PhTimeBins *bins, int64_t time)
{
	if (time < bins->from || time >= bins->to)
		return PH_NONE;
	uint64_t width = (uint64_t) bins->to - (uint64_t) bins->from;
	uint64_t offset = (uint64_t) time - (uint64_t) bins->from;
	uint32_t bin = (uint32_t) share_of(offset, bins->n, width);
	while (bin + 1 < bins->n && ph_bin_start(bins, bin + 1) <= time)
		bin++;
	return bin;
}

/* ---- tallying ---- */

/* Is the event counted, and by which key? */
static bool
find_key(const PhCommTally *what, const PhEvent *event, uint64_t *key)
{
	bool sends = ph_is_send(event->kind);
	if (!sends && !(what->key == PH_COMM_PROCESS && ph_is_receive(event->kind)))
		return false;
	if (event->time < what->bins.from || event->time >= what->bins.to)
		return false;
	switch (what->key)
	{
		case PH_COMM_PAIR:
			*key = ph_map_key(what->rank, event->peer);
			return true;
		case PH_COMM_SIZE:
			*key = event->bytes;
			return true;
		case PH_COMM_TIME:
			*key = ph_bin_of(&what->bins, event->time);
			return true;
		default:
			*key = ph_map_key(what->rank, sends ? 0 : 1);
			return true;
	}
}

PhStatus
ph_comm_tally_event(PhArena *arena, const PhCommTally *what, const PhEvent *event, void **tally)
{
	uint64_t key;
	if (*tally == NULL)
		PH_TRY(ph_tally_grow(arena, tally, 1));
	if (!find_key(what, event, &key))
		return PH_OK;
	PH_TRY(ph_tally_grow(arena, tally, 1));
	ph_tally_add(*tally, key, 1, event->bytes);
	return PH_OK;
}

PhStatus
ph_comm_tally_chunk(PhArena *arena, const PhCommTally *what, const PhChunk *chunk,
					PhChunkReader *reader, void **tally)
{
	PhMessageCursor cursor = ph_message_cursor(reader);
	PhEvent event;
	uint32_t index;
	if (*tally == NULL)
		PH_TRY(ph_tally_grow(arena, tally, 1));
	while (chunk->n_message > 0 && ph_message_next(&cursor, &event, &index))
	{
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_comm_tally_event(arena, what, &event, tally));
	}
	return PH_OK;
}

/* ---- answers ---- */

PhStatus
ph_comm_matrix(PhArena *arena, const void *tally, const PhCommPair **pairs, uint32_t *n)
{
	const PhTallyRow *rows;
	PhCommPair *out;
	PH_TRY(ph_tally_rows(arena, tally, &rows, n));
	PH_TRY(PH_NEW(arena, *n, &out));
	for (uint32_t i = 0; i < *n; i++)
		out[i] = (PhCommPair){(uint32_t) (rows[i].key >> 32), (uint32_t) rows[i].key,
							  rows[i].messages, rows[i].bytes};
	*pairs = out;
	return PH_OK;
}

/* Bin of a size between least and largest (not equal): floor((size - least) * n / width). */
static uint32_t
size_bin(uint64_t size, uint64_t least, uint64_t width, uint32_t n_bins)
{
	__extension__ typedef unsigned __int128 Wide;
	uint32_t bin = (uint32_t) ((Wide) (size - least) * n_bins / width);
	return bin < n_bins ? bin : n_bins - 1;
}

static uint64_t
size_bound(uint64_t least, uint64_t width, uint32_t bin, uint32_t n_bins)
{
	__extension__ typedef unsigned __int128 Wide;
	return least + (uint64_t) ((Wide) width * bin / n_bins);
}

static PhStatus
check_bins(PhEnv *env, uint32_t n_bins)
{
	if (n_bins >= 1 && n_bins <= PH_MOST_BINS)
		return PH_OK;
	return ph_fail(env, PH_ERR_VALUE, "%u bins, but there may be 1 to %d", n_bins, PH_MOST_BINS);
}

PhStatus
ph_comm_histogram(PhArena *arena, const void *tally, uint32_t n_bins, const PhSizeBin **bins,
				  uint32_t *n)
{
	const PhTallyRow *rows;
	PhSizeBin *out;
	uint32_t n_rows;
	PH_TRY(check_bins(arena->env, n_bins));
	PH_TRY(ph_tally_rows(arena, tally, &rows, &n_rows));
	uint64_t least = n_rows == 0 ? 0 : rows[0].key;
	uint64_t width = n_rows == 0 ? 0 : rows[n_rows - 1].key - least;
	/* no bin is narrower than a byte: it would have no size in it */
	*n = n_rows == 0 ? 0 : width == 0 ? 1 : width < n_bins ? (uint32_t) width : n_bins;
	PH_TRY(PH_NEW(arena, *n, &out));
	for (uint32_t i = 0; i < *n; i++)
	{
		out[i].low = size_bound(least, width, i, *n);
		out[i].high = size_bound(least, width, i + 1, *n);
	}
	for (uint32_t i = 0; i < n_rows; i++)
	{
		uint32_t bin = width == 0 ? 0 : size_bin(rows[i].key, least, width, *n);
		out[bin].messages += rows[i].messages;
		out[bin].bytes += rows[i].bytes;
	}
	*bins = out;
	return PH_OK;
}

/* Powers of two: 0 bytes are the class 0, from 2^(n-1) to below 2^n the class n. */
static uint32_t
size_class(uint64_t size)
{
	uint32_t class = 0;
	for (; size > 0; size >>= 1)
		class ++;
	return class;
}

static uint64_t
class_begin(uint32_t class)
{
	return class == 0 ? 0 : class > 64 ? UINT64_MAX : (uint64_t) 1 << (class - 1);
}

PhStatus
ph_comm_size_classes(PhArena *arena, const void *tally, uint32_t n_bins, const PhSizeBin **bins,
					 uint32_t *n)
{
	const PhTallyRow *rows;
	PhSizeBin *out;
	uint32_t n_rows;
	PH_TRY(check_bins(arena->env, n_bins));
	PH_TRY(ph_tally_rows(arena, tally, &rows, &n_rows));
	uint32_t least = n_rows == 0 ? 0 : size_class(rows[0].key);
	uint32_t n_classes = n_rows == 0 ? 0 : size_class(rows[n_rows - 1].key) - least + 1;
	uint32_t each = n_classes / n_bins + (n_classes % n_bins > 0); /* classes of a bin */
	*n = n_rows == 0 ? 0 : (n_classes + each - 1) / each;
	PH_TRY(PH_NEW(arena, *n, &out));
	for (uint32_t i = 0; i < *n; i++)
	{
		out[i].low = class_begin(least + i * each);
		out[i].high = class_begin(least + (i + 1) * each);
	}
	for (uint32_t i = 0; i < n_rows; i++)
	{
		uint32_t bin = (size_class(rows[i].key) - least) / each;
		out[bin].messages += rows[i].messages;
		out[bin].bytes += rows[i].bytes;
	}
	*bins = out;
	return PH_OK;
}

PhStatus
ph_comm_sizes_are_wide(PhArena *arena, const void *tally, bool *out)
{
	const PhTallyRow *rows;
	uint32_t n_rows;
	PH_TRY(ph_tally_rows(arena, tally, &rows, &n_rows));
	uint64_t least = n_rows == 0 || rows[0].key == 0 ? 1 : rows[0].key;
	*out = n_rows > 0 && rows[n_rows - 1].key / least >= PH_WIDE_SIZES;
	return PH_OK;
}

PhStatus
ph_comm_over_time(PhArena *arena, const void *tally, const PhTimeBins *bins, const PhTimeBin **out)
{
	const PhTallyRow *rows;
	PhTimeBin *times;
	uint32_t n_rows;
	PH_TRY(check_bins(arena->env, bins->n));
	PH_TRY(ph_tally_rows(arena, tally, &rows, &n_rows));
	PH_TRY(PH_NEW(arena, bins->n, &times));
	for (uint32_t i = 0; i < bins->n; i++)
	{
		times[i].start = ph_bin_start(bins, i);
		times[i].end = ph_bin_start(bins, i + 1);
	}
	for (uint32_t i = 0; i < n_rows; i++)
	{
		if (rows[i].key >= bins->n)
			return ph_fail(arena->env, PH_ERR_VALUE, "the tally has more than %u bins", bins->n);
		times[rows[i].key].messages += rows[i].messages;
		times[rows[i].key].bytes += rows[i].bytes;
	}
	*out = times;
	return PH_OK;
}

PhStatus
ph_comm_by_process(PhArena *arena, const void *tally, const PhProcessComm **ranks, uint32_t *n)
{
	const PhTallyRow *rows;
	PhProcessComm *out;
	uint32_t n_rows, count = 0;
	PH_TRY(ph_tally_rows(arena, tally, &rows, &n_rows));
	PH_TRY(PH_NEW(arena, n_rows, &out));
	for (uint32_t i = 0; i < n_rows; i++)
	{
		uint32_t rank = (uint32_t) (rows[i].key >> 32);
		if (count == 0 || out[count - 1].rank != rank)
			out[count++].rank = rank;
		PhProcessComm *process = &out[count - 1];
		bool sent = (uint32_t) rows[i].key == 0;
		*(sent ? &process->messages_sent : &process->messages_received) += rows[i].messages;
		*(sent ? &process->bytes_sent : &process->bytes_received) += rows[i].bytes;
	}
	*ranks = out;
	*n = count;
	return PH_OK;
}
