/*
 * runs.c - sorting by track and time; runs in memory or in a file that has no name.
 *
 * A run is first dealt out by track, which keeps the order of the file, and each track's share is
 * merged from stretches that are in order already: most writers give most calls in order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/min_max.h"
#include "system/memory.h"
#include "system/paths.h"

#define STRETCH 16 /* calls that are sorted by insertion; measured: 8 to 32 are alike */

void
ph_span_runs_init(PhSpanRuns *runs, PhEnv *env, uint32_t run_calls, uint64_t most_kept)
{
	*runs = (PhSpanRuns){.env = env, .run_calls = run_calls, .most_kept = most_kept, .file = -1};
}

static size_t
mapped_size(const PhSpanRun *run)
{
	return (size_t) run->calls.count * sizeof(PhSpanRow);
}

void
ph_span_runs_free(PhSpanRuns *runs)
{
	for (uint32_t i = 0; i < runs->runs.count; i++)
	{
		PhSpanRun *run = &runs->runs.items[i];

		if (run->is_mapped)
			munmap(run->calls.items, mapped_size(run));
		else
			PH_VECTOR_FREE(runs->env, &run->calls);
	}
	PH_VECTOR_FREE(runs->env, &runs->runs);
	PH_VECTOR_FREE(runs->env, &runs->open);
	if (runs->file >= 0)
		close(runs->file);
	runs->file = -1;
}

/* ---- sorting a run ---- */

static void
insertion_sort(PhSpanRow *calls, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		PhSpanRow call = calls[i];
		uint32_t k = i;

		for (; k > 0 && ph_span_precedes(&call, &calls[k - 1]); k--)
			calls[k] = calls[k - 1];
		calls[k] = call;
	}
}

/* Two sorted neighbours, calls[0..middle) and calls[middle..n), to where there is room. */
static void
merge_neighbours(const PhSpanRow *calls, uint32_t middle, uint32_t n, PhSpanRow *to)
{
	uint32_t left = 0;
	uint32_t right = middle;

	if (middle == n || !ph_span_precedes(&calls[middle], &calls[middle - 1]))
	{
		memcpy(to, calls, n * sizeof(*calls));
		return;
	}
	while (left < middle && right < n)
	{
		bool takes_right = ph_span_precedes(&calls[right], &calls[left]);

		*to++ = calls[takes_right ? right : left];
		right += takes_right;
		left += !takes_right;
	}
	memcpy(to, calls + left, (middle - left) * sizeof(*calls));
	memcpy(to + (middle - left), calls + right, (n - right) * sizeof(*calls));
}

static bool
is_sorted(const PhSpanRow *calls, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		if (ph_span_precedes(&calls[i], &calls[i - 1]))
			return false;
	}
	return true;
}

/* Calls of one track; buffer has room for n, too. */
static PhStatus
sort_track(PhEnv *env, PhSpanRow *calls, uint32_t n, PhSpanRow *buffer)
{
	PhSpanRow *from = calls;
	PhSpanRow *to = buffer;

	if (is_sorted(calls, n))
		return PH_OK;
	for (uint32_t i = 0; i < n; i += STRETCH)
		insertion_sort(calls + i, PH_MIN(STRETCH, n - i));
	for (uint32_t width = STRETCH; width < n; width *= 2)
	{
		PhSpanRow *swap = from;

		PH_TRY(ph_env_poll_now(env));
		for (uint32_t i = 0; i < n; i += PH_MIN(2 * width, n - i))
			merge_neighbours(from + i, PH_MIN(width, n - i), PH_MIN(2 * width, n - i), to + i);
		from = to;
		to = swap;
	}
	if (from != calls)
		memcpy(calls, from, n * sizeof(*calls));
	return PH_OK;
}

/* Where each track's calls begin when they are dealt out; first has room for n_tracks + 1. */
static void
count_tracks(const PhSpanVector *calls, uint32_t *first)
{
	for (uint32_t i = 0; i < calls->count; i++)
		first[ph_track_of(calls->items[i].track) + 1]++;
}

