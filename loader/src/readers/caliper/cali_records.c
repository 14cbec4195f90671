/*
 * cali_records.c - splitting of .cali lines.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/cali_records.h"

#include <string.h>

PhStatus
ph_cali_fail(PhCaliScanner *scanner, const char *message)
{
	return ph_input_fail(scanner->env, scanner->input, PH_ERR_FORMAT, scanner->line_start, "%s",
						 message);
}

/* Position of the next unescaped separator, or end: a few bytes on, for which memchr costs more. */
static const char *
find_separator(const char *at, const char *end, char separator)
{
	while (at < end && *at != separator)
		at += *at == '\\' ? 2 : 1;
	return at < end ? at : end;
}

static bool
is_key(const char *key, size_t size, const char *word)
{
	return size == strlen(word) && memcmp(key, word, size) == 0;
}

static PhCaliKind
record_kind(const PhCaliText *text)
{
	if (is_key(text->text, text->size, "node"))
		return PH_CALI_NODE;
	if (is_key(text->text, text->size, "ctx"))
		return PH_CALI_CTX;
	return is_key(text->text, text->size, "globals") ? PH_CALI_GLOBALS : PH_CALI_OTHER;
}

static void
store_key(PhCaliRecord *record, const char *key, size_t size, PhCaliText value)
{
	if (is_key(key, size, "id"))
		record->id = value;
	else if (is_key(key, size, "attr"))
		record->attr = value;
	else if (is_key(key, size, "data"))
		record->data = value;
	else if (is_key(key, size, "parent"))
		record->parent = value;
	else if (is_key(key, size, "ref"))
		record->ref = value;
}

static PhStatus
parse_line(PhCaliScanner *scanner, const char *line, const char *end, PhCaliRecord *record)
{
	memset(record, 0, sizeof(*record));
	if (end - line < 6 || memcmp(line, "__rec=", 6) != 0)
		return ph_cali_fail(scanner, "expected a record that begins with \"__rec=\"");
	PhCaliText kind = {line + 6, (size_t) (find_separator(line + 6, end, ',') - line - 6)};
	record->kind = record_kind(&kind);
	if ((scanner->unwanted & 1U << record->kind) != 0)
		return PH_OK;
	for (const char *at = kind.text + kind.size + 1; at < end;)
	{
		const char *stop = find_separator(at, end, ',');
		const char *equals = memchr(at, '=', (size_t) (stop - at));
		if (equals == NULL)
			return ph_cali_fail(scanner, "expected key=value, the line may be truncated");
		PhCaliText value = {equals + 1, (size_t) (stop - equals - 1)};
		store_key(record, at, (size_t) (equals - at), value);
		at = stop + 1;
	}
	return PH_OK;
}

PhStatus
ph_cali_next(PhCaliScanner *scanner, PhCaliRecord *record, bool *more)
{
	const PhInput *input = scanner->input;
	while (scanner->at < input->size)
	{
		const char *line = (const char *) input->data + scanner->at;
		size_t left = input->size - scanner->at;
		const char *newline = memchr(line, '\n', left);
		const char *end = newline != NULL ? newline : line + left;
		scanner->is_cut = newline == NULL;
		if (scanner->is_cut)
			break;
		scanner->line_start = scanner->at;
		scanner->at += (size_t) (end - line) + 1;
		if (end > line && end[-1] == '\r')
			end--;
		if (end == line || *line == '#')
			continue;
		*more = true;
		PH_TRY(ph_env_poll(scanner->env));
		return parse_line(scanner, line, end, record);
	}
	scanner->at = input->size;
	*more = false;
	return PH_OK;
}

bool
ph_cali_next_element(PhCaliText *list, PhCaliText *element)
{
	if (list->text == NULL)
		return false;
	const char *end = list->text + list->size;
	const char *stop = find_separator(list->text, end, '=');
	*element = (PhCaliText){list->text, (size_t) (stop - list->text)};
	list->text = stop < end ? stop + 1 : NULL;
	list->size = stop < end ? (size_t) (end - stop - 1) : 0;
	return true;
}

bool
ph_cali_id(const PhCaliText *text, uint64_t *out)
{
	uint64_t value = 0;
	if (text->text == NULL || text->size == 0 || text->size > 18)
		return false;
	for (size_t i = 0; i < text->size; i++)
	{
		if (text->text[i] < '0' || text->text[i] > '9')
			return false;
		value = value * 10 + (uint64_t) (text->text[i] - '0');
	}
	*out = value;
	return true;
}

PhStatus
ph_cali_decode(PhCaliScanner *scanner, PhArena *arena, const PhCaliText *text, char **out)
{
	char *copy;
	size_t written = 0;
	PH_TRY(ph_arena_strndup(arena, text->size > 0 ? text->text : "", text->size, &copy));
	for (size_t i = 0; i < text->size; i++)
	{
		bool escape = text->text[i] == '\\' && i + 1 < text->size;
		i += escape;
		copy[written++] = escape && text->text[i] == 'n' ? '\n' : text->text[i];
	}
	copy[written] = '\0';
	if (!ph_utf8_valid(copy, written))
		return ph_input_fail(scanner->env, scanner->input, PH_ERR_FORMAT,
							 (size_t) ((const uint8_t *) text->text - scanner->input->data),
							 "text is not valid UTF-8");
	*out = copy;
	return PH_OK;
}
