/*
 * trace.c - transactions and connections of loading a trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/min_max.h"
#include "pipeline/blame.h"
#include "pipeline/logical.h"
#include "pipeline/records.h"
#include "pipeline/store/claim.h"
#include "pipeline/store/copy_table.h"
#include "pipeline/trace/profile.h"
#include "pipeline/trace/store.h"
#include "queries.h"

/* Bytes. Smaller archives are read by one thread: each more needs a connection of its own. */
#define PARALLEL_BYTES ((uint64_t) 4 << 20)
#define MOST_CLAIMS 200 /* attempts while somebody else loads the same content */

/* A trace on its way. */
typedef struct TraceLoad
{
	PhWorker *worker;
	PhLoadJob *job;
	PhRunInput *input;
	PhStoreRun run;
	PhTraceRead read;
	PhTraceTiles *tiles;	 /* NULL: it gets no pyramid */
	PhLogicalSearch *search; /* for phases and steps; NULL: not wanted, or not begun */
	PhArena arena;
	PhConnection **connections; /* the readers'; the first is worker->db, the others their own */
	uint32_t n_connections;
	bool is_parallel;  /* the row is committed first, so that several connections may write */
	bool is_committed; /* the row in state loading */
	const PhPqError **error;
} TraceLoad;

static PhStatus
refused_by(TraceLoad *load, const PhConnection *db)
{
	*load->error = &db->error;
	return ph_refused(&load->worker->env, db);
}

static PhStatus
refused(TraceLoad *load)
{
	return refused_by(load, load->worker->db);
}

/* PH_ERR_INTERNAL of a function that worked on worker->db: the server's words are there. */
static PhStatus
of_server(TraceLoad *load, PhStatus status)
{
	if (status == PH_ERR_INTERNAL && load->worker->db->error.code != PH_EXIT_OK)
		*load->error = &load->worker->db->error;
	return status;
}

static PhReadOptions
read_options(const PhLoadOptions *options)
{
	return (PhReadOptions){.module_map = options->module_map,
						   .source_root = options->source_root,
						   .clock_offsets = options->clock_offsets};
}

/* ---- claiming ---- */

/* A transaction that may be idle for long. */
static bool
begin_patiently(PhConnection *db)
{
	return ph_pq_begin(db) && ph_pq_execute(db, ph_sql_load_patience, NULL, 0);
}

static bool
begin_claim(PhConnection *db)
{
	return begin_patiently(db) && ph_claim_alone(db);
}

/* Somebody is loading the same content: remove what he left if he is gone, else wait for him. No
 * lock is held meanwhile: on several nodes he could want it. */
static PhStatus
await_other(TraceLoad *load)
{
	PhConnection *db = load->worker->db;
	char list[80];
	PhParam fingerprints;
	PhParam fingerprint = ph_param_text(load->job->fingerprint);
	struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	snprintf(list, sizeof(list), "{%s}", load->job->fingerprint);
	fingerprints = ph_param_text(list);
	PH_TRY(ph_env_poll(&load->worker->env));
	if (!ph_pq_commit(db) || !ph_pq_execute(db, ph_sql_run_leftover, &fingerprints, 1) ||
		!ph_pq_execute(db, db->is_distributed ? ph_sql_run_hold_content : ph_sql_run_await,
					   &fingerprint, 1))
		return refused(load);
	nanosleep(&pause, NULL);
	return begin_claim(db) ? PH_OK : refused(load);
}

static PhStatus
claim(TraceLoad *load)
{
	PhWorker *worker = load->worker;

	if (!begin_claim(worker->db))
		return refused(load);
	for (int attempt = 0; attempt < MOST_CLAIMS; attempt++)
	{
		PH_TRY(of_server(load, ph_store_claim(&worker->env, worker->db, &load->run)));
		if (load->run.outcome != PH_OUTCOME_SKIPPED || load->run.stored_id != 0)
			return PH_OK;
		PH_TRY(await_other(load));
	}
	return ph_fail_hint(&worker->env, PH_ERR_CONFLICT, "Wait for it, or see perfhouse doctor.",
						"another loader is at this content");
}

