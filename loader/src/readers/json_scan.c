/*
 * json_scan.c - the scanner: blanks, strings, numbers, skipping.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/json_scan.h"

#include <string.h>

#include "readers/decimal.h"

PhStatus
ph_json_fail(PhJsonScan *json, const char *what)
{
	char next = ph_json_peek(json);
	if (json->at >= json->input->size)
		return ph_input_fail(json->env, json->input, PH_ERR_FORMAT, json->at,
							 "%s, but the file ends: it is truncated", what);
	if (next >= ' ' && next < 127)
		return ph_input_fail(json->env, json->input, PH_ERR_FORMAT, json->at, "%s, found \"%c\"",
							 what, next);
	return ph_input_fail(json->env, json->input, PH_ERR_FORMAT, json->at, "%s, found byte 0x%02x",
						 what, (unsigned) (uint8_t) next);
}

PhStatus
ph_json_expect(PhJsonScan *json, char byte)
{
	if (ph_json_peek(json) != byte || json->at >= json->input->size)
	{
		char what[] = "invalid JSON: expected \"?\"";
		what[sizeof(what) - 3] = byte;
		return ph_json_fail(json, what);
	}
	json->at++;
	return PH_OK;
}

static PhStatus
next_element(PhJsonScan *json, char close, bool *first, bool *more)
{
	char next = ph_json_peek(json);
	*more = true;
	if (next == close)
	{
		json->at++;
		*more = false;
	}
	else if (!*first)
	{
		if (next != ',')
			return ph_json_fail(json, close == ']' ? "invalid JSON: expected \",\" or \"]\""
												   : "invalid JSON: expected \",\" or \"}\"");
		json->at++;
		if (ph_json_peek(json) == close)
			return ph_json_fail(json, "invalid JSON: expected a value after \",\"");
	}
	*first = false;
	return PH_OK;
}

PhStatus
ph_json_next_item(PhJsonScan *json, bool *first, bool *more)
{
	return next_element(json, ']', first, more);
}

PhStatus
ph_json_next_member(PhJsonScan *json, bool *first, bool *more, PhJsonText *key)
{
	PH_TRY(next_element(json, '}', first, more));
	if (!*more)
		return PH_OK;
	if (ph_json_peek(json) != '"')
		return ph_json_fail(json, "invalid JSON: expected a name in quotes");
	PH_TRY(ph_json_string(json, key));
	return ph_json_expect(json, ':');
}

PhStatus
ph_json_members(PhJsonScan *json, PhJsonTake take, void *reader)
{
	bool first = true, more;
	PhJsonText key;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PH_TRY(ph_env_poll(json->env));
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return PH_OK;
		PH_TRY(take(reader, &key));
	}
}

PhStatus
ph_json_items(PhJsonScan *json, PhJsonTake take, void *reader)
{
	bool first = true, more;
	PH_TRY(ph_json_expect(json, '['));
	for (;;)
	{
		PH_TRY(ph_env_poll(json->env));
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(take(reader, NULL));
	}
}

PhStatus
ph_json_string(PhJsonScan *json, PhJsonText *out)
{
	if (ph_json_peek(json) != '"')
		return ph_json_fail(json, "expected a string");
	const uint8_t *data = json->input->data;
	size_t size = json->input->size;
	size_t start = json->at + 1;
	size_t at = start;
	bool escaped = false;
	while (at < size && data[at] != '"')
	{
		if (data[at] < ' ')
		{
			json->at = at;
			return ph_json_fail(json, "invalid JSON: a string holds a control character");
		}
		bool escape = data[at] == '\\';
		escaped |= escape;
		at += escape ? 2 : 1;
	}
	if (at >= size)
	{
		json->at = size;
		return ph_json_fail(json, "invalid JSON: a string is not closed");
	}
	*out = (PhJsonText){(const char *) data + start, at - start, escaped};
	json->at = at + 1;
	return PH_OK;
}

/* The bytes that may follow a number. */
static inline bool
ends_number(const PhInput *input, size_t at)
{
	if (at >= input->size)
		return true;
	uint8_t byte = input->data[at];
	return byte == ',' || byte == ']' || byte == '}' || byte == ' ' || byte == '\n' ||
		   byte == '\r' || byte == '\t';
}

/* False, without moving: something that strtod reads. */
static bool
fast_number(PhJsonScan *json, double *out)
{
	const PhInput *input = json->input;
	size_t length = json->at < input->size
						? ph_take_decimal(input->data + json->at, input->size - json->at, out)
						: 0;
	if (length == 0 || !ends_number(input, json->at + length))
		return false;
	json->at += length;
	return true;
}

