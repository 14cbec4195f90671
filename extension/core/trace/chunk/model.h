/*
 * model.h - the common record stream of event traces: events, and what they refer to.
 *
 * Every trace reader (OTF2, Projections, …) turns its records into PhEvent, location by location in
 * record order. All references are dense indices of this run: regions, communicators and metrics
 * count from 0 in PhTraceModel; peers and roots are ranks of the whole run (world ranks), never
 * ranks within a communicator. Times are ns since the run's first event.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_MODEL_H
#define PH_TRACE_CHUNK_MODEL_H

#include "base/arena.h"
#include "profile/profile.h"
#include "trace/chunk/collective_kinds.h"

/* No time known: a missing end of a message, an open call. */
#define PH_NO_TIME INT64_MIN

/*
 * Kinds of events. Stored in chunks: never renumber, add before PH_EVENT_KIND_COUNT. Their names
 * (ph_event_kind_name) are those of OTF2's records, as otf2-print writes them.
 */
typedef enum PhEventKind
{
	PH_EVENT_ENTER,					 /* region */
	PH_EVENT_LEAVE,					 /* region: the one that was entered last */
	PH_EVENT_SEND,					 /* peer, comm, tag, bytes */
	PH_EVENT_RECV,					 /* peer, comm, tag, bytes */
	PH_EVENT_ISEND,					 /* peer, comm, tag, bytes, request */
	PH_EVENT_ISEND_COMPLETE,		 /* request */
	PH_EVENT_IRECV_REQUEST,			 /* request: a receive is posted */
	PH_EVENT_IRECV,					 /* peer, comm, tag, bytes, request: it completed */
	PH_EVENT_REQUEST_TEST,			 /* request */
	PH_EVENT_REQUEST_CANCELLED,		 /* request */
	PH_EVENT_COLLECTIVE_BEGIN,		 /* nothing */
	PH_EVENT_COLLECTIVE_END,		 /* operation, comm, root, bytes, bytes_received */
	PH_EVENT_NB_COLLECTIVE_REQUEST,	 /* request */
	PH_EVENT_NB_COLLECTIVE_COMPLETE, /* operation, comm, root, bytes, bytes_received, request */
	PH_EVENT_METRIC,	  /* operation: index of the metric class; values: one a member, as bits */
	PH_EVENT_PARAMETER,	  /* operation: index of the parameter; values: one */
	PH_EVENT_MEASUREMENT, /* operation: 1 on, 2 off */
	PH_EVENT_RMA,		  /* operation: PhOtherRecord; peer, comm: window; bytes, request; values;
							 the third of GROUP_SYNC: the communicator whose members it is with */
	PH_EVENT_THREAD,	  /* operation: PhOtherRecord; values */
	PH_EVENT_IO,		  /* operation: PhOtherRecord; bytes, request; values */
	PH_EVENT_OTHER,		  /* operation: PhOtherRecord or PH_RECORD_UNKNOWN; values */
	PH_EVENT_KIND_COUNT
} PhEventKind;

/*
 * Which record a PH_EVENT_RMA, _THREAD, _IO or _OTHER is: stored, never renumber. Names by
 * ph_event_name(). The numbers 1000 and up are free for readers of other formats.
 */
