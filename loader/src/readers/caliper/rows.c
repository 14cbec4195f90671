/*
 * rows.c - rows of a Caliper file into the builder; the walk over the context tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/caliper.h"

#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "profile/gathered.h"
#include "readers/completeness.h"

PhStatus
ph_caliper_rows_init(PhCaliperRows *rows, PhArena *arena, PhProfileBuilder *builder,
					 const PhCaliperField *fields, uint32_t n_fields)
{
	memset(rows, 0, sizeof(*rows));
	rows->arena = arena;
	rows->builder = builder;
	rows->fields = fields;
	rows->world = 1;
	ph_records_init(&rows->ranks, arena, sizeof(int32_t));
	PH_TRY(PH_NEW(arena, n_fields, &rows->outside));
	return PH_NEW(arena, n_fields, &rows->has_outside);
}

static PhStatus
find_column(PhCaliperRows *rows, int32_t rank, int32_t thread, int64_t iteration, uint32_t *out)
{
	char name[32];
	PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
						 .iteration = iteration,
						 .rank = rank,
						 .thread = thread == PH_NO_NUMBER && rows->has_threads ? 0 : thread};
	if (rows->world > 1)
	{
		snprintf(name, sizeof(name), PH_GATHERED_COLUMN, rows->world);
		spec.kind = PH_COLUMN_GROUP;
		spec.name = name;
	}
	return ph_builder_add_column(rows->builder, &spec, out);
}

PhStatus
ph_caliper_row(PhCaliperRows *rows, uint32_t node, int32_t rank, int32_t thread, int64_t iteration)
{
	bool same = rows->column_known && rank == rows->rank && thread == rows->thread &&
				iteration == rows->iteration;
	rows->node = node;
	rows->rank = rank;
	rows->thread = thread;
	rows->iteration = iteration;
	if (node == PH_NONE)
	{
		rows->column_known = false;
		return PH_OK;
	}
	if (same)
		return ph_builder_mark_present(rows->builder, node, rows->column);
	rows->column_known = !rows->has_ranks || rank != PH_NO_NUMBER;
	if (!rows->column_known)
		return PH_OK;
	uint32_t index;
	if (rank != PH_NO_NUMBER)
		PH_TRY(ph_records_intern(&rows->ranks, &rank, &index));
	PH_TRY(find_column(rows, rank, thread, iteration, &rows->column));
	return ph_builder_mark_present(rows->builder, node, rows->column);
}

static PhStatus
let_wait(PhCaliperRows *rows, uint32_t field, double value)
{
	PH_TRY(PH_GROW(rows->arena, &rows->waiting, rows->n_waiting, &rows->waiting_capacity));
	rows->waiting[rows->n_waiting++] =
		(PhCaliperWaiting){field, rows->node, rows->thread, rows->iteration, value};
	return PH_OK;
}

PhStatus
ph_caliper_value(PhCaliperRows *rows, uint32_t field, double value)
{
	const PhCaliperField *what = &rows->fields[field];
	if (what->of_kernels && !rows->is_kernel)
		return PH_OK;
	value *= what->scale;
	if (what->flow && rows->world > 1)
		value /= rows->world;
	if (rows->node == PH_NONE)
	{
		rows->outside[field] += value;
		bool counted = what->has_partner && what->cost == PH_COST_INCLUSIVE;
		rows->has_outside[field] |= what->flow && value != 0 && !counted;
		return PH_OK;
	}
	if (!rows->column_known)
		return let_wait(rows, field, value);
	return ph_builder_add_value(rows->builder, what->metric, rows->node, rows->column, what->cost,
								value);
}

/* Place one value that has no rank: flow evenly over the ranks, anything else as it is. */
static PhStatus
place(PhCaliperRows *rows, const PhCaliperWaiting *waiting)
{
	const PhCaliperField *what = &rows->fields[waiting->field];
	uint32_t n_ranks = rows->ranks.count;
	for (uint32_t i = 0; i < (n_ranks > 0 ? n_ranks : 1); i++)
	{
		int32_t rank = PH_NO_NUMBER;
		if (n_ranks > 0)
			memcpy(&rank, rows->ranks.bytes + i * sizeof(rank), sizeof(rank));
		double value = what->flow && n_ranks > 0 ? waiting->value / n_ranks : waiting->value;
		uint32_t column;
		PH_TRY(ph_env_poll(rows->arena->env));
		PH_TRY(find_column(rows, rank, waiting->thread, waiting->iteration, &column));
		PH_TRY(ph_builder_add_value(rows->builder, what->metric, waiting->node, column, what->cost,
									value));
	}
	return PH_OK;
}

static PhStatus
note_outside(PhCaliperRows *rows, PhEnv *env, uint32_t field, PhRunInput *run)
{
	const char *name = rows->fields[field].metric_name;
	char key[160];
	char value[40];
	char note[320];
	snprintf(key, sizeof(key), "outside_regions:%.120s", name);
	snprintf(value, sizeof(value), "%.17g", rows->outside[field]);
	snprintf(note, sizeof(note), "not in the tree, because outside any region: %.120s %.6g", name,
			 rows->outside[field]);
	PH_TRY(ph_meta_set(env, &run->meta, key, value, true));
	return ph_builder_add_note(rows->builder, note);
}

