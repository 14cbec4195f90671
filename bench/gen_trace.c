/*
 * gen_trace.c - writes a synthetic OTF2 trace of an MPI program that never ran.
 *
 *   gen_trace PATTERN FOLDER [--ranks N] [--iterations N] [--seed N]
 *             [--delay NS [--delay-rank N] [--delay-iteration N]] [--slow-rank N] [--large-rank N]
 *             [--better N] [--io-rank N]
 *
 * PATTERN: halo (2D stencil: Irecv, Isend, Waitall), ring (Send, Recv), tree (merge tree: Recv from
 * both children, Send to the parent), allreduce (collectives of several kinds), random (each rank
 * sends to others drawn anew in every iteration), shift (each
 * rank sends to the next one by rendezvous, then receives), spread (binomial broadcast), sweep
 * (both sweeps of LU over a grid of four by N / 4). FOLDER/traces.otf2 must not exist yet. Ranks
 * compute for times that vary, and wait for what they need, so that messages never arrive before
 * they are sent. The same arguments give the same events. --delay: one rank (0) starts one
 * iteration (0) so much later; nothing else changes but what has to wait for it. --slow-rank: in
 * halo and sweep, one rank computes six times as long, always.
 * --large-rank: in halo and random, the messages of one rank have sixteen times as many bytes.
 * --better 1: in shift, odd ranks receive first; in spread, the farthest ranks are sent to first.
 * --io-rank: in halo, one rank writes a file in every tenth iteration, for ten times as long as it
 * computes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "gen_otf2.h"

#define LATENCY 1500 /* ns that a message takes */
#define TAG 7
#define MOST_PEERS 4

typedef enum Region
{
	MAIN,
	STEP,
	COMPUTE,
	EXCHANGE,
	MPI_ISEND,
	MPI_IRECV,
	MPI_WAITALL,
	MPI_SEND,
	MPI_RECV,
	MPI_ALLREDUCE,
	MPI_BARRIER,
	MPI_BCAST,
	N_REGIONS,
	FILE_WRITE = N_REGIONS /* only with --io-rank */
} Region;

static const char *const region_names[N_REGIONS + 1] = {
	"main",		"step",		"compute",		 "exchange",	"MPI_Isend", "MPI_Irecv", "MPI_Waitall",
	"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "write"};

typedef struct Rank
{
	OTF2_EvtWriter *writer;
	uint64_t time; /* now, in ns */
	uint64_t random;
	uint64_t request;
} Rank;

typedef struct Generator
{
	OTF2_Archive *archive;
	Rank *ranks;
	uint32_t n_ranks;
	uint32_t n_iterations;
	uint32_t seed;
	uint64_t *posted; /* by rank: when its messages of this iteration left */
	uint32_t delay, delay_rank, delay_iteration;
	uint32_t slow_rank, large_rank; /* n_ranks or more: none */
	uint32_t better;				/* not 0: in the better order */
	uint32_t io_rank;				/* n_ranks or more: none */
} Generator;

/* ---- a rank's clock and events ---- */

static void
pass_time(Rank *rank, uint64_t least, uint64_t spread)
{
	rank->time += least + draw_below(&rank->random, spread);
}

static void
enter(Rank *rank, Region region)
{
	pass_time(rank, 40, 30);
	check(OTF2_EvtWriter_Enter(rank->writer, NULL, rank->time, region), "ENTER");
}

static void
leave(Rank *rank, Region region)
{
	pass_time(rank, 50, 40);
	check(OTF2_EvtWriter_Leave(rank->writer, NULL, rank->time, region), "LEAVE");
}

static void
compute(Rank *rank, uint64_t least, uint64_t spread)
{
	enter(rank, COMPUTE);
	pass_time(rank, least, spread);
	leave(rank, COMPUTE);
}

static void
write_file(Rank *rank)
{
	enter(rank, FILE_WRITE);
	pass_time(rank, 250000, 50000);
	leave(rank, FILE_WRITE);
}

static void
wait_until(Rank *rank, uint64_t time)
{
	rank->time = rank->time > time ? rank->time : time;
}

static void
collective(Generator *generator, Region region, OTF2_CollectiveOp operation, uint32_t root,
		   uint64_t bytes)
{
	uint64_t last = 0;

	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];

		enter(rank, region);
		check(OTF2_EvtWriter_MpiCollectiveBegin(rank->writer, NULL, rank->time), "BEGIN");
		last = rank->time > last ? rank->time : last;
	}
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];

		wait_until(rank, last + LATENCY);
		check(OTF2_EvtWriter_MpiCollectiveEnd(rank->writer, NULL, rank->time, operation, 0, root,
											  bytes, bytes),
			  "END");
		leave(rank, region);
	}
}

