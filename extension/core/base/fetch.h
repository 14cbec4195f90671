/*
 * fetch.h - begin to read memory that is needed soon.
 *
 * What lies anywhere in large arrays takes hundreds of cycles to come, but many such reads may be
 * under way at once. Loops that know what they need some rounds later say so; answers do not depend
 * on it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_FETCH_H
#define PH_BASE_FETCH_H

#define PH_FETCH_AHEAD 16 /* rounds of a short loop that are as long as a read takes */

/* An item of at most 64 bytes, which may be in two lines of the cache. */
#define ph_fetch(pointer) ph_fetch_bytes((pointer), sizeof(*(pointer)))

/*
 * Words lie in one line. Compilers take functions that only fetch for ones that do nothing, and
 * leave them out: not so.
 */
static inline void
ph_fetch_bytes(const void *pointer, unsigned long size)
{
	__asm__ volatile("");
	__builtin_prefetch(pointer);
	if (size > sizeof(void *))
		__builtin_prefetch((const char *) pointer + size - 1);
}

#endif
