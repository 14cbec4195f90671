/*
 * source.c - from what the user names to experiments: expansion of paths, detection by content.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/source.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vector.h"
#include "readers/experiment_folder.h"
#include "readers/input.h"
#include "readers/known_format.h"
#include "readers/record.h"
#include "readers/source_paths.h"
#include "system/memory.h"
#include "system/paths.h"

#define PH_HEAD_SIZE 4096 /* bytes that detection looks at */
#define PH_MAX_DEPTH 32	  /* levels of folders below what the user named */

const PhReader *const ph_readers[] = {&ph_reader_otf2,		   &ph_reader_tasks,
									  &ph_reader_speedscope,   &ph_reader_table,
									  &ph_reader_ramble,	   &ph_reader_reframe_report,
									  &ph_reader_reframe_log,  &ph_reader_exacb,
									  &ph_reader_exacb_table,  &ph_reader_hpctoolkit,
									  &ph_reader_hpctoolkit4,  &ph_reader_hpctoolkit4_trace,
									  &ph_reader_caliper_cali, &ph_reader_caliper_json,
									  &ph_reader_hatchet_json, &ph_reader_pyinstrument,
									  &ph_reader_timemory,	   &ph_reader_talp,
									  &ph_reader_cube,		   &ph_reader_tau,
									  &ph_reader_projections,  &ph_reader_pprof,
									  &ph_reader_otlp,		   &ph_reader_cprofile,
									  &ph_reader_darshan,	   &ph_reader_darshan_text,
									  &ph_reader_chrome,	   &ph_reader_gprof,
									  &ph_reader_gprof2dot,	   &ph_reader_nsight,
									  &ph_reader_rocpd,		   &ph_reader_perf_script,
									  &ph_reader_folded,	   NULL};

/* What ph_source_expand collects. */
typedef struct Expansion
{
	PhArena *arena;
	PhEnv *env; /* the arena's */
	const PhReader *forced;
	PhExperiment *list;
	uint32_t n, capacity;
	PhUnreadList unread;
} Expansion;

static PhStatus
find_format(PhEnv *env, const char *format, const PhReader **out)
{
	char known[PH_ERROR_MAX] = "";
	for (size_t i = 0; ph_readers[i] != NULL; i++)
	{
		if (strcmp(ph_readers[i]->name, format) == 0)
		{
			*out = ph_readers[i];
			return PH_OK;
		}
		size_t used = strlen(known);
		snprintf(known + used, sizeof(known) - used, "%s%s",
				 i > 0 ? ", " : "Known formats: ", ph_readers[i]->name);
	}
	strncat(known, ".", sizeof(known) - strlen(known) - 1);
	return ph_fail_hint(env, PH_ERR_NOT_FOUND, known, "unknown format \"%s\"", format);
}

static const PhReader *
detect_file(const char *path, const uint8_t *head, size_t size)
{
	for (size_t i = 0; ph_readers[i] != NULL; i++)
		if (ph_readers[i]->detect_file != NULL && ph_readers[i]->detect_file(path, head, size))
			return ph_readers[i];
	return NULL;
}

static const PhReader *
detect_directory(const Expansion *expansion, const char *path)
{
	for (size_t i = 0; ph_readers[i] != NULL; i++)
	{
		const PhReader *reader = ph_readers[i];
		bool wanted = expansion->forced == NULL || expansion->forced == reader;
		if (wanted && reader->detect_directory != NULL && reader->detect_directory(path))
			return reader;
	}
	return NULL;
}

static PhStatus add_unread(Expansion *expansion, PhUnreadKind kind, const char *path,
						   const char *format, ...) PH_PRINTF(4, 5);

static PhStatus
add_unread(Expansion *expansion, PhUnreadKind kind, const char *path, const char *format, ...)
{
	PhUnreadList *list = &expansion->unread;
	char reason[PH_ERROR_MAX];
	va_list arguments;
	PhUnread *item;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	PH_TRY(PH_GROW(expansion->arena, &list->items, list->n, &list->capacity));
	item = &list->items[list->n];
	*item = (PhUnread){.kind = kind};
	PH_TRY(ph_arena_strndup(expansion->arena, path, strlen(path), &item->path));
	PH_TRY(ph_arena_strndup(expansion->arena, reason, strlen(reason), &item->reason));
	list->n++;
	list->n_unknown += kind == PH_UNREAD_UNKNOWN || kind == PH_UNREAD_KNOWN;
	return PH_OK;
}

