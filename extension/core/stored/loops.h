/*
 * loops.h - the loops over vectors in which readers of stored values spend their time.
 *
 * Each is compiled twice, for any processor and for those with AVX2, which is chosen when it runs:
 * both do the same operations in the same order, so that the bits are the same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_LOOPS_H
#define PH_STORED_LOOPS_H

#include "stored/numbers.h"

#define PH_LARGEST_EXACT 9007199254740992.0 /* 2^53 */

/* By exponent: 10^e and 10^-e. */
extern const double ph_powers_of_ten[PH_NUMBER_EXPONENT_MAX + 1];
extern const double ph_tenths[PH_NUMBER_EXPONENT_MAX + 1];

/* ---- one number ---- */

/* The number that an integer stands for; not of mode 0. */
static inline double
ph_decimal_of(PhNumberForm form, double integer)
{
	if (form.mode == PH_NUMBER_TIMES)
		return integer * ph_tenths[form.exponent];
	return integer / ph_powers_of_ten[form.exponent] / ph_powers_of_ten[form.scale];
}

/* About the integer that a number is in a form. */
static inline double
ph_scaled_by(PhNumberForm form, double value)
{
	return value * ph_powers_of_ten[form.scale] * ph_powers_of_ten[form.exponent];
}

/*
 * The nearest whole number of |x| < 2^51, without a call: adding 1.5 × 2^52 drops the fraction.
 */
static inline double
ph_whole(double x)
{
	const double magic = 6755399441055744.0;
	return x + magic - magic;
}

/* ---- vectors ---- */

#define PH_UNPACK_GROUP 8  /* integers, of which `width` bytes hold all */
#define PH_UNPACK_SLACK 80 /* bytes that are read behind the last integer: a group and a word */

/* n integers of 1 to 64 bits, each plus base; out has room for whole groups. */
void ph_loop_integers(const uint8_t *bits, size_t n, uint64_t base, uint32_t width, uint64_t *out);

/* What integers stand for in a form; fit_31: all of them are below 2^30 in magnitude. */
void ph_loop_decimals(PhNumberForm form, bool fit_31, const uint64_t *integers, size_t n,
					  double *values);

/* ph_number_round of n numbers; of those with a bit in mask, which may be NULL: of all. */
void ph_loop_round(PhNumberForm form, const uint8_t *mask, size_t n, double *values);

/*
 * to = from - children, or 0 where that would be negative and may not be; *is_cut is set when there
 * is such a place.
 */
void ph_loop_subtract(bool is_signed, const double *from, const double *children, size_t n,
					  double *to, bool *is_cut);

/*
 * residual = inclusive - exclusive - children where that is more than rounding, else 0; *found is
 * set when there is such a place.
 */
void ph_loop_residual(const double *inclusive, const double *exclusive, const double *children,
					  size_t n, double *residual, bool *found);

#endif
