/*
 * scan.c - see scan.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/chrome/scan.h"

#include "readers/decimal.h"
#include "readers/input.h"

#define SHORT_WHOLE 16	 /* with three digits behind the point it fits into 64 bits */
#define MOST_EXPONENT 64 /* of ten: beyond, a number is 0 or no time */

/* ---- strings ---- */

/* Has any of eight bytes the value 0? (Mycroft's test: no false answer where all are below 0x80,
 * and at worst one that the caller's look at single bytes corrects.) */
static inline uint64_t
zero_bytes(uint64_t eight)
{
	return (eight - UINT64_C(0x0101010101010101)) & ~eight & UINT64_C(0x8080808080808080);
}

/* The next quote or backslash. */
static inline const uint8_t *
find_quote(const uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 8; at += 8)
	{
		uint64_t eight;

		memcpy(&eight, at, sizeof(eight));
		if ((zero_bytes(eight ^ UINT64_C(0x2222222222222222)) |
			 zero_bytes(eight ^ UINT64_C(0x5C5C5C5C5C5C5C5C))) != 0)
			break;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* A string from its opening quote on. */
static bool
scan_string(PhScan *scan, PhScanValue *out)
{
	const uint8_t *begin = scan->at + 1;
	const uint8_t *at = find_quote(begin, scan->end);
	bool is_escaped = false;

	while (at < scan->end && *at == '\\')
	{
		is_escaped = true;
		if (scan->end - at < 2)
			return ph_scan_fail(scan, NULL);
		at = find_quote(at + 2, scan->end);
	}
	if (at == scan->end)
		return ph_scan_fail(scan, NULL);
	*out = (PhScanValue){.text = (const char *) begin,
						 .size = (size_t) (at - begin),
						 .kind = PH_SCAN_STRING,
						 .is_escaped = is_escaped};
	scan->at = at + 1;
	return true;
}

/* ---- values ---- */

/* What ends a run of bytes in nested values: quotes and brackets. */
static const uint8_t is_mark[256] = {['"'] = 1, ['{'] = 1, ['['] = 1, ['}'] = 1, [']'] = 1};

/* An object or array to the bracket that closes it. */
static bool
skip_nested(PhScan *scan)
{
	size_t depth = 0;
	PhScanValue string;

	for (;;)
	{
		while (scan->at < scan->end && !is_mark[*scan->at])
			scan->at++;
		if (scan->at == scan->end)
			return ph_scan_fail(scan, NULL);
		if (*scan->at == '"')
		{
			if (!scan_string(scan, &string))
				return false;
			continue;
		}
		depth += *scan->at == '{' || *scan->at == '[' ? 1 : (size_t) -1;
		scan->at++;
		if (depth == 0)
			return true;
	}
}

static inline bool
is_word_byte(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
		   (byte >= 'A' && byte <= 'Z') || byte == '.' || byte == '-' || byte == '+';
}

/* Bytes that end without what follows a word may go on with it. */
static bool
scan_word(PhScan *scan, PhScanValue *out)
{
	const uint8_t *begin = scan->at;

	while (scan->at < scan->end && is_word_byte(*scan->at))
		scan->at++;
	if (scan->at == scan->end)
		return ph_scan_fail(scan, NULL);
	if (scan->at == begin)
		return ph_scan_fail(scan, "expected a value");
	*out = (PhScanValue){
		.text = (const char *) begin, .size = (size_t) (scan->at - begin), .kind = PH_SCAN_WORD};
	return true;
}

bool
ph_scan_value(PhScan *scan, PhScanValue *out)
{
	const uint8_t *begin;

	if (!ph_scan_blanks(scan))
		return false;
	if (*scan->at == '"')
		return scan_string(scan, out);
	if (*scan->at != '{' && *scan->at != '[')
		return scan_word(scan, out);
	begin = scan->at;
	if (!skip_nested(scan))
		return false;
	*out = (PhScanValue){
		.text = (const char *) begin, .size = (size_t) (scan->at - begin), .kind = PH_SCAN_NESTED};
	return true;
}

/* ---- members ---- */

/* Passes the comma between items; a comma before the closing bracket is taken as none. */
static bool
begin_item(PhScan *scan, bool *first, bool *more, char close, const char *wrong)
{
	if (!ph_scan_blanks(scan))
		return false;
	if (!*first && *scan->at == ',')
	{
		scan->at++;
		if (!ph_scan_blanks(scan))
			return false;
		*first = true;
	}
	*more = *scan->at != (uint8_t) close;
	if (!*more)
		scan->at++;
	else if (!*first)
		return ph_scan_fail(scan, wrong);
	*first = false;
	return true;
}

bool
ph_scan_member(PhScan *scan, bool *first, bool *more, PhScanValue *key)
{
	if (!begin_item(scan, first, more, '}', "expected , or } after a member"))
		return false;
	if (!*more)
		return true;
	if (*scan->at != '"')
		return ph_scan_fail(scan, "expected the name of a member");
	return scan_string(scan, key) && ph_scan_take(scan, ':', "expected : after a name");
}

bool
ph_scan_item(PhScan *scan, bool *first, bool *more)
{
	return begin_item(scan, first, more, ']', "expected , or ] after a value");
}

PhScanValue
ph_scan_find(const PhScanValue *object, const char *name)
{
	PhScan scan = ph_scan_of(object);
	PhScanValue key, value;
	bool first = true;
	bool more;

	if (object->kind != PH_SCAN_NESTED || !ph_scan_take(&scan, '{', ""))
		return (PhScanValue){.kind = PH_SCAN_ABSENT};
	while (ph_scan_member(&scan, &first, &more, &key) && more && ph_scan_value(&scan, &value))
	{
		if (ph_scan_value_is(&key, name))
			return value;
	}
	return (PhScanValue){.kind = PH_SCAN_ABSENT};
}

/* ---- numbers ---- */

bool
ph_scan_integer(const PhScanValue *value, int64_t *out)
{
	return (value->kind == PH_SCAN_WORD || value->kind == PH_SCAN_STRING) &&
		   ph_parse_int64(value->text, value->size, out);
}

/* A decimal number: its digits without the point, and how many of them are before it. */
typedef struct Decimal
{
	const char *text; /* digits and perhaps a point */
	size_t size;
	bool is_negative;
	int64_t n_whole;
} Decimal;

static bool
take_exponent(const char *text, size_t size, int64_t *out)
{
	size_t at = size > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
	int64_t exponent;

	if (at == size || !ph_is_digit((uint8_t) text[at]) ||
		!ph_parse_int64(text + at, size - at, &exponent))
		return false;
	exponent = exponent < MOST_EXPONENT ? exponent : MOST_EXPONENT;
	*out = text[0] == '-' ? -exponent : exponent;
	return true;
}

static bool
take_decimal(const PhScanValue *value, Decimal *out)
{
	size_t at = value->size > 0 && value->text[0] == '-' ? 1 : 0;
	size_t begin = at;
	size_t point = value->size;
	int64_t exponent = 0;

	for (; at < value->size; at++)
	{
		if (value->text[at] == '.' && point == value->size)
			point = at;
		else if (!ph_is_digit((uint8_t) value->text[at]))
			break;
	}
	if (at < value->size && ((value->text[at] | 0x20) != 'e' ||
							 !take_exponent(value->text + at + 1, value->size - at - 1, &exponent)))
		return false;
	point = point < at ? point : at;
	*out = (Decimal){.text = value->text + begin,
					 .size = at - begin,
					 .is_negative = begin > 0,
					 .n_whole = (int64_t) (point - begin) + exponent};
	return at > begin && (at > point + 1 || point > begin);
}

/* Is what lies behind the digits kept more than a half (2), a half (1), or less (0)? */
static int
compare_to_half(const char *text, size_t size)
{
	int seen = 0; /* digits so far */
	int compared = 0;

	for (size_t i = 0; i < size; i++)
	{
		if (text[i] == '.')
			continue;
		if (seen++ == 0)
			compared = text[i] > '5' ? 2 : text[i] == '5';
		else if (text[i] != '0' && compared == 1)
			compared = 2;
	}
	return compared;
}

/* The first n_kept digits as a number, zeros behind them where there are fewer; rounded. */
static bool
round_digits(const Decimal *decimal, int64_t n_kept, int64_t *out)
{
	int64_t number = 0;
	size_t at = 0;
	int half;

	for (int64_t i = 0; i < n_kept; i++)
	{
		int64_t digit = 0;

		at += at < decimal->size && decimal->text[at] == '.';
		if (at < decimal->size)
			digit = decimal->text[at++] - '0';
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, digit, &number))
			return false;
	}
	half = n_kept < 0 ? 0 : compare_to_half(decimal->text + at, decimal->size - at);
	if (half == 2 || (half == 1 && number % 2 != 0))
		if (__builtin_add_overflow(number, 1, &number))
			return false;
	*out = decimal->is_negative ? -number : number;
	return true;
}

