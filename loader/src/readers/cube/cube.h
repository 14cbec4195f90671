/*
 * cube.h - the parts of the Cube reader: the tar archive, anchor.xml, index and data files.
 *
 * A .cubex file is a tar archive. anchor.xml defines metrics, the call tree (regions and cnodes)
 * and the system (locations); "N.index" says for which cnodes metric N has rows in "N.data". The
 * archive is passed twice, because data members may come before anchor.xml: the first pass reads
 * definitions and indices, the second streams the rows. Memory: definitions and indices, apart
 * from the values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CUBE_CUBE_H
#define PH_READERS_CUBE_CUBE_H

#include "base/table.h"
#include "readers/input.h"
#include "readers/measured_region.h"
#include "readers/source_paths.h"
#include "readers/xml.h"

#define PH_CUBE_CHUNK ((size_t) 64 << 10)
#define PH_CUBE_MARK 10 /* bytes of "CUBEX.DATA" */

/* How rows of a metric are numbered, and which cost they are. */
typedef enum PhCubeLayout
{
	PH_CUBE_EXCLUSIVE, /* positions in pre-order */
	PH_CUBE_INCLUSIVE, /* positions in the order of ph_cube_wide_order */
	PH_CUBE_SIMPLE,	   /* positions are cnode ids; exclusive */
	PH_CUBE_DERIVED	   /* computed from other metrics: no files */
} PhCubeLayout;

typedef enum PhCubeType
{
	PH_CUBE_UNSUPPORTED,
	PH_CUBE_SIGNED, /* integers of width bytes */
	PH_CUBE_UNSIGNED,
	PH_CUBE_DOUBLE,
	PH_CUBE_MINIMUM, /* double; never summed */
	PH_CUBE_MAXIMUM,
	PH_CUBE_TAU_ATOMIC /* count, minimum, maximum, sum, sum of squares */
} PhCubeType;

/* The builder's metrics of a PH_CUBE_TAU_ATOMIC; others have only a sum. */
typedef enum PhCubePart
{
	PH_CUBE_SUM,
	PH_CUBE_COUNT,
	PH_CUBE_MIN,
	PH_CUBE_MAX,
	PH_CUBE_PARTS
} PhCubePart;

typedef struct PhCubeMetric
{
	uint64_t id;
	const char *name; /* unique name */
	const char *unit;
	const char *type_name;	/* as in anchor.xml */
	const char *expression; /* CubePL of derived metrics */
	PhCubeLayout layout;
	PhCubeType type;
	uint32_t width; /* bytes of a value */

	bool has_data, has_values; /* a data member; not all of its values are zero */
	bool dense;				   /* all positions have rows; rows is NULL */
	bool is_swapped;		   /* of the other byte order */
	uint32_t n_rows;
	uint32_t *rows;		/* positions, ascending */
	uint64_t data_size; /* bytes of the data member */

	uint32_t part[PH_CUBE_PARTS]; /* in the builder, PH_NONE: not used */
} PhCubeMetric;

typedef struct PhCubeRegion
{
	uint64_t id;
	PhMeasuredRegion text;
	uint32_t file; /* index into paths; 0: none */
} PhCubeRegion;

typedef struct PhCubeNode
{
	uint64_t id;
	uint64_t callee;		/* id of a region */
	uint32_t parent;		/* index of a cnode that comes before, PH_NONE: a root */
	const char *parameters; /* "n=5, kind=fast", NULL: none */
	uint32_t node;			/* builder's */
} PhCubeNode;

typedef struct PhCubeLocation
{
	uint64_t id;
	int64_t rank;	/* of the process */
	int64_t thread; /* within it */
	uint32_t group; /* counts location groups from 0 */
	const char *host;
	const char *name;
	bool is_cpu; /* a thread of a process; else an accelerator's stream or the like */
} PhCubeLocation;

