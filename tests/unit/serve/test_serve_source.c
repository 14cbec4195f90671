/*
 * test_serve_source.c - which file of a commit is taken for a path of a profile, and who changed
 * it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/source_blame.h"
#include "serve/source_match.h"
#include "support/forest.h"

#define HASH "0123456789abcdef0123456789abcdef01234567"

typedef struct Case
{
	const char *wanted;
	const char *paths[4];
	const char *found; /* NULL: none */
	bool is_doubtful;
} Case;

static void
test_paths(void **unused)
{
	static const Case cases[] = {
		{"/build/7/src/solver.c", {"src/solver.c", "solver.c"}, "src/solver.c", false},
		{"/build/7/src/solver.c", {"solver.c", "src/solver.c"}, "src/solver.c", false},
		{"/build/7/src/solver.c", {"lib/solver.c", "other.c"}, NULL, false},
		{"/build/7/src/solver.c", {"rc/solver.c", "src/solver.cc"}, NULL, false},
		{"solver.c", {"src/solver.c"}, "src/solver.c", false},
		{"./solver.c", {"src/solver.c"}, "src/solver.c", false},
		{"solver.c", {"src/solver.c", "old/solver.c"}, "old/solver.c", true},
		{"solver.c", {"src/solver.c", "solver.c"}, "solver.c", false},
		{"solver.c", {"solver.c", "src/solver.c"}, "solver.c", false},
		{"solver.c", {"src/solver.c", "old/solver.c", "solver.c"}, "solver.c", false},
		{"../../etc/passwd", {"passwd"}, "passwd", false}, /* the one of the repository */
		{"", {"solver.c"}, NULL, false},
		{"/", {"solver.c"}, NULL, false}};

	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhSourceMatch match;

		ph_source_match_begin(&match, cases[i].wanted);
		for (size_t k = 0; k < 4 && cases[i].paths[k] != NULL; k++)
		{
			char entry[200];

			snprintf(entry, sizeof(entry), "100644 blob " HASH "\t%s", cases[i].paths[k]);
			ph_source_match_add(&match, entry);
		}
		if (cases[i].found == NULL)
			assert_null(match.path);
		else
			assert_string_equal(match.path, cases[i].found);
		assert_string_equal(match.object, cases[i].found == NULL ? "" : HASH);
		assert_int_equal(match.is_doubtful, cases[i].is_doubtful);
		ph_source_match_free(&match);
	}
}

/* Links lead out of the repository, modules and folders are no text. */
static void
test_other_entries(void **unused)
{
	static const char *const entries[] = {"120000 blob " HASH "\ta.c",
										  "160000 commit " HASH "\ta.c",
										  "040000 tree " HASH "\ta.c",
										  "100644 blob --output=x\ta.c",
										  "100644 blob abc\ta.c",
										  "100644 blob " HASH HASH "\ta.c",
										  "100644 blob " HASH " a.c",
										  "100644 blob",
										  "100644 blob ",
										  ""};
	PhSourceMatch match;

	(void) unused;
	ph_source_match_begin(&match, "a.c");
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		ph_source_match_add(&match, entries[i]);
	assert_null(match.path);
	ph_source_match_add(&match, "100755 blob " HASH "\ta.c");
	assert_string_equal(match.path, "a.c");
	ph_source_match_free(&match);
}

/* Whatever bytes come: nothing but digits becomes an object. */
static void
test_any_bytes(void **unused)
{
	static const char letters[] = "100644 blob 0123456789abcdef-/\ta.c";
	Random random = {7};

	(void) unused;
	for (int round = 0; round < 20000; round++)
	{
		char entry[120] = "100644 blob " HASH "\ta.c";
		size_t length = strlen(entry);
		PhSourceMatch match;

		for (int k = 0; k < 3; k++)
			entry[random_below(&random, (uint32_t) length)] =
				letters[random_below(&random, sizeof(letters) - 1)];
		ph_source_match_begin(&match, "a.c");
		ph_source_match_add(&match, entry);
		assert_int_equal(match.path != NULL, match.object[0] != '\0');
		assert_true(match.object[0] == '\0' || ph_is_commit_hash(match.object));
		ph_source_match_free(&match);
	}
}

