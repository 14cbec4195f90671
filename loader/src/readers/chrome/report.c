/*
 * report.c - errors with their place; what of a Chrome trace became no call, and which calls were
 * not as they should be.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdarg.h>
#include <stdio.h>

#include "readers/chrome/chrome.h"

PhStatus
ph_chrome_fail(const PhChrome *chrome, PhStatus status, const char *format, ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return ph_fail(chrome->spans.env, status, "%s: byte %llu: %s", ph_chrome_file(chrome)->path,
				   (unsigned long long) chrome->place, message);
}

static const char *const left_names[PH_LEFT_COUNT] = {
	[PH_LEFT_SYNCS] = "synchronisations of devices",
	[PH_LEFT_SHADOWS] = "annotations of devices",
	[PH_LEFT_COUNTER_RANGES] = "counter ranges of devices",
	[PH_LEFT_OVERHEAD] = "overheads of the profiler",
	[PH_LEFT_SPANS] = "spans of the profiler",
	[PH_LEFT_FLOWS] = "flows",
	[PH_LEFT_INSTANTS] = "instants",
	[PH_LEFT_COUNTERS] = "counters",
	[PH_LEFT_ASYNC] = "asynchronous events",
	[PH_LEFT_OTHERS] = "events of other kinds",
};

static const char *const findings[PH_CHROME_FINDINGS] = {
	[PH_CHROME_UNENDED] = "begin and have no end",
	[PH_CHROME_UNBEGUN] = "end and have no begin; they are left out",
	[PH_CHROME_OTHER_END] = "end by another name than they began with",
	[PH_CHROME_BACKWARDS] = "end before they begin; their length is taken as 0",
	[PH_CHROME_ENDLESS] = "have no duration; it is taken as 0",
	[PH_CHROME_CUT] = "crossed the end of the call around them and end there",
	[PH_CHROME_OVERLAPPED] =
		"overlap others of their thread or stream; they are on locations of their own",
};

/* "12 flows, 3 instants" */
static PhStatus
set_left(PhChrome *chrome, PhRunInput *run)
{
	char text[1024] = "";
	size_t used = 0;

	for (int i = 0; i < PH_LEFT_COUNT; i++)
	{
		if (chrome->left[i] > 0)
			used += (size_t) snprintf(text + used, sizeof(text) - used, "%s%llu %s",
									  used > 0 ? ", " : "", (unsigned long long) chrome->left[i],
									  left_names[i]);
	}
	return used == 0 ? PH_OK
					 : ph_meta_set(chrome->spans.env, &run->meta, "chrome.left_out", text, false);
}

static PhStatus
set_start(PhChrome *chrome, PhRunInput *run)
{
	int64_t epoch = chrome->spans.source.model.epoch_ns;
	char text[48];

	if (epoch == PH_NO_TIME)
		return PH_OK;
	snprintf(text, sizeof(text), "%lld.%09lld", (long long) (epoch / 1000000000),
			 (long long) (epoch % 1000000000));
	return ph_meta_set(chrome->spans.env, &run->meta, "started_at", text, true);
}

/* Ranks of the job whose files are not here. */
static PhStatus
warn_of_ranks(PhChrome *chrome, PhRunInput *run)
{
	int64_t world = chrome->files.items[0].world_size;

	if (world <= run->n_ranks)
		return PH_OK;
	return ph_run_warn(chrome->spans.env, run, "The job has %lld ranks; files of %d are here.",
					   (long long) world, run->n_ranks);
}

PhStatus
ph_chrome_report(PhChrome *chrome, PhRunInput *run)
{
	PH_TRY(warn_of_ranks(chrome, run));
	PH_TRY(ph_span_source_warn_of_clocks(&chrome->spans, run));
	for (int i = 0; i < PH_CHROME_FINDINGS; i++)
	{
		if (chrome->findings[i] > 0)
			PH_TRY(ph_run_warn(chrome->spans.env, run, "%llu calls %s.",
							   (unsigned long long) chrome->findings[i], findings[i]));
	}
	PH_TRY(set_left(chrome, run));
	return set_start(chrome, run);
}
