/*
 * run_report.c - what one page says about a profile: hot path, imbalance, MPI, worst ranks and
 * hosts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/run_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "base/unit.h"
#include "profile/cells.h"
#include "profile/gathered.h"
#include "profile/rows/rows.h"

#define HOT_SHARE 0.5

static PhStatus find_imbalance(PhArena *arena, PhRunReport *report);
static PhStatus measure_mpi(PhArena *arena, PhRunReport *report, double **outside);
static PhStatus rank_columns(PhArena *arena, PhRunReport *report, const double *outside);
static PhStatus rank_hosts(PhArena *arena, PhRunReport *report, const double *outside);

/* Seconds in one unit of a time metric; 0 for anything else. */
static double
unit_seconds(const char *unit)
{
	double seconds;

	return ph_unit_factor(unit, "s", &seconds) ? seconds : 0;
}

PhStatus
ph_run_report(PhArena *arena, const PhProfile *profile, uint32_t metric, PhRunReport *out)
{
	PhRunReport report = {.profile = profile, .metric = metric, .dearest_mpi = PH_NONE};
	double *outside;

	report.unit = ph_profile_string(profile, profile->metrics[metric].unit);
	report.seconds = unit_seconds(report.unit);
	report.total = ph_profile_total(profile, metric);
	report.residual = ph_profile_residual(profile, metric);
	PH_TRY(ph_rows_hot_path(arena, profile, metric, HOT_SHARE, PH_NONE, &report.hot_path,
							&report.n_hot_path));
	PH_TRY(find_imbalance(arena, &report));
	PH_TRY(measure_mpi(arena, &report, &outside));
	PH_TRY(rank_columns(arena, &report, outside));
	PH_TRY(rank_hosts(arena, &report, outside));
	*out = report;
	return PH_OK;
}

bool
ph_is_mpi(const PhProfile *profile, uint32_t node)
{
	static const char *const prefixes[] = {"MPI_", "PMPI_", "mpi_", "pmpi_", "MPI::", NULL};
	const PhRegion *region = ph_profile_region(profile, node);
	const char *name = ph_profile_string(profile, region->name);
	const char *library = ph_profile_string(profile, region->library);
	const char *slash = strrchr(library, '/');

	for (size_t i = 0; prefixes[i] != NULL; i++)
	{
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	library = slash == NULL ? library : slash + 1;
	return strncmp(library, "libmpi", 6) == 0 || strncmp(library, "libpmpi", 7) == 0;
}

/* ---- imbalance ---- */

static int
compare_imbalance(const void *x, const void *y)
{
	const PhImbalanceRow *a = x;
	const PhImbalanceRow *b = y;

	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The same cost in n columns from `column` on: what a node lacks is 0. */
static void
add_own(PhImbalanceRow *row, double own, uint32_t column, uint32_t n)
{
	if (n == 0)
		return;
	row->mean += own * n;
	if (column == 0 || own > row->max)
	{
		row->max = own;
		row->worst = column;
	}
}

static PhImbalanceRow
imbalance_of(const PhProfile *profile, uint32_t metric, uint32_t node)
{
	PhImbalanceRow row = {.node = node};
	PhRowWalk walk = ph_row_walk(profile, node);
	uint32_t at = 0;

	for (PhRowSpan span; ph_row_next(&walk, &span); at = span.first + span.n)
	{
		add_own(&row, 0, at, span.first - at);
		for (uint32_t i = 0; i < span.n; i++)
			add_own(&row, ph_profile_value(profile, metric, span.cell + i, PH_COST_EXCLUSIVE),
					span.first + i, 1);
	}
	add_own(&row, 0, at, profile->n_columns - at);
	row.mean /= profile->n_columns;
	row.lost = (row.max - row.mean) * profile->n_columns;
	row.imbalance_ratio = row.mean > 0 ? row.max / row.mean : 0;
	return row;
}

static PhImbalanceRow
imbalance_of_file(const PhProfile *profile, const PhGathered *gathered, uint32_t node)
{
	PhOverRanks over = ph_over_ranks(profile, gathered, node);

	return (PhImbalanceRow){.node = node,
							.mean = over.mean,
							.max = over.max,
							.imbalance_ratio = over.mean > 0 ? over.max / over.mean : 0,
							.lost = (over.max - over.mean) * PH_MAX(gathered->n_ranks, 1),
							.worst = PH_NONE};
}

static PhStatus
find_imbalance(PhArena *arena, PhRunReport *report)
{
	PhGathered gathered;
	const PhProfile *profile = report->profile;
	uint32_t mpi_end = 0; /* end of the subtree of the open outermost MPI node */
	PhImbalanceRow *rows;
	uint32_t n = 0;

	report->imbalance_of_file = ph_profile_gathered(profile, report->metric, &gathered);
	if ((profile->n_columns < 2 && !report->imbalance_of_file) ||
		profile->metrics[report->metric].kind != PH_METRIC_FLOW)
		return PH_OK;
	PH_TRY(PH_NEW(arena, profile->n_nodes, &rows));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (node >= mpi_end && ph_is_mpi(profile, node))
			mpi_end = profile->subtree_end[node];
		if (node < mpi_end)
			continue;
		rows[n] = report->imbalance_of_file ? imbalance_of_file(profile, &gathered, node)
											: imbalance_of(profile, report->metric, node);
		n += rows[n].lost > 0;
	}
	qsort(rows, n, sizeof(*rows), compare_imbalance);
	report->n_imbalance = PH_MIN(n, PH_REPORT_ROWS);
	memcpy(report->imbalance, rows, report->n_imbalance * sizeof(*rows));
	return PH_OK;
}

/* ---- MPI ---- */

/* An outermost MPI node; *cost is that of its function so far. */
static void
add_mpi_entry(PhRunReport *report, uint32_t node, double *cost)
{
	double inclusive = ph_profile_mean(report->profile, report->metric, node, PH_COST_INCLUSIVE);

	report->has_mpi = true;
	report->mpi += inclusive;
	*cost += inclusive;
	if (*cost > report->dearest_mpi_cost)
	{
		report->dearest_mpi_cost = *cost;
		report->dearest_mpi = node;
	}
}

/* vector[column] += sign * a node's inclusive value. */
static void
add_row(const PhProfile *profile, uint32_t metric, uint32_t node, double sign, double *vector)
{
	PhRowWalk walk = ph_row_walk(profile, node);

	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
			vector[span.first + i] +=
				sign * ph_profile_value(profile, metric, span.cell + i, PH_COST_INCLUSIVE);
}

/* *outside: per column the inclusive of the roots less that of the outermost MPI nodes. */
static PhStatus
measure_mpi(PhArena *arena, PhRunReport *report, double **outside)
{
	const PhProfile *profile = report->profile;
	uint32_t mpi_end = 0; /* end of the subtree of the open outermost MPI node */
	double *work;
	double *costs; /* of MPI entries by region */

	PH_TRY(PH_NEW(arena, profile->n_columns, &work));
	PH_TRY(PH_NEW(arena, profile->n_regions, &costs));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		bool is_root = profile->parent[node] == PH_NONE;
		bool is_outermost_mpi = node >= mpi_end && ph_is_mpi(profile, node);

		PH_TRY(ph_env_poll(arena->env));
		if (is_outermost_mpi)
		{
			mpi_end = profile->subtree_end[node];
			add_mpi_entry(report, node, &costs[profile->region[node]]);
		}
		if (is_root || is_outermost_mpi)
			add_row(profile, report->metric, node, (is_root ? 1 : 0) - (is_outermost_mpi ? 1 : 0),
					work);
	}
	*outside = work;
	return PH_OK;
}

