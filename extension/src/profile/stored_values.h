/*
 * stored_values.h - the values of a stored run that nobody has needed one by one yet.
 *
 * profile(run) hands on the blocks as they are stored, which are a fifteenth of what they unpack
 * to. Whoever needs means, or one node after the other, streams them; whoever needs them all has
 * them unpacked into the profile once, by ph_value_of. Of a run whose summaries have its means and
 * say that all cells are there, bytes stay in the table until they are needed. The value is whole
 * whatever becomes of the run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_STORED_VALUES_H
#define PH_PROFILE_STORED_VALUES_H

#include "postgres.h"

#include "lib/ilist.h"

#include "profile/run_blocks.h"
#include "profile/value.h"
#include "stored/block_stream.h"

struct PhStoredValues
{
	MemoryContext context; /* of all of it */
	MemoryContextCallback callback;
	dlist_node node; /* of the values whose bytes stay in the table */
	PhRunBlocks blocks;
	int32 *metric_ids; /* of the profile's metrics */
};

/*
 * Keep the blocks of a profile's metrics in the value, whose columns are the run's; false: they
 * must be unpacked at once, as a metric lacks cells that the profile has.
 */
bool ph_value_keep_blocks(PhValue *value, const PhRunBlocks *blocks, const int32 *metric_ids);

/*
 * From here on ph_profile_mean, and of a graph ph_supergraph_means, work for the metric, though
 * nothing else of its values need be there.
 */
void ph_value_find_means(PhValue *value, uint32 metric);

/* The rows of a metric that has not been unpacked, from the last node to the first. */
void ph_value_stream(PhValue *value, uint32 metric, bool with_residuals, PhReceiveRow receive,
					 void *user);

/*
 * A profile of one node, the node of this number in the value: its node 0 has the columns and the
 * metric's values. Nodes come in any order.
 */
typedef void (*PhTakeNode)(void *user, uint32 node, const PhProfile *one);

/* Every node of a profile by itself; nothing is unpacked where the metric's rows can be streamed.
 */
void ph_value_each_node(PhValue *value, uint32 metric, PhTakeNode take, void *user);

/* The argument as it is, packed or not: its profile may have everything but values. */
static inline PhValue *
ph_arg_as_it_is(FunctionCallInfo fcinfo, int argument, PhValueKind kind)
{
	return ph_value_as_it_is(ph_arg_value(fcinfo, argument), kind);
}

/* An argument of which means of the metric that another one names will do. */
const PhProfile *ph_arg_profile_means(FunctionCallInfo fcinfo, int argument, int metric_argument,
									  uint32 *metric);
const PhSupergraph *ph_arg_graph_means(FunctionCallInfo fcinfo, int argument, int metric_argument,
									   uint32 *metric);

#endif
