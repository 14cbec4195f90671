/*
 * source_text.c - reader of the text of darshan-parser: records of files, or totals of modules.
 *
 * A line is a counter: module, rank, id, counter, value, file, mount point and kind of file system,
 * parted by tabs (files may hold blanks). Lines of one record follow each other. The head names the
 * modules that the log has; of each there is a part, which begins with a line that names it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"
#include "readers/darshan/darshan.h"
#include "readers/plain_head.h"

#define N_FIELDS 8

static const char head_mark[] = "# darshan log version: ";

/* Of the head's list of modules. */
typedef struct Announced
{
	const char *module;
	bool is_there;
} Announced;

typedef struct TextReader
{
	PhDarshan darshan;
	PhStrings strings;
	PH_VECTOR(Announced) modules;
	bool has_records; /* totals are sums of them */
	const char *part; /* the module whose part this is; NULL: none yet */

	/* the record that the last line was of */
	const char *module, *id, *rank;
	uint32_t n_lines, n_before; /* lines of it, and of the one before in the same part */
} TextReader;

static PhStatus
fail(TextReader *reader, const char *message)
{
	return ph_log_fail(&reader->darshan.in.stream, PH_ERR_FORMAT, "%s", message);
}

static PhStatus
intern(TextReader *reader, PhSlice text, const char **out)
{
	uint32_t string;
	PH_TRY(ph_log_intern(&reader->darshan.in.stream, &reader->strings, text, &string));
	*out = reader->strings.text[string];
	return PH_OK;
}

/* What is before a mark and what is behind it; false: it is not there. */
static bool
split(PhSlice text, const char *mark, PhSlice *before, PhSlice *behind)
{
	const char *at = text.size > 0 ? memmem(text.text, text.size, mark, strlen(mark)) : NULL;
	if (at == NULL)
		return false;
	*before = ph_slice_first(text, (size_t) (at - text.text));
	*behind = ph_slice_behind(text, before->size + strlen(mark));
	return true;
}

/* ---- the head and other comments ---- */

static PhStatus
check_text(TextReader *reader, PhSlice text)
{
	return ph_utf8_valid(text.text, text.size) ? PH_OK : fail(reader, "a text is not valid UTF-8");
}

