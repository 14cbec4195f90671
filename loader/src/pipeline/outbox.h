/*
 * outbox.h - loads that wait for their database: a folder with copies of their inputs.
 *
 * A load in the outbox is a folder, one a load, which appears by a rename when all of it is there:
 *   words           what `perfhouse load` is told, each word ended by a NUL; files by names below
 *   environment     NAME=VALUE of the batch job that put it there, each ended by a NUL
 *   0/NAME, 1/...   copies of the files that words name
 * Delivering one again is harmless: the warehouse knows its content.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_OUTBOX_H
#define PH_PIPELINE_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "system/exit_codes.h"

/* A word of a load. */
typedef struct PhOutboxWord
{
	const char *text;  /* a word, or a file or folder that is copied and then named */
	bool is_file;	   /* it is that */
	bool needs_folder; /* of a file: what lies beside it belongs to it and is copied, too */
} PhOutboxWord;

/* Does this end of a load mean that another day may do better: no database, no rights, no room? */
bool ph_outbox_should_wait(PhExit code);

/* Copies the load into the outbox, which is made where it is missing. Logs its own errors. */
PhExit ph_outbox_put(const char *outbox, const PhOutboxWord *words, size_t n);

typedef struct PhOutboxCounts
{
	size_t delivered, failed, waiting;
} PhOutboxCounts;

/*
 * Delivers, in the order in which they came, the loads that this user put there; prints a line a
 * load. What the warehouse refuses goes to the folder failed, with a file log. What a deadlock or a
 * crash ended is tried again, a few times. The exit code is that of the first load that has to
 * wait; one that was killed or could not be started has to. It ends all, unless it was for want of
 * memory, or killed, which keeps no other from being delivered. db: NULL, as commands find it.
 * Another process that delivers is left to do so: OK.
 */
PhExit ph_outbox_flush(const char *outbox, const char *db, PhOutboxCounts *counts);

/* Prints a line a load: name, bytes of its inputs, and whether it failed. */
PhExit ph_outbox_list(const char *outbox);

#endif
