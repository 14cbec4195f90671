/*
 * trace_internal.h - the columns of a trace of tasks, for what treats all alike.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_TRACE_INTERNAL_H
#define PH_TASKS_TRACE_INTERNAL_H

#include "tasks/trace.h"

#define PH_TASK_MAX_ROWS (UINT32_MAX / 4)

typedef struct PhTaskColumn
{
	uint8_t table; /* PhTaskTable */
	size_t offset; /* of the pointer in PhTaskTrace */
	size_t width;
	uint8_t spare; /* elements beyond one by row */
} PhTaskColumn;

extern const PhTaskColumn ph_task_columns[PH_TASK_COLUMNS];

void **ph_task_column(PhTaskTrace *trace, const PhTaskColumn *column);

/* Give back room beyond the rows. */
PhStatus ph_task_trim(PhTaskTrace *trace) PH_MUST_CHECK;

/* All references and times of a filled trace are sound, or PH_ERR_VALUE. */
PhStatus ph_task_check(const PhTaskTrace *trace) PH_MUST_CHECK;

#endif
