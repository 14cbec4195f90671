/*
 * groups.c - process groups of PyTorch as communicators of the trace.
 *
 * Kernels of collectives tell the ranks of their group: as a list, which is cut where there are
 * many, else as the first, a stride and how many.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/name_set.h"
#include "readers/chrome/chrome.h"

/* "[0, 1, 2]"; false: it is cut or no list of ranks. Ranks that have no file are left out. */
static bool
read_ranks(const char *text, const PhTraceModel *model, int64_t size, PhTraceCommunicator *out,
		   uint32_t *members)
{
	PhScan scan = {.at = (const uint8_t *) text, .end = (const uint8_t *) text + strlen(text)};
	bool first = true, more;
	int64_t n = 0, rank;
	PhScanValue item;

	out->n_members = 0;
	if (!ph_scan_take(&scan, '[', ""))
		return false;
	while (ph_scan_item(&scan, &first, &more) && more)
	{
		if (!ph_scan_value(&scan, &item) || !ph_scan_integer(&item, &rank))
			return false;
		if (rank >= 0 && rank < model->n_ranks && out->n_members < model->n_ranks)
			members[out->n_members++] = (uint32_t) rank;
		n++;
	}
	return size == 0 || n == size;
}

static void
count_ranks(const PhChromeGroup *group, const PhTraceModel *model, PhTraceCommunicator *out,
			uint32_t *members)
{
	out->n_members = 0;
	if (group->first < 0 || group->stride <= 0)
		return;
	for (int64_t i = 0; i < group->size && group->first < model->n_ranks; i++)
	{
		int64_t rank = group->first + i * group->stride;

		if (rank >= model->n_ranks || group->stride > model->n_ranks)
			break;
		members[out->n_members++] = (uint32_t) rank;
	}
}

/* The list, its text where the group has no name. */
static PhStatus
describe_group(PhChrome *chrome, const PhChromeGroup *group, PhTraceCommunicator *out)
{
	const PhTraceModel *model = &chrome->spans.source.model;
	PhArena *arena = &chrome->spans.arena;
	const char *name = chrome->strings.text[group->name != 0 ? group->name : group->ranks];
	uint32_t *members;

	*out = (PhTraceCommunicator){.parent = PH_NONE};
	PH_TRY(ph_arena_printf(arena, &out->name, "process group %s", name));
	PH_TRY(PH_NEW(arena, model->n_ranks, &members));
	if (group->ranks == 0 ||
		!read_ranks(chrome->strings.text[group->ranks], model, group->size, out, members))
		count_ranks(group, model, out, members);
	out->members = members;
	return PH_OK;
}

PhStatus
ph_chrome_make_groups(PhChrome *chrome)
{
	PhTraceModel *model = &chrome->spans.source.model;
	const PhChromeGroup *groups = (const PhChromeGroup *) (const void *) chrome->groups.bytes;
	uint32_t n = chrome->groups.count;

	if (n > PH_MOST_SPAN_COMMUNICATORS)
		n = PH_MOST_SPAN_COMMUNICATORS;
	PH_TRY(PH_NEW(&chrome->spans.arena, n, &model->communicators));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(describe_group(chrome, &groups[i], &model->communicators[i]));
	model->n_communicators = n;
	return PH_OK;
}
