/*
 * proto_writer.h - Protocol Buffers for tests of what reads them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_PROTO_WRITER_H
#define PH_SUPPORT_PROTO_WRITER_H

#include <stddef.h>
#include <stdint.h>

#define PROTO_MAX 65536
#define PROTO_DEPTH 16

/* A message that grows; zeroed: empty. What does not fit ends the program. */
typedef struct ProtoWriter
{
	uint8_t bytes[PROTO_MAX];
	size_t size;
	size_t open[PROTO_DEPTH]; /* where the messages inside begin that are not closed */
	size_t n_open;
} ProtoWriter;

void proto_varint(ProtoWriter *writer, uint64_t value);
void proto_number(ProtoWriter *writer, uint32_t field, uint64_t value);
void proto_fixed64(ProtoWriter *writer, uint32_t field, uint64_t value);
void proto_text(ProtoWriter *writer, uint32_t field, const char *text);

/* Numbers of a repeated field, packed. */
void proto_packed(ProtoWriter *writer, uint32_t field, const uint64_t *values, size_t n);

/* What is written between them is a message inside. */
void proto_open(ProtoWriter *writer, uint32_t field);
void proto_close(ProtoWriter *writer);

/* The same bytes compressed by gzip; caller frees. */
uint8_t *proto_gzip(const ProtoWriter *writer, size_t *size);

#endif
