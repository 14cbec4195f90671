/*
 * source.c - reader of OTF2 traces: an archive, or the Score-P experiment that it lies in.
 *
 * An archive is an anchor (NAME.otf2), global definitions (NAME.def) and a folder NAME with two
 * files a location. Score-P puts it into a directory of its own, mostly with a profile beside it
 * (profile.cubex): all that is one run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "readers/completeness.h"
#include "readers/cube/source.h"
#include "readers/experiment_folder.h"
#include "readers/input.h"
#include "readers/otf2/archive.h"
#include "readers/source_paths.h"
#include "system/memory.h"

#define ANCHOR_SUFFIX ".otf2"

/* ---- which files ---- */

/* By content; by name, too, so that a damaged anchor is called that. */
static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	static const char magic[] = "OTF2";

	if (size > 2 + sizeof(magic) && memcmp(head + 2, magic, sizeof(magic)) == 0)
		return true;
	return ph_has_suffix(path, ANCHOR_SUFFIX);
}

static int
is_anchor(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ph_has_suffix(entry->d_name, ANCHOR_SUFFIX);
}

static int
is_of_location(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
		   (ph_has_suffix(entry->d_name, ".evt") || ph_has_suffix(entry->d_name, ".def"));
}

/* The only anchor in it. */
static bool
detect_directory(const char *path)
{
	return ph_folder_has_only(path, is_anchor);
}

/* Files beside the anchor that belong to its run, when they are there. */
static PhStatus
add_companions(PhExperiment *experiment, const char *anchor)
{
	static const char *const names[] = {"profile.cubex", "scorep.cfg"};
	char directory[PATH_MAX];
	const char *slash = strrchr(anchor, '/');
	int length = slash == NULL ? 0 : (int) (slash - anchor) + 1;

	if (strcmp(anchor + length, "traces" ANCHOR_SUFFIX) != 0 || length >= PATH_MAX)
		return PH_OK;
	snprintf(directory, sizeof(directory), "%.*s", length, anchor);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		if (ph_folder_has_file(directory, names[i]))
			PH_TRY(ph_experiment_add(experiment, "%s%s", directory, names[i]));
	}
	return PH_OK;
}

/* folder: that of the locations' files, which a damaged archive may lack. */
static PhStatus
add_files(PhExperiment *experiment, const char *anchor, const char *folder)
{
	PhFolder locations;
	PhStatus status = PH_OK;

	PH_TRY(ph_experiment_add(experiment, "%s", anchor));
	PH_TRY(ph_experiment_add(experiment, "%s.def", folder));
	PH_TRY(add_companions(experiment, anchor));
	ph_folder_list(folder, is_of_location, &locations);
	for (int i = 0; i < locations.n && status == PH_OK; i++)
		status = ph_experiment_add(experiment, "%s/%s", folder, locations.entries[i]->d_name);
	ph_folder_close(&locations);
	ph_experiment_sort(experiment);
	return status;
}

static PhStatus
list_archive(PhEnv *env, const char *anchor, PhExperiment *experiment)
{
	PhStatus status;
	char *folder;

	if (!ph_has_suffix(anchor, ANCHOR_SUFFIX))
		return ph_fail_hint(env, PH_ERR_UNSUPPORTED, "Rename it, and its folder and .def file.",
							"%s: an archive's name ends with " ANCHOR_SUFFIX, anchor);
	folder = ph_strndup(anchor, strlen(anchor) - strlen(ANCHOR_SUFFIX));
	status = add_files(experiment, anchor, folder);
	free(folder);
	return status;
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	char *anchor;
	PhStatus status;

	PH_TRY(ph_folder_anchor(env, path, is_anchor, "archive has", &anchor));
	status = list_archive(env, anchor, experiment);
	free(anchor);
	return status;
}

/* ---- reading ---- */

static const char *
find_file(const PhExperiment *experiment, const char *suffix)
{
	for (size_t i = 0; i < experiment->n_files; i++)
	{
		if (ph_has_suffix(experiment->files[i], suffix))
			return experiment->files[i];
	}
	return NULL;
}

static int32_t
most_threads(const PhTraceModel *model)
{
	int32_t most = 0;

	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		if (model->locations[i].thread >= most)
			most = model->locations[i].thread + 1;
	}
	return most;
}

