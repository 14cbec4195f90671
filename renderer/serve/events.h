/*
 * events.h - what happens in the warehouse, for pages that follow it.
 *
 * One thread listens to the database's notifications (LISTEN perfhouse_run, perfhouse_regression)
 * and keeps the last ones as server-sent events; any number of clients read them, each from its
 * own position. After a lost connection, or when a client was away for too long, the event "reset"
 * says that something may have been missed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EVENTS_H
#define PH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "database/pq.h"

typedef struct PhEvents PhEvents;

/* Where a client is. */
typedef struct PhEventPosition
{
	uint64_t next; /* number of the next event */
	uint64_t beat; /* the last heartbeat sent */
	bool greeted;
	bool missed; /* events that it will not get */
} PhEventPosition;

/* Takes over the connection, which must stay as it is for ph_events_connection. wake is called, on
 * the listening thread, when there is something new to read. NULL when it cannot be started. */
PhEvents *ph_events_start(PhConnection *connection, void (*wake)(void *user), void *user);

/* The first connection: for others to be made like it. */
const PhConnection *ph_events_connection(const PhEvents *events);

/* Where a new client begins: after last_id (of Last-Event-ID), or now when it is NULL. */
PhEventPosition ph_events_begin(PhEvents *events, const char *last_id);

/* What to send next, as malloc'ed text; NULL: nothing now. */
char *ph_events_read(PhEvents *events, PhEventPosition *position, size_t *size);

/* Every client is to be sent something, so that lost ones are noticed. */
void ph_events_beat(PhEvents *events);

void ph_events_stop(PhEvents *events);

#endif