/* The usual case: no sign, no exponent, at most three digits behind the point. */
static bool
take_short(const PhScanValue *value, int64_t *out)
{
	static const uint64_t powers[] = {1000, 100, 10, 1};
	uint64_t number = 0;
	size_t at = 0;
	size_t n_fraction = 0;

	while (at < value->size && at < SHORT_WHOLE && ph_is_digit((uint8_t) value->text[at]))
		number = number * 10 + (uint64_t) (value->text[at++] - '0');
	if (at == 0)
		return false;
	if (at < value->size && value->text[at] == '.')
	{
		size_t point = at++;

		while (at < value->size && at < point + 4 && ph_is_digit((uint8_t) value->text[at]))
			number = number * 10 + (uint64_t) (value->text[at++] - '0');
		n_fraction = at - point - 1;
	}
	number *= powers[n_fraction];
	if (at != value->size || value->text[at - 1] == '.' || number > INT64_MAX)
		return false;
	*out = (int64_t) number;
	return true;
}

bool
ph_scan_nanoseconds(const PhScanValue *value, int64_t *out)
{
	Decimal decimal;

	if (value->kind != PH_SCAN_WORD && value->kind != PH_SCAN_STRING)
		return false;
	return take_short(value, out) ||
		   (take_decimal(value, &decimal) && round_digits(&decimal, decimal.n_whole + 3, out));
}
