/*
 * devices.c - activities of devices in a call tree: below the calls that launched them.
 *
 * A launching call is met in the chunks of its own location, maybe by another thread's tree, so an
 * activity whose call has not been met waits as a sum; sums of one launch and region are one while
 * they come together, as those of a graph do. Costs are cells of the launching location, found by
 * (location, node), so that what one loop launches 10^6 times costs one cell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "trace/chunk/device_records.h"
#include "trace/tree/internal.h"

/* ---- what is known before ---- */

static const PhTreeMetric device_metrics[PH_DEVICE_METRICS] = {
	[PH_DEVICE_TIME] = {.name = "gpu time", .unit = "s", .scale = 1e-9, .is_ours = true},
	[PH_DEVICE_KERNELS] = {.name = "gpu kernels", .unit = "count", .scale = 1, .is_ours = true},
	[PH_DEVICE_BYTES] = {.name = "gpu copy bytes", .unit = "bytes", .scale = 1, .is_ours = true},
};

static bool
has_streams(const PhTraceModel *model)
{
	for (uint32_t i = 0; model->locations != NULL && i < model->n_locations; i++)
		if (ph_location_is_stream(&model->locations[i]))
			return true;
	return false;
}

static PhStatus
note_locations(PhTraceTree *tree, const PhTraceModel *model)
{
	PhTreeDevices *devices = &tree->devices;
	PH_TRY(PH_NEW(&tree->arena, model->n_locations, &devices->is_stream));
	PH_TRY(PH_NEW(&tree->arena, model->n_locations, &devices->home));
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		int32_t rank = model->locations[i].rank;
		devices->is_stream[i] = ph_location_is_stream(&model->locations[i]);
		devices->home[i] = i;
		if (rank >= 0 && (uint32_t) rank < model->n_ranks && model->rank_location[rank] != PH_NONE)
			devices->home[i] = model->rank_location[rank];
	}
	devices->n_locations = model->n_locations;
	return PH_OK;
}

PhStatus
ph_tree_devices_init(PhTraceTree *tree, const PhTraceModel *model)
{
	PhTreeDevices *devices = &tree->devices;
	devices->location = PH_NONE;
	ph_map_init(&devices->cells, &tree->arena);
	if (!has_streams(model))
		return PH_OK;
	PH_TRY(note_locations(tree, model));
	uint32_t n_regions = model->regions == NULL ? 0 : model->n_regions;
	PH_TRY(PH_NEW(&tree->arena, n_regions, &devices->is_kernel));
	for (uint32_t i = 0; i < n_regions; i++)
		devices->is_kernel[i] = strcmp(model->regions[i].role, PH_ROLE_COPY) != 0 &&
								strcmp(model->regions[i].role, PH_ROLE_SET) != 0;
	devices->n_regions = n_regions;
	devices->first_metric = tree->n_metrics;
	for (int i = 0; i < PH_DEVICE_METRICS; i++)
		tree->metrics[tree->n_metrics++] = device_metrics[i];
	return PH_OK;
}

PhStatus
ph_trace_tree_launches(PhTraceTree *tree, const PhLaunches *launches)
{
	PhTreeDevices *devices = &tree->devices;
	PH_TRY(PH_NEW(&tree->arena, launches->calls.count, &devices->launch_node));
	for (uint32_t i = 0; i < launches->calls.count; i++)
		devices->launch_node[i] = PH_NONE;
	devices->launches = launches;
	return PH_OK;
}

void
ph_tree_devices_free(PhTraceTree *tree)
{
	PH_VECTOR_FREE(tree->env, &tree->devices.open);
	PH_VECTOR_FREE(tree->env, &tree->devices.pending);
}

/* ---- costs ---- */

static PhStatus
find_cell(PhTraceTree *tree, uint32_t location, uint32_t node, uint32_t *out)
{
	uint32_t *cell;
	PH_TRY(ph_map_enter(&tree->devices.cells, ph_map_key(location, node), PH_NONE, &cell));
	if (*cell == PH_NONE)
		PH_TRY(ph_tree_add_cell(tree, node, location, cell));
	*out = *cell;
	return PH_OK;
}

static void
add_to_metric(PhTraceTree *tree, uint32_t cell, PhDeviceMetric which, double value)
{
	uint32_t metric = tree->devices.first_metric + (uint32_t) which;
	tree->growth[(size_t) cell * tree->n_metrics + metric] += value;
	tree->metrics[metric].is_recorded = true;
}

