/*
 * split.c - split a supernode by entry function, by caller or by callee (docs/design/supergraph.md
 * 4).
 *
 * Each is a refinement by segments: a segment of the supernode gets the name of its part, or none
 * and stays. A refinement of an acyclic partition is acyclic, and no other supernode changes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/name_set.h"
#include "base/regex_match.h"
#include "base/table.h"
#include "base/text.h"
#include "supergraph/internal.h"

/* The supernode that is split, and the part of each of its segments. */
typedef struct Split
{
	PhArena *arena;
	const PhSupergraph *graph;
	uint32_t node;
	const char **part; /* per segment: suffix of its part, NULL: stays */
	bool *ambiguous;   /* per segment; NULL: none is */
} Split;

static bool
is_split(const Split *split, uint32_t segment)
{
	return split->graph->segments[segment].supernode == split->node;
}

/* Turn parts into supernodes "node-part". */
static PhStatus
assign_parts(const Split *split, PhDraft *draft)
{
	const PhDraftSupernode whole = draft->supernodes[split->node];
	PhStrings suffixes; /* index 0 is the empty string, so part k has index k + 1 */
	uint32_t first = draft->n_supernodes;
	PH_TRY(ph_strings_init(&suffixes, split->arena));
	for (uint32_t segment = 0; segment < draft->n_segments; segment++)
	{
		const char *suffix = split->part[segment];
		uint32_t index;
		PH_TRY(ph_env_poll(split->arena->env));
		if (suffix == NULL)
			continue;
		PH_TRY(ph_strings_intern(&suffixes, suffix[0] == '\0' ? "<unknown>" : suffix, &index));
		uint32_t part = first + index - 1;
		if (part == draft->n_supernodes)
		{
			PhDraftSupernode made = whole;
			PH_TRY(ph_arena_printf(split->arena, &made.name, "%s-%s", whole.name,
								   suffixes.text[index]));
			PH_TRY(ph_draft_add(split->arena, draft, &made, &part));
		}
		draft->segments[segment].supernode = part;
		if (split->ambiguous != NULL && split->ambiguous[segment])
			draft->supernodes[part].ambiguous = true;
	}
	return PH_OK;
}

/* ---- by entry function ---- */

typedef enum SelectorKind
{
	SELECT_NAME,
	SELECT_PATTERN,
	SELECT_COLLECTIVE,
	SELECT_POINT_TO_POINT
} SelectorKind;

/* One of the wanted functions: a name, "/regex/", or a named group. */
typedef struct Selector
{
	SelectorKind kind;
	const char *text;
	PhRegex *pattern;
	bool found;
} Selector;

static PhStatus
compile_selector(PhArena *arena, const char *text, Selector *out)
{
	size_t length = strlen(text);
	*out = (Selector){SELECT_NAME, text, NULL, false};
	if (strcmp(text, "mpi-collective") == 0)
		out->kind = SELECT_COLLECTIVE;
	else if (strcmp(text, "mpi-p2p") == 0)
		out->kind = SELECT_POINT_TO_POINT;
	else if (length >= 2 && text[0] == '/' && text[length - 1] == '/')
	{
		out->kind = SELECT_PATTERN;
		return ph_regex_compile(arena, text + 1, length - 2, PH_REGEX_EXACT, &out->pattern);
	}
	return PH_OK;
}

static PhStatus
selects(const Selector *selector, const char *function, bool *out)
{
	switch (selector->kind)
	{
		case SELECT_NAME:
			*out = strcmp(selector->text, function) == 0;
			return PH_OK;
		case SELECT_PATTERN:
			return ph_regex_search(selector->pattern, function, strlen(function), out);
		case SELECT_COLLECTIVE:
			*out = ph_is_mpi_collective(function);
			return PH_OK;
		case SELECT_POINT_TO_POINT:
			break;
	}
	*out = ph_is_mpi_point_to_point(function);
	return PH_OK;
}

static PhStatus
check_found(const Split *split, const Selector *selectors, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (selectors[i].kind == SELECT_NAME && !selectors[i].found)
			return ph_fail_hint(split->arena->env, PH_ERR_NOT_FOUND,
								"The entry functions of a supernode are listed by "
								"perfhouse.entry_functions.",
								"supernode \"%.*s\" has no entry function \"%.*s\"",
								ph_text_fit(split->graph->supernodes[split->node].name, 100),
								split->graph->supernodes[split->node].name,
								ph_text_fit(selectors[i].text, 100), selectors[i].text);
	return PH_OK;
}

/* The part of an entry function: its selector's text, or its own name when there are none. */
static PhStatus
part_of_entry(Selector *selectors, uint32_t n, const char *function, const char **part)
{
	*part = n == 0 ? function : NULL;
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_selected;
		PH_TRY(selects(&selectors[i], function, &is_selected));
		if (!is_selected)
			continue;
		selectors[i].found = true;
		if (*part == NULL)
			*part = selectors[i].text;
	}
	return PH_OK;
}

