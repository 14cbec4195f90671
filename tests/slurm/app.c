/*
 * app.c - a program of MPI for tests/slurm/run: works a little, and writes a profile a rank as TAU
 * does when PROFILEDIR says where. The name of TAU's library is in it, by which perfhouse run sees
 * how to measure it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const library = "libTAU.so";

/* Microseconds; no two jobs have the same. */
static double
work(double begin)
{
	double sum = 0;

	while (MPI_Wtime() - begin < 0.02)
		sum += 1 / (sum + 1);
	return sum > 0 ? 1e6 * (MPI_Wtime() - begin) : 0;
}

static int
write_profile(const char *folder, int rank, double solve, double all)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/profile.%d.0.0", folder, rank);
	file = fopen(path, "w");
	if (file == NULL)
		return 1;
	fprintf(file,
			"2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n");
	fprintf(file, "\"main\" 1 1 %.3f %.3f 0 GROUP=\"TAU_USER\"\n", all - solve, all);
	fprintf(file, "\"solve\" 1 0 %.3f %.3f 0 GROUP=\"TAU_USER\"\n0 aggregates\n", solve, solve);
	return fclose(file) != 0;
}

int
main(int argc, char **argv)
{
	const char *folder = getenv("PROFILEDIR");
	double begin, solve;
	int rank;
	int code = 0;

	MPI_Init(&argc, &argv);
	begin = MPI_Wtime();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	solve = work(begin);
	MPI_Barrier(MPI_COMM_WORLD);
	if (folder != NULL)
		code = write_profile(folder, rank, solve, 1e6 * (MPI_Wtime() - begin));
	if (rank == 0)
		printf("measured with %s: %s\n", library, folder != NULL ? folder : "no");
	MPI_Finalize();
	return code;
}
