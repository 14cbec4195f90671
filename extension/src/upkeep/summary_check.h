/*
 * summary_check.h - are the stored blocks of a run's summaries what they should be?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_UPKEEP_SUMMARY_CHECK_H
#define PH_UPKEEP_SUMMARY_CHECK_H

#include "postgres.h"

#include "profile/profile.h"
#include "server/pgenv.h"

/*
 * Under SPI_connect: unpack every block; tree is the run's, sound. Returns what is wrong with the
 * first that is not of the tree and a metric of the run, in the current context; NULL: nothing.
 */
char *ph_check_summary_blocks(int64 run_id, const PhProfile *tree, PhScratch *scratch);

#endif