static PhStatus
split_entry(Split *split, const PhSupergraphStep *step)
{
	const PhSupergraph *graph = split->graph;
	Selector *selectors;
	PH_TRY(PH_NEW(split->arena, step->n_functions, &selectors));
	for (uint32_t i = 0; i < step->n_functions; i++)
		PH_TRY(compile_selector(split->arena, step->functions[i], &selectors[i]));
	for (uint32_t segment = 0; segment < graph->n_segments; segment++)
	{
		PH_TRY(ph_env_poll(split->arena->env));
		if (is_split(split, segment))
			PH_TRY(
				part_of_entry(selectors, step->n_functions,
							  ph_profile_node_name(graph->profile, graph->segments[segment].entry),
							  &split->part[segment]));
	}
	return check_found(split, selectors, step->n_functions);
}

/* ---- by caller ---- */

static void
split_caller(Split *split, bool by_function)
{
	const PhSupergraph *graph = split->graph;
	for (uint32_t segment = 0; segment < graph->n_segments; segment++)
	{
		const PhSegment *callee = &graph->segments[segment];
		if (!is_split(split, segment))
			continue;
		if (callee->parent == PH_NONE)
			split->part[segment] = "<root>";
		else if (by_function)
			split->part[segment] =
				ph_profile_node_name(graph->profile, graph->profile->parent[callee->entry]);
		else
			split->part[segment] =
				graph->supernodes[graph->segments[callee->parent].supernode].name;
	}
}

/* ---- by callee ---- */

/* What a segment calls, by label. */
typedef struct Callees
{
	PhMap by_label; /* (segment, label) -> index of weight */
	double *weight;
	PhStrings labels;
	double *heaviest; /* per segment */
} Callees;

/* For each segment of the supernode that is split: the weight of what it calls, by label. */
static PhStatus
weigh_callees(const Split *split, Callees *callees)
{
	const PhSupergraph *graph = split->graph;
	ph_map_init(&callees->by_label, split->arena);
	PH_TRY(ph_strings_init(&callees->labels, split->arena));
	PH_TRY(PH_NEW(split->arena, graph->n_segments, &callees->weight));
	PH_TRY(PH_NEW(split->arena, graph->n_segments, &callees->heaviest));
	for (uint32_t segment = 0; segment < graph->n_segments; segment++)
	{
		const PhSegment *callee = &graph->segments[segment];
		uint32_t label;
		uint32_t *index;
		PH_TRY(ph_env_poll(split->arena->env));
		if (callee->parent == PH_NONE || !is_split(split, callee->parent))
			continue;
		PH_TRY(ph_strings_intern(&callees->labels, graph->supernodes[callee->supernode].label,
								 &label));
		PH_TRY(ph_map_enter(&callees->by_label, ph_map_key(callee->parent, label),
							callees->by_label.count, &index));
		callees->weight[*index] += ph_supergraph_weight(graph->profile, callee->entry);
	}
	return PH_OK;
}

/* Equal weights: the label that is first by bytes. */
static PhStatus
split_callee(Split *split)
{
	Callees callees;
	PH_TRY(weigh_callees(split, &callees));
	PH_TRY(PH_NEW(split->arena, split->graph->n_segments, &split->ambiguous));
	for (uint32_t i = 0; i < callees.by_label.count; i++)
	{
		uint32_t segment = (uint32_t) (callees.by_label.keys[i] >> 32);
		const char *label = callees.labels.text[(uint32_t) callees.by_label.keys[i]];
		double weight = callees.weight[i];
		const char *part = split->part[segment];
		split->ambiguous[segment] = part != NULL;
		if (part != NULL && (weight < callees.heaviest[segment] ||
							 (weight == callees.heaviest[segment] && strcmp(label, part) > 0)))
			continue;
		split->part[segment] = label;
		callees.heaviest[segment] = weight;
	}
	return PH_OK;
}

PhStatus
ph_split_draft(PhArena *arena, const PhSupergraph *graph, uint32_t node,
			   const PhSupergraphStep *step, PhDraft *out)
{
	Split split = {arena, graph, node, NULL, NULL};
	PhDraft draft;
	PH_TRY(PH_NEW(arena, graph->n_segments, &split.part));
	if (step->kind == PH_STEP_SPLIT_ENTRY)
		PH_TRY(split_entry(&split, step));
	else if (step->kind == PH_STEP_SPLIT_CALLER)
		split_caller(&split, step->by != 0);
	else
		PH_TRY(split_callee(&split));
	PH_TRY(ph_draft_from(arena, graph, step, &draft));
	PH_TRY(assign_parts(&split, &draft));
	*out = draft;
	return PH_OK;
}