typedef enum PhOtherRecord
{
	PH_RECORD_UNKNOWN,
	PH_RECORD_OMP_FORK,
	PH_RECORD_OMP_JOIN,
	PH_RECORD_OMP_ACQUIRE_LOCK,
	PH_RECORD_OMP_RELEASE_LOCK,
	PH_RECORD_OMP_TASK_CREATE,
	PH_RECORD_OMP_TASK_SWITCH,
	PH_RECORD_OMP_TASK_COMPLETE,
	PH_RECORD_RMA_WIN_CREATE,
	PH_RECORD_RMA_WIN_DESTROY,
	PH_RECORD_RMA_COLLECTIVE_BEGIN,
	PH_RECORD_RMA_COLLECTIVE_END,
	PH_RECORD_RMA_GROUP_SYNC,
	PH_RECORD_RMA_REQUEST_LOCK,
	PH_RECORD_RMA_ACQUIRE_LOCK,
	PH_RECORD_RMA_TRY_LOCK,
	PH_RECORD_RMA_RELEASE_LOCK,
	PH_RECORD_RMA_SYNC,
	PH_RECORD_RMA_WAIT_CHANGE,
	PH_RECORD_RMA_PUT,
	PH_RECORD_RMA_GET,
	PH_RECORD_RMA_ATOMIC,
	PH_RECORD_RMA_OP_COMPLETE_BLOCKING,
	PH_RECORD_RMA_OP_COMPLETE_NON_BLOCKING,
	PH_RECORD_RMA_OP_TEST,
	PH_RECORD_RMA_OP_COMPLETE_REMOTE,
	PH_RECORD_THREAD_FORK,
	PH_RECORD_THREAD_JOIN,
	PH_RECORD_THREAD_TEAM_BEGIN,
	PH_RECORD_THREAD_TEAM_END,
	PH_RECORD_THREAD_ACQUIRE_LOCK,
	PH_RECORD_THREAD_RELEASE_LOCK,
	PH_RECORD_THREAD_TASK_CREATE,
	PH_RECORD_THREAD_TASK_SWITCH,
	PH_RECORD_THREAD_TASK_COMPLETE,
	PH_RECORD_THREAD_CREATE,
	PH_RECORD_THREAD_BEGIN,
	PH_RECORD_THREAD_WAIT,
	PH_RECORD_THREAD_END,
	PH_RECORD_IO_CREATE_HANDLE,
	PH_RECORD_IO_DESTROY_HANDLE,
	PH_RECORD_IO_DUPLICATE_HANDLE,
	PH_RECORD_IO_SEEK,
	PH_RECORD_IO_CHANGE_FLAGS,
	PH_RECORD_IO_DELETE_FILE,
	PH_RECORD_IO_OPERATION_BEGIN,
	PH_RECORD_IO_OPERATION_TEST,
	PH_RECORD_IO_OPERATION_ISSUED,
	PH_RECORD_IO_OPERATION_COMPLETE,
	PH_RECORD_IO_OPERATION_CANCELLED,
	PH_RECORD_IO_ACQUIRE_LOCK,
	PH_RECORD_IO_RELEASE_LOCK,
	PH_RECORD_IO_TRY_LOCK,
	PH_RECORD_BUFFER_FLUSH,
	PH_RECORD_PROGRAM_BEGIN,
	PH_RECORD_PROGRAM_END,
	PH_RECORD_COMM_CREATE,
	PH_RECORD_COMM_DESTROY,
	PH_RECORD_CALLING_CONTEXT_ENTER,
	PH_RECORD_CALLING_CONTEXT_LEAVE,
	PH_RECORD_CALLING_CONTEXT_SAMPLE,
	PH_RECORD_COUNT
} PhOtherRecord;

/* The operands that a kind of event carries, as bits; the rest of a PhEvent is PH_NONE or 0. */
typedef enum PhOperandBit
{
	PH_OPERAND_REGION = 1,
	PH_OPERAND_PEER = 2,
	PH_OPERAND_COMM = 4,
	PH_OPERAND_TAG = 8,
	PH_OPERAND_BYTES = 16,
	PH_OPERAND_RECEIVED = 32,
	PH_OPERAND_REQUEST = 64,
	PH_OPERAND_OPERATION = 128,
	PH_OPERAND_ROOT = 256,
	PH_OPERAND_VALUES = 512
} PhOperandBit;

typedef struct PhEvent
{
	int64_t time;
	PhEventKind kind;
	uint32_t region; /* ENTER, LEAVE: theirs; others: the innermost open one; PH_NONE: none */
	uint32_t peer;	 /* world rank; PH_NONE: none or unknown */
	uint32_t comm;	 /* communicator; PH_NONE: none */
	uint32_t root;	 /* world rank; PH_NONE: none */
	int32_t tag;
	uint32_t operation; /* collective: PhCollective; else as PhEventKind says */
	uint32_t n_values;
	uint64_t bytes;			 /* sent, or received by RECV and IRECV */
	uint64_t bytes_received; /* by collectives */
	uint64_t request;		 /* unique per location only, and reused */
	const uint64_t *values;	 /* n_values raw 64-bit values */
} PhEvent;

/*
 * Which queue of a device a location of kind PH_COLUMN_STREAM is. Numbers of devices repeat in
 * processes, those of streams in contexts. A stream is sequential; where a device ran several of
 * its activities at once (branches of a graph), the others are in lanes of their own.
 */
