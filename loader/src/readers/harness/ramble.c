/*
 * ramble.c - results of a Ramble workspace, also of Benchpark: results.latest.json of
 * "ramble workspace analyze -f json".
 *
 * An experiment has keys and variables, the same ones at two places by Ramble's version, and
 * figures of merit by context. Statistics over repeats are left out: the repeats are experiments.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/str.h"
#include "readers/harness/reading.h"

#define LONGEST_VARIABLE 200 /* what is longer is a script */

typedef struct RambleReader
{
	PhHarnessReading in;
	PhRecord *record;
	char *context; /* of the figures that are read; NULL: the one without name */

	/* the figure that is read */
	char *name;
	PhSlice value, unit;
	bool is_summary;
} RambleReader;

/* What the keys of an experiment are called here. */
static const PhKnownKey keys[] = {{"application_name", "application"},
								  {"workload_name", "workload"},
								  {"experiment_name", "experiment"},
								  {"n_ranks", "ranks"},
								  {"n_threads", "threads"},
								  {"n_nodes", "nodes"},
								  {NULL, NULL}};

/* Which say nothing of the run that is not said elsewhere. */
static bool
is_left_out(const char *key)
{
	return strncmp(key, "simplified_", 11) == 0 || strstr(key, "_namespace") != NULL ||
		   strcmp(key, "experiment_status") == 0 || strcmp(key, "experiment_index") == 0;
}

/* A key or a variable. Paths and scripts are not what runs are told apart by. */
static PhStatus
take_variable(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;
	const char *known;
	PhSlice value;
	char *name;

	PH_TRY(ph_harness_text(&reader->in, key, &name));
	PH_TRY(ph_harness_scalar(&reader->in, &value));
	if (!ph_record_says(value) || is_left_out(name) || value.text[0] == '/' ||
		value.size > LONGEST_VARIABLE || memchr(value.text, '\n', value.size) != NULL)
		return PH_OK;
	known = ph_harness_known(keys, name);
	if (known == NULL)
		return ph_record_put_below(&reader->in.records, reader->record, "ramble.", name, value);
	return ph_record_get(reader->record, known) != NULL
			   ? PH_OK
			   : ph_record_put(&reader->in.records, reader->record, known, value);
}

/* ---- figures ---- */

static PhStatus
take_figure_member(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;
	PhSlice value;

	PH_TRY(ph_harness_scalar(&reader->in, &value));
	if (ph_json_is(key, "name"))
		reader->name = (char *) value.text;
	else if (ph_json_is(key, "value"))
		reader->value = value;
	else if (ph_json_is(key, "units"))
		reader->unit = value;
	else if (ph_json_is(key, "origin_type"))
		reader->is_summary = ph_slice_begins(value, "summary::");
	return PH_OK;
}

/* "context: name", or the name where the context has none. */
static PhStatus
take_figure(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;
	PhRecordList *records = &reader->in.records;
	PhStr name;
	char *full;

	(void) key;
	reader->name = NULL;
	reader->value = reader->unit = (PhSlice){"", 0};
	reader->is_summary = false;
	PH_TRY(ph_json_members(&reader->in.json, take_figure_member, reader));
	if (reader->is_summary || reader->name == NULL)
		return PH_OK;
	ph_str_init(&name, records->arena);
	if (reader->context != NULL)
	{
		PH_TRY(ph_str_append(&name, reader->context));
		PH_TRY(ph_str_append(&name, ": "));
	}
	PH_TRY(ph_str_append(&name, reader->name));
	PH_TRY(ph_str_take(&name, &full));
	return ph_record_put_figure(records, reader->record, full, reader->value, reader->unit,
								"ramble.figure.");
}

static PhStatus
take_context_member(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;
	PhSlice name;

	if (ph_json_is(key, "foms") && ph_json_peek(&reader->in.json) == '[')
		return ph_json_items(&reader->in.json, take_figure, reader);
	if (!ph_json_is(key, "name"))
		return ph_json_skip(&reader->in.json);
	PH_TRY(ph_harness_scalar(&reader->in, &name));
	reader->context = ph_record_says(name) ? (char *) name.text : NULL;
	return PH_OK;
}

