/*
 * task_reference.c - the slow reference, step by step as the design words it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/task_reference.h"

#include <stdlib.h>
#include <string.h>

static int32_t
serial_of_block(const PhTaskTrace *trace, uint32_t block)
{
	return trace->entry_serial[trace->block_entry[block]];
}

static bool
is_set_off_by_neighbour(const PhTaskTrace *trace, uint32_t block)
{
	return block > 0 && serial_of_block(trace, block) >= 0 &&
		   trace->block_processor[block - 1] == trace->block_processor[block] &&
		   trace->block_entity[block - 1] == trace->block_entity[block];
}

static bool
absorbs(const TaskReference *r, uint32_t block)
{
	return r->options.absorb_when && is_set_off_by_neighbour(r->trace, block) &&
		   serial_of_block(r->trace, block - 1) < 0;
}

static uint32_t
root_of(const TaskReference *r, uint32_t block)
{
	for (;;)
	{
		if (r->trace->block_continues[block] != PH_NONE)
			block = r->trace->block_continues[block];
		else if (absorbs(r, block))
			block--;
		else
			return block;
	}
}

static int32_t
serial_of(const TaskReference *r, uint32_t block)
{
	uint32_t next = block + 1;
	if (next < r->trace->count[PH_TASK_BLOCKS] && absorbs(r, next))
		return serial_of_block(r->trace, next);
	return serial_of_block(r->trace, block);
}

static bool
comes_before(const PhTaskTrace *trace, uint32_t a, uint32_t b)
{
	uint32_t x = trace->event_block[a], y = trace->event_block[b];
	if (trace->block_entity[x] != trace->block_entity[y])
		return trace->block_entity[x] < trace->block_entity[y];
	if (trace->block_begin[x] != trace->block_begin[y])
		return trace->block_begin[x] < trace->block_begin[y];
	return a < b;
}

static void
order_events(TaskReference *r)
{
	const PhTaskTrace *trace = r->trace;
	r->n = trace->count[PH_TASK_EVENTS];
	for (uint32_t e = 0; e < r->n; e++)
	{
		uint32_t i = e;
		for (; i > 0 && comes_before(trace, e, r->event[i - 1]); i--)
			r->event[i] = r->event[i - 1];
		r->event[i] = e;
	}
	for (uint32_t e = 0; e < r->n; e++)
	{
		r->place[r->event[e]] = e;
		r->block[e] = trace->event_block[r->event[e]];
		r->entity[e] = trace->block_entity[r->block[e]];
		r->root[e] = root_of(r, r->block[e]);
		r->serial[e] = serial_of(r, r->block[e]);
	}
}

static bool
receives(const TaskReference *r, uint32_t e)
{
	return r->trace->event_kind[r->event[e]] == PH_TASK_RECEIVE;
}

static uint32_t
partner(const TaskReference *r, uint32_t e)
{
	uint32_t p = r->trace->event_partner[r->event[e]];
	return p == PH_NONE ? PH_NONE : r->place[p];
}

static bool
on_runtime(const TaskReference *r, uint32_t e)
{
	return r->trace->entity_is_runtime[r->entity[e]];
}

/* 0: no partner, 1: on the application's side, 2: on the runtime's. */
static int
side_of(const TaskReference *r, uint32_t e)
{
	uint32_t other = partner(r, e);
	for (uint32_t i = 0; i < r->n && other == PH_NONE && !receives(r, e); i++)
		if (partner(r, i) == e)
			other = i;
	if (other == PH_NONE && receives(r, e) &&
		strstr(r->trace->entry_name[r->trace->block_entry[r->block[e]]], "CkReductionMsg") != NULL)
		return 2;
	return other == PH_NONE ? 0 : on_runtime(r, other) ? 2 : 1;
}

static uint32_t
link_before(const TaskReference *r, uint32_t e)
{
	for (uint32_t i = e; i-- > 0;)
		if (r->root[i] == r->root[e])
			return i;
	return PH_NONE;
}

static uint32_t
link_after(const TaskReference *r, uint32_t e)
{
	for (uint32_t i = e + 1; i < r->n; i++)
		if (r->root[i] == r->root[e])
			return i;
	return PH_NONE;
}

