/*
 * test_help_text.c - the blocks of help texts, and lines of a given width.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/help_text.h"

static void
expect_block(const char **at, PhHelpKind kind, bool apart, const char *term, const char *text)
{
	PhHelpBlock block;

	assert_true(ph_help_next(at, &block));
	assert_int_equal(block.kind, kind);
	assert_int_equal(block.apart, apart);
	assert_int_equal(block.length, strlen(text));
	assert_memory_equal(block.text, text, block.length);
	if (term != NULL)
	{
		assert_int_equal(block.term_length, strlen(term));
		assert_memory_equal(block.term, term, block.term_length);
	}
}

static void
test_blocks(void **state)
{
	const char *at = "One\ntwo.\n"
					 "  as it stands\n    even so\n"
					 "\n"
					 "add NAME:: first\n    more\n"
					 "rm:: gone\n"
					 "\n\n"
					 "# Ends\n"
					 "last";
	PhHelpBlock block;

	(void) state;
	expect_block(&at, PH_HELP_PARAGRAPH, false, NULL, "One\ntwo.");
	expect_block(&at, PH_HELP_VERBATIM, false, NULL, "  as it stands\n    even so");
	expect_block(&at, PH_HELP_TERM, true, "add NAME", "first\n    more");
	expect_block(&at, PH_HELP_TERM, false, "rm", "gone");
	expect_block(&at, PH_HELP_HEADING, true, NULL, "Ends");
	expect_block(&at, PH_HELP_PARAGRAPH, false, NULL, "last");
	assert_false(ph_help_next(&at, &block));
	at = "";
	assert_false(ph_help_next(&at, &block));
	at = "\n\n";
	assert_false(ph_help_next(&at, &block));
}

/* The text in lines of that width; malloc'ed. */
static char *
wrapped(const char *text, size_t indent, size_t width, size_t column)
{
	char *out = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&out, &size);

	assert_non_null(stream);
	ph_help_wrap(stream, text, strlen(text), indent, width, &column);
	fclose(stream);
	return out;
}

static void
test_wrap(void **state)
{
	char *text = wrapped("one two\n  three", 0, 8, 0);

	(void) state;
	assert_string_equal(text, "one two\nthree");
	free(text);
	text = wrapped("one two three", 4, 12, 2);
	assert_string_equal(text, "  one two\n    three");
	free(text);
	text = wrapped("a-word-that-is-too-long x", 2, 10, 0);
	assert_string_equal(text, "  a-word-that-is-too-long\n  x");
	free(text);
	text = wrapped("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\xc3\xb6", 0, 8, 0);
	assert_string_equal(text, "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\xc3\xb6");
	free(text);
}

/* No line is longer than asked for when its words are not, and no word is lost. */
static void
test_any_width(void **state)
{
	static const char text[] = "a bb ccc dddd eeeee ffff ggg hh i jj kkk llll mmmmm";

	(void) state;
	for (size_t width = 8; width < 70; width++)
	{
		char *out = wrapped(text, 2, width, 0);
		size_t words = 0;

		for (char *save = NULL, *line = strtok_r(out, "\n", &save); line != NULL;
			 line = strtok_r(NULL, "\n", &save))
		{
			assert_true(strlen(line) < width);
			assert_memory_equal(line, "  ", 2);
			words++;
			for (const char *blank = strchr(line + 2, ' '); blank; blank = strchr(blank + 1, ' '))
				words++;
		}
		assert_int_equal(words, 13);
		free(out);
	}
}

static void
test_width(void **state)
{
	(void) state;
	setenv("COLUMNS", "100", 1);
	assert_int_equal(ph_help_width(stdout), 100);
	setenv("COLUMNS", "7", 1);
	assert_int_equal(ph_help_width(stdout), 40);
	setenv("COLUMNS", "10000", 1);
	assert_int_equal(ph_help_width(stdout), 120);
	unsetenv("COLUMNS");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_any_width),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