/* Let nobody see the run, but keep it from those who would clean up. Whoever removes it just before
 * is noticed at the end (ph_claim_finish). */
static PhStatus
commit_claim(TraceLoad *load)
{
	PhConnection *db = load->worker->db;
	PhParam run_id = ph_param_int(load->run.stored_id);
	PhParam fingerprint = ph_param_text(load->job->fingerprint);

	if (!ph_pq_execute(db, ph_sql_run_mark_loading, &run_id, 1) || !ph_pq_commit(db))
		return refused(load);
	load->is_committed = true;
	if (!begin_patiently(db) ||
		!(db->is_distributed ? ph_pq_execute(db, ph_sql_run_hold_content, &fingerprint, 1)
							 : ph_pq_execute(db, ph_sql_run_hold, &run_id, 1)))
		return refused(load);
	return PH_OK;
}

/* ---- the readers' connections ---- */

static PhStatus
open_reader_connection(TraceLoad *load, PhConnection **out)
{
	const PhLoadOptions *options = &load->worker->crew->load->options;
	PhParam run_id = ph_param_int(load->run.stored_id);
	PhPqError *error;

	PH_TRY(PH_NEW(&load->arena, 1, &error));
	*out = options->open(options->user, error);
	if (*out == NULL)
	{
		*load->error = error;
		return ph_fail_hint(&load->worker->env, PH_ERR_INTERNAL, error->hint, "%s", error->message);
	}
	if (!ph_pq_begin(*out) ||
		(!load->worker->db->is_distributed && !ph_pq_execute(*out, ph_sql_run_share, &run_id, 1)))
		return refused_by(load, *out);
	return PH_OK;
}

static PhStatus
open_connections(TraceLoad *load, uint32_t n)
{
	PH_TRY(PH_NEW(&load->arena, n, &load->connections));
	load->n_connections = n;
	load->connections[0] = load->worker->db;
	for (uint32_t i = 1; i < n; i++)
		PH_TRY(open_reader_connection(load, &load->connections[i]));
	return PH_OK;
}

/* The readers' own: worker->db is committed with the run. */
static PhStatus
commit_connections(TraceLoad *load)
{
	for (uint32_t i = 1; i < load->n_connections; i++)
	{
		if (!ph_pq_commit(load->connections[i]))
			return refused_by(load, load->connections[i]);
	}
	return PH_OK;
}

/* ---- reading ---- */

static bool
worker_stopped(void *user)
{
	const TraceLoad *load = user;

	return atomic_load(&load->worker->crew->stop);
}

/*
 * Progress is told in bytes of files, but a trace's bytes cannot be told by location: each location
 * counts for the share of events that the archive declares for it. One is added to each, so that
 * shares are defined where nothing is declared.
 */
static void
note_location(void *user, uint32_t location)
{
	TraceLoad *load = user;
	const PhTraceModel *model = &load->input->trace->model;
	double share = (double) (model->locations[location].n_events + 1) /
				   (double) (load->job->trace.n_expected + model->n_locations);
	uint64_t bytes = (uint64_t) (share * (double) load->job->bytes);

	atomic_fetch_add(&load->worker->crew->done_bytes, bytes);
	atomic_fetch_add(&load->job->reported_bytes, bytes);
}

/* For who watches: once its bytes are read, a large trace needs as long again. */
static void
tell(TraceLoad *load, const char *doing)
{
	atomic_store(&load->worker->crew->doing, doing);
}

/*
 * Logical steps are found here for traces of processes only. A source with links is one of tasks:
 * the server assigns their steps when the run is stored (ph_load_logical_later).
 */
static bool
wants_steps(const TraceLoad *load)
{
	const PhLoadOptions *options = &load->worker->crew->load->options;

	return options->logical_steps && !options->dry_run && load->input->trace->links == NULL;
}

static bool
wants_blame(const TraceLoad *load)
{
	const PhLoadOptions *options = &load->worker->crew->load->options;

	return options->blame && !options->dry_run && !load->input->trace->is_sampled;
}

