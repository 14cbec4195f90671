/*
 * shape.c - shapes of phases from their messages, and the best monotone alignment of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/clusters/shape.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"

/* Of the table of one alignment, in memory at once; longer sequences are aligned in parts. */
#define PH_MOST_CELLS (UINT64_C(1) << 24)

/* ----------------------------------------------------------------------------------------- shapes
 */

/* The messages of the phase at hand. */
typedef struct Gatherer
{
	const PhLogical *logical;
	PhPhaseShape *out;
	uint32_t *n_messages;		 /* by phase */
	uint64_t *pair;				 /* by message: lesser timeline, greater timeline, direction */
	uint32_t *order, *buffer;	 /* of messages */
	uint32_t *received, *degree; /* by timeline, zero between phases */
} Gatherer;

static int
compare_pairs(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *pairs = context;
	return pairs[x] < pairs[y] ? -1 : pairs[x] > pairs[y];
}

static uint32_t
n_members(const PhLogical *logical, uint32_t phase)
{
	return logical->first_member[phase + 1] - logical->first_member[phase];
}

/* Messages whose two ends are on two timelines, sent by one event. */
static void
list_pairs(Gatherer *gatherer, uint32_t event, uint32_t *n)
{
	const PhLogicalModel *model = gatherer->logical->model;
	if (model->kind[event] != PH_COMM_SEND)
		return;
	for (uint32_t k = model->first_end[event]; k < model->first_end[event + 1]; k++)
	{
		uint32_t to = model->receive_event[model->message_of_end[k]];
		if (to == PH_NONE || model->timeline[to] == model->timeline[event])
			continue;
		uint64_t x = model->timeline[event], y = model->timeline[to];
		gatherer->received[y]++;
		gatherer->order[*n] = *n;
		gatherer->pair[(*n)++] = x < y ? x << 32 | y << 1 : y << 32 | x << 1 | 1;
	}
}

/* Of sorted messages: pairs of timelines, and how many of these send both ways. */
static uint32_t
count_pairs(Gatherer *gatherer, uint32_t n, uint32_t *both_ways)
{
	uint32_t n_pairs = 0;
	*both_ways = 0;
	for (uint32_t i = 0, next; i < n; i = next)
	{
		uint64_t first = gatherer->pair[gatherer->order[i]], last = first;
		for (next = i; next < n && gatherer->pair[gatherer->order[next]] >> 1 == first >> 1; next++)
			last = gatherer->pair[gatherer->order[next]];
		gatherer->degree[first >> 32]++;
		gatherer->degree[(first & UINT32_MAX) >> 1]++;
		*both_ways += last != first;
		n_pairs++;
	}
	return n_pairs;
}

static uint32_t
operation_of(const PhLogicalModel *model, uint32_t event)
{
	uint32_t collective = model->collective[event];
	if (model->kind[event] != PH_COMM_COLLECTIVE || collective == PH_NONE)
		return 0;
	return UINT32_C(1) << model->operation[collective] % 32;
}

static uint8_t
kind_of(uint32_t members, uint32_t pairs, uint32_t both_ways, uint32_t degree, bool collective)
{
	if (members < 2 || (pairs == 0 && !collective))
		return PH_SHAPE_LONE;
	bool tree = pairs < members && (2 * both_ways < pairs || degree > 2);
	return pairs == 0 || tree ? PH_SHAPE_COLLECTIVE : PH_SHAPE_EXCHANGE;
}

/*
 * The shape of a phase but for its share of timelines: messages, partners and receives of its
 * members, and which kind it is. Leaves received and degree zero for the next phase.
 */
