/*
 * arrow.c - a writer of Arrow's file format.
 *
 * A file is: a mark; messages (the schema, dictionaries, batches); a footer that says where they
 * are. A message is its metadata, a FlatBuffer (Message.fbs), and a body of buffers, each on a
 * multiple of 8 bytes. The numbers of fields and types are those of Schema.fbs, Message.fbs and
 * File.fbs of Apache Arrow.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "arrow/arrow.h"

#include <stdlib.h>
#include <string.h>

#include "system/memory.h"

static const char mark[] = "ARROW1";

#define VERSION 4 /* V5: Arrow 1.0 and later */
enum
{
	MESSAGE_SCHEMA = 1,
	MESSAGE_DICTIONARY = 2,
	MESSAGE_BATCH = 3
};
enum
{
	TYPE_INT = 2,
	TYPE_FLOAT = 3,
	TYPE_TEXT = 5,
	TYPE_BOOL = 6,
	TYPE_TIMESTAMP = 10
};

static size_t
padded(size_t size)
{
	return (size + 7) / 8 * 8;
}

static void
emit(PhArrowWriter *writer, const void *bytes, size_t size)
{
	static const char zeros[8];

	if (size > 0)
		fwrite(bytes, 1, size, writer->out);
	if (padded(size) > size)
		fwrite(zeros, 1, padded(size) - size, writer->out);
	writer->written += (int64_t) padded(size);
}

/* ---- metadata ------------------------------------------------------------------------------ */

static uint32_t
int_type(PhFlat *flat, unsigned bits, bool is_signed)
{
	ph_flat_open(flat, 2);
	ph_flat_put(flat, 0, bits, 4);
	ph_flat_put(flat, 1, is_signed, 1);
	return ph_flat_close(flat);
}

static uint32_t
empty_table(PhFlat *flat)
{
	ph_flat_open(flat, 0);
	return ph_flat_close(flat);
}

static uint32_t
time_type(PhFlat *flat)
{
	uint32_t zone = ph_flat_text(flat, "UTC");

	ph_flat_open(flat, 2);
	ph_flat_refer(flat, 1, zone);
	ph_flat_put(flat, 0, 2, 2); /* microseconds */
	return ph_flat_close(flat);
}

static uint32_t
put_type(PhFlat *flat, PhArrowType type, unsigned *number)
{
	switch (type)
	{
		case PH_ARROW_BOOL:
			*number = TYPE_BOOL;
			return empty_table(flat);
		case PH_ARROW_UINT8:
			*number = TYPE_INT;
			return int_type(flat, 8, false);
		case PH_ARROW_INT32:
			*number = TYPE_INT;
			return int_type(flat, 32, true);
		case PH_ARROW_INT64:
			*number = TYPE_INT;
			return int_type(flat, 64, true);
		case PH_ARROW_DOUBLE:
			*number = TYPE_FLOAT;
			ph_flat_open(flat, 1);
			ph_flat_put(flat, 0, 2, 2); /* of 64 bits */
			return ph_flat_close(flat);
		case PH_ARROW_TIME:
			*number = TYPE_TIMESTAMP;
			return time_type(flat);
		default:
			*number = TYPE_TEXT;
			return empty_table(flat);
	}
}

/* The dictionary of column id. */
static uint32_t
put_dictionary(PhFlat *flat, size_t id)
{
	uint32_t index = int_type(flat, 32, true);

	ph_flat_open(flat, 4);
	ph_flat_put(flat, 0, id, 8);
	ph_flat_refer(flat, 1, index);
	return ph_flat_close(flat);
}

static uint32_t
put_field(PhFlat *flat, const PhArrowColumn *column, size_t id)
{
	unsigned type;
	bool has_words = column->type == PH_ARROW_WORD;
	uint32_t name = ph_flat_text(flat, column->name);
	uint32_t children = ph_flat_offsets(flat, NULL, 0);
	uint32_t of_type = put_type(flat, column->type, &type);
	uint32_t dictionary = has_words ? put_dictionary(flat, id) : 0;

	ph_flat_open(flat, 7);
	ph_flat_refer(flat, 0, name);
	ph_flat_refer(flat, 3, of_type);
	if (has_words)
		ph_flat_refer(flat, 4, dictionary);
	ph_flat_refer(flat, 5, children);
	ph_flat_put(flat, 1, true, 1); /* may be null */
	ph_flat_put(flat, 2, type, 1);
	return ph_flat_close(flat);
}

static uint32_t
put_schema(PhArrowWriter *writer)
{
	PhFlat *flat = &writer->flat;
	uint32_t *fields = ph_must_alloc(writer->n_columns + 1, sizeof(*fields));
	uint32_t list;

	for (size_t i = 0; i < writer->n_columns; i++)
		fields[i] = put_field(flat, &writer->columns[i], i);
	list = ph_flat_offsets(flat, fields, writer->n_columns);
	free(fields);
	ph_flat_open(flat, 2);
	ph_flat_refer(flat, 1, list);
	return ph_flat_close(flat);
}

