/*
 * plain_rows.c - the columns of plain rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drawing/arena_must.h"
#include "request/identity.h"
#include "views/plain/plain.h"

/* "time [ms]" has unit ms. */
static void
split_title(PhArena *arena, const char *name, PhPlainColumn *out)
{
	const char *bracket = strrchr(name, '[');
	size_t size = strlen(name);

	out->title = name;
	if (bracket == NULL || bracket == name || name[size - 1] != ']')
		return;
	out->unit = ph_need_format(arena, "%.*s", (int) (name + size - 1 - bracket - 1), bracket + 1);
	while (bracket > name && bracket[-1] == ' ')
		bracket--;
	out->title = ph_need_format(arena, "%.*s", (int) (bracket - name), name);
}

typedef struct Text
{
	const char *text;
	uint32_t row;
} Text;

static int
compare_texts(const void *a, const void *b)
{
	const Text *left = a;
	const Text *right = b;
	int order = strcmp(left->text, right->text);

	return order != 0 ? order : (left->row > right->row) - (left->row < right->row);
}

static int
compare_rows(const void *a, const void *b)
{
	const Text *left = a;
	const Text *right = b;

	return (left->row > right->row) - (left->row < right->row);
}

/* The first row of every different text, in the order in which they came. */
static Text *
first_rows(PhArena *arena, const char *const *texts, uint32_t n, uint32_t *n_first)
{
	Text *sorted = ph_need(arena, n, sizeof(Text));

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (Text){texts[i], i};
	qsort(sorted, n, sizeof(Text), compare_texts);
	*n_first = 0;
	for (uint32_t i = 0; i < n; i++)
		if (*n_first == 0 || strcmp(sorted[*n_first - 1].text, sorted[i].text) != 0)
			sorted[(*n_first)++] = sorted[i];
	qsort(sorted, *n_first, sizeof(Text), compare_rows);
	return sorted;
}

/* Texts by name, each with its place. */
static void
find_places(PhArena *arena, uint32_t n, PhPlainColumn *column)
{
	Text *first = first_rows(arena, column->texts, n, &column->n_places);
	Text *by_text = ph_need(arena, column->n_places, sizeof(Text));

	column->places = ph_need(arena, column->n_places, sizeof(char *));
	column->numbers = ph_need(arena, n, sizeof(double));
	for (uint32_t i = 0; i < column->n_places; i++)
	{
		column->places[i] = first[i].text;
		by_text[i] = (Text){first[i].text, i};
	}
	qsort(by_text, column->n_places, sizeof(Text), compare_texts);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t low = 0;
		uint32_t high = column->n_places;

		while (low < high)
		{
			uint32_t middle = low + (high - low) / 2;

			if (strcmp(by_text[middle].text, column->texts[i]) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		column->numbers[i] = by_text[low].row;
	}
}

static void
read_column(PhArena *arena, const PhTable *rows, const PhTable *columns, uint32_t described,
			PhPlainColumn *out)
{
	const char *name = ph_table_text(columns, described, "column");
	const char *kind = ph_table_text(columns, described, "kind");
	const char *title = ph_table_text(columns, described, "name");
	uint32_t n = ph_rows_count(rows);

	split_title(arena, title ? title : "", out);
	out->is_time = kind != NULL && strcmp(kind, "time") == 0;
	if (kind != NULL && strcmp(kind, "text") == 0)
	{
		out->texts = ph_need(arena, n, sizeof(char *));
		for (uint32_t i = 0; i < n; i++)
		{
			const char *text = ph_table_text(rows, i, name);

			out->texts[i] = text ? text : "(null)";
		}
		find_places(arena, n, out);
		return;
	}
	out->numbers = ph_need(arena, n, sizeof(double));
	for (uint32_t i = 0; i < n; i++)
	{
		double value = ph_table_number(rows, i, name);

		out->numbers[i] = isfinite(value) ? value : NAN;
	}
}

/* A series that is null in every row is none: it stands there so that labels can follow it. */
static bool
is_null(const PhTable *rows, const char *name)
{
	for (uint32_t i = 0; i < ph_rows_count(rows); i++)
		if (ph_table_text(rows, i, name) != NULL)
			return false;
	return true;
}

bool
ph_plain_read(PhDrawing *drawing, PhPlain *out)
{
	const PhTable *rows = ph_rows_table(drawing->rows, "given");
	const PhTable *columns = ph_rows_table(drawing->rows, "given_columns");
	const struct
	{
		const char *name;
		PhPlainColumn *column;
	} known[] = {{"x", &out->x},		 {"y", &out->y},		 {"series", &out->series},
				 {"value", &out->value}, {"label", &out->label}, {"lane", &out->y},
				 {"from", &out->x},		 {"to", &out->value}};

	*out = (PhPlain){.n = ph_rows_count(rows)};
	for (uint32_t i = 0; i < ph_rows_count(columns); i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
		{
			const char *name = ph_table_text(columns, i, "column");

			if (name != NULL && strcmp(known[k].name, name) == 0)
				read_column(drawing->arena, rows, columns, i, known[k].column);
		}
	if (is_null(rows, "series"))
		out->series = (PhPlainColumn){0};
	if (out->n > 0 && out->x.title != NULL && out->y.title != NULL)
		return true;
	drawing->page.title = "Rows of a query";
	drawing->body.height = 200;
	ph_page_empty(drawing->scene, drawing->body, "the query gave no rows: nothing to draw");
	return false;
}

static const char *
value_text(PhArena *arena, const PhPlainColumn *column, uint32_t row)
{
	struct tm parts;
	char text[40];
	time_t seconds;

	if (column->texts != NULL)
		return column->texts[row];
	if (isnan(column->numbers[row]))
		return "null";
	if (!column->is_time)
		return ph_value(arena, column->unit, column->numbers[row]);
	seconds = (time_t) column->numbers[row];
	if (gmtime_r(&seconds, &parts) == NULL ||
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts) == 0)
		return "";
	return ph_need_copy(arena, text);
}

const char *
ph_plain_tooltip(PhArena *arena, const PhPlain *plain, uint32_t row)
{
	const PhPlainColumn *const columns[] = {&plain->label, &plain->series, &plain->x, &plain->y,
											&plain->value};
	const char *text = "";

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (columns[i]->title != NULL)
			text = ph_need_format(arena, "%s%s%s %s", text, *text ? "\n" : "", columns[i]->title,
								  value_text(arena, columns[i], row));
	return text;
}
