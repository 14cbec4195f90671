/*
 * supergraph.c - see supergraph.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/supergraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST FOREST_MOST_NODES

bool
nearly(double x, double y)
{
	return fabs(x - y) <= 1e-9 * fmax(1, fmax(fabs(x), fabs(y)));
}

/* ---- the plain graph ---- */

static bool
same_region(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y)
{
	return ph_region_compare(a, ph_profile_region(a, x), b, ph_profile_region(b, y)) == 0;
}

/* The first node of the unfiltered profile that became this node. */
static uint32_t
origin_of(const PhProfile *profile, uint32_t wanted)
{
	static uint32_t image[MOST];
	const PhProfile *whole = profile->unfiltered;
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		uint32_t above = whole->parent[node] == PH_NONE ? PH_NONE : image[whole->parent[node]];
		image[node] = above;
		for (uint32_t child = 0; child < profile->n_nodes; child++)
			if (profile->parent[child] == above && same_region(whole, node, profile, child))
				image[node] = child;
		if (image[node] == wanted)
			return node;
	}
	return PH_NONE;
}

static const char *
label_of(const PhProfile *profile, uint32_t node)
{
	const char *library = profile->strings[ph_profile_region(profile, node)->library];
	if (library[0] == '\0' && profile->unfiltered != NULL)
		return label_of(profile->unfiltered, origin_of(profile, node));
	for (; node != PH_NONE; node = profile->parent[node])
	{
		library = profile->strings[ph_profile_region(profile, node)->library];
		if (library[0] != '\0')
			return strrchr(library, '/') == NULL ? library : strrchr(library, '/') + 1;
	}
	return "<unknown>";
}

static void
cut(const PhProfile *profile, PlainGraph *g)
{
	g->n_segments = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		const char *label = label_of(profile, node);
		if (parent != PH_NONE && strcmp(label, label_of(profile, parent)) == 0)
		{
			g->segment_of[node] = g->segment_of[parent];
			continue;
		}
		g->segment_of[node] = g->n_segments;
		g->entry[g->n_segments] = node;
		g->parent[g->n_segments] = parent == PH_NONE ? PH_NONE : g->segment_of[parent];
		g->label_of[g->n_segments++] = label;
	}
}

static bool
reaches(bool edge[MOST][MOST], uint32_t n, uint32_t from, uint32_t to)
{
	bool seen[MOST] = {false};
	uint32_t stack[MOST];
	uint32_t depth = 0;
	stack[depth++] = from;
	seen[from] = true;
	while (depth > 0)
	{
		uint32_t at = stack[--depth];
		if (at == to)
			return true;
		for (uint32_t next = 0; next < n; next++)
			if (edge[at][next] && !seen[next])
			{
				seen[next] = true;
				stack[depth++] = next;
			}
	}
	return false;
}

typedef struct Pair
{
	const char *from, *to;
	uint32_t from_number, to_number;
	double weight;
	bool back;
} Pair;

static int
compare_pairs(const void *x, const void *y)
{
	const Pair *a = x, *b = y;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	int order = strcmp(a->from, b->from);
	return order != 0 ? order : strcmp(a->to, b->to);
}

static uint32_t
number_of(const char **known, uint32_t *n, const char *label)
{
	for (uint32_t i = 0; i < *n; i++)
		if (strcmp(known[i], label) == 0)
			return i;
	known[(*n)++] = label;
	return *n - 1;
}

static Pair *
find_pair(Pair *pairs, uint32_t n, const char *from, const char *to)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(pairs[i].from, from) == 0 && strcmp(pairs[i].to, to) == 0)
			return &pairs[i];
	return NULL;
}

