/*
 * asan_first.c - a library to preload with ASan's, linked with -z initfirst: ASan begins before the
 * constructor of any other library runs.
 *
 * Otherwise it begins with the first allocation, which in PostgreSQL's programs is one that
 * libgpg-error makes within bindtextdomain(). ASan's beginning translates a message: the lock that
 * is held there is taken again, and whoever wants it next waits for ever.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

__attribute__((constructor)) static void
begin(void)
{
	void *volatile some = malloc(1);

	free(some);
}
