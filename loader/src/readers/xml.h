/*
 * xml.h - XML through expat, for all readers: pushed in pieces, errors with their place.
 *
 * What a document could do harm with is refused here, for every format: entity declarations, which
 * can make a small file huge; elements nested deeper than a million levels; more text in an element
 * than the handler wants. The environment is polled at every element and every piece of text.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_XML_H
#define PH_READERS_XML_H

#include "base/env.h"

typedef struct PhXml PhXml;

/* Where a document lies: what stands before its first byte in the file that errors name. */
typedef struct PhXmlPlace
{
	const char *name;			 /* of the file; lent */
	const char *part;			 /* named in messages; NULL: the document is the file */
	uint64_t line, column, byte; /* all 0: it begins the file */
} PhXmlPlace;

typedef struct PhXmlHandler
{
	void *user;
	/* attributes: name, value, ..., NULL. */
	PhStatus (*begin)(void *user, PhXml *xml, const char *name, const char **attributes);
	/* text: what came since the last begin or end; may be changed. "" when max_text is 0. */
	PhStatus (*end)(void *user, PhXml *xml, const char *name, char *text);
	uint32_t max_text; /* bytes of an element; 0: text is of no interest */
	bool cuts_text;	   /* longer text is cut between characters, not refused */
} PhXmlHandler;

/* The handler is copied. On failure *out is NULL. */
PhStatus ph_xml_new(PhEnv *env, const PhXmlPlace *place, const PhXmlHandler *handler,
					PhXml **out) PH_MUST_CHECK;
void ph_xml_free(PhXml *xml); /* NULL is fine */

/* The next bytes of the document. After a failure the parser may only be freed. */
PhStatus ph_xml_push(PhXml *xml, const void *bytes, size_t size) PH_MUST_CHECK;

/* There are no more. */
PhStatus ph_xml_finish(PhXml *xml) PH_MUST_CHECK;

/* "name:line:column: part: message (byte N)" for the element that is handled now. */
PhStatus ph_xml_fail(const PhXml *xml, PhStatus status, const char *format, ...) PH_PRINTF(3, 4);

/* The value of an attribute; NULL: it is not there. */
const char *ph_xml_attribute(const char **attributes, const char *name);

/* Cut blanks off both ends. */
void ph_xml_trim(char *text);

#endif