static PhStatus
find_shape(PhEnv *env, Gatherer *gatherer, uint32_t phase)
{
	const PhLogical *logical = gatherer->logical;
	uint32_t members = n_members(logical, phase), n = 0, both_ways, received = 0, degree = 0;
	uint32_t operations = 0;
	bool collective = false;
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
		for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++)
		{
			PH_TRY(ph_env_poll(env));
			collective = collective || logical->model->kind[e] == PH_COMM_COLLECTIVE;
			operations |= operation_of(logical->model, e);
			list_pairs(gatherer, e, &n);
		}
	PH_TRY(ph_sort(env, gatherer->order, n, gatherer->buffer, compare_pairs, gatherer->pair));
	uint32_t pairs = count_pairs(gatherer, n, &both_ways);
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
	{
		uint32_t t = logical->model->timeline[logical->member_first[i]];
		received = PH_MAX(gatherer->received[t], received);
		degree = PH_MAX(gatherer->degree[t], degree);
		gatherer->received[t] = gatherer->degree[t] = 0;
	}
	gatherer->n_messages[phase] = n;
	gatherer->out[phase] =
		(PhPhaseShape){.kind = kind_of(members, pairs, both_ways, degree, collective),
					   .messages = members == 0 ? 0 : (double) n / members,
					   .partners = members == 0 ? 0 : 2.0 * pairs / members,
					   .received = received,
					   .both_ways = pairs == 0 ? 0 : (double) both_ways / pairs,
					   .operations = operations};
	return PH_OK;
}

/*
 * Sets each phase's number of timelines in parts of all. How many are "all" is not the number of
 * timelines, as runs of tasks have timelines of the run time: it is the number of members of the
 * phase with the most messages (the first of equals).
 */
static void
relate_timelines(const Gatherer *gatherer)
{
	const PhLogical *logical = gatherer->logical;
	uint32_t all = logical->model->n_timelines, most = 0;
	for (uint32_t p = 0; p < logical->n_phases; p++)
		if (gatherer->n_messages[p] > most)
		{
			most = gatherer->n_messages[p];
			all = n_members(logical, p);
		}
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		uint32_t members = n_members(logical, p);
		gatherer->out[p].timelines = members < all ? (double) members / all : 1;
	}
}

static void
set_relative(PhPhaseShape *shape, const PhPhaseShape *most)
{
	shape->relative[0] = most->messages == 0 ? 0 : shape->messages / most->messages;
	shape->relative[1] = most->partners == 0 ? 0 : shape->partners / most->partners;
	shape->relative[2] = most->received == 0 ? 0 : shape->received / most->received;
}

/* Sizes of exchanges in parts of the greatest that any exchange of the run has. */
static void
relate_sizes(const Gatherer *gatherer)
{
	PhPhaseShape most = {.kind = PH_SHAPE_EXCHANGE};
	for (uint32_t p = 0; p < gatherer->logical->n_phases; p++)
	{
		const PhPhaseShape *shape = &gatherer->out[p];
		if (shape->kind != PH_SHAPE_EXCHANGE)
			continue;
		most.messages = PH_MAX(shape->messages, most.messages);
		most.partners = PH_MAX(shape->partners, most.partners);
		most.received = PH_MAX(shape->received, most.received);
	}
	for (uint32_t p = 0; p < gatherer->logical->n_phases; p++)
		set_relative(&gatherer->out[p], &most);
}

static PhStatus
find_shapes(PhArena *arena, Gatherer *gatherer)
{
	const PhLogicalModel *model = gatherer->logical->model;
	PH_TRY(PH_NEW(arena, gatherer->logical->n_phases, &gatherer->n_messages));
	PH_TRY(PH_NEW(arena, model->n_messages, &gatherer->pair));
	PH_TRY(PH_NEW(arena, model->n_messages, &gatherer->order));
	PH_TRY(PH_NEW(arena, model->n_messages, &gatherer->buffer));
	PH_TRY(PH_NEW(arena, model->n_timelines, &gatherer->received));
	PH_TRY(PH_NEW(arena, model->n_timelines, &gatherer->degree));
	for (uint32_t p = 0; p < gatherer->logical->n_phases; p++)
		PH_TRY(find_shape(arena->env, gatherer, p));
	relate_timelines(gatherer);
	relate_sizes(gatherer);
	return PH_OK;
}

