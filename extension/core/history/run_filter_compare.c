/*
 * run_filter_compare.c - one comparison of a run filter as SQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "history/run_filter_internal.h"

typedef enum ColumnType
{
	TYPE_TEXT,
	TYPE_NUMBER,
	TYPE_TIME,
	TYPE_COMMIT, /* text; = and <> take its beginning */
	TYPE_SINCE,	 /* a bound of measured_at, set by = */
	TYPE_UNTIL,
	TYPE_TAGS,
	TYPE_META
} ColumnType;

typedef struct Column
{
	const char *name;
	ColumnType type;
	uint32_t key; /* of metadata: number of the argument */
} Column;

static const Column columns[] = {{"application", TYPE_TEXT, 0},
								 {"branch", TYPE_TEXT, 0},
								 {"cluster", TYPE_TEXT, 0},
								 {"commit_id", TYPE_COMMIT, 0},
								 {"communication_efficiency", TYPE_NUMBER, 0},
								 {"completeness", TYPE_TEXT, 0},
								 {"device_efficiency", TYPE_NUMBER, 0},
								 {"events_dropped_at", TYPE_TIME, 0},
								 {"excluded_reason", TYPE_TEXT, 0},
								 {"fingerprint", TYPE_TEXT, 0},
								 {"format", TYPE_TEXT, 0},
								 {"load_balance", TYPE_NUMBER, 0},
								 {"loaded_at", TYPE_TIME, 0},
								 {"measured_at", TYPE_TIME, 0},
								 {"missing_columns", TYPE_NUMBER, 0},
								 {"n_columns", TYPE_NUMBER, 0},
								 {"n_events", TYPE_NUMBER, 0},
								 {"n_nodes", TYPE_NUMBER, 0},
								 {"n_ranks", TYPE_NUMBER, 0},
								 {"n_threads", TYPE_NUMBER, 0},
								 {"n_units", TYPE_NUMBER, 0},
								 {"parallel_efficiency", TYPE_NUMBER, 0},
								 {"repeat", TYPE_NUMBER, 0},
								 {"residual_cells", TYPE_NUMBER, 0},
								 {"rolled_up_at", TYPE_TIME, 0},
								 {"run_id", TYPE_NUMBER, 0},
								 {"serialisation_efficiency", TYPE_NUMBER, 0},
								 {"since", TYPE_SINCE, 0},
								 {"source", TYPE_TEXT, 0},
								 {"started_at", TYPE_TIME, 0},
								 {"thread_efficiency", TYPE_NUMBER, 0},
								 {"title", TYPE_TEXT, 0},
								 {"total", TYPE_NUMBER, 0},
								 {"transfer_efficiency", TYPE_NUMBER, 0},
								 {"until", TYPE_UNTIL, 0},
								 {"user_name", TYPE_TEXT, 0}};

/* The one column that run_overview does not have. */
static const char measured_at[] = "coalesce(r.started_at, r.loaded_at)";

/* Copied into the SQL, hence never the filter's own text. */
static const char *const symbols[] = {"=", "<>", "!=", "<", "<=", ">", ">="};
static const char *const patterns[] = {"like", "ilike", "~", "~*", "!~", "!~*"};
static const char *const pattern_sql[] = {"LIKE", "ILIKE", "~", "~*", "!~", "!~*"};

static PhStatus
add_argument(PhFilterReader *reader, char *text, uint32_t *number)
{
	PhRunFilter *out = reader->out;
	PH_TRY(PH_GROW(reader->arena, &out->arguments, out->n_arguments, &reader->capacity));
	out->arguments[out->n_arguments++] = text;
	*number = out->n_arguments;
	return PH_OK;
}

static PhStatus
read_meta_key(PhFilterReader *reader, Column *column)
{
	*column = (Column){.type = TYPE_META};
	PH_TRY(ph_filter_next(reader));
	if (!ph_filter_at(reader, "."))
		return ph_filter_error(reader, "no .key after meta");
	PH_TRY(ph_filter_next(reader));
	if (reader->word.kind != PH_WORD_NAME && reader->word.kind != PH_WORD_QUOTED)
		return ph_filter_error(reader, "no metadata key");
	return add_argument(reader, reader->word.text, &column->key);
}

