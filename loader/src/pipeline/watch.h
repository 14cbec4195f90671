/*
 * watch.h - load what appears in spool folders, until interrupted.
 *
 * What is complete is loaded; content that the warehouse has is skipped by its fingerprint, so that
 * nothing need be moved and a restart repeats nothing. An input that is incomplete or malformed may
 * still be written by somebody who pauses: it has failed when it does not change for longer. An
 * input that fails is reported and left until it changes. While the database is away, nothing is
 * lost: the loads are tried again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_WATCH_H
#define PH_PIPELINE_WATCH_H

#include "pipeline/load.h"
#include "system/exit_codes.h"

typedef struct PhWatch
{
	const char *const *folders;
	size_t n_folders;
	int64_t settle_ns;	 /* unchanged for so long: it is read */
	int64_t patience_ns; /* unchanged for so long: what it lacks will not come */
	const char *done;	 /* where units go whose inputs are in the warehouse; NULL: they stay */
	const char *failed;	 /* where units go of which an input failed; NULL: they stay */
	bool json;
	bool ignore_unknown;
	bool search;			   /* for regressions, when nothing is left to load */
	const char *db;			   /* as ph_warehouse_open takes it */
	PhConnection **connection; /* where options->open finds one to copy; opened and replaced */
	const PhLoadOptions *options;
} PhWatch;

/* Prints a line an input and a summary. OK when no input failed, else PH_EXIT_ERROR. */
PhExit ph_load_watch(PhEnv *env, const PhWatch *watch);

#endif
