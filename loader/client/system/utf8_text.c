/*
 * utf8_text.c - decoding, width, replacement of bad bytes.
 *
 * The width tables hold the ranges that occur in names and paths; they do not depend on the locale,
 * so that output is the same everywhere.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/utf8_text.h"

#include <string.h>

#include "system/memory.h"

typedef struct Range
{
	uint32_t first, last;
} Range;

static const Range combining[] = {
	{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
	{0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};
static const Range wide[] = {
	{0x1100, 0x115F},	{0x2E80, 0x303E},	{0x3041, 0x33FF},	{0x3400, 0x4DBF},
	{0x4E00, 0x9FFF},	{0xA000, 0xA4CF},	{0xAC00, 0xD7A3},	{0xF900, 0xFAFF},
	{0xFE30, 0xFE6F},	{0xFF00, 0xFF60},	{0xFFE0, 0xFFE6},	{0x1F300, 0x1F6FF},
	{0x1F900, 0x1F9FF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};

/* Bytes of the sequence that lead starts, and the smallest character that needs as many. */
static int
sequence_length(unsigned char lead, uint32_t *smallest)
{
	static const uint32_t smallest_of[] = {0, 0, 0x80, 0x800, 0x10000};
	int length = lead < 0x80				   ? 1
				 : lead >= 0xC2 && lead < 0xE0 ? 2
				 : lead >= 0xE0 && lead < 0xF0 ? 3
				 : lead >= 0xF0 && lead < 0xF5 ? 4
											   : 0;

	*smallest = smallest_of[length];
	return length;
}

uint32_t
ph_utf8_next(const char **text)
{
	const unsigned char *bytes = (const unsigned char *) *text;
	uint32_t smallest;
	int length = sequence_length(bytes[0], &smallest);
	uint32_t character;

	(*text)++;
	if (length == 1)
		return bytes[0];
	if (length == 0)
		return PH_BAD_CHARACTER;
	character = bytes[0] & (0x7FU >> length);
	for (int i = 1; i < length; i++)
	{
		if ((bytes[i] & 0xC0) != 0x80)
			return PH_BAD_CHARACTER;
		character = character << 6 | (bytes[i] & 0x3F);
	}
	if (character < smallest || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
		return PH_BAD_CHARACTER;
	*text += length - 1;
	return character;
}

static int
is_in(uint32_t character, const Range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return 1;
	return 0;
}

size_t
ph_utf8_width(uint32_t character)
{
	if (is_in(character, combining, sizeof(combining) / sizeof(combining[0])))
		return 0;
	return is_in(character, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

char *
ph_text_valid(const char *text)
{
	/* a bad byte becomes three */
	char *valid = ph_must_alloc(3 * strlen(text) + 1, 1);
	char *out = valid;

	while (*text != '\0')
	{
		const char *start = text;

		if (ph_utf8_next(&text) == PH_BAD_CHARACTER)
		{
			memcpy(out, "\xEF\xBF\xBD", 3);
			out += 3;
		}
		else
		{
			memcpy(out, start, (size_t) (text - start));
			out += text - start;
		}
	}
	return valid;
}

char *
ph_text_line(const char *text)
{
	char *line = ph_text_valid(text != NULL ? text : "");

	for (char *at = line; *at != '\0'; at++)
		if ((unsigned char) *at < 0x20 || *at == 0x7F)
			*at = ' ';
	return line;
}
