/*
 * gen_kineto.c - a synthetic trace as PyTorch's profiler (Kineto) writes it, of any size.
 *
 *   gen_kineto STEPS [RANK [RANKS]] > FILE
 *
 * A step is a forward and a backward pass of 24 layers on two threads, each operator with the calls
 * of CUDA's library that it makes, the kernels that these launch on a stream, flows between them,
 * and an all-reduce on a stream of its own that waits for the slowest rank. The last rank is the
 * straggler: its kernels take half as long again, so the others' all-reduces are longer. Operators
 * are written when they end, so that callees stand before their callers. Some 84 KB and 290 events
 * a step; the same arguments give the same bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS 24
#define HOST 1102
#define AUTOGRAD 1262
#define COMPUTE 7
#define COMMUNICATION 20
#define STRAGGLE 1.5 /* how much longer the last rank's kernels take */

typedef struct Generator
{
	int rank, n_ranks;
	int64_t now;	/* ns, of the host */
	int64_t device; /* ns when the compute stream is free */
	uint64_t correlation, id;
	uint64_t random;
	bool has_events;
} Generator;

static const char *const operators[] = {"aten::convolution", "aten::batch_norm", "aten::relu_",
										"aten::linear"};
static const char *const kernels[] = {
	"void cudnn::ops::conv_fprop<float, 128, 6, 7, 3, 3, 5, 1>(int, float const*)",
	"void at::native::batch_norm_transform<float, float, int>(at::GenericPackedTensorAccessor)",
	"void at::native::vectorized_elementwise_kernel<4, at::native::relu<float> >(int)",
	"ampere_sgemm_128x64_tn"};

/* The same sequence for all ranks. */
static int64_t
draw_number(Generator *generator, int64_t least, int64_t most)
{
	generator->random =
		generator->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (int64_t) ((generator->random >> 33) % (uint64_t) (most - least + 1));
}

static void
begin_event(Generator *generator)
{
	printf("%s", generator->has_events ? ",\n  {\n" : "\n  {\n");
	generator->has_events = true;
}

static void
write_complete(Generator *generator, const char *category, const char *name, int pid, int tid,
			   int64_t begin, int64_t end)
{
	begin_event(generator);
	printf("    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d,\n"
		   "    \"ts\": %" PRId64 ".%03" PRId64 ", \"dur\": %" PRId64 ".%03" PRId64
		   ",\n    \"args\": {\n      ",
		   category, name, pid, tid, begin / 1000, begin % 1000, (end - begin) / 1000,
		   (end - begin) % 1000);
}

static void
write_operator(Generator *generator, const char *name, int tid, int64_t begin, int64_t end)
{
	write_complete(generator, "cpu_op", name, HOST, tid, begin, end);
	printf(
		"\"External id\": %" PRIu64 ",\"Record function id\": 0, \"Concrete Inputs\": [\"\", "
		"\"[1, 1]\", \"False\"], \"Input type\": [\"float\", \"float\", \"ScalarList\"], \"Input "
		"Dims\": [[32, 64, 56, 56], [64, 64, 3, 3], []], \"Ev Idx\": %" PRIu64 "\n    }\n  }",
		generator->id, generator->id);
	generator->id++;
}

static void
write_flow(Generator *generator, char phase, int pid, int tid, int64_t time)
{
	begin_event(generator);
	printf("    \"ph\": \"%c\", \"id\": %" PRIu64 ", \"pid\": %d, \"tid\": %d, \"ts\": %" PRId64
		   ".%03" PRId64 ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }",
		   phase, generator->correlation, pid, tid, time / 1000, time % 1000,
		   phase == 'f' ? ", \"bp\": \"e\"" : "");
}