/* ---- what lies beside an experiment ---- */

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static bool
is_consumed(const PhExperiment *experiment, char *const *sorted, const char *path)
{
	return bsearch(&path, sorted, experiment->n_files, sizeof(*sorted), compare_paths) != NULL;
}

/* Files of a folder that is one experiment, but are none of its files. */
static PhStatus
list_rest(Expansion *expansion, const PhExperiment *experiment)
{
	char *roots[] = {experiment->path, NULL};
	char **sorted = ph_must_alloc(experiment->n_files + 1, sizeof(*sorted));
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	PhStatus status = PH_OK;
	FTSENT *file;

	memcpy(sorted, experiment->files, experiment->n_files * sizeof(*sorted));
	qsort(sorted, experiment->n_files, sizeof(*sorted), compare_paths);
	while (walk != NULL && status == PH_OK && (file = fts_read(walk)) != NULL)
		if (file->fts_info == FTS_F && !is_consumed(experiment, sorted, file->fts_path))
			status = add_unread(expansion, PH_UNREAD_PASSED_OVER, file->fts_path,
								"not part of the %s experiment that its folder is",
								experiment->reader->name);
	if (walk != NULL)
		fts_close(walk);
	free(sorted);
	return status;
}

/* ---- expansion ---- */

static PhStatus
add_experiment(Expansion *expansion, const PhReader *reader, const char *path, bool directory)
{
	PH_TRY(PH_GROW(expansion->arena, &expansion->list, expansion->n, &expansion->capacity));
	PhExperiment *experiment = &expansion->list[expansion->n];
	*experiment = (PhExperiment){.reader = reader, .arena = expansion->arena};
	PH_TRY(ph_arena_strndup(expansion->arena, path, strlen(path), &experiment->path));
	expansion->n++;
	if (!directory && !reader->is_anchor)
		return ph_experiment_add(experiment, "%s", path);
	PH_TRY(reader->list_files(expansion->env, path, experiment));
	return directory ? list_rest(expansion, experiment) : PH_OK;
}

/* ---- records of a harness ---- */

/* "FILE:LINE" or "FILE#NAME": what the user sees, and no two of a file are the same. */
static PhStatus
record_path(Expansion *expansion, const char *path, const PhRecord *record, uint32_t number,
			char **out)
{
	char *text = record->line > 0 ? ph_format("%s:%llu", path, (unsigned long long) record->line)
				 : record->name != NULL ? ph_format("%s#%u %s", path, number + 1, record->name)
										: ph_format("%s#%u", path, number + 1);
	PhStatus status = ph_arena_strndup(expansion->arena, text, strlen(text), out);

	free(text);
	return status;
}

/* Those that failed or have no figure only describe profiles that they belong to. */
static PhStatus
add_record(Expansion *expansion, const PhReader *reader, const char *path, const PhRecord *record,
		   uint32_t number)
{
	char *name;

	PH_TRY(record_path(expansion, path, record, number, &name));
	PH_TRY(PH_GROW(expansion->arena, &expansion->list, expansion->n, &expansion->capacity));
	PhExperiment *experiment = &expansion->list[expansion->n];
	*experiment =
		(PhExperiment){.reader = reader, .path = name, .record = record, .arena = expansion->arena};
	expansion->n++;
	return ph_experiment_add(experiment, "%s", path);
}

static PhStatus
add_records(Expansion *expansion, const PhReader *reader, const char *path)
{
	PhRecordList records = {0};
	PhInput input;
	PhStatus status;

	PH_TRY(ph_input_open(expansion->env, path, &input));
	status = reader->read_records(expansion->arena, &input, &records);
	ph_input_close(&input);
	for (uint32_t i = 0; status == PH_OK && i < records.n; i++)
		status = add_record(expansion, reader, path, &records.list[i], i);
	if (status == PH_OK && records.n_skipped > 0)
		status =
			add_unread(expansion, PH_UNREAD_PASSED_OVER, path,
					   "%u of its lines are not as long as the first one says", records.n_skipped);
	return status;
}

