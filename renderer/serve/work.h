/*
 * work.h - what a worker is asked to do: a named query, a picture, or a page if its run exists.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_WORK_H
#define PH_SERVE_WORK_H

#include "serve/api.h"
#include "serve/assets.h"
#include "serve/metrics.h"
#include "serve/picture.h"
#include "serve/pool.h"
#include "serve/source.h"

typedef struct PhWork
{
	enum
	{
		PH_WORK_QUERY,		 /* of the table: values */
		PH_WORK_PICTURE,	 /* of runs: view, format */
		PH_WORK_OWN_ROWS,	 /* of a query of people: own */
		PH_WORK_OWN_PICTURE, /* own, format; view, unless it is saved with one */
		PH_WORK_DESCRIPTION	 /* of the API */
	} kind;
	PhApiValues values;
	const PhSources *sources; /* of the query "source": it is answered from them; else NULL */
	const PhAsset *asset;	  /* a page, if what the query asks for exists */
	const PhView *view;
	PhPictureFormat format;
	PhOwnQuery own;
	bool needs_token;			   /* the description: the server has one */
	char metrics[PH_METRICS_SIZE]; /* of the server itself, for /metrics; "": not asked for */
	char runs[PH_RUNS_SIZE]; /* whose version the answer has, as an int8[] literal; "": none */
} PhWork;

/* Does it take milliseconds in any warehouse? */
bool ph_work_is_quick(const PhWork *work);

/* Content type of the answer, a constant. */
const char *ph_work_type(const PhWork *work);

/* Asks the database, draws; the answer has its kind and type. target: that of the request, whose
 * texts the work's values are. A connection that was lost is made again, once. */
void ph_work_do(PhPoolWorker *worker, const PhWork *work, const PhTarget *target, PhAnswer *answer);

/* What answers are kept under: malloc'ed; NULL and answer->status 0: there is none, as a run is not
 * there; NULL and another status: the answer is that error. what: names what is asked for. version:
 * that of the runs, as run_version() has it. */
char *ph_work_key(PhPoolWorker *worker, const PhWork *work, const char *what,
				  char version[PH_VERSION_SIZE], PhAnswer *answer);

#endif