/* What activities took, below a node (PH_NONE: as roots) of a location. */
static PhStatus
add_cost(PhTraceTree *tree, uint32_t parent, uint32_t location, const PhTreePending *cost)
{
	uint32_t node, cell;
	bool is_kernel =
		cost->region < tree->devices.n_regions && tree->devices.is_kernel[cost->region];
	PH_TRY(ph_tree_child(tree, parent, cost->region, &node));
	PH_TRY(find_cell(tree, location, node, &cell));
	add_to_metric(tree, cell, PH_DEVICE_TIME, (double) cost->ns);
	add_to_metric(tree, cell, PH_DEVICE_KERNELS, is_kernel ? cost->n : 0);
	add_to_metric(tree, cell, PH_DEVICE_BYTES, is_kernel ? 0 : (double) cost->bytes);
	return PH_OK;
}

static PhStatus
keep_pending(PhTraceTree *tree, const PhTreePending *cost)
{
	PhTreeDevices *devices = &tree->devices;
	PhTreePending *last =
		devices->pending.count == 0 ? NULL : &devices->pending.items[devices->pending.count - 1];
	if (last != NULL && last->location == cost->location && last->region == cost->region &&
		last->launch == cost->launch && last->n <= UINT32_MAX - cost->n)
	{
		last->n += cost->n;
		last->ns += cost->ns;
		last->bytes += cost->bytes;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(tree->env, &devices->pending));
	devices->pending.items[devices->pending.count++] = *cost;
	return PH_OK;
}

/* is_last: a launching call that has not been met will not be. */
static PhStatus
give_cost(PhTraceTree *tree, const PhTreePending *cost, bool is_last)
{
	const PhTreeDevices *devices = &tree->devices;
	if (cost->launch == PH_NONE)
		return add_cost(tree, PH_NONE, devices->home[cost->location], cost);
	uint32_t node = devices->launch_node[cost->launch];
	if (node == PH_NONE && !is_last)
		return keep_pending(tree, cost);
	return add_cost(tree, node, devices->launches->calls.items[cost->launch].location, cost);
}

PhStatus
ph_trace_tree_place_activity(PhTraceTree *tree, uint32_t stream, uint32_t launch, uint32_t region,
							 uint32_t *node, uint32_t *location)
{
	const PhTreeDevices *devices = &tree->devices;
	*location =
		launch == PH_NONE ? devices->home[stream] : devices->launches->calls.items[launch].location;
	return ph_tree_child(tree, launch == PH_NONE ? PH_NONE : devices->launch_node[launch], region,
						 node);
}

/* ---- a chunk ---- */

/* A chunk of a stream on its way into the tree. */
typedef struct ActivityWalk
{
	PhTraceTree *tree;
	const PhChunk *chunk;
	int64_t from, to;
	int64_t last;	 /* time up to which everything is given */
	bool must_begin; /* activities that are open where the window begins still count */
} ActivityWalk;

/* The time since the last event, as far as it is in the window, goes to the innermost activity. */
static void
give_time(ActivityWalk *walk, int64_t time)
{
	PhTreeDevices *devices = &walk->tree->devices;
	int64_t begin = PH_MAX(walk->last, walk->from);
	int64_t end = PH_MIN(time, walk->to);
	walk->last = time;
	if (devices->open.count > 0 && end > begin)
		devices->open.items[devices->open.count - 1].ns += end - begin;
}

/* What the activity took in this chunk. */
static PhStatus
flush(ActivityWalk *walk, PhTreeActivity *activity)
{
	PhTreePending cost = {.location = walk->chunk->location,
						  .region = activity->region,
						  .launch = activity->launch,
						  .n = activity->counts,
						  .ns = activity->ns,
						  .bytes = activity->bytes};
	activity->ns = 0;
	activity->bytes = 0;
	activity->counts = false;
	if (cost.n == 0 && cost.ns == 0 && cost.bytes == 0)
		return PH_OK;
	return give_cost(walk->tree, &cost, false);
}

static PhStatus
begin_activity(ActivityWalk *walk, uint32_t region, uint32_t launch, bool counts)
{
	PhTreeDevices *devices = &walk->tree->devices;
	PH_TRY(PH_ROOM(walk->tree->env, &devices->open));
	devices->open.items[devices->open.count++] = (PhTreeActivity){
		.region = region, .launch = launch, .counts = counts, .takes_bytes = counts};
	return PH_OK;
}

/* The window begins: what is open counts. */
static void
begin_window(ActivityWalk *walk)
{
	PhTreeDevices *devices = &walk->tree->devices;
	for (uint32_t i = 0; i < devices->open.count; i++)
		devices->open.items[i].counts = true;
	walk->must_begin = false;
}

