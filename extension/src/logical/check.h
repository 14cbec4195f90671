/*
 * check.h - is the stored logical structure of a run sound?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CHECK_H
#define PH_LOGICAL_CHECK_H

#include "postgres.h"

/* Under SPI_connect: has the run any? */
bool ph_run_has_logical(int64 run_id);

/* Under SPI_connect: counts compared, every chunk decoded. What is wrong first, in the current
 * memory; NULL: nothing. */
char *ph_check_logical(int64 run_id);

#endif
