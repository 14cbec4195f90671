/*
 * device_records.h - the record by which activities of devices keep what they have beside a time.
 *
 * An activity (kernel, copy, memset) is a call of a location of kind PH_COLUMN_STREAM. What else is
 * known of it follows its ENTER at once, as a PH_EVENT_OTHER of this operation, so that it costs
 * nothing where nothing is known and is decoded by those only who want PH_WANT_EXTRA. Numbers are
 * stored: never renumber.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_DEVICE_RECORDS_H
#define PH_TRACE_CHUNK_DEVICE_RECORDS_H

#include "trace/chunk/model.h"

/* Its values are by PhActivityValue; later ones that are 0 may be left out. */
#define PH_RECORD_ACTIVITY 1100

typedef enum PhActivityValue
{
	PH_ACTIVITY_BYTES,		   /* copied or set */
	PH_ACTIVITY_CONFIGURATION, /* 1 + index of the model's configuration; 0: none */
	PH_ACTIVITY_COMMUNICATOR,  /* 1 + index of the model's communicator, of collectives; 0: none */
	PH_ACTIVITY_VALUES
} PhActivityValue;

/* Roles of the regions of activities (PhTraceRegion.role). */
#define PH_ROLE_KERNEL "kernel"
#define PH_ROLE_COPY "memcpy"
#define PH_ROLE_SET "memset"

#endif
