/*
 * cells.c - see cells.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/cells.h"

PhStatus
ph_presence_add(PhPresence *presence, uint32_t node, uint32_t first, uint32_t n)
{
	PhPresentRun *last = presence->runs.items + presence->runs.count;
	if (n == 0)
		return PH_OK;
	/* neighbours that come one after the other are one run */
	if (presence->runs.count > 0 && last[-1].node == node && last[-1].first + last[-1].n == first)
	{
		last[-1].n += n;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(presence->arena, &presence->runs));
	presence->runs.items[presence->runs.count++] = (PhPresentRun){node, first, n};
	return PH_OK;
}
