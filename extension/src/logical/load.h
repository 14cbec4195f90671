/*
 * load.h - stored logical structure back into the core's form, for analyses of phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_LOAD_H
#define PH_LOGICAL_LOAD_H

#include "logical/args.h"
#include "logical/compute.h"

/*
 * What analyses of one phase by this metric need, from the chunks that the phase touches, or all of
 * them where values depend on what came before. Callers and collectives are not known, and a
 * message is there once for each of its ends. Of other phases only a part may be there. Of tasks
 * the metric is what PH_DURATION gives. End it with ph_trace_end. PH002 when there is no such
 * phase.
 */
PhLogicalRun *ph_logical_load(const PhLogicalStored *stored, int32 phase,
							  const PhLogicalMeasure *measure);

#endif
