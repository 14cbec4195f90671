/*
 * source.h - what every reader offers: detect by content, then read files into profiles.
 *
 * A reader knows nothing of PostgreSQL. It turns one experiment (a file, or a directory that is one
 * run) into one or more PhRunInput: a profile in normal form and the run's metadata. Bad input
 * gives a status and a message in env->error that names the file, the line or byte offset and what
 * is wrong.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SOURCE_H
#define PH_READERS_SOURCE_H

#include "profile/builder.h"
#include "supergraph/supergraph.h" /* PhModuleMap */

/* Metadata of a run in order of appearance; the last value of a key wins. value is text. */
typedef struct PhMetaItem
{
	char *key;
	char *value;
	bool is_literal; /* value is a JSON number, true or false, and may be stored as such */
} PhMetaItem;

typedef struct PhMeta
{
	PhMetaItem *items;
	size_t n_items;
	size_t capacity;
} PhMeta;

/* A region of this run before its paths were normalised; parallel to profile->regions. */
typedef struct PhRawRegion
{
	char *raw_file; /* NULL: same as the normalised file */
	int32_t line;	/* definition line, PH_NO_NUMBER: unknown */
} PhRawRegion;

typedef struct PhRunInput
{
	PhProfile *profile;
	PhRawRegion *raw_regions; /* profile->n_regions elements, or NULL */
	PhMeta meta;
	int32_t n_ranks;   /* PH_NO_NUMBER: count them from the columns */
	int32_t n_threads; /* PH_NO_NUMBER: count them */
	char *title;	   /* proposed title; NULL: the file's name */
	char **warnings;   /* sentences for the user */
	size_t n_warnings;

	/* Of the input's completeness; see readers/completeness.h. */
	char **missing; /* sentences: what the input lacks */
	size_t n_missing;
	bool is_proven; /* it proves itself whole, though its format has no such proof */

	/* An event trace, or NULL. Its profile is made of its events when they are loaded: profile is
	 * NULL until then. */
	struct PhTraceSource *trace;
	PhProfile *beside; /* what was measured beside the trace; NULL: nothing */
} PhRunInput;

/* What to do with clock offsets that a trace holds. */
typedef enum PhClockOffsets
{
	PH_OFFSETS_AUTO, /* apply them unless they make more receives precede their sends */
	PH_OFFSETS_ON,
	PH_OFFSETS_OFF
} PhClockOffsets;

typedef struct PhReadOptions
{
	const PhModuleMap *module_map; /* NULL: none */
	const char *source_root; /* stripped from file paths; NULL: their longest common directory */
	PhClockOffsets clock_offsets;
	uint32_t n_threads; /* that reading may take; 0: one */
	bool logical_clock; /* move a trace's times so that messages run forwards */
	void (*progress)(void *user, uint64_t done, uint64_t total); /* bytes; may be NULL */
	void *progress_user;
} PhReadOptions;

/* One experiment = the paths that make one run, found by expanding what the user named. */
typedef struct PhExperiment
{
	const struct PhReader *reader;
	char *path;	  /* what the user sees: the file or the directory */
	char **files; /* consumed files, absolute or relative as reachable, in byte order of path */
	uint32_t n_files, capacity;
	const struct PhRecord *record; /* what it is, of a file of records; NULL: no record */
	PhArena *arena;				   /* what it is in: it goes with it */
} PhExperiment;

struct PhInput;		 /* readers/input.h */
struct PhRecordList; /* readers/record.h */

/* Of a file that is one rank's part of a job's measurement. */
typedef struct PhFileJob
{
	char *job; /* what the files of one job have in common, and others have not; NULL: not known */
	int32_t rank;
	int64_t begin, end; /* ns since 1970, or of any clock that the files of a job share */
} PhFileJob;

typedef struct PhReader
{
	const char *name;		 /* "caliper-json", "caliper-cali", "hatchet-json", "hpctoolkit" ... */
	const char *description; /* one line for --formats */
	const char *mark;		 /* how a file or folder of the format is told, for people */
	const char *lacks; /* the library that this build is without (readers/absent); else NULL */

	/* How an input of the format proves that it is whole: "ends with the record of its globals".
	 * NULL: it cannot. See readers/completeness.h. */
	const char *proof;

	/* True when this file (its first size bytes in head) is in the reader's format. */
	bool (*detect_file)(const char *path, const uint8_t *head, size_t size);

	/* True when this directory as a whole is one experiment; NULL: never. */
	bool (*detect_directory)(const char *path);

	/* True when a file of the format stands for an experiment of several files. */
	bool is_anchor;

	/* True when the files may also be another run, of another reader: they are told apart. */
	bool is_aspect;

	/* For a directory or an anchor: the files it consumes. NULL for single files. */
	PhStatus (*list_files)(PhEnv *env, const char *path, PhExperiment *experiment);

	/* Read one experiment into one run; or the file's bytes, where an experiment is one file. A
	 * reader has one of them, or both where an experiment may be one file or several. */
	PhStatus (*read)(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
					 PhRunInput *out);
	PhStatus (*read_file)(PhEnv *env, struct PhInput *input, const PhReadOptions *options,
						  PhRunInput *out);

	/* Of files of a harness, which note many runs (NULL: others): each record is an experiment, and
	 * neither read nor read_file are there. */
	PhStatus (*read_records)(PhArena *arena, struct PhInput *input, struct PhRecordList *out);

	/*
	 * Of formats that have a file for each rank (NULL: a file is a run): whose file it is. Files of
	 * one job, each of another rank, are one experiment for read.
	 */
	PhStatus (*find_job)(PhArena *arena, const char *path, PhFileJob *out);
} PhReader;

