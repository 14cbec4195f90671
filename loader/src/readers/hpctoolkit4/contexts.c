/*
 * contexts.c - the tree of contexts of meta.db and the call paths that they become.
 *
 * A context is a function, a loop, a line or an instruction. A line is a leaf here: what it calls
 * hangs below the function or loop that the line is in. An instruction that was called is a
 * function without a name; any other is part of its line. Contexts that thereby have the same call
 * path are one node.
 *
 * Contexts are sorted by their ids, because values of profile.db are: so the values of a column
 * come to the builder in ascending order of nodes, which it likes best.
 *
 * Children are arrays anywhere in the section. Nothing but the number of contexts that the section
 * has room for bounds a walk through arrays that contain each other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "base/sort.h"
#include "readers/hpctoolkit4/database.h"

/* ---- structures of version 4.0 ---- */

#define HEADER_SIZE 11
#define DRAFT_HEADER_SIZE 16
#define ENTRY_SIZE 32
#define CONTEXT_SIZE 32		  /* without its words */
#define DRAFT_CONTEXT_SIZE 24 /* likewise */

#define FLAG_FUNCTION 1
#define FLAG_LINE 2
#define FLAG_OFFSET 4

enum
{
	RELATION_LEXICAL,
	RELATION_CALL,
	RELATION_INLINED
};

enum
{
	LEXICAL_FUNCTION,
	LEXICAL_LOOP,
	LEXICAL_LINE,
	LEXICAL_INSTRUCTION
};

/* ---- the walk ---- */

typedef struct Pending
{
	uint32_t parent;
	size_t at, size; /* of the array of children */
} Pending;

typedef struct Walk
{
	PhHpc4 *database;
	const PhHpc4File *file;
	PhHpc4Span section;
	size_t head;   /* bytes of a context without its words */
	uint32_t room; /* contexts that the section can hold */
	uint32_t capacity;
	PH_VECTOR(Pending) stack;
} Walk;

static PhStatus
push_children(Walk *walk, uint32_t parent, size_t at)
{
	Pending children = {.parent = parent,
						.at = ph_hpc4_u64(walk->file, at + 8),
						.size = ph_hpc4_u64(walk->file, at)};
	if (children.size == 0)
		return PH_OK;
	if (!ph_hpc4_holds(&walk->section, children.at, children.size))
		return ph_hpc4_fail(walk->file, at, "children outside of the section of contexts");
	PH_TRY(PH_ROOM(&walk->database->arena, &walk->stack));
	walk->stack.items[walk->stack.count++] = children;
	return PH_OK;
}

static PhStatus
add_context(Walk *walk, size_t at, uint32_t parent, bool is_entry)
{
	PhHpc4 *database = walk->database;
	uint32_t index = database->n_contexts;
	PH_TRY(ph_env_poll(database->env));
	if (index == walk->room)
		return ph_hpc4_fail(
			walk->file, at,
			"more contexts than their section has room for: they contain each other");
	PH_TRY(PH_GROW(&database->arena, &database->contexts, index, &walk->capacity));
	database->contexts[index] = (PhHpc4Context){.id = ph_hpc4_u32(walk->file, at + 16),
												.parent = parent,
												.at = at,
												.node = PH_NONE,
												.host = PH_NONE,
												.module = PH_NONE,
												.is_entry = is_entry};
	database->n_contexts++;
	return push_children(walk, index, at);
}

/* Contexts are of different sizes; the last one must end where the array does. */
static PhStatus
add_children(Walk *walk, const Pending *children)
{
	size_t left = children->size;
	while (left > 0)
	{
		size_t at = children->at + (children->size - left);
		size_t size = walk->head;
		if (size <= left)
			size += 8 * (size_t) ph_hpc4_u8(walk->file, at + 23);
		if (size > left)
			return ph_hpc4_fail(walk->file, at, "a context goes beyond the array that it is in");
		PH_TRY(add_context(walk, at, children->parent, false));
		left -= size;
	}
	return PH_OK;
}

static PhStatus
add_entries(Walk *walk)
{
	const PhHpc4File *file = walk->file;
	size_t at = walk->section.at;
	PhHpc4Array entries = {ph_hpc4_u64(file, at), ph_hpc4_u16(file, at + 8),
						   ph_hpc4_u8(file, at + 10)};
	PH_TRY(ph_hpc4_array(file, &walk->section, &entries, ENTRY_SIZE, "entry points"));
	for (uint32_t i = 0; i < entries.count; i++)
		PH_TRY(add_context(walk, entries.at + (size_t) i * entries.stride, PH_NONE, true));
	return PH_OK;
}

