/*
 * scan.h - JSON as it stands in memory, scanned once, where the bytes may end in the middle.
 *
 * A scan fails in two ways: `wrong` says what is not JSON, or is NULL when the bytes end too early,
 * so that whoever has more of them may begin the value again. Values that nobody asks for are
 * skipped by their brackets and quotes alone: traces are written by many hands, and what stands in
 * an argument that is not read (NaN, control characters) is no reason to refuse the trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CHROME_SCAN_H
#define PH_READERS_CHROME_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct PhScan
{
	const uint8_t *at, *end;
	const char *wrong; /* of a scan that failed; NULL: the bytes end before the value */
} PhScan;

typedef enum PhScanKind
{
	PH_SCAN_ABSENT,
	PH_SCAN_STRING, /* text is without its quotes, as it stands in the file */
	PH_SCAN_WORD,	/* a number, true, false, null */
	PH_SCAN_NESTED	/* an object or array with its brackets */
} PhScanKind;

typedef struct PhScanValue
{
	const char *text;
	size_t size;
	PhScanKind kind;
	bool is_escaped; /* a string with backslashes */
} PhScanValue;

static inline bool
ph_scan_value_is(const PhScanValue *value, const char *text)
{
	return value->size == strlen(text) && memcmp(value->text, text, value->size) == 0;
}

/* Over the text of a value; an absent one has none. */
static inline PhScan
ph_scan_of(const PhScanValue *value)
{
	const uint8_t *text = (const uint8_t *) (value->text == NULL ? "" : value->text);

	return (PhScan){.at = text, .end = text + value->size};
}

static inline bool
ph_scan_fail(PhScan *scan, const char *wrong)
{
	scan->wrong = wrong;
	return false;
}

/* Pass over blanks; false: nothing follows. */
static inline bool
ph_scan_blanks(PhScan *scan)
{
	while (scan->at < scan->end && *scan->at <= ' ')
		scan->at++;
	return scan->at < scan->end || ph_scan_fail(scan, NULL);
}

/* Take one byte of punctuation; wrong is said when it is another. */
static inline bool
ph_scan_take(PhScan *scan, char byte, const char *wrong)
{
	if (!ph_scan_blanks(scan))
		return false;
	if (*scan->at != (uint8_t) byte)
		return ph_scan_fail(scan, wrong);
	scan->at++;
	return true;
}

/* Any value; what is nested is passed over. */
bool ph_scan_value(PhScan *scan, PhScanValue *out);

/*
 * The next member of an object whose opening bracket was taken; *first begins as true. *more
 * becomes false when the closing bracket was taken. The value is still to be scanned.
 */
bool ph_scan_member(PhScan *scan, bool *first, bool *more, PhScanValue *key);

/* The same for the items of an array. */
bool ph_scan_item(PhScan *scan, bool *first, bool *more);

/* The value of a member of an object; ABSENT: it has none of that name, or is no object. */
PhScanValue ph_scan_find(const PhScanValue *object, const char *name);

/* A whole number, also as a string; false: it is none, or too large. */
bool ph_scan_integer(const PhScanValue *value, int64_t *out);

/*
 * Microseconds as a decimal number, also as a string, to ns: exact, what is left behind the third
 * digit is rounded half to even. False: it is no number, or beyond what nanoseconds can tell.
 */
bool ph_scan_nanoseconds(const PhScanValue *value, int64_t *out);

#endif