static PhStatus
unknown_column(const PhFilterReader *reader)
{
	const char *names[sizeof(columns) / sizeof(columns[0])];
	size_t n = sizeof(columns) / sizeof(columns[0]);
	for (size_t i = 0; i < n; i++)
		names[i] = columns[i].name;
	const char *nearest = ph_nearest_word(reader->word.text, names, n);
	char hint[160];
	if (nearest != NULL)
		snprintf(hint, sizeof(hint), "Did you mean \"%s\"?", nearest);
	else
		snprintf(hint, sizeof(hint),
				 "Is it metadata, meta.%.*s? \"perfhouse help filters\" lists the columns.",
				 ph_text_fit(reader->word.text, 40), reader->word.text);
	return ph_fail_hint(reader->arena->env, PH_ERR_VALUE, hint,
						"run filter: a name that is not a column of run_overview (metadata keys "
						"are written meta.key) at position %zu",
						reader->word.position + 1);
}

static PhStatus
read_column(PhFilterReader *reader, Column *column)
{
	if (reader->word.kind != PH_WORD_NAME)
		return ph_filter_error(reader, "no column");
	if (ph_filter_at(reader, "meta"))
		PH_TRY(read_meta_key(reader, column));
	else if (ph_filter_at(reader, "tag"))
		*column = (Column){.name = "tags", .type = TYPE_TAGS};
	else
	{
		size_t i = 0, n = sizeof(columns) / sizeof(columns[0]);
		while (i < n && !ph_filter_at(reader, columns[i].name))
			i++;
		if (i == n)
			return unknown_column(reader);
		*column = columns[i];
	}
	return ph_filter_next(reader);
}

/* ---- what is compared ---- */

static PhStatus
put_column(PhFilterReader *reader, const Column *column, bool as_number)
{
	PhStr *sql = &reader->sql;
	if (column->type == TYPE_TIME && strcmp(column->name, "measured_at") == 0)
		return ph_str_append(sql, measured_at);
	if (column->type != TYPE_META)
		return ph_str_printf(sql, "r.%s", column->name);
	if (!as_number)
		return ph_str_printf(sql, "(r.meta ->> ($1)[%u])", column->key);
	return ph_str_printf(sql,
						 "(CASE WHEN (r.meta ->> ($1)[%u]) ~ "
						 "'^[-+]?[0-9]{1,30}([.][0-9]{1,30})?([eE][-+]?[0-9]{1,2})?$' "
						 "THEN (r.meta ->> ($1)[%u])::float8 END)",
						 column->key, column->key);
}

static bool
has_times(const Column *column)
{
	return column->type == TYPE_TIME || column->type == TYPE_SINCE || column->type == TYPE_UNTIL;
}

/* The current word as a value for the column; moves on. */
static PhStatus
read_value(PhFilterReader *reader, const Column *column, uint32_t *number)
{
	bool is_number = reader->word.kind == PH_WORD_NUMBER;
	if (!is_number && reader->word.kind != PH_WORD_TEXT)
		return ph_filter_error(reader, "neither a 'text' nor a number");
	if (column->type == TYPE_NUMBER && !is_number)
		return ph_filter_error(reader, "a text where the column has numbers");
	if (has_times(column) && is_number)
		return ph_filter_error(reader, "a number where the column has times (2026-01-31, or 7d)");
	PH_TRY(add_argument(reader, reader->word.text, number));
	return ph_filter_next(reader);
}

/* 7d, 12h, 3mon: a time that long ago. */
static bool
is_age(const char *text)
{
	static const char *const units[] = {"s", "m", "min", "h", "d", "w", "mon", "y"};
	size_t digits = strspn(text, "0123456789");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (digits > 0 && digits < 7 && strcmp(text + digits, units[i]) == 0)
			return true;
	return false;
}

/* Columns of numbers are integers: their indexes answer for integers only. */
static bool
is_integer(const char *text)
{
	text += *text == '-' || *text == '+';
	size_t digits = strspn(text, "0123456789");
	return digits > 0 && digits < 19 && text[digits] == '\0';
}

static PhStatus
put_value(PhFilterReader *reader, const Column *column, bool as_number, uint32_t number)
{
	PhStr *sql = &reader->sql;
	if (column->type == TYPE_NUMBER && is_integer(reader->out->arguments[number - 1]))
		return ph_str_printf(sql, "($1)[%u]::int8", number);
	if (column->type == TYPE_NUMBER || as_number)
		return ph_str_printf(sql, "($1)[%u]::float8", number);
	if (!has_times(column))
		return ph_str_printf(sql, "($1)[%u]", number);
	if (is_age(reader->out->arguments[number - 1]))
		return ph_str_printf(sql, "(now() - ($1)[%u]::interval)", number);
	return ph_str_printf(sql, "($1)[%u]::timestamptz", number);
}

