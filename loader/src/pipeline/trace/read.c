/*
 * read.c - threads that read the locations of a trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/read.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "base/table.h"
#include "pipeline/store/copy_rows.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"

/* What all threads of one trace share. */
typedef struct Reading
{
	const PhTraceReadOptions *options;
	PhTraceRead *read;
	atomic_uint next; /* share to take next */
	uint32_t n_shares;
	uint32_t *first;	 /* location of each share, and the end */
	uint64_t n_declared; /* events, as the archive says */
	atomic_bool stop;	 /* somebody failed */
} Reading;

typedef struct PhTraceThread
{
	Reading *reading;
	pthread_t thread;
	PhEnv env;
	PhArena arena; /* its receives */
	PhStatus status;
	PhConnection *db; /* NULL: nothing is stored */
	bool is_refused;  /* by the database */
	PhCopy copy;
	PhTraceCursor *cursor;
	PhTraceTree *tree;
	PhMatcher *matcher;
	PhChunkWriter *writer;	 /* of the location that is read */
	PhEnv steps_env;		 /* of logical, which is used up beside what has the other one */
	PhLogicalInput *logical; /* NULL: not wanted, or no_steps says why it is gone */
	char no_steps[512];
	PhCostFinder *blame; /* likewise, and no_blame */
	char no_blame[512];
	PhLaunchCursor launches;
	PhTileThread *tiles; /* NULL: no pyramid */
	PhChunkReader *reader;
	PhTraceCounts counts;
	uint64_t n_events, open_calls;
	uint64_t *collectives;		/* by communicator: the most that a location took part in */
	uint64_t *collectives_here; /* of the location that is read */
} PhTraceThread;

static bool
thread_interrupted(void *user)
{
	const PhTraceThread *thread = user;
	const PhTraceReadOptions *options = thread->reading->options;

	return atomic_load(&thread->reading->stop) ||
		   (options->interrupt != NULL && options->interrupt(options->user));
}

/* ---- what is made of a chunk ---- */

static PhStatus
refused(PhTraceThread *thread)
{
	thread->is_refused = true;
	return ph_refused(&thread->env, thread->db);
}

static PhStatus
store_chunk(PhTraceThread *thread, const PhChunk *chunk)
{
	PhCopy *copy = &thread->copy;

	ph_copy_trace_chunk_row(copy, &(PhTraceChunkRow){.run_id = thread->reading->options->run_id,
													 .location_id = (int32_t) chunk->location,
													 .chunk_no = (int32_t) chunk->chunk_no,
													 .format = (int16_t) chunk->format,
													 .n_events = (int32_t) chunk->n_events,
													 .n_enter = (int32_t) chunk->n_enter,
													 .n_message = (int32_t) chunk->n_message,
													 .first_seq = (int64_t) chunk->first_seq,
													 .t_prev = chunk->t_prev,
													 .t_first = chunk->t_first,
													 .t_last = chunk->t_last,
													 .stack = chunk->stack,
													 .dt = chunk->dt,
													 .kind = chunk->kind,
													 .region = chunk->region,
													 .msg = chunk->msg,
													 .extra = chunk->extra,
													 .crc = ph_chunk_crc(chunk)});
	if (!copy->failed)
		return PH_OK;
	return copy->status != PH_OK ? copy->status : refused(thread);
}

/* Room for the times of the chunk's receives. */
static PhStatus
expect_receives(PhTraceThread *thread, const PhChunk *chunk, PhReceives *receives, int64_t **times)
{
	uint32_t n = ph_chunk_count(thread->reader, PH_EVENT_RECV) +
				 ph_chunk_count(thread->reader, PH_EVENT_IRECV);
	void *memory;

	*times = NULL;
	if (n == 0)
		return PH_OK;
	PH_TRY(
		PH_GROW(&thread->arena, &receives->chunks, receives->n_chunks, &receives->chunk_capacity));
	PH_TRY(ph_arena_alloc_unset(&thread->arena, n, sizeof(**times), &memory));
	*times = memory;
	receives->chunks[receives->n_chunks++] = (PhChunkReceives){chunk->chunk_no, n, *times};
	receives->n += n;
	return PH_OK;
}

