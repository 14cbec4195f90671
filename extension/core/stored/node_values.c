/*
 * node_values.c - see node_values.h.
 *
 * What the node's row does not tell follows from its children's inclusive values, and where their
 * rows do not tell these, from those of their children. The rows that are needed are listed in
 * pre-order and read from the last to the first, as levels.h has it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/node_values.h"

#include "base/min_max.h"
#include "stored/levels.h"
#include "stored/stored_row.h"

typedef struct Reading
{
	const PhNodeRequest *request;
	PhArena *arena;
	uint32_t stripe, width; /* columns of the stripe */
	PhIndices needed;
	uint32_t n_levels;
	PhLevels levels;
	double *exclusive, *inclusive, *children; /* by cell of a row */
} Reading;

static PhStatus
fetch_row(const Reading *reading, uint32_t node, const PhStoredBlock **block,
		  const PhStoredRow **out)
{
	static const PhStoredRow nothing = {0};
	const PhNodeRequest *request = reading->request;
	uint32_t place = node % PH_BLOCK_NODES;
	PH_TRY(request->fetch(request->user, node / PH_BLOCK_NODES, reading->stripe, block));
	*out = *block == NULL ? &nothing : &(*block)->rows[place];
	if (*block != NULL && ((*block)->n_columns != reading->width || place >= (*block)->n_rows))
		return ph_fail(reading->arena->env, PH_ERR_FORMAT,
					   "a block of stored values is of another size than the run");
	return PH_OK;
}

/* The node, and below it whatever its values follow from. */
static PhStatus
list_needed(Reading *reading)
{
	const PhProfile *tree = reading->request->tree;
	uint32_t top = reading->request->node, end = tree->subtree_end[top], deepest = tree->depth[top];
	reading->needed.count = 0;
	for (uint32_t node = top; node < end;)
	{
		const PhStoredBlock *block;
		const PhStoredRow *row;
		PH_TRY(ph_env_poll(reading->arena->env));
		PH_TRY(fetch_row(reading, node, &block, &row));
		PH_TRY(PH_ROOM(reading->arena, &reading->needed));
		reading->needed.items[reading->needed.count++] = node;
		deepest = PH_MAX(deepest, tree->depth[node]);
		bool is_known = node == top ? row->stored != PH_STORED_NOTHING && ph_row_is_complete(row)
									: ph_row_has_inclusive(row);
		node = is_known || !reading->request->is_flow ? tree->subtree_end[node] : node + 1;
		if (!reading->request->is_flow)
			break;
	}
	reading->n_levels = deepest - tree->depth[top] + 2;
	return PH_OK;
}

/* One needed row; its inclusive values are its parent's, but for the node's own. */
static PhStatus
read_row(Reading *reading, uint32_t node)
{
	const PhNodeRequest *request = reading->request;
	uint32_t level = request->tree->depth[node] - request->tree->depth[request->node];
	const PhStoredBlock *block;
	const PhStoredRow *row;
	bool is_unsure;
	PH_TRY(fetch_row(reading, node, &block, &row));
	if (row->stored != PH_STORED_NOTHING)
	{
		const double *children =
			ph_levels_children(&reading->levels, level, block, row, reading->children);
		if (!ph_row_unpack(row, request->is_signed, children, reading->exclusive,
						   reading->inclusive, &is_unsure))
			return ph_fail(reading->arena->env, PH_ERR_FORMAT,
						   "a block of stored values is damaged: a row is not what it says");
	}
	return ph_levels_hand_up(&reading->levels, level, block, row, reading->inclusive);
}

/* The node's own row, read last, to the caller's columns. */
static PhStatus
hand_over(const Reading *reading, double *exclusive, double *inclusive, bool *present)
{
	const PhStoredBlock *block;
	const PhStoredRow *row;
	PhRunWalk walk = {0};
	uint32_t first, n, cell = 0;
	PH_TRY(fetch_row(reading, reading->request->node, &block, &row));
	while (ph_block_next_run(block, row, &walk, &first, &n))
		for (uint32_t i = first; i < first + n; i++, cell++)
		{
			exclusive[i] = reading->exclusive[cell];
			inclusive[i] = reading->inclusive[cell];
			present[i] = true;
		}
	return PH_OK;
}

static PhStatus
read_stripe(Reading *reading, double *exclusive, double *inclusive, bool *present)
{
	PH_TRY(list_needed(reading));
	PH_TRY(ph_levels_new(reading->arena, reading->n_levels, reading->width, &reading->levels));
	for (uint32_t i = reading->needed.count; i-- > 0;)
		PH_TRY(read_row(reading, reading->needed.items[i]));
	return hand_over(reading, exclusive, inclusive, present);
}

PhStatus
ph_node_values(PhArena *arena, const PhNodeRequest *request, double *exclusive, double *inclusive,
			   bool *present)
{
	Reading reading = {.request = request, .arena = arena};
	uint32_t most = PH_MIN(request->n_columns, PH_STRIPE_COLUMNS);
	PH_TRY(PH_NEW(arena, most, &reading.exclusive));
	PH_TRY(PH_NEW(arena, most, &reading.inclusive));
	PH_TRY(PH_NEW(arena, most, &reading.children));
	memset(exclusive, 0, request->n_columns * sizeof(*exclusive));
	memset(inclusive, 0, request->n_columns * sizeof(*inclusive));
	for (uint32_t first = 0; first < request->n_columns; first += reading.width, reading.stripe++)
	{
		uint32_t left = request->n_columns - first;
		reading.width = PH_MIN(left, PH_STRIPE_COLUMNS);
		PH_TRY(read_stripe(&reading, exclusive + first, inclusive + first, present + first));
	}
	return PH_OK;
}
