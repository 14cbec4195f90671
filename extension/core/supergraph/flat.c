/*
 * flat.c - the stored form of a super graph: its profile, its partition, its steps.
 *
 * Little-endian, every section starts at a multiple of 8 bytes, gaps are zero. Version 1:
 *
 *   header (40 bytes)
 *     0  "PHSG"         4  u32 version      8  u64 bytes of the profile
 *     16 u32 segments   20 u32 supernodes   24 u32 steps   28 u32 zero   32 u64 bytes of text
 *   profile     its own stored form
 *   segments    u32 entry node each, ascending; then u32 supernode each
 *   supernodes  u32 bytes of name, u32 bytes of label, u32 duplicate, u32 ambiguous
 *   steps       u8 kind, u8 by, 2 zero bytes, u32 bytes of node, u32 functions; then, after all
 *               steps, u32 bytes of each function
 *   text        group_by up to a zero byte; then names, labels, nodes and functions in that order
 *
 * Levels, edges and counts follow from the partition and are found again on reading, where the
 * partition has to prove that it is one: entries that cut the forest, no circle, sorted supernodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "profile/flat.h"
#include "profile/internal.h"
#include "supergraph/internal.h"

#define PH_SUPERGRAPH_MAGIC "PHSG"
#define PH_SUPERGRAPH_VERSION 1
#define PH_SUPERGRAPH_HEADER 40
#define PH_FLAT_SUPERNODE 16
#define PH_FLAT_STEP 12

/* ---- writing ---- */

static size_t
padded(size_t size)
{
	return size + ph_padding(size);
}

static size_t
n_functions(const PhSupergraph *graph)
{
	size_t n = 0;
	for (uint32_t i = 0; i < graph->n_steps; i++)
		n += graph->steps[i].n_functions;
	return n;
}

static size_t
text_bytes(const PhSupergraph *graph)
{
	size_t bytes = strlen(graph->group_by) + 1;
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		bytes += strlen(graph->supernodes[i].name) + strlen(graph->supernodes[i].label);
	for (uint32_t i = 0; i < graph->n_steps; i++)
	{
		bytes += strlen(graph->steps[i].node);
		for (uint32_t k = 0; k < graph->steps[i].n_functions; k++)
			bytes += strlen(graph->steps[i].functions[k]);
	}
	return bytes;
}

/* All parts of the graph exist in memory, so the sum of their sizes fits into size_t. */
PhStatus
ph_supergraph_flat_size(PhEnv *env, const PhSupergraph *graph, size_t *out)
{
	size_t profile;
	PH_TRY(ph_profile_flat_size(env, graph->profile, &profile));
	*out = PH_SUPERGRAPH_HEADER + padded(profile) + (size_t) graph->n_segments * 8 +
		   (size_t) graph->n_supernodes * PH_FLAT_SUPERNODE +
		   padded((size_t) graph->n_steps * PH_FLAT_STEP + n_functions(graph) * 4) +
		   padded(text_bytes(graph));
	return PH_OK;
}

static void
put_header(PhByteWriter *to, const PhSupergraph *graph, size_t profile)
{
	ph_put_bytes(to, PH_SUPERGRAPH_MAGIC, 4);
	ph_put(to, PH_SUPERGRAPH_VERSION, 4);
	ph_put(to, profile, 8);
	ph_put(to, graph->n_segments, 4);
	ph_put(to, graph->n_supernodes, 4);
	ph_put(to, graph->n_steps, 8);
	ph_put(to, text_bytes(graph), 8);
}

static void
put_partition(PhByteWriter *to, const PhSupergraph *graph)
{
	for (uint32_t i = 0; i < graph->n_segments; i++)
		ph_put(to, graph->segments[i].entry, 4);
	for (uint32_t i = 0; i < graph->n_segments; i++)
		ph_put(to, graph->segments[i].supernode, 4);
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
	{
		const PhSupernode *supernode = &graph->supernodes[i];
		ph_put(to, strlen(supernode->name), 4);
		ph_put(to, strlen(supernode->label), 4);
		ph_put(to, supernode->duplicate, 4);
		ph_put(to, supernode->ambiguous ? 1 : 0, 4);
	}
}

static void
put_steps(PhByteWriter *to, const PhSupergraph *graph)
{
	for (uint32_t i = 0; i < graph->n_steps; i++)
	{
		const PhSupergraphStep *step = &graph->steps[i];
		ph_put(to, step->kind, 1);
		ph_put(to, step->by, 3);
		ph_put(to, strlen(step->node), 4);
		ph_put(to, step->n_functions, 4);
	}
	for (uint32_t i = 0; i < graph->n_steps; i++)
		for (uint32_t k = 0; k < graph->steps[i].n_functions; k++)
			ph_put(to, strlen(graph->steps[i].functions[k]), 4);
	ph_put_padding(to, (size_t) graph->n_steps * PH_FLAT_STEP + n_functions(graph) * 4);
}