static uint32_t
count_of_tracks(const PhSpanVector *calls)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < calls->count; i++)
		n = PH_MAX(n, ph_track_of(calls->items[i].track) + 1);
	return n;
}

/* Deal calls out to buffer and sort each track's there, with the calls' own memory as room. */
static PhStatus
sort_into(PhEnv *env, PhSpanVector *calls, PhSpanRow *buffer, uint32_t *first, uint32_t n_tracks)
{
	count_tracks(calls, first);
	for (uint32_t i = 0; i < n_tracks; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < calls->count; i++)
		buffer[first[ph_track_of(calls->items[i].track)]++] = calls->items[i];
	for (uint32_t i = 0; i < n_tracks; i++)
	{
		uint32_t begin = i == 0 ? 0 : first[i - 1]; /* dealing has moved first[i] to the end of i */

		PH_TRY(ph_env_poll(env));
		PH_TRY(sort_track(env, buffer + begin, first[i] - begin, calls->items));
	}
	return PH_OK;
}

/* Sorts the run that was filled; its memory is that of the result or given back. */
static PhStatus
sort_run(PhEnv *env, PhSpanVector *calls)
{
	uint32_t n_tracks = count_of_tracks(calls);
	PhSpanVector sorted = {.count = calls->count, .capacity = calls->count};
	void *first = NULL;
	void *buffer = NULL;
	PhStatus status = ph_env_alloc(env, (size_t) n_tracks + 1, sizeof(uint32_t), &first);

	if (status == PH_OK)
		status = ph_env_resize(env, &buffer, 0, calls->count, sizeof(PhSpanRow));
	if (status == PH_OK)
		status = sort_into(env, calls, buffer, first, n_tracks);
	if (first != NULL)
		ph_env_free(env, first, (size_t) n_tracks + 1, sizeof(uint32_t));
	sorted.items = buffer;
	if (status == PH_OK)
		PH_VECTOR_FREE(env, calls);
	else if (buffer != NULL)
		PH_VECTOR_FREE(env, &sorted);
	if (status == PH_OK)
		*calls = sorted;
	return status;
}

/* ---- runs in a file ---- */

static PhStatus
file_failed(PhEnv *env, const char *folder, const char *what)
{
	return ph_fail_hint(env, PH_ERR_UNREADABLE,
						"Set TMPDIR to a folder with room for 32 bytes a call.",
						"%s: cannot %s a temporary file: %s", folder, what, strerror(errno));
}

/* It has no name from the start, or loses it at once: nobody else can open it, or must remove it.
 */
static PhStatus
open_file(PhSpanRuns *runs)
{
	const char *folder = ph_path_temporary();
	char *path;

	runs->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (runs->file >= 0)
		return PH_OK;
	path = ph_format("%s/perfhouse-calls-XXXXXX", folder);
	runs->file = mkostemp(path, O_CLOEXEC);
	if (runs->file >= 0)
		unlink(path);
	free(path);
	return runs->file >= 0 ? PH_OK : file_failed(runs->env, folder, "make");
}

static bool
write_whole(int file, const void *bytes, size_t size, uint64_t offset)
{
	const char *at = bytes;

	while (size > 0)
	{
		ssize_t n = pwrite(file, at, size, (off_t) offset);

		if (n < 0 && errno != EINTR)
			return false;
		if (n <= 0)
			continue;
		at += n;
		size -= (size_t) n;
		offset += (uint64_t) n;
	}
	return true;
}

