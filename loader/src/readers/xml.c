/*
 * xml.c - XML through expat, for all readers.
 *
 * Expat calls back from within XML_Parse: the first failure of a callback is kept in status and
 * stops the parser, and ph_xml_push returns it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/xml.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/min_max.h"
#include "base/table.h"
#include "system/memory.h"

#define MAX_DEPTH 1000000
#define PIECE ((size_t) 1 << 20) /* bytes that expat, which counts in int, gets at once */

struct PhXml
{
	PhEnv *env;
	PhArena arena;
	PhXmlPlace place;
	PhXmlHandler handler;
	XML_Parser parser;
	PhStatus status;
	uint32_t depth;
	char *text; /* since the last begin or end of an element */
	uint32_t size, capacity;
	bool is_cut; /* the element has more text than is kept */
};

PhStatus
ph_xml_fail(const PhXml *xml, PhStatus status, const char *format, ...)
{
	char message[PH_ERROR_MAX];
	uint64_t line = XML_GetCurrentLineNumber(xml->parser);
	uint64_t column = XML_GetCurrentColumnNumber(xml->parser) + 1;
	XML_Index index = XML_GetCurrentByteIndex(xml->parser);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	if (line == 1)
		column += xml->place.column;
	return ph_fail(xml->env, status, "%s:%llu:%llu: %s%s%s (byte %llu)", xml->place.name,
				   (unsigned long long) (xml->place.line + line), (unsigned long long) column,
				   xml->place.part != NULL ? xml->place.part : "",
				   xml->place.part != NULL ? ": " : "", message,
				   (unsigned long long) (xml->place.byte + (index > 0 ? (uint64_t) index : 0)));
}

/* Stop the parser; the first error counts. */
static void
stop(PhXml *xml, PhStatus status)
{
	if (xml->status == PH_OK && status != PH_OK)
	{
		xml->status = status;
		XML_StopParser(xml->parser, XML_FALSE);
	}
}

static PhStatus
begin(PhXml *xml, const char *name, const char **attributes)
{
	PH_TRY(ph_env_poll(xml->env));
	if (xml->depth == MAX_DEPTH)
		return ph_xml_fail(xml, PH_ERR_LIMIT, "elements are nested deeper than a million levels");
	xml->depth++;
	xml->size = 0;
	xml->is_cut = false;
	return xml->handler.begin(xml->handler.user, xml, name, attributes);
}

static void
begin_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
	PhXml *xml = user;

	if (xml->status == PH_OK)
		stop(xml, begin(xml, name, attributes));
}

static void
end_element(void *user, const XML_Char *name)
{
	PhXml *xml = user;

	if (xml->status != PH_OK)
		return;
	xml->depth--;
	xml->text[xml->size] = '\0';
	stop(xml, xml->handler.end(xml->handler.user, xml, name, xml->text));
	xml->size = 0;
	xml->is_cut = false;
}

/* How much of the next size bytes is kept: whole characters. */
static PhStatus
fit(PhXml *xml, const char *text, uint32_t size, uint32_t *out)
{
	uint32_t left = xml->is_cut ? 0 : xml->handler.max_text - xml->size;

	*out = size;
	if (size <= left)
		return PH_OK;
	if (!xml->handler.cuts_text)
		return ph_xml_fail(xml, PH_ERR_LIMIT, "an element has more than %u bytes of text",
						   xml->handler.max_text);
	while (left > 0 && ((unsigned char) text[left] & 0xc0) == 0x80)
		left--;
	xml->is_cut = true;
	*out = left;
	return PH_OK;
}

static PhStatus
add(PhXml *xml, const char *text, uint32_t size)
{
	PH_TRY(ph_env_poll(xml->env));
	PH_TRY(fit(xml, text, size, &size));
	while (xml->size + size >= xml->capacity)
	{
		void *bytes = xml->text;

		PH_TRY(ph_grow_in_arena(&xml->arena, &bytes, xml->size, &xml->capacity, 1));
		xml->text = bytes;
	}
	memcpy(xml->text + xml->size, text, size);
	xml->size += size;
	return PH_OK;
}

static void
add_text(void *user, const XML_Char *text, int length)
{
	PhXml *xml = user;

	if (xml->status == PH_OK)
		stop(xml, add(xml, text, (uint32_t) length));
}

static void
refuse_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
			  int value_length, const XML_Char *base, const XML_Char *system_id,
			  const XML_Char *public_id, const XML_Char *notation)
{
	PhXml *xml = user;

	(void) name;
	(void) is_parameter;
	(void) value;
	(void) value_length;
	(void) base;
	(void) system_id;
	(void) public_id;
	(void) notation;
	stop(xml, ph_xml_fail(xml, PH_ERR_UNSUPPORTED, "entity declarations are not allowed"));
}

PhStatus
ph_xml_new(PhEnv *env, const PhXmlPlace *place, const PhXmlHandler *handler, PhXml **out)
{
	void *memory;
	PhXml *xml;
	PhStatus status;

	*out = NULL;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhXml), &memory));
	xml = memory;
	*xml = (PhXml){.env = env, .place = *place, .handler = *handler, .capacity = 256};
	ph_arena_init(&xml->arena, env);
	status = PH_NEW(&xml->arena, xml->capacity, &xml->text);
	if (status == PH_OK)
	{
		xml->parser = XML_ParserCreate(NULL);
		if (xml->parser == NULL)
			status = ph_fail_memory(env, "expat");
	}
	if (status != PH_OK)
	{
		ph_xml_free(xml);
		return status;
	}
	XML_SetUserData(xml->parser, xml);
	XML_SetElementHandler(xml->parser, begin_element, end_element);
	if (handler->max_text > 0)
		XML_SetCharacterDataHandler(xml->parser, add_text);
	XML_SetEntityDeclHandler(xml->parser, refuse_entity);
	*out = xml;
	return PH_OK;
}

void
ph_xml_free(PhXml *xml)
{
	if (xml == NULL)
		return;
	if (xml->parser != NULL)
		XML_ParserFree(xml->parser);
	ph_arena_drop(&xml->arena);
	ph_env_free(xml->env, xml, 1, sizeof(PhXml));
}

static PhStatus
parse(PhXml *xml, const void *bytes, size_t size, bool is_last)
{
	if (XML_Parse(xml->parser, bytes, (int) size, is_last) == XML_STATUS_OK)
		return PH_OK;
	if (xml->status != PH_OK)
		return xml->status;
	if (XML_GetErrorCode(xml->parser) == XML_ERROR_NO_MEMORY)
		return ph_fail_memory(xml->env, "expat");
	return ph_xml_fail(xml, PH_ERR_FORMAT, "invalid XML: %s",
					   XML_ErrorString(XML_GetErrorCode(xml->parser)));
}

PhStatus
ph_xml_push(PhXml *xml, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0)
	{
		size_t piece = PH_MIN(size, PIECE);

		PH_TRY(parse(xml, at, piece, false));
		at += piece;
		size -= piece;
	}
	return PH_OK;
}

PhStatus
ph_xml_finish(PhXml *xml)
{
	return parse(xml, "", 0, true);
}

const char *
ph_xml_attribute(const char **attributes, const char *name)
{
	for (; attributes[0] != NULL; attributes += 2)
	{
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	}
	return NULL;
}

void
ph_xml_trim(char *text)
{
	static const char blanks[] = " \t\r\n";
	size_t first = strspn(text, blanks);
	size_t last = strlen(text);

	while (last > first && strchr(blanks, text[last - 1]) != NULL)
		last--;
	memmove(text, text + first, last - first);
	text[last - first] = '\0';
}
