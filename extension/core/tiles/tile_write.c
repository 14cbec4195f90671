/*
 * tile_write.c - see tile.h: cells into planes of bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/crc32c.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/vector.h"
#include "tiles/tile_planes.h"
#include "trace/chunk/codec.h"

#define MOST_REGIONS UINT16_MAX
/* version, rows, bins; number of regions; which planes are there */
#define HEAD_BYTES (1 + 1 + 2 + 2 + 5)

struct PhTileWriter
{
	PhEnv *env;
	uint32_t n_regions;
	uint32_t *places;  /* by region: 1 + place in the tile's list; 0: not in it */
	PhIndices regions; /* of the tile */
	PhIndices sorting;
	uint8_t *planes; /* all that a tile may have */
	void *state;	 /* LZ4's */
	PhBuffer plain, packed;
};

PhStatus
ph_tile_writer_new(PhEnv *env, uint32_t n_regions, PhTileWriter **out)
{
	PhTileWriter *writer;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*writer), (void **) &writer));
	writer->env = env;
	writer->n_regions = n_regions;
	PhStatus status = ph_env_alloc(env, (size_t) n_regions + 1, sizeof(*writer->places),
								   (void **) &writer->places);
	if (status == PH_OK)
		status = ph_env_alloc(env, (size_t) PH_TILE_ROWS * PH_TILE_BINS, PH_TILE_PLANES,
							  (void **) &writer->planes);
	if (status == PH_OK)
		status = ph_env_alloc(env, ph_pack_state_size(), 1, &writer->state);
	if (status != PH_OK)
		ph_tile_writer_free(writer);
	else
		*out = writer;
	return status;
}

void
ph_tile_writer_free(PhTileWriter *writer)
{
	if (writer == NULL)
		return;
	PhEnv *env = writer->env;
	ph_env_free(env, writer->places, (size_t) writer->n_regions + 1, sizeof(*writer->places));
	ph_env_free(env, writer->planes, (size_t) PH_TILE_ROWS * PH_TILE_BINS, PH_TILE_PLANES);
	ph_env_free(env, writer->state, ph_pack_state_size(), 1);
	PH_VECTOR_FREE(env, &writer->regions);
	PH_VECTOR_FREE(env, &writer->sorting);
	ph_buffer_free(env, &writer->plain);
	ph_buffer_free(env, &writer->packed);
	ph_env_free(env, writer, 1, sizeof(*writer));
}

/* ---- what is shown of a cell ---- */

static uint8_t
byte_of(uint64_t share, uint64_t whole)
{
	uint64_t byte = (share * UINT8_MAX + whole / 2) / whole;
	return (uint8_t) PH_MIN(byte, (uint64_t) UINT8_MAX);
}

static uint8_t
take_byte(uint8_t byte, uint8_t *rest)
{
	byte = byte < *rest ? byte : *rest;
	*rest = (uint8_t) (*rest - byte);
	return byte;
}

/* Time outside comes first, so that none is shown where there is none, whatever rounding does. */
static PhShownShares
shown_shares(const uint64_t *activity, uint64_t whole)
{
	PhShownShares shares;
	uint64_t inside = 0;
	uint8_t rest = UINT8_MAX;
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		inside += activity[i];
	uint64_t outside = whole - PH_MIN(inside, whole);
	shares.outside =
		outside < (PH_ACTIVITIES + 1) * (whole / PH_CELL_WHOLE) ? 0 : byte_of(outside, whole);
	take_byte(shares.outside, &rest);
	shares.communication = take_byte(byte_of(activity[PH_ACTIVITY_COMMUNICATION], whole), &rest);
	shares.waiting = take_byte(byte_of(activity[PH_ACTIVITY_WAITING], whole), &rest);
	shares.device = take_byte(byte_of(activity[PH_ACTIVITY_DEVICE], whole), &rest);
	return shares;
}

static PhShownShares
shown_cell_shares(const PhBinCell *cell, uint64_t whole)
{
	uint64_t activity[PH_ACTIVITIES];
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		activity[i] = cell->activity[i];
	return shown_shares(activity, whole);
}

