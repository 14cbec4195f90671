/*
 * codec.c - see codec.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/codec.h"

#include <lz4.h>
#include <string.h>

#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

#include "base/bytes.h"
#include "trace/chunk/shuffles.h"

/* Plain when LZ4 gains less than a sixteenth: reading is faster then. */
typedef enum PhPackHow
{
	PACK_PLAIN,
	PACK_LZ4
} PhPackHow;

#define PACK_HEAD 5
/* LZ4 codes a match's length in steps of 255 a byte: what claims to be larger is damaged. */
#define LZ4_MOST_RATIO 255

static inline uint32_t
little_endian(uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return value;
#else
	return __builtin_bswap32(value);
#endif
}

/*
 * Writes all four bytes and moves on by the value's significant ones, so that the next value
 * overwrites the rest; returns the length code, significant bytes - 1.
 */
static inline uint32_t
put_value(uint8_t **at, uint32_t value)
{
	uint32_t code = (uint32_t) (31 - __builtin_clz(value | 1)) >> 3;
	uint32_t bytes = little_endian(value);
	memcpy(*at, &bytes, sizeof(bytes));
	*at += code + 1;
	return code;
}

/* Groups of four; returns where the next values go. */
static uint8_t *
encode_groups(const uint32_t *values, size_t n, uint8_t *control, uint8_t *at)
{
	for (size_t i = 0; i + 4 <= n; i += 4)
	{
		uint32_t codes = put_value(&at, values[i]);
		codes |= put_value(&at, values[i + 1]) << 2;
		codes |= put_value(&at, values[i + 2]) << 4;
		codes |= put_value(&at, values[i + 3]) << 6;
		*control++ = (uint8_t) codes;
	}
	return at;
}

static inline uint32_t
get_value(const uint8_t **at, uint32_t code)
{
	uint32_t bytes;
	memcpy(&bytes, *at, sizeof(bytes));
	*at += code + 1;
	return little_endian(bytes) & UINT32_MAX >> (24 - 8 * code);
}

/* Where decoding is: the next control byte, the next value's bytes. */
typedef struct Stream
{
	const uint8_t *control, *at, *end;
} Stream;

/* Groups of four until the bytes run out; returns how many values were decoded. */
static size_t
decode_groups(Stream *stream, size_t n, uint32_t *values)
{
	const uint8_t *at = stream->at;
	size_t i = 0;
	for (; i + 4 <= n && at <= stream->end; i += 4)
	{
		uint32_t codes = *stream->control++;
		values[i] = get_value(&at, codes & 3);
		values[i + 1] = get_value(&at, codes >> 2 & 3);
		values[i + 2] = get_value(&at, codes >> 4 & 3);
		values[i + 3] = get_value(&at, codes >> 6);
	}
	stream->at = at;
	return i;
}

/* As decode_groups, but sums[i] = start + the values up to and including the i-th. */
static size_t
sum_groups(Stream *stream, size_t n, uint64_t start, uint64_t *sums)
{
	const uint8_t *at = stream->at;
	size_t i = 0;
	for (; i + 4 <= n && at <= stream->end; i += 4)
	{
		uint32_t codes = *stream->control++;
		sums[i] = start + get_value(&at, codes & 3);
		sums[i + 1] = sums[i] + get_value(&at, codes >> 2 & 3);
		sums[i + 2] = sums[i + 1] + get_value(&at, codes >> 4 & 3);
		sums[i + 3] = start = sums[i + 2] + get_value(&at, codes >> 6);
	}
	stream->at = at;
	return i;
}

#if defined(__x86_64__)

/* _mm_shuffle_epi32 with this gives the upper half of a vector twice */
#define SECOND_TWICE 0xee

/*
 * Bytes of four values: the sum of their four 2-bit codes, plus 4. Codes are added in pairs (two
 * sums side by side), then the two sums.
 */
static inline uint32_t
group_size(uint32_t codes)
{
	uint32_t pairs = (codes & 0x33) + (codes >> 2 & 0x33);
	return (pairs & 7) + (pairs >> 4) + 4;
}

/*
 * The four codes side by side: of each value 3, less one for each of its upper bytes above which
 * and in which nothing is; the product brings the four bytes to two bits each.
 */