/* JSON or a list that ends before its last bracket: its head did not tell the format. */
static bool
is_cut_json(const char *path, const uint8_t *head, ssize_t size)
{
	struct stat status;
	ssize_t end = size;

	while (end > 0 && strchr(" \t\r\n", head[end - 1]) != NULL)
		end--;
	return end > 0 && (head[0] == '{' || head[0] == '[') && head[end - 1] != '}' &&
		   head[end - 1] != ']' && stat(path, &status) == 0 && status.st_size == size;
}

static PhStatus
named_file_unknown(PhEnv *env, const char *path, const uint8_t *head, ssize_t size)
{
	const PhKnownFormat *known = size > 0 ? ph_known_format(path, head, (size_t) size) : NULL;

	if (size < 0)
		return ph_fail_hint(env, ph_input_errno_status(errno),
							"Check the path and that this user may read it.", "%s: cannot read: %s",
							path, strerror(errno));
	if (size == 0)
		return ph_fail(env, PH_ERR_FORMAT, "%s: file is empty", path);
	if (known != NULL)
		return ph_fail_hint(env, PH_ERR_UNSUPPORTED, known->advice == NULL ? "" : known->advice,
							"%s: %s: known, but not read", path, known->name);
	if (is_cut_json(path, head, size))
		return ph_fail_hint(env, PH_ERR_FORMAT, "Copy or write it again.",
							"%s: incomplete: it ends within a JSON value", path);
	return ph_fail_hint(env, PH_ERR_UNSUPPORTED,
						"perfhouse load --formats lists those that are read; --format forces one.",
						"%s: no reader knows this format", path);
}

/* A file below a named folder that becomes no experiment. */
static PhStatus
note_unread(Expansion *expansion, const char *path, const uint8_t *head, ssize_t size)
{
	const PhKnownFormat *known;
	int error = errno;

	if (size < 0)
	{
		PH_TRY(add_unread(expansion, PH_UNREAD_ERROR, path, "cannot be read: %s", strerror(error)));
		expansion->unread.items[expansion->unread.n - 1].status = ph_input_errno_status(error);
		return PH_OK;
	}
	if (expansion->forced != NULL)
		return add_unread(expansion, PH_UNREAD_UNKNOWN, path, "not of the format %s",
						  expansion->forced->name);
	if (size == 0)
		return add_unread(expansion, PH_UNREAD_UNKNOWN, path, "empty");
	known = ph_known_format(path, head, (size_t) size);
	if (known == NULL)
		return add_unread(expansion, PH_UNREAD_UNKNOWN, path, "of no known format");
	PH_TRY(add_unread(expansion, PH_UNREAD_KNOWN, path, "%s: known, but not read%s%s", known->name,
					  known->advice != NULL ? ". " : "",
					  known->advice != NULL ? known->advice : ""));
	expansion->unread.items[expansion->unread.n - 1].format = known->name;
	return PH_OK;
}

bool
ph_is_sidecar(const char *path)
{
	size_t length = strlen(path);
	return length > strlen(PH_SIDECAR) &&
		   strcmp(path + length - strlen(PH_SIDECAR), PH_SIDECAR) == 0;
}

/* Is there a file or folder NAME or NAME.EXT beside the sidecar NAME.meta.json? */
static bool
describes_something(const char *path)
{
	const char *base = ph_path_base(path);
	size_t n = strlen(base) - strlen(PH_SIDECAR);
	char *folder = ph_strndup(path, (size_t) (base - path));
	DIR *entries = opendir(folder[0] != '\0' ? folder : ".");
	bool found = entries == NULL;

	for (struct dirent *entry; !found && (entry = readdir(entries)) != NULL;)
		found = strncmp(entry->d_name, base, n) == 0 && !ph_is_sidecar(entry->d_name) &&
				(entry->d_name[n] == '\0' ||
				 (entry->d_name[n] == '.' && strchr(entry->d_name + n + 1, '.') == NULL));
	if (entries != NULL)
		closedir(entries);
	free(folder);
	return found;
}

/* Texts that people put beside data. */
static bool
is_documentation(const char *path)
{
	static const char *const names[] = {"README", "LICENSE", "LICENCE", "COPYING", "NOTICE"};
	const char *base = ph_path_base(path);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		size_t n = strlen(names[i]);
		if (strncmp(base, names[i], n) == 0 && (base[n] == '\0' || base[n] == '.'))
			return true;
	}
	return false;
}

