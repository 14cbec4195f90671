/*
 * profiles.c - the values of profile.db: a column for each thread that was measured.
 *
 * A profile is an index of contexts, each with its values by ids, both ascending. The file is
 * passed twice: once to check it and to learn which ids occur, as metrics are declared before
 * values, and once to hand values to the builder. What a context costs itself is its value less
 * those of its children in the tree; both stand in the same profile, so that one profile at a time
 * is in memory.
 *
 * Contexts that the tree does not have are instructions below lines: the lines have their cost,
 * too.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/min_max.h"
#include "readers/completeness.h"
#include "readers/hpctoolkit4/database.h"

/* ---- structures of version 4.0 ---- */

#define HEADER_SIZE 13
#define INFO_SIZE 48
#define DRAFT_INFO_SIZE 40
#define VALUE_SIZE 10
#define INDEX_SIZE 12
#define TUPLE_SIZE 8
#define IDENTIFIER_SIZE 16
#define MAX_IDENTIFIERS 64

#define FLAG_SUMMARY 1
#define FLAG_PHYSICAL 1

/* A difference of sums of many values that is no larger than this is rounding. */
#define ROUNDING 1e-9

typedef struct Profile
{
	uint32_t number;
	size_t values_at, index_at;
	uint32_t n_values, n_contexts;
	size_t tuple;
	bool is_summary;
	bool is_cut; /* its values are beyond the end of the file */
} Profile;

/* Where one thread's values stand in the profile that is being read. */
typedef struct Entry
{
	uint32_t context;
	uint32_t first, end; /* of costs */
} Entry;

typedef struct Cost
{
	uint32_t id;
	double given, own;
} Cost;

typedef struct Reading
{
	PhHpc4 *database;
	const PhHpc4File *file;
	PhHpc4Array infos;
	uint64_t used;		/* bytes of the blocks of all profiles so far */
	uint32_t n_cut;		/* profiles whose values the file lacks */
	uint64_t n_below;	/* values that are less than those of the children together */
	bool threaded;		/* some process has several threads */
	uint32_t *entry_of; /* per context: 1 + its entry, 0: none */
	PH_VECTOR(Entry) entries;
	PH_VECTOR(Cost) costs;
	uint32_t *expected; /* per metric of the profile: values of the column */
} Reading;

static PhStatus
open_infos(PhHpc4 *database, Reading *reading)
{
	const PhHpc4File *file = &database->profile;
	PhHpc4Span section;
	*reading = (Reading){.database = database, .file = file};
	PH_TRY(ph_hpc4_section(file, PH_HPC4_PROFILES, HEADER_SIZE, &section));
	reading->infos = (PhHpc4Array){ph_hpc4_u64(file, section.at), ph_hpc4_u32(file, section.at + 8),
								   ph_hpc4_u8(file, section.at + 12)};
	return ph_hpc4_array(file, &section, &reading->infos,
						 database->is_draft ? DRAFT_INFO_SIZE : INFO_SIZE, "profiles");
}

/* Blocks of profiles are disjoint: together they cannot be larger than the file. */
static PhStatus
check_blocks(Reading *reading, size_t at, uint64_t n_values, uint64_t n_contexts, Profile *profile)
{
	const PhHpc4File *file = reading->file;
	PhHpc4Span whole = {0, file->input->size};
	if (n_values > UINT32_MAX - 1)
		return ph_hpc4_fail(file, at, "profile %u has more than %u values", profile->number,
							UINT32_MAX - 1);
	profile->n_values = (uint32_t) n_values;
	profile->n_contexts = (uint32_t) n_contexts;
	profile->is_cut = !ph_hpc4_holds(&whole, profile->values_at, VALUE_SIZE * n_values) ||
					  !ph_hpc4_holds(&whole, profile->index_at, INDEX_SIZE * n_contexts);
	if (profile->is_cut)
		return PH_OK;
	reading->used += VALUE_SIZE * n_values + INDEX_SIZE * n_contexts;
	if (reading->used > whole.size)
		return ph_hpc4_fail(file, at, "the values of profile %u are those of others as well",
							profile->number);
	return PH_OK;
}

