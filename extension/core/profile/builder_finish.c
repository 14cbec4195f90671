/*
 * builder_finish.c - from raw nodes and cells to a profile in normal form.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "profile/builder_internal.h"
#include "profile/cells.h"
#include "profile/exact_sum.h"
#include "profile/tree.h"

typedef struct Finish
{
	PhProfileBuilder *builder;
	PhMaker maker;
	uint32_t *node_of;		/* raw node -> node */
	uint32_t *column_order; /* column -> raw column */
	uint32_t *column_of;	/* raw column -> column */
	uint32_t *at_run;		/* per node: the run that the columns have come to */
} Finish;

static PhStatus
build_tree(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	PhArena *scratch = &finish->maker.scratch;
	PhTreeInput input = {
		.n_nodes = builder->n_nodes,
		.parent = builder->parent,
		.region = builder->region,
		.n_regions = builder->regions.count,
		.regions = (const PhRegion *) (void *) builder->regions.bytes,
		.strings = builder->strings.text,
	};
	PH_TRY(PH_NEW(scratch, builder->n_nodes, &finish->node_of));
	return ph_tree_build(&finish->maker, &input, finish->node_of);
}

static int
compare_columns(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *draft = context;
	return ph_column_compare(draft, &draft->columns[x], draft, &draft->columns[y]);
}

