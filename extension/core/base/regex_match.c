/*
 * regex_match.c - runs a compiled regular expression over a text, all its states side by side.
 *
 * For every character the machine holds the set of instructions that wait for one. The set is
 * never larger than the program, so a text costs O(length * states) whatever the pattern.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/regex_program.h"

/* What stands before and after the current position. */
typedef struct Place
{
	uint32_t previous; /* PH_REGEX_END: nothing */
	uint32_t next;	   /* PH_REGEX_END: nothing */
} Place;

static uint32_t
continuation_bytes(unsigned char lead)
{
	if (lead >= 0xC2 && lead <= 0xDF)
		return 1;
	if (lead >= 0xE0 && lead <= 0xEF)
		return 2;
	if (lead >= 0xF0 && lead <= 0xF4)
		return 3;
	return 0;
}

static bool
is_valid_code(uint32_t code, uint32_t extra)
{
	static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
	return code >= smallest[extra] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

uint32_t
ph_regex_decode(const char *text, size_t length, size_t *position)
{
	unsigned char lead = (unsigned char) text[*position];
	if (lead < 0x80)
	{
		(*position)++;
		return lead;
	}
	uint32_t extra = continuation_bytes(lead);
	uint32_t code = lead & (0x3Fu >> extra);
	bool valid = extra > 0 && extra < length - *position;
	for (uint32_t i = 1; valid && i <= extra; i++)
	{
		unsigned char byte = (unsigned char) text[*position + i];
		valid = (byte & 0xC0) == 0x80;
		code = code << 6 | (byte & 0x3F);
	}
	if (!valid || !is_valid_code(code, extra))
	{
		(*position)++;
		return PH_REGEX_BAD_BYTE + lead;
	}
	*position += extra + 1;
	return code;
}

/* Does the class hold the character? (Case is the matcher's business.) */
static bool
regex_class_has(const PhRegexClass *set, uint32_t code)
{
	bool has = false;
	if (code < 128)
		has = ph_regex_bit(set->ascii, code);
	for (uint32_t i = 0; code >= 128 && !has && i < set->n_ranges; i++)
		has = code >= set->ranges[i].low && code <= set->ranges[i].high;
	return has != set->negated;
}

static bool
holds(const PhRegexInstruction *assertion, Place place)
{
	bool edge = ph_regex_is_word(place.previous) != ph_regex_is_word(place.next);
	switch (assertion->op)
	{
		case PH_RE_BEGIN:
			return place.previous == PH_REGEX_END;
		case PH_RE_END:
			return place.next == PH_REGEX_END;
		case PH_RE_EDGE:
			return edge;
		default:
			return !edge;
	}
}

/* Follow what needs no character from at; true when the machine's end is reached. */
static bool
add_states(PhRegex *regex, uint32_t from, Place place, uint32_t *n_current)
{
	uint32_t depth = ph_regex_push_once(regex, 0, from);
	while (depth > 0)
	{
		uint32_t at = regex->stack[--depth];
		const PhRegexInstruction *code = &regex->code[at];
		switch (code->op)
		{
			case PH_RE_MATCH:
				return true;
			case PH_RE_CHAR:
			case PH_RE_ANY:
			case PH_RE_CLASS:
				regex->current[(*n_current)++] = at;
				break;
			case PH_RE_SPLIT:
				depth = ph_regex_push_once(regex, depth, at + (uint32_t) code->y);
				depth = ph_regex_push_once(regex, depth, at + (uint32_t) code->x);
				break;
			case PH_RE_JUMP:
				depth = ph_regex_push_once(regex, depth, at + (uint32_t) code->x);
				break;
			default:
				if (holds(code, place))
					depth = ph_regex_push_once(regex, depth, at + 1);
				break;
		}
	}
	return false;
}

static bool
class_accepts(const PhRegex *regex, const PhRegexClass *set, uint32_t code)
{
	if (regex_class_has(set, code))
		return true;
	if (!regex->ignore_case || code >= 128)
		return false;
	uint32_t folded = ph_regex_fold(code);
	bool lower = folded >= 'a' && folded <= 'z';
	return lower && (regex_class_has(set, folded) || regex_class_has(set, folded - 32));
}

bool
ph_regex_accepts(const PhRegex *regex, const PhRegexInstruction *waiting, uint32_t code)
{
	switch (waiting->op)
	{
		case PH_RE_ANY:
			return true;
		case PH_RE_CHAR:
			if (regex->ignore_case)
				return ph_regex_fold((uint32_t) waiting->x) == ph_regex_fold(code);
			return (uint32_t) waiting->x == code;
		default:
			return class_accepts(regex, &regex->classes[waiting->x], code);
	}
}

/* Give the character to every waiting state; what accepts it goes on one further. */
static uint32_t
step(PhRegex *regex, uint32_t n_current, uint32_t code)
{
	uint32_t n_pending = 0;
	for (uint32_t i = 0; i < n_current; i++)
	{
		uint32_t at = regex->current[i];
		if (ph_regex_accepts(regex, &regex->code[at], code))
			regex->pending[n_pending++] = at + 1;
	}
	return n_pending;
}

/* True when the machine reaches its end at this place. */
static bool
advance(PhRegex *regex, uint32_t n_pending, Place place, uint32_t *n_current)
{
	*n_current = 0;
	regex->generation++;
	for (uint32_t i = 0; i < n_pending; i++)
		if (add_states(regex, regex->pending[i], place, n_current))
			return true;
	if (regex->begin_only && place.previous != PH_REGEX_END)
		return false;
	if (!regex->may_be_empty && place.next < 128 && !ph_regex_bit(regex->first, place.next))
		return false;
	return add_states(regex, 0, place, n_current);
}

PhStatus
ph_regex_search(PhRegex *regex, const char *text, size_t length, bool *found)
{
	Place place = {.previous = PH_REGEX_END};
	uint32_t n_pending = 0;
	size_t position = 0;
	do
	{
		PH_TRY(ph_env_poll(regex->env));
		place.next = position < length ? ph_regex_decode(text, length, &position) : PH_REGEX_END;
		uint32_t n_current;
		if (advance(regex, n_pending, place, &n_current))
		{
			*found = true;
			return PH_OK;
		}
		n_pending = place.next == PH_REGEX_END ? 0 : step(regex, n_current, place.next);
		place.previous = place.next;
	} while (place.next != PH_REGEX_END && (n_pending > 0 || !regex->begin_only));
	*found = false;
	return PH_OK;
}