/* "exe: ./a.out", "metadata: lib_ver = 3.4.4" */
static PhStatus
read_note(TextReader *reader, PhSlice comment)
{
	static const char *const keys[][2] = {{"darshan log version", "version"},
										  {"exe", "exe"},
										  {"uid", "uid"},
										  {"jobid", "jobid"},
										  {"start_time", "start_time"},
										  {"end_time", "end_time"},
										  {"nprocs", "nprocs"},
										  {"run time", "run_time"}};
	PhSlice key, value;
	if (!split(comment, ": ", &key, &value))
		return PH_OK;
	PH_TRY(check_text(reader, comment));
	if (ph_slice_is(key, "metadata") && split(value, " = ", &key, &value))
		return ph_darshan_note(&reader->darshan, key, value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (ph_slice_is(key, keys[i][0]))
			return ph_darshan_note(&reader->darshan, (PhSlice){keys[i][1], strlen(keys[i][1])},
								   ph_slice_trim(value));
	return PH_OK;
}

/* "POSIX module: 186 bytes (compressed), ver=3"; what is traced has a program of its own. */
static PhStatus
announce(TextReader *reader, PhSlice module)
{
	Announced *known;
	if (ph_slice_begins(module, "DXT_") || ph_slice_begins(module, "<"))
		return PH_OK;
	PH_TRY(PH_ROOM(&reader->darshan.in.arena, &reader->modules));
	known = &reader->modules.items[reader->modules.count++];
	*known = (Announced){.is_there = false};
	return intern(reader, module, &known->module);
}

/* "POSIX module data" */
static PhStatus
begin_part(TextReader *reader, PhSlice module)
{
	PH_TRY(intern(reader, module, &reader->part));
	reader->module = NULL;
	reader->n_lines = reader->n_before = 0;
	for (uint32_t i = 0; i < reader->modules.count; i++)
		if (reader->modules.items[i].module == reader->part)
			reader->modules.items[i].is_there = true;
	return PH_OK;
}

static PhStatus
read_comment(TextReader *reader, PhSlice line)
{
	PhSlice comment = ph_slice_trim(ph_slice_behind(line, 1)), name, rest;
	if (split(comment, " module: ", &name, &rest) &&
		memmem(rest.text, rest.size, "(compressed)", 12) != NULL)
		return announce(reader, name);
	if (ph_slice_ends(comment, " module data") && split(comment, " module data", &name, &rest))
		return begin_part(reader, name);
	if (ph_slice_ends(comment, " module contains incomplete data!"))
		return ph_darshan_warn_partial(&reader->darshan, reader->part != NULL ? reader->part : "?");
	return reader->part == NULL ? read_note(reader, comment) : PH_OK;
}

/* ---- counters ---- */

static bool
take_fields(PhSlice line, PhSlice fields[N_FIELDS])
{
	for (size_t i = 0; i < N_FIELDS; i++)
	{
		const char *tab = line.size > 0 ? memchr(line.text, '\t', line.size) : NULL;
		if ((tab == NULL) != (i == N_FIELDS - 1))
			return false;
		fields[i] = tab == NULL ? line : ph_slice_first(line, (size_t) (tab - line.text));
		if (tab != NULL)
			line = ph_slice_behind(line, fields[i].size + 1);
	}
	return true;
}

static bool
is_same_record(const TextReader *reader, const PhSlice fields[N_FIELDS])
{
	return reader->module != NULL && reader->id != NULL && ph_slice_is(fields[0], reader->module) &&
		   ph_slice_is(fields[2], reader->id) && ph_slice_is(fields[1], reader->rank);
}

static PhStatus
begin_record(TextReader *reader, const PhSlice fields[N_FIELDS])
{
	PhDarshanRecord record = {fields[0], fields[5], fields[7], 0};
	if (reader->part == NULL || !ph_slice_is(fields[0], reader->part))
		return fail(reader, "a record is not of the module whose part this is");
	if (!ph_parse_int64(fields[1].text, fields[1].size, &record.rank) ||
		record.rank < PH_DARSHAN_SHARED || record.rank > INT32_MAX - 1)
		return fail(reader, "the rank of a record is no number, or out of range");
	if (record.file.size == 0)
		return fail(reader, "a record names no file");
	PH_TRY(check_text(reader, record.file));
	PH_TRY(check_text(reader, record.file_system));
	if (ph_slice_is(record.file_system, "UNKNOWN"))
		record.file_system.size = 0;
	PH_TRY(intern(reader, fields[0], &reader->module));
	PH_TRY(intern(reader, fields[1], &reader->rank));
	PH_TRY(intern(reader, fields[2], &reader->id));
	reader->n_before = reader->n_lines;
	reader->n_lines = 0;
	reader->has_records = true;
	return ph_darshan_record(&reader->darshan, &record);
}

static PhStatus
read_counter(TextReader *reader, PhSlice line)
{
	PhSlice fields[N_FIELDS];
	double value;
	if (!take_fields(line, fields))
		return fail(reader, "a line has not the 8 fields of a counter, parted by tabs");
	if (!is_same_record(reader, fields))
		PH_TRY(begin_record(reader, fields));
	reader->n_lines++;
	if (!ph_parse_number(fields[4].text, fields[4].size, &value))
		return ph_darshan_prefix(fields[0]) == NULL ? PH_OK : fail(reader, "a value is no number");
	return ph_darshan_count(&reader->darshan, fields[3], value);
}

/* "total_POSIX_OPENS: 12", behind the records where both are there. */
static PhStatus
read_total(TextReader *reader, PhSlice line)
{
	PhSlice name, text;
	double value;
	if (reader->has_records)
		return PH_OK;
	if (reader->part == NULL || !split(line, ": ", &name, &text) ||
		!ph_parse_number(text.text, text.size, &value))
		return fail(reader, "a total is not a name and a number, or of no module");
	if (reader->module != reader->part)
	{
		PhDarshanRecord record = {.module = {reader->part, strlen(reader->part)},
								  .rank = PH_DARSHAN_SHARED};
		reader->module = reader->part;
		PH_TRY(ph_darshan_record(&reader->darshan, &record));
	}
	return ph_darshan_count(&reader->darshan, ph_slice_behind(name, strlen("total_")), value);
}

static PhStatus
read_line(void *context, PhSlice line)
{
	TextReader *reader = context;
	if (!reader->darshan.in.is_whole || line.size == 0)
		return PH_OK;
	if (line.text[0] == '#')
		return read_comment(reader, line);
	if (ph_slice_begins(line, "total_"))
		return read_total(reader, line);
	return read_counter(reader, line);
}

/* ---- all ---- */

/* Totals are of these modules only. */
static bool
has_totals(const char *module)
{
	static const char *const names[] = {"POSIX", "MPI-IO", "STDIO", "DFS", "DAOS"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(module, names[i]) == 0)
			return true;
	return false;
}

/* A module without its part, and a last record with fewer counters than the one before. */
static PhStatus
note_missing(TextReader *reader)
{
	PhReading *in = &reader->darshan.in;
	for (uint32_t i = 0; i < reader->modules.count; i++)
		if (!reader->modules.items[i].is_there &&
			(reader->has_records || has_totals(reader->modules.items[i].module)))
			PH_TRY(ph_run_missing(in->env, in->run, "%s: what module %s counted is not there",
								  in->input->path, reader->modules.items[i].module));
	if (reader->n_before > 0 && reader->n_lines < reader->n_before &&
		reader->darshan.prefix != NULL)
		PH_TRY(ph_run_missing(in->env, in->run, "%s:%llu: the last record has %u counters of %u",
							  in->input->path, (unsigned long long) in->stream.line,
							  reader->n_lines, reader->n_before));
	return ph_reading_note_cut(in);
}

static PhStatus
read_all(void *context)
{
	TextReader *reader = context;
	PH_TRY(ph_strings_init(&reader->strings, &reader->darshan.in.arena));
	PH_TRY(ph_darshan_begin(&reader->darshan));
	PH_TRY(ph_reading_lines(&reader->darshan.in, read_line, reader));
	PH_TRY(note_missing(reader));
	return ph_darshan_finish(&reader->darshan);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	TextReader reader = {
		.darshan.in = {.env = env, .input = input, .options = options, .run = out}};
	return ph_reading_do(&reader.darshan.in, read_all, &reader);
}

static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	(void) path;
	ph_plain_head(bytes, size, &head);
	return memmem(head.bytes, head.size, head_mark, sizeof(head_mark) - 1) != NULL;
}

const PhReader ph_reader_darshan_text = {
	.name = "darshan-text",
	.description = "text of darshan-parser",
	.mark = "the line # darshan log version: of its head",
	.detect_file = detect,
	.read_file = read_file,
};
