/*
 * xml.c - an XML member of a Cube archive, streamed into the parser, through zlib when it is gzip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "readers/cube/cube.h"
#include "system/memory.h"

/* A member on its way into the parser. */
typedef struct MemberXml
{
	PhCubeMember *member;
	PhXml *xml;
} MemberXml;

/* Decompress what is in the stream's input and parse it. */
static PhStatus
inflate_chunk(MemberXml *in, z_stream *stream, uint8_t *room, bool *ended)
{
	while (stream->avail_in > 0 && !*ended)
	{
		stream->next_out = room;
		stream->avail_out = (uInt) PH_CUBE_CHUNK;
		int result = inflate(stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return ph_fail_memory(in->member->cube->env, "zlib");
		if (result != Z_OK && result != Z_STREAM_END)
			return ph_cube_fail(in->member, PH_ERR_FORMAT, stream->total_in,
								"the compressed data is damaged: %s",
								stream->msg != NULL ? stream->msg : "zlib gives no reason");
		PH_TRY(ph_xml_push(in->xml, room, PH_CUBE_CHUNK - stream->avail_out));
		*ended = result == Z_STREAM_END;
	}
	return PH_OK;
}

static PhStatus
parse_gzip(MemberXml *in, z_stream *stream, uint8_t *bytes, size_t size)
{
	bool ended = false;
	uint8_t *room;
	PH_TRY(PH_NEW(&in->member->cube->arena, PH_CUBE_CHUNK, &room));
	while (size > 0 && !ended)
	{
		stream->next_in = bytes;
		stream->avail_in = (uInt) size;
		PH_TRY(inflate_chunk(in, stream, room, &ended));
		PH_TRY(ph_cube_read(in->member, bytes, PH_CUBE_CHUNK, &size));
	}
	if (!ended)
		return ph_cube_fail(in->member, PH_ERR_FORMAT, in->member->offset,
							"the compressed data is cut off");
	return ph_xml_finish(in->xml);
}

static PhStatus
parse_member(MemberXml *in)
{
	uint8_t *bytes;
	size_t size;
	PH_TRY(PH_NEW(&in->member->cube->arena, PH_CUBE_CHUNK, &bytes));
	PH_TRY(ph_cube_read(in->member, bytes, PH_CUBE_CHUNK, &size));
	if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
	{
		z_stream stream = {0};
		if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
			return ph_fail_memory(in->member->cube->env, "zlib");
		PhStatus status = parse_gzip(in, &stream, bytes, size);
		inflateEnd(&stream);
		return status;
	}
	while (size > 0)
	{
		PH_TRY(ph_xml_push(in->xml, bytes, size));
		PH_TRY(ph_cube_read(in->member, bytes, PH_CUBE_CHUNK, &size));
	}
	return ph_xml_finish(in->xml);
}

PhStatus
ph_cube_parse_xml(PhCubeMember *member, const PhXmlHandler *handler)
{
	PhCube *cube = member->cube;
	size_t room = strlen(cube->input->path) + strlen(member->name) + sizeof(": ");
	PhXmlPlace place = {0};
	MemberXml in = {.member = member};
	char *name;
	PH_TRY(PH_NEW(&cube->arena, room, &name));
	snprintf(name, room, "%s: %s", cube->input->path, member->name);
	place.name = name;
	PH_TRY(ph_xml_new(cube->env, &place, handler, &in.xml));
	PhStatus status = parse_member(&in);
	ph_xml_free(in.xml);
	return status;
}
