/*
 * name_likeness.c - the core of a name, and edit distances with one word of bits (Myers 1999).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "history/name_likeness.h"

#include <stdbool.h>
#include <string.h>

#include "base/letters.h"
#include "base/min_max.h"

/* Append a byte; the last PH_CORE_NAME_MAX of them are kept. */
static void
put(PhCoreName *out, char c)
{
	if (out->length == PH_CORE_NAME_MAX)
	{
		memmove(out->text, out->text + 1, PH_CORE_NAME_MAX - 1);
		out->length--;
	}
	out->text[out->length++] = ph_lower(c);
}

/*
 * The identifiers of a name mangled as in the Itanium C++ ABI (_ZN3foo3barEv: foo::bar), those of
 * the function's own nested name. False when it is none.
 */
static bool
put_mangled(const char *name, PhCoreName *out)
{
	if (strncmp(name, "_Z", 2) != 0)
		return false;
	name += 2;
	while (*name == 'N' || *name == 'L' || *name == 'K' || *name == 'V')
		name++;
	if (strncmp(name, "St", 2) == 0)
		name += 2;
	while (ph_is_digit(*name))
	{
		uint32_t length = 0;
		for (; ph_is_digit(*name) && length < 4096; name++)
			length = length * 10 + (uint32_t) (*name - '0');
		for (int i = 0; out->length > 0 && i < 2; i++)
			put(out, ':');
		for (; length > 0 && *name != '\0'; length--)
			put(out, *name++);
	}
	return out->length > 0;
}

/* Without what stands in brackets, unless the brackets are all there is or an operator's own. */
static void
put_plain(const char *name, PhCoreName *out)
{
	uint32_t depth = 0;
	bool is_operator = strstr(name, "operator") != NULL;
	for (; *name != '\0'; name++)
	{
		bool opens = (*name == '<' || *name == '(') && out->length > 0 && !is_operator;
		bool closes = (*name == '>' || *name == ')') && depth > 0;
		if (opens)
			depth++;
		else if (closes)
			depth--;
		else if (depth == 0 && *name != ' ')
			put(out, *name);
	}
}

void
ph_core_name(const char *name, PhCoreName *out)
{
	memset(out, 0, sizeof(*out));
	if (!put_mangled(name, out))
	{
		out->length = 0;
		put_plain(name, out);
	}
	while (out->length > 1 && out->text[out->length - 1] == '_')
		out->length--;
	uint32_t first = 0;
	while (first + 1 < out->length && out->text[first] == '_')
		first++;
	out->length -= first;
	memmove(out->text, out->text + first, out->length);
	memset(out->text + out->length, 0, PH_CORE_NAME_MAX - out->length);
}

uint32_t
ph_name_distance(const PhCoreName *a, const PhCoreName *b)
{
	uint64_t where[256] = {0}, up = ~(uint64_t) 0, down = 0;
	uint32_t m = a->length, distance = m;
	if (m == 0)
		return b->length;
	for (uint32_t i = 0; i < m; i++)
		where[(unsigned char) a->text[i]] |= (uint64_t) 1 << i;
	for (uint32_t j = 0; j < b->length; j++)
	{
		uint64_t equal = where[(unsigned char) b->text[j]];
		uint64_t zero = (((equal & up) + up) ^ up) | equal | down;
		uint64_t rise = down | ~(zero | up), fall = up & zero;
		distance += (uint32_t) (rise >> (m - 1) & 1);
		distance -= (uint32_t) (fall >> (m - 1) & 1);
		rise = rise << 1 | 1;
		up = fall << 1 | ~(zero | rise);
		down = rise & zero;
	}
	return distance;
}

double
ph_name_likeness(const char *a, const PhCoreName *core_a, const char *b, const PhCoreName *core_b)
{
	uint32_t longer = PH_MAX(core_a->length, core_b->length);
	if (strcmp(a, b) == 0)
		return 1;
	if (longer == 0)
		return 0;
	double likeness = 1 - (double) ph_name_distance(core_a, core_b) / longer;
	return PH_MIN(likeness, PH_LIKENESS_DECORATED);
}
