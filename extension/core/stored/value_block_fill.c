/*
 * value_block_fill.c - stored blocks back to the values of a profile.
 *
 * Nodes come from the last to the first, so that a node's children are complete when what follows
 * from them is needed. The usual row, in all columns of a run of which all are wanted, is unpacked
 * where it belongs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "profile/internal.h"
#include "stored/children.h"
#include "stored/loops.h"
#include "stored/stored_row.h"

struct PhBlockFiller
{
	PhEnv *env;
	PhProfile *profile;
	uint32_t n_stored;
	PhColumnMap map;
	uint32_t *children;
	double *sums; /* by column of the profile, from the stripe's first one on */
	double *exclusive, *inclusive, *of_cells; /* a row's vectors and sums, by stored cell */
	double *residual;						  /* by cell of a span */
};

PhStatus
ph_block_filler_new(PhArena *arena, PhProfile *profile, uint32_t n_stored, PhColumnMap map,
					PhBlockFiller **out)
{
	uint32_t width = PH_MIN(n_stored, PH_STRIPE_COLUMNS);
	PhBlockFiller *filler;
	PH_TRY(PH_NEW(arena, 1, &filler));
	*filler =
		(PhBlockFiller){.env = arena->env, .profile = profile, .n_stored = n_stored, .map = map};
	PH_TRY(PH_NEW(arena, profile->n_nodes, &filler->children));
	PH_TRY(PH_NEW(arena, width, &filler->sums));
	PH_TRY(PH_NEW(arena, width, &filler->exclusive));
	PH_TRY(PH_NEW(arena, width, &filler->inclusive));
	PH_TRY(PH_NEW(arena, width, &filler->of_cells));
	PH_TRY(PH_NEW(arena, width, &filler->residual));
	*out = filler;
	return PH_OK;
}

static PhStatus
wrong_block(PhEnv *env, const char *what)
{
	return ph_fail(env, PH_ERR_FORMAT, "a block of stored values %s", what);
}

/* ---- columns ---- */

static uint32_t
mapped(PhColumnMap map, uint32_t column)
{
	return map == NULL ? column : map[column];
}

/* Columns of the profile that a stripe's are: those are ascending, and so are these. */
static PhColumnRange
range_of(const PhBlockFiller *filler, uint32_t stripe)
{
	uint32_t first = stripe * PH_STRIPE_COLUMNS, left = filler->n_stored - first;
	uint32_t end = first + PH_MIN(left, PH_STRIPE_COLUMNS);
	PhColumnRange range = {0, 0};
	if (filler->map == NULL)
		return (PhColumnRange){first, end};
	while (first < end && filler->map[first] == PH_NONE)
		first++;
	while (first < end && filler->map[end - 1] == PH_NONE)
		end--;
	if (first < end)
		range = (PhColumnRange){filler->map[first], filler->map[end - 1] + 1};
	return range;
}

static PhStatus
map_run(PhPresence *presence, uint32_t node, uint32_t first, uint32_t n, PhColumnMap map)
{
	if (map == NULL)
		return ph_presence_add(presence, node, first, n);
	for (uint32_t column = first; column < first + n; column++)
		if (map[column] != PH_NONE)
			PH_TRY(ph_presence_add(presence, node, map[column], 1));
	return PH_OK;
}

PhStatus
ph_block_presence(PhEnv *env, const PhStoredBlock *block, uint32_t number, uint32_t stripe,
				  PhColumnMap map, PhPresence *presence)
{
	for (uint32_t i = 0; i < block->n_rows; i++)
	{
		PhRunWalk walk = {0};
		uint32_t first, n;
		while (ph_block_next_run(block, &block->rows[i], &walk, &first, &n))
		{
			PH_TRY(ph_env_poll(env));
			PH_TRY(map_run(presence, number * PH_BLOCK_NODES + i,
						   stripe * PH_STRIPE_COLUMNS + first, n, map));
		}
	}
	return PH_OK;
}

