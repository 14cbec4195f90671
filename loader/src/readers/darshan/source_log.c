/*
 * source_log.c - reader of Darshan's logs: header, job, names of files, records of modules.
 *
 * Each region is compressed on its own, in as many streams as processes wrote it, and read in a
 * window. What an entry of the header says is there must be there, which proves that a log is
 * whole.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "readers/completeness.h"
#include "readers/darshan/darshan.h"
#include "readers/darshan/layout.h"

#define JOB_SIZE 4096
#define JOB_METADATA 1024
#define NAME_MAX_SIZE ((size_t) 1 << 20)
#define N_JOB_FIELDS 7

typedef struct Mount
{
	PhSlice path, type;
} Mount;

typedef struct LogReader
{
	PhDarshan darshan;
	PhDarshanHeader header;
	PhStrings strings;
	PhMap names; /* id to string */
	PH_VECTOR(Mount) mounts;
	PhLogStream stream; /* of the region that is read */
} LogReader;

static PhStatus
fail(LogReader *reader, const char *what)
{
	return ph_fail(reader->darshan.in.env, PH_ERR_FORMAT, "%s: %s", reader->darshan.in.input->path,
				   what);
}

static uint64_t
u64(const LogReader *reader, const uint8_t *bytes)
{
	return ph_darshan_u64(bytes, reader->header.is_swapped);
}

/* ---- regions ---- */

static PhStatus
open_region(LogReader *reader, PhDarshanRegion region)
{
	PhReading *in = &reader->darshan.in;
	if (reader->header.compression == PH_DARSHAN_ZLIB)
		return ph_log_open_zlib(in->env, in->input, region.offset, region.size, &reader->stream);
	if (reader->header.compression == PH_DARSHAN_BZIP2)
		return ph_log_open_bzip2(in->env, in->input, region.offset, region.size, &reader->stream);
	reader->stream = (PhLogStream){.env = in->env,
								   .is_lent = true,
								   .input = *in->input,
								   .at = in->input->data + region.offset,
								   .end = in->input->data + region.offset + region.size,
								   .at_end = true};
	return PH_OK;
}

/* Is a region all in the file? What is not is noted. what: "its names". */
static PhStatus
find_region(LogReader *reader, PhDarshanRegion region, const char *what, bool *is_there)
{
	PhReading *in = &reader->darshan.in;
	*is_there = region.offset <= in->input->size && region.size <= in->input->size - region.offset;
	return *is_there ? PH_OK
					 : ph_run_missing(in->env, in->run, "%s: %s end behind the end of the file",
									  in->input->path, what);
}

static PhStatus
read_region(LogReader *reader, PhDarshanRegion region, const char *what,
			PhStatus (*read)(LogReader *reader, void *context), void *context)
{
	PhReading *in = &reader->darshan.in;
	bool is_there;
	PH_TRY(find_region(reader, region, what, &is_there));
	if (!is_there)
		return PH_OK;
	PH_TRY(open_region(reader, region));
	PhStatus status = read(reader, context);
	bool is_cut = reader->stream.is_cut || reader->stream.at < reader->stream.end;
	ph_log_close(&reader->stream);
	if (status == PH_OK && is_cut)
		status = ph_run_missing(in->env, in->run, "%s: %s end too early", in->input->path, what);
	return status;
}

/* ---- the job ---- */

static PhStatus
note_number(LogReader *reader, const char *key, uint64_t value)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%lld", (long long) value);
	return ph_darshan_note(&reader->darshan, (PhSlice){key, strlen(key)},
						   (PhSlice){text, (size_t) n});
}

/* The next line of a text, which ends with a NUL at the latest. */
static bool
take_line(PhSlice *text, PhSlice *line)
{
	size_t n = 0;
	while (n < text->size && text->text[n] != '\0' && text->text[n] != '\n')
		n++;
	*line = ph_slice_first(*text, n);
	bool goes_on = n < text->size && text->text[n] == '\n';
	*text = ph_slice_behind(*text, goes_on ? n + 1 : text->size);
	return goes_on || n > 0;
}

