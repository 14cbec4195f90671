/*
 * source.h - traces of task-based programs, whatever their format: logs of processors as
 * records, and what is made of them.
 *
 * A reader of a format gives each processor's log as PhLogRecord, one after the other. The logs are
 * read twice. The first pass (readers/tasks/scan.c) repairs and counts, collects chares, messages
 * and what cannot be known while a log is read: which message reached whom, which entry method goes
 * on later (readers/tasks/join.c). The second (readers/tasks/emit.c) writes events into chunks, as
 * extension/core/trace/chunk/task_records.h says. Memory: some 80 bytes a message, some 40 a chare,
 * and a buffer a thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_TASKS_SOURCE_H
#define PH_READERS_TASKS_SOURCE_H

#include "base/table.h"
#include "readers/source.h"
#include "readers/trace_source.h"
#include "trace/chunk/task_records.h"

#define PH_CHARE_DIMENSIONS 6
#define PH_MESSAGE_MAX_EVENT INT32_MAX

/* ---- records of a log ---- */

typedef enum PhLogRecordKind
{
	PH_LOG_SKIP,		  /* nothing that is kept */
	PH_LOG_BEGIN,		  /* a serial block: region, chare, and the message that started it */
	PH_LOG_END,			  /* region, event */
	PH_LOG_CREATION,	  /* a message is sent: event, entry, bytes */
	PH_LOG_RECEIPT,		  /* one more is received: sender, event, entry, bytes */
	PH_LOG_CALL_BEGIN,	  /* region: idle and what else is no entry method */
	PH_LOG_CALL_END,	  /* region */
	PH_LOG_POINT,		  /* region: a user event without length */
	PH_LOG_BRACKET_BEGIN, /* region, id: a user event with a length; may cross blocks */
	PH_LOG_BRACKET_END,
	PH_LOG_METRIC,		/* metric_class, values */
	PH_LOG_MEASUREMENT, /* id: 1 on, 2 off */
	PH_LOG_PROGRAM,		/* id: 1 begins, 2 ends */
	PH_LOG_PHASE,		/* id */
	PH_LOG_AFTER,		/* location, block: of the open block */
	PH_LOG_CONTINUES,	/* location, block: the same */
	PH_LOG_UNKNOWN		/* a record that is not kept, and counted */
} PhLogRecordKind;

/* What a chare is known by; hashed by its bytes. */
typedef struct PhChareKey
{
	uint32_t type;
	int32_t collection; /* the array that it is of; -1: unknown */
	int32_t processor;	/* of those without an index: where they are; -1 */
	uint32_t n_index;
	int32_t index[PH_CHARE_DIMENSIONS];
} PhChareKey;

typedef struct PhLogRecord
{
	PhLogRecordKind kind;
	int64_t time;	 /* ns by the log's clock; PH_NO_TIME: that of the record before */
	uint32_t region; /* of the model */
	uint32_t entry;	 /* of a message: what it calls, part of its key */
	int64_t sender;	 /* of a received message: the processor's number as the log has it */
	int64_t event;	 /* number of the message at its sender; -1: none */
	uint64_t bytes;
	PhChareKey chare;
	bool is_runtime; /* BEGIN: whatever its chare is */
	bool is_unnamed; /* a user event without a definition */
	bool may_repeat; /* BEGIN: an element that gets a message twice does so (no reopened block) */
	int64_t id;
	uint32_t location, block;
	uint32_t metric_class, n_values;
	const uint64_t *values;
} PhLogRecord;

struct PhTaskSource;

/* A log that is being read; the format's own struct begins with it. */
typedef struct PhTaskLog
{
	PhEnv *env;
	const struct PhTaskSource *tasks;
	const char *path;  /* for messages; lives as long as the source */
	const char *place; /* "line" or "record" */
	uint64_t number;   /* of the record just given */
	bool is_cut;	   /* the log ends too early */
} PhTaskLog;

/* ---- what the logs hold ---- */