extern const PhReader ph_reader_otf2;
extern const PhReader ph_reader_caliper_json;
extern const PhReader ph_reader_caliper_cali;
extern const PhReader ph_reader_hatchet_json;
extern const PhReader ph_reader_chrome;
extern const PhReader ph_reader_hpctoolkit;
extern const PhReader ph_reader_hpctoolkit4;
extern const PhReader ph_reader_hpctoolkit4_trace;
extern const PhReader ph_reader_cube;
extern const PhReader ph_reader_tau;
extern const PhReader ph_reader_projections;
extern const PhReader ph_reader_tasks;
extern const PhReader ph_reader_speedscope;
extern const PhReader ph_reader_table;
extern const PhReader ph_reader_nsight;
extern const PhReader ph_reader_rocpd;
extern const PhReader ph_reader_perf_script;
extern const PhReader ph_reader_folded;
extern const PhReader ph_reader_pprof;
extern const PhReader ph_reader_cprofile;
extern const PhReader ph_reader_gprof;
extern const PhReader ph_reader_gprof2dot;
extern const PhReader ph_reader_pyinstrument;
extern const PhReader ph_reader_timemory;
extern const PhReader ph_reader_talp;
extern const PhReader ph_reader_darshan;
extern const PhReader ph_reader_otlp;
extern const PhReader ph_reader_darshan_text;
extern const PhReader ph_reader_ramble;
extern const PhReader ph_reader_reframe_report;
extern const PhReader ph_reader_reframe_log;
extern const PhReader ph_reader_exacb;
extern const PhReader ph_reader_exacb_table;

/* All readers, NULL-terminated, in order of detection. */
extern const PhReader *const ph_readers[];

/* Why a file below a named folder is not read. */
typedef enum PhUnreadKind
{
	PH_UNREAD_UNKNOWN,	  /* no format that is known */
	PH_UNREAD_KNOWN,	  /* a format that is known, but not read */
	PH_UNREAD_ERROR,	  /* it cannot be opened, or its reader finds nothing in it */
	PH_UNREAD_RECORD,	  /* a harness's record of a run that failed, or without figures */
	PH_UNREAD_PASSED_OVER /* as it should be: hidden, a link to a folder, beside an experiment */
} PhUnreadKind;

typedef struct PhUnread
{
	PhUnreadKind kind;
	PhStatus status; /* of PH_UNREAD_ERROR */
	char *path;
	const char *format; /* of PH_UNREAD_KNOWN: its name */
	char *reason;		/* "of no known format" */
} PhUnread;

/* In the order in which they were met. */
typedef struct PhUnreadList
{
	PhUnread *items;
	uint32_t n, capacity;
	size_t n_unknown; /* of kinds PH_UNREAD_UNKNOWN and PH_UNREAD_KNOWN */
} PhUnreadList;

/*
 * Expand a path, into the arena: a file gives one experiment; a directory that a reader recognises
 * gives one; any other directory gives one per recognised file below it, in byte order of path.
 * Files of a directory that are not read are listed with the reason, also when none is (an error
 * when the user named the file itself). format: force this reader, NULL: detect.
 */
PhStatus ph_source_expand(PhArena *arena, const char *path, const char *format,
						  PhExperiment **experiments, size_t *n_experiments, PhUnreadList *unread);

/* An error where one of the files should have been read, but cannot be. */
PhStatus ph_unread_check(PhEnv *env, const PhUnreadList *unread) PH_MUST_CHECK;

/* A file of this name holds metadata of the run whose name is before it; it is none itself. */
#define PH_SIDECAR ".meta.json"
bool ph_is_sidecar(const char *path);

/* Read it by its reader. */
PhStatus ph_experiment_read(PhEnv *env, const PhExperiment *experiment,
							const PhReadOptions *options, PhRunInput *out) PH_MUST_CHECK;

/* SHA-256 hex over the sorted (relative name, SHA-256 of content) of the consumed files. */
PhStatus ph_experiment_fingerprint(PhEnv *env, const PhExperiment *experiment, char out[65],
								   uint64_t *bytes);

/* One that says nothing: what every reader begins with. */
static inline PhRunInput
ph_run_input_new(void)
{
	return (PhRunInput){.n_ranks = PH_NO_NUMBER, .n_threads = PH_NO_NUMBER};
}

void ph_run_input_free(PhEnv *env, PhRunInput *input);

/* Free all but the profile, which is the caller's. */
PhProfile *ph_run_input_take_profile(PhEnv *env, PhRunInput *input);

/* Set or overwrite a key; aborts never: PH_ERR_MEMORY. */
PhStatus ph_meta_set(PhEnv *env, PhMeta *meta, const char *key, const char *value, bool is_literal);
const char *ph_meta_get(const PhMeta *meta, const char *key);

#endif