static void
put_text(PhByteWriter *to, const PhSupergraph *graph)
{
	ph_put_bytes(to, graph->group_by, strlen(graph->group_by) + 1);
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		ph_put_bytes(to, graph->supernodes[i].name, strlen(graph->supernodes[i].name));
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		ph_put_bytes(to, graph->supernodes[i].label, strlen(graph->supernodes[i].label));
	for (uint32_t i = 0; i < graph->n_steps; i++)
		ph_put_bytes(to, graph->steps[i].node, strlen(graph->steps[i].node));
	for (uint32_t i = 0; i < graph->n_steps; i++)
		for (uint32_t k = 0; k < graph->steps[i].n_functions; k++)
			ph_put_bytes(to, graph->steps[i].functions[k], strlen(graph->steps[i].functions[k]));
	ph_put_padding(to, text_bytes(graph));
}

PhStatus
ph_supergraph_flatten(PhEnv *env, const PhSupergraph *graph, uint8_t *out)
{
	PhByteWriter to = {out};
	size_t profile = 0;
	PH_TRY(ph_profile_flat_size(env, graph->profile, &profile));
	put_header(&to, graph, profile);
	PH_TRY(ph_profile_flatten(env, graph->profile, to.at));
	to.at += profile;
	ph_put_padding(&to, profile);
	put_partition(&to, graph);
	put_steps(&to, graph);
	put_text(&to, graph);
	return PH_OK;
}

/* ---- reading ---- */

typedef struct Unflat
{
	PhEnv *env;
	PhArena *scratch;
	PhByteReader from;
	uint64_t profile_bytes, text_bytes;
	PhByteReader profile_at;
	PhProfile *profile;
	PhDraft draft;
	PhByteReader entries, supernode_of, supernodes, steps, functions;
	const char *text; /* what is left of the text */
	size_t text_left;
} Unflat;

static PhStatus
malformed(const Unflat *u, const char *what)
{
	return ph_fail_hint(u->env, PH_ERR_FORMAT,
						"The value was damaged, or made by a newer version of perfhouse.",
						"super graph is malformed: %s", what);
}

static PhByteReader
reader_of(const uint8_t *bytes, size_t size)
{
	return (PhByteReader){bytes, bytes, bytes + size, false};
}

/* A reader of count records of size bytes, which must be there. */
static PhStatus
take(Unflat *u, uint64_t count, size_t size, PhByteReader *out, const char *what)
{
	*out = u->from;
	if (u->from.bad || count > ph_left(&u->from) / size)
		return malformed(u, what);
	*out = reader_of(u->from.at, (size_t) count * size);
	u->from.at = out->end;
	return PH_OK;
}

static PhStatus
get_header(Unflat *u)
{
	PhByteReader header;
	PH_TRY(take(u, 1, PH_SUPERGRAPH_HEADER, &header, "bytes are missing"));
	if (memcmp(ph_take(&header, 4), PH_SUPERGRAPH_MAGIC, 4) != 0)
		return malformed(u, "no super graph starts");
	uint32_t version = ph_get_u32(&header);
	if (version != PH_SUPERGRAPH_VERSION)
		return ph_fail_hint(u->env, PH_ERR_UNSUPPORTED, "Upgrade the extension.",
							"super graph is stored in version %u, this one reads version %d",
							version, PH_SUPERGRAPH_VERSION);
	u->profile_bytes = ph_get(&header, 8);
	u->draft.n_segments = ph_get_u32(&header);
	u->draft.n_supernodes = u->draft.capacity = ph_get_u32(&header);
	u->draft.n_steps = ph_get_u32(&header);
	if (ph_get_u32(&header) != 0)
		return malformed(u, "unknown flags");
	u->text_bytes = ph_get(&header, 8);
	PH_TRY(take(u, u->profile_bytes, 1, &u->profile_at, "its profile is missing"));
	ph_get_padding(&u->from, (size_t) u->profile_bytes);
	return PH_OK;
}

