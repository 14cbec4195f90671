/*
 * numbers.h - vectors of doubles as integers of one width: docs/design/format-2.md 2.
 *
 * What profilers write are ticks, counts and decimal fractions. As integers they take as many bits
 * as their spread needs, and whatever does not fit is kept beside them, so that every vector comes
 * back bit by bit. After ALP (Afroozeh, Kuffó, Boncz 2023) and PFOR (Zukowski et al. 2006).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_NUMBERS_H
#define PH_STORED_NUMBERS_H

#include "base/bytes.h"

/* What an integer stands for. */
typedef enum PhNumberMode
{
	PH_NUMBER_BITS = 0,	 /* the bits of a double */
	PH_NUMBER_TIMES = 1, /* integer × 10^-exponent */
	PH_NUMBER_OVER = 2,	 /* integer / 10^exponent */
	PH_NUMBER_SCALED = 3 /* integer / 10^exponent / 10^scale: decimals of another unit */
} PhNumberMode;

#define PH_NUMBER_EXPONENT_MAX 18

typedef struct PhNumberForm
{
	uint8_t mode; /* PhNumberMode */
	uint8_t exponent;
	uint8_t scale; /* 3, 6, 9 or 12; else 0 */
} PhNumberForm;

/* Bytes that n packed numbers take at most. */
static inline size_t
ph_numbers_bound(size_t n)
{
	return 32 + 8 * n;
}

/*
 * Pack n numbers at out (room: ph_numbers_bound) and return the end of what was written. scratch
 * has room for n. *form is tried first and set to the one that was used, so that a caller who
 * passes it on from vector to vector saves the search.
 */
uint8_t *ph_numbers_pack(const double *values, size_t n, uint64_t *scratch, PhNumberForm *form,
						 uint8_t *out);

/* The form that most of n numbers have; hint is tried first. */
PhNumberForm ph_numbers_form(const double *values, size_t n, PhNumberForm hint);

/* Unpack n numbers and tell their form; what is not n packed numbers makes the reader bad. */
void ph_numbers_unpack(PhByteReader *reader, size_t n, double *values, PhNumberForm *form);

/*
 * The number of this form that is nearest to x; x itself where the form has no decimals or x is out
 * of its reach.
 */
double ph_number_round(PhNumberForm form, double x);

/* ---- integers of 7 bits a byte, lowest first ---- */

static inline void
ph_put_varint(PhByteWriter *writer, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*writer->at++ = (uint8_t) (value | 128);
	*writer->at++ = (uint8_t) value;
}

/* More than ten bytes, or more than 64 bits, set bad. */
uint64_t ph_get_varint(PhByteReader *reader);

#endif