static void
start_parts(TaskReference *r)
{
	int side = 0;
	for (uint32_t e = 0; e < r->n; e++)
	{
		int own = side_of(r, e);
		bool goes_on = e > 0 && r->entity[e] == r->entity[e - 1] && link_before(r, e) == e - 1 &&
					   (on_runtime(r, e) || side == 0 || own == 0 || side == own);
		r->part[e] = goes_on ? r->part[e - 1] : e;
		side = !goes_on || own != 0 ? own : side;
	}
}

static void
unite(TaskReference *r, uint32_t a, uint32_t b)
{
	uint32_t from = r->part[a], to = r->part[b];
	for (uint32_t e = 0; e < r->n; e++)
		if (r->part[e] == from)
			r->part[e] = to;
}

bool
task_reference_is_runtime(const TaskReference *r, uint32_t part)
{
	for (uint32_t e = 0; e < r->n; e++)
		if (r->part[e] == part && (on_runtime(r, e) || side_of(r, e) == 2))
			return true;
	return false;
}

static bool
serial_goes_on(const TaskReference *r, uint32_t e)
{
	return r->options.order_serials && e + 1 < r->n && r->entity[e] == r->entity[e + 1] &&
		   r->serial[e] >= 0 && r->serial[e] + 1 == r->serial[e + 1];
}

static int32_t
most_serial(const TaskReference *r, uint32_t part, int sign)
{
	int32_t most = INT32_MIN;
	for (uint32_t e = 0; e < r->n; e++)
		if (r->part[e] == part && sign * r->serial[e] > most)
			most = sign * r->serial[e];
	return sign * most;
}

/* Blocks from x to y were set off by one message, one right after the other. */
static bool
in_one_run(const TaskReference *r, uint32_t x, uint32_t y)
{
	if (y < x || r->trace->block_processor[x] != r->trace->block_processor[y])
		return false;
	for (uint32_t b = x + 1; b <= y; b++)
		if (!is_set_off_by_neighbour(r->trace, b))
			return false;
	return true;
}

static void
start_edges(TaskReference *r)
{
	const PhTaskTrace *trace = r->trace;
	memset(r->edge, 0, sizeof(r->edge));
	for (uint32_t e = 0; e < r->n; e++)
	{
		if (link_after(r, e) != PH_NONE)
			r->edge[e][link_after(r, e)] = true;
		if (r->options.order_serials && e + 1 < r->n && r->entity[e] == r->entity[e + 1] &&
			in_one_run(r, r->block[e], r->block[e + 1]))
			r->edge[e][e + 1] = true;
	}
	for (uint32_t d = 0; d < trace->count[PH_TASK_EDGES] && r->options.use_edges; d++)
		r->edge[r->place[trace->edge_from[d]]][r->place[trace->edge_to[d]]] = true;
}

static void
close_graph(TaskReference *r)
{
	for (uint32_t e = 0; e + 1 < r->n; e++)
		if (serial_goes_on(r, e) && (most_serial(r, r->part[e], 1) < r->serial[e + 1] ||
									 most_serial(r, r->part[e + 1], -1) > r->serial[e]))
			r->edge[e][e + 1] = true;
	memset(r->reach, 0, sizeof(r->reach));
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; b < r->n; b++)
			if (r->edge[a][b] && r->part[a] != r->part[b])
				r->reach[r->part[a]][r->part[b]] = true;
}

static void
merge_cycles(TaskReference *r)
{
	close_graph(r);
	for (uint32_t k = 0; k < r->n; k++)
		for (uint32_t i = 0; r->part[k] == k && i < r->n; i++)
			for (uint32_t j = 0; r->reach[i][k] && j < r->n; j++)
				r->reach[i][j] = r->reach[i][j] || r->reach[k][j];
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; r->part[i] != i && r->reach[i][i] && k < r->n; k++)
			r->reach[i][k] = false;
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; b < r->n; b++)
			if (r->part[a] != r->part[b] && r->reach[r->part[a]][r->part[b]] &&
				r->reach[r->part[b]][r->part[a]])
			{
				unite(r, a, b);
				return merge_cycles(r);
			}
}

