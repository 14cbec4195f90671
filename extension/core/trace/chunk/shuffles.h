/*
 * shuffles.h - for each control byte of StreamVByte, where the bytes of its four values
 * are, and which bytes of the values are written: the masks of byte shuffles (128 and above give a
 * zero). Private to trace/chunk/codec.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_SHUFFLES_H
#define PH_TRACE_CHUNK_SHUFFLES_H

#include <stdint.h>

/* Bytes of value v of control byte c, and where they begin. */
#define PH_LENGTH(c, v) (((c) >> (2 * (v)) & 3) + 1)
#define PH_START_1(c) PH_LENGTH(c, 0)
#define PH_START_2(c) (PH_START_1(c) + PH_LENGTH(c, 1))
#define PH_START_3(c) (PH_START_2(c) + PH_LENGTH(c, 2))

#define PH_BYTE(start, length, b) ((b) < (length) ? (start) + (b) : 0x80)
#define PH_VALUE(start, length)                                                                    \
	PH_BYTE(start, length, 0), PH_BYTE(start, length, 1), PH_BYTE(start, length, 2),               \
		PH_BYTE(start, length, 3)
#define PH_ROW_1(c)                                                                                \
	{                                                                                              \
		PH_VALUE(0, PH_LENGTH(c, 0)), PH_VALUE(PH_START_1(c), PH_LENGTH(c, 1)),                    \
			PH_VALUE(PH_START_2(c), PH_LENGTH(c, 2)), PH_VALUE(PH_START_3(c), PH_LENGTH(c, 3))     \
	}
#define PH_ROW_4(c) PH_ROW_1(c), PH_ROW_1((c) + 1), PH_ROW_1((c) + 2), PH_ROW_1((c) + 3)
#define PH_ROW_16(c) PH_ROW_4(c), PH_ROW_4((c) + 4), PH_ROW_4((c) + 8), PH_ROW_4((c) + 12)
#define PH_ROW_64(c) PH_ROW_16(c), PH_ROW_16((c) + 16), PH_ROW_16((c) + 32), PH_ROW_16((c) + 48)

static const _Alignas(16) uint8_t ph_svb_shuffles[256][16] = {PH_ROW_64(0), PH_ROW_64(64),
															  PH_ROW_64(128), PH_ROW_64(192)};

/* The byte of the four values that is the k-th to be written. */
#define PH_SOURCE(c, k)                                                                            \
	((k) < PH_START_1(c)					 ? (k)                                                 \
	 : (k) < PH_START_2(c)					 ? 4 + (k) -PH_START_1(c)                              \
	 : (k) < PH_START_3(c)					 ? 8 + (k) -PH_START_2(c)                              \
	 : (k) < PH_START_3(c) + PH_LENGTH(c, 3) ? 12 + (k) -PH_START_3(c)                             \
											 : 0x80)
#define PH_SOURCES_4(c, k)                                                                         \
	PH_SOURCE(c, k), PH_SOURCE(c, (k) + 1), PH_SOURCE(c, (k) + 2), PH_SOURCE(c, (k) + 3)
#define PH_PACK_1(c)                                                                               \
	{                                                                                              \
		PH_SOURCES_4(c, 0), PH_SOURCES_4(c, 4), PH_SOURCES_4(c, 8), PH_SOURCES_4(c, 12)            \
	}
#define PH_PACK_4(c) PH_PACK_1(c), PH_PACK_1((c) + 1), PH_PACK_1((c) + 2), PH_PACK_1((c) + 3)
#define PH_PACK_16(c) PH_PACK_4(c), PH_PACK_4((c) + 4), PH_PACK_4((c) + 8), PH_PACK_4((c) + 12)
#define PH_PACK_64(c)                                                                              \
	PH_PACK_16(c), PH_PACK_16((c) + 16), PH_PACK_16((c) + 32), PH_PACK_16((c) + 48)

static const _Alignas(16) uint8_t ph_svb_packs[256][16] = {PH_PACK_64(0), PH_PACK_64(64),
														   PH_PACK_64(128), PH_PACK_64(192)};

#endif
