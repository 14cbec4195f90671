/*
 * groups.h - columns of integers one behind the other, packed together as a group.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_GROUPS_H
#define PH_LOGICAL_STORE_GROUPS_H

#include "logical/store/internal.h"

/* Columns of one group, written one behind the other. */
typedef struct PhGroupWriter
{
	PhLogicalCodec *codec;
	uint8_t *at;
	uint64_t *wide; /* to be filled, then written */
} PhGroupWriter;

/* Room for so many columns of n numbers. */
PhStatus ph_group_begin(PhLogicalCodec *codec, size_t n, size_t columns,
						PhGroupWriter *out) PH_MUST_CHECK;

/* The first n of wide: as bytes, which LZ4 shrinks where they repeat. */
void ph_group_write(PhGroupWriter *writer, size_t n);

/* The same as frames of bits, for numbers that are spread evenly. */
void ph_group_write_frames(PhGroupWriter *writer, const uint64_t *values, size_t n);

/* The same for numbers that are mostly 0: nothing, or only the others. */
void ph_group_write_rest(PhGroupWriter *writer, size_t n);

/* The same where all are 0. */
void ph_group_write_nothing(PhGroupWriter *writer);

PhStatus ph_group_end(PhGroupWriter *writer, int group, PhBytes *out) PH_MUST_CHECK;

typedef struct PhGroupReader
{
	PhLogicalCodec *codec;
	const uint8_t *at, *end; /* at NULL: the bytes are bad */
	uint64_t *wide;			 /* the column that was read */
} PhGroupReader;

PhStatus ph_group_bad(PhEnv *env, const char *group) PH_MUST_CHECK;

/* Columns that ph_group_begin had room for. */
PhStatus ph_group_open(PhLogicalCodec *codec, PhBytes packed, size_t n, size_t columns,
					   PhGroupReader *out) PH_MUST_CHECK;

/* The same, with memory for columns of n numbers, of a group of up to so many bytes. */
PhStatus ph_group_open_up_to(PhLogicalCodec *codec, PhBytes packed, size_t n, size_t limit,
							 PhGroupReader *out) PH_MUST_CHECK;

/* The next n numbers to wide; zeros when the bytes are bad. */
void ph_group_read(PhGroupReader *reader, size_t n);
void ph_group_read_frames(PhGroupReader *reader, uint64_t *values, size_t n);
/* True unless all are 0 as far as can be told without looking at them. */
bool ph_group_read_rest(PhGroupReader *reader, size_t n);

/* PH_ERR_FORMAT unless all was read and nothing was bad. */
PhStatus ph_group_close(const PhGroupReader *reader, const char *group) PH_MUST_CHECK;

#endif
