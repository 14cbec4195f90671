/*
 * proto_writer.c - see proto_writer.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/proto_writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void
put(ProtoWriter *writer, const void *bytes, size_t size)
{
	if (size > PROTO_MAX - writer->size)
		abort();
	memcpy(writer->bytes + writer->size, bytes, size);
	writer->size += size;
}

void
proto_varint(ProtoWriter *writer, uint64_t value)
{
	do
	{
		uint8_t byte = (uint8_t) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		put(writer, &byte, 1);
		value >>= 7;
	} while (value > 0);
}

void
proto_number(ProtoWriter *writer, uint32_t field, uint64_t value)
{
	proto_varint(writer, field << 3);
	proto_varint(writer, value);
}

void
proto_fixed64(ProtoWriter *writer, uint32_t field, uint64_t value)
{
	proto_varint(writer, field << 3 | 1);
	for (int i = 0; i < 8; i++)
	{
		uint8_t byte = (uint8_t) (value >> (8 * i));
		put(writer, &byte, 1);
	}
}

void
proto_text(ProtoWriter *writer, uint32_t field, const char *text)
{
	proto_varint(writer, field << 3 | 2);
	proto_varint(writer, strlen(text));
	put(writer, text, strlen(text));
}

void
proto_packed(ProtoWriter *writer, uint32_t field, const uint64_t *values, size_t n)
{
	proto_open(writer, field);
	for (size_t i = 0; i < n; i++)
		proto_varint(writer, values[i]);
	proto_close(writer);
}

void
proto_open(ProtoWriter *writer, uint32_t field)
{
	if (writer->n_open == PROTO_DEPTH)
		abort();
	proto_varint(writer, field << 3 | 2);
	writer->open[writer->n_open++] = writer->size;
}

/* The length is known only here: what is inside makes room for it. */
void
proto_close(ProtoWriter *writer)
{
	size_t begin = writer->open[--writer->n_open];
	size_t size = writer->size - begin;
	uint8_t *inside = malloc(size + 1);
	memcpy(inside, writer->bytes + begin, size);
	writer->size = begin;
	proto_varint(writer, size);
	put(writer, inside, size);
	free(inside);
}

uint8_t *
proto_gzip(const ProtoWriter *writer, size_t *size)
{
	uLong most = compressBound(writer->size) + 64;
	uint8_t *out = malloc(most);
	z_stream stream = {.next_in = (Bytef *) writer->bytes,
					   .avail_in = (uInt) writer->size,
					   .next_out = out,
					   .avail_out = (uInt) most};
	if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
		deflate(&stream, Z_FINISH) != Z_STREAM_END)
		abort();
	*size = stream.total_out;
	deflateEnd(&stream);
	return out;
}
