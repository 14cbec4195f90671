/*
 * model.c - from what the file named to the trace's model: regions, ranks, threads as locations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "base/min_max.h"
#include "base/name_set.h"
#include "base/sort.h"
#include "readers/chrome/chrome.h"
#include "readers/chrome/lanes.h"
#include "readers/json_scan.h"
#include "system/utf8_text.h"

#define MOST_RANK (1 << 20) /* arbitrary: larger ones are a mistake of the writer */

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
	PhJsonScan json = {.env = chrome->env, .input = &input};
	char *mended;
	PhStatus status;

	PH_TRY(mend_text(&chrome->arena, text, size, &mended));
	*out = mended;
	if (strchr(mended, '\\') == NULL)
		return PH_OK;
	input = ph_input_lend(chrome->path, mended, strlen(mended));
	status = ph_json_unescape(
		&json, &chrome->arena,
		&(PhJsonText){.text = mended, .size = strlen(mended), .escaped = true}, (char **) out);
	if (status != PH_ERR_FORMAT)
		return status;
	chrome->env->error = (PhError){0};
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

/* What a call is by its category. Of other programs' traces the category is the library: it is how
 * they group their calls. */
static PhStatus
describe_region(PhChrome *chrome, uint32_t category, const char *name, PhTraceRegion *out)
{
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
			return split_python(&chrome->arena, out);
		case PH_CLASS_API:
			out->paradigm = strncmp(name, "hip", 3) == 0 ? "hip" : "cuda";
			out->library = strncmp(name, "hip", 3) == 0 ? "HIP" : "CUDA";
			return PH_OK;
		default:
			return decode_string(chrome, category, &out->library);
	}
}

/* What makes two regions one. */
typedef struct RegionKey
{
	uint32_t kind, name, library, file;
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
	return ph_records_intern(known, &key, out);
}

static PhStatus
add_regions(PhChrome *chrome)
{
	PhTraceModel *model = &chrome->source.model;
	uint32_t n = chrome->region_of.count;
	PhStrings strings;
	PhRecords known;

	PH_TRY(ph_strings_init(&strings, &chrome->arena));
	ph_records_init(&known, &chrome->arena, sizeof(RegionKey));
	PH_TRY(PH_NEW(&chrome->arena, n, &model->regions));
	PH_TRY(PH_NEW(&chrome->arena, n, &chrome->region));
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t key = chrome->region_of.keys[i];
		PhTraceRegion region;
		const char *name;

		PH_TRY(ph_env_poll(chrome->env));
		PH_TRY(decode_string(chrome, (uint32_t) key, &name));
		PH_TRY(describe_region(chrome, (uint32_t) (key >> 32), name, &region));
		PH_TRY(find_same(&strings, &known, &region, &chrome->region[i]));
		if (chrome->region[i] == model->n_regions)
			model->regions[model->n_regions++] = region;
	}
	return PH_OK;
}

/* ---- order of processes and threads ---- */

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

static int
compare_processes(const void *context, uint32_t x, uint32_t y)
{
	const PhChrome *chrome = context;

	return compare_texts(chrome, chrome->processes.items[x].text, chrome->processes.items[y].text);
}

/* On Linux the thread whose number is its process's is the first one. */
static bool
is_main(const PhChrome *chrome, const PhChromeThread *thread)
{
	return thread->text == chrome->processes.items[thread->process].text;
}

/* By rank, then by process, then the main thread, then the others. */
static int
compare_threads(const void *context, uint32_t x, uint32_t y)
{
	const PhChrome *chrome = context;
	const PhChromeThread *a = &chrome->threads.items[x];
	const PhChromeThread *b = &chrome->threads.items[y];

	if (a->process != b->process)
		return compare_processes(chrome, a->process, b->process);
	if (is_main(chrome, a) != is_main(chrome, b))
		return is_main(chrome, a) ? -1 : 1;
	return compare_texts(chrome, a->text, b->text);
}

/* ---- locations ---- */

/* While the locations are made. */
typedef struct Places
{
	PhChrome *chrome;
	PH_VECTOR(PhTraceLocation) locations;
	uint32_t process; /* of the thread before; PH_NONE */
	int32_t rank;
	int32_t n_threads; /* of that rank, so far */
} Places;

