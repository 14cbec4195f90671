/*
 * scan.c - the first pass: each log once, in several threads; chares, messages, brackets,
 * and which blocks go on after one that they call.
 *
 * An entry method that calls another one inline is written as ended, and after that one as begun
 * again, with the same message. So a block that begins with the message, entry method and chare of
 * the last block but one, where nothing was idle meanwhile, is that block going on. Candidates are
 * kept on a short stack. Blocks without a message (serials of Structured Dagger) and resumed
 * threads are not told from new ones and count as such.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "readers/tasks/source.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/sort.h"

#define MOST_CANDIDATES 64

/*
 * A block that has ended, but may be the first part of one that was interrupted by a call
 * (goes_on).
 */
typedef struct Candidate
{
	int64_t sender, event;
	uint32_t region, chare;
	uint32_t end; /* ordinal of its END */
} Candidate;

typedef struct OpenBracket
{
	int64_t begin, id;
	uint32_t region;
} OpenBracket;

typedef struct Scan
{
	PhEnv *env;
	PhTaskSource *tasks;
	PhTaskPart *part;
	uint32_t location;
	uint32_t n_ends, n_begins;
	bool is_open; /* a block is */
	Candidate open;
	uint32_t n_candidates;
	Candidate candidates[MOST_CANDIDATES];
	PhArena scratch;
	uint32_t n_open_brackets, open_room;
	OpenBracket *open_brackets;
} Scan;

/* ---- blocks ---- */

static PhStatus
add_number(PhTaskPart *part, uint32_t **list, uint32_t *n, uint32_t *room, uint32_t number)
{
	PH_TRY(PH_GROW(&part->arena, list, *n, room));
	(*list)[(*n)++] = number;
	return PH_OK;
}

/* Room for one more of what there is one of a message; grows by half, in place. */
static PhStatus
grow(PhTaskPart *part, void **items, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t more = *room < 64 ? 64 : *room + *room / 2;

	if (n < *room)
		return PH_OK;
	if (*room >= UINT32_MAX / 4)
		return ph_fail(&part->env, PH_ERR_LIMIT, "%s: more than %u messages", part->path, *room);
	PH_TRY(ph_env_resize(&part->env, items, *room, more, size));
	*room = more;
	return PH_OK;
}

/* Give back what is not used. */
static PhStatus
trim(PhTaskPart *part)
{
	PH_TRY(ph_env_resize(&part->env, (void **) &part->creations, part->creation_room,
						 part->n_creations, sizeof(*part->creations)));
	part->creation_room = part->n_creations;
	PH_TRY(ph_env_resize(&part->env, (void **) &part->receipts, part->receipt_room,
						 part->n_receipts, sizeof(*part->receipts)));
	part->receipt_room = part->n_receipts;
	return PH_OK;
}

/*
 * True when this block continues an earlier one. A block that calls an entry method directly is
 * written in three parts: its first part, the called block, and its rest, which begins with the
 * message of the first part again. So of the blocks that have ended (candidates, the newest last)
 * the newest is the called one, and the one before it must agree with this block in message, entry
 * method and chare. Blocks without a message number never continue one.
 */
static bool
goes_on(const Scan *scan, const Candidate *block)
{
	const Candidate *outer;

	if (scan->n_candidates < 2 || block->event < 0)
		return false;
	outer = &scan->candidates[scan->n_candidates - 2];
	return outer->event == block->event && outer->sender == block->sender &&
		   outer->region == block->region && outer->chare == block->chare;
}

static PhStatus
add_receipt(Scan *scan, const PhLogRecord *record, uint32_t chare)
{
	PhTaskPart *part = scan->part;
	bool is_known = record->sender >= 0 && record->sender < scan->tasks->source.model.n_locations;

	PH_TRY(grow(part, (void **) &part->receipts, part->n_receipts, &part->receipt_room,
				sizeof(*part->receipts)));
	part->receipts[part->n_receipts++] =
		(PhTaskReceipt){.time = record->time,
						.source = is_known ? (uint32_t) record->sender : PH_NONE,
						.event = (int32_t) record->event,
						.entry = record->entry,
						.chare = record->may_repeat ? PH_NONE : chare,
						.creation = PH_NONE};
	return PH_OK;
}

