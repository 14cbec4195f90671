/*
 * work.c - what a worker is asked to do.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/work.h"

#include <stdio.h>
#include <stdlib.h>

#include "queries.h"
#include "system/interrupt.h"

bool
ph_work_is_quick(const PhWork *work)
{
	return work->kind == PH_WORK_DESCRIPTION ||
		   (work->kind == PH_WORK_QUERY && work->values.query->is_quick);
}

const char *
ph_work_type(const PhWork *work)
{
	switch (work->kind)
	{
		case PH_WORK_QUERY:
			return ph_api_type(work->values.query);
		case PH_WORK_PICTURE:
		case PH_WORK_OWN_PICTURE:
			return ph_picture_type(work->format);
		default:
			return "application/json";
	}
}

static void
make(PhPoolWorker *worker, const PhWork *work, const PhTarget *target, PhAnswer *answer)
{
	switch (work->kind)
	{
		case PH_WORK_QUERY:
			if (work->sources != NULL)
				ph_source_answer(&worker->session, work->sources, &work->values, answer);
			else
				ph_api_run(&worker->session, &work->values, answer);
			break;
		case PH_WORK_PICTURE:
			ph_picture_run(&worker->session, worker->fonts, work->view, work->format, target,
						   answer);
			break;
		case PH_WORK_OWN_ROWS:
			ph_own_rows(&worker->session, &work->own, target, answer);
			break;
		case PH_WORK_OWN_PICTURE:
			ph_picture_own(&worker->session, worker->fonts, &work->own, work->view, work->format,
						   target, answer);
			break;
		case PH_WORK_DESCRIPTION:
			ph_api_openapi(&worker->session, work->needs_token, answer);
			break;
	}
}

static void
ask_database(PhPoolWorker *worker, const PhWork *work, const PhTarget *target, PhAnswer *answer)
{
	if (!ph_session_ready(&worker->session))
		ph_api_error(&worker->session.error, answer);
	else
		make(worker, work, target, answer);
}

void
ph_work_do(PhPoolWorker *worker, const PhWork *work, const PhTarget *target, PhAnswer *answer)
{
	ask_database(worker, work, target, answer);
	/* a connection that was lost meanwhile; everything here only reads, so it may be asked again */
	if (answer->status == 503 && !ph_interrupted())
		ask_database(worker, work, target, answer);
	if (work->metrics[0] != '\0' && (answer->status == 200 || answer->status == 503))
		ph_metrics_finish(work->metrics, answer);
	if (answer->status < 400)
		answer->retry_after = 0;
	if (work->asset != NULL && answer->status == 200)
		ph_answer_constant(answer, work->asset->type, work->asset->bytes, work->asset->size,
						   work->asset->etag);
}

/* The version of the runs, after the session; NULL: see ph_work_key. */
static char *
ask_version(PhSession *session, const PhWork *work, const char *what, char version[PH_VERSION_SIZE],
			PhAnswer *answer)
{
	PhParam params[1] = {ph_param_text(work->runs)};
	PhResult *result;
	const char *of_runs;
	char *key = NULL;

	if (!ph_session_ready(session))
	{
		ph_api_error(&session->error, answer);
		return NULL;
	}
	result = ph_pq_query(session->connection, ph_sql_serve_version, params, 1);
	if (result == NULL)
	{
		ph_api_error(&session->connection->error, answer);
		return NULL;
	}
	of_runs = ph_result_text(result, 0, 0);
	snprintf(version, PH_VERSION_SIZE, "%s", of_runs != NULL ? of_runs : "");
	if (of_runs != NULL && session->identity[0] != '\0' &&
		asprintf(&key, "%s\n%s %s\n%s%s%s", session->identity, of_runs,
				 ph_result_text(result, 0, 1), what, work->sources != NULL ? "\n" : "",
				 work->sources != NULL ? work->sources->name : "") < 0)
	{
		key = NULL;
		ph_answer_memory(answer);
	}
	ph_result_free(result);
	return key;
}

char *
ph_work_key(PhPoolWorker *worker, const PhWork *work, const char *what,
			char version[PH_VERSION_SIZE], PhAnswer *answer)
{
	char *key = ask_version(&worker->session, work, what, version, answer);

	if (key != NULL || answer->status != 503 || ph_interrupted())
		return key;
	answer->status = 0; /* the connection was lost */
	answer->retry_after = 0;
	return ask_version(&worker->session, work, what, version, answer);
}
