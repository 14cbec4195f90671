/*
 * data.c - index and data members: for which cnodes a metric has rows, and the rows.
 *
 * Index: "CUBEX.INDEX", u32 byte-order mark 1, u16 version, u8 form (1 sparse, 3 dense), for sparse
 * ones u32 n and n ascending positions. Data: "CUBEX.DATA", then per row a value of each location.
 * Compressed data: "ZCUBEX.DATA", u64 n, n * (u64 offset in the rows, u64 offset in the blocks, u64
 * size of the block), then n zlib blocks, which make up the rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "readers/cube/cube.h"
#include "system/memory.h"

#define PH_INDEX_HEADER 18 /* up to the form; n follows */

static uint64_t
get_integer(const uint8_t *bytes, uint32_t width, bool is_swapped)
{
	uint64_t value = 0;
	for (uint32_t i = 0; i < width; i++)
		value = value << 8 | bytes[is_swapped ? i : width - 1 - i];
	return value;
}

/* ---- order of cnodes ---- */

/* First children and next siblings, in order of the cnodes. */
static void
link_siblings(const PhCube *cube, uint32_t *first, uint32_t *next)
{
	for (uint32_t i = 0; i < cube->n_nodes; i++)
		first[i] = next[i] = PH_NONE;
	for (uint32_t i = cube->n_nodes; i-- > 0;)
	{
		uint32_t parent = cube->nodes[i].parent;
		if (parent == PH_NONE)
			continue;
		next[i] = first[parent];
		first[parent] = i;
	}
}

/*
 * Cube numbers the rows of inclusive metrics in this order: a root, then all children of a node
 * directly after each other, then, child by child, what is below each. This is neither pre-order
 * nor breadth first: the children of the first child come before those of the second, with all
 * their descendants.
 */
PhStatus
ph_cube_wide_order(PhCube *cube)
{
	uint32_t *first, *next, *stack;
	uint32_t n = 0;
	PH_TRY(PH_NEW(&cube->arena, cube->n_nodes, &first));
	PH_TRY(PH_NEW(&cube->arena, cube->n_nodes, &next));
	PH_TRY(PH_NEW(&cube->arena, cube->n_nodes, &stack));
	PH_TRY(PH_NEW(&cube->arena, cube->n_nodes, &cube->wide_order));
	link_siblings(cube, first, next);
	for (uint32_t root = 0; root < cube->n_nodes; root++)
	{
		if (cube->nodes[root].parent != PH_NONE)
			continue;
		uint32_t depth = 1;
		stack[0] = root;
		cube->wide_order[n++] = root;
		while (depth > 0)
		{
			uint32_t node = stack[--depth];
			uint32_t before = n;
			for (uint32_t child = first[node]; child != PH_NONE; child = next[child])
				cube->wide_order[n++] = child;
			for (uint32_t i = n; i > before; i--) /* the first child is visited first */
				stack[depth++] = cube->wide_order[i - 1];
			PH_TRY(ph_env_poll(cube->env));
		}
	}
	return PH_OK;
}

/* The cnode at a position, PH_NONE when there is none. */
static PhStatus
position_node(PhCube *cube, const PhCubeMetric *metric, uint32_t position, uint32_t *out)
{
	*out = PH_NONE;
	if (metric->layout == PH_CUBE_SIMPLE)
	{
		uint32_t *entry;
		PH_TRY(ph_map_enter(&cube->node_of, position, PH_NONE, &entry));
		*out = *entry;
		return PH_OK;
	}
	if (position < cube->n_nodes)
		*out = metric->layout == PH_CUBE_INCLUSIVE ? cube->wide_order[position] : position;
	return PH_OK;
}

/* The cnode (index) of a row of the metric. */
static uint32_t
cube_row_node(const PhCube *cube, const PhCubeMetric *metric, uint32_t row)
{
	if (!metric->dense)
		return metric->rows[row];
	return metric->layout == PH_CUBE_INCLUSIVE ? cube->wide_order[row] : row;
}

/* ---- index ---- */

static PhStatus
index_fail(const PhCube *cube, const PhCubeIndex *index, PhStatus status, const char *message)
{
	return ph_fail(cube->env, status, "%s: %llu.index: %s", cube->input->path,
				   (unsigned long long) index->id, message);
}

