/*
 * completeness.c - inputs that are not whole: refused, or marked.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/internal.h"
#include "system/memory.h"

PhStatus
ph_job_check_complete(PhWorker *worker, PhLoadJob *job, const PhRunInput *input)
{
	char *list;
	PhStatus status;

	job->completeness = ph_run_completeness(job->experiment->reader, input);
	job->missing = ph_must_resize(job->missing, input->n_missing + 1, sizeof(*job->missing));
	for (; job->n_missing < input->n_missing; job->n_missing++)
		job->missing[job->n_missing] = ph_strdup(input->missing[job->n_missing]);
	if (job->n_missing == 0 || worker->crew->load->options.allow_incomplete)
		return PH_OK;
	list = ph_job_missing_list(job);
	status = ph_fail_hint(&worker->env, PH_ERR_FORMAT,
						  "Nothing of it was stored. Copy or write it again, or load what is there "
						  "by --allow-incomplete: marked, and left out of histories.",
						  "%s: incomplete: %s", job->experiment->path, list);
	free(list);
	return status;
}

char *
ph_job_missing_list(const PhLoadJob *job)
{
	char *list = ph_strdup("");

	for (size_t i = 0; i < job->n_missing; i++)
	{
		char *longer = ph_format("%s%s%s", list, i > 0 ? "; " : "", job->missing[i]);

		free(list);
		list = longer;
	}
	return list;
}
