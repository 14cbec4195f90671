/*
 * logical_events.c - see logical_events.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/logical_events.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
random_64(RandomNumbers *numbers)
{
	uint64_t high = numbers_below(numbers, UINT32_MAX);
	return high << 32 | numbers_below(numbers, UINT32_MAX);
}

/* Small ones mostly, zero often, anything now and then. */
static int64_t
random_value(RandomNumbers *numbers)
{
	switch (numbers_below(numbers, 8))
	{
		case 0:
			return (int64_t) random_64(numbers);
		case 1:
		case 2:
		case 3:
			return numbers_below(numbers, 100000);
		default:
			return 0;
	}
}

static uint32_t
random_number(RandomNumbers *numbers)
{
	return numbers_below(numbers, 8) == 0 ? (uint32_t) random_64(numbers)
										  : numbers_below(numbers, 300);
}

static uint32_t
random_or_none(RandomNumbers *numbers)
{
	return numbers_below(numbers, 6) == 0 ? PH_NONE : random_number(numbers);
}

static void
random_times(RandomNumbers *numbers, PhLogicalEvents *events)
{
	uint64_t now = numbers_below(numbers, 2) == 0 ? 0 : random_64(numbers) >> 2;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		now += numbers_below(numbers, 100000);
		events->enter[i] = (int64_t) (now - numbers_below(numbers, (uint32_t) (now % 50 + 1)));
		now += numbers_below(numbers, 5) == 0 ? random_64(numbers) >> 30 : 17;
		events->leave[i] = (int64_t) now;
	}
}

static void
random_places(RandomNumbers *numbers, PhLogicalEvents *events)
{
	uint32_t step = numbers_below(numbers, 1000);
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		step += 2 * numbers_below(numbers, 5);
		events->kind[i] = numbers_below(numbers, 3);
		events->flags[i] = numbers_below(numbers, 16);
		events->region[i] = random_or_none(numbers);
		events->phase[i] = random_number(numbers);
		events->step[i] = numbers_below(numbers, 50) == 0 ? (uint32_t) INT32_MAX : step;
	}
	random_times(numbers, events);
}

static void
random_rest(RandomNumbers *numbers, PhLogicalEvents *events)
{
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		for (int m = 0; m < PH_LOGICAL_METRICS; m++)
		{
			events->value[m][i] = random_value(numbers);
			events->aggregate[m][i] = random_value(numbers);
		}
		events->n_peers[i] = random_number(numbers);
		events->earliest_location[i] = random_or_none(numbers);
		events->binding_location[i] = random_or_none(numbers);
		events->binding_seq[i] = random_number(numbers);
		for (int c = 0; c < PH_LOGICAL_COUNTERS && events->counter[c] != NULL; c++)
			events->counter[c][i] = (double) random_value(numbers) / 3;
	}
	for (uint32_t e = 0; e < events->n_ends; e++)
	{
		events->peer_location[e] = random_or_none(numbers);
		events->peer_seq[e] = random_number(numbers);
		events->peer_step[e] = random_number(numbers);
		events->tag[e] = (int32_t) random_number(numbers);
		events->bytes[e] = (uint64_t) random_value(numbers);
	}
}

PhStatus
random_logical_events(PhLogicalCodec *codec, RandomNumbers *numbers, uint32_t max_events,
					  PhLogicalEvents *out)
{
	uint32_t n = numbers_below(numbers, max_events + 1), n_ends = 0;
	uint32_t *ends = calloc((size_t) n + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++)
		n_ends += ends[i] = numbers_below(numbers, 3) == 0 ? numbers_below(numbers, 8) : 0;
	PhStatus status = ph_logical_room(codec, n, n_ends, numbers_below(numbers, 2) == 0, out);
	if (status == PH_OK)
	{
		memcpy(out->ends_of, ends, n * sizeof(uint32_t));
		out->location = numbers_below(numbers, 1000);
		out->first_seq = numbers_below(numbers, 100000);
		random_places(numbers, out);
		random_rest(numbers, out);
	}
	free(ends);
	return status;
}

void
list_logical_arrays(const PhLogicalEvents *e, LogicalArray arrays[LOGICAL_ARRAYS])
{
	size_t n4 = e->n_events * sizeof(uint32_t), n8 = e->n_events * sizeof(uint64_t);
	size_t m4 = e->n_ends * sizeof(uint32_t), m8 = e->n_ends * sizeof(uint64_t);
	const LogicalArray named[] = {
		{"kind", e->kind, n4, PH_LOGICAL_WANT_PLACES},
		{"flags", e->flags, n4, PH_LOGICAL_WANT_PLACES},
		{"region", e->region, n4, PH_LOGICAL_WANT_PLACES},
		{"ends_of", e->ends_of, n4, PH_LOGICAL_WANT_PLACES},
		{"phase", e->phase, n4, PH_LOGICAL_WANT_PLACES},
		{"step", e->step, n4, PH_LOGICAL_WANT_PLACES},
		{"enter", e->enter, n8, PH_LOGICAL_WANT_PLACES},
		{"leave", e->leave, n8, PH_LOGICAL_WANT_PLACES},
		{"n_peers", e->n_peers, n4, PH_LOGICAL_WANT_METRICS},
		{"earliest_location", e->earliest_location, n4, PH_LOGICAL_WANT_CAUSES},
		{"binding_location", e->binding_location, n4, PH_LOGICAL_WANT_CAUSES},
		{"binding_seq", e->binding_seq, n4, PH_LOGICAL_WANT_CAUSES},
		{"peer_location", e->peer_location, m4, PH_LOGICAL_WANT_ENDS},
		{"peer_seq", e->peer_seq, m4, PH_LOGICAL_WANT_ENDS},
		{"peer_step", e->peer_step, m4, PH_LOGICAL_WANT_ENDS},
		{"tag", e->tag, m4, PH_LOGICAL_WANT_ENDS},
		{"bytes", e->bytes, m8, PH_LOGICAL_WANT_ENDS},
	};
	size_t n = sizeof(named) / sizeof(*named);
	memset(arrays, 0, LOGICAL_ARRAYS * sizeof(*arrays));
	memcpy(arrays, named, sizeof(named));
	for (int m = 0; m < PH_LOGICAL_METRICS; m++)
	{
		arrays[n++] = (LogicalArray){"value", e->value[m], n8, PH_LOGICAL_WANT_METRICS};
		arrays[n++] = (LogicalArray){"aggregate", e->aggregate[m], n8, PH_LOGICAL_WANT_METRICS};
	}
	for (int c = 0; c < PH_LOGICAL_COUNTERS; c++)
		arrays[n++] = (LogicalArray){"counter", e->counter[c], n8, PH_LOGICAL_WANT_COUNTERS};
}