/* Times of receives, for their links; ends of the application's collectives, by communicator. */
static PhStatus
note_messages(PhTraceThread *thread, const PhChunk *chunk)
{
	PhReceives *receives = &thread->reading->read->receives[chunk->location];
	const PhOperandArrays *operands = ph_chunk_messages(thread->reader);
	const uint8_t *kinds = ph_chunk_kinds(thread->reader);
	const int64_t *times = ph_chunk_times(thread->reader);
	uint32_t n_communicators = thread->reading->options->source->model.n_communicators;
	uint32_t n = chunk->n_events;
	uint32_t comm = 0;
	uint32_t operation = 0;
	int64_t *received;

	PH_TRY(expect_receives(thread, chunk, receives, &received));
	for (uint32_t i = ph_skip_calls(kinds, 0, n); i < n; i = ph_skip_calls(kinds, i + 1, n))
	{
		uint32_t with = ph_event_operands(kinds[i]);

		if (kinds[i] > PH_EVENT_NB_COLLECTIVE_COMPLETE)
			continue;
		if (kinds[i] == PH_EVENT_RECV || kinds[i] == PH_EVENT_IRECV)
			*received++ = times[i];
		if ((with & PH_OPERAND_OPERATION) != 0)
		{
			bool counts = ph_collective_is_application(operands->operation[operation++]);

			if (counts && operands->comm[comm] < n_communicators)
				thread->collectives_here[operands->comm[comm]]++;
		}
		comm += (with & PH_OPERAND_COMM) != 0;
	}
	return PH_OK;
}

/* What is wrong with logical time is no reason to lose the trace. */
static PhStatus
or_without_steps(PhTraceThread *thread, PhStatus status)
{
	if (status == PH_ERR_INTERRUPTED)
		thread->env.error = thread->steps_env.error;
	if (status == PH_OK || status == PH_ERR_INTERRUPTED)
		return status;
	snprintf(thread->no_steps, sizeof(thread->no_steps), "%s", thread->steps_env.error.message);
	ph_logical_input_free(thread->logical);
	thread->logical = NULL;
	return PH_OK;
}

/* The chunks that it kept go to the tree. */
static PhStatus
drop_blame(PhCostFinder **finder, PhTraceTree *tree)
{
	PhStatus status = PH_OK;

	if (*finder != NULL)
		status = ph_cost_finder_feed(*finder, tree);
	ph_cost_finder_free(*finder);
	*finder = NULL;
	return status;
}

/* Nor is what is wrong with waits. */
static PhStatus
or_without_blame(PhTraceThread *thread, PhStatus status)
{
	if (status == PH_OK || status == PH_ERR_INTERRUPTED)
		return status;
	snprintf(thread->no_blame, sizeof(thread->no_blame), "%s", thread->env.error.message);
	return drop_blame(&thread->blame, thread->tree);
}

/* Activities of devices: they neither communicate nor wait for messages. */
static PhStatus
take_activities(PhTraceThread *thread, const PhChunk *chunk)
{
	PhTraceRead *read = thread->reading->read;

	if (thread->blame != NULL)
		PH_TRY(or_without_blame(thread,
								ph_cost_finder_add_activities(
									thread->blame, chunk, thread->reader,
									ph_launch_cursor_links(&thread->launches, chunk->n_enter))));
	PH_TRY(ph_launch_cursor_chunk(&thread->launches, &read->launches, thread->tree, chunk,
								  thread->reader, &thread->arena,
								  &read->launched[chunk->location]));
	return ph_tile_thread_chunk(thread->tiles, chunk, thread->reader);
}

