/*
 * flight.h - requests for the same thing share the work of answering it.
 *
 * A flight is what one or more clients wait for. It takes off in two steps. First, in the quick
 * lane, the version of the runs is looked up under the rights that answers are made with; with what
 * is asked for it makes the key. A client that has what the key names is told so; what the store
 * has is sent; a flight that is making the same takes the waiting over. Only what is left is made,
 * in the slow lane, and kept. What has no version (lists, histories) is made at once, in the lane
 * that it belongs to. So nothing stale is sent, nobody gets what he may not see, and cheap requests
 * do not wait for pictures.
 *
 * Requests that come before the look-up, or the work without one, has begun join the flight:
 * what it finds is no older than they are.
 *
 * A flight whose clients have all gone is dropped, its query cancelled.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_FLIGHT_H
#define PH_SERVE_FLIGHT_H

#include "serve/cache/store.h"
#include "serve/http.h"
#include "serve/pool.h"
#include "serve/work.h"

typedef struct PhFlights PhFlights;

typedef struct PhFlightSettings
{
	PhPool *quick, *slow; /* that call ph_flight_work */
	PhStore *store;		  /* NULL: nothing is kept */
	char program[24];	  /* names the program that makes answers: another one has another store */
} PhFlightSettings;

typedef struct PhFlightCounts
{
	uint64_t hits;		   /* answered from the store */
	uint64_t misses;	   /* made, although they have a version */
	uint64_t not_modified; /* the client had it */
	uint64_t joined;	   /* requests that shared another one's answer */
	uint64_t cancelled;	   /* requests whose client went */
} PhFlightCounts;

PhFlights *ph_flights_new(const PhFlightSettings *settings);
/* The pools have stopped. */
void ph_flights_free(PhFlights *flights);

/* The exchange, whose work is a PhWork, is answered some time. False: it cannot be; it has an
 * error. */
bool ph_flights_add(PhFlights *flights, PhExchange *exchange);

/* The client has gone. False: the exchange waits for nothing (any more). */
bool ph_flights_leave(PhFlights *flights, PhExchange *exchange);

PhFlightCounts ph_flights_counts(PhFlights *flights);

/* As PhPoolSettings wants it; job is a flight. */
void ph_flight_work(PhPoolWorker *worker, void *job);

/* Who asked for it (fair.h). */
uint64_t ph_flight_client(const void *job);

#endif
