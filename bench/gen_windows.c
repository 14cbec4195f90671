/*
 * gen_windows.c - writes a synthetic OTF2 trace of an MPI program with one-sided communication that
 * never ran.
 *
 *   gen_windows PATTERN FOLDER [--ranks N] [--iterations N] [--slow-rank N] [--records 0|1]
 *
 * PATTERN: fence (all put to the next rank between fences), epochs (post, start, put, complete,
 * wait with both neighbours in a ring; starting waits for the posts), lazy (the same, but
 * completing waits), locks (each rank locks the window of rank 0 alone). FOLDER/traces.otf2 must
 * not exist yet.
 * --slow-rank: one rank computes six times as long or, of locks, holds them so long. --records 0:
 * calls alone are recorded. The same arguments give the same events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "gen_otf2.h"

#define LATENCY 1500 /* ns until others know */
#define WINDOW 0
#define FIRST_GROUP 2 /* of rank 0: its neighbours */
#define TARGET 0	  /* whose window is locked */

typedef enum Region
{
	MAIN,
	COMPUTE,
	HELD,
	WIN_CREATE,
	WIN_FREE,
	WIN_FENCE,
	WIN_POST,
	WIN_START,
	PUT,
	WIN_COMPLETE,
	WIN_WAIT,
	WIN_LOCK,
	WIN_UNLOCK,
	N_REGIONS
} Region;

static const char *const region_names[N_REGIONS] = {
	"main",			 "compute",		 "held",		  "MPI_Win_create", "MPI_Win_free",
	"MPI_Win_fence", "MPI_Win_post", "MPI_Win_start", "MPI_Put",		"MPI_Win_complete",
	"MPI_Win_wait",	 "MPI_Win_lock", "MPI_Win_unlock"};

typedef struct Rank
{
	OTF2_EvtWriter *writer;
	uint64_t time; /* now, in ns */
	uint64_t posted, completed;
	bool done; /* with the lock, in this iteration */
} Rank;

typedef struct Generator
{
	OTF2_Archive *archive;
	Rank *ranks;
	uint32_t n_ranks, n_iterations, slow_rank, has_records;
	uint64_t freed; /* the lock */
} Generator;

/* ---- a rank's clock and events ---- */

static void
enter(Rank *rank, Region region)
{
	rank->time += 40;
	check(OTF2_EvtWriter_Enter(rank->writer, NULL, rank->time, region), "ENTER");
}

static void
leave(Rank *rank, Region region)
{
	rank->time += 50;
	check(OTF2_EvtWriter_Leave(rank->writer, NULL, rank->time, region), "LEAVE");
}

static void
compute(const Generator *generator, uint32_t r, Region region, bool may_be_slow)
{
	Rank *rank = &generator->ranks[r];

	enter(rank, region);
	rank->time += 20000u * (may_be_slow && r == generator->slow_rank ? 6 : 1) + 100 * (r % 7);
	leave(rank, region);
}

static void
wait_until(Rank *rank, uint64_t time)
{
	rank->time = rank->time > time ? rank->time : time;
}

static void
put(const Generator *generator, uint32_t r, uint32_t target, uint64_t matching)
{
	Rank *rank = &generator->ranks[r];

	enter(rank, PUT);
	if (generator->has_records)
		check(OTF2_EvtWriter_RmaPut(rank->writer, NULL, rank->time, WINDOW, target, 4096, matching),
			  "PUT");
	leave(rank, PUT);
}

/* ---- patterns ---- */

static void
meet(Generator *generator, Region region, OTF2_CollectiveOp operation)
{
	uint64_t last = 0;

	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];

		enter(rank, region);
		if (generator->has_records)
			check(OTF2_EvtWriter_RmaCollectiveBegin(rank->writer, NULL, rank->time), "BEGIN");
		last = rank->time > last ? rank->time : last;
	}
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];

		wait_until(rank, last + LATENCY);
		if (generator->has_records)
			check(OTF2_EvtWriter_RmaCollectiveEnd(rank->writer, NULL, rank->time, operation,
												  OTF2_RMA_SYNC_LEVEL_PROCESS |
													  OTF2_RMA_SYNC_LEVEL_MEMORY,
												  WINDOW, OTF2_UNDEFINED_UINT32, 0, 0),
				  "END");
		leave(rank, region);
	}
}

