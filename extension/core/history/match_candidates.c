/*
 * match_candidates.c - scores of pairs of nodes, and the best of each node.
 *
 * Nodes of a are taken in pre-order: the candidates of a node's caller are known before its own.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "history/match_candidates.h"

#include <math.h>
#include <string.h>

#include "history/match_internal.h"
#include "profile/ops.h"

/* Of the mean of evidence (docs/design/supergraph.md 5). The name says most; weights are chosen. */
#define WEIGHT_NAME 4.0
#define WEIGHT_PARENT 2.0
#define WEIGHT_CHILDREN 1.5
#define WEIGHT_COST 1.5
#define WEIGHT_PLACE 1.0
#define SAME_LAST_PART 0.7 /* files and libraries that only moved */
#define LINES_APART 100.0  /* from here on lines have nothing in common */
#define CALLEES_MAX 256	   /* different names that are looked at */

/* ---- evidence ---- */

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* NaN when one of the two is not known. */
static double
path_likeness(const char *a, const char *b)
{
	if (a[0] == '\0' || b[0] == '\0')
		return NAN;
	if (strcmp(a, b) == 0)
		return 1;
	return strcmp(last_part(a), last_part(b)) == 0 ? SAME_LAST_PART : 0;
}

static double
place_likeness(const PhProfile *a, const PhRegion *x, const PhProfile *b, const PhRegion *y)
{
	double known[3] = {path_likeness(a->strings[x->library], b->strings[y->library]),
					   path_likeness(a->strings[x->file], b->strings[y->file]), NAN};
	double sum = 0;
	int n = 0;
	if (known[1] > 0 && x->line != PH_NO_NUMBER && y->line != PH_NO_NUMBER)
		known[2] = 1 - fmin(fabs((double) x->line - y->line), LINES_APART) / LINES_APART;
	for (int i = 0; i < 3; i++)
		if (!isnan(known[i]))
		{
			sum += known[i];
			n++;
		}
	return n > 0 ? sum / n : NAN;
}

static int
compare_callee(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y)
{
	const PhRegion *r = ph_profile_region(a, x), *s = ph_profile_region(b, y);
	if (r->kind != s->kind)
		return r->kind < s->kind ? -1 : 1;
	return strcmp(a->strings[r->name], b->strings[s->name]);
}

/* Callees stand in the order of kind and name, so one walk along both lists counts equal names. */
static double
children_likeness(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y)
{
	uint32_t i = x + 1, j = y + 1, all = 0, common = 0;
	while (all < CALLEES_MAX && (i < a->subtree_end[x] || j < b->subtree_end[y]))
	{
		int order = 0;
		if (i >= a->subtree_end[x])
			order = 1;
		else if (j >= b->subtree_end[y])
			order = -1;
		else
			order = compare_callee(a, i, b, j);
		all++;
		common += order == 0 ? 1 : 0;
		i = order <= 0 ? a->subtree_end[i] : i;
		j = order >= 0 ? b->subtree_end[j] : j;
	}
	return all > 0 ? (double) common / all : NAN;
}

static double
cost_likeness(double a, double b)
{
	double larger = fmax(fabs(a), fabs(b));
	if (isnan(a) || isnan(b) || larger == 0)
		return NAN;
	return (a < 0) != (b < 0) ? 0 : fmin(fabs(a), fabs(b)) / larger;
}

static double
parent_likeness(const PhMatch *match, uint32_t x, uint32_t y)
{
	uint32_t above_x = match->a.profile->parent[x], above_y = match->b.profile->parent[y];
	if (above_x == PH_NONE || above_y == PH_NONE)
		return above_x == above_y;
	if (match->a.partner[above_x] != PH_NONE)
		return match->a.partner[above_x] == above_y;
	uint32_t index = match->index_a[above_x];
	const PhCandidate *kept = match->kept + (size_t) index * PH_MATCH_KEPT;
	for (uint32_t i = 0; i < match->n_kept[index]; i++)
		if (kept[i].candidate == above_y)
			return kept[i].score;
	return 0;
}

static void
weigh(double weight, double evidence, double *sum, double *weights)
{
	if (isnan(evidence))
		return;
	*sum += weight * evidence;
	*weights += weight;
}

/*
 * The weighted mean of what is known of a pair; unknown evidence (NaN) has no weight. Whether their
 * callers are a kept pair must be known: nodes are scored in pre-order.
 */
static PhCandidate
score_pair(const PhMatch *match, uint32_t x, uint32_t y)
{
	const PhProfile *a = match->a.profile, *b = match->b.profile;
	const PhRegion *r = ph_profile_region(a, x), *s = ph_profile_region(b, y);
	double sum = 0, weights = 0;
	PhCandidate pair = {.node = x, .candidate = y};
	pair.name = ph_name_likeness(a->strings[r->name], &match->a.core[a->region[x]],
								 b->strings[s->name], &match->b.core[b->region[y]]);
	pair.parent = parent_likeness(match, x, y);
	pair.children = children_likeness(a, x, b, y);
	pair.cost = cost_likeness(match->a.share[x], match->b.share[y]);
	pair.place = place_likeness(a, r, b, s);
	weigh(WEIGHT_NAME, pair.name, &sum, &weights);
	weigh(WEIGHT_PARENT, pair.parent, &sum, &weights);
	weigh(WEIGHT_CHILDREN, pair.children, &sum, &weights);
	weigh(WEIGHT_COST, pair.cost, &sum, &weights);
	weigh(WEIGHT_PLACE, pair.place, &sum, &weights);
	pair.score = sum / weights;
	return pair;
}

