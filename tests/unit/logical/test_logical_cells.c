/*
 * test_logical_cells.c - cells, rows, series and open branches against plain definitions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "logical/cells/cells.h"
#include "logical/cells/cluster_cells.h"
#include "logical/clusters/cluster.h"
#include "support/fault_env.h"
#include "support/logical_events.h"
#include "support/rounds.h"

#define N_RANDOM rounds(400)
#define MOST_EVENTS 40
#define MOST_LOCATIONS 12
#define MOST_STEP 60

static PhEnv env;
static RandomNumbers numbers;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- events of some locations ---- */

typedef struct Location
{
	PhLogicalCodec *codec; /* its room */
	PhLogicalEvents events;
	uint32_t processor[MOST_EVENTS];
	int64_t idle[MOST_EVENTS], imbalance[MOST_EVENTS];
} Location;

/* Few values, so that greatest ones tie, on steps that grow by the stride or more. */
static void
make_location(Location *location, uint32_t number, uint32_t stride, bool of_tasks)
{
	PhLogicalEvents *events = &location->events;
	must(ph_logical_codec_new(&env, &location->codec));
	must(random_logical_events(location->codec, &numbers, MOST_EVENTS, events));
	if (of_tasks)
	{
		events->processor = location->processor;
		events->idle = location->idle;
		events->imbalance = location->imbalance;
	}
	events->location = number;
	uint32_t step = stride * numbers_below(&numbers, 4);
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		events->step[i] = step;
		events->phase[i] = numbers_below(&numbers, 3);
		step += stride * (1 + numbers_below(&numbers, 2));
		for (int m = 0; m < PH_LOGICAL_METRICS; m++)
		{
			events->value[m][i] = numbers_below(&numbers, 4);
			events->aggregate[m][i] = numbers_below(&numbers, 4);
		}
		location->processor[i] = numbers_below(&numbers, 4);
		location->idle[i] = numbers_below(&numbers, 4);
		location->imbalance[i] = numbers_below(&numbers, 4);
		for (int c = 0; c < PH_LOGICAL_COUNTERS && events->counter[c] != NULL; c++)
			events->counter[c][i] =
				numbers_below(&numbers, 6) == 0 ? NAN : numbers_below(&numbers, 3);
	}
}

static uint32_t
make_locations(Location *locations, uint32_t stride, bool of_tasks)
{
	uint32_t n = 1 + numbers_below(&numbers, MOST_LOCATIONS);
	for (uint32_t l = 0; l < n; l++)
		make_location(&locations[l], l, stride, of_tasks);
	return n;
}

static void
drop_locations(Location *locations, uint32_t n)
{
	for (uint32_t l = 0; l < n; l++)
		ph_logical_codec_free(locations[l].codec);
}

/* ---- cells ---- */

static PhCellGrid
random_grid(uint32_t stride)
{
	PhCellGrid grid;
	int64_t first = numbers_below(&numbers, 20);
	int64_t end = first + numbers_below(&numbers, MOST_STEP);
	must(ph_cell_grid_init(&env, first, end, stride, numbers_below(&numbers, 2) != 0,
						   1 + numbers_below(&numbers, 30), &grid));
	return grid;
}

/* What a cell of the row must be: every event looked at, the winner by the order as documented. */
static PhCell
slow_cell(const PhCellGrid *grid, uint32_t metric, const Location *locations, uint32_t n,
		  uint32_t column)
{
	PhCell best = {.n = 0};
	double width = (double) (grid->between ? 1 : grid->stride) * grid->columns_a_cell;
	for (uint32_t l = n; l-- > 0;)
		for (uint32_t i = locations[l].events.n_events; i-- > 0;)
			for (int before = grid->between; before >= 0; before--)
			{
				const PhLogicalEvents *events = &locations[l].events;
				double at = (double) events->step[i] - before - (double) grid->first;
				if (events->step[i] < grid->first || events->step[i] >= grid->end ||
					floor((at + grid->between) / width) != column)
					continue;
				double value = ph_cell_value(metric, events, i, before != 0);
				int64_t idle = events->idle == NULL ? PH_NO_TIME : events->idle[i];
				if (best.n++ == 0 || isnan(value) || (!isnan(best.value) && value >= best.value))
				{
					best.value = value;
					best.location = l;
					best.seq = events->first_seq + i;
					best.is_before = before != 0;
				}
				best.idle = best.n == 1 || idle > best.idle ? idle : best.idle;
			}
	return best;
}