/* Moves a run into the file; where it begins there is a multiple of any page's size. */
static PhStatus
spill_run(PhSpanRuns *runs, PhSpanRun *run)
{
	const uint64_t page = 65536;
	size_t size = mapped_size(run);
	uint64_t offset = (runs->file_size + page - 1) / page * page;
	void *mapped;

	if (runs->file < 0)
		PH_TRY(open_file(runs));
	if (!write_whole(runs->file, run->calls.items, size, offset))
		return file_failed(runs->env, ph_path_temporary(), "write");
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, runs->file, (off_t) offset);
	if (mapped == MAP_FAILED)
		return file_failed(runs->env, ph_path_temporary(), "map");
	runs->file_size = offset + size;
	ph_env_free(runs->env, run->calls.items, run->calls.capacity, sizeof(PhSpanRow));
	run->calls.items = mapped;
	run->is_mapped = true;
	return PH_OK;
}

/* ---- filling ---- */

static PhStatus
end_run(PhSpanRuns *runs)
{
	PhSpanRun *run;

	PH_TRY(PH_ROOM(runs->env, &runs->runs));
	PH_TRY(sort_run(runs->env, &runs->open));
	run = &runs->runs.items[runs->runs.count++];
	*run = (PhSpanRun){.calls = runs->open};
	runs->open = (PhSpanVector){0};
	if (runs->n_kept + run->calls.count > runs->most_kept)
		return spill_run(runs, run);
	runs->n_kept += run->calls.count;
	return PH_OK;
}

PhStatus
ph_span_runs_add(PhSpanRuns *runs, const PhSpanRow *call)
{
	if (runs->open.count == runs->run_calls)
		PH_TRY(end_run(runs));
	PH_TRY(PH_ROOM(runs->env, &runs->open));
	runs->open.items[runs->open.count++] = *call;
	return PH_OK;
}

PhStatus
ph_span_runs_finish(PhSpanRuns *runs)
{
	return runs->open.count > 0 ? end_run(runs) : PH_OK;
}

/* ---- merging ---- */

/* The first call of the run that is of this track or a later one. */
static uint32_t
find_track(const PhSpanVector *calls, uint32_t track)
{
	uint32_t low = 0;
	uint32_t high = calls->count;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (ph_track_of(calls->items[middle].track) < track)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
sift_down(PhSpanMerge *merge, uint32_t at)
{
	PhSpanRange *heap = merge->heap.items;
	PhSpanRange moved = heap[at];

	for (uint32_t child = 2 * at + 1; child < merge->heap.count; child = 2 * at + 1)
	{
		if (child + 1 < merge->heap.count && ph_span_precedes(heap[child + 1].at, heap[child].at))
			child++;
		if (!ph_span_precedes(heap[child].at, moved.at))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

PhStatus
ph_span_merge_begin(PhSpanMerge *merge, PhEnv *env, const PhSpanRuns *runs, uint32_t track)
{
	*merge = (PhSpanMerge){.env = env};
	for (uint32_t i = 0; i < runs->runs.count; i++)
	{
		const PhSpanVector *calls = &runs->runs.items[i].calls;
		uint32_t begin = find_track(calls, track);
		uint32_t end = find_track(calls, track + 1);
		PhStatus status = begin == end ? PH_OK : PH_ROOM(env, &merge->heap);

		if (status != PH_OK)
			ph_span_merge_end(merge);
		PH_TRY(status);
		if (begin < end)
			merge->heap.items[merge->heap.count++] =
				(PhSpanRange){calls->items + begin, calls->items + end};
	}
	for (uint32_t i = merge->heap.count / 2; i-- > 0;)
		sift_down(merge, i);
	return PH_OK;
}

PhSpanRow *
ph_span_merge_next(PhSpanMerge *merge)
{
	PhSpanRange *top = merge->heap.items;
	PhSpanRow *call;

	if (merge->heap.count == 0)
		return NULL;
	call = top->at++;
	if (top->at == top->end)
		*top = merge->heap.items[--merge->heap.count];
	if (merge->heap.count > 1)
		sift_down(merge, 0);
	return call;
}

void
ph_span_merge_end(PhSpanMerge *merge)
{
	PH_VECTOR_FREE(merge->env, &merge->heap);
}
