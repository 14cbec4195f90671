/*
 * logical_extract.c - events of a computed structure, as logical_store.h stores them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical_store_internal.h"

uint32_t
ph_logical_measure(const PhLogicalModel *model, uint32_t first, uint32_t *n_ends)
{
	uint32_t last = model->timeline_first[model->timeline[first] + 1];
	uint32_t next = first;
	*n_ends = 0;
	while (next < last && next - first < PH_LOGICAL_CHUNK_EVENTS)
	{
		uint32_t ends = model->first_end[next + 1] - model->first_end[next];
		if (next > first && *n_ends + ends > PH_LOGICAL_CHUNK_ENDS)
			break;
		*n_ends += ends;
		next++;
	}
	return next - first;
}

void
ph_logical_find_place(const PhLogicalModel *model, uint32_t event, uint32_t *location,
					  uint32_t *seq)
{
	*location = PH_NONE;
	*seq = 0;
	if (event == PH_NONE)
		return;
	*location = model->timeline_location[model->timeline[event]];
	*seq = event - model->timeline_first[model->timeline[event]];
}

void
ph_logical_put_place(const PhLogical *logical, uint32_t event, PhLogicalEvents *out, uint32_t i)
{
	const PhLogicalModel *model = logical->model;
	out->kind[i] = model->kind[event];
	out->flags[i] = model->flags[event];
	out->region[i] = model->region[event];
	out->ends_of[i] = model->first_end[event + 1] - model->first_end[event];
	out->phase[i] = logical->phase[event];
	out->step[i] = (uint32_t) logical->step[event];
	out->enter[i] = model->enter[event];
	out->leave[i] = model->exit[event];
}

static void
put_causes(const PhLogicalMetrics *metrics, uint32_t event, uint32_t bucket, PhLogicalEvents *out,
		   uint32_t i)
{
	const PhLogical *logical = metrics->logical;
	uint32_t seq;
	out->n_peers[i] = metrics->n_peers[bucket];
	ph_logical_find_place(logical->model, metrics->first_out[bucket], &out->earliest_location[i],
						  &seq);
	ph_logical_find_place(logical->model, logical->binding[event], &out->binding_location[i],
						  &out->binding_seq[i]);
}

void
ph_logical_put_ends(const PhLogical *logical, uint32_t event, PhLogicalEvents *out, uint32_t *end)
{
	const PhLogicalModel *model = logical->model;
	for (uint32_t k = model->first_end[event]; k < model->first_end[event + 1]; k++, (*end)++)
	{
		uint32_t message = model->message_of_end[k];
		uint32_t peer = model->kind[event] == PH_COMM_SEND ? model->receive_event[message]
														   : model->send_event[message];
		ph_logical_find_place(model, peer, &out->peer_location[*end], &out->peer_seq[*end]);
		out->peer_step[*end] = peer == PH_NONE ? 0 : (uint32_t) logical->step[peer];
		out->tag[*end] = model->tag[message];
		out->bytes[*end] = model->bytes[message];
	}
}

PhStatus
ph_logical_extract(PhLogicalCodec *codec, const PhLogicalMetrics *metrics,
				   const PhLogicalCounters *counters, uint32_t first, PhLogicalEvents *out)
{
	const PhLogicalModel *model = metrics->logical->model;
	bool has_counters = counters->values[0] != NULL;
	uint32_t n_ends, end = 0, timeline = model->timeline[first];
	uint32_t n = ph_logical_measure(model, first, &n_ends);
	*out = (PhLogicalEvents){.n_events = n, .n_ends = n_ends};
	PH_TRY(ph_logical_make_room(codec, PH_LOGICAL_WANT_ALL & ~PH_LOGICAL_WANT_TASKS, has_counters,
								out));
	out->location = model->timeline_location[timeline];
	out->first_seq = first - model->timeline_first[timeline];
	for (uint32_t i = 0; i < n; i++)
	{
		ph_logical_put_place(metrics->logical, first + i, out, i);
		put_causes(metrics, first + i,
				   ph_logical_values(metrics, first + i, out->value, out->aggregate, i), out, i);
		ph_logical_put_ends(metrics->logical, first + i, out, &end);
		for (int c = 0; c < PH_LOGICAL_COUNTERS && has_counters; c++)
			out->counter[c][i] = counters->values[c][first + i];
	}
	return PH_OK;
}
