/*
 * encode.c - events of logical time to compressed columns.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/store/groups.h"

/* A column of numbers of which PH_NONE is the least. */
static void
write_optional(PhGroupWriter *writer, const uint32_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		writer->wide[i] = (uint32_t) (numbers[i] + 1);
	ph_group_write(writer, n);
}

static void
write_differences(PhGroupWriter *writer, const uint32_t *numbers, size_t n)
{
	uint64_t before = 0;
	for (size_t i = 0; i < n; before = numbers[i++])
		writer->wide[i] = ph_zigzag(numbers[i] - before);
	ph_group_write(writer, n);
}

static PhStatus
encode_places(PhLogicalCodec *codec, const PhLogicalEvents *events, PhBytes *out)
{
	PhGroupWriter writer;
	uint32_t n = events->n_events;
	uint64_t before = 0;
	PH_TRY(ph_group_begin(codec, n, PLACE_COLUMNS, &writer));
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = events->kind[i] | events->flags[i] << 2;
	ph_group_write(&writer, n);
	write_optional(&writer, events->region, n);
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = events->ends_of[i];
	ph_group_write(&writer, n);
	write_differences(&writer, events->phase, n);
	write_differences(&writer, events->step, n);
	for (uint32_t i = 0; i < n; before = (uint64_t) events->leave[i++])
		writer.wide[i] = ph_zigzag((uint64_t) events->enter[i] - before);
	ph_group_write(&writer, n);
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = (uint64_t) events->leave[i] - (uint64_t) events->enter[i];
	ph_group_write(&writer, n);
	return ph_group_end(&writer, 0, out);
}

static PhStatus
encode_metrics(PhLogicalCodec *codec, const PhLogicalEvents *events, PhBytes *out)
{
	PhGroupWriter writer;
	uint32_t n = events->n_events;
	PH_TRY(ph_group_begin(codec, n, METRIC_COLUMNS, &writer));
	for (int column = 0; column < 2 * PH_LOGICAL_METRICS; column++)
	{
		PhLogicalMetric metric;
		bool is_aggregate;
		const int64_t *values = ph_logical_metric_column(events, column, &metric, &is_aggregate);
		for (uint32_t i = 0; i < n; i++)
			writer.wide[i] = ph_logical_is_predicted(metric)
								 ? ph_zigzag((uint64_t) values[i] -
											 ph_logical_predict(events, metric, is_aggregate, i))
								 : (uint64_t) values[i];
		ph_group_write(&writer, n);
	}
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = events->n_peers[i];
	ph_group_write(&writer, n);
	return ph_group_end(&writer, 1, out);
}

static PhStatus
encode_causes(PhLogicalCodec *codec, const PhLogicalEvents *events, PhBytes *out)
{
	PhGroupWriter writer;
	uint32_t n = events->n_events;
	PH_TRY(ph_group_begin(codec, n, CAUSE_COLUMNS, &writer));
	write_optional(&writer, events->earliest_location, n);
	write_optional(&writer, events->binding_location, n);
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = ph_zigzag((uint64_t) events->binding_seq[i] - (events->first_seq + i));
	ph_group_write(&writer, n);
	return ph_group_end(&writer, 2, out);
}

/* Peers' numbers as differences from the event's own one: seqs, else steps. */
static void
write_from_own(PhGroupWriter *writer, const PhLogicalEvents *events, const uint32_t *numbers,
			   bool are_seqs)
{
	uint32_t end = 0;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		uint64_t own = are_seqs ? events->first_seq + i : events->step[i];
		for (uint32_t k = 0; k < events->ends_of[i]; k++, end++)
			writer->wide[end] = ph_zigzag(numbers[end] - own);
	}
	ph_group_write(writer, events->n_ends);
}

static PhStatus
encode_ends(PhLogicalCodec *codec, const PhLogicalEvents *events, PhBytes *out)
{
	PhGroupWriter writer;
	uint32_t n = events->n_ends;
	PH_TRY(ph_group_begin(codec, n, END_COLUMNS, &writer));
	write_optional(&writer, events->peer_location, n);
	write_from_own(&writer, events, events->peer_seq, true);
	write_from_own(&writer, events, events->peer_step, false);
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = ph_zigzag((uint64_t) events->tag[i]);
	ph_group_write(&writer, n);
	memcpy(writer.wide, events->bytes, n * sizeof(uint64_t));
	ph_group_write(&writer, n);
	return ph_group_end(&writer, 3, out);
}

PhStatus
ph_logical_encode_counters(PhLogicalCodec *codec, const PhLogicalEvents *events, PhBytes *out)
{
	PhGroupWriter writer;
	uint32_t n = events->n_events;
	*out = (PhBytes){NULL, 0};
	if (events->counter[0] == NULL)
		return PH_OK;
	PH_TRY(ph_group_begin(codec, n, PH_LOGICAL_COUNTERS, &writer));
	for (int c = 0; c < PH_LOGICAL_COUNTERS; c++)
	{
		memcpy(writer.wide, events->counter[c], n * sizeof(uint64_t));
		ph_group_write(&writer, n);
	}
	return ph_group_end(&writer, 4, out);
}

static PhStatus
encode_tasks(PhLogicalCodec *codec, const PhLogicalEvents *events, PhBytes *out)
{
	PhGroupWriter writer;
	const int64_t *const times[] = {events->share, events->idle, events->imbalance};
	uint32_t n = events->n_events;
	*out = (PhBytes){NULL, 0};
	if (events->processor == NULL)
		return PH_OK;
	PH_TRY(ph_group_begin(codec, n, TASK_COLUMNS, &writer));
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = events->processor[i];
	ph_group_write(&writer, n);
	write_differences(&writer, events->block, n);
	for (int t = 0; t < 3; t++)
	{
		for (uint32_t i = 0; i < n; i++)
			writer.wide[i] = (uint64_t) times[t][i];
		ph_group_write(&writer, n);
	}
	return ph_group_end(&writer, 5, out);
}

void
ph_logical_find_spans(const PhLogicalEvents *events, PhLogicalChunk *out)
{
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		if (i == 0 || events->step[i] < out->step_first)
			out->step_first = events->step[i];
		if (i == 0 || events->step[i] > out->step_last)
			out->step_last = events->step[i];
		if (i == 0 || events->enter[i] < out->t_first)
			out->t_first = events->enter[i];
		if (i == 0 || events->leave[i] > out->t_last)
			out->t_last = events->leave[i];
	}
}

PhStatus
ph_logical_encode(PhLogicalCodec *codec, const PhLogicalEvents *events, PhLogicalChunk *out)
{
	PhLogicalChunk chunk = {.location = events->location,
							.n_members = 1,
							.format = PH_LOGICAL_FORMAT,
							.n_events = events->n_events,
							.n_ends = events->n_ends,
							.first_seq = events->first_seq};
	if (events->n_events > PH_LOGICAL_MAX_EVENTS || events->n_ends > PH_LOGICAL_MAX_ENDS)
		return ph_fail(codec->env, PH_ERR_LIMIT,
					   "%u events with %u messages are too many for a chunk", events->n_events,
					   events->n_ends);
	ph_logical_find_spans(events, &chunk);
	PH_TRY(encode_places(codec, events, &chunk.places));
	PH_TRY(encode_metrics(codec, events, &chunk.metrics));
	PH_TRY(encode_causes(codec, events, &chunk.causes));
	PH_TRY(encode_ends(codec, events, &chunk.ends));
	PH_TRY(ph_logical_encode_counters(codec, events, &chunk.counters));
	PH_TRY(encode_tasks(codec, events, &chunk.tasks));
	*out = chunk;
	return PH_OK;
}
