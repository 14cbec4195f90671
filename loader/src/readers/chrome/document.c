/*
 * document.c - from the file's first byte to its last: the list of events, and the members beside
 * it.
 *
 * A value is scanned where it lies in the window; when the window ends within it, more is read and
 * the value begun again. A file that ends within a value is one that was cut off: what is before it
 * is kept, and the run is told.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "base/min_max.h"
#include "readers/chrome/chrome.h"
#include "readers/completeness.h"
#include "readers/log_stream.h"

#define MOST_VALUE ((size_t) 64 << 20) /* bytes of one event, or of a member beside the list */
#define MOST_TEXT 4096				   /* bytes of a text that becomes metadata */
#define MOST_ITEMS 64				   /* texts that become metadata, of one object */

typedef struct Document
{
	PhChrome *chrome;
	PhRunInput *run;
	PhLogStream stream;
	bool is_cut; /* it ended within a value */
	bool has_events;
} Document;

/* ---- the window ---- */

static PhScan
begin_scan(const Document *document)
{
	return (PhScan){.at = document->stream.at, .end = document->stream.end};
}

static void
note_place(Document *document, const PhScan *scan)
{
	document->chrome->place = document->stream.passed + (uint64_t) (scan->at - document->stream.at);
}

/* What was scanned is done with. */
static void
end_scan(Document *document, const PhScan *scan)
{
	ph_log_skip(&document->stream, (size_t) (scan->at - document->stream.at));
	if (!document->stream.is_gzip)
		ph_input_passed(&document->stream.input,
						(size_t) (document->stream.at - document->stream.input.data), NULL);
}

/*
 * After a scan that failed: PH_OK when it can be begun again with more bytes, or document->is_cut
 * when there are none.
 */
static PhStatus
want_more(Document *document, const PhScan *scan)
{
	size_t left = (size_t) (document->stream.end - document->stream.at);
	bool has;

	note_place(document, scan);
	if (scan->wrong != NULL)
		return ph_chrome_fail(document->chrome, PH_ERR_FORMAT, "%s", scan->wrong);
	if (left > MOST_VALUE && !document->stream.at_end)
		return ph_chrome_fail(document->chrome, PH_ERR_LIMIT, "a value has more than %zu bytes",
							  MOST_VALUE);
	PH_TRY(ph_log_want(&document->stream, left + 1, &has));
	document->is_cut = !has;
	return PH_OK;
}

/* The next byte that is no blank, which is not taken; 0: there is none. */
static PhStatus
peek(Document *document, char *out)
{
	for (;;)
	{
		PhScan scan = begin_scan(document);
		bool has = ph_scan_blanks(&scan);

		end_scan(document, &scan);
		note_place(document, &scan);
		*out = has ? (char) *scan.at : '\0';
		if (has)
			return PH_OK;
		PH_TRY(ph_log_want(&document->stream, 1, &has));
		if (!has)
			return PH_OK;
	}
}

/* ---- members beside the list ---- */

static PhStatus
set_meta(Document *document, const char *prefix, const PhScanValue *key, const PhScanValue *value)
{
	PhChrome *chrome = document->chrome;
	const char *name, *text;
	char full[256];
	int64_t number;

	if (value->kind == PH_SCAN_NESTED || value->size > MOST_TEXT || key->size > 128 ||
		chrome->files.count > 1)
		return PH_OK;
	PH_TRY(ph_chrome_decode(chrome, key->text, key->size, &name));
	PH_TRY(ph_chrome_decode(chrome, value->text, value->size, &text));
	snprintf(full, sizeof(full), "%s.%s", prefix, name);
	return ph_meta_set(chrome->spans.env, &document->run->meta, full, text,
					   value->kind == PH_SCAN_WORD && ph_scan_integer(value, &number));
}

