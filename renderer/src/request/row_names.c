/*
 * row_names.c - names beside rows of processes, of which there may be more than there is room for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/row_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"

#define DASH "\xe2\x80\x93"
#define LINE 13.0

bool
ph_is_stream_row(const PhTable *rows, uint32_t row)
{
	return ph_table_number(rows, row, "n_locations") == 1 &&
		   !isnan(ph_table_number(rows, row, "rank")) &&
		   isnan(ph_table_number(rows, row, "thread")) && ph_table_text(rows, row, "name") != NULL;
}

const char *
ph_location_name(PhArena *arena, const PhTable *rows, uint32_t row)
{
	double n = ph_table_number(rows, row, "n_locations");
	double rank = ph_table_number(rows, row, "rank");
	double last = ph_table_number(rows, row, "last_rank");
	double thread = ph_table_number(rows, row, "thread");
	const char *name = ph_table_text(rows, row, "name");
	const char *last_name = ph_table_text(rows, row, "last_name");

	if (isnan(rank) && n > 1 && name && last_name)
		return ph_need_format(arena, "%s" DASH "%s", name, last_name);
	if (isnan(rank))
		return name ? name : "";
	bool are_streams = isnan(thread) && name != NULL;
	if (n > 1 && rank < last)
		return ph_need_format(arena, "%.0f" DASH "%.0f%s", rank, last,
							  are_streams ? ": streams" : "");
	if (n > 1 && are_streams)
		return ph_need_format(arena, "%.0f: streams", rank);
	if (ph_is_stream_row(rows, row))
		return ph_need_format(arena, "%.0f: %s", rank, name);
	if (thread > 0)
		return ph_need_format(arena, "%.0f.%.0f", rank, thread);
	return ph_need_format(arena, "%.0f", rank);
}

/* First and last rank of "980-1028"; false: the row has another name. */
static bool
read_ranks(const char *name, double *first, double *last)
{
	char *end;

	*first = *last = strtod(name, &end);
	if (end == name)
		return false;
	if (strncmp(end, DASH, strlen(DASH)) == 0)
		*last = strtod(end + strlen(DASH), &end);
	return *end == '\0' && *last >= *first;
}

/* Show names of ranks, or the others, that are apart from all shown ones; in order of rows. */
static void
show_names(const PhRowNames *names, uint32_t n, double apart, bool of_ranks, bool *shown)
{
	double last = -INFINITY, first_rank, last_rank;
	uint32_t next = 0; /* shown row behind this one, or n */

	for (uint32_t row = 0; row < n; row++)
	{
		for (next = next > row ? next : row + 1; next < n && !shown[next];)
			next++;
		if (!shown[row] && read_ranks(names->names[row], &first_rank, &last_rank) == of_ranks &&
			row - last >= apart && (next == n || next - row >= apart))
			shown[row] = true;
		if (shown[row])
			last = row;
	}
}

PhRowNames
ph_row_names(PhArena *arena, const char *const *names, uint32_t n, double height)
{
	PhRowNames out = {.names = names, .ranks_a_row = 1, .every = 1};
	uint32_t n_ranks = 0;

	for (uint32_t row = 0; row < n; row++)
	{
		double first, last;
		bool is_ranks = read_ranks(names[row], &first, &last);

		n_ranks += is_ranks;
		if (is_ranks && last - first < UINT32_MAX - 1)
			out.ranks_a_row = (uint32_t) fmax(out.ranks_a_row, last - first + 1);
	}
	if (out.ranks_a_row == 1 && n_ranks > 0 && n_ranks < n && height < LINE)
	{
		bool *shown = ph_need(arena, n, sizeof(*shown));

		show_names(&out, n, LINE / height, true, shown);
		show_names(&out, n, LINE / height, false, shown);
		out.shown = shown;
	}
	for (uint32_t i = 0; out.every * height / out.ranks_a_row < LINE && i < 60; i++)
		out.every *= i % 3 == 1 ? 2.5 : 2;
	return out;
}

const char *
ph_row_name(PhArena *arena, const PhRowNames *names, uint32_t row)
{
	double first, last, rank;

	if (names->shown != NULL)
		return names->shown[row] ? names->names[row] : NULL;
	if (names->ranks_a_row == 1)
		return fmod(row, names->every) == 0 ? names->names[row] : NULL;
	if (!read_ranks(names->names[row], &first, &last))
		return NULL; /* streams, below the ranks whose they are */
	rank = ceil(first / names->every) * names->every;
	return rank <= last ? ph_need_format(arena, "%.0f", rank) : NULL;
}
