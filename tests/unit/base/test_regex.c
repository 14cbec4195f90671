/*
 * test_regex.c - regular expressions of the core: against POSIX, by example, with faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/regex_match.h"
#include "base/regex_program.h"
#include "support/fault_env.h"
#include "support/rounds.h"

#define N_PATTERNS rounds(20000)
#define TEXTS_EACH 6
#define TOP 3 /* groups within groups */

static uint64_t state;

static uint32_t
below(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((state >> 33) % limit);
}

typedef struct Text
{
	char bytes[4096];
	size_t length;
} Text;

static void
add(Text *text, const char *piece)
{
	size_t length = strlen(piece);
	if (text->length + length >= sizeof(text->bytes))
		return;
	memcpy(text->bytes + text->length, piece, length + 1);
	text->length += length;
}

static void random_alternatives(Text *pattern, uint32_t depth);

static void
random_quantifier(Text *pattern)
{
	char bounds[32];
	uint32_t least = below(3), most = least + below(3);
	switch (below(10))
	{
		case 0:
			add(pattern, "*");
			break;
		case 1:
			add(pattern, "+");
			break;
		case 2:
			add(pattern, "?");
			break;
		case 3:
			snprintf(bounds, sizeof(bounds), below(2) ? "{%u,%u}" : "{%u,}", least, most);
			add(pattern, bounds);
			break;
		default:
			break;
	}
}

static void
random_piece(Text *pattern, uint32_t depth)
{
	static const char *const atoms[] = {"a",	"b",	 "c",	   ".", "[ab]",
										"[^a]", "[a-c]", "[^b-z]", "ab"};
	if (depth > 0 && below(4) == 0)
	{
		add(pattern, "(");
		random_alternatives(pattern, depth - 1);
		add(pattern, ")");
	}
	else
		add(pattern, atoms[below(sizeof(atoms) / sizeof(atoms[0]))]);
	random_quantifier(pattern);
}

static void
random_alternatives(Text *pattern, uint32_t depth)
{
	for (uint32_t branches = 1 + (below(4) == 0) + (below(8) == 0); branches > 0; branches--)
	{
		/* anchors only at the ends: within repeats, glibc's answers are wrong */
		if (depth == TOP && below(4) == 0)
			add(pattern, "^");
		for (uint32_t pieces = 1 + below(4); pieces > 0; pieces--)
			random_piece(pattern, depth);
		if (depth == TOP && below(4) == 0)
			add(pattern, "$");
		if (branches > 1)
			add(pattern, "|");
	}
}

static void
random_text(Text *text)
{
	static const char *const letters[] = {"a", "b", "c", "d"};
	text->length = 0;
	text->bytes[0] = '\0';
	for (uint32_t n = below(12); n > 0; n--)
		add(text, letters[below(4)]);
}

static bool
search(PhArena *arena, const char *pattern, PhRegexCase letters, const char *text)
{
	PhRegex *regex;
	bool found = false;
	PhStatus status = ph_regex_compile(arena, pattern, strlen(pattern), letters, &regex);
	if (status != PH_OK)
		fail_msg("\"%s\": %s", pattern, arena->env->error.message);
	assert_int_equal(ph_regex_search(regex, text, strlen(text), &found), PH_OK);
	return found;
}

static void
compare_with_posix(PhArena *arena, const Text *pattern)
{
	regex_t reference;
	PhRegex *regex;
	if (regcomp(&reference, pattern->bytes, REG_EXTENDED | REG_NOSUB) != 0)
		fail_msg("POSIX does not take %s", pattern->bytes);
	PhStatus status =
		ph_regex_compile(arena, pattern->bytes, pattern->length, PH_REGEX_EXACT, &regex);
	if (status != PH_OK)
		fail_msg("\"%s\": %s", pattern->bytes, arena->env->error.message);
	for (int i = 0; i < TEXTS_EACH; i++)
	{
		Text text;
		bool found;
		random_text(&text);
		assert_int_equal(ph_regex_search(regex, text.bytes, text.length, &found), PH_OK);
		if (found != (regexec(&reference, text.bytes, 0, NULL, 0) == 0))
			fail_msg("/%s/ on \"%s\": %d", pattern->bytes, text.bytes, found);
	}
	regfree(&reference);
}

