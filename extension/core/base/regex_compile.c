/*
 * regex_compile.c - from the text of a regular expression to a program.
 *
 * Recursive descent over alternatives, sequences, repeats and atoms; nesting is bounded. Every
 * piece is a contiguous range of instructions that is entered at its begin and left at its end, so
 * a repeat is made by copying it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/regex_program.h"

#include <string.h>

#define UNBOUNDED UINT32_MAX

typedef struct Compiler
{
	PhRegexReader reader;
	PhRegex *regex;
	uint32_t nesting;
	uint32_t class_capacity;
} Compiler;

typedef struct Bounds
{
	uint32_t least, most;
} Bounds;

static PhStatus parse_alternatives(Compiler *compiler);

static bool
at_end(const Compiler *compiler)
{
	return compiler->reader.position == compiler->reader.length;
}

static char
peek(const Compiler *compiler)
{
	return compiler->reader.pattern[compiler->reader.position];
}

static bool
next_is(const Compiler *compiler, const char *text)
{
	size_t length = strlen(text);
	return compiler->reader.length - compiler->reader.position >= length &&
		   memcmp(compiler->reader.pattern + compiler->reader.position, text, length) == 0;
}

static bool
take(Compiler *compiler, const char *text)
{
	bool there = next_is(compiler, text);
	if (there)
		compiler->reader.position += strlen(text);
	return there;
}

/* ---- instructions ---- */

/* Room for count instructions at a place; what stood there moves up. */
static PhStatus
open_gap(Compiler *compiler, uint32_t at, uint32_t count)
{
	PhRegex *regex = compiler->regex;
	if (count > PH_REGEX_MAX_STATES - regex->n_code)
		return ph_fail_hint(regex->env, PH_ERR_LIMIT, "Use smaller repeats or fewer alternatives.",
							"regular expression needs more than %d states", PH_REGEX_MAX_STATES);
	memmove(regex->code + at + count, regex->code + at,
			(regex->n_code - at) * sizeof(*regex->code));
	regex->n_code += count;
	return PH_OK;
}

static PhStatus
insert(Compiler *compiler, uint32_t at, PhRegexOp op, int32_t x, int32_t y)
{
	PH_TRY(open_gap(compiler, at, 1));
	compiler->regex->code[at] = (PhRegexInstruction){op, x, y};
	return PH_OK;
}

static PhStatus
emit(Compiler *compiler, PhRegexOp op, int32_t x, int32_t y)
{
	return insert(compiler, compiler->regex->n_code, op, x, y);
}

static PhStatus
append_copy(Compiler *compiler, uint32_t from, uint32_t count)
{
	PhRegex *regex = compiler->regex;
	uint32_t at = regex->n_code;
	PH_TRY(open_gap(compiler, at, count));
	memcpy(regex->code + at, regex->code + from, count * sizeof(*regex->code));
	return PH_OK;
}

/* An index of its own for a class: the set is moved into the regex. */
static PhStatus
emit_class(Compiler *compiler, const PhRegexClass *set)
{
	PhRegex *regex = compiler->regex;
	PH_TRY(PH_GROW(compiler->reader.arena, &regex->classes, regex->n_classes,
				   &compiler->class_capacity));
	PH_TRY(emit(compiler, PH_RE_CLASS, (int32_t) regex->n_classes, 0));
	regex->classes[regex->n_classes++] = *set;
	return PH_OK;
}

/* ---- repeats: the piece is code[begin..n_code) ---- */

static PhStatus
make_optional(Compiler *compiler, uint32_t begin)
{
	uint32_t size = compiler->regex->n_code - begin;
	return insert(compiler, begin, PH_RE_SPLIT, 1, (int32_t) size + 1);
}

static PhStatus
make_star(Compiler *compiler, uint32_t begin)
{
	int32_t size = (int32_t) (compiler->regex->n_code - begin);
	PH_TRY(insert(compiler, begin, PH_RE_SPLIT, 1, size + 2));
	return emit(compiler, PH_RE_JUMP, -size - 1, 0);
}

/* x{least,most} = x x x (x (x)?)? or x x x x*. */
static PhStatus
repeat(Compiler *compiler, uint32_t begin, Bounds bounds)
{
	PhRegex *regex = compiler->regex;
	uint32_t size = regex->n_code - begin;
	if (bounds.most == 0)
	{
		regex->n_code = begin;
		return PH_OK;
	}
	for (uint32_t i = 1; i < bounds.least; i++)
		PH_TRY(append_copy(compiler, begin, size));
	if (bounds.most == UNBOUNDED && bounds.least == 0)
		return make_star(compiler, begin);
	if (bounds.most == UNBOUNDED)
	{
		uint32_t last = regex->n_code - size;
		return emit(compiler, PH_RE_SPLIT, (int32_t) last - (int32_t) regex->n_code, 1);
	}
	uint32_t optional = bounds.most - bounds.least;
	if (bounds.least == 0)
	{
		PH_TRY(make_optional(compiler, begin));
		optional--;
	}
	/* each further copy is optional by itself: the language is the same as nested */
	uint32_t source = bounds.least == 0 ? begin + 1 : begin;
	for (uint32_t i = 0; i < optional; i++)
	{
		PH_TRY(emit(compiler, PH_RE_SPLIT, 1, (int32_t) size + 1));
		PH_TRY(append_copy(compiler, source, size));
	}
	return PH_OK;
}

