/*
 * input.h - the bytes of one input file, mapped or lent, and errors that point into them.
 *
 * Pages behind the reading position are given back, so that a large file does not count as memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_INPUT_H
#define PH_READERS_INPUT_H

#include "readers/source.h"

typedef struct PhInput
{
	const char *path;	 /* for messages; lent by the caller */
	const uint8_t *data; /* never NULL */
	size_t size;
	size_t dropped; /* bytes at the front whose pages were given back */
	bool mapped;
	uint8_t *copy;	/* of a small file; NULL: mapped or lent */
	size_t skipped; /* bytes of a mark before data */
} PhInput;

/* Bytes of the byte order mark of UTF-8 that spreadsheets and editors begin texts with; 0: none. No
 * binary format begins so. */
size_t ph_order_mark(const uint8_t *bytes, size_t size);

/* Status for errno of a failed open or read: absent files are PH_ERR_NOT_FOUND. */
PhStatus ph_input_errno_status(int error);

/* Read a small regular file, map a larger one. PH_ERR_NOT_FOUND, _UNREADABLE or _VALUE with the
 * reason. */
PhStatus ph_input_open(PhEnv *env, const char *path, PhInput *out) PH_MUST_CHECK;

/* Lend bytes that are in memory already, behind a byte order mark; nothing is copied or freed. */
PhInput ph_input_lend(const char *path, const void *data, size_t size);

void ph_input_close(PhInput *input);

/* Reading has come to offset: report progress and give pages well behind it back. */
void ph_input_passed(PhInput *input, size_t offset, const PhReadOptions *options);

/* Line and column, from 1 on, of the byte at offset. */
void ph_input_position(const PhInput *input, size_t offset, size_t *line, size_t *column);

/* "path:line:column: message" for the byte at offset. */
PhStatus ph_input_fail(PhEnv *env, const PhInput *input, PhStatus status, size_t offset,
					   const char *format, ...) PH_PRINTF(5, 6);

/* ---- small helpers that all readers share ---- */

/* True when the bytes are well-formed UTF-8 without NUL. */
bool ph_utf8_valid(const char *text, size_t size);

/* Append a copy of text to one of the run's lists of sentences. */
PhStatus ph_run_append(PhEnv *env, char ***list, size_t *n, const char *text) PH_MUST_CHECK;

/* Append a sentence to the run's warnings. */
PhStatus ph_run_warn(PhEnv *env, PhRunInput *run, const char *format, ...) PH_PRINTF(3, 4);

/* Copy of a string that ph_run_input_free gives back. */
PhStatus ph_run_strdup(PhEnv *env, const char *text, char **out) PH_MUST_CHECK;

/* Strict JSON number: true and its value when the whole text is one and it is finite. */
bool ph_parse_number(const char *text, size_t size, double *out);

/* Whole text is a decimal integer that fits. */
bool ph_parse_int64(const char *text, size_t size, int64_t *out);

#endif