static void
test_random_patterns_agree_with_posix(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	ph_env_init_malloc(&env);
	state = 20240917;
	for (uint32_t i = 0; i < N_PATTERNS; i++)
	{
		Text pattern = {.length = 0};
		random_alternatives(&pattern, TOP);
		ph_arena_init(&arena, &env);
		compare_with_posix(&arena, &pattern);
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_examples(void **unused)
{
	static const struct
	{
		const char *pattern, *text;
		bool found;
	} cases[] = {
		{"", "", true},
		{"", "abc", true},
		{"^$", "", true},
		{"^$", "a", false},
		{"^MPI_", "MPI_Send", true},
		{"^MPI_", "PMPI_Send", false},
		{"^P?MPI_(Isend|Irecv)$", "PMPI_Irecv", true},
		{"^P?MPI_(Isend|Irecv)$", "PMPI_Irecvx", false},
		{"operator\\+\\+", "operator++(int)", true},
		{"std::vector<.*>::push_back", "std::vector<int>::push_back(int&&)", true},
		{"[[:upper:]]{3}_", "MPI_X", true},
		{"[^[:alnum:]_]", "abc_9", false},
		{"[]a]", "]", true},
		{"[^]a]", "]a", false},
		{"[a-]", "-", true},
		{"[\\]x]", "]", true},
		{"[\\w.]+$", "libm.so", true},
		{"\\d+\\.\\d+", "v1.25", true},
		{"^\\D+$", "a1", false},
		{"\\S\\s\\S", "a b", true},
		{"\\bfoo\\b", "a foo b", true},
		{"\\bfoo\\b", "afoo", false},
		{"\\Bfoo", "afoo", true},
		{"\\Amain\\Z", "main", true},
		{"a|", "xyz", true},
		{"^(|b)c", "bc", true},
		{"a{2}", "aa", true},
		{"^a{2}$", "aaa", false},
		{"^a{,2}$", "aa", true},
		{"^a{,2}$", "aaa", false},
		{"^a{0}$", "", true},
		{"^a{0}b", "b", true},
		{"^x{2,}$", "xxxx", true},
		{"^a*?b", "aab", true},
		{"{lambda()", "main::{lambda", true},
		{"{lambda\\(\\)#\\d}", "f::{lambda()#1}", true},
		{"x{a}", "x{a}", true},
		{"(?i)mpi_SEND", "MPI_Send", true},
		{"(?i)[A-F]x", "bX", true},
		{"(?i)[^a]", "A", true}, /* as in Perl: another letter of the pair is not a */
		{"\\x41\\t", "A\t", true},
		{"(?:ab)+c", "xababc", true},
		{"\303\244", "K\303\244se", true},
		{"^K.se$", "K\303\244se", true},
		{"^K..se$", "K\303\244se", false},
		{"[\303\240-\303\274]", "\303\244", true},
		{"[^\303\240-\303\274]", "\303\244", false},
		{"^.$", "\377", true},
		{"^..$", "\303(", true},
		{"^\\W$", "\303\244", true},
		{"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaac", false},
		{"(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaab", false},
	};
	(void) unused;
	PhEnv env;
	PhArena arena;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (search(&arena, cases[i].pattern, PH_REGEX_EXACT, cases[i].text) != cases[i].found)
			fail_msg("/%s/ on \"%s\"", cases[i].pattern, cases[i].text);
	assert_true(search(&arena, "lib(mpi|psm)", PH_REGEX_IGNORE_CASE, "LibMPI.so"));
	assert_false(search(&arena, "lib(mpi|psm)", PH_REGEX_EXACT, "LibMPI.so"));
	ph_arena_drop(&arena);
}

static void
test_nul_bytes_are_characters(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhRegex *regex;
	bool found;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_regex_compile(&arena, "a\0b", 3, PH_REGEX_EXACT, &regex), PH_OK);
	assert_int_equal(ph_regex_search(regex, "xa\0b", 4, &found), PH_OK);
	assert_true(found);
	assert_int_equal(ph_regex_search(regex, "xa", 2, &found), PH_OK);
	assert_false(found);
	ph_arena_drop(&arena);
}

/* UTF-8 of a code, as RFC 3629 writes it. */
static size_t
encode(uint32_t code, char *out)
{
	static const uint32_t beyond[] = {0x80, 0x800, 0x10000, 0x110000};
	static const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
	uint32_t more = 0;
	while (code >= beyond[more])
		more++;
	out[0] = (char) (lead[more] | code >> 6 * more);
	for (uint32_t i = 1; i <= more; i++)
		out[i] = (char) (0x80 | (code >> 6 * (more - i) & 0x3F));
	return more + 1;
}

static void
test_characters_may_have_four_bytes(void **unused)
{
	(void) unused;
	for (uint32_t code = 0; code <= 0x10FFFF; code++)
	{
		char text[5] = "";
		size_t length = encode(code, text), position = 0;
		if (code >= 0xD800 && code <= 0xDFFF)
			continue;
		assert_int_equal(ph_regex_decode(text, length, &position), code);
		assert_int_equal(position, length);
	}
}

static void
test_errors_name_the_place(void **unused)
{
	static const struct
	{
		const char *pattern;
		PhStatus status;
		const char *message;
	} cases[] = {
		{"*a", PH_ERR_VALUE, "nothing to repeat at position 1"},
		{"a|+", PH_ERR_VALUE, "nothing to repeat at position 3"},
		{"a**", PH_ERR_VALUE, "a repeat of a repeat at position 3"},
		{"ab(c", PH_ERR_VALUE, "\"(\" without its \")\" at position 3"},
		{"ab)c", PH_ERR_VALUE, "\")\" without its \"(\" at position 3"},
		{"a[bc", PH_ERR_VALUE, "\"[\" without its \"]\" at position 2"},
		{"[z-a]", PH_ERR_VALUE, "ends before it begins at position 2"},
		{"[[:foo:]]", PH_ERR_VALUE, "unknown class of characters at position 2"},
		{"a\\", PH_ERR_VALUE, "a backslash without more at position 2"},
		{"a\\q", PH_ERR_VALUE, "unknown escape at position 2"},
		{"\\xg0", PH_ERR_VALUE, "two hexadecimal digits"},
		{"a{3,2}", PH_ERR_VALUE, "ends before it begins at position 2"},
		{"(a)\\1", PH_ERR_UNSUPPORTED, "back-references"},
		{"(?=a)", PH_ERR_UNSUPPORTED, "(?...) groups"},
		{"a{256}", PH_ERR_LIMIT, "more than 255 times"},
		{"((a{255}){255}){255}", PH_ERR_LIMIT, "more than 2000 states"},
		{"((((((((((((((((((((((((((((((((((((((((((((((((((((a", PH_ERR_LIMIT,
		 "more than 50 groups"},
	};
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhRegex *regex;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhStatus status = ph_regex_compile(&arena, cases[i].pattern, strlen(cases[i].pattern),
										   PH_REGEX_EXACT, &regex);
		if (status != cases[i].status || strstr(env.error.message, cases[i].message) == NULL)
			fail_msg("/%s/: %s, %s", cases[i].pattern, ph_status_name(status), env.error.message);
	}
	ph_arena_drop(&arena);
}

