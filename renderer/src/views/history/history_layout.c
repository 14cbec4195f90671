/*
 * history_layout.c - where panels, runs and labels of histories go.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "views/history/history.h"

#define PANEL_HEIGHT 190.0

double
ph_history_height(const PhHistory *history, double width)
{
	return ph_grid_height(history->n_panels, width, PANEL_HEIGHT, PH_HISTORY_BELOW);
}

bool *
ph_history_labelled(PhArena *arena, uint32_t n, double step, double room, const bool *wanted)
{
	bool *labelled = ph_need(arena, n, sizeof(bool));
	uint32_t apart = step > 0 ? (uint32_t) ceil(room / step) : n;
	uint32_t last = 0;

	apart = apart > 1 ? apart : 1;
	for (uint32_t pass = 0; pass < 2; pass++)
	{
		bool any = false;

		for (uint32_t i = 0; i < n; i++)
		{
			bool free = !any || i - last >= apart;

			if (labelled[i])
			{
				last = i;
				any = true;
				continue;
			}
			for (uint32_t k = i + 1; free && k < n && k - i < apart; k++)
				free = !labelled[k];
			if (!free || (pass == 0 && !wanted[i]))
				continue;
			labelled[i] = true;
			last = i;
			any = true;
		}
	}
	return labelled;
}
