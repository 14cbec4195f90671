/*
 * metrics.h - /metrics: the warehouse and the server in figures, as OpenMetrics, for Prometheus and
 * its like.
 *
 * The figures of the warehouse are a query's (sql/queries/serve/metrics.sql), those of the server
 * are noted when the request comes. While the database is away the latter are answered alone, so
 * that its absence is a figure too.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_METRICS_H
#define PH_SERVE_METRICS_H

#include "serve/api.h"

#define PH_METRICS_SIZE 4096

extern const PhApiQuery ph_metrics_query;

/* Puts own, what ph_status_metrics() wrote, before what the query answered; in place of its error
 * when the database was not to be had. */
void ph_metrics_finish(const char *own, PhAnswer *answer);

#endif
