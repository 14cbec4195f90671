/*
 * model.c - from what the file named to the trace's model: regions, ranks, threads and streams as
 * locations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "base/min_max.h"
#include "base/name_set.h"
#include "base/sort.h"
#include "readers/chrome/chrome.h"
#include "readers/json_scan.h"
#include "system/utf8_text.h"
#include "trace/chunk/device_records.h"

/* ---- texts ---- */

/* A copy in which bytes that are no UTF-8 are U+FFFD, and zeros are blanks. */
static PhStatus
mend_text(PhArena *arena, const char *text, size_t size, char **out)
{
	char *copy, *valid;
	PhStatus status;

	PH_TRY(ph_arena_strndup(arena, text, size, &copy));
	*out = copy;
	if (ph_utf8_valid(copy, size))
		return PH_OK;
	for (size_t i = 0; i < size; i++)
		copy[i] = copy[i] == '\0' ? ' ' : copy[i];
	valid = ph_text_valid(copy);
	status = ph_arena_strndup(arena, valid, strlen(valid), out);
	free(valid);
	return status;
}

/* Escapes that JSON does not have stay as they stand. */
PhStatus
ph_chrome_decode(PhChrome *chrome, const char *text, size_t size, const char **out)
{
	PhInput input;
	PhJsonScan json = {.env = chrome->spans.env, .input = &input};
	char *mended;
	PhStatus status;

	PH_TRY(mend_text(&chrome->spans.arena, text, size, &mended));
	*out = mended;
	if (strchr(mended, '\\') == NULL)
		return PH_OK;
	input = ph_input_lend(ph_chrome_file(chrome)->path, mended, strlen(mended));
	status = ph_json_unescape(
		&json, &chrome->spans.arena,
		&(PhJsonText){.text = mended, .size = strlen(mended), .escaped = true}, (char **) out);
	if (status != PH_ERR_FORMAT)
		return status;
	chrome->spans.env->error = (PhError){0};
	return PH_OK;
}

static PhStatus
decode_string(PhChrome *chrome, uint32_t string, const char **out)
{
	const char *text = chrome->strings.text[string];

	return ph_chrome_decode(chrome, text, strlen(text), out);
}

/* ---- regions ---- */

/* "module.py(1501): forward" is function forward in line 1501 of the file; else the name stays. */
static PhStatus
split_python(PhArena *arena, PhTraceRegion *region)
{
	const char *end = strstr(region->name, "): ");
	const char *digits = end;
	int64_t line;
	char *file;

	if (end == NULL)
		return PH_OK;
	while (digits > region->name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end || digits < region->name + 2 || digits[-1] != '(' ||
		!ph_parse_int64(digits, (size_t) (end - digits), &line) || line > INT32_MAX)
		return PH_OK;
	PH_TRY(ph_arena_strndup(arena, region->name, (size_t) (digits - 1 - region->name), &file));
	region->file = file;
	region->line = (int32_t) line;
	region->name = end + 3;
	return PH_OK;
}

/* "Memcpy HtoD (Pinned -> Device)": what kind of memory it was does not make another copy. */
static PhStatus
name_copy(PhArena *arena, const char *name, const char **out)
{
	static const char prefix[] = "Memcpy ";
	const char *direction = name + sizeof(prefix) - 1;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return PH_OK;
	return ph_arena_printf(arena, out, "memcpy %.*s", (int) strcspn(direction, " ("), direction);
}

static PhStatus
describe_activity(PhChrome *chrome, PhChromeClass class, uint32_t collective, PhTraceRegion *out)
{
	out->paradigm = chrome->is_hip ? "hip" : "cuda";
	out->role = collective == PH_COLLECTIVE_KERNEL ? PH_ROLE_COLLECTIVE : PH_ROLE_KERNEL;
	if (class == PH_CLASS_COPY)
	{
		out->role = PH_ROLE_COPY;
		return name_copy(&chrome->spans.arena, out->name, &out->name);
	}
	if (class == PH_CLASS_SET)
	{
		out->role = PH_ROLE_SET;
		if (strncmp(out->name, "Memset", 6) == 0)
			out->name = "memset";
	}
	return PH_OK;
}

/* What a call is by its category. Of other programs' traces the category is the library: it is how
 * they group their calls. */
static PhStatus
describe_region(PhChrome *chrome, uint32_t number, const char *name, PhTraceRegion *out)
{
	uint32_t category = (uint32_t) (chrome->region_of.keys[number] >> 32);
	PhChromeClass class;

	PH_TRY(ph_chrome_class(chrome, category, &class));
	*out = (PhTraceRegion){.kind = PH_KIND_FUNCTION,
						   .name = name[0] != '\0' ? name : "unnamed",
						   .file = "",
						   .library = "",
						   .line = PH_NO_NUMBER,
						   .paradigm = "user",
						   .role = "function"};
	switch (class)
	{
		case PH_CLASS_OPERATOR:
			out->library = "PyTorch";
			out->paradigm = "pytorch";
			return PH_OK;
		case PH_CLASS_ANNOTATION:
			out->kind = PH_KIND_REGION;
			out->role = "code";
			return PH_OK;
		case PH_CLASS_PYTHON:
			out->paradigm = "python";
			return split_python(&chrome->spans.arena, out);
		case PH_CLASS_API:
			out->paradigm = strncmp(name, "hip", 3) == 0 ? "hip" : "cuda";
			out->library = strncmp(name, "hip", 3) == 0 ? "HIP" : "CUDA";
			return PH_OK;
		case PH_CLASS_KERNEL:
		case PH_CLASS_COPY:
		case PH_CLASS_SET:
			if (chrome->spans.launches.activities.count > 0)
				return describe_activity(chrome, class, chrome->collectives.items[number], out);
			return decode_string(chrome, category, &out->library);
		default:
			return decode_string(chrome, category, &out->library);
	}
}

