/*
 * test_run_filter.c - run filters: what they become, what they refuse, and that no text of theirs
 * ever gets into the SQL.
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

#include "history/run_filter.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_FILTERS rounds(20000)

static PhEnv env;
static PhArena arena;
static RandomNumbers numbers = {4711};

static void
assert_sql(const char *filter, const char *sql)
{
	PhRunFilter out;
	if (ph_run_filter(&arena, filter, strlen(filter), &out) != PH_OK)
		fail_msg("%s: %s", filter, env.error.message);
	assert_string_equal(out.sql, sql);
}

static void
assert_refused(const char *filter, const char *message)
{
	PhRunFilter out = {.n_arguments = 77};
	assert_int_equal(ph_run_filter(&arena, filter, strlen(filter), &out), PH_ERR_VALUE);
	assert_string_equal(env.error.message, message);
	assert_int_equal(out.n_arguments, 77);
}

static void
translates_comparisons(void **state)
{
	(void) state;
	assert_sql("n_ranks = 64", "(r.n_ranks = ($1)[1]::int8)");
	assert_sql("n_ranks > -64 AND run_id < 123456789012345678 AND n_nodes < 1234567890123456789",
			   "(r.n_ranks > ($1)[1]::int8) AND (r.run_id < ($1)[2]::int8) AND "
			   "(r.n_nodes < ($1)[3]::float8)");
	assert_sql("n_ranks > 64.5 AND n_ranks < 1e3",
			   "(r.n_ranks > ($1)[1]::float8) AND (r.n_ranks < ($1)[2]::float8)");
	assert_sql("Cluster<>'quartz'", "(r.cluster <> ($1)[1])");
	assert_sql("title LIKE 'a%' and not branch ~ '^rel'",
			   "(r.title LIKE ($1)[1]) AND NOT (r.branch ~ ($1)[2])");
	assert_sql("branch NOT ILIKE 'x' OR n_ranks IN (1, 2,3)",
			   "(NOT r.branch ILIKE ($1)[1]) OR (r.n_ranks = ANY (ARRAY[($1)[2]::int8, "
			   "($1)[3]::int8, ($1)[4]::int8]))");
	assert_sql("(started_at >= '2026-01-01' or started_at is null)",
			   "((r.started_at >= ($1)[1]::timestamptz) OR (r.started_at IS NULL))");
	assert_sql("n_ranks between 1 and 5 and commit_id is not null",
			   "(r.n_ranks BETWEEN ($1)[1]::int8 AND ($1)[2]::int8) AND (r.commit_id IS NOT "
			   "NULL)");
	assert_sql("tag = 'v1' and tag <> 'bad' and tag not in ('x', 'y')",
			   "(($1)[1] = ANY (r.tags)) AND NOT (($1)[2] = ANY (r.tags)) AND (NOT r.tags && "
			   "ARRAY[($1)[3], ($1)[4]])");
	assert_sql("meta.compiler = 'gcc'", "((r.meta ->> ($1)[1]) = ($1)[2])");
}

static void
takes_bare_words_as_values(void **state)
{
	PhRunFilter out;
	(void) state;
	assert_sql("application=lulesh AND n_ranks IN (8,27)",
			   "(r.application = ($1)[1]) AND (r.n_ranks = ANY (ARRAY[($1)[2]::int8, "
			   "($1)[3]::int8]))");
	assert_sql("(started_at >= 2026-01-31)", "((r.started_at >= ($1)[1]::timestamptz))");
	assert_sql("title LIKE %v1.2/x-y%", "(r.title LIKE ($1)[1])");
	assert_sql("started_at BETWEEN 2026-01-01 AND 7d",
			   "(r.started_at BETWEEN ($1)[1]::timestamptz AND (now() - ($1)[2]::interval))");
	assert_sql("meta.size = 30 AND meta.size = 30x",
			   "((CASE WHEN (r.meta ->> ($1)[1]) ~ "
			   "'^[-+]?[0-9]{1,30}([.][0-9]{1,30})?([eE][-+]?[0-9]{1,2})?$' THEN (r.meta ->> "
			   "($1)[1])::float8 END) = ($1)[2]::float8) AND ((r.meta ->> ($1)[3]) = ($1)[4])");
	assert_int_equal(ph_run_filter(&arena, "cluster = a-b.c;--x", 19, &out), PH_OK);
	assert_string_equal(out.arguments[0], "a-b.c;--x");
}

static void
compares_times_commits_and_texts(void **state)
{
	(void) state;
	assert_sql("since = 30d and until=2026-01-31",
			   "(coalesce(r.started_at, r.loaded_at) >= (now() - ($1)[1]::interval)) AND "
			   "(coalesce(r.started_at, r.loaded_at) <= ($1)[2]::timestamptz)");
	assert_sql("measured_at > '12h'",
			   "(coalesce(r.started_at, r.loaded_at) > (now() - ($1)[1]::interval))");
	assert_sql("loaded_at > 1234567d", "(r.loaded_at > ($1)[1]::timestamptz)");
	assert_sql("commit_id = 3e01C40", "(starts_with(r.commit_id, lower(($1)[1])))");
	assert_sql("commit_id <> 3e01", "(NOT starts_with(r.commit_id, lower(($1)[1])))");
	assert_sql("commit_id != 'abcd'", "(NOT starts_with(r.commit_id, lower(($1)[1])))");
	assert_sql("commit_id = 3e0", "(r.commit_id = ($1)[1])");
	assert_sql("commit_id = 'release'", "(r.commit_id = ($1)[1])");
	assert_sql("commit_id < 3e01", "(r.commit_id < ($1)[1])");
	assert_sql("commit_id = 0123456789012345678901234567890123456789", "(r.commit_id = ($1)[1])");
	assert_sql("not 'halo'", "NOT (position(lower(($1)[1]) IN lower(concat_ws(' ', r.title, "
							 "r.application, r.commit_id, r.source))) > 0)");
}

static void
keeps_values_apart(void **state)
{
	const char *filter = "meta.\"a \"\"b\" = 'it''s; DROP TABLE run --' and n_ranks = -1.5e3";
	PhRunFilter out;
	(void) state;
	assert_int_equal(ph_run_filter(&arena, filter, strlen(filter), &out), PH_OK);
	assert_int_equal(out.n_arguments, 3);
	assert_string_equal(out.arguments[0], "a \"b");
	assert_string_equal(out.arguments[1], "it's; DROP TABLE run --");
	assert_string_equal(out.arguments[2], "-1.5e3");
	assert_string_equal(out.sql, "((r.meta ->> ($1)[1]) = ($1)[2]) AND (r.n_ranks = "
								 "($1)[3]::float8)");
}

static void
says_what_is_wrong_and_where(void **state)
{
	(void) state;
	assert_refused("", "run filter: no column at position 1");
	assert_refused("n_ranks", "run filter: no comparison at position 8");
	assert_refused("n_ranks = 'x'",
				   "run filter: a text where the column has numbers at position 11");
	assert_refused("ranks = 1", "run filter: a name that is not a column of run_overview (metadata "
								"keys are written meta.key) at position 1");
	assert_string_equal(env.error.hint, "Did you mean \"n_ranks\"?");
	assert_refused("flavour = 1", "run filter: a name that is not a column of run_overview "
								  "(metadata keys are written meta.key) at position 1");
	assert_string_equal(
		env.error.hint,
		"Is it metadata, meta.flavour? \"perfhouse help filters\" lists the columns.");
	assert_refused("title = 'x", "run filter: a text that does not end at position 9");
	assert_refused("title = and", "run filter: neither a 'text' nor a number at position 9");
	assert_refused("title = = x", "run filter: neither a 'text' nor a number at position 9");
	assert_refused("n_ranks = x", "run filter: a text where the column has numbers at position 11");
	assert_refused("since > 7d", "run filter: since and until take = only; wrong comparison at "
								 "position 11");
	assert_refused("until is null",
				   "run filter: since and until take = only; wrong comparison at position 7");
	assert_refused("(n_ranks = 1", "run filter: a parenthesis that is not closed at position 13");
	assert_refused("n_ranks = 1)", "run filter: a parenthesis that closes nothing at position 12");
	assert_refused("n_ranks = 1; DROP TABLE run",
				   "run filter: a text where the column has numbers at position 11");
	assert_refused("n_ranks = 1 union select 1",
				   "run filter: neither AND nor OR nor the end at position 13");
	assert_refused("n_ranks = pg_sleep(1)",
				   "run filter: a text where the column has numbers at position 11");
	assert_refused("title = pg_sleep(1)",
				   "run filter: neither AND nor OR nor the end at position 17");
	assert_refused("started_at > 5", "run filter: a number where the column has times "
									 "(2026-01-31, or 7d) at position 14");
	assert_refused("n_ranks LIKE '1'",
				   "run filter: a pattern where the column has no text at position 9");
	assert_refused("title = 'a' -- or so",
				   "run filter: a character that has no meaning at position 13");
	assert_refused("title = 'a' /* */",
				   "run filter: a character that has no meaning at position 13");
	assert_refused("title not ~ 'a'", "run filter: no comparison at position 11");
	assert_refused("title not !~ 'a'", "run filter: no comparison at position 11");
	assert_refused("meta = 'a'", "run filter: no .key after meta at position 6");
	assert_refused("title = 'a' and", "run filter: no column at position 16");
}

