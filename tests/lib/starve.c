/*
 * starve.c - a library to preload: one allocation after another fails, as a test says.
 *
 * The file that STARVE names holds two numbers, mapped into memory: how many more allocations
 * succeed before one fails (0: all do), and how many failed. Libraries that do not live without
 * memory, whatever their callers do, always get theirs: GLib and what draws with it abort, json-c's
 * parser does not check, libmicrohttpd closes the connection.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);

typedef struct Plan
{
	_Atomic int64_t left, failed;
} Plan;

static Plan *plan;

__attribute__((constructor)) static void
begin(void)
{
	const char *name = getenv("STARVE");
	bool is_ours = strncmp(program_invocation_short_name, "perfhouse", 9) == 0;
	int file = name != NULL && is_ours ? open(name, O_RDWR) : -1;
	void *mapped = MAP_FAILED;

	if (file >= 0)
		mapped = mmap(NULL, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (mapped != MAP_FAILED)
		plan = mapped;
}

static bool
is_spared(const void *caller)
{
	static const char *const libraries[] = {"libglib",	   "libgobject",	"libpango",
											"libharfbuzz", "libfontconfig", "libmicrohttpd",
											"libjson-c"};
	Dl_info info;

	if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
		return false;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strstr(info.dli_fname, libraries[i]) != NULL)
			return true;
	return false;
}

static bool
fails(const void *caller)
{
	if (plan == NULL || atomic_load(&plan->left) <= 0 || is_spared(caller))
		return false;
	if (atomic_fetch_sub(&plan->left, 1) != 1)
		return false;
	atomic_fetch_add(&plan->failed, 1);
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *pointer, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(pointer, size);
}

/* The C library's own calls malloc() on behalf of its caller. */
char *
strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	void *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

	return copy != NULL ? memcpy(copy, text, size) : NULL;
}
