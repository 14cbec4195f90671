/*
 * columns.c - one supernode's values over the columns (ranks, threads) of a run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "views/ranks/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"

/* An array of a row, n long whatever the row has; missing numbers are filler. */
double *
ph_column_numbers(PhArena *arena, const PhTable *table, const char *column, uint32_t n,
				  double filler)
{
	uint32_t found;
	double *values = ph_table_numbers(arena, table, 0, column, &found);
	double *out = ph_need(arena, n, sizeof(double));

	for (uint32_t i = 0; i < n; i++)
		out[i] = i < found && isfinite(values[i]) ? values[i] : filler;
	return out;
}

const char **
ph_column_texts(PhArena *arena, const PhTable *table, const char *column, uint32_t n)
{
	uint32_t found;
	const char **values = ph_table_texts(arena, table, 0, column, &found);
	const char **out = ph_need(arena, n, sizeof(char *));

	for (uint32_t i = 0; i < n && i < found; i++)
		out[i] = values[i];
	return out;
}

void
ph_columns_read(PhArena *arena, const PhViewRows *rows, PhColumns *out)
{
	const PhTable *table = ph_rows_table(rows, "values");
	const PhTable *second = ph_rows_table(rows, "values_y");

	memset(out, 0, sizeof(*out));
	out->node = ph_table_text(table, 0, "node");
	ph_table_numbers(arena, table, 0, "inclusive", &out->n);
	out->rank = ph_column_numbers(arena, table, "rank", out->n, NAN);
	out->thread = ph_column_numbers(arena, table, "thread", out->n, NAN);
	out->host = ph_column_texts(arena, table, "host", out->n);
	out->name = ph_column_texts(arena, table, "name", out->n);
	out->inclusive = ph_column_numbers(arena, table, "inclusive", out->n, 0);
	out->exclusive = ph_column_numbers(arena, table, "exclusive", out->n, 0);
	if (second != NULL)
	{
		out->inclusive_y = ph_column_numbers(arena, second, "inclusive", out->n, 0);
		out->exclusive_y = ph_column_numbers(arena, second, "exclusive", out->n, 0);
	}
	for (uint32_t i = 1; i < out->n; i++)
		out->threaded = out->threaded || out->rank[i] == out->rank[i - 1];
}

const char *
ph_columns_noun(const PhColumns *columns, bool one)
{
	for (uint32_t i = 0; i < columns->n; i++)
		if (isnan(columns->rank[i]))
			return one ? "column" : "columns";
	if (columns->threaded)
		return one ? "thread" : "threads";
	return one ? "rank" : "ranks";
}

const char *
ph_column_text(PhArena *arena, const PhColumns *columns, uint32_t i)
{
	if (isnan(columns->rank[i]))
		return columns->name[i] ? columns->name[i] : ph_need_format(arena, "column %u", i);
	if (columns->threaded && !isnan(columns->thread[i]))
		return ph_need_format(arena, "rank %.0f, thread %.0f", columns->rank[i],
							  columns->thread[i]);
	return ph_need_format(arena, "rank %.0f", columns->rank[i]);
}

static int
compare_doubles(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return left < right ? -1 : left > right;
}

const char *
ph_ranges_text(PhArena *arena, const double *numbers, uint32_t n, size_t max)
{
	double *sorted = ph_need(arena, n, sizeof(double));
	const char *text = "";

	memcpy(sorted, numbers, n * sizeof(double));
	qsort(sorted, n, sizeof(double), compare_doubles);
	for (uint32_t i = 0; i < n;)
	{
		uint32_t last = i;

		while (last + 1 < n && sorted[last + 1] <= sorted[last] + 1)
			last++;
		if (strlen(text) > max)
			return ph_need_format(arena, "%s, \xe2\x80\xa6", text);
		if (sorted[last] > sorted[i])
			text = ph_need_format(arena, "%s%s%.0f-%.0f", text, *text ? ", " : "", sorted[i],
								  sorted[last]);
		else
			text = ph_need_format(arena, "%s%s%.0f", text, *text ? ", " : "", sorted[i]);
		i = last + 1;
	}
	return text;
}

typedef struct Place
{
	const char *host;
	double rank, thread;
	uint32_t column;
} Place;

static int
compare_places(const void *a, const void *b)
{
	const Place *left = a;
	const Place *right = b;
	int order = strcmp(left->host, right->host);

	if (order == 0)
		order = compare_doubles(&left->rank, &right->rank);
	if (order == 0)
		order = compare_doubles(&left->thread, &right->thread);
	if (order == 0)
		order = left->column < right->column ? -1 : 1;
	return order;
}

uint32_t *
ph_columns_order(PhArena *arena, const PhColumns *columns, bool by_host)
{
	Place *places = ph_need(arena, columns->n, sizeof(Place));
	uint32_t *order = ph_need(arena, columns->n, sizeof(uint32_t));

	for (uint32_t i = 0; i < columns->n; i++)
		places[i] = (Place){by_host && columns->host[i] ? columns->host[i] : "",
							isnan(columns->rank[i]) ? INFINITY : columns->rank[i],
							isnan(columns->thread[i]) ? 0 : columns->thread[i], i};
	qsort(places, columns->n, sizeof(Place), compare_places);
	for (uint32_t i = 0; i < columns->n; i++)
		order[i] = places[i].column;
	return order;
}

/*
 * True when at least three places follow the pattern first, first + period, …, nine tenths of these
 * are slow (above middle), and they are nine tenths of all slow ones.
 */
static bool
has_period(const double *values, uint32_t n, double middle, const PhSlowPattern *pattern)
{
	uint32_t expected = (n - pattern->first + pattern->period - 1) / pattern->period;
	uint32_t hits = 0;

	for (uint32_t i = pattern->first; i < n; i += pattern->period)
		hits += values[i] > middle;
	return expected >= 3 && hits >= 0.9 * expected && hits >= 0.9 * pattern->n_slow;
}

static void
pattern_means(const double *values, uint32_t n, double middle, PhSlowPattern *pattern)
{
	double slow = 0;
	double other = 0;

	for (uint32_t i = 0; i < n; i++)
		*(values[i] > middle ? &slow : &other) += values[i];
	pattern->slow_mean = slow / pattern->n_slow;
	pattern->other_mean = other / (n - pattern->n_slow);
}

bool
ph_slow_pattern(const double *values, uint32_t n, PhSlowPattern *out)
{
	double low = INFINITY;
	double high = -INFINITY;
	double middle;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < n; i++)
	{
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	middle = low + (high - low) / 2;
	if (n < 6 || !(high > low))
		return false;
	for (uint32_t i = 0; i < n; i++)
		out->n_slow += values[i] > middle;
	if (out->n_slow < 3 || out->n_slow > n / 2 + 1)
		return false;
	/* a period p has about n / p slow ranks: only few need be tried */
	for (uint32_t period = 2; period <= n / 3; period++)
	{
		out->period = period;
		if (out->n_slow > 1.2 * n / period + 2)
			return false;
		if (out->n_slow < 0.8 * (n / period))
			continue;
		for (out->first = 0; out->first < period; out->first++)
			if (has_period(values, n, middle, out))
			{
				pattern_means(values, n, middle, out);
				return true;
			}
	}
	return false;
}