/* "lib_ver=3.4.4" */
static PhStatus
read_metadata(LogReader *reader, PhSlice text)
{
	PhSlice line;
	while (take_line(&text, &line))
	{
		const char *equals = line.size > 0 ? memchr(line.text, '=', line.size) : NULL;
		if (equals == NULL || equals == line.text || !ph_utf8_valid(line.text, line.size))
			continue;
		PhSlice key = ph_slice_first(line, (size_t) (equals - line.text));
		PH_TRY(ph_darshan_note(&reader->darshan, key, ph_slice_behind(line, key.size + 1)));
	}
	return PH_OK;
}

/* "lustre\t/scratch" */
static PhStatus
read_mount(LogReader *reader, PhSlice line)
{
	size_t n = ph_slice_word(line);
	Mount mount = {.type = ph_slice_first(line, n),
				   .path = ph_slice_trim(ph_slice_behind(line, n))};
	uint32_t string;
	if (mount.path.size == 0 || !ph_utf8_valid(line.text, line.size))
		return PH_OK;
	PH_TRY(ph_strings_intern_n(&reader->strings, mount.path.text, mount.path.size, &string));
	mount.path.text = reader->strings.text[string];
	PH_TRY(ph_strings_intern_n(&reader->strings, mount.type.text, mount.type.size, &string));
	mount.type.text = reader->strings.text[string];
	PH_TRY(PH_ROOM(&reader->darshan.in.arena, &reader->mounts));
	reader->mounts.items[reader->mounts.count++] = mount;
	return PH_OK;
}

/* The command, then a mount a line. */
static PhStatus
read_command(LogReader *reader, PhSlice text)
{
	static const char key[] = "exe";
	PhSlice line;
	if (take_line(&text, &line) && ph_utf8_valid(line.text, line.size))
		PH_TRY(ph_darshan_note(&reader->darshan, (PhSlice){key, 3}, line));
	while (take_line(&text, &line))
		PH_TRY(read_mount(reader, line));
	return PH_OK;
}

static PhStatus
read_job(LogReader *reader, void *context)
{
	static const char *const keys[2][N_JOB_FIELDS] = {
		{"uid", "start_time", "end_time", "nprocs", "jobid"},
		{"uid", "start_time", NULL, "end_time", NULL, "nprocs", "jobid"}};
	bool is_new = reader->header.minor >= 41, has;
	size_t n = is_new ? 7 : 5, fixed = 8 * n + JOB_METADATA;
	(void) context;
	PH_TRY(ph_log_want(&reader->stream, JOB_SIZE, &has));
	size_t size = (size_t) (reader->stream.end - reader->stream.at);
	if (size <= fixed)
		return fail(reader, "what it says of the job is cut off");
	const uint8_t *bytes = reader->stream.at;
	for (size_t i = 0; i < n; i++)
		if (keys[is_new][i] != NULL)
			PH_TRY(note_number(reader, keys[is_new][i], u64(reader, bytes + 8 * i)));
	PH_TRY(read_metadata(reader, (PhSlice){(const char *) bytes + 8 * n, JOB_METADATA}));
	PH_TRY(read_command(reader, (PhSlice){(const char *) bytes + fixed, size - fixed}));
	ph_log_skip(&reader->stream, size);
	return PH_OK;
}

/* ---- names ---- */

/* How many bytes the name of the entry at hand has, with its NUL; 0: it does not end. */
static PhStatus
find_name_end(LogReader *reader, size_t *size)
{
	PhLogStream *stream = &reader->stream;
	bool has;
	for (size_t want = 256;; want *= 2)
	{
		PH_TRY(ph_log_want(stream, want, &has));
		size_t n = (size_t) (stream->end - stream->at);
		const uint8_t *end = n > 8 ? memchr(stream->at + 8, '\0', n - 8) : NULL;
		*size = end != NULL ? (size_t) (end + 1 - (stream->at + 8)) : 0;
		if (end != NULL || !has)
			return PH_OK;
		if (want > NAME_MAX_SIZE)
			return fail(reader, "a file's name is longer than 1 MiB");
	}
}

