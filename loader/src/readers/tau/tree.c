/*
 * tree.c - from the rows of one TAU profile to a tree whose times add up.
 *
 * Flat rows repeat what the rows of call paths tell. So a flat row counts only with what the paths
 * that end in its function leave over: all of it when no paths were measured, that of the roots
 * otherwise. Paths are cut at TAU_CALLPATH_DEPTH; then they begin in the middle of a stack, and
 * inclusive values would count twice: they are taken as given only when every path's beginning is a
 * path, too, and are summed up from the exclusive ones otherwise.
 *
 * Samples split the exclusive time of the timer they fell into; "[CONTEXT]" steps, which repeat the
 * timer, are no nodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "readers/tau/tau.h"

#define PH_TAU_TOLERANCE 1e-6 /* of a flat row's value: rounding of what TAU prints */

/* A node of this file's tree. */
typedef struct TauNode
{
	uint32_t parent; /* index of a node that comes before, PH_NONE: a root */
	uint32_t function;
	uint32_t node; /* builder's */
	bool has_row;
	bool is_sample;
	double calls, children, exclusive;
	double given;	/* inclusive of its row */
	double below;	/* inclusive of its children */
	double samples; /* inclusive of its children that are samples */
} TauNode;

/* Flat row of a function and the sum of the paths that end in it. */
typedef struct FlatRow
{
	bool is_flat, ends_path;
	double calls, children, exclusive, inclusive;
	double path_calls, path_children, path_exclusive;
} FlatRow;

/* A user event of the process, and its part in contexts. */
typedef struct EventTotal
{
	double count, sum;
} EventTotal;

typedef struct TauTree
{
	PhTauRun *run;
	PhTauFile *file;
	PhInput *input;
	PhArena arena; /* of this file */
	uint32_t n_nodes, capacity;
	TauNode *nodes;
	PhMap child_of;		  /* (parent + 1, function) -> node */
	FlatRow *flat;		  /* by function */
	EventTotal *contexts; /* by event */
	uint32_t first;		  /* function of the first row, PH_NONE: none */
	uint32_t home;		  /* node that user events without context belong to */
	bool has_paths, is_cut, has_samples;
} TauTree;

static PhStatus
find_child(TauTree *tree, uint32_t parent, uint32_t function, uint32_t *out)
{
	uint32_t *entry;
	uint64_t key = ph_map_key(parent == PH_NONE ? 0 : parent + 1, function);
	PH_TRY(ph_map_enter(&tree->child_of, key, tree->n_nodes, &entry));
	*out = *entry;
	if (*entry < tree->n_nodes)
		return PH_OK;
	PH_TRY(PH_GROW(&tree->arena, &tree->nodes, tree->n_nodes, &tree->capacity));
	TauNode node = {.parent = parent, .function = function};
	node.is_sample = tree->run->functions[function].name.step == PH_TAU_SAMPLE;
	tree->has_samples |= node.is_sample;
	tree->nodes[tree->n_nodes++] = node;
	return PH_OK;
}

/* ---- rows ---- */

static void
add_flat(TauTree *tree, const PhTauRow *row, uint32_t function)
{
	FlatRow *flat = &tree->flat[function];
	if (tree->first == PH_NONE)
		tree->first = function;
	flat->is_flat = true;
	flat->calls += row->calls;
	flat->children += row->children;
	flat->exclusive += row->exclusive;
	flat->inclusive += row->inclusive;
}

static void
add_path_row(TauTree *tree, const PhTauRow *row, uint32_t leaf)
{
	TauNode *node = &tree->nodes[leaf];
	FlatRow *flat = &tree->flat[node->function];
	tree->has_paths |= !node->is_sample;
	node->has_row = true;
	node->calls += row->calls;
	node->children += row->children;
	node->exclusive += row->exclusive;
	node->given += row->inclusive;
	flat->ends_path = true;
	flat->path_calls += row->calls;
	flat->path_children += row->children;
	flat->path_exclusive += row->exclusive;
}

