/*
 * name_pattern.c - metadata in names of files.
 *
 * The pattern becomes a regular expression with a group a key.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/meta_text.h"
#include "pipeline/name_pattern.h"
#include "system/memory.h"

#define MOST_KEYS 32
#define MOST_BYTES 1024

struct PhNamePattern
{
	regex_t regex;
	char *keys[MOST_KEYS];
	size_t n_keys;
	size_t n_slashes;
};

void
ph_name_pattern_free(PhNamePattern *pattern)
{
	if (pattern == NULL)
		return;
	for (size_t i = 0; i < pattern->n_keys; i++)
		free(pattern->keys[i]);
	regfree(&pattern->regex);
	free(pattern);
}

/* "{key}" at text; returns its length, 0 with the error noted. */
static size_t
take_key(PhEnv *env, const char *text, PhNamePattern *pattern)
{
	size_t length = strcspn(text + 1, "{}/");
	const char *why = text[1 + length] != '}'		 ? "a { without its }"
					  : length == 0					 ? "a key without a name"
					  : pattern->n_keys == MOST_KEYS ? "too many keys"
													 : NULL;

	for (size_t i = 0; i < pattern->n_keys && why == NULL; i++)
		if (strlen(pattern->keys[i]) == length && strncmp(pattern->keys[i], text + 1, length) == 0)
			why = "a key that is there twice";
	if (why != NULL)
	{
		(void) ph_fail_hint(env, PH_ERR_VALUE, "Such as lulesh-{commit}-n{ranks}-{repeat}.cali.",
							"the pattern of names has %s", why);
		return 0;
	}
	pattern->keys[pattern->n_keys++] = ph_strndup(text + 1, length);
	return length + 2;
}

/* The regular expression, into room for twelve bytes a character. */
static PhStatus
translate(PhEnv *env, const char *text, PhNamePattern *pattern, char *out)
{
	char *at = stpcpy(out, "(^|/)");

	for (size_t size; *text != '\0'; text += size)
	{
		size = 1;
		if (*text == '{')
		{
			size = take_key(env, text, pattern);
			if (size == 0)
				return PH_ERR_VALUE;
			at = stpcpy(at, "([^/]+)");
		}
		else if (*text == '*')
			at = stpcpy(at, "[^/]*");
		else
		{
			pattern->n_slashes += *text == '/';
			if (strchr(".[]()+?|^$\\{}", *text) != NULL)
				*at++ = '\\';
			*at++ = *text;
		}
	}
	stpcpy(at, "$");
	return PH_OK;
}

PhStatus
ph_name_pattern_make(PhEnv *env, const char *text, PhNamePattern **out)
{
	PhNamePattern *pattern;
	char *expression;
	PhStatus status;

	if (strlen(text) > MOST_BYTES)
		return ph_fail(env, PH_ERR_LIMIT, "the pattern of names is longer than %d bytes",
					   MOST_BYTES);
	pattern = ph_must_alloc(1, sizeof(*pattern));
	expression = ph_must_alloc(strlen(text) + 2, 12);
	status = translate(env, text, pattern, expression);
	if (status == PH_OK && pattern->n_keys == 0)
		status = ph_fail_hint(env, PH_ERR_VALUE, "Such as lulesh-{commit}-n{ranks}-{repeat}.cali.",
							  "the pattern of names has no {key}");
	if (status == PH_OK && regcomp(&pattern->regex, expression, REG_EXTENDED) != 0)
		status = ph_fail_memory(env, "regcomp");
	free(expression);
	if (status != PH_OK)
	{
		for (size_t i = 0; i < pattern->n_keys; i++)
			free(pattern->keys[i]);
		free(pattern);
		return status;
	}
	*out = pattern;
	return PH_OK;
}

/* The end of path that has as many slashes. */
static const char *
compared_part(const char *path, size_t n_slashes)
{
	const char *at = path + strlen(path);

	for (size_t left = n_slashes + 1; at > path; at--)
		if (at[-1] == '/' && --left == 0)
			break;
	return at;
}

PhStatus
ph_name_pattern_apply(PhEnv *env, const PhNamePattern *pattern, const char *path, PhMeta *meta,
					  bool *fits)
{
	regmatch_t groups[MOST_KEYS + 2];
	const char *name = compared_part(path, pattern->n_slashes);

	*fits = regexec(&pattern->regex, name, pattern->n_keys + 2, groups, 0) == 0;
	for (size_t i = 0; i < pattern->n_keys && *fits; i++)
	{
		const regmatch_t *group = &groups[i + 2]; /* the first is what is before the name */
		char *value = ph_strndup(name + group->rm_so, (size_t) (group->rm_eo - group->rm_so));
		PhStatus status = ph_meta_put_text(env, meta, pattern->keys[i], value);

		free(value);
		PH_TRY(status);
	}
	return PH_OK;
}
