/*
 * crc32c.c - CRC-32C by the processor's instruction, else eight bytes at a time by tables
 * (M. E. Kounavis, F. L. Berry, Novel Table Lookup-Based Algorithms for High-Performance CRC
 * Generation, 2008).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

/*
 * A remainder is linear in the byte that it is of: the eight entries of single bits tell the
 * others. Table t has the remainders of bytes that t zero bytes follow.
 */
#define BIT(n, b, value) (((n) >> (b) &1) != 0 ? UINT32_C(value) : 0)
#define ENTRY(n, a, b, c, d, e, f, g, h)                                                           \
	(BIT(n, 0, a) ^ BIT(n, 1, b) ^ BIT(n, 2, c) ^ BIT(n, 3, d) ^ BIT(n, 4, e) ^ BIT(n, 5, f) ^     \
	 BIT(n, 6, g) ^ BIT(n, 7, h))
#define ENTRIES_4(n, ...)                                                                          \
	ENTRY(n, __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__),               \
		ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES_16(n, ...)                                                                         \
	ENTRIES_4(n, __VA_ARGS__), ENTRIES_4((n) + 4, __VA_ARGS__), ENTRIES_4((n) + 8, __VA_ARGS__),   \
		ENTRIES_4((n) + 12, __VA_ARGS__)
#define ENTRIES_64(n, ...)                                                                         \
	ENTRIES_16(n, __VA_ARGS__), ENTRIES_16((n) + 16, __VA_ARGS__),                                 \
		ENTRIES_16((n) + 32, __VA_ARGS__), ENTRIES_16((n) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
	{                                                                                              \
		ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__),     \
			ENTRIES_64(192, __VA_ARGS__)                                                           \
	}

static const uint32_t tables[8][256] = {TABLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf,
											  0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
										TABLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8,
											  0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
										TABLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5,
											  0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
										TABLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6,
											  0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
										TABLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91,
											  0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
										TABLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f,
											  0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
										TABLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53,
											  0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
										TABLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da,
											  0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664)};

static uint32_t
by_bytes(uint32_t rest, const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		rest = rest >> 8 ^ tables[0][(rest ^ at[i]) & 0xff];
	return rest;
}

static uint32_t
little_endian_32(const uint8_t *at)
{
	return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 |
		   (uint32_t) at[3] << 24;
}

uint32_t
ph_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *at = data;
	uint32_t rest = ~crc;
	for (; size >= 8; size -= 8, at += 8)
	{
		uint32_t low = rest ^ little_endian_32(at), high = little_endian_32(at + 4);
		rest = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
			   tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
			   tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
	}
	return ~by_bytes(rest, at, size);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const uint8_t *at, size_t size)
{
	uint64_t rest = (uint32_t) ~crc;
	for (; size >= 8; size -= 8, at += 8)
	{
		uint64_t word;
		memcpy(&word, at, sizeof(word));
		rest = _mm_crc32_u64(rest, word);
	}
	for (; size > 0; size--, at++)
		rest = _mm_crc32_u8((uint32_t) rest, *at);
	return ~(uint32_t) rest;
}
#endif

uint32_t
ph_crc32c(uint32_t crc, const void *data, size_t size)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(crc, data, size);
#endif
	return ph_crc32c_portable(crc, data, size);
}