static PhStatus
begin_block(Scan *scan, const PhLogRecord *record)
{
	PhTaskPart *part = scan->part;
	uint32_t ordinal = scan->n_begins++;
	Candidate block = {.sender = record->sender, .event = record->event, .region = record->region};

	PH_TRY(ph_records_intern(&part->chares, &record->chare, &block.chare));
	part->n_blocks++;
	if (record->region == scan->tasks->thread_entry)
		block.event = -1;
	if (goes_on(scan, &block) && !record->may_repeat)
	{
		scan->n_candidates -= 2;
		PH_TRY(add_number(part, &part->pauses, &part->n_pauses, &part->pause_room,
						  scan->candidates[scan->n_candidates].end));
		PH_TRY(add_number(part, &part->resumes, &part->n_resumes, &part->resume_room, ordinal));
	}
	else if (block.event >= 0)
		PH_TRY(add_receipt(scan, record, block.chare));
	scan->open = block;
	return PH_OK;
}

/* The oldest candidate is forgotten when there are too many. */
static void
end_block(Scan *scan)
{
	scan->open.end = scan->n_ends++;
	if (scan->n_candidates == MOST_CANDIDATES)
	{
		scan->n_candidates--;
		memmove(scan->candidates, scan->candidates + 1,
				scan->n_candidates * sizeof(*scan->candidates));
	}
	scan->candidates[scan->n_candidates++] = scan->open;
}

static PhStatus
add_creation(Scan *scan, const PhLogRecord *record)
{
	PhTaskPart *part = scan->part;

	PH_TRY(grow(part, (void **) &part->creations, part->n_creations, &part->creation_room,
				sizeof(*part->creations)));
	part->creations[part->n_creations++] = (PhTaskCreation){
		.time = record->time, .event = (int32_t) record->event, .entry = record->entry};
	return PH_OK;
}

/* ---- brackets ---- */

static PhStatus
begin_bracket(Scan *scan, const PhLogRecord *record)
{
	PH_TRY(PH_GROW(&scan->scratch, &scan->open_brackets, scan->n_open_brackets, &scan->open_room));
	scan->open_brackets[scan->n_open_brackets++] =
		(OpenBracket){record->time, record->id, record->region};
	return PH_OK;
}

static PhStatus
end_bracket(Scan *scan, const PhLogRecord *record, uint64_t number)
{
	PhTaskPart *part = scan->part;
	uint32_t at = scan->n_open_brackets;
	OpenBracket open;

	while (at > 0 && (scan->open_brackets[at - 1].region != record->region ||
					  scan->open_brackets[at - 1].id != record->id))
		at--;
	if (at == 0)
	{
		ph_finding_add(&part->findings, PH_FOUND_UNBEGUN, scan->location, number);
		return PH_OK;
	}
	open = scan->open_brackets[at - 1];
	memmove(&scan->open_brackets[at - 1], &scan->open_brackets[at],
			(scan->n_open_brackets - at) * sizeof(open));
	scan->n_open_brackets--;
	PH_TRY(PH_GROW(&part->arena, &part->brackets, part->n_brackets, &part->bracket_room));
	part->brackets[part->n_brackets++] =
		(PhTaskBracket){open.begin, PH_MAX(open.begin, record->time), open.region};
	return PH_OK;
}

static int
compare_brackets(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskBracket *a = (const PhTaskBracket *) context + x;
	const PhTaskBracket *b = (const PhTaskBracket *) context + y;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end > b->end ? -1 : a->end < b->end;
}

static PhStatus
sort_brackets(Scan *scan)
{
	PhTaskPart *part = scan->part;
	PhTaskBracket *sorted;
	uint32_t *order;

	if (part->n_brackets == 0)
		return PH_OK;
	PH_TRY(ph_sort_indices(&scan->scratch, part->n_brackets, compare_brackets, part->brackets,
						   &order));
	PH_TRY(PH_NEW(&scan->scratch, part->n_brackets, &sorted));
	for (uint32_t i = 0; i < part->n_brackets; i++)
		sorted[i] = part->brackets[order[i]];
	memcpy(part->brackets, sorted, part->n_brackets * sizeof(*sorted));
	return PH_OK;
}