/* The message around a header, and its metadata to the file; returns its bytes with the prefix. */
static int64_t
emit_head(PhArrowWriter *writer, unsigned kind, uint32_t header, int64_t body)
{
	PhFlat *flat = &writer->flat;
	const uint8_t *bytes;
	size_t size;
	uint8_t prefix[8] = {0xff, 0xff, 0xff, 0xff};

	ph_flat_open(flat, 4);
	ph_flat_put(flat, 3, (uint64_t) body, 8);
	ph_flat_refer(flat, 2, header);
	ph_flat_put(flat, 0, VERSION, 2);
	ph_flat_put(flat, 1, kind, 1);
	bytes = ph_flat_finish(flat, ph_flat_close(flat), &size);
	for (size_t i = 0; i < 4; i++)
		prefix[4 + i] = (uint8_t) (size >> (8 * i));
	emit(writer, prefix, sizeof(prefix));
	emit(writer, bytes, size);
	return (int64_t) (sizeof(prefix) + size);
}

/* ---- bodies -------------------------------------------------------------------------------- */

typedef struct Buffer
{
	int64_t offset, size; /* as in the metadata */
} Buffer;

typedef struct Node
{
	int64_t n, n_null;
} Node;

/* The buffers of a body under construction: up to three a column. */
typedef struct Body
{
	Buffer *places;
	const void **bytes;
	Node *nodes;
	size_t n_buffers, n_nodes;
	int64_t size;
} Body;

static void
add_buffer(Body *body, const void *bytes, size_t size)
{
	body->bytes[body->n_buffers] = bytes;
	body->places[body->n_buffers++] = (Buffer){body->size, (int64_t) size};
	body->size += (int64_t) padded(size);
}

/* A bit a byte that is (not) 0, from the low end. */
static const uint8_t *
pack(PhArrowWriter *writer, const uint8_t *bytes, uint32_t n, bool inverted, int64_t *n_clear)
{
	uint8_t *bits = writer->bits + writer->n_bits;

	writer->n_bits += padded((n + 7) / 8);
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_set = (bytes[i] != 0) != inverted;

		bits[i / 8] = (uint8_t) (bits[i / 8] | (is_set << (i % 8)));
		*n_clear += !is_set;
	}
	return bits;
}

static size_t
width_of(PhArrowType type)
{
	return type == PH_ARROW_UINT8 ? 1 : type == PH_ARROW_INT32 || type == PH_ARROW_WORD ? 4 : 8;
}

static void
add_column(PhArrowWriter *writer, Body *body, PhArrowType type, const PhArrowValues *values,
		   uint32_t n)
{
	Node *node = &body->nodes[body->n_nodes++];
	int64_t n_false = 0;

	*node = (Node){.n = n};
	if (values->is_absent != NULL)
		add_buffer(body, pack(writer, values->is_absent, n, true, &node->n_null), (n + 7) / 8);
	else
		add_buffer(body, NULL, 0);
	if (type == PH_ARROW_TEXT)
	{
		add_buffer(body, values->ends, ((size_t) n + 1) * sizeof(uint32_t));
		add_buffer(body, values->values, values->ends[n]);
	}
	else if (type == PH_ARROW_BOOL)
		add_buffer(body, pack(writer, values->values, n, false, &n_false), (n + 7) / 8);
	else
		add_buffer(body, values->values, n * width_of(type));
}

static void
open_body(PhArrowWriter *writer, Body *body, size_t n_columns, uint32_t n)
{
	*body = (Body){.places = ph_must_alloc(3 * n_columns + 1, sizeof(Buffer)),
				   .bytes = ph_must_alloc(3 * n_columns + 1, sizeof(void *)),
				   .nodes = ph_must_alloc(n_columns + 1, sizeof(Node))};
	free(writer->bits);
	writer->bits = ph_must_alloc(2 * n_columns * padded((n + 7) / 8) + 1, 1);
	memset(writer->bits, 0, 2 * n_columns * padded((n + 7) / 8) + 1);
	writer->n_bits = 0;
}

static uint32_t
put_batch(PhFlat *flat, const Body *body, uint32_t n)
{
	uint32_t buffers = ph_flat_structs(flat, body->places, sizeof(Buffer), body->n_buffers);
	uint32_t nodes = ph_flat_structs(flat, body->nodes, sizeof(Node), body->n_nodes);

	ph_flat_open(flat, 3);
	ph_flat_put(flat, 0, n, 8);
	ph_flat_refer(flat, 1, nodes);
	ph_flat_refer(flat, 2, buffers);
	return ph_flat_close(flat);
}