static void
assert_cell(const PhCell *got, const PhCell *wanted)
{
	assert_int_equal(got->n, wanted->n);
	if (wanted->n == 0)
		return;
	assert_true(got->value == wanted->value || (isnan(got->value) && isnan(wanted->value)));
	assert_int_equal(got->location, wanted->location);
	assert_int_equal(got->seq, wanted->seq);
	assert_int_equal(got->is_before, wanted->is_before);
	assert_true(got->idle == wanted->idle);
}

static void
check_row(bool of_tasks)
{
	Location locations[MOST_LOCATIONS];
	PhArena arena;
	PhCellRow row;
	uint32_t stride = of_tasks ? 1 : PH_STEP_STRIDE;
	uint32_t metric = numbers_below(&numbers, PH_CELL_METRICS);
	uint32_t n = make_locations(locations, stride, of_tasks);
	PhCellGrid grid = random_grid(stride);
	ph_arena_init(&arena, &env);
	must(ph_cell_row_new(&arena, &grid, metric, &row));
	for (uint32_t l = 0; l < n; l++)
		for (uint32_t i = 0; i < locations[l].events.n_events; i++)
			if (locations[l].events.step[i] >= grid.first && locations[l].events.step[i] < grid.end)
				ph_cell_row_add(&row, &locations[l].events, i);
	for (uint32_t column = 0; column < row.n_cells; column++)
	{
		PhCell wanted = slow_cell(&grid, metric, locations, n, column);
		assert_cell(&row.cells[column], &wanted);
	}
	ph_cell_row_clear(&row);
	for (uint32_t column = 0; column < row.n_cells; column++)
		assert_int_equal(row.cells[column].n, 0);
	ph_arena_drop(&arena);
	drop_locations(locations, n);
}

static void
test_cells(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < N_RANDOM; i++)
		check_row(i % 2 != 0);
}

/* Every step has a column of its own when there is room, and no cell is beyond the last. */
static void
test_grids(void **state)
{
	PhCellGrid grid;
	(void) state;
	must(ph_cell_grid_init(&env, 0, 0, 2, false, 10, &grid));
	assert_int_equal(ph_cell_grid_cells(&grid), 0);
	must(ph_cell_grid_init(&env, 4, 11, 2, false, 10, &grid));
	assert_int_equal(grid.columns, 4);
	assert_int_equal(grid.columns_a_cell, 1);
	assert_int_equal(ph_cell_column(&grid, 10, false), 3);
	must(ph_cell_grid_init(&env, 4, 11, 2, true, 10, &grid));
	assert_int_equal(grid.columns, 8);
	assert_int_equal(ph_cell_column(&grid, 4, true), 0);
	assert_int_equal(ph_cell_column(&grid, 10, false), 7);
	must(ph_cell_grid_init(&env, 4, 11, 2, true, 3, &grid));
	assert_int_equal(grid.columns_a_cell, 3);
	assert_int_equal(ph_cell_grid_cells(&grid), 3);
	must(ph_cell_grid_init(&env, 0, 5, 1, true, 5, &grid));
	assert_false(grid.between); /* tasks have no steps between */
	assert_int_equal(ph_cell_grid_init(&env, 0, (int64_t) 1 << 31, 1, false, 5, &grid),
					 PH_ERR_LIMIT);
}

