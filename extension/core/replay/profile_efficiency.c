/*
 * profile_efficiency.c - see profile_efficiency.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/profile_efficiency.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "profile/cells.h"
#include "supergraph/group_by.h"

typedef enum NodeKind
{
	NODE_USEFUL,
	NODE_MPI,
	NODE_TEAM_WAIT
} NodeKind;

/* What a column spends, in the metric's unit. */
typedef struct ColumnTime
{
	double useful, mpi, waiting;
} ColumnTime;

typedef struct RankTime
{
	int32_t first_thread; /* PH_NO_NUMBER: no threads */
	double outside;		  /* of MPI, of the first thread */
	double mpi;			  /* of it */
	double useful;		  /* of all threads */
	uint32_t n_threads;
} RankTime;

static NodeKind
kind_of_node(const PhProfile *profile, uint32_t node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	const char *paradigm = ph_region_paradigm(profile, region);
	if (strcmp(paradigm, "mpi") == 0)
		return NODE_MPI;
	if (strcmp(paradigm, "openmp") != 0)
		return NODE_USEFUL;
	return strstr(ph_profile_string(profile, region->name), "barrier") != NULL ? NODE_TEAM_WAIT
																			   : NODE_USEFUL;
}

/* What is called by MPI is MPI's: kinds go down the tree, parents come before children. */
static PhStatus
find_kinds(PhArena *scratch, const PhProfile *profile, uint8_t **kinds)
{
	PH_TRY(PH_NEW(scratch, profile->n_nodes, kinds));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		PH_TRY(ph_env_poll(scratch->env));
		bool is_inherited = parent != PH_NONE && (*kinds)[parent] != NODE_USEFUL;
		(*kinds)[node] = is_inherited ? (*kinds)[parent] : (uint8_t) kind_of_node(profile, node);
	}
	return PH_OK;
}

static double *
time_of(ColumnTime *time, uint8_t kind)
{
	return kind == NODE_MPI ? &time->mpi : kind == NODE_TEAM_WAIT ? &time->waiting : &time->useful;
}

/* Cost follows the cells that exist: ranks with call paths of their own have few of all. */
static PhStatus
add_cells(PhArena *scratch, const PhProfile *profile, uint32_t metric, const uint8_t *kinds,
		  ColumnTime *times)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
			{
				PH_TRY(ph_env_poll(scratch->env));
				*time_of(&times[span.first + i], kinds[node]) +=
					ph_profile_value(profile, metric, span.cell + i, PH_COST_OWN);
			}
	}
	return PH_OK;
}

/* The ranks of columns, which are sorted by rank, then thread; returns how many there are. */
static uint32_t
add_columns(const PhProfile *profile, const ColumnTime *times, RankTime *ranks)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i], *before = i > 0 ? column - 1 : NULL;
		if (column->rank < 0)
			continue;
		bool is_new = before == NULL || before->rank != column->rank;
		if (is_new)
			ranks[n++].first_thread = column->thread;
		RankTime *rank = &ranks[n - 1];
		rank->n_threads += is_new || before->thread != column->thread;
		rank->useful += times[i].useful;
		if (column->thread != rank->first_thread)
			continue;
		rank->outside += times[i].useful + times[i].waiting;
		rank->mpi += times[i].mpi;
	}
	return n;
}

static PhProfileEfficiency
find_factors(const RankTime *ranks, uint32_t n_ranks)
{
	PhProfileEfficiency out = {.threads = NAN};
	double sum = 0, most = 0, useful = 0, possible = 0;
	bool are_threads = false;
	for (uint32_t i = 0; i < n_ranks; i++)
	{
		out.n_ranks++;
		sum += ranks[i].outside;
		most = PH_MAX(most, ranks[i].outside);
		out.elapsed = PH_MAX(out.elapsed, ranks[i].outside + ranks[i].mpi);
		useful += ranks[i].useful;
		possible += ranks[i].outside * ranks[i].n_threads;
		are_threads = are_threads || ranks[i].n_threads > 1;
	}
	bool is_some = most > 0 && out.elapsed > 0;
	out.useful = out.n_ranks > 0 ? sum / out.n_ranks : NAN;
	out.load_balance = is_some ? out.useful / most : NAN;
	out.communication = is_some ? most / out.elapsed : NAN;
	if (are_threads && possible > 0)
		out.threads = PH_MIN(useful / possible, 1.0);
	out.parallel = out.load_balance * out.communication * (isnan(out.threads) ? 1.0 : out.threads);
	return out;
}

PhStatus
ph_profile_efficiency(PhArena *scratch, const PhProfile *profile, uint32_t metric,
					  PhProfileEfficiency *out)
{
	uint8_t *kinds;
	ColumnTime *times;
	RankTime *ranks;
	PH_TRY(find_kinds(scratch, profile, &kinds));
	PH_TRY(PH_NEW(scratch, profile->n_columns, &times));
	PH_TRY(PH_NEW(scratch, profile->n_columns, &ranks));
	PH_TRY(add_cells(scratch, profile, metric, kinds, times));
	*out = find_factors(ranks, add_columns(profile, times, ranks));
	return PH_OK;
}