/* Part numbers are those of an event of the part, so that closures need few of them. */
static void
name_parts(TaskReference *r)
{
	uint32_t name[MAX_EVENTS];
	for (uint32_t e = r->n; e-- > 0;)
		name[r->part[e]] = e;
	for (uint32_t e = 0; e < r->n; e++)
		r->part[e] = name[r->part[e]];
}

static bool
splits(const TaskReference *r, uint32_t e)
{
	uint32_t next = link_after(r, e);
	return next != PH_NONE && r->part[next] != r->part[e] &&
		   task_reference_is_runtime(r, r->part[next]) != task_reference_is_runtime(r, r->part[e]);
}

static void
repair(TaskReference *r)
{
	bool changed = true;
	while (changed)
	{
		changed = false;
		for (uint32_t a = 0; a < r->n; a++)
			for (uint32_t b = 0; b < a; b++)
				if (r->part[a] == r->part[b] && splits(r, a) && splits(r, b) &&
					r->part[link_after(r, a)] != r->part[link_after(r, b)])
				{
					unite(r, link_after(r, a), link_after(r, b));
					changed = true;
				}
	}
}

static bool
is_source(const TaskReference *r, uint32_t e)
{
	uint32_t before = link_before(r, e);
	return (!receives(r, e) || partner(r, e) == PH_NONE) &&
		   (before == PH_NONE || r->part[before] != r->part[e]);
}

static void
infer(TaskReference *r)
{
	static bool found[MAX_EVENTS][MAX_EVENTS];
	memset(found, 0, sizeof(found));
	for (uint32_t e = 0; e + 1 < r->n; e++)
	{
		bool neighbours = r->entity[e] == r->entity[e + 1] && r->part[e] != r->part[e + 1];
		if (neighbours && serial_goes_on(r, e) && r->serial[e] == most_serial(r, r->part[e], 1))
			found[e][e + 1] = true;
		if (neighbours && r->options.order_serials && receives(r, e) && !receives(r, e + 1) &&
			r->serial[e + 1] >= 0 && link_before(r, e + 1) == PH_NONE)
			found[e][e + 1] = true;
		uint32_t next = e + 1;
		while (is_source(r, e) && next < r->n && r->entity[next] == r->entity[e] &&
			   !is_source(r, next))
			next++;
		if (is_source(r, e) && next < r->n && r->entity[next] == r->entity[e] &&
			r->part[next] != r->part[e])
			found[e][next] = true;
	}
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; b < r->n; b++)
			r->edge[a][b] = r->edge[a][b] || found[a][b];
}

static void
find_leaps(TaskReference *r)
{
	bool changed = true;
	close_graph(r);
	memset(r->leap, 0, sizeof(r->leap));
	while (changed)
	{
		changed = false;
		for (uint32_t a = 0; a < r->n; a++)
			for (uint32_t b = 0; b < r->n; b++)
				if (r->reach[a][b] && r->leap[b] <= r->leap[a])
				{
					r->leap[b] = r->leap[a] + 1;
					changed = true;
				}
	}
}

static bool
shares_entity(const TaskReference *r, uint32_t p, uint32_t q)
{
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; r->part[a] == p && b < r->n; b++)
			if (r->part[b] == q && r->entity[a] == r->entity[b])
				return true;
	return false;
}

/* The entry method of a part none of whose messages has both ends; PH_NONE: one has. */
static uint32_t
lone_entry(const TaskReference *r, uint32_t part)
{
	uint32_t entry = PH_NONE;
	for (uint32_t e = 0; e < r->n; e++)
		for (uint32_t i = 0; r->part[e] == part && i < r->n; i++)
			if (partner(r, e) != PH_NONE || partner(r, i) == e)
				return PH_NONE;
	for (uint32_t e = 0; e < r->n && entry == PH_NONE; e++)
		if (r->part[e] == part)
			entry = r->trace->block_entry[r->block[e]];
	return entry;
}