static PhStatus
build_columns(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	PhArena *scratch = &finish->maker.scratch;
	PhProfile *draft = &builder->draft;
	uint32_t n = builder->columns.count;
	PhColumn *raw = (PhColumn *) (void *) builder->columns.bytes, *sorted;
	draft->columns = raw;
	draft->n_columns = n;
	draft->strings = builder->strings.text;
	PH_TRY(ph_sort_indices(scratch, n, compare_columns, draft, &finish->column_order));
	PH_TRY(PH_NEW(scratch, n, &finish->column_of));
	PH_TRY(PH_NEW(scratch, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		sorted[i] = raw[finish->column_order[i]];
		finish->column_of[finish->column_order[i]] = i;
	}
	draft->columns = sorted;
	PhStatus status = ph_maker_columns(&finish->maker, draft);
	draft->columns = NULL;
	return status;
}

/* Values speak of the profile's nodes from here on, extras of its columns too. */
static PhStatus
renumber(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	PH_TRY(ph_builder_renumber(builder, finish->node_of, finish->maker.profile->n_nodes));
	for (size_t i = 0; i < builder->n_extras; i++)
		builder->extras[i].column = finish->column_of[builder->extras[i].column];
	return ph_builder_sort_extras(builder);
}

/* ---- which cells there are ---- */

/* Whether every node has a value in every column. */
static bool
is_full(const Finish *finish, uint32_t slot)
{
	const PhProfile *profile = finish->maker.profile;
	for (uint32_t column = 0; column < profile->n_columns; column++)
	{
		const PhCells *cells = ph_builder_cells(finish->builder, slot, column);
		if (cells == NULL || cells->n < profile->n_nodes)
			return false;
	}
	return true;
}

/*
 * Runs of columns by node, which grow column by column. Those of lists are counted first and then
 * put where they belong, by node; those of arrays come behind them, block by block.
 */
typedef struct Growing
{
	PhPresence presence;
	bool counts;	/* nothing is put down yet */
	uint32_t *end;	/* per node: behind its last column so far, 0: it has none */
	uint32_t *next; /* per node: where its next run goes; how many it has while they are counted */
	uint32_t *last; /* per node: 1 + its last run of arrays, 0: none */
} Growing;

static void
add_list_cell(Growing *growing, uint32_t node, uint32_t column)
{
	uint32_t end = growing->end[node];
	if (end == column + 1)
		return;
	growing->end[node] = column + 1;
	if (end == column && end > 0)
	{
		if (!growing->counts)
			growing->presence.runs.items[growing->next[node] - 1].n++;
		return;
	}
	if (!growing->counts)
		growing->presence.runs.items[growing->next[node]] = (PhPresentRun){node, column, 1};
	growing->next[node]++;
}

static PhStatus
add_array_cell(Growing *growing, uint32_t node, uint32_t column)
{
	PhPresence *presence = &growing->presence;
	PhPresentRun *run =
		growing->last[node] > 0 ? &presence->runs.items[growing->last[node] - 1] : NULL;
	if (run != NULL && column - run->first <= run->n)
	{
		run->n += column - run->first == run->n;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(presence->arena, &presence->runs));
	presence->runs.items[presence->runs.count++] = (PhPresentRun){node, column, 1};
	growing->last[node] = presence->runs.count;
	return PH_OK;
}

static const PhCells *
cells_of(const Finish *finish, uint32_t slot, uint32_t column)
{
	return ph_builder_cells(finish->builder, slot, finish->column_order[column]);
}

static bool
is_array(const PhCells *cells)
{
	return cells != NULL && cells->nodes == NULL;
}

static void
add_list(Growing *growing, const PhCells *cells, uint32_t column)
{
	uint32_t n = cells == NULL || is_array(cells) ? 0 : cells->n;
	for (uint32_t i = 0; i < n; i++)
		add_list_cell(growing, cells->nodes[i], column);
}

static PhStatus
add_array(Growing *growing, const PhCells *cells, uint32_t column, uint32_t first, uint32_t end)
{
	uint32_t last = is_array(cells) ? PH_MIN(end, cells->capacity) : first;
	for (uint32_t node = first; node < last; node++)
		if (!isnan(cells->values[node]))
			PH_TRY(add_array_cell(growing, node, column));
	return PH_OK;
}

static void
add_marks(const Finish *finish, Growing *growing, uint32_t column)
{
	const PhProfileBuilder *builder = finish->builder;
	uint32_t raw = finish->column_order[column];
	if (raw >= builder->marks_capacity)
		return;
	for (uint32_t i = 0; i < builder->marks[raw].n; i++)
	{
		PhNodeRun run = builder->marks[raw].runs[i];
		for (uint32_t node = run.first; node < run.first + run.n; node++)
			add_list_cell(growing, finish->node_of[node], column);
	}
}

static PhStatus
add_lists(const Finish *finish, Growing *growing)
{
	for (uint32_t column = 0; column < finish->maker.profile->n_columns; column++)
	{
		PH_TRY(ph_env_poll(finish->maker.env));
		for (uint32_t slot = 0; slot < finish->builder->n_slots; slot++)
			add_list(growing, cells_of(finish, slot, column), column);
		add_marks(finish, growing, column);
	}
	return PH_OK;
}

#define PH_BLOCK_NODES 256 /* rows of the result that stay in the cache over all columns */

static PhStatus
add_arrays(const Finish *finish, Growing *growing)
{
	const PhProfile *profile = finish->maker.profile;
	for (uint32_t first = 0; first < profile->n_nodes; first += PH_BLOCK_NODES)
		for (uint32_t column = 0; column < profile->n_columns; column++)
		{
			PH_TRY(ph_env_poll(finish->maker.env));
			for (uint32_t slot = 0; slot < finish->builder->n_slots; slot++)
				PH_TRY(add_array(growing, cells_of(finish, slot, column), column, first,
								 first + PH_BLOCK_NODES));
		}
	return PH_OK;
}

/* Counted, the runs of lists and marks have their places. */
static PhStatus
place_lists(const Finish *finish, Growing *growing)
{
	uint32_t n_nodes = finish->maker.profile->n_nodes, n = 0;
	growing->counts = true;
	PH_TRY(add_lists(finish, growing));
	for (uint32_t node = 0; node < n_nodes; node++)
	{
		uint32_t count = growing->next[node];
		growing->next[node] = n;
		n += count;
	}
	PH_TRY(PH_NEW(growing->presence.arena, n, &growing->presence.runs.items));
	growing->presence.runs.count = growing->presence.runs.capacity = n;
	memset(growing->end, 0, n_nodes * sizeof(*growing->end));
	growing->counts = false;
	return add_lists(finish, growing);
}

/* Runs of lists and of arrays that touch are joined at the end. */
static PhStatus
find_cells(Finish *finish)
{
	PhProfile *profile = finish->maker.profile;
	PhArena *scratch = &finish->maker.scratch;
	Growing growing = {0};
	for (uint32_t slot = 0; slot < finish->builder->n_slots; slot++)
		if (is_full(finish, slot))
			return PH_OK;
	ph_presence_init(&growing.presence, scratch);
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &growing.end));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &growing.next));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &growing.last));
	PH_TRY(place_lists(finish, &growing));
	PH_TRY(add_arrays(finish, &growing));
	return ph_profile_set_cells(profile, &growing.presence);
}

/* ---- values ---- */

/*
 * Where the value of a node in a column goes. Columns ascend from one call to the next for a node,
 * so that its runs are passed once.
 */
static size_t
next_cell(const Finish *finish, uint32_t node, uint32_t column)
{
	const PhProfile *profile = finish->maker.profile;
	if (profile->first_cell == NULL)
		return (size_t) node * profile->n_columns + column;
	const PhColumnRun *run = &profile->runs[finish->at_run[node]];
	while (column - run->first >= run->n)
		run = &profile->runs[++finish->at_run[node]];
	return profile->first_cell[node] + run->before + (column - run->first);
}

static void
to_first_runs(Finish *finish)
{
	const PhProfile *profile = finish->maker.profile;
	if (profile->first_cell != NULL)
		memcpy(finish->at_run, profile->first_run, profile->n_nodes * sizeof(*finish->at_run));
}

