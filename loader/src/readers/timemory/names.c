/*
 * names.c - see timemory.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/timemory/timemory.h"

#include <stdint.h>

#include "readers/input.h"

#define NO_LINE PH_NO_NUMBER

/* What is before and behind the byte at; it belongs to neither. */
static PhSlice
before(PhSlice text, const char *at)
{
	return ph_slice_first(text, (size_t) (at - text.text));
}

static PhSlice
behind(PhSlice text, const char *at)
{
	return ph_slice_behind(text, (size_t) (at + 1 - text.text));
}

static const char *
last(PhSlice text, char byte)
{
	return text.size > 0 ? memrchr(text.text, byte, text.size) : NULL;
}

/* The last ":114" that a slash or the end follows. False: there is none. */
static bool
find_line(PhSlice label, PhSlice *head, PhSlice *tail, int32_t *line)
{
	for (PhSlice rest = label; rest.size > 0;)
	{
		const char *colon = last(rest, ':');
		if (colon == NULL)
			return false;
		PhSlice digits = behind(label, colon);
		size_t n = 0;
		int64_t number;
		while (n < digits.size && digits.text[n] >= '0' && digits.text[n] <= '9')
			n++;
		*tail = ph_slice_behind(digits, n);
		if (n > 0 && (tail->size == 0 || tail->text[0] == '/') &&
			ph_parse_int64(digits.text, n, &number) && number <= INT32_MAX)
		{
			*head = before(label, colon);
			*line = number > 0 ? (int32_t) number : NO_LINE;
			while (ph_slice_begins(*tail, "/"))
				*tail = ph_slice_behind(*tail, 1);
			return head->size > 0;
		}
		rest = before(label, colon);
	}
	return false;
}

/* "solve@solve.cpp" or "solve/solve.cpp" */
static bool
split_file(PhSlice head, PhSlice *name, PhSlice *file)
{
	const char *at = last(head, '@');
	if (at == NULL)
		at = last(head, '/');
	if (at == NULL || at == head.text || at + 1 == head.text + head.size)
		return false;
	*name = before(head, at);
	*file = behind(head, at);
	return true;
}

/* "[solve][solve.cpp]" and "inner [solve/solve.cpp:114]" */
static bool
split_brackets(PhSlice label, PhTimemoryName *out)
{
	PhSlice inside, name, tail;
	const char *open = last(label, '[');
	if (open == NULL || !ph_slice_ends(label, "]"))
		return false;
	inside = behind(label, open);
	inside.size--;
	PhSlice outside = before(label, open);
	if (ph_slice_begins(outside, "[") && ph_slice_ends(outside, "]") && outside.size > 2)
	{
		out->name = (PhSlice){outside.text + 1, outside.size - 2};
		out->file = inside;
		return true;
	}
	out->name = ph_slice_trim(outside);
	return out->name.size > 0 && out->name.size < outside.size &&
		   find_line(inside, &inside, &tail, &out->line) && tail.size == 0 &&
		   split_file(inside, &name, &out->file);
}

PhTimemoryName
ph_timemory_name(PhSlice label)
{
	static const PhSlice none = {"", 0};
	const PhTimemoryName whole = {.name = label, .tail = none, .file = none, .line = NO_LINE};
	PhTimemoryName out = whole;
	PhSlice head;
	if (split_brackets(label, &out))
		return out;
	out = whole;
	if (find_line(label, &head, &out.tail, &out.line))
	{
		if (!split_file(head, &out.name, &out.file))
			out.name = head;
		return out;
	}
	return whole;
}
