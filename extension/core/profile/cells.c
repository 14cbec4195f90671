/*
 * cells.c - see cells.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/cells.h"

PhStatus
ph_presence_add(PhPresence *presence, uint32_t node, uint32_t first, uint32_t n)
{
	uint32_t count = presence->runs.count;
	PhPresentRun *last = count > 0 ? &presence->runs.items[count - 1] : NULL;
	if (n == 0)
		return PH_OK;
	/* neighbours that come one after the other are one run */
	if (last != NULL && last->node == node && last->first + last->n == first)
	{
		last->n += n;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(presence->arena, &presence->runs));
	presence->runs.items[presence->runs.count++] = (PhPresentRun){node, first, n};
	return PH_OK;
}
