/*
 * assemble.h - from parts with steps of their own to numbered phases with global steps.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_ASSEMBLE_H
#define PH_LOGICAL_ASSEMBLE_H

#include "logical/phases.h"

/* Finished parts; edges of their graph go to greater numbers. */
typedef struct PhAssembly
{
	PhLogical *out; /* model, stride, step and binding are there; steps within parts */
	PhArena *temporary;
	const uint32_t *part; /* by event */
	uint32_t n_parts;
	const uint16_t *reasons; /* by part */
	int32_t *first, *last;	 /* by part: its global steps; made by the offset */
	uint32_t *number;		 /* by part: its phase; made by the numbering */
} PhAssembly;

/* Events' steps from local to global: a part starts after the last of those before it. */
PhStatus ph_assembly_offset(PhAssembly *assembly, const PhGraph *graph) PH_MUST_CHECK;

/* Phases in canonical order with first and last step, reasons, members. */
PhStatus ph_assembly_number(PhAssembly *assembly) PH_MUST_CHECK;

/* The phases' graph and leaps. edges: of phases, targets ascending; its arrays are kept. */
PhStatus ph_assembly_edges(PhLogical *out, const PhGraph *edges) PH_MUST_CHECK;

#endif