static void
bounds_its_input(void **state)
{
	static char text[80000];
	PhRunFilter out;
	(void) state;
	memset(text, '(', sizeof(text));
	assert_int_equal(ph_run_filter(&arena, text, 70000, &out), PH_ERR_LIMIT);
	assert_int_equal(ph_run_filter(&arena, text, 5000, &out), PH_ERR_VALUE);
	for (size_t i = 0; i + 4 <= sizeof(text); i += 4)
		memcpy(text + i, "not ", 4);
	assert_int_equal(ph_run_filter(&arena, text, 4000, &out), PH_ERR_VALUE);
}

/* The SQL's whole vocabulary. */
static const char *const vocabulary[] = {
	"r.application",
	"r.branch",
	"r.cluster",
	"r.commit_id",
	"r.excluded_reason",
	"r.fingerprint",
	"r.format",
	"r.loaded_at",
	"r.missing_columns",
	"r.n_columns",
	"r.n_nodes",
	"r.n_ranks",
	"r.n_threads",
	"r.n_units",
	"r.repeat",
	"r.residual_cells",
	"r.run_id",
	"r.source",
	"r.started_at",
	"r.title",
	"r.user_name",
	"r.total",
	"r.parallel_efficiency",
	"r.load_balance",
	"r.communication_efficiency",
	"r.serialisation_efficiency",
	"r.transfer_efficiency",
	"r.thread_efficiency",
	"r.device_efficiency",
	"r.n_events",
	"r.completeness",
	"r.rolled_up_at",
	"r.events_dropped_at",
	"r.tags",
	"coalesce(r.started_at, r.loaded_at)",
	"now() - ",
	"::interval",
	"starts_with(r.commit_id, lower(",
	"position(lower(",
	"IN lower(concat_ws(' ', r.title, r.application, r.commit_id, r.source)))",
	"0",
	"r.meta",
	"->>",
	"::float8",
	"::int8",
	"::timestamptz",
	"BETWEEN",
	"CASE WHEN",
	"THEN",
	"END",
	"AND",
	"OR",
	"NOT",
	"IS",
	"NULL",
	"ANY",
	"ARRAY[",
	"ILIKE",
	"LIKE",
	"&&",
	"<>",
	"!=",
	"<=",
	">=",
	"!~*",
	"!~",
	"~*",
	"~",
	"=",
	"<",
	">",
	"(",
	")",
	"]",
	",",
	" ",
	"'^[-+]?[0-9]{1,30}([.][0-9]{1,30})?([eE][-+]?[0-9]{1,2})?$'"};