/* Things that were not as they should be: how many, and where the first was. */
typedef enum PhTaskFinding
{
	PH_FOUND_STALE,			/* received messages whose number and entry no sender has */
	PH_FOUND_FOREIGN,		/* received messages from processors that the run does not have */
	PH_FOUND_REPEATED,		/* received again by the same chare */
	PH_FOUND_EARLY,			/* received before they were sent, by one clock */
	PH_FOUND_UNENDED,		/* blocks without an end, closed by what follows */
	PH_FOUND_UNBEGUN,		/* ends of what did not begin */
	PH_FOUND_OTHER_END,		/* ends of another entry method than what is open */
	PH_FOUND_BACKWARDS,		/* times before that of the record before */
	PH_FOUND_CUT_LOG,		/* logs that end too early */
	PH_FOUND_OUTSIDE,		/* messages that are sent outside of any block */
	PH_FOUND_UNKNOWN,		/* records of kinds that are not kept */
	PH_FOUND_UNNAMED_EVENT, /* user events that the definitions do not have */
	PH_FOUND_REDUCTION,		/* matched messages of reductions, whose numbers may be stale */
	PH_TASK_FINDINGS
} PhTaskFinding;

typedef struct PhFindings
{
	uint64_t n[PH_TASK_FINDINGS];
	uint32_t location[PH_TASK_FINDINGS]; /* of the first */
	uint64_t number[PH_TASK_FINDINGS];	 /* line or record of the first */
	int64_t worst_backwards;			 /* ns */
} PhFindings;

typedef struct PhTaskCreation
{
	int64_t time;
	int32_t event;
	uint32_t entry;
	uint32_t first_receiver, n_receivers; /* in the part's receivers */
	uint64_t seq;						  /* of its first SEND; known when it was written */
} PhTaskCreation;

typedef struct PhTaskReceipt
{
	int64_t time;
	uint32_t source; /* location; PH_NONE: unknown */
	int32_t event;
	uint32_t entry;
	uint32_t chare;	   /* within the part */
	uint32_t creation; /* in the source's part; PH_NONE: not matched */
	uint32_t position; /* among the creation's receivers */
} PhTaskReceipt;

typedef struct PhTaskBracket
{
	int64_t begin, end; /* ns by the log's clock */
	uint32_t region;
} PhTaskBracket;

/* What the first pass knows of a processor's log. */
typedef struct PhTaskPart
{
	PhEnv env;
	PhArena arena;
	const char *path, *place; /* of its log, as PhTaskLog has them */
	int64_t first_time;		  /* PH_NO_TIME: no record has one */
	uint64_t n_records;
	uint32_t n_blocks, n_creations, creation_room, n_receipts, receipt_room;
	PhTaskCreation *creations; /* in order of the log */
	PhTaskReceipt *receipts;
	uint32_t *by_event; /* creations in order of event; NULL: they are */
	uint32_t n_receivers;
	uint32_t *receivers; /* locations, by creation */
	uint32_t n_pauses, pause_room, n_resumes, resume_room;
	uint32_t *pauses;  /* ordinals of ENDs after which the block goes on */
	uint32_t *resumes; /* ordinals of BEGINs by which it does */
	uint32_t n_brackets, bracket_room;
	PhTaskBracket *brackets; /* by begin, the longer first */
	PhRecords chares;		 /* keys, in order of meeting */
	uint32_t *chare_id;		 /* in the run, by the number above */
	PhFindings findings;
} PhTaskPart;

/* ---- definitions beside the trace's model ---- */

typedef struct PhTaskType
{
	const char *name;
	int32_t dimensions; /* of an array's index; -1: not an array */
	bool is_runtime;
	bool has_no_dimensions; /* the source does not say them; the first pass finds out */
} PhTaskType;

typedef struct PhTaskChare
{
	PhChareKey key;
	const char *name; /* NULL: told by type and index */
	bool is_runtime;
	uint32_t location; /* where it was seen first */
} PhTaskChare;

/* An entry method is the model's region of the same number. */
typedef struct PhTaskEntry
{
	const char *name; /* without its chare */
	uint32_t type;
} PhTaskEntry;