/* Positions of a sparse index, as cnodes. */
static PhStatus
read_positions(PhCube *cube, const PhCubeIndex *index, PhCubeMetric *metric)
{
	const uint8_t *at = index->bytes + PH_INDEX_HEADER + 4;
	char message[128];
	uint64_t before = 0;
	metric->n_rows = (uint32_t) get_integer(index->bytes + PH_INDEX_HEADER, 4, metric->is_swapped);
	if (index->size != PH_INDEX_HEADER + 4 + (uint64_t) 4 * metric->n_rows)
	{
		snprintf(message, sizeof(message), "offset %d: %u rows do not fit a file of %u bytes",
				 PH_INDEX_HEADER, metric->n_rows, index->size);
		return index_fail(cube, index, PH_ERR_FORMAT, message);
	}
	PH_TRY(PH_NEW(&cube->arena, metric->n_rows, &metric->rows));
	for (uint32_t i = 0; i < metric->n_rows; i++, at += 4)
	{
		uint32_t position = (uint32_t) get_integer(at, 4, metric->is_swapped);
		PH_TRY(position_node(cube, metric, position, &metric->rows[i]));
		if (metric->rows[i] == PH_NONE || (i > 0 && position <= before))
		{
			snprintf(message, sizeof(message), "offset %zu: position %u %s",
					 (size_t) (at - index->bytes), position,
					 metric->rows[i] == PH_NONE ? "is beyond the call tree" : "does not ascend");
			return index_fail(cube, index, PH_ERR_FORMAT, message);
		}
		before = position;
	}
	return PH_OK;
}

static PhStatus
read_index(PhCube *cube, const PhCubeIndex *index, PhCubeMetric *metric)
{
	const uint8_t *bytes = index->bytes;
	if (index->size < PH_INDEX_HEADER || memcmp(bytes, "CUBEX.INDEX", 11) != 0)
		return index_fail(cube, index, PH_ERR_FORMAT, "not an index of Cube");
	uint64_t mark = get_integer(bytes + 11, 4, false);
	metric->is_swapped = mark == 0x01000000;
	if (mark != 1 && !metric->is_swapped)
		return index_fail(cube, index, PH_ERR_FORMAT, "offset 11: unknown order of bytes");
	if (bytes[15] != 0 || bytes[16] != 0)
		return index_fail(cube, index, PH_ERR_UNSUPPORTED, "offset 15: unknown version");
	metric->dense = bytes[17] == 3;
	metric->n_rows = cube->n_nodes;
	if (metric->dense && metric->layout != PH_CUBE_SIMPLE)
		return PH_OK;
	if (bytes[17] != 1 || index->size < PH_INDEX_HEADER + 4)
		return index_fail(cube, index, PH_ERR_UNSUPPORTED,
						  "offset 17: the index is neither sparse nor dense");
	return read_positions(cube, index, metric);
}

static PhStatus
half_missing(const PhCube *cube, const PhCubeIndex *member)
{
	return ph_fail_hint(cube->env, PH_ERR_FORMAT, "The archive is incomplete: copy it again.",
						"%s: %llu.%s is missing", cube->input->path,
						(unsigned long long) member->id, member->has_index ? "data" : "index");
}

/* An uncompressed member must have exactly its rows. TAU's values have 36 bytes, or 40 of old. */
static PhStatus
check_size(const PhCube *cube, PhCubeMetric *metric)
{
	uint64_t room = metric->data_size - PH_CUBE_MARK;
	uint64_t n = (uint64_t) metric->n_rows * cube->n_locations;
	if (metric->type == PH_CUBE_TAU_ATOMIC && n > 0 && room / n == 40)
		metric->width = 40;
	if (n <= room / metric->width && n * metric->width == room)
		return PH_OK;
	return ph_fail(cube->env, PH_ERR_FORMAT,
				   "%s: %llu.data: offset %d: %llu bytes of data are not %u rows of %u locations "
				   "with %u bytes each: truncated or damaged",
				   cube->input->path, (unsigned long long) metric->id, PH_CUBE_MARK,
				   (unsigned long long) room, metric->n_rows, cube->n_locations, metric->width);
}

