/*
 * making.h - what the files share that make a trace model of an archive's definitions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_OTF2_MAKING_H
#define PH_READERS_OTF2_MAKING_H

#include "readers/otf2/definitions.h"

typedef struct PhOtf2Making
{
	const PhDefinitions *definitions;
	PhOtf2Archive *archive;
	PhArena *arena; /* the archive's */
	PhTraceModel *model;
	PhMap locations;		  /* positions by the archive's number */
	int32_t *group_ranks;	  /* by position of the location group */
	int32_t *group_devices;	  /* of accelerators: which of their process's, from 0 */
	bool has_streams;		  /* locations of accelerators */
	const uint32_t **members; /* world ranks by position of the group, NULL: not made yet */
} PhOtf2Making;

/* "region 5 refers to string 99, which is not defined" */
PhStatus ph_otf2_wrong(const PhOtf2Making *making, const char *what, uint64_t id,
					   const char *refers, uint64_t to);

/* Position of a location's number; PH_NONE: not defined. */
PhStatus ph_otf2_find_location(PhOtf2Making *making, uint64_t id, uint32_t *out) PH_MUST_CHECK;

/* Libraries whose ranks are processes. */
bool ph_otf2_is_of_processes(uint32_t paradigm);

/* ---- readers/otf2/devices.c ---- */

/* Is it a stream of an accelerator that a process drives? Ranks are known. */
bool ph_otf2_is_stream(const PhOtf2Making *making, const PhDefLocation *location);

/* Which device's, and which of its streams: by properties of ours, by name,
 * "CUDA[0:7]", else in order of definition. */
PhDeviceStream ph_otf2_stream(const PhOtf2Making *making, const PhDefLocation *location);

/* What events of streams may have beside them; locations and regions are made. */
PhStatus ph_otf2_make_activities(PhOtf2Making *making) PH_MUST_CHECK;

/* Regions of copies, behind those of the archive. */
PhStatus ph_otf2_make_copies(PhOtf2Making *making) PH_MUST_CHECK;

/* Communicators and windows; ranks are known. */
PhStatus ph_otf2_make_communicators(PhOtf2Making *making) PH_MUST_CHECK;
PhStatus ph_otf2_make_metrics(PhOtf2Making *making) PH_MUST_CHECK;

#endif
