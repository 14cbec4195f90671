/*
 * route.h - which request means what, who may make it, and the work of answering it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_ROUTE_H
#define PH_ROUTE_H

#include "serve/flight.h"
#include "serve/http.h"
#include "serve/source.h"
#include "serve/status.h"

/* What answers depend on; constant while the server runs. */
typedef struct PhSite
{
	const char *const *hosts; /* names by which the server may be called */
	size_t n_hosts;
	const char *token; /* NULL: none is needed */
	bool tls;
	bool takes_sql;	  /* of anybody who has the token */
	size_t most_rows; /* of a query of people */
	PhSources sources;
	PhLanes lanes;
	PhFlights *flights;
} PhSite;

/* As PhHttpSettings wants them; user is a PhSite. */
bool ph_route(void *site, PhExchange *exchange);
bool ph_route_start(void *site, PhExchange *exchange);
bool ph_route_leave(void *site, PhExchange *exchange);
void ph_route_forget(PhExchange *exchange);

#endif