/* The texts and numbers of an object. */
static PhStatus
set_all_meta(Document *document, const char *prefix, const PhScanValue *object)
{
	PhScan scan = ph_scan_of(object);
	bool first = true;
	bool more;
	PhScanValue key, value;

	if (object->kind != PH_SCAN_NESTED || !ph_scan_take(&scan, '{', ""))
		return PH_OK;
	for (int i = 0; i < MOST_ITEMS; i++)
	{
		if (!ph_scan_member(&scan, &first, &more, &key) || !more || !ph_scan_value(&scan, &value))
			return PH_OK;
		PH_TRY(set_meta(document, prefix, &key, &value));
	}
	return PH_OK;
}

/* -1: it has none. */
static int64_t
number_of(const PhScanValue *object, const char *name)
{
	PhScanValue value = ph_scan_find(object, name);
	int64_t number;

	return ph_scan_integer(&value, &number) && number >= 0 ? number : -1;
}

static PhStatus
take_distributed(Document *document, const PhScanValue *value)
{
	PhChromeFile *file = ph_chrome_file(document->chrome);

	file->is_kineto = true;
	file->rank = number_of(value, "rank");
	file->world_size = number_of(value, "world_size");
	file->groups = number_of(value, "pg_count");
	return set_all_meta(document, "distributed", value);
}

/* The devices' models by their numbers. */
static PhStatus
take_devices(Document *document, const PhScanValue *value)
{
	PhScan scan = ph_scan_of(value);
	bool first = true;
	bool more;
	PhScanValue device;

	ph_chrome_file(document->chrome)->is_kineto = true;
	if (value->kind != PH_SCAN_NESTED || !ph_scan_take(&scan, '[', ""))
		return PH_OK;
	for (int i = 0; i < MOST_ITEMS; i++)
	{
		PhScanValue id, name;

		if (!ph_scan_item(&scan, &first, &more) || !more || !ph_scan_value(&scan, &device))
			return PH_OK;
		id = ph_scan_find(&device, "id");
		name = ph_scan_find(&device, "name");
		if (id.kind == PH_SCAN_WORD && name.kind == PH_SCAN_STRING)
			PH_TRY(set_meta(document, "device", &id, &name));
	}
	return PH_OK;
}

static PhStatus
take_base(Document *document, const PhScanValue *value)
{
	int64_t *base = &ph_chrome_file(document->chrome)->base;

	if (!ph_scan_integer(value, base) || *base < 0 || *base > PH_CHROME_MOST_TIME)
		return ph_chrome_fail(document->chrome, PH_ERR_VALUE,
							  "baseTimeNanoseconds is no time since 1970");
	return PH_OK;
}

static PhStatus
take_member(Document *document, const PhScanValue *key, const PhScanValue *value)
{
	if (ph_scan_value_is(key, "distributedInfo"))
		return take_distributed(document, value);
	if (ph_scan_value_is(key, "deviceProperties"))
		return take_devices(document, value);
	if (ph_scan_value_is(key, "baseTimeNanoseconds"))
		return take_base(document, value);
	return set_meta(document, "chrome", key, value);
}

/* ---- the list of events ---- */

static PhStatus
read_event(Document *document)
{
	PhScan scan = begin_scan(document);
	PhChromeEvent event;

	if (!ph_chrome_scan_event(&scan, &event))
		return want_more(document, &scan);
	document->chrome->place = document->stream.passed;
	PH_TRY(ph_chrome_take_event(document->chrome, &event));
	end_scan(document, &scan);
	return ph_env_poll(document->chrome->spans.env);
}

