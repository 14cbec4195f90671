/*
 * cube.c - small Cube profiles from tables. The orders of cnodes follow their definition,
 * recursively.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "readers/cube/source.h"
#include "support/reader.h"
#include "support/tar.h"

/* ---- orders ---- */

static void
visit_deep(CubeTable *table, uint32_t node, uint32_t *n)
{
	table->order[(*n)++] = node;
	for (uint32_t i = 0; i < table->n_nodes; i++)
		if (table->parent[i] == node)
			visit_deep(table, i, n);
}

static void
visit_wide(CubeTable *table, uint32_t node, uint32_t *n)
{
	for (uint32_t i = 0; i < table->n_nodes; i++)
		if (table->parent[i] == node)
			table->wide[(*n)++] = i;
	for (uint32_t i = 0; i < table->n_nodes; i++)
		if (table->parent[i] == node)
			visit_wide(table, i, n);
}

void
cube_table_finish(CubeTable *table)
{
	uint32_t n_deep = 0;
	uint32_t n_wide = 0;
	for (uint32_t i = 0; i < table->n_nodes; i++)
		if (table->parent[i] == UINT32_MAX)
		{
			visit_deep(table, i, &n_deep);
			table->wide[n_wide++] = i;
			visit_wide(table, i, &n_wide);
		}
	memcpy(table->inclusive, table->time, sizeof(table->time));
	for (uint32_t i = table->n_nodes; i-- > 0;)
		for (uint32_t j = 0; j < table->n_locations && table->parent[i] != UINT32_MAX; j++)
			table->inclusive[table->parent[i]][j] += table->inclusive[i][j];
}

/* ---- anchor.xml ---- */

static void
print_cnode(FILE *out, const CubeTable *table, uint32_t node)
{
	fprintf(out, "<cnode id=\"%u\" calleeId=\"%u\">\n", node + 100, table->name[node]);
	for (uint32_t i = 0; i < table->n_nodes; i++)
		if (table->parent[i] == node)
			print_cnode(out, table, i);
	fprintf(out, "</cnode>\n");
}

static void
print_system(FILE *out, const CubeTable *table, bool is_old)
{
	fprintf(out, "<system>\n<%s Id=\"0\"><name>machine Linux</name>\n",
			is_old ? "machine" : "systemtreenode");
	fprintf(out, "<%s Id=\"1\"><name>node n1</name>%s\n", is_old ? "node" : "systemtreenode",
			is_old ? "" : "<class>node</class>");
	for (uint32_t i = 0; i < table->n_locations; i++)
		fprintf(out,
				is_old
					? "<process Id=\"%u\"><name>Process %u</name><rank>%u</rank>"
					  "<thread Id=\"%u\"><name>Thread 0</name><rank>0</rank></thread></process>\n"
					: "<locationgroup Id=\"%u\"><name>MPI Rank %u</name><rank>%u</rank>"
					  "<type>process</type><location Id=\"%u\"><name>Master thread</name>"
					  "<rank>0</rank><type>thread</type></location></locationgroup>\n",
				i, i, i, i);
	fprintf(out, "%s</system>\n",
			is_old ? "</node></machine>" : "</systemtreenode></systemtreenode>");
}

char *
cube_anchor(const CubeTable *table, const CubeForm *form)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n"
				 "<attr key=\"Creator\" value=\"test\"/>\n<metrics>\n"
				 "<metric id=\"0\" type=\"EXCLUSIVE\"><uniq_name>visits</uniq_name>"
				 "<dtype>UINT64</dtype><uom>occ</uom></metric>\n"
				 "<metric id=\"1\" type=\"INCLUSIVE\"><uniq_name>time</uniq_name>"
				 "<dtype>DOUBLE</dtype><uom>sec</uom></metric>\n</metrics>\n<program>\n");
	for (int i = 0; i < 5; i++)
		fprintf(out,
				"<region id=\"%d\" mod=\"%s\" begin=\"%d\" end=\"-1\"><name>f%d</name>"
				"<paradigm>compiler</paradigm><role>function</role></region>\n",
				i, i == 4 ? "MPI" : "/src/app/a.c", i * 10, i);
	for (uint32_t i = 0; i < table->n_nodes; i++)
		if (table->parent[i] == UINT32_MAX)
			print_cnode(out, table, i);
	fprintf(out, "</program>\n");
	print_system(out, table, form->old_system);
	fprintf(out, "</cube>\n");
	fclose(out);
	return text;
}

