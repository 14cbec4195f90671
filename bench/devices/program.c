/*
 * program.c - the program of a rank, beside that of the slowest one, with which reductions end.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "program.h"

#include <stddef.h>

#define KERNELS 24
#define COMPUTE 7
#define COPIES 13
#define REDUCTIONS 20
#define STRAGGLE 3 / 2 /* how much longer a slow rank's kernels take */
#define LATENCY 4000   /* ns from a launch to its activity's begin, at least */

typedef struct Run
{
	const Options *options;
	Writer *writer; /* NULL: nobody looks */
	bool is_slow;
	int64_t now, compute, copies; /* of the host; when streams are free */
	uint64_t correlation, random;
	uint64_t communicator; /* of its reductions; 0: not told */
} Run;

/* The same sequence for all ranks. */
static int64_t
draw_number(Run *run, int64_t least, int64_t most)
{
	run->random = run->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (int64_t) ((run->random >> 33) % (uint64_t) (most - least + 1));
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void
write_call(Run *run, Name name, int64_t begin, uint64_t correlation)
{
	Call call = {name, begin, run->now, correlation};

	if (run->writer != NULL)
		run->writer->call(run->writer, &call);
}

/* A call that starts an activity of some length on a stream, which is free then. */
static void
launch(Run *run, Name call, Activity activity, int64_t takes, int64_t *free)
{
	int64_t begin = run->now;

	activity.correlation = ++run->correlation;
	run->now += draw_number(run, 4000, 6000);
	write_call(run, call, begin, activity.correlation);
	activity.begin = later(begin + LATENCY, *free);
	activity.end = *free = activity.begin + takes;
	if (run->writer != NULL)
		run->writer->activity(run->writer, &activity);
}

/* What the first stream has been given so far comes before what the other one gets from now on. */
static void
wait_for(Run *run, int64_t event, int recorded_on, int waiting)
{
	StreamWait wait = {.event = event, .recorded_on = recorded_on, .waiting = waiting};
	int64_t begin = run->now;

	if (!run->options->waits)
		return;
	wait.record = ++run->correlation;
	run->now += 1000;
	write_call(run, NAME_RECORD, begin, wait.record);
	wait.begin = run->now;
	wait.wait = ++run->correlation;
	wait.end = run->now += 1000;
	write_call(run, NAME_STREAM_WAIT, wait.begin, wait.wait);
	if (run->writer != NULL)
		run->writer->wait(run->writer, &wait);
}

static void
copy_inputs(Run *run)
{
	bool is_serial = run->options->serial_copies;
	Activity activity = {
		.kind = COPY_TO_DEVICE, .stream = is_serial ? COMPUTE : COPIES, .bytes = 1 << 20};

	for (int i = 0; i < 4; i++)
		launch(run, NAME_COPY_ASYNC, activity, 60000, is_serial ? &run->compute : &run->copies);
	if (is_serial || !run->options->waits)
		return;
	wait_for(run, 1, COPIES, COMPUTE);
	run->compute = later(run->compute, run->copies);
}

static void
run_kernels(Run *run)
{
	bool is_short = run->options->launch_bound;

	for (int i = 0; i < KERNELS; i++)
	{
		Activity activity = {.kind = KERNEL,
							 .name = NAME_KERNEL + i % 4,
							 .device = i / 4 % run->options->devices,
							 .stream = COMPUTE};
		int64_t takes = is_short ? draw_number(run, 1500, 3000) : draw_number(run, 20000, 60000);

		launch(run, NAME_LAUNCH, activity, run->is_slow ? takes * STRAGGLE : takes, &run->compute);
	}
}

/* When this rank comes to the reduction of the step. */
static int64_t
compute(Run *run)
{
	copy_inputs(run);
	run_kernels(run);
	return later(run->compute, run->now + LATENCY);
}

/* The reduction ends at the same time in all ranks; then the host goes on. */
static void
reduce(Run *run, int64_t arrives, int64_t ends)
{
	Activity activity = {.kind = KERNEL, .name = NAME_REDUCE, .stream = REDUCTIONS};
	Activity result = {.kind = COPY_TO_HOST, .stream = COMPUTE, .bytes = 8};
	int64_t free = arrives;
	int64_t begin;
	Collective call = {.communicator = run->communicator};

	wait_for(run, 2, COMPUTE, REDUCTIONS);
	call.begin = run->now;
	if (call.communicator != 0)
		call.correlation = ++run->correlation;
	run->now += call.communicator != 0 ? 500 : 0;
	launch(run, NAME_LAUNCH, activity, ends - later(arrives, run->now + LATENCY), &free);
	call.end = run->now += call.communicator != 0 ? 500 : 0;
	if (run->writer != NULL && call.communicator != 0)
		run->writer->collective(run->writer, &call);
	begin = run->now;
	run->now = later(run->now, ends) + 2000;
	write_call(run, NAME_WAIT, begin, ++run->correlation);
	begin = run->now;
	result.correlation = ++run->correlation;
	result.begin = begin + LATENCY;
	result.end = run->compute = result.begin + 1500;
	run->now = result.end + 1000;
	write_call(run, NAME_COPY, begin, result.correlation);
	if (run->writer != NULL)
		run->writer->activity(run->writer, &result);
}

/* Does a rank reduce together with the slow one? */
static bool
meets_slow_rank(const Options *options, int rank)
{
	int slow = options->slow_rank;

	return slow >= 0 && (options->group == 0 || slow / options->group == rank / options->group);
}

void
run_rank(const Options *options, int rank, Writer *writer)
{
	Run run = {.options = options, .writer = writer, .now = 1000000, .random = 1};
	Run slowest = run;

	writer->skew = rank * options->skew;
	writer->drift = rank * options->drift;
	slowest.writer = NULL;
	if (options->group > 0)
		run.communicator = slowest.communicator =
			UINT64_C(0x5eed000000000001) + (uint64_t) (rank / options->group);
	for (int i = 0; i < options->n_steps; i++)
	{
		int64_t begin = run.now;
		bool is_slow =
			meets_slow_rank(options, rank) && (!options->throttles || 2 * i >= options->n_steps);

		slowest.is_slow = is_slow;
		run.is_slow = is_slow && rank == options->slow_rank;
		int64_t mine = compute(&run);
		int64_t last = later(mine, compute(&slowest));

		reduce(&run, mine, last + 30000);
		reduce(&slowest, last, last + 30000);
		write_call(&run, NAME_STEP, begin, 0);
		run.now = slowest.now = later(run.now, slowest.now) + 2000;
	}
}
