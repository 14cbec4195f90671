/*
 * computed.c - see computed.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/store/computed.h"

#include <string.h>

#include "base/min_max.h"

/* ---- events ---- */

/* What receives did not get with their messages; others' follows from their lateness. */
static void
put_differential(const PhLogicalMetrics *metrics, uint32_t first, PhLogicalEvents *out)
{
	const uint8_t *kind = metrics->logical->model->kind + first;
	const uint32_t *peers = out->peer_seq;
	for (uint32_t i = 0; i < out->n_events; peers += out->ends_of[i++])
		if (kind[i] == PH_COMM_RECEIVE)
			ph_logical_late_receive(metrics, first + i, peers, &out->value[PH_DIFFERENTIAL][i],
									&out->value[PH_GLOBAL_DIFFERENTIAL][i]);
}

void
ph_computed_fill(const PhLogicalMetrics *metrics, const PhLogicalCounters *counters, uint32_t first,
				 PhLogicalEvents *out)
{
	const PhLogical *logical = metrics->logical;
	for (uint32_t i = 0; i < out->n_events; i++)
		ph_logical_put_place(logical, first + i, out, i);
	ph_logical_find_peers(logical->model, first, out);
	put_differential(metrics, first, out);
	for (uint32_t i = 0; i < out->n_events; i++)
		ph_logical_find_place(logical->model, logical->binding[first + i],
							  &out->binding_location[i], &out->binding_seq[i]);
	ph_logical_put_ends(logical, first, out);
	if (counters->values[0] != NULL)
		ph_logical_put_counters(counters, first, out);
}

/* ---- sides ---- */

/* What a side is, by the metrics' bucket; of global ones by step. */
static const int64_t *
minima(const PhLogicalMetrics *metrics, PhBlockSide side)
{
	const int64_t *const all[PH_SIDES] = {[PH_SIDE_OUT] = metrics->out_time,
										  [PH_SIDE_IN] = metrics->in_time,
										  [PH_SIDE_GLOBAL_OUT] = metrics->step_out_time,
										  [PH_SIDE_GLOBAL_IN] = metrics->step_in_time,
										  [PH_SIDE_DURATION] = metrics->least_duration,
										  [PH_SIDE_GAP] = metrics->least_gap};
	return all[side];
}

static void
write_side(PhGroupWriter *writer, const PhLogicalBlock *block, PhBlockSides *sides,
		   PhBlockSide side)
{
	const PhLogicalMetrics *metrics = block->origin->metrics;
	bool global = side == PH_SIDE_GLOBAL_OUT || side == PH_SIDE_GLOBAL_IN;
	bool by_step = global && !metrics->steps_are_buckets;
	const int64_t *told = sides->side[global ? side - PH_SIDE_GLOBAL_OUT : side];
	const int64_t *least = minima(metrics, side);
	for (uint32_t b = 0; b < block->n_buckets; b++)
	{
		uint32_t at = block->origin->bucket[b];
		if (by_step)
			at = block->events.step[sides->first[b]] / (uint32_t) metrics->logical->stride;
		bool is_known = side != PH_SIDE_GAP || sides->first_gap[b] != PH_NONE;
		int64_t is = is_known ? least[at] : told[b];
		writer->wide[b] = ph_zigzag((uint64_t) is - (uint64_t) told[b]);
		sides->side[side][b] = is;
	}
	ph_group_write_rest(writer, block->n_buckets);
}

void
ph_computed_sides(PhGroupWriter *writer, const PhLogicalBlock *block, PhBlockSides *sides)
{
	for (int side = 0; side < PH_SIDES; side++)
		write_side(writer, block, sides, (PhBlockSide) side);
}

/* ---- values ---- */

static void
write_receives(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides,
			   bool global)
{
	const PhLogicalEvents *events = &block->events;
	const int64_t *local = events->value[PH_DIFFERENTIAL];
	const int64_t *value = global ? events->value[PH_GLOBAL_DIFFERENTIAL] : local;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		uint32_t b = block->bucket[i];
		bool is_told = global &&
					   sides->side[PH_SIDE_OUT][b] == sides->side[PH_SIDE_GLOBAL_OUT][b] &&
					   sides->side[PH_SIDE_IN][b] == sides->side[PH_SIDE_GLOBAL_IN][b];
		uint64_t told = is_told ? (uint64_t) local[i] : 0;
		writer->wide[i] =
			events->kind[i] == PH_COMM_RECEIVE ? ph_zigzag((uint64_t) value[i] - told) : 0;
	}
	ph_group_write_rest(writer, events->n_events);
}

/* What the block cannot tell of a member's first event, for it does not know the one before. */
static uint64_t
rest_of_first(const PhLogicalBlock *block, const PhBlockSides *sides, PhBlockColumn column,
			  uint32_t event, uint32_t i)
{
	const PhLogicalMetrics *metrics = block->origin->metrics;
	uint64_t is = (uint64_t) ph_logical_aggregate(metrics, column.metric, event);
	if (column.metric == PH_DURATION)
		return ph_zigzag(is + (uint64_t) sides->side[PH_SIDE_GAP][block->bucket[i]]);
	PhLogicalMetric base = column.metric == PH_DIFFERENTIAL ? PH_LATENESS : PH_GLOBAL_LATENESS;
	int64_t late = ph_logical_aggregate(metrics, base, event);
	return ph_zigzag(is - (uint64_t) PH_MAX(late, 0));
}

static void
write_firsts(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides,
			 PhBlockColumn column)
{
	memset(writer->wide, 0, block->events.n_events * sizeof(*writer->wide));
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		uint32_t i = block->first_event[m];
		if (i < block->first_event[m + 1])
			writer->wide[i] = rest_of_first(block, sides, column, block->origin->at[m], i);
	}
	ph_group_write_rest(writer, block->events.n_events);
}

void
ph_computed_values(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides)
{
	bool is_regular = block->origin->metrics->steps_are_buckets;
	for (int c = 0; c < PH_BLOCK_VALUES; c++)
	{
		PhBlockColumn column = ph_block_columns[c];
		bool global = column.metric == PH_GLOBAL_DIFFERENTIAL;
		bool is_differential = global || column.metric == PH_DIFFERENTIAL;
		if (column.is_aggregate && (is_differential || column.metric == PH_DURATION))
			write_firsts(writer, block, sides, column);
		else if (is_differential && !(global && is_regular))
			write_receives(writer, block, sides, global);
		else
			ph_group_write_nothing(writer);
	}
}

/* ---- peers ---- */

void
ph_computed_peers(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides)
{
	const struct PhLogicalOrigin *origin = block->origin;
	for (uint32_t b = 0; b < block->n_buckets; b++)
	{
		uint32_t is = origin->metrics->n_peers[origin->bucket[b]];
		writer->wide[b] = ph_zigzag((uint64_t) (uint32_t) (is - sides->n_peers[b]));
	}
	ph_group_write_rest(writer, block->n_buckets);
	ph_group_write_nothing(writer);
}

void
ph_computed_earliest(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides)
{
	const struct PhLogicalOrigin *origin = block->origin;
	const PhLogicalModel *model = origin->metrics->logical->model;
	for (uint32_t b = 0; b < block->n_buckets; b++)
	{
		uint32_t location, seq;
		ph_logical_find_place(model, origin->metrics->first_out[origin->bucket[b]], &location,
							  &seq);
		writer->wide[b] = ph_zigzag((uint64_t) (uint32_t) (location - sides->earliest[b]));
	}
	ph_group_write_rest(writer, block->n_buckets);
	ph_group_write_nothing(writer);
}