static void
barrier(Generator *generator)
{
	collective(generator, MPI_BARRIER, OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_ROOT_NONE, 0);
}

/* ---- exchanges with peers ---- */

typedef struct Peers
{
	uint32_t n;
	uint32_t to[MOST_PEERS];
} Peers;

/* Neighbours in a grid as square as can be, without wrap-around. */
static Peers
grid_peers(const Generator *generator, uint32_t rank)
{
	uint32_t width = 1;
	Peers peers = {0};

	for (uint32_t w = 1; w * w <= generator->n_ranks; w++)
		width = generator->n_ranks % w == 0 ? generator->n_ranks / w : width;
	if (rank >= width)
		peers.to[peers.n++] = rank - width;
	if (rank % width > 0)
		peers.to[peers.n++] = rank - 1;
	if (rank % width + 1 < width)
		peers.to[peers.n++] = rank + 1;
	if (rank + width < generator->n_ranks)
		peers.to[peers.n++] = rank + width;
	return peers;
}

/* Exchange partners of everybody: rank + k and rank - k for two drawn distances. */
static Peers
random_peers(const Generator *generator, uint32_t rank, uint32_t iteration)
{
	uint64_t random = generator->seed + iteration;
	Peers peers = {0};

	for (int i = 0; i < MOST_PEERS / 2 && generator->n_ranks > 1; i++)
	{
		uint32_t n = generator->n_ranks;
		uint32_t distance = 1 + (uint32_t) draw_below(&random, n - 1);

		peers.to[peers.n++] = (rank + distance) % n;
		peers.to[peers.n++] = (rank + n - distance) % n;
	}
	return peers;
}

/* Of a message in an exchange. */
static uint64_t
exchanged_bytes(const Generator *generator, uint32_t sender, uint32_t iteration)
{
	return 8 * (64 + iteration % 64) * (sender == generator->large_rank ? 16 : 1);
}

static void
post(Rank *rank, const Peers *peers, uint64_t bytes)
{
	enter(rank, EXCHANGE);
	for (uint32_t i = 0; i < peers->n; i++)
	{
		enter(rank, MPI_IRECV);
		check(OTF2_EvtWriter_MpiIrecvRequest(rank->writer, NULL, rank->time, rank->request + i),
			  "IRECV_REQUEST");
		leave(rank, MPI_IRECV);
	}
	for (uint32_t i = 0; i < peers->n; i++)
	{
		enter(rank, MPI_ISEND);
		check(OTF2_EvtWriter_MpiIsend(rank->writer, NULL, rank->time, peers->to[i], 0, TAG, bytes,
									  rank->request + peers->n + i),
			  "ISEND");
		leave(rank, MPI_ISEND);
	}
}

static void
complete(Generator *generator, uint32_t r, const Peers *peers, uint32_t iteration)
{
	Rank *rank = &generator->ranks[r];

	enter(rank, MPI_WAITALL);
	for (uint32_t i = 0; i < peers->n; i++)
		wait_until(rank, generator->posted[peers->to[i]] + LATENCY);
	for (uint32_t i = 0; i < peers->n; i++)
		check(OTF2_EvtWriter_MpiIrecv(rank->writer, NULL, rank->time, peers->to[i], 0, TAG,
									  exchanged_bytes(generator, peers->to[i], iteration),
									  rank->request + i),
			  "IRECV");
	for (uint32_t i = 0; i < peers->n; i++)
		check(OTF2_EvtWriter_MpiIsendComplete(rank->writer, NULL, rank->time,
											  rank->request + peers->n + i),
			  "ISEND_COMPLETE");
	leave(rank, MPI_WAITALL);
	leave(rank, EXCHANGE);
	rank->request += 2 * peers->n;
}