/* Version 3.00 has the length of a name before it. */
static PhStatus
find_name(LogReader *reader, PhSlice *name, size_t *size)
{
	PhLogStream *stream = &reader->stream;
	bool has;
	size_t length;
	if (reader->header.minor >= 10)
	{
		PH_TRY(find_name_end(reader, &length));
		*name = (PhSlice){(const char *) stream->at + 8, length > 0 ? length - 1 : 0};
		*size = length > 0 ? 8 + length : 0;
		return PH_OK;
	}
	*size = 0;
	PH_TRY(ph_log_want(stream, 12, &has));
	if (!has)
		return PH_OK;
	length = ph_darshan_u32(stream->at + 8, reader->header.is_swapped);
	if (length > NAME_MAX_SIZE)
		return fail(reader, "a file's name is longer than 1 MiB");
	PH_TRY(ph_log_want(stream, 12 + length, &has));
	*name = (PhSlice){(const char *) stream->at + 12, length};
	*size = has ? 12 + length : 0;
	return PH_OK;
}

static PhStatus
read_names(LogReader *reader, void *context)
{
	PhLogStream *stream = &reader->stream;
	PhSlice name;
	size_t size;
	bool has;
	(void) context;
	for (;;)
	{
		uint32_t string, *entry;
		PH_TRY(ph_env_poll(reader->darshan.in.env));
		PH_TRY(ph_log_want(stream, 9, &has));
		if (!has)
			return PH_OK;
		PH_TRY(find_name(reader, &name, &size));
		if (size == 0)
			return PH_OK;
		if (!ph_utf8_valid(name.text, name.size))
			return fail(reader, "a file's name is not valid UTF-8");
		PH_TRY(ph_strings_intern_n(&reader->strings, name.text, name.size, &string));
		PH_TRY(ph_map_enter(&reader->names, u64(reader, stream->at), string, &entry));
		ph_log_skip(stream, size);
	}
}

/* ---- records ---- */

/* "/scratch" has "/scratch/in.dat", and not "/scratch2/in.dat". */
static bool
is_below(PhSlice file, PhSlice mount)
{
	return file.size >= mount.size && memcmp(file.text, mount.text, mount.size) == 0 &&
		   (file.size == mount.size || mount.text[mount.size - 1] == '/' ||
			file.text[mount.size] == '/');
}

/* The mount with the longest path that the file is below. */
static PhSlice
file_system_of(const LogReader *reader, PhSlice file)
{
	const Mount *best = NULL;
	for (uint32_t i = 0; i < reader->mounts.count; i++)
	{
		const Mount *mount = &reader->mounts.items[i];
		if (is_below(file, mount->path) && (best == NULL || mount->path.size > best->path.size))
			best = mount;
	}
	return best != NULL ? best->type : (PhSlice){"", 0};
}

typedef struct Layout
{
	const char *module;
	uint32_t version;
	const PhDarshanCounter *counters;
	size_t n;
} Layout;

static PhStatus
begin_record(LogReader *reader, const Layout *layout, const uint8_t *bytes)
{
	const uint32_t *name = ph_map_find(&reader->names, u64(reader, bytes));
	const char *file = name != NULL ? reader->strings.text[*name] : "[unknown file]";
	PhDarshanRecord record = {.module = {layout->module, strlen(layout->module)},
							  .file = {file, strlen(file)},
							  .rank = (int64_t) u64(reader, bytes + 8)};
	if (record.rank < PH_DARSHAN_SHARED || record.rank > INT32_MAX - 1)
		return fail(reader, "the rank of a record is out of range");
	if (record.file.size == 0)
		return fail(reader, "a file's name is empty");
	record.file_system = file_system_of(reader, record.file);
	return ph_darshan_record(&reader->darshan, &record);
}