/* PyTorch's file is of one rank, whatever processes it names; elsewhere a process is a rank. */
static void
begin_thread(Places *places, const PhChromeThread *thread)
{
	const PhChrome *chrome = places->chrome;

	if (thread->process == places->process)
		return;
	if (chrome->is_kineto)
		places->rank = chrome->rank >= 0 && chrome->rank < MOST_RANK ? (int32_t) chrome->rank : 0;
	else
	{
		places->rank++;
		places->n_threads = 0;
	}
	places->process = thread->process;
}

static PhStatus
name_location(PhChrome *chrome, const PhChromeThread *thread, uint32_t lane, const char **out)
{
	PhArena *arena = &chrome->arena;

	PH_TRY(decode_string(chrome, thread->name != 0 ? thread->name : thread->text, out));
	if (thread->name == 0)
		PH_TRY(ph_arena_printf(arena, out, "thread %s", *out));
	return lane == 0 ? PH_OK : ph_arena_printf(arena, out, "%s (overlap %u)", *out, lane);
}

static PhStatus
add_location(Places *places, uint32_t thread, uint32_t lane, const PhLane *calls)
{
	PhChrome *chrome = places->chrome;
	PhTraceLocation location = {.source_id = places->locations.count,
								.rank = places->rank,
								.thread = places->n_threads++,
								.kind = PH_COLUMN_UNIT,
								.host = "",
								.n_events = 2 * calls->n_calls - calls->n_unended};

	PH_TRY(name_location(chrome, &chrome->threads.items[thread], lane, &location.name));
	PH_TRY(PH_ROOM(&chrome->arena, &places->locations));
	places->locations.items[places->locations.count++] = location;
	PH_TRY(PH_ROOM(&chrome->arena, &chrome->lanes));
	chrome->lanes.items[chrome->lanes.count++] = (PhChromeLane){thread, lane};
	return PH_OK;
}

static PhStatus
add_thread(Places *places, uint32_t thread)
{
	PhChrome *chrome = places->chrome;
	PhCallLanes lanes;

	if (chrome->threads.items[thread].n_calls == 0)
		return PH_OK;
	begin_thread(places, &chrome->threads.items[thread]);
	PH_TRY(ph_lanes_assign(&lanes, chrome->env, &chrome->runs, thread));
	chrome->findings[PH_CHROME_CUT] += lanes.n_cut;
	chrome->findings[PH_CHROME_OVERLAPPED] += lanes.n_overlapped;
	for (uint32_t i = 0; i < lanes.n; i++)
		PH_TRY(add_location(places, thread, i, &lanes.lanes[i]));
	return PH_OK;
}

static PhStatus
add_locations(PhChrome *chrome)
{
	PhTraceModel *model = &chrome->source.model;
	Places places = {.chrome = chrome, .process = PH_NONE, .rank = -1};
	uint32_t *order;

	PH_TRY(ph_sort_indices(&chrome->arena, chrome->threads.count, compare_threads, chrome, &order));
	for (uint32_t i = 0; i < chrome->threads.count; i++)
		PH_TRY(add_thread(&places, order[i]));
	model->locations = places.locations.items;
	model->n_locations = places.locations.count;
	model->n_ranks = (uint32_t) places.rank + 1;
	PH_TRY(PH_NEW(&chrome->arena, model->n_ranks, &model->rank_location));
	for (uint32_t i = 0; i < model->n_ranks; i++)
		model->rank_location[i] = PH_NONE;
	for (uint32_t i = model->n_locations; i-- > 0;)
		model->rank_location[model->locations[i].rank] = i;
	return PH_OK;
}

/* Times since 1970 are told by their size: clocks that begin with the machine do not get so far. */
static int64_t
epoch_of(const PhChrome *chrome)
{
	const int64_t year_2000 = INT64_C(946684800000000000);
	int64_t epoch;

	if (__builtin_add_overflow(chrome->base, chrome->origin, &epoch) || epoch < year_2000)
		return PH_NO_TIME;
	return epoch;
}

PhStatus
ph_chrome_make_model(PhChrome *chrome)
{
	if (chrome->n_calls == 0)
		return ph_fail(chrome->env, PH_ERR_FORMAT, "%s: holds no calls of threads", chrome->path);
	PH_TRY(add_regions(chrome));
	PH_TRY(add_locations(chrome));
	chrome->source.model.epoch_ns = epoch_of(chrome);
	return PH_OK;
}