/* Bytes up to the end of a token. */
static size_t
token_size(const PhJsonScan *json)
{
	size_t end = json->at;
	while (!ends_number(json->input, end))
		end++;
	return end - json->at;
}

PhStatus
ph_json_number(PhJsonScan *json, double *out)
{
	char next = ph_json_peek(json);
	if (fast_number(json, out))
		return PH_OK;
	if (next == 'N' || next == 'I')
		return ph_json_fail(json, "expected a finite number");
	size_t size = token_size(json);
	if (!ph_parse_number((const char *) json->input->data + json->at, size, out))
		return ph_json_fail(json, "expected a finite number");
	json->at += size;
	return PH_OK;
}

PhStatus
ph_json_int(PhJsonScan *json, int64_t *out)
{
	ph_json_peek(json);
	size_t size = token_size(json);
	if (!ph_parse_int64((const char *) json->input->data + json->at, size, out))
		return ph_json_fail(json, "expected a whole number");
	json->at += size;
	return PH_OK;
}

PhStatus
ph_json_literal(PhJsonScan *json, char *out)
{
	static const char *const words[] = {"true", "false", "null"};
	ph_json_peek(json);
	size_t size = token_size(json);
	for (size_t i = 0; i < 3; i++)
		if (size == strlen(words[i]) && memcmp(json->input->data + json->at, words[i], size) == 0)
		{
			json->at += size;
			*out = words[i][0];
			return PH_OK;
		}
	return ph_json_fail(json, "invalid JSON: expected a value");
}

/* Skip a scalar; its spelling is checked. */
static PhStatus
skip_scalar(PhJsonScan *json, char next)
{
	PhJsonText text;
	double number;
	char literal;
	if (next == '"')
		return ph_json_string(json, &text);
	if (next == '-' || ph_is_digit((uint8_t) next))
		return ph_json_number(json, &number);
	return ph_json_literal(json, &literal);
}

/* The closing brackets that are due, one bit a level: 1 = object. */
typedef struct BracketStack
{
	uint8_t bits[PH_JSON_DEPTH / 8 + 1];
	size_t depth;
} BracketStack;

static PhStatus
push_bracket(PhJsonScan *json, BracketStack *stack, bool object)
{
	if (stack->depth >= PH_JSON_DEPTH)
		return ph_input_fail(json->env, json->input, PH_ERR_LIMIT, json->at,
							 "JSON is nested deeper than %d levels", PH_JSON_DEPTH);
	uint8_t mask = (uint8_t) (1u << (stack->depth & 7));
	uint8_t *byte = &stack->bits[stack->depth >> 3];
	*byte = (uint8_t) (object ? *byte | mask : *byte & ~mask);
	stack->depth++;
	json->at++;
	return PH_OK;
}

static bool
top_is_object(const BracketStack *stack)
{
	size_t top = stack->depth - 1;
	return stack->bits[top >> 3] >> (top & 7) & 1;
}

/* Step inside the innermost bracket: to its next value, or out of it. */
static PhStatus
next_in_bracket(PhJsonScan *json, const BracketStack *stack, bool *first, bool *more)
{
	PhJsonText key;
	if (top_is_object(stack))
		return ph_json_next_member(json, first, more, &key);
	return ph_json_next_item(json, first, more);
}

PhStatus
ph_json_skip(PhJsonScan *json)
{
	BracketStack stack;
	stack.depth = 0;
	do
	{
		char next = ph_json_peek(json);
		bool first = next == '[' || next == '{';
		if (first)
			PH_TRY(push_bracket(json, &stack, next == '{'));
		else
			PH_TRY(skip_scalar(json, next));
		bool more = false;
		while (stack.depth > 0 && !more)
		{
			PH_TRY(next_in_bracket(json, &stack, &first, &more));
			stack.depth -= !more;
		}
	} while (stack.depth > 0);
	return PH_OK;
}

PhStatus
ph_json_end(PhJsonScan *json)
{
	ph_json_peek(json);
	if (json->at < json->input->size)
		return ph_json_fail(json, "invalid JSON: expected the end of the file");
	return PH_OK;
}