/* From its opening bracket on. A comma before the closing bracket is taken as none. */
static PhStatus
read_events(Document *document)
{
	bool has_comma = true;
	char next;

	ph_log_skip(&document->stream, 1);
	document->has_events = true;
	for (;;)
	{
		uint64_t before = document->stream.passed;

		PH_TRY(peek(document, &next));
		if (next == '\0' || document->is_cut)
			break;
		if (next == ']' || (next == ',' && !has_comma))
		{
			ph_log_skip(&document->stream, 1);
			if (next == ']')
				return PH_OK;
			has_comma = true;
			continue;
		}
		if (!has_comma)
			return ph_chrome_fail(document->chrome, PH_ERR_FORMAT,
								  "expected , or ] after an event");
		before = document->stream.passed;
		PH_TRY(read_event(document));
		has_comma = document->stream.passed == before; /* the window ended within the event */
	}
	document->is_cut = true;
	return PH_OK;
}

/* ---- the root ---- */

/* A member's name, or the bracket that ends the root. */
static PhStatus
read_name(Document *document, bool *first, bool *more, PhScanValue *key)
{
	for (;;)
	{
		PhScan scan = begin_scan(document);
		bool is_first = *first;

		if (ph_scan_member(&scan, &is_first, more, key))
		{
			end_scan(document, &scan);
			*first = false;
			return PH_OK;
		}
		PH_TRY(want_more(document, &scan));
		if (document->is_cut)
			return PH_OK;
	}
}

static PhStatus
read_value(Document *document, const PhScanValue *key)
{
	for (;;)
	{
		PhScan scan = begin_scan(document);
		PhScanValue value;

		if (ph_scan_value(&scan, &value))
		{
			PH_TRY(take_member(document, key, &value));
			end_scan(document, &scan);
			return PH_OK;
		}
		PH_TRY(want_more(document, &scan));
		if (document->is_cut)
			return PH_OK;
	}
}

/* Key: in memory of its own, for the window moves while the value is read. */
static PhStatus
read_member(Document *document, const PhScanValue *key)
{
	bool is_list = ph_scan_value_is(key, "traceEvents");
	char name[128];
	PhScanValue kept = *key;
	char next;

	kept.size = PH_MIN(key->size, sizeof(name));
	memcpy(name, key->text, kept.size);
	kept.text = name;
	PH_TRY(peek(document, &next));
	if (!is_list)
		return read_value(document, &kept);
	if (next != '[')
		return ph_chrome_fail(document->chrome, PH_ERR_FORMAT, "traceEvents is no list");
	return read_events(document);
}

static PhStatus
read_object(Document *document)
{
	bool first = true;
	bool more = true;
	PhScanValue key;

	ph_log_skip(&document->stream, 1);
	while (!document->is_cut)
	{
		PH_TRY(read_name(document, &first, &more, &key));
		if (document->is_cut || !more)
			return PH_OK;
		PH_TRY(read_member(document, &key));
	}
	return PH_OK;
}

static PhStatus
read_root(Document *document)
{
	PhChrome *chrome = document->chrome;
	char next;

	PH_TRY(peek(document, &next));
	if (next != '{' && next != '[')
		return ph_chrome_fail(chrome, PH_ERR_FORMAT, "expected an object or a list of events");
	PH_TRY(next == '{' ? read_object(document) : read_events(document));
	if (document->is_cut)
		return ph_run_missing(chrome->spans.env, document->run,
							  "it ends within a value (byte %llu of its text)",
							  (unsigned long long) chrome->place);
	PH_TRY(peek(document, &next));
	if (next != '\0')
		return ph_chrome_fail(chrome, PH_ERR_FORMAT, "something follows the last bracket");
	if (document->stream.is_cut)
		PH_TRY(
			ph_run_missing(chrome->spans.env, document->run, "its compressed data end too early"));
	if (!document->has_events)
		return ph_chrome_fail(chrome, PH_ERR_FORMAT, "it has no traceEvents");
	return PH_OK;
}

PhStatus
ph_chrome_read_document(PhChrome *chrome, PhInput *input, PhRunInput *run)
{
	Document document = {.chrome = chrome, .run = run};
	PhStatus status;

	PH_TRY(ph_log_open(chrome->spans.env, input->path, input, &document.stream));
	status = read_root(&document);
	ph_log_close(&document.stream);
	return status;
}