/* ---- kinds of comparison ---- */

static PhStatus
compare_tag(PhFilterReader *reader, const char *symbol, uint32_t value)
{
	if (strcmp(symbol, "=") != 0 && strcmp(symbol, "<>") != 0 && strcmp(symbol, "!=") != 0)
		return ph_filter_error(reader, "tag takes =, <> and IN only; wrong comparison");
	return ph_str_printf(&reader->sql, "%s(($1)[%u] = ANY (r.tags))",
						 symbol[0] == '=' ? "" : "NOT ", value);
}

/* since = X, until = X. */
static PhStatus
compare_bound(PhFilterReader *reader, const Column *column, const char *symbol, uint32_t value)
{
	if (strcmp(symbol, "=") != 0)
		return ph_filter_error(reader, "since and until take = only; wrong comparison");
	PH_TRY(ph_str_printf(&reader->sql, "(%s %s ", measured_at,
						 column->type == TYPE_SINCE ? ">=" : "<="));
	PH_TRY(put_value(reader, column, false, value));
	return ph_str_append(&reader->sql, ")");
}

/* As git abbreviates commits; a whole one has 40 digits. */
static bool
is_beginning_of_commit(const char *text)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF");
	return text[n] == '\0' && n >= 4 && n < 40;
}

static PhStatus
compare_symbol(PhFilterReader *reader, const Column *column, const char *symbol)
{
	uint32_t value = 0;
	bool equal = strcmp(symbol, "=") == 0;
	PH_TRY(ph_filter_next_value(reader));
	bool as_number = column->type == TYPE_META && reader->word.kind == PH_WORD_NUMBER;
	PH_TRY(read_value(reader, column, &value));
	if (column->type == TYPE_TAGS)
		return compare_tag(reader, symbol, value);
	if (column->type == TYPE_SINCE || column->type == TYPE_UNTIL)
		return compare_bound(reader, column, symbol, value);
	if (column->type == TYPE_COMMIT && (equal || symbol[1] == '>' || symbol[0] == '!') &&
		is_beginning_of_commit(reader->out->arguments[value - 1]))
		return ph_str_printf(&reader->sql, "(%sstarts_with(r.commit_id, lower(($1)[%u])))",
							 equal ? "" : "NOT ", value);
	PH_TRY(ph_str_append(&reader->sql, "("));
	PH_TRY(put_column(reader, column, as_number));
	PH_TRY(ph_str_printf(&reader->sql, " %s ", symbol));
	PH_TRY(put_value(reader, column, as_number, value));
	return ph_str_append(&reader->sql, ")");
}

static PhStatus
compare_pattern(PhFilterReader *reader, const Column *column, const char *pattern, bool negated)
{
	uint32_t value = 0;
	if (column->type != TYPE_TEXT && column->type != TYPE_COMMIT && column->type != TYPE_META)
		return ph_filter_error(reader, "a pattern where the column has no text");
	PH_TRY(ph_filter_next_value(reader));
	if (reader->word.kind != PH_WORD_TEXT)
		return ph_filter_error(reader, "no 'pattern'");
	PH_TRY(read_value(reader, column, &value));
	PH_TRY(ph_str_append(&reader->sql, negated ? "(NOT " : "("));
	PH_TRY(put_column(reader, column, false));
	PH_TRY(ph_str_printf(&reader->sql, " %s ", pattern));
	PH_TRY(put_value(reader, column, false, value));
	return ph_str_append(&reader->sql, ")");
}

/* After "IN": a list of values; of tags: has any of them. */
static PhStatus
compare_list(PhFilterReader *reader, const Column *column, bool negated)
{
	PH_TRY(ph_filter_next(reader));
	if (!ph_filter_at(reader, "("))
		return ph_filter_error(reader, "no list after IN");
	PH_TRY(ph_str_append(&reader->sql, negated ? "(NOT " : "("));
	PH_TRY(put_column(reader, column, false));
	PH_TRY(
		ph_str_append(&reader->sql, column->type == TYPE_TAGS ? " && ARRAY[" : " = ANY (ARRAY["));
	do
	{
		uint32_t value = 0;
		PH_TRY(ph_env_poll(reader->arena->env));
		bool first = ph_filter_at(reader, "(");
		PH_TRY(ph_filter_next_value(reader));
		PH_TRY(read_value(reader, column, &value));
		PH_TRY(ph_str_append(&reader->sql, first ? "" : ", "));
		PH_TRY(put_value(reader, column, false, value));
	} while (ph_filter_at(reader, ","));
	if (!ph_filter_at(reader, ")"))
		return ph_filter_error(reader, "a list that is not closed");
	PH_TRY(ph_filter_next(reader));
	return ph_str_append(&reader->sql, column->type == TYPE_TAGS ? "])" : "]))");
}

