/*
 * export_otf2.h - a run's trace as an OTF2 archive, with its logical time as attributes of events.
 *
 * All that the warehouse keeps is written, in the order and by the numbers that it has: loaded
 * again, an archive gives the same answers. The ENTER of a call that communicates has phase, step,
 * lateness and differential lateness of its event; its LEAVE those of its last one (a Sendrecv is
 * two). Needs assigned logical steps.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_OTF2_H
#define PH_REPORTS_EXPORT_OTF2_H

#include "database/pq.h"

/* folder/traces.otf2 and what belongs to it; the folder must not exist yet. Failures are logged. */
PhExit ph_export_otf2(PhConnection *connection, int64_t run_id, const char *folder);

#endif
