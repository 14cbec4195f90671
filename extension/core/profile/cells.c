/*
 * cells.c - see cells.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/cells.h"

#include "base/min_max.h"
#include "profile/internal.h"

/* ---- reading ---- */

/* Doubling steps first: whoever asks for ascending columns finds the next run close by. */
uint32_t
ph_row_find_run(const PhRow *row, uint32_t from, uint32_t column)
{
	uint32_t low = from, step = 1;
	if (row->runs == NULL)
		return column < row->n ? 0 : row->n_runs;
	while (low < row->n_runs && row->runs[low].first + row->runs[low].n <= column)
	{
		low += step;
		step *= 2;
	}
	/* the run is in (low - step / 2, low], or there is none */
	uint32_t high = PH_MIN(low, row->n_runs);
	low = low - step / 2;
	low = PH_MAX(low, from);
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (row->runs[middle].first + row->runs[middle].n <= column)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t
ph_profile_find_cell(const PhProfile *profile, uint32_t node, uint32_t column)
{
	PhRow row = ph_profile_row(profile, node);
	if (row.runs == NULL)
		return row.cell + column;
	uint32_t run = ph_row_find_run(&row, 0, column);
	if (run == row.n_runs || row.runs[run].first > column)
		return PH_NO_CELL;
	return row.cell + row.runs[run].before + (column - row.runs[run].first);
}

void
ph_row_add_cells(const PhRow *to_row, double *to, const PhRow *from_row, const double *from)
{
	uint32_t run = 0;
	if (to_row->n == from_row->n) /* the same columns, as `to` has all that `from` has */
	{
		ph_row_add(to + to_row->cell, from + from_row->cell, from_row->n);
		return;
	}
	for (uint32_t i = 0; i < from_row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(from_row, i);
		run = ph_row_find_run(to_row, run, span.first);
		PhRowSpan there = ph_row_span(to_row, run);
		ph_row_add(to + there.cell + (span.first - there.first), from + span.cell, span.n);
	}
}

void
ph_row_scatter(const PhRow *row, const double *values, double *vector)
{
	for (uint32_t i = 0; i < row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(row, i);
		memcpy(vector + span.first, values + span.cell, span.n * sizeof(*vector));
	}
}

void
ph_row_gather(const PhRow *row, const double *vector, double *to)
{
	for (uint32_t i = 0; i < row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(row, i);
		memcpy(to + (span.cell - row->cell), vector + span.first, span.n * sizeof(*to));
	}
}

void
ph_row_clear(const PhRow *row, double *vector)
{
	for (uint32_t i = 0; i < row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(row, i);
		memset(vector + span.first, 0, span.n * sizeof(*vector));
	}
}

/* Into four sums that stay in registers. */
static inline void
add_by_four(const double *values, uint32_t n, double *out)
{
	double sums[4] = {out[0], out[1], out[2], out[3]};
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (uint32_t k = 0; k < 4; k++)
			sums[k] += values[i + k];
	for (; i < n; i++)
		sums[i % 4] += values[i];
	memcpy(out, sums, sizeof(sums));
}

void
ph_row_add_lanes(double lanes[4], uint32_t first, const double *values, uint32_t n)
{
	uint32_t before = (4 - first % 4) % 4;
	uint32_t i = PH_MIN(before, n);
	for (uint32_t k = 0; k < i; k++)
		lanes[(first + k) % 4] += values[k];
	add_by_four(values + i, n - i, lanes);
}

double
ph_row_total(const PhRow *row, const double *values)
{
	double lanes[4] = {0, 0, 0, 0};
	for (uint32_t run = 0; run < row->n_runs; run++)
	{
		PhRowSpan span = ph_row_span(row, run);
		ph_row_add_lanes(lanes, span.first, values + span.cell, span.n);
	}
	return ph_lanes_total(lanes);
}

/* ---- sets of columns ---- */

#define PH_WORD 64

PhStatus
ph_column_set_init(PhColumnSet *set, PhArena *arena, uint32_t n_columns)
{
	size_t words = (size_t) n_columns / PH_WORD + 1;
	set->n_columns = n_columns;
	PH_TRY(PH_NEW(arena, words, &set->words));
	return PH_NEW(arena, words / PH_WORD + 1, &set->used);
}

void
ph_column_set_add(PhColumnSet *set, uint32_t first, uint32_t n)
{
	uint32_t end = first + n;
	while (first < end)
	{
		uint32_t word = first / PH_WORD, bit = first % PH_WORD;
		uint32_t room = PH_WORD - bit, left = end - first;
		uint32_t length = PH_MIN(left, room);
		set->words[word] |= (~(uint64_t) 0 >> (PH_WORD - length)) << bit;
		set->used[word / PH_WORD] |= (uint64_t) 1 << word % PH_WORD;
		first += length;
	}
}

/* One more run at the end, which makes the last one longer when it touches that. */
static PhStatus
append_run(PhArena *arena, PhColumnRuns *out, uint32_t start, uint32_t first, uint32_t n)
{
	PhColumnRun *last = out->count > start ? &out->items[out->count - 1] : NULL;
	if (last != NULL && last->first + last->n == first)
	{
		last->n += n;
		return PH_OK;
	}
	uint32_t before = last != NULL ? last->before + last->n : 0;
	PH_TRY(PH_ROOM(arena, out));
	out->items[out->count++] = (PhColumnRun){first, n, before};
	return PH_OK;
}

static PhStatus
take_word(PhArena *arena, PhColumnRuns *out, uint32_t start, uint32_t base, uint64_t bits)
{
	while (bits != 0)
	{
		uint32_t bit = (uint32_t) __builtin_ctzll(bits);
		uint64_t gaps = ~(bits >> bit);
		uint32_t length = gaps == 0 ? PH_WORD : (uint32_t) __builtin_ctzll(gaps);
		PH_TRY(append_run(arena, out, start, base + bit, length));
		bits &= bit + length == PH_WORD ? 0 : ~(uint64_t) 0 << (bit + length);
	}
	return PH_OK;
}

PhStatus
ph_column_set_take(PhColumnSet *set, PhArena *arena, PhColumnRuns *out)
{
	uint32_t start = out->count;
	uint32_t n_used = (set->n_columns / PH_WORD + 1) / PH_WORD + 1;
	for (uint32_t i = 0; i < n_used; i++)
		while (set->used[i] != 0)
		{
			uint32_t word = i * PH_WORD + (uint32_t) __builtin_ctzll(set->used[i]);
			uint64_t bits = set->words[word];
			set->used[i] &= set->used[i] - 1;
			set->words[word] = 0;
			PH_TRY(take_word(arena, out, start, word * PH_WORD, bits));
		}
	return PH_OK;
}

/* ---- presence ---- */

PhStatus
ph_presence_add(PhPresence *presence, uint32_t node, uint32_t first, uint32_t n)
{
	uint32_t count = presence->runs.count;
	PhPresentRun *last = count > 0 ? &presence->runs.items[count - 1] : NULL;
	if (n == 0)
		return PH_OK;
	/* neighbours that come one after the other are one run */
	if (last != NULL && last->node == node && last->first + last->n == first)
	{
		last->n += n;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(presence->arena, &presence->runs));
	presence->runs.items[presence->runs.count++] = (PhPresentRun){node, first, n};
	return PH_OK;
}

PhStatus
ph_presence_add_row(PhPresence *presence, uint32_t node, const PhRow *row)
{
	for (uint32_t i = 0; i < row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(row, i);
		PH_TRY(ph_presence_add(presence, node, span.first, span.n));
	}
	return PH_OK;
}

/*
 * Cells under construction. Nodes are settled from the last to the first, so that the rows of all
 * children are there when a node comes.
 */
typedef struct Settling
{
	PhArena *scratch;
	PhProfile *profile;
	const PhPresence *presence;
	uint32_t *start; /* node -> what presence says of it: order[start[node]] .. */
	uint32_t *order; /* NULL: it is in the order of nodes already */
	PhColumnSet set;
	PhColumnRuns made;
	uint32_t *first_made; /* per node: its runs within made */
	uint32_t *n_made;
	uint32_t *first_child; /* per node: the first of its children so far, PH_NONE: none */
	uint32_t *next_child;  /* per node: its next sibling */
} Settling;

/* What presence says, by node. */
static PhStatus
sort_by_node(Settling *settling)
{
	const PhPresence *presence = settling->presence;
	const PhProfile *profile = settling->profile;
	PH_TRY(PH_NEW(settling->scratch, (size_t) profile->n_nodes + 2, &settling->start));
	uint32_t descents = 0;
	for (uint32_t i = 0; i < presence->runs.count; i++)
	{
		const PhPresentRun *run = &presence->runs.items[i];
		if (run->node >= profile->n_nodes || run->n > profile->n_columns ||
			run->first > profile->n_columns - run->n)
			return ph_fail(settling->scratch->env, PH_ERR_VALUE,
						   "node %u is said to be in columns that do not exist", run->node);
		settling->start[run->node + 2]++;
		descents += i > 0 && run->node < run[-1].node;
	}
	for (uint32_t node = 2; node <= profile->n_nodes; node++)
		settling->start[node] += settling->start[node - 1];
	if (descents > 0)
		PH_TRY(PH_NEW(settling->scratch, presence->runs.count, &settling->order));
	for (uint32_t i = 0; i < presence->runs.count; i++)
	{
		uint32_t at = settling->start[presence->runs.items[i].node + 1]++;
		if (descents > 0)
			settling->order[at] = i;
	}
	return PH_OK;
}

static void
add_made(Settling *settling, uint32_t node)
{
	for (uint32_t i = 0; i < settling->n_made[node]; i++)
	{
		const PhColumnRun *run = &settling->made.items[settling->first_made[node] + i];
		ph_column_set_add(&settling->set, run->first, run->n);
	}
}

/* The union of what is said of the node and of its children's rows. */
static PhStatus
settle_node(Settling *settling, uint32_t node)
{
	const PhProfile *profile = settling->profile;
	for (uint32_t i = settling->start[node]; i < settling->start[node + 1]; i++)
	{
		uint32_t at = settling->order == NULL ? i : settling->order[i];
		const PhPresentRun *run = &settling->presence->runs.items[at];
		ph_column_set_add(&settling->set, run->first, run->n);
	}
	for (uint32_t child = settling->first_child[node]; child != PH_NONE;
		 child = settling->next_child[child])
	{
		PH_TRY(ph_env_poll(settling->scratch->env));
		add_made(settling, child);
	}
	settling->first_made[node] = settling->made.count;
	PH_TRY(ph_column_set_take(&settling->set, settling->scratch, &settling->made));
	settling->n_made[node] = settling->made.count - settling->first_made[node];
	if (profile->parent[node] != PH_NONE)
	{
		settling->next_child[node] = settling->first_child[profile->parent[node]];
		settling->first_child[profile->parent[node]] = node;
	}
	return PH_OK;
}

static uint32_t
made_cells(const Settling *settling, uint32_t node)
{
	uint32_t n = settling->n_made[node];
	if (n == 0)
		return 0;
	const PhColumnRun *last = &settling->made.items[settling->first_made[node] + n - 1];
	return last->before + last->n;
}

/* The runs in the order of nodes; none when every cell is there. */
static PhStatus
lay_out(const Settling *settling)
{
	PhProfile *profile = settling->profile;
	PhArena *arena = &profile->arena;
	size_t cells = 0;
	uint32_t n_runs = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		cells += made_cells(settling, node);
	if (cells == (size_t) profile->n_nodes * profile->n_columns)
		return PH_OK;
	size_t *first_cell;
	PH_TRY(PH_NEW(arena, (size_t) profile->n_nodes + 1, &first_cell));
	PH_TRY(PH_NEW(arena, (size_t) profile->n_nodes + 1, &profile->first_run));
	PH_TRY(PH_NEW(arena, settling->made.count, &profile->runs));
	cells = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t n = settling->n_made[node];
		first_cell[node] = cells;
		profile->first_run[node] = n_runs;
		if (n > 0)
			memcpy(profile->runs + n_runs, settling->made.items + settling->first_made[node],
				   n * sizeof(*profile->runs));
		n_runs += n;
		cells += made_cells(settling, node);
	}
	first_cell[profile->n_nodes] = cells;
	profile->first_run[profile->n_nodes] = n_runs;
	profile->first_cell = first_cell;
	return PH_OK;
}

