/*
 * io_calls.h - calls that read or write files.
 *
 * They are known by the role that measurement tools give their functions ("file io", "file io
 * metadata": those of POSIX, of C and of MPI) or, without one, by the names of MPI: MPI_File_…. A
 * program's own function `read` is none. Of calls within each other the outermost counts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_IO_CALLS_H
#define PH_TRACE_IO_CALLS_H

#include "base/vector.h"
#include "trace/chunk/chunk.h"

typedef struct PhIoCall
{
	int64_t enter, leave; /* leave: PH_NO_TIME while it is open */
	uint64_t seq;		  /* ordinal of its ENTER */
	uint32_t region;
} PhIoCall;

/* Of a location in the order of events; only the last one may be open. */
typedef PH_VECTOR(PhIoCall) PhIoCalls;

/* By region of a model whether its calls do, in memory of env: model->n_regions elements, which the
 * caller frees. NULL: none does. */
PhStatus ph_io_regions(PhEnv *env, const PhTraceModel *model, bool **out) PH_MUST_CHECK;

/* Add an ENTER or a LEAVE of a call of such a region. */
PhStatus ph_io_calls_add(PhEnv *env, PhIoCalls *calls, bool is_enter, int64_t time,
						 const PhOpenCall *call) PH_MUST_CHECK;

#endif
