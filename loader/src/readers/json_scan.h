/*
 * json_scan.h - a strict pull scanner over JSON bytes (RFC 8259), without a document tree.
 *
 * The caller walks objects and arrays member by member and skips what it does not need; nothing is
 * allocated but the strings it asks for. Depth is limited, nothing recurses. Every error names the
 * file, line and column.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_JSON_SCAN_H
#define PH_READERS_JSON_SCAN_H

#include "readers/input.h"

#define PH_JSON_DEPTH 100000 /* levels of nesting at most, one bit each */

typedef struct PhJsonScan
{
	PhEnv *env;
	PhInput *input;
	size_t at; /* next byte */
} PhJsonScan;

/* A string as it stands in the file, without its quotes. */
typedef struct PhJsonText
{
	const char *text;
	size_t size;
	bool escaped; /* holds backslashes: compare after ph_json_unescape */
} PhJsonText;

/* First byte of the next value or punctuation after blanks; '\0' at the end of the input. */
static inline char
ph_json_peek(PhJsonScan *json)
{
	const uint8_t *data = json->input->data;
	size_t size = json->input->size;
	while (json->at < size)
	{
		uint8_t byte = data[json->at];
		if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')
			return (char) byte;
		json->at++;
	}
	return '\0';
}

/* An error at the current position. */
PhStatus ph_json_fail(PhJsonScan *json, const char *what);

/* Take this punctuation or fail with "expected ...". */
PhStatus ph_json_expect(PhJsonScan *json, char byte) PH_MUST_CHECK;

/*
 * Iterate: start with *first = true after the opening bracket was taken by ph_json_expect. *more
 * becomes false when the closing bracket was taken. For objects key is set and ':' is taken.
 */
PhStatus ph_json_next_item(PhJsonScan *json, bool *first, bool *more) PH_MUST_CHECK;
PhStatus ph_json_next_member(PhJsonScan *json, bool *first, bool *more,
							 PhJsonText *key) PH_MUST_CHECK;

/* What becomes of a member or an item: takes its value, all of it. key: NULL of an item. */
typedef PhStatus (*PhJsonTake)(void *reader, const PhJsonText *key);

/* Have every member of the object that is next taken, in the order of the file. */
PhStatus ph_json_members(PhJsonScan *json, PhJsonTake take, void *reader) PH_MUST_CHECK;

/* Every item of the list that is next. */
PhStatus ph_json_items(PhJsonScan *json, PhJsonTake take, void *reader) PH_MUST_CHECK;

PhStatus ph_json_string(PhJsonScan *json, PhJsonText *out) PH_MUST_CHECK;
PhStatus ph_json_number(PhJsonScan *json, double *out) PH_MUST_CHECK;
PhStatus ph_json_int(PhJsonScan *json, int64_t *out) PH_MUST_CHECK;
/* true, false or null: the first letter. */
PhStatus ph_json_literal(PhJsonScan *json, char *out) PH_MUST_CHECK;

/* Skip one value of any kind and depth. */
PhStatus ph_json_skip(PhJsonScan *json) PH_MUST_CHECK;

/* The input must end here. */
PhStatus ph_json_end(PhJsonScan *json) PH_MUST_CHECK;

/* Decoded copy, NUL-terminated, valid UTF-8 without NUL. */
PhStatus ph_json_unescape(PhJsonScan *json, PhArena *arena, const PhJsonText *text,
						  char **out) PH_MUST_CHECK;

/* True when the undecoded text equals word. */
bool ph_json_is(const PhJsonText *text, const char *word);

/*
 * Any scalar as text: strings decoded, numbers and literals as they stand, null as NULL; objects
 * and arrays as their source text. *is_number tells a number.
 */
PhStatus ph_json_scalar(PhJsonScan *json, PhArena *arena, char **out,
						bool *is_number) PH_MUST_CHECK;

/* The first bytes of a file are of an object, and these texts (NULL ends them) are all in them. */
bool ph_json_head_has(const uint8_t *head, size_t size, const char *const *texts);

#endif