__attribute__((target("ssse3"))) static inline uint32_t
group_codes(__m128i values)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i codes = _mm_add_epi32(_mm_cmpeq_epi32(_mm_srli_epi32(values, 8), zero),
								  _mm_cmpeq_epi32(_mm_srli_epi32(values, 16), zero));
	codes = _mm_add_epi32(codes, _mm_cmpeq_epi32(_mm_srli_epi32(values, 24), zero));
	codes = _mm_add_epi32(codes, _mm_set1_epi32(3));
	codes = _mm_packs_epi32(codes, zero);
	codes = _mm_packus_epi16(codes, zero);
	return ((uint32_t) _mm_cvtsi128_si32(codes) * 0x01041040u) >> 24;
}

/* One shuffle brings the significant bytes of four values together. */
__attribute__((target("ssse3"))) static uint8_t *
encode_groups_ssse3(const uint32_t *values, size_t n, uint8_t *control, uint8_t *at)
{
	for (size_t i = 0; i + 4 <= n; i += 4)
	{
		__m128i group = _mm_loadu_si128((const __m128i *) (const void *) (values + i));
		uint32_t codes = group_codes(group);
		__m128i mask = _mm_load_si128((const __m128i *) (const void *) ph_svb_packs[codes]);
		_mm_storeu_si128((__m128i *) (void *) at, _mm_shuffle_epi8(group, mask));
		at += group_size(codes);
		*control++ = (uint8_t) codes;
	}
	return at;
}

/* One shuffle spreads the bytes of four values; its mask comes from the control byte. */
__attribute__((target("ssse3"))) static inline __m128i
get_group_ssse3(const uint8_t **at, uint32_t codes)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *) (const void *) *at);
	__m128i mask = _mm_load_si128((const __m128i *) (const void *) ph_svb_shuffles[codes]);
	*at += group_size(codes);
	return _mm_shuffle_epi8(bytes, mask);
}

__attribute__((target("ssse3"))) static size_t
decode_groups_ssse3(Stream *stream, size_t n, uint32_t *values)
{
	const uint8_t *at = stream->at;
	size_t i = 0;
	for (; i + 4 <= n && at <= stream->end; i += 4)
	{
		__m128i group = get_group_ssse3(&at, *stream->control++);
		_mm_storeu_si128((__m128i *) (void *) (values + i), group);
	}
	stream->at = at;
	return i;
}

/*
 * Prefix sums of four values as two vectors of two 64-bit sums: within each vector the lower value
 * is added to the upper; the first vector's upper sum is added to the second vector; the sum of all
 * groups before is added to both.
 */
__attribute__((target("ssse3"))) static size_t
sum_groups_ssse3(Stream *stream, size_t n, uint64_t start, uint64_t *sums)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i sum = _mm_set1_epi64x((int64_t) start);
	const uint8_t *at = stream->at;
	size_t i = 0;
	for (; i + 4 <= n && at <= stream->end; i += 4)
	{
		__m128i group = get_group_ssse3(&at, *stream->control++);
		__m128i low = _mm_unpacklo_epi32(group, zero), high = _mm_unpackhi_epi32(group, zero);
		low = _mm_add_epi64(low, _mm_slli_si128(low, 8));
		high = _mm_add_epi64(high, _mm_slli_si128(high, 8));
		high = _mm_add_epi64(high, _mm_shuffle_epi32(low, SECOND_TWICE));
		_mm_storeu_si128((__m128i *) (void *) (sums + i), _mm_add_epi64(sum, low));
		_mm_storeu_si128((__m128i *) (void *) (sums + i + 2), _mm_add_epi64(sum, high));
		sum = _mm_add_epi64(sum, _mm_shuffle_epi32(high, SECOND_TWICE));
	}
	stream->at = at;
	return i;
}

#endif

typedef uint8_t *(*EncodeGroups)(const uint32_t *values, size_t n, uint8_t *control, uint8_t *at);

static uint8_t *
encode(const uint32_t *values, size_t n, uint8_t *out, EncodeGroups groups)
{
	uint8_t *at = groups(values, n, out, out + (n + 3) / 4);
	uint32_t codes = 0;
	for (size_t i = n & ~(size_t) 3; i < n; i++)
		codes |= put_value(&at, values[i]) << 2 * (i & 3);
	if (n % 4 != 0)
		out[n / 4] = (uint8_t) codes;
	return at;
}

