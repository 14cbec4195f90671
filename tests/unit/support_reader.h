/*
 * support_reader.h - read bytes in memory with any reader; compare profiles by their stored form.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_READER_H
#define PH_SUPPORT_READER_H

#include "source.h"

typedef enum ReaderKind
{
	READ_CALIPER_JSON,
	READ_CALIPER_CALI,
	READ_HATCHET_JSON,
	READ_HPCTOOLKIT /* the XML alone */
} ReaderKind;

PhStatus read_bytes(PhEnv *env, ReaderKind reader, const void *bytes, size_t size, PhRunInput *run);

/* The profile's stored bytes; caller frees. */
uint8_t *stored_bytes(PhEnv *env, const PhProfile *profile, size_t *size);

/* Deterministic random numbers. */
uint32_t draw_below(uint64_t *state, uint32_t limit);

#endif
