/*
 * reading.h - what the readers of harnesses' files have in common.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_HARNESS_READING_H
#define PH_READERS_HARNESS_READING_H

#include "readers/record.h"

typedef struct PhHarnessReading
{
	PhJsonScan json; /* of files that are JSON */
	PhRecordList records;
} PhHarnessReading;

static inline PhHarnessReading
ph_harness_reading(PhArena *arena, PhInput *input)
{
	return (PhHarnessReading){.json = {arena->env, input, 0}, .records = {.arena = arena}};
}

/* What a harness calls something, and what it is called here. */
typedef struct PhKnownKey
{
	const char *theirs, *ours;
} PhKnownKey;

/* The list ends with NULL; NULL: it is not among them. */
const char *ph_harness_known(const PhKnownKey *keys, const char *theirs);

/* A member's name as text. */
PhStatus ph_harness_text(PhHarnessReading *in, const PhJsonText *text, char **out) PH_MUST_CHECK;

/* A scalar as text; of objects and lists, which are skipped, and of null: empty. */
PhStatus ph_harness_scalar(PhHarnessReading *in, PhSlice *out) PH_MUST_CHECK;

/* ---- tables ---- */

#define PH_HARNESS_COLUMNS 512

typedef struct PhHarnessTable
{
	char separator;
	bool may_skip; /* lines of another length, which are counted then */
	PhArena *arena;
	uint32_t n_columns;
	const char *columns[PH_HARNESS_COLUMNS];
	PhSlice fields[PH_HARNESS_COLUMNS]; /* of the line */
	uint64_t line;						/* its number, from 1 on */
	uint32_t n_skipped;
} PhHarnessTable;

/*
 * The lines of the file behind the first, which names the columns; empty ones are passed over.
 * PH_ERR_FORMAT with the line's number where it has not as many fields, unless may_skip. Only with
 * commas fields may be quoted.
 */
PhStatus ph_harness_lines(PhHarnessTable *table, PhInput *input, PhStatus (*take)(void *reader),
						  void *reader) PH_MUST_CHECK;

/* The field of this column; empty where there is none. */
PhSlice ph_harness_field(const PhHarnessTable *table, const char *column);

#endif