static void
test_metrics(void **state)
{
	(void) state;
	const char *const names[] = {"counter",	  "step_counter", "idle_experienced",
								 "imbalance", "deviation",	  "phase",
								 "enter",	  "leave"};
	for (uint32_t metric = 0; metric < PH_LOGICAL_METRICS; metric++)
		assert_int_equal(ph_cell_metric_find(ph_logical_metric_name(metric)), metric);
	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(ph_cell_metric_find(names[i]), PH_CELL_COUNTER + i);
	assert_int_equal(ph_cell_metric_find("bytes"), PH_CELL_METRICS);
	assert_int_equal(ph_cell_metric_find("differential_duration"), PH_DURATION);
	assert_int_equal(ph_cell_metric_of_tasks(PH_GLOBAL_LATENESS), PH_CELL_PHASE);
	assert_int_equal(ph_cell_metric_of_tasks(PH_DURATION), PH_DURATION);
	assert_int_equal(ph_cell_metric_of_tasks(PH_CELL_IDLE), PH_CELL_IDLE);
	assert_int_equal(ph_cell_metric_of_tasks(PH_CELL_DEVIATION), PH_CELL_PHASE);
	assert_true(ph_cell_wants(PH_CELL_COUNTER) & PH_LOGICAL_WANT_COUNTERS);
	assert_false(ph_cell_wants(PH_LATENESS) & PH_LOGICAL_WANT_COUNTERS);
}

/* ---- rows ---- */

static void
check_rows(void)
{
	bool is_shown[100], is_runtime[100];
	uint32_t order[100];
	PhArena arena;
	PhCellRows rows;
	uint32_t n = numbers_below(&numbers, 100);
	uint32_t max_rows = 1 + numbers_below(&numbers, 40);
	uint32_t first_runtime = numbers_below(&numbers, 100);
	bool of_tasks = numbers_below(&numbers, 2) != 0;
	bool is_ordered = !of_tasks && numbers_below(&numbers, 2) != 0;
	uint32_t n_shown = 0, n_rows = 0, most = 0, last = PH_NONE;
	for (uint32_t l = 0; l < n; l++)
	{
		is_shown[l] = numbers_below(&numbers, 3) != 0;
		is_runtime[l] = l >= first_runtime;
		order[l] = l;
	}
	for (uint32_t l = n; is_ordered && l > 1; l--)
	{
		uint32_t other = numbers_below(&numbers, l);
		uint32_t moved = order[l - 1];
		order[l - 1] = order[other];
		order[other] = moved;
	}
	ph_arena_init(&arena, &env);
	must(ph_cell_rows_place(&arena, n, is_shown, is_ordered ? order : NULL,
							of_tasks ? is_runtime : NULL, max_rows, &rows));
	for (uint32_t i = 0, in_row = 0; i < n; i++)
	{
		uint32_t l = order[i];
		if (!is_shown[l])
		{
			assert_int_equal(rows.row_of[l], PH_NONE);
			continue;
		}
		assert_int_equal(rows.shown[n_shown++], l);
		bool is_new = last == PH_NONE || rows.row_of[l] != rows.row_of[last];
		assert_int_equal(rows.row_of[l], n_rows + is_new - 1);
		if (is_new)
			assert_int_equal(rows.first[n_rows], n_shown - 1);
		else if (of_tasks)
			assert_int_equal(is_runtime[l], is_runtime[last]);
		n_rows += is_new;
		in_row = is_new ? 1 : in_row + 1;
		most = in_row > most ? in_row : most;
		last = l;
	}
	assert_int_equal(rows.n_shown, n_shown);
	assert_int_equal(rows.n_rows, n_rows);
	assert_int_equal(rows.most, most);
	assert_int_equal(rows.first[n_rows], n_shown);
	assert_true(n_rows <= max_rows || (of_tasks && n_rows <= (max_rows > 2 ? max_rows : 2)));
	if (n_shown <= max_rows)
		assert_int_equal(n_rows, n_shown);
	ph_arena_drop(&arena);
}