PhStatus
ph_phase_shapes(PhEnv *env, const PhLogical *logical, PhPhaseShape *out)
{
	PhArena arena;
	Gatherer gatherer = {.logical = logical, .out = out};
	ph_arena_init(&arena, env);
	PhStatus status = find_shapes(&arena, &gatherer);
	ph_arena_drop(&arena);
	return status;
}

/* The phases of one class, and the sums of what those of each kind have. */
typedef struct ClassShape
{
	uint32_t n_of[PH_SHAPE_EXCHANGE + 1];
	PhPhaseShape sum[PH_SHAPE_EXCHANGE + 1];
} ClassShape;

static void
add_shape(ClassShape *class, const PhPhaseShape *shape)
{
	PhPhaseShape *sum = &class->sum[shape->kind];
	class->n_of[shape->kind]++;
	sum->timelines += shape->timelines;
	sum->messages += shape->messages;
	sum->partners += shape->partners;
	sum->received += shape->received;
	sum->both_ways += shape->both_ways;
	for (int i = 0; i < PH_SHAPE_SIZES; i++)
		sum->relative[i] += shape->relative[i];
	sum->operations |= shape->operations;
}

static PhPhaseShape
mean_shape(const ClassShape *class)
{
	uint8_t kind = PH_SHAPE_LONE;
	for (uint8_t k = 1; k <= PH_SHAPE_EXCHANGE; k++)
		kind = class->n_of[k] > class->n_of[kind] ? k : kind;
	PhPhaseShape mean = class->sum[kind];
	double n = class->n_of[kind];
	mean.kind = kind;
	mean.timelines /= n;
	mean.messages /= n;
	mean.partners /= n;
	mean.received /= n;
	mean.both_ways /= n;
	for (int i = 0; i < PH_SHAPE_SIZES; i++)
		mean.relative[i] /= n;
	return mean;
}

static PhStatus
average_classes(PhArena *arena, uint32_t n, const uint64_t *identities, PhPhaseShape *shapes)
{
	ClassShape *classes;
	uint32_t *class_of, *place;
	PhMap known;
	ph_map_init(&known, arena);
	PH_TRY(PH_NEW(arena, n, &classes));
	PH_TRY(PH_NEW(arena, n, &class_of));
	for (uint32_t p = 0; p < n; p++)
	{
		PH_TRY(ph_env_poll_at(arena->env, p));
		PH_TRY(ph_map_enter(&known, identities[p], known.count, &place));
		class_of[p] = *place;
		add_shape(&classes[class_of[p]], &shapes[p]);
	}
	for (uint32_t p = 0; p < n; p++)
		shapes[p] = mean_shape(&classes[class_of[p]]);
	return PH_OK;
}

PhStatus
ph_shapes_of_classes(PhEnv *env, uint32_t n, const uint64_t *identities, PhPhaseShape *shapes)
{
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = average_classes(&arena, n, identities, shapes);
	ph_arena_drop(&arena);
	return status;
}

/* The lesser of two sizes in parts of the greater. */
static double
ratio(double x, double y)
{
	if (x == y)
		return 1;
	return x < y ? x / y : y / x;
}

static double
size_similarity(const PhPhaseShape *a, const PhPhaseShape *b)
{
	double sizes = ratio(a->messages, b->messages) + ratio(a->partners, b->partners) +
				   ratio(a->received, b->received);
	double relative = 0;
	for (int i = 0; i < PH_SHAPE_SIZES; i++)
		relative += ratio(a->relative[i], b->relative[i]);
	return PH_MAX(sizes, relative) / PH_SHAPE_SIZES;
}

uint32_t
ph_shape_similarity(const PhPhaseShape *a, const PhPhaseShape *b)
{
	bool other_operations =
		a->operations != 0 && b->operations != 0 && (a->operations & b->operations) == 0;
	if (a->kind != b->kind || a->kind == PH_SHAPE_LONE || other_operations)
		return 0;
	double alike = ratio(a->timelines, b->timelines);
	if (a->kind == PH_SHAPE_EXCHANGE)
	{
		double change = a->both_ways - b->both_ways;
		alike *= 1 - (change < 0 ? -change : change);
		alike *= size_similarity(a, b);
	}
	uint32_t thousandths = (uint32_t) (alike * 1000 + 0.5);
	return thousandths < PH_LEAST_SIMILARITY ? 0 : thousandths;
}