/* All compute, put, and meet. */
static void
fence(Generator *generator, uint32_t iteration)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		compute(generator, r, COMPUTE, true);
		put(generator, r, (r + 1) % generator->n_ranks, iteration);
	}
	meet(generator, WIN_FENCE, OTF2_COLLECTIVE_OP_BARRIER);
}

static void
synchronise(Generator *generator, uint32_t r, Region region, uint64_t until)
{
	Rank *rank = &generator->ranks[r];

	wait_until(rank, until);
	if (generator->has_records)
		check(OTF2_EvtWriter_RmaGroupSync(rank->writer, NULL, rank->time,
										  OTF2_RMA_SYNC_LEVEL_PROCESS, WINDOW, FIRST_GROUP + r),
			  "GROUP_SYNC");
	leave(rank, region);
}

static const Rank *
neighbour(const Generator *generator, uint32_t r, int side)
{
	uint32_t n = generator->n_ranks;

	return &generator->ranks[side == 0 ? (r + n - 1) % n : (r + 1) % n];
}

static void
access_neighbours(Generator *generator, uint32_t r, uint64_t matching, bool is_lazy)
{
	Rank *rank = &generator->ranks[r];
	uint64_t until = neighbour(generator, r, 0)->posted;

	if (neighbour(generator, r, 1)->posted > until)
		until = neighbour(generator, r, 1)->posted;
	enter(rank, WIN_START);
	synchronise(generator, r, WIN_START, is_lazy ? 0 : until + LATENCY);
	for (int side = 0; side < 2; side++)
		put(generator, r, (uint32_t) (neighbour(generator, r, side) - generator->ranks),
			2 * matching + (uint64_t) side);
	enter(rank, WIN_COMPLETE);
	rank->completed = rank->time;
	synchronise(generator, r, WIN_COMPLETE, is_lazy ? until + LATENCY : 0);
}

static void
epochs(Generator *generator, uint32_t iteration, bool is_lazy)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];

		compute(generator, r, COMPUTE, true);
		enter(rank, WIN_POST);
		rank->posted = rank->time;
		synchronise(generator, r, WIN_POST, 0);
	}
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		access_neighbours(generator, r, iteration, is_lazy);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		uint64_t before = neighbour(generator, r, 0)->completed;
		uint64_t behind = neighbour(generator, r, 1)->completed;

		enter(&generator->ranks[r], WIN_WAIT);
		synchronise(generator, r, WIN_WAIT, (before > behind ? before : behind) + LATENCY);
	}
}

/* The window of TARGET, which nobody else may use then. */
static void
use_window(Generator *generator, uint32_t r)
{
	Rank *rank = &generator->ranks[r];

	enter(rank, WIN_LOCK);
	if (generator->has_records)
		check(OTF2_EvtWriter_RmaRequestLock(rank->writer, NULL, rank->time, WINDOW, TARGET, 0,
											OTF2_LOCK_EXCLUSIVE),
			  "REQUEST_LOCK");
	wait_until(rank, generator->freed + LATENCY);
	if (generator->has_records)
		check(OTF2_EvtWriter_RmaAcquireLock(rank->writer, NULL, rank->time, WINDOW, TARGET, 0,
											OTF2_LOCK_EXCLUSIVE),
			  "ACQUIRE_LOCK");
	leave(rank, WIN_LOCK);
	put(generator, r, TARGET, r);
	compute(generator, r, HELD, true);
	enter(rank, WIN_UNLOCK);
	if (generator->has_records)
		check(OTF2_EvtWriter_RmaReleaseLock(rank->writer, NULL, rank->time, WINDOW, TARGET, 0),
			  "RELEASE_LOCK");
	generator->freed = rank->time;
	leave(rank, WIN_UNLOCK);
}

static void
locks(Generator *generator)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		compute(generator, r, COMPUTE, false);
		generator->ranks[r].done = false;
	}
	for (uint32_t turn = 0; turn < generator->n_ranks; turn++)
	{
		Rank *next = NULL;

		for (Rank *rank = generator->ranks; rank < generator->ranks + generator->n_ranks; rank++)
			if (!rank->done && (next == NULL || rank->time < next->time))
				next = rank;
		next->done = true;
		use_window(generator, (uint32_t) (next - generator->ranks));
	}
}