/* ---- cells ---- */

/* What is done to one node's cells in the columns of a stripe. */
typedef struct Row
{
	const PhStoredRow *stored;
	PhMetric *metric;
	uint32_t node;
	uint32_t stripe;	 /* its first stored column */
	PhColumnRange range; /* the stripe's columns of the profile */
	bool is_flow;
	bool is_unsure; /* the two may leave a residual */
} Row;

/* What exclusive and children do not explain, where it is more than rounding. */
static PhStatus
find_residuals(PhBlockFiller *filler, const Row *row, PhRowSpan part)
{
	PhProfile *profile = filler->profile;
	PhMetric *metric = row->metric;
	bool is_found = false;
	ph_loop_residual(metric->inclusive + part.cell, metric->exclusive + part.cell,
					 filler->sums + (part.first - row->range.first), part.n, filler->residual,
					 &is_found);
	if (!is_found)
		return PH_OK;
	if (metric->residual == NULL)
		PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), &metric->residual));
	for (uint32_t i = 0; i < part.n; i++)
		profile->provenance.residual_cells += filler->residual[i] != 0;
	memcpy(metric->residual + part.cell, filler->residual, part.n * sizeof(double));
	return PH_OK;
}

/* Both vectors of a row whose cells lie side by side in the profile. */
static PhStatus
fill_span(PhBlockFiller *filler, Row *row, PhRowSpan span)
{
	const double *children = filler->sums + (span.first - row->range.first);
	if (!ph_row_unpack(row->stored, row->metric->is_signed, children,
					   row->metric->exclusive + span.cell, row->metric->inclusive + span.cell,
					   &row->is_unsure))
		return wrong_block(filler->env, "has a row that is damaged");
	return PH_OK;
}

/*
 * Cells of the profile where the stored row has none: another metric has the node there. Of its
 * children something may be known.
 */
static void
fill_missing(const PhBlockFiller *filler, const Row *row)
{
	PhRowWalk walk = ph_row_walk(filler->profile, row->node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		PhRowSpan part = ph_span_within(span, row->range);
		const double *children = filler->sums + (part.first - row->range.first);
		for (uint32_t i = 0; i < part.n; i++)
		{
			row->metric->exclusive[part.cell + i] = 0;
			row->metric->inclusive[part.cell + i] = row->is_flow ? children[i] : 0;
		}
	}
}

/* The children's sums in the order of the stored cells; 0 in columns that are left out. */
static void
order_children(PhBlockFiller *filler, const Row *row, const PhStoredBlock *block)
{
	PhRunWalk runs = {0};
	uint32_t first, n, cell = 0;
	while (ph_block_next_run(block, row->stored, &runs, &first, &n))
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t column = mapped(filler->map, row->stripe + first + i);
			bool is_there = column != PH_NONE;
			filler->of_cells[cell++] = is_there ? filler->sums[column - row->range.first] : 0;
		}
}

/* The unpacked vectors to the cells of the profile. */
static PhStatus
scatter(const PhBlockFiller *filler, const Row *row, const PhStoredBlock *block)
{
	PhRowWalk walk = ph_row_walk(filler->profile, row->node);
	PhRunWalk runs = {0};
	PhRowSpan span = {0};
	uint32_t first, n, from = 0;
	while (ph_block_next_run(block, row->stored, &runs, &first, &n))
		for (uint32_t i = 0; i < n; i++, from++)
		{
			uint32_t column = mapped(filler->map, row->stripe + first + i);
			if (column == PH_NONE)
				continue;
			while (column >= span.first + span.n && ph_row_next(&walk, &span))
				continue;
			if (column < span.first || column >= span.first + span.n)
				return wrong_block(filler->env, "has a node in a column too many");
			size_t cell = span.cell + (column - span.first);
			row->metric->exclusive[cell] = filler->exclusive[from];
			row->metric->inclusive[cell] = filler->inclusive[from];
		}
	return PH_OK;
}

