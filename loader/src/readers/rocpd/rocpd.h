/*
 * rocpd.h - a database of ROCm's profilers (rocpd) on its way into a trace; private to the reader.
 *
 * A file has a set of tables for each process that wrote it, told apart by the end of their names.
 * Rows refer to others of their set by id. Written by the published schema alone: its versions
 * have times and places in the rows, or in tables of their own (rocpd_timestamp, rocpd_track).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_ROCPD_ROCPD_H
#define PH_READERS_ROCPD_ROCPD_H

#include "base/name_set.h"
#include "base/table.h"
#include "readers/spans/rank_files.h"
#include "readers/sqlite.h"

/* Numbers of rows by id, which come first. */
typedef struct PhRocpdIds
{
	uint32_t n_columns;
	PH_VECTOR(int64_t) values;
} PhRocpdIds;

/* What is referred to; each is numbers by id. */
typedef enum PhRocpdTable
{
	PH_ROCPD_STRINGS,	/* text */
	PH_ROCPD_NODES,		/* host */
	PH_ROCPD_PROCESSES, /* node, begin, index */
	PH_ROCPD_THREADS,	/* process, number, name */
	PH_ROCPD_AGENTS,	/* is a GPU, number among its kind */
	PH_ROCPD_STREAMS,
	PH_ROCPD_KERNELS, /* name, registers, bytes of shared memory */
	PH_ROCPD_EVENTS,  /* category, stack, parent stack */
	PH_ROCPD_TRACKS,  /* node, process, thread, agent, queue, stream */
	PH_ROCPD_TIMES,
	PH_ROCPD_TABLES
} PhRocpdTable;

typedef struct PhRocpdProcess
{
	PhJobVariables job;
	uint32_t process; /* of the span trace; PH_NONE: it has no spans yet */
} PhRocpdProcess;

/* Handles that a call was given, as strings; 0: none. */
typedef struct PhRocpdArguments
{
	uint32_t stream, event, communicator;
	uint32_t id;					 /* unique number of a communicator */
	uint64_t elements, element_size; /* of a message */
} PhRocpdArguments;

/* A call of RCCL, or an annotation of a collective. */
typedef struct PhRocpdCollective
{
	const char *name;
	int64_t start, end;
	uint64_t bytes;
	uint32_t process, track, id, handle; /* 0: it does not make one; does not use one */
} PhRocpdCollective;

/* A call of a thread. */
typedef struct PhRocpdCall
{
	const char *name;
	uint32_t process, track;
	int64_t event, stack; /* 0: none */
	int64_t start, end;
} PhRocpdCall;

/* An event that a call recorded on a stream, or for which the stream waits. */
typedef struct PhRocpdStreamEvent
{
	uint32_t process, event, stream; /* the last two: handles */
	bool waits;
	int64_t start;
	uint64_t stack;
} PhRocpdStreamEvent;

typedef struct PhRocpd
{
	PhEnv *env;
	PhSqlite *db;
	PhRankFiles *files;
	const char *suffix; /* of the set's tables */
	PhArena arena, row; /* of the set; of a row */
	PhRocpdIds ids[PH_ROCPD_TABLES];
	PH_VECTOR(const char *) texts; /* 0: none */
	PH_VECTOR(PhRocpdProcess) processes;
	PhStrings handles;	/* that are arguments */
	PhMap arguments_of; /* by event */
	PH_VECTOR(PhRocpdArguments) arguments;
	PH_VECTOR(PhRocpdCollective) collective_calls;
	PhMap communicators, n_communicators; /* by process and handle; by process */
	PhMap ids_of_communicators, n_ids; /* by process and which of its communicators; by process */
	PhMap stream_of_stack;			   /* handle, by process and stack */
	PhMap track_of_stream;			   /* by process and handle */
	PH_VECTOR(PhRocpdStreamEvent) stream_events;
	bool has_streams; /* streams are told apart; else queues are */
} PhRocpd;

/* ---- names.c ---- */

/* All that rows refer to. */
PhStatus ph_rocpd_read_names(PhRocpd *rocpd) PH_MUST_CHECK;

/* "rocpd_region_0000…", in the set's arena. */
PhStatus ph_rocpd_table(PhRocpd *rocpd, const char *name, const char **out) PH_MUST_CHECK;

/* The numbers behind an id; NULL: there is no such row. */
const int64_t *ph_rocpd_find(const PhRocpd *rocpd, PhRocpdTable table, int64_t id);

/* One of texts; "" for none. */
const char *ph_rocpd_text(const PhRocpd *rocpd, int64_t text);

/* The text of a row of strings; "": there is none. */
const char *ph_rocpd_string(const PhRocpd *rocpd, int64_t id);

/* ---- arguments.c ---- */

/* Of calls, if anything can be told by them. After the names. */
PhStatus ph_rocpd_read_arguments(PhRocpd *rocpd) PH_MUST_CHECK;

/* A call that may be of a collective. What they tell, after all of them. */
PhStatus ph_rocpd_note_collective(PhRocpd *rocpd, const PhRocpdCall *call) PH_MUST_CHECK;
PhStatus ph_rocpd_add_collectives(PhRocpd *rocpd) PH_MUST_CHECK;

/* A call that may have a stream; then an activity, launched by the call with that stack. */
PhStatus ph_rocpd_note_call(PhRocpd *rocpd, const PhRocpdCall *call) PH_MUST_CHECK;
PhStatus ph_rocpd_note_stream(PhRocpd *rocpd, uint32_t process, uint64_t stack,
							  uint32_t track) PH_MUST_CHECK;

/* Waits of streams; after all activities. */
PhStatus ph_rocpd_add_waits(PhRocpd *rocpd) PH_MUST_CHECK;

/* ---- spans.c ---- */

PhStatus ph_rocpd_read_spans(PhRocpd *rocpd) PH_MUST_CHECK;

#endif
