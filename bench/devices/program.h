/*
 * program.h - a synthetic program of ranks with devices, and the writers of what profilers
 * would record of it.
 *
 * A step copies inputs to the device, runs 24 kernels on a stream, reduces over all ranks on a
 * stream of its own, waits and copies a number back. Where a rank has several devices, they take
 * turns with the kernels; the rest is done by the first. Causes of lost time are planted by
 * options; the same options give the same records.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BENCH_DEVICES_PROGRAM_H
#define PH_BENCH_DEVICES_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define EPOCH INT64_C(1712195495519689047) /* ns since 1970 of time 0 */

/* Everything that has a name. */
typedef enum Name
{
	NAME_STEP,
	NAME_LAUNCH,
	NAME_COPY_ASYNC,
	NAME_COPY,
	NAME_WAIT,
	NAME_RECORD,
	NAME_STREAM_WAIT,
	NAME_COLLECTIVE,
	NAME_KERNEL, /* and the next three */
	NAME_REDUCE = NAME_KERNEL + 4,
	NAME_COUNT
} Name;

typedef enum ActivityKind
{
	KERNEL,
	COPY_TO_DEVICE,
	COPY_TO_HOST
} ActivityKind;

typedef struct Options
{
	int n_ranks, n_steps;
	int slow_rank;		/* its kernels take half as long again; -1: none */
	bool throttles;		/* it does so from half of the steps on only */
	bool launch_bound;	/* kernels are shorter than what launching them takes */
	bool serial_copies; /* copies on the kernels' stream, instead of beside them */
	int64_t skew;		/* ns by which each rank's clock is ahead of the rank's before */
	int64_t drift;		/* ns a second by which it moves away from it */
	bool waits;			/* streams wait for each other by events */
	int group;			/* ranks next to each other that reduce together; 0: all */
	int devices;		/* of a rank, which take turns with kernels */
} Options;

/* A call of the main thread; correlation 0: it launches nothing. */
typedef struct Call
{
	Name name;
	int64_t begin, end;
	uint64_t correlation;
} Call;

typedef struct Activity
{
	ActivityKind kind;
	Name name; /* of a kernel */
	int device, stream;
	int64_t begin, end;
	uint64_t correlation, bytes;
} Activity;

/* An event, recorded on a stream by one call and waited for by another stream from another call on.
 */
typedef struct StreamWait
{
	int64_t event; /* its number; used again in the next step */
	int recorded_on, waiting;
	uint64_t record, wait; /* correlations of the calls */
	int64_t begin, end;	   /* of the call that waits */
} StreamWait;

/* A call of the library of collectives, around the call that launches its kernel. */
typedef struct Collective
{
	int64_t begin, end;
	uint64_t communicator;
	uint64_t correlation; /* of a call of its own */
} Collective;

#define GRID 80
#define BLOCK 128
#define MESSAGE 4096 /* bytes of a reduction, which are floats */

/* What takes the records of a rank, in the order in which the calls begin. */
typedef struct Writer
{
	void (*begin)(struct Writer *writer, const char *path, const Options *options, int rank);
	void (*call)(struct Writer *writer, const Call *call);
	void (*activity)(struct Writer *writer, const Activity *activity);
	void (*wait)(struct Writer *writer, const StreamWait *wait); /* behind its calls */
	void (*collective)(struct Writer *writer, const Collective *collective);
	void (*end)(struct Writer *writer);
	int64_t skew;  /* to be added to times, */
	int64_t drift; /* and so much more a second */
} Writer;

/* What the rank's clock shows at a time. */
static inline int64_t
shown(const Writer *writer, int64_t time)
{
	return time + writer->skew + time / 1000 * writer->drift / 1000000;
}

Writer *nsight_writer(void);
Writer *rocpd_writer(void);
Writer *kineto_writer(void);

/* Hand a rank's records over. */
void run_rank(const Options *options, int rank, Writer *writer);

#endif
