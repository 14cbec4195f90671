/*
 * module_map.c - a list of regular expressions that says which module a function belongs to.
 *
 * The expressions are the core's own (base/regex_match.h): the C library's regcomp allocates
 * through malloc, which a server cannot abandon, takes exponential time and memory on some
 * patterns, and depends on the locale. A map from a stranger is therefore safe to apply inside the
 * server.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/regex_match.h"
#include "base/table.h"
#include "base/text.h"
#include "supergraph/supergraph.h"

typedef struct MapRule
{
	PhRegex *pattern;
	const char *module;
} MapRule;

struct PhModuleMap
{
	uint32_t n_rules;
	uint32_t capacity;
	MapRule *rules;
};

/* A piece of the text. */
typedef struct Piece
{
	const char *text;
	size_t length;
} Piece;

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static Piece
trim(const char *text, size_t length)
{
	while (length > 0 && is_blank(text[0]))
	{
		text++;
		length--;
	}
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	return (Piece){text, length};
}

/* A tab separates pattern and module; without one the last "=". SIZE_MAX: neither is there. */
static size_t
find_separator(Piece line)
{
	const char *tab = memchr(line.text, '\t', line.length);
	if (tab != NULL)
		return (size_t) (tab - line.text);
	for (size_t at = line.length; at > 0; at--)
		if (line.text[at - 1] == '=')
			return at - 1;
	return SIZE_MAX;
}

/* Say in which line the pattern is wrong. */
static PhStatus
bad_pattern(PhEnv *env, PhStatus status, uint32_t line)
{
	if (status == PH_ERR_MEMORY || status == PH_ERR_INTERRUPTED)
		return status;
	PhError error = env->error;
	return ph_fail_hint(env, status, error.hint, "module map line %u: %.*s", line,
						ph_text_fit(error.message, 400), error.message);
}

static PhStatus
add_rule(PhArena *arena, PhModuleMap *map, Piece line, uint32_t number)
{
	static const char form[] = "Write one rule a line: a regular expression, a tab or \"=\", and "
							   "the module's name.";
	size_t at = find_separator(line);
	if (at == SIZE_MAX)
		return ph_fail_hint(arena->env, PH_ERR_VALUE, form,
							"module map line %u: no tab and no \"=\" between pattern and module",
							number);
	Piece pattern = trim(line.text, at);
	Piece module = trim(line.text + at + 1, line.length - at - 1);
	if (pattern.length == 0 || module.length == 0)
		return ph_fail_hint(arena->env, PH_ERR_VALUE, form, "module map line %u: the %s is empty",
							number, pattern.length == 0 ? "pattern" : "module");
	PH_TRY(PH_GROW(arena, &map->rules, map->n_rules, &map->capacity));
	MapRule *rule = &map->rules[map->n_rules];
	PhStatus status =
		ph_regex_compile(arena, pattern.text, pattern.length, PH_REGEX_EXACT, &rule->pattern);
	if (status != PH_OK)
		return bad_pattern(arena->env, status, number);
	char *name;
	PH_TRY(ph_arena_strndup(arena, module.text, module.length, &name));
	rule->module = name;
	map->n_rules++;
	return PH_OK;
}

PhStatus
ph_module_map_parse(PhArena *arena, const char *text, PhModuleMap **out)
{
	PhModuleMap *map;
	PH_TRY(PH_NEW(arena, 1, &map));
	for (uint32_t number = 1; *text != '\0'; number++)
	{
		size_t length = strcspn(text, "\n");
		Piece line = trim(text, length);
		PH_TRY(ph_env_poll(arena->env));
		if (line.length > 0 && line.text[0] != '#')
			PH_TRY(add_rule(arena, map, line, number));
		text += length;
		text += *text == '\n' ? 1 : 0;
	}
	*out = map;
	return PH_OK;
}

static bool
matches(const MapRule *rule, const char *text)
{
	bool found = false;
	if (text == NULL || text[0] == '\0')
		return false;
	return ph_regex_search(rule->pattern, text, strlen(text), &found) == PH_OK && found;
}

const char *
ph_module_map_apply(const PhModuleMap *map, const char *name, const char *file, const char *library)
{
	for (uint32_t i = 0; i < map->n_rules; i++)
	{
		const MapRule *rule = &map->rules[i];
		if (matches(rule, name) || matches(rule, file) || matches(rule, library))
			return rule->module;
	}
	return NULL;
}
