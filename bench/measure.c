/*
 * measure.c - runs a command and says what it cost.
 *
 *   measure FILE COMMAND...
 *
 * Writes "wall_seconds cpu_seconds peak_kilobytes" of the command to FILE and exits as it did.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static double
seconds(struct timeval time)
{
	return (double) time.tv_sec + (double) time.tv_usec * 1e-6;
}

int
main(int argc, char **argv)
{
	if (argc < 3)
	{
		fprintf(stderr, "usage: measure FILE COMMAND...\n");
		return 2;
	}
	double start = now();
	pid_t child = fork();
	if (child == 0)
	{
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	int status;
	struct rusage usage;
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
	{
		perror("measure");
		return 1;
	}
	FILE *file = fopen(argv[1], "w");
	if (file == NULL)
	{
		perror(argv[1]);
		return 1;
	}
	fprintf(file, "%.4f %.4f %ld\n", now() - start,
			seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