/* ---- who works most ---- */

static int
compare_work(const void *x, const void *y)
{
	const PhWorkRow *a = x;
	const PhWorkRow *b = y;

	if (a->outside_mpi != b->outside_mpi)
		return a->outside_mpi > b->outside_mpi ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

static double
mean_of(const double *values, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += values[i];
	return n == 0 ? 0 : sum / n;
}

/* Sort, relate to the mean, keep the first few. */
static uint32_t
keep_worst(PhWorkRow *rows, uint32_t n, double mean, PhWorkRow kept[PH_REPORT_ROWS])
{
	uint32_t n_kept = PH_MIN(n, PH_REPORT_ROWS);

	qsort(rows, n, sizeof(*rows), compare_work);
	for (uint32_t i = 0; i < n_kept; i++)
	{
		kept[i] = rows[i];
		kept[i].above_mean = mean > 0 ? rows[i].outside_mpi / mean - 1 : 0;
	}
	return n_kept;
}

static PhStatus
rank_columns(PhArena *arena, PhRunReport *report, const double *outside)
{
	const PhProfile *profile = report->profile;
	PhWorkRow *rows;

	if (profile->n_columns < 2)
		return PH_OK;
	PH_TRY(PH_NEW(arena, profile->n_columns, &rows));
	for (uint32_t column = 0; column < profile->n_columns; column++)
		rows[column] =
			(PhWorkRow){.column = column, .n_columns = 1, .outside_mpi = outside[column]};
	report->n_ranks =
		keep_worst(rows, profile->n_columns, mean_of(outside, profile->n_columns), report->ranks);
	return PH_OK;
}

typedef struct HostColumn
{
	const char *host;
	uint32_t column;
} HostColumn;

static int
compare_host_columns(const void *x, const void *y)
{
	const HostColumn *a = x;
	const HostColumn *b = y;
	int order = strcmp(a->host, b->host);

	return order != 0 ? order : (a->column > b->column) - (a->column < b->column);
}

static PhStatus
rank_hosts(PhArena *arena, PhRunReport *report, const double *outside)
{
	const PhProfile *profile = report->profile;
	HostColumn *columns;
	PhWorkRow *rows;
	uint32_t n = 0;

	PH_TRY(PH_NEW(arena, profile->n_columns, &columns));
	PH_TRY(PH_NEW(arena, profile->n_columns, &rows));
	for (uint32_t c = 0; c < profile->n_columns; c++)
		columns[c] = (HostColumn){ph_profile_string(profile, profile->columns[c].host), c};
	qsort(columns, profile->n_columns, sizeof(*columns), compare_host_columns);
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		if (columns[i].host[0] == '\0')
			continue;
		if (n == 0 || i == 0 || strcmp(columns[i].host, columns[i - 1].host) != 0)
			rows[n++] = (PhWorkRow){.column = columns[i].column};
		rows[n - 1].n_columns++;
		rows[n - 1].outside_mpi += outside[columns[i].column];
	}
	for (uint32_t i = 0; i < n; i++)
		rows[i].outside_mpi /= rows[i].n_columns;
	if (n > 1)
		report->n_hosts = keep_worst(rows, n, mean_of(outside, profile->n_columns), report->hosts);
	return PH_OK;
}
