/*
 * report.c - what was repaired, inferred or is not there, as warnings and metadata.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"
#include "readers/input.h"
#include "readers/tasks/source.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct FindingText
{
	const char *key;  /* of the metadata */
	const char *what; /* behind the number, in a warning; NULL: metadata only */
	bool has_place;
} FindingText;

static const FindingText texts[PH_TASK_FINDINGS] = {
	[PH_FOUND_STALE] = {"stale_receives",
						"received messages have numbers that no sender has; they have no sender",
						false},
	[PH_FOUND_FOREIGN] = {"foreign_senders",
						  "received messages name a sender that the run does not have", false},
	[PH_FOUND_REPEATED] = {"repeated_receives",
						   "messages are received again by the same object; the first counts",
						   false},
	[PH_FOUND_EARLY] = {"early_receives",
						"received messages are dropped that one clock puts before their sends",
						false},
	[PH_FOUND_UNENDED] = {"unended", "blocks or calls have no end; they end with what follows",
						  true},
	[PH_FOUND_UNBEGUN] = {"unbegun", "ends of what did not begin are left out", true},
	[PH_FOUND_OTHER_END] = {"other_ends", "blocks end as another entry method than they began",
							true},
	[PH_FOUND_BACKWARDS] = {"backwards", "times run backwards; they were moved forwards", true},
	[PH_FOUND_CUT_LOG] = {"cut_logs", "logs end too early", true},
	[PH_FOUND_OUTSIDE] = {"outside_sends", NULL, true},
	[PH_FOUND_UNKNOWN] = {"other_records", NULL, true},
	[PH_FOUND_UNNAMED_EVENT] = {"unnamed_events", "user events have no name", true},
	[PH_FOUND_REDUCTION] = {"reduction_messages", NULL, false},
};

static PhStatus
warn(PhEnv *env, const PhTaskSource *tasks, PhTaskFinding finding, PhRunInput *run)
{
	const PhFindings *findings = &tasks->findings;
	uint32_t location = findings->location[finding];
	char worst[64] = "";

	if (finding == PH_FOUND_BACKWARDS)
		snprintf(worst, sizeof(worst), ", by up to %.1f us",
				 (double) findings->worst_backwards * 1e-3);
	if (!texts[finding].has_place)
		return ph_run_warn(env, run, "%" PRIu64 " %s (the first on %s).", findings->n[finding],
						   texts[finding].what, tasks->source.model.locations[location].name);
	return ph_run_warn(env, run, "%" PRIu64 " %s%s (the first: %s, %s %" PRIu64 ").",
					   findings->n[finding], texts[finding].what, worst,
					   tasks->parts[location].path, tasks->parts[location].place,
					   findings->number[finding]);
}

static PhStatus
set_number(PhEnv *env, const char *prefix, const char *key, uint64_t value, PhRunInput *run)
{
	char name[64];
	char number[24];

	snprintf(name, sizeof(name), "%s.%s", prefix, key);
	snprintf(number, sizeof(number), "%" PRIu64, value);
	return ph_meta_set(env, &run->meta, name, number, true);
}

/* Of the input itself, not of what it says. */
static PhStatus
note_cut_logs(PhEnv *env, const PhTaskSource *tasks, PhRunInput *run)
{
	const PhFindings *findings = &tasks->findings;

	return ph_run_missing(env, run,
						  "%" PRIu64
						  " of %u logs do not end with the end of the computation (the first: %s)",
						  findings->n[PH_FOUND_CUT_LOG], tasks->source.model.n_locations,
						  tasks->parts[findings->location[PH_FOUND_CUT_LOG]].path);
}

PhStatus
ph_task_report(PhEnv *env, const PhTaskSource *tasks, const char *prefix, PhRunInput *run)
{
	for (int i = 0; i < PH_TASK_FINDINGS; i++)
	{
		uint64_t n = tasks->findings.n[i];

		if (n == 0)
			continue;
		PH_TRY(set_number(env, prefix, texts[i].key, n, run));
		if (i == PH_FOUND_CUT_LOG)
			PH_TRY(note_cut_logs(env, tasks, run));
		else if (texts[i].what != NULL)
			PH_TRY(warn(env, tasks, (PhTaskFinding) i, run));
	}
	return PH_OK;
}
