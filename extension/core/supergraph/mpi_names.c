/*
 * mpi_names.c - which MPI functions are collectives and which belong to point-to-point messages.
 *
 * Knows the spellings of profilers: MPI_Send, PMPI_Send, mpi_send_ (Fortran), MPI_Send_c (large
 * counts), and the non-blocking, persistent and started forms of each operation.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "supergraph/internal.h"

#define PH_MPI_NAME_MAX 64

static const char *const collectives[] = {"allgather",
										  "allgatherv",
										  "allreduce",
										  "alltoall",
										  "alltoallv",
										  "alltoallw",
										  "barrier",
										  "bcast",
										  "exscan",
										  "gather",
										  "gatherv",
										  "reduce",
										  "reduce_scatter",
										  "reduce_scatter_block",
										  "scan",
										  "scatter",
										  "scatterv",
										  "neighbor_allgather",
										  "neighbor_allgatherv",
										  "neighbor_alltoall",
										  "neighbor_alltoallv",
										  "neighbor_alltoallw"};

/* Operations with a non-blocking form i..., and what serves requests and matching. */
static const char *const point_to_point[] = {
	"send",			"bsend",	"ssend",	"rsend",
	"recv",			"mrecv",	"sendrecv", "sendrecv_replace",
	"probe",		"mprobe",	"wait",		"waitall",
	"waitany",		"waitsome", "test",		"testall",
	"testany",		"testsome", "start",	"startall",
	"psend",		"precv",	"pready",	"pready_list",
	"pready_range", "parrived"};

/* The operation in lower case without prefix, suffixes and "i"; false: no MPI function. */
static bool
operation_of(const char *function, char *out)
{
	if (strncasecmp(function, "pmpi", 4) == 0)
		function++;
	if (strncasecmp(function, "mpi_", 4) != 0)
		return false;
	size_t length = strcspn(function + 4, "(@ ");
	if (length == 0 || length >= PH_MPI_NAME_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
	{
		char c = function[4 + i];
		out[i] = ph_lower(c);
	}
	while (length > 0 && out[length - 1] == '_')
		length--;
	out[length] = '\0';
	if (length > 2 && strcmp(out + length - 2, "_c") == 0)
		out[length -= 2] = '\0';
	if (length > 5 && strcmp(out + length - 5, "_init") == 0)
		out[length - 5] = '\0';
	return true;
}

static bool
is_listed(const char *const *list, size_t n, const char *operation)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], operation) == 0 ||
			(operation[0] == 'i' && strcmp(list[i], operation + 1) == 0))
			return true;
	return false;
}

bool
ph_is_mpi_collective(const char *function)
{
	char operation[PH_MPI_NAME_MAX];
	return operation_of(function, operation) &&
		   is_listed(collectives, sizeof(collectives) / sizeof(collectives[0]), operation);
}

bool
ph_is_mpi_point_to_point(const char *function)
{
	char operation[PH_MPI_NAME_MAX];
	return operation_of(function, operation) &&
		   is_listed(point_to_point, sizeof(point_to_point) / sizeof(point_to_point[0]), operation);
}