/*
 * Sources that do not declare how many events they have are judged by their files; if there are few
 * events, the pyramid is dropped (pyramid_tiles).
 */
static PhStatus
prepare_tiles(TraceLoad *load)
{
	const PhLoadOptions *options = &load->worker->crew->load->options;
	const PhTraceModel *model = &load->input->trace->model;
	uint64_t n_expected = load->job->trace.n_expected;
	bool is_large = n_expected > 0 ? n_expected >= PH_PYRAMID_LEAST_EVENTS
								   : load->job->bytes >= PH_PYRAMID_LEAST_EVENTS;

	if (options->dry_run || model->n_locations == 0 || options->pyramid == PH_PYRAMID_NEVER ||
		(options->pyramid == PH_PYRAMID_OF_LARGE && !is_large) ||
		model->n_locations >= PH_TILE_MOST_LOCATIONS)
		return PH_OK;
	return ph_trace_tiles_new(&load->worker->env, model, n_expected / model->n_locations,
							  &load->tiles);
}

static PhStatus
pyramid_tiles(TraceLoad *load, PhTraceRows *rows)
{
	const PhLoadOptions *options = &load->worker->crew->load->options;

	if (load->tiles == NULL ||
		(options->pyramid == PH_PYRAMID_OF_LARGE && load->read.n_events < PH_PYRAMID_LEAST_EVENTS))
		return PH_OK;
	return ph_trace_tiles_finish(load->tiles, load->read.counts.last_time, &rows->tiles,
								 &rows->n_tiles);
}

static PhStatus
read_trace(TraceLoad *load, uint32_t n_threads)
{
	const PhTraceModel *model = &load->input->trace->model;
	PhTraceReadOptions options = {
		.source = load->input->trace,
		.n_threads = PH_MIN(n_threads, model->n_locations),
		.connections = load->connections,
		.run_id = load->run.stored_id,
		.with_steps = wants_steps(load),
		.with_blame = wants_blame(load),
		.interrupt = worker_stopped,
		.progress = note_location,
		.user = load,
	};
	const PhConnection *failed = NULL;
	PhStatus status;

	options.n_threads = options.n_threads == 0 ? 1 : options.n_threads;
	for (uint32_t i = 0; i < model->n_locations; i++)
		load->job->trace.n_expected += model->locations[i].n_events;
	PH_TRY(prepare_tiles(load));
	options.tiles = load->tiles;
	tell(load, NULL);
	status = ph_trace_read(&load->worker->env, &options, &load->read, &failed);
	if (failed != NULL)
		*load->error = &failed->error;
	return status;
}

static void
describe(TraceLoad *load)
{
	const PhTraceRead *read = &load->read;
	const PhTraceModel *model = &load->input->trace->model;
	PhTraceSummary *summary = &load->job->trace;

	summary->is_trace = true;
	summary->n_locations = model->n_locations;
	summary->n_ranks = model->n_ranks;
	summary->n_regions = model->n_regions;
	summary->n_events = read->n_events;
	summary->n_messages = read->matches.messages;
	summary->n_collectives = read->n_collectives;
	summary->duration = read->counts.last_time;
	memcpy(summary->events, read->counts.events, sizeof(summary->events));
	load->job->n_nodes = load->input->profile->n_nodes;
	load->job->n_columns = load->input->profile->n_columns;
	load->job->n_metrics = load->input->profile->n_metrics;
}

static PhStatus
make_profile(TraceLoad *load, uint64_t **region_ids)
{
	PhReadOptions options = read_options(&load->worker->crew->load->options);
	PhTraceRegions regions;

	PH_TRY(ph_trace_regions_identify(&load->arena, &load->input->trace->model, &options,
									 &load->worker->crew->load->options.hiding, &regions));
	PH_TRY(ph_trace_read_blame(&load->read, load->input->trace, regions.ids));
	PH_TRY(ph_trace_profile_make(&load->read, load->input->trace, &regions, &options, &load->arena,
								 load->input, region_ids));
	PH_TRY(ph_record_apply(&load->worker->env, load->job->record, load->input));
	describe(load);
	PH_TRY(ph_job_check_complete(load->worker, load->job, load->input));
	if (ph_experiment_stamp(load->job->experiment) != load->job->stamp)
		return ph_fail_hint(&load->worker->env, PH_ERR_VALUE,
							"Load it again when nobody writes to it.",
							"%s: changed while it was read", load->job->experiment->path);
	return PH_OK;
}

