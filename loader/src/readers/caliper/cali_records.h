/*
 * cali_records.h - lines of a .cali file as records: __rec=KIND,key=value,... with escapes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALIPER_CALI_RECORDS_H
#define PH_READERS_CALIPER_CALI_RECORDS_H

#include "readers/input.h"

/* Part of a line as it stands in the file, escapes included. */
typedef struct PhCaliText
{
	const char *text; /* NULL: the key is not there */
	size_t size;
} PhCaliText;

typedef enum PhCaliKind
{
	PH_CALI_OTHER = 0,
	PH_CALI_NODE,
	PH_CALI_CTX,
	PH_CALI_GLOBALS
} PhCaliKind;

typedef struct PhCaliRecord
{
	PhCaliKind kind;
	PhCaliText id, attr, data, parent, ref;
} PhCaliRecord;

typedef struct PhCaliScanner
{
	PhEnv *env;
	PhInput *input;
	size_t at;		   /* start of the next line */
	size_t line_start; /* of the record that was read last */
	bool is_cut;	   /* the input ends within a line, which is not read */
	unsigned unwanted; /* bits 1 << kind of records whose keys are not read */
} PhCaliScanner;

/*
 * Next record, *more false at the end of the input. Blank lines and comments are passed over. A
 * last line without its end is no record: nobody knows what of it was cut off.
 */
PhStatus ph_cali_next(PhCaliScanner *scanner, PhCaliRecord *record, bool *more) PH_MUST_CHECK;

/* An error about the record that was read last. */
PhStatus ph_cali_fail(PhCaliScanner *scanner, const char *message);

/* Take the next element of a list separated by '='; false at its end. */
bool ph_cali_next_element(PhCaliText *list, PhCaliText *element);

/* Whole text is an id. */
bool ph_cali_id(const PhCaliText *text, uint64_t *out);

/* Decoded copy without escapes; PH_ERR_FORMAT when it is not UTF-8 or holds NUL. */
PhStatus ph_cali_decode(PhCaliScanner *scanner, PhArena *arena, const PhCaliText *text,
						char **out) PH_MUST_CHECK;

#endif
