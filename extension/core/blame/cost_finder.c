/*
 * cost_finder.c - see cost_finder.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/cost_finder.h"

#include "base/sort.h"
#include "base/table.h"
#include "blame/device_collection.h"
#include "blame/device_places.h"
#include "blame/device_waits.h"
#include "blame/node_keys.h"

/* Its columns follow. */
typedef struct KeptChunk
{
	size_t size;
	PhChunk chunk;
} KeptChunk;

struct PhCostFinder
{
	PhEnv *env;
	PhTraceModel model; /* without metrics: they belong to no wait */
	uint32_t wants;		/* of the tree */
	PhSkeleton *skeleton;
	PH_VECTOR(KeptChunk *) chunks;
	bool was_fed; /* the tree, with the chunks; which came to what */
	PhStatus fed;
	PhDeviceCollection devices;
	PhWaitStates waits;		 /* with those for devices */
	PhWaitStates path_waits; /* those that the critical path follows */
	PhDevicePlaces *places;	 /* NULL: without devices */
	PhPathTimes *times;
	PhOnPath *on_path;
	PhStatus measured; /* what went wrong when the tree told of its stretches */
};

PhStatus
ph_cost_finder_new(PhEnv *env, const PhTraceModel *model, uint32_t wants, PhCostFinder **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhCostFinder), &memory));
	PhCostFinder *finder = memory;
	finder->env = env;
	finder->model = *model;
	finder->model.n_metrics = 0;
	finder->wants = wants;
	finder->devices = (PhDeviceCollection){.env = env, .model = &finder->model};
	finder->devices.activities.location = PH_NONE;
	PhStatus status = ph_skeleton_new(env, &finder->model, &finder->skeleton);
	if (status != PH_OK)
	{
		ph_cost_finder_free(finder);
		return status;
	}
	ph_skeleton_keep(finder->skeleton, PH_KEEP_CAME);
	*out = finder;
	return PH_OK;
}

static void
free_chunks(PhCostFinder *finder)
{
	for (uint32_t i = 0; i < finder->chunks.count; i++)
		ph_env_free(finder->env, finder->chunks.items[i], finder->chunks.items[i]->size, 1);
	PH_VECTOR_FREE(finder->env, &finder->chunks);
}

void
ph_cost_finder_free(PhCostFinder *finder)
{
	if (finder == NULL)
		return;
	free_chunks(finder);
	ph_device_collection_free(&finder->devices);
	ph_path_times_free(finder->times);
	ph_skeleton_free(finder->skeleton);
	ph_env_free(finder->env, finder, 1, sizeof(PhCostFinder));
}

/* ---- collecting ---- */

/* A location waits for others and for files only. */
static bool
is_alone(const PhCostFinder *finder)
{
	return finder->model.n_locations == 1 && finder->skeleton->io_regions == NULL;
}

static PhStatus
keep_chunk(PhCostFinder *finder, const PhChunk *chunk)
{
	PhChunk copy = *chunk;
	void *memory;
	if (((finder->wants | ph_skeleton_wants(finder->skeleton)) & PH_WANT_EXTRA) == 0)
		copy.extra = (PhBytes){NULL, 0};
	size_t size = sizeof(KeptChunk) + ph_chunk_column_bytes(&copy);
	PH_TRY(PH_ROOM(finder->env, &finder->chunks));
	PH_TRY(ph_env_alloc(finder->env, size, 1, &memory));
	KeptChunk *kept = memory;
	ph_chunk_copy_columns(&copy, (uint8_t *) (kept + 1));
	*kept = (KeptChunk){size, copy};
	finder->chunks.items[finder->chunks.count++] = kept;
	return PH_OK;
}

bool
ph_cost_finder_feeds(const PhCostFinder *finder)
{
	return !is_alone(finder);
}

PhStatus
ph_cost_finder_add_chunk(PhCostFinder *finder, const PhChunk *chunk, const PhChunkReader *reader)
{
	if (!is_alone(finder))
		return keep_chunk(finder, chunk);
	if (ph_skeleton_communicates(finder->skeleton))
		return PH_OK;
	return ph_skeleton_add_chunk(finder->skeleton, chunk, reader, NULL, 0);
}

PhStatus
ph_cost_finder_launches(PhCostFinder *finder, const PhLaunches *launches)
{
	finder->devices.launches = launches;
	return PH_OK;
}

PhStatus
ph_cost_finder_add_activities(PhCostFinder *finder, const PhChunk *chunk,
							  const PhChunkReader *reader, const PhLink *links)
{
	PH_TRY(ph_skeleton_add_chunk(finder->skeleton, chunk, reader, NULL, 0));
	return ph_device_collection_add(&finder->devices, chunk, reader, links);
}

PhStatus
ph_cost_finder_merge(PhCostFinder *finder, PhCostFinder *other)
{
	for (uint32_t i = 0; i < other->chunks.count; i++)
	{
		PH_TRY(PH_ROOM(finder->env, &finder->chunks));
		finder->chunks.items[finder->chunks.count++] = other->chunks.items[i];
		other->chunks.items[i] = NULL;
	}
	other->chunks.count = 0;
	PH_TRY(ph_device_collection_merge(&finder->devices, &other->devices));
	return ph_skeleton_merge(finder->skeleton, other->skeleton);
}