static void
test_rows(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < 10 * N_RANDOM; i++)
		check_rows();
}

/* ---- series of clusters ---- */

/* Does the location's first event in the phase not receive? */
static bool
slow_sends_first(const PhLogicalEvents *events, uint32_t phase)
{
	for (uint32_t i = 0; i < events->n_events; i++)
		if (events->phase[i] == phase)
			return events->kind[i] != PH_COMM_RECEIVE;
	return true;
}

static void
check_cluster_cell(const PhClusterCells *cells, const Location *locations, uint32_t n,
				   uint32_t cluster, bool sends_first, uint32_t column)
{
	PhClusterCell wanted = {.step = UINT32_MAX};
	const PhClusterCell *got = &ph_cluster_cells_of(cells, cluster, sends_first)[column];
	for (uint32_t l = 0; l < n; l++)
	{
		const PhLogicalEvents *events = &locations[l].events;
		bool of_group =
			cells->cluster_of[l] == cluster &&
			sends_first == (!cells->by_first_event || slow_sends_first(events, cells->phase));
		for (uint32_t i = 0; i < events->n_events && of_group; i++)
		{
			uint32_t kind = events->kind[i];
			if (events->phase[i] != cells->phase || events->step[i] >= cells->grid.end ||
				events->step[i] < cells->grid.first ||
				ph_cell_column(&cells->grid, events->step[i], false) != column)
				continue;
			wanted.n[kind]++;
			wanted.value[kind] += ph_cell_value(cells->metric, events, i, false);
			wanted.before[kind] += ph_cell_value(cells->metric, events, i, true);
			wanted.received += kind == PH_COMM_RECEIVE ? events->ends_of[i] : 0;
			wanted.step = events->step[i] < wanted.step ? events->step[i] : wanted.step;
		}
	}
	for (int kind = 0; kind <= PH_COMM_COLLECTIVE; kind++)
	{
		assert_int_equal(got->n[kind], wanted.n[kind]);
		assert_true(got->value[kind] == wanted.value[kind]);
		assert_true(got->before[kind] == wanted.before[kind]);
	}
	assert_true(got->received == wanted.received);
	assert_true(ph_cluster_cell_is_empty(got) || got->step == wanted.step);
}

static void
check_series(void)
{
	Location locations[MOST_LOCATIONS];
	uint32_t cluster_of[MOST_LOCATIONS];
	PhArena arena;
	PhClusterCells cells;
	uint32_t n = make_locations(locations, PH_STEP_STRIDE, false);
	PhCellGrid grid;
	must(ph_cell_grid_init(&env, 0, 4 * MOST_EVENTS + 8, PH_STEP_STRIDE,
						   numbers_below(&numbers, 2) != 0, 1 + numbers_below(&numbers, 30),
						   &grid));
	for (uint32_t l = 0; l < n; l++)
		cluster_of[l] = numbers_below(&numbers, 4) == 0 ? PH_NONE : numbers_below(&numbers, 3);
	ph_arena_init(&arena, &env);
	must(ph_cluster_cells_new(&arena, &grid, PH_DURATION, 1, numbers_below(&numbers, 2) != 0,
							  cluster_of, 3, &cells));
	for (uint32_t l = 0; l < n; l++)
		for (uint32_t i = 0; i < locations[l].events.n_events; i++)
			if (locations[l].events.step[i] >= grid.first && locations[l].events.step[i] < grid.end)
				ph_cluster_cells_add(&cells, &locations[l].events, i);
	for (uint32_t group = 0; group < 6; group++)
		for (uint32_t column = 0; column < cells.n_cells; column++)
			check_cluster_cell(&cells, locations, n, group / 2, group % 2 != 0, column);
	ph_arena_drop(&arena);
	drop_locations(locations, n);
}

static void
test_series(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < N_RANDOM; i++)
		check_series();
}

/* ---- branches ---- */

