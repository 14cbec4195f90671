/*
 * sequences.h - which kernels follow each other again and again: candidates to be fused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_SEQUENCES_H
#define PH_DEVICES_SEQUENCES_H

#include "devices/activities.h"

#define PH_LONGEST_SEQUENCE 64

typedef struct PhKernelSequence
{
	uint32_t first; /* where one of them is in the order */
	uint64_t count; /* that do not overlap each other */
	int64_t busy;	/* ns of the kernels */
	int64_t gaps;	/* ns between them */
} PhKernelSequence;

/*
 * Sequences of `length` (2 to PH_LONGEST_SEQUENCE) kernels that compute, which follow each other on
 * a stream without anything else between; by their sum of ns, the dearest first. order, first: by
 * stream. group: by activity, below which call it was launched; PH_NONE: it does not count; kernels
 * of one sequence are of one group. NULL: no matter. In arena. O(n x length).
 */
PhStatus ph_kernel_sequences(PhArena *arena, const PhActivities *activities,
							 const PhActivityKind *kinds, const uint32_t *order,
							 const uint32_t *first, uint32_t n_streams, const uint32_t *group,
							 uint32_t length, PhKernelSequence **out, uint32_t *n) PH_MUST_CHECK;

#endif
