/*
 * event.h - one event of a Chrome trace, as it stands in the file.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CHROME_EVENT_H
#define PH_READERS_CHROME_EVENT_H

#include "readers/chrome/scan.h"

/* The members that are read, by their names; of a kind PH_SCAN_ABSENT where the event has none. */
typedef struct PhChromeEvent
{
	PhScanValue ph, cat, name, pid, tid, ts, dur, args;
} PhChromeEvent;

/* An event's object from its opening bracket on. Of a member that stands twice the last one counts.
 */
bool ph_chrome_scan_event(PhScan *scan, PhChromeEvent *out);

#endif
