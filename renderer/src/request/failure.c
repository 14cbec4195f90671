/*
 * failure.c - why there are no rows for a picture, in words for people.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/failure.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "drawing/arena_must.h"
#include "queries.h"
#include "request/bind.h"
#include "system/log.h"

#define MAX_LISTED 20

bool
ph_fail_fetch(PhFailure *failure, PhExit code, const char *message, const char *hint)
{
	*failure = (PhFailure){.code = code, .sqlstate = "", .message = message, .hint = hint};
	return false;
}

const char *
ph_listed(PhConnection *connection, PhArena *arena, const PhQuery *query, const PhView *view,
		  const PhOptions *options)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	int n_params = ph_bind(query, view, options, params);
	PhResult *result = ph_pq_query(connection, query->sql, params, n_params);
	const char *list = "";
	size_t n;

	if (result == NULL)
		return list;
	n = ph_result_count(result);
	for (size_t row = 0; row < n && row < MAX_LISTED; row++)
		list =
			ph_need_format(arena, "%s%s%s", list, row ? ", " : "", ph_result_text(result, row, 0));
	if (n > MAX_LISTED)
		list = ph_need_format(arena, "%s and %zu more", list, n - MAX_LISTED);
	ph_result_free(result);
	return list;
}

/* The supernodes that there are; of metrics and call paths the server says it. */
static void
hint_supernodes(PhConnection *connection, const PhView *view, const PhOptions *options,
				PhFailure *failure)
{
	bool names_some = ph_option_given(options, "node") || ph_option_given(options, "split-entry") ||
					  ph_option_given(options, "split-caller") || ph_option_given(options, "drill");
	const char *list;

	if (!names_some || !ph_option_given(options, "run") || !ph_option_taken(options, "group-by"))
		return;
	list = ph_listed(connection, options->arena, &ph_query_render_supernodes, view, options);
	if (*list)
		failure->hint = ph_need_format(options->arena, "Supernodes of run %s by %s: %s.",
									   ph_option_text(options, "run"),
									   ph_option_text(options, "group-by"), list);
}

/* "While drawing flame-diff of runs 1 and 2." */
static const char *
what_was_drawn(const PhView *view, const PhOptions *options)
{
	const char *run = ph_option_text(options, "run");
	const char *vs = ph_option_text(options, "vs");

	if (run == NULL)
		return ph_need_format(options->arena, "While drawing %s.", view->name);
	return ph_need_format(options->arena, "While drawing %s of run%s %s%s%s.", view->name,
						  vs ? "s" : "", run, vs ? " and " : "", vs ? vs : "");
}

bool
ph_fail_query(PhConnection *connection, const PhView *view, const PhOptions *options,
			  PhFailure *failure)
{
	const PhPqError *error = &connection->error;
	PhArena *arena = options->arena;
	bool is_ours = error->code == PH_EXIT_INTERRUPTED;

	ph_fail_fetch(failure, error->code,
				  is_ours ? "interrupted" : ph_need_copy(arena, error->message),
				  ph_need_copy(arena, error->hint));
	failure->sqlstate = ph_need_copy(arena, error->sqlstate);
	failure->detail = ph_need_copy(arena, error->detail);
	if (view == NULL)
		return false;
	if (*failure->detail == '\0' && !is_ours)
		failure->detail = what_was_drawn(view, options);
	if (failure->code == PH_EXIT_NOT_FOUND)
		hint_supernodes(connection, view, options, failure);
	return false;
}

/* ---- rows that say why --------------------------------------------------------------------- */

/* Names that contain the word, else the nearest, else all. */
static const char *
similar(PhArena *arena, const char *word, const char *const *names, uint32_t n)
{
	const char *nearest = ph_nearest_word(word, names, n);
	const char *list = "";
	uint32_t n_listed = 0;

	for (uint32_t i = 0; i < n && n_listed < MAX_LISTED; i++)
		if (strcasestr(names[i], word))
			list = ph_need_format(arena, "%s%s%s", list, n_listed++ ? ", " : "", names[i]);
	if (n_listed > 0)
		return ph_need_format(arena, "Did you mean one of these: %s?", list);
	if (nearest)
		return ph_need_format(arena, "Did you mean %s?", nearest);
	for (uint32_t i = 0; i < n && i < MAX_LISTED; i++)
		list = ph_need_format(arena, "%s%s%s", list, i ? ", " : "", names[i]);
	if (n > MAX_LISTED)
		list = ph_need_format(arena, "%s and %u more", list, n - MAX_LISTED);
	return n > 0 ? ph_need_format(arena, "There are: %s.", list) : NULL;
}

bool
ph_fail_rows(const PhOptions *options, const PhViewRows *rows, PhFailure *failure)
{
	const PhTable *error = ph_rows_table(rows, "error");
	const char *hint = ph_table_text(error, 0, "hint");
	const char *word = ph_table_text(error, 0, "word");
	uint32_t n;
	const char **candidates = ph_table_texts(options->arena, error, 0, "candidates", &n);

	if (hint == NULL && word != NULL)
		hint = similar(options->arena, word, candidates, n);
	return ph_fail_fetch(failure, PH_EXIT_NOT_FOUND, ph_table_text(error, 0, "message"), hint);
}

PhExit
ph_failure_log(const PhFailure *failure)
{
	ph_log_error("%s", failure->message);
	if (failure->detail && *failure->detail)
		ph_log_detail("%s", failure->detail);
	if (failure->hint && *failure->hint)
		ph_log_hint("%s", failure->hint);
	return failure->code;
}
