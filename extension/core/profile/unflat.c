/*
 * unflat.c - reading the stored form of a profile (layout: profile/flat.c).
 *
 * Trusts nothing: counts are held against the bytes that are left before anything is allocated,
 * indices against counts before they are followed, and ph_profile_check judges the result.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/bytes.h"
#include "base/text.h"
#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/flat_layout.h"
#include "profile/internal.h"
#include "profile/tree.h"

typedef struct Unflat
{
	PhEnv *env;
	PhByteReader *from;
	PhProfile *profile;
	uint64_t whole_bytes, text_bytes, n_runs;
	uint32_t version;
	unsigned flags;
	bool operands_allowed, unfiltered_allowed;
} Unflat;

static PhStatus
malformed(const Unflat *u, const char *what)
{
	return ph_fail_hint(
		u->env, PH_ERR_FORMAT, "The value was damaged, or made by a newer version of perfhouse.",
		"profile is malformed: %s at byte %zu", what, (size_t) (u->from->at - u->from->start));
}

static PhStatus
get_counts(Unflat *u)
{
	PhByteReader *from = u->from;
	PhProfile *profile = u->profile;
	PhProvenance *p = &profile->provenance;
	profile->n_strings = ph_get_u32(from);
	profile->n_regions = ph_get_u32(from);
	profile->n_nodes = ph_get_u32(from);
	profile->n_columns = ph_get_u32(from);
	profile->n_metrics = ph_get_u32(from);
	p->n_sources = ph_get_u32(from);
	p->n_notes = ph_get_u32(from);
	p->missing_columns = ph_get_u32(from);
	p->residual_cells = ph_get(from, 8);
	p->share_filtered = ph_get_double(from);
	u->text_bytes = ph_get(from, 8);
	u->flags = ph_get_u32(from);
	bool has_rest = ph_get_u32(from) != 0;
	u->n_runs = ph_get(from, 8);
	bool has_runs = (u->flags & PH_FLAT_PRESENCE) != 0 && u->version > 2;
	if (has_rest || (u->flags & ~PH_FLAT_ALL_FLAGS) != 0 || (u->n_runs != 0 && !has_runs))
		return malformed(u, "unknown flags");
	if (u->version > 2 && !has_runs)
		return malformed(u, "a version for profiles that lack cells, of one that has all");
	if (((u->flags & PH_FLAT_OPERANDS) != 0 && !u->operands_allowed) ||
		((u->flags & PH_FLAT_UNFILTERED) != 0 && !u->unfiltered_allowed))
		return malformed(u, "a nested profile nests another");
	return from->bad ? malformed(u, "end of the header") : PH_OK;
}

static PhStatus
get_header(Unflat *u)
{
	PhByteReader *from = u->from;
	size_t left = ph_left(from);
	const uint8_t *magic = ph_take(from, 4);
	if (magic == NULL || memcmp(magic, PH_FLAT_MAGIC, 4) != 0)
		return malformed(u, "no profile starts");
	u->version = ph_get_u32(from);
	if (from->bad)
		return malformed(u, "end of the header");
	if (u->version < 1 || u->version > PH_PROFILE_FLAT_VERSION)
		return ph_fail_hint(u->env, PH_ERR_UNSUPPORTED, "Upgrade the extension.",
							"profile is stored in version %u, this one reads versions 1 to %d",
							u->version, PH_PROFILE_FLAT_VERSION);
	u->whole_bytes = ph_get(from, 8);
	if (u->whole_bytes > left)
		return malformed(u, "bytes are missing");
	return get_counts(u);
}

/* Whether count elements of size bytes can be there at all. */
static PhStatus
expect(Unflat *u, uint64_t count, size_t size, const char *what)
{
	if (u->from->bad || count > ph_left(u->from) / size)
		return malformed(u, what);
	return PH_OK;
}

