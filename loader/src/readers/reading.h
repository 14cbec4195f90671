/*
 * reading.h - what readers of formats of one file have in common: where a run goes while it is
 * read, and its lines.
 *
 * A reader's struct has a PhReading; its read_file fills in the arguments and calls ph_reading_do
 * with the function that does the work. Arena and builder are given back whatever comes of it, and
 * of a failure nothing is left. A file of text, plain or gzip, comes line by line.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_READING_H
#define PH_READERS_READING_H

#include "readers/log_stream.h"

typedef struct PhReading
{
	PhEnv *env;
	PhInput *input;
	const PhReadOptions *options; /* may be NULL */
	PhRunInput *run;
	PhArena arena;			   /* ends with the reading */
	PhProfileBuilder *builder; /* NULL until the reader makes it */
	PhLogStream stream;		   /* of ph_reading_lines; line and is_cut stay when it ends */
	bool is_whole;			   /* the line that was taken last ends */
} PhReading;

/* Read: the builder, when there is one, becomes the run's profile. */
PhStatus ph_reading_do(PhReading *in, PhStatus (*read)(void *reader), void *reader) PH_MUST_CHECK;

/* Called for every line without its end; the last one may lack it: in->is_whole is false then. */
typedef PhStatus (*PhLineFunction)(void *reader, PhSlice line);

/* All lines of the file; it may be read several times. */
PhStatus ph_reading_lines(PhReading *in, PhLineFunction function, void *reader) PH_MUST_CHECK;

/* Note what proves that the lines are not all: the last one does not end, nor compressed data. */
PhStatus ph_reading_note_cut(PhReading *in) PH_MUST_CHECK;

#endif
