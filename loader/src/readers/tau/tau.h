/*
 * tau.h - the parts of the TAU reader: names, one profile file, the tree of one process.
 *
 * TAU writes a file "profile.NODE.CONTEXT.THREAD" per thread and metric. Its rows are flat totals
 * of functions ("f") and, when call paths were measured, totals of paths ("main => f"); both count
 * the same time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_TAU_TAU_H
#define PH_READERS_TAU_TAU_H

#include "base/table.h"
#include "readers/input.h"
#include "readers/source_paths.h"

#define PH_TAU_MAX_METRICS 256
#define PH_TAU_MAX_EVENTS 64 /* user events that become metrics */
#define PH_TAU_MAX_DEPTH 10000

/* A piece of a file; not terminated. */
typedef struct PhTauText
{
	const char *text;
	size_t size;
} PhTauText;

/* ---- readers/tau/names.c: one step of a path, "foo [{file.c} {12,0}]" ---- */

typedef enum PhTauStep
{
	PH_TAU_TIMER,  /* measured: function, region or loop */
	PH_TAU_SAMPLE, /* where samples fell, below a timer */
	PH_TAU_CONTEXT /* stands for the timer above it: no node */
} PhTauStep;

typedef struct PhTauName
{
	PhTauStep step;
	PhRegionKind kind;
	PhTauText name;
	PhTauText file; /* size 0: none */
	int32_t line;	/* PH_NO_NUMBER: none */
} PhTauName;

/* Take a step apart; blanks around it do not count. */
void ph_tau_parse_name(PhTauText text, PhTauName *out);

/* Library and paradigm that a group list "TAU_CALLPATH|MPI" tells; NULL: none. */
const char *ph_tau_library(PhTauText groups);
const char *ph_tau_paradigm(PhTauText groups);
bool ph_tau_has_group(PhTauText groups, const char *group);

/* The next step of a path; false at its end. */
bool ph_tau_next_step(PhTauText *path, PhTauText *step);

PhTauText ph_tau_trim(PhTauText text);

/* ---- readers/tau/file.c: one file ---- */

typedef struct PhTauRow
{
	PhTauText name; /* path */
	PhTauText groups;
	double calls, children, exclusive, inclusive;
	size_t offset; /* of the line */
} PhTauRow;

typedef struct PhTauEvent
{
	PhTauText name; /* without the context */
	PhTauText path; /* context; size 0: none */
	double count, max, min, mean;
	size_t offset;
} PhTauEvent;

typedef struct PhTauVisitor
{
	void *user;
	/* Metric of the header, size 0: the header names none; metadata in XML. Comes first. */
	PhStatus (*begin)(void *user, PhTauText metric, PhTauText metadata);
	PhStatus (*row)(void *user, const PhTauRow *row);
	PhStatus (*event)(void *user, const PhTauEvent *event);
} PhTauVisitor;

/* Check the whole file and show its parts to the visitor, in order. */
PhStatus ph_tau_scan(PhEnv *env, PhInput *input, const PhTauVisitor *visitor) PH_MUST_CHECK;

/* Node, context and thread of a path ".../profile.N.C.T"; false when it has another form. */
bool ph_tau_parse_path(const char *path, int32_t *node, int32_t *context, int32_t *thread);

/* True when the bytes begin like a profile. */
bool ph_tau_detect(const uint8_t *head, size_t size);

/* ---- readers/tau/metadata.c ---- */

/* Name and value, terminated, of each attribute. */
typedef PhStatus (*PhTauAttribute)(void *user, const char *name, const char *value);

/* Show the attributes of the XML metadata of a file; offset is where it begins. */
PhStatus ph_tau_metadata(PhEnv *env, const PhInput *input, PhTauText metadata,
						 PhTauAttribute attribute, void *user) PH_MUST_CHECK;

/* ---- the run ---- */

/* A distinct step of any path of the run. */
typedef struct PhTauFunction
{
	PhTauName name; /* texts live in the run's strings */
	const char *library, *paradigm;
	uint32_t file;	 /* index into paths, 0: none */
	uint32_t region; /* builder's, PH_NONE: not made yet */
	bool is_program; /* ".TAU application" */
	bool is_phase;
} PhTauFunction;

typedef struct PhTauEventMetric
{
	const char *name;
	uint32_t sum, count, min, max; /* builder's metrics, PH_NONE: left out */
} PhTauEventMetric;

typedef struct PhTauMetric
{
	const char *name; /* as in the files */
	uint32_t metric;  /* builder's */
} PhTauMetric;

typedef struct PhTauFile
{
	PhInput input; /* data NULL: opened when it is read */
	int32_t node, context, thread;
	uint32_t metric;  /* index into metrics */
	const char *host; /* NULL: unknown */
	uint32_t column;
	bool has_counts; /* the first file of its column: calls and user events are taken from it */
} PhTauFile;

typedef struct PhTauRun
{
	PhEnv *env;
	const PhReadOptions *options;
	PhRunInput *run;
	PhArena arena;
	PhProfileBuilder *builder;
	PhSourcePaths paths;
	PhStrings strings;

	PhTauFile *files; /* by metric, then by path */
	size_t n_files;

	PhStrings steps;						 /* trimmed texts of steps; indices of functions */
	uint32_t n_functions, function_capacity; /* functions[0] is not used */
	PhTauFunction *functions;

	uint32_t n_metrics;
	PhTauMetric metrics[PH_TAU_MAX_METRICS];
	uint32_t calls, children; /* builder's metrics */
	uint32_t
		flat_inclusive; /* builder's: inclusive values of flat rows, PH_NONE: there are paths */

	PhStrings event_names;
	uint32_t n_events; /* events[0] is not used */
	PhTauEventMetric *events;
	const char *program; /* base name of the executable, NULL: unknown */
	bool any_path;		 /* some row is a call path */
	bool any_cut;		 /* some paths begin in the middle of a stack */
	uint32_t n_disagreeing;
} PhTauRun;

/* ---- readers/tau/run.c, for readers/tau/tree.c ---- */

/* The function of a step, which the first pass has met; PH_NONE: it has not. */
PhStatus ph_tau_find_function(PhTauRun *run, PhTauText step, uint32_t *out) PH_MUST_CHECK;

/* The builder's region of a function. */
PhStatus ph_tau_region(PhTauRun *run, uint32_t function, uint32_t *out) PH_MUST_CHECK;

/* ---- readers/tau/tree.c ---- */

/* Read a file into the builder. */
PhStatus ph_tau_read_file(PhTauRun *run, PhTauFile *file) PH_MUST_CHECK;

/* ---- readers/tau/run.c ---- */

/*
 * A run in memory: n_files inputs, named profile.N.C.T; data NULL: opened when needed. inputs stay
 * the caller's.
 */
PhStatus ph_read_tau(PhEnv *env, const PhInput *inputs, size_t n_files,
					 const PhReadOptions *options, PhRunInput *out) PH_MUST_CHECK;

#endif