PhStatus
ph_cost_finder_link(PhCostFinder *finder, uint32_t location, const PhLink *links, uint64_t count)
{
	return is_alone(finder) ? PH_OK : ph_skeleton_link(finder->skeleton, location, links, count);
}

/* ---- what was kept ---- */

static int
compare_chunks(const void *context, uint32_t x, uint32_t y)
{
	KeptChunk *const *chunks = context;
	const PhChunk *a = &chunks[x]->chunk, *b = &chunks[y]->chunk;
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return a->chunk_no < b->chunk_no ? -1 : a->chunk_no > b->chunk_no;
}

/* All chunks that were kept, by location and number, into the tree or (NULL) into the skeleton. */
static PhStatus
pass_chunks(PhCostFinder *finder, PhTraceTree *tree, PhArena *scratch, PhChunkReader *reader)
{
	uint32_t wants = tree == NULL ? ph_skeleton_wants(finder->skeleton) : finder->wants, *order;
	PH_TRY(ph_sort_indices(scratch, finder->chunks.count, compare_chunks, finder->chunks.items,
						   &order));
	for (uint32_t i = 0; i < finder->chunks.count; i++)
	{
		const PhChunk *chunk = &finder->chunks.items[order[i]]->chunk;
		PH_TRY(ph_env_poll_now(finder->env));
		PH_TRY(ph_chunk_reader_open(reader, chunk, wants));
		PH_TRY(tree == NULL ? ph_skeleton_add_chunk(finder->skeleton, chunk, reader, NULL, 0)
							: ph_trace_tree_add_chunk(tree, chunk, reader, INT64_MIN, INT64_MAX));
	}
	return PH_OK;
}

static PhStatus
pass_all(PhCostFinder *finder, PhTraceTree *tree)
{
	PhArena scratch;
	PhChunkReader *reader;
	PH_TRY(ph_chunk_reader_new(finder->env, &reader));
	ph_arena_init(&scratch, finder->env);
	PhStatus status = pass_chunks(finder, tree, &scratch, reader);
	ph_arena_drop(&scratch);
	ph_chunk_reader_free(reader);
	return status;
}

PhStatus
ph_cost_finder_collect(PhCostFinder *finder)
{
	return is_alone(finder) ? PH_OK : pass_all(finder, NULL);
}

/* Once: a tree that was fed a part is of no use. */
PhStatus
ph_cost_finder_feed(PhCostFinder *finder, PhTraceTree *tree)
{
	if (finder->was_fed)
		return finder->fed;
	finder->was_fed = true;
	finder->fed = pass_all(finder, tree);
	free_chunks(finder);
	return finder->fed;
}

/* Then the tree has everything. */
static PhStatus
complete_tree(PhCostFinder *finder, PhTraceTree *tree)
{
	PH_TRY(ph_cost_finder_feed(finder, tree));
	return ph_trace_tree_settle(tree);
}

/* ---- nobody waits ---- */

/* The critical path is all of the location that ends last, the first of equals. */
static uint32_t
last_location(const PhCostFinder *finder)
{
	const PhCommLocation *locations = finder->skeleton->locations;
	uint32_t last = 0;
	for (uint32_t i = 1; i < finder->model.n_locations; i++)
		if (locations[i].last_time > locations[last].last_time)
			last = i;
	return last;
}

static PhStatus
find_without_waits(PhCostFinder *finder, PhTraceTree *tree, PhArena *arena, PhTreeCosts *out)
{
	const PhWaitStates none = {0};
	const PhBlame no_blame = {0};
	PH_TRY(complete_tree(finder, tree));
	PH_TRY(ph_on_path_whole(arena, tree, last_location(finder), &finder->on_path));
	PhUnitCostInput input = {
		.waits = &none, .blame = &no_blame, .on_path = finder->on_path, .tree = tree};
	return ph_unit_costs_find(arena, &input, out);
}

/* ---- devices ---- */

static bool
has_devices(const PhCostFinder *finder)
{
	return finder->devices.activities.list.count > 0;
}

/* Who launched activities, and who waited for them, is in the chunks of threads. */
static PhStatus
find_device_work(PhCostFinder *finder, PhArena *scratch, PhChunkReader *reader)
{
	PH_TRY(ph_device_collection_begin(&finder->devices, scratch));
	for (uint32_t i = 0; i < finder->chunks.count; i++)
	{
		PH_TRY(ph_env_poll_now(finder->env));
		PH_TRY(
			ph_device_collection_calls(&finder->devices, &finder->chunks.items[i]->chunk, reader));
	}
	return ph_device_collection_finish(&finder->devices, scratch);
}