/* Walk a path; *leaf is its node, PH_NONE when its last step is no node. */
static PhStatus
walk_path(TauTree *tree, PhTauText path, bool create, uint32_t *n_steps, uint32_t *function,
		  uint32_t *leaf)
{
	PhTauText step;
	uint32_t node = PH_NONE;
	*n_steps = 0;
	*leaf = PH_NONE;
	while (ph_tau_next_step(&path, &step))
	{
		PH_TRY(ph_tau_find_function(tree->run, step, function));
		*leaf = PH_NONE;
		(*n_steps)++;
		if (*function == PH_NONE)
			return PH_OK;
		if (tree->run->functions[*function].name.step == PH_TAU_CONTEXT)
			continue;
		if (create)
			PH_TRY(find_child(tree, node, *function, &node));
		else
		{
			uint32_t *entry;
			uint64_t key = ph_map_key(node == PH_NONE ? 0 : node + 1, *function);
			PH_TRY(ph_map_enter(&tree->child_of, key, PH_NONE, &entry));
			if (*entry == PH_NONE)
				return PH_OK;
			node = *entry;
		}
		*leaf = node;
	}
	return PH_OK;
}

static PhStatus
take_row(void *user, const PhTauRow *row)
{
	TauTree *tree = user;
	uint32_t n_steps, function, leaf;
	bool is_path = memmem(row->name.text, row->name.size, " => ", 4) != NULL;
	if (!is_path)
	{
		PH_TRY(ph_tau_find_function(tree->run, row->name, &function));
		if (function != PH_NONE && tree->run->functions[function].name.step == PH_TAU_TIMER)
			add_flat(tree, row, function);
		return PH_OK;
	}
	PH_TRY(walk_path(tree, row->name, true, &n_steps, &function, &leaf));
	if (leaf != PH_NONE)
		add_path_row(tree, row, leaf);
	return PH_OK;
}

/* ---- the whole tree ---- */

/*
 * What of a function's flat value is not in its paths. 0 when the difference is within
 * PH_TAU_TOLERANCE, the rounding of what TAU prints; when the paths have more than that, the
 * function is counted as disagreeing.
 */
static double
remainder_of(TauTree *tree, double flat, double paths)
{
	double rest = flat - paths;
	if (rest > PH_TAU_TOLERANCE * flat)
		return rest;
	if (rest < -PH_TAU_TOLERANCE * paths)
		tree->run->n_disagreeing++;
	return 0;
}

/*
 * Flat rows give a function's whole cost, rows of paths the parts of it. What paths do not cover
 * (paths may be limited in depth or switched off) becomes a root of that function.
 */
static PhStatus
add_roots(TauTree *tree)
{
	uint32_t node;
	for (uint32_t i = 1; i < tree->run->n_functions; i++)
	{
		FlatRow *flat = &tree->flat[i];
		PH_TRY(ph_env_poll(tree->run->env));
		if (!flat->is_flat)
			continue;
		double exclusive = remainder_of(tree, flat->exclusive, flat->path_exclusive);
		double calls = remainder_of(tree, flat->calls, flat->path_calls);
		if (flat->ends_path && exclusive == 0 && calls == 0)
			continue;
		PH_TRY(find_child(tree, PH_NONE, i, &node));
		TauNode *root = &tree->nodes[node];
		root->exclusive += exclusive;
		root->calls += calls;
		root->children += remainder_of(tree, flat->children, flat->path_children);
		root->given = flat->inclusive;
		root->has_row = !flat->ends_path; /* else its inclusive is that of the paths, too */
	}
	return PH_OK;
}

/* True when some node has no row: its path is the end of a longer one. */
static bool
find_cut(const TauTree *tree)
{
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		if (!tree->nodes[i].has_row && !tree->nodes[i].is_sample)
			return true;
	return false;
}

/*
 * Computes the missing ones of inclusive and exclusive values from the leaves up (children have
 * larger numbers than parents). TAU counts the time of samples twice: in the sampled timer's
 * exclusive time and in the samples' rows, so a timer loses the sum of its samples. Rows of samples
 * give inclusive values: their exclusive part is what samples below do not cover. An inclusive
 * value given by a row is kept, unless the paths are cut or the samples below have more; else it is
 * exclusive plus children.
 */
