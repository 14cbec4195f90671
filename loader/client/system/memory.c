/*
 * memory.c - allocation that ends the program when memory runs out.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/exit_codes.h"

static void *
checked(void *pointer)
{
	if (pointer == NULL)
	{
		fputs("perfhouse: error: out of memory\n", stderr);
		exit(PH_EXIT_MEMORY);
	}
	return pointer;
}

/*
 * Huge pages (glibc.malloc.hugetlb=1) were tried for this: a load of 10^7 events has 1,200 faults
 * then in place of 61,000, but takes 0.1 to 0.3 s more of 0.76 s in a virtual machine that gives
 * free huge pages back to its host, which has to find and zero each of them anew.
 */
#define KEPT_BYTES (1 << 30)

void
ph_memory_keep(void)
{
#ifdef __GLIBC__
	(void) mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	(void) mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	(void) mallopt(M_TOP_PAD, 1 << 20);
	(void) mallopt(M_ARENA_MAX, 1);
#endif
}

void *
ph_must_alloc(size_t count, size_t size)
{
	return checked(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *
ph_must_resize(void *pointer, size_t count, size_t size)
{
	if (size > 0 && count > SIZE_MAX / size)
		return checked(NULL);
	return checked(realloc(pointer, count * size > 0 ? count * size : 1));
}

char *
ph_strdup(const char *text)
{
	return text == NULL ? NULL : checked(strdup(text));
}

char *
ph_strndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *
ph_format_list(const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	return checked(text);
}

char *
ph_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = ph_format_list(format, arguments);
	va_end(arguments);
	return text;
}

PhStatus
ph_fail_memory(PhEnv *env, const char *library)
{
	return ph_fail(env, PH_ERR_MEMORY, "out of memory for %s", library);
}