static PhStatus
read_info(Reading *reading, uint32_t number, Profile *profile)
{
	const PhHpc4File *file = reading->file;
	size_t at = reading->infos.at + (size_t) number * reading->infos.stride;
	bool is_draft = reading->database->is_draft;
	*profile =
		(Profile){.number = number,
				  .values_at = ph_hpc4_u64(file, at + 8),
				  .index_at = ph_hpc4_u64(file, at + 24),
				  .tuple = ph_hpc4_u64(file, at + 32),
				  .is_summary = is_draft ? number == 0 : ph_hpc4_u32(file, at + 40) & FLAG_SUMMARY};
	return check_blocks(reading, at, ph_hpc4_u64(file, at), ph_hpc4_u32(file, at + 16), profile);
}

/* ---- first pass ---- */

/* Says what is wrong with the values of one context, if something is. */
static PhStatus
refuse_values(const Reading *reading, const Profile *profile, uint32_t first, uint32_t end)
{
	const PhHpc4File *file = reading->file;
	int32_t last = -1;
	for (uint32_t i = first; i < end; i++)
	{
		size_t at = profile->values_at + (size_t) i * VALUE_SIZE;
		int32_t id = ph_hpc4_u16(file, at);
		double value = ph_hpc4_double(file, at + 2);
		if (id <= last)
			return ph_hpc4_fail(file, at, "ids of values of a context do not ascend");
		if (!isfinite(value) || value < 0)
			return ph_fail(file->env, PH_ERR_VALUE, "%s: offset %zu: metric value %g %s",
						   file->input->path, at, value,
						   isfinite(value) ? "is negative" : "is not finite");
		last = id;
	}
	return PH_OK;
}

/*
 * All values of a profile at once, as contexts have few each: whether they may be values, and at
 * how many places the id is not above the one before. These must be n_begun, where contexts begin.
 */
static bool
are_values(const Reading *reading, const Profile *profile, uint32_t n_begun)
{
	const PhHpc4File *file = reading->file;
	bool *has_values = reading->database->has_values, are_good = true;
	uint32_t n_not_above = 0, last = 0;
	for (uint32_t i = 0; i < profile->n_values; i++)
	{
		size_t at = profile->values_at + (size_t) i * VALUE_SIZE;
		uint32_t id = ph_hpc4_u16(file, at);
		double value = ph_hpc4_double(file, at + 2);
		are_good &= value >= 0 && value <= DBL_MAX;
		n_not_above += i > 0 && id <= last;
		has_values[id] = true;
		last = id;
	}
	return are_good && n_not_above == n_begun;
}

/* End of the values of index entry i: where the next one's begin. */
static uint64_t
end_of_values(const Reading *reading, const Profile *profile, uint32_t i)
{
	size_t next = profile->index_at + ((size_t) i + 1) * INDEX_SIZE;
	return i + 1 < profile->n_contexts ? ph_hpc4_u64(reading->file, next + 4) : profile->n_values;
}

/* *n_begun: the contexts whose first id is not above the last one of the context before. */
static PhStatus
check_index(Reading *reading, const Profile *profile, uint32_t *n_begun)
{
	const PhHpc4File *file = reading->file;
	int64_t last = -1;
	uint64_t end = profile->n_contexts > 0 ? ph_hpc4_u64(file, profile->index_at + 4) : 0;
	*n_begun = 0;
	for (uint32_t i = 0; i < profile->n_contexts; i++)
	{
		size_t at = profile->index_at + (size_t) i * INDEX_SIZE;
		int64_t id = ph_hpc4_u32(file, at);
		uint64_t first = end;
		end = end_of_values(reading, profile, i);
		PH_TRY(ph_env_poll(file->env));
		if (id <= last)
			return ph_hpc4_fail(file, at, "contexts of profile %u do not ascend", profile->number);
		if (first > end || end > profile->n_values || (i == 0 && first != 0))
			return ph_hpc4_fail(file, at,
								"context %lld of profile %u has values %llu to %llu of %u",
								(long long) id, profile->number, (unsigned long long) first,
								(unsigned long long) end, profile->n_values);
		if (first > 0 && first < end)
		{
			size_t value = profile->values_at + (size_t) first * VALUE_SIZE;
			*n_begun += ph_hpc4_u16(file, value) <= ph_hpc4_u16(file, value - VALUE_SIZE);
		}
		last = id;
	}
	return PH_OK;
}

