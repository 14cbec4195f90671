/*
 * decimal.h - numbers without an exponent, which most of those in files are, without strtod.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_DECIMAL_H
#define PH_READERS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool
ph_is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/*
 * Reads a number of at most 18 digits and at most 2^53 when the point is left out, as JSON writes
 * it: both that integer and the power of ten are exact doubles, so that one division gives the
 * correctly rounded value (W. D. Clinger, How to read floating point numbers accurately). Returns
 * how many bytes it takes; 0 for everything else, which is strtod's. What follows is the caller's
 * to look at: an exponent, too.
 */
static inline size_t
ph_take_decimal(const uint8_t *text, size_t size, double *out)
{
	static const double exact_powers[] = {1e0,	1e1,  1e2,	1e3,  1e4,	1e5,  1e6,	1e7,  1e8, 1e9,
										  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
	bool negative = size > 0 && text[0] == '-';
	size_t at = negative;
	size_t start = at;
	uint64_t digits = 0;
	size_t fraction = 0;
	for (; at < size && ph_is_digit(text[at]); at++)
		digits = digits * 10 + (uint64_t) (text[at] - '0');
	size_t whole = at - start;
	if (at < size && text[at] == '.')
	{
		size_t point = ++at;
		for (; at < size && ph_is_digit(text[at]); at++)
			digits = digits * 10 + (uint64_t) (text[at] - '0');
		fraction = at - point;
		if (fraction == 0)
			return 0;
	}
	if (whole == 0 || (whole > 1 && text[start] == '0') || whole + fraction > 18 ||
		digits > ((uint64_t) 1 << 53))
		return 0;
	double value = (double) digits / exact_powers[fraction];
	*out = negative ? -value : value;
	return at;
}

#endif