/* Digits at position; false when there are none. Saturates. */
static bool
scan_number(const PhRegexReader *reader, size_t *position, uint32_t *number)
{
	size_t begin = *position;
	*number = 0;
	for (; *position < reader->length && reader->pattern[*position] >= '0' &&
		   reader->pattern[*position] <= '9';
		 (*position)++)
		if (*number <= PH_REGEX_MAX_REPEAT)
			*number = *number * 10 + (uint32_t) (reader->pattern[*position] - '0');
	return *position > begin;
}

/* {m}, {m,}, {m,n} or {,n} at the reader? Anything else that begins with "{" is itself. */
static bool
scan_bounds(const PhRegexReader *reader, size_t *end, Bounds *bounds)
{
	size_t position = reader->position + 1;
	bool has_least = scan_number(reader, &position, &bounds->least);
	bool has_most = false;
	bounds->most = bounds->least;
	if (position < reader->length && reader->pattern[position] == ',')
	{
		position++;
		has_most = scan_number(reader, &position, &bounds->most);
		if (!has_most)
			bounds->most = UNBOUNDED;
	}
	*end = position + 1;
	return (has_least || has_most) && position < reader->length && reader->pattern[position] == '}';
}

static PhStatus
check_bounds(const Compiler *compiler, Bounds bounds)
{
	uint32_t largest = bounds.most == UNBOUNDED ? bounds.least : bounds.most;
	if (largest > PH_REGEX_MAX_REPEAT || bounds.least > PH_REGEX_MAX_REPEAT)
		return ph_fail(compiler->regex->env, PH_ERR_LIMIT,
					   "regular expression repeats more than %d times at position %zu",
					   PH_REGEX_MAX_REPEAT, compiler->reader.position + 1);
	if (bounds.least > bounds.most)
		return ph_regex_syntax_error(&compiler->reader, compiler->reader.position,
									 "a repeat that ends before it begins");
	return PH_OK;
}

/* A quantifier at the reader's position; *there says whether there was one. */
static PhStatus
parse_quantifier(Compiler *compiler, Bounds *bounds, bool *there)
{
	size_t end = compiler->reader.position + 1;
	char c = at_end(compiler) ? '\0' : peek(compiler);
	*there = true;
	if (c == '*')
		*bounds = (Bounds){0, UNBOUNDED};
	else if (c == '+')
		*bounds = (Bounds){1, UNBOUNDED};
	else if (c == '?')
		*bounds = (Bounds){0, 1};
	else if (c == '{' && scan_bounds(&compiler->reader, &end, bounds))
		PH_TRY(check_bounds(compiler, *bounds));
	else
		*there = false;
	if (*there)
		compiler->reader.position = end;
	return PH_OK;
}

static PhStatus
parse_repeats(Compiler *compiler, uint32_t begin)
{
	Bounds bounds;
	bool there;
	PH_TRY(parse_quantifier(compiler, &bounds, &there));
	if (!there)
		return PH_OK;
	take(compiler, "?"); /* as few as possible: the same answer when only yes or no is asked */
	PH_TRY(repeat(compiler, begin, bounds));
	size_t position = compiler->reader.position;
	PH_TRY(parse_quantifier(compiler, &bounds, &there));
	if (there)
		return ph_regex_syntax_error(&compiler->reader, position, "a repeat of a repeat");
	return PH_OK;
}

/* ---- atoms ---- */

static PhStatus
parse_group(Compiler *compiler)
{
	size_t begin = compiler->reader.position - 1;
	if (!take(compiler, "?:") && next_is(compiler, "?"))
		return ph_fail_hint(compiler->regex->env, PH_ERR_UNSUPPORTED,
							"Use plain groups; (?i) may stand at the very start.",
							"regular expressions have no (?...) groups but (?:...): position %zu",
							begin + 1);
	if (++compiler->nesting > PH_REGEX_MAX_NESTING)
		return ph_fail(compiler->regex->env, PH_ERR_LIMIT,
					   "regular expression has more than %d groups within each other",
					   PH_REGEX_MAX_NESTING);
	PH_TRY(parse_alternatives(compiler));
	compiler->nesting--;
	if (!take(compiler, ")"))
		return ph_regex_syntax_error(&compiler->reader, begin, "\"(\" without its \")\"");
	return PH_OK;
}

