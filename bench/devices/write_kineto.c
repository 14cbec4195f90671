/*
 * write_kineto.c - records as PyTorch's profiler (Kineto) writes them: Chrome's trace events as
 * text, with the arguments that matter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

typedef struct Kineto
{
	Writer writer;
	FILE *file;
	int rank, n_ranks, group;
} Kineto;

static const char *const names[NAME_COUNT] = {
	[NAME_STEP] = "step",
	[NAME_LAUNCH] = "cudaLaunchKernel",
	[NAME_COPY_ASYNC] = "cudaMemcpyAsync",
	[NAME_COPY] = "cudaMemcpy",
	[NAME_WAIT] = "cudaStreamSynchronize",
	[NAME_RECORD] = "cudaEventRecord",
	[NAME_STREAM_WAIT] = "cudaStreamWaitEvent",
	[NAME_COLLECTIVE] = "nccl:all_reduce",
	[NAME_KERNEL] = "void gemm<float, 128>(float const*, float*)",
	[NAME_KERNEL + 1] = "void normalise<float>(float*, int)",
	[NAME_KERNEL + 2] = "void relu<float>(float*, int)",
	[NAME_KERNEL + 3] = "ampere_sgemm_128x64_tn",
	[NAME_REDUCE] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
};

static void
begin(Writer *writer, const char *path, const Options *options, int rank)
{
	Kineto *kineto = (Kineto *) writer;

	kineto->file = fopen(path, "w");
	if (kineto->file == NULL)
	{
		perror(path);
		exit(1);
	}
	kineto->rank = rank;
	kineto->n_ranks = options->n_ranks;
	kineto->group = options->group;
	fprintf(kineto->file,
			"{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"Synthetic\"}],\n"
			" \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"world_size\": %d},\n"
			" \"traceEvents\": [\n  {\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, "
			"\"tid\": 0, \"ts\": 0, \"args\": {\"name\": \"python\"}}",
			rank, options->n_ranks, 1000 + rank);
}

/* All of an event but its arguments. */
static void
write_head(Kineto *kineto, const char *category, const char *name, int64_t process, int64_t thread,
		   int64_t start, int64_t stop)
{
	int64_t ts = EPOCH + shown(&kineto->writer, start);
	int64_t length = shown(&kineto->writer, stop) - shown(&kineto->writer, start);

	fprintf(kineto->file,
			",\n  {\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %" PRId64
			", \"tid\": %" PRId64 ", \"ts\": %" PRId64 ".%03" PRId64 ", \"dur\": %" PRId64
			".%03" PRId64 ", \"args\": {",
			category, name, process, thread, ts / 1000, ts % 1000, length / 1000, length % 1000);
}

static void
write_host(Kineto *kineto, const char *category, const char *name, int64_t start, int64_t stop)
{
	write_head(kineto, category, name, 1000 + kineto->rank, 1000 + kineto->rank, start, stop);
}

static void
write_call(Writer *writer, const Call *call)
{
	Kineto *kineto = (Kineto *) writer;
	bool is_step = call->correlation == 0;

	write_host(kineto, is_step ? "user_annotation" : "cuda_runtime", names[call->name], call->begin,
			   call->end);
	if (!is_step)
		fprintf(kineto->file, "\"correlation\": %" PRIu64, call->correlation);
	fprintf(kineto->file, "}}");
}

/* What a reduction is, and of which process group, as the profiler says it of kernels and of the
 * operator that launches them. */
static void
write_operation(const Kineto *kineto)
{
	int first = kineto->rank / kineto->group * kineto->group;

	fprintf(kineto->file,
			"\"Collective name\": \"allreduce\", \"dtype\": \"Float\", \"In msg nelems\": %d, "
			"\"Out msg nelems\": %d, \"Group size\": %d, \"Process Group Name\": \"%d\", "
			"\"Process Group Ranks\": \"[",
			MESSAGE / 4, MESSAGE / 4, kineto->group, first / kineto->group);
	for (int i = 0; i < kineto->group; i++)
		fprintf(kineto->file, "%s%d", i > 0 ? ", " : "", first + i);
	fprintf(kineto->file, "]\"");
}

static void
write_activity(Writer *writer, const Activity *activity)
{
	Kineto *kineto = (Kineto *) writer;
	bool is_in = activity->kind == COPY_TO_DEVICE;
	const char *copy =
		is_in ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy DtoH (Device -> Pageable)";

	write_head(kineto, activity->kind == KERNEL ? "kernel" : "gpu_memcpy",
			   activity->kind == KERNEL ? names[activity->name] : copy, activity->device,
			   activity->stream, activity->begin, activity->end);
	fprintf(kineto->file,
			"\"device\": %d, \"context\": 1, \"stream\": %d, \"correlation\": %" PRIu64,
			activity->device, activity->stream, activity->correlation);
	if (activity->kind != KERNEL)
		fprintf(kineto->file, ", \"bytes\": %" PRIu64, activity->bytes);
	else
		fprintf(kineto->file,
				", \"registers per thread\": 32, \"shared memory\": 256, \"grid\": [%d, 1, 1], "
				"\"block\": [%d, 1, 1]",
				GRID, BLOCK);
	if (activity->kind == KERNEL && activity->name == NAME_REDUCE && kineto->group > 0)
	{
		fprintf(kineto->file, ", ");
		write_operation(kineto);
	}
	fprintf(kineto->file, "}}");
}

/* Stands on the stream that waits. */
static void
write_wait(Writer *writer, const StreamWait *wait)
{
	Kineto *kineto = (Kineto *) writer;

	write_head(kineto, "cuda_sync", "Stream Wait Event", 0, wait->waiting, wait->begin, wait->end);
	fprintf(kineto->file,
			"\"device\": 0, \"context\": 1, \"stream\": %d, \"correlation\": %" PRIu64
			", \"cuda_sync_kind\": \"Stream Wait Event\", \"wait_on_stream\": %d, "
			"\"wait_on_cuda_event_record_corr_id\": %" PRIu64 "}}",
			wait->waiting, wait->wait, wait->recorded_on, wait->record);
}

static void
write_collective(Writer *writer, const Collective *collective)
{
	Kineto *kineto = (Kineto *) writer;

	if (kineto->group > 0)
	{
		write_host(kineto, "cpu_op", "record_param_comms", collective->begin, collective->end);
		write_operation(kineto);
		fprintf(kineto->file, "}}");
	}
	write_host(kineto, "user_annotation", names[NAME_COLLECTIVE], collective->begin,
			   collective->end);
	fprintf(kineto->file, "}}");
}

static void
end(Writer *writer)
{
	Kineto *kineto = (Kineto *) writer;

	fprintf(kineto->file, "\n ]}\n");
	if (fclose(kineto->file) != 0)
	{
		perror("fclose");
		exit(1);
	}
}

Writer *
kineto_writer(void)
{
	static Kineto kineto = {.writer = {.begin = begin,
									   .call = write_call,
									   .activity = write_activity,
									   .wait = write_wait,
									   .collective = write_collective,
									   .end = end}};

	return &kineto.writer;
}
