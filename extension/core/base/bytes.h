/*
 * bytes.h - little-endian numbers in byte strings: a writer that trusts, a reader that does not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_BYTES_H
#define PH_BASE_BYTES_H

#include <string.h>

#include "base/env.h"

typedef struct PhBytes
{
	const uint8_t *data;
	size_t size;
} PhBytes;

typedef struct PhByteWriter
{
	uint8_t *at;
} PhByteWriter;

static inline void
ph_put(PhByteWriter *writer, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*writer->at++ = (uint8_t) (value >> (8 * i));
}

static inline void
ph_put_bytes(PhByteWriter *writer, const void *bytes, size_t size)
{
	if (size > 0)
		memcpy(writer->at, bytes, size);
	writer->at += size;
}

static inline void
ph_put_double(PhByteWriter *writer, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	ph_put(writer, bits, 8);
}

static inline void
ph_put_doubles(PhByteWriter *writer, const double *values, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	ph_put_bytes(writer, values, n * sizeof(double));
#else
	for (size_t i = 0; i < n; i++)
		ph_put_double(writer, values[i]);
#endif
}

/* Zero bytes from size up to the next multiple of 8. */
static inline size_t
ph_padding(size_t size)
{
	return (8 - size % 8) % 8;
}

static inline void
ph_put_padding(PhByteWriter *writer, size_t size)
{
	ph_put(writer, 0, ph_padding(size));
}

/* Reading past the end, or padding that is not zero, sets bad and yields zeros. */
typedef struct PhByteReader
{
	const uint8_t *start, *at, *end;
	bool bad;
} PhByteReader;

static inline size_t
ph_left(const PhByteReader *reader)
{
	return (size_t) (reader->end - reader->at);
}

/* size bytes, or NULL and bad. */
static inline const uint8_t *
ph_take(PhByteReader *reader, size_t size)
{
	const uint8_t *bytes = reader->at;
	if (reader->bad || ph_left(reader) < size)
	{
		reader->bad = true;
		return NULL;
	}
	reader->at += size;
	return bytes;
}

static inline uint64_t
ph_get(PhByteReader *reader, size_t size)
{
	const uint8_t *bytes = ph_take(reader, size);
	uint64_t value = 0;
	for (size_t i = 0; bytes != NULL && i < size; i++)
		value |= (uint64_t) bytes[i] << (8 * i);
	return value;
}

static inline uint32_t
ph_get_u32(PhByteReader *reader)
{
	return (uint32_t) ph_get(reader, 4);
}

static inline double
ph_get_double(PhByteReader *reader)
{
	uint64_t bits = ph_get(reader, 8);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline void
ph_get_doubles(PhByteReader *reader, double *values, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint8_t *bytes = n <= SIZE_MAX / 8 ? ph_take(reader, n * 8) : NULL;
	if (bytes != NULL && n > 0)
		memcpy(values, bytes, n * 8);
	reader->bad = reader->bad || bytes == NULL;
#else
	for (size_t i = 0; i < n && !reader->bad; i++)
		values[i] = ph_get_double(reader);
#endif
}

/* Skip the padding after size bytes; it must be zero. */
static inline void
ph_get_padding(PhByteReader *reader, size_t size)
{
	if (ph_get(reader, ph_padding(size)) != 0)
		reader->bad = true;
}

#endif