uint8_t *
ph_svb_encode_portable(const uint32_t *values, size_t n, uint8_t *out)
{
	return encode(values, n, out, encode_groups);
}

uint8_t *
ph_svb_encode(const uint32_t *values, size_t n, uint8_t *out)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("ssse3"))
		return encode(values, n, out, encode_groups_ssse3);
#endif
	return ph_svb_encode_portable(values, n, out);
}

typedef size_t (*DecodeGroups)(Stream *stream, size_t n, uint32_t *values);

static const uint8_t *
decode(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *values, DecodeGroups groups)
{
	size_t n_control = (n + 3) / 4;
	if ((size_t) (end - in) < n_control)
		return NULL;
	Stream stream = {in, in + n_control, end};
	size_t i = groups(&stream, n, values);
	if (stream.at > end)
		return NULL;
	for (uint32_t shift = 0; i < n; i++, shift += 2)
		values[i] = get_value(&stream.at, (uint32_t) *stream.control >> shift & 3);
	return stream.at <= end ? stream.at : NULL;
}

const uint8_t *
ph_svb_decode_portable(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *values)
{
	return decode(in, end, n, values, decode_groups);
}

const uint8_t *
ph_svb_decode(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *values)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("ssse3"))
		return decode(in, end, n, values, decode_groups_ssse3);
#endif
	return ph_svb_decode_portable(in, end, n, values);
}

typedef size_t (*SumGroups)(Stream *stream, size_t n, uint64_t start, uint64_t *sums);

static const uint8_t *
decode_sums(const uint8_t *in, const uint8_t *end, size_t n, uint64_t start, uint64_t *sums,
			SumGroups groups)
{
	size_t n_control = (n + 3) / 4;
	if ((size_t) (end - in) < n_control)
		return NULL;
	Stream stream = {in, in + n_control, end};
	size_t i = groups(&stream, n, start, sums);
	if (stream.at > end)
		return NULL;
	start = i > 0 ? sums[i - 1] : start;
	for (uint32_t shift = 0; i < n; i++, shift += 2)
		sums[i] = start += get_value(&stream.at, (uint32_t) *stream.control >> shift & 3);
	return stream.at <= end ? stream.at : NULL;
}

const uint8_t *
ph_svb_decode_sums_portable(const uint8_t *in, const uint8_t *end, size_t n, uint64_t start,
							uint64_t *sums)
{
	return decode_sums(in, end, n, start, sums, sum_groups);
}

const uint8_t *
ph_svb_decode_sums(const uint8_t *in, const uint8_t *end, size_t n, uint64_t start, uint64_t *sums)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("ssse3"))
		return decode_sums(in, end, n, start, sums, sum_groups_ssse3);
#endif
	return ph_svb_decode_sums_portable(in, end, n, start, sums);
}

uint8_t *
ph_wide_encode(const uint64_t *values, size_t n, uint32_t *scratch, uint8_t *out)
{
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++)
	{
		all |= values[i];
		scratch[i] = (uint32_t) values[i];
	}
	bool is_wide = all > UINT32_MAX;
	*out++ = is_wide;
	out = ph_svb_encode(scratch, n, out);
	if (!is_wide)
		return out;
	for (size_t i = 0; i < n; i++)
		scratch[i] = (uint32_t) (values[i] >> 32);
	return ph_svb_encode(scratch, n, out);
}