static void
emit_body(PhArrowWriter *writer, Body *body, unsigned kind, uint32_t header, PhArrowBlocks *blocks)
{
	PhArrowBlock block = {.offset = writer->written, .body = body->size};

	block.head = emit_head(writer, kind, header, body->size);
	for (size_t i = 0; i < body->n_buffers; i++)
		emit(writer, body->bytes[i], (size_t) body->places[i].size);
	if (blocks->n == blocks->capacity)
	{
		PhArrowBlock *items;

		blocks->capacity = 2 * blocks->capacity + 16;
		items = ph_must_alloc(blocks->capacity, sizeof(*items));
		if (blocks->n > 0)
			memcpy(items, blocks->items, blocks->n * sizeof(*items));
		free(blocks->items);
		blocks->items = items;
	}
	blocks->items[blocks->n++] = block;
	free(body->places);
	free(body->bytes);
	free(body->nodes);
}

/* The words of column id. */
static void
emit_dictionary(PhArrowWriter *writer, size_t id)
{
	const PhArrowColumn *column = &writer->columns[id];
	uint32_t n = (uint32_t) column->n_words;
	uint32_t *ends = ph_must_alloc((size_t) n + 1, sizeof(*ends));
	PhFlat *flat = &writer->flat;
	uint32_t batch;
	char *text;
	Body body;

	ends[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		ends[i + 1] = ends[i] + (uint32_t) strlen(column->words[i]);
	text = ph_must_alloc((size_t) ends[n] + 1, 1);
	for (uint32_t i = 0; i < n; i++)
		memcpy(text + ends[i], column->words[i], ends[i + 1] - ends[i]);
	open_body(writer, &body, 1, n);
	add_column(writer, &body, PH_ARROW_TEXT, &(PhArrowValues){.values = text, .ends = ends}, n);
	ph_flat_begin(flat);
	batch = put_batch(flat, &body, n);
	ph_flat_open(flat, 2);
	ph_flat_put(flat, 0, id, 8);
	ph_flat_refer(flat, 1, batch);
	emit_body(writer, &body, MESSAGE_DICTIONARY, ph_flat_close(flat), &writer->dictionaries);
	free(text);
	free(ends);
}

/* ---- the file ------------------------------------------------------------------------------ */

void
ph_arrow_begin(PhArrowWriter *writer, FILE *out, const PhArrowColumn *columns, size_t n)
{
	*writer = (PhArrowWriter){.out = out, .columns = columns, .n_columns = n};
	emit(writer, mark, sizeof(mark) - 1);
	ph_flat_begin(&writer->flat);
	emit_head(writer, MESSAGE_SCHEMA, put_schema(writer), 0);
	for (size_t i = 0; i < n; i++)
		if (columns[i].type == PH_ARROW_WORD)
			emit_dictionary(writer, i);
}

void
ph_arrow_put(PhArrowWriter *writer, const PhArrowValues *values, uint32_t n)
{
	Body body;

	open_body(writer, &body, writer->n_columns, n);
	for (size_t i = 0; i < writer->n_columns; i++)
		add_column(writer, &body, writer->columns[i].type, &values[i], n);
	ph_flat_begin(&writer->flat);
	emit_body(writer, &body, MESSAGE_BATCH, put_batch(&writer->flat, &body, n), &writer->batches);
}

void
ph_arrow_end(PhArrowWriter *writer)
{
	static const uint8_t end_of_stream[8] = {0xff, 0xff, 0xff, 0xff};
	PhFlat *flat = &writer->flat;
	uint32_t schema;
	uint32_t dictionaries;
	uint32_t batches;
	const uint8_t *bytes;
	uint8_t length[4];
	size_t size;

	emit(writer, end_of_stream, sizeof(end_of_stream));
	ph_flat_begin(flat);
	schema = put_schema(writer);
	dictionaries = ph_flat_structs(flat, writer->dictionaries.items, sizeof(PhArrowBlock),
								   writer->dictionaries.n);
	batches = ph_flat_structs(flat, writer->batches.items, sizeof(PhArrowBlock), writer->batches.n);
	ph_flat_open(flat, 4);
	ph_flat_refer(flat, 1, schema);
	ph_flat_refer(flat, 2, dictionaries);
	ph_flat_refer(flat, 3, batches);
	ph_flat_put(flat, 0, VERSION, 2);
	bytes = ph_flat_finish(flat, ph_flat_close(flat), &size);
	emit(writer, bytes, size);
	for (size_t i = 0; i < 4; i++)
		length[i] = (uint8_t) (size >> (8 * i));
	fwrite(length, 1, sizeof(length), writer->out);
	fwrite(mark, 1, sizeof(mark) - 1, writer->out);
	free(writer->dictionaries.items);
	free(writer->batches.items);
	free(writer->bits);
	ph_flat_free(flat);
}