typedef struct PhCube
{
	PhEnv *env;
	PhInput *input;
	const PhReadOptions *options;
	PhRunInput *run;
	PhArena arena;
	PhProfileBuilder *builder;
	PhSourcePaths paths;

	bool has_anchor;
	uint32_t n_metrics, n_regions, n_nodes, n_locations, n_groups;
	uint32_t metric_capacity, region_capacity, node_capacity, location_capacity;
	PhCubeMetric *metrics;
	PhCubeRegion *regions;
	PhCubeNode *nodes; /* pre-order */
	PhCubeLocation *locations;
	PhMap metric_of, region_of, node_of; /* ids to indices */

	uint32_t *wide_order; /* position -> cnode, for inclusive metrics */
	uint32_t *columns;	  /* k-th value of a row -> builder's column */
	PhMap member_of;	  /* metric id -> index into indices */
	struct PhCubeIndex *indices;
	uint32_t n_indices, index_capacity;
	uint8_t *chunk, *compressed; /* PH_CUBE_CHUNK bytes each, for data members */
} PhCube;

/* An index or data member as met in the first pass; anchor.xml may follow. */
typedef struct PhCubeIndex
{
	uint64_t id;
	bool has_index, has_data, has_values;
	bool is_plain;			 /* data begins with the mark of uncompressed rows */
	uint32_t size, capacity; /* of bytes */
	uint8_t *bytes;
	uint64_t data_size;
} PhCubeIndex;

/* ---- readers/cube/archive.c ---- */

/* A member of the archive that is being read. */
typedef struct PhCubeMember
{
	PhCube *cube;
	struct archive *archive;
	char name[64];	 /* without "./"; longer names are none of Cube's */
	uint64_t size;	 /* as its header declares */
	uint64_t offset; /* bytes read */
} PhCubeMember;

typedef PhStatus (*PhCubeVisit)(PhCubeMember *member);

/* Call visit for every regular file of the archive, from its first byte. */
PhStatus ph_cube_pass(PhCube *cube, PhCubeVisit visit) PH_MUST_CHECK;

/* Up to size bytes; fewer only at the member's end. */
PhStatus ph_cube_read(PhCubeMember *member, void *bytes, size_t size, size_t *got) PH_MUST_CHECK;

/* Exactly size bytes, or PH_ERR_FORMAT. */
PhStatus ph_cube_read_all(PhCubeMember *member, void *bytes, size_t size) PH_MUST_CHECK;

/* "path: member: offset N: message" */
PhStatus ph_cube_fail(const PhCubeMember *member, PhStatus status, uint64_t offset,
					  const char *format, ...) PH_PRINTF(4, 5);

/* ---- readers/cube/xml.c ---- */

/* Parse a member, also in gzip form. */
PhStatus ph_cube_parse_xml(PhCubeMember *member, const PhXmlHandler *handler) PH_MUST_CHECK;

/* ---- readers/cube/anchor.c ---- */

/* Read anchor.xml into metrics, regions, nodes and locations. */
PhStatus ph_cube_read_anchor(PhCubeMember *member) PH_MUST_CHECK;

/* ---- readers/cube/metrics.c ---- */

/* Type and width for the name of a data type. */
void ph_cube_set_type(PhCubeMetric *metric);

/* Declare the metrics that have values to the builder, time first; warn about those left out. */
PhStatus ph_cube_add_metrics(PhCube *cube) PH_MUST_CHECK;

/* Add one value of a row to the builder. bytes: metric->width of them. */
PhStatus ph_cube_add_value(const PhCubeMember *member, const PhCubeMetric *metric, uint32_t node,
						   uint32_t column, const uint8_t *bytes, uint64_t offset) PH_MUST_CHECK;

/* ---- readers/cube/data.c ---- */

/* Check and attach the index members to their metrics, after anchor.xml is known. */
PhStatus ph_cube_settle_indices(PhCube *cube) PH_MUST_CHECK;

/* Stream the rows of a data member into the builder. */
PhStatus ph_cube_read_data(PhCubeMember *member, PhCubeMetric *metric) PH_MUST_CHECK;

/* Position -> cnode in Cube's order for inclusive metrics: siblings consecutively, then below. */
PhStatus ph_cube_wide_order(PhCube *cube) PH_MUST_CHECK;

#endif
