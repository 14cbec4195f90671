/*
 * run_filter_compare.c - one comparison of a run filter as SQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "history/run_filter_internal.h"

typedef enum ColumnType
{
	TYPE_TEXT,
	TYPE_NUMBER,
	TYPE_TIME,
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
								 {"commit_id", TYPE_TEXT, 0},
								 {"excluded_reason", TYPE_TEXT, 0},
								 {"fingerprint", TYPE_TEXT, 0},
								 {"format", TYPE_TEXT, 0},
								 {"loaded_at", TYPE_TIME, 0},
								 {"missing_columns", TYPE_NUMBER, 0},
								 {"n_columns", TYPE_NUMBER, 0},
								 {"n_nodes", TYPE_NUMBER, 0},
								 {"n_ranks", TYPE_NUMBER, 0},
								 {"n_threads", TYPE_NUMBER, 0},
								 {"n_units", TYPE_NUMBER, 0},
								 {"repeat", TYPE_NUMBER, 0},
								 {"residual_cells", TYPE_NUMBER, 0},
								 {"run_id", TYPE_NUMBER, 0},
								 {"source", TYPE_TEXT, 0},
								 {"started_at", TYPE_TIME, 0},
								 {"title", TYPE_TEXT, 0},
								 {"user_name", TYPE_TEXT, 0}};

/* Copied into the SQL, hence never the filter's own text. */
static const char *const symbols[] = {"=", "<>", "!=", "<", "<=", ">", ">="};
static const char *const patterns[] = {"like", "ilike", "~", "~*", "!~", "!~*"};
static const char *const pattern_sql[] = {"LIKE", "ILIKE", "~", "~*", "!~", "!~*"};

static PhStatus
add_argument(PhFilterReader *reader, char *text, uint32_t *number)
{
	PhRunFilter *out = reader->out;
	if (out->n_arguments == reader->capacity)
	{
		size_t capacity = reader->capacity == 0 ? 16 : reader->capacity * 2;
		char **arguments;
		PH_TRY(PH_NEW(reader->arena, capacity, &arguments));
		if (out->n_arguments > 0)
			memcpy(arguments, out->arguments, out->n_arguments * sizeof(*arguments));
		out->arguments = arguments;
		reader->capacity = capacity;
	}
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
			return ph_filter_error(reader, "a name that is not a column of run_overview (metadata "
										   "keys are written meta.key)");
		*column = columns[i];
	}
	return ph_filter_next(reader);
}

/* ---- what is compared ---- */

static PhStatus
put_column(PhFilterReader *reader, const Column *column, bool as_number)
{
	PhStr *sql = &reader->sql;
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

/* The current word as a value for the column; moves on. */
static PhStatus
read_value(PhFilterReader *reader, const Column *column, uint32_t *number)
{
	bool is_number = reader->word.kind == PH_WORD_NUMBER;
	if (!is_number && reader->word.kind != PH_WORD_TEXT)
		return ph_filter_error(reader, "neither a 'text' nor a number");
	if (column->type == TYPE_NUMBER && !is_number)
		return ph_filter_error(reader, "a text where the column has numbers");
	if (column->type == TYPE_TIME && is_number)
		return ph_filter_error(reader, "a number where the column has times ('2026-01-31')");
	PH_TRY(add_argument(reader, reader->word.text, number));
	return ph_filter_next(reader);
}

static const char *
cast_of(const Column *column, bool as_number)
{
	return column->type == TYPE_NUMBER || as_number ? "::float8"
		   : column->type == TYPE_TIME				? "::timestamptz"
													: "";
}

static PhStatus
put_value(PhFilterReader *reader, const Column *column, bool as_number, uint32_t number)
{
	return ph_str_printf(&reader->sql, "($1)[%u]%s", number, cast_of(column, as_number));
}

/* ---- kinds of comparison ---- */

static PhStatus
compare_symbol(PhFilterReader *reader, const Column *column, const char *symbol)
{
	uint32_t value = 0;
	PH_TRY(ph_filter_next(reader));
	bool as_number = column->type == TYPE_META && reader->word.kind == PH_WORD_NUMBER;
	PH_TRY(read_value(reader, column, &value));
	if (column->type == TYPE_TAGS)
	{
		if (strcmp(symbol, "=") != 0 && strcmp(symbol, "<>") != 0 && strcmp(symbol, "!=") != 0)
			return ph_filter_error(reader, "tag takes =, <> and IN only; wrong comparison");
		return ph_str_printf(&reader->sql, "%s(($1)[%u] = ANY (r.tags))",
							 symbol[0] == '=' ? "" : "NOT ", value);
	}
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
	if (column->type != TYPE_TEXT && column->type != TYPE_META)
		return ph_filter_error(reader, "a pattern where the column has no text");
	PH_TRY(ph_filter_next(reader));
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
		PH_TRY(ph_filter_next(reader));
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
	PH_TRY(ph_filter_next(reader));
	bool as_number = column->type == TYPE_META && reader->word.kind == PH_WORD_NUMBER;
	PH_TRY(read_value(reader, column, &low));
	if (!ph_filter_at(reader, "and"))
		return ph_filter_error(reader, "no AND after BETWEEN and its first value");
	PH_TRY(ph_filter_next(reader));
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
	PH_TRY(read_column(reader, &column));
	size_t symbol = find_word(reader, symbols, N_SYMBOLS);
	if (symbol < N_SYMBOLS)
		return compare_symbol(reader, &column, symbols[symbol]);
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