/* What harnesses put beside the data: scripts, output, their own notes. */
static bool
is_of_harness(const char *path)
{
	const char *base = ph_path_base(path);
	char *inventory = ph_format("%.*sramble_inventory.json", (int) (base - path), path);
	bool found = strncmp(base, "rfm_", 4) == 0 || access(inventory, F_OK) == 0;

	free(inventory);
	return found;
}

/* named: the user gave this very path, so that not knowing it is an error. */
static PhStatus
expand_file(Expansion *expansion, const char *path, bool named)
{
	uint8_t head[PH_HEAD_SIZE];
	if (!named && ph_is_sidecar(path))
		return describes_something(path)
				   ? PH_OK
				   : add_unread(expansion, PH_UNREAD_UNKNOWN, path,
								"a sidecar, but what it describes is not beside it");
	ssize_t size = ph_file_head(path, head, sizeof(head));
	const PhReader *reader = size > 0 ? detect_file(path, head, (size_t) size) : NULL;
	if (expansion->forced != NULL)
	{
		bool usable = size > 0 && (named || reader == expansion->forced);
		reader = usable && expansion->forced->detect_file != NULL ? expansion->forced : NULL;
	}
	if (reader != NULL)
		return reader->read_records != NULL ? add_records(expansion, reader, path)
											: add_experiment(expansion, reader, path, false);
	if (named)
		return named_file_unknown(expansion->env, path, head, size);
	if (is_documentation(path))
		return add_unread(expansion, PH_UNREAD_PASSED_OVER, path, "says of the data, holds none");
	if (is_of_harness(path))
		return add_unread(expansion, PH_UNREAD_PASSED_OVER, path, "of the harness that ran it");
	return note_unread(expansion, path, head, size);
}

/* A folder whose entries are being visited. */
typedef struct Visit
{
	char *path;
	PhFolder folder;
	int next;
} Visit;

/* Hidden ones, too: they are named as not read. */
static int
is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static PhStatus
begin_visit(PhEnv *env, const char *path, Visit *out)
{
	*out = (Visit){.path = ph_strdup(path)};
	PhStatus status = ph_folder_open(env, path, is_entry, &out->folder);
	if (status != PH_OK)
		free(out->path);
	return status;
}

static void
end_visit(Visit *visit)
{
	ph_folder_close(&visit->folder);
	free(visit->path);
}

/* Open the folder at path on top of the stack, or take it as one experiment. */
static PhStatus
enter_folder(Expansion *expansion, const char *path, Visit *stack, size_t *depth)
{
	const PhReader *reader = detect_directory(expansion, path);
	if (reader != NULL)
		return add_experiment(expansion, reader, path, true);
	if (*depth == PH_MAX_DEPTH)
		return ph_fail(expansion->env, PH_ERR_LIMIT, "%s: directories are nested deeper than %d",
					   path, PH_MAX_DEPTH);
	PH_TRY(begin_visit(expansion->env, path, &stack[*depth]));
	(*depth)++;
	return PH_OK;
}

/*
 * A file below a named folder. One whose reader cannot even list what is in it, such as a harness's
 * records that end within a value, is one that is not read: the others are.
 */
static PhStatus
expand_entry(Expansion *expansion, const char *path)
{
	uint32_t n = expansion->n;
	PhStatus status = expand_file(expansion, path, false);
	PhError *error = &expansion->env->error;
	size_t length = strlen(path);
	bool names_file = strncmp(error->message, path, length) == 0 && error->message[length] == ':';

	if (status == PH_OK || status == PH_ERR_INTERRUPTED || status == PH_ERR_MEMORY)
		return status;
	expansion->n = n;
	PH_TRY(add_unread(expansion, PH_UNREAD_ERROR, path, "%s",
					  error->message +
						  (names_file ? length + strspn(error->message + length, ": ") : 0)));
	expansion->unread.items[expansion->unread.n - 1].status = status;
	*error = (PhError){0};
	return PH_OK;
}

static PhStatus
visit_entry(Expansion *expansion, const char *path, Visit *stack, size_t *depth)
{
	struct stat status;
	if (ph_path_base(path)[0] == '.')
		return add_unread(expansion, PH_UNREAD_PASSED_OVER, path, "hidden");
	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && stat(path, &status) == 0 &&
		S_ISDIR(status.st_mode)) /* could be circular */
		return add_unread(expansion, PH_UNREAD_PASSED_OVER, path, "a link to a folder");
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return enter_folder(expansion, path, stack, depth);
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return add_unread(expansion, PH_UNREAD_PASSED_OVER, path, "not a regular file");
	return expand_entry(expansion, path);
}

