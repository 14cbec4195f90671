/*
 * copy_binary.c - encoder of PostgreSQL's COPY BINARY format, with a bounded buffer.
 *
 * Everything is big-endian. A field is a 32-bit length (-1: null) and its bytes as the type's
 * receive function wants them. Arrays: dimensions, has-nulls flag, element type, then size and
 * lower bound of each dimension, then the elements as fields.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/copy_binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"

#define FLOAT8_OID 701
#define INT4_OID 23

static char *reserve(PhCopy *copy, size_t size);
static void flush_if_full(PhCopy *copy);
static void put_bytes(PhCopy *copy, const void *bytes, size_t size);

static inline void
store16(char *at, uint16_t value)
{
	value = __builtin_bswap16(value);
	memcpy(at, &value, sizeof(value));
}

static inline void
store32(char *at, uint32_t value)
{
	value = __builtin_bswap32(value);
	memcpy(at, &value, sizeof(value));
}

static inline void
store64(char *at, uint64_t value)
{
	value = __builtin_bswap64(value);
	memcpy(at, &value, sizeof(value));
}

static inline void
store_double(char *at, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	store64(at, bits);
}

void
ph_copy_init(PhCopy *copy, PhEnv *env, PhCopyFlush flush, void *user)
{
	static const char signature[19] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0"; /* flags 0, extension 0 */

	*copy = (PhCopy){.env = env, .flush = flush, .user = user};
	put_bytes(copy, signature, sizeof(signature));
}

bool
ph_copy_finish(PhCopy *copy)
{
	char *at = reserve(copy, 2);
	bool ok;

	if (at != NULL)
		store16(at, UINT16_MAX);
	if (!copy->failed && !copy->flush(copy->user, copy->buffer, copy->used))
		copy->failed = true;
	ok = !copy->failed;
	ph_env_free(copy->env, copy->buffer, copy->capacity, 1);
	copy->buffer = NULL;
	copy->used = copy->capacity = 0;
	return ok;
}

void
ph_copy_row(PhCopy *copy, int n_fields)
{
	char *at;

	flush_if_full(copy);
	at = reserve(copy, 2);
	if (at != NULL)
		store16(at, (uint16_t) n_fields);
}

void
ph_copy_null(PhCopy *copy)
{
	char *at = reserve(copy, 4);

	if (at != NULL)
		store32(at, UINT32_MAX);
}

void
ph_copy_bool(PhCopy *copy, bool value)
{
	char *at = reserve(copy, 5);

	if (at == NULL)
		return;
	store32(at, 1);
	at[4] = value;
}

void
ph_copy_int2(PhCopy *copy, int16_t value)
{
	char *at = reserve(copy, 6);

	if (at == NULL)
		return;
	store32(at, 2);
	store16(at + 4, (uint16_t) value);
}

void
ph_copy_int4(PhCopy *copy, int32_t value)
{
	char *at = reserve(copy, 8);

	if (at == NULL)
		return;
	store32(at, 4);
	store32(at + 4, (uint32_t) value);
}

void
ph_copy_int8(PhCopy *copy, int64_t value)
{
	char *at = reserve(copy, 12);

	if (at == NULL)
		return;
	store32(at, 8);
	store64(at + 4, (uint64_t) value);
}

void
ph_copy_float8(PhCopy *copy, double value)
{
	char *at = reserve(copy, 12);

	if (at == NULL)
		return;
	store32(at, 8);
	store_double(at + 4, value);
}

void
ph_copy_text(PhCopy *copy, const char *text)
{
	if (text == NULL || text[0] == '\0')
		ph_copy_null(copy);
	else
		ph_copy_bytea(copy, (const uint8_t *) text, strlen(text));
}

void
ph_copy_bytea(PhCopy *copy, const uint8_t *bytes, size_t size)
{
	char *at;

	if (size > INT32_MAX)
	{
		copy->failed = true;
		copy->status = ph_fail(copy->env, PH_ERR_LIMIT, "a value of %zu bytes is too large", size);
		return;
	}
	at = reserve(copy, 4);
	if (at != NULL)
		store32(at, (uint32_t) size);
	while (size > 0 && !copy->failed)
	{
		size_t part = PH_MIN(size, PH_COPY_FLUSH_BYTES);

		put_bytes(copy, bytes, part);
		flush_if_full(copy);
		bytes += part;
		size -= part;
	}
}

static inline bool
bit_is_set(const uint8_t *bits, size_t bit)
{
	return (bits[bit >> 3] >> (bit & 7) & 1) != 0;
}