static PhStatus
get_strings(Unflat *u)
{
	PhProfile *profile = u->profile;
	PhByteReader lengths = *u->from;
	PH_TRY(expect(u, profile->n_strings, 4, "strings are missing"));
	ph_take(u->from, (size_t) profile->n_strings * 4);
	ph_get_padding(u->from, (size_t) profile->n_strings * 4);
	PH_TRY(expect(u, u->text_bytes, 1, "text is missing"));
	const char *text = (const char *) ph_take(u->from, (size_t) u->text_bytes);
	size_t left = (size_t) u->text_bytes;
	PH_TRY(PH_NEW(&profile->arena, profile->n_strings, &profile->strings));
	for (uint32_t i = 0; i < profile->n_strings; i++)
	{
		uint32_t length = ph_get_u32(&lengths);
		char *copy;
		if (length > left || text == NULL)
			return malformed(u, "text is missing");
		if (ph_check_text(u->env, "string", text, length) != PH_OK)
			return malformed(u, "a string is not valid UTF-8");
		PH_TRY(ph_arena_strndup(&profile->arena, text, length, &copy));
		profile->strings[i] = copy;
		text += length;
		left -= length;
	}
	if (left != 0 || profile->n_strings == 0)
		return malformed(u, "text without a string");
	ph_get_padding(u->from, (size_t) u->text_bytes);
	return PH_OK;
}

static PhString
get_string(Unflat *u)
{
	uint32_t string = ph_get_u32(u->from);
	if (string < u->profile->n_strings)
		return string;
	u->from->bad = true;
	return 0;
}

static PhStatus
get_paradigms(Unflat *u)
{
	PhProfile *profile = u->profile;
	bool is_needed;
	if (u->version == 1)
		return PH_OK;
	is_needed = u->version > 2; /* otherwise version 1 would have done */
	PH_TRY(expect(u, profile->n_regions, PH_FLAT_REGION_PARADIGM, "paradigms are missing"));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		profile->regions[i].paradigm = get_string(u);
		is_needed = is_needed || profile->regions[i].paradigm != 0;
	}
	ph_get_padding(u->from, (size_t) profile->n_regions * PH_FLAT_REGION_PARADIGM);
	return u->from->bad || !is_needed ? malformed(u, "impossible paradigms") : PH_OK;
}

static PhStatus
get_regions(Unflat *u)
{
	PhProfile *profile = u->profile;
	PH_TRY(expect(u, profile->n_regions, PH_FLAT_REGION, "regions are missing"));
	PH_TRY(PH_NEW(&profile->arena, profile->n_regions, &profile->regions));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		PhRegion *region = &profile->regions[i];
		region->name = get_string(u);
		region->library = get_string(u);
		region->file = get_string(u);
		region->module = get_string(u);
		region->line = (int32_t) ph_get_u32(u->from);
		uint32_t kind = ph_get_u32(u->from);
		if (u->from->bad || kind >= PH_KIND_COUNT)
			return malformed(u, "impossible region");
		region->kind = (uint8_t) kind;
		region->region_id = ph_hash_region(region->kind, profile->strings[region->name],
										   profile->strings[region->library],
										   profile->strings[region->file], region->line);
	}
	return get_paradigms(u);
}

static PhStatus
get_parents(Unflat *u)
{
	PhProfile *profile = u->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		profile->parent[node] = ph_get_u32(u->from);
		if (profile->parent[node] != PH_NONE && profile->parent[node] >= node)
			return malformed(u, "a parent does not come before its child");
	}
	ph_get_padding(u->from, (size_t) profile->n_nodes * 4);
	return PH_OK;
}

static PhStatus
get_nodes(Unflat *u)
{
	PhProfile *profile = u->profile;
	uint32_t n = profile->n_nodes;
	PH_TRY(expect(u, n, 8, "nodes are missing"));
	PH_TRY(ph_tree_new_nodes(profile, n));
	PH_TRY(get_parents(u));
	for (uint32_t node = 0; node < n; node++)
	{
		profile->region[node] = ph_get_u32(u->from);
		if (profile->region[node] >= profile->n_regions)
			return malformed(u, "a node's region does not exist");
	}
	ph_get_padding(u->from, (size_t) n * 4);
	if (u->from->bad)
		return malformed(u, "nodes are missing");
	ph_tree_derive(profile);
	return PH_OK;
}

