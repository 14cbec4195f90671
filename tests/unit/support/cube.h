/*
 * cube.h - small Cube profiles made from a table, in every form that the format allows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_CUBE_H
#define PH_SUPPORT_CUBE_H

#include "readers/source.h"

#define CUBE_MAX_NODES 24
#define CUBE_MAX_LOCATIONS 4

/* A call tree in which parents come before children; siblings may have one name. */
typedef struct CubeTable
{
	uint32_t n_nodes, n_locations;
	uint32_t parent[CUBE_MAX_NODES]; /* UINT32_MAX: a root */
	uint32_t name[CUBE_MAX_NODES];	 /* "f0", "f1", ... */
	uint64_t visits[CUBE_MAX_NODES][CUBE_MAX_LOCATIONS];
	double time[CUBE_MAX_NODES][CUBE_MAX_LOCATIONS];	  /* exclusive */
	double inclusive[CUBE_MAX_NODES][CUBE_MAX_LOCATIONS]; /* filled by cube_table_finish */
	uint32_t order[CUBE_MAX_NODES];						  /* pre-order */
	uint32_t wide[CUBE_MAX_NODES];						  /* Cube's order for inclusive metrics */
} CubeTable;

typedef struct CubeForm
{
	bool is_swapped;	/* the other byte order */
	bool is_dense;		/* index without positions */
	bool is_compressed; /* data in zlib blocks, anchor.xml in gzip */
	bool anchor_first;	/* else last, as Score-P writes it */
	bool old_system;	/* machine, node, process, thread */
} CubeForm;

/* Fill order, wide and inclusive. */
void cube_table_finish(CubeTable *table);

/* anchor.xml; caller frees. */
char *cube_anchor(const CubeTable *table, const CubeForm *form);

/* The archive: metrics 0 "visits" (exclusive), 1 "time" (inclusive); caller frees. */
uint8_t *cube_archive(const CubeTable *table, const CubeForm *form, size_t *size);

/* The archive with another anchor.xml, index or data; NULL: as it should be. */
typedef struct CubeParts
{
	const char *anchor;
	const uint8_t *index, *data; /* of metric 0 */
	size_t index_size, data_size;
	bool without_anchor, without_index, without_data;
} CubeParts;

uint8_t *cube_archive_of(const CubeTable *table, const CubeForm *form, const CubeParts *parts,
						 size_t *size);

/* Index and data of metric 0 or 1 as they should be; caller frees. */
uint8_t *cube_index(const CubeTable *table, const CubeForm *form, int metric, size_t *size);
uint8_t *cube_data(const CubeTable *table, const CubeForm *form, int metric, size_t *size);

/* Nodes "f0", "f0"/"f1", "f0"/"f4", "f0"/"f4"/"f2" with values in two locations. */
CubeTable cube_small_table(void);

/* Read an archive in memory, named "input". */
PhStatus cube_read(PhEnv *env, const void *bytes, size_t size, PhRunInput *run);

/* Read the small table with a piece of its anchor.xml replaced; other: more changes, or NULL. */
PhStatus cube_read_changed(PhEnv *env, const char *from, const char *to, const CubeParts *other,
						   PhRunInput *run);

#endif
