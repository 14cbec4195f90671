/*
 * protobuf.h - the wire format of Protocol Buffers: fields of a message, one after the other.
 *
 * The outermost message comes from a stream, plain or gzip, and is never in memory as a whole; what
 * is inside one of its fields is. Nothing recurses: who reads a message inside a message opens it.
 * Groups, which nobody has written for many years, are refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_PROTOBUF_H
#define PH_READERS_PROTOBUF_H

#include "readers/log_stream.h"

typedef enum PhProtoWire
{
	PH_PROTO_VARINT = 0,
	PH_PROTO_FIXED64 = 1,
	PH_PROTO_BYTES = 2, /* strings, messages, packed numbers */
	PH_PROTO_FIXED32 = 5
} PhProtoWire;

typedef struct PhProtoField
{
	uint32_t number;
	PhProtoWire wire;
	uint64_t value;		  /* of numbers; fixed ones as they lie */
	const uint8_t *bytes; /* of PH_PROTO_BYTES */
	size_t size;
} PhProtoField;

/* A message in memory. */
typedef struct PhProto
{
	const uint8_t *at, *end;
	bool bad; /* it is damaged: no field comes any more */
} PhProto;

static inline PhProto
ph_proto_open(const uint8_t *bytes, size_t size)
{
	return (PhProto){bytes, bytes + size, false};
}

/* The message that a field is; a bad one when it is none. */
PhProto ph_proto_inside(const PhProtoField *field);

/* The next field; false at the end, and where the message is damaged. */
bool ph_proto_next(PhProto *message, PhProtoField *out);

/*
 * The next of the numbers of a repeated field, packed or not; false when there is none left. What
 * was taken is no longer in the field. A field that is no number sets *bad.
 */
bool ph_proto_take_number(PhProtoField *field, uint64_t *out, bool *bad);

/*
 * The next field of the outermost message; *more false: there is none. Its bytes are valid until
 * the next call. PH_ERR_FORMAT with file and byte where the message is damaged or cut.
 */
PhStatus ph_proto_stream_next(PhLogStream *stream, PhProtoField *out, bool *more) PH_MUST_CHECK;

/* Byte of the text at which the contents of a field lie: of the one that was taken last, or of one
 * within that. */
uint64_t ph_proto_place(const PhLogStream *stream, const PhProtoField *field);

/* "path: byte N: message", of that place. */
PhStatus ph_proto_fail(const PhLogStream *stream, const PhProtoField *field, PhStatus status,
					   const char *format, ...) PH_PRINTF(4, 5);

#endif