/* Four hexadecimal digits, or -1. */
static int32_t
hex4(const char *text, size_t size)
{
	int32_t value = 0;
	if (size < 4)
		return -1;
	for (size_t i = 0; i < 4; i++)
	{
		char c = text[i];
		int32_t digit = c >= '0' && c <= '9'   ? c - '0'
						: c >= 'a' && c <= 'f' ? c - 'a' + 10
						: c >= 'A' && c <= 'F' ? c - 'A' + 10
											   : -1;
		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

static size_t
put_utf8(char *out, uint32_t code)
{
	if (code < 0x80)
	{
		out[0] = (char) code;
		return 1;
	}
	size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = length - 1; i > 0; i--, code >>= 6)
		out[i] = (char) (0x80 | (code & 0x3F));
	out[0] = (char) ((0xF00u >> length) | code);
	return length;
}

/* One \uXXXX or surrogate pair; returns the bytes consumed after the backslash, 0 on error. */
static size_t
unescape_unicode(const char *text, size_t size, char *out, size_t *written)
{
	int32_t code = hex4(text + 1, size - 1);
	size_t used = 5;
	if (code >= 0xD800 && code < 0xDC00)
	{
		bool pair = size >= 11 && text[5] == '\\' && text[6] == 'u';
		int32_t low = pair ? hex4(text + 7, size - 7) : -1;
		if (low < 0xDC00 || low > 0xDFFF)
			return 0;
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		used = 11;
	}
	else if (code <= 0 || (code >= 0xDC00 && code < 0xE000))
		return 0;
	*written += put_utf8(out + *written, (uint32_t) code);
	return used;
}

/* One escape after the backslash; returns the bytes consumed, 0 on error. */
static size_t
unescape_one(const char *text, size_t size, char *out, size_t *written)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	if (text[0] == 'u')
		return unescape_unicode(text, size, out, written);
	const char *found = text[0] != '\0' ? strchr(from, text[0]) : NULL;
	if (found == NULL)
		return 0;
	out[(*written)++] = to[found - from];
	return 1;
}

PhStatus
ph_json_unescape(PhJsonScan *json, PhArena *arena, const PhJsonText *text, char **out)
{
	size_t offset = (size_t) ((const uint8_t *) text->text - json->input->data);
	char *copy;
	PH_TRY(ph_arena_strndup(arena, text->text, text->size, &copy));
	size_t written = 0;
	for (size_t i = 0; text->escaped && i < text->size;)
	{
		if (text->text[i] != '\\')
		{
			copy[written++] = text->text[i++];
			continue;
		}
		size_t used = unescape_one(text->text + i + 1, text->size - i - 1, copy, &written);
		if (used == 0)
			return ph_input_fail(json->env, json->input, PH_ERR_FORMAT, offset + i,
								 "invalid JSON: bad escape in a string");
		i += used + 1;
	}
	if (!text->escaped)
		written = text->size;
	copy[written] = '\0';
	if (!ph_utf8_valid(copy, written))
		return ph_input_fail(json->env, json->input, PH_ERR_FORMAT, offset,
							 "a string is not valid UTF-8");
	*out = copy;
	return PH_OK;
}

bool
ph_json_is(const PhJsonText *text, const char *word)
{
	return text->size == strlen(word) && memcmp(text->text, word, text->size) == 0;
}

PhStatus
ph_json_scalar(PhJsonScan *json, PhArena *arena, char **out, bool *is_number)
{
	char next = ph_json_peek(json);
	size_t start = json->at;
	*is_number = next == '-' || ph_is_digit((uint8_t) next);
	if (next == '"')
	{
		PhJsonText text;
		PH_TRY(ph_json_string(json, &text));
		return ph_json_unescape(json, arena, &text, out);
	}
	PH_TRY(ph_json_skip(json));
	if (next == 'n')
	{
		*out = NULL;
		return PH_OK;
	}
	const char *source = (const char *) json->input->data + start;
	if (!ph_utf8_valid(source, json->at - start))
		return ph_input_fail(json->env, json->input, PH_ERR_FORMAT, start,
							 "a string is not valid UTF-8");
	return ph_arena_strndup(arena, source, json->at - start, out);
}

bool
ph_json_head_has(const uint8_t *head, size_t size, const char *const *texts)
{
	size_t at = 0;
	while (at < size && memchr(" \n\t\r", head[at], 4) != NULL)
		at++;
	if (at == size || head[at] != '{')
		return false;
	for (; *texts != NULL; texts++)
		if (memmem(head, size, *texts, strlen(*texts)) == NULL)
			return false;
	return true;
}
