/*
 * gen_threads.c - writes a synthetic OTF2 trace of an MPI program with OpenMP threads that never
 * ran.
 *
 *   gen_threads FOLDER [--ranks N] [--threads N] [--iterations N] [--seed N] [--serial NS]
 *               [--slow-rank N] [--slow-thread N] [--locked NS]
 *
 * FOLDER/traces.otf2 must not exist yet. In each iteration the master of each rank computes alone,
 * forks a team that works and meets in an implicit barrier, and adds up with the other masters.
 * --serial: how long the master computes alone (2000). --slow-thread: that thread (0 to N - 1) of
 * the slow rank (0) works six times as long; with --slow-rank alone all of its threads do.
 * --locked: each thread spends so long in a critical section that one may be in at a time (0:
 * there is none). The same arguments give the same events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "gen_otf2.h"

#define NOBODY UINT32_MAX

typedef enum Region
{
	MAIN,
	SERIAL,
	WORK,
	PARALLEL,
	CRITICAL,
	CRITICAL_BLOCK,
	IMPLICIT_BARRIER,
	MPI_ALLREDUCE,
	N_REGIONS
} Region;

static const struct
{
	const char *name;
	OTF2_RegionRole role;
	OTF2_Paradigm paradigm;
} regions[N_REGIONS] = {
	{"main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
	{"serial", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
	{"work", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
	{"!$omp parallel @step.c:20", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP},
	{"!$omp critical @step.c:30", OTF2_REGION_ROLE_CRITICAL, OTF2_PARADIGM_OPENMP},
	{"!$omp critical sblock @step.c:30", OTF2_REGION_ROLE_CRITICAL_SBLOCK, OTF2_PARADIGM_OPENMP},
	{"!$omp implicit barrier @step.c:40", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP},
	{"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI},
};

typedef struct Thread
{
	OTF2_EvtWriter *writer;
	uint64_t time; /* now, in ns */
	uint64_t random;
} Thread;

typedef struct Generator
{
	OTF2_Archive *archive;
	Thread *threads; /* by rank, then thread */
	uint32_t n_ranks, n_threads, n_iterations, seed;
	uint32_t serial, slow_rank, slow_thread, locked;
	uint32_t *n_locked; /* by rank: how often its lock was taken */
} Generator;

/* ---- a thread's clock and events ---- */

static void
pass_time(Thread *thread, uint64_t least)
{
	thread->time += least + draw_below(&thread->random, least / 8 + 10);
}

static void
enter(Thread *thread, Region region)
{
	pass_time(thread, 40);
	check(OTF2_EvtWriter_Enter(thread->writer, NULL, thread->time, region), "ENTER");
}

static void
leave(Thread *thread, Region region)
{
	pass_time(thread, 40);
	check(OTF2_EvtWriter_Leave(thread->writer, NULL, thread->time, region), "LEAVE");
}

static void
compute(Thread *thread, Region region, uint64_t duration)
{
	enter(thread, region);
	pass_time(thread, duration);
	leave(thread, region);
}

static uint64_t
latest(const Thread *threads, uint32_t n, uint32_t distance)
{
	uint64_t time = 0;

	for (uint32_t i = 0; i < n; i++)
		time = threads[i * distance].time > time ? threads[i * distance].time : time;
	return time;
}

/* ---- the program ---- */

static bool
is_slow(const Generator *generator, uint32_t rank, uint32_t thread)
{
	uint32_t slow = generator->slow_rank == NOBODY ? 0 : generator->slow_rank;

	if (generator->slow_rank == NOBODY && generator->slow_thread == NOBODY)
		return false;
	return rank == slow && (generator->slow_thread == NOBODY || thread == generator->slow_thread);
}

/* Threads take the lock in the order in which they come. */
static void
take_turns(Generator *generator, uint32_t rank)
{
	Thread *team = &generator->threads[rank * generator->n_threads];
	bool *done = allocate(generator->n_threads, sizeof(*done));
	uint64_t freed = 0;

	for (uint32_t i = 0; i < generator->n_threads; i++)
		enter(&team[i], CRITICAL);
	for (uint32_t turn = 0; turn < generator->n_threads; turn++)
	{
		uint32_t order = ++generator->n_locked[rank];
		Thread *next = NULL;

		for (uint32_t i = 0; i < generator->n_threads; i++)
			if (!done[i] && (next == NULL || team[i].time < next->time))
				next = &team[i];
		done[next - team] = true;
		next->time = next->time > freed ? next->time : freed + 20;
		check(OTF2_EvtWriter_ThreadAcquireLock(next->writer, NULL, next->time, OTF2_PARADIGM_OPENMP,
											   1, order),
			  "ACQUIRE");
		compute(next, CRITICAL_BLOCK, generator->locked);
		freed = next->time;
		check(OTF2_EvtWriter_ThreadReleaseLock(next->writer, NULL, next->time, OTF2_PARADIGM_OPENMP,
											   1, order),
			  "RELEASE");
		leave(next, CRITICAL);
	}
	free(done);
}

