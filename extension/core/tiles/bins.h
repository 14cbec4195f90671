/*
 * bins.h - the events of a location as exact sums by bin and region, and as cells.
 *
 * A bin has 2^level ns and begins at a multiple of that. Events come in order, so one bin is open
 * at a time; what is closed is a list of regions with their time. Bins may be joined in pairs,
 * without loss. Memory: 16 bytes for each region that occurs in a bin.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_BINS_H
#define PH_TILES_BINS_H

#include "tiles/cell.h"
#include "trace/chunk/chunk.h"

/* Regions in bins; a location that needs more is PH_ERR_LIMIT. */
#define PH_BINS_MOST_ENTRIES (1u << 23)

typedef struct PhBins PhBins;

/* activities: by region, n_regions of them; they must stay. */
PhStatus ph_bins_new(PhEnv *env, const uint8_t *activities, uint32_t n_regions,
					 PhBins **out) PH_MUST_CHECK;
void ph_bins_free(PhBins *bins);

/* Begin a location: from time 0 on, at the lowest level with at most most_bins (16 and up). */
void ph_bins_begin(PhBins *bins, uint32_t most_bins);

/* Begin a location: n_bins bins of a level from first_bin on. */
void ph_bins_begin_window(PhBins *bins, uint32_t level, int64_t first_bin, uint32_t n_bins);

/*
 * The location's next chunk; reader was opened on it with PH_WANT_CALLS. Of a window: all chunks
 * that reach into it, from the one on whose time begins before it. PH_ERR_FORMAT: a region does not
 * exist; PH_ERR_LIMIT.
 */
PhStatus ph_bins_add_chunk(PhBins *bins, const PhChunk *chunk,
						   const PhChunkReader *reader) PH_MUST_CHECK;

/* No more chunks: the bins are what follows says. */
PhStatus ph_bins_end(PhBins *bins) PH_MUST_CHECK;

uint32_t ph_bins_level(const PhBins *bins);
bool ph_bins_is_window(const PhBins *bins);
int64_t ph_bins_first(const PhBins *bins);
/* A location that never enters a call has no cells that tell anything. */
bool ph_bins_has_calls(const PhBins *bins);
/* Up to the last event. */
uint32_t ph_bins_count(const PhBins *bins);

/* The counters of its cells at most; joining makes no more of them. */
uint32_t ph_bins_most_counters(const PhBins *bins);

/* The bins as cells of the location; counters go behind the *n_counters that are there. */
PhStatus ph_bins_cells(const PhBins *bins, PhOwnCell *cells, PhCounter *counters,
					   uint32_t *n_counters) PH_MUST_CHECK;

/* Join pairs: one level up. Not of windows. */
PhStatus ph_bins_join(PhBins *bins) PH_MUST_CHECK;

#endif