static PhStatus
get_columns(Unflat *u)
{
	PhProfile *profile = u->profile;
	PH_TRY(expect(u, profile->n_columns, PH_FLAT_COLUMN, "columns are missing"));
	PH_TRY(PH_NEW(&profile->arena, profile->n_columns, &profile->columns));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		PhColumn *column = &profile->columns[i];
		column->run_id = (int64_t) ph_get(u->from, 8);
		column->iteration = (int64_t) ph_get(u->from, 8);
		column->rank = (int32_t) ph_get_u32(u->from);
		column->thread = (int32_t) ph_get_u32(u->from);
		column->host = get_string(u);
		column->name = get_string(u);
		uint64_t kind = ph_get(u->from, 8);
		if (u->from->bad || kind >= PH_COLUMN_KIND_COUNT)
			return malformed(u, "impossible column");
		column->kind = (uint8_t) kind;
	}
	return PH_OK;
}

/* Names and kinds; *arrays says which values follow later. */
static PhStatus
get_metrics(Unflat *u, uint8_t **arrays)
{
	PhProfile *profile = u->profile;
	PH_TRY(expect(u, profile->n_metrics, PH_FLAT_METRIC, "metrics are missing"));
	PH_TRY(PH_NEW(&profile->arena, profile->n_metrics, &profile->metrics));
	PH_TRY(PH_NEW(&profile->arena, profile->n_metrics, arrays));
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		metric->name = get_string(u);
		metric->unit = get_string(u);
		metric->numerator = ph_get_u32(u->from);
		metric->denominator = ph_get_u32(u->from);
		metric->kind = (uint8_t) ph_get(u->from, 1);
		metric->combine = (uint8_t) ph_get(u->from, 1);
		metric->is_signed = (uint8_t) ph_get(u->from, 1);
		uint64_t which = ph_get(u->from, 5);
		if (u->from->bad || (which & ~(uint64_t) PH_FLAT_ALL_ARRAYS) != 0)
			return malformed(u, "impossible metric");
		(*arrays)[i] = (uint8_t) which;
	}
	return PH_OK;
}

static PhStatus
get_provenance(Unflat *u)
{
	PhProfile *profile = u->profile;
	PhProvenance *p = &profile->provenance;
	PH_TRY(expect(u, p->n_sources, PH_FLAT_SOURCE, "sources are missing"));
	PH_TRY(PH_NEW(&profile->arena, p->n_sources, &p->sources));
	for (uint32_t i = 0; i < p->n_sources; i++)
	{
		p->sources[i].run_id = (int64_t) ph_get(u->from, 8);
		p->sources[i].label = get_string(u);
		ph_get_padding(u->from, 4);
	}
	PH_TRY(expect(u, p->n_notes, 4, "notes are missing"));
	PH_TRY(PH_NEW(&profile->arena, p->n_notes, &p->notes));
	for (uint32_t i = 0; i < p->n_notes; i++)
		p->notes[i] = get_string(u);
	ph_get_padding(u->from, (size_t) p->n_notes * 4);
	return u->from->bad ? malformed(u, "impossible provenance") : PH_OK;
}

static PhStatus
get_byte_array(Unflat *u, size_t n, uint8_t **out)
{
	PH_TRY(expect(u, n, 1, "marks are missing"));
	PH_TRY(PH_NEW(&u->profile->arena, n, out));
	const uint8_t *bytes = ph_take(u->from, n);
	if (bytes != NULL && n > 0)
		memcpy(*out, bytes, n);
	ph_get_padding(u->from, n);
	return u->from->bad ? malformed(u, "marks are missing") : PH_OK;
}