static void
run_team(Generator *generator, uint32_t rank)
{
	Thread *team = &generator->threads[rank * generator->n_threads];
	uint32_t n = generator->n_threads;

	check(OTF2_EvtWriter_ThreadFork(team->writer, NULL, team->time, OTF2_PARADIGM_OPENMP, n),
		  "FORK");
	for (uint32_t i = 0; i < n; i++)
	{
		team[i].time = team[i].time > team->time ? team[i].time : team->time;
		pass_time(&team[i], 100);
		check(OTF2_EvtWriter_ThreadTeamBegin(team[i].writer, NULL, team[i].time, 1 + rank),
			  "TEAM_BEGIN");
		enter(&team[i], PARALLEL);
		compute(&team[i], WORK, is_slow(generator, rank, i) ? 30000 : 5000);
	}
	if (generator->locked > 0)
		take_turns(generator, rank);
	for (uint32_t i = 0; i < n; i++)
		enter(&team[i], IMPLICIT_BARRIER);
	uint64_t last = latest(team, n, 1);
	for (uint32_t i = 0; i < n; i++)
	{
		team[i].time = last;
		leave(&team[i], IMPLICIT_BARRIER);
		leave(&team[i], PARALLEL);
		check(OTF2_EvtWriter_ThreadTeamEnd(team[i].writer, NULL, team[i].time, 1 + rank),
			  "TEAM_END");
	}
	team->time = latest(team, n, 1);
	check(OTF2_EvtWriter_ThreadJoin(team->writer, NULL, team->time, OTF2_PARADIGM_OPENMP), "JOIN");
}

static void
add_up(Generator *generator)
{
	uint32_t n = generator->n_threads;

	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Thread *master = &generator->threads[r * n];

		enter(master, MPI_ALLREDUCE);
		check(OTF2_EvtWriter_MpiCollectiveBegin(master->writer, NULL, master->time), "BEGIN");
	}
	uint64_t last = latest(generator->threads, generator->n_ranks, n);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Thread *master = &generator->threads[r * n];

		master->time = last;
		pass_time(master, 500);
		check(OTF2_EvtWriter_MpiCollectiveEnd(master->writer, NULL, master->time,
											  OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
											  OTF2_UNDEFINED_UINT32, 8, 8),
			  "END");
		leave(master, MPI_ALLREDUCE);
	}
}

static uint64_t
location_of(const Generator *generator, uint32_t index)
{
	return (uint64_t) (index % generator->n_threads) << 32 | index / generator->n_threads;
}

static void
write_events(Generator *generator)
{
	uint32_t n = generator->n_ranks * generator->n_threads;

	for (uint32_t i = 0; i < n; i++)
	{
		Thread *thread = &generator->threads[i];

		thread->writer = OTF2_Archive_GetEvtWriter(generator->archive, location_of(generator, i));
		thread->random = (uint64_t) generator->seed * 1000003 + i;
		thread->time = 1000;
		if (i % generator->n_threads == 0)
			enter(thread, MAIN);
	}
	for (uint32_t i = 0; i < generator->n_iterations; i++)
	{
		for (uint32_t r = 0; r < generator->n_ranks; r++)
		{
			compute(&generator->threads[r * generator->n_threads], SERIAL, generator->serial);
			run_team(generator, r);
		}
		add_up(generator);
	}
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		leave(&generator->threads[r * generator->n_threads], MAIN);
}

/* ---- the archive ---- */