/* A tree of n leaves that are joined at random. */
static PhClusters
random_tree(PhArena *arena, uint32_t n_leaves)
{
	PhClusters tree = {.n_leaves = n_leaves, .n_nodes = 2 * n_leaves - 1};
	uint32_t roots[16];
	uint32_t n_roots = n_leaves;
	for (int side = 0; side < 2; side++)
		must(PH_NEW(arena, tree.n_nodes, &tree.child[side]));
	for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
	{
		roots[leaf] = leaf;
		tree.child[0][leaf] = tree.child[1][leaf] = PH_NONE;
	}
	for (uint32_t node = n_leaves; node < tree.n_nodes; node++)
	{
		for (int side = 0; side < 2; side++)
		{
			uint32_t k = numbers_below(&numbers, n_roots);
			tree.child[side][node] = roots[k];
			roots[k] = roots[--n_roots];
		}
		roots[n_roots++] = node;
	}
	return tree;
}

static bool
slow_is_shown(const PhClusters *tree, const bool *is_open, uint32_t node)
{
	for (uint32_t above = node + 1; above < tree->n_nodes; above++)
		if (tree->child[0][above] == node || tree->child[1][above] == node)
			return is_open[above] && slow_is_shown(tree, is_open, above);
	return true;
}

static void
check_branches(void)
{
	bool unfold[32] = {false}, fold[32] = {false}, is_open[32], is_shown[32];
	PhArena arena;
	uint32_t n_wanted = 1 + numbers_below(&numbers, 18);
	uint32_t n_parts = 0;
	ph_arena_init(&arena, &env);
	PhClusters tree = random_tree(&arena, 1 + numbers_below(&numbers, 16));
	bool as_they_are = numbers_below(&numbers, 2) != 0;
	for (uint32_t node = 0; node < tree.n_nodes && !as_they_are; node++)
	{
		unfold[node] = numbers_below(&numbers, 4) == 0;
		fold[node] = numbers_below(&numbers, 4) == 0;
	}
	ph_clusters_open(&tree, n_wanted, unfold, fold, is_open, is_shown);
	for (uint32_t node = 0; node < tree.n_nodes; node++)
	{
		bool is_last = node + n_wanted > tree.n_nodes;
		assert_int_equal(is_open[node],
						 node >= tree.n_leaves && (is_last || unfold[node]) && !fold[node]);
		assert_int_equal(is_shown[node], slow_is_shown(&tree, is_open, node));
		n_parts += is_shown[node] && !is_open[node];
	}
	if (as_they_are) /* as many clusters as are wanted, or as there are processes */
		assert_int_equal(n_parts, n_wanted < tree.n_leaves ? n_wanted : tree.n_leaves);
	ph_arena_drop(&arena);
}

static void
test_branches(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < 10 * N_RANDOM; i++)
		check_branches();
}

/* ---- faults ---- */

static PhStatus
work(PhEnv *where, void *user)
{
	static const bool is_shown[4] = {true, true, true, true};
	static const uint32_t cluster_of[4] = {0, 0, 1, 1};
	PhArena arena;
	PhCellGrid grid;
	PhCellRows rows;
	PhCellRow row;
	PhClusterCells cells;
	(void) user;
	ph_arena_init(&arena, where);
	PhStatus status = ph_cell_grid_init(where, 0, 4000, 2, false, 1000, &grid);
	if (status == PH_OK)
		status = ph_cell_rows_place(&arena, 4, is_shown, NULL, NULL, 2, &rows);
	if (status == PH_OK)
		status = ph_cell_row_new(&arena, &grid, PH_LATENESS, &row);
	if (status == PH_OK)
		status = ph_cluster_cells_new(&arena, &grid, PH_LATENESS, 0, true, cluster_of, 2, &cells);
	ph_arena_drop(&arena);
	return status;
}

static void
test_allocations_fail(void **state)
{
	(void) state;
	assert_string_equal(fault_env_try_allocations(work, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_grids),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_allocations_fail),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