static PhStatus
check_profile(Reading *reading, const Profile *profile)
{
	uint32_t n_begun;
	PH_TRY(check_index(reading, profile, &n_begun));
	if (are_values(reading, profile, n_begun))
		return PH_OK;
	for (uint32_t i = 0; i < profile->n_contexts; i++)
	{
		size_t at = profile->index_at + (size_t) i * INDEX_SIZE;
		PH_TRY(refuse_values(reading, profile, (uint32_t) ph_hpc4_u64(reading->file, at + 4),
							 (uint32_t) end_of_values(reading, profile, i)));
	}
	return PH_OK;
}

PhStatus
ph_hpc4_check_profiles(PhHpc4 *database)
{
	Reading reading;
	PH_TRY(open_infos(database, &reading));
	PH_TRY(PH_NEW(&database->arena, PH_HPC4_IDS, &database->has_values));
	for (uint32_t i = 0; i < reading.infos.count; i++)
	{
		Profile profile;
		PH_TRY(ph_env_poll(database->env));
		PH_TRY(read_info(&reading, i, &profile));
		if (!profile.is_summary && !profile.is_cut)
			PH_TRY(check_profile(&reading, &profile));
	}
	return PH_OK;
}

/* ---- what a profile is of ---- */

static void
add_other(PhHpc4Unit *unit, const char *kind, unsigned long long number)
{
	size_t used = strlen(unit->others);
	char text[96];
	int length = snprintf(text, sizeof(text), "%s%.60s %llu", used > 0 ? " " : "", kind, number);
	if (length > 0 && used + (size_t) length < sizeof(unit->others))
		memcpy(unit->others + used, text, (size_t) length + 1);
	unit->is_gpu |= strncmp(kind, "GPU", 3) == 0;
	int64_t *place = strcmp(kind, "GPUDEVICE") == 0	   ? &unit->device
					 : strcmp(kind, "GPUCONTEXT") == 0 ? &unit->context
					 : strcmp(kind, "GPUSTREAM") == 0  ? &unit->stream
													   : NULL;
	if (place != NULL && number <= INT32_MAX)
		*place = (int64_t) number;
}

static void
add_identifier(const Reading *reading, size_t at, PhHpc4Unit *unit)
{
	const PhHpc4 *database = reading->database;
	const PhHpc4File *file = reading->file;
	uint32_t kind = ph_hpc4_u8(file, at), logical = ph_hpc4_u32(file, at + 4);
	bool is_physical = ph_hpc4_u16(file, at + 2) & FLAG_PHYSICAL;
	unsigned long long number = is_physical ? ph_hpc4_u64(file, at + 8) : logical;
	char unknown[16];
	const char *name = unknown;
	if (kind < database->n_kinds)
		name = database->kinds[kind];
	else
		snprintf(unknown, sizeof(unknown), "?%u", kind);
	if (strcmp(name, "NODE") == 0)
		snprintf(unit->host, sizeof(unit->host), "%llx", number);
	else if (strcmp(name, "RANK") == 0 && logical <= INT32_MAX)
		unit->rank = logical;
	else if (strcmp(name, "THREAD") == 0 && logical <= INT32_MAX)
		unit->thread = logical;
	else
		add_other(unit, name, number);
}

static PhStatus
read_unit(const Reading *reading, const Profile *profile, PhHpc4Unit *unit)
{
	const PhHpc4File *file = reading->file;
	const PhHpc4Span *section = &file->sections[PH_HPC4_TUPLES];
	*unit = (PhHpc4Unit){.rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER,
						 .device = PH_NO_NUMBER,
						 .context = PH_NO_NUMBER,
						 .stream = PH_NO_NUMBER};
	if (profile->tuple == 0)
		return PH_OK;
	if (!ph_hpc4_holds(section, profile->tuple, TUPLE_SIZE))
		return ph_hpc4_fail(file, profile->tuple, "identifiers outside of their section");
	PhHpc4Array list = {profile->tuple + TUPLE_SIZE, ph_hpc4_u16(file, profile->tuple),
						IDENTIFIER_SIZE};
	if (list.count > MAX_IDENTIFIERS)
		return ph_hpc4_fail(file, profile->tuple, "more than %d identifiers", MAX_IDENTIFIERS);
	PH_TRY(ph_hpc4_array(file, section, &list, IDENTIFIER_SIZE, "identifiers"));
	for (uint32_t i = 0; i < list.count; i++)
		add_identifier(reading, list.at + (size_t) i * IDENTIFIER_SIZE, unit);
	return PH_OK;
}

