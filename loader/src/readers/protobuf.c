/*
 * protobuf.c - see protobuf.h; https://protobuf.dev/programming-guides/encoding/.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/protobuf.h"

#include <stdarg.h>
#include <stdio.h>

#define VARINT_MAX 10					   /* bytes */
#define HEAD_MAX (2 * (size_t) VARINT_MAX) /* of a field: tag, and number or length */
#define WINDOW_MAX ((size_t) 256 << 20) /* bytes of a compressed field, which is held in memory */

static bool
take_varint(PhProto *message, uint64_t *out)
{
	uint64_t value = 0;
	for (size_t i = 0; i < VARINT_MAX && message->at < message->end; i++)
	{
		uint8_t byte = *message->at++;
		if (i == VARINT_MAX - 1 && byte > 1)
			return false; /* more than 64 bits */
		value |= (uint64_t) (byte & 0x7f) << (7 * i);
		if (byte < 0x80)
		{
			*out = value;
			return true;
		}
	}
	return false;
}

static bool
take_fixed(PhProto *message, size_t size, uint64_t *out)
{
	if ((size_t) (message->end - message->at) < size)
		return false;
	*out = 0;
	for (size_t i = 0; i < size; i++)
		*out |= (uint64_t) message->at[i] << (8 * i);
	message->at += size;
	return true;
}

/* Tag and number, or tag and length, without the bytes that the length tells of. */
static bool
take_head(PhProto *message, PhProtoField *out)
{
	uint64_t tag, size;
	if (!take_varint(message, &tag) || tag >> 3 == 0 || tag >> 32 != 0)
		return false;
	*out = (PhProtoField){.number = (uint32_t) (tag >> 3), .wire = (PhProtoWire) (tag & 7)};
	switch (out->wire)
	{
		case PH_PROTO_VARINT:
			return take_varint(message, &out->value);
		case PH_PROTO_FIXED64:
			return take_fixed(message, 8, &out->value);
		case PH_PROTO_FIXED32:
			return take_fixed(message, 4, &out->value);
		case PH_PROTO_BYTES:
			if (!take_varint(message, &size) || size > SIZE_MAX / 2)
				return false;
			out->size = (size_t) size;
			return true;
	}
	return false;
}

bool
ph_proto_next(PhProto *message, PhProtoField *out)
{
	if (message->bad || message->at == message->end)
		return false;
	if (!take_head(message, out) || (size_t) (message->end - message->at) < out->size)
	{
		message->bad = true;
		return false;
	}
	out->bytes = message->at;
	message->at += out->size;
	return true;
}

PhProto
ph_proto_inside(const PhProtoField *field)
{
	PhProto message = ph_proto_open(field->bytes, field->size);
	message.bad = field->wire != PH_PROTO_BYTES;
	return message;
}

bool
ph_proto_take_number(PhProtoField *field, uint64_t *out, bool *bad)
{
	PhProto rest = ph_proto_open(field->bytes, field->size);
	if (field->wire == PH_PROTO_VARINT)
	{
		*out = field->value;
		*field = (PhProtoField){.wire = PH_PROTO_BYTES, .bytes = field->bytes};
		return true;
	}
	*bad |= field->wire != PH_PROTO_BYTES;
	if (field->wire != PH_PROTO_BYTES || field->size == 0)
		return false;
	if (!take_varint(&rest, out))
	{
		*bad = true;
		return false;
	}
	field->bytes = rest.at;
	field->size = (size_t) (rest.end - rest.at);
	return true;
}

/* ---- the outermost message ---- */

static PhStatus
fail_at(const PhLogStream *stream, PhStatus status, uint64_t offset, const char *message)
{
	return ph_fail(stream->env, status, "%s: byte %llu: %s", stream->input.path,
				   (unsigned long long) offset, message);
}

uint64_t
ph_proto_place(const PhLogStream *stream, const PhProtoField *field)
{
	return field->bytes != NULL ? stream->passed - (uint64_t) (stream->at - field->bytes)
								: stream->passed;
}

PhStatus
ph_proto_fail(const PhLogStream *stream, const PhProtoField *field, PhStatus status,
			  const char *format, ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return fail_at(stream, status, ph_proto_place(stream, field), message);
}

static PhStatus
take_bytes(PhLogStream *stream, PhProtoField *out)
{
	bool has;
	if (stream->is_gzip && out->size > WINDOW_MAX)
		return fail_at(stream, PH_ERR_LIMIT, stream->passed, "a field of more than 256 MiB");
	PH_TRY(ph_log_want(stream, out->size, &has));
	if (!has)
		return fail_at(stream, PH_ERR_FORMAT, stream->passed, "truncated: it ends within a field");
	out->bytes = stream->at;
	ph_log_skip(stream, out->size);
	return PH_OK;
}

PhStatus
ph_proto_stream_next(PhLogStream *stream, PhProtoField *out, bool *more)
{
	bool has;
	PH_TRY(ph_log_want(stream, HEAD_MAX, &has));
	PhProto head = ph_proto_open(stream->at, (size_t) (stream->end - stream->at));
	*more = head.at < head.end;
	if (!*more)
		return PH_OK;
	if (!take_head(&head, out))
		return fail_at(stream, PH_ERR_FORMAT, stream->passed,
					   has ? "this is no field of a message"
						   : "truncated or damaged: it ends within a field");
	ph_log_skip(stream, (size_t) (head.at - stream->at));
	if (!stream->is_gzip)
		ph_input_passed(&stream->input, (size_t) (stream->at - stream->input.data), NULL);
	return take_bytes(stream, out);
}