/* ---- the best ones ---- */

/* Into the sorted list of those kept, unless they are all better. Pairs come by candidate. */
static void
keep_pair(PhCandidate *kept, uint32_t *n, const PhCandidate *pair)
{
	uint32_t at = *n;
	while (at > 0 && kept[at - 1].score < pair->score)
		at--;
	if (at == PH_MATCH_KEPT)
		return;
	*n += *n < PH_MATCH_KEPT ? 1 : 0;
	memmove(kept + at + 1, kept + at, (*n - at - 1) * sizeof(*kept));
	kept[at] = *pair;
}

static PhStatus
find_best(PhMatch *match, PhMatchBlocks *blocks, uint32_t index)
{
	const PhProfile *a = match->a.profile, *b = match->b.profile;
	uint32_t x = match->a.nodes[index], n;
	const uint32_t *met;
	PH_TRY(ph_match_meet(match, blocks, index, &met, &n));
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(match->scratch.env));
		if (ph_profile_region(a, x)->kind != ph_profile_region(b, met[i])->kind)
			continue;
		PhCandidate pair = score_pair(match, x, met[i]);
		keep_pair(match->kept + (size_t) index * PH_MATCH_KEPT, &match->n_kept[index], &pair);
	}
	return PH_OK;
}

/* ---- the two sides ---- */

static PhStatus
prepare_side(PhArena *scratch, PhMatchSide *side, const PhProfile *profile, const PhProfile *other,
			 uint32_t metric)
{
	uint32_t n = profile->n_nodes;
	double total = ph_profile_total(profile, metric);
	side->profile = profile;
	PH_TRY(PH_NEW(scratch, n, &side->partner));
	PH_TRY(PH_NEW(scratch, n, &side->nodes));
	PH_TRY(PH_NEW(scratch, n, &side->share));
	PH_TRY(PH_NEW(scratch, profile->n_regions, &side->core));
	PH_TRY(ph_profile_pair_nodes(scratch->env, profile, other, side->partner));
	for (uint32_t node = 0; node < n; node++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		double cost = ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE);
		side->share[node] = total != 0 ? cost / total : NAN;
		if (side->partner[node] == PH_NONE)
			side->nodes[side->n++] = node;
	}
	for (uint32_t region = 0; region < profile->n_regions; region++)
		ph_core_name(profile->strings[profile->regions[region].name], &side->core[region]);
	return PH_OK;
}

static PhStatus
prepare(PhMatch *match, const PhProfile *a, const PhProfile *b, const PhMatchOptions *options)
{
	PhArena *scratch = &match->scratch;
	PH_TRY(prepare_side(scratch, &match->a, a, b, options->metric_a));
	PH_TRY(prepare_side(scratch, &match->b, b, a, options->metric_b));
	PH_TRY(PH_NEW(scratch, (size_t) match->a.n * PH_MATCH_KEPT, &match->kept));
	PH_TRY(PH_NEW(scratch, match->a.n, &match->n_kept));
	PH_TRY(PH_NEW(scratch, a->n_nodes, &match->index_a));
	for (uint32_t i = 0; i < match->a.n; i++)
		match->index_a[match->a.nodes[i]] = i;
	return PH_OK;
}

static PhStatus
take_result(const PhMatch *match, const PhMatchOptions *options, PhCandidate **out, uint32_t *n)
{
	PhCandidate *rows;
	uint32_t count = 0;
	PH_TRY(PH_NEW(match->arena, (size_t) match->a.n * PH_MATCH_KEPT, &rows));
	for (uint32_t index = 0; index < match->a.n; index++)
		for (uint32_t i = 0; i < match->n_kept[index] && i < options->most; i++)
		{
			const PhCandidate *kept = &match->kept[(size_t) index * PH_MATCH_KEPT + i];
			if (kept->score < options->min_score)
				break;
			rows[count] = *kept;
			rows[count++].rank = i + 1;
		}
	*out = rows;
	*n = count;
	return PH_OK;
}

static PhStatus
find_all(PhMatch *match, const PhProfile *a, const PhProfile *b, const PhMatchOptions *options,
		 PhCandidate **out, uint32_t *n)
{
	PhMatchBlocks *blocks;
	PH_TRY(prepare(match, a, b, options));
	PH_TRY(ph_match_blocks(match, &blocks));
	for (uint32_t index = 0; index < match->a.n; index++)
		PH_TRY(find_best(match, blocks, index));
	return take_result(match, options, out, n);
}

PhStatus
ph_match_candidates(PhArena *arena, const PhProfile *a, const PhProfile *b,
					const PhMatchOptions *options, PhCandidate **out, uint32_t *n, uint32_t *only_a)
{
	PhMatch match = {.arena = arena};
	if (!(options->min_score >= 0 && options->min_score <= 1))
		return ph_fail(arena->env, PH_ERR_VALUE, "a score is between 0 and 1, not %g",
					   options->min_score);
	if (options->most < 1 || options->most > PH_MATCH_KEPT)
		return ph_fail(arena->env, PH_ERR_VALUE,
					   "%u candidates of a node were asked for: 1 to %d are kept", options->most,
					   PH_MATCH_KEPT);
	ph_arena_init(&match.scratch, arena->env);
	PhStatus status = find_all(&match, a, b, options, out, n);
	*only_a = match.a.n;
	ph_arena_drop(&match.scratch);
	return status;
}