/* All pairs, back ones marked, heaviest first. */
static uint32_t
judge_pairs(const PhProfile *profile, const PlainGraph *g, Pair *pairs)
{
	static bool edge[MOST][MOST];
	const char *known[MOST];
	uint32_t n_known = 0, n = 0;
	memset(edge, 0, sizeof(edge));
	for (uint32_t s = 0; s < g->n_segments; s++)
	{
		if (g->parent[s] == PH_NONE)
			continue;
		const char *from = g->label_of[g->parent[s]];
		Pair *pair = find_pair(pairs, n, from, g->label_of[s]);
		if (pair == NULL)
		{
			pair = &pairs[n++];
			*pair = (Pair){from, g->label_of[s], 0, 0, 0, false};
			pair->from_number = number_of(known, &n_known, from);
			pair->to_number = number_of(known, &n_known, g->label_of[s]);
		}
		pair->weight += ph_profile_mean(profile, 0, g->entry[s], PH_COST_INCLUSIVE);
	}
	qsort(pairs, n, sizeof(*pairs), compare_pairs);
	for (uint32_t i = 0; i < n; i++)
	{
		pairs[i].back = reaches(edge, n_known, pairs[i].to_number, pairs[i].from_number);
		if (!pairs[i].back)
			edge[pairs[i].from_number][pairs[i].to_number] = true;
	}
	return n;
}

/* The next segment to place: not placed, its parent placed, least by (back, -weight, number). */
static uint32_t
choose(const PhProfile *profile, const PlainGraph *g, const uint32_t *n_back)
{
	uint32_t best = PH_NONE;
	double best_weight = 0;
	for (uint32_t s = 0; s < g->n_segments; s++)
	{
		bool ready = g->parent[s] == PH_NONE || g->supernode[g->parent[s]] != PH_NONE;
		if (g->supernode[s] != PH_NONE || !ready)
			continue;
		double weight = ph_profile_mean(profile, 0, g->entry[s], PH_COST_INCLUSIVE);
		if (best == PH_NONE || n_back[s] < n_back[best] ||
			(n_back[s] == n_back[best] && weight > best_weight))
		{
			best = s;
			best_weight = weight;
		}
	}
	return best;
}

static uint32_t
place_one(PlainGraph *g, bool edge[MOST][MOST], uint32_t s)
{
	const char *label = g->label_of[s];
	uint32_t caller = g->parent[s] == PH_NONE ? PH_NONE : g->supernode[g->parent[s]];
	uint32_t same = 0;
	for (uint32_t v = 0; caller != PH_NONE && v < g->n_supernodes; v++)
		if (edge[caller][v] && strcmp(g->labels[v], label) == 0)
			return v;
	for (uint32_t v = 0; v < g->n_supernodes; v++)
	{
		if (strcmp(g->labels[v], label) != 0)
			continue;
		same++;
		if (caller == PH_NONE || !reaches(edge, g->n_supernodes, v, caller))
			return v;
	}
	uint32_t made = g->n_supernodes++;
	g->labels[made] = label;
	g->indices[made] = same;
	snprintf(g->names[made], sizeof(g->names[made]), same > 0 ? "%s#%u" : "%s", label, same);
	return made;
}

void
plain_supergraph(const PhProfile *profile, PlainGraph *g)
{
	static bool edge[MOST][MOST];
	static Pair pairs[MOST];
	uint32_t n_back[MOST];
	memset(edge, 0, sizeof(edge));
	cut(profile, g);
	uint32_t n_pairs = judge_pairs(profile, g, pairs);
	for (uint32_t s = 0; s < g->n_segments; s++)
	{
		uint32_t p = g->parent[s];
		g->supernode[s] = PH_NONE;
		n_back[s] = 0;
		if (p != PH_NONE && find_pair(pairs, n_pairs, g->label_of[p], g->label_of[s])->back)
			n_back[s] = n_back[p] + 1;
		else if (p != PH_NONE)
			n_back[s] = n_back[p];
	}
	g->n_supernodes = 0;
	for (uint32_t s; (s = choose(profile, g, n_back)) != PH_NONE;)
	{
		g->supernode[s] = place_one(g, edge, s);
		if (g->parent[s] != PH_NONE)
			edge[g->supernode[g->parent[s]]][g->supernode[s]] = true;
	}
}

