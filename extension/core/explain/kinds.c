/*
 * kinds.c - what the own time of a call path is spent on, by names and paradigms.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/kinds.h"

#include <string.h>
#include <strings.h>

typedef struct Rule
{
	const char *prefix; /* of the name, in any case of letters */
	uint8_t kind;
	uint8_t part;
} Rule;

/* The first that fits decides. */
static const Rule rules[] = {
	{"MPI_File_", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"MPI_Init", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_START_UP},
	{"MPI_Finalize", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_SHUT_DOWN},
	{"MPI_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"AMPI_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"psm2_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"psm_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"ibv_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"ucp_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"uct_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"ncclAll", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"shmem_", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"gasnet", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
	{"!$omp critical", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"!$omp barrier", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"!$omp implicit barrier", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"!$omp ibarrier", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"!$omp taskwait", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"omp_set_lock", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"omp_set_nest_lock", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"GOMP_barrier", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"GOMP_critical", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"__kmpc_barrier", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"__kmpc_critical", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"pthread_mutex_lock", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"pthread_cond_wait", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"pthread_barrier_wait", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"pthread_join", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"pthread_rwlock_", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"sem_wait", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"futex", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
	{"H5F", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"H5Dread", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"H5Dwrite", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"nc_put_", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"nc_get_", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"adios", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
	{"cuda", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
	{"hipLaunch", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
	{"hipMem", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
	{"hipStream", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
	{"hipDevice", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
	{"clEnqueue", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
};

/* Whole names, of system calls and the C library, which are too short for prefixes. */
static const char *const io_names[] = {"read",	 "write",  "pread",	 "pwrite",	"readv",   "writev",
									   "open",	 "close",  "fsync",	 "fopen",	"fclose",  "fread",
									   "fwrite", "fflush", "open64", "pread64", "pwrite64"};

static const struct
{
	const char *paradigm;
	uint8_t kind;
} paradigms[] = {{"mpi", PH_EXPLAIN_COMMUNICATION},
				 {"shmem", PH_EXPLAIN_COMMUNICATION},
				 {"cuda", PH_EXPLAIN_DEVICE},
				 {"hip", PH_EXPLAIN_DEVICE},
				 {"opencl", PH_EXPLAIN_DEVICE},
				 {"openacc", PH_EXPLAIN_DEVICE},
				 {"io", PH_EXPLAIN_IO},
				 {"posix i/o", PH_EXPLAIN_IO}};

static bool
take_rule(const char *name, PhExplainNode *node)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strncasecmp(name, rules[i].prefix, strlen(rules[i].prefix)) == 0)
		{
			node->kind = rules[i].kind;
			node->part = rules[i].part;
			return true;
		}
	return false;
}

void
ph_explain_classify(PhExplainNode *node, const char *paradigm)
{
	const char *name = node->name;

	node->kind = PH_EXPLAIN_WORK;
	node->part = PH_EXPLAIN_MAIN_PART;
	if (strncasecmp(name, "pmpi_", 5) == 0)
		name++;
	if (take_rule(name, node))
		return;
	for (size_t i = 0; i < sizeof(io_names) / sizeof(io_names[0]); i++)
		if (strcmp(name, io_names[i]) == 0)
			node->kind = PH_EXPLAIN_IO;
	for (size_t i = 0; i < sizeof(paradigms) / sizeof(paradigms[0]); i++)
		if (strcmp(paradigm, paradigms[i].paradigm) == 0)
			node->kind = paradigms[i].kind;
}
