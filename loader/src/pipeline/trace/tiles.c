/*
 * tiles.c - see tiles.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/tiles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/vector.h"

struct PhTraceTiles
{
	PhEnv env; /* under the lock, while threads read; env of the caller does not count it */
	PhEnv *owner;
	pthread_mutex_t lock;
	PhArena arena; /* activities, tiles */
	uint8_t *activities;
	uint32_t n_regions, most_bins;
	PhPyramid *pyramid;
	PH_VECTOR(PhTile) tiles;
	atomic_bool is_given_up;
};

struct PhTileThread
{
	PhEnv *env;
	PhTraceTiles *tiles;
	PhBins *bins;
	bool is_begun; /* the location at hand has events */
};

static PhStatus
keep_tile(void *user, const PhTile *tile)
{
	PhTraceTiles *tiles = user;
	PhTile kept = *tile;
	uint8_t *bytes;

	PH_TRY(PH_ROOM(&tiles->env, &tiles->tiles));
	PH_TRY(PH_NEW(&tiles->arena, tile->bytes.size, &bytes));
	memcpy(bytes, tile->bytes.data, tile->bytes.size);
	kept.bytes.data = bytes;
	tiles->tiles.items[tiles->tiles.count++] = kept;
	return PH_OK;
}

static PhStatus
prepare(PhTraceTiles *tiles, const PhTraceModel *model)
{
	PhPyramidOptions options = {
		.n_locations = model->n_locations,
		.n_regions = model->n_regions,
		.tier = PH_ALL_TIERS,
		.emit = keep_tile,
		.user = tiles,
	};

	PH_TRY(ph_region_activities(&tiles->arena, model, &tiles->activities));
	return ph_pyramid_new(&tiles->env, &options, &tiles->pyramid);
}

PhStatus
ph_trace_tiles_new(PhEnv *env, const PhTraceModel *model, uint64_t events_per_location,
				   PhTraceTiles **out)
{
	PhTraceTiles *tiles;
	PhStatus status;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*tiles), (void **) &tiles));
	tiles->owner = env;
	ph_env_init_malloc(&tiles->env);
	pthread_mutex_init(&tiles->lock, NULL);
	ph_arena_init(&tiles->arena, &tiles->env);
	tiles->n_regions = model->n_regions;
	tiles->most_bins = ph_pyramid_bins(events_per_location);
	status = prepare(tiles, model);
	if (status != PH_OK)
	{
		env->error = tiles->env.error;
		ph_trace_tiles_free(tiles);
		return status;
	}
	*out = tiles;
	return PH_OK;
}

void
ph_trace_tiles_free(PhTraceTiles *tiles)
{
	if (tiles == NULL)
		return;
	ph_pyramid_free(tiles->pyramid);
	PH_VECTOR_FREE(&tiles->env, &tiles->tiles);
	ph_arena_drop(&tiles->arena);
	pthread_mutex_destroy(&tiles->lock);
	ph_env_free(tiles->owner, tiles, 1, sizeof(*tiles));
}

/* ---- a thread ---- */

PhStatus
ph_tile_thread_new(PhEnv *env, PhTraceTiles *tiles, PhTileThread **out)
{
	PhTileThread *thread;
	PhStatus status;

	*out = NULL;
	if (tiles == NULL)
		return PH_OK;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*thread), (void **) &thread));
	thread->env = env;
	thread->tiles = tiles;
	status = ph_bins_new(env, tiles->activities, tiles->n_regions, &thread->bins);
	if (status != PH_OK)
		ph_tile_thread_free(thread);
	else
		*out = thread;
	return status;
}

void
ph_tile_thread_free(PhTileThread *thread)
{
	if (thread == NULL)
		return;
	ph_bins_free(thread->bins);
	ph_env_free(thread->env, thread, 1, sizeof(*thread));
}