PhStatus
ph_hpc4_unit(PhHpc4 *database, uint32_t number, PhHpc4Unit *out)
{
	Reading reading;
	Profile profile;
	PH_TRY(open_infos(database, &reading));
	if (number >= reading.infos.count)
		return ph_hpc4_fail(reading.file, 0, "there is no profile %u", number);
	PH_TRY(read_info(&reading, number, &profile));
	if (profile.is_summary)
		return ph_hpc4_fail(reading.file, 0, "profile %u is a summary, not of a thread", number);
	return read_unit(&reading, &profile, out);
}

/*
 * Streams of GPUs have profiles only because they have lines in the trace: their cost stands with
 * the thread that launched it.
 */
static bool
is_unit(const Profile *profile, const PhHpc4Unit *unit)
{
	return !profile->is_summary && !profile->is_cut && !(unit->is_gpu && profile->n_values == 0);
}

/* Forked processes have one tuple: what has the coordinates of another has its number as a name. */
static PhStatus
add_column(const Reading *reading, const Profile *profile, const PhHpc4Unit *unit,
		   uint32_t n_before, uint32_t *column)
{
	PhProfileBuilder *builder = reading->database->builder;
	char name[PH_HPC4_OTHERS + 32];
	PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = unit->rank == PH_NO_NUMBER ? 0 : (int32_t) unit->rank,
						 .thread = reading->threaded ? (int32_t) unit->thread : PH_NO_NUMBER,
						 .host = unit->host,
						 .name = unit->others};
	PH_TRY(ph_builder_add_column(builder, &spec, column));
	if (*column == n_before)
		return PH_OK;
	snprintf(name, sizeof(name), "%s%sprofile %u", unit->others, unit->others[0] != '\0' ? " " : "",
			 profile->number);
	spec.name = name;
	return ph_builder_add_column(builder, &spec, column);
}

/* ---- completeness ---- */

typedef struct Census
{
	PhMap ranks;
	int64_t most; /* the largest rank; -1: none is told */
} Census;

/* How many profiles and ranks there are, and whether processes have threads. */
static PhStatus
take_census(Reading *reading, Census *census)
{
	for (uint32_t i = 0; i < reading->infos.count; i++)
	{
		Profile profile;
		PhHpc4Unit unit;
		uint32_t *entry;
		PH_TRY(ph_env_poll(reading->file->env));
		PH_TRY(read_info(reading, i, &profile));
		PH_TRY(read_unit(reading, &profile, &unit));
		reading->n_cut += profile.is_cut && !profile.is_summary;
		if (!is_unit(&profile, &unit))
			continue;
		reading->threaded |= unit.thread > 0;
		if (unit.rank == PH_NO_NUMBER)
			continue;
		census->most = PH_MAX(unit.rank, census->most);
		PH_TRY(ph_map_enter(&census->ranks, (uint64_t) unit.rank, 0, &entry));
	}
	reading->used = 0;
	return PH_OK;
}

/* Nothing says how many ranks there were, but those between others must have been. */
static PhStatus
note_missing(Reading *reading)
{
	PhHpc4 *database = reading->database;
	Census census = {.most = -1};
	ph_map_init(&census.ranks, &database->arena);
	PH_TRY(take_census(reading, &census));
	uint32_t n_ranks = (uint32_t) (census.most + 1), missing = n_ranks - census.ranks.count;
	ph_builder_set_missing_columns(database->builder, reading->n_cut + missing);
	if (reading->n_cut > 0)
		PH_TRY(ph_run_missing(database->env, database->run,
							  "the values of %u of %u profiles are beyond the end of profile.db",
							  reading->n_cut, reading->infos.count));
	if (missing > 0)
		PH_TRY(ph_run_missing(database->env, database->run, "%u of %u ranks have no profile",
							  missing, n_ranks));
	return PH_OK;
}

