/*
 * regex_study.c - what can be said about a program before it sees a text: how a match can begin.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/regex_program.h"

#include <string.h>

/* What can be reached from the first instruction without a character. */
typedef struct Reach
{
	uint32_t n_waiting; /* regex->current holds the instructions that wait for a character */
	bool end;
} Reach;

/*
 * What can be reached from the start without reading a character. Assertions (edges of words, $)
 * are taken to hold, as their truth depends on the text; so may be ^, unless beyond_begin. The set
 * may therefore be too large, which only makes the search try more places than it must.
 */
static Reach
reach(PhRegex *regex, bool beyond_begin)
{
	Reach result = {0, false};
	regex->generation++;
	uint32_t depth = ph_regex_push_once(regex, 0, 0);
	while (depth > 0)
	{
		uint32_t at = regex->stack[--depth];
		const PhRegexInstruction *code = &regex->code[at];
		if (code->op <= PH_RE_CLASS)
			regex->current[result.n_waiting++] = at;
		else if (code->op == PH_RE_MATCH)
			result.end = true;
		else if (code->op == PH_RE_JUMP || code->op == PH_RE_SPLIT)
			depth = ph_regex_push_once(regex, depth, at + (uint32_t) code->x);
		else if (code->op != PH_RE_BEGIN || !beyond_begin)
			depth = ph_regex_push_once(regex, depth, at + 1);
		if (code->op == PH_RE_SPLIT)
			depth = ph_regex_push_once(regex, depth, at + (uint32_t) code->y);
	}
	return result;
}

void
ph_regex_study(PhRegex *regex)
{
	Reach later = reach(regex, true);
	regex->begin_only = later.n_waiting == 0 && !later.end;
	Reach start = reach(regex, false);
	regex->may_be_empty = start.end;
	memset(regex->first, 0, sizeof(regex->first));
	for (uint32_t i = 0; i < start.n_waiting; i++)
		for (uint32_t code = 0; code < 128; code++)
			if (ph_regex_accepts(regex, &regex->code[regex->current[i]], code))
				ph_regex_set_bit(regex->first, code);
}