PhStatus
ph_cube_settle_indices(PhCube *cube)
{
	for (uint32_t i = 0; i < cube->n_indices; i++)
	{
		const PhCubeIndex *index = &cube->indices[i];
		uint32_t *entry;
		PH_TRY(ph_map_enter(&cube->metric_of, index->id, PH_NONE, &entry));
		if (*entry == PH_NONE)
			return ph_fail(cube->env, PH_ERR_FORMAT, "%s: metric %llu is not defined in anchor.xml",
						   cube->input->path, (unsigned long long) index->id);
		PhCubeMetric *metric = &cube->metrics[*entry];
		if (!index->has_index || !index->has_data)
			return half_missing(cube, index);
		metric->has_data = true;
		metric->has_values = index->has_values;
		metric->data_size = index->data_size;
		ph_cube_set_type(metric);
		if (metric->type == PH_CUBE_UNSUPPORTED || metric->layout == PH_CUBE_DERIVED)
			continue;
		PH_TRY(read_index(cube, index, metric));
		if (index->is_plain)
			PH_TRY(check_size(cube, metric));
	}
	return PH_OK;
}

/* ---- data ---- */

/* The rows of a data member as a stream of bytes. */
typedef struct RowStream
{
	PhCubeMember *member;
	const PhCubeMetric *metric;
	uint64_t n_values, done; /* of all rows */
	size_t pending;			 /* bytes of room that are no whole value yet */
	uint8_t *room;			 /* the cube's chunk */
	uint64_t base;			 /* offset of the rows: in the member, or 0 when compressed */
} RowStream;

static PhStatus
too_long(const RowStream *rows)
{
	return ph_cube_fail(rows->member, PH_ERR_FORMAT, rows->member->offset,
						"there is more data than %u rows of %u locations", rows->metric->n_rows,
						rows->member->cube->n_locations);
}

/* Take size bytes that stand in room behind the pending ones. */
static PhStatus
take_bytes(RowStream *rows, size_t size)
{
	PhCube *cube = rows->member->cube;
	const PhCubeMetric *metric = rows->metric;
	size_t at = 0;
	size_t end = rows->pending + size;
	for (; at + metric->width <= end; at += metric->width, rows->done++)
	{
		if (rows->done == rows->n_values)
			return too_long(rows);
		uint32_t node = cube_row_node(cube, metric, (uint32_t) (rows->done / cube->n_locations));
		PH_TRY(ph_cube_add_value(rows->member, metric, cube->nodes[node].node,
								 cube->columns[rows->done % cube->n_locations], rows->room + at,
								 rows->base + rows->done * metric->width));
	}
	rows->pending = end - at;
	memmove(rows->room, rows->room + at, rows->pending);
	return PH_OK;
}

static PhStatus
check_complete(const RowStream *rows)
{
	if (rows->done == rows->n_values && rows->pending == 0)
		return PH_OK;
	if (rows->done == rows->n_values)
		return too_long(rows);
	return ph_cube_fail(rows->member, PH_ERR_FORMAT, rows->member->offset,
						"the data ends after %llu of %llu values: truncated or damaged",
						(unsigned long long) rows->done, (unsigned long long) rows->n_values);
}

static PhStatus
read_plain(RowStream *rows)
{
	size_t got;
	do
	{
		PH_TRY(ph_cube_read(rows->member, rows->room + rows->pending, PH_CUBE_CHUNK - rows->pending,
							&got));
		PH_TRY(take_bytes(rows, got));
	} while (got > 0);
	return check_complete(rows);
}

/* ---- compressed data ---- */

typedef struct Blocks
{
	uint64_t n;
	uint8_t *table; /* n * 24 bytes */
	uint64_t produced;
} Blocks;

static uint64_t
block_field(const RowStream *rows, const Blocks *blocks, uint64_t block, uint32_t field)
{
	return get_integer(blocks->table + block * 24 + (size_t) field * 8, 8,
					   rows->metric->is_swapped);
}

static PhStatus
read_table(RowStream *rows, Blocks *blocks)
{
	PhCubeMember *member = rows->member;
	uint8_t count[8];
	uint64_t offset = 0;
	PH_TRY(ph_cube_read_all(member, count, sizeof(count)));
	blocks->n = get_integer(count, 8, rows->metric->is_swapped);
	if (member->size < member->offset || blocks->n > (member->size - member->offset) / 24)
		return ph_cube_fail(member, PH_ERR_FORMAT, 11,
							"%llu blocks do not fit a member of %llu bytes",
							(unsigned long long) blocks->n, (unsigned long long) member->size);
	void *table;
	PH_TRY(ph_env_alloc(member->cube->env, blocks->n, 24, &table));
	blocks->table = table;
	PH_TRY(ph_cube_read_all(member, blocks->table, blocks->n * 24));
	for (uint64_t i = 0; i < blocks->n; i++)
	{
		uint64_t start = block_field(rows, blocks, i, 1);
		uint64_t size = block_field(rows, blocks, i, 2);
		if (start != offset || size > member->size)
			return ph_cube_fail(member, PH_ERR_FORMAT, 19 + i * 24,
								"block %llu does not follow the one before",
								(unsigned long long) i);
		offset += size;
	}
	return PH_OK;
}

