/*
 * efficiency.h - how well a run uses its processes and threads, as factors.
 *
 * The POP project's multiplicative efficiencies (M. Wagner, S. Mohr, J. Gimenez, J. Labarta, A
 * structured approach to performance analysis, Parallel Tools Workshop 2017; C. Rosas, J. Gimenez,
 * J. Labarta, Scalability prediction for fundamental performance factors, 2014). Useful time of a
 * rank is that outside of MPI. Load balance is mean / max of it, communication max / elapsed, of
 * which serialisation (max / ideal elapsed) is what dependencies cost even when the network takes
 * no time, and transfer (ideal elapsed / elapsed) what the network costs. parallel = load balance x
 * communication x threads, where threads is what the threads of all ranks use of the time that
 * their ranks are outside of MPI: thread serialisation is the part of it that is not lost because
 * other threads than the first are in no call (serial parts, forks; Amdahl), thread load balance
 * what threads do with the rest of it (waits for each other, overheads).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_EFFICIENCY_H
#define PH_REPLAY_EFFICIENCY_H

#include "replay/replay.h"
#include "replay/spans.h"

typedef struct PhEfficiency
{
	int64_t from, to; /* as measured */
	bool is_aligned;  /* both are where all ranks met, or the run's begin and end */
	uint32_t n_ranks; /* with useful time or MPI in it */
	int64_t ideal;	  /* elapsed with a network that takes no time; -1: replay came to no end */
	double mean_useful, max_useful; /* ns a rank */
	/* NaN: nothing was useful, or (threads) there are none */
	double parallel, load_balance, communication, serialisation, transfer;
	double threads, thread_load_balance, thread_serialisation;
} PhEfficiency;

/* What the functions of a trace are to efficiencies: targets of finished spans. */
typedef struct PhEfficiencySpans
{
	const PhSpans *spans;
	uint32_t mpi;	/* calls of MPI */
	uint32_t calls; /* all calls: what a thread does at all */
	uint32_t idle;	/* calls in which threads of a team wait */
} PhEfficiencySpans;

/* Ask for those before any chunk. */
PhStatus ph_efficiency_want(PhSpans *spans, PhEfficiencySpans *out) PH_MUST_CHECK;

/*
 * Move the ends of a window to where all ranks met, the nearest ones of each end: where the last
 * member left a collective of all of them on which everybody waits for everybody. Ends that are
 * open are the first rank's leave of MPI_Init and the last one's enter of MPI_Finalize. Those
 * further away than an eighth of the window stay, and is_aligned is false.
 */
PhCallSpan ph_efficiency_window(const PhSkeleton *skeleton, int64_t from, int64_t to,
								bool *is_aligned);

/* Of a window, from < to. */
PhStatus ph_efficiency_find(PhArena *scratch, const PhSkeleton *skeleton,
							const PhEfficiencySpans *spans, PhCallSpan window,
							PhEfficiency *out) PH_MUST_CHECK;

#endif
