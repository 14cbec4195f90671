/*
 * estimate.c - see estimate.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/estimate.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "profile/cells.h"
#include "profile/internal.h"
#include "trace/mpi_calls.h"

enum
{
	ESTIMATED_WAIT,
	ESTIMATED_CAUSED,
	N_ESTIMATES
};

static const char *const names[N_ESTIMATES] = {"estimated wait", "estimated wait caused"};

typedef struct Estimate
{
	PhEnv *env;
	PhArena arena;
	const PhProfile *profile;
	const double *time; /* exclusive, by cell */
	double *wait, *caused;
	double *excess; /* by column: of all call paths outside of MPI */
	double *share;	/* by column: of all waits */
} Estimate;

static PhMpiCall
call_of(const PhProfile *profile, uint32_t node)
{
	PhTraceRegion region = {.name = ph_profile_node_name(profile, node)};
	return ph_mpi_call(&region);
}

static bool
synchronises(const PhProfile *profile, uint32_t node)
{
	PhMpiCall call = call_of(profile, node);
	if ((call.does & PH_MPI_LATER) != 0)
		return (call.does & PH_MPI_COMPLETES) != 0;
	if ((call.does & PH_MPI_WINDOW) != 0)
		return call.operation != PH_EPOCH_POST;
	if ((call.does & PH_MPI_COLLECTIVE) != 0)
		return ph_collective_flow(call.operation) == PH_FLOW_ALL;
	return (call.does & (PH_MPI_RECEIVES | PH_MPI_COMPLETES)) != 0;
}

static bool
is_mpi(const PhProfile *profile, uint32_t node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	return call_of(profile, node).does != 0 ||
		   strcmp(ph_profile_string(profile, region->paradigm), "mpi") == 0 ||
		   strncmp(ph_profile_node_name(profile, node), "MPI_", 4) == 0;
}

/* How much longer a cell took than columns do on average; absent ones took no time. */
static double
excess_at(double time, double mean)
{
	return time > mean ? time - mean : 0;
}

static double
mean_of(const Estimate *estimate, const PhRow *row)
{
	return ph_row_total(row, estimate->time) / estimate->profile->n_columns;
}

static PhStatus
find_excess(Estimate *estimate)
{
	const PhProfile *profile = estimate->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		double mean = mean_of(estimate, &walk.row);
		PH_TRY(ph_env_poll(estimate->env));
		if (is_mpi(profile, node))
			continue;
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
				estimate->excess[span.first + i] += excess_at(estimate->time[span.cell + i], mean);
	}
	return PH_OK;
}

/* What is known of a call path in which columns wait. */
typedef struct Meeting
{
	double least, mean, waited;
	double excess;	   /* of the columns below the mean */
	size_t least_cell; /* the first with the least */
} Meeting;

static Meeting
survey_meeting(const Estimate *estimate, const PhRow *row)
{
	Meeting meeting = {.least = INFINITY, .mean = ph_row_total(row, estimate->time) / row->n};
	PhRowWalk walk = {*row, 0};
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
		{
			double time = estimate->time[span.cell + i];
			if (time < meeting.least)
			{
				meeting.least = time;
				meeting.least_cell = span.cell + i;
			}
			if (time < meeting.mean)
				meeting.excess += estimate->excess[span.first + i];
		}
	return meeting;
}

static void
share_meeting(Estimate *estimate, const PhRow *row, const Meeting *meeting)
{
	PhRowWalk walk = {*row, 0};
	if (!(meeting->excess > 0))
	{
		estimate->caused[meeting->least_cell] += meeting->waited;
		return;
	}
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
			if (estimate->time[span.cell + i] < meeting->mean)
				estimate->share[span.first + i] +=
					meeting->waited * (estimate->excess[span.first + i] / meeting->excess);
}

static PhStatus
find_waits(Estimate *estimate)
{
	const PhProfile *profile = estimate->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRow row = ph_profile_row(profile, node);
		PH_TRY(ph_env_poll(estimate->env));
		if (row.n < 2 || !synchronises(profile, node))
			continue;
		Meeting meeting = survey_meeting(estimate, &row);
		for (size_t cell = row.cell; cell < row.cell + row.n; cell++)
		{
			estimate->wait[cell] = estimate->time[cell] - meeting.least;
			meeting.waited += estimate->wait[cell];
		}
		if (meeting.waited > 0)
			share_meeting(estimate, &row, &meeting);
	}
	return PH_OK;
}