/* ---- second pass ---- */

/* Those values of one context that are used; there is room for all, and one more. */
static void
collect_costs(Reading *reading, const Profile *profile, uint32_t first, uint32_t end)
{
	const PhHpc4Use *uses = reading->database->uses;
	for (uint32_t i = first; i < end; i++)
	{
		size_t at = profile->values_at + (size_t) i * VALUE_SIZE;
		uint32_t id = ph_hpc4_u16(reading->file, at);
		double value = ph_hpc4_double(reading->file, at + 2);
		reading->costs.items[reading->costs.count] = (Cost){id, value, value};
		reading->costs.count += uses[id].n > 0;
	}
}

static PhStatus
collect_entries(Reading *reading, const Profile *profile)
{
	const PhHpc4File *file = reading->file;
	uint32_t end = 0; /* of values: all are of one context after the other */
	reading->entries.count = reading->costs.count = 0;
	PH_TRY(PH_RESERVE(file->env, &reading->costs, (size_t) profile->n_values + 1));
	PH_TRY(PH_RESERVE(file->env, &reading->entries, profile->n_contexts));
	for (uint32_t i = 0; i < profile->n_contexts; i++)
	{
		size_t at = profile->index_at + (size_t) i * INDEX_SIZE;
		uint32_t context = ph_hpc4_find_context(reading->database, ph_hpc4_u32(file, at));
		PH_TRY(ph_env_poll(file->env));
		uint32_t first = end;
		end = (uint32_t) end_of_values(reading, profile, i);
		if (context == PH_NONE)
			continue;
		Entry entry = {.context = context, .first = reading->costs.count};
		collect_costs(reading, profile, first, end);
		entry.end = reading->costs.count;
		if (entry.first == entry.end)
			continue;
		reading->entries.items[reading->entries.count++] = entry;
		reading->entry_of[context] = reading->entries.count;
	}
	return PH_OK;
}

/* Whether a parent's value of this scope has that of a child in it. */
static bool
includes_child(PhHpc4Scope scope, const PhHpc4Context *child)
{
	return scope == PH_HPC4_EXECUTION || (scope == PH_HPC4_FUNCTION && child->is_lexical);
}

/* Take a child's costs off its parent's; both ascend by ids. */
static void
take_off(Reading *reading, const Entry *child, const Entry *parent)
{
	const PhHpc4 *database = reading->database;
	const PhHpc4Context *context = &database->contexts[child->context];
	Cost *costs = reading->costs.items;
	uint32_t at = parent->first;
	for (uint32_t i = child->first; i < child->end; i++)
	{
		while (at < parent->end && costs[at].id < costs[i].id)
			at++;
		if (at < parent->end && costs[at].id == costs[i].id &&
			includes_child((PhHpc4Scope) database->uses[costs[i].id].scope, context))
			costs[at].own -= costs[i].given;
	}
}

static void
take_children_off(Reading *reading)
{
	for (uint32_t i = 0; i < reading->entries.count; i++)
	{
		const Entry *entry = &reading->entries.items[i];
		uint32_t parent = reading->database->contexts[entry->context].parent;
		if (parent != PH_NONE && reading->entry_of[parent] > 0)
			take_off(reading, entry, &reading->entries.items[reading->entry_of[parent] - 1]);
	}
}

/* What the context costs itself, without what rounding left. */
static double
own_cost(Reading *reading, const Cost *cost)
{
	if (fabs(cost->own) <= ROUNDING * cost->given)
		return 0;
	if (cost->own > 0)
		return cost->own;
	reading->n_below++;
	return 0;
}

/* A line that only calls costs nothing itself, and is not there; a function that only calls is. */
static bool
is_there(const PhHpc4Context *context, const Cost *cost)
{
	return cost->own > 0 || !context->is_leaf;
}