const uint8_t *
ph_wide_decode(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *scratch, uint64_t *values)
{
	if (in == end || *in > 1)
		return NULL;
	bool is_wide = *in++ == 1;
	in = ph_svb_decode(in, end, n, scratch);
	if (in == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		values[i] = scratch[i];
	if (!is_wide)
		return in;
	in = ph_svb_decode(in, end, n, scratch);
	for (size_t i = 0; in != NULL && i < n; i++)
		values[i] |= (uint64_t) scratch[i] << 32;
	return in;
}

PhStatus
ph_buffer_reserve(PhEnv *env, PhBuffer *buffer, size_t size)
{
	void *data = NULL;
	if (size <= buffer->capacity)
		return PH_OK;
	if (size < buffer->capacity + buffer->capacity / 2)
		size = buffer->capacity + buffer->capacity / 2;
	PH_TRY(ph_env_resize(env, &data, 0, size, 1));
	ph_buffer_free(env, buffer);
	*buffer = (PhBuffer){data, size};
	return PH_OK;
}

void
ph_buffer_free(PhEnv *env, PhBuffer *buffer)
{
	ph_env_free(env, buffer->data, buffer->capacity, 1);
	*buffer = (PhBuffer){NULL, 0};
}

size_t
ph_pack_state_size(void)
{
	return (size_t) LZ4_sizeofState();
}

PhStatus
ph_pack(PhEnv *env, const uint8_t *plain, size_t size, void *state, PhBuffer *buffer, PhBytes *out)
{
	*out = (PhBytes){NULL, 0};
	if (size == 0)
		return PH_OK;
	if (size > LZ4_MAX_INPUT_SIZE)
		return ph_fail(env, PH_ERR_LIMIT, "a chunk's column of %zu bytes is too long", size);
	PH_TRY(ph_buffer_reserve(env, buffer, size + PACK_HEAD));
	PhByteWriter writer = {buffer->data};
	int packed =
		LZ4_compress_fast_extState(state, (const char *) plain, (char *) buffer->data + PACK_HEAD,
								   (int) size, (int) (size - size / 16), 1);
	if (packed > 0 && (size_t) packed + PACK_HEAD <= size)
	{
		ph_put(&writer, PACK_LZ4, 1);
		ph_put(&writer, size, 4);
		*out = (PhBytes){buffer->data, PACK_HEAD + (size_t) packed};
		return PH_OK;
	}
	ph_put(&writer, PACK_PLAIN, 1);
	ph_put_bytes(&writer, plain, size);
	*out = (PhBytes){buffer->data, 1 + size};
	return PH_OK;
}

static PhStatus
bad_packing(PhEnv *env)
{
	return ph_fail(env, PH_ERR_FORMAT, "a column of an event chunk does not unpack");
}

static PhStatus
unpack_plain(PhEnv *env, PhBytes packed, size_t limit, PhBuffer *buffer, PhBytes *out)
{
	size_t size = packed.size - 1;
	if (size > limit)
		return bad_packing(env);
	PH_TRY(ph_buffer_reserve(env, buffer, size + PH_SVB_SLACK));
	memcpy(buffer->data, packed.data + 1, size);
	*out = (PhBytes){buffer->data, size};
	return PH_OK;
}

static PhStatus
unpack_lz4(PhEnv *env, PhBytes packed, size_t limit, PhBuffer *buffer, PhBytes *out)
{
	PhByteReader reader = {packed.data, packed.data + 1, packed.data + packed.size, false};
	size_t size = ph_get_u32(&reader);
	size_t n_left = ph_left(&reader);
	if (reader.bad || size > limit || size > LZ4_MAX_INPUT_SIZE || size / LZ4_MOST_RATIO > n_left ||
		n_left > LZ4_MAX_INPUT_SIZE)
		return bad_packing(env);
	PH_TRY(ph_buffer_reserve(env, buffer, size + PH_SVB_SLACK));
	int got = LZ4_decompress_safe((const char *) reader.at, (char *) buffer->data, (int) n_left,
								  (int) size);
	if (got < 0 || (size_t) got != size)
		return bad_packing(env);
	*out = (PhBytes){buffer->data, size};
	return PH_OK;
}

PhStatus
ph_unpack(PhEnv *env, PhBytes packed, size_t limit, PhBuffer *buffer, PhBytes *out)
{
	if (packed.size == 0)
	{
		PH_TRY(ph_buffer_reserve(env, buffer, PH_SVB_SLACK));
		*out = (PhBytes){buffer->data, 0};
	}
	else if (packed.data[0] == PACK_PLAIN)
		PH_TRY(unpack_plain(env, packed, limit, buffer, out));
	else if (packed.data[0] == PACK_LZ4)
		PH_TRY(unpack_lz4(env, packed, limit, buffer, out));
	else
		return bad_packing(env);
	memset(buffer->data + out->size, 0, PH_SVB_SLACK);
	return PH_OK;
}