static PhStatus
read_record(LogReader *reader, const Layout *layout, const uint8_t *bytes)
{
	PH_TRY(begin_record(reader, layout, bytes));
	bytes += 16;
	for (size_t i = 0; i < layout->n; i++)
	{
		const PhDarshanCounter *counter = &layout->counters[i];
		double value;
		if (counter->since > layout->version)
			continue;
		uint64_t bits = u64(reader, bytes);
		memcpy(&value, &bits, sizeof(value));
		if (!counter->is_real)
			value = (double) (int64_t) bits;
		PH_TRY(ph_darshan_cost(&reader->darshan, (PhSlice){counter->name, strlen(counter->name)},
							   value));
		bytes += 8;
	}
	return PH_OK;
}

static PhStatus
read_records(LogReader *reader, void *context)
{
	const Layout *layout = context;
	size_t size = 16;
	bool has;
	for (size_t i = 0; i < layout->n; i++)
		size += layout->counters[i].since <= layout->version ? 8 : 0;
	for (;;)
	{
		PH_TRY(ph_env_poll(reader->darshan.in.env));
		PH_TRY(ph_log_want(&reader->stream, size, &has));
		if (!has)
			return PH_OK;
		PH_TRY(read_record(reader, layout, reader->stream.at));
		ph_log_skip(&reader->stream, size);
	}
}

static PhStatus
read_module(LogReader *reader, uint32_t i)
{
	PhReading *in = &reader->darshan.in;
	const char *name = ph_darshan_module(&reader->header, i);
	Layout layout = {.module = name != NULL ? name : "of unknown name",
					 .version = reader->header.versions[i]};
	char what[64];
	bool is_there;
	if ((reader->header.partial >> i & 1) != 0)
		PH_TRY(ph_darshan_warn_partial(&reader->darshan, layout.module));
	if (reader->header.modules[i].size == 0)
		return PH_OK;
	snprintf(what, sizeof(what), "the records of module %s", layout.module);
	layout.counters = ph_darshan_counters(layout.module, layout.version, &layout.n);
	if (layout.counters != NULL)
		return read_region(reader, reader->header.modules[i], what, read_records, &layout);
	PH_TRY(find_region(reader, reader->header.modules[i], what, &is_there));
	return ph_run_warn(in->env, in->run,
					   "what module %s counted (version %u of its records) is left out",
					   layout.module, layout.version);
}

/* ---- all ---- */

static PhStatus
check_header(LogReader *reader)
{
	PhReading *in = &reader->darshan.in;
	if (!ph_darshan_is_log(in->input->data, in->input->size))
		return fail(reader, "it is no Darshan log of version 3");
	if (!ph_darshan_header(in->input->data, in->input->size, &reader->header))
		return fail(reader, "incomplete: it ends within its header");
	if (reader->header.compression > PH_DARSHAN_PLAIN)
		return fail(reader, "byte 16: it is compressed in a way that is not known");
	return PH_OK;
}

static PhStatus
read_all(void *context)
{
	LogReader *reader = context;
	PhDarshan *darshan = &reader->darshan;
	static const char version[] = "version";
	PH_TRY(check_header(reader));
	PH_TRY(ph_strings_init(&reader->strings, &darshan->in.arena));
	ph_map_init(&reader->names, &darshan->in.arena);
	PH_TRY(ph_darshan_begin(darshan));
	PH_TRY(ph_darshan_note(darshan, (PhSlice){version, sizeof(version) - 1},
						   (PhSlice){(const char *) darshan->in.input->data, 4}));
	PH_TRY(read_region(reader, reader->header.job, "what it says of the job", read_job, NULL));
	if (reader->header.names.size > 0)
		PH_TRY(read_region(reader, reader->header.names, "the names of files", read_names, NULL));
	for (uint32_t i = 0; i < reader->header.n_modules; i++)
		PH_TRY(read_module(reader, i));
	return ph_darshan_finish(darshan);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	LogReader reader = {.darshan.in = {.env = env, .input = input, .options = options, .run = out}};
	return ph_reading_do(&reader.darshan.in, read_all, &reader);
}

static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	(void) path;
	return ph_darshan_is_log(head, size);
}

const PhReader ph_reader_darshan = {
	.name = "darshan",
	.description = "logs of Darshan 3",
	.mark = "the first bytes of a log",
	.proof = "all that its header names is there and ends",
	.detect_file = detect,
	.read_file = read_file,
};
