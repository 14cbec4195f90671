/*
 * store.c - a folder that keeps answers, up to a size.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/cache/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "serve/cache/entry.h"
#include "system/paths.h"

/* A file being written; one of a server that was killed is removed after so many seconds. */
#define NEW_PREFIX "new."
#define ABANDONED_SECONDS 3600
/* Uses are noted in the file's time, no finer than this, to spare the disk. */
#define USE_SECONDS 60

struct PhStore
{
	int folder;
	uint64_t most_bytes;
	pthread_mutex_t lock;
	PhStoreCounts counts;
	uint64_t added; /* bytes since the folder was looked through */
	uint64_t serial;
	bool is_sweeping;
};

/* A file of the folder, when it is looked through. */
typedef struct Found
{
	char name[PH_STORE_NAME_SIZE];
	struct timespec used;
	uint64_t bytes;
} Found;

typedef struct FoundList
{
	Found *items;
	size_t n, room;
	uint64_t bytes;
} FoundList;

void
ph_store_name(const char *key, char out[PH_STORE_NAME_SIZE])
{
	size_t length = strlen(key);
	uint64_t first = ph_hash_bytes(key, length);

	/* with the ending zero byte it is another text; together 128 bits */
	snprintf(out, PH_STORE_NAME_SIZE, "%016llx%016llx", (unsigned long long) first,
			 (unsigned long long) ph_hash_mix(ph_hash_bytes(key, length + 1) ^ first));
}

void
ph_store_program(char out[24])
{
	enum
	{
		BLOCK = 1 << 16
	};
	unsigned char *block = ph_must_alloc(BLOCK, 1);
	uint64_t sum = 0;
	FILE *file = fopen("/proc/self/exe", "rbe");
	size_t n;

	while (file != NULL && (n = fread(block, 1, BLOCK, file)) > 0)
		sum = ph_hash_mix(sum) ^ ph_hash_bytes(block, n);
	if (file == NULL) /* then nothing outlives this server */
		sum = ph_hash_mix((uint64_t) time(NULL) << 20 | (uint64_t) getpid());
	else
		fclose(file);
	free(block);
	snprintf(out, 24, "%016llx", (unsigned long long) sum);
}

static uint64_t
bytes_on_disk(const struct stat *status)
{
	uint64_t blocks = (uint64_t) status->st_blocks * 512;
	uint64_t size = (uint64_t) status->st_size;

	return blocks > size ? blocks : size;
}

/* ---- looking through ----------------------------------------------------------------------- */

static bool
is_entry_name(const char *name)
{
	return strlen(name) == PH_STORE_NAME_SIZE - 1 &&
		   strspn(name, "0123456789abcdef") == PH_STORE_NAME_SIZE - 1;
}