/* Runs per node, and how many cells they are; ph_profile_check judges the rest. */
static PhStatus
get_rows(Unflat *u)
{
	PhProfile *profile = u->profile;
	uint64_t runs = 0;
	PH_TRY(expect(u, profile->n_nodes, PH_FLAT_ROW, "rows are missing"));
	PH_TRY(PH_NEW(&profile->arena, (size_t) profile->n_nodes + 1, &profile->first_run));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		profile->first_run[node] = (uint32_t) runs;
		runs += ph_get_u32(u->from);
		if (runs > u->n_runs)
			return malformed(u, "wrong number of runs");
	}
	ph_get_padding(u->from, (size_t) profile->n_nodes * PH_FLAT_ROW);
	if (runs != u->n_runs || runs >= PH_NONE)
		return malformed(u, "wrong number of runs");
	profile->first_run[profile->n_nodes] = (uint32_t) runs;
	return PH_OK;
}

/* Runs of columns as version 3 has them. */
static PhStatus
get_runs(Unflat *u)
{
	PhProfile *profile = u->profile;
	size_t cells = 0;
	PH_TRY(get_rows(u));
	PH_TRY(expect(u, u->n_runs, PH_FLAT_RUN, "runs are missing"));
	PH_TRY(PH_NEW(&profile->arena, (size_t) u->n_runs, &profile->runs));
	PH_TRY(PH_NEW(&profile->arena, (size_t) profile->n_nodes + 1, &profile->first_cell));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint64_t n = 0;
		profile->first_cell[node] = cells;
		for (uint32_t i = profile->first_run[node]; i < profile->first_run[node + 1]; i++)
		{
			PhColumnRun *run = &profile->runs[i];
			run->first = ph_get_u32(u->from);
			run->n = ph_get_u32(u->from);
			run->before = (uint32_t) n;
			n += run->n;
			if (n > profile->n_columns)
				return malformed(u, "a node has more cells than there are columns");
		}
		if (__builtin_add_overflow(cells, n, &cells))
			return malformed(u, "too many cells");
	}
	profile->first_cell[profile->n_nodes] = cells;
	return u->from->bad ? malformed(u, "runs are missing") : PH_OK;
}

/* The bits of one node that are on; whole bytes that are off are passed over. */
static PhStatus
add_bits(PhPresence *presence, const uint8_t *bits, uint32_t node, uint32_t n_columns)
{
	size_t start = (size_t) node * n_columns, end = start + n_columns;
	for (size_t bit = start; bit < end; bit++)
	{
		if (bits[bit >> 3] == 0)
			bit |= 7;
		else if ((bits[bit >> 3] >> (bit & 7) & 1) != 0)
			PH_TRY(ph_presence_add(presence, node, (uint32_t) (bit - start), 1));
	}
	return PH_OK;
}

static PhStatus
bits_to_cells(Unflat *u, const uint8_t *bits, PhArena *scratch)
{
	PhProfile *profile = u->profile;
	PhPresence presence;
	ph_presence_init(&presence, scratch);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(u->env));
		PH_TRY(add_bits(&presence, bits, node, profile->n_columns));
	}
	return ph_profile_set_cells(profile, &presence);
}

/* The bitmap of versions 1 and 2. */
static PhStatus
get_bitmap(Unflat *u, size_t n_dense)
{
	size_t size = n_dense / 8 + (n_dense % 8 != 0);
	PhArena scratch;
	PH_TRY(expect(u, size, 1, "marks are missing"));
	const uint8_t *bits = ph_take(u->from, size);
	ph_get_padding(u->from, size);
	if (u->from->bad || bits == NULL)
		return malformed(u, "marks are missing");
	if (n_dense % 8 != 0 && bits[n_dense / 8] >> (n_dense % 8) != 0)
		return malformed(u, "presence of cells that do not exist");
	ph_arena_init(&scratch, u->env);
	PhStatus status = bits_to_cells(u, bits, &scratch);
	ph_arena_drop(&scratch);
	return status;
}

/* Zeroes in the columns [from, to) that a node does not have. */
static bool
get_gap(Unflat *u, uint32_t from, uint32_t to)
{
	bool is_empty = true;
	for (; from < to; from++)
		is_empty = ph_get_double(u->from) == 0 && is_empty;
	return is_empty;
}

