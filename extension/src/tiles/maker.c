/*
 * maker.c - see maker.h.
 *
 * Chunks come by location; locations that have no chunk in the window still count as those that
 * are outside of calls there, so which have calls at all is looked up before.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/query_rows.h"
#include "tiles/maker.h"

static const char locations_sql[] =
	"SELECT DISTINCT location_id FROM perfhouse.trace_chunk WHERE run_id = $1 AND n_enter > 0";

struct PhTileMaker
{
	PhTraceRun *trace;
	uint8 *activities; /* by region */
	bool *has_calls;   /* by location */
	bool *is_wanted;   /* by location: by the request at hand */
};

/* A request on its way. */
typedef struct Making
{
	const PhTileMaker *maker;
	const PhTileRequest *request;
	PhPyramid *pyramid;
	PhBins *bins;
	uint32 next;   /* locations before have been put */
	bool is_begun; /* that one */
} Making;

static void
receive_location(void *user, TupleTableSlot *slot)
{
	PhTileMaker *maker = user;
	uint32 location = ph_trace_slot_index(maker->trace, slot, 0, maker->trace->model.n_locations,
										  "a chunk is of a location that it does not have");
	maker->has_calls[location] = true;
}

PhTileMaker *
ph_tile_maker(PhTraceRun *trace)
{
	PhArena *arena = &trace->scratch->arena;
	PhTileMaker *maker;
	PH_CHECK(arena->env, PH_NEW(arena, 1, &maker));
	maker->trace = trace;
	PH_CHECK(arena->env, ph_region_activities(arena, &trace->model, &maker->activities));
	PH_CHECK(arena->env, PH_NEW(arena, (size_t) trace->model.n_locations + 1, &maker->has_calls));
	PH_CHECK(arena->env, PH_NEW(arena, (size_t) trace->model.n_locations + 1, &maker->is_wanted));
	ph_query_rows(locations_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_location, maker);
	return maker;
}

static PhEnv *
env_of(const Making *making)
{
	return &making->maker->trace->scratch->env;
}

static void
begin_location(Making *making)
{
	const PhTileRequest *request = making->request;
	if (request->n_bins == 0)
		ph_bins_begin(making->bins, request->most_bins);
	else
		ph_bins_begin_window(making->bins, request->level, request->first_bin, request->n_bins);
	making->is_begun = true;
}

static void
end_location(Making *making)
{
	PhPyramidRow *row;
	PhEnv *env = env_of(making);
	PH_CHECK(env, ph_bins_end(making->bins));
	PH_CHECK(env, ph_pyramid_row_new(making->pyramid, making->bins, making->next, &row));
	PH_CHECK(env, ph_pyramid_row_fill(row, making->bins));
	PH_CHECK(env, ph_pyramid_put(making->pyramid, row));
	making->is_begun = false;
}

/* Put all locations before this one. */
static void
pass_locations(Making *making, uint32 location)
{
	for (; making->next < location; making->next++)
	{
		if (!making->is_begun && !making->maker->has_calls[making->next])
		{
			PH_CHECK(env_of(making), ph_pyramid_skip(making->pyramid, making->next));
			continue;
		}
		if (!making->is_begun)
			begin_location(making);
		end_location(making);
	}
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Making *making = user;
	uint32 location = chunk->chunk.location;
	if (location >= trace->model.n_locations)
		ph_trace_refuse(trace, "a chunk is of a location that it does not have");
	if (!making->maker->has_calls[location])
		return;
	pass_locations(making, location);
	if (!making->is_begun)
		begin_location(making);
	PH_CHECK(&trace->scratch->env, ph_bins_add_chunk(making->bins, &chunk->chunk, trace->reader));
}

static int64
start_of_bin(uint32 level, int64 bin)
{
	return bin > PG_INT64_MAX >> level ? PG_INT64_MAX : bin << level;
}

static PhTraceWindow
window_of(const PhTileMaker *maker, const PhTileRequest *request)
{
	PhTraceWindow window = {.from = PG_INT64_MIN, .to = PG_INT64_MAX};
	uint32 n = maker->trace->model.n_locations;
	if (request->n_bins > 0)
	{
		window.from = start_of_bin(request->level, request->first_bin);
		window.to = start_of_bin(request->level, request->first_bin + request->n_bins);
	}
	if (request->n_locations == n)
		return window;
	memset(maker->is_wanted, 0, n * sizeof(*maker->is_wanted));
	memset(maker->is_wanted + request->first_location, true, request->n_locations);
	window.locations = maker->is_wanted;
	window.n_locations = n;
	return window;
}

void
ph_tiles_make(PhTileMaker *maker, const PhTileRequest *request)
{
	PhTraceRun *trace = maker->trace;
	PhEnv *env = &trace->scratch->env;
	PhPyramidOptions options = {.n_locations = trace->model.n_locations,
								.n_regions = trace->model.n_regions,
								.tier = request->tier,
								.emit = request->emit,
								.user = request->user};
	PhChunkQuery query = {
		.window = window_of(maker, request), .want = PH_WANT_CALLS, .from_before = true};
	Making making = {.maker = maker, .request = request, .next = request->first_location};
	PH_CHECK(env, ph_pyramid_new(env, &options, &making.pyramid));
	PH_CHECK(env, ph_bins_new(env, maker->activities, options.n_regions, &making.bins));
	ph_trace_chunks(trace, &query, add_chunk, &making);
	pass_locations(&making, request->first_location + request->n_locations);
	PH_CHECK(env, ph_pyramid_finish(making.pyramid));
	ph_bins_free(making.bins);
	ph_pyramid_free(making.pyramid);
}
