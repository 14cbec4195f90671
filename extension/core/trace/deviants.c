/*
 * deviants.c - see deviants.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/deviants.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/table.h"
#include "trace/time_profile.h"

/* A segment belongs to another one than the row's deviant that is so many times as far and this
 * much farther: ones about as far would only take turns. */
#define TAKES_OVER 2.0
#define FARTHER 0.05

/* What a location of the row did in a segment in one region. */
typedef struct Cell
{
	uint32_t member, segment, region;
	int64_t exclusive;
} Cell;

struct PhDeviants
{
	PhEnv *env;
	PhTimeBins parts;
	uint32_t row;
	PhTimeProfile *profile; /* of the location at hand; NULL: nothing yet */
	PH_VECTOR(Cell) cells;	/* of the row, by member and segment */
	PhIndices members;		/* locations of the row */
	PhIndices last;			/* by region: its last cell */
	PH_VECTOR(PhDeviant) found;
};

PhStatus
ph_deviants_new(PhEnv *env, const PhTimeBins *parts, PhDeviants **out)
{
	PhTimeProfile *probe;
	PhDeviants *deviants;
	PH_TRY(ph_time_profile_new(env, parts, &probe)); /* which checks them */
	ph_time_profile_free(probe);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*deviants), (void **) &deviants));
	deviants->env = env;
	deviants->parts = *parts;
	*out = deviants;
	return PH_OK;
}

void
ph_deviants_free(PhDeviants *deviants)
{
	if (deviants == NULL)
		return;
	PhEnv *env = deviants->env;
	ph_time_profile_free(deviants->profile);
	PH_VECTOR_FREE(env, &deviants->cells);
	PH_VECTOR_FREE(env, &deviants->members);
	PH_VECTOR_FREE(env, &deviants->last);
	PH_VECTOR_FREE(env, &deviants->found);
	ph_env_free(env, deviants, 1, sizeof(*deviants));
}

PhStatus
ph_deviants_add_chunk(PhDeviants *deviants, const PhChunk *chunk, const PhChunkReader *reader)
{
	if (deviants->profile == NULL)
		PH_TRY(ph_time_profile_new(deviants->env, &deviants->parts, &deviants->profile));
	return ph_time_profile_add_chunk(deviants->profile, chunk, reader);
}

/* Where segments of the row begin: so many parts before the window. */
static uint32_t
shift_of(const PhDeviants *deviants)
{
	return deviants->row * 5 % PH_DEVIANT_SEGMENT;
}

static uint32_t
segment_of(const PhDeviants *deviants, uint32_t part)
{
	return (part + shift_of(deviants)) / PH_DEVIANT_SEGMENT;
}

static uint32_t
count_segments(const PhDeviants *deviants)
{
	return segment_of(deviants, deviants->parts.n - 1) + 1;
}

/* The first part of a segment, or the end of the parts. */
static uint32_t
first_part(const PhDeviants *deviants, uint32_t segment)
{
	uint32_t shift = shift_of(deviants);
	uint32_t at = segment * PH_DEVIANT_SEGMENT;
	return PH_MIN(at > shift ? at - shift : 0, deviants->parts.n);
}

/* Adds a part's time to the member's cell of its segment and region; parts come in order. */
static PhStatus
add_time(PhDeviants *deviants, const PhTimeProfileRow *row)
{
	Cell cell = {deviants->members.count, segment_of(deviants, row->bin), row->region,
				 row->exclusive};
	while (deviants->last.count <= row->region)
		PH_TRY(ph_indices_add(deviants->env, &deviants->last, PH_NONE));
	uint32_t last = deviants->last.items[row->region];
	if (last < deviants->cells.count && deviants->cells.items[last].region == cell.region &&
		deviants->cells.items[last].member == cell.member &&
		deviants->cells.items[last].segment == cell.segment)
	{
		deviants->cells.items[last].exclusive += cell.exclusive;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(deviants->env, &deviants->cells));
	deviants->last.items[row->region] = deviants->cells.count;
	deviants->cells.items[deviants->cells.count++] = cell;
	return PH_OK;
}

PhStatus
ph_deviants_end_location(PhDeviants *deviants, uint32_t location)
{
	const PhTimeProfileRow *rows = NULL;
	size_t n = 0;
	if (deviants->profile != NULL)
		PH_TRY(ph_time_profile_rows(deviants->profile, &rows, &n));
	for (size_t i = 0; i < n; i++)
		PH_TRY(add_time(deviants, &rows[i]));
	ph_time_profile_free(deviants->profile);
	deviants->profile = NULL;
	if (n == 0)
		return PH_OK;
	return ph_indices_add(deviants->env, &deviants->members, location);
}

/* ---- a row is complete ---- */

/* Sums of a segment over the row, by region. */
typedef struct Means
{
	PhArena arena;
	PhMap places; /* (segment, region) to position in mean */
	double *mean; /* ns a location */
	uint32_t n, capacity;
	double *busy;	  /* by segment: the sum of its means */
	double *distance; /* by member and segment, 0 to 1 */
} Means;

static double
length_of(const PhDeviants *deviants, uint32_t segment)
{
	const PhTimeBins *parts = &deviants->parts;
	return (double) (ph_bin_start(parts, first_part(deviants, segment + 1)) -
					 ph_bin_start(parts, first_part(deviants, segment)));
}

static PhStatus
place_of(Means *means, const Cell *cell, uint32_t *out)
{
	uint32_t *place;
	PH_TRY(PH_GROW(&means->arena, &means->mean, means->n, &means->capacity));
	PH_TRY(ph_map_enter(&means->places, ph_map_key(cell->segment, cell->region), means->n, &place));
	if (*place == means->n)
		means->mean[means->n++] = 0;
	*out = *place;
	return PH_OK;
}

