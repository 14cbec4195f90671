/*
 * answer.c - what a tool answers: rows as text, short, with the SQL that gives them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "mcp/answer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "system/memory.h"
#include "system/utf8_text.h"

#define MOST_CELL 400 /* bytes of a value */
#define MOST_SQL 2500
#define LAST_WORDS 120 /* room for the sentence about what is left out */

/* A text that ends at a limit, at the beginning of a character. */
typedef struct Text
{
	char bytes[PH_MCP_MOST_BYTES + 1];
	size_t used;
} Text;

static void
add(Text *text, const char *bytes, size_t most)
{
	size_t size = strnlen(bytes, most + 1);
	bool is_cut = size > most;

	if (text->used + size > PH_MCP_MOST_BYTES)
		size = PH_MCP_MOST_BYTES - text->used;
	else if (is_cut)
		size = most;
	while (bytes[size] != '\0' && size > 0 && ((unsigned char) bytes[size] & 0xc0) == 0x80)
		size--;
	memcpy(text->bytes + text->used, bytes, size);
	text->used += size;
	text->bytes[text->used] = '\0';
	if (is_cut)
		add(text, "…", 3);
}

/* A line is a row: what breaks lines within a value is a blank. */
static void
flatten(char *bytes)
{
	for (; *bytes != '\0'; bytes++)
		if ((unsigned char) *bytes < ' ')
			*bytes = ' ';
}

/* Types of PostgreSQL that have fractions, as pg_type has them. */
enum
{
	TYPE_FLOAT4 = 700,
	TYPE_FLOAT8 = 701,
	TYPE_NUMERIC = 1700
};

static bool
has_fractions(Oid type)
{
	return type == TYPE_FLOAT4 || type == TYPE_FLOAT8 || type == TYPE_NUMERIC;
}

/* Numbers with six digits: more tell a reader nothing. Texts that look like numbers stay. */
static void
add_cell(Text *text, const char *value, Oid type, bool is_alone)
{
	size_t before = text->used;
	char number[32];

	if (value == NULL)
		return;
	if (has_fractions(type) && strpbrk(value, ".e") != NULL)
	{
		snprintf(number, sizeof(number), "%.6g", strtod(value, NULL));
		value = number;
	}
	add(text, value, MOST_CELL);
	if (!is_alone)
		flatten(text->bytes + before);
}

static void
take(PhMcpAnswer *answer, const Text *text)
{
	free(answer->text);
	answer->text = ph_text_valid(text->bytes);
}

/* ---- rows ---------------------------------------------------------------------------------- */

struct PhMcpRows
{
	Text text;
	const PhResult *columns;
	const char *shown;
	size_t n, tail; /* rows; room for what comes behind them */
	bool is_full;
};

char *
ph_mcp_rows_query(const PhResult *columns, const char *sql)
{
	size_t n = ph_result_n_fields(columns);
	size_t length = strlen(sql);
	char *names = ph_strdup("");
	char *texts = ph_strdup("");
	char *query;

	while (length > 0 && strchr("; \t\r\n", sql[length - 1]) != NULL)
		length--;
	for (size_t i = 0; i < n; i++)
	{
		const char *comma = i > 0 ? ", " : "";
		char *more_names = ph_format("%s%sc%zu", names, comma, i + 1);
		/* a character more than are shown: that tells that it is cut */
		char *more_texts =
			ph_format("%s%sleft(c%zu::text, %d)", texts, comma, i + 1, MOST_CELL + 1);

		free(names);
		free(texts);
		names = more_names;
		texts = more_texts;
	}
	query = ph_format("WITH asked (%s) AS (\n%.*s\n) SELECT %s FROM asked", names, (int) length,
					  sql, texts);
	free(names);
	free(texts);
	return query;
}

PhMcpRows *
ph_mcp_rows_begin(const PhResult *columns, const char *shown)
{
	PhMcpRows *rows = ph_must_alloc(1, sizeof(*rows));

	rows->columns = columns;
	rows->shown = shown;
	rows->tail = strnlen(shown, MOST_SQL) + LAST_WORDS;
	for (size_t i = 0; i < ph_result_n_fields(columns); i++)
	{
		add(&rows->text, i > 0 ? " | " : "", 3);
		add(&rows->text, ph_result_field_name(columns, i), MOST_CELL);
	}
	add(&rows->text, "\n", 1);
	return rows;
}

static void
add_row(PhMcpRows *rows, const PhResult *row)
{
	size_t n = ph_result_n_fields(rows->columns);

	for (size_t i = 0; i < n; i++)
	{
		add(&rows->text, i > 0 ? " | " : "", 3);
		add_cell(&rows->text, ph_result_text(row, 0, i), ph_result_type(rows->columns, i), n == 1);
	}
	add(&rows->text, "\n", 1);
}

bool
ph_mcp_rows_add(void *user, const PhResult *row)
{
	PhMcpRows *rows = user;
	size_t before = rows->text.used;

	add_row(rows, row);
	rows->is_full = rows->text.used + rows->tail > PH_MCP_MOST_BYTES;
	if (rows->is_full)
	{
		rows->text.used = before;
		rows->text.bytes[before] = '\0';
	}
	else
		rows->n++;
	return !rows->is_full;
}

bool
ph_mcp_rows_end(PhMcpRows *rows, bool has_failed, PhMcpAnswer *answer)
{
	bool is_answer = rows->is_full || !has_failed;
	char words[LAST_WORDS];

	if (rows->is_full)
	{
		snprintf(words, sizeof(words), "(the first %zu rows; ask for fewer, or for sums)\n",
				 rows->n);
		add(&rows->text, words, sizeof(words));
	}
	else if (rows->n == 0)
		add(&rows->text, "(no rows)\n", 16);
	add(&rows->text, "SQL: ", 5);
	add(&rows->text, rows->shown, MOST_SQL);
	if (is_answer)
		take(answer, &rows->text);
	free(rows);
	return is_answer;
}

/* ---- errors ---------------------------------------------------------------------------------- */

void
ph_mcp_answer_refusal(PhMcpAnswer *answer, const PhPqError *error, const char *sql)
{
	ph_mcp_answer_error(answer, "%s%s%s%s%s\nSQL: %.*s", error->message,
						error->detail[0] != '\0' ? "\n" : "", error->detail,
						error->hint[0] != '\0' ? "\nHint: " : "", error->hint, MOST_SQL, sql);
}

void
ph_mcp_answer_error(PhMcpAnswer *answer, const char *format, ...)
{
	Text *text = ph_must_alloc(1, sizeof(*text));
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text->bytes, sizeof(text->bytes), format, arguments);
	va_end(arguments);
	take(answer, text);
	answer->is_error = true;
	free(text);
}

void
ph_mcp_answer_free(PhMcpAnswer *answer)
{
	free(answer->text);
	free(answer->png);
	*answer = (PhMcpAnswer){0};
}
