/*
 * copy_binary.h - encoder of PostgreSQL's COPY BINARY format, with a bounded buffer.
 *
 * Bytes leave through a callback whenever the buffer holds PH_COPY_FLUSH_BYTES, so memory stays
 * flat whatever is sent. The first refusal of the callback sticks: later calls do nothing and
 * ph_copy_finish returns false.
 *
 * A row is ph_copy_row(number of fields) followed by that many field calls, in column order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_COPY_BINARY_H
#define PH_PIPELINE_STORE_COPY_BINARY_H

#include "base/env.h"

#define PH_COPY_FLUSH_BYTES ((size_t) 256 * 1024)

/* Returns false when the bytes could not be taken; says why by itself. */
typedef bool (*PhCopyFlush)(void *user, const char *bytes, size_t size);

typedef struct PhCopy
{
	char *buffer;
	size_t used;
	size_t capacity;
	PhCopyFlush flush;
	void *user;
	PhEnv *env;
	bool failed;	 /* the callback refused, or there was no room */
	PhStatus status; /* why there was none, as env->error says; PH_OK: there was */
} PhCopy;

/* Start a stream: writes the signature. The buffer is in memory of env. */
void ph_copy_init(PhCopy *copy, PhEnv *env, PhCopyFlush flush, void *user);

/* End of data, last flush; frees the buffer. False when anything failed before. */
bool ph_copy_finish(PhCopy *copy);

void ph_copy_row(PhCopy *copy, int n_fields);
void ph_copy_null(PhCopy *copy);
void ph_copy_bool(PhCopy *copy, bool value);
void ph_copy_int2(PhCopy *copy, int16_t value);
void ph_copy_int4(PhCopy *copy, int32_t value);
void ph_copy_int8(PhCopy *copy, int64_t value);
void ph_copy_float8(PhCopy *copy, double value);

/* NULL or "": null. The bytes must be valid in the client encoding (UTF-8). */
void ph_copy_text(PhCopy *copy, const char *text);
void ph_copy_bytea(PhCopy *copy, const uint8_t *bytes, size_t size);

/*
 * One-dimensional float8[] of n elements; element i is null where bit first_bit + i of present is
 * off (present NULL: no nulls).
 */
void ph_copy_float8_array(PhCopy *copy, const double *values, uint32_t n, const uint8_t *present,
						  size_t first_bit);

/* One-dimensional int8[] and text[] of n elements, none of them null; texts in UTF-8. */

/* One-dimensional int4[] of n numbers; UINT32_MAX is null. */
void ph_copy_int4_array(PhCopy *copy, const uint32_t *values, uint32_t n);

/* The same of numbers that are all meant as they are: no element is null. */
void ph_copy_whole_int4_array(PhCopy *copy, const uint32_t *values, uint32_t n);

#endif