/* Say what a logical clock did, and what it could not do. */
static PhStatus
correct_clock(PhEnv *env, PhOtf2Archive *archive, PhRunInput *run)
{
	PhClockCounts counts;

	PH_TRY(ph_otf2_archive_correct(archive, &counts));
	if (counts.jumps > 0)
		PH_TRY(ph_run_warn(env, run,
						   "Times were moved forwards by up to %.1f us, so that %llu messages or "
						   "collectives are not received before they are sent.",
						   (double) counts.worst_shift * 1e-3,
						   (unsigned long long) counts.violations));
	if (counts.unsolved > 0)
		PH_TRY(ph_run_warn(env, run, "%llu of them depend on each other in a circle; they stay.",
						   (unsigned long long) counts.unsolved));
	return PH_OK;
}

/* "1795230167.929700000": seconds since 1970 of the first event. */
static PhStatus
set_start(PhEnv *env, const PhTraceModel *model, PhRunInput *run)
{
	char text[48];

	if (model->epoch_ns == PH_NO_TIME || ph_meta_get(&run->meta, "started_at") != NULL)
		return PH_OK;
	snprintf(text, sizeof(text), "%lld.%09lld", (long long) (model->epoch_ns / 1000000000),
			 (long long) (model->epoch_ns % 1000000000));
	return ph_meta_set(env, &run->meta, "started_at", text, true);
}

static PhStatus
read_settings(PhEnv *env, const PhExperiment *experiment, PhRunInput *run)
{
	const char *path = find_file(experiment, "/scorep.cfg");
	PhInput input;
	PhStatus status;

	if (path == NULL)
		return PH_OK;
	PH_TRY(ph_input_open(env, path, &input));
	status = ph_read_scorep_settings(env, &input, run);
	ph_input_close(&input);
	return status;
}

/* Which of its metrics join those of the trace: sums do. */
static PhStatus
describe_profile(PhEnv *env, PhRunInput *run)
{
	const PhProfile *profile = run->beside;
	uint32_t n_sums = 0;
	char text[160];

	for (uint32_t m = 0; m < profile->n_metrics; m++)
		n_sums += profile->metrics[m].kind == PH_METRIC_FLOW;
	snprintf(
		text, sizeof(text),
		"profile.cubex: %u metrics attached to the trace's call paths, %u left out that are no "
		"sums",
		n_sums, profile->n_metrics - n_sums);
	return ph_meta_set(env, &run->meta, "otf2.profile", text, false);
}

/* The profile, and what its file lacks. */
static PhStatus
take_beside(PhEnv *env, PhRunInput *beside, PhRunInput *run)
{
	PhStatus status = PH_OK;

	for (size_t i = 0; i < beside->n_missing && status == PH_OK; i++)
		status = ph_run_missing(env, run, "%s", beside->missing[i]);
	run->beside = ph_run_input_take_profile(env, beside);
	return status == PH_OK ? describe_profile(env, run) : status;
}

/* A profile that cannot be read is missing; the trace can be loaded without. */
static PhStatus
read_profile(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
			 PhRunInput *run)
{
	const char *path = find_file(experiment, "/profile.cubex");
	PhRunInput beside = {0};
	char why[PH_ERROR_MAX];
	PhStatus status;

	if (path == NULL)
		return PH_OK;
	status = ph_read_cube_file(env, path, options, &beside);
	if (status == PH_OK)
		return take_beside(env, &beside, run);
	if (status == PH_ERR_MEMORY || status == PH_ERR_INTERRUPTED || status == PH_ERR_INTERNAL)
		return status;
	snprintf(why, sizeof(why), "%s", env->error.message);
	env->error = (PhError){0};
	return ph_run_missing(env, run, "the profile beside the trace cannot be read (%s)", why);
}

/* Score-P's archives are all called traces.otf2: their directory says more. */
static PhStatus
set_title(PhEnv *env, const char *path, PhRunInput *run)
{
	const char *name = "/traces" ANCHOR_SUFFIX;
	size_t length = strlen(path);
	char *directory;
	PhStatus status;

	if (!ph_has_suffix(path, name))
		return PH_OK;
	directory = ph_strndup(path, length - strlen(name));
	status = ph_utf8_valid(directory, strlen(directory))
				 ? ph_run_strdup(env, ph_path_base(directory), &run->title)
				 : PH_OK;
	free(directory);
	return status;
}

