/*
 * internal.h - what the encoder and the decoder of logical time share.
 *
 * Of format 1 (for format 2 see block.h):
 *
 *   places   kind + 4 x flags, region + 1, number of ends, phase, step (the last two as zigzag
 *            differences from the event before), enter from the leave before, leave from enter
 *   metrics  ten columns as differences from what others tell (ph_logical_predict), number of peers
 *   causes   earliest location, binding location (both + 1), binding seq from the own one
 *   ends     peer location + 1, its seq and step from the own ones, tag, bytes
 *   counters the bits of doubles
 *   tasks    processor, block as difference from the one before, then three times
 *
 * All arithmetic wraps, so any values come back as they were.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_INTERNAL_H
#define PH_LOGICAL_STORE_INTERNAL_H

#include "logical/store/store.h"
#include "trace/chunk/codec.h"

#define N_FLAGS 6
#define PLACE_COLUMNS 7
#define METRIC_COLUMNS (2 * PH_LOGICAL_METRICS + 1)
#define CAUSE_COLUMNS 3
#define END_COLUMNS 5
#define TASK_COLUMNS 5
#define GROUPS 6

struct PhLogicalCodec
{
	PhEnv *env;
	PhBuffer room;	/* arrays of events */
	PhBuffer plain; /* of the group at hand */
	PhBuffer packed[GROUPS];
	PhBuffer wide, low; /* one column */
	PhBuffer members;	/* of a block: its directory and what else is not by group */
	PhBuffer spare;		/* a second column, and classes of events */
	PhBuffer sides;		/* what is by bucket */
	PhBuffer state;		/* LZ4's */
};

/* Arrays of the wanted groups for n_events and n_ends; what they hold is left from before. */
PhStatus ph_logical_make_room(PhLogicalCodec *codec, uint32_t want, bool counters,
							  PhLogicalEvents *out) PH_MUST_CHECK;

/*
 * What of an event does not depend on its metrics, as logical/store/extract.c takes it from a
 * structure: how many events from `first` on make the next chunk, with how many ends; an event's
 * place; the events at the other ends, to peer_seq; from these all of their places, the tags and
 * bytes; another event's location and seq (PH_NONE for none).
 */
uint32_t ph_logical_measure(const PhLogicalModel *model, uint32_t first, uint32_t *n_ends);
void ph_logical_put_place(const PhLogical *logical, uint32_t event, PhLogicalEvents *out,
						  uint32_t i);
void ph_logical_find_peers(const PhLogicalModel *model, uint32_t first, PhLogicalEvents *out);
void ph_logical_put_ends(const PhLogical *logical, uint32_t first, PhLogicalEvents *out);
void ph_logical_find_place(const PhLogicalModel *model, uint32_t event, uint32_t *location,
						   uint32_t *seq);

void ph_logical_put_counters(const PhLogicalCounters *counters, uint32_t first,
							 PhLogicalEvents *out);

/* The spans of steps and times of a chunk's events. */
void ph_logical_find_spans(const PhLogicalEvents *events, PhLogicalChunk *out);

/* What both formats have in common. */
PhStatus ph_logical_encode_counters(PhLogicalCodec *codec, const PhLogicalEvents *events,
									PhBytes *out) PH_MUST_CHECK;
PhStatus ph_logical_decode_counters(PhLogicalCodec *codec, PhBytes bytes,
									PhLogicalEvents *events) PH_MUST_CHECK;
bool ph_logical_places_are_sound(const PhLogicalEvents *events);
bool ph_logical_ends_are_plausible(const PhLogicalChunk *chunk);

/* The codec's memory for one column of n numbers. */
PhStatus ph_logical_reserve_column(PhLogicalCodec *codec, size_t n) PH_MUST_CHECK;

static inline uint64_t
ph_logical_rest(int64_t whole, int64_t part)
{
	int64_t left = (int64_t) ((uint64_t) whole - (uint64_t) part);
	return left > 0 ? (uint64_t) left : 0;
}

/* What other columns say of a metric's value of event i: what most events have. */
static inline uint64_t
ph_logical_predict(const PhLogicalEvents *events, PhLogicalMetric metric, bool is_aggregate,
				   uint32_t i)
{
	int64_t *const *value = events->value, *const *aggregate = events->aggregate;
	bool is_global = metric == PH_GLOBAL_DIFFERENTIAL;
	PhLogicalMetric base = is_global ? PH_GLOBAL_LATENESS : PH_LATENESS;
	switch (metric)
	{
		case PH_GLOBAL_LATENESS:
			return (uint64_t) (is_aggregate ? aggregate : value)[PH_LATENESS][i];
		case PH_DIFFERENTIAL:
		case PH_GLOBAL_DIFFERENTIAL:
			if (!is_aggregate)
				return ph_logical_rest(value[base][i], aggregate[base][i]);
			return ph_logical_rest(aggregate[base][i], i > 0 ? value[base][i - 1] : 0);
		default:
			return 0;
	}
}

/* The column-th of the metrics; lateness first, for the others are told from it. */
int64_t *ph_logical_metric_column(const PhLogicalEvents *events, int column,
								  PhLogicalMetric *metric, bool *is_aggregate);

static inline bool
ph_logical_is_predicted(PhLogicalMetric metric)
{
	return metric != PH_LATENESS && metric != PH_DURATION;
}

#endif