/* Only words of the vocabulary, and references to arguments that exist. */
static void
assert_harmless(const char *filter, const PhRunFilter *out)
{
	for (const char *at = out->sql; *at != '\0';)
	{
		size_t i = 0, n = sizeof(vocabulary) / sizeof(vocabulary[0]);
		if (strncmp(at, "($1)[", 5) == 0)
		{
			char *end;
			unsigned long number = strtoul(at + 5, &end, 10);
			assert_true(number >= 1 && number <= out->n_arguments && *end == ']');
			at = end + 1;
			continue;
		}
		while (i < n && strncmp(at, vocabulary[i], strlen(vocabulary[i])) != 0)
			i++;
		if (i == n)
			fail_msg("%s becomes %s", filter, out->sql);
		at += strlen(vocabulary[i]);
	}
}

/* Words that are right and wrong, in any order, and single bytes. */
static size_t
random_filter(char *text)
{
	static const char *const words[] = {
		"n_ranks", "title",	 "tag",		"meta.x",	"meta.\"y z\"", "started_at", "=",
		"<>",	   "<",		 "LIKE",	"NOT",		"IN",			"(",		  ")",
		",",	   "'a''b'", "'--'",	"42",		"-1.5",			"AND",		  "OR",
		"IS",	   "NULL",	 "BETWEEN", ";",		"select",		"$1",		  "'",
		"\"",	   "/*",	 "--",		"::text",	"\\",			"E'\\''",	  "$$x$$",
		"1e5",	   "!~*",	 "~",		"r.run_id", "\xc3\xa4"};
	size_t length = 0;
	uint32_t n = 1 + numbers_below(&numbers, 14);
	for (uint32_t i = 0; i < n; i++)
	{
		const char *word = words[numbers_below(&numbers, sizeof(words) / sizeof(words[0]))];
		memcpy(text + length, word, strlen(word));
		length += strlen(word);
		text[length++] = ' ';
	}
	if (numbers_below(&numbers, 4) == 0)
		text[numbers_below(&numbers, (uint32_t) length)] = (char) numbers_below(&numbers, 256);
	text[length] = '\0';
	return length;
}