/* A call that launches a kernel, which begins when its stream is free. */
static void
launch_kernel(Generator *generator, const char *kernel, int tid, int stream, int64_t takes)
{
	int64_t begin = generator->now;
	int64_t starts = begin + 5000;

	generator->correlation++;
	generator->now += draw_number(generator, 3000, 6000);
	write_complete(generator, "cuda_runtime", "cudaLaunchKernel", HOST, tid, begin, generator->now);
	printf("\"External id\": %" PRIu64 ", \"cbid\": 211, \"correlation\": %" PRIu64 "\n    }\n  }",
		   generator->id, generator->correlation);
	write_flow(generator, 's', HOST, tid, begin);
	if (starts < generator->device)
		starts = generator->device;
	generator->device = starts + takes;
	write_complete(generator, "kernel", kernel, 0, stream, starts, generator->device);
	printf("\"External id\": %" PRIu64 ", \"queued\": 0, \"device\": 0, \"context\": 1,\n      "
		   "\"stream\": %d, \"correlation\": %" PRIu64
		   ",\n      \"registers per thread\": 32,\n      "
		   "\"shared memory\": 256,\n      \"blocks per SM\": 4.0,\n      \"warps per SM\": 16.0,\n"
		   "      \"grid\": [80, 4, 1],\n      \"block\": [128, 1, 1],\n      \"est. achieved "
		   "occupancy %%\": 50\n    }\n  }",
		   generator->id, stream, generator->correlation);
	write_flow(generator, 'f', 0, stream, starts);
}

static void
run_layer(Generator *generator, int layer, int tid)
{
	int64_t begin = generator->now;
	bool is_slow = generator->n_ranks > 1 && generator->rank == generator->n_ranks - 1;
	int64_t takes = draw_number(generator, 10000, 60000);

	generator->now += draw_number(generator, 2000, 4000);
	int64_t inner = generator->now;

	generator->now += draw_number(generator, 1000, 2000);
	launch_kernel(generator, kernels[layer % 4], tid, COMPUTE,
				  is_slow ? (int64_t) ((double) takes * STRAGGLE) : takes);
	write_operator(generator, "aten::_impl", tid, inner, generator->now + 500);
	generator->now += 1000;
	write_operator(generator, operators[layer % 4], tid, begin, generator->now);
	generator->now += draw_number(generator, 500, 1500);
}

/* All ranks end it together, with the one that computes longest. */
static void
reduce(Generator *generator, int64_t step_begin)
{
	int64_t end = step_begin + (int64_t) (LAYERS * 2 * 35000 * STRAGGLE) + 400000;
	int64_t takes = end > generator->device ? end - generator->device : 50000;

	launch_kernel(generator, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long)",
				  AUTOGRAD, COMMUNICATION, takes);
	if (generator->now < generator->device)
		generator->now = generator->device;
}

static void
run_step(Generator *generator, int step)
{
	int64_t begin = generator->now;
	char name[40];

	for (int i = 0; i < LAYERS; i++)
		run_layer(generator, i, HOST);
	for (int i = LAYERS; i-- > 0;)
		run_layer(generator, i, AUTOGRAD);
	reduce(generator, begin);
	snprintf(name, sizeof(name), "ProfilerStep#%d", step);
	write_complete(generator, "user_annotation", name, HOST, HOST, begin, generator->now);
	printf("\"External id\": %" PRIu64 ",\"Ev Idx\": 0\n    }\n  }", generator->id++);
	generator->now += 2000;
}

int
main(int n, char **arguments)
{
	int steps = n > 1 ? atoi(arguments[1]) : 10;
	Generator generator = {.rank = n > 2 ? atoi(arguments[2]) : 0,
						   .n_ranks = n > 3 ? atoi(arguments[3]) : 1,
						   .now = INT64_C(1712195495519689047),
						   .random = 1};

	printf(
		"{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": "
		"\"Synthetic\"\n    }\n  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, "
		"\"world_size\": %d},\n  \"traceEvents\": [",
		generator.rank, generator.n_ranks);
	for (int i = 0; i < steps; i++)
		run_step(&generator, i);
	printf("\n  ],\n  \"traceName\": \"synthetic\"\n}\n");
	return 0;
}
