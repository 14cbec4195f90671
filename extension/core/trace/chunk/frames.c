/*
 * frames.c - see frames.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/frames.h"

#include <string.h>

#include "trace/chunk/codec.h"

#define MOST_WIDTH 56 /* what an unaligned word holds at any bit of its first byte */
#define WHOLE 64	  /* the next width: words as they are */

static uint8_t *
put_number(uint8_t *out, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*out++ = (uint8_t) (value | 128);
	*out++ = (uint8_t) value;
	return out;
}

static const uint8_t *
get_number(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (uint32_t shift = 0; in < end && shift < 64; shift += 7)
	{
		*value |= (uint64_t) (*in & 127) << shift;
		if ((*in++ & 128) == 0)
			return in;
	}
	return NULL;
}

static uint64_t
load_word(const uint8_t *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

static void
store_word(uint8_t *at, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(at, &word, sizeof(word));
}

static uint32_t
bits_of(uint64_t value)
{
	return value == 0 ? 0 : 64 - (uint32_t) __builtin_clzll(value);
}

static size_t
packed_bytes(size_t n, uint32_t width)
{
	return (n * width + 7) / 8;
}

/* ---- encoding ---- */

static int64_t
least_of(const uint64_t *values, size_t n)
{
	int64_t least = (int64_t) values[0];
	for (size_t i = 1; i < n; i++)
		least = (int64_t) values[i] < least ? (int64_t) values[i] : least;
	return least;
}

/* The width that takes the fewest bits, with the exceptions that it leaves. */
static uint32_t
best_width(const uint64_t *values, size_t n, uint64_t base, uint32_t *exceptions)
{
	uint32_t count[65] = {0}, most = 0, best, wider = 0;
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++)
	{
		uint64_t rest = values[i] - base;
		all |= rest;
		count[bits_of(rest)]++;
	}
	most = bits_of(all);
	*exceptions = 0;
	if (most > MOST_WIDTH)
		return WHOLE;
	best = most;
	size_t least = n * most;
	for (uint32_t width = most; width-- > 0;)
	{
		wider += count[width + 1];
		size_t cost = n * width + wider * (8 + 8 * ((most - width + 6) / 7));
		if (cost < least)
		{
			least = cost;
			best = width;
			*exceptions = wider;
		}
	}
	return best;
}

static void
pack(const uint64_t *values, size_t n, uint64_t base, uint32_t width, uint8_t *out)
{
	uint64_t mask = ((uint64_t) 1 << width) - 1;
	size_t bit = 0;
	memset(out, 0, packed_bytes(n, width) + 8);
	for (size_t i = 0; i < n; i++, bit += width)
	{
		uint8_t *at = out + bit / 8;
		store_word(at, load_word(at) | ((values[i] - base) & mask) << bit % 8);
	}
}

static uint8_t *
put_exceptions(const uint64_t *values, size_t n, uint64_t base, uint32_t width, uint8_t *out)
{
	for (size_t i = 0; i < n; i++)
		if ((values[i] - base) >> width != 0)
			*out++ = (uint8_t) i;
	for (size_t i = 0; i < n; i++)
		if ((values[i] - base) >> width != 0)
			out = put_number(out, (values[i] - base) >> width);
	return out;
}

static uint8_t *
encode_frame(const uint64_t *values, size_t n, uint8_t *out)
{
	uint32_t exceptions;
	uint64_t base = (uint64_t) least_of(values, n);
	uint32_t width = best_width(values, n, base, &exceptions);
	out = put_number(out, ph_zigzag(base));
	*out++ = (uint8_t) width;
	*out++ = (uint8_t) exceptions;
	if (width == WHOLE)
	{
		for (size_t i = 0; i < n; i++, out += 8)
			store_word(out, values[i]);
		return out;
	}
	pack(values, n, base, width, out);
	out += packed_bytes(n, width);
	return exceptions > 0 ? put_exceptions(values, n, base, width, out) : out;
}

uint8_t *
ph_frames_encode(const uint64_t *values, size_t n, uint8_t *out)
{
	for (size_t done = 0; done < n; done += PH_FRAME)
		out = encode_frame(values + done, n - done < PH_FRAME ? n - done : PH_FRAME, out);
	return out;
}

/* ---- decoding ---- */

static void
unpack(const uint8_t *in, size_t n, uint64_t base, uint32_t width, uint64_t *values)
{
	uint64_t mask = ((uint64_t) 1 << width) - 1;
	size_t bit = 0;
	for (size_t i = 0; i < n; i++, bit += width)
		values[i] = base + (load_word(in + bit / 8) >> bit % 8 & mask);
}

static const uint8_t *
get_exceptions(const uint8_t *in, const uint8_t *end, size_t n, uint32_t exceptions, uint32_t width,
			   uint64_t *values)
{
	const uint8_t *places = in;
	if ((size_t) (end - in) < exceptions)
		return NULL;
	in += exceptions;
	for (uint32_t i = 0; i < exceptions; i++)
	{
		uint64_t rest;
		in = get_number(in, end, &rest);
		if (in == NULL || places[i] >= n)
			return NULL;
		values[places[i]] += rest << width;
	}
	return in;
}

static const uint8_t *
decode_frame(const uint8_t *in, const uint8_t *end, size_t n, uint64_t *values)
{
	uint64_t base;
	in = get_number(in, end, &base);
	if (in == NULL || end - in < 2)
		return NULL;
	uint32_t width = *in++, exceptions = *in++;
	if (width > MOST_WIDTH && width != WHOLE)
		return NULL;
	size_t size = packed_bytes(n, width);
	if ((size_t) (end - in) < size || (width == WHOLE && exceptions > 0))
		return NULL;
	if (width == WHOLE)
		for (size_t i = 0; i < n; i++)
			values[i] = load_word(in + 8 * i);
	else
		unpack(in, n, ph_unzigzag(base), width, values);
	return get_exceptions(in + size, end, n, exceptions, width % WHOLE, values);
}

const uint8_t *
ph_frames_decode(const uint8_t *in, const uint8_t *end, size_t n, uint64_t *values)
{
	for (size_t done = 0; done < n && in != NULL; done += PH_FRAME)
		in = decode_frame(in, end, n - done < PH_FRAME ? n - done : PH_FRAME, values + done);
	return in;
}