static PhStatus
walk_tree(Walk *walk)
{
	PhHpc4 *database = walk->database;
	bool is_draft = database->is_draft;
	walk->head = is_draft ? DRAFT_CONTEXT_SIZE : CONTEXT_SIZE;
	PH_TRY(ph_hpc4_section(walk->file, PH_HPC4_CONTEXTS, is_draft ? DRAFT_HEADER_SIZE : HEADER_SIZE,
						   &walk->section));
	size_t room = walk->section.size / walk->head;
	walk->room = room < PH_NONE ? (uint32_t) room : PH_NONE - 1;
	if (is_draft)
		PH_TRY(push_children(walk, PH_NONE, walk->section.at));
	else
		PH_TRY(add_entries(walk));
	while (walk->stack.count > 0)
	{
		Pending children = walk->stack.items[--walk->stack.count];
		PH_TRY(add_children(walk, &children));
	}
	if (database->n_contexts == 0)
		return ph_hpc4_fail(walk->file, walk->section.at, "the tree has no contexts");
	return PH_OK;
}

/* ---- the order of ids ---- */

static int
compare_ids(const void *contexts, uint32_t x, uint32_t y)
{
	const PhHpc4Context *a = (const PhHpc4Context *) contexts + x;
	const PhHpc4Context *b = (const PhHpc4Context *) contexts + y;
	return (a->id > b->id) - (a->id < b->id);
}

static PhStatus
check_ids(const PhHpc4 *database)
{
	for (uint32_t i = 0; i < database->n_contexts; i++)
	{
		const PhHpc4Context *context = &database->contexts[i];
		if (context->id == 0)
			return ph_hpc4_fail(&database->meta, context->at, "a context with id 0");
		if (i > 0 && context[-1].id == context->id)
			return ph_hpc4_fail(&database->meta, context->at, "a second context with id %u",
								context->id);
	}
	return PH_OK;
}

/* Ids nearly always follow each other: then each place is of one. */
static PhStatus
index_ids(PhHpc4 *database)
{
	const PhHpc4Context *contexts = database->contexts;
	uint32_t n = database->n_contexts, last = contexts[n - 1].id, place = 0;
	while (last >> database->id_shift > 2 * (uint64_t) n)
		database->id_shift++;
	database->n_first = (last >> database->id_shift) + 1;
	PH_TRY(PH_NEW(&database->arena, (size_t) database->n_first + 1, &database->first_of));
	for (uint32_t i = 0; i < n; i++)
		while (place <= contexts[i].id >> database->id_shift)
			database->first_of[place++] = i;
	database->first_of[place] = n;
	return PH_OK;
}

