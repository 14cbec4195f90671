/*
 * loops.c - see loops.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/loops.h"

#include "base/for_processor.h"
#include "profile/internal.h"

const double ph_powers_of_ten[PH_NUMBER_EXPONENT_MAX + 1] = {
	1e0,  1e1,	1e2,  1e3,	1e4,  1e5,	1e6,  1e7,	1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
const double ph_tenths[PH_NUMBER_EXPONENT_MAX + 1] = {
	1e0,   1e-1,  1e-2,	 1e-3,	1e-4,  1e-5,  1e-6,	 1e-7,	1e-8, 1e-9,
	1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};

#define FOR_PROCESSOR(name, parameters, arguments)                                                 \
	PH_FOR_PROCESSOR(, ph_loop_##name, name##_body, parameters, arguments)

/*
 * Four at a time, said explicitly where there are conditions: a compiler must not make a division
 * unconditional, for what it might signal, and so leaves such a loop alone.
 */
#define LANES 4
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef uint64_t LaneBits __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* ---- integers ---- */

PH_INLINE uint64_t
load_word(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/*
 * Groups of eight integers of one width, which is a constant to the compiler: every shift is one,
 * too. Up to 56 bits, as a word from any byte on holds no more.
 */
PH_INLINE void
unpack_groups(const uint8_t *bits, size_t n, uint64_t base, uint32_t width, uint64_t *out)
{
	uint64_t mask = ((uint64_t) 1 << width) - 1;
	for (size_t i = 0; i < n; i += PH_UNPACK_GROUP, bits += width)
		for (uint32_t k = 0; k < PH_UNPACK_GROUP; k++)
			out[i + k] = base + (load_word(bits + (k * width >> 3)) >> (k * width & 7) & mask);
}

/* Of more than 56 bits. */
PH_INLINE void
unpack_wide(const uint8_t *bits, size_t n, uint64_t base, uint32_t width, uint64_t *out)
{
	uint64_t mask = UINT64_MAX >> (64 - width);
	size_t bit = 0;
	for (size_t i = 0; i < n; i++, bit += width)
	{
		const uint8_t *at = bits + (bit >> 3);
		uint32_t shift = bit & 7;
		uint64_t high = shift == 0 ? 0 : load_word(at + 8) << (64 - shift);
		out[i] = base + ((load_word(at) >> shift | high) & mask);
	}
}

#define UNPACK_WIDTH(w)                                                                            \
	case w:                                                                                        \
		unpack_groups(bits, n, base, w, out);                                                      \
		break;
#define UNPACK_WIDTHS(w)                                                                           \
	UNPACK_WIDTH(w)                                                                                \
	UNPACK_WIDTH((w) + 1)                                                                          \
	UNPACK_WIDTH((w) + 2)                                                                          \
	UNPACK_WIDTH((w) + 3)                                                                          \
	UNPACK_WIDTH((w) + 4) UNPACK_WIDTH((w) + 5) UNPACK_WIDTH((w) + 6) UNPACK_WIDTH((w) + 7)

PH_INLINE void
integers_body(const uint8_t *bits, size_t n, uint64_t base, uint32_t width, uint64_t *out)
{
	switch (width)
	{
		UNPACK_WIDTHS(1)
		UNPACK_WIDTHS(9)
		UNPACK_WIDTHS(17)
		UNPACK_WIDTHS(25)
		UNPACK_WIDTHS(33)
		UNPACK_WIDTHS(41)
		UNPACK_WIDTHS(49)
		default:
			unpack_wide(bits, n, base, width, out);
	}
}

FOR_PROCESSOR(integers,
			  (const uint8_t *bits, size_t n, uint64_t base, uint32_t width, uint64_t *out),
			  (bits, n, base, width, out))

/* ---- decimals ---- */

PH_INLINE void
decimals_body(PhNumberForm form, bool fit_31, const uint64_t *integers, size_t n,
			  double *restrict values)
{
	double power = ph_powers_of_ten[form.exponent], scale = ph_powers_of_ten[form.scale];
	double tenths = ph_tenths[form.exponent];
	if (fit_31)
		for (size_t i = 0; i < n; i++)
			values[i] = (double) (int32_t) integers[i];
	else
		for (size_t i = 0; i < n; i++)
			values[i] = (double) (int64_t) integers[i];
	if (form.mode == PH_NUMBER_TIMES)
		for (size_t i = 0; i < n; i++)
			values[i] *= tenths;
	else if (form.exponent > 0)
		for (size_t i = 0; i < n; i++)
			values[i] /= power;
	for (size_t i = 0; i < n && form.scale > 0; i++)
		values[i] /= scale;
}

FOR_PROCESSOR(decimals,
			  (PhNumberForm form, bool fit_31, const uint64_t *integers, size_t n, double *values),
			  (form, fit_31, integers, n, values))

/* ---- rounding ---- */

/* The loop's constants; is_times and is_scaled are known to the compiler. */
typedef struct Rounding
{
	double scale, power, tenths;
	bool is_times, is_scaled;
} Rounding;

/* Round the numbers with a bit in mask, the lowest one first. */
PH_INLINE void
round_lanes(const Rounding *by, uint64_t mask, Lanes *x)
{
	const double magic = 6755399441055744.0; /* as ph_whole */
	const LaneBits places = {1, 2, 4, 8};
	Lanes scaled = (by->is_scaled ? *x * by->scale : *x) * by->power;
	Lanes integer = scaled + magic - magic;
	Lanes decimal = by->is_times ? integer * by->tenths : integer / by->power;
	decimal = by->is_scaled ? decimal / by->scale : decimal;
	LaneBits is_near = (LaneBits) (scaled < PH_LARGEST_EXACT / 4) &
					   (LaneBits) (scaled > -PH_LARGEST_EXACT / 4) &
					   (LaneBits) ((mask & places) != 0);
	*x = (Lanes) (((LaneBits) decimal & is_near) | ((LaneBits) *x & ~is_near));
}

PH_INLINE uint64_t
marks_at(const uint8_t *mask, size_t i)
{
	return mask == NULL ? UINT64_MAX : (uint64_t) mask[i / 8] >> (i % 8);
}

PH_INLINE void
round_all(Rounding by, const uint8_t *mask, size_t n, double *values)
{
	Lanes x = {0};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES)
	{
		memcpy(&x, values + i, sizeof(x));
		round_lanes(&by, marks_at(mask, i), &x);
		memcpy(values + i, &x, sizeof(x));
	}
	if (i == n)
		return;
	memcpy(&x, values + i, (n - i) * sizeof(*values));
	round_lanes(&by, marks_at(mask, i), &x);
	memcpy(values + i, &x, (n - i) * sizeof(*values));
}

