/*
 * regex_program.h - what a compiled regular expression is: shared by its compiler and its matcher.
 *
 * A program is a list of instructions for a set-of-states machine (Thompson 1968, as Cox describes
 * it). Jumps are relative to their own instruction, so that a piece can be moved and copied.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_REGEX_PROGRAM_H
#define PH_BASE_REGEX_PROGRAM_H

#include "base/regex_match.h"
#include "base/vector.h"

#define PH_REGEX_END UINT32_MAX	   /* the position after the last character */
#define PH_REGEX_BAD_BYTE 0x200000 /* + byte: a byte that is not part of a valid character */

typedef enum PhRegexOp
{
	PH_RE_CHAR,		/* x = code point */
	PH_RE_ANY,		/* any one character */
	PH_RE_CLASS,	/* x = index of the class */
	PH_RE_SPLIT,	/* go on at both x and y */
	PH_RE_JUMP,		/* go on at x */
	PH_RE_BEGIN,	/* only at the text's begin */
	PH_RE_END,		/* only at the text's end */
	PH_RE_EDGE,		/* only at a word's edge */
	PH_RE_NOT_EDGE, /* not at a word's edge */
	PH_RE_MATCH
} PhRegexOp;

typedef struct PhRegexInstruction
{
	PhRegexOp op;
	int32_t x;
	int32_t y;
} PhRegexInstruction;

typedef struct PhRegexRange
{
	uint32_t low, high;
} PhRegexRange;

/* A set of characters: a bitmap for ASCII, ranges above. */
typedef struct PhRegexClass
{
	uint32_t ascii[4];
	uint32_t n_ranges;
	uint32_t capacity;
	PhRegexRange *ranges; /* all >= 128 */
	bool negated;
} PhRegexClass;

struct PhRegex
{
	PhEnv *env;
	uint32_t n_code;
	PhRegexInstruction *code;
	uint32_t n_classes;
	PhRegexClass *classes;
	bool ignore_case;

	/* found out once, so that a search may skip what cannot begin a match */
	bool begin_only;   /* every match begins at the text's begin */
	bool may_be_empty; /* the machine can reach its end without a character */
	uint32_t first[4]; /* ASCII characters that can begin a match */

	/* working memory of one search */
	uint64_t generation;
	uint64_t *marked;  /* per instruction: the generation in which it was added */
	uint32_t *current; /* instructions that wait for a character */
	uint32_t *pending; /* where to go on after the character */
	uint32_t *stack;
};

static inline bool
ph_regex_bit(const uint32_t *set, uint32_t code)
{
	return (set[code >> 5] >> (code & 31) & 1) != 0;
}

static inline void
ph_regex_set_bit(uint32_t *set, uint32_t code)
{
	set[code >> 5] |= (uint32_t) 1 << (code & 31);
}

/* ASCII letters to lower case; everything else as it is. */
static inline uint32_t
ph_regex_fold(uint32_t code)
{
	return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
}

static inline bool
ph_regex_is_word(uint32_t code)
{
	return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
		   (code >= 'a' && code <= 'z') || code == '_';
}

/* Decode one character at text[*position] (position < length) and step over it. */
uint32_t ph_regex_decode(const char *text, size_t length, size_t *position);

/* Does an instruction that waits for a character take this one? */
bool ph_regex_accepts(const PhRegex *regex, const PhRegexInstruction *waiting, uint32_t code);

/* ---- regex_class.c: building and parsing sets of characters ---- */

/* Where a pattern is being read. */
typedef struct PhRegexReader
{
	PhArena *arena;
	const char *pattern;
	size_t length;
	size_t position;
} PhRegexReader;

/* PH_ERR_VALUE with the position (counted from 1) and what is wrong there. */
PhStatus ph_regex_syntax_error(const PhRegexReader *reader, size_t position,
							   const char *what) PH_MUST_CHECK;

/* The rest of [...] after the opening bracket. */
PhStatus ph_regex_parse_class(PhRegexReader *reader, PhRegexClass *out) PH_MUST_CHECK;

/* Add what \d \w \s \D \W \S stand for; *known says whether letter is one of them. */
PhStatus ph_regex_class_shorthand(PhArena *arena, PhRegexClass *set, char letter,
								  bool *known) PH_MUST_CHECK;

/*
 * The character that an escape stands for: \n \t \r \f \v \xHH or punctuation. reader is behind
 * the backslash and moves behind the escape.
 */
PhStatus ph_regex_parse_escape(PhRegexReader *reader, uint32_t *code) PH_MUST_CHECK;

/* ---- regex_study.c ---- */

/* Work out begin_only, may_be_empty and first from code and classes. Uses the working memory. */
void ph_regex_study(PhRegex *regex);

/* Push an instruction once a generation; returns the new depth of the stack. */
static inline uint32_t
ph_regex_push_once(PhRegex *regex, uint32_t depth, uint32_t at)
{
	if (regex->marked[at] == regex->generation)
		return depth;
	regex->marked[at] = regex->generation;
	regex->stack[depth] = at;
	return depth + 1;
}

#endif