static PhStatus
find_means(const PhDeviants *deviants, Means *means)
{
	for (uint32_t i = 0; i < deviants->cells.count; i++)
	{
		const Cell *cell = &deviants->cells.items[i];
		double share = (double) cell->exclusive / deviants->members.count;
		uint32_t place;
		PH_TRY(ph_env_poll(deviants->env));
		PH_TRY(place_of(means, cell, &place));
		means->mean[place] += share;
		means->busy[cell->segment] += share;
	}
	return PH_OK;
}

/*
 * Distances: half of the sum over regions of |own - mean|, and of the same for the time outside of
 * calls. A region that a member does not have counts its mean, which all start with.
 */
static PhStatus
find_distances(const PhDeviants *deviants, Means *means)
{
	uint32_t n = count_segments(deviants);
	double *own;
	PH_TRY(PH_NEW(&means->arena, (size_t) deviants->members.count * n, &own));
	for (uint32_t m = 0; m < deviants->members.count; m++)
		for (uint32_t s = 0; s < n; s++)
			means->distance[(size_t) m * n + s] = means->busy[s];
	for (uint32_t i = 0; i < deviants->cells.count; i++)
	{
		const Cell *cell = &deviants->cells.items[i];
		size_t at = (size_t) cell->member * n + cell->segment;
		uint32_t place;
		PH_TRY(ph_env_poll(deviants->env));
		PH_TRY(place_of(means, cell, &place));
		means->distance[at] +=
			fabs((double) cell->exclusive - means->mean[place]) - means->mean[place];
		own[at] += (double) cell->exclusive;
	}
	for (size_t at = 0; at < (size_t) deviants->members.count * n; at++)
	{
		uint32_t s = (uint32_t) (at % n);
		double length = length_of(deviants, s);
		double moved = means->distance[at] + fabs(own[at] - means->busy[s]);
		means->distance[at] = length > 0 ? moved / (2 * length) : 0;
	}
	return PH_OK;
}

/* The member farthest over all segments, the first of equals. */
static uint32_t
farthest_of_all(const PhDeviants *deviants, const Means *means)
{
	uint32_t best = 0, n = count_segments(deviants);
	double most = -1;
	for (uint32_t m = 0; m < deviants->members.count; m++)
	{
		double sum = 0;
		for (uint32_t s = 0; s < n; s++)
			sum += means->distance[(size_t) m * n + s];
		if (sum <= most)
			continue;
		most = sum;
		best = m;
	}
	return best;
}

static uint32_t
farthest_in_segment(const PhDeviants *deviants, const Means *means, uint32_t usual, uint32_t s)
{
	uint32_t best = usual, n = count_segments(deviants);
	double limit = means->distance[(size_t) usual * n + s];
	limit = PH_MAX(TAKES_OVER * limit, limit + FARTHER);
	for (uint32_t m = 0; m < deviants->members.count; m++)
	{
		if (means->distance[(size_t) m * n + s] <= limit)
			continue;
		limit = means->distance[(size_t) m * n + s];
		best = m;
	}
	return best;
}

/* Segments next to each other with one deviant are one. */
static PhStatus
put_segment(PhDeviants *deviants, uint32_t location, uint32_t segment, double distance)
{
	uint32_t part = first_part(deviants, segment);
	uint32_t n = first_part(deviants, segment + 1) - part;
	PhDeviant *last =
		deviants->found.count > 0 ? &deviants->found.items[deviants->found.count - 1] : NULL;
	if (last != NULL && last->row == deviants->row && last->location == location &&
		last->part + last->n_parts == part)
	{
		last->n_parts += n;
		last->distance += (float) ((distance - last->distance) * n / last->n_parts);
		return PH_OK;
	}
	PH_TRY(PH_ROOM(deviants->env, &deviants->found));
	deviants->found.items[deviants->found.count++] =
		(PhDeviant){deviants->row, part, n, location, (float) distance};
	return PH_OK;
}

static PhStatus
put_row(PhDeviants *deviants, Means *means)
{
	uint32_t n = count_segments(deviants), usual;
	PH_TRY(PH_NEW(&means->arena, n, &means->busy));
	PH_TRY(PH_NEW(&means->arena, (size_t) deviants->members.count * n, &means->distance));
	PH_TRY(find_means(deviants, means));
	PH_TRY(find_distances(deviants, means));
	usual = farthest_of_all(deviants, means);
	for (uint32_t s = 0; s < n; s++)
	{
		uint32_t member = farthest_in_segment(deviants, means, usual, s);
		double distance = means->distance[(size_t) member * n + s];
		if (distance >= PH_LEAST_DEVIANCE)
			PH_TRY(put_segment(deviants, deviants->members.items[member], s, distance));
	}
	return PH_OK;
}

PhStatus
ph_deviants_end_row(PhDeviants *deviants)
{
	PhStatus status = PH_OK;
	Means means;
	memset(&means, 0, sizeof(means));
	ph_arena_init(&means.arena, deviants->env);
	ph_map_init(&means.places, &means.arena);
	if (deviants->members.count > 1)
		status = put_row(deviants, &means);
	ph_arena_drop(&means.arena);
	deviants->cells.count = deviants->members.count = 0;
	deviants->row++;
	return status;
}

const PhDeviant *
ph_deviants_result(const PhDeviants *deviants, uint32_t *count)
{
	*count = deviants->found.count;
	return deviants->found.items;
}