static Peers
peers_of(const Generator *generator, bool is_grid, uint32_t rank, uint32_t iteration)
{
	return is_grid ? grid_peers(generator, rank) : random_peers(generator, rank, iteration);
}

static void
exchange(Generator *generator, uint32_t iteration, bool is_grid)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];
		Peers peers = peers_of(generator, is_grid, r, iteration);

		enter(rank, STEP);
		compute(rank, (20000 + 100 * (r % 7)) * (r == generator->slow_rank ? 6 : 1), 6000);
		if (r == generator->io_rank && iteration % 10 == 5)
			write_file(rank);
		post(rank, &peers, exchanged_bytes(generator, r, iteration));
		generator->posted[r] = rank->time;
	}
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Peers peers = peers_of(generator, is_grid, r, iteration);

		complete(generator, r, &peers, iteration);
		leave(&generator->ranks[r], STEP);
	}
	if (iteration % 10 == 9)
		collective(generator, MPI_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE,
				   OTF2_COLLECTIVE_ROOT_NONE, 8);
}

/* ---- the other patterns ---- */

static void
send(Generator *generator, uint32_t from, uint32_t to, uint64_t bytes)
{
	Rank *rank = &generator->ranks[from];

	enter(rank, MPI_SEND);
	check(OTF2_EvtWriter_MpiSend(rank->writer, NULL, rank->time, to, 0, TAG, bytes), "SEND");
	generator->posted[from] = rank->time;
	leave(rank, MPI_SEND);
}

static void
receive(Generator *generator, uint32_t from, uint32_t to, uint64_t bytes)
{
	Rank *rank = &generator->ranks[to];

	enter(rank, MPI_RECV);
	wait_until(rank, generator->posted[from] + LATENCY);
	check(OTF2_EvtWriter_MpiRecv(rank->writer, NULL, rank->time, from, 0, TAG, bytes), "RECV");
	leave(rank, MPI_RECV);
}

static void
ring(Generator *generator, uint32_t iteration)
{
	uint32_t n = generator->n_ranks;

	for (uint32_t r = 0; r < n; r++)
	{
		enter(&generator->ranks[r], STEP);
		compute(&generator->ranks[r], 5000, 3000);
		send(generator, r, (r + 1) % n, 1024 + iteration % 16);
	}
	for (uint32_t r = 0; r < n; r++)
	{
		receive(generator, (r + n - 1) % n, r, 1024 + iteration % 16);
		leave(&generator->ranks[r], STEP);
	}
}

/* Children 2r+1 and 2r+2 send what they merged: the leaves first. */
static void
tree(Generator *generator, uint32_t iteration)
{
	for (uint32_t r = generator->n_ranks; r-- > 0;)
	{
		enter(&generator->ranks[r], STEP);
		compute(&generator->ranks[r], 8000, 9000);
		for (uint32_t child = 2 * r + 1; child <= 2 * r + 2 && child < generator->n_ranks; child++)
			receive(generator, child, r, 4096 + iteration % 8);
		if (r > 0)
			send(generator, r, (r - 1) / 2, 4096 + iteration % 8);
		leave(&generator->ranks[r], STEP);
	}
	collective(generator, MPI_BCAST, OTF2_COLLECTIVE_OP_BCAST, 0, 64);
}

static void
allreduce(Generator *generator, uint32_t iteration)
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		compute(&generator->ranks[r], 10000, 20000);
	collective(generator, MPI_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_ROOT_NONE,
			   8 << iteration % 8);
	if (iteration % 4 == 3)
		collective(generator, MPI_BCAST, OTF2_COLLECTIVE_OP_BCAST, iteration % generator->n_ranks,
				   256);
	if (iteration % 8 == 7)
		barrier(generator);
}

