/*
 * codec.h - columns of integers as bytes: StreamVByte, then LZ4 where it helps.
 *
 * StreamVByte (Lemire, Kurz, Rupp 2018): a 2-bit length code for each of four integers in a control
 * byte, all control bytes first, then the significant bytes of the integers, lowest first.
 *
 * A packed column is a byte that says how (PhPackHow), and for LZ4 the plain size in four bytes.
 * Private to trace/chunk, trace/link.c and logical/store/store.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_CODEC_H
#define PH_TRACE_CHUNK_CODEC_H

#include "trace/chunk/chunk.h"

/* Bytes behind the end of its input that the decoder may read. */
#define PH_SVB_SLACK 16

/* Room that n integers may take while they are encoded. */
static inline size_t
ph_svb_bound(size_t n)
{
	return (n + 3) / 4 + 4 * n + PH_SVB_SLACK;
}

/* Encode n integers at out (room: ph_svb_bound); returns the end of what was written. */
uint8_t *ph_svb_encode(const uint32_t *values, size_t n, uint8_t *out);

/* The same without instructions that not every processor has. */
uint8_t *ph_svb_encode_portable(const uint32_t *values, size_t n, uint8_t *out);

/*
 * Decode n integers from in..end, behind which PH_SVB_SLACK bytes must be readable; returns the end
 * of what was read, NULL when the bytes do not hold n integers.
 */
const uint8_t *ph_svb_decode(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *values);

/* The same without instructions that not every processor has. */
const uint8_t *ph_svb_decode_portable(const uint8_t *in, const uint8_t *end, size_t n,
									  uint32_t *values);

/* Decode n integers to start + their sums so far, modulo 2^64. */
const uint8_t *ph_svb_decode_sums(const uint8_t *in, const uint8_t *end, size_t n, uint64_t start,
								  uint64_t *sums);
const uint8_t *ph_svb_decode_sums_portable(const uint8_t *in, const uint8_t *end, size_t n,
										   uint64_t start, uint64_t *sums);

/*
 * 64-bit values as their low halves and, where one of them needs it, their high halves; scratch
 * has room for n. Bounds and returns are as above.
 */
static inline size_t
ph_wide_bound(size_t n)
{
	return 1 + 2 * ph_svb_bound(n);
}
uint8_t *ph_wide_encode(const uint64_t *values, size_t n, uint32_t *scratch, uint8_t *out);
const uint8_t *ph_wide_decode(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *scratch,
							  uint64_t *values);

/* Differences of either sign as small unsigned numbers. */
static inline uint64_t
ph_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t
ph_unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* Bytes that grow and are kept for the next use. */
typedef struct PhBuffer
{
	uint8_t *data;
	size_t capacity;
} PhBuffer;

/* Room for size bytes; what was in it is not kept. */
PhStatus ph_buffer_reserve(PhEnv *env, PhBuffer *buffer, size_t size) PH_MUST_CHECK;
void ph_buffer_free(PhEnv *env, PhBuffer *buffer);

/* Size of LZ4's state, which pack needs. */
size_t ph_pack_state_size(void);

/* Pack size bytes of plain into buffer; nothing becomes nothing. */
PhStatus ph_pack(PhEnv *env, const uint8_t *plain, size_t size, void *state, PhBuffer *buffer,
				 PhBytes *out) PH_MUST_CHECK;

/*
 * Unpack into buffer, with PH_SVB_SLACK zeros behind; PH_ERR_FORMAT when the bytes are not what
 * pack makes, or give more than limit.
 */
PhStatus ph_unpack(PhEnv *env, PhBytes packed, size_t limit, PhBuffer *buffer,
				   PhBytes *out) PH_MUST_CHECK;

#endif