const char *
compare_with_plain(const PhSupergraph *graph, const PlainGraph *plain)
{
	if (graph->n_segments != plain->n_segments)
		return "number of segments";
	if (graph->n_supernodes != plain->n_supernodes)
		return "number of supernodes";
	for (uint32_t node = 0; node < graph->profile->n_nodes; node++)
	{
		const PhSegment *segment = &graph->segments[graph->segment_of[node]];
		const PhSupernode *supernode = &graph->supernodes[segment->supernode];
		uint32_t s = plain->segment_of[node];
		uint32_t v = plain->supernode[s];
		if (segment->entry != plain->entry[s])
			return "segments";
		if (strcmp(supernode->name, plain->names[v]) != 0)
			return "supernode of a node";
		if (strcmp(supernode->label, plain->labels[v]) != 0 ||
			supernode->duplicate != plain->indices[v])
			return "label or index of a supernode";
	}
	return "";
}

/* ---- invariants ---- */

typedef struct Sums
{
	double inclusive[MOST][FOREST_COLUMNS], own[MOST][FOREST_COLUMNS], out[MOST][FOREST_COLUMNS],
		in[MOST][FOREST_COLUMNS], total[FOREST_COLUMNS];
} Sums;

static void
measure_all(const PhSupergraph *graph, Sums *sums)
{
	const PhProfile *profile = graph->profile;
	double weight[FOREST_COLUMNS];
	memset(sums, 0, sizeof(*sums));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		ph_supergraph_node_vector(graph, v, 0, PH_COST_INCLUSIVE, sums->inclusive[v]);
		ph_supergraph_node_vector(graph, v, 0, PH_COST_OWN, sums->own[v]);
		ph_supergraph_source_vector(graph, v, 0, sums->in[v]);
	}
	for (uint32_t e = 0; e < graph->n_edges; e++)
	{
		ph_supergraph_edge_vector(graph, e, 0, weight);
		for (uint32_t c = 0; c < profile->n_columns; c++)
		{
			sums->out[graph->edges[e].source][c] += weight[c];
			sums->in[graph->edges[e].target][c] += weight[c];
		}
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t c = 0; c < profile->n_columns; c++)
			sums->total[c] += ph_profile_cell(profile, 0, node, c, PH_COST_OWN);
}

static const char *
check_flow(const PhSupergraph *graph, const Sums *sums)
{
	for (uint32_t c = 0; c < graph->profile->n_columns; c++)
	{
		double own = 0;
		for (uint32_t v = 0; v < graph->n_supernodes; v++)
		{
			own += sums->own[v][c];
			if (!nearly(sums->inclusive[v][c], sums->in[v][c]))
				return "I4: inclusive = source + callers";
			if (!nearly(sums->inclusive[v][c], sums->own[v][c] + sums->out[v][c]))
				return "I5: inclusive = own + callees";
			if (sums->own[v][c] < 0 || sums->own[v][c] > sums->inclusive[v][c] * (1 + 1e-9) ||
				sums->inclusive[v][c] > sums->total[c] * (1 + 1e-9))
				return "I7: 0 <= own <= inclusive <= total";
		}
		if (!nearly(own, sums->total[c]))
			return "I3: exclusive is conserved";
	}
	return "";
}

