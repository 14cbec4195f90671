/*
 * database.h - the parts of the HPCToolkit 4 reader: names, metrics and contexts of meta.db, values
 * of profile.db.
 *
 * docs/FORMATS.md says what becomes of a context and of a value.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_HPCTOOLKIT4_DATABASE_H
#define PH_READERS_HPCTOOLKIT4_DATABASE_H

#include "base/table.h"
#include "readers/hpctoolkit4/file.h"
#include "readers/source_paths.h"

/* Sections of meta.db and of profile.db. */
enum
{
	PH_HPC4_GENERAL,
	PH_HPC4_KINDS,
	PH_HPC4_METRICS,
	PH_HPC4_CONTEXTS,
	PH_HPC4_STRINGS,
	PH_HPC4_MODULES,
	PH_HPC4_FILES,
	PH_HPC4_FUNCTIONS,

	PH_HPC4_PROFILES = 0,
	PH_HPC4_TUPLES
};

/* What a value is a sum over; in the order in which they are preferred. */
typedef enum PhHpc4Scope
{
	PH_HPC4_EXECUTION, /* the context and all below it */
	PH_HPC4_FUNCTION,  /* the context and what is below it in the same function */
	PH_HPC4_POINT,	   /* the context alone, without instructions that the tree leaves out */
	PH_HPC4_SCOPES,
	PH_HPC4_OTHER = PH_HPC4_SCOPES
} PhHpc4Scope;

typedef struct PhHpc4Metric
{
	const char *name;
	uint32_t id[PH_HPC4_SCOPES]; /* of its values; PH_NONE: none */
} PhHpc4Metric;

#define PH_HPC4_IDS 65536 /* ids of values have 16 bits */

/* What the values of an id become: costs of up to two metrics of the profile. */
typedef struct PhHpc4Use
{
	uint8_t n;
	uint8_t scope;
	uint32_t metric[2];
} PhHpc4Use;

/* A context of the tree. Contexts are numbered in the order of their ids. */
typedef struct PhHpc4Context
{
	uint32_t id;
	uint32_t parent; /* PH_NONE: none */
	size_t at;		 /* in meta.db */
	uint32_t node;	 /* of the profile: where its cost goes */
	uint32_t host;	 /* of the profile: what its callees hang below; PH_NONE: roots */
	uint32_t module; /* of the function that it is in; PH_NONE: unknown */
	uint32_t region; /* of the profile: the function that it is; PH_NONE: it is none */
	bool is_entry;
	bool is_lexical; /* part of its parent, neither called nor inlined */
	bool is_leaf;	 /* a line or an instruction of one: callees hang elsewhere */
	bool is_placed;	 /* node, host and module are set */
} PhHpc4Context;

/* A function as a trace has it. */
typedef struct PhHpc4Region
{
	const char *name, *library, *file; /* name NULL: no function */
	int32_t line;
} PhHpc4Region;

/* What a profile is of: its identifiers. */
#define PH_HPC4_OTHERS 256

typedef struct PhHpc4Unit
{
	int64_t rank, thread; /* PH_NO_NUMBER: none */
	char host[20];
	char others[PH_HPC4_OTHERS]; /* "GPUCONTEXT 1 GPUSTREAM 7" */
	bool is_gpu;
	int64_t device, context, stream; /* PH_NO_NUMBER: none */
} PhHpc4Unit;

typedef struct PhHpc4
{
	PhEnv *env;
	const PhReadOptions *options;
	PhArena arena;
	PhProfileBuilder *builder;
	PhRunInput *run;
	PhHpc4File meta, profile;
	bool is_draft; /* the layout of spring 2022 */

	PhHpc4Array modules, files, functions;
	const char **module_names; /* base names */
	uint32_t *file_of;		   /* in paths */
	PhSourcePaths paths;

	uint32_t n_kinds;
	const char **kinds; /* of identifiers: "RANK" */

	uint32_t n_metrics;
	PhHpc4Metric *metrics;
	bool *has_values;	 /* per id */
	PhHpc4Use *uses;	 /* per id */
	uint32_t n_declared; /* metrics of the profile */

	uint32_t n_contexts;
	PhHpc4Context *contexts;
	uint32_t *first_of; /* contexts with ids from (i << id_shift) on begin here; one more */
	uint32_t n_first, id_shift;
	PH_VECTOR(PhHpc4Region) regions; /* by those of the profile */
} PhHpc4;

/* The context with this id; PH_NONE: the tree has none. */
static inline uint32_t
ph_hpc4_find_context(const PhHpc4 *database, uint32_t id)
{
	uint32_t place = id >> database->id_shift;
	if (place >= database->n_first)
		return PH_NONE;
	uint32_t low = database->first_of[place], high = database->first_of[place + 1];
	while (high > low + 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if (database->contexts[middle].id <= id)
			low = middle;
		else
			high = middle;
	}
	return low < high && database->contexts[low].id == id ? low : PH_NONE;
}

/* Title, kinds of identifiers, modules and files. */
PhStatus ph_hpc4_read_names(PhHpc4 *database) PH_MUST_CHECK;

typedef struct PhHpc4Function
{
	const char *name;
	uint32_t module, file; /* PH_NONE: none */
	uint64_t offset;
	uint32_t line;
} PhHpc4Function;

/* The function at a pointer; zeroed but for PH_NONE where the pointer is 0. */
PhStatus ph_hpc4_function(const PhHpc4 *database, size_t pointer,
						  PhHpc4Function *out) PH_MUST_CHECK;

/* Metrics and which ids their values have. Tells the two layouts apart. */
PhStatus ph_hpc4_read_metrics(PhHpc4 *database) PH_MUST_CHECK;

/* Declare those with values to the builder, the primary one first, and say what each id becomes. */
PhStatus ph_hpc4_add_metrics(PhHpc4 *database) PH_MUST_CHECK;

/* Contexts in the order of their ids, each with its node of the profile. */
PhStatus ph_hpc4_read_contexts(PhHpc4 *database) PH_MUST_CHECK;

/* Check profile.db and find out which ids have values. */
PhStatus ph_hpc4_check_profiles(PhHpc4 *database) PH_MUST_CHECK;

/* Columns and values. */
PhStatus ph_hpc4_read_profiles(PhHpc4 *database) PH_MUST_CHECK;

/* Open meta.db and profile.db; names, metrics and contexts are known then. */
PhStatus ph_hpc4_read_tree(PhHpc4 *database, PhInput *meta, PhInput *profile) PH_MUST_CHECK;

/* What the profile with this number is of. */
PhStatus ph_hpc4_unit(PhHpc4 *database, uint32_t profile, PhHpc4Unit *out) PH_MUST_CHECK;

/* A database in memory: meta.db and profile.db. */
PhStatus ph_read_hpctoolkit4(PhEnv *env, PhInput *meta, PhInput *profile,
							 const PhReadOptions *options, PhRunInput *out) PH_MUST_CHECK;

/* The trace of a database in memory: its trace.db as well. */
PhStatus ph_read_hpctoolkit4_trace(PhEnv *env, PhInput *meta, PhInput *profile, PhInput *trace,
								   const PhReadOptions *options, PhRunInput *out) PH_MUST_CHECK;

/* The experiment's file of this name; NULL: it has none. */
const char *ph_hpc4_find_file(const PhExperiment *experiment, const char *name);

#endif
