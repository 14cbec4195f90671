/*
 * upkeep.h - what has to be done to many stored runs, one after the other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_UPKEEP_H
#define PH_COMMANDS_UPKEEP_H

#include "database/pq.h"

typedef struct PhUpkeepTask
{
	const char *label;	  /* of the bar, and of messages: "converting" */
	const char *list_sql; /* the runs, in the first field */
	const char *sql;	  /* does it to run $1 */
} PhUpkeepTask;

/*
 * Runs that an older release stored; results that another version of their method stored: those
 * that readers refuse, and pyramids, blame and efficiencies, which they do without.
 */
extern const PhUpkeepTask ph_upkeep_convert;
extern const PhUpkeepTask ph_upkeep_remake;
extern const PhUpkeepTask ph_upkeep_pyramids;
extern const PhUpkeepTask ph_upkeep_blame;
extern const PhUpkeepTask ph_upkeep_efficiencies;

typedef struct PhUpkeepCount
{
	size_t n_found;
	size_t n_done;
	PhExit failure; /* of the first run that could not be done */
} PhUpkeepCount;

/*
 * Each run in a transaction of its own, so that an interrupt or a kill loses one of them at most
 * and the next call goes on. A run that cannot be done is reported and does not stop the others.
 */
PhExit ph_upkeep(PhConnection *connection, const PhUpkeepTask *task, PhUpkeepCount *count);

#endif