static void
sum_up(TauTree *tree)
{
	for (uint32_t i = tree->n_nodes; i-- > 0;)
	{
		TauNode *node = &tree->nodes[i];
		bool keeps = node->is_sample ? node->has_row : node->has_row && !tree->is_cut;
		if (node->is_sample && node->has_row)
			node->exclusive = fmax(0, node->given - node->below);
		else
			node->exclusive = fmax(0, node->exclusive - node->samples);
		if (!keeps || (node->is_sample && node->given < node->below))
			node->given = node->exclusive + node->below;
		if (node->parent == PH_NONE)
			continue;
		TauNode *parent = &tree->nodes[node->parent];
		parent->below += node->given;
		if (node->is_sample)
			parent->samples += node->given;
	}
}

/* A cost of a cell; zeros only mark it present. */
static PhStatus
add_cell(TauTree *tree, uint32_t metric, const TauNode *node, double exclusive, double inclusive)
{
	PhProfileBuilder *builder = tree->run->builder;
	uint32_t column = tree->file->column;
	if (exclusive != 0)
		PH_TRY(ph_builder_add_value(builder, metric, node->node, column, PH_COST_EXCLUSIVE,
									exclusive));
	if (inclusive == 0)
		return PH_OK;
	return ph_builder_add_value(builder, metric, node->node, column, PH_COST_INCLUSIVE, inclusive);
}

static PhStatus
add_node(TauTree *tree, TauNode *node)
{
	PhTauRun *run = tree->run;
	uint32_t region;
	uint32_t parent = node->parent == PH_NONE ? PH_NONE : tree->nodes[node->parent].node;
	PH_TRY(ph_tau_region(run, node->function, &region));
	PH_TRY(ph_builder_child(run->builder, parent, region, &node->node));
	if (node->has_row)
		PH_TRY(ph_builder_mark_present(run->builder, node->node, tree->file->column));
	PH_TRY(add_cell(tree, run->metrics[tree->file->metric].metric, node, node->exclusive,
					node->given));
	if (run->flat_inclusive != PH_NONE && node->parent == PH_NONE && tree->file->metric == 0)
		PH_TRY(add_cell(tree, run->flat_inclusive, node, tree->flat[node->function].inclusive, 0));
	if (!tree->file->has_counts || node->is_sample)
		return PH_OK;
	PH_TRY(add_cell(tree, run->calls, node, node->calls, 0));
	return add_cell(tree, run->children, node, node->children, 0);
}

static PhStatus
add_tree(TauTree *tree)
{
	PH_TRY(add_roots(tree));
	tree->is_cut = find_cut(tree);
	if (!tree->has_paths && tree->n_nodes > 1)
		tree->is_cut = true; /* flat: the inclusive values overlap */
	tree->run->any_cut |= tree->has_paths && tree->is_cut;
	sum_up(tree);
	for (uint32_t i = 0; i < tree->n_nodes; i++)
	{
		PH_TRY(ph_env_poll(tree->run->env));
		PH_TRY(add_node(tree, &tree->nodes[i]));
	}
	return PH_OK;
}

/* ---- user events ---- */

/*
 * Sets home, the node that gets user events without a context: that of ".TAU application" if there
 * is one, else that of the file's first function, else the first node.
 */
static void
find_home(TauTree *tree)
{
	uint32_t wanted = tree->first;
	tree->home = PH_NONE;
	for (uint32_t i = 1; i < tree->run->n_functions; i++)
		if (tree->flat[i].is_flat && tree->run->functions[i].is_program)
			wanted = i;
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		if (tree->nodes[i].function == wanted)
		{
			tree->home = tree->nodes[i].node;
			return;
		}
	if (tree->n_nodes > 0)
		tree->home = tree->nodes[0].node;
}