static PhShownShares
shown_deviant_shares(const PhBinDeviant *deviant)
{
	uint64_t activity[PH_ACTIVITIES];
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		activity[i] = deviant->activity[i];
	return shown_shares(activity, PH_CELL_WHOLE);
}

static bool
is_empty(const PhBinCell *cell)
{
	return cell->n_present == 0 && cell->longest.ns == 0 && cell->depth == 0 &&
		   cell->n_messages == 0;
}

/* ---- regions of the tile ---- */

static PhStatus
note_region(PhTileWriter *writer, uint32_t region)
{
	if (writer->places[region] != 0)
		return PH_OK;
	writer->places[region] = 1;
	return ph_indices_add(writer->env, &writer->regions, region);
}

static PhStatus
note_cell(PhTileWriter *writer, const PhBinCell *cell, uint64_t whole, bool is_group)
{
	for (uint32_t i = 0; i < PH_CELL_SHOWN && byte_of(cell->share[i], whole) > 0; i++)
		PH_TRY(note_region(writer, cell->region[i]));
	if (cell->longest.ns > 0)
		PH_TRY(note_region(writer, cell->longest.region));
	if (!is_group)
		return PH_OK;
	if (byte_of(cell->deviant.share[0], PH_CELL_WHOLE) > 0)
		PH_TRY(note_region(writer, cell->deviant.region[0]));
	return cell->deviant.longest.ns > 0 ? note_region(writer, cell->deviant.longest.region) : PH_OK;
}

static int
compare_regions(const void *context, uint32_t x, uint32_t y)
{
	(void) context;
	return (x > y) - (x < y);
}

static PhStatus
sort_regions(PhTileWriter *writer)
{
	uint32_t n = writer->regions.count;
	if (n > MOST_REGIONS)
		return ph_fail(writer->env, PH_ERR_LIMIT, "a tile has too many regions");
	PH_TRY(PH_RESERVE(writer->env, &writer->sorting, (size_t) n + 1));
	PH_TRY(ph_sort(writer->env, writer->regions.items, n, writer->sorting.items, compare_regions,
				   NULL));
	for (uint32_t i = 0; i < n; i++)
		writer->places[writer->regions.items[i]] = i + 1;
	return PH_OK;
}

static void
forget_regions(PhTileWriter *writer)
{
	for (uint32_t i = 0; i < writer->regions.count; i++)
		writer->places[writer->regions.items[i]] = 0;
	writer->regions.count = 0;
}

/* ---- planes ---- */

static uint32_t
planes_of(uint32_t tier)
{
	return tier == 0 ? PH_PLANES_OF_LOCATIONS : PH_TILE_PLANES;
}

/* A cell's place in the planes. */
typedef struct PlaneCell
{
	uint8_t *bytes; /* in the first plane */
	size_t step;	/* from one plane to the next */
} PlaneCell;

static void
put_number(PlaneCell at, uint32_t plane, uint32_t n, uint64_t value)
{
	for (uint32_t i = 0; i < n; i++)
		at.bytes[(plane + i) * at.step] = (uint8_t) (value >> 8 * i);
}

static void
put_shares(PlaneCell at, uint32_t plane, PhShownShares shares)
{
	at.bytes[plane * at.step] = shares.communication;
	at.bytes[(plane + 1) * at.step] = shares.waiting;
	at.bytes[(plane + 2) * at.step] = shares.device;
	at.bytes[(plane + 3) * at.step] = shares.outside;
}

/* The longest call's region is most often one of those that are shown. */
static void
put_longest(const PhTileWriter *writer, PlaneCell at, const PhBinCell *cell, uint32_t n_shown)
{
	uint32_t which = 0;
	if (cell->longest.ns == 0)
		return;
	while (which < n_shown && cell->region[which] != cell->longest.region)
		which++;
	if (which == n_shown)
	{
		which = PH_TILE_OTHER;
		put_number(at, PH_PLANE_OTHER, 2, writer->places[cell->longest.region]);
	}
	put_number(at, PH_PLANE_LONGEST, 2,
			   ph_tile_float((uint64_t) cell->longest.ns, PH_TILE_NS_BITS) |
				   which << PH_TILE_WHICH_SHIFT);
}

