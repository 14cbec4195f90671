/*
 * store.c - events of a structure of tasks, as logical/store/store.h stores them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/store.h"

#include <string.h>

#include "logical/store/internal.h"

static void
put_metrics(const PhTaskMetrics *metrics, uint32_t event, PhLogicalEvents *out, uint32_t i)
{
	const PhTaskStructure *structure = metrics->structure;
	uint32_t seq;
	out->value[PH_DURATION][i] = metrics->differential[event];
	out->n_peers[i] = metrics->n_peers[event];
	ph_logical_find_place(&structure->model, metrics->shortest[event], &out->earliest_location[i],
						  &seq);
	ph_logical_find_place(&structure->model, structure->logical.binding[event],
						  &out->binding_location[i], &out->binding_seq[i]);
	out->processor[i] = ph_task_processor(structure, event);
	out->block[i] = structure->trace->event_block[structure->event[event]];
	out->share[i] = metrics->sub_end[event] - metrics->sub_begin[event];
	out->idle[i] = metrics->idle[event];
	out->imbalance[i] = metrics->imbalance[event];
}

PhStatus
ph_task_extract(PhLogicalCodec *codec, const PhTaskMetrics *metrics, uint32_t first,
				PhLogicalEvents *out)
{
	const PhTaskStructure *structure = metrics->structure;
	const PhLogicalModel *model = &structure->model;
	uint32_t n_ends, timeline = model->timeline[first];
	uint32_t n = ph_logical_measure(model, first, &n_ends);
	*out = (PhLogicalEvents){.n_events = n, .n_ends = n_ends};
	PH_TRY(ph_logical_make_room(codec, PH_LOGICAL_WANT_ALL, false, out));
	memset(codec->room.data, 0, codec->room.capacity);
	out->location = model->timeline_location[timeline];
	out->first_seq = first - model->timeline_first[timeline];
	for (uint32_t i = 0; i < n; i++)
	{
		ph_logical_put_place(&structure->logical, first + i, out, i);
		put_metrics(metrics, first + i, out, i);
	}
	ph_logical_find_peers(model, first, out);
	ph_logical_put_ends(&structure->logical, first, out);
	return PH_OK;
}
