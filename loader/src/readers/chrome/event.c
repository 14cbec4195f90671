/*
 * event.c - see event.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/chrome/event.h"

/* Where the value of a member goes; NULL: it is not read. */
static PhScanValue *
place_of(PhChromeEvent *event, const PhScanValue *key)
{
	const char *text = key->text;

	if (key->is_escaped)
		return NULL;
	switch (key->size)
	{
		case 2:
			if (memcmp(text, "ph", 2) == 0)
				return &event->ph;
			return memcmp(text, "ts", 2) == 0 ? &event->ts : NULL;
		case 3:
			if (memcmp(text, "cat", 3) == 0)
				return &event->cat;
			if (memcmp(text, "pid", 3) == 0)
				return &event->pid;
			if (memcmp(text, "tid", 3) == 0)
				return &event->tid;
			return memcmp(text, "dur", 3) == 0 ? &event->dur : NULL;
		case 4:
			if (memcmp(text, "name", 4) == 0)
				return &event->name;
			return memcmp(text, "args", 4) == 0 ? &event->args : NULL;
		default:
			return NULL;
	}
}

bool
ph_chrome_scan_event(PhScan *scan, PhChromeEvent *out)
{
	bool first = true;
	bool more;
	PhScanValue key, value;

	*out = (PhChromeEvent){0};
	if (!ph_scan_take(scan, '{', "expected an event"))
		return false;
	while (ph_scan_member(scan, &first, &more, &key))
	{
		PhScanValue *place;

		if (!more)
			return true;
		if (!ph_scan_value(scan, &value))
			return false;
		place = place_of(out, &key);
		if (place != NULL)
			*place = value;
	}
	return false;
}