static PhStatus
take_context(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;

	(void) key;
	reader->context = NULL;
	return ph_json_members(&reader->in.json, take_context_member, reader);
}

/* ---- experiments ---- */

static PhStatus
take_status(RambleReader *reader)
{
	PhSlice value;

	PH_TRY(ph_harness_scalar(&reader->in, &value));
	reader->record->is_failed = !ph_slice_is(value, "SUCCESS");
	return ph_record_put(&reader->in.records, reader->record, "result", value);
}

static PhStatus
take_name(RambleReader *reader)
{
	PhSlice value;

	PH_TRY(ph_harness_scalar(&reader->in, &value));
	reader->record->name = ph_record_says(value) ? value.text : NULL;
	return PH_OK;
}

static PhStatus
take_tag(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;
	PhSlice value;

	(void) key;
	PH_TRY(ph_harness_scalar(&reader->in, &value));
	return ph_record_put_below(&reader->in.records, reader->record, "ramble.tag.", value.text,
							   (PhSlice){"true", 4});
}

static PhStatus
take_experiment_member(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;
	PhJsonScan *json = &reader->in.json;
	char next = ph_json_peek(json);

	if (ph_json_is(key, "name"))
		return take_name(reader);
	if (ph_json_is(key, "RAMBLE_STATUS"))
		return take_status(reader);
	if (ph_json_is(key, "CONTEXTS") && next == '[')
		return ph_json_items(json, take_context, reader);
	if (ph_json_is(key, "RAMBLE_VARIABLES") && next == '{')
		return ph_json_members(json, take_variable, reader);
	if (ph_json_is(key, "TAGS") && next == '[')
		return ph_json_items(json, take_tag, reader);
	if (ph_json_is(key, "N_REPEATS") || next == '{' || next == '[')
		return ph_json_skip(json);
	return take_variable(reader, key);
}

/* What it is compared by: experiments differ in whatever their names say. */
static PhStatus
put_input(RambleReader *reader)
{
	const char *place = reader->record->place;
	const char *slash = place != NULL ? strchr(place, '/') : NULL;

	if (slash == NULL)
		return PH_OK;
	return ph_record_put(&reader->in.records, reader->record, "input",
						 (PhSlice){slash + 1, strlen(slash + 1)});
}

static PhStatus
take_experiment(void *context, const PhJsonText *key)
{
	static const char *const folders[] = {"application", "workload", "experiment", NULL};
	RambleReader *reader = context;

	(void) key;
	PH_TRY(ph_records_add(&reader->in.records, &reader->record));
	PH_TRY(ph_json_members(&reader->in.json, take_experiment_member, reader));
	PH_TRY(ph_record_place(&reader->in.records, reader->record, folders));
	return put_input(reader);
}

static PhStatus
take_member(void *context, const PhJsonText *key)
{
	RambleReader *reader = context;

	if (ph_json_is(key, "experiments"))
		return ph_json_items(&reader->in.json, take_experiment, reader);
	return ph_json_skip(&reader->in.json);
}

static PhStatus
read_records(PhArena *arena, PhInput *input, PhRecordList *out)
{
	RambleReader reader = {.in = ph_harness_reading(arena, input)};

	PH_TRY(ph_json_members(&reader.in.json, take_member, &reader));
	PH_TRY(ph_json_end(&reader.in.json));
	*out = reader.in.records;
	return PH_OK;
}

static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char *const status[] = {"\"experiments\"", "\"RAMBLE_STATUS\"", NULL};
	static const char *const hash[] = {"\"experiments\"", "\"workspace_hash\"", NULL};
	(void) path;
	return ph_json_head_has(head, size, status) || ph_json_head_has(head, size, hash);
}

const PhReader ph_reader_ramble = {
	.name = "ramble",
	.description = "results of Ramble and Benchpark (results.latest.json)",
	.mark = "JSON with experiments and RAMBLE_STATUS or workspace_hash",
	.proof = "the object ends",
	.detect_file = detect,
	.read_records = read_records,
};
