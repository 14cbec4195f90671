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

/* Numbers with six digits: more tell a reader nothing. */
static void
add_cell(Text *text, const char *value, bool is_alone)
{
	size_t before = text->used;
	char number[32];
	char *end;
	double parsed;

	if (value == NULL)
		return;
	parsed = strtod(value, &end);
	if (*value != '\0' && *end == '\0' && strpbrk(value, ".eE") != NULL)
	{
		snprintf(number, sizeof(number), "%.6g", parsed);
		value = number;
	}
	add(text, value, MOST_CELL);
	if (!is_alone)
		flatten(text->bytes + before);
}

static void
add_row(Text *text, const PhResult *rows, size_t row)
{
	for (size_t i = 0; i < ph_result_n_fields(rows); i++)
	{
		add(text, i > 0 ? " | " : "", 3);
		add_cell(text, ph_result_text(rows, row, i), ph_result_n_fields(rows) == 1);
	}
	add(text, "\n", 1);
}

static void
take(PhMcpAnswer *answer, const Text *text)
{
	free(answer->text);
	answer->text = ph_text_valid(text->bytes);
}

void
ph_mcp_answer_rows(PhMcpAnswer *answer, const PhResult *rows, const char *sql)
{
	size_t n = ph_result_count(rows);
	size_t tail = strnlen(sql, MOST_SQL) + LAST_WORDS;
	Text *text = ph_must_alloc(1, sizeof(*text));
	char words[LAST_WORDS];

	for (size_t i = 0; i < ph_result_n_fields(rows); i++)
	{
		add(text, i > 0 ? " | " : "", 3);
		add(text, ph_result_field_name(rows, i), MOST_CELL);
	}
	add(text, "\n", 1);
	for (size_t row = 0; row < n; row++)
	{
		size_t before = text->used;

		add_row(text, rows, row);
		if (text->used + tail <= PH_MCP_MOST_BYTES)
			continue;
		text->used = before;
		text->bytes[before] = '\0';
		snprintf(words, sizeof(words), "(%zu of %zu rows; ask for fewer, or for sums)\n", row, n);
		add(text, words, sizeof(words));
		break;
	}
	if (n == 0)
		add(text, "(no rows)\n", 16);
	add(text, "SQL: ", 5);
	add(text, sql, MOST_SQL);
	take(answer, text);
	free(text);
}

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