static PhStatus
sort_by_id(PhHpc4 *database)
{
	PhArena *arena = &database->arena;
	uint32_t n = database->n_contexts, *order, *place;
	PhHpc4Context *sorted;
	PH_TRY(ph_sort_indices(arena, n, compare_ids, database->contexts, &order));
	PH_TRY(PH_NEW(arena, n, &place));
	PH_TRY(PH_NEW(arena, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
		place[order[i]] = i;
	for (uint32_t i = 0; i < n; i++)
	{
		sorted[i] = database->contexts[order[i]];
		if (sorted[i].parent != PH_NONE)
			sorted[i].parent = place[sorted[i].parent];
	}
	database->contexts = sorted;
	PH_TRY(check_ids(database));
	return index_ids(database);
}

/* ---- what a context says of itself ---- */

typedef struct Facts
{
	unsigned relation, lexical;
	PhHpc4Function function; /* name "": none */
	uint32_t file, line;	 /* of loops and lines */
	uint32_t module;
	uint64_t offset;
} Facts;

/*
 * The words behind a context hold what its flags say, packed: a number of 8 bytes takes the next
 * word, one of 4 the first half that is free. Here only one of 4 bytes is possible, so that it has
 * a word of its own behind the file's.
 */
static PhStatus
read_words(const PhHpc4 *database, size_t at, size_t words_at, unsigned flags, Facts *facts)
{
	const PhHpc4File *file = &database->meta;
	unsigned needed = (flags & FLAG_FUNCTION ? 1 : 0) + (flags & FLAG_LINE ? 2 : 0) +
					  (flags & FLAG_OFFSET ? 2 : 0);
	if (ph_hpc4_u8(file, at + 23) < needed)
		return ph_hpc4_fail(file, at, "a context with %u words, its flags need %u",
							ph_hpc4_u8(file, at + 23), needed);
	if (flags & FLAG_FUNCTION)
	{
		PH_TRY(ph_hpc4_function(database, ph_hpc4_u64(file, words_at), &facts->function));
		facts->module = facts->function.module;
		facts->offset = facts->function.offset;
		words_at += 8;
	}
	if (flags & FLAG_LINE)
	{
		PH_TRY(ph_hpc4_element(file, &database->files, ph_hpc4_u64(file, words_at), "file",
							   &facts->file));
		facts->line = ph_hpc4_u32(file, words_at + 8);
		words_at += 16;
	}
	if (flags & FLAG_OFFSET)
	{
		PH_TRY(ph_hpc4_element(file, &database->modules, ph_hpc4_u64(file, words_at), "module",
							   &facts->module));
		facts->offset = ph_hpc4_u64(file, words_at + 8);
	}
	return PH_OK;
}

static PhStatus
read_entry(const PhHpc4 *database, size_t at, Facts *facts)
{
	const PhHpc4File *file = &database->meta;
	*facts = (Facts){.relation = RELATION_CALL,
					 .lexical = LEXICAL_FUNCTION,
					 .function = {.name = "", .module = PH_NONE, .file = PH_NONE},
					 .file = PH_NONE,
					 .module = PH_NONE};
	return ph_hpc4_text(file, &file->sections[PH_HPC4_STRINGS], ph_hpc4_u64(file, at + 24),
						&facts->function.name);
}

static PhStatus
read_facts(const PhHpc4 *database, const PhHpc4Context *context, Facts *facts)
{
	const PhHpc4File *file = &database->meta;
	size_t at = context->at;
	if (context->is_entry)
		return read_entry(database, at, facts);
	*facts = (Facts){.relation = ph_hpc4_u8(file, at + 21),
					 .lexical = ph_hpc4_u8(file, at + 22),
					 .function = {.name = "", .module = PH_NONE, .file = PH_NONE},
					 .file = PH_NONE,
					 .module = PH_NONE};
	return read_words(database, at, at + (database->is_draft ? DRAFT_CONTEXT_SIZE : CONTEXT_SIZE),
					  ph_hpc4_u8(file, at + 20), facts);
}

/* ---- regions ---- */

#define NAME_MAX_BYTES 600

static const char *
file_name(const PhHpc4 *database, uint32_t file)
{
	return file == PH_NONE ? "" : database->paths.normal[database->file_of[file]];
}

static const char *
module_name(const PhHpc4 *database, uint32_t module)
{
	return module == PH_NONE ? "" : database->module_names[module];
}

/* "module+0x12f": of what has no other name. */
static void
write_place(const PhHpc4 *database, const Facts *facts, const char *prefix, char *out)
{
	const char *module = module_name(database, facts->module);
	snprintf(out, NAME_MAX_BYTES, "%s%.500s+0x%llx", prefix,
			 module[0] != '\0' ? module : "<unknown module>", (unsigned long long) facts->offset);
}

/* "file.c:12" */
static void
write_line(const PhHpc4 *database, const Facts *facts, const char *prefix, char *out)
{
	const char *file = ph_path_base(file_name(database, facts->file));
	snprintf(out, NAME_MAX_BYTES, "%s%.500s:%u", prefix, file[0] != '\0' ? file : "<unknown file>",
			 facts->line);
}

/* The region's name: of the function, or made in room. */
static const char *
name_of(const PhHpc4 *database, const Facts *facts, char *room)
{
	bool has_module = facts->module != PH_NONE;
	if (facts->lexical == LEXICAL_LOOP && facts->file == PH_NONE && has_module)
		write_place(database, facts, "Loop@", room);
	else if (facts->lexical == LEXICAL_LOOP)
		write_line(database, facts, "Loop@", room);
	else if (facts->lexical == LEXICAL_LINE)
		write_line(database, facts, "", room);
	else if (facts->lexical == LEXICAL_FUNCTION && facts->function.name[0] != '\0')
		return facts->function.name;
	else if (facts->lexical == LEXICAL_INSTRUCTION || has_module)
		write_place(database, facts, "", room);
	else
		return "<unknown function>";
	while (room[0] != '\0' && !ph_utf8_valid(room, strlen(room)))
		room[strlen(room) - 1] = '\0'; /* cut in the middle of a character */
	return room;
}

static PhRegionKind
kind_of(const Facts *facts)
{
	return facts->lexical == LEXICAL_LOOP	? PH_KIND_LOOP
		   : facts->lexical == LEXICAL_LINE ? PH_KIND_STATEMENT
											: PH_KIND_FUNCTION;
}

/* Traces name functions by the regions of the profile. */
static PhStatus
keep_region(PhHpc4 *database, uint32_t region, const PhRegionSpec *spec)
{
	char *name;
	while (database->regions.count <= region)
	{
		PH_TRY(PH_ROOM(&database->arena, &database->regions));
		database->regions.items[database->regions.count++] = (PhHpc4Region){0};
	}
	if (database->regions.items[region].name != NULL)
		return PH_OK;
	PH_TRY(ph_arena_strndup(&database->arena, spec->name, strlen(spec->name), &name));
	database->regions.items[region] = (PhHpc4Region){name, spec->library, spec->file, spec->line};
	return PH_OK;
}

/* The node below parent for what the facts tell, in a function of the module. */
static PhStatus
add_node(PhHpc4 *database, const Facts *facts, uint32_t module, uint32_t parent, uint32_t *out,
		 uint32_t *out_region)
{
	const PhReadOptions *options = database->options;
	char room[NAME_MAX_BYTES];
	bool is_function = kind_of(facts) == PH_KIND_FUNCTION;
	uint32_t line = is_function ? facts->function.line : facts->line, region;
	PhRegionSpec spec = {.kind = kind_of(facts),
						 .name = name_of(database, facts, room),
						 .library = module_name(database, module),
						 .file =
							 file_name(database, is_function ? facts->function.file : facts->file),
						 .line = line > 0 && line <= INT32_MAX ? (int32_t) line : PH_NO_NUMBER};
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file, spec.library);
	PH_TRY(ph_builder_add_region(database->builder, &spec, &region));
	if (is_function)
		PH_TRY(keep_region(database, region, &spec));
	*out_region = is_function ? region : PH_NONE;
	return ph_builder_child(database->builder, parent, region, out);
}

/* ---- nodes ---- */

/* Set node, host and module of a context whose parent has them. */
static PhStatus
place(PhHpc4 *database, PhHpc4Context *context)
{
	static const PhHpc4Context above = {.node = PH_NONE, .host = PH_NONE, .module = PH_NONE};
	const PhHpc4Context *parent =
		context->parent == PH_NONE ? &above : &database->contexts[context->parent];
	Facts facts;
	PH_TRY(read_facts(database, context, &facts));
	bool is_function = facts.lexical == LEXICAL_FUNCTION ||
					   (facts.lexical == LEXICAL_INSTRUCTION && facts.relation != RELATION_LEXICAL);
	context->is_lexical = facts.relation == RELATION_LEXICAL;
	context->is_placed = true;
	context->module = is_function ? facts.module : parent->module;
	context->is_leaf = !is_function && facts.lexical != LEXICAL_LOOP;
	context->host = parent->host;
	context->region = PH_NONE;
	if (context->is_leaf && facts.lexical != LEXICAL_LINE && parent->node != PH_NONE)
	{
		context->node = parent->node;
		return PH_OK;
	}
	PH_TRY(add_node(database, &facts, context->module, parent->host, &context->node,
					&context->region));
	if (!context->is_leaf)
		context->host = context->node;
	return PH_OK;
}

/* Nodes in the order of the contexts' ids, each behind that of its parent. */
static PhStatus
place_all(PhHpc4 *database)
{
	PhIndices path = {0};
	for (uint32_t i = 0; i < database->n_contexts; i++)
	{
		PH_TRY(ph_env_poll(database->env));
		for (uint32_t at = i; at != PH_NONE && !database->contexts[at].is_placed;
			 at = database->contexts[at].parent)
		{
			PH_TRY(PH_ROOM(&database->arena, &path));
			path.items[path.count++] = at;
		}
		while (path.count > 0)
			PH_TRY(place(database, &database->contexts[path.items[--path.count]]));
	}
	return PH_OK;
}

PhStatus
ph_hpc4_read_contexts(PhHpc4 *database)
{
	Walk walk = {.database = database, .file = &database->meta};
	PH_TRY(walk_tree(&walk));
	PH_TRY(sort_by_id(database));
	return place_all(database);
}