static PhStatus
add_event_values(TauTree *tree, const PhTauEventMetric *metric, uint32_t node,
				 const PhTauEvent *event, double count, double sum)
{
	PhProfileBuilder *builder = tree->run->builder;
	uint32_t column = tree->file->column;
	if (count > 0)
		PH_TRY(
			ph_builder_add_value(builder, metric->count, node, column, PH_COST_EXCLUSIVE, count));
	if (sum > 0)
		PH_TRY(ph_builder_add_value(builder, metric->sum, node, column, PH_COST_EXCLUSIVE, sum));
	if (event->min != 0)
		PH_TRY(ph_builder_add_value(builder, metric->min, node, column, PH_COST_EXCLUSIVE,
									event->min));
	if (event->max != 0)
		PH_TRY(ph_builder_add_value(builder, metric->max, node, column, PH_COST_EXCLUSIVE,
									event->max));
	return PH_OK;
}

/* Events of contexts go to their nodes; the whole counts with what contexts leave over. */
typedef struct EventPass
{
	TauTree *tree;
	bool contexts; /* those first */
} EventPass;

static PhStatus
take_event(void *user, const PhTauEvent *event)
{
	EventPass *pass = user;
	TauTree *tree = pass->tree;
	uint32_t index, n_steps, function, leaf;
	double sum = event->count * event->mean;
	if ((event->path.size > 0) != pass->contexts || event->count == 0)
		return PH_OK;
	PH_TRY(
		ph_strings_intern_n(&tree->run->event_names, event->name.text, event->name.size, &index));
	if (index >= tree->run->n_events || tree->home == PH_NONE)
		return PH_OK;
	const PhTauEventMetric *metric = &tree->run->events[index];
	if (metric->sum == PH_NONE)
		return PH_OK;
	if (sum < 0)
		return ph_input_fail(tree->run->env, tree->input, PH_ERR_VALUE, event->offset,
							 "the sum of a user event is negative");
	EventTotal *total = &tree->contexts[index];
	if (!pass->contexts)
		return add_event_values(tree, metric, tree->home, event,
								remainder_of(tree, event->count, total->count),
								remainder_of(tree, sum, total->sum));
	PH_TRY(walk_path(tree, event->path, false, &n_steps, &function, &leaf));
	if (leaf == PH_NONE)
		return PH_OK; /* stays with the whole */
	total->count += event->count;
	total->sum += sum;
	return add_event_values(tree, metric, tree->nodes[leaf].node, event, event->count, sum);
}

/* ---- a file ---- */

static PhStatus
ignore_begin(void *user, PhTauText metric, PhTauText metadata)
{
	(void) user;
	(void) metric;
	(void) metadata;
	return PH_OK;
}

static PhStatus
ignore_row(void *user, const PhTauRow *row)
{
	(void) user;
	(void) row;
	return PH_OK;
}

static PhStatus
ignore_event(void *user, const PhTauEvent *event)
{
	(void) user;
	(void) event;
	return PH_OK;
}

static PhStatus
read_events(TauTree *tree)
{
	for (int i = 0; i < 2; i++)
	{
		EventPass pass = {tree, i == 0};
		PhTauVisitor visitor = {&pass, ignore_begin, ignore_row, take_event};
		PH_TRY(ph_tau_scan(tree->run->env, tree->input, &visitor));
	}
	return PH_OK;
}

static PhStatus
read_tree(TauTree *tree)
{
	PhTauRun *run = tree->run;
	PhTauVisitor visitor = {tree, ignore_begin, take_row, ignore_event};
	PH_TRY(PH_NEW(&tree->arena, run->n_functions, &tree->flat));
	PH_TRY(PH_NEW(&tree->arena, run->n_events, &tree->contexts));
	ph_map_init(&tree->child_of, &tree->arena);
	PH_TRY(ph_tau_scan(run->env, tree->input, &visitor));
	PH_TRY(add_tree(tree));
	find_home(tree);
	if (!tree->file->has_counts || run->n_events < 2)
		return PH_OK;
	return read_events(tree);
}

PhStatus
ph_tau_read_file(PhTauRun *run, PhTauFile *file)
{
	PhInput input = file->input;
	TauTree tree = {.run = run, .file = file, .input = &input, .first = PH_NONE};
	if (file->input.data == NULL)
		PH_TRY(ph_input_open(run->env, file->input.path, &input));
	ph_arena_init(&tree.arena, run->env);
	PhStatus status = read_tree(&tree);
	ph_arena_drop(&tree.arena);
	if (file->input.data == NULL)
		ph_input_close(&input);
	return status;
}
