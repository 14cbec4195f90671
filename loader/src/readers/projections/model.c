/*
 * model.c - from definitions to the trace's model: entry methods, then what is no entry
 * method, then user events as regions; processors as locations; counters as metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/projections/projections.h"

#include <string.h>

#include "base/name_set.h"
#include "base/sort.h"

#define PARADIGM "charm++"

/* ---- the run time's own chares ---- */

static bool
starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool
ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t end = strlen(suffix);

	return length >= end && strcmp(text + length - end, suffix) == 0;
}

bool
ph_projections_is_runtime(const char *type)
{
	static const char *const names[] = {"SDAG",
										"null",
										"Chare",
										"Group",
										"NodeGroup",
										"FutureBOC",
										"FutureMain",
										"RRMap",
										"ArrayElement",
										"waitqd_QDChare",
										"ReadFileMap",
										"Simple1DFileMap",
										"BlockMap",
										"PropMap",
										"DefaultArrayMap",
										"FastArrayMap",
										"HilbertArrayMap",
										"CldMap",
										"ConfigurableRRMap",
										"BaseLB",
										"KMeansBOC",
										"CentralLB",
										"HybridBaseLB",
										"DistBaseLB",
										"TreeLB",
										"NullLB",
										"threadedArrayElement"};
	static const char *const prefixes[] = {
		"dummy_",	 "Ck",		   "ckcallback_", "LBManager",
		"LBMgr",	 "LBDatabase", "MetaLB",	  "MetaBalancer",
		"Trace",	 "Comlib",	   "CmiCkpt",	  "PersistentComm",
		"pingpong_", "waitqd_",	   "cpuaffinity", "completion_detection"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		if (strcmp(type, names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
	{
		if (starts_with(type, prefixes[i]))
			return true;
	}
	return ends_with(type, "LB") && type[0] >= 'A' && type[0] <= 'Z';
}

/* ---- regions ---- */

static PhTraceRegion
new_region(const char *name, const char *library, const char *role)
{
	return (PhTraceRegion){.kind = PH_KIND_FUNCTION,
						   .name = name,
						   .file = "",
						   .library = library,
						   .line = PH_NO_NUMBER,
						   .paradigm = PARADIGM,
						   .role = role};
}

static PhStatus
add_entries(PhProjections *projections)
{
	PhTaskSource *tasks = &projections->tasks;
	PhTraceModel *model = &tasks->source.model;

	PH_TRY(PH_NEW(&tasks->arena, tasks->n_entries, &tasks->is_broadcast));
	PH_TRY(PH_NEW(&tasks->arena, tasks->n_entries, &tasks->is_reduction));
	for (uint32_t i = 0; i < tasks->n_entries; i++)
	{
		PhTaskEntry *entry = &tasks->entries[i];
		const PhTaskType *type;
		const char *name;

		if (!projections->is_entry[i])
		{
			model->regions[i] = new_region("", "", "");
			entry->name = "";
			entry->type = PH_NONE;
			continue;
		}
		type = &tasks->types[entry->type];
		PH_TRY(ph_arena_printf(&tasks->arena, &name, "%s::%s", type->name, entry->name));
		model->regions[i] = new_region(name, type->name, type->is_runtime ? "runtime" : "task");
		if (strcmp(entry->name, "dummy_thread_ep") == 0)
			tasks->thread_entry = i;
		tasks->is_broadcast[i] = strcmp(type->name, "CkArray") == 0 &&
								 starts_with(entry->name, "recv") &&
								 strstr(entry->name, "Broadcast") != NULL;
		tasks->is_reduction[i] =
			strcmp(type->name, "CkReductionMgr") == 0 && starts_with(entry->name, "RecvMsg");
	}
	return PH_OK;
}

static PhStatus
add_calls(PhProjections *projections)
{
	PhTaskSource *tasks = &projections->tasks;
	PhTraceRegion *calls = &tasks->source.model.regions[tasks->n_entries];

	calls[PH_CALL_IDLE] = new_region("Idle", "Charm++", "idle");
	calls[PH_CALL_PACK] = new_region("pack", "Charm++", "runtime");
	calls[PH_CALL_UNPACK] = new_region("unpack", "Charm++", "runtime");
	calls[PH_CALL_UNNAMED] = new_region("unnamed user event", "", "user event");
	for (uint32_t i = 0; i < projections->n_events; i++)
	{
		PhTraceRegion *region = &calls[PH_CALL_COUNT + i];

		*region = new_region(projections->events_by_index[i], "", "user event");
		region->kind = PH_KIND_REGION;
		region->paradigm = "user";
		if (region->name[0] == '\0')
			region->name = "unnamed user event";
	}
	return PH_OK;
}

static PhStatus
add_regions(PhProjections *projections)
{
	PhTaskSource *tasks = &projections->tasks;
	PhTraceModel *model = &tasks->source.model;

	model->n_regions = tasks->n_entries + PH_CALL_COUNT + projections->n_events;
	if (model->n_regions > PH_CHUNK_MAX_REGION)
		return ph_fail(tasks->env, PH_ERR_LIMIT, "%s: more than %d entry methods and user events",
					   projections->sts, PH_CHUNK_MAX_REGION);
	PH_TRY(PH_NEW(&tasks->arena, model->n_regions, &model->regions));
	PH_TRY(add_entries(projections));
	return add_calls(projections);
}

/* ---- locations ---- */

/* Communication threads of SMP builds count on behind the nodes' workers. */
static uint32_t
node_of(const PhProjections *projections, uint32_t processor)
{
	uint32_t workers = projections->node_size * projections->n_smp_nodes;

	if (projections->node_size == 0 || projections->n_smp_nodes == 0)
		return processor;
	if (processor < workers)
		return processor / projections->node_size;
	return (processor - workers) % projections->n_smp_nodes;
}

static PhStatus
add_locations(PhProjections *projections)
{
	PhTaskSource *tasks = &projections->tasks;
	PhTraceModel *model = &tasks->source.model;
	uint32_t n = projections->n_processors;

	model->n_locations = model->n_ranks = n;
	PH_TRY(PH_NEW(&tasks->arena, n, &model->locations));
	PH_TRY(PH_NEW(&tasks->arena, n, &model->rank_location));
	PH_TRY(PH_NEW(&tasks->arena, n, &tasks->node));
	for (uint32_t i = 0; i < n; i++)
	{
		const char *name;

		PH_TRY(ph_arena_printf(&tasks->arena, &name, "PE %u", i));
		model->locations[i] = (PhTraceLocation){.source_id = i,
												.rank = (int32_t) i,
												.thread = 0,
												.kind = PH_COLUMN_PE,
												.name = name,
												.host = ""};
		model->rank_location[i] = i;
		tasks->node[i] = node_of(projections, i);
	}
	return PH_OK;
}

/* ---- metrics ---- */

static PhTraceMetric
new_metric(uint32_t metric_class, const char *name, const char *unit, PhTraceValueType type)
{
	return (PhTraceMetric){
		.metric_class = metric_class, .name = name, .unit = unit, .type = type, .scale = 1.0};
}

static PhStatus
add_metrics(PhProjections *projections)
{
	PhTaskSource *tasks = &projections->tasks;
	PhTraceModel *model = &tasks->source.model;
	PhTraceMetric *metric;

	model->n_metrics = projections->n_counters + 2 + projections->n_stats;
	PH_TRY(PH_NEW(&tasks->arena, model->n_metrics, &model->metrics));
	metric = model->metrics;
	for (uint32_t i = 0; i < projections->n_counters; i++, metric++)
	{
		const char *name = projections->counters[i];

		*metric = new_metric(PH_CLASS_COUNTERS, name[0] != '\0' ? name : "unnamed counter", "",
							 PH_TRACE_INT64);
		metric->member = i;
		metric->is_accumulated = true;
	}
	*metric++ = new_metric(ph_projections_metric_class(projections, 27, 0), "memory in use",
						   "bytes", PH_TRACE_UINT64);
	*metric++ = new_metric(ph_projections_metric_class(projections, 26, 0), "user supplied value",
						   "", PH_TRACE_INT64);
	for (uint32_t i = 0; i < projections->n_stats; i++, metric++)
		*metric = new_metric(ph_projections_metric_class(projections, 32, i),
							 projections->stats_by_index[i], "", PH_TRACE_DOUBLE);
	return PH_OK;
}

/* ---- numbers of user events and statistics ---- */

static int
compare_keys(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *keys = context;

	return keys[x] < keys[y] ? -1 : keys[x] > keys[y];
}

static PhStatus
order_numbers(PhProjections *projections)
{
	PhArena *arena = &projections->tasks.arena;

	PH_TRY(ph_sort_indices(arena, projections->events.count, compare_keys, projections->events.keys,
						   &projections->event_order));
	return ph_sort_indices(arena, projections->stats.count, compare_keys, projections->stats.keys,
						   &projections->stat_order);
}

PhStatus
ph_projections_make_model(PhProjections *projections)
{
	PhTaskSource *tasks = &projections->tasks;

	for (uint32_t i = 0; i < tasks->n_types; i++)
	{
		if (!projections->is_type[i])
			tasks->types[i] = (PhTaskType){.name = "", .dimensions = -1};
	}
	tasks->model = PARADIGM;
	tasks->tick = 1000;
	tasks->open_log = ph_projections_open_log;
	tasks->next = ph_projections_next;
	tasks->close_log = ph_projections_close_log;
	PH_TRY(order_numbers(projections));
	PH_TRY(add_regions(projections));
	PH_TRY(add_locations(projections));
	return add_metrics(projections);
}