/* -------------------------------------------------------------------------------------- alignment
 */

/* Parts of both sequences; best[i * (m + 1) + j]: of what is left from the i-th and j-th on. */
typedef struct Part
{
	const PhPhaseShape *a, *b;
	uint32_t n, m;
	uint32_t *best;
} Part;

static uint32_t *
best_from(const Part *part, uint32_t i, uint32_t j)
{
	return &part->best[(size_t) i * (part->m + 1) + j];
}

static PhStatus
fill_best(PhEnv *env, Part *part)
{
	for (uint32_t i = part->n; i-- > 0;)
		for (uint32_t j = part->m; j-- > 0;)
		{
			uint32_t skip_a = *best_from(part, i + 1, j), skip_b = *best_from(part, i, j + 1);
			uint32_t skip = PH_MAX(skip_a, skip_b);
			uint32_t pair = ph_shape_similarity(&part->a[i], &part->b[j]);
			pair += *best_from(part, i + 1, j + 1);
			PH_TRY(ph_env_poll(env));
			*best_from(part, i, j) = PH_MAX(pair, skip);
		}
	return PH_OK;
}

/* Whether the best alignment from here on may begin with this pair. */
static bool
is_best_pair(const Part *part, uint32_t i, uint32_t j, uint32_t best)
{
	uint32_t alike = ph_shape_similarity(&part->a[i], &part->b[j]);
	return alike > 0 && alike + *best_from(part, i + 1, j + 1) == best;
}

/* The next pair: with the fewest phases skipped before it, then the fewest of a. */
static PhStatus
find_next(PhEnv *env, const Part *part, uint32_t *i, uint32_t *j)
{
	uint32_t best = *best_from(part, *i, *j);
	for (uint32_t skipped = 0; skipped <= part->n + part->m; skipped++)
		for (uint32_t k = 0; k <= skipped && *i + k < part->n; k++)
		{
			PH_TRY(ph_env_poll(env));
			uint32_t x = *i + k, y = *j + (skipped - k);
			if (y < part->m && is_best_pair(part, x, y, best))
			{
				*i = x;
				*j = y;
				return PH_OK;
			}
		}
	*i = part->n;
	return PH_OK;
}

static PhStatus
align_part(PhEnv *env, Part *part, uint32_t base, uint32_t *partner)
{
	PH_TRY(fill_best(env, part));
	uint32_t i = 0, j = 0;
	while (i < part->n && j<part->m && * best_from(part, i, j)> 0)
	{
		PH_TRY(find_next(env, part, &i, &j));
		if (i < part->n)
			partner[i++] = base + j++;
	}
	return PH_OK;
}

PhStatus
ph_align_shapes(PhEnv *env, const PhPhaseShape *a, uint32_t n, const PhPhaseShape *b, uint32_t m,
				uint32_t *partner)
{
	uint64_t parts = 1;
	PhStatus status = PH_OK;
	for (uint32_t i = 0; i < n; i++)
		partner[i] = PH_NONE;
	while ((n / parts + 2) * (m / parts + 2) > PH_MOST_CELLS && parts < n)
		parts++;
	for (uint64_t k = 0; status == PH_OK && k < parts; k++)
	{
		uint32_t i = (uint32_t) (n * k / parts), j = (uint32_t) (m * k / parts);
		Part part = {.a = a + i,
					 .b = b + j,
					 .n = (uint32_t) (n * (k + 1) / parts) - i,
					 .m = (uint32_t) (m * (k + 1) / parts) - j};
		PhArena arena;
		ph_arena_init(&arena, env);
		status = PH_NEW(&arena, ((size_t) part.n + 1) * (part.m + 1), &part.best);
		if (status == PH_OK)
			status = align_part(env, &part, j, partner + i);
		ph_arena_drop(&arena);
	}
	return status;
}