typedef struct PhDeviceStream
{
	int32_t device;
	int64_t context, stream;
	int32_t lane; /* 0: the stream itself */
} PhDeviceStream;

/* How a kernel was launched. */
typedef struct PhLaunchConfiguration
{
	uint32_t grid[3], block[3]; /* blocks, threads */
	uint32_t registers;			/* a thread */
	uint32_t static_memory;		/* bytes of shared memory a block */
	uint32_t dynamic_memory;
} PhLaunchConfiguration;

/* Strings of definitions are UTF-8, "" when unknown. */
typedef struct PhTraceLocation
{
	uint64_t source_id; /* as the archive numbers it; may be sparse */
	int32_t rank;		/* PH_NO_NUMBER: none (metric locations) */
	int32_t thread;		/* within the rank, from 0 */
	PhColumnKind kind;
	const char *name;
	const char *host;
	uint64_t n_events;	   /* as declared; a hint */
	PhDeviceStream stream; /* of kind PH_COLUMN_STREAM */
} PhTraceLocation;

/* True for locations whose calls are activities of a device. They come behind all others. */
static inline bool
ph_location_is_stream(const PhTraceLocation *location)
{
	return location->kind == PH_COLUMN_STREAM;
}

typedef struct PhTraceRegion
{
	PhRegionKind kind;
	const char *name;
	const char *file;	  /* raw path */
	const char *library;  /* load module, or what the source names instead of a path ("MPI") */
	int32_t line;		  /* PH_NO_NUMBER: unknown */
	const char *paradigm; /* lower case: "mpi", "openmp", "user", "compiler", "measurement", … */
	const char *role;	  /* lower case: "function", "wrapper", "point2point", "barrier", … */
} PhTraceRegion;

typedef struct PhTraceCommunicator
{
	const char *name;
	uint32_t parent; /* PH_NONE: none */
	bool is_mpi;	 /* else a thread team or an RMA window */
	uint32_t n_members;
	const uint32_t *members; /* world ranks by rank in the communicator */
} PhTraceCommunicator;

typedef enum PhTraceValueType
{
	PH_TRACE_UINT64,
	PH_TRACE_INT64,
	PH_TRACE_DOUBLE
} PhTraceValueType;

/* A member of a metric class; PH_EVENT_METRIC's operation is the class. */
typedef struct PhTraceMetric
{
	uint32_t metric_class;
	uint32_t member; /* position within the class, from 0 */
	const char *name;
	const char *unit;
	PhTraceValueType type;
	bool is_accumulated; /* counts from the start; differences are what a call cost */
	double scale;		 /* value in the unit = stored value * scale */
} PhTraceMetric;

/* The definitions of one trace. Everything lives in one arena of the reader. */
typedef struct PhTraceModel
{
	uint32_t n_locations, n_regions, n_communicators, n_metrics, n_ranks;
	PhTraceLocation *locations; /* in the archive's order: the run's dense location ids */
	PhTraceRegion *regions;
	PhTraceCommunicator *communicators;
	PhTraceMetric *metrics;	 /* by (metric_class, member) */
	uint32_t *rank_location; /* n_ranks: the first location of each rank, PH_NONE: has none */
	uint32_t n_configurations;
	const PhLaunchConfiguration *configurations; /* of kernels */
	int64_t epoch_ns;							 /* of time 0, since 1970; PH_NO_TIME: unknown */
} PhTraceModel;

/* Has a rank more than one location? */
bool ph_trace_has_threads(const PhTraceModel *model);

extern const uint16_t ph_kind_operands[PH_EVENT_KIND_COUNT];

/* The operands of a kind; 0 for a number that is none. */
static inline uint32_t
ph_event_operands(uint32_t kind)
{
	return kind < PH_EVENT_KIND_COUNT ? ph_kind_operands[kind] : 0;
}

/* "ENTER", "MPI_ISEND", …, also of RMA_PUT, THREAD_FORK, …; "UNKNOWN" for what is not known. */
const char *ph_event_name(uint32_t kind, uint32_t operation);
/* One number for what an event is called: never renumber. The name of a code, or NULL. */
#define PH_EVENT_CODES 256
uint8_t ph_event_code(uint32_t kind, uint32_t operation);
const char *ph_event_code_name(uint32_t code);

#endif
