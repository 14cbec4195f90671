/*
 * phase.h - phases of a stored run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PHASE_H
#define PH_LOGICAL_PHASE_H

#include "logical/reader.h"

/* The steps of a phase. PH002 when the run does not have it. */
PhStepWindow ph_phase_window(const PhLogicalStored *stored, int32 phase);

#endif
