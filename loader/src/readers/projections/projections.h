/*
 * projections.h - logs of Charm++'s Projections: definitions (NAME.sts) and one log a processor.
 *
 * Facts of the format: docs/FORMATS.md. Versions 7 to 11, text or binary, plain or gzip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_PROJECTIONS_PROJECTIONS_H
#define PH_READERS_PROJECTIONS_PROJECTIONS_H

#include "readers/log_stream.h"
#include "readers/tasks/source.h"

#define PH_PROJECTIONS_OLDEST 70 /* ten times the version */
#define PH_PROJECTIONS_NEWEST 110
#define PH_PROJECTIONS_IDS 4 /* index numbers of what is not an array */
#define PH_PROJECTIONS_COUNTERS 64

/* Regions behind those of the entry methods. */
typedef enum PhProjectionsCall
{
	PH_CALL_IDLE,
	PH_CALL_PACK,
	PH_CALL_UNPACK,
	PH_CALL_UNNAMED, /* user events that the definitions do not have */
	PH_CALL_COUNT
} PhProjectionsCall;

typedef struct PhProjections
{
	PhTaskSource tasks;
	const char *sts;							   /* path */
	uint32_t version;							   /* ten times */
	uint32_t n_processors, node_size, n_smp_nodes; /* 0: not SMP */
	uint32_t n_counters;						   /* of PAPI */
	const char **counters;
	bool *is_type, *is_entry; /* by number: the definitions have it */
	uint32_t type_room, entry_room;
	PhMap events;						/* user event to index among them */
	PhMap stats;						/* to index */
	uint32_t *event_order, *stat_order; /* of the maps' keys, ascending */
	uint32_t n_events, event_room;
	const char **events_by_index;
	uint32_t n_stats, stat_room;
	const char **stats_by_index;
	const char **log_paths; /* by processor */
	const PhInput *lent;	/* their bytes, instead of files; NULL */
} PhProjections;

typedef struct PhProjectionsLog
{
	PhTaskLog log;
	const PhProjections *projections;
	uint32_t location;
	PhLogStream stream;
	bool is_text;
	bool ended;		 /* END_COMPUTATION was there */
	bool has_second; /* of a pair (100) the next record is the end */
	uint64_t bits[PH_PROJECTIONS_COUNTERS];
	bool is_pending; /* a record that follows from the one just given */
	PhLogRecord pending;
} PhProjectionsLog;

/* ---- readers/projections/sts.c ---- */

/* Read definitions into a new source, of env; run gets its metadata. */
PhStatus ph_projections_read_sts(PhEnv *env, PhInput *input, PhRunInput *run,
								 PhProjections **out) PH_MUST_CHECK;

/* ---- readers/projections/model.c ---- */

/* From definitions to the trace's model; the logs are known. */
PhStatus ph_projections_make_model(PhProjections *projections) PH_MUST_CHECK;

/* Is a chare of this name the run time's own? */
bool ph_projections_is_runtime(const char *type);

/* Of a user event or statistic, its index; PH_NONE: it is not defined. */
uint32_t ph_projections_find(const PhMap *map, const uint32_t *order, int64_t number);

/* Metric classes: PAPI's counters first, if there are any. */
typedef enum PhProjectionsClass
{
	PH_CLASS_COUNTERS,
	PH_CLASS_MEMORY,
	PH_CLASS_SUPPLIED,
	PH_CLASS_STATS
} PhProjectionsClass;

/* The metric class of what records of this type give. */
uint32_t ph_projections_metric_class(const PhProjections *projections, uint32_t record,
									 uint32_t stat);

/* ---- readers/projections/log.c ---- */

PhStatus ph_projections_open_log(PhEnv *env, const PhTaskSource *tasks, uint32_t location,
								 PhTaskLog **out);
PhStatus ph_projections_next(PhTaskLog *log, PhLogRecord *record, bool *more);
void ph_projections_close_log(PhTaskLog *log);

/* "path: line 7, record 2: …" */
PhStatus ph_projections_fail(PhProjectionsLog *log, uint32_t type, const char *format, ...)
	PH_PRINTF(3, 4);

/* ---- a record's numbers, whatever they were written in ---- */

typedef struct PhProjectionsFields
{
	uint32_t type;
	int64_t message_type, entry, time, event, pe, bytes, id;
	int64_t index[PH_CHARE_DIMENSIONS];
	uint32_t n_index;
	int64_t array; /* 0: none */
	double value;
	int64_t counters[PH_PROJECTIONS_COUNTERS];
} PhProjectionsFields;

/* How many index numbers a block of this entry method has, as written. */
static inline uint32_t
ph_projections_n_ids(const PhProjections *projections, uint32_t entry)
{
	int32_t dimensions;

	if (projections->version < 90)
		return PH_PROJECTIONS_IDS;
	dimensions = projections->tasks.types[projections->tasks.entries[entry].type].dimensions;
	return dimensions >= 1 ? (uint32_t) dimensions : PH_PROJECTIONS_IDS;
}

static inline bool
ph_projections_has_entry(const PhProjections *projections, int64_t entry)
{
	return entry >= 0 && entry < projections->tasks.n_entries && projections->is_entry[entry];
}

/* The next record's fields; *more false at the end; type 0: one that is to be skipped. */
PhStatus ph_projections_text_record(PhProjectionsLog *log, PhProjectionsFields *out,
									bool *more) PH_MUST_CHECK;
PhStatus ph_projections_binary_record(PhProjectionsLog *log, PhProjectionsFields *out,
									  bool *more) PH_MUST_CHECK;

/* ---- readers/projections/source.c ---- */

/* A run whose definitions and logs are lent: for tests. Logs by processor. */
PhStatus ph_read_projections(PhEnv *env, PhInput *sts, const PhInput *logs, uint32_t n_logs,
							 const PhReadOptions *options, PhRunInput *out) PH_MUST_CHECK;

#endif