/* ---- storing ---- */

/*
 * A connection outside of any transaction, for the dictionary: a reader's, which has committed its
 * events. Each new one costs the server as much as storing a million of them.
 */
static PhStatus
open_helper(TraceLoad *load, PhConnection **out)
{
	const PhLoadOptions *options = &load->worker->crew->load->options;
	PhPqError *error;

	*out = load->n_connections > 1 ? load->connections[1] : load->worker->helper;
	if (*out != NULL)
		return PH_OK;
	PH_TRY(PH_NEW(&load->arena, 1, &error));
	*out = load->worker->helper = options->open(options->user, error);
	if (*out != NULL)
		return PH_OK;
	*load->error = error;
	return ph_fail_hint(&load->worker->env, PH_ERR_INTERNAL, error->hint, "%s", error->message);
}

static PhStatus
intern(TraceLoad *load)
{
	PhWorker *worker = load->worker;
	PhConnection *helper;
	PhStatus status;

	PH_TRY(open_helper(load, &helper));
	PH_TRY(PH_NEW(&load->arena, load->input->profile->n_metrics, &load->run.metric_ids));
	status = ph_store_intern(&worker->env, helper, worker->crew->dictionary, &load->run);
	if (status == PH_ERR_INTERNAL)
		*load->error = &helper->error;
	return status;
}

/*
 * Whether steps are found by a thread of their own. Beside blame of several locations both would
 * take their memory at once: a ring of 16 ranks then takes 6 % more CPU time and 160 MB more, and
 * ends no sooner.
 */
static bool
finds_steps_beside(const TraceLoad *load)
{
	return load->is_parallel && (!wants_blame(load) || load->input->trace->model.n_locations == 1);
}

static PhStatus
store_steps(TraceLoad *load)
{
	return of_server(load, ph_load_logical(load->worker, load->job, load->run.stored_id,
										   load->input, &load->read, load->search));
}

/* Once: before blame, which wants their memory, or with the rest. */
static PhStatus
store_links(TraceLoad *load)
{
	PhWorker *worker = load->worker;
	PhTraceRows rows = {
		.run_id = load->run.stored_id, .source = load->input->trace, .read = &load->read};

	if (load->read.links_are_stored)
		return PH_OK;
	PH_TRY(of_server(load, ph_store_links(&worker->env, worker->db, &rows)));
	load->read.links_are_stored = true;
	return PH_OK;
}

static PhStatus
store_rest(TraceLoad *load, const uint64_t *region_ids)
{
	PhWorker *worker = load->worker;
	PhTraceRows rows = {.run_id = load->run.stored_id,
						.source = load->input->trace,
						.read = &load->read,
						.region_ids = region_ids,
						.hiding = &worker->crew->load->options.hiding};

	PH_TRY(pyramid_tiles(load, &rows));
	PH_TRY(intern(load));
	PH_TRY(of_server(load, ph_store_trace(&worker->env, worker->db, &rows)));
	load->run.has_trace = true;
	load->run.n_events = (int64_t) load->read.n_events;
	PH_TRY(store_links(load));
	if (finds_steps_beside(load) || !wants_blame(load))
		PH_TRY(store_steps(load));
	PH_TRY(of_server(load, ph_store_finish(&worker->env, worker->db, &load->run)));
	if (wants_blame(load))
		PH_TRY(
			of_server(load, ph_load_blame(worker, load->run.stored_id, &load->read, load->input)));
	return ph_pq_commit(worker->db) ? PH_OK : refused(load);
}

