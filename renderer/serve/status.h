/*
 * status.h - /api/status and /metrics: what the server is doing and what its cache is good for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_STATUS_H
#define PH_SERVE_STATUS_H

#include "serve/answer.h"
#include "serve/flight.h"
#include "serve/pool.h"

typedef struct PhLanes
{
	PhPool *quick, *slow;
	PhStore *store; /* NULL: nothing is kept */
	uint64_t store_limit;
} PhLanes;

/* One row of numbers, as queries of /api answer. */
void ph_status_answer(const PhLanes *lanes, PhFlights *flights, PhAnswer *answer);

/* The same as lines of OpenMetrics, for /metrics. */
void ph_status_metrics(const PhLanes *lanes, PhFlights *flights, char out[PH_METRICS_SIZE]);

#endif
