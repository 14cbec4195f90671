/*
 * run_filter.h - a predicate on runs in a small language, as SQL that cannot do anything else.
 *
 *   filter     := term { (AND | OR) term }
 *   term       := { NOT } ( "(" filter ")" | comparison | 'text' )
 *   comparison := column ( = | <> | != | < | <= | > | >= ) value
 *               | column ( [NOT] LIKE | [NOT] ILIKE | ~ | ~* | !~ | !~* ) value
 *               | column [NOT] IN "(" value { , value } ")"
 *               | column [NOT] BETWEEN value AND value
 *               | column IS [NOT] NULL
 *   column     := a column of run_overview | measured_at | since | until | tag | meta.key
 *               | meta."any key"
 *   value      := 'text' | number | a word without blanks, quotes, commas and parentheses
 *
 * AND binds tighter than OR, NOT tighter than AND, as in SQL. Numbers compare as numbers, also with
 * metadata; `tag` is true of any of the run's tags and takes =, <> and IN. A text alone is one that
 * is in the run's title, application, commit or source. measured_at: when the run began, or else
 * was loaded; since = X and until = X compare it. Times may be ages: 7d is seven days ago (s, m, h,
 * d, w, mon, y). commit_id = and <> take the beginning of a commit, of at least 4 digits, as well.
 *
 * The SQL consists of fixed words, names of columns out of a table and references to the array of
 * arguments, ($1)[k], that holds every value and metadata key: no text of the filter gets into it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HISTORY_RUN_FILTER_H
#define PH_HISTORY_RUN_FILTER_H

#include "base/arena.h"

typedef struct PhRunFilter
{
	char *sql; /* over `r`, a row of run_overview, and $1, a text[] of the arguments */
	char **arguments;
	uint32_t n_arguments;
} PhRunFilter;

/*
 * text: UTF-8, length bytes. PH_ERR_VALUE with the position when it is not a filter, PH_ERR_LIMIT
 * when it is too long or too deep. O(length).
 */
PhStatus ph_run_filter(PhArena *arena, const char *text, size_t length,
					   PhRunFilter *out) PH_MUST_CHECK;

#endif
