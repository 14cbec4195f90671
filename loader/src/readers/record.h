/*
 * record.h - what a benchmark harness noted of one run: Ramble, ReFrame, exaCB.
 *
 * A file of a harness holds records of many runs. Each has a name, what describes the run
 * (metadata), and figures, numbers with a unit that the program printed. A record that belongs to a
 * profile (pipeline/records.h) describes it; any other is a run of its own: a profile of one node
 * with the figures as its metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_RECORD_H
#define PH_READERS_RECORD_H

#include "readers/json_scan.h"
#include "readers/slice.h"

#define PH_MOST_FIGURES 256 /* of a record */

/* Before the names of figures in metadata. */
#define PH_FIGURE_PREFIX "figure."

typedef struct PhRecordItem
{
	const char *key, *value;
	bool is_number;
} PhRecordItem;

typedef struct PhFigure
{
	const char *name;
	const char *unit; /* "": none */
	double value;
} PhFigure;

typedef struct PhRecord
{
	const char *name;  /* of the experiment or test; NULL: not known */
	const char *place; /* folders that end with the run's own, "system/partition/…"; NULL: any */
	const char *job;   /* number of its batch job; NULL: not known */
	uint64_t line;	   /* of the file; 0: it does not count by lines */
	bool is_failed;	   /* the harness says so */
	PhRecordItem *items;
	PhFigure *figures;
	uint32_t n_items, room_items, n_figures, room_figures;
} PhRecord;

/* All of a file, in its order; everything is in the arena. */
typedef struct PhRecordList
{
	PhArena *arena;
	PhRecord *list;
	uint32_t n, room;
	uint32_t n_skipped; /* lines that are not as long as the first one says */
} PhRecordList;

/* A new record, the last of the list until the next one. */
PhStatus ph_records_add(PhRecordList *records, PhRecord **out) PH_MUST_CHECK;

/* A text of the record, copied; what is empty, null or None is not said. */
PhStatus ph_record_put(PhRecordList *records, PhRecord *record, const char *key,
					   PhSlice value) PH_MUST_CHECK;

/* The batch job that it ran in, by its number or name. */
PhStatus ph_record_put_job(PhRecordList *records, PhRecord *record, const char *key,
						   PhSlice job) PH_MUST_CHECK;

/* A text with a prefix to the key. */
PhStatus ph_record_put_below(PhRecordList *records, PhRecord *record, const char *prefix,
							 const char *key, PhSlice value) PH_MUST_CHECK;

/* A figure, or a text of the record below prefix where value is no number. */
PhStatus ph_record_put_figure(PhRecordList *records, PhRecord *record, const char *name,
							  PhSlice value, PhSlice unit, const char *prefix) PH_MUST_CHECK;

/* Whether the slice says something: not empty, not null, not None. */
bool ph_record_says(PhSlice value);

/* What the record says of the key; NULL: nothing. */
const char *ph_record_get(const PhRecord *record, const char *key);

/* "a/b/c" of what the record says of these keys, NULL ends; NULL: it lacks one. */
PhStatus ph_record_place(PhRecordList *records, PhRecord *record,
						 const char *const *keys) PH_MUST_CHECK;

/* ---- as a run, or as part of one ---- */

/* The record alone as a run: it has figures. */
PhStatus ph_record_run(PhEnv *env, const PhRecord *record, PhRunInput *out) PH_MUST_CHECK;

/* What the run does not say of itself. Figures are metadata, too: figure.NAME, figure.NAME.unit. */
PhStatus ph_record_describe(PhEnv *env, const PhRecord *record, PhMeta *meta) PH_MUST_CHECK;

#endif
