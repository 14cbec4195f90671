/*
 * for_processor.h - one loop, compiled for what the processor can do.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FOR_PROCESSOR_H
#define PH_FOR_PROCESSOR_H

#define PH_INLINE static inline __attribute__((always_inline))

/*
 * Defines `linkage void name parameters`, which calls body, a PH_INLINE function: once as it is and
 * once for AVX2, chosen when it runs. No fused multiply-add: it would round once where two
 * operations round twice.
 */
#if defined(__x86_64__)
#define PH_FOR_PROCESSOR(linkage, name, body, parameters, arguments)                               \
	__attribute__((target("avx2"))) static void name##_avx2 parameters                             \
	{                                                                                              \
		body arguments;                                                                            \
	}                                                                                              \
	linkage void name parameters                                                                   \
	{                                                                                              \
		if (__builtin_cpu_supports("avx2"))                                                        \
			name##_avx2 arguments;                                                                 \
		else                                                                                       \
			body arguments;                                                                        \
	}
#else
#define PH_FOR_PROCESSOR(linkage, name, body, parameters, arguments)                               \
	linkage void name parameters                                                                   \
	{                                                                                              \
		body arguments;                                                                            \
	}
#endif

#endif
