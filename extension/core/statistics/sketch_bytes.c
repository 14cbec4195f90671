/*
 * sketch_bytes.c - the stored form of a sketch.
 *
 * Version, level and how many numbers follow in ascending order, at most PH_SKETCH_EXACT; or that
 * there are more: then n, sum, m2, least and greatest, the counts of zeros, negative and positive
 * buckets, and for each bucket the distance of its index from the one before (the first: from the
 * least index there can be) and its count. Little-endian; the last are LEB128.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/bytes.h"
#include "statistics/sketch_internal.h"

#define VERSION 1
#define MORE 0xffff /* numbers than are kept */
#define MOMENTS_SIZE (5 * 8)
#define VARINT_SIZE 10
#define LEAST_INDEX (-80000) /* ln of the least double over ln of the base is -74444 */
#define MOST_INDEX 80000

static void
put_varint(PhByteWriter *writer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*writer->at++ = (uint8_t) (value | 0x80);
	*writer->at++ = (uint8_t) value;
}

static uint64_t
get_varint(PhByteReader *reader)
{
	uint64_t value = 0;

	for (uint32_t shift = 0; shift < 64; shift += 7)
	{
		uint64_t byte = ph_get(reader, 1);
		value |= (byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
	reader->bad = true;
	return 0;
}

static void
put_side(PhByteWriter *writer, const PhSketchBucket *buckets, uint32_t n)
{
	int32_t before = LEAST_INDEX;

	for (uint32_t i = 0; i < n; i++)
	{
		put_varint(writer, (uint64_t) (buckets[i].index - before));
		put_varint(writer, buckets[i].count);
		before = buckets[i].index;
	}
}

PhStatus
ph_sketch_write(PhArena *arena, const PhSketch *sketch, uint8_t **bytes, size_t *size)
{
	size_t n_buckets = (size_t) sketch->n_negative + sketch->n_positive;
	size_t most = 4 + MOMENTS_SIZE + sketch->n_values * sizeof(double) +
				  (3 + 2 * n_buckets) * (size_t) VARINT_SIZE;
	PhByteWriter writer;

	PH_TRY(PH_NEW(arena, most, bytes));
	writer.at = *bytes;
	ph_put(&writer, VERSION, 1);
	ph_put(&writer, sketch->level, 1);
	ph_put(&writer, sketch->n > PH_SKETCH_EXACT ? MORE : sketch->n, 2);
	ph_put_doubles(&writer, sketch->values, sketch->n_values);
	if (sketch->n > PH_SKETCH_EXACT)
	{
		ph_put(&writer, sketch->n, 8);
		ph_put_double(&writer, sketch->sum);
		ph_put_double(&writer, sketch->m2);
		ph_put_double(&writer, sketch->min);
		ph_put_double(&writer, sketch->max);
		put_varint(&writer, sketch->n_zeros);
		put_varint(&writer, sketch->n_negative);
		put_varint(&writer, sketch->n_positive);
		put_side(&writer, sketch->negative, sketch->n_negative);
		put_side(&writer, sketch->positive, sketch->n_positive);
	}
	*size = (size_t) (writer.at - *bytes);
	return PH_OK;
}

/* Adds to *n, which must not pass limit. */
static PhStatus
get_side(PhArena *arena, PhByteReader *reader, uint32_t n_buckets, uint64_t *n, uint64_t limit,
		 const PhSketchBucket **out)
{
	PhSketchBucket *buckets;
	int64_t before = LEAST_INDEX;

	PH_TRY(PH_NEW(arena, n_buckets, &buckets));
	for (uint32_t i = 0; i < n_buckets && !reader->bad; i++)
	{
		uint64_t step = get_varint(reader);
		buckets[i].count = get_varint(reader);
		if (step == 0 || step > MOST_INDEX - LEAST_INDEX || buckets[i].count == 0 ||
			buckets[i].count > limit - *n || before + (int64_t) step > MOST_INDEX)
		{
			reader->bad = true;
			break;
		}
		before += (int64_t) step;
		buckets[i].index = (int32_t) before;
		*n += buckets[i].count;
	}
	*out = buckets;
	return PH_OK;
}

static PhStatus
get_buckets(PhArena *arena, PhByteReader *reader, PhSketch *sketch)
{
	uint64_t n_negative, n_positive;
	uint64_t n;

	sketch->n_zeros = n = get_varint(reader);
	n_negative = get_varint(reader);
	n_positive = get_varint(reader);
	if (n_negative > PH_SKETCH_BUCKETS || n_positive > PH_SKETCH_BUCKETS - n_negative ||
		n > sketch->n || (n_negative > 0 && sketch->min >= 0) ||
		(n_positive > 0 && sketch->max <= 0) || (n > 0 && (sketch->min > 0 || sketch->max < 0)))
		reader->bad = true;
	if (reader->bad)
		return PH_OK;
	sketch->n_negative = (uint32_t) n_negative;
	sketch->n_positive = (uint32_t) n_positive;
	PH_TRY(get_side(arena, reader, sketch->n_negative, &n, sketch->n, &sketch->negative));
	PH_TRY(get_side(arena, reader, sketch->n_positive, &n, sketch->n, &sketch->positive));
	reader->bad = reader->bad || n != sketch->n;
	return PH_OK;
}

static PhStatus
get_values(PhArena *arena, PhByteReader *reader, uint32_t n, PhSketch *sketch)
{
	double *values;

	PH_TRY(PH_NEW(arena, n, &values));
	ph_get_doubles(reader, values, n);
	for (uint32_t i = 0; i < n && !reader->bad; i++)
		reader->bad = !isfinite(values[i]) || (i > 0 && values[i - 1] > values[i]);
	sketch->n_values = n;
	sketch->values = values;
	if (!reader->bad)
		ph_sketch_measure(sketch, values, n);
	return PH_OK;
}

static void
get_moments(PhByteReader *reader, PhSketch *sketch)
{
	sketch->n = ph_get(reader, 8);
	sketch->sum = ph_get_double(reader);
	sketch->m2 = ph_get_double(reader);
	sketch->min = ph_get_double(reader);
	sketch->max = ph_get_double(reader);
	if (sketch->n <= PH_SKETCH_EXACT || sketch->level > PH_SKETCH_LEVEL_MAX || isnan(sketch->sum) ||
		!(sketch->m2 >= 0) || !(sketch->min <= sketch->max) || !isfinite(sketch->min) ||
		!isfinite(sketch->max))
		reader->bad = true;
}

PhStatus
ph_sketch_read(PhArena *arena, const uint8_t *bytes, size_t size, PhSketch *out)
{
	PhByteReader reader = {.start = bytes, .at = bytes, .end = bytes + size};
	PhSketch sketch = {0};
	bool known = ph_get(&reader, 1) == VERSION;
	uint32_t n_values;

	sketch.level = (uint32_t) ph_get(&reader, 1);
	n_values = (uint32_t) ph_get(&reader, 2);
	reader.bad = reader.bad || !known ||
				 (n_values != MORE && (n_values > PH_SKETCH_EXACT || sketch.level > 0));
	if (!reader.bad && n_values == MORE)
	{
		get_moments(&reader, &sketch);
		PH_TRY(get_buckets(arena, &reader, &sketch));
	}
	else if (!reader.bad)
		PH_TRY(get_values(arena, &reader, n_values, &sketch));
	if (reader.bad || ph_left(&reader) > 0)
		return ph_fail(arena->env, PH_ERR_FORMAT, "these bytes are not a sketch");
	*out = sketch;
	return PH_OK;
}