/* A message for which the send waits until the receive is there. */
static void
meet(Generator *generator, uint32_t from, uint32_t to)
{
	Rank *sender = &generator->ranks[from], *receiver = &generator->ranks[to];

	enter(sender, MPI_SEND);
	check(OTF2_EvtWriter_MpiSend(sender->writer, NULL, sender->time, to, 0, TAG, 65536), "SEND");
	enter(receiver, MPI_RECV);
	uint64_t met = sender->time > receiver->time ? sender->time : receiver->time;
	wait_until(sender, met + LATENCY);
	wait_until(receiver, met + LATENCY);
	check(OTF2_EvtWriter_MpiRecv(receiver->writer, NULL, receiver->time, from, 0, TAG, 65536),
		  "RECV");
	leave(sender, MPI_SEND);
	leave(receiver, MPI_RECV);
}

/* Who sends first waits for the next rank, which sends first, too: but for the last one. */
static void
shift(Generator *generator, uint32_t iteration)
{
	uint32_t n = generator->n_ranks;

	(void) iteration;
	for (uint32_t r = 0; r < n; r++)
	{
		enter(&generator->ranks[r], STEP);
		compute(&generator->ranks[r], 5000, 500);
		enter(&generator->ranks[r], EXCHANGE);
	}
	for (uint32_t r = n; r-- > 1 && !generator->better;)
		meet(generator, r - 1, r);
	for (uint32_t r = 1; r < n && generator->better; r += 2)
		meet(generator, r - 1, r);
	for (uint32_t r = 2; r < n && generator->better; r += 2)
		meet(generator, r - 1, r);
	for (uint32_t r = 0; r < n; r++)
	{
		leave(&generator->ranks[r], EXCHANGE);
		leave(&generator->ranks[r], STEP);
	}
}

/* Rank r sends to r + 2^k for all 2^k that are less than its lowest bit. */
static void
spread(Generator *generator, uint32_t iteration)
{
	uint32_t n = generator->n_ranks;

	(void) iteration;
	for (uint32_t r = 0; r < n; r++)
	{
		Rank *rank = &generator->ranks[r];
		uint32_t n_children = 0;

		enter(rank, STEP);
		compute(rank, 5000, 500);
		if (r > 0)
		{
			enter(rank, MPI_RECV);
			wait_until(rank, generator->posted[r] + LATENCY);
			check(OTF2_EvtWriter_MpiRecv(rank->writer, NULL, rank->time, r & (r - 1), 0, TAG, 512),
				  "RECV");
			leave(rank, MPI_RECV);
		}
		while ((r & ((UINT32_C(2) << n_children) - 1)) == 0 && r + (1U << n_children) < n)
			n_children++;
		for (uint32_t i = 0; i < n_children; i++)
		{
			uint32_t to = r + (1U << (generator->better ? n_children - 1 - i : i));

			enter(rank, MPI_SEND);
			pass_time(rank, 2000, 100);
			check(OTF2_EvtWriter_MpiSend(rank->writer, NULL, rank->time, to, 0, TAG, 512), "SEND");
			generator->posted[to] = rank->time;
			leave(rank, MPI_SEND);
		}
		leave(rank, STEP);
	}
}

/* A rank of the grid goes on with a plane once those before it have: from the first corner or the
 * last one. */
static void
sweep_plane(Generator *generator, uint32_t width, bool from_last)
{
	uint32_t n = generator->n_ranks;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t r = from_last ? n - 1 - i : i;
		Rank *rank = &generator->ranks[r];
		uint32_t beside = from_last ? r + 1 : r - 1, beyond = from_last ? r + width : r - width;

		enter(rank, EXCHANGE);
		if (i % width > 0)
			receive(generator, beside, r, 512);
		if (i >= width)
			receive(generator, beyond, r, 512);
		leave(rank, EXCHANGE);
		compute(rank, r == generator->slow_rank ? 30000 : 5000, 500);
		enter(rank, EXCHANGE);
		if (i % width + 1 < width)
			send(generator, r, from_last ? r - 1 : r + 1, 512);
		if (i + width < n)
			send(generator, r, from_last ? r - width : r + width, 512);
		leave(rank, EXCHANGE);
	}
}