static PhStatus
compare_range(PhFilterReader *reader, const Column *column, bool negated)
{
	uint32_t low = 0, high = 0;
	if (column->type == TYPE_TAGS)
		return ph_filter_error(reader, "tag takes =, <> and IN only; wrong comparison");
	PH_TRY(ph_filter_next_value(reader));
	bool as_number = column->type == TYPE_META && reader->word.kind == PH_WORD_NUMBER;
	PH_TRY(read_value(reader, column, &low));
	if (!ph_filter_at(reader, "and"))
		return ph_filter_error(reader, "no AND after BETWEEN and its first value");
	PH_TRY(ph_filter_next_value(reader));
	if (as_number && reader->word.kind != PH_WORD_NUMBER)
		return ph_filter_error(reader, "a text after a number");
	PH_TRY(read_value(reader, column, &high));
	PH_TRY(ph_str_append(&reader->sql, negated ? "(NOT " : "("));
	PH_TRY(put_column(reader, column, as_number));
	PH_TRY(ph_str_append(&reader->sql, " BETWEEN "));
	PH_TRY(put_value(reader, column, as_number, low));
	PH_TRY(ph_str_append(&reader->sql, " AND "));
	PH_TRY(put_value(reader, column, as_number, high));
	return ph_str_append(&reader->sql, ")");
}

static PhStatus
compare_null(PhFilterReader *reader, const Column *column)
{
	PH_TRY(ph_filter_next(reader));
	bool negated = ph_filter_at(reader, "not");
	if (negated)
		PH_TRY(ph_filter_next(reader));
	if (!ph_filter_at(reader, "null"))
		return ph_filter_error(reader, "no NULL after IS");
	PH_TRY(ph_filter_next(reader));
	PH_TRY(ph_str_append(&reader->sql, "("));
	PH_TRY(put_column(reader, column, false));
	return ph_str_append(&reader->sql, negated ? " IS NOT NULL)" : " IS NULL)");
}

/* A text alone: it is in what people see of the run. */
static PhStatus
compare_anything(PhFilterReader *reader)
{
	uint32_t value = 0;
	PH_TRY(add_argument(reader, reader->word.text, &value));
	PH_TRY(ph_str_printf(&reader->sql,
						 "(position(lower(($1)[%u]) IN lower(concat_ws(' ', r.title, "
						 "r.application, r.commit_id, r.source))) > 0)",
						 value));
	return ph_filter_next(reader);
}

/* Place of the current word in a table; n when it is not there. */
static size_t
find_word(const PhFilterReader *reader, const char *const *words, size_t n)
{
	size_t i = 0;
	while (i < n && !ph_filter_at(reader, words[i]))
		i++;
	return i;
}

PhStatus
ph_filter_comparison(PhFilterReader *reader)
{
	enum
	{
		N_SYMBOLS = sizeof(symbols) / sizeof(symbols[0]),
		N_PATTERNS = sizeof(patterns) / sizeof(patterns[0])
	};
	Column column;
	if (reader->word.kind == PH_WORD_TEXT)
		return compare_anything(reader);
	PH_TRY(read_column(reader, &column));
	size_t symbol = find_word(reader, symbols, N_SYMBOLS);
	if (symbol < N_SYMBOLS)
		return compare_symbol(reader, &column, symbols[symbol]);
	if (column.type == TYPE_SINCE || column.type == TYPE_UNTIL)
		return ph_filter_error(reader, "since and until take = only; wrong comparison");
	if (ph_filter_at(reader, "is"))
		return compare_null(reader, &column);
	bool negated = ph_filter_at(reader, "not");
	if (negated)
		PH_TRY(ph_filter_next(reader));
	if (ph_filter_at(reader, "in"))
		return compare_list(reader, &column, negated);
	if (ph_filter_at(reader, "between"))
		return compare_range(reader, &column, negated);
	size_t pattern = find_word(reader, patterns, N_PATTERNS);
	if (pattern < N_PATTERNS && (!negated || pattern < 2))
		return compare_pattern(reader, &column, pattern_sql[pattern], negated);
	return ph_filter_error(reader, "no comparison");
}