/* Each column's share goes to where it was longer than others. */
static PhStatus
place_causes(Estimate *estimate)
{
	const PhProfile *profile = estimate->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		double mean = mean_of(estimate, &walk.row);
		PH_TRY(ph_env_poll(estimate->env));
		if (is_mpi(profile, node))
			continue;
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
			{
				uint32_t column = span.first + i;
				double excess = excess_at(estimate->time[span.cell + i], mean);
				if (excess > 0)
					estimate->caused[span.cell + i] +=
						estimate->share[column] * (excess / estimate->excess[column]);
			}
	}
	return PH_OK;
}

/* ---- the profile ---- */

static PhStatus
add_up(Estimate *estimate, double *exclusive, double **inclusive)
{
	const PhProfile *profile = estimate->profile;
	size_t n = ph_profile_cells(profile);
	PH_TRY(PH_NEW(&estimate->arena, n, inclusive));
	if (n > 0)
		memcpy(*inclusive, exclusive, n * sizeof(*exclusive));
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		uint32_t parent = profile->parent[node];
		PH_TRY(ph_env_poll(estimate->env));
		if (parent == PH_NONE)
			continue;
		PhRow to = ph_profile_row(profile, parent), from = ph_profile_row(profile, node);
		ph_row_add_cells(&to, *inclusive, &from, *inclusive);
	}
	return PH_OK;
}

/* The profile's parts, with two strings and two metrics appended. */
static PhStatus
append_metrics(Estimate *estimate, uint32_t metric, PhProfile *draft)
{
	const PhProfile *profile = estimate->profile;
	double *exclusive[N_ESTIMATES] = {estimate->wait, estimate->caused};
	PH_TRY(PH_NEW(&estimate->arena, (size_t) profile->n_strings + N_ESTIMATES, &draft->strings));
	PH_TRY(PH_NEW(&estimate->arena, (size_t) profile->n_metrics + N_ESTIMATES, &draft->metrics));
	memcpy(draft->strings, profile->strings, profile->n_strings * sizeof(*profile->strings));
	memcpy(draft->metrics, profile->metrics, profile->n_metrics * sizeof(*profile->metrics));
	for (uint32_t i = 0; i < N_ESTIMATES; i++)
	{
		PhMetric added = {.name = draft->n_strings,
						  .unit = profile->metrics[metric].unit,
						  .kind = PH_METRIC_FLOW,
						  .exclusive = exclusive[i]};
		PH_TRY(add_up(estimate, exclusive[i], &added.inclusive));
		draft->strings[draft->n_strings++] = names[i];
		draft->metrics[draft->n_metrics++] = added;
	}
	draft->unfiltered = NULL; /* it has no such metrics */
	return PH_OK;
}

static PhStatus
make_estimate(Estimate *estimate, uint32_t metric, PhProfile **out)
{
	const PhProfile *profile = estimate->profile;
	PhProfile draft = *profile;
	size_t n_cells = ph_profile_cells(profile);
	PH_TRY(PH_NEW(&estimate->arena, n_cells, &estimate->wait));
	PH_TRY(PH_NEW(&estimate->arena, n_cells, &estimate->caused));
	PH_TRY(PH_NEW(&estimate->arena, profile->n_columns, &estimate->excess));
	PH_TRY(PH_NEW(&estimate->arena, profile->n_columns, &estimate->share));
	PH_TRY(find_excess(estimate));
	PH_TRY(find_waits(estimate));
	PH_TRY(place_causes(estimate));
	PH_TRY(append_metrics(estimate, metric, &draft));
	return ph_profile_copy(estimate->env, &draft, out);
}

static PhStatus
check_input(PhEnv *env, const PhProfile *profile, uint32_t metric)
{
	const PhMetric *its = &profile->metrics[metric];
	if (its->kind != PH_METRIC_FLOW)
		return ph_fail(env, PH_ERR_VALUE, "waits are estimated from a metric that adds up");
	if (profile->diff_status != NULL || its->is_signed)
		return ph_fail(env, PH_ERR_VALUE, "waits cannot be estimated from a difference");
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t i = 0; i < N_ESTIMATES; i++)
			if (strcmp(ph_profile_string(profile, profile->metrics[m].name), names[i]) == 0)
				return ph_fail(env, PH_ERR_CONFLICT, "the profile has a metric \"%s\" already",
							   names[i]);
	return PH_OK;
}

PhStatus
ph_profile_estimate_waits(PhEnv *env, const PhProfile *profile, uint32_t metric, PhProfile **out)
{
	Estimate estimate = {
		.env = env, .profile = profile, .time = profile->metrics[metric].exclusive};
	PH_TRY(check_input(env, profile, metric));
	ph_arena_init(&estimate.arena, env);
	PhStatus status = make_estimate(&estimate, metric, out);
	ph_arena_drop(&estimate.arena);
	return status;
}
