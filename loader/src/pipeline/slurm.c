/*
 * slurm.c - see slurm.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/slurm.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/slurm_nodes.h"
#include "readers/input.h"

static PhStatus
compare_tasks(PhEnv *env, const char *tasks, uint32_t n_ranks, PhRunInput *run)
{
	char *end;
	unsigned long n = tasks != NULL ? strtoul(tasks, &end, 10) : 0;

	if (n == 0 || *end != '\0' || n_ranks == 0 || n == n_ranks)
		return PH_OK;
	return ph_run_warn(env, run,
					   "the batch job asked for %lu tasks (SLURM_NTASKS), the file has %u rank%s",
					   n, n_ranks, n_ranks == 1 ? "" : "s");
}

/* One of the keys in the file against what the batch system says. */
static PhStatus
compare_text(PhEnv *env, const char *variable, const char *said, const char *const *keys,
			 PhRunInput *run)
{
	for (; said != NULL && said[0] != '\0' && *keys != NULL; keys++)
	{
		const char *value = ph_meta_get(&run->meta, *keys);

		if (value == NULL || value[0] == '\0')
			continue;
		return strcmp(value, said) == 0
				   ? PH_OK
				   : ph_run_warn(env, run, "the batch job has %s %s, the file %s %s", variable,
								 said, *keys, value);
	}
	return PH_OK;
}

static PhStatus
compare_nodes(PhEnv *env, const char *nodes, PhRunInput *run)
{
	const PhProfile *profile = run->profile != NULL ? run->profile : run->beside;

	for (uint32_t i = 0;
		 nodes != NULL && nodes[0] != '\0' && profile != NULL && i < profile->n_columns; i++)
	{
		const char *host = ph_profile_string(profile, profile->columns[i].host);

		if (host != NULL && host[0] != '\0' && !ph_slurm_has_node(nodes, host))
			return ph_run_warn(
				env, run, "the file has host %s, the batch job the nodes %s (SLURM_JOB_NODELIST)",
				host, nodes);
	}
	return PH_OK;
}

PhStatus
ph_slurm_compare(PhEnv *env, PhGetenv environment, uint32_t n_ranks, PhRunInput *run)
{
	static const char *const names[] = {"SLURM_JOB_NAME", "slurm_job_name", "jobname", "job_name",
										NULL};
	static const char *const partitions[] = {"SLURM_JOB_PARTITION", "slurm_job_partition",
											 "partition", "queue", NULL};

	if (environment == NULL)
		return PH_OK;
	PH_TRY(compare_tasks(env, environment("SLURM_NTASKS"), n_ranks, run));
	PH_TRY(compare_nodes(env, environment("SLURM_JOB_NODELIST"), run));
	PH_TRY(compare_text(env, "SLURM_JOB_NAME", environment("SLURM_JOB_NAME"), names, run));
	return compare_text(env, "SLURM_JOB_PARTITION", environment("SLURM_JOB_PARTITION"), partitions,
						run);
}
