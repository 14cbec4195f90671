/*
 * spool.h - folders in which inputs appear: what is there, what of it is complete, what is done.
 *
 * Every file or folder directly in a spool folder is a unit, complete when nothing in it has
 * changed for a while (sizes, times and names of its files, however deep). inotify wakes early
 * where it works; a look every few seconds finds the rest (network file systems).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_SPOOL_H
#define PH_PIPELINE_SPOOL_H

#include "base/env.h"

/* An input of a unit that needs no more work until it changes. */
typedef struct PhSpoolInput
{
	char *path;
	uint64_t stamp;
} PhSpoolInput;

typedef struct PhSpoolUnit
{
	char *path;
	uint64_t stamp;
	int64_t since;	 /* when it was first seen as it is now; ns */
	int64_t until;	 /* not due before, unless it changes; ns */
	bool is_handled; /* as it is now */
	PhSpoolInput *inputs;
	size_t n_inputs;
} PhSpoolUnit;

typedef struct PhSpool
{
	PhEnv *env; /* for errors */
	const char *const *folders;
	size_t n_folders;
	const char *skipped[3]; /* what in them holds no inputs; NULL: nothing */
	int64_t settle_ns;
	int inotify;		/* -1: not available */
	PhSpoolUnit *units; /* by folder, then by name */
	size_t n_units;
} PhSpool;

void ph_spool_init(PhSpool *spool, PhEnv *env, const char *const *folders, size_t n_folders,
				   int64_t settle_ns);
void ph_spool_free(PhSpool *spool);

/* Look again. PH_ERR_UNREADABLE, PH_ERR_NOT_FOUND: a folder cannot be listed. */
PhStatus ph_spool_scan(PhSpool *spool) PH_MUST_CHECK;

/* Not handled and unchanged for long enough. */
bool ph_spool_is_due(const PhSpool *spool, const PhSpoolUnit *unit);

/*
 * What of it was looked at may not be all yet: it is due again when it changes, or has not changed
 * for so long. False: it has not, nothing more will come.
 */
bool ph_spool_wait_for(PhSpoolUnit *unit, int64_t patience_ns);

/* Was this input of the unit handled as it is now? */
bool ph_spool_knows(const PhSpoolUnit *unit, const char *path, uint64_t stamp);

/* Remember that. */
void ph_spool_remember(PhSpoolUnit *unit, const char *path, uint64_t stamp);

/* Until something changes, a unit may be complete, or a few seconds have passed; an interrupt ends
 * it early. */
void ph_spool_wait(const PhSpool *spool);

/* Move the unit into a folder, under its name or that with a number. False with a warning. */
bool ph_spool_move(const PhSpool *spool, const PhSpoolUnit *unit, const char *folder);

#endif
