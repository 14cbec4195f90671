/*
 * xml.c - an XML member of a Cube archive, streamed through expat (and zlib when it is gzip).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <expat.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "readers/cube/cube.h"

#define PH_XML_TEXT ((uint32_t) 1 << 20) /* bytes in one element */

struct PhCubeXml
{
	PhCubeMember *member;
	const PhCubeXmlHandler *handler;
	XML_Parser parser;
	PhStatus status;
	char *text; /* of the innermost element so far */
	uint32_t size, capacity;
};

PhStatus
ph_cube_xml_fail(const PhCubeXml *xml, PhStatus status, const char *message)
{
	const PhCube *cube = xml->member->cube;
	return ph_fail(cube->env, status, "%s: %s:%lu:%lu: %s", cube->input->path, xml->member->name,
				   (unsigned long) XML_GetCurrentLineNumber(xml->parser),
				   (unsigned long) XML_GetCurrentColumnNumber(xml->parser) + 1, message);
}

/* Stop the parser; the first error counts. */
static void
stop(PhCubeXml *xml, PhStatus status)
{
	if (xml->status == PH_OK && status != PH_OK)
	{
		xml->status = status;
		XML_StopParser(xml->parser, XML_FALSE);
	}
}

static void
begin_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
	PhCubeXml *xml = user;
	if (xml->status != PH_OK)
		return;
	xml->size = 0;
	stop(xml, xml->handler->begin(xml->handler->user, xml, name, attributes));
}

/* Cut blanks off both ends and terminate. */
static void
trim_text(PhCubeXml *xml)
{
	uint32_t first = 0;
	uint32_t last = xml->size;
	while (last > 0 && strchr(" \t\r\n", xml->text[last - 1]) != NULL)
		last--;
	while (first < last && strchr(" \t\r\n", xml->text[first]) != NULL)
		first++;
	memmove(xml->text, xml->text + first, last - first);
	xml->text[last - first] = '\0';
}

static void
end_element(void *user, const XML_Char *name)
{
	PhCubeXml *xml = user;
	(void) name;
	if (xml->status != PH_OK)
		return;
	trim_text(xml);
	stop(xml, xml->handler->end(xml->handler->user, xml, xml->text));
	xml->size = 0;
}

static void
add_text(void *user, const XML_Char *text, int length)
{
	PhCubeXml *xml = user;
	if (xml->status != PH_OK)
		return;
	if ((uint32_t) length >= PH_XML_TEXT - xml->size)
	{
		stop(xml, ph_cube_xml_fail(xml, PH_ERR_LIMIT, "an element has over a megabyte of text"));
		return;
	}
	while (xml->size + (uint32_t) length >= xml->capacity)
	{
		void *bytes = xml->text;
		PhStatus status =
			ph_array_grow(&xml->member->cube->arena, &bytes, xml->size, &xml->capacity, 1);
		stop(xml, status);
		if (status != PH_OK)
			return;
		xml->text = bytes;
	}
	memcpy(xml->text + xml->size, text, (size_t) length);
	xml->size += (uint32_t) length;
}

/* Entities can make a small file huge; the format needs none. */
static void
refuse_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
			  int value_length, const XML_Char *base, const XML_Char *system_id,
			  const XML_Char *public_id, const XML_Char *notation)
{
	PhCubeXml *xml = user;
	(void) name;
	(void) is_parameter;
	(void) value;
	(void) value_length;
	(void) base;
	(void) system_id;
	(void) public_id;
	(void) notation;
	stop(xml, ph_cube_xml_fail(xml, PH_ERR_UNSUPPORTED, "entity declarations are not allowed"));
}

/* ---- bytes ---- */

static PhStatus
parse(PhCubeXml *xml, const void *bytes, size_t size, bool is_last)
{
	char message[160];
	if (XML_Parse(xml->parser, bytes, (int) size, is_last) == XML_STATUS_OK)
		return PH_OK;
	if (xml->status != PH_OK)
		return xml->status;
	snprintf(message, sizeof(message), "invalid XML: %s",
			 XML_ErrorString(XML_GetErrorCode(xml->parser)));
	return ph_cube_xml_fail(xml, PH_ERR_FORMAT, message);
}

/* Decompress what is in the stream's input and parse it. */
static PhStatus
inflate_chunk(PhCubeXml *xml, z_stream *stream, uint8_t *room, bool *ended)
{
	while (stream->avail_in > 0 && !*ended)
	{
		stream->next_out = room;
		stream->avail_out = (uInt) PH_CUBE_CHUNK;
		int result = inflate(stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return ph_fail(xml->member->cube->env, PH_ERR_MEMORY, "out of memory");
		if (result != Z_OK && result != Z_STREAM_END)
			return ph_cube_fail(xml->member, PH_ERR_FORMAT, stream->total_in,
								"the compressed data is damaged: %s",
								stream->msg != NULL ? stream->msg : "zlib gives no reason");
		PH_TRY(parse(xml, room, PH_CUBE_CHUNK - stream->avail_out, false));
		*ended = result == Z_STREAM_END;
	}
	return PH_OK;
}

static PhStatus
parse_gzip(PhCubeXml *xml, z_stream *stream, uint8_t *bytes, size_t size)
{
	bool ended = false;
	uint8_t *room;
	PH_TRY(PH_NEW(&xml->member->cube->arena, PH_CUBE_CHUNK, &room));
	while (size > 0 && !ended)
	{
		stream->next_in = bytes;
		stream->avail_in = (uInt) size;
		PH_TRY(inflate_chunk(xml, stream, room, &ended));
		PH_TRY(ph_cube_read(xml->member, bytes, PH_CUBE_CHUNK, &size));
	}
	if (!ended)
		return ph_cube_fail(xml->member, PH_ERR_FORMAT, xml->member->offset,
							"the compressed data is cut off");
	return parse(xml, "", 0, true);
}

static PhStatus
parse_member(PhCubeXml *xml)
{
	uint8_t *bytes;
	size_t size;
	PH_TRY(PH_NEW(&xml->member->cube->arena, PH_CUBE_CHUNK, &bytes));
	PH_TRY(ph_cube_read(xml->member, bytes, PH_CUBE_CHUNK, &size));
	if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
	{
		z_stream stream = {0};
		if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
			return ph_fail(xml->member->cube->env, PH_ERR_MEMORY, "out of memory");
		PhStatus status = parse_gzip(xml, &stream, bytes, size);
		inflateEnd(&stream);
		return status;
	}
	while (size > 0)
	{
		PH_TRY(parse(xml, bytes, size, false));
		PH_TRY(ph_cube_read(xml->member, bytes, PH_CUBE_CHUNK, &size));
	}
	return parse(xml, "", 0, true);
}

PhStatus
ph_cube_parse_xml(PhCubeMember *member, const PhCubeXmlHandler *handler)
{
	PhCube *cube = member->cube;
	PhCubeXml xml = {.member = member, .handler = handler, .capacity = 4096};
	PH_TRY(PH_NEW(&cube->arena, xml.capacity, &xml.text));
	xml.parser = XML_ParserCreate(NULL);
	if (xml.parser == NULL)
		return ph_fail(cube->env, PH_ERR_MEMORY, "out of memory");
	XML_SetUserData(xml.parser, &xml);
	XML_SetElementHandler(xml.parser, begin_element, end_element);
	XML_SetCharacterDataHandler(xml.parser, add_text);
	XML_SetEntityDeclHandler(xml.parser, refuse_entity);
	PhStatus status = parse_member(&xml);
	XML_ParserFree(xml.parser);
	return status;
}
