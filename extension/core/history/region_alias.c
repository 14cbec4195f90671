/*
 * region_alias.c - rules for names, and profiles under the names that they give.
 *
 * Renaming a node can make it equal to a sibling, and then their children become siblings; the
 * normal form of the renamed tree does both. Inclusives add up along with the nodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "history/region_alias.h"

#include <string.h>

#include "base/regex_match.h"
#include "base/str.h"
#include "base/text.h"
#include "profile/regroup.h"
#include "profile/tree.h"

#define FIELDS 3	 /* name, library, file */
#define NOTE_NAMES 3 /* renamed regions that a note names */

typedef struct Rule
{
	const char *exact[FIELDS]; /* NULL: any, or a pattern */
	PhRegex *pattern[FIELDS];
	const char *to[FIELDS]; /* NULL: stays */
} Rule;

struct PhAliases
{
	uint32_t n;
	Rule *rules;
};

static const char *const field_names[FIELDS] = {"name", "library", "file"};

/* ---- rules ---- */

/* A condition as the rule wants it. Says in which rule a pattern is wrong. */
static PhStatus
take_condition(PhArena *arena, const PhAlias *alias, const char *text, Rule *rule, int field,
			   uint32_t number)
{
	if (text == NULL)
		return PH_OK;
	if (!alias->is_pattern)
	{
		char *copy;
		PH_TRY(ph_arena_strndup(arena, text, strlen(text), &copy));
		rule->exact[field] = copy;
		return PH_OK;
	}
	PhStatus status =
		ph_regex_compile(arena, text, strlen(text), PH_REGEX_EXACT, &rule->pattern[field]);
	if (status != PH_ERR_VALUE && status != PH_ERR_LIMIT && status != PH_ERR_UNSUPPORTED)
		return status;
	PhError error = arena->env->error;
	return ph_fail_hint(arena->env, status, error.hint, "%s of alias %u: %.*s", field_names[field],
						number, ph_text_fit(error.message, 400), error.message);
}

static PhStatus
take_rule(PhArena *arena, const PhAlias *alias, Rule *rule, uint32_t number)
{
	const char *const conditions[FIELDS] = {alias->name, alias->library, alias->file};
	const char *const targets[FIELDS] = {alias->to_name, alias->to_library, alias->to_file};
	bool has_condition = false, has_target = false;
	for (int field = 0; field < FIELDS; field++)
	{
		has_condition = has_condition || conditions[field] != NULL;
		has_target = has_target || targets[field] != NULL;
		PH_TRY(take_condition(arena, alias, conditions[field], rule, field, number));
		if (targets[field] == NULL)
			continue;
		char *copy;
		PH_TRY(ph_arena_strndup(arena, targets[field], strlen(targets[field]), &copy));
		rule->to[field] = copy;
	}
	if (!has_condition || !has_target)
		return ph_fail_hint(arena->env, PH_ERR_VALUE,
							"An alias says which name, library or file it is about, and which "
							"name, library or file they count as.",
							"alias %u has no %s", number, has_condition ? "target" : "condition");
	if (rule->to[0] != NULL && rule->to[0][0] == '\0')
		return ph_fail(arena->env, PH_ERR_VALUE, "alias %u leaves no name", number);
	return PH_OK;
}

PhStatus
ph_aliases_new(PhArena *arena, uint32_t n, const PhAlias *rules, PhAliases **out)
{
	PhAliases *aliases;
	PH_TRY(PH_NEW(arena, 1, &aliases));
	PH_TRY(PH_NEW(arena, n, &aliases->rules));
	aliases->n = n;
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(take_rule(arena, &rules[i], &aliases->rules[i], i + 1));
	*out = aliases;
	return PH_OK;
}

static PhStatus
rule_matches(const Rule *rule, const char *const *texts, bool *matches)
{
	*matches = true;
	for (int field = 0; field < FIELDS && *matches; field++)
	{
		if (rule->exact[field] != NULL)
			*matches = strcmp(rule->exact[field], texts[field]) == 0;
		if (rule->pattern[field] != NULL)
			PH_TRY(
				ph_regex_search(rule->pattern[field], texts[field], strlen(texts[field]), matches));
	}
	return PH_OK;
}

static bool
rule_changes(const Rule *rule, const char *const *texts)
{
	for (int field = 0; field < FIELDS; field++)
		if (rule->to[field] != NULL && strcmp(rule->to[field], texts[field]) != 0)
			return true;
	return false;
}

/* Apply the first rule that matches and changes something. */
static PhStatus
apply_one(const PhAliases *aliases, const char **texts, bool *applied)
{
	*applied = false;
	for (uint32_t i = 0; i < aliases->n; i++)
	{
		const Rule *rule = &aliases->rules[i];
		bool matches = false;
		if (!rule_changes(rule, texts))
			continue;
		PH_TRY(rule_matches(rule, texts, &matches));
		if (!matches)
			continue;
		for (int field = 0; field < FIELDS; field++)
			texts[field] = rule->to[field] != NULL ? rule->to[field] : texts[field];
		*applied = true;
		return PH_OK;
	}
	return PH_OK;
}

