/*
 * spool.c - see spool.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/spool.h"

#include <errno.h>
#include <fts.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "pipeline/given.h"
#include "readers/experiment_folder.h"
#include "readers/input.h"
#include "readers/source.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"

#define LOOK_EVERY_NS (INT64_C(5) * 1000000000)
#define SLICE_MS 200 /* interrupts are noticed that soon */
#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM)
#define MOST_NAMES 1000

void
ph_spool_init(PhSpool *spool, PhEnv *env, const char *const *folders, size_t n_folders,
			  int64_t settle_ns)
{
	*spool = (PhSpool){.env = env,
					   .folders = folders,
					   .n_folders = n_folders,
					   .settle_ns = settle_ns,
					   .inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
}

static void
free_unit(PhSpoolUnit *unit)
{
	for (size_t i = 0; i < unit->n_inputs; i++)
		free(unit->inputs[i].path);
	free(unit->inputs);
	free(unit->path);
}

void
ph_spool_free(PhSpool *spool)
{
	for (size_t i = 0; i < spool->n_units; i++)
		free_unit(&spool->units[i]);
	free(spool->units);
	if (spool->inotify >= 0)
		close(spool->inotify);
}

/* ---- looking ---- */

/* Watching what is watched already changes nothing; where it fails, looking again finds it. */
static void
watch_folder(const PhSpool *spool, const char *path)
{
	if (spool->inotify >= 0)
		(void) inotify_add_watch(spool->inotify, path, EVENTS);
}

/* A number of all that tells one state of a file from another. */
static uint64_t
stamp_of_file(const FTSENT *file)
{
	const struct stat *status = file->fts_statp;
	uint64_t parts[5] = {ph_hash_bytes(file->fts_path, strlen(file->fts_path)),
						 (uint64_t) status->st_size, (uint64_t) status->st_mtim.tv_sec,
						 (uint64_t) status->st_mtim.tv_nsec, (uint64_t) status->st_ino};

	return ph_hash_bytes(parts, sizeof(parts));
}

/* Of everything below path; what cannot be read does not count. */
static uint64_t
stamp_of_unit(const PhSpool *spool, char *path)
{
	char *roots[] = {path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t stamp = 1;
	FTSENT *file;

	while (walk != NULL && (file = fts_read(walk)) != NULL)
	{
		if (file->fts_info == FTS_D)
			watch_folder(spool, file->fts_path);
		else if (file->fts_info == FTS_F || file->fts_info == FTS_SL)
			stamp += stamp_of_file(file);
	}
	if (walk != NULL)
		fts_close(walk);
	return stamp;
}

static bool
is_skipped(const PhSpool *spool, const char *path)
{
	struct stat here, there;

	if (ph_is_sidecar(path))
		return true;
	for (size_t i = 0; i < 3; i++)
		if (spool->skipped[i] != NULL && stat(path, &here) == 0 &&
			stat(spool->skipped[i], &there) == 0 && here.st_dev == there.st_dev &&
			here.st_ino == there.st_ino)
			return true;
	return false;
}

/* Units of the look before; most are found again in the same order. */
typedef struct Before
{
	PhSpoolUnit *units;
	size_t n;
	size_t next;
} Before;

/* What was known of the unit at path, taken over. */
static PhSpoolUnit
take_known(Before *before, char *path)
{
	for (size_t i = 0; i < before->n; i++)
	{
		size_t place = (before->next + i) % before->n;
		PhSpoolUnit unit = before->units[place];

		if (unit.path == NULL || strcmp(unit.path, path) != 0)
			continue;
		free(path);
		before->units[place] = (PhSpoolUnit){0};
		before->next = place + 1;
		return unit;
	}
	return (PhSpoolUnit){.path = path};
}

static void
look_at(PhSpool *spool, Before *before, char *path)
{
	PhSpoolUnit unit = take_known(before, path);
	uint64_t stamp = stamp_of_unit(spool, unit.path);

	if (stamp != unit.stamp)
	{
		unit.stamp = stamp;
		unit.since = ph_now_ns();
		unit.until = 0;
		unit.is_handled = false;
	}
	spool->units[spool->n_units++] = unit;
}

static PhStatus
scan_folder(PhSpool *spool, Before *before, const char *folder)
{
	PhFolder found;

	watch_folder(spool, folder);
	PH_TRY(ph_folder_open(spool->env, folder, NULL, &found));
	spool->units =
		ph_must_resize(spool->units, spool->n_units + (size_t) found.n + 1, sizeof(*spool->units));
	for (int i = 0; i < found.n; i++)
	{
		char *path = ph_format("%s/%s", folder, found.entries[i]->d_name);

		if (is_skipped(spool, path))
			free(path);
		else
			look_at(spool, before, path);
	}
	ph_folder_close(&found);
	return PH_OK;
}

PhStatus
ph_spool_scan(PhSpool *spool)
{
	Before before = {.units = spool->units, .n = spool->n_units};
	PhStatus status = PH_OK;

	spool->units = NULL;
	spool->n_units = 0;
	for (size_t i = 0; i < spool->n_folders && status == PH_OK; i++)
		status = scan_folder(spool, &before, spool->folders[i]);
	for (size_t i = 0; i < before.n; i++)
		free_unit(&before.units[i]);
	free(before.units);
	return status;
}

/* ---- units ---- */

static int64_t
due_time(const PhSpool *spool, const PhSpoolUnit *unit)
{
	return PH_MAX(unit->since + spool->settle_ns, unit->until);
}

bool
ph_spool_is_due(const PhSpool *spool, const PhSpoolUnit *unit)
{
	return !unit->is_handled && ph_now_ns() >= due_time(spool, unit);
}

bool
ph_spool_wait_for(PhSpoolUnit *unit, int64_t patience_ns)
{
	if (ph_now_ns() - unit->since >= patience_ns)
		return false;
	unit->until = unit->since + patience_ns;
	unit->is_handled = false;
	return true;
}

bool
ph_spool_knows(const PhSpoolUnit *unit, const char *path, uint64_t stamp)
{
	for (size_t i = 0; i < unit->n_inputs; i++)
		if (unit->inputs[i].stamp == stamp && strcmp(unit->inputs[i].path, path) == 0)
			return true;
	return false;
}

void
ph_spool_remember(PhSpoolUnit *unit, const char *path, uint64_t stamp)
{
	for (size_t i = 0; i < unit->n_inputs; i++)
	{
		if (strcmp(unit->inputs[i].path, path) == 0)
		{
			unit->inputs[i].stamp = stamp;
			return;
		}
	}
	unit->inputs = ph_must_resize(unit->inputs, unit->n_inputs + 1, sizeof(*unit->inputs));
	unit->inputs[unit->n_inputs++] = (PhSpoolInput){ph_strdup(path), stamp};
}

/* Is another input of the spool described by this sidecar? */
static bool
is_shared(const PhSpool *spool, const PhSpoolUnit *unit, const char *sidecar)
{
	bool found = false;

	for (size_t i = 0; i < spool->n_units && !found; i++)
	{
		const char *path = spool->units[i].path;
		char *other =
			&spool->units[i] != unit && access(path, F_OK) == 0 ? ph_sidecar_of(path) : NULL;

		found = other != NULL && strcmp(other, sidecar) == 0;
		free(other);
	}
	return found;
}

/* What was said about the input goes with it; the last of those that share it takes it. */
static void
move_sidecar(const char *from, bool is_shared, const char *target)
{
	char *to = ph_format("%s" PH_SIDECAR, target);
	int status = is_shared ? link(from, to) : rename(from, to);

	if (status != 0 && errno != ENOENT)
		ph_log_warning("%s: cannot move it to %s: %s", from, to, strerror(errno));
	free(to);
}

bool
ph_spool_move(const PhSpool *spool, const PhSpoolUnit *unit, const char *folder)
{
	char *sidecar = ph_sidecar_of(unit->path);
	const char *name = strrchr(unit->path, '/') + 1;
	int error = EEXIST;

	for (int i = 1; i <= MOST_NAMES && error == EEXIST; i++)
	{
		char *target =
			i == 1 ? ph_format("%s/%s", folder, name) : ph_format("%s/%s.%d", folder, name, i);
		struct stat status;

		if (lstat(target, &status) != 0)
			error = rename(unit->path, target) == 0 ? 0 : errno;
		if (error == 0)
			move_sidecar(sidecar, is_shared(spool, unit, sidecar), target);
		free(target);
	}
	if (error != 0)
		ph_log_warning("%s: cannot move it to %s: %s", unit->path, folder, strerror(error));
	free(sidecar);
	return error == 0;
}

/* ---- waiting ---- */

/* Until a unit that waits may be complete, but not long. */
static int64_t
time_to_look(const PhSpool *spool)
{
	int64_t now = ph_now_ns();
	int64_t until = now + LOOK_EVERY_NS;

	for (size_t i = 0; i < spool->n_units; i++)
	{
		int64_t due = due_time(spool, &spool->units[i]);

		if (!spool->units[i].is_handled && due < until)
			until = due;
	}
	return PH_MAX(until, now);
}

/* True when there were any. */
static bool
take_events(const PhSpool *spool)
{
	char buffer[4096];
	bool any = false;

	while (spool->inotify >= 0 && read(spool->inotify, buffer, sizeof(buffer)) > 0)
		any = true;
	return any;
}

void
ph_spool_wait(const PhSpool *spool)
{
	int64_t until = time_to_look(spool);
	struct pollfd entry = {.fd = spool->inotify, .events = POLLIN};

	while (!ph_interrupted() && ph_now_ns() < until)
	{
		int64_t left_ms = (until - ph_now_ns()) / 1000000 + 1;

		(void) poll(&entry, spool->inotify >= 0 ? 1 : 0,
					left_ms < SLICE_MS ? (int) left_ms : SLICE_MS);
		if (take_events(spool))
			return;
	}
}
