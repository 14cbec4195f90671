/*
 * gen_devices.c - synthetic profiles of programs with devices, a file a rank.
 *
 *   gen_devices nsight|rocpd|kineto FOLDER [--ranks=N] [--steps=N] [--slow-rank=R] [--throttles]
 *               [--launch-bound] [--serial-copies] [--skew=NS]
 *               [--drift=NS] [--waits] [--group=N] [--devices=N]
 *
 * nsight: exports of Nsight Systems, FOLDER/rank-R.sqlite; rocpd: databases of ROCm's profilers,
 * FOLDER/rank-R.db; kineto: traces of PyTorch's profiler, FOLDER/rank-R.json. A step has some 31
 * calls and 30 activities. What the options plant: program.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program.h"

/* Of "--name=17" the number; false: it is another option. */
static bool
take_number(const char *argument, const char *name, long long *out)
{
	size_t n = strlen(name);

	if (strncmp(argument, name, n) != 0 || argument[n] != '=')
		return false;
	*out = atoll(argument + n + 1);
	return true;
}

static bool
take_option(const char *argument, Options *options)
{
	long long number;

	if (take_number(argument, "--ranks", &number))
		options->n_ranks = (int) number;
	else if (take_number(argument, "--steps", &number))
		options->n_steps = (int) number;
	else if (take_number(argument, "--slow-rank", &number))
		options->slow_rank = (int) number;
	else if (take_number(argument, "--skew", &number))
		options->skew = number;
	else if (take_number(argument, "--drift", &number))
		options->drift = number;
	else if (take_number(argument, "--group", &number))
		options->group = (int) number;
	else if (take_number(argument, "--devices", &number) && number > 0)
		options->devices = (int) number;
	else if (strcmp(argument, "--waits") == 0)
		options->waits = true;
	else if (strcmp(argument, "--launch-bound") == 0)
		options->launch_bound = true;
	else if (strcmp(argument, "--throttles") == 0)
		options->throttles = true;
	else if (strcmp(argument, "--serial-copies") == 0)
		options->serial_copies = true;
	else
		return false;
	return true;
}

static int
say_usage(void)
{
	fprintf(stderr, "usage: gen_devices nsight|rocpd|kineto FOLDER [--ranks=N] [--steps=N] "
					"[--slow-rank=R] [--throttles] [--launch-bound] [--serial-copies] "
					"[--skew=NS] [--drift=NS] [--waits] [--group=N] [--devices=N]\n");
	return 2;
}

static void
write_ranks(const Options *options, const char *folder, const char *suffix, Writer *writer)
{
	char path[4096];

	mkdir(folder, 0777);
	for (int rank = 0; rank < options->n_ranks; rank++)
	{
		snprintf(path, sizeof(path), "%s/rank-%d.%s", folder, rank, suffix);
		writer->begin(writer, path, options, rank);
		run_rank(options, rank, writer);
		writer->end(writer);
	}
}

int
main(int n, char **arguments)
{
	const struct
	{
		const char *name, *suffix;
		Writer *writer;
	} formats[] = {{"nsight", "sqlite", nsight_writer()},
				   {"rocpd", "db", rocpd_writer()},
				   {"kineto", "json", kineto_writer()}};
	Options options = {.n_ranks = 1, .n_steps = 10, .slow_rank = -1, .devices = 1};

	if (n < 3)
		return say_usage();
	for (int i = 3; i < n; i++)
		if (!take_option(arguments[i], &options))
			return say_usage();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(arguments[1], formats[i].name) == 0)
		{
			write_ranks(&options, arguments[2], formats[i].suffix, formats[i].writer);
			return 0;
		}
	return say_usage();
}
