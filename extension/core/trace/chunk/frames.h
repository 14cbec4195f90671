/*
 * frames.h - integers that vary within bounds, as bits: frames of 128 with a base and a width of
 * their own, and exceptions (M. Zukowski, S. Heman, N. Nes, P. Boncz, Super-Scalar RAM-CPU Cache
 * Compression, ICDE 2006).
 *
 * Times between events are such numbers: StreamVByte takes two bytes for what has nine bits, and
 * LZ4 finds nothing in them. A frame: base (zigzag, base 128), width and number of exceptions (a
 * byte each), the integers less the base, of width bits each, lowest first; then the exceptions'
 * places (a byte each) and what of them is beyond the width (base 128). Private to trace and
 * logical/store.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_FRAMES_H
#define PH_TRACE_CHUNK_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#define PH_FRAME 128

/* Bytes that n integers may take while they are encoded. */
static inline size_t
ph_frames_bound(size_t n)
{
	return (n / PH_FRAME + 1) * (10 + 2 + 16) + n * 8;
}

/* Encode n integers at out (room: ph_frames_bound); returns the end of what was written. */
uint8_t *ph_frames_encode(const uint64_t *values, size_t n, uint8_t *out);

/*
 * Decode n integers from in..end, behind which PH_SVB_SLACK bytes must be readable; returns the end
 * of what was read, NULL when the bytes do not hold n integers.
 */
const uint8_t *ph_frames_decode(const uint8_t *in, const uint8_t *end, size_t n, uint64_t *values);

#endif
