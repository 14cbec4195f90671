/*
 * expression.c - expressions over sequences, as regular expressions of linear time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/patterns/expression.h"

#include <string.h>

#define ALLOWED PH_PATTERN_LETTERS "()|*+?"
#define DIGITS "0123456789"

/* The length of a repeat {m}, {m,} or {m,n}, which begins here; 0: it is none. */
static size_t
repeat_length(const char *text, size_t length)
{
	size_t at = 1, n_digits = 0;
	for (; at < length && text[at] != '\0' && strchr(DIGITS, text[at]) != NULL; at++)
		n_digits++;
	if (at < length && text[at] == ',' && n_digits > 0)
		for (at++; at < length && text[at] != '\0' && strchr(DIGITS, text[at]) != NULL;)
			at++;
	return n_digits > 0 && at < length && text[at] == '}' ? at + 1 : 0;
}

/* Parentheses must close what is open: the whole is put into a pair of its own. */
static PhStatus
check_parentheses(PhEnv *env, const char *expression, size_t length)
{
	size_t depth = 0;
	for (size_t i = 0; i < length; i++)
	{
		if (expression[i] == ')' && depth == 0)
			return ph_fail(env, PH_ERR_VALUE, "position %zu: nothing is open", i + 1);
		depth += expression[i] == '(';
		depth -= expression[i] == ')';
	}
	return depth == 0 ? PH_OK
					  : ph_fail(env, PH_ERR_VALUE, "%zu of the parentheses are not closed", depth);
}

PhStatus
ph_pattern_compile(PhArena *arena, const char *expression, size_t length, PhRegex **out)
{
	char *text;
	size_t n = 0;
	if (length > PH_MOST_EXPRESSION)
		return ph_fail(arena->env, PH_ERR_LIMIT, "an expression of more than %d bytes",
					   PH_MOST_EXPRESSION);
	PH_TRY(check_parentheses(arena->env, expression, length));
	PH_TRY(PH_NEW(arena, length + 5, &text));
	memcpy(text, "^(", 2);
	n = 2;
	for (size_t i = 0, taken; i < length; i += taken)
	{
		bool repeats = expression[i] == '{';
		taken = repeats ? repeat_length(expression + i, length - i) : 1;
		if (expression[i] == ' ')
			continue;
		if (taken == 0 ||
			(!repeats && (expression[i] == '\0' || strchr(ALLOWED, expression[i]) == NULL)))
			return ph_fail(
				arena->env, PH_ERR_VALUE,
				"position %zu: expressions are made of S, R, W, A, C, ( ) | * + ?, {m}, {m,} "
				"and {m,n}",
				i + 1);
		memcpy(text + n, expression + i, taken);
		n += taken;
	}
	if (n == 2)
		return ph_fail(arena->env, PH_ERR_VALUE, "an empty expression");
	memcpy(text + n, ")$", 2);
	return ph_regex_compile(arena, text, n + 2, PH_REGEX_EXACT, out);
}