/* As in LU of the NAS benchmarks: both triangular sweeps over a grid four wide, then a norm. */
static void
sweep(Generator *generator, uint32_t iteration)
{
	static const uint32_t width = 4, n_planes = 6;

	(void) iteration;
	for (uint32_t plane = 0; plane < 2 * n_planes; plane++)
		sweep_plane(generator, width, plane >= n_planes);
	collective(generator, MPI_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_UNDEFINED_UINT32, 8);
}

static void
halo(Generator *generator, uint32_t iteration)
{
	exchange(generator, iteration, true);
}

static void
random_neighbours(Generator *generator, uint32_t iteration)
{
	exchange(generator, iteration, false);
}

static const struct
{
	const char *name;
	void (*iterate)(Generator *generator, uint32_t iteration);
} patterns[] = {{"halo", halo},
				{"ring", ring},
				{"tree", tree},
				{"allreduce", allreduce},
				{"random", random_neighbours},
				{"shift", shift},
				{"spread", spread},
				{"sweep", sweep}};

/* ---- the archive ---- */

/* So many that files and chunks, a few a rank, take longer than events. */
static bool
has_many_ranks(const Generator *generator)
{
	return generator->n_ranks > 1024;
}

static uint32_t
n_regions(const Generator *generator)
{
	return generator->io_rank < generator->n_ranks ? N_REGIONS + 1 : N_REGIONS;
}

static void
write_regions(const Generator *generator, OTF2_GlobalDefWriter *writer, uint32_t first_name)
{
	for (uint32_t i = 0; i < n_regions(generator); i++)
	{
		bool is_mpi = i >= MPI_ISEND && i < FILE_WRITE;
		OTF2_RegionRole role =
			i == FILE_WRITE ? OTF2_REGION_ROLE_FILE_IO : OTF2_REGION_ROLE_FUNCTION;

		check(OTF2_GlobalDefWriter_WriteRegion(writer, i, first_name + i, first_name + i, 0,
											   is_mpi ? OTF2_REGION_ROLE_WRAPPER : role,
											   is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER,
											   OTF2_REGION_FLAG_NONE, is_mpi ? 2 : 1,
											   is_mpi ? 0 : 10 * (i + 1), 0),
			  "region");
	}
}

static void
write_system(Generator *generator, OTF2_GlobalDefWriter *writer, uint32_t *next)
{
	write_node(writer, 3, 4);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		char text[32];

		snprintf(text, sizeof(text), "MPI Rank %u", r);
		write_process(writer, r, write_string(writer, next, text));
		write_thread(writer, r, 5, r, generator->ranks[r].writer);
	}
	write_world(writer, 6, generator->n_ranks);
}

static void
write_definitions(Generator *generator)
{
	static const char *const texts[] = {"",		"/src/generated/halo.c", "MPI",			  "node0",
										"node", "Master thread",		 "MPI_COMM_WORLD"};
	OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(generator->archive);
	uint32_t n_texts = sizeof(texts) / sizeof(texts[0]), next = 0;
	uint64_t end = 0;

	for (uint32_t r = 0; r < generator->n_ranks; r++)
		end = generator->ranks[r].time > end ? generator->ranks[r].time : end;
	write_clock(writer, end);
	for (uint32_t i = 0; i < n_texts; i++)
		write_string(writer, &next, texts[i]);
	write_regions(generator, writer, n_texts);
	for (uint32_t i = 0; i < n_regions(generator); i++)
		write_string(writer, &next, region_names[i]);
	write_system(generator, writer, &next);
	check(OTF2_Archive_CloseGlobalDefWriter(generator->archive, writer), "definitions");
}

/*
 * OTF2 clears a chunk for every writer that it opens, which was nearly all of the time of 16,384
 * ranks: a minute of 70 s. Few events of many ranks fill the smallest chunks as well.
 */