/* A filter that is right: terms from a list, joined. */
static size_t
random_good_filter(char *text)
{
	static const char *const terms[] = {"n_ranks = 4",		   "title LIKE '%;--'",
										"tag IN ('a', 'b''')", "meta.x > 5",
										"meta.\"'\" = '\"'",   "started_at < '2026-01-01'",
										"branch IS NULL",	   "run_id BETWEEN 1 AND 9",
										"NOT cluster !~* 'x'", "(application = 'select')",
										"commit_id = abcd",	   "since = 7d",
										"cluster = -- ",	   "'select'"};
	size_t length = 0;
	uint32_t n = 1 + numbers_below(&numbers, 6);
	for (uint32_t i = 0; i < n; i++)
	{
		const char *term = terms[numbers_below(&numbers, sizeof(terms) / sizeof(terms[0]))];
		const char *joint = numbers_below(&numbers, 2) == 0 ? " AND " : " or ";
		if (i > 0)
		{
			memcpy(text + length, joint, strlen(joint));
			length += strlen(joint);
		}
		memcpy(text + length, term, strlen(term));
		length += strlen(term);
	}
	text[length] = '\0';
	return length;
}

static void
lets_nothing_through(void **state)
{
	char text[600];
	uint32_t accepted = 0;
	(void) state;
	for (uint32_t i = 0; i < N_FILTERS; i++)
	{
		PhRunFilter out;
		bool good = i % 4 == 0;
		size_t length = good ? random_good_filter(text) : random_filter(text);
		PhStatus status = ph_run_filter(&arena, text, length, &out);
		assert_true(status == PH_OK || (!good && status == PH_ERR_VALUE));
		if (status == PH_OK)
			assert_harmless(text, &out);
		accepted += status == PH_OK;
		ph_arena_drop(&arena);
	}
	assert_true(accepted > N_FILTERS / 4);
}

static PhStatus
translate(PhEnv *fault, void *user)
{
	PhArena own;
	PhRunFilter out;
	ph_arena_init(&own, fault);
	PhStatus status = ph_run_filter(&own, user, strlen(user), &out);
	ph_arena_drop(&own);
	return status;
}

static void
survives_faults(void **state)
{
	static char text[60000] = "n_ranks IN (1";
	(void) state;
	for (size_t length = 13; length < 20000; length += 2)
		memcpy(text + length, ",2", 3);
	memcpy(text + strlen(text), ")", 2);
	assert_string_equal(fault_env_try_allocations(translate, text, 40), "");
	assert_string_equal(fault_env_try_interrupts(translate, text, 3), "");
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	return 0;
}

static int
tear_down(void **state)
{
	(void) state;
	ph_arena_drop(&arena);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(translates_comparisons, set_up, tear_down),
		cmocka_unit_test_setup_teardown(takes_bare_words_as_values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(compares_times_commits_and_texts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_values_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_what_is_wrong_and_where, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bounds_its_input, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lets_nothing_through, set_up, tear_down),
		cmocka_unit_test(survives_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