static void
merge_lone(TaskReference *r)
{
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; b < a; b++)
		{
			uint32_t p = r->part[a], q = r->part[b];
			if (p != q && lone_entry(r, p) != PH_NONE && lone_entry(r, p) == lone_entry(r, q) &&
				r->leap[p] == r->leap[q] &&
				task_reference_is_runtime(r, p) == task_reference_is_runtime(r, q))
				unite(r, a, b);
		}
}

static void
merge_leaps(TaskReference *r)
{
	find_leaps(r);
	merge_lone(r);
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; b < a; b++)
			if (r->part[a] != r->part[b] && r->entity[a] == r->entity[b] &&
				r->leap[r->part[a]] == r->leap[r->part[b]] &&
				task_reference_is_runtime(r, r->part[a]) ==
					task_reference_is_runtime(r, r->part[b]))
			{
				uint32_t leap = r->leap[r->part[a]];
				unite(r, a, b);
				r->leap[r->part[b]] = leap;
			}
	close_graph(r);
}

static int64_t
start_of(const TaskReference *r, uint32_t part)
{
	int64_t sum = 0, n = 0, least = INT64_MAX;
	for (uint32_t e = 0; e < r->n; e++)
	{
		int64_t time = r->trace->event_time[r->event[e]];
		if (r->part[e] != part)
			continue;
		least = time < least ? time : least;
		sum += is_source(r, e) ? time : 0;
		n += is_source(r, e);
	}
	return n > 0 ? sum / n : least;
}

/* Of two parts that wait, the one that goes first. */
static bool
goes_first(const TaskReference *r, uint32_t p, uint32_t q)
{
	int64_t x = start_of(r, p), y = start_of(r, q);
	return x != y ? x < y : p < q;
}

/* Leap by leap: of what waits for nothing, what is the first of all such on all its entities. */
static void
enforce(TaskReference *r)
{
	bool is_done[MAX_EVENTS] = {false}, waits[MAX_EVENTS], ready[MAX_EVENTS];
	uint32_t n_left = 0;
	for (uint32_t e = 0; e < r->n; e++)
		n_left += r->part[e] == e;
	for (uint32_t number = 0; n_left > 0; number++)
	{
		for (uint32_t p = 0; p < r->n; p++)
		{
			waits[p] = r->part[p] == p && !is_done[p];
			for (uint32_t q = 0; q < r->n && waits[p]; q++)
				waits[p] = !(r->reach[q][p] && !is_done[q]);
		}
		for (uint32_t p = 0; p < r->n; p++)
		{
			ready[p] = waits[p];
			for (uint32_t q = 0; q < r->n && ready[p]; q++)
				ready[p] = !(waits[q] && q != p && shares_entity(r, p, q) && goes_first(r, q, p));
		}
		for (uint32_t p = 0; p < r->n; p++)
			if (ready[p])
			{
				is_done[p] = true;
				r->leap[p] = number;
				n_left--;
			}
	}
	for (uint32_t p = 0; p < r->n; p++)
		for (uint32_t q = 0; q < r->n; q++)
			if (r->part[p] == p && r->part[q] == q && r->leap[p] < r->leap[q] &&
				shares_entity(r, p, q))
				r->reach[p][q] = true;
}

/* ---- order and steps ---- */

static bool
depends(const TaskReference *r, uint32_t a, uint32_t b)
{
	const PhTaskTrace *trace = r->trace;
	if (partner(r, b) == a)
		return true;
	for (uint32_t d = 0; d < trace->count[PH_TASK_EDGES] && r->options.use_edges; d++)
		if (r->place[trace->edge_from[d]] == a && r->place[trace->edge_to[d]] == b)
			return r->part[a] == r->part[b];
	return false;
}

/* Head of the unit: of a serial block in a part, from a receive that follows a send on. */
static uint32_t
head_of(const TaskReference *r, uint32_t e)
{
	for (;;)
	{
		uint32_t before = link_before(r, e);
		if (before == PH_NONE || r->part[before] != r->part[e] ||
			(receives(r, e) && !receives(r, before)))
			return e;
		e = before;
	}
}