static PhStatus
parse_escaped(Compiler *compiler)
{
	static const char letters[] = "AZbB";
	static const PhRegexOp meanings[] = {PH_RE_BEGIN, PH_RE_END, PH_RE_EDGE, PH_RE_NOT_EDGE};
	char c = at_end(compiler) ? '\0' : peek(compiler);
	const char *letter = c == '\0' ? NULL : strchr(letters, c);
	if (letter != NULL)
	{
		compiler->reader.position++;
		return emit(compiler, meanings[letter - letters], 0, 0);
	}
	PhRegexClass set = {0};
	bool known;
	PH_TRY(ph_regex_class_shorthand(compiler->reader.arena, &set, c, &known));
	if (known)
	{
		compiler->reader.position++;
		return emit_class(compiler, &set);
	}
	uint32_t code;
	PH_TRY(ph_regex_parse_escape(&compiler->reader, &code));
	return emit(compiler, PH_RE_CHAR, (int32_t) code, 0);
}

static PhStatus
parse_bracket(Compiler *compiler)
{
	PhRegexClass set;
	PH_TRY(ph_regex_parse_class(&compiler->reader, &set));
	return emit_class(compiler, &set);
}

static PhStatus
parse_character(Compiler *compiler)
{
	PhRegexReader *reader = &compiler->reader;
	if (peek(compiler) == '*' || peek(compiler) == '+' || peek(compiler) == '?')
		return ph_regex_syntax_error(reader, reader->position, "nothing to repeat");
	uint32_t code = ph_regex_decode(reader->pattern, reader->length, &reader->position);
	return emit(compiler, PH_RE_CHAR, (int32_t) code, 0);
}

static PhStatus
parse_atom(Compiler *compiler)
{
	if (take(compiler, "("))
		return parse_group(compiler);
	if (take(compiler, "["))
		return parse_bracket(compiler);
	if (take(compiler, "\\"))
		return parse_escaped(compiler);
	if (take(compiler, "."))
		return emit(compiler, PH_RE_ANY, 0, 0);
	if (take(compiler, "^"))
		return emit(compiler, PH_RE_BEGIN, 0, 0);
	if (take(compiler, "$"))
		return emit(compiler, PH_RE_END, 0, 0);
	return parse_character(compiler);
}

static PhStatus
parse_sequence(Compiler *compiler)
{
	while (!at_end(compiler) && peek(compiler) != '|' && peek(compiler) != ')')
	{
		PH_TRY(ph_env_poll(compiler->regex->env));
		uint32_t begin = compiler->regex->n_code;
		PH_TRY(parse_atom(compiler));
		PH_TRY(parse_repeats(compiler, begin));
	}
	return PH_OK;
}

/* a|b|c: split a / (split b / c), every branch but the last ends with a jump to the end. */
static PhStatus
parse_alternatives(Compiler *compiler)
{
	uint32_t begin = compiler->regex->n_code;
	PH_TRY(parse_sequence(compiler));
	while (take(compiler, "|"))
	{
		/* what was read so far is one branch; the new one goes behind it */
		int32_t size = (int32_t) (compiler->regex->n_code - begin);
		PH_TRY(insert(compiler, begin, PH_RE_SPLIT, 1, size + 2));
		uint32_t jump = compiler->regex->n_code;
		PH_TRY(emit(compiler, PH_RE_JUMP, 0, 0));
		PH_TRY(parse_sequence(compiler));
		compiler->regex->code[jump].x = (int32_t) (compiler->regex->n_code - jump);
	}
	return PH_OK;
}

static PhStatus
parse_pattern(Compiler *compiler)
{
	if (take(compiler, "(?i)"))
		compiler->regex->ignore_case = true;
	PH_TRY(parse_alternatives(compiler));
	if (!at_end(compiler))
		return ph_regex_syntax_error(&compiler->reader, compiler->reader.position,
									 "\")\" without its \"(\"");
	compiler->regex->code[compiler->regex->n_code++] = (PhRegexInstruction){PH_RE_MATCH, 0, 0};
	return PH_OK;
}

static PhStatus
add_working_memory(PhArena *arena, PhRegex *regex)
{
	PH_TRY(PH_NEW(arena, regex->n_code, &regex->marked));
	PH_TRY(PH_NEW(arena, regex->n_code, &regex->current));
	PH_TRY(PH_NEW(arena, regex->n_code, &regex->pending));
	return PH_NEW(arena, regex->n_code, &regex->stack);
}

static PhStatus
shrink_code(PhArena *arena, PhRegex *regex)
{
	PhRegexInstruction *code;
	PH_TRY(PH_NEW(arena, regex->n_code, &code));
	memcpy(code, regex->code, regex->n_code * sizeof(*code));
	regex->code = code;
	return PH_OK;
}

PhStatus
ph_regex_compile(PhArena *arena, const char *pattern, size_t length, PhRegexCase letters,
				 PhRegex **out)
{
	PhRegexInstruction code[PH_REGEX_MAX_STATES + 1];
	PhRegex *regex;
	PH_TRY(PH_NEW(arena, 1, &regex));
	regex->env = arena->env;
	regex->code = code;
	regex->ignore_case = letters == PH_REGEX_IGNORE_CASE;
	Compiler compiler = {.reader = {.arena = arena, .pattern = pattern, .length = length},
						 .regex = regex};
	PH_TRY(parse_pattern(&compiler));
	PH_TRY(shrink_code(arena, regex));
	PH_TRY(add_working_memory(arena, regex));
	ph_regex_study(regex);
	*out = regex;
	return PH_OK;
}
