/*
 * test_xml.c - the XML wrapper: elements and text in pieces of any size, what it refuses, places.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/xml.h"
#include "support/fault_env.h"

/* What the handler saw, as text: "<a x=1>", "</a:text>". */
typedef struct Seen
{
	char text[4096];
	const char *refused; /* element that begin refuses */
	uint32_t max_text;
	bool cuts_text;
	size_t piece; /* bytes a push; 0: all at once */
	PhXmlPlace place;
	const char *document;
	size_t size;
} Seen;

static void
note(Seen *seen, const char *format, ...)
{
	size_t used = strlen(seen->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(seen->text + used, sizeof(seen->text) - used, format, arguments);
	va_end(arguments);
}

static PhStatus
begin(void *user, PhXml *xml, const char *name, const char **attributes)
{
	Seen *seen = user;
	const char *x = ph_xml_attribute(attributes, "x");

	if (seen->refused != NULL && strcmp(name, seen->refused) == 0)
		return ph_xml_fail(xml, PH_ERR_VALUE, "element %s", name);
	note(seen, x != NULL ? "<%s x=%s>" : "<%s>", name, x);
	return PH_OK;
}

static PhStatus
end(void *user, PhXml *xml, const char *name, char *text)
{
	(void) xml;
	ph_xml_trim(text);
	note(user, "</%s:%s>", name, text);
	return PH_OK;
}

static PhStatus
parse(PhEnv *env, void *user)
{
	Seen *seen = user;
	PhXmlHandler handler = {seen, begin, end, seen->max_text, seen->cuts_text};
	size_t piece = seen->piece == 0 ? seen->size : seen->piece;
	PhStatus status;
	PhXml *xml;

	seen->text[0] = '\0';
	PH_TRY(ph_xml_new(env, &seen->place, &handler, &xml));
	status = PH_OK;
	for (size_t at = 0; at < seen->size && status == PH_OK; at += piece)
		status = ph_xml_push(xml, seen->document + at,
							 seen->size - at < piece ? seen->size - at : piece);
	if (status == PH_OK)
		status = ph_xml_finish(xml);
	ph_xml_free(xml);
	return status;
}

static Seen
of_text(const char *document)
{
	return (Seen){
		.max_text = 100, .place = {.name = "file"}, .document = document, .size = strlen(document)};
}

/* Parse and compare status and message; nothing may be left. */
static void
expect(Seen *seen, PhStatus status, const char *message)
{
	FaultEnv fault;

	fault_env_init(&fault);
	assert_int_equal(parse(&fault.env, seen), status);
	if (status != PH_OK)
		assert_string_equal(fault.env.error.message, message);
	assert_int_equal(fault.n_blocks, 0);
	fault_env_drop(&fault);
}

static void
test_elements_in_pieces(void **state)
{
	Seen seen =
		of_text("<?xml version=\"1.0\"?>\n<a x=\"1\" y='&lt;'>\n <b> gr\xc3\xbc\xc3\x9f &amp;\n"
				" go </b><c x='2'/>tail</a>");

	(void) state;
	for (size_t piece = 0; piece <= seen.size; piece++)
	{
		seen.piece = piece;
		expect(&seen, PH_OK, NULL);
		assert_string_equal(seen.text,
							"<a x=1><b></b:gr\xc3\xbc\xc3\x9f &\n go><c x=2></c:></a:tail>");
	}
}

static void
test_text_of_no_interest(void **state)
{
	Seen seen = of_text("<a>words<b>more</b></a>");

	(void) state;
	seen.max_text = 0;
	expect(&seen, PH_OK, NULL);
	assert_string_equal(seen.text, "<a><b></b:></a:>");
}

/* Exactly as much as is wanted is kept; one byte more is refused, or cut between characters. */
static void
test_long_text(void **state)
{
	Seen seen = of_text("<a>12345\xc3\xbcz</a>");

	(void) state;
	seen.max_text = 8;
	expect(&seen, PH_OK, NULL);
	assert_string_equal(seen.text, "<a></a:12345\xc3\xbcz>");
	seen.max_text = 7;
	expect(&seen, PH_ERR_LIMIT, "file:1:4: an element has more than 7 bytes of text (byte 3)");
	seen.cuts_text = true;
	for (size_t piece = 0; piece <= seen.size; piece++)
	{
		seen.piece = piece;
		seen.max_text = 7;
		expect(&seen, PH_OK, NULL);
		assert_string_equal(seen.text, "<a></a:12345\xc3\xbc>");
		seen.max_text = 6;
		expect(&seen, PH_OK, NULL);
		assert_string_equal(seen.text, "<a></a:12345>");
	}
}

/* What was cut ends with its element. */
static void
test_cut_and_next(void **state)
{
	Seen seen = of_text("<a><b>123456</b><b>12</b>123</a>");

	(void) state;
	seen.max_text = 3;
	seen.cuts_text = true;
	expect(&seen, PH_OK, NULL);
	assert_string_equal(seen.text, "<a><b></b:123><b></b:12></a:123>");
}

static void
test_entities_are_refused(void **state)
{
	static const char *const documents[] = {
		"<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>",
		"<!DOCTYPE a [<!ENTITY e SYSTEM \"/etc/passwd\">]><a>&e;</a>",
		"<!DOCTYPE a [<!ENTITY % e \"x\">]><a/>",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
	{
		Seen seen = of_text(documents[i]);
		FaultEnv fault;

		fault_env_init(&fault);
		assert_int_equal(parse(&fault.env, &seen), PH_ERR_UNSUPPORTED);
		assert_non_null(strstr(fault.env.error.message, ": entity declarations are not allowed"));
		assert_string_equal(seen.text, "");
		fault_env_drop(&fault);
	}
}

/* A million levels are read, one more is refused; neither takes stack. */
static void
test_depth(void **state)
{
	size_t levels = 1000001;
	char *document = malloc(7 * levels + 1);
	char *at = document;
	Seen seen;

	(void) state;
	assert_non_null(document);
	for (size_t i = 0; i < levels; i++, at += 3)
		memcpy(at, "<a>", 4);
	seen = of_text(document);
	expect(&seen, PH_ERR_LIMIT,
		   "file:1:3000001: elements are nested deeper than a million levels (byte 3000000)");
	at -= 3;
	for (size_t i = 1; i < levels; i++, at += 4)
		memcpy(at, "</a>", 5);
	seen = of_text(document);
	expect(&seen, PH_OK, NULL);
	free(document);
}

static void
test_broken_documents(void **state)
{
	static const struct
	{
		const char *document, *message;
	} cases[] = {
		{"", "file:1:1: invalid XML: no element found (byte 0)"},
		{"<a>\n<b></a>", "file:2:6: invalid XML: mismatched tag (byte 9)"},
		{"<a>", "file:1:4: invalid XML: no element found (byte 3)"},
		{"<a/><b/>", "file:1:5: invalid XML: junk after document element (byte 4)"},
		{"<a>\xff</a>", "file:1:4: invalid XML: not well-formed (invalid token) (byte 3)"},
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Seen seen = of_text(cases[i].document);

		expect(&seen, PH_ERR_FORMAT, cases[i].message);
	}
}

/* What stands before the document in its file counts; columns only in the document's first line. */
static void
test_places(void **state)
{
	Seen seen = of_text("<a><b/>\n<c/></a>");

	(void) state;
	seen.place = (PhXmlPlace){"file", "part", 4, 20, 300};
	seen.refused = "b";
	expect(&seen, PH_ERR_VALUE, "file:5:24: part: element b (byte 303)");
	seen.refused = "c";
	expect(&seen, PH_ERR_VALUE, "file:6:1: part: element c (byte 308)");
	assert_string_equal(seen.text, "<a><b></b:>");
}

static void
test_faults(void **state)
{
	Seen seen = of_text("<a>some text</a>");

	(void) state;
	assert_string_equal(fault_env_try_allocations(parse, &seen, 0), "");
}

static bool
always(void *user)
{
	(void) user;
	return true;
}

/* Elements and pieces of text ask whether to go on. */
static void
test_interrupts(void **state)
{
	char *document = calloc(1, 4 * (size_t) PH_POLL_EVERY + 100);
	Seen seen;
	PhEnv env;

	(void) state;
	assert_non_null(document);
	strcpy(document, "<a>");
	for (int i = 0; i < PH_POLL_EVERY; i++)
		memcpy(document + 3 + 4 * (size_t) i, "<b/>", 5);
	strcat(document, "</a>");
	seen = of_text(document);
	ph_env_init_malloc(&env);
	env.interrupt = always;
	assert_int_equal(parse(&env, &seen), PH_ERR_INTERRUPTED);
	assert_int_equal(env.bytes, 0);
	free(document);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements_in_pieces),
		cmocka_unit_test(test_text_of_no_interest),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_cut_and_next),
		cmocka_unit_test(test_entities_are_refused),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_broken_documents),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