static void
write_events(Generator *generator, const char *pattern)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		generator->ranks[r].writer = OTF2_Archive_GetEvtWriter(generator->archive, r);
		generator->ranks[r].time = 1000;
		enter(&generator->ranks[r], MAIN);
	}
	meet(generator, WIN_CREATE, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
	for (uint32_t i = 0; i < generator->n_iterations; i++)
	{
		if (strcmp(pattern, "fence") == 0)
			fence(generator, i);
		else if (strcmp(pattern, "locks") == 0)
			locks(generator);
		else
			epochs(generator, i, strcmp(pattern, "lazy") == 0);
	}
	meet(generator, WIN_FREE, OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		leave(&generator->ranks[r], MAIN);
}

/* ---- the archive ---- */

/* All ranks, their window, and the neighbours of each. */
static void
write_groups(const Generator *generator, OTF2_GlobalDefWriter *writer)
{
	uint32_t n = generator->n_ranks;

	write_world(writer, 4, n);
	for (uint32_t r = 0; r < n; r++)
	{
		const uint64_t both[] = {(r + n - 1) % n, (r + 1) % n};

		write_group(writer, FIRST_GROUP + r, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
					both[0] == both[1] ? 1 : 2, both);
	}
	if (generator->has_records)
		check(OTF2_GlobalDefWriter_WriteRmaWin(writer, WINDOW, 5, 0, OTF2_RMA_WIN_FLAG_NONE),
			  "window");
}

static void
write_locations(const Generator *generator, OTF2_GlobalDefWriter *writer, uint32_t *next_string)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		char text[64];

		snprintf(text, sizeof(text), "MPI Rank %u", r);
		write_process(writer, r, *next_string);
		write_thread(writer, r, *next_string, r, generator->ranks[r].writer);
		write_string(writer, next_string, text);
	}
}

static void
write_definitions(const Generator *generator)
{
	static const char *const texts[] = {"",		"/src/generated/step.c", "node0",
										"node", "MPI_COMM_WORLD",		 "window"};
	OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(generator->archive);
	uint64_t last = 0;
	uint32_t next = 0;

	for (uint32_t r = 0; r < generator->n_ranks; r++)
		last = generator->ranks[r].time > last ? generator->ranks[r].time : last;
	write_clock(writer, last);
	for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		write_string(writer, &next, texts[i]);
	for (uint32_t i = 0; i < N_REGIONS; i++)
	{
		check(
			OTF2_GlobalDefWriter_WriteRegion(writer, i, next, next, 0, OTF2_REGION_ROLE_FUNCTION,
											 i <= HELD ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_MPI,
											 OTF2_REGION_FLAG_NONE, 1, 10 * (i + 1), 0),
			"region");
		write_string(writer, &next, region_names[i]);
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
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		check(OTF2_Archive_CloseEvtWriter(generator->archive, generator->ranks[r].writer), "close");
	check(OTF2_Archive_CloseEvtFiles(generator->archive), "close");
	check(OTF2_Archive_Close(generator->archive), "close");
}

static int
usage(void)
{
	fprintf(stderr, "usage: gen_windows fence|epochs|lazy|locks FOLDER [--ranks N] "
					"[--iterations N] [--slow-rank N]\n"
					"       [--records 0|1]\n");
	return 2;
}

int
main(int argc, char **argv)
{
	Generator generator = {
		.n_ranks = 4, .n_iterations = 100, .slow_rank = UINT32_MAX, .has_records = 1};
	const Option options[] = {
		{"--ranks", &generator.n_ranks},
		{"--iterations", &generator.n_iterations},
		{"--slow-rank", &generator.slow_rank},
		{"--records", &generator.has_records},
	};

	if (argc < 3)
		return usage();
	set_options(options, sizeof(options) / sizeof(options[0]), argc - 3, argv + 3);
	if (generator.n_ranks < 2)
		return usage();
	generator.ranks = allocate(generator.n_ranks, sizeof(*generator.ranks));
	generator.archive = open_archive(argv[2], OTF2_CHUNK_SIZE_EVENTS_DEFAULT);
	write_events(&generator, argv[1]);
	close_archive(&generator);
	free(generator.ranks);
	return 0;
}