/*
 * How much of its part of the trace the thread has read before a chunk, as the archive declares; 0:
 * not known.
 */
static double
share_read(const PhTraceThread *thread, const PhChunk *chunk)
{
	const Reading *reading = thread->reading;

	if (reading->n_declared == 0)
		return 0;
	return (double) reading->read->n_threads * (double) (thread->n_events + chunk->first_seq) /
		   (double) reading->n_declared;
}

/* Lists are made as long as the thread's part of the trace needs. */
static void
tell_progress(PhTraceThread *thread, const PhChunk *chunk)
{
	double share = share_read(thread, chunk);

	ph_matcher_progress(thread->matcher, share);
	if (thread->logical != NULL)
		ph_logical_input_progress(thread->logical, share);
}

static PhStatus
take_chunk(void *user, const PhChunk *chunk)
{
	PhTraceThread *thread = user;

	if (thread_interrupted(thread))
		return ph_fail(&thread->env, PH_ERR_INTERRUPTED, "interrupted");
	if (thread->db != NULL)
		PH_TRY(store_chunk(thread, chunk));
	PH_TRY(ph_chunk_writer_show(thread->writer, chunk, thread->reader));
	if (ph_location_is_stream(&thread->reading->options->source->model.locations[chunk->location]))
		return take_activities(thread, chunk);
	PH_TRY(note_messages(thread, chunk));
	PH_TRY(ph_tile_thread_chunk(thread->tiles, chunk, thread->reader));
	tell_progress(thread, chunk);
	if (thread->logical != NULL)
		PH_TRY(or_without_steps(thread, ph_logical_input_chunk(thread->logical, thread->reader)));
	if (thread->blame != NULL)
		PH_TRY(or_without_blame(thread,
								ph_cost_finder_add_chunk(thread->blame, chunk, thread->reader)));
	if (thread->blame == NULL || !ph_cost_finder_feeds(thread->blame))
		PH_TRY(ph_trace_tree_add_chunk(thread->tree, chunk, thread->reader, INT64_MIN, INT64_MAX));
	if (thread->reading->options->source->links != NULL)
		return PH_OK;
	return ph_matcher_add_chunk(thread->matcher, chunk, thread->reader);
}

/* ---- one location ---- */

/*
 * The number of collectives of a communicator from what two groups of locations counted. Every
 * member counts the same collectives, so the number is the larger one (a member's trace may be
 * cut). Communicators without members are those like COMM_SELF, of which every process has its own:
 * there the counts are of different collectives and add up.
 */
static uint64_t
join_collectives(const PhTraceModel *model, uint32_t comm, uint64_t a, uint64_t b)
{
	if (model->communicators[comm].n_members == 0)
		return a + b;
	return PH_MAX(a, b);
}

static void
end_location(PhTraceThread *thread)
{
	const PhTraceModel *model = &thread->reading->options->source->model;

	for (uint32_t i = 0; i < model->n_communicators; i++)
	{
		thread->collectives[i] =
			join_collectives(model, i, thread->collectives[i], thread->collectives_here[i]);
		thread->collectives_here[i] = 0;
	}
}

static PhStatus
read_location(PhTraceThread *thread, uint32_t location)
{
	const PhTraceReadOptions *options = thread->reading->options;
	PhChunkWriter *writer;
	PhStatus status;

	if (thread->logical != NULL)
		PH_TRY(or_without_steps(thread, ph_logical_input_location(thread->logical, location)));
	PH_TRY(ph_launch_cursor_begin(&thread->launches, options->source, location));
	PH_TRY(ph_chunk_writer_new(&thread->env, location, 0, take_chunk, thread, &writer));
	thread->writer = writer;
	status = options->source->read_location(thread->cursor, location, writer, &thread->counts);
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	if (status == PH_OK)
		status = ph_tile_thread_end(thread->tiles, location);
	thread->n_events += ph_chunk_writer_events(writer);
	thread->open_calls += ph_chunk_writer_open_calls(writer);
	ph_chunk_writer_free(writer);
	end_location(thread);
	if (status == PH_OK && options->progress != NULL)
		options->progress(options->user, location);
	return status;
}

