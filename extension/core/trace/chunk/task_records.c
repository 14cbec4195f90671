/*
 * task_records.c - names of the records of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/task_records.h"

const char *
ph_task_record_name(uint32_t operation)
{
	static const char *const names[] = {"TASK_BLOCK",	  "TASK_PAUSE", "TASK_RESUME",
										"TASK_CONTINUES", "TASK_AFTER", "TASK_PHASE"};

	if (operation < PH_RECORD_TASK_BLOCK || operation >= PH_RECORD_TASK_END)
		return NULL;
	return names[operation - PH_RECORD_TASK_BLOCK];
}