static void
test_hashes(void **unused)
{
	(void) unused;
	assert_true(ph_is_commit_hash(HASH));
	assert_true(ph_is_commit_hash("0123abc"));
	assert_false(ph_is_commit_hash("0123ab"));
	assert_false(ph_is_commit_hash("HEAD"));
	assert_false(ph_is_commit_hash("--upload-pack"));
	assert_false(ph_is_commit_hash(HASH "^{tree}"));
	assert_false(ph_is_commit_hash(HASH HASH));
}

static const char *
read_all(PhSourceBlame *blame, const char *const *said, size_t n)
{
	const char *text = NULL;

	for (size_t i = 0; i < n; i++)
	{
		text = ph_blame_read(blame, said[i]);
		assert_int_equal(text != NULL, i == n - 1);
	}
	return text;
}

static void
test_blame(void **unused)
{
	static const char *const first[] = {
		HASH " 7 12 2",			  "author A. U. Thor", "author-mail <a@example.org>",
		"author-time 1700000000", "author-tz +0100",   "committer Other",
		"summary Make it slower", "boundary",		   "filename src/main.c",
		"\tx = author y;"};
	static const char *const second[] = {HASH " 8 13", "author B", "\t"};
	PhSourceBlame blame = {.line = 0};

	(void) unused;
	assert_string_equal(read_all(&blame, first, 10), "x = author y;");
	assert_string_equal(blame.commit, HASH);
	assert_string_equal(blame.author, "A. U. Thor");
	assert_string_equal(blame.subject, "Make it slower");
	assert_int_equal(blame.time, 1700000000);
	assert_int_equal(blame.line, 12);
	assert_true(blame.is_old);
	assert_string_equal(read_all(&blame, second, 3), "");
	assert_int_equal(blame.line, 13);
	assert_false(blame.is_old);
	assert_string_equal(blame.subject, "");
}

/* What git never says, and names of any length. */
static void
test_odd_blame(void **unused)
{
	static const char *const odd[] = {"",
									  "author",
									  HASH,
									  HASH " 1",
									  HASH " 1 x",
									  HASH " 1 -2",
									  HASH HASH " 1 2 3",
									  "-x 1 2 3",
									  "\tno line began",
									  HASH " 1 99999999999999999999",
									  "summary "};
	char said[2000] = "author ";
	PhSourceBlame blame = {.line = 0};

	(void) unused;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_null(ph_blame_read(&blame, odd[i]));
	assert_string_equal(blame.commit, "");
	memset(said + 7, 'a', sizeof(said) - 8);
	assert_null(ph_blame_read(&blame, said));
	assert_int_equal(strlen(blame.author), PH_BLAME_TEXT_SIZE - 1);
}

/* Whatever bytes come: a line is told of a hash and a number alone. */
static void
test_any_blame(void **unused)
{
	static const char letters[] = "0123456789abcdef \t-author";
	Random random = {11};
	PhSourceBlame blame = {.line = 0};

	(void) unused;
	for (int round = 0; round < 20000; round++)
	{
		char said[120] = HASH " 7 12 2";

		for (int k = 0; k < 3; k++)
			said[random_below(&random, 48)] = letters[random_below(&random, sizeof(letters) - 1)];
		if (ph_blame_read(&blame, said) != NULL)
			assert_true(said[0] == '\t');
		assert_true(blame.commit[0] == '\0' || (ph_is_commit_hash(blame.commit) && blame.line > 0));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	  cmocka_unit_test(test_other_entries),
		cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_blame),	  cmocka_unit_test(test_odd_blame),
		cmocka_unit_test(test_any_blame)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