/* ---- one thread ---- */

static PhStatus
prepare_steps(PhTraceThread *thread)
{
	const PhTraceModel *model = &thread->reading->options->source->model;
	PhLogicalOptions options;
	PhStatus status;

	if (!thread->reading->options->with_steps)
		return PH_OK;
	ph_logical_options_default(&options);
	status = ph_logical_input_new(&thread->steps_env, model, &options, &thread->logical);
	if (status == PH_OK)
		status = ph_logical_input_link(thread->logical);
	if (status != PH_OK)
		thread->env.error = thread->steps_env.error;
	return status;
}

static PhStatus
prepare_blame(PhTraceThread *thread)
{
	const PhTraceModel *model = &thread->reading->options->source->model;

	PH_TRY(
		ph_cost_finder_new(&thread->env, model, ph_trace_tree_wants(thread->tree), &thread->blame));
	return ph_cost_finder_launches(thread->blame, &thread->reading->read->launches);
}

static PhStatus
prepare(PhTraceThread *thread)
{
	PhTraceSource *source = thread->reading->options->source;
	uint32_t n = source->model.n_communicators;

	PH_TRY(PH_NEW(&thread->arena, n, &thread->collectives));
	PH_TRY(PH_NEW(&thread->arena, n, &thread->collectives_here));
	ph_arena_init(&thread->launches.arena, &thread->env);
	PH_TRY(ph_trace_tree_new(&thread->env, &source->model, &thread->tree));
	PH_TRY(ph_trace_tree_launches(thread->tree, &thread->reading->read->launches));
	PH_TRY(ph_matcher_new(&thread->env, &source->model, &thread->matcher));
	PH_TRY(prepare_steps(thread));
	if (thread->reading->options->with_blame)
		PH_TRY(prepare_blame(thread));
	PH_TRY(ph_tile_thread_new(&thread->env, thread->reading->options->tiles, &thread->tiles));
	PH_TRY(ph_chunk_reader_new(&thread->env, &thread->reader));
	return source->open(&thread->env, source, &thread->cursor);
}

static PhStatus
read_locations(PhTraceThread *thread)
{
	Reading *reading = thread->reading;
	uint32_t share;

	while ((share = atomic_fetch_add(&reading->next, 1)) < reading->n_shares)
	{
		for (uint32_t i = reading->first[share]; i < reading->first[share + 1]; i++)
		{
			if (thread_interrupted(thread))
				return ph_fail(&thread->env, PH_ERR_INTERRUPTED, "interrupted");
			PH_TRY(read_location(thread, i));
		}
	}
	return PH_OK;
}

static PhStatus
read_into_copy(PhTraceThread *thread)
{
	PhStatus status;
	const char *why;

	if (!ph_pq_copy_begin(thread->db, PH_COPY_SUMMED(trace_chunk)))
		return refused(thread);
	ph_copy_init(&thread->copy, &thread->env, ph_copy_to_server, thread->db);
	status = read_locations(thread);
	if (!ph_copy_finish(&thread->copy) && status == PH_OK)
		status = thread->copy.status != PH_OK ? thread->copy.status : refused(thread);
	why = status == PH_OK ? NULL : "the loader gave up";
	if (!ph_pq_copy_end(thread->db, why, NULL) && status == PH_OK)
		status = refused(thread);
	return status;
}

