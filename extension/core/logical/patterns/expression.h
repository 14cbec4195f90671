/*
 * expression.h - what users say of an exchange pattern: an expression over a process's sequence.
 *
 * A sequence has a letter for each message: S sent, R received by a call of its own, W received by
 * a call that waits for one message, A received by a call that waits for several at once; and C for
 * a collective. An expression is made of these letters, (x), x|y, x*, x+, x?, x{m}, x{m,} and
 * x{m,n}; spaces do not count. It describes the whole sequence.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PATTERNS_EXPRESSION_H
#define PH_LOGICAL_PATTERNS_EXPRESSION_H

#include "base/regex_match.h"

#define PH_PATTERN_LETTERS "SRWAC"
#define PH_MOST_EXPRESSION 1000 /* bytes */

/*
 * PH_ERR_VALUE with the position of what is no part of an expression, or of parentheses and
 * repeats that are wrong; PH_ERR_LIMIT: too long, or too much when repeats are written out.
 */
PhStatus ph_pattern_compile(PhArena *arena, const char *expression, size_t length,
							PhRegex **out) PH_MUST_CHECK;

#endif
