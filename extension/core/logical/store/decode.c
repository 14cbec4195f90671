/*
 * decode.c - compressed columns back to events of logical time, whatever the bytes are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/store/groups.h"

static void
read_optional(PhGroupReader *reader, uint32_t *numbers, size_t n)
{
	ph_group_read(reader, n);
	for (size_t i = 0; i < n; i++)
		numbers[i] = (uint32_t) reader->wide[i] - 1;
}

static void
read_plain(PhGroupReader *reader, uint32_t *numbers, size_t n)
{
	ph_group_read(reader, n);
	for (size_t i = 0; i < n; i++)
		numbers[i] = (uint32_t) reader->wide[i];
}

static void
read_differences(PhGroupReader *reader, uint32_t *numbers, size_t n)
{
	uint64_t before = 0;
	ph_group_read(reader, n);
	for (size_t i = 0; i < n; i++)
		before = numbers[i] = (uint32_t) (before + ph_unzigzag(reader->wide[i]));
}

static void
read_times(PhGroupReader *reader, PhLogicalEvents *events)
{
	uint32_t n = events->n_events;
	ph_group_read(reader, n);
	for (uint32_t i = 0; i < n; i++)
		events->enter[i] = (int64_t) ph_unzigzag(reader->wide[i]);
	ph_group_read(reader, n);
	uint64_t before = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t enter = before + (uint64_t) events->enter[i];
		before = enter + reader->wide[i];
		events->enter[i] = (int64_t) enter;
		events->leave[i] = (int64_t) before;
	}
}

bool
ph_logical_places_are_sound(const PhLogicalEvents *events)
{
	uint64_t n_ends = 0;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		n_ends += events->ends_of[i];
		if (events->kind[i] > PH_COMM_COLLECTIVE || events->flags[i] >> N_FLAGS != 0 ||
			events->step[i] > INT32_MAX || events->enter[i] < 0 || events->leave[i] < 0)
			return false;
	}
	return n_ends == events->n_ends;
}

static PhStatus
decode_places(PhLogicalCodec *codec, PhBytes bytes, PhLogicalEvents *events)
{
	PhGroupReader reader;
	uint32_t n = events->n_events;
	PH_TRY(ph_group_open(codec, bytes, n, PLACE_COLUMNS, &reader));
	read_plain(&reader, events->kind, n);
	for (uint32_t i = 0; i < n; i++)
	{
		events->flags[i] = events->kind[i] >> 2;
		events->kind[i] &= 3;
	}
	read_optional(&reader, events->region, n);
	read_plain(&reader, events->ends_of, n);
	read_differences(&reader, events->phase, n);
	read_differences(&reader, events->step, n);
	read_times(&reader, events);
	PH_TRY(ph_group_close(&reader, "places"));
	return ph_logical_places_are_sound(events) ? PH_OK : ph_group_bad(codec->env, "places");
}

static PhStatus
decode_metrics(PhLogicalCodec *codec, PhBytes bytes, PhLogicalEvents *events)
{
	PhGroupReader reader;
	uint32_t n = events->n_events;
	PH_TRY(ph_group_open(codec, bytes, n, METRIC_COLUMNS, &reader));
	for (int column = 0; column < 2 * PH_LOGICAL_METRICS; column++)
	{
		PhLogicalMetric metric;
		bool is_aggregate;
		int64_t *values = ph_logical_metric_column(events, column, &metric, &is_aggregate);
		ph_group_read(&reader, n);
		for (uint32_t i = 0; i < n; i++)
			values[i] = ph_logical_is_predicted(metric)
							? (int64_t) (ph_unzigzag(reader.wide[i]) +
										 ph_logical_predict(events, metric, is_aggregate, i))
							: (int64_t) reader.wide[i];
	}
	read_plain(&reader, events->n_peers, n);
	return ph_group_close(&reader, "metrics");
}

static PhStatus
decode_causes(PhLogicalCodec *codec, PhBytes bytes, PhLogicalEvents *events)
{
	PhGroupReader reader;
	uint32_t n = events->n_events;
	PH_TRY(ph_group_open(codec, bytes, n, CAUSE_COLUMNS, &reader));
	read_optional(&reader, events->earliest_location, n);
	read_optional(&reader, events->binding_location, n);
	ph_group_read(&reader, n);
	for (uint32_t i = 0; i < n; i++)
		events->binding_seq[i] = (uint32_t) (ph_unzigzag(reader.wide[i]) + events->first_seq + i);
	return ph_group_close(&reader, "causes");
}

static void
read_from_own(PhGroupReader *reader, const PhLogicalEvents *events, uint32_t *numbers,
			  bool are_seqs)
{
	uint32_t end = 0;
	ph_group_read(reader, events->n_ends);
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		uint64_t own = are_seqs ? events->first_seq + i : events->step[i];
		for (uint32_t k = 0; k < events->ends_of[i]; k++, end++)
			numbers[end] = (uint32_t) (ph_unzigzag(reader->wide[end]) + own);
	}
}

static PhStatus
decode_ends(PhLogicalCodec *codec, PhBytes bytes, PhLogicalEvents *events)
{
	PhGroupReader reader;
	uint32_t n = events->n_ends;
	PH_TRY(ph_group_open(codec, bytes, n, END_COLUMNS, &reader));
	read_optional(&reader, events->peer_location, n);
	read_from_own(&reader, events, events->peer_seq, true);
	read_from_own(&reader, events, events->peer_step, false);
	ph_group_read(&reader, n);
	for (uint32_t i = 0; i < n; i++)
		events->tag[i] = (int32_t) ph_unzigzag(reader.wide[i]);
	ph_group_read(&reader, n);
	memcpy(events->bytes, reader.wide, n * sizeof(uint64_t));
	return ph_group_close(&reader, "messages");
}

PhStatus
ph_logical_decode_counters(PhLogicalCodec *codec, PhBytes bytes, PhLogicalEvents *events)
{
	PhGroupReader reader;
	uint32_t n = events->n_events;
	PH_TRY(ph_group_open(codec, bytes, n, PH_LOGICAL_COUNTERS, &reader));
	for (int c = 0; c < PH_LOGICAL_COUNTERS; c++)
	{
		ph_group_read(&reader, n);
		memcpy(events->counter[c], reader.wide, n * sizeof(uint64_t));
	}
	return ph_group_close(&reader, "counters");
}

static PhStatus
decode_tasks(PhLogicalCodec *codec, PhBytes bytes, PhLogicalEvents *events)
{
	PhGroupReader reader;
	int64_t *const times[] = {events->share, events->idle, events->imbalance};
	uint32_t n = events->n_events;
	bool is_sound = true;
	PH_TRY(ph_group_open(codec, bytes, n, TASK_COLUMNS, &reader));
	read_plain(&reader, events->processor, n);
	read_differences(&reader, events->block, n);
	for (int t = 0; t < 3; t++)
	{
		ph_group_read(&reader, n);
		for (uint32_t i = 0; i < n; i++)
		{
			times[t][i] = (int64_t) reader.wide[i];
			is_sound = is_sound && times[t][i] >= 0;
		}
	}
	PH_TRY(ph_group_close(&reader, "tasks"));
	return is_sound ? PH_OK : ph_group_bad(codec->env, "tasks");
}

static PhStatus
check_head(PhEnv *env, const PhLogicalChunk *chunk)
{
	if (chunk->format != PH_LOGICAL_FORMAT)
		return ph_fail_hint(env, PH_ERR_FORMAT, "Assign the run's logical steps anew.",
							"a chunk of logical time has the unknown format %d", chunk->format);
	if (chunk->n_events > PH_LOGICAL_MAX_EVENTS || chunk->n_ends > PH_LOGICAL_MAX_ENDS)
		return ph_group_bad(env, "numbers");
	return PH_OK;
}

/*
 * Could so many ends be in so few bytes (LZ4 expands at most 255 times)? Else the number in the
 * chunk's head is wrong, and no memory is taken for it.
 */
