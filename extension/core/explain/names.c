/*
 * names.c - the closed lists of explain.h as text.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/explain.h"

const char *
ph_shape_name(PhShape shape)
{
	static const char *const names[PH_SHAPE_COUNT] = {"uniform", "some units", "some iterations",
													  "start-up", "shut-down"};
	return names[shape];
}

const char *
ph_cause_name(PhCause cause, bool is_faster)
{
	static const char *const slower[PH_CAUSE_COUNT] = {
		"more work",		   "slower work",	"more waiting", "slower communication",
		"slower input/output", "slower device", "unknown"};
	static const char *const faster[PH_CAUSE_COUNT] = {
		"less work",		   "faster work",	"less waiting", "faster communication",
		"faster input/output", "faster device", "unknown"};
	return is_faster ? faster[cause] : slower[cause];
}

const char *
ph_shared_name(PhShared shared)
{
	static const char *const names[PH_SHARED_COUNT] = {"",			"host",		   "even ranks",
													   "odd ranks", "first ranks", "last ranks"};
	return names[shared];
}

const char *
ph_confidence_name(PhConfidence confidence)
{
	static const char *const names[PH_CONFIDENCE_COUNT] = {"low", "medium", "high"};
	return names[confidence];
}

const char *
ph_work_name(PhExplainWork work)
{
	static const char *const names[PH_WORK_COUNT] = {"instructions", "bytes", "visits"};
	return names[work];
}
