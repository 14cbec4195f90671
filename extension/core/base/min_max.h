/*
 * min_max.h - the smaller and the larger of two numbers, each operand evaluated once.
 *
 * Of two types the result has the one that their sum has. Where one of two doubles is NaN, the
 * second one is the result: PH_MAX(value, most) leaves most alone where value is NaN.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_MIN_MAX_H
#define PH_BASE_MIN_MAX_H

#define PH_MIN_MAX_OF(type, name)                                                                  \
	static inline type ph_min_##name(type x, type y)                                               \
	{                                                                                              \
		return x < y ? x : y;                                                                      \
	}                                                                                              \
	static inline type ph_max_##name(type x, type y)                                               \
	{                                                                                              \
		return x > y ? x : y;                                                                      \
	}

PH_MIN_MAX_OF(int, int)
PH_MIN_MAX_OF(unsigned int, uint)
PH_MIN_MAX_OF(long, long)
PH_MIN_MAX_OF(unsigned long, ulong)
PH_MIN_MAX_OF(double, double)

#ifdef __cppcheck__ /* it cannot parse _Generic; one type is as good to it as another */
#define PH_MIN(x, y) ph_min_double((x), (y))
#define PH_MAX(x, y) ph_max_double((x), (y))
#else
/* clang-format off */
#define PH_BY_TYPE(what, x, y)                                                                     \
	_Generic((x) + (y), int: ph_##what##_int, unsigned int: ph_##what##_uint,                      \
			 long: ph_##what##_long, unsigned long: ph_##what##_ulong,                             \
			 double: ph_##what##_double)((x), (y))
/* clang-format on */
#define PH_MIN(x, y) PH_BY_TYPE(min, x, y)
#define PH_MAX(x, y) PH_BY_TYPE(max, x, y)
#endif

#endif
