/*
 * export_otf2_internal.h - what the files that write an OTF2 archive share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_OTF2_INTERNAL_H
#define PH_REPORTS_EXPORT_OTF2_INTERNAL_H

#include <otf2/otf2.h>

#include "database/pq.h"
#include "readers/otf2/words.h"
#include "reports/export_otf2_records.h"
#include "trace/chunk/model.h"

/*
 * A location of the run, also one without events: its number counts as that of one with, and ranks
 * may have no other. has_calls: the warehouse knows its rank and its name.
 */
typedef struct PhOtf2OutLocation
{
	int64_t rank; /* -1: none */
	int64_t thread;
	char *name, *host;
	bool has_calls, has_events;
	bool is_stream; /* of a device, */
	PhDeviceStream stream;
	uint64_t n_events;
} PhOtf2OutLocation;

typedef struct PhOtf2OutRegion
{
	int64_t number; /* in the run */
	uint32_t same;	/* position of the first region with this name */
	char *name, *file, *library;
	char *words; /* "PARADIGM/ROLE" where OTF2 has no number for one of them; NULL: it has */
	uint32_t paradigm, role, line;
} PhOtf2OutRegion;

/* rank_of: by world rank, its rank in the communicator; made when it is first asked for. */
typedef struct PhOtf2OutComm
{
	char *name;
	bool is_mpi;
	int64_t parent; /* -1: none */
	uint32_t n_members;
	int64_t *members; /* world ranks, -1: unknown */
	uint32_t *rank_of;
} PhOtf2OutComm;

typedef struct PhOtf2OutMetric
{
	int64_t metric_class;
	char *name, *unit;
	OTF2_Type type;
	bool is_accumulated;
	double scale;
} PhOtf2OutMetric;

typedef struct PhOtf2OutParameter
{
	char *name; /* NULL: unknown */
	OTF2_Type type;
} PhOtf2OutParameter;

/* Logical time of one event. */
typedef struct PhOtf2OutStep
{
	int64_t location, enter, leave, lateness, differential;
	uint32_t region, phase, step;
} PhOtf2OutStep;

/* Who launched an activity, by ENTER of the streams. */
typedef struct PhOtf2OutLaunch
{
	int32_t location, call_location; /* -1: not known */
	int64_t call_seq, t_call;
} PhOtf2OutLaunch;

typedef enum PhOtf2Attribute
{
	PH_ATTRIBUTE_PHASE,
	PH_ATTRIBUTE_STEP,
	PH_ATTRIBUTE_LATENESS,
	PH_ATTRIBUTE_DIFFERENTIAL,
	PH_ATTRIBUTE_ACTIVITY, /* the first of them, by PhOtf2ActivityAttribute */
	PH_OTF2_ATTRIBUTES = PH_ATTRIBUTE_ACTIVITY + PH_OTF2_ACTIVITY_ATTRIBUTES
} PhOtf2Attribute;

typedef struct PhOtf2Export
{
	PhConnection *connection;
	int64_t run_id;
	const char *folder;
	OTF2_Archive *archive;
	OTF2_ErrorCode error; /* of libotf2: the first */

	uint64_t epoch; /* ns since 1970 of time 0, or OTF2_UNDEFINED_TIMESTAMP */
	int64_t n_run_ranks, n_threads;
	char *clock, *machine, *description, *command;

	PhOtf2OutLocation *locations;	/* by number in the run, and in the archive */
	PhOtf2OutRegion *regions;		/* by number in the run */
	const PhOtf2OutRegion **names;	/* regions by name, then number */
	PhOtf2OutComm *comms;			/* by number in the run */
	PhOtf2OutMetric *metrics;		/* by class and member */
	PhOtf2OutParameter *parameters; /* by number */
	PhOtf2OutStep *steps;			/* by location, in order of leaving */
	PhOtf2OutLaunch *launches;		/* by location, in order of ENTERs */
	size_t n_locations, n_regions, n_comms, n_metrics, n_parameters, n_steps, n_launches;
	uint32_t first_group;	  /* number of the first communicator's group, behind those of processes
								 and, if there are teams, of threads */
	uint32_t first_window;	  /* number of the first communicator that is one; UINT32_MAX: none */
	uint32_t n_ranks;		  /* 1 + the greatest of a location or member */
	uint64_t *rank_locations; /* by rank; made with the definitions */
	size_t *classes;		  /* n_classes + 1: first metric of each class */
	size_t n_classes;

	/* events */
	OTF2_EvtWriter *writer; /* of the location at hand */
	OTF2_AttributeList *attributes;
	PhOtf2OutLocation *location;
	int64_t at;	 /* its number; -1: none yet */
	size_t step; /* the first that ends at the time at hand or later */
	int64_t last_time;
	bool has_streams;  /* of devices */
	size_t launch;	   /* of the next ENTER of a stream */
	bool is_entering;  /* an ENTER of a stream is written when its ACTIVITY is known */
	uint32_t entering; /* its region, and when */
	uint64_t entering_at;
	uint32_t first_configuration; /* number of the text of the first */
	uint64_t n_unknown;			  /* records that libotf2 did not know: they cannot be written */

	/* what they refer to */
	PhOtf2References references;
	bool needs_world; /* a message of no communicator: one behind the others has all ranks */
} PhOtf2Export;

/* Read what events refer to. PH_EXIT_OK or a logged failure. */
PhExit ph_otf2_export_fetch(PhOtf2Export *export);
void ph_otf2_export_free(PhOtf2Export *export);

/* Write the events of all locations. PH_EXIT_OK or a logged failure. */
PhExit ph_otf2_export_events(PhOtf2Export *export);

/* Write the global definitions, when all events are written. */
void ph_otf2_export_definitions(PhOtf2Export *export);

/* Strings that are defined on the way; numbers that events refer to are passed over. */
typedef struct PhOtf2Definer
{
	PhOtf2Export *export;
	OTF2_GlobalDefWriter *out;
	uint32_t n_strings, n_groups;
} PhOtf2Definer;

uint32_t ph_otf2_export_string(PhOtf2Definer *definer, const char *text);

/* Nodes, processes, locations, and the group of the processes' locations. */
void ph_otf2_export_places(PhOtf2Definer *definer);

/* Remember the first failure of libotf2. */
static inline void
ph_otf2_export_note(PhOtf2Export *export, OTF2_ErrorCode code)
{
	if (export->error == OTF2_SUCCESS)
		export->error = code;
}

#endif