typedef struct PhTaskSource
{
	PhTraceSource source;
	PhEnv *env; /* of who opened it */
	PhArena arena;
	const char *model; /* "charm++", …: the programming model */
	uint32_t tick;	   /* ns */
	uint32_t n_types, n_entries, n_chares, n_nodes;
	PhTaskType *types;
	PhTaskEntry *entries;
	PhTaskChare *chares;	   /* by type, collection, index, processor; made by the first pass */
	const char **entity_names; /* by PhChareKey.processor, of formats that name them; NULL */
	bool *entity_is_runtime;   /* beside them */
	uint32_t *node;			   /* by location: those of one node share a clock */
	uint32_t thread_entry;	   /* a thread that goes on: no message; PH_NONE: there is none */
	bool *is_broadcast;		   /* by entry: hands a message on to elements of this processor */
	bool *is_reduction;		   /* by entry: messages of reductions */
	PhTaskPart *parts;		   /* by location */
	PhFindings findings;	   /* of all parts */
	int64_t origin;			   /* first time of all logs */

	/* The log of a location, from its start; next: *more false at its end. */
	PhStatus (*open_log)(PhEnv *env, const struct PhTaskSource *tasks, uint32_t location,
						 PhTaskLog **out);
	PhStatus (*next)(PhTaskLog *log, PhLogRecord *record, bool *more);
	void (*close_log)(PhTaskLog *log);
	void (*free_format)(PhEnv *env, struct PhTaskSource *tasks); /* and the struct itself */
} PhTaskSource;

/* Start with an empty source; the reader fills the model and the definitions. */
void ph_task_source_init(PhTaskSource *tasks, PhEnv *env);

/* First pass over all logs in n_threads threads; then chares, messages and findings are known. */
PhStatus ph_task_scan(PhEnv *env, PhTaskSource *tasks, uint32_t n_threads) PH_MUST_CHECK;

/* After the first pass: who sent what, and the chares' numbers. */
PhStatus ph_task_join(PhEnv *env, PhTaskSource *tasks) PH_MUST_CHECK;

/* Findings as warnings and metadata of the run (keys prefix.stale_receives, …). */
PhStatus ph_task_report(PhEnv *env, const PhTaskSource *tasks, const char *prefix,
						PhRunInput *run) PH_MUST_CHECK;

static inline void
ph_finding_add(PhFindings *findings, PhTaskFinding what, uint32_t location, uint64_t number)
{
	if (findings->n[what]++ == 0)
	{
		findings->location[what] = location;
		findings->number[what] = number;
	}
}

static inline const PhTaskSource *
ph_task_source(const PhTraceSource *source)
{
	return (const PhTaskSource *) source;
}

/* ---- a log with its repairs ---- */

/*
 * Records as they are given on: times do not run backwards, blocks do not overlap, every end has a
 * beginning. What was missing is inserted; findings count it.
 */
typedef struct PhTaskWalk
{
	PhTaskLog *log;
	const PhTaskSource *tasks;
	uint32_t location;
	PhFindings *findings;
	int64_t last;	 /* time of the record before; PH_NO_TIME: none yet */
	bool is_open;	 /* a block is */
	uint32_t region; /* of the open block */
	int64_t event;
	uint32_t depth; /* open calls, within the block if one is open */
	uint32_t calls[16];
	bool is_held; /* held waits until what precedes it was given */
	PhLogRecord held;
	uint64_t n_records;
} PhTaskWalk;

void ph_task_walk_begin(PhTaskWalk *walk, PhTaskLog *log, uint32_t location, PhFindings *findings);
PhStatus ph_task_walk_next(PhTaskWalk *walk, PhLogRecord *out, bool *more) PH_MUST_CHECK;

/* ---- the second pass: functions of PhTraceSource ---- */

PhStatus ph_task_cursor_open(PhEnv *env, const PhTraceSource *source, PhTraceCursor **out);
PhStatus ph_task_read_location(PhTraceCursor *cursor, uint32_t location, PhChunkWriter *writer,
							   PhTraceCounts *counts);
void ph_task_cursor_close(PhTraceCursor *cursor);
PhStatus ph_task_links(const PhTraceSource *source, PhArena *arena, uint32_t location,
					   const PhLink **links, uint64_t *n);

#endif
