/*
 * test_text_table.c - tables for terminals, and UTF-8 as they meet it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/text_table.h"
#include "system/utf8_text.h"

static char *
printed(const PhTextTable *table, size_t indent)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	ph_table_print(table, stream, indent);
	fclose(stream);
	return text;
}

static void
test_alignment(void **state)
{
	PhTextTable *table = ph_table_new();
	char *text;

	(void) state;
	ph_table_column(table, "name", PH_ALIGN_LEFT, 0);
	ph_table_column(table, "time", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "note", PH_ALIGN_LEFT, 0);
	ph_table_cell(table, "Größe");
	ph_table_cellf(table, "%.1f", 12345.5);
	ph_table_cell(table, NULL);
	ph_table_cell(table, "漢字");
	ph_table_cell(table, "1");
	ph_table_cell(table, "x");
	text = printed(table, 2);
	assert_string_equal(text, "  name      time  note\n"
							  "  -----  -------  ----\n"
							  "  Größe  12345.5  \n"
							  "  漢字         1  x\n");
	free(text);
	ph_table_free(table);
}

static void
test_cutting(void **state)
{
	PhTextTable *table = ph_table_new();
	char *text;

	(void) state;
	ph_table_column(table, "n", PH_ALIGN_LEFT, 4);
	ph_table_cell(table, "abcdefgh");
	ph_table_cell(table, "abcd");
	ph_table_cell(table, "漢字漢字");
	ph_table_cell(table, "abcde");
	text = printed(table, 0);
	assert_string_equal(text, "n\n----\nabc…\nabcd\n漢…\nabc.\n");
	free(text);
	ph_table_free(table);
}

static void
test_control_characters(void **state)
{
	PhTextTable *table = ph_table_new();
	char *text;

	(void) state;
	ph_table_column(table, "c", PH_ALIGN_LEFT, 0);
	ph_table_cell(table, "a\033[31m\nb\x7F"
						 "\xFF");
	text = printed(table, 0);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "a [31m b \xEF\xBF\xBD\n"));
	free(text);
	ph_table_free(table);
}

static void
test_line(void **state)
{
	char *line = ph_text_line("a\nb\x1b[31m\xff");
	char *empty = ph_text_line(NULL);

	(void) state;
	assert_string_equal(line, "a b [31m\xEF\xBF\xBD");
	assert_string_equal(empty, "");
	free(line);
	free(empty);
}

static void
test_empty(void **state)
{
	PhTextTable *table = ph_table_new();
	char *text;

	(void) state;
	ph_table_column(table, "only", PH_ALIGN_LEFT, 0);
	text = printed(table, 0);
	assert_string_equal(text, "only\n----\n");
	free(text);
	ph_table_free(table);
	ph_table_free(NULL);
}

static void
test_width(void **state)
{
	(void) state;
	assert_int_equal(ph_text_width(""), 0);
	assert_int_equal(ph_text_width("e\xCC\x81"), 1); /* combining accent */
	assert_int_equal(ph_text_width("\xF0\x9F\x9A\x80"), 2);
	assert_int_equal(ph_text_width("\xFF\xC3"), 2);
}

static void
test_bad_bytes(void **state)
{
	static const char *const bad[] = {"\x80",
									  "\xC0\x80",
									  "\xC3",
									  "\xE0\x80\x80",
									  "\xED\xA0\x80",
									  "\xF4\x90\x80\x80",
									  "\xF8\x88\x80\x80\x80"};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		const char *at = bad[i];

		assert_int_equal(ph_utf8_next(&at), PH_BAD_CHARACTER);
		assert_ptr_equal(at, bad[i] + 1);
	}
}

/* Every character survives its own encoding. */
static void
test_all_characters(void **state)
{
	(void) state;
	for (uint32_t c = 0x80; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 37)
	{
		char text[5] = {0};
		const char *at = text;

		if (c >= 0xD800 && c < 0xE000)
			continue;
		if (c < 0x800)
			snprintf(text, 5, "%c%c", (int) (0xC0 | c >> 6), (int) (0x80 | (c & 63)));
		else if (c < 0x10000)
			snprintf(text, 5, "%c%c%c", (int) (0xE0 | c >> 12), (int) (0x80 | (c >> 6 & 63)),
					 (int) (0x80 | (c & 63)));
		else
			snprintf(text, 5, "%c%c%c%c", (int) (0xF0 | c >> 18), (int) (0x80 | (c >> 12 & 63)),
					 (int) (0x80 | (c >> 6 & 63)), (int) (0x80 | (c & 63)));
		assert_int_equal(ph_utf8_next(&at), c);
		assert_int_equal(*at, '\0');
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_cutting),
		cmocka_unit_test(test_control_characters),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_bad_bytes),
		cmocka_unit_test(test_all_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
