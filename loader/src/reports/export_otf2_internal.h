/*
 * export_otf2_internal.h - what the files that write an OTF2 archive share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_OTF2_INTERNAL_H
#define PH_REPORTS_EXPORT_OTF2_INTERNAL_H

#include <otf2/otf2.h>

#include "database/pq.h"

typedef struct PhOtf2OutLocation
{
	int64_t id; /* in the run, and in the archive */
	int64_t rank, thread;
	char *name, *host;
	uint64_t n_events;
} PhOtf2OutLocation;

typedef struct PhOtf2OutRegion
{
	char *name, *file;
	OTF2_Paradigm paradigm;
	uint32_t line;
} PhOtf2OutRegion;

/* rank_of: by world rank, its rank in the communicator; made when it is first asked for. */
typedef struct PhOtf2OutComm
{
	char *name;
	bool is_mpi;
	int64_t parent; /* -1: none */
	uint32_t n_members;
	uint64_t *members; /* world ranks */
	uint32_t *rank_of;
} PhOtf2OutComm;

/* Logical time of one event. */
typedef struct PhOtf2OutStep
{
	int64_t location, enter, leave, lateness, differential;
	uint32_t region, phase, step;
} PhOtf2OutStep;

typedef enum PhOtf2Attribute
{
	PH_ATTRIBUTE_PHASE,
	PH_ATTRIBUTE_STEP,
	PH_ATTRIBUTE_LATENESS,
	PH_ATTRIBUTE_DIFFERENTIAL,
	PH_OTF2_ATTRIBUTES
} PhOtf2Attribute;

typedef struct PhOtf2Export
{
	PhConnection *connection;
	int64_t run_id;
	const char *folder;
	OTF2_Archive *archive;
	OTF2_ErrorCode error; /* of libotf2: the first */

	PhOtf2OutLocation *locations; /* by id */
	PhOtf2OutRegion *regions;	  /* by name */
	PhOtf2OutComm *comms;		  /* by number in the run */
	PhOtf2OutStep *steps;		  /* by location, in order of leaving */
	size_t n_locations, n_regions, n_comms, n_steps;
	uint32_t n_ranks; /* 1 + the greatest of a location or member */

	/* events */
	OTF2_EvtWriter *writer; /* of the location at hand */
	OTF2_AttributeList *attributes;
	PhOtf2OutLocation *location;
	size_t step; /* the first that ends at the time at hand or later */
	int64_t last_time;
} PhOtf2Export;

/* Read what events refer to. PH_EXIT_OK or a logged failure. */
PhExit ph_otf2_export_fetch(PhOtf2Export *export);
void ph_otf2_export_free(PhOtf2Export *export);

/* Position of a region by its name; UINT32_MAX: none. */
uint32_t ph_otf2_export_region(const PhOtf2Export *export, const char *name);

/* Write the global definitions, when all events are written. */
void ph_otf2_export_definitions(PhOtf2Export *export);

/* Remember the first failure of libotf2. */
static inline void
ph_otf2_export_note(PhOtf2Export *export, OTF2_ErrorCode code)
{
	if (export->error == OTF2_SUCCESS)
		export->error = code;
}

#endif