static const char *
check_entries(const PhSupergraph *graph, const Sums *sums)
{
	PhEnv env;
	PhArena arena;
	const char *wrong = "";
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (uint32_t v = 0; v < graph->n_supernodes && wrong[0] == '\0'; v++)
		for (int by_caller = 0; by_caller < 2; by_caller++)
		{
			PhEntryRow *rows;
			uint32_t n, instances = 0;
			double sum = 0, mean = 0;
			if (ph_supergraph_entries(&arena, graph, v, 0, by_caller == 1, &rows, &n) != PH_OK)
				return "entries fail";
			for (uint32_t i = 0; i < n; i++)
			{
				sum += rows[i].inclusive;
				instances += rows[i].instances;
			}
			for (uint32_t c = 0; c < graph->profile->n_columns; c++)
				mean += sums->inclusive[v][c] / graph->profile->n_columns;
			if (!nearly(sum, mean) || instances != graph->supernodes[v].n_instances ||
				(by_caller == 0 && n != graph->supernodes[v].n_entries))
				wrong = "I6: entry functions add up";
		}
	ph_arena_drop(&arena);
	return wrong;
}

static const char *
check_shape(const PhSupergraph *graph)
{
	uint32_t longest[MOST] = {0};
	for (uint32_t e = 0; e < graph->n_edges; e++)
	{
		const PhSuperedge *edge = &graph->edges[e];
		if (edge->source == edge->target)
			return "I2: no self-loop";
		if (graph->supernodes[edge->source].level >= graph->supernodes[edge->target].level)
			return "I1, I9: levels rise along edges";
		if (longest[edge->target] < graph->supernodes[edge->source].level + 1)
			longest[edge->target] = graph->supernodes[edge->source].level + 1;
		if (e > 0 && (edge[-1].source > edge->source ||
					  (edge[-1].source == edge->source && edge[-1].target >= edge->target)))
			return "edges are sorted and distinct";
	}
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		if (graph->supernodes[v].level != longest[v])
			return "levels are longest paths";
		if (v > 0 && (graph->supernodes[v - 1].level > graph->supernodes[v].level ||
					  (graph->supernodes[v - 1].level == graph->supernodes[v].level &&
					   strcmp(graph->supernodes[v - 1].name, graph->supernodes[v].name) >= 0)))
			return "supernodes are sorted";
	}
	for (uint32_t s = 0; s < graph->n_segments; s++)
	{
		bool seen[MOST] = {false};
		for (uint32_t at = s; at != PH_NONE; at = graph->segments[at].parent)
		{
			if (seen[graph->segments[at].supernode])
				return "I8: no supernode twice on a call path";
			seen[graph->segments[at].supernode] = true;
		}
	}
	return "";
}

static const char *
check_means(const PhSupergraph *graph, const Sums *sums)
{
	PhEnv env;
	PhArena arena;
	PhSupergraphMeans means;
	const char *wrong = "";
	double n = graph->profile->n_columns;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	if (ph_supergraph_means(&arena, graph, 0, &means) != PH_OK)
		return "means fail";
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		double inclusive = 0, own = 0;
		for (uint32_t c = 0; c < graph->profile->n_columns; c++)
		{
			inclusive += sums->inclusive[v][c] / n;
			own += sums->own[v][c] / n;
		}
		if (!nearly(inclusive, means.inclusive[v]) ||
			!nearly(own, means.exclusive[v] + means.absorbed[v] + means.residual[v]))
			wrong = "means are the means of the vectors";
	}
	for (uint32_t e = 0; e < graph->n_edges; e++)
	{
		double weight[FOREST_COLUMNS], mean = 0;
		ph_supergraph_edge_vector(graph, e, 0, weight);
		for (uint32_t c = 0; c < graph->profile->n_columns; c++)
			mean += weight[c] / n;
		if (!nearly(mean, means.weight[e]))
			wrong = "means of edges are the means of their vectors";
	}
	ph_arena_drop(&arena);
	return wrong;
}

const char *
check_invariants(const PhSupergraph *graph)
{
	static Sums sums;
	const char *wrong = check_shape(graph);
	if (wrong[0] != '\0')
		return wrong;
	measure_all(graph, &sums);
	wrong = check_flow(graph, &sums);
	if (wrong[0] == '\0')
		wrong = check_entries(graph, &sums);
	return wrong[0] == '\0' ? check_means(graph, &sums) : wrong;
}
