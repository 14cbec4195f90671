/*
 * tile_read.c - see tile.h: bytes into a view, and cells of it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "tiles/tile_planes.h"
#include "trace/chunk/chunk.h"
#include "trace/chunk/codec.h"

/* Of the largest tile. */
#define MOST_BYTES                                                                                 \
	((size_t) 16 + 4 * PH_TILE_ROWS + 4 * (UINT16_MAX + 1) +                                       \
	 (size_t) PH_TILE_PLANES * PH_TILE_ROWS * PH_TILE_BINS)

static PhStatus
bad_tile(PhEnv *env)
{
	return ph_fail(env, PH_ERR_FORMAT, "a tile is damaged");
}

/* ---- opening ---- */

static PhStatus
read_regions(PhArena *arena, PhByteReader *reader, PhTileView *view)
{
	uint32_t *regions, n = (uint32_t) ph_get(reader, 2);
	if (reader->bad || ph_left(reader) / 4 < n)
		return bad_tile(arena->env);
	PH_TRY(PH_NEW(arena, (size_t) n + 1, &regions));
	for (uint32_t i = 0; i < n; i++)
	{
		regions[i] = ph_get_u32(reader);
		if (regions[i] >= PH_CHUNK_MAX_REGION || (i > 0 && regions[i] <= regions[i - 1]))
			return bad_tile(arena->env);
	}
	view->n_regions = n;
	view->regions = regions;
	return PH_OK;
}

static PhStatus
read_planes(PhEnv *env, PhByteReader *reader, PhTileView *view)
{
	uint64_t present = ph_get(reader, 5);
	uint32_t n_planes = view->tier == 0 ? PH_PLANES_OF_LOCATIONS : PH_TILE_PLANES;
	if (present >> n_planes != 0)
		return bad_tile(env);
	for (uint32_t i = 0; i < n_planes; i++)
		view->planes[i] =
			(present >> i & 1) == 0 ? NULL : ph_take(reader, (size_t) view->n_rows * view->n_bins);
	return reader->bad || ph_left(reader) > 0 ? bad_tile(env) : PH_OK;
}

/* Places of regions, whose upper bytes are `apart` planes behind the lower ones, are in range. */
static bool
has_sound_places(const PhTileView *view, uint32_t plane, uint32_t apart)
{
	const uint8_t *low = view->planes[plane], *high = view->planes[plane + apart];
	size_t n = (size_t) view->n_rows * view->n_bins;
	for (size_t i = 0; i < n; i++)
	{
		uint32_t place =
			(low == NULL ? 0u : low[i]) | (high == NULL ? 0u : (uint32_t) high[i] << 8);
		if (place > view->n_regions)
			return false;
	}
	return true;
}

static PhStatus
read_view(PhArena *arena, PhByteReader *reader, PhTileView *view)
{
	uint32_t version = (uint32_t) ph_get(reader, 1);
	view->n_rows = (uint32_t) ph_get(reader, 1) + 1;
	view->n_bins = (uint32_t) ph_get(reader, 2);
	if (reader->bad || version != PH_TILE_VERSION || view->n_rows > PH_TILE_ROWS ||
		view->n_bins > PH_TILE_BINS)
		return bad_tile(arena->env);
	for (uint32_t i = 0; i < view->n_rows; i++)
		view->n_locations[i] = ph_get_u32(reader);
	PH_TRY(read_regions(arena, reader, view));
	PH_TRY(read_planes(arena->env, reader, view));
	bool sound = true;
	for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
		sound = sound && has_sound_places(view, PH_PLANE_REGION + i, PH_CELL_SHOWN);
	sound = sound && has_sound_places(view, PH_PLANE_OTHER, 1) &&
			has_sound_places(view, PH_PLANE_DEVIANT_REGION, 1) &&
			has_sound_places(view, PH_PLANE_DEVIANT_CALL, 1);
	return sound ? PH_OK : bad_tile(arena->env);
}

PhStatus
ph_tile_decode(PhArena *arena, uint32_t tier, PhBytes bytes, PhTileView *out)
{
	PhBuffer buffer = {NULL, 0};
	PhTileView view = {.tier = tier};
	PhBytes plain;
	uint8_t *kept = NULL;
	PhStatus status = ph_unpack(arena->env, bytes, MOST_BYTES, &buffer, &plain);
	if (status == PH_OK)
		status = PH_NEW(arena, plain.size + 1, &kept);
	if (status == PH_OK)
		memcpy(kept, plain.data, plain.size);
	ph_buffer_free(arena->env, &buffer);
	PH_TRY(status);
	PhByteReader reader = {kept, kept, kept + plain.size, false};
	PH_TRY(read_view(arena, &reader, &view));
	*out = view;
	return PH_OK;
}