/* A file that does not say how many ranks there were has all up to the last. */
static PhStatus
check_gaps(const PhCaliperRows *rows, PhEnv *env, PhRunInput *run)
{
	uint32_t n = rows->ranks.count;
	int32_t last = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		int32_t rank;
		memcpy(&rank, rows->ranks.bytes + i * sizeof(rank), sizeof(rank));
		last = PH_MAX(last, rank);
	}
	if (n < 2 || (uint32_t) last < n)
		return PH_OK;
	ph_builder_set_missing_columns(rows->builder, (uint32_t) last + 1 - n);
	return ph_run_missing(env, run, "it has rows of %u of at least %u ranks", n,
						  (uint32_t) last + 1);
}

PhStatus
ph_caliper_rows_finish(PhCaliperRows *rows, PhEnv *env, uint32_t n_fields, PhRunInput *run)
{
	char note[160];
	for (uint32_t i = 0; i < rows->n_waiting; i++)
		PH_TRY(place(rows, &rows->waiting[i]));
	if (rows->n_waiting > 0 && rows->ranks.count > 0)
	{
		snprintf(note, sizeof(note),
				 "%u values measured before the rank was known are spread evenly over %u ranks",
				 rows->n_waiting, rows->ranks.count);
		PH_TRY(ph_builder_add_note(rows->builder, note));
	}
	if (rows->world > 1)
	{
		snprintf(
			note, sizeof(note),
			"the file holds totals over %u ranks: they are divided by %u, values are means per "
			"rank",
			rows->world, rows->world);
		PH_TRY(ph_builder_add_note(rows->builder, note));
	}
	if (rows->has_ranks && run->n_ranks != PH_NO_NUMBER && rows->ranks.count > 0 &&
		rows->ranks.count < (uint32_t) run->n_ranks)
	{
		ph_builder_set_missing_columns(rows->builder, (uint32_t) run->n_ranks - rows->ranks.count);
		/* one rank: each process wrote a file of its own, and this is whole */
		if (rows->ranks.count > 1)
			PH_TRY(ph_run_missing(env, run, "it has rows of %u of its %d ranks", rows->ranks.count,
								  run->n_ranks));
	}
	if (rows->has_ranks && run->n_ranks == PH_NO_NUMBER)
		PH_TRY(check_gaps(rows, env, run));
	for (uint32_t i = 0; i < n_fields; i++)
		if (rows->has_outside[i])
			PH_TRY(note_outside(rows, env, i, run));
	return PH_OK;
}

int32_t
ph_caliper_world_size(const PhMeta *meta)
{
	static const char *const keys[] = {"mpi.world.size", "jobsize", "numranks"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
	{
		const char *text = ph_meta_get(meta, keys[i]);
		int64_t size;
		if (text != NULL && ph_parse_int64(text, strlen(text), &size) && size > 0 &&
			size <= INT32_MAX)
			return (int32_t) size;
	}
	return PH_NO_NUMBER;
}

/* ---- context tree ---- */

/* Follow every parent chain once; a node met twice on one chain closes a cycle. */
static PhStatus
find_cycle(PhContextTree *tree, uint32_t *bad)
{
	uint32_t *walk; /* the walk that met the node, 0: none yet */
	PH_TRY(PH_NEW(tree->arena, tree->n_nodes, &walk));
	for (uint32_t start = 0; start < tree->n_nodes; start++)
		for (uint32_t node = start; node != PH_NONE; node = tree->parent[node])
		{
			if (walk[node] == start + 1)
			{
				*bad = node;
				return PH_OK;
			}
			if (walk[node] != 0)
				break;
			walk[node] = start + 1;
		}
	return PH_OK;
}

PhStatus
ph_context_init(PhContextTree *tree, PhArena *arena, uint32_t n_nodes, const uint32_t *parent,
				uint32_t *bad)
{
	memset(tree, 0, sizeof(*tree));
	tree->arena = arena;
	tree->n_nodes = n_nodes;
	tree->parent = parent;
	*bad = PH_NONE;
	PH_TRY(PH_NEW(arena, n_nodes, &tree->path));
	PH_TRY(PH_NEW(arena, n_nodes, &tree->visited));
	PH_TRY(PH_NEW(arena, n_nodes, &tree->stack));
	return find_cycle(tree, bad);
}

PhStatus
ph_context_path(PhContextTree *tree, uint32_t node, uint32_t *out)
{
	uint32_t depth = 0;
	for (uint32_t at = node; at != PH_NONE && !tree->visited[at]; at = tree->parent[at])
		tree->stack[depth++] = at;
	while (depth > 0)
	{
		uint32_t at = tree->stack[--depth];
		uint32_t parent = tree->parent[at];
		uint32_t region;
		tree->path[at] = parent != PH_NONE ? tree->path[parent] : PH_NONE;
		PH_TRY(tree->region(tree->user, at, &region));
		if (region != PH_NONE)
			PH_TRY(ph_builder_child(tree->builder, tree->path[at], region, &tree->path[at]));
		tree->visited[at] = true;
	}
	*out = node != PH_NONE ? tree->path[node] : PH_NONE;
	return PH_OK;
}