/* Values of versions 1 and 2, which have one by node and column, whether or not it exists. */
static PhStatus
get_dense_doubles(Unflat *u, double *to)
{
	const PhProfile *profile = u->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		uint32_t at = 0;
		bool is_empty = true;
		PH_TRY(ph_env_poll(u->env));
		for (PhRowSpan span; ph_row_next(&walk, &span); at = span.first + span.n)
		{
			is_empty = get_gap(u, at, span.first) && is_empty;
			ph_get_doubles(u->from, to + span.cell, span.n);
		}
		if (!get_gap(u, at, profile->n_columns) || !is_empty)
			return malformed(u, "an absent cell holds a value");
	}
	return PH_OK;
}

static PhStatus
get_doubles(Unflat *u, double **out)
{
	size_t cells = ph_profile_cells(u->profile);
	bool all_are_there = u->version < 3 && u->profile->first_cell != NULL;
	size_t stored = all_are_there ? (size_t) u->profile->n_nodes * u->profile->n_columns : cells;
	PH_TRY(expect(u, stored, 8, "values are missing"));
	PH_TRY(PH_NEW(&u->profile->arena, cells, out));
	if (all_are_there)
		return get_dense_doubles(u, *out);
	ph_get_doubles(u->from, *out, cells);
	return PH_OK;
}

static PhStatus
get_cells(Unflat *u)
{
	size_t cells;
	if (__builtin_mul_overflow((size_t) u->profile->n_nodes, u->profile->n_columns, &cells))
		return malformed(u, "too many cells");
	if ((u->flags & PH_FLAT_PRESENCE) == 0)
		return PH_OK;
	return u->version > 2 ? get_runs(u) : get_bitmap(u, cells);
}

static PhStatus
get_values(Unflat *u, const uint8_t *arrays)
{
	PhProfile *profile = u->profile;
	PH_TRY(get_cells(u));
	if ((u->flags & PH_FLAT_MARKS) != 0)
		PH_TRY(get_byte_array(u, profile->n_nodes, &profile->diff_status));
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if ((arrays[i] & PH_FLAT_COSTS) != 0)
		{
			PH_TRY(get_doubles(u, &metric->exclusive));
			PH_TRY(get_doubles(u, &metric->inclusive));
		}
		if ((arrays[i] & PH_FLAT_ABSORBED) != 0)
			PH_TRY(get_doubles(u, &metric->absorbed));
		if ((arrays[i] & PH_FLAT_RESIDUAL) != 0)
			PH_TRY(get_doubles(u, &metric->residual));
	}
	return u->from->bad ? malformed(u, "values are missing") : PH_OK;
}

static PhStatus
get_own(Unflat *u)
{
	uint8_t *arrays;
	PH_TRY(get_header(u));
	PH_TRY(get_strings(u));
	PH_TRY(get_regions(u));
	PH_TRY(get_nodes(u));
	PH_TRY(get_columns(u));
	PH_TRY(get_metrics(u, &arrays));
	PH_TRY(get_provenance(u));
	return get_values(u, arrays);
}

typedef enum Nesting
{
	NESTS_ALL,
	NESTS_OPERANDS,
	NESTS_NOTHING
} Nesting;

/* One profile without what it nests. On failure too, *out is what was read, for the caller to free.
 */
static PhStatus
read_one(PhEnv *env, PhByteReader *from, Nesting nesting, Unflat *u, PhProfile **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhProfile), &memory));
	*u = (Unflat){.env = env,
				  .from = from,
				  .profile = memory,
				  .operands_allowed = nesting != NESTS_NOTHING,
				  .unfiltered_allowed = nesting == NESTS_ALL};
	ph_arena_init(&u->profile->arena, env);
	*out = u->profile;
	return get_own(u);
}

/* The size in the header is that of the profile with all that it nests. */
static PhStatus
check_size(const Unflat *u, const uint8_t *start)
{
	return u->whole_bytes == (uint64_t) (u->from->at - start) ? PH_OK : malformed(u, "wrong size");
}