static PhStatus
settle(Settling *settling)
{
	uint32_t n = settling->profile->n_nodes;
	PH_TRY(sort_by_node(settling));
	PH_TRY(ph_column_set_init(&settling->set, settling->scratch, settling->profile->n_columns));
	PH_TRY(PH_NEW(settling->scratch, settling->presence->runs.count, &settling->made.items));
	settling->made.capacity = settling->presence->runs.count; /* more where ancestors lack cells */
	PH_TRY(PH_NEW(settling->scratch, n, &settling->first_made));
	PH_TRY(PH_NEW(settling->scratch, n, &settling->n_made));
	PH_TRY(PH_NEW(settling->scratch, n, &settling->first_child));
	PH_TRY(PH_NEW(settling->scratch, n, &settling->next_child));
	memset(settling->first_child, 0xff, n * sizeof(*settling->first_child));
	for (uint32_t node = n; node-- > 0;)
		PH_TRY(settle_node(settling, node));
	return lay_out(settling);
}

PhStatus
ph_profile_set_cells(PhProfile *profile, const PhPresence *presence)
{
	PhArena scratch;
	ph_arena_init(&scratch, profile->arena.env);
	Settling settling = {.scratch = &scratch, .profile = profile, .presence = presence};
	PhStatus status = settle(&settling);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_profile_copy_cells(PhProfile *to, const PhProfile *from)
{
	size_t n = (size_t) from->n_nodes + 1;
	size_t *first_cell;
	if (from->first_cell == NULL)
		return PH_OK;
	uint32_t n_runs = from->first_run[from->n_nodes];
	PH_TRY(PH_NEW(&to->arena, n, &first_cell));
	PH_TRY(PH_NEW(&to->arena, n, &to->first_run));
	PH_TRY(PH_NEW(&to->arena, n_runs, &to->runs));
	memcpy(first_cell, from->first_cell, n * sizeof(*first_cell));
	memcpy(to->first_run, from->first_run, n * sizeof(*to->first_run));
	memcpy(to->runs, from->runs, n_runs * sizeof(*to->runs));
	to->first_cell = first_cell;
	return PH_OK;
}
