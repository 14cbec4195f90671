/*
 * pprof.h - the parts of the pprof reader: the tables of a profile, then its samples.
 *
 * Fields come in any order (Go writes the strings last, which all others refer to), so a profile is
 * read twice: first everything but samples, then the samples. Memory is that of the tables.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_PPROF_PPROF_H
#define PH_READERS_PPROF_PPROF_H

#include "readers/protobuf.h"
#include "readers/reading.h"
#include "readers/source_paths.h"

#define PH_PPROF_TYPES 64	 /* sample types at most */
#define PH_PPROF_COMMENTS 20 /* that are kept */

/* Fields of the messages (profile.proto of google/pprof). */
enum
{
	PH_PPROF_SAMPLE_TYPE = 1,
	PH_PPROF_SAMPLE = 2,
	PH_PPROF_MAPPING = 3,
	PH_PPROF_LOCATION = 4,
	PH_PPROF_FUNCTION = 5,
	PH_PPROF_STRING = 6,
	PH_PPROF_TIME = 9,
	PH_PPROF_DURATION = 10,
	PH_PPROF_PERIOD_TYPE = 11,
	PH_PPROF_PERIOD = 12,
	PH_PPROF_COMMENT = 13,
	PH_PPROF_DEFAULT_TYPE = 14
};

/* A type and a unit by their strings. */
typedef struct PhPprofType
{
	int64_t type, unit;
	uint32_t metric;
	uint64_t place; /* byte of the text, as of the next ones */
} PhPprofType;

/* A mapping or a comment. */
typedef struct PhPprofText
{
	int64_t string;
	uint64_t place;
} PhPprofText;

typedef struct PhPprofFunction
{
	int64_t name, system_name, file, line;
	uint64_t place;
	uint32_t path; /* of the file, in paths */
} PhPprofFunction;

typedef struct PhPprofLocation
{
	uint64_t mapping; /* its id, 0: none */
	uint64_t place;
	uint32_t first, n; /* in line_functions, innermost first */
} PhPprofLocation;

/* Where the numbers of table entries stand that OTLP has, too, but in other fields. */
typedef struct PhPprofFields
{
	const char *prefix; /* of metadata: "pprof" */
	uint32_t id;		/* 0: entries are known by their places, of which 0 is none */
	uint32_t mapping_file;
	uint32_t function_name, function_system_name, function_file, function_line;
	uint32_t location_mapping, location_line;
} PhPprofFields;

typedef struct PhPprof
{
	PhReading in;
	const PhPprofFields *fields;

	/* first pass */
	PH_VECTOR(const char *) strings;
	PhMap mapping_ids, location_ids, function_ids; /* to indices */
	PH_VECTOR(PhPprofText) mapping_files;
	PH_VECTOR(PhPprofLocation) locations;
	PH_VECTOR(uint64_t) line_functions; /* ids */
	PH_VECTOR(PhPprofFunction) functions;
	uint32_t n_types;
	PhPprofType types[PH_PPROF_TYPES];
	PhPprofType period_type;
	int64_t default_type, period, time, duration;
	uint32_t n_comments;
	PhPprofText comments[PH_PPROF_COMMENTS];

	/* between them */
	PhSourcePaths paths;
	uint32_t *regions; /* parallel to line_functions; or of locations without lines */
	uint32_t *unnamed; /* per location: its region when it has no lines */

	/* second pass */
	PhIndices stack; /* locations, leaf first */
	PH_VECTOR(int64_t) values;
} PhPprof;

/* A string of the table, or NULL where there is none. */
static inline const char *
ph_pprof_string(const PhPprof *pprof, int64_t index)
{
	return index >= 0 && (uint64_t) index < pprof->strings.count ? pprof->strings.items[index]
																 : NULL;
}

void ph_pprof_begin_tables(PhPprof *pprof);

/* Read everything but samples. */
PhStatus ph_pprof_read_tables(PhPprof *pprof) PH_MUST_CHECK;

/* One field of it. */
PhStatus ph_pprof_read_field(PhPprof *pprof, PhProtoField *field) PH_MUST_CHECK;

/* A message of type and unit. */
PhStatus ph_pprof_read_type(PhPprof *pprof, const PhProtoField *field,
							PhPprofType *out) PH_MUST_CHECK;

/* Read the file from its begin on; what of it is missing is noted. */
PhStatus ph_pprof_pass(PhPprof *pprof, PhStatus (*read)(PhPprof *)) PH_MUST_CHECK;

/* Regions of all locations, metrics, metadata; the builder is new. */
PhStatus ph_pprof_prepare(PhPprof *pprof) PH_MUST_CHECK;

/* The node of the locations in stack. */
PhStatus ph_pprof_enter_stack(PhPprof *pprof, uint32_t *node) PH_MUST_CHECK;

/* Does a label say the rank, or the thread? */
bool ph_pprof_is_rank(const char *key);

/* Read the samples into the builder. */
PhStatus ph_pprof_read_samples(PhPprof *pprof) PH_MUST_CHECK;

#endif
