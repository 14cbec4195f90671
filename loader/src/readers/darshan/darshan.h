/*
 * darshan.h - a job's I/O as Darshan counted it, from its logs or from the text of darshan-parser.
 *
 * Both name records (a module's counters of a file, by a rank or by all together) and their
 * counters in turn. Roots are modules (POSIX, MPI-IO, STDIO), then files, then what was done with
 * them: time, calls and bytes stand there, all other costs with the file. A file's label is the
 * kind of file system that it lies on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_DARSHAN_H
#define PH_READERS_DARSHAN_H

#include "readers/darshan/counters.h"
#include "readers/reading.h"

#define PH_DARSHAN_SHARED (-1) /* the rank of what all ranks did together */

/* A value that was read, or (metric PH_NONE) a node that is there: metrics are all known at the end
 * only. */
typedef struct PhDarshanValue
{
	uint32_t metric, node, column;
	double value;
} PhDarshanValue;

typedef struct PhDarshan
{
	PhReading in;
	PhStrings metrics; /* index = metric + 1 */
	PH_VECTOR(PhMetricSpec) specs;
	PH_VECTOR(PhDarshanValue) values;
	PhStrings names;	/* of modules, files and file systems */
	PhStrings left_out; /* modules that are not read */

	/* the record that is read */
	const char *prefix; /* of its counters; NULL: its module is not read */
	uint32_t node, column;
} PhDarshan;

/* A record's parts as they stand in the file; of totals the file is empty. */
typedef struct PhDarshanRecord
{
	PhSlice module, file, file_system;
	int64_t rank;
} PhDarshanRecord;

/* Of the file, before anything else. */
PhStatus ph_darshan_begin(PhDarshan *darshan) PH_MUST_CHECK;

/* Counters that follow are of this record. Its texts are UTF-8. */
PhStatus ph_darshan_record(PhDarshan *darshan, const PhDarshanRecord *record) PH_MUST_CHECK;

/* A counter of the record, with its prefix and without. What is negative was not measured, what is
 * 0 did not happen. */
PhStatus ph_darshan_count(PhDarshan *darshan, PhSlice name, double value) PH_MUST_CHECK;
PhStatus ph_darshan_cost(PhDarshan *darshan, PhSlice name, double value) PH_MUST_CHECK;

/* Metadata of the job. "start_time" is darshan.start_time, unless it is known by another name. */
PhStatus ph_darshan_note(PhDarshan *darshan, PhSlice key, PhSlice value) PH_MUST_CHECK;

/* The module's own memory did not suffice. */
PhStatus ph_darshan_warn_partial(PhDarshan *darshan, const char *module) PH_MUST_CHECK;

PhStatus ph_darshan_finish(PhDarshan *darshan) PH_MUST_CHECK;

#endif
