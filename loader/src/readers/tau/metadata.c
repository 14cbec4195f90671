/*
 * metadata.c - the XML in the comment of a TAU profile: <attribute><name/><value/></attribute>.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "readers/tau/tau.h"

#define PH_TAU_NAME_SIZE 256
#define PH_TAU_VALUE_SIZE 8192 /* longer values are cut */

typedef struct MetadataReader
{
	PhEnv *env;
	const PhInput *input;
	PhTauText metadata;
	XML_Parser parser;
	PhStatus status;
	PhTauAttribute attribute;
	void *user;
	uint32_t depth;
	char *into; /* where text goes: name, value or NULL */
	size_t used, room;
	char name[PH_TAU_NAME_SIZE];
	char value[PH_TAU_VALUE_SIZE];
} MetadataReader;

static void
stop(MetadataReader *reader, PhStatus status)
{
	if (reader->status == PH_OK && status != PH_OK)
	{
		reader->status = status;
		XML_StopParser(reader->parser, XML_FALSE);
	}
}

static PhStatus
fail(const MetadataReader *reader, PhStatus status, const char *message)
{
	long byte = XML_GetCurrentByteIndex(reader->parser);
	size_t offset = (size_t) ((const uint8_t *) reader->metadata.text - reader->input->data);
	return ph_input_fail(reader->env, reader->input, status,
						 offset + (byte > 0 ? (size_t) byte : 0), "metadata: %s", message);
}

static void
begin_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
	MetadataReader *reader = user;
	(void) attributes;
	reader->depth++;
	reader->into = NULL;
	reader->used = 0;
	if (reader->depth == 2)
		reader->name[0] = reader->value[0] = '\0';
	if (reader->depth != 3)
		return;
	if (strcmp(name, "name") == 0)
	{
		reader->into = reader->name;
		reader->room = PH_TAU_NAME_SIZE;
	}
	else if (strcmp(name, "value") == 0)
	{
		reader->into = reader->value;
		reader->room = PH_TAU_VALUE_SIZE;
	}
}

static void
end_element(void *user, const XML_Char *name)
{
	MetadataReader *reader = user;
	(void) name;
	reader->into = NULL;
	reader->depth--;
	if (reader->depth == 1 && reader->name[0] != '\0' && reader->status == PH_OK)
		stop(reader, reader->attribute(reader->user, reader->name, reader->value));
}

static void
add_text(void *user, const XML_Char *text, int length)
{
	MetadataReader *reader = user;
	if (reader->into == NULL)
		return;
	size_t left = reader->room - 1 - reader->used;
	size_t n = (size_t) length < left ? (size_t) length : left;
	memcpy(reader->into + reader->used, text, n);
	reader->used += n;
	while (reader->used > 0 && !ph_utf8_valid(reader->into, reader->used))
		reader->used--; /* cut in the middle of a character */
	reader->into[reader->used] = '\0';
}

/* Entities can make a small file huge; the format needs none. */
static void
refuse_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
			  int value_length, const XML_Char *base, const XML_Char *system_id,
			  const XML_Char *public_id, const XML_Char *notation)
{
	MetadataReader *reader = user;
	(void) name;
	(void) is_parameter;
	(void) value;
	(void) value_length;
	(void) base;
	(void) system_id;
	(void) public_id;
	(void) notation;
	stop(reader, fail(reader, PH_ERR_UNSUPPORTED, "entity declarations are not allowed"));
}

static PhStatus
parse(MetadataReader *reader)
{
	char message[160];
	PhTauText text = reader->metadata;
	if (text.size > INT_MAX)
		return fail(reader, PH_ERR_LIMIT, "longer than 2 GiB");
	if (XML_Parse(reader->parser, text.text, (int) text.size, 1) == XML_STATUS_OK)
		return reader->status;
	if (reader->status != PH_OK)
		return reader->status;
	snprintf(message, sizeof(message), "invalid XML: %s",
			 XML_ErrorString(XML_GetErrorCode(reader->parser)));
	return fail(reader, PH_ERR_FORMAT, message);
}

PhStatus
ph_tau_metadata(PhEnv *env, const PhInput *input, PhTauText metadata, PhTauAttribute attribute,
				void *user)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(MetadataReader), &memory));
	MetadataReader *reader = memory;
	*reader = (MetadataReader){
		.env = env, .input = input, .metadata = metadata, .attribute = attribute, .user = user};
	PhStatus status = PH_ERR_MEMORY;
	reader->parser = XML_ParserCreate(NULL);
	if (reader->parser != NULL)
	{
		XML_SetUserData(reader->parser, reader);
		XML_SetElementHandler(reader->parser, begin_element, end_element);
		XML_SetCharacterDataHandler(reader->parser, add_text);
		XML_SetEntityDeclHandler(reader->parser, refuse_entity);
		status = parse(reader);
		XML_ParserFree(reader->parser);
	}
	else
		ph_fail(env, PH_ERR_MEMORY, "out of memory");
	ph_env_free(env, memory, 1, sizeof(MetadataReader));
	return status;
}