/* Processes and threads; of each rank the team of its threads. */
static void
write_groups(const Generator *generator, OTF2_GlobalDefWriter *writer)
{
	uint32_t n = generator->n_ranks * generator->n_threads;
	uint64_t *members = allocate(n, sizeof(*members));

	write_world(writer, 4, generator->n_ranks);
	for (uint32_t i = 0; i < n; i++)
		members[i] = location_of(generator, i);
	write_group(writer, 2, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, n, members);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		for (uint32_t i = 0; i < generator->n_threads; i++)
			members[i] = (uint64_t) r * generator->n_threads + i;
		write_group(writer, 3 + r, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
					generator->n_threads, members);
		check(OTF2_GlobalDefWriter_WriteComm(writer, 1 + r, 0, 3 + r, OTF2_UNDEFINED_COMM,
											 OTF2_COMM_FLAG_NONE),
			  "communicator");
	}
	free(members);
}

static void
write_locations(const Generator *generator, OTF2_GlobalDefWriter *writer, uint32_t *next_string)
{
	for (uint32_t i = 0; i < generator->n_ranks * generator->n_threads; i++)
	{
		uint32_t rank = i / generator->n_threads, thread = i % generator->n_threads;
		char text[64];

		snprintf(text, sizeof(text), "MPI Rank %u", rank);
		if (thread == 0)
			write_process(writer, rank, *next_string);
		if (thread > 0)
			snprintf(text, sizeof(text), "OMP thread %u", thread);
		write_thread(writer, location_of(generator, i), *next_string, rank,
					 generator->threads[i].writer);
		write_string(writer, next_string, text);
	}
}

static void
write_definitions(const Generator *generator)
{
	static const char *const texts[] = {"", "/src/generated/step.c", "node0", "node",
										"MPI_COMM_WORLD"};
	OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(generator->archive);
	uint32_t n = generator->n_ranks * generator->n_threads, next = 0;

	write_clock(writer, latest(generator->threads, n, 1));
	for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		write_string(writer, &next, texts[i]);
	for (uint32_t i = 0; i < N_REGIONS; i++)
	{
		check(OTF2_GlobalDefWriter_WriteRegion(writer, i, next, next, 0, regions[i].role,
											   regions[i].paradigm, OTF2_REGION_FLAG_NONE, 1,
											   10 * (i + 1), 0),
			  "region");
		write_string(writer, &next, regions[i].name);
	}
	write_node(writer, 2, 3);
	write_locations(generator, writer, &next);
	write_groups(generator, writer);
	check(OTF2_Archive_CloseGlobalDefWriter(generator->archive, writer), "definitions");
}

static void
close_archive(Generator *generator)
{
	write_definitions(generator);
	for (uint32_t i = 0; i < generator->n_ranks * generator->n_threads; i++)
		check(OTF2_Archive_CloseEvtWriter(generator->archive, generator->threads[i].writer),
			  "close");
	check(OTF2_Archive_CloseEvtFiles(generator->archive), "close");
	check(OTF2_Archive_Close(generator->archive), "close");
}

static int
usage(void)
{
	fprintf(stderr,
			"usage: gen_threads FOLDER [--ranks N] [--threads N] [--iterations N] [--seed N] "
			"[--serial NS]\n"
			"       [--slow-rank N] [--slow-thread N] [--locked NS]\n");
	return 2;
}

int
main(int argc, char **argv)
{
	Generator generator = {.n_ranks = 4,
						   .n_threads = 4,
						   .n_iterations = 100,
						   .seed = 1,
						   .serial = 2000,
						   .slow_rank = NOBODY,
						   .slow_thread = NOBODY};
	const Option options[] = {
		{"--ranks", &generator.n_ranks},		   {"--threads", &generator.n_threads},
		{"--iterations", &generator.n_iterations}, {"--seed", &generator.seed},
		{"--serial", &generator.serial},		   {"--slow-rank", &generator.slow_rank},
		{"--slow-thread", &generator.slow_thread}, {"--locked", &generator.locked},
	};

	if (argc < 2)
		return usage();
	set_options(options, sizeof(options) / sizeof(options[0]), argc - 2, argv + 2);
	if (generator.n_ranks == 0 || generator.n_threads == 0)
		return usage();
	generator.threads =
		allocate((size_t) generator.n_ranks * generator.n_threads, sizeof(*generator.threads));
	generator.n_locked = allocate(generator.n_ranks, sizeof(*generator.n_locked));
	generator.archive = open_archive(argv[1], OTF2_CHUNK_SIZE_EVENTS_DEFAULT);
	write_events(&generator);
	close_archive(&generator);
	free(generator.n_locked);
	free(generator.threads);
	return 0;
}