static PhStatus
store_trace(TraceLoad *load)
{
	uint32_t n = load->worker->crew->load->options.n_workers;
	uint32_t n_locations = load->input->trace->model.n_locations;
	uint64_t *region_ids;

	PH_TRY(claim(load));
	if (load->run.outcome == PH_OUTCOME_SKIPPED)
		return ph_pq_commit(load->worker->db) ? PH_OK : refused(load);
	load->is_parallel =
		n > 1 && load->job->bytes >= PARALLEL_BYTES && load->run.outcome != PH_OUTCOME_REPLACED;
	/* on several nodes nobody could change a run meanwhile, nor two load traces */
	if (load->is_parallel ||
		(load->worker->db->is_distributed && load->run.outcome != PH_OUTCOME_REPLACED))
		PH_TRY(commit_claim(load));
	n = load->is_parallel && n_locations > 0 ? PH_MIN(n, n_locations) : 1;
	PH_TRY(open_connections(load, n));
	PH_TRY(read_trace(load, n));
	PH_TRY(commit_connections(load));
	tell(load, "messages");
	PH_TRY(ph_trace_read_match(&load->read, load->input->trace));
	PH_TRY(ph_logical_search_begin(load->worker, &load->read, finds_steps_beside(load),
								   &load->search));
	/* all take much memory: blame, which works on what was kept, has it after steps and links */
	if (!finds_steps_beside(load) && wants_blame(load))
	{
		tell(load, "logical time");
		PH_TRY(store_steps(load));
		PH_TRY(store_links(load));
	}
	tell(load, wants_blame(load) ? "waits and their causes" : "profile");
	PH_TRY(make_profile(load, &region_ids));
	tell(load, "storing");
	return store_rest(load, region_ids);
}

static PhStatus
try_trace(TraceLoad *load)
{
	uint64_t *region_ids;

	PH_TRY(read_trace(load, load->worker->crew->load->options.n_workers));
	PH_TRY(ph_trace_read_match(&load->read, load->input->trace));
	return make_profile(load, &region_ids);
}

/* ---- the end ---- */

/* Nothing of the run stays: an interrupt must not keep the server from doing that. */
static void
give_up(TraceLoad *load)
{
	PhConnection *db = load->worker->db;
	PhParam run_id = ph_param_int(load->run.stored_id);
	PhPqError kept;

	if (db == NULL)
		return;
	kept = db->error;
	db->is_cleaning = true;
	ph_pq_rollback(db);
	if (load->is_committed)
		(void) ph_pq_execute(db, ph_sql_run_drop, &run_id, 1);
	db->is_cleaning = false;
	db->error = kept;
}

static void
close_connections(TraceLoad *load)
{
	for (uint32_t i = 1; i < load->n_connections; i++)
	{
		PhConnection *db = load->connections[i];

		if (db != NULL && *load->error == &db->error)
		{
			load->worker->last_error = db->error;
			*load->error = &load->worker->last_error;
		}
		ph_pq_close(db);
	}
}

PhStatus
ph_load_trace(PhWorker *worker, PhLoadJob *job, PhRunInput *input, const PhRunRecord *record,
			  const PhPqError **error)
{
	const PhLoadOptions *options = &worker->crew->load->options;
	TraceLoad load = {
		.worker = worker,
		.job = job,
		.input = input,
		.error = error,
		.run = ph_job_store_run(worker, job, input, record),
	};
	PhStatus status;

	*error = NULL;
	ph_arena_init(&load.arena, &worker->env);
	status = options->dry_run ? try_trace(&load) : store_trace(&load);
	close_connections(&load);
	if (status != PH_OK)
		give_up(&load);
	if (*error != NULL && *error != &worker->last_error)
	{
		worker->last_error = **error;
		*error = &worker->last_error;
	}
	job->outcome = status != PH_OK	  ? PH_OUTCOME_NONE
				   : options->dry_run ? PH_OUTCOME_LOADED
									  : load.run.outcome;
	job->stored_id = status == PH_OK ? load.run.stored_id : 0;
	ph_logical_search_free(load.search);
	ph_trace_read_free(&load.read);
	ph_trace_tiles_free(load.tiles);
	ph_arena_drop(&load.arena);
	return status;
}
