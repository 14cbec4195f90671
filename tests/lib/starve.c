/*
 * starve.c - a library to preload: one allocation after another fails, as a test says.
 *
 * The file that STARVE names holds two numbers, mapped into memory: how many more allocations
 * succeed before one fails (0: all do), and how many failed. A file that has room for it also gets
 * the number of places that allocate (as eight frames of the stack tell them apart), and of each
 * which allocation was its first: those are worth failing. Libraries that do not live without
 * memory, whatever their callers do, always get theirs: GLib and what draws with it abort,
 * libarchive exits, json-c's parser and the C library (fts, name services) do not check,
 * libmicrohttpd closes the connection.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);

#define MAX_PLACES 65536
#define FRAMES 8

typedef struct Plan
{
	_Atomic int64_t left, failed;
	_Atomic int64_t n_places;
	int64_t first[MAX_PLACES];
} Plan;

static Plan *plan;
static bool has_places;
static int64_t left_at_first;
static _Atomic uint64_t seen[2 * MAX_PLACES]; /* hashes of stacks */
static __thread bool is_looking;

__attribute__((constructor)) static void
begin(void)
{
	const char *name = getenv("STARVE");
	bool is_ours = strncmp(program_invocation_short_name, "perfhouse", 9) == 0;
	int file = name != NULL && is_ours ? open(name, O_RDWR) : -1;
	void *mapped = MAP_FAILED;
	void *frames[FRAMES];
	struct stat told;

	if (file >= 0 && fstat(file, &told) == 0)
		mapped = mmap(NULL, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (mapped == MAP_FAILED)
		return;
	(void) backtrace(frames, FRAMES); /* loads what it needs */
	has_places = (size_t) told.st_size >= sizeof(Plan);
	left_at_first = ((Plan *) mapped)->left;
	plan = mapped;
}

static bool
is_new(uint64_t hash)
{
	for (size_t i = hash % (2 * MAX_PLACES);; i = (i + 1) % (2 * MAX_PLACES))
	{
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&seen[i], &none, hash))
			return true;
		if (none == hash)
			return false;
	}
}

static void
note_place(int64_t left)
{
	void *frames[FRAMES];
	uint64_t hash = 14695981039346656037u;
	int n;

	if (is_looking || atomic_load(&plan->n_places) >= MAX_PLACES)
		return;
	is_looking = true;
	n = backtrace(frames, FRAMES);
	is_looking = false;
	for (int i = 2; i < n; i++)
		hash = (hash ^ (uintptr_t) frames[i]) * 1099511628211u;
	if (is_new(hash))
		plan->first[atomic_fetch_add(&plan->n_places, 1)] = left_at_first - left + 1;
}

static bool
is_spared(const void *caller)
{
	static const char *const libraries[] = {
		"libglib",	 "libgobject", "libpango",		"libharfbuzz", "libfontconfig", "libmicrohttpd",
		"libjson-c", "libcrypto",  "libssl",		"libgssapi",   "libkrb5",		"libldap",
		"libsasl",	 "libgnutls",  "libopen-trace", "libarchive",  "libc.so"};
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
	int64_t left;

	if (plan == NULL || atomic_load(&plan->left) <= 0 || is_spared(caller))
		return false;
	left = atomic_fetch_sub(&plan->left, 1);
	if (has_places)
		note_place(left);
	if (left != 1)
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
