/*
 * writer.h - computed logical structure into the warehouse's tables.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_WRITER_H
#define PH_LOGICAL_WRITER_H

#include "logical/compute.h"

/*
 * Lock the run's row until the end of the transaction, so that others neither assign its steps nor
 * remove it meanwhile. PH002 when it is gone.
 */
void ph_logical_lock(int64 run_id);

/* Replace what is stored of the run; under SPI_connect and the lock. Returns its row as jsonb. */
Datum ph_logical_write(PhLogicalRun *run, double seconds);

#endif