/* Tell the builder how many values of each metric there are. */
static PhStatus
expect_costs(Reading *reading, uint32_t column)
{
	const PhHpc4 *database = reading->database;
	memset(reading->expected, 0, database->n_declared * sizeof(*reading->expected));
	for (uint32_t i = 0; i < reading->entries.count; i++)
	{
		const Entry *entry = &reading->entries.items[i];
		const PhHpc4Context *context = &database->contexts[entry->context];
		for (uint32_t k = entry->first; k < entry->end; k++)
		{
			Cost *cost = &reading->costs.items[k];
			const PhHpc4Use *use = &database->uses[cost->id];
			cost->own = own_cost(reading, cost);
			for (uint32_t j = 0; j < use->n; j++)
				reading->expected[use->metric[j]] += is_there(context, cost);
		}
	}
	for (uint32_t i = 0; i < database->n_declared; i++)
		if (reading->expected[i] > 0)
			PH_TRY(ph_builder_expect_values(database->builder, i, column, PH_COST_EXCLUSIVE,
											reading->expected[i]));
	return PH_OK;
}

static PhStatus
add_costs(Reading *reading, uint32_t column)
{
	const PhHpc4 *database = reading->database;
	for (uint32_t i = 0; i < reading->entries.count; i++)
	{
		const Entry *entry = &reading->entries.items[i];
		const PhHpc4Context *context = &database->contexts[entry->context];
		reading->entry_of[entry->context] = 0;
		for (uint32_t k = entry->first; k < entry->end; k++)
		{
			const Cost *cost = &reading->costs.items[k];
			const PhHpc4Use *use = &database->uses[cost->id];
			for (uint32_t j = 0; j < use->n && is_there(context, cost); j++)
				PH_TRY(ph_builder_add_value(database->builder, use->metric[j], context->node,
											column, PH_COST_EXCLUSIVE, cost->own));
		}
	}
	return PH_OK;
}

static PhStatus
read_profile(Reading *reading, const Profile *profile, uint32_t column)
{
	PhInput *input = reading->file->input;
	PH_TRY(collect_entries(reading, profile));
	take_children_off(reading);
	ph_input_passed(input, profile->values_at + (size_t) profile->n_values * VALUE_SIZE,
					reading->database->options);
	PH_TRY(expect_costs(reading, column));
	return add_costs(reading, column);
}

static PhStatus
read_all(Reading *reading)
{
	uint32_t n_columns = 0, column;
	for (uint32_t i = 0; i < reading->infos.count; i++)
	{
		Profile profile;
		PhHpc4Unit unit;
		PH_TRY(read_info(reading, i, &profile));
		PH_TRY(read_unit(reading, &profile, &unit));
		if (!is_unit(&profile, &unit))
			continue;
		PH_TRY(add_column(reading, &profile, &unit, n_columns, &column));
		n_columns++;
		PH_TRY(read_profile(reading, &profile, column));
	}
	if (n_columns == 0)
		return ph_fail(reading->file->env, PH_ERR_VALUE, "%s: no profile of a thread",
					   reading->file->input->path);
	return PH_OK;
}

/* Children that cost more than their parent: a writer's fault. */
static PhStatus
note_below(const Reading *reading)
{
	const PhHpc4 *database = reading->database;
	if (reading->n_below == 0)
		return PH_OK;
	return ph_run_warn(
		database->env, database->run,
		"%s: %llu values are less than those of what is called: the sums of these are "
		"taken instead.",
		database->profile.input->path, (unsigned long long) reading->n_below);
}

PhStatus
ph_hpc4_read_profiles(PhHpc4 *database)
{
	Reading reading;
	PH_TRY(open_infos(database, &reading));
	PH_TRY(note_missing(&reading));
	PH_TRY(PH_NEW(&database->arena, database->n_contexts, &reading.entry_of));
	PH_TRY(PH_NEW(&database->arena, database->n_declared, &reading.expected));
	database->profile.input->dropped = 0;
	PhStatus status = read_all(&reading);
	PH_VECTOR_FREE(database->env, &reading.entries);
	PH_VECTOR_FREE(database->env, &reading.costs);
	return status == PH_OK ? note_below(&reading) : status;
}
