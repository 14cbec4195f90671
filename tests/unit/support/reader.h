/*
 * reader.h - read bytes in memory with any reader; compare profiles by their stored form.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_READER_H
#define PH_SUPPORT_READER_H

#include "readers/source.h"
#include "support/hpctoolkit4.h"

typedef enum ReaderKind
{
	READ_CALIPER_JSON,
	READ_CALIPER_CALI,
	READ_HATCHET_JSON,
	READ_HPCTOOLKIT, /* the XML alone */
	READ_CHROME,
	READ_PERF_SCRIPT,
	READ_FOLDED,
	READ_TABLE,
	READ_SPEEDSCOPE,
	READ_PPROF,
	READ_CPROFILE,
	READ_NSIGHT,
	READ_ROCPD,
	READ_GPROF,
	READ_GPROF2DOT,
	READ_PYINSTRUMENT,
	READ_TIMEMORY,
	READ_TALP,
	READ_DARSHAN,
	READ_DARSHAN_TEXT,
	READ_OTLP
} ReaderKind;

PhStatus read_bytes(PhEnv *env, ReaderKind reader, const void *bytes, size_t size, PhRunInput *run);

/* Read an HPCToolkit 4 database from its two files. */
PhStatus h4_read(PhEnv *env, const H4Bytes *meta, const H4Bytes *profile, PhRunInput *run);

/* Read a file or directory into a fresh environment; fails the test on an error. */
void must_read(PhEnv *env, const char *path, PhRunInput *run);

/* Free the run; nothing may be left in its environment. */
void done(PhEnv *env, PhRunInput *run);

/* Fails the test unless reading failed with this status and message (a part of it) and left
 * nothing. */
void check_error(const PhEnv *env, PhStatus status, PhStatus expected, const char *message,
				 const char *what);

/* A good file with one piece replaced, and what the error must say. */
typedef struct BadCase
{
	const char *replace; /* NULL: the whole text */
	const char *by;
	PhStatus status;
	const char *message; /* part of it */
} BadCase;

void check_bad_cases(ReaderKind reader, const char *file, const BadCase *cases, size_t n);

/*
 * Every cut of a file of a format that cannot prove itself whole is refused, read with something
 * missing, or ends where a record ends.
 */
void check_unproven_cuts(ReaderKind reader, const char *file,
						 bool (*is_boundary)(const char *text, size_t cut));

/* A copy of a good file's text with one part replaced (NULL: the whole); caller frees. */
char *replace_text(const char *text, const char *from, const char *to);

typedef struct ReaderInput
{
	ReaderKind reader; /* for read_input */
	const void *bytes;
	size_t size;
} ReaderInput;

typedef PhStatus (*ReadFunction)(PhEnv *env, const ReaderInput *input, PhRunInput *run);

/* As read_bytes. */
PhStatus read_input(PhEnv *env, const ReaderInput *input, PhRunInput *run);

/*
 * Read with the n-th allocation failing, for every n until it works: PH_ERR_MEMORY and nothing
 * left.
 */
void fail_every_allocation(ReadFunction read, const ReaderInput *input);

/* The same of a file. */
void fail_every_allocation_of(ReaderKind reader, const char *path);

/* A cell of a metric; fails the test unless both costs are as expected, to 12 digits. */
void check_cost(const PhProfile *profile, const char *metric, const char *path, uint32_t column,
				double inclusive, double exclusive);

/* The node with this path, and the metric with this name; fail the test when there is none. */
uint32_t find_node(const PhProfile *profile, const char *path);
uint32_t find_metric(const PhProfile *profile, const char *name);

/* Setup and teardown: *state is a new folder, removed at the end. */
int make_scratch(void **state);
int drop_scratch(void **state);

/* The profile's stored bytes; caller frees. */
uint8_t *stored_bytes(PhEnv *env, const PhProfile *profile, size_t *size);

/*
 * A file below tests/data that a test makes has these bytes; with PERFHOUSE_WRITE in the
 * environment it is written first.
 */
void check_generated_file(const char *path, const void *bytes, size_t size);

/* The same of a gzip file, of which the content counts: other versions of zlib pack it otherwise.
 */
void check_generated_gzip(const char *path, const void *gzip, size_t gzip_size, const void *content,
						  size_t size);

/* Deterministic random numbers. */
uint32_t draw_below(uint64_t *state, uint32_t limit);

#endif