static void *
run_thread(void *argument)
{
	PhTraceThread *thread = argument;

	thread->status = prepare(thread);
	if (thread->status == PH_OK)
		thread->status = thread->db == NULL ? read_locations(thread) : read_into_copy(thread);
	if (thread->cursor != NULL)
		thread->reading->options->source->close(thread->cursor);
	thread->cursor = NULL;
	ph_arena_drop(&thread->launches.arena);
	ph_tile_thread_free(thread->tiles);
	thread->tiles = NULL;
	ph_chunk_reader_free(thread->reader);
	thread->reader = NULL;
	if (thread->status != PH_OK)
		atomic_store(&thread->reading->stop, true);
	return NULL;
}

/* ---- all threads ---- */

/* One thread is the calling one. */
static void
run_threads(Reading *reading)
{
	PhTraceRead *read = reading->read;
	uint32_t n_started = 1;

	for (; n_started < read->n_threads; n_started++)
	{
		PhTraceThread *thread = &read->threads[n_started];

		if (pthread_create(&thread->thread, NULL, run_thread, thread) != 0)
			break;
	}
	run_thread(&read->threads[0]);
	for (uint32_t i = 1; i < n_started; i++)
		pthread_join(read->threads[i].thread, NULL);
	read->n_threads = n_started; /* those that did not start have nothing to add */
}

/* The failure that made the others stop, if any. */
static PhStatus
first_failure(PhTraceRead *read, const PhConnection **refused_by)
{
	PhTraceThread *worst = NULL;

	for (uint32_t i = 0; i < read->n_threads; i++)
	{
		PhTraceThread *thread = &read->threads[i];

		if (thread->status != PH_OK && (worst == NULL || worst->status == PH_ERR_INTERRUPTED))
			worst = thread;
	}
	if (worst == NULL)
		return PH_OK;
	read->env->error = worst->env.error;
	if (worst->is_refused)
		*refused_by = worst->db;
	return worst->status;
}

/* The first thread's takes in the others'; all or nothing. */
static PhStatus
merge_steps(PhTraceThread *first, PhTraceThread *thread)
{
	PhStatus status;

	if (first->logical == NULL)
		return PH_OK;
	if (thread->logical == NULL)
	{
		memcpy(first->no_steps, thread->no_steps, sizeof(first->no_steps));
		ph_logical_input_free(first->logical);
		first->logical = NULL;
		return PH_OK;
	}
	status = ph_logical_input_merge(first->logical, thread->logical);
	ph_logical_input_free(thread->logical);
	thread->logical = NULL;
	return or_without_steps(first, status);
}

/* Likewise; tree: the first one's. */
static PhStatus
merge_blame(PhTraceThread *first, PhTraceThread *thread, PhTraceTree *tree)
{
	PhStatus status = PH_OK;

	if (first->blame == NULL)
		return drop_blame(&thread->blame, thread->tree);
	if (thread->blame == NULL)
	{
		memcpy(first->no_blame, thread->no_blame, sizeof(first->no_blame));
		return drop_blame(&first->blame, tree);
	}
	status = ph_cost_finder_merge(first->blame, thread->blame);
	if (status == PH_ERR_INTERRUPTED)
		return status;
	if (status != PH_OK)
	{
		snprintf(first->no_blame, sizeof(first->no_blame), "%s", first->env.error.message);
		PH_TRY(drop_blame(&first->blame, tree));
	}
	return drop_blame(&thread->blame, thread->tree);
}

static PhStatus
merge_thread(PhTraceRead *read, PhTraceThread *thread)
{
	const PhTraceModel *model = &thread->reading->options->source->model;
	PhTraceThread *first = &read->threads[0];

	ph_trace_counts_add(&read->counts, &thread->counts);
	read->n_events += thread->n_events;
	read->open_calls += thread->open_calls;
	if (thread == first)
		return PH_OK;
	for (uint32_t i = 0; i < model->n_communicators; i++)
		first->collectives[i] =
			join_collectives(model, i, first->collectives[i], thread->collectives[i]);
	PH_TRY(merge_steps(first, thread));
	PH_TRY(merge_blame(first, thread, read->tree));
	PH_TRY(ph_trace_tree_merge(read->tree, thread->tree));
	return ph_matcher_merge(read->matcher, thread->matcher);
}