PhStatus
ph_aliases_apply(PhEnv *env, const PhAliases *aliases, PhRegionNames *names)
{
	const char *texts[FIELDS] = {names->name, names->library, names->file};
	bool applied = true;
	for (uint32_t steps = 0; applied && steps <= aliases->n; steps++)
		PH_TRY(apply_one(aliases, texts, &applied));
	if (applied)
		return ph_fail_hint(env, PH_ERR_VALUE, "Remove one of the aliases of the circle.",
							"the aliases of \"%.*s\" go in a circle", ph_text_fit(names->name, 200),
							names->name);
	names->name = texts[0];
	names->library = texts[1];
	names->file = texts[2];
	return PH_OK;
}

/* ---- profiles ---- */

/* The regions of a profile under their new names, over a string table of their own. */
typedef struct Renamed
{
	PhStrings strings;
	PhRegion *regions;
	uint32_t n_renamed;
	PhStr list; /* the first ones, for the note */
} Renamed;

static PhStatus
list_renamed(Renamed *renamed, const PhRegionNames *old, const PhRegionNames *names)
{
	const char *from = old->name, *to = names->name;
	if (strcmp(from, to) == 0)
	{
		bool library = strcmp(old->library, names->library) != 0;
		from = library ? old->library : old->file;
		to = library ? names->library : names->file;
	}
	if (renamed->n_renamed++ >= NOTE_NAMES)
		return PH_OK;
	if (to[0] == '\0')
		to = "(none)";
	return ph_str_printf(&renamed->list, "%s%.*s as %.*s", renamed->n_renamed > 1 ? ", " : "",
						 ph_text_fit(from, 60), from, ph_text_fit(to, 60), to);
}

static PhStatus
rename_region(PhEnv *env, Renamed *renamed, const PhProfile *profile, const PhAliases *aliases,
			  uint32_t index)
{
	const PhRegion *from = &profile->regions[index];
	PhRegion *to = &renamed->regions[index];
	const PhRegionNames old = {profile->strings[from->name], profile->strings[from->library],
							   profile->strings[from->file]};
	PhRegionNames names = old;
	*to = *from;
	PH_TRY(ph_aliases_apply(env, aliases, &names));
	if (strcmp(names.name, old.name) != 0 || strcmp(names.library, old.library) != 0 ||
		strcmp(names.file, old.file) != 0)
		PH_TRY(list_renamed(renamed, &old, &names));
	PH_TRY(ph_strings_intern(&renamed->strings, names.name, &to->name));
	PH_TRY(ph_strings_intern(&renamed->strings, names.library, &to->library));
	PH_TRY(ph_strings_intern(&renamed->strings, names.file, &to->file));
	PH_TRY(ph_strings_intern(&renamed->strings, profile->strings[from->paradigm], &to->paradigm));
	return ph_strings_intern(&renamed->strings, profile->strings[from->module], &to->module);
}

static PhStatus
rename_regions(PhArena *scratch, const PhProfile *profile, const PhAliases *aliases,
			   Renamed *renamed)
{
	PH_TRY(ph_strings_init(&renamed->strings, scratch));
	PH_TRY(PH_NEW(scratch, profile->n_regions, &renamed->regions));
	ph_str_init(&renamed->list, scratch);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		PH_TRY(rename_region(scratch->env, renamed, profile, aliases, i));
	}
	return PH_OK;
}

static PhStatus
renamed_note(Renamed *renamed, char **note)
{
	if (renamed->n_renamed > NOTE_NAMES)
		PH_TRY(ph_str_printf(&renamed->list, " and %u more", renamed->n_renamed - NOTE_NAMES));
	PhStr text;
	char *list;
	ph_str_init(&text, renamed->list.arena);
	PH_TRY(ph_str_take(&renamed->list, &list));
	PH_TRY(ph_str_printf(&text, "aliases: %s", list));
	return ph_str_take(&text, note);
}

static PhStatus
renamed_parts(PhMaker *maker, const PhProfile *profile, Renamed *renamed)
{
	PhRegroup regroup = {.from = profile, .keep_inclusive = true};
	uint32_t *node_of;
	char *note;
	PhTreeInput input = {profile->n_nodes,	 profile->parent,  profile->region,
						 profile->n_regions, renamed->regions, renamed->strings.text};
	PH_TRY(PH_NEW(&maker->scratch, profile->n_nodes, &node_of));
	PH_TRY(ph_tree_build(maker, &input, node_of));
	PH_TRY(ph_tree_members(&maker->scratch, profile->n_nodes, node_of, maker->profile->n_nodes,
						   &regroup.own.start, &regroup.own.items));
	regroup.same = regroup.own;
	PH_TRY(renamed_note(renamed, &note));
	return ph_regroup(maker, &regroup, note);
}

static PhStatus
rename_nodes(PhEnv *env, const PhProfile *profile, Renamed *renamed, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = renamed_parts(&maker, profile, renamed);
	return ph_maker_end(&maker, status, out);
}

static PhStatus
rename_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	Renamed renamed = {0};
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = rename_regions(&scratch, profile, arguments, &renamed);
	if (status == PH_OK && renamed.n_renamed == 0)
		status = ph_profile_copy(env, profile, out);
	else if (status == PH_OK)
		status = rename_nodes(env, profile, &renamed, out);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_profile_apply_aliases(PhEnv *env, const PhProfile *profile, const PhAliases *aliases,
						 PhProfile **out)
{
	return ph_reduce_deep(env, profile, rename_one, aliases, out);
}
