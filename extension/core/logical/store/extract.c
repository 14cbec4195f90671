/*
 * extract.c - events of a computed structure, as logical/store/store.h stores them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/store/internal.h"

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

void
ph_logical_find_peers(const PhLogicalModel *model, uint32_t first, PhLogicalEvents *out)
{
	if (out->n_ends == 0)
		return;
	const uint32_t *message = model->message_of_end + model->first_end[first];
	uint32_t *peer = out->peer_seq;
	for (uint32_t i = 0; i < out->n_events; i++)
	{
		bool sends = model->kind[first + i] == PH_COMM_SEND;
		const uint32_t *other = sends ? model->receive_event : model->send_event;
		for (uint32_t k = 0; k < out->ends_of[i]; k++)
			*peer++ = other[*message++];
	}
}

void
ph_logical_put_ends(const PhLogical *logical, uint32_t first, PhLogicalEvents *out)
{
	const PhLogicalModel *model = logical->model;
	if (out->n_ends == 0)
		return;
	const uint32_t *message = model->message_of_end + model->first_end[first];
	for (uint32_t end = 0; end < out->n_ends; end++)
	{
		uint32_t peer = out->peer_seq[end];
		out->peer_step[end] = peer == PH_NONE ? 0 : (uint32_t) logical->step[peer];
		ph_logical_find_place(model, peer, &out->peer_location[end], &out->peer_seq[end]);
		out->tag[end] = model->tag[message[end]];
		out->bytes[end] = model->bytes[message[end]];
	}
}

/* Metrics; earliest_location holds buckets then. */
static void
put_values(const PhLogicalMetrics *metrics, uint32_t first, PhLogicalEvents *out)
{
	const uint32_t *peers = out->peer_seq;
	for (uint32_t i = 0; i < out->n_events; i++)
	{
		out->earliest_location[i] =
			ph_logical_values(metrics, first + i, peers, out->value, out->aggregate, i);
		peers += out->ends_of[i];
	}
}

static void
put_causes(const PhLogicalMetrics *metrics, uint32_t first, PhLogicalEvents *out)
{
	const PhLogical *logical = metrics->logical;
	uint32_t seq;
	for (uint32_t i = 0; i < out->n_events; i++)
	{
		uint32_t bucket = out->earliest_location[i];
		out->n_peers[i] = metrics->n_peers[bucket];
		ph_logical_find_place(logical->model, metrics->first_out[bucket],
							  &out->earliest_location[i], &seq);
	}
	for (uint32_t i = 0; i < out->n_events; i++)
		ph_logical_find_place(logical->model, logical->binding[first + i],
							  &out->binding_location[i], &out->binding_seq[i]);
}

void
ph_logical_put_counters(const PhLogicalCounters *counters, uint32_t first, PhLogicalEvents *out)
{
	for (int c = 0; c < PH_LOGICAL_COUNTERS; c++)
		memcpy(out->counter[c], counters->values[c] + first,
			   out->n_events * sizeof(*out->counter[c]));
}

/*
 * Column by column: events at other ends are all over the memory, and a short loop waits for many
 * of them at a time.
 */
static void
fill(const PhLogicalMetrics *metrics, const PhLogicalCounters *counters, uint32_t first,
	 PhLogicalEvents *out)
{
	const PhLogicalModel *model = metrics->logical->model;
	for (uint32_t i = 0; i < out->n_events; i++)
		ph_logical_put_place(metrics->logical, first + i, out, i);
	ph_logical_find_peers(model, first, out);
	put_values(metrics, first, out);
	put_causes(metrics, first, out);
	ph_logical_put_ends(metrics->logical, first, out);
	if (counters->values[0] != NULL)
		ph_logical_put_counters(counters, first, out);
}

PhStatus
ph_logical_extract(PhLogicalCodec *codec, const PhLogicalMetrics *metrics,
				   const PhLogicalCounters *counters, uint32_t first, PhLogicalEvents *out)
{
	const PhLogicalModel *model = metrics->logical->model;
	uint32_t n_ends, timeline = model->timeline[first];
	uint32_t n = ph_logical_measure(model, first, &n_ends);
	*out = (PhLogicalEvents){.n_events = n, .n_ends = n_ends};
	PH_TRY(ph_logical_make_room(codec, PH_LOGICAL_WANT_ALL & ~PH_LOGICAL_WANT_TASKS,
								counters->values[0] != NULL, out));
	out->location = model->timeline_location[timeline];
	out->first_seq = first - model->timeline_first[timeline];
	fill(metrics, counters, first, out);
	return PH_OK;
}