/* What columns have as arrays, for some nodes. */
static PhStatus
gather_block(Finish *finish, uint32_t slot, uint32_t first, double *to)
{
	const PhProfile *profile = finish->maker.profile;
	uint32_t end = PH_MIN(first + PH_BLOCK_NODES, profile->n_nodes);
	for (uint32_t column = 0; column < profile->n_columns; column++)
	{
		const PhCells *cells = cells_of(finish, slot, column);
		PH_TRY(ph_env_poll(finish->maker.env));
		if (!is_array(cells))
			continue;
		uint32_t last = PH_MIN(end, cells->capacity);
		for (uint32_t node = first; node < last; node++)
			if (!isnan(cells->values[node]))
				to[next_cell(finish, node, column)] = cells->values[node];
	}
	return PH_OK;
}

/* What columns have as lists. */
static PhStatus
gather_lists(Finish *finish, uint32_t slot, double *to)
{
	for (uint32_t column = 0; column < finish->maker.profile->n_columns; column++)
	{
		const PhCells *cells = cells_of(finish, slot, column);
		PH_TRY(ph_env_poll(finish->maker.env));
		for (uint32_t i = 0; cells != NULL && cells->nodes != NULL && i < cells->n; i++)
			to[next_cell(finish, cells->nodes[i], column)] = cells->values[i];
	}
	return PH_OK;
}

/* The exact sum (or mean) of a cell's value and its extras [start, end). */
static double
combine_exactly(const PhProfileBuilder *builder, const PhMetric *metric, double value, size_t start,
				size_t end)
{
	PhExactSum sum;
	uint64_t weight = 1;
	ph_exact_reset(&sum);
	ph_exact_add(&sum, value);
	for (size_t i = start; i < end; i++)
	{
		ph_exact_add(&sum, builder->extras[i].value);
		weight += builder->extras[i].weight;
	}
	bool mean = metric->kind == PH_METRIC_VALUE && metric->combine == PH_COMBINE_MEAN;
	return ph_exact_value(&sum) / (mean ? (double) weight : 1.0);
}

/* Cells with extras, exactly; *next is the first extra that is not used yet. */
static void
apply_extras(Finish *finish, const PhMetric *metric, uint32_t slot, size_t *next, double *to)
{
	const PhProfileBuilder *builder = finish->builder;
	while (*next < builder->n_extras && builder->extras[*next].slot == slot)
	{
		PhExtra where = builder->extras[*next];
		size_t end = *next + 1;
		while (end < builder->n_extras && ph_extra_compare(&where, &builder->extras[end]) == 0)
			end++;
		size_t cell = ph_profile_find_cell(finish->maker.profile, where.node, where.column);
		to[cell] = combine_exactly(builder, metric, to[cell], *next, end);
		*next = end;
	}
}

static PhStatus
gather_slot(Finish *finish, const PhMetric *metric, uint32_t slot, size_t *next, double *to)
{
	const PhProfile *profile = finish->maker.profile;
	size_t cells = is_full(finish, slot) ? 0 : ph_profile_cells(profile);
	for (size_t i = 0; i < cells; i++)
		to[i] = NAN;
	to_first_runs(finish);
	PH_TRY(gather_lists(finish, slot, to));
	to_first_runs(finish);
	for (uint32_t node = 0; node < profile->n_nodes; node += PH_BLOCK_NODES)
		PH_TRY(gather_block(finish, slot, node, to));
	apply_extras(finish, metric, slot, next, to);
	ph_builder_free_slot(finish->builder, slot);
	return PH_OK;
}

static PhStatus
gather_values(Finish *finish)
{
	PhProfile *profile = finish->maker.profile;
	size_t next = 0;
	PH_TRY(PH_NEW(&finish->maker.scratch, profile->n_nodes, &finish->at_run));
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (metric->kind == PH_METRIC_RATIO)
			continue;
		PH_TRY(ph_metric_make_room(profile, metric));
		PH_TRY(gather_slot(finish, metric, ph_builder_slot(i, PH_COST_EXCLUSIVE), &next,
						   metric->exclusive));
		PH_TRY(gather_slot(finish, metric, ph_builder_slot(i, PH_COST_INCLUSIVE), &next,
						   metric->inclusive));
		PH_TRY(ph_metric_derive(finish->maker.env, profile, metric));
	}
	return PH_OK;
}

static PhStatus
finish_parts(Finish *finish)
{
	PhMaker *maker = &finish->maker;
	const PhProfile *draft = &finish->builder->draft;
	PH_TRY(build_tree(finish));
	PH_TRY(build_columns(finish));
	PH_TRY(ph_maker_metrics(maker, draft));
	PH_TRY(ph_maker_provenance(maker, draft, NULL));
	PH_TRY(renumber(finish));
	PH_TRY(find_cells(finish));
	return gather_values(finish);
}

PhStatus
ph_builder_finish(PhProfileBuilder *builder, PhProfile **out)
{
	Finish finish = {.builder = builder};
	builder->draft.strings = builder->strings.text;
	PhStatus status = ph_maker_begin(&finish.maker, builder->env);
	if (status == PH_OK)
		status = finish_parts(&finish);
	return ph_maker_end(&finish.maker, status, out);
}