static PhStatus
merge_threads(PhTraceRead *read, const PhTraceModel *model)
{
	read->tree = read->threads[0].tree;
	read->matcher = read->threads[0].matcher;
	read->threads[0].tree = NULL;
	read->threads[0].matcher = NULL;
	for (uint32_t i = 0; i < read->n_threads; i++)
		PH_TRY(merge_thread(read, &read->threads[i]));
	read->steps_env = &read->threads[0].steps_env;
	read->logical = read->threads[0].logical;
	read->threads[0].logical = NULL;
	memcpy(read->no_steps, read->threads[0].no_steps, sizeof(read->no_steps));
	read->blame = read->threads[0].blame;
	read->threads[0].blame = NULL;
	memcpy(read->no_blame, read->threads[0].no_blame, sizeof(read->no_blame));
	if (read->blame == NULL)
		PH_TRY(ph_trace_tree_settle(read->tree));
	for (uint32_t i = 0; i < model->n_communicators; i++)
		read->n_collectives += read->threads[0].collectives[i];
	return PH_OK;
}

/*
 * Divides the locations into shares, of which each thread takes the next when it is free. A share
 * is a process with all its threads: read in order, the threads come after the master that forks
 * them, and the call tree need not keep their chunks until it is known where they belong. If there
 * are fewer processes than threads here, each location is a share of its own.
 */
static PhStatus
share_out(Reading *reading)
{
	const PhTraceModel *model = &reading->options->source->model;
	uint32_t n_processes = 0;

	PH_TRY(PH_NEW(&reading->read->arena, (size_t) model->n_locations + 1, &reading->first));
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		reading->n_declared += model->locations[i].n_events;
		if (i == 0 || model->locations[i].rank < 0 ||
			model->locations[i].rank != model->locations[i - 1].rank)
			reading->first[n_processes++] = i;
	}
	reading->n_shares = n_processes;
	if (n_processes < reading->options->n_threads)
	{
		reading->n_shares = model->n_locations;
		for (uint32_t i = 0; i < model->n_locations; i++)
			reading->first[i] = i;
	}
	reading->first[reading->n_shares] = model->n_locations;
	return PH_OK;
}

static PhStatus
prepare_threads(Reading *reading)
{
	const PhTraceReadOptions *options = reading->options;
	PhTraceRead *read = reading->read;

	PH_TRY(PH_NEW(&read->arena, options->source->model.n_locations, &read->receives));
	PH_TRY(PH_NEW(&read->arena, options->source->model.n_locations, &read->launched));
	PH_TRY(ph_trace_launches(read->env, options->source, &read->launches));
	PH_TRY(share_out(reading));
	PH_TRY(PH_NEW(&read->arena, options->n_threads, &read->threads));
	read->n_threads = options->n_threads;
	for (uint32_t i = 0; i < read->n_threads; i++)
	{
		PhTraceThread *thread = &read->threads[i];

		thread->reading = reading;
		thread->db = options->connections == NULL ? NULL : options->connections[i];
		ph_env_init_malloc(&thread->env);
		thread->env.interrupt = thread_interrupted;
		thread->env.user = thread;
		thread->steps_env = thread->env;
		ph_arena_init(&thread->arena, &thread->env);
	}
	return PH_OK;
}

PhStatus
ph_trace_read(PhEnv *env, const PhTraceReadOptions *options, PhTraceRead *out,
			  const PhConnection **refused_by)
{
	Reading reading = {.options = options, .read = out};
	PhStatus status;

	*out = (PhTraceRead){.env = env};
	*refused_by = NULL;
	ph_arena_init(&out->arena, env);
	PH_TRY(prepare_threads(&reading));
	run_threads(&reading);
	status = first_failure(out, refused_by);
	if (status == PH_OK)
		status = merge_threads(out, &options->source->model);
	for (uint32_t i = 0; i < out->n_threads; i++)
	{
		PhTraceThread *thread = &out->threads[i];

		thread->env.interrupt = thread->steps_env.interrupt = env->interrupt;
		thread->env.user = thread->steps_env.user = env->user; /* what it looked at ends here */
		thread->reading = NULL;
	}
	return status;
}