/* Bytes of an activity that began in the window. */
static void
take_record(ActivityWalk *walk, uint32_t operation, const uint64_t *values, uint32_t n)
{
	PhTreeDevices *devices = &walk->tree->devices;
	if (operation != PH_RECORD_ACTIVITY || n <= PH_ACTIVITY_BYTES || devices->open.count == 0)
		return;
	PhTreeActivity *activity = &devices->open.items[devices->open.count - 1];
	if (activity->takes_bytes)
		activity->bytes += values[PH_ACTIVITY_BYTES];
}

/* The activities that are open at the chunk's start, known from the chunk before if that was it. */
static PhStatus
resume_open(ActivityWalk *walk, const PhChunkReader *reader)
{
	PhTreeDevices *devices = &walk->tree->devices;
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	bool follows = devices->location == walk->chunk->location && devices->open.count == depth;
	devices->location = walk->chunk->location;
	if (follows)
		return PH_OK;
	devices->open.count = 0;
	for (uint32_t i = 0; i < depth; i++)
		PH_TRY(begin_activity(walk, stack[i].region, PH_NONE, false));
	return PH_OK;
}

static PhStatus
walk_events(ActivityWalk *walk, const PhChunkReader *reader, const uint32_t *launched)
{
	PhTreeDevices *devices = &walk->tree->devices;
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	uint32_t next_extra = 0, next_value = 0, n_entered = 0;
	for (uint32_t i = 0; i < walk->chunk->n_events; i++)
	{
		bool is_inside = times[i] >= walk->from && times[i] < walk->to;
		if (walk->must_begin && times[i] >= walk->from)
			begin_window(walk);
		if (kinds[i] <= PH_EVENT_LEAVE)
			give_time(walk, times[i]);
		if (kinds[i] == PH_EVENT_ENTER)
		{
			uint32_t launch = launched == NULL ? PH_NONE : launched[n_entered];
			PH_TRY(begin_activity(walk, regions[n_entered++], launch, is_inside));
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
			PH_TRY(flush(walk, &devices->open.items[--devices->open.count]));
		else if (kinds[i] >= PH_EVENT_METRIC)
		{
			uint32_t n = extras->n_values[next_extra];
			take_record(walk, extras->operation[next_extra++],
						n == 0 ? NULL : extras->values + next_value, n);
			next_value += n;
		}
		PH_TRY(ph_env_poll(walk->tree->env));
	}
	return PH_OK;
}

PhStatus
ph_trace_tree_add_activities(PhTraceTree *tree, const PhChunk *chunk, const PhChunkReader *reader,
							 const uint32_t *launched, int64_t from, int64_t to)
{
	PhTreeDevices *devices = &tree->devices;
	ActivityWalk walk = {.tree = tree,
						 .chunk = chunk,
						 .from = from,
						 .to = to,
						 .last = chunk->t_prev,
						 .must_begin = chunk->t_prev < from};
	if (from >= to)
		return PH_OK;
	if (ph_chunk_extras(reader) == NULL)
		return ph_fail(tree->env, PH_ERR_INTERNAL, "a chunk was opened without its records");
	/* cells of devices lie between those of locations at hand */
	tree->location = PH_NONE;
	PH_TRY(resume_open(&walk, reader));
	PH_TRY(walk_events(&walk, reader, launched));
	give_time(&walk, chunk->t_last);
	for (uint32_t i = 0; i < devices->open.count; i++)
		PH_TRY(flush(&walk, &devices->open.items[i]));
	tree->first_cell = tree->n_cells;
	return PH_OK;
}

/* ---- trees of threads ---- */

PhStatus
ph_tree_devices_merge(PhTraceTree *tree, const PhTraceTree *other, const uint32_t *node_of)
{
	const PhTreeDevices *from = &other->devices;
	uint32_t n_launches = from->launches == NULL ? 0 : from->launches->calls.count;
	for (uint32_t i = 0; i < n_launches; i++)
		if (from->launch_node[i] != PH_NONE)
			tree->devices.launch_node[i] = node_of[from->launch_node[i]];
	for (uint32_t i = 0; i < from->pending.count; i++)
	{
		PH_TRY(ph_env_poll(tree->env));
		PH_TRY(keep_pending(tree, &from->pending.items[i]));
	}
	return PH_OK;
}

PhStatus
ph_tree_devices_settle(PhTraceTree *tree)
{
	PhTreeDevices *devices = &tree->devices;
	for (uint32_t i = 0; i < devices->pending.count; i++)
	{
		PH_TRY(ph_env_poll(tree->env));
		PH_TRY(give_cost(tree, &devices->pending.items[i], true));
	}
	devices->pending.count = 0;
	return PH_OK;
}
