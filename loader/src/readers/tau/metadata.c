/*
 * metadata.c - the XML in the comment of a TAU profile: <attribute><name/><value/></attribute>.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "readers/tau/tau.h"
#include "readers/xml.h"

#define PH_TAU_NAME_SIZE 256
#define PH_TAU_VALUE_SIZE 8192 /* longer values are cut */

typedef struct MetadataReader
{
	PhTauAttribute attribute;
	void *user;
	uint32_t depth;
	char name[PH_TAU_NAME_SIZE];
	char value[PH_TAU_VALUE_SIZE];
} MetadataReader;

static PhStatus
begin_element(void *user, PhXml *xml, const char *name, const char **attributes)
{
	MetadataReader *reader = user;

	(void) xml;
	(void) name;
	(void) attributes;
	reader->depth++;
	if (reader->depth == 2)
		reader->name[0] = reader->value[0] = '\0';
	return PH_OK;
}

/* As much of text as there is room for, in whole characters. */
static void
keep(char *out, size_t room, const char *text)
{
	size_t length = strlen(text);

	if (length >= room)
	{
		length = room - 1;
		while (length > 0 && ((unsigned char) text[length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(out, text, length);
	out[length] = '\0';
}

static PhStatus
end_element(void *user, PhXml *xml, const char *name, char *text)
{
	MetadataReader *reader = user;

	(void) xml;
	if (reader->depth == 3 && strcmp(name, "name") == 0)
		keep(reader->name, sizeof(reader->name), text);
	else if (reader->depth == 3 && strcmp(name, "value") == 0)
		keep(reader->value, sizeof(reader->value), text);
	reader->depth--;
	if (reader->depth == 1 && reader->name[0] != '\0')
		return reader->attribute(reader->user, reader->name, reader->value);
	return PH_OK;
}

/* What stands in the file before the metadata. */
static PhXmlPlace
place_of(const PhInput *input, PhTauText metadata)
{
	size_t offset = (size_t) ((const uint8_t *) metadata.text - input->data);
	size_t line;
	size_t column;

	ph_input_position(input, offset, &line, &column);
	return (PhXmlPlace){.name = input->path,
						.part = "metadata",
						.line = line - 1,
						.column = column - 1,
						.byte = offset};
}

PhStatus
ph_tau_metadata(PhEnv *env, const PhInput *input, PhTauText metadata, PhTauAttribute attribute,
				void *user)
{
	MetadataReader reader = {.attribute = attribute, .user = user};
	PhXmlPlace place = place_of(input, metadata);
	PhXmlHandler handler = {.user = &reader,
							.begin = begin_element,
							.end = end_element,
							.max_text = PH_TAU_VALUE_SIZE,
							.cuts_text = true};
	PhStatus status;
	PhXml *xml;

	PH_TRY(ph_xml_new(env, &place, &handler, &xml));
	status = ph_xml_push(xml, metadata.text, metadata.size);
	if (status == PH_OK)
		status = ph_xml_finish(xml);
	ph_xml_free(xml);
	return status;
}