/* Entries must cut the forest of nodes: ascending, and every root is one. */
static PhStatus
read_segments(Unflat *u, PhByteReader entries, PhByteReader supernodes)
{
	const PhProfile *profile = u->profile;
	uint32_t n = u->draft.n_segments;
	PH_TRY(PH_NEW(u->scratch, n, &u->draft.segments));
	PH_TRY(PH_NEW(u->scratch, profile->n_nodes, &u->draft.segment_of));
	uint32_t next = 0; /* segments begun so far */
	uint32_t entry = n > 0 ? ph_get_u32(&entries) : PH_NONE;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		PH_TRY(ph_env_poll(u->env));
		if (node != entry && parent == PH_NONE)
			return malformed(u, "a root is in no segment");
		u->draft.segment_of[node] = node == entry ? next : u->draft.segment_of[parent];
		if (node != entry)
			continue;
		PhSegment *segment = &u->draft.segments[next++];
		segment->entry = node;
		segment->parent = parent == PH_NONE ? PH_NONE : u->draft.segment_of[parent];
		segment->supernode = ph_get_u32(&supernodes);
		if (segment->supernode >= u->draft.n_supernodes)
			return malformed(u, "a segment is in no supernode");
		entry = next < n ? ph_get_u32(&entries) : PH_NONE;
	}
	return next == n ? PH_OK : malformed(u, "segments are not in order");
}

static PhStatus
read_text(Unflat *u, size_t length, const char **out)
{
	char *copy;
	if (length > u->text_left)
		return malformed(u, "text is missing");
	if (ph_check_text(u->env, "text", u->text, length) != PH_OK)
		return malformed(u, "a text is not valid UTF-8");
	PH_TRY(ph_arena_strndup(u->scratch, u->text, length, &copy));
	u->text += length;
	u->text_left -= length;
	*out = copy;
	return PH_OK;
}

static PhStatus
read_group_by(Unflat *u)
{
	PhGroupBy by;
	const char *end = memchr(u->text, '\0', u->text_left);
	if (end == NULL)
		return malformed(u, "text is missing");
	PH_TRY(read_text(u, (size_t) (end - u->text), &u->draft.group_by));
	u->text++;
	u->text_left--;
	if (ph_group_by_parse(u->env, u->draft.group_by, &by) != PH_OK)
		return malformed(u, "it is grouped by something unknown");
	return PH_OK;
}

static PhStatus
read_supernodes(Unflat *u)
{
	PhByteReader labels = u->supernodes;
	PH_TRY(PH_NEW(u->scratch, u->draft.n_supernodes, &u->draft.supernodes));
	for (uint32_t i = 0; i < u->draft.n_supernodes; i++)
	{
		PhDraftSupernode *supernode = &u->draft.supernodes[i];
		PH_TRY(ph_env_poll(u->env));
		PH_TRY(read_text(u, ph_get_u32(&u->supernodes), &supernode->name));
		ph_get_u32(&u->supernodes);
		supernode->duplicate = ph_get_u32(&u->supernodes);
		uint32_t ambiguous = ph_get_u32(&u->supernodes);
		if (supernode->name[0] == '\0' || ambiguous > 1)
			return malformed(u, "a supernode has no name or unknown flags");
		supernode->ambiguous = ambiguous != 0;
	}
	for (uint32_t i = 0; i < u->draft.n_supernodes; i++)
	{
		ph_get_u32(&labels);
		PH_TRY(read_text(u, ph_get_u32(&labels), &u->draft.supernodes[i].label));
		ph_take(&labels, 8);
	}
	return PH_OK;
}

static bool
is_step(const PhSupergraphStep *step)
{
	if (step->kind >= PH_STEP_COUNT)
		return false;
	if (step->n_functions > 0 && step->kind != PH_STEP_SPLIT_ENTRY)
		return false;
	if (step->kind == PH_STEP_DRILL_DOWN)
		return step->by < PH_GROUP_COUNT;
	return step->by <= (step->kind == PH_STEP_SPLIT_CALLER ? 1 : 0);
}

static PhStatus
read_steps(Unflat *u, PhSupergraphStep *steps)
{
	for (uint32_t i = 0; i < u->draft.n_steps; i++)
	{
		PhSupergraphStep *step = &steps[i];
		step->kind = (uint8_t) ph_get(&u->steps, 1);
		uint64_t by = ph_get(&u->steps, 3);
		step->by = (uint8_t) by;
		PH_TRY(ph_env_poll(u->env));
		PH_TRY(read_text(u, ph_get_u32(&u->steps), &step->node));
		step->n_functions = ph_get_u32(&u->steps);
		if (by > UINT8_MAX || !is_step(step))
			return malformed(u, "an unknown step");
	}
	return PH_OK;
}