/* ---- cells ---- */

static uint32_t
number_at(const PhTileView *view, size_t at, uint32_t plane, uint32_t n)
{
	uint32_t number = 0;
	for (uint32_t i = 0; i < n; i++)
		if (view->planes[plane + i] != NULL)
			number |= (uint32_t) view->planes[plane + i][at] << 8 * i;
	return number;
}

static PhShownShares
shares_at(const PhTileView *view, size_t at, uint32_t plane)
{
	return (PhShownShares){.communication = (uint8_t) number_at(view, at, plane, 1),
						   .waiting = (uint8_t) number_at(view, at, plane + 1, 1),
						   .device = (uint8_t) number_at(view, at, plane + 2, 1),
						   .outside = (uint8_t) number_at(view, at, plane + 3, 1)};
}

static uint32_t
region_of(const PhTileView *view, uint32_t place)
{
	return place == 0 ? PH_NONE : view->regions[place - 1];
}

static void
get_regions(const PhTileView *view, size_t at, PhShownCell *out)
{
	for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
	{
		uint32_t low = number_at(view, at, PH_PLANE_REGION + i, 1);
		uint32_t high = number_at(view, at, PH_PLANE_REGION + PH_CELL_SHOWN + i, 1);
		out->region[i] = region_of(view, low | high << 8);
		out->share[i] = (uint8_t) number_at(view, at, PH_PLANE_SHARE + i, 1);
	}
}

static void
get_longest(const PhTileView *view, size_t at, PhShownCell *out)
{
	uint32_t code = number_at(view, at, PH_PLANE_LONGEST, 2);
	uint32_t which = code >> PH_TILE_WHICH_SHIFT;
	uint32_t other = region_of(view, number_at(view, at, PH_PLANE_OTHER, 2));
	out->longest.ns = ph_tile_unfloat(code & ((1u << PH_TILE_WHICH_SHIFT) - 1), PH_TILE_NS_BITS);
	out->longest.region = out->longest.ns == 0	   ? PH_NONE
						  : which == PH_TILE_OTHER ? other
												   : out->region[which];
}

static void
get_group(const PhTileView *view, size_t at, PhShownCell *out)
{
	out->longest_location = number_at(view, at, PH_PLANE_WHERE, 3);
	out->n_present = number_at(view, at, PH_PLANE_PRESENT, 3);
	out->deviant = number_at(view, at, PH_PLANE_DEVIANT, 3);
	out->deviant_shares = shares_at(view, at, PH_PLANE_DEVIANT_SHARES);
	out->deviant_region = region_of(view, number_at(view, at, PH_PLANE_DEVIANT_REGION, 2));
	out->deviant_share = (uint8_t) number_at(view, at, PH_PLANE_DEVIANT_SHARE, 1);
	out->deviant_longest =
		(PhShownCall){ph_tile_unfloat(number_at(view, at, PH_PLANE_DEVIANT_NS, 2), PH_TILE_NS_BITS),
					  region_of(view, number_at(view, at, PH_PLANE_DEVIANT_CALL, 2))};
}

/* A location is its own deviant. */
static void
get_location(PhShownCell *out)
{
	out->longest_location = out->deviant = 0;
	out->n_present = !out->is_empty;
	out->deviant_shares = out->shares;
	out->deviant_region = out->region[0];
	out->deviant_share = out->share[0];
	out->deviant_longest = out->longest;
}

void
ph_tile_cell(const PhTileView *view, uint32_t row, uint32_t bin, PhShownCell *out)
{
	size_t at = (size_t) row * view->n_bins + bin;
	get_regions(view, at, out);
	out->shares = shares_at(view, at, PH_PLANE_SHARES);
	get_longest(view, at, out);
	out->depth = (uint8_t) number_at(view, at, PH_PLANE_DEPTH, 1);
	out->n_messages =
		(uint32_t) ph_tile_unfloat(number_at(view, at, PH_PLANE_MESSAGES, 1), PH_TILE_MESSAGE_BITS);
	out->is_empty = out->depth == 0 && out->longest.ns == 0 && out->n_messages == 0 &&
					out->shares.outside == UINT8_MAX;
	if (view->tier > 0)
		get_group(view, at, out);
	else
		get_location(out);
}