void
ph_copy_float8_array(PhCopy *copy, const double *values, uint32_t n, const uint8_t *present,
					 size_t first_bit)
{
	uint32_t n_present = n;
	size_t size;
	char *at;

	if (present != NULL)
	{
		n_present = 0;
		for (uint32_t i = 0; i < n; i++)
			n_present += bit_is_set(present, first_bit + i);
	}
	size = 20 + (size_t) n * 4 + (size_t) n_present * 8;
	at = size > INT32_MAX ? NULL : reserve(copy, 4 + size);
	if (at == NULL)
	{
		copy->failed = true;
		return;
	}
	store32(at, (uint32_t) size);
	store32(at + 4, 1); /* dimensions */
	store32(at + 8, n_present < n);
	store32(at + 12, FLOAT8_OID);
	store32(at + 16, n);
	store32(at + 20, 1); /* lower bound */
	at += 24;
	for (uint32_t i = 0; i < n; i++)
	{
		if (present != NULL && !bit_is_set(present, first_bit + i))
		{
			store32(at, UINT32_MAX);
			at += 4;
			continue;
		}
		store32(at, 8);
		store_double(at + 4, values[i]);
		at += 12;
	}
}

/* A field of an array without nulls, whose elements take size bytes in all; returns where they go.
 */
static char *
begin_array(PhCopy *copy, uint32_t type, uint32_t n, size_t size)
{
	size_t header = n > 0 ? 20 : 12; /* an array without dimensions has no bounds */
	char *at = size > INT32_MAX - header ? NULL : reserve(copy, 4 + header + size);

	if (at == NULL)
	{
		copy->failed = true;
		return NULL;
	}
	store32(at, (uint32_t) (header + size));
	store32(at + 4, n > 0); /* dimensions */
	store32(at + 8, 0);		/* nulls */
	store32(at + 12, type);
	if (n > 0)
	{
		store32(at + 16, n);
		store32(at + 20, 1); /* lower bound */
	}
	return at + 4 + header;
}

void
ph_copy_whole_int4_array(PhCopy *copy, const uint32_t *values, uint32_t n)
{
	char *at = begin_array(copy, INT4_OID, n, (size_t) n * 8);

	for (uint32_t i = 0; i < n && at != NULL; i++, at += 8)
	{
		store32(at, 4);
		store32(at + 4, values[i]);
	}
}

void
ph_copy_int4_array(PhCopy *copy, const uint32_t *values, uint32_t n)
{
	bool has_nulls = false;
	char *at;

	for (uint32_t i = 0; i < n; i++)
		has_nulls |= values[i] == UINT32_MAX;
	at = n > INT32_MAX / 16 ? NULL : reserve(copy, 4 + 20 + (size_t) n * 8);
	if (at == NULL)
	{
		copy->failed = true;
		return;
	}
	store32(at + 4, n > 0); /* dimensions */
	store32(at + 8, has_nulls);
	store32(at + 12, INT4_OID);
	store32(at + 16, n);
	store32(at + 20, 1);				/* lower bound */
	char *end = at + (n > 0 ? 24 : 16); /* an array without dimensions has no bounds */
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_null = values[i] == UINT32_MAX;

		store32(end, is_null ? UINT32_MAX : 4);
		if (!is_null)
			store32(end + 4, values[i]);
		end += is_null ? 4 : 8;
	}
	store32(at, (uint32_t) (end - at - 4));
	copy->used = (size_t) (end - copy->buffer);
}

/* Room for size more bytes, counted as used; NULL after a failure. */
static char *
reserve(PhCopy *copy, size_t size)
{
	char *at;

	if (copy->failed)
		return NULL;
	if (copy->capacity - copy->used < size)
	{
		size_t capacity = copy->capacity == 0 ? 2 * PH_COPY_FLUSH_BYTES : copy->capacity;
		void *buffer = copy->buffer;

		while (capacity - copy->used < size)
			capacity *= 2;
		copy->status = ph_env_resize(copy->env, &buffer, copy->capacity, capacity, 1);
		copy->failed = copy->status != PH_OK;
		if (copy->failed)
			return NULL;
		copy->buffer = buffer;
		copy->capacity = capacity;
	}
	at = copy->buffer + copy->used;
	copy->used += size;
	return at;
}

static void
flush_if_full(PhCopy *copy)
{
	if (copy->failed || copy->used < PH_COPY_FLUSH_BYTES)
		return;
	if (!copy->flush(copy->user, copy->buffer, copy->used))
		copy->failed = true;
	copy->used = 0;
}

static void
put_bytes(PhCopy *copy, const void *bytes, size_t size)
{
	char *at = reserve(copy, size);

	if (at != NULL)
		memcpy(at, bytes, size);
}