static PhStatus
read_functions(Unflat *u, PhSupergraphStep *steps)
{
	for (uint32_t i = 0; i < u->draft.n_steps; i++)
	{
		const char **functions;
		PH_TRY(PH_NEW(u->scratch, steps[i].n_functions, &functions));
		for (uint32_t k = 0; k < steps[i].n_functions; k++)
		{
			PH_TRY(ph_env_poll(u->env));
			PH_TRY(read_text(u, ph_get_u32(&u->functions), &functions[k]));
		}
		steps[i].functions = functions;
	}
	return PH_OK;
}

/* How many functions all steps have together. */
static uint64_t
count_functions(PhByteReader steps)
{
	uint64_t n = 0;
	while (ph_left(&steps) > 0)
	{
		ph_take(&steps, 8);
		n += ph_get_u32(&steps);
	}
	return n;
}

/* Find the sections; nothing is believed yet but that their bytes are there. */
static PhStatus
find_sections(Unflat *u)
{
	PhByteReader text;
	PH_TRY(take(u, u->draft.n_segments, 4, &u->entries, "segments are missing"));
	PH_TRY(take(u, u->draft.n_segments, 4, &u->supernode_of, "segments are missing"));
	PH_TRY(take(u, u->draft.n_supernodes, PH_FLAT_SUPERNODE, &u->supernodes,
				"supernodes are missing"));
	PH_TRY(take(u, u->draft.n_steps, PH_FLAT_STEP, &u->steps, "steps are missing"));
	uint64_t functions = count_functions(u->steps);
	PH_TRY(take(u, functions, 4, &u->functions, "functions of steps are missing"));
	ph_get_padding(&u->from, (size_t) u->draft.n_steps * PH_FLAT_STEP + (size_t) functions * 4);
	PH_TRY(take(u, u->text_bytes, 1, &text, "text is missing"));
	ph_get_padding(&u->from, (size_t) u->text_bytes);
	if (u->from.bad || ph_left(&u->from) != 0)
		return malformed(u, "bytes that belong to nothing");
	u->text = (const char *) text.start;
	u->text_left = (size_t) u->text_bytes;
	return PH_OK;
}

static PhStatus
read_parts(Unflat *u)
{
	PhSupergraphStep *steps;
	PH_TRY(find_sections(u));
	PH_TRY(read_segments(u, u->entries, u->supernode_of));
	PH_TRY(PH_NEW(u->scratch, u->draft.n_steps, &steps));
	PH_TRY(read_group_by(u));
	PH_TRY(read_supernodes(u));
	PH_TRY(read_steps(u, steps));
	PH_TRY(read_functions(u, steps));
	u->draft.steps = steps;
	return u->text_left == 0 ? PH_OK : malformed(u, "text that belongs to nothing");
}

/* The stored order must be the one that finishing gives: one graph, one form. */
static PhStatus
check_order(const Unflat *u, const PhSupergraph *graph)
{
	if (graph->n_supernodes != u->draft.n_supernodes)
		return malformed(u, "a supernode without segments");
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		if (strcmp(graph->supernodes[i].name, u->draft.supernodes[i].name) != 0)
			return malformed(u, "supernodes are not in order or share a name");
	return PH_OK;
}

static PhStatus
unflatten(Unflat *u, PhSupergraph **out)
{
	PhSupergraph *graph;
	PH_TRY(read_parts(u));
	PH_TRY(ph_draft_finish(u->env, u->scratch, &u->draft, u->profile, &graph));
	PhStatus status = check_order(u, graph);
	if (status != PH_OK)
	{
		graph->profile = NULL;
		ph_supergraph_free(u->env, graph);
		return status;
	}
	*out = graph;
	return PH_OK;
}

static PhStatus
unflatten_in(Unflat *u, PhSupergraph **out)
{
	PH_TRY(get_header(u));
	PH_TRY(
		ph_profile_unflatten(u->env, u->profile_at.start, (size_t) u->profile_bytes, &u->profile));
	PhStatus status = unflatten(u, out);
	if (status != PH_OK)
		ph_profile_free(u->env, u->profile);
	return status;
}

PhStatus
ph_supergraph_unflatten(PhEnv *env, const uint8_t *bytes, size_t size, PhSupergraph **out)
{
	PhArena scratch;
	Unflat u;
	memset(&u, 0, sizeof(u));
	ph_arena_init(&scratch, env);
	u.env = env;
	u.scratch = &scratch;
	u.from = reader_of(bytes, size);
	PhStatus status = unflatten_in(&u, out);
	ph_arena_drop(&scratch);
	return status;
}