/* A file that is not there or empty fails when it is read, if it is needed. */
static PhStatus
has_end_mark(PhEnv *env, const char *path, bool *has)
{
	static const uint8_t mark[] = {2, 1, 0}; /* end of the chunk, end of the file; the anchor: 0 */
	size_t n = ph_has_suffix(path, ANCHOR_SUFFIX) ? 3 : 2;
	struct stat status;
	PhInput input;

	*has = true;
	if (stat(path, &status) != 0 || status.st_size == 0)
		return PH_OK;
	PH_TRY(ph_input_open(env, path, &input));
	*has = input.size >= n && memcmp(input.data + input.size - n, mark, n) == 0;
	ph_input_close(&input);
	return PH_OK;
}

/* Files without an end mark. */
typedef struct Unmarked
{
	uint32_t n;
	const char *first;
} Unmarked;

/* Of the anchor, or of the files with events and definitions. */
static PhStatus
find_unmarked(PhEnv *env, const PhExperiment *experiment, bool anchors, Unmarked *out)
{
	*out = (Unmarked){0};
	for (size_t i = 0; i < experiment->n_files; i++)
	{
		const char *path = experiment->files[i];
		bool has = true;

		if (anchors ? ph_has_suffix(path, ANCHOR_SUFFIX)
					: ph_has_suffix(path, ".evt") || ph_has_suffix(path, ".def"))
			PH_TRY(has_end_mark(env, path, &has));
		if (!has && out->n++ == 0)
			out->first = path;
	}
	return PH_OK;
}

/*
 * libotf2 reads chunks into memory that it does not clear, and does not look at how much it got:
 * what is behind the end of a file that was cut is what the memory held, of the same file of
 * another archive it may be whole chunks, without end. Memory that is new from the system is zero.
 */
static void
take_new_memory_for_chunks(void)
{
	(void) mallopt(M_MMAP_THRESHOLD, OTF2_CHUNK_SIZE_MIN / 2);
}

/*
 * libotf2 does not look for it when it has read all that is declared. The anchor is never
 * compressed.
 */
static PhStatus
note_unmarked(PhEnv *env, const Unmarked *anchors, const Unmarked *parts, bool is_compressed,
			  PhRunInput *run)
{
	uint32_t n = anchors->n + (is_compressed ? 0 : parts->n);

	if (n == 0)
		return PH_OK;
	return ph_run_missing(env, run, "%u of its files have no end mark (the first: %s)", n,
						  anchors->n > 0 ? anchors->first : parts->first);
}

static PhStatus
read_all(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options, PhRunInput *run)
{
	const char *anchor = find_file(experiment, ANCHOR_SUFFIX);
	PhOtf2Archive *archive;
	const PhTraceModel *model;
	Unmarked anchors, parts;

	if (anchor == NULL)
		return ph_fail(env, PH_ERR_NOT_FOUND, "%s: holds no archive", experiment->path);
	PH_TRY(find_unmarked(env, experiment, true, &anchors));
	PH_TRY(find_unmarked(env, experiment, false, &parts));
	if (anchors.n + parts.n > 0)
		take_new_memory_for_chunks();
	PH_TRY(ph_otf2_archive_open(env, anchor, run, &archive));
	run->trace = &archive->source;
	PH_TRY(note_unmarked(env, &anchors, &parts, archive->is_compressed, run));
	model = &run->trace->model;
	PH_TRY(ph_otf2_archive_settle(archive, options->clock_offsets));
	if (options->logical_clock)
		PH_TRY(correct_clock(env, archive, run));
	PH_TRY(ph_otf2_count_launches(archive));
	if (model->n_ranks > 0)
		run->n_ranks = (int32_t) (archive->n_run_ranks > 0 && archive->n_run_ranks < model->n_ranks
									  ? archive->n_run_ranks
									  : model->n_ranks);
	if (most_threads(model) > 0)
		run->n_threads = most_threads(model);
	PH_TRY(set_title(env, experiment->path, run));
	PH_TRY(set_start(env, model, run));
	PH_TRY(read_settings(env, experiment, run));
	return read_profile(env, experiment, options, run);
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PhStatus status;

	*out = ph_run_input_new();
	status = read_all(env, experiment, options, out);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

const PhReader ph_reader_otf2 = {
	.name = "otf2",
	.description = "OTF2 trace archive, or a Score-P experiment directory with one",
	.mark = "the anchor file (*.otf2, or OTF2 in its first bytes); folders: one such file in it",
	.proof = "every location has the events that the definitions declare, and its files end with "
			 "their end mark",
	.detect_file = detect_file,
	.detect_directory = detect_directory,
	.is_anchor = true,
	.list_files = list_files,
	.read = read_experiment,
};