/* ---- index and data ---- */

typedef struct Bytes
{
	uint8_t *bytes;
	size_t size;
} Bytes;

static void
put(Bytes *out, const void *bytes, size_t size)
{
	out->bytes = realloc(out->bytes, out->size + size + 1);
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static void
put_integer(Bytes *out, uint64_t value, size_t width, bool is_swapped)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < width; i++)
		bytes[is_swapped ? width - 1 - i : i] = (uint8_t) (value >> 8 * i);
	put(out, bytes, width);
}

static uint32_t
node_at(const CubeTable *table, int metric, uint32_t position)
{
	return metric == 0 ? table->order[position] : table->wide[position];
}

static uint64_t
value_bits(const CubeTable *table, int metric, uint32_t node, uint32_t location)
{
	uint64_t bits;
	if (metric == 0)
		return table->visits[node][location];
	memcpy(&bits, &table->inclusive[node][location], sizeof(bits));
	return bits;
}

static bool
has_row(const CubeTable *table, const CubeForm *form, int metric, uint32_t position)
{
	bool any = form->is_dense;
	for (uint32_t i = 0; i < table->n_locations; i++)
		any |= value_bits(table, metric, node_at(table, metric, position), i) != 0;
	return any;
}

uint8_t *
cube_index(const CubeTable *table, const CubeForm *form, int metric, size_t *size)
{
	Bytes out = {0};
	uint32_t n = 0;
	put(&out, "CUBEX.INDEX", 11);
	put_integer(&out, 1, 4, form->is_swapped);
	put_integer(&out, 0, 2, form->is_swapped);
	put_integer(&out, form->is_dense ? 3 : 1, 1, false);
	for (uint32_t i = 0; i < table->n_nodes; i++)
		n += has_row(table, form, metric, i);
	if (!form->is_dense)
		put_integer(&out, n, 4, form->is_swapped);
	for (uint32_t i = 0; i < table->n_nodes && !form->is_dense; i++)
		if (has_row(table, form, metric, i))
			put_integer(&out, i, 4, form->is_swapped);
	*size = out.size;
	return out.bytes;
}

/* zlib blocks of three rows each behind their table. */
static Bytes
compress_rows(const Bytes *rows, size_t row_size, bool is_swapped)
{
	Bytes out = {0};
	Bytes blocks = {0};
	size_t block = row_size * 3;
	size_t n = (rows->size + block - 1) / block;
	put(&out, "ZCUBEX.DATA", 11);
	put_integer(&out, n, 8, is_swapped);
	for (size_t at = 0; at < rows->size; at += block)
	{
		size_t length = rows->size - at < block ? rows->size - at : block;
		uLongf packed = compressBound(length);
		uint8_t *room = malloc(packed);
		compress(room, &packed, rows->bytes + at, length);
		put_integer(&out, at, 8, is_swapped);
		put_integer(&out, blocks.size, 8, is_swapped);
		put_integer(&out, packed, 8, is_swapped);
		put(&blocks, room, packed);
		free(room);
	}
	if (blocks.size > 0)
		put(&out, blocks.bytes, blocks.size);
	free(blocks.bytes);
	return out;
}

uint8_t *
cube_data(const CubeTable *table, const CubeForm *form, int metric, size_t *size)
{
	Bytes rows = {0};
	Bytes out = {0};
	for (uint32_t i = 0; i < table->n_nodes; i++)
		for (uint32_t j = 0; j < table->n_locations && has_row(table, form, metric, i); j++)
			put_integer(&rows, value_bits(table, metric, node_at(table, metric, i), j), 8,
						form->is_swapped);
	if (form->is_compressed)
		out = compress_rows(&rows, (size_t) table->n_locations * 8, form->is_swapped);
	else
	{
		put(&out, "CUBEX.DATA", 10);
		if (rows.size > 0)
			put(&out, rows.bytes, rows.size);
	}
	free(rows.bytes);
	*size = out.size;
	return out.bytes;
}