static void
put_cell(const PhTileWriter *writer, PlaneCell at, const PhBinCell *cell, uint64_t whole)
{
	uint32_t n_shown = 0;
	for (; n_shown < PH_CELL_SHOWN; n_shown++)
	{
		uint8_t share = byte_of(cell->share[n_shown], whole);
		if (share == 0)
			break;
		uint32_t place = writer->places[cell->region[n_shown]];
		at.bytes[(PH_PLANE_REGION + n_shown) * at.step] = (uint8_t) place;
		at.bytes[(PH_PLANE_REGION + PH_CELL_SHOWN + n_shown) * at.step] = (uint8_t) (place >> 8);
		at.bytes[(PH_PLANE_SHARE + n_shown) * at.step] = share;
	}
	put_longest(writer, at, cell, n_shown);
	put_number(at, PH_PLANE_DEPTH, 1, PH_MIN(cell->depth, (uint32_t) UINT8_MAX));
	put_number(at, PH_PLANE_MESSAGES, 1, ph_tile_float(cell->n_messages, PH_TILE_MESSAGE_BITS));
	put_shares(at, PH_PLANE_SHARES, shown_cell_shares(cell, whole));
}

static void
put_group(const PhTileWriter *writer, PlaneCell at, const PhBinCell *cell, uint64_t first_location)
{
	const PhBinDeviant *deviant = &cell->deviant;
	uint8_t share = byte_of(deviant->share[0], PH_CELL_WHOLE);
	if (cell->longest.ns > 0)
		put_number(at, PH_PLANE_WHERE, 3, cell->longest.location - first_location);
	put_number(at, PH_PLANE_PRESENT, 3, cell->n_present);
	put_number(at, PH_PLANE_DEVIANT, 3, deviant->location - first_location);
	put_shares(at, PH_PLANE_DEVIANT_SHARES, shown_deviant_shares(deviant));
	if (share > 0)
	{
		put_number(at, PH_PLANE_DEVIANT_REGION, 2, writer->places[deviant->region[0]]);
		put_number(at, PH_PLANE_DEVIANT_SHARE, 1, share);
	}
	if (deviant->longest.ns == 0)
		return;
	put_number(at, PH_PLANE_DEVIANT_CALL, 2, writer->places[deviant->longest.region]);
	put_number(at, PH_PLANE_DEVIANT_NS, 2,
			   ph_tile_float((uint64_t) deviant->longest.ns, PH_TILE_NS_BITS));
}

static const PhBinCell no_cell;

static const PhBinCell *
cell_at(const PhTileCells *cells, uint32_t row, uint32_t bin)
{
	return bin < cells->n_cells[row] ? &cells->rows[row][bin] : &no_cell;
}

/* Empty cells of groups have no deviant either: they are 0 but for the time outside. */
static PhStatus
fill_planes(PhTileWriter *writer, const PhTileCells *cells, uint32_t n_bins)
{
	size_t step = (size_t) cells->n_rows * n_bins;
	memset(writer->planes, 0, step * planes_of(cells->tier));
	for (uint32_t row = 0; row < cells->n_rows; row++)
	{
		uint64_t whole = (uint64_t) PH_CELL_WHOLE * PH_MAX(cells->n_locations[row], 1u);
		uint64_t first = cells->first_location + row * ph_tier_locations(cells->tier);
		PH_TRY(ph_env_poll(writer->env));
		for (uint32_t bin = 0; bin < n_bins; bin++)
		{
			const PhBinCell *cell = cell_at(cells, row, bin);
			PlaneCell at = {writer->planes + (size_t) row * n_bins + bin, step};
			put_cell(writer, at, cell, whole);
			if (cells->tier > 0 && !is_empty(cell))
				put_group(writer, at, cell, first);
		}
	}
	return PH_OK;
}

