/*
 * tiles.h - the pyramid of a trace, made of its chunks while it is read.
 *
 * What several threads read of a trace meets in one PhTraceTiles; a thread has a PhTileThread and
 * takes the lock once a location. Memory: of the blocks of 64 locations that are being read
 * 160 bytes a cell, of the others their tiles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_TILES_H
#define PH_PIPELINE_TRACE_TILES_H

#include "tiles/pyramid.h"

typedef struct PhTraceTiles PhTraceTiles;
typedef struct PhTileThread PhTileThread;

/* events_per_location: as the source declares them; 0: it does not. The model must stay. */
PhStatus ph_trace_tiles_new(PhEnv *env, const PhTraceModel *model, uint64_t events_per_location,
							PhTraceTiles **out) PH_MUST_CHECK;
void ph_trace_tiles_free(PhTraceTiles *tiles);

/* In memory of the thread's env; tiles NULL: no thread, and nothing to do in what follows. */
PhStatus ph_tile_thread_new(PhEnv *env, PhTraceTiles *tiles, PhTileThread **out) PH_MUST_CHECK;
void ph_tile_thread_free(PhTileThread *thread);

/*
 * The next chunk of the location that the thread reads, and its end. A location with too many
 * regions for tiles is no failure: the trace has no pyramid then.
 */
PhStatus ph_tile_thread_chunk(PhTileThread *thread, const PhChunk *chunk,
							  const PhChunkReader *reader) PH_MUST_CHECK;
PhStatus ph_tile_thread_end(PhTileThread *thread, uint32_t location) PH_MUST_CHECK;

/*
 * When all is read: the tiles to store, of the run's finest level (duration: its last event) up to
 * that of one bin. They belong to `tiles`; none when a location had too many regions.
 */
PhStatus ph_trace_tiles_finish(PhTraceTiles *tiles, int64_t duration, const PhTile **out,
							   size_t *n) PH_MUST_CHECK;

#endif