/* AMD's library is told from NVIDIA's by the names of its functions. */
static PhStatus
find_hip(PhChrome *chrome)
{
	for (uint32_t i = 0; i < chrome->region_of.count && !chrome->is_hip; i++)
	{
		uint64_t key = chrome->region_of.keys[i];
		PhChromeClass class;

		PH_TRY(ph_chrome_class(chrome, (uint32_t) (key >> 32), &class));
		chrome->is_hip =
			class == PH_CLASS_API && strncmp(chrome->strings.text[(uint32_t) key], "hip", 3) == 0;
	}
	return PH_OK;
}

/* What makes two regions one. */
typedef struct RegionKey
{
	uint32_t kind, name, library, file, role;
	int32_t line;
} RegionKey;

/* The same region by two spellings, or of two categories, is one. */
static PhStatus
find_same(PhStrings *strings, PhRecords *known, const PhTraceRegion *region, uint32_t *out)
{
	RegionKey key = {.kind = region->kind, .line = region->line};

	PH_TRY(ph_strings_intern(strings, region->name, &key.name));
	PH_TRY(ph_strings_intern(strings, region->library, &key.library));
	PH_TRY(ph_strings_intern(strings, region->file, &key.file));
	PH_TRY(ph_strings_intern(strings, region->role, &key.role));
	return ph_records_intern(known, &key, out);
}

static PhStatus
add_regions(PhChrome *chrome)
{
	PhTraceModel *model = &chrome->spans.source.model;
	uint32_t n = chrome->region_of.count;
	uint32_t *regions;
	PhStrings strings;
	PhRecords known;

	PH_TRY(find_hip(chrome));
	PH_TRY(ph_strings_init(&strings, &chrome->spans.arena));
	ph_records_init(&known, &chrome->spans.arena, sizeof(RegionKey));
	PH_TRY(PH_NEW(&chrome->spans.arena, n, &model->regions));
	PH_TRY(PH_NEW(&chrome->spans.arena, n, &regions));
	chrome->spans.regions = regions;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t key = chrome->region_of.keys[i];
		PhTraceRegion region;
		const char *name;

		PH_TRY(ph_env_poll(chrome->spans.env));
		PH_TRY(decode_string(chrome, (uint32_t) key, &name));
		PH_TRY(describe_region(chrome, i, name, &region));
		PH_TRY(find_same(&strings, &known, &region, &regions[i]));
		if (regions[i] == model->n_regions)
			model->regions[model->n_regions++] = region;
	}
	return PH_OK;
}

/* ---- order of threads and streams ---- */

/* Numbers before texts, both ascending. */
static int
compare_texts(const PhChrome *chrome, uint32_t x, uint32_t y)
{
	const char *a = chrome->strings.text[x];
	const char *b = chrome->strings.text[y];
	int64_t i, k;
	bool is_a = ph_parse_int64(a, strlen(a), &i);
	bool is_b = ph_parse_int64(b, strlen(b), &k);

	if (is_a != is_b)
		return is_a ? -1 : 1;
	if (is_a && i != k)
		return i < k ? -1 : 1;
	return strcmp(a, b);
}

/* On Linux the thread whose number is its process's is the first one. */
static bool
is_main(const PhChrome *chrome, const PhChromeTrack *thread)
{
	return thread->text == chrome->processes.items[thread->process].text;
}

/* By process, then the main thread, then the others. */
static int
compare_threads(const PhChrome *chrome, const PhChromeTrack *a, const PhChromeTrack *b)
{
	if (a->process != b->process)
		return compare_texts(chrome, chrome->processes.items[a->process].text,
							 chrome->processes.items[b->process].text);
	if (is_main(chrome, a) != is_main(chrome, b))
		return is_main(chrome, a) ? -1 : 1;
	return compare_texts(chrome, a->text, b->text);
}

