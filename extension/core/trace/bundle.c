/*
 * bundle.c - messages of a window in bundles: one for each pair of places in the picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"
#include "trace/comm.h"
#include "trace/timeline.h"

/* Against requests that would take all memory. */
#define MAX_BINS 65536
#define MAX_BUNDLES 10000000

/* Where a bundle goes; the record that is interned. */
typedef struct Place
{
	uint32_t from_row, to_row;
	uint32_t from_bin, to_bin;
} Place;

typedef struct Amount
{
	uint64_t messages, bytes;
	double send, receive; /* sums of ns since the window's start */
} Amount;

struct PhBundler
{
	PhEnv *env;
	PhTimelineWindow window;
	uint32_t max_bundles;
	uint32_t shift; /* bins are joined in groups of 2^shift */
	PhArena arena;
	PhRecords places;
	Amount *amounts; /* by index of the place */
	uint32_t capacity;
	PhTimelineBundle *bundles;
};

PhStatus
ph_bundler_new(PhEnv *env, const PhTimelineWindow *window, uint32_t max_bundles, PhBundler **out)
{
	PhBundler *bundler;

	if (window->to <= window->from)
		return ph_fail(env, PH_ERR_VALUE, "the end of a window must be after its start");
	if (window->n_bins < 1 || window->n_bins > MAX_BINS)
		return ph_fail(env, PH_ERR_VALUE, "bins must be 1 to %d, not %u", MAX_BINS, window->n_bins);
	if (max_bundles < 1 || max_bundles > MAX_BUNDLES)
		return ph_fail(env, PH_ERR_VALUE, "bundles must be 1 to %d, not %u", MAX_BUNDLES,
					   max_bundles);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*bundler), (void **) &bundler));
	bundler->env = env;
	bundler->window = *window;
	bundler->max_bundles = max_bundles;
	ph_arena_init(&bundler->arena, env);
	ph_records_init(&bundler->places, &bundler->arena, sizeof(Place));
	*out = bundler;
	return PH_OK;
}

void
ph_bundler_free(PhBundler *bundler)
{
	if (bundler == NULL)
		return;
	ph_arena_drop(&bundler->arena);
	ph_env_free(bundler->env, bundler, 1, sizeof(*bundler));
}

/* The time, or the nearest one of the window. */
static int64_t
clamped(const PhTimelineWindow *window, int64_t time)
{
	if (time < window->from)
		return window->from;
	return time < window->to ? time : window->to - 1;
}

static PhStatus
add_amount(PhBundler *bundler, const Place *place, Amount amount)
{
	uint32_t index;

	PH_TRY(ph_records_intern(&bundler->places, place, &index));
	PH_TRY(PH_GROW(&bundler->arena, &bundler->amounts, index, &bundler->capacity));
	bundler->amounts[index].messages += amount.messages;
	bundler->amounts[index].bytes += amount.bytes;
	bundler->amounts[index].send += amount.send;
	bundler->amounts[index].receive += amount.receive;
	return PH_OK;
}

/* Join bins pairwise and count anew, in fresh memory. */
static PhStatus
coarsen(PhBundler *bundler)
{
	PhArena old = bundler->arena;
	const Place *places = (const Place *) bundler->places.bytes;
	const Amount *amounts = bundler->amounts;
	uint32_t count = bundler->places.count;
	PhStatus status = PH_OK;

	ph_arena_init(&bundler->arena, bundler->env);
	ph_records_init(&bundler->places, &bundler->arena, sizeof(Place));
	bundler->amounts = NULL;
	bundler->capacity = 0;
	bundler->shift++;
	for (uint32_t i = 0; i < count && status == PH_OK; i++)
	{
		Place place = places[i];

		place.from_bin >>= 1;
		place.to_bin >>= 1;
		status = add_amount(bundler, &place, amounts[i]);
	}
	ph_arena_drop(&old);
	return status;
}

static uint32_t
joined_bins(const PhBundler *bundler)
{
	return ((bundler->window.n_bins - 1) >> bundler->shift) + 1;
}

PhStatus
ph_bundler_add(PhBundler *bundler, uint32_t from_row, uint32_t to_row, int64_t send_time,
			   int64_t receive_time, uint64_t bytes)
{
	const PhTimelineWindow *window = &bundler->window;
	int64_t low = PH_MIN(send_time, receive_time);
	int64_t high = PH_MAX(receive_time, send_time);
	PhTimeBins bins = {window->from, window->to, window->n_bins};
	Place place = {from_row, to_row, 0, 0};

	PH_TRY(ph_env_poll(bundler->env));
	if (high < window->from || low >= window->to)
		return PH_OK;
	send_time = clamped(window, send_time);
	receive_time = clamped(window, receive_time);
	place.from_bin = ph_bin_of(&bins, send_time) >> bundler->shift;
	place.to_bin = ph_bin_of(&bins, receive_time) >> bundler->shift;
	PH_TRY(add_amount(bundler, &place,
					  (Amount){1, bytes, (double) (send_time - window->from),
							   (double) (receive_time - window->from)}));
	while (bundler->places.count > bundler->max_bundles && joined_bins(bundler) > 1)
		PH_TRY(coarsen(bundler));
	return PH_OK;
}

static int
compare_places(const void *context, uint32_t x, uint32_t y)
{
	const Place *places = context;
	const Place *a = &places[x], *b = &places[y];

	if (a->from_row != b->from_row)
		return a->from_row < b->from_row ? -1 : 1;
	if (a->from_bin != b->from_bin)
		return a->from_bin < b->from_bin ? -1 : 1;
	if (a->to_row != b->to_row)
		return a->to_row < b->to_row ? -1 : 1;
	return (a->to_bin > b->to_bin) - (a->to_bin < b->to_bin);
}

static int64_t
mean_time(const PhBundler *bundler, double sum, uint64_t n)
{
	return clamped(&bundler->window, bundler->window.from + (int64_t) (sum / (double) n));
}

PhStatus
ph_bundler_finish(PhBundler *bundler, const PhTimelineBundle **bundles, uint32_t *count,
				  uint32_t *n_bins)
{
	const Place *places = (const Place *) bundler->places.bytes;
	uint32_t n = bundler->places.count;
	uint32_t *order;

	PH_TRY(ph_sort_indices(&bundler->arena, n, compare_places, places, &order));
	PH_TRY(PH_NEW(&bundler->arena, n, &bundler->bundles));
	for (uint32_t i = 0; i < n; i++)
	{
		const Place *place = &places[order[i]];
		const Amount *amount = &bundler->amounts[order[i]];

		bundler->bundles[i] = (PhTimelineBundle){
			.from_row = place->from_row,
			.to_row = place->to_row,
			.from_bin = place->from_bin,
			.to_bin = place->to_bin,
			.messages = amount->messages,
			.bytes = amount->bytes,
			.send_time = mean_time(bundler, amount->send, amount->messages),
			.receive_time = mean_time(bundler, amount->receive, amount->messages)};
	}
	*bundles = bundler->bundles;
	*count = n;
	*n_bins = joined_bins(bundler);
	return PH_OK;
}
