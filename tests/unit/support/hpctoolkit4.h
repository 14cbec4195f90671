/*
 * hpctoolkit4.h - a writer of HPCToolkit 4 databases: meta.db and profile.db, in both layouts.
 *
 * A model says what there is and what it costs itself; the writer makes the sums of all scopes of
 * it as HPCToolkit does. It needs nothing of the project, so that benchmarks are written by it,
 * too. Room between structures is filled with garbage, as it is in files of the real writer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_HPCTOOLKIT4_H
#define PH_SUPPORT_HPCTOOLKIT4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define H4_NONE UINT32_MAX

typedef struct H4Bytes
{
	uint8_t *data;
	size_t size, capacity;
} H4Bytes;

typedef struct H4Function
{
	const char *name; /* NULL: none */
	uint32_t module, file;
	uint64_t offset;
	uint32_t line;
} H4Function;

enum
{
	H4_LEXICAL,
	H4_CALL,
	H4_INLINED
};

enum
{
	H4_FUNCTION,
	H4_LOOP,
	H4_LINE,
	H4_INSTRUCTION,
	H4_ENTRY
};

/* Parents come before their children. */
typedef struct H4Context
{
	uint32_t id, parent; /* parent H4_NONE: an entry point, in the draft a root */
	uint8_t relation, lexical;
	uint32_t function, file, module; /* H4_NONE: unknown */
	uint32_t line;
	uint64_t offset;
	const char *name; /* of an entry point */
	bool is_elided;	  /* it has values, but is not in the tree */
} H4Context;

enum
{
	H4_HAS_EXECUTION = 1,
	H4_HAS_FUNCTION = 2,
	H4_HAS_POINT = 4,
	H4_HAS_LEX_AWARE = 8
};

typedef struct H4Metric
{
	const char *name;
	unsigned scopes; /* H4_HAS_... */
} H4Metric;

typedef struct H4Model
{
	bool is_draft;
	uint32_t wider; /* bytes that structures are larger than in version 4.0, a multiple of 8 */
	const char *title;
	uint32_t n_modules, n_files, n_functions, n_metrics, n_contexts;
	const char *const *modules, *const *files;
	const H4Function *functions;
	const H4Metric *metrics;
	const H4Context *contexts;
} H4Model;

/* Kinds of identifiers as HPCToolkit numbers them. */
enum
{
	H4_NODE = 1,
	H4_RANK,
	H4_THREAD,
	H4_GPUDEVICE,
	H4_GPUCONTEXT,
	H4_GPUSTREAM
};

typedef struct H4Identifier
{
	uint8_t kind;
	uint64_t number;
} H4Identifier;

/* What a context costs itself. */
typedef struct H4Cost
{
	uint32_t context, metric;
	double own;
} H4Cost;

/* meta.db */
H4Bytes h4_write_meta(const H4Model *model);

/* profile.db: begin, a profile each, end. */
typedef struct H4Profiles H4Profiles;

H4Profiles *h4_begin_profiles(const H4Model *model);
void h4_add_profile(H4Profiles *profiles, const H4Identifier *identifiers, uint32_t n_identifiers,
					const H4Cost *costs, uint32_t n_costs);
H4Bytes h4_end_profiles(H4Profiles *profiles);

#endif