/* Cell by cell: rows of other columns than the profile's. */
static PhStatus
fill_cells(PhBlockFiller *filler, Row *row, const PhStoredBlock *block)
{
	fill_missing(filler, row);
	order_children(filler, row, block);
	if (!ph_row_unpack(row->stored, row->metric->is_signed, filler->of_cells, filler->exclusive,
					   filler->inclusive, &row->is_unsure))
		return wrong_block(filler->env, "has a row that is damaged");
	return scatter(filler, row, block);
}

/* Whether the row has all the node's cells in the range and they are one span. */
static bool
is_one_span(const PhBlockFiller *filler, const Row *row, PhRowSpan *out)
{
	PhRowWalk walk = ph_row_walk(filler->profile, row->node);
	uint32_t parts = 0;
	for (PhRowSpan span; ph_row_next(&walk, &span) && span.first < row->range.end;)
	{
		PhRowSpan part = ph_span_within(span, row->range);
		if (part.n > 0 && parts++ == 0)
			*out = part;
	}
	return parts == 1 && filler->map == NULL && out->n == row->stored->n_cells;
}

static PhStatus
fill_row(PhBlockFiller *filler, Row *row, const PhStoredBlock *block)
{
	PhRowSpan whole = {0};
	bool is_one = is_one_span(filler, row, &whole);
	bool is_leaf = filler->profile->subtree_end[row->node] == row->node + 1;
	bool is_plain = is_one && is_leaf && row->stored->follows == PH_FOLLOWS_EQUAL;
	if (!is_plain)
		ph_children_sum(filler->profile, row->metric, row->node, row->range, filler->children,
						filler->sums);
	if (row->stored->stored == PH_STORED_NOTHING)
	{
		fill_missing(filler, row);
		return PH_OK;
	}
	PH_TRY(is_one ? fill_span(filler, row, whole) : fill_cells(filler, row, block));
	if (is_plain || !row->is_flow || !row->is_unsure)
		return PH_OK;
	PhRowWalk walk = ph_row_walk(filler->profile, row->node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		PH_TRY(find_residuals(filler, row, ph_span_within(span, row->range)));
	return PH_OK;
}

static bool
is_of_stripe(const PhBlockFiller *filler, uint32_t number, uint32_t stripe,
			 const PhStoredBlock *block)
{
	const PhProfile *profile = filler->profile;
	if (stripe >= ph_n_stripes(filler->n_stored) || number >= ph_n_blocks(profile))
		return false;
	if (block == NULL)
		return true;
	uint32_t columns = filler->n_stored - stripe * PH_STRIPE_COLUMNS;
	uint32_t nodes = profile->n_nodes - number * PH_BLOCK_NODES;
	return block->n_columns == PH_MIN(columns, PH_STRIPE_COLUMNS) &&
		   block->n_rows == PH_MIN(nodes, PH_BLOCK_NODES);
}

PhStatus
ph_block_fill(PhBlockFiller *filler, uint32_t metric, uint32_t number, uint32_t stripe,
			  const PhStoredBlock *block)
{
	static const PhStoredRow nothing = {0};
	const PhProfile *profile = filler->profile;
	if (!is_of_stripe(filler, number, stripe, block))
		return wrong_block(filler->env, "is of another size than the run");
	uint32_t first = number * PH_BLOCK_NODES, left = profile->n_nodes - first;
	Row row = {.metric = &profile->metrics[metric],
			   .stripe = stripe * PH_STRIPE_COLUMNS,
			   .range = range_of(filler, stripe)};
	row.is_flow = row.metric->kind == PH_METRIC_FLOW;
	for (uint32_t i = PH_MIN(left, PH_BLOCK_NODES); i-- > 0 && row.range.first < row.range.end;)
	{
		PH_TRY(ph_env_poll_now(filler->env));
		row.stored = block == NULL ? &nothing : &block->rows[i];
		row.node = first + i;
		PH_TRY(fill_row(filler, &row, block));
	}
	return PH_OK;
}
