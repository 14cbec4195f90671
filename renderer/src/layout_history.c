/*
 * layout_history.c - where panels, runs and labels of histories go.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "history.h"
#include "need.h"

#define PANEL_HEIGHT 190.0
#define SINGLE_HEIGHT 420.0
#define HASH_HEIGHT 34.0 /* labels of commits below the lowest panels */

const char *
ph_history_name(const PhHistoryPanel *panel)
{
	const char *slash = panel->is_path ? strrchr(panel->label, '/') : NULL;

	return slash && slash[1] != '\0' ? slash + 1 : panel->label;
}

static uint32_t
columns_for(uint32_t n, double width)
{
	uint32_t most = (uint32_t) fmax(floor(width / 270), 1);
	uint32_t columns = n <= 1 ? 1 : n <= 4 ? 2 : n <= 9 ? 3 : 4;

	return columns < most ? columns : most;
}

PhHistoryGrid
ph_history_grid(uint32_t n, double width, double height)
{
	PhHistoryGrid grid = {.columns = columns_for(n, width)};

	grid.rows = n > 0 ? (n + grid.columns - 1) / grid.columns : 0;
	grid.width = width / grid.columns;
	grid.height = grid.rows > 0 ? (height - HASH_HEIGHT) / grid.rows : 0;
	return grid;
}

double
ph_history_height(const PhHistory *history)
{
	/* the width of the default picture decides: a caller's width only changes the columns */
	PhHistoryGrid grid = ph_history_grid(history->n_panels, 1152, 0);

	return HASH_HEIGHT + (history->n_panels == 1 ? SINGLE_HEIGHT : grid.rows * PANEL_HEIGHT);
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