static int
compare_streams(const PhDeviceStream *a, const PhDeviceStream *b)
{
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

/* Streams come behind all threads, both by the rank of their file. */
static int
compare_tracks(const void *context, uint32_t x, uint32_t y)
{
	const PhChrome *chrome = context;
	const PhChromeTrack *a = &chrome->tracks.items[x];
	const PhChromeTrack *b = &chrome->tracks.items[y];

	if (a->is_stream != b->is_stream)
		return a->is_stream ? 1 : -1;
	if (chrome->files.items[a->file].rank != chrome->files.items[b->file].rank)
		return chrome->files.items[a->file].rank < chrome->files.items[b->file].rank ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->is_stream ? compare_streams(&a->stream, &b->stream) : compare_threads(chrome, a, b);
}

/* ---- locations ---- */

/* While tracks are placed. */
typedef struct Places
{
	uint32_t process; /* of the thread before; PH_NONE */
	int32_t rank;
} Places;

/* PyTorch's file is of one rank, whatever processes it names, where it does not say of which of the
 * files before it; elsewhere a process is a rank. */
static void
find_rank(Places *places, const PhChrome *chrome, const PhChromeTrack *track)
{
	const PhChromeFile *file = &chrome->files.items[track->file];

	if (file->is_kineto)
		places->rank = file->rank >= 0 && file->rank < PH_SPAN_MOST_RANKS ? (int32_t) file->rank
																		  : (int32_t) track->file;
	else if (track->process != places->process)
		places->rank++;
	places->process = track->process;
}

static PhStatus
name_track(PhChrome *chrome, const PhChromeTrack *track, const char **out)
{
	PhArena *arena = &chrome->spans.arena;

	if (track->is_stream)
		return ph_arena_printf(arena, out, "GPU %d stream %lld", track->stream.device,
							   (long long) track->stream.stream);
	PH_TRY(decode_string(chrome, track->name != 0 ? track->name : track->text, out));
	return track->name != 0 ? PH_OK : ph_arena_printf(arena, out, "thread %s", *out);
}

/* What makes times of a file's calls times of the trace is the same for all of its tracks. */
static PhStatus
place_track(PhChrome *chrome, Places *places, uint32_t number)
{
	const PhChromeTrack *track = &chrome->tracks.items[number];
	PhTraceLocation place = {.kind = track->is_stream ? PH_COLUMN_STREAM : PH_COLUMN_UNIT,
							 .host = "",
							 .stream = track->stream};

	if (track->n_calls == 0)
		return PH_OK;
	find_rank(places, chrome, track);
	place.rank = places->rank;
	PH_TRY(name_track(chrome, track, &place.name));
	return ph_span_source_place(&chrome->spans, number,
								chrome->files.items[track->file].base - chrome->origin, &place);
}

static PhStatus
place_tracks(PhChrome *chrome)
{
	Places places = {.process = PH_NONE, .rank = -1};
	uint32_t *order;

	PH_TRY(ph_sort_indices(&chrome->spans.arena, chrome->tracks.count, compare_tracks, chrome,
						   &order));
	for (uint32_t i = 0; i < chrome->tracks.count; i++)
		PH_TRY(place_track(chrome, &places, order[i]));
	chrome->findings[PH_CHROME_CUT] = chrome->spans.n_cut;
	chrome->findings[PH_CHROME_OVERLAPPED] = chrome->spans.n_crossing + chrome->spans.n_overlapping;
	return ph_span_source_finish(&chrome->spans, chrome->region_of.count);
}

/* Times since 1970 are told by their size: clocks that begin with the machine do not get so far. */
static int64_t
epoch_of(const PhChrome *chrome)
{
	const int64_t year_2000 = INT64_C(946684800000000000);

	return chrome->origin < year_2000 ? PH_NO_TIME : chrome->origin;
}

/* Every file has calls, and the whole lasts no longer than 64 bits of ns. */
static PhStatus
find_origin(PhChrome *chrome)
{
	int64_t last = INT64_MIN;

	chrome->origin = INT64_MAX;
	for (uint32_t i = 0; i < chrome->files.count; i++)
	{
		const PhChromeFile *file = &chrome->files.items[i];
		int64_t end;

		if (file->begin == PH_NO_TIME)
			return ph_fail(chrome->spans.env, PH_ERR_FORMAT, "%s: holds no calls of threads",
						   file->path);
		if (__builtin_add_overflow(file->end, file->base, &end))
			return ph_fail(chrome->spans.env, PH_ERR_VALUE, "%s: its times are impossible",
						   file->path);
		chrome->origin = PH_MIN(chrome->origin, file->begin + file->base);
		last = PH_MAX(last, end);
	}
	if (__builtin_sub_overflow(last, chrome->origin, &last))
		return ph_fail(chrome->spans.env, PH_ERR_VALUE, "%s: its times are too far apart",
					   ph_chrome_file(chrome)->path);
	return PH_OK;
}

PhStatus
ph_chrome_make_model(PhChrome *chrome)
{
	PhTraceModel *model = &chrome->spans.source.model;

	PH_TRY(find_origin(chrome));
	PH_TRY(add_regions(chrome));
	PH_TRY(place_tracks(chrome));
	PH_TRY(ph_chrome_make_groups(chrome));
	model->n_configurations = chrome->configurations.count;
	model->configurations =
		(const PhLaunchConfiguration *) (const void *) chrome->configurations.bytes;
	model->epoch_ns = epoch_of(chrome);
	if (model->epoch_ns != PH_NO_TIME)
		model->epoch_ns += chrome->spans.clock_base;
	return PH_OK;
}