PhStatus
ph_trace_read_match(PhTraceRead *read, const PhTraceSource *source)
{
	if (source->links != NULL)
	{
		read->matches = source->matches;
		return PH_OK;
	}
	return ph_matcher_match(read->matcher, &read->matches);
}

PhStatus
ph_trace_read_links(const PhTraceRead *read, const PhTraceSource *source, PhArena *arena,
					uint32_t location, const PhLink **links, uint64_t *n)
{
	if (source->links != NULL)
		return source->links(source, arena, location, links, n);
	*links = ph_matcher_links(read->matcher, location, n);
	return PH_OK;
}

PhStatus
ph_trace_read_logical(PhTraceRead *read, PhLogicalModel *out)
{
	PhStatus status = ph_logical_input_finish_linked(read->logical, read->matcher, out);

	ph_logical_input_free(read->logical);
	read->logical = NULL;
	return status;
}

void
ph_trace_read_drop_stored_links(PhTraceRead *read)
{
	if (!read->links_are_stored)
		return;
	ph_matcher_free(read->matcher);
	read->matcher = NULL;
}

static PhStatus
find_blame(PhTraceRead *read, const PhTraceSource *source, const uint64_t *region_ids)
{
	PhArena *arena = &read->threads[0].arena;
	PhArena scratch;
	PhStatus status = ph_cost_finder_collect(read->blame);

	ph_arena_init(&scratch, arena->env);
	for (uint32_t i = 0; i < source->model.n_locations && status == PH_OK; i++)
	{
		const PhLink *links;
		uint64_t n;

		status = ph_trace_read_links(read, source, &scratch, i, &links, &n);
		if (status == PH_OK)
			status = ph_cost_finder_link(read->blame, i, links, n);
	}
	ph_arena_drop(&scratch);
	ph_trace_read_drop_stored_links(read);
	return status != PH_OK ? status
						   : ph_cost_finder_find(read->blame, read->tree, region_ids, arena,
												 read->costs, &read->n_costs);
}

PhStatus
ph_trace_read_blame(PhTraceRead *read, const PhTraceSource *source, const uint64_t *region_ids)
{
	PhStatus status;

	if (read->blame == NULL)
		return PH_OK;
	status = find_blame(read, source, region_ids);
	if (status != PH_OK && status != PH_ERR_INTERRUPTED)
	{
		snprintf(read->no_blame, sizeof(read->no_blame), "%s", read->threads[0].env.error.message);
		status = PH_OK;
	}
	if (status == PH_OK)
		status = drop_blame(&read->blame, read->tree);
	if (status == PH_OK)
		status = ph_trace_tree_settle(read->tree);
	if (status != PH_OK)
		read->env->error = read->threads[0].env.error;
	return status;
}

void
ph_trace_read_free(PhTraceRead *read)
{
	ph_cost_finder_free(read->blame);
	ph_logical_input_free(read->logical);
	ph_trace_tree_free(read->tree);
	ph_matcher_free(read->matcher);
	for (uint32_t i = 0; i < read->n_threads; i++)
	{
		ph_logical_input_free(read->threads[i].logical);
		ph_cost_finder_free(read->threads[i].blame);
		ph_trace_tree_free(read->threads[i].tree);
		ph_matcher_free(read->threads[i].matcher);
		ph_arena_drop(&read->threads[i].arena);
	}
	if (read->env != NULL)
	{
		ph_launches_free(read->env, &read->launches);
		ph_arena_drop(&read->arena);
	}
	*read = (PhTraceRead){0};
}
