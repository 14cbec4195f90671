/*
 * collectives.c - see collectives.h: a sweep over the kernels of one operation and group by start.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/collectives.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"

typedef struct Finder
{
	PhArena *arena;
	const PhDeviceActivity *list;
	const PhTraceModel *model;
	uint32_t *sorted, n; /* kernels that communicate, by what they are, start and place */
	PH_VECTOR(PhDeviceInstance) instances; /* first, n: places in sorted */
	uint32_t n_unmatched;
} Finder;

static int
compare_times(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* What members of an instance have in common beside their communicator. */
static uint64_t
key_of(const PhDeviceActivity *kernel)
{
	PhDeviceOperation operation =
		ph_device_operation_matched((PhDeviceOperation) kernel->operation);
	return operation != PH_DEVICE_UNTOLD ? UINT64_C(1) << 32 | operation : kernel->region;
}

static int
compare_kernels(const void *context, uint32_t x, uint32_t y)
{
	const PhDeviceActivity *a = &((const PhDeviceActivity *) context)[x],
						   *b = &((const PhDeviceActivity *) context)[y];
	if (key_of(a) != key_of(b))
		return key_of(a) < key_of(b) ? -1 : 1;
	if (a->communicator != b->communicator)
		return a->communicator < b->communicator ? -1 : 1;
	return a->start != b->start ? compare_times(a->start, b->start) : (x > y) - (x < y);
}

static PhStatus
sort_kernels(Finder *finder, const PhActivities *activities, const PhActivityKind *kinds)
{
	uint32_t *buffer;
	PH_TRY(PH_NEW(finder->arena, activities->list.count, &finder->sorted));
	PH_TRY(PH_NEW(finder->arena, activities->list.count, &buffer));
	for (uint32_t i = 0; i < activities->list.count; i++)
		if (kinds[finder->list[i].region] == PH_ACTIVITY_COMMUNICATION)
			finder->sorted[finder->n++] = i;
	return ph_sort(finder->arena->env, finder->sorted, finder->n, buffer, compare_kernels,
				   finder->list);
}

/* ---- instances ---- */

static PhStatus
close_instance(Finder *finder, uint32_t first, uint32_t end)
{
	if (end - first < 2)
	{
		finder->n_unmatched += end - first;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(finder->arena, &finder->instances));
	finder->instances.items[finder->instances.count++] =
		(PhDeviceInstance){.first = first, .n = end - first, .last = end - 1};
	return PH_OK;
}

static bool
are_alike(const PhDeviceActivity *x, const PhDeviceActivity *y)
{
	return key_of(x) == key_of(y) && x->communicator == y->communicator;
}

/*
 * Kernels come by start: one is of the instance at hand unless a member of that has ended, or is of
 * its rank.
 */
static PhStatus
find_instances(Finder *finder)
{
	PhMap ranks;
	uint32_t first = 0, number = 0;
	int64_t ends = INT64_MAX;
	ph_map_init(&ranks, finder->arena);
	for (uint32_t i = 0; i < finder->n; i++)
	{
		const PhDeviceActivity *kernel = &finder->list[finder->sorted[i]];
		uint32_t rank = (uint32_t) finder->model->locations[kernel->location].rank, *seen;
		bool is_other = i > 0 && !are_alike(kernel, &finder->list[finder->sorted[i - 1]]);
		PH_TRY(ph_env_poll(finder->arena->env));
		PH_TRY(ph_map_enter(&ranks, rank, PH_NONE, &seen));
		if (is_other || kernel->start >= ends || *seen == number)
		{
			PH_TRY(close_instance(finder, first, i));
			first = i;
			ends = INT64_MAX;
			number++;
		}
		*seen = number;
		ends = PH_MIN(ends, kernel->end);
	}
	return close_instance(finder, first, finder->n);
}

static int
compare_instances(const void *context, uint32_t x, uint32_t y)
{
	const Finder *finder = context;
	const PhDeviceInstance *a = &finder->instances.items[x], *b = &finder->instances.items[y];
	int64_t last_a = finder->list[finder->sorted[a->last]].start,
			last_b = finder->list[finder->sorted[b->last]].start;
	return last_a != last_b ? compare_times(last_a, last_b) : (x > y) - (x < y);
}

/* ---- the result ---- */

/* What an instance comes behind: of each rank the latest step so far. */
static PhStatus
assign_step(const Finder *finder, PhMap *steps, const PhDeviceCollectives *found,
			PhDeviceInstance *instance)
{
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < instance->n; i++)
		{
			uint32_t activity = found->members[instance->first + i].activity, *step;
			uint32_t location = finder->list[activity].location;
			uint32_t rank = (uint32_t) finder->model->locations[location].rank;
			PH_TRY(ph_map_enter(steps, rank, 0, &step));
			if (pass == 0)
				instance->step = PH_MAX(instance->step, *step);
			else
				*step = instance->step + 1;
		}
	return PH_OK;
}

static void
copy_members(const Finder *finder, const PhDeviceInstance *from, uint32_t number,
			 PhDeviceCollectives *out)
{
	int64_t last = finder->list[finder->sorted[from->last]].start;
	out->instances[number] = (PhDeviceInstance){
		.first = out->n_members, .n = from->n, .last = out->n_members + from->n - 1};
	for (uint32_t i = 0; i < from->n; i++)
	{
		uint32_t activity = finder->sorted[from->first + i];
		out->members[out->n_members++] =
			(PhDeviceMember){activity, number, last - finder->list[activity].start};
	}
}

static PhStatus
put_in_order(const Finder *finder, PhDeviceCollectives *out)
{
	uint32_t *order;
	PhMap steps;
	ph_map_init(&steps, finder->arena);
	out->n_instances = finder->instances.count;
	out->n_unmatched = finder->n_unmatched;
	PH_TRY(PH_NEW(finder->arena, out->n_instances, &out->instances));
	PH_TRY(PH_NEW(finder->arena, finder->n, &out->members));
	PH_TRY(ph_sort_indices(finder->arena, out->n_instances, compare_instances, finder, &order));
	for (uint32_t i = 0; i < out->n_instances; i++)
	{
		copy_members(finder, &finder->instances.items[order[i]], i, out);
		PH_TRY(assign_step(finder, &steps, out, &out->instances[i]));
	}
	return PH_OK;
}

PhStatus
ph_device_collectives_find(PhArena *arena, const PhActivities *activities,
						   const PhActivityKind *kinds, const PhTraceModel *model,
						   PhDeviceCollectives *out)
{
	Finder finder = {.arena = arena, .list = activities->list.items, .model = model};
	*out = (PhDeviceCollectives){0};
	PH_TRY(sort_kernels(&finder, activities, kinds));
	PH_TRY(find_instances(&finder));
	return put_in_order(&finder, out);
}