static PhStatus
expand_folder(Expansion *expansion, const char *path)
{
	Visit stack[PH_MAX_DEPTH];
	size_t depth = 0;
	PhStatus status = enter_folder(expansion, path, stack, &depth);
	while (status == PH_OK && depth > 0)
	{
		Visit *visit = &stack[depth - 1];
		if (visit->next == visit->folder.n)
		{
			end_visit(visit);
			depth--;
			continue;
		}
		const char *name = visit->folder.entries[visit->next++]->d_name;
		char *child = ph_format("%s/%s", visit->path, name);
		status = visit_entry(expansion, child, stack, &depth);
		free(child);
	}
	while (depth > 0)
		end_visit(&stack[--depth]);
	return status;
}

PhStatus
ph_unread_check(PhEnv *env, const PhUnreadList *unread)
{
	for (uint32_t i = 0; i < unread->n; i++)
		if (unread->items[i].kind == PH_UNREAD_ERROR)
			return ph_fail_hint(env, unread->items[i].status,
								"Check that it is whole and that this user may read it.", "%s: %s",
								unread->items[i].path, unread->items[i].reason);
	return PH_OK;
}

/* Nothing of a folder can be loaded: what it holds instead, if that has a name. */
static PhStatus
nothing_found(const Expansion *expansion, const char *path)
{
	const PhUnreadList *unread = &expansion->unread;
	size_t n_known = 0;
	const PhUnread *first = NULL;

	PH_TRY(ph_unread_check(expansion->env, unread));
	for (uint32_t i = 0; i < unread->n; i++)
	{
		n_known += unread->items[i].kind == PH_UNREAD_KNOWN;
		if (first == NULL && unread->items[i].kind == PH_UNREAD_KNOWN)
			first = &unread->items[i];
	}
	if (first != NULL)
		return ph_fail_hint(
			expansion->env, PH_ERR_UNSUPPORTED,
			"perfhouse load --formats lists those that are read.",
			"%s: no file below it is in a format that is read (%zu looked at; %zu are "
			"known, as %s: %s)",
			path, unread->n_unknown, n_known, ph_path_base(first->path), first->format);
	return ph_fail_hint(
		expansion->env, PH_ERR_UNSUPPORTED, "perfhouse load --formats lists those that are read.",
		"%s: no file below it is in a known format (%zu looked at)", path, unread->n_unknown);
}

static int
compare_experiments(const void *a, const void *b)
{
	const PhExperiment *x = a, *y = b;
	if (x->record != NULL && y->record != NULL && strcmp(x->files[0], y->files[0]) == 0)
		return (x->record > y->record) - (x->record < y->record); /* as in their file */
	return strcmp(x->path, y->path);
}

static PhStatus
expand(Expansion *expansion, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return ph_fail_hint(expansion->env, ph_input_errno_status(errno), "Check the path.",
							"%s: %s", path, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return expand_file(expansion, path, true);
	PH_TRY(expand_folder(expansion, path));
	if (expansion->n == 0)
		return nothing_found(expansion, path);
	qsort(expansion->list, expansion->n, sizeof(PhExperiment), compare_experiments);
	return PH_OK;
}

PhStatus
ph_source_expand(PhArena *arena, const char *path, const char *format, PhExperiment **experiments,
				 size_t *n_experiments, PhUnreadList *unread)
{
	Expansion expansion = {.arena = arena, .env = arena->env};
	PhStatus status;

	*unread = (PhUnreadList){0};
	if (format != NULL)
		PH_TRY(find_format(arena->env, format, &expansion.forced));
	status = expand(&expansion, path);
	*unread = expansion.unread;
	PH_TRY(status);
	*experiments = expansion.list;
	*n_experiments = expansion.n;
	return PH_OK;
}

PhStatus
ph_experiment_read(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				   PhRunInput *out)
{
	const PhReader *reader = experiment->reader;
	if (experiment->record != NULL)
		return ph_record_run(env, experiment->record, out);
	if (reader->read_file == NULL || experiment->n_files > 1)
		return reader->read(env, experiment, options, out);
	PhInput input;
	PH_TRY(ph_input_open(env, experiment->files[0], &input));
	PhStatus status = reader->read_file(env, &input, options, out);
	ph_input_close(&input);
	return status;
}