/* ---- the tile ---- */

static uint32_t
used_bins(const PhTileCells *cells)
{
	uint32_t n = 0;
	for (uint32_t row = 0; row < cells->n_rows; row++)
	{
		uint32_t used = PH_MIN(cells->n_cells[row], cells->n_bins);
		while (used > n && is_empty(&cells->rows[row][used - 1]))
			used--;
		n = PH_MAX(n, used);
	}
	return n;
}

static PhStatus
find_regions(PhTileWriter *writer, const PhTileCells *cells, uint32_t n_bins)
{
	for (uint32_t row = 0; row < cells->n_rows; row++)
	{
		uint64_t whole = (uint64_t) PH_CELL_WHOLE * PH_MAX(cells->n_locations[row], 1u);
		uint32_t n = PH_MIN(cells->n_cells[row], n_bins);
		for (uint32_t bin = 0; bin < n; bin++)
			if (!is_empty(&cells->rows[row][bin]))
				PH_TRY(note_cell(writer, &cells->rows[row][bin], whole, cells->tier > 0));
	}
	return sort_regions(writer);
}

static uint64_t
present_planes(const uint8_t *planes, size_t step, uint32_t n_planes)
{
	uint64_t present = 0;
	for (uint32_t i = 0; i < n_planes; i++)
	{
		const uint8_t *plane = planes + i * step;
		if (step > 0 && (plane[0] != 0 || memcmp(plane, plane + 1, step - 1) != 0))
			present |= UINT64_C(1) << i;
	}
	return present;
}

static PhStatus
write_plain(PhTileWriter *writer, const PhTileCells *cells, uint32_t n_bins, size_t *size)
{
	size_t step = (size_t) cells->n_rows * n_bins;
	uint64_t present = present_planes(writer->planes, step, planes_of(cells->tier));
	size_t most =
		HEAD_BYTES + (size_t) 4 * (cells->n_rows + writer->regions.count) + step * PH_TILE_PLANES;
	PH_TRY(ph_buffer_reserve(writer->env, &writer->plain, most));
	PhByteWriter out = {writer->plain.data};
	ph_put(&out, PH_TILE_VERSION, 1);
	ph_put(&out, cells->n_rows - 1, 1);
	ph_put(&out, n_bins, 2);
	for (uint32_t row = 0; row < cells->n_rows; row++)
		ph_put(&out, cells->n_locations[row], 4);
	ph_put(&out, writer->regions.count, 2);
	for (uint32_t i = 0; i < writer->regions.count; i++)
		ph_put(&out, writer->regions.items[i], 4);
	ph_put(&out, present, 5);
	for (uint32_t i = 0; i < PH_TILE_PLANES; i++)
		if ((present >> i & 1) != 0)
			ph_put_bytes(&out, writer->planes + i * step, step);
	*size = (size_t) (out.at - writer->plain.data);
	return PH_OK;
}

PhStatus
ph_tile_encode(PhTileWriter *writer, const PhTileCells *cells, PhBytes *out)
{
	size_t size = 0;
	uint32_t n_bins = used_bins(cells);
	PhStatus status = find_regions(writer, cells, n_bins);
	if (status == PH_OK)
		status = fill_planes(writer, cells, n_bins);
	if (status == PH_OK)
		status = write_plain(writer, cells, n_bins, &size);
	forget_regions(writer);
	PH_TRY(status);
	return ph_pack(writer->env, writer->plain.data, size, writer->state, &writer->packed, out);
}

uint32_t
ph_tile_crc(const PhTile *tile)
{
	uint32_t crc = ph_crc32c_add_number(0, tile->tier);
	crc = ph_crc32c_add_number(crc, tile->level);
	crc = ph_crc32c_add_number(crc, tile->block);
	crc = ph_crc32c_add_number(crc, tile->x);
	return ph_crc32c_add_bytes(crc, tile->bytes);
}