static uint64_t
chunk_bytes(const Generator *generator)
{
	return has_many_ranks(generator) ? OTF2_CHUNK_SIZE_MIN : OTF2_CHUNK_SIZE_EVENTS_DEFAULT;
}

static void
write_events(Generator *generator, void (*iterate)(Generator *generator, uint32_t iteration))
{
	for (uint32_t r = 0; r < generator->n_ranks; r++)
	{
		Rank *rank = &generator->ranks[r];

		rank->writer = OTF2_Archive_GetEvtWriter(generator->archive, r);
		rank->random = (uint64_t) generator->seed * 1000003 + r;
		rank->time = 1000000 + draw_below(&rank->random, 1000);
		enter(rank, MAIN);
	}
	barrier(generator);
	for (uint32_t i = 0; i < generator->n_iterations; i++)
	{
		if (i == generator->delay_iteration)
			generator->ranks[generator->delay_rank].time += generator->delay;
		iterate(generator, i);
	}
	barrier(generator);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		leave(&generator->ranks[r], MAIN);
}

/* They say nothing here: real tracers write them, and the loader must read them. */
static void
write_local_definitions(Generator *generator)
{
	check(OTF2_Archive_OpenDefFiles(generator->archive), "local definitions");
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		check(OTF2_Archive_CloseDefWriter(generator->archive,
										  OTF2_Archive_GetDefWriter(generator->archive, r)),
			  "close");
	check(OTF2_Archive_CloseDefFiles(generator->archive), "close");
}

static void
close_archive(Generator *generator)
{
	write_definitions(generator);
	for (uint32_t r = 0; r < generator->n_ranks; r++)
		check(OTF2_Archive_CloseEvtWriter(generator->archive, generator->ranks[r].writer), "close");
	check(OTF2_Archive_CloseEvtFiles(generator->archive), "close");
	if (!has_many_ranks(generator))
		write_local_definitions(generator);
	check(OTF2_Archive_Close(generator->archive), "close");
}

static int
usage(void)
{
	fprintf(
		stderr,
		"usage: gen_trace halo|ring|tree|allreduce|random|shift|spread|sweep FOLDER [--ranks N] "
		"[--iterations N] [--seed N]\n"
		"       [--delay NS [--delay-rank N] [--delay-iteration N]] [--slow-rank N] "
		"[--large-rank N] [--better N] [--io-rank N]\n");
	return 2;
}

int
main(int argc, char **argv)
{
	Generator generator = {.n_ranks = 16,
						   .n_iterations = 100,
						   .seed = 1,
						   .slow_rank = UINT32_MAX,
						   .io_rank = UINT32_MAX,
						   .large_rank = UINT32_MAX};
	size_t pattern = 0;
	const Option options[] = {
		{"--ranks", &generator.n_ranks},
		{"--iterations", &generator.n_iterations},
		{"--seed", &generator.seed},
		{"--delay", &generator.delay},
		{"--delay-rank", &generator.delay_rank},
		{"--delay-iteration", &generator.delay_iteration},
		{"--slow-rank", &generator.slow_rank},
		{"--large-rank", &generator.large_rank},
		{"--io-rank", &generator.io_rank},
		{"--better", &generator.better},
	};

	if (argc < 3)
		return usage();
	while (pattern < sizeof(patterns) / sizeof(patterns[0]) &&
		   strcmp(patterns[pattern].name, argv[1]) != 0)
		pattern++;
	if (pattern == sizeof(patterns) / sizeof(patterns[0]))
		return usage();
	set_options(options, sizeof(options) / sizeof(options[0]), argc - 3, argv + 3);
	if (generator.n_ranks <= generator.delay_rank)
		return usage();
	generator.ranks = allocate(generator.n_ranks, sizeof(*generator.ranks));
	generator.posted = allocate(generator.n_ranks, sizeof(*generator.posted));
	generator.archive = open_archive(argv[2], chunk_bytes(&generator));
	write_events(&generator, patterns[pattern].iterate);
	close_archive(&generator);
	free(generator.posted);
	free(generator.ranks);
	return 0;
}
