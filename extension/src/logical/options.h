/*
 * options.h - options of assign_logical_steps from jsonb, and as they are stored.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_OPTIONS_H
#define PH_LOGICAL_OPTIONS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "logical/model.h"
#include "tasks/structure.h"

typedef struct PhLogicalRequest
{
	PhLogicalOptions options; /* counter not resolved; of tasks only compat */
	const char *counter;	  /* a metric of the trace; NULL: none */
	bool of_tasks;			  /* then these count, too */
	PhTaskOptions tasks;
} PhLogicalRequest;

/*
 * Defaults for a run of tasks or of processes, changed by what the object says. 22023 for what is
 * no object, an unknown name or a value of the wrong type; the message names the options there are.
 * Strings are in the current memory.
 */
void ph_logical_request_read(Jsonb *given, bool of_tasks, PhLogicalRequest *out);

/* All options as the text of a JSON object, in the current memory. */
char *ph_logical_request_text(const PhLogicalRequest *request);

#endif