static PhStatus
add_device_waits(PhCostFinder *finder, PhArena *scratch)
{
	PhWaitStates waits = finder->waits;
	PhChunkReader *reader;
	PH_TRY(ph_chunk_reader_new(finder->env, &reader));
	PhStatus status = find_device_work(finder, scratch, reader);
	ph_chunk_reader_free(reader);
	PH_TRY(status);
	PH_TRY(ph_device_dependences(scratch, &finder->devices.work, &waits, &finder->path_waits));
	return ph_device_waits_find(scratch, &finder->devices.work, finder->skeleton, &waits,
								&finder->path_waits, &finder->waits);
}

/* ---- what the tree tells of the chunks ---- */

/* The tree goes on, whatever becomes of the costs. */
static PhStatus
take_stretches(void *user, uint32_t location, const PhStretch *stretches, uint32_t n)
{
	PhCostFinder *finder = user;
	if (finder->measured == PH_OK)
		finder->measured = ph_on_path_stretches(finder->on_path, location, stretches, n);
	if (finder->measured == PH_OK)
		finder->measured = ph_path_times_stretches(finder->times, location, stretches, n);
	return PH_OK;
}

/* Activities are told of when all launching calls were met. */
static PhStatus
look_at_devices(PhCostFinder *finder, PhTraceTree *tree, PhArena *scratch)
{
	if (!has_devices(finder))
		return PH_OK;
	PH_TRY(PH_NEW(scratch, 1, &finder->places));
	return ph_device_places_find(scratch, &finder->devices.activities, &finder->model, tree,
								 take_stretches, finder, finder->places);
}

/* What each call path took between the waits, and of the critical path. */
static PhStatus
measure_paths(PhCostFinder *finder, PhTraceTree *tree, PhArena *scratch,
			  const PhWaitInterval *intervals)
{
	const PhPathOptions options = {.is_merged = false};
	PhCriticalPath *path;
	PH_TRY(
		ph_critical_path_new(finder->env, finder->skeleton, &finder->path_waits, &options, &path));
	PhStatus status = ph_on_path_new(scratch, path, finder->skeleton, &finder->on_path);
	ph_critical_path_free(path);
	ph_skeleton_keep_times(finder->skeleton); /* what follows takes the memory */
	if (status == PH_OK)
		status = ph_path_times_new(finder->env, &finder->waits, intervals, &finder->times);
	PH_TRY(status);
	ph_trace_tree_watch(tree, take_stretches, finder);
	status = complete_tree(finder, tree);
	ph_trace_tree_watch(tree, NULL, NULL);
	PH_TRY(status);
	PH_TRY(look_at_devices(finder, tree, scratch));
	PH_TRY(finder->measured);
	return ph_path_times_finish(finder->times, ph_trace_tree_n_nodes(tree));
}

/* ---- all ---- */

static PhStatus
find_with_waits(PhCostFinder *finder, PhTraceTree *tree, const uint64_t *region_ids,
				PhArena *scratch, PhArena *arena, PhTreeCosts *out)
{
	const PhWaitStates *waits = &finder->waits;
	const PhWaitInterval *intervals;
	PhBlameInput input = {.waits = waits, .from = INT64_MIN, .to = INT64_MAX, .sums_only = true};
	PhBlame blame;
	PH_TRY(ph_wait_intervals(scratch, finder->skeleton, waits, &intervals));
	PH_TRY(measure_paths(finder, tree, scratch, intervals));
	input.intervals = intervals;
	input.times = finder->times;
	input.n_nodes = ph_trace_tree_n_nodes(tree);
	PH_TRY(ph_node_keys(scratch, tree, region_ids, &input.node_keys));
	PH_TRY(ph_blame_find(scratch, &input, &blame));
	PhUnitCostInput wanted = {.waits = waits,
							  .wait_nodes = ph_path_times_wait_nodes(finder->times),
							  .blame = &blame,
							  .on_path = finder->on_path,
							  .tree = tree,
							  .places = finder->places};
	return ph_unit_costs_find(arena, &wanted, out);
}

static PhStatus
find(PhCostFinder *finder, PhTraceTree *tree, const uint64_t *region_ids, PhArena *scratch,
	 PhArena *arena, PhTreeCosts *out)
{
	if (!is_alone(finder))
	{
		PH_TRY(ph_skeleton_finish(finder->skeleton));
		PH_TRY(ph_wait_times_find(scratch, finder->skeleton, &finder->waits));
		finder->path_waits = finder->waits;
	}
	if (has_devices(finder))
		PH_TRY(add_device_waits(finder, scratch));
	if (finder->waits.n == 0 && !has_devices(finder))
		return find_without_waits(finder, tree, arena, out);
	return find_with_waits(finder, tree, region_ids, scratch, arena, out);
}

PhStatus
ph_cost_finder_find(PhCostFinder *finder, PhTraceTree *tree, const uint64_t *region_ids,
					PhArena *arena, PhTreeCosts out[PH_UNIT_COST_KINDS], uint32_t *n)
{
	PhArena scratch;
	*n = 0;
	if (!ph_skeleton_communicates(finder->skeleton) && !has_devices(finder))
		return complete_tree(finder, tree);
	ph_arena_init(&scratch, finder->env);
	PhStatus status = find(finder, tree, region_ids, &scratch, arena, out);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		*n = PH_UNIT_COST_KINDS;
	return status;
}