bool
ph_logical_ends_are_plausible(const PhLogicalChunk *chunk)
{
	return chunk->n_ends / 256 <= chunk->ends.size;
}

PhStatus
ph_logical_decode(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want,
				  PhLogicalEvents *out)
{
	PhLogicalEvents events = {.location = chunk->location,
							  .first_seq = chunk->first_seq,
							  .n_events = chunk->n_events,
							  .n_ends = chunk->n_ends};
	bool counters = (want & PH_LOGICAL_WANT_COUNTERS) != 0 && chunk->counters.size > 0;
	PH_TRY(check_head(codec->env, chunk));
	if ((want & PH_LOGICAL_WANT_ENDS) != 0 && !ph_logical_ends_are_plausible(chunk))
		return ph_group_bad(codec->env, "messages");
	bool tasks = (want & PH_LOGICAL_WANT_TASKS) != 0 && chunk->tasks.size > 0;
	PH_TRY(ph_logical_make_room(codec, tasks ? want : want & ~(uint32_t) PH_LOGICAL_WANT_TASKS,
								counters, &events));
	PH_TRY(decode_places(codec, chunk->places, &events));
	if ((want & PH_LOGICAL_WANT_METRICS) != 0)
		PH_TRY(decode_metrics(codec, chunk->metrics, &events));
	if ((want & PH_LOGICAL_WANT_CAUSES) != 0)
		PH_TRY(decode_causes(codec, chunk->causes, &events));
	if ((want & PH_LOGICAL_WANT_ENDS) != 0)
		PH_TRY(decode_ends(codec, chunk->ends, &events));
	if (counters)
		PH_TRY(ph_logical_decode_counters(codec, chunk->counters, &events));
	if (tasks)
		PH_TRY(decode_tasks(codec, chunk->tasks, &events));
	*out = events;
	return PH_OK;
}
