/*
 * regex_match.h - regular expressions that are safe in a server: linear time, bounded memory.
 *
 * ph_regex_search asks whether a pattern occurs anywhere in a text (anchor with ^ and $). There is
 * no backtracking: time is O(text * states) whatever the pattern, states are at most
 * PH_REGEX_MAX_STATES, and all memory comes from the arena when the pattern is compiled.
 *
 * Syntax: what POSIX extended and Python expressions have in common.
 *   c          the character itself        \c         a special character without its meaning
 *   .          any one character           [a-z_]     one of; [^...] none of; [[:alpha:]] and \d
 *   (x) (?:x)  group                                  \w \s work inside, too
 *   x|y        either, may be empty        \d \w \s   digit, word, space; \D \W \S the opposite
 *   x* x+ x?   none, one or more           \n \t \r \f \v \xHH
 *   x{m} x{m,} x{m,n} x{,n}  repeated      ^ \A  $ \Z  begin and end of the text
 *   x*? x+?    the same as x* and x+       \b \B      at a word's edge, not there
 *   (?i)       at the start: letters a-z in either case
 * Text is UTF-8; a byte that is not part of a valid character counts as one character of its own.
 * Classes such as \w and [:alpha:] know ASCII only. "{" that starts no bound is itself.
 * Back-references, look-around and named groups are PH_ERR_UNSUPPORTED.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_REGEX_MATCH_H
#define PH_BASE_REGEX_MATCH_H

#include "base/arena.h"

#define PH_REGEX_MAX_STATES 2000 /* instructions after repeats are written out */
#define PH_REGEX_MAX_REPEAT 255	 /* largest number in {m,n} */
#define PH_REGEX_MAX_NESTING 50	 /* groups within groups */

typedef struct PhRegex PhRegex;

typedef enum PhRegexCase
{
	PH_REGEX_EXACT = 0,
	PH_REGEX_IGNORE_CASE = 1 /* ASCII letters only */
} PhRegexCase;

/*
 * Compile length bytes of pattern into arena. PH_ERR_VALUE names the position and what is wrong;
 * PH_ERR_LIMIT: more states, repeats or nesting than the limits above.
 */
PhStatus ph_regex_compile(PhArena *arena, const char *pattern, size_t length, PhRegexCase letters,
						  PhRegex **out) PH_MUST_CHECK;

/*
 * Whether the pattern occurs in the text. Fails only when interrupted. The working memory is in
 * the regex: one search at a time (never from two threads); the regex itself does not change.
 */
PhStatus ph_regex_search(PhRegex *regex, const char *text, size_t length,
						 bool *found) PH_MUST_CHECK;

#endif