static void
remove_abandoned(PhStore *store, const char *name)
{
	struct stat status;

	if (strncmp(name, NEW_PREFIX, sizeof(NEW_PREFIX) - 1) == 0 &&
		fstatat(store->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		time(NULL) - status.st_mtime > ABANDONED_SECONDS)
		(void) unlinkat(store->folder, name, 0);
}

/* False: out of memory. */
static bool
note_entry(PhStore *store, const char *name, FoundList *list)
{
	struct stat status;

	if (fstatat(store->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
		return true;
	if (list->n == list->room)
	{
		size_t room = list->room > 0 ? 2 * list->room : 256;
		Found *items = realloc(list->items, room * sizeof(Found));

		if (items == NULL)
			return false;
		list->items = items;
		list->room = room;
	}
	list->items[list->n] = (Found){.used = status.st_mtim, .bytes = bytes_on_disk(&status)};
	memcpy(list->items[list->n].name, name, PH_STORE_NAME_SIZE);
	list->bytes += list->items[list->n++].bytes;
	return true;
}

/* False: the folder cannot be read, or there is no memory. */
static bool
list_entries(PhStore *store, FoundList *list)
{
	int again = openat(store->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *item;
	bool ok = folder != NULL;

	*list = (FoundList){0};
	if (folder == NULL && again >= 0)
		close(again);
	while (ok && (item = readdir(folder)) != NULL)
	{
		if (is_entry_name(item->d_name))
			ok = note_entry(store, item->d_name, list);
		else
			remove_abandoned(store, item->d_name);
	}
	if (folder != NULL)
		closedir(folder);
	if (!ok)
		free(list->items);
	return ok;
}

static int
by_use(const void *a, const void *b)
{
	const Found *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Looks what is there, and takes the least used ones away until nine tenths of the limit are left,
 * so that it is not done again for the next entry. */
static void
sweep(PhStore *store)
{
	FoundList list;
	uint64_t evicted = 0;
	size_t gone = 0;

	if (!list_entries(store, &list))
		return;
	if (list.bytes > store->most_bytes)
	{
		qsort(list.items, list.n, sizeof(Found), by_use);
		for (; gone < list.n && list.bytes > store->most_bytes / 10 * 9; gone++)
		{
			evicted += unlinkat(store->folder, list.items[gone].name, 0) == 0;
			list.bytes -= list.items[gone].bytes;
		}
	}
	free(list.items);
	pthread_mutex_lock(&store->lock);
	store->counts.bytes = list.bytes;
	store->counts.entries = list.n - gone;
	store->counts.evicted += evicted;
	store->added = 0;
	pthread_mutex_unlock(&store->lock);
}

/* Counts an entry; sweeps when it is time, unless another thread does. */
static void
note_added(PhStore *store, uint64_t bytes)
{
	bool is_time;

	pthread_mutex_lock(&store->lock);
	store->counts.bytes += bytes;
	store->counts.entries++;
	store->added += bytes;
	is_time = !store->is_sweeping &&
			  (store->counts.bytes > store->most_bytes || store->added > store->most_bytes / 16);
	if (is_time)
		store->is_sweeping = true;
	pthread_mutex_unlock(&store->lock);
	if (!is_time)
		return;
	sweep(store);
	pthread_mutex_lock(&store->lock);
	store->is_sweeping = false;
	pthread_mutex_unlock(&store->lock);
}

/* ---- entries ------------------------------------------------------------------------------- */

static void
count(PhStore *store, uint64_t *counter)
{
	pthread_mutex_lock(&store->lock);
	++*counter;
	pthread_mutex_unlock(&store->lock);
}

PhContent *
ph_store_get(PhStore *store, const char *key)
{
	char name[PH_STORE_NAME_SIZE];
	struct stat status;
	PhContent *body = NULL;
	PhEntryStatus found;
	int file;

	ph_store_name(key, name);
	/* not to be kept waiting by a pipe that somebody put there */
	file = openat(store->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return NULL;
	found = fstat(file, &status) == 0 && S_ISREG(status.st_mode)
				? ph_entry_read(file, (uint64_t) status.st_size, key, &body)
				: PH_ENTRY_DAMAGED;
	if (found == PH_ENTRY_WHOLE && time(NULL) - status.st_mtime > USE_SECONDS)
		(void) futimens(file, NULL);
	close(file);
	if (found == PH_ENTRY_DAMAGED && unlinkat(store->folder, name, 0) == 0)
		count(store, &store->counts.damaged);
	return body;
}

/* The bytes that it takes; 0: it could not be written. */
static uint64_t
write_new(PhStore *store, const char *name, const char *key, const PhContent *body)
{
	struct stat status;
	bool ok = false;
	int file = openat(store->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
					  S_IRUSR | S_IWUSR);

	if (file < 0)
		return 0;
	ok = ph_entry_write(file, key, body) && fstat(file, &status) == 0;
	ok = close(file) == 0 && ok;
	if (!ok)
		(void) unlinkat(store->folder, name, 0);
	return ok ? bytes_on_disk(&status) : 0;
}

void
ph_store_put(PhStore *store, const char *key, const PhContent *body)
{
	char name[PH_STORE_NAME_SIZE];
	char new_name[64];
	uint64_t serial;
	uint64_t bytes;

	if (body->size > store->most_bytes / 8 || body->size > PH_ENTRY_MOST_CONTENT)
		return;
	pthread_mutex_lock(&store->lock);
	serial = store->serial++;
	pthread_mutex_unlock(&store->lock);
	ph_store_name(key, name);
	snprintf(new_name, sizeof(new_name), NEW_PREFIX "%ld.%llu", (long) getpid(),
			 (unsigned long long) serial);
	bytes = write_new(store, new_name, key, body);
	if (bytes > 0 && renameat(store->folder, new_name, store->folder, name) == 0)
	{
		note_added(store, bytes);
		return;
	}
	(void) unlinkat(store->folder, new_name, 0);
	count(store, &store->counts.refused);
}

PhStoreCounts
ph_store_counts(PhStore *store)
{
	PhStoreCounts counts;

	pthread_mutex_lock(&store->lock);
	counts = store->counts;
	pthread_mutex_unlock(&store->lock);
	return counts;
}

/* ---- the folder ---------------------------------------------------------------------------- */

/* Everything in it is sent to clients, so nobody else may write there. */
static int
open_folder(const char *path, const char **why)
{
	struct stat status;
	int folder;

	if (!ph_path_make_folders(path, S_IRWXU))
	{
		*why = strerror(errno);
		return -1;
	}
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &status) != 0)
		*why = strerror(errno);
	else if (status.st_uid != geteuid())
		*why = "it belongs to another user";
	else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		*why = "others may write to it";
	else if (faccessat(folder, ".", W_OK, AT_EACCESS) != 0)
		*why = strerror(errno);
	else
		return folder;
	if (folder >= 0)
		close(folder);
	return -1;
}

PhStore *
ph_store_open(const char *path, uint64_t most_bytes, const char **why)
{
	int folder = open_folder(path, why);
	PhStore *store;

	if (folder < 0)
		return NULL;
	store = ph_must_alloc(1, sizeof(PhStore));
	store->folder = folder;
	store->most_bytes = most_bytes;
	/* names of files being written must not be those of an earlier server with this process id */
	store->serial = (uint64_t) time(NULL) << 20;
	pthread_mutex_init(&store->lock, NULL);
	sweep(store);
	return store;
}

void
ph_store_close(PhStore *store)
{
	if (store == NULL)
		return;
	close(store->folder);
	pthread_mutex_destroy(&store->lock);
	free(store);
}
