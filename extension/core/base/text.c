/*
 * text.c - strings from outside: valid UTF-8 or an error that says where not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/text.h"

#include <string.h>

/* Bytes of the UTF-8 sequence at text, 0 when it is none (overlong, surrogate, too large, NUL). */
static size_t
sequence_length(const unsigned char *text, size_t left)
{
	unsigned char lead = text[0];
	size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (lead == 0 || lead > 0xf4 || length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	bool bad = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
			   (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f);
	return bad ? 0 : length;
}

PhStatus
ph_check_text(PhEnv *env, const char *what, const char *text, size_t length)
{
	size_t at = 0;
	if (length > UINT32_MAX / 2)
		return ph_fail(env, PH_ERR_LIMIT, "%s is %zu bytes long", what, length);
	while (at < length)
	{
		size_t step = sequence_length((const unsigned char *) text + at, length - at);
		if (step == 0)
			return ph_fail(env, PH_ERR_VALUE, "%s is not valid UTF-8 at byte %zu (0x%02x)", what,
						   at, (unsigned char) text[at]);
		at += step;
	}
	return PH_OK;
}

int
ph_text_fit(const char *text, size_t limit)
{
	size_t length = strlen(text);
	if (length <= limit)
		return (int) length;
	while (limit > 0 && ((unsigned char) text[limit] & 0xc0) == 0x80)
		limit--;
	return (int) limit;
}
