/*
 * bench_hpctoolkit4.c - what reading an HPCToolkit 4 database costs the loader, without any
 * database server.
 *
 *   bench_hpctoolkit4 FOLDER [ROUNDS]
 *
 * Prints "values CPU-seconds peak-bytes": stored values of threads, CPU of the fastest round from
 * files to the profile, and the most memory that was taken from the environment at once.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reader_cost.h"
#include "readers/hpctoolkit4/file.h"
#include "system/memory.h"

/* Values of all profiles but the first, which is the summary. */
static uint64_t
count_values(PhEnv *env, const char *folder)
{
	char path[4096];
	PhInput input;
	PhHpc4File file;
	uint64_t n = 0;

	snprintf(path, sizeof(path), "%s/profile.db", folder);
	must(ph_input_open(env, path, &input), env);
	must(ph_hpc4_open(env, &input, &ph_hpc4_profile, &file), env);
	size_t section = file.sections[0].at, infos = ph_hpc4_u64(&file, section);
	for (size_t i = 1; i < ph_hpc4_u32(&file, section + 8); i++)
		n += ph_hpc4_u64(&file, infos + i * ph_hpc4_u8(&file, section + 12));
	ph_input_close(&input);
	return n;
}

static double
read_once(PhEnv *env, const char *folder)
{
	PhArena arena;
	PhExperiment *list;
	PhUnreadList unread;
	PhReadOptions options = {0};
	PhRunInput run;
	size_t n;

	ph_arena_init(&arena, env);
	must(ph_source_expand(&arena, folder, NULL, &list, &n, &unread), env);
	double start = cpu_seconds();
	must(ph_experiment_read(env, &list[0], &options, &run), env);
	double spent = cpu_seconds() - start;
	ph_run_input_free(env, &run);
	ph_arena_drop(&arena);
	return spent;
}

int
main(int argc, char **argv)
{
	Memory memory = {0};
	PhEnv env = {.alloc = allocate, .user = &memory};
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	if (argc < 2)
	{
		fprintf(stderr, "usage: bench_hpctoolkit4 FOLDER [ROUNDS]\n");
		return 2;
	}
	ph_memory_keep(); /* as the loader does */
	double fastest = read_once(&env, argv[1]);
	for (int i = 1; i < rounds; i++)
	{
		double spent = read_once(&env, argv[1]);

		fastest = spent < fastest ? spent : fastest;
	}
	printf("%" PRIu64 " %.4f %zu\n", count_values(&env, argv[1]), fastest, memory.peak);
	return 0;
}