/* Backtracking would take longer than the universe is old. */
static void
test_time_is_linear(void **unused)
{
	enum
	{
		LENGTH = 200000
	};
	static char text[LENGTH + 1];
	(void) unused;
	PhEnv env;
	PhArena arena;
	memset(text, 'a', LENGTH);
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_false(search(&arena, "^(a|a?)*(a*)*(aa|a)*b", PH_REGEX_EXACT, text));
	assert_false(search(&arena, "(a?){30}a{30}b", PH_REGEX_EXACT, text));
	ph_arena_drop(&arena);
}

static PhStatus
compile_and_search(PhEnv *env, void *user)
{
	static char text[20000];
	PhArena arena;
	PhRegex *regex;
	bool found;
	memset(text, 'a', sizeof(text));
	ph_arena_init(&arena, env);
	PhStatus status = ph_regex_compile(&arena, user, strlen(user), PH_REGEX_EXACT, &regex);
	if (status == PH_OK)
		status = ph_regex_search(regex, text, sizeof(text), &found);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **unused)
{
	(void) unused;
	char pattern[] = "^(\\w|[^a-z\303\244-\303\274\303\200-\303\210])*([x-z]{1,100}|\\d){4}$";
	assert_string_equal(fault_env_try_allocations(compile_and_search, pattern, 0), "");
	assert_string_equal(fault_env_try_interrupts(compile_and_search, pattern, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_patterns_agree_with_posix),
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_nul_bytes_are_characters),
		cmocka_unit_test(test_characters_may_have_four_bytes),
		cmocka_unit_test(test_errors_name_the_place),
		cmocka_unit_test(test_time_is_linear),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
