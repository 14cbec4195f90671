/*
 * store.h - stored form of the logical structure of tasks: chunks as in logical/store/store.h.
 *
 * Each chunk is a row of perfhouse.logical_chunk with one column more, tasks. Of the metrics only
 * PH_DURATION is filled, with the differential duration; lateness and its relatives are 0, as they
 * say nothing of tasks. earliest_location is that of the shortest peer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_STORE_H
#define PH_TASKS_STORE_H

#include "logical/store/store.h"
#include "tasks/metrics.h"

/*
 * The next chunk of an entity's timeline from event `first` of the model on, into the codec's room;
 * first + out->n_events is where the one after it starts (any timeline's: they are neighbours).
 * Hand it to ph_logical_encode.
 */
PhStatus ph_task_extract(PhLogicalCodec *codec, const PhTaskMetrics *metrics, uint32_t first,
						 PhLogicalEvents *out) PH_MUST_CHECK;

#endif