static PhStatus
or_give_up(PhTileThread *thread, PhStatus status)
{
	if (status != PH_ERR_LIMIT)
		return status;
	atomic_store(&thread->tiles->is_given_up, true);
	return PH_OK;
}

PhStatus
ph_tile_thread_chunk(PhTileThread *thread, const PhChunk *chunk, const PhChunkReader *reader)
{
	if (thread == NULL || atomic_load(&thread->tiles->is_given_up))
		return PH_OK;
	if (!thread->is_begun)
		ph_bins_begin(thread->bins, thread->tiles->most_bins);
	thread->is_begun = true;
	return or_give_up(thread, ph_bins_add_chunk(thread->bins, chunk, reader));
}

/* Under the lock, with the error where the thread's are. */
static PhStatus
of_pyramid(PhTileThread *thread, PhStatus status)
{
	if (status != PH_OK)
		thread->env->error = thread->tiles->env.error;
	return status;
}

static PhStatus
new_row(PhTileThread *thread, uint32_t location, PhPyramidRow **row)
{
	PhTraceTiles *tiles = thread->tiles;
	PhStatus status;

	pthread_mutex_lock(&tiles->lock);
	status = of_pyramid(thread, ph_pyramid_row_new(tiles->pyramid, thread->bins, location, row));
	pthread_mutex_unlock(&tiles->lock);
	return status;
}

/* A row that could not be filled is given back; NULL: the location has no calls. */
static PhStatus
put_row(PhTileThread *thread, uint32_t location, PhPyramidRow *row, PhStatus filled)
{
	PhTraceTiles *tiles = thread->tiles;
	PhStatus status = filled;

	pthread_mutex_lock(&tiles->lock);
	if (filled != PH_OK)
		ph_pyramid_row_free(tiles->pyramid, row);
	else if (row == NULL)
		status = of_pyramid(thread, ph_pyramid_skip(tiles->pyramid, location));
	else
		status = of_pyramid(thread, ph_pyramid_put(tiles->pyramid, row));
	pthread_mutex_unlock(&tiles->lock);
	return status;
}

PhStatus
ph_tile_thread_end(PhTileThread *thread, uint32_t location)
{
	PhPyramidRow *row = NULL;

	if (thread == NULL || atomic_load(&thread->tiles->is_given_up))
		return PH_OK;
	if (!thread->is_begun || !ph_bins_has_calls(thread->bins))
	{
		thread->is_begun = false;
		return or_give_up(thread, put_row(thread, location, NULL, PH_OK));
	}
	thread->is_begun = false;
	PH_TRY(or_give_up(thread, ph_bins_end(thread->bins)));
	if (atomic_load(&thread->tiles->is_given_up))
		return PH_OK;
	PH_TRY(new_row(thread, location, &row));
	return or_give_up(thread,
					  put_row(thread, location, row, ph_pyramid_row_fill(row, thread->bins)));
}

/* ---- the end ---- */

PhStatus
ph_trace_tiles_finish(PhTraceTiles *tiles, int64_t duration, const PhTile **out, size_t *n)
{
	PhStatus status = PH_OK;
	uint32_t first;
	uint32_t last;
	size_t kept = 0;

	*out = NULL;
	*n = 0;
	if (!atomic_load(&tiles->is_given_up))
		status = ph_pyramid_finish(tiles->pyramid);
	if (status != PH_OK)
	{
		tiles->owner->error = tiles->env.error;
		return status == PH_ERR_LIMIT ? PH_OK : status;
	}
	if (atomic_load(&tiles->is_given_up))
		return PH_OK;
	first = ph_pyramid_first_level(tiles->pyramid);
	last = ph_pyramid_last_level(duration);
	for (uint32_t i = 0; i < tiles->tiles.count; i++)
		if (tiles->tiles.items[i].level >= first && tiles->tiles.items[i].level <= last)
			tiles->tiles.items[kept++] = tiles->tiles.items[i];
	*out = tiles->tiles.items;
	*n = kept;
	return PH_OK;
}
