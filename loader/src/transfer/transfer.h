/*
 * transfer.h - runs from one warehouse to another, as they are stored.
 *
 * A run's rows are streamed from one connection to the other, table by table, with the numbers of
 * runs and metrics that the other warehouse gives them; functions and call paths have the same
 * identity in both. A batch of runs is one transaction there and one moment here: what is
 * interrupted leaves whole batches, and who goes on skips what is there, which is known by its
 * content (fingerprint, repeat, project).
 *
 * What is hidden is replaced by pseudonyms that a salt makes, or left out, before it leaves this
 * program. Hidden paths change the identity of functions that name them: then call paths get the
 * identity that they would have had, had they been loaded so.
 *
 * Errors are logged where they happen; functions return their exit codes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRANSFER_TRANSFER_H
#define PH_TRANSFER_TRANSFER_H

#include "database/pq.h"
#include "hiding/hiding.h"

typedef struct PhTransfer PhTransfer;

typedef struct PhTransferPlan
{
	PhConnection *from, *to;
	const char *origin; /* what the other warehouse notes of where a run came from */
	PhHiding hiding;
	/* A run has been copied, under that number. */
	void (*copied)(void *user, int64_t run, int64_t number, const char *label);
	void *user;
} PhTransferPlan;

typedef struct PhTransferCounts
{
	size_t copied, present;
} PhTransferCounts;

PhTransfer *ph_transfer_new(const PhTransferPlan *plan);
void ph_transfer_free(PhTransfer *transfer);

/* Some runs, in ascending order; those that are no longer there are passed over. */
PhExit ph_transfer_runs(PhTransfer *transfer, const int64_t *runs, size_t n);

/* After the runs: the commits of their repositories, and unless something is hidden what people
 * said of their applications and regressions; then what loads bring up to date. */
PhExit ph_transfer_finish(PhTransfer *transfer);

PhTransferCounts ph_transfer_counts(const PhTransfer *transfer);

#endif
