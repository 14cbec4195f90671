/*
 * collect.c - the rows of a statement, kept as the rows of a picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/collect.h"

#include "drawing/arena_must.h"

typedef struct Collector
{
	PhViewRows *rows;
	size_t most_bytes;
	bool is_full;
} Collector;

static bool
collect_row(void *user, const PhResult *row)
{
	Collector *collector = user;

	/* the database sends objects: what cannot be read as one found no memory */
	ph_need_memory(
		ph_rows_add(collector->rows, ph_result_text(row, 0, 0), ph_result_text(row, 0, 1)));
	collector->is_full =
		collector->most_bytes > 0 && ph_arena_bytes(collector->rows->arena) > collector->most_bytes;
	return !collector->is_full;
}

bool
ph_collect(PhConnection *connection, const PhView *view, const PhOptions *options,
		   const PhStatement *statement, PhViewRows *rows, PhFailure *failure)
{
	Collector collector = {.rows = rows, .most_bytes = statement->most_bytes};
	bool ok = ph_pq_stream(connection, statement->sql, statement->params, statement->n_params,
						   collect_row, &collector);

	if (collector.is_full)
		return ph_fail_fetch(failure, PH_EXIT_MEMORY, "there is too much to draw in one picture",
							 "Filter more, or choose fewer ranks or a shorter window.");
	if (!ok)
		return ph_fail_query(connection, view, options, failure);
	if (ph_rows_table(rows, "error"))
		return ph_fail_rows(options, rows, failure);
	return true;
}
