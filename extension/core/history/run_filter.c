/*
 * run_filter.c - AND, OR, NOT and parentheses of a run filter.
 *
 * The language's operators bind as SQL's do, so they are written as they come; only their order and
 * the balance of the parentheses have to be right. No stack, no recursion.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "history/run_filter.h"

#include "history/run_filter_internal.h"

#define LONGEST 65536	   /* bytes; what people write has some hundred */
#define DEEPEST 100		   /* parentheses: the server's parser recurses on them */
#define MOST_NEGATIONS 100 /* in a row: the server's parser recurses on them */

/* NOT and opening parentheses before a comparison. */
static PhStatus
open_term(PhFilterReader *reader, uint32_t *depth)
{
	for (uint32_t negations = 0;;)
	{
		PH_TRY(ph_env_poll(reader->arena->env));
		if (ph_filter_at(reader, "not"))
		{
			if (++negations > MOST_NEGATIONS)
				return ph_filter_error(reader, "too many NOTs");
			PH_TRY(ph_str_append(&reader->sql, "NOT "));
		}
		else if (ph_filter_at(reader, "("))
		{
			if (++*depth > DEEPEST)
				return ph_filter_error(reader, "parentheses nested too deeply");
			PH_TRY(ph_str_append(&reader->sql, "("));
		}
		else
			return PH_OK;
		PH_TRY(ph_filter_next(reader));
	}
}

static PhStatus
close_term(PhFilterReader *reader, uint32_t *depth)
{
	while (ph_filter_at(reader, ")"))
	{
		if (*depth == 0)
			return ph_filter_error(reader, "a parenthesis that closes nothing");
		--*depth;
		PH_TRY(ph_str_append(&reader->sql, ")"));
		PH_TRY(ph_filter_next(reader));
	}
	return PH_OK;
}

/* AND or OR; false at the end of the filter. */
static PhStatus
join_terms(PhFilterReader *reader, bool *more)
{
	*more = reader->word.kind != PH_WORD_END;
	if (!*more)
		return PH_OK;
	if (ph_filter_at(reader, "and"))
		PH_TRY(ph_str_append(&reader->sql, " AND "));
	else if (ph_filter_at(reader, "or"))
		PH_TRY(ph_str_append(&reader->sql, " OR "));
	else
		return ph_filter_error(reader, "neither AND nor OR nor the end");
	return ph_filter_next(reader);
}

PhStatus
ph_run_filter(PhArena *arena, const char *text, size_t length, PhRunFilter *out)
{
	PhRunFilter filter = {0};
	PhFilterReader reader = {.arena = arena, .text = text, .length = length, .out = &filter};
	uint32_t depth = 0;
	if (length > LONGEST)
		return ph_fail(arena->env, PH_ERR_LIMIT, "run filter: %zu bytes, the limit is %d", length,
					   LONGEST);
	ph_str_init(&reader.sql, arena);
	PH_TRY(ph_filter_next(&reader));
	for (bool more = true; more;)
	{
		PH_TRY(open_term(&reader, &depth));
		PH_TRY(ph_filter_comparison(&reader));
		PH_TRY(close_term(&reader, &depth));
		PH_TRY(join_terms(&reader, &more));
	}
	if (depth > 0)
		return ph_filter_error(&reader, "a parenthesis that is not closed");
	PH_TRY(ph_str_take(&reader.sql, &filter.sql));
	*out = filter;
	return PH_OK;
}