/* Weights until nothing changes; by event in step. */
static void
weigh(TaskReference *r)
{
	bool changed = true;
	memset(r->step, 0, sizeof(r->step));
	for (int round = 0; changed && round < MAX_EVENTS; round++)
	{
		changed = false;
		for (uint32_t e = 0; e < r->n; e++)
		{
			uint32_t head = head_of(r, e), before = link_before(r, e);
			int32_t weight = r->step[e];
			if (before != PH_NONE && r->part[before] == r->part[e] && r->step[before] >= weight)
				weight = r->step[before] + 1;
			for (uint32_t i = 0; e == head && i < r->n; i++)
				for (uint32_t b = 0; b < r->n; b++)
					if (head_of(r, b) == head && head_of(r, i) != head && depends(r, i, b) &&
						r->step[i] >= weight)
						weight = r->step[i] + 1;
			changed = changed || weight != r->step[e];
			r->step[e] = weight;
		}
	}
}

/* Order of two units on one entity: weight, who caused them, what caused those. */
static int
compare_heads(const TaskReference *r, uint32_t x, uint32_t y)
{
	uint32_t p = partner(r, x), q = partner(r, y);
	if (x == y)
		return 0;
	if (r->step[x] != r->step[y])
		return r->step[x] < r->step[y] ? -1 : 1;
	if ((p == PH_NONE) != (q == PH_NONE))
		return p == PH_NONE ? -1 : 1;
	if (p != PH_NONE && r->entity[p] != r->entity[q])
		return r->entity[p] < r->entity[q] ? -1 : 1;
	if (p != PH_NONE && p != q)
	{
		int order = compare_heads(r, head_of(r, p), head_of(r, q));
		return order != 0 ? order : p < q ? -1 : 1;
	}
	return x < y ? -1 : 1;
}

static bool
is_before(const TaskReference *r, uint32_t a, uint32_t b)
{
	if (!r->options.reorder || head_of(r, a) == head_of(r, b))
		return a < b;
	return compare_heads(r, head_of(r, a), head_of(r, b)) < 0;
}

static void
find_steps(TaskReference *r)
{
	static bool before[MAX_EVENTS][MAX_EVENTS];
	int32_t first[MAX_EVENTS] = {0}, last[MAX_EVENTS] = {0};
	bool changed = true;
	for (uint32_t a = 0; a < r->n; a++)
		for (uint32_t b = 0; b < r->n; b++)
			before[a][b] =
				a != b && r->part[a] == r->part[b] &&
				((r->entity[a] == r->entity[b] && is_before(r, a, b)) || depends(r, a, b));
	memset(r->step, 0, sizeof(r->step));
	while (changed)
	{
		changed = false;
		for (uint32_t a = 0; a < r->n; a++)
			for (uint32_t b = 0; b < r->n; b++)
				if (before[a][b] && r->step[b] <= r->step[a])
				{
					r->step[b] = r->step[a] + 1;
					changed = true;
				}
	}
	for (uint32_t e = 0; e < r->n; e++)
		if (last[r->part[e]] < r->step[e])
			last[r->part[e]] = r->step[e];
	changed = true;
	while (changed)
	{
		changed = false;
		for (uint32_t p = 0; p < r->n; p++)
			for (uint32_t q = 0; q < r->n; q++)
				if (r->reach[p][q] && first[q] <= first[p] + last[p])
				{
					first[q] = first[p] + last[p] + 1;
					changed = true;
				}
	}
	for (uint32_t e = 0; e < r->n; e++)
		r->step[e] += first[r->part[e]];
}

void
task_reference_compute(TaskReference *r, const PhTaskTrace *trace, const PhTaskOptions *options)
{
	r->trace = trace;
	r->options = *options;
	order_events(r);
	start_parts(r);
	start_edges(r);
	for (uint32_t e = 0; e < r->n; e++)
		if (partner(r, e) != PH_NONE)
			unite(r, e, partner(r, e));
	name_parts(r);
	merge_cycles(r);
	if (options->repair_blocks)
	{
		repair(r);
		name_parts(r);
		merge_cycles(r);
	}
	if (options->infer_dependencies)
	{
		infer(r);
		name_parts(r);
		merge_cycles(r);
	}
	if (options->leap_merge)
		merge_leaps(r);
	name_parts(r);
	close_graph(r);
	enforce(r);
	if (options->reorder)
		weigh(r);
	find_steps(r);
}