PH_INLINE void
round_body(PhNumberForm form, const uint8_t *mask, size_t n, double *values)
{
	double power = ph_powers_of_ten[form.exponent], scale = ph_powers_of_ten[form.scale];
	double tenths = ph_tenths[form.exponent];
	if (form.mode == PH_NUMBER_BITS)
		return;
	if (form.mode == PH_NUMBER_TIMES)
		round_all((Rounding){scale, power, tenths, true, false}, mask, n, values);
	else if (form.scale == 0)
		round_all((Rounding){scale, power, tenths, false, false}, mask, n, values);
	else
		round_all((Rounding){scale, power, tenths, false, true}, mask, n, values);
}

FOR_PROCESSOR(round, (PhNumberForm form, const uint8_t *mask, size_t n, double *values),
			  (form, mask, n, values))

/* ---- sums ---- */

PH_INLINE bool
any_lane(const LaneBits *bits)
{
	return ((*bits)[0] | (*bits)[1] | (*bits)[2] | (*bits)[3]) != 0;
}

PH_INLINE void
subtract_lanes(bool is_signed, const double *from, const double *children, size_t n, double *to,
			   LaneBits *cut)
{
	Lanes x = {0}, y = {0};
	memcpy(&x, from, n * sizeof(*from));
	memcpy(&y, children, n * sizeof(*children));
	LaneBits below = (LaneBits) (x < y) & (is_signed ? 0 : UINT64_MAX);
	x = (Lanes) ((LaneBits) (x - y) & ~below);
	*cut |= below;
	memcpy(to, &x, n * sizeof(*to));
}

PH_INLINE void
subtract_body(bool is_signed, const double *from, const double *children, size_t n, double *to,
			  bool *is_cut)
{
	LaneBits cut = {0};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES)
		subtract_lanes(is_signed, from + i, children + i, LANES, to + i, &cut);
	subtract_lanes(is_signed, from + i, children + i, n - i, to + i, &cut);
	*is_cut |= any_lane(&cut);
}

FOR_PROCESSOR(subtract,
			  (bool is_signed, const double *from, const double *children, size_t n, double *to,
			   bool *is_cut),
			  (is_signed, from, children, n, to, is_cut))

/* |rest| > PH_ROUNDING * the largest of three is the same as > PH_ROUNDING * each of them. */
PH_INLINE void
residual_lanes(const double *inclusive, const double *exclusive, const double *children, size_t n,
			   double *residual, LaneBits *found)
{
	const LaneBits magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
	Lanes a = {0}, b = {0}, c = {0};
	memcpy(&a, inclusive, n * sizeof(*inclusive));
	memcpy(&b, exclusive, n * sizeof(*exclusive));
	memcpy(&c, children, n * sizeof(*children));
	Lanes rest = a - b - c, size = (Lanes) ((LaneBits) rest & magnitude);
	LaneBits is_large = (LaneBits) (size > PH_ROUNDING * (Lanes) ((LaneBits) a & magnitude)) &
						(LaneBits) (size > PH_ROUNDING * (Lanes) ((LaneBits) b & magnitude)) &
						(LaneBits) (size > PH_ROUNDING * (Lanes) ((LaneBits) c & magnitude));
	rest = (Lanes) ((LaneBits) rest & is_large);
	*found |= is_large;
	memcpy(residual, &rest, n * sizeof(*residual));
}

PH_INLINE void
residual_body(const double *inclusive, const double *exclusive, const double *children, size_t n,
			  double *residual, bool *is_found)
{
	LaneBits found = {0};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES)
		residual_lanes(inclusive + i, exclusive + i, children + i, LANES, residual + i, &found);
	residual_lanes(inclusive + i, exclusive + i, children + i, n - i, residual + i, &found);
	*is_found |= any_lane(&found);
}

FOR_PROCESSOR(residual,
			  (const double *inclusive, const double *exclusive, const double *children, size_t n,
			   double *residual, bool *found),
			  (inclusive, exclusive, children, n, residual, found))
