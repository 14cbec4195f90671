/*
 * store.h - what is stored of a trace beside its chunks: definitions, links of messages, and
 * how far it can be trusted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_STORE_H
#define PH_PIPELINE_TRACE_STORE_H

#include "hiding/hiding.h"
#include "pipeline/trace/read.h"

typedef struct PhTraceRows
{
	int64_t run_id;
	const PhTraceSource *source;
	const PhTraceRead *read;	/* its messages are matched */
	const uint64_t *region_ids; /* by region; 0: not used, not stored */
	const PhTile *tiles;		/* the pyramid */
	size_t n_tiles;
	const PhHiding *hiding; /* of texts of events */
} PhTraceRows;

/* COPY the links of messages within db's transaction. Needs run_id, source and read. */
PhStatus ph_store_links(PhEnv *env, PhConnection *db, const PhTraceRows *rows) PH_MUST_CHECK;

/* The same of all else. */
PhStatus ph_store_trace(PhEnv *env, PhConnection *db, const PhTraceRows *rows) PH_MUST_CHECK;

#endif