/* ---- archive ---- */

static uint8_t *
gzip(const char *text, size_t *size)
{
	z_stream stream = {0};
	size_t length = strlen(text);
	uint8_t *bytes = malloc(compressBound(length) + 64);
	deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	stream.next_in = (Bytef *) text;
	stream.avail_in = (uInt) length;
	stream.next_out = bytes;
	stream.avail_out = (uInt) (compressBound(length) + 64);
	deflate(&stream, Z_FINISH);
	*size = stream.total_out;
	deflateEnd(&stream);
	return bytes;
}

uint8_t *
cube_archive_of(const CubeTable *table, const CubeForm *form, const CubeParts *parts, size_t *size)
{
	static const char *const names[] = {"0.index", "0.data", "1.index", "1.data"};
	TarMember members[5];
	void *made[5] = {0};
	size_t n = 0;
	char *anchor = parts->anchor != NULL ? strdup(parts->anchor) : cube_anchor(table, form);
	TarMember xml = {"anchor.xml", anchor, strlen(anchor)};
	if (form->is_compressed)
		xml.bytes = made[4] = gzip(anchor, &xml.size);
	if (form->anchor_first && !parts->without_anchor)
		members[n++] = xml;
	for (int i = 0; i < 4; i++)
	{
		TarMember *member = &members[n];
		bool is_index = i % 2 == 0;
		if (i < 2 && (is_index ? parts->without_index : parts->without_data))
			continue;
		member->name = names[i];
		made[i] = is_index ? cube_index(table, form, i / 2, &member->size)
						   : cube_data(table, form, i / 2, &member->size);
		member->bytes = made[i];
		if (i == 0 && parts->index != NULL)
			*member = (TarMember){names[i], parts->index, parts->index_size};
		if (i == 1 && parts->data != NULL)
			*member = (TarMember){names[i], parts->data, parts->data_size};
		n++;
	}
	if (!form->anchor_first && !parts->without_anchor)
		members[n++] = xml;
	uint8_t *archive = make_tar(members, n, size);
	for (int i = 0; i < 5; i++)
		free(made[i]);
	free(anchor);
	return archive;
}

uint8_t *
cube_archive(const CubeTable *table, const CubeForm *form, size_t *size)
{
	CubeParts parts = {0};
	return cube_archive_of(table, form, &parts, size);
}

/* ---- reading ---- */

PhStatus
cube_read(PhEnv *env, const void *bytes, size_t size, PhRunInput *run)
{
	PhInput input = ph_input_lend("input", bytes, size);
	return ph_read_cube(env, &input, NULL, run);
}

CubeTable
cube_small_table(void)
{
	CubeTable table = {.n_nodes = 4,
					   .n_locations = 2,
					   .parent = {UINT32_MAX, 0, 0, 2},
					   .name = {0, 1, 4, 2},
					   .visits = {{1, 1}, {2, 3}, {4, 5}, {6, 7}},
					   .time = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}};
	cube_table_finish(&table);
	return table;
}

PhStatus
cube_read_changed(PhEnv *env, const char *from, const char *to, const CubeParts *other,
				  PhRunInput *run)
{
	const CubeForm form = {0};
	CubeTable table = cube_small_table();
	CubeParts parts = other != NULL ? *other : (CubeParts){0};
	size_t size;
	char *good = cube_anchor(&table, &form);
	char *anchor = replace_text(good, from, to);
	parts.anchor = anchor;
	uint8_t *bytes = cube_archive_of(&table, &form, &parts, &size);
	ph_env_init_malloc(env);
	PhStatus status = cube_read(env, bytes, size, run);
	free(bytes);
	free(anchor);
	free(good);
	return status;
}