/* ---- a log ---- */

static void
note_unnamed(Scan *scan, const PhLogRecord *record, uint64_t number)
{
	if (record->is_unnamed)
		ph_finding_add(&scan->part->findings, PH_FOUND_UNNAMED_EVENT, scan->location, number);
}

static PhStatus
take(Scan *scan, const PhLogRecord *record, uint64_t number)
{
	switch (record->kind)
	{
		case PH_LOG_BEGIN:
			return begin_block(scan, record);
		case PH_LOG_END:
			end_block(scan);
			return PH_OK;
		case PH_LOG_CREATION:
			if (!scan->is_open)
				ph_finding_add(&scan->part->findings, PH_FOUND_OUTSIDE, scan->location, number);
			return add_creation(scan, record);
		case PH_LOG_RECEIPT:
			return add_receipt(scan, record, PH_NONE);
		case PH_LOG_CALL_BEGIN:
			if (record->region == scan->tasks->n_entries)
				scan->n_candidates = 0; /* idle: nobody was in the middle of anything */
			return PH_OK;
		case PH_LOG_POINT:
			note_unnamed(scan, record, number);
			return PH_OK;
		case PH_LOG_BRACKET_BEGIN:
			note_unnamed(scan, record, number);
			return begin_bracket(scan, record);
		case PH_LOG_BRACKET_END:
			return end_bracket(scan, record, number);
		default:
			return PH_OK;
	}
}

static void
note_time(PhTaskPart *part, const PhLogRecord *record)
{
	if (record->kind == PH_LOG_SKIP || record->time == PH_NO_TIME)
		return;
	if (part->first_time == PH_NO_TIME || record->time < part->first_time)
		part->first_time = record->time;
}

static PhStatus
read_log(Scan *scan, PhTaskLog *log)
{
	PhTaskPart *part = scan->part;
	PhTaskWalk walk;
	PhLogRecord record;
	bool more;

	part->path = log->path;
	part->place = log->place;
	ph_task_walk_begin(&walk, log, scan->location, &part->findings);
	for (;;)
	{
		PH_TRY(ph_env_poll(&part->env));
		PH_TRY(ph_task_walk_next(&walk, &record, &more));
		if (!more)
			break;
		note_time(part, &record);
		scan->is_open = walk.is_open;
		PH_TRY(take(scan, &record, log->number));
	}
	part->n_records = walk.n_records;
	for (uint32_t i = 0; i < scan->n_open_brackets; i++)
		ph_finding_add(&part->findings, PH_FOUND_UNENDED, scan->location, log->number);
	return sort_brackets(scan);
}

static int
compare_numbers(const void *context, uint32_t x, uint32_t y)
{
	const uint32_t *numbers = context;

	return numbers[x] < numbers[y] ? -1 : numbers[x] > numbers[y];
}

/* Pauses were met inner ones first. */
static PhStatus
sort_pauses(Scan *scan)
{
	PhTaskPart *part = scan->part;
	uint32_t *order;
	uint32_t *sorted;

	if (part->n_pauses == 0)
		return PH_OK;
	PH_TRY(ph_sort_indices(&scan->scratch, part->n_pauses, compare_numbers, part->pauses, &order));
	PH_TRY(PH_NEW(&part->arena, part->n_pauses, &sorted));
	for (uint32_t i = 0; i < part->n_pauses; i++)
		sorted[i] = part->pauses[order[i]];
	part->pauses = sorted;
	return PH_OK;
}

static PhStatus
scan_part(PhTaskSource *tasks, uint32_t location)
{
	PhTaskPart *part = &tasks->parts[location];
	Scan scan = {.env = &part->env, .tasks = tasks, .part = part, .location = location};
	PhTaskLog *log;
	PhStatus status;

	ph_records_init(&part->chares, &part->arena, sizeof(PhChareKey));
	ph_arena_init(&scan.scratch, &part->env);
	status = tasks->open_log(&part->env, tasks, location, &log);
	if (status == PH_OK)
	{
		status = read_log(&scan, log);
		tasks->close_log(log);
	}
	if (status == PH_OK)
		status = sort_pauses(&scan);
	if (status == PH_OK)
		status = trim(part);
	ph_arena_drop(&scan.scratch);
	return status;
}