static PhStatus
inflate_failed(const RowStream *rows, const z_stream *stream, int result)
{
	if (result == Z_MEM_ERROR)
		return ph_fail_memory(rows->member->cube->env, "zlib");
	return ph_cube_fail(rows->member, PH_ERR_FORMAT, rows->member->offset,
						"the compressed data is damaged: %s",
						stream->msg != NULL ? stream->msg : "it ends too early or too late");
}

/* Decompress what is in the stream's input into rows. */
static PhStatus
take_compressed(RowStream *rows, Blocks *blocks, z_stream *stream, bool *ended)
{
	while (stream->avail_in > 0 && !*ended)
	{
		size_t room = PH_CUBE_CHUNK - rows->pending;
		stream->next_out = rows->room + rows->pending;
		stream->avail_out = (uInt) room;
		int result = inflate(stream, Z_NO_FLUSH);
		if (result != Z_OK && result != Z_STREAM_END)
			return inflate_failed(rows, stream, result);
		blocks->produced += room - stream->avail_out;
		PH_TRY(take_bytes(rows, room - stream->avail_out));
		*ended = result == Z_STREAM_END;
	}
	return PH_OK;
}

static PhStatus
read_block(RowStream *rows, Blocks *blocks, z_stream *stream, uint64_t block)
{
	bool ended = false;
	uint64_t size = block_field(rows, blocks, block, 2);
	if (inflateReset(stream) != Z_OK || blocks->produced != block_field(rows, blocks, block, 0))
		return ph_cube_fail(rows->member, PH_ERR_FORMAT, 19 + block * 24,
							"block %llu begins at another row than the blocks before it end",
							(unsigned long long) block);
	while (size > 0)
	{
		size_t n = size < PH_CUBE_CHUNK ? (size_t) size : PH_CUBE_CHUNK;
		PH_TRY(ph_cube_read_all(rows->member, rows->member->cube->compressed, n));
		stream->next_in = rows->member->cube->compressed;
		stream->avail_in = (uInt) n;
		PH_TRY(take_compressed(rows, blocks, stream, &ended));
		size -= n;
	}
	return ended && stream->avail_in == 0 ? PH_OK : inflate_failed(rows, stream, Z_BUF_ERROR);
}

static PhStatus
read_blocks(RowStream *rows, Blocks *blocks)
{
	z_stream stream = {0};
	PH_TRY(read_table(rows, blocks));
	if (inflateInit(&stream) != Z_OK)
		return ph_fail_memory(rows->member->cube->env, "zlib");
	PhStatus status = PH_OK;
	for (uint64_t i = 0; status == PH_OK && i < blocks->n; i++)
		status = read_block(rows, blocks, &stream, i);
	inflateEnd(&stream);
	return status == PH_OK ? check_complete(rows) : status;
}

static PhStatus
read_compressed(RowStream *rows)
{
	Blocks blocks = {0};
	PhStatus status = read_blocks(rows, &blocks);
	ph_env_free(rows->member->cube->env, blocks.table, blocks.n, 24);
	return status;
}

/* ---- a data member ---- */

PhStatus
ph_cube_read_data(PhCubeMember *member, PhCubeMetric *metric)
{
	PhCube *cube = member->cube;
	uint8_t mark[PH_CUBE_MARK + 1];
	RowStream rows = {.member = member,
					  .metric = metric,
					  .n_values = (uint64_t) metric->n_rows * cube->n_locations,
					  .room = cube->chunk};
	PH_TRY(ph_cube_read_all(member, mark, PH_CUBE_MARK));
	if (memcmp(mark, "ZCUBEX.DAT", PH_CUBE_MARK) == 0)
	{
		PH_TRY(ph_cube_read_all(member, mark + PH_CUBE_MARK, 1));
		if (mark[PH_CUBE_MARK] == 'A')
			return read_compressed(&rows);
	}
	if (memcmp(mark, "CUBEX.DATA", PH_CUBE_MARK) != 0)
		return ph_cube_fail(member, PH_ERR_FORMAT, 0, "not data of Cube");
	rows.base = PH_CUBE_MARK;
	return read_plain(&rows);
}