static PhStatus
read_operand(PhEnv *env, PhByteReader *from, PhProfile **out)
{
	Unflat u;
	const uint8_t *start = from->at;
	PH_TRY(read_one(env, from, NESTS_NOTHING, &u, out));
	return check_size(&u, start);
}

static PhStatus
read_with_operands(PhEnv *env, PhByteReader *from, Nesting nesting, Unflat *u, PhProfile **out)
{
	PH_TRY(read_one(env, from, nesting, u, out));
	if ((u->flags & PH_FLAT_OPERANDS) == 0)
		return PH_OK;
	PH_TRY(read_operand(env, from, &(*out)->before));
	return read_operand(env, from, &(*out)->after);
}

static PhStatus
read_whole(PhEnv *env, PhByteReader *from, PhProfile **out)
{
	Unflat u, whole;
	const uint8_t *start = from->at;
	PH_TRY(read_with_operands(env, from, NESTS_ALL, &u, out));
	if ((u.flags & PH_FLAT_UNFILTERED) != 0)
	{
		const uint8_t *nested = from->at;
		PH_TRY(read_with_operands(env, from, NESTS_OPERANDS, &whole, &(*out)->unfiltered));
		PH_TRY(check_size(&whole, nested));
	}
	PH_TRY(check_size(&u, start));
	return ph_left(from) == 0 ? PH_OK : malformed(&u, "more bytes follow");
}

PhStatus
ph_profile_unflatten(PhEnv *env, const uint8_t *bytes, size_t size, PhProfile **out)
{
	PhByteReader from = {bytes, bytes, bytes + size, false};
	PhProfile *profile = NULL;
	PhStatus status = read_whole(env, &from, &profile);
	if (status == PH_OK)
		status = ph_profile_check(env, profile);
	if (status != PH_OK)
	{
		ph_profile_free(env, profile);
		return status;
	}
	*out = profile;
	return PH_OK;
}

/* ---- the shape alone ---- */

static PhStatus
skip(Unflat *u, uint64_t count, size_t size, const char *what)
{
	PH_TRY(expect(u, count, size, what));
	ph_take(u->from, (size_t) count * size);
	ph_get_padding(u->from, (size_t) count * size);
	return PH_OK;
}

/* A node comes behind its parent or behind what is below its elder siblings. */
static bool
is_in_preorder(const uint32_t *parent, uint32_t node)
{
	uint32_t before = node == 0 ? PH_NONE : node - 1;
	while (before != PH_NONE && before != parent[node])
		before = parent[before];
	return before == parent[node];
}

static PhStatus
get_shape(Unflat *u, PhArena *arena)
{
	PhProfile *profile = u->profile;
	PH_TRY(get_header(u));
	PH_TRY(skip(u, profile->n_strings, 4, "strings are missing"));
	PH_TRY(skip(u, u->text_bytes, 1, "text is missing"));
	PH_TRY(skip(u, profile->n_regions, PH_FLAT_REGION, "regions are missing"));
	if (u->version > 1)
		PH_TRY(skip(u, profile->n_regions, PH_FLAT_REGION_PARADIGM, "paradigms are missing"));
	PH_TRY(expect(u, profile->n_nodes, 8, "nodes are missing"));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &profile->parent));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &profile->subtree_end));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &profile->depth));
	PH_TRY(get_parents(u));
	if (u->from->bad)
		return malformed(u, "nodes are missing");
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (!is_in_preorder(profile->parent, node))
			return malformed(u, "nodes are not in order");
	ph_tree_derive_shape(profile);
	return PH_OK;
}

PhStatus
ph_profile_unflatten_shape(PhArena *arena, const uint8_t *bytes, size_t size, PhProfile *out)
{
	PhByteReader from = {bytes, bytes, bytes + size, false};
	Unflat u = {.env = arena->env, .from = &from, .profile = out};
	*out = (PhProfile){.n_nodes = 0};
	return get_shape(&u, arena);
}