/* ---- all logs ---- */

typedef struct Crew
{
	PhTaskSource *tasks;
	PhEnv *env; /* the caller's: its interrupt */
	atomic_uint next;
	atomic_bool stop;
} Crew;

typedef struct CrewThread
{
	Crew *crew;
	pthread_t thread;
	PhStatus status;
	uint32_t failed; /* location */
} CrewThread;

static bool
crew_interrupted(void *user)
{
	const Crew *crew = user;

	return atomic_load(&crew->stop) ||
		   (crew->env->interrupt != NULL && crew->env->interrupt(crew->env->user));
}

static void *
run_thread(void *argument)
{
	CrewThread *thread = argument;
	Crew *crew = thread->crew;
	uint32_t location;

	while (thread->status == PH_OK && !atomic_load(&crew->stop) &&
		   (location = atomic_fetch_add(&crew->next, 1)) < crew->tasks->source.model.n_locations)
	{
		thread->failed = location;
		thread->status = scan_part(crew->tasks, location);
	}
	if (thread->status != PH_OK)
		atomic_store(&crew->stop, true);
	return NULL;
}

/* The first location's failure that is not only that others failed. */
static PhStatus
first_failure(PhEnv *env, const PhTaskSource *tasks, const CrewThread *threads, uint32_t n)
{
	const CrewThread *worst = NULL;

	for (uint32_t i = 0; i < n; i++)
	{
		const CrewThread *thread = &threads[i];

		if (thread->status == PH_OK)
			continue;
		if (worst == NULL || worst->status == PH_ERR_INTERRUPTED ||
			(thread->status != PH_ERR_INTERRUPTED && thread->failed < worst->failed))
			worst = thread;
	}
	if (worst == NULL)
		return PH_OK;
	env->error = tasks->parts[worst->failed].env.error;
	return worst->status;
}

static PhStatus
make_parts(PhTaskSource *tasks, Crew *crew)
{
	uint32_t n = tasks->source.model.n_locations;

	PH_TRY(PH_NEW(&tasks->arena, n, &tasks->parts));
	for (uint32_t i = 0; i < n; i++)
	{
		PhTaskPart *part = &tasks->parts[i];

		ph_env_init_malloc(&part->env);
		part->env.interrupt = crew_interrupted;
		part->env.user = crew;
		part->env.byte_limit = crew->env->byte_limit;
		part->first_time = PH_NO_TIME;
		ph_arena_init(&part->arena, &part->env);
	}
	return PH_OK;
}

static void
run_threads(Crew *crew, CrewThread *threads, uint32_t *n_threads)
{
	uint32_t n_started = 1;

	for (uint32_t i = 0; i < *n_threads; i++)
		threads[i].crew = crew;
	for (; n_started < *n_threads; n_started++)
	{
		CrewThread *thread = &threads[n_started];

		if (pthread_create(&thread->thread, NULL, run_thread, thread) != 0)
			break;
	}
	run_thread(&threads[0]);
	for (uint32_t i = 1; i < n_started; i++)
		pthread_join(threads[i].thread, NULL);
	*n_threads = n_started;
}

PhStatus
ph_task_scan(PhEnv *env, PhTaskSource *tasks, uint32_t n_threads)
{
	uint32_t n = tasks->source.model.n_locations;
	Crew crew = {.tasks = tasks, .env = env};
	CrewThread *threads;

	n_threads = PH_MIN(n, n_threads);
	n_threads = n_threads == 0 ? 1 : n_threads;
	PH_TRY(make_parts(tasks, &crew));
	PH_TRY(PH_NEW(&tasks->arena, n_threads, &threads));
	run_threads(&crew, threads, &n_threads);
	for (uint32_t i = 0; i < n; i++)
	{
		tasks->parts[i].env.interrupt = NULL; /* what it looked at ends here */
		tasks->parts[i].env.user = NULL;
	}
	return first_failure(env, tasks, threads, n_threads);
}
